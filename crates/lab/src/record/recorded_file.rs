//! A file of tests that were made from conversations, with their recordings.
//!
//! **Invariant:** every test was replayed as it is written; one that cannot be holds up no other.

use std::io;
use std::path::{Path, PathBuf};

use super::recorded_test::DraftTest;
use super::{HeldConversation, RecordRequest, RecordedTest};
use crate::lab_error::LabError;
use crate::test_writer::{file_text, write_together};
use ananke_base::context::Context;

/// A file of tests, not written yet.
#[derive(Debug)]
pub struct RecordedFile {
    /// The path that it is written to.
    pub file: PathBuf,
    /// Its text.
    pub text: String,
    /// Its tests.
    pub tests: Vec<RecordedTest>,
    /// The names of tests that are not in it, each with the reason.
    pub missing: Vec<(String, LabError)>,
}

/// Makes a file of tests from conversations, each with the name of its test. Nothing is written.
///
/// # Errors
/// If none of them can be replayed.
pub async fn record(
    context: &Context,
    request: &RecordRequest,
    conversations: Vec<(String, HeldConversation)>,
) -> Result<RecordedFile, LabError> {
    let (mut written, mut tests, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for (name, held) in conversations {
        let verified = async {
            let draft = DraftTest::of(context, request, &name, held).await?;
            let own = draft.written.clone();
            Ok((own, draft.verified(context, request).await?))
        };
        match verified.await {
            Ok((own, test)) => {
                written.push(own);
                tests.push(test);
            }
            Err(error) => missing.push((name, error)),
        }
    }
    if tests.is_empty() && !missing.is_empty() {
        return Err(missing.remove(0).1);
    }
    Ok(RecordedFile {
        file: request.file.clone(),
        text: file_text(request.origin, &written),
        tests,
        missing,
    })
}

impl RecordedFile {
    /// The files that it is written to.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let recordings = self.tests.iter().map(|test| test.recording_file.as_path());
        std::iter::once(self.file.as_path()).chain(recordings)
    }

    /// The same file, with its recordings, in `folder`.
    #[must_use]
    pub fn moved_to(mut self, folder: &Path) -> Self {
        let place = |path: &Path| folder.join(path.file_name().unwrap_or_default());
        self.file = place(&self.file);
        for test in &mut self.tests {
            test.recording_file = place(&test.recording_file);
        }
        self
    }

    /// Writes the tests and their recordings; nothing of it is there after an error, unless it was there before.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self) -> io::Result<()> {
        let recordings = self.tests.iter();
        let recordings = recordings.map(|test| (&*test.recording_file, &*test.recording));
        let files: Vec<_> = recordings.chain([(&*self.file, &*self.text)]).collect();
        write_together(&files)
    }
}
