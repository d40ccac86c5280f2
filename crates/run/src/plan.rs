//! Common properties of a launch's groups: program, inputs, and options.

use std::sync::Arc;

use crate::cache::Lowered;
use crate::engine::Engine;
use crate::lower::{order, places};
use crate::memory::LaunchMemory;
use crate::options::{DEFAULT_MAX_INSTRUCTIONS, GroupOrder, Options};
use crate::program::Program;
use crate::starts::{Special, Variant};
use crate::traced::Tracer;
use visakit_diag::Diagnostic;
use visakit_kernels::code::CompiledRoutine;
use visakit_launch::payload::Payload;
use visakit_launch::range::NdRange;
use visakit_machine::buffer::Buffer;
use visakit_machine::fault::Trap;
use visakit_machine::poison::Poison;
use visakit_machine::thread::{SLACK, Thread};

/// Common properties of a launch's groups.
pub(super) struct Plan<'a> {
    pub(super) code: &'a CompiledRoutine,
    pub(super) program: &'a Program,
    pub(super) payload: &'a Payload,
    pub(super) range: &'a NdRange,
    pub(super) mapped: &'a LaunchMemory,
    /// Instruction budget of a thread.
    pub(super) limit: u64,
    /// True if steps and channels are counted or observers are notified.
    pub(super) count: bool,
    /// Variant of native code.
    pub(super) variant: Variant,
    /// True if the counts are requested.
    pub(super) has_stats: bool,
    /// True if threads may wait for others before their end.
    pub(super) waits: bool,
    pub(super) poison: Option<&'a Poison>,
    pub(super) special: Special,
    pub(super) lowered: &'a Arc<Lowered>,
    /// True if native code is used.
    pub(super) is_native: bool,
    /// True if native code is compiled once there is enough work.
    pub(super) warms: bool,
    /// End of the group range (exclusive).
    pub(super) end: u64,
    /// Tracer of chosen work items.
    pub(super) tracer: Option<Tracer<'a>>,
    /// True if faults include the thread's state.
    pub(super) shows_state: bool,
    /// True if other groups, or the host, may change memory while a group runs.
    pub(super) others_run: bool,
    /// True if other groups may run while a group waits for them.
    pub(super) interleaves: bool,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        program: &'a Program,
        lowered: &'a Arc<Lowered>,
        payload: &'a Payload,
        range: &'a NdRange,
        mapped: &'a LaunchMemory,
        options: &Options<'a>,
        is_native: bool,
    ) -> Result<Self, Box<Diagnostic>> {
        let code = &lowered.code;
        let special = Special::of(&code.layout);
        let limit = options.policy.max_instructions.unwrap_or(DEFAULT_MAX_INSTRUCTIONS);
        let others_run = options.policy.order == GroupOrder::Any;
        let (count, waits) = (options.policy.stats || options.observers.follow_steps(), code.waits());
        let follow = |tracing| {
            let routines = places(program, payload)?;
            Ok::<_, Box<Diagnostic>>(Tracer::new(program, range, routines, &tracing))
        };
        let poison = options.surroundings.poison;
        let warms = is_native && options.policy.engine == Engine::Automatic;
        Ok(Self {
            code,
            program,
            payload,
            range,
            mapped,
            limit,
            count,
            variant: lowered.variant(payload, range, order(program), count),
            has_stats: options.policy.stats,
            waits,
            poison,
            special,
            lowered,
            is_native,
            warms,
            end: options.policy.end(range),
            tracer: options.observers.trace.map(follow).transpose()?,
            shows_state: options.policy.state,
            others_run,
            interleaves: others_run && range.group_count() > 1 && !options.observers.follow_steps(),
        })
    }

    /// Returns the memory of a full group in bytes, without private memory: shared local memory,
    /// and the registers of its threads, all of which exist once a thread waits or runs long.
    pub(super) fn group_bytes(&self) -> u64 {
        let threads = self.threads([0; 3]);
        let registers = u64::from(self.code.layout.constants_at) + (self.code.constants.len() + SLACK) as u64;
        // Waiting channels of each block.
        let flow = self.code.blocks.len() as u64 * 4;
        u64::from(self.local_bytes()) + u64::from(threads) * (registers + flow)
    }

    /// Returns the size of a group's shared local memory in bytes: that of a device's allocation if
    /// accesses past the end of buffers are allowed within their last page.
    pub(super) fn local_bytes(&self) -> u32 {
        match self.mapped.placement.local_bytes {
            bytes if bytes > 0 && self.mapped.memory.whole_pages => {
                bytes.next_power_of_two().max(self.program.platform.slm_step())
            }
            bytes => bytes,
        }
    }

    /// Returns the number of hardware threads of a group.
    pub(super) fn threads(&self, group: [u32; 3]) -> u32 {
        let items: u32 = self.range.size_of(group).iter().product();
        items.div_ceil(self.program.info.execution_env.simd_size.max(1))
    }

    /// Stops recording buffers in settled use.
    pub(super) fn settle(&self) {
        self.mapped.memory.buffers().iter().for_each(Buffer::settle);
    }

    /// Checks that the stack in memory has space, if functions are called through one.
    pub(super) fn check_stack(&self, thread: &Thread) -> Result<(), Box<Trap>> {
        let (first, pitch) = self.mapped.scratch.stack;
        if pitch == 0 || !self.program.info.execution_env.has_stack_calls {
            return Ok(());
        }
        let hardware: u32 = thread.registers.get(self.special.hardware_id);
        let top: u64 = thread.registers.get(self.special.stack);
        let bottom = first + u64::from(hardware) * pitch;
        match top.checked_sub(bottom) {
            Some(used) if used <= pitch => Ok(()),
            _ => Err(Box::new(Trap::Stack(pitch))),
        }
    }

    /// Returns the dimensions in the order in which work items are assigned to threads.
    pub(super) fn order(&self) -> [u32; 3] {
        order(self.program)
    }
}
