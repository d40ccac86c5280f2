//! Grammar of argument specifications, as a table for messages and help texts.

use super::scalar::Scalar;

/// A form of a specification.
pub struct Form {
    /// Keyword before the first colon; `TYPE` for the name of a number type.
    pub kind: &'static str,
    /// Text after the first colon.
    pub rest: &'static str,
    /// Example of the form.
    pub example: &'static str,
    /// Kind of argument that it creates.
    pub gives: Gives,
    /// Description for the help text.
    pub meaning: &'static str,
}

/// Kind of argument that a form creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Gives {
    Buffer,
    Value,
    Local,
    Image,
    Sampler,
}

/// The grammar of specifications.
pub const FORMS: [Form; 14] = [
    form("file", "PATH", "file:a.bin", Gives::Buffer, "a buffer with the contents of a file"),
    form("zeros", "BYTES", "zeros:4096", Gives::Buffer, "a buffer of zeros"),
    form(
        "undef",
        "BYTES",
        "undef:4096",
        Gives::Buffer,
        "a buffer of unwritten bytes, for `check`: they are zeros, but the result must not depend on them",
    ),
    form(
        "bytes",
        "HEX",
        "bytes:0000803f",
        Gives::Buffer,
        "a buffer with these bytes, or a value \
     that consists of them",
    ),
    form(
        "fill",
        "TYPE:COUNT:VALUE[,VALUE...]",
        "fill:f32:1024:0.5",
        Gives::Buffer,
        "a buffer of COUNT numbers: one value, or several values repeated in order",
    ),
    form(
        "range",
        "TYPE:COUNT[:START[:STEP]]",
        "range:u32:100",
        Gives::Buffer,
        "a buffer of COUNT numbers: the first is START (0), each next one is larger by STEP (1)",
    ),
    form(
        "random",
        "TYPE:COUNT[:SEED[:LOW:HIGH]]",
        "random:f32:1024:7",
        Gives::Buffer,
        "a buffer of COUNT random numbers by SplitMix64, the same on every machine for one SEED \
         (0): floats from LOW (0) to below HIGH (1), integers from LOW to HIGH (any)",
    ),
    form("same", "KEY", "same:0", Gives::Buffer, "the buffer or image of another argument"),
    form("pipe", "PACKETSxBYTES", "pipe:100x4", Gives::Buffer, "an empty pipe for PACKETS packets of BYTES bytes"),
    form(
        "TYPE",
        "VALUE[,VALUE...]",
        "f32:1,2,3,4",
        Gives::Value,
        "a number or a vector; u64:0 for a buffer is a null pointer",
    ),
    form("local", "BYTES", "local:1024", Gives::Local, "shared local memory"),
    form(
        "image",
        "FORMAT:WxH[xD][,levels=N][,samples=N]:PATH|zeros|bytes:HEX",
        "image:rgba8unorm:64x64:zeros",
        Gives::Image,
        "an image in a format such as rgba8unorm or r32f; D is the depth, or the number of \
         images of an array; each level has half the size of the previous level",
    ),
    form(
        "image",
        "FORMAT:PATH.png",
        "image:rgba8unorm:photo.png",
        Gives::Image,
        "an image with the size and the pixels of a picture",
    ),
    form(
        "sampler",
        "none|clamp|clamp_to_edge|repeat|mirror,nearest|linear[,normalized][,mix_levels][,levels=A..B][,compare=HOW]",
        "sampler:clamp,linear,normalized",
        Gives::Sampler,
        "a sampler; normalized if coordinates range from 0 to 1, mix_levels to interpolate \
         between levels, levels for the lowest and the highest level; HOW is never, less, equal, \
         greater, less_or_equal, greater_or_equal, not_equal or always",
    ),
];

const fn form(
    kind: &'static str,
    rest: &'static str,
    example: &'static str,
    gives: Gives,
    meaning: &'static str,
) -> Form {
    Form { kind, rest, example, gives, meaning }
}

/// Returns a help text for all forms; each line begins with `indent`.
pub fn forms_help(indent: &str) -> String {
    let text = |form: &Form| format!("{indent}{}:{}\n{indent}    {}\n", form.kind, form.rest, form.meaning);
    let forms: String = FORMS.iter().map(text).collect();
    let names = Scalar::names().replace('|', ", ");
    let types = format!(
        "{indent}TYPE is {names}; a number without a type has the parameter's \
     type, if the file contains it"
    );
    format!("{forms}{types}\n{indent}KEY is an index or a name")
}

/// Returns the forms that create a kind of argument, for messages, such as `zeros:BYTES or
/// local:BYTES`.
pub(super) fn forms_that_give(gives: Gives, before: &str) -> String {
    join_forms(FORMS.iter().filter(|form| form.gives == gives), before)
}

fn join_forms<'a>(forms: impl Iterator<Item = &'a Form>, before: &str) -> String {
    forms.map(|form| format!("{before}{}:{}", form.kind, form.rest)).collect::<Vec<_>>().join(" or ")
}

/// Returns a hint with the forms of a keyword.
pub(super) fn usage(kind: &str) -> String {
    let forms = || FORMS.iter().filter(|form| form.kind == kind);
    let example = forms().next().map_or("", |form| form.example);
    format!("write {}, such as {example}", join_forms(forms(), ""))
}

/// Returns a hint with all forms, for an unknown keyword.
pub(super) fn any_usage() -> String {
    format!("an argument is {}", join_forms(FORMS.iter(), ""))
}
