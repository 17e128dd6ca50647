//! The results of today's rules for the answers that are kept: a report of `ananke run --again`, read back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The report, relative to the directory of the config.
pub(super) const REPORT: &str = ".ananke/watch.jsonl";

/// The status of a test that passed, or did not run.
const HARMLESS: [&str; 2] = ["passed", "skipped"];

/// Reads the report of the project in `folder` and removes it: the tests by id, and whether each fails. `None` if there is
/// none, or a test asks what the agent was never asked.
pub(super) fn take_results(folder: &Path) -> Option<BTreeMap<String, bool>> {
    let path = folder.join(REPORT);
    let text = fs::read_to_string(&path).ok()?;
    let _gone = fs::remove_file(&path);
    let mut results = BTreeMap::new();
    for line in text.lines() {
        let result: Value = serde_json::from_str(line).ok()?;
        if result["type"] != "result" {
            continue;
        }
        if result["problem"]["kind"] == "not_asked" {
            return None;
        }
        let (id, status) = (result["id"].as_str()?, result["status"].as_str()?);
        results.insert(id.to_owned(), !HARMLESS.contains(&status));
    }
    Some(results).filter(|results| !results.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_counts_if_every_test_was_asked() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::create_dir(folder.path().join(".ananke")).unwrap();
        let results = |lines: &[&str]| {
            fs::write(folder.path().join(REPORT), lines.join("\n")).unwrap();
            take_results(folder.path())
        };
        let [passed, failed] = [("a", "passed"), ("b", "failed")]
            .map(|(id, status)| format!(r#"{{"type":"result","id":"{id}","status":"{status}"}}"#));
        let summary = r#"{"type":"summary"}"#;
        assert_eq!(
            results(&[&passed, &failed, summary]),
            Some([("a".to_owned(), false), ("b".to_owned(), true)].into())
        );
        let not_asked = r#"{"type":"result","id":"c","status":"not_shown","error":"not asked","problem":{"kind":"not_asked"}}"#;
        assert_eq!(results(&[&passed, not_asked, summary]), None);
        assert_eq!(results(&[summary]), None);
        assert_eq!(results(&[&passed, "{\"type\":\"res"]), None);
        assert_eq!(take_results(folder.path()), None, "it was removed");
    }
}
