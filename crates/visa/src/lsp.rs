//! Command `visa lsp`: serves an editor over standard input and output.

use std::io;

use visakit_lsp::{Explanation, Host, serve, transport};

use crate::codes;
use crate::outcome::Outcome;
use crate::spec;

/// Serve an editor: findings, completion and navigation in texts and pages
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  visa lsp

The editor starts this command and speaks the Language Server Protocol 3.17 with it. The guide
docs/guide/editors.md has the settings of VS Code, Neovim and Helix. The setting `platform` enables
the rules of a platform; a comment `// platform: NAME` before the code of a text takes precedence.

Exit codes: 0 the editor ended the session, 2 the stream ended before")]
pub(super) struct Args {
    /// Use standard input and output; this is the default
    #[arg(long)]
    stdio: bool,
}

pub(super) fn run(_: &Args) -> Outcome {
    let host = Host { explanations, lint: spec::open_pages };
    let (connection, threads) = transport::connect(io::BufReader::new(io::stdin()), io::stdout());
    let orderly = serve(connection, host);
    match threads.join() {
        Ok(()) if orderly => Outcome::Done,
        _ => Outcome::Failed,
    }
}

fn explanations() -> Vec<Explanation> {
    let all = codes::entries().iter();
    all.map(|entry| Explanation { code: entry.code, address: entry.address.clone() }).collect()
}
