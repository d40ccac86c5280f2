//! Control flow with more join points than native code lists individually: all engines agree with
//! the host's results, or with the interpreter.

#[macro_use]
#[allow(unused_macros)]
#[path = "common/kernel.rs"]
mod kernel;

use std::fmt::Write as _;

use kernel::{program, typed};
use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Engine, Options, Outcome, Policy, launch};

/// Runs a body for 16 work items.
fn outcome(body: &str, input: &[u32; 16], engine: Engine) -> Outcome {
    let declarations = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16";
    let program = program(Platform::Skl, &declarations, body);
    let mut bytes = bytes_of!(input);
    bytes.resize(256, 0);
    let arguments = vec![Some(Argument::Buffer(bytes)), Some(Argument::Buffer(vec![0; 256]))];
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let options = Options::from(Policy { threads: Some(1), engine, stats: true, ..Policy::default() });
    launch(&program, &range, arguments, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the final value of each channel, which is the same in all engines.
fn run(body: &str, input: &[u32; 16]) -> Vec<u32> {
    let [expected, native, avx2] = [Engine::Interpreter, Engine::Native, Engine::Avx2].map(|engine| {
        let outcome = outcome(body, input, engine);
        let stats = outcome.stats.unwrap();
        let counts: Vec<_> = stats.by_opcode.into_iter().map(|(name, count)| (name, count.instructions)).collect();
        (values_of!(u32, outcome.buffers[1].as_deref().unwrap())[..16].to_vec(), outcome.instructions, counts)
    });
    assert_eq!(expected, native, "native");
    assert_eq!(expected, avx2, "avx2");
    expected.0
}

/// Returns code in which the channels of `n` cases branch to their labels, and all others branch
/// past them.
fn switch(n: u32, uniform: bool) -> String {
    let mut body = String::new();
    for case in 0..n {
        let _ = writeln!(body, "    cmp.eq (M1, 16) P1 AT(0,0)<1;1,0> 0x{case:x}:ud\n    (P1) goto (M1, 16) L{case}");
    }
    let size = if uniform { 1 } else { 16 };
    let _ = writeln!(body, "    mov (M1, 16) CT(0,0)<1> 0xfff:ud\n    goto (M1, {size}) end");
    for case in 0..n {
        let value = case * 3 + 1;
        let _ = writeln!(
            body,
            "L{case}:\n    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x{value:x}:ud\n    goto (M1, {size}) end"
        );
    }
    body + "end:\n    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x10000:ud"
}

#[test]
fn channels_leave_past_many_others() {
    // 33 joins are one more than the list holds; 2,100 blocks need more bit words than are compared
    // individually.
    for n in [5, 32, 33, 70, 2100] {
        let lanes: [u32; 16] = std::array::from_fn(|lane| lane as u32 * n / 14);
        for uniform in [false, true] {
            let got = run(&switch(n, uniform), &lanes);
            let expected = lanes.map(|case| if case < n { case * 3 + 1 } else { 0xfff } + 0x10000);
            assert_eq!(got, expected, "{n} cases");
        }
    }
}

#[test]
fn random_gotos() {
    let mut state = 7_u64;
    let mut random = |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    };
    for round in 0..9 {
        let n = [60, 150, 400][round % 3];
        let mut body = String::new();
        for label in 0..n {
            let to = (label + 1 + random(n / 2)).min(n);
            let (bit, size) = (1 << random(16), if random(5) == 0 { 1 } else { 16 });
            let _ = writeln!(body, "L{label}:\n    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x{:x}:ud", random(1000));
            let _ = match random(4) {
                0 => writeln!(body, "    goto (M1, {size}) L{to}"),
                1 => writeln!(
                    body,
                    "    mul (M1, 16) BT(0,0)<1> AT(0,0)<1;1,0> CT(0,0)<1;1,0>\n    \
                    cmp.gt (M1, 16) P1 BT(0,0)<1;1,0> 0x{:x}:ud\n    (P1) goto (M1, {size}) L{to}",
                    random(u32::MAX)
                ),
                2 => writeln!(body, "    setp (M1_NM, 16) P1 0x{bit:x}:ud\n    (!P1) goto (M1, {size}) L{to}"),
                _ => Ok(()),
            };
        }
        let _ = writeln!(body, "L{n}:");
        let lanes: [u32; 16] = std::array::from_fn(|_| random(u32::MAX));
        run(&body, &lanes);
    }
}

#[test]
fn a_kernel_beyond_the_budget_is_interpreted() {
    // All variables are live in all blocks; each block uses one of them.
    let n = 4000;
    let (mut declarations, mut first, mut last) = (typed("ud", "ud"), String::new(), String::new());
    for i in 0..n {
        let _ = write!(declarations, "\n.decl X{i} v_type=G type=ud num_elts=16 align=GRF");
        let _ = writeln!(first, "L{i}:\n    add (M1, 16) X{i}(0,0)<1> AT(0,0)<1;1,0> 0x{i:x}:ud");
        let _ = writeln!(last, "    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> X{i}(0,0)<1;1,0>");
    }
    let program = program(Platform::Skl, &declarations, &(first + &last));
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let arguments = vec![Some(Argument::Buffer(vec![1; 256])), Some(Argument::Buffer(vec![0; 256]))];
    let options =
        Options::from(Policy { threads: Some(1), engine: Engine::Native, stats: true, ..Policy::default() });
    let outcome = launch(&program, &range, arguments, &options).unwrap_or_else(|error| panic!("{error}"));
    let sum = (0..n).fold(0_u32, |sum, i| sum.wrapping_add(0x0101_0101 + i));
    assert_eq!(values_of!(u32, outcome.buffers[1].as_deref().unwrap())[..16], [sum; 16]);
    let stats = outcome.stats.unwrap();
    assert_eq!(stats.native, 0);
    if visakit_native::Level::of_host().is_some() {
        assert_eq!(stats.native_refused.as_deref(), Some("the kernel is too large for native code"));
        assert!(
            stats.table().contains("interpreted, without native code: the kernel is too large"),
            "{}",
            stats.table()
        );
    }
}
