//! The vendor's compilers: their discovery, and requests to the process that runs them.

pub mod request;

pub mod log;

pub mod dependency;

pub mod process;

pub mod pool;

pub mod compilers;
