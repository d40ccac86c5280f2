//! Linking of modules: each import gets the function or variable of the module that exports it.

use std::collections::BTreeSet;
use std::sync::Arc;

use visakit_runtime::programs::binary::{Binary, Imports};

use crate::base::handle::Handle;
use crate::base::result::*;
use crate::programs::module::Module;

/// Flags of an inspection: what the log lists.
const IMPORTS: u32 = 1;
const UNRESOLVED: u32 = 1 << 1;
const EXPORTS: u32 = 1 << 2;

/// Links the modules that have imports: all of them, or after an error none. Returns the log too.
pub(crate) fn link(modules: &[Handle<Module>]) -> (Result, String) {
    let same_device = |pair: &[Handle<Module>]| Arc::ptr_eq(&pair[0].device, &pair[1].device);
    if !modules.windows(2).all(same_device) {
        return (Err(ERROR_INVALID_ARGUMENT), String::new());
    }
    let (mut linked, mut log) = (Vec::new(), String::new());
    for module in modules.iter().filter(|module| module.is_open()) {
        let made = providers(modules, module).and_then(|others| {
            let program = module.binary.link(&others);
            program.check(module.device.description.target, Imports::Refused)?;
            Ok(program)
        });
        match made {
            Ok(program) => linked.push((module, program)),
            Err(why) => log += &why,
        }
    }
    if !log.is_empty() {
        return (Err(ERROR_MODULE_LINK_FAILURE), log);
    }
    linked.into_iter().for_each(|(module, program)| module.set_program(program));
    (Ok(()), log)
}

/// Returns the programs that a module imports from, directly and indirectly, or the log.
fn providers(modules: &[Handle<Module>], module: &Module) -> std::result::Result<Vec<Arc<Binary>>, String> {
    let (mut found, mut log): (Vec<Arc<Binary>>, _) = (Vec::new(), String::new());
    let mut wanted: Vec<String> = names(&module.binary);
    let mut seen = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let exporting: Vec<_> = modules
            .iter()
            .map(|other| &other.binary)
            .filter(|other| other.exports().any(|own| own == name))
            .collect();
        match exporting.as_slice() {
            [] => log += &format!("error: undefined reference to `{name}`\n"),
            [only] if Arc::ptr_eq(only, &module.binary) => {}
            [only] => {
                if !found.iter().any(|other| Arc::ptr_eq(other, only)) {
                    found.push(Arc::clone(only));
                    wanted.extend(names(only));
                }
            }
            _ => log += &format!("error: {} modules export `{name}`\n", exporting.len()),
        }
    }
    if log.is_empty() { Ok(found) } else { Err(log) }
}

fn names(binary: &Binary) -> Vec<String> {
    binary.imports().into_iter().map(str::to_owned).collect()
}

/// Returns the lists of imports and exports that the flags select.
pub(crate) fn inspect(flags: u32, modules: &[Handle<Module>]) -> String {
    let imports: BTreeSet<&str> = modules.iter().flat_map(|module| module.binary.imports()).collect();
    let exports: BTreeSet<&str> = modules.iter().flat_map(|module| module.binary.exports()).collect();
    let unresolved: BTreeSet<&str> = imports.difference(&exports).copied().collect();
    let lists = [
        (IMPORTS, "imports", imports),
        (UNRESOLVED, "unresolvable imports", unresolved),
        (EXPORTS, "exports", exports),
    ];
    let selected = lists.into_iter().filter(|(flag, ..)| flags & flag != 0);
    selected
        .map(|(_, title, names)| format!("{title}: {}\n", names.into_iter().collect::<Vec<_>>().join(", ")))
        .collect()
}
