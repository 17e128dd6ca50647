//! What a run says when the first tests of a target got no answer.

use super::event::RunEvent;
use super::options::AfterNoAnswer;
use super::run::Run;
use super::stopper::Reason;
use crate::plan::Plan;
use ananke_base::diagnostic::Place;
use ananke_trace::redact::{Mask, Redactor};

/// The first tests of a target got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// How many tests that were.
    pub tests: usize,
    /// Where the config says where the agent is.
    pub place: Place,
    /// That line of the config.
    pub line: String,
    /// The programs of the config that run as servers, each as it is called.
    pub servers: Vec<String>,
    /// What it means for the other tests.
    pub after: AfterNoAnswer,
}

impl Mask for NoAnswer {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            tests: _,
            place,
            line,
            servers,
            after: _,
        } = self;
        place.mask(redactor);
        line.mask(redactor);
        servers.mask(redactor);
    }
}

impl Run {
    /// Counts a test that got no answer. If its target is given up for that, the run says so, and stops if no other target
    /// has tests.
    pub(super) fn count_unanswered(&self, plan: &Plan, target: &str, at_once: usize) {
        let Some(tests) = self.answers.add_unanswered(target, at_once) else {
            return;
        };
        let config = &plan.config;
        let Some(resolved) = config.targets.iter().find(|known| known.name == target) else {
            return;
        };
        let place = config.source.place(resolved.model.address());
        let number = place.line.saturating_sub(1) as usize;
        let line = config.source.text.lines().nth(number).unwrap_or_default();
        let after = self.options.after_no_answer;
        self.tell_all(RunEvent::NoAnswer(Box::new(NoAnswer {
            tests,
            line: line.trim().to_owned(),
            place,
            servers: plan
                .servers
                .iter()
                .map(|server| server.argv.join(" "))
                .collect(),
            after,
        })));
        let mut others = plan.cases.iter().filter(|case| case.test.skip.is_none());
        if after == AfterNoAnswer::Stop && others.all(|case| case.test.target == target) {
            self.stopper.stop(Reason::NoAnswer);
        }
    }

    /// Whether no further test is sent to a target.
    pub(super) fn is_given_up(&self, target: &str) -> bool {
        self.options.after_no_answer == AfterNoAnswer::Stop && self.answers.is_given_up(target)
    }
}
