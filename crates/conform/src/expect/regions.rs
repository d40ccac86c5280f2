//! Rules of regions, raw operands, constants and written variables, from the model alone.

use visakit_codegen::model::{CellValue, Field, FieldKind, Predefined, TypeId};

use super::meaning::{Bits, bits_of};
use super::rules::Check;
use super::sample::{Kind, Operand};

/// Column of the strides that a source may have horizontally.
const READ: &str = "Read";
/// Column of the widths that a source may have.
const ROW: &str = "Row";
/// Column of the types that constants may have.
const OPERAND: &str = "Operand";
/// Column of the types that variables and indirect operands may have.
const VARIABLE: &str = "Variable";

/// Strides of a region in elements; `None` for an absent part.
#[derive(Clone, Copy)]
struct Strides {
    vertical: Option<u64>,
    width: Option<u64>,
    horizontal: Option<u64>,
}

impl<'m> Check<'_, 'm> {
    /// Checks the region of a source.
    pub(super) fn source_region(&mut self, operand: &Operand) {
        let a = self.world.anatomy;
        let Some(member) = self.world.operands.region_of(operand) else { return };
        let whole = self.world.operands.get(operand, member);
        let part = |part| bits_of(self.world.model, part);
        let (Some(vertical), Some(width), Some(horizontal)) =
            (part(a.region.vertical_stride), part(a.region.width), part(a.region.horizontal_stride))
        else {
            return;
        };
        let strides = Strides {
            vertical: self.elements(&vertical, whole),
            width: self.elements(&width, whole),
            horizontal: self.elements(&horizontal, whole),
        };
        if strides.horizontal.is_none() {
            self.violated("absent-stride", "region");
        } else if !self.is_marked(&horizontal, whole, READ) {
            self.violated("source-stride", "region");
        }
        if strides.width.is_some() && !self.is_marked(&width, whole, ROW) {
            self.violated("source-stride", "region");
        }
        let channels = self.channels();
        if strides.width.is_some_and(|width| width > channels) {
            self.violated("source-extent", "region");
            return;
        }
        let rows = strides.width.filter(|width| *width > 0).map(|width| channels / width);
        if strides.vertical.is_none() && rows.is_some_and(|rows| rows > self.addresses()) {
            self.violated("source-extent", "region");
        }
        if strides.width != Some(0) {
            self.message_extent(operand, strides, channels);
        }
    }

    /// Checks that an operand lies in consecutive registers.
    fn message_extent(&mut self, operand: &Operand, strides: Strides, channels: u64) {
        let Strides { vertical: Some(vertical), width: Some(width), horizontal: Some(horizontal) } = strides else {
            return;
        };
        let Some((first, element)) = self.start(operand) else { return };
        let last = (channels / width).saturating_sub(1) * vertical + (width - 1) * horizontal;
        let end = first + last * element + element - 1;
        let (register, most) = (self.register_bytes(), self.limit("message-registers"));
        if end - first >= most * register || end / register - first / register >= most {
            self.violated("message-extent", "region");
        }
    }

    /// Returns true if an operand with a region ends after its variable.
    pub(super) fn is_outside(&self, operand: &Operand) -> bool {
        let a = self.world.anatomy;
        let (Some((first, element)), Some(member)) = (self.start(operand), self.world.operands.region_of(operand))
        else {
            return false;
        };
        let whole = self.world.operands.get(operand, member);
        let of = |part| bits_of(self.world.model, part).and_then(|b| self.elements(&b, whole));
        let horizontal = of(a.region.horizontal_stride).unwrap_or(0);
        let channels = self.channels();
        let last = match of(a.region.width).filter(|width| *width > 0) {
            Some(width) => {
                let rows = (channels / width).saturating_sub(1);
                rows * of(a.region.vertical_stride).unwrap_or(0) + (width - 1) * horizontal
            }
            None => channels.saturating_sub(1) * horizontal,
        };
        let (end, register) = (first + (last + 1) * element, self.register_bytes());
        let size = self.world.variable_bytes(self.world.operands.get(operand, a.general.id), register);
        // A copy of a whole register may exceed its variable.
        size.is_some_and(|size| end > size) && !(first.is_multiple_of(register) && end - first == register)
    }

    /// Returns the first byte of an operand in a declared variable, and the bytes of an element.
    fn start(&self, operand: &Operand) -> Option<(u64, u64)> {
        let (operands, general) = (&self.world.operands, &self.world.anatomy.general);
        let id = operands.get(operand, general.id);
        if operands.kind(operand) != Kind::General || !self.world.is_declared(id) {
            return None;
        }
        let element = self.world.element_bytes(id);
        let row = operands.get(operand, general.row_offset) * self.register_bytes();
        Some((row + operands.get(operand, general.col_offset) * element, element))
    }

    /// Checks that a raw operand begins at a register, if its variable fills one.
    pub(super) fn raw_start(&mut self, operand: &Operand) {
        let raw = &self.world.anatomy.raw;
        let (id, offset) = (self.world.operands.get(operand, raw.id), self.world.operands.get(operand, raw.offset));
        let register = self.register_bytes();
        let fills = self.world.is_declared(id)
            && self.world.variable_bytes(id, register).is_some_and(|bytes| bytes >= register);
        if id == 0 && offset != 0 || fills && !offset.is_multiple_of(register) {
            self.violated("raw-start", "raw-place");
        }
    }

    /// Checks that a written predefined variable is writable at the place.
    pub(super) fn writable(&mut self, operand: &Operand) {
        let general = &self.world.anatomy.general;
        let get = |member| self.world.operands.get(operand, member);
        let id = get(general.id);
        if self.world.operands.kind(operand) != Kind::General || self.world.is_past_predefined(id) {
            return;
        }
        let known = self.world.model.predefined.iter().find(|p| p.id == id);
        let byte =
            get(general.row_offset) * self.register_bytes() + get(general.col_offset) * self.world.element_bytes(id);
        let is_writable = |p: &Predefined| match p.written.as_deref() {
            None => false,
            Some([]) => true,
            Some(elements) => elements.iter().any(|n| u64::from(*n) * self.world.element_bytes(id) == byte),
        };
        if !known.is_some_and(is_writable) {
            self.violated("writable", "read-only");
        }
    }

    /// Checks that constants may have the type of a constant.
    pub(super) fn constant_type(&mut self, operand: &Operand) {
        if self.world.operands.kind(operand) != Kind::Immediate {
            return;
        }
        let Some(ty) = self.world.operand_type(operand) else { return };
        if !self.is_type_marked(ty, OPERAND) || ty == self.world.anatomy.types.boolean {
            self.violated("constant-type", "constant");
        }
    }

    /// Checks that variables may have the type of an indirect operand.
    pub(super) fn indirect_type(&mut self, operand: &Operand) {
        if self.world.operands.kind(operand) == Kind::Indirect
            && self.world.operand_type(operand).is_some_and(|ty| !self.is_type_marked(ty, VARIABLE))
        {
            self.violated("indirect-type", "type");
        }
    }

    /// Returns true if a column marks a type.
    fn is_type_marked(&self, ty: TypeId, column: &str) -> bool {
        let model = self.world.model;
        let column = model.type_columns.iter().position(|known| known.name == column);
        let cell = column.and_then(|at| model.ty(ty).cells.get(at));
        cell.is_some_and(|cell| cell.value == CellValue::Flag(true))
    }

    /// Checks that a predicate is declared.
    pub(super) fn declared_predicate(&mut self, field: &Field, whole: u64) {
        let id = self.world.predicate_id(whole);
        if field.shape == FieldKind::Predicate && id > super::world::OTHERS {
            self.violated("declared-predicate", "predicate");
        }
    }

    fn elements(&self, b: &Bits<'m>, whole: u64) -> Option<u64> {
        match b.said(whole, self.world.anatomy.region.elements)? {
            CellValue::Number(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns true if a column marks the value of some bits.
    fn is_marked(&self, b: &Bits<'m>, whole: u64, heading: &str) -> bool {
        let Some(list) = b.values else { return false };
        let columns = &self.world.model.list(list).columns;
        let position = columns.iter().position(|column| column.name == heading);
        let column = position.map(|position| visakit_codegen::anatomy::ColumnId { list, position });
        column.and_then(|column| b.said(whole, column)) == Some(&CellValue::Flag(true))
    }

    /// Returns the number of channels.
    fn channels(&self) -> u64 {
        self.subject.channels()
    }

    fn register_bytes(&self) -> u64 {
        let platform = self.platform.and_then(|at| self.world.model.platforms.get(at));
        platform.map_or(self.world.register_bytes, |platform| platform.register_bytes.into())
    }

    /// Returns the number of addresses that a region may have.
    fn addresses(&self) -> u64 {
        let elements = self.platform.and_then(|at| self.world.address_elements(at));
        elements.map_or_else(|| self.limit("region-addresses"), |(elements, _)| elements)
    }

    fn limit(&self, name: &str) -> u64 {
        self.world.limit(name).0
    }
}
