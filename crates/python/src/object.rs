//! vISA objects and texts.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use visakit::isa::Platform;
use visakit::object::{self, Routine};
use visakit::text::{self, Style};
use visakit::verify;
use visakit_diag::{Diagnostic, Severity};

use crate::error::{Finding, findings, raise, raised, wrong};

/// A vISA object: kernels and functions.
#[pyclass(frozen, module = "visakit")]
pub(crate) struct Object {
    object: object::Object,
    file: String,
    platform: Option<Platform>,
    /// Text that the object was parsed from.
    text: Option<String>,
}

/// Returns the platform of a name.
pub(crate) fn platform(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Platform>> {
    let Some(name) = name else { return Ok(None) };
    Platform::from_name(name).map(Some).ok_or_else(|| {
        let names: Vec<_> = Platform::ALL.iter().map(|platform| platform.name()).collect();
        let help = format!("the platforms are {}", names.join(", "));
        raise(py, wrong("usage-platform", "platform", format!("unknown platform `{name}`"), &help))
    })
}

/// Decodes a vISA object.
#[pyfunction]
#[pyo3(signature = (data, file = "object", platform = None))]
pub(crate) fn decode(py: Python<'_>, data: &[u8], file: &str, platform: Option<&str>) -> PyResult<Object> {
    let platform = self::platform(py, platform)?;
    let object = py.detach(|| object::Object::decode(data)).map_err(|error| {
        let finding = Diagnostic::new(error.code, Severity::Error, file, error.message.clone());
        raise(py, finding.at_offset(error.offset as u64).help(error.help.clone()))
    })?;
    let platform = platform.or(object.platform());
    Ok(Object { object, file: file.to_owned(), platform, text: None })
}

/// Parses a vISA text.
#[pyfunction]
#[pyo3(signature = (text, file = "text", platform = None))]
pub(crate) fn parse(py: Python<'_>, text: &str, file: &str, platform: Option<&str>) -> PyResult<Object> {
    let platform = self::platform(py, platform)?;
    let options = text::Options { file: file.to_owned(), platform };
    let parsed = py.detach(|| text::parse(text, options)).map_err(|all| raised(py, &all))?;
    let text = Some(text.to_owned());
    Ok(Object { object: parsed.into_object(), file: file.to_owned(), platform, text })
}

#[pymethods]
impl Object {
    /// Names of the kernels.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.object.kernels.iter().map(|kernel| kernel.routine.name()).collect()
    }

    /// Names of the functions.
    #[getter]
    fn functions(&self) -> Vec<String> {
        self.object.functions.iter().map(|function| function.routine.name()).collect()
    }

    /// Version of the layout, as (major, minor).
    #[getter]
    fn version(&self) -> (u8, u8) {
        (self.object.version.major, self.object.version.minor)
    }

    /// Name of the platform; `None` if neither the file nor the caller names one.
    #[getter]
    fn platform(&self) -> Option<&'static str> {
        self.platform.map(Platform::name)
    }

    /// Returns the bytes of the object.
    fn encode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.object.encode()).map_err(|error| {
            raise(py, Diagnostic::new("encode", Severity::Error, self.file.clone(), error.to_string()))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns the text of all routines, or of the one with this name.
    #[pyo3(signature = (name = None))]
    fn print(&self, py: Python<'_>, name: Option<&str>) -> PyResult<String> {
        let wanted: Vec<&Routine> =
            self.object.routines().filter(|routine| name.is_none_or(|name| routine.name() == name)).collect();
        if let (Some(name), true) = (name, wanted.is_empty()) {
            let names: Vec<_> = self.object.routines().map(Routine::name).collect();
            let help = format!("its routines are {}", names.join(", "));
            return Err(raise(
                py,
                wrong("kernel-unknown", &self.file, format!("there is no routine `{name}`"), &help),
            ));
        }
        let print = |routine: &&Routine| text::print(&self.object, routine, self.platform, Style::Vendor);
        Ok(py.detach(|| wanted.iter().map(print).collect::<Vec<_>>().concat()))
    }

    /// Checks all routines against the rules of the specification.
    #[pyo3(signature = (platform = None))]
    fn verify(&self, py: Python<'_>, platform: Option<&str>) -> PyResult<Vec<Finding>> {
        let platform = self::platform(py, platform)?.or(self.platform);
        let found = py.detach(|| -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
            let Some(text) = &self.text else {
                let of = |routine| verify::findings(&self.file, routine, platform, None);
                return Ok(self.object.routines().flat_map(of).collect());
            };
            let source = verify::Source::new(text);
            let parsed = text::parse(text, text::Options { file: self.file.clone(), platform })?;
            let of = |(routine, lines)| verify::findings(&self.file, routine, platform, Some((&source, lines)));
            Ok(parsed.routines().flat_map(of).collect())
        });
        let found = found.map_err(|all| raised(py, &all))?;
        Ok(findings(&found))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.print(py, None)
    }

    fn __repr__(&self) -> String {
        let (major, minor) = self.version();
        format!("<Object {}: version {major}.{minor}, kernels {}>", self.file, self.kernels().join(", "))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.encode(py)
    }
}
