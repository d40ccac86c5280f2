//! Instructions that the OpenCL compiler rarely or never emits, compared with computations in Rust.

#[macro_use]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{input, layout, numbers, program, run, run_wide, text, try_run, try_run_on, typed};
use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Options, Program, launch};
use visakit_zebin::info::AddrSpace;

#[test]
fn averages_and_sums_of_differences() {
    let (a, b) = (numbers(), &numbers()[32..]);
    let avg = "    avg (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";
    let signed: [i32; 16] = std::array::from_fn(|i| ((a[i] as i32 as i64 + b[i] as i32 as i64 + 1) >> 1) as i32);
    assert_eq!(values_of!(i32, run(&typed("d", "d"), avg, &input()))[..16], signed);
    let unsigned: [u32; 16] = std::array::from_fn(|i| ((a[i] as u64 + b[i] as u64 + 1) >> 1) as u32);
    assert_eq!(values_of!(u32, run(&typed("ud", "ud"), avg, &input()))[..16], unsigned);

    let bytes = input();
    let sum = |i: usize| -> u16 {
        let pair = [i, i + 1].map(|n| (i16::from(bytes[n]) - i16::from(bytes[128 + n])).unsigned_abs());
        pair[0] + pair[1]
    };
    let d = typed("ub", "uw");
    let found = values_of!(u16, run(&d, "    sad2 (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>", &bytes));
    let add = "    mov (M1, 16) CT(0,0)<1> 0x64:uw\n    sad2add (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0> CT(0,0)<1;1,0>";
    let added = values_of!(u16, run(&d, add, &bytes));
    for i in (0..16).step_by(2) {
        assert_eq!((found[i], added[i]), (sum(i), sum(i) + 100), "channel {i}");
    }
}

#[test]
fn first_bits_and_rotations() {
    let mut words = numbers();
    (words[0], words[1], words[2]) = (0, u32::MAX, 1);
    let input = bytes_of!(words);
    let fbh = "    fbh (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    let high = |x: u32| if x == 0 { u32::MAX } else { x.leading_zeros() };
    let unsigned: [u32; 16] = std::array::from_fn(|i| high(words[i]));
    assert_eq!(values_of!(u32, run(&typed("ud", "ud"), fbh, &input))[..16], unsigned);
    let signed: [u32; 16] = std::array::from_fn(|i| high(if (words[i] as i32) < 0 { !words[i] } else { words[i] }));
    assert_eq!(values_of!(u32, run(&typed("d", "ud"), fbh, &input))[..16], signed);

    let turn = "    ror (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";
    let dwords: [u32; 16] = std::array::from_fn(|i| words[i].rotate_right(words[32 + i] & 31));
    assert_eq!(values_of!(u32, run(&typed("ud", "ud"), turn, &input))[..16], dwords);
    let halves = values_of!(u16, input);
    let found = values_of!(u16, run(&typed("uw", "uw"), turn, &input));
    let expected: [u16; 16] = std::array::from_fn(|i| halves[i].rotate_right(u32::from(halves[64 + i]) & 15));
    assert_eq!(found[..16], expected);
}

#[test]
fn fractions_blends_planes_and_powers() {
    let a: [f32; 16] = std::array::from_fn(|i| (i as f32 - 7.3) * 1.37);
    let b: [f32; 16] = std::array::from_fn(|i| i as f32 * 0.31 - 2.0);
    let mut input = bytes_of!(a);
    input.resize(128, 0);
    input.extend(bytes_of!(b));
    let d = typed("f", "f");
    let found = values_of!(f32, run(&d, "    frc (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>", &input));
    assert_eq!(found[..16], a.map(|x| x - x.floor()));
    let body = "    lrp (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0> 0x40800000:f";
    for (i, x) in values_of!(f32, run(&d, body, &input)).into_iter().enumerate().take(16) {
        let expected = b[i] * a[i] + 4.0 * (1.0 - a[i]);
        assert!((x - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "channel {i}: {x}, not {expected}");
    }
    // The sign of the base is ignored.
    let body = "    pow (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";
    for (i, x) in values_of!(f32, run(&d, body, &input)).into_iter().enumerate().take(16) {
        let expected = f64::from(a[i].abs()).powf(f64::from(b[i]));
        assert!((f64::from(x) / expected - 1.0).abs() < 1e-5, "channel {i}: {x}, not {expected}");
    }
    // Of 16 pairs, eight first numbers precede eight second numbers.
    let all = values_of!(f32, {
        let mut all = input.clone();
        all.resize(256, 0);
        all
    });
    let body = "    plane (M1, 16) CT(0,0)<1> BT(0,0)<0;4,1> AT(0,0)<1;1,0>";
    for (i, x) in values_of!(f32, run(&d, body, &input)).into_iter().enumerate().take(16) {
        let k = i / 8 * 16 + i % 8;
        let expected = b[0] * all[k] + b[1] * all[k + 8] + b[3];
        assert!((x - expected).abs() < 1e-4, "channel {i}: {x}, not {expected}");
    }
}

#[test]
fn products_of_four_bytes() {
    let words = numbers();
    let body = |a: &str, b: &str| {
        format!(
            ".decl X v_type=G type={a} num_elts=16 alias=<A, 0>\n.decl Y v_type=G type={b} num_elts=16 alias=<A, 128>"
        )
    };
    let dp4a = "    dp4a (M1, 16) CT(0,0)<1> AT(1,0)<1;1,0> X(0,0)<1;1,0> Y(0,0)<1;1,0>";
    for (a, b) in [("d", "d"), ("ud", "ud"), ("d", "ud"), ("ud", "d")] {
        let d = typed("d", "d") + "\n" + &body(a, b);
        let found = values_of!(i32, try_run_on(Platform::Tgllp, &d, dp4a, &input(), 16).unwrap());
        let wide = |kind: &str, byte: u8| if kind == "d" { i32::from(byte as i8) } else { i32::from(byte) };
        let expected: [i32; 16] = std::array::from_fn(|i| {
            let pairs = words[i].to_le_bytes().into_iter().zip(words[32 + i].to_le_bytes());
            let sum = pairs.fold(0, |sum: i32, (x, y)| sum + wide(a, x) * wide(b, y));
            (words[8 + i] as i32).wrapping_add(sum)
        });
        assert_eq!(found[..16], expected, "{a} {b}");
    }
}

#[test]
fn narrow_floats() {
    let halves: [u16; 16] = [
        0, 0x8000, 0x3c00, 0x3c7f, 0x3c80, 0x3d80, 0x3c81, 0x7bff, 0x7c00, 0xfc00, 0x0001, 0x0080, 0x0180, 0x4123,
        0xc4ff, 0x0400,
    ];
    let d = typed("hf", "ub");
    let to = "    fcvt (M1_NM, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    let found = run_wide(&d, to, &bytes_of!(halves));
    // The upper byte of HF, rounded to nearest, ties to even; overflow yields infinity.
    let rounded = halves.map(|x| if x & 0x7fff >= 0x7c00 { x >> 8 } else { (x + 0x7f + (x >> 8 & 1)) >> 8 } as u8);
    assert_eq!(found[..16], rounded);
    let back = "    fcvt (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    assert_eq!(
        values_of!(u16, run_wide(&typed("ub", "hf"), back, &rounded))[..16],
        rounded.map(|x| u16::from(x) << 8)
    );

    let floats: [f32; 16] = std::array::from_fn(|i| (i as f32 - 7.5) * 1.000_3_f32.powi(i as i32 * 40 + 1));
    let found = values_of!(u32, run_wide(&typed("f", "ud"), back, &bytes_of!(floats)));
    let tf32 = |x: f32| (x.to_bits() + 0xfff + (x.to_bits() >> 13 & 1)) & !0x1fff;
    assert_eq!(found[..16], floats.map(tf32));
    assert_eq!(values_of!(u32, run_wide(&typed("ud", "f"), back, &bytes_of!(found)))[..16], found[..16]);

    // Random numbers are added to the 13 bits that are truncated.
    let random: [u32; 16] = std::array::from_fn(|i| (i as u32).wrapping_mul(0x1357) & 0x1fff);
    let mut input = bytes_of!(floats);
    input.resize(128, 0);
    input.extend(bytes_of!(random));
    let d = typed("f", "hf") + "\n.decl N v_type=G type=f num_elts=16 alias=<A, 128>";
    let found = values_of!(u16, run_wide(&d, "    srnd (M1_NM, 16) CT(0,0)<1> AT(0,0)<1;1,0> N(0,0)<1;1,0>", &input));
    let expected: [u16; 16] = std::array::from_fn(|i| {
        let cut = f32::from_bits((floats[i].to_bits() + random[i]) & !0x1fff);
        half::f16::from_f32(cut).to_bits()
    });
    assert_eq!(found[..16], expected);
}

/// Moves convert types that exist only in text form, as FCVT converts their containers.
#[test]
fn moved_floats() {
    let halves: Vec<u8> = (0..64_u16).flat_map(|i| i.wrapping_mul(0x3c71).to_le_bytes()).collect();
    let floats = input();
    let cases: [(&str, &str, &str, &str, &[u8]); 6] = [
        ("hf", "bf8", "hf", "ub", &halves),
        ("bf8", "hf", "ub", "hf", &halves),
        ("hf", "hf8", "hf", "b", &halves),
        ("hf8", "hf", "b", "hf", &halves),
        ("f", "tf32", "f", "ud", &floats),
        ("tf32", "f", "ud", "f", &floats),
    ];
    for (from, to, kept_from, kept_to, input) in cases {
        let moved = "    mov (M1_NM, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
        let converted = "    fcvt (M1_NM, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
        let expected = run_wide(&typed(kept_from, kept_to), converted, input);
        assert_eq!(run_wide(&typed(from, to), moved, input), expected, "{from} to {to}");
    }
    // A copy preserves all bits.
    for (both, bytes) in [("tf32", 64), ("bf8", 16), ("hf8", 16), ("e2m1", 16)] {
        let found = run_wide(&typed(both, both), "    mov (M1_NM, 16) CT(0,0)<1> AT(0,0)<1;1,0>", &floats);
        assert_eq!(found[..bytes], floats[..bytes], "{both}");
    }
    let negative =
        run_wide(&typed("tf32", "f"), "    mov (M1, 16) CT(0,0)<1> (-)AT(0,0)<1;1,0>", &bytes_of!([1.5_f32; 16]));
    assert_eq!(values_of!(f32, negative)[..16], [-1.5; 16]);
}

/// Table look-up by nibbles: four byte parts for a 16-bit index number, two 16-bit parts for an
/// 8-bit one.
#[test]
fn tables_of_nibbles() {
    let input = numbers();
    let declarations = ".decl TT v_type=G type=ud num_elts=16 alias=<A, 0>\n\
                        .decl NW v_type=G type=uw num_elts=64 alias=<A, 128>\n\
                        .decl NB v_type=G type=ub num_elts=128 alias=<A, 128>\n\
                        .decl CT v_type=G type=ud num_elts=16 alias=<C, 0>";
    for (operand, stride, nibbles, part) in [("NW(0,1)<2;1,0>", 2, 4, 8), ("NB(0,3)<4;1,0>", 4, 2, 16)] {
        let body = format!("    shfl_idx4 (M1, 16) CT.0 TT(0,0)<1;1,0> {operand}");
        let found = values_of!(u32, run_wide(declarations, &body, &bytes_of!(input)));
        for (i, found) in found[..16].iter().enumerate() {
            // Index numbers are in the upper part of each dword.
            let number = input[32 + i] >> (32 - 32 / stride);
            let bits = u32::MAX >> (32 - part);
            let expected = (0..nibbles).fold(0, |sum, k| {
                let entry = input[(number >> (4 * k) & 15) as usize];
                sum | entry & bits << (part * k)
            });
            assert_eq!(*found, expected, "{operand} {i}");
        }
    }
}

/// Runs instructions of the newest platform on a platform that the emulator models.
#[test]
fn newer_floats() {
    let floats: [f32; 16] = std::array::from_fn(|i| (i as f32 - 7.5) * 0.75);
    type Function = fn(f32) -> f32;
    let functions: [(&str, Function); 2] = [("tanh", f32::tanh), ("sigm", |x| 1.0 / (1.0 + (-x).exp()))];
    for (name, function) in functions {
        let body = format!("    {name} (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>");
        let found = values_of!(f32, run_wide(&typed("f", "f"), &body, &bytes_of!(floats)));
        for (found, x) in found.into_iter().zip(floats) {
            assert!((found - function(x)).abs() < 1e-6, "{name} {x}: {found}");
        }
    }

    let halves: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        448.0,
        480.0,
        f32::INFINITY,
        0.001_953_125,
        1.0625,
        1.1875,
        2.0,
        0.015_625,
        -240.0,
        0.5,
        256.0,
        0.013_671_875,
    ];
    let hf8: [u8; 16] = [0, 0x80, 0x38, 0xbc, 0x7e, 0x7f, 0x7f, 1, 0x38, 0x3a, 0x40, 0x08, 0xf7, 0x30, 0x78, 0x07];
    let halves = halves.map(|x| half::f16::from_f32(x).to_bits());
    let convert = "    fcvt (M1_NM, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    assert_eq!(run_wide(&typed("hf", "b"), convert, &bytes_of!(halves))[..16], hf8);
    let back = values_of!(u16, run_wide(&typed("b", "hf"), convert, &hf8));
    for (i, (back, half)) in back.into_iter().zip(halves).enumerate() {
        match i {
            5 | 6 => assert!(half::f16::from_bits(back).is_nan()),
            // Halfway between two numbers.
            8 => assert_eq!(back, 0x3c00),
            9 => assert_eq!(back, 0x3d00),
            _ => assert_eq!(back, half, "{i}"),
        }
    }
}

#[test]
fn newer_platforms_run() {
    for platform in [Platform::Pvcxt, Platform::Xe2, Platform::Xe3, Platform::Cri, Platform::Nvl] {
        let program = program(platform, "", "");
        let arguments = vec![Some(Argument::Buffer(vec![0; 256])), Some(Argument::Buffer(vec![0; 256]))];
        let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
        let found = launch(&program, &range, arguments, &Options::default());
        assert!(found.is_ok(), "{}: {}", platform.name(), found.err().map_or(String::new(), |e| e.to_string()));
    }
}

#[test]
fn kernels_with_images_are_refused_where_there_are_none() {
    for (platform, has) in [(Platform::Tgllp, true), (Platform::Pvc, false), (Platform::Cri, false)] {
        let mut info = layout();
        info.payload_arguments[2].addrspace = Some(AddrSpace::Image);
        let program = Program::from_text("k.visaasm", &text("", ""), info, platform).unwrap();
        let arguments = vec![Some(Argument::Buffer(vec![0; 256])), Some(Argument::Buffer(vec![0; 256]))];
        let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
        let found = launch(&program, &range, arguments, &Options::default()).map_err(|error| error.to_string());
        let said = found.err().unwrap_or_default();
        assert_eq!(said.contains("launch-platform") && said.contains("images"), !has, "{platform:?}: {said}");
    }
}

#[test]
fn jumps_to_one_of_several_places() {
    let body = "
    switchjmp (M1, 1) AT(0,0)<0;1,0> (first, second, third)
first:
    mov (M1, 16) CT(0,0)<1> 0x1:ud
    jmp (M1, 1) end
second:
    mov (M1, 16) CT(0,0)<1> 0x2:ud
    jmp (M1, 1) end
third:
    mov (M1, 16) CT(0,0)<1> 0x3:ud
    cmp.gt (M1, 16) P1 AT(0,1)<0;1,0> 0x5:ud
    (P1) jmp (M1, 1) end
    mov (M1, 16) CT(0,0)<1> 0x4:ud
end:";
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16";
    for (choice, other, expected) in [(0_u32, 0_u32, 1_u32), (1, 0, 2), (2, 6, 3), (2, 5, 4)] {
        assert_eq!(values_of!(u32, run(&d, body, &bytes_of!([choice, other])))[..16], [expected; 16]);
    }
    assert!(try_run(&d, body, &bytes_of!([3_u32, 0]), 16).is_err(), "there is no fourth place");
}

#[test]
fn barriers_of_two_steps_and_by_name() {
    // Two threads: each writes its half and, after both have written, reads the other's.
    let body = |first: &str, second: &str| {
        format!(
            "
    mov (M1_NM, 1) ME(0,0)<1> %r0(0,2)<0;1,0>
    and (M1_NM, 1) ME(0,0)<1> ME(0,0)<0;1,0> 0xff:ud
    shl (M1_NM, 1) O(0,0)<1> ME(0,0)<0;1,0> 0x2:ud
    add (M1_NM, 1) X(0,0)<1> ME(0,0)<0;1,0> 0x64:ud
    movs (M1_NM, 1) T6(0) 0x1:ud
    dword_atomic.xchg (M1_NM, 1) T6 O.0 X.0 %null.0 %null.0
    {first}
    {second}
    xor (M1_NM, 1) O(0,0)<1> O(0,0)<0;1,0> 0x4:ud
    mov (M1_NM, 1) Z(0,0)<1> 0x0:ud
    dword_atomic.or (M1_NM, 1) T6 O.0 Z.0 %null.0 X.0
    xor (M1_NM, 1) O(0,0)<1> O(0,0)<0;1,0> 0xc:ud
    dword_atomic.xchg (M1_NM, 1) T6 O.0 X.0 %null.0 %null.0
    barrier
    svm_block_ld (8) OUT(0,0)<0;1,0> C.0"
        )
    };
    let d = typed("ud", "ud")
        + "\n.decl T6 v_type=T num_elts=1\n.decl O v_type=G type=ud num_elts=16 align=GRF\n\
           .decl X v_type=G type=ud num_elts=16 align=GRF\n.decl Z v_type=G type=ud num_elts=16 align=GRF\n.decl ME v_type=G type=ud num_elts=1";
    for (first, second) in [
        ("barrier", "wait 0x0:ub"),
        ("sbarrier.signal", "sbarrier.wait"),
        ("nbarrier.signal 0x3:ub 0x2:ub", "nbarrier.wait 0x3:ub"),
        ("fence_global", "barrier"),
    ] {
        let found =
            try_run_on(Platform::Pvc, &d, &body(first, second), &[], 32).unwrap_or_else(|f| panic!("{first}: {f}"));
        let found = values_of!(u32, found);
        assert_eq!(found[..4], [100, 101, 101, 100], "{first}");
    }
}

#[test]
fn what_only_the_hardware_notices_changes_nothing() {
    let body = "
    lifetime.start C
    mov (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>
    yield
    wait 0x0:ub
    sampler_cache_flush
    fence_global.EISCRL1
    fence_local.
    fence_sw
    lsc_fence.ugm.evict.gpu
    lsc_fence.slm.none.group";
    let found = values_of!(u32, run_wide(&typed("ud", "ud"), body, &input()));
    assert_eq!(found[..16], numbers()[..16]);
}
