//! Indirect moves as native actions.

use crate::lowering::{Lowering, channels};
use visakit::isa::{GenOpnd, Operand, predefined};
use visakit::rt::{ComponentWise, immediate_bits};
use visakit_machine::region::{Region, Start};
use visakit_native::ir::{Action, Indirect, Own};

/// Returns the native action of a move between an indirect operand and another one, both with
/// elements of `bytes` bytes that are not converted.
pub(super) fn action(l: &Lowering<'_>, inst: &ComponentWise<'_, 1>, bytes: u32) -> Option<Action> {
    l.is_recording().then_some(())?;
    let ([source], lanes) = (inst.src, channels(inst.exec_size));
    let (selected, own) = match (&inst.dst.operand, &source.operand) {
        (Operand::General(own), Operand::Indirect(selected)) => {
            let (at, step) = row(l, own, lanes)?;
            (selected, (step == bytes || lanes == 1).then_some(Own::Loads(at))?)
        }
        (Operand::Indirect(selected), Operand::General(own)) => {
            let (at, step) = row(l, own, lanes)?;
            (selected, Own::Stores { at, step })
        }
        (Operand::Indirect(selected), Operand::Immediate(number)) => {
            (selected, number.type_.packed().is_none().then_some(Own::Number(immediate_bits(number)))?)
        }
        _ => return None,
    };
    let mut region = l.indirect_region(selected, lanes).ok()?;
    if !matches!(own, Own::Loads(_)) {
        // A destination has a single stride.
        (region.vertical, region.width) = (region.horizontal, 1);
    }
    let (address, address_step, displacement) = match region.start {
        Start::Address { at, displacement } => (at, 0, displacement),
        Start::Addresses { at, displacement } if region.width == 1 => (at, 4, displacement),
        _ => return None,
    };
    let pitch = if address_step == 0 { stride(&region)? } else { 0 };
    let limit = l.layout.len;
    Some(Action::Indirect(Indirect { bytes, address, address_step, displacement, pitch, limit, own }))
}

/// Returns the place of a variable's elements and the distance between them.
fn row(l: &Lowering<'_>, operand: &GenOpnd, lanes: usize) -> Option<(u32, u32)> {
    (l.variable(operand.id).ok()?.root.0 >= predefined::DECLARED).then_some(())?;
    let region = l.general_region(operand, lanes).ok()?;
    let Start::At(at) = region.start else { return None };
    Some((at, stride(&region)?))
}

/// Returns the distance between channels; 0 for a single channel.
fn stride(region: &Region) -> Option<u32> {
    if region.lanes == 1 { Some(0) } else { region.stride() }
}
