//! Planted changes of a page: each is found with its class and at its lines, and nothing else is.

use std::path::Path;

use visakit_spec_tools::diff::Class::{Narrowed as N, TextOnly as T, Widened as O, WireBreaking as W};
use visakit_spec_tools::diff::{Change, Class, diff};

use crate::{model, ours, pages, platforms, upstream};

/// Planted change: file, text, replacement, and the expected entries: class, kind, path.
struct Plant(&'static str, &'static str, &'static str, &'static [Entry]);

type Entry = (Class, &'static str, &'static str);

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
