//! Resolution of names in expressions, and checks of the uses of their values.

use super::fields::{self, Named, Sort};
use super::resolve::Resolver;
use crate::model::semantics::{Builtin, BuiltinKind, Call, Expression, ExpressionKind, Meaning, Name};
use crate::model::{ColumnKind, IndexKind, ListId, SourceSpan};
use crate::suggest;

impl<'m> Resolver<'m, '_> {
    /// Resolves an expression and returns its sort.
    pub(super) fn expression(&mut self, e: &mut Expression) -> Sort {
        if let Some(sort) = self.enumerator(e) {
            return sort;
        }
        match &mut e.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Float(_) | ExpressionKind::Boolean(_) => Sort::Value,
            ExpressionKind::Name { .. } => self.name(e),
            // Only this resolver creates enumerators.
            ExpressionKind::Enumerator { .. } => Sort::Unknown,
            ExpressionKind::BitField { of, part } => {
                let sort = match &mut of.kind {
                    // `exec_size` is a built-in number as well as a field with parts on most pages.
                    ExpressionKind::Name { name, meaning } if self.is_hidden_field(name) => {
                        *meaning = Meaning::Field;
                        self.fields.get(name).unwrap_or(Sort::Unknown)
                    }
                    _ => self.expression(of),
                };
                self.part(sort, of.at, part)
            }
            ExpressionKind::Index { of, index } => {
                self.value(index);
                match self.expression(of) {
                    Sort::Operand { .. } => Sort::Value,
                    Sort::Repeated(one) => *one,
                    sort => {
                        self.has_elements(&sort, of.at);
                        Sort::Unknown
                    }
                }
            }
            ExpressionKind::Call(call) => match self.call(call).map(|builtin| builtin.kind) {
                None => Sort::Unknown,
                Some(BuiltinKind::Operand) => Sort::Operand { writable: false },
                Some(BuiltinKind::Effect) => Sort::Nothing,
                Some(_) => Sort::Value,
            },
            ExpressionKind::Unary { operand, .. } => self.value(operand),
            ExpressionKind::Binary { operator, left, right } => {
                if operator.is_equality() {
                    self.equality(left, right);
                } else {
                    self.value(left);
                    self.value(right);
                }
                Sort::Value
            }
            ExpressionKind::Choice { condition, then, otherwise } => {
                self.value(condition);
                self.value(then);
                self.value(otherwise);
                Sort::Value
            }
        }
    }

    /// Resolves an expression that must be a number or a truth value.
    pub(super) fn value(&mut self, e: &mut Expression) -> Sort {
        let sort = self.expression(e);
        self.as_value(sort, e.at)
    }

    /// Reports a sort that is neither a number nor a truth value.
    pub(super) fn as_value(&mut self, sort: Sort, at: SourceSpan) -> Sort {
        match sort {
            Sort::Value | Sort::Operand { .. } => return Sort::Value,
            Sort::Unknown => {}
            Sort::Named(named) if named.is_number(self.model) => return Sort::Value,
            Sort::Named(named) => {
                let help = format!("{}, or take its code with `bits(…)`", self.how_to_use(&named));
                self.problem("semantics-value", at, "the values of this field are names, not numbers", help);
            }
            Sort::Repeated(_) => {
                let help = "select one first: `field[n]`";
                self.problem("semantics-index", at, "this field is repeated", help);
            }
            Sort::Enumerator { .. } => {
                let help = "compare it by `==` or `!=` with a field that has this enumerator";
                self.problem("semantics-enumerator", at, "an enumerator is not a number", help);
            }
            Sort::Names(..) => {
                let help = "compare it by `==` with `List.column.name`, or use `includes`";
                self.problem("semantics-value", at, "this column contains names, not numbers", help);
            }
            Sort::ColumnName(..) => {
                let help = "compare it by `==` or `!=` with the same column of a field";
                self.problem("semantics-enumerator", at, "a name in a column is not a number", help);
            }
            Sort::Entry => {
                let help = "pass it to a built-in that takes a table entry";
                self.problem("semantics-value", at, "this is an entry of a table, not a number", help);
            }
            Sort::Nothing => {
                self.problem("semantics-effect", at, "this built-in has no value", "use it as a statement");
            }
        }
        Sort::Unknown
    }

    /// Returns true if a sort has elements; otherwise reports it.
    pub(super) fn has_elements(&mut self, sort: &Sort, at: SourceSpan) -> bool {
        if matches!(sort, Sort::Operand { .. } | Sort::Repeated(_) | Sort::Unknown) {
            return true;
        }
        let help = "operands, predicates and repeated fields have elements";
        self.problem("semantics-index", at, "this has no elements", help);
        false
    }

    /// Resolves a local name that an assignment changes; this does not count as a use.
    pub(super) fn assigned(&mut self, e: &mut Expression) {
        if let ExpressionKind::Name { meaning, .. } = &mut e.kind {
            *meaning = Meaning::Local;
        }
    }

    fn is_hidden_field(&self, name: &str) -> bool {
        !self.locals.iter().any(|l| l.name == name)
            && self.builtin_value(name).is_some()
            && self.fields.get(name).is_some()
    }

    fn name(&mut self, e: &mut Expression) -> Sort {
        let at = e.at;
        let ExpressionKind::Name { name, meaning } = &mut e.kind else { return Sort::Unknown };
        if let Some(local) = self.locals.iter_mut().rev().find(|l| l.name == *name) {
            *meaning = Meaning::Local;
            local.used = true;
            return local.sort.clone();
        }
        if let Some(index) = self.builtin_value(name) {
            *meaning = Meaning::Builtin;
            self.used.insert(index);
            return match self.builtins[index].kind {
                BuiltinKind::Operand => Sort::Operand { writable: false },
                _ => Sort::Value,
            };
        }
        if let Some(sort) = self.fields.get(name) {
            *meaning = Meaning::Field;
            return sort;
        }
        if let Some((table, id)) = self.predefined(name) {
            *meaning = Meaning::Predefined { table, id };
            return if table == IndexKind::General { Sort::Operand { writable: true } } else { Sort::Entry };
        }
        let name = name.clone();
        self.unknown(&name, at);
        Sort::Unknown
    }

    fn predefined(&self, name: &str) -> Option<(IndexKind, u64)> {
        let tables = [
            (IndexKind::General, &self.model.predefined),
            (IndexKind::Surface, &self.model.surfaces),
            (IndexKind::Sampler, &self.model.samplers),
        ];
        tables.into_iter().find_map(|(kind, table)| {
            let entry = table.iter().find(|p| p.name == name)?;
            Some((kind, entry.id))
        })
    }

    fn unknown(&mut self, name: &str, at: SourceSpan) {
        if self.doubtful.iter().any(|d| d == name) {
            return;
        }
        if let Some((_, place)) = self.declarations.iter().find(|(n, _)| n == name) {
            let (message, help) = match place.start > at.start {
                true => (format!("`{name}` is used before its `let`"), "move the `let` in front of this statement"),
                false => (
                    format!("`{name}` is known only inside the block of its `let` or loop"),
                    "move the `let` in front of that block",
                ),
            };
            self.problem("semantics-scope", at, message, help);
            return;
        }
        if let Some(builtin) = self.builtins.iter().find(|b| b.name == name) {
            let call = format!("write `{}`", call_of(builtin));
            self.problem("semantics-name", at, format!("`{name}` is a built-in with arguments"), call);
            return;
        }
        let mut known = self.fields.names();
        known.extend(self.locals.iter().map(|l| l.name.clone()));
        known.extend(self.builtins.iter().filter(|b| b.parameters.is_none()).map(|b| b.name.clone()));
        if name.starts_with('%') {
            known.extend(self.model.predefined.iter().chain(&self.model.surfaces).map(|p| p.name.clone()));
        }
        let help = suggest::help(name, known.iter().map(String::as_str), || {
            "use the fields of the Format in lower case, names of `let`, predefined variables and the built-ins of \
             semantics.md"
                .to_owned()
        });
        self.problem("semantics-name", at, format!("`{name}` is not defined here"), help);
    }

    fn part(&mut self, sort: Sort, of: SourceSpan, part: &Name) -> Sort {
        match sort {
            Sort::Unknown => Sort::Unknown,
            Sort::Named(named) if named.column(self.model, &part.text).is_some() => {
                let Some((list, column)) = named.column(self.model, &part.text) else { return Sort::Unknown };
                match self.model.list(list).columns[column].kind {
                    ColumnKind::Number | ColumnKind::Numbers | ColumnKind::Flag => Sort::Value,
                    ColumnKind::Names { .. } => Sort::Names(list, column),
                }
            }
            Sort::Named(named) if !named.part_names(self.model).is_empty() => {
                if let Some(sort) = named.part(self.model, &part.text) {
                    return sort;
                }
                let names = named.part_names(self.model);
                let help = suggest::help(&part.text, names.iter().map(String::as_str), || {
                    format!("its parts are {}", names.join(", "))
                });
                let message = format!("`{}` is not a part of this field", part.text);
                self.problem("semantics-name", part.at, message, help);
                Sort::Unknown
            }
            Sort::Named(named) if named.lists.iter().any(|id| !self.model.list(*id).columns.is_empty()) => {
                let known = named.lists.iter().flat_map(|id| &self.model.list(*id).columns);
                let known: Vec<_> = known.map(|c| c.key()).collect();
                let help = suggest::help(&part.text, known.iter().map(String::as_str), || {
                    format!("its list has the columns {}", known.join(", "))
                });
                let message = format!("`{}` is not a column of this field's list", part.text);
                self.problem("semantics-name", part.at, message, help);
                Sort::Unknown
            }
            _ => {
                let help = "only bit fields have parts; write an enumerator after the name of its list";
                self.problem("semantics-name", of, "this has no parts", help);
                Sort::Unknown
            }
        }
    }

    /// Resolves `List.enumerator` or `Field.part.enumerator`, in which the prefix names a list, not
    /// a value.
    fn enumerator(&mut self, e: &mut Expression) -> Option<Sort> {
        let ExpressionKind::BitField { of, part } = &e.kind else { return None };
        if let Some(sort) = self.data_type(of, part) {
            let (list, name) = (super::DATA_TYPE.to_owned(), part.text.clone());
            e.kind = ExpressionKind::Enumerator { list, name };
            return Some(sort);
        }
        let (list, lists, at) = match &of.kind {
            ExpressionKind::Name { name, .. } if !self.is_value(name) => {
                (name.clone(), self.fields.lists(name), of.at)
            }
            ExpressionKind::BitField { of: first, part } => match &first.kind {
                ExpressionKind::Name { name, .. } if !self.is_value(name) => {
                    let lists = self.fields.lists(name);
                    let inner = self.fields.part_lists(&lists, &part.text);
                    let column = lists.iter().find_map(|id| {
                        let at = fields::column(self.model.list(*id), &part.text)?;
                        Some((*id, at))
                    });
                    if let (Some((id, at)), true) = (column, inner.is_empty()) {
                        return Some(self.column_name(e, id, at));
                    }
                    (format!("{name}.{}", part.text), inner, if lists.is_empty() { first.at } else { part.at })
                }
                _ => return None,
            },
            _ => return None,
        };
        let first = list.split('.').next().unwrap_or(&list).to_owned();
        if lists.is_empty() {
            if self.fields.lists(&first).is_empty() && !first.starts_with(|c: char| c.is_ascii_uppercase()) {
                return None;
            }
            let known = self.fields.list_names();
            let help = suggest::help(&first, known.into_iter().filter(|n| *n != first), || {
                "write a shared list, a field as in its Format, or the two names `Field.part`".to_owned()
            });
            self.problem("semantics-name", at, format!("`{list}` is not a list here"), help);
            return Some(Sort::Unknown);
        }
        let name = part.text.clone();
        let place = part.at;
        let known: Vec<&str> = lists.iter().flat_map(|id| fields::values(self.model.list(*id))).collect();
        if !known.contains(&name.as_str()) {
            let help = suggest::help(&name, known.iter().copied(), || match known.is_empty() {
                true => format!("name one of its parts first: `{list}.part.enumerator`"),
                false => format!("it has {}", some_of(&known)),
            });
            self.problem("semantics-enumerator", place, format!("`{name}` is not a value of `{list}`"), help);
            return Some(Sort::Unknown);
        }
        e.kind = ExpressionKind::Enumerator { list, name };
        Some(Sort::Enumerator { lists })
    }

    /// Returns true if a name denotes a value rather than a list.
    fn is_value(&self, name: &str) -> bool {
        self.locals.iter().any(|l| l.name == name) || self.fields.get(name).is_some()
    }

    /// Checks both sides of `==` or `!=`, the only operators that accept named values.
    fn equality(&mut self, left: &mut Expression, right: &mut Expression) {
        let (a, b) = (self.expression(left), self.expression(right));
        self.equal((a, left), (b, right));
    }

    fn equal(&mut self, (a, left): (Sort, &Expression), (b, right): (Sort, &Expression)) {
        // True if both sides belong to the same column of the same list.
        let same = match (&a, &b) {
            (Sort::Names(a, c), Sort::ColumnName(b, d)) | (Sort::ColumnName(b, d), Sort::Names(a, c)) => {
                (a, c) == (b, d)
            }
            _ => false,
        };
        match (a, b) {
            // An earlier finding explains an unknown sort.
            (Sort::Unknown, _) | (_, Sort::Unknown) => {}
            (Sort::Enumerator { lists }, Sort::Named(named)) => self.comparable(&named, &lists, left),
            (Sort::Named(named), Sort::Enumerator { lists }) => self.comparable(&named, &lists, right),
            (Sort::Named(a), Sort::Named(b)) if a.lists == b.lists => {}
            (Sort::Entry, Sort::Entry) => {}
            (Sort::Names(..), Sort::ColumnName(..)) | (Sort::ColumnName(..), Sort::Names(..)) if same => {}
            (Sort::Named(named), _) if matches!(right.kind, ExpressionKind::Integer(_)) => {
                self.possible(&named, left.at, right);
            }
            (_, Sort::Named(named)) if matches!(left.kind, ExpressionKind::Integer(_)) => {
                self.possible(&named, right.at, left);
            }
            (a, b) => {
                self.as_value(a, left.at);
                self.as_value(b, right.at);
            }
        }
    }

    /// Checks that the field can have the enumerator.
    fn comparable(&mut self, named: &Named, lists: &[ListId], enumerator: &Expression) {
        let ExpressionKind::Enumerator { name, .. } = &enumerator.kind else { return };
        let same = lists.iter().any(|id| named.lists.contains(id));
        if !same || !named.names(self.model).contains(&name.as_str()) {
            let message = format!("the compared field never has the value `{name}`");
            let help = self.how_to_use(named);
            self.problem("semantics-enumerator", enumerator.at, message, help);
        }
    }

    /// Checks that the field can have the number.
    fn possible(&mut self, named: &Named, field: SourceSpan, number: &Expression) {
        let ExpressionKind::Integer(value) = number.kind else { return };
        if !named.is_number(self.model) {
            self.as_value(Sort::Named(named.clone()), field);
        } else if !named.number && !named.names(self.model).contains(&value.to_string().as_str()) {
            let message = format!("the compared field never has the value {value}");
            let help = format!("its values are {}", some_of(&named.names(self.model)));
            self.problem("semantics-enumerator", number.at, message, help);
        }
    }

    fn how_to_use(&self, named: &Named) -> String {
        let names = named.names(self.model);
        match names.is_empty() {
            true => format!("name one of its parts: {}", named.part_names(self.model).join(", ")),
            false => {
                format!("compare it with one of its names, as in `{}.{}`: {}", named.label, names[0], some_of(&names))
            }
        }
    }

    /// Resolves a call and returns its built-in.
    pub(super) fn call(&mut self, call: &mut Call) -> Option<&'m Builtin> {
        let sorts: Vec<Sort> = call.arguments.iter_mut().map(|a| self.expression(a)).collect();
        let name = &call.function.text;
        let known: Vec<&'m Builtin> =
            self.builtins.iter().filter(|b| b.name == *name && b.parameters.is_some()).collect();
        let fits = |b: &Builtin| {
            let parameters = b.parameters.as_deref().unwrap_or(&[]);
            match parameters.split_last() {
                Some((last, others)) if last == super::VARIADIC => sorts.len() > others.len(),
                _ => sorts.len() == parameters.len(),
            }
        };
        let Some(builtin) = known.iter().copied().find(|b| fits(b)) else {
            let at = call.function.at;
            if known.is_empty() {
                let names = self.builtins.iter().filter(|b| b.parameters.is_some()).map(|b| b.name.as_str());
                let help = match self.is_value(name) {
                    true => format!("`{name}` has elements: `{name}[i]`"),
                    false => suggest::help(name, names, || "semantics.md lists the built-ins".to_owned()),
                };
                self.problem("semantics-name", at, format!("`{name}` is not a built-in"), help);
            } else {
                let forms: Vec<_> = known.iter().map(|b| format!("`{}`", call_of(b))).collect();
                let message = format!("`{name}` does not take {} arguments", sorts.len());
                self.problem("semantics-arguments", at, message, format!("write {}", forms.join(" or ")));
            }
            return None;
        };
        if let Some(position) = self.builtins.iter().position(|b| std::ptr::eq(b, builtin)) {
            self.used.insert(position);
        }
        let parameters = builtin.parameters.as_deref().unwrap_or(&[]);
        if let ([.., last], [first, others @ ..]) = (parameters, call.arguments.as_slice())
            && last == super::VARIADIC
        {
            // The first argument is compared with each of the others.
            for (other, sort) in others.iter().zip(&sorts[1..]) {
                self.equal((sorts[0].clone(), first), (sort.clone(), other));
            }
            return Some(builtin);
        }
        if let ([Sort::Names(list, column), value], ["set", _]) =
            (sorts.as_slice(), parameters.iter().map(String::as_str).collect::<Vec<_>>().as_slice())
        {
            self.includable(*list, *column, value, call.arguments[1].at);
        }
        for ((parameter, argument), sort) in parameters.iter().zip(&call.arguments).zip(sorts) {
            self.argument(builtin, parameter, argument, sort);
        }
        Some(builtin)
    }

    /// Checks an argument; the names of some parameters imply a sort.
    fn argument(&mut self, builtin: &Builtin, parameter: &str, argument: &Expression, sort: Sort) {
        let call = call_of(builtin);
        match (parameter, sort) {
            ("op", Sort::Operand { .. } | Sort::Unknown) | (_, Sort::Unknown) => {}
            ("set", Sort::Names(..)) => {}
            ("set", _) => {
                let help = "write `field.column` with a column of names of the field's list";
                self.problem("semantics-operand", argument.at, format!("`{call}` needs a column here"), help);
            }
            ("op", _) => {
                let help = "name an operand of the page, without an index";
                self.problem("semantics-operand", argument.at, format!("`{call}` needs an operand here"), help);
            }
            ("place", _) => {
                let is_place = match &argument.kind {
                    ExpressionKind::Call(inner) => {
                        self.builtins.iter().any(|b| b.name == inner.function.text && b.kind == BuiltinKind::Place)
                    }
                    _ => false,
                };
                if !is_place {
                    let help = "write the built-in of kind `place` here; a `let` keeps its value, not the place";
                    self.problem("semantics-operand", argument.at, format!("`{call}` needs a place here"), help);
                }
            }
            (_, sort @ (Sort::Nothing | Sort::Repeated(_))) => {
                self.as_value(sort, argument.at);
            }
            _ => {}
        }
    }
}

/// Formats a call such as `min(a, b)`.
fn call_of(builtin: &Builtin) -> String {
    match &builtin.parameters {
        Some(parameters) => format!("{}({})", builtin.name, parameters.join(", ")),
        None => builtin.name.clone(),
    }
}

/// Returns the first names of a list as text.
pub(super) fn some_of(names: &[&str]) -> String {
    let more = if names.len() > 8 { ", …" } else { "" };
    format!("{}{more}", names.iter().take(8).copied().collect::<Vec<_>>().join(", "))
}
