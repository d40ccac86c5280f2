//! Observer for all checks.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::bounds::{self, Owners};
use crate::bug::{Bug, Key, Mistake, Seen, What, found, place_in_program};
use crate::copies::{self, Copies};
use crate::race::{self, Races};
use crate::report::{Checks, Finding};
use crate::uninit::{Digests, Unwritten};
use visakit_launch::argument::Parameter;
use visakit_launch::range::NdRange;
use visakit_machine::fault::Trap;
use visakit_machine::observer::{Access, AccessKind, LaunchMap, Observer, Space, Spot};
use visakit_machine::told::Accesses;
use visakit_run::Program;
use visakit_run::place::{MemoryKind, Place};
use visakit_run::program::Actor;

/// Observer of a launch for all checks.
pub(super) struct Watcher<'a> {
    program: &'a Program,
    range: &'a NdRange,
    parameters: Vec<Parameter>,
    state: RefCell<State>,
}

impl std::fmt::Debug for Watcher<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    map: LaunchMap,
    group: [u32; 3],
    bounds: bool,
    sync: bool,
    owners: Owners,
    races: Option<Races>,
    copies: Copies,
    /// Numbers of the buffers from which the kernel loaded.
    loaded: BTreeSet<usize>,
    digests: Option<Digests>,
    unwritten: Unwritten,
    seen: Seen,
}

impl State {
    /// Processes a mark of a group copy. Its value takes part in digests as any stored value.
    fn mark(&mut self, access: &Access) {
        if let Some(races) = &mut self.races {
            self.copies.mark(access, &self.map, races, &mut self.seen);
        }
        self.digests.iter_mut().for_each(|digests| digests.access(access));
    }

    /// Notes a load from a buffer.
    #[inline]
    fn note(&mut self, access: &Access) {
        if let (AccessKind::Load, Some(number)) = (access.kind, access.buffer)
            && !self.loaded.contains(&number)
        {
            self.loaded.insert(number);
        }
    }

    /// Checks an access for races, unless it belongs to a group copy, whose accesses are known.
    fn race(&mut self, access: &Access) {
        let Some(races) = &mut self.races else { return };
        if self.copies.owns(access, &self.map) {
            return;
        }
        if self.copies.is_busy() {
            self.copies.look(access, &self.map, &mut self.seen);
        }
        races.access(access, &mut self.seen);
    }
}

/// Results of an observed launch.
pub(super) struct Watched {
    pub(super) findings: Vec<Finding>,
    pub(super) digests: Digests,
    pub(super) map: LaunchMap,
    /// Racy words, by buffer number plus 1, or 0 for shared local memory.
    pub(super) racy: BTreeSet<(usize, u64)>,
    /// True if unwritten memory was loaded.
    pub(super) unwritten: bool,
    /// Pairs of locations where stores of equal values met, and the arguments from which the kernel
    /// loaded.
    pub(super) equal: Vec<Key>,
    pub(super) loaded: BTreeSet<u32>,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(program: &'a Program, range: &'a NdRange, checks: Checks) -> Self {
        let state = State {
            bounds: checks.bounds,
            sync: checks.sync,
            races: (checks.race || checks.sync).then(|| Races::new(checks, program.platform.local_fences())),
            digests: checks.uninit.then(Digests::default),
            ..State::default()
        };
        Self { program, range, parameters: program.parameters(), state: RefCell::new(state) }
    }

    fn with(&self, f: impl FnOnce(&mut State)) {
        f(&mut self.state.borrow_mut());
    }

    /// Returns the results. After a fault, findings that only show at the end of a group are
    /// dropped.
    pub(super) fn finish(self, is_faulty: bool) -> Watched {
        let mut state = self.state.into_inner();
        if let Some(races) = &mut state.races {
            races.see_looks(|_| true, &mut state.seen);
            state.copies.end(races, &mut state.seen);
        }
        if is_faulty {
            let is_at_end = |bug: &Bug| matches!(bug.what, What::Copy { mistake, .. } if mistake.is_at_end());
            state.seen.all.retain(|(bug, ..)| !is_at_end(bug));
        }
        let report = |what, actor: &Actor| Box::new(self.program.report(self.range, what, actor));
        let findings = state.seen.all.into_iter().map(|(bug, count, others)| {
            let place = match &bug.what {
                What::Outside(access) | What::Race { now: access, .. } => {
                    Some(Place::of(access, &state.map, &self.parameters))
                }
                What::Foreign(access, _) => {
                    let place = Place::of(access, &state.map, &self.parameters);
                    Some(Place { memory: MemoryKind::Private, bytes: None, ..place })
                }
                What::Barriers { .. } | What::Copy { .. } => None,
            };
            let items = others.iter().map(|actor| self.program.item(self.range, actor)).collect();
            let (found, other) = match &bug.what {
                What::Outside(access) => (bounds::message(access, &state.map, &self.parameters), None),
                What::Foreign(access, owner) => {
                    let other = self.program.report(
                        self.range,
                        bounds::foreign(access).1,
                        &Actor { channel: Some(*owner), ..bug.actor },
                    );
                    (bounds::foreign(access).0, Some(Box::new(other)))
                }
                What::Barriers { other } => {
                    let (found, elsewhere) = barriers();
                    (found, Some(report(elsewhere, other)))
                }
                What::Race { now, before, other, is_fence, copies } => {
                    let earlier = (*before, *is_fence, *copies);
                    let (found, earlier) = race::messages(now, earlier, &state.map, &self.parameters);
                    (found, Some(report(earlier, other)))
                }
                What::Copy { mistake, other } => {
                    let (found, elsewhere) = copies::messages(*mistake);
                    (found, other.as_ref().map(|other| report(elsewhere, other)))
                }
            };
            let overwrites = matches!(&bug.what, What::Foreign(access, _) if access.kind != AccessKind::Load);
            let is_note = matches!(&bug.what, What::Copy { mistake: Mistake::NoBarrier, .. });
            Finding {
                report: report(found, &bug.actor),
                other,
                place,
                items,
                way: Vec::new(),
                count,
                overwrites,
                is_note,
            }
        });
        let of_argument = |number: &usize| state.map.buffers.get(*number)?.argument;
        let loaded = state.loaded.iter().filter_map(of_argument).collect();
        Watched {
            findings: findings.collect(),
            digests: state.digests.unwrap_or_default(),
            map: state.map,
            unwritten: state.unwritten.loaded,
            equal: state.races.as_mut().map(|races| std::mem::take(&mut races.equal)).unwrap_or_default(),
            loaded,
            racy: state.races.map(|races| races.racy).unwrap_or_default(),
        }
    }
}

impl Watcher<'_> {
    /// Returns, as notes, the races at locations where stores of equal values met in another run.
    pub(super) fn finish_hidden(self, equal: &[Key]) -> Vec<Finding> {
        self.with(|state| {
            if let Some(races) = &mut state.races {
                races.see_looks(|_| true, &mut state.seen);
            }
            state.copies = Copies::default();
            let is_hidden =
                |bug: &Bug| matches!(bug.what, What::Race { is_fence: false, .. }) && race::is_hidden(bug, equal);
            state.seen.all.retain(|(bug, ..)| is_hidden(bug));
        });
        let mut findings = self.finish(true).findings;
        findings.iter_mut().for_each(|finding| {
            finding.is_note = true;
            finding.report.trap = note(&finding.report.trap);
        });
        findings
    }
}

impl Observer for Watcher<'_> {
    fn launch(&self, map: &LaunchMap) {
        self.with(|state| {
            state.map = map.clone();
            state.unwritten.launch(map);
            state.races.iter_mut().for_each(|races| races.launch(map));
        });
    }

    fn group(&self, group: [u32; 3]) {
        self.with(|state| {
            state.group = group;
            state.owners.next_group();
            state.unwritten.next_group();
            if let Some(races) = &mut state.races {
                let size = self.range.size_of(group).iter().product();
                state.copies.next_group(size, races, &mut state.seen);
                races.next_group(group, &mut state.seen);
            }
            state.digests.iter_mut().for_each(Digests::next_group);
        });
    }

    fn apart(&self, one: (u32, Spot), other: (u32, Spot)) {
        self.with(|state| {
            if state.sync {
                let group = state.group;
                let [actor, other] = [one, other].map(|(thread, spot)| Actor { spot, group, thread, channel: None });
                let places = [one.1, other.spot].map(|spot| place_in_program(&spot));
                state.seen.see(Bug { key: ("check-barrier", places, 0), actor, what: What::Barriers { other } });
            }
        });
    }

    fn barrier(&self) {
        self.with(|state| {
            if let Some(races) = &mut state.races
                && state.copies.barrier(races)
            {
                races.barrier(&mut state.seen);
            }
        });
    }

    fn fence(&self, thread: u32, is_local: bool) {
        self.with(|state| state.races.iter_mut().for_each(|races| races.fence(thread, is_local)));
    }

    fn block(&self, thread: u32, block: u32, channels: u32, _: Spot) {
        self.with(|state| {
            state.races.iter_mut().for_each(|races| races.block(thread, channels));
            state.digests.iter_mut().for_each(|digests| digests.block(thread, block, channels));
        });
    }

    fn accesses(&self, accesses: &Accesses<'_>) {
        if self.state.borrow().map.item_per_thread {
            return accesses.all().for_each(|access| self.access(&access));
        }
        self.with(|state| {
            if copies::is_mark(&accesses.first) {
                accesses.all().for_each(|access| state.mark(&access));
                return;
            }
            if state.bounds && !bounds::are_inside(accesses, &state.map) {
                accesses.all().for_each(|access| bounds::access(&access, &state.map, &mut state.seen));
            }
            if state.bounds && accesses.first.space == Space::Scratch {
                let is_single = accesses.enabled.count_ones() == 1;
                accesses
                    .all()
                    .for_each(|access| state.owners.access(&access, is_single, &state.map, &mut state.seen));
            }
            state.note(&accesses.first);
            match &mut state.races {
                Some(_) if state.copies.is_busy() => accesses.all().for_each(|access| state.race(&access)),
                Some(races) => races.accesses(accesses, &mut state.seen),
                None => {}
            }
            if let Some(digests) = &mut state.digests {
                digests.accesses(accesses);
                state.unwritten.accesses(accesses);
            }
        });
    }

    fn access(&self, access: &Access) {
        self.with(|state| {
            let access = &of_item(access, &state.map);
            if copies::is_mark(access) {
                state.mark(access);
                return;
            }
            if state.bounds {
                bounds::access(access, &state.map, &mut state.seen);
                if access.space == Space::Scratch {
                    state.owners.access(access, access.lane == 0, &state.map, &mut state.seen);
                }
            }
            state.note(access);
            state.race(access);
            if let Some(digests) = &mut state.digests {
                digests.access(access);
                state.unwritten.access(access);
            }
        });
    }
}

/// Returns the messages for threads that wait at two barriers: one of the threads, and the location
/// of the others.
fn barriers() -> (Trap, Trap) {
    let message = "work items wait here while others of their group wait at another barrier";
    let help = "all work items of a group must reach the same barrier";
    let other = "the other work items wait here";
    (found("check-barrier", message.to_owned(), help), found("check-barrier", other.to_owned(), ""))
}

/// Returns an access with the channel of its work item: channel 0 where the thread is one work
/// item.
fn of_item(access: &Access, map: &LaunchMap) -> Access {
    let spot = Spot { first_channel: 0, no_mask: false, ..access.spot };
    if map.item_per_thread { Access { lane: 0, spot, ..*access } } else { *access }
}

/// Returns the note for a race.
fn note(race: &Trap) -> Trap {
    let message = format!("{race} if the inputs differ: in this launch both accesses leave the same value");
    let help = "all elements of a buffer that the kernel loads are equal; use other contents to see the race";
    found("check-equal", message, help)
}
