//! Folders of specifications: walks terminate, links are not followed, devices and pipes are
//! refused, and an overlay is the named file.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use visakit_testing::{root, scratch};

/// Time limit of a command.
const MOST: Duration = Duration::from_secs(60);

/// Runs the command and returns its exit code and its output.
#[track_caller]
fn visa(arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visa"));
    // Output goes to a file, because a pipe would have to be drained meanwhile.
    let output = scratch(&format!("folders-{}", std::thread::current().name().unwrap())).join("text");
    let file = || Stdio::from(fs::OpenOptions::new().create(true).append(true).open(&output).unwrap());
    let mut process = command.args(arguments).stdin(Stdio::null()).stdout(file()).stderr(file()).spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = process.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > MOST {
            process.kill().unwrap();
            panic!("visa {arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    (status.code().unwrap_or(-1), fs::read_to_string(&output).unwrap())
}

/// Copies our pages.
fn pages(name: &str) -> PathBuf {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let (from, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
            if from.is_dir() {
                copy(&from, &to.join(name))
            } else {
                fs::copy(&from, to.join(name)).map(drop).unwrap()
            }
        }
    }
    let dir = scratch(name).join("spec");
    copy(&root().join("spec"), &dir);
    dir
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn links_are_not_followed() {
    let dir = pages("folders-links");
    let (_, plain) = visa(&["spec", "lint", text(&dir)]);
    assert!(plain.contains("0 errors"), "{plain}");
    // Links to places inside the folder change nothing.
    symlink(".", dir.join("self")).unwrap();
    symlink("../instructions", dir.join("instructions/again")).unwrap();
    symlink("ADD.md", dir.join("instructions/SUM.md")).unwrap();
    assert_eq!(visa(&["spec", "lint", text(&dir)]), (0, plain.clone()));
    // Links to places outside are not followed but reported.
    symlink("..", dir.join("loop")).unwrap();
    let outside = dir.with_file_name("OUTSIDE.md");
    fs::write(&outside, "# OUTSIDE\n").unwrap();
    symlink(&outside, dir.join("instructions/OUTSIDE.md")).unwrap();
    symlink("nowhere", dir.join("instructions/.#ADD.md")).unwrap();
    let (code, linked) = visa(&["spec", "lint", text(&dir)]);
    assert_eq!((code, linked.matches("warning[link-not-followed]").count()), (0, 3), "{linked}");
    for place in ["loop", "instructions/OUTSIDE.md", "instructions/.#ADD.md"] {
        assert!(linked.contains(text(&dir.join(place))), "{place}: {linked}");
    }
    for command in [&["spec", "export"][..], &["spec", "diff", text(&dir)], &["spec", "show", "ADD", "--spec"]] {
        let (code, said) = visa(&[command, &[text(&dir)]].concat());
        assert!(code == 0 || said.contains("unexpected argument"), "{command:?}: {code} {said}");
    }
    // A folder named by a link is followed.
    let named = dir.with_file_name("named");
    symlink(&dir, &named).unwrap();
    assert_eq!(visa(&["spec", "lint", text(&named)]).0, 0);
}

#[test]
fn pipes_and_devices_are_no_pages() {
    let dir = pages("folders-pipes");
    pipe(&dir.join("PIPE"));
    assert_eq!(visa(&["spec", "lint", text(&dir)]).0, 0);
    pipe(&dir.join("instructions/PIPE.md"));
    for command in [&["spec", "lint"][..], &["spec", "export"], &["spec", "diff", text(&dir)]] {
        let (code, said) = visa(&[command, &[text(&dir)]].concat());
        assert!(code == 2 && said.contains("PIPE.md") && said.contains("a device or a pipe"), "{code} {said}");
    }
}

#[test]
fn an_overlay_is_the_file_that_was_named() {
    let dir = pages("folders-overlays");
    let spec = text(&dir);
    let pipe_file = dir.with_file_name("pipe");
    pipe(&pipe_file);
    for file in [Path::new("/dev/null"), Path::new("/dev/zero"), &pipe_file, &dir] {
        let (code, said) = visa(&["spec", "lint", spec, "--overlay", text(file)]);
        assert!(code == 2 && said.contains("not a file") && said.contains(text(file)), "{code} {said}");
    }
    let empty = dir.with_file_name("empty.md");
    fs::write(&empty, "# Corrections\n\n## One day\n\nThere will be some.\n").unwrap();
    let (code, said) = visa(&["spec", "lint", spec, "--overlay", text(&empty)]);
    assert!(code == 1 && said.contains("error[overlay-empty]") && said.contains("empty.md:1:1"), "{code} {said}");
    // The tree around the overlay is not read: a pipe deep inside would be refused.
    let around = scratch("folders-around");
    fs::create_dir_all(around.join("a/b/c")).unwrap();
    pipe(&around.join("a/b/c/PIPE.md"));
    let overlay = around.join("overlay.md");
    fs::write(&overlay, "## Why\n\nThe vendor's page says otherwise.\n\n### page instructions/ADD.md\n").unwrap();
    let (code, said) = visa(&["spec", "lint", spec, "--overlay", text(&overlay)]);
    assert!(code == 0 && said.contains("overlay-already"), "{code} {said}");
    // A page that is missing in the folder is taken from the program.
    fs::remove_file(dir.join("instructions/ADD.md")).unwrap();
    let (code, said) = visa(&["spec", "lint", spec, "--overlay", text(&overlay)]);
    assert!(code == 0 && !said.contains("overlay-already"), "{code} {said}");
}
