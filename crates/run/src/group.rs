//! Execution of thread groups: starts hardware threads, schedules them, and counts instructions.

use std::sync::Arc;

use crate::barriers::{Barriers, State};
use crate::endless::{Samples, is_due, look};
use crate::exchange::exchanges;
use crate::execute::run_thread;
use crate::memory::Implicit;
use crate::native::{Begun, Native};
use crate::own::Own;
use crate::plan::Plan;
use crate::start::{Images, new_thread, reset, restart};
use crate::starts::Starts;
use crate::stats::Counts;
use crate::stopped::fault;
use crate::turns::{endless, rounds, runs, state_after, stuck, tell_barriers};
use crate::waits::Waits;
use visakit_kernels::code::DebugLoc;
use visakit_launch::implicit;
use visakit_machine::fault::TrapReport;
use visakit_machine::flow::{Next, TURN};
use visakit_machine::thread::Thread;
use visakit_native::Lent;

/// State of a host thread, reused from group to group.
pub(super) struct Worker<'a> {
    plan: &'a Plan<'a>,
    threads: Vec<Thread>,
    own: &'a Own<'a>,
    native: Option<Native<'a>>,
    /// Number of groups run.
    groups: u64,
    /// Approximate number of groups left for all host threads, including the current one.
    left: u64,
    states: Vec<State>,
    waits: Waits,
    barriers: Barriers,
    /// Group whose threads wait for those of other groups, if it does.
    waiting: Option<[u32; 3]>,
    /// Initial thread states by group size, for full and partial groups; at most eight sizes.
    starts: Vec<Arc<Starts>>,
    /// Index of the initial state that the threads started from; constant registers are still
    /// valid.
    begun: Option<usize>,
    /// Register images of native code for each initial state, once built and if possible.
    images: Vec<Option<Images>>,
    /// Group size that the implicit-argument buffer currently describes.
    implicit: [u32; 3],
    /// Time slice in instructions of a thread without barriers, before others are scheduled.
    long_turn: u64,
    counts: Counts,
}

/// Claims the next group to run, if any.
pub(super) type NextGroup<'n> = dyn FnMut() -> Option<[u32; 3]> + 'n;

impl<'a> Worker<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, own: &'a Own<'a>) -> Self {
        Self {
            plan,
            threads: Vec::new(),
            own,
            native: None,
            groups: 0,
            left: 0,
            states: Vec::new(),
            waits: Waits::new(plan.code.pauses, if plan.interleaves { PATIENCE } else { 1 }),
            barriers: Barriers::default(),
            waiting: None,
            starts: Vec::new(),
            begun: None,
            images: Vec::new(),
            implicit: [0; 3],
            long_turn: LONG_TURN,
            counts: Counts::new(plan.code, plan.count),
        }
    }

    /// Returns the counts.
    pub(super) fn finish(self) -> Counts {
        if self.plan.warms {
            // The instructions of a group that faults are not counted.
            let counts = &self.counts;
            let interpreted = counts.instructions.saturating_sub(counts.with_native);
            self.plan.lowered.note_interpreted(interpreted.saturating_add(counts.left));
        }
        self.counts
    }

    /// Returns true if the recorded accesses are incomplete.
    pub(super) fn has_lost_track(&self) -> bool {
        self.own.trace.is_lost()
    }

    /// Runs a group, and possibly some of the next ones, until one faults or waits for other
    /// groups. About `left` groups remain for all host threads. Returns a group that was claimed
    /// but not run.
    pub(super) fn run(
        &mut self,
        group: [u32; 3],
        left: u64,
        next: &mut NextGroup<'_>,
    ) -> Result<Option<[u32; 3]>, Box<TrapReport>> {
        let mut group = Some(group);
        while !self.waits_for_groups()
            && let Some(one) = group
        {
            self.prepare(one, left);
            group = if self.plan.waits { self.run_together(one, next)? } else { self.run_in_turn(one, next)? };
        }
        Ok(group)
    }

    /// Shortens the turns, because another group waits.
    pub(super) fn expect_waits(&mut self) {
        self.long_turn = TURN;
    }

    /// Returns true if the group waits for other groups.
    pub(super) fn waits_for_groups(&self) -> bool {
        self.waiting.is_some()
    }

    /// Continues with a group that waits for others. Its threads have long turns if it `insists`.
    /// Returns true if it still waits where it did.
    pub(super) fn resume(&mut self, insists: bool) -> Result<bool, Box<TrapReport>> {
        if insists {
            self.waits.insist();
        }
        self.waiting.take().map_or(Ok(()), |group| self.run_all(group, None))?;
        Ok(self.waits_for_groups() && self.waits.all_again())
    }

    /// Prepares a group's resources except its threads.
    fn prepare(&mut self, group: [u32; 3], left: u64) {
        let written = self.own.renew(self.plan);
        if self.plan.mapped.implicit.is_some_and(|implicit| written > implicit.offset) {
            self.implicit = [0; 3];
        }
        if let Some(poison) = self.plan.poison {
            poison.fill_local(&self.own.local);
            self.own.private.iter().for_each(|buffer| poison.fill_private(buffer));
            self.implicit = [0; 3];
        }
        self.set_implicit_arguments(group);
        if let Some(observer) = self.own.observer {
            observer.group(group);
        }
        if let Some(tracer) = &self.plan.tracer {
            tracer.group(group);
        }
        self.prepare_native(left, group);
        self.groups += 1;
    }

    /// Returns true if the next group needs nothing but its threads and zeroed memory.
    fn is_bare(&self) -> bool {
        let plan = self.plan;
        let is_watched = self.own.observer.is_some() || plan.tracer.is_some();
        plan.mapped.implicit.is_none() && plan.poison.is_none() && !is_watched
    }

    /// Switches to native code as soon as it exists.
    fn prepare_native(&mut self, left: u64, group: [u32; 3]) {
        let plan = self.plan;
        if !plan.is_native {
            return;
        }
        self.left = left;
        let world = self.own.world(plan, group);
        if let Some(native) = &mut self.native {
            native.refresh(&world);
            return;
        }
        if plan.warms {
            // The remaining groups probably resemble the earlier ones.
            let each = self.counts.instructions.checked_div(self.groups).unwrap_or(0);
            plan.lowered.warm(each.saturating_mul(left), plan.variant);
        }
        self.native = Native::of(plan, &world);
    }

    /// Writes the implicit arguments of a group, unless the buffer already holds those of its size.
    fn set_implicit_arguments(&mut self, group: [u32; 3]) {
        let Some(Implicit { offset, address }) = self.plan.mapped.implicit else { return };
        let size = self.plan.range.size_of(group);
        if self.implicit != size {
            let plan = self.plan;
            let surroundings = implicit::Surroundings {
                range: plan.range,
                order: plan.order(),
                simd: plan.program.info.execution_env.simd_size.max(1),
                version: plan.program.implicit,
                extra: &plan.mapped.placement.extra,
            };
            let bytes = implicit::buffer(&surroundings, size, address);
            for (n, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
                self.own.scratch(self.plan).store_u32(offset + n as u64 * 4, u32::from_le_bytes(*word));
            }
            self.implicit = size;
        }
    }

    /// Runs threads without barriers sequentially, all in the same registers, which stay in the
    /// host's cache. A thread that runs long may be spinning on a later thread; then all threads
    /// are scheduled round-robin. Native code continues with the next groups of the same size.
    /// Returns a group of another size if one was claimed.
    fn run_in_turn(
        &mut self,
        mut group: [u32; 3],
        next: &mut NextGroup<'_>,
    ) -> Result<Option<[u32; 3]>, Box<TrapReport>> {
        let plan = self.plan;
        let (known, is_bare) = (self.starts_of(group), self.is_bare());
        let mut other = None;
        // Threads of an earlier group are kept for later use, because allocating them each time is
        // expensive.
        if self.threads.is_empty() {
            self.threads.push(new_thread(plan));
        }
        let own = self.own;
        let world = own.world(plan, group);
        self.make_images(known);
        let [thread, ..] = &mut self.threads[..] else { return Ok(None) };
        let starts = &self.starts[known];
        let (counts, native) = (&mut self.counts, &mut self.native);
        let mut images = self.images[known].as_mut();
        if let Some(images) = &mut images {
            if self.begun != Some(known) {
                images.fill_once(None, thread.registers.bytes_mut(0));
            }
            images.set_group(group, thread.registers.bytes_mut(0));
        }
        // Threads started before the images existed did not use them.
        self.begun = images.is_some().then_some(known);
        let (mut index, before) = (0, counts.instructions);
        while index < starts.threads.len() {
            if plan.warms && native.is_none() {
                *native = Native::within(plan, &world, counts.instructions - before, self.left);
            }
            let images = images.as_deref_mut().filter(|_| plan.poison.is_none() && !plan.count);
            let quick = native.as_ref().zip(images).filter(|(native, _)| native.begins());
            let begun = if let Some((native, images)) = quick {
                let until = plan.limit.min(self.long_turn);
                let more = || {
                    let one = is_bare.then(|| claim(plan, own, starts.size, next, &mut other))??;
                    self.groups += 1;
                    group = one;
                    Some(one)
                };
                let left = native.run_starts(plan, thread, (&starts.threads, images), (index, until), counts, more);
                let Some((left, exit)) = left else { break };
                index = left;
                Some(Begun { before: 0, exit: Some(exit) })
            } else {
                restart(plan, thread, starts, group, index as u32);
                None
            };
            let engine = native.as_mut().map(|native| (native, begun));
            let next = run_thread(plan, thread, &world, counts, self.long_turn, engine)
                .map_err(|(trap, mark)| fault(plan, thread, group, *trap, mark))?;
            if let (Next::Pause, _) = next {
                let paused = self.threads.swap_remove(0);
                self.start(group, index);
                self.threads[index] = paused;
                self.run_all(group, None)?;
                // A thread that still had much work left was not waiting for the others; threads of
                // later groups will not wait either. Round-robin scheduling would only cause cache
                // misses, so the time slice grows.
                if self.threads[index].executed > self.long_turn / 4 * 5 {
                    self.long_turn = (self.long_turn * 4).min(LONGEST_TURN).min(plan.limit / 4).max(LONG_TURN);
                }
                return Ok(None);
            }
            counts.add_thread(thread);
            // Native code starts threads without waiting channels.
            thread.flow.restart(plan.code.main_end);
            index += 1;
        }
        Ok(other)
    }

    /// Runs all threads until all have ended; each runs until it waits or ends. Native code
    /// continues with the next groups of the same size. Returns a group of another size if one was
    /// claimed.
    fn run_together(
        &mut self,
        mut group: [u32; 3],
        next: &mut NextGroup<'_>,
    ) -> Result<Option<[u32; 3]>, Box<TrapReport>> {
        let (plan, own, known) = (self.plan, self.own, self.start(group, 0));
        let images = self.images[known].as_ref().filter(|_| self.is_bare());
        let starts = &self.starts[known];
        let mut other = None;
        let renew = |threads: &mut [Lent<'_>]| {
            let Some(images) = images else { return false };
            let Some(one) = claim(plan, own, starts.size, next, &mut other) else { return false };
            self.groups += 1;
            group = one;
            for (index, (thread, start)) in threads.iter_mut().zip(&starts.threads).enumerate() {
                thread.begin(start.channels, plan.limit.min(TURN), |registers| images.fill(index, one, registers));
            }
            true
        };
        let begun = self.native.as_ref().and_then(|native| {
            rounds(plan, native, &mut self.threads, &mut self.states, &mut self.counts, TURN, renew)
        });
        self.run_all(group, begun).map(|()| other)
    }

    /// Runs the remaining threads until all have ended or wait for other groups; each runs until it
    /// waits, ends or exhausts its time slice. Native code may have begun the slice of one.
    fn run_all(&mut self, group: [u32; 3], mut begun: Option<(usize, Begun)>) -> Result<(), Box<TrapReport>> {
        let world = self.own.world(self.plan, group);
        let states = &mut self.states;
        // True if the threads of the group may be in a deadlock.
        let mut is_doubtful = false;
        let mut done: u64 = self.threads.iter().map(|thread| thread.executed).sum();
        loop {
            let mut progress = false;
            let looks = std::mem::take(&mut is_doubtful);
            let mut samples = Samples { all_same: looks, ..Samples::default() };
            if let Some(turn) = self.waits.begin_round()
                && let Some(native) = &self.native
                && begun.is_none()
                && !looks
            {
                begun = rounds(self.plan, native, &mut self.threads, states, &mut self.counts, turn, |_| false);
            }
            for (number, (thread, state)) in self.threads.iter_mut().zip(states.iter_mut()).enumerate() {
                if !runs(self.plan, *state, &mut self.barriers, group, self.own.observer) {
                    continue;
                }
                progress = true;
                if self.plan.warms && self.native.is_none() {
                    self.native = Native::within(self.plan, &world, done, self.left);
                }
                let mut begun = begun.take_if(|(index, _)| *index == number).map(|(_, begun)| begun);
                let before = begun.as_ref().map_or(thread.executed, |begun| begun.before);
                let mut next = if looks {
                    Ok((Next::Pause, DebugLoc::nowhere()))
                } else {
                    self.waits.turn((number, thread), |thread, turn| {
                        let engine = self.native.as_mut().map(|native| (native, begun.take()));
                        run_thread(self.plan, thread, &world, &mut self.counts, turn, engine)
                    })
                };
                if let Ok((Next::Pause, _)) = next
                    && (looks || is_due(before, thread.executed))
                {
                    let out = look(self.plan, thread, &world, (group, &self.own.spot), &mut self.counts);
                    next = samples.note(thread.index, out);
                }
                done = done.saturating_add(thread.executed - before);
                thread.signals.drain(..).for_each(|signal| self.barriers.signal(signal));
                *state = match next {
                    Ok((next, mark)) => state_after(next, mark),
                    Err((trap, mark)) => return Err(fault(self.plan, thread, group, *trap, mark)),
                };
            }
            is_doubtful = samples.same.is_some() && !looks && !self.plan.others_run;
            if let Some(report) = endless(self.plan, &self.threads, states, group, &samples) {
                return Err(report);
            }
            if !self.plan.code.exchanges.is_empty() {
                progress |= exchanges(self.plan, &mut self.threads, states, &world, group)?;
            }
            let ended = states.iter().filter(|state| **state == State::Ended).count();
            if ended == states.len() {
                break;
            }
            if states.iter().all(|state| matches!(state, State::AtBarrier(_))) {
                if let Some(observer) = self.own.observer {
                    tell_barriers(states, observer);
                    observer.barrier();
                }
                states.fill(State::Running);
            } else if progress && self.plan.interleaves && self.waits.all() {
                self.waiting = Some(group);
                return Ok(());
            } else if !progress {
                match stuck(self.plan, &self.threads, states, group) {
                    Some(report) => return Err(report),
                    None => break,
                }
            }
        }
        self.threads.iter().for_each(|thread| self.counts.add_thread(thread));
        Ok(())
    }

    /// Returns the index of a group's initial thread states.
    fn starts_of(&mut self, group: [u32; 3]) -> usize {
        let plan = self.plan;
        let size = plan.range.size_of(group);
        let known = self.starts.iter().position(|starts| starts.size == size);
        known.unwrap_or_else(|| {
            self.starts.push(plan.lowered.starts(plan, size));
            self.images.push(None);
            self.starts.len() - 1
        })
    }

    /// Builds register images for this host thread, once that is worthwhile. Requires an existing
    /// thread.
    fn make_images(&mut self, known: usize) {
        if self.images[known].is_none()
            && let Some(native) = self.native.as_ref().filter(|_| self.groups > FEW || self.plan.end > MANY)
            && let Some(thread) = self.threads.first_mut()
        {
            self.images[known] = self.starts[known].images(self.plan, native.code(), thread);
            self.begun = None;
        }
    }

    /// Resets the threads of a group to the program entry, except the first `ended`, which have
    /// ended. Returns the index of their initial state.
    fn start(&mut self, group: [u32; 3], ended: usize) -> usize {
        let plan = self.plan;
        let known = self.starts_of(group);
        self.threads.resize_with(self.starts[known].threads.len(), || new_thread(plan));
        if plan.waits && plan.poison.is_none() {
            self.make_images(known);
        }
        let images = self.images[known].as_ref();
        let starts = &self.starts[known];
        for (index, (thread, start)) in self.threads.iter_mut().zip(&starts.threads).enumerate() {
            let Some(images) = images.filter(|_| plan.waits && plan.poison.is_none()) else {
                restart(plan, thread, starts, group, index as u32);
                continue;
            };
            let registers = thread.registers.bytes_mut(0);
            if self.begun != Some(known) {
                images.fill_once(Some(index), registers);
            }
            images.fill(index, group, registers);
            reset(plan, thread, start, index as u32);
        }
        self.begun = Some(known);
        self.states.clear();
        self.states.resize(ended, State::Ended);
        self.states.resize(self.threads.len(), State::Running);
        self.waits.start(self.threads.len());
        self.barriers = Barriers::default();
        known
    }
}

/// Claims a group of a size for native code to continue with, which it then must, and zeroes the
/// memory for it. A group of another size is claimed as `other`.
fn claim(
    plan: &Plan<'_>,
    own: &Own<'_>,
    size: [u32; 3],
    next: &mut NextGroup<'_>,
    other: &mut Option<[u32; 3]>,
) -> Option<[u32; 3]> {
    let one = next()?;
    if plan.range.size_of(one) != size {
        *other = Some(one);
        return None;
    }
    own.renew(plan);
    Some(one)
}

/// Number of times that a waiting group is continued before each of its threads gets a turn.
const PATIENCE: u32 = 64;
/// Number of groups before building register images is worthwhile.
const FEW: u64 = 2;
/// Number of groups of a launch above which register images are built at once.
const MANY: u64 = 8;
/// Initial value of [`Worker::long_turn`], in instructions.
const LONG_TURN: u64 = 1 << 20;
/// Largest value of [`Worker::long_turn`]: a tenth of a second, which is lost if the thread waits.
const LONGEST_TURN: u64 = 1 << 24;
