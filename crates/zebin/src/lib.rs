//! Reader of zebins: the ELF files that the vendor's offline compiler writes.
//!
//! A zebin holds the native code of its kernels, which is ignored, and on request one vISA text per
//! kernel. Its section `.ze_info` describes the layout of the arguments. [`Zebin::kernel`] combines
//! the text and the layout of a kernel.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod archive;
mod elf;
mod extract;
pub mod info;
pub mod inline;
pub mod limits;
mod notes;
pub mod ocloc;
mod sections;
pub mod spirv;

pub use extract::plain_name;
pub use extract::{Extracted, Item, ItemKind, extract};

use visakit::isa::TextDirective;
use visakit_diag::{Diagnostic, Severity};

use crate::info::{KernelInfo, ZeInfo};

/// Compiler option that puts the vISA texts into a zebin.
pub const VISA_OPTION: &str = "-internal_options \"-ze-opt-emit-zebin-visa-sections\"";

/// Name of a program without code, which the compiler adds for constants and format strings.
const SYMBOL_TABLE_PROGRAM: &str = "Intel_Symbol_Table_Void_Program";

/// Contents of a zebin that matter for running its vISA.
#[derive(Clone, Debug)]
pub struct Zebin {
    /// Name of the file, for messages.
    pub file: String,
    /// Compilation target from the compatibility notes.
    pub target: Target,
    /// vISA texts in the order of their sections, including functions.
    pub texts: Vec<VisaText>,
    /// Contents of `.ze_info`.
    pub info: ZeInfo,
    /// Sections `.data.*` and `.bss.*`: constants, format strings, global variables.
    pub data: Vec<DataSection>,
    /// Symbol table.
    pub symbols: Vec<Symbol>,
    /// Native code, which only the device can run.
    pub native: Vec<NativeCode>,
}

/// Native code of a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeCode {
    /// Index of the section in the ELF file.
    pub section: usize,
    /// Name of the kernel or function.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// True if it needs the address of something that the file does not name: the compiler has
    /// lost a function.
    pub is_incomplete: bool,
}

/// vISA text with its position in the file.
#[derive(Clone, Debug)]
pub struct VisaText {
    /// Index of the section in the ELF file.
    pub section: usize,
    /// Offset of the text in the file, in bytes.
    pub offset: u64,
    /// Contents of the text.
    pub text: String,
}

impl VisaText {
    /// Returns true if the text is a kernel; otherwise it is a function that kernels call.
    pub fn is_kernel(&self) -> bool {
        self.heading().is_some_and(|(directive, _)| directive == TextDirective::KernelLine)
    }

    /// Returns the name of the function whose text this is; `None` for a kernel.
    pub fn function(&self) -> Option<&str> {
        let (_, name) = self.heading().filter(|(directive, _)| *directive == TextDirective::GlobalFunctionLine)?;
        name.trim().strip_prefix('"')?.split('"').next()
    }

    /// Returns the directive that begins the routine, and the rest of its line.
    fn heading(&self) -> Option<(TextDirective, &str)> {
        let headings = [TextDirective::KernelLine, TextDirective::GlobalFunctionLine];
        self.text.lines().find_map(|line| {
            let (word, rest) = line.trim_start().split_once(' ')?;
            Some((headings.into_iter().find(|directive| directive.text() == word)?, rest))
        })
    }
}

/// Facts from the compatibility notes; `None` for an absent note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Number of the product family (note type 1), such as 0x12 for skl.
    pub product_family: Option<u32>,
    /// Number of the graphics core family (note type 2).
    pub core_family: Option<u32>,
    /// Version of the zebin format (note type 4), such as `1.20`.
    pub zebin_version: Option<String>,
    /// Version of the implicit arguments' structure (note type 8); `None` if the note is absent.
    pub implicit_version: Option<u32>,
}

/// Data section that the kernels of the file refer to by symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSection {
    /// Index of the section in the ELF file, which symbols refer to.
    pub section: usize,
    /// Name of the section.
    pub name: String,
    /// Contents; empty for `.bss.*`.
    pub bytes: Vec<u8>,
    /// Size in bytes; bytes beyond the contents are zero.
    pub size: u64,
    /// Relocations in the section.
    pub relocations: Vec<Relocation>,
}

/// Address to be added to the contents of a data section once all addresses are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Offset of the address in its section.
    pub offset: u64,
    /// Part of the address to store.
    pub part: AddressPart,
    /// Index of the section that the address points into.
    pub section: usize,
    /// Offset in the target section.
    pub value: u64,
    /// Name of the symbol at that place.
    pub symbol: String,
}

/// Part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressPart {
    /// All 64 bits.
    Whole,
    /// The lower 32 bits.
    Low,
    /// The upper 32 bits.
    High,
}

/// Symbol of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name of the symbol.
    pub name: String,
    /// Index of the symbol's section in the ELF file; 0 for an undefined symbol.
    pub section: usize,
    /// Offset in the symbol's section, in bytes.
    pub value: u64,
    /// Size in bytes.
    pub size: u64,
}

/// Kernel of a zebin: its text and its layout.
#[derive(Clone, Copy, Debug)]
pub struct ZebinKernel<'a> {
    /// The kernel's vISA text.
    pub text: &'a VisaText,
    /// The kernel's entry in `.ze_info`.
    pub info: &'a KernelInfo,
}

impl Zebin {
    /// Reads a zebin. Messages name the file `file`.
    ///
    /// # Errors
    /// Fails if `bytes` is not an ELF file of the vendor's compiler, or has no readable `.ze_info`.
    /// Missing vISA texts are reported only by [`Zebin::kernel`], because the layout of the
    /// arguments is useful without them.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, Box<Diagnostic>> {
        elf::read(file, bytes)
    }

    /// Returns true if `bytes` begins like an ELF file.
    pub fn is_elf(bytes: &[u8]) -> bool {
        bytes.starts_with(&object::elf::ELFMAG)
    }

    /// Returns the kind of an ELF file for a machine other than Intel's GPUs, such as `a program
    /// for x86-64`.
    pub fn other_machine(bytes: &[u8]) -> Option<&'static str> {
        elf::other_machine(bytes)
    }

    /// Returns the kernels that can be launched, in the order of `.ze_info`.
    pub fn kernel_infos(&self) -> impl Iterator<Item = &KernelInfo> {
        self.info.kernels.iter().filter(|kernel| kernel.name != SYMBOL_TABLE_PROGRAM)
    }

    /// Returns the layout of the kernel called `name`, or of the only kernel if `name` is `None`.
    ///
    /// # Errors
    /// Fails if no kernel has the name, or if there are several kernels and no name. The message
    /// lists the names.
    pub fn kernel_info(&self, name: Option<&str>) -> Result<&KernelInfo, Box<Diagnostic>> {
        let names = || {
            let names: Vec<_> = self.kernel_infos().map(|kernel| kernel.name.as_str()).collect();
            names.join(", ")
        };
        let mut kernels = self.kernel_infos();
        match name {
            Some(name) => kernels.find(|kernel| kernel.name == name).ok_or_else(|| {
                self.error("kernel-unknown", format!("the file has no kernel `{name}`"))
                    .help(format!("its kernels are {}", names()))
                    .into()
            }),
            None => match (kernels.next(), kernels.next()) {
                (Some(only), None) => Ok(only),
                (None, _) => Err(self
                    .error("zebin-no-kernels", "`.ze_info` lists no kernel")
                    .help("compile a program that has at least one `kernel` function")
                    .into()),
                (Some(_), Some(_)) => Err(self
                    .error("kernel-ambiguous", "the file has several kernels")
                    .help(format!("name one: {}", names()))
                    .into()),
            },
        }
    }

    /// Returns the text and the layout of the kernel called `name`, or of the only kernel if `name`
    /// is `None`.
    ///
    /// The compiler names every kernel's text `kernel`, so the n-th kernel text belongs to the n-th
    /// kernel of `.ze_info`.
    ///
    /// # Errors
    /// As [`Zebin::kernel_info`], and fails if the file was compiled without its vISA texts.
    pub fn kernel(&self, name: Option<&str>) -> Result<ZebinKernel<'_>, Box<Diagnostic>> {
        let info = self.kernel_info(name)?;
        let position = self.info.kernels.iter().position(|kernel| std::ptr::eq(kernel, info));
        let mut texts = self.texts.iter().filter(|text| text.is_kernel());
        let text = position.and_then(|position| texts.nth(position));
        match text {
            Some(text) => Ok(ZebinKernel { text, info }),
            None if self.texts.is_empty() => Err(self
                .error(
                    "zebin-no-visa",
                    "the file contains no vISA text, because it was compiled without the option that adds it",
                )
                .help(format!("compile it with `ocloc compile … --format zebin {VISA_OPTION}`"))
                .into()),
            None => Err(self
                .error(
                    "zebin-visa-count",
                    format!(
                        "no vISA text for kernel `{}`: the file has {} vISA texts for {} kernels",
                        info.name,
                        self.texts.iter().filter(|text| text.is_kernel()).count(),
                        self.info.kernels.len(),
                    ),
                )
                .help("the file is damaged, or was not written by the vendor's compiler")
                .into()),
        }
    }

    /// Returns the vISA texts with the names of their routines. Names of kernels come from
    /// `.ze_info`: the compiler names every kernel's text `kernel`, and the n-th kernel text
    /// belongs to the n-th kernel there.
    pub fn named_texts(&self) -> impl Iterator<Item = (&str, &VisaText)> {
        let mut kernels = self.info.kernels.iter();
        self.texts.iter().map(move |text| match extract::routine(&text.text) {
            (true, own) => (kernels.next().map_or(own, |kernel| kernel.name.as_str()), text),
            (false, own) => (own, text),
        })
    }

    fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Error, self.file.clone(), message)
    }
}
