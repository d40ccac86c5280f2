//! Information about a file: its kernels, their arguments and sizes, as `visa info` prints it.

use std::fmt::Write as _;

use serde::Serialize;
use visakit::dump;
use visakit::isa::{ATTRIBUTES, AttributeInfo, Platform};
use visakit::object::{Object, Routine};
use visakit_diag::Diagnostic;
use visakit_emulator::launch::argument::{Parameter, ParameterKind, parameters};
use visakit_emulator::run::Program as Emulated;
use visakit_zebin::Zebin;
use visakit_zebin::info::{ArgType, KernelInfo};

use crate::kind::Kind;
use crate::module::Module;

/// Program: a zebin, an object or a text.
#[derive(Debug, Serialize)]
pub struct Program {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    kernels: Vec<Kernel>,
    functions: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Kernel {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<Launch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<Argument>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visa: Option<Visa>,
    native: Vec<Native>,
}

/// Facts that the host needs to start a kernel.
#[derive(Debug, Serialize)]
struct Launch {
    simd_size: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_local_size: Option<[u32; 3]>,
    registers: u32,
    barriers: u32,
    slm_bytes: u32,
    memory: Vec<Memory>,
}

/// Memory allocated per thread or per channel.
#[derive(Debug, Serialize)]
struct Memory {
    usage: String,
    bytes: u32,
    of: &'static str,
}

#[derive(Debug, Serialize)]
struct Argument {
    index: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    type_name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address_space: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address_mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u32>,
    used: bool,
}

/// The vISA of a kernel.
#[derive(Debug, Serialize)]
struct Visa {
    version: String,
    instructions: usize,
    attributes: Vec<Attribute>,
    inputs: Vec<dump::Input>,
}

#[derive(Debug, Serialize)]
struct Attribute {
    name: String,
    value: String,
}

#[derive(Debug, Serialize)]
struct Native {
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Option<&'static str>,
    bytes: u64,
}

/// Describes a zebin. `compiled` holds the programs that a file without vISA was compiled to.
pub fn of_zebin(zebin: &Zebin, compiled: &[Zebin], findings: &mut Vec<Diagnostic>) -> Program {
    let platform = Emulated::platform_of(zebin);
    let of_platform = compiled.iter().filter(|compiled| Emulated::platform_of(compiled) == platform);
    let with_texts: Vec<_> = std::iter::once(zebin).chain(of_platform).collect();
    let mut visa = |name: &str| {
        let mut texts = with_texts.iter().flat_map(|zebin| zebin.named_texts());
        let (_, text) = texts.find(|(known, text)| *known == name && text.is_kernel())?;
        let module = Module::of_text(format!("{}({name})", zebin.file), text.text.clone());
        match module.object(platform) {
            Ok(object) => {
                let dump = dump::dump(&object, platform);
                let routine = &object.kernels.first()?.routine;
                Some(visa_of(&dump.version, routine, dump.kernels.into_iter().next()?.routine))
            }
            Err(found) => {
                findings.extend(found);
                None
            }
        }
    };
    let native = |name: &str| {
        let of_kernel = zebin.native.iter().filter(|native| native.name == name);
        of_kernel.map(|native| Native { platform: platform.map(Platform::name), bytes: native.size }).collect()
    };
    let kernels = zebin.kernel_infos().map(|info| Kernel {
        name: info.name.clone(),
        launch: Some(launch(info)),
        arguments: Some(arguments(zebin, info)),
        visa: visa(&info.name),
        native: native(&info.name),
    });
    let kernels = kernels.collect();
    let functions = zebin.info.functions.iter().map(|function| function.name.clone()).collect();
    let version = zebin.target.zebin_version.clone();
    Program { file: zebin.file.clone(), platform: platform.map(Platform::name), version, kernels, functions }
}

/// Describes an object.
pub fn of_object(file: &str, object: &Object) -> Program {
    let dump = dump::dump(object, None);
    let native = |binary: dump::Binary| Native { platform: binary.platform, bytes: binary.size as u64 };
    let kernels = object.kernels.iter().zip(dump.kernels).map(|(of_object, kernel)| Kernel {
        name: text(&kernel.name),
        launch: None,
        arguments: None,
        visa: Some(visa_of(&dump.version, &of_object.routine, kernel.routine)),
        native: kernel.binaries.into_iter().map(native).collect(),
    });
    Program {
        file: file.to_owned(),
        platform: object.platform().map(Platform::name),
        kernels: kernels.collect(),
        functions: object.functions.iter().map(|function| function.routine.name()).collect(),
        version: Some(dump.version),
    }
}

/// Formats the information for a person. `file` is the name of the file.
pub fn human(file: &str, kind: Kind, programs: &[Program]) -> String {
    let mut s = format!("{file}: {}\n", kind.name());
    for program in programs {
        let mut facts = vec![count(program.kernels.len(), "kernel")];
        facts.extend(program.platform.map(|platform| format!("platform {platform}")));
        facts.extend(program.version.as_ref().map(|version| format!("format {version}")));
        if !program.functions.is_empty() {
            facts.push(format!("functions {}", program.functions.join(", ")));
        }
        let name = if program.file == file { String::new() } else { format!("\n{}: ", program.file) };
        let _ = writeln!(s, "{name}{}", facts.join(", "));
        program.kernels.iter().for_each(|kernel| human_kernel(&mut s, kernel));
    }
    s
}

/// Formats a count with its noun: `1 error`, `2 errors`.
pub fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

fn launch(info: &KernelInfo) -> Launch {
    let env = &info.execution_env;
    let buffers = info.per_thread_memory_buffers.iter().map(|buffer| Memory {
        usage: buffer.usage.clone(),
        bytes: buffer.size,
        of: if buffer.is_simt_thread { "channel" } else { "thread" },
    });
    let required = env.required_work_group_size;
    Launch {
        simd_size: env.simd_size,
        required_local_size: (required != [0; 3]).then_some(required),
        registers: env.grf_count,
        barriers: env.barrier_count,
        slm_bytes: env.slm_size,
        memory: buffers.collect(),
    }
}

fn arguments(zebin: &Zebin, info: &KernelInfo) -> Vec<Argument> {
    let names = zebin.info.kernels_misc_info.iter().find(|misc| misc.name == info.name);
    let argument = |parameter: Parameter| {
        // Selects the item that passes the argument itself; other items of the same index pass
        // sizes and addresses.
        let item = info.payload_arguments.iter().find(|item| {
            let is_passed = matches!(item.arg_type, ArgType::ByPointer | ArgType::ByValue);
            is_passed && item.arg_index == Some(parameter.index)
        });
        let (kind, bytes) = match parameter.kind {
            ParameterKind::Buffer => ("buffer", None),
            ParameterKind::Local => ("local", None),
            ParameterKind::Value(bytes) => ("value", Some(bytes)),
            ParameterKind::Image { .. } => ("image", None),
            ParameterKind::Sampler => ("sampler", None),
            ParameterKind::Unknown => ("unknown", None),
        };
        Argument {
            index: parameter.index,
            name: parameter.name,
            type_name: parameter.type_name,
            kind,
            address_space: item.and_then(|item| Some(item.addrspace.as_ref()?.to_string())),
            address_mode: item.and_then(|item| Some(item.addrmode.as_ref()?.to_string())),
            access: item.and_then(|item| Some(item.access_type.as_ref()?.to_string())),
            bytes,
            used: parameter.used,
        }
    };
    parameters(info, names).into_iter().map(argument).collect()
}

fn visa_of(version: &str, routine: &Routine, dump: dump::Routine) -> Visa {
    let attribute = |one: &AttributeInfo| {
        let name = routine.string(one.name).unwrap_or_default();
        let bytes = one.value.as_slice();
        let is_text = ATTRIBUTES.iter().any(|known| known.name == name && known.value == "text");
        let mut number = [0; 8];
        let value = match number.get_mut(..bytes.len()) {
            Some([]) => String::new(),
            Some(low) if !is_text => {
                low.copy_from_slice(bytes);
                u64::from_le_bytes(number).to_string()
            }
            _ => String::from_utf8_lossy(bytes).into_owned(),
        };
        Attribute { name, value }
    };
    Visa {
        version: version.to_owned(),
        instructions: routine.instructions.len(),
        attributes: routine.attributes.iter().map(attribute).collect(),
        inputs: dump.inputs,
    }
}

fn text(text: &dump::Text) -> String {
    match text {
        dump::Text::Text(text) | dump::Text::Bytes { text, .. } => text.clone(),
    }
}

fn human_kernel(s: &mut String, kernel: &Kernel) {
    let _ = writeln!(s, "\nkernel {}", kernel.name);
    let mut line = |name: &str, text: String| {
        let _ = writeln!(s, "  {name:<10} {text}");
    };
    if let Some(launch) = &kernel.launch {
        let local = match launch.required_local_size {
            Some([x, y, z]) => format!("local size {x},{y},{z} required"),
            None => "any local size".to_owned(),
        };
        line(
            "launch",
            format!("SIMD {}, {local}, {}", launch.simd_size, count(launch.registers as usize, "register")),
        );
        let (slm, barriers) = (count(launch.slm_bytes as usize, "byte"), count(launch.barriers as usize, "barrier"));
        line("group", format!("{slm} of shared local memory, {barriers}"));
        for memory in &launch.memory {
            let bytes = count(memory.bytes as usize, "byte");
            line("memory", format!("{}: {bytes} for each {}", memory.usage.replace('_', " "), memory.of));
        }
    }
    match &kernel.visa {
        Some(visa) => {
            let attributes = visa.attributes.iter().map(|Attribute { name, value }| match value.is_empty() {
                true => format!(", {name}"),
                false => format!(", {name}={value}"),
            });
            let instructions = count(visa.instructions, "instruction");
            line("vISA", format!("version {}, {instructions}{}", visa.version, attributes.collect::<String>()));
        }
        None => line("vISA", "none in the file".to_owned()),
    }
    for native in &kernel.native {
        let platform = native.platform.map_or_else(String::new, |name| format!(" for {name}"));
        line("native", format!("{} of code{platform}", count(native.bytes as usize, "byte")));
    }
    match (&kernel.arguments, &kernel.visa) {
        (Some(arguments), _) => human_arguments(s, arguments),
        (None, Some(visa)) => visa.inputs.iter().enumerate().for_each(|(number, input)| {
            let bytes = count(input.size.into(), "byte");
            line("input", format!("{number:>2}  {} {}, {bytes} at {}", input.class, input.id, input.offset));
        }),
        (None, None) => {}
    }
}

fn human_arguments(s: &mut String, arguments: &[Argument]) {
    let width = |of: fn(&Argument) -> &str| arguments.iter().map(|a| of(a).chars().count()).max().unwrap_or(0);
    let (names, types) = (width(|a| &a.name), width(|a| &a.type_name));
    for argument in arguments {
        let mut facts = vec![argument.kind.to_owned()];
        facts.extend(argument.address_space.clone().filter(|space| space != argument.kind));
        facts.extend(argument.address_mode.clone());
        facts.extend(argument.access.clone());
        facts.extend(argument.bytes.map(|bytes| count(bytes as usize, "byte")));
        if !argument.used {
            facts.push("not used".to_owned());
        }
        let (index, name, type_name) = (argument.index, &argument.name, &argument.type_name);
        let _ = writeln!(s, "  argument   {index:>2}  {name:<names$}  {type_name:<types$}  {}", facts.join(", "));
    }
}
