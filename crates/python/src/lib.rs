//! The module `_visakit`, on which the Python package in `python/` is built.
//!
//! It passes bytes, texts and plain tuples. Arrays, files and the vendor's compiler belong to the
//! package.

mod error;
mod eval;
mod launch;
mod object;
mod program;

use pyo3::prelude::*;

/// Functions of visakit for its Python package.
#[pymodule]
fn _visakit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("VisakitError", module.py().get_type::<error::VisakitError>())?;
    module.add_class::<error::Finding>()?;
    module.add_class::<object::Object>()?;
    module.add_class::<program::Program>()?;
    module.add_function(wrap_pyfunction!(object::decode, module)?)?;
    module.add_function(wrap_pyfunction!(object::parse, module)?)?;
    module.add_function(wrap_pyfunction!(program::load_program, module)?)?;
    module.add_function(wrap_pyfunction!(program::lacks_visa, module)?)?;
    module.add_function(wrap_pyfunction!(launch::texel_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(error::error, module)?)?;
    module.add_function(wrap_pyfunction!(eval::evaluate, module)?)
}
