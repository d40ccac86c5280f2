//! Directives for the file of a routine: the variables of file scope, and the variables and
//! functions of the file that the routine uses. The vendor's syntax has no such directives; these
//! are extensions.

use std::fmt::{Display, Write as _};

use super::keys::{self, argument, keys, pair, print_directive, print_pair};
use super::scope::{Scope, Uses};
use crate::isa::{
    FileScopeVarInfo, FileScopeVarInfoBitProperties, FunctionRelocSymtab, TextDirective, TextKey, VariableRelocSymtab,
};
use crate::object::{Object, Routine};
use crate::rt::{Bytes, Cursor, TextError, escape};

/// Returns the variables and functions of the file that a routine uses.
pub(super) fn uses(object: &Object, routine: &Routine) -> Uses {
    let kernels = object.kernels.iter().map(|k| (&k.routine, &k.variable_relocations, &k.function_relocations));
    let functions = object.functions.iter().map(|f| (&f.routine, &f.variable_relocations, &f.function_relocations));
    let found = kernels.chain(functions).find(|(r, ..)| std::ptr::eq(*r, routine));
    found.map_or_else(Uses::default, |(_, v, f)| Uses { variables: v.clone(), functions: f.clone() })
}

/// Prints the file's directives for a routine.
pub(super) fn print(out: &mut String, object: &Object, routine: &Routine) {
    for variable in &object.variables {
        let FileScopeVarInfoBitProperties { type_, alignment } = variable.bit_properties;
        let directive = TextDirective::FileVariableLine;
        print_directive(out, directive, &escape(&variable.name.to_text()));
        keys::print(out, keys::all(directive), |out, key| {
            let value: &dyn Display = match key {
                TextKey::KeyLinkage => &variable.linkage.text(),
                TextKey::KeyType => &type_.name(),
                TextKey::KeyElements => &variable.num_elements,
                TextKey::KeyAlignment => &alignment.text(),
                _ => return false,
            };
            write!(out, "{value}").is_ok()
        });
        out.push('\n');
    }
    let Uses { variables, functions } = uses(object, routine);
    for used in variables {
        print_pair(out, TextDirective::UseVariableLine, [used.symbolic_index.into(), used.resolved_index.into()]);
    }
    for used in functions {
        print_pair(out, TextDirective::UseFunctionLine, [used.symbolic_index.into(), used.resolved_index.into()]);
    }
}

/// Parses `.file_variable "NAME" linkage=global type=uw num_elts=2 align=dword`. Each routine of a
/// file repeats all of them.
pub(super) fn variable(scope: &mut Scope, text: &str, at: usize) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    let directive = TextDirective::FileVariableLine;
    let (name, start) = argument(&mut c, directive)?;
    let name = Bytes::from(name.as_str());
    let values = keys(&mut c, directive)?;
    c.end()?;
    let (linkage, num_elements) = (values.linkage, values.number(TextKey::KeyElements)?.unwrap_or_default());
    let bit_properties = FileScopeVarInfoBitProperties { type_: values.data_type, alignment: values.alignment };
    let variable = FileScopeVarInfo { linkage, name, bit_properties, num_elements, ..FileScopeVarInfo::default() };
    let number = scope.file_variables_said;
    scope.file_variables_said += 1;
    match scope.file_variables.get(number) {
        None => scope.file_variables.push(variable),
        Some(known) if *known == variable => {}
        Some(known) => {
            let expected = format!(
                "the file variable `{}` as in the routine above: both routines are in one file",
                known.name.to_text()
            );
            return Err(TextError { at: start, expected });
        }
    }
    Ok(())
}

/// Parses `.use_variable 25=3`: variable 25 of the routine is variable 3 of the file. Functions
/// have a directive of the same form.
pub(super) fn usage(scope: &mut Scope, directive: TextDirective, text: &str, at: usize) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    let (symbolic_index, resolved_index) = pair(&mut c, directive, ["number in the routine", "number in the file"])?;
    c.end()?;
    match directive {
        TextDirective::UseVariableLine => {
            scope.uses.variables.push(VariableRelocSymtab { symbolic_index, resolved_index })
        }
        _ => scope.uses.functions.push(FunctionRelocSymtab { symbolic_index, resolved_index }),
    }
    Ok(())
}
