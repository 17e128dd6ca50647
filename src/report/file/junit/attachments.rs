//! The files that belong to a test, one per line as build servers look for them in its output: `[[ATTACHMENT|PATH]]`.

use std::path::PathBuf;

use crate::context::Context;
use crate::outcome::Outcome;
use crate::report::words::paths;
use crate::text::is_confusable;

/// From where attachments are named. Servers differ: a path that one of them finds is nothing to another. The default is
/// as messages name them.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    working_directory: PathBuf,
    /// Another start of paths, if the server requires one.
    elsewhere: Option<Start>,
}

#[derive(Clone, Debug)]
enum Start {
    /// The root of the file system.
    Root,
    /// A folder.
    Folder(PathBuf),
}

impl Attachments {
    /// For the build server in whose environment `context` is: absolute paths for Jenkins, paths relative to the project for
    /// GitLab, and relative to the working directory for all others.
    pub fn of(context: &Context) -> Self {
        let filled = |name| context.variable(name).filter(|value| !value.is_empty());
        let elsewhere = match (filled("JENKINS_URL"), filled("GITLAB_CI").and(filled("CI_PROJECT_DIR"))) {
            (Some(_), _) => Some(Start::Root),
            (None, Some(folder)) => Some(Start::Folder(folder.into())),
            (None, None) => None,
        };
        Self { working_directory: context.working_directory.clone(), elsewhere }
    }

    /// The lines for the recordings of every attempt that did not pass.
    pub(crate) fn lines(&self, outcome: &Outcome) -> String {
        let attempts = outcome.earlier_attempts.iter().chain([outcome]);
        let unhappy = attempts.filter(|attempt| attempt.status().fails_the_run());
        let paths = unhappy.filter_map(|attempt| self.path(attempt.transcript.recording.as_deref()?));
        paths.flat_map(|path| ["[[ATTACHMENT|".to_owned(), path, "]]\n".to_owned()]).collect()
    }

    /// `shown` for the server; `None` if the end of the path would be ambiguous, or the path has confusable characters.
    fn path(&self, shown: &str) -> Option<String> {
        let absolute = || paths::absolute(&self.working_directory, shown);
        let path = match &self.elsewhere {
            None => shown.to_owned(),
            Some(Start::Root) => paths::with_slashes(&absolute()),
            Some(Start::Folder(folder)) => {
                paths::from(folder, &absolute()).unwrap_or_else(|| shown.to_owned())
            }
        };
        let is_clear = !path.contains(|character: char| is_confusable(character) || character == ']');
        is_clear.then_some(path)
    }
}
