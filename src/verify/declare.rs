//! Rules of declarations: types and sizes of variables, aliases, inputs, attributes.

use super::{Location, Severity, Violation};
use crate::isa::{
    self, AliasScope, Alignment, InputClass, InputOrigin, Platform, StringId, attribute, limits, predefined,
    predefined_surface,
};
use crate::limits::ALIAS_DEPTH;
use crate::object::Routine;
use crate::rt::Bits;

/// Pages of the rules.
const VARIABLES: &str = "4_object_format.md#var_info";
const INPUTS: &str = "4_object_format.md#input_info";
const ATTRIBUTES: &str = "4_object_format.md#attribute_info";

pub(super) fn check(routine: &Routine, platform: Option<Platform>) -> Vec<Violation> {
    let register = Platform::register_bytes_of(platform);
    let mut out = Vec::new();
    for number in 0..routine.variables.len() {
        general(routine, number, register, &mut out);
    }
    let most = platform.unwrap_or_default().address_elements();
    for address in &routine.addresses {
        if u32::from(address.num_elements) > most {
            let message = format!("{} address elements; the limit is {most}", address.num_elements);
            out.push(declared(routine, address.name_index, "size", message));
        }
    }
    for predicate in &routine.predicates {
        let bits = u32::from(predicate.num_elements);
        if !bits.is_power_of_two() || bits > limits::PREDICATE_BITS {
            let most = limits::PREDICATE_BITS;
            let message = format!("{bits} predicate bits; the number must be a power of two up to {most}");
            out.push(declared(routine, predicate.name_index, "size", message));
        }
    }
    for sampler in &routine.samplers {
        if u32::from(sampler.num_elements) > limits::SAMPLERS {
            let message = format!("{} samplers; the limit is {}", sampler.num_elements, limits::SAMPLERS);
            out.push(declared(routine, sampler.name_index, "size", message));
        }
    }
    attributes(routine, &mut out);
    inputs(routine, i64::from(register), &mut out);
    for name in [attribute::SLM_SIZE, attribute::N_BARRIER_CNT] {
        let count = routine.attributes.iter().filter(|a| routine.string(a.name).as_deref() == Some(name)).count();
        if count > 1 {
            out.push(Violation {
                code: "attribute",
                severity: Severity::Error,
                place: Location::Routine,
                message: format!("attribute {name} is given {count} times"),
                page: ATTRIBUTES.to_owned(),
            });
        }
    }
    out
}

/// Checks that the page allows each attribute on its kind of variable.
fn attributes(routine: &Routine, out: &mut Vec<Violation>) {
    let generals = routine.variables.iter().map(|v| (v.name_index, &v.attribute_info));
    let addresses = routine.addresses.iter().map(|a| (a.name_index, &a.attribute_info));
    let predicates = routine.predicates.iter().map(|p| (p.name_index, &p.attribute_info));
    let surfaces = routine.surfaces.iter().map(|s| (s.name_index, &s.attribute_info));
    for (variable, all) in generals.chain(addresses).chain(predicates).chain(surfaces) {
        for attribute in all {
            let name = routine.string(attribute.name).unwrap_or_default();
            if !isa::ATTRIBUTES.iter().any(|known| known.name == name) {
                out.push(declared(routine, variable, "attribute", format!("unknown attribute {name}")));
            }
        }
    }
}

fn declared(routine: &Routine, name: StringId, code: &'static str, message: String) -> Violation {
    let name = routine.string(name).unwrap_or_default();
    Violation {
        code,
        severity: Severity::Error,
        message: format!("variable `{name}`: {message}"),
        place: Location::Declaration(name),
        page: VARIABLES.to_owned(),
    }
}

fn general(routine: &Routine, number: usize, register: u32, out: &mut Vec<Violation>) {
    let Some(variable) = routine.variables.get(number) else { return };
    let ty = variable.bit_properties.type_;
    if !ty.variable() {
        let message = format!("a variable cannot have type {}", ty.name());
        out.push(declared(routine, variable.name_index, "type", message));
        return;
    }
    if variable.num_elements == 0 || u32::from(variable.num_elements) > limits::ELEMENTS {
        let message = format!("{} elements; the number must be 1 to {}", variable.num_elements, limits::ELEMENTS);
        let most = limits::REGISTERS * register;
        let legal = (1..=most).contains(&u32::from(variable.num_elements));
        let severity = if legal { Severity::Warning } else { Severity::Error };
        out.push(Violation { severity, ..declared(routine, variable.name_index, "size", message) });
    }
    let mut say = |code, message| out.push(declared(routine, variable.name_index, code, message));
    if variable.alias_scope_specifier == AliasScope::Global {
        // The base is a variable of file scope, which the routine alone does not have.
        return;
    }
    if variable.alias_index.0 == 0 && variable.alias_offset != 0 {
        say("alias", "an alias offset without an aliased variable".to_owned());
    }
    let Some(first) = variable.alias_index.0.checked_sub(predefined::DECLARED) else { return };
    // Find the outermost variable; a cyclic alias ends the search.
    let (mut base, mut offset) = (first as usize, u32::from(variable.alias_offset));
    for _ in 0..ALIAS_DEPTH {
        let Some(outer) = routine.variables.get(base) else {
            say("alias", "it is an alias of a variable that is not declared".to_owned());
            return;
        };
        let Some(next) = outer.alias_index.0.checked_sub(predefined::DECLARED) else {
            let bytes = outer.bit_properties.type_.bits() / 8 * u32::from(outer.num_elements);
            if offset >= bytes {
                say("alias", format!("it begins at byte {offset} of an aliased variable of {bytes} bytes"));
            }
            let aligned = outer.bit_properties.alignment.max(natural(outer, register));
            if aligned < natural(variable, register) {
                say("alias", "its aliased variable has a smaller alignment than its type needs".to_owned());
            }
            return;
        };
        offset += u32::from(outer.alias_offset);
        base = next as usize;
    }
    say("alias", format!("it is an alias of itself, or the chain of aliases is longer than {ALIAS_DEPTH}"));
}

/// Returns the natural alignment of a variable: register alignment if it fills a register,
/// otherwise that of its type, at least a word. The vendor's assembler compares the codes of
/// alignments, see verification.md.
fn natural(variable: &crate::isa::VarInfo, register: u32) -> Alignment {
    let bytes = variable.bit_properties.type_.bits() / 8;
    match bytes {
        _ if bytes * u32::from(variable.num_elements) >= register => {
            Alignment::ALL.iter().copied().find(|a| a.bytes() == Some(register)).unwrap_or_default()
        }
        0..=2 => Alignment::Word,
        4 => Alignment::Dword,
        _ => Alignment::Qword,
    }
}

/// Returns true for a pseudo input, which only the producer uses.
fn is_pseudo(input: &crate::isa::InputInfo) -> bool {
    matches!(input.kind.origin, InputOrigin::PseudoInput | InputOrigin::PseudoInput16)
}

fn inputs(routine: &Routine, register: i64, out: &mut Vec<Violation>) {
    let mut ranges: Vec<(i64, i64, usize)> = Vec::new();
    let mut implicit = false;
    for (number, input) in routine.inputs.iter().enumerate() {
        let name = input_name(routine, number);
        let mut say = |message: String| {
            out.push(Violation {
                code: "input",
                severity: Severity::Error,
                message: format!("input `{name}`: {message}"),
                place: Location::Input(name.clone()),
                page: INPUTS.to_owned(),
            });
        };
        let size = i64::from(input.size);
        let (begin, end) = (i64::from(input.offset), i64::from(input.offset) + size);
        if end >= register * i64::from(limits::INPUT_REGISTERS) {
            say(format!("it ends at byte {end}, past the {} input registers", limits::INPUT_REGISTERS));
        }
        ranges.push((begin, end, number));
        // Pseudo inputs may lie anywhere, as only the producer uses them.
        let is_implicit = input.kind.origin.to_bits().unwrap_or_default() != 0 && !is_pseudo(input);
        if implicit && !is_implicit {
            say("an explicit argument must not follow an implicit input".to_owned());
        }
        implicit |= is_implicit;
        match input.kind.class {
            InputClass::General => {
                let declared = input.id.checked_sub(predefined::DECLARED);
                match declared.and_then(|id| routine.variables.get(id as usize)) {
                    None => say("it is not a declared variable".to_owned()),
                    Some(variable) => {
                        let element = i64::from(variable.bit_properties.type_.bits() / 8);
                        let bytes = element * i64::from(variable.num_elements);
                        if bytes != size {
                            say(format!("it has {size} bytes, but its variable has {bytes}"));
                        }
                        if 0 < size && size < register && begin / register != (end - 1) / register {
                            say("it is smaller than a register, but crosses a register boundary".to_owned());
                        }
                    }
                }
            }
            InputClass::Sampler => {
                if input.id as usize >= routine.samplers.len() {
                    say("it is not a declared sampler".to_owned());
                }
            }
            InputClass::Surface => {
                let declared = input.id.checked_sub(predefined_surface::DECLARED);
                match declared.and_then(|id| routine.surfaces.get(id as usize)) {
                    None => say("it is not a declared surface".to_owned()),
                    Some(surface) if i64::from(surface.num_elements) * i64::from(limits::SURFACE_BYTES) != size => {
                        say(format!("it has {size} bytes, but a surface has {}", surface.num_elements));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    // After sorting by offset, an overlap always shows up between neighbours.
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        let [(begin, end, before), (next, _, number)] = pair else { continue };
        if next < end && next >= begin {
            let name = input_name(routine, *number);
            let is_known = [before, number].iter().all(|&&n| !is_pseudo(&routine.inputs[n]));
            out.push(Violation {
                code: "input",
                severity: if is_known { Severity::Error } else { Severity::Warning },
                message: format!("input `{name}`: it overlaps the previous input"),
                place: Location::Input(name),
                page: INPUTS.to_owned(),
            });
        }
    }
}

fn input_name(routine: &Routine, number: usize) -> String {
    let Some(input) = routine.inputs.get(number) else { return String::new() };
    let declared = |first: u32| input.id.checked_sub(first).map(|id| id as usize);
    let name = match input.kind.class {
        InputClass::General => {
            declared(predefined::DECLARED).and_then(|i| Some(routine.variables.get(i)?.name_index))
        }
        InputClass::Sampler => routine.samplers.get(input.id as usize).map(|s| s.name_index),
        InputClass::Surface => {
            declared(predefined_surface::DECLARED).and_then(|i| Some(routine.surfaces.get(i)?.name_index))
        }
    };
    name.and_then(|name| routine.string(name)).unwrap_or_else(|| format!("{}", input.id))
}
