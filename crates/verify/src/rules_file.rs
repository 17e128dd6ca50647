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
    let mut missing = Vec::new();
    if node.get("name").is_none() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        missing.push(format!("name: {}", json!(name)));
    }
    if INPUTS.iter().all(|key| node.get(key).is_none()) {
        missing.push("interactive: { enabled: false }".to_owned());
    }
    // A list, or a text, is no test: the reader says so.
    let first = node.entries().first()?;
    if missing.is_empty() {
        return None;
    }
    if text[node.span.range().start..].starts_with('{') {
        return with_flow_keys(text, &missing);
    }
    // The keys of a mapping begin in one column.
    let key = first.key_span.range().start;
    let line = text[..key].rfind('\n').map_or(0, |end| end + 1);
    // A byte order mark, and the mark of an explicit key, are no indentation.
    let indent = text[line..key].chars().take_while(|space| *space == ' ');
    let indent: String = indent.collect();
    let mut completed = before_end_of_document(text).trim_end().to_owned();
    for key in missing {
        completed += "\n";
        completed += &indent;
        completed += &key;
    }
    Some(completed + "\n")
}

/// The text of a flow mapping, as JSON is, with further keys on lines of their own before its end. Its end is the bracket
/// before which they can be read: others are in comments and texts.
fn with_flow_keys(text: &str, missing: &[String]) -> Option<String> {
    const MOST_TRIED: usize = 16;
    let keys = missing.join(", ");
    let ends = text.rmatch_indices('}').take(MOST_TRIED);
    // A comma may be there already.
    let mut tried = ends.flat_map(|(end, _)| [(end, ", "), (end, "")]);
    tried.find_map(|(end, comma)| {
        let completed = format!("{}\n{comma}{keys}\n{}", &text[..end], &text[end..]);
        let node = parse(&Arc::new(SourceFile::new("", "", completed.as_str()))).ok()?;
        let has_all =
            INPUTS.iter().any(|key| node.get(key).is_some()) && node.get("name").is_some();
        has_all.then_some(completed)
    })
}

/// The text without the mark at the end of its document, `...`, and what follows it.
fn before_end_of_document(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "..." {
            return &text[..at];
        }
        at += line.len();
    }
    text
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
            ("[]", None),
            (
                "---\n  x-a: 1 # why\n  assert: {}\n...\n",
                Some(
                    "---\n  x-a: 1 # why\n  assert: {}\n  name: \"own\"\n  interactive: { enabled: false }\n",
                ),
            ),
            (
                "{\"assert\": {}}",
                Some("{\"assert\": {}\n, name: \"own\", interactive: { enabled: false }\n}"),
            ),
            (
                "--- {name: a, assert: {}, # one, two\n} # end\n",
                Some(
                    "--- {name: a, assert: {}, # one, two\n\ninteractive: { enabled: false }\n} # end\n",
                ),
            ),
            (
                "{name: a, assert: {} # one, two\n}",
                Some("{name: a, assert: {} # one, two\n\n, interactive: { enabled: false }\n}"),
            ),
        ] {
            assert_eq!(
                completed(Path::new("own.yaml"), text).as_deref(),
                expected,
                "{text}"
            );
        }
        assert_eq!(completed(Path::new("own.jsonl"), "{}"), None);
    }

    #[test]
    fn what_is_added_can_be_read_in_every_style() {
        for text in [
            "assert: { tools: { forbid: [a] } }",
            "  x-a: 1\n  assert:\n    tools: { forbid: [a] }\n...",
            "{\"x-a\": 1, \"assert\": {\"tools\": {\"forbid\": [\"a\"]}}}",
            "{\n  \"x-a\": 1,\n  \"assert\": {\"tools\": {\"forbid\": [\"a\"]}},\n}\n",
            "--- { assert: { tools: { forbid: [a] } } } # ,\n...\n",
            "assert:\n  text:\n    contains: |\n      a\n",
            "? assert\n: {}\n",
            "\u{feff}assert: {}\n",
        ] {
            let completed = completed(Path::new("own.yaml"), text).unwrap();
            let source = Arc::new(SourceFile::new("", "", completed.as_str()));
            let node =
                parse(&source).unwrap_or_else(|problems| panic!("{completed}: {problems:?}"));
            for key in ["name", "interactive", "assert"] {
                assert!(node.get(key).is_some(), "{key} in {completed}");
            }
        }
    }
}
