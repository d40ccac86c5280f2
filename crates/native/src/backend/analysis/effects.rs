//! Effects of a step: the elements of the register file that it reads and writes.

use crate::backend::analysis::operands::operands;
use crate::ir::{Access, Action, Binary, Expression, Mask, Node, Step, Transfer, Unit, Update, Value};

/// Elements of the register file that belong to consecutive channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    pub(crate) at: u32,
    /// The size of an element.
    pub(crate) bytes: u32,
    /// The distance from one element to the next.
    pub(crate) pitch: u32,
    pub(crate) count: u32,
}

impl Elements {
    pub(crate) fn one(at: u32, bytes: u32) -> Self {
        Self { at, bytes, pitch: bytes, count: 1 }
    }

    pub(crate) fn element(self, n: u32) -> u32 {
        self.at + n * self.pitch
    }

    /// Returns the places and sizes of the bytes, in as few spans as possible.
    pub(crate) fn spans(self) -> impl Iterator<Item = (u32, u32)> {
        let (count, bytes) =
            if self.bytes == self.pitch { (1, self.count * self.bytes) } else { (self.count, self.bytes) };
        (0..count).map(move |n| (self.element(n), bytes)).filter(|(_, bytes)| *bytes > 0)
    }
}

/// Returns true if the two share a byte.
pub(crate) fn touch(a: Elements, b: Elements) -> bool {
    a.spans().any(|(at, bytes)| b.spans().any(|(other, size)| at < other + size && other < at + bytes))
}

/// Returns true if a step may read and write any register.
pub(crate) fn reaches_all(step: &Step) -> bool {
    matches!(step.action, Action::Outside | Action::Indirect(_))
}

/// Returns the elements that a step writes.
pub(crate) fn writes(step: &Step) -> Vec<Elements> {
    let count = 32 - step.mask.lanes.leading_zeros();
    match &step.action {
        Action::Compute { expression, results, pitch } => {
            let row = |&(result, at): &(Value, u32)| {
                let bytes = expression.nodes.get(result).map_or(0, |(kind, _)| kind.bytes());
                Elements { at, bytes, pitch: pitch.unwrap_or(bytes), count }
            };
            results.iter().map(row).collect()
        }
        Action::Control { at, .. } | Action::Rounding { at, .. } => vec![Elements::one(*at, 4)],
        Action::Transfer(transfer) if transfer.access == Access::Load => {
            let pitch = transfer.unit.register_bytes();
            let bytes = match transfer.unit {
                Unit::Part { bytes, keeps: true } => bytes,
                _ => pitch,
            };
            transfer.elements.iter().map(|(_, at)| Elements { at: *at, bytes, pitch, count }).collect()
        }
        Action::Transfer(Transfer { access: Access::Update(Update { result: Some(at), kind, .. }), .. }) => {
            vec![Elements { at: *at, bytes: kind.bytes(), pitch: kind.bytes(), count }]
        }
        _ => Vec::new(),
    }
}

/// Returns the elements that a step reads, each with true if every channel has its own; addresses
/// come first. Elements that are read only to be written back are left out: their values do not
/// matter.
pub(crate) fn reads(step: &Step) -> Vec<(Elements, bool)> {
    let count = 32 - step.mask.lanes.leading_zeros();
    let row = |at: u32, bytes: u32| (Elements { at, bytes, pitch: bytes, count }, true);
    let one = |at: u32| (Elements::one(at, 4), false);
    let nodes = |expression: &Expression, roots: &[Value]| {
        let loads = expression.nodes.iter().zip(wanted(expression, roots)).filter_map(|((_, node), wanted)| {
            let (Node::Load { at, step }, Some((first, end))) = (*node, wanted) else { return None };
            let (at, bytes) = (at + first, end - first);
            Some(if step == 0 {
                (Elements::one(at, bytes), false)
            } else {
                (Elements { at, bytes, pitch: step, count }, true)
            })
        });
        loads.collect::<Vec<_>>()
    };
    match &step.action {
        Action::Compute { expression, results, .. } => {
            nodes(expression, &results.iter().map(|(result, _)| *result).collect::<Vec<_>>())
        }
        Action::Compare { expression, sides, .. } => nodes(expression, sides),
        Action::SetState { from, .. } => vec![one(*from)],
        Action::Control { at, .. } | Action::Rounding { at, .. } => vec![one(*at)],
        Action::Transfer(transfer) => {
            let mut all = Vec::new();
            all.extend(transfer.addresses.place().map(|at| row(at, transfer.addresses.bytes())));
            all.extend(transfer.global.map(|(at, bytes)| (Elements::one(at, bytes), false)));
            all.extend(transfer.space.number().map(one));
            let has_operand = match transfer.access {
                Access::Load => false,
                Access::Store => true,
                Access::Update(update) => update.change.has_operand(),
            };
            if has_operand {
                let (bytes, pitch) = (transfer.unit.bytes(), transfer.unit.register_bytes());
                all.extend(transfer.elements.iter().map(|(_, at)| (Elements { at: *at, bytes, pitch, count }, true)));
            }
            if let Access::Update(Update { second: Some(at), kind, .. }) = transfer.access {
                all.push(row(at, kind.bytes()));
            }
            all
        }
        Action::SetPredicate { from, number: None, .. } => vec![one(*from)],
        // All registers, which the callers of this function ask for first.
        Action::Outside | Action::Indirect(_) => Vec::new(),
        Action::Nothing | Action::Logic { .. } | Action::SetPredicate { .. } => Vec::new(),
    }
}

/// Returns the range of used bytes of each value: first byte and end. Elements with gaps are loaded
/// as parts of wider elements.
fn wanted(expression: &Expression, roots: &[Value]) -> Vec<Option<(u32, u32)>> {
    let nodes = &expression.nodes;
    let mut wanted: Vec<Option<(u32, u32)>> = vec![None; nodes.len()];
    let want = |wanted: &mut [Option<(u32, u32)>], value: Value, part: Option<(u32, u32)>| {
        if let Some(((kind, _), all)) = nodes.get(value).zip(wanted.get_mut(value)) {
            let (first, end) = part.unwrap_or((0, kind.bytes()));
            let (first, end) = all.map_or((first, end), |(a, b)| (first.min(a), end.max(b)));
            *all = Some((first, end.min(kind.bytes())));
        }
    };
    roots.iter().for_each(|root| want(&mut wanted, *root, None));
    for (n, (kind, node)) in nodes.iter().enumerate().rev() {
        let Some((first, end)) = wanted[n] else { continue };
        let is_wider = |value: Value| {
            nodes
                .get(value)
                .is_some_and(|(from, _)| !from.is_float() && !kind.is_float() && kind.bytes() < from.bytes())
        };
        // The number of bytes by which a value is shifted.
        let shift = |by: Value| match nodes.get(by) {
            Some((_, Node::Constant(bits))) if bits % 8 == 0 => {
                Some(*bits as u32 / 8).filter(|by| *by < kind.bytes())
            }
            _ => None,
        };
        let part = match *node {
            Node::Convert { value, saturate: false } if is_wider(value) => Some((value, first, end)),
            // The bits that come in at the top are copies of the uppermost byte's sign.
            Node::Binary(Binary::Shr, value, by) => {
                shift(by).map(|by| (value, (first + by).min(kind.bytes() - 1), end + by))
            }
            _ => None,
        };
        match part {
            Some((value, first, end)) => want(&mut wanted, value, Some((first, end))),
            None => operands(node).into_iter().for_each(|value| want(&mut wanted, value, None)),
        }
    }
    wanted
}

/// Returns true if the channels of a mask are the first ones, without gaps.
pub(crate) fn is_dense(mask: &Mask) -> bool {
    mask.lanes.trailing_ones() == mask.lanes.count_ones()
}
