//! The step of a job of GitHub Actions, from the environment that the runner gives it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::report::build_job::BuildJob;
use crate::report::file::markdown::MarkdownBuilder;
use ananke_base::context::Context;

/// The most bytes that GitHub takes of the summary of one step.
pub(super) const MOST_SUMMARY: u64 = 1 << 20;

/// The step of a job that the program runs in.
#[derive(Clone, Debug)]
pub struct JobStep {
    job: BuildJob,
    /// The file whose text is shown with the job.
    summary: Option<PathBuf>,
}

impl JobStep {
    /// The step in whose environment `context` is; `None` outside of GitHub Actions.
    pub fn of(context: &Context) -> Option<Self> {
        let path = |name| {
            context
                .variable(name)
                .filter(|path| !path.is_empty())
                .map(PathBuf::from)
        };
        (context.variable("GITHUB_ACTIONS") == Some("true")).then(|| Self {
            job: BuildJob::of(context),
            summary: path("GITHUB_STEP_SUMMARY"),
        })
    }

    /// `file`, as messages show it, from the root of the repository.
    pub(super) fn file(&self, file: &str) -> String {
        self.job.file(file)
    }

    /// Appends `summary` to that of the job, as much of it as there is room for.
    pub(super) fn append_summary(&self, summary: &MarkdownBuilder) -> io::Result<()> {
        let Some(path) = &self.summary else {
            return Ok(());
        };
        append(path, summary).map_err(|error| {
            let message = format!("cannot write the job summary `{}`: {error}", path.display());
            io::Error::new(error.kind(), message)
        })
    }
}

fn append(path: &Path, summary: &MarkdownBuilder) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let before = file.metadata()?.len();
    let apart = if before > 0 { "\n" } else { "" };
    let room = MOST_SUMMARY.saturating_sub(before + 1);
    let text = summary.text(usize::try_from(room).unwrap_or(usize::MAX));
    if text.is_empty() {
        Ok(())
    } else {
        file.write_all(format!("{apart}{text}").as_bytes())
    }
}
