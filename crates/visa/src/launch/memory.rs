//! Memory at fixed addresses that kernels reach by pointers, as in launches recorded by an OpenCL
//! driver.

use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use visakit_diag::Diagnostic;
use visakit_emulator::launch::TextError;
use visakit_emulator::machine::buffer::Lent;

use crate::io::read;

/// Memory region and the file with its contents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Memory {
    /// Start address.
    pub address: u64,
    /// File with the contents.
    pub path: PathBuf,
}

/// Parses `ADDRESS:FILE`.
///
/// # Errors
/// Fails if the text has another form; the error has the byte range.
pub(crate) fn parse(text: &str) -> Result<Memory, TextError> {
    let (number, path) = text.split_once(':').unwrap_or((text, ""));
    let address = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    };
    match address.filter(|_| !path.is_empty()) {
        Some(address) => Ok(Memory { address, path: path.into() }),
        None => Err(TextError {
            code: "memory-place",
            at: 0..text.len(),
            message: format!("`{text}` is not an address with a file"),
            help: "write the address, a colon and the file, such as 0x1000000000:data.bin".to_owned(),
        }),
    }
}

/// Reads the files and returns the memory regions for a launch.
///
/// # Errors
/// Fails if a file cannot be read.
pub(crate) fn load(all: &[Memory]) -> Result<Vec<(u64, Lent)>, Box<Diagnostic>> {
    all.iter().map(|one| Ok((one.address, Lent::for_good(&read(&one.path)?)))).collect()
}

/// Restores the contents of the regions from the files, for a repeated run.
///
/// # Errors
/// Fails if a file cannot be read.
pub(crate) fn restore(all: &[Memory], regions: &[(u64, Lent)]) -> Result<(), Box<Diagnostic>> {
    for (one, (_, lent)) in all.iter().zip(regions) {
        for (word, bytes) in lent.words.iter().zip(read(&one.path)?.chunks(4)) {
            let mut whole = [0; 4];
            whole[..bytes.len()].copy_from_slice(bytes);
            word.store(u32::from_le_bytes(whole), Relaxed);
        }
    }
    Ok(())
}
