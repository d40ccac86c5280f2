//! Loading of programs: from zebins for several devices, from vISA texts and from vISA objects.

use std::sync::Arc;

use visakit::isa::{Platform, attribute};
use visakit::object::{Object, ObjectError, Routine};
use visakit_diag::{Diagnostic, Diagnostics, Severity};
use visakit_launch::data::ProgramData;
use visakit_launch::spec::{ArgKey, ArgSpec};
use visakit_launch::{inputs, payload};
use visakit_zebin::Zebin;
use visakit_zebin::info::{ExecutionEnv, KernelInfo, KernelMiscInfo};
use visakit_zebin::limits::SLM_BYTES;

use crate::functions::FunctionText;
use crate::program::{self, Program};

/// Kernel to load, and the facts that a text or an object lacks.
#[derive(Clone, Copy)]
pub struct Selection<'a> {
    /// Zebin of the same kernel, which describes its arguments.
    pub layout: Option<&'a Zebin>,
    /// Arguments of the launch. Without a zebin they decide what the kernel's inputs are:
    /// [`inputs::layout`].
    pub given: &'a [(ArgKey, ArgSpec)],
    /// Name of the kernel; `None` for the only one.
    pub kernel: Option<&'a str>,
    /// Platform; `None` for the file's own.
    pub platform: Option<Platform>,
    /// Returns the platform of a file that names none.
    pub assume: fn() -> Platform,
}

/// Selects the only kernel for the file's own platform.
impl Default for Selection<'_> {
    fn default() -> Self {
        Self { layout: None, given: &[], kernel: None, platform: None, assume: Platform::default }
    }
}

/// Loads a kernel of a platform from several zebins. Without a platform, all must have the same.
///
/// # Errors
/// No program for the platform, programs for several platforms, and as [`Program::from_zebin`].
pub fn from_zebins(
    file: &str,
    zebins: &[Zebin],
    kernel: Option<&str>,
    platform: Option<Platform>,
) -> Result<Program, Diagnostics> {
    let zebins: Vec<_> = zebins.iter().filter(|zebin| !zebin.texts.is_empty()).collect();
    let mut names: Vec<_> =
        zebins.iter().filter_map(|zebin| Program::platform_of(zebin)).map(Platform::name).collect();
    names.dedup();
    // Devices of one platform have the same vISA, so the first match is used.
    let mut wanted = zebins.iter().filter(|zebin| platform.is_none() || Program::platform_of(zebin) == platform);
    match wanted.next() {
        Some(zebin) if platform.is_some() || names.len() < 2 => Program::from_zebin(zebin, kernel, platform),
        _ => {
            let message = match platform {
                Some(platform) => format!("the archive has no program for {}", platform.name()),
                None => "the archive has programs for several platforms".to_owned(),
            };
            let help = format!("select one with --platform: {}", names.join(", "));
            Err(problem("archive-platform", file, &message).help(help).into())
        }
    }
}

/// Loads a kernel from a vISA text.
///
/// # Errors
/// Invalid text, no such kernel, or arguments whose layout is unknown.
pub fn from_text(file: &str, bytes: Vec<u8>, selection: Selection<'_>) -> Result<Program, Diagnostics> {
    let Selection { layout, given, kernel, platform, assume } = selection;
    let text = String::from_utf8(bytes)
        .map_err(|e| problem("program-text", file, "is no text").at_offset(e.utf8_error().valid_up_to() as u64))?;
    let platform = platform.unwrap_or_else(assume);
    let code = FunctionText::parse(file.to_owned(), text, platform)?;
    assemble(code, Vec::new(), (layout, given), kernel, platform)
}

/// Loads a kernel from a vISA object.
///
/// # Errors
/// A damaged object, no such kernel, or arguments whose layout is unknown.
pub fn from_object(file: &str, bytes: &[u8], selection: Selection<'_>) -> Result<Program, Diagnostics> {
    let object = Object::decode(bytes).map_err(|e| damaged(file, e))?;
    from_decoded(file, &object, selection)
}

/// Loads a kernel from an object in memory, such as one that was built or changed. `file` is the
/// object's name in messages.
///
/// ```
/// use visakit::text;
/// use visakit_launch::range::NdRange;
/// use visakit_run::{Options, launch, load};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";
/// let object = text::parse(text, Default::default())?.into_object();
/// let program = load::from_decoded("k", &object, load::Selection::default())?;
/// let range = NdRange::new(&[1], None, None, program.required_local_size())?;
/// assert_eq!(launch(&program, &range, vec![], &Options::default())?.instructions, 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// No such kernel, or arguments whose layout is unknown.
pub fn from_decoded(file: &str, object: &Object, selection: Selection<'_>) -> Result<Program, Diagnostics> {
    let Selection { layout, given, kernel, platform, assume } = selection;
    let platform = platform.or_else(|| object.platform()).unwrap_or_else(assume);
    let named = |name: &str| object.kernels.iter().find(|kernel| kernel.routine.name() == name);
    // The compiler may name the only kernel of an object `kernel`; the layout has its real name.
    let chosen = match (object.kernels.as_slice(), kernel.and_then(named)) {
        (_, Some(kernel)) => kernel,
        ([only], None) if kernel.is_none() || layout.is_some() => only,
        (kernels, None) => {
            let names: Vec<_> = kernels.iter().map(|kernel| kernel.routine.name()).collect();
            let finding = problem("kernel-unknown", file, "the file has no such kernel, or it has several kernels");
            return Err(finding.help(format!("select one with --kernel: {}", names.join(", "))).into());
        }
    };
    let code = |routine: &Routine| FunctionText {
        file: file.to_owned(),
        text: None,
        routine: routine.clone(),
        lines: Vec::new(),
    };
    let functions = object.functions.iter().map(|function| Arc::new(code(&function.routine))).collect();
    assemble(code(&chosen.routine), functions, (layout, given), kernel, platform)
}

/// Returns the program of a kernel from its code and the layout of its arguments and data.
fn assemble(
    code: FunctionText,
    functions: Vec<Arc<FunctionText>>,
    (layout, given): (Option<&Zebin>, &[(ArgKey, ArgSpec)]),
    kernel: Option<&str>,
    platform: Platform,
) -> Result<Program, Diagnostics> {
    let FunctionText { file, text, routine, lines } = code;
    program::kernel_of(&file, &routine)?;
    let (info, names) = match layout {
        Some(zebin) => {
            let info = zebin.kernel_info(kernel)?.clone();
            let names = names_of(zebin, &info);
            (info, names)
        }
        None => {
            of_inputs(&routine, given, platform).map_err(|finding| Diagnostic { file: file.clone(), ..*finding })?
        }
    };
    let mut data = layout.map(ProgramData::of).unwrap_or_default();
    if !functions.is_empty() {
        data.functions = functions.iter().map(|function| function.routine.name()).collect();
    }
    let implicit = layout.map(Program::implicit_of).transpose()?.unwrap_or_default();
    Ok(Program { file, text, routine, lines, functions, info, names, data, platform, implicit })
}

fn names_of(zebin: &Zebin, info: &KernelInfo) -> Option<KernelMiscInfo> {
    zebin.info.kernels_misc_info.iter().find(|misc| misc.name == info.name).cloned()
}

/// Returns the layout of a kernel's arguments without a zebin: its inputs, and the SIMD width and
/// shared local memory of its attributes.
fn of_inputs(
    routine: &Routine,
    given: &[(ArgKey, ArgSpec)],
    platform: Platform,
) -> Result<(KernelInfo, Option<KernelMiscInfo>), Box<Diagnostic>> {
    let simd_size = routine.attribute(attribute::SIMD_SIZE).unwrap_or(1);
    let slm_size = routine.attribute(attribute::SLM_SIZE).unwrap_or(0).saturating_mul(KILOBYTE);
    let execution_env = ExecutionEnv { simd_size, slm_size: slm_size.min(SLM_BYTES), ..ExecutionEnv::default() };
    let kernel = KernelInfo { name: routine.name(), execution_env, ..KernelInfo::default() };
    let layout = payload::Layout { grf_bytes: platform.register_bytes(), pads: platform.padding(), gap: 0 };
    let (info, names) = inputs::layout(kernel, routine, layout.base(0) as u32, given)?;
    Ok((info, Some(names)))
}

/// Number of bytes in a unit of the attribute for shared local memory.
const KILOBYTE: u32 = 1024;

fn damaged(file: &str, error: ObjectError) -> Diagnostic {
    problem(error.code, file, &error.message).at_offset(error.offset as u64).help(error.help)
}

fn problem(code: &'static str, file: &str, message: &str) -> Diagnostic {
    Diagnostic::new(code, Severity::Error, file, message)
}
