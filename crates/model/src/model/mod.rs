//! The keys that people write, one type per file.
//!
//! The types mirror the YAML key by key; the doc comment of a field is its description in the generated schema and in an
//! editor's hover, and every field carries its since-version as `x-since` (that of its type, [`Since`], unless it has one of
//! its own). A type is read from a [`Node`](ananke_base::source::Node) by `source::from_node`.
//!
//! **Invariant:** nothing here does input or output, and no string has been interpolated yet; every field says since when it
//! exists.

mod assert_block;
mod call_selector;
mod case_assertion;
mod case_line;
mod case_message;
mod case_simulation;
mod cases;
mod client_tool;
mod content;
mod interactive;
mod judge;
mod language;
mod message;
mod mutation_operator;
mod outcome;
mod programs;
mod project_settings;
mod provenance;
mod report_format;
mod request_options;
mod respond;
mod run_defaults;
mod scalars;
mod short;
mod simulate;
mod since;
mod snapshot;
mod step;
mod test;
mod test_file;
mod test_runs;
mod toggle;
mod tool_rules;
mod tree;
mod turn;
mod turn_type;
mod whenever;

pub use assert_block::{
    AssertBlock, TextOf, TextRules, TimingLimits, UsageLimits, ValueRule, ValueType,
};
pub use call_selector::{CallSelector, CallStatus, ResultMatch};
pub use case_assertion::{AssertionOptions, AssertionType, CaseAssertion, CaseAssertions};
pub use case_line::{CaseLine, CaseTurn};
pub use case_message::{
    CaseInput, CaseMessage, CasePart, CaseParts, PartAudio, PartFile, PartType, PartUrl,
};
pub use case_simulation::{CaseCheckpoint, CaseInteractive, CaseSimulator, CaseType};
pub use cases::{Cases, Skip};
pub use client_tool::{ClientTool, Mock, MockAnswer, MockCase};
pub use content::{Media, TextPart, WrittenAttachment, WrittenContent, WrittenPart};
pub use interactive::{Awaiting, CONFIRMATION_TOOLS, Interactive, MissingInput};
pub use judge::{JudgeRule, JudgedText};
pub use language::{MEANT_SHAPES, NEWEST_VERSION, NOT_YET, TAG_DEFAULTS, VERSIONS, WrittenShape};
pub use message::{Arguments, CallKind, CalledFunction, MessageCall, MessageDefinition};
pub use mutation_operator::MutationOperator;
pub use outcome::{OutcomeIs, OutcomeRule, RunOutcome};
pub use programs::{Hook, Ready, ScriptProgram, ScriptRule, Server};
pub use project_settings::{
    EnvFile, EnvFileEntry, HarmlessMutation, MutationSettings, ProjectLimits, QuarantineEntry,
    RedactEntry, RedactMatch,
};
pub use provenance::{
    DetailedSource, Normalisation, ProvenanceRule, SourceName, TracedCall, TracedValues,
    ValueSource,
};
pub use report_format::{ReportEntry, ReportFormat, ReportSettings, ReportTarget, ReportedEvents};
pub use request_options::{Caller, RequestOptions};
pub use respond::{ElicitationAction, ElicitationAnswer, Respond, ServerRoot};
pub use run_defaults::{FlakyVerdict, JunitDialect, RunDefaults};
pub use scalars::{
    Decimal, Flag, Limit, Number, OneOrMany, Scalar, Text, TimeoutMs, WholeNumber, add_bounds,
    extension_keys, is_reference, mapping, optional_mapping, version_schema,
};
pub use short::{Short, TextOr};
pub use simulate::{Checkpoint, Simulate, SimulatorName, Walk, WalkAction};
pub use since::{Since, TYPE, branch, take_properties};
pub use snapshot::{SnapshotOf, SnapshotRule};
pub use step::{
    CallStep, MessageRole, ResultStep, SequenceMode, SequenceRule, SequenceStep, StepKeys,
};
pub use test::Test;
pub use test_file::TestFile;
pub use test_runs::{BrokenProhibitions, Percent, TestRuns};
pub use toggle::Toggle;
pub use tool_rules::{Count, ForbidCalls, Require, RequireEntry, Subagents, ToolRules, WhichCalls};
pub use tree::{File, form, is_extension_key};
pub use turn::{
    Capture, Resume, ResumeStatus, ResumeTurn, SentByTurn, Turn, TurnSettings, UserTurn,
};
pub use turn_type::{
    OwnTurnKeys, TurnKind, TurnType, connect_type_name, install_turn_types, resume_type_name,
};
pub use whenever::{AnswerStatus, AnsweredStep, CauseStep, SamePaths, WheneverRule, WithinScope};
