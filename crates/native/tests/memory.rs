//! Accesses to memory: loads, stores and updates, compared with slices.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use visakit_native::host::update_pair;
use visakit_native::ir::{
    Access, Action, Addresses, Behind, Block, Change, End, Kind, Mask, Space, Step, Transfer, Unit, Update,
};
use visakit_native::{Buffer, Code, Exit, Marks, Memory, Slots};

mod common;

use common::{State, codes, mask, step, unmarked};

/// Number of words of a buffer.
const WORDS: u32 = 400;

const SURFACE: Space = Space::Surface { element: 0, shift: 0 };

/// Returns an access to a dword of a surface for each channel. The offsets are at 0, the elements
/// in the registers at 256.
fn dwords(access: Access) -> Transfer {
    Transfer {
        access,
        space: SURFACE,
        addresses: Addresses::Dwords(0),
        global: None,
        scale: 1,
        offset: 0,
        unit: Unit::Dword,
        alignment: 4,
        elements: vec![(0, 256)],
    }
}

/// Returns the code of a transfer of the first channels, for each level.
fn codes_of(lanes: u32, transfer: Transfer) -> Vec<Code> {
    let mask = Mask { lanes: u32::MAX >> (32 - lanes), ..mask(1, false) };
    let steps = vec![Step { mask, action: Action::Transfer(transfer) }];
    codes(&[Block { steps, instructions: 1, end: End::Outside(Behind::Anything) }])
}

/// Returns accesses, each with the number of elements of a channel, and the distance between
/// channels in bytes.
fn accesses() -> Vec<(Unit, Access, [u32; 2])> {
    let parts = [1, 2, 3, 4].into_iter().flat_map(|bytes| [true, false].map(|keeps| Unit::Part { bytes, keeps }));
    let units = [Unit::Dword, Unit::Qword].into_iter().chain(parts);
    let moves = units.flat_map(|unit| [Access::Load, Access::Store].map(|access| (unit, access, [1, unit.bytes()])));
    let structures =
        [[2, 2], [3, 3], [3, 4], [4, 4], [2, 1], [3, 2], [4, 3], [3, 8], [4, 8]].map(|shape| (Unit::Dword, shape));
    let structures = structures.into_iter().chain([[2, 2], [2, 4], [4, 4]].map(|shape| (Unit::Qword, shape)));
    let structures = structures.map(|(unit, [count, step])| (unit, [count, step * unit.bytes()]));
    let structures =
        structures.flat_map(|(unit, shape)| [Access::Load, Access::Store].map(|access| (unit, access, shape)));
    // If channels overlap, the order of their stores matters.
    let structures =
        structures.filter(|(unit, access, [count, pitch])| *access == Access::Load || count * unit.bytes() <= *pitch);
    let spread = [(1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 3), (2, 4), (2, 5)];
    let spread = spread.into_iter().flat_map(|part| [true, false].map(|keeps| (part, keeps)));
    let spread = spread.map(|((bytes, pitch), keeps)| (Unit::Part { bytes, keeps }, Access::Load, [1, pitch]));
    let updates = updates().map(|update| (unit(update.kind), Access::Update(update), [1, update.kind.bytes()]));
    moves.chain(structures).chain(spread).chain(updates).collect()
}

/// Every unit, access, order of addresses and set of channels, compared with a byte-by-byte copy.
#[test]
fn units_and_changes() {
    let orders: [fn(u32) -> u32; 5] = [|n| n + 1, |_| 7, |n| n * 7 % 32, |n| 40 - n, |n| n / 2];
    let masks = [u32::MAX, 0xffff, 0x8f31_7ffe, 1 << 20, 0];
    // The caller executes transfers of four qwords.
    let all = accesses().into_iter().flat_map(|what| [4, 8, 16, 32].map(|lanes| (what, lanes)));
    for ((unit, access, [count, pitch]), lanes) in
        all.filter(|((unit, ..), lanes)| *unit != Unit::Qword || *lanes > 4)
    {
        // Updates use the same offsets and masks as stores.
        let is_update = matches!(access, Access::Update(_));
        let orders = if is_update { &orders[1..] } else { &orders[..] };
        for (order, active) in orders.iter().flat_map(|order| masks.map(move |n| (order, n))) {
            let is_local = lanes == 16 && active == masks[2];
            let what = format!("{unit:?} {access:?} {count} {pitch} {lanes} {active:x} {}", order(3));
            let (size, own) = (unit.bytes(), unit.register_bytes());
            let alignment = if let Unit::Part { .. } = unit { 1 } else { 4 };
            // Rows of 16 bytes are aligned or not.
            let start = match alignment {
                1 => 1,
                _ if pitch > size * count => 16,
                _ => 4,
            };
            let transfer = Transfer {
                access,
                space: if is_local { Space::Local { mask: 0x0fff_ffff } } else { SURFACE },
                addresses: Addresses::Dwords(0),
                global: None,
                scale: 1,
                offset: start as i32,
                unit,
                alignment,
                elements: (0..count).map(|n| (n * size, 256 + n * 32 * own)).collect(),
            };
            let offset = |n: u32| order(n) * pitch + start;
            let mask = Mask { lanes: u32::MAX >> (32 - lanes), ..mask(1, false) };
            let blocks = vec![Block {
                steps: vec![Step { mask, action: Action::Transfer(transfer) }],
                instructions: 1,
                end: End::Outside(Behind::Anything),
            }];
            for code in codes(&blocks) {
                let words: Vec<AtomicU32> =
                    (0..WORDS).map(|n: u32| AtomicU32::new(n.wrapping_mul(0x9e37_79b9))).collect();
                let marks: Vec<Cell<u64>> = vec![Cell::new(0); WORDS as usize / 16 + 3];
                let noted = Marks::Bits(&marks);
                let local = Buffer { words: &words, loads: noted, stores: noted, updates: noted };
                let memory = if is_local { Memory::new([], [], &words) } else { Memory::new([], [Some(local)], &[]) };
                let mut state = State::new(active);
                (0..32).for_each(|n| state.put_one(n * 4, order(n) * pitch));
                (0..128).for_each(|n| state.put_one(256 + n * 4, 0x0103_0507_u32.wrapping_mul(n + 3)));
                // Second operands; some of the comparisons hold.
                (0..64).for_each(|n| state.put_one(768 + n * 4, 0x7001_0305_u32.wrapping_mul(n + 5)));
                let bytes = |words: &[AtomicU32]| -> Vec<u8> {
                    words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect()
                };
                let (mut want, mut registers) = (bytes(&words), state.registers.clone());
                let mut marked = vec![0_u64; marks.len()];
                let channels = (0..lanes).filter(|n| active >> n & 1 == 1);
                for (n, element) in channels.flat_map(|n| (0..count).map(move |element| (n, element))) {
                    let place = (256 + (element * 32 + n) * own) as usize;
                    let (at, size) = ((offset(n) + element * size) as usize, size as usize);
                    if !is_local {
                        (at..at + size).for_each(|byte| marked[byte / 64] |= 1 << (byte % 64));
                    }
                    let channel = (&mut registers[..], &mut want[at..at + size]);
                    move_element(access, unit, n, place, channel);
                }
                let exit = state.run(&code, 0, None, &memory);
                assert_eq!(exit, Some(Exit::End { block: 0 }), "{what}");
                assert_eq!(bytes(&words), want, "{what}");
                assert_eq!(state.registers, registers, "{what}");
                assert_eq!(marks.iter().map(Cell::get).collect::<Vec<_>>(), marked, "{what}");
            }
        }
    }
}

/// Moves an element between the registers, where it is at `place`, and memory. `n` is the number of
/// its channel.
fn move_element(access: Access, unit: Unit, n: u32, place: usize, (registers, memory): (&mut [u8], &mut [u8])) {
    let size = memory.len();
    match access {
        Access::Load => {
            if let Unit::Part { keeps: false, .. } = unit {
                registers[place..place + 4].fill(0);
            }
            registers[place..place + size].copy_from_slice(memory);
        }
        Access::Store => memory.copy_from_slice(&registers[place..place + size]),
        Access::Update(update) => {
            let row = |place: u32| (place + n * update.kind.bytes()) as usize;
            let read = |bytes: &[u8]| (0..).zip(bytes).map(|(n, byte)| u64::from(*byte) << (n * 8)).sum();
            let old = read(memory);
            let second = update.second.map_or(0, |second| read(&registers[row(second)..][..size]));
            let new = changed(update, old, read(&registers[place..place + size]), second);
            memory.copy_from_slice(&new.to_le_bytes()[..size]);
            if let Some(to) = update.result {
                let result: u64 = if update.returns_new { new } else { old };
                registers[row(to)..][..size].copy_from_slice(&result.to_le_bytes()[..size]);
            }
        }
    }
}

/// Returns all changes of all kinds, with and without results.
fn updates() -> impl Iterator<Item = Update> {
    let integers = [Kind::U32, Kind::I32, Kind::U64, Kind::I64];
    let bits = [Change::And, Change::Or, Change::Xor, Change::Increment, Change::Decrement];
    let numbers = [Change::Add, Change::Sub, Change::Smaller, Change::Larger];
    let any = [Change::Keep, Change::Replace, Change::ReplaceIf];
    let floats = [Kind::F32, Kind::F64];
    let of = |kinds: &[Kind], changes: &[Change]| -> Vec<(Kind, Change)> {
        kinds.iter().flat_map(|kind| changes.iter().map(|change| (*kind, *change))).collect()
    };
    let all = [of(&integers, &bits), of(&integers, &numbers), of(&integers, &any), of(&floats, &numbers)];
    let all = all.into_iter().chain([of(&floats, &any)]).flatten();
    // Results may replace the operands.
    let results = [(None, false), (Some(1024), false), (Some(1024), true), (Some(256), false)];
    all.flat_map(move |(kind, change)| {
        let second = (change == Change::ReplaceIf).then_some(768);
        results.map(|(result, returns_new)| Update { change, kind, second, result, returns_new })
    })
}

/// Returns the unit of elements of a kind.
fn unit(kind: Kind) -> Unit {
    if kind.bytes() == 8 { Unit::Qword } else { Unit::Dword }
}

/// Returns the new value of an element.
fn changed(update: Update, old: u64, first: u64, second: u64) -> u64 {
    macro_rules! integers {
        ($integer:ty) => {{
            let (old, by) = (old as $integer, first as $integer);
            let new = match update.change {
                Change::Add => old.wrapping_add(by),
                Change::Sub => old.wrapping_sub(by),
                Change::And => old & by,
                Change::Or => old | by,
                Change::Xor => old ^ by,
                Change::Increment => old.wrapping_add(1),
                Change::Decrement => old.wrapping_sub(1),
                Change::Keep => old,
                Change::Replace => by,
                Change::Smaller => old.min(by),
                Change::Larger => old.max(by),
                Change::ReplaceIf => {
                    if old == by {
                        second as $integer
                    } else {
                        old
                    }
                }
            };
            new as u64
        }};
    }
    macro_rules! floats {
        ($float:ty, $bits:ty) => {{
            let [old, by, second] = [old, first, second].map(|bits| <$float>::from_bits(bits as $bits));
            let new = match update.change {
                Change::Add => old + by,
                Change::Sub => old - by,
                Change::Smaller if old.is_nan() || by < old => by,
                Change::Larger if old.is_nan() || by > old => by,
                Change::Replace => by,
                Change::ReplaceIf if old == by => second,
                _ => old,
            };
            u64::from(new.to_bits())
        }};
    }
    match update.kind {
        Kind::U32 => integers!(u32) & u64::from(u32::MAX),
        Kind::I32 => integers!(i32) & u64::from(u32::MAX),
        Kind::U64 => integers!(u64),
        Kind::I64 => integers!(i64),
        Kind::F32 => floats!(f32, u32),
        _ => floats!(f64, u64),
    }
}

/// The caller executes an update if one channel is outside; none of the others has happened.
#[test]
fn updates_happen_once() {
    let update = Update { change: Change::Add, kind: Kind::U32, second: None, result: Some(512), returns_new: false };
    let masks = [u32::MAX, 0xffff_f7fe, 0xfff0_0000];
    let all = [1, 4, 8, 16, 32].into_iter().flat_map(|lanes| masks.map(|active| (lanes, active)));
    for (lanes, active, is_flat) in all.flat_map(|(lanes, active)| [(lanes, active, false), (lanes, active, true)]) {
        let (space, addresses) =
            if is_flat { (Space::Flat, Addresses::Qwords(0)) } else { (SURFACE, Addresses::Dwords(0)) };
        let transfer = Transfer { space, addresses, ..dwords(Access::Update(update)) };
        for code in codes_of(lanes, transfer) {
            for outside in [None, Some(lanes - 1), Some(lanes / 2)] {
                let words: Vec<AtomicU32> = (0..WORDS).map(AtomicU32::new).collect();
                let noted = Marks::Nobody;
                let buffer = Buffer { words: &words, loads: noted, stores: noted, updates: noted };
                let mut state = State::new(active);
                for n in 0..32 {
                    // An address in flat memory has the number of a buffer.
                    let (step, buffer) = if is_flat { (8, 1) } else { (4, n * 4) };
                    state.put_one(
                        n * step + step - 4,
                        if outside == Some(n) { 2 * buffer + WORDS * 4 } else { buffer },
                    );
                    if is_flat {
                        state.put_one(n * step, n * 4);
                    }
                    state.put_one(256 + n * 4, 100);
                }
                let memory = Memory::new([buffer], [Some(buffer)], &[]);
                let exit = state.run(&code, 0, None, &memory);
                let happens = outside.is_none_or(|n| active >> n & 1 == 0);
                assert_eq!(
                    matches!(exit, Some(Exit::End { .. })),
                    happens,
                    "{lanes} {is_flat} {active:x} {outside:?}"
                );
                for n in 0..32 {
                    let is_changed = happens && n < lanes && active >> n & 1 == 1;
                    let want = (if is_changed { n + 100 } else { n }, if is_changed { n } else { 0 });
                    assert_eq!((words[n as usize].load(Relaxed), state.get_one(512 + n * 4)), want, "{lanes} {n}");
                }
            }
        }
    }
}

/// Host threads change one element at the same time.
#[test]
fn updates_of_one_element_are_atomic() {
    const RUNS: u32 = 5000;
    for (change, lanes) in [(Change::Increment, 16), (Change::Add, 32), (Change::Sub, 8), (Change::Xor, 16)] {
        let update = Update { change, kind: Kind::U32, second: None, result: Some(512), returns_new: false };
        for code in codes_of(lanes, dwords(Access::Update(update))) {
            let word = AtomicU32::new(0);
            let results = || -> Vec<u32> {
                let memory = Memory::new([], [Some(unmarked(std::slice::from_ref(&word)))], &[]);
                let run = || {
                    let mut state = State::new(u32::MAX);
                    (0..32).for_each(|n| state.put_one(256 + n * 4, 1));
                    assert_eq!(state.run(&code, 0, None, &memory), Some(Exit::End { block: 0 }));
                    (0..lanes).map(|n| state.get_one(512 + n * 4)).collect::<Vec<_>>()
                };
                (0..RUNS).flat_map(|_| run()).collect()
            };
            let mut all: Vec<u32> = std::thread::scope(|scope| {
                let others = scope.spawn(results);
                [results(), others.join().unwrap()].concat()
            });
            let count = RUNS * lanes * 2;
            if change == Change::Xor {
                assert_eq!(all.iter().filter(|old| **old == 0).count() * 2, count as usize);
                assert_eq!(word.load(Relaxed), 0);
                continue;
            }
            let step = if change == Change::Sub { u32::MAX } else { 1 };
            all.iter_mut().for_each(|old| *old = old.wrapping_mul(step));
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count), "each result occurs once: {change:?} {lanes}");
            assert_eq!(word.load(Relaxed), count.wrapping_mul(step), "{change:?} {lanes}");
        }
    }
}

#[test]
fn memory_is_reached_where_everything_is_inside() {
    let transfer = |access, at| Action::Transfer(Transfer { elements: vec![(0, at)], ..dwords(access) });
    let blocks = vec![Block {
        steps: vec![step(transfer(Access::Load, 64)), step(transfer(Access::Store, 128))],
        instructions: 2,
        end: End::Outside(Behind::Anything),
    }];
    for code in codes(&blocks) {
        reaches(&code);
    }
}

/// 32-bit offsets from a base, signed and unsigned, in the second of two buffers.
#[test]
fn offsets_in_flat_memory_are_extended() {
    const WORDS: u32 = 256;
    let orders: [fn(i32) -> i32; 3] = [|n| n - 4, |_| -3, |n| n * 7 % 32 - 5];
    let shapes = [1, 4, 8, 16, 32].into_iter().flat_map(|lanes| [1, 4, 8].map(|scale| (lanes, scale)));
    let all = shapes.flat_map(|shape| [true, false].map(|signed| (shape, signed)));
    for ((lanes, scale), signed) in all {
        for access in [Access::Load, Access::Store] {
            let addresses = Addresses::Offsets { at: 0, signed };
            let (space, global) = (Space::Flat, Some((128, 8)));
            let transfer = Transfer { space, addresses, global, scale, offset: 4, ..dwords(access) };
            let codes = codes_of(lanes, transfer);
            for (code, order) in codes.iter().flat_map(|code| orders.map(|order| (code, order))) {
                for active in [u32::MAX, 0x8f31_7ffe] {
                    let words: Vec<AtomicU32> = (0..WORDS).map(|n| AtomicU32::new(n * 3 + 1)).collect();
                    let memory = Memory::new([unmarked(&[]), unmarked(&words)], [], &[]);
                    let mut state = State::new(active);
                    // Multiples of the factor, and of at least 4 bytes.
                    let offset = |n: u32| order(n as i32) * 4.max(scale as i32) / scale as i32;
                    (0..32).for_each(|n| state.put_one(n * 4, offset(n) as u32));
                    (0..32).for_each(|n| state.put_one(256 + n * 4, 1000 + n));
                    [128 * 4_u32, 2].into_iter().zip([128, 132]).for_each(|(word, at)| state.put_one(at, word));
                    let place = |n: u32| (128 * 4 + i64::from(offset(n)) * i64::from(scale) + 4) as u32 / 4;
                    let on = |n: u32| n < lanes && active >> n & 1 == 1;
                    let is_outside = !signed && (0..32).any(|n| on(n) && offset(n) < 0);
                    let exit = state.run(code, 0, None, &memory);
                    let what = format!("{access:?} {lanes} {scale} {signed} {active:x} {}", order(0));
                    if is_outside {
                        assert!(matches!(exit, Some(Exit::Step { step: 0, .. })), "{what}: {exit:?}");
                        continue;
                    }
                    assert_eq!(exit, Some(Exit::End { block: 0 }), "{what}");
                    for n in 0..32 {
                        let read = access == Access::Load && on(n);
                        assert_eq!(
                            state.get_one(256 + n * 4),
                            if read { place(n) * 3 + 1 } else { 1000 + n },
                            "{what}"
                        );
                    }
                    let mut want: Vec<u32> = (0..WORDS).map(|n| n * 3 + 1).collect();
                    if access == Access::Store {
                        (0..32).filter(|n| on(*n)).for_each(|n| want[place(n) as usize] = 1000 + n);
                    }
                    assert_eq!(words.iter().map(|word| word.load(Relaxed)).collect::<Vec<_>>(), want, "{what}");
                }
            }
        }
    }
}

fn reaches(code: &Code) {
    let offsets: [fn(u32) -> u32; 4] = [|n| 8 + 4 * n, |_| 20, |n| 4 * (n * 7 % 16), |n| 60 - 4 * n];
    for (offset, active) in offsets.into_iter().flat_map(|offset| [(offset, 0xffff), (offset, 0x8ff1)]) {
        let words: Vec<AtomicU32> = (0..24).map(|n| AtomicU32::new(n * 3 + 1)).collect();
        let marks: Vec<Cell<u64>> = vec![Cell::new(0); 4];
        let local = Buffer { stores: Marks::Bits(&marks), ..unmarked(&words) };
        let memory = Memory::new([], [Some(local)], &[]);
        let mut state = State::new(active);
        state.put(0, offset);
        state.put(64, |_| 99);
        state.put(128, |n| 1000 + n);
        assert_eq!(state.run(code, 0, None, &memory), Some(Exit::End { block: 0 }));
        let on = |n: u32| active >> n & 1 == 1;
        let read = |n: u32| if on(n) { offset(n) / 4 * 3 + 1 } else { 99 };
        assert_eq!(state.get(64), std::array::from_fn(|n| read(n as u32)));
        let mut want: Vec<u32> = (0..24).map(|n| n * 3 + 1).collect();
        let mut marked = [0_u64; 4];
        for n in (0..16).filter(|n| on(*n)) {
            want[offset(n) as usize / 4] = 1000 + n;
            (0..4).for_each(|byte| marked[(offset(n) + byte) as usize / 64] |= 1 << ((offset(n) + byte) % 64));
        }
        assert_eq!(words.iter().map(|word| word.load(Relaxed)).collect::<Vec<_>>(), want);
        assert_eq!(marks.iter().map(Cell::get).collect::<Vec<_>>(), marked);
    }
    // An element is out of bounds, or between two words: nothing has been moved.
    for wrong in [96, 90] {
        let words: Vec<AtomicU32> = (0..24).map(AtomicU32::new).collect();
        let memory = Memory::new([], [Some(unmarked(&words))], &[]);
        let mut state = State::new(0xffff);
        state.put(0, |n| if n == 9 { wrong } else { n * 4 });
        let exit = state.run(code, 0, None, &memory);
        assert!(matches!(exit, Some(Exit::Step { step: 0, .. })), "{exit:?}");
        assert_eq!(state.get(64), [0; 16]);
        // The caller has executed the step.
        let exit = state.run(code, 0, exit, &memory);
        assert!(matches!(exit, Some(Exit::Step { step: 1, .. })), "{exit:?}");
    }
}

/// Code and the caller change the same 64-bit words at the same time.
#[test]
fn pairs_of_words_change_as_one() {
    const TIMES: u32 = 20_000;
    let update = Update { change: Change::Add, kind: Kind::U64, second: None, result: Some(512), returns_new: false };
    let transfer = Transfer { unit: Unit::Qword, alignment: 8, ..dwords(Access::Update(update)) };
    for code in codes_of(1, transfer) {
        let words = [const { AtomicU32::new(0) }; 2];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Sums of the lower words carry.
                (0..TIMES).for_each(|_| assert!(update_pair(&words, |old| old + 0xffff_ffff).is_some()));
            });
            let mut state = State::new(1);
            state.put_one(256, 0xffff_ffff);
            let memory = Memory::new([], [Some(unmarked(&words))], &[]);
            for _ in 0..TIMES {
                state.executed = 0;
                assert!(matches!(state.run(&code, 0, None, &memory), Some(Exit::End { .. })));
            }
        });
        let sum = u64::from(TIMES) * 2 * 0xffff_ffff;
        assert_eq!(words.map(AtomicU32::into_inner), [sum as u32, (sum >> 32) as u32]);
    }
}

/// Code finds buffers by their numbers and by the upper halves of their addresses.
#[test]
fn buffers_have_numbers_or_slots() {
    let (space, addresses) = (Space::Flat, Addresses::Qwords(0));
    let transfer = Transfer { space, addresses, offset: 4, ..dwords(Access::Load) };
    for lanes in [1, 8, 32] {
        for code in codes_of(lanes, transfer.clone()) {
            let words: [Vec<AtomicU32>; 3] =
                [1, 2, 3].map(|n| (0..WORDS).map(|word| AtomicU32::new(word + n * 1000)).collect());
            let [numbered, first, second] = words.each_ref().map(Vec::as_slice);
            // One is out of order, and one is too far away.
            let all = [(5000, first), (5003, second), (5002, numbered), (5000 + (1 << 16), numbered)];
            let memory = Memory::new([unmarked(numbered)], [], &[]).with_slots(Arc::new(Slots::new(all)));
            let found = [(1, 1), (5000, 2), (5003, 3)];
            for slot in [0, 1, 2, 3, 4999, 5000, 5001, 5002, 5003, 5004, 5000 + (1 << 16), u32::MAX] {
                let mut state = State::new(u32::MAX);
                (0..32).for_each(|n| state.put_one(n * 8, n * 4));
                (0..32).for_each(|n| state.put_one(n * 8 + 4, slot));
                let exit = state.run(&code, 0, None, &memory);
                match found.into_iter().find(|(number, _)| *number == slot) {
                    Some((_, n)) => {
                        assert!(matches!(exit, Some(Exit::End { .. })), "{lanes} {slot}");
                        (0..lanes).for_each(|lane| assert_eq!(state.get_one(256 + lane * 4), lane + 1 + n * 1000));
                    }
                    None => assert!(matches!(exit, Some(Exit::Step { .. })), "{lanes} {slot}"),
                }
            }
        }
    }
}
