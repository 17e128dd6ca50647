//! The decision of a judge about a rule.

use std::ops::Not;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use ananke_base::source::compare_numbers;
use ananke_derive::Mask;

/// An answer of a judge.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct JudgeAnswer {
    /// Its verdict, whatever the threshold says of the score.
    pub passed: bool,
    /// The score; omitted if it gave none.
    #[schemars(with = "Option<f64>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[mask(skip)]
    pub score: Option<Number>,
    /// The reason; omitted if it gave none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What the agent should do differently; omitted if it said nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

/// What a judge decided about a rule.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Judge")]
pub struct Ruling {
    /// The name of the target that was asked.
    #[serde(rename = "agent")]
    pub judge: String,
    /// Its lane in a recording.
    #[mask(skip)]
    pub lane: String,
    /// The smallest score that passes; omitted if the verdict alone decides.
    #[schemars(with = "Option<f64>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[mask(skip)]
    pub threshold: Option<Number>,
    /// How many of the answers have to pass.
    pub quorum: u32,
    /// `true` if the rule passes when the answers do not; omitted otherwise.
    #[serde(rename = "not", default, skip_serializing_if = "Not::not")]
    pub is_negated: bool,
    /// Every answer, in order.
    pub answers: Vec<JudgeAnswer>,
}

impl Ruling {
    /// Whether the rule passes.
    pub fn passes(&self) -> bool {
        self.accepts() != self.is_negated
    }

    /// Whether as many answers pass as have to.
    fn accepts(&self) -> bool {
        self.passing() >= self.quorum as usize
    }

    /// The number of answers that pass.
    pub fn passing(&self) -> usize {
        self.answers
            .iter()
            .filter(|answer| answer.passes(self.threshold.as_ref()))
            .count()
    }

    /// The answer that shows best why the rule passes or fails: the first on the side of the majority.
    pub fn telling(&self) -> Option<&JudgeAnswer> {
        let accepts = self.accepts();
        let is_telling = |answer: &&JudgeAnswer| answer.passes(self.threshold.as_ref()) == accepts;
        self.answers.iter().find(is_telling)
    }
}

impl JudgeAnswer {
    /// Whether it passes: its verdict and its score must both allow it, and a score equal to the threshold does.
    pub fn passes(&self, threshold: Option<&Number>) -> bool {
        let Some(threshold) = threshold else {
            return self.passed;
        };
        let Some(score) = &self.score else {
            return false;
        };
        self.passed && compare_numbers(score, threshold).is_ge()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn number(value: f64) -> Option<Number> {
        Number::from_f64(value)
    }

    fn ruling(answers: &[(bool, f64)], quorum: u32) -> Ruling {
        let answer = |(passed, score): &(bool, f64)| JudgeAnswer {
            passed: *passed,
            score: number(*score),
            reason: json!([passed, score]).to_string(),
            suggestions: Vec::new(),
        };
        Ruling {
            judge: "strict".to_owned(),
            lane: "judge.1".to_owned(),
            threshold: number(0.8),
            quorum,
            is_negated: false,
            answers: answers.iter().map(answer).collect(),
        }
    }

    #[test]
    fn verdict_and_score_must_both_allow_it() {
        for (answer, passes) in [
            ((true, 0.8), true),
            ((true, 0.79), false),
            ((false, 1.0), false),
            ((true, 1.0), true),
        ] {
            let mut ruling = ruling(&[answer], 1);
            assert_eq!(ruling.passes(), passes, "{answer:?}");
            ruling.is_negated = true;
            assert_eq!(ruling.passes(), !passes, "{answer:?}");
        }
        let mut without_score = ruling(&[(true, 1.0)], 1);
        without_score.answers[0].score = None;
        assert!(!without_score.passes());
    }

    #[test]
    fn a_quorum_of_the_answers_decides() {
        let answers = [(true, 0.9), (false, 0.9), (true, 0.5), (true, 0.8)];
        assert!(ruling(&answers, 2).passes());
        let split = ruling(&answers, 3);
        assert_eq!((split.passes(), split.passing()), (false, 2));
        assert_eq!(split.telling().unwrap().reason, "[false,0.9]");
    }
}
