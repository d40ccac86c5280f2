//! Interprocess handles: files of memory or of events' states, which another process opens.
//!
//! A handle begins with the number of a descriptor, as Intel's do: programs such as MPI libraries
//! send the descriptor by a socket and write the number that they receive over it. The file of an
//! unchanged handle is opened through the process that created it, of the same user.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::MetadataExt;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::base::result::*;

/// Kind of files whose descriptors programs pass: memory that other processes map.
pub(crate) const OPAQUE_FD: u32 = 1;

/// Bytes of a handle.
pub(crate) type Bytes = [u8; 64];

/// Contents of a handle's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Memory,
    Events,
}

impl Kind {
    /// Returns the first bytes of a handle.
    const fn magic(self) -> u64 {
        u64::from_le_bytes(match self {
            Self::Memory => *b"visakit1",
            Self::Events => *b"visakit2",
        })
    }
}

/// File that a handle refers to: a descriptor of a process, and the identity of the file, because
/// the process may have closed the descriptor.
#[derive(Clone, Copy)]
struct Contents {
    /// The descriptor, or one that a program has received and written over it.
    passed: u64,
    process: u64,
    descriptor: u64,
    device: u64,
    inode: u64,
    bytes: u64,
}

/// Exported file with the number of its handles.
struct Exported {
    file: File,
    count: u64,
}

/// Files of the handles that this process has created, by identity. They live until all handles are
/// returned.
static EXPORTED: LazyLock<Mutex<HashMap<(u64, u64), Exported>>> = LazyLock::new(Mutex::default);

fn exported() -> MutexGuard<'static, HashMap<(u64, u64), Exported>> {
    EXPORTED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Contents {
    fn to_handle(self, kind: Kind) -> Bytes {
        let Self { passed, process, descriptor, device, inode, bytes } = self;
        let mut handle = [0; size_of::<Bytes>()];
        let fields = [passed, kind.magic(), process, descriptor, device, inode, bytes];
        handle.as_chunks_mut().0.iter_mut().zip(fields).for_each(|(to, field)| *to = field.to_le_bytes());
        handle
    }

    /// Reads a handle, which may hold any bytes.
    fn of(kind: Kind, handle: &Bytes) -> Result<Self> {
        let mut fields = handle.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
        let mut next = || fields.next().unwrap_or(0);
        let passed = next();
        ensure(next() == kind.magic(), ERROR_INVALID_ARGUMENT)?;
        let (process, descriptor, device, inode, bytes) = (next(), next(), next(), next(), next());
        Ok(Self { passed, process, descriptor, device, inode, bytes })
    }

    /// Opens the file by a descriptor of this process or of the one that created the handle.
    fn open(self) -> Result<File> {
        let Self { passed, process, descriptor, .. } = self;
        let sent = (passed == descriptor).then(|| format!("/proc/{process}/fd/{descriptor}"));
        let mut paths = std::iter::once(format!("/proc/self/fd/{passed}")).chain(sent);
        paths.find_map(|path| self.open_at(&path)).ok_or(ERROR_INVALID_ARGUMENT)
    }

    /// Opens a path if it leads to the file.
    fn open_at(self, path: &str) -> Option<File> {
        let is_same = |about: Metadata| (about.dev(), about.ino()) == (self.device, self.inode);
        // Looks before it opens: the path may lead to anything, such as a pipe, which blocks.
        std::fs::metadata(path).is_ok_and(is_same).then_some(())?;
        let file = File::options().read(true).write(true).open(path).ok()?;
        file.metadata().is_ok_and(is_same).then_some(file)
    }

    /// Returns true if this process created the handle and nothing was written over it.
    fn is_own(self) -> bool {
        self.process == u64::from(std::process::id()) && self.passed == self.descriptor
    }
}

/// Creates a handle of a file.
pub(crate) fn export(kind: Kind, file: &File, bytes: usize) -> Result<Bytes> {
    let about = file.metadata().map_err(|_| ERROR_INVALID_ARGUMENT)?;
    let (device, inode) = (about.dev(), about.ino());
    let mut all = exported();
    let own = match all.entry((device, inode)) {
        std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
        std::collections::hash_map::Entry::Vacant(entry) => {
            let file = file.try_clone().map_err(|_| ERROR_OUT_OF_HOST_MEMORY)?;
            entry.insert(Exported { file, count: 0 })
        }
    };
    own.count += 1;
    let descriptor = u64::try_from(own.file.as_raw_fd()).unwrap_or(0);
    let process = u64::from(std::process::id());
    Ok(Contents { passed: descriptor, process, descriptor, device, inode, bytes: bytes as u64 }.to_handle(kind))
}

/// Creates a handle of memory from a descriptor of this process.
pub(crate) fn of_descriptor(descriptor: u64) -> Result<Bytes> {
    let file = open_descriptor(i32::try_from(descriptor).map_err(|_| ERROR_INVALID_ARGUMENT)?)?;
    let about = file.metadata().map_err(|_| ERROR_INVALID_ARGUMENT)?;
    ensure(about.len() > 0, ERROR_INVALID_ARGUMENT)?;
    export(Kind::Memory, &file, usize::try_from(about.len()).map_err(|_| ERROR_INVALID_ARGUMENT)?)
}

/// Returns a new descriptor of a file, which the program owns.
pub(crate) fn give_descriptor(file: &File) -> Result<i32> {
    file.try_clone().map(IntoRawFd::into_raw_fd).map_err(|_| ERROR_OUT_OF_HOST_MEMORY)
}

/// Opens a descriptor of the program, which it keeps.
pub(crate) fn open_descriptor(descriptor: i32) -> Result<File> {
    let file = File::options().read(true).write(true).open(format!("/proc/self/fd/{descriptor}"));
    let file = file.map_err(|_| ERROR_INVALID_ARGUMENT)?;
    let is_file = file.metadata().is_ok_and(|about| about.is_file());
    ensure(is_file, ERROR_INVALID_ARGUMENT)?;
    Ok(file)
}

/// Returns the descriptor of a handle of this process with memory.
pub(crate) fn descriptor(handle: &Bytes) -> Result<u64> {
    let contents = Contents::of(Kind::Memory, handle)?;
    ensure(contents.is_own(), ERROR_INVALID_ARGUMENT)?;
    ensure(exported().contains_key(&(contents.device, contents.inode)), ERROR_INVALID_ARGUMENT)?;
    Ok(contents.descriptor)
}

/// Takes back a handle of this process.
pub(crate) fn take_back(kind: Kind, handle: &Bytes) -> Result {
    let contents = Contents::of(kind, handle)?;
    ensure(contents.is_own(), ERROR_INVALID_ARGUMENT)?;
    let mut all = exported();
    let key = (contents.device, contents.inode);
    let own = all.get_mut(&key).ok_or(ERROR_INVALID_ARGUMENT)?;
    ensure(u64::try_from(own.file.as_raw_fd()) == Ok(contents.descriptor), ERROR_INVALID_ARGUMENT)?;
    own.count -= 1;
    if own.count == 0 {
        all.remove(&key);
    }
    Ok(())
}

/// Opens the file of a handle, and returns it with the size of its contents.
pub(crate) fn open(kind: Kind, handle: &Bytes) -> Result<(File, usize)> {
    let contents = Contents::of(kind, handle)?;
    Ok((contents.open()?, usize::try_from(contents.bytes).map_err(|_| ERROR_INVALID_ARGUMENT)?))
}
