//! Detection of the packaged compiler's defect: its objects lack operands. The writer drops the
//! last fields of each instruction and fills the code to its length with stale memory. This module
//! detects impossible operands and explains the cause.

use super::{ObjectError, Routine};
use crate::isa::{Instruction, Operand, OperandClass, PAGES, RawOperand, Stride, VecOperand, predefined};
use crate::rt::{FieldRef, Table, Visitor, reflect};

/// Returns the first impossible operand of an instruction: an index outside its table, or an
/// operand class that the page does not allow. The result is the field's name and the problem.
pub(super) fn impossible(instruction: &Instruction, routine: &Routine) -> Option<(&'static str, String)> {
    let mut look = Look { routine, fields: instruction.form().fields, problem: None };
    instruction.visit(&mut look);
    look.problem
}

/// Returns the error with the defect as its reason, if the defect can cause it. `owner` and `name`
/// are the instruction and the field.
pub(super) fn explain(before: &[Instruction], error: ObjectError, (owner, name): (&str, &str)) -> ObjectError {
    // An instruction with a predicate and operands after the predicate would have lost its last
    // operand.
    let whole = before.iter().any(|i| {
        let fields = i.form().fields;
        let predicate = fields.iter().position(|f| f.shape == reflect::FieldKind::Predicate);
        predicate.is_some_and(|at| at + 2 < fields.len())
    });
    let lost_before = before.iter().any(|i| written(i.form().fields) < stored(i.form().fields));
    let forms = PAGES.iter().filter(|p| p.name == owner).flat_map(|p| p.forms);
    let lost_here = forms.into_iter().any(|form| {
        let at = form.fields.iter().position(|f| f.name == name);
        at.is_some_and(|at| at >= written(form.fields))
    });
    if whole || !(lost_before || lost_here) {
        return error;
    }
    ObjectError {
        message: format!("the instructions lack their last operands: {}", error.message),
        help: "the packaged compiler (IGC 1.0.12504, in ocloc and GenX_IR) writes objects without \
             the last operands of their instructions; the operands cannot be recovered from the \
             object: use the text that the compiler writes with it (a `.visaasm` file, or the \
             `.visaasm` section of a zebin)"
            .to_owned(),
        code: "object-incomplete",
        ..error
    }
}

/// Returns the number of fields that the defective writer writes, which is the number that it
/// counts.
fn written(fields: &[reflect::Field]) -> usize {
    fields.iter().filter(|f| !uncounted(f) && !f.is_text_only()).count()
}

/// Returns the number of fields that objects store.
fn stored(fields: &[reflect::Field]) -> usize {
    fields.iter().filter(|f| !f.is_text_only()).count()
}

/// Returns true for a field that the defective writer does not count.
pub(super) fn uncounted(field: &reflect::Field) -> bool {
    field.shape == reflect::FieldKind::Predicate || field.is_exec_size()
}

/// Returns the problem of an impossible operand of one field, if any.
pub(super) fn vector_problem(
    operand: &VecOperand,
    field: &'static reflect::Field,
    routine: &Routine,
) -> Option<String> {
    let mut look = Look { routine, fields: std::slice::from_ref(field), problem: None };
    look.vector(0, operand);
    look.problem.map(|(_, what)| what)
}

struct Look<'a> {
    routine: &'a Routine,
    fields: &'static [reflect::Field],
    problem: Option<(&'static str, String)>,
}

impl Look<'_> {
    fn say(&mut self, position: usize, what: String) {
        let name = self.fields.get(position).map_or("?", |f| f.name);
        self.problem.get_or_insert((name, format!("has {what} as {name}")));
    }

    fn general(&mut self, position: usize, id: u32) {
        let declared = self.routine.variables.len() as u64;
        let known = predefined::ALL.iter().any(|p| p.id == id)
            || (id >= predefined::DECLARED && u64::from(id - predefined::DECLARED) < declared);
        if !known {
            self.say(position, format!("general variable {id}, which is not among the {declared} declared ones,"));
        }
    }

    fn vector(&mut self, position: usize, operand: &VecOperand) {
        match &operand.operand {
            Operand::General(g) => {
                self.general(position, g.id.0);
                // The region of an address operand is unused.
                let [general, address] = [OperandClass::General.name(), OperandClass::Address.name()];
                let address =
                    self.fields.iter().any(|f| f.classes.contains(&address) && !f.classes.contains(&general));
                if g.region.horizontal_stride == Stride::Null && !address {
                    self.say(position, "an operand that has no region".to_owned());
                }
            }
            Operand::Address(a) => self.address(position, a.id.0),
            Operand::Indirect(i) => self.address(position, i.id.0),
            Operand::Predicate(p) => self.predicate(position, p.value.id),
            Operand::Immediate(_) | Operand::State(_) => {}
        }
        let class = operand.operand.class();
        if self.fields.get(position).is_some_and(|f| !f.allows(class)) {
            self.say(position, format!("an operand of class {}", class.name()));
        }
    }

    fn address(&mut self, position: usize, id: u32) {
        if id as usize >= self.routine.addresses.len() {
            self.say(
                position,
                format!(
                    "address variable {id}, which is not among the {} declared ones,",
                    self.routine.addresses.len()
                ),
            );
        }
    }

    fn predicate(&mut self, position: usize, id: u16) {
        if usize::from(id) > self.routine.predicates.len() {
            self.say(
                position,
                format!("predicate {id}, which is not among the {} declared ones,", self.routine.predicates.len()),
            );
        }
    }
}

impl Visitor<'_> for Look<'_> {
    fn field(&mut self, position: usize, value: FieldRef<'_>) {
        match value {
            FieldRef::Vector(operand) => self.vector(position, operand),
            FieldRef::Raw(RawOperand { id, .. }) => self.general(position, id.0),
            FieldRef::Predicate(p) => self.predicate(position, p.id),
            FieldRef::Index(table, index) => {
                if matches!(table, Table::General | Table::Address | Table::Predicate) {
                    return;
                }
                let count = self.routine.numbers(table);
                if index as usize >= count {
                    self.say(
                        position,
                        format!("{} {index}, which is not among the {count} known ones,", table.name()),
                    );
                }
            }
            FieldRef::Number(_) | FieldRef::Bits(_) => {}
        }
    }
}
