//! Semantics section bound to one instruction: names are resolved to operands and slots, and
//! constants are computed.

use visakit_codegen::model::SourceSpan;
use visakit_codegen::model::semantics::{BinaryOperator, UnaryOperator};
use visakit_machine::thread::{Combine, ExecMask, ones};

use crate::atomic::Update;
use crate::builtins::Builtin;
use crate::operand::Place;
use crate::space::{Reach, Space};
use crate::value::Value;

/// Instruction ready to be executed by its page.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) statements: Vec<Statement>,
    pub(crate) operands: Vec<Place>,
    /// Names of the operands on the page, and whether each is written.
    pub(crate) names: Vec<(&'static str, bool)>,
    /// Number of slots for local names.
    pub(crate) locals: usize,
    /// Memory that the instruction may touch.
    pub(crate) touches: Touches,
    /// Channels of the instruction.
    pub(crate) channels: Channels,
    /// Offset of the control register, if the instruction writes it.
    pub(crate) control: Option<u32>,
    /// Offset of the register that holds the enabled channels, if the instruction reads it.
    pub(crate) enabled: Option<u32>,
    /// Spaces accessed as images.
    pub(crate) images: Vec<Space>,
    /// Samplers, by the elements of the state variables that name them.
    pub(crate) samplers: Vec<Space>,
    /// Offset of the timestamp register, if the instruction reads it.
    pub(crate) time: Option<u32>,
}

/// Kinds of memory that an instruction may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    /// Surfaces, by offset.
    pub surface: bool,
    /// Flat memory, by address.
    pub flat: bool,
    /// Float sums in memory, whose NaN bits are unspecified.
    pub floats: bool,
    /// Images.
    pub image: bool,
    /// Images read through samplers.
    pub sampler: bool,
    /// Atomic operations, whose order is observable.
    pub atomic: bool,
}

/// Channels of an instruction: chapter 5, *Enabled channels*.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channels {
    /// Number of channels.
    pub(crate) count: u32,
    /// Index of the first channel in the thread.
    pub(crate) first: u32,
    /// True if the execution mask is ignored.
    pub(crate) no_mask: bool,
    /// Predicate of the instruction.
    pub(crate) predicate: Option<Predicated>,
}

/// Predicate in front of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicated {
    pub(crate) number: u32,
    /// Number of the variable's elements, which a combination uses.
    pub(crate) elements: u32,
    pub(crate) combine: visakit::isa::Combine,
    pub(crate) inverse: bool,
}

impl Channels {
    /// Returns the elements of the predicate that a combination uses.
    pub(crate) fn combined(&self) -> std::ops::Range<u32> {
        0..self.predicate.map_or(0, |predicate| predicate.elements)
    }

    /// Returns the elements of [`Channels::combined`], one bit each.
    fn combined_bits(&self) -> u32 {
        let elements = self.combined();
        ones(elements.len()) << elements.start
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    pub(crate) at: SourceSpan,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Channels {
        slot: usize,
        body: Vec<Statement>,
    },
    For {
        slot: usize,
        from: Node,
        to: Node,
        body: Vec<Statement>,
    },
    If {
        condition: Node,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// Assignment to a local name.
    Local {
        slot: usize,
        value: Node,
    },
    /// Assignment to an element of an operand, converted or as bits.
    Element {
        operand: usize,
        index: Node,
        value: Node,
        as_bits: bool,
    },
    /// Call of a built-in for its effect.
    Effect {
        effect: Builtin,
        arguments: Vec<Node>,
    },
    /// Assignment to a place in memory.
    Place {
        place: Builtin,
        arguments: Vec<Node>,
        value: Node,
    },
    Undefined,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Value(Value),
    Local(usize),
    /// Element of an operand.
    Element(usize, Box<Node>),
    /// Memory as an argument.
    Space(Reach),
    /// Atomic operation as an argument.
    Update(Update),
    /// Operand as an argument.
    Operand(usize),
    /// Bit of the instruction's predicate for a channel.
    Predicate(Box<Node>),
    /// Table entry selected by an index.
    OneOf(Vec<u32>, Box<Node>),
    Unary(UnaryOperator, Box<Node>),
    Binary(BinaryOperator, Box<Node>, Box<Node>),
    Choice(Box<Node>, Box<Node>, Box<Node>),
    Call(Builtin, Vec<Node>),
}

/// Destination of an instruction's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Branch of the enabled channels to a label, by its table index.
    Branch(u32),
    /// Jump of all channels to a label.
    Jump(u32),
    /// Call of a subroutine.
    Call(u32),
    /// Call of a function, by its index in the string table.
    Function(u32),
    /// Return from a subroutine or a function.
    Leave,
    /// Barrier of the work-group: signal and wait, only signal, or only wait.
    Barrier,
    Signal,
    Wait,
}

impl Program {
    /// Returns true if the instruction redirects channels or waits.
    pub(crate) fn has_flow(&self) -> bool {
        fn any(statements: &[Statement]) -> bool {
            statements.iter().any(|statement| match &statement.kind {
                StatementKind::Effect { effect, .. } => is_flow(*effect),
                StatementKind::If { then, otherwise, .. } => any(then) || any(otherwise),
                _ => false,
            })
        }
        any(&self.statements)
    }

    /// Returns true if the instruction takes part of an operand from the other thread of a fused
    /// pair.
    pub fn wants_neighbour(&self) -> bool {
        self.operands.iter().any(|place| place.shared.is_some())
    }

    /// Returns the destination of the instruction's channels if redirecting them is its only
    /// effect.
    pub(crate) fn flow(&self) -> Option<Flow> {
        let [statement] = self.statements.as_slice() else { return None };
        match &statement.kind {
            StatementKind::Effect { effect, arguments } => flow(*effect, arguments),
            // The machine reads the first bit of the predicate to decide a jump of all channels.
            StatementKind::If { condition: Node::Predicate(first), then, otherwise } if otherwise.is_empty() => {
                let is_first = matches!(first.as_ref(), Node::Value(Value::Integer(n)) if n.value == 0);
                match then.as_slice() {
                    [Statement { kind: StatementKind::Effect { effect: Builtin::Jump, arguments }, .. }]
                        if is_first =>
                    {
                        flow(Builtin::Jump, arguments)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the channels as the machine's execution mask.
    pub(crate) fn mask(&self) -> ExecMask {
        let Channels { count, first, no_mask, predicate } = self.channels;
        ExecMask {
            shift: first,
            lanes: ones(count as usize),
            always: if no_mask { u32::MAX } else { 0 },
            predicate: predicate.map_or(0, |p| p.number),
            combine: match predicate.map(|p| p.combine) {
                None | Some(visakit::isa::Combine::None) => Combine::Each,
                Some(visakit::isa::Combine::Any) => Combine::Any(self.channels.combined_bits()),
                Some(visakit::isa::Combine::All) => Combine::All(self.channels.combined_bits()),
            },
            inverse: if predicate.is_some_and(|p| p.inverse) { u32::MAX } else { 0 },
        }
    }
}

/// Returns true if an effect redirects channels or waits.
pub(crate) fn is_flow(effect: Builtin) -> bool {
    !matches!(effect, Builtin::Atomic | Builtin::Fence | Builtin::Dependencies)
}

fn flow(effect: Builtin, arguments: &[Node]) -> Option<Flow> {
    let number = || match arguments.first() {
        Some(Node::Value(Value::Integer(n))) => u32::try_from(n.value).ok(),
        _ => None,
    };
    Some(match effect {
        Builtin::Branch => Flow::Branch(number()?),
        Builtin::Jump => Flow::Jump(number()?),
        Builtin::Call => Flow::Call(number()?),
        Builtin::Function => Flow::Function(number()?),
        Builtin::Return | Builtin::Leave => Flow::Leave,
        Builtin::Barrier => Flow::Barrier,
        Builtin::Signal if number() == Some(0) && arguments.len() == 1 => Flow::Signal,
        Builtin::Wait if number() == Some(0) => Flow::Wait,
        _ => return None,
    })
}
