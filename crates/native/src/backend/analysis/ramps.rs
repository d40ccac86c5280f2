//! Ramps: rows of elements that grow by the same number from channel to channel. The first element
//! determines the others.

use std::collections::BTreeMap;

use crate::backend::analysis::contiguity::{ROW, are_rows, may_be_contiguous};
use crate::backend::analysis::effects::{Elements, is_dense, reaches_all, writes};
use crate::backend::analysis::structures::{Structures, structures};
use crate::ir::{
    Access, Action, Addresses, Binary, Expression, Kind, Mask, Node, Routine, Step, Transfer, Unary, Unit, Value,
};

/// A ramp in the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ramp {
    pub(crate) at: u32,
    /// Size of an element.
    bytes: u32,
    lanes: u32,
    pub(crate) slope: Slope,
}

/// Growth of a value from channel to channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slope {
    /// Difference of neighbors, modulo the size of an element.
    step: u64,
    /// True if no element wraps when the value is extended.
    is_small: bool,
    /// True if the values do not wrap because that is checked.
    pub(crate) is_checked: bool,
}

/// The part that ramps have in a step, where all channels of its block are active.
#[derive(Clone, Debug)]
pub(crate) struct StepRamps {
    /// Number of channels of each ramp: all channels of the step, or 16 of 32.
    pub(crate) lanes: u32,
    /// Step of the result of a computation, if it consists of ramps of which the first elements
    /// suffice.
    pub(crate) result: Option<u64>,
    /// Values that must not wrap between the first channel and the last; otherwise the code behind
    /// the step does not apply.
    pub(crate) checks: Vec<Check>,
    /// Form of a transfer whose addresses are ramps.
    pub(crate) form: Option<Form>,
    /// True if the result or the form relies on checks.
    pub(crate) is_checked: bool,
}

impl StepRamps {
    /// Returns the part of a step without ramps.
    pub(crate) const fn none() -> Self {
        Self { lanes: 0, result: None, checks: Vec::new(), form: None, is_checked: false }
    }
}

/// Form of a transfer whose addresses are a ramp, modulo the size of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The elements of the channels follow each other.
    Contiguous,
    /// All channels load the same elements.
    Uniform,
    /// The structures of 16 channels follow each other.
    Structures(Structures),
    /// The elements of consecutive channels are this number of bytes apart.
    Apart(u32),
}

impl Form {
    /// Returns the distance of the elements of consecutive channels in bytes.
    pub(crate) fn step(self, unit: Unit) -> u32 {
        match self {
            Self::Contiguous => unit.bytes(),
            Self::Uniform => 0,
            Self::Structures(all) => all.pitch(),
            Self::Apart(step) => step,
        }
    }
}

/// A value of 32 bits that must not wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) value: Value,
    /// The first channel.
    pub(crate) channel: u32,
    /// Difference between the first channel and the last.
    pub(crate) total: u32,
    pub(crate) is_signed: bool,
}

/// Returns the bytes that a step writes, and perhaps bytes between them: beginnings and ends.
pub(crate) fn written(step: &Step) -> impl Iterator<Item = (u32, u32)> {
    let end = |row: &Elements| row.at + row.pitch * row.count.saturating_sub(1) + row.bytes;
    writes(step).into_iter().map(move |row| (row.at, end(&row)))
}

impl Ramp {
    /// Returns true if a write to the bytes from `at` to `end` changes the row.
    fn touches(&self, at: u32, end: u32) -> bool {
        self.at < end && at < self.end()
    }

    /// Returns the place after the row.
    pub(crate) fn end(&self) -> u32 {
        self.at + self.bytes * self.lanes
    }
}

/// The ramps at a place of a block, by their first bytes. They do not overlap.
#[derive(Clone, Debug)]
pub(crate) struct Ramps {
    rows: BTreeMap<u32, Ramp>,
    /// The largest number of channels of a ramp.
    pub(crate) most: u32,
    /// True if vectors have 16 dwords.
    has_bits: bool,
}

impl Ramps {
    /// Returns the ramps of a thread that begins.
    pub(crate) fn initial(routine: &Routine, has_bits: bool) -> Self {
        let rows = routine.ramps.iter().map(|row| {
            let slope = Slope { step: row.step.into(), ..UNIFORM };
            (row.at, Ramp { at: row.at, bytes: 2, lanes: row.lanes, slope })
        });
        let has_halves = routine.ramps.iter().any(|row| row.lanes == HALF);
        Self { rows: rows.collect(), most: if has_halves { HALF } else { u32::BITS }, has_bits }
    }

    /// Returns other ramps of the same routine.
    pub(crate) fn with_rows(&self, rows: impl Iterator<Item = Ramp>) -> Self {
        Self { rows: rows.map(|row| (row.at, row)).collect(), ..*self }
    }

    /// Returns the ramps, by their places.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Ramp> {
        self.rows.values()
    }

    /// Moves past a step, and returns its part.
    pub(crate) fn step(&mut self, step: &Step) -> StepRamps {
        let (mask, mut new) = (&step.mask, Vec::new());
        let all = mask.lanes.count_ones();
        let lanes = all.min(self.most);
        let mut found = StepRamps { lanes, ..StepRamps::none() };
        if mask.predicate == 0 && is_dense(mask) && lanes > 1 && all.is_multiple_of(lanes) {
            let firsts = || (0..all).step_by(lanes as usize);
            match &step.action {
                Action::Compute { expression, results, pitch: None } => {
                    if let [(result, to)] = results[..]
                        && let bytes = expression.nodes[result].0.bytes()
                        && lanes * bytes >= LEAST
                        && lanes.is_power_of_two()
                        && let mut checks = Vec::new()
                        && let values =
                            firsts().map(|first| self.value(expression, result, mask, (first, lanes), &mut checks))
                        && let Some(slope) = equal(values)
                    {
                        (found.result, found.is_checked) = (Some(slope.step), slope.is_checked);
                        found.checks = checks;
                        new.extend(firsts().map(|first| Ramp { at: to + first * bytes, bytes, lanes, slope }));
                    }
                }
                Action::Transfer(transfer) if !mask.always => {
                    let (at, bytes) = match transfer.addresses {
                        Addresses::Dwords(at) => (at, 4),
                        Addresses::Qwords(at) => (at, 8),
                        // An extended offset may wrap.
                        Addresses::None | Addresses::Offsets { .. } => (0, 0),
                    };
                    let slope = equal(firsts().map(|first| self.load(at + first * bytes, (bytes, bytes), lanes)));
                    found.form = slope.and_then(|slope| {
                        let step = wrapped(slope.step.wrapping_mul(transfer.scale.into()), bytes);
                        form(transfer, step, self.has_bits && lanes.is_multiple_of(HALF))
                    });
                    found.is_checked = slope.is_some_and(|slope| slope.is_checked);
                }
                _ => {}
            }
        }
        if reaches_all(step) {
            self.rows.clear();
        }
        written(step).for_each(|(at, end)| self.forget(at, end));
        self.rows.extend(new.into_iter().map(|new| (new.at, new)));
        found
    }

    /// Forgets the rows that a write to the bytes from `at` to `end` changes.
    fn forget(&mut self, at: u32, end: u32) {
        while let Some((first, _)) = self.rows.range(..end).next_back().filter(|(_, row)| row.touches(at, end)) {
            let first = *first;
            self.rows.remove(&first);
        }
    }

    /// Returns the slope of the elements of `lanes` channels, each `step` bytes after the one
    /// before.
    fn load(&self, at: u32, (bytes, step): (u32, u32), lanes: u32) -> Option<Slope> {
        let (_, row) = self.rows.range(..=at).next_back()?;
        let is_part = row.bytes == step && (at - row.at).is_multiple_of(step) && at + step * lanes <= row.end();
        let slope = is_part.then_some(row.slope)?;
        // The low bytes of wider elements may wrap.
        Some(if bytes == step { slope } else { sloping(slope.step, bytes, slope.is_checked) })
    }

    /// Returns the slope of an expression's value in `lanes` channels from `first` on, and adds the
    /// values that must not wrap to `checks`.
    fn value(
        &self,
        expression: &Expression,
        result: Value,
        mask: &Mask,
        (first, lanes): (u32, u32),
        checks: &mut Vec<Check>,
    ) -> Option<Slope> {
        let mut slopes: Vec<Option<Slope>> = Vec::with_capacity(result + 1);
        for (kind, node) in &expression.nodes[..=result] {
            let of = |value: Value| slopes.get(value).copied().flatten();
            let slope = match *node {
                Node::Load { step: 0, .. } | Node::Constant(_) => Some(UNIFORM),
                // The elements of inactive channels are unknown.
                Node::Load { at, step } if step >= kind.bytes() && !mask.always => {
                    self.load(at + first * step, (kind.bytes(), step), lanes)
                }
                Node::Load { .. } | Node::Pick(..) | Node::Call(..) => None,
                Node::Convert { value, saturate } => {
                    let from = expression.nodes[value].0;
                    of(value).and_then(|slope| convert(slope, (from, *kind, saturate), (value, first, lanes), checks))
                }
                Node::Unary(unary, a) => of(a).and_then(|a| match unary {
                    _ if a.step == 0 => Some(a),
                    Unary::Neg | Unary::Not if !kind.is_float() => {
                        Some(sloping(a.step.wrapping_neg(), kind.bytes(), a.is_checked))
                    }
                    _ => None,
                }),
                Node::Binary(binary, a, b) => of(a).zip(of(b)).and_then(|(a_slope, b_slope)| {
                    let number = |value: Value| match expression.nodes[value].1 {
                        Node::Constant(bits) => Some(bits),
                        _ => None,
                    };
                    combine(*kind, binary, [(a_slope, number(a)), (b_slope, number(b))])
                }),
                Node::Fused(a, b, c) => [a, b, c].iter().all(|value| of(*value) == Some(UNIFORM)).then_some(UNIFORM),
                Node::Holds(_, a, b) => [a, b].iter().all(|value| of(*value) == Some(UNIFORM)).then_some(UNIFORM),
            };
            slopes.push(slope);
        }
        slopes.pop().flatten()
    }
}

/// Number of channels of each half of 32.
const HALF: u32 = 16;

/// Distance of channels whose lines are in few sets of the cache.
const FAR: u32 = 1 << 10;

/// Largest distance of channels in bytes.
const FARTHEST: u32 = 1 << 16;

/// The fewest bytes of a row that are worthwhile.
const LEAST: u32 = 32;

/// The slope of equal elements.
const UNIFORM: Slope = Slope { step: 0, is_small: true, is_checked: false };

/// Returns the slope that several ramps have in common.
fn equal(mut slopes: impl Iterator<Item = Option<Slope>>) -> Option<Slope> {
    let slope = slopes.next()??;
    slopes.all(|other| other == Some(slope)).then_some(slope)
}

/// Returns the form of a transfer whose addresses grow by a number of bytes. `is_wide` is true if a
/// vector has 16 of its channels.
fn form(transfer: &Transfer, step: u64, is_wide: bool) -> Option<Form> {
    (!matches!(transfer.access, Access::Update(_)) && may_be_contiguous(transfer)).then_some(())?;
    match step {
        0 if transfer.access == Access::Load => Some(Form::Uniform),
        _ if step == u64::from(transfer.unit.bytes()) => Some(Form::Contiguous),
        _ => {
            let mut all = structures(transfer).iter().copied().filter(|_| is_wide);
            let structures = all.find(|all| step == u64::from(all.pitch())).map(Form::Structures);
            structures.or_else(|| apart(transfer, step))
        }
    }
}

/// Returns the form of a transfer whose elements are `step` bytes apart, if that makes it faster.
fn apart(transfer: &Transfer, step: u64) -> Option<Form> {
    let step = u32::try_from(step).ok().filter(|step| (1..=FARTHEST).contains(step))?;
    let is_faster = match (transfer.access, transfer.unit) {
        (_, Unit::Qword) if !are_rows(transfer) || step < ROW => false,
        (Access::Load, unit) => matches!(unit, Unit::Dword | Unit::Qword),
        // Far elements are in lines of few sets of the host's cache: early stores displace others.
        (_, _) => step < FAR || !step.is_multiple_of(FAR),
    };
    (is_faster && step.is_multiple_of(transfer.alignment)).then_some(Form::Apart(step))
}

/// Returns a number modulo the size of an element.
fn wrapped(step: u64, bytes: u32) -> u64 {
    if bytes == 0 { 0 } else { step & (u64::MAX >> (64 - bytes * 8)) }
}

/// Returns the slope of elements that may wrap.
fn sloping(step: u64, bytes: u32, is_checked: bool) -> Slope {
    let step = wrapped(step, bytes);
    Slope { step, is_small: step == 0, is_checked }
}

/// Returns the slope of an operation on integers; a constant operand has its number.
fn combine(kind: Kind, binary: Binary, [(a, by_a), (b, by_b)]: [(Slope, Option<u64>); 2]) -> Option<Slope> {
    let is_checked = a.is_checked || b.is_checked;
    if a.step == 0 && b.step == 0 {
        return Some(Slope { is_checked, ..UNIFORM });
    }
    if kind.is_float() {
        return None;
    }
    let step = match binary {
        Binary::Add => a.step.wrapping_add(b.step),
        Binary::Sub => a.step.wrapping_sub(b.step),
        Binary::Mul => match (by_a, by_b) {
            (_, Some(by)) => a.step.wrapping_mul(by),
            (Some(by), _) => b.step.wrapping_mul(by),
            _ => return None,
        },
        Binary::Shl => a.step.checked_shl(u32::try_from(by_b?).ok()?)?,
        _ => return None,
    };
    Some(sloping(step, kind.bytes(), is_checked))
}

/// Returns the slope of a converted value, and adds a check if it must not wrap.
fn convert(
    slope: Slope,
    (from, to, saturate): (Kind, Kind, bool),
    (value, channel, lanes): (Value, u32, u32),
    checks: &mut Vec<Check>,
) -> Option<Slope> {
    if slope.step == 0 {
        return Some(slope);
    }
    if saturate || from.is_float() || to.is_float() {
        return None;
    }
    if slope.is_small && to.bytes() > 1 {
        return Some(slope);
    }
    if to.bytes() <= from.bytes() {
        return Some(sloping(slope.step, to.bytes(), slope.is_checked));
    }
    (from.bytes() == 4).then_some(())?;
    let (step, distance) = (slope.step as u32, lanes - 1);
    let total = if from.is_signed() {
        (step as i32).checked_mul(distance as i32)? as u32
    } else {
        step.checked_mul(distance)?
    };
    checks.push(Check { value, channel, total, is_signed: from.is_signed() });
    let step = if from.is_signed() { i64::from(step as i32) as u64 } else { step.into() };
    Some(sloping(step, to.bytes(), true))
}
