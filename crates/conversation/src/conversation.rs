//! One conversation with an agent, turn by turn: asked, traced and judged. Everything it needs is handed in, so it knows
//! neither plan nor run.
//!
//! **Why:** Everything is handed in, so that the same code holds a conversation in a test, for a judge, with a person
//! and in a unit test with fakes, and none of them has a second form of the order in which things are done: send,
//! apply, watch, answer, ask, end.

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
use super::trace_sink::TraceSink;
use super::turn_outcome::{messages_count, state, turn_outcome, violation};
use ananke_agents::{Action, Session};
use ananke_base::context::Ids;
use ananke_base::message::{Lane, TurnRequest};
use ananke_model::settings::RunSettings;
use ananke_rules::{Completion, Decision, Evaluator, Following, Question, RuleScope, TurnRules};
use ananke_trace::outcome::{
    ErrorKind, Halt, Problem, RuleResult, Status, TimeLimits, TurnEnd, TurnOutcome, bounded,
};
use ananke_trace::trace::{Input, Trace};

/// The parts of a conversation.
pub struct ConversationParts<'a> {
    /// The lane of the agent.
    pub lane: Lane,
    /// The session with the agent, which no other conversation uses.
    pub session: Box<dyn Session>,
    /// The trace to fill, with what is known of the conversation before it begins.
    pub trace: Trace,
    /// The rules of the test, which watch the trace.
    pub evaluator: Evaluator,
    /// The checkpoints that the conversation must reach.
    pub checkpoints: Checkpoints,
    /// Executes client-side tools.
    pub tools: &'a mut dyn ToolHost,
    /// Answers what rules ask.
    pub oracle: &'a dyn Oracle,
    /// Answers what a server asks back.
    pub requests: &'a mut dyn RequestHost,
    /// Makes the ids of what the user says.
    pub ids: Arc<dyn Ids>,
    /// The observers of the conversation.
    pub observers: Vec<Box<dyn Observer + 'a>>,
    /// The time that it may take, and the amount that an agent may send.
    pub budget: Budget,
    /// The settings of the run.
    pub settings: &'a RunSettings,
}

/// A conversation that goes on.
struct Conversation<'a> {
    session: Box<dyn Session>,
    sink: TraceSink<'a>,
    tools: &'a mut dyn ToolHost,
    oracle: &'a dyn Oracle,
    ids: Arc<dyn Ids>,
    budget: Budget,
    settings: &'a RunSettings,
    result: ConversationResult,
}

/// Holds a conversation: sends what `inputs` gives until it gives nothing more or a turn does not pass (SPEC 5), and
/// evaluates the rules of the whole conversation. Every error is in the result.
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
        budget,
        settings,
    } = parts;
    let sink = TraceSink::new(
        lane,
        trace,
        evaluator,
        checkpoints,
        requests,
        observers,
        settings,
    );
    // The result is filled while the conversation goes on, so that a problem leaves in it what came before.
    let result = ConversationResult::default();
    let mut conversation = Conversation {
        session,
        sink,
        tools,
        oracle,
        ids,
        budget,
        settings,
        result,
    };
    if let Err(halt) = conversation.hold(inputs).await {
        conversation.result.halt = Some(halt);
    }
    // A source that does not know how many turns remain, such as a simulator, has none that were not run.
    conversation.result.turns_not_run = inputs.remaining().unwrap_or_default();
    // The session is closed however the conversation ended, for an orderly end: a session that is dropped ends at once.
    let warnings = conversation.session.close().await;
    conversation.result.warnings.extend(warnings);
    conversation.finish()
}

impl Conversation<'_> {
    /// Sends all turns, and evaluates the rules of the whole conversation. The findings go into `self.result`.
    ///
    /// # Errors
    /// If something other than the problem of a turn ends the conversation.
    async fn hold(&mut self, inputs: &mut dyn InputSource) -> Result<(), Halt> {
        let has_no_more_input = self.take_turns(inputs).await?;
        self.check_rule_time()?;

        // The rules of the whole conversation are evaluated if all turns were sent, even if the last one fails. A turn that
        // ended with a problem, or was stopped by a rule that failed, may lack what these rules look for.
        // An input source may know in advance that nothing remains, or say so only when it is asked for more.
        let is_whole = has_no_more_input || inputs.remaining() == Some(0);
        let is_last_evaluated = match self.result.turns.last() {
            Some(turn) => matches!(turn.end, TurnEnd::Evaluated | TurnEnd::NotNeeded(_)),
            // Without a turn, none ended too early.
            None => true,
        };
        if is_whole && is_last_evaluated && !self.sink.was_stopped() {
            let failures = self.sink.evaluator.settle(&self.sink.trace);
            self.result.rules.extend(failures);
            self.result.warnings = self.sink.evaluator.take_warnings();
            self.take_passed();
            self.check_rule_time()?;
        }

        // If nothing was sent to an agent, no rule about it can fail, and that must not count as a pass.
        if self.result.is_passed() && self.sink.trace.exchanges.is_empty() && inputs.must_send() {
            return Err(self.nothing_sent().into());
        }

        // Judges and scripts come last, so that none is asked about a test that fails without them.
        let questions = self.sink.evaluator.take_questions();
        if self.result.is_passed() {
            let (failures, halt) = self.ask(questions).await;
            self.result.rules.extend(failures);
            // Rules that a judge or script confirmed have passed now.
            self.take_passed();
            // The failures that came before the halt are kept with it.
            if let Some(halt) = halt {
                return Err(halt);
            }
        }
        Ok(())
    }

    /// Ends the conversation if its rules were given up: nothing that they answered since counts.
    fn check_rule_time(&self) -> Result<(), Halt> {
        match self.sink.evaluator.given_up() {
            Some(halt) => Err(halt),
            None => Ok(()),
        }
    }

    /// The problem of a test that sent nothing.
    fn nothing_sent(&self) -> Problem {
        if self.result.turns.is_empty() {
            Problem::new(ErrorKind::Setup, "nothing was sent to the agent")
                .help("write what the user says: a test without a turn checks nothing")
        } else {
            let message = "nothing was sent to the agent: no turn was needed";
            Problem::new(ErrorKind::Setup, message)
                .help("write a turn without `if`: a test without a turn checks nothing")
        }
    }

    /// Takes the turns whose condition is not met out of `inputs`, up to the first turn that is to be sent. Returns `false` if a
    /// condition cannot be decided: the conversation then ends. A pattern that compiles to more than is allowed is an error.
    fn pass_over_unneeded_turns(&mut self, inputs: &mut dyn InputSource) -> Result<bool, Halt> {
        // `conditional` gives the next turn only if it has a condition. Without one, the turn is sent.
        while let Some(turn) = inputs.conditional()? {
            let decision = self.sink.decide(&turn).map_err(|error| too_large(&error))?;
            // A condition that found nothing because the time of the rules was over decides nothing.
            self.check_rule_time()?;
            match decision {
                TurnDecision::Needed => break,
                // A turn that is not sent has a place in the result, so that later turns keep their numbers.
                TurnDecision::NotNeeded(reason) => {
                    let ConditionalTurn { id, shown, .. } = turn;
                    let number = u32::try_from(self.result.turns.len() + 1).unwrap_or(u32::MAX);
                    let turn = TurnOutcome::not_needed(number, id, bounded(&shown), reason);
                    self.result.turns.push(turn);
                    inputs.pass_over();
                }
                // To send the turn or to omit it would be a guess, on which all later turns would rest.
                TurnDecision::Undecided(reason) => {
                    self.result.rules.push(turn.condition.not_shown(reason));
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Sends turns until one does not pass. Returns whether `inputs` has no more of them.
    async fn take_turns(&mut self, inputs: &mut dyn InputSource) -> Result<bool, Halt> {
        loop {
            // A condition that cannot be decided ends the conversation.
            if !self.pass_over_unneeded_turns(inputs)? {
                return Ok(false);
            }
            // The next input may depend on all that was said before.
            let so_far = ConversationSoFar {
                trace: &self.sink.trace,
                checkpoints: &self.sink.checkpoints,
            };
            let Some(next) = inputs.next(so_far).await? else {
                return Ok(true);
            };
            let NextTurn {
                request,
                origin,
                time_left,
                rules,
            } = next;

            // Rules of a turn that was not known when the conversation began come with the turn.
            let index = self.result.turns.len();
            if let Some(rules) = &rules {
                self.sink.evaluator.set_turn_rules(index, rules.clone());
            }
            // Rules that wait for a later turn are decided at the end of this one if it is known to be the last.
            let following = if inputs.remaining() == Some(0) {
                Following::Nothing
            } else {
                Following::Turns
            };
            let mut turn = self
                .turn(index, &request, rules.as_ref(), time_left, following)
                .await;
            turn.origin = origin;

            // The input source reviews the turn: one that lacks a value for a later turn does not pass, although its rules did.
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
            // Passed rules come after the turn is pushed, since they are added to it.
            self.take_passed();
            if !is_passed {
                return Ok(false);
            }
        }
    }

    /// Ends the conversation, of which nothing but its result is left.
    fn finish(mut self) -> ConversationResult {
        // The snapshots that the caller writes.
        self.result.snapshots = self.sink.evaluator.take_captured();
        // Values in rules that look like conditions or patterns are a warning each, once the conversation shows them to be meant
        // so.
        let lookalikes = self.sink.evaluator.lookalikes(&self.sink.trace);
        self.result.warnings.extend(lookalikes);

        // All warnings of rules are taken by now, so the number of those that `--deny-warnings` makes failures is complete.
        let evaluator = &self.sink.evaluator;
        self.result.denied_warnings = evaluator.denied_warnings();
        let unchecked = self
            .result
            .warning_if_unchecked(|index| evaluator.looks_at_agent_in(index));
        // This warning is one of those too.
        if let Some(warning) = unchecked {
            self.result.warnings.push(warning.to_owned());
            self.result.denied_warnings += 1;
        }

        // Without a turn, the trace only has the state with which the target begins.
        if !self.result.turns.is_empty() {
            self.result.messages_count = messages_count(&self.sink.trace);
            self.result.state = state(&self.sink.trace);
        }
        // A test is skipped if the agent waits for an answer that is missing. The report names the rules that are still open.
        if let Some(Halt::Skipped(..)) = self.result.halt {
            let open = evaluator.open_rules();
            self.result.open_rules = open.map(|(path, origin)| origin.named(path)).collect();
        }
        self.result.checkpoints = self.sink.checkpoints.outcomes();
        self.result.trace = self.sink.trace;
        self.result
    }

    /// Sends the turn `index`, counted from 0, and evaluates it. A turn that cannot be sent ends with its problem.
    async fn turn(
        &mut self,
        index: usize,
        request: &TurnRequest,
        rules: Option<&TurnRules>,
        time_left: Option<TimeLeft>,
        following: Following,
    ) -> TurnOutcome {
        // A turn that could not begin has no limits: the evaluator may still have those of the turn before.
        let mut limits = TimeLimits::default();
        let mut failures = Vec::new();
        let end = match self.begin_turn(index, request, rules) {
            Ok(action) => {
                let sent = self.send_turn(index, request, action, time_left, following);
                let (end, failed_rules) = sent.await;
                failures = failed_rules;
                limits = self.sink.evaluator.time_limits();
                end
            }
            Err(problem) => TurnEnd::Problem(problem),
        };
        // The trace has everything else that a report shows of the turn.
        let outcome = turn_outcome(&self.sink.trace, index, self.session.clock(), limits, end);
        TurnOutcome {
            id: request.id.clone(),
            rules: failures,
            ..outcome
        }
    }

    /// Begins a turn in the trace, the evaluator and the checkpoints, and returns the action to send.
    ///
    /// # Errors
    /// If `request` cannot be sent now, or a pattern compiles to more than is allowed.
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
        // `compose` adds to `input` what the trace records of the action.
        let composed = compose(&self.sink.trace, request, &*self.ids, &mut input);
        // The trace gets the turns that were not needed first, so that this one has the place `index` in it.
        self.sink.trace.pass_over_turns(index);
        self.sink.begin_turn(input, rules);
        // A turn that cannot be sent begins all the same, so that reports show what it was to send.
        let action = composed?;

        let begun = self.sink.evaluator.begin_turn(index);
        begun.map_err(|error| too_large(&error))?;
        let begun = self.sink.checkpoints.begin_turn(index);
        begun.map_err(|error| too_large(&error))?;
        Ok(action)
    }

    /// Sends a turn that has begun, and evaluates it. `following` is whether another turn may follow, for which some rules wait.
    /// Returns the end of the turn, and the rules that failed in it, which are reported whatever the end is.
    async fn send_turn(
        &mut self,
        index: usize,
        request: &TurnRequest,
        action: Action,
        time_left: Option<TimeLeft>,
        following: Following,
    ) -> (TurnEnd, Vec<RuleResult>) {
        // A rule that limits the duration of the turn may extend the default timeout.
        let used = Duration::from_micros(self.result.duration_us);
        let limits = self.sink.evaluator.time_limits();
        let limit = limits.duration_ms.map(Duration::from_millis);
        let budget = self.budget.of_turn(request.timeout, limit, used, time_left);

        // The answers to a server's own requests are those of this turn. Only the directories (roots) of an earlier turn stay
        // until another turn gives some, since a server may ask for them at any time.
        let sink = &mut self.sink;
        let earlier_roots = sink.answers.roots.take();
        sink.answers.clone_from(&request.answers);
        if sink.answers.roots.is_none() {
            sink.answers.roots = earlier_roots;
        }
        let session = &mut *self.session;
        let context = &request.context;
        let exchanged = exchange(session, sink, self.tools, &budget, context, action).await;
        let halt = match exchanged {
            Ok(()) => self.strict_problem(index),
            Err(halt) => Some(halt),
        };

        // The rules see the end in any case, so that a timeout does not hide what failed before it.
        self.sink.end_turn(following);
        // A rule that requires something does not fail because an aborted turn lacks it.
        let is_aborted = halt.is_some() || self.sink.was_stopped();
        let completion = if is_aborted {
            Completion::Aborted
        } else {
            Completion::Complete
        };
        let TraceSink {
            evaluator, trace, ..
        } = &mut self.sink;
        let mut failures = evaluator.end_turn(trace, completion, following);
        // Questions are taken even if they are not asked: those of this turn must not be asked after a later one.
        let questions = evaluator.take_questions();
        // Rules that took too long end the turn whatever else did, since nothing that they found since then counts.
        if let Some(given_up) = evaluator.given_up() {
            return (Halt::turn_end(Some(given_up)), failures);
        }
        // Without a halt, a rule that failed stopped the turn: the turn is then evaluated, and its failures say why it ended.
        if is_aborted {
            return (Halt::turn_end(halt), failures);
        }
        // A rule that could not be evaluated, such as a limit of tokens that were not reported, is a problem and no failure.
        if let Some(problem) = evaluator.unjudged() {
            return (TurnEnd::Problem(problem), failures);
        }

        // Judges and scripts are asked last, so that none is asked about a turn that fails without them.
        if failures.is_empty() {
            let (rejected, halt) = self.ask(questions).await;
            failures = rejected;
            if halt.is_some() {
                return (Halt::turn_end(halt), failures);
            }
        }

        // Checkpoints have rules of their own, so a turn that fails may reach one.
        let TraceSink {
            checkpoints, trace, ..
        } = &mut self.sink;
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let watched = checkpoints.end_turn(number, trace, self.oracle).await;
        (Halt::turn_end(watched.err()), failures)
    }

    /// The problem of the turn `index`, counted from 0, if its events violate the protocol and the setting `strict_protocol`
    /// makes that an error. Without the setting, violations are warnings.
    fn strict_problem(&self, index: usize) -> Option<Halt> {
        if !self.settings.strict_protocol {
            return None;
        }
        let turn = self.sink.trace.turns.get(index)?;
        // The message has the first violation, and the number of the others: those that were kept, and those only counted.
        let first = turn.violations.kept().first()?;
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

    /// Asks the judges and scripts that rules need, in the order of `questions`, until one cannot answer. Returns the rules that
    /// were rejected, and the reason why not all were asked, if there is one: rules that failed before it are reported too.
    async fn ask(&mut self, questions: Vec<Question>) -> (Vec<RuleResult>, Option<Halt>) {
        let TraceSink {
            evaluator, trace, ..
        } = &mut self.sink;
        let mut failures = Vec::new();
        for question in questions {
            match self.oracle.decide(&question).await {
                Ok(decision) => {
                    // A judge that must not be asked in this run is a warning. Its rule does not fail.
                    if decision == Decision::NotAsked {
                        self.result.not_asked.push(question.not_asked());
                    }
                    failures.extend(evaluator.decide(&question, decision, trace));
                }
                // The problem of a judge or script gets the name of the rule that asked.
                Err(Halt::Broken(problem)) => {
                    return (failures, Some(question.unanswered(problem).into()));
                }
                Err(halt @ (Halt::Stopped | Halt::Skipped(..))) => return (failures, Some(halt)),
            }
        }
        (failures, None)
    }

    /// Takes the rules that have passed since the last call out of the evaluator, and adds each to the result of its scope.
    fn take_passed(&mut self) {
        let passed = self.sink.evaluator.take_passed(&self.sink.trace);
        // The search for passed rules also finds those that rest on what was not read. Such rules have neither passed nor failed.
        let not_shown = self.sink.evaluator.take_not_shown();
        self.result.rules.extend(not_shown);
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

/// The problem of a pattern that compiles to more than is allowed.
fn too_large(error: &regex::Error) -> Problem {
    Problem::new(ErrorKind::Setup, error.to_string())
}
