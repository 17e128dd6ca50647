//! The recording that a JSON report names.

use std::path::Path;

use ananke::source::received_json::read_own;
use serde_json::Value;

use crate::cli::frame::Failed;

/// The largest report that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// The path of the recording of `test` in the report at `path`, which messages call `shown`.
///
/// # Errors
/// If it names none.
pub(super) fn recording_of_report(
    path: &Path,
    shown: &str,
    test: Option<&str>,
) -> Result<String, Failed> {
    let is_small = path.metadata().is_ok_and(|file| file.len() <= LARGEST);
    let read = std::fs::read_to_string(path).ok().filter(|_| is_small);
    let report: Option<Value> = read.and_then(|text| read_own(text.as_bytes()).ok());
    let results = report
        .as_ref()
        .and_then(|report| report["results"].as_array());
    let Some(results) = results else {
        let message = format!("`{shown}` is neither a recording nor a JSON report");
        return Err(Failed::new(message)
            .help("name a file that `--record DIR` or `-o FILE.json` has written"));
    };
    let result = match test {
        Some(id) => results.iter().find(|result| result["id"] == *id),
        None if results.len() == 1 => results.first(),
        None => {
            let message = format!("`{shown}` has the results of {} tests", results.len());
            return Err(Failed::new(message).help("name one of them with `--test ID`"));
        }
    };
    let Some(result) = result else {
        let message = format!("`{shown}` has no test `{}`", test.unwrap_or_default());
        return Err(Failed::new(message).help("`--test` takes the `id` of a result"));
    };
    let recording = result["recording"].as_str().map(str::to_owned);
    recording.ok_or_else(|| {
        let message = format!(
            "the test `{}` was not recorded",
            result["id"].as_str().unwrap_or_default()
        );
        Failed::new(message).help("run it again with `--record DIR`, and freeze its recording")
    })
}
