//! Threads that wait for each other without barriers, in a group or across groups: they leave the
//! turns to those that can continue.

#[macro_use]
#[allow(unused_macros)]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{program, typed};
use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Engine, GroupOrder, Options, Outcome, Policy, launch};

/// Number of threads of the group.
const THREADS: u64 = 4;

const DECLARATIONS: &str = "
.decl ME v_type=G type=ud num_elts=1 align=GRF
.decl A0 v_type=G type=ud num_elts=1 align=GRF
.decl A4 v_type=G type=ud num_elts=1 align=GRF
.decl N v_type=G type=ud num_elts=1 align=GRF
.decl K v_type=G type=ud num_elts=1 align=GRF
.decl X v_type=G type=ud num_elts=16 align=GRF
.decl ZERO v_type=G type=ud num_elts=1 align=GRF
.decl ONE v_type=G type=ud num_elts=1 align=GRF
.decl P1 v_type=P num_elts=1
";

/// Returns a body `times` times, after the thread's number and before the dword of local memory at
/// 4.
fn framed(body: &str, times: u32) -> String {
    format!(
        "
    and (M1_NM, 1) ME(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
    mov (M1_NM, 1) A0(0,0)<1> 0x0:ud
    mov (M1_NM, 1) A4(0,0)<1> 0x4:ud
    mov (M1_NM, 1) ZERO(0,0)<1> 0x0:ud
    mov (M1_NM, 1) ONE(0,0)<1> 0x1:ud
    mov (M1_NM, 1) K(0,0)<1> 0x0:ud
    mov (M1_NM, 1) N(0,0)<1> 0x{times:x}:ud
    barrier
again:
{body}
    add (M1_NM, 1) K(0,0)<1> K(0,0)<0;1,0> 0x1:ud
    cmp.lt (M1_NM, 1) P1 K(0,0)<0;1,0> N(0,0)<0;1,0>
    (P1) goto (M1, 1) again
    barrier
    lsc_load.slm (M1_NM, 1) X:d32 flat[A4]:a32
    mov (M1_NM, 1) C(0,0)<1> X(0,0)<0;1,0>"
    )
}

/// Runs groups of a kernel. Returns the outcome, or the fault.
fn run_groups(groups: u64, body: &str, policy: Policy) -> Result<Outcome, String> {
    let program = program(Platform::Pvc, &(typed("ud", "ud") + DECLARATIONS), body);
    let arguments = vec![Some(Argument::Buffer(vec![0; 256])), Some(Argument::Buffer(vec![0; 256]))];
    let range = NdRange::new(&[groups * THREADS * 16], Some(&[THREADS * 16]), None, [0; 3]).unwrap();
    launch(&program, &range, arguments, &Options::from(policy)).map_err(|error| error.to_string())
}

/// Runs a body `times` times in each thread of a group. Returns the final dword of local memory at
/// 4, and the number of executed instructions.
fn run(body: &str, times: u32, engine: Engine) -> (u32, u64) {
    let policy = Policy { threads: Some(1), engine, ..Policy::default() };
    let outcome = run_groups(1, &framed(body, times), policy).unwrap();
    (outcome.elements::<u32>(1).unwrap()[0], outcome.instructions)
}

/// Runs a body with each engine. Returns the final dword, and the largest number of instructions.
fn run_all(body: &str, times: u32) -> (u32, u64) {
    let found = [Engine::Interpreter, Engine::Native, Engine::Avx2].map(|engine| run(body, times, engine));
    assert!(found.iter().all(|one| one.0 == found[0].0), "{found:?}: {body}");
    (found[0].0, found.iter().map(|one| one.1).max().unwrap())
}

/// Each thread waits until the others had their turn. To wait for a whole turn of the emulator each
/// time would take 64 million instructions.
#[test]
fn flags_are_passed_quickly() {
    let body = "
wait:
    lsc_load.slm (M1_NM, 1) X:d32 flat[A4]:a32
    and (M1_NM, 1) X(0,1)<1> X(0,0)<0;1,0> 0x3:ud
    cmp.ne (M1_NM, 1) P1 X(0,1)<0;1,0> ME(0,0)<0;1,0>
    (P1) goto (M1, 1) wait
    add (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0x1:ud
    lsc_store.slm (M1_NM, 1) flat[A4]:a32 X:d32";
    let (count, instructions) = run_all(body, 200);
    assert_eq!(count, 200 * THREADS as u32);
    assert!(instructions < 3_000_000, "{instructions}");
}

/// A lock with a pause before each attempt, as compilers emit it. A turn never ends while a thread
/// holds the lock, so that no attempt fails.
#[test]
fn turns_end_at_pauses() {
    let body = "
    mov (M1_NM, 1) %tsc(0,4)<1> 0x3e0:ud
    lsc_atomic_icas.slm (M1_NM, 1) X:d32 flat[A0]:a32 ZERO ONE
    cmp.ne (M1_NM, 1) P1 X(0,0)<0;1,0> 0x0:ud
    (P1) goto (M1, 1) again
    lsc_load.slm (M1_NM, 1) X:d32 flat[A4]:a32
    add (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0x1:ud
    (P1) goto (M1, 1) part
part:
    lsc_store.slm (M1_NM, 1) flat[A4]:a32 X:d32
    lsc_store.slm (M1_NM, 1) flat[A0]:a32 ZERO:d32";
    let [(_, once), (count, instructions)] = [1, 20_000].map(|times| run_all(body, times));
    assert_eq!(count, 20_000 * THREADS as u32);
    // 12 instructions in each further round.
    assert_eq!(instructions - once, 19_999 * 12 * THREADS);
}

/// Runs groups of which the first thread counts arrivals in memory and waits for those of all
/// groups, `rounds` times. `body` follows the first time. Returns the final count, or the fault.
fn meet(groups: u64, rounds: u32, body: &str, policy: Policy) -> Result<u32, String> {
    let mut text = "    and (M1_NM, 1) ME(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud\n".to_owned();
    for round in 1..=rounds {
        text += &format!(
            "
    cmp.ne (M1_NM, 1) P1 ME(0,0)<0;1,0> 0x0:ud
    (P1) goto (M1, 1) past{round}
    lsc_atomic_iinc.ugm (M1_NM, 1) X:d32 flat[IN]:a64 %null %null
wait{round}:
    lsc_load.ugm (M1_NM, 1) X:d32 flat[IN]:a64
    cmp.lt (M1_NM, 1) P1 X(0,0)<0;1,0> 0x{:x}:ud
    (P1) goto (M1, 1) wait{round}
past{round}:
    barrier
{}",
            groups * u64::from(round),
            if round == 1 { body } else { "" }
        );
    }
    Ok(run_groups(groups, &text, policy)?.elements::<u32>(0).unwrap()[0])
}

/// More groups than host threads wait for all groups, several times.
#[test]
fn groups_wait_for_later_groups() {
    for (engine, threads) in [(Engine::Interpreter, 1), (Engine::Native, 1), (Engine::Native, 3), (Engine::Avx2, 2)] {
        let policy = Policy { threads: Some(threads), engine, order: GroupOrder::Any, ..Policy::default() };
        for groups in [2, 7, 100] {
            assert_eq!(meet(groups, 3, "", policy), Ok(groups as u32 * 3), "{engine} {threads} {groups}");
        }
    }
}

/// Groups in order cannot meet: the first one would wait forever.
#[test]
fn groups_in_order_do_not_wait_for_later_groups() {
    let policy = Policy { threads: Some(1), order: GroupOrder::Sequential, ..Policy::default() };
    let found = meet(3, 1, "", policy);
    assert!(found.as_ref().is_err_and(|fault| fault.contains("group (0, 0, 0)")), "{found:?}");
}

/// A fault ends the groups that wait for the faulty one.
#[test]
fn a_fault_ends_groups_that_wait() {
    let bad = "
    cmp.ne (M1_NM, 1) P1 %group_id_x(0,0)<0;1,0> 0x4:ud
    (P1) goto (M1, 1) good
    mov (M1_NM, 1) IN(0,0)<1> 0x0:ud
    svm_block_ld (1) IN(0,0)<0;1,0> C.0
good:";
    for (engine, threads) in [(Engine::Interpreter, 1), (Engine::Native, 1), (Engine::Native, 3)] {
        let policy = Policy { threads: Some(threads), engine, order: GroupOrder::Any, ..Policy::default() };
        let found = meet(9, 2, bad, policy);
        assert!(found.as_ref().is_err_and(|fault| fault.contains("group (4, 0, 0)")), "{found:?}");
    }
}
