//! Times are taken by the thread of the network, whatever the thread is doing that evaluates.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use ananke::agents::http::{HttpTransport, RequestProgress};
use ananke::agents::{
    Ended, HttpRequest, Limits, Method, Next, Reply, Sink, Stop, Transport, Wire,
};
use ananke::context::{At, Clock, ManualClock};
use ananke::trace::Change;
use tokio::sync::Notify;

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::raw_agent::{RawAgent, Step};

/// How long a test waits for something that will not happen.
const PATIENCE: Duration = Duration::from_secs(10);

/// More chunks than any queue can probably contain.
const EVENTS: u64 = 500;

/// A clock that counts how often it is read.
#[derive(Default)]
struct Watched {
    clock: ManualClock,
    reads: AtomicUsize,
}

impl Watched {
    fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    /// Waits until it was read more than `reads` times; `false` if that does not happen.
    fn is_read_after(&self, reads: usize) -> bool {
        for _ in 0..PATIENCE.as_millis() {
            if self.reads() != reads {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

impl Clock for Watched {
    fn now(&self) -> At {
        let now = self.clock.now();
        self.reads.fetch_add(1, Ordering::SeqCst);
        now
    }

    fn unix_ms(&self, at: At) -> u64 {
        self.clock.unix_ms(at)
    }
}

/// An agent on a thread of its own that moves the clock by a millisecond as soon as what it sent has been stamped.
/// Returns how many stamps it saw.
fn agent(clock: Arc<Watched>) -> (SocketAddr, mpsc::Receiver<()>, JoinHandle<u64>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let (done, is_done) = mpsc::channel();
    let agent = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        until_request(&mut stream);
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let started = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
        let custom = "data: {\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":1}\n\n";
        let finished = "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
        let events = (2..EVENTS).map(|_| custom);
        let mut stamps = 0;
        for part in [head, started].into_iter().chain(events).chain([finished]) {
            let reads = clock.reads();
            stream.write_all(part.as_bytes()).expect("the client reads");
            if !clock.is_read_after(reads) {
                break;
            }
            stamps += 1;
            clock.clock.advance(Duration::from_millis(1));
        }
        drop(done);
        stamps
    });
    (address, is_done, agent)
}

fn until_request(stream: &mut TcpStream) {
    let mut request = Vec::new();
    let mut bytes = [0; 4096];
    while !request.ends_with(b"}") {
        let read = stream.read(&mut bytes).expect("a request");
        assert_ne!(read, 0, "the request ends before its end");
        request.extend_from_slice(&bytes[..read]);
    }
}

/// A sink that blocks its thread as soon as a request is sent, until the agent has sent everything.
struct Blocked {
    is_done: mpsc::Receiver<()>,
    stamps: Vec<At>,
}

impl Sink for Blocked {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        if matches!(wire, Wire::Sent { .. }) {
            let waited = self.is_done.recv_timeout(2 * PATIENCE);
            assert_eq!(
                waited,
                Err(RecvTimeoutError::Disconnected),
                "the agent is served while this thread waits"
            );
        }
        self.stamps.push(at);
    }

    fn change(&mut self, _at: At, _change: Change<'_>) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

#[tokio::test]
async fn a_blocked_thread_of_the_rules_bends_no_stamp() {
    let clock = Arc::new(Watched::default());
    let (address, is_done, agent) = agent(Arc::clone(&clock));
    let transport = Arc::new(HttpTransport::new(clock));
    let mut session = session(settings(&format!("http://{address}/")), transport, 1).await;
    let mut sink = Blocked {
        is_done,
        stamps: Vec::new(),
    };
    let ended = session.exchange(user(1, "hi"), &limits(), &mut sink).await;
    assert_eq!(ended, Ok(Ended::Terminal));
    assert_eq!(
        agent.join().expect("the agent"),
        EVENTS + 1,
        "head and events are stamped meanwhile"
    );
    // Sent and answered at the origin, both with headers, and then an event each millisecond, exactly.
    let milliseconds: Vec<u64> = sink.stamps.iter().map(|at| at.0 / 1000).collect();
    let closed = milliseconds.len() - 1;
    let expected: Vec<u64> = [0; 4].into_iter().chain(1..=EVENTS).collect();
    assert_eq!(milliseconds[..closed], expected);
}

/// How the agent of a test lets an exchange end.
#[derive(Clone, Copy, Debug)]
enum End {
    /// The connection breaks a millisecond after the first event.
    Broken,
    /// Nothing is sent.
    Silent,
    /// Nothing follows the first event.
    Stalled,
}

/// Ends an exchange, and moves the clock far beyond; keeps the connection until `is_read`.
fn ending(end: End, clock: Arc<Watched>) -> (SocketAddr, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let (done, is_done) = mpsc::channel();
    let (reads, is_read) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        until_request(&mut stream);
        if !matches!(end, End::Silent) {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 1000\r\n\r\n";
            for part in [
                head,
                "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
            ] {
                let before = clock.reads();
                stream.write_all(part.as_bytes()).expect("the client reads");
                assert!(clock.is_read_after(before));
            }
        }
        if matches!(end, End::Broken) {
            clock.clock.advance(Duration::from_millis(1));
            let before = clock.reads();
            stream.shutdown(std::net::Shutdown::Both).expect("a socket");
            assert!(clock.is_read_after(before));
        }
        clock.clock.advance(Duration::from_secs(5));
        drop(done);
        let _is_over = is_read.recv();
    });
    (address, is_done, reads)
}

#[tokio::test]
async fn a_blocked_thread_of_the_rules_bends_no_end() {
    for (end, closed) in [(End::Broken, 1), (End::Silent, 100), (End::Stalled, 100)] {
        let clock = Arc::new(Watched::default());
        let (address, is_done, _is_read) = ending(end, Arc::clone(&clock));
        let transport = Arc::new(HttpTransport::new(clock));
        let mut session = session(settings(&format!("http://{address}/")), transport, 1).await;
        let mut sink = Blocked {
            is_done,
            stamps: Vec::new(),
        };
        let limits = Limits {
            timeout: Duration::from_millis(100),
            ..limits()
        };
        let ended = session.exchange(user(1, "hi"), &limits, &mut sink).await;
        match end {
            End::Broken => assert!(
                ended
                    .expect_err("an error")
                    .message
                    .contains("the connection broke")
            ),
            End::Silent | End::Stalled => assert_eq!(ended, Ok(Ended::Timeout)),
        }
        assert_eq!(sink.stamps.last(), Some(&At(closed * 1000)), "{end:?}");
    }
}

/// A request to this agent, with a clock that stands still.
async fn answered(agent: &RawAgent, clock: &Arc<Watched>, until: At) -> Reply {
    let transport = HttpTransport::new(Arc::clone(clock) as Arc<dyn Clock>);
    let url = agent.url().parse().expect("a URL");
    let request = HttpRequest {
        progress: RequestProgress::default(),
        method: Method::Post,
        url,
        headers: Vec::new(),
        body: bytes::Bytes::from_static(b"{}"),
        response_headers: vec!["content-type".to_owned()],
        options: Arc::default(),
    };
    transport
        .send(request, until)
        .await
        .expect("an answer")
        .expect("in time")
}

/// Lets the agent go on a second later, and waits until what it sends then was stamped.
async fn a_second_later(clock: &Watched, more: &Notify) {
    clock.clock.advance(Duration::from_secs(1));
    let reads = clock.reads();
    more.notify_one();
    while clock.reads() == reads {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn stamps_are_those_of_arrival() {
    let more = Arc::new(Notify::new());
    let first = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nfirst";
    let steps = vec![
        Step::Expect,
        Step::Send(first.as_bytes().to_vec()),
        Step::Await(Arc::clone(&more)),
        Step::Send(b"second".to_vec()),
    ];
    let agent = RawAgent::start(vec![steps]).await;
    let clock = Arc::new(Watched::default());
    let until = At::default().plus(Duration::from_mins(1));
    let mut reply = answered(&agent, &clock, until).await;
    let Next::Bytes(first, _) = reply.body.next(until).await else {
        panic!("no chunk")
    };
    a_second_later(&clock, &more).await;
    // The events are read later: the stamp is from before.
    clock.clock.advance(Duration::from_secs(5));
    let second = reply.body.next(until).await;
    assert_eq!((reply.at, first), (At(0), At(0)));
    assert_eq!(
        second,
        Next::Bytes(At(1_000_000), bytes::Bytes::from_static(b"second"))
    );
    assert_eq!(reply.body.next(until).await, Next::End);
}

#[tokio::test]
async fn pieces_of_one_moment_are_handed_over_together_and_no_others() {
    let more = Arc::new(Notify::new());
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let steps = vec![
        Step::Expect,
        Step::Send(format!("{head}2\r\na1\r\n2\r\na2\r\n").into_bytes()),
        Step::Await(Arc::clone(&more)),
        Step::Send(b"2\r\nb1\r\n2\r\nb2\r\n2\r\nb3\r\n0\r\n\r\n".to_vec()),
    ];
    let agent = RawAgent::start(vec![steps]).await;
    let clock = Arc::new(Watched::default());
    let until = At::default().plus(Duration::from_mins(1));
    let mut reply = answered(&agent, &clock, until).await;
    a_second_later(&clock, &more).await;
    for (at, bytes) in [(0, "a1a2"), (1_000_000, "b1b2b3")] {
        let expected = Next::Bytes(At(at), bytes::Bytes::from_static(bytes.as_bytes()));
        assert_eq!(reply.body.next(until).await, expected);
    }
    assert_eq!(reply.body.next(until).await, Next::End);
}
