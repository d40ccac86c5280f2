//! Description of a launch for its observers.

use crate::memory::LaunchMemory;
use crate::program::Program;
use visakit::isa::{
    DataType, GeneralId, Instruction, InstructionGroup, LscDataOrder, LscElems, LscOp, LscOpMoves, Operand,
    VecOperand, predefined,
};
use visakit::rt::{FieldRef, OperandRef};
use visakit_kernels::code::CompiledRoutine;
use visakit_launch::mapped::MappedArgument;
use visakit_launch::range::NdRange;
use visakit_machine::observer::{Allocation, LaunchMap, LocalPart};

/// Describes the memory and the variables of a launch.
pub(super) fn launch_map(
    program: &Program,
    code: &CompiledRoutine,
    mapped: &LaunchMemory,
    range: &NdRange,
) -> LaunchMap {
    let threads = range.local.iter().product::<u32>().div_ceil(program.info.execution_env.simd_size.max(1));
    let argument = |number| {
        let is_it = |argument: &Option<MappedArgument>| {
            argument.as_ref().and_then(MappedArgument::buffer).is_some_and(|buffer| buffer.number == number)
        };
        mapped.arguments.iter().position(is_it).map(|n| n as u32)
    };
    let buffers = mapped.memory.buffers().iter().enumerate().map(|(number, buffer)| Allocation {
        argument: argument(number),
        address: mapped.memory.address(number),
        bytes: buffer.len() as u64,
    });
    let declared = program.info.execution_env.slm_size;
    let local = (0..).zip(&mapped.placement.local).filter_map(|(n, part)| {
        let (offset, bytes) = (*part)?;
        Some(LocalPart { argument: Some(n), start: declared + offset, bytes })
    });
    let own = LocalPart { argument: None, start: 0, bytes: declared };
    let variables = program.routine.variables.iter().enumerate().filter_map(|(n, declared)| {
        let id = GeneralId(predefined::DECLARED + n as u32);
        let variable = code.layout.variable(id).filter(|variable| variable.root == id)?;
        let element = declared.bit_properties.type_.bits().div_ceil(8);
        let bytes = variable.offset..variable.offset + element * u32::from(declared.num_elements);
        (bytes.start >= code.layout.payload_bytes).then_some((id.0, bytes, element))
    });
    LaunchMap {
        buffers: buffers.collect(),
        regions: mapped
            .memory
            .regions()
            .into_iter()
            .map(|(address, buffer)| (address, buffer.len() as u64))
            .collect(),
        local_bytes: mapped.placement.local_bytes,
        local: std::iter::once(own).chain(local).collect(),
        undefined: mapped.undefined.clone(),
        private: mapped.private.clone(),
        variables: variables.collect(),
        calls: has(program, &|instruction| instruction.is_in(InstructionGroup::FunctionCall)),
        blocks: has(program, &stores_block),
        predicates: code.counts[0] > 0,
        // The compiler removes barriers if it knows the group size.
        together: program.info.user_attributes.intel_reqd_sub_group_size > 0
            || mapped.private.iter().all(|bytes| *bytes == 0) && knows_channels(program)
            || threads <= 1 && !code.waits() && program.required_local_size() != [0; 3],
        item_per_thread: program.info.execution_env.is_item_per_thread(),
    }
}

/// Returns true if a kernel computes channel numbers. Except for private-memory addresses, only
/// sub-group functions need them, and their barriers leave no trace in the code.
fn knows_channels(program: &Program) -> bool {
    let is_numbers = |operand: &OperandRef<'_>| match operand.value {
        FieldRef::Vector(VecOperand { operand: Operand::Immediate(constant), .. }) => {
            constant.type_ == DataType::V && constant.low == 0x7654_3210
        }
        _ => false,
    };
    has(program, &|instruction| {
        instruction.is_in(InstructionGroup::Copy) && instruction.operands().any(|operand| is_numbers(&operand))
    })
}

/// Returns true if a kernel has an instruction that satisfies `is_such`.
fn has(program: &Program, is_such: &dyn Fn(&Instruction) -> bool) -> bool {
    program.routine.instructions.iter().any(is_such)
}

/// Returns true if an instruction stores data of several channels regardless of the enable mask.
fn stores_block(instruction: &Instruction) -> bool {
    let moves_block = instruction.list::<LscOp>().is_some_and(|op| op.moves() == Some(LscOpMoves::Block2d));
    let is_transposed = instruction.list() == Some(LscDataOrder::Transposed);
    let is_vector = instruction.list::<LscElems>().is_some_and(|elements| elements.count() > 1);
    instruction.is_in(InstructionGroup::BlockStore) || moves_block || is_transposed && is_vector
}
