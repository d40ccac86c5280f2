//! Command `visa info` without a file: lists the installed compilers and the devices that they
//! build for.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;
use visakit::isa::Platform;
use visakit_zebin::ocloc::{self, is_family, product_of};

use crate::compiler::{self, Compiler, Release};
use crate::io::out;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{answer, finish};
use crate::unfinished::Unfinished;

/// Compiler and the result of a trial build.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    release: Release,
    /// True if a kernel was built.
    works: bool,
    /// Products that the compiler lists.
    devices: Vec<&'static str>,
}

/// Prints the installed compilers.
pub(super) fn show(format: OutputFormat) -> Outcome {
    let rows: Vec<_> = compiler::installed().iter().map(row).collect();
    let default = compiler::default_device(false);
    let emulated: Vec<_> = Platform::ALL.iter().filter(|platform| platform.emulated()).map(|p| p.name()).collect();
    if format == OutputFormat::Json {
        answer(&[], json!({ "compilers": rows, "default_device": default, "emulated": emulated }));
        return Outcome::Done;
    }
    if format.is_findings_only() {
        return finish(Ok(Outcome::Done), format);
    }
    let mut text = format!("visa {}\n", env!("CARGO_PKG_VERSION"));
    for row in &rows {
        let works = if row.works { "" } else { "; it failed to build a test kernel" };
        let _ = writeln!(text, "compiler: {}{works}\n  devices: {}", row.release, row.devices.join(", "));
    }
    match default {
        Some(device) => _ = writeln!(text, "default device: {device}"),
        None => _ = writeln!(text, "no compiler: {}", ocloc::INSTALL),
    }
    let _ = writeln!(text, "emulated platforms: {}", emulated.join(", "));
    out(&text);
    Outcome::Done
}

/// Builds a kernel to find out which back end the compiler loads.
fn row(compiler: &'static Compiler) -> Row {
    let mut products = Platform::ALL.iter().rev().filter_map(|platform| product_of(*platform, &compiler.devices));
    let run = products.next().and_then(|device| {
        let (folder, _unfinished) = Unfinished::make(tempfile::tempdir, |folder| folder.path()).ok()?;
        std::fs::write(folder.path().join("k.cl"), "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n")
            .ok()?;
        compiler.run(folder.path(), &["compile", "-q", "-file", "k.cl", "-device", device], None).ok()
    });
    let release = compiler.release(run.as_ref().and_then(|run| run.back_end.as_deref()));
    let devices = compiler.devices.iter().map(String::as_str).filter(|device| !is_family(device)).collect();
    Row { release, works: run.is_some_and(|run| run.is_success), devices }
}
