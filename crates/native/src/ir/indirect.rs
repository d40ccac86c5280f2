//! Indirect moves: elements of the registers at offsets that dwords of the registers hold.

/// A move between the channels' own elements and the elements that addresses select. All elements
/// are read before the first is written. The caller executes the step if an enabled channel's
/// element is outside of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indirect {
    /// The size of an element: 1, 2, 4 or 8 bytes.
    pub bytes: u32,
    /// The place of the first channel's address: a dword with an offset into the registers.
    pub address: u32,
    /// The distance from one channel's address to the next: 4, or 0 for an address that serves all
    /// channels.
    pub address_step: u32,
    /// The displacement of the first channel, added to addresses.
    pub displacement: i32,
    /// The distance from one channel's element to the next, with one address.
    pub pitch: u32,
    /// End of the bytes that addresses may select.
    pub limit: u32,
    /// The own elements.
    pub own: Own,
}

/// The own elements of an indirect move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// Receive the selected elements. Consecutive elements from this place on.
    Loads(u32),
    /// Replace the selected elements. Elements from a place on; with a step of 0, one element
    /// serves all channels.
    Stores {
        /// The place of the first channel's element.
        at: u32,
        /// The distance from one channel's element to the next.
        step: u32,
    },
    /// A number that replaces the selected elements.
    Number(u64),
}

impl Indirect {
    /// Returns the move of the channels from number `first` on.
    #[must_use]
    pub fn advanced(self, first: u32) -> Self {
        let own = match self.own {
            Own::Loads(at) => Own::Loads(at + first * self.bytes),
            Own::Stores { at, step } => Own::Stores { at: at + first * step, step },
            Own::Number(number) => Own::Number(number),
        };
        let pitch = if self.address_step == 0 { self.pitch } else { 0 };
        Self {
            address: self.address + first * self.address_step,
            displacement: self.displacement.wrapping_add_unsigned(first * pitch),
            own,
            ..self
        }
    }
}
