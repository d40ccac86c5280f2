//! One instruction executed by its page and by its kernel, from one state.

use visakit::isa::{Cr0, Cr0Rounding, Instruction, Platform, predefined};
use visakit::object::Routine;
use visakit::rt::Bits as _;
use visakit_codegen::model::{Model, SourceSpan};
use visakit_emulator::machine::access::MissKind;
use visakit_emulator::machine::fault::Trap;
use visakit_emulator::machine::thread::Thread;
use visakit_oracle::stage::{Kernel, Stage};
use visakit_oracle::{Effects, Halt, Program, Refusal, Target, Touches};

use super::yard::{BYTES, Yard};

/// Channels of a thread.
const CHANNELS: usize = 32;

/// A kernel that is wrong on purpose: what it leaves in a register is changed where this says so.
#[derive(Clone, Copy, Debug)]
pub struct Wrong {
    /// The page whose kernel it is.
    pub page: &'static str,
    /// What happens to the bits of a result.
    pub change: fn(old: u64, new: u64, bytes: u32, nth: u32) -> u64,
}

/// A routine whose instructions are compared.
pub(super) struct Subject<'a> {
    pub(super) model: &'a Model,
    pub(super) routine: &'a Routine,
    pub(super) platform: Platform,
    pub(super) stage: Stage<'a>,
    /// The state before, after the page and after the kernel.
    pub(super) threads: [Thread; 3],
    wrong: Option<Wrong>,
    /// Whether the wrong kernel has left anything wrong.
    pub(super) spoiled: bool,
    /// The memory of the page and of the kernel.
    yards: [Yard; 2],
}

/// An instruction, bound and lowered.
pub(super) struct Bound {
    pub(super) program: Program,
    kernel: Result<Kernel, String>,
    is_wrong: bool,
}

impl Bound {
    pub(super) fn channels(&self) -> u32 {
        self.program.channels()
    }
}

/// What came of a case.
pub(super) enum Compared {
    /// The same.
    Same,
    /// The page does not say what happens.
    Undefined,
    /// Both stop the thread.
    Stopped,
    /// Something else.
    Differs(Place),
}

/// What differs.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Where.
    pub(super) target: Option<Target>,
    /// What the page and the kernel left there, or why they stopped.
    pub(super) sides: [String; 2],
    /// The statement of the page, if one wrote there.
    pub(super) at: Option<SourceSpan>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        model: &'a Model,
        routine: &'a Routine,
        platform: Platform,
        wrong: Option<Wrong>,
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
        })
    }

    /// Binds an instruction of the routine; nothing where it does not end behind itself.
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
        Ok(Some(Bound { program, kernel, is_wrong }))
    }

    /// Fills the state by a seed and runs both.
    pub(super) fn compare(&mut self, bound: &mut Bound, seed: u64) -> Compared {
        self.fill(seed);
        self.aim(bound, seed);
        self.run(bound)
    }

    /// Lets registers have addresses and offsets of the memory that there is, where the instruction wants such.
    pub(super) fn aim(&mut self, bound: &Bound, seed: u64) {
        let touches = bound.program.touches();
        if touches == Touches::default() {
            return;
        }
        let mut random = Random(!seed);
        let width = if touches.flat { 8 } else { 4 };
        let bytes = self.stage.register_bytes();
        let registers = &mut self.threads[0].registers.bytes_mut(0)[..bytes];
        // Registers of data stay as they are.
        for register in registers.chunks_mut(64) {
            if random.next().is_multiple_of(4) {
                continue;
            }
            let (buffer, spread) = (random.next(), [BYTES + 16, BYTES / 16][random.below(2)]);
            let odd = if random.next().is_multiple_of(8) { 0 } else { 7 };
            // Some messages add offsets to one address.
            let base =
                if touches.flat && !random.next().is_multiple_of(3) { self.yards[0].address(buffer) } else { 0 };
            for element in register.chunks_exact_mut(width) {
                let offset = (random.next() % spread) & !odd;
                let value = base + offset;
                element.copy_from_slice(&value.to_le_bytes()[..width]);
            }
        }
        self.clear_null();
    }

    /// Runs both from the state that there is.
    pub(super) fn run(&mut self, bound: &Bound) -> Compared {
        // What no instruction should be is not what kernels are compared for.
        let Ok(kernel) = &bound.kernel else { return Compared::Undefined };
        let Self { threads: [before, by_page, by_kernel], stage, yards, spoiled, .. } = self;
        copy(before, by_page, stage);
        let has_memory = bound.program.touches() != Touches::default();
        if has_memory {
            yards.iter().for_each(|yard| yard.fill(before.executed));
        }
        kernel.prepare(by_page);
        let page = bound.program.run(by_page, &yards[0].world());
        copy(before, by_kernel, stage);
        let result = kernel.run(by_kernel, &yards[1].world());
        let effects = match (page, result) {
            (Err(Halt::Undefined(_)), _) => return Compared::Undefined,
            (Err(Halt::Trap(_)), Err(_)) => return Compared::Stopped,
            // Addresses must lie in their variables, and be multiples of what pages say: what else happens nobody says.
            (Err(Halt::Trap(trap)), Ok(())) if is_undefined(&trap) => return Compared::Undefined,
            (Ok(_), Err(trap)) if is_undefined(&trap) => return Compared::Undefined,
            (Ok(effects), Ok(())) => effects,
            (Ok(_), Err(trap)) => return differs(None, ["executed".to_owned(), trap.to_string()], None),
            (Err(halt), Ok(())) => return differs(None, [halt.to_string(), "executed".to_owned()], None),
            (Err(halt), Err(trap)) => return differs(None, [halt.to_string(), trap.to_string()], None),
        };
        if bound.is_wrong
            && let Some(wrong) = self.wrong
        {
            *spoiled |= spoil(wrong, &effects, before, by_kernel);
            *spoiled |= has_memory && yards[1].spoil(before.executed, wrong.change);
        }
        if let Some(place) = first_difference(&effects, by_page, by_kernel, self.stage.register_bytes()) {
            return Compared::Differs(place);
        }
        let floats = bound.program.touches().floats;
        // Which of several channels is the last one to write a place is not defined.
        match self.yards[0].difference(&self.yards[1], floats).filter(|_| has_memory && !effects.clashes) {
            Some(sides) => differs(None, sides, None),
            None => Compared::Same,
        }
    }

    /// What is read of the null variable is zero.
    fn clear_null(&mut self) {
        if let Some(null) = self.stage.offset(predefined::NULL) {
            self.threads[0].registers.bytes_mut(null)[..64].fill(0);
        }
    }

    /// A state of a seed: registers with corners and random bits, masks, modes.
    pub(super) fn fill(&mut self, seed: u64) {
        let mut random = Random(seed);
        let bytes = self.stage.register_bytes();
        let Self { threads: [thread, ..], .. } = self;
        let registers = &mut thread.registers.bytes_mut(0)[..bytes];
        for chunk in registers.chunks_mut(64) {
            // A register has one kind of numbers: instructions read rows of them.
            let (kind, width) = (random.next() % 8, [1, 2, 4, 4, 8][random.below(5)]);
            for element in chunk.chunks_mut(width) {
                let bits = match kind {
                    0..3 => CORNERS[random.below(CORNERS.len())] as u64,
                    3..6 => random.next(),
                    6 => random.next() % 33,
                    // Floats of a moderate size.
                    _ => float_bits(&mut random, width),
                };
                let bits = if kind < 3 && width < 8 { bits >> (64 - 8 * width) } else { bits };
                element.copy_from_slice(&bits.to_le_bytes()[..element.len()]);
            }
        }
        for predicate in &mut thread.predicates {
            *predicate = match random.next() % 4 {
                0 => 0,
                1 => u32::MAX,
                _ => random.next() as u32,
            };
        }
        // Addresses of registers, a few of them beyond.
        for address in &mut thread.addresses {
            *address = (random.next() % (bytes as u64 + 64)) as u32 & !7;
        }
        for state in &mut thread.surfaces {
            *state = random.next() as u32 % 64;
        }
        thread.active = if random.next().is_multiple_of(2) { u32::MAX } else { random.next() as u32 };
        let control = if random.next().is_multiple_of(2) { PLAIN } else { random.next() as u32 };
        thread.set_mode(control_bits(control));
        self.clear_null();
    }
}

/// Round to nearest, and all subnormal numbers kept.
const PLAIN: u32 = 0b11100;

/// The control register that so many random bits choose.
fn control_bits(choice: u32) -> u32 {
    let flag = |n: u32| choice >> n & 1 == 1;
    let rounding = Cr0Rounding::ALL[choice as usize % Cr0Rounding::ALL.len()];
    let control = Cr0 { rounding, keep_df: flag(2), keep_f: flag(3), keep_hf: flag(4), ..Cr0::default() };
    control.to_bits().unwrap_or(0) as u32
}

/// Numbers at which something happens, from the highest bit on: those of a narrower type are their upper bits.
const CORNERS: [u128; 24] = [
    0,
    1,
    2,
    u64::MAX as u128,
    0x8000_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_8000_0001,
    0x7f80_0000_7f80_0000,
    0xff80_0000_ff80_0000,
    0x7fc0_0000_7fc0_0000,
    0x7f80_0001_7f80_0001,
    0x3f80_0000_3f80_0000,
    0xbf80_0000_bf80_0000,
    0x0000_0001_0000_0001,
    0x007f_ffff_007f_ffff,
    0x0080_0000_0080_0000,
    0x7f7f_ffff_7f7f_ffff,
    0x3c00_3c00_3c00_3c00,
    0x7c00_7c00_7c00_7c00,
    0x0001_0001_0001_0001,
    0x7ff0_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x4b00_0001_4b00_0001,
];

fn float_bits(random: &mut Random, width: usize) -> u64 {
    let value = (random.next() as i32 as f64) * 2.0_f64.powi((random.next() % 40) as i32 - 36);
    match width {
        8 => value.to_bits(),
        4 => (value as f32).to_bits().into(),
        // An HF from the bits of an F: sign, an exponent near that of 1, fraction.
        _ => random.next() & 0x83ff | (12 + random.next() % 8) << 10,
    }
}

/// splitmix64
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

fn copy(from: &Thread, to: &mut Thread, stage: &Stage<'_>) {
    let bytes = stage.register_bytes();
    to.registers.bytes_mut(0)[..bytes].copy_from_slice(&from.registers.bytes(0)[..bytes]);
    to.predicates.copy_from_slice(&from.predicates);
    to.addresses.copy_from_slice(&from.addresses);
    to.surfaces.copy_from_slice(&from.surfaces);
    (to.active, to.mode, to.plain, to.executed) = (from.active, from.mode, from.plain, from.executed);
}

/// Whether an instruction must not do what a trap is about.
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

/// The first place where two threads differ otherwise than the page allows.
fn first_difference(effects: &Effects, page: &Thread, kernel: &Thread, bytes: usize) -> Option<Place> {
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
    if let Some((n, a, b)) = words(&page.addresses, &kernel.addresses) {
        let target = Target::Address(n);
        return place(target, [format!("{a:#x}"), format!("{b:#x}")], wrote(target));
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

/// Changes what a kernel left where its page writes; whether anything has become something else.
fn spoil(wrong: Wrong, effects: &Effects, before: &Thread, kernel: &mut Thread) -> bool {
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
                let changed = (wrong.change)(number(before), number(kernel), count, nth);
                spoiled |= changed << (64 - count * 8) != number(kernel) << (64 - count * 8);
                kernel.registers.bytes_mut(at)[..count as usize]
                    .copy_from_slice(&changed.to_le_bytes()[..count as usize]);
            }
            Target::Predicate(number, bit) => {
                let of = |thread: &Thread| u64::from(thread.predicates[number as usize] >> bit & 1);
                let changed = (wrong.change)(of(before), of(kernel), 1, nth);
                spoiled |= changed & 1 != of(kernel);
                kernel.set_predicate(number, bit, 1, changed as u32 & 1);
            }
            Target::Address(element) => {
                let of = |thread: &Thread| u64::from(thread.addresses[element as usize]);
                let changed = (wrong.change)(of(before), of(kernel), 4, nth) as u32;
                spoiled |= u64::from(changed) != of(kernel);
                kernel.addresses[element as usize] = changed;
            }
            Target::State(element) => {
                let of = |thread: &Thread| u64::from(thread.surfaces[element as usize]);
                let changed = (wrong.change)(of(before), of(kernel), 4, nth) as u32;
                spoiled |= u64::from(changed) != of(kernel);
                kernel.surfaces[element as usize] = changed;
            }
        }
    }
    spoiled
}
