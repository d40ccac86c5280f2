//! Engine comparison on NaNs, denormals and extreme values, bit for bit, with all kinds of regions,
//! masks, predicates and channels. Other tests check the results of operations; this one compares
//! engines, which [`kernel::try_run`] does for everything that it runs.

#[macro_use]
#[allow(unused_macros)]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{try_run, typed};

const SINGLES: [u32; 16] = [
    0x0000_0000,
    0x8000_0000,
    0x7fc0_1234,
    0xffc0_4321,
    0x7f80_0001,
    0xff81_2345,
    0x7f80_0000,
    0xff80_0000,
    0x0000_0001,
    0x8040_0000,
    0x3f80_0000,
    0xbf00_0000,
    0x4f00_0000,
    0xcf80_0000,
    0x7f7f_ffff,
    0x4b80_0001,
];

/// Returns the values next to a rotated copy, so that every value meets several others.
fn pairs<T: Copy>(values: &[T; 16], by: usize) -> Vec<T> {
    let mut moved = values.to_vec();
    moved.rotate_left(by);
    [values.to_vec(), moved].concat()
}

/// Runs each operation on 16 channels of two sources and compares the engines.
fn compare(types: (&str, &str), bytes: usize, operations: &[&str], inputs: &[Vec<u8>]) {
    // The second source follows the first.
    let declarations = format!(
        ".decl AT v_type=G type={0} num_elts={2} alias=<A, 0>\n\
         .decl BT v_type=G type={0} num_elts=16 alias=<A, {3}>\n\
         .decl CT v_type=G type={1} num_elts=16 alias=<C, 0>\n.decl P1 v_type=P num_elts=16",
        types.0,
        types.1,
        32,
        bytes * 16
    );
    for (operation, input) in
        operations.iter().flat_map(|operation| inputs.iter().map(move |input| (operation, input)))
    {
        let _ = try_run(&declarations, &format!("    {operation}"), input, 16);
        let _ = try_run(&declarations, &format!("    {operation}"), input, 11);
        let _ = try_run(&declarations, &rounded(operation), input, 11);
        // With a predicate where allowed, next to previous values.
        if ["min", "max", "cmp"].iter().any(|name| operation.starts_with(name)) {
            continue;
        }
        let masked = format!(
            "    mov (M1, 16) CT(0,0)<1> BT(0,0)<1;1,0>\n    setp (M1_NM, 16) P1 0x5a3c:uw\n    (P1) {operation}\n    (!P1.any) {operation}"
        );
        let _ = try_run(&declarations, &masked, input, 16);
    }
}

/// Returns the text of an operation that rounds toward zero, and of one that then rounds to
/// nearest.
fn rounded(operation: &str) -> String {
    let flip = "    xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud\n";
    format!("{flip}    {operation}\n    {operation}\n{flip}    {}", operation.replace("CT(0,0)", "CT(2,0)"))
}

const TWO: &str = "CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";

const POW: &str = "pow (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";

#[test]
fn floats() {
    let names = ["add", "mul", "min", "max", "div"];
    let mut operations: Vec<String> = names.map(|name| format!("{name} (M1, 16) {TWO}")).to_vec();
    operations.extend(names.map(|name| format!("{name}.sat (M1, 16) {TWO}")));
    operations.extend(
        ["sqrt", "inv", "rsqrt", "frc", "rndd", "rndu", "rnde", "rndz", "mov"]
            .map(|name| format!("{name} (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>")),
    );
    for relation in ["eq", "ne", "lt", "le", "gt", "ge"] {
        operations.push(format!(
            "cmp.{relation} (M1, 16) P1 AT(0,0)<1;1,0> BT(0,0)<1;1,0>\n    (P1) sel (M1, 16) CT(0,0)<1> BT(0,0)<1;1,0> AT(0,0)<1;1,0>"
        ));
    }
    let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
    let inputs: Vec<Vec<u8>> = [1, 3, 6, 7].map(|by| bytes_of!(pairs(&SINGLES, by))).to_vec();
    compare(("f", "f"), 4, &operations, &inputs);
    let functions = ["sin", "cos", "exp", "log"].map(|name| format!("{name} (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>"));
    let functions: Vec<&str> = functions.iter().map(String::as_str).chain([POW]).collect();
    compare(("f", "f"), 4, &functions, &inputs);
    compare(
        ("f", "f"),
        4,
        &FUSED,
        &[1, 3, 6, 7].map(|by| bytes_of!(one_nan(pairs(&SINGLES, by), |v| f32::from_bits(v).is_nan()))),
    );
    let doubles = SINGLES.map(|bits| (f64::from(f32::from_bits(bits)) * 1.000_000_1).to_bits());
    let inputs: Vec<Vec<u8>> = [1, 5].map(|by| bytes_of!(pairs(&doubles, by))).to_vec();
    compare(("df", "df"), 8, &operations, &inputs);
    compare(
        ("df", "df"),
        8,
        &FUSED,
        &[1, 5].map(|by| bytes_of!(one_nan(pairs(&doubles, by), |v| f64::from_bits(v).is_nan()))),
    );
}

/// Fused multiply-adds of halves are rounded once: in F, -21 times 57.5 plus a small number would
/// become a tie of halves.
#[test]
fn halves() {
    let values: [u16; 16] = [
        0x0000, 0x8000, 0x7e12, 0xfd01, 0x7c00, 0xfc00, 0x0001, 0x83ff, 0xcd40, 0x5330, 0x3c00, 0xbbff, 0x7bff,
        0xf800, 0x1001, 0x02ca,
    ];
    let operations = FUSED.iter().copied().chain(["mad (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0> 0x2ca:hf"]);
    let inputs = [1, 3, 6, 7, 15].map(|by| bytes_of!(one_nan(pairs(&values, by), |v| v & 0x7fff > 0x7c00)));
    compare(("hf", "hf"), 2, &operations.collect::<Vec<_>>(), &inputs);
}

/// Fused multiply-adds on the values of [`one_nan`].
const FUSED: [&str; 6] = [
    "mad (M1, 16) CT(0,0)<1> (-)AT(0,0)<1;1,0> BT(0,0)<1;1,0> BT(0,0)<1;1,0>",
    "mad (M1, 16) CT(0,0)<1> BT(0,0)<1;1,0> (abs)AT(0,0)<1;1,0> (-)BT(0,0)<1;1,0>",
    "mad (M1, 16) CT(0,0)<1> (-abs)BT(0,0)<1;1,0> BT(0,0)<1;1,0> AT(0,0)<1;1,0>",
    "mad (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,2)<0;1,0> BT(0,0)<1;1,0>",
    "mad (M1, 16) CT(0,0)<1> BT(0,0)<1;1,0> (abs)BT(0,0)<1;1,0> (-)AT(0,0)<1;1,0>",
    "mad.sat (M1, 16) CT(0,0)<1> BT(0,7)<0;1,0> AT(0,0)<1;1,0> BT(0,0)<1;1,0>",
];

/// Returns two sources of which only the first has NaNs. For several NaN operands, the result
/// depends on the operand order that the interpreter's compiler chose.
fn one_nan<T: Copy>(mut values: Vec<T>, is_nan: impl Fn(T) -> bool) -> Vec<T> {
    for n in 16..32 {
        if is_nan(values[n]) {
            values[n] = values[10];
        }
    }
    values
}

#[test]
fn conversions() {
    let types = ["ub", "b", "uw", "w", "ud", "d", "uq", "q", "hf", "f", "df"];
    let mov = "mov (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    let input = bytes_of!(pairs(&SINGLES, 5));
    for (from, to) in types.iter().flat_map(|from| types.map(|to| (*from, to))) {
        let declarations = typed(from, to);
        for body in
            [mov.to_owned(), mov.replace("mov", "mov.sat"), mov.replace("16)", "1)"), mov.replace("16)", "4)")]
        {
            let _ = try_run(&declarations, &format!("    {body}"), &input, 16);
            let _ = try_run(&declarations, &rounded(&body), &input, 16);
        }
    }
}

#[test]
fn integers() {
    let names = [
        "add", "mul", "min", "max", "and", "or", "xor", "shl", "shr", "asr", "rol", "ror", "avg", "mulh", "div",
        "mod",
    ];
    for (data_type, bytes) in [("d", 4), ("ud", 4), ("w", 2), ("ub", 1), ("q", 8)] {
        let mut operations: Vec<String> = names.map(|name| format!("{name} (M1, 16) {TWO}")).to_vec();
        operations.extend(["add", "mul"].map(|name| format!("{name}.sat (M1, 16) {TWO}")));
        operations.push("add (M1, 16) CT(0,0)<1> (-)AT(0,0)<1;1,0> (abs)BT(0,0)<1;1,0>".to_owned());
        operations.push("shl (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> 0x5:d".to_owned());
        operations.push("asr (M1, 8) CT(0,1)<1> AT(0,0)<1;1,0> 0x3:d".to_owned());
        if bytes == 4 {
            operations.extend(
                ["lzd", "fbl", "fbh", "cbit", "bfrev"]
                    .map(|name| format!("{name} (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>")),
            );
        }
        operations.push("add (M1, 1) CT(0,3)<1> AT(0,1)<0;1,0> BT(0,2)<0;1,0>".to_owned());
        for relation in ["eq", "lt", "le"] {
            operations.push(format!(
                "cmp.{relation} (M1, 16) P1 AT(0,0)<1;1,0> BT(0,0)<1;1,0>\n    (P1) sel (M1, 16) CT(0,0)<1> BT(0,0)<1;1,0> AT(0,0)<1;1,0>"
            ));
        }
        let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
        let wide = SINGLES.map(|bits| u64::from(bits).wrapping_mul(0x1_0000_0003));
        let input = if bytes == 8 { bytes_of!(pairs(&wide, 3)) } else { bytes_of!(pairs(&SINGLES, 3)) };
        compare((data_type, data_type), bytes, &operations, &[input]);
    }
}

#[test]
fn sources_and_destinations_overlap() {
    let input = bytes_of!(pairs(&SINGLES, 3));
    let declarations = typed("d", "d")
        + "\n.decl W v_type=G type=uw num_elts=64 alias=<A, 0>\n.decl Q v_type=G type=q num_elts=16 alias=<C, 0>";
    for body in [
        "    add (M1, 16) AT(0,1)<1> AT(0,0)<1;1,0> AT(0,2)<1;1,0>",
        "    add (M1, 16) AT(0,0)<1> AT(0,0)<1;1,0> AT(0,9)<0;1,0>",
        "    mov (M1, 16) Q(0,0)<1> AT(0,0)<1;1,0>\n    mov (M1, 16) CT(0,0)<2> AT(0,0)<1;1,0>",
        "    mov (M1, 16) AT(0,0)<1> W(0,1)<2;1,0>\n    mov (M1, 16) W(0,0)<2> W(1,0)<1;1,0>",
        "    mov (M1, 16) CT(0,0)<1> AT(0,0)<2;1,0>\n    mov (M1, 8) CT(0,4)<1> AT(0,0)<4;4,1>",
    ] {
        let all = format!("{body}\n    mov (M1_NM, 16) CT(1,0)<1> AT(0,0)<1;1,0>");
        let _ = try_run(&declarations, &all, &input, 16);
        let _ = try_run(&declarations, &all, &input, 11);
    }
}

/// Instructions with two results, and integers that are written with gaps between them.
#[test]
fn two_results_and_strides() {
    let input = bytes_of!(pairs(&SINGLES, 3));
    let declarations = format!(
        "{}\n.decl AU v_type=G type=ud num_elts=32 alias=<A, 0>\n.decl CU v_type=G type=ud num_elts=64 alias=<C, 0>\n\
         .decl W v_type=G type=uw num_elts=64 alias=<A, 0>\n.decl CW v_type=G type=w num_elts=128 alias=<C, 0>\n\
         .decl CB v_type=G type=ub num_elts=256 alias=<C, 0>\n.decl P1 v_type=P num_elts=16\n\
         .decl AQ v_type=G type=q num_elts=16 alias=<A, 0>\n.decl CQ v_type=G type=q num_elts=16 alias=<C, 0>\n\
         .decl AF v_type=G type=f num_elts=32 alias=<A, 0>\n.decl CF v_type=G type=f num_elts=32 alias=<C, 0>",
        typed("d", "d")
    );
    let own = "CU(0,0)<1> CU(2,0)<1> AU(0,0)<1;1,0> AU(2,0)<1;1,0>";
    for body in [
        format!("addc (M1, 16) {own}"),
        format!("subb (M1, 16) {own}"),
        format!("(P1) addc (M1, 16) {own}"),
        "addc (M1, 16) AU(0,0)<1> AU(2,0)<1> AU(0,0)<1;1,0> AU(2,0)<1;1,0>".to_owned(),
        "addc (M1, 16) AU(2,0)<1> AU(0,0)<1> AU(0,0)<1;1,0> AU(0,1)<0;1,0>".to_owned(),
        "subb (M1, 8) AU(0,1)<1> CU(2,0)<1> AU(0,0)<1;1,0> 0x7:ud".to_owned(),
        "addc (M1, 16) CU(0,0)<1> CU(0,4)<1> AU(0,0)<1;1,0> AU(2,0)<1;1,0>".to_owned(),
        "addc (M1, 8) CU(0,0)<1> %null(0,0)<1> AU(0,0)<1;1,0> AU(2,0)<1;1,0>".to_owned(),
        "addc (M1, 1) CU(0,3)<1> CU(2,5)<1> AU(0,9)<0;1,0> AU(2,1)<0;1,0>".to_owned(),
        "madw (M1, 16) CU(0,0)<1> AU(0,0)<1;1,0> AU(2,0)<1;1,0> 0x9:ud".to_owned(),
        "madw (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> AT(2,0)<1;1,0> AU(0,5)<0;1,0>".to_owned(),
        "madw (M5, 8) CT(0,0)<1> AT(0,0)<1;1,0> AU(2,0)<1;1,0> AT(1,0)<1;1,0>".to_owned(),
        "madw (M1, 1) CT(0,3)<1> AT(0,4)<0;1,0> AT(2,7)<0;1,0> 0x0:ud".to_owned(),
        "madw (M1, 16) AT(0,0)<1> AT(0,0)<1;1,0> AT(2,0)<1;1,0> 0x1:d".to_owned(),
        "add (M1, 16) CT(0,1)<2> AT(0,0)<1;1,0> AT(2,0)<1;1,0>".to_owned(),
        "(P1) mul (M1, 16) CT(0,0)<2> AT(0,0)<1;1,0> AT(2,0)<1;1,0>".to_owned(),
        "add (M1, 16) CW(0,1)<2> W(0,0)<1;1,0> W(2,0)<1;1,0>".to_owned(),
        "add (M1, 8) CW(0,3)<4> AT(0,0)<1;1,0> W(2,0)<1;1,0>".to_owned(),
        "xor (M1, 16) CB(0,2)<4> AT(0,0)<1;1,0> AT(2,0)<1;1,0>".to_owned(),
        "add.sat (M1, 16) CB(0,1)<2> AT(0,0)<1;1,0> AT(2,0)<1;1,0>".to_owned(),
        "add (M1, 8) AT(0,1)<2> AT(0,0)<1;1,0> AT(0,8)<1;1,0>".to_owned(),
        // As in scans: elements 16 bytes apart.
        "add (M1_NM, 8) AT(0,3)<4> AT(0,3)<4;1,0> AT(0,1)<4;1,0>".to_owned(),
        "add (M1_NM, 8) AT(0,2)<4> AT(0,2)<4;1,0> AT(0,1)<4;1,0>\n    add (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> AT(2,0)<1;1,0>".to_owned(),
        "add (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> AT(2,0)<1;1,0>\n    max (M1_NM, 16) CT(0,2)<4> CT(0,0)<1;1,0> AT(0,5)<1;1,0>".to_owned(),
        "add (M1, 8) CT(0,1)<4> AT(0,3)<4;1,0> AT(0,1)<4;1,0>".to_owned(),
        "(P1) add (M1_NM, 8) CT(0,1)<4> AT(0,3)<4;1,0> AT(0,1)<1;1,0>".to_owned(),
        "add (M1_NM, 16) CT(0,0)<1> AT(0,1)<2;1,0> AT(0,0)<1;1,0>".to_owned(),
        "add (M1_NM, 4) CT(0,0)<4> AT(0,0)<8;1,0> 0x5:d".to_owned(),
        "add (M1_NM, 4) CQ(0,1)<2> AQ(0,0)<4;1,0> AQ(0,1)<4;1,0>".to_owned(),
        "mul (M1_NM, 8) CF(0,1)<2> AF(0,1)<2;1,0> AF(0,0)<4;1,0>".to_owned(),
        "mov (M1_NM, 8) CQ(0,0)<1> AT(0,3)<4;1,0>".to_owned(),
    ] {
        let all = format!(
            "    setp (M1_NM, 16) P1 0x5a3c:uw\n    {body}\n    mov (M1_NM, 16) CT(4,0)<1> AT(0,0)<1;1,0>\n\
             {:4}mov (M1_NM, 16) CT(6,0)<1> AT(2,0)<1;1,0>",
            ""
        );
        let _ = try_run(&declarations, &all, &input, 16);
        let _ = try_run(&declarations, &all, &input, 11);
    }
}

/// Elements of variables through addresses, as compilers print private arrays.
#[test]
fn addresses_select_elements() {
    let input = bytes_of!((0..32_u32).map(|n| n * 7 % 29 * 4).collect::<Vec<_>>());
    let declarations = format!(
        "{}\n.decl W v_type=G type=uw num_elts=64 alias=<A, 0>\n.decl CQ v_type=G type=q num_elts=16 alias=<C, 0>\n\
         .decl CB v_type=G type=ub num_elts=64 alias=<C, 0>\n.decl CW v_type=G type=w num_elts=32 alias=<C, 0>\n\
         .decl A0 v_type=A num_elts=16\n.decl A1 v_type=A num_elts=16\n.decl P1 v_type=P num_elts=32",
        typed("d", "d")
    );
    for body in [
        "mov (M1, 16) CT(0,0)<1> r[A0(0),0]<1,0>:d",
        "mov (M1, 16) CT(0,0)<1> r[A0(0),4]<1,0>:d",
        "(P1) mov (M1, 16) CT(0,0)<1> r[A0(0),-4]<1,0>:f",
        "mov (M1, 8) CQ(0,0)<1> r[A0(0),0]<1,0>:q",
        "mov (M1, 16) CW(0,0)<1> r[A0(0),0]<1,0>:uw",
        "mov (M1, 16) CB(0,0)<1> r[A0(0),2]<1,0>:ub",
        "mov (M1, 16) CT(0,0)<1> r[A0(3),0]<8;8,1>:d",
        "mov (M1_NM, 1) CT(0,5)<1> r[A0(9),0]<0;1,0>:d",
        "add (M1, 16) CT(0,0)<1> r[A0(0),0]<1,0>:d AT(0,0)<1;1,0>",
        "mov (M1, 16) CT(0,0)<1> r[A0(0),0]<2,0>:d",
        "(P1) mov (M1, 16) r[A0(6),0]<1>:d AT(0,3)<0;1,0>",
        "(P1) mov (M1, 16) r[A0(6),0]<1>:d AT(0,0)<1;1,0>",
        "(!P1) mov (M1, 16) r[A0(0),0]<1>:f 0x40400000:f",
        "mov (M1, 8) r[A0(2),0]<2>:w 0x7:w",
        "mov (M1, 16) r[A0(4),0]<1>:uw W(0,0)<2;1,0>",
        // Outside of the variables.
        "addr_add (M1, 16) A1(0)<1> &AT 0x7ff0:w\n    mov (M1, 16) CT(0,0)<1> r[A1(0),0]<1,0>:d",
    ] {
        for (bits, add) in
            [("0x1", "W(0,0)<2;1,0>"), ("0xf0", "W(0,0)<2;1,0>"), ("0x5a3c", "0xfff0:w"), ("0x0", "W(0,0)<0;1,0>")]
        {
            let all = format!(
                "    mov (M1_NM, 16) CT(0,0)<1> AT(2,0)<1;1,0>\n    mov (M1_NM, 16) A0(0)<1> 0x10:uw\n\
                 {0:4}mov (M1, 16) A1(0)<1> W(0,0)<2;1,0>\n    addr_add (M1, 16) A0(0)<1> &AT {add}\n\
                 {0:4}addr_add (M1, 16) A0(0)<1> A0(0)<16> 0x20:w\n    setp (M1_NM, 32) P1 {bits}:ud\n    {body}\n\
                 {0:4}mov (M1_NM, 16) CT(4,0)<1> AT(0,0)<1;1,0>\n    mov (M1_NM, 16) CT(6,0)<1> AT(2,0)<1;1,0>",
                ""
            );
            for channels in [16, 11] {
                let is_done = try_run(&declarations, &all, &input, channels).is_ok();
                assert_eq!(is_done, !body.contains("0x7ff0"), "{body}");
            }
        }
    }
}

/// Narrows a scalar, which is then used for more channels than its destination had.
#[test]
fn single_values_become_smaller() {
    let input = bytes_of!(pairs(&SINGLES, 3));
    for (small, size) in [("b", 1), ("uw", 2), ("d", 4)] {
        let declarations = format!(
            "{}\n.decl S v_type=G type={small} num_elts=1\n.decl CS v_type=G type={small} num_elts=32 alias=<C, 0>\n\
             .decl AS v_type=G type={small} num_elts={} alias=<A, 0>\n.decl P1 v_type=P num_elts=16",
            typed("d", "d"),
            128 / size
        );
        let choice = format!("(P1) sel (M1_NM, 1) S(0,0)<1> 0x5:{small} AS(0,3)<0;1,0>");
        for value in [
            "mov (M1_NM, 1) S(0,0)<1> AT(0,3)<0;1,0>".to_owned(),
            format!("setp (M1_NM, 16) P1 0x5a3d:uw\n    {choice}"),
            format!("setp (M1_NM, 16) P1 0x5a3c:uw\n    {choice}"),
        ] {
            let body = format!("    {value}\n    add (M1, 16) CS(0,0)<1> AS(0,0)<1;1,0> S(0,0)<0;1,0>");
            assert!(try_run(&declarations, &body, &input, 16).is_ok(), "{body}");
        }
    }
}

/// Atomic operations of channels that share words: results depend on the order of the channels.
#[test]
fn atomic_operations_share_words() {
    let declarations = format!(
        "{}\n.decl AD v_type=G type=uq num_elts=16 align=GRF\n.decl I v_type=G type=uq num_elts=16 align=GRF\n\
         .decl O v_type=G type=ud num_elts=16 align=GRF\n.decl OLD v_type=G type=ud num_elts=32 alias=<C, 128>\n\
         .decl P1 v_type=P num_elts=16",
        typed("d", "d")
    );
    let unary = ["iinc", "idec", "load"].map(|name| (name, "%null %null"));
    let binary =
        ["iadd", "isub", "smin", "smax", "umin", "umax", "and", "or", "xor", "store", "fadd", "fmin", "fmax"];
    let operations = unary.into_iter().chain(binary.map(|name| (name, "A.128 %null")));
    // Comparisons hold for a channel whose number an earlier one has stored.
    let operations = operations.chain(["icas", "fcas"].map(|name| (name, "A.0 A.128")));
    // Only the words in memory have NaNs; the operands follow.
    let operands = pairs(&SINGLES, 9).into_iter().map(|word| if f32::from_bits(word).is_nan() { 3 } else { word });
    let input = bytes_of!(pairs(&SINGLES, 3).into_iter().chain(operands).collect::<Vec<_>>());
    for (operation, operands) in operations {
        for (size, old, lanes, place) in [32, 64]
            .into_iter()
            .flat_map(|size| ["OLD", "%null"].map(|old| (size, old)))
            .flat_map(|(size, old)| ["(M1, 16)", "(P1) (M1, 16)", "(M1, 8)", "(M1_NM, 1)"].map(|n| (size, old, n)))
            .flat_map(|(size, old, n)| [".ugm flat[AD]:a64", ".slm flat[O]:a32"].map(|place| (size, old, n, place)))
        {
            let (space, address) = place.split_once(' ').unwrap();
            let (predicate, lanes) = lanes.rsplit_once(") (").map_or(("", lanes), |_| ("(P1) ", "(M1, 16)"));
            let message =
                format!("{predicate}lsc_atomic_{operation}{space} {lanes} {old}:d{size} {address} {operands}");
            let body = format!(
                "    setp (M1_NM, 16) P1 0x5a3c:uw
    mov (M1_NM, 8) I(0,0)<1> 0x21303210:uv
    mov (M1_NM, 8) I(1,0)<1> 0x13203210:uv
    shl (M1_NM, 16) I(0,0)<1> I(0,0)<1;1,0> 0x3:uq
    add (M1_NM, 16) AD(0,0)<1> I(0,0)<1;1,0> IN(0,0)<0;1,0>
    mov (M1_NM, 16) O(0,0)<1> I(0,0)<1;1,0>
    mov (M1_NM, 16) C(4,0)<1> 0x7:ud
    mov (M1_NM, 16) C(6,0)<1> 0x9:ud
    lsc_store.slm (M1_NM, 8) flat[O]:a32 A:d64
    {message}
    svm_block_ld (4) IN(0,0)<0;1,0> C.0
    lsc_load.slm (M1_NM, 4) C.64:d64 flat[O]:a32"
            );
            let done = try_run(&declarations, &body, &input, 16);
            assert!(done.is_ok(), "{message}: {done:?}");
            let _ = try_run(&declarations, &body, &input, 11);
        }
    }
}
