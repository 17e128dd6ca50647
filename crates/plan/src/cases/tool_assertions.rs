//! The assertions of a case about calls: entries of `tools.require`.

use super::builder::{MapBuilder, false_at, number_at, text_at};
use super::lower::Lowering;
use super::lowered_assertion::LoweredAssertion;
use super::tool_results::{ResultPattern, split_patterns};
use ananke_base::diagnostic::Code;
use ananke_base::source::{Node, NodeValue, printable};
use ananke_base::text::suggest;
use ananke_model::variables::{call_as_name, tool_name_problem};
use ananke_rules::suffixed_pattern;

impl LoweredAssertion<'_> {
    pub(super) fn tool_called(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        let value = self.value(lowering, Some(("name", self.written.name.as_ref())))?;
        let (names, arguments) = match &value.value {
            NodeValue::Map(_) => (required(value, "name", lowering)?, value.get("arguments")),
            _ => (value, None),
        };
        if let Some(arguments) = arguments.filter(|node| !matches!(node.value, NodeValue::Map(_))) {
            let message = format!(
                "expected the arguments of a call, found {}",
                arguments.describe()
            );
            return lowering.refuse(
                Code::WrongType,
                arguments.span,
                &message,
                "write them as an object",
            );
        }
        report_others(value, &["name", "arguments"], lowering);
        let mut entry = MapBuilder::at(self.span);
        entry.put("name_match", names_of(names, lowering)?);
        entry.put_some(
            "args",
            arguments
                .filter(|arguments| !arguments.entries().is_empty())
                .cloned(),
        );
        self.none_if_negated(&mut entry);
        Some(entry)
    }

    pub(super) fn tool_result(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        let value = self.value(lowering, None)?;
        if !matches!(value.value, NodeValue::Map(_)) {
            let message = format!("expected a tool and its result, found {}", value.describe());
            let help = "write `{\"tool\": \"…\", \"result\": …}`";
            return lowering.refuse(Code::WrongType, value.span, &message, help);
        }
        let tool = required(value, "tool", lowering)?;
        report_others(value, &["tool", "result"], lowering);
        let mut entry = MapBuilder::at(self.span);
        entry.put("name_match", names_of(tool, lowering)?);
        entry.put("which", text_at(tool.span, "first"));
        entry.put("is_error", false_at(tool.span));
        if let Some(result) = value
            .get("result")
            .filter(|result| result.value != NodeValue::Null)
        {
            let (result, patterns) = split_patterns(result, lowering)?;
            entry.put_some("result", result);
            match patterns {
                ResultPattern::None => {}
                ResultPattern::Whole(pattern) => entry.put("result_match", pattern),
                ResultPattern::AtPaths(patterns) => entry.put("result_match", patterns),
            }
        }
        self.none_if_negated(&mut entry);
        Some(entry)
    }

    fn none_if_negated(&self, entry: &mut MapBuilder) {
        if self.is_negated() {
            entry.put("count", number_at(self.negate_span(), 0));
        }
    }
}

/// A pattern for the names of tools: exact, or after the prefix that an agent's system puts in front of them.
fn names_of(names: &Node, lowering: &mut Lowering<'_>) -> Option<Node> {
    let all = match &names.value {
        NodeValue::List(all) => all.as_slice(),
        _ => std::slice::from_ref(names),
    };
    let words: Option<Vec<&str>> = all
        .iter()
        .map(|name| name.as_str().filter(|name| !name.is_empty()))
        .collect();
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        let wrong = all
            .iter()
            .find(|name| name.as_str().is_none_or(str::is_empty))
            .unwrap_or(names);
        let message = format!("expected the name of a tool, found {}", wrong.describe());
        return lowering.refuse(
            Code::WrongType,
            wrong.span,
            &message,
            "write the name, or a list of names",
        );
    };
    let all_words = all.iter().zip(&words);
    for (name, word) in all_words {
        if let Some(message) = tool_name_problem(word) {
            let help = "write the name as the agent calls it";
            return lowering.refuse(Code::NeverMatches, name.span, &message, help);
        }
        if call_as_name(word).is_some() {
            let message = format!(
                "`{}` is compared with whole names, not as a call: write `{{\"name\": \"…\", \"arguments\": {{…}}}}`",
                printable(word)
            );
            lowering.warn(Code::PatternAsName, name.span, &message);
        }
    }
    Some(text_at(names.span, &suffixed_pattern(&words)))
}

/// A key of the value that must be there.
fn required<'n>(value: &'n Node, key: &str, lowering: &mut Lowering<'_>) -> Option<&'n Node> {
    let found = value.get(key);
    if found.is_none() {
        let message = format!("the key `{key}` is missing");
        lowering.error(
            Code::MissingKey,
            value.span,
            &message,
            &format!("add it: `\"{key}\": \"…\"`"),
        );
    }
    found
}

/// Reports keys in a value that mean nothing: they would be conditions that are not checked.
fn report_others(value: &Node, known: &[&str], lowering: &mut Lowering<'_>) {
    for entry in value
        .entries()
        .iter()
        .filter(|entry| !known.contains(&entry.key.as_str()))
    {
        let message = format!(
            "unknown key `{}`",
            ananke_base::source::printable(&entry.key)
        );
        let help = suggest(&entry.key, known, "the keys here are");
        lowering.error(Code::UnknownKey, entry.key_span, &message, &help);
    }
}
