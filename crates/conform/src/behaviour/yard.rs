//! Test memory for the cases: small buffers in the binding table, and shared local memory.

use std::sync::atomic::Ordering::Relaxed;

use visakit_emulator::machine::World;
use visakit_emulator::machine::buffer::Buffer;
use visakit_emulator::machine::image::{Image, ImageDesc};
use visakit_emulator::machine::memory::Memory;
use visakit_emulator::machine::sampler::Sampler;
use visakit_emulator::machine::trace::Trace;
use visakit_oracle::float::Format;

use super::pictures;
use super::pool::{Pool, Random};
use super::wrong::Slip;

/// Size of each buffer in bytes.
pub(super) const BYTES: u64 = 1024;

/// Number of bound buffers.
const BUFFERS: usize = 2;

/// Number of binding table entries.
const ENTRIES: usize = 64;

/// Memory and images of one side of a comparison.
pub(super) struct Yard {
    memory: Memory,
    local: Buffer,
    scratch: Buffer,
    bindings: Vec<Option<usize>>,
    /// Images of the binding table, if the instruction needs any; their buffers follow the others.
    images: Vec<Option<Image>>,
    pictures: Vec<Option<usize>>,
    samplers: Vec<Option<Sampler>>,
    trace: Trace,
    /// Initial contents.
    filled: Vec<u8>,
}

impl Yard {
    pub(super) fn new() -> Self {
        let mut memory = Memory::default();
        for _ in 0..BUFFERS {
            memory.map(Buffer::zeros(BYTES as usize));
        }
        for buffer in pictures::buffers() {
            memory.map(buffer);
        }
        let [local, scratch] = [0, 1].map(|_| Buffer::zeros(BYTES as usize));
        // Every third entry has no buffer.
        let bindings = (0..ENTRIES).map(|n| Some(n % 3).filter(|n| *n < BUFFERS)).collect();
        let trace = Trace::new(BUFFERS + pictures::COUNT, false);
        let samplers = pictures::samplers();
        let (images, pictures) = (Vec::new(), Vec::new());
        Self { memory, local, scratch, bindings, images, pictures, samplers, trace, filled: Vec::new() }
    }

    /// Returns the address of a buffer.
    pub(super) fn address(&self, n: u64) -> u64 {
        self.memory.address(n as usize % BUFFERS)
    }

    /// Returns the memory that a case may access: the buffers of the images, or all other memory.
    fn all(&self) -> impl Iterator<Item = &Buffer> {
        let (buffers, images) = self.memory.buffers().split_at(BUFFERS);
        let (buffers, images) = if self.images.is_empty() { (buffers, &[][..]) } else { (&[][..], images) };
        buffers.iter().chain(images).chain([&self.local, &self.scratch])
    }

    /// Returns the initial contents for a seed.
    pub(super) fn bytes(pool: &Pool, seed: u64, images: bool) -> Vec<u8> {
        let rest = if images { pictures::COUNT * pictures::BYTES } else { BYTES as usize * BUFFERS };
        let mut bytes = vec![0; BYTES as usize * 2 + rest];
        pool.fill(&mut Random(seed), &mut bytes);
        bytes
    }

    /// Returns the images of a seed.
    pub(super) fn images(seed: u64) -> Vec<Option<Image>> {
        pictures::images(seed, BUFFERS)
    }

    /// Fills the memory. With images, fills the buffers of the images.
    pub(super) fn fill(&mut self, bytes: &[u8], images: &[Option<Image>]) {
        self.images.clear();
        self.images.extend_from_slice(images);
        self.pictures.clear();
        self.pictures.extend(images.iter().map(|image| image.map(|image| image.buffer)));
        let mut rest = bytes;
        for buffer in self.all() {
            let (here, behind) = rest.split_at(buffer.len());
            buffer.overwrite(here);
            rest = behind;
        }
        self.filled.clear();
        self.filled.extend_from_slice(bytes);
    }

    /// Changes the images or samplers. Returns true if any changed.
    pub(super) fn mistake(&mut self, how: Slip) -> bool {
        match how {
            Slip::Result(_) => return false,
            Slip::Image(change) => self.images.iter_mut().flatten().for_each(change),
            Slip::Sampler(change) => {
                self.samplers = pictures::samplers();
                self.samplers.iter_mut().flatten().for_each(change);
            }
        }
        !self.images.is_empty()
    }

    /// Changes the words that differ from their initial contents. Returns true if any word changed.
    pub(super) fn spoil(&self, change: fn(u64, u64, u32, u32) -> u64) -> bool {
        let (mut nth, mut spoiled) = (0, false);
        let mut rest = self.filled.as_slice();
        for buffer in self.all() {
            let (filled, behind) = rest.split_at(buffer.len());
            rest = behind;
            let filled = filled.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
            let both = words(buffer).zip(filled);
            for (offset, (now, before)) in (0..).step_by(4).zip(both).filter(|(_, (now, before))| now != before) {
                let changed = change(before.into(), now.into(), 4, nth) as u32;
                spoiled |= changed != now;
                buffer.store_u32(offset, changed);
                nth += 1;
            }
        }
        spoiled
    }

    /// Returns the first byte that differs, with both values. With `floats`, all NaNs are equal.
    pub(super) fn difference(&self, other: &Self, floats: bool) -> Option<[String; 2]> {
        self.all().zip(other.all()).enumerate().find_map(|(n, (a, b))| {
            if words(a).eq(words(b)) {
                return None;
            }
            let (a, b) = (a.to_bytes(), b.to_bytes());
            let is_nan = |at: usize| floats && are_nans(&a, &b, at);
            let at = (0..a.len()).find(|&at| a[at] != b[at] && !is_nan(at))?;
            Some([a[at], b[at]].map(|byte| format!("0x{byte:02x} in byte {at} of buffer {n}")))
        })
    }

    /// Formats an image for a report.
    pub(super) fn image(&self, entry: u32) -> String {
        let Some(image) = self.images.get(entry as usize).copied().flatten() else { return "none".to_owned() };
        let ImageDesc { size: [x, y, z], dimensions, is_array, layers, levels, samples, pitch } = image.desc;
        let mut shown = format!("{dimensions}D {x}x{y}x{z} {}", image.format.name());
        for (has, what) in [
            (is_array, format!(", {layers} layers")),
            (levels > 1, format!(", {levels} levels")),
            (samples > 1, format!(", {samples} samples")),
            (pitch > 0, format!(", rows of {pitch} bytes")),
        ] {
            if has {
                shown += &what;
            }
        }
        shown
    }

    /// Formats a sampler for a report.
    pub(super) fn sampler(&self, index: u32) -> String {
        let sampler = self.samplers.get(index as usize).copied().flatten();
        sampler.map_or("none".to_owned(), |sampler| format!("{sampler:?}"))
    }

    /// Returns the memory, images and samplers that a thread can access.
    pub(super) fn world(&self) -> World<'_> {
        World {
            memory: &self.memory,
            local: &self.local,
            scratch: &self.scratch,
            private: &[],
            bindings: if self.images.is_empty() { &self.bindings } else { &self.pictures },
            images: &self.images,
            samplers: &self.samplers,
            watch: None,
            trace: &self.trace,
        }
    }
}

/// Returns the words of a buffer.
fn words(buffer: &Buffer) -> impl Iterator<Item = u32> {
    buffer.words().iter().map(|word| word.load(Relaxed))
}

/// Returns true if both numbers that contain a byte are NaNs of the same format.
fn are_nans(a: &[u8], b: &[u8], at: usize) -> bool {
    [(2, Format::Half), (2, Format::Brain), (4, Format::Single), (8, Format::Double)].iter().any(|(size, format)| {
        let start = at / size * size;
        let number = |bytes: &[u8]| {
            let mut whole = [0; 8];
            whole[..*size].copy_from_slice(&bytes[start..start + size]);
            u64::from_le_bytes(whole)
        };
        format.is_nan(number(a)) && format.is_nan(number(b))
    })
}
