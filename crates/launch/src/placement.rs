//! Lays out the shared local memory and the binding table of a launch.

use visakit_diag::{Diagnostic, Severity};

use super::mapped::MappedArgument;
use visakit_machine::{ARGUMENTS, state_of};
use visakit_zebin::info::{AddrMode, ArgType, KernelInfo};
use visakit_zebin::limits::SLM_BYTES;

/// Resource of an entry in or after the binding table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// An argument, by its index.
    Argument(u32),
    /// The program's constants.
    Constants,
    /// The program's variables.
    Variables,
}

/// Shared local memory and the binding table of a launch.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Resource of each binding-table entry. If the kernel uses bindless surfaces, all arguments,
    /// the constants and the variables follow the table.
    pub bindings: Vec<Option<Bound>>,
    /// Offset of each local argument, relative to the end of the kernel's own declarations, and its
    /// size in bytes.
    pub local: Vec<Option<(u32, u32)>>,
    /// Added to these offsets by the launch: the size of the kernel's declarations, or zero if the
    /// compiled code adds it.
    pub local_base: u32,
    /// Shared local memory of a group in bytes.
    pub local_bytes: u32,
    /// Addresses of other memory.
    pub extra: Extra,
}

/// Addresses of memory other than arguments; 0 if the kernel has none.
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
    /// Buffer for group synchronisation.
    pub sync: u64,
}

/// Lays out shared local memory and the binding table. Local arguments are separated by `gap`
/// unused bytes, if there is enough space.
///
/// # Errors
/// Too much shared local memory for a group, or an invalid binding-table entry.
pub fn place(
    kernel: &KernelInfo,
    arguments: &[Option<MappedArgument>],
    gap: u32,
) -> Result<Placement, Box<Diagnostic>> {
    let declared = kernel.execution_env.slm_size;
    let wanted = arguments.iter().flatten().map(|argument| match argument {
        MappedArgument::Local(size) => u64::from(*size) + 2 * u64::from(gap),
        _ => 0,
    });
    let gap = if wanted.sum::<u64>() + u64::from(declared) <= SLM_BYTES.into() { gap } else { 0 };
    let local_base = if kernel.execution_env.slm_alloc_mode == 1 { declared } else { 0 };
    let mut placement = Placement { local_bytes: declared, local_base, ..Placement::default() };
    for (index, argument) in arguments.iter().enumerate() {
        let mut local = None;
        if let Some(MappedArgument::Local(size)) = argument {
            let item = kernel.payload_arguments.iter().find(|item| item.arg_index == Some(index as u32));
            let alignment = item.map_or(0, |item| item.slm_alignment).max(1);
            // Compiled code relies on the position of the first local argument.
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
        // Programs may use 240 entries; the rest of the 256 are reserved.
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
    /// Returns the state offset of a resource after the binding table.
    pub fn state(&self, bound: Bound) -> Option<u64> {
        let entry = self.bindings.iter().skip(ARGUMENTS as usize).position(|other| *other == Some(bound))?;
        Some(state_of(entry as u32))
    }
}

/// Returns a diagnostic about `.ze_info`.
pub(super) fn problem(message: &str) -> Box<Diagnostic> {
    let help = "the file is damaged, or was not written by the vendor's compiler";
    Box::new(Diagnostic::new("launch-layout", Severity::Error, ".ze_info", message).help(help))
}
