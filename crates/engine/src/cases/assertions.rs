//! The assertions of a case, in the words of YAML rules: each assertion in, an entry of a rule out.

use super::builder::{MapBuilder, false_at, list, number_at, text, text_at, true_at};
use super::lower::Lowering;
use super::tool_results::{ResultPattern, split_patterns};
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_base::source::{Node, NodeValue};
use ananke_model::model::{
    AssertionOptions, AssertionType, CaseAssertion, CaseAssertions, Text, TextOr,
};
use ananke_model::variables::tool_name_problem;
use ananke_rules::suffixed_pattern;

/// The key under which a case writes its assertions, and what is there.
type Spelling<'c> = (&'static str, Option<&'c Spanned<CaseAssertions>>);

/// The rules of a level, by the lists of an assert block that they are entries of.
#[derive(Default)]
struct LoweredRules {
    require: Vec<Node>,
    output: Vec<Node>,
    script: Vec<Node>,
    judge: Vec<Node>,
}

impl Lowering<'_> {
    /// The assert block of a level: its assertions under one of their names, else the expected output, and more.
    pub(super) fn rules(
        &mut self,
        spellings: [Spelling<'_>; 3],
        expected: Option<&Node>,
        more: Option<&Spanned<CaseAssertions>>,
        span: Span,
    ) -> MapBuilder {
        let mut rules = LoweredRules::default();
        let mut written = spellings
            .into_iter()
            .filter_map(|(name, list)| Some((name, list?)));
        let first = written.next();
        if let (Some((first, _)), Some((second, list))) = (first, written.next()) {
            let message = format!("`{first}` and `{second}` are the same");
            self.error(Code::Contradiction, list.span, &message, "keep one of them");
        }
        let is_empty = first.is_some_and(|(_, list)| list.value.0.is_empty());
        if let (Some((name, list)), true) = (first, is_empty) {
            self.warn(
                Code::AssertsNothing,
                list.span,
                &format!("the list of `{name}` is empty: it asserts nothing"),
            );
        }
        match (first.filter(|_| !is_empty), expected) {
            (Some((name, _)), Some(expected)) => {
                let message = format!("`expected` is not checked: `{name}` takes precedence");
                self.warn(Code::Contradiction, expected.span, &message);
            }
            (None, Some(expected)) => {
                let span = self.with_key(expected.span);
                rules.output.push(equals(span, expected).finish());
            }
            (_, None) => {}
        }
        for assertion in first
            .into_iter()
            .map(|(_, list)| list)
            .chain(more)
            .flat_map(|list| &list.value.0)
        {
            self.assertion(assertion, &mut rules);
        }
        rules.block(span)
    }

    fn assertion(&mut self, written: &Spanned<TextOr<CaseAssertion>>, rules: &mut LoweredRules) {
        let assertion = match &written.value {
            TextOr::Text(expected) => {
                let mut entry = MapBuilder::at(written.span);
                entry.put("equals", text(expected));
                rules.output.push(entry.finish());
                return;
            }
            TextOr::Mapping(assertion) => assertion,
        };
        let mut lowered = LoweredAssertion {
            written: assertion,
            span: written.span,
            used: Vec::new(),
        };
        let kind = assertion
            .kind
            .as_ref()
            .map_or(AssertionType::Equals, |kind| kind.value);
        let one = |entry: Option<MapBuilder>| Vec::from_iter(entry);
        let (entries, list) = match kind {
            AssertionType::Equals => (one(lowered.equals(self)), &mut rules.output),
            AssertionType::Contains => (lowered.contains(self, Meaning::Is), &mut rules.output),
            AssertionType::NotContains => {
                (lowered.contains(self, Meaning::IsNot), &mut rules.output)
            }
            AssertionType::JsonPath => (one(lowered.json_path(self)), &mut rules.output),
            AssertionType::Regex => (one(lowered.regex(self)), &mut rules.output),
            AssertionType::Type => (one(lowered.value_type(self)), &mut rules.output),
            AssertionType::ToolCalled => (one(lowered.tool_called(self)), &mut rules.require),
            AssertionType::ToolResult => (one(lowered.tool_result(self)), &mut rules.require),
            AssertionType::Script => (one(lowered.script(self)), &mut rules.script),
            AssertionType::Agent => (one(lowered.agent(self)), &mut rules.judge),
        };
        if entries.is_empty() {
            return;
        }
        for mut entry in entries {
            entry.put_text("message", assertion.message.as_ref());
            list.push(entry.finish());
        }
        lowered.report_unused(self);
    }
}

impl LoweredRules {
    fn block(self, span: Span) -> MapBuilder {
        let mut tools = MapBuilder::at(span);
        tools.put_list("require", self.require);
        let mut block = MapBuilder::at(span);
        block.put_map("tools", tools);
        block.put_list("output", self.output);
        block.put_list("script", self.script);
        block.put_list("judge", self.judge);
        block
    }
}

/// Whether an assertion without `negate` wants something or its opposite.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Is,
    IsNot,
}

/// An assertion that is being lowered.
struct LoweredAssertion<'c> {
    written: &'c CaseAssertion,
    span: Span,
    /// The fields that it means something by.
    used: Vec<&'static str>,
}

impl<'c> LoweredAssertion<'c> {
    fn is_negated(&self) -> bool {
        self.written
            .negate
            .as_ref()
            .is_some_and(|negate| negate.value)
    }

    /// Adds that the entry is negated, if it is.
    fn negate(&self, entry: &mut MapBuilder, meaning: Meaning) {
        if self.prohibits(meaning) {
            entry.put("not", true_at(self.negate_span()));
        }
    }

    /// Adds that the entry is negated, if it is, and is then about every message.
    fn negate_everywhere(&self, entry: &mut MapBuilder, meaning: Meaning) {
        self.negate(entry, meaning);
        if self.prohibits(meaning) {
            entry.put("of", text_at(self.negate_span(), "all"));
        }
    }

    /// Whether it says what must not be.
    fn prohibits(&self, meaning: Meaning) -> bool {
        self.is_negated() == (meaning == Meaning::Is)
    }

    fn negate_span(&self) -> Span {
        let negate = self.written.negate.as_ref();
        negate.map_or(self.span, |negate| negate.span)
    }

    /// The value, which may have another name; it is reported if there is none, or two.
    fn value(
        &mut self,
        lowering: &mut Lowering<'_>,
        other: Option<(&'static str, Option<&'c Node>)>,
    ) -> Option<&'c Node> {
        self.used.push("value");
        let (name, other) = other.unwrap_or_default();
        self.used.push(name);
        let all = [self.written.value.as_ref(), other];
        match all.into_iter().flatten().collect::<Vec<_>>().as_slice() {
            [one] => Some(*one),
            [] => {
                let message = "nothing says what is expected: the key `value` is missing";
                lowering.error(
                    Code::MissingKey,
                    self.span,
                    message,
                    "add it: `\"value\": …`",
                );
                None
            }
            [_, second, ..] => {
                let message = format!("`value` and `{name}` both say what is expected");
                lowering.error(
                    Code::Contradiction,
                    second.span,
                    &message,
                    "keep one of them",
                );
                None
            }
        }
    }

    fn equals(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        let value = self.value(lowering, None)?;
        let mut entry = equals(self.span, value);
        self.negate_everywhere(&mut entry, Meaning::Is);
        Some(entry)
    }

    /// An entry for the value; of a list that must not occur, one for each item.
    fn contains(&mut self, lowering: &mut Lowering<'_>, meaning: Meaning) -> Vec<MapBuilder> {
        let Some(value) = self.value(lowering, None) else {
            return Vec::new();
        };
        let values = match &value.value {
            NodeValue::List(items) if self.prohibits(meaning) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        if values.is_empty() {
            let message = "an empty list prohibits nothing";
            let help = "write a text, or a list of texts";
            lowering.error(Code::EmptyValue, value.span, message, help);
        }
        let entry = |value: &Node| {
            let mut entry = MapBuilder::at(self.span);
            let words = value
                .as_str()
                .map_or_else(|| value.to_json().to_string(), str::to_owned);
            entry.put("contains", text_at(value.span, &words));
            self.negate_everywhere(&mut entry, meaning);
            entry
        };
        values.iter().map(entry).collect()
    }

    fn json_path(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        self.used.push("path");
        let Some(path) = &self.written.path else {
            let message = "nothing says where the value is: the key `path` is missing";
            lowering.error(
                Code::MissingKey,
                self.span,
                message,
                "add it: `\"path\": \"items[0].id\"`",
            );
            return None;
        };
        let value = self.value(lowering, None)?;
        let mut entry = MapBuilder::at(self.span);
        entry.put("path", text(path));
        match &value.value {
            NodeValue::List(items) => {
                let is_scalar =
                    |item: &&Node| !matches!(item.value, NodeValue::List(_) | NodeValue::Map(_));
                let scalars = items.iter().filter(is_scalar).cloned();
                entry.put(
                    "one_of",
                    list(value.span, scalars.chain([value.clone()]).collect()),
                );
            }
            _ => entry.put("equals", value.clone()),
        }
        self.negate(&mut entry, Meaning::Is);
        Some(entry)
    }

    fn regex(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        let pattern = self.written.pattern.as_ref().map(text);
        self.used.push("pattern");
        let pattern = match (&self.written.value, pattern) {
            (None, Some(pattern)) => {
                self.used.push("value");
                pattern
            }
            (Some(_), Some(pattern)) => {
                let message = "`value` and `pattern` both say what is expected";
                lowering.error(
                    Code::Contradiction,
                    pattern.span,
                    message,
                    "keep one of them",
                );
                return None;
            }
            (_, None) => self.value(lowering, None)?.clone(),
        };
        if pattern.as_str().is_none() {
            let message = format!(
                "expected a regular expression, found {}",
                pattern.describe()
            );
            lowering.error(
                Code::WrongType,
                pattern.span,
                &message,
                "write it as a text",
            );
            return None;
        }
        let mut entry = MapBuilder::at(self.span);
        entry.put("match", pattern);
        self.negate_everywhere(&mut entry, Meaning::Is);
        Some(entry)
    }

    fn value_type(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        const TYPES: [&str; 6] = ["string", "number", "boolean", "array", "object", "null"];
        self.used.push("path");
        let value = self.value(lowering, None)?;
        let Some(name) = value.as_str().filter(|name| TYPES.contains(name)) else {
            let message = format!("expected the name of a type, found {}", value.describe());
            let help = ananke_base::text::suggest(
                value.as_str().unwrap_or_default(),
                &TYPES,
                "the types are",
            );
            lowering.error(Code::UnknownValue, value.span, &message, &help);
            return None;
        };
        let mut entry = MapBuilder::at(self.span);
        match &self.written.path {
            Some(path) => entry.put("path", text(path)),
            // What is not JSON is a text.
            None if name != "string" => entry.put("path", text_at(value.span, "$")),
            None => {}
        }
        entry.put("type", value.clone());
        self.negate(&mut entry, Meaning::Is);
        Some(entry)
    }

    fn tool_called(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
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
            lowering.error(
                Code::WrongType,
                arguments.span,
                &message,
                "write them as an object",
            );
            return None;
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

    fn tool_result(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        let value = self.value(lowering, None)?;
        if !matches!(value.value, NodeValue::Map(_)) {
            let message = format!("expected a tool and its result, found {}", value.describe());
            let help = "write `{\"tool\": \"…\", \"result\": …}`";
            lowering.error(Code::WrongType, value.span, &message, help);
            return None;
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

    fn script(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        self.used.extend(["script", "use", "value", "options"]);
        let written = match (&self.written.script, &self.written.used) {
            (Some(script), None) => script,
            (None, Some(used)) => used,
            (Some(_), Some(used)) => {
                let message = "`script` and `use` both say which script is asked";
                lowering.error(Code::Contradiction, used.span, message, "keep one of them");
                return None;
            }
            (None, None) => {
                let message = "nothing says which script is asked: the key `script` is missing";
                lowering.error(
                    Code::MissingKey,
                    self.span,
                    message,
                    "add it: `\"script\": \"scripts.checks.total\"`",
                );
                return None;
            }
        };
        let mut entry = MapBuilder::at(self.span);
        entry.put(
            "script",
            text_at(
                written.span,
                &without_prefix(written, &["scripts:", "scripts."]),
            ),
        );
        entry.put_some("expected", self.written.value.clone());
        let options = self.written.options.clone().unwrap_or_default();
        if let Some(connector) = &options.connector {
            lowering.warn(
                Code::UnknownKey,
                connector.span,
                "a script is not asked through a `connector`",
            );
        }
        entry.put_some("with", options.metadata);
        self.negate(&mut entry, Meaning::Is);
        Some(entry)
    }

    fn agent(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        self.used.extend(["use", "value", "options"]);
        let Some(used) = &self.written.used else {
            let message = "nothing says which agent is asked: the key `use` is missing";
            lowering.error(
                Code::MissingKey,
                self.span,
                message,
                "add it: `\"use\": \"agents:NAME\"`",
            );
            return None;
        };
        let AssertionOptions {
            connector,
            metadata,
        } = self.written.options.clone().unwrap_or_default();
        let entries = metadata.as_ref().map(Node::entries).unwrap_or_default();
        let in_metadata = entries
            .iter()
            .find(|entry| entry.key == "criteria")
            .map(|entry| &entry.value);
        let Some(criteria) = in_metadata.or(self.written.value.as_ref()) else {
            let message = "nothing says what must be true";
            let help = "add it as `\"value\"`, or as `criteria` of `options.metadata`";
            lowering.error(Code::MissingKey, self.span, message, help);
            return None;
        };
        if let (Some(_), Some(value)) = (in_metadata, &self.written.value) {
            let message = "`value` and `criteria` both say what must be true";
            lowering.error(Code::Contradiction, value.span, message, "keep one of them");
        }
        let mut with = MapBuilder::at(
            metadata
                .as_ref()
                .map_or(self.span, |metadata| metadata.span),
        );
        for other in entries.iter().filter(|entry| entry.key != "criteria") {
            with.put(&other.key, other.value.clone());
        }
        let mut entry = MapBuilder::at(self.span);
        entry.put(
            "agent",
            text_at(used.span, &without_prefix(used, &["agents:"])),
        );
        let words = criteria
            .as_str()
            .map_or_else(|| criteria.to_json().to_string(), str::to_owned);
        entry.put("criteria", text_at(criteria.span, &words));
        entry.put("of", text_at(self.span, "final"));
        entry.put_text("connector", connector.as_ref());
        entry.put_map("with", with);
        self.negate(&mut entry, Meaning::Is);
        Some(entry)
    }

    /// Warns of fields that mean nothing with this type.
    fn report_unused(&self, lowering: &mut Lowering<'_>) {
        let CaseAssertion {
            value,
            path,
            pattern,
            name,
            script,
            used,
            options,
            ..
        } = self.written;
        let fields = [
            ("value", value.as_ref().map(|value| value.span)),
            ("path", path.as_ref().map(|path| path.span)),
            ("pattern", pattern.as_ref().map(|pattern| pattern.span)),
            ("name", name.as_ref().map(|name| name.span)),
            ("script", script.as_ref().map(|script| script.span)),
            ("use", used.as_ref().map(|used| used.span)),
            ("options", options.as_ref().and(Some(self.span))),
        ];
        let kind = self
            .written
            .kind
            .as_ref()
            .map_or(self.span, |kind| kind.span);
        let kind = lowering.word_at(kind).unwrap_or("equals").to_owned();
        for (field, span) in fields {
            if let Some(span) = span.filter(|_| !self.used.contains(&field)) {
                lowering.warn(
                    Code::UnknownKey,
                    span,
                    &format!("`{field}` means nothing with `{kind}`"),
                );
            }
        }
    }
}

/// The last message as text, or the JSON in it, is equal to a value.
fn equals(span: Span, value: &Node) -> MapBuilder {
    let mut entry = MapBuilder::at(span);
    if value.as_str().is_none() {
        entry.put("path", text_at(value.span, "$"));
    }
    entry.put("equals", value.clone());
    entry
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
        lowering.error(
            Code::WrongType,
            wrong.span,
            &message,
            "write the name, or a list of names",
        );
        return None;
    };
    let all_words = all.iter().zip(&words);
    for (name, word) in all_words {
        if let Some(message) = tool_name_problem(word) {
            let help = "write the name as the agent calls it";
            lowering.error(Code::NeverMatches, name.span, &message, help);
            return None;
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

/// Warns of keys in a value that mean nothing.
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
        lowering.warn(Code::UnknownKey, entry.key_span, &message);
    }
}

/// A name without what says of which kind it is; the parts of a script's name are folders.
fn without_prefix(written: &Text, prefixes: &[&str]) -> String {
    let name = written.value.as_str();
    prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
        .to_owned()
}
