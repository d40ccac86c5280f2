//! Tests that behaviour left open by the pages is reported as open: the oracle has no result to
//! compare with a kernel's.

use visakit::isa::{GeneralId, Platform, predefined};
use visakit::object::Routine;
use visakit::text::{Options, parse};
use visakit_codegen::model::{Model, Page};
use visakit_machine::World;
use visakit_machine::buffer::Buffer;
use visakit_machine::thread::Thread;
use visakit_oracle::stage::{Stage, TestMemory};
use visakit_oracle::{Effects, Halt};

fn model() -> Model {
    visakit_codegen::read_texts(visakit::sources::SPECIFICATION.iter().map(Page::built_in).collect()).0
}

/// Three variables of at least one register, and address variables.
const DECLARED: &str = ".decl A v_type=G type=ud num_elts=32 align=GRF\n.decl B v_type=G type=ud num_elts=128 align=GRF\n\
                        .decl C v_type=G type=ub num_elts=64 align=GRF\n.decl A0 v_type=A num_elts=16\n";

fn routine(statement: &str) -> Routine {
    let text = format!(".version 4.1\n.kernel \"k\"\n{DECLARED}    {statement}\n    ret (M1, 1)\n");
    let options = Options { file: "k".to_owned(), platform: Some(Platform::Dg2) };
    parse(&text, options).unwrap_or_else(|errors| panic!("{statement}: {}", errors[0].message)).routine
}

/// Runs a statement by its page with 1024 bytes of shared local memory, on a thread initialised by
/// `fill`.
fn run(statement: &str, fill: impl Fn(&Stage<'_>, &mut Thread)) -> Result<Effects, Halt> {
    let (model, routine) = (model(), routine(statement));
    let stage = Stage::new(&routine, Platform::Dg2).unwrap();
    let mut thread = stage.thread(32);
    fill(&stage, &mut thread);
    let program = stage.by_page(&model, &routine.instructions[0]).unwrap_or_else(|e| panic!("{statement}: {e}"));
    let (memory, local) = (TestMemory::default(), Buffer::zeros(1024));
    program.run(&mut thread, &World { local: &local, ..memory.world() })
}

/// Returns the register offset of a declared variable.
fn place(stage: &Stage<'_>, nth: u32) -> u32 {
    stage.offset(GeneralId(predefined::DECLARED + nth)).unwrap()
}

/// Returns the register offset of the enabled channels.
fn enabled(stage: &Stage<'_>) -> u32 {
    stage.offset(predefined::CE0).unwrap()
}

/// Chapter 5: an address must not lead to a predefined variable other than `%arg` and `%retval`. A
/// write over `%ce0` would change the instruction's own input.
#[test]
fn an_address_leads_to_no_register_of_the_machine() {
    let statement = "xor (M1_NM, 16) r[A0(0),0]<1>:ub %ce0(0,0)<0;1,0> A(0,0)<1;1,0>";
    let to = |at: fn(&Stage<'_>) -> u32| {
        run(statement, |stage, thread| {
            thread.registers.set(stage.address(0).unwrap(), at(stage));
        })
    };
    assert!(to(|stage| place(stage, 2)).is_ok());
    assert!(matches!(to(enabled), Err(Halt::Trap(_))));
    // Overlap of the last byte only, and no overlap.
    assert!(matches!(to(|stage| enabled(stage) - 15), Err(Halt::Trap(_))));
    assert!(to(|stage| enabled(stage) - 16).is_ok());
}

/// The last of several channels that write a byte is undefined. In an address of local memory the
/// upper bits are a tag.
#[test]
fn addresses_with_a_tag_are_those_without() {
    let store = |second: u32| {
        let statement = "scatter_scaled.2 (M1_NM, 8) %slm 0x0:ud A.0 B.0";
        let effects = run(statement, |stage, thread| {
            for channel in 0..8 {
                let address = if channel == 1 { second } else { 64 * channel };
                thread.registers.set(place(stage, 0) + channel * 4, address);
                thread.registers.set(place(stage, 1) + channel * 4, 0x1111 * (channel + 1));
            }
        });
        effects.unwrap().clashes
    };
    assert!(store(1));
    assert!(store(0x8000_0001));
    assert!(!store(0x8000_0002));
}

/// Chapter 3: if a channel accesses bytes past the last address, it is undefined whether the access
/// wraps around.
#[test]
fn what_goes_around_behind_the_last_address_is_open() {
    let statement = "lsc_store_strided.ugm (M1_NM, 16) bti(0x0)[A, B(0,0)]:a32 B:d32x4";
    let around = |base: u32, pitch: i32| {
        let effects = run(statement, |stage, thread| {
            thread.registers.set(place(stage, 0), base);
            thread.registers.set(place(stage, 1), pitch);
        });
        effects.unwrap().around
    };
    // The second channel's vector begins 8 bytes before the end of the address space.
    assert!(around(8, -16));
    // Vectors of 16 bytes that end exactly there.
    assert!(!around(0, -16));
    assert!(!around(256, 16));
}
