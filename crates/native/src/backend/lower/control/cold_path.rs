//! Cold paths that are written after the blocks.

use iced_x86::Code;

use crate::backend::abi::exit;
use crate::backend::abi::offset;
use crate::backend::asm::operand::at;
use crate::backend::lower::cache::{CachedValue, MaskRegister, Snapshot};
use crate::backend::lower::control::context::Labels;
use crate::backend::lower::control::entry::emit_exit;
use crate::backend::lower::emitter::{ColdPath, Emitter};
use crate::backend::lower::host_registers::FRAME;
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{load_mask_bits, materialize_mask, spread_bits};

/// Writes the pending cold paths.
pub(crate) fn emit_cold_paths(e: &mut Emitter<'_>, labels: &mut Labels) {
    for path in std::mem::take(&mut e.cold) {
        emit_cold_path(&mut e.masm, path, labels);
    }
}

/// Forgets the distances of the first `count` address classes.
pub(crate) fn forget_classes(masm: &mut MacroAssembler, count: u32) {
    for qword in 0..count.div_ceil(8) {
        masm.asm.mi(Code::Mov_rm64_imm32, at(FRAME, offset::CLASSES + qword * 8), 0);
    }
}

/// Writes a cold path. All later uses of its values are known now.
fn emit_cold_path(masm: &mut MacroAssembler, path: ColdPath, labels: &mut Labels) {
    match path {
        ColdPath::Outside { from, step, back, known, unwritten, is_full, classes } => {
            masm.asm.bind(from);
            unwritten.iter().for_each(|(vector, pending)| masm.store_pending(*vector, *pending, *vector));
            emit_exit(masm, labels.leave, step, if is_full { exit::FULL } else { exit::SOME });
            labels.bind_step(&mut masm.asm, step, is_full);
            forget_classes(masm, classes);
            restore(masm, known, None, is_full);
            masm.asm.jump(Code::Jmp_rel32_64, back);
        }
        ColdPath::Leave { from, step, unwritten } => {
            masm.asm.bind(from);
            unwritten.iter().for_each(|(vector, pending)| masm.store_pending(*vector, *pending, *vector));
            emit_exit(masm, labels.leave, step, exit::SOME);
        }
        ColdPath::Restore { from, back, known, before, is_full } => {
            masm.asm.bind(from);
            restore(masm, known, Some(&before), is_full);
            masm.asm.jump(Code::Jmp_rel32_64, back);
        }
    }
}

/// Reloads the values that registers held, except for values that they have held since before the
/// cold path.
fn restore(masm: &mut MacroAssembler, known: Snapshot, before: Option<&Snapshot>, is_full: bool) {
    (masm.is_full, masm.enabled) = (is_full, None);
    for (vector, tag) in masm.cache.asked_since(known, before) {
        if let CachedValue::Enabled { mask, first, bytes, .. } = tag {
            materialize_mask(masm, &mask);
            spread_bits(masm, vector, first, bytes);
        } else if let CachedValue::Bits { mask, first } = tag {
            load_mask_bits(masm, MaskRegister(vector), &mask, first);
        } else {
            masm.load(vector, &tag);
        }
    }
}
