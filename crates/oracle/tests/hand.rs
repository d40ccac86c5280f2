//! Single instructions by their pages, compared with values computed by hand from the chapters and
//! with the host's arithmetic.

use visakit::isa::{GeneralId, Platform, predefined};
use visakit::object::Routine;
use visakit::text::{Options, parse};
use visakit_codegen::model::{Model, Page};
use visakit_oracle::stage::{Stage, TestMemory};

fn model() -> Model {
    visakit_codegen::read_texts(visakit::sources::SPECIFICATION.iter().map(Page::built_in).collect()).0
}

/// Types of the variables. Each type has sources named `V`, `W` and `X` and a destination named
/// `D`, followed by the type.
const TYPES: [(&str, usize); 12] = [
    ("ub", 1),
    ("b", 1),
    ("uw", 2),
    ("w", 2),
    ("ud", 4),
    ("d", 4),
    ("uq", 8),
    ("q", 8),
    ("hf", 2),
    ("bf", 2),
    ("f", 4),
    ("df", 8),
];

fn routine(statement: &str) -> Routine {
    let mut text = ".version 4.1\n.kernel \"k\"\n".to_owned();
    for (ty, _) in TYPES {
        for letter in ["V", "W", "X", "D"] {
            text += &format!(".decl {letter}{ty} v_type=G type={ty} num_elts=32 align=GRF\n");
        }
    }
    text += ".decl P1 v_type=P num_elts=32\n.decl P2 v_type=P num_elts=32\n.decl A0 v_type=A num_elts=16\n";
    text += &format!("    {statement}\n    ret (M1, 1)\n");
    let options = Options { file: "k".to_owned(), platform: Some(Platform::Pvc) };
    parse(&text, options).unwrap_or_else(|errors| panic!("{statement}: {}", errors[0].message)).routine
}

/// Returns the id and the element size of a variable.
fn variable(name: &str) -> (GeneralId, usize) {
    let (letter, ty) = name.split_at(1);
    let at = TYPES.iter().position(|(t, _)| *t == ty).unwrap();
    let letter = "VWXD".find(letter).unwrap();
    (GeneralId(predefined::DECLARED + (at * 4 + letter) as u32), TYPES[at].1)
}

/// Runs a statement by its page. `given` sets the element bits of variables. Returns the elements
/// of `wanted`.
fn run(model: &Model, statement: &str, given: &[(&str, &[u64])], wanted: &str, count: usize) -> Vec<u64> {
    let routine = routine(statement);
    let stage = Stage::new(&routine, Platform::Pvc).unwrap();
    let mut thread = stage.thread(32);
    for (name, values) in given {
        let (id, size) = variable(name);
        let at = stage.offset(id).unwrap() as usize;
        for (n, value) in values.iter().enumerate() {
            thread.registers.bytes_mut((at + n * size) as u32)[..size].copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }
    thread.predicates[1] = 0b1010;
    let program = stage.by_page(model, &routine.instructions[0]).unwrap_or_else(|e| panic!("{statement}: {e}"));
    program.run(&mut thread, &TestMemory::default().world()).unwrap_or_else(|e| panic!("{statement}: {e}"));
    if wanted == "P2" {
        return vec![thread.predicates[2].into()];
    }
    let (id, size) = variable(wanted);
    let at = stage.offset(id).unwrap() as usize;
    (0..count)
        .map(|n| {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(&thread.registers.bytes((at + n * size) as u32)[..size]);
            u64::from_le_bytes(bits)
        })
        .collect()
}

fn f(values: &[f32]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits().into()).collect()
}

/// Cases computed by hand: a statement, its sources, and the expected destination.
#[test]
fn worked_by_hand() {
    let model = model();
    let case = |statement: &str, given: &[(&str, &[u64])], wanted: &str, expected: &[u64]| {
        assert_eq!(run(&model, statement, given, wanted, expected.len()), expected, "{statement}");
    };
    let row = "(0,0)<1;1,0>";
    // Sums keep their low bits; saturated sums are clamped before they are stored.
    case(
        &format!("add (M1, 2) Dub(0,0)<1> Vub{row} Wub{row}"),
        &[("Vub", &[200, 7]), ("Wub", &[100, 8])],
        "Dub",
        &[44, 15],
    );
    case(
        &format!("add.sat (M1, 2) Dub(0,0)<1> Vub{row} Wb{row}"),
        &[("Vub", &[200, 7]), ("Wb", &[100, 0xf0])],
        "Dub",
        &[255, 0],
    );
    case(
        &format!("add.sat (M1, 1) Dd(0,0)<1> Vud{row} Wud{row}"),
        &[("Vud", &[0xffff_ffff]), ("Wud", &[1])],
        "Dd",
        &[0x7fff_ffff],
    );
    // The product of the largest 32-bit numbers has 64 bits.
    case(
        &format!("mul (M1, 1) Duq(0,0)<1> Vud{row} Wud{row}"),
        &[("Vud", &[0xffff_ffff]), ("Wud", &[0xffff_ffff])],
        "Duq",
        &[0xffff_fffe_0000_0001],
    );
    case(
        &format!("mulh (M1, 1) Dd(0,0)<1> Vd{row} Wd{row}"),
        &[("Vd", &[0xffff_fffe]), ("Wd", &[3])],
        "Dd",
        &[0xffff_ffff],
    );
    // Only enabled channels write: P1 has bits 1 and 3.
    case("(P1) mov (M1, 4) Dd(0,0)<1> 0x7:d", &[("Dd", &[9, 9, 9, 9])], "Dd", &[9, 7, 9, 7]);
    case("(!P1.any) mov (M1, 4) Dd(0,0)<1> 0x7:d", &[("Dd", &[9, 9])], "Dd", &[9, 9]);
    case(
        &format!("sel (M1, 4) Dd(0,0)<1> Vd{row} Wd{row}"),
        &[("Vd", &[1, 2, 3, 4]), ("Wd", &[5, 6, 7, 8])],
        "Dd",
        &[1, 2, 3, 4],
    );
    case(
        &format!("(P1) sel (M1, 4) Dd(0,0)<1> Vd{row} Wd{row}"),
        &[("Vd", &[1, 2, 3, 4]), ("Wd", &[5, 6, 7, 8])],
        "Dd",
        &[5, 2, 7, 4],
    );
    // Regions: rows of two elements start four elements apart, and elements are two apart. Elements
    // of the destination are two apart.
    case(
        "mov (M1, 4) Dw(0,0)<2> Vw(0,1)<4;2,2>",
        &[("Vw", &[10, 11, 12, 13, 14, 15, 16, 17])],
        "Dw",
        &[11, 0, 13, 0, 15, 0, 17],
    );
    // Modifiers: `abs` is applied before the sign.
    case("mov (M1, 2) Dd(0,0)<1> (-abs)Vw(0,0)<1;1,0>", &[("Vw", &[0x8000, 5])], "Dd", &[0xffff_8000, 0xffff_fffb]);
    // Conversions truncate the fraction and clamp values out of range; NaN becomes 0.
    let values = f(&[-1.9, 300.7, f32::NAN, f32::NEG_INFINITY]);
    case("mov (M1, 4) Dub(0,0)<1> Vf(0,0)<1;1,0>", &[("Vf", &values)], "Dub", &[0, 255, 0, 0]);
    case("mov (M1, 4) Db(0,0)<1> Vf(0,0)<1;1,0>", &[("Vf", &values)], "Db", &[0xff, 0x7f, 0, 0x80]);
    // 2049 lies between two HF values, of which 2048 is even; 65520 rounds to infinity.
    case(
        "mov (M1, 4) Dhf(0,0)<1> Vf(0,0)<1;1,0>",
        &[("Vf", &f(&[2049.0, 65520.0, 1.0e-8]))],
        "Dhf",
        &[0x6800, 0x7c00, 0],
    );
    case("mov (M1, 1) Df(0,0)<1> Vud(0,0)<1;1,0>", &[("Vud", &[0xffff_ffff])], "Df", &f(&[4_294_967_296.0]));
    case(
        "mov.sat (M1, 4) Df(0,0)<1> Vf(0,0)<1;1,0>",
        &[("Vf", &f(&[f32::NAN, -1.0, 7.0]))],
        "Df",
        &f(&[0.0, 0.0, 1.0]),
    );
    // Packed constants repeat after the last element: V holds -8 to 7, VF here 1, 0, -0.5 and 31.
    case(
        "mov (M1, 16) Dd(0,0)<1> 0x87654321:v",
        &[],
        "Dd",
        &[1, 2, 3, 4, 5, 6, 7, 0xffff_fff8, 1, 2, 3, 4, 5, 6, 7, 0xffff_fff8],
    );
    case("mov (M1, 4) Df(0,0)<1> 0x7fa00030:vf", &[], "Df", &f(&[1.0, 0.0, -0.5, 31.0]));
    // Bit manipulation.
    case(&format!("bfe (M1, 2) Dd(0,0)<1> 0x4:d 0x4:d Vd{row}"), &[("Vd", &[0xa5, 0x75])], "Dd", &[0xffff_fffa, 7]);
    case(
        &format!("bfn.x96 (M1, 1) Dud(0,0)<1> Vud{row} Wud{row} Xud{row}"),
        &[("Vud", &[0b1100]), ("Wud", &[0b1010]), ("Xud", &[0b1111])],
        "Dud",
        &[0b1001],
    );
    case(&format!("rol (M1, 1) Duw(0,0)<1> Vuw{row} 0x14:uw"), &[("Vuw", &[0x8421])], "Duw", &[0x4218]);
    case(&format!("fbh (M1, 4) Dud(0,0)<1> Vd{row}"), &[("Vd", &[0xffff_fffe, 0, 1])], "Dud", &[31, 0xffff_ffff, 31]);
    // Comparisons: a NaN is unequal and unordered.
    let [a, b] = [f(&[1.0, f32::NAN, -0.0, 2.0]), f(&[1.0, f32::NAN, 0.0, 1.0])];
    case(&format!("cmp.ne (M1, 4) P2 Vf{row} Wf{row}"), &[("Vf", &a), ("Wf", &b)], "P2", &[0b1010]);
    case(&format!("cmp.ge (M1, 4) P2 Vf{row} Wf{row}"), &[("Vf", &a), ("Wf", &b)], "P2", &[0b1101]);
    case(
        &format!("cmp.lt (M1, 2) P2 Vd{row} Wud{row}"),
        &[("Vd", &[0xffff_ffff, 5]), ("Wud", &[0, 4])],
        "P2",
        &[0b01],
    );
    // Two destinations.
    case(
        &format!("addc (M1, 2) Dud(0,0)<1> Xud(0,0)<1> Vud{row} Wud{row}"),
        &[("Vud", &[0xffff_ffff, 1]), ("Wud", &[2, 3])],
        "Xud",
        &[1, 0],
    );
    // An instruction reads all sources before it writes; the destination is one element after the
    // source.
    case("mov (M1, 4) Vd(0,1)<1> Vd(0,0)<1;1,0>", &[("Vd", &[1, 2, 3, 4, 5])], "Vd", &[1, 1, 2, 3, 4]);
}

/// Compares sums, products and quotients of floats with the host's.
#[test]
fn floats_are_those_of_the_host() {
    let model = model();
    let bits = |n: u32| u64::from(n.wrapping_mul(0x9e37_79b9) ^ n << 13);
    for n in 0..400 {
        let (a, b): (Vec<u64>, Vec<u64>) = (0..32).map(|i| (bits(n * 64 + i), bits(n * 64 + 32 + i))).unzip();
        let given: [(&str, &[u64]); 2] = [("Vf", &a), ("Wf", &b)];
        for (name, host) in
            [("add", (|a, b| a + b) as fn(f32, f32) -> f32), ("mul", |a, b| a * b), ("divm", |a, b| a / b)]
        {
            let statement = format!("{name} (M1, 32) Df(0,0)<1> Vf(0,0)<1;1,0> Wf(0,0)<1;1,0>");
            for (i, found) in run(&model, &statement, &given, "Df", 32).into_iter().enumerate() {
                let wanted = host(f32::from_bits(a[i] as u32), f32::from_bits(b[i] as u32));
                let found = f32::from_bits(found as u32);
                assert!(
                    wanted.is_nan() && found.is_nan() || wanted.to_bits() == found.to_bits(),
                    "{name} {wanted} {found}"
                );
            }
        }
    }
}
