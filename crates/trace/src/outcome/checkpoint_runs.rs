//! How often a checkpoint was reached, of a test that runs several times.
//!
//! **Invariant:** its size does not depend on the number of runs.

use serde::{Deserialize, Serialize};

use super::checkpoint::CheckpointOutcome;

/// A checkpoint in several runs of its test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointRuns {
    /// Its id.
    pub id: String,
    /// Whether the test fails without it.
    pub is_required: bool,
    /// How many runs reached it.
    pub reached: u32,
    /// The smallest and the largest number of the turn that did, counted from 1; `None` if no run reached it.
    pub turns: Option<(u32, u32)>,
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
                        turns: None,
                    });
                    all.len() - 1
                });
            if let Some(turn) = *reached_at {
                let Self { reached, turns, .. } = &mut all[known];
                *reached += 1;
                let (least, most) = turns.unwrap_or((turn, turn));
                *turns = Some((least.min(turn), most.max(turn)));
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
            .map(|known| (&*known.id, known.reached, known.turns))
            .collect();
        assert_eq!(
            counted,
            [("asked", 3, Some((1, 4))), ("paid", 1, Some((4, 4)))]
        );
    }
}
