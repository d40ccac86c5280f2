//! Salvage of objects whose writer dropped the last fields of the instructions.
//!
//! The present fields are contiguous, without room for the missing ones. A routine has the length
//! of its complete code, so stale memory follows its last instruction.

use super::fragment::guess;
use super::read::read_with;
use super::{Object, ObjectError, Routine};
use crate::isa::{InstructionGroup, LabelKind};
use crate::rt::Context;
use crate::rt::reflect::{Form, Page};

/// Salvaged content of an object.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// Header and tables, which are complete. The routines have no instructions.
    pub object: Object,
    /// Salvaged code of each routine, kernels first.
    pub code: Vec<SalvagedCode>,
}

/// Salvaged code of a routine.
#[derive(Clone, Debug, Default)]
pub struct SalvagedCode {
    /// Instructions of the routine.
    pub instructions: Vec<Fragment>,
    /// Number of meaningless bytes after the last instruction.
    pub rest: usize,
    /// True if the number of left-over bytes matches the missing fields and all labels are present.
    pub is_whole: bool,
}

/// Instruction that may lack its last fields.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Byte offset of the instruction in the file.
    pub offset: usize,
    /// Page of the instruction.
    pub page: &'static Page,
    /// Layout of the instruction.
    pub form: &'static Form,
    /// Present fields: their positions in the layout, and the bytes of each.
    pub present: Vec<(usize, Vec<u8>)>,
    /// Positions of the missing fields.
    pub missing: Vec<usize>,
}

impl Object {
    /// Salvages an object that [`Object::decode`] refuses as `object-incomplete`: reads the tables,
    /// and the fields of each instruction that the packaged compiler writes.
    ///
    /// # Errors
    /// A damaged header or table.
    pub fn salvage(bytes: &[u8]) -> Result<Salvaged, ObjectError> {
        let mut code = Vec::new();
        let object = read_with(bytes, &mut |routine: &mut Routine, bytes: &[u8], base: usize, cx: Context| {
            code.push(salvage(bytes, base, routine, cx));
            Ok(())
        })?;
        // A routine whose code was removed has no salvaged code.
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
        // The code ends where the left-over bytes match the size of the missing fields and all
        // labels were met.
        let ended = out.instructions.last().is_some_and(|i| i.page.is_in(InstructionGroup::Last));
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

/// Returns true if instructions of this page place a label.
pub(crate) fn is_label(page: &Page) -> bool {
    page.is_in(InstructionGroup::BlockStart) || page.is_in(InstructionGroup::SubroutineStart)
}
