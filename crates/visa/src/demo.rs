//! `visa demo`: small kernels that are built into the program, with launch files.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use serde_json::json;
use visakit_diag::{Diagnostic, Severity};

use crate::io::{out, write_named};
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish};
use crate::unfinished::Unfinished;
use crate::{Cli, Command, run};

/// Run a built-in example, or write its files to a folder
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa demo                      lists the examples
  visa demo race                 shows a kernel and the bug that `visa run` finds in it
  visa demo race -o race         writes source, program and launch file to the folder race

They need neither a GPU nor Intel's compiler: the programs were compiled for skl.

Exit codes: those of `visa run`; 2 if there is no such example, or a file could not be written")]
pub(crate) struct Args {
    /// The example; the list of all when left out
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The folder for the files; it is made when it is not there
    #[arg(short, long, value_name = "DIR", requires = "name")]
    output: Option<PathBuf>,
    /// How results and errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Built-in example of `visa demo`.
struct Demo {
    name: &'static str,
    about: &'static str,
    source: &'static str,
    program: &'static [u8],
    launch: &'static str,
}

/// Declares an example of the folder `demo`.
macro_rules! demo {
    ($name:literal, $about:literal) => {
        Demo {
            name: $name,
            about: $about,
            source: include_str!(concat!("../demo/", $name, ".cl")),
            program: include_bytes!(concat!("../demo/", $name, ".zebin")),
            launch: include_str!(concat!("../demo/", $name, ".toml")),
        }
    };
}

static DEMOS: [Demo; 3] = [
    demo!("saxpy", "adds a multiple of a list to another one, and prints the result"),
    demo!("race", "sums numbers without a barrier; `--check race` finds both lines"),
    demo!("out_of_bounds", "reads after the end of a buffer; `--check bounds` finds the line"),
];

impl Demo {
    fn launch_file(&self) -> String {
        format!("{}.toml", self.name)
    }

    /// Writes the three files, and returns their paths.
    fn write(&self, folder: &Path) -> Result<Vec<String>, Box<Diagnostic>> {
        let files = [
            (format!("{}.cl", self.name), self.source.as_bytes()),
            (format!("{}.zebin", self.name), self.program),
            (self.launch_file(), self.launch.as_bytes()),
        ];
        let write = |(name, bytes): (String, &[u8])| {
            let path = folder.join(name);
            write_named(&path, &[], bytes)?;
            Ok(path.display().to_string())
        };
        files.into_iter().map(write).collect()
    }
}

pub(super) fn run(args: Args) -> Outcome {
    finish(show(&args), args.format)
}

fn show(args: &Args) -> Result<Outcome, Findings> {
    let Some(name) = &args.name else {
        list(args.format);
        return Ok(Outcome::Done);
    };
    let demo = DEMOS.iter().find(|demo| demo.name == *name).ok_or_else(|| unknown(name))?;
    let Some(folder) = &args.output else { return launch(demo, args.format) };
    let written = demo.write(folder)?;
    match args.format {
        OutputFormat::Human => {
            written.iter().for_each(|path| out(&format!("{path}\n")));
            out(&format!("run it with: visa run {}\n", folder.join(demo.launch_file()).display()));
        }
        OutputFormat::Json => answer(&[], json!({ "written": written })),
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
    Ok(Outcome::Done)
}

fn list(format: OutputFormat) {
    match format {
        OutputFormat::Human => {
            DEMOS.iter().for_each(|demo| out(&format!("{:<14} {}\n", demo.name, demo.about)));
            out("\n`visa demo NAME` runs an example, and `visa demo NAME -o DIR` writes its files.\n");
        }
        OutputFormat::Json => {
            let demos = DEMOS.iter().map(|demo| json!({ "name": demo.name, "about": demo.about }));
            answer(&[], json!({ "demos": demos.collect::<Vec<_>>() }));
        }
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
}

/// Runs an example in a separate folder, as `visa run` would.
fn launch(demo: &Demo, format: OutputFormat) -> Result<Outcome, Findings> {
    let refused = |error: std::io::Error| {
        let folder = std::env::temp_dir().display().to_string();
        Box::new(Diagnostic::new("file-write", Severity::Error, folder, format!("cannot be used: {error}")))
    };
    let (folder, _unfinished) = Unfinished::make(tempfile::tempdir, |folder| folder.path()).map_err(refused)?;
    demo.write(folder.path())?;
    // Messages name the files as if they stood in the user's folder.
    std::env::set_current_dir(folder.path()).map_err(refused)?;
    let file = demo.launch_file();
    if format == OutputFormat::Human {
        let numbered = demo.source.lines().zip(1..).map(|(line, number)| format!("{number:>3} | {line}"));
        let source: String = numbered.map(|line| line.trim_end().to_owned() + "\n").collect();
        out(&format!("{}.cl\n{source}\nvisa run {file}\n", demo.name));
    }
    let line = ["visa", "run", &file, "--format", format.name()];
    let outcome = match Cli::try_parse_from(line) {
        Ok(Cli { command: Command::Run(args), .. }) => run::run(*args),
        _ => Outcome::Failed,
    };
    // The folder cannot go away while it is the current one on every system.
    std::env::set_current_dir(std::env::temp_dir()).map_err(refused)?;
    Ok(outcome)
}

fn unknown(name: &str) -> Diagnostic {
    let known: Vec<_> = DEMOS.iter().map(|demo| demo.name).collect();
    let found = Diagnostic::new("usage-demo", Severity::Error, "visa demo", format!("there is no example `{name}`"));
    found.help(format!("the examples are {}", known.join(", ")))
}
