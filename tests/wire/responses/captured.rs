//! Streams of a real server, decoded; the meaning of each was written down by hand from reading it.

use ananke::agents::Ended;

use super::read;

/// Every stream, its meaning, and how the exchange ends: an error by the start of its message.
const CAPTURES: [(&str, &str, &str); 14] = [
    (
        "aimock-text",
        "run\nassistant: Hi there, grüße ☀\u{fe0f}\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-tool-1",
        "run\ncall call_w1: get_weather({\"city\":\"Paris\"})\n  = executed, not shown\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-tool-2",
        "run\nassistant: It is sunny in Paris.\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-node-tool",
        "run\ncall call_w1: get_weather({\"city\":\"Paris\"})\n  = executed, not shown\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-parallel-1",
        "run\nassistant: Let me look.\ncall call_p1: get_weather({\"city\":\"Paris\"})\n  = executed, not shown\ncall call_p2: get_weather({\"city\":\"Oslo\"})\n  = executed, not shown\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-parallel-2",
        "run\nassistant: Paris is sunny, Oslo is rainy.\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-noargs",
        "run\ncall call_n1: ping({})\n  = executed, not shown\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-reason",
        "run\nthinks: Six times seven.\nassistant: The answer is 42.\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-search",
        "run\ncall ws-L4bBPtyttpfc84kQ: web_search({\"type\":\"search\",\"query\":\"ananke test runner\"})\n  = executed, not shown\nassistant: Found it.\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-emoji",
        "run\nassistant: hi 🌍!\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-length",
        "run\nassistant: cut sho\ntruncated\nusage 0 in, 0 out, 0\nfinished",
        "",
    ),
    (
        "aimock-filter",
        "run\nassistant: partly\nusage 0 in, 0 out, 0\nerror None: the response has the status `failed`, and no error",
        "",
    ),
    (
        "aimock-cut",
        "run\nassistant:  (open)",
        "the stream ended without `response.completed` or another end",
    ),
    (
        "aimock-malformed",
        "",
        "the response is a JSON document, not a stream of events",
    ),
];

#[tokio::test]
async fn every_captured_stream_is_read() {
    for (name, means, ends) in CAPTURES {
        let path = format!(
            "{}/tests/captures/responses/{name}.sse",
            env!("CARGO_MANIFEST_DIR")
        );
        let body = std::fs::read_to_string(&path).expect("a capture");
        let exchanged = read(name, &body).await;
        let ended = match exchanged.ended {
            Ok(Ended::Terminal) => String::new(),
            Ok(other) => format!("{other:?}"),
            Err(error) => error.message,
        };
        assert_eq!(exchanged.changes, means, "{name}");
        assert!(ended.starts_with(ends), "{name}: {ended}");
        assert_eq!(ended.is_empty(), ends.is_empty(), "{name}: {ended}");
    }
}
