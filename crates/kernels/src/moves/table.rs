//! Table look-up with four-bit indices.

use crate::lowering::step::Run;
use crate::lowering::{LowerResult, Lowering, channels, illegal};
use visakit::isa::ShflIdx4;
use visakit_machine::lane::LANES;
use visakit_machine::region::Start;

/// Number of table entries, one per four-bit index.
const ENTRIES: usize = 16;

/// Lowers a table look-up: each part of a result is the same part of the entry selected by the
/// nibble for that part.
pub(crate) fn shfl_idx4(l: &mut Lowering<'_>, inst: &ShflIdx4) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let Start::At(table) = l.region(&inst.src0, 1)?.start else {
        return illegal("a table must be a general variable");
    };
    if u64::from(table) + ENTRIES as u64 * 4 > u64::from(l.layout.len) {
        return illegal("a table extends past the end of the registers");
    }
    // Each nibble of an index number selects an equal part of the result.
    let part = match l.type_of(&inst.src1)?.bits() {
        16 => 8,
        8 => 16,
        _ => return illegal("table elements must have 8 or 16 bits"),
    };
    let numbers = l.source::<u32>(&inst.src1, lanes)?;
    let dst = l.raw_required(&inst.dst, lanes as u64 * 4)?;
    let run = Run::new(move |thread, _| {
        let entries: [u32; ENTRIES] = thread.registers.load(table);
        let mut results = Vec::with_capacity(lanes);
        for chunk in 0..lanes.div_ceil(LANES) {
            let numbers: [u32; LANES] = numbers.load(thread, chunk);
            results.extend(numbers.map(|number| look_up(&entries, number, part)));
        }
        let enabled = thread.enabled(&enable);
        for (i, result) in results.into_iter().take(lanes).enumerate().filter(|(i, _)| enabled >> i & 1 == 1) {
            thread.registers.set(dst + i as u32 * 4, result);
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}

fn look_up(entries: &[u32; ENTRIES], number: u32, part: u32) -> u32 {
    let of_part = |at: u32| {
        let entry = entries[(number >> (at / part * 4)) as usize % ENTRIES];
        entry & (u32::MAX >> (32 - part)) << at
    };
    (0..u32::BITS).step_by(part as usize).fold(0, |result, at| result | of_part(at))
}

#[cfg(test)]
mod tests {
    use super::look_up;

    #[test]
    fn parts_come_from_the_entries_that_nibbles_name() {
        let entries = std::array::from_fn(|i| i as u32 * 0x1111_1111);
        assert_eq!(look_up(&entries, 0x4321, 8), 0x4433_2211);
        assert_eq!(look_up(&entries, 0xfff0, 8), 0xffff_ff00);
        assert_eq!(look_up(&entries, 0xa5, 16), 0xaaaa_5555);
    }
}
