//! From the lines of a file to what was recorded; what is wrong with a file is reported with the number of its line.

use serde_json::Value;

use super::content::RecordingContent;
use super::line::{MAJOR, RecordingLine};
use crate::exchange::Recorded;

use ananke_base::context::{CaseKey, digest};

/// The error in a file: the number of the line, and the words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RecordingError {
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// The content of the file of `key`.
///
/// # Errors
/// If it is not a recording, is one of another test, or one that this program cannot read.
pub(crate) fn read(key: &CaseKey, text: &str) -> Result<Recorded, RecordingError> {
    read_any(text, |found| found == key).map(|(_, recorded)| recorded)
}

/// The content of a file, and which attempt it is of, if that one `is_expected`.
///
/// # Errors
/// If it is not a recording, is one of another attempt, or one that this program cannot read.
pub(crate) fn read_any(
    text: &str,
    is_expected: impl Fn(&CaseKey) -> bool,
) -> Result<(CaseKey, Recorded), RecordingError> {
    let mut recorded = None;
    let mut lines = 0;
    for (index, written) in text.lines().enumerate() {
        lines = index + 1;
        let wrong = |message: String| RecordingError {
            line: index + 1,
            message,
        };
        let read = serde_json::from_str::<RecordingLine>(written);
        let Some(recorded) = &mut recorded else {
            recorded = Some(read_heading(&is_expected, read, written).map_err(wrong)?);
            continue;
        };
        let line = read.map_err(|error| wrong(no_line(&error)))?;
        if let RecordingLine::Hash(written_hash) = &line {
            if recorded.is_intact.is_some() {
                return Err(wrong("a recording has one hash".to_owned()));
            }
            // A file may have been checked out with other ends of its lines.
            let before: String = text
                .lines()
                .take(index)
                .flat_map(|line| [line, "\n"])
                .collect();
            recorded.is_intact = Some(digest(&before) == *written_hash);
            continue;
        }
        if recorded.is_intact.is_some() {
            recorded.is_intact = Some(false);
        }
        recorded
            .add(line)
            .map_err(|message| wrong(message.to_owned()))?;
    }
    let recorded = recorded.ok_or_else(|| RecordingError {
        line: 1,
        message: "the file is empty".to_owned(),
    })?;
    recorded.into_recorded().ok_or_else(|| RecordingError {
        line: lines,
        message: "the file ends in the middle of an exchange".to_owned(),
    })
}

fn read_heading(
    is_expected: &dyn Fn(&CaseKey) -> bool,
    line: serde_json::Result<RecordingLine>,
    written: &str,
) -> Result<RecordingContent, String> {
    let Ok(RecordingLine::Recording(heading)) = line else {
        let value: Value = serde_json::from_str(written).unwrap_or_default();
        let version = value["recording"]["version"].as_str().unwrap_or_default();
        if !version.is_empty() && version.split('.').next() != Some(MAJOR) {
            return Err(newer(version));
        }
        return Err("the first line of a recording says which test it is of".to_owned());
    };
    if heading.version.split('.').next() != Some(MAJOR) {
        return Err(newer(&heading.version));
    }
    let content = RecordingContent::of(heading);
    let CaseKey { test, run, attempt } = &content.key;
    if !is_expected(&content.key) {
        return Err(format!(
            "this is the recording of `{test}`, run {run}, attempt {attempt}"
        ));
    }
    Ok(content)
}

/// The message of the JSON reader, without its own number of the line, which is always 1.
fn no_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(message, _)| message);
    format!(
        "this is not a valid line of a recording: {message} (column {})",
        error.column()
    )
}

fn newer(version: &str) -> String {
    format!("recordings of version {version} are not known here, only those of {MAJOR}.x")
}
