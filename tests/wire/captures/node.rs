//! A server on the TypeScript encoder of 1.0 that sends what the protocol allows, and what it does not.

use super::{Capture, broken, capture};

pub(super) const CAPTURES: [Capture; 36] = [
    capture("node-text", "run\nassistant: Hello world!\nfinished"),
    capture("node-text-empty-deltas", "run\nassistant: Hi\nfinished"),
    capture("node-text-norole", "run\nassistant: x\nfinished"),
    capture(
        "node-text-roles",
        "run\nsystem: sys\nassistant: assistant says\nuser: echoed user\nfinished",
    ),
    capture(
        "node-text-two-messages",
        "run\nassistant: First.\nassistant: Second.\nfinished",
    ),
    capture(
        "node-interleaved-messages",
        "run\nassistant: A1A2\nassistant: B1\nfinished",
    ),
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
    capture(
        "node-tool-emptyargs",
        "run\ncall t1: ping()\n  = text\nfinished",
    ),
    capture(
        "node-tool-noargs",
        "run\ncall t1: ping()\n  = text pong\nfinished",
    ),
    capture(
        "node-tool-invalidargs",
        "run\ncall t1: search({\"q\": \"unterminated)\n  = text error: bad args\nfinished",
    ),
    capture(
        "node-tool-nonobjectargs",
        "run\ncall t1: sum([1,2,3])\n  = text 6\nfinished",
    ),
    capture(
        "node-tool-noresult",
        "run\ncall t1: open_modal({\"id\":7})\nfinished",
    ),
    capture(
        "node-tool-result-orphan",
        "run\nanswer to nope: text who asked\nassistant: hm\nfinished",
    ),
    capture(
        "node-tool-result-twice",
        "run\ncall t1: job({})\n  = text partial\n  = text final\nfinished",
    ),
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
    capture(
        "node-state",
        "run\nfinished\nstate {\"items\":[\"b\"],\"n\":2,\"nil\":null,\"k/x\":2}",
    ),
    capture("node-state-scalar", "run\nfinished\nstate [1]"),
    capture(
        "node-state-delta-fails",
        "run\n`state:change` was not read: a change of it does not apply: `{\"op\":\"replace\",\"path\":\"/missing/x\",\"value\":1}`: path is invalid\nfinished\nstate {\"a\":2}",
    ),
    capture("node-cancelled", "run\nassistant: star\ncancelled"),
    capture(
        "node-error-first",
        "error Some(\"NOT_FOUND\"): no such agent",
    ),
    capture(
        "node-error-open-message",
        "run\nassistant: half (open)\nerror None: died",
    ),
    capture("node-activity", "run\nassistant: planned\nfinished"),
    capture(
        "node-raw-custom",
        "run\ncustom progress: 0.5\ncustom nullvalue: null\nassistant: x\nfinished",
    ),
    capture("node-result-value", "run\nusage 3 in, 4 out, 7\nfinished"),
    capture(
        "node-reasoning-chunks",
        "run\nthinks: think more\nassistant: ok\nfinished",
    ),
    capture("node-metadata", "run\nassistant: x\nfinished"),
    capture("node-timestamps", "run\ncall t1: a()\n  = text x\nfinished"),
    capture("node-steps", "run\nassistant: x\nfinished"),
    capture(
        "node-echo-input",
        r#"run
assistant: {"threadId":"t-1","runId":"r-1","protocolVersion":"1.0","state":{},"messages":[{"id":"u1","role":"user","content":"hi"}],"tools":[],"context":[],"forwardedProps":{}}
finished"#,
    ),
    capture(
        "node-error",
        "run\nassistant: partial\nerror Some(\"QUOTA\"): quota exceeded",
    ),
    capture(
        "node-frontend-tool",
        "run\ncall ft-1: noTools({\"title\":\"Pick\"})\nfinished",
    ),
    capture(
        "node-history-count",
        "run\nassistant: 1 messages: user\nfinished",
    ),
    capture(
        "node-pending-ids",
        "run\ncall t1: confirm({\"q\":\"ok?\"})\nfinished",
    ),
];

const NO_END: &str = "the stream ended without a terminal event (`RUN_FINISHED` or `RUN_ERROR`)";

/// Streams that break the rules of the protocol: nothing is lost.
pub(super) const BROKEN: [Capture; 10] = [
    capture(
        "node-args-no-start-bad",
        "run\n`call:t1` was not read: pieces of it came, but the call never started\nfinished",
    ),
    broken(
        "node-chunk-noid-bad",
        "run",
        "event 2 of the response has no `messageId`, which a `TEXT_MESSAGE_CHUNK` needs (`{\"type\":\"TEXT_MESSAGE_CHUNK\",\"delta\":\"x\"}`)",
    ),
    capture("node-content-no-start-bad", "run\nassistant: x\nfinished"),
    capture("node-double-start-bad", "run\nrun\nassistant: x\nfinished"),
    capture(
        "node-event-after-finish-bad",
        "run\nassistant: x\nfinished\ncustom late: 1",
    ),
    broken("node-no-finish-bad", "run\nassistant: no end", NO_END),
    broken("node-no-run-started-bad", "assistant: x", NO_END),
    capture("node-open-message-bad", "run\nassistant: open\nfinished"),
    capture("node-open-step-bad", "run\nfinished"),
    capture("node-open-tool-bad", "run\ncall t1: x({})\nfinished"),
];
