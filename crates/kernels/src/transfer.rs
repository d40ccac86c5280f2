//! How the elements of a message stand in registers.

use visakit_machine::lane::{LANES, enabled_lanes, from_lanes};
use visakit_machine::operand::blend;
use visakit_machine::thread::Thread;

/// How an element stands in memory and in registers. Sizes and distances are in bytes.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    /// Size of an element in memory.
    pub size: u32,
    /// Size of an element in registers.
    pub slot: u32,
    /// Whether the element is in the upper half of its slot.
    pub high: bool,
    /// From one channel to the next in registers.
    pub lane_step: u32,
    /// From one element of a channel to the next in registers.
    pub element_step: u32,
}

impl Transfer {
    /// Elements of one size in memory and in registers, the channels one behind the other.
    pub(super) fn packed(size: u32, element_step: u32) -> Self {
        Self { size, slot: size, high: false, lane_step: size, element_step }
    }

    /// Elements with a dword or more for each channel.
    pub(super) fn in_dwords(size: u32) -> Self {
        let slot = size.max(4);
        Self { size, slot, high: false, lane_step: slot, element_step: 0 }
    }

    /// Bytes of registers that `lanes` channels with `elements` elements each need.
    pub(super) fn extent(&self, lanes: usize, elements: usize) -> u64 {
        let last = |count: usize, step: u32| (count.max(1) as u64 - 1) * u64::from(step);
        last(lanes, self.lane_step) + last(elements, self.element_step) + u64::from(self.slot)
    }

    /// Whether the channels' dwords stand one behind the other.
    pub(super) fn is_dwords(&self) -> bool {
        self.size == 4 && self.slot == 4 && self.lane_step == 4
    }

    /// Where the n-th chunk of channels of an element begins, of data that begin at `at`.
    #[inline(always)]
    pub(super) fn place(&self, at: u32, element: usize, n: usize) -> u32 {
        at + element as u32 * self.element_step + (n * LANES) as u32 * self.lane_step
    }

    #[inline(always)]
    fn lane(&self, at: u32, lane: usize) -> u32 {
        at + lane as u32 * self.lane_step
    }

    /// Writes the elements of the enabled channels of a chunk to registers from `at` on.
    pub(super) fn put(&self, thread: &mut Thread, at: u32, values: &[u64; LANES], enabled: u32) {
        if self.slot == 4 && self.lane_step == 4 && !self.high {
            blend(&mut thread.registers, at, &from_lanes::<u32, LANES>(|i| values[i] as u32), enabled);
            return;
        }
        if self.slot == 8 && self.lane_step == 8 {
            blend(&mut thread.registers, at, values, enabled);
            return;
        }
        for lane in enabled_lanes::<LANES>(enabled) {
            let (at, value) = (self.lane(at, lane), values[lane]);
            match self.slot {
                1 => thread.registers.set(at, value as u8),
                2 => thread.registers.set(at, value as u16),
                8 => thread.registers.set(at, value),
                _ => thread.registers.set(at, if self.high { (value as u32) << 16 } else { value as u32 }),
            }
        }
    }

    /// The elements of the enabled channels of a chunk, in registers from `at` on, zero-extended.
    pub(super) fn get(&self, thread: &Thread, at: u32, enabled: u32) -> [u64; LANES] {
        if self.slot == 4 && self.lane_step == 4 && !self.high {
            let words: [u32; LANES] = thread.registers.load(at);
            return from_lanes(|i| words[i].into());
        }
        let mut values = [0; LANES];
        for lane in enabled_lanes::<LANES>(enabled) {
            let at = self.lane(at, lane);
            values[lane] = match self.slot {
                1 => thread.registers.get::<u8>(at).into(),
                2 => thread.registers.get::<u16>(at).into(),
                8 => thread.registers.get(at),
                _ if self.high => u64::from(thread.registers.get::<u32>(at) >> 16),
                _ => thread.registers.get::<u32>(at).into(),
            };
        }
        values
    }
}
