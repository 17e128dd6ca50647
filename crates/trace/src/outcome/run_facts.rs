//! The facts about a run: the configuration it was made with.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::program_version::ProgramVersion;
use super::shard::Shard;
use ananke_derive::Mask;

/// What a run was made with. Commit, branch and link are there where the environment of a CI server contains them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Run")]
pub struct RunFacts {
    /// The version of ananke.
    #[mask(skip)]
    pub ananke: ProgramVersion,
    /// The command line, an argument each. The values of `--var` are `***`.
    pub command: Vec<String>,
    /// The config.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// The name of the target under test; a test that names another one has it in its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What the config says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_description: Option<String>,
    /// The name of its model, if its protocol names one.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The name of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The page of the job on the CI server.
    #[serde(rename = "ci_url", skip_serializing_if = "Option::is_none")]
    pub job_url: Option<String>,
    /// The page with the files of the commit on the server of the repository, in the directory in which the run was started: a file
    /// that the report names is under it.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob_url: Option<String>,
    /// The part of the selected tests that it is of, if they are split.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[mask(skip)]
    pub shard: Option<Shard>,
    /// A hash of each file with selected tests, of all shards, by its path relative to the config; empty if the file cannot
    /// be read.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(default, skip_serializing_if = "is_empty")]
    pub files: Arc<BTreeMap<String, String>>,
    /// How many tests may run at once, of a run that is not over; 0 where that is not known.
    #[serde(skip)]
    pub parallel: usize,
}

fn is_empty(files: &BTreeMap<String, String>) -> bool {
    files.is_empty()
}
