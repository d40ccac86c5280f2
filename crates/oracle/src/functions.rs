//! Built-ins that return values.

use ethnum::I256;
use rustc_apfloat::Round;
use visakit::isa::{DataType, DataTypeClass};
use visakit_machine::float::FloatMode;

use crate::builtins::Builtin;
use crate::bytes;
use crate::convert::{low_bits, ones};
use crate::execution::{Halt, Result, Run, format_of, is_float, senseless};
use crate::float::{Format, Join};
use crate::image;
use crate::matrix;
use crate::memory;
use crate::narrow;
use crate::operand::{Kind, bytes_of};
use crate::program::Node;
use crate::sampler;
use crate::value::{Float, Integer, Slack, Value};

/// Evaluates a call.
pub(crate) fn call(run: &mut Run<'_>, builtin: Builtin, arguments: &[Node]) -> Result<Value> {
    use Builtin as B;
    if let Some(value) = of_operand(run, builtin, arguments)? {
        return Ok(value);
    }
    if let (B::Near, [value, steps]) = (builtin, arguments) {
        return near(run, value, steps);
    }
    match builtin {
        place if memory::is_place(place) => return memory::load(run, place, arguments),
        B::SampleOf => return image::load(run, arguments),
        B::Resinfo => return image::size(run, arguments),
        B::Sampleinfo => return image::samples(run, arguments),
        builtin if sampler::is_sampled(builtin) => return sampler::call(run, builtin, arguments),
        B::Mapped => return memory::mapped(run, arguments),
        B::Atomic => return memory::atomic(run, arguments),
        B::MatrixElement => return matrix::element(run, arguments),
        B::ScaleOf => return matrix::scale_of(run, arguments),
        _ => {}
    }
    let values = arguments.iter().map(|node| run.value(node)).collect::<Result<Vec<_>>>()?;
    if values.contains(&Value::Unknown) {
        return Ok(Value::Unknown);
    }
    if let (B::Active, [channel]) = (builtin, values.as_slice()) {
        return Ok(Value::Truth(run.is_active(number(channel)?)?));
    }
    match converted(builtin, &values)? {
        Some(value) => Ok(value),
        None => computed(builtin, &values, run.mode),
    }
}

/// Computes a function of values.
fn computed(builtin: Builtin, values: &[Value], mode: FloatMode) -> Result<Value> {
    use Builtin as B;
    Ok(match (builtin, values) {
        (B::Min | B::Max, [a, b]) => extremum(builtin == B::Min, a, b, mode)?,
        (B::Abs, [Value::Integer(Integer { value, bits })]) => {
            Value::Integer(Integer { value: value.wrapping_abs(), bits: *bits })
        }
        (B::Abs, [Value::Real(real)]) => Value::Real(real.abs()),
        (B::Abs, [Value::Float(float)]) => Value::float(float.format, float.bits & !float.format.sign()),
        (B::Floor, [Value::Float(float)]) => whole(float, Round::TowardNegative, mode),
        (B::Ceil, [Value::Float(float)]) => whole(float, Round::TowardPositive, mode),
        (B::Trunc, [Value::Float(float)]) => whole(float, Round::TowardZero, mode),
        (B::Rint, [Value::Float(float)]) => whole(float, Round::NearestTiesToEven, mode),
        (B::Fma, [Value::Float(a), Value::Float(b), Value::Float(c)]) => Float::joined(Join::Fused, [a, b, c], mode),
        (B::Fma, [Value::Integer(a), Value::Integer(b), Value::Integer(c)]) => {
            Value::integer(a.value.wrapping_mul(b.value).wrapping_add(c.value))
        }
        (B::Sqrt, [Value::Float(float)]) => Value::computed(float.format, float.format.root(float.bits, mode)),
        (B::Inv, [Value::Float(float)]) => {
            let one = Float { format: float.format, bits: float.format.one(), slack: Slack::None };
            Float::joined(Join::Quotient, [&one, float, &one], mode)
        }
        (_, [Value::Real(real)]) => Value::Real(real_function(builtin, *real)?),
        (B::Moved, [r, g, b, a, colour]) => {
            let colours = [r, g, b, a];
            let moved = colours.get(number(colour)? as usize).map(|moved| (**moved).clone());
            moved.unwrap_or(Value::Truth(false))
        }
        (B::Pow2, [n]) => Value::integer(number(n)?.max(1).unsigned_abs().next_power_of_two()),
        (B::Bits, [value]) => pattern(value)?,
        (B::Low, [Value::Integer(a), n]) => {
            let n = number(n)?;
            Value::sized(a.value & ((I256::ONE << n.clamp(0, 254)) - I256::ONE), n.clamp(1, 64) as u32)
        }
        (B::High, [Value::Integer(a), n]) => Value::integer(a.value >> number(n)?.clamp(0, 255)),
        (B::Loose, [value, n]) => loose(&pattern(value)?, number(n)? as u32)?,
        (builtin, values) => return senseless(format!("{builtin:?} of {values:?}")),
    })
}

/// Converts values between registers, memory and narrow formats; returns `None` for other
/// built-ins.
fn converted(builtin: Builtin, values: &[Value]) -> Result<Option<Value>> {
    use Builtin as B;
    Ok(Some(match (builtin, values) {
        // A colour known only as a range is passed on.
        (B::ToRegister, [_, _, Value::Truth(false), colour @ Value::Between { .. }]) => colour.clone(),
        (B::ToRegister, [memory, register, upper, a]) => {
            let (memory, register) = (number(memory)? as u32 * 8, number(register)? as u32 * 8);
            let a = integer(&pattern(a)?)?.value;
            match upper {
                Value::Truth(true) => Value::sized(a << (register - memory), register),
                _ if memory == register => Value::sized(a, register),
                _ => Value::Loose { bits: low_bits(a, memory), known: ones(memory) },
            }
        }
        (B::ToMemory, [memory, register, upper, a]) => {
            let (memory, register) = (number(memory)? as u32 * 8, number(register)? as u32 * 8);
            let a = integer(&pattern(a)?)?.value;
            let a = if *upper == Value::Truth(true) { a >> (register - memory) } else { a };
            Value::sized(low_bits(a, memory), memory)
        }
        (B::ToBf8, [Value::Float(float)]) => narrow::to_bf8(float),
        (B::ToHf8, [Value::Float(float)]) => narrow::to_hf8(float),
        (B::ToTf32, [Value::Float(float)]) => narrow::to_tf32(float),
        (B::FromBf8, [Value::Integer(a)]) => narrow::from_bf8(low_bits(a.value, 8)),
        (B::FromHf8, [Value::Integer(a)]) => narrow::from_hf8(low_bits(a.value, 8)),
        _ => return Ok(None),
    }))
}

/// Evaluates built-ins about operands rather than values.
fn of_operand(run: &mut Run<'_>, builtin: Builtin, arguments: &[Node]) -> Result<Option<Value>> {
    use Builtin as B;
    let Some(Node::Operand(operand)) = arguments.first() else { return Ok(None) };
    let place = &run.operands[*operand];
    let (data_type, class) = (place.data_type, place.data_type.class());
    Ok(Some(match (builtin, &arguments[1..]) {
        (B::IsNull, _) => Value::Truth(matches!(place.kind, Kind::Null)),
        (B::IsPred, _) => Value::Truth(matches!(place.kind, Kind::Predicate { .. })),
        (B::IsAddress, _) => Value::Truth(matches!(place.kind, Kind::Address { .. })),
        (B::IsFloat, _) => Value::Truth(is_float(data_type)),
        (B::IsSigned, _) => Value::Truth(class == DataTypeClass::Signed),
        (B::IsScalar, _) => Value::Truth(place.is_scalar()),
        (B::Type, _) => Value::integer(data_type.code()),
        (B::BytesOf, _) => Value::integer(bytes_of(data_type)),
        (B::StrideOf, _) => Value::integer(match &place.kind {
            Kind::Registers { walk, .. } if walk.width == 1 => walk.vertical,
            Kind::Registers { walk, .. } => walk.horizontal,
            _ => 1,
        }),
        (B::Bits, []) => match place.kind {
            Kind::Predicate { number, elements } => {
                let bits = u64::from(run.thread()?.predicates[number as usize]) & ones(elements);
                Value::sized(bits, 32)
            }
            _ => return Ok(None),
        },
        (B::At, [index]) => {
            let place = place.clone().in_a_row();
            let index = run.number(index)?;
            place.read(index as u64, run.thread()?)?
        }
        (B::AddressOf, _) => Value::integer(place.offset(0, run.thread()?)?),
        (B::Raw, [offset, count]) => {
            let (offset, count) = (run.number(offset)?, run.number(count)?);
            let size = usize::try_from(count).unwrap_or(0);
            match run.raw(*operand, offset, count)? {
                None => bytes::of_bytes(&vec![0; size]),
                Some(start) => bytes::of_bytes(&run.thread()?.registers.bytes(start)[..size]),
            }
        }
        (B::RoundBy, [value, random]) => {
            let (value, random) = (run.value(value)?, run.value(random)?);
            let random = integer(&pattern(&random)?)?;
            let Value::Float(float) = value else { return senseless("rounding of a number that is not a float") };
            narrow::round_by(data_type, &float, random.value)?
        }
        _ => return Ok(None),
    }))
}

/// Evaluates `near`: without intermediate rounding, with `steps` values of the format on either
/// side. In DF each operation is rounded, because no wider type is available.
fn near(run: &mut Run<'_>, node: &Node, steps: &Node) -> Result<Value> {
    let steps = run.number(steps)?;
    let format = run
        .operands
        .iter()
        .find(|p| p.data_type != DataType::Bool && format_of(p).is_some() && !matches!(p.kind, Kind::Null));
    let sources = run.operands.iter().filter(|p| matches!(p.kind, Kind::Registers { .. } | Kind::Constant(_)));
    let format = sources.filter_map(format_of).next_back().or(format.and_then(format_of));
    let Some(format) = format else { return run.value(node) };
    let value = if format == Format::Double {
        run.value(node)?
    } else {
        run.real = true;
        let value = run.value(node);
        run.real = false;
        match value? {
            Value::Real(real) => {
                let bits = format.of_real(real, run.mode);
                Value::computed(format, format.flushed(bits, run.mode))
            }
            value => value,
        }
    };
    Ok(match value {
        Value::Float(Float { format, bits, slack: Slack::None }) if steps > 0 => {
            Value::Float(Float { format, bits, slack: Slack::Steps(steps as u32) })
        }
        value => value,
    })
}

fn real_function(builtin: Builtin, x: f64) -> Result<f64> {
    use Builtin as B;
    Ok(match builtin {
        B::Sqrt => x.sqrt(),
        B::Rsqrt => 1.0 / x.sqrt(),
        B::Inv => 1.0 / x,
        B::Exp2 => pxfm::f_exp2(x),
        B::Log2 => pxfm::f_log2(x),
        B::Sin => pxfm::f_sin(x),
        B::Cos => pxfm::f_cos(x),
        B::Tanh => pxfm::f_tanh(x),
        B::Sigmoid => 1.0 / (1.0 + pxfm::f_exp(-x)),
        _ => return senseless(format!("{builtin:?} of a real number")),
    })
}

/// Returns the minimum or maximum. Of equal values returns the second; of a NaN and a number, the
/// number.
fn extremum(smaller: bool, a: &Value, b: &Value, mode: FloatMode) -> Result<Value> {
    Ok(match (a, b) {
        (Value::Integer(x), Value::Integer(y)) => {
            let first = if smaller { x.value < y.value } else { x.value > y.value };
            Value::Integer(Integer { value: if first { x.value } else { y.value }, bits: x.bits.or(y.bits) })
        }
        (Value::Float(x), Value::Float(y)) => {
            let format = x.format;
            let wanted = if smaller { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
            let first = format.is_nan(y.bits) || format.compare(x.bits, y.bits, mode) == Some(wanted);
            Value::computed(format, format.flushed(if first { x.bits } else { y.bits }, mode))
        }
        (a, b) => return senseless(format!("the extremum of {a:?} and {b:?}")),
    })
}

fn whole(float: &Float, direction: Round, mode: FloatMode) -> Value {
    Value::computed(float.format, float.format.integral(float.bits, direction, mode))
}

/// Returns the bits of a value.
fn pattern(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Float(float) => Value::sized(float.bits, float.format.bits()),
        Value::Integer(Integer { value, bits }) => {
            let width = bits.unwrap_or(64);
            Value::sized(low_bits(*value, width), width)
        }
        Value::Truth(truth) => Value::sized(u32::from(*truth), 1),
        value => return senseless(format!("the bits of {value:?}")),
    })
}

/// Creates a value of which only the lowest bits are specified.
fn loose(value: &Value, n: u32) -> Result<Value> {
    Ok(Value::Loose { bits: integer(value)?.value.as_u64(), known: ones(n) })
}

fn integer(value: &Value) -> Result<Integer> {
    match value {
        Value::Integer(integer) => Ok(*integer),
        value => senseless(format!("the integer value of {value:?}")),
    }
}

fn number(value: &Value) -> Result<i64> {
    i64::try_from(integer(value)?.value).map_err(|_| Halt::Senseless("a number that is too large".to_owned()))
}
