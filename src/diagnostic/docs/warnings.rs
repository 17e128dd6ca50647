//! What is odd: rules that can never fail or never pass, and things that are likely not meant.

use super::code_docs::{CodeDocs, of_config, of_test};

pub(super) const ASSERTS_NOTHING: CodeDocs = of_test(
    "No rule is in force on any turn of the test or on the test as a whole: it passes whenever the \
                 agent answers, whatever it answers. Say what must hold, or give the target rules that every test \
                 inherits.",
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
"#,
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
);

pub(super) const CONNECT_OVER_HTTP: CodeDocs = of_test(
    "Plain AG-UI has no way to ask for what was said before: connecting sends a run without messages. \
                 Some agents answer it by telling their thread, others run the model again, with all that its tools \
                 do. Say `connect: empty_run` on the target once you know that yours is one of the first kind, or \
                 let a user turn bring the conversation back.",
    r#"version: "1.0"
name: come back
turns:
  - type: agui:connect
    assert: { text: { must_match: "Shipping" } }
"#,
    r#"version: "1.0"
name: come back
turns:
  - user: "Where were we?"
    assert: { text: { must_match: "Shipping" } }
"#,
);

pub(super) const FORBIDDEN_REQUIREMENT: CodeDocs = of_test(
    "A warning: a call is required where the same call is forbidden, or where the tool that must come \
                 before it is. Whatever the agent does, one of the two rules is broken. What a test or target \
                 forbids is forbidden on each of its turns.",
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
assert:
  tools: { forbid: [charge_card] }
"#,
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
assert:
  tools: { forbid: [delete_order] }
"#,
);

pub(super) const FORBIDDEN_TEXT: CodeDocs = of_test(
    "A warning: what one rule wants the agent to say, another rules out, such as a pattern that must \
                 match and must not match the same text, or a text that must be equal to one thing and contain \
                 another. Whatever the agent says, one of the two rules is broken.",
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      text: { must_match: "confirmed" }
assert:
  text: { must_not_match: "confirmed" }
"#,
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      text: { must_match: "confirmed" }
assert:
  text: { must_not_match: "declined" }
"#,
);

pub(super) const IDLE_ABOVE_DURATION: CodeDocs = of_test(
    "A warning: on every turn it is in force on, `max_idle_ms` is no smaller than `max_duration_ms`. \
                 A turn that is idle for too long then takes too long as well, so this limit never finds anything \
                 that the other does not.",
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 30000, max_idle_ms: 30000 }
"#,
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 30000, max_idle_ms: 5000 }
"#,
);

pub(super) const LIMIT_ABOVE_TIMEOUT: CodeDocs = of_test(
    "A warning: a limit is larger than the time-out that cuts a turn off, so that the turn ends as a \
                 time-out and the limit is never exceeded. `timeout_ms` of the target is 120000 where it is left \
                 out.",
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 300000 }
"#,
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 30000 }
"#,
);

pub(super) const REQUIRES_NOTHING: CodeDocs = of_test(
    "A warning: an entry of `require` is satisfied by any number of calls, none included, and binds \
                 them to nothing else. `min: 0` alone says nothing; with `after` or `result_not_match` it does.",
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card, count: { min: 0 } }] }
"#,
    r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card, count: { max: 1 } }] }
"#,
);

pub(super) const SHORT_SECRET: CodeDocs = of_config(
    "A warning: a secret of fewer than four characters is not masked in what is printed and written, \
                 because masking it would tear every text apart. Use a real token.",
    r#"version: "1.0"
target:
  type: agui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
  headers: { x-token: "abc" }
"#,
    r#"version: "1.0"
target:
  type: agui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
  headers: { x-token: "${ENV.AGENT_TOKEN}" }
"#,
);

pub(super) const UNANSWERED_CALL: CodeDocs = of_test(
    "A warning: a call in the `messages` of before has no answer when the next message comes that is no tool's. \
                 Most models refuse such a conversation, and some agents drop the call in silence.",
    r#"version: "1.3"
name: weather
messages:
  - { role: user, content: "The weather in Rome?" }
  - { role: assistant, tool_calls: [{ id: c1, function: { name: get_weather, arguments: { city: Rome } } }] }
turns:
  - user: "Well?"
    assert: { text: { contains: degrees } }
"#,
    r#"version: "1.3"
name: weather
messages:
  - { role: user, content: "The weather in Rome?" }
  - { role: assistant, tool_calls: [{ id: c1, function: { name: get_weather, arguments: { city: Rome } } }] }
  - { role: tool, tool_call_id: c1, content: "31 degrees" }
turns:
  - user: "Well?"
    assert: { text: { contains: degrees } }
"#,
);
