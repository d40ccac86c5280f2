//! Launches with races between groups have the same result for any number of host threads, every
//! time; launches without races run once.

#[allow(unused_macros, reason = "other test files use them")]
#[path = "common/kernel.rs"]
mod kernel;

use std::collections::BTreeSet;

use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Policy, Program, RunError, launch_from};
use visakit_testing::{Random, root};
use visakit_zebin::Zebin;

const THREADS: [usize; 4] = [1, 2, 3, 8];
/// Number of groups of compiled kernels, which take some time, and of text kernels.
const GROUPS: u64 = 64;
const SHORT_GROUPS: u64 = 1024;
/// Largest number of rounds, in case fewer launches than expected happen to race.
const MOST_ROUNDS: usize = 20;

/// Visible result of a launch, and the number of its runs.
struct Seen {
    report: String,
    runs: u32,
}

fn run(program: &Program, [groups, local]: [u64; 2], arguments: &[Option<Argument>], threads: usize) -> Seen {
    let range = NdRange::new(&[groups * local], Some(&[local]), None, program.required_local_size()).unwrap();
    let options =
        Policy { threads: Some(threads), stats: true, max_instructions: Some(1 << 22), ..Policy::default() }.into();
    let mut runs = 0;
    let make = |_| {
        runs += 1;
        Ok(arguments.to_vec())
    };
    let report = match launch_from(program, &range, make, &options) {
        Ok(outcome) => {
            let stats = outcome.stats.unwrap().by_opcode;
            let (reads, writes) = (outcome.outside_reads, outcome.outside_writes);
            format!("{:?} {:?} {stats:?} {reads} {writes} {}", outcome.buffers, outcome.printed, outcome.ordered)
        }
        Err(RunError::TrapReport(trap)) => format!("{trap:?}"),
        Err(other) => panic!("{other}"),
    };
    Seen { report, runs }
}

/// Runs a launch many times and returns how often it was run again.
fn is_steady(what: &str, program: &Program, size: [u64; 2], arguments: &[Option<Argument>], times: usize) -> usize {
    let first = run(program, size, arguments, 1);
    assert_eq!(first.runs, 1);
    let mut again = 0;
    for threads in THREADS.into_iter().flat_map(|threads| std::iter::repeat_n(threads, times)) {
        let other = run(program, size, arguments, threads);
        let same = other.report == first.report;
        // The report from shortly before the first difference.
        let common = first.report.chars().zip(other.report.chars()).take_while(|(a, b)| a == b).count();
        let short = |report: &str| report.chars().skip(common.saturating_sub(200)).take(600).collect::<String>();
        assert!(same, "{what}, {threads} threads:\n{}\n{}", short(&first.report), short(&other.report));
        again += usize::from(other.runs > 1);
    }
    again
}

fn words(values: impl Iterator<Item = u32>) -> Option<Argument> {
    Some(Argument::Buffer(values.flat_map(u32::to_le_bytes).collect()))
}

/// Returns a kernel's arguments, its group size, and true if its groups race.
fn case(kernel: &str) -> (Vec<Option<Argument>>, u64, bool) {
    let mut random = Random(7);
    let n = (GROUPS * 64) as u32;
    let mut some = |most: usize| words((0..n).map(|_| random.below(most) as u32));
    let zeros = |count: u32| words((0..count).map(|_| 0));
    let value = |value: u32| Some(Argument::Value(value.to_le_bytes().to_vec()));
    match kernel {
        "last_store" => (vec![zeros(64)], 64, true),
        "flag" => (vec![zeros(1), zeros(1), zeros(n)], 64, true),
        "counts" => (vec![some(64), zeros(64)], 64, true),
        "neighbour" => (vec![some(1000)], 64, true),
        "neighbour_bytes" => (vec![some(1 << 30)], 61, true),
        "mixed" => (vec![zeros(4)], 64, true),
        "peek" => (vec![zeros(1), zeros(n)], 64, true),
        // The kernel itself requires sequential groups, so it never runs in parallel.
        "list" => (vec![zeros(1), zeros(n)], 64, false),
        "wild" => (vec![zeros(1), zeros(n)], 64, true),
        "faults" => (vec![zeros(n), value(0x1000_0000)], 64, true),
        "unwritten" => (vec![zeros(2 * n), value(1)], 64, false),
        "rows" => (vec![some(1 << 30), zeros(n / 4)], 61, false),
        "columns" => (vec![some(1 << 30), zeros(n)], 64, false),
        "in_place" => (vec![some(1000)], 64, false),
        "counted" => (vec![some(1000), zeros(65)], 64, false),
        other => panic!("{other}"),
    }
}

#[test]
fn compiled_kernels() {
    for target in [
        "races.skl",
        "races.tgllp",
        "races.dg2",
        "races.pvc",
        "today/races.dg2",
        "today/races.pvc",
        "today/races.bmg",
        "today/races.ptl",
        "today/races.cri",
    ] {
        let path = root().join(format!("crates/emulator/tests/races/{target}.zebin.gz"));
        let zebin = Zebin::parse(target, &visakit_testing::unpacked(&path).unwrap()).unwrap();
        let mut again = BTreeSet::new();
        // A race only occurs if groups really run in parallel, which depends on the machine; on one
        // core it is rare.
        for _ in 0..MOST_ROUNDS {
            for kernel in zebin.info.kernels.iter().map(|kernel| &kernel.name) {
                let program = Program::from_zebin(&zebin, Some(kernel), None).unwrap();
                let (arguments, local, races) = case(kernel);
                let times = is_steady(&format!("{kernel}, {target}"), &program, [GROUPS, local], &arguments, 3);
                // A buffer to which only later groups store needs a second run to be detected.
                assert!(races || times == 0 || kernel == "in_place", "{kernel}, {target}: run again {times} times");
                again.extend((times > 0).then(|| kernel.clone()));
            }
            if again.len() >= 3 {
                break;
            }
        }
        println!("{target}: run again: {again:?}");
        // Otherwise no groups ran in parallel.
        assert!(again.len() >= 3, "{target}: {again:?}");
    }
}

/// Runs groups that observe each other in other ways than by stored values: by the location of
/// stores, and by hardware thread numbers.
#[test]
fn texts() {
    let group = ".decl G v_type=G type=ud num_elts=1 align=dword alias=<%group_id_x, 0>";
    let wide = ".decl P v_type=G type=uq num_elts=1 align=qword\n.decl W v_type=G type=ud num_elts=16 align=GRF";
    let twist = "    mov (M1, 16) C(0,0)<1> %group_id_x(0,0)<0;1,0>\n    mov (M1, 16) C(2,0)<1> %sr0(0,0)<0;1,0>\n\
                 mov (M1, 16) C(4,0)<1> %hw_id(0,0)<0;1,0>\n";
    let mut again = 0;
    for (what, declarations, body) in [
        ("the last block wins", String::new(), twist.to_owned()),
        (
            "stores that overlap in part",
            format!("{group}\n{wide}"),
            "    and (M1, 1) W(0,0)<1> %group_id_x(0,0)<0;1,0> 0x1f:ud\n    add (M1, 1) P(0,0)<1> OUT(0,0)<0;1,0> W(0,0)<0;1,0>\n\
             mov (M1, 16) A(0,0)<1> %group_id_x(0,0)<0;1,0>\n    svm_block_st.unaligned (1) P(0,0)<0;1,0> A.0\n    \
             svm_block_ld (8) OUT(0,0)<0;1,0> C.0\n    svm_block_ld (8) OUT2(0,0)<0;1,0> C.128\n"
                .to_owned(),
        ),
    ] {
        for platform in [Platform::Skl, Platform::Tgllp] {
            let program = kernel::program(platform, &declarations, &body);
            let arguments = vec![words(0..64), words(0..64)];
            again += is_steady(what, &program, [SHORT_GROUPS, 16], &arguments, 5);
        }
    }
    assert!(again > 0, "nothing has run side by side");
}
