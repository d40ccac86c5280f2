//! Probes for list columns about channels and regions: the emulator runs small programs whose
//! results follow from the pages.

use visakit_codegen::anatomy::{ColumnId, PartId};
use visakit_codegen::model::{CellValue, Enumerator};

use crate::expect::meaning::{Bits, BitsKind, bits_of};
use crate::expect::world::World;
use crate::finding::{Difference, Fact, Tally, same};
use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{self, Options, Policy, Program};
use visakit_zebin::info;

/// Number of channels of the thread.
const CHANNELS: u64 = 32;

/// Number of enabled channels at dispatch. An instruction that obeys the execution mask skips the
/// others.
const ENABLED: u64 = 22;

/// Bits of the predicate `P1`, without a repeating pattern.
const PREDICATE: u32 = 0xb2e1_d86d;

/// Number of bytes that a case writes.
const BYTES: usize = 128;

/// Statement, and the expected words of `T`, which is zero before.
struct Case {
    fact: Fact,
    statement: String,
    expected: Vec<u16>,
}

/// Runs all cases in one program; if it fails, runs each in its own program.
pub(crate) fn all(world: &World<'_>, tally: &mut Tally) {
    let mut cases = sizes(world);
    cases.extend(strides(world));
    match run_all(&cases) {
        Ok(found) => cases.iter().zip(found).for_each(|(case, found)| judge(case, Ok(found), tally)),
        Err(_) => {
            for case in &cases {
                let found = run_all(std::slice::from_ref(case)).map(|mut found| found.remove(0));
                judge(case, found, tally);
            }
        }
    }
}

fn judge(case: &Case, found: Result<Vec<u16>, String>, tally: &mut Tally) {
    let message = format!("executing `{}`", case.statement);
    let show = |words: &[u16]| {
        let end = words.iter().rposition(|w| *w != 0).map_or(0, |last| last + 1);
        words[..end].iter().map(u16::to_string).collect::<Vec<_>>().join(" ")
    };
    let expected = show(&case.expected);
    let result = match found {
        Ok(found) => same("execution", message, expected, show(&found)),
        Err(got) => Err(Difference { code: "execution", message, expected, got }),
    };
    tally.probe(case.fact.clone(), result);
}

/// Returns the named values of a part with the number or flag in a column.
fn said<'m>(world: &World<'m>, part: PartId, column: ColumnId) -> Vec<(&'m Enumerator, Option<i64>)> {
    let Some(Bits { what: BitsKind::Values(values), .. }) = bits_of(world.model, part) else { return Vec::new() };
    let values = values.iter().filter(|v| !v.reserved);
    let said = values.map(|v| {
        let number = match v.cells.get(column.position).map(|cell| &cell.value) {
            Some(CellValue::Number(number)) => Some(*number),
            Some(CellValue::Flag(flag)) => Some((*flag).into()),
            _ => None,
        };
        (v, number)
    });
    said.collect()
}

/// Returns cases for every execution size and first channel, with and without the execution mask.
/// They show the written elements and the deciding bits of mask and predicate.
fn sizes(world: &World<'_>) -> Vec<Case> {
    let sizes = &world.anatomy.exec_size;
    let first = said(world, sizes.mask, sizes.first_channel);
    let no_mask = said(world, sizes.mask, sizes.no_mask);
    let mut out = Vec::new();
    for ((mask, first), (_, no_mask)) in first.into_iter().zip(no_mask) {
        for (size, channels) in said(world, sizes.size, sizes.channels) {
            let (Some(first), Some(channels)) = (first.map(|n| n as u64), channels.map(|n| n as u64)) else {
                continue;
            };
            if channels == 0 || first % channels != 0 || first + channels > CHANNELS {
                continue;
            }
            let enabled = |channel: u64| (no_mask == Some(1) || channel < ENABLED) && PREDICATE >> channel & 1 == 1;
            let list = &world.model.list(sizes.list).name;
            out.push(Case {
                fact: Fact::new("execution", format!("{list}.{}:{}", mask.name, size.name), mask.at),
                statement: format!("(P1) mov ({}, {}) T(0,0)<1> 0x1:uw", mask.text, size.text),
                expected: (0..channels).map(|i| enabled(first + i).into()).collect(),
            });
        }
    }
    out
}

/// Function that builds a statement, and the words it writes, from a value's text and number.
type Probe<'a> = &'a dyn Fn(&str, u64) -> Option<(String, Vec<u64>)>;

/// Returns cases for every stride and width. Each byte of `S` holds its own index, so the words of
/// `T` show the elements that were read.
fn strides(world: &World<'_>) -> Vec<Case> {
    let region = &world.anatomy.region;
    let mut out = Vec::new();
    let mut add = |part: PartId, what: &str, case: Probe<'_>| {
        for (value, elements) in said(world, part, region.elements) {
            let Some(elements) = elements.and_then(|n| u64::try_from(n).ok()) else { continue };
            let Some((statement, expected)) = case(&value.text, elements) else { continue };
            let list = &world.model.list(region.elements.list).name;
            out.push(Case {
                fact: Fact::new("execution", format!("{list}.{}:{what}", value.name), value.at),
                statement,
                expected: expected.into_iter().map(|n| n as u16).collect(),
            });
        }
    };
    let source = |size, region: String| format!("mov (M1_NM, {size}) T(0,0)<1> S(0,0)<{region}>");
    add(region.vertical_stride, "vertical", &|text, v| Some((source(2, format!("{text};1,0")), vec![0, v])));
    add(region.width, "width", &|text, w| {
        let rows = |i: u64| i.checked_div(w);
        Some((source(16, format!("1;{text},0")), (0..16).map(rows).collect::<Option<_>>()?)).filter(|_| w <= 16)
    });
    add(region.horizontal_stride, "horizontal", &|text, h| {
        let used = h <= 4;
        used.then(|| (source(4, format!("16;4,{text}")), (0..4).map(|i| i * h).collect()))
    });
    // A separate column has the strides of destinations; its rule is probed through the validator.
    add(region.horizontal_stride, "destination", &|text, h| {
        let h = usize::try_from(h).ok().filter(|h| (1..=4).contains(h))?;
        let mut expected = vec![0; 4 * h];
        (1..=4).for_each(|i| expected[(i as usize - 1) * h] = i);
        Some((format!("mov (M1_NM, 4) T(0,0)<{text}> S(0,1)<1;1,0>"), expected))
    });
    out
}

/// Runs the cases in sequence in one thread. Returns the words that each case writes.
fn run_all(cases: &[Case]) -> Result<Vec<Vec<u16>>, String> {
    let mut text = format!(
        ".version 4.1\n.kernel \"k\"\n\
         .decl OUT v_type=G type=uq num_elts=1 align=qword\n\
         .decl T v_type=G type=uw num_elts=64 align=GRF\n\
         .decl TD v_type=G type=ud num_elts=32 alias=<T, 0>\n\
         .decl S v_type=G type=ub num_elts=64 align=GRF\n\
         .decl SD v_type=G type=ud num_elts=16 alias=<S, 0>\n\
         .decl P1 v_type=P num_elts=32\n\
         .input OUT offset=64 size=8\n\
         .kernel_attr SimdSize={CHANNELS}\n\
         .function \"main\"\nmain:\n    \
         setp (M1_NM, 32) P1 0x{PREDICATE:x}:ud\n"
    );
    for dword in 0..16u8 {
        let bytes = u32::from_le_bytes(std::array::from_fn(|i| 4 * dword + i as u8));
        text += &format!("    mov (M1_NM, 1) SD({},{})<1> 0x{bytes:x}:ud\n", dword / 8, dword % 8);
    }
    for case in cases {
        text += &format!(
            "    mov (M1_NM, 16) TD(0,0)<1> 0x0:ud\n    mov (M1_NM, 16) TD(2,0)<1> 0x0:ud\n    {}\n    \
             svm_block_st (8) OUT(0,0)<0;1,0> T.0\n    \
             add (M1_NM, 1) OUT(0,0)<1> OUT(0,0)<0;1,0> 0x{BYTES:x}:ud\n",
            case.statement
        );
    }
    text += "    ret (M1, 1)\n";
    let layout = format!(
        "kernels:\n  - name: k\n    execution_env: {{ simd_size: {CHANNELS} }}\n    payload_arguments:\n      \
         - {{ arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }}\n"
    );
    let layout = info::parse("k", &layout).map_err(|e| e.message.clone())?.kernels.pop().ok_or("no kernel")?;
    let first = |all: Vec<visakit_diag::Diagnostic>| all.first().map_or(String::new(), |e| e.message.clone());
    let loaded = Program::from_text("k.visaasm", &text, layout, Platform::default());
    let program = loaded.map_err(|all| first(all.into_vec()))?;
    let range = NdRange::new(&[ENABLED], Some(&[ENABLED]), None, [0; 3]).map_err(|e| e.message.clone())?;
    let options = Options::from(Policy { threads: Some(1), engine: run::Engine::Interpreter, ..Policy::default() });
    let arguments = vec![Some(Argument::Buffer(vec![0; BYTES * cases.len()]))];
    let outcome = run::launch(&program, &range, arguments, &options).map_err(|e| e.to_string())?;
    let bytes = outcome.buffers.into_iter().next().flatten().ok_or("no buffer")?;
    let words = |chunk: &[u8]| -> Vec<u16> { chunk.as_chunks().0.iter().map(|w| u16::from_le_bytes(*w)).collect() };
    Ok(bytes.chunks(BYTES).map(words).collect())
}
