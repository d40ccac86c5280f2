//! Command lists: recorded, or immediate.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use visakit_runtime::base::say::say;

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::devices::context::Context;
use crate::devices::device::{COMPUTE, Device, GROUPS};
use crate::queues::completion::Completion;
use crate::queues::event::Event;
use crate::queues::timeline::{Step, Timeline, Work};

/// Command list of the API.
pub(crate) struct CommandList {
    pub(crate) context: Handle<Context>,
    pub(crate) device: Handle<Device>,
    /// Timeline of an immediate list.
    pub(crate) immediate: Option<Arc<Timeline>>,
    pub(crate) settings: Settings,
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
    /// Completions of counter-based events, which each execution signals anew.
    renewed: Vec<Arc<Completion>>,
    is_closed: bool,
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
        Ok(Self { context, device, immediate, settings, recording: Mutex::default() })
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
        let waits = waits.iter().map(|event| Step::Wait(event.completion()));
        let mut steps: Vec<_> = waits.collect();
        let completion = signal.map(|event| event.next());
        steps.push(Step::Run(work, completion.clone()));
        let is_counter = signal.is_some_and(|event| event.counter_flags.is_some());
        self.extend(steps, completion.filter(|_| is_counter))
    }

    /// Appends steps; `renewed` is signaled by each execution. As in Intel's driver, a closed list
    /// ignores further commands.
    pub(crate) fn extend(&self, steps: Vec<Step>, renewed: Option<Arc<Completion>>) -> Result {
        if let Some(timeline) = &self.immediate {
            timeline.push(steps);
            return if self.settings.mode == SYNCHRONOUS { timeline.synchronize(u64::MAX) } else { Ok(()) };
        }
        let mut recording = self.recording();
        if recording.is_closed {
            say("a command is ignored, because its list is closed");
            return Ok(());
        }
        recording.steps.extend(steps);
        recording.renewed.extend(renewed);
        Ok(())
    }

    /// Returns a list with the same commands.
    ///
    /// # Errors
    /// Fails for an immediate list, and one that is not closed.
    pub(crate) fn duplicate(&self) -> Result<Self> {
        self.steps()?;
        let (context, device) = (Arc::clone(&self.context), Arc::clone(&self.device));
        let recording = Mutex::new(self.recording().clone());
        Ok(Self { context, device, immediate: None, settings: self.settings, recording })
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
