//! The machine: registers, masks, control flow, memory and operand access.
//!
//! Kernels compute; this module holds everything that they read and write. In reading order:
//! channel values ([`lane`], [`float`], `rounding`), operands ([`region`], [`convert`],
//! [`operand`]), thread state ([`thread`], [`flow`], [`activation`]), memory ([`lent`], [`buffer`],
//! [`memory`], [`observer`], [`access`], [`in_bounds`], [`told`], [`poison`], [`trace`],
//! [`texels`], [`mod@format`], [`image`], [`sampler`], [`texel_chunk`], `sample_chunk`), and faults
//! ([`fault`]). Nothing here depends on an instruction. [`scalar`] has numbers as text, [`state`]
//! the variables of a stopped thread.

pub mod lane;

pub mod float;

pub mod rounding;

pub mod flow;

pub mod thread;

pub mod activation;

pub mod region;

pub mod chunk;

pub mod convert;

pub mod operand;

pub mod accesses;

pub mod lent;

pub mod buffer;

pub mod memory;

pub mod limits;

pub mod trace;

pub mod observer;

pub mod access;

pub mod in_bounds;

pub mod told;

pub mod poison;

pub mod texels;

pub mod format;

pub mod image;

pub mod sampler;

pub mod texel_chunk;

mod sample_chunk;

pub mod scalar;

pub mod state;

pub mod fault;

use access::{Target, View};
use buffer::Buffer;
use image::Image;
use memory::Memory;
use observer::{Watch, Witness};
use sampler::Sampler;
use texels::Texels;
use trace::Trace;
use visakit::isa::{self, BindingTable};

/// State that the threads of a group share: memory and the resources that the launch bound.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Global memory.
    pub memory: &'a Memory,
    /// Shared local memory of the group.
    pub local: &'a Buffer,
    /// Scratch memory of the group's hardware threads.
    pub scratch: &'a Buffer,
    /// The group's private buffers, addressed after those of global memory.
    pub private: &'a [Buffer],
    /// Buffer bound to each entry of the binding table.
    pub bindings: &'a [Option<usize>],
    /// Image bound to each entry of the binding table.
    pub images: &'a [Option<Image>],
    /// Samplers by index.
    pub samplers: &'a [Option<Sampler>],
    /// Observer of the accesses to memory.
    pub watch: Option<Watch<'a>>,
    /// Accesses recorded for the groups of this host thread.
    pub trace: &'a Trace,
}

impl<'a> World<'a> {
    /// Returns flat memory as a message target.
    #[inline]
    pub fn flat(&self) -> Target<'a> {
        Target::Flat(self.memory, self.private)
    }

    /// Returns shared local memory as a message target.
    #[inline]
    pub fn local(&self) -> Target<'a> {
        Target::Local(self.local)
    }

    /// Returns scratch memory as a message target.
    #[inline]
    pub fn scratch(&self) -> Target<'a> {
        Target::Scratch(self.scratch)
    }

    /// Returns the view of `target` for a thread, given by its index in its group.
    #[inline(always)]
    pub fn view(&'a self, target: Target<'a>, thread: u32) -> View<'a> {
        View::new(target, self.witness(), thread)
    }

    #[inline(always)]
    fn witness(&'a self) -> Witness<'a> {
        Witness { watch: self.watch.as_ref(), trace: Some(self.trace) }
    }

    /// Returns the image bound to an entry of the binding table, and its texels as seen by a
    /// thread, given by its index in its group.
    #[inline]
    pub fn image(&'a self, entry: u32, thread: u32) -> Option<(&'a Image, Texels<'a>)> {
        let image = self.images.get(entry as usize)?.as_ref()?;
        let buffer = self.memory.buffers().get(image.buffer)?;
        Some((image, Texels::new(self.memory, buffer, self.witness(), thread)))
    }

    /// Returns the sampler at an index.
    #[inline]
    pub fn sampler(&self, index: u32) -> Option<&'a Sampler> {
        self.samplers.get(index as usize)?.as_ref()
    }

    /// Returns the binding index of the surface whose state is `number` states after an address.
    /// The surface belongs to an argument or to the program's data.
    #[inline]
    pub fn entry_of_address(&self, address: u64, number: u32) -> Option<u32> {
        let entry = u32::try_from(address / u64::from(STATE_BYTES)).ok()?.checked_add(number)?;
        let is_state = address.is_multiple_of(STATE_BYTES.into()) && entry >= ARGUMENTS;
        (is_state && (entry as usize) < self.bindings.len()).then_some(entry)
    }

    /// Returns the memory bound to an entry of the binding table. The last entries stand for flat
    /// and shared local memory.
    #[inline]
    pub fn surface(&self, entry: u32) -> Target<'a> {
        match entry {
            STATELESS | STATELESS_NON_COHERENT => self.flat(),
            LOCAL => self.local(),
            _ => {
                let buffer = usize::try_from(entry).ok().and_then(|entry| *self.bindings.get(entry)?);
                buffer
                    .and_then(|buffer| self.memory.buffers().get(buffer))
                    .map_or(Target::Nothing, |buffer| Target::Surface(self.memory, buffer))
            }
        }
    }
}

/// First index after the binding table. From here follow the surfaces of all arguments, in order,
/// and those of the program's data.
pub const ARGUMENTS: u32 = isa::limits::BINDING_TABLE_ENTRIES;
/// Size of a surface state in bytes.
const STATE_BYTES: u32 = isa::limits::SURFACE_STATE_BYTES;
/// Distance between sampler states in bytes.
const SAMPLER_BYTES: u32 = isa::limits::SAMPLER_STATE_BYTES;

/// Returns the offset of the n-th surface state after the binding table, which is its handle in
/// bindless messages.
#[inline]
pub fn state_of(number: u32) -> u64 {
    (u64::from(ARGUMENTS) + u64::from(number)) * u64::from(STATE_BYTES)
}

/// Returns the index of the surface whose state is at an offset, for surfaces after the binding
/// table.
#[inline]
pub fn entry_of_state(offset: u32) -> u32 {
    offset / STATE_BYTES
}

/// Returns the offset of a sampler's state, which is its handle in bindless messages.
#[inline]
pub fn sampler_state(index: u32) -> u64 {
    u64::from(index) * u64::from(SAMPLER_BYTES)
}

/// Returns the index of the sampler whose state is at an offset. The low bits of the offset are
/// flags of the kernel and are ignored.
#[inline]
pub fn sampler_of_state(offset: u32) -> u32 {
    offset / SAMPLER_BYTES
}

/// Binding-table index of stateless memory.
const STATELESS: u32 = BindingTable::Stateless as u32;
/// Binding-table index of shared local memory.
const LOCAL: u32 = BindingTable::Slm as u32;
/// Binding-table index of non-coherent stateless memory; the emulator treats it as coherent.
const STATELESS_NON_COHERENT: u32 = BindingTable::StatelessNonCoherent as u32;
