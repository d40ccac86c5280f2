//! Operands of instructions: vector registers, their widths, and memory.

use iced_x86::{Code, MemoryOperand, Register};

/// A vector register, of 16, 32 or 64 bytes as the instruction says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector(pub(crate) u8);

impl Vector {
    /// Returns the register of a width.
    pub(crate) fn register(self, width: Width) -> Register {
        let first = match width {
            Width::X => Register::XMM0,
            Width::Y => Register::YMM0,
            Width::Z => Register::ZMM0,
        };
        first + u32::from(self.0)
    }
}

/// Number of vector registers that all instructions can name. AVX-512 adds the same number of far
/// registers.
pub(crate) const NEAR: usize = 16;

/// The part of a vector register that an instruction works on.
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
    /// Returns the narrowest width of at least `bytes` bytes.
    pub(crate) fn of(bytes: u32) -> Self {
        match bytes {
            0..=16 => Self::X,
            17..=32 => Self::Y,
            _ => Self::Z,
        }
    }

    /// Returns the number of bytes.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::X => 16,
            Self::Y => 32,
            Self::Z => 64,
        }
    }
}

/// The codes of a vector instruction for 16, 32 and 64 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Op(pub(crate) Code, pub(crate) Code, pub(crate) Code);

impl Op {
    /// Returns the code for a width.
    pub(crate) fn code(self, width: Width) -> Code {
        match width {
            Width::X => self.0,
            Width::Y => self.1,
            Width::Z => self.2,
        }
    }
}

/// The last operand of a vector instruction.
pub(crate) enum LastOperand {
    Vector(Vector),
    Memory(MemoryOperand),
}

impl From<Vector> for LastOperand {
    fn from(vector: Vector) -> Self {
        Self::Vector(vector)
    }
}

impl From<MemoryOperand> for LastOperand {
    fn from(memory: MemoryOperand) -> Self {
        Self::Memory(memory)
    }
}

/// Returns the memory at a distance from a register.
pub(crate) fn at(base: Register, distance: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, i64::from(distance))
}

/// Returns the memory at a distance from a register and an index times a factor.
pub(crate) fn indexed(base: Register, index: Register, factor: u32, distance: i64) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(base, index, factor, distance, 1)
}

/// Returns true if only AVX-512 can name a register of 16 or 32 bytes.
pub(crate) fn is_far(register: Register) -> bool {
    (Register::XMM16..=Register::XMM31).contains(&register) || (Register::YMM16..=Register::YMM31).contains(&register)
}
