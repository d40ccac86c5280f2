//! Command lists: recorded, or immediate.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use visakit_runtime::base::say::say;

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::devices::context::Context;
use crate::devices::device::{COMPUTE, Device, GROUPS};
use crate::programs::kernel::Kernel;
use crate::queues::completion::Completion;
use crate::queues::event::Event;
use crate::queues::graph::{self, Appended};
use crate::queues::launch::Dispatch;
use crate::queues::mutable::{self, Announced, Change, Command};
use crate::queues::timeline::{Step, Timeline, Work};

/// Command list of the API.
pub(crate) struct CommandList {
    /// Number that no other list has.
    pub(crate) id: u64,
    pub(crate) context: Handle<Context>,
    pub(crate) device: Handle<Device>,
    /// Timeline of an immediate list.
    pub(crate) immediate: Option<Arc<Timeline>>,
    pub(crate) settings: Settings,
    /// True if commands can change after they are recorded.
    pub(crate) is_mutable: bool,
    recording: Mutex<Recording>,
}

kind!(CommandList);

/// Settings of a list or queue, as the program passed them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Settings {
    pub(crate) ordinal: u32,
    pub(crate) index: u32,
    pub(crate) flags: u32,
    pub(crate) mode: u32,
    pub(crate) priority: u32,
}

/// Mode of queues whose calls return after the work.
pub(crate) const SYNCHRONOUS: u32 = 1;

impl Settings {
    /// Checks the settings of a queue: a group has one queue.
    pub(crate) fn check(self) -> Result<Self> {
        ensure((self.ordinal as usize) < GROUPS.len() && self.index == 0, ERROR_INVALID_ARGUMENT)?;
        ensure(self.mode <= 2 && self.priority <= 2, ERROR_INVALID_ENUMERATION)?;
        Ok(self)
    }
}

/// Recorded commands.
#[derive(Clone, Default)]
struct Recording {
    steps: Vec<Step>,
    /// Number of commands that the program has announced.
    count: u64,
    /// Command that the program has announced last.
    announced: Option<Announced>,
    /// Commands that can change.
    commands: Vec<Command>,
    /// Completions of counter-based events, which each execution signals anew.
    renewed: Vec<Arc<Completion>>,
    is_closed: bool,
}

impl Recording {
    /// Returns the position of a command that can change.
    fn find(&self, id: u64) -> Result<usize> {
        self.commands.iter().position(|command| command.announced.id == id).ok_or(ERROR_INVALID_ARGUMENT)
    }

    /// Replaces launches by others.
    fn replace(&mut self, updated: BTreeMap<usize, Dispatch>) -> Result {
        let works = updated.values().map(mutable::work).collect::<Result<Vec<_>>>()?;
        for ((place, dispatch), work) in updated.into_iter().zip(works) {
            let command = &mut self.commands[place];
            command.dispatch = Some(dispatch);
            if let Some(Step::Run(own, _)) = self.steps.get_mut(command.run) {
                *own = work;
            }
        }
        Ok(())
    }
}

fn wait_steps(waits: &[Handle<Event>]) -> Vec<Step> {
    waits.iter().map(|event| Step::Wait(event.completion())).collect()
}

fn next_id() -> u64 {
    static IDS: AtomicU64 = AtomicU64::new(0);
    IDS.fetch_add(1, Relaxed)
}

impl Drop for CommandList {
    fn drop(&mut self) {
        graph::abandon(self.id);
    }
}

impl CommandList {
    /// Creates a list. An immediate list has a timeline.
    pub(crate) fn new(
        context: &Handle<Context>,
        device: &Handle<Device>,
        immediate: Option<Arc<Timeline>>,
        settings: Settings,
    ) -> Result<Self> {
        ensure(context.has(device), ERROR_INVALID_ARGUMENT)?;
        let (context, device) = (Arc::clone(context), Arc::clone(device));
        let (id, recording) = (next_id(), Mutex::default());
        Ok(Self { id, context, device, immediate, settings, is_mutable: false, recording })
    }

    /// Returns the list, whose commands can change if the program asks for it.
    pub(crate) fn with_mutability(mut self, is_mutable: bool) -> Self {
        self.is_mutable = is_mutable;
        self
    }

    /// Fails for a list whose queue group runs no kernels.
    pub(crate) fn check_kernels(&self) -> Result {
        let flags = GROUPS.get(self.settings.ordinal as usize).copied().unwrap_or(0);
        ensure(flags & COMPUTE != 0, ERROR_INVALID_COMMAND_LIST_TYPE)
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a command with the events that it waits for and signals.
    pub(crate) fn append(&self, signal: Option<&Handle<Event>>, waits: &[Handle<Event>], work: Work) -> Result {
        self.append_command(signal, waits, (work, None), Some("command".into()))
    }

    /// Appends a command that only waits for events and signals one.
    pub(crate) fn mark(&self, signal: Option<&Handle<Event>>, waits: &[Handle<Event>]) -> Result {
        self.append_command(signal, waits, (Arc::new(|| Ok(())), None), None)
    }

    /// Appends a launch with the events that it waits for and signals.
    pub(crate) fn launch(&self, signal: Option<&Handle<Event>>, waits: &[Handle<Event>], launch: Dispatch) -> Result {
        let dispatch = self.is_mutable.then(|| launch.clone());
        let label = graph::is_recording().then(|| launch.to_string().into());
        self.append_command(signal, waits, (launch.work()?, dispatch), label)
    }

    fn append_command(
        &self,
        signal: Option<&Handle<Event>>,
        waits: &[Handle<Event>],
        (work, dispatch): (Work, Option<Dispatch>),
        label: Option<Cow<'static, str>>,
    ) -> Result {
        let mut steps = wait_steps(waits);
        let completion = signal.map(|event| event.next());
        steps.push(Step::Run(work, completion.clone()));
        let is_counter = signal.is_some_and(|event| event.counter_flags.is_some());
        let first = self.push(Appended { steps, renewed: completion.filter(|_| is_counter), label })?;
        if let Some(first) = first.filter(|_| self.is_mutable) {
            let mut recording = self.recording();
            if let Some(announced) = recording.announced.take() {
                let run = first + waits.len();
                recording.commands.push(Command { announced, waits: first..run, run, dispatch });
            }
        }
        Ok(())
    }

    /// Appends steps with the events that they wait for and signal.
    pub(crate) fn append_steps(
        &self,
        signal: Option<&Handle<Event>>,
        waits: &[Handle<Event>],
        steps: Vec<Step>,
    ) -> Result {
        let mut all = wait_steps(waits);
        all.extend(steps);
        all.push(Step::signal(signal.map(|event| event.next())));
        self.extend(all)
    }

    /// Fails while the list records a graph.
    pub(crate) fn check_executes(&self) -> Result {
        ensure(graph::of_list(self.id).is_none(), ERROR_GRAPH_CAPTURE_UNSUPPORTED)
    }

    /// Appends steps without work of their own.
    pub(crate) fn extend(&self, steps: Vec<Step>) -> Result {
        self.push(Appended { steps, renewed: None, label: None }).map(drop)
    }

    /// Appends commands. Returns the position of the first step in the recording. As in Intel's
    /// driver, a closed list ignores further commands, which have no position.
    fn push(&self, commands: Appended) -> Result<Option<usize>> {
        if let Some(timeline) = &self.immediate {
            let is_synchronous = self.settings.mode == SYNCHRONOUS;
            if let Some(commands) = graph::record(self.id, is_synchronous, commands)? {
                timeline.push(commands.steps, is_synchronous)?;
            }
            return Ok(None);
        }
        let Appended { steps, renewed, .. } = commands;
        let mut recording = self.recording();
        if recording.is_closed {
            say("a command is ignored, because its list is closed");
            return Ok(None);
        }
        let first = recording.steps.len();
        recording.steps.extend(steps);
        recording.renewed.extend(renewed);
        Ok(Some(first))
    }

    /// Returns the number of the next command, whose parts can change.
    ///
    /// # Errors
    /// Fails for a list that is closed, or cannot change.
    pub(crate) fn announce(&self, parts: u32, kernels: Vec<Handle<Kernel>>) -> Result<u64> {
        let mut recording = self.recording();
        ensure(self.is_mutable && !recording.is_closed, ERROR_INVALID_ARGUMENT)?;
        recording.count += 1;
        let id = recording.count;
        recording.announced = Some(Announced { id, parts, kernels });
        Ok(id)
    }

    /// Changes launches for later executions: all of them, or after an error none.
    pub(crate) fn update(&self, changes: &[(u64, Change)]) -> Result {
        let mut recording = self.recording();
        let mut updated: BTreeMap<usize, Dispatch> = BTreeMap::new();
        for (id, change) in changes {
            let place = recording.find(*id)?;
            let command = &recording.commands[place];
            let before = command.dispatch.as_ref().ok_or(ERROR_INVALID_ARGUMENT)?;
            command.apply(updated.entry(place).or_insert_with(|| before.clone()), change)?;
        }
        recording.replace(updated)
    }

    /// Changes the kernels of launches: all of them, or after an error none.
    pub(crate) fn update_kernels(&self, changes: &[(u64, Handle<Kernel>)]) -> Result {
        let mut recording = self.recording();
        let mut updated = BTreeMap::new();
        for (id, kernel) in changes {
            let place = recording.find(*id)?;
            updated.insert(place, recording.commands[place].with_kernel(kernel)?);
        }
        recording.replace(updated)
    }

    /// Changes the event that a command signals.
    pub(crate) fn update_signal(&self, id: u64, signal: Option<&Handle<Event>>) -> Result {
        let mut recording = self.recording();
        let place = recording.find(id)?;
        recording.commands[place].check(mutable::SIGNAL)?;
        let run = recording.commands[place].run;
        let completion = signal.map(|event| event.next());
        let Recording { steps, renewed, .. } = &mut *recording;
        if let Some(Step::Run(_, own)) = steps.get_mut(run) {
            let before = std::mem::replace(own, completion.clone());
            renewed.retain(|other| !before.as_ref().is_some_and(|before| Arc::ptr_eq(other, before)));
        }
        let is_counter = signal.is_some_and(|event| event.counter_flags.is_some());
        renewed.extend(completion.filter(|_| is_counter));
        Ok(())
    }

    /// Changes the events that a command waits for. `None` stands for no event.
    ///
    /// # Errors
    /// Fails for another number of events than before.
    pub(crate) fn update_waits(&self, id: u64, waits: &[Option<Handle<Event>>]) -> Result {
        let mut recording = self.recording();
        let place = recording.find(id)?;
        recording.commands[place].check(mutable::WAITS)?;
        let own = recording.commands[place].waits.clone();
        ensure(waits.len() == own.len() || waits.is_empty(), ERROR_INVALID_SIZE)?;
        let waits = waits.iter().cloned().chain(std::iter::repeat(None));
        for (step, event) in recording.steps[own].iter_mut().zip(waits) {
            let none = || Arc::new(Completion::signaled());
            *step = Step::Wait(event.map_or_else(none, |event| event.completion()));
        }
        Ok(())
    }

    /// Returns a list with the same commands.
    ///
    /// # Errors
    /// Fails for an immediate list, and one that is not closed.
    pub(crate) fn duplicate(&self) -> Result<Self> {
        self.steps()?;
        let (context, device) = (Arc::clone(&self.context), Arc::clone(&self.device));
        let (id, recording) = (next_id(), Mutex::new(self.recording().clone()));
        let (settings, is_mutable) = (self.settings, self.is_mutable);
        Ok(Self { id, context, device, immediate: None, settings, is_mutable, recording })
    }

    /// Ends the recording.
    pub(crate) fn close(&self) -> Result {
        self.recording().is_closed = true;
        Ok(())
    }

    /// Removes all commands.
    pub(crate) fn reset(&self) -> Result {
        let before = std::mem::take(&mut *self.recording());
        drop(before);
        Ok(())
    }

    /// Returns the steps of an execution.
    ///
    /// # Errors
    /// Fails for an immediate list, and one that is not closed.
    pub(crate) fn steps(&self) -> Result<Vec<Step>> {
        ensure(self.immediate.is_none(), ERROR_INVALID_COMMAND_LIST_TYPE)?;
        let recording = self.recording();
        ensure(recording.is_closed, ERROR_INVALID_ARGUMENT)?;
        recording.renewed.iter().for_each(|completion| completion.reset());
        Ok(recording.steps.clone())
    }
}
