//! Texts of the vendor's newer printers: their forms are read, told apart from older ones, kept by objects and printed.

use visakit::object::Object;
use visakit::text::{Options, Style, parse, print};

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

/// Assembles a text, writes and reads the object, and returns its text without comments.
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

#[test]
fn older_texts_come_back_as_they_were() {
    comes_back("4.1", &["lsc_load.ugm (M1, 16)  V32:d8c32  flat[V33]:a64"]);
    comes_back("4.1", &["load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 V35.0 V36.0"]);
    // Both spellings are read in every text; the version says which one is printed.
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
    // A null with another offset is of neither form.
    refused("4.1", &["load_lz.RGBA (M1, 16)  0x0:uw T6 V34.0 %null.8 V35.0 V36.0"], 44, "other than null");
}

#[test]
fn what_only_texts_have_comes_back() {
    comes_back("4.1", &["ifcall.uniform (M1, 16) V37(0,0)<0;1,0> 2 1"]);
    comes_back("4.1", &["ifcall.uniform.noreturn (M1, 16) V37(0,0)<0;1,0> 2 1"]);
    comes_back("4.2", &["lsc_load.ugm.ca.ca.uc.ov (M1, 16)  V32:d32  flat[V33]:a64"]);
    comes_back("4.2", &["lsc_load.ugm.ca.cc (M1, 16)  V32:d32  flat[V33]:a64"]);
    comes_back("4.2", &["lsc_store.ugm.wb.wb.uc (M1, 16)  flat[V33]:a64  V32:d32"]);
    comes_back("4.2", &["lsc_load.ugm (M1, 16)  V32:d32  flat(V37)[0x4*V35]:a32u"]);
    comes_back("4.2", &["lsc_load_block2d.ugm (M1, 1)  V34:d16.16x8nn  flat[V32 + (4,-2)]"]);
    comes_back("4.2", &["lsc_load_block2d.ugm (M1, 1)  V34:d16.16x8nn  flat[V37,0x77,0x1D,0x7F,V38,V38]"]);
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
        // The object says what its marks do not: it cannot be written.
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
