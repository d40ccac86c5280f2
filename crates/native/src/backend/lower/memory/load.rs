//! Loads: elements from memory to registers.

use iced_x86::{Code, Register};

use crate::backend::analysis::contiguity::are_rows;
use crate::backend::analysis::ramps::Form;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::{ByteRange, CachedValue};
use crate::backend::lower::emitter::{BlockFacts, Emitter};
use crate::backend::lower::host_registers::{FILE, FIRST, LIMIT, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::bounds::{all_inside, apart_inside, contiguous_inside, near_inside};
use crate::backend::lower::memory::channels::{AccessMark, Channels};
use crate::backend::lower::memory::contiguous::{
    Paths, are_apart, enter_contiguous, may_overlap, recheck_contiguous, tries_contiguous,
};
use crate::backend::lower::memory::interleave::{
    check_structures, deinterleave, possible_structures, structures_inside,
};
use crate::backend::lower::memory::marks::mark_each;
use crate::backend::lower::memory::per_lane::move_channels;
use crate::backend::lower::memory::rows::{load_dwords, move_qwords, store_row_offsets, take_rows};
use crate::backend::lower::memory::spread::{check_spread, distances, load_spread};
use crate::backend::lower::patterns::multiples;
use crate::backend::lower::select::{blend_selected, broadcast_first_selected, gather_selected, load_selected};
use crate::ir::Unit;

/// Elements on their way from memory to registers.
#[derive(Clone)]
struct Loading<'c> {
    channels: &'c Channels<'c>,
    /// Destination vectors. Each part has its own if `is_cached`; otherwise each vector of offsets
    /// has one.
    results: Vec<Vector>,
    /// True if the results stay in vector registers; otherwise they are stored at once.
    is_cached: bool,
    /// For each part: the inactive channels' bytes are dead.
    may_spoil: Vec<bool>,
    /// Mask of the bytes to load into dwords.
    low: Option<Vector>,
    /// Mask of the bytes to preserve in dwords.
    rest: Option<Vector>,
    /// Two free vectors.
    scratch: [Vector; 2],
}

/// A vector of loaded elements.
#[derive(Clone, Copy)]
struct LoadPart {
    /// Distance of the part's element from the channel's address.
    element: u32,
    /// Place in the registers.
    own: u32,
    /// Number of the part's vector of offsets.
    half: u32,
    result: Vector,
    /// The inactive channels' bytes are dead.
    may_spoil: bool,
}

/// Returns the elements, places in the registers and vectors of offsets of all parts.
fn places(channels: &Channels<'_>) -> impl Iterator<Item = (u32, u32, u32)> {
    let Channels { transfer, halves, pitch, .. } = channels;
    let elements = transfer.elements.iter();
    elements.flat_map(move |(element, at)| (0..*halves).map(move |half| (*element, at + half * pitch, half)))
}

impl Loading<'_> {
    /// Returns all parts.
    fn parts(&self) -> impl Iterator<Item = LoadPart> {
        let results = self.results.iter().cycle().zip(&self.may_spoil);
        places(self.channels).zip(results).map(|((element, own, half), (result, may_spoil))| LoadPart {
            element,
            own,
            half,
            result: *result,
            may_spoil: *may_spoil,
        })
    }
}

/// Writes a load.
pub(crate) fn emit_load(e: &mut Emitter<'_>, channels: &Channels<'_>) -> Option<()> {
    let loading = begin_load(&mut e.masm, &e.facts, channels)?;
    if let Some(form) = channels.form {
        load_known(&mut e.masm, &loading, form)?;
        return end_load(&mut e.masm, loading);
    }
    let paths = Paths::new(&mut e.masm.asm);
    if tries_contiguous(channels) {
        // If other transfers of the class move single bytes, words are probably one byte apart.
        let is_overlapping =
            may_overlap(channels) && channels.class.is_some_and(|class| class.has_bytes && !class.is_first);
        let size = if is_overlapping { 1 } else { channels.transfer.unit.bytes() };
        enter_contiguous(&mut e.masm, channels, size, loading.scratch, paths);
        let hot = e.masm.enter_cold();
        emit_cold_load(e, &loading, (size, is_overlapping), paths)?;
        e.masm.leave_cold(hot);
        if is_overlapping {
            load_overlapping(&mut e.masm, &loading);
        } else {
            load_contiguous(&mut e.masm, &loading);
        }
    } else {
        load_per_lane(&mut e.masm, &loading)?;
    }
    e.masm.asm.bind(paths.done);
    end_load(&mut e.masm, loading)
}

/// Loads elements in a known form: if they are not inside, no other path can load them.
fn load_known(masm: &mut MacroAssembler, loading: &Loading<'_>, form: Form) -> Option<()> {
    let channels = loading.channels;
    match form {
        Form::Contiguous => {
            contiguous_inside(masm, channels, channels.transfer.unit.bytes(), channels.slow);
            load_contiguous(masm, loading);
        }
        Form::Uniform => {
            contiguous_inside(masm, channels, 0, channels.slow);
            load_same(masm, loading);
        }
        Form::Structures(all) => {
            structures_inside(masm, channels, all, channels.slow);
            deinterleave(masm, all, &loading.results, loading.scratch[0])?;
        }
        Form::Apart(step) => {
            apart_inside(masm, channels, step, channels.slow);
            load_apart(masm, loading, step)?;
        }
    }
    Some(())
}

/// Loads rows or dwords of channels that are `step` bytes apart.
fn load_apart(masm: &mut MacroAssembler, loading: &Loading<'_>, step: u32) -> Option<()> {
    let (channels, w) = (loading.channels, loading.channels.width());
    if are_rows(channels.transfer)
        && let Some(vectors) = take_rows(masm)
    {
        load_rows(masm, loading, vectors);
        return Some(());
    }
    (channels.transfer.unit == Unit::Dword).then_some(())?;
    let [places, scratch] = loading.scratch;
    let begin = Register::R9;
    masm.asm.rm(Code::Lea_r64_m, begin, indexed(WORDS, FIRST, 1, 0));
    let distances = masm.asm.constant(multiples(4, step.into(), channels.lanes));
    masm.asm.load(op::MOVUPS, w, places, distances);
    for part @ LoadPart { element, half, result, .. } in loading.parts() {
        let from = element + half * channels.lanes * step;
        gather_selected(masm, w, (result, false), indexed(begin, places.register(w), 1, from.into()), None, scratch);
        finish_part(masm, loading, part);
    }
    Some(())
}

/// Allocates the registers of a load.
fn begin_load<'c>(
    masm: &mut MacroAssembler,
    facts: &BlockFacts<'_>,
    channels: &'c Channels<'c>,
) -> Option<Loading<'c>> {
    let Channels { transfer, masks, lanes, halves, .. } = channels;
    let unit = transfer.unit;
    let (all, most) = (transfer.elements.len() as u32 * halves, if masm.has_bits { 4 } else { 2 });
    let is_cached = unit != Unit::Qword && all <= most && (masks.is_empty() || channels.mask_register().is_some());
    let results: Option<Vec<_>> = (0..if is_cached { all } else { *halves }).map(|_| masm.cache.take()).collect();
    let results = results?;
    let scratch = [masm.cache.take()?, masm.cache.take()?];
    let (mut low, mut rest) = (None, None);
    if let Unit::Part { bytes: bytes @ 1..=3, keeps } = unit {
        let w = channels.width();
        low = Some(masm.number(u64::from(u32::MAX >> (32 - bytes * 8)), 4, w)?);
        rest = if keeps { Some(masm.number(u64::from(u32::MAX << (bytes * 8)), 4, w)?) } else { None };
    }
    let row = |own| ByteRange { at: own, bytes: lanes * 4 };
    let may_spoil = |own| !masks.is_empty() && facts.may_spoil(masm.is_full, channels.mask, row(own));
    let may_spoil = places(channels).map(|(_, own, _)| may_spoil(own)).collect();
    Some(Loading { channels, results, is_cached, may_spoil, low, rest, scratch })
}

/// Writes the paths of channels that are not known to be contiguous. Values that are loaded here
/// are unknown afterwards.
fn emit_cold_load(
    e: &mut Emitter<'_>,
    loading: &Loading<'_>,
    (size, is_overlapping): (u32, bool),
    paths: Paths,
) -> Option<()> {
    let channels = loading.channels;
    if let Some(fallback) = channels.fallback {
        paths.bind_others(&mut e.masm.asm);
        fallback(e)?;
        take_results(&mut e.masm, loading)?;
    } else {
        let masm = &mut e.masm;
        let channels = recheck_contiguous(masm, channels, size, loading.scratch, paths)?;
        let loading = Loading { channels: &channels, ..loading.clone() };
        masm.asm.bind(paths.apart);
        load_non_contiguous(masm, &loading, is_overlapping, paths)?;
        masm.asm.bind(paths.other);
        load_per_lane(masm, &loading)?;
    }
    e.masm.asm.jump(Code::Jmp_rel32_64, paths.done);
    Some(())
}

/// Moves the results of a fallback to the registers of the load: the fallback may have used other
/// registers, or none.
fn take_results(masm: &mut MacroAssembler, loading: &Loading<'_>) -> Option<()> {
    let (w, row) = (loading.channels.width(), loading.channels.lanes * 4);
    let is_qword = loading.channels.transfer.unit == Unit::Qword;
    for LoadPart { own, result, .. } in loading.parts().filter(|_| !is_qword) {
        let tag = CachedValue::Contiguous { at: own, bytes: row };
        if loading.is_cached {
            let loaded = masm.value(tag)?;
            masm.asm.v2(op::MOVUPS, w, result, loaded, w);
            masm.cache.drop(loaded);
        } else if let Some(loaded) = masm.cache.find(&tag) {
            masm.store_file(own, row, loaded);
            masm.cache.drop(loaded);
        }
    }
    Some(())
}

/// Records the loaded values in the register cache, and releases the registers of a load.
fn end_load(masm: &mut MacroAssembler, loading: Loading<'_>) -> Option<()> {
    let Channels { transfer, masks, lanes, halves, pitch, .. } = loading.channels;
    let (w, row) = (loading.channels.width(), lanes * 4);
    for LoadPart { own, half, result, may_spoil, .. } in loading.parts().filter(|_| loading.is_cached) {
        if let Some(mask) = masks.get(half as usize)
            && !may_spoil
        {
            let old = masm.value(CachedValue::Contiguous { at: own, bytes: row })?;
            blend_selected(masm, 4, w, result, [old, result], *mask);
            masm.cache.drop(old);
        }
    }
    for half in 0..*halves {
        for &(_, place) in &transfer.elements {
            masm.cache.forget(place + half * pitch, lanes * transfer.unit.register_bytes());
        }
    }
    for LoadPart { own, result, .. } in loading.parts().filter(|_| loading.is_cached) {
        masm.cache.name(result, CachedValue::Contiguous { at: own, bytes: row });
        masm.cache.owe(result, ByteRange { at: own, bytes: row });
    }
    loading.results.iter().for_each(|result| masm.cache.drop(*result));
    loading.scratch.into_iter().chain(loading.low).chain(loading.rest).for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Loads contiguous elements.
fn load_contiguous(masm: &mut MacroAssembler, loading: &Loading<'_>) {
    let Channels { transfer, masks, lanes, .. } = loading.channels;
    let (w, size) = (loading.channels.width(), transfer.unit.bytes());
    // Qwords fill the widest vectors.
    let (widest, whole) = (masm.widest(), masm.widest().bytes());
    for part @ LoadPart { element, own, half, result, .. } in loading.parts() {
        let from = element + half * size * lanes;
        let memory = |bytes: u32| indexed(WORDS, FIRST, 1, i64::from(from + bytes));
        match (transfer.unit, masks.get(half as usize).copied()) {
            (Unit::Qword, _) => {
                for bytes in (0..lanes * 8).step_by(whole as usize) {
                    masm.asm.load(op::MOVUPS, widest, result, memory(bytes));
                    masm.asm.store(op::MOVUPS_STORE, widest, at(FILE, own + bytes), result);
                }
                continue;
            }
            (Unit::Part { bytes: 1, .. }, _) => masm.asm.load(op::MOVZXBD, w, result, memory(0)),
            (Unit::Part { bytes: 2, .. }, _) => masm.asm.load(op::MOVZXWD, w, result, memory(0)),
            (_, None) => masm.asm.load(op::MOVUPS, w, result, memory(0)),
            (_, Some(mask)) => load_selected(masm, w, result, mask, memory(0)),
        }
        finish_part(masm, loading, part);
    }
}

/// Loads elements that are not contiguous: interleaved structures, one element for all channels,
/// overlapping words, or others.
fn load_non_contiguous(
    masm: &mut MacroAssembler,
    loading: &Loading<'_>,
    is_overlapping: bool,
    paths: Paths,
) -> Option<()> {
    let channels = loading.channels;
    let Channels { transfer, offsets, .. } = channels;
    let by_bits = channels.mask_register();
    if by_bits.is_none() {
        // The first two channels determine the form to try first. They need not be enabled, so
        // their offsets may be undefined.
        let second = offsets[0].register(Width::X);
        masm.asm.r2i(Code::VEX_Vpextrd_rm32_xmm_imm8, Register::R9D, second, 1);
        masm.asm.rr(Code::Sub_r32_rm32, Register::R9D, Register::EDI);
    }
    let unless = |masm: &mut MacroAssembler, distance: u32, to: Label| {
        masm.asm.ri(Code::Cmp_rm32_imm8, Register::R9D, distance as i32);
        masm.asm.jump(Code::Jne_rel32_64, to);
    };
    for distance in distances(channels) {
        let next = masm.asm.label();
        unless(masm, distance, next);
        check_spread(masm, channels, distance, loading.scratch, paths.other);
        let size = transfer.unit.bytes();
        for part @ LoadPart { element, half, result, .. } in loading.parts() {
            let from = element + half * channels.lanes * distance;
            load_spread(masm, channels.width(), result, (from, size, distance));
            finish_part(masm, loading, part);
        }
        masm.asm.jump(Code::Jmp_rel32_64, paths.done);
        masm.asm.bind(next);
    }
    if may_overlap(channels) {
        // The other form, which was not tried yet.
        let next = if is_overlapping { 2 } else { 1 };
        unless(masm, next, paths.other);
        are_apart(masm, channels, next, loading.scratch, paths.other);
        contiguous_inside(masm, channels, next, paths.other);
        if is_overlapping {
            load_contiguous(masm, loading)
        } else {
            load_overlapping(masm, loading)
        };
        masm.asm.jump(Code::Jmp_rel32_64, paths.done);
        return Some(());
    }
    if let Unit::Part { .. } = transfer.unit {
        return Some(());
    }
    for all in possible_structures(masm.has_bits, channels) {
        let next = masm.asm.label();
        unless(masm, all.pitch(), next);
        check_structures(masm, channels, *all, loading.scratch, paths.other);
        deinterleave(masm, *all, &loading.results, loading.scratch[0])?;
        masm.asm.jump(Code::Jmp_rel32_64, paths.done);
        masm.asm.bind(next);
    }
    match by_bits {
        Some(bits) => broadcast_first_selected(masm, channels.width(), offsets[0], loading.scratch[0], bits),
        None => unless(masm, 0, paths.other),
    }
    load_uniform(masm, loading, paths);
    Some(())
}

/// Loads one element for all channels.
fn load_uniform(masm: &mut MacroAssembler, loading: &Loading<'_>, paths: Paths) {
    are_apart(masm, loading.channels, 0, loading.scratch, paths.other);
    near_inside(masm, loading.channels, loading.channels.transfer.unit.bytes(), paths.other);
    load_same(masm, loading);
    masm.asm.jump(Code::Jmp_rel32_64, paths.done);
}

/// Loads the first channel's element for all channels.
fn load_same(masm: &mut MacroAssembler, loading: &Loading<'_>) {
    let channels = loading.channels;
    let Channels { transfer, lanes, .. } = channels;
    let (widest, whole) = (masm.widest(), masm.widest().bytes());
    for part @ LoadPart { element, own, result, .. } in loading.parts() {
        let memory = indexed(WORDS, FIRST, 1, element.into());
        if transfer.unit == Unit::Qword {
            masm.asm.load(op::BROADCASTQ, widest, result, memory);
            for bytes in (0..lanes * 8).step_by(whole as usize) {
                masm.asm.store(op::MOVUPS_STORE, widest, at(FILE, own + bytes), result);
            }
            continue;
        }
        if let Unit::Part { bytes, .. } = transfer.unit {
            masm.load_element(bytes, memory);
            masm.asm.rr(Code::VEX_Vmovd_xmm_rm32, result.register(Width::X), Register::R11D);
            masm.asm.v2(op::BROADCASTD, channels.width(), result, result, Width::X);
        } else {
            masm.asm.load(op::BROADCASTSS, channels.width(), result, memory);
        }
        finish_part(masm, loading, part);
    }
}

/// Loads words that begin one byte apart, so that their bytes are contiguous.
fn load_overlapping(masm: &mut MacroAssembler, loading: &Loading<'_>) {
    let (w, [upper, _]) = (loading.channels.width(), loading.scratch);
    for part @ LoadPart { element, half, result, .. } in loading.parts() {
        let from = element + half * loading.channels.lanes;
        let memory = |bytes: u32| indexed(WORDS, FIRST, 1, i64::from(from + bytes));
        masm.asm.load(op::MOVZXBD, w, upper, memory(1));
        masm.asm.v2i(op::PSLLD, w, upper, upper, 8);
        masm.asm.load(op::MOVZXBD, w, result, memory(0));
        masm.asm.v3(op::POR, w, result, result, upper);
        finish_part(masm, loading, part);
    }
}

/// Loads the elements of each channel separately.
fn load_per_lane(masm: &mut MacroAssembler, loading: &Loading<'_>) -> Option<()> {
    let channels = loading.channels;
    let Channels { transfer, offsets, masks, mark, .. } = channels;
    let (w, [scratch, last_place]) = (channels.width(), loading.scratch);
    all_inside(masm, channels)?;
    mark_each(masm, channels);
    if are_rows(transfer)
        && (transfer.unit == Unit::Dword || masks.is_empty())
        && let Some(vectors) = take_rows(masm)
    {
        load_rows(masm, loading, vectors);
        return Some(());
    }
    if transfer.unit == Unit::Qword {
        // The access is marked already.
        move_channels(masm, channels, AccessMark { bits: 0, ..*mark });
        return Some(());
    }
    let is_part = matches!(transfer.unit, Unit::Part { .. });
    if is_part {
        // The last dword of the buffer.
        let last = indexed(LIMIT, Register::None, 1, i64::from(transfer.unit.bytes()) - 4);
        masm.asm.rm(Code::Lea_r64_m, Register::R9, last);
        masm.asm.rr(Code::VEX_Vmovd_xmm_rm32, last_place.register(Width::X), Register::R9D);
        masm.asm.v2(op::BROADCASTD, w, last_place, last_place, Width::X);
    }
    for part @ LoadPart { element, half, result, .. } in loading.parts() {
        let (offset, mask) = (offsets[half as usize], masks.get(half as usize).copied());
        if is_part {
            let (place_of, shift) = (masm.cache.take()?, masm.cache.take()?);
            masm.asm.v3(op::PMINUD, w, place_of, offset, last_place);
            masm.asm.v3(op::PSUBD, w, shift, offset, place_of);
            masm.asm.v2i(op::PSLLD, w, shift, shift, 3);
            let memory = indexed(WORDS, place_of.register(w), 1, element.into());
            gather_selected(masm, w, (result, false), memory, mask, scratch);
            masm.asm.v3(op::PSRLVD, w, result, result, shift);
            if let Some(low) = loading.low {
                masm.asm.v3(op::PAND, w, result, result, low);
            }
            [place_of, shift].into_iter().for_each(|vector| masm.cache.drop(vector));
        } else {
            let memory = indexed(WORDS, offset.register(w), 1, element.into());
            gather_selected(masm, w, (result, false), memory, mask, scratch);
        }
        finish_part(masm, loading, part);
    }
    Some(())
}

/// Loads the row of each channel by one access, through `vectors`, which are released.
fn load_rows(masm: &mut MacroAssembler, loading: &Loading<'_>, vectors: [Vector; 6]) {
    let (channels, w) = (loading.channels, loading.channels.width());
    if channels.form.is_none() {
        store_row_offsets(masm, channels, loading.scratch);
    }
    for half in 0..channels.halves {
        if channels.transfer.unit == Unit::Qword {
            move_qwords(masm, channels, half, vectors);
            continue;
        }
        let loaded = load_dwords(masm, channels, half, vectors);
        let parts = loading.parts().filter(|part| part.half == half);
        for (part, vector) in parts.zip(loaded) {
            masm.asm.v2(op::MOVUPS, w, part.result, vector, w);
            finish_part(masm, loading, part);
        }
    }
    vectors.into_iter().for_each(|vector| masm.cache.drop(vector));
}

/// Merges the bytes that dwords keep into a loaded vector, and stores the vector unless it stays in
/// its register.
fn finish_part(
    masm: &mut MacroAssembler,
    loading: &Loading<'_>,
    LoadPart { own, half, result, may_spoil, .. }: LoadPart,
) {
    let place = ByteRange { at: own, bytes: loading.channels.lanes * 4 };
    let (w, scratch) = (loading.channels.width(), loading.scratch[0]);
    if let Some(rest) = loading.rest {
        masm.asm.v3(op::PAND, w, scratch, rest, at(FILE, place.at));
        masm.asm.v3(op::POR, w, result, result, scratch);
    }
    if loading.is_cached {
        return;
    }
    let mut written = result;
    let mask = loading.channels.masks.get(half as usize);
    if let Some(mask) = mask.filter(|_| !may_spoil) {
        masm.asm.load(op::MOVUPS, w, scratch, at(FILE, place.at));
        blend_selected(masm, 4, w, scratch, [scratch, result], *mask);
        written = scratch;
    }
    masm.asm.store(op::MOVUPS_STORE, w, at(FILE, place.at), written);
}
