//! The conformance kit for protocols: bytes in, changes out, for any target. The responses exist from the start, so
//! that no socket and no time is involved.

use std::sync::{Arc, Mutex};

use ananke::agents::pipe::ProgramLauncher;
use ananke::agents::{
    Ended, Session, SessionOptions, Target, TargetError, Transport, UndeclaredCalls,
};
use ananke::context::{CaseKey, Context, ManualClock};

use super::canned::{Canned, ShortIds, limits, user};
use super::summary::Summary;

/// The result of one exchange.
#[derive(Debug, PartialEq)]
pub(crate) struct Exchanged {
    pub(crate) ended: Result<Ended, TargetError>,
    /// The changes as text: their result, in the order in which it began.
    pub(crate) changes: String,
    /// The bytes of the connection: `sent`, `head …`, `frame`, `closed`.
    pub(crate) wire: Vec<String>,
    /// How many changes there were.
    count: usize,
}

/// A session on the thread `t-1` whose first run is `r-{run}`.
pub(crate) async fn opened(
    target: &dyn Target,
    transport: Arc<dyn Transport>,
    run: u64,
) -> Box<dyn Session> {
    let options = SessionOptions {
        history: Vec::new(),
        client_tools: Arc::default(),
        declares_tools: false,
        undeclared: UndeclaredCalls::Rejected,
        key: CaseKey::first("test"),
        thread_id: "t-1".to_owned(),
        clock: Arc::new(ManualClock::default()),
        ids: Arc::new(ShortIds::starting_with_run(run)),
        transport,
        programs: Arc::new(ProgramLauncher::new(&Context::isolated("/"))),
        offered: Arc::default(),
    };
    target
        .open(options)
        .await
        .expect("opening does nothing that can fail")
}

/// The exchange of the run `r-{run}` whose response is `body`, in chunks of one size.
pub(crate) async fn exchanged(
    target: &dyn Target,
    run: u64,
    body: &[u8],
    chunk: usize,
) -> Exchanged {
    exchanged_until(target, run, body, chunk, None).await
}

/// As [`exchanged`], with a sink that wants no more after so many changes.
async fn exchanged_until(
    target: &dyn Target,
    run: u64,
    body: &[u8],
    chunk: usize,
    wanted: Option<usize>,
) -> Exchanged {
    let transport = Canned {
        bodies: Mutex::new(vec![body.to_vec()]),
        chunk,
    };
    let mut session = opened(target, Arc::new(transport), run).await;
    let mut summary = Summary::default();
    summary.wanted = wanted;
    let ended = session
        .exchange(user(1, "hi"), &limits(), &mut summary)
        .await;
    let (changes, count) = (summary.text(), summary.count());
    Exchanged {
        ended,
        changes,
        wire: summary.wire,
        count,
    }
}

/// The exchange of the run `r-{run}` whose response is `body`, which must be as every protocol has it: the size of the
/// chunks changes nothing, the connection is reported in order (an agent without one has neither head nor frames), no
/// change is about something unannounced, and a sink that wants no more gets no more.
pub(crate) async fn conforming(
    target: &dyn Target,
    name: &str,
    run: u64,
    body: &[u8],
) -> Exchanged {
    let whole = exchanged(target, run, body, usize::MAX).await;
    for chunk in [1, 7] {
        let chunked = exchanged(target, run, body, chunk).await;
        assert_eq!(chunked, whole, "{name} in chunks of {chunk}");
    }
    let wire: Vec<&str> = whole.wire.iter().map(String::as_str).collect();
    let [sent, response @ .., closed] = wire.as_slice() else {
        panic!("{name}: {wire:?}")
    };
    assert_eq!((*sent, *closed), ("sent", "closed"), "{name}");
    if let [head, frames @ ..] = response {
        assert!(
            head.starts_with("head ") && frames.iter().all(|frame| *frame == "frame"),
            "{name}: {wire:?}"
        );
    }
    assert!(!whole.changes.contains("LOST"), "{name}: {}", whole.changes);
    if whole.ended.is_ok() && whole.count > 0 {
        for wanted in [1, whole.count.div_ceil(2), whole.count] {
            let stopped = exchanged_until(target, run, body, usize::MAX, Some(wanted)).await;
            assert_eq!(
                (stopped.ended, stopped.count),
                (Ok(Ended::Cancelled), wanted),
                "{name}"
            );
        }
    }
    whole
}
