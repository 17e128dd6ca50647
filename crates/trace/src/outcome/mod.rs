//! Inert data of one finished test ([`Outcome`]): which test it is ([`TestIdentity`]), what its rules and its setup came to
//! ([`TestVerdict`]), and what was said and done ([`Transcript`], turn by turn), with the attempts before its last; and the
//! verdict of a run ([`Verdict`]).
//!
//! Reports are written from these values alone. A status is derived from how a turn or a test ended, never set. What was sent
//! and received is in it as it was only if a report is to have it (`raw_turn`).
//!
//! **Invariant:** bounded in size, and every string can be masked.

mod attempt;
mod bounds;
mod call;
mod checkpoint;
mod checkpoint_runs;
mod evidence_line;
mod failed_runs;
mod failure_reason;
mod focused_json;
mod halt;
mod identity;
mod input_decision;
mod input_origin;
mod level;
mod measured;
mod near_name;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod outcome;
mod problem;
mod program_version;
mod quarantine;
mod raw_turn;
mod rule_counts;
mod rule_result;
mod ruling;
mod run_close;
mod run_end;
mod run_facts;
mod run_policy;
mod self_comparison;
mod shard;
mod stability;
mod status;
mod status_change;
mod test_end;
mod test_verdict;
mod timing;
mod token_totals;
mod totals;
mod transcript;
mod transcript_line;
mod turn;
mod turn_end;
mod value_difference;
mod verdict;
mod walk;
mod words;

pub use bounds::bounded;
pub use call::{CallFailure, CallOutcome, LateResult};
pub use checkpoint::CheckpointOutcome;
pub use checkpoint_runs::CheckpointRuns;
pub use evidence_line::EvidenceLine;
pub use failed_runs::FailedRuns;
pub use failure_reason::{FailureReason, without_values};
pub use focused_json::{FocusMark, FocusedJson, JsonFocus, UNEQUAL, brief, focused, surrounded};
pub use halt::Halt;
pub use identity::TestIdentity;
pub use input_decision::{InputDecision, InputReason};
pub use input_origin::InputOrigin;
pub use level::Level;
pub use measured::{Measured, MeasuredUnit};
pub use near_name::{NearName, NearNames};
pub use outcome::Outcome;
pub use problem::{ErrorKind, Problem};
pub use program_version::ProgramVersion;
pub use quarantine::Quarantine;
pub use raw_turn::{
    MOST_RAW, RawEvent, RawExchange, RawStateChange, RawTurn, StateChangeKind, StateHistory,
};
pub use rule_counts::RuleCounts;
pub use rule_result::{RuleResult, RuleStatus};
pub use ruling::{JudgeAnswer, Ruling};
pub use run_close::RunClose;
pub use run_end::{OpenInterrupt, ReportedRunEnd};
pub use run_facts::RunFacts;
pub use run_policy::RunPolicy;
pub use self_comparison::SelfComparison;
pub use shard::{Shard, ShardBy};
pub use stability::{Stability, StabilityVerdict};
pub use status::Status;
pub use status_change::{EarlierStatuses, StatusChange};
pub use test_end::{SkipCause, TestEnd};
pub use test_verdict::{SnapshotWritten, TestVerdict};
pub use timing::{Gap, TimeLimits, Timing};
pub use token_totals::TokenTotals;
pub use totals::{ChangeTotals, JudgedTotals, Totals};
pub use transcript::{EarlierMessage, Transcript};
pub use transcript_line::{SaidLine, TranscriptLine};
pub use turn::TurnOutcome;
pub use turn_end::TurnEnd;
pub use value_difference::{ComparedValue, ValueDifference};
pub use verdict::{Lost, Verdict};
pub use walk::{ActionCount, FailedWalk, Walks};
