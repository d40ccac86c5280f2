//! Lowering of messages to steps.

use crate::lowering::step::{Lowered, Run};
use crate::lowering::{LowerResult, Lowering};
use crate::memory::atomic::Atomic;
use crate::memory::fast::FastPath;
use crate::memory::message::{Chunk, Message, for_chunks};
use visakit::isa::RawOperand;
use visakit_native::ir::{Access, Action};

/// Operation of a message.
pub(crate) enum Operation {
    /// Loads the elements into registers, starting at this offset.
    Load(u32),
    /// Prefetches the elements.
    Prefetch,
    /// Stores the elements from registers, starting at this offset.
    Store(u32),
    /// Atomically updates the single element of each channel.
    Atomic(Atomic),
    /// Returns a mask of the enabled channels whose elements are all readable.
    Status(Option<u32>),
}

impl Message {
    /// Lowers a load to an operand; to the null operand it becomes a prefetch.
    pub(crate) fn load(mut self, l: &mut Lowering<'_>, dst: &RawOperand) -> LowerResult {
        let Some(at) = l.raw(dst, self.bytes())? else { return Ok(self.lower(l, Operation::Prefetch)) };
        if self.is_vector() {
            self.elements.truncate(l.used_of(dst, self.transfer.slot, self.elements.len())?);
        }
        if self.elements.len() > 1 {
            let bytes = self.transfer.extent(self.enable.lanes.count_ones() as usize, 1) as u32;
            for (n, _) in self.elements.iter().enumerate().take(32) {
                let place = self.transfer.place(0, n, 0);
                self.unread |= u32::from(!l.is_read(dst, place..place + bytes)?) << n;
            }
        }
        Ok(self.lower(l, Operation::Load(at)))
    }

    /// Lowers a store from an operand.
    pub(crate) fn store(self, l: &mut Lowering<'_>, src: &RawOperand) -> LowerResult {
        let at = l.raw_required(src, self.bytes())?;
        Ok(self.lower(l, Operation::Store(at)))
    }

    /// Lowers the message to a step.
    pub(crate) fn lower(self, l: &mut Lowering<'_>, operation: Operation) -> Lowered {
        let (enable, fast) = (self.enable, FastPath::of(&self));
        let is_late = matches!(operation, Operation::Load(at) if self.replaces_addresses(at));
        l.note_action(|_| match operation {
            Operation::Load(_) if is_late => None,
            Operation::Load(at) => self.native(fast?, Access::Load, at),
            Operation::Store(at) => self.native(fast?, Access::Store, at),
            Operation::Prefetch => Some(Action::Nothing),
            Operation::Atomic(atomic) => {
                let (access, operand) = atomic.native()?;
                self.native(fast?, access, operand)
            }
            Operation::Status(_) => None,
        });
        let run: Run = match operation {
            Operation::Load(at) if is_late => Run::new(move |thread, world| {
                let view = self.space.view(thread, world);
                let addresses = self.all_addresses(thread);
                for_chunks(thread.enabled(&enable), |n, enabled| {
                    self.by_channel::<false>(thread, &view, Chunk { at, n: n as u32, enabled }, &addresses[n])
                })
            }),
            Operation::Load(at) => Run::new(move |thread, world| {
                for_chunks(thread.enabled(&enable), |n, enabled| {
                    self.transfer::<false>(thread, world, fast, Chunk { at, n: n as u32, enabled })
                })
            }),
            Operation::Store(at) => Run::new(move |thread, world| {
                for_chunks(thread.enabled(&enable), |n, enabled| {
                    self.transfer::<true>(thread, world, fast, Chunk { at, n: n as u32, enabled })
                })
            }),
            Operation::Prefetch => Run::new(|_, _| Ok(())),
            Operation::Atomic(atomic) => {
                if self.space.is_shared() {
                    atomic.note(l);
                }
                Run::new(move |thread, world| {
                    let view = self.space.view(thread, world);
                    let addresses = self.all_addresses(thread);
                    for_chunks(thread.enabled(&enable), |n, enabled| {
                        atomic.perform(thread, &view, n, enabled, &self.request(&addresses[n], n, enabled))
                    })
                })
            }
            Operation::Status(dst) => Run::new(move |thread, world| {
                let bits = self.status(thread, world);
                if let Some(dst) = dst {
                    thread.registers.set(dst, bits);
                }
                Ok(())
            }),
        };
        l.step(enable, run)
    }
}
