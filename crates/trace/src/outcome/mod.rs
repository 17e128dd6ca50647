//! Inert data of one finished test ([`Outcome`]): which test it is ([`TestIdentity`]), what its rules and its setup came to
//! ([`TestVerdict`]), and what was said and done ([`Transcript`], turn by turn), with the attempts before its last; and the
//! verdict of a run ([`Verdict`]).
//!
//! Reports are written from these values alone. A status is derived from how a turn or a test ended, never set. What was sent
//! and received is in it as it was only if a report is to have it (`raw_turn`).
//!
//! **Invariant:** bounded in size, and every string can be masked.

mod attempt;
pub mod audit;
mod bounds;
mod case_words;
mod cause;
mod checkpoint;
pub mod contract;
pub mod coverage;
mod event;
mod focused_json;
mod identity;
mod input_origin;
mod lines;
pub mod mutation;
mod near_name;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod outcome;
mod problem;
mod raw_turn;
mod rule_evidence;
mod rule_result;
mod ruling;
mod run_facts;
mod sentence;
mod stability;
mod status;
mod test_verdict;
mod token_totals;
mod totals;
mod transcript;
mod transcript_line;
mod turn;
mod verdict;
mod walk;
mod words;

pub use attempt::{CountedStatus, EndCause};
pub use bounds::{bounded, bounded_bytes};
pub use case_words::CaseWords;
pub use cause::{Causes, CommonCause, Specimen, TestFinding};
pub use checkpoint::{CheckpointOutcome, CheckpointRuns};
pub use event::{AgentHost, ExchangePart, NoAnswer, RunEvent};
pub use focused_json::{FocusMark, FocusedJson, JsonFocus, UNEQUAL, brief, focused, surrounded};
pub use identity::{Quarantine, TestIdentity};
pub use input_origin::{InputDecision, InputOrigin, InputReason};
pub use lines::{CallFailure, CallOutcome, LateResult, ModelLine, ModelTotals};
pub use near_name::{NearName, NearNames};
pub use outcome::Outcome;
pub use problem::{ErrorKind, Problem, RECORD_MODELS};
pub use raw_turn::{
    MOST_RAW, RawEvent, RawExchange, RawStateChange, RawTurn, StateChangeKind, StateHistory,
};
pub use rule_evidence::{
    ComparedValue, EvidenceLine, Measured, MeasuredUnit, RuleCounts, ValueDifference,
};
pub use rule_result::{FailureReason, Level, RuleResult, RuleStatus};
pub use ruling::{JudgeAnswer, Ruling};
pub use run_facts::{ProgramVersion, RunFacts, Shard, ShardBy};
pub use sentence::without_values;
pub use stability::{FailedRuns, RunPolicy, SelfComparison, Stability, StabilityVerdict};
pub use status::{EarlierStatuses, Status, StatusChange};
pub use test_verdict::{Halt, SkipCause, SnapshotWritten, TestEnd, TestVerdict};
pub use token_totals::{HelperTotals, TokenTotals};
pub use totals::{ChangeTotals, JudgedTotals, Totals};
pub use transcript::{EarlierMessage, Transcript};
pub use transcript_line::{SaidLine, TranscriptLine};
pub use turn::{Gap, OpenInterrupt, ReportedRunEnd, TimeLimits, Timing, TurnEnd, TurnOutcome};
pub use verdict::{Lost, RunClose, Verdict};
pub use walk::{ActionCount, FailedWalk, Walks};
