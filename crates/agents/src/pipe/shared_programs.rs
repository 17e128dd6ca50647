//! The programs that tests share, and one that a test has for a while.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};

use super::sharing::{LineArrival, LineDelivery, ProgramSharing, SharedConversations};
use super::{Pipe, PipeNext, PipeProgram};
use crate::error::TargetError;
use ananke_base::context::{At, Clock, lock};
use ananke_trace::process::stderr_ends;

/// The most programs that wait for another test.
const MOST_WAITING: usize = 16;

/// The most lines that a test gets after it has left a program.
const MOST_AFTER: usize = 50;

/// The programs that wait for another test. They end when this is dropped.
#[derive(Default)]
pub struct SharedPrograms(Mutex<VecDeque<WaitingProgram>>);

/// A program that no test has.
struct WaitingProgram {
    key: String,
    pipe: Box<dyn Pipe>,
    conversations: Box<dyn SharedConversations>,
}

impl SharedPrograms {
    /// A program for one test: one that an earlier test has left and that waits, or else one that `start` starts. It waits for
    /// another test again when the returned pipe ends.
    ///
    /// # Errors
    /// If `start` returns one.
    pub(super) fn take(
        self: &Arc<Self>,
        program: &PipeProgram,
        sharing: &ProgramSharing,
        clock: &Arc<dyn Clock>,
        start: impl FnOnce() -> Result<Box<dyn Pipe>, TargetError>,
    ) -> Result<Box<dyn Pipe>, TargetError> {
        // Tests share a program if it is the same command, and if their protocol lets their conversations follow each other.
        let key = format!("{} {}", program.address(), sharing.key);
        let mut note = None;
        let mut waiting = self.waiting(&key);
        // A program that has ended while it waited is replaced. The test gets a note about it, since an earlier test may be the
        // reason.
        if let Some(ended) = &waiting
            && let Some(how) = ended.pipe.end_in_words()
        {
            let stderr = stderr_ends(&ended.pipe.last_stderr());
            note = Some(format!(
                "the process that tests share {how} before this test, which has a new one{stderr}"
            ));
            waiting = None;
        }
        let mut program = match waiting {
            Some(waiting) => waiting,
            None => WaitingProgram {
                key,
                pipe: start()?,
                conversations: (sharing.conversations)(),
            },
        };
        // The program does not notice that another test has it. From here on, its output is assigned to the new conversation,
        // unless it belongs to an earlier one.
        program.conversations.begin();
        // Text on stderr from before belongs to earlier tests.
        program.pipe.start_turn();
        Ok(Box::new(SharedPipe {
            program: Some(program),
            note,
            programs: Arc::clone(self),
            clock: Arc::clone(clock),
            since: clock.now(),
            answers: VecDeque::new(),
            is_left: false,
            after: 0,
            is_broken: false,
        }))
    }

    fn waiting(&self, key: &str) -> Option<WaitingProgram> {
        let mut waiting = lock(&self.0);
        let index = waiting.iter().position(|waiting| waiting.key == key)?;
        waiting.remove(index)
    }

    /// Has a program wait for another test; of too many, the one that has waited longest ends.
    fn put(&self, program: WaitingProgram) {
        let mut waiting = lock(&self.0);
        waiting.push_back(program);
        if waiting.len() > MOST_WAITING {
            waiting.pop_front();
        }
    }

    /// Ends all programs that wait, in three steps: closes their stdin, sends a signal to those that still run after `grace`, and
    /// kills those that still run `after_signal` later.
    pub async fn end(&self, clock: &dyn Clock, grace: Duration, after_signal: Duration) {
        // The programs are taken out, because the lock must not be held while they end.
        let waiting = std::mem::take(&mut *lock(&self.0));
        // All programs end at the same time, so that many that ignore the end of their stdin take no longer than one.
        let endings = waiting.into_iter().map(|program| async move {
            let mut pipe = program.pipe;
            let closed_at = pipe.close();
            if !ends_by(&mut *pipe, closed_at.plus(grace)).await {
                pipe.terminate();
                ends_by(&mut *pipe, clock.now().plus(after_signal)).await;
            }
            // A program that still runs is killed here; one that has ended is not affected.
            pipe.end().await;
        });
        join_all(endings).await;
    }
}

/// Whether a program ends until then; what it prints meanwhile belongs to no test.
async fn ends_by(pipe: &mut dyn Pipe, until: At) -> bool {
    loop {
        match pipe.next(until).await {
            PipeNext::Line(..) => {}
            PipeNext::Late => return false,
            PipeNext::TooLarge(_) | PipeNext::End(..) => return true,
        }
    }
}

/// A program while one test has it.
struct SharedPipe {
    /// The program; `None` when it is given back.
    program: Option<WaitingProgram>,
    note: Option<String>,
    programs: Arc<SharedPrograms>,
    clock: Arc<dyn Clock>,
    /// The moment from which on the test has it.
    since: At,
    /// The lines that the client gets without asking the program.
    answers: VecDeque<Vec<u8>>,
    /// Whether the test is over, and the program goes on to run.
    is_left: bool,
    /// The number of lines that came after that.
    after: usize,
    /// Whether nothing more can be read of it.
    is_broken: bool,
}

impl SharedPipe {
    /// Another test can have the program.
    fn is_free(&self) -> bool {
        let Some(program) = &self.program else {
            return false;
        };
        !self.is_broken && program.conversations.is_free() && program.pipe.end_in_words().is_none()
    }

    /// The next line of this test's conversation, or the end of the program. Waits for it until the moment `until`. The program
    /// may also print lines of earlier conversations, which are skipped.
    async fn read(&mut self, until: At) -> PipeNext {
        // A program that was given back has ended, as far as this test is concerned.
        let Some(program) = &mut self.program else {
            return PipeNext::End(self.clock.now(), None);
        };
        loop {
            let next = program.pipe.next(until).await;
            let (at, line) = match next {
                PipeNext::Line(at, line) => (at, line),
                // Nothing can be read after either, so no other test gets the program.
                PipeNext::TooLarge(_) | PipeNext::End(..) => {
                    self.is_broken = true;
                    return next;
                }
                PipeNext::Late => return next,
            };
            let arrival = if at < self.since {
                LineArrival::Before
            } else {
                LineArrival::During
            };
            // The protocol decides whether the line is of this conversation, and returns it then as this client expects it. Such
            // a line may have come before the test had the program. Its moment is raised to that of the test, since no event can
            // be older than its test.
            if let Some(line) = program.conversations.receive(line, arrival) {
                return PipeNext::Line(at.max(self.since), line);
            }
            // A cancellation is noticed only when this task yields, and lines that are there already do not make it wait.
            tokio::task::yield_now().await;
        }
    }
}

impl Pipe for SharedPipe {
    fn send(&mut self, line: &[u8]) -> Result<At, TargetError> {
        if let Some(program) = &mut self.program {
            match program.conversations.send(line) {
                LineDelivery::Passed(line) => return program.pipe.send(&line),
                LineDelivery::Answered(answer) => self.answers.push_back(answer),
                LineDelivery::Dropped => {}
            }
        }
        Ok(self.clock.now())
    }

    /// The test is over: a program that works on nothing goes on to run.
    fn close(&mut self) -> At {
        self.is_left = self.is_free();
        match &mut self.program {
            Some(program) if !self.is_left => program.pipe.close(),
            _ => self.clock.now(),
        }
    }

    /// The next output of the program, as if the test had a program of its own.
    fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext> {
        Box::pin(async move {
            // Requests that the program has answered to an earlier test are not sent again: their answers wait here.
            if let Some(answer) = self.answers.pop_front() {
                return PipeNext::Line(self.clock.now(), answer);
            }
            if !self.is_left {
                return self.read(until).await;
            }
            // The test has closed the pipe, and reads what is left until the program ends. A shared program goes on to run. So
            // the lines that are there are returned, then an end, and after `MOST_AFTER` lines the end in any case: the program
            // may print for ever.
            let now = self.clock.now();
            self.after += 1;
            match self.read(now).await {
                PipeNext::Line(..) if self.after > MOST_AFTER => PipeNext::End(now, None),
                PipeNext::Late => PipeNext::End(now, None),
                next => next,
            }
        })
    }

    fn start_turn(&mut self) {
        if let Some(program) = &mut self.program {
            program.pipe.start_turn();
        }
    }

    fn catch_up(&mut self) -> BoxFuture<'_, ()> {
        match &mut self.program {
            Some(program) => program.pipe.catch_up(),
            None => Box::pin(std::future::ready(())),
        }
    }

    fn last_stderr(&self) -> String {
        match &self.program {
            Some(program) => program.pipe.last_stderr(),
            None => String::new(),
        }
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }

    fn terminate(&mut self) {
        if let Some(program) = &mut self.program {
            program.pipe.terminate();
        }
    }

    fn end(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let waits = self.is_left && self.is_free();
            match self.program.take() {
                Some(program) if waits => self.programs.put(program),
                Some(mut program) => program.pipe.end().await,
                None => {}
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use ananke_base::context::SystemClock;
    use ananke_trace::process::{CompiledCommand, ExitStatus};

    /// A program that repeats what it gets, but for `work`, and ends after `crash`; its number is its stderr.
    struct EchoPipe {
        lines: VecDeque<Vec<u8>>,
        has_ended: bool,
        is_closed: bool,
        number: usize,
    }

    impl Pipe for EchoPipe {
        fn send(&mut self, line: &[u8]) -> Result<At, TargetError> {
            match line {
                b"crash" => self.has_ended = true,
                b"work" => {}
                line => self.lines.push_back(line.to_vec()),
            }
            Ok(At(u64::MAX))
        }

        fn close(&mut self) -> At {
            self.is_closed = true;
            At(0)
        }

        fn next(&mut self, _: At) -> BoxFuture<'_, PipeNext> {
            let next = match self.lines.pop_front() {
                Some(line) => PipeNext::Line(At(u64::MAX), line),
                None if self.has_ended || self.is_closed => {
                    PipeNext::End(At(0), Some(ExitStatus::Exit(3)))
                }
                None => PipeNext::Late,
            };
            Box::pin(ready(next))
        }

        fn last_stderr(&self) -> String {
            self.number.to_string()
        }

        fn end_in_words(&self) -> Option<String> {
            self.has_ended.then(|| "ended with exit code 3".to_owned())
        }

        fn end(&mut self) -> BoxFuture<'_, ()> {
            Box::pin(ready(()))
        }
    }

    /// Answers `hello` itself from the second conversation on; `work` is never done.
    #[derive(Default)]
    struct Greetings {
        conversations: usize,
        works: bool,
    }

    impl SharedConversations for Greetings {
        fn begin(&mut self) {
            self.conversations += 1;
        }

        fn send(&mut self, line: &[u8]) -> LineDelivery {
            self.works |= line == b"work";
            match line {
                b"hello" if self.conversations > 1 => {
                    LineDelivery::Answered(b"hello again".to_vec())
                }
                b"ready" if self.conversations > 1 => LineDelivery::Dropped,
                line => LineDelivery::Passed(line.to_vec()),
            }
        }

        fn receive(&mut self, line: Vec<u8>, arrival: LineArrival) -> Option<Vec<u8>> {
            (arrival == LineArrival::During).then_some(line)
        }

        fn is_free(&self) -> bool {
            !self.works
        }
    }

    struct Tests {
        programs: Arc<SharedPrograms>,
        clock: Arc<dyn Clock>,
        started: AtomicUsize,
    }

    impl Tests {
        fn new() -> Self {
            Self {
                programs: Arc::default(),
                clock: Arc::new(SystemClock::start()),
                started: AtomicUsize::new(0),
            }
        }

        fn take(&self, key: &str) -> Box<dyn Pipe> {
            let program = PipeProgram {
                command: CompiledCommand {
                    argv: ["echo".to_owned()].into(),
                    environment: Vec::new(),
                    cwd: None,
                },
                home: Path::new("/").to_owned(),
                max_line_bytes: 100,
                sharing: None,
            };
            let sharing = ProgramSharing {
                key: key.to_owned(),
                conversations: || Box::<Greetings>::default(),
            };
            let start = || -> Result<Box<dyn Pipe>, TargetError> {
                Ok(Box::new(EchoPipe {
                    lines: VecDeque::new(),
                    has_ended: false,
                    is_closed: false,
                    number: self.started.fetch_add(1, Ordering::Relaxed),
                }))
            };
            let taken = self.programs.take(&program, &sharing, &self.clock, start);
            taken.expect("it starts")
        }

        /// The result of a test that sends these lines: the number of its program, its note, and what it got.
        async fn run(&self, lines: &[&str]) -> Vec<String> {
            let mut pipe = self.take("a");
            assert!(pipe.is_shared());
            let mut got = vec![pipe.last_stderr()];
            got.extend(pipe.note());
            for line in lines {
                pipe.send(line.as_bytes()).expect("it takes every line");
                got.push(shown(pipe.next(self.clock.now()).await));
            }
            pipe.close();
            got.push(shown(pipe.next(self.clock.now()).await));
            pipe.end().await;
            got
        }
    }

    fn shown(next: PipeNext) -> String {
        match next {
            PipeNext::Line(_, line) => String::from_utf8_lossy(&line).into_owned(),
            PipeNext::End(_, Some(status)) => status.to_string(),
            PipeNext::End(_, None) => "left".to_owned(),
            next => format!("{next:?}"),
        }
    }

    #[tokio::test]
    async fn one_test_after_the_other_has_a_program() {
        let tests = Tests::new();
        assert_eq!(
            tests.run(&["hello", "one"]).await,
            ["0", "hello", "one", "left"]
        );
        assert_eq!(
            tests.run(&["hello", "ready", "two"]).await,
            ["0", "hello again", "Late", "two", "left"]
        );
        // At the same time, or with another key, there is another one.
        let _taken = tests.take("a");
        assert_eq!(tests.run(&["one"]).await, ["1", "one", "left"]);
        assert_eq!(tests.take("b").last_stderr(), "2");
    }

    #[tokio::test]
    async fn a_program_that_ended_or_still_works_is_no_other_tests() {
        let tests = Tests::new();
        let ended = ExitStatus::Exit(3).to_string();
        assert_eq!(tests.run(&["crash"]).await, ["0", &ended, &ended]);
        assert_eq!(tests.run(&["work"]).await, ["1", "Late", &ended]);
        assert_eq!(tests.run(&["one"]).await, ["2", "one", "left"]);
        // A test that did not close its program does not leave it to others.
        let mut dropped = tests.take("a");
        dropped.end().await;
        assert_eq!(tests.run(&["one"]).await, ["3", "one", "left"]);
        let now = Duration::ZERO;
        tests.programs.end(&*tests.clock, now, now).await;
        assert_eq!(tests.run(&[]).await, ["4", "left"]);
    }

    #[tokio::test]
    async fn a_program_that_ended_while_no_test_had_it_is_noted() {
        let tests = Tests::new();
        tests.run(&["one"]).await;
        let crash = lock(&tests.programs.0)[0].pipe.send(b"crash");
        crash.expect("it takes every line");
        let note = "the process that tests share ended with exit code 3 before this test, which has a new one\nits stderr ends:\n  0";
        let second = tests.run(&["one"]).await;
        assert_eq!(second, ["1", note, "one", "left"]);
    }

    #[tokio::test]
    async fn a_program_that_prints_much_is_left_all_the_same() {
        let tests = Tests::new();
        let mut pipe = tests.take("a");
        for _ in 0..1000 {
            pipe.send(b"noise").expect("it takes every line");
        }
        pipe.close();
        let mut lines = 0;
        while let PipeNext::Line(..) = pipe.next(tests.clock.now()).await {
            lines += 1;
        }
        pipe.end().await;
        assert_eq!(lines, MOST_AFTER);
        assert_eq!(tests.take("a").last_stderr(), "0", "it waits for another");
    }

    #[tokio::test]
    async fn of_too_many_that_wait_the_oldest_ends() {
        let tests = Tests::new();
        for number in 0..=MOST_WAITING {
            let mut pipe = tests.take(&number.to_string());
            pipe.close();
            pipe.end().await;
        }
        let keys: Vec<char> = lock(&tests.programs.0)
            .iter()
            .filter_map(|waiting| waiting.key.chars().last())
            .collect();
        assert_eq!((keys.len(), keys[0]), (MOST_WAITING, '1'));
    }
}
