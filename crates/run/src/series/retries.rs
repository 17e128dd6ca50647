//! Retries a test that does not pass, as often as the options say.
//!
//! **Invariant:** the outcome is that of the last attempt that ran, and contains the earlier ones.

use crate::context::{AttemptSeries, Case};
use ananke_base::context::CaseKey;
use ananke_trace::outcome::{Outcome, RunEvent, Status};

/// The attempts at a test until one passes or no retry is left.
pub(crate) struct Retries {
    /// The largest number of retries.
    most: u32,
    /// The number of retries that have begun.
    begun: u32,
    /// The outcome of the last attempt that ran.
    latest: Outcome,
}

impl Retries {
    pub(crate) fn new(most: u32) -> Self {
        Self {
            most,
            begun: 0,
            latest: Outcome::default(),
        }
    }
}

impl AttemptSeries for Retries {
    /// Takes the outcome of an attempt. If the test is retried, counts `key` on to the retry and returns its event.
    fn next(&mut self, key: &mut CaseKey, mut outcome: Outcome) -> Option<RunEvent> {
        if self.begun > 0 {
            // A retry is skipped if the run is stopped meanwhile. The test then keeps the outcome of the attempt before it.
            if outcome.status() == Status::Skipped {
                return None;
            }
            // The outcome of the last attempt contains all earlier ones in one list, so it takes over the list of the one before.
            let mut before = std::mem::take(&mut self.latest);
            outcome.earlier_attempts = std::mem::take(&mut before.earlier_attempts);
            outcome.earlier_attempts.push(before.into_earlier());
        }
        self.latest = outcome;
        if !self.latest.status().fails_the_run() || self.begun == self.most {
            return None;
        }
        self.begun += 1;
        key.attempt += 1;
        let why = match self.latest.headline() {
            Some((_, message)) => message.to_owned(),
            // A test that fails has a finding. If it had none, the event would still report the retry.
            None => String::new(),
        };
        Some(RunEvent::Retrying {
            id: self.latest.test.id.clone(),
            retry: self.begun,
            of: self.most,
            status: self.latest.status(),
            why,
        })
    }

    fn finish(self: Box<Self>, _: &Case) -> Outcome {
        self.latest
    }
}

#[cfg(test)]
mod tests {
    use crate::context::Options;
    use crate::fakes::FakeProject;
    use ananke_model::settings::RunSettings;

    #[tokio::test]
    async fn only_a_test_that_does_not_pass_is_retried() {
        let options = Options::from(RunSettings {
            retries: 2,
            ..RunSettings::default()
        });
        let shown = FakeProject::saying(&["good", "bad"], options)
            .events()
            .await;
        let retries = [
            "t1 starts",
            "t1 again 1/2",
            "t1 again 2/2",
            "t1 ends",
            "t1: failed",
        ];
        assert_eq!(
            shown,
            [&["t0 starts", "t0 ends", "t0: passed"][..], &retries].concat()
        );
    }

    #[tokio::test]
    async fn nothing_is_retried_in_a_run_that_stops() {
        let options = Options::from(RunSettings {
            retries: 2,
            ..RunSettings::default()
        });
        let project = FakeProject::saying(&["bad"], options);
        project
            .run
            .stopper
            .wind_down(crate::context::Reason::ServerEnded);
        assert_eq!(
            project.events().await,
            ["t0: not run: a server of the config ended"]
        );
    }
}
