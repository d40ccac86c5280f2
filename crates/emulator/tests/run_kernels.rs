//! Single instructions: small texts that read 256 bytes from a buffer, execute instructions, and
//! write 256 bytes back, compared with computations in Rust.

#[macro_use]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{layout, run, text, try_run, typed};
use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Engine, Options, Policy, Program, launch};

/// A mnemonic and its function.
type Case<T> = (&'static str, fn(T) -> T);

const FLOATS: [f32; 16] = [
    0.0,
    -0.0,
    1.5,
    -2.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    1.0e-40,
    300.7,
    -300.7,
    4.0e9,
    -4.0e9,
    1.0e20,
    0.5,
    0.99999994,
    -1.0e-40,
];

#[test]
fn floats_become_integers_by_cutting_off_and_saturating() {
    let input = bytes_of!(FLOATS);
    let mov = "    mov (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    assert_eq!(values_of!(i32, run(&typed("f", "d"), mov, &input))[..16], FLOATS.map(|x| x as i32));
    assert_eq!(values_of!(u32, run(&typed("f", "ud"), mov, &input))[..16], FLOATS.map(|x| x as u32));
    assert_eq!(values_of!(i16, run(&typed("f", "w"), mov, &input))[..16], FLOATS.map(|x| x as i16));
    assert_eq!(values_of!(u8, run(&typed("f", "ub"), mov, &input))[..16], FLOATS.map(|x| x as u8));
    assert_eq!(values_of!(i64, run(&typed("f", "q"), mov, &input))[..16], FLOATS.map(|x| x as i64));
}

#[test]
fn integers_are_extended_truncated_and_rounded() {
    let integers: [i32; 16] = std::array::from_fn(|i| (i as i32 - 8) * 0x0101_0107);
    let input = bytes_of!(integers);
    let mov = "    mov (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    assert_eq!(values_of!(i8, run(&typed("d", "b"), mov, &input))[..16], integers.map(|x| x as i8));
    assert_eq!(values_of!(u64, run(&typed("d", "uq"), mov, &input))[..16], integers.map(|x| x as u64));
    assert_eq!(values_of!(u64, run(&typed("ud", "q"), mov, &input))[..16], integers.map(|x| u64::from(x as u32)));
    assert_eq!(values_of!(f32, run(&typed("d", "f"), mov, &input))[..16], integers.map(|x| x as f32));
    assert_eq!(values_of!(f32, run(&typed("ud", "f"), mov, &input))[..16], integers.map(|x| x as u32 as f32));
    let sat = "    mov.sat (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    assert_eq!(values_of!(i8, run(&typed("d", "b"), sat, &input))[..16], integers.map(|x| x.clamp(-128, 127) as i8));
    assert_eq!(values_of!(u32, run(&typed("d", "ud"), sat, &input))[..16], integers.map(|x| x.max(0) as u32));
}

#[test]
fn float_widths() {
    let input = bytes_of!(FLOATS);
    let mov = "    mov (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    let half = values_of!(u16, run(&typed("f", "hf"), mov, &input));
    for (got, x) in half.iter().zip(FLOATS) {
        assert!(*got == half::f16::from_f32(x).to_bits() || x.is_nan());
    }
    let double = values_of!(f64, run(&typed("f", "df"), mov, &input));
    assert!(double.iter().zip(FLOATS).all(|(got, x)| got.to_bits() == f64::from(x).to_bits() || x.is_nan()));
    let sat = "    mov.sat (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    let want = FLOATS.map(|x| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) });
    assert_eq!(values_of!(f32, run(&typed("f", "f"), sat, &input))[..16], want);
    let signals = bytes_of!([f32::from_bits(0x7f80_0001); 16]);
    assert_eq!(values_of!(f32, run(&typed("f", "f"), sat, &signals))[..16], [0.0; 16]);
}

#[test]
fn rounding_and_denormals_follow_the_control_register() {
    let input = bytes_of!([1.0_f32, -1.0, 1.0e-40, 1.0, 0.1]);
    // Round up and flush denormals, then restore the mode.
    let body = "
    mov (M1_NM, 1) %cr0(0,0)<1> 0x10:ud
    add (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> 0x33000000:f
    mov (M1_NM, 1) %cr0(0,0)<1> 0x4c0:ud
    add (M1, 16) CT(2,0)<1> AT(0,0)<1;1,0> 0x33000000:f";
    let got = values_of!(f32, run(&typed("f", "f"), body, &input));
    let tiny = f32::from_bits(0x3300_0000);
    assert_eq!(got[..3], [1.0_f32.next_up(), (-1.0_f32).next_up(), tiny]);
    assert_eq!(got[16..19], [1.0 + tiny, -1.0 + tiny, 1.0e-40 + tiny]);
}

#[test]
fn a_program_may_begin_anew_in_another_mode() {
    // The instruction that sets the control register comes first, where native code starts; the
    // second pass keeps rounding up.
    let d = typed("f", "f") + "\n.decl N v_type=G type=ud num_elts=1\n.decl P1 v_type=P num_elts=1";
    let body = "
    cmp.eq (M1_NM, 1) P1 N(0,0)<0;1,0> 0x1:ud
    (P1) jmp (M1_NM, 1) last
    add (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> 0x33000000:f
    add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud
    mov (M1_NM, 1) %cr0(0,0)<1> 0x10:ud
    jmp (M1_NM, 1) again
last:
    add (M1, 16) CT(2,0)<1> AT(0,0)<1;1,0> 0x33000000:f";
    let text = text(&d, body).replace("main:\n", "main:\nagain:\n");
    let program = Program::from_text("k.visaasm", &text, layout(), Platform::Skl).unwrap();
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let mut input = bytes_of!([1.0_f32]);
    input.resize(256, 0);
    for engine in [Engine::Interpreter, Engine::Native] {
        let arguments = vec![Some(Argument::Buffer(input.clone())), Some(Argument::Buffer(vec![0; 256]))];
        let options = Options::from(Policy { engine, ..Policy::default() });
        let outcome = launch(&program, &range, arguments, &options).unwrap();
        let got = values_of!(f32, outcome.buffers[1].as_ref().unwrap());
        assert_eq!((got[0], got[16]), (1.0, 1.0_f32.next_up()), "{engine:?}");
    }
}

#[test]
fn modifiers_of_sources() {
    let integers: [i32; 16] = std::array::from_fn(|i| i as i32 * 3 - 20);
    let input = bytes_of!(integers);
    let body = "
    add (M1, 16) CT(0,0)<1> (-)AT(0,0)<1;1,0> (abs)AT(0,0)<1;1,0>
    and (M1, 16) CT(2,0)<1> (~)AT(0,0)<1;1,0> 0xff:d";
    let got = values_of!(i32, run(&typed("d", "d"), body, &input));
    assert_eq!(got[..16], integers.map(|x| -x + x.abs()));
    assert_eq!(got[16..32], integers.map(|x| !x & 0xff));
    let body = "    add (M1, 16) CT(0,0)<1> (-abs)AT(0,0)<1;1,0> (-)AT(0,0)<1;1,0>";
    let got = values_of!(f32, run(&typed("f", "f"), body, &bytes_of!(FLOATS)));
    for (got, x) in got.iter().zip(FLOATS) {
        let want = -x.abs() + -x;
        assert!(got.to_bits() == want.to_bits() || want.is_nan() && got.is_nan(), "{x}: {got}");
    }
}

#[test]
fn saturation_is_exact() {
    let a: [i32; 16] = std::array::from_fn(|i| i32::MAX.wrapping_sub((i as i32).wrapping_mul(0x1000_0000)));
    let b: [i32; 16] = std::array::from_fn(|i| i32::MIN.wrapping_add(i as i32 * 0x0800_0000));
    let input = [bytes_of!(a), vec![0; 64], bytes_of!(b)].concat();
    let check = |op: &str, output: &str, want: &dyn Fn(i64, i64) -> i64| {
        let body = format!("    {op}.sat (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>");
        let got = run(&typed("d", output), &body, &input);
        for i in 0..16 {
            let exact = want(a[i].into(), b[i].into());
            match output {
                "d" => assert_eq!(i64::from(values_of!(i32, got)[i]), exact.clamp(i32::MIN.into(), i32::MAX.into())),
                _ => assert_eq!(i64::from(values_of!(u8, got)[i]), exact.clamp(0, 255)),
            }
        }
    };
    check("add", "d", &|a, b| a + b);
    check("add", "ub", &|a, b| a + b);
    check("mul", "d", &|a, b| a * b);
    check("avg", "d", &|a, b| (a + b + 1) >> 1);
}

/// Moves every integer type to every other, with some channels disabled.
#[test]
fn integers_become_wider_and_narrower() {
    let types =
        [("b", 1, true), ("ub", 1, false), ("w", 2, true), ("uw", 2, false), ("d", 4, true), ("ud", 4, false)];
    let types = [&types[..], &[("q", 8, true), ("uq", 8, false)]].concat();
    let input: [u8; 256] = std::array::from_fn(|i| (i * 151 + i / 8 * 77 + 13) as u8);
    for (from, size, signed) in &types {
        for (to, room, _) in &types {
            let d = typed(from, to) + "\n.decl P1 v_type=P num_elts=16";
            let body = "
    setp (M1_NM, 16) P1 0xb5dd:ud
    (P1) mov (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
            let got = run(&d, body, &input);
            for i in 0..16 {
                let mut value = [0; 8];
                value[..*size].copy_from_slice(&input[i * size..][..*size]);
                if *signed && value[size - 1] >= 0x80 {
                    value[*size..].fill(0xff);
                }
                let expected = if 0xb5dd >> i & 1 == 1 { &value[..*room] } else { &[0; 8][..*room] };
                assert_eq!(&got[i * room..][..*room], expected, "{from} to {to}, channel {i}");
            }
        }
    }
}

#[test]
fn types_mix() {
    let words: [i16; 32] = std::array::from_fn(|i| i as i16 * 1000 - 15_000);
    let declarations = typed("w", "d") + "\n.decl AU v_type=G type=ub num_elts=64 alias=<A, 0>";
    let body = "
    mul (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> AU(0,0)<2;1,0>
    add (M1, 16) CT(2,0)<1> AT(0,0)<1;1,0> 0x0:d";
    let got = values_of!(i32, run(&declarations, body, &bytes_of!(words)));
    let low = |i: usize| i32::from(words[i] as u8);
    assert_eq!(got[..16], std::array::from_fn::<i32, 16, _>(|i| i32::from(words[i]) * low(i)));
    assert_eq!(got[16..32], std::array::from_fn::<i32, 16, _>(|i| words[i].into()));
    // Signed and unsigned operands compare by value, not by bit pattern.
    let declarations =
        typed("d", "d") + "\n.decl AU v_type=G type=ud num_elts=32 alias=<A, 0>\n.decl P1 v_type=P num_elts=16";
    let body = "
    cmp.lt (M1, 16) P1 AT(0,0)<1;1,0> AU(0,0)<1;1,0>
    mov (M1_NM, 1) C(0,0)<1> P1";
    let got = values_of!(u32, run(&declarations, body, &bytes_of!([-1_i32, 1, -2, 0])));
    assert_eq!(got[0], 0b101);
}

#[test]
fn regions() {
    let numbers: [u32; 64] = std::array::from_fn(|i| i as u32 * 10);
    let input = bytes_of!(numbers);
    let d = typed("ud", "ud");
    let get = |region: &str| values_of!(u32, run(&d, &format!("    mov (M1, 16) CT(0,0)<1> {region}"), &input));
    let check = |region: &str, place: &dyn Fn(u32) -> u32| {
        let got = get(region);
        assert_eq!(got[..16], std::array::from_fn::<u32, 16, _>(|i| place(i as u32) * 10), "{region}");
    };
    check("AT(0,0)<16;16,1>", &|i| i);
    check("AT(0,0)<8;8,1>", &|i| i);
    check("AT(1,3)<0;1,0>", &|_| 11);
    check("AT(0,1)<2;1,0>", &|i| 1 + 2 * i);
    check("AT(0,0)<8;4,2>", &|i| i / 4 * 8 + i % 4 * 2);
    check("AT(0,2)<0;4,1>", &|i| 2 + i % 4);
    check("AT(0,0)<1;4,0>", &|i| i / 4);
    check("AT(0,0)<4;8,1>", &|i| i / 8 * 4 + i % 8);
    // Strided destinations preserve the elements in between.
    let body = "
    mov (M1, 16) CT(0,0)<1> 0x7:ud
    mov (M1, 16) CT(2,0)<1> 0x7:ud
    mov (M1, 8) CT(0,1)<2> AT(0,0)<1;1,0>";
    let got = values_of!(u32, run(&d, body, &input));
    assert_eq!(got[..16], std::array::from_fn::<u32, 16, _>(|i| if i % 2 == 1 { i as u32 / 2 * 10 } else { 7 }));
}

#[test]
fn all_channels_are_read_before_any_is_written() {
    let numbers: [u32; 64] = std::array::from_fn(|i| i as u32);
    let d = typed("ud", "ud") + "\n.decl A0 v_type=A num_elts=1";
    for (body, want) in [
        // Each value moves to the next element.
        (
            "mov (M1_NM, 32) CT(0,1)<1> CT(0,0)<1;1,0>",
            &(|i: u32| if i == 0 { 0 } else { i - 1 }) as &dyn Fn(u32) -> u32,
        ),
        ("mov (M1_NM, 16) CT(0,1)<1> CT(0,0)<1;1,0>", &|i| if i == 0 || i > 16 { i } else { i - 1 }),
        // One value, which is part of the result, is added to all.
        ("add (M1_NM, 32) CT(0,0)<1> CT(0,0)<1;1,0> CT(0,2)<0;1,0>", &|i| i + 2),
        ("addr_add (M1, 1) A0(0)<1> &C 0x4:uw\n    mov (M1_NM, 32) r[A0(0),0]<1>:ud CT(0,0)<1;1,0>", &|i| {
            i.max(1) - 1
        }),
    ] {
        let all = format!("    mov (M1_NM, 32) CT(0,0)<1> AT(0,0)<1;1,0>\n    {body}\n");
        let got = values_of!(u32, run(&d, &all, &bytes_of!(numbers)));
        assert_eq!(got[..32], std::array::from_fn::<u32, 32, _>(|i| want(i as u32)), "{body}");
    }
}

#[test]
fn packed_constants() {
    let d = typed("d", "w") + "\n.decl CF v_type=G type=f num_elts=8 alias=<C, 128>";
    let body = "
    mov (M1, 8) CT(0,0)<1> 0xfedc4321:v
    mov (M1, 8) CT(1,0)<1> 0xfedc4321:uv
    mov (M1, 4) CF(0,0)<1> 0x48b03000:vf";
    let got = run(&d, body, &[]);
    assert_eq!(values_of!(i16, got)[..8], [1, 2, 3, 4, -4, -3, -2, -1]);
    assert_eq!(values_of!(u16, got)[16..24], [1, 2, 3, 4, 12, 13, 14, 15]);
    assert_eq!(values_of!(f32, got)[32..36], [0.0, 1.0, -1.0, 3.0]);
}

#[test]
fn masks_and_predicates() {
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=32\n.decl P2 v_type=P num_elts=16";
    let body = "
    setp (M1_NM, 16) P1 0xff0f:ud
    (P1) mov (M1, 16) CT(0,0)<1> 0x1:ud
    (!P1) mov (M1, 4) CT(2,0)<1> 0x1:ud
    (P1) mov (M2, 4) CT(2,4)<1> 0x1:ud
    (P1.any) mov (M1, 16) CT(4,0)<1> 0x1:ud
    (P1.all) mov (M1, 16) CT(6,0)<1> 0x1:ud
    (!P1.all) mov (M1, 8) CT(6,0)<1> 0x2:ud
    (P1.all) mov (M3, 8) CT(7,0)<1> 0x3:ud
    (P1.any) mov (M4, 4) CT(7,4)<1> 0x4:ud";
    let got = values_of!(u32, run(&d, body, &[]));
    let bit = |i: usize| 0xff0f_u32 >> i & 1;
    assert_eq!(got[..16], std::array::from_fn::<u32, 16, _>(bit));
    assert_eq!(got[16..24], [0; 8], "the first four bits are set, the next four are not");
    assert_eq!(got[32..48], [1; 16]);
    // All 32 elements of P1 count for every mask, although the instructions have fewer channels.
    assert_eq!(got[48..64], [2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 4, 4, 4, 4]);
    // Logic on predicates, and a predicate as a number.
    let body = "
    setp (M1_NM, 16) P1 0xff0f:ud
    setp (M1_NM, 16) P2 0x3333:ud
    and (M1, 16) P2 P2 P1
    mov (M1_NM, 1) CT(0,0)<1> P2
    xor (M3, 8) P2 P2 P1
    mov (M1_NM, 1) CT(0,1)<1> P2
    not (M1, 16) P2 P2
    mov (M1_NM, 1) CT(0,2)<1> P2";
    let got = values_of!(u32, run(&d, body, &[]));
    assert_eq!(got[..3], [0x3303, 0xcc03, 0x33fc]);
    // Only dispatched channels are active.
    let body = "    mov (M1, 16) CT(0,0)<1> 0x1:ud\n    mov (M1_NM, 16) CT(2,0)<1> 0x1:ud";
    let got = values_of!(u32, try_run(&d, body, &[], 5).unwrap());
    assert_eq!(got[..16].iter().sum::<u32>(), 5);
    assert_eq!(got[16..32], [1; 16]);
}

#[test]
fn comparisons() {
    let a = FLOATS;
    let mut b = FLOATS;
    b.rotate_left(1);
    let input = [bytes_of!(a), vec![0; 64], bytes_of!(b)].concat();
    let d = typed("f", "d") + "\n.decl P1 v_type=P num_elts=16";
    type Relation = fn(&f32, &f32) -> bool;
    let relations: [(&str, Relation); 6] =
        [("eq", f32::eq), ("ne", f32::ne), ("gt", f32::gt), ("ge", f32::ge), ("lt", f32::lt), ("le", f32::le)];
    for (name, holds) in relations {
        let body = format!(
            "    cmp.{name} (M1, 16) P1 AT(0,0)<1;1,0> BT(0,0)<1;1,0>\n    mov (M1_NM, 1) CT(0,0)<1> P1\n    \
             cmp.{name} (M1, 16) CT(2,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>"
        );
        let got = values_of!(i32, run(&d, &body, &input));
        let want = (0..16).fold(0, |bits, i| bits | i32::from(holds(&a[i], &b[i])) << i);
        assert_eq!(got[0], want, "{name}");
        assert_eq!(got[16..32], std::array::from_fn::<i32, 16, _>(|i| -(want >> i & 1)), "{name}");
    }
}

#[test]
fn minima_and_maxima_of_numbers_that_may_be_none() {
    let a = [1.0_f32, f32::NAN, 3.0, f32::NAN];
    let b = [2.0_f32, 5.0, f32::NAN, f32::NAN];
    let input = [bytes_of!(a), vec![0; 112], bytes_of!(b)].concat();
    let body = "
    min (M1, 4) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>
    max (M1, 4) CT(1,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";
    let got = values_of!(f32, run(&typed("f", "f"), body, &input));
    assert_eq!(got[..3], [1.0, 5.0, 3.0]);
    assert_eq!(got[8..11], [2.0, 5.0, 3.0]);
    assert!(got[3].is_nan() && got[11].is_nan());
}

#[test]
fn shifts_and_bits() {
    let a: [u32; 16] = std::array::from_fn(|i| 0x8765_4321_u32.rotate_left(i as u32 * 3) >> (i / 4));
    let b: [u32; 16] = std::array::from_fn(|i| i as u32 * 5);
    let input = [bytes_of!(a), vec![0; 64], bytes_of!(b)].concat();
    type Both = fn(u32, u32) -> u32;
    let cases: [(&str, &str, Both); 5] = [
        ("shl", "ud", |a, b| a << (b & 31)),
        ("shr", "ud", |a, b| a >> (b & 31)),
        ("shr", "d", |a, b| a >> (b & 31)),
        ("asr", "d", |a, b| ((a as i32) >> (b & 31)) as u32),
        ("xor", "ud", |a, b| a ^ b),
    ];
    for (op, data_type, want) in cases {
        let body = format!("    {op} (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>");
        let got = values_of!(u32, run(&typed(data_type, data_type), &body, &input));
        assert_eq!(got[..16], std::array::from_fn::<u32, 16, _>(|i| want(a[i], b[i])), "{op} {data_type}");
    }
    let cases: [Case<u32>; 5] = [
        ("cbit", u32::count_ones),
        ("bfrev", u32::reverse_bits),
        ("lzd", u32::leading_zeros),
        ("fbl", |a| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
        ("fbh", |a| if a == 0 { u32::MAX } else { a.leading_zeros() }),
    ];
    for (op, want) in cases {
        let body = format!("    {op} (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>");
        let got = values_of!(u32, run(&typed("ud", "ud"), &body, &input));
        assert_eq!(got[..16], a.map(want), "{op}");
    }
    let body = "    fbh (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>";
    let got = values_of!(u32, run(&typed("d", "ud"), body, &bytes_of!([0, -1, 1, -2, i32::MIN, i32::MAX])));
    assert_eq!(got[..6], [u32::MAX, u32::MAX, 31, 31, 1, 1]);
}

#[test]
fn bit_fields() {
    let input = bytes_of!([0x8765_4321_u32]);
    let body = "
    bfe (M1, 1) CT(0,0)<1> 0x8:ud 0x18:ud AT(0,0)<0;1,0>
    bfi (M1, 1) CT(0,1)<1> 0x8:ud 0x4:ud 0xff:ud AT(0,0)<0;1,0>
    bfe (M1, 1) CT(0,2)<1> 0x0:ud 0x4:ud AT(0,0)<0;1,0>";
    assert_eq!(values_of!(u32, run(&typed("ud", "ud"), body, &input))[..3], [0x87, 0x8765_4ff1, 0]);
    let body = "    bfe (M1, 1) CT(0,0)<1> 0x8:d 0x18:d AT(0,0)<0;1,0>";
    assert_eq!(values_of!(u32, run(&typed("d", "d"), body, &input))[0], 0xffff_ff87);
}

#[test]
fn wide_results() {
    let a: [u32; 16] = std::array::from_fn(|i| 0x9876_5432_u32.rotate_left(i as u32));
    let b: [u32; 16] = std::array::from_fn(|i| u32::MAX - i as u32 * 0x0fff_ffff);
    let input = [bytes_of!(a), vec![0; 64], bytes_of!(b)].concat();
    let wide = |i: usize| u64::from(a[i]) * u64::from(b[i]);
    let signed = |i: usize| i64::from(a[i] as i32) * i64::from(b[i] as i32);

    let body = "    mulh (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";
    let got = values_of!(u32, run(&typed("ud", "ud"), body, &input));
    assert_eq!(got[..16], std::array::from_fn::<u32, 16, _>(|i| (wide(i) >> 32) as u32));
    let got = values_of!(u32, run(&typed("d", "d"), body, &input));
    assert_eq!(got[..16], std::array::from_fn::<u32, 16, _>(|i| (signed(i) >> 32) as u32));
    let body = "    mul (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";
    let got = values_of!(i64, run(&typed("d", "q"), body, &input));
    assert_eq!(got[..16], std::array::from_fn::<i64, 16, _>(signed));

    let d = typed("ud", "ud") + "\n.decl CARRY v_type=G type=ud num_elts=16 alias=<C, 64>";
    let body = "    addc (M1, 16) CT(0,0)<1> CARRY(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";
    let got = values_of!(u32, run(&d, body, &input));
    for i in 0..16 {
        let (sum, carry) = a[i].overflowing_add(b[i]);
        assert_eq!((got[i], got[16 + i]), (sum, carry.into()));
    }
    let body = "    subb (M1, 16) CT(0,0)<1> CARRY(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>";
    let got = values_of!(u32, run(&d, body, &input));
    for i in 0..16 {
        let (difference, borrow) = a[i].overflowing_sub(b[i]);
        assert_eq!((got[i], got[16 + i]), (difference, borrow.into()));
    }
}

#[test]
fn functions_of_floats() {
    let a: [f32; 16] = std::array::from_fn(|i| i as f32 * 0.75 + 0.25);
    let input = bytes_of!(a);
    let cases: [Case<f64>; 11] = [
        ("inv", |x| 1.0 / x),
        ("sqrt", f64::sqrt),
        ("rsqrt", |x| 1.0 / x.sqrt()),
        ("exp", f64::exp2),
        ("log", f64::log2),
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("rndd", f64::floor),
        ("rndu", f64::ceil),
        ("rnde", f64::round_ties_even),
        ("rndz", f64::trunc),
    ];
    for (op, want) in cases {
        let body = format!("    {op} (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>");
        let got = values_of!(f32, run(&typed("f", "f"), &body, &input));
        for (got, x) in got.iter().zip(a) {
            let want = want(x.into());
            assert!((f64::from(*got) - want).abs() <= want.abs() * 2.0e-7, "{op} {x}: {got} {want}");
        }
    }
}

#[test]
fn half_sums_of_products_are_rounded_once() {
    // 3 × 331.75 is halfway between 995 and 995.5; the addend is too small for F. The other sums
    // are similar.
    let cases = [
        (0x4200_u16, 0x5d2f_u16, 0x005c_u16, 995.5),
        (0x1447, 0x4cad, 0x4ad7, 13.6953125),
        (0x6cc8, 0x3e40, 0x0bb4, 7652.0),
    ];
    for (a, b, c, want) in cases {
        let body = format!("    mad (M1, 1) CT(0,0)<1> AT(0,0)<0;1,0> 0x{b:x}:hf 0x{c:x}:hf");
        let got = values_of!(u16, run(&typed("hf", "hf"), &body, &a.to_le_bytes()));
        assert_eq!(half::f16::from_bits(got[0]).to_f64(), want, "{a:x} * {b:x} + {c:x}");
    }
}

#[test]
fn quotients_have_the_whole_range() {
    let tiny = f32::from_bits(1);
    let input = [bytes_of!([0.0, f32::MAX, tiny, 1.0_f32]), vec![0; 112], bytes_of!([tiny, f32::MAX, tiny, 3.0_f32])]
        .concat();
    let got =
        values_of!(f32, run(&typed("f", "f"), "    div (M1, 4) CT(0,0)<1> AT(0,0)<1;1,0> BT(0,0)<1;1,0>", &input));
    assert_eq!(got[..4], [0.0, 1.0, 1.0, 1.0 / 3.0]);
}
