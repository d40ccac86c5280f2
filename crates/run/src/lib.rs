//! Execution of a kernel: arguments in, buffers out.
//!
//! ```
//! use visakit_launch::range::NdRange;
//! use visakit_run::{Options, Program, launch};
//! use visakit_zebin::Zebin;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = std::fs::read("../../examples/vector_add/vector_add.skl.zebin")?;
//! let zebin = Zebin::parse("vector_add.skl.zebin", &bytes)?;
//! let program = Program::from_zebin(&zebin, None, None)?;
//! let (a, b, c) = ([1.0_f32, 2.0], [3.0_f32, 4.0], [0.0_f32; 2]);
//! let buffers = [&a, &b, &c].map(|buffer| Some(buffer.into()));
//! let arguments = buffers.into_iter().chain([Some(2_u32.into())]).collect();
//! let range = NdRange::new(&[2], None, None, program.required_local_size())?;
//! let outcome = launch(&program, &range, arguments, &Options::default())?;
//! assert_eq!(outcome.elements::<f32>(2)?, [4.0, 6.0]);
//! # Ok(())
//! # }
//! ```

pub mod limits;

pub mod place;

mod functions;

pub mod program;

pub mod load;

mod values;

mod state;

mod engine;

mod traced;

mod starts;

mod cache;

pub mod stats;

mod options;

mod outcome;

mod arguments;

mod memory;

mod lower;

mod plan;

mod start;

mod own;

mod barriers;

mod watched;

mod stopped;

mod native;

mod execute;

mod endless;

mod waits;

mod exchange;

mod turns;

mod group;

mod faults;

#[cfg_attr(target_family = "wasm", path = "alone.rs")]
mod helpers;

mod dispatch;

mod launch;

pub use cache::Cache;
pub use engine::Engine;
pub use functions::{FunctionText, Functions};
pub use launch::{launch, launch_from};
pub use options::{DEFAULT_MAX_INSTRUCTIONS, GroupOrder, Observers, Options, Outside, Policy, Surroundings};
pub use outcome::{Outcome, RunError};
pub use program::Program;
pub use traced::{TracedStep, Tracing};
pub use values::OperandValue;
pub use visakit_machine::state::{ThreadState, VariableState};
