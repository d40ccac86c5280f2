//! What the driver and the process with the compiler say to each other: lists of named bytes, with their lengths in front.

use std::io::{self, Read, Write};

/// Named bytes.
pub type Named = (String, Vec<u8>);

/// What the compiler is asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The command line.
    pub arguments: Vec<String>,
    /// Files that it names, which are in memory alone.
    pub sources: Vec<Named>,
    /// Files that sources may include.
    pub headers: Vec<Named>,
}

/// What it answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// What the compiler returned; 0 when all is well.
    pub code: i32,
    /// The files that it made.
    pub outputs: Vec<Named>,
}

impl Request {
    /// The request as bytes; the same for equal requests.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let arguments: Vec<_> = self.arguments.iter().map(|argument| (argument.clone(), Vec::new())).collect();
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
        let arguments = take_list(from)?.into_iter().map(|(name, _)| name).collect();
        Ok(Self { arguments, sources: take_list(from)?, headers: take_list(from)? })
    }
}

impl Response {
    /// The response as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.code.to_le_bytes().to_vec();
        put_list(&mut out, &self.outputs);
        out
    }

    /// Reads a response.
    ///
    /// # Errors
    /// When the bytes end too early.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut code = [0; 4];
        from.read_exact(&mut code)?;
        Ok(Self { code: i32::from_le_bytes(code), outputs: take_list(from)? })
    }

    /// The file with this name.
    pub fn output(&self, name: &str) -> Option<&[u8]> {
        self.outputs.iter().find(|(own, _)| own == name).map(|(_, bytes)| bytes.as_slice())
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
            arguments: vec!["compile".to_owned(), String::new()],
            sources: vec![("k.cl".to_owned(), vec![1, 2, 3])],
            headers: Vec::new(),
        };
        let bytes = request.to_bytes();
        assert_eq!(Request::read(&mut bytes.as_slice()).unwrap(), request);
        assert!((0..bytes.len()).all(|end| Request::read(&mut &bytes[..end]).is_err()));
        let response = Response { code: -7, outputs: vec![("out".to_owned(), vec![0; 9])] };
        let bytes = response.to_bytes();
        assert_eq!(Response::read(&mut bytes.as_slice()).unwrap(), response);
        assert_eq!((response.output("out").map(<[u8]>::len), response.output("log")), (Some(9), None));
        let huge = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 0];
        assert!(Response::read(&mut huge.as_slice()).is_err());
    }
}
