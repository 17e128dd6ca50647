//! Counts the tests that got no complete answer; a target that completes none for the first ones is given up.

use super::run::Run;
use super::stopper::Reason;
use ananke_plan::Plan;
use ananke_trace::outcome::{NoAnswer, RunEvent};

impl Run {
    /// Counts a test that got no complete answer. If its target is given up for that, the run says so, and stops if no other target
    /// has tests.
    pub(crate) fn count_unanswered(&self, plan: &Plan, target: &str, at_once: usize) {
        let Some(given_up) = self.answered.add_unanswered(target, at_once) else {
            return;
        };
        let config = &plan.config;
        let Some(resolved) = config.targets.iter().find(|known| known.name == target) else {
            return;
        };

        // The message quotes the line of the config with the address, so that a wrong one is seen at once.
        let place = config.source.place(resolved.model.address());
        let number = place.line.saturating_sub(1) as usize;
        let line = config.source.text.lines().nth(number).unwrap_or_default();
        let servers = plan.servers.iter().map(|server| server.argv.join(" "));
        let stops = !self.options.settings.keep_going;
        self.tell_all(RunEvent::NoAnswer(Box::new(NoAnswer {
            tests: given_up.tests,
            begins: given_up.begins,
            line: line.trim().to_owned(),
            place,
            is_program: resolved.model.is_program(),
            servers: servers.collect(),
            stops,
        })));

        // Tests of other targets go on; those of this one are not sent any more.
        let mut cases = plan.cases.iter();
        let is_only_target =
            cases.all(|case| case.test.target == target || case.test.skip.is_some());
        if stops && is_only_target {
            self.stopper.stop(Reason::NoAnswer);
        }
    }

    /// Whether no further test is sent to a target.
    pub(crate) fn is_given_up(&self, target: &str) -> bool {
        !self.options.settings.keep_going && self.answered.is_given_up(target)
    }
}
