//! Records programs that are spoken to in lines, while a protocol speaks to them.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::exchange::{ProgramLine, ProgramRunEnd};
use super::recorder::Recorder;
use ananke_agents::TargetError;
use ananke_agents::pipe::{Pipe, PipeLauncher, PipeNext, PipeProgram};
use ananke_base::context::At;
use ananke_base::message::Lane;

/// Starts the programs of one lane, and records them.
pub(super) struct RecordedLauncher {
    pub(super) recorder: Recorder,
    pub(super) lane: Lane,
    pub(super) launcher: Arc<dyn PipeLauncher>,
}

impl PipeLauncher for RecordedLauncher {
    fn start(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError> {
        let recorder = self.recorder.clone();
        let index = recorder.add_program(&self.lane, &program.command.argv);
        match self.launcher.start(program) {
            Ok(pipe) => Ok(Box::new(RecordedPipe {
                pipe,
                recorder,
                index,
            })),
            Err(error) => {
                let end = ProgramRunEnd::Failed(error.message.clone(), error.help.clone());
                recorder.change_program(index, |run| run.end = end);
                Err(error)
            }
        }
    }
}

/// A running program that is recorded.
struct RecordedPipe {
    pipe: Box<dyn Pipe>,
    recorder: Recorder,
    index: usize,
}

impl Pipe for RecordedPipe {
    fn send(&mut self, line: &[u8]) -> Result<At, TargetError> {
        let sent = self.pipe.send(line)?;
        let (turn, at) = (self.recorder.turn(), self.recorder.since(sent));
        let line = String::from_utf8_lossy(line).into_owned();
        self.recorder.change_program(self.index, |run| {
            run.lines.push(ProgramLine::Sent { turn, line, at });
        });
        Ok(sent)
    }

    fn close(&mut self) -> At {
        let closed = self.pipe.close();
        let at = self.recorder.since(closed);
        self.recorder
            .change_program(self.index, |run| run.lines.push(ProgramLine::Closed(at)));
        closed
    }

    fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext> {
        Box::pin(async move {
            let next = self.pipe.next(until).await;
            let since = |at: &At| self.recorder.since(*at);
            self.recorder.change_program(self.index, |run| {
                run.closed = run.closed.max(match &next {
                    PipeNext::Line(at, _) | PipeNext::TooLarge(at) | PipeNext::End(at, _) => {
                        since(at)
                    }
                    PipeNext::Late => since(&until),
                });
                match &next {
                    PipeNext::Line(at, line) => {
                        run.lines.push(ProgramLine::Received(
                            since(at),
                            Bytes::copy_from_slice(line),
                        ));
                    }
                    PipeNext::TooLarge(at) => run.end = ProgramRunEnd::TooLarge(since(at)),
                    PipeNext::End(at, status) if run.end == ProgramRunEnd::Left => {
                        run.end = ProgramRunEnd::Complete(since(at), *status);
                    }
                    PipeNext::End(..) | PipeNext::Late => {}
                }
            });
            next
        })
    }

    fn start_turn(&mut self) {
        self.pipe.start_turn();
    }

    fn catch_up(&mut self) -> BoxFuture<'_, ()> {
        self.pipe.catch_up()
    }

    fn last_stderr(&self) -> String {
        let text = self.pipe.last_stderr();
        self.recorder
            .change_program(self.index, |run| run.stderr = Some(text.clone()));
        text
    }

    fn is_shared(&self) -> bool {
        self.pipe.is_shared()
    }

    fn note(&mut self) -> Option<String> {
        let note = self.pipe.note()?;
        self.recorder
            .change_program(self.index, |run| run.note = Some(note.clone()));
        Some(note)
    }

    fn terminate(&mut self) {
        self.pipe.terminate();
    }

    fn end(&mut self) -> BoxFuture<'_, ()> {
        self.pipe.end()
    }
}

/// Keeps the stderr of the program although the client did not read it.
impl Drop for RecordedPipe {
    fn drop(&mut self) {
        let text = self.pipe.last_stderr();
        self.recorder
            .change_program(self.index, |run| _ = run.stderr.get_or_insert(text));
    }
}
