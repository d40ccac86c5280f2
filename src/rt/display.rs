//! Display of instructions and operands without a routine: numbers replace the names, which only a
//! routine has.

use core::fmt;
use std::borrow::Cow;

use super::super::isa::{
    AddressId, DataType, GeneralId, Instruction, LabelId, Operand, Predicate, PredicateId, RawOperand, SamplerId,
    SurfaceId, VecOperand, predefined, predefined_surface,
};
use super::Version;
use super::format::{Format, Names};
use super::text::{Printer, Text};
use super::visit::{FieldRef, OperandRef, Table};

/// Default names for use without a routine: `V32`, `A0`, `P1`, `S0`, `T6`, `L2`. Predefined
/// variables and surfaces keep their own names.
struct Numbers;

impl Names for Numbers {
    fn name(&self, table: Table, id: u32) -> Option<Cow<'_, str>> {
        let predefined = match table {
            Table::General => predefined::ALL,
            Table::Surface => predefined_surface::ALL,
            _ => return None,
        };
        predefined.iter().find(|entry| entry.id == id).map(|entry| entry.name.into())
    }

    fn data_type(&self, id: GeneralId) -> Option<DataType> {
        predefined::ALL.iter().find(|entry| entry.id == id.0).map(|entry| entry.data_type)
    }

    fn register_bytes(&self) -> u32 {
        32
    }

    fn version(&self) -> Version {
        Version::new(4, 1)
    }
}

/// Prints with the names of [`Numbers`].
fn show(f: &mut fmt::Formatter<'_>, print: impl FnOnce(&mut Printer<'_>)) -> fmt::Result {
    let mut printer = Printer::new(String::new(), &Numbers);
    print(&mut printer);
    f.pad(printer.into_text().trim_end())
}

/// Prints the instruction in assembly syntax, with numbers for names. `Instruction::display` uses
/// the names of a routine.
///
/// ```
/// use visakit::isa::{Goto, Instruction, LabelId};
/// let goto = Instruction::from(Goto { label: LabelId(2), ..Default::default() });
/// assert_eq!(goto.to_string(), "goto (M1, 1) L2");
/// ```
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |p| self.print(p))
    }
}

/// Prints the operand in assembly syntax: `(-)V32(0,1)<8;8,1>`, `0x1:ud`.
impl fmt::Display for VecOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |p| Text::print(self, p, Format::Plain))
    }
}

/// Prints the operand in assembly syntax, without the modifier of a [`VecOperand`].
impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operand = VecOperand { operand: self.clone(), ..VecOperand::default() };
        show(f, |p| Text::print(&operand, p, Format::Plain))
    }
}

/// Prints the operand in assembly syntax: `V32.0`.
impl fmt::Display for RawOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |p| Text::print(self, p, Format::Plain))
    }
}

/// Prints the predicate as an instruction's prefix, such as `(!P1.any)`; nothing for no predicate.
impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |p| p.predicate(*self))
    }
}

impl fmt::Display for OperandRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            FieldRef::Number(value) => value.fmt(f),
            FieldRef::Bits(bits) => bits.fmt(f),
            FieldRef::Index(table, id) => show(f, |p| p.index(table, id, Format::Plain)),
            FieldRef::Predicate(predicate) => predicate.fmt(f),
            FieldRef::Vector(operand) => operand.fmt(f),
            FieldRef::Raw(operand) => operand.fmt(f),
        }
    }
}

/// Prints the name of the type, such as `ud`.
impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

macro_rules! indices {
    ($($id:ident)*) => {
        $(impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                show(f, |p| Text::print(self, p, Format::Plain))
            }
        })*
    };
}

indices!(GeneralId AddressId PredicateId SamplerId SurfaceId LabelId);
