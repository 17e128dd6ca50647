//! `ananke compare`: what changed between two runs.

use std::io::Write as _;
use std::path::Path;

use ananke::context::Context;
use ananke::redact::Redactor;
use ananke::report::comparison::{Comparison, Kind, Noise, Rules};

use super::arguments::{CompareOptions, FailOn};
use super::exit::Exit;
use super::problems;
use super::style::is_coloured;

/// Compares two reports, and says with the exit code whether something became worse.
pub(super) fn compare(options: &CompareOptions, context: &Context) -> Exit {
    let rules = Rules {
        noise: Noise { ratio: options.slower, by: options.slower_by },
        also: options.fail_on.iter().map(|kind| Kind::from(*kind)).collect(),
    };
    let [before, after] = [&options.before, &options.after].map(|path| named(path, context));
    let comparison = match Comparison::of((&before.0, &before.1), (&after.0, &after.1), &rules) {
        Ok(comparison) => comparison,
        Err(found) => {
            problems::print(&found, options.color, context, &Redactor::default());
            return Exit::Failure;
        }
    };
    let text = if options.json {
        comparison.json().map(|json| json + "\n").unwrap_or_default()
    } else {
        comparison.text(is_coloured(options.color, context.stdout_is_terminal, context))
    };
    // A closed pipe ends the printing, nothing else.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    if comparison.is_regression() { Exit::Failure } else { Exit::Success }
}

/// A path with what messages call it: as it was given.
pub(super) fn named(path: &Path, context: &Context) -> (std::path::PathBuf, String) {
    (context.working_directory.join(path), path.display().to_string())
}

impl From<FailOn> for Kind {
    fn from(kind: FailOn) -> Self {
        match kind {
            FailOn::Slower => Self::Slower,
            FailOn::Tools => Self::Tools,
            FailOn::Ending => Self::Ending,
            FailOn::Flaky => Self::Flaky,
            FailOn::Skipped => Self::Skipped,
            FailOn::Removed => Self::Removed,
        }
    }
}
