//! Layout of a kernel's arguments from its own inputs, for texts and objects without `.ze_info`.
//!
//! Each input is an argument, in order of declaration. The caller's specification decides if an
//! input receives a pointer or a value. Buffers, images and samplers without an input come next, in
//! the given order. All buffers and images also have an entry in the binding table, and all
//! samplers a number, in the order of their arguments.

use visakit::isa::InputOrigin;
use visakit::object::Routine;
use visakit::rt::Table;
use visakit_diag::{Diagnostic, Severity};
use visakit_zebin::info::{
    AddrMode, AddrSpace, ArgInfo, ArgType, BindingTableIndex, KernelInfo, KernelMiscInfo, PayloadArgument,
};

use super::spec::{ArgKey, ArgSpec};

/// Size of a pointer in bytes.
const POINTER: u32 = 8;

/// Advice for a compiled kernel, whose inputs are not all arguments.
const ZEBIN: &str =
    "the zebin of a compiled kernel says where the kernel's arguments are placed: give it with --zebin";

/// An argument of the derived layout.
struct Item<'a> {
    name: String,
    /// Offset and size in the payload; `None` without an input.
    input: Option<(u32, u32)>,
    given: Option<&'a ArgSpec>,
}

/// Returns the layout of a kernel's arguments, and their names. `kernel` has the SIMD width;
/// `base` is the offset of the first argument in bytes, relative to register 0; `given` are the
/// arguments of the launch.
///
/// # Errors
/// An input before the first argument, or an input that is not an argument.
pub fn layout(
    kernel: KernelInfo,
    routine: &Routine,
    base: u32,
    given: &[(ArgKey, ArgSpec)],
) -> Result<(KernelInfo, KernelMiscInfo), Box<Diagnostic>> {
    let items = items(routine, base, given)?;
    let mut info = kernel;
    let (mut surfaces, mut samplers) = (0, 0);
    for (item, index) in items.iter().zip(0..) {
        let (space, mode) = kind(item);
        let is_value = space.is_none();
        let mut payload = argument(if is_value { ArgType::ByValue } else { ArgType::ByPointer }, index, item.input);
        (payload.addrspace, payload.addrmode) = (space, mode);
        match payload.addrspace {
            Some(AddrSpace::Sampler) => {
                payload.sampler_index = Some(samplers);
                samplers += 1;
            }
            Some(AddrSpace::Image | AddrSpace::Global) => {
                if let Some(ArgSpec::Image(image)) = item.given {
                    let depth = image.size.map_or(1, |[_, _, depth]| depth);
                    payload.image_type = Some(if depth > 1 { "image_3d" } else { "image_2d" }.to_owned());
                }
                let keys = Default::default();
                info.binding_table_indices.push(BindingTableIndex { bti_value: surfaces, arg_index: index, keys });
                surfaces += 1;
            }
            _ => {}
        }
        info.payload_arguments.push(payload);
    }
    let args_info =
        items.into_iter().zip(0..).map(|(item, index)| ArgInfo { index, name: item.name, ..ArgInfo::default() });
    let names = KernelMiscInfo { name: info.name.clone(), args_info: args_info.collect() };
    Ok((info, names))
}

/// Returns the arguments: the inputs, then the given surfaces and samplers without an input.
fn items<'a>(routine: &Routine, base: u32, given: &'a [(ArgKey, ArgSpec)]) -> Result<Vec<Item<'a>>, Box<Diagnostic>> {
    let mut items = Vec::new();
    for (input, number) in routine.inputs.iter().zip(0..) {
        let name = routine.name_of(Table::General, input.id);
        if !matches!(input.kind.origin, InputOrigin::User) {
            let message = format!("input {name} is not an argument, so its value is unknown");
            return Err(problem(message, ZEBIN));
        }
        let offset =
            u32::try_from(input.offset).ok().and_then(|offset| offset.checked_sub(base)).ok_or_else(|| {
                let message = format!("input {name} is at offset {}, before the arguments", input.offset);
                problem(message, &format!("arguments begin at offset {base} on this platform; {ZEBIN}"))
            })?;
        let given = given.iter().find(|(key, _)| key.is(number, &name)).map(|(_, spec)| spec);
        items.push(Item { name, input: Some((offset, input.size.into())), given });
    }
    let count = items.len();
    for (key, spec) in given {
        let is_resource = !matches!(spec, ArgSpec::Value { .. } | ArgSpec::Untyped(_) | ArgSpec::Local(_));
        let name = match key {
            ArgKey::Name(name) if items[..count].iter().all(|item| item.name != *name) => name.clone(),
            ArgKey::Index(index) if *index as usize == items.len() => String::new(),
            _ => continue,
        };
        if is_resource {
            items.push(Item { name, input: None, given: Some(spec) });
        }
    }
    Ok(items)
}

/// Returns address space and addressing mode of an argument; `None` for a value.
fn kind(item: &Item<'_>) -> (Option<AddrSpace>, Option<AddrMode>) {
    let is_pointer = item.input.is_some_and(|(_, size)| size == POINTER);
    let mode = if item.input.is_some() { AddrMode::Stateless } else { AddrMode::Stateful };
    match item.given {
        Some(ArgSpec::Image(_)) => (Some(AddrSpace::Image), Some(AddrMode::Stateful)),
        Some(ArgSpec::Sampler(_)) => (Some(AddrSpace::Sampler), Some(AddrMode::Stateful)),
        Some(ArgSpec::Local(_)) => (Some(AddrSpace::Local), Some(AddrMode::Slm)),
        Some(ArgSpec::Value { .. } | ArgSpec::Untyped(_)) => (None, None),
        Some(ArgSpec::Bytes(bytes)) if item.input.is_some_and(|(_, size)| bytes.len() == size as usize) => {
            (None, None)
        }
        Some(_) => (Some(AddrSpace::Global), Some(mode)),
        None if is_pointer => (Some(AddrSpace::Global), Some(mode)),
        None => (None, None),
    }
}

fn argument(arg_type: ArgType, index: u32, input: Option<(u32, u32)>) -> PayloadArgument {
    let (offset, size) = input.unwrap_or_default();
    PayloadArgument {
        arg_type,
        offset,
        size,
        arg_index: Some(index),
        addrmode: None,
        addrspace: None,
        access_type: None,
        source_offset: None,
        slm_alignment: 0,
        sampler_index: None,
        sampler_type: None,
        image_type: None,
        bti_value: None,
        is_ptr: false,
        keys: Default::default(),
    }
}

fn problem(message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("launch-layout", Severity::Error, "launch", message).help(help))
}
