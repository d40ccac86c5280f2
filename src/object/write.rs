//! Encoding of objects: lays out the parts, then writes the header with their offsets.

use super::{Object, ObjectPart, Routine, RoutineKind, function_info, kernel_info, marks, parts};
use crate::isa::{CommonIsaHeader, FunctionData, GenBinaryInfo, KernelData};
use crate::rt::{Context, EncodeError, Wire, Writer};

impl Object {
    /// Encodes the object in the layout of its version.
    ///
    /// # Errors
    /// A value does not fit into its field, or an instruction lacks a required field.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let cx = Context { version: self.version };
        let mut header = self.header();
        let header_size = {
            let mut w = Writer::new();
            header.encode(&mut w, cx)?;
            w.len()
        };
        let mut body = Vec::new();
        for part in parts::order(self)? {
            let at = header_size + body.len();
            match part {
                ObjectPart::Kernel(number) => {
                    let (Some(kernel), Some(info)) = (self.kernels.get(number), header.kernel_info.get_mut(number))
                    else {
                        continue;
                    };
                    let routine = encode_routine(&kernel.routine, cx)?;
                    info.offset = place(at)?;
                    info.size = place(routine.bytes.len())?;
                    info.input_offset = place(at + routine.inputs)?;
                    body.extend(routine.bytes);
                }
                ObjectPart::Native(kernel, number) => {
                    let binary = self.kernels.get(kernel).and_then(|k| k.binaries.get(number));
                    let entry = header.kernel_info.get_mut(kernel).and_then(|k| k.gen_binary_info.get_mut(number));
                    let (Some(binary), Some(entry)) = (binary, entry) else { continue };
                    entry.binary_offset = place(at)?;
                    entry.binary_size = place(binary.code.len())?;
                    body.extend(&binary.code);
                }
                ObjectPart::Function(number) => {
                    let function = self.functions.get(number);
                    let (Some(function), Some(info)) = (function, header.function_info.get_mut(number)) else {
                        continue;
                    };
                    let routine = encode_routine(&function.routine, cx)?;
                    info.offset = place(at)?;
                    info.size = place(routine.bytes.len())?;
                    body.extend(routine.bytes);
                }
                ObjectPart::Gap(bytes) => body.extend(bytes.0),
            }
        }
        let mut w = Writer::new();
        header.encode(&mut w, cx)?;
        w.bytes(&body);
        w.bytes(&self.padding);
        Ok(w.into_bytes())
    }

    /// Returns the header without the offsets.
    fn header(&self) -> CommonIsaHeader {
        let kernel_info = self
            .kernels
            .iter()
            .map(|kernel| {
                let mut info = kernel_info(kernel);
                info.gen_binary_info = kernel
                    .binaries
                    .iter()
                    .map(|b| GenBinaryInfo { gen_platform: b.platform, ..GenBinaryInfo::default() })
                    .collect();
                info
            })
            .collect();
        CommonIsaHeader {
            magic_number: super::read::MAGIC,
            major_version: self.version.major,
            minor_version: self.version.minor,
            kernel_info,
            file_scope_var_info: self.variables.clone(),
            function_info: self.functions.iter().map(function_info).collect(),
        }
    }
}

struct Encoded {
    bytes: Vec<u8>,
    /// Offset of the count of inputs; the header repeats the count.
    inputs: usize,
}

/// Builds a kernel's or a function's structure from the tables of a routine and the fields of that
/// structure alone.
macro_rules! data_of {
    ($structure:ident, $routine:ident, $size:ident, $entry:ident, $($own:ident $(: $value:expr)?),*) => {
        $structure {
            string_pool: $routine.strings.clone(),
            name_index: $routine.name,
            var_info: marks::stored_variables(&$routine.variables),
            address_info: $routine.addresses.clone(),
            predicate_info: $routine.predicates.clone(),
            label_info: $routine.labels.clone(),
            sampler_info: $routine.samplers.clone(),
            surface_info: $routine.surfaces.clone(),
            vme_info: Vec::new(),
            size: $size,
            entry: $entry,
            attribute_info: $routine.attributes.clone(),
            $($own $(: $value)?),*
        }
    };
}

fn encode_routine(routine: &Routine, cx: Context) -> Result<Encoded, EncodeError> {
    marks::check(routine)?;
    let mut code = Writer::new();
    for instruction in &routine.instructions {
        instruction.encode(&mut code, cx)?;
    }
    let code = code.into_bytes();
    let write = |entry: usize| -> Result<Writer, EncodeError> {
        let mut w = Writer::with_marks();
        let (size, entry) = match routine.stripped {
            Some(removed) if code.is_empty() => (removed.size, removed.entry),
            _ => (place(code.len())?, place(entry)?),
        };
        match routine.kind {
            RoutineKind::Kernel => {
                data_of!(KernelData, routine, size, entry, input_info: routine.inputs.clone()).encode(&mut w, cx)?;
            }
            RoutineKind::Function { input_size, return_value_size } => {
                data_of!(FunctionData, routine, size, entry, input_size, return_value_size).encode(&mut w, cx)?;
            }
        }
        Ok(w)
    };
    // The size of the tables does not depend on the entry of the code, which follows them directly.
    let entry = write(0)?.len();
    let mut w = write(entry)?;
    w.bytes(&code);
    let inputs = w.marked(KernelData::INPUT_INFO_COUNT).unwrap_or(0);
    Ok(Encoded { bytes: w.into_bytes(), inputs })
}

fn place(at: usize) -> Result<u32, EncodeError> {
    u32::try_from(at).map_err(|_| EncodeError {
        place: "common_isa_header".to_owned(),
        problem: "an object larger than 4 GiB".to_owned(),
    })
}
