//! Decodes an object and prints its instructions: `cargo run --example decode -- kernel.isa`.

use std::error::Error;

use visakit::object::Object;
use visakit::text::RoutineNames;

/// Lists every routine with its instructions, one on each line.
pub(crate) fn run(bytes: &[u8]) -> Result<String, Box<dyn Error>> {
    let object = Object::decode(bytes)?;
    let mut out = format!("version {}\n", object.version);
    for routine in object.routines() {
        out += &format!("{}: {} instructions\n", routine.name(), routine.instructions.len());
        // The routine has the names of variables and labels; an instruction has only their ids.
        let names = RoutineNames::of(routine);
        for instruction in &routine.instructions {
            out += &format!("{:>14}  {}\n", instruction.page().name, instruction.display(&names));
        }
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give the path of an object")?;
    print!("{}", run(&std::fs::read(path)?)?);
    Ok(())
}
