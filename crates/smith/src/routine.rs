//! A legal routine: declarations, blocks that go forward, loops that count down, subroutines that
//! call none.

use arbitrary::{Result, Unstructured};
use visakit::builder::{RoutineBuilder, immediate};
use visakit::isa::{
    ATTRIBUTES, Add, Cmp, DataType, ExecMask, ExecSize, ExecSizeSize, Fret, Goto, Instruction, Jmp, LabelId, Mov,
    PAGES, Platform, RelOp, Ret, attribute, pages,
};
use visakit::object::{Routine, RoutineKind};
use visakit::rt::Table;
use visakit::rt::reflect::{Page, PageKind};

use crate::instruction::{exists, instruction, names};
use crate::launch::Input;
use crate::scope::Scope;

/// What is to be made. All of it is chosen by the input where nothing is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    /// The platform whose rules hold.
    pub platform: Option<Platform>,
    /// The most instructions of a routine; 40 when not given. The input may end before.
    pub instructions: Option<usize>,
    /// The one page whose instructions stand in the routine. Those that go somewhere belong to the
    /// plan, unless it is straight: then they go to labels that stand at its end.
    pub page: Option<&'static Page>,
    /// Whether instructions go to other places: otherwise one follows the other.
    pub straight: bool,
}

/// Labels at the end of a straight routine, the first ones that it has.
pub const PLACES: u32 = 4;

/// How deep blocks stand inside each other.
const DEPTH: usize = 3;

/// A legal routine, and the platform that it is legal on.
///
/// # Errors
/// None that bytes could cause: only where the pages lack what every routine needs.
pub fn routine(u: &mut Unstructured<'_>, config: &Config) -> Result<(Platform, Routine)> {
    let platform = platform(u, config)?;
    let returns = config.straight && config.page.is_some_and(|page| std::ptr::eq(page, &pages::FRET));
    let kind = match returns {
        true => RoutineKind::Function { input_size: 0, return_value_size: 0 },
        false => RoutineKind::Kernel,
    };
    let routine = named(u, config, platform, "k", kind, (0, &[]))?;
    Ok((platform, routine))
}

/// The platform that is given, or any.
pub(crate) fn platform(u: &mut Unstructured<'_>, config: &Config) -> Result<Platform> {
    config.platform.map_or_else(|| u.choose(Platform::ALL).copied(), Ok)
}

/// A routine of a name and a kind, with inputs behind the byte where they begin.
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
    let is = |page: &Page, some: &[&'static Page]| some.iter().any(|one| std::ptr::eq(page, *one));
    let alone = config.straight && config.page.is_some();
    let plain = |page: &&&Page| {
        let goes = names(page, Table::Label) || is(page, &[&pages::RET, &pages::FRET]);
        matches!(page.kind, PageKind::Ordinary | PageKind::Undefined)
            && exists(page, platform)
            && (!goes || alone && !is(page, &[&pages::LABEL, &pages::SUBROUTINE]))
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
    // The plan uses its own handles only, and places every label.
    let routine = builder.finish();
    routine.map_err(|error| panic!("the plan is wrong: {error}"))
}

/// A producer, by its name: the vendor's assembler adds one where none is said.
fn target(u: &mut Unstructured<'_>) -> Result<String> {
    let coded = ATTRIBUTES.iter().find(|a| a.name == attribute::TARGET).map_or("", |a| a.value);
    let names: Vec<&str> = coded.split('"').skip(1).step_by(2).collect();
    u.choose(&names).map(|name| (*name).to_owned())
}

/// One channel.
fn uniform(no_mask: bool) -> ExecSize {
    ExecSize { size: ExecSizeSize::N1, mask: if no_mask { ExecMask::M1Nm } else { ExecMask::M1 } }
}

/// What stands in a routine.
enum Step {
    Instruction(Instruction),
    Label(LabelId),
}

struct Plan {
    /// The declarations alone: what an instruction names is there before the code is.
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
    /// Instructions and blocks in them, until one ends, the input does or there are enough.
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
                        Some(start) if std::ptr::eq(page, &pages::CALL) => start.0,
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

    /// Channels that go past a block, and perhaps past another one behind it.
    fn branch(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<()> {
        let (skip, end) = (self.label(), self.label());
        self.go(u, &pages::GOTO, skip)?;
        self.block(u, depth + 1)?;
        let otherwise = u.arbitrary()?;
        if otherwise {
            self.go(u, &pages::GOTO, end)?;
        }
        self.place(skip);
        if otherwise {
            self.block(u, depth + 1)?;
        }
        self.place(end);
        Ok(())
    }

    /// An instruction that goes to a label; a plain one where chance finds none.
    fn go(&mut self, u: &mut Unstructured<'_>, page: &'static Page, label: LabelId) -> Result<()> {
        let found = match exists(page, self.scope.platform) {
            true => instruction(u, &mut self.scope, page, label.0)?,
            false => None,
        };
        let usual = Goto { exec_size: uniform(false), label, ..Goto::default() };
        self.push(found.unwrap_or_else(|| usual.into()));
        Ok(())
    }

    /// A block some times over: its counter and its predicate are nobody else's.
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
        if let Some(call) = instruction(u, &mut self.scope, &pages::CALL, label.0)? {
            self.push(call);
        }
        Ok(())
    }

    /// A jump by a number, where the platform has one: all its places are the end of the block
    /// behind it.
    fn switch(&mut self, u: &mut Unstructured<'_>, depth: usize) -> Result<()> {
        let end = self.label();
        self.go(u, &pages::SWITCHJMP, end)?;
        self.block(u, depth + 1)?;
        self.place(end);
        Ok(())
    }
}
