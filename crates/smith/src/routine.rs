//! Legal routines: declarations, forward branches, loops with counters, and subroutines that call
//! none.

use arbitrary::{Result, Unstructured};
use visakit::builder::{RoutineBuilder, immediate};
use visakit::isa::{
    ATTRIBUTES, Add, Cmp, DataType, ExecMask, ExecSize, ExecSizeSize, Fret, Goto, Instruction, InstructionGroup, Jmp,
    LabelId, Mov, PAGES, Platform, RelOp, Ret, attribute,
};
use visakit::object::{Routine, RoutineKind};
use visakit::rt::Table;
use visakit::rt::reflect::{Page, PageKind};

use crate::instruction::{exists, instruction, names};
use crate::scope::Scope;

/// Constraints on the generated code. The input decides everything that is unset.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    /// Platform whose rules apply.
    pub platform: Option<Platform>,
    /// Maximum number of instructions per routine; 40 if `None`. The input may end earlier.
    pub instructions: Option<usize>,
    /// Only page whose instructions are drawn. Branches belong to the plan, except in a straight
    /// routine, where they branch to labels at its end.
    pub page: Option<&'static Page>,
    /// True if the routine has no branches except to the labels at its end.
    pub straight: bool,
}

/// Argument of a kernel; `offset` is relative to the first argument byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    pub(crate) data_type: DataType,
    pub(crate) elements: u16,
    pub(crate) offset: u32,
    /// True if the argument is the address of a buffer.
    pub(crate) is_pointer: bool,
}

/// Number of labels at the end of a straight routine; they are the routine's first labels.
pub const PLACES: u32 = 4;

/// Maximum nesting depth of blocks.
const DEPTH: usize = 3;

/// Draws a legal routine and the platform on which it is legal.
///
/// # Errors
/// No input causes an error; only pages that lack an instruction that every routine needs.
pub fn routine(u: &mut Unstructured<'_>, config: &Config) -> Result<(Platform, Routine)> {
    let platform = platform(u, config)?;
    let returns = config.straight && config.page.is_some_and(|page| page.is_in(InstructionGroup::FunctionReturn));
    let kind = match returns {
        true => RoutineKind::Function { input_size: 0, return_value_size: 0 },
        false => RoutineKind::Kernel,
    };
    let routine = named(u, config, platform, "k", kind, (0, &[]))?;
    Ok((platform, routine))
}

/// Returns the configured platform, or draws one.
pub(crate) fn platform(u: &mut Unstructured<'_>, config: &Config) -> Result<Platform> {
    config.platform.map_or_else(|| u.choose(Platform::ALL).copied(), Ok)
}

/// Draws a routine with a name, a kind, and inputs from the byte `first_input` on.
pub(crate) fn named(
    u: &mut Unstructured<'_>,
    config: &Config,
    platform: Platform,
    name: &str,
    kind: RoutineKind,
    (first_input, inputs): (u32, &[Input]),
) -> Result<Routine> {
    let builder = match kind {
        RoutineKind::Kernel => RoutineBuilder::kernel(name),
        RoutineKind::Function { input_size, return_value_size } => {
            RoutineBuilder::function(name, input_size, return_value_size)
        }
    };
    let is_in = |page: &Page, groups: &[InstructionGroup]| groups.iter().any(|group| page.is_in(*group));
    let alone = config.straight && config.page.is_some();
    let plain = |page: &&&Page| {
        let goes = names(page, Table::Label)
            || is_in(page, &[InstructionGroup::SubroutineReturn, InstructionGroup::FunctionReturn]);
        matches!(page.kind, PageKind::Ordinary | PageKind::Undefined)
            && exists(page, platform)
            && (!goes || alone && !is_in(page, &[InstructionGroup::BlockStart, InstructionGroup::SubroutineStart]))
    };
    let wanted = |page: &&&Page| config.page.is_none_or(|only| std::ptr::eq(**page, only));
    let pages: Vec<_> = PAGES.iter().filter(plain).filter(wanted).copied().collect();
    let mut scope = Scope::new(builder, platform, u)?;
    for input in inputs {
        scope.input(input.data_type, input.elements, first_input + input.offset);
    }
    let left = if pages.is_empty() { 0 } else { config.instructions.unwrap_or(40) };
    let mut plan = Plan {
        scope,
        steps: Vec::new(),
        pages,
        left,
        labels: 0,
        places: Vec::new(),
        subroutines: Vec::new(),
        straight: config.straight,
    };
    if alone {
        plan.places = (0..PLACES).map(|_| plan.label()).collect();
        let start = plan.scope.builder.subroutine("part0");
        plan.subroutines.push(start);
    }
    plan.block(u, 0)?;
    for label in std::mem::take(&mut plan.places) {
        plan.place(label);
    }
    let end: Instruction = match kind {
        RoutineKind::Kernel => Ret { exec_size: uniform(false), ..Ret::default() }.into(),
        RoutineKind::Function { .. } => Fret { exec_size: uniform(true), ..Fret::default() }.into(),
    };
    plan.push(end);
    for label in std::mem::take(&mut plan.subroutines) {
        plan.place(label);
        plan.left = if plan.pages.is_empty() { 0 } else { 4 };
        plan.block(u, DEPTH)?;
        plan.push(Ret { exec_size: uniform(false), ..Ret::default() });
    }
    let mut builder = plan.scope.builder;
    if kind == RoutineKind::Kernel {
        builder.attribute(attribute::TARGET, target(u)?.as_str());
    }
    for step in plan.steps {
        match step {
            Step::Instruction(one) => builder.push(one),
            Step::Label(label) => builder.place(label),
        }
    }
    // The plan uses only its own handles and places every label, so finishing cannot fail.
    let routine = builder.finish();
    routine.map_err(|error| panic!("the plan is wrong: {error}"))
}

/// Draws a target attribute, because the vendor's assembler adds one if it is missing.
fn target(u: &mut Unstructured<'_>) -> Result<String> {
    let coded = ATTRIBUTES.iter().find(|a| a.name == attribute::TARGET).map_or("", |a| a.value);
    let names: Vec<&str> = coded.split('"').skip(1).step_by(2).collect();
    u.choose(&names).map(|name| (*name).to_owned())
}

/// Returns the execution size of one channel.
fn uniform(no_mask: bool) -> ExecSize {
    ExecSize { size: ExecSizeSize::N1, mask: if no_mask { ExecMask::M1Nm } else { ExecMask::M1 } }
}

/// Step of a routine.
enum Step {
    Instruction(Instruction),
    Label(LabelId),
}

struct Plan {
    /// Scope with the declarations, which exist before the code.
    scope: Scope,
    steps: Vec<Step>,
    pages: Vec<&'static Page>,
    left: usize,
    labels: usize,
    /// Labels at the end of a straight routine.
    places: Vec<LabelId>,
    subroutines: Vec<LabelId>,
    straight: bool,
}

impl Plan {
    /// Draws instructions and nested blocks until a block ends, the input ends or the limit is
    /// reached.
    fn block(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<()> {
        while self.left > 0 && !u.is_empty() {
            self.left -= 1;
            let choice = if self.straight { 0 } else { u.int_in_range(0..=15)? };
            match choice {
                15 if depth > 0 && depth < DEPTH => return Ok(()),
                14 if depth < DEPTH => self.branch(u, depth)?,
                13 if depth < DEPTH => self.repeat(u, depth)?,
                12 if depth < DEPTH => self.subroutine(u)?,
                11 if depth < DEPTH => self.switch(u, depth)?,
                _ => {
                    let page = *u.choose(&self.pages)?;
                    let label = match self.subroutines.last() {
                        Some(start) if page.is_in(InstructionGroup::SubroutineCall) => start.0,
                        _ => self.places.last().map_or(0, |last| last.0),
                    };
                    if let Some(one) = instruction(u, &mut self.scope, page, label)? {
                        self.push(one);
                    }
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, instruction: impl Into<Instruction>) {
        self.steps.push(Step::Instruction(instruction.into()));
    }

    fn place(&mut self, label: LabelId) {
        self.steps.push(Step::Label(label));
    }

    fn label(&mut self) -> LabelId {
        self.labels += 1;
        self.scope.builder.label(&format!("block{}", self.labels))
    }

    /// Draws a branch over a block, possibly with an alternative block.
    fn branch(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<()> {
        let (skip, end) = (self.label(), self.label());
        self.go(u, InstructionGroup::ChannelBranch, skip)?;
        self.block(u, depth + 1)?;
        let otherwise = u.arbitrary()?;
        if otherwise {
            self.go(u, InstructionGroup::ChannelBranch, end)?;
        }
        self.place(skip);
        if otherwise {
            self.block(u, depth + 1)?;
        }
        self.place(end);
        Ok(())
    }

    /// Draws a branch to a label; falls back to a plain `goto` if none is found.
    fn go(&mut self, u: &mut Unstructured<'_>, group: InstructionGroup, label: LabelId) -> Result<()> {
        let found = match Page::of_group(group).find(|page| exists(page, self.scope.platform)) {
            Some(page) => instruction(u, &mut self.scope, page, label.0)?,
            None => None,
        };
        let usual = Goto { exec_size: uniform(false), label, ..Goto::default() };
        self.push(found.unwrap_or_else(|| usual.into()));
        Ok(())
    }

    /// Draws a loop over a block. No other code uses its counter and predicate.
    fn repeat(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<()> {
        let times = u.int_in_range(1..=4_u64)?;
        let (counter, predicate) = self.scope.counter(DataType::D);
        let (begin, exec_size) = (self.label(), uniform(true));
        let value = || counter.src(0, 0);
        let number = |n: i64| immediate(DataType::D, u64::from(n as u32));
        self.push(Mov { exec_size, dst: counter.dst(0, 0), src0: number(times as i64), ..Mov::default() });
        self.place(begin);
        self.block(u, depth + 1)?;
        let (src0, src1) = (value(), number(-1));
        self.push(Add { exec_size, dst: counter.dst(0, 0), src0, src1, ..Add::default() });
        let (src0, src1) = (value(), number(0));
        self.push(Cmp { exec_size, rel_op: RelOp::Gt, dst: predicate.operand(), src0, src1 });
        self.push(Jmp { exec_size: uniform(false), pred: predicate.enable(), label: begin });
        Ok(())
    }

    fn subroutine(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let label = match self.subroutines.last() {
            Some(known) if u.arbitrary()? => *known,
            _ => {
                self.labels += 1;
                let label = self.scope.builder.subroutine(&format!("part{}", self.labels));
                self.subroutines.push(label);
                label
            }
        };
        for page in Page::of_group(InstructionGroup::SubroutineCall).take(1) {
            if let Some(call) = instruction(u, &mut self.scope, page, label.0)? {
                self.push(call);
            }
        }
        Ok(())
    }

    /// Draws a jump table if the platform has one: all targets are the end of the next block.
    fn switch(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<()> {
        let end = self.label();
        self.go(u, InstructionGroup::JumpTable, end)?;
        self.block(u, depth + 1)?;
        self.place(end);
        Ok(())
    }
}
