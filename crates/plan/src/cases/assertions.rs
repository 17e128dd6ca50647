//! The assertions of a case, in the words of YAML rules: each assertion in, an entry of a rule out.

use super::builder::{MapBuilder, text};
use super::lower::Lowering;
use super::lowered_assertion::{LoweredAssertion, Meaning, equals};
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_base::source::Node;
use ananke_model::model::{AssertionType, CaseAssertion, CaseAssertions, TextOr};

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
            // A script takes it.
            (Some((_, list)), Some(_)) if list.value.0.iter().any(takes_expected) => {}
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
        let mut lowered = LoweredAssertion::new(assertion, written.span);
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

/// Whether an assertion is of a script without a `value`, which gets what the case expects.
fn takes_expected(written: &Spanned<TextOr<CaseAssertion>>) -> bool {
    match &written.value {
        TextOr::Text(_) => false,
        TextOr::Mapping(assertion) => {
            let kind = assertion.kind.as_ref().map(|kind| kind.value);
            kind == Some(AssertionType::Script) && assertion.value.is_none()
        }
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
