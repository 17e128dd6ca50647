//! JSON in what an agent says: a message that is JSON, or a fenced code block in it.
//!
//! A text comes in, a value or the reason why there is none goes out. Every text is read once.

use std::fmt;

use serde_json::Value;

use ananke_trace::trace::read_json;

/// The JSON of a text: the text itself, else the first block that is marked as `json`, else the first unmarked block
/// that is JSON.
///
/// # Errors
/// If there is none; the words after `the last message` say why.
pub(crate) fn find(text: &str) -> Result<Value, NoJson> {
    let whole = match read_json(text.trim()) {
        Ok(read) => return Ok(read.value),
        Err(error) => error,
    };
    let blocks = blocks(text);
    if let Some(block) = blocks
        .iter()
        .find(|block| block.label.eq_ignore_ascii_case("json"))
    {
        return read_json(&block.content)
            .map(|read| read.value)
            .map_err(|error| {
                let why = format!("has a block marked as JSON that is not valid JSON: {error}");
                NoJson::Broken(why)
            });
    }
    let mut unmarked = blocks.iter().filter(|block| block.label.is_empty());
    let found = unmarked.find_map(|block| Some(read_json(&block.content).ok()?.value));
    found.ok_or_else(|| {
        if text.trim_start().starts_with(['{', '[']) {
            NoJson::Broken(format!("is not valid JSON: {whole}"))
        } else {
            NoJson::Absent
        }
    })
}

/// The reason that a text has no JSON, as words after `the last message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoJson {
    /// It has nothing that is meant as JSON.
    Absent,
    /// What is meant as JSON is none.
    Broken(String),
}

impl fmt::Display for NoJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => {
                write!(
                    formatter,
                    "contains no JSON, neither as a whole nor in a fenced code block"
                )
            }
            Self::Broken(why) => write!(formatter, "{why}"),
        }
    }
}

/// A fenced code block.
#[derive(Debug, PartialEq, Eq)]
struct FencedBlock<'t> {
    /// The first word after the fence.
    label: &'t str,
    content: String,
}

/// The blocks between fences of backticks or tildes, in order; one that is not closed goes on to the end.
fn blocks(text: &str) -> Vec<FencedBlock<'_>> {
    let mut blocks: Vec<FencedBlock<'_>> = Vec::new();
    let mut open: Option<(&str, FencedBlock<'_>)> = None;
    for line in text.lines() {
        let (fence, rest) = fence(line);
        match &mut open {
            Some((opened, block)) => {
                let closes =
                    fence.len() >= opened.len() && fence.starts_with(*opened) && rest.is_empty();
                if closes {
                    blocks.extend(open.take().map(|(_, block)| block));
                } else {
                    block.content.push_str(line);
                    block.content.push('\n');
                }
            }
            None if fence.is_empty() => {}
            None => {
                let end = rest
                    .find(|char: char| !char.is_alphanumeric())
                    .unwrap_or(rest.len());
                let (label, behind) = rest.split_at(end);
                match behind.strip_suffix(fence) {
                    // All on one line.
                    Some(content) => blocks.push(FencedBlock {
                        label,
                        content: content.to_owned(),
                    }),
                    None => {
                        open = Some((
                            fence,
                            FencedBlock {
                                label,
                                content: String::new(),
                            },
                        ));
                    }
                }
            }
        }
    }
    blocks.extend(open.map(|(_, block)| block));
    blocks
}

/// The fence that a line begins with, empty if there is none, and what comes after it.
fn fence(line: &str) -> (&str, &str) {
    let line = line.trim();
    let Some(sign) = line.chars().next().filter(|sign| matches!(sign, '`' | '~')) else {
        return ("", line);
    };
    let rest = line.trim_start_matches(sign);
    let fence = &line[..line.len() - rest.len()];
    if fence.len() < 3 {
        ("", line)
    } else {
        (fence, rest.trim_start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_the_text_or_a_block_of_it() {
        for (text, expected) in [
            ("{\"a\": 1}", json!({"a": 1})),
            ("\n [1, 2]\n", json!([1, 2])),
            ("42", json!(42)),
            ("Here:\n```json\n{\"a\": 1}\n```\nDone.", json!({"a": 1})),
            ("Here:\n```\n{\"a\": 1}\n```", json!({"a": 1})),
            ("~~~~JSON\n{\"a\": \"~~~\"}\n~~~~", json!({"a": "~~~"})),
            ("```json title=x\r\n1\r\n```", json!(1)),
            ("```json {\"a\": 1} ```", json!({"a": 1})),
            ("- a list:\n  ```json\n  [1]\n  ```", json!([1])),
            ("```json\n[1]", json!([1])),
            (
                "```\n[0]\n```\n```json\n[1]\n```\n```json\n[2]\n```",
                json!([1]),
            ),
            ("```\nls -l\n```\n```\n[1]\n```", json!([1])),
            ("```python\n[0]\n```\n```\n[1]\n```", json!([1])),
        ] {
            assert_eq!(find(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn why_there_is_no_json() {
        for (text, expected) in [
            ("hello", "contains no JSON"),
            ("``[1]``", "contains no JSON"),
            ("```python\n[1]\n```", "contains no JSON"),
            ("{\"a\": 1", "is not valid JSON: EOF"),
            (
                "```json\n{\"a\": 1\n```\n```json\n[1]\n```",
                "has a block marked as JSON that is not valid JSON: EOF",
            ),
        ] {
            let why = find(text).unwrap_err();
            assert!(why.to_string().starts_with(expected), "{text}: {why}");
        }
        assert!(find(&"[".repeat(100_000)).is_err());
    }
}
