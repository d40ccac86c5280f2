//! Memory in Semantics sections: surfaces, flat memory, LSC messages and atomic operations. The
//! machine decides which accesses are out of bounds or misaligned.

use visakit::isa::R0Element;
use visakit::isa::limits;
use visakit_machine::access::{Request, View};
use visakit_machine::fault::Trap;
use visakit_machine::lane::LANES;
use visakit_machine::thread::Thread;

use crate::builtins::Builtin;
use crate::bytes;
use crate::execution::{Halt, Result, Run, senseless};
use crate::image;
use crate::program::Node;
use crate::space::Space;
use crate::surface::{entry, named};
use crate::value::Value;

/// Bytes to access at an address.
struct Span<'r> {
    view: View<'r>,
    address: u64,
    count: usize,
    unaligned: bool,
}

/// Reads the bytes of a place.
pub(crate) fn load(run: &mut Run<'_>, place: Builtin, arguments: &[Node]) -> Result<Value> {
    match place {
        Builtin::Texel => return image::load(run, arguments),
        Builtin::Block => return image::load_byte(run, arguments),
        _ => {}
    }
    let span = resolve(run, arguments)?;
    let mut bytes = Vec::with_capacity(span.count);
    for (at, size) in span.parts() {
        let mut values = [0; LANES];
        span.view.load(&span.request(&[at; LANES], size), &mut values).map_err(trap)?;
        bytes.extend_from_slice(&values[0].to_le_bytes()[..size as usize]);
    }
    Ok(bytes::of_bytes(&bytes))
}

/// Writes the bytes of a place.
pub(crate) fn store(run: &mut Run<'_>, place: Builtin, arguments: &[Node], value: &Value) -> Result<()> {
    match place {
        Builtin::Texel => return image::store(run, arguments, value),
        Builtin::Block => return image::store_byte(run, arguments, value),
        _ => {}
    }
    let span = resolve(run, arguments)?;
    let bytes = bytes::bytes(value, span.count)?;
    for (n, byte) in (0..).zip(&bytes) {
        let address = span.view.canonical(span.address.wrapping_add(n));
        run.clashes |= run.stored.insert(address, *byte).is_some_and(|before| before != *byte);
    }
    let mut from = 0;
    for (at, size) in span.parts() {
        let mut whole = [0; 8];
        whole[..size as usize].copy_from_slice(&bytes[from..from + size as usize]);
        from += size as usize;
        let values = [u64::from_le_bytes(whole); LANES];
        span.view.store(&span.request(&[at; LANES], size), &values).map_err(trap)?;
    }
    Ok(())
}

/// Evaluates whether all bytes of a place are mapped.
pub(crate) fn mapped(run: &mut Run<'_>, arguments: &[Node]) -> Result<Value> {
    let span = resolve(run, arguments)?;
    let there = |(at, size)| {
        span.view.load(&span.request(&[at; LANES], size), &mut [0; LANES]).is_ok_and(|outside| outside == 0)
    };
    Ok(Value::Truth(span.parts().all(there)))
}

/// Performs an atomic operation and returns the old value.
pub(crate) fn atomic(run: &mut Run<'_>, arguments: &[Node]) -> Result<Value> {
    let [Node::Update(update), Node::Call(kind, place), count, a, b] = arguments else {
        return senseless("an atomic operation with these arguments");
    };
    let operands = [run.wide(a)?, run.wide(b)?];
    let span = match kind {
        Builtin::Texel => {
            let count = run.number(count)?;
            let Some((view, address)) = image::memory(run, place, count as u32)? else {
                return Ok(Value::sized(0_u32, count as u32 * 8));
            };
            Span { view, address, count: count as usize, unaligned: false }
        }
        _ => Span { unaligned: false, ..resolve(run, place)? },
    };
    let size = span.count as u32;
    if !matches!(size, 2 | 4 | 8) {
        return senseless("an atomic operation of this size");
    }
    let mut old = [0; LANES];
    let addresses = [span.address; LANES];
    let request = span.request(&addresses, size);
    span.view.update(&request, &mut old, |_, old| update.apply(size, old, operands)).map_err(trap)?;
    if update.adds_floats() {
        // A NaN left by another channel's sum has unspecified bits.
        if run.summed.contains(&span.address) && update.format(size).is_some_and(|format| format.is_nan(old[0])) {
            return Ok(Value::Unknown);
        }
        run.summed.push(span.address);
    }
    Ok(Value::sized(old[0], size * 8))
}

fn trap(miss: visakit_machine::access::Miss) -> Halt {
    Halt::Trap(Box::new(Trap::Access(miss)))
}

/// Resolves arguments to the memory, the address and the number of bytes.
fn resolve<'r>(run: &mut Run<'r>, arguments: &[Node]) -> Result<Span<'r>> {
    let [Node::Space(reach), address, count] = arguments else {
        return senseless("a memory location with these arguments");
    };
    let (address, count) = (run.wide(address)?, run.number(count)?);
    let (thread, world) = match (run.thread, run.world) {
        (Some(thread), Some(world)) => (thread, world),
        _ => return senseless("memory outside a launch"),
    };
    let (target, base) = match (reach.space, entry(run, reach.space)?) {
        (_, Some(entry)) => (world.surface(entry), 0),
        (Space::Local, _) => (world.local(), 0),
        (Space::LocalFrom(operand), _) => (world.local(), run.wide(&Node::Operand(operand))?),
        (Space::Scratch, _) => (world.scratch(), 0),
        (Space::ScratchFrom(operand), _) => {
            (world.scratch(), u64::from(named(run, operand)?) * u64::from(limits::SCRATCH_UNIT))
        }
        (Space::ScratchAt(place), _) => (world.scratch(), thread.registers.get::<u32>(place).into()),
        (Space::Arguments, _) => (world.scratch(), arguments_at(thread)),
        (Space::FlatFrom(operand), _) => (world.flat(), run.wide(&Node::Operand(operand))?),
        _ => (world.flat(), 0),
    };
    let Some(count) = usize::try_from(count).ok().filter(|n| *n <= 4096) else {
        return senseless("an access of more than 4096 bytes");
    };
    let masked = address & crate::convert::ones(reach.bits);
    // A message moves at most 64 numbers of 8 bytes.
    run.around |= masked != address && masked < 64 * 8;
    let address = masked.wrapping_add(base);
    Ok(Span { view: world.view(target, thread.index), address, count, unaligned: reach.unaligned })
}

/// Returns the start of the arguments in scratch memory, which the first register holds.
fn arguments_at(thread: &Thread) -> u64 {
    thread.registers.get::<u32>(R0Element::IndirectData as u32 * 4).into()
}

impl Span<'_> {
    fn request<'a>(&self, addresses: &'a [u64; LANES], size: u32) -> Request<'a> {
        Request { addresses, enabled: 1, first_lane: 0, size, unaligned: self.unaligned, unread: false }
    }

    /// Splits the bytes into accesses: one for a number of 1, 2, 4 or 8 bytes, otherwise dwords if
    /// possible.
    fn parts(&self) -> impl Iterator<Item = (u64, u32)> + use<> {
        let (address, count) = (self.address, self.count);
        let size = if matches!(count, 1 | 2 | 4 | 8) {
            count
        } else if count.is_multiple_of(4) {
            4
        } else {
            1
        };
        (0..count / size).map(move |n| (address.wrapping_add((n * size) as u64), size as u32))
    }
}

/// Returns true if a built-in names bytes of memory.
pub(crate) fn is_place(builtin: Builtin) -> bool {
    use Builtin as B;
    matches!(builtin, B::Surface | B::Memory | B::Lsc | B::Texel | B::Block)
}
