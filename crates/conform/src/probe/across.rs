//! Probes for the rows of verification.md. Each row is tested on each form of its instructions with
//! an instruction that keeps the row and one that breaks it, preferably without breaking other
//! rows.

use std::collections::BTreeSet;

use visakit_codegen::model::semantics::{BinaryOperator, Expression, ExpressionKind};
use visakit_codegen::model::{Constraint, Field, FieldKind, IndexKind, Model, Presence, targets};

use super::probes::Probes;
use crate::codec::{self, decode};
use crate::expect::base::{newest_platform, operand, raw};
use crate::expect::condition::{self, Subject};
use crate::expect::meaning::{BitsKind, bits, counted_by, exists_on, is_written, limits, meant, on, ones, storage};
use crate::expect::rules;
use crate::expect::sample::{Kind, Operand, Sample, Value};
use crate::finding::{Difference, Fact, Tally};
use visakit::verify;
use visakit_diag::Severity;

/// Maximum number of changes per search.
const STEPS: usize = 8;

/// Numbers to which fields are set, besides those of a row's conditions.
const NUMBERS: [i128; 26] = [
    0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, -0x7fff, 0x7fff, -0x8000, 0x8000, 100,
    -1,
];

/// Probes all rows that name the page of a base instruction, on its form.
pub(crate) fn probe<'m>(probes: &Probes<'m>, base: &Sample<'m>, tally: &mut Tally) {
    let rows = rows(probes, base);
    for row in &rows {
        let search = Search::new(probes, &rows, Some(row), platform(probes, base, row));
        for keep in [true, false] {
            let Some(sample) = search.find(row, base, keep) else { continue };
            let path = format!("{}.{}.{}", base.page.name, row.name, if keep { "kept" } else { "broken" });
            let fact = Fact::new("rule-across", path, row.at);
            for at in search.platforms(base) {
                judge(probes, &rows, &sample, at, &fact, tally);
            }
            // Also probe the neighbours: a limit that is off by one shows only at its boundary.
            let fields = search.fields(&sample, row);
            for near in search.neighbours(&sample, &fields).into_iter().chain(search.corners(&sample, &fields)) {
                judge(probes, &rows, &near, search.platform, &fact, tally);
            }
        }
    }
}

/// Returns for each row that names the page of a base instruction an instruction that keeps it and
/// one that breaks it.
pub(crate) fn samples<'m>(probes: &Probes<'m>, base: &Sample<'m>, at: usize) -> Vec<(Fact, Sample<'m>)> {
    let rows = rows(probes, base);
    let mut out = Vec::new();
    for row in &rows {
        let here = row.platforms.is_empty() || row.platforms.iter().any(|marks| on(marks, Some(at)));
        let platform = if here { Some(at) } else { platform(probes, base, row) };
        let search = Search::new(probes, &rows, Some(row), platform);
        for (keep, name) in [(true, "kept"), (false, "broken")] {
            let fact = || Fact::new("rule-across", format!("{}.{}.{name}", base.page.name, row.name), row.at);
            out.extend(search.find(row, base, keep).map(|sample| (fact(), sample)));
        }
    }
    out
}

/// Returns an instruction changed to break no row, or as few rows as possible, on a platform.
/// The fields at the positions `fixed` keep their values.
pub(crate) fn repaired<'m>(probes: &Probes<'m>, mut sample: Sample<'m>, fixed: &[usize], at: usize) -> Sample<'m> {
    let all = rows(probes, &sample);
    let search = Search::new(probes, &all, None, Some(at));
    let broken =
        |sample: &Sample<'m>| -> Vec<&'m Constraint> { search.others(sample).filter(|row| !row.warning).collect() };
    let errors = |sample: &Sample<'m>| {
        let own = rules::broken(&probes.world, sample, Some(at));
        broken(sample).len() + own.into_iter().filter(|one| !one.warning).count()
    };
    let mut now = errors(&sample);
    for _ in 0..STEPS {
        let best = |near: Vec<Sample<'m>>| {
            let best = near.into_iter().map(|near| (errors(&near), near)).min_by_key(|(errors, _)| *errors);
            best.filter(|(errors, _)| *errors < now)
        };
        let better = broken(&sample).into_iter().find_map(|row| {
            let search = Search::new(probes, &all, Some(row), Some(at));
            let mut fields = search.fields(&sample, row);
            fields.retain(|at| !fixed.contains(at));
            let near = search.neighbours(&sample, &fields);
            // Two fields may have to change together.
            best(near.clone()).or_else(|| near.iter().find_map(|near| best(search.neighbours(near, &fields))))
        });
        let Some((left, better)) = better else { break };
        (now, sample) = (left, better);
    }
    sample
}

/// Returns the rows that name the page of an instruction.
fn rows<'m>(probes: &Probes<'m>, sample: &Sample<'m>) -> Vec<&'m Constraint> {
    let model = probes.world.model;
    model.constraints.iter().filter(|row| model.covers(&row.instructions, sample.page)).collect()
}

/// Returns the newest platform that has the instruction and to which a row applies.
fn platform(probes: &Probes<'_>, base: &Sample<'_>, row: &Constraint) -> Option<usize> {
    let model = probes.world.model;
    let here = |p: &usize| {
        exists_on(base.page, Some(*p))
            && (row.platforms.is_empty() || row.platforms.iter().any(|marks| on(marks, Some(*p))))
    };
    (0..model.platforms.len()).rev().find(here).or_else(|| newest_platform(&probes.world, base.page))
}

/// Compares the violated rows of model and implementation, by the codes of their findings.
fn judge<'m>(
    probes: &Probes<'m>,
    rows: &[&'m Constraint],
    sample: &Sample<'m>,
    at: Option<usize>,
    fact: &Fact,
    tally: &mut Tally,
) {
    let known = match at.map(|at| probes.platforms.get(at).copied().flatten()) {
        Some(None) => return,
        known => known.flatten(),
    };
    let bytes = sample.encode(&probes.world.operands).bytes;
    // An undecodable instruction is a finding of the field probes.
    let Ok((instruction, _)) = decode(&bytes, sample.version) else { return };
    let subject = Subject::new(&probes.world, sample, at);
    let mut broken: Vec<(&str, bool)> =
        rows.iter().filter(|row| subject.breaks(row)).map(|row| (row.finding.as_str(), row.warning)).collect();
    let codes: BTreeSet<&str> = rows.iter().map(|row| row.finding.as_str()).collect();
    let found = verify::instruction(&instruction, 0, &probes.routine, known);
    let mut got: Vec<(&str, bool)> =
        found.iter().filter(|v| codes.contains(v.code)).map(|v| (v.code, v.severity == Severity::Warning)).collect();
    broken.iter().for_each(|(code, _)| tally.violated(code));
    broken.sort_unstable();
    got.sort_unstable();
    if broken == got {
        return tally.pass(fact.clone());
    }
    let show = |all: &[(&str, bool)]| {
        let all: Vec<_> = all
            .iter()
            .map(|(code, warning)| format!("{}[{code}]", if *warning { "warning" } else { "error" }))
            .collect();
        if all.is_empty() { "no condition is violated".to_owned() } else { all.join(", ") }
    };
    let place = at.and_then(|p| probes.world.model.platforms.get(p)).map_or("no platform", |p| &p.name);
    let said = codec::print(&instruction, &probes.routine, sample.version);
    let difference = Difference {
        code: if broken.len() > got.len() { "across-accepted" } else { "across-refused" },
        message: format!("validating `{said}` for {place}"),
        expected: show(&broken),
        got: show(&got),
    };
    tally.fail(fact.clone(), difference);
}

/// Search for an instruction that keeps or breaks a row.
struct Search<'a, 'm> {
    probes: &'a Probes<'m>,
    rows: &'a [&'m Constraint],
    /// Row to keep or break; `None` if all rows are to be kept.
    row: Option<&'m Constraint>,
    platform: Option<usize>,
    /// Numbers in the row's conditions, with their neighbours.
    boundaries: BTreeSet<i128>,
}

impl<'a, 'm> Search<'a, 'm> {
    fn new(
        probes: &'a Probes<'m>,
        rows: &'a [&'m Constraint],
        row: Option<&'m Constraint>,
        platform: Option<usize>,
    ) -> Self {
        let mut numbers = BTreeSet::new();
        for condition in row.iter().flat_map(|row| row.when.iter().chain([&row.must])) {
            visit(probes.world.model, condition, &mut |e| {
                if let ExpressionKind::Integer(number) = e.kind {
                    numbers.insert(i128::from(number));
                }
            });
        }
        let boundaries = numbers.into_iter().flat_map(|n| [n - 1, n, n + 1]).collect();
        Self { probes, rows, row, platform, boundaries }
    }

    fn subject<'s>(&'s self, sample: &'s Sample<'m>) -> Subject<'s, 'm> {
        Subject::new(&self.probes.world, sample, self.platform)
    }

    /// Returns the platforms to judge: none, the platform of the search, and the oldest.
    fn platforms(&self, base: &Sample<'m>) -> Vec<Option<usize>> {
        let mut out = vec![None, self.platform, self.probes.platforms_of(base.page).first().copied()];
        out.dedup();
        out
    }

    /// Searches for an instruction with the wanted verdict on the row, then repairs as many other
    /// rows as possible.
    fn find(&self, row: &'m Constraint, base: &Sample<'m>, keep: bool) -> Option<Sample<'m>> {
        let fields = self.fields(base, row);
        let own = |sample: &Sample<'m>| self.distance(row, sample, keep);
        let mut sample = self.descend(base.clone(), &fields, own);
        if own(&sample) > 0 {
            // Two fields may have to change together, so try one more change.
            let second = self
                .neighbours(&sample, &fields)
                .into_iter()
                .find_map(|near| self.neighbours(&near, &fields).into_iter().find(|far| own(far) == 0));
            sample = second?;
        }
        for _ in 0..STEPS {
            let others: Vec<&'m Constraint> = self.others(&sample).collect();
            let Some(first) = others.first() else { break };
            let fields = self.fields(&sample, first);
            let cost = |s: &Sample<'m>| if own(s) > 0 { usize::MAX } else { self.others(s).count() };
            let best = self.neighbours(&sample, &fields).into_iter().min_by_key(cost);
            match best.filter(|best| cost(best) < others.len()) {
                Some(best) => sample = best,
                None => break,
            }
        }
        Some(sample)
    }

    fn others<'s>(&'s self, sample: &'s Sample<'m>) -> impl Iterator<Item = &'m Constraint> {
        let rows = self.rows.iter().copied().filter(|row| self.row.is_none_or(|own| !std::ptr::eq(*row, own)));
        rows.filter(|row| self.subject(sample).breaks(row))
    }

    /// Returns the number of conditions of a row that lack the wanted truth value, for the operand
    /// with the fewest.
    fn distance(&self, row: &'m Constraint, sample: &Sample<'m>, keep: bool) -> usize {
        let mut parts = Vec::new();
        row.when.iter().for_each(|when| conjuncts(self.probes.world.model, when, &mut parts));
        let open = |subject: Subject<'_, 'm>| {
            let open = parts.iter().filter(|part| subject.truth(part) != Some(true)).count();
            open + usize::from(subject.holds(row).unwrap_or(true) != keep)
        };
        // A row without such an operand keeps its distance.
        self.subject(sample).of(row).into_iter().map(open).min().unwrap_or(parts.len() + 1)
    }

    fn descend(&self, mut sample: Sample<'m>, fields: &[usize], cost: impl Fn(&Sample<'m>) -> usize) -> Sample<'m> {
        for _ in 0..STEPS {
            let now = cost(&sample);
            if now == 0 {
                break;
            }
            match self.neighbours(&sample, fields).into_iter().min_by_key(&cost).filter(|best| cost(best) < now) {
                Some(best) => sample = best,
                None => break,
            }
        }
        sample
    }

    /// Returns the positions of the fields in a row's conditions.
    fn fields(&self, sample: &Sample<'m>, row: &Constraint) -> Vec<usize> {
        let mut names = BTreeSet::new();
        let model = self.probes.world.model;
        row.when.iter().chain([&row.must]).for_each(|e| named(model, e, &mut names));
        // Built-ins that describe the whole instruction.
        let sizes = FieldKind::List(self.probes.world.anatomy.exec_size.list);
        let about = |shape| match shape {
            FieldKind::Predicate => names.contains(condition::GUARDED),
            shape if shape == sizes => [condition::EXEC_SIZE, condition::NO_MASK].iter().any(|n| names.contains(*n)),
            _ => false,
        };
        let concerns = [condition::IT, condition::DESTINATION].iter().any(|name| names.contains(*name));
        let is_operand = |shape| concerns && matches!(shape, FieldKind::Vector | FieldKind::Scalar);
        let wanted =
            |f: &Field| names.contains(&f.name.to_ascii_lowercase()) || about(f.shape) || is_operand(f.shape);
        let fields = sample.form.fields.iter().enumerate().filter(|(_, f)| wanted(f));
        let fields = fields.map(|(at, f)| if let FieldKind::Copy(of) = f.shape { of } else { at });
        fields.filter(|at| sample.present(model, *at)).collect()
    }

    /// Returns the variants of an instruction that differ in one of the fields.
    fn neighbours(&self, sample: &Sample<'m>, fields: &[usize]) -> Vec<Sample<'m>> {
        let mut out = Vec::new();
        for position in fields {
            for value in self.values(sample, *position) {
                let mut one = sample.clone();
                one.values[*position] = value;
                out.push(one);
            }
        }
        out
    }

    /// Returns the variants of an instruction in which two numbers have values at boundaries of the
    /// row.
    fn corners(&self, sample: &Sample<'m>, fields: &[usize]) -> Vec<Sample<'m>> {
        let numbers: Vec<usize> =
            fields.iter().copied().filter(|at| sample.form.fields[*at].shape == FieldKind::Number).collect();
        let at_boundary = |at: usize| {
            let values = self.values(sample, at).into_iter();
            values.filter(|value| self.boundaries.contains(&i128::from(value.bits())))
        };
        let mut out = Vec::new();
        for (n, first) in numbers.iter().enumerate() {
            for second in &numbers[n + 1..] {
                for value in at_boundary(*first) {
                    for other in at_boundary(*second) {
                        let mut one = sample.clone();
                        one.values[*first] = value.clone();
                        one.values[*second] = other;
                        out.push(one);
                    }
                }
            }
        }
        out
    }

    fn values(&self, sample: &Sample<'m>, position: usize) -> Vec<Value> {
        let world = &self.probes.world;
        let field = &sample.form.fields[position];
        let now = sample.values[position].bits();
        if counted_by(sample.form, position).is_some()
            || matches!(field.presence, Presence::Times(_) | Presence::Text)
        {
            return Vec::new();
        }
        match field.shape {
            FieldKind::Number => {
                let (low, high) = limits(storage(&field.storage, sample.version));
                let (low, high) = field.range.map_or((low, high), |(a, b)| (low.max(a.into()), high.min(b.into())));
                let numbers: BTreeSet<i128> = NUMBERS.into_iter().chain(self.boundaries.iter().copied()).collect();
                let numbers = numbers.into_iter().filter(|n| (low..=high).contains(n));
                numbers.map(|n| Value::Bits(n as i64 as u64)).collect()
            }
            FieldKind::List(id) => {
                let selected = sample.form.selector_at(position);
                let mut out = Vec::new();
                for b in bits(world.model, id).iter().filter(|b| !matches!(b.what, BitsKind::Zero)) {
                    for value in (0..=ones(b.width.min(8))).filter(|v| meant(world.model, b, *v)) {
                        let fits = match (selected, b.what) {
                            (Some(selector), BitsKind::Values(_)) => targets(&selector.values).any(|v| v == value),
                            _ => true,
                        };
                        let whole = b.set(now, value);
                        if fits && (whole != 0 || !field.nonzero) {
                            out.push(Value::Bits(whole));
                        }
                    }
                }
                out
            }
            FieldKind::Predicate => vec![Value::Bits(0), Value::Bits(1)],
            FieldKind::Index(IndexKind::Surface) => {
                let predefined = world.model.surfaces.iter().map(|s| s.id);
                predefined.chain([world.first(IndexKind::Surface)]).map(Value::Bits).collect()
            }
            FieldKind::Vector | FieldKind::Scalar => self.operands(field, position),
            FieldKind::Raw => {
                let variables = world.types.iter().filter_map(|t| world.variable(*t)).chain([0]);
                let at_start = |id| world.operands.with(raw(world, id, position), world.anatomy.raw.offset, 0);
                variables.map(|id| Value::Operand(at_start(id))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns operands of all classes and types, `%null`, and constants with one or several bits
    /// set.
    fn operands(&self, field: &Field, position: usize) -> Vec<Value> {
        let world = &self.probes.world;
        let mut out = vec![world.null(), world.zero()];
        for class in &world.operands.classes {
            for &ty in &world.types {
                out.extend(operand(world, class.kind, ty, is_written(field), position).map(Value::Operand));
            }
        }
        // Variables with each modifier, for rows about modifiers.
        let mut names = BTreeSet::new();
        self.row
            .iter()
            .flat_map(|row| row.when.iter().chain([&row.must]))
            .for_each(|e| named(world.model, e, &mut names));
        let concerns = ["is_saturated()", "is_inverted()", "is_modified()"].iter().any(|name| names.contains(*name));
        if let Some(modifier) = world.operands.modifier.as_ref().filter(|_| concerns) {
            let plain = out.clone();
            let variables = plain.iter().filter_map(|value| match value {
                Value::Operand(one) if world.operands.kind(one) == Kind::General => Some(one),
                _ => None,
            });
            for one in variables {
                let codes = (1..=ones(modifier.width)).filter(|code| meant(world.model, modifier, *code));
                out.extend(codes.map(|code| {
                    let tag = one.tag.map(|tag| modifier.set(tag, code));
                    Value::Operand(Operand { tag, ..one.clone() })
                }));
            }
        }
        let dword = world.anatomy.types.dword;
        let of_row = self.boundaries.iter().filter_map(|n| u32::try_from(*n).ok());
        for low in of_row.map(u64::from).chain([1 << 20, 0x1f << 20, 1 << 25, 0xf << 25]) {
            out.extend(
                operand(world, Kind::Immediate, dword, false, position)
                    .map(|one| Value::Operand(world.operands.with(one, world.anatomy.immediate.low, low))),
            );
        }
        out
    }
}

/// Returns the conjuncts of a condition, with definitions expanded.
fn conjuncts<'m>(model: &'m Model, e: &'m Expression, out: &mut Vec<&'m Expression>) {
    match &e.kind {
        ExpressionKind::Binary { operator: BinaryOperator::AndThen, left, right } => {
            conjuncts(model, left, out);
            conjuncts(model, right, out);
        }
        ExpressionKind::Name { name, .. } => match model.definitions.iter().find(|d| d.name == *name) {
            Some(definition) => conjuncts(model, &definition.value, out),
            None => out.push(e),
        },
        _ => out.push(e),
    }
}

/// Adds the names and the calls `name()` in a condition.
fn named(model: &Model, e: &Expression, out: &mut BTreeSet<String>) {
    visit(model, e, &mut |e| match &e.kind {
        ExpressionKind::Name { name, .. } => drop(out.insert(name.to_ascii_lowercase())),
        ExpressionKind::Call(call) => drop(out.insert(format!("{}()", call.function.text))),
        _ => {}
    });
}

/// Calls `each` with a condition and its parts, with definitions expanded.
fn visit(model: &Model, e: &Expression, each: &mut dyn FnMut(&Expression)) {
    if let ExpressionKind::Name { name, .. } = &e.kind
        && let Some(definition) = model.definitions.iter().find(|d| d.name == *name)
    {
        return visit(model, &definition.value, each);
    }
    each(e);
    e.parts().into_iter().for_each(|part| visit(model, part, each));
}
