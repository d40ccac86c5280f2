//! Memory of the process itself: heap, stacks and variables, for programs whose kernels use it
//! without an allocation by the driver.

use std::fs;

use visakit_emulator::machine::buffer::{Guards, Lent, Part};
use visakit_emulator::machine::memory::SLOT;

use crate::base::storage::{FIXED_END, PAGE, lend_process};

/// Memory of shared mappings without a file, and of System V segments.
const WITHOUT_FILE: [&str; 2] = ["/dev/zero (deleted)", "/SYSV"];
/// Names of memory without a file that kernels may use; the system's own has other names.
const USABLE: [&str; 3] = ["[heap]", "[stack]", "[anon"];

/// Mapped pages of the process.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    is_writable: bool,
}

/// Returns the pages that the process has mapped at this moment, for a launch: each slot of the
/// address space with such pages. An access to other pages is a fault of the kernel.
///
/// Pages below the drivers' allocations have the addresses of the kernel's own buffers, and are
/// left out. Only programs at a fixed address have such pages.
pub fn regions() -> Vec<(u64, Lent)> {
    let text = fs::read("/proc/self/maps").unwrap_or_default();
    slots(String::from_utf8_lossy(&text).lines().filter_map(mapping))
}

/// Distributes mappings in increasing order to slots.
fn slots(mappings: impl Iterator<Item = Mapping>) -> Vec<(u64, Lent)> {
    let mut slots: Vec<(u64, Vec<Part>)> = Vec::new();
    for Mapping { mut start, end, is_writable } in mappings {
        while start < end {
            let first = start / SLOT * SLOT;
            let last = end.min(first.saturating_add(SLOT));
            if slots.last().is_none_or(|(before, _)| *before != first) {
                slots.push((first, Vec::new()));
            }
            if let Some((_, parts)) = slots.last_mut() {
                match parts.last_mut() {
                    Some(part) if part.end == start - first && part.is_writable == is_writable => {
                        part.end = last - first;
                    }
                    _ => parts.push(Part { start: start - first, end: last - first, is_writable }),
                }
            }
            start = last;
        }
    }
    let lend = |(first, parts): (u64, Vec<Part>)| {
        let bytes = parts.last().map_or(0, |part| part.end);
        // SAFETY: the system lists the pages as mapped. The program keeps those whose addresses it
        // passes to kernels.
        (first, unsafe { lend_process(first, bytes as usize, Guards::new(parts)) })
    };
    slots.into_iter().map(lend).collect()
}

/// Reads a line of `/proc/self/maps`; `None` for pages that kernels may not read.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let (start, mut end) = (number(start)?, number(end)?);
    let rights = words.next()?;
    let offset = number(words.next()?)?;
    let name = words.nth(2)?.trim_start();
    if start < FIXED_END || !rights.starts_with('r') {
        return None;
    }
    let begins = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
    if !name.is_empty() && !begins(&USABLE) && !begins(&WITHOUT_FILE) {
        // An access to pages after the end of a file ends the process. Files without a name, such
        // as deleted ones, have an unknown size.
        let about = fs::metadata(name).ok().filter(|about| about.is_file())?;
        let rest = about.len().checked_sub(offset)?.checked_next_multiple_of(PAGE as u64)?;
        end = end.min(start.saturating_add(rest));
    }
    (end > start).then(|| Mapping { start, end, is_writable: rights[1..].starts_with('w') })
}

#[cfg(test)]
mod tests {
    use visakit_emulator::machine::accesses::AccessKind;

    use super::*;

    #[test]
    fn lines_are_read() {
        let read = |rest: &str| mapping(&format!("7f0000001000-7f0000005000 {rest}"));
        let found = |end, is_writable| Some(Mapping { start: 0x7f00_0000_1000, end, is_writable });
        assert_eq!(read("rw-p 00000000 00:00 0 "), found(0x7f00_0000_5000, true));
        assert_eq!(read("r--p 00000000 00:00 0    [anon: x y]"), found(0x7f00_0000_5000, false));
        assert_eq!(read("rw-s 00000000 00:01 77   /dev/zero (deleted)"), found(0x7f00_0000_5000, true));
        for other in
            ["---p 00000000 00:00 0 ", "r--p 00000000 00:00 0    [vvar]", "rw-s 00000000 00:05 9   /dev/null"]
        {
            assert_eq!(read(other), None, "{other}");
        }
        assert_eq!(read("rw-s 00000000 08:01 9   /no/such file (deleted)"), None);
        for (wrong, why) in [("", "empty"), ("7f-", "no end"), ("5-4 rw-p 0 0 0 ", "backwards"), ("é", "text")] {
            assert_eq!(mapping(wrong), None, "{why}");
        }
        assert_eq!(mapping("400000-500000 rw-p 00000000 00:00 0 "), None, "addresses of buffers");
        // A file of two pages and a byte, mapped from its second page.
        let file = std::env::temp_dir().join(format!("visakit maps {}", std::process::id()));
        fs::write(&file, vec![1; 2 * PAGE + 1]).unwrap();
        assert_eq!(read(&format!("r--p 00001000 08:01 9   {}", file.display())), found(0x7f00_0000_3000, false));
        assert_eq!(read(&format!("r--p 00009000 08:01 9   {}", file.display())), None);
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn mappings_have_guards_by_slot() {
        let map = |start, end, is_writable| Mapping { start, end, is_writable };
        let first = 0x7f00 << 32;
        let all = [map(first + 0x1000, first + 0x2000, true), map(first + 0x2000, first + 0x3000, true)];
        let more = [
            map(first + 0x4000, first + SLOT + 0x1000, false),
            map(first + SLOT + 0x1000, first + SLOT + 0x2000, true),
        ];
        let slots = slots(all.into_iter().chain(more));
        let [(at, one), (next, two)] = slots.as_slice() else { panic!("{slots:?}") };
        assert_eq!((*at, *next, one.bytes, two.bytes), (first, first + SLOT, SLOT as usize, 0x2000));
        let may = |lent: &Lent, offset, kind| lent.guards.as_ref().unwrap().allow(offset, 8, kind);
        let [load, store] = [AccessKind::Load, AccessKind::Store];
        assert_eq!([may(one, 0x1ffc, store), may(one, 0xffc, load), may(one, 0x2ffc, load)], [true, false, false]);
        assert_eq!([may(one, 0x4000, load), may(one, 0x4000, store)], [true, false]);
        assert_eq!([may(two, 0xffc, load), may(two, 0xffc, store), may(two, 0x1000, store)], [true, false, true]);
    }

    #[test]
    fn own_memory_is_found() {
        static CONSTANT: [u32; 4] = [7; 4];
        let (heap, stack) = (vec![3_u32; 5], [4_u32; 6]);
        let all = regions();
        let word = |place: *const u32| {
            let (at, lent) = all.iter().rev().find(|(at, _)| *at <= place as u64).unwrap();
            let offset = place as u64 - at;
            let may = |kind| lent.guards.as_ref().unwrap().allow(offset, 4, kind);
            let value = lent.words[offset as usize / 4].load(std::sync::atomic::Ordering::Relaxed);
            (value, may(AccessKind::Load), may(AccessKind::Store))
        };
        assert_eq!((word(&heap[4]), word(&stack[0])), ((3, true, true), (4, true, true)));
        assert_eq!(word(&CONSTANT[1]), (7, true, false));
    }
}
