//! Memory for the cases: a few small buffers, bound to the binding table, and memory of a group.

use visakit_emulator::machine::World;
use visakit_emulator::machine::memory::{Buffer, Memory};
use visakit_emulator::machine::trace::Trace;
use visakit_oracle::float::Format;

/// Bytes of each buffer.
pub(super) const BYTES: u64 = 512;

/// Buffers that are bound.
const BUFFERS: usize = 2;

/// Entries of the binding table.
const ENTRIES: usize = 64;

/// What the two sides of a case each have of their own.
pub(super) struct Yard {
    memory: Memory,
    local: Buffer,
    scratch: Buffer,
    bindings: Vec<Option<usize>>,
    trace: Trace,
}

impl Yard {
    pub(super) fn new() -> Self {
        let mut memory = Memory::default();
        for _ in 0..BUFFERS {
            memory.map(Buffer::zeros(BYTES as usize));
        }
        let [local, scratch] = [0, 1].map(|_| Buffer::zeros(BYTES as usize));
        // One entry in three has no buffer.
        let bindings = (0..ENTRIES).map(|n| Some(n % 3).filter(|n| *n < BUFFERS)).collect();
        Self { memory, local, scratch, bindings, trace: Trace::new(BUFFERS, false) }
    }

    /// The address of a buffer.
    pub(super) fn address(&self, n: u64) -> u64 {
        self.memory.address(n as usize % BUFFERS)
    }

    fn all(&self) -> impl Iterator<Item = &Buffer> {
        self.memory.buffers().iter().chain([&self.local, &self.scratch])
    }

    /// Fills all of it by a seed.
    pub(super) fn fill(&self, seed: u64) {
        let mut value = seed as u32 | 1;
        for buffer in self.all() {
            for offset in (0..BYTES).step_by(4) {
                value = value.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
                buffer.store_u32(offset, value);
            }
        }
    }

    /// Changes the words that are not what they were filled with; whether any has become something else.
    pub(super) fn spoil(&self, seed: u64, change: fn(u64, u64, u32, u32) -> u64) -> bool {
        let mut value = seed as u32 | 1;
        let (mut nth, mut spoiled) = (0, false);
        for buffer in self.all() {
            for offset in (0..BYTES).step_by(4) {
                value = value.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
                let now = buffer.load_u32(offset).unwrap_or(value);
                if now != value {
                    let changed = change(value.into(), now.into(), 4, nth) as u32;
                    spoiled |= changed != now;
                    buffer.store_u32(offset, changed);
                    nth += 1;
                }
            }
        }
        spoiled
    }

    /// The first byte that differs, with both values. With `floats` one NaN is as good as another.
    pub(super) fn difference(&self, other: &Self, floats: bool) -> Option<[String; 2]> {
        self.all().zip(other.all()).enumerate().find_map(|(n, (a, b))| {
            let (a, b) = (a.to_bytes(), b.to_bytes());
            let is_nan = |at: usize| floats && are_nans(&a, &b, at);
            let at = (0..a.len()).find(|&at| a[at] != b[at] && !is_nan(at))?;
            Some([a[at], b[at]].map(|byte| format!("0x{byte:02x} in byte {at} of buffer {n}")))
        })
    }

    /// What a thread sees.
    pub(super) fn world(&self) -> World<'_> {
        World {
            memory: &self.memory,
            local: &self.local,
            scratch: &self.scratch,
            private: &[],
            bindings: &self.bindings,
            images: &[],
            samplers: &[],
            watch: None,
            trace: &self.trace,
        }
    }
}

/// Whether two numbers that a byte is part of are NaNs of a format.
fn are_nans(a: &[u8], b: &[u8], at: usize) -> bool {
    [(2, Format::Half), (2, Format::Brain), (4, Format::Single), (8, Format::Double)].iter().any(|(size, format)| {
        let start = at / size * size;
        let number = |bytes: &[u8]| {
            let mut whole = [0; 8];
            whole[..*size].copy_from_slice(&bytes[start..start + size]);
            u64::from_le_bytes(whole)
        };
        format.is_nan(number(a)) && format.is_nan(number(b))
    })
}
