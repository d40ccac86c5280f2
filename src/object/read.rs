//! Decoding of objects: the header, then each part at the offset in the header.

use super::error::ObjectError;
use super::{Function, Kernel, NativeBinary, Object, Removed, Routine, RoutineKind, defect, marks, parts};
use crate::isa::{CommonIsaHeader, FunctionData, Instruction, KernelData, KernelInfo};
use crate::rt::{Context, Reader, Version, Wire};

/// Magic number `CISA`, the first four bytes of an object.
pub(super) const MAGIC: u32 = u32::from_le_bytes(*b"CISA");

/// Layout versions that the pages define.
const VERSIONS: std::ops::RangeInclusive<Version> = Version::new(3, 0)..=Version::new(4, 1);

impl Object {
    /// Decodes an object.
    ///
    /// # Errors
    /// The bytes are no object, end too early, or have values without a meaning on any page.
    /// Objects of the packaged compiler, which lack operands, are refused with that reason.
    pub fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        read_with(bytes, &mut instructions)
    }
}

/// Reader of the code of a routine. It receives the code's bytes and their offset in the file.
pub(super) type ReadCode<'a> = dyn FnMut(&mut Routine, &[u8], usize, Context) -> Result<(), ObjectError> + 'a;

/// Decodes an object; `code` reads the instructions.
///
/// # Errors
/// Those of [`Object::decode`], and those of `code`.
pub(super) fn read_with(bytes: &[u8], code: &mut ReadCode<'_>) -> Result<Object, ObjectError> {
    let version = read_version(bytes)?;
    let cx = Context { version };
    let mut r = Reader::new(bytes, 0);
    let header = CommonIsaHeader::decode(&mut r, cx)?;
    let (order, end) = parts::read(bytes, &header, r.offset())?;
    let mut kernels = Vec::with_capacity(header.kernel_info.len());
    for info in header.kernel_info {
        let part = parts::slice(bytes, info.offset, info.size, "kernel")?;
        let routine = read_kernel(part, &info, cx, code)?;
        kernels.push(read_binaries(bytes, info, routine)?);
    }
    let mut functions = Vec::with_capacity(header.function_info.len());
    for info in header.function_info {
        let part = parts::slice(bytes, info.offset, info.size, "function")?;
        functions.push(Function {
            name: info.name,
            linkage: info.linkage,
            routine: read_function(part, info.offset as usize, cx, code)?,
            variable_relocations: info.variable_reloc_symtab,
            function_relocations: info.function_reloc_symtab,
        });
    }
    let padding = bytes.get(end..).unwrap_or_default().to_vec();
    Ok(Object { version, kernels, variables: header.file_scope_var_info, functions, order, padding })
}

fn read_version(bytes: &[u8]) -> Result<Version, ObjectError> {
    let mut r = Reader::new(bytes, 0);
    let magic = u32::from_le_bytes(r.array::<4>()?);
    if magic != MAGIC {
        return Err(ObjectError {
            offset: 0,
            message: format!("this is not a vISA object: it begins with 0x{magic:08x}, not with `CISA`"),
            help: "give an object written by `visa asm` or by the vendor's assembler; for a zebin \
                 use `visa run` or `visa extract`"
                .to_owned(),
            code: "object-magic",
        });
    }
    let version = Version::new(r.u8()?, r.u8()?);
    if !VERSIONS.contains(&version) {
        return Err(ObjectError {
            offset: 4,
            message: format!("the layout of version {version} is not known"),
            help: format!("use a version from {} to {}", VERSIONS.start(), VERSIONS.end()),
            code: "object-version",
        });
    }
    Ok(version)
}

fn read_binaries(bytes: &[u8], info: KernelInfo, routine: Routine) -> Result<Kernel, ObjectError> {
    let mut binaries = Vec::new();
    for entry in &info.gen_binary_info {
        let code = parts::slice(bytes, entry.binary_offset, entry.binary_size, "native program")?;
        binaries.push(NativeBinary { platform: entry.gen_platform, code: code.to_vec() });
    }
    Ok(Kernel {
        name: info.name,
        routine,
        variable_relocations: info.variable_reloc_symtab,
        function_relocations: info.function_reloc_symtab,
        binaries,
    })
}

/// Builds a routine without its code from the tables that kernels and functions have in common.
macro_rules! routine_of {
    ($data:ident, $kind:expr, $inputs:expr) => {
        Routine {
            kind: $kind,
            strings: $data.string_pool,
            name: $data.name_index,
            variables: $data.var_info,
            addresses: $data.address_info,
            predicates: $data.predicate_info,
            labels: $data.label_info,
            samplers: $data.sampler_info,
            surfaces: $data.surface_info,
            inputs: $inputs,
            attributes: $data.attribute_info,
            instructions: Vec::new(),
            stripped: None,
        }
    };
}

fn read_kernel(
    bytes: &[u8],
    info: &KernelInfo,
    cx: Context,
    code: &mut ReadCode<'_>,
) -> Result<Routine, ObjectError> {
    let base = info.offset as usize;
    let mut r = Reader::new(bytes, base);
    r.watch(KernelData::INPUT_INFO_COUNT);
    let data = KernelData::decode(&mut r, cx)?;
    if r.watched() != Some(info.input_offset as usize) {
        let found = r.watched().unwrap_or_default();
        return Err(ObjectError {
            offset: found,
            message: format!(
                "the kernel's inputs are at 0x{found:x}, but the header places them at 0x{:x}",
                info.input_offset
            ),
            help: "the `input_offset` of the kernel in the header is damaged".to_owned(),
            code: "object-inputs",
        });
    }
    let mut routine = routine_of!(data, RoutineKind::Kernel, data.input_info);
    let place = Removed { size: data.size, entry: data.entry };
    if let Some((at, bytes)) = code_of(&mut routine, r, bytes.len(), place)? {
        code(&mut routine, bytes, at, cx)?;
    }
    Ok(routine)
}

fn read_function(bytes: &[u8], base: usize, cx: Context, code: &mut ReadCode<'_>) -> Result<Routine, ObjectError> {
    let mut r = Reader::new(bytes, base);
    let data = FunctionData::decode(&mut r, cx)?;
    let kind = RoutineKind::Function { input_size: data.input_size, return_value_size: data.return_value_size };
    let mut routine = routine_of!(data, kind, Vec::new());
    let place = Removed { size: data.size, entry: data.entry };
    if let Some((at, bytes)) = code_of(&mut routine, r, bytes.len(), place)? {
        code(&mut routine, bytes, at, cx)?;
    }
    Ok(routine)
}

/// Returns the offset and the bytes of the code after the tables, or `None` if the code was
/// removed. `total` is the size of the routine in the file; `place` is the code's size and entry in
/// the tables.
fn code_of<'a>(
    routine: &mut Routine,
    mut r: Reader<'a>,
    total: usize,
    place: Removed,
) -> Result<Option<(usize, &'a [u8])>, ObjectError> {
    let (size, entry, offset) = (place.size as usize, place.entry as usize, r.offset());
    let tables = total - r.remaining();
    if r.remaining() == 0 && size > 0 {
        routine.stripped = Some(place);
        return Ok(None);
    }
    if entry != tables {
        return Err(ObjectError {
            offset,
            message: format!("the code should begin right after the tables at 0x{tables:x}, not at 0x{entry:x}"),
            help: "the header of the routine is damaged".to_owned(),
            code: "object-entry",
        });
    }
    if size > r.remaining() {
        return Err(ObjectError {
            offset,
            message: format!("the code of {size} bytes is longer than its routine"),
            help: "the file is truncated, or part of its code was removed".to_owned(),
            code: "object-truncated",
        });
    }
    if size < r.remaining() {
        return Err(ObjectError {
            offset: offset + size,
            message: format!("{} bytes follow the code inside the routine", r.remaining() - size),
            help: "the header of the routine is damaged".to_owned(),
            code: "object-leftover",
        });
    }
    Ok(Some((offset, r.slice(size as u64)?)))
}

/// Reads the instructions of a routine.
fn instructions(routine: &mut Routine, code: &[u8], base: usize, cx: Context) -> Result<(), ObjectError> {
    marks::apply_types(routine)?;
    let mut r = Reader::new(code, base);
    while r.remaining() > 0 {
        let at = r.offset();
        if routine.instructions.len() == routine.instructions.capacity() {
            routine.instructions.reserve_exact(expected(routine.instructions.len(), at - base, r.remaining()));
        }
        let instruction = match Instruction::decode(&mut r, cx) {
            Ok(instruction) => instruction,
            Err(error) => {
                let place = error.place();
                return Err(defect::explain(&routine.instructions, error.into(), place));
            }
        };
        if let Some((field, problem)) = defect::impossible(&instruction, routine) {
            let error = ObjectError {
                offset: at,
                message: format!("{} {problem}", instruction.page().name),
                help: "the file is damaged".to_owned(),
                code: "operand-impossible",
            };
            return Err(defect::explain(&routine.instructions, error, (instruction.page().name, field)));
        }
        routine.instructions.push(instruction);
    }
    for number in marks::apply(routine)? {
        let instruction = &routine.instructions[number];
        if let Some((_, problem)) = defect::impossible(instruction, routine) {
            return Err(ObjectError {
                offset: base,
                message: format!("{} {problem}", instruction.page().name),
                help: "the string pool of the routine is damaged".to_owned(),
                code: "operand-impossible",
            });
        }
    }
    Ok(())
}

/// Returns the capacity to reserve for further instructions, given `read` instructions in `taken`
/// bytes and `left` remaining bytes. Lists that double their capacity would take a multiple of
/// their content.
fn expected(read: usize, taken: usize, left: usize) -> usize {
    const USUAL_BYTES: usize = 32;
    let average = if read < 8 { USUAL_BYTES } else { (taken / read).max(1) };
    left / average + read / 32 + 1
}
