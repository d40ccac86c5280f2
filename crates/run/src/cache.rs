//! Cache of lowered programs across launches, and native code for programs that run long.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use visakit_native::ir::{Access, Action, InitialRamp, Transfer};
use visakit_native::{Code, Level, Refusal};

use crate::starts::{Lines, Starts, VARIANTS, VERSIONS, Variant};
use visakit_kernels::code::CompiledRoutine;
use visakit_launch::payload::{Layout, Payload};
use visakit_launch::range::NdRange;

/// Results of a program's launches for later ones: the lowered code, which fits most of them, and
/// the layout of the payload.
#[derive(Default)]
pub struct Cache {
    lowered: Mutex<Option<Arc<Lowered>>>,
    layout: OnceLock<Layout>,
}

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
    /// The kernel, then its functions.
    parts: Vec<Part>,
    /// Local ids that are ramps in some launches.
    ramps: Vec<InitialRamp>,
    /// Native code of each variant.
    native: [Native; VARIANTS],
    /// Number of instructions that launches executed without native code.
    executed: AtomicU64,
    /// Instructions per group in the last launch; 0 before the first.
    each: AtomicU64,
    /// Initial thread states by group size, as requested so far.
    pub(super) starts: Mutex<Vec<Arc<Starts>>>,
}

/// The kernel or a function.
struct Part {
    /// Number of executed instructions after which it is compiled.
    warm: u64,
    /// True if a thread has called it.
    is_entered: AtomicBool,
}

/// The versions of native code.
#[derive(Default)]
struct Native {
    /// Each version, or the reason for its absence.
    versions: [OnceLock<Result<Code, Refusal>>; VERSIONS],
    begun: Mutex<Begun>,
}

/// The last version whose compilation has begun.
#[derive(Clone, Copy, Default)]
struct Begun {
    /// Number of versions so far.
    count: usize,
    /// Number of its parts.
    parts: usize,
    /// Value of [`Lowered::executed`] when it began.
    executed: u64,
}

impl Cache {
    /// Returns the layout of the payload, from the cache or from `check`.
    pub(super) fn layout<E>(&self, check: impl FnOnce() -> Result<Layout, E>) -> Result<Layout, E> {
        match self.layout.get() {
            Some(layout) => Ok(*layout),
            None => check().inspect(|layout| _ = self.layout.set(*layout)),
        }
    }

    /// Returns the lowered code for a launch, from the cache or from `lower`.
    pub(super) fn get<E>(
        &self,
        payload: usize,
        symbols: &HashMap<String, u64>,
        level: Option<Level>,
        lower: impl FnOnce() -> Result<(CompiledRoutine, Vec<InitialRamp>), E>,
    ) -> Result<Arc<Lowered>, E> {
        let mut kept = self.lowered.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |kept: &&Arc<Lowered>| kept.payload == payload && kept.symbols == *symbols && kept.level == level;
        if let Some(kept) = kept.as_ref().filter(is_it) {
            return Ok(Arc::clone(kept));
        }
        let (code, ramps) = lower()?;
        let (native, executed, each, starts) = Default::default();
        let (symbols, parts) = (symbols.clone(), parts(&code));
        let lowered =
            Arc::new(Lowered { payload, symbols, level, code, parts, ramps, native, executed, each, starts });
        *kept = Some(Arc::clone(&lowered));
        Ok(lowered)
    }
}

impl Lowered {
    /// Returns the newest native code, with the number of its version.
    pub(super) fn native(&self, variant: Variant) -> Option<(usize, &Code)> {
        let versions = self.native[variant.index()].versions.iter().enumerate().rev();
        versions.into_iter().find_map(|(version, code)| Some((version, code.get()?.as_ref().ok()?)))
    }

    /// Returns the reason why there is no native code that was requested.
    pub(super) fn refusal(&self, variant: Variant) -> Option<Refusal> {
        let mut versions = self.native[variant.index()].versions.iter().filter_map(OnceLock::get);
        versions.find_map(|code| code.as_ref().err().copied()).filter(|_| self.native(variant).is_none())
    }

    /// Compiles native code for the whole program.
    pub(super) fn compile(&self, variant: Variant) {
        self.compile_version(VERSIONS - 1, &vec![true; self.parts.len()], variant);
    }

    fn compile_version(&self, version: usize, parts: &[bool], variant: Variant) {
        self.native[variant.index()].versions[version].get_or_init(|| {
            let level = self.level.ok_or(Refusal::Host)?;
            let mut routine = self.code.native(variant.counts, |function| parts[function + 1]);
            routine.ramps = match variant.lines {
                Lines::Unknown => Vec::new(),
                Lines::Halves => self.ramps.iter().flat_map(InitialRamp::halves).collect(),
                Lines::Whole => self.ramps.clone(),
            };
            visakit_native::compile(&routine, level)
        });
    }

    /// Returns the variant of native code for the launches of a range.
    pub(super) fn variant(&self, payload: &Payload, range: &NdRange, order: [u32; 3], counts: bool) -> Variant {
        let channels = self.ramps.first().map_or(0, |row| row.lanes);
        let lines = match payload.line(range, order) {
            line if line == channels => Lines::Whole,
            16 if channels == 32 => Lines::Halves,
            _ => Lines::Unknown,
        };
        Variant { counts, lines }
    }

    /// Returns true if `groups` groups, run natively, probably end before another host thread wakes
    /// up.
    pub(super) fn is_small(&self, groups: u64, variant: Variant) -> bool {
        let each = self.each.load(Relaxed);
        each > 0 && each.saturating_mul(groups) < SMALL && self.native(variant).is_some()
    }

    /// Notes the size of a completed launch of `groups` groups.
    pub(super) fn note_size(&self, instructions: u64, groups: u64) {
        self.each.store(instructions.checked_div(groups).unwrap_or(0), Relaxed);
    }

    /// Notes the number of instructions that a completed launch has interpreted.
    pub(super) fn note_interpreted(&self, instructions: u64) {
        self.executed.fetch_add(instructions, Relaxed);
    }

    /// Notes that a thread has called a function.
    #[inline]
    pub(super) fn note_entered(&self, function: usize) {
        let is_entered = &self.parts[function + 1].is_entered;
        if !is_entered.load(Relaxed) {
            is_entered.store(true, Relaxed);
        }
    }

    /// Compiles native code, unless a thread has begun to, if a launch with `rest` remaining
    /// instructions is worth it. Earlier launches count, because they are likely to recur. The
    /// finished part of this launch does not count, otherwise a nearly complete launch would
    /// compile for nothing.
    ///
    /// The calling thread waits, so that its processor compiles; the launch's other threads
    /// continue. Compilation runs on a separate thread because the caller's stack may be small.
    pub(super) fn warm(&self, rest: u64, variant: Variant) {
        if let Some((version, parts)) = self.due(rest, variant) {
            std::thread::scope(|scope| {
                let compile = || self.compile_version(version, &parts, variant);
                // If the system provides no more threads, the program is interpreted.
                let thread = std::thread::Builder::new().spawn_scoped(scope, compile);
                let _ = thread.map(|thread| thread.join());
            });
        }
    }

    /// Returns the version that is to be compiled now, and which parts of the program it has. With
    /// all parts it is the last.
    fn due(&self, rest: u64, variant: Variant) -> Option<(usize, Vec<bool>)> {
        let native = &self.native[variant.index()];
        // A thread that compiles holds no lock; one that looks need not wait.
        let mut begun = native.begun.try_lock().ok()?;
        (begun.count < VERSIONS).then_some(())?;
        let parts: Vec<bool> = self.parts.iter().map(|part| part.is_entered.load(Relaxed)).collect();
        let entered = parts.iter().filter(|is_entered| **is_entered).count();
        let is_refused = || native.versions.iter().any(|code| matches!(code.get(), Some(Err(_))));
        (entered > begun.parts && !is_refused()).then_some(())?;
        let executed = self.executed.load(Relaxed);
        let warm = self.parts.iter().zip(&parts).filter(|(_, is_entered)| **is_entered).map(|(part, _)| part.warm);
        (executed.saturating_sub(begun.executed).saturating_add(rest) >= warm.sum()).then_some(())?;
        let version = if entered == parts.len() { VERSIONS - 1 } else { begun.count };
        *begun = Begun { count: version + 1, parts: entered, executed };
        Some((version, parts))
    }
}

/// Returns the kernel and its functions.
fn parts(code: &CompiledRoutine) -> Vec<Part> {
    let first = code.functions.first().map_or(code.blocks.len() as u32, |function| function.blocks.start);
    let functions = code.functions.iter().map(|function| function.blocks.clone());
    let part = |(n, blocks): (usize, Range<u32>)| {
        let steps =
            |block: u32| code.blocks.get(block as usize).map_or(code.steps.len(), |block| block.first as usize);
        let warm = warm_after(code, steps(blocks.start)..steps(blocks.end));
        Part { warm, is_entered: AtomicBool::new(n == 0) }
    };
    std::iter::once(0..first).chain(functions).enumerate().map(part).collect()
}

/// Returns the number of executed instructions after which steps are compiled.
fn warm_after(code: &CompiledRoutine, range: Range<usize>) -> u64 {
    let steps = range.len() as u64;
    let updates =
        code.actions[range.clone()].iter().zip(&code.marks[range]).filter_map(|(action, mark)| match action {
            Action::Transfer(Transfer { access: Access::Update(_), .. }) => Some(mark.enable.lanes),
            _ => None,
        });
    let work = updates.fold(steps, |work, lanes| work + u64::from(lanes.count_ones()));
    // The interpreter's time per instruction grows by `work / steps`.
    WARM.saturating_mul(steps).saturating_mul(steps).checked_div(work).unwrap_or(0)
}
