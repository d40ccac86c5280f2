//! Rules of places: regions of vector operands, and where raw operands begin.

use super::types::Family;
use super::{Check, Severity};
use crate::isa::{AliasScope, GenOpnd, Operand, Platform, RawOperand, Region, Rule, Stride, limits, predefined};
use crate::object::Routine;
use crate::rt::reflect::Field;

/// Where the declared variables of a routine lie in those that they are aliases of.
pub(super) struct Variables {
    register_bytes: u32,
    places: Vec<Location>,
}

#[derive(Clone, Copy)]
struct Location {
    /// Byte of the outermost variable at which this one begins.
    start: u64,
    /// Bytes of the outermost variable.
    whole: u64,
    /// The same, but where that one is predefined its bytes.
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
            // An alias of what comes later, or of itself, is found by the rules of declarations.
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

    /// Whether a predefined variable may be written to at this place.
    pub(super) fn is_writable(&self, operand: &GenOpnd) -> bool {
        let Some(variable) = predefined::ALL.iter().find(|p| p.id == operand.id.0) else { return false };
        let element = variable.data_type.bits() / 8;
        let byte = u32::from(operand.row_offset) * self.register_bytes + u32::from(operand.col_offset) * element;
        let place = byte.checked_div(element).filter(|at| at * element == byte);
        variable.written.is_some_and(|list| list.is_empty() || place.is_some_and(|at| list.contains(&at)))
    }

    /// Bytes of the variable that one is an alias of, or of itself.
    pub(super) fn whole_bytes(&self, id: u32) -> Option<u64> {
        self.get(id).map(|place| place.root).or_else(|| predefined_bytes(id, self.register_bytes))
    }
}

impl Variables {
    /// The first byte of an operand of so many channels, the one behind its last, and the bytes of
    /// the variable whose storage it is in; none for predefined variables.
    pub(super) fn extent(&self, operand: &GenOpnd, channels: u64) -> Option<(u64, u64, u64)> {
        let place = self.get(operand.id.0)?;
        let element = u64::from(place.element_bytes);
        let row = u64::from(operand.row_offset) * u64::from(self.register_bytes);
        let first = place.start + row + u64::from(operand.col_offset) * element;
        Some((first, first + (last_element(&operand.region, channels) + 1) * element, place.root))
    }
}

/// The element of a region that is furthest from its first, for so many channels.
fn last_element(region: &Region, channels: u64) -> u64 {
    let (vertical, width) = (stride(region.vertical_stride), stride(region.width));
    let horizontal = stride(region.horizontal_stride).unwrap_or(0);
    match width.filter(|&width| width > 0) {
        Some(width) => (channels / width).saturating_sub(1) * vertical.unwrap_or(0) + (width - 1) * horizontal,
        None => channels.saturating_sub(1) * horizontal,
    }
}

/// Bytes of a predefined variable.
fn predefined_bytes(id: u32, register_bytes: u32) -> Option<u64> {
    let variable = predefined::ALL.iter().find(|p| p.id == id)?;
    Some(variable.bytes(register_bytes).into())
}

/// Where the rules of regions stand.
const CHAPTER: &str = "5_operands.md";

impl Check<'_> {
    /// Strides, width and size of a region.
    pub(super) fn region(&mut self, field: &'static Field, operand: &Operand, is_dst: bool) {
        let region = match operand {
            Operand::General(g) => &g.region,
            Operand::Indirect(i) => &i.region,
            _ => return,
        };
        let channels = self.channels() as u64;
        if is_dst {
            match stride(region.horizontal_stride) {
                Some(0) => {
                    let severity = if self.has(Rule::Unchecked) { Severity::Warning } else { Severity::Error };
                    let message = format!("{} has horizontal stride 0", field.name);
                    self.push("region", severity, field.line, message);
                }
                Some(1 | 2 | 4) => {}
                _ => self.say("region", field.line, format!("{}: the stride must be 1, 2 or 4", field.name)),
            }
        } else if !self.source_region(field, region, channels) {
            return;
        }
        if let Operand::General(g) = operand
            && matches!(self.family, Family::Other)
            && !is_dst
        {
            self.two_registers(field, g, channels);
        }
    }

    /// The numbers of a source's region alone.
    pub(super) fn spelled(&mut self, field: &'static Field, operand: &Operand) {
        let region = match operand {
            Operand::General(g) => &g.region,
            Operand::Indirect(i) => &i.region,
            _ => return,
        };
        self.numbers(field, region, true);
    }

    /// The stride and the width of a source's region; an `open` one may leave the stride out.
    fn numbers(&mut self, field: &'static Field, region: &Region, open: bool) {
        let name = field.name;
        let horizontal = stride(region.horizontal_stride);
        let left_out = open && horizontal.is_none();
        if !left_out && !matches!(horizontal, Some(0 | 1 | 2 | 4)) {
            self.say("region", field.line, format!("{name}: the horizontal stride must be 0, 1, 2 or 4 ({CHAPTER})"));
        }
        if stride(region.width).is_some_and(|w| !(1..=u64::from(limits::REGION_WIDTH)).contains(&w)) {
            self.say("region", field.line, format!("{name}: the width must be 1, 2, 4, 8 or 16 ({CHAPTER})"));
        }
    }

    /// Whether the rest of a source's region can be judged.
    fn source_region(&mut self, field: &'static Field, region: &Region, channels: u64) -> bool {
        let name = field.name;
        let width = stride(region.width);
        if width == Some(0) {
            self.say("region", field.line, format!("{name} has width 0 ({CHAPTER})"));
            return false;
        }
        self.numbers(field, region, false);
        if let Some(width) = width
            && width > channels
        {
            let message = format!("{name} has rows of {width} elements, but only {channels} channels ({CHAPTER})");
            self.say("region", field.line, message);
            return false;
        }
        let most = self.platform.map_or(limits::REGION_ADDRESSES, Platform::address_elements);
        if region.vertical_stride == Stride::Null
            && let Some(width) = width
            && channels / width > u64::from(most)
        {
            self.say("region", field.line, format!("{name} needs more than {most} addresses ({CHAPTER})"));
        }
        true
    }

    /// What a message takes from a region lies in a few registers that follow each other.
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
            self.say("region", field.line, format!("{} spans more than {most} registers ({CHAPTER})", field.name));
        }
    }

    /// A raw operand of a variable that fills registers begins with one.
    pub(super) fn raw_place(&mut self, field: &'static Field, operand: &RawOperand) {
        let Some(place) = self.variables.get(operand.id.0) else { return };
        let register = u64::from(self.variables.register_bytes);
        let first = place.start + u64::from(operand.offset);
        if place.whole >= register && first % register != 0 {
            let message =
                format!("{} begins at byte {first} of a register; it must begin at byte 0 ({CHAPTER})", field.name);
            self.say("raw-place", field.line, message);
        }
    }
}

/// The number that a stride is, unless it is null.
fn stride(stride: Stride) -> Option<u64> {
    stride.elements().map(u64::from)
}
