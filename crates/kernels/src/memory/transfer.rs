//! Register layout of message elements.

use visakit_machine::chunk::blend;
use visakit_machine::lane::{LANES, enabled_lanes, from_lanes};
use visakit_machine::thread::Thread;

/// Layout of an element in memory and registers. Sizes and distances are in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Transfer {
    /// Size of an element in memory.
    pub size: u32,
    /// Size of an element in registers.
    pub slot: u32,
    /// True if the element is in the upper half of its slot.
    pub high: bool,
    /// Distance between channels in registers.
    pub lane_step: u32,
    /// Distance between a channel's elements in registers.
    pub element_step: u32,
}

impl Transfer {
    /// Returns a layout with equal sizes in memory and registers, and contiguous channels.
    pub(crate) fn packed(size: u32, element_step: u32) -> Self {
        Self { size, slot: size, high: false, lane_step: size, element_step }
    }

    /// Returns a layout with at least a dword per channel.
    pub(crate) fn in_dwords(size: u32) -> Self {
        let slot = size.max(4);
        Self { size, slot, high: false, lane_step: slot, element_step: 0 }
    }

    /// Returns the size in registers of `lanes` channels with `elements` elements each, in bytes.
    pub(crate) fn extent(&self, lanes: usize, elements: usize) -> u64 {
        let last = |count: usize, step: u32| (count.max(1) as u64 - 1) * u64::from(step);
        last(lanes, self.lane_step) + last(elements, self.element_step) + u64::from(self.slot)
    }

    /// Returns true if channels are contiguous dwords.
    pub(crate) fn is_dwords(&self) -> bool {
        self.size == 4 && self.slot == 4 && self.lane_step == 4
    }

    /// Returns the register offset of the n-th chunk of an element's channels, for data at `at`.
    #[inline(always)]
    pub(crate) fn place(&self, at: u32, element: usize, n: usize) -> u32 {
        at + element as u32 * self.element_step + (n * LANES) as u32 * self.lane_step
    }

    #[inline(always)]
    fn lane(&self, at: u32, lane: usize) -> u32 {
        at + lane as u32 * self.lane_step
    }

    /// Stores a chunk's enabled elements to the registers at `at`.
    pub(crate) fn put(&self, thread: &mut Thread, at: u32, values: &[u64; LANES], enabled: u32) {
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

    /// Loads a chunk's enabled elements from the registers at `at`, zero-extended.
    pub(crate) fn get(&self, thread: &Thread, at: u32, enabled: u32) -> [u64; LANES] {
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
