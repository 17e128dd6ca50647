//! The result of a conversation as the outcome of its attempt.

use crate::attempt::{Attempt, snapshots};
use crate::context::{AttemptPurpose, turn_count};
use ananke_conversation::ConversationResult;
use ananke_trace::outcome::coverage::{Picks, ToolPicks};
use ananke_trace::outcome::{ErrorKind, Halt, Outcome, Problem, Status, TurnOutcome};

/// The number of rules that are named of those that a skipped test has not evaluated.
const LISTED_RULES: usize = 5;

/// The reason that a test is skipped whose agent waits for input: with the rules that nothing decided, and what to do.
fn why_skipped(why: &str, open_rules: &[String]) -> String {
    let listed = open_rules.len().min(LISTED_RULES);
    let named = open_rules[..listed].join(", ");
    let unchecked = match open_rules.len() - listed {
        0 if listed == 0 => String::new(),
        0 => format!("; not checked: {named}"),
        more => format!("; not checked: {named} and {more} more"),
    };
    format!(
        "{why}{unchecked}; add a turn that answers, `simulate` or `interactive`, or `on_missing_input: end`"
    )
}

/// Whether a turn ended with an error, which is no failure of the agent.
fn is_broken(turn: &TurnOutcome) -> bool {
    match turn.problem() {
        Some(problem) => problem.kind.status() != Status::Failed,
        None => false,
    }
}

impl Attempt<'_> {
    /// Notes the tools that the model picked, of those that were `offered` to it with the tools of a server.
    pub(super) fn note_picks(&mut self, offered: Vec<ToolPicks>, result: &ConversationResult) {
        if offered.is_empty() {
            return;
        }
        // A conversation that broke off with an error does not show what the model would have picked next. It is counted apart, and
        // adds no names, because the error may be a pick itself: of a tool that does not exist.
        let broke_off = result.halt.is_some() || result.turns.iter().any(is_broken);
        let picks = if broke_off {
            Picks::of_broken_run(offered)
        } else {
            let mut called: Vec<&str> = Vec::new();
            for call in &result.trace.calls {
                called.push(&call.name);
            }
            Picks::of_run(offered, &called)
        };
        self.outcome.picks = Some(Box::new(picks));
    }

    /// Puts the result of the conversation into the outcome of the attempt; `turn_count` converts any number into a `u32`.
    ///
    /// # Errors
    /// The reason that the conversation ended before its last turn, if it is not the problem of a turn.
    pub(super) fn take_result(&mut self, result: ConversationResult) -> Result<(), Halt> {
        let ConversationResult {
            turns,
            turns_not_run,
            rules,
            not_asked,
            halt,
            open_rules,
            trace,
            snapshots,
            checkpoints,
            messages_count,
            state,
            warnings,
            denied_warnings,
            duration_us,
        } = result;
        // The outcome has rules, warnings and messages from before the conversation, so these are added. The rest is replaced.
        let Outcome {
            transcript,
            verdict,
            ..
        } = &mut self.outcome;
        transcript.peer = trace.peer;
        transcript.turns = turns;
        // A conversation of another program shows only some facts: the others are removed, so that nothing made up is reported.
        for turn in &mut transcript.turns {
            turn.keep_shown(self.shown);
        }
        transcript.checkpoints = checkpoints;
        transcript.turns_not_run = turn_count(turns_not_run);
        transcript.messages_count += messages_count;
        transcript.state = state;
        transcript.duration_us = duration_us;
        verdict.rules.extend(rules);
        verdict.silenced = trace.ledger.silenced().map(silenced).collect();
        verdict.judges_not_asked = turn_count(not_asked.len());
        verdict.warnings.extend(not_asked);
        verdict.warnings.extend(warnings);
        verdict.denied_warnings = turn_count(denied_warnings);

        // A recording that has more than the conversation used of it gets a warning, unless the conversation ended early.
        let of_recording = self.environment.warnings(|| {
            halt.is_none()
                && turns_not_run == 0
                && transcript.turns.iter().all(|turn| turn.problem().is_none())
        });
        verdict.warnings.extend(of_recording);

        // The problem of a turn that the agent was never asked ends the attempt, unless something else did before.
        let unasked = self.remove_unasked_turn();
        if let Some(halt) = halt.or(unasked.map(Halt::Broken)) {
            return Err(match halt {
                Halt::Skipped(cause, why) => Halt::Skipped(cause, why_skipped(&why, &open_rules)),
                halt => halt,
            });
        }
        // A turn is skipped only if the run stopped during it.
        if self.outcome.status() == Status::Skipped {
            return Err(Halt::Stopped);
        }
        // An attempt that only verifies a recording writes no snapshots.
        if self.purpose == AttemptPurpose::Verify {
            return Ok(());
        }
        Ok(snapshots::keep(snapshots, &mut self.outcome)?)
    }

    /// Removes the last turn if the kept answers of an earlier run have none to it: the agent was never asked, so the attempt
    /// ends before that turn. Returns the problem that the turn had; `None` if no turn is removed.
    fn remove_unasked_turn(&mut self) -> Option<Problem> {
        if !self.case.shared.answers.are_of_earlier_run() {
            return None;
        }
        let transcript = &mut self.outcome.transcript;
        let problem = transcript.turns.last()?.problem()?.clone();
        // A problem of the kind `Recording` shows that the recording has no answer.
        if problem.kind != ErrorKind::Recording {
            return None;
        }
        // The turn counts as one that was not run.
        transcript.turns.pop();
        transcript.turns_not_run += 1;
        Some(problem)
    }
}

/// A name that the target knows, and how often it came.
fn silenced((name, count): (&str, u64)) -> String {
    let times = if count == 1 { "time" } else { "times" };
    format!("`{name}`, {count} {times}")
}
