//! Parser of the keys of directives, such as `num_elts=8` and `attrs={Input}`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::builder::AttributeValue;
use crate::isa::{
    Alignment, DataType, DeclaredClass, LabelKind, Linkage, OlderAlignment, StringId, TextArgument, TextContent,
    TextDirective, TextKey, TextValue,
};
use crate::rt::{Bits, Cursor, Format, Number, Text, TextError, either, meant, nearest};

/// Values of the keys of a directive.
#[derive(Default)]
pub(super) struct Values {
    pub(super) class: DeclaredClass,
    pub(super) data_type: DataType,
    pub(super) alignment: Alignment,
    pub(super) alias: Option<Alias>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) shown_name: Option<String>,
    pub(super) kind: LabelKind,
    pub(super) linkage: Linkage,
    /// Numbers, in the order of the keys.
    numbers: [Option<i64>; TextKey::ALL.len()],
}

/// Returns the keys of a directive in their order.
pub(super) fn all(directive: TextDirective) -> impl Iterator<Item = TextKey> {
    [directive.leading(), directive.required(), directive.optional()].into_iter().flatten().copied()
}

/// Parses the keys of a directive, in their order.
pub(super) fn keys(c: &mut Cursor<'_>, directive: TextDirective) -> Result<Values, TextError> {
    let mut values = Values::default();
    values.optional(c, directive.leading())?;
    values.required(c, directive.required())?;
    values.optional(c, directive.optional())?;
    Ok(values)
}

impl Values {
    /// Parses keys that must be present.
    pub(super) fn required(&mut self, c: &mut Cursor<'_>, keys: &[TextKey]) -> Result<(), TextError> {
        keys.iter().try_for_each(|key| {
            c.key(key.text())?;
            self.read(c, *key)
        })
    }

    /// Parses keys that may be absent. An absent key has its default value.
    pub(super) fn optional(&mut self, c: &mut Cursor<'_>, keys: &[TextKey]) -> Result<(), TextError> {
        for key in keys {
            if c.take_key(key.text()) {
                self.read(c, *key)?;
            } else if let Some(default) = key.default_value() {
                self.preset(key.content(), default.into());
            }
        }
        Ok(())
    }

    /// Sets a value to a code of its list; [`Self::number`] has the defaults of numbers.
    fn preset(&mut self, content: TextContent, code: u64) {
        match content {
            TextContent::AlignmentContent => self.alignment = Alignment::from_bits(code).unwrap_or_default(),
            TextContent::TypeContent => {
                self.data_type = u8::try_from(code).ok().and_then(DataType::from_code).unwrap_or_default()
            }
            TextContent::LabelKindContent => self.kind = LabelKind::from_bits(code).unwrap_or_default(),
            TextContent::LinkageContent => self.linkage = Linkage::from_bits(code).unwrap_or_default(),
            TextContent::ClassContent => self.class = DeclaredClass::from_bits(code).unwrap_or_default(),
            _ => {}
        }
    }

    /// Parses the value of a key in its form.
    fn read(&mut self, c: &mut Cursor<'_>, key: TextKey) -> Result<(), TextError> {
        let form = key.value();
        match form {
            TextValue::ClassValue => self.class = class(c)?,
            TextValue::TypeValue => self.data_type = Text::parse(c, Format::Plain)?,
            TextValue::WordValue | TextValue::SignedWordValue | TextValue::DecimalValue => {
                let start = c.save();
                let number = match form {
                    TextValue::DecimalValue => c.number::<u32>(key.text(), Format::Plain)?.into(),
                    _ => c.expression::<i64>(key.text())?,
                };
                let (least, most) = (bound(form.least(), i64::MIN), bound(form.most(), i64::MAX));
                if !(least..=most).contains(&number) {
                    c.restore(start);
                    return Err(c.error(format!("{}: a number from {least} to {most}, not {number}", key.text())));
                }
                if let Some(place) = place(key).and_then(|at| self.numbers.get_mut(at)) {
                    *place = Some(number);
                }
            }
            TextValue::AlignmentValue => self.alignment = alignment(c, key)?,
            TextValue::AliasValue => self.alias = Some(alias(c)?),
            TextValue::NameValue => {
                let name = if c.looking_at("\"") { c.quoted()? } else { c.identifier("a name")?.to_owned() };
                self.shown_name = Some(name);
            }
            TextValue::AttributesValue => self.attributes = attributes(c)?,
            TextValue::LabelKindValue => self.kind = Text::parse(c, Format::Plain)?,
            TextValue::LinkageValue => self.linkage = Text::parse(c, Format::Plain)?,
        }
        Ok(())
    }

    /// Returns the number of a key, or its default value.
    ///
    /// # Errors
    /// The form of the key has numbers that `T` does not have.
    pub(super) fn number<T: TryFrom<i64>>(&self, key: TextKey) -> Result<Option<T>, TextError> {
        let number = place(key).and_then(|at| *self.numbers.get(at)?).or(key.default_value().map(i64::from));
        let misfit = |_| TextError { at: 0, expected: format!("a smaller number after `{}=`", key.text()) };
        number.map(T::try_from).transpose().map_err(misfit)
    }
}

/// Returns a bound of the page, whose type depends on the other bounds.
fn bound(number: Option<impl Into<i64>>, absent: i64) -> i64 {
    number.map_or(absent, Into::into)
}

/// Returns the position of a key among all keys.
fn place(key: TextKey) -> Option<usize> {
    TextKey::ALL.iter().position(|one| *one == key)
}

/// Prints keys in their order; `value` returns false for a key that the directive leaves out.
pub(super) fn print(
    out: &mut String,
    keys: impl Iterator<Item = TextKey>,
    mut value: impl FnMut(&mut String, TextKey) -> bool,
) {
    for key in keys {
        let start = out.len();
        out.push(' ');
        out.push_str(key.text());
        out.push('=');
        if !value(out, key) {
            out.truncate(start);
        }
    }
}

/// Parses the argument of a directive that is a name or a string. Returns its place, too.
pub(super) fn argument(c: &mut Cursor<'_>, directive: TextDirective) -> Result<(String, usize), TextError> {
    c.skip_blanks();
    let start = c.save();
    let name = match directive.argument() {
        TextArgument::QuotedArgument => c.quoted()?,
        TextArgument::NameArgument if c.looking_at("\"") => c.quoted()?,
        TextArgument::NameArgument => c.identifier("a name")?.to_owned(),
        TextArgument::LabelArgument => c.word().ok_or_else(|| c.error("the name of a label"))?.to_owned(),
        _ => c.identifier("the name of a variable")?.to_owned(),
    };
    Ok((name, start))
}

/// Prints a directive and its argument, a name or a string.
pub(super) fn print_directive(out: &mut String, directive: TextDirective, argument: &str) {
    let quote = match directive.argument() {
        TextArgument::QuotedArgument | TextArgument::NameArgument => "\"",
        _ => "",
    };
    for part in [directive.text(), " ", quote, argument, quote] {
        out.push_str(part);
    }
}

/// Returns the mark between the two numbers of a directive's argument.
fn between(directive: TextDirective) -> &'static str {
    if directive.argument() == TextArgument::VersionArgument { "." } else { "=" }
}

/// Parses the argument of a directive that is two numbers; `names` are their names in errors.
pub(super) fn pair<A: Number, B: Number>(
    c: &mut Cursor<'_>,
    directive: TextDirective,
    names: [&str; 2],
) -> Result<(A, B), TextError> {
    c.skip_blanks();
    let first = c.number(names[0], Format::Plain)?;
    c.expect(between(directive))?;
    Ok((first, c.number(names[1], Format::Plain)?))
}

/// Prints a directive whose argument is two numbers, as a line.
pub(super) fn print_pair(out: &mut String, directive: TextDirective, [first, second]: [u32; 2]) {
    let _ = writeln!(out, "{} {first}{}{second}", directive.text(), between(directive));
}

/// Checks that a directive ends; otherwise its optional keys may follow.
pub(super) fn end(c: &mut Cursor<'_>, optional: &[TextKey]) -> Result<(), TextError> {
    c.skip_blanks();
    if c.at_end() {
        return Ok(());
    }
    let shown = optional.iter().filter(|key| !key.extension()).map(|key| format!("{}=", key.text()));
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() {
        return Err(c.error("the end of the line"));
    }
    Err(c.error(format!("{}, in this order, or the end of the line", either(&shown))))
}

/// Base of an alias, the offset in bytes, and the place in the text.
pub(super) type Alias = (Base, u16, usize);

pub(super) enum Base {
    Name(String),
    /// A variable of file scope, by number.
    File(u32),
}

/// Attribute in the text: its name, the explicit string index of the name if any, and its value.
pub(super) type Attribute = (String, Option<StringId>, AttributeValue);

/// Parses the class of a variable, which its first key may follow without a blank.
fn class(c: &mut Cursor<'_>) -> Result<DeclaredClass, TextError> {
    let Some(class) = DeclaredClass::ALL.iter().copied().find(|class| c.rest().starts_with(class.text())) else {
        let all: Vec<&str> = DeclaredClass::ALL.iter().map(|class| class.text()).collect();
        return Err(c.error(either(&all)));
    };
    c.restore(c.save() + class.text().len());
    Ok(class)
}

/// Parses an alignment: its name, an older spelling, or a number of bytes.
fn alignment(c: &mut Cursor<'_>, key: TextKey) -> Result<Alignment, TextError> {
    if let Some(old) = OlderAlignment::ALL.iter().find(|old| c.rest().starts_with(old.text())) {
        c.restore(c.save() + old.text().len());
        return Ok(old.alignment());
    }
    let start = c.save();
    if !c.rest().starts_with(|ch: char| ch.is_ascii_digit() || "(%-~!".contains(ch)) {
        let word = c.word().unwrap_or("");
        if let Some(found) = Alignment::ALL.iter().find(|a| a.text() == word) {
            return Ok(*found);
        }
        c.restore(start);
        let all: Vec<&str> = Alignment::ALL.iter().map(|a| a.text()).collect();
        return Err(c.error(format!("an alignment: one of {}{}", all.join(", "), meant(nearest(word, all)))));
    }
    let bytes: u32 = c.expression(key.text())?;
    // A number of bytes that equals the register size means that alignment, not register alignment.
    // The default alignment of one byte is not listed.
    let sizes = || Alignment::ALL.iter().filter(|a| **a != Alignment::default());
    let found = sizes().copied().find(|a| a.bytes() == Some(bytes));
    found.ok_or_else(|| {
        c.restore(start);
        let all: BTreeSet<u32> = sizes().filter_map(|a| a.bytes()).collect();
        let all: Vec<String> = all.iter().map(u32::to_string).collect();
        c.error(format!("a number of bytes, one of {}", all.join(", ")))
    })
}

/// Parses `<V32, 4>`, or `<global 3, 4>` for an alias of variable 3 of the file.
fn alias(c: &mut Cursor<'_>) -> Result<Alias, TextError> {
    c.expect("<")?;
    c.skip_blanks();
    let at = c.save();
    let name = c.word().ok_or_else(|| c.error("the name of a variable"))?.to_owned();
    c.skip_blanks();
    let base = match name.as_str() {
        "global" if !c.looking_at(",") => Base::File(c.number("variable of the file", Format::Plain)?),
        _ => Base::Name(name),
    };
    c.expect(",")?;
    let offset = c.sum("alias offset")?;
    c.expect(">")?;
    Ok((base, offset, at))
}

fn attributes(c: &mut Cursor<'_>) -> Result<Vec<Attribute>, TextError> {
    c.expect("{")?;
    let mut out = Vec::new();
    loop {
        c.skip_blanks();
        let (name, string) = attribute_name(c)?;
        c.skip_blanks();
        out.push((name, string, if c.take("=") { value(c)? } else { AttributeValue::Flag }));
        if !c.take(",") {
            c.skip_blanks();
            c.expect("}")?;
            return Ok(out);
        }
    }
}

/// Parses `Name`, or `Name@12` with the string index where several strings have the same text.
pub(super) fn attribute_name(c: &mut Cursor<'_>) -> Result<(String, Option<StringId>), TextError> {
    let name = c.identifier("the name of an attribute")?.to_owned();
    let string = if c.take("@") { Some(StringId(c.number("string", Format::Plain)?)) } else { None };
    Ok((name, string))
}

/// Parses the value of an attribute: `16`, `16:4` with the size in bytes, or `"text"`.
pub(super) fn value(c: &mut Cursor<'_>) -> Result<AttributeValue, TextError> {
    c.skip_blanks();
    if c.rest().starts_with('"') {
        return Ok(AttributeValue::Text(c.quoted()?));
    }
    let start = c.save();
    let number: i64 = c.sum("value")?;
    let number = u32::try_from(number).or_else(|_| i32::try_from(number).map(|n| n as u32));
    match number {
        Ok(number) if c.take(":") => match c.number::<u8>("bytes of the value", Format::Plain)? {
            bytes @ 1..=4 => Ok(AttributeValue::Sized(number, usize::from(bytes))),
            _ => Err(c.error("1 to 4 bytes")),
        },
        Ok(number) => Ok(AttributeValue::Number(number)),
        Err(_) => {
            c.restore(start);
            Err(c.error("a number of 32 bits"))
        }
    }
}
