//! Lines of directives, by the lists of the chapter of assembly text.

use visakit::isa::{DeclaredClass, TextArgument, TextComment, TextDirective, TextKey, TextMark, TextRevision};
use visakit::rt::ListField;
use visakit_codegen::model::{CellValue, Enumerator, Model};

/// Returns the cell of a value: its list, name and column.
fn cell<'m>(model: &'m Model, list: &str, name: &str, column: &str) -> Option<&'m CellValue> {
    let (list, one) = model.shared_values(list).find(|(_, one)| one.name == name)?;
    list.cell(one, column).map(|cell| &cell.value)
}

/// Returns the names in the cell of a value.
fn names<'m>(model: &'m Model, list: &str, name: &str, column: &str) -> &'m [String] {
    match cell(model, list, name, column) {
        Some(CellValue::Names(names)) => names,
        _ => &[],
    }
}

/// Returns the spelling of a value.
fn text<'m>(model: &'m Model, list: &str, name: &str) -> &'m str {
    model.shared_values(list).find(|(_, one)| one.name == name).map_or("", |(_, one)| one.text.as_str())
}

/// Returns a directive with an argument that is a name, without keys.
pub(crate) fn named(model: &Model, directive: TextDirective, argument: &str) -> String {
    let form = names(model, TextDirective::LIST, directive.name(), "Argument");
    let is_quoted = [TextArgument::NameArgument, TextArgument::QuotedArgument].map(TextArgument::name);
    let quote = if form.iter().any(|form| is_quoted.contains(&form.as_str())) { "\"" } else { "" };
    format!("{} {quote}{argument}{quote}", spelling(model, directive))
}

/// Returns the spelling of a directive.
pub(crate) fn spelling(model: &Model, directive: TextDirective) -> &str {
    text(model, TextDirective::LIST, directive.name())
}

/// Returns the first lines of a text: its version, and a kernel.
pub(crate) fn kernel(model: &Model, version: impl std::fmt::Display, name: &str) -> String {
    let form = names(model, TextDirective::LIST, TextDirective::VersionLine.name(), "Argument");
    let is_version = form.iter().any(|form| form == TextArgument::VersionArgument.name());
    let version = version.to_string().replace('.', if is_version { "." } else { "=" });
    let first = spelling(model, TextDirective::VersionLine);
    format!("{first} {version}\n{}\n", named(model, TextDirective::KernelLine, name))
}

/// Returns the given keys of a value of a list, in the order of its columns.
fn keys(model: &Model, list: &str, name: &str, values: &[(TextKey, &str)]) -> String {
    let columns = ["Leading", "Required", "Optional"];
    let all = columns.iter().flat_map(|column| names(model, list, name, column));
    let given = all.filter_map(|key| values.iter().find(|(given, _)| given.name() == key));
    given.map(|(key, value)| format!(" {}={value}", text(model, TextKey::LIST, key.name()))).collect()
}

/// Returns the line of a directive whose argument is a name, with the given keys.
pub(crate) fn line(model: &Model, directive: TextDirective, argument: &str, values: &[(TextKey, &str)]) -> String {
    let keys = keys(model, TextDirective::LIST, directive.name(), values);
    format!("{}{keys}", named(model, directive, argument))
}

/// Returns the line of an input with the given keys. The origin of an implicit input follows the
/// spelling of the directive; that of others is empty.
pub(crate) fn input(
    model: &Model,
    directive: TextDirective,
    origin: &str,
    name: &str,
    values: &[(TextKey, &str)],
) -> String {
    let spelled = spelling(model, directive);
    line(model, directive, name, values).replacen(spelled, &format!("{spelled}{origin}"), 1)
}

/// Returns the declaration of a variable, with the given keys of its class.
pub(crate) fn declaration(model: &Model, class: DeclaredClass, name: &str, values: &[(TextKey, &str)]) -> String {
    let own = (TextKey::KeyClass, text(model, DeclaredClass::LIST, class.name()));
    let values: Vec<_> = values.iter().copied().chain([own]).collect();
    let keys = keys(model, DeclaredClass::LIST, class.name(), &values);
    format!("{}{keys}", line(model, TextDirective::DeclLine, name, &values))
}

/// Returns the declaration of a general variable.
pub(crate) fn general(model: &Model, name: &str, ty: &str, elements: u64, more: &[(TextKey, &str)]) -> String {
    let elements = elements.to_string();
    let own = [(TextKey::KeyType, ty), (TextKey::KeyElements, elements.as_str())];
    declaration(model, DeclaredClass::GeneralClass, name, &[&own, more].concat())
}

/// Returns the letter before the number of a variable without a name.
pub(crate) fn letter(model: &Model, class: DeclaredClass) -> &str {
    names(model, DeclaredClass::LIST, class.name(), "Letter").first().map_or("", String::as_str)
}

/// Returns the beginning of the comments that declare the predefined variables of a class.
pub(crate) fn comment(model: &Model, class: DeclaredClass) -> String {
    let mark = text(model, TextComment::LIST, TextComment::PredefinedComment.name());
    format!("{mark} {}", named(model, TextDirective::DeclLine, letter(model, class)).trim_end_matches('"'))
}

/// Returns the comment that declares a predefined variable.
pub(crate) fn predefined(model: &Model, class: DeclaredClass, id: u64, name: &str) -> String {
    let mark = text(model, TextComment::LIST, TextComment::PredefinedComment.name());
    let number = named(model, TextDirective::DeclLine, &format!("{}{id}", letter(model, class)));
    let keys = [(TextKey::KeyClass, text(model, DeclaredClass::LIST, class.name())), (TextKey::KeyShownName, name)];
    let keys = keys.map(|(key, value)| format!(" {}={value}", text(model, TextKey::LIST, key.name())));
    format!("{mark} {number}{}", keys.concat())
}

/// Returns the number of predefined variables in the comments of the oldest texts.
pub(crate) fn listed(model: &Model) -> usize {
    let oldest = model.shared_values(TextRevision::LIST).find(|(_, one)| one.value == 0);
    match oldest.and_then(|(list, one)| list.cell(one, "Listed")).map(|cell| &cell.value) {
        Some(CellValue::Number(number)) => usize::try_from(*number).unwrap_or_default(),
        _ => usize::MAX,
    }
}

/// Returns true if a code is the default value of a key.
pub(crate) fn is_default(model: &Model, key: TextKey, value: &Enumerator) -> bool {
    let default = cell(model, TextKey::LIST, key.name(), "Default value");
    matches!(default, Some(CellValue::Number(code)) if u64::try_from(*code).is_ok_and(|code| code == value.value))
}

/// Returns true if a directive must have a key.
pub(crate) fn is_required(model: &Model, directive: TextDirective, key: TextKey) -> bool {
    names(model, TextDirective::LIST, directive.name(), "Required").iter().any(|name| name == key.name())
}

/// Returns the spelling of a mark.
pub(crate) fn mark(model: &Model, mark: TextMark) -> &str {
    text(model, TextMark::LIST, mark.name())
}
