//! Definition of structures of the API.

/// Defines structures whose values without pointers may be all zeros.
macro_rules! structures {
    ($($name:ident { $($field:ident: $type:ty,)* })*) => {$(
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            $(pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                // SAFETY: all fields are numbers, pointers, or arrays of them.
                unsafe { std::mem::zeroed() }
            }
        }
    )*};
}
pub(crate) use structures;
