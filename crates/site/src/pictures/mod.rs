//! Pictures of what statements do with registers and memory, from their execution by the pages.
//!
//! A statement is executed on tagged data, and the tags show where each element lands. No layout is
//! written here: an edited Semantics section changes the picture.

mod grid;
mod matrix;
mod memory;
mod payload;
mod region;
mod trace;

use visakit::isa::{Instruction, Platform};
use visakit_codegen::model::Model;
use visakit_diag::Diagnostic;
use visakit_machine::thread::Thread;
use visakit_oracle::eval::{self, Assignment, Setting};
use visakit_oracle::stage::Stage;

use crate::drawing::Svg;

/// Statements whose pictures the site shows.
const STATEMENTS: &str = include_str!("statements.txt");

/// Size of the buffer in memory, which begins at the address 2³².
const MEMORY: usize = 1 << 14;

/// Picture of a statement.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Page of the instruction.
    pub page: String,
    /// Statement that was executed.
    pub statement: String,
    /// Platform and variables of the statement.
    pub caption: String,
    /// Drawing.
    pub svg: Svg,
}

/// Draws an instruction. Variables and addresses of `thread` are as before the instruction; a
/// buffer of memory begins at the address 2³². Returns `None` for an instruction without elements
/// in registers.
///
/// # Errors
/// The page does not define the instruction, or it cannot be executed with these variables.
pub fn draw(
    model: &Model,
    stage: &Stage<'_>,
    thread: &Thread,
    instruction: &Instruction,
    setting: Setting,
    statement: &str,
) -> Result<Option<Svg>, String> {
    let program = stage.by_page(model, instruction).map_err(|why| why.to_string())?;
    let register = setting.platform.register_bytes() as usize;
    if let Some(shape) = matrix::Shape::of(instruction) {
        return matrix::draw(&program, thread, &shape, register, statement).map(Some);
    }
    let touches = program.touches();
    if touches.flat && !touches.atomic {
        let scene = trace::Scene { program: &program, thread, memory: MEMORY };
        return memory::draw(&scene, stage, instruction, register, statement);
    }
    if touches.image && !touches.atomic {
        let places = [stage.register_bytes(), register];
        if let Some(svg) = payload::draw(&program, thread, instruction, &stage.starts(), places, statement)? {
            return Ok(Some(svg));
        }
    }
    Ok(region::draw(&program, thread, register, statement))
}

/// Draws the statements of a text as `visa eval` executes it, each from the state before the first.
///
/// # Errors
/// A wrong text, or a statement that cannot be executed.
pub fn of_text(
    model: &Model,
    text: &str,
    variables: &[Assignment],
    setting: Setting,
) -> Result<Vec<Picture>, Box<Diagnostic>> {
    of_wanted(model, text, variables, setting, &|_| true)
}

/// Draws the statements of a text whose instructions are wanted.
fn of_wanted(
    model: &Model,
    text: &str,
    variables: &[Assignment],
    setting: Setting,
    is_wanted: &dyn Fn(&Instruction) -> bool,
) -> Result<Vec<Picture>, Box<Diagnostic>> {
    let mut out = Vec::new();
    eval::prepare(text, variables, setting, &mut |stage, thread, instruction, statement| {
        if !is_wanted(instruction) {
            return Ok(());
        }
        let svg = draw(model, stage, thread, instruction, setting, statement)?;
        let caption = format!("On {}.", setting.platform.name());
        out.extend(svg.map(|svg| Picture {
            page: instruction.page().name.to_owned(),
            statement: statement.to_owned(),
            caption,
            svg,
        }));
        Ok(())
    })?;
    Ok(out)
}

/// Returns the pictures of all pages of the site. A statement that this specification does not have
/// is left out.
pub(crate) fn all(model: &Model) -> Vec<Picture> {
    of_lines(model, None)
}

/// Returns the pictures of a page of the site, in the order of the statements.
pub fn of(model: &Model, page: &str) -> Vec<Picture> {
    of_lines(model, Some(page))
}

fn of_lines(model: &Model, page: Option<&str>) -> Vec<Picture> {
    let rows = STATEMENTS.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| of_line(model, line, page).ok()).flatten().collect()
}

/// Draws a line of [`STATEMENTS`], if it belongs to the page.
fn of_line(model: &Model, line: &str, page: Option<&str>) -> Result<Vec<Picture>, String> {
    let [platform, variables, statement] = line.splitn(3, '|').map(str::trim).collect::<Vec<_>>()[..] else {
        return Err(format!("`{line}` has no three parts"));
    };
    let platform = Platform::from_name(platform).ok_or_else(|| format!("`{platform}` is not a platform"))?;
    let variables = variables.split_whitespace().map(str::parse).collect::<Result<Vec<Assignment>, String>>()?;
    let setting = Setting { platform, cr0: None, active: u32::MAX };
    // Drawing executes the statement many times, so that only wanted ones are drawn.
    let is_wanted = |one: &Instruction| page.is_none_or(|page| one.page().name == page);
    of_wanted(model, statement, &variables, setting, &is_wanted).map_err(|found| found.message.clone())
}

#[cfg(test)]
mod tests;
