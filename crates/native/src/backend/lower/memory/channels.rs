//! The channels of a transfer while it is lowered.

use crate::backend::analysis::address_classes::AddressClass;
use crate::backend::analysis::ramps::Form;
use crate::backend::asm::operand::{Vector, Width};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::MaskRegister;
use crate::backend::lower::emitter::Emitter;
use crate::backend::lower::masks::Select;
use crate::ir::{Mask, Space, Transfer};

/// A transfer of 4, 8 or 16 channels, or of 32 if all are enabled. Their offsets are in the buffer
/// at [`PLACE`](crate::backend::lower::host_registers::PLACE), that of the first one in
/// [`FIRST`](crate::backend::lower::host_registers::FIRST).
#[derive(Clone)]
pub(crate) struct Channels<'a> {
    pub(crate) mask: &'a Mask,
    pub(crate) transfer: &'a Transfer,
    /// The number of channels of a vector.
    pub(crate) lanes: u32,
    /// The number of vectors.
    pub(crate) halves: u32,
    /// The distance in the registers from the elements of one vector to those of the next.
    pub(crate) pitch: u32,
    /// The buffer's entry, in bytes from [`PLACE`](crate::backend::lower::host_registers::PLACE).
    pub(crate) entry: u32,
    /// The offsets of each vector; empty if the first channel's offset is sufficient.
    pub(crate) offsets: Vec<Vector>,
    /// The enabled channels of each vector; empty if all are enabled.
    pub(crate) masks: Vec<Select>,
    pub(crate) mark: AccessMark,
    /// The caller executes the whole step.
    pub(crate) slow: Label,
    /// Form of the transfer, if it is known before.
    pub(crate) form: Option<Form>,
    /// The address class of the transfer.
    pub(crate) class: Option<AddressClass>,
    /// Transfers channels that are not contiguous; without it, other paths are tried.
    pub(crate) fallback: Option<Fallback<'a>>,
}

impl Channels<'_> {
    /// Returns the width of a vector of dwords.
    pub(crate) fn width(&self) -> Width {
        Width::of(self.lanes * 4)
    }

    /// Returns the mask register that selects the channels, if there is one and they are one
    /// vector.
    pub(crate) fn mask_register(&self) -> Option<MaskRegister> {
        match self.masks[..] {
            [Select::Bits(bits)] => Some(bits),
            _ => None,
        }
    }
}

/// Writes a transfer in another form.
pub(crate) type Fallback<'a> = &'a dyn Fn(&mut Emitter<'_>) -> Option<()>;

/// The marks of a channel's access, if accesses are observed.
#[derive(Clone, Copy)]
pub(crate) struct AccessMark {
    /// A bit for each byte from the channel's address on; zero for memory that nothing observes.
    pub(crate) bits: u64,
    /// The channels, if all of them are enabled.
    pub(crate) lanes: Option<u32>,
}

/// Returns the marks of a transfer. Returns `None` if its elements are too far apart.
pub(crate) fn mark(mask: &Mask, transfer: &Transfer, is_some: bool) -> Option<AccessMark> {
    let lanes = (!is_some).then_some(mask.lanes);
    if matches!(transfer.space, Space::Local { .. }) {
        return Some(AccessMark { bits: 0, lanes });
    }
    // Marks of 57 bytes fit into a qword at any bit of its first byte.
    let size = transfer.unit.bytes();
    let own = u64::MAX >> (64 - size);
    let distances = || transfer.elements.iter().map(|(distance, _)| *distance);
    distances().all(|distance| distance <= 57 - size).then_some(())?;
    let bits = distances().fold(0_u64, |bits, distance| bits | own << distance);
    Some(AccessMark { bits, lanes })
}
