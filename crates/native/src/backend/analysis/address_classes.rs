//! Transfers whose channels are as far apart as those of another one in the same block: their
//! addresses differ by what is the same for all channels. That one of them is a row need be found
//! out once.
//!
//! Values are numbered: what has the same number is the same. A value of many channels is the sum
//! of two others, modulo two to the number of its bits: its class, and what is the same for all
//! channels. All of it holds where all channels of the block are active.

use std::collections::{BTreeMap, HashMap};

use crate::backend::analysis::contiguity::{Pair, may_be_contiguous, may_be_simd32};
use crate::backend::analysis::effects::{self, writes};
use crate::ir::{Access, Action, Addresses, Binary, Block, Expression, Kind, Node, Space, Step, Transfer, Unary};

/// Number of [`AddressClass::flag`]s.
pub(crate) const FLAGS: u32 = 64;

/// Facts of a transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressClass {
    /// The number, in its block, of the byte that says how far apart the channels are once it is
    /// known.
    pub(crate) flag: u32,
    /// `true` for the first of those that are alike.
    pub(crate) is_first: bool,
    /// Whether any of them moves bytes.
    pub(crate) has_bytes: bool,
}

/// Two halves of a step, of 16 channels each, and the whole of it, or of a pair of steps; only the
/// first where it has no more.
pub(crate) type StepClasses = [Option<AddressClass>; 3];

/// For each step of a block what is known of it, and how many flags there are.
pub(crate) fn classes(block: &Block, pairs: &[Option<Pair<'_>>]) -> (Vec<StepClasses>, u32) {
    let mut numbers = Numbers::default();
    let all: Vec<[Option<Alike>; 3]> =
        block.steps.iter().zip(pairs).map(|(step, pair)| numbers.step(step, pair.is_some())).collect();
    let mut groups: HashMap<Alike, (u32, bool)> = HashMap::new();
    for (step, parts) in block.steps.iter().zip(&all) {
        let is_bytes = matches!(&step.action, Action::Transfer(transfer) if transfer.unit.bytes() == 1);
        for alike in parts.iter().flatten() {
            let (count, has_bytes) = groups.entry(*alike).or_default();
            (*count, *has_bytes) = (*count + 1, *has_bytes | is_bytes);
        }
    }
    let mut flags: HashMap<Alike, u32> = HashMap::new();
    let mut member = |alike: Alike| {
        let (count, has_bytes) = groups[&alike];
        let (next, is_first) = (flags.len() as u32, !flags.contains_key(&alike));
        (count > 1 && (!is_first || next < FLAGS)).then_some(())?;
        Some(AddressClass { flag: *flags.entry(alike).or_insert(next), is_first, has_bytes })
    };
    let members = all.into_iter().map(|parts| parts.map(|alike| alike.and_then(&mut member))).collect();
    (members, flags.len() as u32)
}

/// The class of addresses, or of those of both halves; those of the memory of a group for
/// themselves: fewer of their bits count.
type Alike = (usize, Option<usize>, Kind, bool);

/// A value.
#[derive(Clone, Copy, Debug)]
enum Sym {
    /// The same for all channels.
    Same(usize),
    Each {
        own: usize,
        class: usize,
        /// What is added to that.
        same: usize,
    },
}

impl Sym {
    fn own(self) -> usize {
        let (Self::Same(own) | Self::Each { own, .. }) = self;
        own
    }
}

/// Elements of the registers, by their place: bytes of each, from one to the next, and how many.
type Elements = (u32, u32, u32, u32);

/// How many bytes they are in.
fn extent((_, bytes, step, count): Elements) -> u32 {
    bytes + step * (count - 1)
}

/// What addresses are.
fn address_kind(transfer: &Transfer) -> Kind {
    if let Addresses::Qwords(_) = transfer.addresses { Kind::U64 } else { Kind::U32 }
}

#[derive(Default)]
struct Numbers {
    /// By what a value is made of, whose values are numbers: its kind, and that of the first of
    /// these.
    forms: HashMap<(Kind, Kind, Node), usize>,
    count: usize,
    /// What stands in the registers.
    registers: BTreeMap<Elements, Sym>,
}

/// In more bytes than that elements are not known.
const MOST: u32 = 1024;

impl Numbers {
    /// What is alike of the first of some steps; it is done.
    fn step(&mut self, step: &Step, begins_pair: bool) -> [Option<Alike>; 3] {
        let mut alike = [None; 3];
        let mask = &step.mask;
        let lanes = mask.lanes.count_ones();
        let is_whole = mask.predicate == 0 && mask.lanes.trailing_ones() == lanes;
        let (parts, lanes) = if lanes == 32 { (2_u32, 16) } else { (1, lanes) };
        let mut results = Vec::new();
        match &step.action {
            Action::Outside | Action::Control { .. } => self.registers.clear(),
            Action::Transfer(transfer) if is_whole && matches!(lanes, 8 | 16) => {
                let is_pair = parts == 2 || begins_pair;
                let addresses: Vec<_> =
                    (0..=u32::from(is_pair)).map(|n| self.address(transfer, (n * lanes, lanes))).collect();
                let of = |class, second| (class, second, address_kind(transfer), transfer.space == Space::Local);
                for (alike, (class, _)) in alike.iter_mut().zip(addresses.iter().take(parts as usize).flatten()) {
                    *alike = Some(of(*class, None));
                }
                if let [Some((first, same)), Some((second, other))] = addresses[..] {
                    alike[2] = (same == other && may_be_simd32(transfer)).then(|| of(first, Some(second)));
                }
            }
            Action::Compute { expression, result, to } if is_whole => {
                let parts = (0..parts).filter_map(|n| self.compute(expression, *result, *to, (n * lanes, lanes)));
                results.extend(parts);
            }
            _ => {}
        }
        writes(step).into_iter().for_each(|row| self.forget(row));
        self.registers.extend(results);
        alike
    }

    fn forget(&mut self, row: effects::Elements) {
        let end = row.at + row.pitch * row.count;
        let near = self.registers.range((row.at.saturating_sub(MOST), 0, 0, 0)..(end, 0, 0, 0));
        let touched = |elements: &Elements| elements.0 + extent(*elements) > row.at;
        let gone: Vec<Elements> = near.map(|(elements, _)| *elements).filter(touched).collect();
        for elements in gone {
            self.registers.remove(&elements);
        }
    }

    /// The class of the addresses of some channels, and what is the same for all of them.
    fn address(&mut self, transfer: &Transfer, (first, lanes): (u32, u32)) -> Option<(usize, usize)> {
        (may_be_contiguous(transfer) && !matches!(transfer.access, Access::Update(_))).then_some(())?;
        let kind = address_kind(transfer);
        let at = match transfer.addresses {
            Addresses::Dwords(at) | Addresses::Qwords(at) => at,
            // Distances of what is extended are not known where a sum has more bits.
            Addresses::None | Addresses::Offsets { .. } => return None,
        };
        let bytes = kind.bytes();
        let Sym::Each { class, same, .. } = self.load((at + first * bytes, bytes, bytes, lanes)) else { return None };
        // What is added is the same for all channels.
        let scale = self.form(kind, kind, Node::Constant(transfer.scale.into()));
        Some((self.form(kind, kind, Node::Binary(Binary::Mul, class, scale)), same))
    }

    /// What a part of a step's channels write.
    fn compute(
        &mut self,
        expression: &Expression,
        result: usize,
        to: u32,
        (first, lanes): (u32, u32),
    ) -> Option<(Elements, Sym)> {
        let mut values: Vec<Sym> = Vec::new();
        for (kind, node) in &expression.nodes {
            let sym = self.node(&expression.nodes, &values, (*kind, *node), first, lanes);
            values.push(sym);
        }
        let bytes = expression.nodes.get(result)?.0.bytes();
        let step = if lanes == 1 { 0 } else { bytes };
        Some(((to + first * bytes, bytes, step, lanes), values[result]))
    }

    fn node(
        &mut self,
        nodes: &[(Kind, Node)],
        values: &[Sym],
        (kind, node): (Kind, Node),
        first: u32,
        lanes: u32,
    ) -> Sym {
        let bytes = kind.bytes();
        // As many bits as addresses have.
        let wide = match bytes {
            4 => Kind::U32,
            _ => Kind::U64,
        };
        let is_linear = !kind.is_float() && bytes >= 4;
        match node {
            Node::Load { at, step } => {
                let step = if lanes == 1 { 0 } else { step };
                let count = if step == 0 { 1 } else { lanes };
                self.load((at + first * step, bytes, step, count))
            }
            Node::Constant(_) => Sym::Same(self.form(kind, kind, node)),
            Node::Unary(unary, a) => {
                let a = values[a];
                let own = self.form(kind, kind, Node::Unary(unary, a.own()));
                match a {
                    Sym::Same(_) => Sym::Same(own),
                    Sym::Each { class, same, .. } if is_linear && unary == Unary::Neg => {
                        self.sum(wide, own, [class, same].map(|part| Node::Unary(unary, part)))
                    }
                    Sym::Each { .. } => self.each(own),
                }
            }
            Node::Binary(binary, a, b) => {
                let (a, b) = (values[a], values[b]);
                let own = self.form(kind, kind, Node::Binary(binary, a.own(), b.own()));
                let both = |a, b| Node::Binary(binary, a, b);
                let is_sum = matches!(binary, Binary::Add | Binary::Sub);
                match (a, b) {
                    (Sym::Same(_), Sym::Same(_)) => Sym::Same(own),
                    _ if !is_linear => self.each(own),
                    (Sym::Each { class, same, .. }, Sym::Same(b)) if is_sum => {
                        Sym::Each { own, class, same: self.form(wide, wide, both(same, b)) }
                    }
                    (Sym::Same(a), Sym::Each { class, same, .. }) if binary == Binary::Add => {
                        Sym::Each { own, class, same: self.form(wide, wide, both(same, a)) }
                    }
                    (Sym::Same(a), Sym::Each { class, same, .. }) if binary == Binary::Sub => {
                        self.sum(wide, own, [Node::Unary(Unary::Neg, class), both(a, same)])
                    }
                    (Sym::Each { class: a, same: b, .. }, Sym::Each { class: c, same: d, .. }) if is_sum => {
                        self.sum(wide, own, [both(a, c), both(b, d)])
                    }
                    (Sym::Each { class, same, .. }, Sym::Same(by)) if matches!(binary, Binary::Mul | Binary::Shl) => {
                        self.sum(wide, own, [both(class, by), both(same, by)])
                    }
                    (Sym::Same(by), Sym::Each { class, same, .. }) if binary == Binary::Mul => {
                        self.sum(wide, own, [both(class, by), both(same, by)])
                    }
                    _ => self.each(own),
                }
            }
            Node::Convert { value, saturate } => {
                let (a, from) = (values[value], nodes[value].0);
                let is_exact = !saturate && !from.is_float() && !kind.is_float();
                if is_exact && from.bytes() == bytes {
                    return a;
                }
                let own = self.form(kind, from, Node::Convert { value: a.own(), saturate });
                match a {
                    Sym::Same(_) => Sym::Same(own),
                    Sym::Each { class, same, .. } if is_exact && is_linear && from.bytes() > bytes => {
                        let [class, same] =
                            [class, same].map(|value| self.form(wide, Kind::U64, Node::Convert { value, saturate }));
                        Sym::Each { own, class, same }
                    }
                    Sym::Each { .. } => self.each(own),
                }
            }
            Node::Fused(..) | Node::Pick(..) | Node::Holds(..) | Node::Call(..) => self.unknown(lanes == 1),
        }
    }

    fn load(&mut self, elements: Elements) -> Sym {
        if let Some(sym) = self.registers.get(&elements) {
            return *sym;
        }
        let sym = self.unknown(elements.2 == 0);
        if extent(elements) <= MOST {
            self.registers.insert(elements, sym);
        }
        sym
    }

    fn unknown(&mut self, is_same: bool) -> Sym {
        self.count += 1;
        if is_same { Sym::Same(self.count) } else { self.each(self.count) }
    }

    /// A value that is its own class.
    fn each(&mut self, own: usize) -> Sym {
        let same = self.form(Kind::U64, Kind::U64, Node::Constant(0));
        Sym::Each { own, class: own, same }
    }

    /// A value whose class and what is added to that are made of numbers.
    fn sum(&mut self, kind: Kind, own: usize, [class, same]: [Node; 2]) -> Sym {
        Sym::Each { own, class: self.form(kind, kind, class), same: self.form(kind, kind, same) }
    }

    fn form(&mut self, kind: Kind, from: Kind, node: Node) -> usize {
        *self.forms.entry((kind, from, node)).or_insert_with(|| {
            self.count += 1;
            self.count
        })
    }
}
