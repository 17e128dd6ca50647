//! The thread that writes a kept run: what is handed to it waits there, and its callers go on at once. It looks only now and
//! then, so that a run of short tests does not wake it for each of them.
//!
//! **Invariant:** at most [`MOST_WAITING`] bytes wait; what comes beyond that is not kept, and the run is not held up.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::record::{FirstLine, KeptAttempt, RecordKind, RunIndex, record, trailer};
use super::{KeptTest, RunHeading, run_files::MOST_BYTES};
use ananke_recording::RecordedAttempt;

/// The most bytes that may wait to be written.
const MOST_WAITING: u64 = 64 << 20;

/// The most bytes of one attempt that are kept.
pub(super) const MOST_OF_ATTEMPT: u64 = 32 << 20;

/// The most bytes of recordings in one run: the results of all its tests have room after them.
const MOST_OF_RECORDINGS: u64 = MOST_BYTES / 2;

/// The number of bytes that are written at once.
const BUFFER: usize = 256 << 10;

/// The longest time for which something waits for more that is written with it.
const COLLECTED: Duration = Duration::from_millis(10);

/// Something to be written.
enum WriterMessage {
    /// The data that was received in an attempt.
    Attempt(RecordedAttempt),
    /// The entry of a test, and its outcome as JSON.
    Outcome(Box<KeptTest>, String),
    /// The last line of the document of the run, which is over.
    Summary(String),
}

/// The part of a writer that attempts are handed to. Clones are the same.
#[derive(Clone, Default)]
pub(super) struct WriterQueue(Arc<SharedQueue>);

#[derive(Default)]
struct SharedQueue {
    waiting: Mutex<WaitingMessages>,
    /// Something waits after nothing did.
    filled: Condvar,
    /// Nothing more comes.
    ended: Condvar,
}

/// The messages that the thread has not taken yet.
#[derive(Default)]
struct WaitingMessages {
    /// Each with its bytes.
    messages: Vec<(WriterMessage, u64)>,
    /// Their bytes, and those of the messages that the thread has taken and not written yet.
    bytes: u64,
    /// Whether the thread waits until there are some.
    is_idle: bool,
    is_over: bool,
}

/// The result of a writer.
#[derive(Debug)]
pub(super) struct Written {
    /// Whether a test is in it that was not skipped.
    pub(super) has_tests: bool,
    /// The first error; nothing was written after it.
    pub(super) error: Option<io::Error>,
}

/// A thread that writes a kept run. It ends when this is dropped, too: if a report of the run cannot be written.
pub(super) struct RunWriter {
    queue: OpenQueue,
    thread: JoinHandle<Written>,
}

/// The queue of a writer, which is closed when this is dropped.
struct OpenQueue(WriterQueue);

impl Drop for OpenQueue {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl RunWriter {
    /// A thread that writes to `out`, which begins with `heading`.
    ///
    /// # Errors
    /// If the system has no thread for it.
    pub(super) fn start(out: Box<dyn Write + Send>, heading: RunHeading) -> io::Result<Self> {
        let queue = WriterQueue::default();
        let state = WriterState {
            out: BufWriter::with_capacity(BUFFER, out),
            written: 0,
            recorded: 0,
            recordings: HashMap::new(),
            not_kept: HashMap::new(),
            index: RunIndex::default(),
            error: None,
        };
        let own = queue.clone();
        let thread = thread::Builder::new()
            .name("kept run".to_owned())
            .spawn(move || state.write(heading, &own))?;
        let queue = OpenQueue(queue);
        Ok(Self { queue, thread })
    }

    pub(super) fn queue(&self) -> WriterQueue {
        self.queue.0.clone()
    }

    /// Hands on what came of a test.
    pub(super) fn add_outcome(&self, test: KeptTest, outcome: String) {
        let bytes = outcome.len() as u64;
        let test = Box::new(test);
        self.queue
            .0
            .send(WriterMessage::Outcome(test, outcome), bytes);
    }

    /// The run is over, and `summary` is the last line of its document; waits until everything is written.
    pub(super) fn end(self, summary: String) -> Written {
        let Self { queue, thread } = self;
        queue.0.send(WriterMessage::Summary(summary), 0);
        drop(queue);
        let lost = || Written {
            has_tests: true,
            error: Some(io::Error::other("its thread broke")),
        };
        thread.join().unwrap_or_else(|_| lost())
    }
}

impl WriterQueue {
    /// Hands on what was received in an attempt.
    pub(super) fn add_attempt(&self, attempt: RecordedAttempt) {
        let bytes = attempt.received();
        self.send(WriterMessage::Attempt(attempt), bytes);
    }

    /// Hands on a message of so many bytes, unless too many wait; one without bytes always has room.
    fn send(&self, message: WriterMessage, bytes: u64) {
        let mut waiting = self.waiting();
        let is_too_much = bytes > 0 && waiting.bytes + bytes > MOST_WAITING;
        if is_too_much || waiting.is_over {
            return;
        }
        waiting.bytes += bytes;
        waiting.messages.push((message, bytes));
        self.wake(&mut waiting);
    }

    /// Nothing more comes.
    fn close(&self) {
        let mut waiting = self.waiting();
        waiting.is_over = true;
        self.wake(&mut waiting);
        self.0.ended.notify_one();
    }

    fn wake(&self, waiting: &mut WaitingMessages) {
        if std::mem::take(&mut waiting.is_idle) {
            self.0.filled.notify_one();
        }
    }

    /// Waits until there are messages, and a little longer for more, and takes them; whether they are the last.
    fn take(&self) -> (Vec<(WriterMessage, u64)>, bool) {
        let mut waiting = self.waiting();
        waiting.is_idle = waiting.messages.is_empty() && !waiting.is_over;
        let filled = self.0.filled.wait_while(waiting, |waiting| waiting.is_idle);
        let waiting = filled.unwrap_or_else(PoisonError::into_inner);
        let more = |waiting: &mut WaitingMessages| !waiting.is_over;
        let collected = self.0.ended.wait_timeout_while(waiting, COLLECTED, more);
        let (mut waiting, _) = collected.unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut waiting.messages), waiting.is_over)
    }

    /// So many bytes are written.
    fn written(&self, bytes: u64) {
        self.waiting().bytes -= bytes;
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingMessages> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

struct WriterState {
    out: BufWriter<Box<dyn Write + Send>>,
    written: u64,
    /// The number of bytes of recordings that were written.
    recorded: u64,
    /// The attempts of tests whose outcomes are still to come.
    recordings: HashMap<String, Vec<KeptAttempt>>,
    /// The reason, by test, that the received data is not kept.
    not_kept: HashMap<String, String>,
    index: RunIndex,
    error: Option<io::Error>,
}

impl WriterState {
    fn write(mut self, heading: RunHeading, queue: &WriterQueue) -> Written {
        let first = FirstLine { kept_run: heading };
        // It has texts and numbers only.
        let line = serde_json::to_string(&first).unwrap_or_default() + "\n";
        self.append(&line);
        self.flush();
        let mut is_over = false;
        while !is_over {
            let (messages, are_last) = queue.take();
            is_over = are_last;
            for (message, bytes) in messages {
                match message {
                    WriterMessage::Attempt(attempt) => self.attempt(&attempt),
                    WriterMessage::Outcome(test, outcome) => self.outcome(*test, &outcome),
                    WriterMessage::Summary(summary) => self.summary(&summary),
                }
                queue.written(bytes);
            }
            // What waited together is written together.
            if !is_over {
                self.flush();
            }
        }
        let at = self.written;
        let index = serde_json::to_string(&self.index).unwrap_or_default();
        self.append(&record(RecordKind::Index, "", (0, 0), &index));
        self.append(&trailer(at));
        self.flush();
        Written {
            has_tests: self.index.tests.iter().any(|test| !test.is_skipped()),
            error: self.error,
        }
    }

    /// Appends a text as a whole, if nothing failed before.
    fn append(&mut self, text: &str) {
        if self.error.is_some() {
            return;
        }
        match self.out.write_all(text.as_bytes()) {
            Ok(()) => self.written += text.len() as u64,
            Err(error) => self.error = Some(error),
        }
    }

    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.out.flush().err();
        }
    }

    fn attempt(&mut self, attempt: &RecordedAttempt) {
        let key = attempt.key();
        let text = attempt.text().map_err(|problem| problem.message);
        let text = text.and_then(|text| {
            let is_too_much = self.recorded + text.len() as u64 > MOST_OF_RECORDINGS;
            if is_too_much {
                return Err("the run received more than is kept".to_owned());
            }
            Ok(text)
        });
        let text = match text {
            Ok(text) => text,
            Err(why) => {
                self.recordings.remove(&key.test);
                self.not_kept.insert(key.test.clone(), why);
                return;
            }
        };
        self.recorded += text.len() as u64;
        let kept = KeptAttempt {
            run: key.run,
            at: self.written,
        };
        let (of, id) = ((key.run, key.attempt), &key.test);
        self.append(&record(RecordKind::Recording, id, of, text.trim_end()));
        let attempts = self.recordings.entry(id.clone()).or_default();
        attempts.retain(|before| before.run != kept.run);
        attempts.push(kept);
    }

    fn summary(&mut self, summary: &str) {
        self.index.summary = Some(self.written);
        self.append(&record(RecordKind::Summary, "", (0, 0), summary));
    }

    fn outcome(&mut self, test: KeptTest, outcome: &str) {
        let recordings = self.recordings.remove(&test.id).unwrap_or_default();
        let not_kept = self.not_kept.remove(&test.id);
        let test = KeptTest {
            at: self.written,
            recordings: if not_kept.is_some() {
                Vec::new()
            } else {
                recordings
            },
            not_kept,
            ..test
        };
        self.append(&record(RecordKind::Outcome, &test.id, (0, 0), outcome));
        if self.error.is_none() {
            self.index.tests.push(test);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::{Mutex, PoisonError};

    use super::*;
    use crate::report::store::kept_run::{KeptRun, KeptRunError};
    use crate::report::store::record::VERSION;
    use crate::run_document::{RunTotals, last_line, result_line};
    use ananke_trace::outcome::{Outcome, RunClose, TestIdentity};

    /// A disk with room for so many bytes.
    #[derive(Clone)]
    struct Disk {
        bytes: Arc<Mutex<Vec<u8>>>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut written = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            let count = bytes.len().min(self.room - written.len());
            if count == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            written.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn heading(tests: usize) -> RunHeading {
        RunHeading {
            version: VERSION.to_owned(),
            ananke: env!("CARGO_PKG_VERSION").to_owned(),
            tests,
            ..RunHeading::default()
        }
    }

    /// The bytes on a disk with this room after a run of so many tests.
    fn written(tests: usize, room: usize) -> (Vec<u8>, Written) {
        let disk = Disk {
            bytes: Arc::default(),
            room,
        };
        let writer = RunWriter::start(Box::new(disk.clone()), heading(tests)).unwrap();
        for index in 0..tests {
            let outcome = Outcome {
                test: TestIdentity {
                    id: format!("a.test.yaml::{index}"),
                    ..TestIdentity::default()
                },
                ..Outcome::default()
            };
            let text = result_line(&outcome).unwrap();
            writer.add_outcome(KeptTest::of(&outcome, 0, None), text);
        }
        let run = RunTotals {
            end: Some(RunClose::default()),
            ..RunTotals::default()
        };
        let written = writer.end(last_line(&run).unwrap());
        (disk.bytes.lock().unwrap().clone(), written)
    }

    fn opened(bytes: &[u8], name: &str) -> Result<KeptRun, KeptRunError> {
        let path = std::env::temp_dir().join(format!("ananke-store-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        let run = KeptRun::open(&path, name);
        fs::remove_file(path).unwrap();
        run
    }

    #[test]
    fn a_writer_that_is_dropped_ends_its_thread_and_its_file() {
        let disk = Disk {
            bytes: Arc::default(),
            room: usize::MAX,
        };
        let writer = RunWriter::start(Box::new(disk.clone()), heading(0)).unwrap();
        let RunWriter { queue, thread } = writer;
        drop(queue);
        assert!(thread.join().unwrap().error.is_none());
        let run = opened(&disk.bytes.lock().unwrap(), "dropped").unwrap();
        assert!(!run.is_truncated && run.head.close.is_none());
    }

    #[test]
    fn every_outcome_is_found_by_the_index() {
        let (bytes, end) = written(200, usize::MAX);
        assert!(end.error.is_none() && end.has_tests);
        let run = opened(&bytes, "whole").unwrap();
        assert!(!run.is_truncated && run.head.close.is_some());
        for (index, test) in run.tests.iter().enumerate() {
            assert_eq!(test.id, format!("a.test.yaml::{index}"));
            assert_eq!(run.outcome(test).unwrap().test.id, test.id);
        }
        assert_eq!(run.tests.len(), 200);
    }

    #[test]
    fn a_full_disk_ends_the_file_and_what_is_there_can_be_read() {
        let (whole, _) = written(20, usize::MAX);
        let heading = whole.iter().position(|byte| *byte == b'\n').unwrap();
        for room in (0..whole.len()).step_by(97) {
            let (bytes, end) = written(20, room);
            assert_eq!(bytes.len(), room);
            assert!(
                end.error
                    .is_some_and(|error| error.kind() == io::ErrorKind::StorageFull)
            );
            assert_eq!(bytes, whole[..room]);
            match opened(&bytes, "full") {
                Ok(run) => {
                    assert!(run.is_truncated);
                    let found = run.tests.iter().map(|test| run.outcome(test).unwrap());
                    assert_eq!(found.count(), run.tests.len());
                }
                Err(error) => assert!(
                    error == KeptRunError::Foreign && room <= heading,
                    "{room}: {error}"
                ),
            }
        }
    }
}
