//! Planted changes of whole specifications: each is found with its class and at its lines, without
//! other findings. Reformatting a page changes nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use visakit_codegen::model::Model;
use visakit_spec_tools::diff::{Cause, Change, Class, causes, diff};

/// Planted change: file, text, replacement, and the expected entries: class, kind, path.
struct Plant(&'static str, &'static str, &'static str, &'static [Entry]);

type Entry = (Class, &'static str, &'static str);

use Class::{Narrowed as N, TextOnly as T, Widened as O, WireBreaking as W};

/// Changes of our pages, one of each kind.
const OURS: &[Plant] = &[
    // Opcodes and names.
    Plant("instructions/ADD.md", "ADD = 0x01", "ADD = 0xf1", &[(W, "opcode", "ADD")]),
    Plant("instructions/SVM_GATHER.md", "GATHER = 0x03", "GATHER = 0x0e", &[(W, "opcode", "SVM_GATHER")]),
    Plant("instructions/ADD.md", "ADD = 0x01", "SUM = 0x01", &[(T, "instruction-renamed", "SUM")]),
    Plant("instructions/VA.md", "Kind: umbrella", "Kind: reserved", &[(T, "kind", "VA")]),
    // Fields.
    Plant("instructions/ADD.md", "| Src0 | Src1 |", "| Src1 | Src0 |", &[(W, "order", "ADD.Src1")]),
    Plant("instructions/ADD.md", "**Pred(uw):**", "**Pred(ud):**", &[(W, "width", "ADD.Pred")]),
    Plant("instructions/OWORD_ST.md", "**Surface(ub)", "**Surface(b)", &[(W, "type", "OWORD_ST.Surface")]),
    Plant("instructions/ADD.md", "**Src1(vec_operand)", "**Src1(raw_operand)", &[(W, "type", "ADD.Src1")]),
    Plant("instructions/ADD.md", " Predication control", " A number", &[(O, "values", "ADD.Pred")]),
    Plant(
        "instructions/OWORD_ST.md",
        "Index of the surface variable",
        "Index of the sampler variable",
        &[(W, "values", "OWORD_ST.Surface")],
    ),
    Plant(
        "instructions/GATHER.md",
        "Ignored; a read",
        "Must be zero; a read",
        &[(N, "values", "GATHER.Is_modified"), (T, "description", "GATHER.Is_modified")],
    ),
    // Conditions.
    Plant(
        "instructions/RT_WRITE.md",
        "Present only if Mode.SI=1",
        "Present only if Mode.CPS=1",
        &[(W, "presence", "RT_WRITE.SI")],
    ),
    Plant("instructions/RT_WRITE.md", ". Present only if Mode.SI=1", "", &[(W, "presence", "RT_WRITE.SI")]),
    Plant("instructions/3D_LOAD.md", ". Repeated NumParams times", "", &[(W, "presence", "3D_LOAD.Params")]),
    Plant(
        "instructions/LSC_UNTYPED.md",
        "- LscSubOp=lsc_load_strided, lsc_store_strided",
        "- LscSubOp=lsc_load_strided",
        &[(N, "condition", "LSC_UNTYPED.LscSubOp.0x5")],
    ),
    Plant("instructions/WAIT.md", "{3.1+}", "{3.2+}", &[(W, "condition", "WAIT")]),
    // Legality.
    Plant(
        "instructions/ADD.md",
        "The sums. Operand class: general, indirect",
        "The sums. Operand class: general",
        &[(N, "operand-class", "ADD.Dst.indirect")],
    ),
    Plant(
        "instructions/ADD.md",
        "The sums. Operand class: general, indirect",
        "The sums. Operand class: general, indirect, address",
        &[(O, "operand-class", "ADD.Dst.address")],
    ),
    Plant(
        "instructions/ADD.md",
        "The sums. Operand class: general, indirect",
        "The sums",
        &[(O, "operand-class", "ADD.Dst")],
    ),
    Plant("instructions/ADDC.md", "Access: write", "Access: read, write", &[(T, "access", "ADDC.Carry")]),
    Plant(
        "instructions/GATHER.md",
        "The elements read. Must have type UD, D, F",
        "The elements read. Must have type UD, D",
        &[(N, "type", "GATHER.Dst.F")],
    ),
    Plant(
        "instructions/GATHER.md",
        "The elements read. Must have type UD, D, F",
        "The elements read. Must have type UD, D, HF",
        &[(N, "type", "GATHER.Dst.F"), (O, "type", "GATHER.Dst.HF")],
    ),
    Plant("instructions/3D_LOAD.md", "[1-15]", "[1-16]", &[(O, "range", "3D_LOAD.NumParams")]),
    Plant(
        "instructions/3D_LOAD.md",
        "[1-15]",
        "[2-16]",
        &[(N, "range", "3D_LOAD.NumParams"), (O, "range", "3D_LOAD.NumParams")],
    ),
    Plant("instructions/3D_LOAD.md", ". Must not be zero", "", &[(O, "range", "3D_LOAD.Channels")]),
    Plant(
        "instructions/3D_LOAD.md",
        "Only size: 8, 16, 32",
        "Only size: 8, 16",
        &[(N, "enumerator-removed", "3D_LOAD.Exec_size.size.0b101")],
    ),
    Plant("instructions/LSC_TYPED.md", "Default 0x80", "Default 0x81", &[(T, "default", "LSC_TYPED.Exec_size")]),
    // Bits and enumerators.
    Plant(
        "instructions/GATHER.md",
        "| 0b10 | 4 | 4 |",
        "| 0b10 | 16 | 4 |",
        &[(W, "enumerator", "GATHER.Elt_size.0b10")],
    ),
    Plant(
        "instructions/GATHER.md",
        "| 0b11 | reserved | |\n\n  - Bit[7..2]",
        "| 0b11 | 8 | 8 |\n\n  - Bit[7..2]",
        &[(O, "enumerator-added", "GATHER.Elt_size.0b11")],
    ),
    Plant(
        "instructions/GATHER.md",
        "| 0b10 | 4 | 4 |",
        "| 0b10 | reserved | 4 |",
        &[(N, "enumerator-removed", "GATHER.Elt_size.0b10")],
    ),
    Plant(
        "instructions/GATHER.md",
        "  - Bit[1..0] (elts)",
        "  - Bit[2..0] (elts)",
        &[(W, "bits", "GATHER.Num_elts.elts")],
    ),
    Plant("instructions/GATHER.md", "(elts)", "(count)", &[(T, "part-renamed", "GATHER.Num_elts.count")]),
    Plant(
        "instructions/3D_LOAD.md",
        "ld_mcs \"load_mcs\"",
        "ld_mcs \"load_m\"",
        &[(T, "text", "3D_LOAD.Op.op.0x1d")],
    ),
    Plant(
        "instructions/3D_LOAD.md",
        "\".pixel_null_mask\"",
        "\".pnm\"",
        &[(T, "text", "3D_LOAD.Op.pixel_null_mask")],
    ),
    Plant("lists.md", "| 0b0111 | M8 |", "| 0b0111 | M9 |", &[(T, "enumerator-renamed", "Exec_mask.0b0111")]),
    Plant("lists.md", "| 0b011 | 8 |", "| 0b011 | 9 |", &[(W, "enumerator", "Exec_size.size.0b011")]),
    // Columns.
    Plant("lists.md", "| M8 | 28 |", "| M8 | 24 |", &[(W, "cell", "Exec_mask.0b0111.First_channel")]),
    Plant("lists.md", "| M8 | 28 | no |", "| M8 | 28 | yes |", &[(W, "cell", "Exec_mask.0b0111.NoMask")]),
    Plant("lists.md", "uc, wb | uc, wb | not", "uc, wb | uc | not", &[(W, "cell", "Lsc_caching.0x01.Atomics")]),
    Plant(
        "lists.md",
        "| signed | 2 bits, signed",
        "| float | 2 bits, signed",
        &[(W, "cell", "Precision.0x04.Class")],
    ),
    Plant("2_datatypes.md", "| D | signed |", "| D | unsigned |", &[(W, "cell", "D.Class")]),
    Plant("4_object_format.md", "| T0 | slm |", "| T0 | stateless |", &[(W, "cell", "%slm.Entry")]),
    Plant(
        "lists.md",
        "| Elements | Destination |",
        "| Elements | Written |",
        &[(T, "column-added", "Stride.Written"), (T, "column-removed", "Stride.Destination")],
    ),
    Plant(
        "instructions/GATHER.md",
        "| Code | Name | Channels |",
        "| Code | Name | Lanes |",
        &[(T, "column-added", "GATHER.Num_elts.elts.Lanes"), (T, "column-removed", "GATHER.Num_elts.elts.Channels")],
    ),
    Plant(
        "lists.md",
        "- 0b10: all - all channels are enabled if all elements of the predicate are set\n- 0b11: reserved",
        "- 0b10: reserved\n- 0b11: all - all channels are enabled if all elements of the predicate are set",
        &[(W, "enumerator", "Combine.0b10")],
    ),
    Plant("lists.md", "- Bit[12]: Must be zero", "- Bit[12] (more): more", &[(O, "part-added", "Predicate.more")]),
    Plant("lists.md", "`[!<mask>, ]<size>`", "`[!<mask>,]<size>`", &[(T, "text", "Exec_size.Text")]),
    Plant("lists.md", "enabled if any element", "enabled if one element", &[(T, "prose", "Combine.0b01")]),
    // Properties and platforms.
    Plant("instructions/ADD.md", "**Saturation:** Yes", "**Saturation:** No", &[(N, "property", "ADD.Saturation")]),
    Plant(
        "instructions/ADD.md",
        "**Source Modifier:** arithmetic",
        "**Source Modifier:** false",
        &[(N, "property", "ADD.Source_Modifier")],
    ),
    Plant(
        "instructions/ADD.md",
        "**Source Modifier:** arithmetic",
        "**Source Modifier:** logic",
        &[(N, "property", "ADD.Source_Modifier"), (O, "property", "ADD.Source_Modifier")],
    ),
    Plant(
        "instructions/OWORD_ST.md",
        "the data is dropped",
        "the data is lost",
        &[(T, "property", "OWORD_ST.Out-of-bound_Access")],
    ),
    Plant(
        "instructions/ADD.md",
        "**Supported Types:** B, UB",
        "**Supported Types:** UB",
        &[(N, "type", "ADD.Supported_Types.B")],
    ),
    Plant("instructions/ADD.md", "{XEHP+}{-MTL}BF", "{DG2+}{-MTL}BF", &[(N, "platform", "ADD.Supported_Types.BF")]),
    Plant(
        "instructions/ADD.md",
        "**Type map{XEHP+}{-MTL}**",
        "**Type map{TGLLP+}{-MTL}**",
        &[(O, "platform", "ADD.Type_map")],
    ),
    Plant(
        "instructions/ADD.md",
        "  - **Dst types:** HF, F\n",
        "  - **Dst types:** HF, F, BF\n",
        &[(O, "type-map", "ADD.Type_map.Dst.BF")],
    ),
    Plant("instructions/NBARRIER.md", "{PVC+}", "{DG2+}", &[(O, "platform", "NBARRIER")]),
    Plant(
        "instructions/NBARRIER.md",
        "- **Platforms:** {PVC+}",
        "- **Platforms:** {SKL}",
        &[(N, "platform", "NBARRIER"), (O, "platform", "NBARRIER")],
    ),
    // Text.
    Plant("instructions/ADD.md", "<dst> <src0> <src1>", "<dst>, <src0> <src1>", &[(T, "text", "ADD.Text")]),
    Plant(
        "instructions/ADD.md",
        "<src0> <src1>\n```",
        "<src0> <src1>\nADD <dst> <src0> <src1>\n```",
        &[(O, "text", "ADD.Text")],
    ),
    // Prose.
    Plant("instructions/ADD.md", "src0[i] + src1[i]", "src0[i] + src1[0]", &[(T, "semantics", "ADD.Semantics")]),
    Plant("instructions/ADD.md", "channel by channel", "all at once", &[(T, "description", "ADD.Description")]),
    Plant("instructions/ADD.md", "infinite addend", "infinite operand", &[(T, "notes", "ADD.Notes")]),
    Plant("instructions/ADD.md", "The second addend", "One more addend", &[(T, "description", "ADD.Src1")]),
    Plant(
        "instructions/ADD.md",
        "## Notes",
        "## Examples\n\n```\nadd (8) V1 V2 V3\n```\n\n## Notes",
        &[(T, "examples", "ADD.Examples")],
    ),
    Plant(
        "instructions/GATHER.md",
        "number of channels\n",
        "how many channels\n",
        &[(T, "description", "GATHER.Num_elts.Bit[1..0]")],
    ),
    Plant(
        "3_execution_model.md",
        "operates on up to 32\nchannels",
        "operates on up to 64\nchannels",
        &[(T, "prose", "3_execution_model.Execution model")],
    ),
    Plant("3_execution_model.md", "## Goto", "## Jumps", &[(T, "prose", "3_execution_model.Jumps")]),
    Plant("6_instructions.md", "[AVG - mean of two", "[AVG - average of two", &[(T, "index", "AVG.index")]),
    // Chapters.
    Plant("2_datatypes.md", "| signed word | 16 ", "| signed word | 32 ", &[(W, "width", "W")]),
    Plant("2_datatypes.md", "| 0b1111 | BF |", "| 0b11111 | BF |", &[(W, "type", "BF")]),
    Plant("2_datatypes.md", "[0, 65535]", "[0, 65536]", &[(T, "prose", "UW")]),
    Plant(
        "platforms.md",
        "| pvcxt | pvc_xt, pvc-xt | 15 | - | 64 |",
        "| pvcxt | pvc_xt, pvc-xt | 15 | | 32 |",
        &[(W, "width", "pvcxt")],
    ),
    Plant(
        "platforms.md",
        "| chv | bsw, gen8lp |",
        "| chv | bsw, gen8lp, brw |",
        &[(O, "platform", "chv.Aliases.brw")],
    ),
    Plant(
        "4_object_format.md",
        "| %tsc | tsc | UD | 5 | 5 |",
        "| %tsc | tsc | UD | 6 | 6 |",
        &[(O, "range", "%tsc.Elements")],
    ),
    Plant("4_object_format.md", "| %tsc | tsc | UD |", "| %tsc | tsc | UW |", &[(W, "type", "%tsc")]),
    Plant("4_object_format.md", "the thread's column in", "the column of the thread in", &[(T, "prose", "1")]),
    Plant(
        "4_object_format.md",
        "  UD size;\n  UD input_offset;",
        "  UD input_offset;\n  UD size;",
        &[(W, "order", "kernel_info.input_offset")],
    ),
    Plant(
        "4_object_format.md",
        "  UD input_offset;",
        "  UW input_offset;",
        &[(W, "width", "kernel_info.input_offset")],
    ),
    Plant("4_object_format.md", "  UD input_offset;\n", "", &[(W, "field-removed", "kernel_info.input_offset")]),
    Plant(
        "4_object_format.md",
        "- **num_kernels:** Number of kernels",
        "- **num_kernels:** How many kernels",
        &[(T, "prose", "common_isa_header.num_kernels")],
    ),
    // Conditions.
    Plant(
        "verification.md",
        "`exec_size == 1` | boolean",
        "`exec_size <= 2` | boolean",
        &[(N, "rule", "flag-channels.Must"), (O, "rule", "flag-channels.Must")],
    ),
    Plant("verification.md", " && blockheight > 0`", "`", &[(O, "rule", "empty-block.Must")]),
    Plant(
        "verification.md",
        "`!is_null(surface)`",
        "`!is_null(surface) && exec_size > 1`",
        &[(N, "rule", "null-surface.Must")],
    ),
    Plant("verification.md", "| `!lsc_block` |", "| |", &[(N, "rule", "flat-typed.When")]),
    Plant("verification.md", "| `!lsc_block` |", "| `!lsc_block && lsc_loads` |", &[(O, "rule", "flat-typed.When")]),
    Plant("verification.md", "| {-SKL} |", "| |", &[(N, "rule", "pixel-mask.Platforms")]),
    Plant("verification.md", "3D_SAMPLE, 3D_LOAD, ", "3D_SAMPLE, ", &[(O, "rule", "pixel-mask.3D_LOAD")]),
    Plant("verification.md", "| `random-mask` |", "| `round-mask` |", &[(T, "rule-renamed", "round-mask")]),
    Plant("verification.md", "| message, warning |", "| |", &[(N, "rule", "flat-channels.Finding")]),
    Plant(
        "verification.md",
        "`exec_size <= 16` | message",
        "`exec_size <= 8` | message",
        &[(T, "rule", "flat-channels.Must")],
    ),
    Plant(
        "verification.md",
        "| `random-mask` | SRND | | | `no_mask` | | the instruction needs NoMask |\n",
        "",
        &[(O, "rule-removed", "random-mask")],
    ),
    Plant(
        "verification.md",
        "| `random-mask` |",
        "| `even` | SRND | | | `exec_size > 1` | | more than one |\n| `random-mask` |",
        &[(N, "rule-added", "even")],
    ),
    Plant(
        "verification.md",
        "block_width <= 8 ? 32",
        "block_width <= 9 ? 32",
        &[(N, "rule", "media_rows"), (O, "rule", "media_rows")],
    ),
    Plant("verification.md", "| CBIT, FBH, FBL | |", "| CBIT, FBH | |", &[(O, "rule", "no-quad.FBL")]),
    // Accepted violations, groups and checks.
    Plant(
        "verification.md",
        "| `address-operand` | class | MOV |",
        "| `address-operand` | class | MOV, SEL |",
        &[(O, "rule", "address-operand.SEL")],
    ),
    Plant(
        "verification.md",
        "page-type | logic, -ROL, -ROR |",
        "page-type | logic, -ROL |",
        &[(O, "rule", "integer-bits.-ROR")],
    ),
    Plant("verification.md", "| `is_address(it)` |", "| |", &[(O, "rule", "address-operand.When")]),
    Plant(
        "verification.md",
        "| `zero-stride` | region |",
        "| `zero-stride` | stride |",
        &[(T, "rule", "zero-stride.Finding")],
    ),
];

/// Changes of the vendor's pages, which spell facts differently.
const VENDOR: &[Plant] = &[
    Plant("instructions/ADD.md", "ADD = 0x01", "ADD = 0xf1", &[(W, "opcode", "ADD")]),
    Plant(
        "instructions/ADD.md",
        "0b011:  8 elements",
        "0b011:  9 elements",
        &[(W, "enumerator", "ADD.Exec_size.bits2_0.0b011")],
    ),
    Plant(
        "instructions/ADD.md",
        "    - 0b101:  32 elements\n",
        "",
        &[(N, "enumerator-removed", "ADD.Exec_size.bits2_0.0b101")],
    ),
    Plant(
        "instructions/ADD.md",
        "    - 0b101:  32 elements\n",
        "    - 0b101:  32 elements\n    - 0b110:  64 elements\n",
        &[(O, "enumerator-added", "ADD.Exec_size.bits2_0.0b110")],
    ),
    Plant(
        "instructions/ADD.md",
        "1 element (scalar)",
        "1 element (one)",
        &[(T, "description", "ADD.Exec_size.Bit[2..0].0b000")],
    ),
    Plant("instructions/ADD.md", "Bit[7..4]", "Bit[7..5]", &[(W, "bits", "ADD.Exec_size.bits7_5")]),
    Plant(
        "instructions/ADD.md",
        "operand. Operand class: general,indirect\n",
        "operand. Operand class: general\n",
        &[(N, "operand-class", "ADD.Dst.indirect")],
    ),
    Plant("instructions/ADD.md", "component-wise addition", "addition", &[(T, "description", "ADD.Description")]),
    Plant("instructions/ADD.md", "src0[i] + src1[i]", "src0[i] - src1[i]", &[(T, "semantics", "ADD.Semantics")]),
    Plant("instructions/ADD.md", "follows the rules", "follows the laws", &[(T, "notes", "ADD.Notes")]),
    Plant("6_instructions.md", "of three operands {XEHP+}", "of three operands {DG2+}", &[(N, "platform", "ADD3")]),
    Plant(
        "appendix_instruction_by_platform.md",
        "|ADDC                | Y |",
        "|ADDC                |   |",
        &[(N, "platform", "ADDC")],
    ),
    Plant(
        "2_datatypes.md",
        "with lower precision",
        "with less precision",
        &[(T, "prose", "2_datatypes.Integer to Integer with Lower Precision")],
    ),
];

fn ours() -> PathBuf {
    visakit_testing::root().join("spec")
}

/// Returns the folder of a revision of the vendor's documents, if available.
fn upstream(test: &str, revision: &str) -> Option<PathBuf> {
    Some(visakit_testing::upstream(test)?.join(revision))
}

/// Returns the pages of a folder: (path, text).
fn pages(dir: &Path) -> Vec<(String, String)> {
    fn collect(dir: &Path, root: &Path, out: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, root, out);
            } else if path.extension().is_some_and(|e| e == "md") {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                out.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut out = Vec::new();
    collect(dir, dir, &mut out);
    out.sort();
    out
}

fn model(pages: &[(String, String)]) -> Model {
    visakit_codegen::read_files(pages.to_vec()).0
}

/// Returns the platforms of our pages, for documents without a table of platforms.
fn platforms() -> Vec<visakit_codegen::model::Platform> {
    visakit_codegen::read_dir(&ours()).unwrap().0.platforms
}

fn lines(text: &str, at: usize, piece: &str) -> std::ops::RangeInclusive<u32> {
    let line = |end: usize| u32::try_from(text[..end].matches('\n').count() + 1).unwrap();
    line(at)..=line(at + piece.trim_end_matches('\n').len())
}

fn planted(dir: &Path, plants: &[Plant]) {
    let clean = pages(dir);
    let platforms = platforms();
    let old = model(&clean);
    let mut failed = Vec::new();
    for Plant(file, from, to, expected) in plants {
        let mut changed = clean.clone();
        let page = changed.iter_mut().find(|(name, _)| name == file).unwrap_or_else(|| panic!("no page {file}"));
        let Some(at) = page.1.find(from) else {
            failed.push(format!("{file} has no {from:?}"));
            continue;
        };
        let before = lines(&page.1, at, from);
        page.1.replace_range(at..at + from.len(), to);
        // Edits that accompany the change: renamed instructions and fields stay consistent on their
        // page.
        let after = lines(&page.1, at, to);
        let new = model(&changed);
        let found = diff(&old, &new, &platforms);
        let mut seen: Vec<Entry> = found.iter().map(|c| (c.class, c.kind, leak(&c.path))).collect();
        let mut wanted = expected.to_vec();
        seen.sort();
        wanted.sort();
        if seen != wanted {
            failed.push(format!("{file}: {from:?} -> {to:?}\n  wanted {wanted:?}\n  found  {seen:?}"));
        }
        for change in &found {
            let near = |side: &Option<visakit_spec_tools::diff::Side>, range: &std::ops::RangeInclusive<u32>| {
                side.as_ref().is_none_or(|s| s.file == *file && range.contains(&s.line))
            };
            if !near(&change.old, &before) || !near(&change.new, &after) {
                failed.push(format!("{file}: {from:?} at {before:?} and {after:?}, but {change:?}"));
            }
        }
        mirrored(&found, &diff(&new, &old, &platforms), &mut failed);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// Checks that an addition in one direction is a removal in the other.
fn mirrored(there: &[Change], back: &[Change], failed: &mut Vec<String>) {
    type Seen = (Class, String, Option<(String, u32)>, Option<(String, u32)>);
    let place = |s: &Option<visakit_spec_tools::diff::Side>| s.as_ref().map(|s| (s.file.clone(), s.line));
    let plain = |c: &Change| -> Seen { (c.class, c.kind.to_owned(), place(&c.old), place(&c.new)) };
    let turned = |c: &Change| -> Seen {
        let class = match c.class {
            Class::Widened => Class::Narrowed,
            Class::Narrowed => Class::Widened,
            other => other,
        };
        let kind = match (c.kind.strip_suffix("-added"), c.kind.strip_suffix("-removed")) {
            (Some(what), _) => format!("{what}-removed"),
            (_, Some(what)) => format!("{what}-added"),
            _ => c.kind.to_owned(),
        };
        (class, kind, place(&c.new), place(&c.old))
    };
    let mut a: Vec<Seen> = there.iter().map(turned).collect();
    let mut b: Vec<Seen> = back.iter().map(plain).collect();
    // If two neighbours are exchanged, either may be reported as moved.
    a.retain(|c| c.1 != "order");
    b.retain(|c| c.1 != "order");
    a.sort();
    b.sort();
    if a != b {
        let only = |x: &[Seen], y: &[Seen]| x.iter().filter(|c| !y.contains(c)).cloned().collect::<Vec<_>>();
        failed.push(format!("not mirrored: {:#?} against {:#?}", only(&a, &b), only(&b, &a)));
    }
}

#[test]
fn changes_of_our_pages() {
    planted(&ours(), OURS);
}

#[test]
fn changes_of_the_vendors_pages() {
    if let Some(dir) = upstream("changes_of_the_vendors_pages", "2025-02") {
        planted(&dir, VENDOR);
    }
}

#[test]
fn a_page_comes_or_goes() {
    let all = pages(&ours());
    let less: Vec<_> = all.iter().filter(|(name, _)| name != "instructions/ADD.md").cloned().collect();
    let found = diff(&model(&all), &model(&less), &[]);
    let seen: Vec<_> = found.iter().map(|c| (c.class, c.kind, c.path.as_str())).collect();
    assert_eq!(seen, [(N, "instruction-removed", "ADD")]);
    // Another instruction now has the opcode of the removed one.
    let reused: Vec<_> = all
        .iter()
        .map(|(name, text)| match name.as_str() {
            "instructions/ADD.md" => {
                let text = text.replace("ADD", "PLUS").replace("| Exec_size | Pred |", "| Pred |");
                (name.clone(), text.replace("Src0", "First").replace("Src1", "Second").replace("Dst(", "Place("))
            }
            _ => (name.clone(), text.clone()),
        })
        .collect();
    let found = diff(&model(&all), &model(&reused), &[]);
    let seen: Vec<_> = found.iter().map(|c| (c.class, c.kind, c.path.as_str())).collect();
    assert!(seen.contains(&(W, "instruction-removed", "ADD")), "{seen:?}");
    assert!(seen.contains(&(W, "instruction-added", "PLUS")), "{seen:?}");
}

/// A field that is renamed on its whole page is one change, apart from the words that name it.
#[test]
fn a_renamed_field() {
    let all = pages(&ours());
    let mut renamed = all.clone();
    let page = renamed.iter_mut().find(|(name, _)| name == "instructions/GATHER.md").unwrap();
    page.1 = page.1.replace("Global_offset", "Base").replace("global_offset", "base");
    let found = diff(&model(&all), &model(&renamed), &[]);
    let seen: Vec<_> = found.iter().map(|c| (c.class, c.kind, c.path.as_str())).collect();
    assert_eq!(seen, [(T, "field-renamed", "GATHER.Base"), (T, "semantics", "GATHER.Semantics")]);
}

/// A changed shared list is one entry that names the affected instructions.
#[test]
fn a_shared_list_changes_once() {
    let all = pages(&ours());
    let mut changed = all.clone();
    let page = changed.iter_mut().find(|(name, _)| name == "lists.md").unwrap();
    page.1 = page.1.replacen("| 0b101 | 32 |", "| 0b101 | reserved |", 1);
    let found = diff(&model(&all), &model(&changed), &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].class, found[0].path.as_str()), (N, "Exec_size.size.0b101"));
    assert!(found[0].touches.len() > 90 && found[0].touches.contains(&"ADD".to_owned()));
}

/// A change of a definition names the instructions of the rows that use it.
#[test]
fn a_definition_touches_the_instructions_of_its_rows() {
    let all = pages(&ours());
    let touched = |from: &str, to: &str| {
        let mut changed = all.clone();
        let page = changed.iter_mut().find(|(name, _)| name == "verification.md").unwrap();
        assert!(page.1.contains(from), "{from}");
        page.1 = page.1.replacen(from, to, 1);
        let found = diff(&model(&all), &model(&changed), &[]);
        assert!(!found.is_empty());
        found.into_iter().flat_map(|change| change.touches).collect::<BTreeSet<_>>()
    };
    let media = ["MEDIA_LD", "MEDIA_ST"].map(str::to_owned).into();
    assert_eq!(touched("`block_width <= 4 ? 64", "`block_width < 4 ? 64"), media);
    let counts = touched(": dataelemsperaddr.count`", ": dataelemsperaddr.count + 1`");
    assert!(counts.contains("LSC_TYPED") && counts.contains("LSC_UNTYPED"), "{counts:?}");
}

/// Returns the causes of edits. Each edit replaces all matches in the pages whose path begins with
/// its file.
fn causes_of(dir: &Path, edits: &[(&str, &str, &str)]) -> Vec<Cause> {
    let mut old = pages(dir);
    // A subset of the pages is sufficient and is read much faster.
    old.retain(|(path, _)| {
        !path.starts_with("instructions/") || ["A", "G"].iter().any(|n| path[13..].starts_with(n))
    });
    let mut new = old.clone();
    for (file, from, to) in edits {
        let mut found = false;
        for (_, text) in new.iter_mut().filter(|(path, text)| path.starts_with(file) && text.contains(from)) {
            *text = text.replacen(from, to, 1);
            found = true;
        }
        assert!(found, "{file}: no `{from}`");
    }
    causes(&diff(&model(&old), &model(&new), &platforms()))
}

/// An edit is one cause, even if it changes many facts; equal edits of many pages are one cause.
#[test]
fn one_edit_is_one_cause() {
    let one = |edits: &[(&str, &str, &str)], class, what: &str, subjects: usize, changes: usize| {
        let found = causes_of(&ours(), edits);
        let [cause] = found.as_slice() else { panic!("{edits:?}: {found:#?}") };
        assert_eq!((cause.class, cause.what.as_str()), (class, what), "{edits:?}");
        assert_eq!((cause.subjects.len(), cause.changes.len()), (subjects, changes), "{edits:?}: {cause:#?}");
        cause.clone()
    };
    let renamed = one(&[("lists.md", "| M8 |", "| M9 |")], T, "Exec_mask.0b0111: enumerator renamed M8 -> M9", 1, 1);
    assert!(renamed.touches.len() > 8 && renamed.help.contains("Rust name"), "{renamed:?}");
    assert_eq!(renamed.new.unwrap().line, 42);
    // A line of a page loses and gains elements.
    let types = [("instructions/GATHER.md", "Must have type UD, D, F", "Must have type UD, HF")];
    one(&types, N, "GATHER.Dst: type -D -F +HF", 1, 3);
    // The fields of a page, in its table and in the list below it.
    let field = [
        ("instructions/AVG.md", "| Exec_size | Pred |", "| Mode | Exec_size | Pred |"),
        ("instructions/AVG.md", "- **Exec_size(ub)", "- **Mode(ub):** A number\n- **Exec_size(ub)"),
    ];
    one(&field, W, "AVG.Mode: field added Mode(ub)", 1, 1);
    one(
        &[("instructions/ADD.md", "| Src0 | Src1 |", "| Src1 | Src0 |")],
        W,
        "ADD.Src1: order field 5, after Src0 -> field 4, after Dst",
        1,
        1,
    );
    // Equal edits of many pages, on lines with different remaining text.
    let all = causes_of(&ours(), &[("instructions/", "**Saturation:** Yes", "**Saturation:** No")]);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].what == "Saturation: property Yes -> No" && all[0].subjects.len() > 3, "{all:#?}");
    let bytes = ("instructions/", "**Supported Types:** B, UB,", "**Supported Types:** UB,");
    let found = causes_of(&ours(), &[bytes, ("instructions/ADD.md", ", HF, F", ", F")]);
    let [all, add] = found.as_slice() else { panic!("{found:#?}") };
    assert!(all.what == "Supported_Types: type -B" && all.subjects.len() > 1, "{all:#?}");
    assert!(add.what == "ADD.Supported_Types: type -B -HF" && add.subjects == ["ADD"], "{add:#?}");
    // A renamed column, and a changed word in a sentence that two pages share.
    one(
        &[("lists.md", "| Elements | Destination |", "| Elements | Written |")],
        T,
        "Stride.Written: column added Written; Stride.Destination: column removed Destination",
        1,
        2,
    );
    let words = one(
        &[
            ("instructions/ADD.md", "channel by channel", "all at once"),
            ("instructions/ADD.md", "infinite addend", "infinite operand"),
        ],
        T,
        "ADD: description, notes",
        1,
        2,
    );
    assert!(words.is_prose);
    // Edits at different places stay separate; the more severe one comes first.
    let two =
        causes_of(&ours(), &[("lists.md", "| M8 |", "| M9 |"), ("instructions/ADD.md", "ADD = 0x01", "ADD = 0xf1")]);
    assert_eq!(
        two.iter().map(|c| c.what.as_str()).collect::<Vec<_>>(),
        ["ADD: opcode 0x01 -> 0xf1", "Exec_mask.0b0111: enumerator renamed M8 -> M9"]
    );
}

/// The vendor spells out a list on each page that has it.
#[test]
fn one_edit_of_all_the_vendors_pages() {
    let Some(dir) = upstream("one_edit_of_all_the_vendors_pages", "2025-02") else { return };
    let found = causes_of(&dir, &[("instructions/", "    - 0b101:  32 elements\n", "")]);
    assert!(found[0].what.ends_with("0b101: enumerator removed 32"), "{found:#?}");
    assert!(
        found[0].subjects.len() > 8 && found.len() < 5,
        "{:#?}",
        found.iter().map(|c| &c.what).collect::<Vec<_>>()
    );
}

/// A page that spells out a shared list is equivalent to a page that refers to it.
#[test]
fn a_spelled_out_list_is_the_list() {
    let all = pages(&ours());
    let mut changed = all.clone();
    let list = all.iter().find(|(name, _)| name == "lists.md").unwrap();
    let values: String = list
        .1
        .split("## Exec_mask(bits)")
        .nth(1)
        .unwrap()
        .split("## ")
        .next()
        .unwrap()
        .lines()
        .filter_map(|l| l.strip_prefix("| 0b")?.split_once(" | "))
        .map(|(code, rest)| format!("    - 0b{code}: {}\n", rest.split(' ').next().unwrap()))
        .collect();
    let page = changed.iter_mut().find(|(name, _)| name == "instructions/GATHER.md").unwrap();
    page.1 = page.1.replacen("See [Exec_mask](../lists.md#exec_mask)", &format!("\n{values}"), 1);
    assert!(page.1.contains("- 0b0111: M8"));
    let found = diff(&model(&all), &model(&changed), &[]);
    assert!(found.is_empty(), "{found:#?}");
}

/// Function that changes the layout of a page.
type Reformat = fn(&str) -> String;

/// Changes of a page's layout that keep its meaning.
const REFORMATS: &[(&str, Reformat)] = &[
    ("line ends of another system", |t| t.replace('\n', "\r\n")),
    ("more blank lines", |t| outside(t, |l| if l.trim().is_empty() { "\n\n".to_owned() } else { l.to_owned() })),
    ("other list marks", |t| {
        outside(t, |l| match l.trim_start().strip_prefix("- ") {
            Some(rest) => format!("{}* {rest}", &l[..l.len() - l.trim_start().len()]),
            None => l.to_owned(),
        })
    }),
    ("blanks at line ends", |t| t.lines().map(|l| format!("{l} \n")).collect()),
    ("wider tables", |t| outside(t, |l| if l.starts_with('|') { l.replace(" |", "     |") } else { l.to_owned() })),
    ("narrower tables", |t| {
        outside(t, |l| match l.starts_with('|') {
            true => l.split(' ').filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" "),
            false => l.to_owned(),
        })
    }),
    ("colons behind bold", |t| outside(t, |l| l.replace(":** ", "**: "))),
    ("bold with underscores", |t| {
        outside(t, |l| match l.starts_with("- **") {
            true => l.replace("**", "__"),
            false => l.to_owned(),
        })
    }),
    ("other fences", |t| t.replace("```", "~~~~")),
    ("indented fences", |t| {
        let mut inside = false;
        t.lines()
            .map(|l| {
                let fence = l.starts_with("```");
                let shift = fence || inside;
                inside ^= fence;
                if shift { format!(" {l}\n") } else { format!("{l}\n") }
            })
            .collect()
    }),
    ("underlined headings", |t| {
        outside(t, |l| match (l.strip_prefix("## "), l.strip_prefix("# ")) {
            (Some(title), _) => format!("{title}\n-----"),
            (_, Some(title)) => format!("{title}\n====="),
            _ => l.to_owned(),
        })
    }),
    ("closed headings", |t| outside(t, |l| if l.starts_with('#') { format!("{l} ##") } else { l.to_owned() })),
    ("values in another order", |t| {
        let lines: Vec<&str> = t.lines().collect();
        let value = |l: &str| l.trim_start().starts_with("- 0b") || l.trim_start().starts_with("- 0x");
        let lead = |l: &str| l.len() - l.trim_start().len();
        let mut out: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let mut run = vec![lines[at]];
            while value(run[0])
                && at + run.len() < lines.len()
                && value(lines[at + run.len()])
                && lead(lines[at + run.len()]) == lead(run[0])
            {
                run.push(lines[at + run.len()]);
            }
            at += run.len();
            // The line after the last value may continue it.
            let next = lines[at..].iter().find(|l| !l.trim().is_empty());
            let continued = next.is_some_and(|l| lead(l) > lead(run[0]));
            if !continued {
                run.reverse();
            }
            out.extend(run);
        }
        out.join("\n") + "\n"
    }),
    ("paragraphs on one line", |t| joined(t)),
    ("short lines", |t| {
        outside(&joined(t), |l| {
            let plain = l.starts_with(|c: char| c.is_ascii_alphabetic()) && l.contains(' ');
            let item = l.starts_with("- ") && !l.contains("](") && !l.starts_with("- Bit") && !l.contains('=');
            if !(plain || item) || l.contains('`') || l.starts_with("Kind") {
                return l.to_owned();
            }
            let mut out = String::new();
            let mut width = 0;
            for (i, word) in l.split(' ').enumerate() {
                // A word that would start a list at the beginning of a line stays in place.
                let safe = word.starts_with(|c: char| c.is_ascii_alphabetic()) && i > 1;
                if width > 12 && safe {
                    out.push_str(if item { "\n  " } else { "\n" });
                    width = 0;
                } else if i > 0 {
                    out.push(' ');
                }
                out.push_str(word);
                width += word.len() + 1;
            }
            out
        })
    }),
];

/// Changes the lines outside of fences.
fn outside(text: &str, change: impl Fn(&str) -> String) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        let keep = inside || fence;
        inside ^= fence;
        out.push_str(&if keep { line.to_owned() } else { change(line) });
        out.push('\n');
    }
    out
}

/// Joins the lines of each paragraph.
fn joined(text: &str) -> String {
    let mut inside = false;
    let mut last_plain = false;
    let mut out = String::new();
    for line in text.lines() {
        inside ^= line.trim_start().starts_with("```");
        let plain = !inside && line.starts_with(|c: char| c.is_ascii_alphabetic()) && !line.starts_with("Kind");
        if plain && last_plain {
            out.pop();
            out.push(' ');
        }
        out.push_str(line);
        out.push('\n');
        last_plain = plain;
    }
    out
}

fn reformatted(dir: &Path) {
    let clean = pages(dir);
    let old = model(&clean);
    let mut failed = Vec::new();
    for (what, reformat) in REFORMATS {
        let mut changed = clean.clone();
        changed.iter_mut().for_each(|(_, text)| *text = reformat(text));
        assert!(changed != clean, "{what}");
        for change in diff(&old, &model(&changed), &[]).iter().take(4) {
            failed.push(format!("{what}: {change:?}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn layout_of_our_pages_is_no_change() {
    reformatted(&ours());
}

#[test]
fn layout_of_the_vendors_pages_is_no_change() {
    for revision in ["2022-12", "2025-02"] {
        if let Some(dir) = upstream("layout_of_the_vendors_pages_is_no_change", revision) {
            reformatted(&dir);
        }
    }
}

/// Compares one revision of the vendor's documents with the next. The expected result was checked
/// by hand against `diff -r`.
#[test]
fn the_vendors_revisions() {
    let (Some(a), Some(b)) =
        (upstream("the_vendors_revisions", "2022-12"), upstream("the_vendors_revisions", "2025-02"))
    else {
        return;
    };
    let found = diff(&model(&pages(&a)), &model(&pages(&b)), &platforms());
    let facts: Vec<_> = found
        .iter()
        .filter(|c| !["description", "semantics", "notes", "examples", "prose", "index"].contains(&c.kind))
        .map(|c| format!("{} {} {}", c.class.name(), c.kind, c.path))
        .collect();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendor_revisions.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, facts.join("\n") + "\n").unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap();
    assert_eq!(facts, expected.lines().collect::<Vec<_>>());
    // Only white space changed on these pages.
    for page in ["GATHER.md", "SCATTER.md", "SVM.md"] {
        let name = format!("instructions/{page}");
        let touched = found.iter().any(|c| [&c.old, &c.new].into_iter().flatten().any(|s| s.file == name));
        assert!(!touched, "{page} only lost blanks");
    }
}
