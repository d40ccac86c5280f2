//! Engine selection.

use std::fmt;
use std::str::FromStr;

use visakit_native::Level;

use visakit_launch::TextError;

/// Engine that executes instructions. All engines produce the same outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Interpreter: one operation per instruction, chosen during lowering.
    Interpreter,
    /// Native code for the host's processor, if supported. The interpreter executes unsupported
    /// instructions and observed runs.
    Native,
    /// Native code without AVX-512, even on hosts that have it.
    Avx2,
    /// Interpreter, and native code for programs that have run for a while, compiled in the
    /// background.
    #[default]
    Automatic,
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 4] = [Self::Interpreter, Self::Native, Self::Avx2, Self::Automatic];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interpreter => "interpreter",
            Self::Native => "native",
            Self::Avx2 => "avx2",
            Self::Automatic => "automatic",
        }
    }

    /// Returns the instruction set level of native code; `None` without native code.
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
