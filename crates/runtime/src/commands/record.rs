//! Option `VISAKIT_RECORD`: writes each launch as a launch file of `visa run`, with its program and
//! its buffers.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use visakit::isa::Platform;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::buffer::Lent;
use visakit_emulator::machine::memory::Regions;
use visakit_emulator::machine::sampler::Addressing;
use visakit_zebin::info::KernelInfo;

use crate::base::say::say;

/// Records a launch before it runs. A failed write is reported, and the launch continues.
pub fn launch(
    folder: &Path,
    (zebin, platform): (&[u8], Platform),
    info: &KernelInfo,
    range: &NdRange,
    arguments: &[Option<Argument>],
    shared: &[Arc<Regions>],
) {
    if let Err(error) = write(folder, (zebin, platform), info, range, arguments, shared) {
        say(&format!("VISAKIT_RECORD={}: {error}", folder.display()));
    }
}

fn write(
    folder: &Path,
    (zebin, platform): (&[u8], Platform),
    info: &KernelInfo,
    range: &NdRange,
    arguments: &[Option<Argument>],
    shared: &[Arc<Regions>],
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = next(folder)?;
    let program = program(folder, zebin)?;
    let used = range.dimensions as usize;
    let mut text = format!("# visa run --launch {name}.toml\nprogram = \"{program}\"\n");
    // Some programs do not name their platform.
    let _ = writeln!(text, "platform = \"{}\"", platform.name());
    let _ = writeln!(text, "kernel = {:?}\nglobal = {:?}", info.name, &range.global[..used]);
    let _ = writeln!(text, "local = {:?}\noffset = {:?}\narg = [", &range.local[..used], &range.offset[..used]);
    for (index, argument) in arguments.iter().enumerate() {
        let Some(argument) = argument else { continue };
        let file = format!("{name}.{index}.bin");
        let spec = match argument {
            Argument::Lent(lent, _) | Argument::Part { part: lent, .. } => {
                fs::write(folder.join(&file), bytes(lent))?;
                format!("file:{file}")
            }
            Argument::LentImage(lent, image) => {
                let desc = &image.desc;
                let mut texels = bytes(lent);
                if desc.pitch > 0 {
                    let row = desc.size[0] as usize * image.format.bytes();
                    texels = texels
                        .chunks(desc.pitch as usize)
                        .flat_map(|line| &line[..row.min(line.len())])
                        .copied()
                        .collect();
                }
                fs::write(folder.join(&file), texels)?;
                let mut sides = desc.size;
                if desc.is_array {
                    sides[desc.dimensions] = desc.layers;
                }
                let [width, height, depth] = sides;
                format!("image:{}:{width}x{height}x{depth}:{file}", image.format.name())
            }
            Argument::Local(bytes) => format!("local:{bytes}"),
            Argument::Pointer(address) => format!("u64:{address}"),
            Argument::Same(other) => format!("same:{other}"),
            Argument::Sampler(sampler) => {
                let addressing = match sampler.addressing {
                    Addressing::None => "none",
                    Addressing::Clamp => "clamp",
                    Addressing::ClampToEdge => "clamp_to_edge",
                    Addressing::Repeat => "repeat",
                    Addressing::Mirror => "mirror",
                };
                let filter = if sampler.linear { "linear" } else { "nearest" };
                format!("sampler:{addressing},{filter}{}", if sampler.normalized { ",normalized" } else { "" })
            }
            Argument::Value(bytes) => {
                let digits = bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
                format!("bytes:{digits}")
            }
            // The driver creates no other arguments.
            Argument::Buffer(_) | Argument::Undefined(_) | Argument::Image(_) => continue,
        };
        let _ = writeln!(text, "    \"{index}={spec}\",");
    }
    text += "]\nmemory = [\n";
    // Shared memory keeps its addresses, so that pointers in it and to it stay valid.
    for (number, (address, lent)) in shared.iter().flat_map(|regions| regions.all()).enumerate() {
        let file = format!("{name}.memory{number}.bin");
        fs::write(folder.join(&file), bytes(lent))?;
        let _ = writeln!(text, "    \"0x{address:x}:{file}\",");
    }
    text += "]\n";
    fs::write(folder.join(format!("{name}.toml")), text)
}

/// Returns the next number that no other launch has, of this or another process.
fn next(folder: &Path) -> io::Result<String> {
    static NEXT: Mutex<u32> = Mutex::new(0);
    let mut number = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let name = format!("{:04}", *number);
        *number += 1;
        match File::create_new(folder.join(format!("{name}.toml"))) {
            Ok(_) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the file of a program, which is written once.
fn program(folder: &Path, zebin: &[u8]) -> io::Result<String> {
    static WRITTEN: LazyLock<Mutex<HashMap<Vec<u8>, String>>> = LazyLock::new(Mutex::default);
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = written.get(zebin) {
        return Ok(name.clone());
    }
    let name = format!("program-{}-{}.zebin", std::process::id(), written.len());
    fs::write(folder.join(&name), zebin)?;
    written.insert(zebin.to_vec(), name.clone());
    Ok(name)
}

fn bytes(lent: &Lent) -> Vec<u8> {
    let mut bytes = Vec::new();
    for range in lent.readable() {
        // Memory that kernels cannot access is recorded as zeros.
        bytes.resize(range.start * 4, 0);
        bytes.extend(lent.words[range].iter().flat_map(|word| word.load(Relaxed).to_le_bytes()));
    }
    bytes.resize(lent.bytes, 0);
    bytes
}
