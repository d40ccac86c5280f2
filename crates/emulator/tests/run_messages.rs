//! Messages that the OpenCL compiler rarely or never emits, compared with the same accesses in
//! Rust.

#[macro_use]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{input, numbers, run, run_wide, try_run_on, typed};
use visakit::isa::Platform;

#[test]
fn elements_of_surfaces() {
    let words = numbers();
    let d = typed("ud", "ud") + "\n.decl T6 v_type=T num_elts=1\n.decl O v_type=G type=ud num_elts=16 align=GRF";
    let offsets = "
    movs (M1_NM, 1) T6(0) 0x0:ud
    and (M1, 16) O(0,0)<1> AT(0,0)<1;1,0> 0xf:ud
";
    let places: Vec<usize> = words[..16].iter().map(|x| (x & 15) as usize).collect();
    let gather = format!("{offsets}    gather.4 (M1, 16) T6 0x20:ud O.0 C.0");
    let expected: Vec<u32> = places.iter().map(|&at| words[32 + at]).collect();
    assert_eq!(values_of!(u32, run(&d, &gather, &input()))[..16], expected);
    // Single bytes and words are returned in dwords.
    let bytes = input();
    let gather = format!("{offsets}    gather.1 (M1, 16) T6 0x8:ud O.0 C.0");
    let found = run(&d, &gather, &bytes);
    assert!((0..16).all(|i| found[i * 4] == bytes[8 + places[i]]), "{found:?}");
    let gather = format!("{offsets}    gather.2 (M1, 16) T6 0x4:ud O.0 C.0");
    let found = run(&d, &gather, &bytes);
    assert!((0..16).all(|i| found[i * 4..][..2] == bytes[(4 + places[i]) * 2..][..2]), "{found:?}");

    // Scattered data are read back from another offset.
    let body = "
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1, 8) O(0,0)<1> 0x76543210:uv
    scatter.4 (M1, 8) T6 0x10:ud O.0 A.0
    gather.4 (M1, 8) T6 0x14:ud O.0 C.0";
    let found = values_of!(u32, run(&d, body, &input()));
    let expected: [u32; 8] = std::array::from_fn(|i| words[if i < 4 { i + 4 } else { 20 + i }]);
    assert_eq!(found[..8], expected);
}

#[test]
fn quadwords_of_surfaces() {
    let words = values_of!(u64, input());
    let d = typed("ud", "ud")
        + "\n.decl T6 v_type=T num_elts=1\n.decl O v_type=G type=ud num_elts=16 align=GRF\n\
           .decl Q v_type=G type=uq num_elts=32 align=GRF\n.decl CQ v_type=G type=uq num_elts=32 alias=<C, 0>";
    let body = "
    movs (M1_NM, 1) T6(0) 0x0:ud
    and (M1, 8) O(0,0)<1> AT(0,0)<1;1,0> 0x7:ud
    shl (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 0x3:ud
    qw_gather.2 (M1, 8) T6 O.0 CQ.0";
    let places: Vec<usize> = numbers()[..8].iter().map(|x| (x & 7) as usize).collect();
    let found = values_of!(u64, run_wide(&d, body, &input()));
    for (i, &at) in places.iter().enumerate() {
        assert_eq!([found[i], found[8 + i]], [words[at], words[at + 1]], "channel {i}");
    }
    let body = "
    movs (M1_NM, 1) T6(0) 0x1:ud
    mov (M1, 8) O(0,0)<1> 0x76543210:uv
    shl (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 0x4:ud
    qw_scatter.2 (M1, 8) T6 O.0 A.0
    svm_block_ld (8) OUT(0,0)<0;1,0> C.0
    svm_block_ld (8) OUT2(0,0)<0;1,0> C.128";
    let found = values_of!(u64, run_wide(&d, body, &input()));
    let expected: Vec<u64> = (0..16).map(|i| words[i % 2 * 8 + i / 2]).collect();
    assert_eq!(found[..16], expected);
}

#[test]
fn strided_and_quad_messages() {
    let words = numbers();
    let d = typed("ud", "ud")
        + "\n.decl AD v_type=G type=uq num_elts=16 align=GRF\n.decl I v_type=G type=uq num_elts=16 align=GRF";
    // One address and a stride; a channel's vector occupies one row per element.
    let body = "
    mov (M1_NM, 1) AD(0,0)<1> IN(0,0)<0;1,0>
    lsc_load_strided.ugm (M1, 16) C:d32 flat[AD+0x4, 0xC]:a64";
    let expected: Vec<u32> = (0..16).map(|i| words[1 + i * 3]).collect();
    assert_eq!(values_of!(u32, run_wide(&d, body, &input()))[..16], expected);
    let body = "
    mov (M1_NM, 1) AD(0,0)<1> OUT(0,0)<0;1,0>
    lsc_store_strided.ugm (M1, 16) flat[AD, 0x8]:a64 A:d32
    svm_block_ld (8) OUT(0,0)<0;1,0> C.0
    svm_block_ld (8) OUT2(0,0)<0;1,0> C.128";
    let found = values_of!(u32, run_wide(&d, body, &input()));
    assert_eq!(found[..32], std::array::from_fn::<u32, 32, _>(|i| if i % 2 == 0 { words[i / 2] } else { 0 }));

    // The first, second and last of four numbers per channel.
    let addresses = "
    mov (M1, 8) I(0,0)<1> 0x76543210:uv
    mov (M1, 8) I(1,0)<1> 0x76543210:uv
    add (M1, 8) I(1,0)<1> I(1,0)<1;1,0> 0x8:uq
    shl (M1, 16) I(0,0)<1> I(0,0)<1;1,0> 0x3:uq
    add (M1, 16) AD(0,0)<1> I(0,0)<1;1,0> WHERE(0,0)<0;1,0>";
    let body = addresses.replace("WHERE", "IN") + "\n    lsc_load_quad.ugm (M1, 16) C:d32.xyw flat[AD+0x8]:a64";
    let found = values_of!(u32, run_wide(&d, &body, &input()));
    for i in 0..16 {
        assert_eq!([found[i], found[16 + i], found[32 + i]], [words[2 + i * 2], words[3 + i * 2], words[5 + i * 2]]);
    }
    let body = addresses.replace("WHERE", "OUT")
        + "\n    lsc_store_quad.ugm (M1, 16) flat[AD]:a64 A:d32.xy
    svm_block_ld (8) OUT(0,0)<0;1,0> C.0
    svm_block_ld (8) OUT2(0,0)<0;1,0> C.128";
    let found = values_of!(u32, run_wide(&d, &body, &input()));
    assert_eq!(found[..32], std::array::from_fn::<u32, 32, _>(|i| words[i % 2 * 16 + i / 2]));
    // Status of the addresses.
    let body = addresses.replace("WHERE", "IN")
        + "\n    mov (M1_NM, 1) AD(0,3)<1> 0x10:uq\n    lsc_load_status.ugm (M1, 16) C:d32 flat[AD]:a64";
    assert_eq!(values_of!(u32, run_wide(&d, &body, &input()))[0], 0xfff7);
}

#[test]
fn rectangles_of_surfaces_in_flat_memory() {
    let words = numbers();
    // Seven columns by eight rows, in rows of eight; the rectangle crosses the right edge.
    let body = "
    lsc_store_block2d.ugm (M1, 1) flat[OUT, 0x1B, 0x7, 0x1F, 0x4, 0x2] A:d32.4x4nn
    svm_block_ld (8) OUT(0,0)<0;1,0> C.0
    svm_block_ld (8) OUT2(0,0)<0;1,0> C.128";
    let found = values_of!(u32, run_wide(&typed("ud", "ud"), body, &input()));
    let expected: [u32; 64] = std::array::from_fn(|i| {
        let (x, y) = (i % 8, i / 8);
        if (4..7).contains(&x) && (2..6).contains(&y) { words[(y - 2) * 4 + x - 4] } else { 0 }
    });
    assert_eq!(found[..64], expected);
    let body = "    lsc_load_block2d.ugm (M1, 1) C:d16.2x4x4nt flat[IN, 0x1F, 0x7, 0x1F, 0x2, 0x1]";
    let found = values_of!(u16, run_wide(&typed("ud", "ud"), body, &input()));
    let halves = values_of!(u16, input());
    for (block, y, x) in (0..32).map(|i| (i / 16, i / 4 % 4, i % 4)) {
        // Two rows are interleaved.
        let at = block * 32 + y / 2 * 8 + x * 2 + y % 2;
        assert_eq!(found[at], halves[(1 + y) * 16 + 2 + block * 4 + x], "block {block}, row {y}, column {x}");
    }
}

#[test]
fn elements_change_their_width_on_the_way() {
    let bytes = input();
    let d = typed("ud", "ud")
        + "\n.decl AD v_type=G type=uq num_elts=16 align=GRF\n.decl I v_type=G type=uq num_elts=16 align=GRF";
    let body = |kind: &str, size: u32| {
        format!(
            "
    mov (M1, 8) I(0,0)<1> 0x76543210:uv
    mov (M1, 8) I(1,0)<1> 0x76543210:uv
    add (M1, 8) I(1,0)<1> I(1,0)<1;1,0> 0x8:uq
    mul (M1, 16) I(0,0)<1> I(0,0)<1;1,0> {size:#x}:uq
    add (M1, 16) AD(0,0)<1> I(0,0)<1;1,0> IN(0,0)<0;1,0>
    lsc_load.ugm (M1, 16) C:{kind} flat[AD]:a64"
        )
    };
    let found = run_wide(&d, &body("d8c32", 3), &bytes);
    assert!((0..16).all(|i| found[i * 4] == bytes[i * 3]), "{found:?}");
    let found = run_wide(&d, &body("d16c32", 6), &bytes);
    assert!((0..16).all(|i| found[i * 4..][..2] == bytes[i * 6..][..2]), "{found:?}");
    let found = run_wide(&d, &body("d16c32h", 6), &bytes);
    assert!((0..16).all(|i| found[i * 4..][..4] == [0, 0, bytes[i * 6], bytes[i * 6 + 1]]), "{found:?}");
}

#[test]
fn atomic_operations_of_the_newer_messages() {
    let floats: [f32; 16] = std::array::from_fn(|i| i as f32 * 1.5 - 9.0);
    let d = typed("ud", "ud")
        + "\n.decl AD v_type=G type=uq num_elts=16 align=GRF\n.decl I v_type=G type=uq num_elts=16 align=GRF\n\
           .decl OLD v_type=G type=ud num_elts=16 align=GRF";
    // Each channel has its own number, which is combined with the second half of A.
    let body = |operation: &str, operands: &str| {
        format!(
            "
    mov (M1, 8) I(0,0)<1> 0x76543210:uv
    mov (M1, 8) I(1,0)<1> 0x76543210:uv
    add (M1, 8) I(1,0)<1> I(1,0)<1;1,0> 0x8:uq
    shl (M1, 16) I(0,0)<1> I(0,0)<1;1,0> 0x2:uq
    add (M1, 16) AD(0,0)<1> I(0,0)<1;1,0> IN(0,0)<0;1,0>
    lsc_atomic_{operation}.ugm (M1, 16) OLD:d32 flat[AD]:a64 {operands}
    svm_block_ld (8) IN(0,0)<0;1,0> C.0
    mov (M1, 16) C(1,0)<1> OLD(0,0)<1;1,0>"
        )
    };
    let words = numbers();
    let run = |name: &str, operands: &str, input: &[u8]| values_of!(u32, run_wide(&d, &body(name, operands), input));
    type Update = fn(u32, u32, u32) -> u32;
    let whole: [(&str, Update); 15] = [
        ("iinc", |x, _, _| x.wrapping_add(1)),
        ("idec", |x, _, _| x.wrapping_sub(1)),
        ("load", |x, _, _| x),
        ("store", |_, a, _| a),
        ("iadd", |x, a, _| x.wrapping_add(a)),
        ("isub", |x, a, _| x.wrapping_sub(a)),
        ("smin", |x, a, _| (x as i32).min(a as i32) as u32),
        ("smax", |x, a, _| (x as i32).max(a as i32) as u32),
        ("umin", |x, a, _| x.min(a)),
        ("umax", |x, a, _| x.max(a)),
        ("icas", |x, a, b| if x == a { b } else { x }),
        ("and", |x, a, _| x & a),
        ("or", |x, a, _| x | a),
        ("xor", |x, a, _| x ^ a),
        ("icas", |x, a, b| if x == a { b } else { x }),
    ];
    for (n, (name, update)) in whole.into_iter().enumerate() {
        let mut words = words;
        if n == 14 {
            // This time the comparison succeeds.
            words.copy_within(0..16, 32);
        }
        let operands = match name {
            "iinc" | "idec" | "load" => "%null %null",
            "icas" => "A.128 A.64",
            _ => "A.128 %null",
        };
        let found = run(name, operands, &bytes_of!(words));
        let expected: [u32; 16] = std::array::from_fn(|i| update(words[i], words[32 + i], words[16 + i]));
        assert_eq!((&found[..16], &found[16..32]), (&expected[..], &words[..16]), "{name}");
    }
    let mut input = bytes_of!(floats);
    input.extend(bytes_of!([100.0_f32; 16]));
    input.extend(bytes_of!([2.5_f32; 16]));
    type FloatUpdate = fn(f32, f32, f32) -> f32;
    let of_floats: [(&str, FloatUpdate); 5] = [
        ("fadd", |x, a, _| x + a),
        ("fsub", |x, a, _| x - a),
        ("fmin", |x, a, _| x.min(a)),
        ("fmax", |x, a, _| x.max(a)),
        ("fcas", |x, a, b| if x == a { b } else { x }),
    ];
    for (name, update) in of_floats {
        let found = run(name, if name == "fcas" { "A.128 A.64" } else { "A.128 %null" }, &input);
        let expected = floats.map(|x| update(x, 2.5, 100.0).to_bits());
        assert_eq!(found[..16], expected, "{name}");
    }
    // For a bf16 in memory only its two bytes change; the previous value is returned in the lower
    // half of a dword.
    let high = |x: f32| x.to_bits() >> 16;
    let mut words = numbers();
    for (i, word) in words.iter_mut().enumerate() {
        let value = [floats[i % 16], 100.0, 2.5, 0.0][i / 16];
        *word = *word & 0xffff_0000 | high(value);
    }
    for (name, update) in of_floats {
        let operation = format!("b{name}");
        let operands = if name == "fcas" { "A.128 A.64" } else { "A.128 %null" };
        let text = body(&operation, operands).replace("OLD:d32", "OLD:d16c32");
        let found = values_of!(u32, run_wide(&d, &text, &bytes_of!(words)));
        let expected: [u32; 16] =
            std::array::from_fn(|i| words[i] & 0xffff_0000 | high(update(floats[i], 2.5, 100.0)));
        assert_eq!(found[..16], expected, "{operation}");
        let old = floats.map(high);
        assert_eq!(found[16..32].iter().map(|x| x & 0xffff).collect::<Vec<_>>(), old, "{operation}");
    }
}

#[test]
fn scaled_scatters_to_addresses_and_stores_without_compression() {
    let words = numbers();
    let d = typed("ud", "ud")
        + "\n.decl AD v_type=G type=uq num_elts=16 align=GRF\n.decl I v_type=G type=uq num_elts=16 align=GRF";
    let body = "
    mov (M1, 8) I(0,0)<1> 0x76543210:uv
    shl (M1, 8) I(0,0)<1> I(0,0)<1;1,0> 0x4:uq
    svm_scatter4scaled.RB (M1, 8) OUT(0,0)<0;1,0> I.0 A.0
    svm_block_ld (8) OUT(0,0)<0;1,0> C.0";
    let found = values_of!(u32, run(&d, body, &input()));
    // Red in the first row of eight, blue in the second.
    let expected: [u32; 32] = std::array::from_fn(|i| if i % 2 == 0 { words[i / 4 + i % 4 / 2 * 8] } else { 0 });
    assert_eq!(found[..32], expected);
    let body = "
    mov (M1, 8) I(0,0)<1> 0x76543210:uv
    mov (M1, 8) I(1,0)<1> 0x76543210:uv
    add (M1, 8) I(1,0)<1> I(1,0)<1;1,0> 0x8:uq
    shl (M1, 16) I(0,0)<1> I(0,0)<1;1,0> 0x3:uq
    add (M1, 16) AD(0,0)<1> I(0,0)<1;1,0> OUT(0,0)<0;1,0>
    lsc_store_uncompressed.ugm (M1, 16) flat[AD]:a64 A:d32x2
    svm_block_ld (8) OUT(0,0)<0;1,0> C.0
    svm_block_ld (8) OUT2(0,0)<0;1,0> C.128";
    let found = values_of!(u32, run_wide(&d, body, &input()));
    assert_eq!(found[..32], std::array::from_fn::<u32, 32, _>(|i| words[i % 2 * 16 + i / 2]));
}

#[test]
fn atomic_operations_on_floats_and_words() {
    let floats: [f32; 16] = std::array::from_fn(|i| i as f32 * 1.5 - 9.0);
    let mut input = bytes_of!(floats);
    input.extend(bytes_of!([100.0_f32; 16]));
    input.extend(bytes_of!([1.5_f32; 16]));
    let d = typed("ud", "ud")
        + "\n.decl T6 v_type=T num_elts=1\n.decl O v_type=G type=ud num_elts=8 align=GRF\n\
           .decl AD v_type=G type=uq num_elts=8 align=GRF\n.decl I v_type=G type=uq num_elts=8 align=GRF\n\
           .decl OLD v_type=G type=ud num_elts=8 align=GRF";
    // Eight channels, each with its own float, by surface and by address.
    let body = |by_surface: &str, by_address: &str| {
        format!(
            "
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1, 8) O(0,0)<1> 0x76543210:uv
    shl (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 0x2:ud
    mov (M1, 8) I(0,0)<1> O(0,0)<1;1,0>
    add (M1, 8) AD(0,0)<1> I(0,0)<1;1,0> IN(0,0)<0;1,0>
    add (M1, 8) AD(0,0)<1> AD(0,0)<1;1,0> 0x20:uq
    dword_atomic.{by_surface}
    svm_atomic.{by_address}
    svm_block_ld (8) IN(0,0)<0;1,0> C.0
    mov (M1, 8) C(2,0)<1> OLD(0,0)<1;1,0>"
        )
    };
    type Update = fn(f32) -> f32;
    let cases: [(&str, Update); 3] =
        [("fmin", |x| x.min(1.5)), ("fmax", |x| x.max(1.5)), ("fcmpwr", |x| if x == 1.5 { 100.0 } else { x })];
    for (name, update) in cases {
        let second = if name == "fcmpwr" { "A.64" } else { "%null.0" };
        let text = body(
            &format!("{name} (M1, 8) T6 O.0 A.128 {second} OLD.0"),
            &format!("{name} (M1, 8) AD.0 %null.0 A.128 {second}"),
        );
        let found = values_of!(
            f32,
            try_run_on(Platform::Tgllp, &d, &text, &input, 16).unwrap_or_else(|f| panic!("{name}: {f}"))
        );
        let expected: Vec<f32> = floats.iter().map(|&x| update(x)).collect();
        assert_eq!((&found[..16], &found[16..24]), (&expected[..], &floats[..8]), "{name}");
    }
    // 16-bit words, one in each dword of the surface.
    let words = numbers();
    let text = body("add.16 (M1, 8) T6 O.0 A.64 %null.0 OLD.0", "min (M1, 8) AD.0 %null.0 A.64 %null.0");
    let found = values_of!(u32, try_run_on(Platform::Tgllp, &d, &text, &self::input(), 16).unwrap());
    for i in 0..8 {
        let low = (words[i] as u16).wrapping_add(words[16 + i] as u16);
        assert_eq!(found[i], words[i] & 0xffff_0000 | u32::from(low), "channel {i}");
        assert_eq!(found[8 + i], words[8 + i].min(words[16 + i]), "channel {i}");
    }
}

/// Blocks of eight bytes in flat memory must be 8-byte aligned: the vendor's document requires it,
/// and its compiler splits blocks of unknown alignment into dwords. LSC messages need no alignment.
#[test]
fn quads_stand_at_multiples_of_eight() {
    let words = numbers();
    let d = typed("ud", "ud")
        + "\n.decl AD v_type=G type=uq num_elts=8 align=GRF\n.decl I v_type=G type=uq num_elts=8 align=GRF";
    let body = |first: u32, message: &str| {
        format!(
            "
    mov (M1, 8) I(0,0)<1> 0x76543210:uv
    shl (M1, 8) I(0,0)<1> I(0,0)<1;1,0> 0x3:uq
    add (M1, 8) I(0,0)<1> I(0,0)<1;1,0> {first:#x}:uq
    add (M1, 8) AD(0,0)<1> I(0,0)<1;1,0> IN(0,0)<0;1,0>
    {message}"
        )
    };
    let gather = "svm_gather.8.1 (M1, 8) AD.0 C.0";
    for first in [0, 8, 64] {
        let found = values_of!(u32, run(&d, &body(first, gather), &input()));
        assert_eq!(found[..16], words[first as usize / 4..][..16], "{first}");
    }
    for message in [gather, "svm_scatter.8.1 (M1, 8) AD.0 A.0"] {
        let fault = try_run_on(Platform::Skl, &d, &body(4, message), &input(), 8).unwrap_err();
        assert!(fault.to_string().contains("misaligned"), "{fault}");
    }
    let load = "lsc_load.ugm (M1, 8) C:d64 flat[AD]:a64";
    for first in [4, 3] {
        let found = run_wide(&d, &body(first, load), &input());
        assert_eq!(found[..64], input()[first as usize..][..64], "{first}");
    }
}

/// Vectors of half of native code's usual size.
#[test]
fn four_channels_with_flat_addresses() {
    let words = numbers();
    let d = typed("ud", "ud") + "\n.decl AD v_type=G type=uq num_elts=4 align=GRF";
    let address = |n: u64, at: u64| format!("    add (M1_NM, 1) AD(0,{n})<1> IN(0,0)<0;1,0> {at:#x}:ud\n");
    let body: String = [(0, 12), (1, 0), (2, 40), (3, 80)].map(|(n, at)| address(n, at)).concat();
    let body = body + "    lsc_load.ugm (M1_NM, 4)  C:d32  flat[AD]:a64";
    let found = values_of!(u32, run_wide(&d, &body, &input()));
    assert_eq!(found[..4], [words[3], words[0], words[10], words[20]]);
}
