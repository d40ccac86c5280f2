//! Checks of SARIF logs.

use std::collections::HashSet;

use serde_json::Value;

/// Checks a log against the members that SARIF 2.1.0 requires, and returns its results.
pub(crate) fn is_sarif(log: &Value) -> Vec<Value> {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|schema| schema.ends_with("sarif-2.1.0.json")));
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "visa");
    assert_eq!(runs[0]["columnKind"], "unicodeCodePoints");
    let rules = driver["rules"].as_array().expect("rules");
    let results = runs[0]["results"].as_array().expect("results");
    let mut prints = HashSet::new();
    for result in results {
        let rule = result["ruleIndex"].as_u64().and_then(|n| rules.get(n as usize)).expect("a rule");
        assert_eq!(rule["id"], result["ruleId"]);
        let (help, code) = (rule["helpUri"].as_str().expect("an address"), rule["id"].as_str().expect("a code"));
        assert!(help.starts_with("https://") && help.ends_with(&format!("/codes/{code}.html")), "{code}: {help}");
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
        let print = result["partialFingerprints"]["ruleAndLine/v1"].as_str().expect("a fingerprint");
        assert!(print.starts_with(result["ruleId"].as_str().expect("a rule")) && prints.insert(print), "{print}");
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        for location in result["locations"].as_array().expect("locations") {
            let place = &location["physicalLocation"];
            assert!(place["artifactLocation"]["uri"].as_str().is_some_and(|uri| !uri.contains(' ')));
            let region = &place["region"];
            let positive = |value: &Value| value.as_u64().is_some_and(|number| number > 0);
            let has_line = positive(&region["startLine"]) && positive(&region["startColumn"]);
            assert!(region.is_null() || has_line || region["byteOffset"].is_u64(), "{region}");
        }
    }
    results.clone()
}
