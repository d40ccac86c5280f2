//! Comparison of properties and type maps: legality that does not depend on the layout.

use std::collections::{BTreeMap, BTreeSet};

use super::lists;
use crate::diff::change::Class;
use crate::diff::context::Cx;
use crate::diff::places;
use crate::diff::platforms::{Moved, alternatives};
use visakit_codegen::model::{
    Availability, Instruction, Reference, Saturation, SourceModifier, SourceSpan, TypeId, TypeMap, names,
};

/// Type by its name on a page. Ids differ between the two specifications.
type Type = Reference<TypeId>;

pub(crate) fn compare(cx: &mut Cx<'_>, old: &Instruction, new: &Instruction) {
    let name = new.name.as_str();
    let at = |cx: &Cx<'_>, key: &str| (places::property(cx.old, old, key), places::property(cx.new, new, key));
    let moved = cx.platforms.compare(&old.platforms, &new.platforms);
    for class in lists::classes(moved) {
        let (o, n) = (places::platforms(cx.old, old), places::platforms(cx.new, new));
        let said = (alternatives(&old.platforms), alternatives(&new.platforms));
        cx.differs(class, "platform", name, (said.0, o), (said.1, n));
    }
    types(cx, old, new);
    if old.saturation != new.saturation {
        let rank = |s: Saturation| match s {
            Saturation::No => 0,
            Saturation::Floats => 1,
            Saturation::Yes => 2,
        };
        let narrower = rank(old.saturation) > rank(new.saturation);
        let class = if narrower { Class::Narrowed } else { Class::Widened };
        let text = |s: Saturation| match s {
            Saturation::No => "No".to_owned(),
            Saturation::Floats => "Only when type is float".to_owned(),
            Saturation::Yes => "Yes".to_owned(),
        };
        let (o, n) = at(cx, "Saturation");
        let path = format!("{name}.Saturation");
        cx.differs(class, "property", &path, (text(old.saturation), o), (text(new.saturation), n));
    }
    if old.source_modifier != new.source_modifier {
        let text = |s: SourceModifier| match s {
            SourceModifier::None => "false".to_owned(),
            SourceModifier::Arithmetic => "arithmetic".to_owned(),
            SourceModifier::Logic => "logic".to_owned(),
        };
        // The modifiers of one kind are not modifiers of the other.
        let lost = old.source_modifier != SourceModifier::None;
        let gained = new.source_modifier != SourceModifier::None;
        let (o, n) = at(cx, "Source Modifier");
        let path = format!("{name}.Source_Modifier");
        for class in lists::classes(Moved { lost, gained }) {
            let said = (text(old.source_modifier), text(new.source_modifier));
            cx.differs(class, "property", &path, (said.0, o), (said.1, n));
        }
    }
    let words = |t: &str| t.split_whitespace().collect::<Vec<_>>().join(" ");
    if words(&old.out_of_bound) != words(&new.out_of_bound) {
        let (o, n) = at(cx, "Out-of-bound Access");
        let said = |t: &str, at: SourceSpan| (!t.is_empty()).then(|| (words(t), at));
        let path = format!("{name}.Out-of-bound_Access");
        cx.fact(Class::TextOnly, "property", &path, said(&old.out_of_bound, o), said(&new.out_of_bound, n));
    }
    type_maps(cx, old, new);
}

fn types(cx: &mut Cx<'_>, old: &Instruction, new: &Instruction) {
    let group = |i: &'_ Instruction| -> BTreeMap<String, Vec<Availability>> {
        let mut out: BTreeMap<String, Vec<Availability>> = BTreeMap::new();
        for (name, marks) in &i.types {
            out.entry(name.name.clone()).or_default().push(marks.clone());
        }
        out
    };
    let (a, b) = (group(old), group(new));
    let (o, n) = (places::property(cx.old, old, "Supported Types"), places::property(cx.new, new, "Supported Types"));
    let path = format!("{}.Supported_Types", new.name);
    let list = |i: &Instruction| match i.types.as_slice() {
        [] => "any".to_owned(),
        all => all.iter().map(|(t, m)| format!("{m}{t}")).collect::<Vec<_>>().join(", "),
    };
    if a.is_empty() != b.is_empty() {
        // An absent property forbids nothing.
        let class = if a.is_empty() { Class::Narrowed } else { Class::Widened };
        return cx.differs(class, "type", &path, (list(old), o), (list(new), n));
    }
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for name in names {
        let path = format!("{path}.{name}");
        match (a.get(name), b.get(name)) {
            (Some(x), Some(y)) => {
                let moved = cx.platforms.compare(x, y);
                for class in lists::classes(moved) {
                    let said = |m: &[Availability]| format!("{name} {}", alternatives(m));
                    cx.differs(class, "platform", &path, (said(x), o), (said(y), n));
                }
            }
            (x, _) => {
                let class = if x.is_some() { Class::Narrowed } else { Class::Widened };
                cx.differs(class, "type", &path, (list(old), o), (list(new), n));
            }
        }
    }
}

/// Compares type maps: equal maps are skipped, then the most similar ones are compared type by
/// type.
fn type_maps(cx: &mut Cx<'_>, old: &Instruction, new: &Instruction) {
    let path = format!("{}.Type_map", new.name);
    let mut left: Vec<&TypeMap> = old.type_maps.iter().collect();
    let mut right: Vec<&TypeMap> = new.type_maps.iter().collect();
    left.retain(|a| {
        let same = right.iter().position(|b| {
            sorted(&a.dst) == sorted(&b.dst)
                && sorted(&a.src) == sorted(&b.src)
                && cx.platforms.compare(std::slice::from_ref(&a.marks), std::slice::from_ref(&b.marks))
                    == Moved::default()
        });
        same.map(|at| right.remove(at)).is_none()
    });
    // The first map restricts a page without maps; removing the last map lifts the restriction.
    if old.type_maps.is_empty() != new.type_maps.is_empty() {
        let (all, types, opens) = match old.type_maps.is_empty() {
            true => (&new.type_maps, &old.types, Class::Narrowed),
            false => (&old.type_maps, &new.types, Class::Widened),
        };
        let class = if everything(all, types) { Class::TextOnly } else { opens };
        for a in &left {
            cx.fact(class, "type-map", &path, Some(said(a)), None);
        }
        for b in &right {
            cx.fact(class, "type-map", &path, None, Some(said(b)));
        }
        return;
    }
    while let Some((i, j)) = nearest(&left, &right) {
        let (a, b) = (left.remove(i), right.remove(j));
        let moved = cx.platforms.compare(std::slice::from_ref(&a.marks), std::slice::from_ref(&b.marks));
        for class in lists::classes(moved) {
            cx.differs(class, "platform", &path, said(a), said(b));
        }
        side(cx, &path, "Dst", (a, &a.dst), (b, &b.dst));
        side(cx, &path, "Src", (a, &a.src), (b, &b.src));
    }
    for a in left {
        cx.fact(Class::Narrowed, "type-map", &path, Some(said(a)), None);
    }
    for b in right {
        cx.fact(Class::Widened, "type-map", &path, None, Some(said(b)));
    }
}

/// Returns true if the maps allow every combination of the supported types, so that they forbid
/// nothing.
fn everything(maps: &[TypeMap], types: &[(Type, Availability)]) -> bool {
    let names: BTreeSet<&str> = types.iter().map(|(t, _)| t.name.as_str()).collect();
    let allows = |dst: &str, src: &str| {
        let has = |all: &[Type], t: &str| all.is_empty() || all.iter().any(|x| x.name == t);
        maps.iter().any(|m| m.marks.0.is_empty() && has(&m.dst, dst) && has(&m.src, src))
    };
    !names.is_empty() && names.iter().all(|d| names.iter().all(|s| allows(d, s)))
}

fn sorted(types: &[Type]) -> BTreeSet<&str> {
    types.iter().map(|t| t.name.as_str()).collect()
}

fn said(map: &TypeMap) -> crate::diff::context::Located {
    let list = |all: &[Type]| if all.is_empty() { "any".to_owned() } else { names(all).join(", ") };
    (format!("{}{} <- {}", map.marks, list(&map.dst), list(&map.src)), map.at)
}

/// Returns the two maps that have the most types in common; `None` if no two share a type.
fn nearest(left: &[&TypeMap], right: &[&TypeMap]) -> Option<(usize, usize)> {
    let common = |a: &[Type], b: &[Type]| sorted(a).intersection(&sorted(b)).count();
    let mut best: Option<(usize, usize, usize)> = None;
    for (i, a) in left.iter().enumerate() {
        for (j, b) in right.iter().enumerate() {
            let types = common(&a.dst, &b.dst) + common(&a.src, &b.src);
            let score = types * 2 + usize::from(a.marks == b.marks);
            if types > 0 && best.is_none_or(|(s, ..)| score > s) {
                best = Some((score, i, j));
            }
        }
    }
    best.map(|(_, i, j)| (i, j))
}

fn side(cx: &mut Cx<'_>, path: &str, name: &str, (a, old): (&TypeMap, &[Type]), (b, new): (&TypeMap, &[Type])) {
    let (p, q) = (sorted(old), sorted(new));
    let path = format!("{path}.{name}");
    let (o, n) = (places::type_map(cx.old, a, name), places::type_map(cx.new, b, name));
    let (o, n) = ((said(a).0, o), (said(b).0, n));
    if p.is_empty() != q.is_empty() {
        let class = if p.is_empty() { Class::Narrowed } else { Class::Widened };
        return cx.differs(class, "type-map", &path, o, n);
    }
    for element in p.symmetric_difference(&q) {
        let class = if q.contains(element) { Class::Widened } else { Class::Narrowed };
        cx.differs(class, "type-map", &format!("{path}.{element}"), o.clone(), n.clone());
    }
}
