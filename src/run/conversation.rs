//! The conversation of one attempt: open → turns → settle.

use std::time::Duration;

use crate::assertion::{Judge, Scope};
use crate::compile::PreparedTurn;
use crate::message::{HistoryMessage, ToolDeclaration};
use crate::outcome::{ErrorKind, Outcome, Problem, Status, TestEnd, TurnEnd, TurnOutcome};
use crate::plan::{Preparation, Prepared};
use crate::recording::Player;
use crate::target::{Limits, Session, SessionOptions, Target};
use crate::trace::Trace;

use super::RunEvent;
use super::attempt::{Attempt, Halt, broken, count, unprepared_problem};
use super::capture::Capture;
use super::case::cut_short;
use super::client_tools::Mocks;
use super::keep::kept;
use super::scripts::Asking;
use super::snapshots;
use super::summary;
use super::turn::run_turn;

/// What lasts from the first turn to the last.
struct Conversation {
    session: Box<dyn Session>,
    capture: Capture,
    mocks: Mocks,
    /// How long one turn may take that does not say so itself.
    timeout: Duration,
    /// How much of the agent's time the whole test may take.
    whole: Option<Duration>,
}

fn setup(message: String) -> Problem {
    Problem { kind: ErrorKind::Setup, message, help: None }
}

/// The ids by which a message of before and its calls are known.
fn ids_of(message: &HistoryMessage) -> impl Iterator<Item = String> {
    message.id.iter().chain(message.calls.iter().map(|call| &call.id)).cloned()
}

impl Attempt<'_> {
    /// Talks to the agent turn by turn; stops at the first turn that does not pass (fail fast, SPEC 5).
    pub(super) async fn converse(
        &mut self,
        preparation: &mut Preparation<'_>,
        mut prepared: Prepared,
    ) -> Result<(), Problem> {
        // Held until the conversation is over.
        let is_taken = prepared.thread_is_fixed && self.tape.player().is_none();
        let _taken = match prepared.target.endpoint().filter(|_| is_taken) {
            Some(endpoint) => Some(self.shared.threads.take(endpoint, &prepared.thread_id).await),
            None => None,
        };
        for message in &mut prepared.history {
            message.id.get_or_insert_with(|| self.tape.context.ids.next("message"));
        }
        self.outcome.history = summary::history(&prepared.history);
        let turns = std::mem::take(&mut prepared.turns);
        let mut conversation = self.open(prepared).await?;
        let total = turns.len();
        for (index, turn) in turns.into_iter().enumerate() {
            let turn = if let Some(turn) = turn {
                turn
            } else {
                let late = preparation.late_turn(index);
                let (turn, rules) =
                    late.map_err(|unprepared| unprepared_problem(self.redactor, unprepared))?;
                conversation.capture.judge.set_turn_rules(index, rules);
                turn
            };
            let (id, number) = (self.key.test.clone(), index + 1);
            if !self.tape.is_rehearsal {
                self.shared
                    .tell(self.redactor.seal(RunEvent::TurnStarted { id, turn: number, of: total }))
                    .await;
            }
            let told = self.turn(&mut conversation, preparation, index, &turn).await;
            self.add(told, &mut conversation.capture, total);
            if self.outcome.status() == Status::Skipped {
                cut_short(&mut self.outcome, self.shared.stopper.reason());
            }
            if self.outcome.status() != Status::Passed {
                break;
            }
        }
        self.ask(&mut conversation.capture, preparation).await?;
        let turns = &self.outcome.turns;
        let is_whole = turns.len() == total && turns.iter().all(|turn| turn.problem().is_none());
        self.outcome.warnings.extend(self.tape.player().filter(|_| is_whole).and_then(Player::unplayed));
        if self.tape.is_rehearsal {
            return Ok(());
        }
        snapshots::keep(conversation.capture.judge.take_captured(), &mut self.outcome)
    }

    async fn open(&self, prepared: Prepared) -> Result<Conversation, Problem> {
        let Prepared { history, rules, target, client_tools, thread_id, timeout, whole_timeout, .. } =
            prepared;
        let options = self.shared.options;
        let judge = Judge::start(rules, self.redactor.clone())
            .map_err(|error| setup(error.to_string()))?
            .writing(options.writing);
        let declared: Vec<_> = client_tools.iter().map(|tool| tool.declaration.clone()).collect();
        let mocks = Mocks::start(client_tools).map_err(|error| setup(error.to_string()))?;
        let trace = Trace::new(target.state().clone())
            .by_event_clock(target.has_event_clock())
            .on_thread(thread_id.as_str())
            .after(history.iter().flat_map(ids_of));
        let session = self.session(&*target, thread_id, history, declared).await?;
        let capture = Capture::new(judge, trace, options, self.tape.recorder().cloned());
        let whole = [options.timeout, whole_timeout].into_iter().flatten().min();
        Ok(Conversation { session, capture, mocks, timeout, whole })
    }

    async fn session(
        &self,
        target: &dyn Target,
        thread_id: String,
        history: Vec<HistoryMessage>,
        client_tools: Vec<ToolDeclaration>,
    ) -> Result<Box<dyn Session>, Problem> {
        let options = SessionOptions {
            key: self.key.clone(),
            thread_id,
            history,
            client_tools: client_tools.into(),
            clock: self.tape.context.clock.clone(),
            ids: self.tape.context.ids.clone(),
            transport: self.tape.transport.clone(),
        };
        target.open(options).await.map_err(|error| Problem {
            kind: ErrorKind::Protocol,
            message: error.to_string(),
            help: error.help,
        })
    }

    /// One turn, with what it keeps for those behind it.
    async fn turn(
        &self,
        conversation: &mut Conversation,
        preparation: &mut Preparation<'_>,
        index: usize,
        turn: &PreparedTurn,
    ) -> TurnOutcome {
        let Conversation { session, capture, mocks, timeout, whole } = conversation;
        let own = turn.timeout.unwrap_or(*timeout);
        let limits = Limits {
            timeout: self.left(*whole, own),
            max_event_bytes: Limits::MAX_EVENT_BYTES,
            max_response_bytes: Limits::MAX_RESPONSE_BYTES,
            cancel: self.shared.stopper.token().child_token(),
        };
        self.tape.begin_turn(count(index + 1));
        let asking = Asking { shared: self.shared, tape: &self.tape, redactor: self.redactor, preparation };
        let mut told = run_turn(&mut **session, capture, &limits, index, turn, mocks, asking).await;
        told.id.clone_from(&turn.id);
        if let (Some(whole), true) = (*whole, limits.timeout < own)
            && let Some(problem) = told.end.problem_mut().filter(|problem| problem.kind == ErrorKind::Timeout)
        {
            problem.message =
                format!("timeout after {} for the whole test", humantime::format_duration(whole));
        }
        if let Some(trouble) = self.tape.player().and_then(Player::trouble) {
            told.end = told.end.with_problem(broken(trouble));
        }
        let (values, missing) = kept(&turn.captures, &capture.trace, self.redactor);
        if !values.is_empty() {
            told.warnings.extend(preparation.keep(values));
            let secrets = preparation.secrets();
            self.redactor.add(&secrets);
            self.tape.learn(&secrets, self.redactor);
        }
        if !missing.is_empty() && told.status() == Status::Passed {
            let problem = Problem { kind: ErrorKind::Capture, message: missing.join("\n"), help: None };
            told.end = told.end.with_problem(problem);
        }
        told
    }

    /// Adds a turn that is over, of so many in `total`; with the last one the test as a whole is judged.
    fn add(&mut self, told: TurnOutcome, capture: &mut Capture, total: usize) {
        let outcome = &mut self.outcome;
        outcome.duration_us += told.duration_us;
        let is_cut_short = !matches!(told.end, TurnEnd::Evaluated(_)) || capture.was_stopped();
        outcome.turns.push(told);
        outcome.turns_not_run = count(total - outcome.turns.len());
        outcome.messages_count = summary::messages_count(&capture.trace);
        // A test whose last turn fails has still been seen whole: what it owes is judged beside it.
        if outcome.turns.len() == total && !is_cut_short {
            outcome.end = TestEnd::Evaluated(capture.judge.settle(&capture.trace));
        }
        self.held(capture);
    }

    /// Takes what is known to hold by now.
    fn held(&mut self, capture: &mut Capture) {
        let Outcome { turns, held: of_test, .. } = &mut self.outcome;
        for (scope, held) in capture.judge.take_passed() {
            match scope {
                Scope::Test => of_test.push(held),
                Scope::Turn(index) => {
                    if let Some(turn) = turns.get_mut(index) {
                        turn.held.push(held);
                    }
                }
            }
        }
    }

    /// Asks what rules of the test as a whole left open, where all else holds.
    async fn ask(&mut self, capture: &mut Capture, preparation: &Preparation<'_>) -> Result<(), Problem> {
        let questions = capture.judge.take_questions();
        if self.outcome.status() != Status::Passed {
            return Ok(());
        }
        let asking = Asking { shared: self.shared, tape: &self.tape, redactor: self.redactor, preparation };
        let (failures, halt) = asking.judge(questions, capture).await;
        self.held(capture);
        let outcome = &mut self.outcome;
        outcome.end = TestEnd::Evaluated(failures);
        match halt {
            None => Ok(()),
            Some(Halt::Broken(problem)) => Err(problem),
            Some(Halt::Stopped) => {
                cut_short(outcome, self.shared.stopper.reason());
                Ok(())
            }
        }
    }

    /// How long the next turn may take: its own time-out, and what is left of the whole test's.
    fn left(&self, whole: Option<Duration>, own: Duration) -> Duration {
        let used = Duration::from_micros(self.outcome.duration_us);
        whole.map_or(own, |whole| own.min(whole.saturating_sub(used)))
    }
}
