//! Facts of platforms that combine several columns of `spec/platforms.md`.

use crate::isa::{Platform, PlatformUnitsIn};

/// Values of the registers that identify a hardware thread; see [`Platform::thread_id`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadId {
    /// Value of element 0 of `%sr0`.
    pub sr0: u32,
    /// Value of element 0 of `%msg0`.
    pub msg0: u32,
}

/// The platform that is assumed for a program that names none.
impl Default for Platform {
    fn default() -> Self {
        Self::ALL.iter().copied().find(|platform| platform.assumed()).unwrap_or(Self::ALL[0])
    }
}

impl Platform {
    /// Returns the register values by which a kernel recognises that it runs in hardware thread
    /// `number`. Kernels compute the thread's number from them to index per-thread buffers.
    ///
    /// ```
    /// use visakit::isa::Platform;
    /// let xe2 = Platform::from_name("xe2").unwrap();
    /// assert_eq!((xe2.thread_id(9).sr0, xe2.thread_id(9).msg0), (0x11, 0));
    /// assert_eq!((xe2.thread_id(64).sr0, xe2.thread_id(64).msg0), (0, 1));
    /// ```
    pub const fn thread_id(self, number: u32) -> ThreadId {
        let (threads, eus) = (self.eu_threads(), self.eu_count());
        let place = (number % threads) | ((number / threads % eus) << self.eu_at());
        let units = (number / (threads * eus)) << self.units_at();
        match self.units_in() {
            PlatformUnitsIn::Sr0 => ThreadId { sr0: place | units, msg0: 0 },
            PlatformUnitsIn::Msg0 => ThreadId { sr0: place, msg0: units },
        }
    }

    /// Returns the platforms that the emulator supports, oldest first.
    pub fn emulated_ones() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.iter().copied().filter(|platform| platform.emulated())
    }

    /// Returns the emulated platforms in the order in which a default device is chosen from them:
    /// those that are on sale as graphics cards first, each kind newest first. With `images`, only
    /// platforms that have images count.
    ///
    /// ```
    /// use visakit::isa::Platform;
    /// let first = Platform::preferred(true).next().unwrap();
    /// assert_eq!(first.device().unwrap().name(), "bmg");
    /// ```
    pub fn preferred(images: bool) -> impl Iterator<Item = Self> {
        let of_kind = |card| Self::emulated_ones().rev().filter(move |platform| platform.card() == card);
        of_kind(true).chain(of_kind(false)).filter(move |platform| platform.images() || !images)
    }

    /// Returns the size in bytes of a register. Without a platform, the assumed one counts; see
    /// [`Platform::default`].
    pub fn register_bytes_of(platform: Option<Self>) -> u32 {
        platform.unwrap_or_default().register_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the thread number from the registers, with the formula that compiled kernels of
    /// each platform use.
    fn computed(platform: Platform, ThreadId { sr0, msg0 }: ThreadId) -> u32 {
        let close = |value: u32, bit: u32, bits: u32| value & ((1 << bit) - 1) | value >> (bit + bits) << bit;
        match platform.name() {
            "xe3" | "nvl" => (((msg0 & 255) << 3) + (sr0 >> 4 & 7)) * 10 + (sr0 & 15),
            "xe2" => (msg0 & 255) << 6 | close(sr0 & 127, 3, 1),
            "cri" => close((msg0 & 255) << 7 | sr0 & 127, 3, 1),
            name => close(close(sr0, 3, 1), 5, if name.starts_with("pvc") { 2 } else { 1 }),
        }
    }

    #[test]
    fn kernels_compute_the_number_of_their_hardware_thread() {
        for &platform in Platform::ALL {
            for number in 0..2048 {
                let found = computed(platform, platform.thread_id(number));
                assert_eq!(found, number, "{} has thread {number} as {found}", platform.name());
            }
        }
    }
}
