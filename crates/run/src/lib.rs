//! Execution of a kernel: arguments in, buffers out.
//!
//! ```
//! use visakit_launch::{argument::Argument, range::NdRange};
//! use visakit_run::{Options, Program, launch};
//! use visakit_zebin::Zebin;
//!
//! let bytes = std::fs::read("../../examples/vector_add/vector_add.skl.zebin").unwrap();
//! let zebin = Zebin::parse("vector_add.skl.zebin", &bytes).unwrap();
//! let program = Program::from_zebin(&zebin, None, None).unwrap();
//! let a = Argument::Buffer([1.0_f32, 2.0].map(f32::to_le_bytes).concat());
//! let c = Argument::Buffer(vec![0; 8]);
//! let n = Argument::Value(2_u32.to_le_bytes().to_vec());
//! let range = NdRange::new(&[2], None, None, program.required_local_size()).unwrap();
//! let arguments = vec![Some(a.clone()), Some(a), Some(c), Some(n)];
//! let outcome = launch(&program, &range, arguments, &Options::default()).unwrap();
//! let want = [2.0_f32, 4.0].map(f32::to_le_bytes).concat();
//! assert_eq!(outcome.buffers[2].as_deref(), Some(&want[..]));
//! ```

pub mod limits;

pub mod place;

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

mod barriers;

mod watched;

mod stopped;

mod native;

mod execute;

mod endless;

mod exchange;

mod turns;

mod group;

mod faults;

mod helpers;

mod dispatch;

mod launch;

pub use cache::Cache;
pub use engine::Engine;
pub use launch::{launch, launch_from};
pub use options::{DEFAULT_MAX_INSTRUCTIONS, GroupOrder, Observers, Options, Outside, Policy, Surroundings};
pub use outcome::{Outcome, RunError};
pub use program::{FunctionText, Program};
pub use traced::{TracedStep, Tracing};
pub use values::OperandValue;
pub use visakit_machine::state::{ThreadState, VariableState};
