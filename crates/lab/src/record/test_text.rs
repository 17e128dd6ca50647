//! The text of a test file: its keys as YAML, and what the agent said as comments.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use ananke_base::source::{Node, NodeValue, to_yaml};
use ananke_base::text::{escape, truncate};
use ananke_model::model::NEWEST_VERSION;

/// The number of lines of the agent's text in a turn that are shown.
const MOST_LINES: usize = 20;

/// The number of characters of a line that are shown.
const LONGEST_LINE: usize = 200;

/// A test as it is written.
#[derive(Clone, Debug)]
pub(super) struct WrittenTest {
    /// Its keys but for its turns.
    pub(super) head: Map<String, Value>,
    /// Its turns.
    pub(super) turns: Vec<CommentedTurn>,
}

/// A turn as it is written.
#[derive(Clone, Debug)]
pub(super) struct CommentedTurn {
    /// Its keys.
    pub(super) keys: Node,
    /// The text of the agent in it.
    pub(super) said: String,
}

/// The text of a file with these tests.
pub(super) fn file_text(tests: &[WrittenTest]) -> String {
    let version = to_yaml(&Node::of_json(&json!({ "version": NEWEST_VERSION })), 0);
    match tests {
        [test] => {
            version
                + &to_yaml(&Node::of_json(&Value::Object(test.head.clone())), 0)
                + &turns(test, 0)
        }
        tests => {
            let mut text = version + "tests:\n";
            for test in tests {
                text += &to_yaml(
                    &list_of(Node::of_json(&Value::Object(test.head.clone()))),
                    2,
                );
                text += &turns(test, 4);
            }
            text
        }
    }
}

fn turns(test: &WrittenTest, indent: usize) -> String {
    if test.turns.is_empty() {
        return String::new();
    }
    let mut lines = format!("{:indent$}turns:\n", "");
    for turn in &test.turns {
        lines += &to_yaml(&list_of(turn.keys.clone()), indent + 2);
        lines += &comment(&turn.said, indent + 4);
    }
    lines
}

fn list_of(node: Node) -> Node {
    let span = node.span;
    Node {
        value: NodeValue::List(vec![node]),
        span,
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

    fn test(name: &str, said: &str) -> WrittenTest {
        let head = Map::from_iter([("name".to_owned(), json!(name))]);
        let keys = Node::of_json(
            &json!({ "user": "Hi\nthere", "assert": { "tools": { "allow_only": [] } } }),
        );
        WrittenTest {
            head,
            turns: vec![CommentedTurn {
                keys,
                said: said.to_owned(),
            }],
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
            "version: \"{NEWEST_VERSION}\"\nname: a\nturns:\n  - user: |-\n      Hi\n      there\n    assert:\n      tools:\n        allow_only: []\n    # agent: Hello\n    #   Bye\n"
        );
        assert_eq!(file_text(&[test("a", "Hello\n\nBye")]), expected);
        let several = read(&file_text(&[test("a", "x"), test("b", "y")]));
        assert_eq!(several["tests"][1]["name"], "b");
        assert_eq!(several["tests"][1]["turns"][0]["user"], "Hi\nthere");
    }

    #[test]
    fn nothing_that_an_agent_says_gets_out_of_the_comment() {
        let hostile =
            "a\r- user: b\u{85}c\u{2028}d\u{feff}\u{fffe}\u{0}\u{1b}[2J\u{202e}\u{b}e\n\t- f\n"
                .repeat(30);
        let text = file_text(&[test("a", &hostile)]);
        let read = read(&text);
        assert_eq!(read["turns"].as_array().map(Vec::len), Some(1), "{text}");
        assert_eq!(
            read["turns"][0].as_object().map(Map::len),
            Some(2),
            "{text}"
        );
        assert!(
            text.lines().count() < 40 && text.ends_with("#   …\n"),
            "{text}"
        );
    }
}
