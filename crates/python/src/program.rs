//! Programs that can be launched.

use pyo3::prelude::*;
use visakit_diag::Diagnostic;
use visakit_emulator::launch::argument::{Parameter, ParameterKind};
use visakit_emulator::run;
use visakit_emulator::run::load::{Selection, from_object, from_text, from_zebins};
use visakit_zebin::{Zebin, archive, spirv};

use crate::error::{raised, wrong};
use crate::eval::default_platform;
use crate::object::platform;

/// A kernel with the layout of its arguments.
#[pyclass(frozen, module = "visakit")]
pub(crate) struct Program {
    pub(crate) program: run::Program,
}

/// Loads a kernel from a zebin, an archive of zebins, a vISA text or a vISA object. `layout` is the
/// zebin of the same kernel for a text or an object.
#[pyfunction(name = "load")]
#[pyo3(signature = (data, file, kernel = None, platform = None, layout = None))]
pub(crate) fn load_program(
    py: Python<'_>,
    data: &[u8],
    file: &str,
    kernel: Option<&str>,
    platform: Option<&str>,
    layout: Option<&[u8]>,
) -> PyResult<Program> {
    let platform = self::platform(py, platform)?;
    let load = || {
        if Zebin::is_elf(data) {
            let zebin = Zebin::parse(file, data).map_err(|e| vec![*e])?;
            return run::Program::from_zebin(&zebin, kernel, platform);
        }
        if archive::is_archive(data) {
            return from_zebins(file, &zebins(file, data)?, kernel, platform);
        }
        let layout = layout.map(|bytes| Zebin::parse("layout", bytes)).transpose().map_err(|e| vec![*e])?;
        let platform = platform.or(layout.as_ref().and_then(run::Program::platform_of));
        let selection = Selection { layout: layout.as_ref(), given: &[], kernel, platform, assume: default_platform };
        match data.starts_with(b"CISA") {
            true => from_object(file, data, selection),
            false => from_text(file, data.to_vec(), selection),
        }
    };
    let program = py.detach(load).map_err(|all| raised(py, &all))?;
    Ok(Program { program })
}

/// Returns true if a file must be compiled before it is loaded: SPIR-V, or a zebin or an archive
/// without vISA.
#[pyfunction]
pub(crate) fn lacks_visa(data: &[u8]) -> bool {
    if spirv::is_module(data) {
        return true;
    }
    let is_container = Zebin::is_elf(data) || archive::is_archive(data);
    is_container && zebins("", data).is_ok_and(|all| all.iter().all(|zebin| zebin.texts.is_empty()))
}

/// Returns the zebins of a file: the file itself, or the members of an archive.
fn zebins(file: &str, data: &[u8]) -> Result<Vec<Zebin>, Vec<Diagnostic>> {
    if Zebin::is_elf(data) {
        return Ok(vec![Zebin::parse(file, data).map_err(|e| vec![*e])?]);
    }
    let mut all = Vec::new();
    for member in archive::members(data) {
        let damaged = |damage: archive::Damage| {
            vec![wrong("archive", file, damage.what, "the file is damaged").at_offset(damage.offset)]
        };
        let (name, data) = member.map_err(damaged)?;
        if Zebin::is_elf(data) && !spirv::is_generic(data) {
            all.push(Zebin::parse(&format!("{file}({name})"), data).map_err(|e| vec![*e])?);
        }
    }
    Ok(all)
}

#[pymethods]
impl Program {
    /// Name of the kernel.
    #[getter]
    fn kernel(&self) -> &str {
        &self.program.info.name
    }

    /// Name of the platform.
    #[getter]
    fn platform(&self) -> &'static str {
        self.program.platform.name()
    }

    /// vISA text of the kernel; `None` if it came from an object.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.program.text.as_deref()
    }

    /// Number of work items of a hardware thread.
    #[getter]
    fn simd_size(&self) -> u32 {
        self.program.info.execution_env.simd_size
    }

    /// Local size that the kernel requires; `None` if any size is allowed.
    #[getter]
    fn required_local_size(&self) -> Option<[u32; 3]> {
        Some(self.program.required_local_size()).filter(|size| size[0] != 0)
    }

    /// Parameters of the kernel: index, name, type and kind.
    #[getter]
    fn parameters(&self) -> Vec<(u32, String, String, &'static str)> {
        let of = |parameter: Parameter| {
            let kind = match parameter.kind {
                ParameterKind::Buffer => "buffer",
                ParameterKind::Local => "local",
                ParameterKind::Value(_) => "value",
                ParameterKind::Image { .. } => "image",
                ParameterKind::Sampler => "sampler",
                ParameterKind::Unknown => "unused",
            };
            (parameter.index, parameter.name, parameter.type_name, kind)
        };
        self.program.parameters().into_iter().map(of).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Program {}: kernel {} for {}>", self.program.file, self.kernel(), self.platform())
    }
}
