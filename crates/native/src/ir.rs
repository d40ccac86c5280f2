//! What is compiled: a routine as blocks of steps over a register file, without any name of an
//! instruction set.
//!
//! Offsets are in bytes and count from the first byte of the register file.

use std::sync::Arc;

/// What an element is taken as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are Rust's")]
pub enum Kind {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

impl Kind {
    /// Size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }
}

/// The number of a node of an expression.
pub type Value = usize;

/// What one channel's value is made of. Operations have the kind of their operands, or take the
/// bits of one of the same size as their own kind; conversions and relations go by what their
/// operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// What stands in the registers: the channels' elements follow each other at `step` bytes; with
    /// 0 there is one for all.
    Load {
        /// The first channel's.
        at: u32,
        /// From one channel to the next.
        step: u32,
    },
    /// The same number for all channels, as the bits of the kind.
    Constant(u64),
    /// A function of one value.
    Unary(Unary, Value),
    /// A function of two.
    Binary(Binary, Value, Value),
    /// A product and a sum, rounded once.
    Fused(Value, Value, Value),
    /// A value as another kind. Integers keep their low bits, or go to the nearest that there is;
    /// floats become integers by cutting off, the nearest that there is, and zero for NaN; others
    /// are rounded to the nearest even.
    Convert {
        /// What is converted.
        value: Value,
        /// Whether an integer goes to the nearest that there is.
        saturate: bool,
    },
    /// The first where a mask holds, else the second.
    Pick(Mask, Value, Value),
    /// All bits where a relation holds, else none. The kind has the size of the two values.
    Holds(Relation, Value, Value),
    /// One of the expression's functions, of two values; all have 32 bits.
    Call(usize, Value, Value),
}

/// The values of eight channels that a function is given, and what it gives in place of the first
/// ones. Channels that are not enabled have any values.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands(pub [[u32; 8]; 2]);

/// What the code calls.
pub(crate) type Body = Box<dyn Fn(&mut Operands) + Send + Sync>;

/// A function for which there are no nodes.
#[derive(Clone)]
pub struct Function(pub(crate) Arc<Body>);

impl Function {
    /// The function does not unwind: where it would, the process ends.
    pub fn new(body: impl Fn(&mut Operands) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Box::new(body)))
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function of the caller")
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Function {}

/// Functions of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unary {
    Neg,
    Abs,
    Not,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// To the nearest whole number, the even one of two.
    Round,
}

/// Functions of two values. Integers wrap. Counts of shifts are below the number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// With a NaN on one side it is the other side, with two it is the second.
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    /// Copies of the sign come in, if the kind has one.
    Shr,
    /// Up, by a number below the number of bits.
    Rotate,
}

/// An expression: nodes, of which each refers to earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expression {
    /// The nodes and what they give.
    pub nodes: Vec<(Kind, Node)>,
    /// The functions that nodes call.
    pub functions: Vec<Function>,
}

/// How the bits of a predicate become one bit a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// Each channel its own bit.
    Each,
    /// All channels: whether any bit is set.
    Any,
    /// All channels: whether all bits are set.
    All,
}

/// The channels that something is for: of those that are active, from `shift` on, the ones in
/// `lanes`, where a predicate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask {
    /// The first channel.
    pub shift: u32,
    /// One bit for each channel.
    pub lanes: u32,
    /// Whether those that are not active count too.
    pub always: bool,
    /// The number of a predicate; 0 for none.
    pub predicate: u32,
    /// How its bits combine.
    pub combine: Combine,
    /// Whether they are turned over after that.
    pub inverse: bool,
}

/// How values compare. With a NaN none holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

/// Logic of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Logic {
    And,
    Or,
    Xor,
    /// Of the first alone.
    Not,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Something that the caller has to do.
    Outside,
    /// Nothing.
    Nothing,
    /// Gives the channels' values to elements that follow each other.
    Compute {
        /// The values.
        expression: Expression,
        /// Which of them.
        result: Value,
        /// The first channel's element.
        to: u32,
    },
    /// Sets the bits of a predicate.
    Compare {
        /// The values.
        expression: Expression,
        /// What is asked.
        relation: Relation,
        /// Of which values.
        sides: [Value; 2],
        /// Whether the answer is turned over.
        inverse: bool,
        /// The predicate.
        to: u32,
    },
    /// Sets the bits of a predicate.
    Logic {
        /// What of.
        logic: Logic,
        /// The predicates.
        from: [u32; 2],
        /// The predicate.
        to: u32,
    },
    /// Replaces an element of the table of state variables by 32 bits of the registers.
    SetState {
        /// The element.
        element: u32,
        /// Where the bits stand.
        from: u32,
        /// What they are, if they always are the same.
        number: Option<u32>,
    },
    /// Sets bits of 32 that say how the caller computes. The code goes on where they are then as it
    /// computes itself; otherwise the caller has to do it. A thread may begin with it whatever they
    /// are.
    Control {
        /// Where they stand.
        at: u32,
        /// The bits to set.
        bits: u32,
        /// All of them where the code goes on.
        plain: u32,
    },
    /// Moves elements between memory and registers.
    Transfer(Transfer),
}

/// A step of a block.
#[derive(Clone, Debug)]
pub struct Step {
    /// The channels.
    pub mask: Mask,
    /// What it does.
    pub action: Action,
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

#[cfg(all(target_arch = "x86_64", unix))]
impl Space {
    /// Where the dword stands in the registers that says which memory it is.
    pub(crate) fn number(self) -> Option<u32> {
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

/// Blocks of steps.
#[derive(Clone, Debug, Default)]
pub struct Routine {
    /// Bytes of the register file that may be read and written.
    pub register_bytes: u32,
    /// Number of predicates.
    pub predicates: u32,
    /// Number of elements of state variables.
    pub states: u32,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Whether steps and channels are counted.
    pub count: bool,
}

/// Steps that are done one after the other.
#[derive(Clone, Debug)]
pub struct Block {
    /// The steps.
    pub steps: Vec<Step>,
    /// How many instructions it counts as.
    pub instructions: u32,
    /// What comes behind.
    pub end: End,
}

/// What comes behind a block. Channels that wait for a block, in the table of those, join when it
/// begins.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// The next block.
    Fall,
    /// Channels branch.
    Branch {
        /// Those.
        mask: Mask,
        /// Whether the first decides for all.
        uniform: bool,
        /// Where to.
        target: u32,
    },
    /// All go, or none, past others that wait; the first decides.
    Jump {
        /// It.
        mask: Mask,
        /// Where to.
        target: u32,
    },
    /// What the caller has to find out, and what that may be.
    Outside(Behind),
}

/// What comes behind a block of which the caller finds it out. It may read no registers for that
/// but for [`Behind::Anything`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// The next block, for the same channels.
    Next,
    /// The end for channels; others, if there are any, go on: those that wait for a later block, or
    /// the next one. It is the end of the thread when none wait and the active ones are all among
    /// these.
    Others(u32),
    /// Anything.
    Anything,
}
