//! Executable programs from the compiler's output and from native files.

use std::sync::Arc;

use visakit::isa::Platform;
use visakit_emulator::run;
use visakit_zebin::archive;
use visakit_zebin::spirv::Module;

use crate::base::failure::{ROOM, check_room};
use crate::programs::binary::{Binary, Imports};
use crate::programs::build::Built;

/// Memory needed to read one byte of a zebin, in bytes.
const READ_BYTES: u64 = 64;

/// Creates an executable program from the compiler's output, and returns it with the log.
pub fn from_build(
    target: Platform,
    built: Built,
    is_uniform: bool,
    imports: Imports,
) -> (Option<Arc<Binary>>, String) {
    let Built { output, mut log } = built;
    let ready = |bytes: Vec<u8>| {
        // Parsed texts need many times their size.
        let room = ROOM + (bytes.len() as u64).saturating_mul(READ_BYTES);
        check_room(room).map_err(|_| "error: the program cannot be allocated: out of memory\n".to_owned())?;
        let binary = Binary::new(bytes, is_uniform)?;
        binary.check(target, imports)?;
        Ok(binary)
    };
    let binary = output.and_then(|bytes| match ready(bytes) {
        Ok(binary) => Some(binary),
        Err::<_, String>(why) => {
            log += &why;
            None
        }
    });
    (binary, log)
}

/// Contents of a native file for a device.
pub enum Native {
    /// Executable program.
    Ready(Arc<Binary>),
    /// SPIR-V to compile, because the file has no vISA for the device.
    Module(Module),
}

/// Reads a native file for a device: a zebin, or an archive that holds one.
pub fn native(target: Platform, file: &[u8], imports: Imports) -> Option<Native> {
    let is_usable =
        |binary: &Arc<Binary>| binary.allows(imports) && run::Program::platform_of(&binary.zebin) == Some(target);
    let read = |bytes: &[u8]| Binary::new(bytes.to_vec(), false).ok().filter(is_usable);
    let binary = if archive::is_archive(file) {
        archive::members(file).filter_map(std::result::Result::ok).find_map(|(_, bytes)| read(bytes))
    } else {
        read(file)
    };
    let can_run = |binary: &Arc<Binary>| !binary.zebin.texts.is_empty() || binary.names().is_empty();
    match binary.filter(can_run) {
        Some(binary) => Some(Native::Ready(binary)),
        None => visakit_zebin::spirv::find(file, Some(target)).map(Native::Module),
    }
}
