//! The kernels: what each instruction does, in the chapters of the specification.
//!
//! A routine is lowered once for each launch: [`layout`] gives every variable a fixed place,
//! [`lowering`] resolves operands, `pages` is the table that sends each instruction to its kernel,
//! and [`code`] strings the operations together. The kernels themselves are scalar functions
//! (written in `algebra`, in the type that `domain` chooses, with `compute` around them) or
//! messages (with `message`).

pub mod limits;

pub mod layout;

pub mod step;

pub mod lowering;

mod pages;

mod compute;

mod algebra;

pub mod record;

mod domain;

mod arithmetic;

mod math;

mod angle;

mod dot;

mod matrix;

mod narrow;

mod logic;

mod compare;

mod movement;

mod table;

mod control;

mod reads;

mod address;

mod transfer;

mod message;

mod surface;
mod text_only;

mod svm;

mod lsc;

mod image;

mod block;

mod sampler;

mod update;

mod atomic;

pub mod code;
