//! Generator of one legal instruction: draws field values for a page's layout and redraws them
//! until no rule is broken.
//!
//! The possible values come from the reflection tables. The bytes are assembled here and read by
//! the decoder, which checks two implementations of one layout against each other.

use arbitrary::{Result, Unstructured};
use visakit::isa::{DataType, ExecSize, Instruction, Platform, RawOperand, VecOperand, list_data};
use visakit::rt::reflect::{Field, FieldKind, Form, List, Page};
use visakit::rt::{Bits, Context, Reader, Role, Table, Version, Wire, Writer};
use visakit::verify;

use crate::operand::{self, Place};
use crate::random;
use crate::scope::Scope;

/// Version whose layouts are written.
const NEWEST: Version = Version::new(4, 1);

/// Maximum number of redraws per instruction.
const STEPS: usize = 400;

/// Cost of bytes that do not decode, in broken rules.
const UNREADABLE: usize = 1000;

/// Draws an instruction of a page; `None` if no legal one is found. A label operand is `label`.
pub(crate) fn instruction(
    u: &mut Unstructured<'_>,
    scope: &mut Scope,
    page: &'static Page,
    label: u32,
) -> Result<Option<Instruction>> {
    // Forms without a selector differ by version; the newest is first.
    let form = if page.forms.iter().any(|f| f.selector.is_empty()) { &page.forms[0] } else { u.choose(page.forms)? };
    let mut draft = Draft { page, form, label, types: Types::draw(u, page, scope.platform)?, values: Vec::new() };
    for field in form.fields {
        let value = draft.value(u, scope, field)?;
        draft.values.push(value);
    }
    let (mut cost, mut instruction) = draft.cost(scope);
    // Redraws use their own random numbers, so that the input after this instruction is read from
    // the same position.
    let seed: u32 = u.arbitrary()?;
    for step in 0..STEPS {
        if cost == 0 {
            break;
        }
        let bytes = random::bytes(u64::from(seed) << 32 | step as u64, 96);
        let mut other = draft.clone();
        other.redraw(&mut Unstructured::new(&bytes), scope)?;
        let (new_cost, changed) = other.cost(scope);
        if new_cost <= cost {
            (draft, cost, instruction) = (other, new_cost, changed);
        }
    }
    Ok(instruction.filter(|_| cost == 0))
}

/// Returns true if a platform has a page's instruction and objects can encode it.
pub(crate) fn exists(page: &Page, platform: Platform) -> bool {
    !page.forms.is_empty()
        && (page.platforms.is_empty() || page.platforms.iter().any(|range| range.contains(platform)))
}

/// Returns true if an instruction of a page refers to an entry of a table.
pub(crate) fn names(page: &Page, table: Table) -> bool {
    page.forms.iter().flat_map(|form| form.fields).any(|field| field.table == Some(table))
}

/// Types of the operands that declare none themselves.
#[derive(Clone, Copy, Debug)]
struct Types {
    dst: DataType,
    src: DataType,
}

impl Types {
    fn draw(u: &mut Unstructured<'_>, page: &Page, platform: Platform) -> Result<Self> {
        let maps: Vec<_> = page.type_maps.iter().filter(|map| map.platforms.contains(platform)).collect();
        if !maps.is_empty() {
            let map = u.choose(&maps)?;
            let src = if map.src.is_empty() { map.dst } else { map.src };
            return Ok(Self { dst: *u.choose(map.dst)?, src: *u.choose(src)? });
        }
        let here = page.types.iter().filter(|(_, range)| range.contains(platform)).map(|(ty, _)| *ty);
        let mut types: Vec<DataType> = here.filter(|ty| ty.object_type().is_none()).collect();
        if types.is_empty() {
            // Types that exist only in texts cannot be encoded.
            let is_drawn = |t: &DataType| t.packed().is_none() && t.object_type().is_none() && *t != DataType::Bool;
            types = DataType::ALL.iter().copied().filter(is_drawn).collect();
        }
        let dst = *u.choose(&types)?;
        Ok(Self { dst, src: if u.ratio(3, 4)? { dst } else { *u.choose(&types)? } })
    }
}

/// Value of a field.
#[derive(Clone, Debug)]
enum Value {
    /// Number, index or bits of a list.
    Bits(u64),
    Vector(VecOperand),
    Raw(RawOperand),
    /// Elements of a repeated field.
    Many(Vec<Value>),
}

/// Instruction that is not legal yet.
#[derive(Clone, Debug)]
struct Draft {
    page: &'static Page,
    form: &'static Form,
    label: u32,
    types: Types,
    /// Values of all fields, including fields that are not stored.
    values: Vec<Value>,
}

impl Draft {
    /// Redraws a field, or the types together with all operands.
    fn redraw(&mut self, u: &mut Unstructured<'_>, scope: &mut Scope) -> Result<()> {
        let at = u.int_in_range(0..=self.form.fields.len())?;
        let is_operand =
            |field: &Field| matches!(field.shape, FieldKind::Vector | FieldKind::Scalar | FieldKind::Raw);
        if at == self.form.fields.len() {
            self.types = Types::draw(u, self.page, scope.platform)?;
        }
        for (position, field) in self.form.fields.iter().enumerate() {
            if position == at || at == self.form.fields.len() && is_operand(field) {
                let value = self.value(u, scope, field)?;
                self.values[position] = value;
            }
        }
        Ok(())
    }

    fn value(&self, u: &mut Unstructured<'_>, scope: &mut Scope, field: &'static Field) -> Result<Value> {
        match times(field) {
            Some(counter) => {
                let (low, high) = self.field(counter).and_then(|(_, f)| f.range).unwrap_or((0, 4));
                let count = u.int_in_range(low..=high.min(low + 7))?;
                let mut all = (0..count).map(|_| self.one(u, scope, field)).collect::<Result<Vec<_>>>()?;
                // In a text, `%null` before the other operands would be read as a newer form.
                if let Some(first @ Value::Raw(_)) = all.first_mut()
                    && self.follows_null(field)
                {
                    *first = Value::Raw(operand::registers(u, scope, field, self.types.src)?);
                }
                Ok(Value::Many(all))
            }
            None => self.one(u, scope, field),
        }
    }

    /// Returns true if a template has `%null` in front of a field.
    fn follows_null(&self, field: &Field) -> bool {
        let after = format!("%null.0 <{}>", field.name.to_ascii_lowercase());
        self.page.text.iter().any(|template| template.contains(&after))
    }

    fn one(&self, u: &mut Unstructured<'_>, scope: &mut Scope, field: &'static Field) -> Result<Value> {
        let is_dst = field.role.is_some_and(Role::is_write);
        let usual = if is_dst { self.types.dst } else { self.types.src };
        Ok(match field.shape {
            FieldKind::Number => Value::Bits(self.number(u, field)? as u64),
            FieldKind::List => match field.list {
                Some(list) => Value::Bits(self.list(u, scope.platform, field, list)?),
                None => Value::Bits(0),
            },
            FieldKind::Predicate if u.ratio(2, 3)? => Value::Bits(0),
            FieldKind::Predicate => {
                let mut predicate = u.choose(&scope.predicates)?.enable();
                predicate.inverse = u.arbitrary()?;
                if u.ratio(1, 4)? {
                    predicate.combine = *u.choose(visakit::isa::Combine::ALL)?;
                }
                Value::Bits(predicate.to_bits().unwrap_or(0))
            }
            FieldKind::Index => match field.table {
                Some(Table::Label) => Value::Bits(self.label.into()),
                Some(table) => Value::Bits(scope.entry(u, table)?.into()),
                // The decoder determines the table; invalid indices are replaced afterwards.
                None => Value::Bits(0),
            },
            FieldKind::Vector | FieldKind::Scalar => {
                let ty = if field.types.is_empty() { usual } else { *u.choose(field.types)? };
                let place = self.place(field, is_dst);
                Value::Vector(operand::vector(u, scope, &place, ty)?)
            }
            FieldKind::Raw => Value::Raw(operand::raw(u, scope, field, usual)?),
            FieldKind::Zero | FieldKind::Copy => Value::Bits(0),
        })
    }

    fn place(&self, field: &'static Field, is_dst: bool) -> Place<'static> {
        Place { page: self.page, field, is_dst, channels: self.channels() }
    }

    /// Returns the number of channels according to the fields drawn so far.
    fn channels(&self) -> u32 {
        let fields = self.form.fields.iter().zip(&self.values);
        let size = fields.into_iter().find_map(|(field, value)| match value {
            Value::Bits(bits) if field.list.is_some_and(|l| l.name == list_data::EXEC_SIZE.name) => {
                ExecSize::from_bits(*bits).ok()
            }
            _ => None,
        });
        size.map_or(1, |e| e.size.channels())
    }

    fn number(&self, u: &mut Unstructured<'_>, field: &Field) -> Result<i64> {
        let bits = storage_bits(field);
        let (mut low, mut high) = match (is_signed(field), bits) {
            (true, _) => (-(1 << (bits.min(32) - 1)), (1 << (bits.min(32) - 1)) - 1),
            (false, _) => (0, (1 << bits.min(32)) - 1),
        };
        if let Some((least, most)) = field.range {
            (low, high) = (low.max(least), high.min(most));
        }
        let (low, high) = (low.min(high), high);
        let small = high.min(low.max(0) + 8).max(low);
        if u.ratio(2, 3)? { u.int_in_range(low.max(0).min(small)..=small) } else { u.int_in_range(low..=high) }
    }

    /// Draws the bits of a list, each part with a value allowed by the platform and the page.
    fn list(&self, u: &mut Unstructured<'_>, platform: Platform, field: &Field, list: &List) -> Result<u64> {
        let mut whole = 0;
        for part in list.parts.iter().filter(|part| !part.zero) {
            let legal = |name: &str| {
                let mut only = field.only.iter().filter(|(of, _)| of.eq_ignore_ascii_case(part.name));
                let selects = self.form.selector.eq_ignore_ascii_case(field.name) && !self.form.values.is_empty();
                only.all(|(_, all)| {
                    all.iter().any(|(n, range)| n.eq_ignore_ascii_case(name) && range.contains(platform))
                }) && (!selects || self.form.values.iter().any(|v| v.eq_ignore_ascii_case(name)))
            };
            let named =
                part.values.iter().filter(|v| v.platforms.contains(platform) && legal(v.name)).map(|v| v.value);
            let named: Vec<u64> = named.collect();
            let most = (1 << part.width.min(16)) - 1;
            let value = match (part.values.is_empty(), named.is_empty()) {
                (false, false) => *u.choose(&named)?,
                (false, true) => 0,
                // Flags and numbers are zero half of the time.
                (true, _) if u.ratio(1, 2)? => 0,
                (true, _) => u.int_in_range(0..=most)?,
            };
            whole |= value << part.lo;
        }
        Ok(whole)
    }

    /// Returns the number of rules that the instruction breaks, and the instruction.
    fn cost(&self, scope: &mut Scope) -> (usize, Option<Instruction>) {
        let bytes = self.encode();
        let mut reader = Reader::new(&bytes, 0);
        let Ok(mut instruction) = Instruction::decode(&mut reader, Context { version: NEWEST }) else {
            return (UNREADABLE, None);
        };
        assert_eq!(reader.offset(), bytes.len(), "decoding and encoding {} gives different bytes", self.page.name);
        // Replaces indices whose table depends on another field.
        let first = |table| match table {
            Table::General => {
                scope.routine.variables.len().checked_sub(1).map(|n| n as u32 + visakit::isa::predefined::DECLARED)
            }
            Table::Surface => scope.surfaces.first().map(|s| s.0),
            _ => None,
        };
        let known = |table, id| matches!(table, Table::Label | Table::String) || scope.routine.has(table, id);
        let result = instruction.renumber(|table, id| if known(table, id) { id } else { first(table).unwrap_or(0) });
        let unknown = instruction.uses().filter(|used| !known(used.table, used.id)).count();
        let broken = verify::instruction(&instruction, 0, &scope.routine, Some(scope.platform)).len();
        let outside = self.form.fields.iter().zip(&self.values).filter(|(field, value)| match value {
            Value::Vector(v) => {
                !operand::is_inside(scope, v, &self.place(field, field.role.is_some_and(Role::is_write)))
            }
            _ => false,
        });
        (broken + outside.count() + unknown + usize::from(result.is_err()), Some(instruction))
    }

    /// Encodes the instruction.
    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.u8(self.page.opcode);
        if let Some(sub_opcode) = self.page.sub_opcode {
            out.u8(sub_opcode);
        }
        for (position, (field, value)) in self.form.fields.iter().zip(&self.values).enumerate() {
            if self.is_present(field) {
                let count = self.form.fields.iter().zip(&self.values).find_map(|(of, value)| match value {
                    Value::Many(all) if times(of) == Some(field.name) => Some(all.len()),
                    _ => None,
                });
                match (count, field.shape) {
                    (Some(count), _) => put(&mut out, field, &Value::Bits(count as u64)),
                    (_, FieldKind::Copy) => put(&mut out, field, &self.copied(position)),
                    _ => put(&mut out, field, value),
                }
            }
        }
        out.into_bytes()
    }

    /// Returns the value of a field that repeats an earlier one: the nearest with its storage.
    fn copied(&self, position: usize) -> Value {
        let copy = &self.form.fields[position];
        let mut before = self.form.fields[..position].iter().zip(&self.values);
        // A scalar is stored like any operand of its kind.
        let scalar = |f: &Field| f.shape == FieldKind::Scalar && storage(copy).is_none();
        before
            .rfind(|(f, _)| f.storage == copy.storage || scalar(f))
            .map_or(Value::Bits(0), |(_, value)| value.clone())
    }

    /// Returns a field by its name, with its position.
    fn field(&self, name: &str) -> Option<(usize, &'static Field)> {
        self.form.fields.iter().enumerate().find(|(_, f)| f.name.eq_ignore_ascii_case(name))
    }

    /// Returns true if a field is stored, which `Field.part=VALUE, …` decides.
    fn is_present(&self, field: &Field) -> bool {
        if field.is_text_only() {
            return false;
        }
        let Some((place, values)) = field.presence.split_once('=') else { return true };
        let (name, part) = place.split_once('.').unwrap_or((place, ""));
        let Some((position, of)) = self.field(name) else { return true };
        let Some(Value::Bits(bits)) = self.values.get(position) else { return true };
        let parts = of.list.map_or(&[][..], |list| list.parts);
        let part = parts.iter().find(|p| p.name.eq_ignore_ascii_case(part));
        let own = part.map_or(*bits, |p| bits >> p.lo & ((1 << p.width) - 1));
        let name = part.and_then(|p| p.values.iter().find(|v| v.value == own)).map(|v| v.name);
        values.split(", ").any(|v| name.is_some_and(|n| n.eq_ignore_ascii_case(v)) || v.parse() == Ok(own))
    }
}

/// Returns the field that holds the count of a repeated field.
fn times(field: &Field) -> Option<&'static str> {
    field.presence.strip_suffix(" times")
}

/// Returns the type in which a field is stored.
fn storage(field: &Field) -> Option<DataType> {
    DataType::ALL.iter().copied().find(|t| t.name().eq_ignore_ascii_case(field.storage))
}

fn storage_bits(field: &Field) -> u32 {
    storage(field).map_or(8, DataType::bits)
}

fn is_signed(field: &Field) -> bool {
    storage(field).is_some_and(|t| t.class() == visakit::isa::DataTypeClass::Signed)
}

fn put(out: &mut Writer, field: &Field, value: &Value) {
    // The newest version can encode every field.
    let cx = Context { version: NEWEST };
    match value {
        Value::Bits(bits) => out.bytes(&bits.to_le_bytes()[..storage_bits(field) as usize / 8]),
        Value::Vector(operand) => drop(operand.encode(out, cx)),
        Value::Raw(operand) => drop(operand.encode(out, cx)),
        Value::Many(all) => all.iter().for_each(|one| put(out, field, one)),
    }
}
