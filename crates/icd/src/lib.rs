//! An OpenCL driver: its devices are Intel's GPUs, and what runs their programs is the emulator.
//!
//! Programs find it by `OCL_ICD_VENDORS`, which names a folder with a file that has the path of
//! this library. Modules in reading order: what the API is made of (`error`, `raw`, `handle`); the
//! objects, from the platform to the kernel; commands and how they are scheduled; the entry points,
//! `api`, and the table in which the loader finds them, `dispatch`.
//!
//! A handle is the address of an object, and every one that comes in is looked up among those that
//! live, so that a wrong one is an error. What the caller's pointers point to is read and written
//! in `raw`, `storage` and the entry points alone.

mod error;
mod handle;
mod raw;
mod reserve;

mod context;
mod device;
mod environment;
mod features;
mod platform;

mod image;
mod memory;
mod sampler;
mod storage;
mod svm;

mod binary;
mod build;
mod cache;
mod compilers;
pub mod dependency;
mod kernel;
mod process;
mod program;
pub mod request;
mod spirv;

mod event;
mod queue;
mod schedule;
mod semaphore;

mod launch;
mod record;
mod recording;
mod transfer;

mod api;
mod dispatch;

pub use dispatch::{clGetExtensionFunctionAddress, clIcdGetPlatformIDsKHR, table};

/// How many objects there are beside the platform and its devices: for tests of what stays.
pub fn objects() -> usize {
    let memory = handle::living::<memory::Mem>() + handle::living::<sampler::Sampler>();
    let programs = handle::living::<program::Program>() + handle::living::<kernel::Kernel>();
    let commands = handle::living::<queue::Queue>() + handle::living::<event::Event>();
    let commands = commands + handle::living::<recording::CommandBuffer>();
    let commands = commands + handle::living::<semaphore::Semaphore>();
    handle::living::<context::Context>() + memory + programs + commands
}
