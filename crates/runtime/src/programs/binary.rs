//! Executable programs of a device: the vendor's file, its kernels, constants and variables.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use visakit::isa::Platform;
use visakit_diag::Diagnostic;
use visakit_emulator::launch::data::{DataPlaces, ProgramData, lay_out};
use visakit_emulator::machine::buffer::Lent;
use visakit_emulator::run;
use visakit_zebin::info::{KernelInfo, ZeInfo};
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
    globals: OnceLock<Option<Globals>>,
    kernels: Mutex<HashMap<String, Arc<Entry>>>,
}

/// Constants and variables of a program, which live as long as the program.
pub struct Globals {
    /// Addresses of the sections.
    pub places: DataPlaces,
    /// Memory of the sections, by address.
    pub regions: Vec<(u64, Lent)>,
}

/// Kernel of a binary.
pub struct Entry {
    /// Properties and parameters.
    pub info: KernelInfo,
    /// Code, decoded at the first launch, or the reason why it cannot be run.
    code: OnceLock<std::result::Result<run::Program, String>>,
    /// State that launches share.
    pub cache: run::Cache,
}

impl Binary {
    /// Reads a zebin.
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
        // The vendor's driver resolves symbols with this prefix; all other symbols must be defined
        // in the file.
        let is_missing =
            |symbol: &&Symbol| symbol.section == 0 && !symbol.name.is_empty() && !symbol.name.starts_with("__INTEL");
        if let Some(symbol) = zebin.symbols.iter().find(is_missing) {
            return Err(format!("error: undefined reference to `{}`\n", symbol.name));
        }
        let (globals, kernels) = (OnceLock::new(), Mutex::default());
        Ok(Arc::new(Self { bytes, zebin, is_uniform, globals, kernels }))
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
        let entry = Arc::new(Entry { info, code: OnceLock::new(), cache: run::Cache::default() });
        kernels.insert(name.to_owned(), Arc::clone(&entry));
        Some(entry)
    }

    /// Decodes all kernels for a device.
    ///
    /// # Errors
    /// The first kernel that cannot be run, with its line.
    pub fn check(&self, target: Platform) -> std::result::Result<(), String> {
        for name in self.names() {
            let Some(entry) = self.kernel(name) else { continue };
            entry.code(self, target).map_err(|why| format!("kernel `{name}`: {why}\n"))?;
        }
        Ok(())
    }

    /// Returns the program's data, or `None` if there is not enough memory.
    pub fn globals(&self) -> Option<&Globals> {
        self.globals.get_or_init(|| Globals::new(&ProgramData::of(&self.zebin))).as_ref()
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
        Some(Self { regions: regions.collect(), places })
    }
}

impl Entry {
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
            let program = run::Program::from_zebin(&binary.zebin, Some(&self.info.name), Some(target));
            program.map_err(|findings| findings.first().map_or_else(String::new, text))
        };
        self.code.get_or_init(read).as_ref().map_err(String::as_str)
    }
}
