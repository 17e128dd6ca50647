//! The project config: found by walking up, loaded once, checked once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::prepare::DEFAULT_TIMEOUT;
use super::quarantine::Quarantine;
use super::settings::TargetSettings;
use super::{Selection, Supply, client_tools, discover};
use crate::assertion::{Block, TimeOut};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, SourceFile};
use crate::model::ConfigFile;
use crate::outcome::Level;
use crate::redact::Redactor;
use crate::schema::{self, FileKind, Salvaged};
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

/// A config as read: whole, or what of it could be made out where it does not fit.
pub(super) struct Reading {
    config: Config,
    salvaged: Option<Salvaged<ConfigFile>>,
}

impl Reading {
    /// Reads a config; every problem with its shape goes to `problems`.
    pub(super) fn of(context: &Context, path: &Path, problems: &mut Vec<Diagnostic>) -> Option<Self> {
        let source = source::read(path, &discover::display_name(context, path))
            .map_err(|problem| problems.push(problem))
            .ok()?;
        let folder = path.parent().unwrap_or(&context.working_directory).to_path_buf();
        match schema::load::<ConfigFile>(FileKind::Config, &source) {
            Ok(loaded) => {
                Some(Self { config: Config { source, model: loaded.value, folder }, salvaged: None })
            }
            Err(broken) => {
                problems.extend(broken);
                let salvaged = schema::salvage::<ConfigFile>(&source)?;
                let config = Config { source, model: salvaged.value.clone(), folder };
                Some(Self { config, salvaged: Some(salvaged) })
            }
        }
    }

    /// The config, where it fits.
    pub(super) fn whole(&self) -> Option<&Config> {
        self.salvaged.is_none().then_some(&self.config)
    }

    /// The config, where it fits.
    pub(super) fn into_whole(self) -> Option<Config> {
        self.salvaged.is_none().then_some(self.config)
    }

    /// Checks every leaf that does not depend on a test; of a config that does not fit, what is wrong all the same.
    pub(super) fn check(
        &self,
        scope: &Scope,
        sends: bool,
        redactor: &Redactor,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut found = Vec::new();
        self.config.check(scope, sends, redactor, &mut found);
        if let Some(salvaged) = &self.salvaged {
            found.retain(|problem| salvaged.is_of_the_file(problem));
        }
        problems.extend(found);
    }
}

impl Config {
    /// The target's name in reports; a config has one target, and it has no name of its own.
    pub fn target_name(&self) -> &'static str {
        "default"
    }

    /// The target's rules, as far as they are known before a test starts; the rest as it is written. What is wrong with
    /// them is told by [`Reading::check`].
    pub(super) fn rules(&self, context: &Context, supply: &Supply) -> TargetRules {
        let scope = supply.config_scope(context).open();
        let mut told_elsewhere = Vec::new();
        let mut filling = Filling::new(&scope, &self.source, false, &mut told_elsewhere).as_written();
        let timeout = match self.model.target.timeout_ms() {
            Some(number) => filling.number(number).ready().map(|ms| TimeOut { ms, span: Some(number.span) }),
            None => Some(TimeOut {
                ms: u64::try_from(DEFAULT_TIMEOUT.as_millis()).unwrap_or(u64::MAX),
                span: None,
            }),
        };
        let block = Block::compile(self.model.target.assert_block(), Level::Target, &mut filling);
        TargetRules { block, timeout }
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

    fn check(&self, scope: &Scope, sends: bool, redactor: &Redactor, problems: &mut Vec<Diagnostic>) {
        let mut filling = Filling::new(scope, &self.source, sends, problems);
        TargetSettings::fill(&self.model.target, &mut filling);
        client_tools::fill(self.model.target.client_tools(), &mut filling);
        Block::compile(self.model.target.assert_block(), Level::Target, &mut filling);
        if let Some(thread) = self.model.target.thread_id() {
            let _ = filling.text(thread);
        }
        if let Some(timeout) = self.model.target.timeout_ms() {
            let _ = filling.number(timeout);
        }
        for secret in filling.into_secrets() {
            redactor.learn(&secret.value);
        }
        Quarantine::of(self, problems);
    }
}
