//! 64-bit products of 32-bit parts, as compilers compute them, compared with products in Rust.

#[macro_use]
#[path = "common/kernel.rs"]
mod kernel;

use std::collections::HashMap;

use kernel::{numbers, program, run};
use visakit::isa::Platform;
use visakit_emulator::kernels::code::CompiledRoutine;
use visakit_emulator::kernels::layout::Layout;
use visakit_native::ir::Action;

const DECLARATIONS: &str = ".decl AD v_type=G type=d num_elts=64 alias=<A, 0>
.decl S v_type=G type=d num_elts=16 align=GRF
.decl SU v_type=G type=ud num_elts=16 alias=<S, 0>
.decl T v_type=G type=d num_elts=1 align=GRF
.decl TU v_type=G type=ud num_elts=1 alias=<T, 0>
.decl L v_type=G type=ud num_elts=16 align=GRF
.decl M v_type=G type=ud num_elts=16 align=GRF
.decl H v_type=G type=ud num_elts=16 align=GRF
.decl Z v_type=G type=ud num_elts=16 align=GRF
.decl W v_type=G type=ud num_elts=2 align=qword";

/// A factor: operands of its words, and its values.
struct Factor {
    words: [&'static str; 2],
    values: [u64; 16],
}

/// Preparations of factors: signs, and the halves of qwords.
const BEFORE: &str = "    asr (M1, 16) S(0,0)<1> AD(0,0)<1;1,0> 0x1f:d
    asr (M1_NM, 1) T(0,0)<1> AD(4,3)<0;1,0> 0x1f:d
    mov (M1, 8) L(0,0)<1> A(0,0)<2;1,0>
    mov (M3, 8) L(1,0)<1> A(2,0)<2;1,0>
    mov (M1, 8) M(0,0)<1> A(0,1)<2;1,0>
    mov (M3, 8) M(1,0)<1> A(2,1)<2;1,0>\n";

/// Returns the factors of the kernel's input. Rows are the first 16 dwords and those after.
fn factors(words: &[u32]) -> (Vec<Factor>, Vec<Factor>) {
    let of = |f: &dyn Fn(usize) -> u64| std::array::from_fn(f);
    let joined = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let signed = |word: u32| i64::from(word as i32) as u64;
    let varying = vec![
        Factor { words: ["A(0,0)<1;1,0>", "SU(0,0)<1;1,0>"], values: of(&|i| signed(words[i])) },
        Factor { words: ["A(0,0)<1;1,0>", "0x0:ud"], values: of(&|i| words[i].into()) },
        Factor { words: ["A(0,0)<1;1,0>", "A(2,0)<1;1,0>"], values: of(&|i| joined(words[i], words[16 + i])) },
        Factor { words: ["L(0,0)<1;1,0>", "M(0,0)<1;1,0>"], values: of(&|i| joined(words[2 * i], words[2 * i + 1])) },
    ];
    let others = vec![
        Factor { words: ["0x14:ud", "0x0:ud"], values: [20; 16] },
        Factor { words: ["0xfffffff6:ud", "0xffffffff:ud"], values: [signed(-10_i32 as u32); 16] },
        Factor { words: ["A(4,3)<0;1,0>", "TU(0,0)<0;1,0>"], values: [signed(words[35]); 16] },
        Factor { words: ["A(4,2)<0;1,0>", "A(4,3)<0;1,0>"], values: [joined(words[34], words[35]); 16] },
        Factor { words: ["A(4,2)<0;1,0>", "A(4,6)<0;1,0>"], values: [joined(words[34], words[38]); 16] },
        Factor { words: ["A(4,0)<1;1,0>", "A(6,0)<1;1,0>"], values: of(&|i| joined(words[32 + i], words[48 + i])) },
    ];
    (varying, others)
}

/// Returns an instruction for 16 channels, or for each half of them, of rows whose halves are one
/// register apart; those of the result may be two apart.
fn parts(is_halved: bool, opcode: &str, to: &str, sources: [&str; 2]) -> String {
    if !is_halved {
        return format!("    {opcode} (M1, 16) {to} {} {}\n", sources[0], sources[1]);
    }
    let next = |operand: &str, by: u32| match operand
        .split_once('(')
        .filter(|_| operand.contains("<1") || operand.contains(")<2>"))
    {
        Some((name, rest)) => {
            let (row, rest) = rest.split_once(',').unwrap();
            format!("{name}({},{rest}", row.parse::<u32>().unwrap() + by)
        }
        None => operand.to_owned(),
    };
    let line = |mask: &str, by: u32| {
        let [a, b] = sources.map(|source| next(source, by));
        format!("    {opcode} ({mask}, 8) {} {a} {b}\n", next(to, by * 2))
    };
    line("M1", 0) + &line("M3", 1)
}

/// Returns the instructions of a product, with others after the low parts.
fn product(is_halved: bool, [a, b]: [&Factor; 2], between: &str) -> String {
    let ([a, high_a], [b, high_b]) = (a.words, b.words);
    [
        BEFORE.to_owned(),
        parts(is_halved, "mul", "C(0,0)<2>", [a, b]),
        between.to_owned(),
        format!("    mulh (M1, 16) H(0,0)<1> {a} {b}\n"),
        format!("    mul (M1, 16) Z(0,0)<1> {a} {high_b}\n"),
        "    add (M1, 16) H(0,0)<1> H(0,0)<1;1,0> Z(0,0)<1;1,0>\n".to_owned(),
        format!("    mul (M1, 16) Z(0,0)<1> {b} {high_a}\n"),
        parts(is_halved, "add", "C(0,1)<2>", ["H(0,0)<1;1,0>", "Z(0,0)<1;1,0>"]),
    ]
    .concat()
}

/// Returns the number of multiplications and of omitted steps of native code.
fn replaced(body: &str) -> [usize; 2] {
    let program = program(Platform::Skl, DECLARATIONS, body);
    let layouts = Layout::with_functions(&program.routine, &[], Platform::Skl, 128).unwrap();
    let routine = CompiledRoutine::new(&program.routine, &[], layouts, &HashMap::new(), 0xffff, None, true).unwrap();
    let is_nothing = |action: &Action| matches!(action, Action::Nothing);
    let omitted = routine.replaced.iter().filter(|step| is_nothing(&step.action)).count();
    [routine.replaced.len() - omitted, omitted]
}

#[test]
fn products_of_parts_are_one_multiplication() {
    let words = numbers();
    let (varying, others) = factors(&words);
    for (a, b) in varying.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
        for (order, is_halved) in [([a, b], false), ([b, a], false), ([a, b], true)] {
            let body = product(is_halved, order, "");
            let want: [u64; 16] = std::array::from_fn(|i| a.values[i].wrapping_mul(b.values[i]));
            assert_eq!(values_of!(u64, run(DECLARATIONS, &body, &bytes_of!(words)))[..16], want, "{body}");
            assert_eq!(replaced(&body), if is_halved { [1, 3] } else { [1, 1] }, "{body}");
        }
    }
}

/// The only channel's words may be copies.
#[test]
fn a_product_of_one_channel_is_one_multiplication() {
    let words = numbers();
    let body = "    mul (M1_NM, 1) L(0,0)<1> A(0,0)<0;1,0> A(0,2)<0;1,0>
    mulh (M1_NM, 1) H(0,0)<1> A(0,0)<0;1,0> A(0,2)<0;1,0>
    mul (M1_NM, 1) Z(0,0)<1> A(0,0)<0;1,0> A(0,3)<0;1,0>
    add (M1_NM, 1) H(0,0)<1> H(0,0)<0;1,0> Z(0,0)<0;1,0>
    mul (M1_NM, 1) Z(0,0)<1> A(0,2)<0;1,0> A(0,1)<0;1,0>
    mov (M1_NM, 1) M(0,0)<1> L(0,0)<0;1,0>
    add (M1_NM, 1) M(0,1)<1> H(0,0)<0;1,0> Z(0,0)<0;1,0>
    mov (M1_NM, 1) W(0,0)<1> M(0,0)<0;1,0>
    mov (M1_NM, 1) W(0,1)<1> M(0,1)<0;1,0>
    mov (M1_NM, 2) C(0,0)<1> W(0,0)<1;1,0>";
    let qword = |n: usize| u64::from(words[n + 1]) << 32 | u64::from(words[n]);
    let found = values_of!(u64, run(DECLARATIONS, body, &bytes_of!(words)));
    assert_eq!(found[0], qword(0).wrapping_mul(qword(2)));
    assert_eq!(replaced(body), [1, 0]);
}

/// Changes and reads between the parts.
#[test]
fn parts_that_are_changed_or_read_stay() {
    let words = numbers();
    let (varying, others) = factors(&words);
    let a = &varying[2];
    for (b, is_halved) in others.iter().flat_map(|b| [(b, false), (b, true)]) {
        let run = |between: &str| {
            let body = product(is_halved, [a, b], between);
            (values_of!(u32, run(DECLARATIONS, &body, &bytes_of!(words))), replaced(&body))
        };
        let want: [u64; 16] = std::array::from_fn(|i| a.values[i].wrapping_mul(b.values[i]));
        let read = "    mov (M1, 16) C(4,0)<1> C(0,0)<2;1,0>\n";
        let (found, steps) = run(read);
        (0..16).for_each(|i| {
            assert_eq!(
                [found[2 * i], found[2 * i + 1], found[32 + i]],
                [want[i] as u32, (want[i] >> 32) as u32, want[i] as u32]
            )
        });
        assert_eq!(steps, if is_halved { [1, 1] } else { [1, 0] });
        let (found, steps) = run("    mov (M1, 16) C(0,0)<2> 0x5:ud\n");
        (0..16).for_each(|i| assert_eq!([found[2 * i], found[2 * i + 1]], [5, (want[i] >> 32) as u32]));
        assert_eq!(steps, [0, 0]);
        // The high parts are those of other factors.
        let (found, steps) = run("    mov (M1, 16) A(0,0)<1> 0x7:ud\n");
        let other = |i: usize| (7 | u64::from(words[16 + i]) << 32).wrapping_mul(b.values[i]);
        (0..16).for_each(|i| assert_eq!([found[2 * i], found[2 * i + 1]], [want[i] as u32, (other(i) >> 32) as u32]));
        assert_eq!(steps, [0, 0]);
    }
}
