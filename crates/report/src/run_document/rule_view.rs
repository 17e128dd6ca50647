//! Rules and problems of a test or a turn, as readers get them.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};

use super::event_numbers::{CitedEvent, UNSAID, cited, numbered};
use super::part::{filled, listed};
use super::{difference_view::DifferenceLines, duration::Milliseconds, milliseconds, part};
use ananke_base::diagnostic::{Excerpt, ExcerptLine, Place, SourceFile};
use ananke_base::source::{parse, parse_json};
use ananke_base::text::Usd;
use ananke_trace::outcome::{
    CaseWords, ComparedValue, ErrorKind, EvidenceLine, FailureReason, Level, Measured,
    MeasuredUnit, Problem, RuleCounts, RuleResult, RuleStatus, Ruling, Status, ValueDifference,
};
use ananke_trace::redact::Sealed;
use ananke_trace::trace::EventNumber;

part! {
    /// A rule and its result.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    pub(crate) struct Assertion<'a> of (result: &'a RuleResult) {
        let words = RuleWords::of(result);
        let named = words.fields.get("path").and_then(Value::as_str).map(str::to_owned);
        let has_failed = result.has_failed();
        /// The kind of the rule, as in `rule`. For an assertion of a case of a JSONL file, its type as it is written: `contains`,
        /// `tool_called`.
        #[serde(rename = "type")]
        kind: Cow<'a, str> = words.kind;
        /// The rule: its kind, and what it looks at. Before version 1.2 a text, its kind, for an assertion of a case alone.
        #[schemars(extend("x-since" = "1.1"))]
        rule: RuleIdentity<'a> = RuleIdentity::of(result, named.clone());
        /// The tool of `rule`, where version 1.1 has it.
        #[schemars(extend("x-since" = "1.1"))]
        tool?: Cow<'a, str> = result.tool.as_deref().map(Cow::Borrowed);
        /// The result. Rules that were never evaluated are not listed: requirements of an aborted turn or test, and
        /// scripts and judges that were not asked because another rule failed.
        #[schemars(extend("x-since" = "1.1"))]
        status: RuleStatus = result.status;
        /// Whether it passed; omitted if it neither passed nor failed.
        passed?: bool = (result.status != RuleStatus::NotShown).then_some(!has_failed);
        /// The finding, on one line, or what is not shown; omitted if the rule passed.
        message?: Cow<'a, str> = filled(&result.message);
        /// The rule as it is written, with variables not filled: any JSON value. For an assertion of a case, its `value`, or what is
        /// `expected`; omitted if it has none.
        #[schemars(with = "Option<serde_json::Value>")]
        #[serde(skip_deserializing)]
        value?: Value = words.value;
        /// For an assertion of a case: the other fields that it has.
        #[schemars(extend("x-since" = "1.1"))]
        #[serde(flatten, skip_deserializing)]
        case: CaseFields = CaseFields::of(&words.fields);
        /// `state` if an assertion of a case was evaluated on the state that the agent sent, since its message has no JSON; omitted
        /// otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        #[serde(rename = "in")]
        looked_in?: ComparedValue = result.is_about_state_instead().then_some(ComparedValue::State);
        /// The text of the rule as it is written.
        #[schemars(extend("x-since" = "1.1"))]
        written: Cow<'a, str> = Cow::Borrowed(&result.written);
        /// What the rule expects, in words; omitted if the message contains it.
        expected?: Cow<'a, str> = filled(&result.expected);
        /// The path of `rule`, where version 1.0 has it.
        #[serde(skip_deserializing)]
        path?: String = named;
        /// For a limit: the number that was measured.
        #[schemars(with = "Option<f64>")]
        actual?: Number = result.measured.as_ref().and_then(actual);
        /// For a limit: the most that passes.
        limit?: Number = result.measured.as_ref().map(limit);
        /// What both count: `ms`, `tokens`, `calls`.
        unit?: Cow<'a, str> = result.measured.map(|measured| measured.unit.as_str().into());
        /// For a rule with triggers: how often it was triggered, so far if it failed.
        triggered?: u64 = result.counts.map(|counts| counts.triggered);
        /// For a rule with triggers: how often it could not be checked, so far if it failed.
        not_checkable?: u64 = result.counts.map(|counts| counts.not_checkable);
        /// What was seen instead: the closest calls or texts; omitted if the rule passed.
        seen?: Vec<Cow<'a, str>> =
            has_failed.then(|| result.seen.iter().map(|line| line.text().into()).collect());
        /// What each entry of `seen` is, of as many as are a call or a message; omitted if none is.
        #[schemars(extend("x-since" = "1.1"))]
        evidence?: Vec<EvidenceView<'a>> = listed(
            (0..).zip(&result.seen).filter_map(|(entry, line)| EvidenceView::known(entry, line)),
        ).filter(|_| has_failed);
        /// The words in the agent's text that a text rule found; omitted if it found none.
        #[schemars(extend("x-since" = "1.1"))]
        found?: Cow<'a, str> = result.found.as_deref().map(Cow::Borrowed);
        /// The values that differ from what was expected, those of the closest candidate first; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        differences?: Vec<DifferenceView<'a>> =
            listed(result.differences.iter().map(DifferenceView::of));
        /// For a snapshot or a sequence: the differences, line by line as `diff -u` writes them. Long differences are
        /// truncated, with a note.
        #[serde(skip_deserializing)]
        difference?: String = result.difference.as_ref().map(ToString::to_string);
        /// The parts of `difference`, each with its place in both texts; omitted if there is none.
        #[schemars(extend("x-since" = "1.1"))]
        difference_lines?: DifferenceLines<'a> = result.difference.as_ref().map(DifferenceLines::of);
        /// What a judge decided, of a rule that asks one; omitted for any other rule. A judge is an agent: its verdict is not
        /// deterministic.
        judge?: Cow<'a, Ruling> = result.ruling.as_ref().map(Cow::Borrowed);
        /// What to do about it; omitted if that follows from the rule.
        help?: Cow<'a, str> = result.help.as_deref().map(Cow::Borrowed);
        /// The key that equal failures share; omitted if the rule did not fail.
        #[schemars(extend("x-since" = "1.1"))]
        #[serde(skip_deserializing)]
        reason?: FailureReason = has_failed.then(|| result.reason());
        /// The level that the rule is defined on.
        level: Level = result.level;
        /// `true` if the rule forbids something; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        prohibition?: bool = result.is_prohibition.then_some(true);
        /// The events that show the result, in their order; omitted if there are none. Before version 1.2 a number each, which
        /// counts the events of the test from 0.
        #[schemars(extend("x-since" = "1.1"))]
        events?: Cow<'a, [CitedEvent]> = cited(&result.events);
        /// The file that contains the rule.
        file: Cow<'a, str> = Cow::Borrowed(&result.place.file);
        /// The line of the rule, from 1.
        line: u32 = result.place.line;
        /// The column of the rule, from 1, in characters.
        #[schemars(extend("x-since" = "1.1"))]
        column: u32 = result.place.column;
        /// The lines of the file by which a person recognises the rule; omitted if the rule passed.
        #[schemars(extend("x-since" = "1.1"))]
        excerpt?: Vec<ExcerptLineView<'a>> =
            listed(result.excerpt.lines.iter().map(ExcerptLineView::of));
    }
}

part! {
    /// A rule: its kind, and what it looks at.
    #[derive(Debug, Default, Serialize, JsonSchema)]
    #[schemars(rename = "Rule")]
    pub(crate) struct RuleIdentity<'a> of (result: &'a RuleResult, named: Option<String>) {
        /// The rule's path in an assert block: `tools.require`, `timing.max_idle_ms`.
        #[schemars(extend("x-since" = "1.2"))]
        kind: Cow<'a, str> = Cow::Borrowed(&*result.rule);
        /// The tool that the finding is about; omitted if it is about none, or if the rule passed.
        #[schemars(extend("x-since" = "1.2"))]
        tool?: Cow<'a, str> = result.tool.as_deref().map(Cow::Borrowed);
        /// The path that the rule looks at: that of an entry of `output` or `state`.
        #[schemars(extend("x-since" = "1.2"))]
        path?: String = named;
    }
}

/// The same, as versions before 1.2 have it, too: they name the kind alone, and of an assertion of a case alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum RuleIdentityForm {
    Kind(String),
    Whole { kind: String, tool: Option<String> },
}

impl<'de> Deserialize<'de> for RuleIdentity<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (kind, tool) = match RuleIdentityForm::deserialize(deserializer)? {
            RuleIdentityForm::Kind(kind) => (kind, None),
            RuleIdentityForm::Whole { kind, tool } => (kind, tool),
        };
        Ok(Self {
            kind: kind.into(),
            tool: tool.map(Cow::Owned),
            path: None,
        })
    }
}

part! {
    /// The fields of an assertion of a case that a rule has no words for.
    #[derive(Debug, Default, Serialize, JsonSchema)]
    pub(crate) struct CaseFields of (fields: &Map<String, Value>) {
        let of = |name: &str| fields.get(name).cloned();
        /// The pattern of a `regex`.
        #[schemars(extend("x-since" = "1.1"))]
        pattern?: Value = of("pattern").filter(Value::is_string);
        /// The tool of a `tool_called`.
        #[schemars(extend("x-since" = "1.1"))]
        name?: Value = of("name");
        /// The script that is asked.
        #[schemars(extend("x-since" = "1.1"))]
        script?: Value = of("script");
        /// The agent or script that is asked.
        #[schemars(extend("x-since" = "1.1"))]
        #[serde(rename = "use")]
        used?: Value = of("use");
        /// `true` if it is negated.
        #[schemars(extend("x-since" = "1.1"))]
        negate?: Value = of("negate");
        /// The options with which an agent or a script is asked.
        #[schemars(extend("x-since" = "1.1"))]
        options?: Value = of("options");
    }
}

/// A rule as it is written: of an assertion of a case in its own words.
struct RuleWords<'a> {
    /// Its type.
    kind: Cow<'a, str>,
    /// Its value.
    value: Option<Value>,
    /// Its other fields.
    fields: Map<String, Value>,
}

impl<'a> RuleWords<'a> {
    fn of(result: &'a RuleResult) -> Self {
        if let Some(CaseWords { kind, mut fields }) =
            CaseWords::in_file(&result.place.file, &result.written)
        {
            return Self {
                kind: kind.into(),
                value: fields.shift_remove("value"),
                fields,
            };
        }
        let written = yaml(&result.written);
        let path = written.get("path").cloned();
        let path = path.map(|path| ("path".to_owned(), path));
        Self {
            kind: Cow::Borrowed(&*result.rule),
            fields: path.into_iter().collect(),
            value: Some(written),
        }
    }
}

impl From<Assertion<'_>> for RuleResult {
    fn from(read: Assertion<'_>) -> Self {
        let measured = measured(&read);
        let seen = read.seen.into_iter().flatten();
        let mut seen: Vec<EvidenceLine> =
            seen.map(|text| EvidenceLine::Words(text.into())).collect();
        for evidence in read.evidence.into_iter().flatten() {
            if let Some(line) = seen.get_mut(evidence.entry) {
                evidence.mark(line);
            }
        }
        let counts = read.triggered.zip(read.not_checkable);
        // Before version 1.2, `type` alone has the kind of a rule that is no assertion of a case.
        let kind = if read.rule.kind.is_empty() {
            read.kind
        } else {
            read.rule.kind
        };
        Self {
            rule: owned(kind),
            looked_in: match read.status {
                RuleStatus::Passed => read.looked_in,
                _ => None,
            },
            tool: read.rule.tool.or(read.tool).map(Into::into),
            level: read.level,
            is_prohibition: read.prohibition.unwrap_or_default(),
            place: Place {
                file: read.file.into(),
                line: read.line,
                column: read.column,
            },
            written: read.written.into(),
            expected: read.expected.unwrap_or_default().into(),
            // Version 1.0 has no `status`.
            status: if read.passed == Some(false) {
                RuleStatus::Failed
            } else {
                read.status
            },
            message: read.message.unwrap_or_default().into(),
            measured,
            ruling: read.judge.map(Cow::into_owned),
            counts: counts.map(|(triggered, not_checkable)| RuleCounts {
                triggered,
                not_checkable,
            }),
            excerpt: Excerpt {
                lines: read.excerpt.into_iter().flatten().map(Into::into).collect(),
            },
            seen,
            found: read.found.map(Into::into),
            differences: read
                .differences
                .into_iter()
                .flatten()
                .map(Into::into)
                .collect(),
            difference: read.difference_lines.map(Into::into),
            help: read.help.map(Into::into),
            events: numbered(&read.events.unwrap_or_default()),
        }
    }
}

part! {
    /// A line of a file.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "ExcerptLine")]
    pub(crate) struct ExcerptLineView<'a> of (of: &'a ExcerptLine) {
        /// Its number in the file, from 1.
        line: u32 = of.number;
        /// Its text. A long one is truncated.
        text: Cow<'a, str> = Cow::Borrowed(&of.text);
        /// `true` if it is of the rule itself; omitted of a line that contains it.
        meant?: bool = of.is_meant.then_some(true);
    }
}

impl From<ExcerptLineView<'_>> for ExcerptLine {
    fn from(read: ExcerptLineView<'_>) -> Self {
        Self {
            number: read.line,
            text: read.text.into(),
            is_meant: read.meant.unwrap_or_default(),
        }
    }
}

part! {
    /// What an entry of `seen` is.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Evidence")]
    pub(crate) struct EvidenceView<'a> of (number: usize, call: Option<(EventNumber, &'a str)>) {
        /// The number of the entry, from 0.
        entry: usize = number;
        /// The turn of the call's first event, from 1; omitted of a message.
        #[schemars(extend("x-since" = "1.2"))]
        turn?: u32 = call.map(|(event, _)| event.turn);
        /// The number of that event in its turn; omitted of a message.
        event?: u32 = call.map(|(event, _)| event.number);
        /// What is to be said of the call, where the call itself and the values that differ are shown; omitted if nothing is.
        remark?: Cow<'a, str> = call.and_then(|(_, remark)| filled(remark));
    }
}

impl<'a> EvidenceView<'a> {
    fn known(entry: usize, line: &'a EvidenceLine) -> Option<Self> {
        match line {
            EvidenceLine::Call { event, remark, .. } => {
                Some(Self::of(entry, Some((*event, remark))))
            }
            EvidenceLine::Said(_) => Some(Self::of(entry, None)),
            EvidenceLine::Words(_) => None,
        }
    }

    fn mark(self, line: &mut EvidenceLine) {
        let text = line.text().to_owned();
        *line = match self.event {
            Some(event) => EvidenceLine::Call {
                text,
                event: (self.turn.unwrap_or(UNSAID), event).into(),
                remark: self.remark.unwrap_or_default().into(),
            },
            None => EvidenceLine::Said(text),
        };
    }
}

part! {
    /// A value that is not what a rule expects.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "ValueDifference")]
    pub(crate) struct DifferenceView<'a> of (difference: &'a ValueDifference) {
        /// The turn of the call's first event, from 1; omitted if it is not about a call.
        #[schemars(extend("x-since" = "1.2"))]
        turn?: u32 = difference.event.map(|event| event.turn);
        /// The number of that event, as in `turns[].items`; omitted if it is not about a call.
        event?: u32 = difference.event.map(|event| event.number);
        /// The value that the path leads into.
        of!: ComparedValue = difference.of;
        /// The keys and indexes that lead to it, as rules write a path: with `.` between them, a key with other characters
        /// quoted in brackets. Empty for the whole value.
        path: String = difference.path();
        /// The same, one by one, if a key contains a `.`; omitted otherwise.
        keys?: Cow<'a, [String]> =
            (split(&difference.path()) != difference.path).then(|| Cow::Borrowed(&*difference.path));
        /// The value that was expected there, as JSON or in words.
        expected: Cow<'a, str> = Cow::Borrowed(&difference.expected);
        /// The value that was found there, as short JSON; omitted if there is none.
        actual?: Cow<'a, str> = difference.actual.as_deref().map(Cow::Borrowed);
        /// `true` if nothing is there; omitted otherwise.
        missing?: bool = difference.actual.is_none().then_some(true);
    }
}

impl From<DifferenceView<'_>> for ValueDifference {
    fn from(read: DifferenceView<'_>) -> Self {
        Self {
            event: read
                .event
                .map(|event| (read.turn.unwrap_or(UNSAID), event).into()),
            of: read.of,
            path: read.keys.map_or_else(|| split(&read.path), Cow::into_owned),
            expected: read.expected.into(),
            actual: read.actual.map(Into::into),
        }
    }
}

/// The keys of a path.
fn split(path: &str) -> Vec<String> {
    if path.is_empty() {
        return Vec::new();
    }
    path.split('.').map(str::to_owned).collect()
}

part! {
    /// Why something could not be evaluated completely, in addition to its message.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(default)]
    #[schemars(rename = "Error")]
    pub(crate) struct ProblemView<'a> of (problem: &'a Problem, number: u32) {
        /// Which part failed: `agent`, `conversation` (it cannot go on as the test is written), `protocol`, `setup`, `timeout`,
        /// `capture`. Later versions may add words.
        kind: Cow<'a, str> = problem.kind.as_str().into();
        /// The message, in reports of before: it is in `error`.
        #[schemars(skip)]
        message?: Cow<'a, str> = None;
        /// What to do about it.
        help?: Cow<'a, str> = problem.help.as_deref().map(Cow::Borrowed);
        /// The number of the turn that could not be evaluated; omitted if it is the whole test, and in the turn itself.
        #[schemars(extend("x-since" = "1.1"))]
        turn?: u32 = Some(number).filter(|number| *number > 0);
        /// The status that follows from it, of the turn or the test.
        #[schemars(extend("x-since" = "1.1"))]
        status?: Status = Some(problem.kind.status());
    }
}

/// What went wrong. Reports of before have all that is known of it here.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(crate) enum ErrorText<'a> {
    /// The message.
    Text(Cow<'a, str>),
    #[schemars(skip)]
    #[serde(skip_serializing)]
    Whole(ProblemView<'a>),
}

impl<'a> ErrorText<'a> {
    /// The message of a problem.
    pub(crate) fn of(problem: &'a Problem) -> Self {
        Self::Text(Cow::Borrowed(&problem.message))
    }

    /// The problem with what else is known of it.
    pub(crate) fn with(self, facts: Option<ProblemView<'a>>) -> ProblemView<'a> {
        match self {
            Self::Text(message) => ProblemView {
                message: Some(message),
                ..facts.unwrap_or_default()
            },
            Self::Whole(problem) => problem,
        }
    }
}

impl ProblemView<'_> {
    /// The problem of what has this status.
    pub(crate) fn problem(self, status: Status) -> Problem {
        // Version 1.0 has no `status` here.
        let status = self.status.unwrap_or(status);
        // Reports of before call a conversation that cannot go on `agent`.
        let is_called = |kind: &ErrorKind| {
            kind.as_str() == self.kind
                || *kind == ErrorKind::Conversation && self.kind == ErrorKind::Agent.as_str()
        };
        let has_status = |kind: &ErrorKind| kind.status() == status;
        // The status distinguishes the two that were called `agent`, and a later version may know more.
        let kind = [
            ErrorKind::ALL
                .into_iter()
                .find(|kind| is_called(kind) && has_status(kind)),
            ErrorKind::ALL.into_iter().find(is_called),
            ErrorKind::ALL.into_iter().find(has_status),
        ];
        Problem {
            kind: kind
                .into_iter()
                .flatten()
                .next()
                .unwrap_or(ErrorKind::Setup),
            message: self.message.unwrap_or_default().into(),
            help: self.help.map(Into::into),
        }
    }
}

/// The evaluated rules: first those that failed.
pub(crate) fn assertions<'a>(
    failures: impl Iterator<Item = &'a RuleResult>,
    passed: impl Iterator<Item = &'a RuleResult>,
) -> Vec<Assertion<'a>> {
    failures.chain(passed).map(Assertion::of).collect()
}

/// Results of rules, as a result of a test contains them, each with all of it in words.
pub fn rule_results(results: &Sealed<Vec<RuleResult>>) -> Value {
    let view = |result: &RuleResult| {
        let mut view = serde_json::to_value(Assertion::of(result)).unwrap_or_default();
        view["words"] = Value::String(result.in_words());
        view
    };
    results.iter().map(view).collect()
}

fn actual(measured: &Measured) -> Option<Number> {
    match measured.unit {
        MeasuredUnit::Milliseconds => Number::from_f64(milliseconds(measured.actual)),
        MeasuredUnit::Tokens | MeasuredUnit::Calls | MeasuredUnit::Requests => {
            Some(measured.actual.into())
        }
        MeasuredUnit::Dollars => Some(Usd(measured.actual).number()),
    }
}

fn limit(measured: &Measured) -> Number {
    match measured.unit {
        MeasuredUnit::Dollars => Usd(measured.limit).number(),
        MeasuredUnit::Milliseconds
        | MeasuredUnit::Tokens
        | MeasuredUnit::Calls
        | MeasuredUnit::Requests => measured.limit.into(),
    }
}

fn measured(read: &Assertion<'_>) -> Option<Measured> {
    let actual = read.actual.as_ref()?;
    let limit = read.limit.as_ref()?;
    let unit = read.unit.as_deref();
    let units = [
        MeasuredUnit::Milliseconds,
        MeasuredUnit::Tokens,
        MeasuredUnit::Calls,
        MeasuredUnit::Dollars,
        MeasuredUnit::Requests,
    ];
    let unit = units
        .into_iter()
        .find(|known| Some(known.as_str()) == unit)?;
    let actual = match unit {
        MeasuredUnit::Milliseconds => Milliseconds::of(actual.as_f64()?)?.0,
        MeasuredUnit::Tokens | MeasuredUnit::Calls | MeasuredUnit::Requests => actual.as_u64()?,
        MeasuredUnit::Dollars => Usd::of(actual).ok()?.0,
    };
    let limit = match unit {
        MeasuredUnit::Dollars => Usd::of(limit).ok()?.0,
        MeasuredUnit::Milliseconds
        | MeasuredUnit::Tokens
        | MeasuredUnit::Calls
        | MeasuredUnit::Requests => limit.as_u64()?,
    };
    Some(Measured {
        actual,
        limit,
        unit,
    })
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

/// A part of a YAML file, or of a case file, as a value; its text if it cannot be read by itself. Tests inherit their rules, so
/// that a run has few texts of them, and to read one takes longer than to write it into a document.
fn yaml(text: &str) -> Value {
    thread_local! {
        static READ: RefCell<HashMap<String, Value>> = RefCell::default();
    }
    READ.with_borrow_mut(|read| {
        if let Some(value) = read.get(text) {
            return value.clone();
        }
        let source = Arc::new(SourceFile::new("", "", text));
        // YAML has no surrogate pairs, and JSON has.
        let node = parse(&source).ok().or_else(|| parse_json(&source).0);
        let value = node.map_or_else(|| Value::from(text), |node| node.to_json());
        if read.len() == MOST_READ {
            read.clear();
        }
        if text.len() <= LONGEST_READ {
            read.insert(text.to_owned(), value.clone());
        }
        value
    })
}

/// The number of texts of rules that are remembered, and the longest of them in bytes: together a few hundred kilobytes at most.
const MOST_READ: usize = 256;
const LONGEST_READ: usize = 256;
