//! Instructions of the host for code written in Rust: instruction set levels, and four operations
//! that the compiler does not generate from plain code.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as host;
use std::sync::atomic::AtomicU32;

/// Instruction set level of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// AVX2, with FMA, F16C, BMI, LZCNT and POPCNT.
    Avx2,
    /// AVX-512 as well: its foundation and BW, DQ, VL.
    Avx512,
}

impl Level {
    /// Returns the highest level of this machine, if it has any.
    pub fn of_host() -> Option<Self> {
        Vectors::of_host()?;
        #[cfg(target_arch = "x86_64")]
        let has_bits = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        #[cfg(not(target_arch = "x86_64"))]
        let has_bits = false;
        Some(if has_bits { Self::Avx512 } else { Self::Avx2 })
    }
}

/// Proof that the machine has the vector instructions that [`compile`](crate::compile) uses.
#[derive(Clone, Copy, Debug)]
pub struct Vectors(());

impl Vectors {
    /// Returns the proof, if the machine has the instructions.
    #[cfg(target_arch = "x86_64")]
    pub fn of_host() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_all.then_some(Self(()))
    }

    /// Returns the proof; other architectures have none.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn of_host() -> Option<Self> {
        None
    }

    /// Calls a function, compiled with these instructions. The function and what it calls have to
    /// be `#[inline(always)]`.
    #[inline(always)]
    pub fn call<R>(self, f: impl FnOnce() -> R) -> R {
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: `self` exists only if the machine has the instructions.
            unsafe { with_vectors(f) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        f()
    }
}

/// Calls a function as [`Vectors::call`], or plainly on a machine without the instructions.
#[inline(always)]
pub fn in_vectors<R>(vectors: Option<Vectors>, f: impl FnOnce() -> R) -> R {
    match vectors {
        Some(vectors) => vectors.call(f),
        None => f(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn with_vectors<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// Returns the highest bit of each byte; the first byte's bit is the lowest.
///
/// ```
/// let mut bytes = [0; 16];
/// (bytes[0], bytes[9]) = (0xff, 0x80);
/// assert_eq!(visakit_native::host::high_bits(&bytes), 1 | 1 << 9);
/// ```
#[inline(always)]
pub fn high_bits(bytes: &[u8; 16]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: the architecture's baseline has the instructions, and the load needs no
        // alignment.
        unsafe { host::_mm_movemask_epi8(host::_mm_loadu_si128(bytes.as_ptr().cast())) as u32 }
    }
    #[cfg(not(target_arch = "x86_64"))]
    bytes.iter().rev().fold(0, |bits, byte| bits << 1 | u32::from(byte >> 7))
}

/// Stores words as one vector. A vector load of words that were stored one by one stalls, and the
/// compiler splits a plain assignment.
#[inline(always)]
pub fn store_together(to: &mut [u32; 4], words: [u32; 4]) {
    #[cfg(target_arch = "x86_64")]
    {
        let [a, b, c, d] = words.map(u32::cast_signed);
        // SAFETY: the architecture's baseline has the instructions, and the store needs no
        // alignment.
        unsafe { host::_mm_storeu_si128(to.as_mut_ptr().cast(), host::_mm_set_epi32(d, c, b, a)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        *to = words;
    }
}

/// Replaces two words, the lower one first, by the result of `change`. This is one atomic
/// operation, also for native code. Returns their previous value, or `None` without a change on
/// architectures without native code.
///
/// ```
/// use std::sync::atomic::AtomicU32;
/// let words = [AtomicU32::new(u32::MAX), AtomicU32::new(7)];
/// if let Some(old) = visakit_native::host::update_pair(&words, |value| value + 1) {
///     assert_eq!((old, words.map(AtomicU32::into_inner)), (0x7_ffff_ffff, [0, 8]));
/// }
/// ```
#[inline]
pub fn update_pair(words: &[AtomicU32; 2], change: impl Fn(u64) -> u64) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::sync::atomic::Ordering::Relaxed;
        let [low, high] = words.each_ref().map(|word| u64::from(word.load(Relaxed)));
        // If another thread changes a word in between, the first replacement fails.
        let mut old = high << 32 | low;
        loop {
            let new = change(old);
            let now: u64;
            // SAFETY: the pointer is to both words, which may change while they are borrowed. The
            // instruction needs no alignment, and the baseline of the architecture has it.
            unsafe {
                std::arch::asm!("lock cmpxchg qword ptr [{words}], {new}", words = in(reg) words.as_ptr(),
                    new = in(reg) new, inout("rax") old => now, options(nostack));
            }
            if now == old {
                return Some(old);
            }
            old = now;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (words, change);
        None
    }
}

/// Zeroes words, many at a time. Other threads may use them meanwhile, and see each either zeroed
/// or not yet.
///
/// ```
/// use std::sync::atomic::AtomicU32;
/// let words = [5, 6, 7].map(AtomicU32::new);
/// visakit_native::host::clear(&words[1..]);
/// assert_eq!(words.map(AtomicU32::into_inner), [5, 0, 0]);
/// ```
#[inline]
pub fn clear(words: &[AtomicU32]) {
    #[cfg(unix)]
    {
        // SAFETY: the bytes are those of `words`, which may change while they are borrowed. The
        // system stores whole words, because the vectors that it stores begin and end at one.
        unsafe { libc::memset(words.as_ptr().cast_mut().cast(), 0, size_of_val(words)) };
    }
    #[cfg(not(unix))]
    words.iter().for_each(|word| word.store(0, std::sync::atomic::Ordering::Relaxed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_bytes() {
        for n in 0..16 {
            let mut bytes = [0x7f; 16];
            bytes[n] = 0x80;
            assert_eq!(high_bits(&bytes), 1 << n);
        }
        assert_eq!(high_bits(&[0xff; 16]), 0xffff);
    }

    #[test]
    fn words_in_their_order() {
        let mut words = [0; 4];
        store_together(&mut words, [1, 2, u32::MAX, 4]);
        assert_eq!(words, [1, 2, u32::MAX, 4]);
    }

    #[test]
    fn calls_give_what_the_function_gives() {
        assert_eq!(Vectors::of_host().map_or(42, |vectors| vectors.call(|| 42)), 42);
    }
}
