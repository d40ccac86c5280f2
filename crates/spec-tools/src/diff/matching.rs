//! Pairing of instructions, pages and names of the two sides.

use std::collections::BTreeMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use visakit_codegen::model::{Form, Instruction, Model, Page, PageKind};

/// Instruction of one side, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    Old(usize),
    New(usize),
    Both(usize, usize),
}

/// Renamed fields: old name to new name, both normalised by [`norm`].
pub(super) type Renames = BTreeMap<String, String>;

/// Criterion for pairing two items. Several criteria are tried in turn.
pub(super) type Same<'a, T> = &'a dyn Fn(&T, &T) -> bool;

/// Normalises a name for comparison: removes case and underscores.
pub(super) fn norm(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the longest common subsequence as pairs of positions.
pub(super) fn align<T: Ord>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let equal = operations(old, new).into_iter().filter_map(|op| match op {
        DiffOp::Equal { old_index, new_index, len } => Some((0..len).map(move |i| (old_index + i, new_index + i))),
        _ => None,
    });
    equal.flatten().collect()
}

/// Returns the operations that convert the old list to the new one. Items are mapped to numbers
/// first, so that the algorithm is compiled once.
pub(super) fn operations<T: Ord>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let mut numbers: BTreeMap<&T, usize> = BTreeMap::new();
    let mut number = |item| {
        let next = numbers.len();
        *numbers.entry(item).or_insert(next)
    };
    let [old, new]: [Vec<usize>; 2] = [old, new].map(|items| items.iter().map(&mut number).collect());
    capture_diff_slices(Algorithm::Myers, &old, &new)
}

/// Pairs instructions by name, then by opcode if their layouts are similar. The result has the
/// order of the new side, with removed instructions at their old positions.
pub(super) fn instructions(old: &Model, new: &Model) -> Vec<Pair> {
    let (old, new) = (&old.instructions, &new.instructions);
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    let mut taken = vec![false; old.len()];
    let rounds: [fn(&Instruction, &Instruction) -> bool; 4] = [
        |a, b| a.name == b.name && code(a) == code(b),
        |a, b| a.name == b.name,
        |a, b| norm(&a.name) == norm(&b.name),
        |a, b| code(a) == code(b) && alike(a, b),
    ];
    for same in rounds {
        for (j, b) in new.iter().enumerate() {
            if partner[j].is_none()
                && let Some(i) = (0..old.len()).find(|&i| !taken[i] && same(&old[i], b))
            {
                partner[j] = Some(i);
                taken[i] = true;
            }
        }
    }
    let mut out: Vec<(_, Pair)> = partner
        .iter()
        .enumerate()
        .map(|(j, i)| (order(&new[j]), i.map_or(Pair::New(j), |i| Pair::Both(i, j))))
        .chain((0..old.len()).filter(|&i| !taken[i]).map(|i| (order(&old[i]), Pair::Old(i))))
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out.into_iter().map(|(_, pair)| pair).collect()
}

fn code(i: &Instruction) -> (u8, Option<u8>) {
    (i.opcode, i.sub_opcode)
}

fn order(i: &Instruction) -> ((u8, Option<u8>), &str) {
    (code(i), &i.name)
}

/// Returns true if two instructions of different names have almost the same layout.
fn alike(a: &Instruction, b: &Instruction) -> bool {
    if matches!(a.kind, PageKind::Umbrella) != matches!(b.kind, PageKind::Umbrella)
        || matches!(a.kind, PageKind::Alias { .. }) != matches!(b.kind, PageKind::Alias { .. })
    {
        return false;
    }
    let fields = |i: &Instruction| -> Vec<String> {
        i.forms.iter().flat_map(|f: &Form| f.fields.iter().map(|f| norm(&f.name))).collect()
    };
    let (x, y) = (fields(a), fields(b));
    let common = align(&x, &y).len();
    common * 4 >= x.len().max(y.len()) * 3
}

/// Pairs pages without an instruction: by path, by file name, then by chapter number.
pub(super) fn chapters(old: &Model, new: &Model) -> Vec<(Option<u32>, Option<u32>)> {
    let pages = |model: &Model| -> Vec<u32> {
        (0u32..)
            .zip(&model.pages)
            .filter(|(i, p)| p.stem() != "README" && !model.instructions.iter().any(|n| n.at.page == *i))
            .map(|(i, _)| i)
            .collect()
    };
    let (left, right) = (pages(old), pages(new));
    let keys: [fn(&Page) -> Option<String>; 3] = [
        |page| Some(page.path.clone()),
        |page| Some(page.stem().to_owned()),
        |page| page.stem().split_once('_').map(|(n, _)| n.to_owned()).filter(|n| n.parse::<u8>().is_ok()),
    ];
    let mut partner: BTreeMap<u32, u32> = BTreeMap::new();
    for key in keys {
        for &b in &right {
            let Some(wanted) = key(&new.pages[b as usize]).filter(|_| !partner.contains_key(&b)) else { continue };
            let free = |a: &&u32| !partner.values().any(|x| x == *a);
            if let Some(&a) =
                left.iter().filter(free).find(|a| key(&old.pages[**a as usize]).as_ref() == Some(&wanted))
            {
                partner.insert(b, a);
            }
        }
    }
    // Two single pages are paired independent of their names.
    if let ([a], [b]) = (left.as_slice(), right.as_slice())
        && old.pages.len() == 1
        && new.pages.len() == 1
    {
        partner.insert(*b, *a);
    }
    let gone = left.iter().filter(|a| !partner.values().any(|x| x == *a)).map(|&a| (Some(a), None));
    right.iter().map(|&b| (partner.get(&b).copied(), Some(b))).chain(gone).collect()
}
