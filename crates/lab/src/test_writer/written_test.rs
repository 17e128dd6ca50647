//! The text of a test file: where its tests come from, their keys as YAML, and what the agent said as comments.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};

use ananke_base::context::write_file;
use ananke_base::source::{Node, NodeValue, to_yaml};
use ananke_base::text::{escape, truncate};
use ananke_model::model::NEWEST_VERSION;

/// The number of lines of the agent's text in a turn that are shown.
const MOST_LINES: usize = 20;

/// The number of characters of a line that are shown.
const LONGEST_LINE: usize = 200;

/// The comment of a file about proposed rules.
const PROPOSALS: &str = " The rules are proposals: keep those that matter.";

/// A test as it is written.
#[derive(Clone, Debug)]
pub(crate) struct WrittenTest {
    /// Its keys, without the version.
    pub(crate) keys: Node,
    /// The text of the agent in each turn that was sent.
    pub(crate) said: Vec<String>,
    /// The number of its turns.
    pub(crate) turns: usize,
    /// The number of them that a simulator, a walk or a person has written.
    pub(crate) said_by_others: usize,
    /// The parts of the conversation that are not in it, and what its reader has to know, in words.
    pub(crate) notes: Vec<String>,
    /// Whether rules of it are proposals.
    pub(crate) has_proposals: bool,
}

/// The text of a file with these tests, which begins with their origin: "Recorded with `ananke record`".
pub(crate) fn file_text(origin: &str, tests: &[WrittenTest]) -> String {
    let has_proposals = tests.iter().any(|test| test.has_proposals);
    let proposals = if has_proposals { PROPOSALS } else { "" };
    let mut text = format!("# {origin}.{proposals}\n");
    text += &to_yaml(&Node::of_json(&json!({ "version": NEWEST_VERSION })), 0);
    if let [test] = tests {
        return text + &test.text(0);
    }
    text += "tests:\n";
    for test in tests {
        let mut lines = test.text(4);
        lines.replace_range(..4, "  - ");
        text += &lines;
    }
    text
}

/// Writes these files; nothing of them is there after an error, unless it was there before.
pub(crate) fn write_together(files: &[(&Path, &str)]) -> io::Result<()> {
    let mut created: Vec<&Path> = Vec::new();
    for &(path, text) in files {
        let is_new = !path.exists();
        if let Err(error) = write_file(path, text.as_bytes()) {
            for path in created {
                // The error that is reported is the first.
                let _ = fs::remove_file(path);
            }
            return Err(error);
        }
        created.extend(is_new.then_some(path));
    }
    Ok(())
}

impl WrittenTest {
    /// A test with these keys, of which nothing is known.
    pub(crate) fn blank(keys: Node) -> Self {
        Self {
            keys,
            said: Vec::new(),
            turns: 0,
            said_by_others: 0,
            notes: Vec::new(),
            has_proposals: false,
        }
    }

    /// Its text, as lines after `indent` spaces.
    fn text(&self, indent: usize) -> String {
        let mut text = String::new();
        for entry in self.keys.entries() {
            if entry.key == "turns" && !entry.value.items().is_empty() {
                let _is_written = writeln!(text, "{:indent$}turns:", "");
                for (turn, number) in entry.value.items().iter().zip(0..) {
                    text += &to_yaml(&node(NodeValue::List(vec![turn.clone()])), indent + 2);
                    let said = self.said.get(number).map(String::as_str);
                    text += &comment(said.unwrap_or_default(), indent + 4);
                }
            } else {
                text += &to_yaml(&node(NodeValue::Map(vec![entry.clone()])), indent);
            }
        }
        text
    }
}

fn node(value: NodeValue) -> Node {
    Node {
        value,
        ..Node::of_json(&Value::Null)
    }
}

/// The text of the agent, as lines of a comment.
fn comment(said: &str, indent: usize) -> String {
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let mut text = String::new();
    for (number, line) in lines.iter().take(MOST_LINES).enumerate() {
        let label = if number == 0 { "agent: " } else { "  " };
        let line = escape::line(truncate::chars(line, LONGEST_LINE).trim_end()).into_owned();
        let _is_written = writeln!(text, "{:indent$}# {label}{}", "", shown(&line));
    }
    if lines.len() > MOST_LINES {
        let _is_written = writeln!(text, "{:indent$}#   …", "");
    }
    text
}

/// A line without the characters that YAML does not take.
fn shown(line: &str) -> String {
    line.chars()
        .filter(|character| !matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}'))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ananke_base::diagnostic::SourceFile;
    use ananke_base::source::parse;
    use serde_json::Map;

    fn test(name: &str, said: &str) -> WrittenTest {
        let keys = json!({
            "name": name,
            "turns": [{ "user": "Hi\nthere", "assert": { "tools": { "allow_only": [] } } }],
            "assert": { "tools": { "forbid": ["pay"] } },
        });
        WrittenTest {
            said: vec![said.to_owned()],
            has_proposals: name == "a",
            ..WrittenTest::blank(Node::of_json(&keys))
        }
    }

    fn read(text: &str) -> Value {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text.to_owned()));
        parse(&source)
            .unwrap_or_else(|problems| panic!("{text}\n{problems:?}"))
            .to_json()
    }

    #[test]
    fn one_test_is_the_file_and_several_are_a_list() {
        let expected = format!(
            "# Made. The rules are proposals: keep those that matter.\nversion: \"{NEWEST_VERSION}\"\nname: a\nturns:\n  - user: |-\n      Hi\n      there\n    assert:\n      tools:\n        allow_only: []\n    # agent: Hello\n    #   Bye\nassert:\n  tools:\n    forbid:\n      - pay\n"
        );
        assert_eq!(file_text("Made", &[test("a", "Hello\n\nBye")]), expected);
        let several = read(&file_text("Made", &[test("a", "x"), test("b", "y")]));
        assert_eq!(several["tests"][1]["name"], "b");
        assert_eq!(several["tests"][1]["turns"][0]["user"], "Hi\nthere");
        assert_eq!(several["tests"][1]["assert"]["tools"]["forbid"][0], "pay");
        assert!(file_text("Made", &[test("b", "")]).starts_with("# Made.\nversion"));
    }

    #[test]
    fn nothing_that_an_agent_says_gets_out_of_the_comment() {
        let hostile =
            "a\r- user: b\u{85}c\u{2028}d\u{feff}\u{fffe}\u{0}\u{1b}[2J\u{202e}\u{b}e\n\t- f\n"
                .repeat(30);
        let text = file_text("Made", &[test("a", &hostile)]);
        let read = read(&text);
        assert_eq!(read["turns"].as_array().map(Vec::len), Some(1), "{text}");
        assert_eq!(
            read["turns"][0].as_object().map(Map::len),
            Some(2),
            "{text}"
        );
        assert!(
            text.lines().count() < 40 && text.contains("#   …\nassert:\n"),
            "{text}"
        );
    }

    #[test]
    fn files_are_written_together_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("ananke-together-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [old, new, file] = ["old", "new", "file"].map(|name| folder.join(name));
        fs::write(&old, "a").unwrap();
        fs::write(&file, "").unwrap();
        let inside = file.join("a");
        let refused = write_together(&[(&old, "b"), (&new, "b"), (&inside, "b")]);
        assert!(refused.is_err());
        assert_eq!(fs::read_to_string(&old).unwrap(), "b");
        assert!(!new.exists());
        write_together(&[(&old, "c"), (&new, "c")]).unwrap();
        assert_eq!(fs::read_to_string(&new).unwrap(), "c");
        fs::remove_dir_all(&folder).unwrap();
    }
}
