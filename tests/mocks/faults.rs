//! What goes wrong on demand.

use std::time::Duration;

use ananke::agents::{TimedChange, served_protocols};
use ananke::mock::Fault;
use ananke::trace::{Change, RunEnd};

use super::server::{Serving, embedded, project, run};

const RULES: &str = "    - { do: [{ say: one }, { say: two }] }\n";

#[tokio::test]
async fn each_fault_is_what_it_says() {
    let project = project(RULES);
    let all = [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ];
    let serving = Serving::start(embedded(&project)).await;
    let body = run("a", &["hi"]).to_string();
    let ask = async |fault: &str| {
        let header = format!("x-ananke-fault: {fault}");
        serving.send("POST", "/", &[&header], body.as_bytes()).await
    };
    let whole = serving.post(&run("a", &["hi"])).await;
    assert_eq!(
        (whole.types(), whole.is_complete),
        (all.map(str::to_owned).to_vec(), true)
    );

    let cut = ask("cut@3").await;
    assert_eq!(
        (cut.types(), cut.is_complete),
        (all[..3].iter().map(ToString::to_string).collect(), false)
    );
    let cut = ask("cut").await;
    assert_eq!((cut.types().len(), cut.is_complete), (4, false));

    let failed = ask("error").await;
    assert_eq!(
        (failed.status, failed.body.as_str()),
        (500, "{\"error\":\"the agent fails on demand\"}")
    );
    let failed = ask("error@2").await;
    assert_eq!(
        (failed.status, failed.types()),
        (200, vec!["RUN_STARTED".to_owned(), "RUN_ERROR".to_owned()])
    );

    let malformed = ask("malformed@1").await;
    let events = malformed.events();
    assert!(events[0].is_string(), "{:?} is JSON", events[0]);
    assert_eq!(malformed.types()[1..], all[1..]);

    let order = ask("order").await;
    assert_eq!(
        order.types()[..3],
        ["TEXT_MESSAGE_START", "RUN_STARTED", "TEXT_MESSAGE_CONTENT"]
    );
    let order = ask("order@8").await;
    assert_eq!(order.types(), all, "nothing follows the last event");

    let wrong = ask("explode").await;
    assert_eq!(wrong.status, 400);
    assert!(
        wrong
            .body
            .starts_with("the header `x-ananke-fault` names no fault: expected `delay`"),
        "{}",
        wrong.body
    );
    let log = serving.log(9).await;
    assert_eq!(
        log[1],
        "#2 AG-UI: \"hi\": 200, 3 events, fault cut@3, connection broken"
    );
    assert_eq!(log[3], "#4 AG-UI: \"hi\": 500, 1 event, fault error");
}

#[tokio::test]
async fn only_the_first_requests_have_a_fault() {
    let project = project(RULES);
    let serving = Serving::with(embedded(&project), vec!["error"], Some(2)).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(serving.post(&run("a", &["hi"])).await.status);
    }
    assert_eq!(statuses, [500, 500, 200]);
}

#[test]
fn faults_are_written_as_they_are_read() {
    for text in [
        "delay=500",
        "delay=20@3",
        "cut",
        "cut@1",
        "error",
        "malformed@2",
        "order",
    ] {
        let fault: ananke::mock::Fault = text.parse().unwrap();
        assert_eq!(fault.to_string(), text);
    }
    assert_eq!(
        "delay".parse::<ananke::mock::Fault>().unwrap().to_string(),
        "delay=1000"
    );
    for wrong in [
        "", "cut@0", "cut@x", "cut=3", "delay=x", "delay=-1", "Cut", "cut@3@4",
    ] {
        assert!(wrong.parse::<ananke::mock::Fault>().is_err(), "{wrong}");
    }
}

/// When the head and the events of a response come that has this fault, in milliseconds.
fn times(fault: &str) -> Vec<u128> {
    let protocol = served_protocols()
        .find(|protocol| protocol.name() == "AG-UI")
        .unwrap();
    let request = protocol
        .read(run("a", &["hi"]).to_string().as_bytes())
        .unwrap();
    let started = Change::RunStarted {
        run_id: None,
        thread_id: None,
        is_replay: false,
    };
    let timed = |ms, change| TimedChange {
        after: Duration::from_millis(ms),
        change,
    };
    let changes = vec![
        timed(10, started),
        timed(30, Change::RunEnded(RunEnd::Finished)),
    ];
    let response = fault
        .parse::<Fault>()
        .unwrap()
        .applied_to(request.response(&[changes]), Some(&*request));
    let events = response.frames.iter().map(|frame| frame.after.as_millis());
    [response.after.as_millis()]
        .into_iter()
        .chain(events)
        .collect()
}

#[test]
fn a_delay_moves_an_event_and_everything_after_it() {
    ananke::install();
    let [head, first, last] = times("malformed@9")[..] else {
        panic!("two events")
    };
    assert_eq!((first, last), (10, 30));
    assert_eq!(times("delay=500"), [head + 500, 510, 530]);
    assert_eq!(times("delay"), [head + 1000, 1010, 1030]);
    assert_eq!(times("delay=500@2"), [head, 10, 530]);
    assert_eq!(
        times("delay=500@3"),
        [head, 10, 30],
        "there is no third event"
    );
}
