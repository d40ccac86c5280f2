//! 64-bit products. Compilers compute them from products of 32 bits, because the hardware has no
//! 64-bit multiplier. Native code multiplies once, in the step that completes the products.

use std::ops::Range;

use crate::code::routine::{DebugLoc, Replaced};
use crate::lowering::step::Run;
use visakit_machine::lane::{MAX_LANES, enabled_lanes};
use visakit_machine::thread::{ExecMask, Registers, ones};
use visakit_native::HAS_BACK_END;
use visakit_native::ir::{Action, Binary, Expression, Kind, Node, Value};

/// Returns the replaced steps of a block of `steps`, in no order. Those that multiply also have an
/// operation. Without native code there are none.
pub(super) fn products(steps: Range<u32>, actions: &[Action], marks: &[DebugLoc]) -> Vec<(Replaced, Option<Run>)> {
    if !HAS_BACK_END {
        return Vec::new();
    }
    let block = Steps { first: steps.start as usize, actions, marks };
    let mut all: Vec<Multiplication> = Vec::new();
    for next in steps.filter_map(|n| block.multiplication(n as usize)) {
        match all.pop_if(|last| last.is_before(&next)) {
            Some(last) => all.push(last.and(&next)),
            None => all.push(next),
        }
    }
    let nothing = |step: usize| Replaced { step: step as u32, enable: marks[step].enable, action: Action::Nothing };
    let mut replaced: Vec<_> =
        all.iter().flat_map(|product| &product.without).map(|step| (nothing(*step), None)).collect();
    replaced.extend(all.into_iter().map(Multiplication::finish).map(|(product, run)| (product, Some(run))));
    replaced
}

/// Number of steps in which the parts of a product are sought.
const NEAR: usize = 64;

/// The steps of a block, after those of other blocks.
#[derive(Clone, Copy)]
struct Steps<'a> {
    /// Index of the block's first step.
    first: usize,
    actions: &'a [Action],
    marks: &'a [DebugLoc],
}

/// A value that a step computes for consecutive channels.
#[derive(Clone, Copy)]
struct Computed<'a> {
    step: usize,
    expression: &'a Expression,
    value: Value,
    /// Number of the first channel that matters.
    skipped: u32,
}

/// An element of 32 bits for each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Constant(u32),
    /// Elements in the registers, `step` bytes apart.
    Element {
        at: u32,
        step: u32,
    },
}

/// A factor of 64 bits for each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factor {
    Constant(u64),
    /// Elements in the registers, `step` bytes apart.
    Whole {
        at: u32,
        step: u32,
    },
    /// An extended word.
    Extended(Word, Kind),
    /// Low and high word.
    Joined(Word, Word),
}

/// A half of a qword.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Low,
    High,
}

/// Factors whose products a step completes.
struct Multiplication {
    step: usize,
    factors: [Factor; 2],
    /// Place of the first product.
    to: u32,
    enable: ExecMask,
    /// Earlier steps whose results the products replace.
    without: Vec<usize>,
}

impl<'a> Steps<'a> {
    /// Returns the multiplication that step `n` completes: its results are the sums of the high
    /// word of `a * b`, the cross products `a * high_b` and `b * high_a`, and below them the low
    /// word of `a * b`.
    fn multiplication(self, n: usize) -> Option<Multiplication> {
        let (enable, lanes) = (self.marks[n].enable, self.marks[n].enable.lanes.count_ones());
        let (to, [low, sum]) = self.halves(n, enable)?;
        let word = |n: usize, word: Word| self.source(n, word, enable);
        in_any_order(sum.pair(Binary::Add)?, |[carries, cross]| {
            let (carries, cross) = (word(sum.step, carries)?, word(sum.step, cross)?);
            in_any_order(carries.pair(Binary::Add)?, |[high, other]| {
                let (high, other) = (word(carries.step, high)?, word(carries.step, other)?);
                let words = factors([low, high], [cross, other])?;
                let begin = [carries, cross, high, other, low].map(|part| part.step).into_iter().min()?;
                let is_kept = |word: &Word| self.is_kept(begin..n, &word.place(lanes));
                words.iter().flatten().all(is_kept).then_some(())?;
                let place = to..to + 8 * lanes;
                let is_unread = (low.step + 1..n).all(|n| !self.reads(n, &place));
                let without = if is_unread && lanes > 1 { vec![low.step] } else { Vec::new() };
                let factors = words.map(|words| self.factor(n, words, enable));
                Some(Multiplication { step: n, factors, to, enable, without })
            })
        })
    }

    /// Returns the place of the first qword that step `n` completes by writing the high word, and
    /// the steps that compute its words. The only channel's words may be copies.
    fn halves(self, n: usize, enable: ExecMask) -> Option<(u32, [Computed<'a>; 2])> {
        let last = self.computed(n)?;
        if enable.lanes == 1 {
            let to = self.written(n)?.start.checked_sub(4).filter(|to| to.is_multiple_of(8))?;
            let high = self.origin(n, last.copied()?)?;
            return Some((to, [self.origin(n, Word::Element { at: to, step: 0 })?, high]));
        }
        let (to, high) = last.part(self, Half::High)?;
        let low = self.covering(n, (to, 8), enable)?;
        Some((to, [low.part(self, Half::Low)?.1, high]))
    }

    /// Returns the step before step `n` that computes the only channel's word, past copies.
    fn origin(self, n: usize, word: Word) -> Option<Computed<'a>> {
        let source = self.source(n, word, ExecMask::all(1))?;
        match source.copied() {
            Some(word) => self.origin(source.step, word),
            None => Some(source),
        }
    }

    /// Returns the value of a step that computes one.
    fn computed(self, n: usize) -> Option<Computed<'a>> {
        match (self.actions.get(n)?, self.marks.get(n)?.enable.predicate) {
            (Action::Compute { expression, results, pitch: None }, 0) if let [(value, _)] = results[..] => {
                Some(Computed { step: n, expression, value, skipped: 0 })
            }
            _ => None,
        }
    }

    /// Returns the places that a step may write to; `None` for unknown places.
    fn written(self, n: usize) -> Option<Range<u32>> {
        match &self.actions[n] {
            Action::Compute { expression, results, pitch: None } if let [(value, at)] = results[..] => {
                let lanes = u32::BITS - self.marks[n].enable.lanes.leading_zeros();
                Some(at..at + expression.nodes.get(value)?.0.bytes() * lanes)
            }
            Action::Nothing | Action::Compare { .. } | Action::Logic { .. } | Action::SetPredicate { .. } => {
                Some(0..0)
            }
            _ => None,
        }
    }

    /// Returns true if a step may read a place.
    fn reads(self, n: usize, place: &Range<u32>) -> bool {
        let Action::Compute { expression, .. } = &self.actions[n] else { return true };
        let lanes = u32::BITS - self.marks[n].enable.lanes.leading_zeros();
        expression.nodes.iter().any(|(kind, node)| match *node {
            Node::Load { at, step } => at < place.end && place.start < at + step * (lanes - 1) + kind.bytes(),
            _ => false,
        })
    }

    /// Returns true if a step may change a place.
    fn changes(self, n: usize, place: &Range<u32>) -> bool {
        self.written(n).is_none_or(|other| other.start < place.end && place.start < other.end)
    }

    /// Returns true if steps do not change a place.
    fn is_kept(self, mut steps: Range<usize>, place: &Range<u32>) -> bool {
        !steps.any(|n| self.changes(n, place))
    }

    /// Returns the value before step `n` of elements from `at` on, in channels of `enable`.
    fn covering(self, n: usize, (at, bytes): (u32, u32), enable: ExecMask) -> Option<Computed<'a>> {
        let place = at..at + bytes * enable.lanes.count_ones();
        let near = self.first.max(n.saturating_sub(NEAR))..n;
        let step = near.rev().find(|step| self.changes(*step, &place))?;
        let (found, written, mask) = (self.computed(step)?, self.written(step)?, self.marks[step].enable);
        let skipped = at.checked_sub(written.start)? / bytes;
        let is_same = found.expression.nodes[found.value].0.bytes() == bytes && written.start + skipped * bytes == at;
        let covers = mask.lanes == ones(mask.lanes.count_ones() as usize) && place.end <= written.end;
        let has_channels = mask.always != 0 || enable.always == 0 && mask.shift + skipped == enable.shift;
        (is_same && covers && has_channels).then_some(Computed { skipped, ..found })
    }

    /// Returns the value before step `n` of a word in the registers.
    fn source(self, n: usize, word: Word, enable: ExecMask) -> Option<Computed<'a>> {
        match word {
            Word::Element { at, step: 4 } => self.covering(n, (at, 4), enable),
            Word::Element { at, step: 0 } => self.covering(n, (at, 4), ExecMask::all(1)),
            _ => None,
        }
    }

    /// Returns the factor whose words are `low` and `high` before step `n`.
    fn factor(self, n: usize, [low, high]: [Word; 2], enable: ExecMask) -> Factor {
        match [low, high] {
            [Word::Constant(low), Word::Constant(high)] => Factor::Constant(u64::from(high) << 32 | u64::from(low)),
            [_, Word::Constant(0)] => Factor::Extended(low, Kind::U32),
            [Word::Element { at, step: step @ (0 | 8) }, Word::Element { at: next, step: other }]
                if next == at + 4 && other == step =>
            {
                Factor::Whole { at, step }
            }
            words => self.source_of_halves(n, words, enable).unwrap_or(Factor::Joined(low, high)),
        }
    }

    /// Returns the word that an earlier step extends to `low` and `high`, or the qword of which
    /// they are copies.
    fn source_of_halves(self, n: usize, [low, high]: [Word; 2], enable: ExecMask) -> Option<Factor> {
        let lanes = enable.lanes.count_ones();
        let high = self.source(n, high, enable)?;
        if high.sign() == Some(low) && self.is_kept(high.step..n, &low.place(lanes)) {
            return Some(Factor::Extended(low, Kind::I32));
        }
        let low = self.source(n, low, enable)?;
        let qword = low.half(Half::Low).filter(|qword| high.half(Half::High) == Some(*qword))?;
        let Word::Element { at, step } = qword else { return None };
        let place = at..at + step * (lanes - 1) + 8;
        self.is_kept(low.step.min(high.step)..n, &place).then_some(Factor::Whole { at, step })
    }
}

impl Computed<'_> {
    /// Returns a node of the value.
    fn node(&self, value: Value) -> Option<(Kind, Node)> {
        self.expression.nodes.get(value).copied()
    }

    /// Returns a node without conversions between words.
    fn plain(&self, value: Value) -> Option<(Kind, Node)> {
        match self.node(value)? {
            (Kind::U32 | Kind::I32, Node::Convert { value: from, saturate: false })
                if matches!(self.node(from)?.0, Kind::U32 | Kind::I32) =>
            {
                self.plain(from)
            }
            node => Some(node),
        }
    }

    /// Returns a word that is no result of an operation.
    fn word(&self, value: Value) -> Option<Word> {
        match self.plain(value)? {
            (Kind::U32 | Kind::I32, Node::Constant(bits)) => Some(Word::Constant(bits as u32)),
            (Kind::U32 | Kind::I32, Node::Load { at, step }) => {
                Some(Word::Element { at: at + self.skipped * step, step })
            }
            _ => None,
        }
    }

    /// Returns the word in the registers that the value is a copy of.
    fn copied(&self) -> Option<Word> {
        self.word(self.value).filter(|word| matches!(word, Word::Element { .. }))
    }

    /// Returns the operands if the value is the result of an operation on words.
    fn pair(&self, operation: Binary) -> Option<[Word; 2]> {
        match self.plain(self.value)?.1 {
            Node::Binary(binary, a, b) if binary == operation => Some([self.word(a)?, self.word(b)?]),
            _ => None,
        }
    }

    /// Returns the place of the first qword, and the value of its word, if the step writes only one
    /// half of qwords.
    fn part(self, steps: Steps<'_>, half: Half) -> Option<(u32, Self)> {
        let node = |value: Value| self.node(value).map(|(_, node)| node);
        let at = steps.written(self.step)?.start;
        let Node::Binary(Binary::Or, kept, new) = node(self.value)? else { return None };
        let Node::Binary(Binary::And, old, mask) = node(kept)? else { return None };
        let (kept, new) = match (half, node(new)?) {
            (Half::Low, _) => (u64::MAX << 32, new),
            (Half::High, Node::Binary(Binary::Shl, new, by)) if node(by)? == Node::Constant(32) => {
                (u64::MAX >> 32, new)
            }
            _ => return None,
        };
        let Node::Convert { value, saturate: false } = node(new)? else { return None };
        (node(old)? == Node::Load { at, step: 8 } && node(mask)? == Node::Constant(kept)).then_some(())?;
        Some((at + self.skipped * 8, Self { value, ..self }))
    }

    /// Returns the qwords, by the place of the first and their distance, of which the value is one
    /// half.
    fn half(&self, half: Half) -> Option<Word> {
        let Node::Convert { value: from, saturate: false } = self.plain(self.value)?.1 else { return None };
        let from = match (half, self.node(from)?) {
            (Half::Low, from) => from,
            (Half::High, (_, Node::Binary(Binary::Shr, from, by))) if self.node(by)?.1 == Node::Constant(32) => {
                self.node(from)?
            }
            _ => return None,
        };
        match from {
            (Kind::U64 | Kind::I64, Node::Load { at, step }) => {
                Some(Word::Element { at: at + self.skipped * step, step })
            }
            _ => None,
        }
    }

    /// Returns the factors if the value is the high word of a product.
    fn high_product(&self) -> Option<[Word; 2]> {
        let node = |value: Value| self.node(value).map(|(_, node)| node);
        let Node::Convert { value: high, saturate: false } = self.plain(self.value)?.1 else { return None };
        let Node::Binary(Binary::Shr, product, by) = node(high)? else { return None };
        let Node::Binary(Binary::Mul, a, b) = node(product)? else { return None };
        (node(by)? == Node::Constant(32)).then_some(())?;
        let extended = |value: Value| match node(value)? {
            Node::Convert { value, saturate: false } if self.node(value)?.0 == Kind::U32 => self.word(value),
            _ => None,
        };
        Some([extended(a)?, extended(b)?])
    }

    /// Returns the factors if the value is a product of words; no factors if it is zero.
    fn cross_product(&self) -> Option<Option<[Word; 2]>> {
        match self.word(self.value) {
            Some(Word::Constant(0)) => Some(None),
            _ => self.pair(Binary::Mul).map(Some),
        }
    }

    /// Returns the word whose sign fills the value.
    fn sign(&self) -> Option<Word> {
        let (Kind::I32, Node::Binary(Binary::Shr, from, by)) = self.plain(self.value)? else { return None };
        (self.node(by)?.1 == Node::Constant(31)).then(|| self.word(from))?
    }
}

/// Returns the low and the high word of two factors, from the words of their product and from the
/// products of a low and a high word.
fn factors([low, high]: [Computed<'_>; 2], [a, b]: [Computed<'_>; 2]) -> Option<[[Word; 2]; 2]> {
    let crosses = [a.cross_product()?, b.cross_product()?];
    in_any_order(low.pair(Binary::Mul)?, |[a, b]| {
        (high.high_product()? == [a, b]).then_some(())?;
        let [high_a, high_b] = in_any_order(crosses, |[x, y]| Some([cofactor(x, b)?, cofactor(y, a)?]))?;
        Some([[a, high_a], [b, high_b]])
    })
}

/// Returns the other factor of a product of words.
fn cofactor(product: Option<[Word; 2]>, factor: Word) -> Option<Word> {
    match product {
        None => Some(Word::Constant(0)),
        Some([a, b]) => in_any_order([a, b], |[a, b]| (a == factor).then_some(b)),
    }
}

/// Returns the result of a function of two values, one way or the other.
fn in_any_order<T: Copy, R>([a, b]: [T; 2], f: impl Fn([T; 2]) -> Option<R>) -> Option<R> {
    f([a, b]).or_else(|| f([b, a]))
}

impl Word {
    /// Returns the place of the channels' elements.
    fn place(self, lanes: u32) -> Range<u32> {
        match self {
            Self::Constant(_) => 0..0,
            Self::Element { at, step } => at..at + step * (lanes - 1) + 4,
        }
    }

    /// Returns the word of the channels after the first `lanes`.
    fn after(self, lanes: u32) -> Self {
        match self {
            Self::Element { at, step } => Self::Element { at: at + lanes * step, step },
            constant => constant,
        }
    }

    /// Adds a node for the word.
    fn push(self, expression: &mut Expression, kind: Kind) -> Value {
        expression.push(
            kind,
            match self {
                Self::Constant(bits) => Node::Constant(bits.into()),
                Self::Element { at, step } => Node::Load { at, step },
            },
        )
    }

    /// Returns a channel's value.
    fn of(self, registers: &Registers, lane: u32) -> u32 {
        match self {
            Self::Constant(bits) => bits,
            Self::Element { at, step } => registers.get(at + lane * step),
        }
    }
}

impl Factor {
    /// Returns the factor of the channels after the first `lanes`.
    fn after(self, lanes: u32) -> Self {
        match self {
            Self::Constant(_) => self,
            Self::Whole { at, step } => Self::Whole { at: at + lanes * step, step },
            Self::Extended(word, kind) => Self::Extended(word.after(lanes), kind),
            Self::Joined(low, high) => Self::Joined(low.after(lanes), high.after(lanes)),
        }
    }

    /// Adds a node for the factor.
    fn push(self, expression: &mut Expression) -> Value {
        let extended = |expression: &mut Expression, word: Word, kind: Kind| {
            let value = word.push(expression, kind);
            expression.push(Kind::U64, Node::Convert { value, saturate: false })
        };
        match self {
            Self::Constant(bits) => expression.push(Kind::U64, Node::Constant(bits)),
            Self::Whole { at, step } => expression.push(Kind::U64, Node::Load { at, step }),
            Self::Extended(word, kind) => extended(expression, word, kind),
            Self::Joined(low, high) => {
                let [low, high] = [low, high].map(|word| extended(expression, word, Kind::U32));
                let by = expression.push(Kind::U64, Node::Constant(32));
                let high = expression.push(Kind::U64, Node::Binary(Binary::Shl, high, by));
                expression.push(Kind::U64, Node::Binary(Binary::Or, low, high))
            }
        }
    }

    /// Returns a channel's value.
    fn of(self, registers: &Registers, lane: u32) -> u64 {
        match self {
            Self::Constant(bits) => bits,
            Self::Whole { at, step } => registers.get(at + lane * step),
            Self::Extended(word, Kind::I32) => i64::from(word.of(registers, lane) as i32) as u64,
            Self::Extended(word, _) => word.of(registers, lane).into(),
            Self::Joined(low, high) => u64::from(high.of(registers, lane)) << 32 | u64::from(low.of(registers, lane)),
        }
    }
}

impl Multiplication {
    /// Returns true if the next step completes the products of the channels that follow.
    fn is_before(&self, next: &Self) -> bool {
        let lanes = self.enable.lanes.count_ones();
        let behind = ExecMask { shift: self.enable.shift + lanes, ..self.enable };
        self.step + 1 == next.step
            && next.to == self.to + lanes * 8
            && next.enable == behind
            && next.factors == self.factors.map(|factor| factor.after(lanes))
    }

    /// Returns the multiplication of all channels.
    fn and(mut self, next: &Self) -> Self {
        let lanes = self.enable.lanes.count_ones() + next.enable.lanes.count_ones();
        self.without.extend_from_slice(&next.without);
        self.without.push(self.step);
        Self { step: next.step, enable: ExecMask { lanes: ones(lanes as usize), ..self.enable }, ..self }
    }

    /// Returns the step that multiplies, and its operation.
    fn finish(self) -> (Replaced, Run) {
        let Self { step, factors: [a, b], to, enable, .. } = self;
        let mut expression = Expression::default();
        let factors = [a, b].map(|factor| factor.push(&mut expression));
        let product = expression.push(Kind::U64, Node::Binary(Binary::Mul, factors[0], factors[1]));
        let action = Action::Compute { expression, results: vec![(product, to)], pitch: None };
        let run = Run::new(move |thread, _| {
            let mut products = [0; MAX_LANES];
            let enabled = thread.enabled(&enable);
            for lane in enabled_lanes::<MAX_LANES>(enabled) {
                let [a, b] = [a, b].map(|factor| factor.of(&thread.registers, lane as u32));
                products[lane] = a.wrapping_mul(b);
            }
            for lane in enabled_lanes::<MAX_LANES>(enabled) {
                thread.registers.set(to + lane as u32 * 8, products[lane]);
            }
            Ok(())
        });
        (Replaced { step: step as u32, enable, action }, run)
    }
}
