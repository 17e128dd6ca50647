//! The options that select tests, and those that say how a recording was made.

use std::path::PathBuf;

use clap::Args;

use crate::cli::frame::Colour;
use ananke::plan::{Filter, Selection};
use ananke::project::Variables;
use ananke::variables::{is_name, is_reserved};

/// Which tests.
#[derive(Clone, Debug, Args)]
pub(crate) struct SelectionOptions {
    /// Files, directories, lines (`FILE:LINE`), and ids or names of tests, as ananke prints them (default: every test of the project)
    #[arg(help_heading = None::<&'static str>, value_name = "WHAT")]
    pub(crate) paths: Vec<PathBuf>,
    /// The project config (default: the nearest `ananke.config.yaml`)
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// The agent under test: one of the config's `targets`, or its `agentId`; a test that names its own keeps it
    #[arg(short = 'n', long, visible_alias = "name", value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Who plays the user of a test with checkpoints that does not say it: a target, or `scripts:NAME`
    #[arg(long, value_name = "NAME")]
    pub(crate) simulator: Option<String>,
    /// Only tests matching this expression: words from the path or name, or `tag(smoke) and not name(/slow/)`
    #[arg(short = 'k', long, value_name = "EXPRESSION", value_parser = Filter::parse)]
    pub(crate) filter: Option<Filter>,
    /// Only tests with this tag (repeatable; any match)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only the test with this id, or one row of a test (repeatable)
    #[arg(long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Set a variable (string), overriding `vars` and hooks (repeatable)
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) variables: Vec<(String, String)>,
    /// A file of environment variables (`NAME=value` lines), for `${ENV.NAME}` and for programs that are started; variables
    /// that are set already take precedence (repeatable)
    #[arg(long = "env-file", value_name = "FILE")]
    pub(crate) env_files: Vec<PathBuf>,
    /// Do not fail if no test is selected
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// When to use colours
    #[arg(help_heading = None::<&'static str>, long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

impl SelectionOptions {
    /// The selection; its purpose is up to the command.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            paths: self.paths.clone(),
            config: self.config.clone(),
            target: self.target.clone().into(),
            simulator: self.simulator.clone(),
            filter: self.filter.clone(),
            tags: self.tags.clone(),
            ids: self.ids.clone(),
            env_files: self.env_files.clone(),
            allow_empty: self.allow_empty,
            variables: Variables {
                given: self.variables.iter().cloned().collect(),
                ..Variables::default()
            },
            ..Selection::default()
        }
    }
}

/// `NAME=VALUE`; everything after the first `=` is the value.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected `NAME=VALUE`")?;
    if is_reserved(name) {
        return Err(format!("`{name}` is reserved"));
    }
    if !is_name(name) {
        return Err(format!(
            "`{name}` is not a valid variable name: letters, digits and `_`, no digit first"
        ));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// How a recording was made.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecordedSelection {
    /// The project config (default: the nearest `ananke.config.yaml`)
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// The agent that was recorded, if it was chosen on the command line
    #[arg(short = 'n', long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Who played the user, if that was chosen on the command line
    #[arg(long, value_name = "NAME")]
    pub(crate) simulator: Option<String>,
    /// A variable that was set on the command line (repeatable)
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) variables: Vec<(String, String)>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

impl RecordedSelection {
    /// The config, the target and the variables; the test comes from the recording.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            config: self.config.clone(),
            target: self.target.clone().into(),
            simulator: self.simulator.clone(),
            variables: Variables {
                given: self.variables.iter().cloned().collect(),
                ..Variables::default()
            },
            ..Selection::default()
        }
    }
}
