//! The selection of a command and its purpose.

use std::path::PathBuf;

use super::filter::Filter;
use crate::project::{AgentChoice, Variables};
use ananke_base::message::RequestContext;
use ananke_model::settings::GivenSettings;

/// The purpose for which tests are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunPurpose {
    /// Their verdicts.
    #[default]
    Verdicts,
    /// The answers of the agent: a test may assert nothing.
    Answers,
}

/// The selection of tests to run, as the command line gives it.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Files, directories, lines of files, ids and names of tests; none means the whole project.
    pub paths: Vec<PathBuf>,
    /// Only the tests of these files among those found there, given in full; none means all.
    pub only_files: Vec<PathBuf>,
    /// The project config, where it is named.
    pub config: Option<PathBuf>,
    /// The target under test; a test's own stays.
    pub target: AgentChoice,
    /// The simulator of a conversation that names none: a target, with or without `agents:`, or
    /// `scripts:NAME`.
    pub simulator: Option<String>,
    /// The filter for the tests found there.
    pub filter: Option<Filter>,
    /// One of these tags a test must have; none means any test.
    pub tags: Vec<String>,
    /// One of these ids a test must have; none means any test.
    pub ids: Vec<String>,
    /// The context that the agent gets with every request, over that of the tests.
    pub request_context: RequestContext,
    /// The purpose of the tests.
    pub purpose: RunPurpose,
    /// Whether no test at all is fine.
    pub allow_empty: bool,
    /// Files of environment variables, over those of the config.
    pub env_files: Vec<PathBuf>,
    /// The settings with which tests run, over those of the config.
    pub settings: GivenSettings,
    /// Whether something will be sent: a target's missing environment variables are warnings otherwise.
    pub sends: bool,
    /// The number of bytes of text of test files that are kept for a run, which then need not read them again; [`KEPT_TEXT`] is
    /// enough for a few hundred small ones.
    ///
    /// [`KEPT_TEXT`]: crate::loaded::KEPT_TEXT
    pub kept_text: usize,
    /// The variables of the command line.
    pub variables: Variables,
    /// Whether everything is only looked at, so that what would fail a run is an error: `ananke check`.
    pub checks: bool,
}
