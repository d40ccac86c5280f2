//! Faults of a run.

use visakit_machine::fault::TrapReport;

/// Largest number of distinct faults of a run.
const MOST_FAULTS: usize = 100;

/// Faults of a run, merged by kind and instruction, with the number of the first group.
#[derive(Default)]
pub(super) struct Faults(Vec<(u64, TrapReport)>);

impl Faults {
    pub(super) fn add(&mut self, group: u64, fault: TrapReport) {
        let place = |fault: &TrapReport| (fault.trap.code(), fault.function, fault.instruction);
        let has_room = self.0.len() < MOST_FAULTS;
        match self.0.iter_mut().find(|(_, other)| place(other) == place(&fault)) {
            Some((first, other)) => {
                let groups = other.groups + 1;
                if group < *first {
                    (*first, *other) = (group, fault);
                }
                other.groups = groups;
            }
            None if has_room => self.0.push((group, fault)),
            None => {}
        }
    }

    /// Returns the fault of the first group, with the others attached.
    pub(super) fn first(self) -> Option<Box<TrapReport>> {
        let mut all = self.0;
        all.sort_by_key(|(group, _)| *group);
        let mut all = all.into_iter().map(|(_, fault)| fault);
        let first = all.next()?;
        Some(Box::new(TrapReport { others: all.collect(), ..first }))
    }
}
