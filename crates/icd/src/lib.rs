//! An OpenCL driver: its devices are Intel's GPUs, and what runs their programs is the emulator.
//!
//! Programs find it by `OCL_ICD_VENDORS`, which names a folder with a file that has the path of
//! this library. Modules in reading order: what every call uses (`base`); the objects, from the
//! platform to the kernel (`devices`, `memory`, `programs`); `queues` and `commands`; the entry
//! points and the table in which the loader finds them (`api`).
//!
//! A handle is the address of an object, and every one that comes in is looked up among those that
//! live, so that a wrong one is an error. What the caller's pointers point to is read and written
//! in `base::raw`, `memory::storage`, `commands::transfer` and the entry points alone.

mod base;

mod devices;

mod memory;

mod programs;

mod queues;

mod commands;

mod api;

pub use programs::{dependency, request};

pub use api::dispatch::{clGetExtensionFunctionAddress, clIcdGetPlatformIDsKHR, table};

/// Returns the number of objects beside the platform and its devices: for tests of leaks.
pub fn objects() -> usize {
    use base::handle::living;
    let memory = living::<memory::mem::Mem>() + living::<memory::sampler::Sampler>();
    let programs = living::<programs::program::Program>() + living::<programs::kernel::Kernel>();
    let queues = living::<queues::queue::Queue>() + living::<queues::event::Event>();
    let commands = living::<commands::recording::CommandBuffer>() + living::<queues::semaphore::Semaphore>();
    living::<devices::context::Context>() + memory + programs + queues + commands
}
