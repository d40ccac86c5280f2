//! Products of small matrices (DPAS, DPASW, BDPAS).

mod elements;
mod sums;

use half::{bf16, f16};

use self::elements::{Decoder, Row, TOGETHER};
use crate::lowering::step::{Exchange, Lowered, Run, wide_or_plain};
use crate::lowering::{LowerResult, Lowering, channels, illegal};
use crate::operation::small_floats::power_of_two;
use visakit::isa::{
    Bdpas, DataType, Dpas, Dpasw, Operand, Precision, PrecisionClass, RawOperand, VecOperand, predefined,
};
use visakit_machine::float::FloatMode;
use visakit_machine::region::Start;
use visakit_machine::rounding::{double_to_bfloat, double_to_half, double_to_single};
use visakit_machine::thread::{ExecMask, Registers};

/// Number of inner elements with the same scale.
const SCALED: usize = 32;

/// Number of bytes from the scales of a group of elements to those of the next.
const SCALE_DISTANCE: u32 = 32;

/// Product of matrices, of any page.
struct Product<'a> {
    lanes: u32,
    result: &'a RawOperand,
    addend: &'a RawOperand,
    packed: &'a RawOperand,
    columns: Precision,
    rows: Precision,
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
            columns: $inst.w,
            rows: $inst.a,
            depth: $inst.sd.into(),
            repeats: $inst.rc.into(),
        }
    };
}

pub(crate) fn dpas(l: &mut Lowering<'_>, inst: &Dpas) -> LowerResult {
    let product = product!(inst);
    let rows = required(start(l, &inst.src2, product.row_bytes())?)?;
    let (enable, run) = product.lower(l, rows, Scales::default())?;
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
    let (_, run) = product.lower(l, shared, Scales::default())?;
    Ok(Lowered::Exchange(Exchange { own, parts: [first_half, all - first_half], shared, run }))
}

/// Lowers a BDPAS, a DPAS whose factors have scales.
pub(crate) fn bdpas(l: &mut Lowering<'_>, inst: &Bdpas) -> LowerResult {
    let product = product!(inst);
    let rows = l.raw_required(&inst.src2, product.row_bytes())?;
    let last = (product.depth * product.ops()).div_ceil(SCALED as u32).saturating_sub(1) * SCALE_DISTANCE;
    let columns = start(l, &inst.src3, u64::from(last + product.lanes))?;
    let scales = Scales { columns, rows: start(l, &inst.src4, u64::from(last + product.repeats))? };
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

fn required<T>(place: Option<T>) -> LowerResult<T> {
    place.map_or_else(|| illegal("a matrix must be in a general variable"), Ok)
}

impl Product<'_> {
    /// Returns the size in bytes of all rows of the third source.
    fn row_bytes(&self) -> u64 {
        u64::from(self.repeats * self.depth * self.ops() * self.rows.bits()).div_ceil(8)
    }

    /// Returns the number of elements of a row and a column that a systolic step multiplies.
    fn ops(&self) -> u32 {
        match (self.columns.bits(), self.rows.bits()) {
            (32, _) => 1,
            (16, _) => 2,
            (8, _) | (_, 8) => 4,
            _ => 8,
        }
    }

    /// Returns the operation, for rows at a register offset and for scales.
    fn lower(&self, l: &mut Lowering<'_>, rows: u32, scales: Scales) -> LowerResult<(ExecMask, Run)> {
        let &Self { lanes, depth, repeats, .. } = self;
        let factors = [self.columns, self.rows];
        let [floats, row_floats] = factors.map(|factor| factor.class() == PrecisionClass::Float);
        if floats != row_floats {
            return illegal("the matrices mix integers and floats");
        }
        if !floats && (scales.columns.is_some() || scales.rows.is_some()) {
            return illegal("only floats have scales");
        }
        if depth == 0 || repeats == 0 {
            return illegal("a matrix without rows");
        }
        if !(lanes as usize).is_multiple_of(TOGETHER) {
            return illegal("a matrix has 8 or 16 columns");
        }
        let results = repeats * lanes;
        let dst = required(Sums::of(l, self.result, results, floats)?)?;
        let addend = Sums::of(l, self.addend, results, floats)?;
        let (inner, in_dword) = (depth * self.ops(), factors.map(|factor| 32 / factor.bits()));
        let dwords = u64::from(lanes) * u64::from(inner.div_ceil(in_dword[0]));
        let columns = l.raw_required(self.packed, dwords * 4)?;
        let shape = Shape { lanes, inner, repeats, columns, rows, in_dword, addend, dst, scales };
        let run = match floats {
            true => shape.run(factors.map(elements::floats)),
            false => shape.run(factors.map(elements::integers)),
        };
        Ok((ExecMask::all(lanes as usize), run))
    }
}

/// Register offsets of the scales of both factors; those of a null operand are missing.
#[derive(Clone, Copy, Default)]
struct Scales {
    columns: Option<u32>,
    rows: Option<u32>,
}

/// Sums or addends in registers, row by row.
#[derive(Clone, Copy)]
struct Sums {
    at: u32,
    data_type: DataType,
}

impl Sums {
    /// Returns the place of an operand; `None` for null.
    fn of(l: &mut Lowering<'_>, operand: &RawOperand, count: u32, floats: bool) -> LowerResult<Option<Self>> {
        if operand.id == predefined::NULL {
            return Ok(None);
        }
        let data_type = l.variable(operand.id)?.data_type;
        match data_type {
            DataType::D | DataType::Ud if !floats => {}
            DataType::F | DataType::Hf | DataType::Bf | DataType::Df if floats => {}
            _ => return illegal("the sums and the matrices mix integers and floats"),
        }
        let at = l.raw(operand, u64::from(count * data_type.bits() / 8))?;
        Ok(at.map(|at| Self { at, data_type }))
    }

    /// Returns the register offset of the n-th element.
    fn place(self, n: u32) -> u32 {
        self.at + n * self.data_type.bits() / 8
    }
}

/// Sizes and places of the matrices of a product.
struct Shape {
    /// Number of columns, a multiple of [`TOGETHER`].
    lanes: u32,
    /// Number of elements of a row and a column that are multiplied.
    inner: u32,
    /// Number of rows.
    repeats: u32,
    /// Register offset of the columns.
    columns: u32,
    /// Number of elements in a dword of the columns, and in one of the rows.
    in_dword: [u32; 2],
    /// Register offset of the rows.
    rows: u32,
    addend: Option<Sums>,
    dst: Sums,
    scales: Scales,
}

impl Shape {
    /// Returns the operation, for the decoders of columns and rows.
    fn run<T: Number>(self, [columns, rows]: [Decoder<T>; 2]) -> Run {
        wide_or_plain(
            self,
            #[inline(always)]
            move |shape, thread, _| {
                let registers = &thread.registers;
                let rows = shape.rows(registers, &rows);
                let mut results = Vec::with_capacity((shape.repeats * shape.lanes) as usize / TOGETHER);
                let mut elements = Vec::new();
                for lane in (0..shape.lanes).step_by(TOGETHER) {
                    shape.columns(registers, lane, &columns, &mut elements);
                    for (n, row) in (0..).zip(rows.chunks_exact(shape.inner as usize)) {
                        let place = n * shape.lanes + lane;
                        let starts =
                            shape.addend.map_or([T::default(); TOGETHER], |all| T::load(registers, all, place));
                        results.push((place, T::sums(starts, &elements, row)));
                    }
                }
                let mode = thread.mode;
                for (place, sums) in results {
                    T::store(&mut thread.registers, shape.dst, place, sums, mode);
                }
                Ok(())
            },
        )
    }

    /// Decodes all rows.
    #[inline(always)]
    fn rows<T: Number>(&self, registers: &Registers, decode: &Decoder<T>) -> Vec<T> {
        let (count, in_dword) = (self.repeats * self.inner, self.in_dword[1] as usize);
        let dwords = count.div_ceil(self.in_dword[1]);
        let word = |n: u32| registers.get(self.rows + n.min(dwords - 1) * 4);
        let words = (0..dwords).step_by(TOGETHER).map(|first| std::array::from_fn(|i| word(first + i as u32)));
        let mut decoded = Vec::new();
        decode(&words.collect::<Vec<_>>(), &mut decoded);
        let mut all = vec![T::default(); decoded.len() * TOGETHER];
        for (rows, all) in decoded.chunks_exact(in_dword).zip(all.chunks_exact_mut(in_dword * TOGETHER)) {
            for (n, row) in rows.iter().enumerate() {
                row.iter().enumerate().for_each(|(dword, element)| all[dword * in_dword + n] = *element);
            }
        }
        all.truncate(count as usize);
        if let Some(at) = self.scales.rows {
            for (n, row) in (0..).zip(all.chunks_exact_mut(self.inner as usize)) {
                for (group, elements) in (0..).zip(row.chunks_mut(SCALED)) {
                    let scale = power_of_two(registers.get(at + group * SCALE_DISTANCE + n));
                    elements.iter_mut().for_each(|element| element.scale(scale));
                }
            }
        }
        all
    }

    /// Decodes the elements of [`TOGETHER`] columns from a lane on.
    #[inline(always)]
    fn columns<T: Number>(&self, registers: &Registers, lane: u32, decode: &Decoder<T>, elements: &mut Vec<Row<T>>) {
        let dwords = self.inner.div_ceil(self.in_dword[0]);
        let words = (0..dwords).map(|n| registers.load(self.columns + (n * self.lanes + lane) * 4));
        elements.clear();
        decode(&words.collect::<Vec<_>>(), elements);
        elements.truncate(self.inner as usize);
        if let Some(at) = self.scales.columns {
            for (group, elements) in (0..).zip(elements.chunks_mut(SCALED)) {
                let scales = registers.load::<u8, TOGETHER>(at + group * SCALE_DISTANCE + lane).map(power_of_two);
                for row in elements {
                    row.iter_mut().zip(scales).for_each(|(element, scale)| element.scale(scale));
                }
            }
        }
    }
}

/// Number that elements are decoded to and sums are computed in.
trait Number: Copy + Default + 'static {
    /// Loads [`TOGETHER`] addends from the n-th one on.
    fn load(registers: &Registers, from: Sums, n: u32) -> Row<Self>;

    /// Stores [`TOGETHER`] results from the n-th one on.
    fn store(registers: &mut Registers, to: Sums, n: u32, sums: Row<Self>, mode: FloatMode);

    /// Returns the sums of some starts and of the products of each column with a row.
    fn sums(starts: Row<Self>, columns: &[Row<Self>], row: &[Self]) -> Row<Self>;

    /// Multiplies an element by its scale, which is exact.
    fn scale(&mut self, scale: f64);
}

impl Number for f64 {
    #[inline(always)]
    fn load(registers: &Registers, from: Sums, n: u32) -> Row<Self> {
        let at = from.place(n);
        match from.data_type {
            DataType::Hf => registers.load::<f16, TOGETHER>(at).map(f16::to_f64),
            DataType::Bf => registers.load::<bf16, TOGETHER>(at).map(bf16::to_f64),
            DataType::Df => registers.load(at),
            _ => registers.load::<f32, TOGETHER>(at).map(f64::from),
        }
    }

    #[inline(always)]
    fn store(registers: &mut Registers, to: Sums, n: u32, sums: Row<Self>, mode: FloatMode) {
        let at = to.place(n);
        match to.data_type {
            DataType::Hf => registers.store(at, &sums.map(|sum| double_to_half(sum, mode))),
            DataType::Bf => registers.store(at, &sums.map(|sum| double_to_bfloat(sum, mode))),
            DataType::Df => registers.store(at, &sums),
            _ => registers.store(at, &sums.map(|sum| double_to_single(sum, mode))),
        }
    }

    #[inline(always)]
    fn sums(starts: Row<Self>, columns: &[Row<Self>], row: &[Self]) -> Row<Self> {
        sums::sums(starts, columns, row)
    }

    fn scale(&mut self, scale: f64) {
        *self *= scale;
    }
}

/// Sums of integers wrap around.
impl Number for i32 {
    #[inline(always)]
    fn load(registers: &Registers, from: Sums, n: u32) -> Row<Self> {
        registers.load(from.place(n))
    }

    #[inline(always)]
    fn store(registers: &mut Registers, to: Sums, n: u32, sums: Row<Self>, _: FloatMode) {
        registers.store(to.place(n), &sums);
    }

    #[inline(always)]
    fn sums(mut sums: Row<Self>, columns: &[Row<Self>], row: &[Self]) -> Row<Self> {
        for (column, y) in columns.iter().zip(row) {
            for (sum, x) in sums.iter_mut().zip(column) {
                *sum = sum.wrapping_add(x.wrapping_mul(*y));
            }
        }
        sums
    }

    fn scale(&mut self, _: f64) {
        unreachable!("integers have no scales");
    }
}
