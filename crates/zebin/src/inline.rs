//! Inline vISA: renaming of the variables that its blocks declare.
//!
//! A block in braces is a scope. The vendor's compiler respects the scope but drops the braces from
//! the text that it prints. Two blocks that declare the same name, or one unrolled block, therefore
//! yield a text that declares a name twice. A module that is compiled here gets unique names. In an
//! existing text, equal declarations are merged.

use std::borrow::Cow;
use std::collections::HashMap;

use super::archive;
use super::spirv::{self, Module};

/// Opcode of SPIR-V's inline assembly. Operands: result type, result, type, target, text,
/// constraints.
const ASM_INTEL: u32 = 5610;
/// Number of words before the text.
const BEFORE_TEXT: usize = 5;
/// First word of a module.
const MAGIC: u32 = 0x0723_0203;
/// Number of words before a module's first instruction.
const HEADER: usize = 5;
/// Number unique to each use of a block, as the compiler's front end writes `%=`.
const UNIQUE: &str = "${:uid}";
/// Directive of a declaration, and the comment of the same length that replaces it.
const DECLARATION: &str = ".decl ";
const REPEATED: &str = "//dup ";

/// Returns the module for compiling a program again with unique names: the program's own SPIR-V.
/// Returns `None` unless one of its texts declares a name twice.
pub fn module_with_unique_names(program: &[u8]) -> Option<Module> {
    if !is_ambiguous(program) {
        return None;
    }
    let mut module = spirv::find(program, None)?;
    module.bytes = with_unique_names(&module.bytes)?;
    Some(module)
}

/// Returns true if a text in a zebin or in an archive of zebins declares a name twice.
fn is_ambiguous(program: &[u8]) -> bool {
    archive::any_zebin(program, |zebin| zebin.texts.iter().any(|text| declares_twice(&text.text)))
}

/// Returns a module for the compiler with unique names in its inline vISA blocks.
pub fn unique(module: &[u8]) -> Cow<'_, [u8]> {
    with_unique_names(module).map_or(Cow::Borrowed(module), Cow::Owned)
}

/// Returns a SPIR-V module with unique names in its inline vISA blocks. Returns `None` if nothing
/// changes.
fn with_unique_names(module: &[u8]) -> Option<Vec<u8>> {
    let (words, rest) = module.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    if words.first() != Some(&MAGIC) || !rest.is_empty() {
        return None;
    }
    let (mut out, mut at, mut is_changed) = (words.get(..HEADER)?.to_vec(), HEADER, false);
    while let Some(&first) = words.get(at) {
        let count = (first >> 16) as usize;
        let instruction = words.get(at..at + count.max(1))?;
        at += count.max(1);
        match renamed(instruction) {
            Some(renamed) => {
                out.extend(renamed);
                is_changed = true;
            }
            None => out.extend(instruction),
        }
    }
    is_changed.then(|| out.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// Returns an inline assembly instruction with its names changed; `None` if nothing changes.
fn renamed(instruction: &[u32]) -> Option<Vec<u32>> {
    let (head, operands) = instruction.split_at_checked(BEFORE_TEXT)?;
    let (first, fixed) = head.split_first().filter(|(first, _)| *first & 0xffff == ASM_INTEL)?;
    // The text fills whole words; the last word contains its final zero.
    let is_last = |word: &u32| word.to_le_bytes().contains(&0);
    let (words, rest) = operands.split_at_checked(operands.iter().position(is_last)? + 1)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = std::str::from_utf8(bytes.split(|byte| *byte == 0).next()?).ok()?;
    let text = with_unique_names_in(text)?;
    let mut bytes = text.into_bytes();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    let text = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    let operands: Vec<u32> = fixed.iter().copied().chain(text).chain(rest.iter().copied()).collect();
    let count = u32::try_from(operands.len() + 1).ok().filter(|count| *count <= 0xffff)?;
    Some([&[count << 16 | first & 0xffff], operands.as_slice()].concat())
}

/// Returns a block's text with unique names for the variables declared within braces; `None` if no
/// variable is.
fn with_unique_names_in(text: &str) -> Option<String> {
    let mut names = Names::default();
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let (line, next) = rest.split_at(end);
        names.line(line, &mut out);
        rest = next;
    }
    names.is_changed.then_some(out)
}

/// Declared names at a position of the text.
#[derive(Default)]
struct Names {
    /// New names of each open scope, by the old names.
    open: Vec<HashMap<String, String>>,
    /// Number of declarations per name in the text so far.
    counts: HashMap<String, u32>,
    is_changed: bool,
}

impl Names {
    fn new_name(&self, name: &str) -> Option<&String> {
        self.open.iter().rev().find_map(|names| names.get(name))
    }

    /// Declares a name in the innermost scope. A name outside all braces belongs to all blocks of
    /// the function and is kept.
    fn declare(&mut self, name: &str) {
        let Some(names) = self.open.last_mut() else { return };
        let count = self.counts.entry(name.to_owned()).or_default();
        let nested = if *count == 0 { String::new() } else { format!("_{count}") };
        *count += 1;
        names.insert(name.to_owned(), format!("{name}{nested}{UNIQUE}"));
        self.is_changed = true;
    }

    /// Copies a line with the new names. A line holds one statement, possibly with braces around
    /// it.
    fn line(&mut self, line: &str, out: &mut String) {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut at, mut before) = (0, ' ');
        // The first word of a statement is an opcode or a label, never a variable.
        let (mut is_first, mut parentheses) = (true, 0_u32);
        let mut is_declaration = false;
        while let Some(c) = line[at..].chars().next() {
            let rest = &line[at..];
            if rest.starts_with("//") {
                out.push_str(rest);
                return;
            }
            if rest.starts_with("${") {
                // Skips an operand with a modifier, or the unique number of the use.
                let end = rest.find('}').map_or(rest.len(), |end| end + 1);
                out.push_str(&rest[..end]);
                (at, before) = (at + end, '}');
                continue;
            }
            if is_first && rest.starts_with(DECLARATION.trim_end()) {
                let end = DECLARATION.len() - 1;
                let blanks = rest[end..].len() - rest[end..].trim_start().len();
                let name: String = rest[end + blanks..].chars().take_while(|c| is_word(*c)).collect();
                let behind = &rest[end + blanks + name.len()..];
                out.push_str(&rest[..end + blanks]);
                if !name.is_empty() && behind.starts_with([' ', '\t']) {
                    self.declare(&name);
                }
                let new = self.new_name(&name).filter(|_| behind.starts_with([' ', '\t']));
                out.push_str(new.unwrap_or(&name));
                (is_first, is_declaration, before) = (false, true, ' ');
                at += end + blanks + name.len();
                continue;
            }
            if c.is_ascii_alphabetic() || c == '_' {
                let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
                let is_opcode = is_first && parentheses == 0;
                is_first &= !is_opcode;
                let behind = &rest[word.len()..];
                // Skips types, suffixes, predefined names, operands and keys. In a declaration, the
                // only variable is an alias.
                let is_other = is_word(before) || "%.:$#@\"".contains(before) || behind.starts_with(UNIQUE);
                let is_key = is_declaration && before != '<';
                match self.new_name(&word).filter(|_| !is_opcode && !is_other && !is_key) {
                    Some(new) => out.push_str(new),
                    None => out.push_str(&word),
                }
                at += word.len();
                before = 'a';
                continue;
            }
            match c {
                '{' => self.open.push(HashMap::new()),
                '}' => {
                    self.open.pop();
                }
                '(' => parentheses += 1,
                ')' => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            // A brace starts a new statement.
            is_first |= matches!(c, '{' | '}');
            is_declaration &= !is_first;
            out.push(c);
            if !c.is_whitespace() || before != '<' {
                before = c;
            }
            at += c.len_utf8();
        }
    }
}

/// Merges equal declarations of a name: later ones become comments of the same length.
///
/// The compiler names each of its own variables once. A name that is declared twice comes from two
/// blocks. Each block writes the variable before it reads it, because the initial value is
/// undefined.
pub(crate) fn merge_declarations(text: String) -> String {
    if !declares_twice(&text) {
        return text;
    }
    let mut seen: HashMap<&str, &str> = HashMap::new();
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let is_again = declared(line).is_some_and(|(name, rest)| {
            let first = *seen.entry(name).or_insert(rest);
            !std::ptr::eq(first, rest) && first == rest && !rest.contains("alias=") && !is_compilers_own(name)
        });
        match is_again {
            true => out.push_str(&line.replacen(DECLARATION, REPEATED, 1)),
            false => out.push_str(line),
        }
    }
    out
}

/// Returns true if a text declares a name more than once, or did so before its declarations were
/// merged.
fn declares_twice(text: &str) -> bool {
    let mut seen = std::collections::HashSet::new();
    text.lines().any(|line| line.starts_with(REPEATED) || declared(line).is_some_and(|(name, _)| !seen.insert(name)))
}

/// Returns the name that a line declares, and the rest of the declaration.
fn declared(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.trim_start().strip_prefix(DECLARATION)?.trim_start().split_once(' ')?;
    Some((name, rest.trim()))
}

/// Returns true for names of the compiler's own form: a capital letter and a number.
fn is_compilers_own(name: &str) -> bool {
    let number = name.strip_prefix(['V', 'P', 'A', 'S', 'T']);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_braces_are_unique() {
        let text = "{\n.decl t v_type=G type=d num_elts=16 align=GRF\n.decl d v_type=G type=ud num_elts=16 alias=<t,0>\n\
                    .decl P v_type=P num_elts=16\n(P) mul (M1,16) t(0,0)<1> $1(0,0)<1;1,0> d(0,0)<1;1,0>\n\
                    add (M1,16) $0(0,0)<1> t(0,0)<1;1,0> 0x1:d // t\nlsc_load.ugm (M1,16) t.0:d32 flat[d]:a64\n\
                    mov (M1,16) %t(0,0)<1> tt(0,0)<1;1,0>\n}\n";
        let wanted = "{\n.decl t${:uid} v_type=G type=d num_elts=16 align=GRF\n\
                      .decl d${:uid} v_type=G type=ud num_elts=16 alias=<t${:uid},0>\n.decl P${:uid} v_type=P num_elts=16\n\
                      (P${:uid}) mul (M1,16) t${:uid}(0,0)<1> $1(0,0)<1;1,0> d${:uid}(0,0)<1;1,0>\n\
                      add (M1,16) $0(0,0)<1> t${:uid}(0,0)<1;1,0> 0x1:d // t\n\
                      lsc_load.ugm (M1,16) t${:uid}.0:d32 flat[d${:uid}]:a64\nmov (M1,16) %t(0,0)<1> tt(0,0)<1;1,0>\n}\n";
        assert_eq!(with_unique_names_in(text).as_deref(), Some(wanted));
        // Unique names stay, and so do names that belong to the function.
        assert_eq!(with_unique_names_in(wanted), None);
        assert_eq!(with_unique_names_in(".decl t v_type=G type=d num_elts=16\nmov (M1,16) t(0,0)<1> 0x1:d\n"), None);
        assert_eq!(with_unique_names_in("add (M1,16) $0(0,0)<1> $1(0,0)<1;1,0> 0x1:d"), None);
    }

    #[test]
    fn braces_in_braces_have_names_of_their_own() {
        let text = "{ .decl t v_type=G type=d num_elts=8\n{\n.decl t v_type=G type=f num_elts=8\nmov (M1,8) t(0,0)<1> 0x1:f }\n\
                    mov (M1,8) $0(0,0)<1> t(0,0)<1;1,0>\n}";
        let wanted = "{ .decl t${:uid} v_type=G type=d num_elts=8\n{\n.decl t_1${:uid} v_type=G type=f num_elts=8\n\
                      mov (M1,8) t_1${:uid}(0,0)<1> 0x1:f }\nmov (M1,8) $0(0,0)<1> t${:uid}(0,0)<1;1,0>\n}";
        assert_eq!(with_unique_names_in(text).as_deref(), Some(wanted));
    }

    #[test]
    fn modules_keep_all_else() {
        let text = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.resize((bytes.len() / 4 + 1) * 4, 0);
            bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>()
        };
        let module = |asm: &str| {
            let mut instruction = [&[0, 1, 2, 3, 4][..], &text(asm), &text("=rw,rw")].concat();
            instruction[0] = (instruction.len() as u32) << 16 | ASM_INTEL;
            let words = [&[MAGIC, 0x1_0000, 0, 20, 0, 2 << 16 | 17, 6][..], &instruction, &[1 << 16 | 56]].concat();
            words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>()
        };
        let before = module("{\n.decl ab v_type=G type=d num_elts=8\n}");
        assert_eq!(with_unique_names(&before), Some(module("{\n.decl ab${:uid} v_type=G type=d num_elts=8\n}")));
        assert_eq!(with_unique_names(&module("nop")), None);
        for end in 0..before.len() {
            with_unique_names(&before[..end]);
        }
        let mut empty = before.clone();
        empty[HEADER * 4..HEADER * 4 + 4].fill(0);
        with_unique_names(&empty);
    }

    #[test]
    fn equal_declarations_count_as_one() {
        let text = ".kernel \"k\"\n.decl V0044 v_type=G type=d num_elts=16 align=GRF\n.decl t v_type=G type=d num_elts=16 align=GRF\n\
                    .decl t v_type=G type=d num_elts=16 align=GRF\nadd t t\n";
        let merged = merge_declarations(text.to_owned());
        assert!(declares_twice(text) && declares_twice(&merged));
        assert_eq!(
            merged,
            text.replacen("align=GRF\n.decl t v", "align=GRF\n//dup t v", 2).replacen("//dup", ".decl", 1)
        );
        for other in ["type=f num_elts=16", "type=d num_elts=8", "type=d num_elts=16 alias=<V0044, 0>"] {
            let text = format!(".decl t v_type=G type=d num_elts=16\n.decl t v_type=G {other}\n");
            assert_eq!(merge_declarations(text.clone()), text);
        }
        let own = ".decl V0044 v_type=G type=d num_elts=16\n.decl V0044 v_type=G type=d num_elts=16\n";
        assert_eq!(merge_declarations(own.to_owned()), own);
    }
}
