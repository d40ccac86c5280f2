//! Origins of bytes: where an instruction reads the bytes that it writes.
//!
//! The instruction is executed by its page several times, on data that differ in their tags only.
//! Two runs with constant bytes show which bytes depend on the source. Further runs with the digits
//! of each byte's position show its origin.

use std::ops::Range;

use visakit_machine::thread::Thread;
use visakit_oracle::Program;
use visakit_oracle::stage::TestMemory;

/// Number of digits of a position.
const DIGITS: u32 = 2;

/// Bytes that carry tags, or that are written.
#[derive(Clone, Debug)]
pub(super) enum Side {
    /// The buffer in memory.
    Memory,
    /// A range of the register file.
    Registers(Range<usize>),
}

/// Instruction with the state before it.
pub(super) struct Scene<'a> {
    pub(super) program: &'a Program,
    pub(super) thread: &'a Thread,
    /// Size of the buffer in memory, which begins at the address 2³².
    pub(super) memory: usize,
}

impl Scene<'_> {
    /// Executes the instruction. `fill` gives the bytes of the tagged side by their positions; all
    /// other bytes of the memory are zero. Returns the bytes of the other side.
    fn run(&self, tagged: &Side, fill: &dyn Fn(usize) -> u8, written: &Side) -> Result<Vec<u8>, String> {
        let mut thread = self.thread.clone();
        let mut bytes = vec![0; self.memory];
        match tagged {
            Side::Memory => bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = fill(at)),
            Side::Registers(range) => {
                let start = u32::try_from(range.start).map_err(|_| "the register file is too large")?;
                let tags = thread.registers.bytes_mut(start).iter_mut().take(range.len()).enumerate();
                tags.for_each(|(at, byte)| *byte = fill(at));
            }
        }
        let memory = TestMemory::of_bytes(&bytes).ok_or("there is no memory for the picture")?;
        self.program.run(&mut thread, &memory.world()).map_err(|why| why.to_string())?;
        Ok(match written {
            Side::Memory => memory.bytes(),
            Side::Registers(range) => {
                let start = u32::try_from(range.start).map_err(|_| "the register file is too large")?;
                thread.registers.bytes(start)[..range.len()].to_vec()
            }
        })
    }

    /// Returns for each written byte the position of the tagged byte that it is a copy of.
    pub(super) fn origins(&self, tagged: &Side, written: &Side) -> Result<Vec<Option<usize>>, String> {
        let zeros = self.run(tagged, &|_| 0, written)?;
        let ones = self.run(tagged, &|_| 0xff, written)?;
        let digits = (0..DIGITS)
            .map(|digit| self.run(tagged, &|at| (at >> (8 * digit)) as u8, written))
            .collect::<Result<Vec<_>, String>>()?;
        let origin = |at: usize| {
            let is_copy = zeros[at] == 0 && ones[at] == 0xff;
            let position = digits.iter().rev().fold(0, |all, digit| all << 8 | usize::from(digit[at]));
            is_copy.then_some(position)
        };
        Ok((0..zeros.len()).map(origin).collect())
    }
}
