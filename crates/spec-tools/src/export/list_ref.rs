//! References to lists.

use serde::Serialize;

use super::location::Cx;
use visakit_codegen::model::ListId;

/// Reference to a list by its position in the export and by its name.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ListRef {
    /// Position in `lists`.
    pub index: usize,
    /// Name.
    pub name: String,
}

pub(super) fn list_ref(cx: &Cx<'_>, id: ListId) -> ListRef {
    ListRef { index: id.0, name: cx.model.list(id).name.clone() }
}
