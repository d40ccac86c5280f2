//! Builds a kernel that scales 32 floats of a buffer: `cargo run --example build_kernel --
//! scale.isa`.

use std::error::Error;

use visakit::builder::{RoutineBuilder, Variable, immediate_i32};
use visakit::isa::{
    Add, Alignment, Cmp, DataType, ExecMask, ExecSize, ExecSizeSize, Goto, Mov, Mul, OwordLd, OwordSt, Owords, RelOp,
    Ret, Stride,
};
use visakit::object::Object;
use visakit::rt::Version;

const ONE: ExecSize = ExecSize { size: ExecSizeSize::N1, mask: ExecMask::M1 };
const EIGHT: ExecSize = ExecSize { size: ExecSizeSize::N8, mask: ExecMask::M1 };

pub(crate) fn run() -> Result<Object, Box<dyn Error>> {
    let mut b = RoutineBuilder::kernel("scale");
    b.attribute("Target", "cm");
    // Variables: the arguments, a vector of eight floats, and the offset in the buffer. Messages
    // need whole registers.
    let buffer = b.surface("buffer", 1);
    let factor = b.variable(Variable::new("factor", DataType::F, 1).align(Alignment::Dword));
    let floats = b.variable(Variable::new("floats", DataType::F, 8).align(Alignment::Grf));
    let oword = b.variable(Variable::new("oword", DataType::D, 1).align(Alignment::Dword));
    // Alias as an unsigned number, the type that a message needs for its offset.
    let offset = b.variable(Variable::new("offset", DataType::Ud, 1).align(Alignment::Dword).alias(oword, 0));
    let again = b.predicate("again", 1);
    // Arguments follow register 0 when the kernel begins.
    b.surface_input(buffer, 32, 4);
    b.input(factor, 36);

    let next = b.label("next");
    let all = floats.src(0, 0).region(Stride::N8, Stride::N8, Stride::N1);
    b.push(Mov { exec_size: ONE, dst: oword.dst(0, 0), src0: immediate_i32(0), ..Mov::default() });
    b.place(next);
    let (surface, at) = (buffer, offset.src(0, 0));
    b.push(OwordLd { size: Owords::N2, surface, offset: at.clone(), dst: floats.raw(0), ..OwordLd::default() });
    b.push(Mul { exec_size: EIGHT, dst: floats.dst(0, 0), src0: all, src1: factor.src(0, 0), ..Mul::default() });
    b.push(OwordSt { size: Owords::N2, surface, offset: at, src: floats.raw(0) });
    let (counter, step) = (oword.src(0, 0), immediate_i32(2));
    b.push(Add { exec_size: ONE, dst: oword.dst(0, 0), src0: counter.clone(), src1: step, ..Add::default() });
    b.push(Cmp { exec_size: ONE, rel_op: RelOp::Lt, dst: again.operand(), src0: counter, src1: immediate_i32(8) });
    b.push(Goto { exec_size: ONE, pred: again.enable(), label: next });
    b.push(Ret { exec_size: ONE, ..Ret::default() });
    Ok(Object::new(Version::new(4, 1), [b.finish()?]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give a path for the object")?;
    Ok(std::fs::write(path, run()?.encode()?)?)
}
