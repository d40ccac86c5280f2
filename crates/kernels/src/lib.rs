//! Kernels: the semantics of each instruction, grouped as in the specification.
//!
//! A routine is lowered once per launch. [`layout`] assigns every variable a fixed location,
//! [`lowering`] resolves operands, `pages` maps each instruction to its kernel, and [`code`] links
//! the operations. A kernel is either a scalar function (written over `algebra`, in the type chosen
//! by `domain`, applied to all channels by `compute`) or a message (`message`).

pub mod limits;

pub mod layout;

pub mod step;

pub mod lowering;

mod pages;

mod compute;

mod algebra;

mod record;

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
