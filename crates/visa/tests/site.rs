//! Commands that write the reference site, its addresses, and drawings.

mod common;

use std::process::Command;

use common::run;
use visakit_testing::scratch;

/// Every page that `--url` names is a file of the site.
#[test]
fn addresses_lead_to_pages_of_the_site() {
    let dir = scratch("site");
    let site = dir.join("out").display().to_string();
    let (exit, out, err) = run(&["spec", "html", "-o", &site]);
    assert_eq!((exit, err.as_str()), (0, ""));
    assert!(out.starts_with(&format!("{site}/index.html: ")), "{out}");
    let list = std::fs::read_to_string(dir.join("out/llms.txt")).unwrap();
    let addresses: Vec<_> =
        list.lines().filter_map(|line| Some(line.split_once("](")?.1.split_once(')')?.0)).collect();
    assert!(addresses.len() > 300 && list.contains("\n- [ADD](instructions/ADD.html): addition\n"), "{list}");
    for address in addresses {
        assert!(dir.join("out").join(address).is_file(), "{address}");
    }
    for word in ["ADD", "lsc_load", "0x39", "exec_size", "%r0", "tgllp", "vec_operand", "F", "sat", "type-map"] {
        let output = Command::new(env!("CARGO_BIN_EXE_visa"))
            .args(["spec", "show", "--url", word])
            .env("VISAKIT_SITE", format!("file://{site}"))
            .output()
            .unwrap();
        let urls = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() || word == "type-map", "{word}");
        for url in urls.lines() {
            let address = url.strip_prefix(&format!("file://{site}/")).unwrap_or_else(|| panic!("{url}"));
            let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
            let page = std::fs::read_to_string(dir.join("out").join(path)).unwrap_or_else(|_| panic!("{url}"));
            assert!(anchor.is_empty() || page.contains(&format!(" id=\"{anchor}\"")), "{url}");
        }
    }
    // Every code that the command explains has a page with its explanation.
    for code in ["type-map", "svg-none", "page-row"] {
        let page = std::fs::read_to_string(dir.join("out/codes").join(format!("{code}.html")));
        assert_eq!(page.is_ok(), run(&["explain", code]).0 == 0, "{code}");
    }
    // Their addresses are those pages; the environment names another copy of the site.
    for root in [None, Some(format!("file://{site}"))] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_visa"));
        command.args(["explain", "type-map"]).envs(root.iter().map(|root| ("VISAKIT_SITE", root)));
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let root = root.as_deref().unwrap_or(visakit_site::address::SITE);
        assert_eq!(text.lines().last(), Some(format!("{root}/codes/type-map.html").as_str()), "{text}");
    }
    let (exit, urls, _) = run(&["spec", "show", "--url", "ADD"]);
    assert_eq!(exit, 0);
    assert!(urls.starts_with("https://") && urls.contains("/instructions/ADD.html\n"), "{urls}");
}

/// Pages have statements of the committed texts; with a revision, the history has their changes.
#[test]
fn pages_have_examples_and_history() {
    let dir = scratch("site-history");
    let out = dir.display().to_string();
    let (exit, _, err) = run(&["spec", "html", "-o", &out, "--history", "HEAD", "--limit", "8"]);
    let page = std::fs::read_to_string(dir.join("instructions/ADD.html")).unwrap_or_default();
    // A copy of the sources may have no repository.
    if err.contains("[file-read]") || err.contains("[git-missing]") {
        println!("skipped: pages_have_examples_and_history: git has no revision here");
        return;
    }
    assert_eq!(exit, 0, "{err}");
    assert!(page.contains("id=\"examples\"") && page.contains("<code>add"), "{page}");
    let history = std::fs::read_to_string(dir.join("history.html")).unwrap();
    assert!(history.contains("Revisions of the pages") && history.contains(" id=\"r-"), "{history}");
}

#[test]
fn drawings_are_files() {
    let dir = scratch("site-svg");
    let out = dir.display().to_string();
    let (exit, said, _) = run(&["spec", "show", "exec_size", "--svg", &out]);
    assert_eq!((exit, said.lines().count()), (0, 1), "{said}");
    let drawing = std::fs::read_to_string(dir.join("Exec_size-1.svg")).unwrap();
    assert!(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && drawing.contains(">mask</text>"));
    let statement = "mov (M1, 4) D(0,0)<1> S(0,0)<0;2,4>";
    let (exit, said, _) = run(&["eval", statement, "--set", "D=ud", "--set", "S=ud", "--svg", &out]);
    assert_eq!((exit, said.lines().count()), (0, 1), "{said}");
    let drawing = std::fs::read_to_string(dir.join("MOV-1.svg")).unwrap();
    // Channels 0 and 2 read the first element, 1 and 3 the fifth.
    assert!(drawing.contains(">0,2</text>") && drawing.contains(">1,3</text>"), "{drawing}");
    let (exit, _, err) = run(&["spec", "show", "%r0", "--svg", &out]);
    assert!(exit == 1 && err.contains("[svg-none]"), "{exit} {err}");
}
