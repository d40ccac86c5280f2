//! What a user asks for: launch files, and results as files.

pub(crate) mod dump;
pub(crate) mod request;
