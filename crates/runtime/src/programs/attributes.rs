//! Attributes of kernels, as the source spells them.

use visakit_zebin::info::KernelInfo;

/// Returns the sub-group size that the source requires; 0 if none. Compilers record it in either of
/// two places.
pub fn required_width(info: &KernelInfo) -> u32 {
    info.execution_env.required_sub_group_size.max(info.user_attributes.intel_reqd_sub_group_size)
}

/// Returns the attributes of a kernel, spelled as in the source.
pub fn attributes(info: &KernelInfo) -> Vec<String> {
    let (env, user) = (&info.execution_env, &info.user_attributes);
    let size = |name: &str, [x, y, z]: [u32; 3]| (x > 0).then(|| format!("{name}({x},{y},{z})"));
    let width = required_width(info);
    let words = [
        size("work_group_size_hint", user.work_group_size_hint),
        (!user.vec_type_hint.is_empty()).then(|| format!("vec_type_hint({})", user.vec_type_hint)),
        size("reqd_work_group_size", env.required_work_group_size),
        (width > 0).then(|| format!("intel_reqd_sub_group_size({width})")),
    ];
    words.into_iter().flatten().collect()
}
