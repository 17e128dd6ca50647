//! The course of a run: tests in parallel, stopping, timeouts of whole tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ananke::agents::{
    Chunks, ClientEvent, HttpRequest, Next, Reply, ResponseHead, TargetError, Transport,
};
use ananke::context::{At, Clock};
use ananke::outcome::{Outcome, RunEvent, Status, Totals};
use ananke::plan::{KEPT_TEXT, Selection, plan};
use ananke::run::{EventReceiver, Options, Reason, Run, Stopper, event_channel, run};
use ananke::settings::RunSettings;
use futures_util::future::BoxFuture;
use tokio::sync::{Semaphore, mpsc};

use crate::support::project::Project;

const RUN: &str = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";

/// Answers a request when the test allows it, and counts how many wait at once.
struct Gate {
    clock: Arc<dyn Clock>,
    open: Semaphore,
    arrived: Semaphore,
    waiting: AtomicUsize,
    most: AtomicUsize,
    /// Whether only the first request waits.
    unasked: bool,
}

impl Gate {
    fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        let (waiting, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self {
            clock,
            open: Semaphore::new(0),
            arrived: Semaphore::new(0),
            waiting,
            most,
            unasked: false,
        })
    }

    /// A gate at which only the first request waits.
    fn for_the_first(clock: Arc<dyn Clock>) -> Arc<Self> {
        let mut gate = Self::new(clock);
        Arc::get_mut(&mut gate).unwrap().unasked = true;
        gate
    }

    async fn answer(&self) -> Reply {
        let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(waiting, Ordering::SeqCst);
        self.arrived.add_permits(1);
        if !(self.unasked && waiting > 1) {
            self.open.acquire().await.unwrap().forget();
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        let (sender, body) = mpsc::channel(1);
        let at = self.clock.now();
        sender.try_send(Next::Bytes(at, RUN.into())).unwrap();
        let body = Box::new(Chunks::new(body, Arc::clone(&self.clock)));
        Reply {
            at,
            head: ResponseHead {
                status: 200,
                ..ResponseHead::default()
            },
            body,
        }
    }
}

impl Transport for Gate {
    fn moment(&self, _event: ClientEvent) -> At {
        self.clock.now()
    }

    fn send(
        &self,
        _request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        Box::pin(async { Ok(Some(self.answer().await)) })
    }
}

fn agui(thread: &str) -> String {
    format!(
        "version: \"1.0\"\ntarget: {{ type: agui, endpoint: \"http://127.0.0.1/\", agentId: gate{thread} }}\n"
    )
}

fn project(config: &str, tests: &[(&str, &str)]) -> Project {
    let files: Vec<(String, String)> = tests
        .iter()
        .map(|(name, rest)| {
            (
                format!("{name}.test.yaml"),
                format!("version: \"1.0\"\nname: {name}\n{rest}\n"),
            )
        })
        .collect();
    let mut all: Vec<(&str, &str)> = vec![("ananke.config.yaml", config)];
    all.extend(
        files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    Project::new(&all)
}

/// Runs a project; `meanwhile` gets the stopper.
async fn carried_out<F: Future<Output = ()>>(
    project: &Project,
    transport: Option<Arc<Gate>>,
    options: Options,
    meanwhile: impl FnOnce(Stopper) -> F,
) -> (Vec<Outcome>, Totals) {
    let (sender, receiver) = event_channel(10_000);
    let plan = project.plan().plan.unwrap();
    let mut shared: Run = project.shared(options, sender);
    if let Some(transport) = transport {
        shared.transport = transport;
    }
    let stopper = shared.stopper.clone();
    let (verdict, ()) = tokio::join!(run(shared, plan), meanwhile(stopper));
    (outcomes(receiver).await, verdict.totals)
}

async fn outcomes(mut receiver: EventReceiver) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    while let Some(event) = receiver.recv().await {
        if let RunEvent::CaseFinished(outcome) = &*event {
            outcomes.push((**outcome).clone());
        }
    }
    outcomes
}

fn shown(outcomes: &[Outcome]) -> Vec<String> {
    let problem = |outcome: &Outcome| {
        let problem = outcome
            .first_problem()
            .map(|(_, problem)| problem.message.as_str());
        problem
            .or(outcome.verdict.end().skip_reason())
            .map(|why| format!(": {why}"))
    };
    outcomes
        .iter()
        .map(|outcome| {
            format!(
                "{} {}{}",
                outcome.test.name,
                outcome.status().as_str(),
                problem(outcome).unwrap_or_default()
            )
        })
        .collect()
}

const TURN: &str = "turns: [{ user: hi }]";

#[tokio::test]
async fn tests_run_at_once_and_are_told_in_order() {
    let project = project(
        &agui(""),
        &[
            ("a", TURN),
            ("b", TURN),
            ("c", TURN),
            ("d", TURN),
            ("e", TURN),
        ],
    );
    let gate = Gate::new(project.context().clock);
    let options = Options::from(RunSettings {
        parallel: 3,
        ..RunSettings::default()
    });
    let open = Arc::clone(&gate);
    let (outcomes, totals) =
        carried_out(&project, Some(Arc::clone(&gate)), options, |_| async move {
            open.arrived.acquire_many(3).await.unwrap().forget();
            open.open.add_permits(5);
        })
        .await;
    assert_eq!(
        shown(&outcomes),
        ["a passed", "b passed", "c passed", "d passed", "e passed"]
    );
    assert_eq!(totals.passed, 5);
    assert_eq!(gate.most.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn as_many_tests_are_loaded_ahead_as_run_at_once() {
    let project = project(
        &agui(""),
        &[
            ("a", TURN),
            ("b", TURN),
            ("c", TURN),
            ("d", TURN),
            ("e", TURN),
        ],
    );
    let gate = Gate::new(project.context().clock);
    let (sender, receiver) = event_channel(10_000);
    let mut shared = project.shared(
        Options::from(RunSettings {
            parallel: 2,
            ..RunSettings::default()
        }),
        sender,
    );
    shared.transport = Arc::<Gate>::clone(&gate);
    let plan = project.plan().plan.unwrap();
    let files = shared.context.files.clone();
    let change_files = async {
        gate.arrived.acquire_many(2).await.unwrap().forget();
        let path = |name: &str| project.folder().join(format!("{name}.test.yaml"));
        let is_loading = |name: &str| files.opened().contains(&path(name));
        while !(is_loading("c") && is_loading("d")) {
            tokio::task::yield_now().await;
        }
        assert!(!is_loading("e"));
        for name in ["c", "d", "e"] {
            let text =
                format!("version: \"1.0\"\nname: {name}\nturns: [{{ user: something else }}]\n");
            // A file is not changed while it is read.
            std::fs::write(project.folder().join("new"), text).unwrap();
            std::fs::rename(project.folder().join("new"), path(name)).unwrap();
        }
        gate.open.add_permits(5);
    };
    tokio::join!(run(shared, plan), change_files);
    let changed = "e error: the file changed since the run began";
    assert_eq!(
        shown(&outcomes(receiver).await),
        ["a passed", "b passed", "c passed", "d passed", changed]
    );
}

/// A small file is kept from the plan, and runs as it was then; a large one is read again.
#[tokio::test]
async fn a_small_file_is_read_once() {
    let project = Project::new(&[
        (
            "ananke.config.yaml",
            "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n",
        ),
        (
            "a.test.yaml",
            "version: \"1.3\"\nname: a\nturns: [{ user: Hi }]\n",
        ),
        (
            "b.test.yaml",
            &format!(
                "version: \"1.3\"\nname: b\nturns: [{{ user: \"{}\" }}]\n",
                "x".repeat(300_000)
            ),
        ),
    ]);
    let selection = Selection {
        sends: true,
        kept_text: KEPT_TEXT,
        ..Selection::default()
    };
    let plan = plan(&project.context(), &selection, &project.redactor)
        .plan
        .unwrap();
    for name in ["a", "b"] {
        std::fs::write(
            project.folder().join(format!("{name}.test.yaml")),
            "changed",
        )
        .unwrap();
    }
    let outcomes = project.run_plan(plan).await;
    assert_eq!(outcomes[0].status(), Status::Passed);
    assert_eq!(outcomes[0].transcript.turns[0].input, "Hi");
    assert_eq!(outcomes[1].status(), Status::Error);
}

#[tokio::test]
async fn a_slow_test_holds_no_other_up() {
    let rows: Vec<String> = (0..600)
        .map(|row| format!("{{ id: r{row}, X: {row} }}"))
        .collect();
    let rows = format!("cases: [{}]\n", rows.join(", "));
    let project = project(&agui("").replace("1.0", "1.3"), &[("a", TURN)]);
    let text = format!("version: \"1.3\"\nname: b\n{rows}{TURN}\n");
    std::fs::write(project.folder().join("b.test.yaml"), text).unwrap();
    let gate = Gate::for_the_first(project.context().clock);
    let open = Arc::clone(&gate);
    let options = Options::from(RunSettings {
        parallel: 2,
        ..RunSettings::default()
    });
    let (outcomes, totals) = carried_out(&project, Some(gate), options, |_| async move {
        let all = open.arrived.acquire_many(601);
        tokio::time::timeout(Duration::from_mins(1), all)
            .await
            .expect("all others run")
            .unwrap()
            .forget();
        open.open.add_permits(1);
    })
    .await;
    assert_eq!((totals.passed, outcomes.len()), (601, 601));
    let ids: Vec<&str> = outcomes
        .iter()
        .map(|outcome| outcome.test.id.as_str())
        .collect();
    assert_eq!(
        (ids[0], ids[1], ids[600]),
        (
            "a.test.yaml::a",
            "b.test.yaml::b[r0]",
            "b.test.yaml::b[r599]"
        )
    );
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.transcript.turns.len() == 1
                && outcome.transcript.turns[0].input == "hi")
    );
}

#[tokio::test]
async fn tests_on_one_fixed_thread_never_overlap() {
    let project = project(
        &agui(", threadId: fixed"),
        &[("a", TURN), ("b", TURN), ("c", TURN)],
    );
    let gate = Gate::new(project.context().clock);
    gate.open.add_permits(3);
    let options = Options::from(RunSettings {
        parallel: 3,
        ..RunSettings::default()
    });
    let (outcomes, _) = carried_out(&project, Some(Arc::clone(&gate)), options, |_| async {}).await;
    assert_eq!(outcomes.len(), 3);
    assert!(outcomes.iter().all(
        |outcome| outcome.transcript.thread_id == "fixed" && outcome.status() == Status::Passed
    ));
    assert_eq!(gate.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_interrupt_ends_what_runs_and_starts_nothing_more() {
    let project = project(&agui(""), &[("a", TURN), ("b", TURN), ("c", TURN)]);
    let gate = Gate::new(project.context().clock);
    let arrived = Arc::clone(&gate);
    let (outcomes, totals) = carried_out(
        &project,
        Some(gate),
        Options::default(),
        |stopper| async move {
            arrived.open.add_permits(1);
            arrived.arrived.acquire_many(2).await.unwrap().forget();
            stopper.stop(Reason::Interrupted);
        },
    )
    .await;
    assert_eq!(
        shown(&outcomes),
        [
            "a passed",
            "b skipped: not run to its end: the run was interrupted",
            "c skipped: not run: the run was interrupted",
        ]
    );
    assert_eq!((totals.passed, totals.skipped), (1, 2));
}

const SCRIPT: &str = "version: \"1.3\"\ntarget:\n  type: scripted\n  rules:\n    - do: [{ call: { tool: x, result: ok } }, { delay_ms: 1000 }, { call: { tool: y, result: ok } }]\n";

#[tokio::test]
async fn fail_fast_stops_the_run_at_the_first_failure() {
    let fails = "turns: [{ user: hi, assert: { tools: { forbid: [x] } } }]";
    let project = project(SCRIPT, &[("a", TURN), ("b", fails), ("c", TURN)]);
    let options = Options::from(RunSettings {
        fail_fast: true,
        ..RunSettings::default()
    });
    let (outcomes, totals) = carried_out(&project, None, options, |_| async {}).await;
    assert_eq!(
        shown(&outcomes),
        [
            "a passed",
            "b failed",
            "c skipped: not run: an earlier test did not pass"
        ]
    );
    assert_eq!((totals.passed, totals.failed, totals.skipped), (1, 1, 1));
}

#[tokio::test]
async fn stop_early_cuts_the_turn_at_the_first_broken_rule() {
    let fails = "turns: [{ user: hi, assert: { tools: { forbid: [x, y], require: [{ name: z }] } } }, { user: more }]";
    let project = project(SCRIPT, &[("a", fails)]);
    for (stop_early, failures, duration) in [(false, 3, 1_000_000), (true, 1, 0)] {
        let options = Options::from(RunSettings {
            stop_early,
            ..RunSettings::default()
        });
        let (outcomes, _) = carried_out(&project, None, options, |_| async {}).await;
        assert_eq!(outcomes[0].status(), Status::Failed);
        assert_eq!(
            outcomes[0].transcript.turns[0].failures().count(),
            failures,
            "{stop_early:?}"
        );
        assert_eq!(
            (
                outcomes[0].transcript.duration_us,
                outcomes[0].transcript.turns_not_run
            ),
            (duration, 1)
        );
    }
}

#[tokio::test]
async fn a_whole_test_has_a_time_of_its_own() {
    let project = project(
        SCRIPT,
        &[(
            "a",
            "turns: [{ user: one }, { user: two }, { user: three }]",
        )],
    );
    let limited = |ms| {
        Options::from(RunSettings {
            timeout: Some(Duration::from_millis(ms)),
            ..RunSettings::default()
        })
    };
    let (outcomes, _) = carried_out(&project, None, limited(1500), |_| async {}).await;
    assert_eq!(
        shown(&outcomes),
        [
            "a timeout: timeout after 1.5 s for the whole test: 4 events received, the last one 0 ms after the request, then nothing"
        ]
    );
    assert_eq!(
        (
            outcomes[0].transcript.turns.len(),
            outcomes[0].transcript.duration_us
        ),
        (2, 1_500_000)
    );
    let (outcomes, _) = carried_out(&project, None, limited(3000), |_| async {}).await;
    assert_eq!(shown(&outcomes), ["a passed"], "equal to the limit passes");
}

/// In a log nothing is redrawn: each line says how many tests have ended, also if they run in parallel.
#[test]
fn a_log_says_how_many_tests_have_ended() {
    let test = |name: &str, text: &str| {
        format!(
            "version: \"1.0\"\nname: {name}\nturns: [{{ user: hi, assert: {{ text: {{ must_match: {text} }} }} }}]\n"
        )
    };
    let [good, bad] = [test("good", "hello"), test("bad", "bye")];
    let config =
        "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: hello }] }] }\n";
    let files = [
        ("ananke.config.yaml", config),
        ("a.test.yaml", &*good),
        ("b.test.yaml", &*bad),
        ("c.test.yaml", &*good),
    ];
    let project = Project::new(&files);
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ananke"));
        let output = command
            .current_dir(project.folder())
            .env_clear()
            .arg("run")
            .args(arguments)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let printed = run(&["--parallel", "3"]);
    // Files that passed have one line for their directory.
    let passed = "[3/3] ✓ .  2 files, 2 tests passed  0 ms\n";
    assert_eq!(printed.matches(passed).count(), 1, "{printed}");
    assert!(
        printed.contains("\n  b.test.yaml:3  bad  0 ms  ["),
        "{printed}"
    );
    assert!(!run(&["--parallel", "3", "--quiet"]).contains("/3]"));
    // One after the other, the index is in the line of the report.
    assert!(run(&["--durations", "1"]).contains("\n  b.test.yaml:3  bad  0 ms  [2/3]\n"));
}
