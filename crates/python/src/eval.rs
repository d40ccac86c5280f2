//! Execution of single statements.

use std::sync::LazyLock;

use pyo3::prelude::*;
use visakit::isa::Platform;
use visakit_codegen::model::{Model, Page};
use visakit_oracle::eval::{self, Assignment, By, Setting};

use crate::error::{raise, wrong};
use crate::object::platform;

/// Model of the pages in this module.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    visakit_codegen::read_unchecked(visakit::sources::SPECIFICATION.iter().map(Page::built_in).collect())
});

/// Values of an operand: its name, its type, whether it is written, and a text for each channel
/// before the statement, by the page and by the kernel.
type Operand = (&'static str, &'static str, bool, [Vec<Option<String>>; 3]);
/// Statement with its page, its operands, the next position of the channels by the page and by the
/// kernel, and whether these two differ.
type Statement = (String, String, Vec<Operand>, [Option<String>; 2], bool);

/// Executes statements on given values.
#[pyfunction]
#[pyo3(signature = (text, variables, by = "both", platform = None, cr0 = None, active = u32::MAX))]
pub(crate) fn evaluate(
    py: Python<'_>,
    text: &str,
    variables: Vec<String>,
    by: &str,
    platform: Option<&str>,
    cr0: Option<u32>,
    active: u32,
) -> PyResult<Vec<Statement>> {
    let refuse = |place: &str, message: String, help: &str| raise(py, wrong("usage", place, message, help));
    let unknown = || refuse("by", format!("`{by}` executes nothing"), "write page, kernel or both");
    let by = By::from_name(by).ok_or_else(unknown)?;
    let parse = |text: &String| {
        let help = "write NAME=TYPE:VALUES, such as A=d:1,2";
        text.parse::<Assignment>().map_err(|message| refuse(text, message, help))
    };
    let variables = variables.iter().map(parse).collect::<PyResult<Vec<_>>>()?;
    let platform = self::platform(py, platform)?.unwrap_or_else(default_platform);
    let setting = Setting { platform, cr0, active };
    let all = py.detach(|| eval::evaluate(&MODEL, text, &variables, setting, by)).map_err(|e| raise(py, *e))?;
    let statement = |one: eval::Evaluated| {
        let column = |o: usize, which: usize| one.rows.iter().map(|row| row[which][o].clone()).collect();
        let operands = one.operands.iter().enumerate().map(|(o, shown)| {
            (shown.name, shown.data_type, shown.written, std::array::from_fn(|which| column(o, which)))
        });
        let operands = operands.collect();
        let sent = one.sent.each_ref().map(|sent| sent.as_ref().map(ToString::to_string));
        (one.text, one.page, operands, sent, one.differs)
    };
    Ok(all.into_iter().map(statement).collect())
}

/// Returns the platform of statements without a given one.
pub(crate) fn default_platform() -> Platform {
    Platform::default()
}
