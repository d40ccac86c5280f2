//! Requests and the choice of their executor.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{eval, inspect, run, tokens};

/// Request of a page.
#[derive(Deserialize)]
#[serde(tag = "command", rename_all = "lowercase")]
enum Request {
    /// Executes statements.
    Eval(eval::Request),
    /// Describes, prints and verifies a file.
    Inspect(inspect::Request),
    /// Returns kernels, parameters and fitting arguments of a file.
    Launch(run::Request),
    /// Runs a kernel.
    Run(run::Request),
    /// Splits a text into tokens.
    Tokens(tokens::Request),
    /// Returns the version and the names of the platforms.
    About,
}

/// Executes a request and returns the answer. Both are JSON; the answer to a wrong request has the
/// member `error`.
pub fn answer(request: &[u8]) -> String {
    let value = match serde_json::from_slice(request) {
        Ok(Request::Eval(request)) => eval::answer(&request),
        Ok(Request::Inspect(request)) => inspect::answer(&request),
        Ok(Request::Launch(request)) => run::launch(&request),
        Ok(Request::Run(request)) => run::answer(&request),
        Ok(Request::Tokens(request)) => tokens::answer(&request),
        Ok(Request::About) => about(),
        Err(why) => json!({ "error": format!("the request is wrong: {why}") }),
    };
    value.to_string()
}

fn about() -> Value {
    let platforms: Vec<&str> = visakit::isa::Platform::ALL.iter().map(|one| one.name()).collect();
    json!({ "version": env!("CARGO_PKG_VERSION"), "platforms": platforms })
}
