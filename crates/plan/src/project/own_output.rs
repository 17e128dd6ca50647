//! Files that ananke itself wrote and that are named like case files: how a file begins in, whether it is one of them out.

use std::path::Path;

use ananke_base::context::Files;

/// The beginnings of recordings and reports: one that has results, and one that has none.
const BEGINNINGS: [&[u8]; 4] = [
    br#"{"recording":{"#,
    br#"{"model_recording":{"#,
    br#"{"type":"result","version":"#,
    br#"{"type":"summary","run":"#,
];

/// Whether a file that begins like this is a recording or a report.
pub(crate) fn is_own_output(text: &[u8]) -> bool {
    BEGINNINGS
        .iter()
        .any(|beginning| text.starts_with(beginning))
}

/// Whether there is a recording or a report at `path`, in a file named `*.jsonl`.
pub(super) fn has_own_output(files: &Files, path: &Path) -> bool {
    let longest = BEGINNINGS
        .iter()
        .map(|beginning| beginning.len())
        .max()
        .unwrap_or_default();
    path.extension()
        .is_some_and(|extension| extension == "jsonl")
        && files
            .beginning(path, longest as u64)
            .is_ok_and(|text| is_own_output(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_not_taken_for_a_report() {
        for (text, expected) in [
            (r#"{"type":"result","version":"1.0","id":"a"}"#, true),
            (r#"{"type":"summary","run":{"#, true),
            (r#"{"recording":{"version":"1.3""#, true),
            (r#"{"model_recording":{"version":"1.0""#, true),
            (r#"{"type":"result","id":"a"}"#, false),
            (r#"{"id":"a","input":"x"}"#, false),
            ("", false),
        ] {
            assert_eq!(is_own_output(text.as_bytes()), expected, "{text}");
        }
    }
}
