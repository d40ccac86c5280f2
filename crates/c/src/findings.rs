//! Findings: why an input is wrong, and what the verifier found.

use std::ffi::{CString, c_char};

use visakit::diag::{self, Diagnostic};

use crate::raw::Out;
use crate::registry::Registry;
use crate::status::{Status, guarded};

/// List of findings; an opaque handle.
pub struct Findings {
    _private: [u8; 0],
}

/// Severity of a finding.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Information.
    Note = 0,
    /// The documents forbid it, but the vendor's assembler accepts it.
    Warning = 1,
    /// The input is wrong.
    Error = 2,
}

/// Finding with its place. The strings are valid until the list is freed, and never null.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// Stable name of the kind of finding, such as `opcode-unknown`.
    pub code: *const c_char,
    /// Severity of the finding.
    pub severity: Severity,
    /// Problem, in one sentence.
    pub message: *const c_char,
    /// Advice: what to do; empty if unknown.
    pub help: *const c_char,
    /// File, as the caller named it.
    pub file: *const c_char,
    /// Quoted line of the text; empty without one.
    pub quote: *const c_char,
    /// Line in the text, from 1; 0 if the place is not in a text.
    pub line: u32,
    /// Column in characters, from 1; 0 if the place is not in a text.
    pub column: u32,
    /// Number of characters that the finding marks.
    pub width: u32,
    /// True if the finding has a byte offset in an object.
    pub has_offset: bool,
    /// Byte offset in the object; 0 without one.
    pub offset: u64,
}

/// Finding with its strings.
struct Stored {
    diagnostic: Diagnostic,
    code: CString,
    message: CString,
    help: CString,
    file: CString,
    quote: CString,
}

static FINDINGS: Registry<Vec<Stored>> = Registry::new();

/// Adds a list of findings and returns its handle.
pub(crate) fn register(found: impl IntoIterator<Item = Diagnostic>) -> *mut Findings {
    let stored = |diagnostic: Diagnostic| Stored {
        code: terminated(diagnostic.code),
        message: terminated(&diagnostic.message),
        help: terminated(&diagnostic.help),
        file: terminated(&diagnostic.file),
        quote: terminated(&diagnostic.quote),
        diagnostic,
    };
    FINDINGS.add(found.into_iter().map(stored).collect::<Vec<_>>())
}

/// Returns a text for C. Zero bytes, which only a damaged name can contain, are replaced.
fn terminated(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// Writes the number of findings of a list to `count`.
///
/// # Safety
/// `count` is null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_count_findings(findings: *const Findings, count: *mut usize) -> Status {
    guarded(|| {
        // SAFETY: the pointer is null or valid, by the contract of this function.
        let out = unsafe { Out::new(count) }?;
        out.set(FINDINGS.get(findings)?.len());
        Ok(())
    })
}

/// Writes the finding with this index to `finding`.
///
/// # Safety
/// `finding` is null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_get_finding(
    findings: *const Findings,
    index: usize,
    finding: *mut Finding,
) -> Status {
    guarded(|| {
        // SAFETY: the pointer is null or valid, by the contract of this function.
        let out = unsafe { Out::new(finding) }?;
        let list = FINDINGS.get(findings)?;
        let stored = list.get(index).ok_or(Status::Index)?;
        let Diagnostic { severity, line, column, width, offset, .. } = stored.diagnostic;
        out.set(Finding {
            code: stored.code.as_ptr(),
            severity: match severity {
                diag::Severity::Note => Severity::Note,
                diag::Severity::Warning => Severity::Warning,
                diag::Severity::Error => Severity::Error,
            },
            message: stored.message.as_ptr(),
            help: stored.help.as_ptr(),
            file: stored.file.as_ptr(),
            quote: stored.quote.as_ptr(),
            line,
            column,
            width,
            has_offset: offset.is_some(),
            offset: offset.unwrap_or(0),
        });
        Ok(())
    })
}

/// Frees a list of findings and its strings. A null list is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn visakit_findings_free(findings: *mut Findings) -> Status {
    guarded(|| FINDINGS.free(findings))
}
