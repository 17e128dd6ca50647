//! `ananke compare`: what changed between two runs.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ananke::compare::{ChangeKind, Comparison, ComparisonRules, Noise};
use ananke::context::{Context, Scratch, TerminalSize};
use ananke::redact::Redactor;

use super::arguments::{CompareOptions, FailOn};
use super::exit::Exit;
use super::problems;
use super::style::is_coloured;

/// A file that a comparison goes to.
#[derive(Clone, Debug)]
pub(crate) struct ComparisonFile {
    path: PathBuf,
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Markdown,
    Html,
    Json,
}

impl ComparisonFile {
    /// Takes a path whose ending says in which form it is written.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let form = match ending.as_deref() {
            Some("md") => Form::Markdown,
            Some("html") => Form::Html,
            Some("json") => Form::Json,
            _ => return Err("the file's ending names the form: `.md`, `.html` or `.json`".to_owned()),
        };
        Ok(Self { path, form })
    }

    fn write(&self, comparison: &Comparison, context: &Context) -> io::Result<()> {
        let text = match self.form {
            Form::Markdown => comparison.markdown(),
            Form::Html => comparison.html(),
            Form::Json => comparison.json()? + "\n",
        };
        let destination = context.working_directory.join(&self.path);
        let mut scratch = Scratch::beside(&destination, "part")?;
        scratch.file.write_all(text.as_bytes())?;
        scratch.put_in_place(&destination)
    }
}

/// Compares two reports, and says with the exit code whether something became worse.
pub(super) fn compare(options: &CompareOptions, context: &Context) -> Exit {
    let rules = ComparisonRules {
        noise: Noise { ratio: options.slower, by: options.slower_by },
        also: options.fail_on.iter().map(|kind| ChangeKind::from(*kind)).collect(),
    };
    let [before, after] = [&options.before, &options.after].map(|path| named(path, context));
    let comparison = match Comparison::of((&before.0, &before.1), (&after.0, &after.1), &rules) {
        Ok(comparison) => comparison,
        Err(found) => {
            problems::print(&found, options.color, context, &Redactor::default());
            return Exit::Failure;
        }
    };
    for file in &options.output {
        if let Err(error) = file.write(&comparison, context) {
            let _ = writeln!(io::stderr().lock(), "error: cannot write `{}`: {error}", file.path.display());
            return Exit::Failure;
        }
    }
    let text = if options.json {
        comparison.json().map(|json| json + "\n").unwrap_or_default()
    } else {
        let width = TerminalSize::width(context.stdout_size());
        comparison.text(is_coloured(options.color, context.stdout_is_terminal, context), width)
    };
    // A closed pipe ends the printing, nothing else.
    let _ = io::stdout().lock().write_all(text.as_bytes());
    if comparison.is_regression() { Exit::Failure } else { Exit::Success }
}

/// A path with what messages call it: as it was given.
pub(super) fn named(path: &Path, context: &Context) -> (PathBuf, String) {
    (context.working_directory.join(path), path.display().to_string())
}

impl From<FailOn> for ChangeKind {
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
