//! Races hidden by uniform inputs.
//!
//! A store of an unchanged value is no race. In a buffer with one repeated number, such as zeros,
//! this hides races of values derived from it. A launch with such stores is run again with other
//! numbers in these buffers. Races that appear only in the second run, at the same two locations,
//! become notes.

use std::collections::BTreeSet;

use crate::bug::Key;
use crate::report::{Checks, Finding};
use crate::watcher::Watcher;
use visakit_diag::Diagnostic;
use visakit_launch::argument::Argument;
use visakit_launch::range::NdRange;
use visakit_machine::scalar::Scalar;
use visakit_run::{Observers, Options, Outside, Policy, Program, RunError, launch_from};

/// Observations of the first run.
pub(super) struct Seen<'a> {
    /// Pairs of locations where stores of equal values met.
    pub(super) equal: &'a [Key],
    /// Arguments from which the kernel loaded.
    pub(super) loaded: &'a BTreeSet<u32>,
    /// Findings of the first run.
    pub(super) findings: &'a [Finding],
}

/// Returns, as notes, the races that appear with other numbers in uniform buffers.
///
/// # Errors
/// The error of `make` if the arguments cannot be created.
pub(super) fn find(
    program: &Program,
    range: &NdRange,
    make: &mut dyn FnMut() -> Result<Vec<Option<Argument>>, Box<Diagnostic>>,
    options: &Options<'_>,
    seen: &Seen<'_>,
) -> Result<Vec<Finding>, RunError> {
    if seen.equal.is_empty() {
        return Ok(Vec::new());
    }
    let parameters = program.parameters();
    let mut changed = false;
    let mut arguments = make()?;
    for (index, argument) in (0..).zip(&mut arguments) {
        if let Some(Argument::Buffer(bytes)) = argument
            && seen.loaded.contains(&index)
        {
            let parameter = parameters.iter().find(|parameter| parameter.index == index);
            changed |= vary(bytes, parameter.map_or("", |parameter| &parameter.type_name));
        }
    }
    if !changed {
        return Ok(Vec::new());
    }
    let watcher = Watcher::new(program, range, Checks { race: true, ..Checks::default() });
    let watched = Options {
        policy: Policy { outside: Outside::Zero, ..options.policy },
        observers: Observers { accesses: Some(&watcher), ..options.observers },
        ..*options
    };
    let mut arguments = Some(arguments);
    let result = launch_from(program, range, |_| Ok(arguments.take().unwrap_or_default()), &watched);
    // A run that goes out of bounds with these numbers is not representative of the original
    // launch.
    let is_same = result.as_ref().is_ok_and(|outcome| outcome.outside_reads + outcome.outside_writes == 0);
    if !is_same {
        return Ok(Vec::new());
    }
    let mut found = watcher.finish_hidden(seen.equal);
    let place = |finding: &Finding| (finding.report.function, finding.report.instruction);
    found.retain(|finding| seen.findings.iter().all(|known| place(known) != place(finding)));
    Ok(found)
}

/// Replaces the repeated number of a uniform buffer by two numbers in pseudo-random order. Returns
/// false if the buffer is not uniform.
fn vary(bytes: &mut [u8], type_name: &str) -> bool {
    let kind = Scalar::of_source(type_name).map(|(kind, _)| kind);
    // Two host types that have no name in options.
    let size = match (kind, type_name.trim_end_matches('*')) {
        (Some(kind), _) => kind.size(),
        (None, "bool") => 1,
        (None, "size_t") => 8,
        (None, _) => 4,
    };
    let mut chunks = bytes.chunks_exact(size);
    let Some(first) = chunks.next().map(<[u8]>::to_vec) else { return false };
    if bytes.len() < 2 * size || bytes.chunks_exact(size).any(|chunk| chunk != first) {
        return false;
    }
    let number = first.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
    let other = match kind {
        Some(Scalar::F32) => (f32::from_bits(number as u32) + 1.0).to_bits().into(),
        Some(Scalar::F64) => (f64::from_bits(number) + 1.0).to_bits(),
        Some(Scalar::F16) => (half::f16::from_bits(number as u16) + half::f16::ONE).to_bits().into(),
        _ => number ^ 1,
    };
    for (n, chunk) in (1_u32..).zip(bytes.chunks_exact_mut(size)) {
        if n.wrapping_mul(0x9e37_79b9) >> 31 == 1 {
            chunk.copy_from_slice(&other.to_le_bytes()[..size]);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::vary;

    #[test]
    fn buffers_of_one_number_get_two() {
        let mut zeros = [0; 64];
        assert!(vary(&mut zeros, "float*"));
        let ones = zeros.chunks(4).filter(|chunk| **chunk == 1.0_f32.to_le_bytes()).count();
        assert!((4..13).contains(&ones));
        assert!(!vary(&mut zeros, "float*"), "it is no buffer of one number any more");
        let mut sevens = [7; 16];
        assert!(vary(&mut sevens, "uchar4*") && sevens.iter().all(|byte| [6, 7].contains(byte)));
        assert!(!vary(&mut [], "int*") && !vary(&mut [0; 4], "int*"));
    }
}
