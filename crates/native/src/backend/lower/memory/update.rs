//! Updates: atomic changes of elements in memory.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::abi::offset;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::ByteRange;
use crate::backend::lower::host_registers::{FILE, FIRST, FRAME, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::bounds::all_inside;
use crate::backend::lower::memory::channels::{AccessMark, Channels};
use crate::backend::lower::memory::contiguous::are_apart;
use crate::backend::lower::memory::per_lane::{
    REST, begin_channels, first_channel, mark_channels, next_channel, own,
};
use crate::ir::{Change, Kind, Space, Transfer, Unit, Update};

/// The old value of an element.
const OLD: Wide = Wide(Register::EAX, Register::RAX);

/// The new value of an element.
const NEW: Wide = Wide(Register::EDX, Register::RDX);

/// The operand.
const OPERAND: Wide = Wide(Register::R11D, Register::R11);

/// The second operand.
const SECOND: Wide = Wide(Register::ECX, Register::RCX);

/// A register with 32 and with 64 bits.
#[derive(Clone, Copy)]
struct Wide(Register, Register);

/// Writes an update of several channels, in their order.
pub(crate) fn emit_update(masm: &mut MacroAssembler, channels: &Channels<'_>, update: Update) -> Option<()> {
    let (bytes, lanes) = (update.kind.bytes(), channels.mask.lanes.count_ones());
    let operand = operand(channels.transfer, update, lanes)?;
    all_inside(masm, channels)?;
    mark_channels(masm, channels, channels.mark);
    let [apart, done] = [(); 2].map(|()| masm.asm.label());
    if may_join(channels.transfer, update, operand) {
        jump_unless_same(masm, channels, apart)?;
        change_jointly(masm, channels.mark, (update, operand))?;
        masm.asm.jump(Code::Jmp_rel32_64, done);
    }
    masm.asm.bind(apart);
    let again = begin_channels(masm, channels.mark);
    let memory = indexed(WORDS, FIRST, 1, 0);
    change_element(masm, (update, operand, is_shared(channels.transfer)), memory, |place| own(bytes, place))?;
    next_channel(masm, again);
    masm.asm.bind(done);
    forget_results(masm, update, lanes);
    Some(())
}

/// Writes an update of a single channel, whose offset is in [`FIRST`].
pub(crate) fn update_single(masm: &mut MacroAssembler, transfer: &Transfer, update: Update) -> Option<()> {
    let operand = operand(transfer, update, 1)?;
    let memory = indexed(WORDS, FIRST, 1, 0);
    change_element(masm, (update, operand, is_shared(transfer)), memory, |place| at(FILE, place))?;
    forget_results(masm, update, 1);
    Some(())
}

/// Returns the place of the operands. Returns `None` if native code does not support the update: if
/// results replace operands of later channels.
fn operand(transfer: &Transfer, update: Update, lanes: u32) -> Option<u32> {
    let [(0, operand)] = transfer.elements[..] else { return None };
    let bytes = update.kind.bytes();
    let row = |at: u32| ByteRange { at, bytes: lanes * bytes };
    let is_apart = |at: u32| update.result.is_none_or(|to| to == at || !row(to).touches(row(at)));
    let apart = (!update.change.has_operand() || is_apart(operand))
        && update.second.is_none_or(is_apart)
        && update.second.is_some() == (update.change == Change::ReplaceIf);
    (matches!(transfer.unit, Unit::Dword | Unit::Qword) && transfer.unit.bytes() == bytes && apart).then_some(operand)
}

/// Returns true if other groups can access the memory.
fn is_shared(transfer: &Transfer) -> bool {
    !matches!(transfer.space, Space::Local { .. })
}

/// Returns true if the changes of all channels may be one access: operands must not be replaced,
/// because the access is repeated if another thread changes the element.
fn may_join(transfer: &Transfer, update: Update, operand: u32) -> bool {
    let is_kept = |place: u32| update.result != Some(place);
    is_shared(transfer)
        && update.change != Change::Keep
        && (!update.change.has_operand() || is_kept(operand))
        && update.second.is_none_or(is_kept)
}

/// Jumps unless several channels are enabled and all of them, whose offsets have been stored, have
/// the same offset. Otherwise [`FIRST`] has it.
fn jump_unless_same(masm: &mut MacroAssembler, channels: &Channels<'_>, apart: Label) -> Option<()> {
    let free = [masm.cache.take()?, masm.cache.take()?];
    first_channel(masm, channels.mark);
    if channels.mark.lanes.is_none() {
        masm.asm.rr(Code::VEX_Blsr_r32_rm32, Register::R9D, REST);
        masm.asm.jump(Code::Je_rel32_64, apart);
    }
    masm.asm.rr(Code::VEX_Vmovd_xmm_rm32, free[0].register(Width::X), Register::EDI);
    masm.asm.v2(op::BROADCASTD, channels.width(), free[0], free[0], Width::X);
    are_apart(masm, channels, 0, free, apart);
    free.into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Changes one element for several channels, in their order, by one access.
fn change_jointly(masm: &mut MacroAssembler, mark: AccessMark, (update, operand): (Update, u32)) -> Option<()> {
    let size = Size::of(update.kind);
    let (memory, begin) = (indexed(WORDS, FIRST, 1, 0), at(FRAME, offset::OPERANDS));
    size.load(masm, OLD, memory);
    let repeat = masm.asm.here();
    masm.asm.mr(size.code(STORE), begin, size.register(OLD));
    let again = begin_channels(masm, mark);
    load_operands(masm, (update, operand), |place| own(update.kind.bytes(), place));
    new_value(masm, update.change, update.kind)?;
    if let Some(to) = update.result {
        let result = if update.returns_new { NEW } else { OLD };
        masm.asm.mr(size.code(STORE), own(update.kind.bytes(), to), size.register(result));
    }
    size.rr(masm, MOVE, OLD, NEW);
    next_channel(masm, again);
    size.load(masm, OLD, begin);
    write(masm, (size, true), EXCHANGE, memory, NEW);
    masm.asm.jump(Code::Jne_rel32_64, repeat);
    Some(())
}

/// Loads the operands of one channel.
fn load_operands(masm: &mut MacroAssembler, (update, operand): (Update, u32), own: impl Fn(u32) -> MemoryOperand) {
    let size = Size::of(update.kind);
    match update.change {
        Change::Increment | Change::Decrement => masm.asm.ri(Code::Mov_r32_imm32, OPERAND.0, 1),
        change if change.has_operand() => size.load(masm, OPERAND, own(operand)),
        _ => {}
    }
    if let Some(second) = update.second {
        size.load(masm, SECOND, own(second));
    }
}

/// Changes the element of one channel, and stores its result. `own` returns the channel's element
/// at a place in the registers.
fn change_element(
    masm: &mut MacroAssembler,
    (update, operand, is_shared): (Update, u32, bool),
    memory: MemoryOperand,
    own: impl Fn(u32) -> MemoryOperand,
) -> Option<()> {
    let Update { change, kind, result, returns_new, .. } = update;
    let size = Size::of(kind);
    load_operands(masm, (update, operand), &own);
    let is_sum = matches!(change, Change::Add | Change::Sub | Change::Increment | Change::Decrement);
    let value = match in_place(change, kind) {
        Some(codes) if result.is_none() => {
            write(masm, (size, is_shared), codes, memory, OPERAND);
            return Some(());
        }
        Some(_) if is_sum && !returns_new => {
            if matches!(change, Change::Sub | Change::Decrement) {
                masm.asm.r(size.code([Code::Neg_rm32, Code::Neg_rm64]), size.register(OPERAND));
            }
            write(masm, (size, is_shared), [Code::Xadd_rm32_r32, Code::Xadd_rm64_r64], memory, OPERAND);
            OPERAND
        }
        _ if change == Change::Replace && is_shared && !returns_new => {
            write(masm, (size, is_shared), [Code::Xchg_rm32_r32, Code::Xchg_rm64_r64], memory, OPERAND);
            OPERAND
        }
        _ => {
            replace(masm, (update, is_shared), memory)?;
            if returns_new { NEW } else { OLD }
        }
    };
    if let Some(to) = result {
        masm.asm.mr(size.code(STORE), own(to), size.register(value));
    }
    Some(())
}

/// Writes an instruction that changes memory, atomically if others can access it.
fn write(
    masm: &mut MacroAssembler,
    (size, is_shared): (Size, bool),
    codes: [Code; 2],
    memory: MemoryOperand,
    from: Wide,
) {
    let (code, from) = (size.code(codes), size.register(from));
    if is_shared {
        masm.asm.locked(code, memory, from);
    } else {
        masm.asm.mr(code, memory, from);
    }
}

/// Forgets the values of registers that results replace.
fn forget_results(masm: &mut MacroAssembler, update: Update, lanes: u32) {
    if let Some(at) = update.result {
        masm.cache.forget(at, lanes * update.kind.bytes());
    }
}

/// Replaces the element: [`OLD`] has its old value afterwards, and [`NEW`] its new one.
fn replace(masm: &mut MacroAssembler, (update, is_shared): (Update, bool), memory: MemoryOperand) -> Option<()> {
    let size = Size::of(update.kind);
    size.load(masm, OLD, memory);
    let again = masm.asm.here();
    new_value(masm, update.change, update.kind)?;
    if update.change == Change::Keep {
        return Some(());
    }
    let codes = if is_shared { EXCHANGE } else { STORE };
    write(masm, (size, is_shared), codes, memory, NEW);
    if is_shared {
        masm.asm.jump(Code::Jne_rel32_64, again);
    }
    Some(())
}

/// Computes [`NEW`] from [`OLD`] and the operands.
fn new_value(masm: &mut MacroAssembler, change: Change, kind: Kind) -> Option<()> {
    let size = Size::of(kind);
    let compare = |masm: &mut MacroAssembler, condition: [Code; 2], chosen: Wide| {
        size.rr(masm, [Code::Cmp_r32_rm32, Code::Cmp_r64_rm64], OLD, OPERAND);
        size.rr(masm, condition, NEW, chosen);
    };
    size.rr(masm, MOVE, NEW, OLD);
    match change {
        _ if kind.is_float() => return new_float(masm, change, size),
        Change::Keep => {}
        Change::Replace => size.rr(masm, MOVE, NEW, OPERAND),
        Change::Smaller if kind.is_signed() => compare(masm, [Code::Cmovg_r32_rm32, Code::Cmovg_r64_rm64], OPERAND),
        Change::Smaller => compare(masm, ABOVE, OPERAND),
        Change::Larger if kind.is_signed() => compare(masm, [Code::Cmovl_r32_rm32, Code::Cmovl_r64_rm64], OPERAND),
        Change::Larger => compare(masm, [Code::Cmovb_r32_rm32, Code::Cmovb_r64_rm64], OPERAND),
        Change::ReplaceIf => compare(masm, EQUAL, SECOND),
        Change::Add
        | Change::Sub
        | Change::And
        | Change::Or
        | Change::Xor
        | Change::Increment
        | Change::Decrement => {
            let code = size.code(in_place(change, kind)?);
            masm.asm.rr(code, size.register(NEW), size.register(OPERAND));
        }
    }
    Some(())
}

/// Computes [`NEW`], which has the old value, from floats.
fn new_float(masm: &mut MacroAssembler, change: Change, size: Size) -> Option<()> {
    let (x, [old, operand]) = (Width::X, [masm.cache.take()?, masm.cache.take()?]);
    let [enter, leave, test] = match size {
        Size::Dword => [Code::VEX_Vmovd_xmm_rm32, Code::VEX_Vmovd_rm32_xmm, Code::VEX_Vucomiss_xmm_xmmm32],
        Size::Qword => [Code::VEX_Vmovq_xmm_rm64, Code::VEX_Vmovq_rm64_xmm, Code::VEX_Vucomisd_xmm_xmmm64],
    };
    let compare = |masm: &mut MacroAssembler, a: Vector, b: Vector| masm.asm.rr(test, a.register(x), b.register(x));
    masm.asm.rr(enter, old.register(x), size.register(OLD));
    masm.asm.rr(enter, operand.register(x), size.register(OPERAND));
    match change {
        Change::Add | Change::Sub => {
            let sum = match (change, size) {
                (Change::Add, Size::Dword) => op::ADDPS,
                (Change::Add, Size::Qword) => op::ADDPD,
                (_, Size::Dword) => op::SUBPS,
                (_, Size::Qword) => op::SUBPD,
            };
            masm.asm.v3(sum, x, old, old, operand);
            masm.asm.rr(leave, size.register(NEW), old.register(x));
        }
        Change::Smaller | Change::Larger => {
            let [a, b] = if change == Change::Smaller { [old, operand] } else { [operand, old] };
            compare(masm, a, b);
            size.rr(masm, ABOVE, NEW, OPERAND);
            compare(masm, old, old);
            size.rr(masm, UNORDERED, NEW, OPERAND);
        }
        Change::ReplaceIf => {
            compare(masm, old, operand);
            size.rr(masm, EQUAL, NEW, SECOND);
            size.rr(masm, UNORDERED, NEW, OLD);
        }
        Change::Replace => size.rr(masm, MOVE, NEW, OPERAND),
        Change::Keep => {}
        Change::And | Change::Or | Change::Xor | Change::Increment | Change::Decrement => return None,
    }
    [old, operand].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Returns the instructions that change a value in place.
fn in_place(change: Change, kind: Kind) -> Option<[Code; 2]> {
    Some(match change {
        _ if kind.is_float() => return None,
        Change::Add | Change::Increment => [Code::Add_rm32_r32, Code::Add_rm64_r64],
        Change::Sub | Change::Decrement => [Code::Sub_rm32_r32, Code::Sub_rm64_r64],
        Change::And => [Code::And_rm32_r32, Code::And_rm64_r64],
        Change::Or => [Code::Or_rm32_r32, Code::Or_rm64_r64],
        Change::Xor => [Code::Xor_rm32_r32, Code::Xor_rm64_r64],
        _ => return None,
    })
}

const MOVE: [Code; 2] = [Code::Mov_r32_rm32, Code::Mov_r64_rm64];
const STORE: [Code; 2] = [Code::Mov_rm32_r32, Code::Mov_rm64_r64];
const EXCHANGE: [Code; 2] = [Code::Cmpxchg_rm32_r32, Code::Cmpxchg_rm64_r64];
const ABOVE: [Code; 2] = [Code::Cmova_r32_rm32, Code::Cmova_r64_rm64];
const EQUAL: [Code; 2] = [Code::Cmove_r32_rm32, Code::Cmove_r64_rm64];
const UNORDERED: [Code; 2] = [Code::Cmovp_r32_rm32, Code::Cmovp_r64_rm64];

/// The size of an element.
#[derive(Clone, Copy)]
enum Size {
    Dword,
    Qword,
}

impl Size {
    fn of(kind: Kind) -> Self {
        if kind.bytes() == 8 { Self::Qword } else { Self::Dword }
    }

    /// Returns the instruction of this size.
    fn code(self, [dword, qword]: [Code; 2]) -> Code {
        match self {
            Self::Dword => dword,
            Self::Qword => qword,
        }
    }

    fn register(self, wide: Wide) -> Register {
        match self {
            Self::Dword => wide.0,
            Self::Qword => wide.1,
        }
    }

    /// Writes an instruction with two registers.
    fn rr(self, masm: &mut MacroAssembler, codes: [Code; 2], a: Wide, b: Wide) {
        masm.asm.rr(self.code(codes), self.register(a), self.register(b));
    }

    /// Loads an element.
    fn load(self, masm: &mut MacroAssembler, to: Wide, from: MemoryOperand) {
        masm.asm.rm(self.code(MOVE), self.register(to), from);
    }
}
