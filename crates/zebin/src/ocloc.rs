//! Facts about `ocloc`, the vendor's offline compiler, for all its callers.
//!
//! Releases differ in output names, supported devices and package names. This module starts no
//! process.

use std::path::Path;

use memchr::memmem;
use visakit::isa::{InstructionGroup, Platform};
use visakit::rt::reflect::Page;

use crate::{VisaText, Zebin, archive};

/// Internal compiler option that writes the vISA texts into the zebin.
pub const EMIT_VISA: &str = "-ze-opt-emit-zebin-visa-sections";

/// Compiler options that complete a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Internal options.
    pub internal: &'static str,
    /// Build options.
    pub build: &'static str,
}

/// Options with which the back end of ESIMD kernels writes whole texts. Without them their texts
/// end after the declarations.
const WHOLE_TEXTS: Completion = Completion { internal: "-emit-visa-only", build: "" };

/// Options that give each kernel its own copies of functions. Otherwise, for devices since pvc, the
/// compiler of 2026 passes only those arguments that a function uses to functions that expect all.
/// It also loses shared functions when it compiles kernels again whose registers do not suffice.
const OWN_FUNCTIONS: Completion =
    Completion { internal: "-cl-disable-recompilation", build: "-igc_opts 'FunctionCloningThreshold=1000'" };

/// Returns the options that complete a program in which the compiler omitted something; `None` for
/// a complete program. `program` is a zebin or an archive of zebins.
pub fn completion(program: &[u8]) -> Option<Completion> {
    let is_directive = |line: &str| line.is_empty() || line.starts_with('.') || line.starts_with("//");
    let is_unfinished = |text: &VisaText| text.is_kernel() && text.text.lines().all(|line| is_directive(line.trim()));
    let is_one = |zebin: &Zebin| zebin.texts.iter().any(is_unfinished);
    if archive::any_zebin(program, is_one) { Some(WHOLE_TEXTS) } else { completion_of_calls(program) }
}

/// Does the same as [`completion`] for a program from OpenCL C, whose texts are whole.
pub fn completion_of_calls(program: &[u8]) -> Option<Completion> {
    // Few programs contain calls of functions by address, and reading a program takes long.
    let has_name = |page: &Page| memmem::find(program, page.name.to_ascii_lowercase().as_bytes()).is_some();
    if !Page::of_group(InstructionGroup::FunctionAddress).any(has_name) {
        return None;
    }
    let is_shared = |text: &VisaText| text.text.lines().any(|line| line.trim() == ".kernel_attr Extern");
    let shares = |zebin: &Zebin| zebin.info.kernels.len() > 1 && zebin.texts.iter().any(is_shared);
    let is_one = |zebin: &Zebin| shares(zebin) || zebin.native.iter().any(|code| code.is_incomplete);
    archive::any_zebin(program, is_one).then_some(OWN_FUNCTIONS)
}

/// Packages that contain the compiler, by distribution, for the help text of an error.
pub const INSTALL: &str = "install ocloc: on Debian 12 `apt-get install intel-opencl-icd libigc1 \
 libigdfcl1`; on Debian sid `apt-get install intel-ocloc libigc2 libigdfcl2`, and for skl and \
 older devices also `intel-ocloc-legacy libigc1 libigdfcl1`; Debian 13 does not package it";

/// Environment variable with the processor time limit of a build in seconds; 0 means no limit.
pub const SECONDS_VARIABLE: &str = "VISAKIT_COMPILE_SECONDS";
/// Default processor time limit in seconds for a build from SPIR-V. One second is added per
/// [`BYTES_A_SECOND`] bytes.
const SECONDS: u64 = 20;
const BYTES_A_SECOND: u64 = 1024;

/// Returns the processor time limit of a build in seconds; `None` for no limit. `module` is the
/// size in bytes of a SPIR-V source; such builds are limited because the compiler never ends on
/// some damaged modules.
pub fn seconds(module: Option<usize>) -> Option<u64> {
    let set = std::env::var(SECONDS_VARIABLE).ok().and_then(|value| value.parse().ok());
    let usual = || module.map(|bytes| SECONDS + bytes as u64 / BYTES_A_SECOND);
    set.or_else(usual).filter(|seconds| *seconds > 0)
}

/// Returns the possible names of an output: releases of 2023 and later append `.bin`.
pub fn output_names(name: &str) -> [String; 2] {
    [name.to_owned(), format!("{name}.bin")]
}

/// Returns the output called `name` among the files that a release wrote.
pub fn output<'a, T>(outputs: &'a [(String, T)], name: &str) -> Option<&'a T> {
    let names = output_names(name);
    names.iter().find_map(|name| Some(&outputs.iter().find(|(output, _)| output == name)?.1))
}

/// Returns the device names that `ocloc compile --help` lists, including families.
pub fn devices(help: &str) -> Vec<String> {
    const LISTS: [&str; 2] = ["<device_type> can be: ", "notation that is still supported:"];
    let mut devices: Vec<String> = Vec::new();
    for list in LISTS {
        let Some((_, rest)) = help.split_once(list) else { continue };
        // The second list begins on the next line, after the same words as the first list.
        let rest = if list.ends_with(':') { rest.split_once(LISTS[0]).map_or("", |(_, rest)| rest) } else { rest };
        let line = rest.lines().next().unwrap_or_default();
        let words = line.split(',').map(str::trim).filter(|word| !word.is_empty() && !word.contains(' '));
        devices.extend(words.filter(|word| *word != "version").map(str::to_owned));
    }
    devices
}

/// Returns true for the name of a family or release, for which `ocloc` builds an archive of several
/// products.
pub fn is_family(device: &str) -> bool {
    device.starts_with("gen") || device == "xe" || device.starts_with("xe-") || is_numbered_xe(device)
}

/// Returns true for `xe2`, `xe3p` and their releases such as `xe2-hpg`.
fn is_numbered_xe(device: &str) -> bool {
    device.strip_prefix("xe").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the first product of `platform` among the device names of a release.
pub fn product_of(platform: Platform, devices: &[String]) -> Option<&str> {
    let names = std::iter::once(platform.name()).chain(platform.aliases().iter().copied());
    let mut products = names.filter(|name| !is_family(name));
    products.find_map(|name| devices.iter().find(|device| *device == name)).map(String::as_str)
}

/// Returns the version of the back end in the library file `libigc.so.N`. It is part of the source
/// folder's name in Debian's builds, otherwise of the file's name.
pub fn back_end_version(library: &Path) -> Option<String> {
    const SOURCES: &[u8] = b"intel-graphics-compiler";
    let bytes = std::fs::read(library).ok()?;
    let version = |at: usize| {
        let text = bytes.get(at + SOURCES.len()..)?.iter().take(40).copied();
        let text = text.take_while(|byte| byte.is_ascii_graphic() && *byte != b'/');
        let text = String::from_utf8(text.collect()).ok()?;
        let (_, version) = text.split_once('-')?;
        version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
    };
    // The file has a hundred megabytes, so a rare first byte is searched before the whole word.
    let places = bytes.iter().enumerate().filter(|(_, byte)| Some(*byte) == SOURCES.first()).map(|(at, _)| at);
    let is_here = |at: &usize| bytes.get(*at..).is_some_and(|rest| rest.starts_with(SOURCES));
    let found = places.filter(is_here).find_map(version);
    found.or_else(|| {
        let file = library.canonicalize().ok()?;
        let (_, version) = file.file_name()?.to_str()?.split_once(".so.")?;
        Some(version.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_either_name() {
        let named = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), name.len())).collect::<Vec<_>>();
        assert_eq!(output(&named(&["out.spv", "out.bin"]), "out"), Some(&7));
        assert_eq!(output(&named(&["out.spv", "out"]), "out"), Some(&3));
        assert_eq!(output(&named(&["out.spv", "stdout.log"]), "out"), None);
    }

    #[test]
    fn devices_are_read_from_the_help_text() {
        let help = "  -device <device_type>  Target device.\n   <device_type> can be: tgllp, bmg, lnl-m, xe2, xe2-hpg, ip version  \
                    or hexadecimal value with 0x prefix\n - can be single\n  Deprecated notation that is still \
                    supported:\n      <device_type> can be: arl, lnl\n      - can be single target device.\n";
        assert_eq!(devices(help), ["tgllp", "bmg", "lnl-m", "xe2", "xe2-hpg", "arl", "lnl"]);
        let help = "<device_type> can be: bdw, gen8, version  or hexadecimal\n";
        assert_eq!(devices(help), ["bdw", "gen8"]);
        assert!(devices("").is_empty());
    }

    #[test]
    fn families_are_not_products() {
        for family in ["gen12lp", "xe", "xe-hpc", "xe2", "xe3p", "xe3p-xpc", "xe2-hpg"] {
            assert!(is_family(family), "{family}");
        }
        for product in ["bmg", "xe_hp_sdv", "lnl-m", "cri", "tgllp", "0x56a0", "12.55.8"] {
            assert!(!is_family(product), "{product}");
        }
        let devices = ["xe2", "bmg", "dg2"].map(str::to_owned);
        assert_eq!(product_of(Platform::from_name("bmg").unwrap(), &devices), Some("bmg"));
        assert_eq!(product_of(Platform::Dg2, &devices), Some("dg2"));
        assert_eq!(product_of(Platform::Skl, &devices), None);
    }
}
