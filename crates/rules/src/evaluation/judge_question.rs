//! The question of a rule to a judge, and the failure of the rule after the answer.

use serde_json::{Map, Number, Value};

use super::{Evidence, Finding};
use crate::describe::{said, short};
use ananke_trace::outcome::{JudgeAnswer, Ruling};
use ananke_trace::redact::Redactor;

/// A judge, and what it is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeQuestion {
    /// The name of the target that judges.
    pub agent: String,
    /// The keys of the question.
    pub keys: Map<String, Value>,
    /// The model that it is to use, if the rule says so.
    pub connector: Option<String>,
    /// The smallest score that passes, if there is one.
    pub threshold: Option<Number>,
    /// The number of times that it is asked.
    pub runs: u32,
    /// The number of its answers that have to pass.
    pub quorum: u32,
    /// Whether the rule passes if the answers do not.
    pub is_negated: bool,
    /// The author's own sentence about the failure.
    pub(crate) message: Option<String>,
    /// The expectation of the rule, in words.
    pub(crate) expected: String,
}

/// The keys of a question with what was said and done.
const JUDGED: [&str; 4] = ["input", "output", "conversation", "tool_calls"];

impl JudgeQuestion {
    /// The parts of the conversation that the judge gets: everything but the words of the test.
    pub fn judged(&self) -> impl Iterator<Item = &Value> {
        JUDGED.iter().filter_map(|key| self.keys.get(*key))
    }

    /// The failure of the rule after this ruling.
    pub(super) fn rejection(&self, ruling: &Ruling, redactor: &Redactor) -> Finding {
        let telling = ruling.telling();
        let reason = telling.map_or("", |answer| answer.reason.as_str());
        let reason = redactor
            .text(reason)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let mut message = decision(ruling, telling);
        if !reason.is_empty() {
            message = format!("{message}: {}", short(&reason));
        }
        if let Some(own) = &self.message {
            message = format!("{own}: {message}");
        }
        let output = self.keys.get("output").and_then(Value::as_str);
        let seen = output.map(|output| Evidence::Said(said(&short(&redactor.text(output)))));
        Finding::in_words(message, self.expected.clone(), seen)
    }
}

/// The decision without the reason.
fn decision(ruling: &Ruling, telling: Option<&JudgeAnswer>) -> String {
    let Ruling {
        judge,
        threshold,
        quorum,
        is_negated,
        answers,
        ..
    } = ruling;
    if answers.len() > 1 {
        let (passing, all) = (ruling.passing(), answers.len());
        let expected = if *is_negated {
            "fewer than"
        } else {
            "at least"
        };
        return format!(
            "{passing} of {all} answers of the judge `{judge}` pass, expected {expected} {quorum}"
        );
    }
    let score = telling.and_then(|answer| answer.score.as_ref());
    if *is_negated {
        return format!(
            "the judge `{judge}` accepted it{}, expected that it is rejected",
            in_brackets(score)
        );
    }
    match (telling, score.zip(threshold.as_ref())) {
        (Some(JudgeAnswer { passed: true, .. }), Some((score, threshold))) => {
            format!(
                "the judge `{judge}` accepted it with a score of {score}, expected at least {threshold}"
            )
        }
        _ => format!("the judge `{judge}` rejected it{}", in_brackets(score)),
    }
}

fn in_brackets(score: Option<&Number>) -> String {
    score
        .map(|score| format!(" (score {score})"))
        .unwrap_or_default()
}
