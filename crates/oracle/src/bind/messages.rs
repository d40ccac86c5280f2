//! Arguments of memory messages that several fields describe together: memory, element sizes and
//! atomic operations.

use visakit::isa::{
    AtomicOpOp, Instruction, LscAddrSize, LscAddrType, LscOp, LscOpMoves, LscSfid, Operand, VecOperand, predefined,
};
use visakit::rt::{Bits as _, FieldRef};
use visakit_codegen::model::semantics::Expression;
use visakit_codegen::model::{CellValue, SourceSpan};

use super::fields::field_of;
use super::{Binder, Result};
use crate::atomic::Update;
use crate::builtins::Builtin;
use crate::operand::{Place, Scope};
use crate::program::Node;
use crate::refusal::Refusal;
use crate::space::{Reach, Space};
use crate::value::Value;

impl Binder<'_> {
    /// Binds the first argument of built-ins that refer to a field rather than to its number.
    /// Returns `None` for all other built-ins.
    pub(super) fn first_argument(&mut self, builtin: Builtin, e: &Expression) -> Result<Option<Vec<Node>>> {
        Ok(Some(match builtin {
            Builtin::MemoryBytes => vec![self.size(e, "bytes")?],
            Builtin::RegisterBytes => vec![self.size(e, "register_bytes")?],
            Builtin::ElementBits => vec![self.size(e, "bits")?],
            Builtin::ToRegister | Builtin::ToMemory => {
                let upper = matches!(self.cell(e, "upper_half"), Some(CellValue::Flag(true)));
                vec![self.size(e, "bytes")?, self.size(e, "register_bytes")?, Node::Value(Value::Truth(upper))]
            }
            Builtin::Atomic => {
                self.touches.atomic = true;
                let update = self.update(e)?;
                self.touches.floats |= update.adds_floats();
                vec![Node::Update(update)]
            }
            Builtin::Surface => match self.node(e)? {
                Node::Value(Value::Integer(id)) => {
                    let space = self.space(id.value.as_u32(), e.at)?;
                    vec![self.reach(space, 32, false)]
                }
                _ => return self.refuse("this surface", e.at),
            },
            // The string table may hold a name twice; the first index is used.
            Builtin::Function => match self.node(e)? {
                Node::Value(Value::Integer(id)) => {
                    let name = self.routine.string(visakit::isa::StringId(id.value.as_u32()));
                    let first = name.and_then(|name| crate::sent::function(self.routine, &name));
                    vec![Node::Value(Value::integer(first.unwrap_or(id.value.as_u32())))]
                }
                address => vec![address],
            },
            Builtin::Symbol => {
                let name = match self.node(e)? {
                    Node::Value(Value::Integer(id)) => self.routine.string(visakit::isa::StringId(id.value.as_u32())),
                    _ => None,
                };
                match name.and_then(|name| (self.symbols)(&name)) {
                    Some(address) => vec![Node::Value(Value::sized(address, 64))],
                    None => return self.refuse("a symbol of another program", e.at),
                }
            }
            _ => return Ok(None),
        }))
    }

    /// Returns the size in a column of a field's list.
    fn size(&self, e: &Expression, column: &str) -> Result<Node> {
        // A field that the layout lacks has size zero.
        if field_of(e).is_some_and(|(name, _)| !self.fields.contains_key(name)) {
            return Ok(Node::Value(Value::integer(0_u32)));
        }
        match self.cell(e, column) {
            Some(CellValue::Number(n)) => Ok(Node::Value(Value::integer(*n))),
            _ => self.refuse("a size that the field's list does not contain", e.at),
        }
    }

    /// Returns the atomic operation that a field names.
    fn update(&self, e: &Expression) -> Result<Update> {
        let found = field_of(e).and_then(|(name, part)| {
            let code = self.code(self.form?, name, part)?;
            match part {
                Some(_) => AtomicOpOp::from_bits(code).ok().map(Update::of_surface),
                None => LscOp::from_bits(code).ok().and_then(Update::of_lsc),
            }
        });
        found.map_or_else(|| self.refuse("this atomic operation", e.at), Ok)
    }

    /// Records a memory access and returns its node.
    pub(super) fn reach(&mut self, space: Space, bits: u32, unaligned: bool) -> Node {
        let flat = matches!(space, Space::Flat | Space::FlatFrom(_));
        self.touches.flat |= flat;
        self.touches.surface |= !flat;
        Node::Space(Reach { space, bits, unaligned })
    }

    /// Returns the memory that an LSC message addresses, by its fields.
    pub(super) fn lsc(&mut self, at: SourceSpan) -> Result<Node> {
        let instruction = self.instruction;
        if instruction.list::<LscOp>().is_some_and(|op| op.moves() == Some(LscOpMoves::Block2d)) {
            return Ok(self.reach(Space::Flat, 64, true));
        }
        let (Some(sfid), Some(kind), Some(size), Some(surface)) =
            (instruction.list::<LscSfid>(), instruction.list(), instruction.list(), surface_of(instruction))
        else {
            return self.refuse("the LSC address of another message", at);
        };
        let space = match (sfid, kind) {
            (LscSfid::Tgm, _) => return self.refuse("an untyped message to typed memory", at),
            (LscSfid::Slm, LscAddrType::Flat) if has_base(surface) => Space::LocalFrom(self.hidden(surface)?),
            (LscSfid::Slm, LscAddrType::Flat) => Space::Local,
            (LscSfid::Slm, _) => return self.refuse("a surface of shared local memory", at),
            (_, LscAddrType::Flat) if has_base(surface) => Space::FlatFrom(self.hidden(surface)?),
            (_, LscAddrType::Flat) => Space::Flat,
            (_, LscAddrType::Arg) => Space::Arguments,
            (_, LscAddrType::Bti) => Space::Entry(self.hidden(surface)?),
            (_, LscAddrType::Bss) => Space::Offset(self.hidden(surface)?),
            (_, LscAddrType::Ss) => Space::ScratchFrom(self.hidden(surface)?),
            (_, LscAddrType::Surf) if self.is_scratch(surface) => {
                let place = self.layout.variable(predefined::SCRATCHLOC).map_or(0, |variable| variable.offset);
                Space::ScratchAt(place)
            }
            (_, LscAddrType::Surf) => Space::StateAddress(self.hidden(surface)?),
        };
        let bits = match size {
            LscAddrSize::A32u | LscAddrSize::A32s => 64,
            size => size.bytes() * 8,
        };
        Ok(self.reach(space, bits, true))
    }

    /// Returns true if an operand is the variable that holds the address of the thread's scratch
    /// memory.
    fn is_scratch(&self, surface: &VecOperand) -> bool {
        let Operand::General(general) = &surface.operand else { return false };
        self.layout.variable(general.id).is_some_and(|variable| variable.root == predefined::SCRATCHLOC)
    }

    /// Splits an operand between two fused threads. The first half of its bytes, rounded up to
    /// registers, belongs to the first thread.
    pub(super) fn fused(&mut self, operand: &Expression, count: &Expression) -> Result<Node> {
        let (Node::Operand(operand), Node::Value(Value::Integer(bytes))) = (self.node(operand)?, self.node(count)?)
        else {
            return self.refuse("an operand of two fused threads with a variable size", count.at);
        };
        let registers = u64::from(self.layout.grf_bytes);
        let first = bytes.value.as_u64().div_ceil(2).next_multiple_of(registers);
        let mut place = self.operands[operand].clone();
        place.shared = Some(first);
        self.operands.push(place);
        self.names.push(("", false));
        Ok(Node::Operand(self.operands.len() - 1))
    }

    /// Adds an operand that the Semantics section does not name.
    pub(super) fn hidden(&mut self, operand: &VecOperand) -> Result<usize> {
        let scope = Scope { layout: self.layout, predicate_elements: &|_| 0 };
        let place = Place::vector(operand, false, scope).map_err(Refusal::Illegal)?;
        self.operands.push(place);
        self.names.push(("", false));
        Ok(self.operands.len() - 1)
    }
}

/// Returns true if flat addresses are relative to a base: the surface operand is neither null nor
/// the constant 0.
fn has_base(surface: &VecOperand) -> bool {
    match &surface.operand {
        Operand::Immediate(constant) => constant.low != 0,
        Operand::General(general) => general.id != predefined::NULL,
        _ => true,
    }
}

/// Returns the operand that names the memory of an LSC message: its first vector operand.
pub(super) fn surface_of(instruction: &Instruction) -> Option<&VecOperand> {
    instruction.operands().find_map(|operand| match operand.value {
        FieldRef::Vector(vector) => Some(vector),
        _ => None,
    })
}
