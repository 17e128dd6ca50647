//! Writes the snapshots of a test that passed, and deletes obsolete ones.
//!
//! Every snapshot has a file of its own, so that no two tests write to one.

use std::path::Path;
use std::{fs, io};

use crate::context::Run;
use ananke_base::source::reason;
use ananke_rules::Captured;
use ananke_trace::golden::{self, Golden};
use ananke_trace::outcome::{ErrorKind, Outcome, Problem, RunEvent, SnapshotWritten, Status};

/// The number of obsolete snapshots that are listed.
const LISTED: usize = 20;

/// Writes the snapshots that the rules of a test captured, each to its file, and lists them in the outcome. A test that did not
/// pass writes none.
///
/// # Errors
/// If a file cannot be written; the files before it stay written.
pub(crate) fn keep(captured: Vec<Captured>, outcome: &mut Outcome) -> Result<(), Problem> {
    // Later runs expect what a snapshot contains, so the answer of a test that failed must not become one.
    if outcome.status() != Status::Passed {
        return Ok(());
    }
    for captured in captured {
        // A new snapshot had no file before; any other is an update. Reports count them separately.
        let is_new = captured.is_new();
        let Golden { path, shown, .. } = captured.golden;
        if let Err(error) = golden::write(&path, &captured.text) {
            let message = format!(
                "the snapshot `{shown}` cannot be written: {}",
                write_failure(&path, &error)
            );
            return Err(Problem::new(ErrorKind::Setup, message));
        }
        outcome.verdict.snapshots.push(SnapshotWritten {
            file: shown,
            is_new,
        });
    }
    Ok(())
}

/// The reason that a file cannot be written, in words.
fn write_failure(path: &Path, error: &io::Error) -> String {
    // The reason of the system does not name the file that is there instead of a directory.
    let mut folders = path.ancestors().skip(1);
    if let Some(file) = folders.find(|folder| folder.is_file())
        && let Some(name) = file.file_name()
    {
        return format!("`{}` is a file, not a directory", name.to_string_lossy());
    }
    reason(error).to_string()
}

/// Reports the snapshots that no rule refers to, and deletes them if the options say so and the run was not stopped.
pub(crate) fn clear(shared: &Run, obsolete: Vec<Golden>) {
    if obsolete.is_empty() {
        return;
    }
    // A run that was stopped only lists them, and the next one that is not stopped deletes them.
    let may_delete = shared.options.writing.obsolete && shared.stopper.reason().is_none();
    let mut deleted = 0;
    let mut remaining = 0;
    let mut listed = Vec::new();
    for Golden { path, shown, .. } in obsolete {
        if may_delete && fs::remove_file(&path).is_ok() {
            deleted += 1;
            // The directory goes with its last snapshot. The system refuses to remove one that has other files: then it stays.
            let _is_refused = path.parent().map(fs::remove_dir);
        } else {
            // A snapshot that cannot be deleted is reported like one that may not be. The list is short, the count is complete.
            remaining += 1;
            if listed.len() < LISTED {
                listed.push(shown);
            }
        }
    }
    shared.tell_all(RunEvent::ObsoleteSnapshots {
        left: remaining,
        deleted,
        listed,
    });
}
