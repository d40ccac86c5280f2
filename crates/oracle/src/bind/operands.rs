//! Fields of an instruction, bound to places and numbers.

use visakit::isa::{DataType, Instruction, Predicate, RawOperand, VecOperand};
use visakit::object::Routine;
use visakit::rt::reflect::{Cell, List};
use visakit::rt::{FieldInfo, FieldRef, Role, Visitor};
use visakit_codegen::model::{FieldKind, Presence};

use super::{Binder, Field, Result};
use crate::convert::ones;
use crate::operand::{self, Place, Scope, execution_type};
use crate::program::Predicated;
use crate::refusal::Refusal;

/// Collected fields of an instruction in their encoding order.
struct Collect<'a>(Vec<(usize, FieldRef<'a>)>);

impl<'a> Visitor<'a> for Collect<'a> {
    fn field(&mut self, position: usize, value: FieldRef<'a>) {
        self.0.push((position, value));
    }
}

/// Types of the operands that are computed.
#[derive(Default)]
struct Typed {
    /// Sources, by their positions among the operands.
    sources: Vec<(usize, DataType)>,
    destination: Option<DataType>,
}

fn is_written(info: &FieldInfo) -> bool {
    info.role.is_some_and(Role::is_write)
}

impl Binder<'_> {
    /// Collects the fields of the instruction.
    pub(super) fn take(&mut self, instruction: &Instruction, routine: &Routine) -> Result<()> {
        let mut collect = Collect(Vec::new());
        instruction.visit(&mut collect);
        let infos = instruction.fields();
        let elements = |id: u32| {
            let info = (id as usize).checked_sub(1).and_then(|at| routine.predicates.get(at));
            info.map_or(0, |info| info.num_elements.into())
        };
        let scope = Scope { layout: self.layout, predicate_elements: &elements };
        let mut typed = Typed::default();
        let of_form = instruction.form().fields;
        for (position, value) in collect.0 {
            let Some(info) = infos.get(position) else { continue };
            let field = match value {
                FieldRef::Bits(bits) => {
                    if let Some(list) = of_form.get(position).and_then(|field| field.list) {
                        self.take_channels(list, bits);
                    }
                    Field::Number(bits as i64)
                }
                FieldRef::Number(number) => Field::Number(number),
                FieldRef::Index(_, id) => Field::Entry(id),
                FieldRef::Predicate(predicate) => {
                    self.channels.predicate = self.predicated(predicate, scope)?;
                    Field::Predicate
                }
                FieldRef::Vector(vector) => self.take_vector(vector, info, scope, &mut typed)?,
                FieldRef::Raw(raw) => self.take_raw(raw, (info.name, is_written(info)), scope)?,
            };
            self.insert(info.name.to_ascii_lowercase(), field);
        }
        let types: Vec<DataType> = typed.sources.iter().map(|(_, t)| *t).collect();
        if let Some(execution) = execution_type(&types, typed.destination) {
            for (operand, _) in typed.sources {
                self.operands[operand].execution = execution;
            }
        }
        self.form = self.page.forms.iter().find(|form| self.is_form(form)).or(self.page.forms.first());
        self.take_absent(scope)
    }

    /// Takes the channels from a field that has their number, the first one and the mask.
    fn take_channels(&mut self, list: &List, bits: u64) {
        let cell = |column| list.parts.iter().find_map(|part| part.cell(bits >> part.lo & ones(part.width), column));
        if let (Some(Cell::Number(count)), Some(Cell::Number(first)), Some(Cell::Flag(no_mask))) =
            (cell("Channels"), cell("First channel"), cell("NoMask"))
        {
            (self.channels.count, self.channels.first) = (count as u32, first as u32);
            self.channels.no_mask = no_mask;
        }
    }

    fn take_vector(
        &mut self,
        vector: &VecOperand,
        info: &FieldInfo,
        scope: Scope<'_>,
        typed: &mut Typed,
    ) -> Result<Field> {
        let written = is_written(info);
        let place = Place::vector(vector, written, scope).map_err(Refusal::Illegal)?;
        let computed = !matches!(
            place.kind,
            operand::Kind::Predicate { .. } | operand::Kind::Address { .. } | operand::Kind::State { .. }
        );
        match (written, computed) {
            (true, true) => typed.destination = typed.destination.or(Some(place.data_type)),
            (false, true) => typed.sources.push((self.operands.len(), place.data_type)),
            _ => {}
        }
        self.operands.push(place);
        self.names.push((info.name, written));
        Ok(Field::Operand(self.operands.len() - 1))
    }

    fn take_raw(&mut self, raw: &RawOperand, name: (&'static str, bool), scope: Scope<'_>) -> Result<Field> {
        self.operands.push(Place::raw(raw, scope).map_err(Refusal::Illegal)?);
        self.names.push(name);
        Ok(Field::Operand(self.operands.len() - 1))
    }

    /// Adds a field; several fields of one name become a list.
    fn insert(&mut self, name: String, field: Field) {
        let field = match self.fields.remove(&name) {
            None => field,
            Some(Field::Many(mut all)) => {
                all.push(field);
                Field::Many(all)
            }
            Some(first) => Field::Many(vec![first, field]),
        };
        self.fields.insert(name, field);
    }

    /// Binds absent optional operands as null operands, and repeated fields as lists.
    fn take_absent(&mut self, scope: Scope<'_>) -> Result<()> {
        let form = self.form;
        for field in form.iter().flat_map(|form| &form.fields) {
            let name = field.name.to_ascii_lowercase();
            if field.presence == Presence::Text && !self.fields.contains_key(&name) {
                let nothing = match field.shape {
                    FieldKind::Raw | FieldKind::Vector | FieldKind::Scalar => {
                        self.take_raw(&RawOperand::default(), ("", false), scope)?
                    }
                    _ => Field::Number(0),
                };
                self.fields.insert(name.clone(), nothing);
            }
            if matches!(field.presence, Presence::Times(_))
                && let Some(one) = self.fields.remove(&name)
            {
                let all = if let Field::Many(all) = one { all } else { vec![one] };
                self.fields.insert(name, Field::Many(all));
            }
        }
        Ok(())
    }

    fn predicated(&self, predicate: Predicate, scope: Scope<'_>) -> Result<Option<Predicated>> {
        if predicate.id == 0 {
            return Ok(None);
        }
        let kind = operand::predicate(predicate, scope).map_err(Refusal::Illegal)?;
        let operand::Kind::Predicate { number, elements } = kind else { return Ok(None) };
        Ok(Some(Predicated { number, elements, combine: predicate.combine, inverse: predicate.inverse }))
    }
}
