//! One instruction of a text: which of its templates reads it, in today's spelling or an older one, and what it leaves out.

use super::scope::Scope;
use super::withdrawn;
use crate::isa::{
    And, ConstOpnd, DataType, ExecMask, ExecSize, Instruction, LscUntyped, Modifier, Not, Operand, Or, Predicate,
    VecOperand, Xor, candidates, pages,
};
use crate::rt::{Candidate, Cursor, TextError, meant, nearest};

/// Reads an instruction with its predicate. The second of what it gives is whether a call's label is one of another kind.
pub(super) fn read(scope: &mut Scope, text: &str, lead: usize) -> Result<(Instruction, bool), TextError> {
    let mut c = Cursor::new(text, lead, scope);
    let predicate = c.predicate()?;
    let start = c.save();
    let Some(word) = c.word() else { return Err(c.error("an instruction, a label or a directive")) };
    // The same instruction as a call, with a label of another kind.
    let link = word == pages::FCCALL.name.to_ascii_lowercase();
    let mut found = if link { candidates(&pages::CALL.name.to_ascii_lowercase()) } else { candidates(word) };
    // Few mnemonics have a plus inside: `sample+killpix` is another instruction than `sample`.
    if c.rest().starts_with('+') {
        let end = text[start..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '+'));
        let longer = candidates(&text[start..end.map_or(text.len(), |end| start + end)]);
        found = if longer.is_empty() { found } else { longer };
    }
    let mut furthest: Option<(usize, &Candidate)> = None;
    for candidate in found {
        c.restore(start);
        match c.attempt(|c| one(c, candidate, predicate, link)) {
            Ok(mut instruction) => {
                complete(&mut instruction);
                return Ok((instruction, link));
            }
            Err(error) => {
                if furthest.is_none_or(|(at, _)| error.at > at) {
                    furthest = Some((error.at, candidate));
                }
            }
        }
    }
    if let Some(spelled) = respelled(text, start, word) {
        return read(scope, &spelled, lead);
    }
    let Some((_, candidate)) = furthest else { return Err(unknown(word, start)) };
    // Only what is reported is put into words.
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

/// What the vendor's assembler makes of instructions on predicates, whatever the text says, see instructions/MOV.md: a
/// predicate is moved by one channel without mask, and no predicate stands in front of either. And what it takes for an
/// operand that the text leaves out.
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
        // A strided access without pitch has elements that follow each other.
        Instruction::LscUntyped(LscUntyped::Strided(access)) if access.src0_addr_pitch == VecOperand::default() => {
            let low = access.data_size.register_bytes();
            let pitch = ConstOpnd { type_: DataType::Ud, low, high: None };
            access.src0_addr_pitch = VecOperand { operand: Operand::Immediate(pitch), ..VecOperand::default() };
        }
        _ => {}
    }
}

/// Reads a statement by one template, to its end.
fn one(
    c: &mut Cursor<'_>,
    candidate: &Candidate,
    predicate: Predicate,
    link: bool,
) -> Result<Instruction, TextError> {
    if !candidate.takes_predicate && predicate != Predicate::default() {
        return Err(c.error(format!("no predicate: {} takes none", candidate.page.name)));
    }
    if link {
        // The template spells `call`; the text has two letters more.
        c.restore(c.save() + "fc".len());
    }
    let instruction = (candidate.parse)(c, predicate)?;
    c.skip_blanks();
    if !c.at_end() {
        return Err(c.error("the end of the statement"));
    }
    Ok(instruction)
}

/// What older texts write for the execution mask of all channels.
const NO_MASK: &str = "NoMask";

/// The same statement as today's texts spell it, where it has an older spelling: capitals in the mnemonic or in a
/// comparison, `NoMask`. Columns stay.
fn respelled(text: &str, start: usize, word: &str) -> Option<String> {
    let head = text[start..].find([' ', '\t', '(']).map_or(text.len(), |len| start + len);
    let small = word.to_ascii_lowercase();
    let capital_mnemonic = small != word && candidates(word).is_empty() && !candidates(&small).is_empty();
    let rest = &text[start + word.len()..head];
    let capital_comparison = small.eq_ignore_ascii_case(pages::CMP.name) && rest != rest.to_ascii_lowercase();
    let no_mask = text[head..].trim_start().strip_prefix('(').is_some_and(|t| t.trim_start().starts_with(NO_MASK));
    if !capital_mnemonic && !capital_comparison && !no_mask {
        return None;
    }
    let rest = if capital_comparison { rest.to_ascii_lowercase() } else { rest.to_owned() };
    let word = if capital_mnemonic { small.as_str() } else { word };
    let all = ExecMask::ALL.iter().find(|m| m.first_channel() == 0 && m.no_mask()).map_or("", |m| m.text());
    let width = NO_MASK.len();
    let behind = text[head..].replacen(NO_MASK, &format!("{all:width$}"), usize::from(no_mask));
    Some(format!("{}{word}{rest}{behind}", &text[..start]))
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
