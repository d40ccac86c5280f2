//! Transfers: elements moved between memory and registers.

use crate::ir::expression::Kind;

/// Elements between memory and registers, at `(address + global) * scale + offset` for each
/// channel, or at `address * scale + global + offset` with [`Addresses::Offsets`]. With 32-bit
/// addresses, the sum is computed in 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The direction.
    pub access: Access,
    /// Address space.
    pub space: Space,
    /// The addresses.
    pub addresses: Addresses,
    /// The place and size in bytes of a uniform addend.
    pub global: Option<(u32, u32)>,
    /// Scale factor of addresses.
    pub scale: u32,
    /// The added offset in bytes.
    pub offset: i32,
    /// The form of an element in memory and in registers.
    pub unit: Unit,
    /// Required alignment of addresses: 1, 2, 4 or 8. The caller executes transfers with misaligned
    /// addresses.
    pub alignment: u32,
    /// The distance of each element from the channel's address, and the place of its first channel
    /// in the registers.
    pub elements: Vec<(u32, u32)>,
}

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// From memory to registers.
    Load,
    /// From registers to memory.
    Store,
    /// Changes the element of each channel atomically, with the element in its register as the
    /// operand.
    Update(Update),
}

/// An atomic change of an element in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The change.
    pub change: Change,
    /// The kind of the element, which has 4 or 8 bytes.
    pub kind: Kind,
    /// The place of the second operand of [`Change::ReplaceIf`].
    pub second: Option<u32>,
    /// The place of the results, if they are used.
    pub result: Option<u32>,
    /// True if the result is the new value; false if it is the old one.
    pub returns_new: bool,
}

/// The new value of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The sum of the old value and the operand.
    Add,
    /// The old value minus the operand.
    Sub,
    /// The bits that both have.
    And,
    /// The bits that one of them has.
    Or,
    /// The bits that only one of them has.
    Xor,
    /// The old value plus one.
    Increment,
    /// The old value minus one.
    Decrement,
    /// The old value.
    Keep,
    /// The operand.
    Replace,
    /// The smaller one of the old value and the operand. Of floats, a NaN is never chosen if the
    /// other one is a number.
    Smaller,
    /// The larger one, in the same way.
    Larger,
    /// The second operand if the old value equals the operand, otherwise the old value.
    ReplaceIf,
}

impl Change {
    /// Returns true if the operand matters.
    pub fn has_operand(self) -> bool {
        !matches!(self, Self::Increment | Self::Decrement | Self::Keep)
    }
}

/// Address space of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Flat memory: the upper half of an address is a buffer number, from 1 on.
    Flat,
    /// The memory of the group, by the bits of `mask` of an address.
    Local {
        /// The bits of an address that form its offset.
        mask: u32,
    },
    /// A surface, by offsets. Its number is in the upper bits of an element of the table of state
    /// variables.
    Surface {
        /// Index of the element.
        element: u32,
        /// The number's first bit.
        shift: u32,
    },
    /// A surface, by offsets. Its number is in the upper bits of a dword of the registers.
    Named {
        /// The place of the dword.
        at: u32,
        /// The number's first bit.
        shift: u32,
    },
    /// Private memory of threads, by offsets from a start. The registers hold the start, in units
    /// of 1 or 16 bytes.
    Private {
        /// The place of the dword that holds the start.
        number: u32,
        /// The size of a unit in bytes.
        unit: u32,
    },
}

impl Space {
    /// Returns the place of the dword that selects the memory.
    pub fn number(self) -> Option<u32> {
        match self {
            Self::Named { at: number, .. } | Self::Private { number, .. } => Some(number),
            Self::Flat | Self::Local { .. } | Self::Surface { .. } => None,
        }
    }
}

/// The channels' addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// All addresses are zero.
    None,
    /// The place of 32-bit addresses.
    Dwords(u32),
    /// The place of 64-bit addresses.
    Qwords(u32),
    /// 32-bit offsets in flat memory. They are extended to 64 bits and scaled before the uniform
    /// addend is added.
    Offsets {
        /// The place of the offsets.
        at: u32,
        /// True if the offsets are signed.
        signed: bool,
    },
}

impl Addresses {
    /// Returns the bytes of a channel's address.
    pub fn bytes(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Dwords(_) | Self::Offsets { .. } => 4,
            Self::Qwords(_) => 8,
        }
    }

    /// Returns the place of the addresses.
    pub fn place(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Dwords(at) | Self::Qwords(at) | Self::Offsets { at, .. } => Some(at),
        }
    }
}

/// The form of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 4 bytes, consecutive in the channels.
    Dword,
    /// 8 bytes, consecutive in the channels.
    Qword,
    /// Up to 4 bytes in memory, and the low bytes of a dword in registers, consecutive in the
    /// channels.
    Part {
        /// The number of bytes in memory.
        bytes: u32,
        /// True if a load keeps the other bytes of the dword; otherwise they become zero.
        keeps: bool,
    },
}

impl Unit {
    /// Returns the bytes of an element in memory.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Dword => 4,
            Self::Qword => 8,
            Self::Part { bytes, .. } => bytes,
        }
    }

    /// Returns the bytes of an element in registers.
    pub fn register_bytes(self) -> u32 {
        if self == Self::Qword { 8 } else { 4 }
    }
}
