//! Messages in native code.

use crate::memory::address::{AddressSpace, Elements, GlobalPlace};
use crate::memory::fast::{FastPath, Unit};
use crate::memory::message::Message;
use visakit::isa::limits;
use visakit_machine::access::LOCAL_OFFSET;
use visakit_machine::lane::Change;
use visakit_machine::operand::Source;
use visakit_native::ir::{self, Access, Action, Addresses, Space};

/// First bit of a surface's number in the offset of its state.
const STATE_SHIFT: u32 = limits::SURFACE_STATE_BYTES.ilog2();
const _: () = assert!(limits::SURFACE_STATE_BYTES.is_power_of_two());

impl Message {
    /// Returns the native transfer between memory and the registers at `at`, if native code
    /// supports it.
    pub(super) fn native(&self, fast: FastPath, access: Access, at: u32) -> Option<Action> {
        let addressing = &self.addressing;
        addressing.pitch.is_none().then_some(())?;
        let (unit, count) = match fast.unit {
            Unit::Dword => (ir::Unit::Dword, self.elements.len()),
            Unit::Qword => (ir::Unit::Qword, self.elements.len()),
            Unit::Bytes(bytes) => (ir::Unit::Part { bytes, keeps: bytes < 4 }, 1),
            Unit::Extended(bytes) => (ir::Unit::Part { bytes, keeps: false }, 1),
        };
        let space = match &self.space {
            AddressSpace::Flat => Space::Flat,
            AddressSpace::Local => Space::Local { mask: LOCAL_OFFSET },
            AddressSpace::Surface(element) => Space::Surface { element: *element as u32, shift: 0 },
            AddressSpace::State(element) => Space::Surface { element: *element as u32, shift: STATE_SHIFT },
            AddressSpace::SurfaceIndex(source) => Space::Named { at: plain_place(source)?, shift: 0 },
            AddressSpace::StateOffset(source) => Space::Named { at: plain_place(source)?, shift: STATE_SHIFT },
            AddressSpace::Scratch => {
                let base = addressing.scratch.as_ref()?;
                Space::Private { number: plain_place(&base.number)?, unit: base.unit as u32 }
            }
            AddressSpace::StateAddress(..) => return None,
        };
        let addresses = match addressing.elements {
            None => Addresses::None,
            Some(Elements::Dwords(at)) if space == Space::Flat => Addresses::Offsets { at, signed: false },
            Some(Elements::Integers(at)) if space == Space::Flat => Addresses::Offsets { at, signed: true },
            Some(Elements::Dwords(at)) => Addresses::Dwords(at),
            Some(Elements::Qwords(at)) => Addresses::Qwords(at),
            Some(Elements::Words(_) | Elements::Integers(_)) => return None,
        };
        // Native code computes sums of this width.
        let bits = if space == Space::Flat { u64::MAX } else { u32::MAX.into() };
        // A single 32-bit addend cannot overflow.
        let is_short = addressing.scale == 1
            && addressing.offset == 0
            && addressing.global.is_none()
            && matches!(addressing.elements, None | Some(Elements::Dwords(_)));
        let is_wide = addressing.mask == u64::MAX && space != Space::Flat && is_short;
        (addressing.mask == bits || is_wide).then_some(())?;
        // The base is added after scaling, the other addend before it.
        let is_extended = matches!(addresses, Addresses::Offsets { .. });
        let global = match (addressing.global_place, addressing.base_place) {
            (GlobalPlace::Zero, GlobalPlace::Zero) => None,
            (GlobalPlace::At(at, bytes), GlobalPlace::Zero) if !is_extended => Some((at, bytes)),
            (GlobalPlace::Zero, GlobalPlace::At(at, bytes)) if is_extended || addressing.scale == 1 => {
                Some((at, bytes))
            }
            _ => return None,
        };
        let elements = (0..).zip(&self.elements).take(count);
        let elements = elements.map(|(n, distance)| (*distance, self.transfer.place(at, n, 0)));
        Some(Action::Transfer(ir::Transfer {
            access,
            space,
            addresses,
            global,
            scale: addressing.scale.try_into().ok()?,
            offset: addressing.offset.try_into().ok()?,
            unit,
            alignment: match access {
                Access::Update(_) => unit.bytes(),
                Access::Load | Access::Store if self.unaligned => 1,
                Access::Load | Access::Store => fast.extent.alignment,
            },
            elements: elements.collect(),
        }))
    }
}

/// Returns the register offset of a scalar that needs no conversion or modifier.
fn plain_place(source: &Source<u32>) -> Option<u32> {
    source.place().filter(|place| place.is_native && place.change == Change::None).map(|place| place.at)
}
