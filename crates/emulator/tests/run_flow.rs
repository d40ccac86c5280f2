//! Control flow, memory, faults and threads, in small texts like those of `run_kernels.rs`.

use std::sync::Mutex;

#[macro_use]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{layout, program, run, text, try_run, typed};
use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::fault::Trap;
use visakit_emulator::machine::observer::{Access, AccessKind, Observer, Space};
use visakit_emulator::run::{Engine, Observers, Options, Outside, Policy, Program, RunError, launch};
use visakit_native::Level;

#[test]
fn branches_nest() {
    // Channels 0 to 3 take one path, and of these 0 and 1 another; all join at the end.
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=16";
    let body = "
    cmp.lt (M1, 16) P1 AT(0,0)<1;1,0> 0x4:ud
    (!P1) goto (M1, 16) other
    cmp.lt (M1, 16) P2 AT(0,0)<1;1,0> 0x2:ud
    (!P2) goto (M1, 16) inner
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x1:ud
inner:
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x10:ud
    goto (M1, 16) join
other:
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x100:ud
join:
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x1000:ud";
    let lanes: [u32; 16] = std::array::from_fn(|i| i as u32);
    let got = values_of!(u32, run(&d, body, &bytes_of!(lanes)));
    assert_eq!(
        got[..16],
        lanes.map(|i| if i < 2 {
            0x1011
        } else if i < 4 {
            0x1010
        } else {
            0x1100
        })
    );
}

#[test]
fn loops_diverge() {
    // Each channel iterates as often as its number says; odd ones leave by a uniform branch inside
    // divergent code.
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16\n.decl N v_type=G type=ud num_elts=16";
    let body = "
    mov (M1, 16) N(0,0)<1> 0x0:ud
again:
    cmp.ge (M1, 16) P1 N(0,0)<1;1,0> AT(0,0)<1;1,0>
    (P1) goto (M1, 16) done
    add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:ud
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> N(0,0)<1;1,0>
    goto (M1, 1) again
done:
    add (M1, 16) CT(2,0)<1> N(0,0)<1;1,0> 0x64:ud";
    let lanes: [u32; 16] = std::array::from_fn(|i| (i as u32 * 7) % 16);
    let got = values_of!(u32, run(&d, body, &bytes_of!(lanes)));
    assert_eq!(got[..16], lanes.map(|n| n * (n + 1) / 2));
    assert_eq!(got[16..32], lanes.map(|n| n + 100));
    // A backward branch: channels that fall through wait after it.
    let body = "
    mov (M1, 16) N(0,0)<1> 0x0:ud
again:
    add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:ud
    cmp.lt (M1, 16) P1 N(0,0)<1;1,0> AT(0,0)<1;1,0>
    (P1) goto (M1, 16) again
    mov (M1, 16) CT(0,0)<1> N(0,0)<1;1,0>";
    let got = values_of!(u32, run(&d, body, &bytes_of!(lanes)));
    assert_eq!(got[..16], lanes.map(|n| n.max(1)));
}

#[test]
fn a_uniform_branch_lets_waiting_channels_run_first() {
    // Channels below 8 wait at `low`; the others branch past it with (M1, 1). Then `low` runs, then
    // all join.
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16\n.decl T v_type=G type=ud num_elts=1";
    let body = "
    mov (M1_NM, 1) T(0,0)<1> 0x0:ud
    cmp.lt (M1, 16) P1 AT(0,0)<1;1,0> 0x8:ud
    (P1) goto (M1, 16) low
    goto (M1, 1) join
low:
    add (M1_NM, 1) T(0,0)<1> T(0,0)<0;1,0> 0x1:ud
    mov (M1, 16) CT(0,0)<1> 0x5:ud
join:
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> T(0,0)<0;1,0>";
    let lanes: [u32; 16] = std::array::from_fn(|i| i as u32);
    let got = values_of!(u32, run(&d, body, &bytes_of!(lanes)));
    assert_eq!(got[..16], lanes.map(|i| if i < 8 { 6 } else { 1 }));
}

/// A combination uses all elements of a predicate, also if the instruction has fewer channels.
/// `jmp` always has one.
#[test]
fn combinations_use_the_whole_predicate() {
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=8";
    let jumps = |bits: u32, predicate: &str| {
        let body = format!(
            "
    setp (M1_NM, 16) P1 0x{bits:x}:ud
    setp (M1_NM, 8) P2 0x{bits:x}:ud
    mov (M1, 16) CT(0,0)<1> 0x1:ud
    ({predicate}) jmp (M1, 1) past
    mov (M1, 16) CT(0,0)<1> 0x0:ud
past:
    ({predicate}) mov (M1, 8) CT(2,0)<1> 0x1:ud"
        );
        let got = values_of!(u32, run(&d, &body, &[]));
        assert_eq!(got[16..24], [got[0]; 8], "a move of 8 channels, ({predicate}) with 0x{bits:x}");
        got[0] == 1
    };
    for bits in [0, 1, 0x8000, 0x1000, 0x7fff, 0xfffe, 0xffff] {
        let found = ["P1.any", "!P1.any", "P1.all", "!P1.all"].map(|predicate| jumps(bits, predicate));
        assert_eq!(found, [bits != 0, bits == 0, bits == 0xffff, bits != 0xffff], "0x{bits:x}");
    }
    // Elements beyond the declared ones do not count.
    assert_eq!(["P2.any", "P2.all"].map(|predicate| jumps(0xff, predicate)), [true, true]);
    assert_eq!(["P2.any", "P2.all"].map(|predicate| jumps(0xff00, predicate)), [false, false]);
}

/// The mask of an instruction selects its channels, not the elements of a combination.
#[test]
fn combinations_ignore_the_mask() {
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16";
    for bits in [0, 0x1, 0xff, 0xff00, 0xffff] {
        let body = format!(
            "
    setp (M1_NM, 16) P1 0x{bits:x}:ud
    mov (M1, 16) CT(0,0)<1> 0x0:ud
    (P1.any) add (M3, 8) CT(1,0)<1> CT(1,0)<1;1,0> 0x1:ud
    (P1.all) add (M3, 8) CT(1,0)<1> CT(1,0)<1;1,0> 0x2:ud
    (!P1.all) add (M1, 8) CT(0,0)<1> CT(0,0)<1;1,0> 0x4:ud"
        );
        let got = values_of!(u32, run(&d, &body, &[]));
        let (any, all) = (u32::from(bits != 0), u32::from(bits == 0xffff));
        assert_eq!(got[..8], [4 * (1 - all); 8], "0x{bits:x}");
        assert_eq!(got[8..16], [any + 2 * all; 8], "0x{bits:x}");
    }
}

#[test]
fn subroutines() {
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16";
    let text = text(
        &d,
        "
    cmp.lt (M1, 16) P1 AT(0,0)<1;1,0> 0x4:ud
    (P1) call (M1, 16) twice
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x100:ud
    call (M1_NM, 1) twice",
    ) + r#"
.function "twice"
twice:
    cmp.eq (M1, 16) P1 AT(0,0)<1;1,0> 0x2:ud
    (P1) ret (M1, 16)
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> 0x1:ud
    ret (M1, 16)
"#;
    let program = Program::from_text("k.visaasm", &text, layout(), Platform::Skl).unwrap();
    let lanes: [u32; 16] = std::array::from_fn(|i| i as u32);
    let arguments =
        vec![Some(Argument::Buffer([bytes_of!(lanes), vec![0; 192]].concat())), Some(Argument::Buffer(vec![0; 256]))];
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let outcome = launch(&program, &range, arguments, &Options::default()).unwrap();
    let got = values_of!(u32, outcome.buffers[1].as_ref().unwrap());
    assert_eq!(
        got[..16],
        lanes.map(|i| if i == 2 {
            0x100
        } else if i < 4 {
            0x102
        } else {
            0x101
        })
    );
}

#[test]
fn indirect_operands() {
    let numbers: [u32; 64] = std::array::from_fn(|i| i as u32);
    let input = bytes_of!(numbers);
    let d = typed("ud", "ud") + "\n.decl A0 v_type=A num_elts=16\n.decl OFF v_type=G type=uw num_elts=16";
    let body = "
    addr_add (M1, 1) A0(0)<1> &A[32] 0x4:uw
    mov (M1, 8) CT(0,0)<1> r[A0(0),8]<8;8,1>:ud
    mov (M1, 8) OFF(0,0)<1> 0x76543210:uv
    mul (M1, 8) OFF(0,0)<1> OFF(0,0)<1;1,0> 0xc:uw
    addr_add (M1, 8) A0(0)<8> &A OFF(0,0)<1;1,0>
    mov (M1, 8) CT(1,0)<1> r[A0(0),0]<1,0>:ud
    addr_add (M1, 1) A0(0)<1> &C 0x40:uw
    mov (M1, 8) r[A0(0),0]<1>:ud AT(0,0)<1;1,0>";
    let got = values_of!(u32, run(&d, body, &input));
    assert_eq!(got[..8], std::array::from_fn::<u32, 8, _>(|i| 11 + i as u32));
    assert_eq!(got[8..16], std::array::from_fn::<u32, 8, _>(|i| 3 * i as u32));
    assert_eq!(got[16..24], numbers[..8]);
    // Far outside the register file.
    let body = "
    addr_add (M1, 1) A0(0)<1> &A 0x7fff:uw
    mov (M1, 8) CT(0,0)<1> r[A0(0),0]<8;8,1>:ud";
    let fault = try_run(&d, body, &input, 16).unwrap_err();
    assert!(matches!(fault.trap, Trap::Indirect { lane: 0, .. }), "{fault}");
}

#[test]
fn surfaces_and_atomics() {
    let d = typed("ud", "ud")
        + "\n.decl T6 v_type=T num_elts=1\n.decl OFFS v_type=G type=ud num_elts=16\n.decl ONE v_type=G type=ud num_elts=16\
           \n.decl OLD v_type=G type=ud num_elts=16 alias=<C, 64>";
    let words: [u32; 64] = std::array::from_fn(|i| i as u32 * 4);
    // Offsets come from the buffer; those from 256 are out of bounds and read as zero.
    let body = "
    movs (M1_NM, 1) T6(0) 0x0:ud
    shl (M1, 16) OFFS(0,0)<1> AT(0,0)<1;1,0> 0x2:ud
    add (M1, 16) OFFS(0,0)<1> OFFS(0,0)<1;1,0> 0x64:ud
    gather4_scaled.R (M1, 16) T6 0x0:ud OFFS.0 CT.0
    mov (M1, 16) ONE(0,0)<1> 0x1:ud
    movs (M1_NM, 1) T6(0) 0x1:ud
    mov (M1, 16) OFFS(0,0)<1> 0xc0:ud
    dword_atomic.add (M1, 16) T6 OFFS.0 ONE.0 %null.0 OLD.0
    dword_atomic.add (M1, 16) T6 OFFS.0 ONE.0 %null.0 OLD.0";
    let got = values_of!(u32, run(&d, body, &bytes_of!(words)));
    let want: [u32; 16] = std::array::from_fn(|i| {
        let offset = i as u32 * 16 + 100;
        if offset < 256 { offset } else { 0 }
    });
    assert_eq!(got[..16], want);
    assert_eq!(got[16..32], std::array::from_fn::<u32, 16, _>(|i| 16 + i as u32), "one channel after the other");
}

/// Surfaces selected by state offsets that the kernel receives as arguments.
#[test]
fn bindless_surfaces() {
    let d = typed("ud", "ud")
        + "\n.decl OFFS v_type=G type=ud num_elts=16\n.decl STATES v_type=G type=ud num_elts=4\n.input STATES offset=80 size=16";
    let words: [u32; 64] = std::array::from_fn(|i| i as u32 * 4);
    let body = "
    movs (M1_NM, 1) %bss(0) STATES(0,0)<0;1,0>
    add (M1, 16) OFFS(0,0)<1> AT(0,0)<1;1,0> 0xe0:ud
    gather4_scaled.R (M1, 16) %bss 0x0:ud OFFS.0 CT.0
    svm_block_st (8) OUT(0,0)<0;1,0> C.0
    movs (M1_NM, 1) %bss(0) STATES(0,2)<0;1,0>
    mov (M1, 16) OFFS(0,0)<1> 0x4:ud
    gather4_scaled.R (M1, 16) %bss 0x0:ud OFFS.0 C.64
    movs (M1_NM, 1) %bss(0) 0x12340:ud
    gather4_scaled.R (M1, 16) %bss 0x0:ud OFFS.0 C.128";
    let got = values_of!(u32, run(&d, body, &bytes_of!(words)));
    let want: [u32; 16] = std::array::from_fn(|i| if i < 8 { i as u32 * 4 + 224 } else { 0 });
    assert_eq!(got[..16], want, "the input");
    assert_eq!(got[16..32], [228; 16], "the output, as written before");
    assert_eq!(got[32..48], [0; 16], "no state is there");
}

#[test]
fn faults_are_located() {
    let d = typed("ud", "ud");
    let fault = try_run(
        &d,
        "    add (M1_NM, 1) IN(0,0)<1> IN(0,0)<0;1,0> 0x1000:ud\n    svm_block_ld (1) IN(0,0)<0;1,0> A.0",
        &[],
        16,
    );
    let fault = fault.unwrap_err();
    assert!(matches!(fault.trap, Trap::Access(_)), "{fault}");
    assert_eq!((fault.channel, fault.local_id), (Some(0), Some([0, 0, 0])));
    let program = program(Platform::Skl, &d, "    goto (M1, 1) main2\nmain2:\n    goto (M1, 1) main2");
    let arguments = vec![Some(Argument::Buffer(vec![0; 256])), Some(Argument::Buffer(vec![0; 256]))];
    let range = NdRange::new(&[33], Some(&[33]), None, [0; 3]).unwrap();
    let options = Options::from(Policy { max_instructions: Some(1000), ..Policy::default() });
    let error = launch(&program, &range, arguments, &options).unwrap_err();
    let diagnostic = error.diagnostic(&program);
    assert_eq!(diagnostic.code, "fault-budget");
    assert!(diagnostic.quote.contains("goto (M1, 1) main2"), "{diagnostic:?}");
    assert_eq!(diagnostic.column, 5);
}

#[test]
fn accesses_outside_of_every_buffer_can_be_let_pass() {
    // The last eight channels read and write past the end.
    let d = typed("ud", "ud") + "\n.decl AT2 v_type=G type=uq num_elts=16\n.decl ID v_type=G type=uq num_elts=16";
    let body = "
    mov (M1, 8) ID(0,0)<1> 0x76543210:v
    add (M1, 8) ID(2,0)<1> ID(0,0)<1;1,0> 0x8:w
    shl (M1, 16) ID(0,0)<1> ID(0,0)<1;1,0> 0x2:ud
    add (M1, 16) ID(0,0)<1> ID(0,0)<1;1,0> 0xe0:ud
    add (M1, 16) AT2(0,0)<1> ID(0,0)<1;1,0> IN(0,0)<0;1,0>
    svm_gather.4.1 (M1, 16) AT2.0 C.0
    add (M1, 16) AT2(0,0)<1> ID(0,0)<1;1,0> OUT(0,0)<0;1,0>
    svm_scatter.4.1 (M1, 16) AT2.0 C.0";
    let program = program(Platform::Skl, &d, body);
    let words: Vec<u8> = (0..64_u32).flat_map(|i| (i + 1).to_le_bytes()).collect();
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let run = |outside| {
        let arguments = vec![Some(Argument::Buffer(words.clone())), Some(Argument::Buffer(vec![0; 256]))];
        launch(&program, &range, arguments, &Policy { outside, ..Policy::default() }.into())
    };
    let Err(RunError::TrapReport(fault)) = run(Outside::Fault) else { panic!("the accesses pass") };
    assert!(matches!(fault.trap, Trap::Access(_)), "{fault}");
    let outcome = run(Outside::Zero).unwrap();
    assert_eq!((outcome.outside_reads, outcome.outside_writes), (8, 8));
    let got = values_of!(u32, outcome.buffers[1].as_ref().unwrap());
    assert_eq!(got[..16], std::array::from_fn::<u32, 16, _>(|i| if i < 8 { i as u32 + 57 } else { 0 }));
}

#[derive(Debug, Default)]
struct Log(Mutex<Vec<Access>>);

impl Observer for Log {
    fn access(&self, access: &Access) {
        self.0.lock().unwrap().push(*access);
    }
}

#[test]
fn observers_learn_of_every_access() {
    // The kernel also reads and writes 64 dwords in blocks around the body.
    let d = typed("ud", "ud") + "\n.decl T6 v_type=T num_elts=1\n.decl PTRS v_type=G type=uq num_elts=16";
    let body = "
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 16) PTRS(0,0)<1> OUT(0,0)<0;1,0>
    svm_scatter.4.1 (M1, 16) PTRS.0 A.0
    svm_gather.4.2 (M1, 4) PTRS.0 A.0
    oword_ld (2) T6 0x1:ud A.0
    oword_st (2) T6 0x1:ud A.0";
    let program = program(Platform::Skl, &d, body);
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let arguments = vec![Some(Argument::Buffer(vec![0; 256])), Some(Argument::Buffer(vec![0; 256]))];
    let log = Log::default();
    let options =
        Options { observers: Observers { accesses: Some(&log), ..Observers::default() }, ..Options::default() };
    launch(&program, &range, arguments, &options).unwrap();
    let log = log.0.into_inner().unwrap();
    let of = |kind, space| log.iter().filter(move |access| access.kind == kind && access.space == space);
    let loads: Vec<_> = of(AccessKind::Load, Space::Flat).skip(64).map(|a| (a.lane, a.address, a.size)).collect();
    let out = 2 << 32;
    let gathered = (0..2).flat_map(|n| (0..4).map(move |lane| (lane, out + n * 4, 4)));
    assert!(loads.iter().copied().eq(gathered), "{loads:x?}");
    for kind in [AccessKind::Load, AccessKind::Store] {
        let block: Vec<_> = of(kind, Space::Surface).map(|a| (a.buffer, a.address)).collect();
        assert!(block.iter().copied().eq((0..8).map(|n| (Some(0), 16 + n * 4))), "{block:x?}");
    }
    let stores: Vec<_> = of(AccessKind::Store, Space::Flat).map(|a| (a.buffer, a.lane, a.thread)).collect();
    assert!(stores[..16].iter().copied().eq((0..16).map(|lane| (Some(1), lane, 0))), "{stores:x?}");
    assert_eq!((stores.len(), log.len()), (16 + 64, 64 + 8 + 16 + 16 + 64));
}

#[test]
fn what_is_not_reached_does_no_harm() {
    // The float and integer operands do not match; the fault occurs, with its line, only if the
    // instruction is reached.
    let d = typed("ud", "ud") + "\n.decl X v_type=G type=f num_elts=16\n.decl P1 v_type=P num_elts=16";
    let guarded = "
    setp (M1_NM, 16) P1 0x0:ud
    (!P1) goto (M1, 16) skip
    add (M1, 16) CT(0,0)<1> AT(0,0)<1;1,0> X(0,0)<1;1,0>
skip:
    mov (M1, 16) CT(0,0)<1> 0x1:ud";
    assert_eq!(values_of!(u32, run(&d, guarded, &[]))[0], 1);
    let fault = try_run(&d, &guarded.replace("0x0:ud", "0xffff:ud"), &[], 16).unwrap_err();
    assert!(matches!(fault.trap, Trap::Illegal(_)), "{fault}");
}

#[test]
fn barriers_must_be_reached_by_all() {
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=16";
    // Barrier in divergent control flow.
    let body = "
    setp (M1_NM, 16) P1 0xff:ud
    (P1) goto (M1, 16) past
    barrier
past:";
    let fault = try_run(&d, body, &[], 16).unwrap_err();
    assert!(fault.to_string().contains("only channels 8 to 15 of the thread reach it"), "{fault}");
    assert!(matches!(fault.trap, Trap::DivergentBarrier(0xff00)), "{fault}");
    // One of two threads ends without reaching the barrier.
    let body = "
    cmp.eq (M1_NM, 16) P1 %hw_id(0,0)<0;1,0> 0x0:ud
    (P1) goto (M1, 16) past
    barrier
past:";
    let fault = try_run(&d, body, &[], 32).unwrap_err();
    assert!(matches!(fault.trap, Trap::UnreachedBarrier { waiting: 1, ended: 1 }), "{fault}");
}

#[test]
fn what_nobody_looks_at_is_not_loaded() {
    // The last three dwords of the block lie past the buffer, but only the first is read.
    let d = typed("ud", "ud") + "\n.decl X v_type=G type=ud num_elts=4 align=GRF";
    let body = "
    add (M1_NM, 1) IN(0,0)<1> IN(0,0)<0;1,0> 0xfc:ud
    svm_block_ld (1) IN(0,0)<0;1,0> X.0
    mov (M1, 16) CT(0,0)<1> X(0,0)<0;1,0>";
    let mut input = vec![0; 256];
    input[252..].copy_from_slice(&7_u32.to_le_bytes());
    assert_eq!(values_of!(u32, run(&d, body, &input))[0], 7);
    // A region with more elements is read as a whole.
    let fault = try_run(&d, &body.replace("X(0,0)<0;1,0>", "X(0,0)<0;4,1>"), &input, 16).unwrap_err();
    assert!(matches!(fault.trap, Trap::Access(_)), "{fault}");
}

#[test]
fn two_threads_share_the_rows_of_a_matrix() {
    let d = typed("ud", "ud")
        + "\n.decl X v_type=G type=ud num_elts=8 align=GRF\n.decl Y v_type=G type=ud num_elts=1 align=dword";
    // All elements of the first thread's row are 1, those of the second's are 2.
    let body = "
    add (M1_NM, 1) Y(0,0)<1> %hw_id(0,0)<0;1,0> 0x1:ud
    mul (M1_NM, 8) X(0,0)<1> Y(0,0)<0;1,0> 0x1010101:ud
    dpasw.s8.s8.8.2 (M1, 8) C.0 %null.0 A.0 X(0,0)";
    let input: Vec<u8> = (0..256).map(|k| (k * 7 % 23) as u8).collect();
    let columns: [u32; 8] = std::array::from_fn(|i| {
        (0..8).flat_map(|depth| (0..4).map(move |n| (depth * 8 + i) * 4 + n)).map(|at| u32::from(input[at])).sum()
    });
    let got = values_of!(u32, try_run(&d, body, &input, 32).unwrap());
    assert_eq!(got[..8], columns);
    assert_eq!(got[8..16], columns.map(|sum| 2 * sum));
    let fault = try_run(&d, body, &input, 16).unwrap_err();
    assert!(matches!(fault.trap, Trap::Illegal(_)), "{fault}");
}

#[test]
fn native_code_takes_over_within_a_group() {
    // A single thread of a single group: native code is compiled while it runs.
    let d = typed("ud", "ud") + "\n.decl P1 v_type=P num_elts=1\n.decl N v_type=G type=ud num_elts=1";
    let body = "
    mov (M1_NM, 1) N(0,0)<1> 0x0:ud
again:
    add (M1, 16) CT(0,0)<1> CT(0,0)<1;1,0> N(0,0)<0;1,0>
    add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud
    cmp.lt (M1_NM, 1) P1 N(0,0)<0;1,0> 0x1000000:ud
    (P1) jmp (M1_NM, 1) again";
    let program = Program::from_text("k.visaasm", &text(&d, body), layout(), Platform::Skl).unwrap();
    let range = NdRange::new(&[16], Some(&[16]), None, [0; 3]).unwrap();
    let arguments = vec![Some(Argument::Buffer(vec![0; 256])), Some(Argument::Buffer(vec![0; 256]))];
    let options = Options::from(Policy { engine: Engine::Automatic, stats: true, ..Policy::default() });
    let outcome = launch(&program, &range, arguments, &options).unwrap();
    let got = values_of!(u32, outcome.buffers[1].as_ref().unwrap());
    let sum = (0..0x100_0000_u32).fold(0_u32, u32::wrapping_add);
    assert_eq!(got[..16], [sum; 16]);
    let stats = outcome.stats.unwrap();
    // Only if the machine has native code.
    let is_native = stats.native > stats.instructions / 8;
    assert_eq!(is_native, Level::of_host().is_some(), "{} of {}", stats.native, stats.instructions);
}
