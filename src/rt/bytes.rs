//! Reader and writer of objects. The reader is a cursor that never panics and tracks its offset.

use std::borrow::Cow;
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
    /// Creates a version.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Context that selects among the layouts of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Version of the object.
    pub version: Version,
}

impl Context {
    /// Returns true if text-only fields are stored. No object has such a version; marks in the
    /// string pool use it for instructions.
    pub const fn has_text_only(self) -> bool {
        self.version.minor == u8::MAX
    }
}

/// Raw bytes of names and attribute values, which need not be text.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the bytes as text, with `\u{fffd}` for each invalid sequence.
    pub fn text(&self) -> Cow<'_, str> {
        core::str::from_utf8(&self.0).map_or_else(|_| String::from_utf8_lossy(&self.0), Cow::Borrowed)
    }

    /// Returns a copy of the text of [`Bytes::text`].
    pub fn to_text(&self) -> String {
        self.text().into_owned()
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

/// Cursor over bytes.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of the first byte in the file.
    base: usize,
    /// Name of the watched member of a structure, and its offset once it was met.
    watch: Option<(&'static str, Option<usize>)>,
}

impl<'a> Reader<'a> {
    /// Creates a cursor at the start of `bytes`, which begin at offset `base` of their file.
    pub const fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base, watch: None }
    }

    /// Requests the offset of the first member with this name.
    pub fn watch(&mut self, member: &'static str) {
        self.watch = Some((member, None));
    }

    /// Returns the file offset of the watched member, if it was met.
    pub fn watched(&self) -> Option<usize> {
        self.watch.and_then(|(_, at)| at)
    }

    /// Records that a member of a structure begins at the cursor.
    #[inline]
    pub fn mark(&mut self, member: &'static str) {
        if let Some((wanted, at @ None)) = &mut self.watch
            && *wanted == member
        {
            *at = Some(self.base + self.at);
        }
    }

    /// Returns the file offset of the next byte.
    pub const fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Returns the number of remaining bytes.
    pub const fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Reads the next byte.
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

    /// Reads the next `N` bytes.
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

    /// Reads the next `count` bytes.
    pub fn slice(&mut self, count: u64) -> Result<&'a [u8], DecodeError> {
        if count > self.remaining() as u64 {
            return Err(self.truncated(count));
        }
        let end = self.at + count as usize;
        let out = &self.bytes[self.at..end];
        self.at = end;
        Ok(out)
    }

    /// Reads the next `count` bytes into a `Bytes`.
    pub fn bytes(&mut self, count: u64) -> Result<Bytes, DecodeError> {
        Ok(Bytes(self.slice(count)?.to_vec()))
    }

    /// Reads the next `count` zero-terminated strings. Checks that all strings exist before it
    /// allocates.
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

    /// Returns an empty list with capacity for `count` values, limited to a small multiple of the
    /// remaining bytes.
    pub fn list<T>(&self, count: u64) -> Vec<T> {
        let most = 4 * self.remaining() / std::mem::size_of::<T>().max(1);
        Vec::with_capacity(usize::try_from(count).map_or(most, |c| c.min(most)))
    }

    #[cold]
    fn truncated(&self, needed: u64) -> DecodeError {
        DecodeError::new(self.offset(), DecodeProblem::Truncated { needed, left: self.remaining() as u64 })
    }
}

/// Writer that collects the bytes of an object.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    marks: Option<Vec<(&'static str, usize)>>,
}

impl Writer {
    /// Creates an empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty writer that records where members of structures begin.
    pub fn with_marks() -> Self {
        Self { bytes: Vec::new(), marks: Some(Vec::new()) }
    }

    /// Records that a member of a structure begins here.
    #[inline]
    pub fn mark(&mut self, member: &'static str) {
        if let Some(marks) = &mut self.marks {
            marks.push((member, self.bytes.len()));
        }
    }

    /// Returns the offset of the first member with this name, if marks are recorded.
    pub fn marked(&self, member: &str) -> Option<usize> {
        self.marks.as_ref()?.iter().find(|(name, _)| *name == member).map(|(_, at)| *at)
    }

    /// Returns the number of bytes written.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if nothing was written.
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

    /// Appends zero-terminated strings. Fails for a string that contains a zero byte.
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

    /// Returns the bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Visitor of the structures of the chapters.
pub trait StructureVisitor {
    /// Visits a structure, with its name on the page.
    fn structure<T: Wire>(&mut self, name: &'static str);
}

/// Stored value of an object, read and written in the layout of a version.
pub trait Wire: Sized {
    /// Reads the value.
    ///
    /// # Errors
    /// The bytes end early, or have a value without a meaning on any page.
    fn decode(r: &mut Reader<'_>, cx: Context) -> Result<Self, DecodeError>;

    /// Writes the value.
    ///
    /// # Errors
    /// The value does not fit into its bits, or contradicts another value.
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

/// Value of a bit field.
pub trait Bits: Sized {
    /// Returns the value of the bits.
    ///
    /// # Errors
    /// A reserved bit is set, or the value has no name.
    fn from_bits(bits: u64) -> Result<Self, BadBits>;

    /// Returns the bits of the value.
    ///
    /// # Errors
    /// A member does not fit into its part.
    fn to_bits(&self) -> Result<u64, BadBits>;
}

/// Decodes a field by its type; adds the names of instruction and field to an error.
#[inline]
pub fn field<T: Wire>(
    owner: &'static str,
    field: &'static str,
    r: &mut Reader<'_>,
    cx: Context,
) -> Result<T, DecodeError> {
    T::decode(r, cx).map_err(|e| e.named(owner, field))
}

/// Decodes a field with `read`; adds the names of instruction and field to an error.
#[inline]
pub fn place<'a, T>(
    owner: &'static str,
    field: &'static str,
    r: &mut Reader<'a>,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    read(r).map_err(|e| e.named(owner, field))
}
