//! The tools that the models of a run picked, test by test.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part;
use super::part::{counted, listed};
use ananke_trace::outcome::Outcome;
use ananke_trace::outcome::coverage::ToolPicks;

/// The most tests whose picks are kept.
const MOST_TESTS: usize = 1000;

/// The most tools that are kept.
const MOST_TOOLS: usize = 1000;

/// The picks of the tests of a run that offer the tools of a server to their models.
#[derive(Debug, Default)]
pub(crate) struct PickTotals {
    /// One entry for each test with tools of a server, in the order of the run.
    pub(crate) tests: Vec<TestPicks>,
    /// The number of tests that are not kept.
    pub(crate) further: usize,
    /// The tools by name, in the order in which they were offered, each with the sum of its picks.
    tools: IndexMap<String, ToolPicks>,
}

/// The picks of one test.
#[derive(Debug)]
pub(crate) struct TestPicks {
    /// The id, as in the result.
    pub(crate) id: String,
    /// The number of runs that came to an end.
    pub(crate) runs: u32,
    /// The number of runs in which no tool was picked.
    pub(crate) none: u32,
    /// The number of runs that ended with an error.
    pub(crate) errors: u32,
    /// The number of runs in which each tool was picked, without those that never were.
    pub(crate) picked: BTreeMap<String, u32>,
}

impl PickTotals {
    /// Counts the picks of `outcome`, if its test has tools of a server.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let Some(picks) = &outcome.picks else {
            return;
        };
        let mut picked = BTreeMap::new();
        for tool in &picks.tools {
            if tool.picked > 0 {
                picked.insert(tool.name.clone(), tool.picked);
            }
            if let Some(known) = self.tools.get_mut(&tool.name) {
                known.picked += tool.picked;
            } else if self.tools.len() < MOST_TOOLS {
                self.tools.insert(tool.name.clone(), tool.clone());
            }
        }
        // The sums above are of all tests, since a tool that a later test picks is not one that was never picked.
        if self.tests.len() == MOST_TESTS {
            self.further += 1;
            return;
        }
        self.tests.push(TestPicks {
            id: outcome.test.id.clone(),
            runs: picks.runs,
            none: picks.none,
            errors: picks.errors,
            picked,
        });
    }

    /// The tools that were picked in some test.
    pub(crate) fn picked(&self) -> impl Iterator<Item = &ToolPicks> {
        self.tools.values().filter(|tool| tool.picked > 0)
    }

    /// The tools that were offered, and that no model picked.
    pub(crate) fn never_picked(&self) -> impl Iterator<Item = &ToolPicks> {
        self.tools.values().filter(|tool| tool.picked == 0)
    }
}

part! {
    /// The tools that the model of one test picked.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "TestPicks")]
    pub(crate) struct TestPicksView of (test: &TestPicks) {
        /// The id of the test.
        #[schemars(extend("x-since" = "1.2"))]
        id: String = test.id.clone();
        /// The number of runs that came to an end.
        #[schemars(extend("x-since" = "1.2"))]
        runs: u32 = test.runs;
        /// The number of these runs in which each tool was picked, without tools that were not.
        #[schemars(extend("x-since" = "1.2"))]
        tools: BTreeMap<String, u32> = test.picked.clone();
        /// The number of these runs in which no tool was picked.
        #[schemars(extend("x-since" = "1.2"))]
        none: u32 = test.none;
        /// The number of further runs that ended with an error; omitted if there are none.
        #[schemars(extend("x-since" = "1.2"))]
        errors?: u32 = counted(test.errors);
    }
}

part! {
    /// A tool that no model picked.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    pub(crate) struct NeverPicked of (tool: &ToolPicks) {
        /// The name of the tool.
        #[schemars(extend("x-since" = "1.2"))]
        tool: String = tool.name.clone();
        /// The things in its declaration that are unclear to a model, as `ananke audit` finds them; omitted if there are none.
        #[schemars(extend("x-since" = "1.2"))]
        unclear?: Vec<String> = listed(tool.unclear.iter().cloned());
    }
}
