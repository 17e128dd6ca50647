//! The rules of sequence explained: one table that `ananke explain RULE` prints, the documentation contains and the tests
//! execute.

use super::rule::SequenceRule;

/// The explanation of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// A few sentences.
    pub about: &'static str,
    /// The events of a response that violates this rule, and no other.
    pub wrong: &'static [&'static str],
    /// The events of a similar response that violates none.
    pub right: &'static [&'static str],
}

const START: &str = r#"{"type":"RUN_STARTED","threadId":"t1","runId":"r1","protocolVersion":"1.0"}"#;
const NEXT: &str = r#"{"type":"RUN_STARTED","threadId":"t1","runId":"r2","protocolVersion":"1.0"}"#;
const FINISH: &str = r#"{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}"#;
const NEXT_FINISH: &str = r#"{"type":"RUN_FINISHED","threadId":"t1","runId":"r2"}"#;
const ERROR: &str = r#"{"type":"RUN_ERROR","message":"model unavailable"}"#;
const CUSTOM: &str = r#"{"type":"CUSTOM","name":"progress","value":1}"#;
const TEXT: &str = r#"{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}"#;
const TEXT_2: &str = r#"{"type":"TEXT_MESSAGE_START","messageId":"m2","role":"assistant"}"#;
const WORD: &str = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello"}"#;
const TEXT_END: &str = r#"{"type":"TEXT_MESSAGE_END","messageId":"m1"}"#;
const TEXT_2_END: &str = r#"{"type":"TEXT_MESSAGE_END","messageId":"m2"}"#;
const CALL: &str = r#"{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"search"}"#;
const ARGS: &str = r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}"#;
const CALL_END: &str = r#"{"type":"TOOL_CALL_END","toolCallId":"c1"}"#;
const SPAN: &str = r#"{"type":"REASONING_START","messageId":"r1"}"#;
const SPAN_END: &str = r#"{"type":"REASONING_END","messageId":"r1"}"#;
const THOUGHT: &str = r#"{"type":"REASONING_MESSAGE_START","messageId":"r1","role":"reasoning"}"#;
const THINK: &str = r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"r1","delta":"Hm"}"#;
const THOUGHT_END: &str = r#"{"type":"REASONING_MESSAGE_END","messageId":"r1"}"#;
const STEP: &str = r#"{"type":"STEP_STARTED","stepName":"plan"}"#;
const STEP_END: &str = r#"{"type":"STEP_FINISHED","stepName":"plan"}"#;
const STEP_OF_S1: &str = r#"{"type":"STEP_STARTED","stepName":"plan","subagentRunId":"s1"}"#;
const STEP_OF_S1_END: &str = r#"{"type":"STEP_FINISHED","stepName":"plan","subagentRunId":"s1"}"#;
const S1: &str = r#"{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"finder"}"#;
const S1_END: &str = r#"{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}"#;
const S2: &str = r#"{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"finder"}"#;
const S2_BELOW_S1: &str =
    r#"{"type":"SUBAGENT_STARTED","subagentRunId":"s2","name":"reader","parentSubagentRunId":"s1"}"#;
const S2_END: &str = r#"{"type":"SUBAGENT_FINISHED","subagentRunId":"s2"}"#;
const TEXT_OF_S1: &str = r#"{"type":"TEXT_MESSAGE_START","messageId":"m1","subagentRunId":"s1"}"#;
const WORD_OF_S1: &str =
    r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","subagentRunId":"s1","delta":"Found"}"#;
const WORD_OF_S2: &str =
    r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","subagentRunId":"s2","delta":"Found"}"#;
const CHUNK: &str = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","delta":"Hel"}"#;
const MORE: &str = r#"{"type":"TEXT_MESSAGE_CHUNK","delta":"lo"}"#;
const CHUNK_OF_S1: &str =
    r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","subagentRunId":"s1","delta":"Hel"}"#;
const CHUNK_OF_S2: &str =
    r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m2","subagentRunId":"s2","delta":"Hel"}"#;
const MORE_OF_S1: &str = r#"{"type":"TEXT_MESSAGE_CHUNK","subagentRunId":"s1","delta":"lo"}"#;
const CALL_CHUNK: &str =
    r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"search","delta":"{"}"#;
const NAMELESS_CHUNK: &str = r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","delta":"}"}"#;
const OTHER_NAME_CHUNK: &str =
    r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"find","delta":"}"}"#;
const CUSTOM_OF_NULL: &str = r#"{"type":"CUSTOM","name":"progress","value":1,"subagentRunId":null}"#;

const fn of(
    about: &'static str,
    wrong: &'static [&'static str],
    right: &'static [&'static str],
) -> Explained {
    Explained { about, wrong, right }
}

impl SequenceRule {
    /// What it means, with an example.
    pub fn explained(self) -> Explained {
        explained(self)
    }
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn explained(rule: SequenceRule) -> Explained {
    use SequenceRule as Rule;
    match rule {
        Rule::RunNotStarted => of(
            "The first event of an answer is `RUN_STARTED`, or `RUN_ERROR` where no run could start. Told once for \
             everything that comes before.",
            &[CUSTOM, START, FINISH],
            &[START, CUSTOM, FINISH],
        ),
        Rule::RunAlreadyStarted => of(
            "An answer may hold several runs, one after the other: a run ends with `RUN_FINISHED` or `RUN_ERROR` \
             before the next one starts.",
            &[START, NEXT, NEXT_FINISH],
            &[START, FINISH, NEXT, NEXT_FINISH],
        ),
        Rule::AfterRunFinished => of(
            "After `RUN_FINISHED` the next run may start, or `RUN_ERROR` may say that something went wrong after all; \
             everything else belongs before it. Told once for all that comes too late.",
            &[START, FINISH, CUSTOM],
            &[START, FINISH, ERROR],
        ),
        Rule::AfterRunError => of(
            "`RUN_ERROR` ends a run, whatever is open. Only the next run may follow, no `RUN_FINISHED` either. Told once \
             for all that comes too late.",
            &[START, ERROR, FINISH],
            &[START, TEXT, ERROR, NEXT, NEXT_FINISH],
        ),
        Rule::TextAlreadyOpen => of(
            "`TEXT_MESSAGE_START` names a message that has begun and not ended. So does the first \
             `TEXT_MESSAGE_CHUNK` of a message that an event of its own began. A message that has ended may begin \
             again, and several messages may be open at once.",
            &[START, TEXT, TEXT, TEXT_END, FINISH],
            &[START, TEXT, TEXT_2, TEXT_END, TEXT, TEXT_END, TEXT_2_END, FINISH],
        ),
        Rule::TextNotOpen => of(
            "`TEXT_MESSAGE_CONTENT` and `TEXT_MESSAGE_END` name a message that has begun with `TEXT_MESSAGE_START` and \
             not ended. A message in chunks ends with any event that is no chunk of it, so that neither may follow.",
            &[START, TEXT, TEXT_END, WORD, FINISH],
            &[START, TEXT, CALL, WORD, CALL_END, TEXT_END, FINISH],
        ),
        Rule::TextStillOpen => of(
            "Every message has ended when the run finishes. A message in chunks ends by itself; after `RUN_ERROR` \
             nothing has to be whole.",
            &[START, TEXT, WORD, FINISH],
            &[START, TEXT, WORD, ERROR],
        ),
        Rule::CallAlreadyOpen => of(
            "`TOOL_CALL_START` names a call that has begun and not ended. So does the first `TOOL_CALL_CHUNK` of a call \
             that an event of its own began. A call that has ended may be announced again, as agents do that \
             go on after an interrupt.",
            &[START, CALL, CALL, CALL_END, FINISH],
            &[START, CALL, CALL_END, CALL, CALL_END, FINISH],
        ),
        Rule::CallNotOpen => of(
            "`TOOL_CALL_ARGS` and `TOOL_CALL_END` name a call that has begun with `TOOL_CALL_START` and not ended. \
             `TOOL_CALL_RESULT` may come at any time, also for a call of an earlier run.",
            &[START, CALL, CALL_END, ARGS, FINISH],
            &[START, CALL, ARGS, CALL_END, FINISH],
        ),
        Rule::CallStillOpen => of(
            "Every call has ended when the run finishes: its arguments are complete. A result is not needed, since the \
             client may be the one to make it.",
            &[START, CALL, ARGS, FINISH],
            &[START, CALL_CHUNK, FINISH],
        ),
        Rule::ReasoningAlreadyOpen => of(
            "`REASONING_START` names a span of reasoning that has begun and not ended. Only for servers of 1.0 and \
             later, which say so with `protocolVersion` in `RUN_STARTED`.",
            &[START, SPAN, SPAN, SPAN_END, FINISH],
            &[START, SPAN, SPAN_END, SPAN, SPAN_END, FINISH],
        ),
        Rule::ReasoningNotOpen => of(
            "`REASONING_END` names a span of reasoning that has begun with `REASONING_START` and not ended. Only for \
             servers of 1.0 and later.",
            &[START, THOUGHT, THOUGHT_END, SPAN_END, FINISH],
            &[START, SPAN, THOUGHT, SPAN_END, THOUGHT_END, FINISH],
        ),
        Rule::ReasoningStillOpen => of(
            "Every span of reasoning has ended when the run finishes. Only for servers of 1.0 and later.",
            &[START, SPAN, THOUGHT, THOUGHT_END, FINISH],
            &[START, THOUGHT, THOUGHT_END, FINISH],
        ),
        Rule::ReasoningMessageAlreadyOpen => of(
            "`REASONING_MESSAGE_START` names a reasoning message that has begun and not ended. The span around it may \
             have the same id. Only for servers of 1.0 and later.",
            &[START, THOUGHT, THOUGHT, THOUGHT_END, FINISH],
            &[START, SPAN, THOUGHT, THOUGHT_END, SPAN_END, FINISH],
        ),
        Rule::ReasoningMessageNotOpen => of(
            "`REASONING_MESSAGE_CONTENT` and `REASONING_MESSAGE_END` name a reasoning message that has begun with \
             `REASONING_MESSAGE_START` and not ended; a span alone is none. Only for servers of 1.0 and later.",
            &[START, SPAN, THINK, SPAN_END, FINISH],
            &[START, THOUGHT, THINK, THOUGHT_END, FINISH],
        ),
        Rule::ReasoningMessageStillOpen => of(
            "Every reasoning message has ended when the run finishes. Only for servers of 1.0 and later.",
            &[START, SPAN, THOUGHT, SPAN_END, FINISH],
            &[START, SPAN, THOUGHT, SPAN_END, ERROR],
        ),
        Rule::StepAlreadyOpen => of(
            "A step of this name is open already. The agent and each of its subagents have names of their own.",
            &[START, STEP, STEP, STEP_END, FINISH],
            &[START, STEP, STEP_OF_S1, STEP_END, STEP_OF_S1_END, FINISH],
        ),
        Rule::StepNotOpen => of(
            "`STEP_FINISHED` names a step that is open, with the `subagentRunId` of whoever started it.",
            &[START, STEP, STEP_OF_S1_END, STEP_END, FINISH],
            &[START, STEP, STEP_END, STEP, STEP_END, FINISH],
        ),
        Rule::StepStillOpen => {
            of("Every step is finished when the run finishes.", &[START, STEP, FINISH], &[START, STEP, ERROR])
        }
        Rule::SubagentStartedTwice => of(
            "The id of a subagent stands for one invocation: no other `SUBAGENT_STARTED` of the run has it, not even \
             after the subagent has ended.",
            &[START, S1, S1_END, S1, FINISH],
            &[START, S1, S1_END, S2, S2_END, FINISH],
        ),
        Rule::SubagentUnknownParent => of(
            "`parentSubagentRunId` names a subagent that has started in this run. It may have ended.",
            &[START, S2_BELOW_S1, S2_END, FINISH],
            &[START, S1, S1_END, S2_BELOW_S1, S2_END, FINISH],
        ),
        Rule::SubagentNotRunning => of(
            "`SUBAGENT_FINISHED` and `SUBAGENT_ERROR` name a subagent that has started and not ended.",
            &[START, S1, S1_END, S1_END, FINISH],
            &[START, S1, S1_END, FINISH],
        ),
        Rule::SubagentStillRunning => of(
            "Every subagent that started has ended when the run finishes.",
            &[START, S1, FINISH],
            &[START, TEXT_OF_S1, TEXT_END, FINISH],
        ),
        Rule::OtherSubagent => of(
            "What goes on with a message, a call, a thought or an activity has the `subagentRunId` of the event that \
             began it, or none. What began without one is the agent's own. A call belongs to the message that \
             `parentMessageId` names.",
            &[START, TEXT_OF_S1, WORD_OF_S2, TEXT_END, FINISH],
            &[START, TEXT_OF_S1, WORD_OF_S1, WORD, TEXT_END, FINISH],
        ),
        Rule::NullSubagent => of(
            "`subagentRunId` is left out where there is no subagent; it is never `null`. Told once in an answer.",
            &[START, CUSTOM_OF_NULL, FINISH],
            &[START, CUSTOM, FINISH],
        ),
        Rule::ChunkWithoutId => of(
            "The first chunk of a message, call or reasoning message names its id. A chunk without one goes on with what \
             is under way; every other event of the same agent or subagent ends that, but for `RAW`, \
             `ACTIVITY_SNAPSHOT`, `ACTIVITY_DELTA`, `REASONING_ENCRYPTED_VALUE` and `SUBAGENT_STARTED`.",
            &[START, TEXT_2, CHUNK, CUSTOM, MORE, TEXT_2_END, FINISH],
            &[START, TEXT_2, CHUNK, S1, MORE, S1_END, TEXT_2_END, FINISH],
        ),
        Rule::ChunkWithoutName => of(
            "The first chunk of a call says the tool's name.",
            &[START, NAMELESS_CHUNK, FINISH],
            &[START, CALL_CHUNK, NAMELESS_CHUNK, FINISH],
        ),
        Rule::ChunkAmbiguous => of(
            "A chunk that names neither an id nor a subagent goes on with what the agent itself has under way, else with \
             the only thing that is. Here there are several.",
            &[START, CHUNK_OF_S1, CHUNK_OF_S2, MORE, FINISH],
            &[START, CHUNK_OF_S1, CHUNK_OF_S2, MORE_OF_S1, FINISH],
        ),
        Rule::ChunkDisagrees => of(
            "A later chunk may repeat `role`, `name`, `toolCallName` or `parentMessageId` of the first one, with the same \
             value. Only for servers of 1.0 and later.",
            &[START, CALL_CHUNK, OTHER_NAME_CHUNK, FINISH],
            &[START, CALL_CHUNK, CALL_CHUNK, FINISH],
        ),
    }
}
