//! Calls of built-in functions in the conditions of verification.md.

use visakit::isa::predefined;
use visakit_codegen::model::semantics::{Call, Expression, ExpressionKind};
use visakit_codegen::model::{Availability, Bound, EachOperand, TypeId, targets};

use super::{DESTINATION, IT, Subject, Term, or};
use crate::expect::meaning::on;
use crate::expect::sample::{Kind, Operand, Value};
use crate::expect::world::{element, is_integer};

impl<'m> Subject<'_, 'm> {
    /// Returns the value of a call, if it can be decided.
    pub(super) fn call(self, call: &'m Call) -> Option<i64> {
        let arguments = call.arguments.as_slice();
        match (call.function.text.as_str(), arguments) {
            ("one_of", [first, others @ ..]) => {
                let found = others.iter().map(|other| self.equal(self.term(first), self.term(other)));
                or(found).map(i64::from)
            }
            ("includes", [set, value]) => self.includes(set, value).map(i64::from),
            ("bits", [one]) => match self.term(one) {
                Term::Named { value, .. } => i64::try_from(value).ok(),
                Term::Number(n) => Some(n),
                _ => None,
            },
            ("every_source", [condition]) => Some(self.every(condition).into()),
            ("any_operand", [condition]) => Some(self.any(condition).into()),
            ("max", [a, b]) => Some(self.number(a)?.max(self.number(b)?)),
            ("popcount", [a]) => Some(self.number(a)?.count_ones().into()),
            (name, [one]) => {
                let ExpressionKind::Name { name: field, .. } = &one.kind else { return None };
                match field.as_str() {
                    IT => return self.operand(name, self.it?.1),
                    DESTINATION => return self.operand(name, self.destination()?.1),
                    _ => {}
                }
                match &self.sample.values[self.position(field)?] {
                    Value::Operand(operand) => self.operand(name, operand),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns true unless a source violates a condition.
    fn every(self, condition: &'m Expression) -> bool {
        let mut sources = self.operands().filter(|it| self.is_each(&[EachOperand::Source], *it));
        sources.all(|it| Self { it: Some(it), ..self }.truth(condition) != Some(false))
    }

    /// Returns true if an operand satisfies a condition.
    fn any(self, condition: &'m Expression) -> bool {
        self.operands().any(|it| Self { it: Some(it), ..self }.truth(condition) == Some(true))
    }

    /// Returns the distance of the platform from the first one of the page, or from the one after
    /// the last.
    pub(super) fn age(self, after: bool) -> Option<i64> {
        let bound = |marks: &Availability| {
            let ages = marks.0.iter().filter_map(|bound| match bound {
                Bound::From(p) if !after => p.to,
                Bound::Before(p) if after => p.to,
                Bound::Only(p) => p.to.map(|age| age + usize::from(after)),
                _ => None,
            });
            if after { ages.min() } else { ages.max() }
        };
        let ranges = self.sample.page.platforms.iter().map(bound);
        let bound = if after { ranges.flatten().max() } else { ranges.min().flatten() };
        Some(self.platform? as i64 - bound? as i64)
    }

    /// Returns true if a type map has the types of destination and sources.
    pub(crate) fn is_mapped(self, unpacked: bool, elsewhere: bool) -> bool {
        let Some(dst) = self.destination().and_then(|(_, dst)| self.world.operand_type(dst)) else { return false };
        let sources = self.operands().filter(|it| self.is_each(&[EachOperand::Source], *it));
        let src: Vec<TypeId> = sources.filter_map(|(_, one)| self.world.operand_type(one)).collect();
        let fits = |s: TypeId, t: TypeId| t == s || unpacked && t == element(self.model(), s);
        self.sample.page.type_maps.iter().any(|map| {
            (elsewhere || on(&map.marks, self.platform))
                && targets(&map.dst).any(|t| t == dst)
                && src.iter().all(|s| targets(&map.src).any(|t| fits(*s, t)))
        })
    }

    fn operand(self, builtin: &str, operand: &Operand) -> Option<i64> {
        let (operands, a) = (&self.world.operands, self.world.anatomy);
        let kind = operands.kind(operand);
        let variable = match kind {
            Kind::Raw => Some(operands.get(operand, a.raw.id)),
            Kind::General => Some(operands.get(operand, a.general.id)),
            _ => None,
        };
        let ty = match kind {
            Kind::Raw => {
                variable.filter(|id| *id >= u64::from(predefined::DECLARED)).and_then(|id| self.world.type_of(id))
            }
            _ => self.world.operand_type(operand),
        };
        let described = ty.map(|ty| self.world.ty(ty));
        let is = |holds: bool| Some(i64::from(holds));
        match builtin {
            "type" => described.map(|t| t.code as i64),
            "bytes_of" => described.map(|t| i64::from(t.bits / 8)),
            "is_integer" => ty.map(|ty| (is_integer(self.model(), ty) && ty != a.types.boolean).into()),
            "single" => ty.map(|ty| {
                let ty = self.world.ty(element(self.model(), ty));
                if ty.name == "HF" { self.world.ty(a.types.float).code as i64 } else { ty.code as i64 }
            }),
            "is_packed" => ty.map(|ty| (element(self.model(), ty) != ty).into()),
            "is_text_only" => described.map(|t| self.model().object_type(t).is_some().into()),
            "listed" => ty.map(|ty| {
                let named = &self.sample.page.types;
                named.iter().any(|(t, marks)| t.to == Some(ty) && on(marks, self.platform)).into()
            }),
            "is_address" => is(kind == Kind::Address),
            "is_inverted" => is(operands.modifier(operand) == a.modifier.not),
            "is_saturated" => is(operands.modifier(operand) == a.modifier.sat),
            "is_modified" => is(operands.modifier(operand) != a.modifier.none),
            "is_null" => is(variable == Some(0)),
            "is_state" => is(kind == Kind::State),
            "is_variable" => is(matches!(kind, Kind::General | Kind::Indirect)),
            "is_constant" => is(kind == Kind::Immediate),
            "constant" => (kind == Kind::Immediate).then(|| i64::from(self.world.constant(operand) as u32)),
            "registers" => {
                let register = u64::from(self.model().platforms.get(self.platform?)?.register_bytes);
                let bytes = self.world.variable_bytes(variable.filter(|id| *id != 0)?, register)?;
                Some(bytes.div_ceil(register) as i64)
            }
            _ => None,
        }
    }
}
