//! Test kernels around a few instructions: the kernel reads 256 bytes from a buffer, executes the
//! instructions, and writes 256 bytes back.
#![allow(dead_code, reason = "each test file uses a part of it")]

use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::fault::TrapReport;
use visakit_emulator::machine::observer::{Access, Observer};
use visakit_emulator::run::{Engine, Observers, Options, Policy, Program, RunError, launch};
use visakit_zebin::info::{self, KernelInfo};

/// Returns the text of a kernel with 16 channels and two pointers. `IN` points to 256 bytes, loaded
/// into `A` and, from byte 128, `B`. `OUT` points to 256 bytes that receive `C` and `D`.
pub(crate) fn text(declarations: &str, body: &str) -> String {
    format!(
        r#".version 4.1
.kernel "k"
.decl IN v_type=G type=uq num_elts=1 align=qword
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl IN2 v_type=G type=uq num_elts=1 align=qword
.decl OUT2 v_type=G type=uq num_elts=1 align=qword
.decl A v_type=G type=ud num_elts=64 align=GRF
.decl C v_type=G type=ud num_elts=64 align=GRF
{declarations}
.input IN offset=64 size=8
.input OUT offset=72 size=8
.kernel_attr SimdSize=16
.function "main"
main:
    or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud
    add (M1_NM, 1) IN2(0,0)<1> IN(0,0)<0;1,0> 0x80:ud
    add (M1_NM, 1) OUT2(0,0)<1> OUT(0,0)<0;1,0> 0x80:ud
    svm_block_ld (8) IN(0,0)<0;1,0> A.0
    svm_block_ld (8) IN2(0,0)<0;1,0> A.128
{body}
    svm_block_st (8) OUT(0,0)<0;1,0> C.0
    svm_block_st (8) OUT2(0,0)<0;1,0> C.128
    ret (M1, 1)
"#
    )
}

/// Returns the layout of the kernel's arguments.
pub(crate) fn layout() -> KernelInfo {
    let text = "
kernels:
  - name: k
    execution_env: { simd_size: 16, slm_size: 256 }
    payload_arguments:
      - { arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }
      - { arg_type: arg_bypointer, offset: 8, size: 8, arg_index: 1, addrmode: stateless, addrspace: global }
      - { arg_type: arg_bypointer, offset: 16, size: 8, arg_index: 0, addrmode: bindless, addrspace: global }
      - { arg_type: arg_bypointer, offset: 24, size: 8, arg_index: 1, addrmode: bindless, addrspace: global }
    binding_table_indices:
      - { bti_value: 0, arg_index: 0 }
      - { bti_value: 1, arg_index: 1 }
";
    info::parse("k", text).unwrap().kernels.remove(0)
}

/// Returns the kernel as a program of a platform.
pub(crate) fn program(platform: Platform, declarations: &str, body: &str) -> Program {
    let text = text(declarations, body);
    Program::from_text("k.visaasm", &text, layout(), platform).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

/// Returns the kernel's output for `items` work items in one group.
pub(crate) fn try_run(declarations: &str, body: &str, input: &[u8], items: u64) -> Result<Vec<u8>, Box<TrapReport>> {
    try_run_on(Platform::Skl, declarations, body, input, items)
}

/// As [`try_run`], on a given platform.
pub(crate) fn try_run_on(
    platform: Platform,
    declarations: &str,
    body: &str,
    input: &[u8],
    items: u64,
) -> Result<Vec<u8>, Box<TrapReport>> {
    let program = program(platform, declarations, body);
    let mut bytes = input.to_vec();
    bytes.resize(256, 0);
    let arguments = vec![Some(Argument::Buffer(bytes)), Some(Argument::Buffer(vec![0; 256]))];
    let range = NdRange::new(&[items], Some(&[items]), None, [0; 3]).unwrap();
    let run = |observer, engine| {
        let policy = Policy { threads: Some(1), max_instructions: Some(10_000), engine, ..Policy::default() };
        let observers = Observers { accesses: observer, ..Observers::default() };
        let options = Options { policy, observers, ..Options::default() };
        match launch(&program, &range, arguments.clone(), &options) {
            Ok(mut outcome) => Ok(outcome.buffers[1].take().unwrap()),
            Err(RunError::TrapReport(fault)) => Err(fault),
            Err(other) => panic!("{other}"),
        }
    };
    let result = run(None, Engine::Interpreter);
    // With an observer, accesses go channel by channel; the result must be the same.
    let watched = run(Some(&Nobody), Engine::Interpreter);
    let [native, avx2] = [Engine::Native, Engine::Avx2].map(|engine| run(None, engine));
    let results = [&result, &watched, &native, &avx2];
    let texts = results.map(|result| result.as_ref().map_err(|fault| fault.to_string()));
    assert_eq!(texts[0], texts[1], "watched: {body}");
    assert_eq!(texts[0], texts[2], "native: {body}");
    assert_eq!(texts[0], texts[3], "avx2: {body}");
    result
}

#[derive(Debug)]
struct Nobody;

impl Observer for Nobody {
    fn access(&self, _: &Access) {}
}

/// Returns the kernel's output for 16 work items.
pub(crate) fn run(declarations: &str, body: &str, input: &[u8]) -> Vec<u8> {
    try_run(declarations, body, input, 16).unwrap_or_else(|fault| panic!("{fault}"))
}

macro_rules! bytes_of {
    ($values:expr) => {
        $values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>()
    };
}

macro_rules! values_of {
    ($type:ty, $bytes:expr) => {
        $bytes.as_chunks().0.iter().map(|chunk| <$type>::from_le_bytes(*chunk)).collect::<Vec<$type>>()
    };
}

/// Declares aliases of input and output with a type.
pub(crate) fn typed(input: &str, output: &str) -> String {
    format!(
        ".decl AT v_type=G type={input} num_elts=32 alias=<A, 0>\n\
         .decl BT v_type=G type={input} num_elts=16 alias=<A, 128>\n\
         .decl CT v_type=G type={output} num_elts=32 alias=<C, 0>"
    )
}

/// Returns pseudo-random numbers.
pub(crate) fn numbers() -> [u32; 64] {
    std::array::from_fn(|i| (i as u32 + 1).wrapping_mul(2_654_435_761) ^ (i as u32) << 7)
}

/// Returns the numbers as bytes.
pub(crate) fn input() -> Vec<u8> {
    bytes_of!(numbers())
}

/// Runs the kernel on pvc.
pub(crate) fn run_wide(declarations: &str, body: &str, input: &[u8]) -> Vec<u8> {
    try_run_on(Platform::Pvc, declarations, body, input, 16).unwrap_or_else(|fault| panic!("{fault}"))
}
