//! Contiguous transfers: those that may move the elements of all channels by one access, and pairs
//! of steps that form one transfer of 32 channels.

use crate::backend::analysis::effects::{reads, touch, writes};
use crate::ir::{Access, Action, Addresses, Mask, Step, Transfer, Unit};

/// Two steps of 16 consecutive channels each that form one transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) halves: [PairHalf<'a>; 2],
    /// The distance in the registers from the elements of the first step to those of the second, in
    /// bytes.
    pub(crate) pitch: u32,
    /// The steps between the two.
    pub(crate) between: &'a [Step],
}

impl Pair<'_> {
    /// Returns the number of steps, those between the two included.
    pub(crate) fn len(&self) -> usize {
        self.between.len() + 2
    }
}

/// The mask and the transfer of one step of a pair.
pub(crate) type PairHalf<'a> = (&'a Mask, &'a Transfer);

/// Returns the pair that begins with the first of `steps`. Only steps that set state variables may
/// stand between the two.
pub(crate) fn pair(steps: &[Step]) -> Option<Pair<'_>> {
    let [first, others @ ..] = steps else { return None };
    let Action::Transfer(transfer) = &first.action else { return None };
    let states = others.iter().take_while(|step| matches!(step.action, Action::SetState { .. })).count();
    let (between, second) = (&others[..states], others.get(states)?);
    let Action::Transfer(other) = &second.action else { return None };
    let pitch = other.elements.first()?.1.checked_sub(transfer.elements.first()?.1)?;
    let elements = transfer.elements.iter().map(|(distance, at)| (*distance, at + pitch)).collect();
    let next = Transfer { addresses: advanced(transfer.addresses, 16), elements, ..transfer.clone() };
    let mask = first.mask;
    let is_next = next == *other && Mask { shift: mask.shift + 16, ..mask } == second.mask;
    (is_next && mask.predicate == 0 && mask.lanes == 0xffff).then_some(())?;
    let mut others = reads(second).into_iter().map(|(read, _)| read).chain(writes(second));
    let written = writes(first);
    let is_apart = !others.any(|other| written.iter().any(|row| touch(*row, other)));
    is_apart.then_some(Pair { halves: [(&first.mask, transfer), (&second.mask, other)], pitch, between })
}

/// Returns true if elements that follow each other can be moved by one access.
pub(crate) fn may_be_contiguous(transfer: &Transfer) -> bool {
    let size = transfer.unit.bytes();
    size.is_multiple_of(transfer.alignment) && size != 3
}

/// The bytes of a row.
pub(crate) const ROW: u32 = 16;

/// Returns true if the elements of each channel are a row: 16 consecutive bytes.
pub(crate) fn are_rows(transfer: &Transfer) -> bool {
    let (size, elements) = (transfer.unit.bytes(), &transfer.elements);
    let is_together =
        (1..).zip(elements.iter().skip(1)).all(|(n, (distance, _))| *distance == elements[0].0 + n * size);
    is_together && matches!((transfer.unit, elements.len()), (Unit::Dword, 4) | (Unit::Qword, 2))
}

/// Returns true if a transfer of 32 active channels may be one contiguous access.
pub(crate) fn may_be_simd32(transfer: &Transfer) -> bool {
    // With several elements, the order of the halves' stores would matter.
    let is_moved = match transfer.access {
        Access::Load => transfer.addresses != Addresses::None,
        Access::Store => transfer.addresses != Addresses::None && transfer.elements.len() == 1,
        Access::Update(_) => false,
    };
    // Such words may be contiguous in another form.
    let may_cover = matches!(transfer.unit, Unit::Part { bytes: 2, .. }) && transfer.alignment == 1;
    is_moved && may_be_contiguous(transfer) && !may_cover
}

/// Returns the addresses that are `channels` channels further on.
pub(crate) fn advanced(addresses: Addresses, channels: u32) -> Addresses {
    match addresses {
        Addresses::None => Addresses::None,
        Addresses::Dwords(at) => Addresses::Dwords(at + channels * 4),
        Addresses::Qwords(at) => Addresses::Qwords(at + channels * 8),
        Addresses::Offsets { at, signed } => Addresses::Offsets { at: at + channels * 4, signed },
    }
}
