//! Instructions into bytes: iced-x86's encoder with labels and constants around it.
//!
//! An instruction that cannot be encoded makes the whole useless, which [`Asm::finish`] says.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use iced_x86::{Code, Encoder, Instruction, MemoryOperand, Register};

/// A vector register, of 16 or 32 bytes as the instruction says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector(pub(crate) u8);

/// How much of a vector register an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// 16 bytes.
    X,
    /// 32 bytes.
    Y,
}

impl Width {
    /// The narrowest for so many bytes.
    pub(crate) fn of(bytes: u32) -> Self {
        if bytes > 16 { Self::Y } else { Self::X }
    }
}

impl Vector {
    pub(crate) fn register(self, width: Width) -> Register {
        let first = if width == Width::X { Register::XMM0 } else { Register::YMM0 };
        first + u32::from(self.0)
    }
}

/// An instruction on vectors in both widths.
#[derive(Clone, Copy)]
pub(crate) struct Op(pub(crate) Code, pub(crate) Code);

impl Op {
    pub(crate) fn code(self, width: Width) -> Code {
        if width == Width::X { self.0 } else { self.1 }
    }
}

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(usize);

/// Code that is being written.
pub(crate) struct Asm {
    encoder: Encoder,
    len: usize,
    labels: Vec<Option<usize>>,
    /// Where the four bytes of a distance stand, and the label that it leads to.
    distances: Vec<(usize, Label)>,
    /// Constants by their bytes, which stand in front of the code.
    pool: HashMap<Vec<u8>, usize>,
    is_sound: bool,
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
        let mut encoder = Encoder::new(64);
        let len = bytes.len();
        encoder.set_buffer(bytes);
        Self { encoder, len, labels: Vec::new(), distances: Vec::new(), pool, is_sound: true }
    }

    /// Where the next instruction will stand.
    pub(crate) fn place(&self) -> usize {
        self.len
    }

    /// Forgets what stands behind a place, which has no label and leads to none.
    pub(crate) fn rewind(&mut self, place: usize) {
        let mut bytes = self.encoder.take_buffer();
        bytes.truncate(place);
        self.encoder.set_buffer(bytes);
        self.distances.retain(|(distance, _)| *distance < place);
        self.len = place;
    }

    /// A label that stands nowhere yet.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Puts a label here.
    pub(crate) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.len);
    }

    /// A label that stands here.
    pub(crate) fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    fn put(&mut self, instruction: Result<Instruction, iced_x86::IcedError>) {
        match instruction.and_then(|instruction| self.encoder.encode(&instruction, self.len as u64)) {
            Ok(bytes) => self.len += bytes,
            Err(_) => self.is_sound = false,
        }
    }

    /// Jumps, when the code says so.
    pub(crate) fn jump(&mut self, code: Code, label: Label) {
        self.put(Instruction::with_branch(code, self.len as u64));
        self.distances.push((self.len.saturating_sub(4), label));
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

    /// Where a constant stands. One that was not announced makes the code useless.
    pub(crate) fn constant(&mut self, bytes: &[u8]) -> MemoryOperand {
        match self.pool.get(bytes) {
            Some(&place) => MemoryOperand::with_base_displ(Register::RIP, place as i64),
            None => {
                self.is_sound = false;
                MemoryOperand::with_base(Register::RAX)
            }
        }
    }

    /// The code with its constants, and where the labels stand; nothing when something went wrong.
    pub(crate) fn finish(mut self) -> Option<(Vec<u8>, Vec<usize>)> {
        let mut bytes = self.encoder.take_buffer();
        for (place, label) in self.distances {
            let target = self.labels[label.0]?;
            let distance = i32::try_from(target as i64 - (place as i64 + 4)).ok()?;
            bytes.get_mut(place..place + 4)?.copy_from_slice(&distance.to_le_bytes());
        }
        (self.is_sound && bytes.len() == self.len).then_some(())?;
        Some((bytes, self.labels.into_iter().map(|place| place.unwrap_or(usize::MAX)).collect()))
    }
}

impl Label {
    /// Its number.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

macro_rules! ops {
    ($($name:ident: $x:ident $y:ident;)*) => {
        $(#[allow(dead_code)] pub(crate) const $name: Op = Op(Code::$x, Code::$y);)*
    };
}

/// The vector instructions, by their mnemonics.
#[rustfmt::skip]
pub(crate) mod op {
    use super::{Code, Op};

    ops! {
        MOVUPS: VEX_Vmovups_xmm_xmmm128 VEX_Vmovups_ymm_ymmm256;
        MOVUPS_STORE: VEX_Vmovups_xmmm128_xmm VEX_Vmovups_ymmm256_ymm;
        BROADCASTD: VEX_Vpbroadcastd_xmm_xmmm32 VEX_Vpbroadcastd_ymm_xmmm32;
        BROADCASTSS: VEX_Vbroadcastss_xmm_m32 VEX_Vbroadcastss_ymm_m32;
        BROADCASTQ: VEX_Vpbroadcastq_xmm_xmmm64 VEX_Vpbroadcastq_ymm_xmmm64;
        BROADCASTW: VEX_Vpbroadcastw_xmm_xmmm16 VEX_Vpbroadcastw_ymm_xmmm16;
        BROADCASTB: VEX_Vpbroadcastb_xmm_xmmm8 VEX_Vpbroadcastb_ymm_xmmm8;
        PADDB: VEX_Vpaddb_xmm_xmm_xmmm128 VEX_Vpaddb_ymm_ymm_ymmm256;
        PADDW: VEX_Vpaddw_xmm_xmm_xmmm128 VEX_Vpaddw_ymm_ymm_ymmm256;
        PADDD: VEX_Vpaddd_xmm_xmm_xmmm128 VEX_Vpaddd_ymm_ymm_ymmm256;
        PADDQ: VEX_Vpaddq_xmm_xmm_xmmm128 VEX_Vpaddq_ymm_ymm_ymmm256;
        PSUBB: VEX_Vpsubb_xmm_xmm_xmmm128 VEX_Vpsubb_ymm_ymm_ymmm256;
        PSUBW: VEX_Vpsubw_xmm_xmm_xmmm128 VEX_Vpsubw_ymm_ymm_ymmm256;
        PSUBD: VEX_Vpsubd_xmm_xmm_xmmm128 VEX_Vpsubd_ymm_ymm_ymmm256;
        PSUBQ: VEX_Vpsubq_xmm_xmm_xmmm128 VEX_Vpsubq_ymm_ymm_ymmm256;
        PMULLW: VEX_Vpmullw_xmm_xmm_xmmm128 VEX_Vpmullw_ymm_ymm_ymmm256;
        PMULLD: VEX_Vpmulld_xmm_xmm_xmmm128 VEX_Vpmulld_ymm_ymm_ymmm256;
        PMULUDQ: VEX_Vpmuludq_xmm_xmm_xmmm128 VEX_Vpmuludq_ymm_ymm_ymmm256;
        PMULDQ: VEX_Vpmuldq_xmm_xmm_xmmm128 VEX_Vpmuldq_ymm_ymm_ymmm256;
        PAND: VEX_Vpand_xmm_xmm_xmmm128 VEX_Vpand_ymm_ymm_ymmm256;
        PANDN: VEX_Vpandn_xmm_xmm_xmmm128 VEX_Vpandn_ymm_ymm_ymmm256;
        POR: VEX_Vpor_xmm_xmm_xmmm128 VEX_Vpor_ymm_ymm_ymmm256;
        PXOR: VEX_Vpxor_xmm_xmm_xmmm128 VEX_Vpxor_ymm_ymm_ymmm256;
        PSLLW: VEX_Vpsllw_xmm_xmm_imm8 VEX_Vpsllw_ymm_ymm_imm8;
        PSRLW: VEX_Vpsrlw_xmm_xmm_imm8 VEX_Vpsrlw_ymm_ymm_imm8;
        PSRAW: VEX_Vpsraw_xmm_xmm_imm8 VEX_Vpsraw_ymm_ymm_imm8;
        PSLLD: VEX_Vpslld_xmm_xmm_imm8 VEX_Vpslld_ymm_ymm_imm8;
        PSRLD: VEX_Vpsrld_xmm_xmm_imm8 VEX_Vpsrld_ymm_ymm_imm8;
        PSRAD: VEX_Vpsrad_xmm_xmm_imm8 VEX_Vpsrad_ymm_ymm_imm8;
        PSLLQ: VEX_Vpsllq_xmm_xmm_imm8 VEX_Vpsllq_ymm_ymm_imm8;
        PSRLQ: VEX_Vpsrlq_xmm_xmm_imm8 VEX_Vpsrlq_ymm_ymm_imm8;
        PSLLVD: VEX_Vpsllvd_xmm_xmm_xmmm128 VEX_Vpsllvd_ymm_ymm_ymmm256;
        PSRLVD: VEX_Vpsrlvd_xmm_xmm_xmmm128 VEX_Vpsrlvd_ymm_ymm_ymmm256;
        PSRAVD: VEX_Vpsravd_xmm_xmm_xmmm128 VEX_Vpsravd_ymm_ymm_ymmm256;
        PSLLVQ: VEX_Vpsllvq_xmm_xmm_xmmm128 VEX_Vpsllvq_ymm_ymm_ymmm256;
        PSRLVQ: VEX_Vpsrlvq_xmm_xmm_xmmm128 VEX_Vpsrlvq_ymm_ymm_ymmm256;
        PCMPEQB: VEX_Vpcmpeqb_xmm_xmm_xmmm128 VEX_Vpcmpeqb_ymm_ymm_ymmm256;
        PCMPEQW: VEX_Vpcmpeqw_xmm_xmm_xmmm128 VEX_Vpcmpeqw_ymm_ymm_ymmm256;
        PCMPEQD: VEX_Vpcmpeqd_xmm_xmm_xmmm128 VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        PCMPEQQ: VEX_Vpcmpeqq_xmm_xmm_xmmm128 VEX_Vpcmpeqq_ymm_ymm_ymmm256;
        PCMPGTB: VEX_Vpcmpgtb_xmm_xmm_xmmm128 VEX_Vpcmpgtb_ymm_ymm_ymmm256;
        PCMPGTW: VEX_Vpcmpgtw_xmm_xmm_xmmm128 VEX_Vpcmpgtw_ymm_ymm_ymmm256;
        PCMPGTD: VEX_Vpcmpgtd_xmm_xmm_xmmm128 VEX_Vpcmpgtd_ymm_ymm_ymmm256;
        PCMPGTQ: VEX_Vpcmpgtq_xmm_xmm_xmmm128 VEX_Vpcmpgtq_ymm_ymm_ymmm256;
        PMINUB: VEX_Vpminub_xmm_xmm_xmmm128 VEX_Vpminub_ymm_ymm_ymmm256;
        PMINSB: VEX_Vpminsb_xmm_xmm_xmmm128 VEX_Vpminsb_ymm_ymm_ymmm256;
        PMINUW: VEX_Vpminuw_xmm_xmm_xmmm128 VEX_Vpminuw_ymm_ymm_ymmm256;
        PMINSW: VEX_Vpminsw_xmm_xmm_xmmm128 VEX_Vpminsw_ymm_ymm_ymmm256;
        PMINUD: VEX_Vpminud_xmm_xmm_xmmm128 VEX_Vpminud_ymm_ymm_ymmm256;
        PMINSD: VEX_Vpminsd_xmm_xmm_xmmm128 VEX_Vpminsd_ymm_ymm_ymmm256;
        PMAXUB: VEX_Vpmaxub_xmm_xmm_xmmm128 VEX_Vpmaxub_ymm_ymm_ymmm256;
        PMAXSB: VEX_Vpmaxsb_xmm_xmm_xmmm128 VEX_Vpmaxsb_ymm_ymm_ymmm256;
        PMAXUW: VEX_Vpmaxuw_xmm_xmm_xmmm128 VEX_Vpmaxuw_ymm_ymm_ymmm256;
        PMAXSW: VEX_Vpmaxsw_xmm_xmm_xmmm128 VEX_Vpmaxsw_ymm_ymm_ymmm256;
        PMAXUD: VEX_Vpmaxud_xmm_xmm_xmmm128 VEX_Vpmaxud_ymm_ymm_ymmm256;
        PMAXSD: VEX_Vpmaxsd_xmm_xmm_xmmm128 VEX_Vpmaxsd_ymm_ymm_ymmm256;
        PABSB: VEX_Vpabsb_xmm_xmmm128 VEX_Vpabsb_ymm_ymmm256;
        PABSW: VEX_Vpabsw_xmm_xmmm128 VEX_Vpabsw_ymm_ymmm256;
        PABSD: VEX_Vpabsd_xmm_xmmm128 VEX_Vpabsd_ymm_ymmm256;
        PSHUFB: VEX_Vpshufb_xmm_xmm_xmmm128 VEX_Vpshufb_ymm_ymm_ymmm256;
        PSHUFD: VEX_Vpshufd_xmm_xmmm128_imm8 VEX_Vpshufd_ymm_ymmm256_imm8;
        SHUFPS: VEX_Vshufps_xmm_xmm_xmmm128_imm8 VEX_Vshufps_ymm_ymm_ymmm256_imm8;
        PUNPCKLWD: VEX_Vpunpcklwd_xmm_xmm_xmmm128 VEX_Vpunpcklwd_ymm_ymm_ymmm256;
        PUNPCKLDQ: VEX_Vpunpckldq_xmm_xmm_xmmm128 VEX_Vpunpckldq_ymm_ymm_ymmm256;
        PUNPCKLQDQ: VEX_Vpunpcklqdq_xmm_xmm_xmmm128 VEX_Vpunpcklqdq_ymm_ymm_ymmm256;
        PACKSSWB: VEX_Vpacksswb_xmm_xmm_xmmm128 VEX_Vpacksswb_ymm_ymm_ymmm256;
        PTEST: VEX_Vptest_xmm_xmmm128 VEX_Vptest_ymm_ymmm256;
        PBLENDVB: VEX_Vpblendvb_xmm_xmm_xmmm128_xmm VEX_Vpblendvb_ymm_ymm_ymmm256_ymm;
        MOVMSKPS: VEX_Vmovmskps_r32_xmm VEX_Vmovmskps_r32_ymm;
        MOVMSKPD: VEX_Vmovmskpd_r32_xmm VEX_Vmovmskpd_r32_ymm;
        PMOVMSKB: VEX_Vpmovmskb_r32_xmm VEX_Vpmovmskb_r32_ymm;
        ADDPS: VEX_Vaddps_xmm_xmm_xmmm128 VEX_Vaddps_ymm_ymm_ymmm256;
        ADDPD: VEX_Vaddpd_xmm_xmm_xmmm128 VEX_Vaddpd_ymm_ymm_ymmm256;
        SUBPS: VEX_Vsubps_xmm_xmm_xmmm128 VEX_Vsubps_ymm_ymm_ymmm256;
        SUBPD: VEX_Vsubpd_xmm_xmm_xmmm128 VEX_Vsubpd_ymm_ymm_ymmm256;
        MULPS: VEX_Vmulps_xmm_xmm_xmmm128 VEX_Vmulps_ymm_ymm_ymmm256;
        MULPD: VEX_Vmulpd_xmm_xmm_xmmm128 VEX_Vmulpd_ymm_ymm_ymmm256;
        DIVPS: VEX_Vdivps_xmm_xmm_xmmm128 VEX_Vdivps_ymm_ymm_ymmm256;
        DIVPD: VEX_Vdivpd_xmm_xmm_xmmm128 VEX_Vdivpd_ymm_ymm_ymmm256;
        MINPS: VEX_Vminps_xmm_xmm_xmmm128 VEX_Vminps_ymm_ymm_ymmm256;
        MINPD: VEX_Vminpd_xmm_xmm_xmmm128 VEX_Vminpd_ymm_ymm_ymmm256;
        MAXPS: VEX_Vmaxps_xmm_xmm_xmmm128 VEX_Vmaxps_ymm_ymm_ymmm256;
        MAXPD: VEX_Vmaxpd_xmm_xmm_xmmm128 VEX_Vmaxpd_ymm_ymm_ymmm256;
        SQRTPS: VEX_Vsqrtps_xmm_xmmm128 VEX_Vsqrtps_ymm_ymmm256;
        SQRTPD: VEX_Vsqrtpd_xmm_xmmm128 VEX_Vsqrtpd_ymm_ymmm256;
        ROUNDPS: VEX_Vroundps_xmm_xmmm128_imm8 VEX_Vroundps_ymm_ymmm256_imm8;
        ROUNDPD: VEX_Vroundpd_xmm_xmmm128_imm8 VEX_Vroundpd_ymm_ymmm256_imm8;
        CMPPS: VEX_Vcmpps_xmm_xmm_xmmm128_imm8 VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
        CMPPD: VEX_Vcmppd_xmm_xmm_xmmm128_imm8 VEX_Vcmppd_ymm_ymm_ymmm256_imm8;
        FMADD213PS: VEX_Vfmadd213ps_xmm_xmm_xmmm128 VEX_Vfmadd213ps_ymm_ymm_ymmm256;
        FMADD213PD: VEX_Vfmadd213pd_xmm_xmm_xmmm128 VEX_Vfmadd213pd_ymm_ymm_ymmm256;
        CVTTPS2DQ: VEX_Vcvttps2dq_xmm_xmmm128 VEX_Vcvttps2dq_ymm_ymmm256;
        CVTDQ2PS: VEX_Vcvtdq2ps_xmm_xmmm128 VEX_Vcvtdq2ps_ymm_ymmm256;
        CVTPS2PD: VEX_Vcvtps2pd_xmm_xmmm64 VEX_Vcvtps2pd_ymm_xmmm128;
        CVTDQ2PD: VEX_Vcvtdq2pd_xmm_xmmm64 VEX_Vcvtdq2pd_ymm_xmmm128;
        CVTPD2PS: VEX_Vcvtpd2ps_xmm_xmmm128 VEX_Vcvtpd2ps_xmm_ymmm256;
        CVTTPD2DQ: VEX_Vcvttpd2dq_xmm_xmmm128 VEX_Vcvttpd2dq_xmm_ymmm256;
        CVTPH2PS: VEX_Vcvtph2ps_xmm_xmmm64 VEX_Vcvtph2ps_ymm_xmmm128;
        CVTPS2PH: VEX_Vcvtps2ph_xmmm64_xmm_imm8 VEX_Vcvtps2ph_xmmm128_ymm_imm8;
        PGATHERDD: VEX_Vpgatherdd_xmm_vm32x_xmm VEX_Vpgatherdd_ymm_vm32y_ymm;
        MASKMOVD: VEX_Vpmaskmovd_xmm_xmm_m128 VEX_Vpmaskmovd_ymm_ymm_m256;
        MASKMOVD_STORE: VEX_Vpmaskmovd_m128_xmm_xmm VEX_Vpmaskmovd_m256_ymm_ymm;
        MOVZXBW: VEX_Vpmovzxbw_xmm_xmmm64 VEX_Vpmovzxbw_ymm_xmmm128;
        MOVZXBD: VEX_Vpmovzxbd_xmm_xmmm32 VEX_Vpmovzxbd_ymm_xmmm64;
        MOVZXBQ: VEX_Vpmovzxbq_xmm_xmmm16 VEX_Vpmovzxbq_ymm_xmmm32;
        MOVZXWD: VEX_Vpmovzxwd_xmm_xmmm64 VEX_Vpmovzxwd_ymm_xmmm128;
        MOVZXWQ: VEX_Vpmovzxwq_xmm_xmmm32 VEX_Vpmovzxwq_ymm_xmmm64;
        MOVZXDQ: VEX_Vpmovzxdq_xmm_xmmm64 VEX_Vpmovzxdq_ymm_xmmm128;
        MOVSXBW: VEX_Vpmovsxbw_xmm_xmmm64 VEX_Vpmovsxbw_ymm_xmmm128;
        MOVSXBD: VEX_Vpmovsxbd_xmm_xmmm32 VEX_Vpmovsxbd_ymm_xmmm64;
        MOVSXBQ: VEX_Vpmovsxbq_xmm_xmmm16 VEX_Vpmovsxbq_ymm_xmmm32;
        MOVSXWD: VEX_Vpmovsxwd_xmm_xmmm64 VEX_Vpmovsxwd_ymm_xmmm128;
        MOVSXWQ: VEX_Vpmovsxwq_xmm_xmmm32 VEX_Vpmovsxwq_ymm_xmmm64;
        MOVSXDQ: VEX_Vpmovsxdq_xmm_xmmm64 VEX_Vpmovsxdq_ymm_xmmm128;
    }
}
