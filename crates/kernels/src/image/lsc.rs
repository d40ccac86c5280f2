//! Load-store messages (LSC) to images.

use crate::image::access::{lsc_space, read_texels, update as update_texels, write};
use crate::image::block;
use crate::image::payload::{Components, Elements};
use crate::lowering::{LowerResult, Lowering, channels, illegal};
use crate::memory::atomic::Atomic;
use crate::memory::transfer::Transfer;
use crate::operation::update;
use visakit::isa::{LscDataSize, LscOpKind, LscOpMoves, LscTyped, LscTypedAccess, LscTypedQuad, pages};
use visakit::rt::Stub;

/// Lowers coordinates and mip level of an LSC message, whose address size is their element size.
macro_rules! lsc_coordinates {
    ($l:ident, $inst:ident, $lanes:ident) => {{
        let operands = [&$inst.src0_addrs_u, &$inst.src0_addrs_v, &$inst.src0_addrs_r, &$inst.src0_addrs_lod];
        let mut coordinates = [Elements::NONE; 4];
        for (place, operand) in coordinates.iter_mut().zip(operands) {
            *place = Elements::sized($l, operand, $lanes, $inst.addr_size.bytes())?;
        }
        coordinates
    }};
}

pub(crate) fn lsc_typed(l: &mut Lowering<'_>, inst: &LscTyped) -> LowerResult {
    match inst {
        LscTyped::Access(inst) => lsc_access(l, inst),
        LscTyped::Quad(inst) => lsc_quad(l, inst),
        LscTyped::Block2d(inst) => block::typed(l, inst),
        // The layout of the returned surface properties is not published.
        LscTyped::Info(_) => Err(Stub::undefined(&pages::LSC_TYPED).into()),
    }
}

fn lsc_quad(l: &mut Lowering<'_>, inst: &LscTypedQuad) -> LowerResult {
    if inst.data_size != LscDataSize::D32 {
        return illegal(format!("texels of {} elements", inst.data_size.name()));
    }
    let lanes = channels(inst.exec_size);
    let place = lsc_coordinates!(l, inst, lanes);
    let flags = inst.data_elems_per_addr;
    let flags = [flags.x, flags.y, flags.z, flags.w];
    let moved = (0..4).filter(|&c| flags[c]).collect();
    let space = lsc_space(l, inst.addr_type, &inst.surface)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    if inst.lsc_sub_op.moves() == Some(LscOpMoves::QuadOfSample) {
        // The layout of a texel's samples is not published.
        return Err(Stub::undefined(&pages::LSC_TYPED).into());
    }
    if inst.lsc_sub_op.kind() == LscOpKind::Store {
        let components = Components::dwords(l, &inst.src1_data, lanes, moved)?;
        return write(l, enable, space, place, components);
    }
    let components = Components::dwords(l, &inst.dst_data, lanes, moved)?;
    read_texels(l, enable, space, place, components)
}

fn lsc_access(l: &mut Lowering<'_>, inst: &LscTypedAccess) -> LowerResult {
    let lanes = channels(inst.exec_size);
    if !inst.data_size.atomic() {
        return illegal(format!("an atomic operation of {} elements", inst.data_size.name()));
    }
    let size = inst.data_size.bytes();
    if inst.lsc_sub_op.kind() == LscOpKind::Store {
        return store_uncompressed(l, inst, lanes);
    }
    let Some(op) = update::of_lsc(inst.lsc_sub_op, size) else {
        return Err(Stub::undefined(&pages::LSC_TYPED).into());
    };
    let place = lsc_coordinates!(l, inst, lanes);
    let operands = [&inst.src1_data, &inst.src2_data];
    let atomic = Atomic::new(l, op, Transfer::in_dwords(size), lanes, operands, &inst.dst_data)?;
    let space = lsc_space(l, inst.addr_type, &inst.surface)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    Ok(update_texels(l, enable, space, place, atomic))
}

/// Lowers a store of the first components of a texel for each channel.
fn store_uncompressed(l: &mut Lowering<'_>, inst: &LscTypedAccess, lanes: usize) -> LowerResult {
    if inst.data_size != LscDataSize::D32 {
        return illegal(format!("texels of {} elements", inst.data_size.name()));
    }
    let count = inst.data_elems_per_addr.count() as usize;
    let place = lsc_coordinates!(l, inst, lanes);
    let components = Components::dwords(l, &inst.src1_data, lanes, (0..count.min(4)).collect())?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let space = lsc_space(l, inst.addr_type, &inst.surface)?;
    write(l, enable, space, place, components)
}
