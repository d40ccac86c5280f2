//! Layouts of pictures, compared with layouts that are computed here.

use visakit::isa::Platform;
use visakit_codegen::model::{Model, Page};
use visakit_oracle::eval::{self, Assignment, Setting};

use super::{MEMORY, STATEMENTS, matrix, of, of_line, trace};

fn model() -> Model {
    visakit_codegen::read_texts(visakit::sources::SPECIFICATION.iter().map(Page::built_in).collect()).0
}

fn setting(platform: Platform) -> Setting {
    Setting { platform, cr0: None, active: u32::MAX }
}

fn variables(all: &[&str]) -> Vec<Assignment> {
    all.iter().map(|one| one.parse().unwrap()).collect()
}

/// Returns the origin in memory of each byte of the variable `D`, which is declared first.
fn loaded(model: &Model, statement: &str) -> Vec<Option<usize>> {
    let mut found = Vec::new();
    let variables = variables(&["D=ud", "A=uq:0x100000000"]);
    eval::prepare(
        statement,
        &variables,
        setting(Platform::from_name("pvc").unwrap()),
        &mut |stage, thread, instruction, _| {
            let program = stage.by_page(model, instruction).map_err(|why| why.to_string())?;
            let start = stage.offset(visakit::isa::GeneralId(visakit::isa::predefined::DECLARED)).unwrap() as usize;
            let scene = trace::Scene { program: &program, thread, memory: MEMORY };
            found = scene.origins(&trace::Side::Memory, &trace::Side::Registers(start..start + 2048))?;
            Ok(())
        },
    )
    .unwrap_or_else(|found| panic!("{statement}: {}", found.message));
    found
}

/// Rectangles of two-byte elements: plain, and with interleaved rows; and of dwords, transposed.
#[test]
fn rectangles_are_where_they_should_be() {
    let model = model();
    let surface = "flat[A, 0x3F, 0xF, 0x3F, 0x0, 0x0]";
    let plain = loaded(&model, &format!("lsc_load_block2d.ugm (M1, 1) D:d16.16x8nn {surface}"));
    let vnni = loaded(&model, &format!("lsc_load_block2d.ugm (M1, 1) D:d16.16x16nt {surface}"));
    let transposed = loaded(&model, &format!("lsc_load_block2d.ugm (M1, 1) D:d32.8x8tn {surface}"));
    let two = loaded(&model, &format!("lsc_load_block2d.ugm (M1, 1) D:d16.2x8x4nn {surface}"));
    for (row, column) in (0..8).flat_map(|row| (0..16).map(move |column| (row, column))) {
        assert_eq!(plain[(row * 16 + column) * 2], Some(row * 64 + column * 2), "plain {row} {column}");
    }
    for (row, column) in (0..16).flat_map(|row| (0..16).map(move |column| (row, column))) {
        let at = (row / 2 * 16 + column) * 4 + row % 2 * 2;
        assert_eq!(vnni[at], Some(row * 64 + column * 2), "vnni {row} {column}");
    }
    for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
        assert_eq!(transposed[(column * 8 + row) * 4], Some(row * 64 + column * 4), "transposed {row} {column}");
    }
    // The second rectangle begins at a register and stands to the right of the first.
    assert_eq!((two[0], two[64], two[8 * 2]), (Some(0), Some(16), Some(64)));
    assert_eq!(plain.iter().flatten().count(), 256);
}

/// Layouts of matrices for types of 16, 8 and 4 bits, and of mixed width.
#[test]
fn matrices_are_where_they_should_be() {
    let model = model();
    for (name, wide, ops, result) in
        [("bf.bf", [16, 16], 2, "f"), ("s8.u8", [8, 8], 4, "d"), ("u4.s4", [4, 4], 8, "d"), ("s4.s8", [4, 8], 4, "d")]
    {
        let (depth, repeats, lanes) = (8, 3, 16);
        let statement = format!("dpas.{name}.{depth}.{repeats} (M1, 16) D.0 C.0 B.0 A(0,0)");
        let variables = variables(&[&format!("D={result}"), &format!("C={result}"), "B=ud", "A=ud"]);
        eval::prepare(
            &statement,
            &variables,
            setting(Platform::from_name("pvc").unwrap()),
            &mut |stage, thread, instruction, _| {
                let program = stage.by_page(&model, instruction).map_err(|why| why.to_string())?;
                let shape = matrix::Shape::of(instruction).unwrap();
                let found = matrix::find(&program, thread, &shape)?;
                let inner = depth * ops;
                let rows: Vec<_> = found.rows[0].iter().flatten().copied().collect();
                let expected: Vec<_> = (0..repeats).flat_map(|m| (0..inner).map(move |k| (m, k))).collect();
                assert_eq!(rows, expected, "{name}");
                let expected: Vec<_> = (0..repeats).flat_map(|m| (0..lanes).map(move |n| Some((m, n)))).collect();
                assert_eq!(found.result, expected, "{name}");
                // Each dword of a channel has the next elements of its column.
                let dword = 32 / wide[0];
                for (k, n) in (0..inner).flat_map(|k| (0..lanes).map(move |n| (k, n))) {
                    let at = (k / dword * lanes + n) * dword + k % dword;
                    assert_eq!(found.columns[at], Some((k, n)), "{name}: {k} {n}");
                }
                Ok(())
            },
        )
        .unwrap_or_else(|found| panic!("{statement}: {}", found.message));
    }
}

/// A scale belongs to up to 32 inner elements of a column or row. The second group begins 32 bytes
/// after the first.
#[test]
fn scales_are_where_they_should_be() {
    let model = model();
    let variables = variables(&["D=f", "C=f", "B=ud", "A=ud", "S=ub", "T=ub"]);
    let setting = setting(Platform::from_name("xe3p").unwrap());
    for (name, inner, start) in [("bf.bf", 16, 48), ("hf8.bf8", 32, 32), ("e2m1.e2m1", 64, 16)] {
        let statement = format!("bdpas.{name}.8.8 (M1, 16) D.0 C.0 B.0 A.0 S(0,{start}) T(0,8)");
        eval::prepare(&statement, &variables, setting, &mut |stage, thread, instruction, _| {
            let program = stage.by_page(&model, instruction).map_err(|why| why.to_string())?;
            let found = matrix::find(&program, thread, &matrix::Shape::of(instruction).unwrap())?;
            for (scales, lines) in found.scales.iter().zip([16, 8]) {
                for (byte, scaled) in scales.iter().enumerate() {
                    let (group, line) = (byte / 32 * 32, byte % 32);
                    let elements = (group..inner.min(group + 32)).filter(|_| line < lines);
                    assert_eq!(*scaled, elements.map(|k| (line, k)).collect(), "{name}: byte {byte}");
                }
            }
            Ok(())
        })
        .unwrap_or_else(|found| panic!("{statement}: {}", found.message));
    }
}

/// Two fused threads have each half of the rows.
#[test]
fn fused_threads_share_the_rows() {
    let model = model();
    let variables = variables(&["D=f", "C=f", "B=ud", "A=ud"]);
    let setting = setting(Platform::from_name("dg2").unwrap());
    for repeats in [2_usize, 3, 4, 8] {
        let statement = format!("dpasw.hf.hf.8.{repeats} (M1, 8) D.0 C.0 B.0 A(0,0)");
        eval::prepare(&statement, &variables, setting, &mut |stage, thread, instruction, _| {
            let program = stage.by_page(&model, instruction).map_err(|why| why.to_string())?;
            let shape = matrix::Shape::of(instruction).unwrap();
            let found = matrix::find(&program, thread, &shape)?;
            let [first, second] = &found.rows[..] else { panic!("{} threads", found.rows.len()) };
            let rows = |places: &[Option<(usize, usize)>]| places.iter().flatten().copied().collect::<Vec<_>>();
            let (first, second) = (rows(first), rows(second));
            // A row of 16 elements of 16 bits is one register.
            let half = repeats.div_ceil(2);
            let all = |range: std::ops::Range<usize>| range.flat_map(|m| (0..16).map(move |k| (m, k))).collect();
            assert_eq!((first, second), (all(0..half), all(half..repeats)), "{repeats}");
            Ok(())
        })
        .unwrap_or_else(|found| panic!("{statement}: {}", found.message));
    }
}

/// Each channel uses its own elements of the payload, and the colours follow one after another.
#[test]
fn payloads_are_where_they_should_be() {
    let model = model();
    let shown = |platform: &str, variables: &str, statement: &str| {
        let line = format!("{platform} | {variables} | {statement}");
        let pictures = of_line(&model, &line, None).unwrap_or_else(|why| panic!("{line}: {why}"));
        let file = pictures[0].svg.file();
        let texts = file.split("</text>").filter_map(|part| part.rsplit_once('>'));
        texts.map(|(_, text)| text.to_owned()).collect::<Vec<_>>()
    };
    let cells = |lanes: usize, names: &[&str]| {
        let line = |(number, name): (usize, &&str)| {
            let cells = (0..lanes).flat_map(|lane| [lane.to_string(), (*name).to_owned()]);
            std::iter::once(format!("reg {number}")).chain(cells).collect::<Vec<_>>()
        };
        names.iter().enumerate().flat_map(line).collect::<Vec<_>>()
    };
    let has = |texts: &[String], part: &[String]| texts.windows(part.len()).any(|window| window == part);
    let colours = ["red", "green", "blue", "alpha"];
    let coordinates = ["u", "v", "r"].map(|one| format!("src0addrs{one}"));
    let coordinates = coordinates.each_ref().map(String::as_str);
    for (platform, lanes, variables, statement, read, written) in [
        (
            "dg2",
            8,
            "T=t S=s P=f D=f",
            "sample_d.RGBA (M1, 8) 0x0:uw S T D.0 %null.0 P.0 P.32 P.64 P.96 P.128 P.160",
            &["u", "dudx", "dudy", "v", "dvdx", "dvdy"][..],
            &colours[..],
        ),
        (
            "dg2",
            8,
            "T=t P=d D=f",
            "load_3d.RB (M1, 8) 0x0:uw T D.0 %null.0 P.0 P.32 P.64",
            &["u", "v", "lod"],
            &["red", "blue"],
        ),
        (
            "dg2",
            8,
            "T=t U=ud D=f",
            "gather4_typed.RGBA (M1, 8) T U.0 U.32 U.64 U.96 D.0",
            &["u", "v", "r", "lod"],
            &colours,
        ),
        // A store reads the colours too.
        (
            "dg2",
            8,
            "T=t U=ud D=f",
            "scatter4_typed.GA (M1, 8) T U.0 U.32 U.64 U.96 D.0",
            &["u", "v", "r", "lod"],
            &["green", "alpha"],
        ),
        (
            "pvc",
            16,
            "P=ud D=ud",
            "lsc_load_quad.tgm (M1, 16) D:d32.xyzw bti(0x4)[P,P.64,P.128]:a32",
            &coordinates,
            &colours,
        ),
    ] {
        let texts = shown(platform, variables, statement);
        assert!(has(&texts, &cells(lanes, read)) && has(&texts, &cells(lanes, written)), "{statement}: {texts:?}");
    }
    // The level follows from four pixels, whose coordinates each of them uses.
    let texts = shown("dg2", "T=t S=s P=f D=f", "sample_3d.R (M1, 8) 0x0:uw S T D.0 %null.0 P.0 P.32");
    assert!(texts.iter().any(|text| text == "0–3") && texts.iter().any(|text| text == "4–7"), "{texts:?}");
}

/// Every statement of the list is drawn, and on the page of its instruction.
#[test]
fn every_statement_has_a_picture() {
    let model = model();
    for line in STATEMENTS.lines().filter(|line| !line.starts_with('#')) {
        let pictures = of_line(&model, line, None).unwrap_or_else(|why| panic!("{line}: {why}"));
        let [picture] = &pictures[..] else { panic!("{line} has {} pictures", pictures.len()) };
        let file = picture.svg.file();
        assert!(file.starts_with("<svg xmlns=") && file.matches("<path").count() > 16, "{line}");
        assert!(model.instructions.iter().any(|one| one.name == picture.page), "{line}");
    }
    assert!(of(&model, "ADD").len() == 1 && of(&model, "YIELD").is_empty());
}

/// A region's picture shows the element that each channel reads: the tags that a move copies.
#[test]
fn regions_agree_with_moves() {
    let model = model();
    for region in ["<8;4,2>", "<0;1,0>", "<4;1,0>", "<2;2,1>"] {
        let statement = format!("mov (M1, 16) D(0,0)<1> S(0,1){region}");
        let setting = setting(Platform::from_name("pvc").unwrap());
        eval::prepare(&statement, &variables(&["D=ud", "S=ud"]), setting, &mut |stage, thread, instruction, _| {
            let program = stage.by_page(&model, instruction).map_err(|why| why.to_string())?;
            let register = |operand, channel| match program.stands_at(operand, channel, thread) {
                Some(visakit_oracle::Target::Register(at, _)) => at as usize,
                other => panic!("{other:?}"),
            };
            let operands = program.operands();
            let written = operands.iter().position(|one| one.written).unwrap();
            let read = operands.iter().position(|one| !one.written && one.bits == 32 && one.name != "Pred").unwrap();
            let source = register(read, 0) / 64 * 64;
            let scene = trace::Scene { program: &program, thread, memory: 4 };
            let file = trace::Side::Registers(0..stage.register_bytes());
            let origins = scene.origins(&trace::Side::Registers(source..source + 512), &file)?;
            for channel in 0..16 {
                let copied = origins[register(written, channel)].map(|at| at + source);
                assert_eq!(copied, Some(register(read, channel)), "{region}, channel {channel}");
            }
            Ok(())
        })
        .unwrap_or_else(|found| panic!("{statement}: {}", found.message));
    }
}
