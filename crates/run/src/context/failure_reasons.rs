//! The runs of a test that did not pass, by reason.
//!
//! **Invariant:** at most [`MOST_REASONS`] reasons are kept, whatever an agent says.

use std::cmp::Reverse;

use ananke_base::diagnostic::Place;
use ananke_trace::outcome::{FailedRuns, InputOrigin, Outcome, Status};

/// The number of reasons that are listed; the runs that failed for others are counted.
const MOST_REASONS: usize = 10;

/// The runs that did not pass so far.
#[derive(Debug, Default)]
pub(crate) struct FailureReasons {
    listed: Vec<ListedReason>,
    /// The number of runs with a reason that is not listed.
    further: u32,
}

/// A reason that is listed.
#[derive(Debug)]
struct ListedReason {
    failed: FailedRuns,
    /// The place of the rule that failed first, if its findings differ from run to run: in their numbers if it is a limit, in
    /// their words if the conversation is simulated.
    rule: Option<Place>,
}

/// Whether a run is the first with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReasonNovelty {
    /// No run before it had the reason, which is listed now.
    First,
    /// There were others, or its reason is not listed.
    Known,
}

impl FailureReasons {
    /// Counts a run that did not pass with the earlier runs of the same reason, and returns whether the reason is a new one.
    pub(crate) fn add(&mut self, outcome: &Outcome) -> ReasonNovelty {
        let rule = varying_rule(outcome);
        let status = outcome.status();
        // An outcome without a finding has its status as the only reason.
        let (kind, message) = outcome
            .headline()
            .unwrap_or((status.as_str(), status.as_str()));

        for listed in &mut self.listed {
            // The message of a varying rule differs from run to run, so the place of the rule is compared instead.
            let is_same_message = rule.is_some() || listed.failed.message == message;
            if is_same_message && listed.rule.as_ref() == rule && listed.failed.kind == kind {
                listed.failed.add(outcome.run);
                return ReasonNovelty::Known;
            }
        }

        // An agent can fail in any number of ways, so the list has a limit. Runs with a reason beyond it are only counted. Later
        // runs cannot be compared with these, so none of them counts as the first with its reason.
        if self.listed.len() == MOST_REASONS {
            self.further += 1;
            return ReasonNovelty::Known;
        }
        self.listed.push(ListedReason {
            failed: FailedRuns {
                status,
                kind: kind.to_owned(),
                message: message.to_owned(),
                count: 1,
                runs: vec![outcome.run],
            },
            rule: rule.cloned(),
        });
        ReasonNovelty::First
    }

    /// The runs by reason, the most frequent first, and how many have a reason that is not listed.
    pub(crate) fn into_parts(mut self) -> (Vec<FailedRuns>, u32) {
        self.listed
            .sort_by_key(|listed| Reverse(listed.failed.count));
        let failed = self.listed.into_iter().map(|listed| listed.failed);
        (failed.collect(), self.further)
    }
}

/// The place of the rule that failed first if its message differs from run to run; `None` if equal reasons have equal messages.
fn varying_rule(outcome: &Outcome) -> Option<&Place> {
    // With any other status, no rule is the reason.
    if outcome.status() != Status::Failed {
        return None;
    }
    let (_turn, first) = outcome.all_failures().next()?;
    // A limit reports the number that it measured, and in a simulated conversation every text differs.
    let mut turns = outcome.transcript.turns.iter();
    let is_simulated = turns.any(|turn| turn.origin == InputOrigin::Simulator);
    if first.measured.is_some() || is_simulated {
        Some(&first.place)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::outcome::{EndCause, ErrorKind, Problem};

    fn failed(run: u32, message: &str) -> Outcome {
        let problem = Problem::new(ErrorKind::Agent, message);
        let mut outcome = Outcome {
            run,
            ..Outcome::default()
        };
        outcome.end(EndCause::Broken(problem));
        outcome
    }

    #[test]
    fn equal_reasons_are_one_and_the_most_frequent_is_first() {
        let mut reasons = FailureReasons::default();
        let messages = ["a", "b", "b", "a", "b"];
        let novelty: Vec<ReasonNovelty> = (1..)
            .zip(messages)
            .map(|(run, message)| reasons.add(&failed(run, message)))
            .collect();
        let (first, known) = (ReasonNovelty::First, ReasonNovelty::Known);
        assert_eq!(novelty, [first, first, known, known, known]);
        let (listed, further) = reasons.into_parts();
        let shown: Vec<_> = listed
            .iter()
            .map(|failed| (&*failed.message, failed.count, &*failed.runs))
            .collect();
        assert_eq!(
            (shown, further),
            (vec![("b", 3, &[2, 3, 5][..]), ("a", 2, &[1, 4])], 0)
        );
    }

    #[test]
    fn an_agent_that_always_says_something_else_takes_no_memory() {
        let mut reasons = FailureReasons::default();
        for run in 1..=1000 {
            reasons.add(&failed(run, &format!("error {run}")));
            reasons.add(&failed(run, "error 1"));
        }
        let (listed, further) = reasons.into_parts();
        assert_eq!((listed.len(), further), (MOST_REASONS, 990));
        assert_eq!((listed[0].count, listed[0].runs.len()), (1001, 20));
    }
}
