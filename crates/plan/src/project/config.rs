//! A loaded project config.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::agent_choice::AgentChoice;
use super::config_file::ConfigFile;
use super::discover::default_specs;
use super::redactions::Redactions;
use super::scripts::Scripts;
use super::servers::{self, ServerCommand};
use super::targets::{self, ResolvedTarget};
use super::variables::Variables;
use ananke_agents::ChosenTarget;
use ananke_base::context::{Context, Files, absolute_from};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke_base::source::printable;
use ananke_model::model::{
    Awaiting, CONFIRMATION_TOOLS, ReportEntry, ReportFormat, ReportTarget, Text,
};
use ananke_model::schema::Version;
use ananke_model::variables::{Fill as _, Interpolation, Leaf, Mode, Scope, fill_all};
use ananke_rules::{Block, Library, Timeout};
use ananke_trace::redact::Redactor;

/// The timeout of a turn without a setting (SPEC 4).
pub const DEFAULT_TURN_TIMEOUT: Duration = Duration::from_mins(2);

/// A loaded project config.
#[derive(Debug)]
pub struct Config {
    /// Its text.
    pub source: Arc<SourceFile>,
    /// The content of the config.
    pub model: ConfigFile,
    /// The version it declares; the newest if it is broken.
    pub(crate) version: Version,
    /// Its directory: relative paths and test ids are relative to it.
    pub folder: PathBuf,
    /// Its targets: the one written at `target` first, then those of `targets` in the order of the file.
    pub targets: Vec<ResolvedTarget>,
    /// The texts that are secret in addition to the values of their headers.
    pub redactions: Redactions,
    /// The simulator of a conversation that names none: a target, or `scripts:NAME`.
    pub simulator: Option<String>,
    /// The one that is under test by default; `None` if that was reported.
    pub(super) default: Option<usize>,
}

/// The part that the target adds to every test: its rules, and the timeout of its turns.
#[derive(Debug)]
pub(crate) struct TargetRules {
    pub(crate) block: Block,
    /// `None` where it is known later or was reported.
    pub(crate) timeout: Option<Timeout>,
}

impl Config {
    pub(super) fn new(
        source: Arc<SourceFile>,
        model: ConfigFile,
        folder: PathBuf,
        targets: Vec<ResolvedTarget>,
    ) -> Self {
        Self {
            source,
            model,
            version: Version::newest(),
            folder,
            targets,
            redactions: Redactions::default(),
            simulator: None,
            default: None,
        }
    }

    /// The assertions that others extend by name.
    pub(crate) fn named_assertions(&self) -> Library<'_> {
        Library {
            source: &self.source,
            blocks: self.model.assertions.as_ref(),
        }
    }

    /// The scripts that rules and mocks know by their names.
    pub(crate) fn scripts<'a>(&'a self, files: &'a Files) -> Scripts<'a> {
        Scripts {
            source: &self.source,
            named: self.model.scripts.as_ref(),
            home: &self.folder,
            files,
        }
    }

    /// The tools that ask the user.
    pub(crate) fn confirmation_tools(
        &self,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Vec<String>> {
        let Some(Awaiting { tools }) = &self.model.awaiting else {
            return Some(CONFIRMATION_TOOLS.map(str::to_owned).to_vec());
        };
        tools.fill(interpolation).ok()
    }

    /// The target of this name.
    pub fn target(&self, name: &str) -> Option<&ResolvedTarget> {
        self.targets.iter().find(|target| target.name == name)
    }

    /// The target under test if a test does not say otherwise; `None` if that was reported.
    pub fn default_target(&self) -> Option<&ResolvedTarget> {
        self.targets.get(self.default?)
    }

    /// The names of the targets, in the order of the file; also of a broken one.
    pub fn target_names(&self) -> Vec<&str> {
        let own = self
            .targets
            .first()
            .filter(|_| matches!(self.model.target, ChosenTarget::Own(_)));
        let named = self
            .model
            .targets
            .iter()
            .flatten()
            .map(|(name, _)| name.value.as_str());
        own.map(|own| own.name.as_str())
            .into_iter()
            .chain(named)
            .collect()
    }

    /// The reports that every run writes.
    pub(crate) fn reports(
        &self,
        context: &Context,
        variables: &Variables,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<(PathBuf, ReportFormat)> {
        let scope = variables.scope(context);
        let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
        let mut reports = Vec::new();
        for entry in self.model.reports.iter().flatten() {
            let (written, format) = match entry {
                ReportEntry::Text(path) => (path, None),
                ReportEntry::Mapping(ReportTarget { path, format }) => (path, *format),
            };
            let Some(path) = interpolation.text(written).ok() else {
                continue;
            };
            let path = absolute_from(context, &self.folder, path.as_ref());
            if let Some(format) = format.or_else(|| ReportFormat::of(&path)) {
                reports.push((path, format));
                continue;
            }
            let message = "the file extension does not name a report format".to_owned();
            let help = format!(
                "the extensions are {}; or write a mapping with `path` and `format`, which is {}",
                ReportFormat::extensions(),
                ReportFormat::names()
            );
            interpolation.report(Code::BadValue, written.span, message, Some(help));
        }
        reports
    }

    /// The servers that run while the tests run, in their order. A missing environment variable is an error only if
    /// they will be started ([`Mode::Send`]). What is secret in their URLs is added to `redactor`.
    pub(crate) fn servers(
        &self,
        context: &Context,
        variables: &Variables,
        mode: Mode,
        redactor: &Redactor,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<ServerCommand> {
        let scope = variables.scope(context);
        let mut interpolation = Interpolation::new(&scope, &self.source, mode, problems);
        let written = self
            .model
            .server
            .iter()
            .flat_map(|servers| &servers.0)
            .enumerate();
        let fill = |(index, written)| {
            servers::fill(
                written,
                index + 1,
                context,
                &self.folder,
                &mut interpolation,
            )
        };
        let filled = written.filter_map(fill).collect();
        redactor.add(interpolation.into_secrets());
        filled
    }

    pub(super) fn chosen(
        &self,
        context: &Context,
        variables: &Variables,
        choice: &AgentChoice,
        path: Option<&Path>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        if let Some(chosen) = self.chosen_agent(choice, path, context, problems) {
            return chosen.ok();
        }
        let known = self.target_names();
        let written = match &self.model.target {
            ChosenTarget::Own(_) => return Some(0),
            ChosenTarget::Named(written) => {
                let scope = variables.scope(context);
                let name = Interpolation::new(&scope, &self.source, Mode::Send, problems)
                    .text(written)
                    .ok()?;
                if !known.contains(&name.as_str()) {
                    let written = Text {
                        value: name.clone(),
                        span: written.span,
                    };
                    problems.push(targets::unknown_target(&written, &self.source, &known));
                }
                name
            }
        };
        self.targets
            .iter()
            .position(|target| target.name == written)
    }

    /// A target's rules, as far as they are known before a test starts; the rest as it is written. What is wrong with
    /// them is reported when the config is checked.
    pub(crate) fn rules(
        &self,
        target: &ResolvedTarget,
        context: &Context,
        variables: &Variables,
    ) -> TargetRules {
        let scope = variables.config_scope(context).open();
        let mut interpolation = Interpolation::again(&scope, &self.source, Mode::Draft);
        let timeout = match &target.model.common.timeout_ms {
            Some(number) => interpolation.number(number).ok().map(|ms| Timeout {
                ms,
                span: Some(number.span),
            }),
            None => Some(Timeout {
                ms: u64::try_from(DEFAULT_TURN_TIMEOUT.as_millis()).unwrap_or(u64::MAX),
                span: None,
            }),
        };
        let block = target.block(self.named_assertions(), &mut interpolation);
        TargetRules { block, timeout }
    }

    /// The description of a target in the config, for people; `None` also if it is known later.
    pub fn description(
        &self,
        target: &ResolvedTarget,
        context: &Context,
        variables: &Variables,
    ) -> Option<String> {
        let description = target.model.common.description.as_ref()?;
        self.filled(description, context, variables)
    }

    /// The name of the model that a target asks, if its protocol names one; `None` also if it is known later.
    pub fn model_of(
        &self,
        target: &ResolvedTarget,
        context: &Context,
        variables: &Variables,
    ) -> Option<String> {
        self.filled(target.model.model()?, context, variables)
    }

    /// A text of the config with its variables; `None` if one of them is known later.
    fn filled(&self, text: &Text, context: &Context, variables: &Variables) -> Option<String> {
        let scope = variables.config_scope(context).open();
        let mut interpolation = Interpolation::again(&scope, &self.source, Mode::Draft);
        interpolation.text(text).ok()
    }

    /// The globs of `specs`, or the default ones; `None` where one could not be filled.
    pub(crate) fn specs(&self, problems: &mut Vec<Diagnostic>) -> Option<Vec<String>> {
        let Some(specs) = &self.model.specs else {
            return Some(default_specs());
        };
        let scope = Scope::default();
        let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
        let filled: Leaf<Vec<String>> = fill_all(&specs.0, |text| {
            let pattern = interpolation.text(text)?;
            let Err(error) = globset::Glob::new(&pattern) else {
                return Ok(pattern);
            };
            let kind = error.kind();
            let message = format!("`{}` is not a valid glob: {kind}", printable(&pattern));
            let help = "for example `specs/**/*.test.yaml`".to_owned();
            Err(interpolation.report(Code::BadValue, text.span, message, Some(help)))
        });
        filled.ok()
    }

    /// The place of `specs`.
    pub(crate) fn specs_place(&self) -> Option<(&Arc<SourceFile>, Span)> {
        let first = self.model.specs.as_ref()?.0.first()?;
        Some((&self.source, first.span))
    }
}
