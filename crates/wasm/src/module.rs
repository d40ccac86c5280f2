//! Programs of a file: the file itself, or the texts of a container.

use visakit::isa::Platform;
use visakit::object::Object;
use visakit::text::{Options, Parsed, parse};
use visakit::verify::{self, Source};
use visakit_diag::{Diagnostic, Diagnostics, Severity};
use visakit_emulator::run::Program;
use visakit_zebin::{Zebin, archive, spirv};

use crate::kind::Kind;

/// A vISA program of a file: the file itself, or one of the texts in a container.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name in messages: the file, followed by the program in parentheses if the file is a
    /// container.
    pub file: String,
    /// Name of the program in its container.
    pub name: Option<String>,
    /// Platform recorded in the container.
    pub platform: Option<Platform>,
    /// Text or object.
    pub content: Content,
}

/// Form of a vISA program.
#[derive(Clone, Debug)]
pub enum Content {
    /// A text.
    Text(String),
    /// The bytes of an object.
    Object(Vec<u8>),
}

impl Module {
    /// Creates a module from a text that is part of a container.
    pub fn of_text(file: String, text: String) -> Self {
        Self { file, name: None, platform: None, content: Content::Text(text) }
    }

    /// Parses a text. `platform` is the platform that the user named.
    ///
    /// # Errors
    /// Errors in the text.
    pub fn parse(&self, text: &str, platform: Option<Platform>) -> Result<Parsed, Diagnostics> {
        parse(text, Options { file: self.file.clone(), platform: platform.or(self.platform) })
    }

    /// Returns the program as an object, whatever its form.
    ///
    /// # Errors
    /// Errors in the text or the object.
    pub fn object(&self, platform: Option<Platform>) -> Result<Object, Diagnostics> {
        match &self.content {
            Content::Text(text) => Ok(self.parse(text, platform)?.into_object()),
            Content::Object(bytes) => Object::decode(bytes).map_err(|error| {
                self.problem(error.code, error.message).at_offset(error.offset as u64).help(error.help).into()
            }),
        }
    }

    /// Returns the violations of rules.
    ///
    /// # Errors
    /// Errors in the text or the object.
    pub fn findings(&self, platform: Option<Platform>) -> Result<Vec<Diagnostic>, Diagnostics> {
        match &self.content {
            Content::Object(_) => {
                let object = self.object(platform)?;
                let platform = platform.or(object.platform());
                let of = |routine| verify::findings(&self.file, routine, platform, None);
                Ok(object.routines().flat_map(of).collect())
            }
            Content::Text(text) => {
                let parsed = self.parse(text, platform)?;
                let platform = platform.or(self.platform);
                let source = Source::new(text);
                let routines = parsed.routines();
                Ok(routines
                    .flat_map(|(routine, lines)| {
                        verify::findings(&self.file, routine, platform, Some((&source, lines)))
                    })
                    .collect())
            }
        }
    }

    /// Creates a finding about the whole program.
    pub fn problem(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Error, self.file.clone(), message)
    }
}

/// Returns the programs of a file of this kind and name. A container without vISA has none.
///
/// # Errors
/// A damaged container, or a file of another kind.
pub fn modules(file: &str, kind: Kind, bytes: Vec<u8>) -> Result<Vec<Module>, Diagnostics> {
    let one = |content| Ok(vec![Module { file: file.to_owned(), name: None, platform: None, content }]);
    match kind {
        Kind::Object => one(Content::Object(bytes)),
        Kind::Text => one(Content::Text(text(bytes))),
        Kind::Zebin | Kind::Archive => Ok(zebins(file, &bytes)?.iter().flat_map(of_zebin).collect()),
        Kind::Spirv | Kind::Other(_) => {
            let found = Diagnostic::new("file-kind", Severity::Error, file, format!("this is {}", kind.name()));
            Err(found.help("give a text (.visaasm), an object (.isa), a zebin or an archive of zebins").into())
        }
    }
}

/// Returns the zebins of a file that was compiled for devices: the file itself, or the members of
/// an archive. Members for every device are left out.
///
/// # Errors
/// Fails if a zebin or the archive is damaged.
pub fn zebins(file: &str, bytes: &[u8]) -> Result<Vec<Zebin>, Diagnostics> {
    if Zebin::is_elf(bytes) {
        return Ok(vec![Zebin::parse(file, bytes)?]);
    }
    let mut all = Vec::new();
    for member in archive::members(bytes) {
        let (name, data) = member.map_err(|damage| {
            Diagnostic::new("archive", Severity::Error, file, damage.what).at_offset(damage.offset)
        })?;
        if Zebin::is_elf(data) && !spirv::is_generic(data) {
            all.push(Zebin::parse(&format!("{file}({name})"), data)?);
        }
    }
    Ok(all)
}

/// Returns the texts of a zebin.
pub fn of_zebin(zebin: &Zebin) -> impl Iterator<Item = Module> {
    let platform = Program::platform_of(zebin);
    zebin.named_texts().map(move |(name, text)| Module {
        file: format!("{}({name})", zebin.file),
        name: Some(name.to_owned()),
        platform,
        content: Content::Text(text.text.clone()),
    })
}

/// Returns bytes as text; invalid UTF-8 is replaced.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
