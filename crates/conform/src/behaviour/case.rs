//! Execution of one instruction by its page and by its kernel, from the same initial state.

use visakit::isa::{Instruction, Platform};
use visakit::object::Routine;
use visakit::rt::FieldRef;
use visakit_codegen::model::{Model, SourceSpan};
use visakit_emulator::machine::access::MissKind;
use visakit_emulator::machine::fault::Trap;
use visakit_emulator::machine::thread::Thread;
use visakit_oracle::stage::{Kernel, Stage};
use visakit_oracle::{Effects, Halt, Program, Refusal, Sent, Target, Touches};

use super::pool::{Pool, Random};
use super::wrong::{Change, Slip, Wrong};
use super::yard::Yard;

/// Text for channels that do not branch.
const ON: &str = "all channels continue";

/// Bytes of a NaN: as one 32-bit float, as two 16-bit floats, and as the upper half of a 64-bit
/// float.
const NAN: [u8; 4] = [0xc1, 0x7f, 0xc0, 0x7f];

/// Number of channels of a thread.
const CHANNELS: usize = 32;

/// Routine whose instructions are compared.
pub(super) struct Subject<'a> {
    pub(super) model: &'a Model,
    pub(super) routine: &'a Routine,
    pub(super) platform: Platform,
    pub(super) stage: Stage<'a>,
    /// Thread states: before execution, after the page and after the kernel.
    pub(super) threads: [Thread; 3],
    wrong: Option<Wrong>,
    /// True once the wrong kernel has changed a result.
    pub(super) spoiled: bool,
    /// Memory for the page's run and for the kernel's run.
    pub(super) yards: [Yard; 2],
    pub(super) pool: &'a Pool,
}

/// Instruction that is bound and lowered.
pub(super) struct Bound {
    pub(super) program: Program,
    /// Kinds of memory that the page or the kernel may access.
    pub(super) touches: Touches,
    kernel: Result<Kernel, String>,
    is_wrong: bool,
}

impl Bound {
    pub(super) fn channels(&self) -> u32 {
        self.program.channels()
    }
}

/// Returns the kinds of memory that an instruction accesses according to its page. If the page
/// names none for a message, the kernel may access any of them.
fn reach(program: &Program, instruction: &Instruction) -> Touches {
    use Instruction as I;
    let said = program.touches();
    if said != Touches::default() {
        return said;
    }
    let image = matches!(instruction, I::Scatter4Typed(_) | I::TypedAtomic(_) | I::LscTyped(_) | I::MediaSt(_));
    let is_message = instruction.operands().any(|operand| matches!(operand.value, FieldRef::Raw(_)));
    let is_matrix = matches!(instruction, I::Dpas(_) | I::Dpasw(_) | I::Bdpas(_));
    Touches { image, surface: is_message && !is_matrix, ..said }
}

/// Outcome of a case.
pub(super) enum Compared {
    /// Page and kernel agree.
    Same,
    /// The page does not define the result.
    Undefined,
    /// Page and kernel both stop the thread.
    Stopped,
    /// Page and kernel differ.
    Differs(Place),
}

/// Difference between page and kernel.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Register or other state that differs, if known.
    pub(super) target: Option<Target>,
    /// Values of the page and of the kernel, or their errors.
    pub(super) sides: [String; 2],
    /// Statement of the page that wrote the value.
    pub(super) at: Option<SourceSpan>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        model: &'a Model,
        routine: &'a Routine,
        platform: Platform,
        wrong: Option<Wrong>,
        pool: &'a Pool,
    ) -> Result<Self, String> {
        let stage = Stage::new(routine, platform)?;
        let thread = stage.thread(CHANNELS);
        let threads = [thread.clone(), thread.clone(), thread];
        Ok(Self {
            model,
            routine,
            platform,
            stage,
            threads,
            wrong,
            spoiled: false,
            yards: [Yard::new(), Yard::new()],
            pool,
        })
    }

    /// Binds an instruction of the routine. Returns `None` if the routine has no room for its
    /// constants.
    pub(super) fn bind(&mut self, at: usize) -> Result<Option<Bound>, Refusal> {
        self.bind_one(&self.routine.instructions[at])
    }

    pub(super) fn bind_one(&self, instruction: &Instruction) -> Result<Option<Bound>, Refusal> {
        let program = self.stage.by_page(self.model, instruction)?;
        let kernel = match self.stage.by_kernel(instruction) {
            Ok(Some(kernel)) => Ok(kernel),
            Ok(None) => return Ok(None),
            Err(why) => Err(why.to_string()),
        };
        let is_wrong = self.wrong.is_some_and(|wrong| wrong.page == instruction.page().name);
        let touches = reach(&program, instruction);
        Ok(Some(Bound { program, touches, kernel, is_wrong }))
    }

    /// Fills the state from a seed, then runs page and kernel.
    pub(super) fn compare(&mut self, bound: &mut Bound, seed: u64) -> Compared {
        self.fill(seed);
        self.aim(bound, seed);
        self.run(bound)
    }

    /// Runs page and kernel from the current state.
    pub(super) fn run(&mut self, bound: &Bound) -> Compared {
        // The kernel rejects an invalid instruction; there is nothing to compare.
        let Ok(kernel) = &bound.kernel else { return Compared::Undefined };
        let Self { threads: [before, by_page, by_kernel], stage, yards, spoiled, pool, .. } = self;
        copy(before, by_page, stage);
        let has_memory = bound.touches != Touches::default();
        if has_memory {
            fill_memory(yards, pool, before, bound.touches);
        }
        kernel.prepare(by_page);
        let neighbour = bound.program.wants_neighbour().then(|| beside(before));
        let page = bound.program.run_beside(by_page, neighbour.as_ref(), &yards[0].world());
        copy(before, by_kernel, stage);
        let mistaken = self.wrong.filter(|_| bound.is_wrong).is_some_and(|wrong| yards[1].mistake(wrong.how));
        let result = kernel.run_beside(by_kernel, neighbour.as_ref(), &yards[1].world());
        *spoiled |= mistaken && result.is_ok();
        // The machine, not the kernel, writes this address register.
        if let Some(at) = bound.program.enabled_at() {
            by_kernel.registers.set(at, by_kernel.active);
        }
        let sent = kernel.sends(by_kernel, stage);
        let (result, sent) = match (result, sent) {
            (Ok(()), Ok(sent)) => (Ok(()), sent),
            (Err(trap), _) | (_, Err(trap)) => (Err(trap), None),
        };
        let effects = match outcome(page, result) {
            Ok(effects) => effects,
            Err(compared) => return compared,
        };
        if bound.is_wrong
            && let Some(Wrong { how: Slip::Result(change), .. }) = self.wrong
        {
            *spoiled |= spoil(change, &effects, before, by_kernel);
            *spoiled |= has_memory && yards[1].spoil(change);
        }
        let change = self.wrong.filter(|_| bound.is_wrong).map(|wrong| wrong.how);
        let sent = match (sent, change) {
            (Some(sent), Some(Slip::Result(change))) => {
                let channels = change(0, sent.channels.into(), 4, 0) as u32;
                *spoiled |= channels != sent.channels;
                Some(Sent { channels, ..sent })
            }
            (sent, _) => sent,
        };
        if let Some(differs) = sent_elsewhere(&effects, sent) {
            return differs;
        }
        if let Some(place) = first_difference(&effects, by_page, by_kernel, stage) {
            return Compared::Differs(place);
        }
        let floats = bound.touches.floats;
        // If several channels write the same address, the surviving value is undefined.
        match self.yards[0].difference(&self.yards[1], floats).filter(|_| has_memory && !effects.clashes) {
            Some(sides) => differs(None, sides, None),
            None => Compared::Same,
        }
    }
}

/// Fills both memories. Their contents are part of the state; the seed derives from the registers.
fn fill_memory(yards: &mut [Yard; 2], pool: &Pool, before: &Thread, touches: Touches) {
    let seed = numbers(before.registers.bytes(0)).fold(before.active.into(), |seed, n| Random(seed ^ n).next());
    let images = if touches.image { Yard::images(seed) } else { Vec::new() };
    let mut bytes = Yard::bytes(pool, seed, !images.is_empty());
    // Small numbers make equal values likely in atomic comparisons.
    if touches.atomic && touches.image && seed.is_multiple_of(2) {
        bytes.chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&[word[0] % 3, 0, 0, 0]));
    }
    // Zeros of both signs are equal only as floats.
    if touches.atomic && !touches.image && seed.is_multiple_of(4) {
        bytes.chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&[0, 0, 0, word[0] << 7]));
    }
    // A NaN beside a number tests which of the two an atomic minimum or maximum returns.
    if touches.atomic && !touches.image && seed % 4 == 1 {
        bytes.chunks_exact_mut(8).for_each(|pair| pair[4..].copy_from_slice(&NAN));
    }
    yards.iter_mut().for_each(|yard| yard.fill(&bytes, &images));
}

/// Returns the effects of the page if both ran to their end, otherwise the result of the case.
fn outcome(page: Result<Effects, Halt>, kernel: Result<(), Box<Trap>>) -> Result<Effects, Compared> {
    Err(match (page, kernel) {
        (Err(Halt::Undefined(_)), _) => Compared::Undefined,
        (Err(Halt::Trap(_)), Err(_)) => Compared::Stopped,
        // An address outside its variable or with the wrong alignment has undefined effects.
        (Err(Halt::Trap(trap)), Ok(())) if is_undefined(&trap) => Compared::Undefined,
        (Ok(_), Err(trap)) if is_undefined(&trap) => Compared::Undefined,
        (Ok(effects), _) if effects.around => Compared::Undefined,
        (Ok(effects), Ok(())) => return Ok(effects),
        (Ok(_), Err(trap)) => differs(None, ["executed".to_owned(), trap.to_string()], None),
        (Err(halt), Ok(())) => differs(None, [halt.to_string(), "executed".to_owned()], None),
        (Err(halt), Err(trap)) => differs(None, [halt.to_string(), trap.to_string()], None),
    })
}

/// Returns the difference if the page and the kernel send channels to different places.
fn sent_elsewhere(effects: &Effects, sent: Option<Sent>) -> Option<Compared> {
    if effects.going.iter().map(|going| &going.sent).eq(&sent) {
        return None;
    }
    let going: Vec<_> = effects.going.iter().map(|going| going.sent.to_string()).collect();
    let page = if going.is_empty() { ON.to_owned() } else { going.join(", ") };
    let kernel = sent.map_or(ON.to_owned(), |sent| sent.to_string());
    Some(differs(None, [page, kernel], effects.going.first().map(|going| going.at)))
}

/// Returns a neighbouring thread with different register contents.
fn beside(thread: &Thread) -> Thread {
    let mut neighbour = thread.clone();
    let bytes = neighbour.registers.bytes_mut(0);
    bytes.rotate_left(104.min(bytes.len()));
    neighbour
}

/// Returns a sample of the numbers in registers. The first registers are skipped because the null
/// variable, always zero, is stored there.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().step_by(9).take(32).map(|number| u64::from_le_bytes(*number))
}

fn copy(from: &Thread, to: &mut Thread, stage: &Stage<'_>) {
    let bytes = stage.register_bytes();
    to.registers.bytes_mut(0)[..bytes].copy_from_slice(&from.registers.bytes(0)[..bytes]);
    to.predicates.copy_from_slice(&from.predicates);
    stage.addresses().for_each(|at| to.registers.set(at, from.registers.get::<u32>(at)));
    to.surfaces.copy_from_slice(&from.surfaces);
    (to.active, to.mode, to.plain, to.executed) = (from.active, from.mode, from.plain, from.executed);
}

/// Returns true if the condition that causes a trap has undefined behaviour.
fn is_undefined(trap: &Trap) -> bool {
    match trap {
        Trap::Indirect { .. } => true,
        Trap::Access(miss) => miss.kind == MissKind::Misaligned,
        _ => false,
    }
}

fn differs(target: Option<Target>, sides: [String; 2], at: Option<SourceSpan>) -> Compared {
    Compared::Differs(Place { target, sides, at })
}

/// Returns the first difference between two threads that the page does not allow.
fn first_difference(effects: &Effects, page: &Thread, kernel: &Thread, stage: &Stage<'_>) -> Option<Place> {
    let bytes = stage.register_bytes();
    let place = |target, sides, at| Some(Place { target: Some(target), sides, at });
    let (left, right) = (&page.registers.bytes(0)[..bytes], &kernel.registers.bytes(0)[..bytes]);
    let mut from = 0;
    while from < bytes && left[from..] != right[from..] {
        let at = from + left[from..].iter().zip(&right[from..]).position(|(a, b)| a != b)?;
        let covers = |target: Target| match target {
            Target::Register(first, count) => (first as usize..(first + count) as usize).contains(&at),
            _ => false,
        };
        let write = effects.writes.iter().rev().find(|write| covers(write.target));
        let (first, count) = match write.map(|w| w.target) {
            Some(Target::Register(first, count)) => (first as usize, count as usize),
            _ => (at, 1),
        };
        let number = |side: &[u8]| {
            let mut whole = [0; 8];
            whole[..count].copy_from_slice(&side[first..first + count]);
            u64::from_le_bytes(whole)
        };
        if !write.is_some_and(|write| write.allowed.accepts(number(right))) {
            let digits = count * 2;
            let shown = |n: u64| format!("0x{n:0digits$x}");
            let target = Target::Register(first as u32, count as u32);
            return place(target, [shown(number(left)), shown(number(right))], write.map(|w| w.at));
        }
        from = first + count;
    }
    let wrote = |target| effects.writes.iter().rev().find(|w| w.target == target).map(|w| w.at);
    let words = |a: &[u32], b: &[u32]| {
        let at = a.iter().zip(b).position(|(a, b)| a != b)?;
        Some((at as u32, a[at], b[at]))
    };
    if let Some((n, a, b)) = words(&page.predicates, &kernel.predicates) {
        let target = Target::Predicate(n, (a ^ b).trailing_zeros());
        return place(target, [format!("{a:#b}"), format!("{b:#b}")], wrote(target));
    }
    let both = |at: u32| [page, kernel].map(|thread| thread.registers.get::<u32>(at));
    if let Some(at) = stage.addresses().find(|at| both(*at)[0] != both(*at)[1]) {
        let target = Target::Address(at);
        return place(target, both(at).map(|address| format!("{address:#x}")), wrote(target));
    }
    if let Some((n, a, b)) = words(&page.surfaces, &kernel.surfaces) {
        let target = Target::State(n);
        return place(target, [a.to_string(), b.to_string()], wrote(target));
    }
    (page.mode != kernel.mode).then(|| Place {
        target: None,
        sides: [format!("{:?}", page.mode), format!("{:?}", kernel.mode)],
        at: None,
    })
}

/// Changes a kernel's results where its page writes. Returns true if any value changed.
fn spoil(change: Change, effects: &Effects, before: &Thread, kernel: &mut Thread) -> bool {
    let mut spoiled = false;
    for (nth, write) in effects.writes.iter().enumerate() {
        let nth = nth as u32;
        match write.target {
            Target::Register(at, count) => {
                let number = |thread: &Thread| {
                    let mut whole = [0; 8];
                    whole[..count as usize].copy_from_slice(&thread.registers.bytes(at)[..count as usize]);
                    u64::from_le_bytes(whole)
                };
                let changed = change(number(before), number(kernel), count, nth);
                spoiled |= changed << (64 - count * 8) != number(kernel) << (64 - count * 8);
                kernel.registers.bytes_mut(at)[..count as usize]
                    .copy_from_slice(&changed.to_le_bytes()[..count as usize]);
            }
            Target::Predicate(number, bit) => {
                let of = |thread: &Thread| u64::from(thread.predicates[number as usize] >> bit & 1);
                let changed = change(of(before), of(kernel), 1, nth);
                spoiled |= changed & 1 != of(kernel);
                kernel.set_predicate(number, bit, 1, changed as u32 & 1);
            }
            Target::Address(at) => {
                let of = |thread: &Thread| u64::from(thread.registers.get::<u32>(at));
                let changed = change(of(before), of(kernel), 4, nth) as u32;
                spoiled |= u64::from(changed) != of(kernel);
                kernel.registers.set(at, changed);
            }
            Target::State(element) => {
                let of = |thread: &Thread| u64::from(thread.surfaces[element as usize]);
                let changed = change(of(before), of(kernel), 4, nth) as u32;
                spoiled |= u64::from(changed) != of(kernel);
                kernel.surfaces[element as usize] = changed;
            }
        }
    }
    spoiled
}
