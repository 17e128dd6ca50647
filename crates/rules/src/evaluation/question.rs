//! Questions: what a rule leaves to a script or a judge to decide, and the answer.
//!
//! **Why:** A rule cannot wait: monitors are plain functions that are called between two reads. So what a script or a
//! judge has to decide becomes a question, which the conversation asks when all other rules have passed, since answers
//! cost time and money, and a test that has failed needs none.

use super::rule_origin::RuleOrigin;
use super::{Finding, JudgeQuestion, RuleScope, ScriptQuestion};
use ananke_trace::outcome::{ErrorKind, Problem, Ruling};
use ananke_trace::redact::Redactor;

/// The script or judge that is asked, with the question.
#[derive(Clone, Debug, PartialEq)]
pub enum Inquiry {
    /// A script of the project.
    Script(ScriptQuestion),
    /// Another agent.
    Judge(JudgeQuestion),
}

/// An inquiry and the rule that makes it: asked only if all other rules pass (SPEC 7.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The script or judge that is asked.
    pub inquiry: Inquiry,
    /// The path of the rule.
    pub(crate) path: &'static str,
    /// The place where the rule is defined.
    pub(crate) origin: RuleOrigin,
    /// The part of the test that the rule is about.
    pub(crate) scope: RuleScope,
}

impl Question {
    /// The problem of a rule that neither passes nor fails, because of `problem`.
    pub fn unanswered(&self, problem: Problem) -> Problem {
        let rule = self.rule();
        let why = &problem.message;
        let message = match problem.kind {
            ErrorKind::Judge => format!("judge error: {why}; asked by {rule}"),
            _ => format!("{rule} could not be evaluated: {why}"),
        };
        Problem { message, ..problem }
    }

    /// The warning that its rule is not evaluated.
    pub fn not_asked(&self) -> String {
        match &self.inquiry {
            Inquiry::Judge(JudgeQuestion { agent, .. }) => {
                format!(
                    "{} was not evaluated: `--no-judge` leaves out the judge `{agent}`",
                    self.rule()
                )
            }
            Inquiry::Script(_) => format!("{} was not evaluated", self.rule()),
        }
    }

    /// The finding of the rule that asked this question, if it fails by `decision`; `None` if it passes.
    pub(crate) fn rejection(&self, decision: &Decision, redactor: &Redactor) -> Option<Finding> {
        match &self.inquiry {
            // A rule with a negated script fails if the script confirms, any other rule if it rejects.
            Inquiry::Script(script) => match decision {
                Decision::Confirmed if script.is_negated => Some(script.acceptance(redactor)),
                Decision::Rejected(why) if !script.is_negated => {
                    Some(script.rejection(why.as_deref(), redactor))
                }
                // The rule passes. The other decisions are those of a judge.
                _ => None,
            },
            Inquiry::Judge(judge) => match decision {
                Decision::Ruled(ruling) if !ruling.passes() => {
                    Some(judge.rejection(ruling, redactor))
                }
                // The rule passes, or the judge was not asked, which is a warning and not a failure. The other decisions are
                // those of a script.
                _ => None,
            },
        }
    }

    /// ``the test rule `judge` (pay.test.yaml:7)``
    fn rule(&self) -> String {
        let RuleOrigin { level, place, .. } = &self.origin;
        format!("the {} rule `{}` ({place})", level.as_str(), self.path)
    }
}

/// The answer to a question of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A script accepts: the rule passes.
    Confirmed,
    /// A script rejects, for this reason if one is given: the rule fails.
    Rejected(Option<String>),
    /// A judge answered.
    Ruled(Ruling),
    /// The judge was not asked: the rule neither passes nor fails.
    NotAsked,
}
