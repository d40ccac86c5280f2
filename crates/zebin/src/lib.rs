//! Reads zebins: the ELF files that the vendor's offline compiler writes.
//!
//! A zebin holds the native code of its kernels, which we leave alone, and, when it was compiled
//! for that, one vISA text a kernel. Its `.ze_info` section says where every argument of a kernel
//! goes. The two meet in [`Zebin::kernel`].

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod archive;
mod elf;
mod extract;
pub mod info;
pub mod inline;
pub mod limits;
mod notes;
pub mod ocloc;
pub mod spirv;

pub use extract::plain_name;
pub use extract::{Extracted, Item, ItemKind, extract};

use visakit_diag::{Diagnostic, Severity};

use crate::info::{KernelInfo, ZeInfo};

/// The compiler option that puts the vISA texts into a zebin.
pub const VISA_OPTION: &str = "-internal_options \"-ze-opt-emit-zebin-visa-sections\"";

/// A program without code of its own: the compiler adds it to carry constants and format strings.
const SYMBOL_TABLE_PROGRAM: &str = "Intel_Symbol_Table_Void_Program";

/// What a zebin holds, as far as running its vISA needs it.
#[derive(Clone, Debug)]
pub struct Zebin {
    /// The file's name, for messages.
    pub file: String,
    /// What the compatibility notes say of the target.
    pub target: Target,
    /// The vISA texts in the order of their sections, routines that are no kernels included.
    pub texts: Vec<VisaText>,
    /// The contents of `.ze_info`.
    pub info: ZeInfo,
    /// The `.data.*` and `.bss.*` sections: constants, format strings, global variables.
    pub data: Vec<DataSection>,
    /// The symbol table.
    pub symbols: Vec<Symbol>,
    /// The native code, which is for the device alone.
    pub native: Vec<NativeCode>,
}

/// Where there is native code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeCode {
    /// The kernel or function.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
}

/// One vISA text and where it stands in the file.
#[derive(Clone, Debug)]
pub struct VisaText {
    /// Index of the section in the ELF file.
    pub section: usize,
    /// Offset of the text in the file, in bytes.
    pub offset: u64,
    /// The text.
    pub text: String,
}

impl VisaText {
    /// Whether the text is a kernel; the other kind is a function that kernels call.
    pub fn is_kernel(&self) -> bool {
        self.text.lines().any(|line| line.trim_start().starts_with(".kernel "))
    }
}

/// What the compatibility notes say. Absent notes are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Number of the product family (note type 1), such as 0x12 for skl.
    pub product_family: Option<u32>,
    /// Number of the graphics core family (note type 2).
    pub core_family: Option<u32>,
    /// Version of the zebin format (note type 4), such as `1.20`.
    pub zebin_version: Option<String>,
    /// Version of the structure of implicit arguments (note type 8), 0 where no note says it.
    pub implicit_version: Option<u32>,
}

/// A section of data that the kernels of the file refer to by symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSection {
    /// Index of the section in the ELF file: symbols refer to it.
    pub section: usize,
    /// Name of the section.
    pub name: String,
    /// The bytes; empty for `.bss.*`.
    pub bytes: Vec<u8>,
    /// Size in bytes, of which those that are not in `bytes` are zero.
    pub size: u64,
    /// Addresses that stand in it.
    pub relocations: Vec<Relocation>,
}

/// An address that a section of data holds once it is known where everything is. What stands there
/// before is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where in the section it stands.
    pub offset: u64,
    /// Which part of the address.
    pub part: AddressPart,
    /// Index of the section that it points into.
    pub section: usize,
    /// The offset there.
    pub value: u64,
}

/// A part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressPart {
    /// All 64 bits.
    Whole,
    /// The lower 32 bits.
    Low,
    /// The upper 32 bits.
    High,
}

/// A symbol of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Index of its section in the ELF file, 0 for an undefined symbol.
    pub section: usize,
    /// Offset in its section, in bytes.
    pub value: u64,
    /// Size in bytes.
    pub size: u64,
}

/// A kernel of a zebin: its text and its layout.
#[derive(Clone, Copy, Debug)]
pub struct ZebinKernel<'a> {
    /// The kernel's vISA text.
    pub text: &'a VisaText,
    /// The kernel's entry in `.ze_info`.
    pub info: &'a KernelInfo,
}

impl Zebin {
    /// Reads a zebin. `file` is the name to use in messages.
    ///
    /// # Errors
    /// When `bytes` is no ELF file of the vendor's, or has no readable `.ze_info`. Missing vISA
    /// texts are reported only by [`Zebin::kernel`], because the layout of the arguments is of use
    /// without them.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, Box<Diagnostic>> {
        elf::read(file, bytes)
    }

    /// Whether `bytes` begins like an ELF file.
    pub fn is_elf(bytes: &[u8]) -> bool {
        bytes.starts_with(&object::elf::ELFMAG)
    }

    /// Returns the kind of an ELF file for a machine other than Intel's GPUs, such as `a program
    /// for x86-64`.
    pub fn other_machine(bytes: &[u8]) -> Option<&'static str> {
        elf::other_machine(bytes)
    }

    /// The kernels that can be launched, in the order of `.ze_info`.
    pub fn kernel_infos(&self) -> impl Iterator<Item = &KernelInfo> {
        self.info.kernels.iter().filter(|kernel| kernel.name != SYMBOL_TABLE_PROGRAM)
    }

    /// The layout of the kernel called `name`, or of the only kernel when `name` is absent.
    ///
    /// # Errors
    /// When there is no such kernel, or no name and several kernels; the message lists the names.
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

    /// The text and the layout of the kernel called `name`, or of the only kernel when `name` is
    /// absent.
    ///
    /// The compiler calls every text `kernel`, so the n-th text that is a kernel belongs to the
    /// n-th kernel of `.ze_info`.
    ///
    /// # Errors
    /// As [`Zebin::kernel_info`], and when the file was compiled without its vISA texts.
    pub fn kernel(&self, name: Option<&str>) -> Result<ZebinKernel<'_>, Box<Diagnostic>> {
        let info = self.kernel_info(name)?;
        let position = self.info.kernels.iter().position(|kernel| std::ptr::eq(kernel, info));
        let mut texts = self.texts.iter().filter(|text| text.is_kernel());
        let text = position.and_then(|position| texts.nth(position));
        match text {
            Some(text) => Ok(ZebinKernel { text, info }),
            None if self.texts.is_empty() => Err(self
                .error("zebin-no-visa", "the file contains no vISA text: it was compiled without")
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

    /// The vISA texts with the names of their routines: of kernels those in `.ze_info`, because the
    /// compiler calls every text `kernel` and the n-th text that is a kernel belongs to the n-th
    /// kernel there.
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
