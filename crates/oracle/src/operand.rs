//! Operands: positions and values of their elements. Chapter 5, *Vector operands* and *Regions*.

use visakit::isa::{
    ConstOpnd, DataType, DataTypeClass, Modifier, Operand, Predicate, RawOperand, Region, StateClass, VecOperand,
    predefined,
};
use visakit::rt::immediate_bits;
use visakit_kernels::layout::Layout;
use visakit_machine::fault::Trap;
use visakit_machine::float::FloatMode;
use visakit_machine::thread::Thread;

use crate::float::Format;
use crate::value::{Float, Integer, Value};

/// Operand with its position.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    /// Type of the elements.
    pub(crate) data_type: DataType,
    pub(crate) modifier: Modifier,
    /// True for a raw operand.
    pub(crate) raw: bool,
    /// Type in which values are computed; the element type for a destination.
    pub(crate) execution: DataType,
    /// Number of bytes that come from the first of two fused threads; the remaining bytes come from
    /// the second.
    pub(crate) shared: Option<u64>,
    /// End of the variables in the register file.
    end: u32,
}

/// Position of an operand's elements.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Register file: at a fixed offset, or at an address.
    Registers { start: Start, walk: Walk },
    /// Null variable.
    Null,
    /// Elements of a constant, repeated cyclically.
    Constant(Vec<u64>),
    /// Predicate number in the thread, and number of elements.
    Predicate { number: u32, elements: u32 },
    /// Elements of an address variable: the first register offset, and the number before they
    /// repeat.
    Address { first: u32, width: u32 },
    /// Elements of a state variable.
    State { first: u32 },
}

/// Start of a region.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    At(u64),
    /// Address in an element of an address variable, plus an offset.
    Address {
        /// Register offset of the element.
        at: u32,
        added: i64,
    },
    /// Address in one element per row, plus an offset.
    Rows {
        /// Register offset of the first row's element.
        at: u32,
        added: i64,
    },
}

/// Strides of a region, in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) vertical: u64,
    pub(crate) width: u64,
    pub(crate) horizontal: u64,
}

/// Context for resolving operands.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) layout: &'a Layout,
    /// Returns the number of elements of a predicate, by its id.
    pub(crate) predicate_elements: &'a dyn Fn(u32) -> u32,
}

impl Place {
    /// Resolves a vector operand; a destination has a horizontal stride only.
    pub(crate) fn vector(operand: &VecOperand, written: bool, scope: Scope<'_>) -> Result<Self, String> {
        let layout = scope.layout;
        let (kind, data_type) = match &operand.operand {
            Operand::General(general) => {
                let variable = layout.variable(general.id).ok_or("the variable is not declared")?;
                let start = u64::from(variable.offset)
                    + u64::from(general.row_offset) * u64::from(layout.grf_bytes)
                    + u64::from(general.col_offset) * bytes_of(variable.data_type);
                let walk = walk(&general.region, written);
                let kind = match variable.root == predefined::NULL {
                    true => Kind::Null,
                    false => Kind::Registers { start: Start::At(start), walk },
                };
                (kind, variable.data_type)
            }
            Operand::Indirect(indirect) => {
                let first = layout.address(indirect.id.0).ok_or("the address variable is not declared")?;
                let at = first + u32::from(indirect.addr_offset) * 4;
                let added = indirect.indirect_offset.into();
                // Without a vertical stride each row has its own address; a region of one row has
                // one address.
                let rows = indirect.region.vertical_stride.elements().is_none()
                    && indirect.region.width.elements().is_some();
                let start = if rows { Start::Rows { at, added } } else { Start::Address { at, added } };
                let walk = walk(&indirect.region, written);
                (Kind::Registers { start, walk }, indirect.bit_properties.type_)
            }
            Operand::Immediate(constant) => {
                let data_type = constant.type_.element().unwrap_or(constant.type_);
                (Kind::Constant(elements(constant)), data_type)
            }
            Operand::Predicate(predicate) => (self::predicate(predicate.value, scope)?, DataType::Bool),
            Operand::Address(address) => {
                let first = layout.address(address.id.0).ok_or("the address variable is not declared")?;
                let width = address.width.elements();
                (Kind::Address { first: first + u32::from(address.offset) * 4, width }, DataType::Ud)
            }
            Operand::State(state) => {
                let first = match state.class {
                    StateClass::Surface => layout.surface(state.id.into()),
                    StateClass::Sampler => layout.sampler(state.id.into()),
                };
                let first = first.ok_or("the state variable is not declared")?;
                (Kind::State { first: first + u32::from(state.offset) }, DataType::Ud)
            }
        };
        let (modifier, end) = (operand.modifier, layout.len);
        Ok(Self { kind, data_type, modifier, raw: false, execution: data_type, shared: None, end })
    }

    /// Resolves a raw operand: contiguous elements of its variable.
    pub(crate) fn raw(operand: &RawOperand, scope: Scope<'_>) -> Result<Self, String> {
        let variable = scope.layout.variable(operand.id).ok_or("the variable is not declared")?;
        let start = u64::from(variable.offset) + u64::from(operand.offset);
        let walk = Walk { vertical: 1, width: 1, horizontal: 0 };
        let kind = match variable.root == predefined::NULL {
            true => Kind::Null,
            false => Kind::Registers { start: Start::At(start), walk },
        };
        let data_type = variable.data_type;
        let end = scope.layout.len;
        Ok(Self { kind, data_type, modifier: Modifier::None, raw: true, execution: data_type, shared: None, end })
    }

    /// Returns the byte offset of an element in the register file.
    pub(crate) fn offset(&self, index: u64, thread: &Thread) -> Result<u32, Box<Trap>> {
        let Kind::Registers { start, walk } = &self.kind else {
            return Err(Box::new(Trap::Illegal("an operand outside the registers".to_owned())));
        };
        let size = bytes_of(self.data_type);
        let (row, column) = (index / walk.width, index % walk.width);
        let (along, down) = (column * walk.horizontal * size, row * walk.vertical * size);
        let pointed = |at: u32, added: i64| {
            let address = address_element(thread, at).unwrap_or(u32::MAX);
            u64::from(address).wrapping_add_signed(added)
        };
        let offset = match *start {
            Start::At(start) => start.saturating_add(along + down),
            Start::Address { at, added } => pointed(at, added).wrapping_add(along + down),
            Start::Rows { at, added } => pointed(at + row as u32 * 4, added).wrapping_add(along),
        };
        let at = u32::try_from(offset).unwrap_or(u32::MAX);
        // The registers after the variables belong to no operand.
        let is_inside = matches!(start, Start::At(_)) || offset.saturating_add(size) <= self.end.into();
        match thread.registers.holds(at, size as usize) && is_inside {
            true => Ok(at),
            // The page, not the register contents, selected this element.
            false if matches!(start, Start::At(_)) => {
                Err(Box::new(Trap::Illegal("an element outside the registers".to_owned())))
            }
            false => Err(Box::new(Trap::Indirect { lane: index as u32, offset: at })),
        }
    }

    /// Returns the value of an element after its modifier, in the computation type.
    pub(crate) fn read(&self, index: u64, thread: &Thread) -> Result<Value, Box<Trap>> {
        let bits = match &self.kind {
            Kind::Null => 0,
            Kind::Registers { .. } => {
                let at = self.offset(index, thread)?;
                register(thread, at, bytes_of(self.data_type) as usize)
            }
            Kind::Constant(values) => values[index as usize % values.len()],
            Kind::Predicate { number, .. } => {
                return Ok(Value::Truth(thread.predicates[*number as usize] >> index & 1 == 1));
            }
            Kind::Address { first, width } => {
                let n = (index % u64::from(*width).max(1)) as u32;
                address_element(thread, first + n * 4).unwrap_or(0).into()
            }
            Kind::State { first } => {
                thread.surfaces.get(*first as usize + index as usize).copied().unwrap_or(0).into()
            }
        };
        let value = modified(Value::of_bits(self.data_type, bits), self.modifier, thread.mode);
        Ok(converted(value, self.execution, thread.mode))
    }

    /// Makes the elements of the operand contiguous in the variable.
    pub(crate) fn in_a_row(mut self) -> Self {
        if let Kind::Registers { walk, .. } = &mut self.kind {
            *walk = Walk { vertical: 1, width: 1, horizontal: 0 };
        }
        self
    }

    /// Returns true if all channels share one element.
    pub(crate) fn is_scalar(&self) -> bool {
        match &self.kind {
            Kind::Constant(_) => true,
            // Rows with their own addresses have different elements.
            Kind::Registers { start: Start::Rows { .. }, .. } => false,
            Kind::Registers { walk, .. } => walk.vertical == 0 && (walk.width == 1 || walk.horizontal == 0),
            _ => false,
        }
    }
}

/// Returns the size of an element in bytes.
pub(crate) fn bytes_of(data_type: DataType) -> u64 {
    u64::from(data_type.bits() / 8).max(1)
}

/// Reads up to eight bytes of the register file as a number.
pub(crate) fn register(thread: &Thread, at: u32, size: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes[..size].copy_from_slice(&thread.registers.bytes(at)[..size]);
    u64::from_le_bytes(bytes)
}

/// Returns an element of an address variable.
fn address_element(thread: &Thread, at: u32) -> Option<u32> {
    thread.registers.holds(at, 4).then(|| thread.registers.get(at))
}

/// Resolves a predicate by its id.
pub(crate) fn predicate(predicate: Predicate, scope: Scope<'_>) -> Result<Kind, String> {
    let id = u32::from(predicate.id);
    let number = scope.layout.predicate(id).ok_or("the predicate is not declared")?;
    Ok(Kind::Predicate { number, elements: (scope.predicate_elements)(id) })
}

fn walk(region: &Region, written: bool) -> Walk {
    let horizontal = region.horizontal_stride.elements().map_or(1, u64::from);
    match written {
        // A destination has one stride.
        true => Walk { vertical: horizontal, width: 1, horizontal: 0 },
        false => Walk {
            vertical: region.vertical_stride.elements().map_or(0, u64::from),
            width: region.width.elements().map_or(u64::MAX, u64::from).max(1),
            horizontal,
        },
    }
}

/// Returns the bits of a constant's elements.
fn elements(constant: &ConstOpnd) -> Vec<u64> {
    let Some(count) = constant.type_.packed() else {
        let bits = immediate_bits(constant);
        return vec![bits & crate::convert::ones(constant.type_.bits())];
    };
    let width = constant.type_.bits() / count;
    (0..count)
        .map(|n| {
            let part = u64::from(constant.low) >> (n * width) & crate::convert::ones(width);
            match constant.type_.class() {
                DataTypeClass::Float => packed_float(part),
                DataTypeClass::Signed if part >> (width - 1) == 1 => (part | !crate::convert::ones(width)) & 0xffff,
                _ => part,
            }
        })
        .collect()
}

/// Converts eight bits of a packed constant to an F: a sign, three exponent bits and four fraction
/// bits.
fn packed_float(bits: u64) -> u64 {
    let sign = (bits >> 7) << 31;
    if bits & 0x7f == 0 {
        return sign;
    }
    // The exponent bias is 3 in the packed format and 127 in F.
    sign | ((bits >> 4 & 7) + 124) << 23 | (bits & 15) << 19
}

/// Applies a source modifier. Chapter 5: `abs` comes before `negate`.
fn modified(value: Value, modifier: Modifier, _: FloatMode) -> Value {
    match (value, modifier) {
        (value, Modifier::None | Modifier::Sat) => value,
        (Value::Integer(Integer { value, bits }), modifier) => {
            let value = match modifier {
                Modifier::Abs => value.wrapping_abs(),
                Modifier::Negate => value.wrapping_neg(),
                Modifier::NegateAbs => value.wrapping_abs().wrapping_neg(),
                _ => !value,
            };
            Value::Integer(Integer { value, bits })
        }
        (Value::Float(Float { format, bits, slack }), modifier) => {
            let bits = match modifier {
                Modifier::Abs => bits & !format.sign(),
                Modifier::Negate => bits ^ format.sign(),
                Modifier::NegateAbs => bits | format.sign(),
                _ => bits ^ crate::convert::ones(format.bits()),
            };
            // It is unspecified whether a modified NaN still signals.
            match format.is_nan(bits) {
                true => Value::computed(format, bits),
                false => Value::Float(Float { format, bits, slack }),
            }
        }
        (value, _) => value,
    }
}

/// Converts a source to the computation type. Integers keep their values and get the type's width.
fn converted(value: Value, to: DataType, mode: FloatMode) -> Value {
    match (value, Format::of(to)) {
        (Value::Integer(Integer { value, .. }), None) => Value::sized(value, to.bits()),
        (Value::Float(float), Some(format)) if format != float.format => {
            Value::float(format, float.format.convert(float.bits, format, mode))
        }
        (value, _) => value,
    }
}

/// Returns true for float types used in computations, including packed ones.
fn is_computed(data_type: DataType) -> bool {
    data_type.class() == DataTypeClass::Float && (Format::of(data_type).is_some() || data_type.packed().is_some())
}

/// Returns the execution type: chapter 2, *Execution type*. Returns `None` if integers and floats
/// are mixed.
pub(crate) fn execution_type(sources: &[DataType], destination: Option<DataType>) -> Option<DataType> {
    // Eight-bit floats exist only in named conversions; otherwise their bits count as integers.
    let floats = sources.iter().filter(|t| is_computed(**t)).count();
    if floats == 0 {
        let width = sources.iter().map(|t| t.bits()).max().unwrap_or(16).max(16);
        let signed = sources.iter().any(|t| t.class() == DataTypeClass::Signed);
        return Some(match (width, signed) {
            (64, true) => DataType::Q,
            (64, false) => DataType::Uq,
            (32, true) => DataType::D,
            (32, false) => DataType::Ud,
            (_, true) => DataType::W,
            (_, false) => DataType::Uw,
        });
    }
    if floats != sources.len() {
        return None;
    }
    let mut all = sources.iter().copied().chain(destination.filter(|t| is_computed(*t)));
    let first = all.next()?;
    Some(all.fold(first, |a, b| match (a, b) {
        (a, b) if a == b => a,
        (DataType::Df, _) | (_, DataType::Df) => DataType::Df,
        _ => DataType::F,
    }))
}
