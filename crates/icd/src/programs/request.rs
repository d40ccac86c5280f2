//! Messages between the driver and the process with the compiler: lists of named bytes, with their
//! lengths in front.

use std::io::{self, Read, Write};

/// Named bytes.
pub type Named = (String, Vec<u8>);

/// A call of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The compiler's library, by a path or a name that the dynamic linker finds.
    pub library: String,
    /// The command line.
    pub arguments: Vec<String>,
    /// Files that it names, which are in memory alone.
    pub sources: Vec<Named>,
    /// Files in memory that sources may include.
    pub headers: Vec<Named>,
}

/// The compiler's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The value that the compiler returned; 0 for success.
    pub code: i32,
    /// The files that it made.
    pub outputs: Vec<Named>,
    /// The files that it looked for while it built, with the contents' digest; see `dependency`.
    pub read: Vec<Named>,
    /// The libraries that it is made of, as they were loaded, with the files' stamps.
    pub loaded: Vec<Named>,
    /// Version of IGC, the back end.
    pub back_end: String,
}

/// A compiler that is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// The compiler's library, for `Request::library`.
    pub library: String,
    /// Version of `ocloc`.
    pub version: String,
    /// Version of IGC, the back end.
    pub back_end: String,
    /// Its help text, which lists devices.
    pub help: String,
    /// The libraries that it is made of, with the files' stamps.
    pub loaded: Vec<Named>,
}

impl Request {
    /// Returns the request as bytes; the same for equal requests.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut arguments = vec![(self.library.clone(), Vec::new())];
        arguments.extend(self.arguments.iter().map(|argument| (argument.clone(), Vec::new())));
        for list in [&arguments, &self.sources, &self.headers] {
            put_list(&mut out, list);
        }
        out
    }

    /// Reads a request.
    ///
    /// # Errors
    /// When the bytes end too early.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut arguments = take_list(from)?.into_iter().map(|(name, _)| name);
        let library = arguments.next().ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Self { library, arguments: arguments.collect(), sources: take_list(from)?, headers: take_list(from)? })
    }
}

/// First letters of the entries of a response that are not outputs of the compiler: those have
/// names without a folder.
const VERSION: &str = "/version";
const READ: &str = "/read:";
const LOADED: &str = "/loaded:";

impl Response {
    /// Returns the response as bytes: the code, and one list of named contents.
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

    /// Reads a response.
    ///
    /// # Errors
    /// When the bytes end too early, or do not name the version.
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

    /// Finds the output with a name.
    pub fn output(&self, name: &str) -> Option<&[u8]> {
        self.outputs.iter().find(|(own, _)| own == name).map(|(_, bytes)| bytes.as_slice())
    }
}

impl Installed {
    /// Returns a list of compilers as bytes.
    pub fn to_bytes(all: &[Self]) -> Vec<u8> {
        let mut out = Vec::new();
        for one in all {
            let texts = [&one.library, &one.version, &one.back_end, &one.help];
            put_list(&mut out, &texts.map(|text| (text.clone(), Vec::new())));
            put_list(&mut out, &one.loaded);
        }
        out
    }

    /// Reads a list of compilers.
    ///
    /// # Errors
    /// When the bytes end in the midst of one.
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
    for bytes in list.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]) {
        out.extend((bytes.len() as u64).to_le_bytes());
        // Writing to a vector cannot fail.
        let _ = out.write_all(bytes);
    }
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

fn take_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let size = take_number(from)?;
    // Room is made as bytes come, so that a wrong size asks for none.
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
