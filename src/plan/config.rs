//! The project config: found by walking up, loaded once, checked once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::prepare::DEFAULT_TIMEOUT;
use super::settings::TargetSettings;
use super::{Selection, discover};
use crate::assertion::{Block, TimeOut};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, SourceFile};
use crate::model::ConfigFile;
use crate::outcome::Level;
use crate::redact::Redactor;
use crate::schema::{self, FileKind};
use crate::source;
use crate::variables::{Filling, Scope};

/// The file name a project is known by.
pub const CONFIG_NAME: &str = "ananke.config.yaml";

/// A loaded project config.
#[derive(Debug)]
pub struct Config {
    /// Its text.
    pub source: Arc<SourceFile>,
    /// What it says.
    pub model: ConfigFile,
    /// The folder it stands in: where relative paths start and test ids count from.
    pub folder: PathBuf,
}

/// What the target brings into every test: its rules, and what cuts its turns off.
#[derive(Debug)]
pub(super) struct TargetRules {
    pub(super) block: Block,
    /// `None` where it is known later or was reported.
    pub(super) timeout: Option<TimeOut>,
}

/// Finds the config: the one that is named, else the nearest above the first path, else above the working directory.
pub(super) fn find(context: &Context, selection: &Selection) -> Result<PathBuf, Diagnostic> {
    if let Some(named) = &selection.config {
        return Ok(discover::absolute(context, named));
    }
    let first = selection.paths.first().map(|path| discover::absolute(context, path));
    let start = first.as_deref().unwrap_or(&context.working_directory);
    nearest(start).ok_or_else(|| {
        let start = discover::display_name(context, start);
        Diagnostic::error(
            Code::ConfigMissing,
            format!("no `{CONFIG_NAME}` in `{start}` or a folder above it"),
        )
        .help(format!("start a project with an `{CONFIG_NAME}`, or name one with `--config PATH`"))
    })
}

/// The nearest config at or above `path`.
pub(super) fn nearest(path: &Path) -> Option<PathBuf> {
    path.ancestors().map(|folder| folder.join(CONFIG_NAME)).find(|file| file.is_file())
}

impl Config {
    /// Reads a config; every problem with its file goes to `problems`.
    pub(super) fn load(
        context: &Context,
        path: &Path,
        sends: bool,
        redactor: &Redactor,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let source = source::read(path, &discover::display_name(context, path))
            .map_err(|problem| problems.push(problem))
            .ok()?;
        let folder = path.parent().unwrap_or(&context.working_directory).to_path_buf();
        match schema::load::<ConfigFile>(FileKind::Config, &source) {
            Ok(loaded) => Some(Self { source, model: loaded.value, folder }),
            Err(broken) => {
                problems.extend(broken);
                problems.extend(Self::further_problems(context, &source, folder, sends, redactor));
                None
            }
        }
    }

    /// What else is wrong with a config that does not fit, as with a test file.
    fn further_problems(
        context: &Context,
        source: &Arc<SourceFile>,
        folder: PathBuf,
        sends: bool,
        redactor: &Redactor,
    ) -> Vec<Diagnostic> {
        let Some(salvaged) = schema::salvage::<ConfigFile>(source) else { return Vec::new() };
        let mut problems = Vec::new();
        let config = Self { source: Arc::clone(source), model: salvaged.value.clone(), folder };
        config.check(context, sends, redactor, &mut problems);
        problems.retain(|problem| salvaged.is_of_the_file(problem));
        problems
    }

    /// The target's name in reports; a config has one target, and it has no name of its own.
    pub fn target_name(&self) -> &'static str {
        "default"
    }

    /// The globs of `specs`, or the default ones; `None` where one could not be filled.
    pub(super) fn specs(&self, problems: &mut Vec<Diagnostic>) -> Option<Vec<String>> {
        let Some(specs) = &self.model.specs else { return Some(discover::default_specs()) };
        let scope = Scope::default();
        let mut filling = Filling::new(&scope, &self.source, true, problems);
        let filled: Vec<Option<String>> = specs
            .0
            .iter()
            .map(|text| {
                let pattern = filling.text(text).ready()?;
                if let Err(error) = globset::Glob::new(&pattern) {
                    filling.report(Code::BadValue, text.span, format!("no glob: {}", error.kind()), None);
                    return None;
                }
                Some(pattern)
            })
            .collect();
        filled.into_iter().collect()
    }

    /// Checks every leaf that does not depend on a test, and gives the target's rules; what a test decides stays in
    /// them as it is written.
    pub(super) fn check(
        &self,
        context: &Context,
        sends: bool,
        redactor: &Redactor,
        problems: &mut Vec<Diagnostic>,
    ) -> TargetRules {
        let mut scope = Scope::new(Arc::clone(&context.environment));
        for name in ["THREAD_ID", "TEST_NAME", "TEST_FILE"] {
            scope.expect(name);
        }
        let mut filling = Filling::new(&scope, &self.source, sends, problems);
        TargetSettings::fill(&self.model.target, &mut filling);
        if let Some(thread) = self.model.target.thread_id() {
            let _ = filling.text(thread);
        }
        let timeout = match self.model.target.timeout_ms() {
            Some(number) => filling.number(number).ready().map(|ms| TimeOut { ms, span: Some(number.span) }),
            None => Some(TimeOut {
                ms: u64::try_from(DEFAULT_TIMEOUT.as_millis()).unwrap_or(u64::MAX),
                span: None,
            }),
        };
        for secret in filling.into_secrets() {
            redactor.learn(&secret);
        }
        let mut filling = Filling::new(&scope, &self.source, sends, problems).as_written();
        let block = Block::compile(self.model.target.assert_block(), Level::Target, &mut filling);
        TargetRules { block, timeout }
    }
}
