//! Small routines, and the state of a thread that runs them.

#![allow(dead_code, reason = "not every test uses every function")]

use std::sync::atomic::AtomicU32;

use visakit_native::ir::{Action, Binary, Block, Combine, Expression, Kind, Mask, Node, Relation, Routine, Step};
use visakit_native::{Buffer, Code, Exit, Frame, Lent, Level, Marks, Memory, compile};

/// Size of the register file in bytes.
pub(crate) const BYTES: usize = 2048;

/// Generator of pseudo-random numbers.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % u64::from(end)) as u32
    }

    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }
}

pub(crate) fn mask(lanes: u32, always: bool) -> Mask {
    Mask { shift: 0, lanes, always, predicate: 0, combine: Combine::Each, inverse: false }
}

pub(crate) fn step(action: Action) -> Step {
    Step { mask: mask(0xffff, false), action }
}

/// Returns the steps of a loop: 64[i] += 1, and predicate 1 is true while it is less than 0[i]; and
/// the mask of the branch to the next round.
pub(crate) fn count() -> ([Step; 2], Mask) {
    let mut count = Expression::default();
    let (value, one) = (row(&mut count, 64), count.push(Kind::U32, Node::Constant(1)));
    let result = count.push(Kind::U32, Node::Binary(Binary::Add, value, one));
    let add = Action::Compute { expression: count, results: vec![(result, 64)], pitch: None };
    let mut sides = Expression::default();
    let both = [row(&mut sides, 64), row(&mut sides, 0)];
    let compare = Action::Compare { expression: sides, relation: Relation::Less, sides: both, inverse: false, to: 1 };
    ([step(add), step(compare)], Mask { predicate: 1, ..mask(0xffff, false) })
}

pub(crate) fn routine(blocks: Vec<Block>) -> Routine {
    Routine { register_bytes: BYTES as u32, predicates: 4, states: 1, blocks, ..Routine::default() }
}

/// A thread's state.
pub(crate) struct State {
    pub(crate) registers: Vec<u8>,
    pub(crate) predicates: Vec<u32>,
    pub(crate) states: Vec<u32>,
    pub(crate) waiting: Vec<u32>,
    pub(crate) occupied: Vec<u64>,
    pub(crate) active: u32,
    pub(crate) executed: u64,
}

impl State {
    pub(crate) fn new(active: u32) -> Self {
        Self {
            registers: vec![0; BYTES],
            predicates: vec![0; 4],
            states: vec![0],
            waiting: vec![0; 8],
            occupied: vec![0],
            active,
            executed: 0,
        }
    }

    pub(crate) fn put(&mut self, at: usize, value: impl Fn(u32) -> u32) {
        for (n, bytes) in self.registers[at..at + 64].as_chunks_mut().0.iter_mut().enumerate() {
            *bytes = value(n as u32).to_le_bytes();
        }
    }

    pub(crate) fn get(&self, at: usize) -> [u32; 16] {
        std::array::from_fn(|n| {
            let bytes = self.registers[at + n * 4..].first_chunk();
            bytes.copied().map_or(0, u32::from_le_bytes)
        })
    }

    pub(crate) fn get_one(&self, at: u32) -> u32 {
        self.registers[at as usize..].first_chunk().copied().map_or(0, u32::from_le_bytes)
    }

    pub(crate) fn put_one(&mut self, at: u32, value: u32) {
        self.registers[at as usize..at as usize + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Lends the state to code.
    pub(crate) fn lend<'a>(&'a mut self, code: &'a Code, memory: &'a Memory<'_>) -> Lent<'a> {
        let frame = Frame {
            registers: &mut self.registers,
            predicates: &mut self.predicates,
            states: &mut self.states,
            waiting: &mut self.waiting,
            occupied: &mut self.occupied,
            counts: &mut [],
            branches: &mut [],
            active: self.active,
            executed: self.executed,
            until: 1000,
        };
        code.lend(frame, memory)
    }

    /// Runs code from the beginning of a block, or from the place where it returned.
    pub(crate) fn run(&mut self, code: &Code, from: u32, left: Option<Exit>, memory: &Memory<'_>) -> Option<Exit> {
        let mut lent = self.lend(code, memory);
        let exit = match left {
            Some(Exit::Step { resume, .. }) => lent.resume(resume),
            _ => lent.run(from),
        };
        (self.active, self.executed) = lent.progress();
        exit
    }
}

/// Returns the code of blocks for each level that the machine supports.
pub(crate) fn codes(blocks: &[Block]) -> Vec<Code> {
    codes_of(&routine(blocks.to_vec()))
}

/// Returns the code of a routine for each level that the machine supports.
pub(crate) fn codes_of(routine: &Routine) -> Vec<Code> {
    let levels = [Level::Avx2, Level::Avx512].into_iter().filter(|level| Some(*level) <= Level::of_host());
    let codes: Vec<_> = levels.map(|level| compile(routine, level).expect("code")).collect();
    if codes.is_empty() {
        eprintln!("skipped: no code for this machine");
    }
    codes
}

pub(crate) fn nowhere() -> Memory<'static> {
    Memory::new([], [], &[])
}

/// Returns a load of contiguous elements.
pub(crate) fn row(expression: &mut Expression, at: u32) -> usize {
    expression.push(Kind::U32, Node::Load { at, step: 4 })
}

pub(crate) fn unmarked(words: &[AtomicU32]) -> Buffer<'_> {
    Buffer { words, loads: Marks::Nobody, stores: Marks::Nobody, updates: Marks::Nobody }
}
