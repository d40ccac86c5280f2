//! Messages between the driver and the compiler's process: lists of named byte strings with length
//! prefixes.

use std::io::{self, Read};

/// Named byte string.
pub type Named = (String, Vec<u8>);

/// Call of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Compiler's library, by a path or a name that the dynamic linker finds.
    pub library: String,
    /// Command line.
    pub arguments: Vec<String>,
    /// Files named in the command line, which exist only in memory.
    pub sources: Vec<Named>,
    /// Files in memory that sources may include.
    pub headers: Vec<Named>,
}

/// Response of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Return value of the compiler; 0 for success.
    pub code: i32,
    /// Output files.
    pub outputs: Vec<Named>,
    /// Files that the compiler looked for during the build, with their digests; see `dependency`.
    pub read: Vec<Named>,
    /// Loaded libraries of the compiler, with the files' stamps.
    pub loaded: Vec<Named>,
    /// Version of IGC, the back end.
    pub back_end: String,
}

/// Installed compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// Compiler's library, for `Request::library`.
    pub library: String,
    /// Version of `ocloc`.
    pub version: String,
    /// Version of IGC, the back end.
    pub back_end: String,
    /// Help text, which lists devices.
    pub help: String,
    /// Libraries of the compiler, with the files' stamps.
    pub loaded: Vec<Named>,
}

impl Request {
    /// Serialises the request; equal requests yield equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut arguments = vec![(self.library.clone(), Vec::new())];
        arguments.extend(self.arguments.iter().map(|argument| (argument.clone(), Vec::new())));
        for list in [&arguments, &self.sources, &self.headers] {
            put_list(&mut out, list);
        }
        out
    }

    /// Deserialises a request.
    ///
    /// # Errors
    /// Fails if the bytes end too early.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut arguments = take_list(from)?.into_iter().map(|(name, _)| name);
        let library = arguments.next().ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Self { library, arguments: arguments.collect(), sources: take_list(from)?, headers: take_list(from)? })
    }
}

/// Name prefixes of response entries that are not outputs of the compiler, whose names contain no
/// folder.
const VERSION: &str = "/version";
const READ: &str = "/read:";
const LOADED: &str = "/loaded:";

impl Response {
    /// Serialises the response: the code, and one list of named contents.
    pub fn to_bytes(&self) -> Vec<u8> {
        let marked = |mark: &str, list: &[Named]| -> Vec<Named> {
            list.iter().map(|(name, bytes)| (format!("{mark}{name}"), bytes.clone())).collect()
        };
        let mut all = self.outputs.clone();
        all.push((VERSION.to_owned(), self.back_end.clone().into_bytes()));
        all.extend(marked(READ, &self.read));
        all.extend(marked(LOADED, &self.loaded));
        let mut out = self.code.to_le_bytes().to_vec();
        put_list(&mut out, &all);
        out
    }

    /// Deserialises a response.
    ///
    /// # Errors
    /// Fails if the bytes end too early or lack the version.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut code = [0; 4];
        from.read_exact(&mut code)?;
        let mut response = Self { code: i32::from_le_bytes(code), ..Self::default() };
        let mut version = None;
        for (name, bytes) in take_list(from)? {
            if name == VERSION {
                version = Some(String::from_utf8_lossy(&bytes).into_owned());
            } else if let Some(name) = name.strip_prefix(READ) {
                response.read.push((name.to_owned(), bytes));
            } else if let Some(name) = name.strip_prefix(LOADED) {
                response.loaded.push((name.to_owned(), bytes));
            } else {
                response.outputs.push((name, bytes));
            }
        }
        response.back_end = version.ok_or(io::ErrorKind::InvalidData)?;
        Ok(response)
    }

    /// Returns the output with a name.
    pub fn output(&self, name: &str) -> Option<&[u8]> {
        self.outputs.iter().find(|(own, _)| own == name).map(|(_, bytes)| bytes.as_slice())
    }
}

impl Installed {
    /// Serialises a list of compilers.
    pub fn to_bytes(all: &[Self]) -> Vec<u8> {
        let mut out = Vec::new();
        for one in all {
            let texts = [&one.library, &one.version, &one.back_end, &one.help];
            put_list(&mut out, &texts.map(|text| (text.clone(), Vec::new())));
            put_list(&mut out, &one.loaded);
        }
        out
    }

    /// Deserialises a list of compilers.
    ///
    /// # Errors
    /// Fails if the bytes end inside an entry.
    pub fn read(bytes: &[u8]) -> io::Result<Vec<Self>> {
        let (mut rest, mut all) = (bytes, Vec::new());
        while !rest.is_empty() {
            let mut texts = take_list(&mut rest)?.into_iter().map(|(text, _)| text);
            let mut next = || texts.next().ok_or(io::ErrorKind::UnexpectedEof);
            let (library, version, back_end, help) = (next()?, next()?, next()?, next()?);
            all.push(Self { library, version, back_end, help, loaded: take_list(&mut rest)? });
        }
        Ok(all)
    }
}

fn put_list(out: &mut Vec<u8>, list: &[Named]) {
    out.extend((list.len() as u64).to_le_bytes());
    list.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]).for_each(|bytes| put_bytes(out, bytes));
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Serialises byte strings, each of which `take_bytes` reads.
pub fn joined(all: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    all.iter().for_each(|bytes| put_bytes(&mut out, bytes));
    out
}

fn take_list(from: &mut impl Read) -> io::Result<Vec<Named>> {
    (0..take_number(from)?)
        .map(|_| {
            let name = String::from_utf8_lossy(&take_bytes(from)?).into_owned();
            Ok((name, take_bytes(from)?))
        })
        .collect()
}

fn take_number(from: &mut impl Read) -> io::Result<u64> {
    let mut number = [0; 8];
    from.read_exact(&mut number)?;
    Ok(u64::from_le_bytes(number))
}

/// Reads a byte string.
///
/// # Errors
/// Fails if the bytes end too early or do not fit into memory.
pub fn take_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let size = take_number(from)?;
    // Memory is allocated as bytes arrive, so that a wrong size allocates nothing.
    let mut bytes = Vec::new();
    from.take(size).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_and_cut_off() {
        let request = Request {
            library: "libocloc.so".to_owned(),
            arguments: vec!["compile".to_owned(), String::new()],
            sources: vec![("k.cl".to_owned(), vec![1, 2, 3])],
            headers: Vec::new(),
        };
        let bytes = request.to_bytes();
        assert_eq!(Request::read(&mut bytes.as_slice()).unwrap(), request);
        assert!((0..bytes.len()).all(|end| Request::read(&mut &bytes[..end]).is_err()));
        let named = |name: &str| vec![(name.to_owned(), vec![0; 9])];
        let response = Response { code: -7, outputs: named("out"), read: named("/h.h"), ..Response::default() };
        let bytes = response.to_bytes();
        assert_eq!(Response::read(&mut bytes.as_slice()).unwrap(), response);
        assert!((0..bytes.len()).all(|end| Response::read(&mut &bytes[..end]).is_err()));
        let installed = Installed { library: "l".to_owned(), help: "can be: dg2".to_owned(), ..Installed::default() };
        let all = vec![installed.clone(), Installed { loaded: named("/l"), ..installed }];
        let bytes = Installed::to_bytes(&all);
        assert_eq!(Installed::read(&bytes).unwrap(), all);
        assert!(Installed::read(&bytes[..bytes.len() - 1]).is_err());
        assert_eq!((response.output("out").map(<[u8]>::len), response.output("log")), (Some(9), None));
        let huge = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 0];
        assert!(Response::read(&mut huge.as_slice()).is_err());
    }
}
