//! Subroutines that are copied to their calls, compared with the same subroutines when they are
//! called.

use std::fmt::Write as _;

#[macro_use]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{layout, text, typed};
use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Engine, Options, Policy, Program, launch};
use visakit_testing::Random;

/// Number of subroutines. Each may call those after it.
const COUNT: usize = 5;

/// Writes random instructions of a part: the kernel, with number 0, or a subroutine. `call` is the
/// beginning of its calls.
fn write_part(random: &mut Random, out: &mut String, part: usize, depth: u32, call: &str) {
    for _ in 0..=random.below(4) {
        let (number, name) = (random.below(1000), format!("L{part}_{}", random.bits()));
        let _ = match random.below(8) {
            0 if depth < 3 => {
                // Some channels branch past instructions.
                let bits = 1 << random.below(3);
                let _ = writeln!(
                    out,
                    "    and (M1, 16) X{part}(0,0)<1> CT(0,0)<1;1,0> 0x{bits:x}:ud\n    \
                     cmp.eq (M1, 16) P{p} X{part}(0,0)<1;1,0> 0x0:ud\n    (P{p}) goto (M1, 16) {name}",
                    p = part + 1
                );
                write_part(random, out, part, depth + 1, call);
                writeln!(out, "{name}:")
            }
            1 if depth < 2 => {
                let _ = writeln!(out, "    and (M1, 16) N{depth}{part}(0,0)<1> CT(0,0)<1;1,0> 0x3:ud\n{name}:");
                write_part(random, out, part, depth + 2, call);
                writeln!(
                    out,
                    "    add (M1, 16) N{depth}{part}(0,0)<1> N{depth}{part}(0,0)<1;1,0> 0xffffffff:ud\n    \
                     cmp.lt (M1, 16) P{p} N{depth}{part}(0,0)<1;1,0> 0x4:ud\n    (P{p}) goto (M1, 16) {name}",
                    p = part + 1
                )
            }
            2 if part > 0 => writeln!(
                out,
                "    cmp.gt (M1, 16) P{p} CT(0,0)<1;1,0> 0x{:x}:ud\n    (P{p}) ret (M1, 16)",
                random.bits() as u32,
                p = part + 1
            ),
            3..=5 if part < COUNT => {
                let called = part + 1 + random.below(COUNT - part);
                writeln!(out, "    {call}call (M1, 16) sub{called}")
            }
            6 => writeln!(out, "    mul (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x{:x}:ud", number * 2 + 3),
            _ => writeln!(out, "    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x{number:x}:ud"),
        };
    }
}

/// Returns the output of a program, and a table of its instructions.
fn outcome(declarations: &str, parts: &[String], lanes: &[u32; 16]) -> (Vec<u32>, String) {
    let mut text = text(declarations, &parts[0]);
    for (n, part) in parts.iter().enumerate().skip(1) {
        let _ = write!(text, ".function \"sub{n}\"\nsub{n}:\n{part}    ret (M1, 16)\n");
    }
    let program = Program::from_text("k.visaasm", &text, layout(), Platform::Skl)
        .unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let outcomes = [Engine::Native, Engine::Interpreter].map(|engine| {
        let input = [bytes_of!(lanes), vec![0; 192]].concat();
        let arguments = vec![Some(Argument::Buffer(input)), Some(Argument::Buffer(vec![0; 256]))];
        let options = Options::from(Policy { threads: Some(1), engine, stats: true, ..Policy::default() });
        let outcome = launch(&program, &range, arguments, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let stats = outcome.stats.unwrap();
        let counts: Vec<_> = stats.by_opcode.iter().map(|(name, count)| format!("{name} {count:?}")).collect();
        (values_of!(u32, outcome.buffers[1].as_deref().unwrap())[..16].to_vec(), counts.join("\n"))
    });
    assert_eq!(outcomes[0], outcomes[1], "the engines differ for\n{text}");
    let [outcome, _] = outcomes;
    outcome
}

#[test]
fn copies_do_what_calls_do() {
    let mut declarations = typed("ud", "ud");
    for n in 0..=COUNT {
        let _ = write!(
            declarations,
            "\n.decl P{p} v_type=P num_elts=16\n.decl X{n} v_type=G type=ud num_elts=16 align=GRF\n\
             .decl N0{n} v_type=G type=ud num_elts=16 align=GRF\n.decl N1{n} v_type=G type=ud num_elts=16 align=GRF",
            p = n + 1
        );
    }
    let always = COUNT + 2;
    let _ = write!(declarations, "\n.decl P{always} v_type=P num_elts=16");
    let mut random = Random(11);
    for _ in 0..60 {
        let seed = random.bits();
        let lanes = std::array::from_fn(|_| random.bits() as u32);
        // A predicate makes a call one of some channels, which stays a call.
        let [copied, called] = [String::new(), format!("(P{always}) ")].map(|call| {
            let mut random = Random(seed);
            let parts: Vec<_> = (0..=COUNT)
                .map(|part| {
                    let mut text = String::new();
                    if part == 0 {
                        let _ = writeln!(text, "    setp (M1_NM, 16) P{always} 0xffff:uw");
                        let _ = writeln!(text, "    mov (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0>");
                    }
                    write_part(&mut random, &mut text, part, 0, &call);
                    text
                })
                .collect();
            outcome(&declarations, &parts, &lanes)
        });
        assert_eq!(copied, called, "seed {seed}");
    }
}
