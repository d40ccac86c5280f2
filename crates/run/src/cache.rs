//! Lowered programs, kept from one launch to the next, and native code for those that run for long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use visakit_native::{Code, Level, Refusal};

use crate::plan::Plan;
use crate::start::Starts;
use visakit_kernels::code::CompiledRoutine;

/// The lowered code of one program, which each launch takes from the last one where it fits.
#[derive(Default)]
pub struct Cache(Mutex<Option<Arc<Lowered>>>);

/// How often the instructions of a program are interpreted, in the mean, by what it has done before
/// and by what a launch still has to do, for native code to be made of them. Making it takes about
/// a quarter of that, mostly from a core that is at work, and until then all goes on slowly: with
/// less to do a launch would only lose by it.
const WARM: u64 = 4000;

/// Native code does so many instructions in some 10 microseconds, in which another host thread may
/// have been woken.
const SMALL: u64 = 10_000;

/// So many sizes of groups are kept: two launches with groups that are cut off in three dimensions
/// have as many.
const SIZES: usize = 16;

/// A lowered program, and what it was made for: the size of the payload, and the addresses of the
/// program's symbols.
pub(super) struct Lowered {
    payload: usize,
    symbols: HashMap<String, u64>,
    /// What native code may be made of; only then were operations recorded.
    level: Option<Level>,
    pub(super) code: CompiledRoutine,
    /// Native code, without counts and with them, or why there is none.
    native: [OnceLock<Result<Code, Refusal>>; 2],
    is_begun: [AtomicBool; 2],
    /// Instructions that launches executed without it.
    executed: AtomicU64,
    /// How many instructions a group had in the last launch; 0 before the first.
    each: AtomicU64,
    /// The ways in which threads start, by the size of their group, as far as they have been asked
    /// for.
    starts: Mutex<Vec<Arc<Starts>>>,
}

impl Cache {
    /// The lowered code for a launch: what is there, or what `lower` makes.
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
        let symbols = symbols.clone();
        let lowered = Arc::new(Lowered { payload, symbols, level, code, native, is_begun, executed, each, starts });
        *kept = Some(Arc::clone(&lowered));
        Ok(lowered)
    }
}

impl Lowered {
    /// The native code, if it has been made.
    pub(super) fn native(&self, count: bool) -> Option<&Code> {
        self.native[usize::from(count)].get()?.as_ref().ok()
    }

    /// Returns why there is no native code, if it was asked for.
    pub(super) fn refusal(&self, count: bool) -> Option<Refusal> {
        self.native[usize::from(count)].get()?.as_ref().err().copied()
    }

    /// Makes native code.
    pub(super) fn compile(&self, count: bool) {
        self.native[usize::from(count)].get_or_init(|| {
            let level = self.level.ok_or(Refusal::Host)?;
            visakit_native::compile(&self.code.native(count), level)
        });
    }

    /// Whether so many groups are likely to be done, natively, before another host thread has been
    /// woken.
    pub(super) fn is_small(&self, groups: u64, count: bool) -> bool {
        let each = self.each.load(Relaxed);
        each > 0 && each.saturating_mul(groups) < SMALL && self.native(count).is_some()
    }

    /// Takes note of what a launch of so many groups has done.
    pub(super) fn note_size(&self, instructions: u64, groups: u64) {
        self.each.store(instructions.checked_div(groups).unwrap_or(0), Relaxed);
    }

    /// How the threads of groups of some size start in a launch.
    pub(super) fn starts(&self, plan: &Plan<'_>, size: [u32; 3]) -> Arc<Starts> {
        let mut all = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.iter().find(|starts| starts.is_for(plan, size)) {
            return Arc::clone(known);
        }
        let new = Arc::new(Starts::new(plan, size));
        if all.len() == SIZES {
            all.remove(0);
        }
        all.push(Arc::clone(&new));
        new
    }

    /// Takes note of instructions that a launch has interpreted, when it is done.
    pub(super) fn note_interpreted(&self, instructions: u64) {
        self.executed.fetch_add(instructions, Relaxed);
    }

    /// Has native code made beside, unless it is being made, if a launch that still has so many
    /// instructions to execute is worth it. What was launched before is likely to be launched
    /// again, so that counts, too; what this launch itself has done does not, or one that is nearly
    /// through would have it made for nothing.
    pub(super) fn warm(self: &Arc<Self>, rest: u64, count: bool) {
        let enough = WARM.saturating_mul(self.code.steps.len() as u64);
        let is_enough = self.executed.load(Relaxed).saturating_add(rest) >= enough;
        if is_enough && !self.is_begun[usize::from(count)].swap(true, Relaxed) {
            let lowered = Arc::clone(self);
            // Where the system gives no more threads the program is interpreted.
            let _ = std::thread::Builder::new().spawn(move || lowered.compile(count));
        }
    }
}
