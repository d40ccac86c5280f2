//! Display of a single instruction with the names of its routine.

use std::fmt;

use super::names::RoutineNames;
use super::print::print_call;
use crate::isa::Instruction;
use crate::rt::Printer;

impl Instruction {
    /// Returns the instruction as [`super::print()`] prints it with these names, without its
    /// number.
    ///
    /// ```
    /// use visakit::text::{RoutineNames, parse};
    /// let text = ".version 4.1\n.kernel \"k\"\n.decl sum v_type=G type=f num_elts=8\n\
    ///             mov (M1, 8) sum(0,0)<1> 0x0:f\n    ret (M1, 1)\n";
    /// let routine = parse(text, Default::default()).unwrap().routine;
    /// let mov = &routine.instructions[0];
    /// assert_eq!(mov.display(&RoutineNames::of(&routine)).to_string(), "mov (M1, 8) sum(0,0)<1> 0x0:f");
    /// assert_eq!(mov.to_string(), "mov (M1, 8) V32(0,0)<1> 0x0:f");
    /// ```
    pub fn display<'a>(&'a self, names: &'a RoutineNames<'_>) -> impl fmt::Display + 'a {
        Display { instruction: self, names }
    }
}

struct Display<'a> {
    instruction: &'a Instruction,
    names: &'a RoutineNames<'a>,
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(String::new(), self.names);
        print_call(self.instruction, self.names.routine(), &mut printer);
        f.pad(&printer.into_text())
    }
}
