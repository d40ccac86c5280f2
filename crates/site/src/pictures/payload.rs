//! Messages to images: which parameter and channel each element of the payload belongs to, and
//! where the colours land.
//!
//! The message is executed on an image of arbitrary colours. An execution with a single channel
//! shows what this channel writes. An element of the payload belongs to the channels whose results
//! change with it. A result has the colour that an image of this colour alone makes other than
//! zero.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use visakit::isa::{DataType, DataTypeClass, Instruction, Load3d, Sample3d, Sample43d};
use visakit_machine::World;
use visakit_machine::format::{ComponentOrder, ComponentType, Format};
use visakit_machine::image::{Image, ImageDesc};
use visakit_machine::sampler::{Addressing, Compare, Sampler};
use visakit_machine::thread::Thread;
use visakit_oracle::stage::TestMemory;
use visakit_oracle::{Program, Target};

use super::grid::{Cell, Grid, ranges};
use crate::drawing::{Drawing, Svg};

/// Number of colours of a texel.
const COLOURS: usize = 4;

/// Bytes of a colour in the image.
const COLOUR_BYTES: usize = 4;

/// Names of the colours in their order.
const NAMES: [&str; COLOURS] = ["red", "green", "blue", "alpha"];

/// Size of the image, which has three dimensions.
const SIZE: [u32; 3] = [16, 16, 4];

/// Binding table entries and samplers, which all are the same image and the same sampler.
const ENTRIES: usize = 256;

/// Raw operand of a message.
#[derive(Clone, Debug)]
struct Payload {
    name: String,
    /// Registers up to the next operand or variable.
    range: Range<usize>,
    /// Bytes of an element.
    size: usize,
    /// True for floats.
    is_float: bool,
    /// Number of the operand among those that the message reads.
    number: usize,
}

impl Payload {
    fn count(&self) -> usize {
        self.range.len() / self.size
    }

    /// Returns the bits of an element. `step` is zero for its first value.
    ///
    /// Whole numbers are twice the octal digits of the element's position. So stores of different
    /// channels meet different texels, and a changed element is a coordinate that no channel has.
    fn bits(&self, element: usize, step: i8) -> u64 {
        match (self.is_float, self.size) {
            (false, _) => (2 * (element as u64 >> (3 * self.number).min(60) & 7)).wrapping_add_signed(step.into()),
            (true, size) => {
                let value = 0.35 + 0.02 * ((element * 5 + self.number * 3) % 7) as f32 + 0.3 * f32::from(step);
                match size {
                    2 => half(value),
                    _ => value.to_bits().into(),
                }
            }
        }
    }
}

/// Returns the bits of a number between 2⁻¹⁴ and 2 in half precision, rounded to zero.
fn half(value: f32) -> u64 {
    let bits = value.to_bits();
    let sign = u64::from(bits >> 31) << 15;
    sign | u64::from((bits & 0x7fff_ffff) >> 13).saturating_sub((127 - 15) << 10)
}

/// Message with the state before it.
struct Message<'a> {
    program: &'a Program,
    thread: &'a Thread,
    /// Operands that the message reads.
    read: Vec<Payload>,
    /// Size of the register file of the variables.
    registers: usize,
}

/// Registers and image after a message.
type Observation = Vec<u8>;

impl Message<'_> {
    /// Executes the message for some channels. `steps` has the steps of changed elements.
    fn run(
        &self,
        active: u32,
        before: u8,
        image: &[u8],
        changed: Option<(usize, Range<usize>, i8)>,
    ) -> Result<Observation, String> {
        let mut thread = self.thread.clone();
        thread.active = active;
        thread.registers.bytes_mut(0)[..self.registers].fill(before);
        for (at, payload) in self.read.iter().enumerate() {
            for element in 0..payload.count() {
                let step = changed.as_ref().filter(|(which, range, _)| *which == at && range.contains(&element));
                let bits = payload.bits(element, step.map_or(0, |one| one.2)).to_le_bytes();
                let start = payload.range.start + element * payload.size;
                let start = u32::try_from(start).map_err(|_| "the register file is too large")?;
                thread.registers.bytes_mut(start)[..payload.size].copy_from_slice(&bits[..payload.size]);
            }
        }
        let memory = TestMemory::of_bytes(image).ok_or("there is no memory for the picture")?;
        let world = World {
            bindings: &vec![Some(0); ENTRIES],
            images: &vec![Some(cube()); ENTRIES],
            samplers: &vec![Some(sampler()); ENTRIES],
            ..memory.world()
        };
        self.program.run(&mut thread, &world).map_err(|why| why.to_string())?;
        let mut out = thread.registers.bytes(0)[..self.registers].to_vec();
        out.extend(memory.bytes());
        Ok(out)
    }

    /// Returns the channel that writes each byte, if any.
    fn owners(&self, image: &[u8]) -> Result<Vec<Option<usize>>, String> {
        let inverse: Vec<u8> = image.iter().map(|byte| !byte).collect();
        let mut owners = vec![None; self.registers + image.len()];
        for channel in 0..self.program.channels() as usize {
            let run = |before, image: &[u8]| self.run(1 << channel, before, image, None);
            let (first, second, third) = (run(0, image)?, run(u8::MAX, image)?, run(0, &inverse)?);
            for (at, owner) in owners.iter_mut().enumerate() {
                let is_read = self.read.iter().any(|payload| payload.range.contains(&at));
                let other = if at < self.registers { &second } else { &third };
                if first[at] == other[at] && !is_read {
                    *owner = Some(channel);
                }
            }
        }
        Ok(owners)
    }

    /// Finds the channels and the stored colours of each element of an operand between `range`.
    fn users(&self, search: &Search<'_>, which: usize, range: Range<usize>, out: &mut Users) -> Result<(), String> {
        let mut differing = BTreeSet::new();
        for step in [1, -1] {
            let found = self.run(u32::MAX, 0, search.image, Some((which, range.clone(), step)))?;
            let is_other = |at: &usize| found[*at] != search.base[*at] && search.owners[*at].is_some();
            differing.extend((0..found.len()).filter(is_other));
        }
        if differing.is_empty() {
            return Ok(());
        }
        if range.len() > 1 {
            let middle = range.start + range.len() / 2;
            self.users(search, which, range.start..middle, out)?;
            return self.users(search, which, middle..range.end, out);
        }
        let channels: BTreeSet<usize> = differing.iter().filter_map(|at| search.owners[*at]).collect();
        let stored = differing.iter().filter_map(|at| at.checked_sub(self.registers));
        let colours: BTreeSet<usize> = stored.map(|at| at / COLOUR_BYTES % COLOURS).collect();
        let payload = &self.read[which];
        // A coordinate changes all colours of a store.
        let is_colour = colours.len() == 1 && search.colours > 1;
        let name = colours.first().filter(|_| is_colour).map_or(payload.name.as_str(), |colour| NAMES[*colour]);
        let at = payload.range.start + range.start * payload.size;
        out.insert(at, (name.to_owned(), channels.into_iter().collect(), payload.size));
        Ok(())
    }
}

/// Results without changed elements.
struct Search<'a> {
    image: &'a [u8],
    base: Observation,
    owners: &'a [Option<usize>],
    /// Number of colours that the message stores.
    colours: usize,
}

/// Name, channels and size of each element, by its place in the register file.
type Users = BTreeMap<usize, (String, Vec<usize>, usize)>;

fn cube() -> Image {
    let desc = ImageDesc { size: SIZE, dimensions: 3, levels: SIZE[0].ilog2() + 1, ..ImageDesc::default() };
    Image { buffer: 0, format: Format { order: ComponentOrder::Rgba, component: ComponentType::Float }, desc }
}

fn sampler() -> Sampler {
    Sampler {
        addressing: Addressing::Repeat,
        linear: true,
        normalized: true,
        mix_levels: true,
        levels: (0.0, f32::MAX),
        compare: Compare::Less,
    }
}

/// Returns the bytes of an image with arbitrary numbers between 0 and 1 in some colours.
fn colours(is_set: &dyn Fn(usize) -> bool) -> Vec<u8> {
    let count = usize::try_from(cube().desc.texels()).unwrap_or(0) * COLOURS;
    let mut state = 1_u32;
    let number = |at: usize| {
        state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        if is_set(at % COLOURS) { (state >> 8) as f32 / (1 << 24) as f32 } else { 0.0 }
    };
    (0..count).map(number).flat_map(f32::to_le_bytes).collect()
}

/// Draws a message to an image; `None` if no channel uses an element in registers.
pub(super) fn draw(
    program: &Program,
    thread: &Thread,
    instruction: &Instruction,
    starts: &[usize],
    [registers, register]: [usize; 2],
    statement: &str,
) -> Result<Option<Svg>, String> {
    let message = Message { program, thread, read: read(program, thread, instruction, starts, registers), registers };
    let image = colours(&|_| true);
    let owners = message.owners(&image)?;
    let base = message.run(u32::MAX, 0, &image, None)?;
    let stored = (registers..owners.len()).filter(|at| owners[*at].is_some());
    let kinds: BTreeSet<usize> = stored.map(|at| (at - registers) / COLOUR_BYTES % COLOURS).collect();
    let search = Search { image: &image, base, owners: &owners, colours: kinds.len() };
    let mut users = Users::new();
    for (which, payload) in message.read.iter().enumerate() {
        message.users(&search, which, 0..payload.count(), &mut users)?;
    }
    let size = program.operands().iter().find(|one| one.raw && one.written).map_or(4, |one| one.bits as usize / 8);
    let results = results(&message, &owners, size.max(1))?;
    let mut drawing = Drawing::default();
    for (access, elements) in [("read", &users), ("written", &results)] {
        for part in parts(elements, register) {
            grid(&mut drawing, access, &part, register);
        }
    }
    let any = !users.is_empty() || !results.is_empty();
    Ok(any.then(|| drawing.finish(&format!("Payload and colours of each channel of {statement}"))))
}

/// Returns the raw operands that a message reads. `starts` are those of the variables.
fn read(
    program: &Program,
    thread: &Thread,
    instruction: &Instruction,
    starts: &[usize],
    registers: usize,
) -> Vec<Payload> {
    let operands = program.operands();
    let place = |operand: usize| match program.stands_at(operand, 0, thread) {
        Some(Target::Register(at, _)) => Some(at as usize),
        _ => None,
    };
    let raw: Vec<(usize, usize)> =
        (0..operands.len()).filter(|n| operands[*n].raw).filter_map(|n| Some((n, place(n)?))).collect();
    let mut names = parameters(instruction).into_iter();
    let mut out = Vec::new();
    let repeated = |name: &str| operands.iter().filter(|one| one.name == name).count() > 1;
    for (number, (operand, at)) in raw.iter().filter(|(n, _)| !operands[*n].written).enumerate() {
        let shown = &operands[*operand];
        let other = raw.iter().map(|(_, start)| *start).chain(starts.iter().copied());
        let end = other.filter(|start| start > at).min().unwrap_or(registers);
        // The parameters of a sampler's message are one field, which is repeated.
        let name = if repeated(shown.name) { names.next() } else { None };
        out.push(Payload {
            name: name.unwrap_or(shown.name).to_lowercase(),
            range: *at..end,
            size: (shown.bits as usize / 8).max(1),
            is_float: is_float(shown.data_type),
            number,
        });
    }
    out
}

/// Returns true for the name of a float type.
fn is_float(name: &str) -> bool {
    DataType::ALL.iter().any(|one| one.name() == name && one.class() == DataTypeClass::Float)
}

/// Returns the names of the parameters of a message to a sampler, in its newest form.
fn parameters(instruction: &Instruction) -> Vec<&'static str> {
    let all = match instruction {
        Instruction::Sample3d(Sample3d::Current(one)) => one.op.op.parameters(),
        Instruction::Sample43d(Sample43d::Current(one)) => one.op.op.parameters(),
        Instruction::Load3d(Load3d::Current(one)) => one.op.op.parameters(),
        _ => &[],
    };
    all.iter().map(|one| one.name()).collect()
}

/// Returns the colour and the channel of each written element.
fn results(message: &Message<'_>, owners: &[Option<usize>], size: usize) -> Result<Users, String> {
    let mut out = Users::new();
    let images = (0..COLOURS).map(|colour| message.run(u32::MAX, 0, &colours(&|one| one == colour), None));
    let images = images.collect::<Result<Vec<_>, _>>()?;
    for at in (0..message.registers).step_by(size) {
        let Some(owner) = owners[at] else { continue };
        let has = |colour: &usize| images[*colour][at..at + size].iter().any(|byte| *byte != 0);
        let found: Vec<usize> = (0..COLOURS).filter(has).collect();
        let name = if let [colour] = found[..] { NAMES[colour] } else { "" };
        out.insert(at, (name.to_owned(), vec![owner], size));
    }
    Ok(out)
}

/// Divides elements into those of contiguous registers.
fn parts(elements: &Users, register: usize) -> Vec<Users> {
    let mut out: Vec<Users> = Vec::new();
    for (at, element) in elements {
        let near = |part: &Users| part.last_key_value().is_some_and(|(last, _)| at / register <= last / register + 1);
        match out.last_mut().filter(|part| near(part)) {
            Some(part) => part.insert(*at, element.clone()),
            None => {
                out.push(Users::new());
                out.last_mut().and_then(|part| part.insert(*at, element.clone()))
            }
        };
    }
    out
}

/// Draws elements with their channels and names.
fn grid(drawing: &mut Drawing, access: &str, elements: &Users, register: usize) {
    let (Some((first, (_, _, size))), Some((last, _))) = (elements.first_key_value(), elements.last_key_value())
    else {
        return;
    };
    let first = first / register * register;
    let lines = (last - first) / register + 1;
    let cell = |at: usize| match elements.get(&at) {
        None => Cell::default(),
        Some((name, channels, _)) => {
            Cell { upper: ranges(channels), lower: name.clone(), colour: channels.first().map(|one| one / 4) }
        }
    };
    Grid {
        title: &format!("Registers {access} – channel, and parameter or colour"),
        lines: (0..lines).map(|line| format!("reg {line}")).collect(),
        cells: (0..lines)
            .map(|line| (0..register / size).map(|n| cell(first + line * register + n * size)).collect())
            .collect(),
    }
    .draw(drawing);
}
