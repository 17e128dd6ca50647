//! A server of pydantic-ai.

use super::{Capture, capture};

pub(super) const CAPTURES: [Capture; 34] = [
    capture(
        "pydantic-hello",
        "run\nassistant: Hello! You said: hello there\nfinished",
    ),
    capture(
        "pydantic-accept-proto",
        "run\nassistant: Hello! You said: hello\nfinished",
    ),
    capture(
        "pydantic-snakecase-input",
        "run\n! the agent reported the run `r9` instead of the requested `r-1`\n! the agent reported the thread `t9` instead of the requested `t-1`\nassistant: Hello! You said: hello snake\nfinished",
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
    capture(
        "pydantic-slow",
        "run\nassistant: this answer is streamed slowly word by word\nfinished",
    ),
    capture(
        "pydantic-image",
        "run\nassistant: I received: image please [BinaryContent] [DocumentUrl]\nfinished",
    ),
    capture(
        "pydantic-frontend-run1",
        "run\nassistant:\ncall call_0014: setColor({\"color\": \"blue\"})\nfinished",
    ),
    capture(
        "pydantic-frontend-run2",
        "run\nassistant: The frontend said: {'ok': True}\nfinished",
    ),
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
    capture(
        "pydantic-interrupt-run2-cancel",
        "run\nanswer to call_0018: text Cancelled by user. (denied)\nassistant: Result: Cancelled by user.\nfinished",
    ),
    capture(
        "pydantic-accept-json",
        "run\nassistant: Hello! You said: hello\nfinished",
    ),
    capture(
        "pydantic-err-422-minimal",
        "run\nassistant: Hello! You said: x\nfinished",
    ),
    capture(
        "pydantic-frontend-notools",
        "run\nassistant: No frontend tools were provided.\nfinished",
    ),
    capture(
        "pydantic-frontend-run1-noversion",
        "run\nassistant:\ncall call_0015: setColor({\"color\": \"blue\"})\nfinished",
    ),
    capture(
        "pydantic-frontend-run2-error",
        "run\nassistant: The frontend said: nope\nfinished",
    ),
    capture(
        "pydantic-frontend-run2-unanswered",
        "run\nassistant: Hello! You said: never mind, hello\nfinished",
    ),
    capture(
        "pydantic-history1-lastonly",
        "run\nassistant: I can see 1 user messages and 1 model messages.\nfinished",
    ),
    capture(
        "pydantic-history3",
        "run\nassistant: I can see 2 user messages and 3 model messages.\nfinished",
    ),
    capture(
        "pydantic-interrupt-run2-noresume",
        "run\nassistant:\ncall call_0019: delete_account({\"user_id\": \"u-9\"})\ninterrupted [\"int-call_0019\"]",
    ),
    capture(
        "pydantic-interrupt-run2-unknown",
        "run\nerror None: ResumeEntry.interrupt_id 'nope' does not start with the expected 'int-' prefix; cannot map it back to a tool call id.",
    ),
];
