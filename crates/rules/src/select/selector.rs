//! The selector of calls that a rule is about: by name, arguments and result.

use super::result::{ResultConditions, check_status};
use super::{ArgumentReading, Mismatches, RuleTool, ToolName, arguments::ArgumentConditions};
use crate::evaluation::CallFocus;
use crate::values::NearMiss;
use ananke_base::diagnostic::{Code, Span};
use ananke_base::source::FreeMap;
use ananke_model::model::{CallSelector, Text};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::trace::{Fact, Facts, ToolCall, ToolResult};

/// The conditions that select calls; all must match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Selector {
    /// The tool's name.
    pub(crate) name: ToolName,
    /// The conditions on the arguments.
    pub(crate) args: ArgumentConditions,
    /// The conditions on the result.
    pub(crate) result: ResultConditions,
}

/// The keys with `not_match` of an entry.
#[derive(Clone, Copy)]
pub(crate) enum NotMatchKeys<'m> {
    /// They select too: the calls that do not match.
    Selects(Option<&'m FreeMap<Text>>, Option<&'m Text>),
    /// A selected call that matches violates the rule, which checks it itself.
    Violates(Option<&'m Text>),
}

impl Selector {
    /// Checks and fills the conditions of the entry at `span`; `None` if something is known later or was reported.
    pub(crate) fn compile(
        written: &CallSelector,
        unwanted: NotMatchKeys<'_>,
        span: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        if let Some(exact) = &written.exact
            && written.args.is_none()
            && written.result.is_none()
        {
            let message = "`exact` needs `args` or `result`";
            let help = "drop it, or add the value that must be equal".to_owned();
            interpolation.report(Code::Contradiction, exact.span, message, Some(help));
        }
        let name = ToolName::compile(
            written.name.as_ref(),
            written.name_match.as_ref(),
            span,
            interpolation,
        );
        let (unwanted_args, unwanted_result) = match unwanted {
            NotMatchKeys::Selects(args, result) => (args, result),
            NotMatchKeys::Violates(_) => (None, None),
        };
        let args = ArgumentConditions::compile(written, unwanted_args, interpolation);
        let (NotMatchKeys::Selects(_, on_result) | NotMatchKeys::Violates(on_result)) = unwanted;
        check_status(written, on_result, interpolation);
        let result = ResultConditions::compile(written, unwanted_result, interpolation);
        Some(Self {
            name: name?,
            args: args?,
            result: result?,
        })
    }

    /// The facts that it rests on.
    pub(crate) fn needs(&self) -> Facts {
        let needs = Facts::of(&[Fact::Calls]) | self.result.needs();
        needs.with((!self.args.is_empty()).then_some(Fact::Arguments))
    }

    /// Whether every call that is selected here is surely selected by `wider`.
    pub(crate) fn is_within(&self, wider: &Self) -> bool {
        wider.name.surely_includes(&self.name)
            && self.args.include(&wider.args)
            && self.result.include(&wider.result)
    }

    /// Selectors of the same tool with one of the conditions each: those on arguments first.
    pub(crate) fn each_condition(&self) -> Vec<Self> {
        let args = self.args.each().into_iter().map(|args| Self {
            args,
            result: ResultConditions::default(),
            name: self.name.clone(),
        });
        let results = self.result.each().into_iter().map(|result| Self {
            args: ArgumentConditions::default(),
            result,
            name: self.name.clone(),
        });
        args.chain(results).collect()
    }

    /// The same selector without the conditions on how the call ended.
    pub(crate) fn without_end(&self) -> Self {
        Self {
            result: self.result.without_end(),
            ..self.clone()
        }
    }

    /// The tools that it names, each with the arguments that it looks at.
    pub(crate) fn named_tools(&self) -> Vec<RuleTool<'_>> {
        self.name.with_arguments(&self.args.names())
    }

    /// The conditions in words, without the tool.
    pub(crate) fn conditions(&self) -> String {
        [self.args.describe(), self.result.describe()]
            .concat()
            .join(" and ")
    }

    /// The same selector with its patterns compiled.
    pub(crate) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let mut started = self.clone();
        started.name.start(patterns)?;
        started.args.start(patterns)?;
        started.result.start(patterns)?;
        Ok(started)
    }

    /// The conditions in words: `` `charge_card` with `amount` matching `^10` ``.
    pub(crate) fn describe(&self) -> String {
        let conditions = self.conditions();
        let with = if conditions.is_empty() { "" } else { " with " };
        format!("{}{with}{conditions}", self.name.describe())
    }

    /// Whether the call's arguments match.
    pub(crate) fn matches_args(&self, call: &ToolCall, reading: ArgumentReading) -> bool {
        self.args.match_call(call, reading)
    }

    /// Whether the call is selected if `result` is its result.
    pub(crate) fn matches_with(
        &self,
        call: &ToolCall,
        result: Option<&ToolResult>,
        reading: ArgumentReading,
    ) -> bool {
        let mut mismatches = Mismatches::default();
        self.result
            .mismatches(call, result, reading, &mut mismatches);
        mismatches.count() == 0 && self.matches_args(call, reading)
    }

    /// Whether the call's result matches, to require something.
    pub(crate) fn matches_result(&self, call: &ToolCall) -> bool {
        self.matches_result_as(call, ArgumentReading::Last)
    }

    /// Whether the call's result matches.
    pub(crate) fn matches_result_as(&self, call: &ToolCall, reading: ArgumentReading) -> bool {
        let mut mismatches = Mismatches::default();
        self.result
            .mismatches(call, call.result(), reading, &mut mismatches);
        mismatches.count() == 0
    }

    /// The author's own words for a failure of one of the conditions on values.
    pub(crate) fn message(&self) -> Option<&str> {
        self.args.message().or_else(|| self.result.message())
    }

    /// The parts that the conditions look at, with the mismatches of a call that is not selected.
    pub(crate) fn focus(&self, mismatches: &Mismatches) -> CallFocus {
        let CallFocus {
            args,
            result,
            words,
        } = mismatches.focus();
        CallFocus {
            args: [self.args.focus(), args].concat(),
            result: [self.result.focus(), result].concat(),
            words,
        }
    }

    /// The ways in which a call to such a tool is nearly selected, in words; `None` if it is selected, or far from it.
    pub(crate) fn near_miss(&self, call: &ToolCall) -> Option<String> {
        let has_conditions = !self.args.is_empty() || !self.result.is_empty();
        if !has_conditions || !self.name.matches(&call.name) {
            return None;
        }
        let mut near = NearMiss::default();
        let is_near =
            self.args.nearly_match(call, &mut near) && self.result.nearly_match(call, &mut near);
        if is_near { near.words() } else { None }
    }

    /// The line that compares the numbers of a call that is nearly selected by their value: `args_where: { amount: { min: 20, max: 20 } }`.
    pub(crate) fn near_number(&self, call: &ToolCall) -> Option<String> {
        let (mut args, mut result) = (NearMiss::default(), NearMiss::default());
        self.args.nearly_match(call, &mut args);
        self.result.nearly_match(call, &mut result);
        let of_args = args.by_value().map(|line| format!("args_where: {line}"));
        of_args.or_else(|| Some(format!("result_where: {}", result.by_value()?)))
    }

    /// In which ways a call of this name is not selected.
    pub(crate) fn mismatches(&self, call: &ToolCall) -> Mismatches {
        let mut mismatches = Mismatches::default();
        self.args.mismatches(call, &mut mismatches);
        self.result
            .mismatches(call, call.result(), ArgumentReading::Last, &mut mismatches);
        mismatches
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{answered, call, selector};
    use super::*;
    use ananke_trace::trace::Change;

    /// The reason why a call is not selected, on one line.
    fn mismatches(yaml: &str, call: &ToolCall) -> String {
        selector(yaml)
            .expect(yaml)
            .mismatches(call)
            .lines()
            .join("; ")
    }

    #[test]
    fn arguments_select() {
        let call = call(
            r#"{"amount": 10, "card": {"type": "debit"}, "tags": ["a"]}"#,
            [],
        );
        for (yaml, expected) in [
            ("name: pay", ""),
            ("{ name: pay, args: { amount: 10.0 } }", ""),
            ("{ name: pay, args: { card: { type: debit } } }", ""),
            ("{ name: pay, args: { amount: 9 } }", "amount ≠ 9"),
            ("{ name: pay, args: { tip: 1 } }", "tip ≠ 1"),
            (
                "{ name: pay, exact: true, args: { amount: 10, tags: [a] } }",
                "card ≠ (nothing)",
            ),
            (
                "{ name: pay, args_match: { amount: '^1', card.type: deb, 'tags[0]': a } }",
                "",
            ),
            (
                "{ name: pay, args_match: { amount: '^9' } }",
                "amount ≠ a match of `^9`",
            ),
            (
                "{ name: pay, args_where: { amount: { min: 10, below: 11 }, tags: { length: 1 } } }",
                "",
            ),
            (
                "{ name: pay, args_where: { amount: { above: 10, message: too little } } }",
                "amount ≠ above 10 (too little)",
            ),
            (
                "{ name: pay, args_where: { card.type: { min: 3 }, tip: { max: 5, not: true } } }",
                "card.type ≠ at least 3 (only numbers can be compared); tip ≠ not at most 5",
            ),
            ("{ name: pay, args_where: { tip: { exists: false } } }", ""),
            (
                "{ name: pay, args_match: { tip: '.' } }",
                "tip ≠ a match of `.`",
            ),
        ] {
            assert_eq!(mismatches(yaml, &call), expected, "{yaml}");
        }
    }

    #[test]
    fn arguments_that_are_not_json_match_nothing() {
        let call = call("{", []);
        assert_eq!(mismatches("name: pay", &call), "");
        for yaml in [
            "{ name: pay, args: { a: 1 } }",
            "{ name: pay, args_match: { a: '.' } }",
        ] {
            assert!(
                mismatches(yaml, &call).starts_with("the arguments are not valid JSON: "),
                "{yaml}"
            );
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn results_select() {
        let denied = || Change::CallFailed {
            id: "c".into(),
            is_denied: true,
        };
        for (yaml, changes, expected) in [
            (
                "{ name: pay, result: { ok: true } }",
                vec![answered("{\"ok\":true,\"id\":1}", None)],
                "",
            ),
            (
                "{ name: pay, result: paid }",
                vec![answered("paid", None)],
                "",
            ),
            (
                "{ name: pay, result: '42' }",
                vec![answered("42", None)],
                "",
            ),
            ("{ name: pay, result: paid }", vec![], "result  ≠ \"paid\""),
            (
                "{ name: pay, result: { ok: true } }",
                vec![answered("{\"ok\":false}", None)],
                "result ok ≠ true",
            ),
            (
                "{ name: pay, result_match: ^pa }",
                vec![answered("paid", None)],
                "",
            ),
            (
                "{ name: pay, result_where: { $.type: { equals: card }, total: { max: 9 } } }",
                vec![answered("{\"type\": \"card\", \"total\": 8.5}", None)],
                "",
            ),
            (
                "{ name: pay, result_where: { order.total: { max: 9 }, tip: { min: 1 } } }",
                vec![answered("{\"order\": {\"total\": 10}}", None)],
                "result order.total ≠ at most 9; result tip ≠ at least 1",
            ),
            // A condition on the whole sees the text that was sent, and what it means.
            (
                "{ name: pay, result_where: { min: 43, match: ^42 } }",
                vec![answered("42.0", None)],
                "result  ≠ a match of `^42` and at least 43",
            ),
            (
                "{ name: pay, result_where: { min: 40, match: '^42[.]0$' } }",
                vec![answered("42.0", None)],
                "",
            ),
            (
                "{ name: pay, result_where: { exists: false } }",
                vec![answered("paid", None)],
                "result  ≠ nothing",
            ),
            (
                "{ name: pay, result_where: { min: 1, not: true } }",
                vec![],
                "result ",
            ),
            // The last result is the result.
            (
                "{ name: pay, result_match: ^pa }",
                vec![answered("paid", None), answered("no", None)],
                "result  ≠ a match of `^pa`",
            ),
            (
                "{ name: pay, is_error: false }",
                vec![answered("paid", None)],
                "",
            ),
            (
                "{ name: pay, is_error: false }",
                vec![answered("no", Some(true))],
                "the result is an error",
            ),
            (
                "{ name: pay, is_error: true }",
                vec![answered("paid", None)],
                "the result is not an error",
            ),
            ("{ name: pay, status: pending }", vec![], ""),
            (
                "{ name: pay, status: pending }",
                vec![answered("paid", None)],
                "the call is `executed`, expected `pending`",
            ),
            (
                "{ name: pay, status: denied }",
                vec![answered("no", None), denied()],
                "",
            ),
            (
                "{ name: pay, status: executed }",
                vec![answered("no", None), denied()],
                "the call is `denied`, expected `executed`",
            ),
        ] {
            let call = call("{}", changes);
            assert_eq!(mismatches(yaml, &call), expected, "{yaml}");
            let is_selected = selector(yaml).unwrap().matches_result(&call);
            assert_eq!(is_selected, expected.is_empty(), "{yaml}");
        }
    }

    #[test]
    fn what_cannot_be_compared_is_outside_of_a_range_that_is_prescribed_by_a_prohibition() {
        let call = call(
            r#"{"amount": "1000", "amount2": 5}"#,
            [answered("\"x\"", None)],
        );
        for (condition, required, forbidden) in [
            ("{ above: 100 }", false, false),
            ("{ above: 100, not: true }", false, true),
            ("{ max: 2026-01-01, not: true }", false, true),
        ] {
            for (yaml, is_result) in [
                (
                    format!("{{ name: pay, args_where: {{ amount: {condition} }} }}"),
                    false,
                ),
                (
                    format!("{{ name: pay, args_where: {{ missing: {condition} }} }}"),
                    false,
                ),
                (
                    format!("{{ name: pay, result_where: {{ $: {condition} }} }}"),
                    true,
                ),
                (format!("{{ name: pay, result_where: {condition} }}"), true),
            ] {
                let selector = selector(&yaml).expect(&yaml);
                let matches = |reading| {
                    if is_result {
                        selector.matches_result_as(&call, reading)
                    } else {
                        selector.matches_args(&call, reading)
                    }
                };
                assert_eq!(matches(ArgumentReading::Last), required, "{yaml}");
                assert_eq!(matches(ArgumentReading::Every), required, "{yaml}");
                assert_eq!(matches(ArgumentReading::Any), forbidden, "{yaml}");
            }
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn a_selector_says_what_it_selects_and_what_is_wrong_with_it() {
        for (yaml, expected) in [
            ("name: pay", Ok("`pay`")),
            ("name_match: ^pa", Ok("a tool matching `^pa`")),
            (
                "{ name: pay, args: { a: 1 } }",
                Ok("`pay` with arguments containing `{\"a\":1}`"),
            ),
            (
                "{ name: pay, args: {}, exact: true }",
                Ok("`pay` with the arguments `{}`"),
            ),
            (
                "{ name: pay, args_match: { a: x }, result_match: y, is_error: true }",
                Ok(
                    "`pay` with `a` matching `x` and a result matching `y` and an error as its result",
                ),
            ),
            (
                "{ name: pay, status: denied }",
                Ok("`pay` with the status `denied`"),
            ),
            (
                "{ name: pay, args_where: { a: { min: 1, max: 5 } }, result_where: { type: object } }",
                Ok("`pay` with `a` at least 1 and at most 5 and a result of type object"),
            ),
            (
                "{ name: pay, result_where: { $.type: { equals: paid }, total: { above: 3 } } }",
                Ok("`pay` with a result with `$.type` equal to `\"paid\"` and `total` above 3"),
            ),
            (
                "{ name: pay, args_where: {} }",
                Err("a mapping without a path says nothing about any value"),
            ),
            (
                "{ name: pay, result_where: {} }",
                Err("a mapping without a path says nothing about any value"),
            ),
            (
                "{ name: pay, status: pending, result_where: { total: { min: 1 } } }",
                Err("a pending call has no result, which `result_where` looks at"),
            ),
            ("{}", Err("`name` or `name_match` is missing")),
            ("name: ''", Err("a tool's name cannot be empty")),
            (
                "{ name: pay, name_match: pa }",
                Err("`name` and `name_match` exclude each other"),
            ),
            (
                "{ name: pay, args: {} }",
                Err("`args` without a key selects every call"),
            ),
            (
                "{ name: pay, exact: true }",
                Err("`exact` needs `args` or `result`"),
            ),
            (
                "{ name: pay, status: pending, result_match: x }",
                Err("a pending call has no result, which `result_match` looks at"),
            ),
            (
                "{ name: pay, status: denied, is_error: false }",
                Err("the result of a denied call is an error, which `is_error: false` excludes"),
            ),
        ] {
            let compiled = selector(yaml).map(|selector| selector.describe());
            let compiled = compiled.map_err(|problems| problems.join("; "));
            assert_eq!(
                compiled,
                expected.map(str::to_owned).map_err(str::to_owned),
                "{yaml}"
            );
        }
    }

    #[test]
    fn a_selector_is_within_one_that_has_fewer_conditions() {
        let narrow =
            "{ name: pay, args: { a: 1 }, args_match: { b: x }, result_match: y, is_error: true }";
        for (wide, expected) in [
            (narrow, true),
            ("name: pay", true),
            ("name_match: ^pa", true),
            ("{ name: pay, args_match: { b: x } }", true),
            // Both are the same condition.
            ("{ name: pay, args_where: { b: { match: x } } }", true),
            ("{ name: pay, args_where: { b: { length: 1 } } }", false),
            ("{ name: pay, result_match: y, is_error: true }", true),
            ("name: refund", false),
            ("name_match: ^re", false),
            ("{ name: pay, args: { a: 2 } }", false),
            ("{ name: pay, args_match: { b: z } }", false),
            ("{ name: pay, is_error: false }", false),
        ] {
            let is_within = selector(narrow)
                .unwrap()
                .is_within(&selector(wide).unwrap());
            assert_eq!(is_within, expected, "{wide}");
        }
    }
}
