//! What all of the code stands on: the registers of the host and their roles, masks, values that
//! are loaded once.

use std::collections::HashMap;

use iced_x86::{Code, MemoryOperand, Register};

use crate::alike::Members;
use crate::asm::{Asm, Label, Vector, Width, at};
use crate::cache::{Bits, Bytes, Cache, Known, Tag};
use crate::frame::offset;
use crate::ir::{Combine, Expression, Function, Kind, Mask, Node, Routine, Value};
use crate::live::{Here, Live};
use crate::op;

/// The frame: what the caller gives ([`crate::frame`]).
pub(crate) const FRAME: Register = Register::RBX;
/// The register file.
pub(crate) const FILE: Register = Register::RBP;
/// The active channels.
pub(crate) const ACTIVE: Register = Register::R12D;
/// Instructions so far.
pub(crate) const EXECUTED: Register = Register::R13;
/// The predicates.
pub(crate) const PREDICATES: Register = Register::R14;
/// For each block, the channels that wait there.
pub(crate) const WAITING: Register = Register::R15;
/// The channels that a step is for, while it is known.
pub(crate) const ENABLED: Register = Register::R8D;

/// How many vector registers a step finds free.
const ROOM: usize = 8;

/// Code of a routine that is being written.
pub(crate) struct Emitter<'a> {
    pub(crate) asm: Asm,
    pub(crate) routine: &'a Routine,
    pub(crate) cache: Cache,
    /// Whether the code is for all channels that steps have being active.
    pub(crate) is_full: bool,
    /// Whether what is written now is on some ways only.
    pub(crate) is_branching: bool,
    /// Which registers matter.
    pub(crate) live: &'a Live,
    /// Which do behind the step, and which do of channels that are not active.
    pub(crate) behind: Here,
    pub(crate) of_others: Here,
    /// The first step of the block, and for each of its steps what transfers are alike.
    pub(crate) first_step: u32,
    pub(crate) members: Vec<Members>,
    pub(crate) flags: u32,
    /// Whose channels are in [`ENABLED`].
    pub(crate) enabled: Option<Mask>,
    /// Whether there are registers for bits, and vectors of 64 bytes: AVX-512.
    pub(crate) has_bits: bool,
    /// Elements of the table of states that are known here.
    pub(crate) states: HashMap<u32, u32>,
    /// Where the entry of a transfer's buffer stands, in bytes from the register on that was found
    /// for it.
    pub(crate) place: u32,
    /// Where an exit with a number is.
    pub(crate) leave: Label,
    /// Where threads begin in turn.
    pub(crate) in_turn: Label,
    /// What is written when all blocks are.
    pub(crate) later: Vec<Later>,
    /// What is called.
    pub(crate) functions: Vec<Function>,
}

/// Code that is written when it is known what is asked for behind.
pub(crate) enum Later {
    /// Lets the caller do a step, and comes back with what the registers held.
    Outside {
        from: Label,
        step: u32,
        back: Label,
        known: Known,
        unwritten: Vec<(Vector, Bytes)>,
        is_full: bool,
        flags: u32,
    },
    /// Comes back with what the registers held, of which some is there.
    Restore { from: Label, back: Label, known: Known, before: Known, is_full: bool },
}

/// Bits of an instruction's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enabled {
    /// All of them.
    All,
    /// Those in [`ENABLED`].
    Some,
}

/// The bits of single channels, as elements of so many bytes. For bytes they repeat.
pub(crate) fn channel_bits(bytes: u32, first: u32) -> Vec<u8> {
    let count = 32 / bytes;
    (0..count)
        .flat_map(|lane| {
            let bit = match bytes {
                1 => 1_u64 << (lane % 8),
                2 => 1 << lane,
                _ => 1 << (first + lane),
            };
            bit.to_le_bytes().into_iter().take(bytes as usize)
        })
        .collect()
}

/// Which byte of a mask each of 32 channels finds its bit in.
pub(crate) fn byte_places() -> Vec<u8> {
    (0..32_u8).map(|n| n / 8).collect()
}

/// Which bytes have the low `to` of every `from` bytes, in each half of a register.
pub(crate) fn low_parts(from: u32, to: u32) -> Vec<u8> {
    let half = (0..16 / from).flat_map(|n| (0..to).map(move |byte| (n * from + byte) as u8));
    let mut half: Vec<u8> = half.collect();
    half.resize(16, 0x80);
    [half.clone(), half].concat()
}

/// A number as the bytes of an element.
pub(crate) fn bytes_of(bits: u64, bytes: u32) -> Vec<u8> {
    bits.to_le_bytes()[..bytes as usize].to_vec()
}

/// The distances of 32 channels from the first, each so many bytes from the next.
pub(crate) fn steps(size: u32) -> Vec<u8> {
    (0..32).flat_map(|n| (n * size).to_le_bytes()).collect()
}

/// The places of the low dwords of 16 qwords, or of the high ones.
pub(crate) fn dword_places(is_high: bool) -> Vec<u8> {
    (0..16_u32).flat_map(|n| (n * 2 + u32::from(is_high)).to_le_bytes()).collect()
}

/// All constants that the code may name beside those of its expressions.
pub(crate) fn fixed_constants() -> Vec<Vec<u8>> {
    let mut all = vec![byte_places(), dword_places(false), dword_places(true)];
    all.extend([1, 2, 4, 8, 16].map(steps));
    all.extend(crate::weave::constants());
    all.extend([1, 2].map(|bytes| channel_bits(bytes, 0)));
    all.extend((0..8).map(|unit| channel_bits(4, unit * 4)));
    all.extend((0..8).map(|unit| channel_bits(8, unit * 4)));
    for (from, to) in [(2, 1), (4, 1), (8, 1), (4, 2), (8, 2), (8, 4)] {
        all.push(low_parts(from, to));
    }
    for bytes in [1, 2, 4, 8] {
        let bits = bytes * 8;
        let sign = 1_u64 << (bits - 1);
        all.extend([sign, sign - 1, u64::MAX >> (64 - bits)].map(|value| bytes_of(value, bytes)));
    }
    // Bounds of integers among wider ones, and among floats.
    for bits in [8, 16_u32] {
        let (low, high) = (0_u32.wrapping_sub(1 << (bits - 1)), (1_u32 << (bits - 1)) - 1);
        all.extend([low, high, (1 << bits) - 1].map(|value| bytes_of(value.into(), 4)));
    }
    all.extend([1.0_f32, 2147483648.0, 4294967296.0].map(|value| value.to_le_bytes().to_vec()));
    all.extend([1.0_f64, 4503599627370496.0].map(|value| value.to_le_bytes().to_vec()));
    all.extend([1, 3, 8, 16, 24, 32, 64, 0x00ff_ffff, 0x0fff_ffff].map(|value| bytes_of(value, 4)));
    // What is beside the low bytes of a dword.
    all.extend([8, 16, 24].map(|bits| bytes_of(u64::from(u32::MAX << bits), 4)));
    all.push(bytes_of(64, 8));
    all
}

impl Emitter<'_> {
    /// The widest vectors that there are.
    pub(crate) fn widest(&self) -> Width {
        if self.has_bits { Width::Z } else { Width::Y }
    }

    /// Writes code that is not in the way, with what is known here; a label has to lead there, and
    /// it has to lead back.
    pub(crate) fn aside<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let (cache, enabled) = (self.cache.clone(), self.enabled);
        self.asm.aside();
        let result = write(self);
        self.asm.back();
        let there = std::mem::replace(&mut self.cache, cache);
        self.cache.lose(&there);
        self.enabled = enabled;
        result
    }

    /// Whether what channels that are not active have in some bytes does not matter, which those of
    /// a mask write.
    pub(crate) fn may_spoil(&self, mask: &Mask, place: Bytes) -> bool {
        mask.predicate == 0 && !self.is_full && !self.of_others.touch(place.at, place.bytes)
    }

    /// Whether all channels of a mask are enabled wherever this is.
    pub(crate) fn is_all(&self, mask: &Mask) -> bool {
        mask.predicate == 0 && (mask.always || self.is_full)
    }

    /// Makes of a mask the bits of its channels.
    pub(crate) fn enabled(&mut self, mask: &Mask) -> Enabled {
        if self.is_all(mask) {
            return Enabled::All;
        }
        let by_active = !mask.always && !self.is_full;
        if self.enabled == Some(*mask) {
            return Enabled::Some;
        }
        let lanes = mask.lanes as i32;
        let shifted = |asm: &mut Asm, register| {
            if mask.shift > 0 {
                asm.ri(Code::Shr_rm32_imm8, register, mask.shift as i32);
            }
        };
        if mask.predicate == 0 {
            self.asm.rr(Code::Mov_r32_rm32, ENABLED, ACTIVE);
            shifted(&mut self.asm, ENABLED);
        } else {
            if self.known_bits(mask).is_none() {
                self.asm.rm(Code::Mov_r32_rm32, ENABLED, at(PREDICATES, mask.predicate * 4));
                shifted(&mut self.asm, ENABLED);
            }
            match mask.combine {
                Combine::Each => {}
                Combine::Any => {
                    self.asm.ri(Code::And_rm32_imm32, ENABLED, lanes);
                    self.asm.r(Code::Neg_rm32, ENABLED);
                    self.asm.rr(Code::Sbb_r32_rm32, ENABLED, ENABLED);
                }
                Combine::All => {
                    self.asm.ri(Code::And_rm32_imm32, ENABLED, lanes);
                    self.asm.ri(Code::Xor_rm32_imm32, ENABLED, lanes);
                    self.asm.ri(Code::Cmp_rm32_imm8, ENABLED, 1);
                    self.asm.rr(Code::Sbb_r32_rm32, ENABLED, ENABLED);
                }
            }
            if mask.inverse {
                self.asm.r(Code::Not_rm32, ENABLED);
            }
            if by_active {
                self.asm.rr(Code::Mov_r32_rm32, Register::ECX, ACTIVE);
                shifted(&mut self.asm, Register::ECX);
                self.asm.rr(Code::And_r32_rm32, ENABLED, Register::ECX);
            }
        }
        if mask.lanes != u32::MAX {
            self.asm.ri(Code::And_rm32_imm32, ENABLED, lanes);
        }
        self.enabled = Some(*mask);
        Enabled::Some
    }

    /// Loads again what registers held, but for what they held before and still do.
    pub(crate) fn restore(&mut self, known: Known, before: Option<&Known>, is_full: bool) {
        (self.is_full, self.enabled) = (is_full, None);
        for (vector, tag) in self.cache.asked_since(known, before) {
            if let Tag::Enabled { mask, first, bytes, .. } = tag {
                self.enabled(&mask);
                self.spread_bits(vector, first, bytes);
            } else if let Tag::Bits { mask, first } = tag {
                self.load_bits(Bits(vector), &mask, first);
            } else {
                self.load(vector, &tag);
            }
        }
    }

    /// A register with something that can be loaded, which one more user needs.
    pub(crate) fn value(&mut self, tag: Tag) -> Option<Vector> {
        if let Some(found) = self.cache.find(&tag) {
            return Some(found);
        }
        // The upper half of what is known.
        if let Tag::Row { at, bytes: bytes @ (16 | 32) } = tag
            && let Some(whole) =
                at.checked_sub(bytes).and_then(|at| self.cache.find(&Tag::Row { at, bytes: bytes * 2 }))
        {
            let part = self.cache.take();
            self.cache.drop(whole);
            let part = part?;
            self.asm.upper_half(Width::of(bytes * 2), part, whole);
            self.cache.name(part, tag);
            return Some(part);
        }
        if let Tag::Row { at, bytes } | Tag::Splat { at, bytes, .. } = tag {
            self.write_what(|place| place.touches(Bytes { at, bytes }))?;
        }
        let d = self.cache.take()?;
        self.load(d, &tag);
        self.cache.name(d, tag);
        Some(d)
    }

    /// Writes what has not been written of some places. Nothing where that is not on every way.
    pub(crate) fn write_what(&mut self, which: impl Fn(Bytes) -> bool) -> Option<()> {
        while let Some((vector, place)) = self.cache.unwritten_of(&which) {
            (!self.is_branching).then_some(())?;
            self.store_row(place.at, place.bytes, vector);
            self.cache.settle(vector);
        }
        Some(())
    }

    /// Writes what has not been written of some bytes that a step is about to write all of, but for
    /// what it replaces.
    pub(crate) fn give_way(&mut self, place: Bytes) -> Option<()> {
        self.write_what(|other| other.touches(place) && !other.is_inside(place))
    }

    /// Need not write what does not matter any more.
    pub(crate) fn settle_dead(&mut self) {
        let behind = &self.behind;
        while let Some((vector, _)) = self.cache.unwritten_of(|place| !behind.touch(place.at, place.bytes)) {
            self.cache.settle(vector);
        }
    }

    /// Sees to it that there are vector registers for a step.
    pub(crate) fn make_room(&mut self) {
        while let Some(vector) = self.cache.in_the_way(ROOM) {
            if let Some(place) = self.cache.owed(vector) {
                self.store_row(place.at, place.bytes, vector);
            }
            self.cache.settle(vector);
        }
    }

    /// Loads something that does not depend on masks.
    pub(crate) fn load(&mut self, d: Vector, tag: &Tag) {
        let x = d.register(Width::X);
        match *tag {
            Tag::Row { at: place, bytes } => {
                let memory = at(FILE, place);
                match bytes {
                    16 | 32 | 64 => self.asm.load(op::MOVUPS, Width::of(bytes), d, memory),
                    8 => self.asm.rm(Code::VEX_Vmovq_xmm_xmmm64, x, memory),
                    4 => self.asm.rm(Code::VEX_Vmovd_xmm_rm32, x, memory),
                    _ => {
                        let code = if bytes == 2 { Code::Movzx_r32_rm16 } else { Code::Movzx_r32_rm8 };
                        self.asm.rm(code, Register::EDX, memory);
                        self.asm.rr(Code::VEX_Vmovd_xmm_rm32, x, Register::EDX);
                    }
                }
            }
            Tag::Splat { at: place, bytes, width } => {
                self.asm.load(broadcast(bytes), width, d, at(FILE, place));
            }
            Tag::Number { bits: 0, .. } => self.asm.v3(op::PXOR, Width::X, d, d, d),
            Tag::Number { bits, bytes, width } => {
                let constant = self.asm.constant(&bytes_of(bits, bytes));
                self.asm.load(broadcast(bytes), width, d, constant);
            }
            Tag::Enabled { .. } | Tag::Bits { .. } => {}
        }
    }

    /// A number in all elements.
    pub(crate) fn number(&mut self, bits: u64, bytes: u32, width: Width) -> Option<Vector> {
        self.value(Tag::Number { bits, bytes, width })
    }

    /// Writes the first `bytes` bytes of a vector to the registers.
    pub(crate) fn store_row(&mut self, place: u32, bytes: u32, a: Vector) {
        self.store_bytes(at(FILE, place), bytes, a);
    }

    /// Writes the first `bytes` bytes of a vector.
    pub(crate) fn store_bytes(&mut self, memory: MemoryOperand, bytes: u32, a: Vector) {
        let x = a.register(Width::X);
        match bytes {
            16 | 32 | 64 => self.asm.store(op::MOVUPS_STORE, Width::of(bytes), memory, a),
            8 => self.asm.mr(Code::VEX_Vmovq_xmmm64_xmm, memory, x),
            4 => self.asm.mr(Code::VEX_Vmovd_rm32_xmm, memory, x),
            _ => {
                self.asm.rr(Code::VEX_Vmovd_rm32_xmm, Register::EDX, x);
                if bytes == 2 {
                    self.asm.mr(Code::Mov_rm16_r16, memory, Register::DX);
                } else {
                    self.asm.mr(Code::Mov_rm8_r8, memory, Register::DL);
                }
            }
        }
    }

    /// Forgets what is known of transfers that are alike.
    pub(crate) fn forget_alike(&mut self) {
        for qword in 0..self.flags.div_ceil(8) {
            self.asm.mi(Code::Mov_rm64_imm32, at(FRAME, offset::ALIKE + qword * 8), 0);
        }
    }

    /// Something in the frame.
    pub(crate) fn frame(&mut self, register: Register, place: u32) {
        self.asm.rm(Code::Mov_r64_rm64, register, at(FRAME, place));
    }

    /// Counts a step and its channels, if they are counted.
    pub(crate) fn count(&mut self, step: u32, mask: &Mask) {
        if !self.routine.count {
            return;
        }
        match self.enabled(mask) {
            Enabled::All => self.asm.ri(Code::Mov_r32_imm32, Register::EAX, mask.lanes.count_ones() as i32),
            Enabled::Some => self.asm.rr(Code::Popcnt_r32_rm32, Register::EAX, ENABLED),
        }
        self.frame(Register::RDX, offset::COUNTS);
        self.asm.mi(Code::Add_rm64_imm8, at(Register::RDX, step * 16), 1);
        self.asm.mr(Code::Add_rm64_r64, at(Register::RDX, step * 16 + 8), Register::RAX);
    }

    /// What a node is for all channels, where that is known.
    pub(crate) fn known(&self, expression: &Expression, value: Value) -> Option<u64> {
        let (kind, node) = expression.nodes.get(value)?;
        match node {
            Node::Constant(bits) => Some(*bits),
            Node::Binary(crate::ir::Binary::And, a, b) => {
                Some(self.known(expression, *a)? & self.known(expression, *b)?)
            }
            Node::Convert { value, saturate: false } => {
                let from = expression.nodes.get(*value)?.0;
                let is_same = !from.is_float() && !kind.is_float() && from.bytes() >= kind.bytes();
                let bits = self.known(expression, *value).filter(|_| is_same)?;
                Some(bits & u64::MAX >> (64 - kind.bytes() * 8))
            }
            _ => None,
        }
    }
}

/// The instruction that puts an element everywhere.
fn broadcast(bytes: u32) -> crate::asm::Op {
    match bytes {
        1 => op::BROADCASTB,
        2 => op::BROADCASTW,
        4 => op::BROADCASTSS,
        _ => op::BROADCASTQ,
    }
}

/// What an expression's numbers need.
pub(crate) fn constants_of(expression: &Expression) -> impl Iterator<Item = Vec<u8>> + '_ {
    expression.nodes.iter().filter_map(|(kind, node): &(Kind, Node)| match node {
        Node::Constant(bits) => Some(bytes_of(*bits, kind.bytes())),
        _ => None,
    })
}
