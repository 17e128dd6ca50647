//! Tests that are tried again: what an attempt shares with the one before it, which outcome counts, what stops.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::context::{At, Clock};
use ananke::outcome::{Outcome, SaidLine, Status, TranscriptLine, Verdict};
use ananke::plan::{Selection, plan};
use ananke::project::{RunSettings, Variables};
use ananke::run::{AfterFailure, Options, Reason, ReusedThreads, Run, RunEvent, Stopper, event_channel, run};
use ananke::target::{Chunks, ClientEvent, HttpRequest, Next, Reply, ResponseHead, TargetError, Transport};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::project::Project;

/// An agent that says something else each time it is asked: the next of its lines, at last always the last one.
struct Moody {
    clock: Arc<dyn Clock>,
    says: Vec<&'static str>,
    asked: AtomicUsize,
    threads: Mutex<Vec<String>>,
    /// Stops the run while it answers this request, counted from 1.
    stops: Mutex<Option<(usize, Stopper)>>,
}

impl Moody {
    fn new(project: &Project, says: &[&'static str]) -> Arc<Self> {
        Arc::new(Self {
            clock: project.context().clock,
            says: says.to_vec(),
            asked: AtomicUsize::new(0),
            threads: Mutex::default(),
            stops: Mutex::default(),
        })
    }

    fn answer(&self, request: &HttpRequest) -> Reply {
        let sent: Value = serde_json::from_slice(&request.body).unwrap();
        let thread = sent["threadId"].as_str().unwrap();
        self.threads.lock().unwrap().push(thread.to_owned());
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        if let Some((at, stopper)) = &*self.stops.lock().unwrap()
            && number + 1 == *at
        {
            stopper.stop(Reason::Interrupted);
        }
        let says = self.says.get(number).or(self.says.last()).unwrap();
        let events = [
            json!({ "type": "RUN_STARTED", "threadId": thread, "runId": "r" }),
            json!({ "type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant" }),
            json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": says }),
            json!({ "type": "TEXT_MESSAGE_END", "messageId": "m" }),
            json!({ "type": "RUN_FINISHED", "threadId": thread, "runId": "r" }),
        ];
        let body: String = events.map(|event| format!("data: {event}\n\n")).concat();
        let (sender, receiver) = mpsc::channel(1);
        let at = self.clock.now();
        sender.try_send(Next::Bytes(at, body.into())).unwrap();
        let body = Box::new(Chunks::new(receiver, Arc::clone(&self.clock)));
        Reply { at, head: ResponseHead { status: 200, ..ResponseHead::default() }, body }
    }
}

impl Transport for Moody {
    fn moment(&self, _event: ClientEvent) -> At {
        self.clock.now()
    }

    fn send(&self, request: HttpRequest, _until: At) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        Box::pin(async move { Ok(Some(self.answer(&request))) })
    }
}

const CONFIG: &str =
    "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1/\", agentId: moody }\n";

/// A test that wants to hear `yes`.
fn wants_yes(name: &str, hooks: &str) -> (String, String) {
    let text = format!(
        "version: \"1.0\"\nname: {name}\n{hooks}turns: [{{ user: well?, assert: {{ text: {{ must_match: \"yes\" }} }} }}]\n"
    );
    (format!("{name}.test.yaml"), text)
}

fn project(tests: &[(String, String)]) -> Project {
    let mut files = vec![("ananke.config.yaml", CONFIG)];
    files.extend(tests.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    Project::new(&files).with_environment("PATH", "/usr/bin:/bin")
}

struct Ran {
    outcomes: Vec<Outcome>,
    events: Vec<String>,
    verdict: Verdict,
}

async fn carried_out(project: &Project, agent: &Arc<Moody>, options: Options) -> Ran {
    let (sender, mut receiver) = event_channel(1000);
    let plan = project.plan().plan.unwrap();
    let mut shared: Run = project.shared(options, sender);
    shared.transport = Arc::<Moody>::clone(agent);
    if let Some((_, stopper)) = &mut *agent.stops.lock().unwrap() {
        *stopper = shared.stopper.clone();
    }
    let verdict = run(shared, plan).await;
    let (mut outcomes, mut events) = (Vec::new(), Vec::new());
    while let Some(event) = receiver.recv().await {
        match &*event {
            RunEvent::CaseStarted { .. } => events.push("started".to_owned()),
            RunEvent::Retrying { retry, of, status, why, .. } => {
                events.push(format!("retry {retry} of {of} ({}: {why})", status.as_str()));
            }
            RunEvent::CaseEnded { .. } => events.push("ended".to_owned()),
            RunEvent::CaseFinished(outcome) => outcomes.push((**outcome).clone()),
            _ => {}
        }
    }
    Ran { outcomes, events, verdict }
}

/// `name status` of a test, with the statuses of the attempts before.
fn shown(outcomes: &[Outcome]) -> Vec<String> {
    let line = |outcome: &Outcome| {
        let statuses = outcome.earlier_attempts.iter().chain([outcome]).map(|one| one.status().as_str());
        format!("{} {}", outcome.test.name, statuses.collect::<Vec<_>>().join(", "))
    };
    outcomes.iter().map(line).collect()
}

fn retries(retries: u32) -> Options {
    Options { retries, ..Options::default() }
}

#[tokio::test]
async fn a_test_is_tried_until_it_passes_on_a_new_thread_each_time() {
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &["no", "never", "yes"]);
    let ran = carried_out(&project, &agent, retries(5)).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, failed, passed"]);
    let outcome = &ran.outcomes[0];
    assert!(outcome.is_flaky() && !outcome.fails_the_run() && outcome.attempt() == 3);
    assert_eq!((ran.verdict.totals.passed, ran.verdict.totals.flaky), (1, 1));
    assert!(ran.verdict.is_pass());
    let mut threads = agent.threads.lock().unwrap().clone();
    let attempts = outcome.earlier_attempts.iter().chain([outcome]);
    assert!(attempts.map(|attempt| &attempt.transcript.thread_id).eq(&threads));
    threads.sort();
    threads.dedup();
    assert_eq!(threads.len(), 3);
    let failed = "nothing the agent said in this turn matches `yes`";
    let [first, second] = [1, 2].map(|retry| format!("retry {retry} of 5 (failed: {failed})"));
    assert_eq!(ran.events, ["started", &first, &second, "ended"]);
}

#[tokio::test]
async fn nothing_is_tried_again_unasked_or_without_need() {
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &["no", "yes"]);
    assert_eq!(shown(&carried_out(&project, &agent, retries(0)).await.outcomes), ["a failed"]);
    assert_eq!(shown(&carried_out(&project, &agent, retries(3)).await.outcomes), ["a passed"]);
    assert_eq!(agent.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn retries_are_used_up() {
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &["no"]);
    let ran = carried_out(&project, &agent, retries(2)).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, failed, failed"]);
    assert!(!ran.outcomes[0].is_flaky() && ran.outcomes[0].fails_the_run());
    assert_eq!(ran.verdict.reasons(), ["1 of 1 tests did not pass"]);
}

#[tokio::test]
async fn hooks_run_again_and_a_broken_one_is_tried_again() {
    let hooks = "hooks: [{ cmd: [sh, -c, 'echo x >> count; test $(wc -l < count) -gt 1 && echo \"{}\"'] }]\n";
    let project = project(&[wants_yes("a", hooks)]);
    let agent = Moody::new(&project, &["no", "yes"]);
    let ran = carried_out(&project, &agent, retries(2)).await;
    assert_eq!(shown(&ran.outcomes), ["a error, failed, passed"]);
    assert_eq!(std::fs::read_to_string(project.folder().join("count")).unwrap(), "x\nx\nx\n");
}

#[tokio::test]
async fn a_thread_that_a_hook_gives_again_is_no_new_one() {
    let hooks = "hooks: [{ cmd: [echo, '{\"THREAD_ID\": \"mine\"}'] }]\n";
    let project = project(&[wants_yes("a", hooks)]);
    let agent = Moody::new(&project, &["no", "yes"]);
    let ran = carried_out(&project, &agent, retries(1)).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, error"]);
    let problem = ran.outcomes[0].verdict.end.problem().unwrap();
    assert_eq!(problem.message, "the thread `mine` is that of an earlier attempt");
    assert!(problem.help.as_ref().unwrap().contains("--retry-dirty"));
    assert_eq!(agent.asked.load(Ordering::SeqCst), 1, "nothing is sent");

    let agent = Moody::new(&project, &["no", "yes"]);
    let ran =
        carried_out(&project, &agent, Options { reused_threads: ReusedThreads::Allowed, ..retries(1) }).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, passed"]);
}

#[tokio::test]
async fn a_run_that_is_stopped_tries_nothing_again() {
    // Stopped in the first attempt, which is skipped, or in the second, which does not count.
    for (at, expected) in [(1, ["a skipped", "b skipped"]), (2, ["a failed", "b skipped"])] {
        let project = project(&[wants_yes("a", ""), wants_yes("b", "")]);
        let agent = Moody::new(&project, &["no"]);
        *agent.stops.lock().unwrap() = Some((at, Stopper::default()));
        let ran = carried_out(&project, &agent, retries(5)).await;
        assert_eq!(shown(&ran.outcomes), expected);
        assert_eq!(agent.asked.load(Ordering::SeqCst), at);
    }
}

#[tokio::test]
async fn fail_fast_waits_for_the_last_attempt() {
    let project = project(&[wants_yes("a", ""), wants_yes("b", ""), wants_yes("c", "")]);
    let fail_fast = Options { after_failure: AfterFailure::Stop, ..retries(1) };
    let agent = Moody::new(&project, &["no", "yes", "no", "no"]);
    let ran = carried_out(&project, &agent, fail_fast).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, passed", "b failed, failed", "c skipped"]);

    let agent = Moody::new(&project, &["no", "yes"]);
    let ran = carried_out(&project, &agent, Options { flaky_fails: true, ..fail_fast }).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, passed", "b skipped", "c skipped"]);
    assert_eq!(ran.verdict.reasons(), ["1 test is flaky"]);
}

#[tokio::test]
async fn several_tests_at_once_are_tried_again_each_for_itself() {
    let names = ["a", "b", "c", "d"];
    let project = project(&names.map(|name| wants_yes(name, "")));
    let agent = Moody::new(&project, &["no"]);
    let ran = carried_out(&project, &agent, Options { parallel: 3, ..retries(2) }).await;
    assert_eq!(shown(&ran.outcomes), names.map(|name| format!("{name} failed, failed, failed")));
    assert_eq!(agent.asked.load(Ordering::SeqCst), 12);
}

const SLOW: &str = "version: \"1.3\"\ntarget:\n  type: scripted\n  rules: [{ do: [{ delay_ms: 1000 }] }]\n";

#[tokio::test]
async fn each_attempt_has_the_time_of_a_whole_test() {
    let test = "version: \"1.0\"\nname: a\nturns: [{ user: one }, { user: two }]\n";
    let project = Project::new(&[("ananke.config.yaml", SLOW), ("a.test.yaml", test)]);
    let agent = Moody::new(&project, &["no"]);
    let options = Options { timeout: Some(Duration::from_millis(1500)), ..retries(1) };
    let ran = carried_out(&project, &agent, options).await;
    assert_eq!(shown(&ran.outcomes), ["a timeout, timeout"]);
    assert_eq!(ran.outcomes[0].transcript.duration_us, 1_500_000);
    assert_eq!(ran.outcomes[0].earlier_attempts[0].transcript.duration_us, 1_500_000);
}

#[tokio::test]
async fn what_an_earlier_attempt_said_is_masked_and_bounded() {
    const SECRET: &str = "sesame-open";
    let loud: &'static str = Box::leak((SECRET.to_owned() + &"x".repeat(15_000)).into_boxed_str());
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &[loud, "yes"]);
    let ran = carried_out(&project, &agent, retries(1)).await;
    project.redactor.add([SECRET]);
    let outcome = ran.outcomes.into_iter().next().unwrap();
    assert!(format!("{outcome:?}").contains(SECRET));
    let sealed = project.redactor.seal(RunEvent::CaseFinished(Box::new(outcome.clone())));
    assert!(!format!("{:?}", *sealed).contains(SECRET));

    let mut long = Outcome { earlier_attempts: Vec::new(), ..outcome.earlier_attempts[0].clone() };
    let turn = long.transcript.turns[0].clone();
    long.transcript.turns = vec![turn; 50];
    long.transcript.turns[49].lines.insert(
        0,
        TranscriptLine::Says(SaidLine { event: 1, text: "the first line".to_owned(), ..SaidLine::default() }),
    );
    let kept = long.into_earlier();
    let lines = |index: usize| kept.transcript.turns[index].lines.len();
    assert_eq!((0..50).map(lines).sum::<usize>(), 2, "the end is kept");
    assert_eq!((lines(48), lines(49)), (0, 2));
    let warning = "not kept, since the test was retried: 1 line of this turn";
    assert_eq!(kept.transcript.turns[48].warnings.last().unwrap(), warning);
    assert!(
        kept.transcript
            .turns
            .iter()
            .all(|turn| turn.failures().len() == 1 && turn.status() == Status::Failed)
    );
}

/// What is said of threads when everything is loaded, for a target with these keys.
fn said_of_threads(target: &str, given: &[&str], retries: u32) -> Vec<String> {
    let config = CONFIG.replace("moody", &format!("moody{target}"));
    let (name, text) = wants_yes("a", "hooks: [{ cmd: [echo, '{}'] }]\n");
    let project = Project::new(&[("ananke.config.yaml", &config), (&name, &text)]);
    let given = given.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
    let variables = Variables { given, ..Variables::default() };
    let settings = RunSettings { retries: Some(retries), ..RunSettings::default() };
    let selection = Selection { sends: true, settings, variables, ..Selection::default() };
    let planned = plan(&project.context(), &selection, &project.redactor);
    planned.problems.iter().map(|problem| problem.code.to_string()).collect()
}

#[test]
fn attempts_on_one_thread_are_told_before_anything_runs() {
    let none: [&str; 0] = [];
    for (target, given, expected) in [
        ("", &none[..], &none[..]),
        (", threadId: mine", &none, &["fixed-thread"]),
        (", threadId: \"${TEST_NAME}\"", &none, &["fixed-thread"]),
        (", threadId: \"${ENV.PATH:-x}\"", &none, &["fixed-thread"]),
        (", threadId: \"a-${THREAD_ID}\"", &none, &none),
        (", threadId: \"cart-${CART}\"", &none, &none),
        (", threadId: \"cart-${CART}\"", &["CART"], &["fixed-thread"]),
        ("", &["THREAD_ID"], &["fixed-thread"]),
        (", threadId: \"a-${THREAD_ID}\"", &["THREAD_ID"], &["fixed-thread"]),
    ] {
        assert_eq!(said_of_threads(target, given, 1), expected, "{target} {given:?}");
        assert_eq!(said_of_threads(target, given, 0), none, "{target} {given:?}, without retries");
    }
}
