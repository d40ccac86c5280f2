//! Parser of one instruction: selection of the template, and defaults of omitted parts.

use super::scope::Scope;
use super::withdrawn;
use crate::isa::{
    ConstOpnd, DataType, ExecMask, ExecSize, Instruction, InstructionGroup, LscUntyped, Modifier, OlderMask, Operand,
    Predicate, VecOperand, candidates, predefined,
};
use crate::rt::reflect::{Page, PageKind};
use crate::rt::{
    Candidate, Cursor, FieldInfo, FieldMut, FieldRef, Role, TextError, Visitor, VisitorMut, meant, nearest,
};

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
    let mut found = candidates(word);
    // A call of another file is encoded as a call with another kind of label.
    let link = if found.is_empty() { linked_call().filter(|call| call.spelling == word) } else { None };
    if let Some(call) = &link {
        found = candidates(&call.usual);
    }
    scope.calls = found.first().is_some_and(|first| first.page.is_in(InstructionGroup::SubroutineCall));
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
        match c.attempt(|c| one(c, candidate, predicate, link.as_ref())) {
            Ok(instruction) if c.revisions().1 != u32::MAX && begins_with_null(&instruction) => {
                return Err(null_of_newer_texts(text, start));
            }
            Ok(mut instruction) => {
                let (since, before) = c.revisions();
                complete(&mut instruction);
                let known = &mut scope.revisions;
                *known = (known.0.max(since), known.1.min(before));
                return Ok((instruction, link.is_some()));
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
    let error = match one(&mut c, candidate, predicate, link.as_ref()) {
        Ok(_) => unknown(word, start),
        Err(error) => error,
    };
    Err(match text.get(error.at..).and_then(withdrawn::mask) {
        Some((old, now)) => TextError { at: error.at, expected: format!("{now}: `{old}` was withdrawn") },
        None => error,
    })
}

/// Applies the vendor assembler's rules to instructions on predicates, see roles.md. Also sets the
/// defaults of omitted operands.
fn complete(instruction: &mut Instruction) {
    let page = instruction.page();
    let on_predicate = |instruction: &Instruction, is_write| {
        let is_predicate = |vector: &VecOperand| matches!(vector.operand, Operand::Predicate(_));
        let mut operands = instruction.operands().filter(|operand| operand.role.is_write() == is_write);
        operands.any(|operand| matches!(operand.value, FieldRef::Vector(vector) if is_predicate(vector)))
    };
    if page.is_in(InstructionGroup::PredicateCopy) && on_predicate(instruction, false) {
        let one = ExecSize { mask: ExecMask::M1Nm, ..ExecSize::default() };
        instruction.visit_mut(&mut OfPredicates { fields: instruction.fields(), exec_size: Some(one) });
    } else if page.is_in(InstructionGroup::PredicateLogic) && on_predicate(instruction, true) {
        instruction.visit_mut(&mut OfPredicates { fields: instruction.fields(), exec_size: None });
    } else if let Instruction::LscUntyped(LscUntyped::Strided(access)) = instruction
        && access.src0_addr_pitch == VecOperand::default()
    {
        // A strided access without a pitch has contiguous elements.
        let low = access.data_size.register_bytes();
        let pitch = ConstOpnd { type_: DataType::Ud, low, high: None };
        access.src0_addr_pitch = VecOperand { operand: Operand::Immediate(pitch), ..VecOperand::default() };
    }
}

/// Removes predicate and saturation from an instruction on predicates, and sets its execution size.
struct OfPredicates {
    fields: &'static [FieldInfo],
    exec_size: Option<ExecSize>,
}

impl VisitorMut for OfPredicates {
    fn field(&mut self, position: usize, value: FieldMut<'_>) {
        let is_written = self.fields.get(position).is_some_and(|f| f.role.is_some_and(Role::is_write));
        match value {
            FieldMut::Predicate(predicate) => *predicate = Predicate::default(),
            FieldMut::Vector(vector) if is_written => vector.modifier = Modifier::None,
            FieldMut::Value(value) => {
                if let (Some(size), Some(own)) = (self.exec_size, value.downcast_mut::<ExecSize>()) {
                    *own = size;
                }
            }
            _ => {}
        }
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
    link: Option<&LinkedCall>,
) -> Result<Instruction, TextError> {
    if !candidate.takes_predicate && predicate != Predicate::default() {
        return Err(c.error(format!("no predicate: {} cannot have one", candidate.page.name)));
    }
    if let Some(call) = link {
        // The template has the usual spelling, with which the other spelling ends.
        c.restore(c.save() + call.spelling.len() - call.usual.len());
    }
    let instruction = (candidate.parse)(c, predicate)?;
    c.skip_blanks();
    if !c.at_end() {
        return Err(c.error("the end of the statement"));
    }
    Ok(instruction)
}

/// Spellings of a call: of a label that another file defines, and the usual one.
pub(super) struct LinkedCall {
    pub(super) spelling: String,
    pub(super) usual: String,
}

/// Returns the spellings of a call; `None` if the one does not end with the other.
#[cold]
pub(super) fn linked_call() -> Option<LinkedCall> {
    Page::of_group(InstructionGroup::LinkedCall).find_map(|page| {
        let PageKind::Alias(usual) = page.kind else { return None };
        let (spelling, usual) = (page.name.to_ascii_lowercase(), usual.to_ascii_lowercase());
        spelling.ends_with(&usual).then_some(LinkedCall { spelling, usual })
    })
}

/// Returns the statement with the current spelling of an older mask. Columns do not change.
fn respelled(text: &str, start: usize) -> Option<String> {
    let open = start + text[start..].find('(')? + 1;
    let mask = open + text[open..].len() - text[open..].trim_start().len();
    OlderMask::ALL.iter().find_map(|old| {
        let behind = text[mask..].strip_prefix(old.text()).filter(|rest| rest.trim_start().starts_with(','))?;
        Some(format!("{}{:width$}{behind}", &text[..mask], old.mask().text(), width = old.text().len()))
    })
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
