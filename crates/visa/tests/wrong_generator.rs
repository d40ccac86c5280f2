//! Faults of the generator: a program built with a wrong generator, whose every wrong fact `visa
//! diff` must find.

use std::path::Path;
use std::process::Command;

/// Change of emitted code, and the expected finding: code, and beginning of the path.
struct Change {
    /// Page, or file of emitted Rust.
    file: &'static str,
    /// Anchor: the first `from` after this text is replaced.
    anchor: &'static str,
    from: &'static str,
    to: &'static str,
    code: &'static str,
    path: &'static str,
}

const fn change(
    file: &'static str,
    anchor: &'static str,
    from: &'static str,
    to: &'static str,
    code: &'static str,
    path: &'static str,
) -> Change {
    Change { file, anchor, from, to, code, path }
}

/// Changes of emitted code, each in another instruction or list.
const EMITTED: &[Change] = &[
    change(
        "instructions.rs",
        "fn decode(r: &mut rt::Reader",
        "0x01 => Add::",
        "0xf7 => Add::",
        "opcode",
        "ADD.opcode",
    ),
    change("instructions.rs", "impl Mad {", "src1: v_src1,", "src1: v_src2.clone(),", "field-", "MAD.Src1"),
    change("instructions.rs", "impl Mad {", "src2: v_src2,", "src2: v_src1,", "field-", "MAD.Src1"),
    change(
        "instructions.rs",
        "impl Dpas {",
        "rt::field::<u8>(\"DPAS\", \"RC\", r, cx)?",
        "rt::field::<u16>(\"DPAS\", \"RC\", r, cx)? as u8",
        "field-width",
        "DPAS.RC",
    ),
    change(
        "instructions.rs",
        "let v_file_name",
        "rt::Version::new(3u8, 4u8)",
        "rt::Version::new(3u8, 5u8)",
        "field-width",
        "FILE.File_name",
    ),
    change(
        "instructions.rs",
        "impl Info {",
        "matches!(v_op, InfoOp::Resinfo)",
        "matches!(v_op, InfoOp::Sampleinfo)",
        "presence",
        "INFO.LOD",
    ),
    change(
        "instructions.rs",
        "impl LscUntypedQuad {",
        "if value as u64\n",
        "if false && value as u64\n",
        "copy-accepted",
        "LSC_UNTYPED.quad.ChMask",
    ),
    change(
        "instructions.rs",
        "impl Switchjmp {",
        "for _ in 0..v_num_labels",
        "for _ in 1..v_num_labels",
        "field-",
        "SWITCHJMP",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for RelOp",
        "0x02 => Self::Gt,",
        "0x02 => Self::Ge,",
        "field-value",
        "Rel_op.0b010",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for MediaModifier",
        "0x05 => Self::BottomMod,",
        "",
        "enumerator-missing",
        "Media_modifier.0b101",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for AddressWidth",
        "0x04 =>",
        "0x04 | 0x05 =>",
        "reserved-accepted",
        "Address_width.0b101",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for LifetimeProperties {",
        "!0x31 != 0",
        "!0x33 != 0",
        "reserved-accepted",
        "LIFETIME.Properties[1]",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for LscFenceOp",
        "0x06 =>",
        "0x06 | 0x07 =>",
        "enumerator-extra",
        "Lsc_fence_op.0b00000111",
    ),
    change(
        "lists.rs",
        "impl SamplerParameter",
        "Self::Mcs => Some(64)",
        "Self::Mcs => Some(32)",
        "column",
        "Sampler_parameter.mcs.Bits",
    ),
    change("text.rs", "impl Frc {", "p.text(\"frc\")", "p.text(\"frac\")", "text-printed", "FRC.Text"),
    change("text.rs", "c.expect(\"lrp\")?", "c.expect(\"lrp\")?", "c.expect(\"lerp\")?", "text-parsed", "LRP.Text"),
    change("text.rs", "pub const MNEMONICS", "\"yield\",", "\"yield\", \"zap\",", "mnemonic-extra", "mnemonic.zap"),
    change(
        "text.rs",
        "fn lsc_untyped_access",
        "let mut f_addr_scale: u16 = 1;",
        "let mut f_addr_scale: u16 = 2;",
        "text-parsed",
        "LSC_UNTYPED.access.AddrScale=1",
    ),
    change("reflection.rs", "static POW:", "DataType::Hf", "DataType::Df", "type-refused", "POW."),
    change(
        "reflection.rs",
        "static MULH:",
        "\"general\", \"indirect\", \"immediate\"",
        "\"general\", \"indirect\"",
        "class-refused",
        "MULH.Src0.immediate",
    ),
    change(
        "reflection.rs",
        "static IFCALL:",
        "Some((0i64, 32i64))",
        "Some((0i64, 33i64))",
        "range-accepted",
        "IFCALL.Arg_size=33",
    ),
    change(
        "reflection.rs",
        "static ROL:",
        "platforms: &[",
        "platforms: &[rt::reflect::Platforms { from: Some(Platform::Skl), before: Some(Platform::Bxt) },",
        "platform-accepted",
        "ROL.platform.skl",
    ),
    change(
        "reflection.rs",
        "static AVG:",
        "saturation: rt::reflect::Saturation::Yes",
        "saturation: rt::reflect::Saturation::No",
        "saturation-refused",
        "AVG.Dst.sat",
    ),
    change(
        "reflection.rs",
        "static SHL:",
        "SourceModifier::Arithmetic",
        "SourceModifier::None",
        "modifier-refused",
        "SHL.Src0.",
    ),
    change(
        "reflection.rs",
        "static MOVS:",
        "Operand(RuleBuiltin::IsState, 1u8)",
        "Operand(RuleBuiltin::IsNull, 1u8)",
        "across-",
        "MOVS.state-operand",
    ),
    change(
        "reflection.rs",
        "static LSC_FENCE:",
        "Op::Number(3i64)",
        "Op::Number(2i64)",
        "across-",
        "LSC_FENCE.fence",
    ),
    change("reflection.rs", "static DPASW:", "\"8\",", "\"4\",", "only-", "DPASW"),
    change("reflection.rs", "static SHR:", "dst: &[", "dst: &[DataType::F, ", "type-map-accepted", "SHR.map.F"),
    change(
        "structures.rs",
        "impl rt::Wire for GenBinaryInfo",
        "Ok(<u8 as rt::Wire>::decode(r, cx)?)",
        "Ok(<u16 as rt::Wire>::decode(r, cx)? as u8)",
        "member-width",
        "gen_binary_info.gen_platform",
    ),
    change("tables.rs", "pub mod limits", "SAMPLERS: u32 = 128", "SAMPLERS: u32 = 127", "column", "limit.samplers"),
    change("tables.rs", "name: \"%sp\"", "%sp", "%stack", "predefined-name", "predefined.%sp"),
    change("tables.rs", "Self::Bf => 16u32", "16u32", "32u32", "data-type", "Data_type.BF"),
    change("tables.rs", "name: \"NBarrierCnt\"", "\"1, 4\"", "\"1, 2\"", "attribute", "attribute.NBarrierCnt"),
    change("tables.rs", "Self::Pvcxt => 64u32", "64u32", "32u32", "platform-registers", "platform.pvcxt.registers"),
];

/// Copies the package with a build script that corrupts emitted facts of every kind at once.
#[test]
fn a_wrong_generator_is_found() {
    if !visakit_testing::may_build("a_wrong_generator_is_found") {
        return;
    }
    let dir = visakit_testing::scratch("impl_diff_build");
    for part in [
        "Cargo.toml",
        "Cargo.lock",
        "build.rs",
        "README.md",
        "src",
        "codegen",
        "crates",
        "spec",
        "benches",
        "examples",
    ] {
        copy(&visakit_testing::root().join(part), &dir.join(part));
    }
    let build = std::fs::read_to_string(dir.join("build.rs")).unwrap();
    let wrong = build
        .replace("fs::write(out.join(file.name), text)", "fs::write(out.join(file.name), corrupt(file.name, text))");
    assert_ne!(wrong, build);
    let rows: String =
        EMITTED.iter().map(|c| format!("({:?}, {:?}, {:?}, {:?}),\n", c.file, c.anchor, c.from, c.to)).collect();
    let corrupt = format!(
        "\nfn corrupt(name: &str, mut text: String) -> String {{\n\
         let rows: &[(&str, &str, &str, &str)] = &[{rows}];\n\
         for (file, anchor, from, to) in rows.iter().filter(|r| r.0 == name) {{\n\
         let start = text.find(anchor).unwrap_or_else(|| panic!(\"{{file}}: no {{anchor}}\"));\n\
         let at = text[start..].find(from).unwrap_or_else(|| panic!(\"{{file}}: no {{from}} behind {{anchor}}\"));\n\
         text.replace_range(start + at..start + at + from.len(), to);\n}}\ntext\n}}\n"
    );
    std::fs::write(dir.join("build.rs"), wrong + &corrupt).unwrap();
    // Shares the built dependencies with the other test that rebuilds the package.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new_page_target");
    let status = visakit_testing::cargo("build", &target)
        .args(["--quiet", "--bin", "visa", "--config", "profile.dev.package.visakit.opt-level=0"])
        .current_dir(&dir)
        .status()
        .unwrap();
    assert!(status.success());
    let output = Command::new(target.join("debug/visa"))
        .args(["diff", "--no-behaviour", "--format", "json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let all: Vec<(String, String)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            let text = |v: &serde_json::Value| v.as_str().unwrap_or("").to_owned();
            (text(&f["code"]), text(&f["path"]))
        })
        .collect();
    let lost: Vec<_> = EMITTED
        .iter()
        .filter(|c| !all.iter().any(|(code, path)| code.starts_with(c.code) && path.starts_with(c.path)))
        .map(|c| format!("{} {}", c.code, c.path))
        .collect();
    assert!(lost.is_empty(), "not found:\n{}\nfound:\n{all:#?}", lost.join("\n"));
    // Only corrupted facts are reported; a consequence is reported at the same instruction or list.
    let named = ["kernel-missing", "opcode-extra", "predefined-name"];
    let head = |path: &str| path.split(['.', '=', '[', '*', ':', '@']).next().unwrap_or("").to_owned();
    let known: Vec<String> = EMITTED.iter().map(|c| head(c.path)).collect();
    let others: Vec<_> = all
        .iter()
        .filter(|(code, path)| !named.contains(&code.as_str()) && !known.contains(&head(path)))
        // A type of another size changes every operand of that type, and every rule about element
        // sizes.
        .filter(|(_, path)| !path.ends_with(".BF") && !path.contains("-elements."))
        // A limit changes what can be declared. The size of registers changes that, and regions.
        .filter(|(code, path)| !path.starts_with("declared.") && code != "region-refused")
        .collect();
    assert!(others.is_empty(), "{others:#?}");
    visakit_testing::remove_build(&target);
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        copy(&path, &to.join(path.file_name().unwrap()));
    }
}
