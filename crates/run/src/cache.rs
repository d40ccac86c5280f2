//! Cache of lowered programs across launches, and native code for programs that run long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use visakit_native::ir::{Access, Action, Transfer};
use visakit_native::{Code, Level, Refusal};

use crate::starts::Starts;
use visakit_kernels::code::CompiledRoutine;

/// Lowered code of a program, which a launch takes over from the previous launch if it fits.
#[derive(Default)]
pub struct Cache(Mutex<Option<Arc<Lowered>>>);

/// Interpretations per instruction, on average over earlier launches and the rest of the current
/// one, above which native code is compiled. Atomic operations count by channel. Compilation costs
/// about a quarter of that time. With less work left, a launch would lose time.
const WARM: u64 = 4000;

/// Number of instructions that native code executes in about 10 microseconds, which is the time to
/// wake another host thread.
const SMALL: u64 = 10_000;

/// Number of cached group sizes: two launches with partial groups in three dimensions have this
/// many.
pub(super) const SIZES: usize = 16;

/// A lowered program with its key: the size of the payload, and the addresses of the program's
/// symbols.
pub(super) struct Lowered {
    payload: usize,
    symbols: HashMap<String, u64>,
    /// Instruction set level of native code; operations are only recorded if it is present.
    level: Option<Level>,
    pub(super) code: CompiledRoutine,
    /// Number of executed instructions after which native code is compiled.
    warm: u64,
    /// Native code without and with counts, or the reason for its absence.
    native: [OnceLock<Result<Code, Refusal>>; 2],
    is_begun: [AtomicBool; 2],
    /// Number of instructions that launches executed without native code.
    executed: AtomicU64,
    /// Instructions per group in the last launch; 0 before the first.
    each: AtomicU64,
    /// Initial thread states by group size, as requested so far.
    pub(super) starts: Mutex<Vec<Arc<Starts>>>,
}

impl Cache {
    /// Returns the lowered code for a launch, from the cache or from `lower`.
    pub(super) fn get<E>(
        &self,
        payload: usize,
        symbols: &HashMap<String, u64>,
        level: Option<Level>,
        lower: impl FnOnce() -> Result<CompiledRoutine, E>,
    ) -> Result<Arc<Lowered>, E> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |kept: &&Arc<Lowered>| kept.payload == payload && kept.symbols == *symbols && kept.level == level;
        if let Some(kept) = kept.as_ref().filter(is_it) {
            return Ok(Arc::clone(kept));
        }
        let code = lower()?;
        let (native, is_begun, executed, each, starts) = Default::default();
        let (symbols, warm) = (symbols.clone(), warm_after(&code));
        let lowered =
            Arc::new(Lowered { payload, symbols, level, code, warm, native, is_begun, executed, each, starts });
        *kept = Some(Arc::clone(&lowered));
        Ok(lowered)
    }
}

impl Lowered {
    /// Returns the native code, if it has been compiled.
    pub(super) fn native(&self, count: bool) -> Option<&Code> {
        self.native[usize::from(count)].get()?.as_ref().ok()
    }

    /// Returns the reason why the requested native code does not exist.
    pub(super) fn refusal(&self, count: bool) -> Option<Refusal> {
        self.native[usize::from(count)].get()?.as_ref().err().copied()
    }

    /// Compiles native code.
    pub(super) fn compile(&self, count: bool) {
        self.native[usize::from(count)].get_or_init(|| {
            let level = self.level.ok_or(Refusal::Host)?;
            visakit_native::compile(&self.code.native(count), level)
        });
    }

    /// Returns true if `groups` groups, run natively, probably end before another host thread wakes
    /// up.
    pub(super) fn is_small(&self, groups: u64, count: bool) -> bool {
        let each = self.each.load(Relaxed);
        each > 0 && each.saturating_mul(groups) < SMALL && self.native(count).is_some()
    }

    /// Notes the size of a completed launch of `groups` groups.
    pub(super) fn note_size(&self, instructions: u64, groups: u64) {
        self.each.store(instructions.checked_div(groups).unwrap_or(0), Relaxed);
    }

    /// Notes the number of instructions that a completed launch has interpreted.
    pub(super) fn note_interpreted(&self, instructions: u64) {
        self.executed.fetch_add(instructions, Relaxed);
    }

    /// Compiles native code, unless a thread has begun to, if a launch with `rest` remaining
    /// instructions is worth it. Earlier launches count, because they are likely to recur. The
    /// finished part of this launch does not count, otherwise a nearly complete launch would
    /// compile for nothing.
    ///
    /// The calling thread waits, so that its processor compiles; the launch's other threads
    /// continue. Compilation runs on a separate thread because the caller's stack may be small.
    pub(super) fn warm(&self, rest: u64, count: bool) {
        let is_enough = self.executed.load(Relaxed).saturating_add(rest) >= self.warm;
        if is_enough && !self.is_begun[usize::from(count)].swap(true, Relaxed) {
            std::thread::scope(|scope| {
                // If the system provides no more threads, the program is interpreted.
                let thread = std::thread::Builder::new().spawn_scoped(scope, || self.compile(count));
                let _ = thread.map(|thread| thread.join());
            });
        }
    }
}

/// Returns the number of executed instructions after which a routine is compiled.
fn warm_after(code: &CompiledRoutine) -> u64 {
    let steps = code.steps.len() as u64;
    let updates = code.actions.iter().zip(&code.marks).filter_map(|(action, mark)| match action {
        Action::Transfer(Transfer { access: Access::Update(_), .. }) => Some(mark.enable.lanes),
        _ => None,
    });
    let work = updates.fold(steps, |work, lanes| work + u64::from(lanes.count_ones()));
    // The interpreter's time per instruction grows by `work / steps`.
    WARM.saturating_mul(steps).saturating_mul(steps).checked_div(work).unwrap_or(0)
}
