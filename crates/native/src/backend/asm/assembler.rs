//! Instructions into bytes: iced-x86's encoder with labels and constants around it.
//!
//! An instruction that cannot be encoded makes the whole useless, which [`Assembler::finish`] reports.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use crate::backend::asm::op;
use crate::backend::asm::operand::{Last, Op, Vector, Width, is_far};
use crate::backend::asm::pool::ConstantPool;
use crate::backend::asm::stream::{Label, Stream, Target};

/// Code being written: the hot stream and nested cold streams, and the constants that it reads.
pub(crate) struct Assembler {
    streams: Vec<Stream>,
    /// The number of the stream that is written: 0 for hot code.
    depth: usize,
    /// The stream of each label, and the offset in it.
    labels: Vec<Option<(usize, usize)>>,
    pool: ConstantPool,
    /// True until an instruction cannot be encoded.
    is_sound: bool,
}

/// How much of each stream there is.
pub(crate) struct Written {
    lens: Vec<usize>,
    depth: usize,
}

impl Assembler {
    /// Returns one without code.
    pub(crate) fn new() -> Self {
        let streams = vec![Stream::new()];
        Self { streams, depth: 0, labels: Vec::new(), pool: ConstantPool::default(), is_sound: true }
    }

    /// Goes on with code that is not in the way, to which a label has to lead, and which has to
    /// lead back.
    pub(crate) fn enter_cold(&mut self) {
        self.depth += 1;
        if self.depth == self.streams.len() {
            self.streams.push(Stream::new());
        }
    }

    /// Goes on where it was before [`Assembler::enter_cold`].
    pub(crate) fn leave_cold(&mut self) {
        self.depth -= 1;
    }

    /// Returns the bytes of code and constants so far.
    pub(crate) fn len(&self) -> usize {
        self.pool.len() + self.streams.iter().map(|stream| stream.len).sum::<usize>()
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

    /// Returns a constant as an operand, from byte `from` on.
    pub(crate) fn constant_from(&mut self, bytes: Vec<u8>, from: u32) -> MemoryOperand {
        let offset = self.pool.offset(bytes) as i64;
        MemoryOperand::with_base_displ(Register::RIP, offset + i64::from(from))
    }

    /// Returns a constant as an operand.
    pub(crate) fn constant(&mut self, bytes: Vec<u8>) -> MemoryOperand {
        self.constant_from(bytes, 0)
    }

    /// The code with its constants, and where the labels stand; nothing when something went wrong.
    pub(crate) fn finish(mut self) -> Option<(Vec<u8>, Vec<usize>)> {
        let mut bytes = self.pool.into_bytes();
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
