//! Payloads of messages to images: coordinates, texel offsets and components.

use crate::lowering::{LowerResult, Lowering};
use visakit::isa::{Channels, DataType, DataTypeClass, RawOperand, VecOperand};
use visakit_machine::chunk::blend;
use visakit_machine::lane::{LANES, MAX_LANES, enabled_lanes, from_lanes};
use visakit_machine::operand::Source;
use visakit_machine::thread::{Thread, ones};

/// Location and size of a raw operand's elements; `at` is `None` for the null operand.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    at: Option<u32>,
    pub(super) bytes: u32,
    /// True for signed integers.
    signed: bool,
}

impl Elements {
    /// Elements of a missing operand: zeros.
    pub(super) const NONE: Self = Self { at: None, bytes: 4, signed: false };

    pub(super) fn new(l: &mut Lowering<'_>, operand: &RawOperand, lanes: usize) -> LowerResult<Self> {
        let bytes = element_bytes(l, operand)?;
        let signed = l.variable(operand.id)?.data_type.class() == DataTypeClass::Signed;
        Ok(Self { at: l.raw(operand, lanes as u64 * u64::from(bytes))?, bytes, signed })
    }

    /// Lowers elements of `bytes` bytes, regardless of the variable's type.
    pub(super) fn sized(l: &mut Lowering<'_>, operand: &RawOperand, lanes: usize, bytes: u32) -> LowerResult<Self> {
        Ok(Self { at: l.raw(operand, lanes as u64 * u64::from(bytes))?, bytes, signed: false })
    }

    #[inline(always)]
    pub(super) fn bits(&self, thread: &Thread, lane: usize) -> u64 {
        let Some(at) = self.at else { return 0 };
        let place = at + lane as u32 * self.bytes;
        match self.bytes {
            2 => thread.registers.get::<u16>(place).into(),
            8 => thread.registers.get(place),
            _ => thread.registers.get::<u32>(place).into(),
        }
    }

    #[inline(always)]
    pub(super) fn integer(&self, thread: &Thread, lane: usize) -> i64 {
        let bits = self.bits(thread, lane);
        match (self.bytes, self.signed) {
            (2, true) => (bits as i16).into(),
            (4, true) => (bits as i32).into(),
            // A value out of range is outside every image.
            _ => i64::try_from(bits).unwrap_or(i64::MAX),
        }
    }

    /// Returns true if the operand is missing or null.
    pub(super) fn is_none(&self) -> bool {
        self.at.is_none()
    }

    /// Returns the integers of the n-th chunk of channels. A value that they cannot represent
    /// becomes negative. `None` for elements of other sizes than 16 and 32 bits.
    #[inline(always)]
    pub(super) fn integers(&self, thread: &Thread, n: usize) -> Option<[i32; LANES]> {
        let Some(at) = self.at else { return Some([0; LANES]) };
        let at = at + (n * LANES) as u32 * self.bytes;
        match self.bytes {
            2 => {
                let values: [u16; LANES] = thread.registers.load(at);
                let signed = self.signed;
                Some(from_lanes(|i| if signed { (values[i] as i16).into() } else { values[i].into() }))
            }
            4 => Some(thread.registers.load(at)),
            _ => None,
        }
    }

    /// Returns the singles of the n-th chunk of channels; `None` for halves.
    #[inline(always)]
    pub(super) fn singles(&self, thread: &Thread, n: usize) -> Option<[f32; LANES]> {
        let Some(at) = self.at else { return Some([0.0; LANES]) };
        (self.bytes == 4).then(|| thread.registers.load(at + (n * LANES * 4) as u32))
    }

    /// Returns a mip level or sample number; a value out of range becomes the maximum, which never
    /// exists.
    pub(super) fn number(&self, thread: &Thread, lane: usize) -> u32 {
        u32::try_from(self.integer(thread, lane)).unwrap_or(u32::MAX)
    }

    #[inline(always)]
    pub(super) fn float(&self, thread: &Thread, lane: usize) -> f32 {
        let bits = self.bits(thread, lane);
        if self.bytes == 2 { half::f16::from_bits(bits as u16).to_f32() } else { f32::from_bits(bits as u32) }
    }
}

/// Returns the element size of a raw operand in bytes: 2 if its variable has 16-bit elements,
/// otherwise 4.
pub(super) fn element_bytes(l: &Lowering<'_>, operand: &RawOperand) -> LowerResult<u32> {
    Ok(if l.variable(operand.id)?.data_type.bits() == 16 { 2 } else { 4 })
}

/// Returns the components that a message transfers.
pub(super) fn moved(flags: Channels) -> Vec<usize> {
    [flags.r, flags.g, flags.b, flags.a].into_iter().enumerate().filter(|(_, moved)| *moved).map(|(c, _)| c).collect()
}

/// Data payload of a message: a row of elements per transferred component, each starting at a
/// register boundary.
pub(super) struct Components {
    moved: Vec<usize>,
    at: Option<u32>,
    bytes: u32,
    /// True if 16-bit elements are HF.
    half: bool,
    pitch: u32,
    /// Number of channels of the mask after the data; `None` without a mask.
    mask: Option<usize>,
}

impl Components {
    /// Lowers the data payload. If `masked`, a register with a mask follows the data.
    pub(super) fn new(
        l: &mut Lowering<'_>,
        operand: &RawOperand,
        lanes: usize,
        moved: Vec<usize>,
        masked: bool,
    ) -> LowerResult<Self> {
        let bytes = element_bytes(l, operand)?;
        let half = l.variable(operand.id)?.data_type == DataType::Hf;
        Self::sized(l, operand, lanes, moved, masked, (bytes, half))
    }

    /// As [`Components::new`] with 32-bit elements, regardless of the variable's type.
    pub(super) fn dwords(
        l: &mut Lowering<'_>,
        operand: &RawOperand,
        lanes: usize,
        moved: Vec<usize>,
    ) -> LowerResult<Self> {
        Self::sized(l, operand, lanes, moved, false, (4, false))
    }

    pub(super) fn sized(
        l: &mut Lowering<'_>,
        operand: &RawOperand,
        lanes: usize,
        moved: Vec<usize>,
        masked: bool,
        (bytes, half): (u32, bool),
    ) -> LowerResult<Self> {
        let pitch = (lanes as u32 * bytes).next_multiple_of(l.layout.grf_bytes);
        let rows = moved.len().max(1) as u64;
        let last = if masked { u64::from(pitch) + 4 } else { lanes as u64 * u64::from(bytes) };
        let at = l.raw(operand, (rows - 1) * u64::from(pitch) + last)?;
        Ok(Self { moved, at, bytes, half, pitch, mask: masked.then_some(lanes) })
    }

    /// Stores the components of the enabled channels.
    pub(super) fn put(&self, thread: &mut Thread, enabled: u32, rows: &[[u32; MAX_LANES]; 4]) {
        let Some(at) = self.at else { return };
        for (n, &component) in self.moved.iter().enumerate() {
            let (first, row) = (at + n as u32 * self.pitch, &rows[component]);
            if self.bytes == 4 {
                for (n, values) in row.as_chunks::<LANES>().0.iter().enumerate() {
                    let enabled = enabled >> (n * LANES) & ones(LANES);
                    if enabled != 0 {
                        blend(&mut thread.registers, first + (n * LANES * 4) as u32, values, enabled);
                    }
                }
                continue;
            }
            for lane in enabled_lanes::<MAX_LANES>(enabled) {
                let (place, value) = (first + lane as u32 * self.bytes, row[lane]);
                let bits =
                    if self.half { half::f16::from_f32(f32::from_bits(value)).to_bits() } else { value as u16 };
                thread.registers.set(place, bits);
            }
        }
        if let Some(lanes) = self.mask {
            // All pages are resident.
            let mask = ones(lanes);
            thread.registers.set(at + self.moved.len() as u32 * self.pitch, mask);
        }
    }

    /// Returns the numbers of the transferred components.
    pub(super) fn moved(&self) -> &[usize] {
        &self.moved
    }

    /// Loads the transferred components of the n-th chunk of channels, as [`Components::get`].
    #[inline(always)]
    pub(super) fn chunk(&self, thread: &Thread, n: usize) -> ([[u32; LANES]; 4], u32) {
        let (mut components, mut given) = ([[0; LANES]; 4], 0);
        for (row, &component) in (0..).zip(&self.moved) {
            if let Some(at) = self.at {
                components[component & 3] = thread.registers.load(at + row * self.pitch + (n * LANES * 4) as u32);
            }
            given |= 1 << component;
        }
        (components, given)
    }

    /// Loads the transferred components, and returns them with a bit set for each; zeros for a null
    /// operand.
    pub(super) fn get(&self, thread: &Thread, lane: usize) -> ([u32; 4], u32) {
        let (mut components, mut given) = ([0; 4], 0);
        for (n, &component) in self.moved.iter().enumerate() {
            let place = |at| thread.registers.get(at + n as u32 * self.pitch + lane as u32 * 4);
            components[component & 3] = self.at.map_or(0, place);
            given |= 1 << component;
        }
        (components, given)
    }
}

/// Texel offsets that a message adds to coordinates.
pub(super) struct Offsets(Option<Source<u32>>);

impl Offsets {
    /// Offsets of a message without the operand.
    pub(super) const NONE: Self = Self(None);

    pub(super) fn new(l: &mut Lowering<'_>, operand: &VecOperand) -> LowerResult<Self> {
        Ok(Self(Some(l.source(operand, 1)?)))
    }

    /// Returns the offsets, four bits each, signed.
    pub(super) fn get(&self, thread: &Thread) -> [i64; 3] {
        let bits = self.0.as_ref().map_or(0, |source| source.first(thread));
        [8, 4, 0].map(|shift| i64::from(bits >> shift & 7) - i64::from(bits >> shift & 8))
    }
}
