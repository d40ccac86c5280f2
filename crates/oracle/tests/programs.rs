//! Whole programs by their pages must yield the same results as by the kernels.

use std::path::Path;

use visakit_codegen::model::Page;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Options, Program, Surroundings, launch};
use visakit_kernels::code::Interpreter;
use visakit_oracle::{ByPages, Which};
use visakit_zebin::Zebin;

fn run(
    name: &str,
    target: &str,
    arguments: &[Argument],
    interpreter: Option<&dyn Interpreter>,
) -> Vec<Option<Vec<u8>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}/{name}.{target}.zebin"));
    let zebin = Zebin::parse(name, &std::fs::read(path).unwrap()).unwrap();
    let program = Program::from_zebin(&zebin, None, None).unwrap();
    let global: &[u64] = if name == "mandelbrot" { &[32, 16] } else { &[64] };
    let range = NdRange::new(global, None, None, program.required_local_size()).unwrap();
    let surroundings = Surroundings { interpreter, ..Surroundings::default() };
    let options = Options { surroundings, ..Options::default() };
    let arguments = arguments.iter().cloned().map(Some).collect();
    launch(&program, &range, arguments, &options).unwrap_or_else(|e| panic!("{name} {target}: {e}")).buffers
}

#[test]
fn programs_by_their_pages() {
    let model =
        || visakit_codegen::read_texts(visakit::sources::SPECIFICATION.iter().map(Page::built_in).collect()).0;
    let floats = |f: fn(f32) -> f32| Argument::Buffer((0..64).flat_map(|n| f(n as f32).to_le_bytes()).collect());
    let word = |value: u32| Argument::Value(value.to_le_bytes().to_vec());
    let real = |value: f32| word(value.to_bits());
    let text = Argument::Buffer((0..256_u32).map(|n| (n * n / 7) as u8).collect());
    let programs: [(&str, Vec<Argument>); 3] = [
        (
            "vector_add",
            vec![floats(|x| x * 0.37), floats(|x| 1.0 / (x + 1.0)), Argument::Buffer(vec![0; 256]), word(61)],
        ),
        ("histogram", vec![text, word(256), Argument::Buffer(vec![0; 1024])]),
        (
            "mandelbrot",
            vec![Argument::Buffer(vec![0; 2048]), word(32), word(16), real(-2.2), real(-1.15), real(0.1), word(40)],
        ),
    ];
    let mut used = 0;
    for (name, arguments) in &programs {
        for target in ["skl", "tgllp", "dg2", "pvc"] {
            let pages = ByPages::new(Which::All, &model);
            let by_pages = run(name, target, arguments, Some(&pages));
            assert_eq!(by_pages, run(name, target, arguments, None), "{name} {target}");
            used = used.max(pages.used().len());
        }
    }
    assert!(used > 10, "{used}");
}
