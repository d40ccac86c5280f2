//! What is left of an object whose writer left the last fields of its instructions out.
//!
//! An instruction keeps its length, but where it ends is not written anywhere: it depends on fields that are not there.
//! Of all ways to cut the code into instructions the one is taken whose present fields prove the most.

use super::fragment::{Guess, guesses};
use super::read::read_with;
use super::{Object, ObjectError, Routine};
use crate::rt::Context;
use crate::rt::reflect::{Form, Page};

/// Bits that a way to go on costs, so that fewer and longer instructions win over many short ones that prove nothing.
const COST: f32 = 4.0;

/// What is left of an object.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// Header and tables, which are whole. The routines have no instructions.
    pub object: Object,
    /// For each routine, kernels first, what its instructions have.
    pub code: Vec<Vec<Fragment>>,
}

/// An instruction that may lack its last fields.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Where it begins in the file.
    pub offset: usize,
    /// Its page, or nothing for bytes in which no instruction was found.
    pub page: Option<&'static Page>,
    /// Its layout.
    pub form: Option<&'static Form>,
    /// The fields that are there: their positions in the layout, and the bytes of each.
    pub present: Vec<(usize, Vec<u8>)>,
    /// The positions of the fields that are not there.
    pub missing: Vec<usize>,
}

impl Object {
    /// Reads what is there of an object that [`Object::decode`] refuses as `object-incomplete`: the tables, and of each
    /// instruction the fields that the packaged compiler writes.
    ///
    /// # Errors
    /// The header or the tables are damaged.
    pub fn salvage(bytes: &[u8]) -> Result<Salvaged, ObjectError> {
        let mut code = Vec::new();
        let object = read_with(bytes, &mut |routine: &mut Routine, bytes: &[u8], base: usize, cx: Context| {
            code.push(cut(bytes, base, routine, cx));
            Ok(())
        })?;
        Ok(Salvaged { object, code })
    }
}

/// The best way from the beginning to a place.
struct Step {
    evidence: f32,
    /// Where the last instruction of the way begins, and what it is; nothing for a byte that belongs to none.
    from: usize,
    guess: Option<Guess>,
}

fn cut(code: &[u8], base: usize, routine: &Routine, cx: Context) -> Vec<Fragment> {
    let mut best: Vec<Option<Step>> = (0..=code.len()).map(|_| None).collect();
    if let Some(first) = best.first_mut() {
        *first = Some(Step { evidence: 0.0, from: 0, guess: None });
    }
    let offer = |best: &mut Vec<Option<Step>>, to: usize, step: Step| {
        if let Some(place) = best.get_mut(to)
            && place.as_ref().is_none_or(|old| old.evidence < step.evidence)
        {
            *place = Some(step);
        }
    };
    for at in 0..code.len() {
        let Some(evidence) = best.get(at).and_then(|s| s.as_ref()).map(|s| s.evidence) else { continue };
        let rest = code.get(at..).unwrap_or_default();
        for guess in guesses(rest, routine, cx) {
            let gain = evidence + guess.evidence - COST * (1 + guess.missing.len()) as f32;
            for length in guess.lengths.clone() {
                offer(&mut best, at + length, Step { evidence: gain, from: at, guess: Some(guess.clone()) });
            }
        }
        // A byte that nothing explains: the way of last resort.
        offer(&mut best, at + 1, Step { evidence: evidence - 8.0 * COST, from: at, guess: None });
    }
    let mut out: Vec<Fragment> = Vec::new();
    let mut at = code.len();
    while at > 0 {
        let Some(Some(step)) = best.get_mut(at).map(Option::take) else { break };
        let fragment = match step.guess {
            Some(guess) => Fragment {
                offset: base + step.from,
                page: Some(guess.page),
                form: Some(guess.form),
                present: guess.present,
                missing: guess.missing,
            },
            None => Fragment {
                offset: base + step.from,
                page: None,
                form: None,
                present: vec![(0, code.get(step.from..at).unwrap_or_default().to_vec())],
                missing: Vec::new(),
            },
        };
        match out.last_mut() {
            // Bytes that nothing explains go together.
            Some(next) if next.page.is_none() && fragment.page.is_none() => {
                next.offset = fragment.offset;
                let mut bytes = fragment.present.into_iter().flat_map(|(_, b)| b).collect::<Vec<u8>>();
                if let Some((_, behind)) = next.present.first_mut() {
                    bytes.append(behind);
                    *behind = bytes;
                }
            }
            _ => out.push(fragment),
        }
        at = step.from;
    }
    out.reverse();
    out
}
