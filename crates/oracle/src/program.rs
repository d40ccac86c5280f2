//! A page's Semantics bound to one instruction: names have become places, and what cannot change
//! has been computed.

use visakit_codegen::model::SourceSpan;
use visakit_codegen::model::semantics::{BinaryOperator, UnaryOperator};
use visakit_machine::thread::{Combine, ExecMask, ones};

use crate::atomic::Update;
use crate::builtins::Builtin;
use crate::memory::{Reach, Space};
use crate::operand::Place;
use crate::value::Value;

/// An instruction that is ready to be executed by its page.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) statements: Vec<Statement>,
    pub(crate) operands: Vec<Place>,
    /// Their names on the page, and whether they are written.
    pub(crate) names: Vec<(&'static str, bool)>,
    /// Slots of local names.
    pub(crate) locals: usize,
    /// Which memory the instruction may touch.
    pub(crate) touches: Touches,
    /// The channels that the instruction is for.
    pub(crate) channels: Channels,
    /// Offset of the control register, where the instruction writes it.
    pub(crate) control: Option<u32>,
    /// Offset of the register with the channels that are enabled, where the instruction reads it.
    pub(crate) enabled: Option<u32>,
    /// The places that are images.
    pub(crate) images: Vec<Space>,
    /// The samplers, by the elements of the state variables that name them.
    pub(crate) samplers: Vec<Space>,
    /// The same for the register that counts time.
    pub(crate) time: Option<u32>,
}

/// Kinds of memory that an instruction may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    /// Surfaces, by offsets.
    pub surface: bool,
    /// Flat memory, by addresses.
    pub flat: bool,
    /// Sums of floats in memory: of a NaN nothing says which one it is.
    pub floats: bool,
    /// Images.
    pub image: bool,
    /// Images through samplers.
    pub sampler: bool,
    /// Atomic operations: their order shows.
    pub atomic: bool,
}

/// The channels of an instruction: chapter 5, *Enabled channels*.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channels {
    /// How many there are.
    pub(crate) count: u32,
    /// The first one's number in the thread.
    pub(crate) first: u32,
    /// Whether the execution mask does not count.
    pub(crate) no_mask: bool,
    /// The predicate.
    pub(crate) predicate: Option<Predicated>,
}

/// A predicate in front of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicated {
    pub(crate) number: u32,
    pub(crate) combine: visakit::isa::Combine,
    pub(crate) inverse: bool,
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
    /// A local name gets a value.
    Local {
        slot: usize,
        value: Node,
    },
    /// An element of an operand gets a value, converted or as it is.
    Element {
        operand: usize,
        index: Node,
        value: Node,
        as_bits: bool,
    },
    /// A built-in is used for its effect.
    Effect {
        effect: Builtin,
        arguments: Vec<Node>,
    },
    /// A place gets a value.
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
    /// An element of an operand.
    Element(usize, Box<Node>),
    /// Memory as an argument.
    Space(Reach),
    /// An atomic operation as an argument.
    Update(Update),
    /// An operand as an argument.
    Operand(usize),
    /// The bit of the instruction's predicate for a channel.
    Predicate(Box<Node>),
    /// One of some entries of a table.
    OneOf(Vec<u32>, Box<Node>),
    Unary(UnaryOperator, Box<Node>),
    Binary(BinaryOperator, Box<Node>, Box<Node>),
    Choice(Box<Node>, Box<Node>, Box<Node>),
    Call(Builtin, Vec<Node>),
}

/// Where an instruction lets its channels go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// To a label, by their index in the table.
    Branch(u32),
    /// All of them to a label.
    Jump(u32),
    /// Into a subroutine.
    Call(u32),
    /// Into a function, by its name in the strings.
    Function(u32),
    /// Out of a subroutine or a function.
    Leave,
    /// To the barrier of the group: there and on, there, or on when all are there.
    Barrier,
    Signal,
    Wait,
}

impl Program {
    /// Whether the instruction lets channels go anywhere, or wait.
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

    /// Whether the instruction takes a part of an operand from the thread that runs beside this
    /// one.
    pub fn wants_neighbour(&self) -> bool {
        self.operands.iter().any(|place| place.shared.is_some())
    }

    /// Where the instruction lets its channels go, if that is all that it does.
    pub(crate) fn flow(&self) -> Option<Flow> {
        let [statement] = self.statements.as_slice() else { return None };
        match &statement.kind {
            StatementKind::Effect { effect, arguments } => flow(*effect, arguments),
            // Whether all channels go there the machine asks the predicate's first bit.
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

    /// The channels as the machine counts them.
    pub(crate) fn mask(&self) -> ExecMask {
        let Channels { count, first, no_mask, predicate } = self.channels;
        ExecMask {
            shift: first,
            lanes: ones(count as usize),
            always: if no_mask { u32::MAX } else { 0 },
            predicate: predicate.map_or(0, |p| p.number),
            combine: match predicate.map(|p| p.combine) {
                None | Some(visakit::isa::Combine::None) => Combine::Each,
                Some(visakit::isa::Combine::Any) => Combine::Any,
                Some(visakit::isa::Combine::All) => Combine::All,
            },
            inverse: if predicate.is_some_and(|p| p.inverse) { u32::MAX } else { 0 },
        }
    }
}

/// Whether an effect lets channels go anywhere, or wait.
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
