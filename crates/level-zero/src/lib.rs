//! Level Zero driver whose devices are Intel's GPUs, run by the emulator.
//!
//! The loader finds it by `ZE_ENABLE_ALT_DRIVERS`, which holds the path of this library, or as
//! `libze_intel_gpu.so.1`. Modules in reading order:
//!
//! - `base`: results, structures, handles
//! - `devices`: the driver, devices and contexts
//! - `programs`: modules, kernels, samplers
//! - `queues`: events, timelines, command lists and queues
//! - `api`: entry points and the loader's tables of them
//!
//! A handle is the address of an object. Every handle from outside is looked up among the live
//! objects, so that an invalid one yields an error. Work is appended to a timeline, which runs one
//! command after the other; a wait for an event gives the thread back.

pub mod base;

mod devices;

mod programs;

mod queues;

mod api;

use visakit_runtime::base::reserve::Allocator;

pub use api::sysman_tables::SYSMAN;
pub use api::tables::{FUNCTIONS, function};
pub use base::function::Function;

/// Allocator of this library: the system's, with a reserve.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Returns the number of live objects other than the driver and its devices, for leak tests.
pub fn objects() -> usize {
    use base::handle::living;
    let programs = living::<programs::module::Module>() + living::<programs::kernel::Kernel>();
    let queues = living::<queues::queue::Queue>() + living::<queues::list::CommandList>();
    let events = living::<queues::event::Event>() + living::<queues::event::EventPool>();
    let others = living::<queues::queue::Fence>() + living::<programs::sampler::Sampler>();
    let others = others + living::<programs::image::Image>();
    let others = others + living::<devices::context::PhysicalMemory>();
    living::<devices::context::Context>() + programs + queues + events + others
}
