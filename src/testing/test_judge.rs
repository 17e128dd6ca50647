//! Another agent that decides whether a message does what it should.

use serde_json::{Map, json};

use super::session_project::{SessionProject, context_of_process};
use super::{AgentTarget, TestingError};
use ananke_agents::written_agent;
use ananke_model::variables::literal;
use ananke_run::{Options, Run, event_channel, run_one};
use ananke_trace::outcome::{Outcome, RuleResult, Status};
use ananke_trace::redact::Redactor;

/// The reason that an empty intent is refused.
pub(super) const EMPTY_INTENT: &str = "the intent is empty: say what the message must do";

/// An agent that judges, as `judge` of YAML tests asks it.
#[derive(Clone, Debug)]
pub struct TestJudge {
    target: AgentTarget,
}

/// The verdict of a judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeVerdict {
    /// Whether the intent is met.
    pub is_passed: bool,
    /// The reason, in the judge's words.
    pub reason: String,
}

impl TestJudge {
    /// The agent `target` as a judge.
    pub fn new(target: AgentTarget) -> Self {
        Self { target }
    }

    pub(super) fn target(&self) -> &AgentTarget {
        &self.target
    }

    /// Whether `output`, which an agent said to `input`, does what `intent` says.
    ///
    /// # Errors
    /// If the intent is empty, or the judge cannot be asked or read.
    pub async fn decide(
        &self,
        input: &str,
        output: &str,
        intent: &str,
    ) -> Result<JudgeVerdict, TestingError> {
        if intent.trim().is_empty() {
            return Err(TestingError::usage(EMPTY_INTENT));
        }
        let project = |config: &str| SessionProject::of_text(context_of_process(), config);
        self.decide_in(project, input, output, intent).await
    }

    /// The same in a project of the config that it is given.
    pub(super) async fn decide_in(
        &self,
        project: impl FnOnce(&str) -> SessionProject,
        input: &str,
        output: &str,
        intent: &str,
    ) -> Result<JudgeVerdict, TestingError> {
        let said = written_agent("subject", [(1, vec![json!({ "say": literal(output) })])]);
        let project = project(&self.target.config_of_judge(&said));
        let judge = json!([{ "agent": "judge", "criteria": literal(intent) }]);
        let keys = Map::from_iter([(
            "turns".to_owned(),
            json!([{ "user": literal(input), "assert": { "judge": judge } }]),
        )]);
        let (plan, context) = project.plan(keys)?;
        let (events, received) = event_channel(1);
        let transport = project.transport();
        let shared = Run::new(
            context,
            transport,
            Redactor::default(),
            Options::default(),
            events,
        );
        let outcome = run_one(shared, plan, received).await;
        verdict(&outcome.ok_or_else(|| TestingError::Judge("the judge was not asked".to_owned()))?)
    }
}

fn verdict(outcome: &Outcome) -> Result<JudgeVerdict, TestingError> {
    match outcome.status() {
        Status::Passed => Ok(JudgeVerdict {
            is_passed: true,
            reason: outcome
                .all_passed()
                .next()
                .map(in_words)
                .unwrap_or_default(),
        }),
        Status::Failed => {
            let failure = outcome.all_failures().next();
            let reason = failure.map(|(_, failure)| in_words(failure));
            Ok(JudgeVerdict {
                is_passed: false,
                reason: reason.unwrap_or_default(),
            })
        }
        _ => {
            // The rule that asks was made for the question: its place is in no file of the caller.
            let asked_by = |message: &str| message.rfind("; asked by ");
            let problem = outcome.first_problem().map(|(_, problem)| {
                let whole = problem.message.as_str();
                whole[..asked_by(whole).unwrap_or(whole.len())].to_owned()
            });
            Err(TestingError::Judge(
                problem.unwrap_or_else(|| "the judge gave no verdict".to_owned()),
            ))
        }
    }
}

/// The reason of a judge's decision, in its words; in those of the rule if it gave no reason.
pub(super) fn in_words(result: &RuleResult) -> String {
    let mut answers = result.ruling.iter().flat_map(|ruling| &ruling.answers);
    let own = answers.find(|answer| !answer.reason.is_empty());
    own.map_or_else(|| result.message.clone(), |answer| answer.reason.clone())
}
