//! State of lowering a routine: turns an instruction into an operation with its mask, and adds the
//! handling of special registers.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::lowering::error::{LowerError, LowerResult};
use crate::lowering::layout::Layout;
use crate::lowering::reads::Reads;
use crate::lowering::shape::{channels, mask};
use crate::lowering::step::{Lowered, Op, Run};
use crate::operation::algebra::Scalar;
use crate::operation::record::Input;
use crate::operation::update::Family;
use visakit::isa::{Cr1, DataType, ExecSize, Operand, Predicate, VecOperand};
use visakit::object::Routine;
use visakit::rt::Bits as _;
use visakit_machine::convert::Compute;
use visakit_machine::fault::Trap;
use visakit_machine::float::FloatMode;
use visakit_machine::lane::Element;
use visakit_machine::operand::{Source, SourcePlace};
use visakit_machine::region::Region;
use visakit_machine::thread::{Combine, ExecMask, Thread, ones};
use visakit_native::HAS_BACK_END;
use visakit_native::ir::{Action, Binary, Kind, Node};

/// Lowers the instructions of a routine, in order.
pub struct Lowering<'a> {
    /// Locations of the variables.
    pub layout: &'a Layout,
    /// Routine being lowered.
    pub routine: &'a Routine,
    /// Addresses of the program's symbols.
    symbols: Option<&'a HashMap<String, u64>>,
    /// Constants, stored after the variables.
    pub constants: Vec<u8>,
    /// Reads of the routine, computed on first use.
    pub(super) reads: OnceCell<Reads>,
    /// Notes on the current instruction.
    pub(super) notes: Notes,
    /// True if an instruction's result depends on the order of groups.
    ordered: bool,
    /// Kinds of atomic operations on memory shared between groups.
    updates: Vec<(Family, u32)>,
    /// True if operations are recorded for native code.
    pub(crate) records: bool,
}

/// Special registers and computed addresses that the current instruction uses.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) reads_channel_enable: Option<u32>,
    pub(super) reads_time: Option<u32>,
    pub(super) writes_control: Option<u32>,
    /// True if the instruction writes the only element of the time stamp counter that can be
    /// written.
    pub(super) pauses: bool,
    pub(super) indirect: Vec<(Region, u32)>,
    /// Register byte ranges that the second chunk of channels reads.
    pub(super) second_chunk: Vec<std::ops::Range<u64>>,
    /// Writes deferred until all channels have been read.
    pub(super) postponed: Vec<Postponed>,
    /// Native action of the instruction, if known.
    action: Option<Action>,
}

/// Function that moves results of the enabled channels from their temporary location to the
/// destination.
pub(super) type Postponed = Box<dyn Fn(&mut Thread, u32) + Send + Sync>;

impl<'a> Lowering<'a> {
    /// Returns a lowering before its first instruction.
    pub fn new(layout: &'a Layout, routine: &'a Routine) -> Self {
        Self {
            layout,
            routine,
            symbols: None,
            constants: Vec::new(),
            reads: OnceCell::new(),
            notes: Notes::default(),
            ordered: false,
            updates: Vec::new(),
            records: false,
        }
    }

    /// Adds the addresses of the program's symbols.
    pub fn with_symbols(self, symbols: &'a HashMap<String, u64>) -> Self {
        Self { symbols: Some(symbols), ..self }
    }

    /// Treats all loaded data as used, for an instruction lowered outside its routine.
    pub fn alone(self) -> Self {
        Self { reads: Reads::all().into(), ..self }
    }

    /// Returns the address of a symbol of the program's data.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols?.get(name).copied()
    }

    /// Notes that the current instruction's result depends on the order of groups.
    pub fn note_ordered(&mut self) {
        self.ordered = true;
    }

    /// Returns true if operations are recorded for native code.
    pub(crate) fn is_recording(&self) -> bool {
        // The constant removes the recordings from builds without native code.
        HAS_BACK_END && self.records
    }

    /// Notes the native action of the current instruction, if operations are recorded.
    pub(crate) fn note_action(&mut self, action: impl FnOnce(&Self) -> Option<Action>) {
        if self.is_recording() {
            self.notes.action = action(self);
        }
    }

    /// Returns the value of an immediate source from the constants.
    pub(crate) fn number<T: Compute>(&self, operand: &VecOperand, source: &Source<T>) -> Option<u64> {
        self.number_at(operand, source.place()?, T::SIZE)
    }

    fn number_at(&self, operand: &VecOperand, place: SourcePlace, size: usize) -> Option<u64> {
        let Operand::Immediate(_) = operand.operand else { return None };
        (place.is_native && place.step == 0).then_some(())?;
        let bytes = self.constants.get(place.at.checked_sub(self.layout.constants_at)? as usize..)?.get(..size)?;
        let mut bits = [0; 8];
        bits.get_mut(..size)?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(bits))
    }

    /// Returns the recording input for a source of a type.
    pub(crate) fn input<T: Scalar>(&self, operand: &VecOperand, source: &Source<T>, data_type: DataType) -> Input {
        let place = source.place();
        let number = place.and_then(|place| self.number_at(operand, place, T::SIZE));
        Input::new(T::KIND, place, data_type, number)
    }

    /// Notes the kind of an atomic operation on memory shared between groups. Operations of one
    /// kind commute.
    pub(crate) fn note_update(&mut self, kind: (Family, u32)) {
        if !self.updates.contains(&kind) {
            self.updates.push(kind);
        }
    }

    /// Returns the kinds of atomic operations so far.
    pub(crate) fn updates(&self) -> &[(Family, u32)] {
        &self.updates
    }

    /// Returns true if a result so far depends on the order of groups: the result of an atomic
    /// operation is used, or atomic operations do not commute.
    pub fn ordered(&self) -> bool {
        self.ordered
    }

    /// Returns the constants, which are stored after the variables.
    pub fn into_constants(self) -> Vec<u8> {
        self.constants
    }

    /// Lowers the mask of an instruction.
    pub fn enable(&self, exec_size: ExecSize, predicate: Predicate) -> LowerResult<ExecMask> {
        let id = match u32::from(predicate.id) {
            0 => 0,
            id => self.predicate(id)?,
        };
        let (shift, always) = mask(exec_size.mask);
        let lanes = ones(channels(exec_size));
        // A combination uses the whole variable, whichever channels the mask selects.
        let elements = || self.layout.predicate_elements(predicate.id.into());
        let combine = match predicate.combine {
            visakit::isa::Combine::None => Combine::Each,
            visakit::isa::Combine::Any => Combine::Any(elements()),
            visakit::isa::Combine::All => Combine::All(elements()),
        };
        let inverse = if predicate.inverse { u32::MAX } else { 0 };
        Ok(ExecMask { shift, lanes, always, predicate: id, combine, inverse })
    }

    /// Returns the global number of a predicate.
    pub fn predicate(&self, id: u32) -> LowerResult<u32> {
        self.layout.predicate(id).ok_or_else(|| LowerError::Illegal(format!("predicate P{id} is not declared")))
    }

    /// Returns a step for a kernel, with the handling of special registers and computed addresses.
    pub fn step(&mut self, enable: ExecMask, run: Run) -> Lowered {
        let notes = std::mem::take(&mut self.notes);
        // Native code does not support this additional handling.
        let is_alone = notes.postponed.is_empty()
            && notes.indirect.is_empty()
            && notes.reads_channel_enable.is_none()
            && notes.reads_time.is_none();
        let action = notes.action.filter(|_| is_alone);
        let action = match notes.writes_control {
            Some(at) => action.and_then(|action| sets_control(&action, &enable, at)),
            None => action,
        };
        let action = action.unwrap_or(Action::Outside);
        let mut run = run;
        if !notes.postponed.is_empty() {
            let (inner, postponed) = (run, notes.postponed);
            run = Run::new(move |thread, world| {
                inner.call(thread, world)?;
                let enabled = thread.enabled(&enable);
                postponed.iter().for_each(|write| write(thread, enabled));
                Ok(())
            });
        }
        if let Some(offset) = notes.writes_control {
            let inner = run;
            run = Run::new(move |thread, world| {
                inner.call(thread, world)?;
                thread.set_mode(thread.registers.get(offset));
                let exceptions = Cr1::from_bits(thread.registers.get::<u32>(offset + 4).into());
                match exceptions {
                    Ok(exceptions) if exceptions.software_exception => Err(Box::new(Trap::Exception(String::new()))),
                    _ => Ok(()),
                }
            });
        }
        if !notes.indirect.is_empty() {
            let (inner, end) = (run, self.layout.len);
            run = Run::new(move |thread, world| {
                let enabled = thread.enabled(&enable);
                for (region, size) in &notes.indirect {
                    if let Some((lane, offset)) = region.check(thread, *size, enabled, end) {
                        return Err(Box::new(Trap::Indirect { lane, offset }));
                    }
                }
                inner.call(thread, world)
            });
        }
        if notes.reads_channel_enable.is_some() || notes.reads_time.is_some() {
            let (inner, enable_at, time_at) = (run, notes.reads_channel_enable, notes.reads_time);
            run = Run::new(move |thread, world| {
                if let Some(offset) = enable_at {
                    thread.registers.set(offset, thread.active);
                }
                if let Some(offset) = time_at {
                    let time = world.memory.time(thread);
                    thread.registers.set(offset, time);
                }
                inner.call(thread, world)
            });
        }
        Lowered::Op(Op { run, enable, action, pauses: notes.pauses })
    }

    /// Stores values after the variables and returns the offset of the first.
    pub(super) fn push_constants<T: Element>(&mut self, values: &[T]) -> u32 {
        self.constants.resize(self.constants.len().next_multiple_of(16), 0);
        let at = self.constants.len();
        self.constants.resize(at + values.len() * T::SIZE, 0);
        for (value, bytes) in values.iter().zip(self.constants[at..].chunks_exact_mut(T::SIZE)) {
            T::store(bytes, &[*value]);
        }
        self.layout.constants_at + at as u32
    }

    /// Reserves `bytes` bytes after the variables for the current instruction.
    pub fn room(&mut self, bytes: usize) -> u32 {
        self.push_constants(&vec![0_u8; bytes])
    }
}

/// Returns a control-register action if an operation sets bits that select the mode of native code,
/// or flips the rounding.
fn sets_control(action: &Action, enable: &ExecMask, at: u32) -> Option<Action> {
    let Action::Compute { expression, results, pitch: None } = action else { return None };
    let [(result, to)] = &results[..] else { return None };
    let is_whole = enable.always != 0 && enable.predicate == 0 && enable.lanes == 1 && *to == at;
    let (Kind::U32 | Kind::I32, Node::Binary(binary @ (Binary::Or | Binary::Xor), a, b)) =
        *expression.nodes.get(*result).filter(|_| is_whole)?
    else {
        return None;
    };
    let bits = [(a, b), (b, a)].into_iter().find_map(|(load, bits)| {
        match (&expression.nodes.get(load)?.1, &expression.nodes.get(bits)?.1) {
            (Node::Load { at: from, .. }, Node::Constant(bits)) if *from == at => Some(*bits as u32),
            _ => None,
        }
    })?;
    if binary == Binary::Xor {
        // The state before it is known only in the block.
        return Some(Action::Rounding { at, bits, toward_zero: false });
    }
    FloatMode::from_bits(bits).is_plain().then_some(Action::Control { at, bits, plain: bits })
}
