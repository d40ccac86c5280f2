//! Rules of regions of vector operands, and of the start of raw operands.

use super::Report;
use crate::isa::{AliasScope, GenOpnd, Operand, PageCheck, Platform, RawOperand, Region, Stride, limits, predefined};
use crate::object::Routine;
use crate::rt::either;
use crate::rt::reflect::Field;

/// Offsets of a routine's declared variables in the variables that they are aliases of.
pub(super) struct Variables {
    register_bytes: u32,
    places: Vec<Location>,
}

#[derive(Clone, Copy)]
struct Location {
    /// Byte offset of the variable in the outermost variable.
    start: u64,
    /// Size of the outermost declared variable in bytes.
    whole: u64,
    /// Size in bytes of the variable that owns the storage, declared or predefined.
    root: u64,
    element_bytes: u32,
}

impl Variables {
    pub(super) fn new(routine: &Routine, platform: Option<Platform>) -> Self {
        let register_bytes = Platform::register_bytes_of(platform);
        let mut places: Vec<Location> = Vec::with_capacity(routine.variables.len());
        for variable in &routine.variables {
            let element_bytes = variable.bit_properties.type_.bits().div_ceil(8);
            let own = u64::from(element_bytes) * u64::from(variable.num_elements);
            // The rules of declarations report an alias of itself or of a later variable.
            let local = variable.alias_scope_specifier == AliasScope::Local;
            let base = variable.alias_index.0.checked_sub(predefined::DECLARED).filter(|_| local);
            let place = match base.and_then(|base| places.get(base as usize)) {
                Some(base) => Location { start: base.start + u64::from(variable.alias_offset), ..*base },
                None => {
                    let root = predefined_bytes(variable.alias_index.0, register_bytes)
                        .filter(|_| local && variable.alias_index.0 != 0);
                    let start = u64::from(variable.alias_offset);
                    Location { start, whole: own, root: root.unwrap_or(own), element_bytes }
                }
            };
            places.push(Location { element_bytes, ..place });
        }
        Self { register_bytes, places }
    }

    fn get(&self, id: u32) -> Option<Location> {
        self.places.get(id.checked_sub(predefined::DECLARED)? as usize).copied()
    }

    /// Returns true if an element of a predefined variable may be written.
    pub(super) fn is_writable(&self, operand: &GenOpnd) -> bool {
        let Some(variable) = predefined::ALL.iter().find(|p| p.id == operand.id.0) else { return false };
        let element = variable.data_type.bits() / 8;
        let byte = u32::from(operand.row_offset) * self.register_bytes + u32::from(operand.col_offset) * element;
        let place = byte.checked_div(element).filter(|at| at * element == byte);
        variable.written.is_some_and(|list| list.is_empty() || place.is_some_and(|at| list.contains(&at)))
    }

    /// Returns the size in bytes of the variable that owns the storage of a variable.
    pub(super) fn whole_bytes(&self, id: u32) -> Option<u64> {
        self.get(id).map(|place| place.root).or_else(|| predefined_bytes(id, self.register_bytes))
    }
}

impl Variables {
    /// Returns the first byte of an operand, the byte after its last, and the size of the variable
    /// that owns the storage; `None` for predefined variables.
    pub(super) fn extent(&self, operand: &GenOpnd, channels: u64) -> Option<(u64, u64, u64)> {
        let place = self.get(operand.id.0)?;
        let element = u64::from(place.element_bytes);
        let row = u64::from(operand.row_offset) * u64::from(self.register_bytes);
        let first = place.start + row + u64::from(operand.col_offset) * element;
        Some((first, first + (last_element(&operand.region, channels) + 1) * element, place.root))
    }
}

/// Returns the largest element offset of a region for `channels` channels.
fn last_element(region: &Region, channels: u64) -> u64 {
    let (vertical, width) = (stride(region.vertical_stride), stride(region.width));
    let horizontal = stride(region.horizontal_stride).unwrap_or(0);
    match width.filter(|&width| width > 0) {
        Some(width) => (channels / width).saturating_sub(1) * vertical.unwrap_or(0) + (width - 1) * horizontal,
        None => channels.saturating_sub(1) * horizontal,
    }
}

/// Returns the size of a predefined variable in bytes.
fn predefined_bytes(id: u32, register_bytes: u32) -> Option<u64> {
    let variable = predefined::ALL.iter().find(|p| p.id == id)?;
    Some(variable.bytes(register_bytes).into())
}

/// Page of the rules of regions.
const CHAPTER: &str = "5_operands.md";

impl Report<'_> {
    /// Checks the strides, the width and the extent of a region.
    pub(super) fn region(&mut self, field: &'static Field, operand: &Operand, is_dst: bool) {
        let region = match operand {
            Operand::General(g) => &g.region,
            Operand::Indirect(i) => &i.region,
            _ => return,
        };
        let channels = self.channels() as u64;
        if is_dst {
            self.destination_region(field, region);
        } else if self.source_region(field, region, channels)
            && let Operand::General(g) = operand
        {
            self.two_registers(field, g, channels);
        }
    }

    fn destination_region(&mut self, field: &'static Field, region: &Region) {
        let (name, horizontal) = (field.name, region.horizontal_stride);
        if stride(horizontal) == Some(0) {
            self.violated(PageCheck::ZeroStride, field.line, format!("{name} has horizontal stride 0"));
        } else if !horizontal.destination() {
            let message = format!("{name}: the stride must be {}", strides(Stride::destination));
            self.violated(PageCheck::DestinationStride, field.line, message);
        }
    }

    /// Checks the strides and the width of a source's region. Returns true if its extent can be
    /// checked.
    fn source_region(&mut self, field: &'static Field, region: &Region, channels: u64) -> bool {
        let name = field.name;
        let horizontal = region.horizontal_stride;
        let check = match stride(horizontal) {
            None => PageCheck::AbsentStride,
            Some(_) => PageCheck::SourceStride,
        };
        if !horizontal.read() {
            let legal = strides(Stride::read);
            self.violated(check, field.line, format!("{name}: the horizontal stride must be {legal} ({CHAPTER})"));
        }
        let width = stride(region.width);
        if width.is_some() && !region.width.row() {
            let legal = strides(Stride::row);
            let message = format!("{name}: the width must be {legal} ({CHAPTER})");
            self.violated(PageCheck::SourceStride, field.line, message);
        }
        if let Some(width) = width
            && width > channels
        {
            let message = format!("{name} has rows of {width} elements, but only {channels} channels ({CHAPTER})");
            self.violated(PageCheck::SourceExtent, field.line, message);
            return false;
        }
        let most = self.platform.map_or(limits::REGION_ADDRESSES, Platform::address_elements);
        if region.vertical_stride == Stride::Null
            && let Some(width) = width.filter(|&width| width > 0)
            && channels / width > u64::from(most)
        {
            let message = format!("{name} needs more than {most} addresses ({CHAPTER})");
            self.violated(PageCheck::SourceExtent, field.line, message);
        }
        width != Some(0)
    }

    /// Checks that a message reads its region from a few contiguous registers.
    fn two_registers(&mut self, field: &'static Field, operand: &GenOpnd, channels: u64) {
        let Some(place) = self.variables.get(operand.id.0) else { return };
        let Region { vertical_stride, width, horizontal_stride } = operand.region;
        let (Some(v), Some(w), Some(h)) = (stride(vertical_stride), stride(width), stride(horizontal_stride)) else {
            return;
        };
        let element = u64::from(place.element_bytes);
        let last = (channels / w.max(1)).saturating_sub(1) * v + (w - 1) * h;
        let last_byte = last * element + element.saturating_sub(1);
        let register = u64::from(self.variables.register_bytes);
        let row = u64::from(operand.row_offset) * register;
        let first = place.start + row + u64::from(operand.col_offset) * element;
        let most = u64::from(limits::MESSAGE_REGISTERS);
        if last_byte >= most * register || (first + last_byte) / register >= first / register + most {
            let message = format!("{} spans more than {most} registers ({CHAPTER})", field.name);
            self.violated(PageCheck::MessageExtent, field.line, message);
        }
    }

    /// Checks that a raw operand of a variable of register size or more begins at a register.
    pub(super) fn raw_place(&mut self, field: &'static Field, operand: &RawOperand) {
        let Some(place) = self.variables.get(operand.id.0) else { return };
        let register = u64::from(self.variables.register_bytes);
        let first = place.start + u64::from(operand.offset);
        if place.whole >= register && first % register != 0 {
            let message =
                format!("{} begins at byte {first} of a register; it must begin at byte 0 ({CHAPTER})", field.name);
            self.violated(PageCheck::RawStart, field.line, message);
        }
    }
}

/// Returns a stride in elements, or `None` for null.
fn stride(stride: Stride) -> Option<u64> {
    stride.elements().map(u64::from)
}

/// Lists the strides with a mark, for a message.
fn strides(mark: impl Fn(Stride) -> bool) -> String {
    let all = Stride::ALL.iter().filter(|stride| mark(**stride));
    let names: Vec<_> = all.map(|stride| stride.name()).collect();
    either(&names)
}
