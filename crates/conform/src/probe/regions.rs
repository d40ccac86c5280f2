//! Variants of an instruction in the regions of its operands, and in the predefined variables that
//! it writes.

use visakit_codegen::anatomy::MemberId;
use visakit_codegen::model::{Field, FieldKind, TypeId, Verdict};

use super::probes::Probes;
use super::vary::Vary;
use crate::codec::{self, decode};
use crate::expect::base::operand;
use crate::expect::meaning::{BitsKind, bits, bits_of, is_written, limits, meant, ones};
use crate::expect::rules;
use crate::expect::sample::{Kind, Operand, Sample, Value};
use crate::expect::structure::number_at;
use crate::finding::{Fact, Tally, same};
use visakit::object::Routine;

/// Check of the end of an operand.
const OPERAND_END: &str = "operand-end";
/// Finding of that check.
const OUTSIDE: &str = "outside";

impl<'m> Vary<'_, 'm> {
    /// Varies the strides and the place of an operand. A text accepts wrong regions too, so only
    /// the validator judges.
    pub(super) fn regions(&mut self, position: usize, field: &'m Field, ty: TypeId, own: &str) {
        let world = &self.probes.world;
        let a = world.anatomy;
        for kind in [Kind::General, Kind::Indirect] {
            if !field.classes.is_empty() && !world.operands.lists(field, kind) {
                continue;
            }
            let Some(base) = operand(world, kind, ty, is_written(field), position) else { continue };
            let Some(member) = world.operands.region_of(&base) else { continue };
            let packed = world.operands.region(base.clone(), Some(8), Some(8), Some(1));
            let name = if kind == Kind::General { "region" } else { "rows" };
            let now = world.operands.get(&packed, member);
            let mut found: Vec<(String, Operand)> = vec![(String::from("none"), base.clone())];
            for b in bits(world.model, a.region.list) {
                for value in (0..=ones(b.width.min(8))).filter(|value| meant(world.model, &b, *value)) {
                    let whole = b.set(now, value);
                    found.push((whole.to_string(), world.operands.with(packed.clone(), member, whole)));
                }
            }
            for (path, one) in found {
                self.judge_region(position, field, format!("{own}.{name}={path}"), one);
            }
            // Rows with separate addresses, of one element each.
            let rows = world.operands.region(base.clone(), None, Some(1), Some(0));
            self.sizes(position, field, &format!("{own}.{name}"), &rows);
            self.sizes(position, field, &format!("{own}.{name}.packed"), &packed);
            if kind == Kind::General {
                for column in [1, 7, 8, 15] {
                    let moved = world.operands.with(packed.clone(), a.general.col_offset, column);
                    self.judge_region(position, field, format!("{own}.column={column}"), moved);
                }
                self.ends(position, field, &packed, own);
            }
        }
    }

    fn judge_region(&mut self, position: usize, field: &'m Field, path: String, one: Operand) {
        let sample = self.with(position, Value::Operand(one));
        self.out.judged.push((Fact::new("region", path, field.at), sample, self.both_platforms()));
    }

    /// Varies the number of channels, on which the number of rows depends.
    fn sizes(&mut self, position: usize, field: &'m Field, own: &str, one: &Operand) {
        let sizes = &self.probes.world.anatomy.exec_size;
        let at = self.base.form.fields.iter().position(|f| f.shape == FieldKind::List(sizes.list));
        let (Some(at), Some(size)) = (at, bits_of(self.probes.world.model, sizes.size)) else { return };
        let BitsKind::Values(values) = size.what else { return };
        for value in values.iter().filter(|value| !value.reserved) {
            let mut sample = self.with(position, Value::Operand(one.clone()));
            sample.values[at] = Value::Bits(size.set(sample.values[at].bits(), value.value));
            let fact = Fact::new("region", format!("{own}:{}", value.name), field.at);
            self.out.judged.push((fact, sample, self.both_platforms()));
        }
    }

    /// Moves an operand to the end of its variable, and by one element past it.
    fn ends(&mut self, position: usize, field: &'m Field, base: &Operand, own: &str) {
        let world = &self.probes.world;
        let general = &world.anatomy.general;
        let at_start = world.operands.with(base.clone(), general.row_offset, 0);
        for column in [0, 8, 9, 15, 16] {
            let one = world.operands.with(at_start.clone(), general.col_offset, column);
            let sample = self.with(position, Value::Operand(one));
            let fact = Fact::new("end", format!("{own}.end={column}"), field.at);
            self.out.ends.push((fact, sample, position, self.both_platforms()));
        }
    }

    /// Writes each predefined variable, at the start, at each element and in the next register.
    pub(super) fn written(&mut self, position: usize, field: &'m Field, base: &Operand, own: &str) {
        let world = &self.probes.world;
        let general = &world.anatomy.general;
        if world.operands.kind(base) != Kind::General {
            return;
        }
        let most = |member: MemberId| {
            let member = world.model.member(member);
            member.map_or(0, |m| limits(number_at(m, self.base.version)).1 as u64)
        };
        for entry in &world.model.predefined {
            for (row, column) in
                [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 0), (most(general.row_offset), 0)]
            {
                let one = world.operands.with(base.clone(), general.id, entry.id);
                let one = world.operands.with(one, general.row_offset, row);
                let one = world.operands.with(one, general.col_offset, column);
                let sample = self.with(position, Value::Operand(one));
                let fact = Fact::new("read-only", format!("{own}.{}({row},{column})", entry.name), field.at);
                self.out.judged.push((fact, sample, self.both_platforms()));
            }
        }
    }
}

impl<'m> Probes<'m> {
    /// Probes the warning about an operand that ends after its variable.
    pub(super) fn end(
        &self,
        fact: &Fact,
        sample: &Sample<'m>,
        position: usize,
        platforms: &[Option<usize>],
        tally: &mut Tally,
    ) {
        let Ok((instruction, _)) = decode(&sample.encode(&self.world.operands).bytes, sample.version) else { return };
        let routine = Routine { instructions: vec![instruction], ..self.routine.clone() };
        let model = self.world.model;
        let mut rows = model.accepted.iter().filter(|row| model.covers(&row.instructions, sample.page));
        let unchecked = rows.any(|row| row.check.name == OPERAND_END && row.verdict == Verdict::Nothing);
        for platform in platforms {
            let known = platform.and_then(|at| self.platforms.get(at).copied().flatten());
            if platform.is_some() && known.is_none() {
                continue;
            }
            let is_outside = rules::is_outside(&self.world, sample, position, *platform);
            if is_outside {
                tally.violated(OPERAND_END);
            }
            let name = &sample.form.fields[position].name;
            let found = visakit::verify::doubts(&routine, known);
            let got = found.iter().any(|v| v.code == OUTSIDE && v.message.starts_with(&format!("{name} ")));
            let expected = is_outside && !unchecked;
            let say = |found: bool| if found { "a warning by rule `outside`" } else { "no warning" }.to_owned();
            let code = if expected { "outside-accepted" } else { "outside-refused" };
            let shown = codec::print(&routine.instructions[0], &routine, sample.version);
            tally.probe(fact.clone(), same(code, format!("validating `{shown}`"), say(expected), say(got)));
        }
    }
}
