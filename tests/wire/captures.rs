//! Streams of real servers, decoded; what each means was written down by hand from reading it.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::support::canned::{Canned, limits, session, settings, user};
use crate::support::summary::Summary;

/// A stream and what it means. Its first run is the one asked for, `r-1`, but where its name says otherwise.
struct Capture {
    name: &'static str,
    means: &'static str,
}

const fn capture(name: &'static str, means: &'static str) -> Capture {
    Capture { name, means }
}

const NO_END: &str = "the stream ended without a terminal event (`RUN_FINISHED` or `RUN_ERROR`)";

const CAPTURES: [Capture; 56] = [
    capture("pydantic-hello", "run\nassistant: Hello! You said: hello there\nfinished"),
    capture("pydantic-accept-proto", "run\nassistant: Hello! You said: hello\nfinished"),
    capture(
        "pydantic-snakecase-input",
        "run\n! the agent's run is `r9`, not `r-1` as asked for\n! the agent's thread is `t9`, not `t-1` as asked for\nassistant: Hello! You said: hello snake\nfinished",
    ),
    capture(
        "pydantic-weather",
        r#"run
assistant:
call call_0002: get_weather({"city": "Paris", "unit": "celsius"})
  = text {"city":"Paris","temp":21,"unit":"celsius","sky":"sunny"}
assistant: It is sunny and 21 degrees in Paris ☀️.
finished"#,
    ),
    capture(
        "pydantic-trip",
        r#"run
assistant: Checking weather and flights.
call call_0003: get_weather({"city": "Paris", "unit": "celsius"})
  = text {"city":"Paris","temp":21,"unit":"celsius","sky":"sunny"}
call call_0004: search_flights({"origin": "BER", "dest": "CDG", "max_results": 2})
  = text [{"no":"AF100","price":99.5},{"no":"LH7","price":120}]
assistant:
call call_0005: book_flight({"flight_no": "AF100", "passengers": [{"name": "Ada", "age": 36}]})
  = text BK-77 for 1 on AF100
assistant: Booked AF100 to Paris. Confirmation BK-77.
finished"#,
    ),
    capture(
        "pydantic-retry",
        r#"run
assistant:
call call_0006: flaky({"attempt": 0})
  = text try again with a bigger attempt (error)
assistant:
call call_0007: flaky({"attempt": 1})
  = text ok
assistant: Worked on the second try.
finished"#,
    ),
    capture(
        "pydantic-badargs",
        r#"run
assistant:
call call_0008: get_weather({"town": 5})
  = text [{"type":"missing","loc":["city"],"msg":"Field required","input":{"town":5}},{"type":"extra_forbidden","loc":["town"],"msg":"Extra inputs are not permitted","input":5}] (error)
assistant: I could not call the tool.
finished"#,
    ),
    capture(
        "pydantic-boom",
        "run\nassistant:\ncall call_0009: explode({})\n  = text Tool execution was interrupted by an error. (error)\nerror None: database is on fire",
    ),
    capture("pydantic-modelerror", "run\nerror None: model unavailable"),
    capture(
        "pydantic-think",
        "run\nthinks: Let me think about this.\nassistant: The answer is 42.\nfinished",
    ),
    capture(
        "pydantic-noargs",
        "run\nassistant:\ncall call_0010: ping({})\n  = text\nassistant: pong\nfinished",
    ),
    capture(
        "pydantic-state",
        r#"run
assistant:
call call_0011: bump_state({"by": 3})
  = text {"counter":7}
assistant: State updated.
finished
state {"document":"patched","counter":7,"note":null}"#,
    ),
    capture(
        "pydantic-custom",
        "run\nassistant:\ncall call_0012: progress({\"steps\": 2})\n  = text done\ncustom progress: {\"step\":0,\"of\":2}\ncustom progress: {\"step\":1,\"of\":2}\nassistant: Progress reported.\nfinished",
    ),
    capture("pydantic-slow", "run\nassistant: this answer is streamed slowly word by word\nfinished"),
    capture(
        "pydantic-image",
        "run\nassistant: I received: image please [BinaryContent] [DocumentUrl]\nfinished",
    ),
    capture(
        "pydantic-frontend-run1",
        "run\nassistant:\ncall call_0014: setColor({\"color\": \"blue\"})\nfinished",
    ),
    capture("pydantic-frontend-run2", "run\nassistant: The frontend said: {'ok': True}\nfinished"),
    capture(
        "pydantic-interrupt-run1",
        "run\nassistant:\ncall call_0018: delete_account({\"user_id\": \"u-9\"})\ninterrupted [\"int-call_0018\"]",
    ),
    capture(
        "pydantic-interrupt-run2-approve",
        "run\nanswer to call_0018: text deleted u-9\nassistant: Result: deleted u-9\nfinished",
    ),
    capture(
        "pydantic-interrupt-run2-deny",
        "run\nanswer to call_0018: text no way (denied)\nassistant: Result: no way\nfinished",
    ),
    capture(
        "pydantic-interrupt-run2-badpayload",
        "run\nerror None: `ResumeEntry` payload for interrupt 'int-call_0018' does not match the `responseSchema` advertised on the interrupt (approved: missing).",
    ),
    capture(
        "pydantic-empty-messages",
        "run\nerror None: No message history, user prompt, or instructions provided",
    ),
    capture(
        "pydantic-testmodel",
        r#"run
assistant:
call pyd_ai_tool_call_id__add: add({"a":0,"b":0})
  = text 0
call pyd_ai_tool_call_id__now: now()
  = text 2026-01-01T00:00:00Z
assistant: TestModel says hi
finished"#,
    ),
    capture("node-text", "run\nassistant: Hello world!\nfinished"),
    capture("node-text-empty-deltas", "run\nassistant: Hi\nfinished"),
    capture("node-text-norole", "run\nassistant: x\nfinished"),
    capture("node-text-roles", "run\nsystem: sys\nassistant: assistant says\nuser: echoed user\nfinished"),
    capture("node-text-two-messages", "run\nassistant: First.\nassistant: Second.\nfinished"),
    capture("node-interleaved-messages", "run\nassistant: A1A2\nassistant: B1\nfinished"),
    capture(
        "node-unicode",
        "run\nassistant: Zażółć 日本語 👩‍👩‍👧 \u{2028}line\u{2029}sep tab\tnl\nquote\"\nfinished",
    ),
    capture(
        "node-tool",
        r#"run
call t1: get_weather({"city":"Paris","days":2,"opts":{"unit":"c","tags":["a","b"]}})
  = text {"temp":21}
assistant: Sunny.
finished"#,
    ),
    capture("node-tool-emptyargs", "run\ncall t1: ping()\n  = text\nfinished"),
    capture("node-tool-noargs", "run\ncall t1: ping()\n  = text pong\nfinished"),
    capture(
        "node-tool-invalidargs",
        "run\ncall t1: search({\"q\": \"unterminated)\n  = text error: bad args\nfinished",
    ),
    capture("node-tool-nonobjectargs", "run\ncall t1: sum([1,2,3])\n  = text 6\nfinished"),
    capture("node-tool-noresult", "run\ncall t1: open_modal({\"id\":7})\nfinished"),
    capture("node-tool-result-orphan", "run\nanswer to nope: text who asked\nassistant: hm\nfinished"),
    capture("node-tool-result-twice", "run\ncall t1: job({})\n  = text partial\n  = text final\nfinished"),
    capture(
        "node-tool-multimodal-result",
        r#"run
call t1: screenshot({})
  = json [{"type":"text","text":"here"},{"type":"image","source":{"type":"data","value":"iVBORw0KGgo=","mimeType":"image/png"}}]
finished"#,
    ),
    capture(
        "node-chunks",
        r#"run
assistant: Let me look.
call t1: lookup({"q":"x"})
  = text one
call t2: lookup({"q":"y"})
  = text two
assistant: Done.
finished"#,
    ),
    capture(
        "node-messages-snapshot-only",
        r#"run
snapshot
  u1 user: hi
  m1 assistant:  [t1 get_weather({"city":"Paris"})]
  answer to t1: text sunny
  m2 assistant: Only in the snapshot.
finished"#,
    ),
    capture("node-state", "run\nfinished\nstate {\"items\":[\"b\"],\"n\":2,\"nil\":null,\"k/x\":2}"),
    capture("node-state-scalar", "run\nfinished\nstate [1]"),
    capture(
        "node-state-delta-fails",
        "run\n! a `STATE_DELTA` does not apply, the state stays as it was: `{\"op\":\"replace\",\"path\":\"/missing/x\",\"value\":1}`: path is invalid\nfinished\nstate {\"a\":2}",
    ),
    capture("node-cancelled", "run\nassistant: star\ncancelled"),
    capture("node-error-first", "error Some(\"NOT_FOUND\"): no such agent"),
    capture("node-error-open-message", "run\nassistant: half (open)\nerror None: died"),
    capture("node-activity", "run\nassistant: planned\nfinished"),
    capture("node-raw-custom", "run\ncustom progress: 0.5\ncustom nullvalue: null\nassistant: x\nfinished"),
    capture("node-result-value", "run\nusage 3 in, 4 out, 7\nfinished"),
    capture("node-reasoning-chunks", "run\nthinks: think more\nassistant: ok\nfinished"),
    capture("node-metadata", "run\nassistant: x\nfinished"),
    capture("node-timestamps", "run\ncall t1: a()\n  = text x\nfinished"),
    capture(
        "pydantic-interrupt-run2-cancel",
        "run\nanswer to call_0018: text Cancelled by user. (denied)\nassistant: Result: Cancelled by user.\nfinished",
    ),
    capture("node-steps", "run\nassistant: x\nfinished"),
    capture(
        "maf-weather",
        r#"run
! the agent's thread is `a2`, not `t-1` as asked for
assistant:
call mafcall_0002: get_weather({"city": "Paris"})
  = text {"city": "Paris", "temp": 21, "sky": "sunny"}
assistant: It is sunny in Paris ☀️.
snapshot
  u1 user: weather
  218136c9-05b0-431b-91da-c94ca13af74f assistant:  [mafcall_0002 get_weather({"city": "Paris"})]
  answer to mafcall_0002: text {"city": "Paris", "temp": 21, "sky": "sunny"}
  71e94a3b-0a1b-4952-b5f3-cd5712351271 assistant: It is sunny in Paris ☀️.
finished"#,
    ),
];

/// Streams that break the rules of the protocol: nothing is lost. What is told of it is in `sequence`.
const BROKEN: [(Capture, &str); 10] = [
    (capture("node-args-no-start-bad", "run\nfinished"), "Terminal"),
    (
        capture("node-chunk-noid-bad", "run"),
        "event 2 has no `messageId`, which a `TEXT_MESSAGE_CHUNK` needs (`{\"type\":\"TEXT_MESSAGE_CHUNK\",\"delta\":\"x\"}`)",
    ),
    (capture("node-content-no-start-bad", "run\nassistant: x\nfinished"), "Terminal"),
    (capture("node-double-start-bad", "run\nrun\nassistant: x\nfinished"), "Terminal"),
    (capture("node-event-after-finish-bad", "run\nassistant: x\nfinished\ncustom late: 1"), "Terminal"),
    (capture("node-no-finish-bad", "run\nassistant: no end"), NO_END),
    (capture("node-no-run-started-bad", "assistant: x"), NO_END),
    (capture("node-open-message-bad", "run\nassistant: open\nfinished"), "Terminal"),
    (capture("node-open-step-bad", "run\nfinished"), "Terminal"),
    (capture("node-open-tool-bad", "run\ncall t1: x({})\nfinished"), "Terminal"),
];

/// The body of a captured answer; some captures start with the head.
pub(super) fn body(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/captures/agui/{name}.sse"));
    let bytes = std::fs::read(&path).unwrap_or_else(|failure| panic!("{}: {failure}", path.display()));
    if !bytes.starts_with(b"HTTP/") {
        return bytes;
    }
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("the end of the head");
    bytes[head + 4..].to_vec()
}

async fn decoded(name: &str, chunk: usize) -> (String, String) {
    let transport = Canned { bodies: Mutex::new(vec![body(name)]), chunk };
    let run = if name.contains("run2") { 2 } else { 1 };
    let mut session = session(settings("http://127.0.0.1:1/"), Arc::new(transport), run).await;
    let mut summary = Summary::default();
    let ended = session.exchange(user(1, "hi"), &limits(), &mut summary).await;
    let ended = ended.map_or_else(|failure| failure.message, |ended| format!("{ended:?}"));
    let text = summary.text();
    let means: Vec<_> = text.lines().filter(|line| !line.starts_with("!! ")).collect();
    (means.join("\n"), ended)
}

async fn check(capture: &Capture, ended: &str) {
    for chunk in [usize::MAX, 1, 7] {
        let (means, really) = decoded(capture.name, chunk).await;
        assert_eq!(means, capture.means, "{} in chunks of {chunk}", capture.name);
        assert_eq!(really, ended, "{} in chunks of {chunk}", capture.name);
    }
}

#[tokio::test]
async fn captured_streams_mean_what_they_say() {
    for capture in &CAPTURES {
        check(capture, "Terminal").await;
    }
}

#[tokio::test]
async fn broken_streams_lose_nothing() {
    for (capture, ended) in &BROKEN {
        check(capture, ended).await;
    }
}
