//! Sampler and image messages that no OpenCL kernel uses: comparisons, gathers, levels from
//! neighbouring pixels.

use visakit::isa::Platform;
use visakit_emulator::launch::argument::{Argument, ImageArgument};
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::format::Format;
use visakit_emulator::machine::image::ImageDesc;
use visakit_emulator::machine::sampler::{Addressing, Compare, Sampler};
use visakit_emulator::run::{Options, Program, launch};
use visakit_zebin::info;

const INFO: &str = "
kernels:
  - name: k
    execution_env: { simd_size: 16 }
    payload_arguments:
      - { arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: image, image_type: image_2d }
      - { arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 1, addrmode: stateful, addrspace: sampler, sampler_index: 0 }
      - { arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 2, addrmode: stateless, addrspace: global }
      - { arg_type: arg_bypointer, offset: 8, size: 8, arg_index: 3, addrmode: stateless, addrspace: global }
    binding_table_indices:
      - { bti_value: 3, arg_index: 0 }
";

/// A row of parameters or results: one number for each of 16 channels.
type Row = [f32; 16];

/// Returns an image with one number per texel: row and column, plus a hundred for each level after
/// the first.
fn image(size: [u32; 3], levels: u32) -> ImageArgument {
    let desc = ImageDesc { size, levels, ..ImageDesc::default() };
    let mut texels = Vec::new();
    for level in 0..levels {
        let [width, height, _] = desc.size_of(level);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            texels.extend((level as f32 * 100.0 + y as f32 * 10.0 + x as f32).to_le_bytes());
        }
    }
    ImageArgument { format: Format::from_name("r32f").unwrap(), desc, texels }
}

/// Runs one instruction for 16 channels. Its parameters are the rows `P.0`, `P.64` and so on; its
/// result is `R.0`: four rows and one more.
fn run(instruction: &str, image: ImageArgument, sampler: Sampler, params: &[Row]) -> Vec<[u32; 16]> {
    run_all(Platform::Tgllp, instruction, image, sampler, params).0
}

/// As [`run`], on a given platform; also returns the final contents of the image.
fn run_all(
    platform: Platform,
    instruction: &str,
    image: ImageArgument,
    sampler: Sampler,
    params: &[Row],
) -> (Vec<[u32; 16]>, Vec<u8>) {
    let text = format!(
        r#".version 4.1
.kernel "k"
.decl IN v_type=G type=uq num_elts=1 align=qword
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl AT v_type=G type=uq num_elts=1 align=qword
.decl P v_type=G type=f num_elts=192 align=GRF
.decl PD v_type=G type=d num_elts=192 align=GRF alias=<P, 0>
.decl PU v_type=G type=ud num_elts=192 align=GRF alias=<P, 0>
.decl R v_type=G type=f num_elts=96 align=GRF
.decl RU v_type=G type=ud num_elts=96 align=GRF alias=<R, 0>
.decl S0 v_type=S num_elts=1 v_name=S0
.decl T6 v_type=T num_elts=1 v_name=T6
.input IN offset=64 size=8
.input OUT offset=72 size=8
.kernel_attr SimdSize=16
.function "main"
main:
{}
    movs (M1_NM, 1) S0(0) 0x0:ud
    movs (M1_NM, 1) T6(0) 0x3:ud
    {instruction}
{}
    ret (M1, 1)
"#,
        blocks("AT", "IN", 12, |at| format!("svm_block_ld (4) AT(0,0)<0;1,0> P.{at}")),
        blocks("AT", "OUT", 5, |at| format!("svm_block_st (4) AT(0,0)<0;1,0> R.{at}")),
    );
    let info = info::parse("k", INFO).unwrap().kernels.remove(0);
    let program =
        Program::from_text("k.visaasm", &text, info, platform).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    let mut bytes: Vec<u8> = params.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    bytes.resize(12 * 64, 0);
    let arguments = vec![
        Some(Argument::Image(image)),
        Some(Argument::Sampler(sampler)),
        Some(Argument::Buffer(bytes)),
        Some(Argument::Buffer(vec![0; 320])),
    ];
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let mut outcome =
        launch(&program, &range, arguments, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let bytes = outcome.buffers[3].take().unwrap();
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    (words.as_chunks().0.to_vec(), outcome.buffers[0].take().unwrap())
}

/// Returns code that transfers rows of 64 bytes.
fn blocks(at: &str, base: &str, count: u32, message: impl Fn(u32) -> String) -> String {
    let lines = (0..count).map(|n| {
        format!("    add (M1_NM, 1) {at}(0,0)<1> {base}(0,0)<0;1,0> {:#x}:ud\n    {}\n", n * 64, message(n * 64))
    });
    lines.collect()
}

fn floats(row: [u32; 16]) -> Row {
    row.map(f32::from_bits)
}

/// Returns a row computed from channel numbers.
fn row(f: impl Fn(f32) -> f32) -> Row {
    std::array::from_fn(|i| f(i as f32))
}

/// Returns the centre of texel `x` of `side`.
fn middle(x: f32, side: f32) -> f32 {
    (x + 0.5) / side
}

const NEAREST: Sampler = Sampler {
    addressing: Addressing::ClampToEdge,
    linear: false,
    normalized: true,
    mix_levels: false,
    levels: (0.0, f32::MAX),
    compare: Compare::LessOrEqual,
};

/// Column and row of the texel that channel i reads, in a 4x4 image.
const U: fn(f32) -> f32 = |i| middle(i % 4.0, 4.0);
const V: fn(f32) -> f32 = |i| middle((i / 4.0).floor(), 4.0);
/// Value of that texel.
const TEXEL: fn(f32) -> f32 = |i| (i / 4.0).floor() * 10.0 + i % 4.0;

#[test]
fn levels_are_given_or_chosen_by_gradients() {
    let image = || image([4, 4, 1], 3);
    let u_v = [row(U), row(V)];
    let sample = |text: &str, params: &[Row]| floats(run(text, image(), NEAREST, params)[0]);
    let first = sample("sample_lz.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64", &u_v);
    assert_eq!(first, row(TEXEL));
    let lods = row(|i| i / 4.0);
    let level = |lod: f32| ((lod + 0.5).ceil() - 1.0).clamp(0.0, 2.0);
    let expected = row(|i| {
        let side = 4.0 / 2.0_f32.powf(level(i / 4.0));
        level(i / 4.0) * 100.0 + (V(i) * side).floor() * 10.0 + (U(i) * side).floor()
    });
    assert_eq!(sample("sample_l.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128", &[lods, u_v[0], u_v[1]]), expected);
    // Gradients of two to the power of the level, in texels.
    let gradient = row(|i| 2.0_f32.powf(i / 4.0) / 4.0);
    let params = [u_v[0], gradient, [0.0; 16], u_v[1], [0.0; 16], row(|_| 0.1)];
    let text = "sample_d.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128 P.192 P.256 P.320";
    let found = sample(text, &params);
    for (i, (found, expected)) in found.into_iter().zip(expected).enumerate() {
        // Half levels are on the boundary, where the logarithm may round to either side.
        assert!(found == expected || i % 4 == 2, "channel {i}: {found}, not {expected}");
    }
    // In each quad the second channel is four texels to the right: level 2 for all, one less with a
    // bias of -1.
    let wide = row(|i| if i % 4.0 == 1.0 { 1.0 } else { 0.0 });
    let found = sample("sample_3d.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64", &[wide, [0.0; 16]]);
    assert_eq!(found, [200.0; 16]);
    let found = sample("sample_b.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128", &[[-1.0; 16], wide, [0.0; 16]]);
    assert_eq!(found, row(|i| if i % 4.0 == 1.0 { 101.0 } else { 100.0 }));
    let widest = row(|i| if i % 4.0 == 2.0 { 8.0 } else { 0.0 });
    let found = run("lod.RG (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64", image(), NEAREST, &[widest, [0.0; 16]]);
    assert_eq!((floats(found[0]), floats(found[1])), ([2.0; 16], [5.0; 16]));
}

#[test]
fn references_are_compared() {
    let image = || image([4, 4, 1], 2);
    let u_v = [row(U), row(V)];
    let reference = row(|i| TEXEL(i) + if i % 2.0 == 0.0 { 0.5 } else { -0.5 });
    let odd = row(|i| i % 2.0);
    let sample = |text: &str, params: &[Row]| floats(run(text, image(), NEAREST, params)[0]);
    let found = sample("sample_c_lz.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128", &[reference, u_v[0], u_v[1]]);
    assert_eq!(found, odd);
    let params = [reference, [0.0; 16], u_v[0], u_v[1]];
    assert_eq!(sample("sample_l_c.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128 P.192", &params), odd);
    let params = [[105.5; 16], [1.0; 16], u_v[0], u_v[1]];
    let found = sample("sample_l_c.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128 P.192", &params);
    assert_eq!(found, row(|i| if i >= 8.0 { 1.0 } else { 0.0 }), "the second level has 100, 101, 110 and 111");
    // The gradients select the first level only.
    let text = "sample_d_c.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128 P.192 P.256 P.320 P.384";
    assert_eq!(sample(text, &[reference, u_v[0], [0.0; 16], [0.0; 16], u_v[1], [0.0; 16], [0.0; 16]]), odd);
    // Neighbouring pixels are two texels apart, but this image has one level.
    let text = "sample_c.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128";
    let found = run(text, crate::image([4, 4, 1], 1), NEAREST, &[reference, u_v[0], u_v[1]]);
    assert_eq!(floats(found[0]), odd);
    let params = [[109.0; 16], [9.0; 16], u_v[0], u_v[1]];
    let found = sample("sample_b_c.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128 P.192", &params);
    assert_eq!(found, row(|i| if i >= 8.0 { 1.0 } else { 0.0 }));
    // Between four texels, of which two are not less.
    let sampler = Sampler { linear: true, ..NEAREST };
    let params = [[5.0; 16], [0.5; 16], [0.25; 16]];
    let found = run("sample_c_lz.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128", image(), sampler, &params);
    assert_eq!(floats(found[0]), [0.5; 16]);
}

#[test]
fn four_texels_are_gathered() {
    let image = || image([4, 4, 1], 1);
    // Between columns 1 and 2 and rows 0 and 1.
    let (u, v) = ([0.5; 16], [0.25; 16]);
    let gather = |text: &str, params: &[Row]| {
        let rows = run(text, image(), NEAREST, params);
        [rows[0], rows[1], rows[2], rows[3]].map(|row| f32::from_bits(row[5]))
    };
    assert_eq!(gather("sample4.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64", &[u, v]), [11.0, 12.0, 2.0, 1.0]);
    assert_eq!(gather("sample4.G (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64", &[u, v]), [0.0; 4]);
    // One column to the right, one row down; offsets are -8 to 7 in four bits.
    assert_eq!(gather("sample4.R (M1, 16) 0x110:uw S0 T6 R.0 P.0 P.64", &[u, v]), [22.0, 23.0, 13.0, 12.0]);
    let found = gather("sample4_c.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128", &[[11.5; 16], u, v]);
    assert_eq!(found, [0.0, 1.0, 0.0, 0.0]);
    let [left, down] = [-1_i32, 2].map(|n| [f32::from_bits(n as u32); 16]);
    let found = gather("sample4_po.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 PD.128 PD.192", &[u, v, left, down]);
    assert_eq!(found, [30.0, 31.0, 21.0, 20.0]);
    let params = [[25.0; 16], u, v, left, down];
    let found = gather("sample4_po_c.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128 PD.192 PD.256", &params);
    assert_eq!(found, [1.0, 1.0, 0.0, 0.0]);
    // A register after the four result rows reports that all pages are resident.
    let rows = run("sample4.pixel_null_mask.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64", image(), NEAREST, &[u, v]);
    assert_eq!(rows[4][0], 0xffff);
}

#[test]
fn texels_of_levels_and_samples_and_questions_about_them() {
    let numbers = |n: [u32; 16]| n.map(f32::from_bits);
    let count: [u32; 16] = std::array::from_fn(|i| i as u32);
    let params = [numbers(count.map(|i| i % 4)), [0.0; 16], numbers(count.map(|i| i / 4)), [0.0; 16]];
    let found = run("load_3d.R (M1, 16) 0x0:uw T6 R.0 PU.0 PU.64 PU.128", image([4, 4, 1], 3), NEAREST, &params);
    let texel = |i: u32| if i % 4 < 4 >> (i / 4) && i / 4 < 3 { (i / 4 * 100 + i % 4) as f32 } else { 0.0 };
    assert_eq!(floats(found[0]), count.map(texel));

    let mut several = image([8, 2, 1], 1);
    several.desc = ImageDesc { size: [4, 1, 1], samples: 4, ..ImageDesc::default() };
    let params = [numbers(count.map(|i| i / 4)), [0.0; 16], [0.0; 16], numbers(count.map(|i| i % 4))];
    let text = "load_2dms_w.R (M1, 16) 0x0:uw T6 R.0 PU.0 PU.64 PU.128 PU.192 PU.256";
    let found = run(text, several.clone(), NEAREST, &params);
    let place = |i: u32| i % 4 * 4 + i / 4;
    assert_eq!(floats(found[0]), count.map(|i| (place(i) / 8 * 10 + place(i) % 8) as f32));
    let found = run("sampleinfo.R (16) T6 RU.0", several, NEAREST, &[]);
    assert_eq!(found[0], [4; 16]);

    let levels = numbers(count.map(|i| i % 4));
    let found = run("resinfo.RGBA (16) T6 PU.0 RU.0", image([9, 5, 1], 3), NEAREST, &[levels]);
    assert_eq!(found[0], count.map(|i| [9, 4, 2, 0][i as usize % 4]));
    assert_eq!(found[1], count.map(|i| [5, 2, 1, 0][i as usize % 4]));
    assert_eq!((found[2], found[3]), ([0; 16], [3; 16]));
}

/// Returns channel numbers as parameters.
fn count(f: impl Fn(u32) -> u32) -> Row {
    std::array::from_fn(|i| f32::from_bits(f(i as u32)))
}

/// Returns an 8x4 image of integers.
fn whole(format: &str) -> ImageArgument {
    let format = Format::from_name(format).unwrap();
    let desc = ImageDesc { size: [8, 4, 1], ..ImageDesc::default() };
    let texels = (0..desc.texels() as u32 * format.bytes() as u32).map(|i| (i * 37 + 5) as u8).collect();
    ImageArgument { format, desc, texels }
}

#[test]
fn texels_are_read_written_and_updated_by_their_numbers() {
    let dword = |bytes: &[u8], n: usize| u32::from_le_bytes(bytes[n * 4..n * 4 + 4].try_into().unwrap());
    let (x, y) = (count(|i| i * 3 % 8), count(|i| i / 4));
    let at = |i: usize| i / 4 * 8 + i * 3 % 8;
    // 8 channels per message; the second component goes to the second row of results.
    let image = whole("rg32uint");
    let texels = image.texels.clone();
    let found = run("gather4_typed.RG (M1, 8) T6 PU.0 PU.64 %null.0 %null.0 RU.0", image, NEAREST, &[x, y]);
    for i in 0..8 {
        assert_eq!([found[0][i], found[0][i + 8]], [dword(&texels, at(i) * 2), dword(&texels, at(i) * 2 + 1)]);
    }
    let data = count(|i| i * 1000 + 7);
    let text = "scatter4_typed.R (M1, 8) T6 PU.0 PU.64 %null.0 %null.0 PU.128";
    let (_, after) = run_all(Platform::Tgllp, text, whole("r32uint"), NEAREST, &[x, y, data]);
    let before = whole("r32uint").texels;
    for n in 0..32 {
        let written = (0..8).find(|&i| at(i) == n).map_or(dword(&before, n), |i| i as u32 * 1000 + 7);
        assert_eq!(dword(&after, n), written, "texel {n}");
    }
    let text = "typed_atomic.add (M1, 8) T6 PU.0 PU.64 %null.0 %null.0 PU.128 %null.0 RU.0";
    let (found, after) = run_all(Platform::Tgllp, text, whole("r32uint"), NEAREST, &[x, y, data]);
    for (i, &found) in found[0].iter().enumerate().take(8) {
        let old = dword(&before, at(i));
        assert_eq!((found, dword(&after, at(i))), (old, old.wrapping_add(i as u32 * 1000 + 7)));
    }

    let text = "lsc_load_quad.tgm (M1, 16) RU:d32.xz bti(0x3)[PU, PU.64]:a32";
    let image = whole("rgba8uint");
    let texels = image.texels.clone();
    let (found, _) = run_all(Platform::Xe2, text, image, NEAREST, &[x, y]);
    for i in 0..16 {
        assert_eq!([found[0][i], found[1][i]], [texels[at(i) * 4], texels[at(i) * 4 + 2]].map(u32::from));
    }
    let text = "lsc_store_quad.tgm (M1, 16) bti(0x3)[PU, PU.64]:a32 PU.128:d32.x";
    let (_, after) = run_all(Platform::Xe2, text, whole("r32uint"), NEAREST, &[x, y, data]);
    assert!((0..16).all(|i| dword(&after, at(i)) == i as u32 * 1000 + 7));
    let text = "lsc_atomic_smax.tgm (M1, 16) RU:d32 bti(0x3)[PU, PU.64]:a32 PU.128 %null";
    let (found, after) = run_all(Platform::Xe2, text, whole("r32uint"), NEAREST, &[x, y, data]);
    for (i, &found) in found[0].iter().enumerate() {
        let old = dword(&before, at(i));
        let larger = (old as i32).max(i as i32 * 1000 + 7) as u32;
        assert_eq!((found, dword(&after, at(i))), (old, larger));
    }
}

#[test]
fn rectangles_of_images() {
    let image = || whole("r8uint");
    let bytes = image().texels;
    // Three columns occupy rows of four bytes; an interlaced field has every other row.
    for (text, rows) in [
        ("media_ld.nomod (3,4) T6 0x2:ud 0x1:ud RU.0", [1, 2, 3, 4]),
        ("media_ld.bottom (3,2) T6 0x2:ud 0x0:ud RU.0", [1, 3, 9, 9]),
    ] {
        let found = run(text, image(), NEAREST, &[]);
        for (y, row) in rows.into_iter().enumerate().filter(|(_, row)| *row != 9) {
            let expected: Vec<u8> = (2..5).map(|x| if row < 4 { bytes[row * 8 + x] } else { 0 }).collect();
            assert_eq!(found[0][y].to_le_bytes()[..3], expected, "{text}, row {y}");
        }
    }
    let text = "lsc_load_block2d.tgm RU:4x2 bti(0x3)[PU, PU(0,1)]";
    let mut corner = [0.0; 16];
    (corner[0], corner[1]) = (f32::from_bits(3), f32::from_bits(1));
    let (found, _) = run_all(Platform::Xe2, text, image(), NEAREST, &[corner]);
    assert_eq!(found[0][0].to_le_bytes(), bytes[11..15]);
    assert_eq!(found[0][1].to_le_bytes(), bytes[19..23]);
    let text = "lsc_store_block2d.tgm bti(0x3)[PU, PU(0,1)] PU.64:4x2";
    let (_, after) = run_all(Platform::Xe2, text, image(), NEAREST, &[corner, count(|i| 0x0101_0101 * (i + 1))]);
    let mut expected = bytes.clone();
    expected[11..15].fill(1);
    expected[19..23].fill(2);
    assert_eq!(after, expected);
    let text = "media_st.nomod (4,2) T6 0x3:ud 0x1:ud PU.64";
    let (_, after) = run_all(Platform::Tgllp, text, image(), NEAREST, &[corner, count(|i| 0x0101_0101 * (i + 1))]);
    assert_eq!(after, expected);
}

#[test]
fn gathers_choose_levels() {
    let (u, v) = ([0.5; 16], [0.5; 16]);
    let gather = |text: &str, params: &[Row]| {
        let rows = run(text, image([4, 4, 1], 2), NEAREST, params);
        [rows[0], rows[1], rows[2], rows[3]].map(|row| f32::from_bits(row[6]))
    };
    let (first, second) = ([21.0, 22.0, 12.0, 11.0], [110.0, 111.0, 101.0, 100.0]);
    assert_eq!(gather("sample4.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64", &[u, v]), first);
    let given = "sample4_l.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128";
    assert_eq!(gather(given, &[[1.0; 16], u, v]), second);
    // All four pixels read the same position: the gradient is zero, and the bias selects the level.
    let biased = "sample4_b.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128";
    assert_eq!(gather(biased, &[[9.0; 16], u, v]), first, "nothing is less than the first level");
    // Two texels between neighbours select the second level; channel 6 is the third of its quad.
    let apart = row(|i| if i % 4.0 == 1.0 { 1.0 } else { 0.5 });
    assert_eq!(gather(biased, &[[0.0; 16], apart, v]), second);
    assert_eq!(gather(biased, &[[-1.0; 16], apart, v]), first);
    assert_eq!(gather("sample4_i.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64", &[apart, v]), second);
    let compared = "sample4_i_c.R (M1, 16) 0x0:uw S0 T6 R.0 P.0 P.64 P.128";
    assert_eq!(gather(compared, &[[105.0; 16], apart, v]), [1.0, 1.0, 0.0, 0.0]);
}
