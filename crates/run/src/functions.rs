//! Functions of a program: those that a kernel may call, each parsed once for all kernels.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use visakit::isa::{InstructionGroup, Platform, StringId};
use visakit::object::Routine;
use visakit::rt::Table;
use visakit::text;
use visakit_diag::Diagnostics;
use visakit_zebin::{VisaText, Zebin};

/// A function that kernels call.
#[derive(Clone, Debug)]
pub struct FunctionText {
    /// File name, for messages.
    pub file: String,
    /// Text of the function, if it came from text.
    pub text: Option<String>,
    /// Code of the function.
    pub routine: Routine,
    /// Line of each instruction in the text; empty if the function came from an object file.
    pub lines: Vec<u32>,
}

impl FunctionText {
    /// Parses a text.
    ///
    /// # Errors
    /// Invalid text.
    pub fn parse(file: String, text: String, platform: Platform) -> Result<Self, Diagnostics> {
        let options = text::Options { file: file.clone(), platform: Some(platform) };
        let parsed = text::parse(&text, options)?;
        Ok(Self { file, text: Some(text), routine: parsed.routine, lines: parsed.lines })
    }
}

/// The functions of a zebin that its kernels have needed so far.
#[derive(Debug, Default)]
pub struct Functions(Mutex<HashMap<(usize, Platform), Arc<FunctionText>>>);

impl Functions {
    /// Returns the functions that a kernel may call, directly or through others, in the order of
    /// the zebin. A call by address may reach all of them.
    pub(crate) fn of(
        &self,
        zebin: &Zebin,
        kernel: &Routine,
        platform: Platform,
    ) -> Result<Vec<Arc<FunctionText>>, Diagnostics> {
        let texts: Vec<_> = zebin.texts.iter().filter(|text| !text.is_kernel()).collect();
        // The first of several functions with a name has it.
        let numbers = texts.iter().enumerate().rev().filter_map(|(n, text)| Some((text.function()?, n)));
        let numbers: HashMap<&str, usize> = numbers.collect();
        let number = |name: String| numbers.get(name.as_str()).copied();
        let mut found = BTreeMap::new();
        let mut rest = called(kernel);
        while let Some(callee) = rest.pop() {
            let callees = match callee {
                Callee::Named(name) => number(name).map_or(0..0, |n| n..n + 1),
                Callee::Any => 0..texts.len(),
            };
            for n in callees {
                if let Entry::Vacant(place) = found.entry(n) {
                    let function = place.insert(self.get(zebin, n, texts[n], platform)?);
                    rest.extend(called(&function.routine));
                }
            }
        }
        Ok(found.into_values().collect())
    }

    /// Returns function number `n`, which is parsed at the first call.
    fn get(
        &self,
        zebin: &Zebin,
        n: usize,
        text: &VisaText,
        platform: Platform,
    ) -> Result<Arc<FunctionText>, Diagnostics> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = kept().get(&(n, platform)) {
            return Ok(Arc::clone(function));
        }
        let file = format!("{}(section {})", zebin.file, text.section);
        let function = Arc::new(FunctionText::parse(file, text.text.clone(), platform)?);
        Ok(Arc::clone(kept().entry((n, platform)).or_insert(function)))
    }
}

/// Target of a call.
enum Callee {
    Named(String),
    /// Any function, by its address.
    Any,
}

/// Returns the targets of a routine's calls.
fn called(routine: &Routine) -> Vec<Callee> {
    let calls = routine.instructions.iter().filter(|instruction| instruction.is_in(InstructionGroup::FunctionCall));
    let callee = calls.map(|call| {
        let name = call.uses().find(|used| used.table == Table::String);
        name.and_then(|used| routine.string(StringId(used.id))).map_or(Callee::Any, Callee::Named)
    });
    callee.collect()
}
