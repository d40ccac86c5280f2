//! Who executes instructions, by name.

use std::fmt;
use std::str::FromStr;

use visakit_native::Level;

use crate::launch::TextError;

/// What executes instructions. The outcome is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// An operation that was chosen for each instruction.
    Interpreter,
    /// Code for the host's processor, where there is any for it; what the code does not know, and
    /// what somebody watches, the interpreter executes.
    Native,
    /// The same without AVX-512, also where there is.
    Avx2,
    /// The interpreter, and native code for programs that have run for a while, which is made
    /// beside.
    #[default]
    Automatic,
}

impl Engine {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Interpreter, Self::Native, Self::Avx2, Self::Automatic];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interpreter => "interpreter",
            Self::Native => "native",
            Self::Avx2 => "avx2",
            Self::Automatic => "automatic",
        }
    }

    /// What native code is made of, if any is.
    pub(crate) fn level(self) -> Option<Level> {
        match self {
            Self::Interpreter => None,
            Self::Avx2 => Level::of_host().map(|level| level.min(Level::Avx2)),
            Self::Native | Self::Automatic => Level::of_host(),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::ALL.into_iter().find(|engine| engine.name() == text).ok_or_else(|| TextError {
            code: "engine-unknown",
            at: 0..text.len(),
            message: format!("unknown engine `{text}`"),
            help: format!("the engines are {}", Self::ALL.map(Self::name).join(", ")),
        })
    }
}
