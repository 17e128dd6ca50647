//! A run that rules and judges look at: of a session, also after its end, or made by hand.

use std::sync::Arc;

use serde_json::json;

use super::event_turn::EventTurn;
use super::session_line::SessionStart;
use super::session_project::{RuleScopes, SessionProject, SessionSetup, TestText};
use super::session_requests::SessionRequests;
use super::tape::{Tape, UnshownRules};
use super::test_judge::{EMPTY_INTENT, in_words};
use super::{AgentRun, AgentTarget, JudgeVerdict, TestJudge, TestSession, TestingError};
use ananke_model::variables::literal;
use ananke_rules::Inherited;
use ananke_trace::outcome::RuleResult;
use ananke_trace::redact::Sealed;
use ananke_trace::trace::{AgentEvent, EventRole, Fact, Facts};

/// The facts that events show that were made by hand.
const BY_HAND: Facts = Facts::of(&[
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
    Fact::Text,
]);

/// A run that rules look at.
#[doc(hidden)]
#[derive(Clone)]
pub struct CheckedRun {
    project: Arc<SessionProject>,
    tape: Tape,
    taped: usize,
    start: SessionStart,
    /// The session that it is a run of.
    requests: Option<SessionRequests>,
    shown: Facts,
    /// The input of the user.
    input: String,
    /// The last message of the agent.
    message: Option<String>,
}

impl CheckedRun {
    /// A run of a session.
    pub fn of(run: &AgentRun) -> Self {
        Self {
            project: Arc::clone(&run.run.project),
            tape: run.tape.clone(),
            taped: run.taped,
            start: run.run.start.clone(),
            requests: Some(run.requests.clone()),
            shown: Facts::ALL,
            input: run.run.input.clone(),
            message: last_message(run.events()),
        }
    }

    /// The last of these turns, whose events were made by hand, in the project of `setup`.
    pub fn by_hand(setup: &SessionSetup, turns: &[EventTurn]) -> Self {
        let tape = Tape::of_turns(turns);
        let all_said = turns.iter().all(|turn| turn.input.is_some());
        let last = turns.last();
        Self {
            project: Arc::new(setup.project()),
            taped: tape.len(),
            tape,
            start: SessionStart::default(),
            requests: None,
            shown: BY_HAND.with(all_said.then_some(Fact::UserText)),
            input: last.and_then(|turn| turn.input.clone()).unwrap_or_default(),
            message: last.and_then(|turn| last_message(&turn.events)),
        }
    }

    /// Whether its project is one of a config, whose targets have names.
    pub fn is_of_config(&self) -> bool {
        self.project.is_of_config()
    }

    /// The same run in the project of `setup`, which may name other judges.
    #[must_use]
    pub fn in_project(&self, setup: &SessionSetup) -> Self {
        Self {
            project: Arc::new(setup.project()),
            requests: None,
            ..self.clone()
        }
    }

    /// The results of the rules of an assert block that failed or are not shown, without the rules of the target. Scripts
    /// and judges are asked in a session of their own if that of the run is over.
    ///
    /// # Errors
    /// If the block is wrong, or a script or a judge cannot be asked.
    pub async fn results(&self, block: &str) -> Result<Sealed<Vec<RuleResult>>, TestingError> {
        let results = self.all_results(block).await?;
        let results = results.into_iter().filter(|result| !result.has_passed());
        let placed = |result: RuleResult| {
            let place = self.project.shown(&result.place, TestText::Block);
            RuleResult {
                place: place.unwrap_or_else(|| result.place.clone()),
                ..result
            }
        };
        Ok(self.start.redactor.seal(results.map(placed).collect()))
    }

    async fn all_results(&self, block: &str) -> Result<Vec<RuleResult>, TestingError> {
        let SessionStart {
            thread_id,
            redactor,
        } = &self.start;
        let scopes = RuleScopes::OwnAlone;
        let (rules, state) = self.project.rules(block, thread_id, scopes)?;
        let mut inherited = Inherited {
            turns: vec![rules],
            ..Inherited::default()
        };
        let withheld = inherited.withhold(self.shown, 1);
        let rules = inherited.turns.pop().unwrap_or_default();
        let unshown = UnshownRules::Reported;
        let evaluated = self
            .tape
            .evaluate(self.taped, state, rules, redactor.clone(), unshown)
            .map_err(|error| TestingError::usage(error.to_string()))?
            .and_not_shown(withheld);
        let mut asked = None;
        let own = self
            .requests
            .as_ref()
            .filter(|requests| requests.are_taken())
            .cloned();
        let requests = match own {
            Some(requests) => requests,
            None if evaluated.has_questions() => {
                let session = asked.insert(TestSession::of(SessionProject::clone(&self.project))?);
                session.start().await?;
                session.requests().unwrap_or_default()
            }
            None => SessionRequests::default(),
        };
        let found = evaluated.results(&requests).await;
        if let Some(session) = asked {
            session.close().await?;
        }
        found
    }

    /// The target of this name of the project decides whether the last message does what `intent` says.
    ///
    /// # Errors
    /// If there is no message, the intent is empty, or the judge cannot be asked or read.
    pub async fn judged_by_name(
        &self,
        name: &str,
        intent: &str,
    ) -> Result<JudgeVerdict, TestingError> {
        self.message(intent)?;
        let judge = json!({ "judge": [{ "agent": name, "criteria": literal(intent) }] });
        let results = self.all_results(&judge.to_string()).await?;
        let result = results.iter().find(|result| result.ruling.is_some());
        let Some(result) = result else {
            let why = results.first().map(|result| result.message.clone());
            return Err(TestingError::Judge(
                why.unwrap_or_else(|| "the judge gave no verdict".to_owned()),
            ));
        };
        Ok(self.masked(JudgeVerdict {
            is_passed: result.has_passed(),
            reason: in_words(result),
        }))
    }

    /// The agent `target` decides whether the last message does what `intent` says.
    ///
    /// # Errors
    /// If there is no message, the intent is empty, the judge is the agent itself, or cannot be asked or read.
    pub async fn judged_by(
        &self,
        target: &AgentTarget,
        intent: &str,
    ) -> Result<JudgeVerdict, TestingError> {
        let message = self.message(intent)?;
        if self.project.has_agent(target)? {
            return Err(TestingError::usage(
                "the agent cannot judge itself: name another target",
            ));
        }
        let judge = TestJudge::new(target.clone());
        let own = &self.project;
        let project = |config: &str| {
            let transport = Some(own.transport());
            SessionProject::of_text(own.context.clone(), config).with_transport(transport)
        };
        let verdict = judge
            .decide_in(project, &self.input, message, intent)
            .await?;
        Ok(self.masked(verdict))
    }

    fn masked(&self, JudgeVerdict { is_passed, reason }: JudgeVerdict) -> JudgeVerdict {
        JudgeVerdict {
            is_passed,
            reason: self.start.redactor.text(&reason).into_owned(),
        }
    }

    /// The last message, which `intent` is about.
    fn message(&self, intent: &str) -> Result<&str, TestingError> {
        if intent.trim().is_empty() {
            return Err(TestingError::usage(EMPTY_INTENT));
        }
        let message = self.message.as_deref();
        message.ok_or_else(|| TestingError::usage("a judge needs a message, and the run has none"))
    }
}

/// The last text of the agent.
fn last_message(events: &[AgentEvent]) -> Option<String> {
    events.iter().rev().find_map(|event| match event {
        AgentEvent::Message {
            role: EventRole::Assistant,
            content,
        } => Some(content.clone()),
        _ => None,
    })
}
