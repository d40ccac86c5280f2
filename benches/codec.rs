//! Benchmark of decoding, encoding, printing, parsing and verifying compiled kernels, compared with
//! iced-x86 on this program's own code. Figures are the best of several runs of one process on one
//! core.
//!
//! `cargo bench --bench codec`

use std::hint::black_box;
use std::time::{Duration, Instant};

use object::read::{Object as _, ObjectSection as _};
use visakit::isa::{Instruction, Platform};
use visakit::object::Object;
use visakit::rt::{Context, Reader, Wire, Writer};
use visakit::text::{Options, Style, parse, print};

fn main() {
    // `cargo test --benches` passes --test; there is nothing to test here.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let texts = texts();
    let objects: Vec<Object> = texts.iter().map(|(p, t)| assemble(p, t)).collect();
    let cx = Context { version: objects[0].version };
    let code: Vec<u8> = objects.iter().flat_map(|o| encode(&o.kernels[0].routine.instructions, cx)).collect();
    let code = code.repeat(200);
    let decoded = decode(&code, cx);
    let text_bytes: usize = texts.iter().map(|(_, t)| t.len()).sum();

    println!(
        "{} instructions of {} bytes; rates are the best of several runs on one core",
        decoded.len(),
        code.len()
    );
    let peer = iced();
    row("iced-x86 decode (its own input)", peer, peer);
    let rate = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64() / 1e6;
    row("decode", rate(code.len(), best(|| drop(black_box(decode(&code, cx))))), peer);
    row("encode", rate(code.len(), best(|| drop(black_box(encode(&decoded, cx))))), peer);
    let printing = best(|| {
        for ((platform, _), object) in texts.iter().zip(&objects) {
            black_box(print(object, &object.kernels[0].routine, Platform::from_name(platform), Style::Full));
        }
    });
    row("disassemble (text)", rate(text_bytes, printing), peer);
    let parsing = best(|| {
        for (platform, text) in &texts {
            black_box(assemble(platform, text));
        }
    });
    row("assemble (text)", rate(text_bytes, parsing), peer);
    let checking = best(|| {
        for ((platform, _), object) in texts.iter().zip(&objects) {
            black_box(visakit::verify::routine(&object.kernels[0].routine, Platform::from_name(platform)));
        }
    });
    row("verify (text)", rate(text_bytes, checking), peer);
}

fn row(name: &str, rate: f64, peer: f64) {
    println!("{name:<34} {rate:>9.1} MB/s   {:>6.2} x iced-x86", rate / peer);
}

fn best(mut work: impl FnMut()) -> Duration {
    (0..7)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn decode(code: &[u8], cx: Context) -> Vec<Instruction> {
    let mut r = Reader::new(code, 0);
    let mut out = Vec::with_capacity(code.len() / 16);
    while r.remaining() > 0 {
        out.push(Instruction::decode(&mut r, cx).expect("the kernels decode"));
    }
    out
}

fn encode(code: &[Instruction], cx: Context) -> Vec<u8> {
    let mut w = Writer::new();
    for instruction in code {
        instruction.encode(&mut w, cx).expect("the kernels encode");
    }
    w.into_bytes()
}

fn assemble(platform: &str, text: &str) -> Object {
    let options = Options { file: String::new(), platform: Platform::from_name(platform) };
    parse(text, options).expect("the kernels parse").into_object()
}

/// Returns the throughput of iced-x86 on the code of this program, in MB/s.
fn iced() -> f64 {
    let file = std::fs::read(std::env::current_exe().expect("a path")).expect("this program");
    let file = object::File::parse(&*file).expect("an executable");
    let text = file.section_by_name(".text").expect("code");
    let data = text.data().expect("code");
    let time = best(|| {
        let mut decoder = iced_x86::Decoder::with_ip(64, data, text.address(), iced_x86::DecoderOptions::NONE);
        let mut instruction = iced_x86::Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            black_box(&instruction);
        }
    });
    data.len() as f64 / time.as_secs_f64() / 1e6
}

/// Returns the texts of the committed zebins, with their platforms.
fn texts() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut out = Vec::new();
    for example in ["vector_add", "histogram", "mandelbrot"] {
        for platform in ["skl", "tgllp", "dg2", "pvc"] {
            let path = root.join(example).join(format!("{example}.{platform}.zebin"));
            let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let file = object::File::parse(&*bytes).expect("a zebin");
            let section = file.section_by_name(".visaasm").expect("a vISA section");
            let text = String::from_utf8(section.data().expect("data").to_vec()).expect("a text");
            out.push((platform.to_owned(), text));
        }
    }
    out
}
