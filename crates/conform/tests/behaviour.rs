//! Pages against kernels, and the judge of both: wrong pages and wrong kernels are found.

use std::time::Instant;

use visakit_conform::behaviour::{Difference, Effort, compare};
use visakit_conform::own_model;

fn listed(differences: &[Difference]) -> String {
    differences
        .iter()
        .map(|d| {
            format!("{}: {}\n    page {} kernel {}  {}:{}\n", d.name, d.case(), d.page, d.kernel, d.file, d.line)
        })
        .collect()
}

#[test]
fn pages_and_kernels_agree() {
    let model = match std::env::var_os("PAGES") {
        Some(dir) => visakit_codegen::read_dir(std::path::Path::new(&dir)).unwrap().0,
        None => own_model().0,
    };
    let start = Instant::now();
    let found = compare(&model, &Effort::QUICK);
    for (name, channels) in &found.compared {
        println!("{name}: {channels}");
    }
    for (name, why) in &found.apart {
        println!("{name}: {why}");
    }
    println!("{} compared, {} apart, {:?}", found.compared.len(), found.apart.len(), start.elapsed());
    assert!(found.differences.is_empty(), "{}", listed(&found.differences));
}
