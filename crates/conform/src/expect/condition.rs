//! Evaluation of the rows of verification.md from the model alone. It walks the expression trees as
//! written and resolves names at each use. The implementation lowers them to positions and codes
//! instead.

mod calls;

use visakit_codegen::anatomy::{ColumnId, PartId};
use visakit_codegen::model::semantics::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
use visakit_codegen::model::{
    Acceptance, Access, Availability, BitFieldKind, CellValue, Constraint, EachOperand, Enumerator, FieldKind, List,
    ListId, ListKind, Model, Presence, Verdict,
};

use super::meaning::{bits_of, destination, named, on};
use super::sample::{Operand, Sample, Value};
use super::world::World;

/// Built-in: number of channels. It is also the name of a field.
pub(crate) const EXEC_SIZE: &str = "exec_size";
/// Built-in: true if the instruction ignores the execution mask.
pub(crate) const NO_MASK: &str = "no_mask";
/// Built-in: true if the instruction has a predicate.
pub(crate) const GUARDED: &str = "guarded";
/// Built-in: the operand that a row concerns.
pub(crate) const IT: &str = "it";
/// Built-in: the first operand with a region that is written.
pub(crate) const DESTINATION: &str = "destination";

/// Instruction for which a condition is evaluated, on a platform or independent of platforms.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a, 'm> {
    pub(crate) world: &'a World<'m>,
    pub(crate) sample: &'a Sample<'m>,
    pub(crate) platform: Option<usize>,
    /// Position and value of the operand that the condition concerns.
    pub(crate) it: Option<(usize, &'a Operand)>,
}

/// Value of an expression.
#[derive(Clone, Debug)]
enum Term<'m> {
    /// The field or value is absent.
    Nothing,
    Number(i64),
    /// Value of a list, with the names of its field and part.
    Named {
        list: &'m List,
        id: ListId,
        value: u64,
        path: String,
    },
    /// Cell of a column of names, with the name of the column.
    Cell {
        cell: &'m CellValue,
        path: String,
    },
    /// Dotted names whose last element is an enumerator or a column.
    Word(String),
}

impl<'a, 'm> Subject<'a, 'm> {
    /// Returns the subject of an instruction as a whole.
    pub(crate) fn new(world: &'a World<'m>, sample: &'a Sample<'m>, platform: Option<usize>) -> Self {
        Self { world, sample, platform, it: None }
    }

    /// Returns true if a row holds on the platform.
    fn is_on(self, platforms: &[Availability]) -> bool {
        let here = |marks| self.platform.is_some() && on(marks, self.platform);
        platforms.is_empty() || platforms.iter().any(here)
    }

    /// Returns true if a row applies; false if the condition is undecidable.
    pub(crate) fn applies(self, row: &'m Constraint) -> bool {
        self.is_on(&row.platforms) && row.when.as_ref().is_none_or(|when| self.truth(when) == Some(true))
    }

    /// Returns the subjects of a row: one for each operand that it concerns.
    pub(crate) fn of(self, row: &Constraint) -> Vec<Self> {
        match row.each.as_slice() {
            [] => vec![self],
            each => {
                self.operands().filter(|it| self.is_each(each, *it)).map(|it| Self { it: Some(it), ..self }).collect()
            }
        }
    }

    /// Returns the present operands with a region, by position.
    fn operands(self) -> impl Iterator<Item = (usize, &'a Operand)> {
        let (model, sample) = (self.world.model, self.sample);
        let fields = sample.form.fields.iter().enumerate();
        let regions = fields.filter(|(_, f)| matches!(f.shape, FieldKind::Vector | FieldKind::Scalar));
        let present = regions.filter(move |(at, _)| sample.present(model, *at));
        present.flat_map(move |(at, _)| {
            sample.elements(at).iter().filter_map(move |value| match value {
                Value::Operand(operand) => Some((at, operand)),
                _ => None,
            })
        })
    }

    /// Returns the first operand with a region that is written.
    pub(crate) fn destination(self) -> Option<(usize, &'a Operand)> {
        let at = destination(self.sample.form)?;
        self.operands().find(|(position, _)| *position == at)
    }

    /// Returns true if an operand is one of those that a row concerns.
    fn is_each(self, each: &[EachOperand], (at, operand): (usize, &Operand)) -> bool {
        let field = &self.sample.form.fields[at];
        each.iter().any(|each| match each {
            EachOperand::Destination => self.destination().is_some_and(|(_, dst)| std::ptr::eq(dst, operand)),
            EachOperand::Source => field.access == Access::Read && field.types.is_empty(),
            EachOperand::Operand => true,
        })
    }

    /// Returns the verdict on a violation of a check that the assembler accepts.
    pub(crate) fn accepted(self, check: &str) -> Option<Verdict> {
        let rows = self.model().accepted.iter().filter(|row| row.check.name == check);
        let mut rows = rows.filter(|row| self.model().covers(&row.instructions, self.sample.page));
        let holds = |row: &&'m Acceptance| {
            self.is_on(&row.platforms)
                && (row.each.is_empty() || self.it.is_some_and(|it| self.is_each(&row.each, it)))
                && row.when.as_ref().is_none_or(|when| self.truth(when) == Some(true))
        };
        rows.find(holds).map(|row| row.verdict)
    }

    /// Returns true if the requirement of a row holds.
    pub(crate) fn holds(self, row: &'m Constraint) -> Option<bool> {
        self.truth(&row.must)
    }

    /// Returns true if the instruction violates a row.
    pub(crate) fn breaks(self, row: &'m Constraint) -> bool {
        self.of(row).into_iter().any(|one| one.applies(row) && one.holds(row) == Some(false))
    }

    /// Evaluates a truth value; `None` if it depends on an absent value.
    pub(crate) fn truth(self, e: &'m Expression) -> Option<bool> {
        self.number(e).map(|n| n != 0)
    }

    fn model(self) -> &'m Model {
        self.world.model
    }

    fn number(self, e: &'m Expression) -> Option<i64> {
        match self.term(e) {
            Term::Number(n) => Some(n),
            Term::Named { list, value, .. } => enumerator(list, value)?.name.parse().ok(),
            Term::Cell { cell: CellValue::Number(n), .. } => Some(*n),
            Term::Cell { cell: CellValue::Flag(flag), .. } => Some((*flag).into()),
            Term::Nothing | Term::Cell { .. } | Term::Word(_) => None,
        }
    }

    fn term(self, e: &'m Expression) -> Term<'m> {
        let number = |n: Option<i64>| n.map_or(Term::Nothing, Term::Number);
        match &e.kind {
            ExpressionKind::Integer(n) => number(i64::try_from(*n).ok()),
            ExpressionKind::Boolean(b) => Term::Number((*b).into()),
            ExpressionKind::Name { name, .. } => self.name(name),
            ExpressionKind::BitField { of, part } => self.part(of, &part.text),
            ExpressionKind::Call(call) => number(self.call(call)),
            ExpressionKind::Unary { operator, operand } => {
                number(self.number(operand).and_then(|n| match operator {
                    UnaryOperator::Negate => n.checked_neg(),
                    UnaryOperator::Not => Some((n == 0).into()),
                    UnaryOperator::Complement => Some(!n),
                }))
            }
            ExpressionKind::Binary { operator, left, right } => number(self.binary(*operator, left, right)),
            ExpressionKind::Choice { condition, then, otherwise } => match self.truth(condition) {
                None => Term::Nothing,
                Some(true) => self.term(then),
                Some(false) => self.term(otherwise),
            },
            ExpressionKind::Float(_) | ExpressionKind::Index { .. } | ExpressionKind::Enumerator { .. } => {
                Term::Nothing
            }
        }
    }

    fn name(self, name: &str) -> Term<'m> {
        let model = self.model();
        if let Some(definition) = model.definitions.iter().find(|d| d.name == name) {
            return self.term(&definition.value);
        }
        let number = |n: Option<i64>| n.map_or(Term::Nothing, Term::Number);
        let sizes = &self.world.anatomy.exec_size;
        match name {
            EXEC_SIZE => return Term::Number(self.channels() as i64),
            NO_MASK => return Term::Number(self.column_of(sizes.mask, sizes.no_mask).unwrap_or(0)),
            "grf_bytes" => {
                let platform = self.platform.and_then(|p| model.platforms.get(p));
                return number(platform.map(|p| p.register_bytes.into()));
            }
            GUARDED => return Term::Number(self.is_guarded().into()),
            "before_first" => return Term::Number(self.age(false).is_some_and(|age| age < 0).into()),
            "platforms_past" => return number(self.age(true).map(|age| (age + 1).max(0))),
            "mapped_unpacked" => return Term::Number(self.is_mapped(true, false).into()),
            "mapped_elsewhere" => return Term::Number(self.is_mapped(true, true).into()),
            _ => {}
        }
        if name.starts_with('%') {
            let all = model.predefined.iter().chain(&model.surfaces).chain(&model.samplers);
            return number(all.into_iter().find(|p| p.name == name).and_then(|p| i64::try_from(p.id).ok()));
        }
        let Some((at, field)) = self.position(name).map(|at| (at, &self.sample.form.fields[at])) else {
            return Term::Nothing;
        };
        let value = self.sample.values[at].bits();
        match field.shape {
            FieldKind::Number | FieldKind::Index(_) | FieldKind::IndexBy(_) => Term::Number(value as i64),
            FieldKind::List(id) => Term::Named { list: model.list(id), id, value, path: field.name.clone() },
            _ => Term::Nothing,
        }
    }

    /// Returns the position of a present field. A copy has the position of its original.
    fn position(self, name: &str) -> Option<usize> {
        let at = self.sample.form.fields.iter().position(|f| f.name.eq_ignore_ascii_case(name))?;
        let at = match self.sample.form.fields[at].shape {
            FieldKind::Zero => return None,
            FieldKind::Copy(of) => of,
            _ => at,
        };
        // A field that only texts have is zero in objects, and rules compare it.
        let in_texts = self.sample.form.fields[at].presence == Presence::Text;
        (in_texts || self.sample.present(self.model(), at)).then_some(at)
    }

    fn part(self, of: &'m Expression, part: &str) -> Term<'m> {
        let model = self.model();
        if let Some(words) = words(of) {
            let code = |name: &str| model.types.iter().find(|t| t.name == name).map(|t| t.code);
            return match words.as_str() {
                "Data_type" => code(part).map_or(Term::Nothing, |c| Term::Number(c as i64)),
                _ => Term::Word(format!("{words}.{part}")),
            };
        }
        let of = match &of.kind {
            // `exec_size` is both a built-in and a field with parts.
            ExpressionKind::Name { name, .. } if name == EXEC_SIZE => match self.position(name) {
                Some(at) => match self.sample.form.fields[at].shape {
                    FieldKind::List(id) => Term::Named {
                        list: model.list(id),
                        id,
                        value: self.sample.values[at].bits(),
                        path: self.sample.form.fields[at].name.clone(),
                    },
                    _ => return Term::Nothing,
                },
                None => return Term::Nothing,
            },
            _ => self.term(of),
        };
        let Term::Named { list, value, path, .. } = of else { return Term::Nothing };
        match &list.kind {
            ListKind::Parts(parts) => {
                let found = parts.iter().find(|p| p.name.eq_ignore_ascii_case(part) && p.kind != BitFieldKind::Zero);
                let Some(found) = found else { return Term::Nothing };
                let bits = value >> found.lo & super::meaning::ones(found.hi - found.lo + 1);
                match found.kind {
                    BitFieldKind::Enumeration(id) => {
                        Term::Named { list: model.list(id), id, value: bits, path: format!("{path}.{}", found.name) }
                    }
                    _ => Term::Number(bits as i64),
                }
            }
            ListKind::Enumeration { .. } => {
                let heading = |name: &str| name.to_ascii_lowercase().replace(' ', "_") == part;
                let column = list.columns.iter().position(|c| heading(&c.name));
                match column.and_then(|at| Some((at, enumerator(list, value)?))) {
                    Some((at, v)) => v.cells.get(at).map_or(Term::Nothing, |cell| Term::Cell {
                        cell: &cell.value,
                        path: format!("{}.{part}", list.name),
                    }),
                    None => Term::Nothing,
                }
            }
        }
    }

    /// Returns the number or flag in a column for a part of one of the instruction's lists.
    fn column_of(self, part: PartId, column: ColumnId) -> Option<i64> {
        let mut fields = self.sample.form.fields.iter().zip(&self.sample.values);
        let (_, value) = fields.find(|(f, _)| f.shape == FieldKind::List(part.list))?;
        match bits_of(self.model(), part)?.said(value.bits(), column)? {
            CellValue::Number(n) => Some(*n),
            CellValue::Flag(flag) => Some((*flag).into()),
            CellValue::None | CellValue::Numbers(_) | CellValue::Names(_) => None,
        }
    }

    /// Returns the number of channels; 1 for an instruction without an execution size.
    pub(crate) fn channels(self) -> u64 {
        let sizes = &self.world.anatomy.exec_size;
        self.column_of(sizes.size, sizes.channels).and_then(|n| u64::try_from(n).ok()).unwrap_or(1)
    }

    fn is_guarded(self) -> bool {
        let at = self.sample.form.fields.iter().position(|f| f.shape == FieldKind::Predicate);
        at.is_some_and(|at| self.world.predicate_id(self.sample.values[at].bits()) != 0)
    }

    fn includes(self, set: &'m Expression, value: &'m Expression) -> Option<bool> {
        let Term::Cell { cell, .. } = self.term(set) else { return None };
        let name = match self.term(value) {
            Term::Named { list, value, .. } => enumerator(list, value)?.name.as_str(),
            Term::Number(code) => self.model().types.iter().find(|t| t.code as i64 == code)?.name.as_str(),
            _ => return None,
        };
        match cell {
            CellValue::Names(names) => Some(names.iter().any(|n| n == name)),
            _ => Some(false),
        }
    }

    fn equal(self, a: Term<'m>, b: Term<'m>) -> Option<bool> {
        match (a, b) {
            (Term::Word(word), other) | (other, Term::Word(word)) => self.is_called(other, &word),
            (Term::Named { value: a, id, .. }, Term::Named { value: b, id: other, .. }) if id == other => {
                Some(a == b)
            }
            (a, b) => {
                let number = |t| match t {
                    Term::Named { list, value, .. } => enumerator(list, value)?.name.parse::<i64>().ok(),
                    Term::Cell { cell: CellValue::Number(n), .. } => Some(*n),
                    Term::Cell { cell: CellValue::Flag(flag), .. } => Some((*flag).into()),
                    Term::Number(n) => Some(n),
                    Term::Nothing | Term::Cell { .. } | Term::Word(_) => None,
                };
                Some(number(a)? == number(b)?)
            }
        }
    }

    /// Returns true if a value has the name after the last dot of `word`. The text before the dot
    /// names the list, field or column.
    fn is_called(self, term: Term<'m>, word: &str) -> Option<bool> {
        let (front, name) = word.rsplit_once('.')?;
        match term {
            Term::Named { list, value, path, .. } if list.name == front || path == front => {
                // A name that is not in this list is undecidable.
                all(list).iter().any(|v| !v.reserved && v.name == name).then_some(())?;
                Some(enumerator(list, value).is_some_and(|v| v.name == name))
            }
            Term::Cell { cell, path } if path == front => Some(match cell {
                CellValue::Names(names) => names.iter().any(|n| n == name),
                _ => false,
            }),
            _ => None,
        }
    }

    fn binary(self, operator: BinaryOperator, left: &'m Expression, right: &'m Expression) -> Option<i64> {
        match operator {
            BinaryOperator::AndThen => {
                let not = or([left, right].into_iter().map(|e| self.truth(e).map(|b| !b)));
                return not.map(|n| (!n).into());
            }
            BinaryOperator::OrElse => return or([left, right].into_iter().map(|e| self.truth(e))).map(i64::from),
            BinaryOperator::Equal => return self.equal(self.term(left), self.term(right)).map(i64::from),
            BinaryOperator::NotEqual => {
                return self.equal(self.term(left), self.term(right)).map(|same| (!same).into());
            }
            _ => {}
        }
        let (a, b) = (self.number(left)?, self.number(right)?);
        let by = || u32::try_from(b).ok();
        Some(match operator {
            BinaryOperator::Less => (a < b).into(),
            BinaryOperator::LessOrEqual => (a <= b).into(),
            BinaryOperator::Greater => (a > b).into(),
            BinaryOperator::GreaterOrEqual => (a >= b).into(),
            BinaryOperator::Or => a | b,
            BinaryOperator::Xor => a ^ b,
            BinaryOperator::And => a & b,
            BinaryOperator::ShiftLeft => a.checked_shl(by()?)?,
            BinaryOperator::ShiftRight => a.checked_shr(by()?)?,
            BinaryOperator::ShiftRightZero => (a as u64).checked_shr(by()?)? as i64,
            BinaryOperator::Add => a.checked_add(b)?,
            BinaryOperator::Subtract => a.checked_sub(b)?,
            BinaryOperator::Multiply => a.checked_mul(b)?,
            BinaryOperator::Divide => a.checked_div(b)?,
            BinaryOperator::Remainder => a.checked_rem(b)?,
            BinaryOperator::OrElse | BinaryOperator::AndThen | BinaryOperator::Equal | BinaryOperator::NotEqual => {
                return None;
            }
        })
    }
}

/// Returns true if any input is true. An undecidable input makes the result undecidable, unless
/// another input is true.
fn or(all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for one in all {
        match one {
            Some(true) => return Some(true),
            Some(false) => {}
            None => known = false,
        }
    }
    known.then_some(false)
}

/// Returns the dotted names before an enumerator. The first name is capitalised, as lists and
/// fields are.
fn words(e: &Expression) -> Option<String> {
    match &e.kind {
        ExpressionKind::Name { name, .. } => name.starts_with(|c: char| c.is_ascii_uppercase()).then(|| name.clone()),
        ExpressionKind::BitField { of, part } => Some(format!("{}.{}", words(of)?, part.text)),
        _ => None,
    }
}

fn all(list: &List) -> &[Enumerator] {
    match &list.kind {
        ListKind::Enumeration { values, .. } => values,
        ListKind::Parts(_) => &[],
    }
}

/// Returns the enumerator of a value. An enumeration that fills a field may use only some of its
/// bits.
fn enumerator(list: &List, value: u64) -> Option<&Enumerator> {
    named(all(list), value)
}
