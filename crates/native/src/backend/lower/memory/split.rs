//! Legalisation: transfers of 32 channels as two of 16.

use crate::backend::analysis::address_classes::{AddressClass, StepClasses};
use crate::backend::analysis::contiguity::advanced;
use crate::ir::{Access, Combine, Mask, Transfer};

/// A part of a transfer's channels, and its address class.
pub(crate) struct TransferPart {
    pub(crate) mask: Mask,
    pub(crate) transfer: Transfer,
    pub(crate) class: Option<AddressClass>,
}

/// Splits a transfer into parts of at most 16 channels. Returns `None` if the first part may
/// overwrite data that the caller would need to execute the whole transfer.
pub(crate) fn split(mask: &Mask, transfer: &Transfer, [first, second, _]: StepClasses) -> Option<Vec<TransferPart>> {
    // An update happens once: all of its channels are checked before the first one.
    if mask.lanes != u32::MAX || matches!(transfer.access, Access::Update(_)) {
        return Some(vec![TransferPart { mask: *mask, transfer: transfer.clone(), class: first }]);
    }
    let bytes = transfer.unit.register_bytes();
    let mut reads: Vec<(u32, u32)> = transfer.global.into_iter().collect();
    reads.extend(transfer.addresses.place().map(|at| (at, 32 * transfer.addresses.bytes())));
    reads.extend(transfer.space.number().map(|at| (at, 4)));
    let overlaps = |at: u32| reads.iter().any(|(read, size)| at < read + size && *read < at + 32 * bytes);
    let is_apart = transfer.access != Access::Load || !transfer.elements.iter().any(|(_, at)| overlaps(*at));
    (is_apart && (mask.predicate == 0 || mask.combine == Combine::Each) && mask.shift == 0).then_some(())?;
    let part = |n: u32, class| {
        let elements = transfer.elements.iter().map(|(distance, at)| (*distance, at + n * 16 * bytes)).collect();
        let transfer = Transfer { addresses: advanced(transfer.addresses, n * 16), elements, ..transfer.clone() };
        TransferPart { mask: Mask { shift: n * 16, lanes: 0xffff, ..*mask }, transfer, class }
    };
    Some(vec![part(0, first), part(1, second)])
}
