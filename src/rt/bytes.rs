//! Reading and writing of objects: a cursor that cannot panic and always knows its offset, and its
//! counterpart.

use std::fmt;

use super::error::{BadBits, DecodeError, DecodeProblem, EncodeError};

/// Version of an object's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Major number.
    pub major: u8,
    /// Minor number.
    pub minor: u8,
}

impl Version {
    /// A version.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What decides among the layouts of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Version of the object.
    pub version: Version,
}

impl Context {
    /// Returns whether the fields are stored that only texts have. No object has such a version: it
    /// is that of the layouts in which strings keep instructions.
    pub const fn has_text_only(self) -> bool {
        self.version.minor == u8::MAX
    }
}

/// Raw bytes: names and attribute values, which need not be text.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As text, with `\u{fffd}` for what is none.
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// A cursor over bytes.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of the first byte in the file.
    base: usize,
    /// A member of a structure whose place is wanted, and its place.
    watch: Option<(&'static str, Option<usize>)>,
}

impl<'a> Reader<'a> {
    /// A cursor at the first of `bytes`, which stands at offset `base` of its file.
    pub const fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base, watch: None }
    }

    /// Asks for the place of the first member of a structure with that name.
    pub fn watch(&mut self, member: &'static str) {
        self.watch = Some((member, None));
    }

    /// Where that member began in the file, if it was met.
    pub fn watched(&self) -> Option<usize> {
        self.watch.and_then(|(_, at)| at)
    }

    /// A member of a structure begins here.
    #[inline]
    pub fn mark(&mut self, member: &'static str) {
        if let Some((wanted, at @ None)) = &mut self.watch
            && *wanted == member
        {
            *at = Some(self.base + self.at);
        }
    }

    /// Offset of the next byte in the file.
    pub const fn offset(&self) -> usize {
        self.base + self.at
    }

    /// How many bytes are left.
    pub const fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => Err(self.truncated(1)),
        }
    }

    /// The next `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.bytes[self.at..].first_chunk::<N>() {
            Some(chunk) => {
                self.at += N;
                Ok(*chunk)
            }
            None => Err(self.truncated(N as u64)),
        }
    }

    /// The next `count` bytes.
    pub fn slice(&mut self, count: u64) -> Result<&'a [u8], DecodeError> {
        if count > self.remaining() as u64 {
            return Err(self.truncated(count));
        }
        let end = self.at + count as usize;
        let out = &self.bytes[self.at..end];
        self.at = end;
        Ok(out)
    }

    /// The next `count` bytes as a value.
    pub fn bytes(&mut self, count: u64) -> Result<Bytes, DecodeError> {
        Ok(Bytes(self.slice(count)?.to_vec()))
    }

    /// The next `count` zero-terminated strings. Nothing is allocated before all of them are known
    /// to be there.
    pub fn strings(&mut self, count: u64) -> Result<Vec<Bytes>, DecodeError> {
        let rest = &self.bytes[self.at..];
        let ends = rest.iter().filter(|b| **b == 0);
        let found = ends.take(usize::try_from(count).unwrap_or(usize::MAX)).count();
        if (found as u64) < count {
            return Err(self.truncated(rest.len() as u64 + 1));
        }
        let mut out = Vec::with_capacity(found);
        for string in rest.split(|b| *b == 0).take(found) {
            out.push(Bytes(string.to_vec()));
            self.at += string.len() + 1;
        }
        Ok(out)
    }

    /// A list for `count` values: its room is that of all of them, but no more than a few times
    /// what is left to read.
    pub fn list<T>(&self, count: u64) -> Vec<T> {
        let most = 4 * self.remaining() / std::mem::size_of::<T>().max(1);
        Vec::with_capacity(usize::try_from(count).map_or(most, |c| c.min(most)))
    }

    #[cold]
    fn truncated(&self, needed: u64) -> DecodeError {
        DecodeError::new(self.offset(), DecodeProblem::Truncated { needed, left: self.remaining() as u64 })
    }
}

/// Collects the bytes of an object.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    marks: Option<Vec<(&'static str, usize)>>,
}

impl Writer {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing yet; remembers where members of structures begin.
    pub fn with_marks() -> Self {
        Self { bytes: Vec::new(), marks: Some(Vec::new()) }
    }

    /// A member of a structure begins here.
    #[inline]
    pub fn mark(&mut self, member: &'static str) {
        if let Some(marks) = &mut self.marks {
            marks.push((member, self.bytes.len()));
        }
    }

    /// Where the first member of that name begins, if marks are kept.
    pub fn marked(&self, member: &str) -> Option<usize> {
        self.marks.as_ref()?.iter().find(|(name, _)| *name == member).map(|(_, at)| *at)
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends a byte.
    #[inline]
    pub fn u8(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Appends bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends zero-terminated strings, which must not have a zero inside.
    pub fn strings(&mut self, strings: &[Bytes]) -> Result<(), EncodeError> {
        for string in strings {
            if string.0.contains(&0) {
                return Err(EncodeError {
                    place: "string_pool".to_owned(),
                    problem: "a string with a zero byte".into(),
                });
            }
            self.bytes(&string.0);
            self.u8(0);
        }
        Ok(())
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Something that is done with each structure of the chapters.
pub trait StructureVisitor {
    /// A structure, with its name on the page.
    fn structure<T: Wire>(&mut self, name: &'static str);
}

/// What an object stores: read and written in the layout of a version.
pub trait Wire: Sized {
    /// Reads the value.
    ///
    /// # Errors
    /// The bytes end, or hold what no page gives a meaning to.
    fn decode(r: &mut Reader<'_>, cx: Context) -> Result<Self, DecodeError>;

    /// Writes the value.
    ///
    /// # Errors
    /// The value does not fit into its bits, or contradicts another one.
    fn encode(&self, w: &mut Writer, cx: Context) -> Result<(), EncodeError>;
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            #[inline]
            fn decode(r: &mut Reader<'_>, _: Context) -> Result<Self, DecodeError> {
                Ok(Self::from_le_bytes(r.array()?))
            }

            #[inline]
            fn encode(&self, w: &mut Writer, _: Context) -> Result<(), EncodeError> {
                w.bytes(&self.to_le_bytes());
                Ok(())
            }
        }
    )*};
}

numbers!(u8, i8, u16, i16, u32, i32, u64, i64);

/// A value of a bit field.
pub trait Bits: Sized {
    /// The value of these bits.
    ///
    /// # Errors
    /// A reserved bit is set, or the value has no name.
    fn from_bits(bits: u64) -> Result<Self, BadBits>;

    /// The bits of the value.
    ///
    /// # Errors
    /// A member does not fit into its part.
    fn to_bits(&self) -> Result<u64, BadBits>;
}
