//! Products of small matrices (DPAS, DPASW, BDPAS).

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

/// Number of inner elements with the same scale.
const SCALED: u32 = 32;

/// Number of bytes from the scales of a group of elements to those of the next.
const SCALE_DISTANCE: u32 = 32;

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

/// Encoding of a matrix element.
#[derive(Clone, Copy)]
struct Packed {
    bits: u32,
    class: PrecisionClass,
    /// Decoder of float elements.
    float: fn(u32) -> f64,
}

impl Packed {
    fn of(precision: Precision) -> Self {
        let float: fn(u32) -> f64 = match precision {
            Precision::Bf => |bits| bf16::from_bits(bits as u16).to_f64(),
            Precision::Hf => |bits| f16::from_bits(bits as u16).to_f64(),
            Precision::Bf8 => |bits| bf8_to_float(bits as u8),
            Precision::Hf8 => |bits| small_float(bits as u8, 4, 3, true),
            Precision::E2m1 => |bits| small_float(bits as u8, 2, 1, false),
            Precision::Tf32 => |bits| f32::from_bits(bits & !0x1fff).into(),
            // Integers are decoded by their class.
            _ => f64::from,
        };
        Self { bits: precision.bits(), class: precision.class(), float }
    }

    fn is_float(self) -> bool {
        self.class == PrecisionClass::Float
    }

    /// Reads the n-th element after a register offset. All integer types are exact in DF.
    fn read(self, registers: &Registers, at: u32, n: u32) -> f64 {
        let first = n * self.bits;
        let word: u32 = registers.get(at + first / 32 * 4);
        let bits = word >> (first % 32) & (u32::MAX >> (32 - self.bits));
        match self.class {
            PrecisionClass::Unsigned => bits.into(),
            PrecisionClass::Signed => f64::from((bits << (32 - self.bits)) as i32 >> (32 - self.bits)),
            PrecisionClass::Float => (self.float)(bits),
        }
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
        // Each dword of a column holds the elements of this number of steps.
        let steps = 32 / (ops * columns.bits);
        let dwords = u64::from(lanes) * u64::from(depth.div_ceil(steps));
        let packed = l.raw_required(self.packed, dwords * 4)?;
        let enable = ExecMask::all(lanes as usize);
        let count = depth * ops;
        let run = Run::new(move |thread, _| {
            let (registers, mode) = (&thread.registers, thread.mode);
            let mut results = Vec::with_capacity((repeats * lanes) as usize);
            let column = |i: u32| -> Vec<f64> {
                let element = |d: u32, n: u32| {
                    columns.read(
                        registers,
                        packed,
                        (d / steps * lanes + i) * (32 / columns.bits) + d % steps * ops + n,
                    )
                };
                let elements = (0..depth).flat_map(|d| (0..ops).map(move |n| (d, n))).map(|(d, n)| element(d, n));
                scaled(elements.collect(), registers, scales[0], i)
            };
            let columns: Vec<Vec<f64>> = (0..lanes).map(column).collect();
            for row in 0..repeats {
                let row_of = (0..count).map(|n| rows.read(registers, first, row * count + n)).collect();
                let row_of = scaled(row_of, registers, scales[1], row);
                for (i, column) in columns.iter().enumerate() {
                    let start = sum.map_or(0.0, |at| load(registers, at, src_type, row * lanes + i as u32));
                    let mut total = Total::new(start);
                    for (x, y) in column.iter().zip(&row_of) {
                        // The products are exact, because the factors are short.
                        total.add(x * y);
                    }
                    results.push(total);
                }
            }
            for (n, total) in results.into_iter().enumerate() {
                store(&mut thread.registers, dst, dst_type, n as u32, &total, mode);
            }
            Ok(())
        });
        Ok((enable, run))
    }
}

/// Multiplies the elements of a row or column by its scales, which is exact.
fn scaled(mut elements: Vec<f64>, registers: &Registers, scales: Option<u32>, n: u32) -> Vec<f64> {
    if let Some(at) = scales {
        for (group, elements) in (0..).zip(elements.chunks_mut(SCALED as usize)) {
            let scale = power_of_two(registers.get(at + group * SCALE_DISTANCE + n));
            elements.iter_mut().for_each(|element| *element *= scale);
        }
    }
    elements
}

/// Exact sum as a list of non-overlapping parts in ascending order (Shewchuk 1997).
struct Total {
    parts: Vec<f64>,
    /// Sum of infinities and NaNs.
    special: f64,
}

impl Total {
    fn new(start: f64) -> Self {
        // Adding a negative zero preserves every value.
        let mut total = Self { parts: Vec::with_capacity(4), special: -0.0 };
        total.add(start);
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

fn store(registers: &mut Registers, at: u32, data_type: DataType, n: u32, total: &Total, mode: FloatMode) {
    let sum = total.to_odd();
    match data_type {
        // Integer sums need far less than 53 bits; bits above 32 are dropped.
        DataType::D | DataType::Ud => registers.set(at + n * 4, sum as i64 as u32),
        DataType::Hf => registers.set(at + n * 2, double_to_half(sum, mode)),
        DataType::Bf => registers.set(at + n * 2, double_to_bfloat(sum, mode)),
        DataType::Df => registers.set(at + n * 8, sum),
        _ => registers.set(at + n * 4, double_to_single(sum, mode)),
    }
}
