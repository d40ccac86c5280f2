//! Cache of builds on disk, so that a program is compiled only once.
//!
//! An entry is a file in the cache's own folder, named by the hash of its request. It holds the
//! whole request, so that a hash collision cannot yield a wrong response. It also holds a digest of
//! its contents, so that a damaged entry is ignored. Entries are written under a temporary name and
//! renamed, so that processes never see a partial entry.
//!
//! *Invariant*: the cache removes or overwrites only files that it has created. Its folder has a
//! mark, no other user can write to it, and only regular files with names of the form of entries
//! are touched. Links are not followed.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::base::say::say;
use crate::vendor::dependency::digest;

/// Maximum size of all entries together in bytes; least recently used entries are removed.
const MOST_BYTES: u64 = 1 << 30;
/// Number of entries that a process stores between two looks at the size of all entries. The first
/// entry of a process is followed by a look.
const PUTS: u64 = 64;
/// Name of the cache's own folder within the folder that the user names.
const FOLDER: &str = "opencl-builds";
/// Name of the file that marks the folder as a cache; backup tools recognise it.
const MARK: &str = "CACHEDIR.TAG";
/// Contents of the mark.
const SIGNATURE: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# Builds of the visakit OpenCL driver.\n";
/// First bytes of an entry.
const MAGIC: &[u8; 16] = b"visakit build 2\n";
/// Number of digits in an entry's name.
const DIGITS: usize = 32;
/// Suffixes of the names of entries and of unfinished entries.
const ENTRY: &str = ".build";
const ASIDE: &str = ".new";
/// Age after which an unfinished entry is considered abandoned.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// Cache in a folder.
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens the cache in a folder that the user names, creating missing folders. An unusable
    /// folder is reported once.
    pub fn open(named: &Path) -> Option<Self> {
        static IS_REPORTED: AtomicBool = AtomicBool::new(false);
        match Self::try_open(named) {
            Ok(cache) => Some(cache),
            Err(error) => {
                // A read-only or full disk is normal and not reported.
                let is_usual =
                    [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::StorageFull].contains(&error.kind());
                if !is_usual && !IS_REPORTED.swap(true, Ordering::Relaxed) {
                    say(&format!("builds are not cached in {}: {error}", named.display()));
                }
                None
            }
        }
    }

    fn try_open(named: &Path) -> io::Result<Self> {
        let make = |folder: &Path, recursive| DirBuilder::new().recursive(recursive).mode(0o700).create(folder);
        if !named.is_dir() {
            make(named, true)?;
        }
        // A user with write access to this folder could replace the cache's folder.
        check_owner(&fs::metadata(named)?, "the folder")?;
        let folder = named.join(FOLDER);
        let is_new = match make(&folder, false) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(error) => return Err(error),
        };
        let found = fs::symlink_metadata(&folder)?;
        if !found.is_dir() {
            return Err(io::Error::other(format!("its {FOLDER} is not a folder")));
        }
        check_owner(&found, FOLDER)?;
        let mark = folder.join(MARK);
        let is_marked =
            || read_file(&mark, SIGNATURE.len() as u64).map(|text| SIGNATURE.as_bytes().starts_with(&text));
        match is_marked() {
            Err(error) if error.kind() == io::ErrorKind::NotFound && (is_new || is_empty(&folder)) => {
                match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&mark) {
                    Ok(mut file) => file.write_all(SIGNATURE.as_bytes())?,
                    // Another thread or process was faster.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
            }
            // Another process may be writing the mark, or may have made it since.
            Ok(true) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_marked().is_ok_and(|is| is) => {}
            _ => {
                return Err(io::Error::other(format!(
                    "its {FOLDER} was not made by the cache: the mark {MARK} is missing"
                )));
            }
        }
        Ok(Self { folder })
    }

    /// Returns the path of a request's entry.
    fn path(&self, request: &[u8]) -> PathBuf {
        let digits: String = digest(request).iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(digits + ENTRY)
    }

    /// Returns the cached response to a request.
    pub fn get(&self, request: &[u8]) -> Option<Vec<u8>> {
        let path = self.path(request);
        let bytes = read_file(&path, MOST_BYTES).ok()?;
        let answer = answer_of(&bytes, request)?.to_vec();
        // Marks the entry as recently used. If this fails, the entry is removed earlier.
        let _ = open_file(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(answer)
    }

    /// Stores the response to a request. If the disk is full or the folder is read-only, the
    /// response is not cached.
    pub fn put(&self, request: &[u8], answer: &[u8]) {
        let _ = self.try_put(request, answer);
    }

    fn try_put(&self, request: &[u8], answer: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let parts = [&MAGIC[..], &(request.len() as u64).to_le_bytes(), request, answer];
        let size: usize = parts.iter().map(|part| part.len()).sum();
        if size as u64 > MOST_BYTES.min(largest_file()) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size + 16).map_err(|_| io::ErrorKind::OutOfMemory)?;
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        bytes.extend(digest(&bytes));
        let (path, count) = (self.path(request), COUNT.fetch_add(1, Ordering::Relaxed));
        let aside = path.with_extension(format!("{}-{count}{ASIDE}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside)?;
        let kept = file.write_all(&bytes).and_then(|()| fs::rename(&aside, path));
        if kept.is_err() {
            let _ = fs::remove_file(&aside);
        }
        kept?;
        // Looking at every entry may take a tenth of a build.
        if count.is_multiple_of(PUTS) { self.shrink(MOST_BYTES) } else { Ok(()) }
    }

    /// Removes least recently used entries until all have at most `most` bytes together, and
    /// removes abandoned files.
    fn shrink(&self, most: u64) -> io::Result<()> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            let Some(kind) = name.to_str().and_then(kind_of) else { continue };
            // The metadata of a link are its own, not its target's.
            let Ok(metadata) = entry.metadata() else { continue };
            let Ok(time) = metadata.modified() else { continue };
            if !metadata.is_file() {
                continue;
            }
            if kind == ASIDE {
                if time.elapsed().is_ok_and(|age| age > LEFT_BEHIND) {
                    let _ = fs::remove_file(entry.path());
                }
                continue;
            }
            entries.push((time, metadata.len(), entry.path()));
        }
        entries.sort_unstable();
        let mut all: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in entries {
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

/// Refuses a folder that another user owns or can write to.
fn check_owner(folder: &Metadata, name: &str) -> io::Result<()> {
    // SAFETY: the call has no parameters and cannot fail.
    let own = unsafe { libc::geteuid() };
    if folder.uid() != own {
        return Err(io::Error::other(format!("{name} belongs to another user")));
    }
    if folder.mode() & 0o022 != 0 {
        return Err(io::Error::other(format!("other users can write to {name}; run `chmod go-w` on it")));
    }
    Ok(())
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Returns the suffix of a name of the cache's form; `None` for other names.
fn kind_of(name: &str) -> Option<&'static str> {
    let (digits, rest) = name.split_at_checked(DIGITS)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)) {
        return None;
    }
    if rest == ENTRY {
        return Some(ENTRY);
    }
    let (process, count) = rest.strip_prefix('.')?.strip_suffix(ASIDE)?.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(process) && is_number(count)).then_some(ASIDE)
}

/// Opens a regular file; links are refused.
fn open_file(path: &Path) -> io::Result<File> {
    // Without `O_NONBLOCK`, opening a pipe would wait for a writer.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Reads a regular file of at most `most` bytes.
fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, mut bytes) = (open_file(path)?, Vec::new());
    if file.metadata()?.len() > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the response in an entry if the entry is intact and belongs to this request.
fn answer_of<'a>(entry: &'a [u8], request: &[u8]) -> Option<&'a [u8]> {
    let (content, sum) = entry.split_last_chunk::<16>()?;
    if *sum != digest(content) {
        return None;
    }
    let (size, rest) = content.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
    (rest.get(..size)? == request).then(|| &rest[size..])
}

/// Returns the file size limit of the process; exceeding it would raise a signal.
fn largest_file() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives during the call.
    if unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0 { limit.rlim_cur } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn cache(name: &str) -> (PathBuf, Cache) {
        let named = visakit_testing::scratch(name);
        fs::set_permissions(&named, fs::Permissions::from_mode(0o755)).unwrap();
        let cache = Cache::try_open(&named).unwrap();
        (named, cache)
    }

    /// Threads that use a new folder at the same time all get the cache.
    #[test]
    fn a_new_folder_is_opened_at_once_by_many() {
        for round in 0..50 {
            let named = visakit_testing::scratch("opencl-cache-new").join(round.to_string());
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                let open = || {
                    start.wait();
                    Cache::try_open(&named).map(drop)
                };
                let all: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
                all.into_iter().for_each(|one| one.join().unwrap().unwrap());
            });
        }
    }

    #[test]
    fn keeps_finds_and_forgets() {
        let (_, cache) = cache("opencl-cache");
        assert_eq!(cache.get(b"a"), None);
        cache.put(b"a", b"one");
        cache.put(b"b", b"two");
        assert_eq!((cache.get(b"a"), cache.get(b"b")), (Some(b"one".to_vec()), Some(b"two".to_vec())));
        let old = SystemTime::UNIX_EPOCH;
        File::open(cache.path(b"b")).unwrap().set_modified(old).unwrap();
        cache.shrink(60).unwrap();
        assert_eq!((cache.get(b"a"), cache.get(b"b")), (Some(b"one".to_vec()), None));
    }

    /// An entry of another request, a truncated entry, and one with any changed byte are ignored
    /// and replaced.
    #[test]
    fn damaged_entries_are_rebuilt() {
        let (_, cache) = cache("opencl-cache-damaged");
        cache.put(b"request", b"answer");
        cache.put(b"other", b"wrong");
        let (path, whole) = (cache.path(b"request"), fs::read(cache.path(b"request")).unwrap());
        fs::copy(cache.path(b"other"), &path).unwrap();
        assert_eq!(cache.get(b"request"), None);
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.get(b"request"), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.get(b"request"), None, "cut at {at}");
        }
        cache.put(b"request", b"answer");
        assert_eq!(cache.get(b"request").as_deref(), Some(&b"answer"[..]));
    }

    /// Foreign files in the user's folder and in the cache's own folder stay, and links are not
    /// followed for reading or writing.
    #[test]
    fn files_of_others_stay() {
        let (named, cache) = cache("opencl-cache-others");
        let folder = cache.folder.clone();
        let digits = "0123456789abcdef0123456789abcdef";
        let planted = ["thesis.txt", "a.build", "1-2.new", ".hidden", "0123456789ABCDEF0123456789ABCDEF.build"];
        let near = [format!("{digits}.build~"), format!("{digits}0.build"), format!("{digits}.x-1.new")];
        let outside = named.join("outside");
        fs::write(&outside, "theirs").unwrap();
        for name in planted.iter().copied().chain(near.iter().map(String::as_str)) {
            for place in [&named, &folder] {
                let file = place.join(name);
                fs::write(&file, "theirs").unwrap();
                File::open(file).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
            }
        }
        fs::write(named.join(format!("{digits}.build")), "theirs").unwrap();
        symlink(&outside, folder.join(format!("{digits}.build"))).unwrap();
        fs::create_dir(folder.join(format!("{}.build", digits.replace('0', "1")))).unwrap();
        let before = |place: &Path| {
            let mut names: Vec<_> = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let (outer, inner) = (before(&named), before(&folder));
        // A link in place of an entry: its target is neither returned nor overwritten.
        let entry = cache.path(b"linked");
        cache.put(b"linked", b"x");
        fs::rename(&entry, named.join("moved")).unwrap();
        symlink(named.join("moved"), &entry).unwrap();
        assert_eq!(cache.get(b"linked"), None);
        let moved = fs::read(named.join("moved")).unwrap();
        cache.put(b"linked", b"longer answer");
        assert_eq!(fs::read(named.join("moved")).unwrap(), moved);
        fs::remove_file(named.join("moved")).unwrap();
        // An abandoned file of a killed process is removed; a recent one may still be written.
        let left = folder.join(format!("{digits}.77-1.new"));
        fs::write(&left, "half").unwrap();
        cache.shrink(0).unwrap();
        assert!(left.exists());
        File::open(&left).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        cache.shrink(0).unwrap();
        assert_eq!((before(&named), before(&folder)), (outer, inner));
        assert_eq!(fs::read(outside).unwrap(), b"theirs");
    }

    /// Folders that another user could change, or that are not the cache's, are refused.
    #[test]
    fn strange_folders_are_refused() {
        let named = visakit_testing::scratch("opencl-cache-strange");
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let refused = |why: &str| match Cache::try_open(&named) {
            Ok(_) => panic!("not refused: {why}"),
            Err(error) => assert!(error.to_string().contains(why), "{error}"),
        };
        for bits in [0o777, 0o1777, 0o775, 0o757] {
            mode(&named, bits);
            refused("other users can write");
        }
        mode(&named, 0o755);
        let folder = named.join(FOLDER);
        symlink(&named, &folder).unwrap();
        refused("is not a folder");
        fs::remove_file(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        mode(&folder, 0o700);
        fs::write(folder.join("0.txt"), "theirs").unwrap();
        refused("mark");
        fs::write(folder.join(MARK), "another tool's").unwrap();
        refused("mark");
        fs::write(folder.join(MARK), SIGNATURE).unwrap();
        mode(&folder, 0o770);
        refused("other users can write");
        mode(&folder, 0o700);
        assert!(Cache::try_open(&named).is_ok());
    }
}
