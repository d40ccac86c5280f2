//! Where the arguments of a launch are in memory: addresses, shared local memory, the binding
//! table.

use visakit_diag::{Diagnostic, Severity};

use super::argument::Argument;
use crate::machine::{ARGUMENTS, state_of};
use visakit_zebin::info::{AddrMode, ArgType, KernelInfo};
use visakit_zebin::limits::SLM_BYTES;

/// What an entry of the binding table, or one beyond it, stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// An argument, by its index.
    Argument(u32),
    /// The program's constants.
    Constants,
    /// The program's variables.
    Variables,
}

/// The arguments as memory: where the buffers went and how much shared local memory there is.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Address of each argument that is a buffer or a pointer.
    pub addresses: Vec<Option<u64>>,
    /// For each entry of the binding table what it stands for. Beyond it are all arguments, the
    /// constants and the variables, where the kernel names their surfaces by state.
    pub bindings: Vec<Option<Bound>>,
    /// Offset of each local pointer behind the memory that the kernel declares itself, and its
    /// bytes.
    pub local: Vec<Option<(u32, u32)>>,
    /// What the launch adds to these offsets: the memory that the kernel declares, or nothing where
    /// the compiler's code adds it.
    pub local_base: u32,
    /// Bytes of shared local memory that a group needs.
    pub local_bytes: u32,
    /// Size of each argument that is a buffer, in bytes.
    pub sizes: Vec<u64>,
    /// What is there beside the arguments.
    pub extra: Extra,
}

/// Addresses of memory that is no argument; 0 where the kernel has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extra {
    /// The program's constants.
    pub constants: u64,
    /// The program's variables.
    pub variables: u64,
    /// The buffer of `printf`.
    pub printf: u64,
    /// Private memory.
    pub private: u64,
    /// The buffer of `assert`.
    pub asserts: u64,
    /// The buffer for groups that wait for each other.
    pub sync: u64,
}

/// Lays out shared local memory, with so many bytes that are nobody's between arguments, where
/// there is room for that, and the binding table. `address` gives the address of a buffer argument.
///
/// # Errors
/// When a group gets more shared local memory than there can be, or the binding table names entries
/// that cannot be.
pub fn place(
    kernel: &KernelInfo,
    arguments: &[Option<Argument>],
    gap: u32,
    mut address: impl FnMut(u32) -> Option<u64>,
) -> Result<Placement, Box<Diagnostic>> {
    let declared = kernel.execution_env.slm_size;
    let wanted = arguments.iter().flatten().map(|argument| match argument {
        Argument::Local(size) => u64::from(*size) + 2 * u64::from(gap),
        _ => 0,
    });
    let gap = if wanted.sum::<u64>() + u64::from(declared) <= SLM_BYTES.into() { gap } else { 0 };
    let local_base = if kernel.execution_env.slm_alloc_mode == 1 { declared } else { 0 };
    let mut placement = Placement { local_bytes: declared, local_base, ..Placement::default() };
    for (index, argument) in arguments.iter().enumerate() {
        placement.addresses.push(match argument {
            Some(Argument::Buffer(_)) => address(index as u32),
            Some(Argument::Pointer(pointer)) => Some(*pointer),
            _ => None,
        });
        let mut local = None;
        if let Some(Argument::Local(size)) = argument {
            let item = kernel.payload_arguments.iter().find(|item| item.arg_index == Some(index as u32));
            let alignment = item.map_or(0, |item| item.slm_alignment).max(1);
            // The compiler knows where the first one begins.
            let gap = if placement.local.iter().any(Option::is_some) { gap } else { 0 };
            let offset = (placement.local_bytes - declared + gap).checked_next_multiple_of(alignment);
            let end = offset.and_then(|offset| declared.checked_add(offset)?.checked_add(*size));
            let end = end.filter(|&end| end <= SLM_BYTES);
            let (Some(offset), Some(end)) = (offset, end) else {
                let message = format!("argument {index} asks for {size} bytes of shared local memory");
                let finding = Diagnostic::new("argument-size", Severity::Error, "launch", message);
                return Err(finding.help(format!("a group has {SLM_BYTES} bytes at most")).into());
            };
            (local, placement.local_bytes) = (Some((offset, *size)), end);
        }
        placement.local.push(local);
    }
    let arguments_bound =
        kernel.binding_table_indices.iter().map(|binding| (binding.bti_value, Bound::Argument(binding.arg_index)));
    let data_bound = kernel.payload_arguments.iter().filter_map(|item| {
        let bound = match item.arg_type {
            ArgType::ConstBase => Bound::Constants,
            ArgType::GlobalBase => Bound::Variables,
            _ => return None,
        };
        Some((item.bti_value?, bound))
    });
    for (entry, bound) in arguments_bound.chain(data_bound) {
        // 240 entries are for programs, the rest of the 256 mean other things.
        let place = usize::try_from(entry).ok().filter(|&entry| entry < 240);
        let place = place.ok_or_else(|| problem(&format!("the binding table has no entry {entry}")))?;
        if placement.bindings.len() <= place {
            placement.bindings.resize(place + 1, None);
        }
        let before = placement.bindings[place].replace(bound);
        if before.is_some_and(|before| before != bound) {
            return Err(problem(&format!("binding-table entry {entry} is defined twice")));
        }
    }
    if kernel.payload_arguments.iter().any(|item| item.addrmode == Some(AddrMode::Bindless)) {
        placement.bindings.resize(ARGUMENTS as usize, None);
        let states = (0..arguments.len() as u32).map(Bound::Argument).chain([Bound::Constants, Bound::Variables]);
        placement.bindings.extend(states.map(Some));
    }
    Ok(placement)
}

impl Placement {
    /// The offset of the state of what is bound beyond the binding table.
    pub fn state(&self, bound: Bound) -> Option<u64> {
        let entry = self.bindings.iter().skip(ARGUMENTS as usize).position(|other| *other == Some(bound))?;
        Some(state_of(entry as u32))
    }
}

/// A finding about `.ze_info`.
pub(super) fn problem(message: &str) -> Box<Diagnostic> {
    let help = "the file is damaged, or was not written by the vendor's compiler";
    Box::new(Diagnostic::new("launch-layout", Severity::Error, ".ze_info", message).help(help))
}
