//! Errors of texts: line, column, what was expected; and one run shows them all.

mod common;

use visakit::text::{Options, parse};
use visakit_codegen::diag::Diagnostic;

const HEAD: &str = "\
.version 4.1
.kernel \"k\"
.decl V32 v_type=G type=f num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=T6
.kernel_attr SimdSize=16
";

fn errors(body: &str) -> Vec<Diagnostic> {
    let text = format!("{HEAD}{body}");
    parse(&text, Options { file: "k.visaasm".into(), platform: None }).err().unwrap_or_default()
}

/// The body has one error, at this column of its first line, that says this.
#[track_caller]
fn fails(body: &str, column: u32, expected: &str) {
    let found = errors(body);
    let [error] = found.as_slice() else { panic!("one error: {found:#?}") };
    assert_eq!((error.line, error.column), (7, column), "{}", error.render(false));
    assert!(error.message.contains(expected), "{}", error.message);
}

#[test]
fn instructions() {
    fails("    ad (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 5, "is `add` meant?");
    fails("    add (M9, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 10, "exec_mask");
    fails("    add (M1, 17) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 15, "`)`");
    fails("    add (M1, 16) V33(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 18, "not `V33`");
    fails("    add (M1, 16) V32(0,0)<1> V32(0,0)<3;1,0> V32(0,0)<1;1,0>", 39, "a stride");
    fails("    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>", 45, "an operand");
    fails("    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1ffffffff:ud", 46, "fits into type ud");
    fails("    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:xx", 50, "type");
    fails("    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:ud 5", 53, "the end of the statement");
    fails("    add (M1, 16) V32(0,300)<1> V32(0,0)<1;1,0> 0x1:ud", 24, "from 0 to 255");
    fails("    (P2) add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:ud", 6, "not `P2`");
    fails("    (P1) cmp.lt (M1, 16) P1 V32(0,0)<1;1,0> 0x1:f", 10, "no predicate");
    fails("    cmp.xx (M1, 16) P1 V32(0,0)<1;1,0> 0x1:f", 9, "rel_op");
    fails("    gather4_scaled.R (M1, 16) T7 0x0:ud V32.0 V32.0", 31, "not `T7`");
    fails("    gather4_scaled.R (M1, 16) T6 0x0:ud V32 V32.0", 44, "the byte offset");
    fails("    goto (M1, 16)", 18, "a label");
}

#[test]
fn directives() {
    fails(".decl V33 v_type=G type=f align=GRF", 7, "num_elts=");
    fails(".decl V32 v_type=G type=f num_elts=8", 7, "already declared");
    fails(".decl V33 v_type=G type=f num_elts=8 alias=<V99, 0>", 45, "not `V99`");
    fails(".decl V33 v_type=X num_elts=8", 7, "v_type=");
    fails(".input V32 offset=32 size=8", 8, "size=64");
    fails(".input V99 offset=32 size=8", 8, "not `V99`");
    fails(".what is this", 1, ".decl");
}

#[test]
fn labels() {
    let found = errors("    goto (M1, 16) nowhere");
    assert_eq!(found[0].code, "label-missing");
    assert_eq!((found[0].line, found[0].column), (7, 19));
}

#[test]
fn one_run_shows_all() {
    let found = errors("    ad (M1, 16)\n    ret (M1, 1)\n    mov (M1, 1)\n.decl\n");
    let lines: Vec<u32> = found.iter().map(|d| d.line).collect();
    assert_eq!(lines, [7, 9, 10]);
}

#[test]
fn a_text_without_a_kernel() {
    let found = parse("", Options::default()).unwrap_err();
    let codes: Vec<_> = found.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["kernel-missing", "version-missing"]);
}

/// However a text ends or what stands in it, reading it ends with a routine or with errors.
#[test]
fn no_text_panics() {
    let text = std::fs::read_to_string(common::root().join("tests/vectors/single/flow.visaasm")).unwrap();
    for end in 0..text.len() {
        let _ = parse(&text[..end], Options::default());
    }
    let dg2 = std::fs::read_to_string(common::root().join("tests/vectors/single/dg2-18.visaasm")).unwrap();
    for piece in ["\"", "(", "[", "<", ":", "-", "0x", "99999999999999999999", "%", "/*", "ü", "\0", ".", "&"] {
        for at in 0..dg2.len() {
            let mut broken = dg2.clone();
            broken.insert_str(at, piece);
            let _ = parse(&broken, Options::default());
        }
    }
}
