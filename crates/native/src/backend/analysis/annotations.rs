//! Annotations: the facts of each step of a block, found before its code is written.

use crate::backend::analysis::address_classes::{StepClasses, classes};
use crate::backend::analysis::byte_set::WorkingSet;
use crate::backend::analysis::contiguity::{Pair, pair};
use crate::backend::analysis::known_ramps::KnownRamps;
use crate::backend::analysis::liveness::Cursor;
use crate::backend::analysis::ramps::StepRamps;
use crate::ir::Block;

/// The annotations of a block's steps, by their position in the block. They hold where all channels
/// of the block are active.
#[derive(Clone, Debug, Default)]
pub(crate) struct Annotations<'a> {
    /// The address classes of each step.
    pub(crate) classes: Vec<StepClasses>,
    /// Number of address classes.
    pub(crate) class_count: u32,
    /// The pair of steps that begins with each step.
    pub(crate) pairs: Vec<Option<Pair<'a>>>,
    /// The part that ramps have in each step.
    pub(crate) ramps: Vec<StepRamps>,
}

impl<'a> Annotations<'a> {
    /// Annotates block `n`; `wanted` has the bytes that are live after it, and `live` stands before
    /// its first step.
    pub(crate) fn of(n: u32, block: &'a Block, ramps: &KnownRamps, wanted: &mut WorkingSet, live: &Cursor) -> Self {
        let mut pairs: Vec<_> = (0..block.steps.len()).map(|n| pair(&block.steps[n..])).collect();
        let (classes, class_count) = classes(block, &pairs);
        let are_halves = ramps.are_halves();
        // The first pair of a class tests the addresses of all channels.
        let is_tested =
            |n: usize| !are_halves && pairs[n].is_some() && classes[n][2].is_some_and(|class| class.is_first);
        let tested = (0..block.steps.len()).filter(|n| is_tested(*n));
        let tested = tested.flat_map(|n| [n, n + pairs[n].as_ref().map_or(0, |pair| pair.len() - 1)]);
        let ramps = ramps.steps((n, block), &tested.collect::<Vec<_>>(), wanted, live);
        if are_halves {
            pairs.iter_mut().zip(&ramps).filter(|(_, ramps)| ramps.form.is_some()).for_each(|(pair, _)| *pair = None);
        }
        Self { classes, class_count, pairs, ramps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::analysis::liveness::Liveness;
    use crate::ir::{Access, Action, Addresses, Behind, Combine, End, Mask, Routine, Space, Step, Transfer, Unit};

    /// A load of 16 dwords of the group's memory, by addresses at `from`.
    fn load(shift: u32, from: u32, to: u32) -> Step {
        let mask = Mask { shift, lanes: 0xffff, always: false, predicate: 0, combine: Combine::Each, inverse: false };
        let transfer = Transfer {
            access: Access::Load,
            space: Space::Local { mask: u32::MAX },
            addresses: Addresses::Dwords(from),
            global: None,
            scale: 1,
            offset: 0,
            unit: Unit::Dword,
            alignment: 4,
            elements: vec![(0, to)],
        };
        Step { mask, action: Action::Transfer(transfer) }
    }

    #[test]
    fn steps_have_their_pairs_and_classes() {
        let halves = |to: u32| [load(0, 0, to), load(16, 64, to + 64)];
        let other = load(0, 128, 512);
        let steps = [&halves(256)[..], &halves(384)[..], &[other]].concat();
        let block = Block { steps, instructions: 5, end: End::Outside(Behind::Anything) };
        let (mut wanted, live) = (WorkingSet::new(1 << 12), Cursor::new(1 << 12));
        let routine = Routine::default();
        let known = KnownRamps::of(&routine, &Liveness::of(&routine).unwrap(), true);
        let annotations = Annotations::of(0, &block, &known, &mut wanted, &live);
        let begins_pair: Vec<bool> = annotations.pairs.iter().map(Option::is_some).collect();
        assert_eq!(begins_pair, [true, false, true, false, false]);
        assert_eq!(annotations.pairs[0].map(|pair| (pair.pitch, pair.len())), Some((64, 2)));
        // Each half, and the pair, is of one class with the same addresses in the second pair.
        let flags = annotations.classes.iter().map(|classes| classes.map(|class| class.map(|class| class.flag)));
        let flags: Vec<_> = flags.collect();
        assert_eq!((flags[0], flags[1]), (flags[2], flags[3]));
        assert!(flags[0][0].is_some() && flags[0][2].is_some() && flags[1][0].is_some());
        assert_ne!(flags[0][0], flags[1][0]);
        assert_eq!(flags[4], [None; 3], "no other transfer has these addresses");
        assert_eq!(annotations.class_count, 3);
    }
}
