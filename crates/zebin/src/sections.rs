//! Types and names of the sections of a zebin.

/// Section type of a vISA text (`SHT_ZEBIN_VISAASM`). The section's name varies (`.visaasm`,
/// `.visaasm.module`); the type does not.
pub(crate) const SHT_ZEBIN_VISAASM: u32 = 0xff00_0013;
/// Section type of `.ze_info`.
pub(crate) const SHT_ZEBIN_ZEINFO: u32 = 0xff00_0011;
/// Name of the notes that describe the compilation target. The compiler writes
/// `.note.intelgt.metrics`, next to it, malformed.
pub(crate) const COMPAT_NOTES: &[u8] = b".note.intelgt.compat";
/// Name prefix of sections with native code.
pub(crate) const NATIVE_CODE: &str = ".text.";
