//! Servers of LangGraph, the Microsoft Agent Framework and Agno.

use super::{Capture, capture};

pub(super) const CAPTURES: [Capture; 9] = [
    capture(
        "maf-weather",
        r#"run
! the agent reported the thread `a2` instead of the requested `t-1`
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
    capture(
        "agno-confirm-run1",
        r#"run
! the agent reported the thread `b2` instead of the requested `t-1`
assistant: I have tools to execute, but I need confirmation.
call agcall_0009: delete_account({"user_id": "u-9"})
finished
state {}"#,
    ),
    capture(
        "agno-trip",
        r#"run
! the agent reported the thread `a3` instead of the requested `t-1`
assistant:
call agcall_0002: get_weather({"city": "Paris"})
  = text {"city": "Paris", "temp": 21, "sky": "sunny"}
call agcall_0003: search_flights({"origin": "BER", "dest": "CDG"})
  = text [{"no": "AF100", "price": 99.5}]
call agcall_0004: book_flight({"flight_no": "AF100"})
  = text "BK-77 on AF100"
assistant: Booked AF100.
finished
state {}"#,
    ),
    capture(
        "langgraph-weather",
        r#"run
! the agent reported the thread `b2` instead of the requested `t-1`
call lgcall_0003: get_weather({"city": "Paris"})
  = text {"city": "Paris", "temp": 21, "sky": "sunny"}
assistant: It is sunny in Paris ☀️.
snapshot
  u1 user: weather
  run-9b648cbe-e2dd-4c5e-9d6b-86233aed3ac5 assistant:  [lgcall_0003 get_weather({"city": "Paris"})]
  answer to lgcall_0003: text {"city": "Paris", "temp": 21, "sky": "sunny"}
  run-7ace9317-e4bf-4d04-9430-03b02d8d0849 assistant: It is sunny in Paris ☀️.
usage 20 in, 10 out, 30
finished
state {"messages":[{"content":"weather","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":"u1"},{"content":"","additional_kwargs":{},"response_metadata":{"finish_reason":"tool_calls"},"type":"ai","name":null,"id":"run-9b648cbe-e2dd-4c5e-9d6b-86233aed3ac5","tool_calls":[{"name":"get_weather","args":{"city":"Paris"},"id":"lgcall_0003","type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":10,"output_tokens":5,"total_tokens":15}},{"content":"{\"city\": \"Paris\", \"temp\": 21, \"sky\": \"sunny\"}","additional_kwargs":{},"response_metadata":{},"type":"tool","name":"get_weather","id":"010d0c5a-0cb0-45a7-ab53-5d7c7f96728c","tool_call_id":"lgcall_0003","artifact":null,"status":"success"},{"content":"It is sunny in Paris ☀️.","additional_kwargs":{},"response_metadata":{"finish_reason":"stop"},"type":"ai","name":null,"id":"run-7ace9317-e4bf-4d04-9430-03b02d8d0849","tool_calls":[],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}],"tools":[]}"#,
    ),
    // Reported both ways, as the outcome and as an event of its own: one interrupt, with the id of the outcome.
    capture(
        "langgraph-interrupt-run1",
        r#"run
! the agent reported the thread `b8` instead of the requested `t-1`
call lgcall_0009: delete_account({"user_id": "u-9"})
snapshot
  u1 user: delete it
  run-f4044b7b-bc33-4c92-929b-db28d4969e27 assistant:  [lgcall_0009 delete_account({"user_id": "u-9"})]
custom on_interrupt: "{\"action\": \"delete_account\", \"user_id\": \"u-9\"}"
usage 10 in, 5 out, 15
interrupted ["5ccb84add0c35b246ff68eee071e9fd4"]
state {"messages":[{"content":"delete it","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":"u1"},{"content":"","additional_kwargs":{},"response_metadata":{"finish_reason":"tool_calls"},"type":"ai","name":null,"id":"run-f4044b7b-bc33-4c92-929b-db28d4969e27","tool_calls":[{"name":"delete_account","args":{"user_id":"u-9"},"id":"lgcall_0009","type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}],"tools":[]}"#,
    ),
    capture(
        "langgraph-interrupt-run2-resume",
        r#"run
! the agent reported the thread `b8` instead of the requested `t-1`
call lgcall_0009: delete_account({"user_id": "u-9"})
  = text deleted u-9: {"approved": true}
assistant: Result: deleted u-9: {"approved": true}
snapshot
  u1 user: delete it
  run-f4044b7b-bc33-4c92-929b-db28d4969e27 assistant:  [lgcall_0009 delete_account({"user_id": "u-9"})]
  answer to lgcall_0009: text deleted u-9: {"approved": true}
  run-a15a0121-4664-4991-8502-c2cab1f80e70 assistant: Result: deleted u-9: {"approved": true}
usage 10 in, 5 out, 15
finished
state {"messages":[{"content":"delete it","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":"u1"},{"content":"","additional_kwargs":{},"response_metadata":{"finish_reason":"tool_calls"},"type":"ai","name":null,"id":"run-f4044b7b-bc33-4c92-929b-db28d4969e27","tool_calls":[{"name":"delete_account","args":{"user_id":"u-9"},"id":"lgcall_0009","type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":10,"output_tokens":5,"total_tokens":15}},{"content":"deleted u-9: {\"approved\": true}","additional_kwargs":{},"response_metadata":{},"type":"tool","name":"delete_account","id":"89f4a58a-b4f4-4fa3-bbb8-2317f3f67820","tool_call_id":"lgcall_0009","artifact":null,"status":"success"},{"content":"Result: deleted u-9: {\"approved\": true}","additional_kwargs":{},"response_metadata":{"finish_reason":"stop"},"type":"ai","name":null,"id":"run-a15a0121-4664-4991-8502-c2cab1f80e70","tool_calls":[],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}],"tools":[]}"#,
    ),
    // From before the outcome had interrupts: the id is in the raw event.
    capture(
        "langgraph-legacy-interrupt-run1",
        r#"run
! the agent reported the thread `a8` instead of the requested `t-1`
call lgcall_0010: delete_account({"user_id": "u-9"})
snapshot
  u1 user: delete it
  run-fef28140-ea9f-425b-94ea-cf28582e7a32 assistant:  [lgcall_0010 delete_account({"user_id": "u-9"})]
custom on_interrupt: "{\"action\": \"delete_account\", \"user_id\": \"u-9\"}"
usage 10 in, 5 out, 15
interrupted ["3799087e3c731413ae45219de9700a39"]
state {"messages":[{"content":"delete it","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":"u1"},{"content":"","additional_kwargs":{},"response_metadata":{"finish_reason":"tool_calls"},"type":"ai","name":null,"id":"run-fef28140-ea9f-425b-94ea-cf28582e7a32","tool_calls":[{"name":"delete_account","args":{"user_id":"u-9"},"id":"lgcall_0010","type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}],"tools":[]}"#,
    ),
    capture(
        "maf-approval-run1",
        r#"run
! the agent reported the thread `b2` instead of the requested `t-1`
assistant:
call mafcall_0009: delete_account({"user_id": "u-9"})
custom function_approval_request: {"id":"af-call-0dd5d7eea7254bb4920c1eb8cde3f9d5","function_call":{"call_id":"mafcall_0009","name":"delete_account","arguments":{"user_id":"u-9"}}}
call 2321ad87-be29-45ee-8416-340329c8d709: confirm_changes({"function_name": "delete_account", "function_call_id": "mafcall_0009", "function_arguments": {"user_id": "u-9"}, "steps": [{"description": "Execute delete_account", "status": "enabled"}]})
snapshot
  u1 user: delete it
  d59f5989-326d-4905-a1c5-da7af7f374e9 assistant:  [mafcall_0009 delete_account({"user_id": "u-9"})] [2321ad87-be29-45ee-8416-340329c8d709 confirm_changes({"function_name": "delete_account", "function_call_id": "mafcall_0009", "function_arguments": {"user_id": "u-9"}, "steps": [{"description": "Execute delete_account", "status": "enabled"}]})]
interrupted ["af-call-0dd5d7eea7254bb4920c1eb8cde3f9d5"]"#,
    ),
    capture(
        "maf-approval-run2",
        r"run
! the agent reported the thread `b2` instead of the requested `t-1`
answer to mafcall_0009: text deleted u-9
assistant: Hello! You said:
snapshot
  answer to mafcall_0009: text deleted u-9
  0030c0ab-7a37-4074-9bfa-1adbdbe6b7b9 assistant: Hello! You said:
finished",
    ),
];
