//! Mistakes planted in whole specifications, ours and the vendor's: each is found at its line.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use visakit_diag::Diagnostic;

/// Mistake: file, replaced text, replacement, code of the finding, and part of its line.
struct Plant(&'static str, &'static str, &'static str, &'static str, &'static str);

/// Mistakes that are possible in both kinds of pages.
const COMMON: &[Plant] = &[
    Plant("instructions/ADD.md", "ADD = 0x01", "ADD = 0x13", "opcode-duplicate", "ADD = 0x13"),
    Plant("instructions/ADD.md", "ADD = 0x01", "ADD 0x01", "section-leftover", "ADD 0x01"),
    Plant("instructions/ADD.md", "ADD = 0x01", "SUM = 0x01", "format-opcode", "SUM = 0x01"),
    Plant("instructions/INV.md", "INV = ", "INVERSE = ", "format-opcode", "INVERSE = "),
    Plant("instructions/ADD.md", "| 0x01(ADD)", "| 0x02(ADD)", "format-opcode", "0x02(ADD)"),
    Plant("instructions/ADD.md", "Src1 ", "Src2 ", "field-undescribed", "Src2"),
    Plant("instructions/ADD.md", "**Src1(", "**Source1(", "field-undescribed", "| Src1"),
    Plant("instructions/ADD.md", "**Src1(", "**Source1(", "field-unused", "**Source1("),
    Plant("instructions/ADD.md", "| Src1 ", "| Src0 ", "format-duplicate", "| Src0 "),
    Plant("instructions/ADD.md", "**Src1(vec_operand)", "**Src1(vec_opernd)", "type-unknown", "vec_opernd"),
    Plant("instructions/ADD.md", "**Pred(uw)", "**Pred(uv)", "type-unknown", "Pred(uv)"),
    Plant("instructions/ADD.md", "## Semantics", "## Semantix", "section-unknown", "## Semantix"),
    Plant("instructions/ADD.md", "## Semantics", "## Semantix", "semantics-missing", "## Opcode"),
    Plant("instructions/ADD.md", "## Text", "## Format", "section-duplicate", "## Format"),
    Plant("instructions/ADD.md", "## Text", "## Notes", "text-missing", "## Opcode"),
    Plant("instructions/ADD.md", "## Description", "## Notes", "description-missing", "## Opcode"),
    Plant("instructions/ADD.md", "## Format", "## Noformat", "format-missing", "## Opcode"),
    Plant("instructions/ADD.md", "## Opcode", "## Operation code", "opcode-missing", "## Operation code"),
    Plant("instructions/ADD.md", "| --- | --- |", "| --- |", "table-broken", "| --- |"),
    Plant("instructions/ADD.md", "| Src0 ", "| Src0 | Extra ", "table-cells", "| Src0"),
    Plant("instructions/ADD.md", "**Source Modifier:** ", "**Source Modifier:** odd", "property-value", "odd"),
    Plant("instructions/ADD.md", "**Saturation:**", "**Saturaton:**", "property-unknown", "Saturaton"),
    Plant("instructions/ADD.md", "**Dst types:** ", "**Dst types:** XD,", "type-unknown", "**Dst types:** XD"),
    Plant("instructions/ADD.md", "general,", "generl,", "class-unknown", "generl"),
    Plant("instructions/CALL.md", "CALL = 0x33", "CALL = 0x133", "opcode-range", "0x133"),
    Plant("instructions/RT_WRITE.md", "Bit[9]", "Bit[8]", "bits-overlap", "Bit[8]"),
    Plant("instructions/RT_WRITE.md", "Bit[9]", "Bit[99]", "bits-range", "Bit[99]"),
    Plant("instructions/RT_WRITE.md", "Bit[9]", "Bit[x]", "bits-syntax", "Bit[x]"),
    Plant("instructions/RT_WRITE.md", "Bit[9]", "Byte[9]", "bits-unaccounted", "**Mode("),
    Plant("instructions/RT_WRITE.md", "Bit[9]", "Byte[9]", "item-leftover", "Byte[9]"),
    Plant("instructions/RT_WRITE.md", "- **G(raw_operand)", "    - **G(raw_operand)", "nesting-accidental", "**G("),
    Plant("instructions/3D_LOAD.md", "[1-15]", "[1-1500]", "range-width", "[1-1500]"),
    Plant("instructions/3D_LOAD.md", "[1-15]", "[15-1]", "range-syntax", "[15-1]"),
    Plant("instructions/RT_WRITE.md", "resent only if", "resent only when", "presence-syntax", "resent only when"),
    Plant("6_instructions.md", "(instructions/ADD.md)", "(instructions/ADDX.md)", "index-dead", "ADDX.md"),
    Plant("6_instructions.md", "(instructions/ADD.md)", "(instructions/ADDX.md)", "link-dead", "ADDX.md"),
    Plant("6_instructions.md", "(instructions/ADD.md)", "(instructions/ADDC.md)", "index-name", "[ADD - "),
    Plant("6_instructions.md", "(instructions/ADDC.md)", "(instructions/ADD.md)", "index-duplicate", "[ADDC - "),
    Plant("2_datatypes.md", "| UW", "| UD", "type-duplicate", "| UD"),
];

/// Mistakes in the vendor's chapters.
const VENDOR: &[Plant] = &[
    Plant("instructions/CMP.md", "0b0010:", "0b0001:", "enumerator-duplicate", "0b0001:"),
    Plant("instructions/CMP.md", "0b0010:", "0b10010:", "enumerator-range", "0b10010:"),
    Plant("instructions/CMP.md", "    - 0b0001:", "        - 0b0001:", "nesting-accidental", "0b0001:"),
    Plant("instructions/ADD.md", "  - Bit[7..4]", "      - Bit[7..4]", "nesting-accidental", "Bit[7..4]"),
    Plant("appendix_instruction_by_platform.md", "|ADD  ", "|ADX  ", "support-dead", "|ADX"),
    Plant(
        "appendix_instruction_by_platform.md",
        "|ADD  ",
        "|ADX  ",
        "support-missing",
        "ADD = 0x01@instructions/ADD.md",
    ),
    Plant("appendix_instruction_by_platform.md", "|ADDC ", "|ADD  ", "support-duplicate", "|ADD  "),
    Plant(
        "appendix_instruction_by_platform.md",
        "|ADD                 | Y | Y ",
        "|ADD                 | Y |   ",
        "platform-contradiction",
        "|ADD  ",
    ),
    Plant(
        "6_instructions.md",
        "[ROL - rotate left {ICLLP+}]",
        "[ROL - rotate left {TGLLP+}]",
        "platform-contradiction",
        "|ROL @appendix_instruction_by_platform.md",
    ),
    Plant("4_visa_header.md", "UD variable_count;", "UD variable_cont;", "count-unknown", "[variable_count]"),
    Plant("1_introduction.md", "(5_operands.md)", "(5_operand.md)", "link-dead", "5_operand.md"),
    Plant("index.md", "(1_introduction.md)", "(1_intro.md)", "link-dead", "1_intro.md"),
];

/// Words that resemble facts, each reported at its line; none passes as prose.
const WORDS: &[Plant] = &[
    Plant("instructions/3D_LOAD.md", "Must have type", "Must have typ", "phrase-unknown", "Must have typ "),
    Plant("instructions/3D_LOAD.md", "Valid values are", "Valid value are", "phrase-unknown", "Valid value are"),
    Plant("instructions/ADD.md", "Predication control", "Predicate control", "phrase-unknown", "Predicate control"),
    Plant("instructions/3D_LOAD.md", "Must be zero", "Must be 0", "phrase-unknown", "Must be 0"),
    Plant("instructions/ADD.md", "Operand class:", "Operand classes:", "phrase-unknown", "Operand classes:"),
    Plant("instructions/RT_WRITE.md", "Present only if", "Presents only if", "presence-syntax", "Presents only if"),
    Plant("instructions/3D_LOAD.md", "Only size: 8, 16", "Only sizes 8, 16", "phrase-syntax", "Only sizes 8, 16"),
    Plant(
        "instructions/ADD.md",
        "class: general, indirect",
        "class: general,direct",
        "class-unknown",
        "general,direct",
    ),
    Plant("instructions/RT_WRITE.md", "Bit[15..13]", "Bit[13..15]", "bits-syntax", "Bit[13..15]"),
    Plant("instructions/ADD.md", "Types:** B, UB", "Types:** B, UX", "type-unknown", "Types:** B, UX"),
    Plant("instructions/ADD.md", "{XEHP+}{-MTL}BF", "{XEHP +}{-MTL}BF", "mark-syntax", "{XEHP +}"),
    Plant("instructions/ADD.md", "map{XEHP+}", "map{XEHP+}{-SKL}", "mark-contradiction", "map{XEHP+}{-SKL}"),
    Plant("instructions/ADD.md", "**Saturation:**", "**Saturaton:**", "property-unknown", "**Saturaton:**"),
    Plant("instructions/ADD.md", "- **Source Modifier:** a", "Source Modifier: a", "property-value", "Saturation"),
    Plant("instructions/ADD.md", "#### Properties", "#### Propertys", "section-unknown", "Propertys"),
    Plant("instructions/ADD.md", "#### Operand type maps", "#### Operand type map", "section-unknown", "type map"),
    Plant("instructions/FCCALL.md", "alias of CALL", "alias of CAL", "kind-unknown", "FCCALL = "),
    Plant("instructions/LSC_TYPED.md", "### CONDITION quad", "### CONDITON quad", "section-unknown", "CONDITON quad"),
    Plant("instructions/LSC_TYPED.md", "=lsc_load_quad,", "=lsc_load_quat,", "condition-value", "=lsc_load_quat,"),
    Plant("lists.md", "- 0b011: indirect", "- 0b011; indirect", "item-leftover", "0b011; indirect"),
    Plant("lists.md", "## Exec_size(ub)", "## Exec_size (ub)", "list-syntax", "## Exec_size (ub)"),
    Plant("lists.md", "Text: `", "Txt: `", "list-syntax", "Txt: `"),
    Plant("4_object_format.md", "| Elements |", "| Elemnts |", "table-column", "| Elemnts |"),
    Plant("verification.md", "| Platforms |", "| Platfroms |", "table-column", "| Platfroms |"),
    Plant("2_datatypes.md", "| Binary Format |", "| Binary Fromat |", "table-column", "| Binary Fromat |"),
    Plant("5_operands.md", "//operand_class =", "//operand_clas =", "structure-syntax", "//operand_clas ="),
    Plant("5_operands.md", "_class = General", "_class = Genral", "class-unknown", "_class = Genral"),
    Plant(
        "5_operands.md",
        "_class = Address",
        "_class = General",
        "class-structure",
        "general - a general variable@lists.md",
    ),
    Plant("lists.md", "general - a gen", "genaral - a gen", "class-structure", "0b000: genaral"),
    Plant("5_operands.md", "_class = State", "_class = surface", "class-unknown", "_class = surface"),
    Plant("4_object_format.md", "{3.7+}", "{3.7 +}", "mark-syntax", "{3.7 +}"),
];

/// Wrong markup that turns a fact into text of the previous fact.
const MARKUP: &[Plant] = &[
    Plant("instructions/ADD.md", "- **Pred(uw):**", "} **Pred(uw):**", "item-broken", "} **Pred(uw)"),
    Plant("instructions/ADD.md", "- **Pred(uw):**", "- *Pred(uw):**", "item-broken", "- *Pred(uw)"),
    Plant("instructions/ADD.md", "- **Pred(uw):**", "- **Pred(uw):*", "item-broken", "- **Pred(uw):*"),
    Plant("instructions/ADD.md", "- **Pred(uw):**", "**Pred(uw):**", "item-broken", "**Pred(uw)"),
    Plant("instructions/ADD.md", "- **Pred(uw):** P", "- P", "section-leftover", "- Predication"),
    Plant("instructions/ADD.md", "## Text", ",# Text", "heading-broken", ",# Text"),
    Plant("instructions/ADD.md", "## Text", "Text", "heading-broken", "Text"),
    Plant("instructions/ADD.md", "## Notes", "##Notes", "heading-broken", "##Notes"),
    Plant("instructions/ADD.md", "```", "``", "fence-broken", "``"),
    Plant("instructions/ADD.md", "| --- | --- |", "| --- --- |", "table-broken", "| --- --- |"),
    Plant("instructions/ADD.md", "types:** HF, F", "types:** HF,", "list-gap", "types:** HF,"),
    Plant("instructions/ADD.md", "UW, D, UD,", "UW, , UD,", "list-gap", "UW, , UD"),
    Plant("instructions/ADD.md", "class: general, indirect", "class: general, ,indirect", "phrase-syntax", ", ,"),
    Plant("instructions/ADD.md", "[Exec_size]", "[Exec_mask]", "link-name", "[Exec_mask]"),
    Plant("instructions/ADD.md", "<src0> <src1>", "<src0> {src1>", "text-template", "{src1>"),
    Plant("instructions/DNSCL.md", "- 0x02: mode2", "0x02: mode2", "item-broken", "0x02: mode2"),
    Plant("instructions/FCCALL.md", "(<exec_size>)", "(<exc_size>)", "text-unknown-field", "<exc_size>"),
    Plant("lists.md", "| 0b01 | 2 | 2 |", "| 001 | 2 | 2 |", "enumerator-value", "| 001 |"),
    Plant("4_object_format.md", "- **name_index:**", "- *}name_index:**", "structure-syntax", "*}name_index"),
    Plant("4_object_format.md", "| UQ | 1 | 1 |", "| | 1 | 1 |", "predefined-syntax", "| sp | |"),
    Plant("2_datatypes.md", "8 | [-128, 127]", "8 | [-128, 137]", "type-syntax", "[-128, 137]"),
    Plant("2_datatypes.md", "| UB | unsigned", "| UB | unsinged", "column-cell", "unsinged"),
    Plant("platforms.md", "| 14 | 0x4f7 |", "| 14 | |", "platform-syntax", "| 14 | |"),
    Plant("platforms.md", "0x4f6 | 32", "0x4f6 | 82", "platform-syntax", "| 82"),
    Plant("2_datatypes.md", "1 sign, 5 exponent", "1 sign, 6 exponent", "type-syntax", "6 exponent"),
    Plant("platforms.md", "| xe2 | bmg", "| xe2 | pvc", "platform-syntax", "| xe2 | pvc"),
    Plant("platforms.md", "0x4f9 |", "0x4f8 |", "platform-syntax", "arl-h"),
    Plant("lists.md", "- 0b011: indirect", "> 0b011: indirect", "item-broken", "> 0b011: indirect"),
    Plant("platforms.md", "| pvc | 16, 32 |", "| pvv | 16, 32 |", "platform-unknown", "| pvv |"),
    Plant("platforms.md", "| icllp | 8, 16, 32 |", "| bdw | 8, 16, 32 |", "platform-syntax", "| bdw | 8"),
    Plant("platforms.md", "| bdw | 65536 |", "| chv | 65536 |", "platform-syntax", "| SLM bytes |"),
    Plant("sources.md", "| igc | code |", "| igc | cod |", "source-syntax", "| cod |"),
    Plant("8_assembly_text.md", "| igc | 2024-02-05 |", "| igcc | 2024-02-05 |", "source-unknown", "igcc"),
    Plant("8_assembly_text.md", "| igc | 2024-02-05 |", "| igc | February |", "source-syntax", "February"),
    Plant("instructions/FBL.md", "| Supported Types: UW |", "| Suported Types: UW |", "source-fact", "Suported"),
    Plant("lists.md", "- 0b011: indirect", "[ 0b011: indirect", "item-broken", "[ 0b011: indirect"),
    Plant("instructions/NOT.md", "- **Source M", "] **Source M", "item-broken", "] **Source M"),
    Plant("instructions/NOT.md", "| --- | --- |", "| --- | -+- |", "table-broken", "-+-"),
    Plant("6_instructions.md", "- [ADD - ", "- *ADD - ", "index-line", "- *ADD"),
    Plant("6_instructions.md", "- [ADD - ", "- - ADD - ", "index-line", "- - ADD"),
    Plant("instructions/RAW_SENDS.md", "Modifiers.eot=1", "Modifiers.eot=4", "condition-value", "eot=4"),
    Plant("instructions/MADW.md", "| Exec_size |", "| |", "format-cell", "0x91(MADW) |"),
    Plant("instructions/MADW.md", "  - **Src types", "  **Src types", "item-broken", "  **Src types"),
    Plant("5_operands.md", "### addr_opnd", "### addr_opndd", "structure-syntax", "addr_opndd"),
    Plant("5_operands.md", "### addr_opnd", "addr_opnd", "structure-syntax", "addr_opnd {"),
    Plant("verification.md", "| Limit | Value |", "| Limit Value |", "table-broken", "| Limit Value |"),
];

/// Mistakes that only our grammar can have.
const OURS: &[Plant] = &[
    Plant("lists.md", "| 0b101 | 32", "| 0b100 | 32", "enumerator-duplicate", "| 0b100 | 32"),
    Plant("lists.md", "| 0b101 | 32", "| 0b1101 | 32", "enumerator-range", "| 0b1101 | 32"),
    Plant("lists.md", "| 0b101 | 32", "| 0b101 | 16", "enumerator-duplicate", "| 0b101 | 16"),
    Plant("lists.md", "| 0b101 | 32", "| 0b10l | 32", "enumerator-value", "0b10l"),
    Plant("lists.md", "| 0b101 | 32", "| 0b101 | ", "enumerator-name", "| 0b101 | "),
    Plant("lists.md", "| \"x16\" |", "| x16 |", "enumerator-text", "x16 |"),
    Plant("lists.md", "| 32 | 32 |", "| 32 | many |", "column-cell", "many |"),
    Plant("lists.md", "| 32 | 32 |", "| 32 | 3Z |", "column-cell", "3Z |"),
    Plant("lists.md", "| 32 | 32 |", "| 32 | 99999999999999999999 |", "column-cell", "99999999999999999999"),
    Plant("lists.md", "| 32 | 32 |", "| 32 | |", "column-cell", "| 0b101 | 32 | |"),
    Plant("lists.md", "| M8 | 28 | no |", "| M8 | 28 | maybe |", "column-cell", "maybe |"),
    Plant("lists.md", "| uc, wb | uc, wb |", "| uc, wb | uc, wv |", "column-cell", "uc, wv"),
    Plant("lists.md", "| UD, D | yes |", "| UD, I | yes |", "column-cell", "UD, I"),
    Plant("lists.md", "| Elements | Destination |", "| Elements | elements |", "column-name", "elements |"),
    Plant("lists.md", "| [Vectors](#lsc_elems) |", "| [Vectors](#lsc_quad) |", "column-cell", "1, 2, 3, 4, 8"),
    Plant("2_datatypes.md", "| 4 | F |", "| 4 | FF |", "column-cell", "FF |"),
    Plant("4_object_format.md", "| T0 | slm |", "| T0 | slmm |", "column-cell", "slmm |"),
    Plant("5_operands.md", "UW offset;", "UZ offset;", "type-unknown", "UZ offset"),
    Plant("instructions/ADD3.md", "{XEHP+}", "{DG2+}", "platform-contradiction", "[ADD3 - @6_instructions.md"),
    Plant("instructions/ADD3.md", "{XEHP+}", "{XEHQ+}", "platform-unknown", "{XEHQ+}"),
    Plant("lists.md", "## Exec_size(ub)", "## Exec_siz(ub)", "list-unknown", "#exec_size@instructions/ADD.md"),
    Plant("instructions/ADD.md", "lists.md#exec_size", "list.md#exec_size", "link-dead", "list.md#exec_size"),
    Plant("instructions/ADDC.md", "Access: write", "Access: writes", "access-syntax", "Access: writes"),
    Plant("instructions/ADDC.md", ". Access: write", "", "semantics-assign", "carry[i]"),
    Plant("verification.md", "| `any-value` |", "| `Any value` |", "rule-syntax", "`Any value`"),
    Plant("verification.md", "| `free-mask` |", "| `odd-channel` |", "rule-syntax", "SVM_BLOCK_LD"),
    Plant(
        "verification.md",
        "| `free-mask` | last-channel |",
        "| `free-mask` | last-channels |",
        "rule-syntax",
        "SVM_BLOCK_LD",
    ),
    Plant(
        "verification.md",
        "| source | `is_integer(it)` | warning |",
        "| sources | `is_integer(it)` | warning |",
        "rule-syntax",
        "sources",
    ),
    Plant(
        "verification.md",
        "| source | `is_integer(it)` | warning |",
        "| source | `is_integer(it)` | warn |",
        "rule-syntax",
        "warn ",
    ),
    Plant(
        "verification.md",
        "`!before_first`",
        "`type(it) == Data_type.F`",
        "semantics-value",
        "it) == Data_type.F` | warning | refused",
    ),
    Plant("verification.md", "typed, -logic,", "typed, -logics,", "rule-dead", "`arithmetic`"),
    // Roles, and the columns that stand for behaviour.
    Plant("roles.md", "| BARRIER, SBARRIER,", "| BARIER, SBARRIER,", "rule-dead", "`barrier`"),
    Plant(
        "lists.md",
        "lsc_store_uncompressed | store |",
        "lsc_store_uncompressed | - |",
        "column-cell",
        "lsc_store_uncompressed",
    ),
    Plant("lists.md", "| 2 | no | exchange_if_first |", "| 2 | no | - |", "column-cell", "lsc_atomic_icas"),
    Plant("lists.md", "(#atomic_update) | [Numbers]", "(#atomic_updates) | [Numbers]", "column-link", "| Code"),
    Plant("verification.md", "SAD2, SAD2ADD", "SAD2, SADD", "rule-dead", "SADD"),
    Plant("verification.md", "{ICLLP}, {TGLLP}", "{ICLLP}, {TGL9}", "platform-unknown", "{TGL9}"),
    // Conditions: names, kinds, notation.
    Plant("verification.md", "| `typed-surface` |", "| `no-slm` |", "rule-syntax", "| `no-slm` | GATHER4_TYPED"),
    Plant("verification.md", "GATHER4_TYPED, SCATTER4_TYPED | |", "GATHER_TYPED | |", "rule-dead", "GATHER_TYPED"),
    Plant("verification.md", "| MEDIA_LD, MEDIA_ST |", "| MEDIA_LD, ADD |", "semantics-name", "block_height"),
    Plant("verification.md", "| {-SKL} |", "| {-SKX} |", "platform-unknown", "{-SKX}"),
    Plant("verification.md", "`bytes_of(dst) == 4`", "`bytes_of(dts) == 4`", "semantics-name", "dts"),
    Plant("verification.md", "`surface != %slm`", "`surface != %sml`", "semantics-name", "%sml"),
    Plant("verification.md", "== Lsc_fence_op.none", "== Lsc_fence_op.nome", "semantics-enumerator", "nome"),
    Plant("verification.md", "== Data_type.UD", "== Data_type.UX", "semantics-enumerator", "UX"),
    Plant("verification.md", "!op.pixel_null_mask", "!op.pixel_mask", "semantics-name", "pixel_mask"),
    Plant("verification.md", "`!lscsfid.cached`", "`!lscsfid.cache`", "semantics-name", "cache`"),
    Plant("verification.md", "Lsc_op.kind.atomic", "Lsc_op.kind.atom", "semantics-enumerator", "atom`"),
    Plant(
        "verification.md",
        "includes(op.op.types, ",
        "includes(op.op.operands, ",
        "semantics-operand",
        "op.op.operands,",
    ),
    Plant("verification.md", "`popcount(addrscale) <= 1`", "`popcnt(addrscale) <= 1`", "semantics-name", "popcnt"),
    Plant("verification.md", "`exec_size <= 16`", "`exec_size + 16`", "semantics-value", "exec_size + 16"),
    Plant(
        "verification.md",
        "&& constant(surface) == 0",
        "&& constant(surface)",
        "semantics-value",
        "constant(surface)",
    ),
    Plant("verification.md", "`is_state(dst) ", "`dst == 1 ", "semantics-value", "dst == 1"),
    Plant("verification.md", "`exec_size == 1` |", "`exec_size == 1 2` |", "semantics-syntax", "2` |"),
    Plant("verification.md", "`exec_size == 1` |", "exec_size == 1 |", "rule-syntax", "exec_size == 1 |"),
    Plant("verification.md", "`block_height <= media_rows && ", "`", "rule-dead", "`media_rows`"),
    Plant("verification.md", "(constant(desc) >> 25 & 0xf)` | |", "3` | | |", "table-cells", "`numsrc"),
];

#[test]
fn in_our_pages() {
    let spec = visakit_testing::root().join("spec");
    let scratch = Scratch::new(&spec, "ours");
    scratch.check(COMMON);
    scratch.check(OURS);
    scratch.check(WORDS);
    scratch.check(MARKUP);
}

#[test]
fn in_the_documents() {
    let Some(folder) = visakit_testing::upstream("in_the_documents") else { return };
    for revision in ["2022-12", "2025-02"] {
        let scratch = Scratch::new(&folder.join(revision), revision);
        scratch.check(COMMON);
        scratch.check(VENDOR);
    }
}

/// Copy of a specification for planted mistakes.
struct Scratch {
    folder: PathBuf,
    known: BTreeSet<(String, &'static str, String)>,
}

impl Scratch {
    fn new(from: &Path, name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("planted-{name}"));
        let _ = fs::remove_dir_all(&folder);
        copy(from, &folder);
        let known = read(&folder).iter().map(key).collect();
        Self { folder, known }
    }

    #[track_caller]
    fn check(&self, plants: &[Plant]) {
        let mut missed = Vec::new();
        for Plant(file, old, new, code, place) in plants {
            let path = self.folder.join(file);
            let text = fs::read_to_string(&path).unwrap();
            if !text.contains(old) {
                missed.push(format!("{file} has no `{old}`"));
                continue;
            }
            fs::write(&path, text.replacen(old, new, 1)).unwrap();
            let (line, place_file) = place.split_once('@').unwrap_or((place, file));
            let findings = read(&self.folder);
            fs::write(&path, &text).unwrap();
            let found = findings.iter().any(|d| {
                d.code == *code
                    && d.file.ends_with(place_file)
                    && d.quote.contains(line)
                    && !self.known.contains(&key(d))
            });
            if !found {
                let others: Vec<_> =
                    findings.iter().filter(|d| !self.known.contains(&key(d))).map(Diagnostic::one_line).collect();
                missed.push(format!("{code} at `{line}` for `{old}` -> `{new}` in {file}; found {others:#?}"));
            }
        }
        assert!(missed.is_empty(), "{}:\n{}", self.folder.display(), missed.join("\n"));
    }
}

/// Returns the identity of a finding without its line number, which planted mistakes may change.
fn key(d: &Diagnostic) -> (String, &'static str, String) {
    (d.file.clone(), d.code, format!("{} {}", d.quote, d.message))
}

fn read(folder: &Path) -> Vec<Diagnostic> {
    visakit_codegen::read_dir(folder).unwrap().1
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, target).unwrap()),
        }
    }
}
