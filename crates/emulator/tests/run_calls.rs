//! Calls by name: recursion, and implicit arguments in memory.

use std::sync::Arc;

use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::fault::{Trap, TrapReport};
use visakit_emulator::machine::memory::function_address;
use visakit_emulator::run::{
    Cache, FunctionText, Functions, Options, Outcome, Policy, Program, RunError, Surroundings, launch,
};
use visakit_native::Level;
use visakit_zebin::info::{self, ZeInfo};
use visakit_zebin::{Target, VisaText, Zebin};

/// Returns a kernel of eight channels that loads a row from its first buffer into `X`, executes
/// `body`, and stores `Y` to its second buffer.
fn kernel(body: &str) -> String {
    format!(
        r#".version 4.1
.kernel "k"
.funcdecl "f"
.decl IN v_type=G type=uq num_elts=1 align=qword
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl STACK v_type=G type=uq num_elts=1 align=qword
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl ARG v_type=G type=d num_elts=8 alias=<%arg, 0>
.decl RET v_type=G type=d num_elts=8 alias=<%retval, 0>
.input IN offset=64 size=8
.input OUT offset=72 size=8
.input STACK offset=80 size=8
.kernel_attr SimdSize=8
.function "main"
main:
    svm_block_ld (2) IN(0,0)<0;1,0> X.0
{body}
    svm_block_st (2) OUT(0,0)<0;1,0> Y.0
    ret (M1, 1)
"#
    )
}

fn function(body: &str) -> String {
    format!(
        r#".version 4.1
.global_function "f"
.decl N v_type=G type=d num_elts=8 align=GRF
.decl S v_type=G type=d num_elts=8 align=GRF
.decl ARG v_type=G type=d num_elts=8 alias=<%arg, 0>
.decl RET v_type=G type=d num_elts=8 alias=<%retval, 0>
.decl SP v_type=G type=uq num_elts=1 alias=<%sp, 0>
.decl P1 v_type=P num_elts=8
.kernel_attr SimdSize=8
.function "f"
f:
{body}
    fret (M1, 8)
"#
    )
}

/// Recursive function: each activation needs its own N and S, and its channels wait at two places
/// during inner activations.
const FIBONACCI: &str = "
    mov (M1, 8) N(0,0)<1> ARG(0,0)<1;1,0>
    mov (M1, 8) S(0,0)<1> ARG(0,0)<1;1,0>
    cmp.lt (M1, 8) P1 N(0,0)<1;1,0> 0x2:d
    (P1) goto (M1, 8) small
    add (M1, 8) ARG(0,0)<1> N(0,0)<1;1,0> -1:d
    fcall (M1, 8) f 1 1
    mov (M1, 8) S(0,0)<1> RET(0,0)<1;1,0>
    add (M1, 8) ARG(0,0)<1> N(0,0)<1;1,0> -2:d
    fcall (M1, 8) f 1 1
    add (M1, 8) S(0,0)<1> S(0,0)<1;1,0> RET(0,0)<1;1,0>
small:
    mov (M1, 8) RET(0,0)<1> S(0,0)<1;1,0>";

const CALL: &str = "
    mov (M1, 8) ARG(0,0)<1> X(0,0)<1;1,0>
    fcall (M1, 8) f 1 1
    mov (M1, 8) Y(0,0)<1> RET(0,0)<1;1,0>";

/// Returns the kernel's description; `environment` adds fields to its execution environment.
fn described(environment: &str) -> ZeInfo {
    let info = format!(
        "
kernels:
  - name: k
    execution_env: {{ simd_size: 8{environment} }}
    payload_arguments:
      - {{ arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }}
      - {{ arg_type: arg_bypointer, offset: 8, size: 8, arg_index: 1, addrmode: stateless, addrspace: global }}
      - {{ arg_type: private_base_stateless, offset: 16, size: 8 }}
    per_thread_memory_buffers:
      - {{ type: global, usage: private_space, size: 64, is_simt_thread: true }}
"
    );
    info::parse("k", &info).unwrap()
}

fn program(kernel: &str, function: &str, environment: &str) -> Program {
    let info = described(environment).kernels.remove(0);
    let mut program = Program::from_text("k.visaasm", kernel, info, Platform::Skl).unwrap();
    let code = FunctionText::parse("f.visaasm".to_owned(), function.to_owned(), Platform::Skl).unwrap();
    program.data.functions.push(code.routine.name());
    program.functions.push(Arc::new(code));
    program
}

fn launched(program: &Program, input: [i32; 8], options: &Options<'_>) -> Result<Outcome, RunError> {
    let bytes = input.iter().flat_map(|n| n.to_le_bytes()).collect();
    let arguments = vec![Some(Argument::Buffer(bytes)), Some(Argument::Buffer(vec![0; 32]))];
    launch(program, &NdRange::new(&[24], Some(&[8]), Some(&[100]), [0; 3]).unwrap(), arguments, options)
}

/// Runs three groups of eight work items; `environment` adds fields to the execution environment in
/// `.ze_info`.
fn run(kernel: &str, function: &str, environment: &str, input: [i32; 8]) -> Result<Vec<i32>, Box<TrapReport>> {
    let options = Options::from(Policy { threads: Some(1), max_instructions: Some(1_000_000), ..Policy::default() });
    match launched(&program(kernel, function, environment), input, &options) {
        Ok(outcome) => Ok(outcome.elements(1).unwrap()),
        Err(RunError::TrapReport(fault)) => Err(fault),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn functions_call_themselves_in_divergent_channels() {
    let found = run(&kernel(CALL), &function(FIBONACCI), "", [0, 1, 2, 3, 7, 1, 10, 12]);
    assert_eq!(found.unwrap(), [0, 1, 1, 2, 13, 1, 55, 144]);
}

#[test]
fn channels_that_do_not_call_keep_their_values() {
    let body = "
    cmp.gt (M1, 8) P1 X(0,0)<1;1,0> 0x4:d
    mov (M1, 8) ARG(0,0)<1> X(0,0)<1;1,0>
    mov (M1, 8) RET(0,0)<1> -1:d
    (P1) fcall (M1, 8) f 1 1
    mov (M1, 8) Y(0,0)<1> RET(0,0)<1;1,0>";
    let kernel = kernel(body).replace(".kernel_attr", ".decl P1 v_type=P num_elts=8\n.kernel_attr");
    let found = run(&kernel, &function(FIBONACCI), "", [0, 1, 2, 3, 7, 5, 10, 4]);
    assert_eq!(found.unwrap(), [-1, -1, -1, -1, 13, 5, 55, -1]);
}

#[test]
fn calls_by_address_find_functions_that_call_themselves() {
    let body = "
    faddr f F(0,0)<1>
    mov (M1, 8) ARG(0,0)<1> X(0,0)<1;1,0>
    ifcall (M1, 8) F(0,0)<0;1,0> 1 1
    mov (M1, 8) Y(0,0)<1> RET(0,0)<1;1,0>";
    let kernel =
        kernel(body).replace(".kernel_attr", ".decl F v_type=G type=uq num_elts=1 align=qword\n.kernel_attr");
    let found = run(&kernel, &function(FIBONACCI), "", [4, 3, 2, 1, 0, 5, 6, 9]);
    assert_eq!(found.unwrap(), [3, 2, 1, 1, 0, 5, 8, 34]);
}

/// Unwritten variables of functions are zero in every thread, although the threads of the three
/// groups use the same registers.
#[test]
fn functions_begin_with_zeros_in_every_thread() {
    let counts = "    add (M1, 8) S(0,0)<1> S(0,0)<1;1,0> 0x1:d\n";
    let returns = "    mov (M1, 8) RET(0,0)<1> S(0,0)<1;1,0>";
    let steps = [
        // A variable, also where addresses reach all registers, and a predicate.
        String::new(),
        "    addr_add (M1, 1) A0(0)<1> &S 0x4:uw\n    mov (M1_NM, 1) r[A0(0),0]<1>:d 0x1:d\n".to_owned(),
        "    (P1) add (M1, 8) S(0,0)<1> S(0,0)<1;1,0> 0x8:d\n    cmp.eq (M1, 8) P1 ARG(0,0)<1;1,0> 0x0:d\n"
            .to_owned(),
    ];
    let address = ".decl A0 v_type=A num_elts=1\n.kernel_attr";
    for (step, second) in steps.iter().zip([1, 2, 1]) {
        let mut function = function(&format!("{step}{counts}{returns}"));
        if step.contains("A0") {
            function = function.replace(".kernel_attr", address);
        }
        let found = run(&kernel(CALL), &function, "", [0; 8]);
        assert_eq!(found.unwrap(), [1, second, 1, 1, 1, 1, 1, 1], "{step}");
    }
}

#[test]
fn recursion_without_end_is_a_fault() {
    let endless = "    fcall (M1, 8) f 1 1";
    let fault = run(&kernel(CALL), &function(endless), "", [0; 8]).unwrap_err();
    assert!(matches!(fault.trap, Trap::Illegal(_)), "{fault}");
    // A stack in memory overflows much earlier: 512 bytes in steps of 64.
    let endless = "    add (M1_NM, 1) SP(0,0)<1> SP(0,0)<0;1,0> 0x40:uq\n    fcall (M1, 8) f 1 1";
    let kernel = kernel(&format!("    mov (M1_NM, 1) %sp(0,0)<1> STACK(0,0)<0;1,0>\n{CALL}"));
    let fault = run(&kernel, &function(endless), ", has_stack_calls: true", [0; 8]).unwrap_err();
    assert!(matches!(fault.trap, Trap::Stack(512)), "{fault}");
    assert_eq!((fault.trap.code(), fault.function, fault.line), ("fault-stack", Some(0), 13));
}

#[test]
fn implicit_arguments_are_found_by_their_address_and_by_the_table_of_local_ids() {
    // Sizes of the group and of the launch, the offset, and the local ids of all channels.
    let asked = "
    mov (M1_NM, 1) B(0,0)<1> %impl_arg_buf_ptr(0,0)<0;1,0>
    svm_block_ld (8) B(0,0)<0;1,0> D.0
    mov (M1_NM, 1) B(0,0)<1> %local_id_buf_ptr(0,0)<0;1,0>
    svm_block_ld (1) B(0,0)<0;1,0> I.0
    mov (M1_NM, 1) RET(0,0)<1> D(0,1)<0;1,0>
    mov (M1_NM, 1) RET(0,1)<1> D(0,4)<0;1,0>
    mov (M1_NM, 1) RET(0,2)<1> D(1,4)<0;1,0>
    mov (M1_NM, 1) RET(0,3)<1> D(2,4)<0;1,0>
    mov (M1_NM, 4) RET(0,4)<1> I(0,4)<1;1,0>";
    let function = function(asked).replace(
        ".kernel_attr",
        ".decl B v_type=G type=uq num_elts=1 align=qword\n.decl D v_type=G type=ud num_elts=32 align=GRF\n\
         .decl I v_type=G type=uw num_elts=8 align=GRF\n.kernel_attr",
    );
    let found = run(&kernel(CALL), &function, ", has_stack_calls: true", [0; 8]);
    let found = found.unwrap_err();
    assert!(matches!(found.trap, Trap::Stack(512)), "the stack pointer was not set: {found}");
    let kernel = kernel(&format!("    mov (M1_NM, 1) %sp(0,0)<1> STACK(0,0)<0;1,0>\n{CALL}"));
    let found = run(&kernel, &function, ", has_stack_calls: true", [0; 8]);
    assert_eq!(found.unwrap(), [8, 24, 100, 3, 4, 5, 6, 7]);
}

#[test]
fn a_function_without_a_body_is_named_where_its_address_is_taken() {
    let body = "
    cmp.gt (M1, 8) P1 X(0,0)<1;1,0> 0x4:d
    (!P1) goto (M1, 8) past
    faddr nowhere F(0,0)<1>
    mov (M1, 8) ARG(0,0)<1> X(0,0)<1;1,0>
    ifcall (M1, 8) F(0,0)<0;1,0> 1 1
past:
    mov (M1, 8) Y(0,0)<1> X(0,0)<1;1,0>";
    let declared = ".decl F v_type=G type=uq num_elts=1 align=qword\n.decl P1 v_type=P num_elts=8\n.kernel_attr";
    let kernel = kernel(body).replace(".kernel_attr", declared);
    assert_eq!(run(&kernel, &function(FIBONACCI), "", [0, 1, 2, 3, 4, 1, 2, 3]).unwrap(), [0, 1, 2, 3, 4, 1, 2, 3]);
    let fault = run(&kernel, &function(FIBONACCI), "", [0, 1, 2, 9, 4, 1, 2, 3]).unwrap_err();
    assert!(matches!(&fault.trap, Trap::Undefined(name) if name == "nowhere"), "{fault}");
    assert!(fault.trap.code() == "fault-undefined" && fault.to_string().contains("`nowhere`"), "{fault}");
}

/// Returns a zebin of kernels and functions; each text has the section of its position.
fn zebin(texts: &[String]) -> Zebin {
    let texts = (0..).zip(texts).map(|(section, text)| VisaText { section, offset: 0, text: text.clone() });
    Zebin {
        file: "calls.zebin".to_owned(),
        target: Target::default(),
        texts: texts.collect(),
        info: described(""),
        data: Vec::new(),
        symbols: Vec::new(),
        native: Vec::new(),
    }
}

/// A function that returns its argument plus the number of a loop's rounds.
fn counter(name: &str, rounds: u32) -> String {
    let body = format!(
        "
    mov (M1, 8) N(0,0)<1> 0x0:d
again:
    add (M1, 8) N(0,0)<1> N(0,0)<1;1,0> 0x1:d
    cmp.lt (M1, 8) P1 N(0,0)<1;1,0> {rounds}:d
    (P1) goto (M1, 8) again
    add (M1, 8) RET(0,0)<1> ARG(0,0)<1;1,0> N(0,0)<1;1,0>"
    );
    function(&body).replace("\"f\"", &format!("\"{name}\"")).replace("\nf:", &format!("\n{name}:"))
}

#[test]
fn a_program_has_the_functions_that_its_kernel_may_call() {
    let calls = |name: &str| CALL.replace(" f ", &format!(" {name} "));
    let calling = |name: &str| kernel(&calls(name)).replace("\"f\"", &format!("\"{name}\""));
    let outer = function(&calls("g").replace("X(0,0)<1;1,0>", "ARG(0,0)<1;1,0>").replace("Y(0,0)<1>", "N(0,0)<1>"));
    let outer = outer.replace("\n.decl N", "\n.funcdecl \"g\"\n.decl N");
    // The last function has no valid text.
    let broken = "    .global_function \"broken\"\n    nonsense\n".to_owned();
    let texts = |kernel: String| [kernel, counter("unused", 1), outer.clone(), counter("g", 20), broken.clone()];
    let functions = Functions::default();
    let load =
        |kernel: String| Program::with_functions(&zebin(&texts(kernel)), &functions, None, Some(Platform::Skl));
    let names = |program: &Program| program.functions.iter().map(|f| f.routine.name()).collect::<Vec<_>>();
    let [one, other] = ["f", "g"].map(|name| load(calling(name)).unwrap());
    assert_eq!([names(&one), names(&other)], [vec!["f", "g"], vec!["g"]]);
    assert!(Arc::ptr_eq(&one.functions[1], &other.functions[0]), "parsed once");
    let outcome = launched(&one, [0, 1, 2, 3, 4, 5, 6, 7], &Options::default()).unwrap();
    assert_eq!(outcome.elements::<i32>(1).unwrap(), [20, 21, 22, 23, 24, 25, 26, 27]);
    // The address of a function that is not called counts in the whole file, as for other kernels.
    let address = ".decl F v_type=G type=uq num_elts=1 align=qword\n.kernel_attr";
    let body = "    faddr g F(0,0)<1>\n    mov (M1_NM, 1) Y(0,0)<1> F(0,0)<0;1,0>";
    let taken = load(kernel(body).replace(".kernel_attr", address)).unwrap();
    assert_eq!(names(&taken), [""; 0]);
    let outcome = launched(&taken, [0; 8], &Options::default()).unwrap();
    assert_eq!(outcome.elements::<i32>(1).unwrap()[0] as u64, function_address(2));
    // A call by address may reach any of them.
    let called = kernel("    ifcall (M1, 8) F(0,0)<0;1,0> 1 1").replace(".kernel_attr", address);
    let findings = load(called).unwrap_err();
    assert!(findings[0].file.contains("section 4"), "{}", findings[0].file);
}

/// Functions that threads call for the first time after native code exists are interpreted, and
/// later compiled as well.
#[test]
fn functions_are_compiled_after_they_have_been_called() {
    if Level::of_host().is_none() {
        return;
    }
    // Native code has the usual floating-point mode.
    let body = "
    mov (M1_NM, 1) %cr0(0,0)<1> 0x4c0:ud
    cmp.gt (M1, 8) P1 X(0,0)<1;1,0> 0x4:d
    mov (M1, 8) ARG(0,0)<1> X(0,0)<1;1,0>
    (!P1) fcall (M1, 8) f 1 1
    (P1) fcall (M1, 8) g 1 1
    mov (M1, 8) Y(0,0)<1> RET(0,0)<1;1,0>";
    let declared = ".decl P1 v_type=P num_elts=8\n.kernel_attr";
    let kernel = kernel(body).replace(".kernel_attr", declared).replace("\n.decl IN", "\n.funcdecl \"g\"\n.decl IN");
    let zebin = zebin(&[kernel, counter("f", 2000), counter("g", 3000)]);
    let program = Program::from_zebin(&zebin, None, Some(Platform::Skl)).unwrap();
    let cache = Cache::default();
    let policy = Policy { threads: Some(1), stats: true, ..Policy::default() };
    let surroundings = Surroundings { cache: Some(&cache), ..Surroundings::default() };
    let options = Options { policy, surroundings, ..Options::default() };
    // Returns the share of native instructions.
    let share = |input: [i32; 8]| {
        let outcome = launched(&program, input, &options).unwrap();
        let sum = |n: i32| n + if n > 4 { 3000 } else { 2000 };
        assert_eq!(outcome.elements::<i32>(1).unwrap(), input.map(sum));
        let stats = outcome.stats.unwrap();
        stats.native as f64 / stats.instructions as f64
    };
    let (few, many) = ([1, 2, 3, 4, 3, 2, 1, 0], [5, 6, 7, 8, 9, 10, 11, 12]);
    let until_native = |input| (0..1000).any(|_| share(input) > 0.9);
    assert!(until_native(few), "the first function is compiled");
    let first = share(many);
    assert!(first < 0.1, "the second function has no code yet, but {first} is native");
    assert!(until_native(many), "the second function is compiled");
    assert!(share(few) > 0.9, "the first function still has code");
    assert!(share([1, 6, 2, 7, 3, 8, 4, 9]) > 0.9, "some channels call one, some the other");
}
