//! The command's contract as files that are dropped into `tests/cli`: `NAME.trycmd` has commands,
//! what they print and their exit codes; a folder `NAME.in` beside it is where they run, with their
//! inputs. Without one they run in this package's folder. `BLESS=1 cargo test` writes what the
//! commands print now.

use std::path::Path;
use std::process::Command;

#[test]
fn commands_print_what_their_files_say() {
    if std::env::var_os("BLESS").is_some() {
        // The library is told by a variable of its own, which only a new process can be given.
        let this = std::env::current_exe().expect("the test has a program");
        let mut again = Command::new(this);
        again.env_remove("BLESS").env("TRYCMD", "overwrite");
        assert!(again.status().expect("the test runs again").success(), "the files were written; run it again");
        return;
    }
    let visa = Path::new(env!("CARGO_BIN_EXE_visa"));
    trycmd::TestCases::new().case("tests/cli/*.trycmd").register_bin("visa", visa);
}
