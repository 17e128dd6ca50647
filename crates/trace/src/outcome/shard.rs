//! The part of the selected tests that a run is of.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
