//! Built routines: every kind of declaration, and the errors of each.

use visakit::builder::{AttributeValue, BuildError, RoutineBuilder, Variable, immediate, immediate_u32};
use visakit::isa::{
    AddrAdd, Alignment, Call, DataType, ExecMask, ExecSize, ExecSizeSize, Fcall, Instruction, LabelId, Mov, Ret,
    Setp, Stride, predefined,
};
use visakit::object::{Object, Routine};
use visakit::rt::{FieldRef, Role, Table, Version};
use visakit::text::{Options, Style, parse, print};

const ONE: ExecSize = ExecSize { size: ExecSizeSize::N1, mask: ExecMask::M1 };

/// Builds a routine with tables of all kinds, default names, and labels that are used before they
/// are placed.
fn everything() -> Routine {
    let mut b = RoutineBuilder::kernel("all");
    let late = b.label("late");
    let sub = b.subroutine("sub");
    let unused = b.label("unused");
    let _ = (late, unused);
    let value = b.variable(
        Variable::new("", DataType::Ud, 16).align(Alignment::Grf).attribute("Output", AttributeValue::Flag),
    );
    let half = b.variable(Variable::new("half", DataType::W, 4).alias(value, 8));
    let pointer = b.address("", 8);
    let mask = b.predicate("", 8);
    let sampler = b.sampler("", 1);
    let image = b.surface("", 1);
    b.sampler_input(sampler, 32, 4);
    b.surface_input(image, 36, 4);
    let input = b.variable(Variable::new("n", DataType::D, 1));
    b.input(input, 40);
    b.attribute("SimdSize", 8u32);
    b.attribute("Target", "cm");
    let name = b.string("other");
    b.push(AddrAdd {
        exec_size: ONE,
        dst: pointer.element(0),
        src0: value.src(0, 0),
        src1: immediate(DataType::Uw, 4),
    });
    b.push(Mov {
        exec_size: ONE,
        dst: pointer.indirect(0, 8, DataType::W).stride(Stride::N1),
        src0: half.src(0, 1),
        ..Mov::default()
    });
    b.push(Setp { exec_size: ONE, dst: mask.operand(), src0: immediate_u32(1) });
    b.push(Call { exec_size: ONE, pred: mask.enable(), label: sub });
    b.push(Fcall { exec_size: ONE, func_id: name, ..Fcall::default() });
    b.push(Ret { exec_size: ONE, ..Ret::default() });
    b.place(sub);
    b.push(Ret { exec_size: ONE, ..Ret::default() });
    b.finish().unwrap()
}

#[test]
fn tables_are_those_of_the_text() {
    let object = Object::new(Version::new(4, 1), [everything()]);
    let text = print(&object, &object.kernels[0].routine, None, Style::Full);
    let read = parse(&text, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e:#?}")).into_object();
    assert_eq!(read.encode().unwrap(), object.encode().unwrap(), "{text}");
    for name in ["V32", "A0", "P1"] {
        assert!(text.contains(&format!(".decl {name} ")), "{text}");
    }
    let labels = &object.kernels[0].routine.labels;
    assert_eq!(labels.len(), 1, "labels that nothing names are left out");
}

#[test]
fn roles_of_operands_and_variables() {
    let routine = everything();
    let roles = |i: usize| -> Vec<_> { routine.instructions[i].operands().map(|o| (o.name, o.role)).collect() };
    let uses = |i: usize| -> Vec<_> { routine.instructions[i].uses().map(|u| (u.table, u.id, u.role)).collect() };
    assert_eq!(roles(0), [("Dst", Role::Write), ("Src0", Role::Reference), ("Src1", Role::Read)]);
    assert_eq!(uses(0), [(Table::Address, 0, Role::Write), (Table::General, 32, Role::Reference)]);
    // The address variable is read to locate the destination.
    assert_eq!(uses(1), [(Table::Address, 0, Role::Address), (Table::General, 33, Role::Read)]);
    assert_eq!(uses(3), [(Table::Predicate, 1, Role::Predicate), (Table::Label, 0, Role::Reference)]);
    assert_eq!(routine.instructions[2].to_string(), "setp (M1, 1) P1 0x1:ud");
    let shown: Vec<_> = routine.instructions[0].operands().map(|o| o.to_string()).collect();
    assert_eq!(shown, ["A0(0)<1>", "V32(0,0)<0;1,0>", "0x4:uw"]);
}

/// The reflection has the same role for each field that names an entry, and operands have it too.
#[test]
fn reflection_has_the_roles() {
    let mut written = 0;
    for instruction in Instruction::samples() {
        let form = instruction.form();
        assert_eq!(form.fields.len(), instruction.fields().len());
        for (field, info) in form.fields.iter().zip(instruction.fields()) {
            assert_eq!((field.name, field.role), (info.name, info.role), "{}", instruction.page().name);
        }
        for operand in instruction.operands() {
            let name = (instruction.page().name, operand.name);
            assert!(!matches!(operand.value, FieldRef::Number(_) | FieldRef::Bits(_)), "{name:?}");
            written += usize::from(operand.role.is_write());
        }
    }
    assert!(written > 100, "{written}");
}

/// An identity renumbering does not change an instruction, and a real one reaches every variable.
#[test]
fn renumbering_reaches_every_variable() {
    for mut instruction in Instruction::samples() {
        let before: Vec<_> = instruction.uses().collect();
        let old = instruction.clone();
        instruction.renumber(|_, id| id).unwrap();
        assert_eq!(instruction, old);
        instruction.renumber(|_, id| id + 40).unwrap();
        let after: Vec<_> = instruction.uses().filter(|u| u.id != predefined::NULL.0 + 40).collect();
        for used in before {
            let moved = |u: &&visakit::rt::Use| (u.table, u.id, u.role) == (used.table, used.id + 40, used.role);
            assert!(used.id == predefined::NULL.0 || after.iter().any(|u| moved(&u)), "{old:?}: {used:?}");
        }
    }
    let mut mov = Instruction::from(Mov { src0: visakit::isa::PredicateId(1).operand(), ..Mov::default() });
    let error = mov.renumber(|_, _| 70_000).unwrap_err();
    assert!(error.to_string().contains("70000 does not fit"), "{error}");
}

#[test]
fn mistakes_are_named() {
    let wrong = |build: &dyn Fn(&mut RoutineBuilder)| {
        let mut b = RoutineBuilder::kernel("k");
        build(&mut b);
        b.finish().unwrap_err()
    };
    let twice = wrong(&|b| {
        b.address("x", 1);
        b.predicate("x", 1);
    });
    assert_eq!(twice, BuildError::Duplicate("x".to_owned()));
    let nowhere = wrong(&|b| {
        let label = b.subroutine("f");
        b.push(Call { label, ..Call::default() });
    });
    assert_eq!(nowhere, BuildError::NotPlaced("f".to_owned()));
    assert!(nowhere.to_string().contains("label `f` is used but not placed"));
    let twice = wrong(&|b| {
        let label = b.label("l");
        b.place(label);
        b.place(label);
    });
    assert_eq!(twice, BuildError::PlacedTwice("l".to_owned()));
    assert_eq!(wrong(&|b| b.place(LabelId(7))), BuildError::Unknown(Table::Label, 7));
    let foreign = wrong(&|b| {
        let mut other = RoutineBuilder::kernel("other");
        let variable = other.variable(Variable::new("v", DataType::D, 1));
        b.push(Mov { dst: variable.dst(0, 0), src0: immediate_u32(1), ..Mov::default() });
    });
    assert_eq!(foreign, BuildError::Unknown(Table::General, 32));
}
