//! Functions of the caller, for which there are no nodes.

use std::sync::Arc;

/// The values of eight channels that a function is given, and what it gives in place of the first
/// ones. Channels that are not enabled have any values.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands(pub [[u32; 8]; 2]);

/// A function for which there are no nodes.
#[derive(Clone)]
pub struct Function(pub(crate) Arc<Body>);

impl Function {
    /// The function does not unwind: where it would, the process ends.
    pub fn new(body: impl Fn(&mut Operands) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Box::new(body)))
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function of the caller")
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Function {}

/// What the code calls.
pub(crate) type Body = Box<dyn Fn(&mut Operands) + Send + Sync>;
