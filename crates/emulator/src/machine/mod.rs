//! The machine: registers, masks, control flow and memory, and the ways in which operands reach
//! them.
//!
//! Kernels compute; everything they read and write is here. In the order of the flow: what a
//! channel holds ([`lane`], [`float`], `rounding`), how operands reach it ([`region`], [`convert`],
//! [`operand`]), the state of a thread ([`thread`], [`flow`], [`activation`]), memory ([`buffer`],
//! [`memory`], [`observer`], [`access`], [`in_bounds`], [`told`], [`poison`], [`trace`],
//! [`texels`], [`mod@format`], [`image`], [`sampler`]), and what can go wrong ([`fault`]). Nothing
//! here knows an instruction.

pub mod lane;

pub mod float;

pub(crate) mod rounding;

pub mod region;

pub mod convert;

pub mod operand;

pub mod thread;

pub mod flow;

pub mod activation;

pub mod buffer;

pub mod memory;

pub mod observer;

pub mod access;

pub mod in_bounds;

pub mod told;

pub mod poison;

pub mod trace;

pub mod texels;

pub mod format;

pub mod image;

pub mod sampler;

pub mod fault;

use access::{Target, View};
use buffer::Buffer;
use image::Image;
use memory::Memory;
use observer::{Watch, Witness};
use sampler::Sampler;
use texels::Texels;
use trace::Trace;
use visakit::isa::BindingTable;

/// What the threads of a group share: memory and what the launch bound to it.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Global memory.
    pub memory: &'a Memory,
    /// Shared local memory of the group.
    pub local: &'a Buffer,
    /// Scratch memory of the group's hardware threads.
    pub scratch: &'a Buffer,
    /// Buffers that the group has for itself, behind those of global memory.
    pub private: &'a [Buffer],
    /// For each entry of the binding table, the buffer that it stands for.
    pub bindings: &'a [Option<usize>],
    /// For each entry of the binding table, the image that it stands for.
    pub images: &'a [Option<Image>],
    /// The samplers by index.
    pub samplers: &'a [Option<Sampler>],
    /// Who watches the accesses to memory.
    pub watch: Option<Watch<'a>>,
    /// What the groups of this host thread have touched.
    pub trace: &'a Trace,
}

impl<'a> World<'a> {
    /// Flat memory.
    #[inline]
    pub fn flat(&self) -> Target<'a> {
        Target::Flat(self.memory, self.private)
    }

    /// Shared local memory.
    #[inline]
    pub fn local(&self) -> Target<'a> {
        Target::Local(self.local)
    }

    /// Scratch memory.
    #[inline]
    pub fn scratch(&self) -> Target<'a> {
        Target::Scratch(self.scratch)
    }

    /// Memory as a thread sees it, by its index in its group.
    #[inline(always)]
    pub fn view(&'a self, target: Target<'a>, thread: u32) -> View<'a> {
        View::new(target, self.witness(), thread)
    }

    #[inline(always)]
    fn witness(&'a self) -> Witness<'a> {
        Witness { watch: self.watch.as_ref(), trace: Some(self.trace) }
    }

    /// The image that an entry of the binding table stands for, and its texels as a thread reaches
    /// them, by its index in its group.
    pub fn image(&'a self, entry: u32, thread: u32) -> Option<(&'a Image, Texels<'a>)> {
        let image = self.images.get(entry as usize)?.as_ref()?;
        let buffer = self.memory.buffers().get(image.buffer)?;
        Some((image, Texels::new(self.memory, buffer, self.witness(), thread)))
    }

    /// The sampler with an index.
    pub fn sampler(&self, index: u32) -> Option<&'a Sampler> {
        self.samplers.get(index as usize)?.as_ref()
    }

    /// The index of the surface whose state is `number` states after an address, that of an
    /// argument or of the program's data.
    #[inline]
    pub fn entry_of_address(&self, address: u64, number: u32) -> Option<u32> {
        let entry = u32::try_from(address / u64::from(STATE_BYTES)).ok()?.checked_add(number)?;
        let is_state = address.is_multiple_of(STATE_BYTES.into()) && entry >= ARGUMENTS;
        (is_state && (entry as usize) < self.bindings.len()).then_some(entry)
    }

    /// What an entry of the binding table stands for; the last entries mean flat and shared local
    /// memory.
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

/// The first index beyond the binding table: the surfaces of the arguments, in their order, whether
/// they have an entry in the table or not, and those of the program's data.
pub const ARGUMENTS: u32 = 256;
/// Scratch states are named by the base of the memory, without its low bits: in units of so many
/// bytes.
pub const SCRATCH_UNIT: u64 = 16;
/// Size of a surface state, in bytes.
const STATE_BYTES: u32 = 64;
/// Distance of the states of samplers, in bytes.
const SAMPLER_BYTES: u32 = 32;
/// Number of samplers that a kernel may have.
pub const SAMPLERS: u32 = 256;

/// The offset of the n-th surface state beyond the binding table, which bindless messages name it
/// by.
pub fn state_of(number: u32) -> u64 {
    (u64::from(ARGUMENTS) + u64::from(number)) * u64::from(STATE_BYTES)
}

/// The index of the surface whose state is at an offset: one beyond the binding table.
#[inline]
pub fn entry_of_state(offset: u32) -> u32 {
    offset / STATE_BYTES
}

/// The offset of a sampler's state, which bindless messages name it by.
pub fn sampler_state(index: u32) -> u64 {
    u64::from(index) * u64::from(SAMPLER_BYTES)
}

/// The index of the sampler whose state is at an offset. Its low bits are marks of the kernel's.
#[inline]
pub fn sampler_of_state(offset: u32) -> u32 {
    offset / SAMPLER_BYTES
}

/// Binding-table index of stateless memory.
const STATELESS: u32 = BindingTable::Stateless as u32;
/// Binding-table index of shared local memory.
const LOCAL: u32 = BindingTable::Slm as u32;
/// Binding-table index of stateless memory without coherence, which makes no difference here.
const STATELESS_NON_COHERENT: u32 = BindingTable::StatelessNonCoherent as u32;
