//! Recording of operations for native code, from the same definitions that the interpreter
//! executes.
//!
//! A [`Node`] implements the [`algebra`](crate::operation::algebra), so an operation applied to
//! nodes builds an expression in a [`Recording`]. This module also records the conversions and
//! modifiers of the operands.

use std::cell::{Cell, RefCell};

use bytemuck::Pod;
use visakit_native::host::Vectors;
use visakit_native::ir::{self, Action, Binary, Expression, Function, Kind, Operands, Relation, Unary, Value};

use crate::operation::algebra::{Integer as _, Lane as _, Scalar};
use visakit::isa::DataType;
use visakit_machine::lane::{Change, Element, from_lanes};
use visakit_machine::operand::{Destination, SourcePlace, Target};
use visakit_machine::thread::{Combine, ExecMask};

/// An expression under construction.
#[derive(Default)]
pub(crate) struct Recording {
    expression: RefCell<Expression>,
    /// True if an unsupported operation was requested.
    is_unknown: Cell<bool>,
}

/// A value of a recording.
#[derive(Clone, Copy)]
pub(crate) struct Node<'r> {
    pub(super) recording: &'r Recording,
    pub(super) kind: Kind,
    pub(super) value: Value,
}

/// A source of a recording, for a kernel that computes in `kind`.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    kind: Option<Kind>,
    place: Option<SourcePlace>,
    /// Type of the operand.
    data_type: DataType,
    /// Value of a constant operand.
    number: Option<u64>,
}

impl Input {
    /// Returns the input for an operand of type `data_type`.
    pub(crate) fn new(
        kind: Option<Kind>,
        place: Option<SourcePlace>,
        data_type: DataType,
        number: Option<u64>,
    ) -> Self {
        Self { kind, place, data_type, number }
    }

    /// Returns the input for dwords from `at` on, `step` bytes apart, or for a number.
    pub(crate) fn dword(at: u32, step: u32, number: Option<u32>) -> Self {
        let place = SourcePlace { at, step, is_native: true, change: Change::None };
        Self::new(Some(Kind::U32), Some(place), DataType::Ud, number.map(u64::from))
    }

    /// Returns the same input for a kernel that computes in another kind.
    pub(crate) fn in_kind(self, kind: Kind) -> Self {
        Self { kind: Some(kind), ..self }
    }
}

/// A destination of a recording, for a kernel with results of `kind`.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    kind: Option<Kind>,
    target: Option<Target>,
    /// Type of the operand.
    data_type: DataType,
    is_native: bool,
    saturate: bool,
}

impl Output {
    /// Returns the output for an operand of type `data_type`.
    pub(crate) fn new<R: Scalar>(dst: &Destination<R>, data_type: DataType, saturate: bool) -> Self {
        Self { kind: R::KIND, target: dst.target(), data_type, is_native: dst.is_native(), saturate }
    }

    /// Returns the output for consecutive dwords from `at` on.
    pub(crate) fn dwords(at: u32) -> Self {
        let target = Some(Target::At { at, step: 4 });
        Self { kind: Some(Kind::U32), target, data_type: DataType::Ud, is_native: true, saturate: false }
    }
}

/// The elements of the registers that a value becomes.
#[derive(Clone, Copy)]
struct Assigned<'r> {
    value: Node<'r>,
    /// The place of the first channel's element.
    at: u32,
    /// The distance between the elements in bytes, if they are not consecutive.
    pitch: Option<u32>,
}

/// Result of a recorded comparison.
pub(crate) struct Answer<'r> {
    pub(super) relation: Relation,
    pub(super) sides: [Node<'r>; 2],
}

/// A recordable operation.
pub(crate) trait Record<const S: usize>: Copy {
    /// Records the operation; `None` if it has no nodes.
    fn record<'r>(self, sources: [Node<'r>; S]) -> Option<Node<'r>>;
}

/// Implements [`Record`] for operations that are not recorded.
macro_rules! unrecorded {
    ($($({$($generic:tt)*})? [$sources:expr] $type:ty;)*) => {$(
        impl $(<$($generic)*>)? $crate::operation::record::Record<{ $sources }> for $type {
            fn record<'r>(self, _: [$crate::operation::record::Node<'r>; $sources]) -> Option<$crate::operation::record::Node<'r>> {
                None
            }
        }
    )*};
}
pub(crate) use unrecorded;

impl Recording {
    pub(super) fn push(&self, kind: Kind, node: ir::Node) -> Node<'_> {
        let value = self.expression.borrow_mut().push(kind, node);
        Node { recording: self, kind, value }
    }

    /// Records the values of a source as the kernel receives them.
    pub(crate) fn source(&self, input: &Input) -> Option<Node<'_>> {
        let Input { kind, place, data_type, number } = input;
        let (kind, place) = ((*kind)?, (*place)?);
        let value = match number {
            Some(bits) => self.push(kind, ir::Node::Constant(*bits)),
            None => {
                let own = if place.is_native { kind } else { kind_of(*data_type)? };
                self.load(own, place.at, place.step)?.convert(kind)
            }
        };
        Some(match place.change {
            Change::None => value,
            Change::Abs => value.unary(Unary::Abs),
            Change::Negate => value.unary(Unary::Neg),
            Change::NegateAbs => value.unary(Unary::Abs).unary(Unary::Neg),
            Change::Not => value.unary(Unary::Not),
        })
    }

    /// Records a load of elements. Strided integers are loaded as parts of wider elements aligned
    /// to their size. Unaligned ones would not match earlier stores, and the host would stall on
    /// store forwarding.
    fn load(&self, kind: Kind, at: u32, step: u32) -> Option<Node<'_>> {
        let whole = match kind {
            _ if step == 0 || step == kind.bytes() => return Some(self.push(kind, ir::Node::Load { at, step })),
            Kind::U8 | Kind::I8 if step == 2 => Kind::U16,
            Kind::U8 | Kind::I8 if step == 4 => Kind::U32,
            Kind::U16 | Kind::I16 if step == 4 => Kind::U32,
            Kind::U16 | Kind::I16 if step == 8 => Kind::U64,
            Kind::U32 | Kind::I32 if step == 8 => Kind::U64,
            _ if kind.bytes() >= 4 => return Some(self.push(kind, ir::Node::Load { at, step })),
            _ => return None,
        };
        let (at, bits) = part_of(at, kind.bytes(), step);
        let value = self.push(whole, ir::Node::Load { at, step });
        let value = if bits > 0 { value.binary(Binary::Shr, value.bits(bits.into())) } else { value };
        Some(value.convert(kind))
    }

    /// Records a value as an element of the registers. A strided integer becomes part of a wider
    /// element of up to 8 bytes, which keeps its other bits.
    fn element<'r>(&'r self, value: Node<'r>, at: u32, step: u32) -> Option<Assigned<'r>> {
        let bytes = value.kind.bytes();
        if step == bytes {
            return Some(Assigned { value, at, pitch: None });
        }
        (step > bytes).then_some(())?;
        if step > 8 || value.kind.is_float() {
            return (bytes >= 4).then_some(Assigned { value, at, pitch: Some(step) });
        }
        let unsigned = |bytes| UNSIGNED.into_iter().find(|kind| kind.bytes() == bytes);
        let (part, whole) = (unsigned(bytes)?, unsigned(step)?);
        let (at, bits) = part_of(at, bytes, step);
        let old = self.load(whole, at, step)?;
        let kept = old.binary(Binary::And, old.bits(!(mask_of(part) << bits)));
        let part = value.convert(part).convert(whole);
        let part = if bits > 0 { part.binary(Binary::Shl, part.bits(bits.into())) } else { part };
        Some(Assigned { value: kept.binary(Binary::Or, part), at, pitch: None })
    }

    /// Returns the action that writes results to destinations.
    pub(crate) fn finish<'r>(&'r self, results: &[(Node<'r>, &Output)]) -> Option<Action> {
        let assigned = results.iter().map(|(result, output)| self.assignment(*result, output));
        let assigned: Vec<_> = assigned.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
        (!self.is_unknown.get()).then_some(())?;
        if assigned.is_empty() {
            return Some(Action::Nothing);
        }
        let Assigned { value, pitch, .. } = assigned[0];
        let is_alike =
            |element: &Assigned<'_>| element.value.kind.bytes() == value.kind.bytes() && element.pitch == pitch;
        assigned.iter().all(is_alike).then_some(())?;
        let results = assigned.into_iter().map(|element| (element.value.value, element.at)).collect();
        Some(Action::Compute { expression: self.expression.borrow().clone(), results, pitch })
    }

    /// Records the elements that a result becomes. Inside, returns `None` for the null register.
    fn assignment<'r>(&'r self, result: Node<'r>, output: &Output) -> Option<Option<Assigned<'r>>> {
        let Output { kind, target, data_type, is_native, saturate } = *output;
        let kind = if is_native { kind? } else { kind_of(data_type)? };
        let (at, step) = match target? {
            Target::Nowhere => return Some(None),
            Target::At { at, step } => (at, step),
        };
        let result = match (saturate && !is_native, kind.is_float(), result.kind.is_float()) {
            (false, ..) => result.convert(kind),
            (true, false, _) => result.converted(kind, true),
            (true, true, true) => {
                let bounded = result.binary(Binary::Max, result.real(0.0)).binary(Binary::Min, result.real(1.0));
                bounded.convert(kind)
            }
            (true, true, false) => return None,
        };
        // A single element has no next one.
        let step = if step == 0 { result.kind.bytes() } else { step };
        self.element(result, at, step).map(Some)
    }

    /// Returns the action that sets a predicate to a comparison result.
    pub(crate) fn finish_compare(&self, answer: &Answer<'_>, inverse: bool, to: u32) -> Option<Action> {
        (!self.is_unknown.get()).then(|| Action::Compare {
            expression: self.expression.borrow().clone(),
            relation: answer.relation,
            sides: answer.sides.map(|side| side.value),
            inverse,
            to,
        })
    }

    /// Records all ones where a comparison holds and zeros elsewhere; reversed if `inverse`.
    pub(crate) fn holds<'r>(&'r self, answer: &Answer<'r>, inverse: bool) -> Option<Node<'r>> {
        let [a, b] = answer.sides;
        let kind = match a.kind.bytes() {
            1 => Kind::I8,
            2 => Kind::I16,
            4 => Kind::I32,
            _ => Kind::I64,
        };
        let holds = self.push(kind, ir::Node::Holds(answer.relation, a.value, b.value));
        Some(if inverse { holds.unary(Unary::Not) } else { holds })
    }

    /// Returns nodes that stand for predicates in [`Recording::logic`].
    pub(crate) fn placeholders<const S: usize>(&self) -> [Node<'_>; S] {
        std::array::from_fn(|n| self.push(Kind::U32, ir::Node::Load { at: n as u32, step: 0 }))
    }

    /// Returns the predicate operation of a result on one or two placeholders.
    pub(crate) fn logic(&self, result: Node<'_>) -> Option<ir::Logic> {
        match self.expression.borrow().nodes.get(result.value)?.1 {
            ir::Node::Binary(Binary::And, 0, 1) => Some(ir::Logic::And),
            ir::Node::Binary(Binary::Or, 0, 1) => Some(ir::Logic::Or),
            ir::Node::Binary(Binary::Xor, 0, 1) => Some(ir::Logic::Xor),
            ir::Node::Unary(Unary::Not, 0) => Some(ir::Logic::Not),
            _ => None,
        }
    }

    /// Returns a move between contiguous elements and the low parts of wider ones. `from` and `to`
    /// have a kind, an offset and a step.
    pub(crate) fn parts(from: (Kind, u32, u32), to: (Kind, u32, u32)) -> Option<Action> {
        let recording = Self::default();
        let ((from, from_at, from_step), (to, to_at, to_step)) = (from, to);
        let value = recording.load(from, from_at, from_step)?;
        let Assigned { value, at, pitch } = recording.element(value.convert(to), to_at, to_step)?;
        let results = vec![(value.value, at)];
        Some(Action::Compute { expression: recording.expression.into_inner(), results, pitch })
    }
}

/// Kinds of unsigned integers.
const UNSIGNED: [Kind; 4] = [Kind::U8, Kind::U16, Kind::U32, Kind::U64];

/// Returns the offset of the wider element that contains `bytes` bytes at `at`, and their first bit
/// in it.
fn part_of(at: u32, bytes: u32, step: u32) -> (u32, u32) {
    let from = at % step;
    if from + bytes <= step { (at - from, from * 8) } else { (at, 0) }
}

/// Returns a mask with all bits of a kind.
fn mask_of(kind: Kind) -> u64 {
    u64::MAX >> (64 - kind.bytes() * 8)
}

/// Returns the kind of elements of a type.
pub(crate) fn kind_of(data_type: DataType) -> Option<Kind> {
    Some(match data_type {
        DataType::Ub => Kind::U8,
        DataType::B => Kind::I8,
        DataType::Uw => Kind::U16,
        DataType::W => Kind::I16,
        DataType::Ud => Kind::U32,
        DataType::D => Kind::I32,
        DataType::Uq => Kind::U64,
        DataType::Q => Kind::I64,
        DataType::Hf => Kind::F16,
        DataType::F => Kind::F32,
        DataType::Df => Kind::F64,
        _ => return None,
    })
}

/// Returns a function for native code; `None` on a host without the vector extensions that native
/// code requires.
fn wide_function(body: impl Fn(&mut Operands) + Send + Sync + 'static) -> Option<Function> {
    let vectors = Vectors::of_host()?;
    Some(Function::new(move |operands| {
        let body = &body;
        vectors.call(
            #[inline(always)]
            move || body(operands),
        );
    }))
}

impl<'r> Node<'r> {
    pub(super) fn unary(self, unary: Unary) -> Self {
        self.recording.push(self.kind, ir::Node::Unary(unary, self.value))
    }

    pub(super) fn binary(self, binary: Binary, other: Self) -> Self {
        self.recording.push(self.kind, ir::Node::Binary(binary, self.value, other.value))
    }

    /// Converts to another kind, rounding to nearest.
    pub(crate) fn convert(self, kind: Kind) -> Self {
        self.converted(kind, false)
    }

    fn converted(self, kind: Kind, saturate: bool) -> Self {
        if kind == self.kind {
            return self;
        }
        self.recording.push(kind, ir::Node::Convert { value: self.value, saturate })
    }

    /// Returns the kind of the value.
    pub(crate) fn kind(self) -> Kind {
        self.kind
    }

    pub(super) fn bits(self, bits: u64) -> Self {
        self.recording.push(self.kind, ir::Node::Constant(bits & mask_of(self.kind)))
    }

    pub(super) fn real(self, value: f32) -> Self {
        match self.kind {
            Kind::F64 => self.bits(f64::from(value).to_bits()),
            _ => self.bits(value.to_bits().into()),
        }
    }

    /// Records a call of a function of two 32-bit values per channel.
    pub(crate) fn call<T: Pod + Element>(
        self,
        other: Self,
        function: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
    ) -> Self {
        self.call_chunk(
            other,
            #[inline(always)]
            move |a: [T; 8], b: [T; 8]| from_lanes(|i| function(a[i], b[i])),
        )
    }

    /// As [`Node::call`], for one or two nodes.
    pub(crate) fn call_with<T: Pod + Element, const S: usize>(
        nodes: [Self; S],
        function: impl Fn([T; S]) -> T + Copy + Send + Sync + 'static,
    ) -> Option<Self> {
        let (first, last) = (*nodes.first()?, *nodes.last()?);
        let function = move |a, b| function(std::array::from_fn(|n| if n == 0 { a } else { b }));
        (S <= 2).then(|| first.call(last, function))
    }

    /// As [`Node::call`], for a function of eight channels.
    pub(crate) fn call_chunk<T: Pod>(
        self,
        other: Self,
        function: impl Fn([T; 8], [T; 8]) -> [T; 8] + Send + Sync + 'static,
    ) -> Self {
        if [self, other].iter().any(|node| node.kind.bytes() != 4) || size_of::<T>() != 4 {
            return self.unknown();
        }
        let function = wide_function(
            #[inline(always)]
            move |operands| {
                let [a, b] = operands.0.map(bytemuck::cast);
                operands.0[0] = bytemuck::cast(function(a, b));
            },
        );
        let Some(function) = function else { return self.unknown() };
        let number = {
            let functions = &mut self.recording.expression.borrow_mut().functions;
            functions.push(function);
            functions.len() - 1
        };
        self.recording.push(self.kind, ir::Node::Call(number, self.value, other.value))
    }

    /// Records a product plus an addend of HF values, rounded to odd in F, as
    /// [`fused_to_odd`](visakit_machine::float::fused_to_odd).
    pub(crate) fn fused_to_odd(self, other: Self, addend: Self) -> Option<Self> {
        (self.kind == Kind::F32).then_some(())?;
        // In DF the sum is exact, or its HF result depends on the larger term alone.
        let sum = self.convert(Kind::F64).mul_add(other.convert(Kind::F64), addend.convert(Kind::F64));
        let bits = Self { kind: Kind::I64, ..sum };
        // Drops the bits that F lacks, and sets the last remaining bit if any of them is set.
        let lost = (1 << 29) - 1;
        let carried = bits.and(bits.bits(lost)).add(bits.bits(lost)).or(bits);
        Some(Self { kind: Kind::F64, ..carried }.and(bits.bits(!lost)).convert(Kind::F32))
    }

    pub(super) fn unknown(self) -> Self {
        self.recording.is_unknown.set(true);
        self
    }

    /// Masks a shift count to its significant bits.
    pub(super) fn count(self, by: Self, mask: u32) -> Self {
        by.binary(Binary::And, by.bits((mask & (self.kind.bytes() * 8 - 1)).into()))
    }

    /// Selects `self` where a mask is set, otherwise `other`.
    pub(crate) fn pick(self, other: Self, mask: &ExecMask) -> Self {
        self.recording
            .push(self.kind, ir::Node::Pick(ir::Mask { always: true, ..mask_in(mask) }, self.value, other.value))
    }
}

/// Converts a mask for native code.
#[inline]
pub(crate) fn mask_in(mask: &ExecMask) -> ir::Mask {
    ir::Mask {
        shift: mask.shift,
        lanes: mask.lanes,
        always: mask.always != 0,
        predicate: mask.predicate,
        combine: match mask.combine {
            Combine::Each => ir::Combine::Each,
            Combine::Any(elements) => ir::Combine::Any(elements),
            Combine::All(elements) => ir::Combine::All(elements),
        },
        inverse: mask.inverse != 0,
    }
}
