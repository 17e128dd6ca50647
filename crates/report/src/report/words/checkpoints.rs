//! Checkpoints in words, the same in every report.

use ananke_trace::outcome::{CheckpointOutcome, InputOrigin, Status};

/// A checkpoint in a report.
pub(crate) struct CheckpointWords {
    /// As if it were a rule of its own: passed if a turn reached it.
    pub(crate) status: Status,
    /// ``checkpoint `paid`: the customer has paid``
    pub(crate) text: String,
    /// `turn 2`, or why the last turn did not reach it.
    pub(crate) note: String,
}

/// A checkpoint, and when it was reached.
pub(crate) fn words(checkpoint: &CheckpointOutcome) -> CheckpointWords {
    let CheckpointOutcome {
        id,
        description,
        is_required,
        reached_at,
        missed,
    } = checkpoint;
    let description = description
        .as_ref()
        .map(|text| format!(": {text}"))
        .unwrap_or_default();
    let text = format!("checkpoint `{id}`{description}");
    let (status, note) = match (reached_at, missed) {
        (Some(turn), _) => (Status::Passed, format!("turn {turn}")),
        (None, missed) => {
            let status = if *is_required {
                Status::Failed
            } else {
                Status::Skipped
            };
            let missed = missed
                .as_ref()
                .map(|missed| format!(": {missed}"))
                .unwrap_or_default();
            (status, format!("not reached{missed}"))
        }
    };
    CheckpointWords { status, text, note }
}

/// The speaker of the input of a turn, if that is not the test.
pub(crate) fn speaker(origin: InputOrigin) -> Option<&'static str> {
    match origin {
        InputOrigin::Static | InputOrigin::Initial | InputOrigin::Walk => None,
        InputOrigin::Simulator => Some("said by the simulator"),
        InputOrigin::Human => Some("said by a person"),
    }
}
