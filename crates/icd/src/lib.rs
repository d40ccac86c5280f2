//! OpenCL driver whose devices are Intel's GPUs, run by the emulator.
//!
//! Programs find it by `OCL_ICD_VENDORS`, which names a folder with a file that has the path of
//! this library. Modules in reading order: the basis of the API (`error`, `raw`, `handle`); the
//! objects, from the platform to the kernel; commands and their scheduling; the entry points,
//! `api`, and the loader's table of them, `dispatch`.
//!
//! A handle is the address of an object. Every handle from outside is looked up among the live
//! objects, so that an invalid one yields an error. The caller's pointers are dereferenced only in
//! `raw`, `storage` and the entry points.

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

/// Returns the number of live objects other than the platform and its devices, for leak tests.
pub fn objects() -> usize {
    let memory = handle::living::<memory::Mem>() + handle::living::<sampler::Sampler>();
    let programs = handle::living::<program::Program>() + handle::living::<kernel::Kernel>();
    let commands = handle::living::<queue::Queue>() + handle::living::<event::Event>();
    let commands = commands + handle::living::<recording::CommandBuffer>();
    let commands = commands + handle::living::<semaphore::Semaphore>();
    handle::living::<context::Context>() + memory + programs + commands
}
