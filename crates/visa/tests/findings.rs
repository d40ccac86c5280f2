//! Reports of a failed run: printed output, all faults, the thread's state, traced instructions,
//! waiting threads, and findings as SARIF.

#[path = "common/sarif.rs"]
mod sarif;

use std::process::Command;

use sarif::is_sarif;
use serde_json::Value;

const FILE: &str = "faults.cl";

fn have() -> bool {
    visakit_testing::have("findings", "vendor", visakit_testing::program("ocloc"), "ocloc")
}

/// Runs `visa` in the folder of the kernels and returns the exit code, standard output and standard
/// error.
fn visa(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    visa.current_dir(visakit_testing::root().join("crates/visa/tests/checks"));
    let output = visa.args(arguments).output().expect("visa starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn run(kernel: &str, more: &[&str]) -> (Option<i32>, String, String) {
    visa(&[&["run", FILE, "--platform", "skl", "--kernel", kernel], more].concat())
}

fn run_json(kernel: &str, more: &[&str]) -> (Option<i32>, Value) {
    let (exit, out, err) = run(kernel, &[more, &["--format", "json"]].concat());
    (exit, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{kernel}: {e}\n{out}\n{err}")))
}

const EIGHT_GROUPS: [&str; 6] = ["--global", "8", "--local", "1", "--arg", "o=zeros:32"];

#[test]
fn a_run_goes_on_behind_faults() {
    if !have() {
        return;
    }
    let more = [&EIGHT_GROUPS[..], &["--keep-going", "--dump-on-fault", "--print", "o", "--threads", "3"]].concat();
    let (exit, report) = run_json("two_faults", &more);
    assert_eq!(exit, Some(1), "{report:#}");
    assert_eq!(report["printf"], (0..8).map(|g| format!("group {g}\n")).collect::<String>());
    assert_eq!(report["results"][0]["values"], serde_json::json!([1, 0, 0, 0, 5, 0, 7, 0]));
    assert_eq!((&report["fault"]["source_line"], &report["fault"]["groups"]), (&6.into(), &4.into()));
    assert_eq!(report["fault"]["group"], serde_json::json!([1, 0, 0]));
    assert_eq!(report["more_faults"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["more_faults"][0]["source_line"], 7);
    // Without `--keep-going`, the run ends at the first fault.
    let (exit, report) = run_json("two_faults", &EIGHT_GROUPS);
    assert_eq!((exit, &report["printf"]), (Some(1), &"group 0\ngroup 1\n".into()));
    assert!(report["more_faults"].is_null() && report["fault"]["groups"].is_null());
}

#[test]
fn a_fault_shows_what_its_thread_held() {
    if !have() {
        return;
    }
    let more = [&EIGHT_GROUPS[..], &["--state"]].concat();
    let (_, report) = run_json("two_faults", &more);
    let state = &report["fault"]["state"];
    assert_eq!(state["channels"], 1);
    let variables = state["variables"].as_array().expect("variables");
    let address = variables.iter().filter(|variable| variable["used"] == true).find(|variable| {
        // 64 + 4 * 4 * 1, the address of the store.
        variable["values"].as_array().is_some_and(|values| values.first() == Some(&80.into()))
    });
    assert!(address.is_some(), "{state:#}");
    let (_, out, _) = run("two_faults", &more);
    assert!(out.contains("channels 0x1\n"), "{out}");
}

#[test]
fn chosen_work_items_are_traced() {
    if !have() {
        return;
    }
    let arguments = ["--global", "64", "--local", "32", "--arg", "o=zeros:256", "--arg", "n=i32:2", "--trace", "37"];
    let (exit, report) = run_json("counts_for_long", &arguments);
    assert_eq!(exit, Some(0));
    let trace = report["trace"].as_array().expect("a trace");
    assert!(trace.iter().all(|step| step["item"] == serde_json::json!([37, 0, 0]) && step["channel"] == 5));
    // The sum over 0 and 1 is 1; the last store writes it to the item's own element.
    let mut stores = trace.iter().filter(|step| {
        step["source_line"] == 30 && step["text"].as_str().is_some_and(|text| text.starts_with("scatter"))
    });
    let read = |step: &Value| {
        let reads = step["reads"].as_array().cloned().unwrap_or_default();
        reads.iter().flat_map(|read| read["values"].as_array().cloned().unwrap_or_default()).collect::<Vec<_>>()
    };
    let last = stores.next_back().expect("the store");
    assert!(read(last).contains(&1.into()), "{last:#}");
    let (exit, out, _) = run("counts_for_long", &arguments);
    assert_eq!((exit, out.lines().count()), (Some(0), trace.len()));
    assert!(out.lines().all(|line| line.starts_with("(37, 0, 0) ")), "{out}");
    let (exit, _, err) = run("counts_for_long", &[&arguments[..9], &["64"]].concat());
    assert!(exit == Some(2) && err.contains("trace-item") && err.contains("64 x 1 x 1"), "{err}");
}

#[test]
fn endless_loops_are_found_early() {
    if !have() {
        return;
    }
    let one = ["--global", "16", "--local", "16", "--arg", "o=zeros:64"];
    for (kernel, argument, words) in [
        ("same_state", "n=i32:0", "endless loop"),
        ("waits_for_nobody", "f=zeros:4", "waits forever"),
        ("lock_is_held", "f=fill:i32:1:1", "waits forever"),
    ] {
        for engine in ["interpreter", "native"] {
            let more = [&one[..], &["--arg", argument, "--engine", engine]].concat();
            let (exit, report) = run_json(kernel, &more);
            let finding = &report["findings"][0];
            assert_eq!((exit, &finding["code"]), (Some(1), &"fault-endless".into()), "{kernel}: {report:#}");
            assert!(finding["message"].as_str().is_some_and(|message| message.contains(words)), "{finding}");
        }
    }
    // A long loop is not reported as endless.
    let (exit, _, err) = run("counts_for_long", &[&one[..], &["--arg", "n=i32:1000000"]].concat());
    assert_eq!(exit, Some(0), "{err}");
}

#[test]
fn who_waits_is_told() {
    if !have() {
        return;
    }
    let (exit, report) =
        run_json("some_wait", &["--global", "64", "--local", "64", "--arg", "o=zeros:256", "--arg", "t=local:256"]);
    assert_eq!((exit, &report["findings"][0]["code"]), (Some(1), &"fault-barrier".into()));
    let waiting = &report["fault"]["waiting"][0];
    assert_eq!((&waiting["threads"], &waiting["first"], &waiting["source_line"]), (&1.into(), &0.into(), &36.into()));
}

/// Members that SARIF 2.1.0 requires, with valid values.
#[test]
fn findings_are_sarif() {
    if !have() {
        return;
    }
    let races = ["run", "bugs.cl", "--platform", "skl", "--kernel", "sum_without_atomic", "--check", "all"];
    let arguments = ["--global", "64", "--local", "16", "--arg", "p=range:i32:64", "--arg", "o=zeros:4"];
    let (exit, out, _) = visa(&[&races[..], &arguments, &["--format", "sarif"]].concat());
    assert_eq!(exit, Some(1));
    let log: Value = serde_json::from_str(&out).expect("JSON");
    let result = is_sarif(&log).remove(0);
    assert_eq!(result["ruleId"], "check-race");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"bugs.cl".into(), &51.into()));
    assert_eq!(result["relatedLocations"].as_array().map(Vec::len), Some(1), "the other access: {result:#}");
    let known = &result["properties"];
    assert_eq!((&known["kernel"], &known["source_line"]), (&"sum_without_atomic".into(), &51.into()), "{known:#}");
    assert!(known["other"]["local_id"].is_array() && known["memory"].is_object(), "{known:#}");
    // The path of an uninitialised value ends at its first use.
    let arguments = ["--arg", "o=range:i32:64", "--arg", "t=local:256", "--arg", "u=local:256", "--arg", "n=i32:40"];
    let place = ["run", FILE, "--platform", "skl", "--kernel", "reads_twice", "--global", "64", "--local", "64"];
    let (exit, out, _) = visa(&[&place[..], &arguments, &["--check", "uninit", "--format", "sarif"]].concat());
    let result = is_sarif(&serde_json::from_str(&out).expect("JSON")).remove(0);
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a way");
    let line = |step: &Value| step["location"]["physicalLocation"]["region"]["startLine"].as_u64();
    assert_eq!((exit, steps.iter().map(line).collect::<Vec<_>>()), (Some(1), vec![Some(45), Some(47)]), "{result:#}");
    // Findings about the command line and findings of `verify` are valid SARIF too.
    let (exit, out, _) = visa(&[&races[..4], &["--format", "sarif"]].concat());
    assert_eq!((exit, &is_sarif(&serde_json::from_str(&out).expect("JSON"))[0]["level"]), (Some(1), &"error".into()));
    let text = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=8 align=GRF\n\
                .decl V33 v_type=G type=d num_elts=8 align=GRF\n    not (M1, 8) V32(0,0)<1> V33(0,0)<8;8,1>\n    ret (M1, 1)\n";
    let path = std::env::temp_dir().join(format!("visakit-sarif-{}.visaasm", std::process::id()));
    std::fs::write(&path, text).expect("a file");
    let (exit, out, _) = visa(&["verify", &path.display().to_string(), "--format", "sarif"]);
    std::fs::remove_file(path).expect("it is there");
    let log: Value = serde_json::from_str(&out).expect("JSON");
    let result = is_sarif(&log).remove(0);
    assert_eq!((exit, &result["ruleId"], &result["level"]), (Some(0), &"unwritten".into(), &"warning".into()));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 5);
}
