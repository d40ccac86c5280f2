//! Software made from the specification of Intel's Virtual ISA (vISA).
//!
//! The pages in `spec/` say what the instruction set is; [`isa`] is generated from them.

mod generated;
pub mod isa;
pub mod rt;
