//! Finished outcomes that wait until those before them are reported: the first in memory, all others in a file.
//!
//! No test waits until those before it are reported: one that is slow would hold up all that follow. So any number of outcomes
//! can wait.
//!
//! **Invariant:** memory does not grow with the number that wait; the file contains nothing that is not masked, and is gone
//! with the run.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use ananke_base::context::Scratch;
use ananke_base::source::received_json::read_own;
use ananke_trace::outcome::Outcome;
use ananke_trace::redact::{Redactor, Sealed};

/// The number of outcomes that are kept in memory.
const IN_MEMORY: usize = 256;

/// Finished outcomes by the index of their test in the plan.
#[derive(Debug, Default)]
pub(super) struct Spool {
    waiting: BTreeMap<usize, Waiting>,
    in_memory: usize,
    file: Option<Scratch>,
    /// The number of bytes of the file that are in use.
    end: u64,
}

#[derive(Debug)]
enum Waiting {
    InMemory(Box<Sealed<Outcome>>),
    InFile { start: u64, length: usize },
}

impl Spool {
    /// Puts an outcome in. One that cannot be written stays in memory.
    pub(super) fn put(&mut self, index: usize, outcome: Sealed<Outcome>) {
        if self.in_memory >= IN_MEMORY
            && let Ok((start, length)) = self.write(&outcome)
        {
            self.waiting
                .insert(index, Waiting::InFile { start, length });
            return;
        }
        self.in_memory += 1;
        self.waiting
            .insert(index, Waiting::InMemory(Box::new(outcome)));
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.waiting.contains_key(&index)
    }

    /// Removes the outcome of the test at `index` from the spool, and returns it; `None` if it is not there. `redactor` masks an
    /// outcome from the file.
    ///
    /// # Errors
    /// If the outcome cannot be read from the file.
    pub(super) fn take(
        &mut self,
        index: usize,
        redactor: &Redactor,
    ) -> io::Result<Option<Sealed<Outcome>>> {
        match self.waiting.remove(&index) {
            None => Ok(None),
            Some(Waiting::InMemory(outcome)) => {
                self.in_memory -= 1;
                Ok(Some(*outcome))
            }
            Some(Waiting::InFile { start, length }) => {
                let outcome = self.read(start, length)?;
                // If nothing in the file is needed any more, it is filled from its start again, and does not grow with the run.
                if self.waiting.is_empty() {
                    self.end = 0;
                }
                // The outcome was masked before it was written. Only a redactor makes an outcome `Sealed`, so it is masked again.
                Ok(Some(redactor.seal(outcome)))
            }
        }
    }

    fn write(&mut self, outcome: &Outcome) -> io::Result<(u64, usize)> {
        let bytes = serde_json::to_vec(outcome)?;
        let scratch = match &mut self.file {
            Some(scratch) => scratch,
            none => none.insert(Scratch::private()?),
        };
        let start = self.end;
        scratch.file.seek(SeekFrom::Start(start))?;
        scratch.file.write_all(&bytes)?;
        self.end += bytes.len() as u64;
        Ok((start, bytes.len()))
    }

    fn read(&mut self, start: u64, length: usize) -> io::Result<Outcome> {
        let scratch = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = vec![0; length];
        scratch.file.seek(SeekFrom::Start(start))?;
        scratch.file.read_exact(&mut bytes)?;
        read_own(&bytes).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Options;
    use crate::fakes::FakeProject;

    fn name(spool: &mut Spool, index: usize) -> Option<String> {
        Some(
            spool
                .take(index, &Redactor::default())
                .unwrap()?
                .test
                .name
                .clone(),
        )
    }

    #[test]
    fn what_is_put_in_comes_out_once_from_memory_or_the_file() {
        let project = FakeProject::saying(&["good"], Options::default());
        let mut spool = Spool::default();
        let more = IN_MEMORY + 20;
        for index in (0..more).rev() {
            let outcome = project.outcome(&format!("outcome {index}"));
            spool.put(index, project.run.redactor.seal(outcome));
        }
        for index in 0..more {
            // The first that were put in are in memory.
            assert_eq!(
                matches!(spool.waiting[&index], Waiting::InMemory(_)),
                index >= 20
            );
            assert_eq!(name(&mut spool, index), Some(format!("outcome {index}")));
            assert_eq!(name(&mut spool, index), None);
        }
        assert_eq!((spool.in_memory, spool.waiting.len()), (0, 0));
    }

    #[test]
    fn the_file_is_used_again_once_it_is_empty() {
        let project = FakeProject::saying(&["good"], Options::default());
        let mut spool = Spool {
            in_memory: IN_MEMORY,
            ..Spool::default()
        };
        for round in 0..3 {
            spool.put(round, project.run.redactor.seal(project.outcome("same")));
            assert!(matches!(
                spool.waiting[&round],
                Waiting::InFile { start: 0, .. }
            ));
            assert_eq!(name(&mut spool, round).as_deref(), Some("same"));
        }
    }

    #[test]
    fn an_outcome_that_cannot_be_read_back_is_an_error() {
        let mut spool = Spool::default();
        spool.waiting.insert(
            1,
            Waiting::InFile {
                start: 0,
                length: 5,
            },
        );
        assert!(spool.take(1, &Redactor::default()).is_err());
    }
}
