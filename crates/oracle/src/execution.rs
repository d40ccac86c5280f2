//! State of an execution, and the reasons why it stops early.

use std::collections::HashMap;
use std::fmt;

use visakit::isa::{DataType, DataTypeClass};
use visakit_codegen::model::SourceSpan;
use visakit_machine::World;
use visakit_machine::fault::Trap;
use visakit_machine::float::FloatMode;
use visakit_machine::thread::Thread;

use crate::effects::Write;
use crate::float::Format;
use crate::operand::Place;
use crate::program::Channels;
use crate::sent::Going;
use crate::value::Value;

/// Reason why a block stopped early.
#[derive(Clone, Debug)]
pub enum Halt {
    /// Trap of the machine.
    Trap(Box<Trap>),
    /// Behaviour that the page leaves undefined.
    Undefined(SourceSpan),
    /// Operation without a meaning in the notation.
    Senseless(String),
}

impl From<Box<Trap>> for Halt {
    fn from(trap: Box<Trap>) -> Self {
        Self::Trap(trap)
    }
}

pub(crate) type Result<T> = std::result::Result<T, Halt>;

pub(crate) fn senseless<T>(what: impl Into<String>) -> Result<T> {
    Err(Halt::Senseless(what.into()))
}

/// Returns true for a float type.
pub(crate) fn is_float(data_type: DataType) -> bool {
    data_type.class() == DataTypeClass::Float
}

/// Returns the format in which an operand's values are computed, if they are floats.
pub(crate) fn format_of(place: &Place) -> Option<Format> {
    Format::of(place.execution)
}

/// State of an execution: the thread and memory that a page's statements read, and their effects.
pub(crate) struct Run<'a> {
    pub(crate) operands: &'a [Place],
    pub(crate) channels: Option<&'a Channels>,
    pub(crate) thread: Option<&'a Thread>,
    /// Second thread of a fused pair.
    pub(crate) neighbour: Option<&'a Thread>,
    pub(crate) world: Option<&'a World<'a>>,
    pub(crate) mode: FloatMode,
    pub(crate) locals: Vec<Value>,
    pub(crate) writes: Vec<Write>,
    /// Stored bytes by address. All memory of an instruction shares this map.
    pub(crate) stored: HashMap<u64, u8>,
    /// Addresses at which floats were added.
    pub(crate) summed: Vec<u64>,
    pub(crate) clashes: bool,
    pub(crate) around: bool,
    pub(crate) going: Vec<Going>,
    /// True while expressions are computed without rounding.
    pub(crate) real: bool,
    /// Statement being executed.
    pub(crate) at: SourceSpan,
}

impl<'a> Run<'a> {
    pub(crate) fn without_state(operands: &'a [Place]) -> Self {
        Self {
            operands,
            channels: None,
            thread: None,
            neighbour: None,
            world: None,
            mode: FloatMode::PLAIN,
            locals: Vec::new(),
            writes: Vec::new(),
            stored: HashMap::new(),
            summed: Vec::new(),
            clashes: false,
            around: false,
            going: Vec::new(),
            real: false,
            at: SourceSpan::default(),
        }
    }
}

impl Run<'_> {
    /// Returns the error for behaviour that the page does not define.
    pub(crate) fn undefined(&self) -> Halt {
        Halt::Undefined(self.at)
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trap(trap) => trap.fmt(f),
            Self::Undefined(_) => f.write_str("the page does not define the result"),
            Self::Senseless(what) => write!(f, "the notation does not define {what}"),
        }
    }
}

impl std::error::Error for Halt {}
