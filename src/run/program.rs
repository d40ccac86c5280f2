//! A kernel that can be run: its code, and the layout of its arguments.

use visakit_codegen::diag::{Diagnostic, Severity};

use crate::isa::Platform;
use crate::launch::argument::{self, Parameter};
use crate::launch::data::ProgramData;
use crate::launch::payload;
use crate::machine::fault::Fault;
use crate::object::Routine;
use crate::text;
use crate::zebin::Zebin;
use crate::zebin::info::{KernelInfo, KernelMiscInfo};

/// The first platform whose kernels have no register of padding in place of absent local ids.
const FIRST_WITHOUT_PADDING: Platform = Platform::XehpSdv;

/// A kernel, ready to be launched any number of times.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name of the file, for messages.
    pub file: String,
    /// The kernel's text, when it came from one.
    pub text: Option<String>,
    /// The code.
    pub routine: Routine,
    /// Line of each instruction in the text; empty when it came from an object.
    pub lines: Vec<u32>,
    /// The layout of the arguments.
    pub info: KernelInfo,
    /// Names and types of the arguments.
    pub names: Option<KernelMiscInfo>,
    /// The program's constants and variables.
    pub data: ProgramData,
    /// The platform it was compiled for.
    pub platform: Platform,
}

impl Program {
    /// Takes a kernel out of a zebin. `kernel` names it when there are several; `platform` overrides the file's own.
    ///
    /// # Errors
    /// When there is no such kernel, the file holds no vISA text for it, or the text is wrong.
    pub fn from_zebin(
        zebin: &Zebin,
        kernel: Option<&str>,
        platform: Option<Platform>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let found = zebin.kernel(kernel).map_err(|e| vec![*e])?;
        let platform = platform.or_else(|| Self::platform_of(zebin)).unwrap_or(Platform::Skl);
        let file = format!("{}({})", zebin.file, found.info.name);
        let mut program = Self::from_text(&file, &found.text.text, found.info.clone(), platform)?;
        program.data = ProgramData::of(zebin);
        program.names = zebin.info.kernels_misc_info.iter().find(|misc| misc.name == found.info.name).cloned();
        Ok(program)
    }

    /// The platform that a zebin was compiled for, if it says one that is known.
    pub fn platform_of(zebin: &Zebin) -> Option<Platform> {
        zebin.target.product_family.and_then(Platform::from_family)
    }

    /// Reads a kernel from a text. `info` is the layout of its arguments.
    ///
    /// # Errors
    /// When the text is wrong.
    pub fn from_text(file: &str, text: &str, info: KernelInfo, platform: Platform) -> Result<Self, Vec<Diagnostic>> {
        let options = text::Options { file: file.to_owned(), platform: Some(platform) };
        let parsed = text::parse(text, options)?;
        let text = Some(text.to_owned());
        let (routine, lines) = (parsed.routine, parsed.lines);
        let data = ProgramData::default();
        Ok(Self { file: file.to_owned(), text, routine, lines, info, names: None, data, platform })
    }

    /// The arguments that the kernel takes.
    pub fn parameters(&self) -> Vec<Parameter> {
        argument::parameters(&self.info, self.names.as_ref())
    }

    /// The local size that the kernel requires; zeros when it takes any.
    pub fn required_local_size(&self) -> [u32; 3] {
        self.info.execution_env.required_work_group_size
    }

    /// What of the platform matters to the payload.
    pub(super) fn payload_layout(&self) -> payload::Layout {
        payload::Layout { grf_bytes: self.platform.register_bytes(), pads: self.platform < FIRST_WITHOUT_PADDING }
    }

    /// What the state register says of a hardware thread: its number, with bits in between that name other units.
    pub(super) fn state_register(&self, hardware: u32) -> u32 {
        // The compiler closes two gaps: one behind bit 2, and one behind bit 5 that is wider from pvc on.
        let wide = if self.platform >= Platform::Pvc { 2 } else { 1 };
        let first = hardware & 7 | (hardware & !7) << 1;
        first & 0x3f | (first & !0x3f) << wide
    }

    /// A fault as a diagnostic at the line of its instruction.
    pub(super) fn locate(&self, fault: &Fault) -> Diagnostic {
        let finding = Diagnostic::new(fault.trouble.code(), Severity::Error, self.file.clone(), fault.to_string())
            .help(fault.trouble.help());
        let line = self.text.as_deref().and_then(|text| {
            let number = fault.line.checked_sub(1)? as usize;
            let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
            let line = text[start..].lines().next()?;
            let indent = line.len() - line.trim_start().len();
            // The text behind the instruction is its number, for readers.
            let end = line.find("///").unwrap_or(line.len());
            Some((text, start + indent, start + line[..end].trim_end().len()))
        });
        match line {
            Some((text, start, end)) => finding.at_text(text, start, end.max(start)),
            None => finding,
        }
    }
}
