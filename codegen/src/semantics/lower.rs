//! Lowering of a condition of verification.md to one form of a page: names become positions,
//! enumerators become codes. Fields that the form lacks become absent values.

use super::fields::{Fields, column, numbers};
use super::rows::Row;
use super::{CONDITION, IT};
use crate::model::semantics::{BinaryOperator, Expression, ExpressionKind, Meaning, UnaryOperator};
use crate::model::{
    BitFieldKind, CellValue, ColumnKind, Enumerator, FieldKind, Form, Instruction, ListId, ListKind, Model, NamesOf,
};

/// Value on one form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// An absent value.
    Nothing,
    /// A number; truth values are 0 and 1.
    Number(i64),
    /// The field at a position: a number, an index, or all bits of a list.
    Field(usize),
    /// A range of bits of a field.
    Part { field: usize, lo: u32, width: u32 },
    /// The number that a code's name denotes.
    Named(Box<Node>, Vec<(u64, i64)>),
    /// A test whether a value is in a list.
    OneOf(Box<Node>, Vec<i64>),
    /// A test whether two codes form a pair of a list.
    Pairs(Box<Node>, Box<Node>, Vec<(i64, i64)>),
    /// A built-in without arguments.
    Builtin(String),
    /// A built-in for the operand at a position.
    Operand(String, usize),
    /// A built-in for the operand that the row or the enclosing built-in concerns.
    It(String),
    /// A built-in for the destination.
    Destination(String),
    /// A built-in that tests a condition for several operands.
    Quantified(String, Box<Node>),
    /// A built-in with values as arguments.
    Call(String, Vec<Node>),
    /// A unary operator.
    Unary(UnaryOperator, Box<Node>),
    /// A binary operator.
    Binary(BinaryOperator, Box<Node>, Box<Node>),
    /// A selection: a condition and two values.
    Choice(Box<[Node; 3]>),
}

/// Returns the condition under which a row applies to a form, and the condition that must hold;
/// `None` if the row has no effect there.
pub(crate) fn lower(model: &Model, page: &Instruction, form: &Form, row: &Row) -> Option<(Option<Node>, Node)> {
    let lowering = Lowering { model, form, fields: Fields { model, page, unrestricted: true } };
    let when = row.when.as_ref().map(|e| lowering.value(e));
    let must = lowering.value(&row.must);
    let says =
        !matches!(when, Some(Node::Nothing | Node::Number(0))) && !matches!(must, Node::Nothing | Node::Number(1));
    says.then_some((when, must))
}

/// Returns the condition of an acceptance, which needs no field: lowers it on any page that the
/// row covers.
pub(crate) fn lower_accepted(model: &Model, page: &Instruction, when: &Expression) -> Option<Node> {
    let form = page.forms.first()?;
    let lowering = Lowering { model, form, fields: Fields { model, page, unrestricted: true } };
    Some(lowering.value(when)).filter(|node| !has_field(node))
}

/// Returns true if a condition depends on a field.
fn has_field(node: &Node) -> bool {
    match node {
        Node::Field(_) | Node::Part { .. } | Node::Operand(..) => true,
        Node::Nothing | Node::Number(_) | Node::Builtin(_) | Node::It(_) | Node::Destination(_) => false,
        Node::Named(of, _) | Node::OneOf(of, _) | Node::Quantified(_, of) | Node::Unary(_, of) => has_field(of),
        Node::Pairs(a, b, _) | Node::Binary(_, a, b) => has_field(a) || has_field(b),
        Node::Call(_, all) => all.iter().any(has_field),
        Node::Choice(all) => all.iter().any(has_field),
    }
}

struct Lowering<'m> {
    model: &'m Model,
    form: &'m Form,
    fields: Fields<'m>,
}

impl Lowering<'_> {
    /// Lowers an expression to its value; a name that is a number becomes the number.
    fn value(&self, e: &Expression) -> Node {
        match &e.kind {
            ExpressionKind::Integer(n) => i64::try_from(*n).map_or(Node::Nothing, Node::Number),
            ExpressionKind::Boolean(b) => Node::Number(i64::from(*b)),
            ExpressionKind::Enumerator { list, name } if list == super::DATA_TYPE => self.data_type(name),
            ExpressionKind::Float(_) | ExpressionKind::Enumerator { .. } | ExpressionKind::Index { .. } => {
                Node::Nothing
            }
            ExpressionKind::Name { name, meaning } => match meaning {
                Meaning::Builtin => Node::Builtin(name.clone()),
                Meaning::Predefined { id, .. } => i64::try_from(*id).map_or(Node::Nothing, Node::Number),
                _ => self.number(e),
            },
            ExpressionKind::BitField { .. } => self.number(e),
            ExpressionKind::Call(call) => self.call(&call.function.text, &call.arguments),
            ExpressionKind::Unary { operator, operand } => match self.value(operand) {
                Node::Nothing => Node::Nothing,
                node => Node::Unary(*operator, Box::new(node)),
            },
            ExpressionKind::Binary { operator, left, right } if operator.is_equality() => {
                self.equality(*operator, left, right)
            }
            ExpressionKind::Binary { operator, left, right } => {
                binary(*operator, self.value(left), self.value(right))
            }
            ExpressionKind::Choice { condition, then, otherwise } => match self.value(condition) {
                Node::Nothing => Node::Nothing,
                condition => Node::Choice(Box::new([condition, self.value(then), self.value(otherwise)])),
            },
        }
    }

    fn call(&self, name: &str, arguments: &[Expression]) -> Node {
        let known = self.model.rule_builtins.iter().find(|b| b.name == name);
        let parameters = known.and_then(|b| b.parameters.as_deref()).unwrap_or(&[]);
        match (name, parameters, arguments) {
            ("bits", _, [one]) => self.code(one).map_or_else(|| self.value(one), |(node, _)| node),
            (_, [set, _], [column, value]) if set == "set" => self.includes(column, value),
            (_, [.., last], [first, others @ ..]) if last == super::VARIADIC => self.one_of(first, others),
            (_, [op], [one]) if op == "op" => self.operand(name, one),
            (_, [one], [condition]) if one == CONDITION => match self.value(condition) {
                Node::Nothing => Node::Nothing,
                condition => Node::Quantified(name.to_owned(), Box::new(condition)),
            },
            _ => {
                let arguments: Vec<Node> = arguments.iter().map(|a| self.value(a)).collect();
                match arguments.contains(&Node::Nothing) {
                    true => Node::Nothing,
                    false => Node::Call(name.to_owned(), arguments),
                }
            }
        }
    }

    /// Lowers a built-in for an operand.
    fn operand(&self, builtin: &str, e: &Expression) -> Node {
        match &e.kind {
            ExpressionKind::Name { name, meaning: Meaning::Builtin } if name == IT => Node::It(builtin.to_owned()),
            ExpressionKind::Name { meaning: Meaning::Builtin, .. } => Node::Destination(builtin.to_owned()),
            _ => self.position(e).map_or(Node::Nothing, |at| Node::Operand(builtin.to_owned(), at)),
        }
    }

    fn one_of(&self, first: &Expression, others: &[Expression]) -> Node {
        let pairs: Vec<(Node, Node)> = others.iter().map(|other| self.pair(first, other)).collect();
        let value = pairs.first().map_or(Node::Nothing, |(value, _)| value.clone());
        let number = |(a, b): &(Node, Node)| match b {
            Node::Number(n) if *a == value => Some(*n),
            _ => None,
        };
        match pairs.iter().map(number).collect::<Option<Vec<i64>>>() {
            Some(numbers) if value != Node::Nothing => Node::OneOf(Box::new(value), numbers),
            _ => pairs.into_iter().fold(Node::Number(0), |all, (a, b)| {
                binary(BinaryOperator::OrElse, all, binary(BinaryOperator::Equal, a, b))
            }),
        }
    }

    fn equality(&self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Node {
        let (a, b) = self.pair(left, right);
        binary(operator, a, b)
    }

    /// Lowers both sides of a comparison. If one side is the name of a list's value, both sides
    /// become codes.
    fn pair(&self, left: &Expression, right: &Expression) -> (Node, Node) {
        match (self.named(left), self.named(right)) {
            (Some(name), None) => swapped(self.with_name(right, name)),
            (None, Some(name)) => self.with_name(left, name),
            _ => (self.value(left), self.value(right)),
        }
    }

    /// Returns the code of a field, with a column of its list.
    fn column(&self, e: &Expression) -> Option<(Node, ListId, usize)> {
        let ExpressionKind::BitField { of, part } = &e.kind else { return None };
        let (node, list) = self.code(of)?;
        let list = list?;
        Some((node, list, column(self.model.list(list), &part.text)?))
    }

    /// Lowers a test whether the names of a column for a field include the name of another value.
    fn includes(&self, set: &Expression, value: &Expression) -> Node {
        let Some((node, list, at)) = self.column(set) else { return Node::Nothing };
        let ColumnKind::Names { of, .. } = self.model.list(list).columns[at].kind else { return Node::Nothing };
        let (other, codes): (Node, Vec<(&str, u64)>) = match of {
            NamesOf::DataTypes => {
                (self.value(value), self.model.types.iter().map(|t| (t.name.as_str(), t.code)).collect())
            }
            NamesOf::List(id) => match self.code(value) {
                Some((other, Some(list))) if list == id => {
                    (other, values(self.model, id).iter().map(|v| (v.name.as_str(), v.value)).collect())
                }
                _ => return Node::Nothing,
            },
            NamesOf::Column => return Node::Nothing,
        };
        if other == Node::Nothing {
            return Node::Nothing;
        }
        let mut pairs = Vec::new();
        for v in values(self.model, list).iter().filter(|v| !v.reserved) {
            let Some(CellValue::Names(names)) = v.cells.get(at).map(|c| &c.value) else { continue };
            let of = |name: &String| codes.iter().find(|(n, _)| n == name).map(|(_, code)| *code);
            let both = names.iter().filter_map(of).map(|code| (i64::try_from(v.value), i64::try_from(code)));
            pairs.extend(both.filter_map(|(a, b)| Some((a.ok()?, b.ok()?))));
        }
        Node::Pairs(Box::new(node), Box::new(other), pairs)
    }

    /// Lowers the number or flag of a column for a field's value.
    fn cell(&self, (node, list, at): (Node, ListId, usize)) -> Node {
        let cells = values(self.model, list).iter().filter(|v| !v.reserved).filter_map(|v| {
            let number = match v.cells.get(at)?.value {
                CellValue::Number(number) => number,
                CellValue::Flag(flag) => i64::from(flag),
                CellValue::None | CellValue::Numbers(_) | CellValue::Names(_) => return None,
            };
            Some((v.value, number))
        });
        Node::Named(Box::new(node), cells.collect())
    }

    /// Lowers a test whether a code has a name in a column.
    fn with_column_name(&self, (node, list, at): (Node, ListId, usize), name: &str) -> Node {
        let codes = values(self.model, list).iter().filter(|v| {
            matches!(v.cells.get(at).map(|c| &c.value), Some(CellValue::Names(names)) if names.iter().any(|n| n == name))
        });
        Node::OneOf(Box::new(node), codes.filter_map(|v| i64::try_from(v.value).ok()).collect())
    }

    fn with_name(&self, e: &Expression, (label, name): (&str, &str)) -> (Node, Node) {
        if let Some(column) = self.column(e) {
            return (self.with_column_name(column, name), Node::Number(1));
        }
        let Some((node, Some(list))) = self.code(e) else { return (Node::Nothing, Node::Nothing) };
        let lists = match label.split_once('.') {
            Some((field, part)) => self.fields.part_lists(&self.fields.lists(field), part),
            None => self.fields.lists(label),
        };
        // The name may belong to the field's list in another form.
        let value = values(self.model, list).iter().find(|v| lists.contains(&list) && !v.reserved && v.name == name);
        match value.and_then(|v| i64::try_from(v.value).ok()) {
            Some(value) => (node, Node::Number(value)),
            None => (Node::Nothing, Node::Nothing),
        }
    }

    fn named<'e>(&self, e: &'e Expression) -> Option<(&'e str, &'e str)> {
        match &e.kind {
            ExpressionKind::Enumerator { list, name } if list != super::DATA_TYPE => Some((list, name)),
            _ => None,
        }
    }

    fn data_type(&self, name: &str) -> Node {
        let code = self.model.types.iter().find(|t| t.name == name).and_then(|t| i64::try_from(t.code).ok());
        code.map_or(Node::Nothing, Node::Number)
    }

    /// Lowers a field or part to a number.
    fn number(&self, e: &Expression) -> Node {
        if let Some(column) = self.column(e) {
            return self.cell(column);
        }
        match self.code(e) {
            None => Node::Nothing,
            Some((node, None)) => node,
            Some((node, Some(list))) => {
                let list = self.model.list(list);
                let known = numbers(list);
                let codes = match &list.kind {
                    ListKind::Enumeration { values, .. } => values.iter().filter(|v| !v.reserved).map(|v| v.value),
                    ListKind::Parts(_) => return Node::Nothing,
                };
                let names: Vec<(u64, i64)> =
                    codes.zip(&known).filter_map(|(c, n)| Some((c, i64::try_from(*n).ok()?))).collect();
                if names.is_empty() { Node::Nothing } else { Node::Named(Box::new(node), names) }
            }
        }
    }

    /// Lowers a field or part to its bits, with the list that names them.
    fn code(&self, e: &Expression) -> Option<(Node, Option<ListId>)> {
        if let ExpressionKind::BitField { of, part } = &e.kind {
            let field = self.position(of)?;
            let FieldKind::List(id) = self.form.fields[field].shape else { return None };
            let ListKind::Parts(parts) = &self.model.list(id).kind else { return None };
            let part =
                parts.iter().find(|p| p.kind != BitFieldKind::Zero && p.name.eq_ignore_ascii_case(&part.text))?;
            let list = if let BitFieldKind::Enumeration(id) = part.kind { Some(id) } else { None };
            return Some((Node::Part { field, lo: part.lo, width: part.hi - part.lo + 1 }, list));
        }
        let field = self.position(e)?;
        match self.form.fields[field].shape {
            FieldKind::Number | FieldKind::Index(_) | FieldKind::IndexBy(_) => Some((Node::Field(field), None)),
            FieldKind::List(id) => match &self.model.list(id).kind {
                ListKind::Enumeration { lo, width, .. } => {
                    Some((Node::Part { field, lo: *lo, width: *width }, Some(id)))
                }
                ListKind::Parts(_) => Some((Node::Field(field), Some(id))),
            },
            _ => None,
        }
    }

    /// Returns the position of the field that a name denotes, or of the field that it repeats.
    fn position(&self, e: &Expression) -> Option<usize> {
        let ExpressionKind::Name { name, meaning: Meaning::Field } = &e.kind else { return None };
        let at = self.form.fields.iter().position(|f| f.name.to_ascii_lowercase() == *name)?;
        match self.form.fields[at].shape {
            FieldKind::Zero => None,
            FieldKind::Copy(of) => Some(of),
            _ => Some(at),
        }
    }
}

fn values(model: &Model, list: ListId) -> &[Enumerator] {
    match &model.list(list).kind {
        ListKind::Enumeration { values, .. } => values,
        ListKind::Parts(_) => &[],
    }
}

fn swapped((a, b): (Node, Node)) -> (Node, Node) {
    (b, a)
}

/// Builds a binary operation. If a side is absent, only "and" and "or" can have a value.
fn binary(operator: BinaryOperator, left: Node, right: Node) -> Node {
    let none = match operator {
        BinaryOperator::OrElse if left == Node::Number(0) => return right,
        BinaryOperator::OrElse | BinaryOperator::AndThen => left == Node::Nothing && right == Node::Nothing,
        _ => left == Node::Nothing || right == Node::Nothing,
    };
    if none { Node::Nothing } else { Node::Binary(operator, Box::new(left), Box::new(right)) }
}
