//! Our specification with a few edits that keep it valid.

use arbitrary::{Result, Unstructured};
use visakit::isa::PAGES;
use visakit::rt::reflect::PageKind;
use visakit::sources::SPECIFICATION;

/// Folder of the instruction pages.
const INSTRUCTIONS: &str = "instructions/";
/// Index of the instruction pages.
const INDEX: &str = "6_instructions.md";

/// Draws edited pages. Returns their paths and texts, and the number of edits that change facts.
///
/// # Errors
/// No input causes an error.
pub fn folder(u: &mut Unstructured<'_>) -> Result<(Vec<(String, String)>, usize)> {
    let mut pages: Vec<(String, String)> =
        SPECIFICATION.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned())).collect();
    let mut changes = 0;
    for n in 0..u.int_in_range(0..=6)? {
        let all: Vec<usize> = (0..pages.len()).filter(|at| pages[*at].0.starts_with(INSTRUCTIONS)).collect();
        let at = *u.choose(&all)?;
        // An earlier edit may have changed the line ends, which would hide lines from the next
        // edit.
        pages[at].1 = pages[at].1.replace("\r\n", "\n");
        let changed = match u.int_in_range(0..=5)? {
            0 => copied(u, &mut pages, at, n)?,
            1 => narrowed(u, &mut pages[at].1)?,
            2 => moved(u, &mut pages, at)?,
            3 => saturated(&mut pages[at].1),
            4 => said(&mut pages[at].1),
            _ => spaced(u, &mut pages[at].1)?,
        };
        changes += usize::from(changed);
    }
    Ok((pages, changes))
}

/// Draws an unused opcode.
fn free_opcode(u: &mut Unstructured<'_>, pages: &[(String, String)]) -> Result<Option<u8>> {
    // Includes the opcodes taken by earlier edits.
    let taken = |opcode: &u8| pages.iter().any(|(_, text)| text.contains(&format!("= 0x{opcode:02x}")));
    let free: Vec<u8> = (1..=u8::MAX).filter(|o| PAGES.iter().all(|p| p.opcode != *o) && !taken(o)).collect();
    if free.is_empty() { Ok(None) } else { u.choose(&free).map(|o| Some(*o)) }
}

/// Returns the page of an instruction by its file, if no other page shares its opcode.
fn alone(path: &str) -> Option<&'static visakit::rt::reflect::Page> {
    let page = PAGES.iter().find(|page| page.path == path)?;
    let own = matches!(page.kind, PageKind::Ordinary | PageKind::Undefined) && page.sub_opcode.is_none();
    (own && PAGES.iter().filter(|p| p.opcode == page.opcode).count() == 1).then_some(page)
}

/// Moves a page to another opcode.
fn moved(u: &mut Unstructured<'_>, pages: &mut [(String, String)], at: usize) -> Result<bool> {
    let (Some(of), Some(opcode)) = (alone(&pages[at].0), free_opcode(u, pages)?) else { return Ok(false) };
    let page = &mut pages[at];
    let (old, new) = (format!("0x{:02x}", of.opcode), format!("0x{opcode:02x}"));
    let text = page
        .1
        .replace(&format!("{old}("), &format!("{new}("))
        .replace(&format!(" = {old}\n"), &format!(" = {new}\n"));
    let changed = text != page.1;
    page.1 = text;
    Ok(changed)
}

/// Adds a copy of a page with a new name and opcode.
fn copied(u: &mut Unstructured<'_>, pages: &mut Vec<(String, String)>, at: usize, n: usize) -> Result<bool> {
    let (Some(of), Some(opcode)) = (alone(&pages[at].0), free_opcode(u, pages)?) else { return Ok(false) };
    let name = format!("{}_{}", of.name, ["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX"][n % 6]);
    let (old, new) = (format!("0x{:02x}({})", of.opcode, of.name), format!("0x{opcode:02x}({name})"));
    let head = format!("  {} = 0x{:02x}\n", of.name, of.opcode);
    let text = pages[at].1.replace(&old, &new).replace(&head, &format!("  {name} = 0x{opcode:02x}\n"));
    // The index records the platforms of each page.
    let link = format!("- [{} - ", of.name);
    let Some(index) = pages.iter().position(|(path, _)| path == INDEX) else { return Ok(false) };
    let Some(line) = pages[index].1.lines().find(|line| line.starts_with(&link)).map(str::to_owned) else {
        return Ok(false);
    };
    let own =
        line.replace(&link, &format!("- [{name} - ")).replace(&format!("{}.md", of.name), &format!("{name}.md"));
    pages[index].1 = pages[index].1.replace(&line, &format!("{line}\n{own}"));
    pages.push((format!("{INSTRUCTIONS}{name}.md"), text));
    Ok(true)
}

/// Shrinks the range of a number on a page.
fn narrowed(u: &mut Unstructured<'_>, text: &mut String) -> Result<bool> {
    const PHRASE: &str = "Valid values are [0-";
    let Some(at) = text.find(PHRASE).map(|at| at + PHRASE.len()) else { return Ok(false) };
    let Some(most) = text[at..].split(']').next().and_then(|n| n.parse::<u64>().ok()) else { return Ok(false) };
    let less = u.int_in_range(0..=most)?;
    text.replace_range(at..at + most.to_string().len(), &less.to_string());
    Ok(less != most)
}

/// Removes saturation from a page's destination.
fn saturated(text: &mut String) -> bool {
    let changed = text.replace("- **Saturation:** Yes", "- **Saturation:** No");
    let differs = changed != *text;
    *text = changed;
    differs
}

/// Adds prose to a page.
fn said(text: &mut String) -> bool {
    match text.contains("## Notes") {
        true => *text += "\nNothing else is known of it.\n",
        false if !text.contains("## Examples") => *text += "\n## Notes\n\nNothing else is known of it.\n",
        false => {}
    }
    false
}

/// Changes the line ends and blanks of a page, as another editor might.
fn spaced(u: &mut Unstructured<'_>, text: &mut String) -> Result<bool> {
    match u.int_in_range(0..=2)? {
        0 => *text = text.replace('\n', "\r\n"),
        1 if text.starts_with('\u{feff}') => {}
        1 => text.insert(0, '\u{feff}'),
        _ => *text = text.replace("\n\n## ", "\n\n\n## "),
    }
    Ok(false)
}
