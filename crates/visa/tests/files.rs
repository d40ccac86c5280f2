//! Contract of the command as files in `tests/cli`: `NAME.trycmd` has commands, their output and
//! their exit codes. Commands run in the folder `NAME.in` with its inputs, or in this package's
//! folder if there is no `NAME.in`. `BLESS=1 cargo test` updates the files.

use std::path::Path;
use std::process::Command;

#[test]
fn commands_print_what_their_files_say() {
    if std::env::var_os("BLESS").is_some() {
        // The library reads another variable than `BLESS`, which only a new process can set.
        let this = std::env::current_exe().expect("the test has a program");
        let mut again = Command::new(this);
        again.env_remove("BLESS").env("TRYCMD", "overwrite");
        assert!(again.status().expect("the test runs again").success(), "the files were written; run it again");
        return;
    }
    let visa = Path::new(env!("CARGO_BIN_EXE_visa"));
    trycmd::TestCases::new().case("tests/cli/*.trycmd").register_bin("visa", visa);
}
