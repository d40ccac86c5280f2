//! Kernels of the media compiler (ESIMD): a hardware thread is one work item, and its channels are
//! elements of vectors.

#[macro_use]
#[allow(unused_macros)]
#[path = "common/kernel.rs"]
mod kernel;

use visakit::isa::Platform;
use visakit_emulator::check::{Checks, check};
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Engine, Options, Policy, Program, launch};
use visakit_zebin::info;

/// Work items of a group.
const ITEMS: u64 = 5;

/// Each work item writes 16 separate numbers with one scatter, reads them backwards with one
/// gather, and adds its group's number of registers. `STEP` is the distance of two work items.
const TEXT: &str = r#".version 4.1
.kernel "k"
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl ID v_type=G type=uw num_elts=3 align=word
.decl LANE v_type=G type=uw num_elts=16 align=GRF
.decl OFF v_type=G type=ud num_elts=16 align=GRF
.decl ADDR v_type=G type=uq num_elts=16 align=GRF
.decl DATA v_type=G type=ud num_elts=16 align=GRF
.input OUT offset=64 size=8
.implicit_LOCAL_ID ID offset=32 size=6
.kernel_attr Target="cm"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 8) LANE(0,0)<1> 0x76543210:v
    add (M1, 8) LANE(0,8)<1> LANE(0,0)<1;1,0> 0x8:w
    mul (M1, 1) OFF(0,0)<1> ID(0,0)<0;1,0> STEP:ud
    add (M1, 1) OUT(0,0)<1> OUT(0,0)<0;1,0> OFF(0,0)<0;1,0>
    mov (M1, 16) DATA(0,0)<1> LANE(0,0)<1;1,0>
    mad (M1, 16) DATA(0,0)<1> ID(0,0)<0;1,0> 0x64:uw DATA(0,0)<1;1,0>
    shl (M1, 16) OFF(0,0)<1> LANE(0,0)<1;1,0> 0x2:ud
    add (M1, 16) ADDR(0,0)<1> OFF(0,0)<1;1,0> OUT(0,0)<0;1,0>
    svm_scatter.4.1 (M1, 16) ADDR.0 DATA.0
    add (M1, 16) OFF(0,0)<1> (-)OFF(0,0)<1;1,0> 0x3c:ud
    add (M1, 16) ADDR(0,0)<1> OFF(0,0)<1;1,0> OUT(0,0)<0;1,0>
    svm_gather.4.1 (M1, 16) ADDR.0 DATA.0
    add (M1, 16) DATA(0,0)<1> DATA(0,0)<1;1,0> 0x3e8:ud
    svm_block_st (4) OUT(0,0)<0;1,0> DATA.0
    ret (M1, 1)
"#;

/// Returns the program with a distance of work items in bytes.
fn program(step: u32) -> Program {
    let layout = "
kernels:
  - name: k
    execution_env: { simd_size: 1 }
    payload_arguments:
      - { arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }
    per_thread_payload_arguments:
      - { arg_type: packed_local_ids, offset: 0, size: 6 }
";
    let layout = info::parse("k", layout).unwrap().kernels.remove(0);
    let text = TEXT.replace("STEP", &format!("0x{step:x}"));
    Program::from_text("k.visaasm", &text, layout, Platform::Skl).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn range() -> NdRange {
    NdRange::new(&[ITEMS], Some(&[ITEMS]), None, [0; 3]).unwrap()
}

fn arguments() -> Vec<Option<Argument>> {
    vec![Some(Argument::Buffer(vec![0; 64 * ITEMS as usize]))]
}

#[test]
fn all_channels_of_a_work_item_work() {
    let expected: Vec<u32> =
        (0..ITEMS as u32).flat_map(|id| (0..16).map(move |n| 1000 + id * 100 + 15 - n)).collect();
    for engine in [Engine::Interpreter, Engine::Native, Engine::Avx2] {
        let options = Options::from(Policy { engine, threads: Some(1), ..Policy::default() });
        let outcome = launch(&program(64), &range(), arguments(), &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(values_of!(u32, outcome.buffers[0].as_ref().unwrap()), expected, "{engine:?}");
    }
}

/// Checks know that channels are no work items: elements of one work item never race, those of two
/// do, and a report names the work item.
#[test]
fn channels_are_no_work_items() {
    let found = |step| {
        let checks = Checks { race: true, sync: true, bounds: true, uninit: true };
        let checked = check(&program(step), &range(), || Ok(arguments()), &Options::default(), checks).unwrap();
        assert!(checked.result.is_ok(), "{:?}", checked.result);
        checked.findings
    };
    let none = found(64);
    assert!(none.is_empty(), "{none:#?}");
    let races = found(60);
    let race = races.iter().find(|finding| finding.report.trap.code() == "check-race").unwrap();
    let items = [&race.report, race.other.as_ref().unwrap()].map(|report| report.local_id);
    assert_eq!(items, [Some([1, 0, 0]), Some([0, 0, 0])], "{races:#?}");
}
