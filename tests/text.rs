//! Errors of texts: line, column and expected input. One run reports all of them.

use visakit::object::Object;
use visakit::text::{Options, parse, print_exact};
use visakit_diag::Diagnostics;

const HEAD: &str = "\
.version 4.1
.kernel \"k\"
.decl V32 v_type=G type=f num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=T6
.kernel_attr SimdSize=16
";

fn errors(body: &str) -> Diagnostics {
    let text = format!("{HEAD}{body}");
    parse(&text, Options { file: "k.visaasm".into(), platform: None }).err().unwrap_or_default()
}

/// Asserts that the body has one error, at this column of its first line, with this message.
#[track_caller]
fn fails(body: &str, column: u32, expected: &str) {
    let found = errors(body);
    let [error] = found.as_slice() else { panic!("one error: {found:#?}") };
    assert_eq!((error.line, error.column), (7, column), "{}", error.render(false));
    assert!(error.message.contains(expected), "{}", error.message);
}

#[test]
fn instructions() {
    fails("    ad (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 5, "did you mean `add`?");
    fails("    add (M9, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 10, "exec_mask");
    fails("    add (M1, 17) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 14, "one of 1, 2, 4, 8, 16, 32");
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
    fails("    gather4_scaled.R (M1, 16) T0 0x0:ud V32.0 V32.0", 31, "not `T0`");
    fails("    gather4_scaled.R (M1, 16) T6 0x0:ud V32 V32.0", 44, "the byte offset");
    fails("    goto (M1, 16)", 18, "a label");
}

#[test]
fn directives() {
    fails(".decl V33 v_type=G type=f align=GRF", 27, "num_elts=");
    fails(".decl V32 v_type=G type=f num_elts=8", 7, "already declared");
    fails(".decl V33 v_type=G type=f num_elts=8 alias=<V99, 0>", 45, "not `V99`");
    fails(".decl V33 v_type=X num_elts=8", 18, "G, A, P, S or T");
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

/// Parsing any text ends with a routine or with errors.
#[test]
fn no_text_panics() {
    let text = std::fs::read_to_string(visakit_testing::root().join("tests/vectors/single/flow.visaasm")).unwrap();
    for end in 0..text.len() {
        let _ = parse(&text[..end], Options::default());
    }
    let dg2 = std::fs::read_to_string(visakit_testing::root().join("tests/vectors/single/dg2-18.visaasm")).unwrap();
    for piece in ["\"", "(", "[", "<", ":", "-", "0x", "99999999999999999999", "%", "/*", "ü", "\0", ".", "&"] {
        for at in 0..dg2.len() {
            let mut broken = dg2.clone();
            broken.insert_str(at, piece);
            let _ = parse(&broken, Options::default());
        }
    }
}

fn instructions_of(text: &str) -> Vec<visakit::isa::Instruction> {
    parse(text, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e:#?}")).routine.instructions
}

/// Asserts that both bodies parse to the same instructions.
#[track_caller]
fn same(body: &str, plain: &str) {
    assert_eq!(instructions_of(&format!("{HEAD}{body}")), instructions_of(&format!("{HEAD}{plain}")), "{body}");
}

#[test]
fn expressions_are_computed() {
    let with = |constant: &str| format!("    mov (M1, 1) V32(0,0)<1> {constant}\n");
    for (written, value) in [
        ("-5:w", "0xfffffffb:w"),
        ("~5:d", "0xfffffffa:d"),
        ("!5:d", "0x0:d"),
        ("(3 < 2 ? 1 : 7):d", "0x7:d"),
        ("(1 & 3 == 3):d", "0x1:d"),
        ("(12 ^ 4 | 1):d", "0x9:d"),
        ("(-8 >>> 60):d", "0xf:d"),
        ("((1 << 4) >> 2):d", "0x4:d"),
        ("(2 + 3 * 4 - 10 / 3 % 2):d", "0xd:d"),
        ("%sizeof(V32):d", "0x40:d"),
        ("%sizeof GRF:d", "0x20:d"),
        ("%DispatchSimd:ud", "0x10:ud"),
        ("1:f", "0x1:f"),
        ("-0x3f800000:f", "0xbf800000:f"),
        ("-1.5e+1:f", "0xc1700000:f"),
        ("0x1:UD", "0x1:ud"),
    ] {
        same(&with(written), &with(value));
    }
    same("    mov (M1, 1) V32(0,1+2)<2*2/4> 0x0:f\n", "    mov (M1, 1) V32(0,3)<1> 0x0:f\n");
    same("    mov (NoMask, 1) V32<1> 0x0:f\n", "    mov (M1_NM, 1) V32(0,0)<1> 0x0:f\n");
    same("    mov (1) V32(0,0)<1> 0x0:f\n", "    mov (M1, 1) V32(0,0)<1> 0x0:f\n");
    same("    mov (M1, 1) V32(0,0)<1> \\\n 0x0:f\n", "    mov (M1, 1) V32(0,0)<1> 0x0:f\n");
    same("    .file \"a\\x41\\102\"\n    .loc 17\n", "    FILE \"aAB\"\n    LOC 17\n");
    fails("    mov (M1, 1) V32(0,0)<1> (1 / 0):d", 34, "a divisor other than 0");
    fails("    mov (M1, 1) V32(0,0)<1> %sizeof V3:d", 37, "did you mean `V32`?");
}

/// The vendor's grammar: fixed orders, positions of blanks, beginnings of lines. `tests/corpus.py
/// agree` and `tests/mutants.rs` compare with its assembler.
#[test]
fn the_vendors_grammar() {
    let mov = "    mov (M1, 16) V32(0,0)<1> ";
    for (operand, column, expected) in [
        ("V32(0,0)<1>", 40, "`;`"),
        ("V32(0,0)<1,0>", 40, "`;`"),
        ("V32<1;1,0>", 33, "row and column"),
        ("V32(0,0)", 38, "`<`"),
        ("+1:d", 30, "an operand"),
        ("0x1:bf", 34, "the type of an operand"),
        ("0x1:UV", 34, "type: one of"),
        ("0x1:Ud", 34, "type: one of"),
        ("1e5:f", 31, "`:`"),
        (".5:f", 30, "an operand"),
        ("15360:hf", 30, "hexadecimal"),
        ("(1 < 2 < 3):d", 36, "parentheses"),
        ("(1 << 2 << 3):d", 37, "parentheses"),
    ] {
        fails(&format!("{mov}{operand}"), column, expected);
    }
    fails("    mov (M1, 16) V32(0,0)<8;8,2> 0x0:f", 28, "`>`");
    fails("    MOV (M1, 16) V32(0,0)<1> 0x0:f", 5, "no page has the mnemonic `MOV`");
    fails("    (P1) gather.4 (M1, 16) T6 0x0:ud V32.0 V32.0", 10, "no predicate");
    fails("    gather4_scaled.GR (M1, 16) T6 0x0:ud V32.0 V32.0", 21, "`(`");
    assert!(!errors(".version 4.1").is_empty() && !errors(".version 4.1\n    ret (M1, 1)").is_empty());
    for label in ["1x:", "-x:", "%null:", "a.b:", " x:", "x :", "x: // y\n{ y:"] {
        assert!(!errors(label).is_empty(), "{label}");
    }
    for label in ["x-y:", "_:", "$a:", "add: // a word of the language"] {
        assert!(errors(label).is_empty(), "{label}: {:#?}", errors(label));
    }
    let jump = errors("    jmp (M1, 1) f\n.function \"f\"\nf:\n    ret (M1, 1)");
    assert!(jump[0].code == "label-missing" && jump[0].message.contains("`f`"), "{jump:#?}");
    assert_eq!(errors("x:\n    call (M1, 1) x\n    ret (M1, 1)")[0].code, "label-missing");
    for (line, column, expected) in [
        (".decl V33 v_type=G num_elts=8 type=f", 20, "`type=`"),
        (".decl V33 v_type=G type=f num_elts=8 alias=<V32, 0> align=word", 53, "in this order"),
        (".decl V33 v_type=G type=f num_elts=8 align=1", 44, "a number of bytes, one of 2"),
        (".decl V33 v_type=G type=f num_elts=8 align=Word", 44, "did you mean `word`?"),
        (".decl V33 v_type=G type=f num_elts=8 attrs={}", 45, "the name of an attribute"),
        (".decl P3 v_type=P num_elts=8 align=word", 30, "attrs="),
        (".decl T7 v_type=T type=ud num_elts=1", 19, "`num_elts=`"),
        (".decl add v_type=P num_elts=8", 7, "is a keyword"),
        (".decl %x v_type=P num_elts=8", 7, "the name of a variable"),
        (".input V32 size=64 offset=32", 20, "in this order"),
        (".parameter V32", 15, "`size=`"),
        (".kernel_attr Target", 14, "Target with one of"),
        (".kernel_attr SimdSize=16 .kernel_attr Target=\"cm\"", 26, "the end of the line"),
        (".funcdecl f", 11, "in double quotes"),
        ("    LOC 0x5", 9, "decimal digits"),
    ] {
        fails(line, column, expected);
    }
    let plain = "    mov (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>\n    ret (M1, 1)\n";
    same("    mov ( M1 ,16 )V32 ( 0 , 0 ) <1>V32(0,0)< 1 ; 1,0 >\n    ret(M1,1)\n", plain);
    same("    mov .sat (M1, 16) V32<1> 0x0:f\n", "    mov.sat (M1, 16) V32(0,0)<1> 0x0:f\n");
    same(
        "    gather4_scaled .rg (M1, 16) T6 0x0:ud V32.0 V32 .0\n",
        "    gather4_scaled.RG (M1, 16) T6 0x0:ud V32.0 V32.0\n",
    );
    same(
        "    lsc_load .ugm (M1, 16) V32 :d32 flat [ V32 + 16 ] :a64\n",
        "    lsc_load.ugm (M1, 16)  V32:d32  flat[V32+0x10]:a64\n",
    );
    let joined = HEAD.replacen(".1\n", ".1 ", 1).replace("type=f num", "type=fnum").replace(".decl ", ".decl");
    assert_eq!(instructions_of(&format!("{joined}{plain}")), instructions_of(&format!("{HEAD}{plain}")));
}

#[test]
fn blocks_hide_names() {
    let text = format!(
        "{HEAD}{{\n.decl V32 v_type=G type=d num_elts=16\n    mov (M1, 1) V32(0,0)<1> 0x1:d\n{{\n\
         .decl V32 v_type=G type=w num_elts=16\n    mov (M1, 1) V32(0,0)<1> 0x1:w }}\n}}\n\
         {{ mov (M1, 1) V32(0,0)<1> 0x1:f }}\n"
    );
    let routine = parse(&text, Options::default()).unwrap().routine;
    let ids = routine.instructions.iter().map(|i| match i {
        visakit::isa::Instruction::Mov(mov) => match &mov.dst.operand {
            visakit::isa::Operand::General(g) => g.id.0,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    });
    assert_eq!(ids.collect::<Vec<_>>(), [33, 34, 32]);
    assert!(errors("{").iter().any(|e| e.code == "block-open"));
    fails("}", 1, "closes no open block");
}

#[test]
fn withdrawn_words_are_named() {
    for word in ["if", "ELSE", "do", "while", "break", "cont", "asin", "ATAN", "vme"] {
        fails(&format!("    {word} (M1, 16)"), 5, "was withdrawn");
    }
    fails("    add (M0, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 10, "`M0` was withdrawn");
    fails("    add (NM, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", 10, "`NM` was withdrawn");
}

#[test]
fn a_text_may_have_several_routines() {
    let text = format!("{HEAD}    ret (M1, 1)\n.global_function \"f\"\n.parameter %r0\n");
    let found = parse(&text, Options::default()).unwrap_err();
    assert_eq!(found.len(), 1, "{found:#?}");
    let text = format!(
        "{HEAD}    ret (M1, 1)\n.global_function \"f\"\n.decl V32 v_type=G type=d num_elts=8\n    fret (M1, 1)\n"
    );
    let parsed = parse(&text, Options::default()).unwrap();
    assert_eq!(
        parsed.routines().map(|(r, lines)| (r.name(), lines.to_vec())).collect::<Vec<_>>(),
        [("k".to_owned(), vec![7]), ("f".to_owned(), vec![10])]
    );
    let object = parsed.into_object();
    assert_eq!((object.kernels.len(), object.functions.len()), (1, 1));
    assert_eq!(visakit::object::Object::decode(&object.encode().unwrap()).unwrap(), object);
}

/// The full text of an object reproduces its bytes, even where the vendor's text loses data.
#[test]
fn full_texts_give_the_same_objects() {
    for path in visakit_testing::files(&visakit_testing::root().join("tests/vectors/single"), "isa") {
        let bytes = std::fs::read(&path).unwrap();
        let object = visakit::object::Object::decode(&bytes).unwrap();
        let wide = path.file_name().unwrap().to_string_lossy().starts_with("pvc");
        let platform = visakit::isa::Platform::from_name(if wide { "pvc" } else { "dg2" });
        let routine = &object.kernels[0].routine;
        let full = visakit::text::print(&object, routine, platform, visakit::text::Style::Full);
        let again = parse(&full, Options { file: String::new(), platform }).unwrap().into_object();
        assert!(again.encode().unwrap() == bytes, "{}", path.display());
    }
}

/// File scope in older objects: variables, aliases of them, and their users. Each routine lists all
/// of them.
#[test]
fn parts_of_the_file() {
    let file = ".file_variable \"@xy\" linkage=global type=uw num_elts=2 align=dword\n\
                .file_variable \"@n\" linkage=extern type=d num_elts=1 align=byte\n";
    let kernel = |name: &str, uses: &str, alias: &str| {
        format!(
            ".version 3.2\n.kernel \"{name}\"\n{file}{uses}\
             .decl V32 v_type=G type=uw num_elts=2 align=dword alias=<{alias}>\n    ret (M1, 1)\n"
        )
    };
    let text = kernel("a", ".use_variable 25=1\n.use_variable 24=0\n", "global 0, 2")
        + &kernel("b", ".use_function 3=4\n", "global 1, 0");
    let object = parse(&text, Options::default()).unwrap_or_else(|e| panic!("{}", e[0].render(false))).into_object();
    assert_eq!(object.variables.iter().map(|v| v.name.to_text()).collect::<Vec<_>>(), ["@xy", "@n"]);
    let bytes = object.encode().unwrap();
    let again = Object::decode(&bytes).unwrap();
    assert_eq!(again.kernels[0].variable_relocations.len(), 2);
    assert_eq!(again.kernels[1].function_relocations[0].resolved_index, 4);
    let scopes = again.routines().map(|r| r.variables[0].alias_scope_specifier);
    assert!(scopes.eq([visakit::isa::AliasScope::Global; 2]));
    let printed: String = again.routines().map(|r| print_exact(&again, r, None).unwrap()).collect();
    assert_eq!(parse(&printed, Options::default()).unwrap().into_object().encode().unwrap(), bytes);
    // Routines of one file must agree on its variables.
    let wrong = text.replacen("type=d num_elts=1", "type=d num_elts=3", 1);
    let errors = parse(&wrong, Options::default()).unwrap_err();
    assert!(errors[0].message.contains("`@n` as in the routine above"), "{}", errors[0].message);
}
