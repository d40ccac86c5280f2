//! Aliases of variables.

use crate::isa::{AliasScope, predefined};
use crate::limits::ALIAS_DEPTH;
use crate::object::Routine;

/// Returns the declared variable whose storage a variable uses; `None` if the storage belongs to a
/// predefined variable or one of file scope.
pub(super) fn root(routine: &Routine, mut id: u32) -> Option<u32> {
    for _ in 0..=ALIAS_DEPTH {
        let variable = routine.variables.get(id.checked_sub(predefined::DECLARED)? as usize)?;
        if variable.alias_scope_specifier == AliasScope::Global {
            return None;
        }
        if variable.alias_index.0 == 0 {
            return Some(id);
        }
        id = variable.alias_index.0;
    }
    None
}
