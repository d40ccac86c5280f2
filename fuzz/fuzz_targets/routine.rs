#![no_main]

#[path = "../targets/mod.rs"]
#[allow(dead_code, unused_imports, reason = "each target uses one function")]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::routine(data));
