//! One conversation with an agent, turn by turn: asked, traced and judged. Everything it needs is handed in, so it knows
//! neither plan nor run.

use std::sync::Arc;
use std::time::Duration;

use super::budget::{Budget, TimeLeft};
use super::checkpoints::Checkpoints;
use super::conditional_turn::{ConditionalTurn, TurnDecision};
use super::exchanges::exchange;
use super::hosts::{Oracle, RequestHost, ToolHost};
use super::input_source::{ConversationSoFar, InputSource, NextTurn};
use super::observer::Observer;
use super::pending::compose;
use super::result::ConversationResult;
use super::trace_sink::{AtFailure, TraceSink};
use super::turn_outcome::{messages_count, state, turn_outcome, violation};
use ananke_agents::{Action, Session};
use ananke_base::context::Ids;
use ananke_base::message::{Lane, TurnRequest};
use ananke_rules::{Completion, Decision, Evaluator, Following, Question, RuleScope, TurnRules};
use ananke_trace::outcome::{
    ErrorKind, Halt, Problem, RuleResult, Status, TimeLimits, TurnEnd, TurnOutcome, bounded,
};
use ananke_trace::trace::{Input, Trace};

/// The effect of a violation of the protocol on its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtViolation {
    /// A warning.
    #[default]
    Warn,
    /// A problem: the turn ends with an error.
    Fail,
}

/// The parts of a conversation.
pub struct ConversationParts<'a> {
    /// The lane of the agent.
    pub lane: Lane,
    /// The session with the agent.
    pub session: Box<dyn Session>,
    /// The trace to fill, with what is known of the conversation before it begins.
    pub trace: Trace,
    /// The rules.
    pub evaluator: Evaluator,
    /// The checkpoints that the conversation must reach.
    pub checkpoints: Checkpoints,
    /// Executes client-side tools.
    pub tools: &'a mut dyn ToolHost,
    /// Answers what rules ask.
    pub oracle: &'a dyn Oracle,
    /// Answers what a server asks back.
    pub requests: &'a mut dyn RequestHost,
    /// Ids of messages.
    pub ids: Arc<dyn Ids>,
    /// The observers of the conversation.
    pub observers: Vec<Box<dyn Observer + 'a>>,
    /// The time that it may take, and the amount that an agent may send.
    pub budget: Budget,
    /// The moment at which a turn ends if a rule fails.
    pub at_failure: AtFailure,
    /// The effect of a violation of the protocol on its turn.
    pub at_violation: AtViolation,
}

/// Whether it is known which turn comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decidable {
    Yes,
    No,
}

/// A conversation that goes on.
struct Conversation<'a> {
    session: Box<dyn Session>,
    sink: TraceSink<'a>,
    tools: &'a mut dyn ToolHost,
    oracle: &'a dyn Oracle,
    ids: Arc<dyn Ids>,
    budget: Budget,
    at_violation: AtViolation,
    result: ConversationResult,
}

/// Holds a conversation: sends what `inputs` gives until it gives nothing more or a turn does not pass (SPEC 5), and
/// settles the rules of the whole conversation.
pub async fn converse(
    parts: ConversationParts<'_>,
    inputs: &mut dyn InputSource,
) -> ConversationResult {
    let ConversationParts {
        lane,
        session,
        trace,
        evaluator,
        checkpoints,
        tools,
        oracle,
        requests,
        ids,
        observers,
        ..
    } = parts;
    let (budget, at_violation) = (parts.budget, parts.at_violation);
    let sink = TraceSink::new(
        lane,
        trace,
        evaluator,
        checkpoints,
        requests,
        observers,
        parts.at_failure,
    );
    let result = ConversationResult::default();
    let mut conversation = Conversation {
        session,
        sink,
        tools,
        oracle,
        ids,
        budget,
        at_violation,
        result,
    };
    if let Err(halt) = conversation.carry_out(inputs).await {
        conversation.result.halt = Some(halt);
    }
    conversation.result.turns_not_run = inputs.remaining().unwrap_or_default();
    let warnings = conversation.session.close().await;
    conversation.result.warnings.extend(warnings);
    conversation.finish()
}

impl Conversation<'_> {
    /// All turns, and what the rules of the whole conversation say about them.
    async fn carry_out(&mut self, inputs: &mut dyn InputSource) -> Result<(), Halt> {
        let is_over = self.take_turns(inputs).await?;
        if let Some(halt) = self.sink.evaluator.given_up() {
            return Err(halt);
        }
        // A conversation whose last turn fails has still been seen as a whole: its rules are evaluated too.
        let is_whole = is_over || inputs.remaining() == Some(0);
        let ended = self
            .result
            .turns
            .last()
            .is_none_or(|turn| matches!(turn.end, TurnEnd::Evaluated | TurnEnd::NotNeeded(_)));
        if is_whole && ended && !self.sink.was_stopped() {
            self.result
                .rules
                .extend(self.sink.evaluator.settle(&self.sink.trace));
            self.result.warnings = self.sink.evaluator.take_warnings();
            self.take_passed();
            if let Some(halt) = self.sink.evaluator.given_up() {
                return Err(halt);
            }
        }
        if self.result.is_passed() && self.sink.trace.exchanges.is_empty() && inputs.must_send() {
            return Err(self.nothing_sent().into());
        }
        let questions = self.sink.evaluator.take_questions();
        if self.result.is_passed() {
            let (failures, halt) = self.ask(questions).await;
            self.result.rules.extend(failures);
            self.take_passed();
            halt.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// The problem of a test that sent nothing.
    fn nothing_sent(&self) -> Problem {
        let (message, help) = if self.result.turns.is_empty() {
            (
                "nothing was sent to the agent",
                "write what the user says: a test without a turn checks nothing",
            )
        } else {
            (
                "nothing was sent to the agent: no turn was needed",
                "write a turn without `if`: a test without a turn checks nothing",
            )
        };
        Problem::new(ErrorKind::Setup, message).help(help)
    }

    /// Takes the turns that are not needed out of `inputs`, up to one that is sent; returns whether that can be decided.
    fn pass_over_turns(&mut self, inputs: &mut dyn InputSource) -> Result<Decidable, Halt> {
        while let Some(turn) = inputs.conditional()? {
            let decision = self.sink.decide(&turn);
            let decision =
                decision.map_err(|error| Problem::new(ErrorKind::Setup, error.to_string()))?;
            if let Some(halt) = self.sink.evaluator.given_up() {
                return Err(halt);
            }
            match decision {
                TurnDecision::Needed => break,
                TurnDecision::NotNeeded(reason) => {
                    let ConditionalTurn { id, shown, .. } = turn;
                    let number = u32::try_from(self.result.turns.len() + 1).unwrap_or(u32::MAX);
                    let turn = TurnOutcome::not_needed(number, id, bounded(&shown), reason);
                    self.result.turns.push(turn);
                    inputs.pass_over();
                }
                TurnDecision::Undecided(reason) => {
                    self.result.rules.push(turn.condition.not_shown(reason));
                    return Ok(Decidable::No);
                }
            }
        }
        Ok(Decidable::Yes)
    }

    /// Sends turns until one does not pass; returns whether there is none left.
    async fn take_turns(&mut self, inputs: &mut dyn InputSource) -> Result<bool, Halt> {
        loop {
            if self.pass_over_turns(inputs)? == Decidable::No {
                return Ok(false);
            }
            let TraceSink {
                trace, checkpoints, ..
            } = &self.sink;
            let so_far = ConversationSoFar { trace, checkpoints };
            let Some(next) = inputs.next(so_far).await? else {
                return Ok(true);
            };
            let NextTurn {
                request,
                origin,
                time_left,
                rules,
            } = next;
            let index = self.result.turns.len();
            if let Some(rules) = &rules {
                self.sink.evaluator.set_turn_rules(index, rules.clone());
            }
            let following = if inputs.remaining() == Some(0) {
                Following::Nothing
            } else {
                Following::Turns
            };
            let mut turn = self
                .turn(index, &request, rules.as_ref(), time_left, following)
                .await;
            turn.origin = origin;
            let review = inputs.review(&self.sink.trace, &turn);
            turn.warnings.extend(review.warnings);
            turn.awaits = review.awaits;
            if let Some(problem) = review.problem {
                turn.end = TurnEnd::Problem(problem);
            }
            self.result.duration_us += turn.duration_us.unwrap_or_default();
            let is_passed = turn.status() == Status::Passed;
            turn.warnings.extend(self.sink.evaluator.take_warnings());
            self.result.turns.push(turn);
            self.take_passed();
            if !is_passed {
                return Ok(false);
            }
        }
    }

    /// The result of the conversation, with the snapshots to write.
    fn finish(mut self) -> ConversationResult {
        self.result.snapshots = self.sink.evaluator.take_captured();
        let lookalikes = self.sink.evaluator.lookalikes(&self.sink.trace);
        self.result.warnings.extend(lookalikes);
        self.result.denied_warnings = self.sink.evaluator.denied_warnings();
        let evaluator = &self.sink.evaluator;
        let looks_at_agent = |index| evaluator.looks_at_agent_in(index);
        if let Some(warning) = self.result.checked_by_nothing(looks_at_agent) {
            self.result.warnings.push(warning.to_owned());
            self.result.denied_warnings += 1;
        }
        if !self.result.turns.is_empty() {
            self.result.messages_count = messages_count(&self.sink.trace);
            self.result.state = state(&self.sink.trace);
        }
        if let Some(Halt::Skipped(..)) = self.result.halt {
            let open = self.sink.evaluator.open_rules();
            self.result.open_rules = open.map(|(path, origin)| origin.named(path)).collect();
        }
        self.result.checkpoints = self.sink.checkpoints.outcomes();
        self.result.trace = self.sink.trace;
        self.result
    }

    /// Sends one turn and evaluates it.
    async fn turn(
        &mut self,
        index: usize,
        request: &TurnRequest,
        rules: Option<&TurnRules>,
        time_left: Option<TimeLeft>,
        following: Following,
    ) -> TurnOutcome {
        let (limits, (end, rules)) = match self.begin_turn(index, request, rules) {
            Ok(action) => {
                let ended = self
                    .carry_out_turn(index, request, action, time_left, following)
                    .await;
                (self.sink.evaluator.time_limits(), ended)
            }
            Err(problem) => (
                TimeLimits::default(),
                (TurnEnd::Problem(problem), Vec::new()),
            ),
        };
        let outcome = turn_outcome(&self.sink.trace, index, self.session.clock(), limits, end);
        TurnOutcome {
            id: request.id.clone(),
            rules,
            ..outcome
        }
    }

    fn begin_turn(
        &mut self,
        index: usize,
        request: &TurnRequest,
        rules: Option<&TurnRules>,
    ) -> Result<Action, Problem> {
        let mut input = Input {
            shown: request.input.describe(),
            ..Input::default()
        };
        let action = compose(&self.sink.trace, request, &*self.ids, &mut input);
        self.sink.trace.pass_over_turns(index);
        self.sink.begin_turn(input, rules);
        let action = action?;
        let begun = self.sink.evaluator.begin_turn(index);
        let begun = begun.and_then(|()| self.sink.checkpoints.begin_turn(index));
        begun.map_err(|error| Problem::new(ErrorKind::Setup, error.to_string()))?;
        Ok(action)
    }

    async fn carry_out_turn(
        &mut self,
        index: usize,
        request: &TurnRequest,
        action: Action,
        time_left: Option<TimeLeft>,
        following: Following,
    ) -> (TurnEnd, Vec<RuleResult>) {
        let used = Duration::from_micros(self.result.duration_us);
        let limit = self
            .sink
            .evaluator
            .time_limits()
            .duration_ms
            .map(Duration::from_millis);
        let budget = self.budget.of_turn(request.timeout, limit, used, time_left);
        let Self {
            session,
            sink,
            tools,
            ..
        } = self;
        let context = &request.context;
        // A server asks for its directories at any time: they are those of the last turn that gave some.
        let roots = sink.answers.roots.take();
        sink.answers.clone_from(&request.answers);
        sink.answers.roots = sink.answers.roots.take().or(roots);
        let exchanged =
            exchange(&mut **session, sink, &mut **tools, &budget, context, action).await;
        let mut halt = exchanged.err().or_else(|| self.violation(index));
        self.sink.end_turn(following);
        let is_cut_short = halt.is_some() || self.sink.was_stopped();
        let completion = if is_cut_short {
            Completion::Aborted
        } else {
            Completion::Complete
        };
        let mut failures = self
            .sink
            .evaluator
            .end_turn(&self.sink.trace, completion, following);
        let questions = self.sink.evaluator.take_questions();
        if let Some(given_up) = self.sink.evaluator.given_up() {
            halt = Some(given_up);
        } else if !is_cut_short {
            halt = self.sink.evaluator.unjudged().map(Halt::Broken);
            if halt.is_none() && failures.is_empty() {
                (failures, halt) = self.ask(questions).await;
            }
            if halt.is_none() {
                let TraceSink {
                    checkpoints, trace, ..
                } = &mut self.sink;
                let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
                halt = checkpoints.end_turn(number, trace, self.oracle).await.err();
            }
        }
        (Halt::turn_end(halt), failures)
    }

    /// The problem of a turn whose events break the protocol, if that is one.
    fn violation(&self, index: usize) -> Option<Halt> {
        let turn = self.sink.trace.turns.get(index)?;
        let is_problem = self.at_violation == AtViolation::Fail;
        let first = turn.violations.kept().first().filter(|_| is_problem)?;
        let more = match turn.violations.kept().len() - 1 + turn.violations.more() {
            0 => String::new(),
            1 => " (and 1 more violation)".to_owned(),
            more => format!(" (and {more} more violations)"),
        };
        let message = format!(
            "violation of the protocol: {}{more}",
            violation(turn, first)
        );
        let help = Some(format!("`ananke explain {}` explains the rule", first.rule));
        Some(Halt::Broken(Problem {
            kind: ErrorKind::Protocol,
            message,
            help,
        }))
    }

    /// Asks what rules left open, in their order, until one cannot be answered: the failures of the rules that were
    /// rejected, and what ended it.
    async fn ask(&mut self, questions: Vec<Question>) -> (Vec<RuleResult>, Option<Halt>) {
        let TraceSink {
            evaluator, trace, ..
        } = &mut self.sink;
        let mut failures = Vec::new();
        for question in questions {
            match self.oracle.decide(&question).await {
                Ok(decision) => {
                    if decision == Decision::NotAsked {
                        self.result.not_asked.push(question.not_asked());
                    }
                    failures.extend(evaluator.decide(&question, decision, trace));
                }
                Err(Halt::Broken(problem)) => {
                    return (failures, Some(question.unanswered(problem).into()));
                }
                Err(halt @ (Halt::Stopped | Halt::Skipped(..))) => return (failures, Some(halt)),
            }
        }
        (failures, None)
    }

    /// Takes the rules that are known to have passed by now.
    fn take_passed(&mut self) {
        let passed = self.sink.evaluator.take_passed(&self.sink.trace);
        self.result
            .rules
            .extend(self.sink.evaluator.take_not_shown());
        for (scope, rule) in passed {
            match scope {
                RuleScope::Test => self.result.rules.push(rule),
                RuleScope::Turn(index) => {
                    if let Some(turn) = self.result.turns.get_mut(index) {
                        turn.rules.push(rule);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::{FakeAct, FakeTest, Inputs, Says, rules};
    use ananke_base::message::{AnswerTo, PendingAnswer, TurnInput};
    use ananke_trace::outcome::Status;
    use ananke_trace::trace::{Interrupt, RunEnd};

    fn broken(kind: ErrorKind, message: &str) -> Problem {
        Problem::new(kind, message)
    }

    /// The number of rules of the whole conversation that failed.
    fn failed(result: &ConversationResult) -> usize {
        result.rules.iter().filter(|rule| rule.has_failed()).count()
    }

    fn statuses(result: &ConversationResult) -> Vec<Status> {
        result.turns.iter().map(TurnOutcome::status).collect()
    }

    fn interrupted() -> FakeAct {
        let interrupt = Interrupt {
            id: "i-1".to_owned(),
            ..Interrupt::default()
        };
        FakeAct::Ends(RunEnd::Interrupted(vec![interrupt]))
    }

    #[tokio::test]
    async fn it_goes_on_until_there_is_no_more_input() {
        let mut inputs = Inputs {
            is_counted: false,
            ..Inputs::says(&["one", "two"])
        };
        let mut test = FakeTest::of(&[FakeAct::Says("a"), FakeAct::Says("b")]);
        test.rules = rules("{ text: { must_match: [b] }, tools: { forbid: [pay] } }");
        let result = test.hold(&mut inputs).await;
        assert_eq!(statuses(&result), [Status::Passed, Status::Passed]);
        assert_eq!(
            (
                result.is_passed(),
                result.messages_count,
                result.turns_not_run
            ),
            (true, 3, 0)
        );
        assert_eq!(
            result.rules.len(),
            2,
            "the rules of the whole conversation are settled"
        );
    }

    #[tokio::test]
    async fn it_ends_with_the_first_turn_that_does_not_pass() {
        let mut test = FakeTest::of(&[FakeAct::Executes("pay")]);
        test.rules = rules("{ tools: { forbid: [pay] }, text: { must_match: [b] } }");
        for (is_counted, turns, not_run, of_whole) in [
            (true, &["one", "two"][..], 1, 0),
            (true, &["one"], 0, 1),
            (false, &["one"], 0, 0),
        ] {
            let mut inputs = Inputs {
                is_counted,
                ..Inputs::says(turns)
            };
            let result = test.hold(&mut inputs).await;
            assert_eq!(statuses(&result), [Status::Failed]);
            assert_eq!((result.turns_not_run, failed(&result)), (not_run, of_whole));
        }
    }

    #[tokio::test]
    async fn a_failure_can_stop_the_turn() {
        let mut test = FakeTest::of(&[FakeAct::Executes("pay")]);
        test.rules = rules("{ tools: { forbid: [pay] } }");
        test.at_failure = AtFailure::Stop;
        let result = test.hold(&mut Inputs::says(&["one"])).await;
        assert_eq!(statuses(&result), [Status::Failed]);
        let unanswered = &result.turns[0].lines[0];
        assert!(
            format!("{unanswered:?}").contains("result: None"),
            "{unanswered:?}"
        );
    }

    #[tokio::test]
    async fn the_time_of_the_whole_conversation_applies_to_any_turn() {
        let wait = FakeAct::Waits(Duration::from_secs(4));
        let mut test = FakeTest::of(&[wait.clone(), wait]);
        test.budget.whole = Some(Duration::from_secs(6));
        let mut inputs = Inputs {
            is_counted: false,
            ..Inputs::says(&["one", "two"])
        };
        let result = test.hold(&mut inputs).await;
        assert_eq!(statuses(&result), [Status::Passed, Status::Timeout]);
        let problem = result.turns[1].problem().unwrap();
        assert_eq!(
            problem.message,
            "timeout after 6 s for the whole test: no response came"
        );
        assert_eq!(result.duration_us, 6_000_000);
    }

    #[tokio::test]
    async fn a_run_that_is_stopped_stops_the_turn() {
        let mut test = FakeTest::of(&[]);
        test.budget.turn.cancel.cancel();
        let result = test.hold(&mut Inputs::says(&["one"])).await;
        assert_eq!(result.turns[0].end, TurnEnd::Stopped);
    }

    #[tokio::test]
    async fn the_input_source_has_the_last_word_on_a_turn() {
        let mut inputs = Inputs::says(&["one", "two"]);
        inputs.finds.warnings.push("odd".to_owned());
        inputs.finds.problem = Some(broken(ErrorKind::Capture, "missing"));
        let result = FakeTest::of(&[]).hold(&mut inputs).await;
        assert_eq!(inputs.ends, [TurnEnd::Evaluated]);
        assert_eq!(
            (statuses(&result), &*result.turns[0].warnings),
            (vec![Status::Failed], &["odd".to_owned()][..])
        );
    }

    #[tokio::test]
    async fn what_a_rule_cannot_know_the_oracle_decides() {
        let mut test = FakeTest::of(&[]);
        test.rules = rules("{ script: [{ cmd: [check] }] }");
        let unknown = Halt::Broken(broken(ErrorKind::Script, "it crashed"));
        for (says, failures, passed) in [
            (Ok(Decision::Confirmed), 0, 1),
            (Ok(Decision::Rejected(Some("no".to_owned()))), 1, 0),
            (Err(unknown), 0, 0),
        ] {
            test.oracle = Says(says.clone());
            let result = test.hold(&mut Inputs::says(&["one"])).await;
            let failed = failed(&result);
            assert_eq!((failed, result.rules.len() - failed), (failures, passed));
            assert_eq!(result.halt.is_some(), says.is_err());
        }
    }

    #[tokio::test]
    async fn a_conversation_in_which_nothing_was_sent_is_broken() {
        let result = FakeTest::of(&[]).hold(&mut Inputs::says(&[])).await;
        let Some(Halt::Broken(problem)) = result.halt else {
            panic!("{:?}", result.halt)
        };
        assert_eq!(problem.kind, ErrorKind::Setup);
        assert_eq!(problem.message, "nothing was sent to the agent");
    }

    #[tokio::test]
    async fn what_is_pending_must_be_answered() {
        let mut test = FakeTest::of(&[interrupted()]);
        let result = test.hold(&mut Inputs::says(&["one", "two"])).await;
        assert_eq!(statuses(&result), [Status::Passed, Status::Failed]);
        assert_eq!(
            result.turns[1].problem().unwrap().kind,
            ErrorKind::Conversation
        );

        let answer = PendingAnswer {
            to: AnswerTo::TheOnlyOne,
            is_resolved: true,
            payload: None,
        };
        let says = TurnInput::User(ananke_base::message::UserContent::Text("one".into()));
        let mut inputs = Inputs::of(vec![says, TurnInput::Resume(vec![answer])]);
        let mut test = FakeTest::of(&[interrupted()]);
        assert_eq!(
            statuses(&test.hold(&mut inputs).await),
            [Status::Passed, Status::Passed]
        );
        assert!(
            matches!(&test.requests.lock().unwrap()[1], Action::Resume(answers) if answers[0].id == "i-1")
        );
    }

    #[tokio::test]
    async fn the_rules_of_the_test_apply_to_turns_that_are_not_written() {
        // The rules are those of a test of two turns.
        let wait = |seconds| FakeAct::Waits(Duration::from_secs(seconds));
        for (rule, waits, turns, of_whole) in [
            (
                "{ timing: { max_first_token_ms: 1500, max_duration_ms: 9000 } }",
                [1, 1, 1, 1],
                "pppp",
                0,
            ),
            (
                "{ timing: { max_duration_ms: 3500 } }",
                [1, 1, 1, 1],
                "pppf",
                0,
            ),
            ("{ timing: { max_idle_ms: 2500 } }", [1, 1, 1, 3], "pppf", 0),
            ("{ timing: { max_idle_ms: 2500 } }", [1, 1, 3, 1], "ppf", 0),
        ] {
            let mut inputs = Inputs {
                is_counted: false,
                ..Inputs::says(&["one", "two", "three", "four"])
            };
            let mut test = FakeTest::of(&waits.map(wait));
            test.rules = rules(rule);
            let result = test.hold(&mut inputs).await;
            let shown: String = statuses(&result)
                .iter()
                .map(|status| &status.as_str()[..1])
                .collect();
            assert_eq!(
                (shown.as_str(), failed(&result)),
                (turns, of_whole),
                "{rule} {waits:?}"
            );
        }
    }

    #[tokio::test]
    async fn rules_of_a_turn_can_come_with_it() {
        let rules = rules("{ timing: { max_idle_ms: 500 } }").turns.remove(0);
        let mut inputs = Inputs::says(&["one", "two", "three"]);
        inputs.rules = Some((2, rules));
        let result = FakeTest::of(&vec![FakeAct::Waits(Duration::from_secs(1)); 3])
            .hold(&mut inputs)
            .await;
        assert_eq!(
            statuses(&result),
            [Status::Passed, Status::Passed, Status::Failed]
        );
    }

    #[tokio::test]
    async fn what_a_server_asks_back_is_answered_by_the_part_that_was_handed_in() {
        let result = FakeTest::of(&[FakeAct::Asks])
            .hold(&mut Inputs::says(&["one"]))
            .await;
        assert_eq!(result.trace.messages[1].text, "Accepted(String(\"Sure?\"))");
    }

    #[tokio::test]
    async fn an_observer_sees_everything_in_its_order_with_the_lane_that_talks() {
        let mut test = FakeTest::of(&[FakeAct::Says("hi")]);
        test.lane = Lane::Helper {
            role: "judge".to_owned(),
            number: 1,
        };
        test.hold(&mut Inputs::says(&["one"])).await;
        let notes = test.notes.0.lock().unwrap();
        let kinds = [
            "Sent",
            "RunStarted",
            "MessageOpened",
            "MessageText",
            "MessageClosed",
            "RunEnded",
            "Closed",
        ];
        assert_eq!(notes.len(), kinds.len(), "{notes:?}");
        for (note, kind) in notes.iter().zip(kinds) {
            assert!(note.starts_with(&format!("judge.1: {kind}")), "{note}");
        }
    }
}
