//! Address variables: computation and moves.

use crate::lowering::step::Run;
use crate::lowering::{LowerResult, Lowering, channels, illegal};
use crate::operation::algebra::Lane as _;
use crate::operation::record::{Input, Output, Recording};
use visakit::isa::{AddrOpnd, Operand, predefined};
use visakit::rt::ComponentWise;
use visakit_machine::lane::{LANES, MAX_LANES, from_lanes};
use visakit_machine::operand::Source;
use visakit_machine::region::Start;
use visakit_machine::thread::Thread;
use visakit_native::ir::Kind;

/// Lowers an address computation. Addresses are offsets into the register file; the addend is a
/// signed 16-bit number.
pub(crate) fn addr_add(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let Operand::Address(dst) = &inst.dst.operand else {
        return illegal("the destination of an address computation must be an address variable");
    };
    let first = address_elements(l, dst, lanes)?;
    let base = match &inst.src[0].operand {
        Operand::Address(address) => {
            let width = address.width.elements();
            let first = address_elements(l, address, lanes.min(width as usize))?;
            Base::Elements { first, width }
        }
        Operand::General(general) => {
            let root = l.variable(general.id)?.root;
            if root.0 < predefined::DECLARED && ![predefined::ARG, predefined::RETVAL, predefined::R0].contains(&root)
            {
                return illegal("the address of a predefined variable");
            }
            match l.region(inst.src[0], 1)?.start {
                Start::At(offset) => Base::Place(offset),
                _ => return illegal("the address of an operand with a computed position"),
            }
        }
        _ => return illegal("the operand has no address: it is not a variable"),
    };
    let offsets = l.source::<u32>(inst.src[1], lanes)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let offset = l.input(inst.src[1], &offsets, l.type_of(inst.src[1])?);
    l.note_action(|_| {
        let step = match base {
            Base::Elements { width, .. } if width >= lanes as u32 => 4,
            Base::Elements { width: 1, .. } | Base::Place(_) => 0,
            Base::Elements { .. } => return None,
        };
        let base = match base {
            Base::Place(place) => Input::dword(0, 0, Some(place)),
            Base::Elements { first, .. } => Input::dword(first, step, None),
        };
        let recording = Recording::default();
        let offset = recording.source(&offset)?.convert(Kind::I16).convert(Kind::I32).convert(Kind::U32);
        let address = recording.source(&base)?.add(offset);
        recording.finish(&[(address, &Output::dwords(first))])
    });
    let run = Run::new(move |thread, _| {
        let offsets = all(&offsets, thread);
        let enabled = thread.enabled(&enable);
        let bases: [u32; MAX_LANES] = std::array::from_fn(|i| match base {
            Base::Place(place) => place,
            Base::Elements { first, width } if i < lanes => thread.registers.get(first + i as u32 % width * 4),
            Base::Elements { .. } => 0,
        });
        for i in (0..lanes).filter(|i| enabled >> i & 1 == 1) {
            let offset = i32::from(offsets[i] as i16);
            thread.registers.set(first + i as u32 * 4, bases[i].wrapping_add_signed(offset));
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Lowers a move of numbers into address elements. They are byte offsets from the first register.
pub(super) fn mov_address(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>, dst: &AddrOpnd) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let first = address_elements(l, dst, lanes)?;
    let numbers = l.source::<u32>(inst.src[0], lanes)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let number = l.input(inst.src[0], &numbers, l.type_of(inst.src[0])?);
    l.note_action(|_| {
        let recording = Recording::default();
        let address = recording.source(&number)?.convert(Kind::U16).convert(Kind::U32);
        recording.finish(&[(address, &Output::dwords(first))])
    });
    let run = Run::new(move |thread, _| {
        let numbers = all(&numbers, thread);
        let enabled = thread.enabled(&enable);
        for i in (0..lanes).filter(|i| enabled >> i & 1 == 1) {
            thread.registers.set(first + i as u32 * 4, numbers[i] & u32::from(u16::MAX));
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Loads the values of all channels.
pub(super) fn all(source: &Source<u32>, thread: &Thread) -> [u32; MAX_LANES] {
    let [low, high]: [[u32; LANES]; 2] = [source.load(thread, 0), source.load(thread, 1)];
    from_lanes(|i| if i < LANES { low[i] } else { high[i - LANES] })
}

#[derive(Clone, Copy)]
enum Base {
    Place(u32),
    Elements { first: u32, width: u32 },
}

/// Returns the register offset of the first of `count` elements of an address operand.
fn address_elements(l: &Lowering<'_>, operand: &AddrOpnd, count: usize) -> LowerResult<u32> {
    let first = l.address_element(operand.id.0, operand.offset.into())?;
    if first + count as u32 * 4 > l.layout.addresses().end {
        return illegal("an address operand uses more elements than its variable has");
    }
    Ok(first)
}
