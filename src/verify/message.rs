//! Rules of messages: what the parameters of one have to do with each other.

use super::{Check, Seen};
use crate::isa::{DataType, Operand, Platform, RawOperand, Rule, VecOperand, predefined, predefined_surface};
use crate::rt::reflect::Field;

/// The fields of a message, by name.
#[derive(Clone, Copy)]
struct Fields<'a>(&'a [(&'static Field, Seen)]);

impl<'a> Fields<'a> {
    fn find(self, name: &str) -> Option<(&'static Field, &'a Seen)> {
        self.0.iter().find(|(f, _)| f.name.eq_ignore_ascii_case(name)).map(|(f, s)| (*f, s))
    }

    /// The name that a list has for a field's value, or for a part of it.
    fn named(self, name: &str, part: &str) -> Option<&'static str> {
        let (field, Seen::Bits(bits)) = self.find(name)? else { return None };
        let part = field.list?.parts.iter().find(|p| p.name.eq_ignore_ascii_case(part))?;
        let value = bits >> part.lo & ((1u64 << part.width.min(63)) - 1);
        part.values.iter().find(|v| v.value == value).map(|v| v.name)
    }

    fn number(self, name: &str) -> Option<i64> {
        match self.find(name)?.1 {
            Seen::Number(number) => Some(*number),
            Seen::Bits(bits) => i64::try_from(*bits).ok(),
            _ => None,
        }
    }

    fn raw(self, name: &str) -> Option<&'a RawOperand> {
        match self.find(name)?.1 {
            Seen::Raw(operand) => Some(operand),
            _ => None,
        }
    }

    fn vector(self, name: &str) -> Option<&'a VecOperand> {
        match self.find(name)?.1 {
            Seen::Vector(operand) => Some(operand),
            _ => None,
        }
    }

    fn index(self, name: &str) -> Option<u32> {
        match self.find(name)?.1 {
            Seen::Index(index) => Some(*index),
            _ => None,
        }
    }
}

impl Check<'_> {
    /// Rules across the fields of a message.
    pub(super) fn message(&mut self, seen: &[(&'static Field, Seen)]) {
        let f = Fields(seen);
        if self.has(Rule::NoSlm) {
            self.must(f.index("Surface") != Some(predefined_surface::SLM.0), "the surface is not slm here");
        }
        match self.page.name {
            "LSC_UNTYPED" | "LSC_TYPED" => self.lsc(f),
            "LSC_FENCE" if f.named("LscSFID", "") == Some("slm") => {
                self.must(f.named("LscFenceOp", "") == Some("none"), "a fence of slm has operation none");
                self.must(f.named("LscScope", "") == Some("group"), "a fence of slm has scope group");
            }
            "DWORD_ATOMIC" => self.atomic(f),
            "GATHER" | "SCATTER" => {
                let data = f.raw("Dst").or(f.raw("Src")).and_then(|o| self.declared_type(o));
                self.must(data.is_none_or(|t| t.bits() == 32), "data has elements of 32 bits");
            }
            "GATHER4_TYPED" | "SCATTER4_TYPED" => {
                self.must(!matches!(f.index("Surface"), Some(0 | 5)), "slm and stateless memory have no types");
            }
            "3D_SAMPLE" | "3D_LOAD" | "3D_SAMPLE4" => {
                let marks = f.find("Op").is_some_and(|(field, value)| is_set(field, value, "pixel_null_mask"));
                let old = self.platform.is_some_and(|p| p < Platform::Skl);
                self.must(!(marks && old), "the platform has no mask of null pixels");
            }
            "FCVT" => {
                let dst = f.vector("Dst").and_then(|d| super::operand::data_type(&d.operand, self.routine));
                let bytes = matches!(dst, Some(DataType::Ub | DataType::B));
                self.must(!bytes || self.no_mask(), "conversions to eight bits take all channels: NoMask");
            }
            "MOVS" => {
                let is_state = |n: &str| f.vector(n).is_some_and(|o| matches!(o.operand, Operand::State(_)));
                self.must(is_state("Dst") || is_state("Src0"), "one side at least is a state operand");
            }
            "SRND" => self.must(self.no_mask(), "all channels take part: NoMask"),
            "MEDIA_LD" | "MEDIA_ST" => self.media(f),
            "RAW_SEND" => self.raw_send(f),
            "DPAS" | "DPASW" => {
                let sizes = f.named("Exec_size", "size");
                let wide = self.platform.is_some_and(|p| p.register_bytes() > 32);
                let channels = if wide { "16" } else { "8" };
                self.must(self.platform.is_none() || sizes == Some(channels), "as many channels as the platform's");
                for name in ["Dst", "Src0"] {
                    let ty = f.raw(name).and_then(|o| self.declared_type(o));
                    self.must(ty.is_none_or(|t| matches!(t.bits(), 16 | 32)), "results have 16 or 32 bits");
                }
                let src1 = f.raw("Src1").and_then(|o| self.declared_type(o));
                let src2 = f.vector("Src2").and_then(|o| super::operand::data_type(&o.operand, self.routine));
                for ty in [src1, src2].into_iter().flatten() {
                    self.must(matches!(ty, DataType::D | DataType::Ud), "factors have type d or ud");
                }
            }
            name if name.starts_with("SVM_") && f.named("Exec_size", "size") == Some("32") => {
                let rule = "flat memory is reached by 16 channels at most".to_owned();
                self.warn("message", self.page.line, rule);
            }
            _ => {}
        }
    }

    fn must(&mut self, holds: bool, rule: &str) {
        if !holds {
            self.say("message", self.page.line, rule.to_owned());
        }
    }

    /// The type of a declared variable; predefined ones have none that counts here.
    fn declared_type(&self, operand: &RawOperand) -> Option<DataType> {
        (operand.id.0 >= predefined::DECLARED).then(|| self.routine.data_type(operand.id)).flatten()
    }

    fn atomic(&mut self, f: Fields<'_>) {
        let Some(op) = f.named("Op", "op") else { return };
        let is = |o: Option<&RawOperand>| o.is_some_and(|o| o.id.0 != 0);
        let fits = |check: &Self, name: &str| {
            let ty = f.raw(name).and_then(|o| check.declared_type(o));
            ty.is_none_or(|ty| match op {
                "imin" | "imax" => ty == DataType::D,
                "add" | "sub" => matches!(ty, DataType::D | DataType::Ud),
                "fmax" | "fmin" | "fcmpwr" | "fadd" | "fsub" => ty == DataType::F,
                _ => ty == DataType::Ud,
            })
        };
        // 16-bit operations take their data in the low half of any dword.
        let narrow = f.named("Op", "width") != Some("32");
        let offsets = f.raw("Element_offset").and_then(|o| self.declared_type(o));
        self.must(offsets.is_none_or(|t| t == DataType::Ud), "offsets have type ud");
        if matches!(op, "inc" | "dec" | "predec") {
            self.must(!is(f.raw("Src0")), "this operation has no first operand");
        } else {
            self.must(narrow || fits(self, "Src0"), "the first operand has the operation's type");
        }
        if matches!(op, "cmpxchg" | "fcmpwr") {
            self.must(narrow || fits(self, "Src1"), "the second operand has the operation's type");
        } else {
            self.must(!is(f.raw("Src1")), "this operation has no second operand");
        }
        self.must(narrow || fits(self, "Dst"), "the destination has the operation's type");
    }

    fn media(&mut self, f: Fields<'_>) {
        let (Some(width), Some(height)) = (f.number("Block_width"), f.number("Block_height")) else { return };
        let rows = match width {
            ..=4 => 64,
            5..=8 => 32,
            9..=16 => 16,
            17..=32 => 8,
            _ => 4,
        };
        self.must(height <= rows && width * height <= 256, "a block has 256 bytes at most, and fewer rows when wide");
        self.must(f.index("Surface") != Some(0), "slm has no rows");
    }

    fn raw_send(&mut self, f: Fields<'_>) {
        let Some(Operand::Immediate(desc)) = f.vector("Desc").map(|d| &d.operand) else { return };
        let (answer, message) = (i64::from(desc.low >> 20 & 0x1f), i64::from(desc.low >> 25 & 0xf));
        self.must(f.number("NumSrc").is_none_or(|n| n >= message), "the descriptor has more message registers");
        self.must(f.number("NumDst").is_none_or(|n| n >= answer), "the descriptor has more answer registers");
    }

    fn lsc(&mut self, f: Fields<'_>) {
        let Some(op) = f.named("LscSubOp", "") else { return };
        let sfid = f.named("LscSFID", "").unwrap_or("tgm");
        let kind = if op.starts_with("lsc_atomic") || op.starts_with("lsc_apndctr") {
            Kind::Atomic
        } else if op.starts_with("lsc_store") {
            Kind::Store
        } else {
            Kind::Load
        };
        self.caching(f, kind, sfid);
        if op.ends_with("block2d") {
            self.block(f, kind);
        } else {
            self.addresses(f, sfid);
            self.shape(f, op, kind, sfid);
        }
        self.data(f, op, kind);
    }

    fn caching(&mut self, f: Fields<'_>, kind: Kind, sfid: &str) {
        let (Some(l1), Some(l3)) = (f.named("CachingL1", ""), f.named("CachingL3", "")) else { return };
        let default = (l1, l3) == ("df", "df");
        if matches!(sfid, "tgm" | "ugml") {
            self.must(default, "typed memory and that of other tiles are cached as df df");
            return;
        }
        // See Lsc_caching in lists.md.
        let legal: &[(&str, &str)] = match kind {
            Kind::Load => {
                &[("uc", "uc"), ("uc", "ca"), ("ca", "uc"), ("ca", "ca"), ("st", "uc"), ("st", "ca"), ("ri", "ca")]
            }
            Kind::Store => {
                &[("uc", "uc"), ("uc", "wb"), ("wt", "uc"), ("wt", "wb"), ("st", "uc"), ("st", "wb"), ("wb", "wb")]
            }
            Kind::Atomic => &[("uc", "uc"), ("uc", "wb")],
        };
        self.must(default || legal.contains(&(l1, l3)), "this operation has no such pair of caching");
    }

    fn addresses(&mut self, f: Fields<'_>, sfid: &str) {
        if let Some(scale) = f.number("AddrScale") {
            self.must(scale & scale.wrapping_sub(1) == 0, "the scale is a power of two");
        }
        let size = f.named("AddrSize", "");
        self.must(size != Some("a16") || sfid == "slm", "only slm has addresses of 16 bits");
        self.must(size != Some("a64") || !matches!(sfid, "tgm" | "slm"), "addresses of slm and tgm have no 64 bits");
        if size == Some("a16") {
            let fits = f.number("AddrImmOffset").is_none_or(|o| (-0x7fff..=0x7fff).contains(&o));
            self.must(fits, "the offset fits into 16 bits");
        }
        let Some(surface) = f.vector("Surface") else { return };
        let null = match &surface.operand {
            Operand::Immediate(value) => value.low == 0,
            Operand::General(g) => g.id.0 == 0,
            _ => false,
        };
        match f.named("AddrType", "") {
            Some("flat" | "arg") => {
                self.must(sfid != "tgm", "typed memory has no flat addresses");
                self.must(null, "flat addresses have no surface");
            }
            Some(_) => {
                self.must(sfid != "slm", "slm has flat addresses only");
                self.must(!null || matches!(surface.operand, Operand::Immediate(_)), "the surface is not null");
            }
            None => {}
        }
    }

    fn shape(&mut self, f: Fields<'_>, op: &str, kind: Kind, sfid: &str) {
        let size = f.named("DataSize", "").unwrap_or("");
        let bytes = match size {
            "d8" => 1,
            "d16" => 2,
            "d64" => 8,
            _ => 4,
        };
        let quad = op.ends_with("_quad");
        let count = match quad {
            true => f.number("DataElemsPerAddr").map_or(0, |mask| i64::from(mask.count_ones())),
            false => f.named("DataElemsPerAddr", "").and_then(|n| n.parse().ok()).unwrap_or(1),
        };
        let transposed = f.named("DataOrder", "") == Some("transposed");
        let channels = self.channels() as i64;
        if transposed {
            self.must(!quad, "what moves any of four elements is not transposed");
            self.must(channels == 1, "a transposed vector belongs to one channel");
            self.must(kind != Kind::Atomic, "atomic operations are not transposed");
        } else if quad {
            let first = f.number("DataElemsPerAddr").is_none_or(|mask| (mask & (mask + 1)) == 0);
            self.must(kind != Kind::Store || first, "a store of quads moves the first elements");
        } else {
            self.must(count == 1 || matches!(size, "d32" | "d64"), "vectors have elements of 32 or 64 bits");
            let legal: &[i64] = match sfid {
                "ugml" => &[1, 2, 4],
                "slm" | "ugm" => &[1, 2, 3, 4, 8],
                _ => &[1, 2, 3, 4, 8, 16, 32, 64],
            };
            self.must(legal.contains(&count), "an address moves no vector of that length");
            if kind == Kind::Atomic {
                self.must(matches!(size, "d16c32" | "d32" | "d64"), "atomic operations work on d16c32, d32 or d64");
                let slm = sfid != "slm" || size != "d64" || op == "lsc_atomic_icas";
                self.must(slm, "slm has icas only on 64 bits");
                let sums = !matches!(op, "lsc_atomic_fadd" | "lsc_atomic_fsub") || matches!(sfid, "ugm" | "ugml");
                self.must(sums, "only global memory has fadd and fsub");
            }
        }
        if !quad && count != 1 {
            self.must(kind != Kind::Atomic, "an atomic operation has one element for each address");
            self.must(!size.contains('c'), "what is converted is no vector");
        }
        let register = i64::from(self.platform.map_or(32, |p| p.register_bytes()));
        let registers = match transposed {
            true => (count * bytes / register).max(1),
            false => count * (bytes * channels / register).max(1),
        };
        self.must(self.platform.is_none() || registers <= 8, "a message moves 8 registers at most");
        let address = f.raw("Src0Addrs").or(f.raw("Src0AddrBase"));
        self.must(address.is_none_or(|o| o.id != predefined::NULL), "the address is not %null");
        // Of wide messages the assembler looks at the sizes of some variables, see verification.md.
        if self.platform.is_some() && channels > register / 4 {
            if kind != Kind::Store {
                self.fills(f.raw("DstData"), registers * register, "what is returned");
            }
            let wide = f.named("AddrSize", "").and_then(|n| n.get(1..)?.parse::<i64>().ok()).unwrap_or(32) / 8;
            self.fills(f.raw("Src0Addrs"), channels * wide, "the address");
        }
    }

    /// A variable has as many registers as a message takes bytes from it; `%null` has none and needs none.
    fn fills(&mut self, operand: Option<&RawOperand>, bytes: i64, what: &str) {
        let Some(operand) = operand.filter(|o| o.id != predefined::NULL) else { return };
        let Some(whole) = self.variables.whole_bytes(operand.id.0) else { return };
        let register = u64::from(self.platform.map_or(32, |p| p.register_bytes()));
        let (has, needs) = (whole.div_ceil(register), (bytes.max(0) as u64).div_ceil(register));
        self.must(has >= needs, &format!("{what} takes {needs} registers, its variable has {has}"));
    }

    fn block(&mut self, f: Fields<'_>, kind: Kind) {
        let (Some(blocks), Some(width), Some(height)) =
            (f.number("Blocks"), f.number("BlockWidth"), f.number("BlockHeight"))
        else {
            return;
        };
        self.must(blocks > 0 && width > 0 && height > 0, "a rectangle is not empty");
        let vnni = f.number("VNNI").is_some_and(|v| v != 0);
        self.must(kind == Kind::Load || (!vnni && blocks == 1), "a store writes one rectangle as it is");
        let transposed = f.named("DataOrder", "") == Some("transposed");
        let (bytes, most) = match f.named("DataSize", "") {
            Some("d8") => (1, 4),
            Some("d16") => (2, 4),
            Some("d64") => (8, 1),
            _ => (4, 2),
        };
        self.must(width * bytes <= 64, "a row has 64 bytes at most");
        self.must(if transposed { width } else { height } <= 32, "a rectangle has 32 rows at most");
        let most = if transposed && !vnni { 1 } else { most };
        self.must(blocks <= most && blocks.count_ones() == 1, "there are fewer rectangles of such elements");
    }

    fn data(&mut self, f: Fields<'_>, op: &str, kind: Kind) {
        let is = |name: &str| f.raw(name).is_some_and(|o| o.id.0 != 0);
        let has = |name: &str| f.find(name).is_some();
        match kind {
            Kind::Load => {
                self.must(!is("Src1Data") && !is("Src2Data"), "a load has no data to write");
            }
            Kind::Store => {
                self.must(!is("DstData"), "a store has no destination");
                self.must(!has("Src1Data") || is("Src1Data"), "a store has data to write");
                self.must(!is("Src2Data"), "a store has data of one kind");
            }
            Kind::Atomic => {
                let operands = match op {
                    "lsc_atomic_iinc" | "lsc_atomic_idec" | "lsc_atomic_load" => 0,
                    "lsc_atomic_icas" | "lsc_atomic_fcas" => 2,
                    _ => 1,
                };
                self.must(!has("Src1Data") || is("Src1Data") == (operands > 0), "the operation's first operand");
                self.must(!has("Src2Data") || is("Src2Data") == (operands > 1), "the operation's second operand");
            }
        }
    }
}

/// Whether a flag of a bit field is set.
fn is_set(field: &Field, value: &Seen, flag: &str) -> bool {
    let Seen::Bits(bits) = value else { return false };
    let part = field.list.and_then(|l| l.parts.iter().find(|p| p.name.eq_ignore_ascii_case(flag)));
    part.is_some_and(|part| bits >> part.lo & 1 != 0)
}

/// What an LSC message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Atomic,
}
