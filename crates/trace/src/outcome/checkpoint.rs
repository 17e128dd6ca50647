//! A checkpoint of a simulated conversation, and the number of runs that reached it, of a test that runs several times.
//!
//! **Invariant:** its size does not depend on the number of runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ananke_derive::Mask;

/// A checkpoint, and the turn that reached it.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct CheckpointOutcome {
    /// Its id.
    pub id: String,
    /// The description of the checkpoint.
    pub description: Option<String>,
    /// Whether the test fails without it.
    pub is_required: bool,
    /// The number of the turn that reached it, counted from 1.
    pub reached_at: Option<u32>,
    /// The reason why the last turn did not reach it.
    pub missed: Option<String>,
}

impl CheckpointOutcome {
    /// Whether the test fails since it was not reached.
    pub fn is_missing(&self) -> bool {
        self.is_required && self.reached_at.is_none()
    }
}

/// A checkpoint in several runs of its test.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
pub struct CheckpointRuns {
    /// The id of the checkpoint.
    pub id: String,
    /// Whether the test fails without it.
    #[serde(rename = "required")]
    pub is_required: bool,
    /// How many runs reached it.
    pub reached: u32,
    /// The smallest number of the turn that reached it, from 1; omitted if no run did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_turn: Option<u32>,
    /// The largest number of that turn; omitted if no run did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_turn: Option<u32>,
}

impl CheckpointRuns {
    /// Adds the checkpoints of one run to `all`, those of the runs before it, in the order of the test.
    pub fn count(all: &mut Vec<Self>, run: &[CheckpointOutcome]) {
        for CheckpointOutcome {
            id,
            is_required,
            reached_at,
            ..
        } in run
        {
            let known = all
                .iter()
                .position(|known| known.id == *id)
                .unwrap_or_else(|| {
                    all.push(Self {
                        id: id.clone(),
                        is_required: *is_required,
                        reached: 0,
                        first_turn: None,
                        last_turn: None,
                    });
                    all.len() - 1
                });
            if let Some(turn) = *reached_at {
                let known = &mut all[known];
                known.reached += 1;
                known.first_turn = known
                    .first_turn
                    .map_or(Some(turn), |first| Some(first.min(turn)));
                known.last_turn = known.last_turn.max(Some(turn));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_counts_once_and_a_run_without_conversation_reaches_nothing() {
        let run = |turns: [Option<u32>; 2]| {
            let ids = ["asked", "paid"].into_iter().zip(turns);
            let outcome = |(id, reached_at): (&str, _)| CheckpointOutcome {
                id: id.to_owned(),
                description: None,
                is_required: true,
                reached_at,
                missed: None,
            };
            ids.map(outcome).collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        for run in [
            run([Some(2), None]),
            Vec::new(),
            run([Some(1), None]),
            run([Some(4), Some(4)]),
        ] {
            CheckpointRuns::count(&mut all, &run);
        }
        let counted: Vec<_> = all
            .iter()
            .map(|known| (&*known.id, known.reached, known.first_turn, known.last_turn))
            .collect();
        assert_eq!(
            counted,
            [
                ("asked", 3, Some(1), Some(4)),
                ("paid", 1, Some(4), Some(4))
            ]
        );
    }
}
