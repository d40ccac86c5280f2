//! Launches with their recordings and reports, and the threads that run commands.

pub mod record;

pub mod report;

pub mod launch;

pub mod pool;
