//! Example kernels, compiled for four targets, run on the emulator and compared with computations
//! on the host.

use visakit::isa::{GeneralId, Operand};
use visakit::object::RoutineKind;
use visakit::rt::{FieldMut, Table, VisitorMut};
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Options, Outcome, Policy, Program, launch};
use visakit_zebin::Zebin;

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../../../examples/run_kernel.rs"]
mod run_kernel;

const TARGETS: [&str; 4] = ["skl", "tgllp", "dg2", "pvc"];

fn program(name: &str, target: &str) -> Program {
    let path = visakit_testing::root().join(format!("examples/{name}/{name}.{target}.zebin"));
    let bytes = std::fs::read(&path).unwrap();
    let zebin = Zebin::parse(&path.display().to_string(), &bytes).unwrap();
    let program = Program::from_zebin(&zebin, None, None).unwrap();
    assert_eq!(program.platform.name(), target, "the zebin says what it was compiled for");
    program
}

fn buffer<T, const N: usize>(values: &[T], bytes: impl Fn(&T) -> [u8; N]) -> Option<Argument> {
    Some(Argument::Buffer(values.iter().flat_map(bytes).collect()))
}

fn value<const N: usize>(bytes: [u8; N]) -> Option<Argument> {
    Some(Argument::Value(bytes.to_vec()))
}

fn words(outcome: &Outcome, argument: usize) -> Vec<u32> {
    let bytes = outcome.buffers[argument].as_ref().unwrap();
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Returns pseudo-random numbers, the same in every run.
fn numbers(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).map(step).collect()
}

fn run(
    program: &Program,
    global: &[u64],
    local: Option<&[u64]>,
    threads: usize,
    arguments: Vec<Option<Argument>>,
) -> Outcome {
    let range = NdRange::new(global, local, None, program.required_local_size()).unwrap();
    let options = Options::from(Policy { threads: Some(threads), ..Policy::default() });
    launch(program, &range, arguments, &options).unwrap_or_else(|error| panic!("{}: {error}", program.file))
}

#[test]
fn vector_add() {
    for target in TARGETS {
        let program = program("vector_add", target);
        for (n, global, local, threads) in [
            (1, 1, None, 1),
            (31, 64, Some(16), 1),
            (1000, 1001, Some(48), 2),
            (777, 777, Some(7), 4),
            (5000, 5003, None, 3),
        ] {
            // All bit patterns, including infinities and NaNs.
            let values = |seed| -> Vec<f32> { numbers(n, seed).iter().map(|&x| f32::from_bits(x as u32)).collect() };
            let (a, b) = (values(1), values(2));
            let arguments = vec![
                buffer(&a, |x| x.to_le_bytes()),
                buffer(&b, |x| x.to_le_bytes()),
                Some(Argument::Buffer(vec![0xaa; n * 4 + 8])),
                value((n as u32).to_le_bytes()),
            ];
            let outcome = run(&program, &[global], local.as_ref().map(std::slice::from_ref), threads, arguments);
            let got = words(&outcome, 2);
            for i in 0..n {
                let (want, got) = (a[i] + b[i], f32::from_bits(got[i]));
                assert!(
                    want.to_bits() == got.to_bits() || want.is_nan() && got.is_nan(),
                    "{target} {n} {i}: {want} {got}"
                );
            }
            assert_eq!(got[n..], [0xaaaa_aaaa; 2], "{target}: nothing is written behind the tail");
        }
    }
}

#[test]
fn one_buffer_is_two_arguments() {
    for target in TARGETS {
        let program = program("vector_add", target);
        let a: Vec<u32> = (1..50).map(|n| (n as f32).to_bits()).collect();
        let count = value((a.len() as u32).to_le_bytes());
        let a_buffer = buffer(&a, |x| x.to_le_bytes());
        // a = a + a, with `a` as the first argument's buffer: the result is in this buffer and
        // nowhere else.
        let same = || Some(Argument::Same(0));
        let outcome = run(&program, &[64], None, 2, vec![a_buffer.clone(), same(), same(), count.clone()]);
        let want: Vec<u32> = (1..50).map(|n| (2.0 * n as f32).to_bits()).collect();
        assert_eq!(words(&outcome, 0), want, "{target}");
        assert_eq!(outcome.buffers[1..], [None, None, None], "{target}");

        let range = NdRange::new(&[64], None, None, program.required_local_size()).unwrap();
        for (other, first) in [(3, a_buffer.clone()), (1, a_buffer), (9, None)] {
            let arguments = vec![first, Some(Argument::Same(other)), same(), count.clone()];
            let error = launch(&program, &range, arguments, &Options::default()).unwrap_err();
            assert!(
                error.to_string().contains(&format!("argument {other}, which is not a buffer")),
                "{target}: {error}"
            );
        }
    }
}

#[test]
fn histogram() {
    for target in TARGETS {
        let program = program("histogram", target);
        for (n, global, local, threads) in
            [(1, 1, None, 1), (1000, 256, Some(64), 1), (12_345, 1000, Some(100), 2), (70_001, 777, Some(256), 4)]
        {
            let data: Vec<u8> = numbers(n, 3).iter().map(|&x| (x % 251) as u8).collect();
            let mut want: Vec<u32> = (0..256).collect();
            let arguments = vec![
                Some(Argument::Buffer(data.clone())),
                value((n as u32).to_le_bytes()),
                buffer(&want, |x| x.to_le_bytes()),
            ];
            for byte in data {
                want[usize::from(byte)] += 1;
            }
            let outcome = run(&program, &[global], local.as_ref().map(std::slice::from_ref), threads, arguments);
            assert_eq!(words(&outcome, 2), want, "{target} {n}");
        }
    }
}

/// Computes the kernel's result with its operations in the same order.
fn mandelbrot_steps(x: u32, y: u32, left: f32, top: f32, pitch: f32, limit: u32) -> u32 {
    let (cr, ci) = (pitch.mul_add(x as f32, left), pitch.mul_add(y as f32, top));
    let (mut zr, mut zi) = (0.0_f32, 0.0_f32);
    for n in 0..limit {
        let (rr, ii) = (zr * zr, zi * zi);
        if rr + ii > 4.0 {
            return n;
        }
        zi = (2.0 * zr).mul_add(zi, ci);
        zr = rr - ii + cr;
    }
    limit
}

#[test]
fn mandelbrot() {
    let (left, top) = (-2.2_f32, -1.25_f32);
    for target in TARGETS {
        let program = program("mandelbrot", target);
        for (width, height, local, limit, threads) in [
            (1, 1, None, 100, 1),
            (61, 37, None, 60, 1),
            (61, 37, Some([16, 4]), 60, 2),
            (50, 33, Some([5, 3]), 0, 1),
            (100, 70, Some([33, 1]), 300, 4),
        ] {
            let pitch = 3.0 / width as f32;
            let arguments = vec![
                Some(Argument::Buffer(vec![0xff; width as usize * height as usize * 4])),
                value((width as u32).to_le_bytes()),
                value((height as u32).to_le_bytes()),
                value(left.to_le_bytes()),
                value(top.to_le_bytes()),
                value(pitch.to_le_bytes()),
                value(u32::to_le_bytes(limit)),
            ];
            // More work items than pixels: those outside return early.
            let global: [u64; 2] = [width + 3, height + 2];
            let outcome = run(&program, &global, local.as_ref().map(<[u64; 2]>::as_slice), threads, arguments);
            let want: Vec<u32> = (0..height as u32)
                .flat_map(|y| (0..width as u32).map(move |x| mandelbrot_steps(x, y, left, top, pitch, limit)))
                .collect();
            assert_eq!(words(&outcome, 0), want, "{target} {width}x{height}");
        }
    }
}

#[test]
fn any_number_of_host_threads_gives_the_same() {
    let program = program("mandelbrot", "dg2");
    let arguments = || {
        vec![
            Some(Argument::Buffer(vec![0; 64 * 64 * 4])),
            value(64_u32.to_le_bytes()),
            value(64_u32.to_le_bytes()),
            value((-2.0_f32).to_le_bytes()),
            value((-2.0_f32).to_le_bytes()),
            value((1.0_f32 / 16.0).to_le_bytes()),
            value(100_u32.to_le_bytes()),
        ]
    };
    let first = run(&program, &[64, 64], Some(&[8, 8]), 1, arguments());
    for threads in [2, 3, 8, 100] {
        let other = run(&program, &[64, 64], Some(&[8, 8]), threads, arguments());
        assert_eq!((&first.buffers, first.instructions), (&other.buffers, other.instructions));
    }
}

/// Runs kernels whose output depends on the order of groups; the result must not depend on the
/// speed of host threads.
#[test]
fn what_depends_on_the_order_of_groups_is_the_same_too() {
    let items = 64 * 128;
    let odd = |x: u64| (x >> 20) as u32 | u32::from(x & 1 != 0);
    let uints: Vec<u32> = numbers(items, 5).into_iter().map(odd).collect();
    let floats: Vec<f32> = uints.iter().map(|x| *x as f32 / 65536.0).collect();
    let input = || buffer(&uints, |x| x.to_le_bytes());
    let zeros = |bytes: usize| Some(Argument::Buffer(vec![0; bytes]));
    let mut kept: Vec<u32> = uints.iter().copied().filter(|x| x & 1 == 1).collect();
    kept.sort_unstable();
    for target in TARGETS {
        let path = visakit_testing::root().join(format!("crates/emulator/tests/conformance/order.{target}.zebin.gz"));
        let zebin = Zebin::parse(target, &visakit_testing::unpacked(&path).unwrap()).unwrap();
        let kernel = |name: &str| Program::from_zebin(&zebin, Some(name), None).unwrap();
        let same = |name: &str, arguments: &dyn Fn() -> Vec<Option<Argument>>| {
            let program = kernel(name);
            let run = |threads| run(&program, &[items as u64], Some(&[64]), threads, arguments());
            let first = run(1);
            for threads in [2, 5, 64] {
                let other = run(threads);
                assert!(first.buffers == other.buffers, "{target} {name} with {threads} threads");
                assert_eq!(String::from_utf8_lossy(&first.printed), String::from_utf8_lossy(&other.printed));
            }
            first
        };
        let append = same("append", &|| vec![input(), zeros(4), zeros(items * 4)]);
        assert_eq!(words(&append, 1), [kept.len() as u32]);
        let mut appended = words(&append, 2);
        appended.truncate(kept.len());
        appended.sort_unstable();
        assert!(appended == kept, "{target}");

        let sum = same("sum", &|| vec![buffer(&floats, |x| x.to_le_bytes()), zeros(4)]);
        let (sum, exact) = (f32::from_bits(words(&sum, 1)[0]), floats.iter().map(|x| f64::from(*x)).sum::<f64>());
        assert!((f64::from(sum) / exact - 1.0).abs() < 1e-3, "{target}: {sum} for {exact}");

        let said = same("say", &|| vec![input()]);
        let expected: String =
            uints.iter().step_by(64).enumerate().map(|(n, x)| format!("group {n} has {x}\n")).collect();
        assert_eq!(String::from_utf8_lossy(&said.printed), expected);
    }
}

#[test]
fn counts_add_up() {
    let program = program("vector_add", "skl");
    let floats = buffer(&[1.0_f32; 100], |x| x.to_le_bytes());
    let arguments = vec![floats.clone(), floats.clone(), floats, value(100_u32.to_le_bytes())];
    let range = NdRange::new(&[100], Some(&[100]), None, [0; 3]).unwrap();
    let options = Options::from(Policy { stats: true, ..Policy::default() });
    let outcome = launch(&program, &range, arguments, &options).unwrap();
    let stats = outcome.stats.unwrap();
    assert_eq!(stats.instructions, outcome.instructions);
    // Four hardware threads of 32 channels, the last with 4 work items.
    assert_eq!(stats.by_opcode["ret"].instructions, 4);
    assert_eq!(stats.by_opcode["ret"].lane_operations, 100);
    assert_eq!(stats.by_opcode["goto"].instructions, 4);
    assert_eq!(stats.by_opcode["gather4_scaled"].lane_operations, 200);
    assert_eq!(stats.by_opcode["scatter4_scaled"].lane_operations, 100);
    assert!(!stats.by_opcode.contains_key("label"));
}

#[test]
fn run_kernel_adds_and_multiplies() {
    for target in TARGETS {
        let path = visakit_testing::root().join(format!("examples/vector_add/vector_add.{target}.zebin"));
        let bytes = std::fs::read(&path).unwrap();
        let a: Vec<f32> = (1..100).map(|n| n as f32 * 0.5).collect();
        let b: Vec<f32> = (1..100).map(|n| 7.0 - n as f32).collect();
        let results = run_kernel::run("k", &bytes, &a, &b).unwrap();
        let pairs = || a.iter().zip(&b);
        let expected = [pairs().map(|(a, b)| a + b).collect::<Vec<_>>(), pairs().map(|(a, b)| a * b).collect()];
        assert_eq!(results, expected, "{target}");
        let error = run_kernel::run("k", &bytes[..200], &a, &b).unwrap_err();
        assert!(error.to_string().contains("[zebin-damaged]"), "{error}");
    }
}

/// A kernel's code from a builder, an object or another program runs like the original.
#[test]
fn code_moves_between_programs() {
    for target in TARGETS {
        let original = program("vector_add", target);
        let (routine, info, platform) = (original.routine.clone(), original.info.clone(), original.platform);
        let a: Vec<f32> = (0..50).map(|n| n as f32).collect();
        let result = |program: &Program| {
            let arguments =
                vec![Some((&a).into()), Some((&a).into()), Some((&[0_f32; 50]).into()), Some(50_u32.into())];
            run(program, &[50], None, 1, arguments).elements::<f32>(2).unwrap()
        };
        let doubled: Vec<f32> = a.iter().map(|x| x + x).collect();
        let built = Program::from_routine("built", routine.clone(), info, platform).unwrap();
        assert_eq!(result(&built), doubled);
        let kept = original.clone().rewritten(|_| {}).unwrap();
        assert_eq!(
            (kept.text, kept.lines),
            (original.text.clone(), original.lines.clone()),
            "equal code keeps its text"
        );
        let replaced = original.clone().with_routine(routine.clone()).unwrap();
        assert_eq!((replaced.text.as_deref(), result(&replaced)), (None, doubled));

        let mut function = routine;
        function.kind = RoutineKind::Function { input_size: 0, return_value_size: 0 };
        let error = original.with_routine(function).unwrap_err();
        assert_eq!((error.len(), error[0].code), (1, "program-kind"));
    }
}

/// Code with ids that no table has is refused at the launch or stopped, but never panics.
#[test]
fn rewritten_code_may_be_wrong() {
    for target in TARGETS {
        let original = program("vector_add", target);
        for table in [Table::General, Table::Predicate, Table::Label, Table::Surface] {
            let program = original.clone().rewritten(|routine| {
                routine.instructions.iter_mut().for_each(|one| one.visit_mut(&mut Undeclared(table)));
            });
            let range = NdRange::new(&[64], None, None, [0; 3]).unwrap();
            let buffer = || Some(Argument::from(&[0_f32; 64]));
            let arguments = vec![buffer(), buffer(), buffer(), Some(64_u32.into())];
            let options = Options::from(Policy { max_instructions: Some(10_000), ..Policy::default() });
            let _ = launch(&program.unwrap(), &range, arguments, &options);
        }
    }
}

/// Visitor that replaces the ids of a table by an id that is not declared.
struct Undeclared(Table);

impl VisitorMut for Undeclared {
    fn field(&mut self, _position: usize, value: FieldMut<'_>) {
        match (self.0, value) {
            (Table::General, FieldMut::Vector(operand)) => {
                if let Operand::General(general) = &mut operand.operand {
                    general.id = GeneralId(60_000);
                }
            }
            (Table::General, FieldMut::Raw(raw)) => raw.id = GeneralId(60_000),
            (Table::Predicate, FieldMut::Predicate(predicate)) => predicate.id = 4_000,
            (table, FieldMut::Index(of, id)) if table == of => *id = 200,
            _ => {}
        }
    }
}

#[test]
fn results_are_checked() {
    let program = program("vector_add", "skl");
    let arguments =
        vec![Some((&[1_f32; 3]).into()), Some((&[2_f32; 3]).into()), Some((&[0_u8; 13]).into()), Some(3_u32.into())];
    let outcome = run(&program, &[3], None, 1, arguments);
    assert_eq!(outcome.elements::<f32>(1).unwrap(), [2.0; 3]);
    assert_eq!(outcome.elements::<[f32; 3]>(1).unwrap(), [[2.0; 3]]);
    for (argument, code) in [(2, "result-elements"), (3, "result-missing"), (4, "result-missing")] {
        let error = outcome.elements::<f32>(argument).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.file == format!("arg {argument}") && !error.help.is_empty(), "{error}");
    }
}
