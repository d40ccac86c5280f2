//! Comparison of the chapters' facts: data types, platforms, predefined variables, attributes,
//! structures.

use std::collections::{BTreeMap, BTreeSet};

use super::{columns, lists, sources};
use crate::diff::change::Class;
use crate::diff::context::{Cx, Located};
use crate::diff::matching::{Renames, Same, align, norm};
use crate::diff::{places, platforms};
use visakit_codegen::model::{
    Attribute, DataType, FieldKind, Member, MemberType, Model, Platform, Predefined, SourceSpan, Structure,
    SupportRow, names,
};

pub(crate) fn compare(cx: &mut Cx<'_>) {
    let (old, new) = (cx.old, cx.new);
    let both = (old.types.as_slice(), new.types.as_slice());
    table(cx, ["type-added", "type-removed"], both, |t| (&t.name, t.at), |t| t.code, data_type);
    if !old.types.is_empty() && !new.types.is_empty() {
        columns::headings(cx, "types", &old.type_columns, &new.type_columns);
    }
    let both = (old.platforms.as_slice(), new.platforms.as_slice());
    platform_rows(cx, both);
    if !old.platforms.is_empty() && !new.platforms.is_empty() {
        columns::headings(cx, "platforms", &old.platform_columns, &new.platform_columns);
    }
    for (kinds, a, b) in [
        (["variable-added", "variable-removed"], &old.predefined, &new.predefined),
        (["surface-added", "surface-removed"], &old.surfaces, &new.surfaces),
        (["sampler-added", "sampler-removed"], &old.samplers, &new.samplers),
    ] {
        table(cx, kinds, (a, b), |p| (&p.name, p.at), |p| p.id, predefined);
    }
    if !old.surfaces.is_empty() && !new.surfaces.is_empty() {
        columns::headings(cx, "surfaces", &old.surface_columns, &new.surface_columns);
    }
    columns::limits(cx);
    sources::compare(cx);
    let both = (old.attributes.as_slice(), new.attributes.as_slice());
    // Attributes have no code: objects contain their names.
    table(cx, ["attribute-added", "attribute-removed"], both, |a| (&a.name, a.at), |a| a.name.clone(), attribute);
}

/// Compares the platforms of the index and of the table of instructions by platform.
pub(crate) fn platform_tables(cx: &mut Cx<'_>) {
    let (old, new) = (cx.old, cx.new);
    for y in &new.index {
        let Some(x) = old.index.iter().find(|x| x.page == y.page) else { continue };
        let moved = cx.platforms.compare(&x.platforms, &y.platforms);
        // If the page takes its platforms from the index, the instruction's entry covers the
        // change.
        let name = new.instructions.iter().find(|i| places::page_name(new, i) == y.page);
        let name = name.map_or(y.page.as_str(), |i| &i.name);
        for class in lists::classes(moved) {
            let said = (platforms::alternatives(&x.platforms), platforms::alternatives(&y.platforms));
            cx.differs(class, "platform", name, (said.0, x.at), (said.1, y.at));
        }
    }
    for y in &new.support {
        let Some(x) = old.support.iter().find(|x| x.name == y.name) else { continue };
        let has =
            |row: &SupportRow, name: &str| row.platforms.iter().find(|(p, _)| p.name == name).map(|(_, yes)| *yes);
        let mut moved = platforms::Moved::default();
        for (name, b) in &y.platforms {
            if let Some(a) = has(x, &name.name) {
                moved.lost |= a && !b;
                moved.gained |= *b && !a;
            }
        }
        let text = |row: &SupportRow| {
            let names: Vec<_> = row.platforms.iter().filter(|(_, yes)| *yes).map(|(p, _)| p.name.as_str()).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        for class in lists::classes(moved) {
            cx.differs(class, "platform", &y.name, (text(x), x.at), (text(y), y.at));
        }
    }
}

/// Pairs the rows of a table by name, then by code, and compares them.
fn table<T, C: PartialEq>(
    cx: &mut Cx<'_>,
    [added, removed]: [&'static str; 2],
    (old, new): (&[T], &[T]),
    name: impl Fn(&T) -> (&String, SourceSpan),
    code: impl Fn(&T) -> C,
    compare: impl Fn(&mut Cx<'_>, &T, &T),
) {
    let label = added.trim_end_matches("-added");
    // A document without the table has no statement about its rows.
    match (old.first(), new.first()) {
        (Some(x), None) => {
            let said = (format!("{} entries", old.len()), name(x).1);
            return cx.fact(Class::Narrowed, removed, &format!("{label} table"), Some(said), None);
        }
        (None, Some(y)) => {
            let said = (format!("{} entries", new.len()), name(y).1);
            return cx.fact(Class::Widened, added, &format!("{label} table"), None, Some(said));
        }
        _ => {}
    }
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    let rounds: [Same<'_, T>; 2] = [&|x, y| name(x).0.eq_ignore_ascii_case(name(y).0), &|x, y| code(x) == code(y)];
    for same in rounds {
        for (j, y) in new.iter().enumerate() {
            if partner[j].is_none() {
                partner[j] = (0..old.len()).find(|i| !partner.contains(&Some(*i)) && same(&old[*i], y));
            }
        }
    }
    for (j, y) in new.iter().enumerate() {
        let (label, at) = name(y);
        match partner[j] {
            Some(i) => compare(cx, &old[i], y),
            None => cx.fact(Class::Widened, added, label, None, Some((label.clone(), at))),
        }
    }
    for (_, x) in old.iter().enumerate().filter(|(i, _)| !partner.contains(&Some(*i))) {
        let (label, at) = name(x);
        cx.fact(Class::Narrowed, removed, label, Some((label.clone(), at)), None);
    }
}

/// Records a value that differs between two rows.
fn cell(cx: &mut Cx<'_>, class: Class, kind: &'static str, path: &str, old: Located, new: Located) {
    if old.0 != new.0 {
        cx.differs(class, kind, path, old, new);
    }
}

fn data_type(cx: &mut Cx<'_>, x: &DataType, y: &DataType) {
    let name = &y.name;
    cell(cx, Class::TextOnly, "type-renamed", name, (x.name.clone(), x.at), (y.name.clone(), y.at));
    let code = |t: &DataType| (format!("code 0b{:04b}", t.code), t.at);
    cell(cx, Class::WireBreaking, "type", name, code(x), code(y));
    let bits = |t: &DataType| (format!("{} bits", t.bits), t.at);
    cell(cx, Class::WireBreaking, "width", name, bits(x), bits(y));
    columns::cells(cx, name, (&cx.old.type_columns, &x.cells), (&cx.new.type_columns, &y.cells));
}

fn platform_rows(cx: &mut Cx<'_>, (old, new): (&[Platform], &[Platform])) {
    // Rows describe the same platform if they share a name.
    let same = |x: &Platform| old.iter().position(|p| platforms::same(p, x));
    if old.is_empty() || new.is_empty() {
        let none = |_: &mut Cx<'_>, _: &Platform, _: &Platform| {};
        return table(cx, ["platform-added", "platform-removed"], (old, new), |p| (&p.name, p.at), |_| (), none);
    }
    let order: Vec<usize> = new.iter().filter_map(&same).collect();
    for y in new {
        match same(y) {
            Some(i) => platform(cx, &old[i], y),
            None => cx.fact(Class::Widened, "platform-added", &y.name, None, Some((y.name.clone(), y.at))),
        }
    }
    for (i, x) in old.iter().enumerate() {
        if !order.contains(&i) {
            cx.fact(Class::Narrowed, "platform-removed", &x.name, Some((x.name.clone(), x.at)), None);
        }
    }
    let sorted: Vec<usize> = order.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let kept: BTreeSet<usize> = align(&sorted, &order).into_iter().map(|(_, j)| order[j]).collect();
    for y in new {
        // The meaning of marks depends on the order. If it changes an instruction, that has its own
        // entry.
        if let Some(i) = same(y).filter(|i| !kept.contains(i)) {
            let behind = |rows: &[Platform], at: usize| {
                at.checked_sub(1).map_or("oldest".to_owned(), |p| format!("behind {}", rows[p].name))
            };
            let j = new.iter().position(|p| p.name == y.name).unwrap_or(0);
            let (o, n) = ((behind(old, i), old[i].at), (behind(new, j), y.at));
            cx.differs(Class::TextOnly, "order", &y.name, o, n);
        }
    }
}

fn platform(cx: &mut Cx<'_>, x: &Platform, y: &Platform) {
    let name = &y.name;
    cell(cx, Class::TextOnly, "platform-renamed", name, (x.name.clone(), x.at), (y.name.clone(), y.at));
    let bytes = |p: &Platform| (format!("{} bytes a register", p.register_bytes), p.at);
    cell(cx, Class::WireBreaking, "width", name, bytes(x), bytes(y));
    let words = |v: &[String]| v.iter().map(|s| s.to_ascii_lowercase()).collect::<BTreeSet<_>>();
    let numbers = |v: &[u64]| v.iter().map(|n| format!("{n:#x}")).collect::<BTreeSet<_>>();
    elements(cx, &format!("{name}.Aliases"), (words(&x.aliases), x.at), (words(&y.aliases), y.at));
    elements(cx, &format!("{name}.GEN_code"), (numbers(&x.gen_codes), x.at), (numbers(&y.gen_codes), y.at));
    elements(cx, &format!("{name}.Product_family"), (numbers(&x.families), x.at), (numbers(&y.families), y.at));
    columns::cells(cx, name, (&cx.old.platform_columns, &x.cells), (&cx.new.platform_columns, &y.cells));
}

/// Records an entry for each element that a set lost or gained.
fn elements(cx: &mut Cx<'_>, path: &str, old: (BTreeSet<String>, SourceSpan), new: (BTreeSet<String>, SourceSpan)) {
    for e in old.0.difference(&new.0) {
        cx.fact(Class::Narrowed, "platform", &format!("{path}.{e}"), Some((e.clone(), old.1)), None);
    }
    for e in new.0.difference(&old.0) {
        cx.fact(Class::Widened, "platform", &format!("{path}.{e}"), None, Some((e.clone(), new.1)));
    }
}

fn predefined(cx: &mut Cx<'_>, x: &Predefined, y: &Predefined) {
    let name = &y.name;
    cell(cx, Class::TextOnly, "variable-renamed", name, (x.name.clone(), x.at), (y.name.clone(), y.at));
    let old_name = |p: &Predefined| (p.old_name.clone(), p.at);
    cell(cx, Class::TextOnly, "variable-renamed", &format!("{name}.Old_name"), old_name(x), old_name(y));
    cell(cx, Class::WireBreaking, "variable", name, (format!("id {}", x.id), x.at), (format!("id {}", y.id), y.at));
    columns::cells(cx, name, (&cx.old.surface_columns, &x.cells), (&cx.new.surface_columns, &y.cells));
    cell(cx, Class::WireBreaking, "type", name, (x.ty.name.clone(), x.at), (y.ty.name.clone(), y.at));
    if x.elements != y.elements {
        let text = |p: &Predefined| match p.elements {
            (narrow, wide) if narrow == wide => (format!("{narrow} elements"), p.at),
            (narrow, wide) => (format!("{narrow} elements, {wide} with 64-byte registers"), p.at),
        };
        let moved = platforms::Moved {
            lost: y.elements.0 < x.elements.0 || y.elements.1 < x.elements.1,
            gained: y.elements.0 > x.elements.0 || y.elements.1 > x.elements.1,
        };
        for class in lists::classes(moved) {
            cx.differs(class, "range", &format!("{name}.Elements"), text(x), text(y));
        }
    }
}

fn attribute(cx: &mut Cx<'_>, x: &Attribute, y: &Attribute) {
    let name = &y.name;
    cell(cx, Class::TextOnly, "attribute-renamed", name, (x.name.clone(), x.at), (y.name.clone(), y.at));
    cell(cx, Class::WireBreaking, "width", name, (x.bytes.clone(), x.at), (y.bytes.clone(), y.at));
    cell(cx, Class::WireBreaking, "type", name, (x.value.clone(), x.at), (y.value.clone(), y.at));
    let places = |a: &Attribute| visakit_codegen::phrase::words(&a.place).into_iter().collect::<BTreeSet<_>>();
    elements(cx, &format!("{name}.Where"), (places(x), x.at), (places(y), y.at));
}

/// Compares the structures. Returns the renamed members as `structure/member`.
pub(crate) fn structures(cx: &mut Cx<'_>) -> Renames {
    let (old, new) = (cx.old, cx.new);
    let mut renamed = Renames::new();
    let mut partner: BTreeMap<usize, usize> = BTreeMap::new();
    let rounds: [fn(&Structure, &Structure) -> bool; 2] =
        [|x, y| norm(&x.name) == norm(&y.name), |x, y| x.class.is_some() && x.class == y.class];
    for same in rounds {
        for (j, y) in new.structures.iter().enumerate() {
            if partner.contains_key(&j) {
                continue;
            }
            let free = |i: &usize| !partner.values().any(|x| x == i);
            if let Some(i) = (0..old.structures.len()).find(|i| free(i) && same(&old.structures[*i], y)) {
                partner.insert(j, i);
            }
        }
    }
    let summary = |s: &Structure| (format!("{} members", s.members.len()), s.at);
    for (j, y) in new.structures.iter().enumerate() {
        match partner.get(&j) {
            Some(&i) => structure(cx, &old.structures[i], y, &mut renamed),
            None => cx.fact(Class::Widened, "structure-added", &y.name, None, Some(summary(y))),
        }
    }
    for (_, x) in old.structures.iter().enumerate().filter(|(i, _)| !partner.values().any(|x| x == i)) {
        cx.fact(Class::Narrowed, "structure-removed", &x.name, Some(summary(x)), None);
    }
    renamed
}

fn structure(cx: &mut Cx<'_>, x: &Structure, y: &Structure, renamed: &mut Renames) {
    let name = &y.name;
    cell(cx, Class::TextOnly, "structure-renamed", name, (x.name.clone(), x.at), (y.name.clone(), y.at));
    let class = |s: &Structure| (s.class.as_ref().map_or("none", |class| &class.name).to_owned(), s.at);
    cell(cx, Class::WireBreaking, "operand-class", name, class(x), class(y));
    let keys = |s: &Structure| s.members.iter().map(|m| norm(&m.name)).collect::<Vec<_>>();
    let (a, b) = (keys(x), keys(y));
    let in_order = align(&a, &b);
    let mut partner: Vec<Option<usize>> = vec![None; b.len()];
    for &(i, j) in &in_order {
        partner[j] = Some(i);
    }
    for (j, key) in b.iter().enumerate() {
        if partner[j].is_none()
            && let Some(i) = a.iter().position(|k| k == key).filter(|i| !partner.contains(&Some(*i)))
        {
            partner[j] = Some(i);
            let place = |s: &Structure, at: usize| (format!("member {}", at + 1), s.members[at].at);
            let path = format!("{name}.{}", y.members[j].name);
            cx.differs(Class::WireBreaking, "order", &path, place(x, i), place(y, j));
        }
    }
    // A member was renamed if another name has the same position, neighbours and storage.
    for j in 0..b.len() {
        let before = |p: &[Option<usize>]| if j == 0 { Some(0) } else { p[j - 1].map(|i| i + 1) };
        if partner[j].is_none()
            && let Some(i) = before(&partner).filter(|i| *i < a.len() && !partner.contains(&Some(*i)))
            && declared(&x.members[i]) == declared(&y.members[j])
            && !b.contains(&a[i])
        {
            partner[j] = Some(i);
            renamed.insert(format!("{}/{}", norm(name), a[i]), b[j].clone());
        }
    }
    for (j, m) in y.members.iter().enumerate() {
        let path = format!("{name}.{}", m.name);
        match partner[j] {
            Some(i) => member(cx, &path, &x.members[i], m),
            None => cx.fact(Class::WireBreaking, "field-added", &path, None, Some((declared(m), m.at))),
        }
    }
    for (_, m) in x.members.iter().enumerate().filter(|(i, _)| !partner.contains(&Some(*i))) {
        let path = format!("{name}.{}", m.name);
        cx.fact(Class::WireBreaking, "field-removed", &path, Some((declared(m), m.at)), None);
    }
}

/// Formats the declaration of a member without its name.
fn declared(m: &Member) -> String {
    let storage: Vec<_> = m
        .storage
        .iter()
        .map(|(marks, ty)| {
            let name = match ty {
                MemberType::Number(s) => s.name().to_ascii_uppercase(),
                MemberType::Structure(s) => s.name.clone(),
                MemberType::StringPool => "string_pool".to_owned(),
                MemberType::Info => "info".to_owned(),
                MemberType::Instructions => "instructions".to_owned(),
            };
            format!("{marks}{name}")
        })
        .collect();
    storage.join(" ")
}

fn member(cx: &mut Cx<'_>, path: &str, x: &Member, y: &Member) {
    cell(cx, Class::TextOnly, "field-renamed", path, (x.name.clone(), x.at), (y.name.clone(), y.at));
    let bits = |m: &Member| {
        let of = |(_, t): &(_, MemberType)| if let MemberType::Number(s) = t { Some(s.bits()) } else { None };
        m.storage.iter().map(of).collect::<Vec<_>>()
    };
    let number = |m: &Member| bits(m).iter().all(Option::is_some);
    let kind = if number(x) && number(y) && bits(x) != bits(y) { "width" } else { "type" };
    cell(cx, Class::WireBreaking, kind, path, (declared(x), x.at), (declared(y), y.at));
    let counts = |m: &Member| m.count.as_ref().map(|c| norm(&c.name));
    let count = |m: &Member| m.count.as_ref().map_or("once".to_owned(), |c| format!("{c} times"));
    if counts(x) != counts(y) {
        cell(cx, Class::WireBreaking, "presence", path, (count(x), x.at), (count(y), y.at));
    }
    let when = |m: &Member| match &m.presence {
        Some(c) => {
            let values: BTreeSet<_> = names(&c.values).into_iter().collect();
            format!("only if {}={}", c.of, values.into_iter().collect::<Vec<_>>().join(", "))
        }
        None => "always".to_owned(),
    };
    cell(cx, Class::WireBreaking, "presence", path, (when(x), x.at), (when(y), y.at));
    if let (FieldKind::List(a), FieldKind::List(b)) = (x.shape, y.shape) {
        return lists::of_field(cx, path, (a, &[]), (b, &[]), (x.at, y.at));
    }
    let text = |model: &Model, m: &Member| match m.shape {
        _ if m.data_type => "data type".to_owned(),
        FieldKind::List(id) => format!("list {}", model.list(id).name),
        FieldKind::Index(kind) => format!("index of a {}", kind.name()),
        FieldKind::Zero => "zero".to_owned(),
        _ => "any number".to_owned(),
    };
    let class = match (text(cx.old, x).as_str(), text(cx.new, y).as_str()) {
        ("any number", _) | (_, "zero") => Class::Narrowed,
        (_, "any number") | ("zero", _) => Class::Widened,
        _ => Class::WireBreaking,
    };
    cell(cx, class, "values", path, (text(cx.old, x), x.at), (text(cx.new, y), y.at));
}
