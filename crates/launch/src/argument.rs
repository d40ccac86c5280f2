//! Kernel arguments: specifications checked against the kernel's parameters.

use visakit_diag::{Diagnostic, Severity};

pub use super::contents::ImageArgument;
use super::contents::{image, pipe, read_file, reserve, zeros};
use super::element::{self, Element};
use super::forms::{Gives, forms_that_give};
use super::scalar::Scalar;
use super::spec::{ArgKey, ArgSpec};
use visakit_machine::buffer::Lent;
use visakit_machine::sampler::Sampler;
use visakit_zebin::info::{AddrSpace, ArgType, KernelInfo, KernelMiscInfo, PayloadArgument};

/// Value of an argument of a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A pointer to global or constant memory, with its contents.
    Buffer(Vec<u8>),
    /// A pointer to memory with undefined contents, on which no result may depend.
    Undefined(Vec<u8>),
    /// A pointer computed by the caller; 0 is NULL.
    Pointer(u64),
    /// A pointer to shared local memory of this size in bytes.
    Local(u32),
    /// A value, with exactly as many bytes as its type.
    Value(Vec<u8>),
    /// A pointer to memory of another owner, used in place. The kernel receives the given address,
    /// or the address of the memory's slot.
    Lent(Lent, Option<u64>),
    /// A pointer into memory of another owner: a sub-buffer. The pointer also reaches the rest of
    /// the memory, as on a device; a surface is only the part.
    Part {
        /// Memory of the part.
        part: Lent,
        /// The whole memory. Parts of the same memory have addresses in one slot.
        whole: Lent,
        /// Offset in bytes of the part.
        offset: u64,
    },
    /// An image on texels of another owner, used in place; its own texels are empty.
    LentImage(Lent, ImageArgument),
    /// An image.
    Image(ImageArgument),
    /// A sampler.
    Sampler(Sampler),
    /// The buffer or image of the argument with this index.
    Same(u32),
}

/// Returns a buffer with these elements.
///
/// ```
/// use visakit_launch::argument::Argument;
/// assert_eq!(Argument::from(&[1.0_f32][..]), Argument::Buffer(vec![0, 0, 0x80, 0x3f]));
/// assert_eq!(Argument::from(7_u16), Argument::Value(vec![7, 0]));
/// ```
impl<T: Element> From<&[T]> for Argument {
    fn from(elements: &[T]) -> Self {
        Self::Buffer(element::bytes(elements))
    }
}

/// Returns a buffer with these elements.
impl<T: Element> From<&Vec<T>> for Argument {
    fn from(elements: &Vec<T>) -> Self {
        Self::from(elements.as_slice())
    }
}

/// Returns a buffer with these elements.
impl<T: Element, const N: usize> From<&[T; N]> for Argument {
    fn from(elements: &[T; N]) -> Self {
        Self::from(elements.as_slice())
    }
}

/// Returns a value. A vector is an array, such as `[1.0_f32; 4]`.
impl<T: Element> From<T> for Argument {
    fn from(value: T) -> Self {
        Self::Value(element::bytes(&[value]))
    }
}

/// A parameter of a kernel, from its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Index of the argument.
    pub index: u32,
    /// Name in the source; empty if the file lacks it.
    pub name: String,
    /// Type in the source; empty if the file lacks it.
    pub type_name: String,
    /// Kind of argument that the parameter takes.
    pub kind: ParameterKind,
    /// True if the compiled kernel uses the parameter.
    pub used: bool,
}

/// Kind of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A pointer to global or constant memory.
    Buffer,
    /// A pointer to shared local memory.
    Local,
    /// A value of this size in bytes; a lower bound if the type is unknown, because the layout is
    /// rounded up.
    Value(u32),
    /// An image or image array.
    Image {
        /// Number of dimensions.
        dimensions: usize,
        /// True for an image array, which has one more coordinate.
        is_array: bool,
    },
    /// A sampler.
    Sampler,
    /// Unknown: the compiled kernel does not use the parameter, and the file lacks its type.
    Unknown,
}

/// Returns the parameters of a kernel, by index.
pub fn parameters(kernel: &KernelInfo, names: Option<&KernelMiscInfo>) -> Vec<Parameter> {
    let named = names.map(|names| names.args_info.as_slice()).unwrap_or_default();
    let used = kernel.payload_arguments.iter().filter(|item| is_explicit(item)).filter_map(|item| item.arg_index);
    let mut indices: Vec<u32> = named.iter().map(|info| info.index).chain(used).collect();
    indices.sort_unstable();
    indices.dedup();
    let parameter = |index| {
        let info = named.iter().find(|info| info.index == index);
        // The type has the form `float*;8`: name and size.
        let text = info.map(|info| info.type_name.as_str()).unwrap_or_default();
        let (type_name, size) = text.rsplit_once(';').unwrap_or((text, ""));
        let items =
            || kernel.payload_arguments.iter().filter(|item| is_explicit(item) && item.arg_index == Some(index));
        let kind = match items().next() {
            Some(item) if item.arg_type == ArgType::ByValue => {
                let laid_out = items().map(|part| part.source_offset.unwrap_or(0).saturating_add(part.size)).max();
                ParameterKind::Value(size.parse().ok().or(laid_out).unwrap_or(0))
            }
            Some(item) => match item.addrspace {
                Some(AddrSpace::Local) => ParameterKind::Local,
                Some(AddrSpace::Image) => image_kind(item.image_type.as_deref().unwrap_or(type_name)),
                Some(AddrSpace::Sampler) => ParameterKind::Sampler,
                _ => ParameterKind::Buffer,
            },
            None if type_name.starts_with("image") => image_kind(type_name),
            None if type_name == "sampler_t" => ParameterKind::Sampler,
            None => match info.map(|info| info.address_qualifier.as_str()) {
                Some("__local") => ParameterKind::Local,
                Some("__global" | "__constant") => ParameterKind::Buffer,
                Some("__private") => size.parse().map_or(ParameterKind::Unknown, ParameterKind::Value),
                _ => ParameterKind::Unknown,
            },
        };
        Parameter {
            index,
            name: info.map(|info| info.name.clone()).unwrap_or_default(),
            type_name: type_name.to_owned(),
            kind,
            used: items().next().is_some(),
        }
    };
    indices.into_iter().map(parameter).collect()
}

/// Returns the kind of an image from its name in the layout (`image_2d_array`) or in the source
/// (`image2d_array_t`).
fn image_kind(name: &str) -> ParameterKind {
    let dimensions = match name.bytes().find(u8::is_ascii_digit) {
        Some(b'3') => 3,
        Some(b'2') => 2,
        _ => 1,
    };
    ParameterKind::Image { dimensions, is_array: name.contains("array") }
}

fn is_explicit(item: &PayloadArgument) -> bool {
    matches!(item.arg_type, ArgType::ByPointer | ArgType::ByValue)
}

impl Parameter {
    /// Describes the parameter for messages.
    pub fn describe(&self) -> String {
        let mut text = format!("argument {}", self.index);
        if !self.name.is_empty() {
            let declared = format!("{} {}", self.type_name, self.name);
            text += &format!(" (`{}`)", declared.trim_start());
        }
        text
    }

    /// Returns the argument forms that the parameter accepts.
    fn expected(&self) -> String {
        let key = format!("{}=", self.index);
        let forms = |gives| forms_that_give(gives, &key);
        match self.kind {
            ParameterKind::Buffer => format!("it takes a buffer: {}", forms(Gives::Buffer)),
            ParameterKind::Local => format!("it takes shared local memory: {}", forms(Gives::Local)),
            ParameterKind::Value(size) => {
                let form = Scalar::of_source(&self.type_name)
                    .map_or("bytes:HEX".to_owned(), |(scalar, _)| format!("{}:VALUE", scalar.name()));
                format!("it takes a value of {size} bytes: {key}{form}")
            }
            ParameterKind::Image { .. } => format!("it takes an image: {}", forms(Gives::Image)),
            ParameterKind::Sampler => format!("it takes a sampler: {}", forms(Gives::Sampler)),
            ParameterKind::Unknown => "the kernel does not use this argument: leave it out".to_owned(),
        }
    }

    /// Returns true if a number of this type fits the parameter. Signedness is ignored; float and
    /// integer types do not mix.
    fn takes(&self, kind: Scalar) -> bool {
        Scalar::of_source(&self.type_name).is_none_or(|(wanted, _)| wanted.is_float() == kind.is_float())
    }

    /// Parses numbers of the parameter's type; `None` if the type is unknown or a number does not
    /// fit.
    fn typed(&self, text: &str) -> Option<ArgSpec> {
        let (kind, _) = Scalar::of_source(&self.type_name)?;
        let mut bytes = Vec::new();
        for number in text.split(',') {
            kind.parse(number.trim())?.put(kind, &mut bytes);
        }
        Some(ArgSpec::Value { kind, bytes })
    }

    /// Resolves a specification to an argument.
    ///
    /// # Errors
    /// A specification of the wrong kind or size, or an unreadable file.
    pub fn resolve(&self, spec: &ArgSpec) -> Result<Argument, Box<Diagnostic>> {
        let place = format!("arg {}", self.index);
        let refuse = |message: String| {
            let message = format!("{} {message}", self.describe());
            Err(Box::new(Diagnostic::new("argument-kind", Severity::Error, &place, message).help(self.expected())))
        };
        match (self.kind, spec) {
            (ParameterKind::Value(_), ArgSpec::Untyped(text)) => match self.typed(text) {
                Some(spec) => self.resolve(&spec),
                None => refuse(format!("is given `{text}`")),
            },
            (ParameterKind::Image { dimensions, is_array }, ArgSpec::Image(spec)) => {
                image(&place, spec, dimensions, is_array).map(Argument::Image)
            }
            (ParameterKind::Sampler, ArgSpec::Sampler(sampler)) => Ok(Argument::Sampler(*sampler)),
            (ParameterKind::Buffer, ArgSpec::File(path)) => read_file(&place, path).map(Argument::Buffer),
            (ParameterKind::Buffer, ArgSpec::Zeros(size)) => zeros(&place, *size).map(Argument::Buffer),
            (ParameterKind::Buffer, ArgSpec::Undefined(size)) => zeros(&place, *size).map(Argument::Undefined),
            (ParameterKind::Buffer, ArgSpec::Pattern(pattern)) => {
                let size = pattern.size().unwrap_or(u64::MAX);
                let mut bytes = reserve(&place, size)?;
                pattern.put(&mut bytes);
                Ok(Argument::Buffer(bytes))
            }
            (ParameterKind::Buffer, ArgSpec::Pipe { packets, bytes }) => {
                pipe(&place, *packets, *bytes).map(Argument::Buffer)
            }
            (ParameterKind::Buffer, ArgSpec::Bytes(bytes)) => Ok(Argument::Buffer(bytes.clone())),
            (ParameterKind::Buffer, ArgSpec::Value { kind: Scalar::U64, bytes }) => {
                let address = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                Ok(Argument::Pointer(address))
            }
            (ParameterKind::Local, ArgSpec::Local(size)) => Ok(Argument::Local(*size)),
            (ParameterKind::Value(_), ArgSpec::Value { kind, .. }) if !self.takes(*kind) => {
                refuse(format!("is given {}", kind.name()))
            }
            (ParameterKind::Value(size), ArgSpec::Value { bytes, .. } | ArgSpec::Bytes(bytes)) => {
                let given = bytes.len() as u64;
                // A three-component vector has the size of a four-component one.
                let of_three = self.type_name.ends_with('3') && given * 4 == u64::from(size) * 3;
                let unknown = self.type_name.is_empty() && given.next_multiple_of(4) == u64::from(size);
                if given == u64::from(size) || of_three || unknown {
                    let mut bytes = bytes.clone();
                    bytes.resize(size as usize, 0);
                    Ok(Argument::Value(bytes))
                } else {
                    refuse(format!("has {size} bytes, but {given} are given"))
                }
            }
            (ParameterKind::Buffer | ParameterKind::Image { .. }, ArgSpec::Same(ArgKey::Index(other))) => {
                Ok(Argument::Same(*other))
            }
            (ParameterKind::Unknown, _) => Ok(Argument::Value(Vec::new())),
            (_, ArgSpec::Same(_)) => refuse("is given another argument's buffer".to_owned()),
            (
                _,
                ArgSpec::File(_)
                | ArgSpec::Zeros(_)
                | ArgSpec::Undefined(_)
                | ArgSpec::Pattern(_)
                | ArgSpec::Pipe { .. },
            ) => refuse("is given a buffer".to_owned()),
            (_, ArgSpec::Image(_)) => refuse("is given an image".to_owned()),
            (_, ArgSpec::Sampler(_)) => refuse("is given a sampler".to_owned()),
            (_, ArgSpec::Local(_)) => refuse("is given shared local memory".to_owned()),
            (_, ArgSpec::Bytes(_) | ArgSpec::Value { .. } | ArgSpec::Untyped(_)) => {
                refuse("is given a value".to_owned())
            }
        }
    }
}

/// Returns the parameter with this index or name. `place` is the location for messages.
///
/// # Errors
/// An unknown index or name; the message lists the parameters.
pub fn find<'a>(parameters: &'a [Parameter], key: &ArgKey, place: &str) -> Result<&'a Parameter, Box<Diagnostic>> {
    parameters.iter().find(|parameter| key.is(parameter.index, &parameter.name)).ok_or_else(|| {
        let known = parameters.iter().map(Parameter::describe).collect::<Vec<_>>().join(", ");
        let mut help = match parameters {
            [] => "the kernel has no arguments".to_owned(),
            _ => format!("the kernel's arguments are {known}"),
        };
        if matches!(key, ArgKey::Name(_)) && parameters.iter().all(|parameter| parameter.name.is_empty()) {
            help += "; the file does not contain their names";
        }
        let (place, key) = (
            format!("{place} {key}"),
            match key {
                ArgKey::Index(index) => index.to_string(),
                ArgKey::Name(name) => format!("`{name}`"),
            },
        );
        let message = format!("the kernel has no argument {key}");
        Diagnostic::new("argument-unknown", Severity::Error, place, message).help(help).into()
    })
}

/// Resolves the arguments of a kernel: one entry per index, `None` where the kernel has no such
/// argument.
///
/// # Errors
/// A missing, duplicate, unknown or unsuitable argument.
pub fn resolve(
    parameters: &[Parameter],
    specs: &[(ArgKey, ArgSpec)],
) -> Result<Vec<Option<Argument>>, Box<Diagnostic>> {
    let mut given: Vec<(u32, &ArgSpec)> = Vec::new();
    for (key, spec) in specs {
        let index = find(parameters, key, "arg")?.index;
        if given.iter().any(|(other, _)| *other == index) {
            let message = format!("argument {index} is given twice");
            let place = format!("arg {key}");
            let finding = Diagnostic::new("argument-twice", Severity::Error, place, message);
            return Err(finding.help("leave one of them out").into());
        }
        given.push((index, spec));
    }
    let count = parameters.iter().map(|parameter| parameter.index as usize + 1).max().unwrap_or(0);
    let mut arguments = vec![None; count];
    for parameter in parameters {
        let place = format!("arg {}", parameter.index);
        let argument = match given.iter().find(|(index, _)| *index == parameter.index) {
            Some((_, ArgSpec::Same(key))) => {
                let other = find(parameters, key, &format!("{place}=same"))?;
                parameter.resolve(&ArgSpec::Same(ArgKey::Index(other.index)))?
            }
            Some((_, spec)) => parameter.resolve(spec)?,
            None if !parameter.used => continue,
            None => {
                let message = format!("{} is missing", parameter.describe());
                let finding = Diagnostic::new("argument-missing", Severity::Error, place, message);
                return Err(finding.help(parameter.expected()).into());
            }
        };
        arguments[parameter.index as usize] = Some(argument);
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;
    use visakit_zebin::info;

    const INFO: &str = "
kernels:
  - name: k
    payload_arguments:
      - { arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global }
      - { arg_type: arg_byvalue, offset: 32, size: 4, arg_index: 1 }
      - { arg_type: arg_bypointer, offset: 40, size: 8, arg_index: 2, addrmode: slm, addrspace: local }
      - { arg_type: arg_byvalue, offset: 48, size: 16, arg_index: 4 }
kernels_misc_info:
  - name: k
    args_info:
      - { index: 0, name: data, type_name: 'float*;8', address_qualifier: __global }
      - { index: 1, name: n, type_name: 'char;1', address_qualifier: __private }
      - { index: 2, name: part, type_name: 'int*;8', address_qualifier: __local }
      - { index: 3, name: unused, type_name: 'int;4', address_qualifier: __private }
      - { index: 4, name: v, type_name: 'int3;16', address_qualifier: __private }
";

    fn given(texts: &[&str]) -> Result<Vec<Option<Argument>>, Box<Diagnostic>> {
        let info = info::parse("k", INFO).unwrap();
        let parameters = parameters(&info.kernels[0], info.kernels_misc_info.first());
        let specs: Vec<_> = texts.iter().map(|text| spec::parse_argument(text).unwrap()).collect();
        resolve(&parameters, &specs)
    }

    #[test]
    fn arguments_that_fit() {
        let arguments = given(&["0=zeros:8", "1=i8:-1", "2=local:64", "4=i32:1,2,3"]).unwrap();
        assert_eq!(arguments[0], Some(Argument::Buffer(vec![0; 8])));
        assert_eq!(arguments[1], Some(Argument::Value(vec![0xff])));
        assert_eq!(arguments[2], Some(Argument::Local(64)));
        assert_eq!(arguments[3], None);
        assert_eq!(arguments[4], Some(Argument::Value([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0].to_vec())));
        let arguments =
            given(&["0=u64:0", "1=bytes:07", "2=local:0", "3=i32:1", "4=bytes:00000000000000000000000000000000"]);
        assert_eq!(arguments.unwrap()[0], Some(Argument::Pointer(0)));
    }

    #[test]
    fn images_have_levels_or_samples() {
        let made = |text: &str| {
            let spec::ArgSpec::Image(spec) = spec::parse(text).unwrap() else { panic!("{text} is no image") };
            image("arg 0", &spec, 2, false).map(|image| image.texels.len())
        };
        assert_eq!(made("image:r8uint:4x4,levels=3:zeros").unwrap(), 16 + 4 + 1);
        assert_eq!(made("image:rg8uint:4x3,samples=4:zeros").unwrap(), 12 * 4 * 2);
        for wrong in ["image:r8uint:4x4,levels=4:zeros", "image:r8uint:4x4,levels=2,samples=2:zeros"] {
            let error = made(wrong).unwrap_err();
            assert_eq!(error.code, "argument-image", "{error:?}");
            assert!(error.help.contains("at most 3 levels"), "{error:?}");
        }
    }

    #[test]
    fn a_pipe_has_room_for_one_packet_more() {
        let arguments = given(&["0=pipe:8x4", "1=i8:1", "2=local:64", "4=i32:1,2,3"]).unwrap();
        let Some(Argument::Buffer(bytes)) = &arguments[0] else { panic!("{:?}", arguments[0]) };
        assert_eq!((bytes.len(), &bytes[..4]), (128 + 9 * 4, &[9, 0, 0, 0][..]));
        assert!(bytes[4..].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn arguments_that_do_not() {
        let rest = ["1=i8:1", "2=local:64", "4=i32:1,2,3"];
        for (first, code, text) in [
            ("0=local:4", "argument-kind", "`float* data`"),
            ("0=f32:1", "argument-kind", "is given a value"),
            ("0=image:r32f:1x1:zeros", "argument-kind", "is given an image"),
            ("0=zeros:99999999999", "argument-size", "too large"),
            ("0=file:/nowhere/at/all", "io", "/nowhere/at/all"),
            ("5=i32:1", "argument-unknown", "no argument 5"),
            ("1=i8:2", "argument-twice", "twice"),
        ] {
            let mut all = vec![first];
            all.extend(rest);
            let error = given(&all).unwrap_err();
            assert_eq!(error.code, code, "{first}: {error:?}");
            assert!(error.message.contains(text), "{first}: {error:?}");
        }
        let error = given(&["0=zeros:4", "1=i32:1", "2=local:4", "4=i32:1,2,3"]).unwrap_err();
        assert_eq!(error.message, "argument 1 (`char n`) has 1 bytes, but 4 are given");
        assert!(error.help.contains("1=i8:VALUE"), "{}", error.help);
        let error = given(&["0=zeros:4", "2=local:4"]).unwrap_err();
        assert_eq!((error.code, error.file.as_str()), ("argument-missing", "arg 1"));
        let error = given(&["0=zeros:4", "1=f16:1", "2=local:4", "4=i32:1,2,3"]).unwrap_err();
        assert_eq!(error.message, "argument 1 (`char n`) is given f16");
    }
}
