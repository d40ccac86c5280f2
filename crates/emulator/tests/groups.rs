//! Groups whose threads meet at barriers, one group after the other: their memory, and faults of
//! each thread in each round. `conformance/barriers.cl` has results of the host.

#[macro_use]
#[allow(unused_macros)]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{program, typed};
use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Engine, GroupOrder, Options, Policy, Program, launch};

/// Number of groups, enough for native code to continue with the next one by itself.
const GROUPS: u64 = 20;
/// Number of threads of a group.
const THREADS: u64 = 3;

const DECLARATIONS: &str = "
.decl G v_type=G type=ud num_elts=1 align=dword alias=<%group_id_x, 0>
.decl ME v_type=G type=ud num_elts=16 align=GRF
.decl O v_type=G type=ud num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=16 align=GRF
.decl Y v_type=G type=ud num_elts=16 align=GRF
.decl FAR v_type=G type=uq num_elts=1 align=qword
.decl D v_type=G type=ud num_elts=64 align=GRF
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
";

/// The thread's number in its group, and that times four.
const BEGIN: &str = "
    and (M1_NM, 1) ME(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
    shl (M1_NM, 1) O(0,0)<1> ME(0,0)<0;1,0> 0x2:ud
";

/// A fault, unless the first element of X is zero.
const CHECK: &str = "
    shl (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0x14:ud
    add (M1_NM, 1) FAR(0,0)<1> IN(0,0)<0;1,0> X(0,0)<0;1,0>
    svm_block_ld (1) FAR(0,0)<0;1,0> D.0
";

/// Returns the number of executed instructions, or the fault.
fn run(program: &Program, groups: u64, policy: Policy) -> Result<u64, String> {
    let arguments = vec![Some(Argument::Buffer(vec![0; 256])), Some(Argument::Buffer(vec![0; 256]))];
    let range = NdRange::new(&[groups * THREADS * 16], Some(&[THREADS * 16]), None, [0; 3]).unwrap();
    let policy = Policy { max_instructions: Some(10_000), ..policy };
    let outcome = launch(program, &range, arguments, &Options::from(policy));
    outcome.map(|outcome| outcome.instructions).map_err(|error| error.to_string())
}

#[test]
fn each_group_runs_once() {
    for body in ["", "    barrier"] {
        let program = program(Platform::Pvc, &typed("ud", "ud"), body);
        for (engine, threads) in [(Engine::Interpreter, 1), (Engine::Native, 1), (Engine::Native, 2)] {
            let run = |groups| {
                let policy = Policy { threads: Some(threads), ..alone(engine) };
                [GroupOrder::Any, GroupOrder::default()]
                    .map(|order| run(&program, groups, Policy { order, ..policy }))
            };
            let [Ok(one), _] = run(1) else { panic!("one group runs") };
            for groups in (2..40).chain([300]) {
                assert_eq!(run(groups), [Ok(one * groups), Ok(one * groups)], "{groups} groups, {engine} {threads}");
            }
        }
    }
}

/// Returns the policy of one host thread.
fn alone(engine: Engine) -> Policy {
    Policy { threads: Some(1), engine, ..Policy::default() }
}

/// Returns what all engines return.
fn run_all(body: &str) -> Result<u64, String> {
    let program = program(Platform::Pvc, &(typed("ud", "ud") + DECLARATIONS), body);
    let [found, native, avx2] =
        [Engine::Interpreter, Engine::Native, Engine::Avx2].map(|engine| run(&program, GROUPS, alone(engine)));
    assert_eq!((&native, &avx2), (&found, &found), "{body}");
    found
}

#[test]
fn local_memory_is_zero_at_the_beginning_of_each_group() {
    let body = format!(
        "{BEGIN}
    lsc_load.slm (M1_NM, 1) X:d32 flat[O]:a32
    {CHECK}
    mov (M1_NM, 1) X(0,0)<1> 0x1:ud
    lsc_store.slm (M1_NM, 1) flat[O]:a32 X:d32
    barrier"
    );
    assert!(run_all(&body).is_ok());
    // The check finds what the thread itself has stored.
    let found = run_all(&(body + "\n    lsc_load.slm (M1_NM, 1) X:d32 flat[O]:a32\n" + CHECK));
    assert!(found.as_ref().is_err_and(|fault| fault.contains("group (0, 0, 0)")), "{found:?}");
}

#[test]
fn predicates_are_empty_at_the_beginning_of_each_group() {
    let body = format!(
        "    mov (M1_NM, 1) X(0,0)<1> 0x0:ud
    (P2) mov (M1_NM, 1) X(0,0)<1> 0x1:ud
    {CHECK}
    barrier
    setp (M1_NM, 16) P2 0xffff:ud"
    );
    assert!(run_all(&body).is_ok());
}

/// Returns a body of three rounds. `at` is executed by a thread of a group in a round.
fn rounds([group, thread, round]: [u64; 3], at: &str) -> String {
    let mut body = BEGIN.to_owned();
    for n in 0..3 {
        body += &format!(
            "
    xor (M1_NM, 1) X(0,0)<1> G(0,0)<0;1,0> 0x{group:x}:ud
    xor (M1_NM, 1) Y(0,0)<1> ME(0,0)<0;1,0> 0x{thread:x}:ud
    or (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> Y(0,0)<0;1,0>
    cmp.ne (M1_NM, 1) P1 X(0,0)<0;1,0> 0x{:x}:ud
    (P1) goto (M1, 1) past{n}
    {at}
past{n}:
    barrier",
            if n == round { 0 } else { 0xffff }
        );
    }
    body + "\nend:"
}

#[test]
fn each_thread_may_fail_in_each_round() {
    let bad = format!("mov (M1_NM, 1) X(0,0)<1> 0x1:ud\n{CHECK}");
    for group in [0, 1, 9, GROUPS - 1] {
        for (thread, round) in (0..THREADS).flat_map(|thread| (0..3).map(move |round| (thread, round))) {
            let found = run_all(&rounds([group, thread, round], &bad));
            let place = format!("group ({group}, 0, 0)");
            assert!(found.as_ref().is_err_and(|fault| fault.contains(&place)), "{thread} {round}: {found:?}");
            // A thread that ends leaves the others at the barrier.
            let found = run_all(&rounds([group, thread, round], "goto (M1, 1) end"));
            let is_stuck = |fault: &String| fault.contains(&place) && fault.contains("barrier");
            assert!(found.as_ref().is_err_and(is_stuck), "{thread} {round}: {found:?}");
            // Half the channels of a thread cannot wait at a barrier.
            let half = "setp (M1_NM, 16) P2 0xff:ud\n    (P2) goto (M1, 16) end";
            let found = run_all(&rounds([group, thread, round], half));
            assert!(found.as_ref().is_err_and(|fault| fault.contains("only channels 8 to 15")), "{found:?}");
        }
    }
    assert!(run_all(&rounds([GROUPS, 0, 0], &bad)).is_ok());
}

#[test]
fn each_thread_has_its_own_instruction_limit() {
    let long = "
    mov (M1_NM, 1) X(0,0)<1> 0x800:ud
again:
    add (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0xffffffff:ud
    cmp.ne (M1_NM, 1) P1 X(0,0)<0;1,0> 0x0:ud
    (P1) goto (M1, 1) again";
    for thread in 0..THREADS {
        let body = rounds([4, thread, 1], &long.replace("again", "again1"));
        let (first, second) = body.split_once("past0:").unwrap();
        let first = first.replace("again1", "again0");
        let (second, third) = second.split_once("past1:").unwrap();
        let body = format!("{first}past0:{second}past1:{}", third.replace("again1", "again2"));
        assert!(run_all(&body).is_ok());
        // The others wait at the barrier.
        let found = run_all(&body.replace("0x800:ud", "0x8000:ud"));
        assert!(found.as_ref().is_err_and(|fault| fault.contains("group (4, 0, 0)")), "{found:?}");
    }
}
