//! vISA objects: the header, the kernels and functions that it lists, their tables and their code.
//!
//! Decoding keeps nothing of the source but typed values, native code and padding, so that encoding
//! the result proves the decoding.
//!
//! ```
//! use visakit::object::Object;
//! # let text = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";
//! # let object = visakit::text::parse(text, Default::default()).unwrap().into_object();
//! let bytes = object.encode().unwrap();
//! assert_eq!(Object::decode(&bytes).unwrap(), object);
//! ```

mod defect;
mod fragment;
pub(crate) mod marks;
mod parts;
mod read;
mod salvage;
mod write;

pub use parts::ObjectPart;
pub use read::ObjectError;
#[cfg(feature = "text")]
pub(crate) use salvage::is_label;
pub use salvage::{Fragment, Salvaged, SalvagedCode};

use crate::isa::{
    AddressInfo, AttributeInfo, DataType, FileScopeVarInfo, FunctionInfo, FunctionRelocSymtab, GeneralId, InputInfo,
    Instruction, KernelInfo, LabelInfo, Platform, PredicateInfo, SamplerInfo, StringId, SurfaceInfo, VarInfo,
    VariableRelocSymtab, predefined, predefined_sampler, predefined_surface,
};
use crate::rt::{Bytes, Table, Version};

/// A whole object file.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Version of the layout.
    pub version: Version,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// Variables of the file.
    pub variables: Vec<FileScopeVarInfo>,
    /// The functions.
    pub functions: Vec<Function>,
    /// The order of the parts in the file, where it is not the usual one: each kernel with its
    /// native programs behind it, then the functions. Empty for the usual order.
    pub order: Vec<ObjectPart>,
    /// Bytes behind the last part, which some producers add.
    pub padding: Vec<u8>,
}

/// A kernel of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its name in the header.
    pub name: Bytes,
    /// Its tables and code.
    pub routine: Routine,
    /// Variables of the file that it uses.
    pub variable_relocations: Vec<VariableRelocSymtab>,
    /// Functions that it uses.
    pub function_relocations: Vec<FunctionRelocSymtab>,
    /// Native programs.
    pub binaries: Vec<NativeBinary>,
}

/// A function of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name in the header.
    pub name: Bytes,
    /// Its linkage, as the header has it.
    pub linkage: crate::isa::Linkage,
    /// Its tables and code.
    pub routine: Routine,
    /// Variables of the file that it uses.
    pub variable_relocations: Vec<VariableRelocSymtab>,
    /// Functions that it uses.
    pub function_relocations: Vec<FunctionRelocSymtab>,
}

/// Native code of a kernel for one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeBinary {
    /// `gen_platform` code, see [`Platform::from_gen_code`].
    pub platform: u8,
    /// The code.
    pub code: Vec<u8>,
}

/// Whether a routine is a kernel or a function, and what only that kind has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RoutineKind {
    /// The host starts it.
    #[default]
    Kernel,
    /// Other routines call it.
    Function {
        /// Registers of `%arg` that it reads.
        input_size: u8,
        /// Registers of `%retval` that it writes.
        return_value_size: u8,
    },
}

/// The tables and the code of a kernel or a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routine {
    /// Kernel or function.
    pub kind: RoutineKind,
    /// All names and strings.
    pub strings: Vec<Bytes>,
    /// The routine's name.
    pub name: StringId,
    /// General variables; entry 0 has the id [`crate::isa::predefined::DECLARED`].
    pub variables: Vec<VarInfo>,
    /// Address variables; entry 0 has the id 0.
    pub addresses: Vec<AddressInfo>,
    /// Predicates; entry 0 has the id 1.
    pub predicates: Vec<PredicateInfo>,
    /// Labels; entry 0 has the id 0.
    pub labels: Vec<LabelInfo>,
    /// Samplers; entry 0 has the id 0.
    pub samplers: Vec<SamplerInfo>,
    /// Surfaces; entry 0 has the id [`crate::isa::predefined_surface::DECLARED`].
    pub surfaces: Vec<SurfaceInfo>,
    /// Inputs of a kernel.
    pub inputs: Vec<InputInfo>,
    /// Attributes of the routine.
    pub attributes: Vec<AttributeInfo>,
    /// The code.
    pub instructions: Vec<Instruction>,
    /// What the file says of code that was removed from it; such a routine has no instructions.
    pub stripped: Option<Removed>,
}

/// What a routine's tables say of its code, where the code itself was removed: some producers leave
/// the native program and the tables only, and do not correct these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Bytes that the code had.
    pub size: u32,
    /// Where it began, counted from the start of the routine before anything was removed.
    pub entry: u32,
}

impl Routine {
    /// A string of the pool, as text.
    pub fn string(&self, id: StringId) -> Option<String> {
        self.strings.get(id.0 as usize).map(Bytes::to_text)
    }

    /// Whether a table has an entry of this number, declared or predefined.
    pub fn has(&self, table: Table, id: u32) -> bool {
        let among = |len: usize, first: u32| id.checked_sub(first).is_some_and(|n| (n as usize) < len);
        match table {
            Table::General => {
                among(self.variables.len(), predefined::DECLARED) || predefined::ALL.iter().any(|p| p.id == id)
            }
            Table::Address => among(self.addresses.len(), 0),
            Table::Predicate => among(self.predicates.len(), 1),
            Table::Sampler => among(self.samplers.len(), 0) || predefined_sampler::ALL.iter().any(|p| p.id == id),
            Table::Surface => {
                among(self.surfaces.len(), predefined_surface::DECLARED)
                    || predefined_surface::ALL.iter().any(|p| p.id == id)
            }
            Table::Label => among(self.labels.len(), 0),
            Table::String => among(self.strings.len(), 0),
        }
    }

    /// What an entry of a table is called in texts: a variable, a predicate or another one that is
    /// declared or predefined.
    pub fn name_of(&self, table: Table, id: u32) -> String {
        let at = |first: u32| id.checked_sub(first).map(|n| n as usize);
        let (letter, index) = match table {
            Table::General => {
                let declared = at(predefined::DECLARED);
                ('V', declared.and_then(|n| self.variables.get(n)).map(|v| v.name_index))
            }
            Table::Predicate => ('P', at(1).and_then(|n| self.predicates.get(n)).map(|p| p.name_index)),
            Table::Address => ('A', self.addresses.get(id as usize).map(|a| a.name_index)),
            Table::Sampler => ('S', self.samplers.get(id as usize).map(|s| s.name_index)),
            Table::Surface => {
                let declared = at(predefined_surface::DECLARED);
                ('T', declared.and_then(|n| self.surfaces.get(n)).map(|s| s.name_index))
            }
            Table::Label => ('L', self.labels.get(id as usize).map(|l| l.name_index)),
            Table::String => ('$', Some(StringId(id))),
        };
        let known = predefined::ALL.iter().filter(|_| table == Table::General).find(|known| known.id == id);
        let name = known.map(|known| known.name.to_owned()).or_else(|| self.string(index?));
        name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("{letter}{id}"))
    }

    /// The first number that no entry of a table has, predefined ones among them.
    pub(crate) fn numbers(&self, table: Table) -> usize {
        match table {
            Table::General => self.variables.len() + predefined::DECLARED as usize,
            Table::Address => self.addresses.len(),
            Table::Predicate => self.predicates.len() + 1,
            Table::Sampler => {
                let predefined = predefined_sampler::ALL.iter().map(|p| p.id as usize + 1);
                predefined.fold(self.samplers.len(), usize::max)
            }
            Table::Surface => self.surfaces.len() + predefined_surface::DECLARED as usize,
            Table::Label => self.labels.len(),
            Table::String => self.strings.len(),
        }
    }

    /// The routine's name, as text.
    pub fn name(&self) -> String {
        self.string(self.name).unwrap_or_default()
    }

    /// The type of a general variable, declared or predefined.
    pub fn data_type(&self, id: GeneralId) -> Option<DataType> {
        match id.0.checked_sub(predefined::DECLARED) {
            Some(declared) => self.variables.get(declared as usize).map(|v| v.bit_properties.type_),
            None => predefined::ALL.iter().find(|p| p.id == id.0).map(|p| p.data_type),
        }
    }

    /// The value of a number attribute.
    pub fn attribute(&self, name: &str) -> Option<u32> {
        let attribute = self.attributes.iter().find(|a| self.string(a.name).as_deref() == Some(name))?;
        let mut bytes = [0; 4];
        let value = attribute.value.as_slice();
        bytes.get_mut(..value.len())?.copy_from_slice(value);
        Some(u32::from_le_bytes(bytes))
    }
}

impl Object {
    /// An object of these routines, which use nothing of the file that they are in.
    pub fn new(version: Version, routines: impl IntoIterator<Item = Routine>) -> Self {
        let mut object = Self {
            version,
            kernels: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            order: Vec::new(),
            padding: Vec::new(),
        };
        routines.into_iter().for_each(|routine| object.push(routine, Vec::new(), Vec::new()));
        object
    }

    /// Adds a routine, with the variables and functions of the file that it uses.
    pub fn push(
        &mut self,
        routine: Routine,
        variable_relocations: Vec<VariableRelocSymtab>,
        function_relocations: Vec<FunctionRelocSymtab>,
    ) {
        let name = routine.strings.get(routine.name.0 as usize).cloned().unwrap_or_default();
        match routine.kind {
            RoutineKind::Kernel => {
                let binaries = Vec::new();
                self.kernels.push(Kernel { name, routine, variable_relocations, function_relocations, binaries });
            }
            RoutineKind::Function { .. } => {
                let linkage = Default::default();
                self.functions.push(Function { name, linkage, routine, variable_relocations, function_relocations });
            }
        }
    }

    /// The platform of the first native program, if there is one.
    pub fn platform(&self) -> Option<Platform> {
        self.kernels.iter().flat_map(|k| &k.binaries).find_map(|b| Platform::from_gen_code(b.platform))
    }

    /// All routines, kernels first.
    pub fn routines(&self) -> impl Iterator<Item = &Routine> {
        self.kernels.iter().map(|k| &k.routine).chain(self.functions.iter().map(|f| &f.routine))
    }
}

/// The header entry of a kernel without its places, which follow from the parts.
fn kernel_info(kernel: &Kernel) -> KernelInfo {
    KernelInfo {
        name: kernel.name.clone(),
        variable_reloc_symtab: kernel.variable_relocations.clone(),
        function_reloc_symtab: kernel.function_relocations.clone(),
        ..KernelInfo::default()
    }
}

/// The header entry of a function without its places.
fn function_info(function: &Function) -> FunctionInfo {
    FunctionInfo {
        linkage: function.linkage,
        name: function.name.clone(),
        variable_reloc_symtab: function.variable_relocations.clone(),
        function_reloc_symtab: function.function_relocations.clone(),
        ..FunctionInfo::default()
    }
}
