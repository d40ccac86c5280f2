//! Launch inputs besides arguments: the program's data through surfaces, the `assert` buffer; and
//! rejected launches.

use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::data::ProgramData;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Engine, Outcome, Policy, Program, RunError, launch};
use visakit_zebin::{DataSection, info};

/// Returns a kernel of one channel: `OUT` points to a buffer, `N` is a 32-bit number.
fn text(declarations: &str, body: &str) -> String {
    format!(
        ".version 4.1\n.kernel \"k\"\n\
         .decl OUT v_type=G type=uq num_elts=1 align=qword\n\
         .decl N v_type=G type=ud num_elts=1 align=dword\n\
         .decl A v_type=G type=ud num_elts=1 align=GRF\n\
         .decl D v_type=G type=ud num_elts=4 align=GRF\n\
         {declarations}\
         .input OUT offset=32 size=8\n\
         .input N offset=40 size=4\n\
         .kernel_attr SimdSize=16\n.function \"main\"\nmain:\n\
         {body}    ret (M1, 1)\n"
    )
}

fn layout(items: &str) -> String {
    format!(
        "kernels:\n  - name: k\n    execution_env: {{ simd_size: 16 }}\n    payload_arguments:\n      \
         - {{ arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }}\n      \
         {items}\n"
    )
}

fn program(platform: Platform, text: &str, layout: &str) -> Program {
    let info = info::parse("k", layout).unwrap().kernels.remove(0);
    let mut program = Program::from_text("k.visaasm", text, info, platform).unwrap_or_else(|e| panic!("{e:#?}"));
    let section = |section, name: &str, bytes: [u32; 2]| DataSection {
        section,
        name: name.to_owned(),
        bytes: bytes.map(u32::to_le_bytes).concat(),
        size: 8,
        relocations: Vec::new(),
    };
    let sections = vec![section(1, ".data.const", [5, 6]), section(2, ".data.global", [7, 8])];
    program.data = ProgramData { sections, ..ProgramData::default() };
    program
}

/// Runs with all engines, which must agree.
fn run(program: &Program) -> Result<Outcome, RunError> {
    let range = NdRange::new(&[1], None, None, [0; 3]).unwrap();
    let arguments = || vec![Some(Argument::Buffer(vec![0; 16]))];
    let run = |engine| launch(program, &range, arguments(), &Policy { engine, ..Policy::default() }.into());
    let all = [Engine::Interpreter, Engine::Native, Engine::Avx2].map(run);
    let said = |outcome: &Result<Outcome, RunError>| match outcome {
        Ok(outcome) => format!("{:?} {} {}", outcome.buffers, outcome.outside_reads, outcome.instructions),
        Err(error) => error.to_string(),
    };
    assert_eq!([said(&all[1]), said(&all[2])], [said(&all[0]), said(&all[0])]);
    let [first, ..] = all;
    first
}

fn words(outcome: Outcome) -> Vec<u32> {
    let bytes = outcome.buffers[0].clone().unwrap();
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[test]
fn data_of_the_program_are_surfaces() {
    for (kind, want) in [("const_base", [5, 6]), ("global_base", [7, 8])] {
        // Through a binding-table entry.
        let body = "    mov (M1_NM, 1) A(0,0)<1> 0x0:ud\n    \
                    lsc_load.ugm (M1_NM, 1)  D:d32x2  bti(0x2)[A]:a32\n    \
                    lsc_store.ugm (M1_NM, 1)  flat[OUT]:a64  D:d32x2\n";
        let items = format!("- {{ arg_type: {kind}, offset: 8, size: 8, bti_value: 2 }}");
        let got = run(&program(Platform::Dg2, &text("", &body.replace("d32x2", "d32x2t")), &layout(&items)));
        let got = got.unwrap();
        assert_eq!((got.outside_reads, &words(got)[..2]), (0, &want[..]), "{kind} by an entry");
        // Through a state offset.
        let body = body.replace("bti(0x2)", "bss(N)").replace("d32x2", "d32x2t");
        let items = format!("- {{ arg_type: {kind}, offset: 8, size: 4, addrmode: bindless }}");
        let got = run(&program(Platform::Dg2, &text("", &body), &layout(&items))).unwrap();
        assert_eq!((got.outside_reads, &words(got)[..2]), (0, &want[..]), "{kind} by a state");
    }
}

#[test]
fn what_is_not_understood_is_refused_at_its_place() {
    let number = "- { arg_type: arg_byvalue, offset: 8, size: 4, arg_index: 1 }";
    let known = text("", "");
    for (text, items, place, word) in [
        (known.clone(), "- { arg_type: const_base, offset: 8, size: 4 }", ".ze_info:6", "const_base"),
        (known.clone(), "- { arg_type: const_base, offset: 8, size: 8, addrmode: slm }", ".ze_info:6", "const_base"),
        (known.clone(), "- { arg_type: rt_global_buffer, offset: 8, size: 8 }", ".ze_info:6", "rt_global_buffer"),
        (known.clone(), "- { arg_type: region_group_size, offset: 8, size: 12 }", ".ze_info:6", "region_group_size"),
        (known.clone(), "- { arg_type: inline_sampler, offset: 8, size: 8 }", ".ze_info:6", "inline_sampler"),
        (known.clone(), "- { arg_type: arg_byvalue, offset: 8, size: 4, arg_index: 1, of: 2 }", ".ze_info:6", "`of`"),
        (known.replace("offset=40", "offset=44"), number, "k.visaasm:8:1", "input N at offset 44"),
    ] {
        let error = run(&program(Platform::Dg2, &text, &layout(items))).unwrap_err();
        let RunError::Launch(finding) = &error else { panic!("{items}: {error}") };
        assert_eq!(finding.code, "launch-unsupported", "{items}: {finding}");
        assert!(finding.place().starts_with(place), "{items}: {finding}");
        assert!(finding.message.contains(word), "{items}: {finding}");
    }
}

/// Runs a kernel that writes a record with its own format to the `assert` buffer, sets the flag and
/// raises an exception.
#[test]
fn an_assertion_that_fails_is_a_finding_with_the_kernels_words() {
    let declarations = ".decl B v_type=G type=uq num_elts=1 align=GRF\n\
                        .decl P v_type=G type=uq num_elts=1 align=GRF\n\
                        .input B offset=48 size=8\n";
    let mut body = String::new();
    // Flag and end of the records; then a record: length of the format, and `no %d\n`.
    let format = *b"no %d\n\0\0";
    let format = format.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
    let record = [7, 1 << 31].into_iter().chain(format).chain([3, 42]);
    let end = 12 + 6 * 4;
    for (n, word) in [1, end].into_iter().chain(record).enumerate() {
        body += &format!(
            "    add (M1_NM, 1) P(0,0)<1> B(0,0)<0;1,0> 0x{:x}:ud\n    mov (M1_NM, 1) D(0,0)<1> 0x{word:x}:ud\n    \
             lsc_store.ugm (M1_NM, 1)  flat[P]:a64  D:d32\n",
            4 + n * 4
        );
    }
    let quiet = text(declarations, &body);
    body += "    or (M1_NM, 1) %cr0(0,1)<1> %cr0(0,1)<0;1,0> 0x20000000:ud\n";
    let items = "- { arg_type: arg_byvalue, offset: 8, size: 4, arg_index: 1 }\n      \
                 - { arg_type: assert_buffer, offset: 16, size: 8 }";
    let error = run(&program(Platform::Dg2, &text(declarations, &body), &layout(items))).unwrap_err();
    let RunError::TrapReport(fault) = &error else { panic!("{error}") };
    assert_eq!(fault.trap.code(), "fault-assert");
    assert!(error.to_string().contains("an assertion of the kernel failed: no 42"), "{error}");
    assert!(text(declarations, &body).lines().nth(fault.line as usize - 1).unwrap().contains("%cr0(0,1)"), "{fault}");
    // The flag alone is sufficient.
    let error = run(&program(Platform::Dg2, &quiet, &layout(items))).unwrap_err();
    assert!(matches!(&error, RunError::Launch(finding) if finding.code == "fault-assert"), "{error}");
    assert!(error.to_string().contains("no 42"), "{error}");
}
