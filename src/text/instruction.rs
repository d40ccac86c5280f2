//! Parser of one instruction: selection of the template, and defaults of omitted parts.

use super::scope::Scope;
use super::withdrawn;
use crate::isa::{
    And, ConstOpnd, DataType, ExecMask, ExecSize, Instruction, LscUntyped, Modifier, Not, Operand, Or, Predicate,
    VecOperand, Xor, candidates, pages, predefined,
};
use crate::rt::reflect::Page;
use crate::rt::{Candidate, Cursor, FieldInfo, FieldRef, Role, TextError, Visitor, meant, nearest};

/// Parses an instruction with its predicate. The flag in the result is true for a call whose label
/// has the kind of `fccall`.
pub(super) fn read(scope: &mut Scope, text: &str, lead: usize) -> Result<(Instruction, bool), TextError> {
    let mut c = Cursor::new(text, lead, scope);
    let predicate = c.predicate()?;
    let start = c.save();
    if c.word().is_none() {
        return Err(c.error("an instruction, a label or a directive"));
    }
    let behind = c.save();
    let word = &text[start..behind];
    // An `fccall` is encoded as a call with another kind of label.
    let link = is_mnemonic(word, &pages::FCCALL);
    scope.calls = link || is_mnemonic(word, &pages::CALL);
    let mut found = if link { candidates(&pages::CALL.name.to_ascii_lowercase()) } else { candidates(word) };
    let mut c = Cursor::new(text, behind, scope);
    // Few mnemonics contain a plus: `sample+killpix` is another instruction than `sample`.
    if c.rest().starts_with('+') {
        let end = text[start..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '+'));
        let longer = candidates(&text[start..end.map_or(text.len(), |end| start + end)]);
        found = if longer.is_empty() { found } else { longer };
    }
    let mut furthest: Option<(usize, &Candidate)> = None;
    for candidate in found {
        c.restore(start);
        match c.attempt(|c| one(c, candidate, predicate, link)) {
            Ok(instruction) if c.revisions().1 != u32::MAX && begins_with_null(&instruction) => {
                return Err(null_of_newer_texts(text, start));
            }
            Ok(mut instruction) => {
                let (since, before) = c.revisions();
                complete(&mut instruction);
                let known = &mut scope.revisions;
                *known = (known.0.max(since), known.1.min(before));
                return Ok((instruction, link));
            }
            Err(error) => {
                if furthest.is_none_or(|(at, _)| error.at > at) {
                    furthest = Some((error.at, candidate));
                }
            }
        }
    }
    if let Some(spelled) = respelled(text, start) {
        return read(scope, &spelled, lead);
    }
    let Some((_, candidate)) = furthest else { return Err(unknown(word, start)) };
    // Parse again for the error that is reported; the first pass builds no messages.
    c.restore(start);
    let error = match one(&mut c, candidate, predicate, link) {
        Ok(_) => unknown(word, start),
        Err(error) => error,
    };
    Err(match text.get(error.at..).and_then(withdrawn::mask) {
        Some((old, now)) => TextError { at: error.at, expected: format!("{now}: `{old}` was withdrawn") },
        None => error,
    })
}

/// Applies the vendor assembler's rules to instructions on predicates, see instructions/MOV.md: a
/// predicate is moved by one channel without mask and without a predicate. Also sets the defaults
/// of omitted operands.
fn complete(instruction: &mut Instruction) {
    let is_predicate = |o: &VecOperand| matches!(o.operand, Operand::Predicate(_));
    match instruction {
        Instruction::Mov(mov) if is_predicate(&mov.src0) => {
            mov.exec_size = ExecSize { mask: ExecMask::M1Nm, ..ExecSize::default() };
            mov.pred = Predicate::default();
            mov.dst.modifier = Modifier::None;
        }
        Instruction::And(And { pred, dst, .. })
        | Instruction::Or(Or { pred, dst, .. })
        | Instruction::Xor(Xor { pred, dst, .. })
        | Instruction::Not(Not { pred, dst, .. })
            if is_predicate(dst) =>
        {
            *pred = Predicate::default();
            dst.modifier = Modifier::None;
        }
        // A strided access without a pitch has contiguous elements.
        Instruction::LscUntyped(LscUntyped::Strided(access)) if access.src0_addr_pitch == VecOperand::default() => {
            let low = access.data_size.register_bytes();
            let pitch = ConstOpnd { type_: DataType::Ud, low, high: None };
            access.src0_addr_pitch = VecOperand { operand: Operand::Immediate(pitch), ..VecOperand::default() };
        }
        _ => {}
    }
}

/// Returns true if the first of several source operands is null. Forms of older texts have no null
/// operand there; the null belongs to a form of newer texts.
fn begins_with_null(instruction: &Instruction) -> bool {
    struct Reads {
        fields: &'static [FieldInfo],
        first: Option<bool>,
    }
    impl<'a> Visitor<'a> for Reads {
        fn field(&mut self, position: usize, field: FieldRef<'a>) {
            let is_read = self.fields.get(position).is_some_and(|f| f.role == Some(Role::Read));
            if let (FieldRef::Raw(raw), true, None) = (field, is_read, self.first) {
                self.first = Some(raw.id == predefined::NULL);
            }
        }
    }
    let mut reads = Reads { fields: instruction.fields(), first: None };
    instruction.visit(&mut reads);
    reads.first == Some(true)
}

/// Returns the error for a null operand where older texts allow none.
fn null_of_newer_texts(text: &str, start: usize) -> TextError {
    let null = predefined::ALL.first().map_or("", |entry| entry.name);
    let at = start + text[start..].find(null).unwrap_or(0);
    let expected = "an operand other than null: older texts leave out a null operand, and newer \
     ones write more operands after it";
    TextError { at, expected: expected.to_owned() }
}

/// Parses a whole statement by one template.
fn one(
    c: &mut Cursor<'_>,
    candidate: &Candidate,
    predicate: Predicate,
    link: bool,
) -> Result<Instruction, TextError> {
    if !candidate.takes_predicate && predicate != Predicate::default() {
        return Err(c.error(format!("no predicate: {} cannot have one", candidate.page.name)));
    }
    if link {
        // The template spells `call`; `fccall` has two more letters.
        c.restore(c.save() + "fc".len());
    }
    let instruction = (candidate.parse)(c, predicate)?;
    c.skip_blanks();
    if !c.at_end() {
        return Err(c.error("the end of the statement"));
    }
    Ok(instruction)
}

/// Returns true if a word is the name of a page in lower case.
fn is_mnemonic(word: &str, page: &Page) -> bool {
    page.name.len() == word.len() && page.name.bytes().zip(word.bytes()).all(|(a, b)| a.to_ascii_lowercase() == b)
}

/// Older spelling of the execution mask of all channels.
const NO_MASK: &str = "NoMask";

/// Returns the statement with the current spelling of the mask of all channels. Columns do not
/// change.
fn respelled(text: &str, start: usize) -> Option<String> {
    let open = start + text[start..].find('(')? + 1;
    let mask = open + text[open..].len() - text[open..].trim_start().len();
    let behind = text[mask..].strip_prefix(NO_MASK).filter(|rest| rest.trim_start().starts_with(','))?;
    let all = ExecMask::ALL.iter().find(|m| m.first_channel() == 0 && m.no_mask()).map_or("", |m| m.text());
    let width = NO_MASK.len();
    Some(format!("{}{all:width$}{behind}", &text[..mask]))
}

fn unknown(word: &str, at: usize) -> TextError {
    let expected = match withdrawn::mnemonic(word) {
        Some(now) => format!("{now}: `{word}` was withdrawn"),
        None => {
            let hint = meant(nearest(word, crate::isa::MNEMONICS.iter().copied()));
            format!("an instruction: no page has the mnemonic `{word}`{hint}")
        }
    };
    TextError { at, expected }
}
