//! Builds on disk, so that a program is compiled once.
//!
//! A file is named by the hash of what was asked for and holds it whole, so that a wrong answer cannot come out of two requests
//! with one hash. Files are written aside and then renamed: processes see whole ones or none.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Bytes that all files have together; the ones that were used least recently go.
const MOST_BYTES: u64 = 1 << 30;

/// A folder of builds.
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache in a folder, which is made when something is kept.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The file of a request.
    fn path(&self, request: &[u8]) -> PathBuf {
        let hash = |seed: u8| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(seed);
            hasher.write(request);
            hasher.finish()
        };
        self.folder.join(format!("{:016x}{:016x}.build", hash(0), hash(1)))
    }

    /// The answer to a request, where it is known.
    pub(crate) fn get(&self, request: &[u8]) -> Option<Vec<u8>> {
        let mut file = fs::File::open(self.path(request)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let (size, rest) = bytes.split_first_chunk::<8>()?;
        let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
        if rest.get(..size)? != request {
            return None;
        }
        // It was used now; where that cannot be noted it goes earlier.
        let _ = file.set_modified(SystemTime::now());
        Some(rest[size..].to_vec())
    }

    /// Keeps the answer to a request. A full disk or a folder that cannot be written only means that it is not kept.
    pub(crate) fn put(&self, request: &[u8], answer: &[u8]) {
        let _ = self.try_put(request, answer);
    }

    fn try_put(&self, request: &[u8], answer: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(&self.folder)?;
        let name = format!("{}-{}.new", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let aside = self.folder.join(name);
        let mut file = fs::File::create_new(&aside)?;
        let parts = [&(request.len() as u64).to_le_bytes()[..], request, answer];
        let written = parts.iter().try_for_each(|part| file.write_all(part));
        let kept = written.and_then(|()| fs::rename(&aside, self.path(request)));
        if kept.is_err() {
            let _ = fs::remove_file(&aside);
        }
        kept?;
        self.shrink(MOST_BYTES)
    }

    /// Removes the files that were used least recently until all have together at most so many bytes.
    fn shrink(&self, most: u64) -> io::Result<()> {
        let mut files: Vec<_> = fs::read_dir(&self.folder)?
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let metadata = path.metadata().ok()?;
                Some((metadata.modified().ok()?, metadata.len(), path))
            })
            .collect();
        files.sort_unstable();
        let mut all: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in files {
            if all <= most {
                break;
            }
            // Another process may have removed it.
            let _ = fs::remove_file(path);
            all -= bytes;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_finds_and_forgets() {
        let cache = Cache::new(&visakit_testing::scratch("opencl-cache"));
        assert_eq!(cache.get(b"a"), None);
        cache.put(b"a", b"one");
        cache.put(b"b", b"two");
        assert_eq!((cache.get(b"a"), cache.get(b"b")), (Some(b"one".to_vec()), Some(b"two".to_vec())));
        // A file with another request under this one's name, and a cut off one, are as if they were not there.
        fs::copy(cache.path(b"b"), cache.path(b"c")).unwrap();
        assert_eq!(cache.get(b"c"), None);
        fs::write(cache.path(b"c"), [9; 7]).unwrap();
        assert_eq!(cache.get(b"c"), None);
        let old = SystemTime::UNIX_EPOCH;
        fs::File::open(cache.path(b"b")).unwrap().set_modified(old).unwrap();
        fs::remove_file(cache.path(b"c")).unwrap();
        cache.shrink(20).unwrap();
        assert_eq!((cache.get(b"a"), cache.get(b"b")), (Some(b"one".to_vec()), None));
    }
}
