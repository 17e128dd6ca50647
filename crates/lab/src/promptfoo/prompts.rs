//! The prompts of a file: what the user says in each of its tests.

use std::sync::Arc;

use serde_json::json;

use super::source_files::{SourceFiles, Sourced, extension, file_path};
use super::template::Template;
use ananke_base::diagnostic::{SourceFile, Span};
use ananke_base::source::{self, Node};

/// A prompt.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) label: String,
    pub(super) source: Arc<SourceFile>,
    pub(super) span: Span,
    /// The messages, each with its role; the last is the user's.
    messages: Vec<(String, Template)>,
}

/// The roles of messages that a test can send.
const ROLES: [&str; 4] = ["system", "user", "assistant", "developer"];

impl Prompt {
    /// The names of the variables in it.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().flat_map(|(_, text)| text.names())
    }

    /// Puts what is said into a test, in which the variables `empty` have no value.
    pub(super) fn put(&self, test: &mut Node, empty: &[&str]) {
        if let [(_, only)] = self.messages.as_slice() {
            let turns = json!([{ "user": only.written_without(empty) }]);
            test.set("turns", Node::of_json(&turns));
            return;
        }
        let messages = self.messages.iter();
        let messages: Vec<_> = messages
            .map(|(role, text)| json!({ "role": role, "content": text.written_without(empty) }))
            .collect();
        test.set("messages", Node::of_json(&json!(messages)));
    }
}

impl SourceFiles<'_> {
    /// The prompts that can be converted.
    pub(super) fn prompts(&mut self, written: Option<&Sourced>, root: &Sourced) -> Vec<Prompt> {
        let Some(written) = written else {
            // Without any, promptfoo sends the variable `prompt`.
            let only = Sourced {
                source: Arc::clone(&root.source),
                node: Node::of_json(&json!("{{prompt}}")),
            };
            return self
                .prompt(&only, String::new(), "{{prompt}}")
                .into_iter()
                .collect();
        };
        let mut prompts = Vec::new();
        for item in written.items() {
            let named = item.get("raw").or_else(|| item.get("id"));
            let label = item
                .get("label")
                .and_then(|label| label.node.as_str().map(str::to_owned));
            let item = named.unwrap_or(item);
            let number = prompts.len() + 1;
            let Some(text) = item.node.as_str() else {
                let help = "a prompt is a text, or the path of a file with one";
                self.leave_out(&item.source, item.node.span, "this prompt", help);
                continue;
            };
            let label = label.unwrap_or_else(|| {
                if is_path(text) {
                    file_path(text).to_owned()
                } else {
                    format!("prompt {number}")
                }
            });
            if !is_path(text) {
                prompts.extend(self.prompt(&item, label, text));
                continue;
            }
            if !["txt", "md", "json", "yaml", "yml"].contains(&extension(text)) {
                let help = "a prompt that a program makes is not known before it runs: write a test for each text";
                self.leave_out(
                    &item.source,
                    item.node.span,
                    &format!("the prompt `{}`", source::printable(text)),
                    help,
                );
                continue;
            }
            let Some(file) = self.text(&item) else {
                continue;
            };
            // A file of text holds several, with a line of dashes between them.
            let texts: Vec<&str> = match extension(text) {
                "txt" => file.text.split("\n---\n").collect(),
                _ => vec![&file.text],
            };
            for (index, part) in texts.iter().enumerate() {
                let label = match texts.len() {
                    1 => label.clone(),
                    _ => format!("{label} {}", index + 1),
                };
                prompts.extend(self.prompt(&item, label, part.trim()));
            }
        }
        prompts
    }

    /// A prompt of this text, which is written at a place.
    fn prompt(&mut self, at: &Sourced, label: String, text: &str) -> Option<Prompt> {
        match messages(text) {
            Ok(messages) => Some(Prompt {
                label,
                source: Arc::clone(&at.source),
                span: at.node.span,
                messages,
            }),
            Err(reason) => {
                self.leave_out(&at.source, at.node.span, "this prompt", reason);
                None
            }
        }
    }
}

/// Whether a prompt is the path of a file.
fn is_path(text: &str) -> bool {
    let known = [
        "txt", "md", "json", "yaml", "yml", "js", "ts", "py", "csv", "j2",
    ];
    let is_word = !text.contains(char::is_whitespace) && !text.contains("{{");
    text.starts_with("file://") || is_word && known.contains(&extension(text))
}

/// A text as the one message.
fn said_by_user(text: &str) -> Result<Vec<(String, Template)>, String> {
    Ok(vec![("user".to_owned(), Template::parse(text)?)])
}

/// The messages of a prompt: a list of them in JSON or YAML, else the text as what the user says.
fn messages(text: &str) -> Result<Vec<(String, Template)>, String> {
    if !text.starts_with('[') && !text.starts_with("- role:") {
        return said_by_user(text);
    }
    let source = Arc::new(SourceFile::new("prompt", "", text));
    let Ok(list) = source::parse(&source) else {
        return said_by_user(text);
    };
    if list.items().iter().all(|item| item.get("role").is_none()) {
        return said_by_user(text);
    }
    let mut messages = Vec::new();
    for item in list.items() {
        let role = item.get("role").and_then(Node::as_str).unwrap_or_default();
        let content = item.get("content").and_then(Node::as_str);
        let (true, Some(content)) = (ROLES.contains(&role), content) else {
            return Err("each of its messages needs a role and a text as `content`".to_owned());
        };
        messages.push((role.to_owned(), Template::parse(content)?));
    }
    if messages.last().is_none_or(|(role, _)| role != "user") {
        return Err("its last message is not the user's".to_owned());
    }
    Ok(messages)
}
