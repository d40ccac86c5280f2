//! Construction of operands from a builder's handles and from numbers.

use crate::isa::{
    AddrOpnd, AddressId, ConstOpnd, DataType, GenOpnd, GeneralId, IndirectOpnd, IndirectOpndBitProperties, Modifier,
    Operand, PredOpnd, Predicate, PredicateId, RawOperand, Region, SamplerId, StateClass, StateOpnd, Stride,
    SurfaceId, VecOperand,
};

/// Region of a destination with contiguous elements.
const DESTINATION: Region =
    Region { vertical_stride: Stride::Null, width: Stride::Null, horizontal_stride: Stride::N1 };

/// Region of a source that broadcasts one element to all channels.
const SCALAR: Region = Region { vertical_stride: Stride::N0, width: Stride::N1, horizontal_stride: Stride::N0 };

impl GeneralId {
    /// Returns a destination operand `V32(row,column)<1>`. It starts `row` registers and `column`
    /// elements into the variable.
    ///
    /// ```
    /// use visakit::isa::{GeneralId, Stride};
    /// assert_eq!(GeneralId(32).dst(1, 0).stride(Stride::N2).to_string(), "V32(1,0)<2>");
    /// ```
    pub fn dst(self, row: u8, column: u8) -> VecOperand {
        let general = GenOpnd { id: self, row_offset: row, col_offset: column, region: DESTINATION };
        VecOperand::from(Operand::General(general))
    }

    /// Returns a source operand `V32(row,column)<0;1,0>`, which broadcasts one element to all
    /// channels. [`VecOperand::region`] sets another region.
    ///
    /// ```
    /// use visakit::isa::{GeneralId, Stride};
    /// let eight = GeneralId(32).src(0, 0).region(Stride::N8, Stride::N8, Stride::N1);
    /// assert_eq!(eight.to_string(), "V32(0,0)<8;8,1>");
    /// ```
    pub fn src(self, row: u8, column: u8) -> VecOperand {
        let general = GenOpnd { id: self, row_offset: row, col_offset: column, region: SCALAR };
        VecOperand::from(Operand::General(general))
    }

    /// Returns the variable's bytes from `offset` on as a message operand.
    pub fn raw(self, offset: u16) -> RawOperand {
        RawOperand { id: self, offset }
    }
}

impl AddressId {
    /// Returns the address variable itself as a scalar operand, such as the destination of
    /// `addr_add`.
    pub fn element(self, offset: u8) -> VecOperand {
        VecOperand::from(Operand::Address(AddrOpnd { id: self, offset, ..AddrOpnd::default() }))
    }

    /// Returns an indirect operand such as `r[A0(0),16]<0;1,0>:ud`: the data at the address in
    /// `element` plus `bytes`. For a destination, set [`VecOperand::stride`] instead of the region.
    pub fn indirect(self, element: u8, bytes: i16, data_type: DataType) -> VecOperand {
        VecOperand::from(Operand::Indirect(IndirectOpnd {
            id: self,
            addr_offset: element,
            indirect_offset: bytes,
            bit_properties: IndirectOpndBitProperties { type_: data_type, ..Default::default() },
            region: SCALAR,
        }))
    }
}

impl PredicateId {
    /// Returns the predicate of an instruction, which enables the channels whose bit is set. To set
    /// `inverse` or `combine`, write `Predicate { inverse: true, ..p.enable() }`.
    pub fn enable(self) -> Predicate {
        Predicate { id: self.small(), ..Predicate::default() }
    }

    /// Returns the predicate as an operand, such as the destination of `cmp`.
    pub fn operand(self) -> VecOperand {
        VecOperand::from(Operand::Predicate(PredOpnd { value: self.enable() }))
    }

    /// Returns the number in 16 bits. A larger number becomes `u16::MAX`, which fails to encode.
    fn small(self) -> u16 {
        u16::try_from(self.0).unwrap_or(u16::MAX)
    }
}

/// Returns an element of a state variable as an operand.
fn state(class: StateClass, id: u32, offset: u8) -> VecOperand {
    let id = u16::try_from(id).unwrap_or(u16::MAX);
    VecOperand::from(Operand::State(StateOpnd { class, id, offset }))
}

impl SurfaceId {
    /// Returns an element of the variable as an operand, to move it or to take its address.
    pub fn element(self, offset: u8) -> VecOperand {
        state(StateClass::Surface, self.0, offset)
    }
}

impl SamplerId {
    /// Returns an element of the variable as an operand, to move it or to take its address.
    pub fn element(self, offset: u8) -> VecOperand {
        state(StateClass::Sampler, self.0, offset)
    }
}

impl From<Operand> for VecOperand {
    fn from(operand: Operand) -> Self {
        Self { operand, ..Self::default() }
    }
}

impl VecOperand {
    /// Sets the horizontal stride of a destination. Operands without a region do not change.
    pub fn stride(self, stride: Stride) -> Self {
        self.with_region(Region { horizontal_stride: stride, ..DESTINATION })
    }

    /// Sets the region of a source: vertical stride, width, horizontal stride. Operands without a
    /// region do not change.
    pub fn region(self, vertical_stride: Stride, width: Stride, horizontal_stride: Stride) -> Self {
        self.with_region(Region { vertical_stride, width, horizontal_stride })
    }

    /// Sets the modifier: `x.src(0, 0).modifier(Modifier::Negate)`, or `Sat` for a destination.
    pub fn modifier(mut self, modifier: Modifier) -> Self {
        self.modifier = modifier;
        self
    }

    fn with_region(mut self, new: Region) -> Self {
        match &mut self.operand {
            Operand::General(general) => general.region = new,
            Operand::Indirect(indirect) => indirect.region = new,
            _ => {}
        }
        self
    }
}

/// Returns a constant of any type from its bits. Types of fewer than 32 bits use the low bits.
///
/// ```
/// use visakit::builder::{immediate, immediate_f32};
/// use visakit::isa::DataType;
/// assert_eq!(immediate(DataType::Hf, 0x3c00).to_string(), "0x3c00:hf");
/// assert_eq!(immediate_f32(1.0).to_string(), "0x3f800000:f");
/// ```
pub fn immediate(data_type: DataType, bits: u64) -> VecOperand {
    let high = (data_type.bits() == 64).then_some((bits >> 32) as u32);
    VecOperand::from(Operand::Immediate(ConstOpnd { type_: data_type, low: bits as u32, high }))
}

/// Returns a constant of type `f`.
pub fn immediate_f32(value: f32) -> VecOperand {
    immediate(DataType::F, u64::from(value.to_bits()))
}

/// Returns a constant of type `df`.
pub fn immediate_f64(value: f64) -> VecOperand {
    immediate(DataType::Df, value.to_bits())
}

/// Returns a constant of type `d`.
pub fn immediate_i32(value: i32) -> VecOperand {
    immediate(DataType::D, u64::from(value as u32))
}

/// Returns a constant of type `ud`.
pub fn immediate_u32(value: u32) -> VecOperand {
    immediate(DataType::Ud, u64::from(value))
}

/// Returns a constant of type `uq`.
pub fn immediate_u64(value: u64) -> VecOperand {
    immediate(DataType::Uq, value)
}
