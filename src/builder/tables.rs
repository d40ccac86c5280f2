//! Tables of a routine under construction, in the vendor assembler's layout. The string pool begins
//! with the routine's name and the predefined names; other names follow in the order of first use.

use std::collections::HashMap;

use crate::isa::{
    ATTRIBUTES, AddressId, AddressInfo, AttributeInfo, GeneralId, InputClass, InputInfo, InputInfoKind, InputOrigin,
    LabelId, LabelInfo, LabelKind, PredicateId, PredicateInfo, SamplerId, SamplerInfo, StringId, SurfaceId,
    SurfaceInfo, VarInfo, limits, predefined, predefined_sampler, predefined_surface,
};
use crate::object::{Routine, RoutineKind};
use crate::rt::Bytes;

/// Value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// No value; the attribute is a flag.
    Flag,
    /// A number, in the width that producers use for the attribute.
    Number(u32),
    /// A number in an explicit width of 1 to 4 bytes.
    Sized(u32, usize),
    /// A text, or the name of a value, such as `cm` of `Target`.
    Text(String),
}

impl From<u32> for AttributeValue {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Routine under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub(crate) routine: Routine,
    strings: HashMap<String, StringId>,
}

fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

impl Tables {
    /// Starts the routine. The pool begins with its name; the predefined names follow.
    pub(crate) fn begin(&mut self, name: &str, kind: RoutineKind) {
        self.routine.kind = kind;
        self.clear_strings();
        self.intern(name);
        let surfaces = predefined_surface::ALL.iter().chain(predefined_sampler::ALL);
        let variables = predefined::ALL.iter().take(limits::POOL_VARIABLES as usize);
        for entry in variables.chain(surfaces) {
            self.intern(entry.name);
        }
    }

    /// Empties the pool, for a text that lists the whole pool.
    pub(crate) fn clear_strings(&mut self) {
        self.routine.strings.clear();
        self.strings.clear();
    }

    /// Returns `true` if a string is in the pool.
    pub(crate) fn has_string(&self, text: &str) -> bool {
        self.strings.contains_key(text)
    }

    /// Appends an entry to the pool, even for a string that the pool already has. Later uses of the
    /// string refer to its first entry.
    pub(crate) fn push_string(&mut self, text: &str) -> StringId {
        let id = StringId(number(self.routine.strings.len()));
        self.routine.strings.push(Bytes::from(text));
        self.strings.entry(text.to_owned()).or_insert(id);
        id
    }

    /// Returns the pool's entry of a string; adds the entry if it is missing.
    pub(crate) fn intern(&mut self, text: &str) -> StringId {
        match self.strings.get(text) {
            Some(id) => *id,
            None => self.push_string(text),
        }
    }

    /// Returns the id of the next general variable.
    pub(crate) fn next_general(&self) -> GeneralId {
        GeneralId(number(self.routine.variables.len()).saturating_add(predefined::DECLARED))
    }

    /// Returns the id of the next surface.
    pub(crate) fn next_surface(&self) -> SurfaceId {
        SurfaceId(number(self.routine.surfaces.len()).saturating_add(predefined_surface::DECLARED))
    }

    pub(crate) fn general(&mut self, info: VarInfo) -> GeneralId {
        let id = self.next_general();
        self.routine.variables.push(info);
        id
    }

    pub(crate) fn address(&mut self, info: AddressInfo) -> AddressId {
        self.routine.addresses.push(info);
        AddressId(number(self.routine.addresses.len() - 1))
    }

    /// Adds a predicate. Ids start at 1; id 0 means no predicate.
    pub(crate) fn predicate(&mut self, info: PredicateInfo) -> PredicateId {
        self.routine.predicates.push(info);
        PredicateId(number(self.routine.predicates.len()))
    }

    pub(crate) fn sampler(&mut self, info: SamplerInfo) -> SamplerId {
        self.routine.samplers.push(info);
        SamplerId(number(self.routine.samplers.len() - 1))
    }

    pub(crate) fn surface(&mut self, info: SurfaceInfo) -> SurfaceId {
        let id = self.next_surface();
        self.routine.surfaces.push(info);
        id
    }

    pub(crate) fn label(&mut self, name_index: StringId, kind: LabelKind) -> LabelId {
        self.routine.labels.push(LabelInfo { name_index, kind, ..LabelInfo::default() });
        LabelId(number(self.routine.labels.len() - 1))
    }

    pub(crate) fn input(&mut self, class: InputClass, origin: InputOrigin, id: u32, offset: i16, size: u16) {
        self.routine.inputs.push(InputInfo { kind: InputInfoKind { class, origin }, id, offset, size });
    }

    /// Returns an attribute of the routine or of a variable; interns its name in the pool.
    pub(crate) fn attribute(&mut self, name: &str, value: &AttributeValue) -> AttributeInfo {
        AttributeInfo { name: self.intern(name), value: attribute_bytes(name, value) }
    }

    /// Returns the size in bytes of a declared general variable.
    pub(crate) fn general_bytes(&self, id: GeneralId) -> Option<u32> {
        let variable = self.routine.variables.get(id.0.checked_sub(predefined::DECLARED)? as usize)?;
        Some((u32::from(variable.num_elements) * variable.bit_properties.type_.bits()).div_ceil(8))
    }
}

/// Returns the bytes of an attribute's value, in the width that the assembler writes: the last
/// width in the page's table.
pub(crate) fn attribute_bytes(name: &str, value: &AttributeValue) -> Bytes {
    let known = ATTRIBUTES.iter().find(|a| a.name == name);
    Bytes(match value {
        AttributeValue::Flag => Vec::new(),
        AttributeValue::Number(number) => {
            let written = known.and_then(|a| a.bytes.rsplit(',').next()?.trim().parse::<usize>().ok());
            let needed = (4 - number.leading_zeros() as usize / 8).max(1);
            let bytes = written.unwrap_or(needed).clamp(needed, 4);
            number.to_le_bytes()[..bytes].to_vec()
        }
        AttributeValue::Sized(number, bytes) => number.to_le_bytes().into_iter().take(*bytes).collect(),
        AttributeValue::Text(text) => match known.and_then(|a| attribute_code(a.value, text)) {
            Some(code) => vec![code],
            None => text.as_bytes().to_vec(),
        },
    })
}

/// Returns the code of a text in a list such as `0 "cm", 1 "3d"`.
pub(crate) fn attribute_code(list: &str, text: &str) -> Option<u8> {
    list.split(',').find_map(|entry| {
        let (code, name) = entry.trim().split_once(' ')?;
        (name.trim().trim_matches('"') == text).then(|| code.parse().ok())?
    })
}
