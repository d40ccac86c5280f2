//! Atomic operations of messages: where the operands and the result are.

use crate::lowering::{LowerResult, Lowering};
use crate::transfer::Transfer;
use crate::update::Update;
use visakit::isa::RawOperand;
use visakit_machine::access::{Miss, Request, View};
use visakit_machine::lane::{LANES, from_lanes};
use visakit_machine::thread::Thread;
use visakit_native::ir::Change;

/// An atomic operation with its operands.
#[derive(Clone, Copy)]
pub(super) struct Atomic {
    /// The operation.
    pub update: Update,
    /// How the operands and the result stand in registers.
    pub transfer: Transfer,
    operands: [Option<u32>; 2],
    /// Where the result goes, if it is wanted.
    result: Option<u32>,
}

impl Atomic {
    /// An operation with the operands of `lanes` channels.
    pub(super) fn new(
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

    /// Takes note of an operation on memory that groups share: what comes of it may depend on their
    /// order.
    pub(super) fn note(&self, l: &mut Lowering<'_>) {
        if !self.update.commutes || self.result.is_some() {
            l.note_ordered();
        }
        l.note_update(self.update.kind);
    }

    /// How native code changes a dword, and where the operand stands, if it does and nobody wants
    /// the result.
    pub(super) fn native(&self) -> Option<(Change, u32)> {
        let change = self.update.change.filter(|_| self.result.is_none() && self.update.size == 4)?;
        let operand = match change {
            Change::Increment | Change::Decrement => 0,
            _ => self.operands[0]?,
        };
        Some((change, operand))
    }

    /// The operands of the n-th chunk of channels; zeros for one that is null.
    fn values(&self, thread: &Thread, n: usize, enabled: u32) -> [[u64; LANES]; 2] {
        self.operands.map(|at| match at {
            Some(at) => self.transfer.get(thread, self.transfer.place(at, 0, n), enabled),
            None => [0; LANES],
        })
    }

    /// Carries it out for those of the enabled channels of the n-th chunk that the request has; for
    /// the others memory holds zero.
    pub(super) fn perform(
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
        let request = Request { unread: self.result.is_none(), ..*request };
        let outside = view.update(&request, &mut values, |lane, old| of(old, a[lane], b[lane]))?;
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
