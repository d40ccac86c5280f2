//! OpenCL driver whose devices are Intel's GPUs, run by the emulator.
//!
//! Programs find it by `OCL_ICD_VENDORS`, which names a folder with a file that has the path of
//! this library. Modules in reading order:
//!
//! - `base`: basis of every call
//! - `devices`, `memory`, `programs`: objects, from the platform to the kernel
//! - `queues` and `commands`: scheduling and execution
//! - `api`: entry points and the loader's table of them
//!
//! A handle is the address of an object. Every handle from outside is looked up among the live
//! objects, so that an invalid one yields an error. The caller's memory is read and written only in
//! `base::raw`, `base::storage`, `commands::transfer` and the entry points.

mod base;

mod devices;

mod memory;

mod programs;

mod queues;

mod commands;

mod api;

use visakit_runtime::base::reserve::Allocator;

/// Allocator of this library: the system's, with a reserve.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

pub use api::dispatch::{clGetExtensionFunctionAddress, clIcdGetPlatformIDsKHR, table};

/// Returns the number of live objects other than the platform and its devices, for leak tests.
pub fn objects() -> usize {
    use base::handle::living;
    let memory = living::<memory::mem::Mem>() + living::<memory::sampler::Sampler>();
    let programs = living::<programs::program::Program>() + living::<programs::kernel::Kernel>();
    let queues = living::<queues::queue::Queue>() + living::<queues::event::Event>();
    let recorded = living::<commands::recording::CommandBuffer>() + living::<commands::mutable::Mutable>();
    let commands = recorded + living::<commands::semaphore::Semaphore>();
    living::<devices::context::Context>() + memory + programs + queues + commands
}
