//! Functions of the caller, for operations without nodes.

use std::sync::Arc;

/// The values of two operands in eight channels. The function replaces the first operand by its
/// results. Disabled channels have undefined values.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands(pub [[u32; 8]; 2]);

/// A function that nodes cannot express.
#[derive(Clone)]
pub struct Function(pub(crate) Arc<Body>);

impl Function {
    /// Wraps a function. It must not unwind: a panic in it would end the process.
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

/// The callable of a function.
pub(crate) type Body = Box<dyn Fn(&mut Operands) + Send + Sync>;
