//! `visa diff` as a command.

mod common;

use common::run;
use visakit::sources::SPECIFICATION;

#[test]
fn the_command_probes_another_specification() {
    let dir = visakit_testing::scratch("impl_diff_spec");
    for (path, text) in SPECIFICATION {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let page = dir.join("instructions/ADD.md");
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, text.replace("Exec_size | Pred", "Pred | Exec_size")).unwrap();
    let (exit, json, _) = run(&["diff", "--spec", dir.to_str().unwrap(), "--format", "json"]);
    assert_eq!(exit, 1);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let finding = report["findings"].as_array().unwrap().iter().find(|f| f["code"] == "field-order").unwrap();
    assert_eq!(finding["path"], "ADD.Pred");
    assert_eq!(finding["severity"], "error");
    assert!(finding["file"].as_str().unwrap().ends_with("instructions/ADD.md"));
    assert_eq!(finding["line"], 24);
    for key in ["message", "help", "expected", "got"] {
        assert!(!finding[key].as_str().unwrap().is_empty(), "{key}");
    }
    assert!(report["facts"]["opcode"]["probed"].as_u64().unwrap() > 250);
    assert!(report["undefined"].as_array().unwrap().iter().any(|e| e["instruction"] == "RAW_SENDS"));
    let (exit, summary, findings) = run(&["diff", "--spec", dir.to_str().unwrap()]);
    assert_eq!(exit, 1);
    assert!(summary.contains("facts hold") && summary.contains("what RAW_SENDS does (no finding)"), "{summary}");
    assert!(findings.contains("error[field-order]") && findings.contains("instructions/ADD.md:24"), "{findings}");
    let (exit, _, message) = run(&["diff", "--spec", "/no/such/folder"]);
    assert_eq!(exit, 2);
    assert!(message.contains("cannot be read"), "{message}");
}
