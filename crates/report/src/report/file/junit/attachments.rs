//! The files that belong to a test, one per line as CI servers look for them in its output: `[[ATTACHMENT|PATH]]`.

use crate::report::ci::BuildJob;
use ananke_base::text::is_confusable;
use ananke_trace::outcome::Outcome;

/// The lines for the recordings of every attempt that did not pass. A path whose end would be ambiguous, or that has
/// confusable characters, is omitted.
pub(super) fn attachments(outcome: &Outcome, job: &BuildJob) -> String {
    let attempts = outcome.earlier_attempts.iter().chain([outcome]);
    let unhappy = attempts.filter(|attempt| attempt.status().fails_the_run());
    let paths =
        unhappy.filter_map(|attempt| Some(job.attached(attempt.transcript.recording.as_deref()?)));
    let is_clear = |path: &String| {
        !path.contains(|character: char| is_confusable(character) || character == ']')
    };
    paths
        .filter(is_clear)
        .flat_map(|path| ["[[ATTACHMENT|".to_owned(), path, "]]\n".to_owned()])
        .collect()
}
