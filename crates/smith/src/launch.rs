//! Kernel with arguments and launch sizes, in the format of launch files.

use arbitrary::{Result, Unstructured};
use std::fmt::Write as _;
use visakit::isa::{DataType, Platform};
use visakit::object::{Object, Routine, RoutineKind};
use visakit::rt::Version;
use visakit::text::{Style, print};

use crate::routine::{Config, Input, named, platform};

/// Kernel with its launch.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Platform on which the kernel is legal.
    pub platform: Platform,
    /// The kernel.
    pub routine: Routine,
    /// Text of the kernel.
    pub text: String,
    /// Layout of the arguments: the contents of `.ze_info`.
    pub layout: String,
    /// Arguments by their index.
    pub arguments: Vec<String>,
    /// Work items in each dimension.
    pub global: Vec<u64>,
    /// Work items per group in each dimension.
    pub local: Vec<u64>,
}

/// Draws a kernel with up to five arguments, their buffers and values, and launch sizes.
///
/// # Errors
/// As [`crate::routine`].
pub fn launch(u: &mut Unstructured<'_>, config: &Config) -> Result<Launch> {
    let platform = platform(u, config)?;
    let register = platform.register_bytes();
    let simd = *u.choose(&[1, 8, 16, 32_u32])?;
    let dimensions = u.int_in_range(1..=3_usize)?;
    // Local ids follow register 0, and the arguments follow the ids.
    let ids = if simd == 1 { 2 * 3 } else { (simd * 2).next_multiple_of(register) * 3 };
    let first = register + ids.next_multiple_of(register);
    let (mut inputs, mut end) = (Vec::new(), 0_u32);
    for _ in 0..u.int_in_range(0..=5)? {
        let is_pointer = u.ratio(1, 2)?;
        let data_type = match is_pointer {
            true => DataType::Uq,
            false => {
                *u.choose(&[DataType::D, DataType::Ud, DataType::F, DataType::Uw, DataType::Ub, DataType::Df])?
            }
        };
        let elements = if is_pointer { 1 } else { *u.choose(&[1, 1, 2, 4])? };
        let bytes = data_type.bits() / 8 * u32::from(elements);
        let offset = end.next_multiple_of(bytes);
        end = offset + bytes;
        inputs.push(Input { data_type, elements, offset, is_pointer });
    }
    let routine = named(u, config, platform, "k", RoutineKind::Kernel, (first, &inputs))?;
    let mut layout = format!(
        "version: '1.20'\nkernels:\n  - name: k\n    execution_env:\n      grf_count: 128\n      simd_size: {simd}\n      \
         slm_size: {}\n      barrier_count: {}\n",
        u.choose(&[0, 1024, 65_536])?,
        u.int_in_range(0..=1)?
    );
    let mut arguments = Vec::new();
    if !inputs.is_empty() {
        layout += "    payload_arguments:\n";
    }
    for (n, input) in inputs.iter().enumerate() {
        let size = input.data_type.bits() / 8 * u32::from(input.elements);
        let kind = if input.is_pointer { "arg_bypointer" } else { "arg_byvalue" };
        let _ = write!(
            layout,
            "      - arg_type: {kind}\n        offset: {}\n        size: {size}\n        arg_index: {n}\n",
            input.offset
        );
        if input.is_pointer {
            layout += "        addrmode: stateless\n        addrspace: global\n        access_type: readwrite\n";
            let bytes = 1 << u.int_in_range(0..=14)?;
            arguments.push(match u.arbitrary()? {
                true => format!("{n}=zeros:{bytes}"),
                false => format!("{n}=bytes:{}", hex(&u.arbitrary::<[u8; 24]>()?)),
            });
        } else {
            let all: Vec<u8> = (0..size).map(|_| u.arbitrary()).collect::<Result<_>>()?;
            arguments.push(format!("{n}=bytes:{}", hex(&all)));
        }
    }
    let kind = if simd == 1 { "packed_local_ids" } else { "local_id" };
    let _ = write!(
        layout,
        "    per_thread_payload_arguments:\n      - arg_type: {kind}\n        offset: 0\n        size: {ids}\n"
    );
    let (mut global, mut local) = (Vec::new(), Vec::new());
    for _ in 0..dimensions {
        let group = u.int_in_range(1..=if dimensions == 1 { 64 } else { 6 })?;
        local.push(group);
        global.push(group * u.int_in_range(1..=3)? - u.int_in_range(0..=group - 1)?);
    }
    let object = Object::new(Version::new(4, 1), [routine.clone()]);
    let text = print(&object, &routine, Some(platform), Style::Full);
    Ok(Launch { platform, routine, text, layout, arguments, global, local })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |out, b| out + &format!("{b:02x}"))
}
