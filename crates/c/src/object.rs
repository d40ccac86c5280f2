//! Objects: decoding, parsing, encoding and verification.

use std::ffi::c_char;
use std::sync::Arc;

use visakit::diag::{Diagnostic, Severity};
use visakit::isa::Platform;
use visakit::object::{self, ObjectError, Routine, RoutineKind};
use visakit::text::{self, Parsed};
use visakit::verify;

use crate::findings::{self, Findings};
use crate::raw::{self, Out};
use crate::registry::Registry;
use crate::status::{Status, guarded};

/// Decoded object or parsed text; an opaque handle.
pub struct Object {
    _private: [u8; 0],
}

/// Object with what it was read from.
pub(crate) struct Loaded {
    /// Name of the file, for findings.
    file: String,
    pub(crate) object: object::Object,
    /// Platform that the caller named.
    platform: Option<Platform>,
    /// Text of the object, with the lines of each routine's instructions.
    source: Option<(String, Vec<Vec<u32>>)>,
}

impl Loaded {
    /// Returns the platform for texts and rules: the caller's, or that of a native program.
    pub(crate) fn platform(&self) -> Option<Platform> {
        self.platform.or_else(|| self.object.platform())
    }

    /// Returns a routine, kernels first.
    pub(crate) fn routine(&self, index: usize) -> Result<&Routine, Status> {
        self.object.routines().nth(index).ok_or(Status::Index)
    }

    fn verify(&self, platform: Option<Platform>) -> Vec<Diagnostic> {
        let source = self.source.as_ref().map(|(text, lines)| (verify::Source::new(text), lines));
        let of = |(index, routine): (usize, &Routine)| {
            let lines = source.as_ref().and_then(|(text, lines)| Some((text, lines.get(index)?.as_slice())));
            verify::findings(&self.file, routine, platform, lines)
        };
        self.object.routines().enumerate().flat_map(of).collect()
    }
}

static OBJECTS: Registry<Loaded> = Registry::new();

/// Returns the object of a handle.
pub(crate) fn get(object: *const Object) -> Result<Arc<Loaded>, Status> {
    OBJECTS.get(object)
}

/// Decodes an object. `file` is its name in findings, or null. The caller frees the handle in
/// `object` by `visakit_object_free`.
///
/// With VISAKIT_STATUS_INPUT, `findings` receives the reasons, which the caller frees by
/// `visakit_findings_free`; otherwise it receives null. `findings` may be null.
///
/// # Safety
/// `bytes` is valid for reads of `size` bytes, or null if `size` is 0. `file` is null or a string.
/// `object` and `findings` are null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_decode(
    bytes: *const u8,
    size: usize,
    file: *const c_char,
    object: *mut *mut Object,
    findings: *mut *mut Findings,
) -> Status {
    guarded(|| {
        // SAFETY: the pointers are null or valid, by the contract of this function.
        let (out, found) = unsafe { (Out::new(object), Out::optional(findings)) };
        // SAFETY: as above, for the inputs.
        let (bytes, file) = unsafe { (raw::bytes(bytes, size)?, raw::string(file)?) };
        let file = file.unwrap_or("object").to_owned();
        let decoded = object::Object::decode(bytes).map_err(|error| vec![damaged(&file, error)]);
        let loaded = decoded.map(|object| Loaded { file, object, platform: None, source: None });
        deliver(loaded, out?, found)
    })
}

/// Parses assembly text, which need not end with a zero byte. `file` is its name in findings, or
/// null; `platform` is the name of the platform, or null. The caller frees the handle in `object`
/// by `visakit_object_free`.
///
/// With VISAKIT_STATUS_INPUT, `findings` receives the reasons, which the caller frees by
/// `visakit_findings_free`; otherwise it receives null. `findings` may be null.
///
/// # Safety
/// `text` is valid for reads of `size` bytes, or null if `size` is 0. `file` and `platform` are
/// null or strings. `object` and `findings` are null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_parse(
    text: *const c_char,
    size: usize,
    file: *const c_char,
    platform: *const c_char,
    object: *mut *mut Object,
    findings: *mut *mut Findings,
) -> Status {
    guarded(|| {
        // SAFETY: the pointers are null or valid, by the contract of this function.
        let (out, found) = unsafe { (Out::new(object), Out::optional(findings)) };
        // SAFETY: as above, for the inputs.
        let (bytes, file) = unsafe { (raw::bytes(text.cast(), size)?, raw::string(file)?) };
        // SAFETY: as above.
        let platform = named(unsafe { raw::string(platform) }?)?;
        let file = file.unwrap_or("text").to_owned();
        let text = std::str::from_utf8(bytes).map_err(|_| Status::Utf8)?;
        let parsed = text::parse(text, text::Options { file: file.clone(), platform });
        let loaded = parsed.map_err(Vec::from).map(|parsed| {
            let source = Some((text.to_owned(), lines(&parsed)));
            Loaded { file, object: parsed.into_object(), platform, source }
        });
        deliver(loaded, out?, found)
    })
}

/// Returns the lines of each routine in the order of the object: kernels first.
fn lines(parsed: &Parsed) -> Vec<Vec<u32>> {
    let mut all: Vec<_> = parsed.routines().collect();
    all.sort_by_key(|(routine, _)| routine.kind != RoutineKind::Kernel);
    all.into_iter().map(|(_, lines)| lines.to_vec()).collect()
}

/// Writes the handle of an object, or of the findings about a wrong input.
fn deliver(
    loaded: Result<Loaded, Vec<Diagnostic>>,
    object: Out<*mut Object>,
    findings: Option<Out<*mut Findings>>,
) -> Result<(), Status> {
    let (found, result) = match loaded {
        Ok(loaded) => {
            object.set(OBJECTS.add(loaded));
            (std::ptr::null_mut(), Ok(()))
        }
        Err(found) => {
            let list = if findings.is_some() { findings::register(found) } else { std::ptr::null_mut() };
            (list, Err(Status::Input))
        }
    };
    if let Some(out) = findings {
        out.set(found);
    }
    result
}

fn damaged(file: &str, error: ObjectError) -> Diagnostic {
    let finding = Diagnostic::new(error.code, Severity::Error, file, error.message);
    finding.at_offset(error.offset as u64).help(error.help)
}

/// Returns the platform of a name; `None` without a name.
fn named(name: Option<&str>) -> Result<Option<Platform>, Status> {
    name.map(|name| Platform::from_name(name).ok_or(Status::Platform)).transpose()
}

/// Frees an object. A null handle is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn visakit_object_free(object: *mut Object) -> Status {
    guarded(|| OBJECTS.free(object))
}

/// Writes the number of kernels and functions to `count`.
///
/// # Safety
/// `count` is null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_count_routines(object: *const Object, count: *mut usize) -> Status {
    guarded(|| {
        // SAFETY: the pointer is null or valid, by the contract of this function.
        let out = unsafe { Out::new(count) }?;
        out.set(get(object)?.object.routines().count());
        Ok(())
    })
}

/// Writes the number of a routine's instructions to `count`; labels count. Routines are counted
/// from 0, kernels first.
///
/// # Safety
/// `count` is null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_count_instructions(
    object: *const Object,
    routine: usize,
    count: *mut usize,
) -> Status {
    guarded(|| {
        // SAFETY: the pointer is null or valid, by the contract of this function.
        let out = unsafe { Out::new(count) }?;
        out.set(get(object)?.routine(routine)?.instructions.len());
        Ok(())
    })
}

/// Checks all routines against the rules of the specification. `platform` is the name of a
/// platform, or null for the object's own; without a platform, rules that depend on it do not
/// apply. The caller frees the list in `findings` by `visakit_findings_free`.
///
/// # Safety
/// `platform` is null or a string. `findings` is null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_verify(
    object: *const Object,
    platform: *const c_char,
    findings: *mut *mut Findings,
) -> Status {
    guarded(|| {
        // SAFETY: the pointers are null or valid, by the contract of this function.
        let (out, platform) = unsafe { (Out::new(findings)?, raw::string(platform)?) };
        let loaded = get(object)?;
        let found = loaded.verify(named(platform)?.or_else(|| loaded.platform()));
        out.set(findings::register(found));
        Ok(())
    })
}
