//! Forms of the 2026 compiler that older texts lack, compared with computations in Rust.

#[macro_use]
#[path = "common/kernel.rs"]
mod kernel;

use kernel::{input, numbers, run, run_wide, try_run_on, typed};
use visakit::isa::Platform;

#[test]
fn numbers_are_moved_into_address_variables() {
    let d = typed("ud", "ud")
        + "\n.decl A0 v_type=A num_elts=16\n.decl LOW v_type=G type=ud num_elts=2 alias=<IN, 0>\n\
           .decl LOW2 v_type=G type=ud num_elts=2 alias=<OUT, 0>";
    // Addresses of the two inputs are not constants: the loaded values are compared with their
    // variables.
    let body = "
    mov (M1_NM, 8) A0(0)<1> 0x40:uw
    mov (M1_NM, 8) A0(8)<1> 0x48:uw
    mov (M1, 16) C(0,0)<1> r[A0(0),0]<1,0>:ud
    xor (M1, 8) C(0,0)<1> C(0,0)<1;1,0> LOW(0,0)<0;1,0>
    xor (M1, 8) C(1,0)<1> C(1,0)<1;1,0> LOW2(0,0)<0;1,0>";
    assert_eq!(values_of!(u32, run(&d, body, &input()))[..16], [0; 16]);
}

/// Returns the words of the 16 channels of `C` after a statement and the code before it.
fn loaded(declarations: &str, before: &str, statement: &str) -> Vec<u32> {
    let body = format!("{before}    {statement}");
    values_of!(u32, run_wide(declarations, &body, &input()))[..16].to_vec()
}

/// Returns 16 words from index `from` at a distance of `step`.
fn every(words: &[u32], from: usize, step: usize) -> Vec<u32> {
    words[from..].iter().step_by(step).take(16).copied().collect()
}

#[test]
fn flat_addresses_count_from_a_base() {
    let words = numbers();
    let d = typed("ud", "ud")
        + "\n.decl O v_type=G type=d num_elts=16 align=GRF\n.decl Q v_type=G type=uq num_elts=1 align=GRF\n\
           .decl W v_type=G type=uq num_elts=16 align=GRF";
    let offsets = "
    mov (M1_NM, 8) O(0,0)<1> 0x76543210:uv
    add (M1_NM, 8) O(0,8)<1> O(0,0)<1;1,0> 0x8:d
    add (M1_NM, 1) Q(0,0)<1> IN(0,0)<0;1,0> 0x40:uq\n";
    let load = |statement: &str| loaded(&d, offsets, statement);
    let row = |from, step| every(&words, from, step);
    assert_eq!(load("lsc_load.ugm (M1, 16) C:d32 flat(IN)[0x4*O]:a32u"), row(0, 1));
    assert_eq!(load("lsc_load.ugm (M1, 16) C:d32 flat(Q)[0x8*O+0x4]:a32u"), row(17, 2));
    assert_eq!(
        load("add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> -16:d\n    lsc_load.ugm (M1, 16) C:d32 flat(Q)[0x4*O]:a32s"),
        row(0, 1)
    );
    assert_eq!(
        load("mov (M1, 16) W(0,0)<1> O(0,0)<1;1,0>\n    lsc_load.ugm (M1, 16) C:d32 flat(Q)[0x4*W]:a64"),
        row(16, 1)
    );
    // Elements that wrap around are not contiguous extended offsets.
    let wraps = "add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> -8:d
    shl (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x2:d
    add (M1_NM, 1) Q(0,0)<1> Q(0,0)<0;1,0> -4294967264:q
    lsc_load.ugm (M1, 16) C:d32 flat(Q)[O]:a32u";
    let body = format!("{offsets}    {wraps}");
    assert!(try_run_on(Platform::Pvc, &d, &body, &input(), 16).is_err(), "the second half is elsewhere");
    // A zero-extended offset is scaled with all its bits: 16 times 2^28 is not zero.
    let far = "add (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x10000000:d
    lsc_load.ugm (M1, 16) C:d32 flat(IN)[0x10*O]:a32u";
    assert_ne!(load(far), row(0, 4), "all bits of the product count");
}

#[test]
fn addresses_of_shared_memory_count_from_a_base() {
    let words = numbers();
    let d = typed("ud", "ud")
        + "\n.decl O v_type=G type=d num_elts=32 align=GRF\n.decl N v_type=G type=d num_elts=1 align=GRF\n\
           .decl Q v_type=G type=uq num_elts=1 align=GRF";
    // The whole input is in shared local memory, from offset 0; a load from a base returns its
    // words from that offset.
    let offsets = "
    mov (M1_NM, 8) O(0,0)<1> 0x76543210:uv
    add (M1_NM, 8) O(0,8)<1> O(0,0)<1;1,0> 0x8:d
    shl (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x2:d
    lsc_store.slm (M1, 16) flat[O]:a32 A:d32
    add (M1, 16) O(1,0)<1> O(0,0)<1;1,0> 0x40:d
    lsc_store.slm (M1, 16) flat[O.64]:a32 A.64:d32\n";
    let load = |statement: &str| loaded(&d, offsets, statement);
    let row = |from, step| every(&words, from, step);
    let base = |kind: &str, value: &str| format!("mov (M1_NM, 1) {kind}(0,0)<1> {value}\n    ");
    let far = base("N", "0x20:d");
    assert_eq!(load(&format!("{far}lsc_load.slm (M1, 16) C:d32 flat(N)[O]:a32")), row(8, 1));
    assert_eq!(load(&format!("{far}lsc_load.slm (M1, 16) C:d32 flat(N)[O+0x4]:a32")), row(9, 1));
    let back = base("N", "-32:d");
    assert_eq!(load(&format!("{back}lsc_load.slm (M1, 16) C:d32 flat(N)[O.64]:a32")), row(8, 1));
    let wide = base("Q", "0x8:uq");
    assert_eq!(load(&format!("{wide}lsc_load.slm (M1, 16) C:d32 flat(Q)[O]:a32")), row(2, 1));
    let halves = "shr (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x2:d\n    ";
    assert_eq!(load(&format!("{halves}{far}lsc_load.slm (M1, 16) C:d32 flat(N)[0x4*O]:a32")), row(8, 1));
    // Store and atomic through a base, like the load.
    let stored = load(&format!(
        "{far}lsc_store.slm (M1, 16) flat(N)[O]:a32 A:d32\n    lsc_load.slm (M1, 16) C:d32 flat[O]:a32"
    ));
    assert_eq!((&stored[..8], &stored[8..]), (&words[..8], &words[..8]));
    let added = load(&format!("{far}lsc_atomic_iadd.slm (M1, 16) C:d32 flat(N)[O]:a32 A %null.0"));
    assert_eq!(added, row(8, 1));
    let body = format!("{offsets}    lsc_load.slm (M1, 16) C:d32 bti(0x1)[O]:a32");
    let said = try_run_on(Platform::Pvc, &d, &body, &input(), 16).unwrap_err().to_string();
    assert!(said.contains("a surface of shared local memory"), "{said}");
}

#[test]
fn surfaces_are_found_by_the_addresses_of_their_states() {
    let words = numbers();
    let d = typed("ud", "ud")
        + "\n.decl O v_type=G type=d num_elts=16 align=GRF\n.decl S v_type=G type=uq num_elts=2 align=qword\n\
           .decl N v_type=G type=uq num_elts=1 align=GRF\n\
           .decl L v_type=G type=uq num_elts=1 align=GRF alias=<%scratchloc, 0>\n.input S offset=80 size=16";
    let offsets = "
    mov (M1_NM, 8) O(0,0)<1> 0x76543210:uv
    add (M1_NM, 8) O(0,8)<1> O(0,0)<1;1,0> 0x8:d
    shl (M1, 16) O(0,0)<1> O(0,0)<1;1,0> 0x2:d\n    ";
    let run = |body: &str| try_run_on(Platform::Pvc, &d, &format!("{offsets}{body}"), &input(), 16);
    let found = run("mov (M1_NM, 1) N(0,0)<1> S(0,0)<0;1,0>\n    lsc_load.ugm (M1, 16) C:d32 surf(N)[O+0x8]:a32u");
    assert_eq!(values_of!(u32, found.unwrap())[..16], words[2..18]);
    // Past the end of a surface, reads return zero.
    let found = run("mov (M1_NM, 1) N(0,0)<1> S(0,0)<0;1,0>\n    lsc_load.ugm (M1, 16) C:d32 surf(N)[O+0xE0]:a32u");
    let found = values_of!(u32, found.unwrap());
    assert_eq!((&found[..8], &found[8..16]), (&words[56..], &[0; 8][..]));
    // An address that is not a state's, including a copy of the scratch state's address, reaches no
    // memory.
    for other in [
        "mov (M1_NM, 1) N(0,0)<1> 0x40:uq",
        "add (M1_NM, 1) N(0,0)<1> S(0,0)<0;1,0> 0x8:uq",
        "mov (M1_NM, 1) N(0,0)<1> L(0,0)<0;1,0>",
        "mov (M1_NM, 1) N(0,0)<1> IN(0,0)<0;1,0>",
    ] {
        let said = run(&format!("{other}\n    lsc_load.ugm (M1, 16) C:d32 surf(N)[O]:a32u")).unwrap_err().to_string();
        assert!(said.contains("outside"), "{other}: {said}");
    }
}

#[test]
fn a_register_describes_a_rectangle() {
    let d = typed("ud", "ud")
        + "\n.decl P v_type=G type=d num_elts=16 align=GRF\n.decl PQ v_type=G type=uq num_elts=8 alias=<P, 0>";
    let payload = "
    mov (M1_NM, 1) PQ(0,0)<1> IN(0,0)<0;1,0>
    mov (M1_NM, 1) P(0,2)<1> 0x1f:d
    mov (M1_NM, 1) P(0,3)<1> 0x7:d
    mov (M1_NM, 1) P(0,4)<1> 0x1f:d
    mov (M1_NM, 1) P(0,5)<1> 0x3:d
    mov (M1_NM, 1) P(0,6)<1> 0x0:d
    mov (M1_NM, 1) P(0,7)<1> 0x10303:d\n";
    let told = "    lsc_load_block2d.ugm (M1, 1) C:d16.2x4x4nt flat[IN, 0x1F, 0x7, 0x1F, 0x2, 0x1]";
    let short = format!("{payload}    lsc_load_block2d.ugm (M1, 1) C:d16.2x4x4nt flat[P + (-1,1)]");
    let moved =
        format!("{payload}    lsc_load_block2d.ugm (M1, 1) C:d16.2x4x4nt flat[IN,0x1F,0x7,0x1F,P(0,5)-1,P(0,6)+1]");
    let [told, short, moved] = [told, &short, &moved].map(|body| run_wide(&d, body, &input()));
    assert_eq!(told, short);
    assert_eq!(told, moved);
    assert!(told[..64].iter().any(|byte| *byte != 0));
}

#[test]
fn what_only_texts_have_and_no_kernel_knows_is_refused() {
    let d = typed("ud", "ud");
    let refused = |body: &str| try_run_on(Platform::Pvc, &d, body, &input(), 16).unwrap_err().to_string();
    let said = refused("    lsc_load.ugm (M1, 16) C:d32 bti(0x1,0x2)[A]:a32");
    assert!(said.contains("by a number relative to another surface"), "{said}");
    let said = refused("    lsc_load_quad.tgm (M1, 16) C:d32.x bti(0x1)[A+5]:a32");
    assert!(said.contains("a coordinate offset"), "{said}");
    let said = refused("    nbarrier.signal 0x1:ub 0x1:ub 0x1:ub 0x2:ub");
    assert!(said.contains("producers differ from its consumers"), "{said}");
}
