//! A lowered routine, as threads execute it.

mod routine;

mod inline;

mod products;

mod builder;

mod compile;

mod native;

pub use compile::Interpreter;
pub use routine::{Block, CompiledRoutine, DebugLoc, Replaced, Switch, Terminator};
