//! The assembler: the encoder of iced-x86 with labels, cold streams and constants.
//!
//! An instruction that cannot be encoded makes [`Assembler::finish`] fail.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use crate::backend::asm::op;
use crate::backend::asm::operand::{LastOperand, Op, Vector, Width, is_far};
use crate::backend::asm::pool::ConstantPool;
use crate::backend::asm::stream::{DistanceTarget, Label, Stream};

/// Code being written: the hot stream and nested cold streams, and the constants that it reads.
pub(crate) struct Assembler {
    streams: Vec<Stream>,
    /// The number of the current stream: 0 for hot code.
    depth: usize,
    /// The stream and the offset of each label.
    labels: Vec<Option<(usize, usize)>>,
    pool: ConstantPool,
    /// True until an instruction cannot be encoded.
    is_sound: bool,
}

/// The length of each stream.
pub(crate) struct StreamLengths {
    lens: Vec<usize>,
    depth: usize,
}

impl Assembler {
    /// Returns an empty assembler.
    pub(crate) fn new() -> Self {
        let streams = vec![Stream::new()];
        Self { streams, depth: 0, labels: Vec::new(), pool: ConstantPool::default(), is_sound: true }
    }

    /// Starts a cold stream. A label must lead to it, and its code must lead back.
    pub(crate) fn enter_cold(&mut self) {
        self.depth += 1;
        if self.depth == self.streams.len() {
            self.streams.push(Stream::new());
        }
    }

    /// Returns to the stream before [`Assembler::enter_cold`].
    pub(crate) fn leave_cold(&mut self) {
        self.depth -= 1;
    }

    /// Returns the bytes of code and constants.
    pub(crate) fn len(&self) -> usize {
        self.pool.len() + self.streams.iter().map(|stream| stream.len).sum::<usize>()
    }

    /// Returns the length of each stream.
    pub(crate) fn written(&self) -> StreamLengths {
        StreamLengths { lens: self.streams.iter().map(|stream| stream.len).collect(), depth: self.depth }
    }

    /// Removes the code that has been written since `to`; no label may lead into it.
    pub(crate) fn rewind(&mut self, to: &StreamLengths) {
        self.depth = to.depth;
        for (n, stream) in self.streams.iter_mut().enumerate() {
            stream.rewind(to.lens.get(n).copied().unwrap_or(0));
        }
    }

    /// Returns a label that is not bound yet.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Binds a label to the current place.
    pub(crate) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some((self.depth, self.streams[self.depth].len));
    }

    /// Returns a label at the current place.
    pub(crate) fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    /// Encodes an instruction.
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

    /// Writes a jump to a label.
    pub(crate) fn jump(&mut self, code: Code, label: Label) {
        self.put(Instruction::with_branch(code, 0));
        let stream = &mut self.streams[self.depth];
        stream.distances.push((stream.len.saturating_sub(4), DistanceTarget::Label(label)));
    }

    /// Loads the address of a label.
    pub(crate) fn address(&mut self, d: Register, label: Label) {
        self.rm(Code::Lea_r64_m, d, MemoryOperand::with_base_displ(Register::RIP, 0));
        if let Some((_, target)) = self.streams[self.depth].distances.last_mut() {
            *target = DistanceTarget::Label(label);
        }
    }

    /// Writes an instruction without operands.
    pub(crate) fn plain(&mut self, code: Code) {
        self.put(Ok(Instruction::with(code)));
    }

    /// Writes an instruction with one register.
    pub(crate) fn r(&mut self, code: Code, a: Register) {
        self.put(Instruction::with1(code, a));
    }

    /// Writes an instruction with memory alone.
    pub(crate) fn m(&mut self, code: Code, memory: MemoryOperand) {
        self.put(Instruction::with1(code, memory));
    }

    /// Writes an instruction with two registers.
    pub(crate) fn rr(&mut self, code: Code, a: Register, b: Register) {
        self.put(Instruction::with2(code, a, b));
    }

    /// Writes an instruction with three registers.
    pub(crate) fn rrr(&mut self, code: Code, a: Register, b: Register, c: Register) {
        self.put(Instruction::with3(code, a, b, c));
    }

    /// Writes an instruction with a register and an immediate.
    pub(crate) fn ri(&mut self, code: Code, a: Register, value: i32) {
        self.put(Instruction::with2(code, a, value));
    }

    /// Moves an immediate of 64 bits to a register.
    pub(crate) fn rq(&mut self, a: Register, value: u64) {
        self.put(Instruction::with2(Code::Mov_r64_imm64, a, value));
    }

    /// Writes an instruction with a register and memory.
    pub(crate) fn rm(&mut self, code: Code, a: Register, memory: MemoryOperand) {
        self.put(Instruction::with2(code, a, memory));
    }

    /// Writes an instruction with memory and a register.
    pub(crate) fn mr(&mut self, code: Code, memory: MemoryOperand, a: Register) {
        self.put(Instruction::with2(code, memory, a));
    }

    /// Writes an atomic instruction with memory and a register.
    pub(crate) fn locked(&mut self, code: Code, memory: MemoryOperand, a: Register) {
        self.put(Instruction::with2(code, memory, a).map(|mut instruction| {
            instruction.set_has_lock_prefix(true);
            instruction
        }));
    }

    /// Writes an instruction with memory and an immediate.
    pub(crate) fn mi(&mut self, code: Code, memory: MemoryOperand, value: i32) {
        self.put(Instruction::with2(code, memory, value));
    }

    /// Writes `d = op(a, b)`.
    pub(crate) fn v3(&mut self, op: Op, w: Width, d: Vector, a: Vector, b: impl Into<LastOperand>) {
        let (code, d, a) = (op.code(w), d.register(w), a.register(w));
        self.put(match b.into() {
            LastOperand::Vector(b) => Instruction::with3(code, d, a, b.register(w)),
            LastOperand::Memory(b) => Instruction::with3(code, d, a, b),
        });
    }

    /// Writes `d = op(a, b)` with an immediate.
    pub(crate) fn v3i(&mut self, op: Op, w: Width, d: Vector, a: Vector, b: Vector, value: i32) {
        self.put(Instruction::with4(op.code(w), d.register(w), a.register(w), b.register(w), value));
    }

    /// Writes `d = op(a)`, with a source of another width.
    pub(crate) fn v2(&mut self, op: Op, w: Width, d: Vector, a: Vector, from: Width) {
        self.put(Instruction::with2(op.code(w), d.register(w), a.register(from)));
    }

    /// Writes `d = op(a)` with an immediate.
    pub(crate) fn v2i(&mut self, op: Op, w: Width, d: Vector, a: Vector, value: i32) {
        self.put(Instruction::with3(op.code(w), d.register(w), a.register(w), value));
    }

    /// Writes `d = op(a)` with an immediate, for registers of any widths.
    pub(crate) fn r2i(&mut self, code: Code, d: Register, a: Register, value: i32) {
        self.put(Instruction::with3(code, d, a, value));
    }

    /// Writes an instruction with three registers and an immediate.
    pub(crate) fn rrri(&mut self, code: Code, [a, b, c]: [Register; 3], value: i32) {
        self.put(Instruction::with4(code, a, b, c, value));
    }

    /// Writes `d = op(a, b, c)`, all of them registers.
    pub(crate) fn v4(&mut self, op: Op, w: Width, d: Vector, a: Vector, b: Vector, c: Vector) {
        self.put(Instruction::with4(op.code(w), d.register(w), a.register(w), b.register(w), c.register(w)));
    }

    /// Loads a vector.
    pub(crate) fn load(&mut self, op: Op, w: Width, d: Vector, memory: MemoryOperand) {
        self.put(Instruction::with2(op.code(w), d.register(w), memory));
    }

    /// Stores a vector.
    pub(crate) fn store(&mut self, op: Op, w: Width, memory: MemoryOperand, a: Vector) {
        self.put(Instruction::with2(op.code(w), memory, a.register(w)));
    }

    /// Gathers `d[i] = memory[index[i]]` where the mask is set, and clears the mask.
    pub(crate) fn gather(&mut self, op: Op, w: Width, d: Vector, memory: MemoryOperand, mask: Vector) {
        self.put(Instruction::with3(op.code(w), d.register(w), memory, mask.register(w)));
    }

    /// Loads the elements that a vector mask selects.
    pub(crate) fn load_where(&mut self, op: Op, w: Width, d: Vector, mask: Vector, memory: MemoryOperand) {
        self.put(Instruction::with3(op.code(w), d.register(w), mask.register(w), memory));
    }

    /// Stores the elements that a vector mask selects.
    pub(crate) fn store_where(&mut self, op: Op, w: Width, memory: MemoryOperand, mask: Vector, a: Vector) {
        self.put(Instruction::with3(op.code(w), memory, mask.register(w), a.register(w)));
    }

    /// Writes an instruction on the elements that a mask register selects; others become zero or
    /// stay.
    fn put_where(&mut self, bits: Register, zeros: bool, instruction: Result<Instruction, iced_x86::IcedError>) {
        self.put(instruction.map(|mut instruction| {
            instruction.set_op_mask(bits);
            instruction.set_zeroing_masking(zeros);
            instruction
        }));
    }

    /// Writes `d = yes` in the elements that a mask register selects, else `no`.
    pub(crate) fn blend(&mut self, op: Op, w: Width, d: Vector, [no, yes]: [Vector; 2], bits: Register) {
        let instruction = Instruction::with3(op.code(w), d.register(w), no.register(w), yes.register(w));
        self.put_where(bits, false, instruction);
    }

    /// Loads the elements that a mask register selects; others become zero.
    pub(crate) fn load_bits(&mut self, op: Op, w: Width, d: Vector, bits: Register, memory: MemoryOperand) {
        self.put_where(bits, true, Instruction::with2(op.code(w), d.register(w), memory));
    }

    /// Stores the elements that a mask register selects.
    pub(crate) fn store_bits(&mut self, op: Op, w: Width, memory: MemoryOperand, bits: Register, a: Vector) {
        self.put_where(bits, false, Instruction::with2(op.code(w), memory, a.register(w)));
    }

    /// Gathers the elements that a mask register selects, and clears it.
    pub(crate) fn gather_bits(&mut self, op: Op, w: Width, d: Vector, memory: MemoryOperand, bits: Register) {
        self.put_where(bits, false, Instruction::with2(op.code(w), d.register(w), memory));
    }

    /// Moves the elements that a mask register selects to the front.
    pub(crate) fn compress_bits(&mut self, op: Op, w: Width, d: Vector, bits: Register, a: Vector) {
        self.put_where(bits, true, Instruction::with2(op.code(w), d.register(w), a.register(w)));
    }

    /// Sets a mask bit for each element that is not zero, among the elements that `of` selects.
    pub(crate) fn test_bits(&mut self, op: Op, w: Width, to: Register, a: Vector, of: Option<Register>) {
        let instruction = Instruction::with3(op.code(w), to, a.register(w), a.register(w));
        self.put_where(of.unwrap_or(Register::None), false, instruction);
    }

    /// Sets a mask bit for each pair of elements that compares, among the elements that `of`
    /// selects.
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

    /// Writes ones to the elements that a mask register selects.
    pub(crate) fn ones(&mut self, op: Op, w: Width, d: Vector, bits: Register) {
        self.put(Instruction::with2(op.code(w), d.register(w), bits));
    }

    /// Moves the upper half of the first 32 or 64 bytes of a register to `d`.
    pub(crate) fn upper_half(&mut self, from: Width, d: Vector, a: Vector) {
        let (code, to) = match from {
            Width::Z => (Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, Width::Y),
            _ => (Code::VEX_Vextracti128_xmmm128_ymm_imm8, Width::X),
        };
        self.r2i(code, d.register(to), a.register(from), 1);
    }

    /// Stores the upper half of a register of 64 bytes.
    pub(crate) fn store_upper(&mut self, memory: MemoryOperand, a: Vector) {
        self.put(Instruction::with3(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, memory, a.register(Width::Z), 1));
    }

    /// Loads the upper half of a register of 64 bytes.
    pub(crate) fn load_upper(&mut self, d: Vector, memory: MemoryOperand) {
        let (code, d) = (Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, d.register(Width::Z));
        self.put(Instruction::with4(code, d, d, memory, 1));
    }

    /// Loads 16 bytes to a quarter of `d`. The first quarter clears the others.
    pub(crate) fn load_quarter(&mut self, w: Width, d: Vector, memory: MemoryOperand, quarter: u32) {
        let code = match (w, quarter) {
            (_, 0) => return self.load(op::MOVUPS, Width::X, d, memory),
            (Width::Z, _) => Code::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8,
            _ => Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8,
        };
        let d = d.register(w);
        self.put(Instruction::with4(code, d, d, memory, quarter as i32));
    }

    /// Stores a quarter of a register.
    pub(crate) fn store_quarter(&mut self, w: Width, memory: MemoryOperand, a: Vector, quarter: u32) {
        let code = match (w, quarter) {
            (_, 0) => return self.store(op::MOVUPS_STORE, Width::X, memory, a),
            (Width::Z, _) => Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8,
            _ => Code::VEX_Vextracti128_xmmm128_ymm_imm8,
        };
        self.put(Instruction::with3(code, memory, a.register(w), quarter as i32));
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

    /// Returns the constants followed by the code, and the place of each label. Returns `None` if
    /// an instruction could not be encoded, or if a jump's label is not bound.
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
                    DistanceTarget::Label(label) => labels[label.0]? as i64 - (begin + place + 4) as i64,
                    DistanceTarget::Constant => {
                        i64::from(i32::from_le_bytes((*field).try_into().ok()?)) - *begin as i64
                    }
                };
                field.copy_from_slice(&i32::try_from(distance).ok()?.to_le_bytes());
            }
        }
        self.is_sound.then_some(())?;
        Some((bytes, labels.into_iter().map(|place| place.unwrap_or(usize::MAX)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_resolve_from_all_streams() {
        let mut asm = Assembler::new();
        let begin = asm.here();
        let load = |asm: &mut Assembler, byte: u8| {
            let constant = asm.constant(vec![byte; 32]);
            asm.load(op::MOVUPS, Width::Y, Vector(0), constant);
            (asm.here(), byte)
        };
        let mut loads = vec![load(&mut asm, 1)];
        asm.enter_cold();
        loads.extend([load(&mut asm, 2), load(&mut asm, 1)]);
        asm.leave_cold();
        // The constant of removed code stays in the pool.
        let written = asm.written();
        load(&mut asm, 3);
        asm.rewind(&written);
        loads.push(load(&mut asm, 2));
        let (bytes, places) = asm.finish().expect("code");
        assert_eq!(places[begin.index()], 3 * 32, "the code follows three constants");
        for (after, byte) in loads {
            // The distance is at the end of the instruction.
            let end = places[after.index()];
            let distance = i32::from_le_bytes(bytes[end - 4..end].try_into().expect("four bytes"));
            let constant = (end as i64 + i64::from(distance)) as usize;
            assert_eq!(bytes[constant..constant + 32], [byte; 32]);
        }
    }
}
