//! Counts the reads and writes of each variable of an object: `cargo run --example reads_and_writes
//! -- kernel.isa`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;

use visakit::object::Object;
use visakit::rt::{Names, Role};
use visakit::text::RoutineNames;

/// Prints a line for each variable of each routine: name, number of reads, number of writes.
pub(crate) fn run(bytes: &[u8]) -> Result<String, Box<dyn Error>> {
    let object = Object::decode(bytes)?;
    let mut out = String::new();
    for routine in object.routines() {
        let names = RoutineNames::of(routine);
        let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        for instruction in &routine.instructions {
            // Uses include operands, the predicate, and the address variables of indirect operands.
            for used in instruction.uses().filter(|used| used.role != Role::Reference) {
                let name = names.name(used.table, used.id);
                let name = name.map_or_else(|| format!("{:?} {}", used.table, used.id), Cow::into_owned);
                let (reads, writes) = counts.entry(name).or_default();
                *reads += u32::from(used.role.is_read());
                *writes += u32::from(used.role.is_write());
            }
        }
        out += &format!("{}\n", routine.name());
        for (name, (reads, writes)) in counts {
            out += &format!("  {name}: read {reads}, written {writes}\n");
        }
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give the path of an object")?;
    print!("{}", run(&std::fs::read(path)?)?);
    Ok(())
}
