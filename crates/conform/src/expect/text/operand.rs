//! Text of operands, as the table *Regions* in chapter 5 shows each class.

use visakit_codegen::anatomy::MemberId;
use visakit_codegen::model::{FieldKind, IndexKind, SourceSpan};
use visakit_codegen::template::Style;

use super::Writer;
use crate::expect::sample::{Kind, Operand};

impl Writer<'_, '_> {
    pub(super) fn operand(&mut self, operand: &Operand, format: Style, path: &str, at: SourceSpan) {
        let (world, a) = (self.world, self.world.anatomy);
        let get = |id: MemberId| world.operands.get(operand, id);
        if let (Some(b), Some(tag)) = (&world.operands.modifier, operand.tag) {
            let list = &world.model.list(a.modifier.list).name;
            self.bits(b, b.of(tag), Style::Plain, list);
        }
        let shape = format!("{path}.{}", world.operands.class_name(operand));
        match world.operands.kind(operand) {
            Kind::Raw => {
                let offset = get(a.raw.offset);
                self.index(IndexKind::General, get(a.raw.id), Style::Plain, path, at);
                if !matches!(format, Style::Name | Style::Bare) || offset != 0 {
                    self.push(format!(".{offset}"), format!("{path}.offset"), at);
                }
            }
            Kind::General => {
                let (id, row, column) = (get(a.general.id), get(a.general.row_offset), get(a.general.col_offset));
                if format == Style::Address {
                    self.push("&", &shape, at);
                }
                self.index(IndexKind::General, id, Style::Plain, path, at);
                match format {
                    Style::Address => {
                        let offset = row * world.register_bytes + column * world.element_bytes(id);
                        return self.byte_offset(offset, &shape, at);
                    }
                    Style::Bare if row == 0 && column == 0 => {}
                    _ => self.push(format!("({row},{column})"), &shape, at),
                }
                if !matches!(format, Style::Bare | Style::Packed) {
                    self.member(operand, a.general.region);
                }
            }
            Kind::Address => {
                self.index(IndexKind::Address, get(a.address.id), Style::Plain, path, at);
                self.push(format!("({})<", get(a.address.offset)), &shape, at);
                self.member(operand, a.address.width);
                self.push(">", &shape, at);
            }
            Kind::Predicate => {
                let id = world.predicate_id(get(a.predicate_operand.value));
                self.index(IndexKind::Predicate, id, Style::Plain, path, at);
            }
            Kind::Indirect => {
                self.push("r[", &shape, at);
                self.index(IndexKind::Address, get(a.indirect.id), Style::Plain, path, at);
                let offset = get(a.indirect.indirect_offset) as i64;
                self.push(format!("({}),{offset}]", get(a.indirect.addr_offset)), &shape, at);
                self.member(operand, a.indirect.region);
                self.push(":", &shape, at);
                self.data_type(world.type_of_indirect(operand));
            }
            Kind::Immediate => {
                let value = world.constant(operand);
                if format == Style::Bare {
                    self.push(format!("0x{value:X}"), &shape, at);
                } else {
                    self.push(format!("0x{value:x}:"), &shape, at);
                    self.data_type(get(a.immediate.ty));
                }
            }
            Kind::State => {
                if format == Style::Address {
                    self.push("&", &shape, at);
                }
                self.index(world.state_table(operand), get(a.state.id), Style::Plain, path, at);
                match format {
                    Style::Address => self.byte_offset(get(a.state.offset) * 4, &shape, at),
                    _ => self.push(format!("({})", get(a.state.offset)), &shape, at),
                }
            }
            Kind::Other => self.push("?", shape, at),
        }
    }

    fn byte_offset(&mut self, offset: u64, path: &str, at: SourceSpan) {
        if offset != 0 {
            self.push(format!("[{offset}]"), path, at);
        }
    }

    /// Prints a member whose bits are a list.
    fn member(&mut self, operand: &Operand, id: MemberId) {
        let model = self.world.model;
        if let Some(FieldKind::List(list)) = model.member(id).map(|m| m.shape) {
            self.list(list, self.world.operands.get(operand, id), Style::Plain, &model.list(list).name);
        }
    }
}
