//! C library of the decoder, the printer and the verifier. The header `include/visakit.h` is
//! generated from this crate.
//!
//! Handles are keys of a registry and are never dereferenced, so a stale handle is an error. Only
//! `raw` accesses memory of the caller.

mod status;

mod raw;

mod registry;

mod findings;

mod object;

mod print;

pub use findings::{Finding, Findings, Severity, visakit_count_findings, visakit_findings_free, visakit_get_finding};
pub use object::{
    Object, visakit_count_instructions, visakit_count_routines, visakit_decode, visakit_object_free, visakit_parse,
    visakit_verify,
};
pub use print::{
    VISAKIT_STYLE_EXPLICIT, VISAKIT_STYLE_FULL, VISAKIT_STYLE_VENDOR, visakit_encode, visakit_free, visakit_name,
    visakit_print, visakit_print_instruction, visakit_print_routine,
};
pub use status::{Status, visakit_status_text, visakit_version};
