//! What the grammar of the pages has names for: the structures of operands and of objects, and the
//! shared lists that everything refers to. They are found once, behind the reading, and are places
//! in the model from then on.

use crate::model::{
    BitField, BitFieldKind, Column, FieldKind, ListId, ListKind, Member, Model, SourceSpan, Structure, StructureId,
    TypeId,
};
use crate::suggest;

/// A member of a structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberId {
    /// The structure.
    pub structure: StructureId,
    /// Its position there.
    pub position: usize,
}

/// A part of a bit field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartId {
    /// The bit field.
    pub list: ListId,
    /// Its position there.
    pub position: usize,
}

/// A column of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnId {
    /// The list.
    pub list: ListId,
    /// Its position there.
    pub position: usize,
}

impl Model {
    /// The structure with this id.
    pub fn structure(&self, id: StructureId) -> Option<&Structure> {
        self.structures.get(id.0)
    }

    /// The member with this id.
    pub fn member(&self, id: MemberId) -> Option<&Member> {
        self.structure(id.structure)?.members.get(id.position)
    }

    /// The part with this id.
    pub fn part(&self, id: PartId) -> Option<&BitField> {
        match &self.lists.get(id.list.0)?.kind {
            ListKind::Parts(parts) => parts.get(id.position),
            ListKind::Enumeration { .. } => None,
        }
    }
}

/// Structures with their members: what they are here, and what they are called on the pages.
macro_rules! structures {
    ($($(#[$doc:meta])* $kind:ident $called:literal { $($member:ident $name:literal),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $kind {
            /// The structure.
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
    /// An operand with a tag.
    Vector "vec_operand" { tag "tag" }
    /// What follows the tag of a general operand.
    General "gen_opnd" { id "id", row_offset "row_offset", col_offset "col_offset", region "region" }
    /// What follows the tag of an address operand.
    Address "addr_opnd" { id "id", offset "offset", width "width" }
    /// What follows the tag of a predicate operand.
    PredicateOperand "pred_opnd" { value "value" }
    /// What follows the tag of an indirect operand.
    Indirect "indirect_opnd" {
        id "id", addr_offset "addr_offset", indirect_offset "indirect_offset", properties "bit_properties", region "region"
    }
    /// What follows the tag of a constant.
    Immediate "const_opnd" { ty "type", low "low", high "high" }
    /// What follows the tag of a state operand.
    State "state_opnd" { class "class", id "id", offset "offset" }
    /// A raw operand.
    Raw "raw_operand" { id "id", offset "offset" }
    /// What an object begins with.
    Header "common_isa_header" {
        magic "magic_number", major "major_version", minor "minor_version", kernels "kernel_info"
    }
    /// What the header says of a kernel.
    KernelInfo "kernel_info" { name "name", offset "offset", size "size", input_offset "input_offset" }
    /// A kernel.
    KernelData "kernel_data" {
        strings "string_pool", variables "var_info", addresses "address_info", predicates "predicate_info",
        labels "label_info", samplers "sampler_info", surfaces "surface_info", input_count "num_inputs", size "size", entry "entry"
    }
    /// A function.
    FunctionData "function_data" { strings "string_pool" }
    /// A general variable.
    VarInfo "var_info" { name "name_index", properties "bit_properties", elements "num_elements" }
    /// An address variable.
    AddressInfo "address_info" { name "name_index", elements "num_elements" }
    /// A predicate.
    PredicateInfo "predicate_info" { name "name_index", elements "num_elements" }
    /// A label.
    LabelInfo "label_info" { name "name_index", kind "kind" }
    /// A sampler.
    SamplerInfo "sampler_info" { name "name_index", elements "num_elements" }
    /// A surface.
    SurfaceInfo "surface_info" { name "name_index", elements "num_elements" }
    /// An input.
    InputInfo "input_info" { kind "kind", id "id", offset "offset", size "size" }
}

/// How many channels an instruction has, and which.
#[derive(Clone, Copy, Debug)]
pub struct ExecSize {
    /// The list.
    pub list: ListId,
    /// The part for their number.
    pub size: PartId,
    /// The part for the first of them and the mask.
    pub mask: PartId,
    /// What a size says: their number.
    pub channels: ColumnId,
    /// What a mask says: the first channel.
    pub first_channel: ColumnId,
    /// What a mask says: whether the execution mask is ignored.
    pub no_mask: ColumnId,
}

/// Which channels a predicate enables.
#[derive(Clone, Copy, Debug)]
pub struct Predicate {
    /// The list.
    pub list: ListId,
    /// The part for the number of the variable.
    pub id: PartId,
}

/// Which elements a region has.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The list.
    pub list: ListId,
    /// The part for the distance of two rows.
    pub vertical_stride: PartId,
    /// The part for the length of a row.
    pub width: PartId,
    /// The part for the distance of two elements.
    pub horizontal_stride: PartId,
    /// What a stride says: its number.
    pub elements: ColumnId,
    /// What a stride says: whether a destination can have it.
    pub destination: ColumnId,
}

/// What happens to values, by the codes of the modifiers.
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

/// The types that have a meaning of their own, and the positions of the columns of their table.
#[derive(Clone, Debug)]
pub struct Types {
    /// Dwords: what is said without a type.
    pub dword: TypeId,
    /// Signed dwords: what a saturation of integers is looked at with.
    pub signed: TypeId,
    /// Floats of single precision.
    pub float: TypeId,
    /// Elements of predicates.
    pub boolean: TypeId,
    /// The column for the kind of number.
    pub class: usize,
    /// The class of numbers with a fraction.
    pub fraction: String,
    /// The column for how many numbers a packed constant has.
    pub packed: usize,
    /// The column for their type.
    pub element: usize,
    /// The column for the type that an object has in the place of one that only texts have.
    pub object: usize,
}

/// The parts of bits beside others in structures.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// The type in those of an indirect operand.
    pub indirect_type: PartId,
    /// The type in those of a variable.
    pub variable_type: PartId,
    /// The alignment in those of a variable.
    pub alignment: PartId,
    /// The table of an input.
    pub input_class: PartId,
    /// Where the value of an input comes from.
    pub input_origin: PartId,
}

/// All that the grammar has names for.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each is what its type says")]
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

/// A name of the grammar that a specification lacks.
#[derive(Clone, Debug)]
pub struct Missing {
    /// What it is: `structure gen_opnd`, `member row_offset of gen_opnd`.
    pub what: String,
    /// The thing that lacks it; nothing where a whole structure, list or table is not there.
    pub at: Option<SourceSpan>,
    /// What to do.
    pub help: String,
}

impl Anatomy {
    /// Finds everything in a model, or says what it lacks.
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

/// What to do about a name that nothing there is like.
const GRAMMAR: &str = "copy the fixed part from spec/README.md and the chapters of the repository; the grammar \
     requires its exact names";

/// Looks for names. What is not there is noted, and stands for the first of its kind until the end.
struct Finder<'m> {
    model: &'m Model,
    missing: Vec<Missing>,
}

/// No list: what is asked of it is not missing by itself.
const NOWHERE: ListId = ListId(usize::MAX);

impl Finder<'_> {
    /// The position of a name; what has the names is asked about once it is there itself.
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

    /// A column of the list that a part has.
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
