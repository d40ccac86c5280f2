//! Entry points, and the loader's tables of them.

mod entry;

mod driver;

mod device;

mod fabric;

mod context;

mod virtual_memory;

mod ipc;

mod module;

mod kernel;

mod event;

mod queue;

mod list;

mod append;

mod update;

mod graph;

mod image;

mod sysman;

mod fill;

pub(crate) mod tables;

pub(crate) mod sysman_tables;
