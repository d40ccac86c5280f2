//! Printer of a routine: header, declarations and code.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;

use super::declare::{is_plain, spelled};
use super::instruction::linked_call;
use super::keys::{self, print_directive, print_pair};
use super::names::{RoutineNames, Style};
use super::unique::is_word;
use super::{explicit, file, revision};
use crate::builder::numbered;
use crate::isa::{
    ATTRIBUTES, AliasScope, AttributeInfo, DeclaredClass, InputClass, Instruction, InstructionGroup, LabelId,
    LabelKind, Platform, StringId, TextComment, TextDirective, TextKey, VarInfo, attribute, predefined,
    predefined_surface,
};
use crate::object::{Object, Routine, RoutineKind, marks};
use crate::rt::{Names, Printer, Table, escape};

/// Prints a routine of an object. The platform decides the register size for the addresses of
/// variables.
///
/// ```
/// use visakit::text::{Style, parse, print};
/// let text = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=8 align=GRF\n    ret (M1, 1)\n";
/// let object = parse(text, Default::default()).unwrap().into_object();
/// let printed = print(&object, &object.kernels[0].routine, None, Style::Full);
/// assert!(printed.contains(".decl V32 v_type=G type=f num_elts=8 align=GRF"));
/// ```
pub fn print(object: &Object, routine: &Routine, platform: Option<Platform>, style: Style) -> String {
    print_with(object, routine, platform, style, &HashSet::new())
}

/// Prints a routine as [`print()`] does, except that the instructions in `as_bytes` are printed as
/// bytes.
pub(super) fn print_with(
    object: &Object,
    routine: &Routine,
    platform: Option<Platform>,
    style: Style,
    as_bytes: &HashSet<usize>,
) -> String {
    let out = frame(object, routine, platform, style);
    code(out, routine, &names(object, routine, platform, style), style, as_bytes)
}

/// Returns the part of the text before the code.
pub(super) fn frame(object: &Object, routine: &Routine, platform: Option<Platform>, style: Style) -> String {
    let names = names(object, routine, platform, style);
    let mut out = String::new();
    head(&mut out, object, routine);
    if style != Style::Vendor {
        file::print(&mut out, object, routine);
    }
    if style == Style::Explicit {
        explicit::tables(&mut out, routine, names.unique());
    }
    predefined_comments(&mut out, &names);
    declarations(&mut out, routine, &names, style);
    attributes(&mut out, routine, style);
    out
}

fn names<'a>(object: &'a Object, routine: &'a Routine, platform: Option<Platform>, style: Style) -> RoutineNames<'a> {
    let register_bytes = Platform::register_bytes_of(platform.or(object.platform()));
    RoutineNames::new(routine, object.version, register_bytes, style)
}

fn head(out: &mut String, object: &Object, routine: &Routine) {
    let directive = match routine.kind {
        RoutineKind::Kernel => TextDirective::KernelLine,
        RoutineKind::Function { .. } => TextDirective::GlobalFunctionLine,
    };
    let version = revision::version(object.version, marks::revision(routine));
    print_pair(out, TextDirective::VersionLine, [version.major.into(), version.minor.into()]);
    print_directive(out, directive, &routine.name());
    out.push('\n');
    if routine.kind == RoutineKind::Kernel {
        let known = object.functions.iter().map(|function| function.name.to_text());
        let mut declared = marks::functions(routine);
        declared.retain(|name| !object.functions.iter().any(|function| function.name.to_text() == *name));
        for name in known.chain(declared) {
            print_directive(out, TextDirective::FuncdeclLine, &name);
            out.push('\n');
        }
    }
}

fn predefined_comments(out: &mut String, names: &RoutineNames<'_>) {
    let _ = writeln!(out, "\n{}", TextComment::PredefinedHeading.text());
    let known = revision::at(names.revision()).listed().map_or(usize::MAX, |listed| listed as usize);
    let variables = predefined::ALL.iter().take(known).map(|v| (DeclaredClass::GeneralClass, Table::General, v.id));
    let surfaces = predefined_surface::ALL.iter().map(|s| (DeclaredClass::SurfaceClass, Table::Surface, s.id));
    for (class, table, id) in variables.chain(surfaces) {
        let _ = write!(out, "{} ", TextComment::PredefinedComment.text());
        print_directive(out, TextDirective::DeclLine, &numbered(class, id));
        keys::print(out, [TextKey::KeyClass, TextKey::KeyShownName].into_iter(), |out, key| {
            match key {
                TextKey::KeyClass => out.push_str(class.text()),
                _ => out.push_str(&names.name(table, id).unwrap_or_default()),
            }
            true
        });
        out.push('\n');
    }
    out.push('\n');
}

fn declarations(out: &mut String, routine: &Routine, names: &RoutineNames<'_>, style: Style) {
    let mut tables = variables(routine, names, style);
    if !names.full() {
        tables.iter().flatten().for_each(|(_, line)| out.push_str(line));
    }
    // Parsing interns names in the order of the text. The full text therefore merges the tables by
    // their names' order in the pool, which reproduces the pool.
    while names.full()
        && let Some(first) = tables.iter_mut().filter(|t| !t.is_empty()).min_by_key(|t| t.front().map(|(id, _)| *id))
        && let Some((_, line)) = first.pop_front()
    {
        out.push_str(&line);
    }
    inputs(out, routine, names);
}

/// Returns the declarations of each table, with the string of each declared name.
fn variables(routine: &Routine, names: &RoutineNames<'_>, style: Style) -> [VecDeque<(StringId, String)>; 5] {
    let printer = Declarations { routine, names, style, null_aliases: marks::null_aliases(routine) };
    let one = |class, table, id, name_index, elements, attributes: &Vec<AttributeInfo>| {
        let declared = Declared { class, table, id, name_index, elements, attributes, variable: None };
        (name_index, printer.line(&declared))
    };
    let generals = (predefined::DECLARED..).zip(&routine.variables).map(|(id, variable)| {
        let declared = Declared {
            class: DeclaredClass::GeneralClass,
            table: Table::General,
            id,
            name_index: variable.name_index,
            elements: variable.num_elements,
            attributes: &variable.attribute_info,
            variable: Some(variable),
        };
        (variable.name_index, printer.line(&declared))
    });
    let addresses = (0..).zip(&routine.addresses).map(|(id, a)| {
        one(DeclaredClass::AddressClass, Table::Address, id, a.name_index, a.num_elements, &a.attribute_info)
    });
    let predicates = (1..).zip(&routine.predicates).map(|(id, p)| {
        one(DeclaredClass::PredicateClass, Table::Predicate, id, p.name_index, p.num_elements, &p.attribute_info)
    });
    let samplers = (0..).zip(&routine.samplers).map(|(id, s)| {
        one(DeclaredClass::SamplerClass, Table::Sampler, id, s.name_index, s.num_elements, &s.attribute_info)
    });
    let surfaces = (predefined_surface::DECLARED..).zip(&routine.surfaces).map(|(id, s)| {
        one(DeclaredClass::SurfaceClass, Table::Surface, id, s.name_index, s.num_elements, &s.attribute_info)
    });
    [generals.collect(), addresses.collect(), predicates.collect(), samplers.collect(), surfaces.collect()]
}

/// Declared variable.
struct Declared<'a> {
    class: DeclaredClass,
    table: Table,
    id: u32,
    name_index: StringId,
    elements: u16,
    attributes: &'a [AttributeInfo],
    /// Facts that only general variables have.
    variable: Option<&'a VarInfo>,
}

/// Printer of declarations.
struct Declarations<'a> {
    routine: &'a Routine,
    names: &'a RoutineNames<'a>,
    style: Style,
    /// Numbers of the variables that are aliases of `%null`.
    null_aliases: HashSet<usize>,
}

impl Declarations<'_> {
    /// Returns the line of a declaration: its keys in the order of the page.
    fn line(&self, declared: &Declared<'_>) -> String {
        let name = self.names.name(declared.table, declared.id).unwrap_or_default();
        let class = declared.class;
        let mut line = String::with_capacity(96);
        let directive = TextDirective::DeclLine;
        print_directive(&mut line, directive, &name);
        let keys = keys::all(directive).chain(class.required().iter().chain(class.optional()).copied());
        keys::print(&mut line, keys, |line, key| self.value(line, key, declared, &name));
        line.push('\n');
        line
    }

    /// Prints the value of a key; returns false if the declaration leaves the key out.
    fn value(&self, line: &mut String, key: TextKey, declared: &Declared<'_>, name: &str) -> bool {
        let is_vendor = self.style == Style::Vendor;
        let shown = || self.routine.string(declared.name_index).unwrap_or_default();
        let is_default = |value: u64| key.default_value().is_some_and(|default| value == u64::from(default));
        match (key, declared.variable) {
            (TextKey::KeyClass, _) => line.push_str(declared.class.text()),
            (TextKey::KeyElements, _) => {
                let _ = write!(line, "{}", declared.elements);
            }
            (TextKey::KeyType, Some(variable)) => line.push_str(variable.bit_properties.type_.name()),
            (TextKey::KeyAlignment, Some(variable)) => {
                let alignment = variable.bit_properties.alignment;
                line.push_str(alignment.text());
                return !is_default(alignment as u64);
            }
            (TextKey::KeyAlias, Some(variable)) => {
                let (base, offset) = (variable.alias_index.0, variable.alias_offset);
                if !is_vendor && variable.alias_scope_specifier == AliasScope::Global {
                    let _ = write!(line, "<global {base}, {offset}>");
                } else {
                    let number = declared.id.saturating_sub(predefined::DECLARED) as usize;
                    if is_default(base.into()) && !self.null_aliases.contains(&number) {
                        return false;
                    }
                    let name = self.names.name(Table::General, base).unwrap_or_default();
                    let _ = write!(line, "<{name}, {offset}>");
                }
            }
            // The vendor's text has names verbatim, even if they are not words.
            (TextKey::KeyShownName, _) => match shown() {
                shown if is_vendor || is_word(&shown) => line.push_str(&shown),
                shown => {
                    let _ = write!(line, "\"{}\"", escape(&shown));
                }
            },
            (TextKey::KeyString, _) if self.style == Style::Explicit => {
                let has_name = declared.class.optional().contains(&TextKey::KeyShownName);
                let written = if has_name { shown() } else { name.to_owned() };
                match explicit::string_of(self.routine, declared.name_index, &written) {
                    Some(number) => {
                        let _ = write!(line, "{number}");
                    }
                    None => return false,
                }
            }
            (TextKey::KeyAttributes, _) => {
                let attributes = declared.attributes.iter();
                let all: Vec<String> = attributes.map(|a| attribute(self.routine, a, self.style)).collect();
                let _ = write!(line, "{{{}}}", all.join(", "));
                return !is_default(all.len() as u64);
            }
            _ => return false,
        }
        true
    }
}

fn inputs(out: &mut String, routine: &Routine, names: &RoutineNames<'_>) {
    for input in &routine.inputs {
        let table = match input.kind.class {
            InputClass::General => Table::General,
            InputClass::Sampler => Table::Sampler,
            InputClass::Surface => Table::Surface,
        };
        let name = names.name(table, input.id).unwrap_or_default();
        let directive = match (is_plain(input.kind), &routine.kind) {
            (true, RoutineKind::Kernel) => TextDirective::InputLine,
            (true, RoutineKind::Function { .. }) => TextDirective::ParameterLine,
            (false, _) => TextDirective::ImplicitLine,
        };
        let origin = if directive == TextDirective::ImplicitLine { input.kind.origin.text() } else { "" };
        let _ = write!(out, "{}{origin} {name}", directive.text());
        keys::print(out, keys::all(directive), |out, key| match key {
            TextKey::KeyOffset => write!(out, "{}", input.offset).is_ok(),
            TextKey::KeySize => write!(out, "{}", input.size).is_ok(),
            _ => false,
        });
        out.push('\n');
    }
}

/// Formats `Name`, `Name=16` or `Name="text"`.
fn attribute(routine: &Routine, attribute: &AttributeInfo, style: Style) -> String {
    let name = routine.string(attribute.name).unwrap_or_default();
    let bytes = attribute.value.as_slice();
    let known = ATTRIBUTES.iter().find(|a| a.name == name);
    let kind = known.map_or("number", |a| a.value);
    if style == Style::Explicit {
        return explicit::attribute(routine, &name, attribute, kind == "text");
    }
    if bytes.is_empty() {
        return name;
    }
    if let (Some(text), [code]) = (known.and_then(|a| spelled(a.value, bytes[0])), bytes) {
        let _ = code;
        return format!("{name}={text}");
    }
    let mut padded = [0; 4];
    match padded.get_mut(..bytes.len()) {
        Some(low) if kind != "text" => {
            low.copy_from_slice(bytes);
            let number = u32::from_le_bytes(padded);
            if kind == "flag" && number == 1 { name } else { format!("{name}={number}") }
        }
        _ => format!("{name}=\"{}\"", attribute.value.to_text().escape_default()),
    }
}

/// Prints the attributes of a routine. The vendor's printer ends a line only before the next
/// attribute and puts blanks after the last, which its own assembler rejects; the full text ends
/// every line. It omits the path of a listing, and adds the target where the object has none.
fn attributes(out: &mut String, routine: &Routine, style: Style) {
    let full = style != Style::Vendor;
    let name = |a: &AttributeInfo| routine.string(a.name).unwrap_or_default();
    let mut shown: Vec<String> = routine
        .attributes
        .iter()
        .filter(|a| full || !NOT_PRINTED.contains(&name(a).as_str()))
        .map(|a| attribute(routine, a, style))
        .collect();
    if !full && !routine.attributes.iter().any(|a| name(a) == TARGET) {
        shown.push(format!("{TARGET}={}", spelled_of(TARGET, DEFAULT_TARGET)));
    }
    // Labels and subroutines begin with their own line end.
    let breaks = routine.instructions.first().is_some_and(|first| first.placed_label().is_some());
    for (i, one) in shown.iter().enumerate() {
        let _ = write!(out, "{} {one}", TextDirective::KernelAttrLine.text());
        if full && !breaks || i + 1 < shown.len() {
            out.push('\n');
        }
    }
}

/// Attributes that the vendor's printer omits: one of files before 4.0, and its successor.
const NOT_PRINTED: [&str; 2] = [attribute::ASM_NAME, attribute::OUTPUT_ASM_PATH];
/// Attribute that the vendor's printer adds, and its default value.
const TARGET: &str = attribute::TARGET;
const DEFAULT_TARGET: u8 = 1;

/// Returns the spelling of an attribute's value in the pages' table.
fn spelled_of(name: &str, value: u8) -> String {
    let known = ATTRIBUTES.iter().find(|a| a.name == name);
    known.and_then(|a| spelled(a.value, value)).unwrap_or_else(|| value.to_string())
}

fn code(out: String, routine: &Routine, names: &RoutineNames<'_>, style: Style, as_bytes: &HashSet<usize>) -> String {
    let mut p = Printer::new(out, names);
    let number_comment = TextComment::NumberComment;
    let column = number_comment.column().map_or(0, |column| column as usize);
    for (number, instruction) in routine.instructions.iter().enumerate() {
        let is_in = |group| instruction.is_in(group);
        if as_bytes.contains(&number) {
            let mut text = Printer::new(String::new(), names);
            instruction.print(&mut text);
            p.text(&explicit::code(instruction, names.version(), &text.into_text()));
        } else if is_in(InstructionGroup::BlockStart) {
            p.text("\n");
            instruction.print(&mut p);
            p.text("\n");
        } else if is_in(InstructionGroup::SubroutineStart) {
            let label = instruction.labels().next().map_or(0, |label| label.0);
            let name = names.name(Table::Label, label).unwrap_or_default();
            let mut line = String::from("    \n");
            print_directive(&mut line, TextDirective::FunctionLine, &name);
            p.text(&line);
            let original = names.original_label(label).unwrap_or_default();
            if style == Style::Vendor && original != name {
                p.text(&format!(" {} \"{original}\"", TextComment::OriginalNameComment.text()));
            }
            p.text("\n\n");
            instruction.print(&mut p);
            p.text("\n");
        } else if is_in(InstructionGroup::SourcePlace) {
            p.text("    ");
            instruction.print(&mut p);
            p.text("\n");
        } else {
            let start = p.len();
            p.text("    ");
            print_call(instruction, routine, &mut p);
            let width = p.len() - start;
            p.spaces(column.saturating_sub(width));
            p.text(&format!(" {}{number}\n", number_comment.text()));
        }
    }
    p.into_text()
}

/// Prints an instruction; a call of a label of another file has a separate spelling.
pub(super) fn print_call(instruction: &Instruction, routine: &Routine, p: &mut Printer<'_>) {
    let is_foreign =
        |label: LabelId| routine.labels.get(label.0 as usize).is_some_and(|info| info.kind == LabelKind::Fccall);
    let is_link = instruction.is_in(InstructionGroup::SubroutineCall) && instruction.labels().any(is_foreign);
    let Some(call) = is_link.then(linked_call).flatten() else { return instruction.print(p) };
    let mut inner = Printer::new(String::new(), p.names);
    instruction.print(&mut inner);
    p.text(&inner.into_text().replacen(&call.usual, &call.spelling, 1));
}
