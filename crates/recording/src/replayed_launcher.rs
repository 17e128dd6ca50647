//! Replays programs that are spoken to in lines: no program is started.

use std::collections::VecDeque;
use std::future::ready;

use futures_util::future::BoxFuture;

use super::exchange::{ProgramLine, ProgramRun, ProgramRunEnd};
use super::replay::ReplayedLane;
use ananke_agents::pipe::{Pipe, PipeLauncher, PipeNext, PipeProgram};
use ananke_agents::{Received, TargetError};
use ananke_base::context::At;

impl PipeLauncher for ReplayedLane {
    fn start(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError> {
        let Self {
            replay,
            lane,
            helper,
        } = self;
        let run = replay.program(lane, helper.as_deref(), &program.command.argv);
        let run = run.map_err(|problem| replay.refuse(problem))?;
        let ProgramRun {
            lines,
            end,
            stderr,
            note,
            closed,
            ..
        } = run;
        if let ProgramRunEnd::Failed(message, help) = end {
            return Err(TargetError {
                message,
                received: Received::default(),
                help,
            });
        }
        let (stderr, closed) = (stderr.unwrap_or_default(), replay.at(closed));
        Ok(Box::new(ReplayedPipe {
            lines: lines.into(),
            end,
            stderr,
            note,
            is_shared: program.sharing.is_some(),
            closed,
            is_cut_short: false,
            of: self.clone(),
        }))
    }
}

/// A program that ran when the recording was made.
struct ReplayedPipe {
    lines: VecDeque<ProgramLine>,
    end: ProgramRunEnd,
    stderr: String,
    note: Option<String>,
    is_shared: bool,
    closed: At,
    /// Whether it is closed before it got every line that it got then: how it would end is not known.
    is_cut_short: bool,
    /// The lane of the program.
    of: ReplayedLane,
}

impl ReplayedPipe {
    fn take(&mut self, until: At) -> PipeNext {
        match self.lines.front() {
            Some(ProgramLine::Received(at, line)) if self.of.replay.at(*at) <= until => {
                let next = PipeNext::Line(self.of.replay.at(*at), line.to_vec());
                self.lines.pop_front();
                return next;
            }
            Some(ProgramLine::Received(..)) => return PipeNext::Late,
            Some(ProgramLine::Sent { .. }) if self.is_cut_short => {
                return PipeNext::End(self.closed, None);
            }
            Some(ProgramLine::Sent { at, .. }) => {
                // Longer than the client waited then: the program was sent something meanwhile.
                if self.of.replay.at(*at) <= until {
                    self.of
                        .replay
                        .refuse(self.of.replay.not_sent(self.of.helper.as_deref()));
                }
                return PipeNext::Late;
            }
            // If its output had ended by then, nothing followed.
            Some(ProgramLine::Closed(at)) if !self.ends_by(*at) => {
                self.of
                    .replay
                    .wait_until(until, Some(self.of.replay.at(*at)));
                return PipeNext::Late;
            }
            Some(ProgramLine::Closed(_)) | None => {}
        }
        match self.end {
            ProgramRunEnd::Complete(at, status) if self.of.replay.at(at) <= until => {
                PipeNext::End(self.of.replay.at(at), status)
            }
            ProgramRunEnd::TooLarge(at) if self.of.replay.at(at) <= until => {
                PipeNext::TooLarge(self.of.replay.at(at))
            }
            ProgramRunEnd::Complete(..) | ProgramRunEnd::TooLarge(_) => PipeNext::Late,
            ProgramRunEnd::Left | ProgramRunEnd::Failed(..) => {
                self.of.replay.wait_until(until, Some(self.closed));
                PipeNext::Late
            }
        }
    }

    /// Whether its output ended by then.
    fn ends_by(&self, moment: u64) -> bool {
        match self.end {
            ProgramRunEnd::Complete(at, _) | ProgramRunEnd::TooLarge(at) => at <= moment,
            ProgramRunEnd::Left | ProgramRunEnd::Failed(..) => false,
        }
    }

    /// Takes the first line for which there is a `value`.
    fn take_first<T>(&mut self, value: impl Fn(&ProgramLine) -> Option<T>) -> Option<T> {
        let index = self.lines.iter().position(|line| value(line).is_some())?;
        self.lines.remove(index).as_ref().and_then(value)
    }
}

impl Pipe for ReplayedPipe {
    fn send(&mut self, line: &[u8]) -> Result<At, TargetError> {
        let found = self.take_first(|line| match line {
            ProgramLine::Sent { turn, line, at } => Some((*turn, line.clone(), *at)),
            ProgramLine::Received(..) | ProgramLine::Closed(_) => None,
        });
        let then = found.as_ref().map(|(turn, line, _)| (*turn, line.as_str()));
        let checked = self.of.replay.check_line(
            &self.of.lane,
            self.of.helper.as_deref(),
            then,
            &String::from_utf8_lossy(line),
        );
        checked.map_err(|problem| self.of.replay.refuse(problem))?;
        Ok(found.map_or(self.closed, |(_, _, at)| self.of.replay.at(at)))
    }

    fn close(&mut self) -> At {
        let is_sent = |line: &ProgramLine| matches!(line, ProgramLine::Sent { .. });
        self.is_cut_short = self.lines.iter().any(is_sent);
        let closed = self.take_first(|line| match line {
            ProgramLine::Closed(at) => Some(*at),
            ProgramLine::Sent { .. } | ProgramLine::Received(..) => None,
        });
        closed.map_or(self.closed, |at| self.of.replay.at(at))
    }

    fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext> {
        let next = self.take(until);
        Box::pin(ready(next))
    }

    fn last_stderr(&self) -> String {
        self.stderr.clone()
    }

    fn is_shared(&self) -> bool {
        self.is_shared
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }

    fn end(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(ready(()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use crate::{AttemptEnvironment, RecordingLimits, RecordingMode, Recordings, RequestMatch};
    use ananke_agents::Transport;
    use ananke_agents::http::HttpTransport;
    use ananke_agents::pipe::{PipeNext, PipeProgram};
    use ananke_base::context::{CaseKey, Context};
    use ananke_model::variables::Secret;
    use ananke_trace::process::CompiledCommand;
    use ananke_trace::redact::Redactor;
    use std::sync::Arc;

    const SCRIPT: &str =
        "echo why >&2; echo ready; while read line; do echo \"got $line\"; done; exit 3";

    /// An outside world that records into `folder`, or replays from it.
    fn environment(
        folder: &std::path::Path,
        mode: RecordingMode,
        requests: RequestMatch,
    ) -> AttemptEnvironment {
        let mut context = Context::isolated("/");
        context.clock = Arc::new(ananke_base::context::SystemClock::start());
        let transport: Arc<dyn Transport> =
            Arc::new(HttpTransport::new(Arc::clone(&context.clock)));
        let live = AttemptEnvironment::live(&context, &transport, &Redactor::default());
        let recordings = Recordings {
            folder: folder.to_owned(),
            shown: "recordings".to_owned(),
            mode,
            requests,
            limits: RecordingLimits::default(),
        };
        let environment = live
            .with_recordings(&recordings, &CaseKey::first("a"))
            .expect("a recording");
        let secret = Secret {
            name: "KEY".to_owned(),
            value: "s3cr3t-key".to_owned(),
            is_written: false,
        };
        environment.add_secrets(&[secret]);
        // A judge has another, which does not replace it.
        environment.add_secrets(&[Secret {
            name: "JUDGE".to_owned(),
            value: "0th3r-key".to_owned(),
            is_written: false,
        }]);
        environment.begin_turn(1);
        environment
    }

    /// The result of a conversation in which a program gets these lines, one per turn.
    async fn conversation(
        environment: &AttemptEnvironment,
        script: &str,
        lines: &[&str],
    ) -> Vec<String> {
        let argv = ["/bin/sh", "-c", script].map(str::to_owned).into();
        let program = PipeProgram {
            command: CompiledCommand {
                argv,
                environment: Vec::new(),
                cwd: None,
            },
            home: "/".into(),
            max_line_bytes: 100,
            sharing: None,
        };
        let mut pipe = match environment.programs.start(&program) {
            Ok(pipe) => pipe,
            Err(error) => return vec![error.message],
        };
        let until = environment
            .context
            .clock
            .now()
            .plus(Duration::from_secs(30));
        let PipeNext::Line(first, ready) = pipe.next(until).await else {
            panic!("it prints a line")
        };
        let mut found = vec![String::from_utf8_lossy(&ready).into_owned()];
        for (line, turn) in lines.iter().zip(1..) {
            environment.begin_turn(turn);
            match pipe.send(line.as_bytes()) {
                Ok(at) => found.push(format!("sent after {:?}", at.since(first))),
                Err(error) => return [found, vec![error.message]].concat(),
            }
            let next = pipe.next(until).await;
            if let PipeNext::Line(at, line) = &next {
                found.push(format!(
                    "{:?}: {}",
                    at.since(first),
                    String::from_utf8_lossy(line)
                ));
            }
        }
        let closed = pipe.close();
        found.push(format!("closed after {:?}", closed.since(first)));
        match pipe.next(closed.plus(Duration::from_secs(30))).await {
            PipeNext::End(at, status) => found.push(format!("{:?}: {status:?}", at.since(first))),
            next => found.push(format!("{next:?}")),
        }
        found.push(pipe.last_stderr());
        pipe.end().await;
        found
    }

    #[tokio::test]
    async fn a_program_is_recorded_and_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let record = environment(folder.path(), RecordingMode::Record, RequestMatch::Exact);
        let said = ["one s3cr3t-key", "two"];
        let live = conversation(&record, SCRIPT, &said).await;
        assert!(live[2].ends_with(": got one s3cr3t-key"), "{live:?}");
        assert!(
            live[live.len() - 2].ends_with(": Some(Exit(3))"),
            "{live:?}"
        );
        assert_eq!(live.last().unwrap(), "why");
        record.keep(record.ended_unix_ms()).expect("a folder");
        let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
        assert!(
            !text.contains("s3cr3t-key") && text.contains("got one <secret:KEY>"),
            "{text}"
        );

        let replay = environment(folder.path(), RecordingMode::Replay, RequestMatch::Exact);
        let replayed = conversation(&replay, SCRIPT, &said).await;
        let live: Vec<String> = live
            .iter()
            .map(|text| text.replace("s3cr3t-key", "<secret:KEY>"))
            .collect();
        assert_eq!(replayed, live, "the same lines at the same moments");
        assert_eq!(replay.error(), None);
        assert!(replay.warnings(|| true).is_empty());
    }

    #[tokio::test]
    async fn another_line_or_argument_is_stale() {
        let folder = tempfile::tempdir().unwrap();
        let record = environment(folder.path(), RecordingMode::Record, RequestMatch::Exact);
        conversation(&record, SCRIPT, &["one"]).await;
        record.keep(record.ended_unix_ms()).expect("a folder");
        for (script, lines, wrong) in [
            (
                SCRIPT,
                &["uno"][..],
                "another line to the program in turn 1: recorded `one`, now `uno`",
            ),
            (
                SCRIPT,
                &["one", "two"],
                "holds no further line to the program in turn 2",
            ),
            (
                "true",
                &["one"],
                "a program with other arguments in turn 1: `[1]`: recorded",
            ),
        ] {
            let replay = environment(folder.path(), RecordingMode::Replay, RequestMatch::Exact);
            let found = conversation(&replay, script, lines).await;
            assert!(found.last().unwrap().contains(wrong), "{found:?}");
            assert!(replay.error().unwrap().message.contains(wrong));
        }
        let loose = environment(folder.path(), RecordingMode::Replay, RequestMatch::Loose);
        conversation(&loose, "true", &["uno"]).await;
        assert_eq!(loose.error(), None);
        let replay = environment(folder.path(), RecordingMode::Replay, RequestMatch::Exact);
        let unused = replay.warnings(|| true).pop();
        assert!(unused.unwrap().contains("1 request"));
    }
}
