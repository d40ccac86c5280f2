//! Contiguous transfers: which ones may move the elements of all channels as one access, and which
//! pairs of steps are one transfer of 32 channels.

use crate::backend::analysis::effects::{reads, touch, writes};
use crate::ir::{Access, Action, Addresses, Mask, Step, Transfer, Unit};

/// Two steps whose channels follow each other, 16 of each, which are one transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) halves: [Half<'a>; 2],
    /// How far the second one's elements are behind the first one's in the registers.
    pub(crate) pitch: u32,
    /// What is done between them.
    pub(crate) between: &'a [Step],
}

impl Pair<'_> {
    /// Number of steps.
    pub(crate) fn len(&self) -> usize {
        self.between.len() + 2
    }
}

/// A step that is half of a pair.
pub(crate) type Half<'a> = (&'a Mask, &'a Transfer);

/// The pair that begins with the first of some steps. States may be set between the two.
pub(crate) fn pair(steps: &[Step]) -> Option<Pair<'_>> {
    let [first, others @ ..] = steps else { return None };
    let Action::Transfer(transfer) = &first.action else { return None };
    let states = others.iter().take_while(|step| matches!(step.action, Action::SetState { .. })).count();
    let (between, second) = (&others[..states], others.get(states)?);
    let Action::Transfer(other) = &second.action else { return None };
    let pitch = other.elements.first()?.1.checked_sub(transfer.elements.first()?.1)?;
    let elements = transfer.elements.iter().map(|(distance, at)| (*distance, at + pitch)).collect();
    let next = Transfer { addresses: behind(transfer.addresses, 16), elements, ..transfer.clone() };
    let mask = first.mask;
    let is_next = next == *other && Mask { shift: mask.shift + 16, ..mask } == second.mask;
    (is_next && mask.predicate == 0 && mask.lanes == 0xffff).then_some(())?;
    let mut others = reads(second).into_iter().map(|(read, _)| read).chain(writes(second));
    let written = writes(first);
    let is_apart = !others.any(|other| written.iter().any(|row| touch(*row, other)));
    is_apart.then_some(Pair { halves: [(&first.mask, transfer), (&second.mask, other)], pitch, between })
}

/// Whether elements one behind the other can be moved as what they are, a row.
pub(crate) fn may_be_contiguous(transfer: &Transfer) -> bool {
    let size = transfer.unit.bytes();
    size.is_multiple_of(transfer.alignment) && size != 3
}

/// Whether it is worth while to find out whether 32 channels are one row, where all of them are
/// enabled.
pub(crate) fn may_be_simd32(transfer: &Transfer) -> bool {
    // Of several elements of two halves it would matter which are stored last.
    let is_moved = match transfer.access {
        Access::Load => transfer.addresses != Addresses::None,
        Access::Store => transfer.addresses != Addresses::None && transfer.elements.len() == 1,
        Access::Update(_) => false,
    };
    // Those words may be other rows as well.
    let may_cover = matches!(transfer.unit, Unit::Part { bytes: 2, .. }) && transfer.alignment == 1;
    is_moved && may_be_contiguous(transfer) && !may_cover
}

/// The addresses of so many channels further.
pub(crate) fn behind(addresses: Addresses, channels: u32) -> Addresses {
    match addresses {
        Addresses::None => Addresses::None,
        Addresses::Dwords(at) => Addresses::Dwords(at + channels * 4),
        Addresses::Qwords(at) => Addresses::Qwords(at + channels * 8),
        Addresses::Offsets { at, signed } => Addresses::Offsets { at: at + channels * 4, signed },
    }
}
