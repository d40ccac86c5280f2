//! Evaluation of an operation by its page.

use visakit::isa::{GeneralId, Platform, predefined};
use visakit::object::Routine;
use visakit::text::{Options, parse};
use visakit_codegen::model::Model;
use visakit_machine::thread::Thread;
use visakit_oracle::Target;
use visakit_oracle::stage::{Stage, TestMemory};

use crate::operation::Operation;

/// Number of values evaluated at once.
pub(crate) const CHANNELS: usize = 16;

/// Page that checks results.
pub(crate) struct Page<'a> {
    operation: &'a Operation,
    model: &'a Model,
    routine: Routine,
    control: u32,
}

/// Value, its required result if known, and an engine's result.
pub(crate) type Question = (u32, Option<u64>, u64);

impl<'a> Page<'a> {
    pub(crate) fn new(model: &'a Model, operation: &'a Operation, control: u32) -> Self {
        let text = format!(
            ".version 4.1\n.kernel \"k\"\n.decl A v_type=G type={} num_elts=16 align=GRF\n\
             .decl C v_type=G type={} num_elts=16 align=GRF\n    {}\n    ret (M1, 1)\n",
            operation.from,
            operation.to,
            operation.text("C", "A")
        );
        let options = Options { file: "k".to_owned(), platform: None };
        let routine = parse(&text, options).unwrap_or_else(|errors| panic!("{text}: {}", errors[0].message)).routine;
        Self { operation, model, routine, control }
    }

    /// Returns the number of results that the page does not allow, and prints the first of them.
    pub(crate) fn ask(&self, questions: &[Question]) -> u64 {
        let stage = Stage::new(&self.routine, Platform::Pvc).unwrap_or_else(|e| panic!("{e}"));
        let program = stage.by_page(self.model, &self.routine.instructions[0]).unwrap_or_else(|e| panic!("{e}"));
        let offset = |n| stage.offset(GeneralId(predefined::DECLARED + n)).unwrap_or_else(|| panic!("no variable"));
        let mut wrong = 0;
        for part in questions.chunks(CHANNELS) {
            let mut thread: Thread = stage.thread(CHANNELS);
            thread.set_mode(self.control);
            for (n, (value, ..)) in part.iter().enumerate() {
                thread.registers.set(offset(0) + n as u32 * 4, *value);
            }
            let effects = program.run(&mut thread, &TestMemory::default().world()).unwrap_or_else(|e| panic!("{e}"));
            for (n, (value, wanted, found)) in part.iter().enumerate() {
                let at = offset(1) + (n * self.operation.size()) as u32;
                let write =
                    effects.writes.iter().find(|w| matches!(w.target, Target::Register(start, _) if start == at));
                let write = write.unwrap_or_else(|| panic!("nothing is written"));
                let own = wanted.is_none_or(|w| w == write.bits || self.operation.both_nan(w, write.bits));
                let allowed = *found == write.bits || write.allowed.accepts(*found);
                if own && allowed {
                    continue;
                }
                wrong += 1;
                let text = self.operation.shown();
                eprintln!("{text} of {value:#x}: the page {:#x}, the host {wanted:x?}, found {found:#x}", write.bits);
                assert!(wrong < 100, "too many");
            }
        }
        wrong
    }
}
