//! Rejection of kernel layouts with unknown parts, because a launch that ignored them would use
//! wrong values.

use visakit_diag::{Diagnostic, Severity};

use visakit::isa::limits::KERNEL_SAMPLERS as SAMPLERS;
use visakit_zebin::info::{AccessType, AddrMode, AddrSpace, KernelInfo, PayloadArgument, Place};

/// Rejects a kernel whose layout has unknown keys or names.
///
/// # Errors
/// The first unknown key or name, with its position.
pub fn check(kernel: &KernelInfo) -> Result<(), Box<Diagnostic>> {
    if let Some((what, key, place)) = kernel.unknown_keys().next() {
        return Err(not_understood(place, format!("unknown key `{key}` of {what}")));
    }
    let attributes = &kernel.user_attributes;
    if !attributes.invalid_kernel.is_empty() {
        let message = format!("the compiler marked the kernel as invalid: {}", attributes.invalid_kernel);
        return Err(not_understood(&attributes.keys.place, message));
    }
    for item in &kernel.payload_arguments {
        if let Some((key, name)) = unknown_name(item) {
            return Err(not_understood(&item.keys.place, format!("unknown {key} `{name}`")));
        }
    }
    for buffer in &kernel.per_thread_memory_buffers {
        for (name, known) in [(&buffer.kind, &KINDS[..]), (&buffer.usage, &USAGES[..])] {
            if !known.contains(&name.as_str()) {
                return Err(not_understood(&buffer.keys.place, format!("unknown memory buffer `{name}`")));
            }
        }
    }
    for sampler in &kernel.inline_samplers {
        for (name, known) in [(&sampler.addrmode, &ADDRESSING[..]), (&sampler.filtermode, &FILTERS[..])] {
            if !known.contains(&name.as_str()) {
                return Err(not_understood(&sampler.keys.place, format!("unknown sampler kind `{name}`")));
            }
        }
    }
    let given = kernel.payload_arguments.iter().map(|item| (item.sampler_index, &item.keys));
    let inline = kernel.inline_samplers.iter().map(|sampler| (Some(sampler.sampler_index), &sampler.keys));
    for (index, keys) in given.chain(inline) {
        if let Some(index) = index.filter(|&index| index >= SAMPLERS) {
            let message = format!("sampler {index} is out of range: a kernel has at most {SAMPLERS}");
            return Err(not_understood(&keys.place, message));
        }
    }
    if kernel.execution_env.slm_alloc_mode > 1 {
        let message = format!("`slm_alloc_mode` is {}, but must be 0 or 1", kernel.execution_env.slm_alloc_mode);
        return Err(not_understood(&kernel.execution_env.keys.place, message));
    }
    Ok(())
}

/// Returns a key of an argument whose value is an unknown name, with this name.
fn unknown_name(item: &PayloadArgument) -> Option<(&'static str, &str)> {
    match (&item.addrmode, &item.addrspace, &item.access_type) {
        (Some(AddrMode::Other(name)), ..) => return Some(("addrmode", name)),
        (_, Some(AddrSpace::Other(name)), _) => return Some(("addrspace", name)),
        (.., Some(AccessType::Other(name))) => return Some(("access_type", name)),
        _ => {}
    }
    let names =
        [("image_type", &item.image_type, &IMAGES[..]), ("sampler_type", &item.sampler_type, &["texture"][..])];
    names.into_iter().find_map(|(key, name, known)| {
        let name = name.as_deref().filter(|name| !known.contains(name))?;
        Some((key, name))
    })
}

/// Supported kinds of images.
const IMAGES: [&str; 14] = [
    "image_buffer",
    "image_1d",
    "image_1d_array",
    "image_2d",
    "image_2d_array",
    "image_3d",
    "image_2d_depth",
    "image_2d_array_depth",
    "image_2d_msaa",
    "image_2d_msaa_depth",
    "image_2d_array_msaa",
    "image_2d_array_msaa_depth",
    "image_2d_media",
    "image_2d_media_block",
];
/// Locations of memory buffers.
const KINDS: [&str; 3] = ["global", "scratch", "slm"];
/// Purposes of memory buffers.
const USAGES: [&str; 3] = ["private_space", "spill_fill_space", "single_space"];
/// Addressing modes of samplers.
const ADDRESSING: [&str; 5] = ["none", "clamp_border", "clamp_edge", "repeat", "mirror"];
/// Filter modes of samplers.
const FILTERS: [&str; 2] = ["nearest", "linear"];

/// Returns the diagnostic that rejects a launch, at its position in `.ze_info`.
pub(super) fn not_understood(place: &Place, message: impl Into<String>) -> Box<Diagnostic> {
    let mut finding = Diagnostic::new("launch-unsupported", Severity::Error, ".ze_info", message).help(
        "the kernel is not run because its arguments may be placed differently; compile it \
         with a supported compiler version",
    );
    (finding.line, finding.column, finding.quote) = (place.line, place.column, place.quote.clone());
    Box::new(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use visakit_zebin::info;

    const INFO: &str = "
kernels:
  - name: k
    execution_env: { simd_size: 16, slm_alloc_mode: 1 }
    payload_arguments:
      - { arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: image, image_type: image_2d }
      - { arg_type: arg_bypointer, offset: 8, size: 8, arg_index: 1, addrspace: sampler, access_type: readwrite, sampler_type: texture }
    per_thread_memory_buffers:
      - { type: scratch, usage: private_space, size: 64 }
    inline_samplers:
      - { sampler_index: 0, addrmode: repeat, filtermode: linear }
    user_attributes: { intel_reqd_workgroup_walk_order: [0, 1, 2] }
l1_cache_policy: wb
";

    #[test]
    fn what_is_not_known_is_refused_at_its_place() {
        let found = |text: &str| check(&info::parse("k", text).unwrap().kernels[0]);
        assert_eq!(found(INFO), Ok(()));
        for (from, to, line, word) in [
            ("slm_alloc_mode: 1", "slm_alloc_mode: 2", 4, "slm_alloc_mode"),
            ("slm_alloc_mode: 1", "has_wings: 1", 4, "has_wings"),
            ("addrmode: stateless", "addrmode: by_mail", 6, "by_mail"),
            ("addrspace: image", "addrspace: outer", 6, "outer"),
            ("image_2d", "image_4d", 6, "image_4d"),
            ("size: 8", "size: 8, lane: 3", 6, "lane"),
            ("readwrite", "readtwice", 7, "readtwice"),
            ("texture", "vme", 7, "vme"),
            ("scratch", "tape", 9, "tape"),
            ("private_space", "public_space", 9, "public_space"),
            ("size: 64", "size: 64, lane: 3", 9, "lane"),
            ("repeat", "reflect", 11, "reflect"),
            ("linear", "cubic", 11, "cubic"),
            ("sampler_index: 0", "sampler_index: 256", 11, "256"),
            ("filtermode", "lane: 3, filtermode", 11, "lane"),
            ("    execution_env", "    lane: 3\n    execution_env", 4, "lane"),
            ("intel_reqd", "extra_reqd", 12, "extra_reqd"),
            ("{ intel_reqd", "{ invalid_kernel: no DF, intel_reqd", 12, "no DF"),
            ("l1_cache", "l4_cache", 13, "l4_cache"),
        ] {
            let error = found(&INFO.replacen(from, to, 1)).unwrap_err();
            assert_eq!((error.code, error.line), ("launch-unsupported", line), "{to}: {error:?}");
            assert!(error.message.contains(word) && error.column > 0 && !error.quote.is_empty(), "{error:?}");
        }
    }
}
