//! Thread groups: hardware threads started, run until they wait or end, and counted.

use crate::isa::predefined;
use crate::kernels::code::{After, Code, Mark, function_at};
use crate::kernels::step::Exchange;
use crate::launch::payload::{Payload, ThreadStart, group_words};
use crate::launch::range::NdRange;
use crate::machine::World;
use crate::machine::fault::{Fault, Trouble};
use crate::machine::flow::{Flow, Next};
use crate::machine::lane::CHUNK;
use crate::machine::memory::Buffer;
use crate::machine::thread::{Registers, SLACK, Thread};
use crate::run::barriers::Barriers;
use crate::run::memory::LaunchMemory;
use crate::run::stats::Counts;
use crate::run::{DEFAULT_MAX_INSTRUCTIONS, Options, Program};

/// What all groups of a launch have in common.
pub(super) struct Plan<'a> {
    pub(super) code: &'a Code,
    program: &'a Program,
    payload: &'a Payload,
    range: &'a NdRange,
    mapped: &'a LaunchMemory,
    scratch: &'a Buffer,
    limit: u64,
    count: bool,
    /// Whether threads may stop before their end, for others to come.
    waits: bool,
    special: Special,
}

/// Offset of the byte of r0 that numbers the threads of a group.
const THREAD_BYTE: u32 = 2 * 4;
/// Offset of the scratch base in r0.
const SCRATCH_WORD: u32 = 5 * 4;

/// Where the variables stand that a thread finds set.
struct Special {
    groups: [u32; 3],
    state: u32,
    hardware_id: u32,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        program: &'a Program,
        code: &'a Code,
        payload: &'a Payload,
        range: &'a NdRange,
        mapped: &'a LaunchMemory,
        options: &Options<'_>,
    ) -> Self {
        let at = |id| code.layout.variable(id).map_or(0, |variable| variable.offset);
        let special = Special {
            groups: [predefined::GROUP_ID_X, predefined::GROUP_ID_Y, predefined::GROUP_ID_Z].map(at),
            state: at(predefined::SR0),
            hardware_id: at(predefined::HW_ID),
        };
        let scratch = mapped.scratch.buffer.and_then(|buffer| mapped.memory.buffers().get(buffer));
        let scratch = scratch.unwrap_or(&mapped.nothing);
        let limit = options.max_instructions.unwrap_or(DEFAULT_MAX_INSTRUCTIONS);
        let (count, waits) = (options.stats, code.waits());
        Self { code, program, payload, range, mapped, scratch, limit, count, waits, special }
    }

    /// Bytes that a full group has for itself beside private memory: shared local memory, and the registers of its threads.
    pub(super) fn group_bytes(&self) -> u64 {
        let threads = if self.waits { self.threads([0; 3]).max(1) } else { 1 };
        let registers = u64::from(self.code.constants_at()) + (self.code.constants.len() + SLACK) as u64;
        // For each block, the channels that wait there.
        let flow = self.code.blocks.len() as u64 * 4;
        u64::from(self.mapped.placement.local_bytes) + u64::from(threads) * (registers + flow)
    }

    /// How many hardware threads a group has.
    fn threads(&self, group: [u32; 3]) -> u32 {
        let items: u32 = self.range.size_of(group).iter().product();
        items.div_ceil(self.program.info.execution_env.simd_size.max(1))
    }

    /// What the threads of a group share.
    fn world<'w>(&'w self, local: &'w Buffer) -> World<'w> {
        let mapped = self.mapped;
        World {
            memory: &mapped.memory,
            local,
            scratch: self.scratch,
            bindings: &mapped.bindings,
            images: &mapped.images,
            samplers: &mapped.samplers,
        }
    }

    fn order(&self) -> [u32; 3] {
        self.program.info.execution_env.work_group_walk_order_dimensions
    }
}

/// One host thread's part: the state of one group at a time, used again for the next.
pub(super) struct Worker<'a> {
    plan: &'a Plan<'a>,
    number: u32,
    threads: Vec<Thread>,
    local: Buffer,
    states: Vec<State>,
    /// How the threads start, by the size of the group: full ones and those that are cut off. There are at most eight sizes.
    starts: Vec<([u32; 3], Vec<ThreadStart>)>,
    counts: Counts,
}

impl<'a> Worker<'a> {
    /// The `number` tells workers that run at the same time apart.
    pub(super) fn new(plan: &'a Plan<'a>, number: usize) -> Self {
        Self {
            plan,
            number: number as u32,
            threads: Vec::new(),
            local: Buffer::zeros(plan.mapped.placement.local_bytes as usize),
            states: Vec::new(),
            starts: Vec::new(),
            counts: Counts::new(plan.code),
        }
    }

    pub(super) fn into_counts(self) -> Counts {
        self.counts
    }

    /// Runs the n-th group.
    pub(super) fn run(&mut self, index: u64) -> Result<(), Box<Fault>> {
        let group = self.plan.range.group(index);
        if !self.local.is_empty() {
            self.local.clear();
        }
        if self.plan.waits { self.run_together(group) } else { self.run_in_turn(group) }
    }

    /// Runs threads that never wait one after the other, all of them in the same registers, which stay in the host's cache.
    fn run_in_turn(&mut self, group: [u32; 3]) -> Result<(), Box<Fault>> {
        let plan = self.plan;
        let known = self.starts_of(group);
        self.threads.resize_with(1, || new_thread(plan));
        let world = plan.world(&self.local);
        let [thread] = &mut self.threads[..] else { return Ok(()) };
        for (index, start) in self.starts[known].1.iter().enumerate() {
            restart(plan, thread, start, group, index as u32, self.number);
            run_thread(plan, thread, &world, &mut self.counts)
                .map_err(|(trouble, mark)| fault(plan, thread, group, *trouble, mark))?;
            self.counts.add_thread(thread);
        }
        Ok(())
    }

    /// Runs all threads, each until it waits or ends, until all have ended.
    fn run_together(&mut self, group: [u32; 3]) -> Result<(), Box<Fault>> {
        self.start(group);
        let world = self.plan.world(&self.local);
        self.states.clear();
        self.states.resize(self.threads.len(), State::Running);
        let states = &mut self.states;
        let mut barriers = Barriers::default();
        loop {
            let mut progress = false;
            for (thread, state) in self.threads.iter_mut().zip(states.iter_mut()) {
                let runs = match *state {
                    State::Running => true,
                    State::Waiting { barrier, .. } => barriers.lets_pass(barrier, self.plan.threads(group)),
                    State::AtBarrier(_) | State::AtExchange { .. } | State::Ended => false,
                };
                if !runs {
                    continue;
                }
                progress = true;
                let next = run_thread(self.plan, thread, &world, &mut self.counts);
                thread.signals.drain(..).for_each(|signal| barriers.signal(signal));
                *state = match next {
                    Ok((Next::Barrier, mark)) => State::AtBarrier(mark),
                    Ok((Next::Exchange(number), mark)) => State::AtExchange { number, mark },
                    Ok((Next::Wait(barrier), mark)) => State::Waiting { barrier, mark },
                    Ok(_) => State::Ended,
                    Err((trouble, mark)) => return Err(fault(self.plan, thread, group, *trouble, mark)),
                };
            }
            if !self.plan.code.exchanges.is_empty() {
                progress |= exchanges(self.plan, &mut self.threads, states, &world, group)?;
            }
            let ended = states.iter().filter(|state| **state == State::Ended).count();
            if ended == states.len() {
                break;
            }
            if states.iter().all(|state| matches!(state, State::AtBarrier(_))) {
                states.fill(State::Running);
            } else if !progress {
                let stuck = self.threads.iter().zip(states.iter()).find_map(|(thread, state)| match state {
                    State::AtBarrier(mark) | State::Waiting { mark, .. } => Some((thread, *mark, false)),
                    State::AtExchange { mark, .. } => Some((thread, *mark, true)),
                    State::Running | State::Ended => None,
                });
                let Some((thread, mark, alone)) = stuck else { break };
                let trouble = if alone {
                    Trouble::Illegal("two threads do this together, and the other one does not come".to_owned())
                } else {
                    Trouble::UnreachedBarrier { waiting: (states.len() - ended) as u32, ended: ended as u32 }
                };
                return Err(fault(self.plan, thread, group, trouble, mark));
            }
        }
        self.threads.iter().for_each(|thread| self.counts.add_thread(thread));
        Ok(())
    }

    /// Which of the ways to start is that of a group.
    fn starts_of(&mut self, group: [u32; 3]) -> usize {
        let size = self.plan.range.size_of(group);
        let known = self.starts.iter().position(|(other, _)| *other == size);
        known.unwrap_or_else(|| {
            self.starts.push((size, self.plan.payload.threads(size, self.plan.order())));
            self.starts.len() - 1
        })
    }

    /// Brings the threads of a group to the beginning of the program.
    fn start(&mut self, group: [u32; 3]) {
        let plan = self.plan;
        let known = self.starts_of(group);
        let (_, starts) = &self.starts[known];
        self.threads.resize_with(starts.len(), || new_thread(plan));
        for (index, (thread, start)) in self.threads.iter_mut().zip(starts).enumerate() {
            restart(plan, thread, start, group, index as u32, self.number);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// It has come to a plain barrier.
    AtBarrier(Mark),
    /// It waits for its neighbour.
    AtExchange {
        number: u32,
        mark: Mark,
    },
    /// It waits until a barrier with two steps lets it pass.
    Waiting {
        barrier: Option<u32>,
        mark: Mark,
    },
    Ended,
}

/// Lets neighbours go on that have come to the same operation for two threads; tells whether there were any.
fn exchanges(
    plan: &Plan<'_>,
    threads: &mut [Thread],
    states: &mut [State],
    world: &World<'_>,
    group: [u32; 3],
) -> Result<bool, Box<Fault>> {
    let mut progress = false;
    for (threads, states) in threads.chunks_mut(2).zip(states.chunks_mut(2)) {
        let [State::AtExchange { number, mark }, State::AtExchange { number: other, .. }] = *states else {
            continue;
        };
        let [first, second] = threads else { continue };
        if number == other {
            exchange(&plan.code.exchanges[number as usize], first, second, world)
                .map_err(|(thread, trouble)| fault(plan, thread, group, *trouble, mark))?;
            states.fill(State::Running);
            progress = true;
        }
    }
    Ok(progress)
}

/// Gives two neighbouring threads the parts of both, and runs what they begin together.
fn exchange<'t>(
    exchange: &Exchange,
    first: &'t mut Thread,
    second: &'t mut Thread,
    world: &World<'_>,
) -> Result<(), (&'t Thread, Box<Trouble>)> {
    let [first_size, second_size] = exchange.parts.map(|bytes| bytes as usize);
    let mut shared = first.registers.bytes(exchange.own)[..first_size].to_vec();
    shared.extend_from_slice(&second.registers.bytes(exchange.own)[..second_size]);
    for thread in [first, second] {
        thread.registers.bytes_mut(exchange.shared)[..shared.len()].copy_from_slice(&shared);
        if let Err(trouble) = (exchange.run)(thread, world) {
            return Err((thread, trouble));
        }
    }
    Ok(())
}

fn new_thread(plan: &Plan<'_>) -> Thread {
    let code = plan.code;
    let mut thread = Thread::scratch(code.constants_at() as usize + code.constants.len());
    thread.registers.bytes_mut(code.constants_at())[..code.constants.len()].copy_from_slice(&code.constants);
    let [predicates, addresses, states] = code.counts;
    thread.predicates = vec![0; predicates];
    thread.addresses = vec![0; addresses];
    thread.surfaces = vec![0; states];
    thread.flow = Flow::new(code.blocks.len() as u32, code.main_end);
    thread
}

fn restart(plan: &Plan<'_>, thread: &mut Thread, start: &ThreadStart, group: [u32; 3], index: u32, worker: u32) {
    let hardware = worker * plan.mapped.scratch.threads + index;
    let layout = &plan.code.layout;
    let registers: &mut Registers = &mut thread.registers;
    let bytes = registers.bytes_mut(0);
    bytes[..start.payload.len()].copy_from_slice(&start.payload);
    // Registers without a value are zero, so that a kernel that reads them does the same in every run.
    bytes[start.payload.len()..layout.len as usize].fill(0);
    for (offset, word) in group_words(group) {
        registers.set(offset, word);
    }
    for (offset, word) in plan.special.groups.iter().zip(group) {
        registers.set(*offset, word);
    }
    // Element 2 of the state register has the channels that the dispatch enabled.
    registers.set(plan.special.state + 8, start.channels);
    registers.set(plan.special.state, plan.program.state_register(hardware));
    registers.set(plan.special.hardware_id, hardware);
    // The base is a multiple of the step that its low bits leave out.
    registers.set(THREAD_BYTE, index as u8);
    registers.set(SCRATCH_WORD, (u64::from(hardware) * plan.mapped.scratch.pitch) as u32);
    for copy in &layout.copies {
        let bytes = registers.bytes_mut(0);
        bytes.copy_within(copy.from as usize..(copy.from + copy.size) as usize, copy.to as usize);
    }
    thread.predicates.fill(0);
    thread.addresses.fill(0);
    thread.surfaces.fill(0);
    thread.active = start.channels;
    thread.dispatched = start.channels;
    thread.set_mode(0);
    thread.flow.restart(plan.code.main_end);
    thread.index = index;
    thread.signals.clear();
    thread.executed = 0;
    thread.outside_reads = 0;
    thread.outside_writes = 0;
}

/// Runs a thread until it waits or ends.
#[inline]
fn run_thread(
    plan: &Plan<'_>,
    thread: &mut Thread,
    world: &World<'_>,
    counts: &mut Counts,
) -> Result<(Next, Mark), (Box<Trouble>, Mark)> {
    if plan.count {
        run_blocks::<true>(plan, thread, world, counts)
    } else {
        run_blocks::<false>(plan, thread, world, counts)
    }
}

/// The same; counts steps and channels when `COUNT` says so.
fn run_blocks<const COUNT: bool>(
    plan: &Plan<'_>,
    thread: &mut Thread,
    world: &World<'_>,
    counts: &mut Counts,
) -> Result<(Next, Mark), (Box<Trouble>, Mark)> {
    let code = plan.code;
    loop {
        let index = thread.flow.block;
        let Some(block) = code.blocks.get(index as usize) else {
            let last = code.blocks.last().map_or(Mark::nowhere(), |block| block.mark);
            return Err((Box::new(Trouble::RanOff), last));
        };
        thread.active |= thread.flow.join();
        thread.executed += u64::from(block.instructions);
        if thread.executed > plan.limit {
            return Err((Box::new(Trouble::Budget(plan.limit)), block.mark));
        }
        let range = block.first as usize..block.end as usize;
        for (n, step) in code.steps[range.clone()].iter().enumerate() {
            if COUNT {
                let at = range.start + n;
                counts.steps[at].0 += 1;
                counts.steps[at].1 += u64::from(thread.enabled(&code.marks[at].enable).count_ones());
            }
            if let Err(trouble) = step(thread, world) {
                return Err((trouble, code.marks[range.start + n]));
            }
        }
        if COUNT {
            let lanes = match block.next {
                After::Fall => 0,
                _ => thread.active.count_ones(),
            };
            counts.branches[index as usize].0 += 1;
            counts.branches[index as usize].1 += u64::from(lanes);
        }
        let next = index + 1;
        match &block.next {
            After::Fall => thread.flow.block = next,
            After::Branch { uniform, target } => {
                let taken = taken(thread, &block.mark, *uniform);
                thread.active = thread.flow.branch(thread.active, taken, *target, next);
            }
            After::Jump { target } => {
                let taken = taken(thread, &block.mark, true);
                thread.flow.jump(if taken != 0 { *target } else { next });
            }
            After::CallAddress { uniform, callee } => {
                let taken = taken(thread, &block.mark, *uniform);
                if taken == 0 {
                    thread.flow.block = next;
                    continue;
                }
                let lane = taken.trailing_zeros() - block.mark.enable.shift.min(taken.trailing_zeros());
                let callee = &code.callees[*callee as usize];
                let addresses: [u64; CHUNK] = callee.load(thread, lane as usize / CHUNK);
                let address = addresses[lane as usize % CHUNK];
                let Some(&routine) = function_at(address).and_then(|n| code.functions.get(n)) else {
                    let why = format!("a call to 0x{address:x}, where there is no function");
                    return Err((Box::new(Trouble::Illegal(why)), block.mark));
                };
                if thread.flow.depth() >= MAX_DEPTH {
                    let trouble = Trouble::Illegal("functions call each other without end".to_owned());
                    return Err((Box::new(trouble), block.mark));
                }
                thread.active = thread.flow.call(thread.active, taken, routine, next);
            }
            After::Call { uniform, routine } => {
                let taken = taken(thread, &block.mark, *uniform);
                if taken == 0 {
                    thread.flow.block = next;
                } else if thread.flow.depth() >= MAX_DEPTH {
                    let trouble = Trouble::Illegal("subroutines call each other without end".to_owned());
                    return Err((Box::new(trouble), block.mark));
                } else {
                    thread.active = thread.flow.call(thread.active, taken, *routine, next);
                }
            }
            After::Return { uniform } => {
                let leaving = taken(thread, &block.mark, *uniform);
                let (next, active) = thread.flow.leave(thread.active, leaving, next);
                thread.active = active;
                if next == Next::End {
                    return Ok((Next::End, block.mark));
                }
            }
            After::Switch(n) => {
                let switch = &code.switches[*n as usize];
                let index = switch.index.first(thread);
                let Some(target) = switch.targets.get(index as usize) else {
                    let why = format!("a jump to place {index} of a list of {} labels", switch.targets.len());
                    return Err((Box::new(Trouble::Illegal(why)), block.mark));
                };
                thread.flow.jump(*target);
            }
            After::Exchange(number) => {
                thread.flow.block = next;
                return Ok((Next::Exchange(*number), block.mark));
            }
            After::Signal(named) => {
                let named = named.as_ref().map(|[id, threads]| (id.first(thread), threads.first(thread)));
                thread.signals.push(named);
                thread.flow.block = next;
            }
            After::Wait(barrier) => {
                let barrier = barrier.as_ref().map(|id| id.first(thread));
                thread.flow.block = next;
                return Ok((Next::Wait(barrier), block.mark));
            }
            After::Barrier => {
                if thread.flow.is_divergent() {
                    return Err((Box::new(Trouble::DivergentBarrier), block.mark));
                }
                thread.flow.block = next;
                return Ok((Next::Barrier, block.mark));
            }
        }
    }
}

/// Subroutines must not call themselves, so no chain of calls is longer than a routine has subroutines.
const MAX_DEPTH: usize = 4096;

/// The active channels that take a branch. Where all do the same, the first channel's predicate decides for them.
#[inline(always)]
fn taken(thread: &Thread, mark: &Mark, uniform: bool) -> u32 {
    let enable = &mark.enable;
    if uniform {
        let decides = enable.predicate == 0 || thread.predicate_lanes(enable) & 1 == 1;
        return if decides { thread.active } else { 0 };
    }
    thread.enabled(enable) << enable.shift & thread.active
}

/// A fault with its place.
#[cold]
fn fault(plan: &Plan<'_>, thread: &Thread, group: [u32; 3], trouble: Trouble, mark: Mark) -> Box<Fault> {
    let channel = trouble.lane().map(|lane| lane + mark.enable.shift);
    let size = plan.range.size_of(group);
    let local_id = channel.map(|channel| plan.payload.local_id(thread.index, channel, size, plan.order()));
    let place = plan.program.place(mark.instruction);
    Box::new(Fault {
        trouble,
        function: place.function,
        instruction: place.instruction,
        line: place.line,
        source_line: mark.source_line,
        group,
        thread: thread.index,
        channel,
        local_id,
    })
}
