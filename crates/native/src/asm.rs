//! Instructions into bytes: iced-x86's encoder with labels and constants around it.
//!
//! An instruction that cannot be encoded makes the whole useless, which [`Asm::finish`] says.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use crate::op;
use crate::stream::{Stream, Target};

/// A vector register, of 16, 32 or 64 bytes as the instruction says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector(pub(crate) u8);

/// Number of vector registers that all instructions can name; AVX-512 has as many others, the far
/// ones.
pub(crate) const NEAR: usize = 16;

/// How much of a vector register an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width {
    /// 16 bytes.
    X,
    /// 32 bytes.
    Y,
    /// 64 bytes.
    Z,
}

impl Width {
    /// The narrowest for so many bytes.
    pub(crate) fn of(bytes: u32) -> Self {
        match bytes {
            0..=16 => Self::X,
            17..=32 => Self::Y,
            _ => Self::Z,
        }
    }

    /// How many bytes it has.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::X => 16,
            Self::Y => 32,
            Self::Z => 64,
        }
    }
}

impl Vector {
    pub(crate) fn register(self, width: Width) -> Register {
        let first = match width {
            Width::X => Register::XMM0,
            Width::Y => Register::YMM0,
            Width::Z => Register::ZMM0,
        };
        first + u32::from(self.0)
    }
}

/// An instruction on vectors in all widths.
#[derive(Clone, Copy)]
pub(crate) struct Op(pub(crate) Code, pub(crate) Code, pub(crate) Code);

impl Op {
    pub(crate) fn code(self, width: Width) -> Code {
        match width {
            Width::X => self.0,
            Width::Y => self.1,
            Width::Z => self.2,
        }
    }
}

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(usize);

/// Code that is being written: what runs as a rule, what is aside of that, what is aside of this,
/// and so on.
pub(crate) struct Asm {
    streams: Vec<Stream>,
    /// Which of them is being written.
    depth: usize,
    /// The stream and the place in it.
    labels: Vec<Option<(usize, usize)>>,
    /// Constants by their bytes, which stand in front of the code.
    pool: HashMap<Vec<u8>, usize>,
    is_sound: bool,
}

/// How much of each stream there is.
pub(crate) struct Written {
    lens: Vec<usize>,
    depth: usize,
}

/// The last operand of a vector instruction.
pub(crate) enum Last {
    Vector(Vector),
    Memory(MemoryOperand),
}

impl From<Vector> for Last {
    fn from(vector: Vector) -> Self {
        Self::Vector(vector)
    }
}

impl From<MemoryOperand> for Last {
    fn from(memory: MemoryOperand) -> Self {
        Self::Memory(memory)
    }
}

/// Whether only AVX-512 can name a register, which is less than 64 bytes of it.
fn is_far(register: Register) -> bool {
    (Register::XMM16..=Register::XMM31).contains(&register) || (Register::YMM16..=Register::YMM31).contains(&register)
}

/// Memory at a distance from a register.
pub(crate) fn at(base: Register, distance: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, i64::from(distance))
}

/// The same with an index times a factor.
pub(crate) fn indexed(base: Register, index: Register, factor: u32, distance: i64) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(base, index, factor, distance, 1)
}

impl Asm {
    /// Code behind constants, each of which begins at a multiple of 32 bytes.
    pub(crate) fn new(constants: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut bytes = Vec::new();
        let mut pool = HashMap::new();
        for constant in constants {
            if let Entry::Vacant(entry) = pool.entry(constant) {
                bytes.resize(bytes.len().next_multiple_of(32), 0);
                let place = bytes.len();
                bytes.extend_from_slice(entry.key());
                entry.insert(place);
            }
        }
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        Self { streams: vec![Stream::new(bytes)], depth: 0, labels: Vec::new(), pool, is_sound: true }
    }

    /// Goes on with code that is not in the way, to which a label has to lead, and which has to
    /// lead back.
    pub(crate) fn aside(&mut self) {
        self.depth += 1;
        if self.depth == self.streams.len() {
            self.streams.push(Stream::new(Vec::new()));
        }
    }

    /// Goes on where it was before [`Asm::aside`].
    pub(crate) fn back(&mut self) {
        self.depth -= 1;
    }

    /// Returns the bytes of code and constants so far.
    pub(crate) fn len(&self) -> usize {
        self.streams.iter().map(|stream| stream.len).sum()
    }

    /// How much there is.
    pub(crate) fn written(&self) -> Written {
        Written { lens: self.streams.iter().map(|stream| stream.len).collect(), depth: self.depth }
    }

    /// Forgets what has been written since, to which no label leads.
    pub(crate) fn rewind(&mut self, to: &Written) {
        self.depth = to.depth;
        for (n, stream) in self.streams.iter_mut().enumerate() {
            stream.rewind(to.lens.get(n).copied().unwrap_or(0));
        }
    }

    /// A label that stands nowhere yet.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Puts a label here.
    pub(crate) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some((self.depth, self.streams[self.depth].len));
    }

    /// A label that stands here.
    pub(crate) fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    fn put(&mut self, instruction: Result<Instruction, iced_x86::IcedError>) {
        let instruction = instruction.map(|mut instruction| {
            if (0..instruction.op_count()).any(|n| is_far(instruction.op_register(n))) {
                instruction.set_code(op::far(instruction.code()));
            }
            instruction
        });
        if let Err(error) = instruction.and_then(|instruction| self.streams[self.depth].put(&instruction)) {
            debug_assert!(false, "{error}");
            self.is_sound = false;
        }
    }

    /// Jumps, when the code says so.
    pub(crate) fn jump(&mut self, code: Code, label: Label) {
        self.put(Instruction::with_branch(code, 0));
        let stream = &mut self.streams[self.depth];
        stream.distances.push((stream.len.saturating_sub(4), Target::Label(label)));
    }

    /// Without operands.
    pub(crate) fn plain(&mut self, code: Code) {
        self.put(Ok(Instruction::with(code)));
    }

    /// One register.
    pub(crate) fn r(&mut self, code: Code, a: Register) {
        self.put(Instruction::with1(code, a));
    }

    /// Two registers.
    pub(crate) fn rr(&mut self, code: Code, a: Register, b: Register) {
        self.put(Instruction::with2(code, a, b));
    }

    /// Three registers.
    pub(crate) fn rrr(&mut self, code: Code, a: Register, b: Register, c: Register) {
        self.put(Instruction::with3(code, a, b, c));
    }

    /// A register and a number.
    pub(crate) fn ri(&mut self, code: Code, a: Register, value: i32) {
        self.put(Instruction::with2(code, a, value));
    }

    /// A register and a number of 64 bits.
    pub(crate) fn rq(&mut self, a: Register, value: u64) {
        self.put(Instruction::with2(Code::Mov_r64_imm64, a, value));
    }

    /// A register and memory.
    pub(crate) fn rm(&mut self, code: Code, a: Register, memory: MemoryOperand) {
        self.put(Instruction::with2(code, a, memory));
    }

    /// Memory and a register.
    pub(crate) fn mr(&mut self, code: Code, memory: MemoryOperand, a: Register) {
        self.put(Instruction::with2(code, memory, a));
    }

    /// Memory and a register, in one step for all that see the memory.
    pub(crate) fn locked(&mut self, code: Code, memory: MemoryOperand, a: Register) {
        self.put(Instruction::with2(code, memory, a).map(|mut instruction| {
            instruction.set_has_lock_prefix(true);
            instruction
        }));
    }

    /// Memory and a number.
    pub(crate) fn mi(&mut self, code: Code, memory: MemoryOperand, value: i32) {
        self.put(Instruction::with2(code, memory, value));
    }

    /// `d = op(a, b)`.
    pub(crate) fn v3(&mut self, op: Op, w: Width, d: Vector, a: Vector, b: impl Into<Last>) {
        let (code, d, a) = (op.code(w), d.register(w), a.register(w));
        self.put(match b.into() {
            Last::Vector(b) => Instruction::with3(code, d, a, b.register(w)),
            Last::Memory(b) => Instruction::with3(code, d, a, b),
        });
    }

    /// `d = op(a, b)` with a number.
    pub(crate) fn v3i(&mut self, op: Op, w: Width, d: Vector, a: Vector, b: Vector, value: i32) {
        self.put(Instruction::with4(op.code(w), d.register(w), a.register(w), b.register(w), value));
    }

    /// `d = op(a)`, with a source of another width.
    pub(crate) fn v2(&mut self, op: Op, w: Width, d: Vector, a: Vector, from: Width) {
        self.put(Instruction::with2(op.code(w), d.register(w), a.register(from)));
    }

    /// `d = op(a)` with a number.
    pub(crate) fn v2i(&mut self, op: Op, w: Width, d: Vector, a: Vector, value: i32) {
        self.put(Instruction::with3(op.code(w), d.register(w), a.register(w), value));
    }

    /// `d = op(a)` with a number, by a code for registers of these widths.
    pub(crate) fn r2i(&mut self, code: Code, d: Register, a: Register, value: i32) {
        self.put(Instruction::with3(code, d, a, value));
    }

    /// Three registers and a number.
    pub(crate) fn rrri(&mut self, code: Code, [a, b, c]: [Register; 3], value: i32) {
        self.put(Instruction::with4(code, a, b, c, value));
    }

    /// `d = op(a, b, c)`, all of them registers.
    pub(crate) fn v4(&mut self, op: Op, w: Width, d: Vector, a: Vector, b: Vector, c: Vector) {
        self.put(Instruction::with4(op.code(w), d.register(w), a.register(w), b.register(w), c.register(w)));
    }

    /// `a = op(a, b, c)` for operations that replace the first.
    pub(crate) fn load(&mut self, op: Op, w: Width, d: Vector, memory: MemoryOperand) {
        self.put(Instruction::with2(op.code(w), d.register(w), memory));
    }

    /// Writes a vector.
    pub(crate) fn store(&mut self, op: Op, w: Width, memory: MemoryOperand, a: Vector) {
        self.put(Instruction::with2(op.code(w), memory, a.register(w)));
    }

    /// A gather: `d[i] = memory[index[i]]` where the mask says so; it clears the mask.
    pub(crate) fn gather(&mut self, op: Op, w: Width, d: Vector, memory: MemoryOperand, mask: Vector) {
        self.put(Instruction::with3(op.code(w), d.register(w), memory, mask.register(w)));
    }

    /// Reads where a mask says so.
    pub(crate) fn load_where(&mut self, op: Op, w: Width, d: Vector, mask: Vector, memory: MemoryOperand) {
        self.put(Instruction::with3(op.code(w), d.register(w), mask.register(w), memory));
    }

    /// Writes where a mask says so.
    pub(crate) fn store_where(&mut self, op: Op, w: Width, memory: MemoryOperand, mask: Vector, a: Vector) {
        self.put(Instruction::with3(op.code(w), memory, mask.register(w), a.register(w)));
    }

    /// An instruction on the elements whose bits are set; others become zero or stay as they are.
    fn put_where(&mut self, bits: Register, zeros: bool, instruction: Result<Instruction, iced_x86::IcedError>) {
        self.put(instruction.map(|mut instruction| {
            instruction.set_op_mask(bits);
            instruction.set_zeroing_masking(zeros);
            instruction
        }));
    }

    /// `d = yes` where bits say so, else `no`.
    pub(crate) fn blend(&mut self, op: Op, w: Width, d: Vector, [no, yes]: [Vector; 2], bits: Register) {
        let instruction = Instruction::with3(op.code(w), d.register(w), no.register(w), yes.register(w));
        self.put_where(bits, false, instruction);
    }

    /// Reads where bits say so; zero elsewhere.
    pub(crate) fn load_bits(&mut self, op: Op, w: Width, d: Vector, bits: Register, memory: MemoryOperand) {
        self.put_where(bits, true, Instruction::with2(op.code(w), d.register(w), memory));
    }

    /// Writes where bits say so.
    pub(crate) fn store_bits(&mut self, op: Op, w: Width, memory: MemoryOperand, bits: Register, a: Vector) {
        self.put_where(bits, false, Instruction::with2(op.code(w), memory, a.register(w)));
    }

    /// A gather where bits say so; it clears them.
    pub(crate) fn gather_bits(&mut self, op: Op, w: Width, d: Vector, memory: MemoryOperand, bits: Register) {
        self.put_where(bits, false, Instruction::with2(op.code(w), d.register(w), memory));
    }

    /// The elements that bits choose, one behind the other.
    pub(crate) fn compress_bits(&mut self, op: Op, w: Width, d: Vector, bits: Register, a: Vector) {
        self.put_where(bits, true, Instruction::with2(op.code(w), d.register(w), a.register(w)));
    }

    /// The bits of elements that are not zero, of those that other bits choose.
    pub(crate) fn test_bits(&mut self, op: Op, w: Width, to: Register, a: Vector, of: Option<Register>) {
        let instruction = Instruction::with3(op.code(w), to, a.register(w), a.register(w));
        self.put_where(of.unwrap_or(Register::None), false, instruction);
    }

    /// The bits of elements that compare, of those that other bits choose.
    pub(crate) fn compare(
        &mut self,
        op: Op,
        w: Width,
        (to, of): (Register, Option<Register>),
        [a, b]: [Vector; 2],
        relation: i32,
    ) {
        let instruction = Instruction::with4(op.code(w), to, a.register(w), b.register(w), relation);
        self.put_where(of.unwrap_or(Register::None), false, instruction);
    }

    /// Ones in the elements whose bits are set.
    pub(crate) fn ones(&mut self, op: Op, w: Width, d: Vector, bits: Register) {
        self.put(Instruction::with2(op.code(w), d.register(w), bits));
    }

    /// `d` = the upper half of the first 32 or 64 bytes of a register.
    pub(crate) fn upper_half(&mut self, from: Width, d: Vector, a: Vector) {
        let (code, to) = match from {
            Width::Z => (Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, Width::Y),
            _ => (Code::VEX_Vextracti128_xmmm128_ymm_imm8, Width::X),
        };
        self.r2i(code, d.register(to), a.register(from), 1);
    }

    /// Writes the upper half of a register of 64 bytes.
    pub(crate) fn store_upper(&mut self, memory: MemoryOperand, a: Vector) {
        self.put(Instruction::with3(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, memory, a.register(Width::Z), 1));
    }

    /// Replaces the upper half of a register of 64 bytes.
    pub(crate) fn load_upper(&mut self, d: Vector, memory: MemoryOperand) {
        let (code, d) = (Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, d.register(Width::Z));
        self.put(Instruction::with4(code, d, d, memory, 1));
    }

    /// Where what is behind the first bytes of a constant stands.
    pub(crate) fn constant_from(&mut self, bytes: &[u8], from: u32) -> MemoryOperand {
        let memory = self.constant(bytes);
        MemoryOperand { displacement: memory.displacement + i64::from(from), ..memory }
    }

    /// Where a constant stands. One that was not announced makes the code useless.
    pub(crate) fn constant(&mut self, bytes: &[u8]) -> MemoryOperand {
        match self.pool.get(bytes) {
            Some(&place) => MemoryOperand::with_base_displ(Register::RIP, place as i64),
            None => {
                debug_assert!(false, "{bytes:?} was not announced");
                self.is_sound = false;
                MemoryOperand::with_base(Register::RAX)
            }
        }
    }

    /// The code with its constants, and where the labels stand; nothing when something went wrong.
    pub(crate) fn finish(mut self) -> Option<(Vec<u8>, Vec<usize>)> {
        let mut bytes = Vec::new();
        let mut begins = Vec::new();
        for stream in &mut self.streams {
            begins.push(bytes.len());
            bytes.append(&mut stream.encoder.take_buffer());
        }
        let labels: Vec<Option<usize>> =
            self.labels.iter().map(|label| label.map(|(stream, place)| begins[stream] + place)).collect();
        for (stream, begin) in self.streams.iter().zip(&begins) {
            for (place, target) in &stream.distances {
                let field = bytes.get_mut(begin + place..begin + place + 4)?;
                let distance = match target {
                    Target::Label(label) => labels[label.0]? as i64 - (begin + place + 4) as i64,
                    Target::Constant => i64::from(i32::from_le_bytes((*field).try_into().ok()?)) - *begin as i64,
                };
                field.copy_from_slice(&i32::try_from(distance).ok()?.to_le_bytes());
            }
        }
        self.is_sound.then_some(())?;
        Some((bytes, labels.into_iter().map(|place| place.unwrap_or(usize::MAX)).collect()))
    }
}

impl Label {
    /// Its number.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}
