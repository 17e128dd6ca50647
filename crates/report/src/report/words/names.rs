//! The names of tests in reports.

use ananke_trace::outcome::Outcome;

/// The name of the test with its row: what follows the file in an id made of both, else the name and the id that was
/// given to it, if they differ, so that no two tests of a file are called the same.
pub(crate) fn title(outcome: &Outcome) -> String {
    let own = format!("::{}", outcome.test.name);
    match outcome.test.id.find(&own) {
        Some(at) => outcome.test.id[at + 2..].to_owned(),
        None if outcome.test.id == outcome.test.name => outcome.test.name.clone(),
        None => format!("{} ({})", outcome.test.name, outcome.test.id),
    }
}
