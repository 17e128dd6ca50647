//! The events of each rule about their order: what violates it, what is legal, and what depends on the version.

pub(super) const START: &str = r#"{"type":"RUN_STARTED","protocolVersion":"1.0"}"#;
const OLD_START: &str = r#"{"type":"RUN_STARTED"}"#;
pub(super) const FINISH: &str = r#"{"type":"RUN_FINISHED"}"#;
const ERROR: &str = r#"{"type":"RUN_ERROR","message":"no"}"#;
const TEXT: &str = r#"{"type":"TEXT_MESSAGE_START","messageId":"m"}"#;
const WORD: &str = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}"#;
const TEXT_END: &str = r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#;
const NAMELESS_TEXT_END: &str = r#"{"type":"TEXT_MESSAGE_END"}"#;
const NAMELESS_CALL_END: &str = r#"{"type":"TOOL_CALL_END"}"#;
const CALL: &str = r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"look"}"#;
const ARGS: &str = r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}"}"#;
const CALL_END: &str = r#"{"type":"TOOL_CALL_END","toolCallId":"c"}"#;
const CHUNK: &str = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x"}"#;
const MORE: &str = r#"{"type":"TEXT_MESSAGE_CHUNK","delta":"x"}"#;
const THOUGHT_CHUNK: &str = r#"{"type":"REASONING_MESSAGE_CHUNK","messageId":"t","delta":"x"}"#;
const MORE_THOUGHT: &str = r#"{"type":"REASONING_MESSAGE_CHUNK","delta":"x"}"#;
pub(super) const CUSTOM: &str = r#"{"type":"CUSTOM","name":"n","value":1}"#;
const STEP: &str = r#"{"type":"STEP_STARTED","stepName":"s"}"#;
const STEP_OF_A: &str = r#"{"type":"STEP_STARTED","stepName":"s","subagentRunId":"a"}"#;
const STEP_OF_A_END: &str = r#"{"type":"STEP_FINISHED","stepName":"s","subagentRunId":"a"}"#;
const A: &str = r#"{"type":"SUBAGENT_STARTED","subagentRunId":"a","name":"x"}"#;
const A_ERROR: &str = r#"{"type":"SUBAGENT_ERROR","subagentRunId":"a","message":"x"}"#;
const WORD_OF_A: &str =
    r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x","subagentRunId":"a"}"#;
const TEXT_OF_A: &str = r#"{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"a"}"#;
const CHUNK_OF_A: &str =
    r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x","subagentRunId":"a"}"#;
const SNAPSHOT: &str = r#"{"type":"MESSAGES_SNAPSHOT","messages":[]}"#;

/// A name, events, and every violation of them.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// What a violation names, and that nothing is reported twice.
pub(super) const MESSAGES: &[Row] = &[
    (
        "everything before the first start is told once",
        &[CUSTOM, CUSTOM, START, FINISH],
        &["run-not-started [1]: event 1 (`CUSTOM`) comes before a run has started"],
    ),
    (
        "a start in an open run",
        &[START, TEXT, START, TEXT_END, FINISH],
        &[
            "run-already-started [3, 1]: event 3 (`RUN_STARTED`) comes while the run of event 1 (`RUN_STARTED`) is open",
        ],
    ),
    (
        "everything after the finish is told once, and what is told then breaks no other rule",
        &[START, FINISH, WORD, CALL_END, FINISH],
        &[
            "after-run-finished [3, 2]: event 3 (`TEXT_MESSAGE_CONTENT`) comes after event 2 (`RUN_FINISHED`) has finished the run",
        ],
    ),
    (
        "each end is told of by itself",
        &[START, FINISH, CUSTOM, ERROR, FINISH, START, FINISH, CUSTOM],
        &[
            "after-run-finished [3, 2]: event 3 (`CUSTOM`) comes after event 2 (`RUN_FINISHED`) has finished the run",
            "after-run-error [5, 4]: event 5 (`RUN_FINISHED`) comes after event 4 (`RUN_ERROR`) has ended the run",
            "after-run-finished [8, 7]: event 8 (`CUSTOM`) comes after event 7 (`RUN_FINISHED`) has finished the run",
        ],
    ),
    (
        "an end that names nothing does not end what it closes",
        &[
            START,
            TEXT,
            WORD,
            NAMELESS_TEXT_END,
            CALL,
            NAMELESS_CALL_END,
            FINISH,
        ],
        &[
            "text-still-open [7, 2]: event 7 (`RUN_FINISHED`) comes while the message `m` is open, since event 2 (`TEXT_MESSAGE_START`)",
            "call-still-open [7, 5]: event 7 (`RUN_FINISHED`) comes while the call `c` is open, since event 5 (`TOOL_CALL_START`)",
        ],
    ),
    (
        "text that never began is told once, and its end belongs to it",
        &[START, WORD, WORD, TEXT_END, FINISH],
        &[
            "text-not-open [2]: event 2 (`TEXT_MESSAGE_CONTENT`) goes on with the message `m`, which never began",
        ],
    ),
    (
        "text that never began and never ends is told once",
        &[START, WORD, FINISH],
        &[
            "text-not-open [2]: event 2 (`TEXT_MESSAGE_CONTENT`) goes on with the message `m`, which never began",
        ],
    ),
    (
        "text after its end names the end",
        &[
            START, TEXT, TEXT_END, WORD, WORD, TEXT_END, TEXT_END, FINISH,
        ],
        &[
            "text-not-open [4, 3]: event 4 (`TEXT_MESSAGE_CONTENT`) goes on with the message `m`, which had ended with event 3 (`TEXT_MESSAGE_END`)",
            "text-not-open [7, 6]: event 7 (`TEXT_MESSAGE_END`) ends the message `m`, which had ended with event 6 (`TEXT_MESSAGE_END`)",
        ],
    ),
    (
        "the second of two starts",
        &[START, CALL, ARGS, CALL, CALL_END, FINISH],
        &[
            "call-already-open [4, 2]: event 4 (`TOOL_CALL_START`) begins the call `c`, which is open since event 2 (`TOOL_CALL_START`)",
            "call-id-shared [4]: event 4 (`TOOL_CALL_START`) begins another call with the id `c`: it is counted as a call of its own",
        ],
    ),
    (
        "what is open at the finish, in the order it began",
        &[START, STEP_OF_A, CALL, A, TEXT, FINISH],
        &[
            "step-still-open [6, 2]: event 6 (`RUN_FINISHED`) comes while the step `s` of the subagent `a` is open, since event 2 (`STEP_STARTED`)",
            "call-still-open [6, 3]: event 6 (`RUN_FINISHED`) comes while the call `c` is open, since event 3 (`TOOL_CALL_START`)",
            "subagent-still-running [6, 4]: event 6 (`RUN_FINISHED`) comes while the subagent `a` is open, since event 4 (`SUBAGENT_STARTED`)",
            "text-still-open [6, 5]: event 6 (`RUN_FINISHED`) comes while the message `m` is open, since event 5 (`TEXT_MESSAGE_START`)",
        ],
    ),
    (
        "nothing is open in the next run",
        &[START, TEXT, ERROR, START, TEXT, TEXT_END, FINISH],
        &[],
    ),
    (
        "the end of a message in chunks",
        &[START, CHUNK, TEXT_END, FINISH],
        &[
            "text-not-open [3, 2]: event 3 (`TEXT_MESSAGE_END`) ends the message `m`, which event 2 (`TEXT_MESSAGE_CHUNK`) began in chunks: those end by themselves",
        ],
    ),
    (
        "text of a message whose chunks are over",
        &[START, CHUNK, CUSTOM, WORD, FINISH],
        &[
            "text-not-open [4, 3]: event 4 (`TEXT_MESSAGE_CONTENT`) goes on with the message `m`, which had ended with event 3 (`CUSTOM`)",
        ],
    ),
    (
        "chunks of a message that an event of its own began",
        &[START, TEXT, CHUNK, MORE, TEXT_END, FINISH],
        &[
            "text-already-open [3, 2]: event 3 (`TEXT_MESSAGE_CHUNK`) begins the message `m`, which is open since event 2 (`TEXT_MESSAGE_START`)",
        ],
    ),
    (
        "chunks without an id, told once",
        &[START, MORE_THOUGHT, MORE_THOUGHT, FINISH],
        &[
            "chunk-without-id [2]: event 2 (`REASONING_MESSAGE_CHUNK`) names no `messageId`, but no reasoning message is under way",
        ],
    ),
    (
        "chunks after what ended them",
        &[
            START,
            THOUGHT_CHUNK,
            STEP_OF_A,
            CUSTOM,
            MORE_THOUGHT,
            STEP_OF_A_END,
            FINISH,
        ],
        &[
            "chunk-without-id [5, 4]: event 5 (`REASONING_MESSAGE_CHUNK`) names no `messageId`, but the reasoning message `t` ended with event 4 (`CUSTOM`)",
        ],
    ),
    (
        "a chunk that names another subagent than the first",
        &[
            START,
            CHUNK_OF_A,
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x","subagentRunId":"b"}"#,
            FINISH,
        ],
        &[
            "other-subagent [3, 2]: event 3 (`TEXT_MESSAGE_CHUNK`) is of the subagent `b`, but the message `m` is of the subagent `a`, as event 2 (`TEXT_MESSAGE_CHUNK`) says",
        ],
    ),
    (
        "chunks that disagree, each value told once",
        &[
            START,
            CHUNK,
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"user","name":"n","delta":"x"}"#,
            r#"{"type":"TEXT_MESSAGE_CHUNK","role":"user","name":"n","delta":"x"}"#,
            FINISH,
        ],
        &[
            "chunk-disagrees [3, 2]: event 3 (`TEXT_MESSAGE_CHUNK`) has the `role` `user`, but event 2 (`TEXT_MESSAGE_CHUNK`) has `assistant`",
            "chunk-disagrees [3, 2]: event 3 (`TEXT_MESSAGE_CHUNK`) has the `name` `n`, but event 2 (`TEXT_MESSAGE_CHUNK`) has none",
        ],
    ),
    (
        "two chunks to choose from",
        &[
            START,
            CHUNK_OF_A,
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","delta":"x","subagentRunId":"b"}"#,
            MORE,
        ],
        &[
            "chunk-ambiguous [4]: event 4 (`TEXT_MESSAGE_CHUNK`) names neither a `messageId` nor a `subagentRunId`, and 2 subagents have a message under way",
        ],
    ),
    (
        "the only chunk there is to go on with is a subagent's",
        &[START, CHUNK_OF_A, MORE, FINISH],
        &[],
    ),
    (
        "a step of somebody else",
        &[START, STEP, STEP_OF_A_END, ERROR],
        &[
            "step-not-open [3, 2]: event 3 (`STEP_FINISHED`) finishes the step `s` of the subagent `a`, but the step that is open is of the agent itself, as event 2 (`STEP_STARTED`) says",
        ],
    ),
    (
        "a step of nobody",
        &[START, STEP_OF_A, STEP_OF_A_END, STEP_OF_A_END, FINISH],
        &[
            "step-not-open [4]: event 4 (`STEP_FINISHED`) finishes the step `s` of the subagent `a`, which is not open",
        ],
    ),
    (
        "a subagent that is over",
        &[START, A, A_ERROR, A_ERROR, A, FINISH],
        &[
            "subagent-not-running [4, 3]: event 4 (`SUBAGENT_ERROR`) ends the subagent `a`, which had ended with event 3 (`SUBAGENT_ERROR`)",
            "subagent-started-twice [5, 2]: event 5 (`SUBAGENT_STARTED`) starts the subagent `a`, which event 2 (`SUBAGENT_STARTED`) had started",
        ],
    ),
    (
        "a subagent below nobody",
        &[
            START,
            r#"{"type":"SUBAGENT_STARTED","subagentRunId":"b","name":"x","parentSubagentRunId":"a"}"#,
            ERROR,
        ],
        &[
            "subagent-unknown-parent [2]: event 2 (`SUBAGENT_STARTED`) starts the subagent `b` below `a`, which never started",
        ],
    ),
    (
        "words of a subagent in the agent's own message, told once",
        &[START, TEXT, WORD_OF_A, WORD_OF_A, TEXT_END, FINISH],
        &[
            "other-subagent [3, 2]: event 3 (`TEXT_MESSAGE_CONTENT`) is of the subagent `a`, but the message `m` is of the agent itself, as event 2 (`TEXT_MESSAGE_START`) says",
        ],
    ),
    (
        "a call is its message's",
        &[
            START,
            TEXT_OF_A,
            r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"look","parentMessageId":"m"}"#,
            r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}","subagentRunId":"a"}"#,
            r#"{"type":"TOOL_CALL_END","toolCallId":"c","subagentRunId":"b"}"#,
            TEXT_END,
            FINISH,
        ],
        &[
            "other-subagent [5, 3]: event 5 (`TOOL_CALL_END`) is of the subagent `b`, but the call `c` is of the subagent `a`, as event 3 (`TOOL_CALL_START`) says",
        ],
    ),
    (
        "a call of another than its message's",
        &[
            START,
            TEXT,
            r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"look","parentMessageId":"m","subagentRunId":"a"}"#,
            CALL_END,
            TEXT_END,
            FINISH,
        ],
        &[
            "other-subagent [3, 2]: event 3 (`TOOL_CALL_START`) is of the subagent `a`, but the message `m` is of the agent itself, as event 2 (`TEXT_MESSAGE_START`) says",
        ],
    ),
    (
        "an owner outlives the end, also of activities and encrypted values",
        &[
            START,
            CALL,
            CALL_END,
            r#"{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"x","subagentRunId":"a"}"#,
            r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"v","activityType":"x","content":{},"subagentRunId":"a"}"#,
            r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"v","activityType":"x","content":{},"subagentRunId":"b","replace":false}"#,
            r#"{"type":"ACTIVITY_DELTA","messageId":"v","activityType":"x","patch":[],"subagentRunId":"b"}"#,
            FINISH,
        ],
        &[
            "other-subagent [4, 2]: event 4 (`REASONING_ENCRYPTED_VALUE`) is of the subagent `a`, but the call `c` is of the agent itself, as event 2 (`TOOL_CALL_START`) says",
            "other-subagent [7, 5]: event 7 (`ACTIVITY_DELTA`) is of the subagent `b`, but the activity `v` is of the subagent `a`, as event 5 (`ACTIVITY_SNAPSHOT`) says",
        ],
    ),
    (
        "a snapshot may have given it to somebody else",
        &[
            START, TEXT, SNAPSHOT, WORD_OF_A, TEXT_END, TEXT, WORD_OF_A, TEXT_END, FINISH,
        ],
        &[],
    ),
    (
        "null is told once, and is nobody",
        &[
            START,
            r#"{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":null}"#,
            r#"{"type":"TEXT_MESSAGE_END","messageId":"m","subagentRunId":null}"#,
            FINISH,
        ],
        &[
            "null-subagent [2]: event 2 (`TEXT_MESSAGE_START`) has a `subagentRunId` that is `null`: it must be omitted if there is none",
        ],
    ),
    (
        "names that try to be something else",
        &[
            START,
            r#"{"type":"TEXT_MESSAGE_END","messageId":"\u001b[31m`\n`"}"#,
            FINISH,
        ],
        &[
            r"text-not-open [2]: event 2 (`TEXT_MESSAGE_END`) ends the message `\u{1b}[31m`\n``, which never began",
        ],
    ),
];

/// What is not a violation, although it looks like one.
pub(super) const LEGAL: &[Row] = &[
    ("no run but an error", &[ERROR], &[]),
    (
        "messages and calls inside one another",
        &[START, TEXT, CALL, WORD, ARGS, TEXT_END, CALL_END, FINISH],
        &[],
    ),
    (
        "a result of nothing, twice",
        &[
            START,
            r#"{"type":"TOOL_CALL_RESULT","messageId":"a","toolCallId":"c","content":"x"}"#,
            r#"{"type":"TOOL_CALL_RESULT","messageId":"a","toolCallId":"c","content":"x"}"#,
            FINISH,
        ],
        &[],
    ),
    (
        "events nobody knows, wherever they are",
        &[
            r#"{"type":"NEW"}"#,
            START,
            CHUNK,
            r#"{"type":"NEW"}"#,
            MORE,
            FINISH,
            r#"{"type":"NEW"}"#,
        ],
        &[
            "unknown-event [1]: `event:NEW` was not understood: {\"type\":\"NEW\"}",
            "unknown-event [4]: `event:NEW` was not understood: {\"type\":\"NEW\"}",
            "unknown-event [7]: `event:NEW` was not understood: {\"type\":\"NEW\"}",
        ],
    ),
    (
        "subagents that nobody announced",
        &[
            START,
            TEXT_OF_A,
            WORD_OF_A,
            TEXT_END,
            STEP_OF_A,
            STEP_OF_A_END,
            FINISH,
        ],
        &[],
    ),
    (
        "the same id for different things",
        &[
            START,
            TEXT_OF_A,
            r#"{"type":"TOOL_CALL_START","toolCallId":"m","toolCallName":"look"}"#,
            r#"{"type":"TOOL_CALL_END","toolCallId":"m"}"#,
            TEXT_END,
            FINISH,
        ],
        &[],
    ),
    (
        "thinking of the versions before, in any order",
        &[
            OLD_START,
            r#"{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"x"}"#,
            r#"{"type":"THINKING_START"}"#,
            FINISH,
        ],
        &[],
    ),
    (
        "reasoning of the versions before, in any order",
        &[
            OLD_START,
            r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"t","delta":"x"}"#,
            r#"{"type":"REASONING_START","messageId":"t"}"#,
            r#"{"type":"REASONING_START","messageId":"t"}"#,
            r#"{"type":"REASONING_MESSAGE_START","messageId":"t"}"#,
            THOUGHT_CHUNK,
            MORE_THOUGHT,
            FINISH,
        ],
        &[],
    ),
    (
        "chunks of the versions before that disagree",
        &[
            OLD_START,
            CHUNK,
            r#"{"type":"TEXT_MESSAGE_CHUNK","role":"user","delta":"x"}"#,
            FINISH,
        ],
        &[],
    ),
];

/// What is true in every version, and that the version is the run's own.
pub(super) const VERSIONS: &[Row] = &[
    (
        "calls of the versions before",
        &[OLD_START, CALL, FINISH],
        &[
            "call-still-open [3, 2]: event 3 (`RUN_FINISHED`) comes while the call `c` is open, since event 2 (`TOOL_CALL_START`)",
        ],
    ),
    (
        "a later version",
        &[
            r#"{"type":"RUN_STARTED","protocolVersion":"2.1"}"#,
            r#"{"type":"REASONING_END","messageId":"t"}"#,
            FINISH,
        ],
        &[
            "reasoning-not-open [2]: event 2 (`REASONING_END`) ends the reasoning span `t`, which never began",
        ],
    ),
    (
        "a version before 1.0, and one that is none",
        &[
            r#"{"type":"RUN_STARTED","protocolVersion":"0.9"}"#,
            r#"{"type":"REASONING_END","messageId":"t"}"#,
            FINISH,
            r#"{"type":"RUN_STARTED","protocolVersion":"new"}"#,
            r#"{"type":"REASONING_END","messageId":"t"}"#,
            FINISH,
        ],
        &[],
    ),
    (
        "a replay of an old run and a new one",
        &[
            OLD_START,
            r#"{"type":"REASONING_END","messageId":"t"}"#,
            FINISH,
            START,
            r#"{"type":"REASONING_END","messageId":"t"}"#,
            FINISH,
        ],
        &[
            "reasoning-not-open [5]: event 5 (`REASONING_END`) ends the reasoning span `t`, which never began",
        ],
    ),
];
