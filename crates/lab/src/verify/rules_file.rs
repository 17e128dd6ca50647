//! A file of rules: a test, of which its turns and its name may be missing.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use ananke_base::diagnostic::SourceFile;
use ananke_base::source::parse;
use ananke_model::model::NEWEST_VERSION;

/// The file of the test in memory that has the rules of the target alone.
pub(super) const RULES_OF_TARGET: &str = "rules-of-the-target.test.yaml";

/// That test.
pub(super) fn blank() -> String {
    format!(
        "version: \"{NEWEST_VERSION}\"\nname: rules of the target\ninteractive: {{ enabled: false }}\n"
    )
}

/// The keys that say what a test sends.
const INPUTS: [&str; 4] = ["turns", "messages", "simulate", "interactive"];

/// The text of the file at `path` with what a test needs and rules do not; `None` if nothing is missing, or it is something
/// else. Lines stay where they are.
pub(super) fn completed(path: &Path, text: &str) -> Option<String> {
    if path
        .extension()
        .is_some_and(|extension| extension == "jsonl")
    {
        return None;
    }
    let source = Arc::new(SourceFile::new("", "", text));
    let node = parse(&source).ok()?;
    if node.get("tests").is_some() {
        return None;
    }
    let mut completed = text.trim_end().to_owned();
    if node.get("name").is_none() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        completed.push_str("\nname: ");
        completed.push_str(&json!(name).to_string());
    }
    if INPUTS.iter().all(|key| node.get(key).is_none()) {
        completed += "\ninteractive: { enabled: false }";
    }
    completed += "\n";
    Some(completed).filter(|completed| completed.trim_end() != text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_added_at_the_end() {
        for (text, expected) in [
            (
                "x-a: 1\nassert: {}\n",
                Some("x-a: 1\nassert: {}\nname: \"own\"\ninteractive: { enabled: false }\n"),
            ),
            (
                "name: a\nassert: {}",
                Some("name: a\nassert: {}\ninteractive: { enabled: false }\n"),
            ),
            ("name: a\nturns: [{ user: hi }]\n", None),
            ("tests: []\n", None),
            (": [", None),
        ] {
            assert_eq!(
                completed(Path::new("own.yaml"), text).as_deref(),
                expected,
                "{text}"
            );
        }
        assert_eq!(completed(Path::new("own.jsonl"), "{}"), None);
    }
}
