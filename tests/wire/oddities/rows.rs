//! Each odd event, with the warning that it gets and the event that it is read as.

use super::{CALL, CALL_END, CLOSE, FINISHED, OPEN, STARTED};

/// Events and what they mean.
pub(super) const ODDITIES: [(&str, &[&str], &str); 50] = [
    (
        "a run within the run, with an id of its own",
        &[
            r#"{"type":"RUN_STARTED","runId":"inner"}"#,
            r#"{"type":"RUN_FINISHED","runId":"inner"}"#,
            r#"{"type":"CUSTOM","name":"after","value":1}"#,
        ],
        "!! run-already-started [2, 1]: event 2 (`RUN_STARTED`) comes while the run of event 1 (`RUN_STARTED`) is open\ncustom after: 1\n-",
    ),
    (
        "a run within the run that fails, and the run goes on",
        &[
            r#"{"type":"RUN_STARTED","runId":"inner"}"#,
            r#"{"type":"RUN_ERROR","message":"no"}"#,
            r#"{"type":"CUSTOM","name":"after","value":1}"#,
        ],
        "!! run-already-started [2, 1]: event 2 (`RUN_STARTED`) comes while the run of event 1 (`RUN_STARTED`) is open\n! event 3 (`RUN_ERROR`) ended a run within the requested one: no\ncustom after: 1\n-",
    ),
    (
        "a character that is cut between two pieces of text",
        &[
            OPEN,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud83d"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ude00b"}"#,
            CLOSE,
        ],
        "assistant: a😀b\n-",
    ),
    (
        "a character that is cut between two pieces of arguments",
        &[
            CALL,
            r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a\":\"\ud83d"}"#,
            r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\ude00\"}"}"#,
            CALL_END,
        ],
        "call c: look({\"a\":\"😀\"})\n-",
    ),
    (
        "a text that ends within a character",
        &[
            OPEN,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud83d"}"#,
            CLOSE,
        ],
        "assistant: a\u{fffd}\n! half of a surrogate pair is alone in a string and is read as U+FFFD\n-",
    ),
    (
        "a number that is not finite",
        &[r#"{"type":"CUSTOM","name":"n","value":NaN}"#],
        "custom n: \"NaN\"\n! the number `NaN` is not valid JSON: it is read, and equals nothing\n-",
    ),
    (
        "a result with an error",
        &[
            CALL,
            CALL_END,
            r#"{"type":"TOOL_CALL_RESULT","toolCallId":"c","messageId":"r","content":"x","error":"declined"}"#,
        ],
        "call c: look()\n  = text x (error)\n-",
    ),
    (
        "thoughts of before protocol 1.0, without ids",
        &[
            r#"{"type":"THINKING_START","title":"plan"}"#,
            r#"{"type":"THINKING_TEXT_MESSAGE_START"}"#,
            r#"{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"}"#,
            r#"{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"b"}"#,
            r#"{"type":"THINKING_TEXT_MESSAGE_END"}"#,
            r#"{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"c"}"#,
            r#"{"type":"THINKING_END"}"#,
        ],
        "thinks: ab\nthinks: c\n-",
    ),
    (
        "thoughts and text of one id, one within the other",
        &[
            r#"{"type":"REASONING_MESSAGE_START","messageId":"m"}"#,
            OPEN,
            r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"why"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"what"}"#,
            r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"?"}"#,
            CLOSE,
        ],
        "assistant: what\nthinks: why?\n-",
    ),
    (
        "thoughts whose id is none, of a subagent, in chunks that text ends",
        &[
            r#"{"type":"REASONING_MESSAGE_CHUNK","messageId":{},"delta":"a","subagentRunId":"1"}"#,
            r#"{"type":"REASONING_MESSAGE_CHUNK","delta":"b","subagentRunId":"1"}"#,
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x","subagentRunId":"1"}"#,
            r#"{"type":"REASONING_MESSAGE_CHUNK","delta":"c","subagentRunId":"1"}"#,
        ],
        "!! chunk-without-id [2]: event 2 (`REASONING_MESSAGE_CHUNK`) names no `messageId`, but no reasoning message is under way\n<1> thinks: ab\n<1> assistant: x\n!! chunk-without-id [5]: event 5 (`REASONING_MESSAGE_CHUNK`) names no `messageId`, but no reasoning message is under way\n<1> thinks: c\n-",
    ),
    (
        "thoughts that never began, and no delta",
        &[
            r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"r"}"#,
            r#"{"type":"REASONING_MESSAGE_END","messageId":"q"}"#,
            r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"x"}"#,
        ],
        "thinks: x\n-",
    ),
    (
        "custom events without a name, without a value, with one that is no double",
        &[
            r#"{"type":"CUSTOM","value":1}"#,
            r#"{"type":"CUSTOM","name":"a"}"#,
            r#"{"type":"CUSTOM","name":"b","value":1e999}"#,
        ],
        "custom a: null\ncustom b: 1e+999\n-",
    ),
    (
        "a failure told of an answer that never came, and one of another agent's own",
        &[
            r#"{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"x","encryptedValue":"{\"pydantic_ai\":{\"outcome\":\"failed\"}}"}"#,
            CALL,
            r#"{"type":"TOOL_CALL_RESULT","toolCallId":"c","messageId":"x","content":"1"}"#,
            r#"{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"x","encryptedValue":"c2VjcmV0"}"#,
        ],
        "call c: look()\n  = text 1\n!! call-still-open [6, 3]: event 6 (`RUN_FINISHED`) comes while the call `c` is open, since event 3 (`TOOL_CALL_START`)\n-",
    ),
    (
        "unknown events, activities, steps and subagents, whatever they hold",
        &[
            r#"{"type":"ACTIVITY_SNAPSHOT","messageId":7,"content":[]}"#,
            r#"{"type":"ACTIVITY_DELTA","patch":{}}"#,
            r#"{"type":"STEP_STARTED"}"#,
            r#"{"type":"SUBAGENT_STARTED","subagentRunId":{}}"#,
            r#"{"type":"RAW","event":1e999}"#,
            r#"{"type":"SOMETHING_NEW","timestamp":"soon","metadata":7}"#,
            r#"{"type":"SOMETHING_NEW"}"#,
        ],
        "!! unknown-event [7]: `event:SOMETHING_NEW` was not understood: {\"type\":\"SOMETHING_NEW\",\"timestamp\":\"soon\",\"metadata\":7}\n!! unknown-event [8]: `event:SOMETHING_NEW` was not understood: {\"type\":\"SOMETHING_NEW\"}\n-",
    ),
    (
        "usage in an error, with numbers that are none and numbers that are missing",
        &[
            r#"{"type":"RUN_ERROR","message":"no","usage":[{"inputTokens":3.0,"output_tokens":2},{"inputTokens":-1}]}"#,
        ],
        "usage 3 in, 2 out, 5\nusage ? in, ? out, ?\nerror None: no\n! `inputTokens` of a `RUN_ERROR` is `-1`, not a count: it is taken as unknown\n!! after-run-error [3, 2]: event 3 (`RUN_FINISHED`) comes after event 2 (`RUN_ERROR`) has ended the run",
    ),
    (
        "numeric ids",
        &[
            r#"{"type":"TEXT_MESSAGE_START","messageId":7}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"7","delta":"x"}"#,
            r#"{"type":"TEXT_MESSAGE_END","messageId":"7"}"#,
        ],
        "assistant: x\n! `messageId` of a `TEXT_MESSAGE_START` is a number, not a string\n-",
    ),
    (
        "an id that is neither",
        &[r#"{"type":"TEXT_MESSAGE_START","messageId":{}}"#],
        r#"event 2 of the response has a `messageId` that is not a string in its `TEXT_MESSAGE_START` (`{"type":"TEXT_MESSAGE_START","messageId":{}}`)"#,
    ),
    (
        "a field twice",
        &[
            OPEN,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x","delta":"y"}"#,
            CLOSE,
        ],
        "assistant: y\n`duplicate:TEXT_MESSAGE_CONTENT.delta` was not read: `TEXT_MESSAGE_CONTENT.delta` is duplicated with another value\n-",
    ),
    (
        "a field twice with one value",
        &[
            OPEN,
            r#"{"type":"TEXT_MESSAGE_CONTENT","type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"y"}"#,
            CLOSE,
        ],
        "assistant: y\n-",
    ),
    (
        "a field we do not know twice",
        &[r#"{"type":"CUSTOM","a":1,"a":2}"#],
        "-",
    ),
    (
        "half a surrogate pair in text",
        &[
            OPEN,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud83d\\ud83d\ud83d\ude00\udc00b"}"#,
            CLOSE,
        ],
        "assistant: a\u{fffd}\\ud83d😀\u{fffd}b\n! half of a surrogate pair is alone in a string and is read as U+FFFD\n-",
    ),
    (
        "half a surrogate pair in a value",
        &[r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":"\ud83d"}}"#],
        "! half of a surrogate pair is alone in a string and is read as U+FFFD\n-\nstate {\"a\":\"\u{fffd}\"}",
    ),
    (
        "half a surrogate pair in a name",
        &[r#"{"type":"CUSTOM","\ud83d":1}"#],
        "-",
    ),
    (
        "names of the server's own language",
        &[
            r#"{"type":"TOOL_CALL_START","tool_call_id":"c","tool_call_name":"look"}"#,
            CALL_END,
        ],
        "call c: look()\n! the events have names like `tool_call_id` where AG-UI has `toolCallId`\n-",
    ),
    (
        "nulls are absent",
        &[
            r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"look","parentMessageId":null,"rawEvent":null}"#,
            CALL_END,
            r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":null}"#,
            CLOSE,
        ],
        "call c: look()\nassistant:\n-",
    ),
    (
        "arguments that are no string",
        &[
            CALL,
            r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":{"a":1}}"#,
            CALL_END,
        ],
        "call c: look({\"a\":1})\n! `delta` of a `TOOL_CALL_ARGS` is not a string: its JSON is taken\n-",
    ),
    (
        "text without an id, where only one message is meant",
        &[
            OPEN,
            r#"{"type":"TEXT_MESSAGE_CONTENT","delta":"x"}"#,
            CLOSE,
        ],
        "assistant: x\n! a `TEXT_MESSAGE_CONTENT` has no `messageId`: the only one under way is taken\n-",
    ),
    (
        "text without an id, where none is",
        &[r#"{"type":"TEXT_MESSAGE_CONTENT","delta":"x"}"#],
        r#"event 2 of the response has no `messageId`, which a `TEXT_MESSAGE_CONTENT` needs (`{"type":"TEXT_MESSAGE_CONTENT","delta":"x"}`)"#,
    ),
    (
        "text without text",
        &[
            OPEN,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":null}"#,
            CLOSE,
        ],
        "assistant:\n! a `TEXT_MESSAGE_CONTENT` has no `delta`\n-",
    ),
    (
        "text after its end",
        &[
            OPEN,
            CLOSE,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}"#,
        ],
        "assistant: x\n!! text-not-open [4, 3]: event 4 (`TEXT_MESSAGE_CONTENT`) goes on with the message `m`, which had ended with event 3 (`TEXT_MESSAGE_END`)\n-",
    ),
    (
        "begun twice, ended twice",
        &[OPEN, OPEN, CLOSE, CLOSE],
        "assistant:\n!! text-already-open [3, 2]: event 3 (`TEXT_MESSAGE_START`) begins the message `m`, which is open since event 2 (`TEXT_MESSAGE_START`)\n!! text-not-open [5, 4]: event 5 (`TEXT_MESSAGE_END`) ends the message `m`, which had ended with event 4 (`TEXT_MESSAGE_END`)\n-",
    ),
    (
        "an unknown role",
        &[
            r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"ai"}"#,
            CLOSE,
        ],
        "assistant:\n! the message `m` has the unknown role `ai`\n-",
    ),
    (
        "arguments after their end",
        &[
            CALL,
            CALL_END,
            r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"x"}"#,
            CALL_END,
        ],
        "call c: look(x)\n!! call-not-open [4, 3]: event 4 (`TOOL_CALL_ARGS`) goes on with the call `c`, which had ended with event 3 (`TOOL_CALL_END`)\n-",
    ),
    (
        "a result that is an object",
        &[
            CALL,
            CALL_END,
            r#"{"type":"TOOL_CALL_RESULT","messageId":"a","toolCallId":"c","content":{"a":null}}"#,
        ],
        "call c: look()\n  = json {\"a\":null}\n-",
    ),
    (
        "`result` for `content`",
        &[
            CALL,
            CALL_END,
            r#"{"type":"TOOL_CALL_RESULT","toolCallId":"c","result":"x"}"#,
        ],
        "call c: look()\n  = text x\n! a `TOOL_CALL_RESULT` has `result` instead of `content`\n-",
    ),
    (
        "a result without content",
        &[
            CALL,
            CALL_END,
            r#"{"type":"TOOL_CALL_RESULT","messageId":"a","toolCallId":"c","content":null}"#,
        ],
        "call c: look()\n  = text\n! a `TOOL_CALL_RESULT` has no `content`\n-",
    ),
    (
        "a patch that is none",
        &[
            r#"{"type":"STATE_SNAPSHOT","snapshot":1}"#,
            r#"{"type":"STATE_DELTA","delta":[{"op":"add"}]}"#,
        ],
        "!! delta-not-applied [3]: event 3 (`STATE_DELTA`) does not apply, the state stays as it was: it is not a JSON Patch (missing field `path`)\n`state:change` was not read: a change of it does not apply: it is not a JSON Patch (missing field `path`)\n-\nstate 1",
    ),
    (
        "a state that is null",
        &[r#"{"type":"STATE_SNAPSHOT","snapshot":null}"#],
        "-\nstate null",
    ),
    (
        "no state at all",
        &[r#"{"type":"STATE_SNAPSHOT"}"#],
        r#"event 2 of the response has no `snapshot`, which a `STATE_SNAPSHOT` needs (`{"type":"STATE_SNAPSHOT"}`)"#,
    ),
    (
        "a chunk ends with the next event of its owner",
        &[
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}"#,
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"s","subagentRunId":"1","delta":"sub"}"#,
            r#"{"type":"RAW","event":{}}"#,
            r#"{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}"#,
            r#"{"type":"CUSTOM","name":"n","value":1}"#,
            r#"{"type":"TEXT_MESSAGE_CHUNK","subagentRunId":"1","delta":"agent"}"#,
            r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#,
        ],
        "assistant: ab\n<1> assistant: subagent\ncustom n: 1\n!! text-not-open [8, 6]: event 8 (`TEXT_MESSAGE_END`) ends the message `m`, which had ended with event 6 (`CUSTOM`)\n-",
    ),
    (
        "a chunk without a word about whose it is goes on with the only one there is",
        &[
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"s","subagentRunId":"1","delta":"a"}"#,
            OPEN,
            r#"{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}"#,
            CLOSE,
        ],
        "<1> assistant: ab\nassistant:\n-",
    ),
    (
        "a chunk without an id, where only one message is meant",
        &[OPEN, r#"{"type":"TEXT_MESSAGE_CHUNK","delta":"x"}"#, CLOSE],
        "assistant: x\n!! chunk-without-id [3]: event 3 (`TEXT_MESSAGE_CHUNK`) names no `messageId`, but no message is under way\n-",
    ),
    (
        "a chunk of a call that was announced",
        &[
            CALL,
            r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"{}"}"#,
            CALL_END,
        ],
        "call c: look({})\n!! call-already-open [3, 2]: event 3 (`TOOL_CALL_CHUNK`) begins the call `c`, which is open since event 2 (`TOOL_CALL_START`)\n-",
    ),
    (
        "a chunk of a call without a name",
        &[r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"1"}"#],
        r#"event 2 of the response has no `toolCallName`, which a `TOOL_CALL_CHUNK` needs (`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"1"}`)"#,
    ),
    (
        "an error after the finish counts, a finish after an error does not",
        &[
            FINISHED,
            r#"{"type":"RUN_ERROR","message":"late","code":5}"#,
        ],
        "-\nerror Some(\"5\"): late\n! `code` of a `RUN_ERROR` is a number, not a string\n!! after-run-error [4, 3]: event 4 (`RUN_FINISHED`) comes after event 3 (`RUN_ERROR`) has ended the run",
    ),
    (
        "an outcome nobody knows",
        &[
            r#"{"type":"RUN_FINISHED","outcome":{"type":"maybe"}}"#,
            STARTED,
        ],
        "!! unknown-outcome [2]: event 2 (`RUN_FINISHED`) has the unknown outcome `{\"type\":\"maybe\"}`, which no `outcome` rule expects\nunknown end\nrun\n-",
    ),
    (
        "a count of tokens that is none",
        &[
            r#"{"type":"RUN_FINISHED","usage":{"inputTokens":-5,"outputTokens":null}}"#,
            STARTED,
        ],
        "usage ? in, ? out, ?\n-\n! `inputTokens` of a `RUN_FINISHED` is `-5`, not a count: it is taken as unknown\nrun\nfinished",
    ),
    (
        "interrupts without ids",
        &[
            r#"{"type":"RUN_FINISHED","outcome":{"type":"interrupt","interrupts":[{}]}}"#,
            STARTED,
        ],
        "`key:outcome.interrupts[]` was not read: it is an object: {}\ninterrupted []\n! a `RUN_FINISHED` is interrupted without naming its interrupts\nrun\n-",
    ),
    (
        "a snapshot with an unknown role, a failure and names of its own",
        &[
            r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"role":"narrator"},{"id":2,"role":"tool","tool_call_id":"c","content":[1],"error":"no"}]}"#,
        ],
        "`role:narrator` was not understood: {\"id\":\"x-1\",\"role\":\"narrator\"}\nsnapshot\n  answer to c: json [1] (error)\n! a message of a `MESSAGES_SNAPSHOT` has no `id`\n-",
    ),
    (
        "a snapshot that is none",
        &[r#"{"type":"MESSAGES_SNAPSHOT","messages":{}}"#],
        r#"event 2 of the response has `messages` that are not an array in its `MESSAGES_SNAPSHOT` (`{"type":"MESSAGES_SNAPSHOT","messages":{}}`)"#,
    ),
];
