//! Single instruction of an object whose writer dropped the last fields: the present fields, the
//! evidence for them, and the size of the missing fields.

use super::Routine;
use super::defect::{uncounted, vector_problem};
use crate::isa::{ConstOpnd, DataType, Operand, PAGES, Predicate, RawOperand, VecOperand};
use crate::rt::reflect::{Field, FieldKind, Form, List, Page, PageKind};
use crate::rt::{Bits, Context, Reader, Table, Wire, Writer};

/// Candidate reading of the bytes as an instruction that may lack its last fields.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    pub(super) page: &'static Page,
    pub(super) form: &'static Form,
    /// Present fields: their positions in the form, and the bytes of each.
    pub(super) present: Vec<(usize, Vec<u8>)>,
    /// Positions of the missing fields.
    pub(super) missing: Vec<usize>,
    /// Evidence in bits: the bits of the present fields in which an arbitrary value would have been
    /// invalid.
    pub(super) evidence: f32,
    /// Number of present bytes, the opcode included.
    pub(super) length: usize,
    /// Minimum and maximum size of the missing fields, in bytes.
    pub(super) lost: (usize, usize),
}

/// Returns the most plausible instruction at the start of `code`: of all layouts with the opcode,
/// the one with the most evidence.
pub(super) fn guess(code: &[u8], routine: &Routine, cx: Context) -> Option<Guess> {
    let opcode = *code.first()?;
    let pages = PAGES.iter().filter(|p| p.opcode == opcode && ordinary(p));
    let sub = |p: &Page| p.sub_opcode.is_none_or(|s| code.get(1) == Some(&s));
    pages
        .filter(|p| sub(p))
        .flat_map(|p| p.forms.iter().map(move |f| (p, f)))
        .filter_map(|(page, form)| guess_form(code, page, form, routine, cx))
        .max_by(|a, b| a.evidence.total_cmp(&b.evidence))
}

fn ordinary(page: &Page) -> bool {
    matches!(page.kind, PageKind::Ordinary | PageKind::Undefined)
}

/// Upper bound on the repetitions of a field.
const MOST: usize = 64;

/// Values of the fields so far, which decide the presence of later fields.
struct Known {
    fields: Vec<(&'static Field, u64)>,
}

impl Known {
    /// Returns the value of a field such as `Op`, or of a part such as `Mode.SI`.
    fn value(&self, name: &str) -> Option<u64> {
        self.fields.iter().find(|(f, _)| f.name == name).map(|(_, v)| *v)
    }

    fn is_one_of(&self, place: &str, values: &[&str]) -> bool {
        let (field, part) = place.split_once('.').unwrap_or((place, ""));
        let found = self.fields.iter().find(|(f, _)| f.name == field);
        let Some((list, bits)) = found.and_then(|(f, bits)| Some((f.list?, *bits))) else { return false };
        list.parts.iter().filter(|p| !p.zero && (part.is_empty() || p.name == part)).any(|p| {
            let value = bits >> p.lo & mask(p.width);
            let name = p.values.iter().find(|v| v.value == value).map(|v| v.name);
            values.iter().any(|v| name == Some(*v) || v.parse() == Ok(value))
        })
    }
}

fn mask(width: u32) -> u64 {
    1u64.checked_shl(width).map_or(u64::MAX, |m| m - 1)
}

fn guess_form(
    code: &[u8],
    page: &'static Page,
    form: &'static Form,
    routine: &Routine,
    cx: Context,
) -> Option<Guess> {
    let mut r = Reader::new(code, 0);
    r.slice(1 + u64::from(page.sub_opcode.is_some())).ok()?;
    let mut out = Guess {
        page,
        form,
        present: Vec::new(),
        missing: Vec::new(),
        evidence: 0.0,
        length: r.offset(),
        lost: (0, 0),
    };
    let mut known = Known { fields: Vec::new() };
    // The writer counts the fields except execution size and predicate. It writes that many fields,
    // from the first field on.
    let stored = |known: &Known| -> Vec<usize> {
        let times = |f: &Field| match f.presence.strip_suffix(" times") {
            // Until the counter is read, assume the maximum number of repetitions.
            Some(counter) => known.value(counter).map_or(MOST, |n| usize::try_from(n).unwrap_or(MOST).min(MOST)),
            None => usize::from(is_present(f, known)),
        };
        form.fields.iter().enumerate().flat_map(|(i, f)| std::iter::repeat_n(i, times(f))).collect()
    };
    let mut done = 0;
    loop {
        let all = stored(&known);
        let written = all.iter().filter(|i| form.fields.get(**i).is_some_and(|f| !uncounted(f))).count();
        let Some(&position) = all.get(done) else { break };
        let field = form.fields.get(position)?;
        if done < written {
            let start = r.offset();
            let (value, evidence) = read(&mut r, field, routine, cx)?;
            if form.selector == field.name && !known_form(field, value, form) {
                return None;
            }
            out.evidence += evidence;
            out.present.push((position, code.get(start..r.offset())?.to_vec()));
            out.length = r.offset();
            known.fields.push((field, value));
        } else {
            out.missing.push(position);
            let sizes = sizes(field, cx);
            out.lost.0 += sizes.iter().min().unwrap_or(&0);
            out.lost.1 += sizes.iter().max().unwrap_or(&0);
        }
        done += 1;
    }
    Some(out)
}

fn is_present(field: &Field, known: &Known) -> bool {
    if field.is_text_only() {
        return false;
    }
    match field.presence.split_once('=') {
        Some((place, _)) if known.value(place.split('.').next().unwrap_or(place)).is_none() => true,
        Some((place, values)) => known.is_one_of(place, &values.split(',').map(str::trim).collect::<Vec<_>>()),
        None => true,
    }
}

fn known_form(field: &'static Field, value: u64, form: &Form) -> bool {
    Known { fields: vec![(field, value)] }.is_one_of(field.name, form.values)
}

/// Reads a field. Returns its value, if it is a number, and its evidence in bits.
fn read(r: &mut Reader<'_>, field: &'static Field, routine: &Routine, cx: Context) -> Option<(u64, f32)> {
    match field.shape {
        FieldKind::Predicate => {
            let bits = u16::decode(r, cx).ok()?;
            let predicate = Predicate::from_bits(u64::from(bits)).ok()?;
            let evidence = among(u64::from(predicate.id), routine.predicates.len() as u64 + 1, 12)?;
            Some((u64::from(bits), evidence))
        }
        FieldKind::Vector | FieldKind::Scalar => {
            let operand = VecOperand::decode(r, cx).ok()?;
            if !field.allows(operand.operand.class()) {
                return None;
            }
            let evidence = vector_problem(&operand, field, routine).is_none();
            evidence.then_some((0, 20.0))
        }
        FieldKind::Raw => {
            let raw = RawOperand::decode(r, cx).ok()?;
            Some((0, entry(Table::General, raw.id.0.into(), routine, 32)?))
        }
        _ => {
            let size = number_size(field)?;
            let bytes = r.slice(size).ok()?;
            let value = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
            let bits = 8 * size as u32;
            let evidence = match (field.shape, field.list) {
                (FieldKind::List, Some(list)) => in_list(list, value)?,
                (FieldKind::Zero, _) => among(value, 1, bits)?,
                (FieldKind::Index, _) => match field.table {
                    Some(table) => entry(table, value, routine, bits)?,
                    None => 0.0,
                },
                _ => 0.0,
            };
            Some((value, evidence))
        }
    }
}

/// Returns the evidence of a value below `count`, or `None` for any other value.
fn among(value: u64, count: u64, bits: u32) -> Option<f32> {
    (value < count).then(|| bits as f32 - (count as f32).log2())
}

/// Returns the evidence of an index into a table.
fn entry(table: Table, id: u64, routine: &Routine, bits: u32) -> Option<f32> {
    among(id, routine.numbers(table) as u64, bits)
}

/// Returns the evidence of a list's value, or `None` for a value without a meaning.
fn in_list(list: &List, value: u64) -> Option<f32> {
    let mut evidence = 0.0;
    for part in list.parts {
        let bits = value >> part.lo & mask(part.width);
        if part.zero {
            evidence += among(bits, 1, part.width)?;
        } else if !part.values.is_empty() {
            part.values.iter().find(|v| v.value == bits)?;
            evidence += part.width as f32 - (part.values.len() as f32).log2();
        }
    }
    Some(evidence)
}

fn number_size(field: &Field) -> Option<u64> {
    let bits = match field.list {
        Some(list) => list.bits,
        None => DataType::ALL.iter().find(|ty| ty.name() == field.storage)?.bits(),
    };
    Some(u64::from(bits.div_ceil(8)))
}

/// Returns the possible sizes of a field in bytes.
fn sizes(field: &Field, cx: Context) -> Vec<usize> {
    let size = |wire: &dyn Fn(&mut Writer) -> bool| {
        let mut w = Writer::new();
        wire(&mut w).then(|| w.len())
    };
    let of = |operand: Operand| {
        size(&|w| VecOperand { operand: operand.clone(), ..VecOperand::default() }.encode(w, cx).is_ok())
    };
    match field.shape {
        FieldKind::Predicate => vec![2],
        FieldKind::Raw => size(&|w| RawOperand::default().encode(w, cx).is_ok()).into_iter().collect(),
        FieldKind::Vector | FieldKind::Scalar => {
            let wide = ConstOpnd { type_: DataType::Df, low: 0, high: Some(0) };
            let operands = [
                Operand::General(Default::default()),
                Operand::Address(Default::default()),
                Operand::Predicate(Default::default()),
                Operand::Indirect(Default::default()),
                Operand::Immediate(Default::default()),
                Operand::Immediate(wide),
                Operand::State(Default::default()),
            ];
            operands.into_iter().filter(|operand| field.allows(operand.class())).filter_map(of).collect()
        }
        _ => number_size(field).into_iter().map(|s| s as usize).collect(),
    }
}
