//! The project config: found by walking up, loaded once, checked once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::launch::Surroundings;
use super::prepare::DEFAULT_TIMEOUT;
use super::quarantine::Quarantine;
use super::scripts::Scripts;
use super::settings::TargetSettings;
use super::targets::{self, ResolvedTarget};
use super::{Redactions, Selection, ServerCommand, Supply, client_tools, discover, server, vars};
use crate::assertion::{Block, Library, TimeOut};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, SourceFile};
use crate::model::{ChosenTarget, ConfigFile, ReportFormat, Text};
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
    /// Its targets: the one written at `target` first, then those of `targets` in the order of the file.
    pub targets: Vec<ResolvedTarget>,
    /// What is secret beside what their headers carry.
    pub redactions: Redactions,
    /// Which of them is under test where a test does not say otherwise; `None` where that was reported.
    default: Option<usize>,
}

/// The targets of a config, each with what it brings into its tests.
#[derive(Debug)]
pub(super) struct Agents<'a> {
    pub(super) config: &'a Config,
    /// Those of the targets, in their order.
    rules: Vec<TargetRules>,
}

/// The target of one test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agent<'a> {
    pub(super) config: &'a Config,
    pub(super) target: &'a ResolvedTarget,
    pub(super) rules: &'a TargetRules,
}

impl<'a> Agents<'a> {
    pub(super) fn of(config: &'a Config, context: &Context, supply: &Supply) -> Self {
        let rules = config.targets.iter().map(|target| config.rules(target, context, supply)).collect();
        Self { config, rules }
    }

    /// With the rules of `target`, which is one of them.
    pub(super) fn agent(&self, target: &'a ResolvedTarget) -> Option<Agent<'_>> {
        let index = self.config.targets.iter().position(|other| other.name == target.name)?;
        Some(Agent { config: self.config, target, rules: self.rules.get(index)? })
    }
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
                let (model, root) = (loaded.value, loaded.node);
                let targets = targets::resolve(&source, &root, &model, problems);
                Some(Self { config: Config::new(source, model, folder, targets), salvaged: None })
            }
            Err(broken) => {
                problems.extend(broken);
                let salvaged = schema::salvage::<ConfigFile>(&source)?;
                let model = salvaged.value.clone();
                let targets = targets::own(&model).into_iter().collect();
                let config = Config::new(source, model, folder, targets);
                Some(Self { config, salvaged: Some(salvaged) })
            }
        }
    }

    /// Chooses the target under test: the one that is named on the command line, else the config's own.
    pub(super) fn choose(
        &mut self,
        context: &Context,
        supply: &Supply,
        named: Option<&str>,
        problems: &mut Vec<Diagnostic>,
    ) {
        if self.salvaged.is_none() {
            self.config.default = self.config.chosen(context, supply, named, problems);
        }
    }

    /// Finds out what is secret, and lets `redactor` know it: a config that does not fit may be quoted as well.
    pub(super) fn redact(&mut self, scope: &Scope, redactor: &Redactor, problems: &mut Vec<Diagnostic>) {
        let mut found = Vec::new();
        self.config.redactions = Redactions::of(&self.config, scope, &mut found);
        self.config.redactions.teach(scope, redactor);
        self.tell(found, problems);
    }

    /// What is known of variables before anything runs.
    pub(super) fn supply(&self, context: &Context, given: &Supply, problems: &mut Vec<Diagnostic>) -> Supply {
        let mut found = Vec::new();
        let supply = vars::of(&self.config, context, given, &mut found);
        self.tell(found, problems);
        supply
    }

    /// Of a config that does not fit, only what is wrong with it all the same.
    fn tell(&self, mut found: Vec<Diagnostic>, problems: &mut Vec<Diagnostic>) {
        if let Some(salvaged) = &self.salvaged {
            found.retain(|problem| salvaged.is_of_the_file(problem));
        }
        problems.extend(found);
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
        context: &Context,
        supply: &Supply,
        scope_of: impl Fn(&ResolvedTarget) -> Option<Scope>,
        sends: bool,
        redactor: &Redactor,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut found = Vec::new();
        for target in &self.config.targets {
            if let Some(scope) = scope_of(target) {
                self.config.check(target, &scope, sends, redactor, &mut found);
                continue;
            }
            // Nothing of it is in use: what is missing today may be there when it is.
            let mut of_it = Vec::new();
            let scope = Scope::default().open();
            self.config.check(target, &scope, false, redactor, &mut of_it);
            of_it.retain(|problem| problem.code != Code::UndefinedVariable);
            found.extend(of_it);
        }
        self.config.check_library(&mut found);
        let surroundings = Surroundings { context, home: &self.config.folder, scope: &Scope::default() };
        self.config.scripts().check_programs(surroundings, &mut found);
        Quarantine::of(&self.config, &mut found);
        self.config.reports(context, supply, &mut found);
        self.config.servers(context, supply, sends, &mut found);
        self.tell(found, problems);
    }
}

impl Config {
    fn new(
        source: Arc<SourceFile>,
        model: ConfigFile,
        folder: PathBuf,
        targets: Vec<ResolvedTarget>,
    ) -> Self {
        Self { source, model, folder, targets, redactions: Redactions::default(), default: None }
    }

    /// The assertions that others extend by name.
    pub(super) fn named_assertions(&self) -> Library<'_> {
        Library { source: &self.source, blocks: self.model.assertions.as_ref() }
    }

    /// The scripts that rules and mocks know by their names.
    pub(super) fn scripts(&self) -> Scripts<'_> {
        Scripts { source: &self.source, named: self.model.scripts.as_ref(), home: &self.folder }
    }

    /// What is wrong with them, whoever extends them.
    fn check_library(&self, problems: &mut Vec<Diagnostic>) {
        self.named_assertions().check(problems);
        let scope = Scope::default().open();
        let mut filling = Filling::new(&scope, &self.source, false, problems);
        let mut blocks = Vec::new();
        for (_, block) in self.model.assertions.iter().flatten() {
            // What is extended is looked at on its own.
            blocks.push(Block::compile([block], Level::Test, None, &mut filling));
        }
        for block in &blocks {
            self.scripts().check_block(block, &self.source, problems);
        }
    }

    /// The target of this name.
    pub fn target(&self, name: &str) -> Option<&ResolvedTarget> {
        self.targets.iter().find(|target| target.name == name)
    }

    /// The target under test where a test does not say otherwise; `None` where that was reported.
    pub(super) fn default_target(&self) -> Option<&ResolvedTarget> {
        self.targets.get(self.default?)
    }

    /// What targets there are, in the order of the file; a broken one too.
    pub(super) fn target_names(&self) -> Vec<&str> {
        let own = self.targets.first().filter(|_| matches!(self.model.target, ChosenTarget::Own(_)));
        let named = self.model.targets.iter().flatten().map(|(name, _)| name.value.as_str());
        own.map(|own| own.name.as_str()).into_iter().chain(named).collect()
    }

    /// The reports that every run writes.
    pub fn reports(
        &self,
        context: &Context,
        supply: &Supply,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<(PathBuf, ReportFormat)> {
        let scope = supply.scope(context);
        let mut filling = Filling::new(&scope, &self.source, true, problems);
        let mut reports = Vec::new();
        for written in self.model.reports.iter().flatten() {
            let Some(path) = filling.text(written).ready() else { continue };
            let path = discover::absolute_from(context, &self.folder, path.as_ref());
            if let Some(format) = ReportFormat::of(&path) {
                reports.push((path, format));
                continue;
            }
            let message = "the file's ending does not name a report".to_owned();
            let help = format!("the endings are {}", ReportFormat::ENDINGS);
            filling.report(Code::BadValue, written.span, message, Some(help));
        }
        reports
    }

    /// The servers that run while the tests run, in their order. `sends` says whether they will be started: only then a
    /// missing environment variable counts.
    pub fn servers(
        &self,
        context: &Context,
        supply: &Supply,
        sends: bool,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<ServerCommand> {
        let scope = supply.scope(context);
        let mut filling = Filling::new(&scope, &self.source, sends, problems);
        let written = self.model.server.iter().flat_map(|servers| &servers.0).enumerate();
        let fill = |(index, written)| server::fill(written, index + 1, context, self, &mut filling);
        written.filter_map(fill).collect()
    }

    fn chosen(
        &self,
        context: &Context,
        supply: &Supply,
        named: Option<&str>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let known = self.target_names();
        let written = match (named, &self.model.target) {
            (Some(name), _) => {
                if !known.contains(&name) {
                    problems.push(targets::unknown_name(name, &known));
                }
                name.to_owned()
            }
            (None, ChosenTarget::Own(_)) => return Some(0),
            (None, ChosenTarget::Named(written)) => {
                let scope = supply.scope(context);
                let name = Filling::new(&scope, &self.source, true, problems).text(written).ready()?;
                if !known.contains(&name.as_str()) {
                    let written = Text { value: name.clone(), span: written.span };
                    problems.push(targets::unknown(&written, &self.source, &known));
                }
                name
            }
        };
        self.targets.iter().position(|target| target.name == written)
    }

    /// A target's rules, as far as they are known before a test starts; the rest as it is written. What is wrong with
    /// them is told by [`Reading::check`].
    pub(super) fn rules(&self, target: &ResolvedTarget, context: &Context, supply: &Supply) -> TargetRules {
        let scope = supply.config_scope(context).open();
        let mut told_elsewhere = Vec::new();
        let mut filling = Filling::new(&scope, &self.source, false, &mut told_elsewhere).as_written();
        let timeout = match target.model.timeout_ms() {
            Some(number) => filling.number(number).ready().map(|ms| TimeOut { ms, span: Some(number.span) }),
            None => Some(TimeOut {
                ms: u64::try_from(DEFAULT_TIMEOUT.as_millis()).unwrap_or(u64::MAX),
                span: None,
            }),
        };
        let block = target.block(self.named_assertions(), &mut filling);
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

    fn check(
        &self,
        target: &ResolvedTarget,
        scope: &Scope,
        sends: bool,
        redactor: &Redactor,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut filling = Filling::new(scope, &self.source, sends, problems);
        TargetSettings::fill(&target.model, &mut filling);
        client_tools::fill(target.model.client_tools(), Some(self.scripts()), &mut filling);
        let block = target.block(self.named_assertions(), &mut filling);
        if let Some(thread) = target.model.thread_id() {
            let _ = filling.text(thread);
        }
        if let Some(timeout) = target.model.timeout_ms() {
            let _ = filling.number(timeout);
        }
        for secret in filling.into_secrets() {
            redactor.learn(&secret.value);
        }
        self.scripts().check_block(&block, &self.source, problems);
    }
}
