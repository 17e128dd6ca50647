//! Counts the tests that got no complete answer; a target that completes none for the first ones is given up.

use super::run::Run;
use super::stopper::Reason;
use ananke_plan::Plan;
use ananke_trace::outcome::{NoAnswer, RunEvent};

impl Run {
    /// Counts a test of `target` that got no complete answer, in a run of `at_once` tests at a time. If the target is given up
    /// because of this one, the run reports it, and stops if no other target has tests.
    pub(crate) fn count_unanswered(&self, plan: &Plan, target: &str, at_once: usize) {
        let Some(given_up) = self.answered.add_unanswered(target, at_once) else {
            return;
        };
        // The message is about the target's entry in the config, so without an entry there is nothing to report.
        let config = &plan.config;
        let Some(resolved) = config.targets.iter().find(|known| known.name == target) else {
            return;
        };

        // The message quotes the line of the config with the address, so that a wrong one is seen at once. Places count from 1.
        // It has other words for a target that `begins` answers and does not complete them.
        let place = config.source.place(resolved.model.address());
        let line_index = place.line.saturating_sub(1) as usize;
        let line = config.source.text.lines().nth(line_index);
        let line = line.unwrap_or_default();
        let servers = plan.servers.iter().map(|server| server.argv.join(" "));
        // With `--keep-going` the message is only a warning, and all tests are still sent.
        let stops = !self.options.settings.keep_going;
        self.tell_all(RunEvent::NoAnswer(Box::new(NoAnswer {
            tests: given_up.tests,
            begins: given_up.begins,
            line: line.trim().to_owned(),
            place,
            agent: resolved.model.host(),
            servers: servers.collect(),
            stops,
        })));

        // Further tests of this target are not sent, so a run with tests of no other target has nothing left to do. Skipped tests
        // are sent nowhere, whatever their target is.
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
