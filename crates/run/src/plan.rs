//! What all groups of a launch have in common: the program, what it is given, and how it is to run.

use std::sync::Arc;

use crate::cache::Lowered;
use crate::memory::LaunchMemory;
use crate::start::Special;
use crate::traced::Tracer;
use crate::{DEFAULT_MAX_INSTRUCTIONS, Engine, GroupOrder, Options, Program, places};
use visakit_diag::Diagnostic;
use visakit_kernels::code::CompiledRoutine;
use visakit_launch::payload::Payload;
use visakit_launch::range::NdRange;
use visakit_machine::buffer::Buffer;
use visakit_machine::fault::Trap;
use visakit_machine::poison::Poison;
use visakit_machine::thread::{SLACK, Thread};

/// What all groups of a launch have in common.
pub(super) struct Plan<'a> {
    pub(super) code: &'a CompiledRoutine,
    pub(super) program: &'a Program,
    pub(super) payload: &'a Payload,
    pub(super) range: &'a NdRange,
    pub(super) mapped: &'a LaunchMemory,
    /// The most instructions of a thread.
    pub(super) limit: u64,
    /// Whether steps and channels are counted, and watchers told.
    pub(super) count: bool,
    /// Whether somebody wants to know the counts.
    pub(super) has_stats: bool,
    /// Whether threads may stop before their end, for others to come.
    pub(super) waits: bool,
    pub(super) poison: Option<&'a Poison>,
    pub(super) special: Special,
    pub(super) lowered: &'a Arc<Lowered>,
    /// Whether native code is used.
    pub(super) is_native: bool,
    /// Whether it is made when there is enough to do.
    pub(super) warms: bool,
    /// The group behind the last one.
    pub(super) end: u64,
    /// Who follows chosen work items.
    pub(super) tracer: Option<Tracer<'a>>,
    /// Whether faults tell what the thread held.
    pub(super) shows_state: bool,
    /// Whether other groups, or the host, may change memory while a group runs.
    pub(super) others_run: bool,
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
            others_run: options.policy.order == GroupOrder::Any,
        })
    }

    /// Bytes that a full group may have for itself beside private memory: shared local memory, and
    /// the registers of its threads, which all are there as soon as one of them waits or runs for
    /// long.
    pub(super) fn group_bytes(&self) -> u64 {
        let threads = self.threads([0; 3]);
        let registers = u64::from(self.code.constants_at()) + (self.code.constants.len() + SLACK) as u64;
        // For each block, the channels that wait there.
        let flow = self.code.blocks.len() as u64 * 4;
        u64::from(self.mapped.placement.local_bytes) + u64::from(threads) * (registers + flow)
    }

    /// How many hardware threads a group has.
    pub(super) fn threads(&self, group: [u32; 3]) -> u32 {
        let items: u32 = self.range.size_of(group).iter().product();
        items.div_ceil(self.program.info.execution_env.simd_size.max(1))
    }

    /// Notes less of buffers that all groups use alike.
    pub(super) fn settle(&self) {
        self.mapped.memory.buffers().iter().for_each(Buffer::settle);
    }

    /// Whether the stack in memory, if functions are called through one, has room.
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

    /// The dimensions in the order in which work items are dealt out.
    pub(super) fn order(&self) -> [u32; 3] {
        self.program.info.execution_env.work_group_walk_order_dimensions
    }
}
