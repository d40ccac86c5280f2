//! Contiguous accesses: tests whether the elements of channels follow each other.

use iced_x86::Code;

use crate::backend::abi::offset;
use crate::backend::analysis::address_classes::AddressClass;
use crate::backend::analysis::contiguity::may_be_contiguous;
use crate::backend::asm::assembler::Assembler;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at};
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::FRAME;
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::Select;
use crate::backend::lower::memory::address::with_offsets;
use crate::backend::lower::memory::bounds::contiguous_inside;
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::patterns::steps;
use crate::backend::lower::select::{broadcast_first_selected, jump_if_different};
use crate::ir::Unit;

/// The paths of a transfer that may be contiguous.
#[derive(Clone, Copy)]
pub(crate) struct Paths {
    /// Tests whether the channels are contiguous, if the result of the address class is unknown.
    pub(crate) again: Label,
    /// The channels are contiguous.
    pub(crate) found: Label,
    /// The channels are not contiguous.
    pub(crate) apart: Label,
    /// Each channel must be moved separately.
    pub(crate) other: Label,
    /// After the transfer.
    pub(crate) done: Label,
}

impl Paths {
    /// Creates the labels of a transfer.
    pub(crate) fn new(asm: &mut Assembler) -> Self {
        let [again, found, apart, other, done] = [(); 5].map(|()| asm.label());
        Self { again, found, apart, other, done }
    }

    /// Binds the labels of all paths for channels that may not be contiguous to the current place.
    pub(crate) fn bind_others(&self, asm: &mut Assembler) {
        [self.again, self.apart, self.other].into_iter().for_each(|label| asm.bind(label));
    }
}

/// Returns true if words may overlap, each one byte after the previous one.
pub(crate) fn may_overlap(channels: &Channels<'_>) -> bool {
    let is_word = matches!(channels.transfer.unit, Unit::Part { bytes: 2, .. });
    channels.masks.is_empty() && channels.transfer.alignment == 1 && is_word
}

/// Returns true if a test for contiguous channels is worthwhile.
pub(crate) fn tries_contiguous(channels: &Channels<'_>) -> bool {
    let Channels { transfer, masks, .. } = channels;
    let is_small = channels.mask_register().is_some() && transfer.unit.bytes() <= 2;
    (transfer.unit == Unit::Dword || masks.is_empty() || is_small) && may_be_contiguous(transfer)
}

/// Begins the hot path: checks that the elements of consecutive channels are `size` bytes apart,
/// all inside.
pub(crate) fn enter_contiguous(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    size: u32,
    free: [Vector; 2],
    paths: Paths,
) {
    match channels.class {
        Some(AddressClass { flag, is_first: false, .. }) => {
            masm.asm.mi(Code::Cmp_rm8_imm8, at(FRAME, offset::CLASSES + flag), size as i32);
            masm.asm.jump(Code::Jne_rel32_64, paths.again);
            contiguous_inside(masm, channels, size, paths.again);
        }
        _ => check_contiguous(masm, channels, size, free, paths),
    }
    masm.asm.bind(paths.found);
}

/// Repeats the check with the offsets of all channels if the hot path relies on the address class.
/// Returns the channels with their offsets.
pub(crate) fn recheck_contiguous<'c>(
    masm: &mut MacroAssembler,
    channels: &Channels<'c>,
    size: u32,
    free: [Vector; 2],
    paths: Paths,
) -> Option<Channels<'c>> {
    masm.asm.bind(paths.again);
    let channels = with_offsets(masm, channels)?;
    if let Some(AddressClass { is_first: false, .. }) = channels.class {
        check_contiguous(masm, &channels, size, free, paths);
        masm.asm.jump(Code::Jmp_rel32_64, paths.found);
    }
    Some(channels)
}

/// Checks that channels are contiguous and inside, and records that for the address class.
fn check_contiguous(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    size: u32,
    [first, scratch]: [Vector; 2],
    paths: Paths,
) {
    let w = channels.width();
    if let Some(bits) = channels.mask_register() {
        // Each channel's offset minus its distance: the start of the access.
        let steps = masm.asm.constant(steps(size));
        masm.asm.v3(op::PSUBD, w, scratch, channels.offsets[0], steps);
        broadcast_first_selected(masm, w, scratch, first, bits);
        jump_if_different(masm, w, [scratch, first], scratch, Some(Select::Bits(bits)), paths.apart);
    } else {
        masm.asm.v2(op::BROADCASTD, w, first, channels.offsets[0], Width::X);
        are_apart(masm, channels, size, [first, scratch], paths.apart);
    }
    contiguous_inside(masm, channels, size, paths.other);
    if let Some(AddressClass { flag, .. }) = channels.class {
        masm.asm.mi(Code::Mov_rm8_imm8, at(FRAME, offset::CLASSES + flag), size as i32);
    }
}

/// Checks that the offsets of consecutive enabled channels are `size` bytes apart; otherwise jumps.
/// `first` has the first channel's offset in all elements.
pub(crate) fn are_apart(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    size: u32,
    [first, scratch]: [Vector; 2],
    otherwise: Label,
) {
    let w = channels.width();
    for (half, offset) in (0..).zip(&channels.offsets) {
        let mut expected = first;
        if size > 0 {
            let steps = masm.asm.constant_from(steps(size), half * w.bytes());
            masm.asm.v3(op::PADDD, w, scratch, first, steps);
            expected = scratch;
        }
        let select = channels.masks.get(half as usize).copied();
        jump_if_different(masm, w, [*offset, expected], scratch, select, otherwise);
    }
}
