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

/// Writes the captured snapshots if the test passed.
///
/// # Errors
/// If a file cannot be written; those before it are written.
pub(crate) fn keep(captured: Vec<Captured>, outcome: &mut Outcome) -> Result<(), Problem> {
    // The snapshot of a test that failed would be the expectation of what is wrong.
    if outcome.status() != Status::Passed {
        return Ok(());
    }
    for captured in captured {
        let is_new = captured.is_new();
        let Golden { path, shown, .. } = captured.golden;
        if let Err(error) = golden::write(&path, &captured.text) {
            let message = format!(
                "the snapshot `{shown}` cannot be written: {}",
                why(&path, &error)
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
fn why(path: &Path, error: &io::Error) -> String {
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
    let may_delete = shared.options.writing.obsolete && shared.stopper.reason().is_none();
    let mut deleted = 0;
    let mut left = 0;
    let mut listed = Vec::new();
    for Golden { path, shown, .. } in obsolete {
        if may_delete && fs::remove_file(&path).is_ok() {
            deleted += 1;
            // The last one leaves an empty folder, which git would not keep either; any other stays.
            let _ = path.parent().map(fs::remove_dir);
        } else {
            left += 1;
            if listed.len() < LISTED {
                listed.push(shown);
            }
        }
    }
    shared.tell_all(RunEvent::ObsoleteSnapshots {
        left,
        deleted,
        listed,
    });
}
