//! Operands in assembly text, with the syntax of chapter 5.

use std::sync::OnceLock;

use super::super::isa::{
    AddrOpnd, AddressId, GenOpnd, GeneralId, IndirectOpnd, IndirectOpndBitProperties, Modifier, Operand, PredOpnd,
    Predicate, RawOperand, Region, StateClass, StateOpnd, Stride, VecOperand,
};
use super::cursor::{Cursor, TextError};
use super::format::Format;
use super::text::{Printer, Text};
use super::value::immediate_bits;
use super::visit::Table;

/// Default region in the assembler for a text without one: one element for all channels.
const SCALAR: Region = Region { vertical_stride: Stride::N0, width: Stride::N1, horizontal_stride: Stride::N0 };

/// Region of an operand with contiguous elements.
const PACKED: Region = Region { vertical_stride: Stride::N1, width: Stride::N1, horizontal_stride: Stride::N0 };

impl Printer<'_> {
    /// Prints a predicate in parentheses and a blank; nothing for no predicate.
    pub fn predicate(&mut self, predicate: Predicate) {
        if predicate == Predicate::default() {
            return;
        }
        self.text(if predicate.inverse { "(!" } else { "(" });
        self.index(Table::Predicate, u32::from(predicate.id), Format::Plain);
        let combine = predicate.combine.text();
        if !combine.is_empty() {
            self.text(".");
            self.text(combine);
        }
        self.text(") ");
    }

    fn region(&mut self, region: &Region) {
        let Region { vertical_stride: v, width: w, horizontal_stride: h } = region;
        self.text("<");
        if *v != Stride::Null {
            self.text(v.text());
            self.text(";");
        }
        if *w != Stride::Null {
            self.text(w.text());
            self.text(",");
        }
        self.text(h.text());
        self.text(">");
    }

    fn place(&mut self, first: u8, second: Option<u8>) {
        self.text("(");
        self.number(i64::from(first), Format::Plain);
        if let Some(second) = second {
            self.text(",");
            self.number(i64::from(second), Format::Plain);
        }
        self.text(")");
    }
}

impl Cursor<'_> {
    /// Consumes a predicate in parentheses and the blanks after it, if present.
    pub fn predicate(&mut self) -> Result<Predicate, TextError> {
        let mut out = Predicate::default();
        if !self.take("(") {
            return Ok(out);
        }
        self.skip_blanks();
        out.inverse = self.take("!");
        self.skip_blanks();
        let start = self.save();
        let id = self.index(Table::Predicate, Format::Plain)?;
        out.id = u16::try_from(id).map_err(|_| {
            self.restore(start);
            self.error("one of the first 4095 predicates")
        })?;
        if self.take(".") {
            out.combine = Text::parse(self, Format::Plain)?;
        }
        self.skip_blanks();
        self.expect(")")?;
        self.skip_blanks();
        Ok(out)
    }

    /// Consumes the region of a destination, such as `<1>`.
    fn destination_region(&mut self) -> Result<Region, TextError> {
        self.expect("<")?;
        let horizontal_stride = self.stride()?;
        self.expect(">")?;
        Ok(Region { horizontal_stride, ..Region::default() })
    }

    /// Consumes the region of a source, such as `<8;8,1>`; an indirect operand may also have
    /// `<1,0>` or `<1>`.
    fn source_region(&mut self, indirect: bool) -> Result<Region, TextError> {
        self.expect("<")?;
        let first = self.stride()?;
        if indirect && self.take(">") {
            return Ok(Region { horizontal_stride: first, ..Region::default() });
        }
        if indirect && self.take(",") {
            let at = self.save();
            let value = self.number("stride", Format::Plain)?;
            let horizontal_stride = self.strided(at, value)?;
            self.expect(">")?;
            return Ok(Region { width: first, horizontal_stride, ..Region::default() });
        }
        self.expect(";")?;
        let width = self.stride()?;
        self.expect(",")?;
        let horizontal_stride = self.stride()?;
        self.expect(">")?;
        Ok(Region { vertical_stride: first, width, horizontal_stride })
    }

    fn stride(&mut self) -> Result<Stride, TextError> {
        self.skip_blanks();
        let at = self.save();
        let value = self.sum("stride")?;
        self.strided(at, value)
    }

    fn strided(&mut self, at: usize, value: u64) -> Result<Stride, TextError> {
        named_stride(value).ok_or_else(|| {
            self.restore(at);
            self.error("a stride: 0, 1, 2, 4, 8, 16 or 32")
        })
    }

    fn byte(&mut self, name: &str) -> Result<u8, TextError> {
        self.skip_blanks();
        let value = self.expression(name)?;
        self.skip_blanks();
        Ok(value)
    }

    /// Consumes the offset `(1,0)`, or `(0)` for an operand class with one number.
    fn place(&mut self, two: bool) -> Result<(u8, u8), TextError> {
        self.expect("(")?;
        let first = self.byte("offset")?;
        let second = if two {
            self.expect(",")?;
            self.byte("column")?
        } else {
            0
        };
        self.expect(")")?;
        Ok((first, second))
    }

    fn modifier(&mut self) -> Modifier {
        if !self.rest().starts_with('(') {
            return Modifier::None;
        }
        let spelled = Modifier::ALL.iter().copied().filter(|m| !m.text().is_empty());
        for modifier in spelled {
            if self.take(modifier.text()) {
                self.skip_blanks();
                return modifier;
            }
        }
        Modifier::None
    }

    /// Consumes an indirect operand after its `r`, such as `r[A0(0),16]<8;8,1>:ud`.
    fn indirect(&mut self, is_dst: bool) -> Result<IndirectOpnd, TextError> {
        self.expect("[")?;
        self.skip_blanks();
        let id = AddressId(self.index(Table::Address, Format::Plain)?);
        let (addr_offset, _) = self.place(false)?;
        self.skip_blanks();
        let indirect_offset = if self.take(",") {
            self.skip_blanks();
            self.expression("offset")?
        } else {
            0
        };
        self.skip_blanks();
        self.expect("]")?;
        let region = if is_dst { self.destination_region()? } else { self.source_region(true)? };
        self.expect(":")?;
        let type_ = self.operand_type()?;
        let bit_properties = IndirectOpndBitProperties { type_, ..Default::default() };
        Ok(IndirectOpnd { id, addr_offset, indirect_offset, bit_properties, region })
    }

    /// Consumes an operand that begins with a name. The table that has the name decides the operand
    /// class.
    fn named(&mut self, format: Format, is_dst: bool) -> Result<Operand, TextError> {
        let start = self.save();
        let Some(name) = self.word() else {
            return Err(self.error("an operand: a variable, `r[…]`, or a constant with its type"));
        };
        if let Some(id) = self.symbols.find(Table::General, name) {
            let (row_offset, col_offset) = if self.looking_at("(") {
                self.place(true)?
            } else if format == Format::Bare && self.take(".") {
                (0, self.number("column", Format::Plain)?)
            } else if format == Format::Bare || is_dst && self.looking_at("<") {
                (0, 0)
            } else {
                return Err(self.error("row and column within the variable, such as `(0,0)`"));
            };
            let region = match format {
                Format::Packed => PACKED,
                Format::Bare => SCALAR,
                _ if is_dst => self.destination_region()?,
                _ => self.source_region(false)?,
            };
            return Ok(Operand::General(GenOpnd { id: GeneralId(id), row_offset, col_offset, region }));
        }
        if let Some(id) = self.symbols.find(Table::Predicate, name) {
            let id = u16::try_from(id).map_err(|_| self.error("one of the first 4095 predicates"))?;
            return Ok(Operand::Predicate(PredOpnd { value: Predicate { id, ..Predicate::default() } }));
        }
        if let Some(id) = self.symbols.find(Table::Address, name) {
            let (offset, _) = self.place(false)?;
            self.expect("<")?;
            let width = Text::parse(self, Format::Plain)?;
            self.expect(">")?;
            return Ok(Operand::Address(AddrOpnd { id: AddressId(id), offset, width }));
        }
        for (table, class) in [(Table::Surface, StateClass::Surface), (Table::Sampler, StateClass::Sampler)] {
            if let Some(id) = self.symbols.find(table, name) {
                let id = u16::try_from(id).map_err(|_| self.error("a state variable"))?;
                let (offset, _) = self.place(false)?;
                return Ok(Operand::State(StateOpnd { class, id, offset }));
            }
        }
        self.restore(start);
        Err(self.unknown("a declared variable", Table::General, name))
    }

    /// Consumes `&V32[64]`. The byte offset becomes a row and a column of the variable.
    fn address_of(&mut self) -> Result<Operand, TextError> {
        let start = self.save();
        let Some(name) = self.word() else { return Err(self.error("a variable")) };
        let mut offset = 0;
        if self.looking_at("[") {
            self.expect("[")?;
            self.skip_blanks();
            offset = self.expression::<u32>("offset")?;
            self.skip_blanks();
            self.expect("]")?;
        }
        if let Some(id) = self.symbols.find(Table::General, name) {
            let id = GeneralId(id);
            let row = self.symbols.register_bytes().max(1);
            let element = self.symbols.data_type(id).map_or(1, |t| t.bits().div_ceil(8));
            let place = (u8::try_from(offset / row), u8::try_from(offset % row / element));
            let (Ok(row_offset), Ok(col_offset)) = place else {
                self.restore(start);
                return Err(self.error("an offset within the variable"));
            };
            return Ok(Operand::General(GenOpnd { id, row_offset, col_offset, region: SCALAR }));
        }
        for (table, class) in [(Table::Surface, StateClass::Surface), (Table::Sampler, StateClass::Sampler)] {
            if let Some(id) = self.symbols.find(table, name) {
                let (id, offset) = (u16::try_from(id), u8::try_from(offset / 4));
                let (Ok(id), Ok(offset)) = (id, offset) else { return Err(self.error("a state variable")) };
                return Ok(Operand::State(StateOpnd { class, id, offset }));
            }
        }
        self.restore(start);
        Err(self.unknown("a declared variable", Table::General, name))
    }
}

/// Returns the stride of `value` elements.
fn named_stride(value: u64) -> Option<Stride> {
    static STRIDES: OnceLock<Vec<Option<Stride>>> = OnceLock::new();
    let strides = STRIDES.get_or_init(|| {
        let most = Stride::ALL.iter().filter_map(|s| s.elements()).max().unwrap_or(0);
        (0..=most).map(|n| Stride::ALL.iter().copied().find(|s| s.elements() == Some(n))).collect()
    });
    strides.get(usize::try_from(value).ok()?).copied().flatten()
}

impl Text for VecOperand {
    fn print(&self, p: &mut Printer<'_>, format: Format) {
        p.text(self.modifier.text());
        match &self.operand {
            Operand::General(g) if format == Format::Address => {
                p.text("&");
                p.index(Table::General, g.id.0, Format::Plain);
                let element = p.names.data_type(g.id).map_or(1, |t| t.bits().div_ceil(8));
                let offset = u32::from(g.row_offset) * p.names.register_bytes() + u32::from(g.col_offset) * element;
                print_byte_offset(p, offset);
            }
            Operand::State(s) if format == Format::Address => {
                p.text("&");
                p.index(s.class.table(), u32::from(s.id), Format::Plain);
                print_byte_offset(p, u32::from(s.offset) * 4);
            }
            Operand::General(g) => {
                p.index(Table::General, g.id.0, Format::Plain);
                if format == Format::Bare {
                    if (g.row_offset, g.col_offset) != (0, 0) {
                        p.place(g.row_offset, Some(g.col_offset));
                    }
                } else {
                    p.place(g.row_offset, Some(g.col_offset));
                    if format != Format::Packed {
                        p.region(&g.region);
                    }
                }
            }
            Operand::Address(a) => {
                p.index(Table::Address, a.id.0, Format::Plain);
                p.place(a.offset, None);
                p.text("<");
                a.width.print(p, Format::Plain);
                p.text(">");
            }
            Operand::Predicate(value) => p.index(Table::Predicate, u32::from(value.value.id), Format::Plain),
            Operand::Indirect(i) => {
                p.text("r[");
                p.index(Table::Address, i.id.0, Format::Plain);
                p.place(i.addr_offset, None);
                p.text(",");
                p.number(i64::from(i.indirect_offset), Format::Plain);
                p.text("]");
                p.region(&i.region);
                p.text(":");
                p.text(i.bit_properties.type_.name());
            }
            Operand::Immediate(c) if format == Format::Bare => {
                p.number(immediate_bits(c) as i64, Format::UpperHex);
            }
            Operand::Immediate(c) => {
                p.text(&format!("0x{:x}:{}", immediate_bits(c), c.type_.name()));
            }
            Operand::State(s) => {
                p.index(s.class.table(), u32::from(s.id), Format::Plain);
                p.place(s.offset, None);
            }
        }
    }

    fn parse(c: &mut Cursor<'_>, format: Format) -> Result<Self, TextError> {
        vector(c, format, false)
    }

    fn is_default(&self) -> bool {
        match &self.operand {
            Operand::Immediate(constant) => immediate_bits(constant) == 0,
            _ => *self == Self::default(),
        }
    }
}

/// Parses a destination, whose region has one number.
///
/// # Errors
/// The text is not a destination.
pub fn destination(c: &mut Cursor<'_>, format: Format) -> Result<VecOperand, TextError> {
    vector(c, format, true)
}

fn vector(c: &mut Cursor<'_>, format: Format, is_dst: bool) -> Result<VecOperand, TextError> {
    c.skip_blanks();
    let modifier = if is_dst { Modifier::None } else { c.modifier() };
    let rest = c.rest();
    let constant = rest.starts_with(|c: char| c.is_ascii_digit() || "(~!-".contains(c))
        || ["%sizeof", "%DispatchSimd"].iter().any(|word| rest.starts_with(word));
    let operand = if constant {
        Operand::Immediate(c.immediate(format)?)
    } else if rest.starts_with("r[") {
        c.expect("r")?;
        Operand::Indirect(c.indirect(is_dst)?)
    } else if format == Format::Address && c.take("&") {
        c.address_of()?
    } else {
        c.named(format, is_dst)?
    };
    Ok(VecOperand { modifier, operand })
}

fn print_byte_offset(p: &mut Printer<'_>, offset: u32) {
    if offset != 0 {
        p.text("[");
        p.number(i64::from(offset), Format::Plain);
        p.text("]");
    }
}

impl Text for RawOperand {
    fn print(&self, p: &mut Printer<'_>, format: Format) {
        p.index(Table::General, self.id.0, Format::Plain);
        if format == Format::Name && !(p.names.full() && self.offset != 0) {
            return;
        }
        if format == Format::Plain || self.offset != 0 {
            p.text(".");
            p.number(i64::from(self.offset), Format::Plain);
        }
    }

    fn parse(c: &mut Cursor<'_>, format: Format) -> Result<Self, TextError> {
        c.skip_blanks();
        let id = GeneralId(c.index(Table::General, Format::Plain)?);
        let offset = if c.take(".") {
            if c.looking_at("(") { c.expression("offset")? } else { c.number("offset", Format::Plain)? }
        } else if matches!(format, Format::Bare | Format::Name) {
            0
        } else {
            return Err(c.error("`.` and the byte offset of the raw operand"));
        };
        Ok(Self { id, offset })
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
