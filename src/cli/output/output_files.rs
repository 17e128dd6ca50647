//! Files that a command may write (SPEC 14): none that it reads, and of others that exist only reports of the same kind, unless
//! `--force` is given.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use clap::Args;

use super::{named_path, shown_path};
use crate::cli::frame::Failed;
use ananke::context::{Context, Destination, Files};
use ananke::project::locate;
use ananke::report::file::{is_report, words_of_format};
use ananke::report::written_reports::{WRITTEN_REPORTS, WrittenReports};
use ananke::report::{history::HISTORY, store::RUNS};
use ananke::{golden::is_golden, model::ReportFormat, recording::is_recording};

/// The size of the beginning of a file that shows its kind, in bytes.
const BEGINNING: u64 = 4 << 10;

/// Beginning of a line of the log of requests.
const OWN_LOGS: [&str; 2] = ["{\"request\":", "{\"n\":"];

/// The option that files are replaced.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ForceOption {
    /// Replace files that exist, but none that this command reads
    #[arg(long)]
    pub(crate) force: bool,
}

/// The kind of a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// A report of this format.
    Report(ReportFormat),
    /// A log of requests, which goes on.
    Log,
    /// A test, a config, or cases: nothing says where it comes from.
    Source,
}

/// The files that a command writes, and those that it must not.
pub(crate) struct OutputFiles {
    /// Files that the command reads.
    read: Vec<PathBuf>,
    /// The files that it writes, as they are called in messages.
    written: HashMap<PathBuf, PathBuf>,
    /// The directory of the config of the project that remembers what its agents wrote; the nearest one, unless it is named.
    project: Option<PathBuf>,
    force: ForceOption,
}

impl OutputFiles {
    /// The files of a command that has read what `context` knows.
    pub(crate) fn of(context: &Context, force: ForceOption) -> Self {
        Self {
            read: context.files.opened(),
            written: HashMap::new(),
            project: nearest_project(context),
            force,
        }
    }

    /// The same of a command on the project in `folder`.
    pub(crate) fn in_project(self, folder: &Path) -> Self {
        Self {
            project: Some(folder.to_owned()),
            ..self
        }
    }

    /// Checks that `path`, which messages call `shown`, may be written.
    ///
    /// # Errors
    /// The file that is there, and what to do.
    pub(crate) fn check(&self, path: &Path, shown: &Path, kind: OutputKind) -> Result<(), Failed> {
        let Some(real) = existing(path) else {
            return Ok(());
        };
        let shown = shown.display();
        let purpose = kind.purpose();
        if self.reads(&real) {
            let message = format!(
                "`{shown}` is a file that this command reads, and {purpose} would replace it"
            );
            return Err(Failed::new(message).help("choose another file"));
        }
        if is_own_memory(&real) {
            let message = format!(
                "`{shown}` is a file in which ananke keeps what it knows of earlier runs, and {purpose} would replace it"
            );
            return Err(Failed::new(message).help("choose another file"));
        }
        if self.force.force || kind.is_own(&real) || self.is_of_agent(&real, kind) {
            return Ok(());
        }
        let message = match (what(&real), kind.own()) {
            (_, None) => format!("`{shown}` exists already"),
            (Some(what), _) => format!("`{shown}` is {what}, and {purpose} would replace it"),
            (None, Some(own)) => format!("`{shown}` exists already, and is no {own}"),
        };
        let help = match kind {
            OutputKind::Log => "choose another file",
            OutputKind::Report(_) | OutputKind::Source => {
                "choose another file, or replace it with `--force`"
            }
        };
        Err(Failed::new(message).help(help))
    }

    /// The same of all that the command line names, each of which has a file of its own. A command asks before its work: none is
    /// done in vain.
    ///
    /// # Errors
    /// The first file that may not be written, and what to do.
    pub(crate) fn check_named<'p>(
        &mut self,
        files: impl IntoIterator<Item = (&'p Path, OutputKind)>,
        context: &Context,
    ) -> Result<(), Failed> {
        files.into_iter().try_for_each(|(given, kind)| {
            let (path, _) = named_path(given, context);
            self.check(&path, given, kind)?;
            self.add(&path, given)
        })
    }

    /// The same of each of `paths`, none of which is a report.
    ///
    /// # Errors
    /// The first file that may not be written, and what to do.
    pub(crate) fn check_sources<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p Path>,
        context: &Context,
    ) -> Result<(), Failed> {
        paths.into_iter().try_for_each(|path| {
            let shown = shown_path(path, context);
            self.check(path, Path::new(&shown), OutputKind::Source)
        })
    }

    /// Whether the file that is `real` is a report that an agent of the project wrote, so that this one may replace it.
    fn is_of_agent(&self, real: &Path, kind: OutputKind) -> bool {
        match (kind, &self.project) {
            (OutputKind::Report(_), Some(folder)) => WrittenReports::read(folder).contains(real),
            _ => false,
        }
    }

    /// A test that the command reads the file that is `real` behind all links. To follow the links of every file would cost more
    /// than to read a small one: only those that may be `real` are followed.
    fn reads(&self, real: &Path) -> bool {
        let may_be = |path: &&PathBuf| path.file_name() == real.file_name() || path.is_symlink();
        self.read
            .iter()
            .filter(may_be)
            .any(|path| fs::canonicalize(path).is_ok_and(|path| path == real))
    }

    /// Adds the report at `path`.
    ///
    /// # Errors
    /// If another report is written there.
    fn add(&mut self, path: &Path, shown: &Path) -> Result<(), Failed> {
        let Ok(Destination::File(file)) = Destination::of(path) else {
            return Ok(());
        };
        let folder = real_directory(file.parent().unwrap_or(Path::new("")));
        let real = folder.join(file.file_name().unwrap_or_default());
        match self.written.insert(real, shown.to_owned()) {
            None => Ok(()),
            Some(other) if other == shown => {
                let message = format!("two reports are written to `{}`", shown.display());
                Err(Failed::new(message).help(ANOTHER))
            }
            Some(other) => {
                let message = format!(
                    "`{}` and `{}` are the same file of two reports",
                    other.display(),
                    shown.display()
                );
                Err(Failed::new(message).help(ANOTHER))
            }
        }
    }
}

impl OutputKind {
    /// The words for what would replace a file.
    fn purpose(self) -> &'static str {
        match self {
            Self::Report(_) => "a report",
            Self::Log => "a log",
            Self::Source => "what is written",
        }
    }

    /// The words for files that may be replaced unasked, or go on.
    fn own(self) -> Option<&'static str> {
        Some(match self {
            Self::Report(format) => words_of_format(format),
            Self::Log => "log of ananke",
            Self::Source => return None,
        })
    }

    /// A test that the file may be replaced unasked: a report of its own kind.
    fn is_own(self, file: &Path) -> bool {
        let beginning = Files::default()
            .beginning(file, BEGINNING)
            .unwrap_or_default();
        let text = String::from_utf8_lossy(&beginning);
        match self {
            Self::Report(format) => is_report(format, file, &text),
            Self::Log => OWN_LOGS.iter().any(|start| text.starts_with(start)),
            Self::Source => false,
        }
    }
}

/// Whether a file is a kept run or the history of a project (SPEC 12).
fn is_own_memory(real: &Path) -> bool {
    real.parent().is_some_and(|folder| folder.ends_with(RUNS))
        || real.ends_with(HISTORY)
        || real.ends_with(WRITTEN_REPORTS)
}

/// The directory of the config that is nearest to the working directory.
fn nearest_project(context: &Context) -> Option<PathBuf> {
    let config = locate(context, None, &[]).ok()?;
    config.parent().map(Path::to_path_buf)
}

/// The file behind all links that has something in it; devices and pipes are written into.
fn existing(path: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok()?;
    let found = fs::metadata(&real).ok()?;
    (found.is_file() && found.len() > 0).then_some(real)
}

/// The directory behind all links, also if it is yet to be made.
fn real_directory(path: &Path) -> PathBuf {
    let last = path.components().next_back();
    match (fs::canonicalize(path), path.parent(), last) {
        (Ok(real), ..) => real,
        (Err(_), Some(above), Some(Component::ParentDir)) => {
            let above = real_directory(above);
            above.parent().unwrap_or(&above).to_owned()
        }
        (Err(_), Some(above), Some(last)) => real_directory(above).join(last),
        _ => path.to_owned(),
    }
}

/// The words for a file that is of worth to a project.
fn what(real: &Path) -> Option<&'static str> {
    let is_yaml = real
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    if is_golden(&Files::default(), real) {
        Some("a snapshot")
    } else if is_recording(real) {
        Some("a recording")
    } else if is_yaml {
        Some("a YAML file, as tests and configs are")
    } else {
        None
    }
}

/// The help for two reports in one file.
const ANOTHER: &str = "choose another file for one of them";
