//! Masking of an outcome: every string that can come from the agent, a variable or a file.

use std::borrow::Cow;

use super::call::{CallOutcome, LateResult};
use super::checkpoint::CheckpointOutcome;
use super::checkpoint_runs::CheckpointRuns;
use super::evidence_line::EvidenceLine;
use super::failed_runs::FailedRuns;
use super::identity::TestIdentity;
use super::input_decision::InputDecision;
use super::near_name::{NearName, NearNames};
use super::outcome::Outcome;
use super::problem::Problem;
use super::quarantine::Quarantine;
use super::raw_turn::{RawEvent, RawExchange, RawStateChange, RawTurn, StateHistory};
use super::rule_result::RuleResult;
use super::ruling::{JudgeAnswer, Ruling};
use super::run_close::RunClose;
use super::run_end::{OpenInterrupt, ReportedRunEnd};
use super::run_facts::RunFacts;
use super::stability::Stability;
use super::test_end::TestEnd;
use super::test_verdict::{SnapshotWritten, TestVerdict};
use super::transcript::{EarlierMessage, Transcript};
use super::transcript_line::{SaidLine, TranscriptLine};
use super::turn::TurnOutcome;
use super::turn_end::TurnEnd;
use super::value_difference::ValueDifference;
use super::verdict::Verdict;
use super::walk::{ActionCount, FailedWalk, Walks};
use crate::redact::{MASK, Mask, Redactor};
use ananke_base::diagnostic::{Difference, Excerpt, Place};
use ananke_model::variables::{TestAbout, is_secret_header};

/// The fields of each type that are masked, and those that contain nothing from outside; every field is one or the other.
macro_rules! masked {
    ($($type:ident { $($masked:ident),* } not { $($own:ident),* })*) => {$(
        impl Mask for $type {
            fn mask(&mut self, redactor: &Redactor) {
                let Self { $($masked,)* $($own: _,)* } = self;
                $($masked.mask(redactor);)*
            }
        }
    )*};
}

masked! {
    ActionCount { name } not { taken, possible }
    CallOutcome { id, name, args, result } not {
        event, result_event, is_client_side, hides_result, started_us, duration_us, failure
    }
    CheckpointOutcome { id, description, missed } not { is_required, reached_at }
    CheckpointRuns { id } not { is_required, reached, first_turn, last_turn }
    EarlierMessage { text } not { role }
    FailedRuns { kind, message } not { status, count, runs }
    FailedWalk { actions, shrunk } not { number, tries, is_shortest }
    InputDecision { question, hint } not { reason }
    JudgeAnswer { reason, suggestions } not { passed, score }
    LateResult { id, name, result } not { event, called_in, arrived_us, failure }
    NearName { place, name, nearest } not { rule }
    NearNames { found } not { note }
    OpenInterrupt { id, reason, message, tool } not {}
    Problem { message, help } not { kind }
    Quarantine { test, owner, reason } not { expires, place }
    RawEvent { raw } not { number, at_us }
    RawStateChange { value } not { event, kind }
    RawTurn { exchanges, events, state } not { dropped }
    RuleResult {
        tool, ruling, place, written, excerpt, message, expected, seen, found, differences, help,
        difference
    } not { rule, level, is_prohibition, status, measured, counts, events }
    Ruling { judge, answers } not { lane, threshold, quorum, is_negated }
    RunClose { verdict } not { elapsed_us, interrupted }
    RunFacts {
        command, config, target, target_description, model, host, commit, branch, job_url,
        blob_url, files
    } not { ananke, parallel, shard }
    SaidLine { id, text } not { event, at_us, repeats_result }
    SnapshotWritten { file } not { is_new }
    Stability { failures, checkpoints } not {
        policy, passed, failed, verdict, durations, turns, tokens, further_failed
    }
    StateHistory { before, changes } not {}
    TestIdentity {
        id, name, row, about, file, path, target, agent, quarantine
    } not { is_without_file, is_default_target, line }
    TestVerdict { rules, silenced, end, warnings, snapshots } not { judges_not_asked }
    Transcript { thread_id, history, turns, checkpoints, state, recording } not {
        peer, time, turns_not_run, messages_count, started_unix_ms, ended_unix_ms, duration_us,
        is_unanswered
    }
    TurnOutcome { raw, awaits, rules, run_end, id, input, lines, end, warnings } not {
        number, origin, started_unix_ms, ended_unix_ms, duration_us, usage, timing
    }
    ValueDifference { path, expected, actual } not { event, of }
    Verdict { expired, near_names } not { totals, flaky_fails, lost, warnings_fail, is_part }
    Walks { actions, failed } not { seed, walks, passed, turns, tokens }
}

impl Mask for TestAbout {
    fn mask(&mut self, redactor: &Redactor) {
        self.texts_mut().for_each(|text| text.mask(redactor));
    }
}

impl Mask for Place {
    fn mask(&mut self, redactor: &Redactor) {
        if let Cow::Owned(file) = redactor.text(&self.file) {
            self.file = file.into();
        }
    }
}

impl Mask for Excerpt {
    fn mask(&mut self, redactor: &Redactor) {
        for line in &mut self.lines {
            line.text.mask(redactor);
        }
        self.truncate();
    }
}

impl Mask for Difference {
    fn mask(&mut self, redactor: &Redactor) {
        for line in self.hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
            line.text.mask(redactor);
        }
    }
}

impl Mask for EvidenceLine {
    fn mask(&mut self, redactor: &Redactor) {
        if let Self::Call { remark, .. } = self {
            remark.mask(redactor);
        }
        self.text_mut().mask(redactor);
    }
}

impl Mask for TranscriptLine {
    fn mask(&mut self, redactor: &Redactor) {
        match self {
            Self::Says(said) | Self::Thinks(said) => said.mask(redactor),
            Self::Calls(call) => call.mask(redactor),
            Self::Answered(late) => late.mask(redactor),
            Self::Custom { name, value, .. } => {
                name.mask(redactor);
                value.mask(redactor);
            }
        }
    }
}

impl Mask for ReportedRunEnd {
    fn mask(&mut self, redactor: &Redactor) {
        match self {
            Self::Finished | Self::Cancelled => {}
            Self::Error(message) => message.mask(redactor),
            Self::Interrupted(interrupts) => interrupts.mask(redactor),
        }
    }
}

impl Mask for TurnEnd {
    fn mask(&mut self, redactor: &Redactor) {
        match self {
            Self::Evaluated | Self::Stopped => {}
            Self::Problem(problem) => problem.mask(redactor),
        }
    }
}

impl Mask for TestEnd {
    fn mask(&mut self, redactor: &Redactor) {
        match self {
            Self::Evaluated => {}
            Self::Problem(problem) => problem.mask(redactor),
            Self::Skipped(_, reason) => reason.mask(redactor),
        }
    }
}

impl Mask for RawExchange {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            event: _,
            method: _,
            url,
            request_headers,
            body,
            status: _,
            response_headers,
        } = self;
        url.mask(redactor);
        mask_headers(request_headers, redactor);
        body.mask(redactor);
        mask_headers(response_headers, redactor);
    }
}

/// Masks headers: those whose names say that they carry secrets, whether a variable gives them or not, and every secret in
/// the others.
pub fn mask_headers(headers: &mut [(String, String)], redactor: &Redactor) {
    for (name, value) in headers {
        if is_secret_header(name) {
            MASK.clone_into(value);
        }
        name.mask(redactor);
        value.mask(redactor);
    }
}

/// Truncates as well: nothing is truncated before it is masked.
impl Mask for Outcome {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            test,
            verdict,
            transcript,
            run: _,
            earlier_attempts,
            stability,
            walks,
            other_runs,
            self_comparison: _,
            change: _,
        } = self;
        test.mask(redactor);
        verdict.mask(redactor);
        transcript.mask(redactor);
        earlier_attempts.mask(redactor);
        stability.mask(redactor);
        walks.mask(redactor);
        other_runs.mask(redactor);
        self.bound();
    }
}
