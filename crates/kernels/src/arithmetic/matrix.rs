//! Products of small matrices (DPAS, DPASW, BDPAS).

use half::slice::HalfFloatSliceExt as _;
use half::{bf16, f16};

use crate::lowering::step::{Exchange, Lowered, Run};
use crate::lowering::{LowerResult, Lowering, channels, element_bytes, illegal, is_float};
use crate::operation::small_floats::{bf8_to_float, power_of_two, small_float};
use visakit::isa::{
    Bdpas, DataType, Dpas, Dpasw, Operand, Precision, PrecisionClass, RawOperand, VecOperand, predefined,
};
use visakit_machine::float::{FloatMode, sum_error, sum_to_odd};
use visakit_machine::region::Start;
use visakit_machine::rounding::{double_to_bfloat, double_to_half, double_to_single};
use visakit_machine::thread::{ExecMask, Registers};
use visakit_native::host::{Vectors, in_vectors};

/// Number of inner elements with the same scale.
const SCALED: u32 = 32;

/// Number of bytes from the scales of a group of elements to those of the next.
const SCALE_DISTANCE: u32 = 32;

/// Number of columns that are multiplied together.
const TOGETHER: usize = 8;

/// Product of matrices, of any page.
struct Product<'a> {
    lanes: u32,
    result: &'a RawOperand,
    addend: &'a RawOperand,
    packed: &'a RawOperand,
    columns: Packed,
    rows: Packed,
    depth: u32,
    repeats: u32,
}

/// Returns the product of an instruction. The three pages have the same names of operands.
macro_rules! product {
    ($inst:expr) => {
        Product {
            lanes: channels($inst.exec_size) as u32,
            result: &$inst.dst,
            addend: &$inst.src0,
            packed: &$inst.src1,
            columns: Packed::of($inst.w),
            rows: Packed::of($inst.a),
            depth: $inst.sd.into(),
            repeats: $inst.rc.into(),
        }
    };
}

/// Values of a row of elements.
type Values = [f64; TOGETHER];

/// Encoding of a matrix element.
#[derive(Clone, Copy)]
struct Packed {
    bits: u32,
    class: PrecisionClass,
    /// Decoder of float elements.
    floats: fn([u32; TOGETHER]) -> Values,
}

impl Packed {
    fn of(precision: Precision) -> Self {
        let floats: fn([u32; TOGETHER]) -> Values = match precision {
            Precision::Bf => |all| all.map(|bits| f32::from_bits(bits << 16).into()),
            Precision::Hf => |all| {
                let mut values = [0.0; TOGETHER];
                all.map(|bits| f16::from_bits(bits as u16)).convert_to_f32_slice(&mut values);
                values.map(f64::from)
            },
            Precision::Bf8 => |all| all.map(|bits| bf8_to_float(bits as u8)),
            Precision::Hf8 => |all| all.map(|bits| small_float(bits as u8, 4, 3, true)),
            Precision::E2m1 => |all| all.map(|bits| small_float(bits as u8, 2, 1, false)),
            Precision::Tf32 => |all| all.map(|bits| f32::from_bits(bits & !0x1fff).into()),
            // Integers are decoded by their class.
            _ => |all| all.map(f64::from),
        };
        Self { bits: precision.bits(), class: precision.class(), floats }
    }

    fn is_float(self) -> bool {
        self.class == PrecisionClass::Float
    }

    /// Decodes the elements at a bit of some words. All integer types are exact in DF.
    fn decode(self, words: [u32; TOGETHER], bit: u32) -> Values {
        let unused = 32 - self.bits;
        let bits = words.map(|word| word >> bit & u32::MAX >> unused);
        match self.class {
            PrecisionClass::Unsigned => bits.map(f64::from),
            PrecisionClass::Signed => bits.map(|bits| f64::from((bits << unused) as i32 >> unused)),
            PrecisionClass::Float => (self.floats)(bits),
        }
    }

    /// Reads `count` elements, from the n-th one after a register offset on.
    fn read(self, registers: &Registers, at: u32, n: u32, count: u32) -> Vec<f64> {
        let words = |first: u32| {
            let word = |i: usize| {
                let bit = (first + i as u32).min(n + count - 1) * self.bits;
                registers.get::<u32>(at + bit / 32 * 4) >> (bit % 32)
            };
            std::array::from_fn(word)
        };
        let chunks = (n..n + count).step_by(TOGETHER).map(|first| self.decode(words(first), 0));
        let mut elements: Vec<f64> = chunks.flatten().collect();
        elements.truncate(count as usize);
        elements
    }
}

/// The columns of a product.
#[derive(Clone, Copy)]
struct Columns {
    encoding: Packed,
    /// Register offset.
    at: u32,
    lanes: u32,
    depth: u32,
    /// Number of elements that a systolic step multiplies.
    ops: u32,
    /// Number of steps whose elements a dword of a column holds.
    steps: u32,
    /// Register offset of their scales.
    scales: Option<u32>,
}

impl Columns {
    /// Reads the elements of [`TOGETHER`] columns from the `first` one on. Elements of missing
    /// columns are those of the last one.
    fn read(self, registers: &Registers, first: u32) -> Vec<Values> {
        let Self { encoding, at, lanes, depth, ops, steps, scales } = self;
        let column = |i: usize| (first + i as u32).min(lanes - 1);
        let mut elements = Vec::with_capacity((depth * ops) as usize);
        for step in 0..depth {
            let words = std::array::from_fn(|i| registers.get(at + (step / steps * lanes + column(i)) * 4));
            elements.extend((0..ops).map(|n| encoding.decode(words, (step % steps * ops + n) * encoding.bits)));
        }
        if let Some(at) = scales {
            for (group, elements) in (0..).zip(elements.chunks_mut(SCALED as usize)) {
                let scales: Values = std::array::from_fn(|i| scale(registers, at, group, column(i)));
                elements.iter_mut().flat_map(|row| row.iter_mut().zip(scales)).for_each(|(x, scale)| *x *= scale);
            }
        }
        elements
    }
}

pub(crate) fn dpas(l: &mut Lowering<'_>, inst: &Dpas) -> LowerResult {
    let product = product!(inst);
    let rows = required(start(l, &inst.src2, product.row_bytes())?)?;
    let (enable, run) = product.lower(l, rows, [None; 2])?;
    Ok(l.step(enable, run))
}

/// Lowers a DPASW. Half of the rows belong to this thread and half to its neighbour; the first
/// half, rounded up to registers, belongs to the even thread.
pub(crate) fn dpasw(l: &mut Lowering<'_>, inst: &Dpasw) -> LowerResult {
    let product = product!(inst);
    let grf = l.layout.grf_bytes;
    let all = product.row_bytes().next_multiple_of(u64::from(grf)) as u32;
    let first_half = (all / grf).div_ceil(2) * grf;
    let own = required(start(l, &inst.src2, first_half.into())?)?;
    let shared = l.room(all as usize);
    let (_, run) = product.lower(l, shared, [None; 2])?;
    Ok(Lowered::Exchange(Exchange { own, parts: [first_half, all - first_half], shared, run }))
}

/// Lowers a BDPAS, a DPAS whose factors have scales.
pub(crate) fn bdpas(l: &mut Lowering<'_>, inst: &Bdpas) -> LowerResult {
    let product = product!(inst);
    let rows = l.raw_required(&inst.src2, product.row_bytes())?;
    let last = (product.depth * product.ops()).div_ceil(SCALED).saturating_sub(1) * SCALE_DISTANCE;
    let columns = start(l, &inst.src3, u64::from(last + product.lanes))?;
    let scales = [columns, start(l, &inst.src4, u64::from(last + product.repeats))?];
    let (enable, run) = product.lower(l, rows, scales)?;
    Ok(l.step(enable, run))
}

/// Returns the register offset of a vector operand that holds `bytes` bytes; `None` for null.
fn start(l: &mut Lowering<'_>, operand: &VecOperand, bytes: u64) -> LowerResult<Option<u32>> {
    if let Operand::General(general) = &operand.operand {
        match l.variable(general.id)?.root {
            predefined::NULL => return Ok(None),
            predefined::CE0 | predefined::TSC => return illegal("a matrix must be in a general variable"),
            _ => {}
        }
    }
    let Start::At(first) = l.region(operand, 1)?.start else {
        return illegal("a matrix must be in a general variable");
    };
    if u64::from(first) + bytes > u64::from(l.layout.len) {
        return illegal("a matrix extends past the end of the registers");
    }
    Ok(Some(first))
}

fn required(start: Option<u32>) -> LowerResult<u32> {
    start.map_or_else(|| illegal("a matrix must be in a general variable"), Ok)
}

impl Product<'_> {
    /// Returns the size in bytes of all rows of the third source.
    fn row_bytes(&self) -> u64 {
        u64::from(self.repeats * self.depth * self.ops() * self.rows.bits).div_ceil(8)
    }

    /// Returns the number of elements of a row and a column that a systolic step multiplies.
    fn ops(&self) -> u32 {
        match (self.columns.bits, self.rows.bits) {
            (32, _) => 1,
            (16, _) => 2,
            (8, _) | (_, 8) => 4,
            _ => 8,
        }
    }

    /// Returns the operation, for rows and for scales of columns and rows at register offsets.
    fn lower(&self, l: &mut Lowering<'_>, first: u32, scales: [Option<u32>; 2]) -> LowerResult<(ExecMask, Run)> {
        let &Self { lanes, columns, rows, depth, repeats, .. } = self;
        let ops = self.ops();
        let (dst_type, src_type) = (l.variable(self.result.id)?.data_type, l.variable(self.addend.id)?.data_type);
        if columns.is_float() != rows.is_float() || is_float(dst_type) != columns.is_float() {
            return illegal("the matrices mix integers and floats");
        }
        if self.addend.id != predefined::NULL && is_float(src_type) != columns.is_float() {
            return illegal("the accumulator and the matrices mix integers and floats");
        }
        if depth == 0 || repeats == 0 {
            return illegal("a matrix without rows");
        }
        let results = u64::from(repeats * lanes);
        let dst = l.raw_required(self.result, results * u64::from(element_bytes(dst_type)?))?;
        let sum = l.raw(self.addend, results * u64::from(element_bytes(src_type)?))?;
        let steps = 32 / (ops * columns.bits);
        let dwords = u64::from(lanes) * u64::from(depth.div_ceil(steps));
        let at = l.raw_required(self.packed, dwords * 4)?;
        let columns = Columns { encoding: columns, at, lanes, depth, ops, steps, scales: scales[0] };
        let enable = ExecMask::all(lanes as usize);
        let (count, vectors) = (depth * ops, Vectors::of_host());
        let run = Run::new(move |thread, _| {
            let (registers, mode) = (&thread.registers, thread.mode);
            let row = |n: u32| scaled(rows.read(registers, first, n * count, count), registers, scales[1], n);
            let rows: Vec<Vec<f64>> = (0..repeats).map(row).collect();
            let mut results = Vec::with_capacity((repeats * lanes) as usize);
            for at in (0..lanes).step_by(TOGETHER) {
                let elements = columns.read(registers, at);
                for (n, row) in (0..).zip(&rows) {
                    let place = |i: usize| n * lanes + (at + i as u32).min(lanes - 1);
                    let start = |i| sum.map_or(0.0, |at| load(registers, at, src_type, place(i)));
                    let starts = std::array::from_fn(start);
                    let exact = in_vectors(
                        vectors,
                        #[inline(always)]
                        || exact_sums(starts, &elements, row),
                    );
                    for i in 0..TOGETHER.min((lanes - at) as usize) {
                        let total = || Total::of(starts[i], elements.iter().map(|row| row[i]), row).to_odd();
                        results.push((place(i), exact.map_or_else(total, |sums| sums[i])));
                    }
                }
            }
            for (n, sum) in results {
                store(&mut thread.registers, dst, dst_type, n, sum, mode);
            }
            Ok(())
        });
        Ok((enable, run))
    }
}

/// Returns the scale of a group of elements of the n-th row or column.
fn scale(registers: &Registers, at: u32, group: u32, n: u32) -> f64 {
    power_of_two(registers.get(at + group * SCALE_DISTANCE + n))
}

/// Multiplies the elements of a row by its scales, which is exact.
fn scaled(mut elements: Vec<f64>, registers: &Registers, scales: Option<u32>, n: u32) -> Vec<f64> {
    if let Some(at) = scales {
        for (group, elements) in (0..).zip(elements.chunks_mut(SCALED as usize)) {
            let scale = scale(registers, at, group, n);
            elements.iter_mut().for_each(|element| *element *= scale);
        }
    }
    elements
}

/// Returns the sums of some starts and of the products of each column with a row. Returns `None`
/// if a sum is not exact.
#[inline(always)]
fn exact_sums(starts: Values, columns: &[Values], row: &[f64]) -> Option<Values> {
    let (mut sums, mut lost) = (starts, [0.0; TOGETHER]);
    for (column, y) in columns.iter().zip(row) {
        for i in 0..TOGETHER {
            let value = column[i] * y;
            let sum = sums[i] + value;
            lost[i] += sum_error(sums[i], value, sum).abs();
            sums[i] = sum;
        }
    }
    // The errors of infinities and NaNs are NaNs.
    lost.iter().all(|lost| *lost == 0.0).then_some(sums)
}

/// Exact sum as a list of non-overlapping parts in ascending order (Shewchuk 1997).
struct Total {
    parts: Vec<f64>,
    /// Sum of infinities and NaNs.
    special: f64,
}

impl Total {
    /// Returns the sum of a start and of the products of a column and a row. The products are
    /// exact, because the factors are short.
    fn of(start: f64, column: impl Iterator<Item = f64>, row: &[f64]) -> Self {
        // Adding a negative zero preserves every value.
        let mut total = Self { parts: Vec::with_capacity(4), special: -0.0 };
        total.add(start);
        column.zip(row).for_each(|(x, y)| total.add(x * y));
        total
    }

    fn add(&mut self, mut value: f64) {
        if !value.is_finite() {
            self.special += value;
            return;
        }
        let mut kept = 0;
        for n in 0..self.parts.len() {
            let sum = self.parts[n] + value;
            let lost = sum_error(self.parts[n], value, sum);
            if lost != 0.0 {
                self.parts[kept] = lost;
                kept += 1;
            }
            value = sum;
        }
        self.parts.truncate(kept);
        self.parts.push(value);
    }

    /// Returns the sum rounded to odd, so that rounding to a shorter float is a single rounding.
    fn to_odd(&self) -> f64 {
        let mut parts = self.parts.iter().rev();
        let mut sum = parts.next().copied().unwrap_or(0.0) + self.special;
        if !sum.is_finite() {
            return sum;
        }
        // The parts after an inexact addition are smaller than its error.
        for part in parts {
            let all = sum + part;
            if sum_error(sum, *part, all) != 0.0 {
                return sum_to_odd(sum, *part);
            }
            sum = all;
        }
        sum
    }
}

fn load(registers: &Registers, at: u32, data_type: DataType, n: u32) -> f64 {
    match data_type {
        DataType::D => registers.get::<i32>(at + n * 4).into(),
        DataType::Ud => registers.get::<u32>(at + n * 4).into(),
        DataType::Hf => registers.get::<f16>(at + n * 2).to_f64(),
        DataType::Bf => registers.get::<bf16>(at + n * 2).to_f64(),
        DataType::Df => registers.get(at + n * 8),
        _ => registers.get::<f32>(at + n * 4).into(),
    }
}

fn store(registers: &mut Registers, at: u32, data_type: DataType, n: u32, sum: f64, mode: FloatMode) {
    match data_type {
        // Integer sums need far less than 53 bits; bits above 32 are dropped.
        DataType::D | DataType::Ud => registers.set(at + n * 4, sum as i64 as u32),
        DataType::Hf => registers.set(at + n * 2, double_to_half(sum, mode)),
        DataType::Bf => registers.set(at + n * 2, double_to_bfloat(sum, mode)),
        DataType::Df => registers.set(at + n * 8, sum),
        _ => registers.set(at + n * 4, double_to_single(sum, mode)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums that are exact in DF equal the exact sums; the others are found.
    #[test]
    fn exact_sums_and_others() {
        let mut state = 5_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let (mut exact, mut inexact) = (0, 0);
        for round in 0..2000 {
            // Exponents are close, or far from each other; some elements are zeros or infinite.
            let spread = [4, 20, 60][round % 3];
            let mut value = || {
                let size = 2_f64.powi((random() % spread) as i32 - spread as i32 / 2);
                let sign = if random() % 2 == 0 { 1.0 } else { -1.0 };
                match random() % 40 {
                    0 => sign * 0.0,
                    1 if round % 5 == 0 => sign * f64::INFINITY,
                    _ => sign * size * (random() % 2048) as f64,
                }
            };
            let columns: Vec<Values> = (0..16).map(|_| std::array::from_fn(|_| value())).collect();
            let row: Vec<f64> = (0..16).map(|_| value()).collect();
            let starts: Values = std::array::from_fn(|_| value());
            let want: Values =
                std::array::from_fn(|i| Total::of(starts[i], columns.iter().map(|row| row[i]), &row).to_odd());
            match exact_sums(starts, &columns, &row) {
                Some(sums) => {
                    exact += 1;
                    assert_eq!(sums.map(f64::to_bits), want.map(f64::to_bits), "round {round}");
                }
                None => inexact += 1,
            }
        }
        assert!(exact > 300 && inexact > 300, "{exact} {inexact}");
    }
}
