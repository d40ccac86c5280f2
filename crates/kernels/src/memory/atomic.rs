//! Atomic operations of messages: locations of operands and result.

use crate::lowering::{LowerResult, Lowering};
use crate::memory::transfer::Transfer;
use crate::operation::update::{Native, Update};
use visakit::isa::RawOperand;
use visakit_machine::access::{Miss, Request, View};
use visakit_machine::in_bounds::{Extent, InBounds};
use visakit_machine::lane::{LANES, from_lanes};
use visakit_machine::observer::AccessKind;
use visakit_machine::thread::Thread;
use visakit_native::ir::{self, Access, Change};

/// Values of the fast path, the most frequent case.
const DWORD: Extent = Extent { bytes: 4, alignment: 4 };

/// An atomic operation with its operands.
#[derive(Clone, Copy)]
pub(crate) struct Atomic {
    /// Operation.
    pub update: Update,
    /// Register layout of operands and result.
    pub transfer: Transfer,
    operands: [Option<u32>; 2],
    /// Register offset of the result, if it is used.
    result: Option<u32>,
}

impl Atomic {
    /// Lowers an operation with the operands of `lanes` channels.
    pub(crate) fn new(
        l: &mut Lowering<'_>,
        update: Update,
        transfer: Transfer,
        lanes: usize,
        operands: [&RawOperand; 2],
        dst: &RawOperand,
    ) -> LowerResult<Self> {
        let bytes = transfer.extent(lanes, 1);
        let [first, second] = operands;
        let operands = [l.raw(first, bytes)?, l.raw(second, bytes)?];
        Ok(Self { update, transfer, operands, result: l.raw(dst, bytes)? })
    }

    /// Notes an atomic on memory shared between groups, whose result may depend on the order of
    /// groups.
    pub(crate) fn note(&self, l: &mut Lowering<'_>) {
        if !self.update.commutes || self.result.is_some() {
            l.note_ordered();
        }
        l.note_update(self.update.kind);
    }

    /// Returns the native operation and its operand's register offset, if native code supports it.
    pub(crate) fn native(&self) -> Option<(Access, u32)> {
        let Native { change, kind, operands } = self.update.native?;
        let [first, second] = operands.map(|n| self.operands[n]);
        let second = if change == Change::ReplaceIf { Some(second?) } else { None };
        let first = if change.has_operand() { first? } else { 0 };
        let returns_new = self.update.returns_new;
        Some((Access::Update(ir::Update { change, kind, second, result: self.result, returns_new }), first))
    }

    /// Returns the operands of the n-th chunk of channels; zeros for a null operand.
    fn values(&self, thread: &Thread, n: usize, enabled: u32) -> [[u64; LANES]; 2] {
        self.operands.map(|at| match at {
            Some(at) => self.transfer.get(thread, self.transfer.place(at, 0, n), enabled),
            None => [0; LANES],
        })
    }

    /// Performs the operation for the channels of the request, a subset of `enabled` in the n-th
    /// chunk. The other enabled channels read zero.
    pub(crate) fn perform(
        &self,
        thread: &mut Thread,
        view: &View<'_>,
        n: usize,
        enabled: u32,
        request: &Request<'_>,
    ) -> Result<(), Miss> {
        let of = self.update.of;
        let [a, b] = self.values(thread, n, enabled);
        let mut values = [0; LANES];
        let change = |lane: usize, old| of(old, a[lane], b[lane]);
        let fast = !view.is_watched() && request.size == DWORD.bytes;
        let places =
            if fast { InBounds::of_addresses(view, request.addresses, request.enabled, DWORD) } else { None };
        let outside = if let Some(places) = places {
            places.note(view, AccessKind::Atomic, 0, DWORD.bytes, request.enabled);
            places.update_words(&mut values, request.enabled, view.sharing(), change);
            0
        } else {
            let request = Request { unread: self.result.is_none(), ..*request };
            view.update(&request, &mut values, change)?
        };
        thread.outside_writes += u64::from(outside);
        if let Some(at) = self.result {
            if self.update.returns_new {
                values = from_lanes(|i| of(values[i], a[i], b[i]));
            }
            self.transfer.put(thread, self.transfer.place(at, 0, n), &values, enabled);
        }
        Ok(())
    }
}
