//! Transfers of 32 channels, in one step or in two of 16: one row where they can be, else by
//! halves, aside.

use crate::alike::{Member, Members};
use crate::asm::Label;
use crate::emit::Emitter;
use crate::ir::{Access, Action, Addresses, Combine, Mask, Step, Transfer, Unit};
use crate::live::{reads, touch, writes};
use crate::transfer::{Channels, may_be_row};

/// Some of the channels of a transfer, and what these are alike with.
pub(crate) struct Part {
    pub(crate) mask: Mask,
    pub(crate) transfer: Transfer,
    pub(crate) member: Option<Member>,
}

/// What is done when channels are no row.
#[derive(Clone, Copy)]
pub(crate) enum Otherwise<'a> {
    /// Other ways are tried.
    Other,
    /// The parts of a step, one after the other.
    Parts(&'a [Part]),
    /// The transfers of two steps, each with its number; also when the caller has to do something.
    Steps([(u32, Half<'a>); 2]),
}

/// A step that is half of a pair.
type Half<'a> = (&'a Mask, &'a Transfer);

/// A transfer of at most 16 channels at a time. Nothing when the first ones may write what the
/// caller needs to do all of them.
pub(crate) fn parts(mask: &Mask, transfer: &Transfer, [first, second, _]: Members) -> Option<Vec<Part>> {
    if mask.lanes != u32::MAX {
        return Some(vec![Part { mask: *mask, transfer: transfer.clone(), member: first }]);
    }
    let bytes = transfer.unit.register_bytes();
    let mut reads: Vec<(u32, u32)> = transfer.global.into_iter().collect();
    reads.extend(transfer.addresses.place().map(|at| (at, 32 * transfer.addresses.bytes())));
    reads.extend(transfer.space.number().map(|at| (at, 4)));
    let overlaps = |at: u32| reads.iter().any(|(read, size)| at < read + size && *read < at + 32 * bytes);
    let is_apart = transfer.access != Access::Load || !transfer.elements.iter().any(|(_, at)| overlaps(*at));
    (is_apart && (mask.predicate == 0 || mask.combine == Combine::Each) && mask.shift == 0).then_some(())?;
    let part = |n: u32, member| {
        let elements = transfer.elements.iter().map(|(distance, at)| (*distance, at + n * 16 * bytes)).collect();
        let transfer = Transfer { addresses: behind(transfer.addresses, n * 16), elements, ..transfer.clone() };
        Part { mask: Mask { shift: n * 16, lanes: 0xffff, ..*mask }, transfer, member }
    };
    Some(vec![part(0, first), part(1, second)])
}

/// The addresses of so many channels further.
fn behind(addresses: Addresses, channels: u32) -> Addresses {
    match addresses {
        Addresses::None => Addresses::None,
        Addresses::Dwords(at) => Addresses::Dwords(at + channels * 4),
        Addresses::Qwords(at) => Addresses::Qwords(at + channels * 8),
        Addresses::Offsets { at, signed } => Addresses::Offsets { at: at + channels * 4, signed },
    }
}

/// Whether it is worth while to find out whether 32 channels are one row, where all of them are
/// enabled.
pub(crate) fn may_be_whole(transfer: &Transfer) -> bool {
    // Of several elements of two halves it would matter which are stored last.
    let is_moved = match transfer.access {
        Access::Load => transfer.addresses != Addresses::None,
        Access::Store => transfer.addresses != Addresses::None && transfer.elements.len() == 1,
        Access::Update(_) => false,
    };
    // Those words may be other rows as well.
    let may_cover = matches!(transfer.unit, Unit::Part { bytes: 2, .. }) && transfer.alignment == 1;
    is_moved && may_be_row(transfer) && !may_cover
}

/// Two steps whose channels follow each other, 16 of each, which are one transfer.
pub(crate) struct Pair<'a> {
    halves: [Half<'a>; 2],
    /// How far the second one's elements are behind the first one's in the registers.
    pitch: u32,
    /// What is done between them.
    between: &'a [Step],
}

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

impl Pair<'_> {
    /// Number of steps.
    pub(crate) fn len(&self) -> usize {
        self.between.len() + 2
    }
}

impl Emitter<'_> {
    /// Whether it is worth while for a step here: what is found out once is to be of use again.
    pub(crate) fn may_be_whole(&self, step: u32, mask: &Mask, transfer: &Transfer) -> bool {
        let [.., member] = self.members_of(step);
        self.has_bits && self.is_all(mask) && member.is_some() && may_be_whole(transfer)
    }

    /// The pair that begins with the first of some steps, which has a number, if it is worth while.
    pub(crate) fn pair_of<'s>(&self, number: u32, steps: &'s [Step]) -> Option<Pair<'s>> {
        let Action::Transfer(transfer) = &steps.first()?.action else { return None };
        (!self.routine.count && self.may_be_whole(number, &steps[0].mask, transfer)).then_some(())?;
        let pair = pair(steps)?;
        // States that are set again.
        let is_idle = |step: &Step| match step.action {
            Action::SetState { element, number: Some(number), .. } => {
                self.is_all(&step.mask) && self.states.get(&element) == Some(&number)
            }
            _ => false,
        };
        pair.between.iter().all(is_idle).then_some(pair)
    }

    /// A pair of steps, of which the first has a number.
    pub(crate) fn pair(&mut self, pair: &Pair<'_>, number: u32) -> Option<()> {
        let [first @ (mask, transfer), second] = pair.halves;
        for (mask, transfer) in pair.halves {
            self.prepare(mask, transfer)?;
        }
        self.is_branching = true;
        let [.., member] = self.members_of(number);
        let mask = Mask { lanes: u32::MAX, ..*mask };
        let otherwise = Otherwise::Steps([(number, first), (number + pair.len() as u32 - 1, second)]);
        let slow = self.asm.label();
        self.many(&mask, (transfer, Some(pair.pitch)), (false, member), (slow, otherwise))
    }

    /// Moves the elements of channels that are no row in smaller parts, if there are such. The
    /// labels lead there.
    pub(crate) fn is_by_parts(&mut self, channels: &Channels<'_>, labels: [Label; 3]) -> Option<bool> {
        if let Otherwise::Other = channels.otherwise {
            return Some(false);
        }
        labels.into_iter().for_each(|label| self.asm.bind(label));
        match channels.otherwise {
            Otherwise::Other => {}
            Otherwise::Parts(parts) => self.parts(parts, channels.slow)?,
            Otherwise::Steps(steps) => {
                self.asm.bind(channels.slow);
                for (number, (mask, transfer)) in steps {
                    self.transfer(mask, transfer, number)?;
                }
            }
        }
        Some(true)
    }
}
