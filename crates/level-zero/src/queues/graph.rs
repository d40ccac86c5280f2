//! Graphs: commands that immediate lists record in place of running them.
//!
//! A graph begins with one list. Another list joins it when it waits for a recorded command. The
//! order in which commands were recorded satisfies all waits between them, so that an execution
//! runs them one after the other.

use std::borrow::Cow;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use visakit_runtime::base::raw::UserData;

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::devices::context::Context;
use crate::queues::completion::Completion;
use crate::queues::event::Event;
use crate::queues::timeline::Step;

/// Recorded graph.
pub(crate) struct Graph {
    pub(crate) context: Handle<Context>,
    state: Mutex<State>,
}

kind!(Graph);

/// Function that the program wants to be called when a graph is destroyed.
pub(crate) type Destroyed = unsafe extern "C" fn(*mut c_void);

#[derive(Default)]
struct State {
    phase: Phase,
    /// Handle of the list with which the recording began.
    primary: usize,
    /// Lists that take part, the first one first.
    lists: Vec<Member>,
    nodes: Vec<Node>,
    steps: Vec<Step>,
    /// Completions of counter-based events.
    renewed: Vec<Arc<Completion>>,
    callbacks: Vec<(Destroyed, UserData)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Empty,
    Recording,
    Recorded,
    /// The recording failed.
    Invalid,
}

/// List that takes part in a recording.
struct Member {
    id: u64,
    /// True if another list waits for the last work.
    is_joined: bool,
    /// Signals since the last work.
    signals: Vec<Arc<Completion>>,
}

/// Recorded command.
struct Node {
    label: Cow<'static, str>,
    list: usize,
    signal: Option<Arc<Completion>>,
    /// Earlier commands for which it waits.
    after: Vec<usize>,
}

/// Commands as a list appends them.
pub(crate) struct Appended {
    pub(crate) steps: Vec<Step>,
    /// Completion of a counter-based event.
    pub(crate) renewed: Option<Arc<Completion>>,
    /// Description of the work; `None` for waits, signals and resets alone.
    pub(crate) label: Option<Cow<'static, str>>,
}

/// Number of recordings; most programs have none.
static RECORDINGS: AtomicUsize = AtomicUsize::new(0);
/// Graphs that are being recorded.
static GRAPHS: Mutex<Vec<Handle<Graph>>> = Mutex::new(Vec::new());

fn graphs() -> MutexGuard<'static, Vec<Handle<Graph>>> {
    GRAPHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if a graph is being recorded.
pub(crate) fn is_recording() -> bool {
    RECORDINGS.load(Relaxed) > 0
}

/// Returns the graph that a list records.
pub(crate) fn of_list(list: u64) -> Option<Handle<Graph>> {
    if !is_recording() {
        return None;
    }
    graphs().iter().find(|graph| graph.state().place(list).is_some()).cloned()
}

/// Fails for an event that a command of a recording signals, because no execution does so yet.
pub(crate) fn check_wait(event: &Event) -> Result {
    let is_recorded = |completion: &Arc<Completion>| graphs().iter().any(|graph| graph.state().signals(completion));
    ensure(!is_recording() || !is_recorded(&event.completion()), ERROR_GRAPH_CAPTURE_UNSUPPORTED)
}

/// Begins the recording of a list, into a graph that is empty.
pub(crate) fn begin(graph: &Handle<Graph>, list: u64, primary: usize) -> Result {
    ensure(of_list(list).is_none(), ERROR_GRAPH_CAPTURE_UNSUPPORTED)?;
    let mut state = graph.state();
    ensure(state.phase == Phase::Empty, ERROR_INVALID_ARGUMENT)?;
    (state.phase, state.primary) = (Phase::Recording, primary);
    state.join(list);
    drop(state);
    graphs().push(Arc::clone(graph));
    RECORDINGS.fetch_add(1, Relaxed);
    Ok(())
}

/// Ends the recording that began with a list, in all lists that take part.
///
/// # Errors
/// `COMMAND_LIST_NOT_CAPTURING` if no recording began with the list; `GRAPH_UNJOINED_FORKS` if no
/// other list waits for the work of a list. The graph is invalid then.
pub(crate) fn end(list: u64) -> Result<Handle<Graph>> {
    let mut all = graphs();
    let place = all.iter().position(|graph| graph.state().place(list) == Some(0));
    let graph = all.remove(place.ok_or(ERROR_COMMAND_LIST_NOT_CAPTURING)?);
    RECORDINGS.fetch_sub(1, Relaxed);
    drop(all);
    let mut state = graph.state();
    let is_joined = state.lists.iter().all(|member| member.is_joined);
    state.phase = if is_joined { Phase::Recorded } else { Phase::Invalid };
    drop(state);
    ensure(is_joined, ERROR_GRAPH_UNJOINED_FORKS)?;
    Ok(graph)
}

/// Ends the recording that began with a list that is destroyed.
pub(crate) fn abandon(list: u64) {
    if is_recording()
        && let Ok(graph) = end(list)
    {
        graph.state().phase = Phase::Invalid;
    }
}

/// Records commands if their list takes part in a recording, or begins to by a wait. Returns
/// commands that are to be run.
///
/// # Errors
/// `GRAPH_CAPTURE_MERGE_ATTEMPT` for a wait for a command of another graph;
/// `GRAPH_CAPTURE_UNSUPPORTED` for a synchronous list.
pub(crate) fn record(list: u64, is_synchronous: bool, commands: Appended) -> Result<Option<Appended>> {
    if !is_recording() {
        return Ok(Some(commands));
    }
    let all = graphs();
    let own = all.iter().find(|graph| graph.state().place(list).is_some());
    let waits_for = |graph: &&Handle<Graph>| commands.waits().any(|completion| graph.state().signals(completion));
    let other = all.iter().find(waits_for);
    let graph = match (own, other) {
        (Some(own), Some(other)) if !Arc::ptr_eq(own, other) => return Err(ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT),
        (Some(graph), _) | (None, Some(graph)) => Arc::clone(graph),
        (None, None) => return Ok(Some(commands)),
    };
    drop(all);
    ensure(!is_synchronous, ERROR_GRAPH_CAPTURE_UNSUPPORTED)?;
    graph.state().add(list, commands);
    Ok(None)
}

impl Appended {
    fn waits(&self) -> impl Iterator<Item = &Arc<Completion>> {
        self.steps.iter().filter_map(|step| if let Step::Wait(completion) = step { Some(completion) } else { None })
    }
}

impl Node {
    fn signals(&self, completion: &Arc<Completion>) -> bool {
        self.signal.as_ref().is_some_and(|signal| Arc::ptr_eq(signal, completion))
    }
}

fn has(all: &[Arc<Completion>], completion: &Arc<Completion>) -> bool {
    all.iter().any(|other| Arc::ptr_eq(other, completion))
}

impl State {
    /// Returns the position of a list among those that take part.
    fn place(&self, list: u64) -> Option<usize> {
        self.lists.iter().position(|member| member.id == list)
    }

    /// Returns true if a recorded command signals a completion.
    fn signals(&self, completion: &Arc<Completion>) -> bool {
        self.nodes.iter().any(|node| node.signals(completion))
    }

    /// Adds a list to those that take part, and returns its position.
    fn join(&mut self, list: u64) -> usize {
        self.lists.push(Member { id: list, is_joined: true, signals: Vec::new() });
        self.lists.len() - 1
    }

    /// Adds commands of a list.
    fn add(&mut self, list: u64, commands: Appended) {
        let at = self.place(list).unwrap_or_else(|| self.join(list));
        let mut joins = false;
        for (_, other) in self.lists.iter_mut().enumerate().filter(|(n, _)| *n != at) {
            if commands.waits().any(|completion| has(&other.signals, completion)) {
                (other.is_joined, joins) = (true, true);
            }
        }
        let signal = commands.steps.iter().find_map(|step| match step {
            Step::Run(_, signal) => signal.clone(),
            _ => None,
        });
        let is_work = commands.label.is_some();
        let is_before = |n: &usize| commands.waits().any(|wait| self.nodes[*n].signals(wait));
        let last = self.nodes.iter().rposition(|node| node.list == at);
        let mut after: Vec<usize> = (0..self.nodes.len()).filter(is_before).chain(last).collect();
        after.sort_unstable();
        after.dedup();
        let member = &mut self.lists[at];
        if is_work || joins {
            // Another list must wait for it too. The first list ends the recording.
            member.is_joined = at == 0;
            member.signals.clear();
        }
        member.signals.extend(signal.clone());
        let label = commands.label.unwrap_or("event".into());
        self.nodes.push(Node { label, list: at, signal, after });
        self.renewed.extend(commands.renewed);
        // The order satisfies waits for counter-based events of the graph.
        let renewed = &self.renewed;
        let is_needed = |step: &Step| !matches!(step, Step::Wait(completion) if has(renewed, completion));
        self.steps.extend(commands.steps.into_iter().filter(is_needed));
    }
}

impl Graph {
    /// Creates an empty graph.
    pub(crate) fn new(context: &Handle<Context>) -> Self {
        Self { context: Arc::clone(context), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether there are commands.
    ///
    /// # Errors
    /// Fails for an invalid graph.
    pub(crate) fn is_empty(&self) -> Result<bool> {
        let state = self.state();
        ensure(state.phase != Phase::Invalid, ERROR_INVALID_GRAPH)?;
        Ok(state.nodes.is_empty())
    }

    /// Returns the handle of the list with which the recording began.
    pub(crate) fn primary(&self) -> Result<usize> {
        let state = self.state();
        ensure(!state.lists.is_empty(), ERROR_INVALID_ARGUMENT)?;
        Ok(state.primary)
    }

    /// Adds a function that [`Graph::destroyed`] calls.
    pub(crate) fn on_destruction(&self, call: Destroyed, data: UserData) {
        self.state().callbacks.push((call, data));
    }

    /// Calls the program's functions.
    pub(crate) fn destroyed(&self) {
        let callbacks = std::mem::take(&mut self.state().callbacks);
        for (call, data) in callbacks {
            // SAFETY: the program passed the function and the data for this call.
            unsafe { call(data.0) }
        }
    }

    /// Describes the graph in the language of `dot`.
    pub(crate) fn dot(&self) -> String {
        let state = self.state();
        let mut text = "digraph graph_of_commands {\n".to_owned();
        for (n, node) in state.nodes.iter().enumerate() {
            let label = node.label.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "    n{n} [label=\"{label}\", group={}];", node.list);
            node.after.iter().for_each(|before| {
                let _ = writeln!(text, "    n{before} -> n{n};");
            });
        }
        text + "}\n"
    }
}

/// Instance of a graph that can be executed.
pub(crate) struct Executable {
    pub(crate) source: Handle<Graph>,
    steps: Vec<Step>,
    renewed: Vec<Arc<Completion>>,
    /// End of the last execution. Executions of an instance follow each other.
    last: Mutex<Arc<Completion>>,
}

kind!(Executable);

impl Executable {
    /// Creates an instance of a recorded graph.
    pub(crate) fn new(source: &Handle<Graph>) -> Result<Self> {
        let state = source.state();
        ensure(state.phase == Phase::Recorded, ERROR_INVALID_GRAPH)?;
        let (steps, renewed) = (state.steps.clone(), state.renewed.clone());
        drop(state);
        Ok(Self { source: Arc::clone(source), steps, renewed, last: Mutex::new(Arc::new(Completion::signaled())) })
    }

    /// Returns the steps of an execution.
    pub(crate) fn execution(&self) -> Vec<Step> {
        let end = Arc::new(Completion::default());
        let before = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *last, Arc::clone(&end))
        };
        self.renewed.iter().for_each(|completion| completion.reset());
        let mut steps = vec![Step::Wait(before)];
        steps.extend(self.steps.iter().cloned());
        steps.push(Step::signal(Some(end)));
        steps
    }
}
