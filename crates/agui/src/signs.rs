//! By what answers of the protocol are known, whatever carries them.

/// Texts near the start of a run, and of the answer to a request that is none of the protocol.
pub(super) const SIGNS: &[&str] = &[
    "\"type\":\"RUN_STARTED\"",
    "\"type\":\"RUN_ERROR\"",
    "\"loc\":[\"threadId\"]",
    "\"loc\":[\"body\",\"threadId\"]",
    "\"path\":[\"threadId\"]",
];
