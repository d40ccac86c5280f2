//! Programs of `examples/`: their output, and the tools' results on it.

use visakit::isa::Platform;
use visakit::text::{Options, Style, parse, print};

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/build_kernel.rs"]
mod build_kernel;
#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/decode.rs"]
mod decode;
#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/reads_and_writes.rs"]
mod reads_and_writes;
#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/rewrite.rs"]
mod rewrite;

const SCALE: &str = "\
version 4.1
scale: 9 instructions
           MOV  mov (M1, 1) oword(0,0)<1> 0x0:d
         LABEL  next:
      OWORD_LD  oword_ld (2) T6 offset(0,0)<0;1,0> floats.0
           MUL  mul (M1, 8) floats(0,0)<1> floats(0,0)<8;8,1> factor(0,0)<0;1,0>
      OWORD_ST  oword_st (2) T6 offset(0,0)<0;1,0> floats.0
           ADD  add (M1, 1) oword(0,0)<1> oword(0,0)<0;1,0> 0x2:d
           CMP  cmp.lt (M1, 1) again oword(0,0)<0;1,0> 0x8:d
          GOTO  (again) goto (M1, 1) next
           RET  ret (M1, 1)
";

#[test]
fn decode_prints_what_was_built() {
    let bytes = build_kernel::run().unwrap().encode().unwrap();
    assert_eq!(decode::run(&bytes).unwrap(), SCALE);
    let error = decode::run(&bytes[..30]).unwrap_err();
    assert!(error.to_string().contains("byte 0x"), "{error}");
}

/// The builder's tables equal those of a text: parsing the printed kernel gives the same object.
#[test]
fn build_kernel_is_what_its_text_says() {
    let object = build_kernel::run().unwrap();
    let routine = &object.kernels[0].routine;
    let text = print(&object, routine, None, Style::Full);
    let read = parse(&text, Options::default()).unwrap().into_object();
    assert_eq!(read, object);
    assert_eq!(read.encode().unwrap(), object.encode().unwrap());
    assert_eq!(visakit::verify::routine(routine, Some(Platform::Skl)), []);
    assert_eq!(routine.attributes.len(), 1);
}

/// The vendor's reader prints the same text, and its assembler accepts it.
#[test]
fn genx_ir_takes_the_built_kernel() {
    let test = "genx_ir_takes_the_built_kernel";
    if !visakit_testing::have(test, "vendor", visakit_testing::program("GenX_IR"), "GenX_IR") {
        return;
    }
    let object = build_kernel::run().unwrap();
    let ours = print(&object, &object.kernels[0].routine, Some(Platform::Skl), Style::Vendor);
    assert_eq!(visakit_testing::genx_ir_text(test, &object.encode().unwrap(), "skl"), ours);
    let dir = visakit_testing::scratch("built-kernel");
    let text = print(&object, &object.kernels[0].routine, Some(Platform::Skl), Style::Full);
    assert!(visakit_testing::vendors_object(&dir, "skl", &text).exists(), "it refuses\n{text}");
    assert!(!dir.join("k.errors.txt").exists());
}

#[test]
fn rewrite_changes_constants_and_instructions() {
    let text = ".version 4.1\n.kernel \"k\"\n.decl x v_type=G type=f num_elts=8 align=GRF\n\
                mov (M1, 8) x(0,0)<1> 0x3f800000:f\nmul (M1, 8) x(0,0)<1> x(0,0)<8;8,1> 1.0:f\nret (M1, 1)\n";
    let old = parse(text, Options::default()).unwrap().into_object().encode().unwrap();
    let new = decode::run(&rewrite::run(&old).unwrap()).unwrap();
    assert!(new.contains("mov (M1, 8) x(0,0)<1> 0x40000000:f\n"), "{new}");
    assert!(new.contains("add (M1, 8) x(0,0)<1> x(0,0)<8;8,1> x(0,0)<8;8,1>\n"), "{new}");
}

#[test]
fn reads_and_writes_are_counted() {
    let bytes = build_kernel::run().unwrap().encode().unwrap();
    let expected = "scale\n  T6: read 2, written 0\n  again: read 1, written 1\n  factor: read 1, written 0\n  \
                    floats: read 2, written 2\n  offset: read 2, written 0\n  oword: read 2, written 2\n";
    assert_eq!(reads_and_writes::run(&bytes).unwrap(), expected);
}
