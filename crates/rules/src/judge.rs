//! `judge`: another agent says whether what the agent did in the scope meets criteria.
//!
//! Nothing here asks it: the judgement is a question, which the engine has answered after all other rules have passed.

use std::ops::RangeInclusive;

use serde_json::{Map, Number, Value};

use super::conversation_json::{conversation, transcript};
use super::evaluation::{
    Inquiry, JudgeQuestion, Judgement, Monitor, RuleScope, View, at_scope_end,
};
use super::{collector::Collector, describe::literally, question_keys::question_keys, rule::Rule};
use ananke_base::diagnostic::Code;
use ananke_model::model::{self, AssertBlock, JudgeRule, JudgedText, Text, TextOf};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, Patterns};
use ananke_trace::trace::{Fact, Facts};

/// The keys of a question that are not of the test's choice.
const KEYS: [&str; 7] = [
    "test_mode",
    "test_id",
    "criteria",
    "input",
    "output",
    "conversation",
    "tool_calls",
];

/// A judge that must accept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Judge {
    /// The name of the target that judges.
    pub agent: String,
    /// The criteria that must be met.
    criteria: String,
    of: JudgedText,
    threshold: Option<Number>,
    runs: u32,
    quorum: u32,
    with: Map<String, Value>,
    /// The model that it is to use.
    pub connector: Option<String>,
    is_negated: bool,
    message: Option<String>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for written in collector
        .switched(block.judge.as_ref())
        .into_iter()
        .flatten()
    {
        collector.add_at(written.span, written.value.agent.span, |interpolation| {
            Judge::compile(&written.value, interpolation)
        });
    }
}

impl Judge {
    /// The judge that is written. What is wrong with it is reported, and its name is known nevertheless: so it is checked too.
    fn compile(written: &JudgeRule, interpolation: &mut Interpolation<'_>) -> Option<Self> {
        let JudgeRule {
            agent,
            criteria,
            of,
            threshold,
            with,
            connector,
            not,
            message,
            ..
        } = written;
        let agent = not_empty(agent, "the name of a judge", interpolation);
        let criteria = not_empty(criteria, "`criteria`", interpolation).unwrap_or_default();
        let connector = connector.fill(interpolation);
        let message = message.fill(interpolation);
        let threshold = match threshold {
            // What is known later is no part of what the rule expects.
            Some(number) if interpolation.written_number(number).is_some() => Ok(None),
            Some(number) => interpolation.decimal(number).map(Some),
            None => Ok(None),
        };
        let (runs, quorum) = counts(written, interpolation);
        let with = question_keys(with.as_ref(), &KEYS, interpolation);
        Some(Self {
            agent: agent?,
            criteria,
            of: of.unwrap_or_default(),
            threshold: threshold.ok().flatten(),
            runs,
            quorum,
            with: with.unwrap_or_default(),
            connector: connector.ok().flatten(),
            is_negated: not.unwrap_or_default(),
            message: message.ok().flatten(),
        })
    }

    /// The question to the judge about the scope that `view` shows.
    fn question(&self, view: &View<'_>) -> JudgeQuestion {
        let mut of_scope = conversation(view);
        let output = match self.of {
            JudgedText::Text => view.text(TextOf::All),
            JudgedText::Final => view.text(TextOf::Final),
            JudgedText::Transcript => transcript(view),
        };
        let mut take = |key: &str| of_scope.remove(key).unwrap_or_default();
        let keys = [
            ("criteria", Value::from(self.criteria.as_str())),
            ("input", take("input")),
            ("output", Value::from(output)),
            ("conversation", take("messages")),
            ("tool_calls", take("tool_calls")),
        ];
        let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value));
        JudgeQuestion {
            agent: self.agent.clone(),
            keys: keys.chain(self.with.clone()).collect(),
            connector: self.connector.clone(),
            threshold: self.threshold.clone(),
            runs: self.runs,
            quorum: self.quorum,
            is_negated: self.is_negated,
            message: self.message.clone(),
            expected: self.describe(),
        }
    }
}

/// A text that is filled and not empty.
fn not_empty(written: &Text, what: &str, interpolation: &mut Interpolation<'_>) -> Option<String> {
    let filled = interpolation.text(written).ok()?;
    if filled.trim().is_empty() && !written.value.is_empty() {
        interpolation.report(
            Code::EmptyValue,
            written.span,
            format!("{what} cannot be empty"),
            None,
        );
        return None;
    }
    Some(filled)
}

/// The number of times that the judge is asked, and the number of answers that must pass.
fn counts(written: &JudgeRule, interpolation: &mut Interpolation<'_>) -> (u32, u32) {
    let mut count =
        |written: Option<&model::Number>, range: RangeInclusive<u64>| -> Leaf<Option<u32>> {
            match written {
                Some(number) if interpolation.written_number(number).is_none() => {
                    interpolation.number_within(number, range).map(Some)
                }
                _ => Ok(None),
            }
        };
    let (runs, quorum) = (
        count(written.runs.as_ref(), JudgeRule::RUNS),
        count(written.quorum.as_ref(), JudgeRule::QUORUM)
            .ok()
            .flatten(),
    );
    // The largest quorum is not known if `runs` is wrong.
    let most = runs.map_or(u32::MAX, |runs| runs.unwrap_or(1));
    let runs = runs.ok().flatten().unwrap_or(1);
    if let (Some(quorum), Some(place)) = (quorum.filter(|quorum| *quorum > most), &written.quorum) {
        let message = format!(
            "`quorum` is {quorum}, and the judge is asked {}",
            super::describe::times(runs.into())
        );
        let help = "a quorum is at most as large as `runs`".to_owned();
        interpolation.report(Code::Contradiction, place.span, message, Some(help));
    }
    (runs, quorum.unwrap_or(runs / 2 + 1))
}

impl Rule for Judge {
    /// It may be about anything that it is shown.
    fn is_exhaustive(&self) -> bool {
        true
    }

    /// It is shown what is known of a call.
    fn may_rest_on_calls_to(&self, _name: &str) -> bool {
        false
    }

    fn needs(&self) -> Facts {
        Facts::of(&[
            Fact::Calls,
            Fact::Arguments,
            Fact::Results,
            Fact::Text,
            Fact::UserText,
        ])
    }

    fn describe(&self) -> String {
        let Self {
            agent,
            criteria,
            threshold,
            runs,
            quorum,
            is_negated,
            ..
        } = self;
        let verdict = if *is_negated { "rejects" } else { "accepts" };
        let score = threshold
            .as_ref()
            .map(|score| format!(", with a score of at least {score}"));
        let of_runs = (*runs > 1).then(|| format!(", in {quorum} of {runs} answers"));
        format!(
            "the judge `{agent}` {verdict} `{}`{}{}",
            literally(criteria),
            score.unwrap_or_default(),
            of_runs.unwrap_or_default(),
        )
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        format!(
            "asked at the end of {}, if all other rules pass",
            scope.words()
        )
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let judge = self.clone();
        Ok(at_scope_end(move |view| {
            Judgement::Asks(Box::new(Inquiry::Judge(judge.question(view))))
        }))
    }
}
