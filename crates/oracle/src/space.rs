//! Address spaces of a page's memory accesses.

/// Memory that an instruction addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) space: Space,
    /// Number of significant address bits.
    pub(crate) bits: u32,
    /// True if addresses need not be multiples of the access size.
    pub(crate) unaligned: bool,
}

/// Address space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Flat memory.
    Flat,
    /// Flat memory from the address in an operand.
    FlatFrom(usize),
    /// Shared local memory.
    Local,
    /// Shared local memory from the offset in an operand.
    LocalFrom(usize),
    /// Scratch memory.
    Scratch,
    /// Scratch memory from the start of the surface state that an operand names.
    ScratchFrom(usize),
    /// Scratch memory from the offset in the register at this position.
    ScratchAt(u32),
    /// Scratch memory from the start of the arguments, which `%r0` holds.
    Arguments,
    /// Binding table entry whose index is in an element of the state variables.
    Surface(u32),
    /// Surface whose state is at the offset in an element of the state variables.
    State(u32),
    /// Binding table entry whose index is in an operand.
    Entry(usize),
    /// Surface whose state is at the offset in an operand.
    Offset(usize),
    /// Surface whose state is at the address in an operand.
    StateAddress(usize),
}
