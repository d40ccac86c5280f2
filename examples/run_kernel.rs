//! Runs a compiled kernel on slices, then a rewritten copy of it: `cargo run --example run_kernel
//! -- examples/vector_add/vector_add.skl.zebin`.

use std::error::Error;

use visakit::isa::{Add, DataType, Instruction, Mul, Operand, VecOperand};
use visakit::object::Routine;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Options, Program, launch};
use visakit_zebin::Zebin;

/// Returns the results of `vector_add` and of its copy that multiplies.
pub(crate) fn run(name: &str, bytes: &[u8], a: &[f32], b: &[f32]) -> Result<[Vec<f32>; 2], Box<dyn Error>> {
    let program = Program::from_zebin(&Zebin::parse(name, bytes)?, None, None)?;
    let sums = add(&program, a, b)?;
    let products = add(&program.rewritten(sum_to_product)?, a, b)?;
    Ok([sums, products])
}

/// Launches the kernel, whose parameters are three buffers of floats and their length.
fn add(program: &Program, a: &[f32], b: &[f32]) -> Result<Vec<f32>, Box<dyn Error>> {
    let n = a.len().min(b.len());
    // A slice becomes a buffer with its elements, and a number a value.
    let arguments = vec![Some(a.into()), Some(b.into()), Some((&vec![0_f32; n]).into()), Some((n as u32).into())];
    let range = NdRange::new(&[n as u64], None, None, program.required_local_size())?;
    let outcome = launch(program, &range, arguments, &Options::default())?;
    Ok(outcome.elements(2)?)
}

/// Replaces each sum of floats by the product.
fn sum_to_product(routine: &mut Routine) {
    let before = routine.clone();
    let is_float = |operand: &VecOperand| match &operand.operand {
        Operand::General(general) => before.data_type(general.id) == Some(DataType::F),
        _ => false,
    };
    for instruction in &mut routine.instructions {
        if let Instruction::Add(Add { exec_size, pred, dst, src0, src1 }) = instruction
            && is_float(dst)
        {
            let (dst, src0, src1) = (dst.clone(), src0.clone(), src1.clone());
            *instruction = Mul { exec_size: *exec_size, pred: *pred, dst, src0, src1 }.into();
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give the path of the zebin of `vector_add`")?;
    let (a, b) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
    let [sums, products] = run(&path, &std::fs::read(&path)?, &a, &b)?;
    println!("sums {sums:?}\nproducts {products:?}");
    Ok(())
}
