//! Detection of the kind of a file by its content.

use std::path::Path;

use visakit_zebin::Zebin;

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A vISA text.
    Text,
    /// A vISA object.
    Object,
    /// An ELF file, as the vendor's compiler writes them.
    Zebin,
    /// An archive that holds zebins for several devices.
    Archive,
    /// A SPIR-V module.
    Spirv,
    /// Another kind, with its description.
    Other(&'static str),
}

impl Kind {
    /// Detects the kind of a file by its bytes. Only OpenCL C and other texts are detected by the
    /// file name.
    pub fn of(path: &Path, bytes: &[u8]) -> Self {
        const MAGIC: [(&[u8], Kind); 9] = [
            (b"CISA", Kind::Object),
            (b"\x7fELF", Kind::Zebin),
            (b"!<arch>\n", Kind::Archive),
            (b"\x89PNG", Kind::Other("a picture (PNG)")),
            (b"\x03\x02\x23\x07", Kind::Spirv),
            (b"BC\xc0\xde", Kind::Other("LLVM bitcode")),
            (b"PK\x03\x04", Kind::Other("a zip file")),
            (b"\x1f\x8b", Kind::Other("a compressed file (gzip)")),
            (b"%PDF", Kind::Other("a PDF document")),
        ];
        if let Some(machine) = Zebin::other_machine(bytes) {
            return Self::Other(machine);
        }
        if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
            return *kind;
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if bytes.is_empty() => Self::Other("an empty file"),
            _ if std::str::from_utf8(bytes).is_err() => Self::Other("a file of an unknown kind"),
            Some("cl") => Self::Other("OpenCL C source; `visa compile` compiles it to a zebin"),
            Some("toml") => Self::Other("a launch file; `visa run --launch` runs it"),
            Some("json") => Self::Other("JSON"),
            Some("md") => Self::Other("a specification page; `visa spec lint` checks it"),
            _ => Self::Text,
        }
    }

    /// Returns the kind as one word, for JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Object => "object",
            Self::Zebin => "zebin",
            Self::Archive => "archive",
            Self::Spirv => "spirv",
            Self::Other(_) => "other",
        }
    }

    /// Returns the kind in a few words, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "a vISA text",
            Self::Object => "a vISA object",
            Self::Zebin => "a zebin",
            Self::Archive => "an archive",
            Self::Spirv => "a SPIR-V module",
            Self::Other(name) => name,
        }
    }
}
