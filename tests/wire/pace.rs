//! The limits of targets: every request counts, all tests of a run share them, and waiting counts as nobody's time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::agents::{Limits, Pacer};
use ananke::context::At;
use ananke::outcome::{RunEvent, Status};
use ananke::run::{Options, event_channel, run};
use ananke::settings::RunSettings;
use futures_util::future::BoxFuture;
use tokio::time::Instant;

use crate::support::agui::{session, settings};
use crate::support::canned::{Canned, limits, user};
use crate::support::project::Project;
use crate::support::summary::Summary;

/// Counts requests; each has waited for a second.
#[derive(Debug, Default)]
struct CountingPacer(AtomicUsize);

impl Pacer for CountingPacer {
    fn request(&self) -> BoxFuture<'_, ()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(()))
    }

    fn waited(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst) as u64)
    }
}

#[tokio::test]
async fn every_request_is_counted_and_what_it_waits_is_added_to_the_deadline() {
    let body =
        b"data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"RUN_FINISHED\"}\n\n".to_vec();
    let transport = Canned {
        bodies: Mutex::new(vec![body; 2]),
        chunk: usize::MAX,
    };
    let mut session = session(settings("http://127.0.0.1:1/"), Arc::new(transport), 1).await;
    let pacer = Arc::new(CountingPacer::default());
    let deadline = Some(At::default().plus(Duration::from_secs(5)));
    let limits = Limits {
        deadline,
        pacer: Some(Arc::clone(&pacer) as Arc<dyn Pacer>),
        ..limits()
    };
    assert_eq!(limits.latest(), deadline);
    for turn in 1..=2 {
        session
            .exchange(user(turn, "hi"), &limits, &mut Summary::default())
            .await
            .expect("a response");
    }
    assert_eq!(pacer.0.load(Ordering::SeqCst), 2);
    assert_eq!(
        limits.latest(),
        Some(At::default().plus(Duration::from_secs(7)))
    );
}

#[cfg(unix)]
const AGENT: &str = r#"
echo start >> log
while IFS= read -r line; do
  echo '{"type":"RUN_STARTED","threadId":"t","runId":"r"}'
  echo '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
done
echo end >> log
"#;

/// Runs tests of an agent with these limits four at once, of two targets, and returns what the agents logged.
#[cfg(unix)]
async fn logged(limits: &str) -> String {
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: command, cmd: [/bin/sh, agent.sh], {limits} }}\n\
         targets: {{ other: {{ extends: default, agentId: other }} }}\n"
    );
    let tests: Vec<String> = ["default", "other", "default", "other"]
        .iter()
        .enumerate()
        .map(|(index, target)| {
            format!("  - {{ name: t{index}, target: {target}, turns: [{{ user: a }}, {{ user: b }}] }}\n")
        })
        .collect();
    let test = format!("version: \"1.3\"\ntests:\n{}", tests.concat());
    let files = [
        ("ananke.config.yaml", config.as_str()),
        ("a.test.yaml", &test),
        ("agent.sh", AGENT),
    ];
    let project = Project::new(&files);
    let (sender, mut receiver) = event_channel(1000);
    let options = Options::from(RunSettings {
        parallel: 4,
        ..RunSettings::default()
    });
    let plan = project.plan().plan.expect("a plan");
    let running = tokio::spawn(run(project.shared(options, sender), plan));
    while let Some(event) = receiver.recv().await {
        if let RunEvent::CaseFinished(outcome) = &*event {
            assert_eq!(
                outcome.status(),
                Status::Passed,
                "{:?}",
                outcome.first_problem()
            );
        }
    }
    running.await.expect("a run never panics");
    std::fs::read_to_string(project.folder().join("log")).expect("the agents ran")
}

#[cfg(unix)]
#[tokio::test]
async fn no_more_tests_talk_to_an_agent_than_may() {
    assert_eq!(logged("concurrency: 1").await, "start\nend\n".repeat(4));
}

#[cfg(unix)]
#[tokio::test]
async fn tests_share_the_rate_of_the_target_that_theirs_extends() {
    let started = Instant::now();
    // Eight requests: the ninth would be the first to wait a third time.
    logged("rate_limit: { requests: 3, per_ms: 300 }").await;
    assert!(
        started.elapsed() >= Duration::from_millis(600),
        "{:?}",
        started.elapsed()
    );
}
