//! vISA objects: header, kernels, functions, and their tables and code.
//!
//! Decoding keeps only typed values, native code and padding, so encoding the result proves the
//! decoding.
//!
//! ```
//! use visakit::object::Object;
//! # let text = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";
//! # let object = visakit::text::parse(text, Default::default()).unwrap().into_object();
//! let bytes = object.encode().unwrap();
//! assert_eq!(Object::decode(&bytes).unwrap(), object);
//! ```

mod defect;
mod error;
mod fragment;
pub(crate) mod marks;
mod parts;
mod read;
mod salvage;
mod write;

pub use error::ObjectError;
pub use parts::ObjectPart;
#[cfg(feature = "text")]
pub(crate) use salvage::is_label;
pub use salvage::{Fragment, Salvaged, SalvagedCode};

use crate::isa::{
    AddressInfo, AttributeInfo, DataType, FileScopeVarInfo, FunctionInfo, FunctionRelocSymtab, GeneralId, InputInfo,
    Instruction, KernelInfo, LabelInfo, Platform, PredicateInfo, SamplerInfo, StringId, SurfaceInfo, VarInfo,
    VariableRelocSymtab, predefined, predefined_sampler, predefined_surface,
};
use crate::rt::{Bytes, Table, Version};

/// Object file.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Version of the layout.
    pub version: Version,
    /// Kernels of the object.
    pub kernels: Vec<Kernel>,
    /// Variables of file scope.
    pub variables: Vec<FileScopeVarInfo>,
    /// Functions of the object.
    pub functions: Vec<Function>,
    /// Order of the parts in the file; empty for the usual order. In the usual order each kernel is
    /// followed by its native programs, and the functions come last.
    pub order: Vec<ObjectPart>,
    /// Bytes after the last part, which some producers add.
    pub padding: Vec<u8>,
}

/// Kernel of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Name of the kernel in the header.
    pub name: Bytes,
    /// Tables and code of the kernel.
    pub routine: Routine,
    /// Variables of file scope that the kernel uses.
    pub variable_relocations: Vec<VariableRelocSymtab>,
    /// Functions that the kernel uses.
    pub function_relocations: Vec<FunctionRelocSymtab>,
    /// Native programs of the kernel.
    pub binaries: Vec<NativeBinary>,
}

/// Function of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name of the function in the header.
    pub name: Bytes,
    /// Linkage of the function in the header.
    pub linkage: crate::isa::Linkage,
    /// Tables and code of the function.
    pub routine: Routine,
    /// Variables of file scope that the function uses.
    pub variable_relocations: Vec<VariableRelocSymtab>,
    /// Functions that the function uses.
    pub function_relocations: Vec<FunctionRelocSymtab>,
}

/// Native code of a kernel for one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeBinary {
    /// `gen_platform` code, see [`Platform::from_gen_code`].
    pub platform: u8,
    /// Native code.
    pub code: Vec<u8>,
}

/// Kind of a routine, with the fields of that kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RoutineKind {
    /// A kernel, which the host starts.
    #[default]
    Kernel,
    /// A function, which other routines call.
    Function {
        /// Registers of `%arg` that the function reads.
        input_size: u8,
        /// Registers of `%retval` that the function writes.
        return_value_size: u8,
    },
}

/// Tables and code of a kernel or a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routine {
    /// Kind of the routine.
    pub kind: RoutineKind,
    /// String pool: names and other strings.
    pub strings: Vec<Bytes>,
    /// Index of the routine's name.
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
    /// Instructions of the routine.
    pub instructions: Vec<Instruction>,
    /// Facts about code that was removed from the file; such a routine has no instructions.
    pub stripped: Option<Removed>,
}

/// Size and entry of removed code, as the routine's tables still record them. Some producers keep
/// only the native program and the tables, and do not correct these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Size of the removed code in bytes.
    pub size: u32,
    /// Byte offset of the code in the original routine, before the removal.
    pub entry: u32,
}

impl Routine {
    /// Returns a string of the pool as text.
    pub fn string(&self, id: StringId) -> Option<String> {
        self.strings.get(id.0 as usize).map(Bytes::to_text)
    }

    /// Returns true if a table has an entry with this id, declared or predefined.
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

    /// Returns the name of a table's entry in texts. The entry may be declared or predefined.
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

    /// Returns the first id after all entries of a table, predefined entries included.
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

    /// Returns the routine's name as text.
    pub fn name(&self) -> String {
        self.string(self.name).unwrap_or_default()
    }

    /// Returns the type of a general variable, declared or predefined.
    pub fn data_type(&self, id: GeneralId) -> Option<DataType> {
        match id.0.checked_sub(predefined::DECLARED) {
            Some(declared) => self.variables.get(declared as usize).map(|v| v.bit_properties.type_),
            None => predefined::ALL.iter().find(|p| p.id == id.0).map(|p| p.data_type),
        }
    }

    /// Returns the value of a numeric attribute.
    pub fn attribute(&self, name: &str) -> Option<u32> {
        let attribute = self.attributes.iter().find(|a| self.string(a.name).as_deref() == Some(name))?;
        let mut bytes = [0; 4];
        let value = attribute.value.as_slice();
        bytes.get_mut(..value.len())?.copy_from_slice(value);
        Some(u32::from_le_bytes(bytes))
    }
}

impl Object {
    /// Creates an object of routines that use no variables or functions of the file.
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

    /// Appends a routine, with the variables and functions of the file that it uses.
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

    /// Returns the platform of the first native program, if any.
    pub fn platform(&self) -> Option<Platform> {
        self.kernels.iter().flat_map(|k| &k.binaries).find_map(|b| Platform::from_gen_code(b.platform))
    }

    /// Returns all routines, kernels first.
    pub fn routines(&self) -> impl Iterator<Item = &Routine> {
        self.kernels.iter().map(|k| &k.routine).chain(self.functions.iter().map(|f| &f.routine))
    }

    /// Returns all routines for changes, kernels first.
    pub fn routines_mut(&mut self) -> impl Iterator<Item = &mut Routine> {
        self.kernels.iter_mut().map(|k| &mut k.routine).chain(self.functions.iter_mut().map(|f| &mut f.routine))
    }
}

/// Returns the header entry of a kernel, with zero for the offsets; the layout of the parts sets
/// them.
fn kernel_info(kernel: &Kernel) -> KernelInfo {
    KernelInfo {
        name: kernel.name.clone(),
        variable_reloc_symtab: kernel.variable_relocations.clone(),
        function_reloc_symtab: kernel.function_relocations.clone(),
        ..KernelInfo::default()
    }
}

/// Returns the header entry of a function, with zero for the offsets.
fn function_info(function: &Function) -> FunctionInfo {
    FunctionInfo {
        linkage: function.linkage,
        name: function.name.clone(),
        variable_reloc_symtab: function.variable_relocations.clone(),
        function_reloc_symtab: function.function_relocations.clone(),
        ..FunctionInfo::default()
    }
}
