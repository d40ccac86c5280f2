//! Rewrites the instructions of an object: `cargo run --example rewrite -- old.isa new.isa`.

use std::error::Error;

use visakit::isa::{Add, DataType, Instruction, Mul, Operand};
use visakit::object::{Object, Routine};
use visakit::rt::{FieldMut, VisitorMut};

/// Visitor that replaces each constant 1.0 by 2.0. A visitor receives every field of an instruction
/// and may change it.
struct OneToTwo;

impl VisitorMut for OneToTwo {
    fn field(&mut self, _position: usize, value: FieldMut<'_>) {
        if let FieldMut::Vector(operand) = value
            && let Operand::Immediate(constant) = &mut operand.operand
            && (constant.type_, constant.low) == (DataType::F, 1f32.to_bits())
        {
            constant.low = 2f32.to_bits();
        }
    }
}

/// Replaces a product with 2.0 by the sum of the factor with itself. An instruction is an enum with
/// a struct for each page.
fn product_to_sum(instruction: &mut Instruction) {
    if let Instruction::Mul(Mul { exec_size, pred, dst, src0, src1 }) = instruction
        && let Operand::Immediate(constant) = &src1.operand
        && (constant.type_, constant.low) == (DataType::F, 2f32.to_bits())
    {
        let (dst, src0, src1) = (dst.clone(), src0.clone(), src0.clone());
        *instruction = Add { exec_size: *exec_size, pred: *pred, dst, src0, src1 }.into();
    }
}

/// Changes the instructions of a routine.
pub(crate) fn rewrite(routine: &mut Routine) {
    for instruction in &mut routine.instructions {
        instruction.visit_mut(&mut OneToTwo);
        product_to_sum(instruction);
    }
}

/// Returns the bytes of the rewritten object.
pub(crate) fn run(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut object = Object::decode(bytes)?;
    object.routines_mut().for_each(rewrite);
    Ok(object.encode()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [old, new] = paths.as_slice() else { return Err("give the paths of the old and of the new object".into()) };
    Ok(std::fs::write(new, run(&std::fs::read(old)?)?)?)
}
