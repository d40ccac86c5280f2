//! What those are told who watch a launch.

use crate::kernels::code::CompiledRoutine;
use crate::launch::range::NdRange;
use crate::machine::observer::{Allocation, LaunchMap};
use crate::run::Program;
use crate::run::memory::LaunchMemory;
use visakit::isa::{DataType, GeneralId, Instruction, Operand, predefined};

/// What there is, for those who watch.
pub(super) fn launch_map(
    program: &Program,
    code: &CompiledRoutine,
    mapped: &LaunchMemory,
    range: &NdRange,
) -> LaunchMap {
    let threads = range.local.iter().product::<u32>().div_ceil(program.info.execution_env.simd_size.max(1));
    let argument = |number| mapped.buffers.iter().position(|buffer| *buffer == Some(number)).map(|n| n as u32);
    let buffers = mapped.memory.buffers().iter().enumerate().map(|(number, buffer)| Allocation {
        argument: argument(number),
        address: mapped.memory.address(number),
        bytes: buffer.len() as u64,
    });
    let declared = program.info.execution_env.slm_size;
    let local = (0..).zip(&mapped.placement.local_offsets).filter_map(|(n, offset)| Some((n, declared + (*offset)?)));
    let variables = program.routine.variables.iter().enumerate().filter_map(|(n, declared)| {
        let id = GeneralId(predefined::DECLARED + n as u32);
        let variable = code.layout.variable(id).filter(|variable| variable.root == id)?;
        let element = declared.bit_properties.type_.bits().div_ceil(8);
        let bytes = variable.offset..variable.offset + element * u32::from(declared.num_elements);
        (bytes.start >= code.layout.payload_bytes).then_some((id.0, bytes, element))
    });
    LaunchMap {
        buffers: buffers.collect(),
        local_bytes: mapped.placement.local_bytes,
        local: local.collect(),
        undefined: mapped.undefined.clone(),
        private: mapped.private.clone(),
        variables: variables.collect(),
        predicates: code.counts[0] > 0,
        // The compiler leaves barriers out where it knows the size of groups.
        together: program.info.user_attributes.intel_reqd_sub_group_size > 0
            || mapped.private.iter().all(|bytes| *bytes == 0) && knows_channels(program)
            || threads <= 1 && !code.waits() && program.required_local_size() != [0; 3],
    }
}

/// Whether a kernel asks which channel a work item is. Beside the addresses of private memory, nothing but sub-groups needs that, whose
/// barriers leave no trace in the code.
fn knows_channels(program: &Program) -> bool {
    program.routine.instructions.iter().any(|instruction| match instruction {
        Instruction::Mov(mov) => match &mov.src0.operand {
            Operand::Immediate(constant) => constant.type_ == DataType::V && constant.low == 0x7654_3210,
            _ => false,
        },
        _ => false,
    })
}
