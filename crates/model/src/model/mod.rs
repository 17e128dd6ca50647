//! The keys that people write. `config/` has the parts of a config, `rules/` the rules with keys of their own, `jsonl/` the cases
//! of JSONL files.
//!
//! The types mirror the YAML key by key; the doc comment of a field is its description in the generated schema and in an
//! editor's hover, and every field carries its since-version as `x-since` (that of its type, [`Since`], unless it has one of
//! its own). A type is read from a [`Node`](ananke_base::source::Node) by `source::from_node`.
//!
//! **Invariant:** nothing here does input or output, and no string has been interpolated yet; every field says since when it
//! exists.

mod assert_block;
mod call_selector;
mod cases;
mod client_tool;
mod config;
mod content;
mod count;
mod interactive;
mod jsonl;
mod language;
mod message;
mod model_script;
mod report_format;
mod request_options;
mod respond;
mod rules;
mod scalars;
mod short;
mod simulate;
mod since;
mod test;
mod test_file;
mod test_runs;
mod toggle;
mod tree;
mod turn;
mod turn_condition;
mod turn_type;
mod value_condition;

pub use assert_block::{AssertBlock, TextOf, TextRules, TimingLimits, UsageLimits, ValueRule};
pub use call_selector::{CallSelector, CallStatus, ResultMatch};
pub use cases::{Cases, Skip};
pub use client_tool::{ClientTool, ExecutedTools, Mock, MockAnswer, MockCase};
pub use config::{
    EnvFile, EnvFileEntry, HarmlessMutation, Hook, ModelAnswerSource, ModelIsolation, ModelPace,
    ModelPrice, MutationOperator, MutationSettings, ProjectLimits, QuarantineEntry, Ready,
    RedactEntry, RedactMatch, ScriptProgram, ScriptRule, Server, WrittenModel, WrittenModelEnv,
    WrittenPrices,
};
pub use content::{Media, TextPart, WrittenAttachment, WrittenContent, WrittenPart};
pub use count::Count;
pub use interactive::{Awaiting, CONFIRMATION_TOOLS, Interactive, MissingInput};
pub use jsonl::{
    AssertionOptions, AssertionType, CaseAssertion, CaseAssertions, CaseCheckpoint, CaseInput,
    CaseInteractive, CaseLine, CaseMessage, CasePart, CaseParts, CaseSimulator, CaseTurn, CaseType,
    PartAudio, PartFile, PartType, PartUrl,
};
pub use language::{MEANT_SHAPES, NEWEST_VERSION, NOT_YET, TAG_DEFAULTS, VERSIONS, WrittenShape};
pub use message::{Arguments, CallKind, CalledFunction, MessageCall, MessageDefinition};
pub use model_script::{
    EmbeddingAnswers, LaneScripts, ModelApiName, ModelFinish, ModelRule, ModelScript,
    ModelScriptCall, ModelStep, ModelTokens, ModelWhen, ReplySteps, ScriptFile,
};
pub use report_format::{ReportEntry, ReportFormat, ReportSettings, ReportTarget, ReportedEvents};
pub use request_options::{Caller, RequestOptions};
pub use respond::{ElicitationAction, ElicitationAnswer, Respond, ServerRoot};
pub use rules::{
    AnswerStatus, AnsweredStep, CallStep, CauseStep, DetailedSource, EveryCall, ForbidCalls,
    JudgeRule, JudgedText, MessageRole, ModelRules, ModelUsageLimits, MostRequests, Normalisation,
    OfferedRules, OutcomeIs, OutcomeRule, PromptOf, PromptRules, ProvenanceRule, Require,
    RequireEntry, ResultStep, RunOutcome, SamePaths, SequenceMode, SequenceRule, SequenceStep,
    SnapshotOf, SnapshotRule, SourceName, StepKeys, Subagents, ToolRules, TracedCall, TracedValues,
    ValueSource, WheneverRule, WhichCalls, WhichRequests, WithinScope,
};
pub use scalars::{
    CostLimit, Decimal, Flag, Limit, Number, OneOrMany, Scalar, Text, TimeoutMs, WholeNumber,
    add_bounds, extension_keys, is_reference, mapping, optional_mapping, version_schema,
};
pub use short::{Short, ShortForm, TextOr};
pub use simulate::{Checkpoint, Simulate, SimulatorName, Walk, WalkAction};
pub use since::{Excludes, FormsSince, NotBefore, OneSince, Since, TYPE, branch, take_properties};
pub use test::Test;
pub use test_file::TestFile;
pub use test_runs::{BrokenProhibitions, Percent, TestRuns};
pub use toggle::Toggle;
pub use tree::{File, form, is_extension_key};
pub use turn::{
    Capture, Resume, ResumeStatus, ResumeTurn, SentByTurn, Turn, TurnHttpRequest, TurnSettings,
    UserTurn,
};
pub use turn_condition::{ConditionWord, TurnStepKeys, WrittenCondition};
pub use turn_type::{
    OwnTurnKeys, TurnKind, TurnType, connect_type_name, install_turn_types, resume_type_name,
};
pub use value_condition::{
    BoundValue, CONDITION_WORDS, ResultWhere, ValueCondition, ValueType, ValuesWhere,
};
