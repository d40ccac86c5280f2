//! What a group does, step by step, and the first step that is another one.

use std::cell::RefCell;

use crate::check::uninit::{Gaps, digests};
use crate::check::watcher::place_in_program;
use crate::machine::observer::{Access, AccessKind, Observer, Spot};
use crate::machine::poison::Poison;
use crate::run::program::Actor;

/// Steps of a group that are compared one by one, 32 MiB.
pub(super) const MOST_STEPS: usize = 1 << 21;

/// What an access stores where other groups and the host can see it.
pub(super) fn shared_value(access: &Access) -> Option<u64> {
    access.value.filter(|_| access.kind != AccessKind::Load && access.buffer.is_some())
}

/// One thing that a thread does, and that must not depend on what nobody has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// A number for who does it where: the thread, the channel and the address, or the thread, the
    /// block that it comes to and the channels.
    deed: u64,
    /// What others can see of it, or 0.
    value: u64,
}

impl Step {
    fn access(access: &Access) -> Self {
        let value = shared_value(access);
        let who = u64::from(access.thread) << 32 | u64::from(access.lane) << 2 | u64::from(value.is_some()) << 1;
        Self { deed: digests::step(digests::step(0, who), access.address), value: value.unwrap_or(0) }
    }

    fn block(thread: u32, block: u32, channels: u32) -> Self {
        // Not that of an access.
        Self { deed: digests::step(1, digests::way(0, thread, block, channels.into())), value: 0 }
    }

    /// Whether a store leaves noise, unchanged, in nothing but the upper bytes of words whose
    /// lowest byte has a value: what structures have between their members is copied with them.
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

/// What depends on a value.
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

/// What a group does.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub(super) steps: Vec<Step>,
    /// The number of the way that its threads took.
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
    /// Places in the program where values may differ.
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
    /// Compares a step with the one without noise, whose value may have other bits in a mask.
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
            Difference { what, actor: crate::check::watcher::actor(access) }
        });
    }
}
