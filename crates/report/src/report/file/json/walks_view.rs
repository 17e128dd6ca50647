//! The walks of a test in the JSON report.

use schemars::JsonSchema;
use serde::Serialize;

use ananke_trace::outcome::{ActionCount, FailedWalk, Walks};

/// All walks of a test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Walks")]
pub(super) struct WalksView<'a> {
    /// Where the random choices began.
    pub(super) seed: u64,
    /// How many walks there were to be.
    pub(super) walks: u32,
    /// How many passed.
    pub(super) passed: u32,
    /// How often each action was taken, in the order of the test; without the attempts to shrink a walk.
    pub(super) actions: Vec<ActionView<'a>>,
    /// The walk that did not pass; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<FailedWalkView<'a>>,
    /// How many turns were sent in all walks, with those of the attempts to shrink one.
    pub(super) total_turns: usize,
}

/// How often an action was taken.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ActionCount")]
pub(super) struct ActionView<'a> {
    /// Its name, as in the test.
    pub(super) name: &'a str,
    /// How often it was taken.
    pub(super) taken: u64,
    /// At how many steps it was possible.
    pub(super) possible: u64,
}

/// A walk that did not pass.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FailedWalk")]
pub(super) struct FailedWalkView<'a> {
    /// Its number, from 1.
    pub(super) number: u32,
    /// The actions that it took.
    pub(super) actions: &'a [String],
    /// The fewest of them that fail with the same rule, which all other fields of the result are about; omitted if no rule
    /// failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shrunk: Option<&'a [String]>,
    /// How many times a shorter walk was tried.
    pub(super) tries: u32,
    /// Whether there was no more to try.
    pub(super) shortest: bool,
}

impl<'a> From<&'a Walks> for WalksView<'a> {
    fn from(from: &'a Walks) -> Self {
        let Walks {
            seed,
            walks,
            passed,
            actions,
            failed,
            turns,
            tokens: _,
        } = from;
        let action = |ActionCount {
                          name,
                          taken,
                          possible,
                      }: &'a ActionCount| ActionView {
            name,
            taken: *taken,
            possible: *possible,
        };
        let failed = failed.as_ref().map(
            |FailedWalk {
                 number,
                 actions,
                 shrunk,
                 tries,
                 is_shortest,
             }| {
                let (shrunk, shortest) = (shrunk.as_deref(), *is_shortest);
                FailedWalkView {
                    number: *number,
                    actions,
                    shrunk,
                    tries: *tries,
                    shortest,
                }
            },
        );
        Self {
            seed: *seed,
            walks: *walks,
            passed: *passed,
            actions: actions.iter().map(action).collect(),
            failed,
            total_turns: *turns,
        }
    }
}
