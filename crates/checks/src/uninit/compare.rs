//! Steps of a group, and the first differing step.

use std::cell::RefCell;

use crate::bug::place_in_program;
use crate::uninit::digests::{self, shared_value};
use crate::uninit::gaps::Gaps;
use visakit_machine::observer::{Access, AccessKind, Observer, Spot};
use visakit_machine::poison::Poison;
use visakit_run::program::Actor;

/// Largest number of compared steps of a group (32 MiB).
pub(super) const MOST_STEPS: usize = 1 << 21;

/// A step of a thread, which must not depend on uninitialised data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Hash of thread, channel and address for an access; of thread, block and channels for control
    /// flow.
    deed: u64,
    /// Stored value visible to others, or 0.
    value: u64,
}

impl Step {
    fn access(access: &Access) -> Self {
        let value = shared_value(access);
        let who = u64::from(access.thread) << 32 | u64::from(access.lane) << 2 | u64::from(value.is_some()) << 1;
        Self { deed: digests::step(digests::step(0, who), access.address), value: value.unwrap_or(0) }
    }

    fn block(thread: u32, block: u32, channels: u32) -> Self {
        // The seed differs from that of accesses.
        Self { deed: digests::step(1, digests::way(0, thread, block, channels.into())), value: 0 }
    }

    /// Returns true if the value differs only by unchanged noise in upper bytes of words whose
    /// lowest byte is initialised. Copies of structures include such padding.
    fn differs_in_padding(&self, expected: &Self, poison: &Poison) -> bool {
        let (value, other) = (self.value, expected.value);
        let is_padding = |value: u64, other: u64| {
            let differs = value ^ other;
            differs == 0
                || differs & 0xff == 0
                    && (0..4).all(|n| differs >> (8 * n) & 0xff == 0 || poison.is_noise(value >> (8 * n), n))
        };
        Self { value: expected.value, ..*self } == *expected
            && is_padding(value & 0xffff_ffff, other & 0xffff_ffff)
            && is_padding(value >> 32, other >> 32)
    }
}

#[derive(Debug)]
pub(super) struct Difference {
    pub(super) what: Deed,
    pub(super) actor: Actor,
}

/// Kind of dependence on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Address(AccessKind),
    Value,
    Way,
    Register,
}

impl Deed {
    pub(super) fn words(self) -> String {
        match self {
            Self::Address(kind) => {
                let what = match kind {
                    AccessKind::Load => "a load",
                    AccessKind::Store => "a store",
                    AccessKind::Atomic => "an atomic operation",
                };
                format!("the address of {what}, or the set of active channels, depends on")
            }
            Self::Value => "the stored value depends on".to_owned(),
            Self::Way => "the branch taken depends on".to_owned(),
            Self::Register => "the register used depends on".to_owned(),
        }
    }
}

/// Steps of a group.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub(super) steps: Vec<Step>,
    /// Hash of the paths of the group's threads.
    pub(super) way: u64,
}

#[derive(Debug, Default)]
pub(super) struct Record(pub(super) RefCell<Recorded>);

impl Record {
    fn push(&self, step: Step) {
        let steps = &mut self.0.borrow_mut().steps;
        if steps.len() < MOST_STEPS {
            steps.push(step);
        }
    }
}

impl Observer for Record {
    fn block(&self, thread: u32, block: u32, channels: u32, _: Spot) {
        self.push(Step::block(thread, block, channels));
        let way = &mut self.0.borrow_mut().way;
        *way = digests::way(*way, thread, block, channels.into());
    }

    fn access(&self, access: &Access) {
        self.push(Step::access(access));
    }
}

#[derive(Debug)]
pub(super) struct Compare<'a> {
    pub(super) steps: &'a [Step],
    /// Locations in the program whose stored values may differ.
    pub(super) known: &'a [u32],
    pub(super) gaps: &'a Gaps,
    pub(super) poison: &'a Poison,
    pub(super) state: RefCell<Compared>,
}

#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) next: usize,
    pub(super) first: Option<Difference>,
    group: [u32; 3],
}

impl Compare<'_> {
    /// Compares a step with the one without noise; value bits in `any` may differ.
    fn step(&self, step: Step, any: u64, difference: impl FnOnce(Option<&Step>, [u32; 3]) -> Difference) {
        let mut state = self.state.borrow_mut();
        if state.first.is_some() || state.next >= MOST_STEPS {
            return;
        }
        let expected = self.steps.get(state.next);
        state.next += 1;
        if expected == Some(&step) {
            return;
        }
        let may_differ = |expected: &Step| {
            step.differs_in_padding(expected, self.poison)
                || Step { value: step.value, ..*expected } == step && (step.value ^ expected.value) & !any == 0
        };
        if !expected.is_some_and(may_differ) {
            state.first = Some(difference(expected, state.group));
        }
    }
}

impl Observer for Compare<'_> {
    fn group(&self, group: [u32; 3]) {
        self.state.borrow_mut().group = group;
    }

    fn block(&self, thread: u32, block: u32, channels: u32, spot: Spot) {
        self.step(Step::block(thread, block, channels), 0, |_, group| Difference {
            what: Deed::Way,
            actor: Actor { spot, group, thread, channel: None },
        });
    }

    fn access(&self, access: &Access) {
        let step = Step::access(access);
        let is_known = self.known.contains(&place_in_program(&access.spot));
        self.step(step, if is_known { u64::MAX } else { self.gaps.mask(access) }, |expected, _| {
            let same_place = expected.is_some_and(|expected| Step { value: step.value, ..*expected } == step);
            let what = if same_place { Deed::Value } else { Deed::Address(access.kind) };
            Difference { what, actor: crate::bug::actor(access) }
        });
    }
}
