//! The changes of tests against an earlier run, in words.

use ananke_base::text::grouped;
use ananke_trace::outcome::{ChangeTotals, StatusChange};

/// `2 new, 3 known, 1 fixed`: the tests that fail or failed before; `None` if there are none, or no earlier run is known.
pub(crate) fn totals(changes: ChangeTotals) -> Option<String> {
    let ChangeTotals { new, known, fixed } = changes;
    let counts = [
        (new, StatusChange::New),
        (known, StatusChange::Known),
        (fixed, StatusChange::Fixed),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, change)| format!("{} {}", grouped(count), change.as_str()))
        .collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}
