//! Declarations of a text with their scopes, as the parser resolves them, also for broken texts.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use visakit::isa::{DeclaredClass, TextDirective, TextKey};
use visakit::text::TokenKind;

use crate::chunk::{Chunk, Head, Token};

/// Namespace of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Variables of all classes.
    Variable,
    /// Labels of blocks.
    Label,
    /// Labels of subroutines, which only calls name.
    Subroutine,
}

/// Declaration of a name.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Name.
    pub name: String,
    /// Namespace.
    pub space: Space,
    /// Class of a variable, if the text names one.
    pub class: Option<DeclaredClass>,
    /// Chunk of the declaration.
    pub chunk: usize,
    /// Byte range of the name in its chunk.
    pub bytes: Range<usize>,
    /// Chunks in which the name is visible.
    pub scope: Range<usize>,
}

/// Kernel or function.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Name.
    pub name: String,
    /// Chunk of its directive.
    pub chunk: usize,
    /// Byte range of the name in that chunk.
    pub bytes: Range<usize>,
    /// Chunks of the routine.
    pub chunks: Range<usize>,
}

/// Declarations and blocks of a text.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Declarations in the order of the text.
    pub declarations: Vec<Declaration>,
    /// Kernels and functions in the order of the text.
    pub routines: Vec<Routine>,
    /// Blocks in braces, as ranges of chunks that include both braces.
    pub blocks: Vec<Range<usize>>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Outline {
    /// Collects the declarations of a text.
    pub fn new(chunks: &[Arc<Chunk>]) -> Self {
        let mut out = Self::default();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut routine = 0;
        for (at, chunk) in chunks.iter().enumerate() {
            let head = chunk.head();
            if let Head::Directive(Some(directive)) = head
                && begins_routine(*directive)
            {
                // The first routine includes the lines before its name.
                let start = if out.routines.is_empty() { 0 } else { at };
                out.end_routine(routine, start);
                routine = out.declarations.len();
                open.clear();
                let (name, bytes) = argument(chunk).unwrap_or_default();
                out.routines.push(Routine { name, chunk: at, bytes, chunks: start..chunks.len() });
            }
            let (opened, closed) = chunk.braces();
            open.extend(std::iter::repeat_n((at, out.declarations.len()), opened));
            out.declare(at, chunk, head, chunks.len());
            for _ in 0..closed {
                let Some((begin, first)) = open.pop() else { break };
                out.blocks.push(begin..at + 1);
                let inner = out.declarations[first..].iter_mut().filter(|one| one.space == Space::Variable);
                inner.for_each(|one| one.scope.end = one.scope.end.min(at + 1));
            }
        }
        for (at, one) in out.declarations.iter().enumerate() {
            out.by_name.entry(one.name.clone()).or_default().push(at);
        }
        out
    }

    /// Ends the scopes of the routine whose declarations begin at `first`.
    fn end_routine(&mut self, first: usize, end: usize) {
        if let Some(last) = self.routines.last_mut() {
            last.chunks.end = end;
            let inner = self.declarations.get_mut(first..).unwrap_or_default();
            inner.iter_mut().for_each(|one| one.scope.end = one.scope.end.min(end));
        }
    }

    fn declare(&mut self, at: usize, chunk: &Chunk, head: &Head, end: usize) {
        let begin = self.routines.last().map_or(0, |routine| routine.chunks.start);
        let (space, found) = match head {
            Head::Directive(Some(TextDirective::DeclLine)) => (Space::Variable, argument(chunk)),
            Head::Directive(Some(TextDirective::FunctionLine)) => (Space::Subroutine, argument(chunk)),
            Head::Label(token) => {
                let token = &chunk.tokens[*token];
                (Space::Label, Some((chunk.word(token).to_owned(), token.range())))
            }
            _ => return,
        };
        let Some((name, bytes)) = found.filter(|(name, _)| !name.is_empty()) else { return };
        // A label after the directive of its subroutine has no effect.
        let known =
            |one: &Declaration| one.space == Space::Subroutine && one.name == name && one.scope.start == begin;
        if space == Space::Label && self.declarations.iter().rev().take(8).any(known) {
            return;
        }
        let class = (space == Space::Variable).then(|| class(chunk)).flatten();
        // Labels are visible before they are placed.
        let start = if space == Space::Variable { at } else { begin };
        self.declarations.push(Declaration { name, space, class, chunk: at, bytes, scope: start..end });
    }

    /// Returns the routine that contains a chunk.
    pub fn routine(&self, chunk: usize) -> Option<&Routine> {
        let next = self.routines.partition_point(|routine| routine.chunks.start <= chunk);
        self.routines.get(next.checked_sub(1)?)
    }

    /// Returns the declaration of a name that is used in a chunk.
    pub fn resolve(&self, name: &str, space: Space, chunk: usize) -> Option<usize> {
        self.resolve_in(self.by_name.get(name)?, space, chunk)
    }

    /// Chooses from the declarations of a name the last one that is visible in a chunk.
    fn resolve_in(&self, all: &[usize], space: Space, chunk: usize) -> Option<usize> {
        // Only declarations of the same routine are visible.
        let routine = self.routine(chunk).map(|routine| routine.chunks.clone());
        let within = routine.map_or(0..all.len(), |chunks| {
            let before = |end: usize| all.partition_point(|one| self.declarations[*one].chunk < end);
            before(chunks.start)..before(chunks.end)
        });
        let fits = |at: &&usize| {
            let one = &self.declarations[**at];
            one.space == space && one.scope.contains(&chunk)
        };
        all.get(within)?.iter().rev().find(fits).copied()
    }

    /// Returns the declaration that a token of a chunk names, or makes.
    pub fn at_token(&self, chunk: &Chunk, at: usize, token: &Token) -> Option<usize> {
        let (name, bytes) = name(chunk, token)?;
        let all = self.by_name.get(name)?;
        let first = all.partition_point(|one| self.declarations[*one].chunk < at);
        let here = all[first..].iter().take_while(|one| self.declarations[**one].chunk == at);
        let own = here.copied().find(|one| self.declarations[*one].bytes == bytes);
        own.or_else(|| spaces(chunk).iter().find_map(|space| self.resolve_in(all, *space, at)))
    }

    /// Returns the declarations that are visible in a chunk.
    pub fn visible(&self, chunk: usize) -> impl Iterator<Item = &Declaration> {
        self.declarations.iter().filter(move |one| one.scope.contains(&chunk))
    }
}

/// Returns true for a directive that begins a kernel or function.
pub fn begins_routine(directive: TextDirective) -> bool {
    matches!(directive, TextDirective::KernelLine | TextDirective::GlobalFunctionLine)
}

/// Returns the namespaces of the names in a chunk, the most likely first.
fn spaces(chunk: &Chunk) -> &'static [Space] {
    match chunk.head() {
        Head::Instruction(_) if chunk.is_call() => &[Space::Subroutine, Space::Variable],
        Head::Instruction(_) => &[Space::Variable, Space::Label],
        // The label of a subroutine may repeat its directive.
        Head::Label(_) => &[Space::Label, Space::Subroutine],
        Head::Directive(Some(TextDirective::FunctionLine)) => &[Space::Subroutine],
        Head::Directive(_) => &[Space::Variable],
        Head::Empty | Head::Other => &[],
    }
}

/// Returns the name in a token and its byte range, without quotes; `None` for tokens that name
/// nothing.
pub fn name<'a>(chunk: &'a Chunk, token: &Token) -> Option<(&'a str, Range<usize>)> {
    let word = chunk.word(token);
    match token.kind {
        TokenKind::Variable | TokenKind::Label | TokenKind::Modifier => Some((word, token.range())),
        TokenKind::String => {
            let inner = word.strip_prefix('"')?.strip_suffix('"')?;
            Some((inner, token.range().start + 1..token.range().end - 1))
        }
        _ => None,
    }
}

/// Returns the name that a directive declares, and its byte range.
fn argument(chunk: &Chunk) -> Option<(String, Range<usize>)> {
    let (_, token) = chunk.code().nth(1)?;
    let (name, bytes) = name(chunk, token)?;
    Some((name.to_owned(), bytes))
}

/// Returns the class that a declaration names.
pub fn class(chunk: &Chunk) -> Option<DeclaredClass> {
    let value = value(chunk, TextKey::KeyClass)?;
    DeclaredClass::ALL.iter().copied().find(|class| class.text() == value)
}

/// Returns the first word of the value of a key.
pub fn value(chunk: &Chunk, key: TextKey) -> Option<&str> {
    let mut code = chunk.code().map(|(_, token)| chunk.word(token));
    code.find(|word| *word == key.text())?;
    code.next().filter(|word| *word == "=")?;
    code.next()
}
