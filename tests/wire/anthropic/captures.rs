//! Streams of real servers, each with what it means and how it ends.

use std::path::Path;

use super::read;

/// The bytes of a captured response.
fn captured(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/anthropic");
    let path = folder.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|failure| panic!("{}: {failure}", path.display()))
}

#[tokio::test]
async fn captured_messages_mean_what_they_say() {
    let undeclared = "which is not declared; no tool is declared";
    for (name, means, ends) in [
        (
            "aimock-text.sse",
            "run\nassistant: Hi there, grüße ☀️\nusage 0 in, 0 out, 0\nfinished",
            "",
        ),
        (
            "aimock-reason.sse",
            "run\nthinks: Six times seven.\nassistant: The answer is 42.\nusage 0 in, 0 out, 0\nfinished",
            "",
        ),
        (
            "aimock-emoji.sse",
            "run\nassistant: hi 🌍!\nusage 0 in, 0 out, 0\nfinished",
            "",
        ),
        (
            "aimock-search.sse",
            "run\nassistant: Found it.\nusage 0 in, 0 out, 0\nfinished",
            "",
        ),
        (
            "aimock-length.sse",
            "run\nassistant: cut sho\ntruncated\nusage 0 in, 0 out, 0\nfinished",
            "",
        ),
        (
            "aimock-filter.sse",
            "run\nassistant: partly\nusage 0 in, 0 out, 0\nunknown end",
            "",
        ),
        (
            "aimock-noargs.sse",
            "run\ncall call_n1: ping({})\nusage 0 in, 0 out, 0\nfinished",
            undeclared,
        ),
        (
            "aimock-tool-1.sse",
            "run\ncall call_w1: get_weather({\"city\":\"Paris\"})\nusage 0 in, 0 out, 0\nfinished",
            undeclared,
        ),
        (
            "aimock-tool-2.sse",
            "run\nassistant: It is sunny in Paris.\nusage 0 in, 0 out, 0\nfinished",
            "",
        ),
        (
            "aimock-parallel-1.sse",
            "run\nassistant: Let me look.\ncall call_p1: get_weather({\"city\":\"Paris\"})\ncall call_p2: get_weather({\"city\":\"Oslo\"})\nusage 0 in, 0 out, 0\nfinished",
            undeclared,
        ),
        (
            "aimock-parallel-2.sse",
            "run\nassistant: Paris is sunny, Oslo is rainy.\nusage 0 in, 0 out, 0\nfinished",
            "",
        ),
        (
            "aimock-cut.sse",
            "run\nassistant: this will be cu (open)",
            "the stream ended without `message_stop` and without a `stop_reason`",
        ),
        (
            "aimock-malformed.json",
            "",
            "the response is a JSON document, not a stream of events",
        ),
    ] {
        let exchanged = read(name, &captured(name)).await;
        assert_eq!(exchanged.changes, means, "{name}");
        let error = match exchanged.ended {
            Ok(_) => String::new(),
            Err(error) => error.message,
        };
        assert!(
            error.ends_with(ends) && error.is_empty() == ends.is_empty(),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn captured_refusals_are_errors_that_quote_the_server() {
    for (name, status, said) in [
        (
            "aimock-broken.json",
            "500 Internal Server Error",
            "The server had an error",
        ),
        ("aimock-limit.json", "429 Too Many Requests", "Rate limit"),
    ] {
        let refused = super::response(status, "", &captured(name));
        let tested =
            super::tested(vec![refused], "retry_429: false", "turns: [{ user: hi }]\n").await;
        let (_, problem) = tested.outcome.first_problem().expect("a problem");
        let code = &status[..3];
        assert!(
            problem.message.contains(code) && problem.message.contains(said),
            "{}",
            problem.message
        );
    }
}
