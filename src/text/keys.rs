//! Parser of the keys of directives, such as `num_elts=8` and `attrs={Input}`.

use std::collections::BTreeSet;

use crate::builder::AttributeValue;
use crate::isa::{
    Alignment, DataType, LabelKind, Linkage, OlderAlignment, StringId, TextArgument, TextDirective, TextKey,
    TextValue,
};
use crate::rt::{Bits, Cursor, Format, Text, TextError, meant, nearest};

/// Values of the keys of a directive.
#[derive(Default)]
pub(super) struct Values {
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

/// Parses the keys of a directive: all required ones, then any optional ones, in this order.
pub(super) fn keys(c: &mut Cursor<'_>, required: &[TextKey], optional: &[TextKey]) -> Result<Values, TextError> {
    let mut values = Values::default();
    for key in required {
        c.key(key.text())?;
        values.read(c, *key)?;
    }
    for key in optional {
        if c.take_key(key.text()) {
            values.read(c, *key)?;
        } else if key.value() == TextValue::AlignmentValue
            && let Some(default) = key.default_value()
        {
            values.alignment = Alignment::from_bits(default.into()).unwrap_or_default();
        }
    }
    Ok(values)
}

impl Values {
    /// Parses the value of a key in its form.
    fn read(&mut self, c: &mut Cursor<'_>, key: TextKey) -> Result<(), TextError> {
        match key.value() {
            // The class selects the keys, so `.decl` parses it.
            TextValue::ClassValue => {}
            TextValue::TypeValue => self.data_type = Text::parse(c, Format::Plain)?,
            TextValue::WordValue => self.keep(key, c.expression::<u16>(key.text())?),
            TextValue::SignedWordValue => self.keep(key, c.expression::<i16>(key.text())?),
            TextValue::DecimalValue => self.keep(key, c.number::<u32>(key.text(), Format::Plain)?),
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

    fn keep(&mut self, key: TextKey, number: impl Into<i64>) {
        if let Some(place) = place(key).and_then(|at| self.numbers.get_mut(at)) {
            *place = Some(number.into());
        }
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

/// Checks that a directive ends; otherwise its optional keys may follow.
pub(super) fn end(c: &mut Cursor<'_>, optional: &[TextKey]) -> Result<(), TextError> {
    c.skip_blanks();
    if c.at_end() {
        return Ok(());
    }
    let shown = optional.iter().filter(|key| !key.extension()).map(|key| format!("{}=", key.text()));
    let shown: Vec<String> = shown.collect();
    let list = match shown.as_slice() {
        [] => return Err(c.error("the end of the line")),
        [one] => one.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    };
    Err(c.error(format!("{list}, in this order, or the end of the line")))
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
