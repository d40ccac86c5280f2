//! Transfers: elements that move between memory and registers.

/// Elements between memory and registers: `(address + global) * scale + offset` for each channel,
/// or `address * scale + global + offset` with [`Addresses::Offsets`]. With addresses of 32 bits
/// only as many bits of the sum count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// What is done.
    pub access: Access,
    /// The memory.
    pub space: Space,
    /// The addresses.
    pub addresses: Addresses,
    /// The place of a number for all channels, and its size in bytes.
    pub global: Option<(u32, u32)>,
    /// Factor.
    pub scale: u32,
    /// Bytes added.
    pub offset: i32,
    /// How an element stands in memory and registers.
    pub unit: Unit,
    /// What addresses are multiples of: 1, 2, 4 or 8. The caller deals with others.
    pub alignment: u32,
    /// The distance of each element from the channel's address, and the place of the first
    /// channel's in the registers.
    pub elements: Vec<(u32, u32)>,
}

/// What is done with elements of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// They go to registers.
    Load,
    /// They come from registers.
    Store,
    /// A dword of each channel is changed in one step, by the dword that its register has.
    Update(Change),
}

/// How a dword in memory is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Change {
    Add,
    Sub,
    And,
    Or,
    Xor,
    /// By one, whatever the register has.
    Increment,
    Decrement,
}

/// Which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The upper half of an address is the number of a buffer, from 1 on.
    Flat,
    /// Offsets into the memory of the group.
    Local,
    /// Offsets into the surface whose number an element of the table of states holds.
    Surface(u32),
    /// Offsets into the surface whose number stands in the registers.
    Named(u32),
    /// Offsets into the memory of threads from a place on, in units of 1 or 16 bytes, that stands
    /// in the registers.
    Private {
        /// Where it stands.
        number: u32,
        /// Bytes.
        unit: u32,
    },
}

impl Space {
    /// Where the dword stands in the registers that says which memory it is.
    pub fn number(self) -> Option<u32> {
        match self {
            Self::Named(number) | Self::Private { number, .. } => Some(number),
            Self::Flat | Self::Local | Self::Surface(_) => None,
        }
    }
}

/// Where addresses stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// There are none: each is zero.
    None,
    /// Of 32 bits.
    Dwords(u32),
    /// Of 64 bits.
    Qwords(u32),
    /// Offsets of 32 bits in flat memory, which are extended to 64 bits and multiplied before the
    /// number for all channels is added.
    Offsets {
        /// Where they stand.
        at: u32,
        /// Whether they have a sign.
        signed: bool,
    },
}

impl Addresses {
    /// Returns the bytes of a channel's.
    pub fn bytes(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Dwords(_) | Self::Offsets { .. } => 4,
            Self::Qwords(_) => 8,
        }
    }

    /// Returns where they stand.
    pub fn place(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Dwords(at) | Self::Qwords(at) | Self::Offsets { at, .. } => Some(at),
        }
    }
}

/// Elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 4 bytes, the channels' one behind the other.
    Dword,
    /// 8 bytes, the channels' one behind the other.
    Qword,
    /// Up to 4 bytes in memory and the low bytes of a dword in registers, the channels' one behind
    /// the other.
    Part {
        /// How many.
        bytes: u32,
        /// Whether the rest of the dword stays as it is; otherwise it becomes zero.
        keeps: bool,
    },
}

impl Unit {
    /// Bytes of an element in memory.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Dword => 4,
            Self::Qword => 8,
            Self::Part { bytes, .. } => bytes,
        }
    }

    /// Bytes of an element in registers.
    pub fn register_bytes(self) -> u32 {
        if self == Self::Qword { 8 } else { 4 }
    }
}
