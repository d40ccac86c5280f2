//! Variants of a base instruction that differ in one fact: legal values, meaningless values, and
//! values that only the validator judges.

use visakit_codegen::anatomy::MemberId;
use visakit_codegen::model::{Condition, Field, FieldKind, IndexKind, Presence, TypeId, targets};

use super::probes::{Probe, Probes, form_name};
use crate::expect::base::{newest_platform, operand, raw, typed};
use crate::expect::meaning::{
    Bits, BitsKind, bits, bits_of, counted_by, destination, is_written, limits, meant, named, ones, storage,
};
use crate::expect::rules;
use crate::expect::sample::{Kind, Operand, Sample, Value, table_of};
use crate::expect::text::value_path;
use crate::expect::world::{World, of_variables};
use crate::finding::Fact;

/// Variants of a base instruction.
#[derive(Default)]
pub(crate) struct All<'m> {
    /// Variants whose bytes, fields, text and verdict must match the model.
    pub(crate) accepted: Vec<Probe<'m>>,
    /// Variants that must be refused.
    pub(crate) refused: Vec<Refused>,
    /// Variants for the validator only, with the platforms to judge.
    pub(crate) judged: Vec<(Fact, Sample<'m>, Vec<Option<usize>>)>,
    /// Variants with an operand at the end of its variable, the position of the operand, and the
    /// platforms to judge.
    pub(crate) ends: Vec<(Fact, Sample<'m>, usize, Vec<Option<usize>>)>,
}

/// Bytes that must be refused.
pub(crate) struct Refused {
    pub(crate) fact: Fact,
    pub(crate) bytes: Vec<u8>,
    pub(crate) code: &'static str,
    /// True if the decoder itself must refuse them.
    pub(crate) strict: bool,
}

/// Returns all variants. Without `sound`, the text of the base instruction is already wrong, so
/// texts are not probed.
pub(crate) fn all<'m>(probes: &Probes<'m>, base: &Sample<'m>, sound: bool) -> All<'m> {
    let mut vary = Vary { probes, base, name: form_name(base.page, base.form), out: All::default() };
    for (position, field) in base.form.fields.iter().enumerate() {
        vary.field(position, field);
    }
    vary.platforms();
    vary.type_maps();
    vary.operand_structures();
    if !sound {
        vary.out.accepted.iter_mut().for_each(|p| p.text = false);
    }
    vary.out
}

/// Collector of the variants of a base instruction.
pub(super) struct Vary<'a, 'm> {
    pub(super) probes: &'a Probes<'m>,
    pub(super) base: &'a Sample<'m>,
    name: String,
    pub(super) out: All<'m>,
}

impl<'m> Vary<'_, 'm> {
    fn field(&mut self, position: usize, field: &'m Field) {
        let own = format!("{}.{}", self.name, field.name);
        match field.shape {
            FieldKind::Zero => self.zero(position, field, &own),
            FieldKind::Copy(_) => self.copy(position, field, &own),
            _ if counted_by(self.base.form, position).is_some() => {}
            // Fields that only texts have are not part of the bytes.
            _ if field.presence == Presence::Text => {}
            _ if matches!(field.presence, Presence::Times(_)) => self.repeated(position, field, &own),
            FieldKind::Number => self.number(position, field, &own),
            FieldKind::List(id) => {
                for b in bits(self.probes.world.model, id) {
                    self.list(position, field, &b, &own);
                }
            }
            FieldKind::Predicate => {
                for b in bits(self.probes.world.model, self.probes.world.anatomy.predicate.list) {
                    self.list(position, field, &b, &own);
                }
            }
            FieldKind::Index(kind) => self.index(position, field, kind, &own),
            FieldKind::IndexBy(_) => {}
            FieldKind::Vector | FieldKind::Scalar => self.vector(position, field, &own),
            FieldKind::Raw => self.raw(position, field, &own),
        }
    }

    /// Returns the base instruction with one field replaced. Indices whose table that field selects
    /// are adjusted.
    pub(super) fn with(&self, position: usize, value: Value) -> Sample<'m> {
        let mut out = self.base.clone();
        out.values[position] = value;
        for (at, field) in self.base.form.fields.iter().enumerate() {
            if field.shape == FieldKind::IndexBy(position) {
                out.values[at] =
                    Value::Bits(self.probes.world.first(table_of(self.probes.world.model, &out, position)));
            }
        }
        out
    }

    fn accept(&mut self, fact: Fact, own: String, refused: &'static str, sample: Sample<'m>, text: bool) {
        self.out.accepted.push(Probe { fact, own, refused, sample, text });
    }

    fn refuse(&mut self, fact: Fact, code: &'static str, strict: bool, sample: &Sample<'m>) {
        let bytes = sample.encode(&self.probes.world.operands).bytes;
        self.out.refused.push(Refused { fact, bytes, code, strict });
    }

    fn list(&mut self, position: usize, field: &'m Field, b: &Bits<'m>, own: &str) {
        let model = self.probes.world.model;
        let base = self.base.values[position].bits();
        let candidates: Vec<u64> = match b.what {
            // Try each bit alone, so that one accepted bit cannot hide another.
            BitsKind::Zero => (0..b.width).map(|n| 1 << n).collect(),
            BitsKind::Number | BitsKind::DataType | BitsKind::Flag(_) | BitsKind::Values(_) if b.width <= 8 => {
                (0..=ones(b.width)).collect()
            }
            _ => vec![0, 1, 2, ones(b.width)],
        };
        let selector = self.base.form.selector_at(position);
        for value in candidates {
            let path = value_path(own, b, value);
            let own = format!("{own}{}{}={value}", if b.name.is_empty() { "" } else { "." }, b.name);
            let sample = self.with(position, Value::Bits(b.set(base, value)));
            let one = match b.what {
                BitsKind::Values(values) => values.iter().find(|v| v.value == value),
                _ => None,
            };
            let at = one.map_or(b.at, |v| v.at);
            let kind = if matches!(b.what, BitsKind::Zero) { "reserved" } else { "enumerator" };
            let fact = Fact::new(kind, path, at);
            if !meant(model, b, value) {
                let stated = matches!(b.what, BitsKind::Zero) || one.is_some();
                self.refuse(fact, if stated { "reserved-accepted" } else { "enumerator-extra" }, true, &sample);
                continue;
            }
            if let (Some(selector), BitsKind::Values(values)) = (selector, b.what) {
                let selects = |c: &Condition| targets(&c.values).any(|selected| selected == value);
                if !selects(selector) {
                    if !self.base.page.forms.iter().filter_map(|f| f.condition.as_ref()).any(selects) {
                        let name = named(values, value).map_or("", |v| v.name.as_str());
                        let fact =
                            Fact::new("form", format!("{}.{}.{name}", self.base.page.name, field.name), field.at);
                        self.refuse(fact, "form-extra", false, &sample);
                    }
                    continue;
                }
            }
            // Only a declared predicate has a name.
            let is_id = b.part == Some(self.probes.world.anatomy.predicate.id);
            let text = !(is_id && value > crate::expect::world::OTHERS);
            self.accept(fact.clone(), own.clone(), "enumerator-missing", sample.clone(), text);
            let marked = field.only.iter().any(|only| only.values.iter().any(|(_, marks)| !marks.0.is_empty()));
            let listed = matches!(field.shape, FieldKind::List(id) if rules::marked(model, id));
            if marked || listed {
                let fact = Fact { kind: "platform", path: own, at: fact.at };
                let platforms = (0..self.probes.platforms.len()).map(Some).collect();
                self.out.judged.push((fact, sample, platforms));
            }
        }
    }

    fn number(&mut self, position: usize, field: &'m Field, own: &str) {
        let (least, most) = limits(storage(&field.storage, self.base.version));
        let mut candidates = vec![least, 0, 1, 100, most];
        if let Some((low, high)) = field.range {
            let (low, high) = (i128::from(low), i128::from(high));
            candidates.extend([low - 1, low, high, high + 1]);
        }
        candidates.retain(|n| (least..=most).contains(n));
        candidates.sort_unstable();
        candidates.dedup();
        for value in candidates {
            let path = format!("{own}={value}");
            let sample = self.with(position, Value::Bits(value as i64 as u64));
            let text = i64::try_from(value).is_ok();
            self.accept(Fact::new("number", &path, field.at), path, "value-refused", sample, text);
        }
    }

    fn index(&mut self, position: usize, field: &'m Field, kind: IndexKind, own: &str) {
        let first = self.probes.world.first(kind);
        let most = limits(storage(&field.storage, self.base.version)).1 as u64;
        for value in [first, first + 1, 0, most] {
            let path = format!("{own}={value}");
            let sample = self.with(position, Value::Bits(value));
            let text = self.probes.world.has(kind, value);
            self.accept(Fact::new("index", &path, field.at), path, "value-refused", sample, text);
        }
    }

    fn repeated(&mut self, position: usize, field: &'m Field, own: &str) {
        let Some(one) = self.base.elements(position).first().cloned() else { return };
        let Presence::Times(count) = field.presence else { return };
        let counter = &self.base.form.fields[count];
        let mut counts = vec![0, 1, 2, 5];
        counts.extend(counter.range.into_iter().flat_map(|(low, high)| [low - 1, low, high, high + 1]));
        counts.sort_unstable();
        counts.dedup();
        for count in counts {
            let Ok(times) = usize::try_from(count) else { continue };
            let path = format!("{own}*{count}");
            let sample = self.with(position, Value::Many(vec![one.clone(); times]));
            self.accept(Fact::new("repeat", &path, field.at), path, "repeat", sample, times > 0);
        }
    }

    fn zero(&mut self, position: usize, field: &'m Field, own: &str) {
        for bit in [0, 7] {
            self.damage(position, field, "reserved", "reserved-accepted", format!("{own}={}", 1 << bit), 1 << bit);
        }
    }

    fn copy(&mut self, position: usize, field: &'m Field, own: &str) {
        self.damage(position, field, "copy", "copy-accepted", format!("{own}.copy"), 0x01);
    }

    /// Returns the bytes of the base instruction with some bits of a field's first byte inverted.
    fn damage(
        &mut self,
        position: usize,
        field: &Field,
        kind: &'static str,
        code: &'static str,
        path: String,
        bits: u8,
    ) {
        let written = self.base.encode(&self.probes.world.operands);
        let Some((_, start, _)) = written.fields.iter().find(|(p, ..)| *p == position) else { return };
        let mut bytes = written.bytes.clone();
        if let Some(byte) = bytes.get_mut(*start) {
            *byte ^= bits;
        }
        self.out.refused.push(Refused { fact: Fact::new(kind, path, field.at), bytes, code, strict: true });
    }

    fn vector(&mut self, position: usize, field: &'m Field, own: &str) {
        let world = &self.probes.world;
        let Value::Operand(base) = &self.base.values[position] else { return };
        let dword = world.anatomy.types.dword;
        let own_type = world.operand_type(base).unwrap_or(dword);
        for class in &world.operands.classes {
            let legal = world.operands.takes(field, class);
            if let Some(one) = operand(world, class.kind, own_type, is_written(field), position) {
                let path = format!("{own}.{}", class.name);
                let sample = self.with(position, Value::Operand(one));
                let shown = legal && !shows_bare(self.base, position);
                self.accept(Fact::new("class", &path, field.at), path, "class-refused", sample, shown);
            }
        }
        self.modifiers(position, field, base, own);
        self.regions(position, field, own_type, own);
        if destination(self.base.form) == Some(position) {
            self.written(position, field, base, own);
        }
        let platforms = self.both_platforms();
        for (id, ty) in world.model.types.iter().enumerate().map(|(at, ty)| (TypeId(at), ty)) {
            for kind in [Kind::General, Kind::Immediate] {
                let legal = field.classes.is_empty() || world.operands.lists(field, kind);
                // Only constants have packed types.
                let sensible = match kind {
                    Kind::General => of_variables(world.model, ty),
                    _ => true,
                };
                let one = operand(world, kind, id, is_written(field), position);
                if let (Some(one), true) = (one, legal && sensible) {
                    let fact = Fact::new("type", format!("{own}.{}", ty.name), field.at);
                    let sample = self.with(position, Value::Operand(one));
                    self.out.judged.push((fact, sample, platforms.clone()));
                }
            }
        }
    }

    fn modifiers(&mut self, position: usize, field: &'m Field, base: &Operand, own: &str) {
        let world = &self.probes.world;
        let Some(modifier) = world.operands.modifier.clone() else { return };
        let BitsKind::Values(values) = modifier.what else { return };
        let is_dst = destination(self.base.form) == Some(position);
        for value in values.iter().filter(|v| !v.reserved) {
            let path = format!("{own}.{}", value.name);
            let with = |operand: &Operand| Operand {
                tag: operand.tag.map(|t| modifier.set(t, value.value)),
                ..operand.clone()
            };
            let sample = self.with(position, Value::Operand(with(base)));
            self.accept(Fact::new("modifier", &path, field.at), path.clone(), "modifier-refused", sample, true);
            if is_dst {
                let platform = newest_platform(world, self.base.page);
                for ty in [world.anatomy.types.signed, world.anatomy.types.float] {
                    let mut sample =
                        typed(world, self.base.page, self.base.form, self.base.version, ty, ty, platform);
                    if let Value::Operand(one) = &sample.values[position] {
                        sample.values[position] = Value::Operand(with(one));
                        let fact = Fact::new("modifier", format!("{path}:{}", world.ty(ty).name), field.at);
                        self.out.judged.push((fact, sample, vec![None]));
                    }
                }
            }
        }
    }

    fn raw(&mut self, position: usize, field: &'m Field, own: &str) {
        let world = &self.probes.world;
        let Value::Operand(base) = &self.base.values[position] else { return };
        for offset in [0, 1, 0xffff] {
            let path = format!("{own}.offset={offset}");
            let moved = world.operands.with(base.clone(), world.anatomy.raw.offset, offset);
            let sample = self.with(position, Value::Operand(moved));
            self.accept(Fact::new("raw", &path, field.at), path, "value-refused", sample, true);
        }
        let null = self.with(position, Value::Operand(world.operands.of_raw()));
        let path = format!("{own}.null");
        self.accept(Fact::new("raw", &path, field.at), path, "value-refused", null, true);
        let platforms = self.both_platforms();
        for (at, ty) in world.model.types.iter().enumerate() {
            if let Some(id) = world.variable(TypeId(at)) {
                let fact = Fact::new("type", format!("{own}.{}", ty.name), field.at);
                let sample = self.with(position, Value::Operand(raw(world, id, position)));
                self.out.judged.push((fact, sample, platforms.clone()));
            }
        }
    }

    /// Returns no platform, the newest and the oldest platform that has the instruction.
    pub(super) fn both_platforms(&self) -> Vec<Option<usize>> {
        let all = self.probes.platforms_of(self.base.page);
        let mut out = vec![None, all.first().copied(), all.last().copied()];
        out.dedup();
        out
    }

    fn platforms(&mut self) {
        for (at, platform) in self.probes.world.model.platforms.iter().enumerate() {
            let fact = Fact::new(
                "platform",
                format!("{}.platform.{}", self.base.page.name, platform.name),
                self.base.page.at,
            );
            self.out.judged.push((fact, self.base.clone(), vec![Some(at)]));
        }
    }

    /// Adds every pair of types of destination and sources, and of the first source and the others.
    fn type_maps(&mut self) {
        let world = &self.probes.world;
        let (page, form, version) = (self.base.page, self.base.form, self.base.version);
        if page.type_maps.is_empty() {
            return;
        }
        let at = page.type_maps.first().map_or(page.at, |m| m.at);
        let platform = newest_platform(world, page);
        let platforms = self.both_platforms();
        let first =
            form.fields.iter().position(|f| f.shape == FieldKind::Vector && !is_written(f) && f.types.is_empty());
        for &dst in &world.types {
            let dst_name = &world.ty(dst).name;
            for &src in &world.types {
                let sample = typed(world, page, form, version, dst, src, platform);
                let src_name = &world.ty(src).name;
                let fact = Fact::new("type-map", format!("{}.map.{dst_name}<-{src_name}", page.name), at);
                self.out.judged.push((fact, sample, platforms.clone()));
            }
            let mixed = first.and_then(|at| Some((at, self.other_type(at, dst)?)));
            if let Some((position, sample)) = mixed {
                let fact =
                    Fact::new("type-map", format!("{}.{}:{dst_name}", page.name, form.fields[position].name), at);
                self.out.judged.push((fact, sample, platforms.clone()));
            }
        }
    }

    /// Returns the base instruction with another type of one source.
    fn other_type(&self, position: usize, ty: TypeId) -> Option<Sample<'m>> {
        let Value::Operand(base) = &self.base.values[position] else { return None };
        let kind = self.probes.world.operands.kind(base);
        Some(self.with(position, Value::Operand(operand(&self.probes.world, kind, ty, false, position)?)))
    }

    /// Varies the members of operands. One field of one page represents each class.
    fn operand_structures(&mut self) {
        for (kind, page, position) in &self.probes.carriers {
            if *page == self.name {
                self.operand_members(*kind, *position);
            }
        }
    }

    fn operand_members(&mut self, kind: Kind, position: usize) {
        let world = &self.probes.world;
        let model = world.model;
        let field = &self.base.form.fields[position];
        let Value::Operand(own) = &self.base.values[position] else { return };
        let (a, boolean) = (world.anatomy, world.ty(world.anatomy.types.boolean));
        let ty = world.operand_type(own).unwrap_or(a.types.dword);
        let Some(base) = operand(world, kind, ty, is_written(field), position) else { return };
        let (Some(structure), Some(id)) = (world.operands.structure(&base), world.operands.id(&base)) else { return };
        for (at, member) in structure.members.iter().enumerate() {
            let path = format!("{}.{}", structure.name, member.name);
            let id = MemberId { structure: id, position: at };
            let now = world.operands.get(&base, id);
            let mut values: Vec<(Fact, u64, bool)> = Vec::new();
            match member.shape {
                _ if member.data_type => values.extend(
                    model
                        .types
                        .iter()
                        .filter(|t| !std::ptr::eq(*t, boolean) && model.object_type(t).is_none())
                        .map(|t| (Fact::new("data-type", format!("Data_type.{}", t.name), t.at), t.code, true)),
                ),
                FieldKind::List(list) => {
                    for b in bits(model, list).iter().filter(|b| b.part != Some(a.predicate.id)) {
                        let all = (0..=ones(b.width.min(8))).filter(|v| meant(model, b, *v));
                        values.extend(all.map(|v| {
                            let fact = Fact::new("enumerator", value_path(&path, b, v), b.at);
                            let full = b.set(now, v);
                            (fact, full, list != a.region.list || shows_region(world, kind, full))
                        }));
                    }
                }
                FieldKind::Number => {
                    let (least, most) = limits(crate::expect::structure::number_at(member, self.base.version));
                    let range = if id == a.indirect.indirect_offset { vec![-512, 511] } else { vec![least, most] };
                    // No declaration has these numbers.
                    let ids = [a.general.id, a.address.id, a.indirect.id, a.state.id];
                    values.extend(range.into_iter().map(|v| {
                        let fact = Fact::new("number", format!("{path}={v}"), member.at);
                        (fact, v as i64 as u64, !ids.contains(&id))
                    }));
                }
                _ => {}
            }
            for (fact, value, text) in values {
                let mut changed = world.operands.with(base.clone(), id, value);
                if id == a.state.class {
                    let first = world.first(world.state_table(&changed));
                    changed = world.operands.with(changed, a.state.id, first);
                }
                let sample = self.with(position, Value::Operand(changed));
                let own = format!("{}.{}.{}", self.name, field.name, fact.path);
                self.accept(fact, own, "enumerator-missing", sample, text);
            }
        }
    }
}

/// Returns true if a region can be written as text. It needs a horizontal stride, and a width if it
/// has a vertical stride. A width without a vertical stride describes rows with separate addresses.
fn shows_region(world: &World<'_>, kind: Kind, value: u64) -> bool {
    let is_null = |part| {
        bits_of(world.model, part).is_some_and(|b| match b.what {
            BitsKind::Values(values) => named(values, b.of(value)).is_some_and(|v| v.text.is_empty()),
            _ => false,
        })
    };
    let region = &world.anatomy.region;
    let (has_rows, has_width) = (!is_null(region.vertical_stride), !is_null(region.width));
    let fits = if has_rows { has_width } else { !has_width || kind == Kind::Indirect };
    !is_null(region.horizontal_stride) && fits
}

/// Returns true if the text shows a field without the type of a constant or the region of a
/// variable. Other operand classes have no text there.
fn shows_bare(base: &Sample<'_>, position: usize) -> bool {
    use visakit_codegen::template::{Item, Style};
    fn walk(items: &[Item], position: usize) -> bool {
        items.iter().any(|item| match item {
            Item::Field { place, format, .. } => {
                *format != Style::Plain && place.is_some_and(|place| place.field == position)
            }
            Item::Optional(inner) => walk(inner, position),
            _ => false,
        })
    }
    base.form.texts.iter().any(|t| walk(&t.template.items, position))
}
