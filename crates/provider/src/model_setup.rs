//! A model of a config, ready to be served.

use std::net::IpAddr;

use globset::GlobSet;
use regex::Regex;

use crate::compiled_script::CompiledModelScript;
use ananke_model::model::{ModelAnswerSource, ModelIsolation, ModelPace};

/// A model of a config, with every variable filled.
#[derive(Clone, Debug)]
pub struct ModelSetup {
    /// The key in `models`.
    pub name: String,
    /// The port; 0 lets the system choose one.
    pub port: u16,
    /// The interface on which the server is reached; any but loopback is open to other machines.
    pub listen: IpAddr,
    /// The name by which agents reach the address.
    pub host: String,
    /// The variables that point an agent at it.
    pub environment: ModelEnvironment,
    /// The names that its requests have; empty if its address alone distinguishes it.
    pub names: GlobSet,
    /// The rules that come after those of a test.
    pub script: CompiledModelScript,
    /// The rules for requests that no test causes.
    pub background: CompiledModelScript,
    /// The way in which tests share it.
    pub isolation: ModelIsolation,
    /// The source of all answers, if the command line says one.
    pub asked_for: Option<ModelAnswerSource>,
    /// The source of its answers, if the config says it.
    pub answers: Option<ModelAnswerSource>,
    /// The addresses of the providers that may be asked, each with its name.
    pub upstreams: Vec<(String, String)>,
    /// The texts that are not compared with recorded ones.
    pub ignore: Vec<Regex>,
    /// Whether other parameters of sampling make another request.
    pub strict_params: bool,
    /// Whether recorded calls that were not asked for are a warning. The command line says so.
    pub is_loose: bool,
    /// The pace of recorded answers.
    pub pace: ModelPace,
}

/// The variables that point an agent at a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEnvironment {
    /// The variables that the SDKs of all providers read.
    Default,
    /// No variables, because something else points the agent at the server.
    None,
    /// Names and values, in which [`URL`] is the address.
    Own(Vec<(String, String)>),
}

/// The part of a value that is the address of a model.
pub const URL: &str = "${URL}";

impl ModelSetup {
    /// The source of the answers of a test with the answers `own`: that of the command line, or that of the config.
    pub fn source_of_test(&self, own: Option<&CompiledModelScript>) -> ModelAnswerSource {
        let has_answers = own.is_some() || !self.script.rules.is_empty();
        match self.asked_for.or(self.answers) {
            Some(source) => source,
            None if has_answers => ModelAnswerSource::Script,
            None => ModelAnswerSource::Replay,
        }
    }

    /// Whether its providers may be asked.
    pub fn is_live(&self) -> bool {
        matches!(
            self.asked_for.or(self.answers),
            Some(
                ModelAnswerSource::Record
                    | ModelAnswerSource::RecordMissing
                    | ModelAnswerSource::Live
            )
        )
    }

    /// The script of a test on this model: its own answers, and then the rules that every test has.
    pub fn script_of_test(&self, own: Option<&CompiledModelScript>) -> CompiledModelScript {
        let Some(own) = own else {
            return self.script.clone();
        };
        let mut script = own.clone();
        script.rules.extend(self.script.rules.iter().cloned());
        script
    }
}
