//! Named parts of the pages' grammar: the structures of operands and objects, and the shared lists.
//! They are looked up once after reading; later stages use their ids in the model.

use super::{
    BitField, BitFieldKind, Column, FieldKind, ListId, ListKind, Member, Model, SourceSpan, Structure, StructureId,
    TypeId,
};
use crate::suggest;

/// Id of a member of a structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberId {
    /// Structure of the member.
    pub structure: StructureId,
    /// Position in the structure.
    pub position: usize,
}

/// Id of a part of a bit field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartId {
    /// Bit field of the part.
    pub list: ListId,
    /// Position in the bit field.
    pub position: usize,
}

/// Id of a column of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnId {
    /// List of the column.
    pub list: ListId,
    /// Position in the list.
    pub position: usize,
}

impl Model {
    /// Returns the structure with this id.
    pub fn structure(&self, id: StructureId) -> Option<&Structure> {
        self.structures.get(id.0)
    }

    /// Returns the member with this id.
    pub fn member(&self, id: MemberId) -> Option<&Member> {
        self.structure(id.structure)?.members.get(id.position)
    }

    /// Returns the part with this id.
    pub fn part(&self, id: PartId) -> Option<&BitField> {
        match &self.lists.get(id.list.0)?.kind {
            ListKind::Parts(parts) => parts.get(id.position),
            ListKind::Enumeration { .. } => None,
        }
    }
}

/// Declares the named structures and their members: the Rust name, and the name on the pages.
macro_rules! structures {
    ($($(#[$doc:meta])* $kind:ident $called:literal { $($member:ident $name:literal),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind {
            /// Id of the structure.
            pub structure: StructureId,
            $(#[doc = concat!("Its `", $name, "`.")] pub $member: MemberId),*
        }

        impl $kind {
            fn find(finder: &mut Finder<'_>) -> Self {
                let structure = finder.structure($called);
                Self { structure, $($member: finder.member(structure, $called, $name)),* }
            }
        }
    )*};
}

structures! {
    /// Vector operand, which begins with a tag.
    Vector "vec_operand" { tag "tag" }
    /// General operand, after its tag.
    General "gen_opnd" { id "id", row_offset "row_offset", col_offset "col_offset", region "region" }
    /// Address operand, after its tag.
    Address "addr_opnd" { id "id", offset "offset", width "width" }
    /// Predicate operand, after its tag.
    PredicateOperand "pred_opnd" { value "value" }
    /// Indirect operand, after its tag.
    Indirect "indirect_opnd" {
        id "id", addr_offset "addr_offset", indirect_offset "indirect_offset", properties "bit_properties", region "region"
    }
    /// Constant, after its tag.
    Immediate "const_opnd" { ty "type", low "low", high "high" }
    /// State operand, after its tag.
    State "state_opnd" { class "class", id "id", offset "offset" }
    /// Raw operand.
    Raw "raw_operand" { id "id", offset "offset" }
    /// Header of an object.
    Header "common_isa_header" {
        magic "magic_number", major "major_version", minor "minor_version", kernels "kernel_info"
    }
    /// Header entry of a kernel.
    KernelInfo "kernel_info" { name "name", offset "offset", size "size", input_offset "input_offset" }
    /// Kernel.
    KernelData "kernel_data" {
        strings "string_pool", variables "var_info", addresses "address_info", predicates "predicate_info",
        labels "label_info", samplers "sampler_info", surfaces "surface_info", input_count "num_inputs", size "size", entry "entry"
    }
    /// Function.
    FunctionData "function_data" { strings "string_pool" }
    /// General variable.
    VarInfo "var_info" { name "name_index", properties "bit_properties", elements "num_elements" }
    /// Address variable.
    AddressInfo "address_info" { name "name_index", elements "num_elements" }
    /// Predicate variable.
    PredicateInfo "predicate_info" { name "name_index", elements "num_elements" }
    /// Label.
    LabelInfo "label_info" { name "name_index", kind "kind" }
    /// Sampler variable.
    SamplerInfo "sampler_info" { name "name_index", elements "num_elements" }
    /// Surface variable.
    SurfaceInfo "surface_info" { name "name_index", elements "num_elements" }
    /// Input of a kernel.
    InputInfo "input_info" { kind "kind", id "id", offset "offset", size "size" }
}

/// Execution size of an instruction: number of channels and mask.
#[derive(Clone, Copy, Debug)]
pub struct ExecSize {
    /// List of the execution size.
    pub list: ListId,
    /// Part for the number of channels.
    pub size: PartId,
    /// Part for the first channel and the mask.
    pub mask: PartId,
    /// Column of the size: number of channels.
    pub channels: ColumnId,
    /// Column of the mask: first channel.
    pub first_channel: ColumnId,
    /// Column of the mask: true if the execution mask is ignored.
    pub no_mask: ColumnId,
}

/// Predicate of an instruction, which enables channels.
#[derive(Clone, Copy, Debug)]
pub struct Predicate {
    /// List of the predicate.
    pub list: ListId,
    /// Part for the id of the variable.
    pub id: PartId,
}

/// Region of an operand.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// List of the region.
    pub list: ListId,
    /// Part for the distance between rows.
    pub vertical_stride: PartId,
    /// Part for the number of elements in a row.
    pub width: PartId,
    /// Part for the distance between elements of a row.
    pub horizontal_stride: PartId,
    /// Column of a stride: number of elements.
    pub elements: ColumnId,
    /// Column of a stride: true if a destination can have it.
    pub destination: ColumnId,
}

/// Modifiers of operands: the list, and the code of each modifier.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub struct Modifier {
    pub list: ListId,
    pub none: u64,
    pub abs: u64,
    pub negate: u64,
    pub negate_abs: u64,
    pub sat: u64,
    pub not: u64,
}

/// Data types with a special meaning, and the positions of the columns in their table.
#[derive(Clone, Debug)]
pub struct Types {
    /// Unsigned dword, the default type.
    pub dword: TypeId,
    /// Signed dword, with which integer saturation is evaluated.
    pub signed: TypeId,
    /// Single-precision float.
    pub float: TypeId,
    /// Element of a predicate.
    pub boolean: TypeId,
    /// Column for the class of number.
    pub class: usize,
    /// Name of the class of floats.
    pub fraction: String,
    /// Column for the number of elements of a packed constant.
    pub packed: usize,
    /// Column for the element type of a packed constant.
    pub element: usize,
    /// Column for the type that objects store in place of a text-only type.
    pub object: usize,
}

/// Parts of the bit fields in structures.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// Data type of an indirect operand.
    pub indirect_type: PartId,
    /// Data type of a variable.
    pub variable_type: PartId,
    /// Alignment of a variable.
    pub alignment: PartId,
    /// Table of an input.
    pub input_class: PartId,
    /// Origin of an input's value.
    pub input_origin: PartId,
}

/// All named parts of the grammar.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the type describes each field")]
pub struct Anatomy {
    pub vector: Vector,
    pub general: General,
    pub address: Address,
    pub predicate_operand: PredicateOperand,
    pub indirect: Indirect,
    pub immediate: Immediate,
    pub state: State,
    pub raw: Raw,
    pub header: Header,
    pub kernel_info: KernelInfo,
    pub kernel_data: KernelData,
    pub function_data: FunctionData,
    pub var_info: VarInfo,
    pub address_info: AddressInfo,
    pub predicate_info: PredicateInfo,
    pub label_info: LabelInfo,
    pub sampler_info: SamplerInfo,
    pub surface_info: SurfaceInfo,
    pub input_info: InputInfo,
    pub properties: Properties,
    pub exec_size: ExecSize,
    pub predicate: Predicate,
    pub region: Region,
    pub modifier: Modifier,
    pub types: Types,
}

/// Name of the grammar that a specification lacks.
#[derive(Clone, Debug)]
pub struct Missing {
    /// Description of the missing item: `structure gen_opnd`, `member row_offset of gen_opnd`.
    pub what: String,
    /// Place of the item that should contain it; `None` for a missing structure, list or table.
    pub at: Option<SourceSpan>,
    /// Advice for the author.
    pub help: String,
}

impl Anatomy {
    /// Finds all named parts in a model.
    ///
    /// # Errors
    ///
    /// All missing names.
    pub fn find(model: &Model) -> Result<Self, Vec<Missing>> {
        let mut finder = Finder { model, missing: Vec::new() };
        let f = &mut finder;
        let (indirect, var_info, input_info) = (Indirect::find(f), VarInfo::find(f), InputInfo::find(f));
        let properties = Properties {
            indirect_type: f.part_of_member(indirect.properties, "type"),
            variable_type: f.part_of_member(var_info.properties, "type"),
            alignment: f.part_of_member(var_info.properties, "alignment"),
            input_class: f.part_of_member(input_info.kind, "class"),
            input_origin: f.part_of_member(input_info.kind, "origin"),
        };
        let out = Self {
            vector: Vector::find(f),
            general: General::find(f),
            address: Address::find(f),
            predicate_operand: PredicateOperand::find(f),
            indirect,
            immediate: Immediate::find(f),
            state: State::find(f),
            raw: Raw::find(f),
            header: Header::find(f),
            kernel_info: KernelInfo::find(f),
            kernel_data: KernelData::find(f),
            function_data: FunctionData::find(f),
            var_info,
            address_info: AddressInfo::find(f),
            predicate_info: PredicateInfo::find(f),
            label_info: LabelInfo::find(f),
            sampler_info: SamplerInfo::find(f),
            surface_info: SurfaceInfo::find(f),
            input_info,
            properties,
            exec_size: f.exec_size(),
            predicate: f.predicate(),
            region: f.region(),
            modifier: f.modifier(),
            types: f.types(),
        };
        if finder.missing.is_empty() { Ok(out) } else { Err(finder.missing) }
    }
}

/// Advice for a missing name without a similar one.
const GRAMMAR: &str = "copy the fixed part from spec/README.md and the chapters of the repository; the grammar \
     requires its exact names";

/// Lookup of names. A missing name is recorded, and position 0 stands for it until the end.
struct Finder<'m> {
    model: &'m Model,
    missing: Vec<Missing>,
}

/// Absent list; lookups in it report nothing further.
const NOWHERE: ListId = ListId(usize::MAX);

impl Finder<'_> {
    /// Returns the position of a name. If the container itself is missing, nothing further is
    /// reported.
    fn position(
        &mut self,
        name: &str,
        known: Option<Vec<&str>>,
        what: impl FnOnce() -> String,
        at: Option<SourceSpan>,
    ) -> usize {
        let Some(known) = known else { return usize::MAX };
        if let Some(found) = known.iter().position(|k| k.eq_ignore_ascii_case(name)) {
            return found;
        }
        let near = suggest::nearest(name, known.into_iter());
        let help = near.map_or(GRAMMAR.to_owned(), |near| {
            format!(
                "write `{name}` instead of `{near}` \
             if you mean the former"
            )
        });
        self.missing.push(Missing { what: what(), at, help });
        usize::MAX
    }

    fn miss(&mut self, what: String, at: Option<SourceSpan>) {
        self.missing.push(Missing { what, at, help: GRAMMAR.to_owned() });
    }

    fn structure(&mut self, name: &str) -> StructureId {
        let known = self.model.structures.iter().map(|s| s.name.as_str()).collect();
        StructureId(self.position(name, Some(known), || format!("structure {name}"), None))
    }

    fn member(&mut self, structure: StructureId, owner: &str, name: &str) -> MemberId {
        let found = self.model.structures.get(structure.0);
        let known = found.map(|s| s.members.iter().map(|m| m.name.as_str()).collect());
        let position = self.position(name, known, || format!("member {name} of {owner}"), found.map(|s| s.at));
        MemberId { structure, position }
    }

    fn list(&mut self, name: &str) -> ListId {
        self.model.shared_list(name).unwrap_or_else(|| {
            self.miss(format!("shared list {name}"), None);
            NOWHERE
        })
    }

    fn part(&mut self, list: ListId, name: &str) -> PartId {
        let found = self.model.lists.get(list.0);
        let known = found.map(|l| match &l.kind {
            ListKind::Parts(parts) => parts.iter().map(|p| p.name.as_str()).collect(),
            ListKind::Enumeration { .. } => Vec::new(),
        });
        let owner = found.map_or("", |l| &l.name);
        let position = self.position(name, known, || format!("part {name} of {owner}"), found.map(|l| l.at));
        PartId { list, position }
    }

    fn part_of_member(&mut self, id: MemberId, name: &str) -> PartId {
        let Some(member) = self.model.member(id) else { return PartId { list: NOWHERE, position: 0 } };
        let FieldKind::List(list) = member.shape else {
            self.miss(format!("part {name} of {}", member.name), Some(member.at));
            return PartId { list: NOWHERE, position: 0 };
        };
        self.part(list, name)
    }

    /// Returns a column of the list of a part.
    fn column(&mut self, part: PartId, name: &str) -> ColumnId {
        let Some(part) = self.model.part(part) else { return ColumnId { list: NOWHERE, position: 0 } };
        let BitFieldKind::Enumeration(list) = part.kind else {
            self.miss(format!("column {name} of {}", part.name), Some(part.at));
            return ColumnId { list: NOWHERE, position: 0 };
        };
        let found = self.model.list(list);
        let position = self.heading(name, &found.columns, &found.name, Some(found.at));
        ColumnId { list, position }
    }

    fn heading(&mut self, name: &str, columns: &[Column], owner: &str, at: Option<SourceSpan>) -> usize {
        let known = columns.iter().map(|c| c.name.as_str()).collect();
        self.position(name, Some(known), || format!("column {name} of {owner}"), at)
    }

    fn exec_size(&mut self) -> ExecSize {
        let list = self.list("Exec_size");
        let (size, mask) = (self.part(list, "size"), self.part(list, "mask"));
        let channels = self.column(size, "Channels");
        let first_channel = self.column(mask, "First channel");
        ExecSize { list, size, mask, channels, first_channel, no_mask: self.column(mask, "NoMask") }
    }

    fn predicate(&mut self) -> Predicate {
        let list = self.list("Predicate");
        Predicate { list, id: self.part(list, "id") }
    }

    fn region(&mut self) -> Region {
        let list = self.list("Region");
        let horizontal_stride = self.part(list, "horizontal_stride");
        Region {
            list,
            vertical_stride: self.part(list, "vertical_stride"),
            width: self.part(list, "width"),
            horizontal_stride,
            elements: self.column(horizontal_stride, "Elements"),
            destination: self.column(horizontal_stride, "Destination"),
        }
    }

    fn modifier(&mut self) -> Modifier {
        let list = self.list("Modifier");
        let mut code = |name: &str| {
            let found = self.model.lists.get(list.0);
            let values = found.map(|l| match &l.kind {
                ListKind::Enumeration { values, .. } => values.as_slice(),
                ListKind::Parts(_) => &[],
            });
            let known = values.map(|v| v.iter().map(|v| v.name.as_str()).collect());
            let at = self.position(name, known, || format!("value {name} of Modifier"), found.map(|l| l.at));
            values.and_then(|v| v.get(at)).map_or(0, |v| v.value)
        };
        Modifier {
            list,
            none: code("none"),
            abs: code("abs"),
            negate: code("negate"),
            negate_abs: code("negate_abs"),
            sat: code("sat"),
            not: code("not"),
        }
    }

    fn types(&mut self) -> Types {
        let types = &self.model.types;
        let at = types.first().map(|t| t.at);
        let mut ty = |name: &str| {
            let known = types.iter().map(|t| t.name.as_str()).collect();
            TypeId(self.position(name, Some(known), || format!("data type {name}"), at))
        };
        let (dword, signed, float, boolean) = (ty("UD"), ty("D"), ty("F"), ty("BOOL"));
        let mut column = |name: &str| self.heading(name, &self.model.type_columns, "the data types", at);
        let (class, packed, element) = (column("Class"), column("Packed"), column("Element"));
        let object = column("Object type");
        Types { dword, signed, float, boolean, class, fraction: "float".to_owned(), packed, element, object }
    }
}
