//! Tests of the behaviour comparison itself: it must find deliberately wrong pages and kernels, one
//! at a time.
//!
//! The ordinary test run tries a few wrong kernels. Wrong pages take minutes and are run by hand:
//! `cargo test -p visakit-conform --test judged -- --include-ignored --nocapture`. This tries a
//! sample. `VISAKIT_JUDGE=whole` tries all, `VISAKIT_JUDGE=3D_LOAD,INFO` all of some pages, and
//! `VISAKIT_JUDGE=7/40` every fortieth, starting with number 7. The tests print the share of
//! mistakes that were found.

#[path = "judged/anywhere.rs"]
mod anywhere;

use visakit_codegen::model::{Model, Page};
use visakit_conform::behaviour::{Effort, Slip, Wrong, compare_only};
use visakit_conform::own_pages;
use visakit_emulator::machine::format::{ComponentOrder, ComponentType};
use visakit_emulator::machine::sampler::{Addressing, Compare};

/// Sampling interval of an ordinary run.
const SAMPLE: usize = 16;

/// Sampling interval for wrong kernels in the test command.
const QUICK_SAMPLE: usize = 90;

/// Mistakes in pages: a text and its replacement.
const SLIPS: &[(&str, &str)] = &[
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " + "),
    (" / ", " * "),
    (" % ", " / "),
    (" & ", " | "),
    (" | ", " & "),
    (" ^ ", " & "),
    (" << ", " >> "),
    (" >> ", " << "),
    (" >>> ", " << "),
    (" == ", " != "),
    (" != ", " == "),
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    ("src0[i]", "src0[i + 1]"),
    ("src1[i]", "src1[i + 1]"),
    ("src1[i]", "src0[i]"),
    ("dst[i] =", "dst[i + 1] ="),
    ("min(", "max("),
    ("max(", "min("),
    ("floor(", "trunc("),
    ("ceil(", "floor("),
    ("rint(", "trunc("),
    ("trunc(", "rint("),
    ("params[0]", "params[1]"),
    ("params[1]", "params[2]"),
    (", ou, ov", ", ov, ou"),
    ("bits(channels) >> c", "bits(channels) >> (3 - c)"),
    ("moved(channels, c)", "moved(channels, 3 - c)"),
    ("surface, c,", "surface, 3 - c,"),
    (", u[i], v[i]", ", v[i], u[i]"),
    ("resinfo(surface, c", "resinfo(surface, (c + 1) % 4"),
    ("sin(", "cos("),
    ("cos(", "sin("),
    ("exp2(", "log2("),
    ("log2(", "exp2("),
    ("sqrt(", "inv("),
    ("inv(", "sqrt("),
    ("tanh(", "sigmoid("),
    ("31", "30"),
    ("32", "31"),
    ("63", "31"),
    ("? 1 : 0", "? 0 : 1"),
    ("? -1 : 0", "? 1 : 0"),
    ("1.0", "2.0"),
    ("pred[i] ?", "!pred[i] ?"),
    ("0..4", "0..3"),
    ("127", "128"),
    ("255", "127"),
    ("0xffffffff", "0xffff"),
    ("1)", "2)"),
    ("fma(src0[i], src1[i], src2[i])", "src0[i] * src1[i] + src1[i]"),
    (", src2[i])", ", src1[i])"),
    ("!src0[i]", "src0[i]"),
    ("~src0[i]", "src0[i]"),
    ("~mask", "mask"),
    ("to_bf8", "to_hf8"),
    ("abs(src0[i] - src1[i])", "(src0[i] - src1[i])"),
];

/// Mistakes that change no legal instruction's result: page, text and replacement, with the reason.
const SAME: &[(&str, &str, &str)] = &[
    // Only the low byte is stored.
    ("MEDIA_ST", "raw(src, y * pitch + x, 1)", "raw(src, y * pitch + x, 2)"),
    // Only the low byte is loaded; the result of two bytes at an odd address is undefined.
    ("GATHER_SCALED", "element_offset[i] + n, 1)", "element_offset[i] + n, 2)"),
    ("SCATTER_SCALED", "raw(src, i * 4 + n, 1)", "raw(src, i * 4 + n, 2)"),
    // Registers have an even size, and legal messages round their transfer size up to it.
    ("LSC_TYPED", "grf_bytes - 1)", "grf_bytes - 2)"),
    ("LSC_TYPED", "(exec_size * r", "(exec_size + r"),
    // A rectangle has at most 32 rows, so a block of one column ends within a register.
    ("LSC_UNTYPED", "m + grf_bytes - 1)", "m + grf_bytes - 2)"),
    // The type is an unsigned 32-bit integer.
    ("LSC_UNTYPED", "low(surfaceheight, 32)", "low(surfaceheight, 33)"),
    // Only the low byte is stored.
    ("LSC_TYPED", "raw(src1data, y * row + x, 1)", "raw(src1data, y * row + x, 2)"),
    ("SCATTER4_SCALED", "(n * pitch + i) * 4, 4)", "(n * pitch + i) * 4, 5)"),
    // The additional bytes are read but not stored.
    ("GATHER4_SCALED", "element_offset[i] + c * 4, 4)", "element_offset[i] + c * 4, 5)"),
    // Omitted elements are undefined, so they cannot differ.
    ("GATHER_SCALED", "num_blocks..4", "num_blocks..5"),
    (
        "LSC_UNTYPED",
        "} else if lscsubop == Lsc_op.lsc_apndctr_atomic_add || lscsubop == Lsc_op.lsc_apndctr_atomic_sub || lscsubop == Lsc_op.lsc_apndctr_atomic_store {",
        "} else if !(lscsubop == Lsc_op.lsc_apndctr_atomic_add || lscsubop == Lsc_op.lsc_apndctr_atomic_sub || lscsubop == Lsc_op.lsc_apndctr_atomic_store) {",
    ),
    // The mask has four bits, so the last index is three.
    ("GATHER4_SCALED", "0..4", "0..5"),
    // Page and kernel both clear the bits above the element.
    ("GATHER", "elt_size * 8)", "elt_size * 9)"),
    // Volumes do not support gathering four texels.
    ("3D_SAMPLE4", "(aoffimmi & 8)", "(aoffimmi & 9)"),
];

fn whole() -> bool {
    std::env::var("VISAKIT_JUDGE").is_ok_and(|value| value == "whole")
}

/// Returns the pages to judge completely, if the environment names any.
fn only() -> Option<Vec<String>> {
    let pages = std::env::var("VISAKIT_JUDGE").ok().filter(|value| value != "whole" && !value.contains('/'))?;
    Some(pages.split(',').map(str::to_owned).collect())
}

/// Returns the sample from the environment, as (first, interval).
fn part() -> Option<(usize, usize)> {
    let value = std::env::var("VISAKIT_JUDGE").ok()?;
    let (nth, of) = value.split_once('/')?;
    Some((nth.parse().ok()?, of.parse().ok().filter(|of| *of > 0)?))
}

/// Returns true if the sample includes the n-th mistake of a page.
fn is_tried(n: usize, page: &str, sample: usize) -> bool {
    match (only(), part()) {
        (_, Some((nth, of))) => n % of == nth,
        (Some(pages), _) => pages.iter().any(|only| only == page),
        (None, None) => whole() || n.is_multiple_of(sample),
    }
}

/// Returns the minimum number of mistakes in a sample.
fn at_least(sample: usize) -> usize {
    if only().is_some() || part().is_some() {
        0
    } else if whole() {
        100
    } else {
        sample
    }
}

/// Returns every mistake of every block as (page, description, text of the page).
fn slips() -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for page in own_pages().filter(|page| page.path.starts_with("instructions/")) {
        let Some(start) = page.text.find("## Semantics").filter(|_| !page.text.contains("\nundefined\n")) else {
            continue;
        };
        let end = start + page.text[start..].find("## Description").unwrap_or(0);
        let block = &page.text[start..end];
        let named = SLIPS.iter().flat_map(|(from, to)| {
            // Skip matches inside longer names.
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let whole = move |at: &usize| !(from.starts_with(is_word) && block[..*at].ends_with(is_word));
            let places = block.match_indices(from).take(2).map(|(at, _)| at).filter(whole);
            places.map(|at| (at, at + from.len(), (*to).to_owned()))
        });
        for (from, to, instead) in named.chain(anywhere::slips(block)) {
            let (from, to) = (start + from, start + to);
            // Skip statements whose result is undefined anyway.
            let line = page.text[..from].rfind('\n').map_or(0, |n| n + 1);
            if page.text[line..].lines().next().is_some_and(|line| line.contains("loose(0, 0)")) {
                continue;
            }
            let text = format!("{}{instead}{}", &page.text[..from], &page.text[to..]);
            let line = page.text[..from].matches('\n').count() + 1;
            let is_same = SAME
                .iter()
                .any(|(name, said, then)| page.stem() == *name && page.text.replacen(said, then, 1) == text);
            if !is_same {
                let said = &page.text[from..to];
                out.push((page.stem().to_owned(), format!("{}:{line} `{said}` for `{instead}`", page.path), text));
            }
        }
    }
    out
}

fn model_with(stem: &str, text: &str) -> Model {
    let file = format!("instructions/{stem}.md");
    let pages = own_pages().map(|page| match page.path == file {
        true => Page { text: text.to_owned(), ..page },
        false => page,
    });
    visakit_codegen::read_texts(pages.collect()).0
}

/// Returns the name of an instruction on its page.
fn name_of(text: &str) -> Option<String> {
    let line = text.lines().skip_while(|line| !line.contains("## Opcode")).find(|line| line.contains('='))?;
    Some(line.split('=').next()?.trim().to_owned())
}

#[test]
#[ignore = "takes minutes"]
fn wrong_pages_are_found() {
    let (own, _) = visakit_conform::own_model();
    let mut lost = Vec::new();
    let mut tried = 0;
    for (n, (stem, what, text)) in slips().into_iter().enumerate() {
        if !is_tried(n, &stem, SAMPLE) {
            continue;
        }
        let Some(name) = name_of(&text).and_then(|name| visakit::isa::PAGES.iter().find(|p| p.name == name)) else {
            continue;
        };
        // Skip pages that cannot be compared at all.
        if compare_only(&own, name, &Effort { routines: 1, ..Effort::QUICK }).is_err() {
            continue;
        }
        tried += 1;
        match compare_only(&model_with(&stem, &text), name, &Effort::QUICK) {
            Ok(Some(_)) => {}
            Ok(None) => lost.push(what),
            Err(why) => lost.push(format!("{what}: {why}")),
        }
    }
    println!("{} of {tried} wrong pages found", tried - lost.len());
    assert!(tried > at_least(5), "{tried}");
    assert!(lost.is_empty(), "not found:\n{}", lost.join("\n"));
}

/// Random instructions include queries for an element that the end of a buffer cuts off, for
/// messages of up to 32 channels.
#[test]
fn the_end_of_a_buffer_is_asked_for_to_the_byte() {
    let page = own_pages().find(|page| page.stem() == "LSC_UNTYPED").expect("the pages have it");
    let name = visakit::isa::PAGES.iter().find(|p| p.name == "LSC_UNTYPED").expect("the pages have it");
    for (said, then) in [
        ("dataelemsperaddr * m) {", "1) {"),
        ("dataelemsperaddr * m) {", "m) {"),
        ("dataelemsperaddr * m) {", "dataelemsperaddr * m - 1) {"),
        ("dataelemsperaddr * m) {", "dataelemsperaddr * m + 1) {"),
        ("status | 1 << i", "status | 1 << i % 16"),
    ] {
        let text = page.text.replacen(said, then, 1);
        assert_ne!(text, page.text, "the page has no `{said}`");
        let model = model_with("LSC_UNTYPED", &text);
        for first in [0, 1000] {
            // A query is one of several results, so that some routines of a quick run have none.
            let effort = Effort { first, routines: 2 * Effort::QUICK.routines, ..Effort::QUICK };
            let found = compare_only(&model, name, &effort);
            assert!(matches!(found, Ok(Some(_))), "`{said}` for `{then}` is not found from routine {first} on");
        }
    }
}

/// Changes the result of a wrong kernel.
type Change = fn(old: u64, new: u64, bytes: u32, nth: u32) -> u64;

const CHANGES: &[(&str, Change)] = &[
    ("the highest bit of one channel", |_, new, bytes, nth| if nth == 1 { new ^ 1 << (bytes * 8 - 1) } else { new }),
    ("one channel is not written", |old, new, _, nth| if nth == 0 { old } else { new }),
    ("four more", |_, new, _, _| new.wrapping_add(4)),
    ("the last channel of many", |_, new, _, nth| if nth == 15 { new ^ 1 } else { new }),
    ("a wrong last bit now and then", |_, new, _, _| if new & 7 == 5 { new ^ 1 } else { new }),
    ("the upper half is lost", |_, new, bytes, _| new & ((1 << (bytes * 4)) - 1)),
    ("one for zero", |_, new, _, _| if new == 0 { 1 } else { new }),
    // The sign of a NaN is arbitrary.
    ("the sign of what is negative", |_, new, bytes, _| {
        let infinity = [0, 0, 0x7c00, 0, 0x7f80_0000, 0, 0, 0, 0x7ff0 << 48][bytes as usize];
        if new & infinity == infinity { new } else { new & !(1 << (bytes * 8 - 1)) }
    }),
    ("no change where it was odd", |old, new, _, _| if old & 1 == 1 { old } else { new }),
    ("zero where the lowest bit is set", |_, new, _, _| if new & 1 == 1 { 0 } else { new }),
];

/// Changes that the page allows: undefined elements, and the sign of a zero.
const ALLOWED: &[(&str, &str)] = &[
    ("SAD2", "the sign of what is negative"),
    ("SAD2ADD", "the last channel of many"),
    ("SQRT", "the sign of what is negative"),
];

#[test]
fn wrong_kernels_are_found() {
    let (model, _) = visakit_conform::own_model();
    let (mut lost, mut tried) = (Vec::new(), 0);
    let pages = visakit::isa::PAGES.iter().flat_map(|page| CHANGES.iter().map(move |change| (page, change)));
    for (n, (page, (what, change))) in pages.enumerate() {
        if !is_tried(n, page.name, QUICK_SAMPLE) || ALLOWED.contains(&(page.name, what)) {
            continue;
        }
        let wrong = Wrong { page: page.name, how: Slip::Result(*change) };
        match compare_only(&model, page, &Effort { wrong: Some(wrong), ..Effort::QUICK }) {
            Ok(Some(_)) => tried += 1,
            Ok(None) => {
                tried += 1;
                lost.push(format!("{}: {what}", page.name));
            }
            Err(_) => {}
        }
    }
    println!("{} of {tried} wrong kernels found", tried - lost.len());
    assert!(tried > at_least(1), "{tried}");
    assert!(lost.is_empty(), "not found:\n{}", lost.join("\n"));
}

/// Pages that access images: by texels, by bytes, or through a sampler.
const TEXELS: &[&str] = &["3D_LOAD", "GATHER4_TYPED", "SCATTER4_TYPED", "LSC_TYPED"];
const LOADS: &[&str] = &["3D_LOAD", "GATHER4_TYPED", "LSC_TYPED"];
const ATOMIC: &[&str] = &["TYPED_ATOMIC"];
const BYTES: &[&str] = &["MEDIA_LD", "MEDIA_ST"];
const BYTE_STORES: &[&str] = &["MEDIA_ST"];
const INFO: &[&str] = &["INFO"];
const SAMPLED: &[&str] = &["3D_SAMPLE", "3D_SAMPLE4"];
const FILTERED: &[&str] = &["3D_SAMPLE"];

/// Wrong images and samplers for kernels, with the affected pages.
const MISTAKEN: &[(&str, Slip, &[&[&str]])] = &[
    ("a column more", Slip::Image(|image| image.desc.size[0] += 1), &[TEXELS, ATOMIC, BYTES, INFO, SAMPLED]),
    ("a column less", Slip::Image(|image| image.desc.size[0] -= 1), &[TEXELS, ATOMIC, BYTES, INFO, SAMPLED]),
    // The result of MEDIA_LD outside the image is undefined.
    ("a row more", Slip::Image(|image| image.desc.size[1] += 1), &[TEXELS, ATOMIC, BYTE_STORES, INFO, SAMPLED]),
    ("a slice more", Slip::Image(|image| image.desc.size[2] += 1), &[TEXELS, ATOMIC, INFO, SAMPLED]),
    ("a layer more", Slip::Image(|image| image.desc.layers += 1), &[TEXELS, ATOMIC, INFO, SAMPLED]),
    ("no array", Slip::Image(|image| image.desc.is_array = false), &[TEXELS, ATOMIC, INFO, SAMPLED]),
    (
        "a level less",
        Slip::Image(|image| image.desc.levels = (image.desc.levels - 1).max(1)),
        &[TEXELS, ATOMIC, INFO, SAMPLED],
    ),
    ("one sample", Slip::Image(|image| image.desc.samples = 1), &[TEXELS, INFO]),
    ("no pitch", Slip::Image(|image| image.desc.pitch = 0), &[TEXELS, BYTES, SAMPLED]),
    (
        "red for blue",
        Slip::Image(|image| exchange(&mut image.format.order, ComponentOrder::Rgba, ComponentOrder::Bgra)),
        &[TEXELS, SAMPLED],
    ),
    (
        "alpha first for last",
        Slip::Image(|image| exchange(&mut image.format.order, ComponentOrder::Abgr, ComponentOrder::Argb)),
        &[TEXELS, SAMPLED],
    ),
    (
        "no curve",
        Slip::Image(|image| exchange(&mut image.format.order, ComponentOrder::Srgba, ComponentOrder::Rgba)),
        &[TEXELS, SAMPLED],
    ),
    (
        "luminance for intensity",
        Slip::Image(|image| exchange(&mut image.format.order, ComponentOrder::Luminance, ComponentOrder::Intensity)),
        &[LOADS, SAMPLED],
    ),
    (
        "a sign more",
        Slip::Image(|image| exchange(&mut image.format.component, ComponentType::Unorm8, ComponentType::Snorm8)),
        &[TEXELS, SAMPLED],
    ),
    (
        "a sign more in 16 bits",
        Slip::Image(|image| exchange(&mut image.format.component, ComponentType::Unorm16, ComponentType::Snorm16)),
        &[TEXELS, SAMPLED],
    ),
    (
        "a sign more of integers",
        Slip::Image(|image| exchange(&mut image.format.component, ComponentType::Sint8, ComponentType::Uint8)),
        &[TEXELS, SAMPLED],
    ),
    (
        "a sign more of wide integers",
        Slip::Image(|image| exchange(&mut image.format.component, ComponentType::Sint16, ComponentType::Uint16)),
        &[TEXELS, SAMPLED],
    ),
    (
        "halves for integers",
        Slip::Image(|image| exchange(&mut image.format.component, ComponentType::Half, ComponentType::Uint16)),
        &[TEXELS, SAMPLED],
    ),
    (
        "the border for the edge",
        Slip::Sampler(|s| exchange(&mut s.addressing, Addressing::Clamp, Addressing::ClampToEdge)),
        &[SAMPLED],
    ),
    (
        "a mirror for a repetition",
        Slip::Sampler(|s| exchange(&mut s.addressing, Addressing::Mirror, Addressing::Repeat)),
        &[SAMPLED],
    ),
    (
        "the edge for a repetition",
        Slip::Sampler(|s| exchange(&mut s.addressing, Addressing::Repeat, Addressing::ClampToEdge)),
        &[SAMPLED],
    ),
    ("coordinates from 0 to 1", Slip::Sampler(|s| s.normalized = !s.normalized), &[SAMPLED]),
    ("no filter", Slip::Sampler(|s| s.linear = !s.linear), &[FILTERED]),
    ("levels that are not mixed", Slip::Sampler(|s| s.mix_levels = !s.mix_levels), &[FILTERED]),
    ("other levels", Slip::Sampler(|s| s.levels.0 += 0.5), &[SAMPLED]),
    ("the last level", Slip::Sampler(|s| s.levels.1 = 1.0), &[SAMPLED]),
    (
        "less or equal for less",
        Slip::Sampler(|s| exchange(&mut s.compare, Compare::Less, Compare::LessOrEqual)),
        &[SAMPLED],
    ),
    (
        "not equal for equal",
        Slip::Sampler(|s| exchange(&mut s.compare, Compare::Equal, Compare::NotEqual)),
        &[SAMPLED],
    ),
    (
        "greater for not equal",
        Slip::Sampler(|s| exchange(&mut s.compare, Compare::Greater, Compare::NotEqual)),
        &[SAMPLED],
    ),
];

/// Swaps two values of a variable.
fn exchange<T: Copy + PartialEq>(value: &mut T, one: T, other: T) {
    *value = if *value == one {
        other
    } else if *value == other {
        one
    } else {
        *value
    };
}

#[test]
fn mistaken_images_are_found() {
    let (model, _) = visakit_conform::own_model();
    let (mut lost, mut tried) = (Vec::new(), 0);
    let all = MISTAKEN.iter().flat_map(|(what, how, pages)| {
        pages.iter().flat_map(move |pages| pages.iter().map(move |page| (what, how, *page)))
    });
    for (n, (what, how, page)) in all.enumerate() {
        if !is_tried(n, page, QUICK_SAMPLE / 4) {
            continue;
        }
        tried += 1;
        let page = visakit::isa::PAGES.iter().find(|p| p.name == page).expect("the pages have it");
        let wrong = Wrong { page: page.name, how: *how };
        let found = compare_only(&model, page, &Effort { wrong: Some(wrong), ..Effort::QUICK });
        if !matches!(found, Ok(Some(_))) {
            lost.push(format!("{}: {what}", page.name));
        }
    }
    println!("{} of {tried} mistakes about images found", tried - lost.len());
    assert!(tried > at_least(1), "{tried}");
    assert!(lost.is_empty(), "not found:\n{}", lost.join("\n"));
}
