//! Texts of the vendor's newer printers: their forms are parsed, distinguished from older ones,
//! kept by objects and printed.

use visakit::object::Object;
use visakit::text::{Options, Style, in_revision, parse, print};

const DECLARATIONS: &str = "\
.decl V32 v_type=G type=ud num_elts=16 align=wordx32
.decl V33 v_type=G type=uq num_elts=16 align=wordx32
.decl V34 v_type=G type=f num_elts=64 align=wordx32
.decl V35 v_type=G type=d num_elts=16 align=wordx32
.decl V36 v_type=G type=d num_elts=16 align=wordx32
.decl V37 v_type=G type=uq num_elts=1 align=qword
.decl V38 v_type=G type=ud num_elts=1 align=dword
.decl A0 v_type=A num_elts=16
.decl P1 v_type=P num_elts=16
.decl S0 v_type=S num_elts=1 v_name=S0_
.decl T6 v_type=T num_elts=1 v_name=T6_
";

fn text(version: &str, lines: &[&str]) -> String {
    let code: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    format!(".version {version}\n.kernel \"k\"\n{DECLARATIONS}{code}    ret (M1, 1)\n")
}

/// Assembles a text, encodes and decodes the object, and returns its text without comments.
fn round(source: &str) -> (Object, String) {
    let object = parse(source, Options::default()).unwrap().into_object();
    let bytes = object.encode().unwrap();
    let read = Object::decode(&bytes).unwrap();
    assert_eq!(read, object);
    let printed = print(&read, &read.kernels[0].routine, None, Style::Full);
    let lines = printed.lines().map(|line| line.split("//").next().unwrap_or("").trim_end());
    (read, lines.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect())
}

#[track_caller]
fn comes_back(version: &str, lines: &[&str]) {
    let source = text(version, lines);
    let (object, printed) = round(&source);
    assert_eq!(object.version.to_string(), "4.1", "objects have no newer version");
    assert_eq!(printed.replace(".kernel_attr Target=\"3d\"\n", ""), source);
}

#[track_caller]
fn refused(version: &str, lines: &[&str], column: u32, words: &str) {
    let errors = parse(&text(version, lines), Options::default()).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].message.contains(words), "{}", errors[0].message);
    assert_eq!(errors[0].column, column, "{errors:?}");
}

#[test]
fn newer_texts_come_back_as_they_were() {
    comes_back("4.2", &["mov (M1, 1) V32(0,0)<1> 0x1:ud"]);
    comes_back("4.2", &["lsc_load.ugm (M1, 16)  V32:d8u32  flat[V33]:a64"]);
    comes_back("4.1", &["lsc_load.ugm (M1, 16)  V32:d16u32  flat[V33]:a64"]);
    comes_back("4.1", &["lsc_store.ugm (M1, 16)  flat[V33]:a64  V32:d16u32h"]);
    comes_back("4.1", &["load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 %null.0 V35.0 V36.0"]);
    comes_back("4.1", &["sample_lz.RGBA (M1, 16)  0x0:uw S0 T6 V34.0 %null.0 V35.0 V36.0"]);
    comes_back("4.2", &["sample4.R (M1, 16) 0x0:uw S0 T6 V34.0 %null.0 V35.0 V36.0"]);
}

/// GenX_IR of IGC 1.0.17791 prints coordinates without blanks in texts of version 4.1. Blanks
/// alone do not show the revision of a text; another form of the text does.
#[test]
fn texts_of_2023_have_no_blanks_between_coordinates() {
    let newer = "load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 %null.0 V35.0 V36.0";
    let typed = "lsc_load_quad.tgm (M1, 16)  V34:d32.x  bss(V38)[V35+5,V36-12]:a32";
    let block = "lsc_load_block2d.ugm (M1, 1)  V34:d16.16x8nn  flat[V37,0x77,0x1D,0x7F,V38,V38]";
    comes_back("4.1", &[newer, typed, block]);
    let mut object = parse(&text("4.1", &[typed, block]), Options::default()).unwrap().into_object();
    for (revision, line) in [(0, "[V35, V36, %null, %null]"), (202_305, "[V35+5,V36-12]"), (202_305, "0x7F,V38,V38]")]
    {
        object.kernels[0].routine = in_revision(&object.kernels[0].routine, revision);
        let printed = print(&object, &object.kernels[0].routine, None, Style::Full);
        assert!(printed.contains(line), "{printed}");
    }
}

#[test]
fn older_texts_come_back_as_they_were() {
    comes_back("4.1", &["lsc_load.ugm (M1, 16)  V32:d8c32  flat[V33]:a64"]);
    comes_back("4.1", &["load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 V35.0 V36.0"]);
    // Both spellings are accepted in every text; the version decides which one is printed.
    let (_, printed) = round(&text("4.2", &["lsc_load.ugm (M1, 16)  V32:d8c32  flat[V33]:a64"]));
    assert!(printed.contains("V32:d8u32"), "{printed}");
}

#[test]
fn the_operand_behind_the_destination_is_no_parameter() {
    let parameters = |source: &str| {
        let object = parse(source, Options::default()).unwrap().into_object();
        object.kernels[0].routine.instructions[0].clone()
    };
    let newer = parameters(&text("4.1", &["load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 %null.0 V35.0 V36.0"]));
    let older = parameters(&text("4.1", &["load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 V35.0 V36.0"]));
    assert_eq!(newer, older);
}

#[test]
fn forms_of_different_texts_are_not_mixed() {
    let older = "load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 V35.0 V36.0";
    let newer = "load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 %null.0 V35.0 V36.0";
    refused("4.2", &[older], 44, "`%null.0`");
    refused("4.1", &[newer, older], 44, "`%null.0`");
    refused("4.1", &[older, newer], 5, "texts of another date");
    refused("4.1", &[older, "lsc_load.ugm (M1, 16)  V32:d8u32  flat[V33]:a64"], 5, "texts of another date");
    // A null with another offset belongs to neither form.
    refused("4.1", &["load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 %null.8 V35.0 V36.0"], 44, "other than null");
}

#[test]
fn what_only_texts_have_comes_back() {
    comes_back("4.1", &["ifcall.uniform (M1, 16) V37(0,0)<0;1,0> 2 1"]);
    comes_back("4.1", &["ifcall.uniform.noreturn (M1, 16) V37(0,0)<0;1,0> 2 1"]);
    comes_back("4.2", &["lsc_load.ugm.ca.ca.uc.ov (M1, 16)  V32:d32  flat[V33]:a64"]);
    comes_back("4.2", &["lsc_load.ugm.ov (M1, 16)  V32:d32  flat[V33]:a64"]);
    comes_back("4.2", &["lsc_load.ugm.ca.cc (M1, 16)  V32:d32  flat[V33]:a64"]);
    comes_back("4.2", &["lsc_store.ugm.wb.wb.uc (M1, 16)  flat[V33]:a64  V32:d32"]);
    comes_back("4.2", &["lsc_load.ugm (M1, 16)  V32:d32  flat(V37)[0x4*V35]:a32u"]);
    comes_back("4.2", &["lsc_load_block2d.ugm (M1, 1)  V34:d16.16x8nn  flat[V32 + (4,-2)]"]);
    comes_back("4.2", &["lsc_load_block2d.ugm (M1, 1)  V34:d16.16x8nn  flat[V37,0x77,0x1D,0x7F,V38,V38]"]);
    comes_back("4.2", &["lsc_load_block2d.ugm (M1, 1)  V34:d16.16x8nn  flat[V37,0x77,0x1D,0x7F,V38+4,V38-3]"]);
    comes_back("4.2", &["lsc_load_quad.tgm (M1, 16)  V34:d32.x  bss(V38)[V35+5,V36-12]:a32"]);
    comes_back("4.2", &["lsc_atomic_iinc.tgm.msaa (M1, 16)  V34:d32  bss(V38)[V35,V36]:a32  %null  %null"]);
    comes_back("4.2", &["lsc_apndctr_atomic_add.ugm (M1, 16)  V32:d32  bss(V38)  V35"]);
    comes_back("4.1", &["lsc_load_block2d.ugm (M1, 1)  V34:d16.16x8nn  flat[V37, 0x77, 0x1D, 0x7F, V38, V38]"]);
    comes_back("4.2", &["lsc_store_quad.tgm (M1, 16)  bss(V38)[V35,V36]:a32  V34:d32.xyzw"]);
    comes_back("4.2", &["nbarrier.signal 0x1:ub 0x0:ub 0x2:ub 0x2:ub"]);
    comes_back("4.2", &["nbarrier.signal 0x1:ub 0x2:ub"]);
    comes_back("4.2", &["sample_lz.RGBA (M1, 16)  0x0:uw V37 V37 V34.0 %null.0 V35.0 V36.0"]);
    comes_back("4.2", &["load_lz.RGBA (M1, 16)  0x0:uw V37(0,0)<0;1,0>[0]  V34.0 %null.0 V35.0 V36.0"]);
    comes_back("4.2", &["resinfo.RG (M1_NM, 16)  V37 V35.0 V32.0"]);
    comes_back("4.2", &["mov (M1_NM, 1) V37(0,0)<1> %scratchloc(0,0)<0;1,0>"]);
    comes_back("4.1", &["mov (M1_NM, 16) A0(0)<1> 0x0:uw"]);
}

#[test]
fn functions_that_a_text_declares_come_back() {
    let source = text("4.2", &[]).replacen(".kernel \"k\"\n", ".kernel \"k\"\n.funcdecl \"f\"\n.funcdecl \"g\"\n", 1);
    let (_, printed) = round(&source);
    assert_eq!(printed.replace(".kernel_attr Target=\"3d\"\n", ""), source);
    // If no form implies the revision: declarations are kept, except in texts of the compiler that
    // gives all kernels one name.
    let early = source.replacen("4.2", "4.1", 1);
    assert!(round(&early).1.contains(".funcdecl \"f\"\n.funcdecl \"g\"\n"));
    assert!(!round(&early.replacen("\"k\"", "\"kernel\"", 1)).1.contains(".funcdecl"));
}

#[test]
fn aliases_of_the_null_variable_come_back() {
    let alias = ".decl V50 v_type=G type=ud num_elts=2 align=dword alias=<%null, 0>\n";
    let source = text("4.2", &["mov (M1_NM, 1) V50(0,0)<1> %tsc(0,0)<0;1,0>"]);
    let at = source.find(".kernel_attr").or_else(|| source.find("    mov")).unwrap();
    let at = source[..at].rfind(".decl").map_or(at, |last| last + source[last..].find('\n').unwrap() + 1);
    let source = format!("{}{alias}{}", &source[..at], &source[at..]);
    let (_, printed) = round(&source);
    assert!(printed.contains(alias), "{printed}");
    // Texts without a newer form assemble to the packaged assembler's object, without the mark.
    assert!(!round(&source.replacen("4.2", "4.1", 1)).1.contains("%null, 0>"));
}

#[test]
fn damaged_marks_are_refused() {
    let source = text("4.2", &["lsc_load.ugm.ca.ca.uc (M1, 16)  V32:d32  flat[V33]:a64"]);
    let object = parse(&source, Options::default()).unwrap().into_object();
    let strings = &object.kernels[0].routine.strings;
    let mark = strings.iter().position(|s| s.to_text().starts_with(".extra 0 ")).unwrap();
    let damage = |text: &str| {
        let mut other = object.clone();
        other.kernels[0].routine.strings[mark] = visakit::rt::Bytes::from(text);
        // An object with text-only data but without its marks cannot be encoded.
        assert!(other.encode().is_err(), "{text}");
        other.kernels[0].routine.instructions.remove(0);
        Object::decode(&other.encode().unwrap()).unwrap_err()
    };
    let whole = strings[mark].to_text();
    for text in [".extra 9 00", ".extra 0 zz", ".extra 0", whole.trim_end_matches(|c| c != ' ')] {
        assert_eq!(damage(text).code, "object-malformed", "{text}");
    }
    assert_eq!(damage(&format!("{whole}00")).code, "object-malformed");
}

#[test]
fn caching_is_by_platform() {
    let verify = |platform: &str, line: &str| {
        let parsed = parse(&text("4.2", &[line]), Options::default()).unwrap();
        let platform = visakit::isa::Platform::from_name(platform).unwrap();
        let findings = visakit::verify::routine(&parsed.routine, Some(platform));
        findings.iter().any(|f| f.code == "message")
    };
    let load = |caching: &str| format!("lsc_load.ugm.{caching} (M1, 16)  V32:d32  flat[V33]:a64");
    for (platform, caching, refused) in [
        ("dg2", "ca.cc", true),
        ("xe2", "ca.cc", false),
        ("xe2", "uc.cc", false),
        ("xe2", "ri.ri", false),
        ("pvc", "ri.ri", true),
        ("xe2", "cc.ca", true),
        ("dg2", "ri.ca", false),
        ("cri", "ca.ca.uc", false),
        ("cri", "ri.ri.ri", false),
        ("cri", "ca.ca.wb", true),
        ("dg2", "ca.ca.uc", true),
    ] {
        assert_eq!(verify(platform, &load(caching)), refused, "{platform} {caching}");
    }
    let store = |caching: &str| format!("lsc_store.ugm.{caching} (M1, 16)  flat[V33]:a64  V32:d32");
    assert!(!verify("cri", &store("wb.wb.uc")));
    assert!(verify("cri", &store("wb.wb.wb")));
}

const SMALL_FLOATS: &str = "\
.decl V40 v_type=G type=tf32 num_elts=16 align=wordx32
.decl V41 v_type=G type=hf8 num_elts=64 align=wordx32
.decl V42 v_type=G type=bf8 num_elts=64 align=wordx32
.decl V43 v_type=G type=e2m1 num_elts=64 align=wordx32
.decl V44 v_type=G type=hf num_elts=32 align=wordx32
";

fn small_floats(line: &str) -> String {
    text("4.2", &[line]).replacen(".decl A0", &format!("{SMALL_FLOATS}.decl A0"), 1)
}

#[test]
fn types_that_only_texts_have_come_back() {
    let source = small_floats("mov (M1_NM, 16) V40(0,0)<1> V34(0,0)<1;1,0>");
    let (object, printed) = round(&source);
    assert_eq!(printed.replace(".kernel_attr Target=\"3d\"\n", ""), source);
    // An object has other types of the same size instead, and marks that record the types of the
    // text.
    let routine = &object.kernels[0].routine;
    let marks: Vec<_> = routine.strings.iter().map(|s| s.to_text()).filter(|s| s.starts_with(".type ")).collect();
    assert_eq!(marks.len(), 4, "{marks:?}");
    let mut without = object.clone();
    let mark = routine.strings.iter().position(|s| s.to_text().starts_with(".type ")).unwrap();
    for damaged in [".type 99 tf32", ".type 7 hf8", ".type 7", ".type tf32", ".type 7 ud"] {
        without.kernels[0].routine.strings[mark] = visakit::rt::Bytes::from(damaged);
        assert!(without.encode().is_err(), "{damaged}");
        let bytes = String::from_utf8_lossy(&object.encode().unwrap()).contains(&marks[0]);
        assert!(bytes, "the mark is in the object");
    }
    let mut plain = object.clone();
    plain.kernels[0].routine.variables.iter_mut().for_each(|v| v.bit_properties.type_ = Default::default());
    plain.kernels[0].routine.strings[mark] = visakit::rt::Bytes::from(".type 7 hf8");
    assert_eq!(Object::decode(&plain.encode().unwrap()).unwrap_err().code, "object-malformed");
}

#[test]
fn small_floats_are_only_converted() {
    let verify = |platform: &str, line: &str| {
        let parsed = parse(&small_floats(line), Options::default()).unwrap_or_else(|e| panic!("{line}: {e:?}"));
        let platform = visakit::isa::Platform::from_name(platform).unwrap();
        let findings = visakit::verify::routine(&parsed.routine, Some(platform));
        let errors = findings.iter().filter(|f| f.severity == visakit::verify::Severity::Error);
        (errors.count() > 0, findings.len())
    };
    let of = |(dst, src): (&str, &str)| format!("mov (M1_NM, 16) {dst}(0,0)<1> {src}(0,0)<1;1,0>");
    for pair in [
        ("V40", "V34"),
        ("V34", "V40"),
        ("V40", "V40"),
        ("V42", "V44"),
        ("V44", "V42"),
        ("V41", "V44"),
        ("V44", "V41"),
    ] {
        assert_eq!(verify("xe3", &of(pair)), (false, 0), "{pair:?}");
    }
    assert_eq!(verify("cri", &of(("V43", "V43"))), (false, 0));
    for pair in [
        ("V34", "V42"),
        ("V42", "V34"),
        ("V42", "V41"),
        ("V40", "V36"),
        ("V40", "V44"),
        ("V43", "V44"),
        ("V35", "V43"),
    ] {
        assert!(verify("xe3", &of(pair)).0, "{pair:?}");
    }
    // Platforms without the conversion, other instructions, modifiers and predicates.
    assert!(verify("dg2", &of(("V42", "V44"))).0);
    assert!(verify("pvc", &of(("V41", "V44"))).0);
    assert!(verify("xe3", "add (M1_NM, 16) V40(0,0)<1> V40(0,0)<1;1,0> V40(0,0)<1;1,0>").0);
    assert!(verify("xe3", "max (M1_NM, 16) V41(0,0)<1> V41(0,0)<1;1,0> V41(0,0)<1;1,0>").0);
    assert!(verify("xe3", "and (M1_NM, 16) V41(0,0)<1> V41(0,0)<1;1,0> V41(0,0)<1;1,0>").0);
    assert!(verify("xe3", "mov.sat (M1_NM, 16) V42(0,0)<1> V44(0,0)<1;1,0>").0);
    assert!(verify("xe3", "mov (M1_NM, 16) V40(0,0)<1> (-)V34(0,0)<1;1,0>").0);
    assert_eq!(verify("xe3", "mov.sat (M1_NM, 16) V34(0,0)<1> (-)V40(0,0)<1;1,0>"), (false, 0));
    assert_eq!(verify("xe3", "(P1) mov (M1, 16) V40(0,0)<1> V34(0,0)<1;1,0>"), (false, 1));
}
