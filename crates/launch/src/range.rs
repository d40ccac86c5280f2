//! Sizes of a launch: work items and their division into groups.

use visakit_diag::{Diagnostic, Severity};

/// Largest group size that any device supports.
pub const MAX_GROUP: u32 = 1024;
/// Largest group size chosen by default.
const DEFAULT_GROUP: u32 = 256;
/// Group size below which hardware threads are partly empty.
const SMALL_GROUP: u32 = 16;

/// Work items in one to three dimensions. The last group of a dimension may be partial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// Number of dimensions.
    pub dimensions: u32,
    /// Number of work items per dimension; 1 for unused dimensions.
    pub global: [u32; 3],
    /// Number of work items of a full group per dimension.
    pub local: [u32; 3],
    /// Offset of the global ids.
    pub offset: [u32; 3],
}

impl NdRange {
    /// Checks sizes, and chooses the local size if it is not given: the size that the kernel
    /// requires, otherwise the largest divisor of each dimension with a group of at most 256 work
    /// items, x first. If such groups cannot fill a hardware thread, groups are larger and the last
    /// ones are partial.
    ///
    /// # Errors
    /// No dimensions or more than three, a size that is zero or exceeds 32 bits, lists of different
    /// length, a group that is too large, or a local size that differs from the required one.
    pub fn new(
        global: &[u64],
        local: Option<&[u64]>,
        offset: Option<&[u64]>,
        required: [u32; 3],
    ) -> Result<Self, Box<Diagnostic>> {
        if global.is_empty() {
            let help = "give the number of work items: one number such as 64, or one for each dimension such as 8,8";
            return Err(problem("global", "the launch size is missing", help));
        }
        if global.len() > 3 {
            return Err(problem("global", "a launch has one to three dimensions", "give one to three sizes"));
        }
        let full = |key: &str, sizes: &[u64], rest: u32, least: u64| {
            if sizes.len() != global.len() {
                let message = format!("{} sizes are given here, but {} in `global`", sizes.len(), global.len());
                return Err(problem(key, message, "give one number for each dimension"));
            }
            let mut out = [rest; 3];
            for (side, &size) in out.iter_mut().zip(sizes) {
                *side = u32::try_from(size).ok().filter(|_| size >= least).ok_or_else(|| {
                    let help = format!("each number must be {least} to {}", u32::MAX);
                    problem(key, format!("{size} is out of range"), &help)
                })?;
            }
            Ok(out)
        };
        let global_size = full("global", global, 1, 1)?;
        let offset = offset.map_or(Ok([0; 3]), |offset| full("offset", offset, 0, 0))?;
        let is_required = required.iter().any(|&n| n != 0);
        let required = required.map(|n| n.max(1));
        let local = match local {
            Some(local) => full("local", local, 1, 1)?,
            None if is_required => required,
            None => choose_local(global_size),
        };
        if is_required && local != required {
            let [x, y, z] = required;
            return Err(problem(
                "local",
                "the kernel was compiled for another local size",
                &format!("it requires {x},{y},{z}; leave out `local` to use this size"),
            ));
        }
        let size = local.iter().try_fold(1_u32, |product, &n| product.checked_mul(n));
        if size.is_none_or(|size| size > MAX_GROUP) {
            let help = format!("the product of the local sizes may be at most {MAX_GROUP}");
            return Err(problem("local", "the group is too large", &help));
        }
        Ok(Self { dimensions: global.len() as u32, global: global_size, local, offset })
    }

    /// Returns the number of groups per dimension.
    pub fn groups(&self) -> [u32; 3] {
        std::array::from_fn(|d| self.global[d].div_ceil(self.local[d]))
    }

    /// Returns the total number of groups.
    pub fn group_count(&self) -> u128 {
        self.groups().iter().map(|&n| u128::from(n)).product()
    }

    /// Returns the total number of work items.
    pub fn items(&self) -> usize {
        self.global.iter().fold(1, |product, &n| product.saturating_mul(n as usize))
    }

    /// Returns the id of the n-th group, with x fastest.
    pub fn group(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.groups().map(u64::from);
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }

    /// Iterates over the group ids from the n-th.
    pub fn groups_from(&self, index: u64) -> impl Iterator<Item = [u32; 3]> + use<> {
        let [x, y, _] = self.groups();
        std::iter::successors(Some(self.group(index)), move |[a, b, c]| {
            Some(match (a + 1 < x, b + 1 < y) {
                (true, _) => [a + 1, *b, *c],
                (_, true) => [0, b + 1, *c],
                _ => [0, 0, c.saturating_add(1)],
            })
        })
    }

    /// Returns the number of work items of a group per dimension: less than the local size in a
    /// partial last group.
    pub fn size_of(&self, group: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|d| {
            let before = u64::from(group[d]) * u64::from(self.local[d]);
            (u64::from(self.global[d]) - before).min(u64::from(self.local[d])) as u32
        })
    }
}

/// Returns a local size that divides a global size, with at most `most` work items; of primes, 1.
pub fn dividing_local(global: [u32; 3], most: u32) -> [u32; 3] {
    divide(global, most.min(DEFAULT_GROUP)).0
}

/// Returns a divisor of each size, and how many such groups have room in `room`.
fn divide(global: [u32; 3], mut room: u32) -> ([u32; 3], u32) {
    let local = global.map(|size| {
        let divisor = (1..=room.min(size)).rev().find(|n| size.is_multiple_of(*n)).unwrap_or(1);
        room /= divisor;
        divisor
    });
    (local, room)
}

fn choose_local(global: [u32; 3]) -> [u32; 3] {
    let (mut local, room) = divide(global, DEFAULT_GROUP);
    let longest = (0..3).rev().max_by_key(|&d| global[d]).unwrap_or(0);
    if local.iter().product::<u32>() < SMALL_GROUP {
        local[longest] = global[longest].min(local[longest] * room);
    }
    local
}

/// Returns a diagnostic about a launch size; `key` names the size.
fn problem(key: &str, message: impl Into<String>, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("launch-size", Severity::Error, key, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_size_is_chosen_as_a_divisor() {
        let range = NdRange::new(&[1024, 768], None, None, [0; 3]).unwrap();
        assert_eq!((range.local, range.groups()), ([256, 1, 1], [4, 768, 1]));
        let range = NdRange::new(&[100, 30, 7], None, None, [0; 3]).unwrap();
        assert_eq!(range.local, [100, 2, 1]);
        // Primes have no useful divisor.
        for (global, local) in [(vec![1009], [256, 1, 1]), (vec![257, 263], [1, 256, 1]), (vec![13], [13, 1, 1])] {
            assert_eq!(NdRange::new(&global, None, None, [0; 3]).unwrap().local, local);
        }
        for global in [[1009, 1, 1], [18_856, 1, 1], [257, 263, 1], [96, 10, 3]] {
            let local = dividing_local(global, 1024);
            assert!((0..3).all(|d| global[d].is_multiple_of(local[d])), "{global:?} {local:?}");
        }
        assert_eq!([dividing_local([18_856, 1, 1], 1024), dividing_local([0, 5, 1], 1024)], [[8, 1, 1], [1, 5, 1]]);
        let range = NdRange::new(&[64], None, None, [16, 2, 1]).unwrap();
        assert_eq!((range.dimensions, range.local), (1, [16, 2, 1]));
    }

    #[test]
    fn last_groups_are_cut_off() {
        let range = NdRange::new(&[100, 7], Some(&[16, 4]), Some(&[5, 0]), [0; 3]).unwrap();
        assert_eq!((range.groups(), range.group_count()), ([7, 2, 1], 14));
        assert_eq!(range.group(13), [6, 1, 0]);
        let [one, other] = [0, 13].map(|first| (first..14).map(|index| range.group(index)).collect::<Vec<_>>());
        let from = |first| range.groups_from(first).take(14 - first as usize).collect::<Vec<_>>();
        assert_eq!((from(0), from(13)), (one, other));
        assert_eq!(range.size_of([6, 1, 0]), [4, 3, 1]);
        assert_eq!(range.size_of([0, 0, 0]), [16, 4, 1]);
    }

    #[test]
    fn wrong_sizes() {
        for (global, local, offset, required) in [
            (vec![], None, None, [0; 3]),
            (vec![1, 1, 1, 1], None, None, [0; 3]),
            (vec![0], None, None, [0; 3]),
            (vec![1 << 32], None, None, [0; 3]),
            (vec![8, 8], Some(vec![8]), None, [0; 3]),
            (vec![8], Some(vec![2048]), None, [0; 3]),
            (vec![8], Some(vec![0]), None, [0; 3]),
            (vec![8], None, Some(vec![1, 1]), [0; 3]),
            (vec![8], Some(vec![4]), None, [8, 1, 1]),
        ] {
            let error = NdRange::new(&global, local.as_deref(), offset.as_deref(), required).unwrap_err();
            assert_eq!(error.code, "launch-size");
        }
    }
}
