//! The channels of a transfer while it is lowered.

use crate::backend::analysis::address_classes::AddressClass;
use crate::backend::asm::operand::{Vector, Width};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::MaskRegister;
use crate::backend::lower::emitter::Emitter;
use crate::backend::lower::masks::Select;
use crate::ir::{Mask, Space, Transfer};

/// A transfer of 4, 8 or 16 channels, or of 32 if all are enabled: their offsets in the buffer at
/// [`PLACE`], of which the first is in [`FIRST`].
#[derive(Clone)]
pub(crate) struct Channels<'a> {
    pub(crate) mask: &'a Mask,
    pub(crate) transfer: &'a Transfer,
    /// As many channels at a time, and how often.
    pub(crate) lanes: u32,
    pub(crate) halves: u32,
    /// From a place in the registers to that for the next ones.
    pub(crate) pitch: u32,
    /// The buffer's entry, in bytes from [`PLACE`](crate::backend::lower::host_registers::PLACE).
    pub(crate) entry: u32,
    /// Nothing where it is enough to know the first channel's.
    pub(crate) offsets: Vec<Vector>,
    /// The enabled ones, unless all are.
    pub(crate) masks: Vec<Select>,
    pub(crate) mark: AccessMark,
    /// Where the caller does the whole step.
    pub(crate) slow: Label,
    /// Its address class.
    pub(crate) class: Option<AddressClass>,
    /// Does the transfer where the channels are not contiguous; without it, other paths are tried.
    pub(crate) fallback: Option<Fallback<'a>>,
}

impl Channels<'_> {
    /// How wide a vector of dwords is.
    pub(crate) fn width(&self) -> Width {
        Width::of(self.lanes * 4)
    }

    /// Returns the mask register that selects the channels, if there is one and they are one vector.
    pub(crate) fn mask_register(&self) -> Option<MaskRegister> {
        match self.masks[..] {
            [Select::Bits(bits)] => Some(bits),
            _ => None,
        }
    }
}

/// Writes a transfer in another form.
pub(crate) type Fallback<'a> = &'a dyn Fn(&mut Emitter<'_>) -> Option<()>;

/// What is marked for each channel when there are [`MARKS`].
#[derive(Clone, Copy)]
pub(crate) struct AccessMark {
    /// The bits, from that of the channel's address on; none for memory of which nobody wants to
    /// know.
    pub(crate) bits: u32,
    /// The channels, if all of the transfer's are enabled.
    pub(crate) lanes: Option<u32>,
}

/// What is to be marked. Nothing when that is too far apart.
pub(crate) fn mark(mask: &Mask, transfer: &Transfer, is_some: bool) -> Option<AccessMark> {
    let lanes = (!is_some).then_some(mask.lanes);
    if transfer.space == Space::Local {
        return Some(AccessMark { bits: 0, lanes });
    }
    // Marks of up to 25 bytes fit into a dword wherever they begin.
    let own = u64::MAX >> (64 - transfer.unit.bytes());
    let bits = transfer.elements.iter().fold(0_u64, |bits, (distance, _)| bits | own << (*distance).min(56));
    let bits = u32::try_from(bits).ok().filter(|bits| *bits < 1 << 25)?;
    Some(AccessMark { bits, lanes })
}
