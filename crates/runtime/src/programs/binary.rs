//! Executable programs of a device: the vendor's file, its kernels, constants and variables.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use visakit::isa::Platform;
use visakit_diag::Diagnostic;
use visakit_emulator::launch::argument::{Parameter, parameters};
use visakit_emulator::launch::data::{DataPlaces, ProgramData, lay_out};
use visakit_emulator::machine::memory::{Regions, function_address};
use visakit_emulator::run;
use visakit_zebin::info::{ArgInfo, KernelInfo, ZeInfo};
use visakit_zebin::{Symbol, Target, Zebin};

use crate::base::storage::Storage;

/// Executable program for a device.
pub struct Binary {
    /// Bytes of the file.
    pub bytes: Vec<u8>,
    /// Contents of the file.
    pub zebin: Zebin,
    /// True if all groups must have the same size, as before OpenCL C 2.0.
    pub is_uniform: bool,
    /// Programs that define this program's imports.
    linked: Vec<Arc<Binary>>,
    globals: OnceLock<Option<Globals>>,
    functions: run::Functions,
    kernels: Mutex<HashMap<String, Arc<Entry>>>,
}

/// Treatment of symbols that a program does not define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imports {
    /// They fail the build.
    Refused,
    /// They are linked later.
    Allowed,
}

/// Constants and variables of a program, freed with the program.
pub struct Globals {
    /// Addresses of the sections.
    pub places: DataPlaces,
    /// Memory of the sections, and of those of linked programs.
    pub regions: Vec<Arc<Regions>>,
}

/// Kernel of a binary.
pub struct Entry {
    /// Properties.
    pub info: KernelInfo,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Source declarations of the parameters; empty if they were not kept.
    described: Vec<ArgInfo>,
    /// Code, decoded at the first launch, or the reason why it cannot be run.
    code: OnceLock<std::result::Result<run::Program, String>>,
    /// State that launches share.
    pub cache: run::Cache,
}

impl Binary {
    /// Reads a zebin. It may import functions and variables, which [`Binary::link`] resolves.
    pub fn new(bytes: Vec<u8>, is_uniform: bool) -> std::result::Result<Arc<Self>, String> {
        let zebin = match Zebin::parse("program", &bytes) {
            Ok(zebin) => zebin,
            // A program without kernels has no `.ze_info`.
            Err(finding) if bytes.is_empty() || finding.code == "zebin-no-ze-info" => Zebin {
                file: "program".to_owned(),
                target: Target::default(),
                texts: Vec::new(),
                info: ZeInfo::default(),
                data: Vec::new(),
                symbols: Vec::new(),
                native: Vec::new(),
            },
            Err(finding) => return Err(finding.one_line()),
        };
        Ok(Arc::new(Self::with(bytes, zebin, is_uniform, Vec::new())))
    }

    fn with(bytes: Vec<u8>, zebin: Zebin, is_uniform: bool, linked: Vec<Arc<Self>>) -> Self {
        let (globals, functions, kernels) = Default::default();
        Self { bytes, zebin, is_uniform, linked, globals, functions, kernels }
    }

    /// Returns the names of the undefined symbols.
    pub fn imports(&self) -> Vec<&str> {
        let defined: HashSet<&str> = self.linked.iter().flat_map(|other| other.exports()).collect();
        // The vendor's driver resolves symbols with this prefix.
        let is_missing =
            |symbol: &&Symbol| symbol.section == 0 && !symbol.name.is_empty() && !symbol.name.starts_with("__INTEL");
        let names = self.zebin.symbols.iter().filter(is_missing).map(|symbol| symbol.name.as_str());
        names.filter(|name| !defined.contains(name)).collect()
    }

    /// Returns the names of the functions and variables that other programs can import.
    pub fn exports(&self) -> impl Iterator<Item = &str> {
        let functions = self.zebin.texts.iter().filter_map(|text| text.function());
        let data: HashSet<usize> = self.zebin.data.iter().map(|section| section.section).collect();
        let variables = self.zebin.symbols.iter().filter(move |symbol| data.contains(&symbol.section));
        functions.chain(variables.map(|symbol| symbol.name.as_str()))
    }

    /// Returns the address of a function for calls in kernels of this program.
    pub fn function(&self, name: &str) -> Option<u64> {
        let mut functions = self.zebin.texts.iter().filter(|text| !text.is_kernel());
        functions.position(|text| text.function() == Some(name)).map(function_address)
    }

    /// Returns the program with the functions of other programs, and with their variables, which
    /// all programs share. Functions that this program has too are its own.
    pub fn link(&self, others: &[Arc<Self>]) -> Arc<Self> {
        let mut zebin = self.zebin.clone();
        let mut known: HashSet<String> = self.exports().map(str::to_owned).collect();
        for text in others.iter().flat_map(|other| &other.zebin.texts) {
            if text.function().is_some_and(|name| known.insert(name.to_owned())) {
                zebin.texts.push(text.clone());
            }
        }
        Arc::new(Self::with(self.bytes.clone(), zebin, self.is_uniform, others.to_vec()))
    }

    /// Returns the names of the kernels.
    pub fn names(&self) -> Vec<&str> {
        self.zebin.kernel_infos().map(|kernel| kernel.name.as_str()).collect()
    }

    /// Returns a kernel by name.
    pub fn kernel(&self, name: &str) -> Option<Arc<Entry>> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = kernels.get(name) {
            return Some(Arc::clone(entry));
        }
        let info = self.zebin.kernel_info(Some(name)).ok()?.clone();
        let misc = self.zebin.info.kernels_misc_info.iter().find(|misc| misc.name == name);
        let (parameters, described) =
            (parameters(&info, misc), misc.map_or_else(Vec::new, |misc| misc.args_info.clone()));
        let (code, cache) = (OnceLock::new(), run::Cache::default());
        let entry = Arc::new(Entry { info, parameters, described, code, cache });
        kernels.insert(name.to_owned(), Arc::clone(&entry));
        Some(entry)
    }

    /// Returns true unless the program has imports that the caller refuses.
    pub fn allows(&self, imports: Imports) -> bool {
        imports == Imports::Allowed || self.imports().is_empty()
    }

    /// Decodes all kernels for a device; with permitted imports, linking decodes them later.
    ///
    /// # Errors
    /// A refused import, or the first kernel that cannot be run, with its line.
    pub fn check(&self, target: Platform, imports: Imports) -> std::result::Result<(), String> {
        if let Some(name) = self.imports().first() {
            return match imports {
                Imports::Allowed => Ok(()),
                Imports::Refused => Err(format!("error: undefined reference to `{name}`\n")),
            };
        }
        for name in self.names() {
            let Some(entry) = self.kernel(name) else { continue };
            entry.code(self, target).map_err(|why| format!("kernel `{name}`: {why}\n"))?;
        }
        Ok(())
    }

    /// Returns the program's data, or `None` if there is not enough memory.
    pub fn globals(&self) -> Option<&Globals> {
        let make = || {
            let mut own = Globals::new(&ProgramData::of(&self.zebin))?;
            for other in &self.linked {
                let other = other.globals()?;
                own.regions.extend(other.regions.iter().cloned());
                for (name, address) in &other.places.symbols {
                    own.places.symbols.entry(name.clone()).or_insert(*address);
                }
            }
            Some(own)
        };
        self.globals.get_or_init(make).as_ref()
    }
}

impl Globals {
    fn new(data: &ProgramData) -> Option<Self> {
        let storages: Vec<_> = data
            .sections
            .iter()
            .map(|section| Storage::in_slot(usize::try_from(section.size).ok()?))
            .collect::<Option<_>>()?;
        let addresses: Vec<u64> = storages.iter().filter_map(|storage| storage.slot()).collect();
        let (places, contents) = lay_out(data, &addresses).ok()?;
        let regions = storages.iter().zip(contents).zip(addresses).map(|((storage, bytes), address)| {
            // SAFETY: the storage is new and as large as the section.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), storage.first(), bytes.len().min(storage.bytes()))
            };
            (address, storage.lend(0, usize::MAX))
        });
        Some(Self { regions: vec![Arc::new(Regions::new(regions))], places })
    }
}

impl Entry {
    /// Returns the number of arguments.
    pub fn count(&self) -> usize {
        self.parameters.iter().map(|parameter| parameter.index as usize + 1).max().unwrap_or(0)
    }

    /// Returns the parameter with an index.
    pub fn parameter(&self, index: u32) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.index == index)
    }

    /// Returns the source declaration of a parameter.
    pub fn described(&self, index: u32) -> Option<&ArgInfo> {
        self.described.iter().find(|info| info.index == index)
    }

    /// Returns the bytes of shared local memory of a group, with those of the arguments.
    pub fn local_bytes(&self, arguments: impl Iterator<Item = u64>) -> u64 {
        arguments.fold(self.info.execution_env.slm_size.into(), u64::saturating_add)
    }

    /// Returns the code for a device, decoding it at the first call.
    pub fn code(&self, binary: &Binary, target: Platform) -> std::result::Result<&run::Program, &str> {
        let text = |finding: &Diagnostic| {
            let mut text = finding.one_line();
            for more in [&finding.quote, &finding.help].into_iter().filter(|more| !more.is_empty()) {
                text += &format!("\n    {}", more.trim());
            }
            text
        };
        let read = || {
            let (zebin, name) = (&binary.zebin, Some(self.info.name.as_str()));
            let program = run::Program::with_functions(zebin, &binary.functions, name, Some(target));
            program.map_err(|findings| findings.first().map_or_else(String::new, text))
        };
        self.code.get_or_init(read).as_ref().map_err(String::as_str)
    }
}
