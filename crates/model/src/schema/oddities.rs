//! The oddities of a file that fits its schema: text that is probably not what its author means.
//!
//! One walk over the tree, whatever its keys. **Invariant:** what is reported changes nothing of what the file means.

use std::collections::HashSet;
use std::sync::Arc;

use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke_base::source::{Entry, Node, NodeValue, printable};

/// Lists of rules, which check nothing without entries. (`allow_only` allows nothing then.)
const RULE_LISTS: &[&str] = &[
    "contains",
    "forbid",
    "forbid_calls",
    "judge",
    "must_match",
    "must_not_match",
    "not_contains",
    "output",
    "require",
    "script",
    "state",
];

/// Keys below which texts are sent to the agent.
const SENT: &[&str] = &[
    "body",
    "content",
    "endpoint",
    "form",
    "forwardedProps",
    "headers",
    "payload",
    "query",
    "threadId",
    "user",
];

/// Keys whose texts are sentences, which may contain a `#`.
const SENTENCES: &[&str] = &[
    "contains",
    "content",
    "criteria",
    "equals",
    "not_contains",
    "say",
    "text",
    "user",
];

/// The part of the file that a value belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Blocks of rules by their names.
    Library,
    /// A block of rules.
    Rules,
    /// The texts that are sent to the agent.
    Sent,
    /// Anything else.
    Other,
}

/// The oddities of a file; `has_environment` says whether the environment has a variable of this name.
pub fn oddities(
    source: &Arc<SourceFile>,
    root: &Node,
    has_environment: &dyn Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let tests = root.get("tests").map(|tests| match &tests.value {
        NodeValue::List(tests) => tests.as_slice(),
        _ => &[],
    });
    let files = [root].into_iter().chain(tests.unwrap_or_default());
    let variables = files
        .filter_map(|test| test.get("vars"))
        .flat_map(Node::entries);
    let variables = variables.map(|entry| entry.key.as_str()).collect();
    let mut scan = OddityScan {
        source,
        variables,
        has_environment,
        found: Vec::new(),
    };
    scan.value(root, None, Part::Other);
    scan.found
}

struct OddityScan<'a> {
    source: &'a Arc<SourceFile>,
    /// The variables that the file defines.
    variables: HashSet<&'a str>,
    has_environment: &'a dyn Fn(&str) -> bool,
    found: Vec<Diagnostic>,
}

impl OddityScan<'_> {
    fn value(&mut self, node: &Node, key: Option<&str>, part: Part) {
        match &node.value {
            NodeValue::Map(entries) => {
                for entry in entries {
                    self.entry(entry, part);
                }
            }
            NodeValue::List(items) => {
                let part = if part == Part::Sent {
                    part
                } else {
                    Part::Other
                };
                for item in items {
                    self.value(item, key, part);
                }
            }
            NodeValue::String(text) => {
                if part == Part::Sent {
                    self.unreplaced(text, node.span);
                }
                if key.is_some_and(|key| SENTENCES.contains(&key)) {
                    self.cut_by_comment(text, node.span);
                }
            }
            _ => {}
        }
    }

    fn entry(&mut self, entry: &Entry, part: Part) {
        let key = entry.key.as_str();
        if key.contains("${") && !key.contains("$${") {
            let message = format!(
                "the variable in the key `{}` is not replaced",
                printable(key)
            );
            self.warn(
                Code::UnreplacedVariable,
                message,
                entry.key_span,
                "variables are replaced in values only",
            );
        }
        self.missing_space(entry);
        if part == Part::Rules
            && RULE_LISTS.contains(&key)
            && entry.value.value == NodeValue::List(Vec::new())
        {
            let message = format!("`{key}` is an empty list: it checks nothing");
            let help =
                "add an entry, or leave the key out; `false` switches off what outer levels define";
            self.warn(Code::RequiresNothing, message, entry.key_span, help);
        }
        let inner = match (part, key) {
            (_, "assert") | (Part::Library, _) | (Part::Rules, "tools" | "text") => Part::Rules,
            (_, "assertions") => Part::Library,
            (Part::Sent, _) => Part::Sent,
            (Part::Other, key) if SENT.contains(&key) => Part::Sent,
            _ => Part::Other,
        };
        self.value(&entry.value, Some(key), inner);
    }

    /// `{ sku:SENCHA }`, which YAML reads as a key without a value.
    fn missing_space(&mut self, entry: &Entry) {
        let is_empty =
            entry.value.value == NodeValue::Null && entry.value.span.start == entry.value.span.end;
        let written = self.source.text.get(entry.key_span.range());
        if let Some((name, value)) = entry.key.split_once(':')
            && is_empty
            && written == Some(entry.key.as_str())
            && !name.is_empty()
            && !value.is_empty()
            && !value.starts_with("//")
        {
            let colon = entry.key_span.start as usize + name.len() + 1;
            let key = printable(&entry.key);
            let message =
                format!("`{key}` is a key without a value: there is no space after its colon");
            let help = format!("write `{}: {}`", printable(name), printable(value));
            let warning = Diagnostic::warning(Code::SuspiciousYaml, message);
            let warning = warning.at(self.source, entry.key_span, "").help(help);
            self.found
                .push(warning.fix(self.source, Span::new(colon, colon), " "));
        }
    }

    /// `user: Order #12`, which YAML reads as `Order` and a comment.
    fn cut_by_comment(&mut self, text: &str, span: Span) {
        let is_plain = self.source.text.get(span.range()) == Some(text);
        let rest = self
            .source
            .text
            .get(span.end as usize..)
            .and_then(|rest| rest.lines().next());
        let Some(rest) = rest.filter(|_| is_plain && !text.is_empty()) else {
            return;
        };
        let comment = rest.trim_start_matches([' ', '\t']);
        // A comment usually begins with a space.
        let is_text = comment
            .strip_prefix('#')
            .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        if is_text && comment.len() < rest.len() {
            let message = format!(
                "the text ends before `{}`, which is a comment",
                printable(comment.trim_end())
            );
            let help = "quote the text, or put a space after `#`";
            let start = span.end as usize + rest.len() - comment.len();
            let comment = Span::new(start, start + comment.trim_end().len());
            self.warn(Code::SuspiciousYaml, message, comment, help);
        }
    }

    /// `{{NAME}}` and `$NAME` of something that is known.
    fn unreplaced(&mut self, text: &str, span: Span) {
        let templates = text
            .split("{{")
            .skip(1)
            .filter_map(|rest| rest.split_once("}}"));
        let braces = templates
            .map(|(name, _)| name.trim())
            .find(|name| self.is_known(name));
        let dollars = text.split('$').skip(1).map(|rest| {
            let end = rest.find(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'));
            &rest[..end.unwrap_or(rest.len())]
        });
        let dollar = dollars.filter(|name| !name.starts_with(|sign: char| sign.is_ascii_digit()));
        let dollar = dollar
            .filter(|name| !name.is_empty())
            .find(|name| (self.has_environment)(name));
        let (written, name) = match (braces, dollar) {
            (Some(name), _) => (format!("{{{{{name}}}}}"), name),
            (None, Some(name)) => (format!("${name}"), name),
            (None, None) => return,
        };
        let name = name.strip_prefix("env.").unwrap_or(name);
        let meant = if self.variables.contains(name) {
            name.to_owned()
        } else {
            format!("ENV.{name}")
        };
        let message = format!("`{}` is sent as it is written", printable(&written));
        self.warn(
            Code::UnreplacedVariable,
            message,
            span,
            &format!("write `${{{meant}}}` for the variable"),
        );
    }

    fn is_known(&self, name: &str) -> bool {
        let name = name.strip_prefix("env.").unwrap_or(name);
        self.variables.contains(name) || (self.has_environment)(name)
    }

    fn warn(&mut self, code: Code, message: String, span: Span, help: &str) {
        self.found.push(
            Diagnostic::warning(code, message)
                .at(self.source, span, "")
                .help(help),
        );
    }
}
