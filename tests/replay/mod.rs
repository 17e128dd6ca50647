//! Recordings are replayed: the same verdicts, times and ids, whatever the agent does now.

mod secrets;

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use ananke::agents::{ClientEvent, HttpRequest, Reply, TargetError, Transport};
use ananke::context::{At, ManualClock};
use ananke::outcome::{Outcome, RunEvent, Status};
use ananke::plan::{Selection, plan};
use ananke::recording::{RecordingLimits, RecordingMode, Recordings, RequestMatch};
use ananke::run::{Options, Run, RunAnswers, event_channel, run};
use futures_util::future::BoxFuture;
use regex::Regex;
use serde_json::json;
use tempfile::TempDir;

use crate::support::canned::Canned;
use crate::support::normalise::normalised;
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};
use crate::wire::captures::{body, names};
use secrets::{answering, secretive};

const CONFIG: &str =
    "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }\n";

/// A network that cannot be reached.
pub(crate) struct Nowhere;

impl Transport for Nowhere {
    fn moment(&self, _event: ClientEvent) -> At {
        panic!("nothing may be sent")
    }

    fn send(
        &self,
        _request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        panic!("nothing may be sent")
    }
}

pub(crate) async fn outcomes(
    project: &Project,
    transport: Arc<dyn Transport>,
    recordings: &Recordings,
) -> Vec<Outcome> {
    outcomes_of(project, recordings, &Selection::default(), |shared| {
        shared.context.clock = Arc::new(ManualClock::default());
        shared.transport = transport;
    })
    .await
}

/// The outcomes of what is selected, of agents that need no network.
pub(crate) async fn selected_outcomes(
    project: &Project,
    selection: &Selection,
    recordings: &Recordings,
) -> Vec<Outcome> {
    outcomes_of(project, recordings, selection, |shared| {
        shared.transport = Arc::new(Nowhere);
    })
    .await
}

pub(crate) async fn outcomes_over_http(project: &Project, recordings: &Recordings) -> Vec<Outcome> {
    outcomes_of(project, recordings, &Selection::default(), |_| {}).await
}

async fn outcomes_of(
    project: &Project,
    recordings: &Recordings,
    selection: &Selection,
    change: impl FnOnce(&mut Run),
) -> Vec<Outcome> {
    let (sender, mut receiver) = event_channel(1000);
    let mut shared: Run = project.shared(Options::default(), sender);
    shared.answers = RunAnswers::Recordings(recordings.clone());
    change(&mut shared);
    let planned = plan(&project.context(), selection, &project.redactor);
    run(shared, planned.plan.expect("a plan")).await;
    let mut outcomes = Vec::new();
    while let Some(event) = receiver.recv().await {
        if let RunEvent::CaseFinished(outcome) = &*event {
            outcomes.push((**outcome).clone());
        }
    }
    outcomes
}

pub(crate) fn recordings(folder: &Path, mode: RecordingMode) -> Recordings {
    let (requests, limits) = (RequestMatch::Exact, RecordingLimits::default());
    Recordings {
        folder: folder.to_path_buf(),
        shown: "kept".to_owned(),
        mode,
        requests,
        limits,
    }
}

#[tokio::test]
async fn every_captured_stream_is_the_same_again() {
    let test = "version: \"1.0\"\nname: captured\nturns: [{ user: hi }]\nassert: { tools: { forbid: [x] } }\n";
    for name in names() {
        for chunk in [usize::MAX, 1] {
            let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", test)]);
            let kept = project.folder().join("kept");
            let canned = Arc::new(Canned {
                bodies: Mutex::new(vec![body(name)]),
                chunk,
            });
            let live = outcomes(&project, canned, &recordings(&kept, RecordingMode::Record)).await;
            let played = outcomes(
                &project,
                Arc::new(Nowhere),
                &recordings(&kept, RecordingMode::Replay),
            )
            .await;
            assert_eq!(played, live, "{name} in chunks of {chunk}");
            let again = outcomes(
                &project,
                Arc::new(Nowhere),
                &recordings(&kept, RecordingMode::RecordMissing),
            )
            .await;
            assert_eq!(again, live, "{name}: what is there is played");
        }
    }
}

fn agent(body: &[String]) -> Step {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let frames = body.iter().fold(head.to_owned(), |text, event| {
        text + &format!("data: {event}\n\n")
    });
    Step::Send(frames.into_bytes())
}

fn says(id: &str, delta: &str) -> String {
    json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta}).to_string()
}

/// A run whose text is sent in these pieces.
fn run_of(pieces: &[&str]) -> Vec<String> {
    let event = |kind: &str| json!({"type": kind, "messageId": "m"}).to_string();
    let said = pieces.iter().map(|piece| says("m", piece));
    [
        vec![event("RUN_STARTED"), event("TEXT_MESSAGE_START")],
        said.collect(),
    ]
    .concat()
    .into_iter()
    .chain([event("TEXT_MESSAGE_END"), event("RUN_FINISHED")])
    .collect()
}

/// Every byte of the files below `folder`.
fn bytes(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        all += &if path.is_dir() {
            bytes(&path)
        } else {
            std::fs::read_to_string(path).unwrap()
        };
    }
    all
}

#[tokio::test]
async fn what_did_not_end_well_does_not_end_well_again() {
    let started = || agent(&run_of(&[])[..1]);
    for (name, steps) in [
        ("no answer", vec![Step::Expect, Step::Hold]),
        ("no end", vec![Step::Expect, started(), Step::Hold]),
        (
            "a broken connection",
            vec![Step::Expect, started(), Step::Reset],
        ),
        ("an early end", vec![Step::Expect, started()]),
        (
            "half an event",
            vec![
                Step::Expect,
                Step::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ndata: {".to_vec()),
            ],
        ),
        (
            "no stream",
            vec![
                Step::Expect,
                Step::Send(b"HTTP/1.1 200 OK\r\n\r\n<html>\n\n</html>".to_vec()),
            ],
        ),
        (
            "a refusal",
            vec![
                Step::Expect,
                Step::Send(b"HTTP/1.1 401 No\r\nconnection: close\r\n\r\nno \xff key".to_vec()),
            ],
        ),
        (
            "a redirect",
            vec![
                Step::Expect,
                Step::Send(
                    b"HTTP/1.1 307 No\r\nlocation: /x?key=1\r\nconnection: close\r\n\r\n".to_vec(),
                ),
            ],
        ),
        ("a closed door", vec![Step::Reset]),
    ] {
        let agent = RawAgent::start(vec![steps]).await;
        let project = secretive(&agent.url(), "{ text: { must_not_match: x } }")
            .with_environment("KEY", "s3cr3t/key");
        let kept = project.folder().join("kept");
        let live = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record)).await;
        assert!(live[0].status().fails_the_run(), "{name}: {live:#?}");
        let played = outcomes(
            &project,
            Arc::new(Nowhere),
            &recordings(&kept, RecordingMode::Replay),
        )
        .await;
        // The texts of an outcome contain the output of hooks, which is a marker now.
        let shown = |outcomes: &[Outcome]| {
            let mut outcomes = outcomes.to_vec();
            // A replay asks nobody.
            for outcome in &mut outcomes {
                outcome.transcript.is_unanswered = false;
            }
            format!("{outcomes:#?}").replace("<secret:TOKEN>", "t0ken-of-a-hook")
        };
        assert_eq!(shown(&played), shown(&live), "{name}");
    }
}

#[test]
fn every_example_is_the_same_again() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = TempDir::new().unwrap();
    let run = |flag: &str| {
        let report = |ending: &str| folder.path().join(format!("{}.{ending}", &flag[2..]));
        let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
            .args(["run", "--deny-warnings", flag])
            .arg(folder.path().join("kept"))
            .arg("-o")
            .arg(report("xml"))
            .arg("-o")
            .arg(report("jsonl"))
            .current_dir(repository)
            .output()
            .expect("the program can be started");
        let reports =
            ["xml", "jsonl"].map(|ending| std::fs::read_to_string(report(ending)).unwrap());
        let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let told: Vec<String> = texts
            .iter()
            .chain(&reports)
            .map(|text| normalised(text, repository))
            .collect();
        (output.status.code(), told)
    };
    let live = run("--record");
    assert_eq!(live.0, Some(0), "{:#?}", live.1);
    assert_eq!(run("--replay"), live);
}

#[test]
fn an_agent_that_was_recorded_long_ago_is_the_same() {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/agents");
    let specs = agents.join("specs/pydantic-ai");
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["run", "-v", "--strict-protocol", "--replay"])
        .arg(agents.join("recordings"))
        .arg("--config")
        .arg(specs.join("ananke.config.yaml"))
        .args([specs.join("passing"), specs.join("usage")])
        .output()
        .expect("the program can be started");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    // One of the two tools took 0.3 s when it was recorded.
    let time = Regex::new(r"two tools at once, then one that needs both  (\d+) ms").unwrap();
    let took: u32 = time.captures(&stdout).expect("a time")[1].parse().unwrap();
    assert!(took >= 300, "{stdout}");
}

/// An edited recording can lead to any verdict: its test reports that it was edited.
#[tokio::test]
async fn a_recording_that_was_edited_says_so() {
    let agent = answering(&["the refund was denied"]).await;
    let config = format!(
        "version: \"1.0\"\ntarget: {{ type: agui, endpoint: \"{}\", agentId: a }}\n",
        agent.url()
    );
    let test = "version: \"1.0\"\nname: a\nturns: [{ user: hi }]\nassert: { text: { must_match: granted } }\n";
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
    let kept = project.folder().join("kept");
    let live = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record)).await;
    let replayed = async || {
        outcomes(
            &project,
            Arc::new(Nowhere),
            &recordings(&kept, RecordingMode::Replay),
        )
        .await
        .remove(0)
    };
    let same = replayed().await;
    assert_eq!(
        (live[0].status(), same.status(), same.verdict.warnings.len()),
        (Status::Failed, Status::Failed, 0)
    );
    let file = kept.join("a/a.jsonl");
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, written.replace("denied", "granted")).unwrap();
    let edited = replayed().await;
    assert_eq!(edited.status(), Status::Passed);
    let warning = &edited.verdict.warnings[0];
    assert!(
        warning.ends_with("was changed after it was recorded: its hash does not match"),
        "{warning}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_recording_that_is_too_large_is_neither_written_nor_replayed() {
    let config = "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: hi }] }] }\n";
    let test = "version: \"1.3\"\nname: a\nturns: [{ user: hi }]\n";
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", test)]);
    let kept = project.folder().join("kept");
    let within = async |mode, bytes, lines| {
        let recordings = Recordings {
            limits: RecordingLimits { bytes, lines },
            ..recordings(&kept, mode)
        };
        let outcome = outcomes(&project, Arc::new(Nowhere), &recordings)
            .await
            .remove(0);
        outcome
            .first_problem()
            .map(|(_, problem)| problem.message.clone())
            .unwrap_or_default()
    };
    for (mode, what) in [
        (RecordingMode::Record, "it was not recorded: the recording"),
        (RecordingMode::Replay, "the recording `kept/a/a.jsonl`"),
    ] {
        for (bytes, lines, excess) in [
            (20, 1000, "is larger than 20 bytes"),
            (1 << 20, 1, "has more than 1 lines"),
        ] {
            assert_eq!(within(mode, bytes, lines).await, format!("{what} {excess}"));
            assert_eq!(
                kept.join("a/a.jsonl").exists(),
                mode == RecordingMode::Replay
            );
        }
        assert_eq!(within(RecordingMode::Record, 1 << 20, 1000).await, "");
    }
    assert_eq!(within(RecordingMode::Replay, 1 << 20, 1000).await, "");
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_and_a_file_without_end_are_no_recordings() {
    let test = "version: \"1.0\"\nname: a\nturns: [{ user: hi }]\n";
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", test)]);
    let kept = project.folder().join("kept");
    std::fs::create_dir_all(kept.join("a")).unwrap();
    let file = kept.join("a/a.jsonl");
    let replayed = async || {
        let outcome = outcomes(
            &project,
            Arc::new(Nowhere),
            &recordings(&kept, RecordingMode::Replay),
        )
        .await
        .remove(0);
        outcome
            .first_problem()
            .map(|(_, problem)| problem.message.clone())
            .unwrap_or_default()
    };
    assert!(
        Command::new("mkfifo")
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    let message = replayed().await;
    assert!(message.ends_with("is not a file"), "{message}");
    std::fs::remove_file(&file).unwrap();
    // A sparse file takes no space on the disk.
    std::fs::File::create(&file)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let message = replayed().await;
    assert!(message.ends_with("is larger than 256 MiB"), "{message}");
}
