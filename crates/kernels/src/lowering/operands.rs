//! Operands: resolves the operands of an instruction to register locations and access functions.

use crate::lowering::context::Lowering;
use crate::lowering::error::{LowerError, LowerResult, illegal};
use crate::lowering::layout::Variable;
use crate::lowering::reads::Reads;
use crate::lowering::shape::strides;
use crate::lowering::types::{element_bytes, is_saturated};
use visakit::isa::{ConstOpnd, DataType, DataTypeClass, GenOpnd, GeneralId, IndirectOpnd, Modifier, Operand};
use visakit::isa::{RawOperand, Stride, VecOperand, predefined};
use visakit::rt::immediate_bits;
use visakit_machine::convert::Compute;
use visakit_machine::lane::{Change, LANES, MAX_LANES};
use visakit_machine::operand::{Destination, Source};
use visakit_machine::region::{Region, Start};
use visakit_machine::thread::Thread;

impl Lowering<'_> {
    /// Lowers a source operand of a kernel that computes in `T`, for `lanes` channels.
    pub fn source<T: Compute>(&mut self, operand: &VecOperand, lanes: usize) -> LowerResult<Source<T>> {
        let data_type = self.type_of(operand)?;
        self.source_as(operand, data_type, lanes)
    }

    /// As [`Lowering::source`], with the values interpreted as another type of the same size.
    pub fn source_as<T: Compute>(
        &mut self,
        operand: &VecOperand,
        data_type: DataType,
        lanes: usize,
    ) -> LowerResult<Source<T>> {
        let Some(fetch) = T::fetch(data_type) else {
            return illegal(format!("an operand of type {} is not allowed here", data_type.name()));
        };
        let change = change(operand.modifier, data_type);
        if let Operand::Immediate(constant) = &operand.operand {
            let (region, is_native) = self.immediate::<T>(constant, data_type, lanes)?;
            return Ok(Source::new(region, fetch, is_native, change));
        }
        let region = self.region(operand, lanes)?;
        if lanes > LANES {
            self.notes.second_chunk.push(bytes_of(&region.chunk(1), element_bytes(data_type)?));
        }
        Ok(Source::new(region, fetch, T::is_native(data_type), change))
    }

    /// Lowers a source in a given region, with the operand's modifier.
    pub fn source_in<T: Compute>(
        &mut self,
        operand: &VecOperand,
        data_type: DataType,
        region: Region,
    ) -> LowerResult<Source<T>> {
        let Some(fetch) = T::fetch(data_type) else {
            return illegal(format!("an operand of type {} is not allowed here", data_type.name()));
        };
        let size = element_bytes(data_type)?;
        match region.start {
            Start::At(start) if u64::from(start) + region.extent(size) <= u64::from(self.layout.len) => {}
            _ => return illegal("an operand extends past the end of the registers"),
        }
        Ok(Source::new(region, fetch, T::is_native(data_type), change(operand.modifier, data_type)))
    }

    /// Lowers a destination operand of a kernel that computes in `T`, for `lanes` channels.
    pub fn destination<T: Compute>(&mut self, operand: &VecOperand, lanes: usize) -> LowerResult<Destination<T>> {
        let data_type = self.type_of(operand)?;
        self.destination_as(operand, data_type, lanes)
    }

    /// As [`Lowering::destination`], with the values interpreted as another type of the same size.
    pub fn destination_as<T: Compute>(
        &mut self,
        operand: &VecOperand,
        data_type: DataType,
        lanes: usize,
    ) -> LowerResult<Destination<T>> {
        let saturate = is_saturated(operand);
        let Some(put) = T::put(data_type, saturate) else {
            return illegal(format!("a result cannot be stored with type {}", data_type.name()));
        };
        if let Operand::General(general) = &operand.operand {
            let variable = self.variable(general.id)?;
            if variable.root == predefined::NULL {
                return Ok(Destination::nowhere(put));
            }
            if variable.root == predefined::CR0 {
                self.notes.writes_control = self.root_offset(variable.root);
            }
            self.notes.pauses |= variable.root == predefined::TSC;
        }
        let mut region = match &operand.operand {
            Operand::General(general) => self.general_region(general, lanes)?,
            _ => self.region(operand, lanes)?,
        };
        // A destination has a single stride; the region's rows are ignored.
        region.vertical = region.horizontal;
        region.width = 1;
        let destination = Destination::new(region, put, T::is_native(data_type) && !saturate);
        let first = bytes_of(&region.chunk(0), element_bytes(data_type)?);
        let overlaps = |read: &std::ops::Range<u64>| read.start < first.end && first.start < read.end;
        if lanes > LANES && self.notes.second_chunk.iter().any(overlaps) {
            return self.postpone(destination, lanes);
        }
        Ok(destination)
    }

    /// Declares that the instruction reads all sources before the first write, so that destinations
    /// may overlap them.
    pub fn reads_all_first(&mut self) {
        self.notes.second_chunk.clear();
    }

    /// Returns a temporary destination, and notes that the results move to the real one after all
    /// have been computed.
    fn postpone<T: Compute>(&mut self, real: Destination<T>, lanes: usize) -> LowerResult<Destination<T>> {
        let at = self.push_constants(&[T::default(); MAX_LANES]);
        let waiting = real.waiting_at(at);
        self.notes.postponed.push(Box::new(move |thread, enabled| {
            for n in 0..lanes.div_ceil(LANES) {
                let values: [T; LANES] = thread.registers.load(at + (n * LANES * T::SIZE) as u32);
                real.store(thread, n, &values, enabled >> (n * LANES));
            }
        }));
        Ok(waiting)
    }

    /// Returns the type of an operand's values; BOOL for a predicate.
    pub fn type_of(&self, operand: &VecOperand) -> LowerResult<DataType> {
        Ok(match &operand.operand {
            Operand::General(general) => self.variable(general.id)?.data_type,
            Operand::Indirect(indirect) => indirect.bit_properties.type_,
            Operand::Immediate(constant) => constant.type_.element().unwrap_or(constant.type_),
            Operand::Predicate(_) => DataType::Bool,
            Operand::Address(_) => DataType::Uw,
            Operand::State(_) => DataType::Ud,
        })
    }

    /// Returns the region of an operand's channels.
    pub fn region(&mut self, operand: &VecOperand, lanes: usize) -> LowerResult<Region> {
        match &operand.operand {
            Operand::General(general) => {
                self.note_special(self.variable(general.id)?);
                self.general_region(general, lanes)
            }
            Operand::Indirect(indirect) => {
                let region = self.indirect_region(indirect, lanes)?;
                self.notes.indirect.push((region, element_bytes(indirect.bit_properties.type_)?));
                Ok(region)
            }
            _ => illegal("an operand of this class is not allowed here"),
        }
    }

    /// Returns the region of a general operand's channels.
    pub(crate) fn general_region(&self, general: &GenOpnd, lanes: usize) -> LowerResult<Region> {
        let variable = self.variable(general.id)?;
        // The null register reads as zeros for any region.
        if variable.root == predefined::NULL {
            return Ok(Region::scalar(self.root_offset(variable.root).unwrap_or(variable.offset), lanes as u32));
        }
        let size = element_bytes(variable.data_type)?;
        let grf = self.layout.grf_bytes;
        let start = u64::from(variable.offset)
            + u64::from(general.row_offset) * u64::from(grf)
            + u64::from(general.col_offset) * u64::from(size);
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let region = strides(&general.region, Start::At(start), size, lanes);
        if u64::from(start) + region.extent(size) > u64::from(self.layout.len) {
            return illegal("an operand extends past the end of the registers");
        }
        Ok(region)
    }

    /// Returns the region of an indirect operand's channels.
    pub(crate) fn indirect_region(&self, indirect: &IndirectOpnd, lanes: usize) -> LowerResult<Region> {
        let size = element_bytes(indirect.bit_properties.type_)?;
        let displacement = i32::from(indirect.indirect_offset);
        let at = self.address_element(indirect.id.0, u32::from(indirect.addr_offset))?;
        let rows = indirect.region.vertical_stride == Stride::Null && indirect.region.width != Stride::Null;
        let start = if rows { Start::Addresses { at, displacement } } else { Start::Address { at, displacement } };
        let region = strides(&indirect.region, start, size, lanes);
        let needed = if rows { lanes as u32 / region.width } else { 1 };
        if at + needed * 4 > self.layout.addresses().end {
            return illegal("an indirect operand uses more address elements than its variable has");
        }
        Ok(region)
    }

    /// Returns the register offset of an address variable's element.
    pub fn address_element(&self, id: u32, offset: u32) -> LowerResult<u32> {
        match self.layout.address(id).and_then(|first| first.checked_add(offset.checked_mul(4)?)) {
            Some(at) if at < self.layout.addresses().end => Ok(at),
            _ => illegal(format!("address variable A{id} has no element {offset}")),
        }
    }

    /// Stores an immediate as constants after the variables. Returns their region, and true if they
    /// have been converted to `T`.
    fn immediate<T: Compute>(
        &mut self,
        constant: &ConstOpnd,
        as_type: DataType,
        lanes: usize,
    ) -> LowerResult<(Region, bool)> {
        // Packed immediates repeat after eight or four channels, so one chunk of values is
        // sufficient.
        let packed = constant.type_.packed().is_some();
        let values = if packed { LANES } else { 1 };
        // Stores the constant in its own type and reads it back as the kernel reads registers of
        // that type.
        let mut scratch = Thread::scratch(LANES * 8);
        let size = element_bytes(as_type)?;
        for lane in 0..values {
            let bits = packed_element(constant, lane).to_le_bytes();
            let at = lane as u32 * size;
            scratch.registers.bytes_mut(at)[..size as usize].copy_from_slice(&bits[..size as usize]);
        }
        let Some(fetch) = T::fetch(as_type) else { return illegal("a constant is not allowed here") };
        let all = fetch(&scratch, &Region::contiguous(0, size, LANES as u32));
        // A denormal constant is converted at run time, because the mode may flush it.
        scratch.set_mode(0);
        let other = fetch(&scratch, &Region::contiguous(0, size, LANES as u32));
        let mut bytes = [[0; 16]; 2];
        let [one, flushed] = &mut bytes;
        T::store(&mut one[..T::SIZE], &[all[0]]);
        T::store(&mut flushed[..T::SIZE], &[other[0]]);
        if !packed && one != flushed {
            let offset = self.push_constants(&scratch.registers.bytes(0)[..size as usize]);
            return Ok((Region::scalar(offset, lanes as u32), false));
        }
        let mut offset = self.push_constants(&all[..values]);
        if packed && lanes > LANES {
            // The second chunk has the same values.
            offset = self.push_constants(&[all, all].concat());
        }
        let lanes = lanes as u32;
        let region =
            if packed { Region::contiguous(offset, T::SIZE as u32, lanes) } else { Region::scalar(offset, lanes) };
        Ok((region, true))
    }

    /// Returns the offset of a raw operand of `bytes` bytes; `None` for the null operand.
    pub fn raw(&mut self, operand: &RawOperand, bytes: u64) -> LowerResult<Option<u32>> {
        if operand.id == predefined::NULL {
            return Ok(None);
        }
        let variable = self.variable(operand.id)?;
        let start = u64::from(variable.offset) + u64::from(operand.offset);
        if start + bytes > u64::from(self.layout.len) {
            return illegal("a raw operand extends past the end of the registers");
        }
        self.note_special(variable);
        Ok(Some(start as u32))
    }

    /// Returns how many of the `count` elements of `size` bytes of a raw destination are used.
    pub fn used_of(&self, operand: &RawOperand, size: u32, count: usize) -> LowerResult<usize> {
        let variable = self.variable(operand.id)?;
        let reads = self.reads.get_or_init(|| Reads::of(self.routine, self.layout));
        Ok(reads.used(variable.root, variable.offset.saturating_add(operand.offset.into()), size, count))
    }

    /// Returns true if an instruction reads any of `bytes`, relative to a raw operand's start.
    pub fn is_read(&self, operand: &RawOperand, bytes: std::ops::Range<u32>) -> LowerResult<bool> {
        let variable = self.variable(operand.id)?;
        let reads = self.reads.get_or_init(|| Reads::of(self.routine, self.layout));
        let first = variable.offset.saturating_add(operand.offset.into());
        let place = first.saturating_add(bytes.start)..first.saturating_add(bytes.end);
        Ok(reads.is_read(variable.root, &place))
    }

    /// Returns the offset of a raw operand that must not be null.
    pub fn raw_required(&mut self, operand: &RawOperand, bytes: u64) -> LowerResult<u32> {
        match self.raw(operand, bytes)? {
            Some(offset) => Ok(offset),
            None => illegal("a required operand is null"),
        }
    }

    /// Returns a variable with its location.
    pub fn variable(&self, id: GeneralId) -> LowerResult<Variable> {
        self.layout.variable(id).ok_or_else(|| LowerError::Illegal(format!("variable {} is not declared", id.0)))
    }

    fn root_offset(&self, id: GeneralId) -> Option<u32> {
        self.layout.variable(id).map(|variable| variable.offset)
    }

    fn note_special(&mut self, variable: Variable) {
        if variable.root == predefined::CE0 {
            self.notes.reads_channel_enable = self.root_offset(variable.root);
        }
        if variable.root == predefined::TSC {
            self.notes.reads_time = self.root_offset(variable.root);
        }
    }
}

/// Returns the register byte range of a region; the whole register file for an indirect region.
fn bytes_of(region: &Region, size: u32) -> std::ops::Range<u64> {
    match region.start {
        Start::At(offset) => u64::from(offset)..u64::from(offset) + region.extent(size),
        _ => 0..u64::MAX,
    }
}

/// Returns the effect of a modifier on values of a type. Unsigned values equal their absolute
/// value.
fn change(modifier: Modifier, data_type: DataType) -> Change {
    let unsigned = data_type.class() == DataTypeClass::Unsigned;
    match modifier {
        Modifier::None | Modifier::Sat => Change::None,
        Modifier::Abs if unsigned => Change::None,
        Modifier::Abs => Change::Abs,
        Modifier::Negate => Change::Negate,
        Modifier::NegateAbs if unsigned => Change::Negate,
        Modifier::NegateAbs => Change::NegateAbs,
        Modifier::Not => Change::Not,
    }
}

/// Returns the bits of an immediate for a channel: the value, or an element of a packed vector,
/// which repeats.
fn packed_element(constant: &ConstOpnd, lane: usize) -> u64 {
    let Some(count) = constant.type_.packed() else { return immediate_bits(constant) };
    let bits = constant.type_.bits() / count;
    let part = constant.low >> (lane as u32 % count * bits) & ((1 << bits) - 1);
    match constant.type_.class() {
        DataTypeClass::Signed => {
            let sign = 1 << (bits - 1);
            ((part ^ sign).wrapping_sub(sign)).into()
        }
        DataTypeClass::Float => restricted_float(part as u8).to_bits().into(),
        _ => part.into(),
    }
}

/// Converts a restricted 8-bit float: sign, three exponent bits with bias 3, four fraction bits;
/// all zeros except the sign stand for zero.
fn restricted_float(bits: u8) -> f32 {
    let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
    if bits & 0x7f == 0 {
        return 0.0 * sign;
    }
    let exponent = i32::from(bits >> 4 & 7) - 3;
    sign * (1.0 + f32::from(bits & 0xf) / 16.0) * 2.0_f32.powi(exponent)
}
