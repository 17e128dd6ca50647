//! One assertion of a case, and the entry of a rule that it is: about the output, a script or a judge.

use super::builder::{MapBuilder, list, text, text_at, true_at};
use super::lower::Lowering;
use ananke_base::diagnostic::{Code, Span};
use ananke_base::source::{Node, NodeValue};
use ananke_model::model::{AssertionOptions, CaseAssertion, Text};
use ananke_trace::trace::Path;

/// Whether an assertion without `negate` wants something or its opposite.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Is,
    IsNot,
}

/// An assertion that is being lowered.
pub(super) struct LoweredAssertion<'c> {
    pub(super) written: &'c CaseAssertion,
    pub(super) span: Span,
    /// The fields that it means something by.
    used: Vec<&'static str>,
}

impl<'c> LoweredAssertion<'c> {
    pub(super) fn new(written: &'c CaseAssertion, span: Span) -> Self {
        Self {
            written,
            span,
            used: Vec::new(),
        }
    }

    pub(super) fn is_negated(&self) -> bool {
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

    pub(super) fn negate_span(&self) -> Span {
        let negate = self.written.negate.as_ref();
        negate.map_or(self.span, |negate| negate.span)
    }

    /// The value, which may have another name; it is reported if there is none, or two.
    pub(super) fn value(
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
                lowering.refuse(
                    Code::MissingKey,
                    self.span,
                    message,
                    "add it: `\"value\": …`",
                )
            }
            [_, second, ..] => {
                let message = format!("`value` and `{name}` both say what is expected");
                lowering.refuse(
                    Code::Contradiction,
                    second.span,
                    &message,
                    "keep one of them",
                )
            }
        }
    }

    pub(super) fn equals(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        let value = self.value(lowering, None)?;
        let mut entry = equals(self.span, value);
        self.negate_everywhere(&mut entry, Meaning::Is);
        Some(entry)
    }

    /// An entry for the value; of a list that must not occur, one for each item.
    pub(super) fn contains(
        &mut self,
        lowering: &mut Lowering<'_>,
        meaning: Meaning,
    ) -> Vec<MapBuilder> {
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

    pub(super) fn json_path(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        self.used.push("path");
        let Some(path) = &self.written.path else {
            let message = "nothing says where the value is: the key `path` is missing";
            return lowering.refuse(
                Code::MissingKey,
                self.span,
                message,
                "add it: `\"path\": \"items[0].id\"`",
            );
        };
        let value = self.value(lowering, None)?;
        let mut entry = MapBuilder::at(self.span);
        entry.put("path", case_path(path, lowering)?);
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

    pub(super) fn regex(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        let pattern = self.written.pattern.as_ref().map(text);
        self.used.push("pattern");
        let pattern = match (&self.written.value, pattern) {
            (None, Some(pattern)) => {
                self.used.push("value");
                pattern
            }
            (Some(_), Some(pattern)) => {
                let message = "`value` and `pattern` both say what is expected";
                return lowering.refuse(
                    Code::Contradiction,
                    pattern.span,
                    message,
                    "keep one of them",
                );
            }
            (_, None) => self.value(lowering, None)?.clone(),
        };
        if pattern.as_str().is_none() {
            let message = format!(
                "expected a regular expression, found {}",
                pattern.describe()
            );
            return lowering.refuse(
                Code::WrongType,
                pattern.span,
                &message,
                "write it as a text",
            );
        }
        let mut entry = MapBuilder::at(self.span);
        entry.put("match", pattern);
        self.negate_everywhere(&mut entry, Meaning::Is);
        Some(entry)
    }

    pub(super) fn value_type(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
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
            return lowering.refuse(Code::UnknownValue, value.span, &message, &help);
        };
        let mut entry = MapBuilder::at(self.span);
        match &self.written.path {
            Some(path) if !is_whole(path) => entry.put("path", case_path(path, lowering)?),
            // What is not JSON is a text.
            Some(_) | None if name != "string" => entry.put("path", text_at(value.span, "$")),
            Some(_) | None => {}
        }
        entry.put("type", value.clone());
        self.negate(&mut entry, Meaning::Is);
        Some(entry)
    }

    pub(super) fn script(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        self.used.extend(["script", "use", "value", "options"]);
        let written = match (&self.written.script, &self.written.used) {
            (Some(script), None) => script,
            (None, Some(used)) => used,
            (Some(_), Some(used)) => {
                let message = "`script` and `use` both say which script is asked";
                return lowering.refuse(
                    Code::Contradiction,
                    used.span,
                    message,
                    "keep one of them",
                );
            }
            (None, None) => {
                let message = "nothing says which script is asked: the key `script` is missing";
                return lowering.refuse(
                    Code::MissingKey,
                    self.span,
                    message,
                    "add it: `\"script\": \"scripts.checks.total\"`",
                );
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
        let expected = self.written.value.clone();
        entry.put_some("expected", expected.or_else(|| lowering.expected.cloned()));
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

    pub(super) fn agent(&mut self, lowering: &mut Lowering<'_>) -> Option<MapBuilder> {
        self.used.extend(["use", "value", "options"]);
        let Some(used) = &self.written.used else {
            let message = "nothing says which agent is asked: the key `use` is missing";
            return lowering.refuse(
                Code::MissingKey,
                self.span,
                message,
                "add it: `\"use\": \"agents:NAME\"`",
            );
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
            return lowering.refuse(Code::MissingKey, self.span, message, help);
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
    pub(super) fn report_unused(&self, lowering: &mut Lowering<'_>) {
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

/// The path of an assertion, which has the names and indexes of the format and no quoted name.
fn case_path(path: &Text, lowering: &mut Lowering<'_>) -> Option<Node> {
    if Path::parse(&path.value).is_ok_and(|path| path.has_quoted_name()) {
        let message = format!("the path `{}` has a name in quotes", path.value);
        let help = "the path of a case has names and indexes alone: `items[0].id`";
        return lowering.refuse(Code::BadValue, path.span, &message, help);
    }
    Some(if is_whole(path) {
        text_at(path.span, "$")
    } else {
        text(path)
    })
}

/// The last message as text, or the JSON in it, is equal to a value.
pub(super) fn equals(span: Span, value: &Node) -> MapBuilder {
    let mut entry = MapBuilder::at(span);
    if value.as_str().is_none() {
        entry.put("path", text_at(value.span, "$"));
    }
    entry.put("equals", value.clone());
    entry
}

/// Whether a path leads nowhere: the whole value is meant.
fn is_whole(path: &Text) -> bool {
    matches!(path.value.as_str(), "" | "$" | "$.")
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
