//! What is left of an object whose writer left the last fields of its instructions out.
//!
//! The fields that are there stand one after the other, without room for the others; a routine has
//! the length that it would have with them, so what follows its last instruction is whatever was in
//! memory.

use super::fragment::guess;
use super::read::read_with;
use super::{Object, ObjectError, Routine};
use crate::isa::{LabelKind, pages};
use crate::rt::Context;
use crate::rt::reflect::{Form, Page};

/// What is left of an object.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// Header and tables, which are whole. The routines have no instructions.
    pub object: Object,
    /// For each routine, kernels first, what its instructions have.
    pub code: Vec<SalvagedCode>,
}

/// What is left of the code of a routine.
#[derive(Clone, Debug, Default)]
pub struct SalvagedCode {
    /// Its instructions.
    pub instructions: Vec<Fragment>,
    /// Bytes behind the last one, which mean nothing.
    pub rest: usize,
    /// Whether as many bytes are left over as the instructions lack, and all labels are there.
    pub is_whole: bool,
}

/// An instruction that may lack its last fields.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Where it begins in the file.
    pub offset: usize,
    /// Its page.
    pub page: &'static Page,
    /// Its layout.
    pub form: &'static Form,
    /// The fields that are there: their positions in the layout, and the bytes of each.
    pub present: Vec<(usize, Vec<u8>)>,
    /// The positions of the fields that are not there.
    pub missing: Vec<usize>,
}

impl Object {
    /// Reads what is there of an object that [`Object::decode`] refuses as `object-incomplete`: the
    /// tables, and of each instruction the fields that the packaged compiler writes.
    ///
    /// # Errors
    /// The header or the tables are damaged.
    pub fn salvage(bytes: &[u8]) -> Result<Salvaged, ObjectError> {
        let mut code = Vec::new();
        let object = read_with(bytes, &mut |routine: &mut Routine, bytes: &[u8], base: usize, cx: Context| {
            code.push(salvage(bytes, base, routine, cx));
            Ok(())
        })?;
        // A routine whose code was removed has nothing.
        let mut found = code.into_iter();
        let code = object.routines().map(|r| match r.stripped {
            Some(_) => SalvagedCode::default(),
            None => found.next().unwrap_or_default(),
        });
        Ok(Salvaged { code: code.collect(), object })
    }
}

fn salvage(code: &[u8], base: usize, routine: &Routine, cx: Context) -> SalvagedCode {
    let mut out = SalvagedCode { rest: code.len(), ..SalvagedCode::default() };
    let mut labels: Vec<bool> =
        routine.labels.iter().map(|l| !matches!(l.kind, LabelKind::Block | LabelKind::Subroutine)).collect();
    let (mut at, mut least, mut most) = (0, 0, 0);
    while let Some(rest) = code.get(at..).filter(|r| !r.is_empty()) {
        // The end: as many bytes are left as the fields that are not there would take, and nothing
        // is missing.
        let ended = out.instructions.last().is_some_and(|i| ENDS.contains(&i.page.name));
        if ended && (least..=most).contains(&rest.len()) && labels.iter().all(|met| *met) {
            out.is_whole = true;
            break;
        }
        let Some(guess) = guess(rest, routine, cx) else { break };
        if is_label(guess.page)
            && let Some((_, bytes)) = guess.present.first()
        {
            let id = bytes.iter().rev().fold(0usize, |v, b| v << 8 | usize::from(*b));
            if let Some(met) = labels.get_mut(id) {
                *met = true;
            }
        }
        least += guess.lost.0;
        most += guess.lost.1;
        out.instructions.push(Fragment {
            offset: base + at,
            page: guess.page,
            form: guess.form,
            present: guess.present,
            missing: guess.missing,
        });
        at += guess.length;
    }
    out.rest = code.len() - at.min(code.len());
    out
}

/// Whether an instruction of this page is where a label stands.
pub(crate) fn is_label(page: &Page) -> bool {
    [pages::LABEL.name, pages::SUBROUTINE.name].contains(&page.name)
}

/// With what the code of a routine ends.
static ENDS: [&str; 6] = [
    pages::RET.name,
    pages::FRET.name,
    pages::JMP.name,
    pages::GOTO.name,
    pages::RAW_SEND.name,
    pages::RAW_SENDS.name,
];
