//! The facts about a run: the configuration it was made with.
//!
//! **Why:** A report that is read next week must say what it was made with, and the machine that made it is gone then.
//! So the facts come with the first event, and nothing looks them up later.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenTotals;
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
    /// The tokens of the agent that generated its tests.
    #[serde(skip)]
    #[mask(skip)]
    pub generated: Box<TokenTotals>,
}

fn is_empty(files: &BTreeMap<String, String>) -> bool {
    files.is_empty()
}

/// The version of ananke that made a run; by default this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct ProgramVersion(String);

impl Default for ProgramVersion {
    fn default() -> Self {
        Self(env!("CARGO_PKG_VERSION").to_owned())
    }
}

impl fmt::Display for ProgramVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One of the parts into which the selected tests are split, each for a machine of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// The number of this shard, counted from 1.
    #[schemars(extend("x-since" = "1.1"))]
    pub index: u32,
    /// The number of shards.
    #[schemars(extend("x-since" = "1.1"))]
    pub total: u32,
    /// How the tests are split.
    #[schemars(extend("x-since" = "1.1"))]
    pub by: ShardBy,
    /// The number of tests that all shards have together.
    #[schemars(extend("x-since" = "1.1"))]
    pub tests: usize,
    /// The place of each test of this shard among all of them, counted from 0, in the order of its results.
    #[schemars(extend("x-since" = "1.1"))]
    pub places: Vec<u32>,
}

/// How tests are split into shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShardBy {
    /// By the id of each test alone.
    Count,
    /// By the time that tests took before.
    Time,
}

impl Shard {
    /// Whether it is of several shards, and a run of `tests` tests has not all of them.
    pub fn leaves_out_tests(&self, tests: usize) -> bool {
        self.total > 1 && tests < self.tests
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.index, self.total)
    }
}
