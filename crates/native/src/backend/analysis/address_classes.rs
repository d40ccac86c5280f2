//! Address classes: transfers of a block whose channels lie equally far apart. Their addresses
//! differ by a value that is uniform over the channels, so one test of contiguity serves all of
//! them.
//!
//! The analysis is value numbering: values with equal numbers are equal. It takes a value of many
//! channels as the sum of a class and a uniform part, modulo two to the number of its bits. All of
//! it holds where all channels of the block are active.

use std::collections::{BTreeMap, HashMap};

use crate::backend::analysis::contiguity::{Pair, may_be_contiguous, may_be_simd32};
use crate::backend::analysis::effects::{self, writes};
use crate::ir::{Access, Action, Addresses, Binary, Block, Expression, Kind, Node, Space, Step, Transfer, Unary};

/// Maximum number of address classes of a block.
pub(crate) const FLAGS: u32 = 64;

/// The address class of a transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressClass {
    /// The number of the class in its block: that of the byte that holds the channels' distance
    /// once it is known.
    pub(crate) flag: u32,
    /// True for the first transfer of the class.
    pub(crate) is_first: bool,
    /// True if any transfer of the class moves single bytes.
    pub(crate) has_bytes: bool,
}

/// The address classes of a step: those of its two halves of 16 channels, and that of all 32
/// channels or of a pair of steps. A step of at most 16 channels has the first alone.
pub(crate) type StepClasses = [Option<AddressClass>; 3];

/// Returns the address classes of each step, and their number. `pairs` has the pair that begins
/// with each step.
pub(crate) fn classes(block: &Block, pairs: &[Option<Pair<'_>>]) -> (Vec<StepClasses>, u32) {
    let mut numbers = Numbers::default();
    let all: Vec<[Option<ClassKey>; 3]> =
        block.steps.iter().zip(pairs).map(|(step, pair)| numbers.step(step, pair.is_some())).collect();
    let mut groups: HashMap<ClassKey, (u32, bool)> = HashMap::new();
    for (step, parts) in block.steps.iter().zip(&all) {
        let is_bytes = matches!(&step.action, Action::Transfer(transfer) if transfer.unit.bytes() == 1);
        for key in parts.iter().flatten() {
            let (count, has_bytes) = groups.entry(*key).or_default();
            (*count, *has_bytes) = (*count + 1, *has_bytes | is_bytes);
        }
    }
    let mut flags: HashMap<ClassKey, u32> = HashMap::new();
    let mut assign = |key: ClassKey| {
        let (count, has_bytes) = groups[&key];
        let (next, is_first) = (flags.len() as u32, !flags.contains_key(&key));
        (count > 1 && (!is_first || next < FLAGS)).then_some(())?;
        Some(AddressClass { flag: *flags.entry(key).or_insert(next), is_first, has_bytes })
    };
    let classes = all.into_iter().map(|parts| parts.map(|key| key.and_then(&mut assign))).collect();
    (classes, flags.len() as u32)
}

/// The identity of a class: the numbers of one half or of both, the kind of addresses, and true for
/// local memory, where fewer bits of an address count.
type ClassKey = (usize, Option<usize>, Kind, bool);

/// A symbolic value.
#[derive(Clone, Copy, Debug)]
enum SymbolicValue {
    /// Uniform over the channels.
    Same(usize),
    Each {
        own: usize,
        class: usize,
        /// The uniform part.
        same: usize,
    },
}

impl SymbolicValue {
    fn own(self) -> usize {
        let (Self::Same(own) | Self::Each { own, .. }) = self;
        own
    }
}

/// Elements of the registers: the place of the first, the bytes of each, the distance from one to
/// the next, and their number.
type Elements = (u32, u32, u32, u32);

/// Returns the number of bytes from the first element to the end of the last.
fn extent((_, bytes, step, count): Elements) -> u32 {
    bytes + step * (count - 1)
}

/// Returns the kind of a transfer's addresses.
fn address_kind(transfer: &Transfer) -> Kind {
    if let Addresses::Qwords(_) = transfer.addresses { Kind::U64 } else { Kind::U32 }
}

/// Returns the unsigned integer kind of the same size.
fn wide(kind: Kind) -> Kind {
    if kind.bytes() == 4 { Kind::U32 } else { Kind::U64 }
}

/// Returns true for integers of an address's size, whose arithmetic is that of addresses.
fn is_linear(kind: Kind) -> bool {
    !kind.is_float() && kind.bytes() >= 4
}

/// The value numbers of a block.
#[derive(Default)]
struct Numbers {
    /// The number of each expression whose operands are numbers, by its kind and the kind of its
    /// first operand.
    forms: HashMap<(Kind, Kind, Node), usize>,
    count: usize,
    /// The values of elements in the registers.
    registers: BTreeMap<Elements, SymbolicValue>,
}

/// Elements that span more bytes are not tracked.
const MOST: u32 = 1024;

impl Numbers {
    /// Numbers the values of a step, and returns the keys of its classes.
    fn step(&mut self, step: &Step, begins_pair: bool) -> [Option<ClassKey>; 3] {
        let mut keys = [None; 3];
        let mask = &step.mask;
        let lanes = mask.lanes.count_ones();
        let is_whole = mask.predicate == 0 && mask.lanes.trailing_ones() == lanes;
        let (parts, lanes) = if lanes == 32 { (2_u32, 16) } else { (1, lanes) };
        let mut results = Vec::new();
        match &step.action {
            Action::Outside | Action::Indirect(_) | Action::Control { .. } => self.registers.clear(),
            Action::Transfer(transfer) if is_whole && matches!(lanes, 8 | 16) => {
                let is_pair = parts == 2 || begins_pair;
                let addresses: Vec<_> =
                    (0..=u32::from(is_pair)).map(|n| self.address(transfer, (n * lanes, lanes))).collect();
                let of = |class, second| {
                    (class, second, address_kind(transfer), matches!(transfer.space, Space::Local { .. }))
                };
                for (key, (class, _)) in keys.iter_mut().zip(addresses.iter().take(parts as usize).flatten()) {
                    *key = Some(of(*class, None));
                }
                if let [Some((first, same)), Some((second, other))] = addresses[..] {
                    keys[2] = (same == other && may_be_simd32(transfer)).then(|| of(first, Some(second)));
                }
            }
            Action::Compute { expression, results: assigned, pitch: None } if is_whole => {
                // Of several results, one may overwrite another.
                if let [(result, to)] = assigned[..] {
                    let parts = (0..parts).filter_map(|n| self.compute(expression, result, to, (n * lanes, lanes)));
                    results.extend(parts);
                }
            }
            _ => {}
        }
        writes(step).into_iter().for_each(|row| self.forget(row));
        self.registers.extend(results);
        keys
    }

    /// Forgets the elements that a write touches.
    fn forget(&mut self, row: effects::Elements) {
        let end = row.at + row.pitch * row.count;
        let near = self.registers.range((row.at.saturating_sub(MOST), 0, 0, 0)..(end, 0, 0, 0));
        let touched = |elements: &Elements| elements.0 + extent(*elements) > row.at;
        let gone: Vec<Elements> = near.map(|(elements, _)| *elements).filter(touched).collect();
        for elements in gone {
            self.registers.remove(&elements);
        }
    }

    /// Returns the class and the uniform part of the addresses of `lanes` channels from `first` on.
    fn address(&mut self, transfer: &Transfer, (first, lanes): (u32, u32)) -> Option<(usize, usize)> {
        (may_be_contiguous(transfer) && !matches!(transfer.access, Access::Update(_))).then_some(())?;
        let kind = address_kind(transfer);
        let at = match transfer.addresses {
            Addresses::Dwords(at) | Addresses::Qwords(at) => at,
            // An extended offset has fewer bits than the sum, so its class is unknown.
            Addresses::None | Addresses::Offsets { .. } => return None,
        };
        let bytes = kind.bytes();
        let SymbolicValue::Each { class, same, .. } = self.load((at + first * bytes, bytes, bytes, lanes)) else {
            return None;
        };
        // The addend is uniform.
        let scale = self.form(kind, kind, Node::Constant(transfer.scale.into()));
        Some((self.form(kind, kind, Node::Binary(Binary::Mul, class, scale)), same))
    }

    /// Returns the elements that a step writes for `lanes` channels from `first` on, and their
    /// value.
    fn compute(
        &mut self,
        expression: &Expression,
        result: usize,
        to: u32,
        (first, lanes): (u32, u32),
    ) -> Option<(Elements, SymbolicValue)> {
        let mut values: Vec<SymbolicValue> = Vec::new();
        for (kind, node) in &expression.nodes {
            let sym = self.node(&expression.nodes, &values, (*kind, *node), first, lanes);
            values.push(sym);
        }
        let bytes = expression.nodes.get(result)?.0.bytes();
        let step = if lanes == 1 { 0 } else { bytes };
        Some(((to + first * bytes, bytes, step, lanes), values[result]))
    }

    /// Numbers the value of a node.
    fn node(
        &mut self,
        nodes: &[(Kind, Node)],
        values: &[SymbolicValue],
        (kind, node): (Kind, Node),
        first: u32,
        lanes: u32,
    ) -> SymbolicValue {
        let bytes = kind.bytes();
        let (wide, is_linear) = (wide(kind), is_linear(kind));
        match node {
            Node::Load { at, step } => {
                let step = if lanes == 1 { 0 } else { step };
                let count = if step == 0 { 1 } else { lanes };
                self.load((at + first * step, bytes, step, count))
            }
            Node::Constant(_) => SymbolicValue::Same(self.form(kind, kind, node)),
            Node::Unary(unary, a) => {
                let a = values[a];
                let own = self.form(kind, kind, Node::Unary(unary, a.own()));
                match a {
                    SymbolicValue::Same(_) => SymbolicValue::Same(own),
                    SymbolicValue::Each { class, same, .. } if is_linear && unary == Unary::Neg => {
                        self.sum(wide, own, [class, same].map(|part| Node::Unary(unary, part)))
                    }
                    SymbolicValue::Each { .. } => self.each(own),
                }
            }
            Node::Binary(binary, a, b) => self.binary(kind, binary, [values[a], values[b]]),
            Node::Convert { value, saturate } => self.convert(kind, nodes[value].0, values[value], saturate),
            Node::Fused(..) | Node::Pick(..) | Node::Holds(..) | Node::Call(..) => self.unknown(lanes == 1),
        }
    }

    /// Numbers the value of an operation of two operands.
    fn binary(&mut self, kind: Kind, binary: Binary, [a, b]: [SymbolicValue; 2]) -> SymbolicValue {
        let (wide, is_linear) = (wide(kind), is_linear(kind));
        let own = self.form(kind, kind, Node::Binary(binary, a.own(), b.own()));
        let both = |a, b| Node::Binary(binary, a, b);
        let is_sum = matches!(binary, Binary::Add | Binary::Sub);
        match (a, b) {
            (SymbolicValue::Same(_), SymbolicValue::Same(_)) => SymbolicValue::Same(own),
            _ if !is_linear => self.each(own),
            (SymbolicValue::Each { class, same, .. }, SymbolicValue::Same(b)) if is_sum => {
                SymbolicValue::Each { own, class, same: self.form(wide, wide, both(same, b)) }
            }
            (SymbolicValue::Same(a), SymbolicValue::Each { class, same, .. }) if binary == Binary::Add => {
                SymbolicValue::Each { own, class, same: self.form(wide, wide, both(same, a)) }
            }
            (SymbolicValue::Same(a), SymbolicValue::Each { class, same, .. }) if binary == Binary::Sub => {
                self.sum(wide, own, [Node::Unary(Unary::Neg, class), both(a, same)])
            }
            (SymbolicValue::Each { class: a, same: b, .. }, SymbolicValue::Each { class: c, same: d, .. })
                if is_sum =>
            {
                self.sum(wide, own, [both(a, c), both(b, d)])
            }
            (SymbolicValue::Each { class, same, .. }, SymbolicValue::Same(by))
                if matches!(binary, Binary::Mul | Binary::Shl) =>
            {
                self.sum(wide, own, [both(class, by), both(same, by)])
            }
            (SymbolicValue::Same(by), SymbolicValue::Each { class, same, .. }) if binary == Binary::Mul => {
                self.sum(wide, own, [both(class, by), both(same, by)])
            }
            _ => self.each(own),
        }
    }

    /// Numbers the value of a conversion.
    fn convert(&mut self, kind: Kind, from: Kind, a: SymbolicValue, saturate: bool) -> SymbolicValue {
        let (bytes, wide, is_linear) = (kind.bytes(), wide(kind), is_linear(kind));
        let is_exact = !saturate && !from.is_float() && !kind.is_float();
        if is_exact && from.bytes() == bytes {
            return a;
        }
        let own = self.form(kind, from, Node::Convert { value: a.own(), saturate });
        match a {
            SymbolicValue::Same(_) => SymbolicValue::Same(own),
            SymbolicValue::Each { class, same, .. } if is_exact && is_linear && from.bytes() > bytes => {
                let [class, same] =
                    [class, same].map(|value| self.form(wide, Kind::U64, Node::Convert { value, saturate }));
                SymbolicValue::Each { own, class, same }
            }
            SymbolicValue::Each { .. } => self.each(own),
        }
    }

    /// Returns the value of elements in the registers.
    fn load(&mut self, elements: Elements) -> SymbolicValue {
        if let Some(sym) = self.registers.get(&elements) {
            return *sym;
        }
        let sym = self.unknown(elements.2 == 0);
        if extent(elements) <= MOST {
            self.registers.insert(elements, sym);
        }
        sym
    }

    /// Returns a new value.
    fn unknown(&mut self, is_same: bool) -> SymbolicValue {
        self.count += 1;
        if is_same { SymbolicValue::Same(self.count) } else { self.each(self.count) }
    }

    /// Returns a value that is its own class.
    fn each(&mut self, own: usize) -> SymbolicValue {
        let same = self.form(Kind::U64, Kind::U64, Node::Constant(0));
        SymbolicValue::Each { own, class: own, same }
    }

    /// Returns a value from the expressions of its class and its uniform part.
    fn sum(&mut self, kind: Kind, own: usize, [class, same]: [Node; 2]) -> SymbolicValue {
        SymbolicValue::Each { own, class: self.form(kind, kind, class), same: self.form(kind, kind, same) }
    }

    /// Returns the number of an expression.
    fn form(&mut self, kind: Kind, from: Kind, node: Node) -> usize {
        *self.forms.entry((kind, from, node)).or_insert_with(|| {
            self.count += 1;
            self.count
        })
    }
}
