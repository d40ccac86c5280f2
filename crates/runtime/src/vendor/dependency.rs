//! Dependencies of a build on files: their states, and checks for changes.
//!
//! The compiler's process records the state of each file that the compiler looked for, including
//! missing files. A missing file that appears later may precede another one and change the build.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::request::Named;

/// State of a path that does not exist.
pub const MISSING: &[u8] = b"missing";
/// State of a folder.
pub const FOLDER: &[u8] = b"folder";
/// State of a file that cannot be compared, such as a pipe. A build that depends on such a file is
/// not cached.
pub const UNKNOWN: &[u8] = b"unknown";

/// Maximum size of a file that is compared by its contents, in bytes. The compiler reads its own
/// library, whose digest would take longer than a build.
const MOST_BYTES: u64 = 1 << 20;

/// Returns the state of a file, by its contents or, for a large file, by its stamp.
pub fn state(path: &Path) -> Vec<u8> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(_) => return MISSING.to_vec(),
    };
    if metadata.is_dir() {
        return FOLDER.to_vec();
    }
    if !metadata.is_file() {
        return UNKNOWN.to_vec();
    }
    if metadata.len() > MOST_BYTES {
        return stamp_of(&metadata);
    }
    let mut bytes = Vec::new();
    // The compiler treats an unreadable file as missing.
    let Ok(file) = fs::File::open(path) else { return MISSING.to_vec() };
    match file.take(MOST_BYTES + 1).read_to_end(&mut bytes) {
        // The file has grown since.
        Ok(size) if size as u64 > MOST_BYTES => UNKNOWN.to_vec(),
        Ok(_) => digest(&bytes).to_vec(),
        Err(_) => UNKNOWN.to_vec(),
    }
}

/// Returns a 128-bit digest of contents.
pub fn digest(bytes: &[u8]) -> [u8; 16] {
    let hash = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(seed);
        hasher.write(bytes);
        hasher.finish().to_le_bytes()
    };
    let mut both = [0; 16];
    both[..8].copy_from_slice(&hash(0));
    both[8..].copy_from_slice(&hash(1));
    both
}

/// Returns size, time and inode of a file. They identify a version of a library without reading it.
pub fn stamp(path: &Path) -> Vec<u8> {
    fs::metadata(path).map_or(MISSING.to_vec(), |file| stamp_of(&file))
}

fn stamp_of(file: &Metadata) -> Vec<u8> {
    format!("{} {}.{} {}", file.size(), file.mtime(), file.mtime_nsec(), file.ino()).into_bytes()
}

/// Returns true if all files have the recorded states.
pub fn are_current(files: &[Named], now: impl Fn(&Path) -> Vec<u8>) -> bool {
    files.iter().all(|(path, state)| state != UNKNOWN && now(Path::new(path)) == *state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_seen() {
        let folder = visakit_testing::scratch("opencl-dependency");
        let file = folder.join("h.h");
        let note = || vec![(file.to_str().unwrap().to_owned(), state(&file))];
        let missing = note();
        assert!(are_current(&missing, state));
        fs::write(&file, "1").unwrap();
        let (one, stamped) = (note(), stamp(&file));
        assert!(are_current(&one, state) && !are_current(&missing, state));
        fs::write(&file, "22").unwrap();
        assert!(!are_current(&one, state) && stamp(&file) != stamped);
        // A large file is compared without reading it.
        fs::write(&file, vec![0; MOST_BYTES as usize + 1]).unwrap();
        let large = note();
        assert!(are_current(&large, state) && large[0].1 == stamp(&file));
        fs::write(&file, vec![0; MOST_BYTES as usize + 2]).unwrap();
        assert!(!are_current(&large, state));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(state(&file), FOLDER);
        assert!(!are_current(&one, state) && !are_current(&missing, state));
        let pipe = vec![("/dev/null".to_owned(), state(Path::new("/dev/null")))];
        assert!(!are_current(&pipe, state));
    }
}
