//! What was recorded is played again: the same verdicts, times and ids, whatever the agent did.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use ananke::context::{At, ManualClock};
use ananke::outcome::Outcome;
use ananke::recording::{Mode, Recordings};
use ananke::run::{Options, Run, RunEvent, run};
use ananke::target::{Deed, HttpRequest, Reply, TargetError, Transport};
use futures_util::future::BoxFuture;
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::golden_cases::normalised;
use crate::support::canned::Canned;
use crate::support::project::Project;
use crate::wire::captures::{body, names};

const CONFIG: &str =
    "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }\n";

/// A network that is not there.
struct Nowhere;

impl Transport for Nowhere {
    fn moment(&self, _deed: Deed) -> At {
        panic!("nothing may be sent")
    }

    fn send(&self, _request: HttpRequest, _until: At) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        panic!("nothing may be sent")
    }
}

async fn outcomes(project: &Project, transport: Arc<dyn Transport>, recordings: &Recordings) -> Vec<Outcome> {
    let (sender, mut receiver) = mpsc::channel(1000);
    let mut shared: Run = project.shared(Options::default(), sender);
    shared.context.clock = Arc::new(ManualClock::default());
    shared.transport = transport;
    shared.recordings = Some(recordings.clone());
    run(shared, project.plan().plan.expect("a plan")).await;
    let mut outcomes = Vec::new();
    while let Some(event) = receiver.recv().await {
        if let RunEvent::CaseFinished(outcome) = event {
            outcomes.push(*outcome);
        }
    }
    outcomes
}

fn recordings(folder: &Path, mode: Mode) -> Recordings {
    Recordings { folder: folder.to_path_buf(), shown: "kept".to_owned(), mode, loose: false }
}

#[tokio::test]
async fn every_captured_stream_is_the_same_again() {
    let test =
        "version: \"1.0\"\nname: captured\nturns: [{ user: hi }]\nassert: { tools: { forbid: [x] } }\n";
    for name in names() {
        for chunk in [usize::MAX, 1, 7] {
            let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", test)]);
            let kept = project.folder().join("kept");
            let canned = Arc::new(Canned { bodies: Mutex::new(vec![body(name)]), chunk });
            let live = outcomes(&project, canned, &recordings(&kept, Mode::Record)).await;
            let played = outcomes(&project, Arc::new(Nowhere), &recordings(&kept, Mode::Replay)).await;
            assert_eq!(played, live, "{name} in chunks of {chunk}");
            let again = outcomes(&project, Arc::new(Nowhere), &recordings(&kept, Mode::RecordMissing)).await;
            assert_eq!(again, live, "{name}: what is there is played");
        }
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
        let reports = ["xml", "jsonl"].map(|ending| std::fs::read_to_string(report(ending)).unwrap());
        let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let told: Vec<String> =
            texts.iter().chain(&reports).map(|text| normalised(text, repository)).collect();
        (output.status.code(), told)
    };
    let live = run("--record");
    assert_eq!(live.0, Some(0), "{:#?}", live.1);
    assert_eq!(run("--replay"), live);
}
