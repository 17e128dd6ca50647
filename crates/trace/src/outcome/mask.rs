//! Masking of an outcome: every string that can come from the agent, a variable or a file.

use std::borrow::Cow;

use super::call::{CallOutcome, LateResult};
use super::checkpoint::CheckpointOutcome;
use super::checkpoint_runs::CheckpointRuns;
use super::evidence_line::EvidenceLine;
use super::failed_runs::FailedRuns;
use super::identity::TestIdentity;
use super::input_decision::InputDecision;
use super::near_name::NearName;
use super::outcome::Outcome;
use super::problem::Problem;
use super::quarantine::Quarantine;
use super::raw_turn::{RawExchange, RawTurn, StateHistory};
use super::rule_result::RuleResult;
use super::ruling::{JudgeAnswer, Ruling};
use super::run_end::{OpenInterrupt, ReportedRunEnd};
use super::test_end::TestEnd;
use super::test_verdict::TestVerdict;
use super::transcript::Transcript;
use super::transcript_line::TranscriptLine;
use super::turn::TurnOutcome;
use super::turn_end::TurnEnd;
use super::value_difference::ValueDifference;
use super::walk::{ActionCount, FailedWalk, Walks};
use crate::redact::{MASK, Mask, Redactor};
use ananke_base::diagnostic::Place;
use ananke_model::variables::is_secret_header;

impl Mask for Place {
    fn mask(&mut self, redactor: &Redactor) {
        if let Cow::Owned(file) = redactor.text(&self.file) {
            self.file = file.into();
        }
    }
}

impl Mask for NearName {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            place,
            name,
            rule: _,
            nearest,
        } = self;
        place.mask(redactor);
        name.mask(redactor);
        nearest.mask(redactor);
    }
}

impl Mask for RuleResult {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            rule: _,
            tool,
            level: _,
            is_prohibition: _,
            place,
            written,
            expected,
            status: _,
            message,
            measured: _,
            ruling,
            counts: _,
            excerpt,
            seen,
            found,
            differences,
            difference,
            help,
            events: _,
        } = self;
        tool.mask(redactor);
        ruling.mask(redactor);
        place.mask(redactor);
        written.mask(redactor);
        for line in &mut excerpt.lines {
            line.text.mask(redactor);
        }
        excerpt.truncate();
        message.mask(redactor);
        expected.mask(redactor);
        seen.mask(redactor);
        found.mask(redactor);
        differences.mask(redactor);
        help.mask(redactor);
        for hunk in difference
            .iter_mut()
            .flat_map(|difference| &mut difference.hunks)
        {
            for line in &mut hunk.lines {
                line.text.mask(redactor);
            }
        }
    }
}

impl Mask for EvidenceLine {
    fn mask(&mut self, redactor: &Redactor) {
        if let Self::Call {
            text: _,
            event: _,
            remark,
        } = self
        {
            remark.mask(redactor);
        }
        self.text_mut().mask(redactor);
    }
}

impl Mask for ValueDifference {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            event: _,
            of: _,
            path,
            expected,
            actual,
        } = self;
        path.mask(redactor);
        expected.mask(redactor);
        actual.mask(redactor);
    }
}

impl Mask for Ruling {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            judge,
            lane: _,
            threshold: _,
            quorum: _,
            is_negated: _,
            answers,
        } = self;
        judge.mask(redactor);
        answers.mask(redactor);
    }
}

impl Mask for JudgeAnswer {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            passed: _,
            score: _,
            reason,
            suggestions,
        } = self;
        reason.mask(redactor);
        suggestions.mask(redactor);
    }
}

impl Mask for Problem {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            kind: _,
            message,
            help,
        } = self;
        message.mask(redactor);
        help.mask(redactor);
    }
}

impl Mask for CallOutcome {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            id,
            name,
            args,
            result,
            ..
        } = self;
        id.mask(redactor);
        name.mask(redactor);
        args.mask(redactor);
        result.mask(redactor);
    }
}

impl Mask for TranscriptLine {
    fn mask(&mut self, redactor: &Redactor) {
        match self {
            Self::Says(said) | Self::Thinks(said) => {
                said.id.mask(redactor);
                said.text.mask(redactor);
            }
            Self::Calls(call) => call.mask(redactor),
            Self::Answered(late) => late.mask(redactor),
            Self::Custom { name, value, .. } => {
                name.mask(redactor);
                value.mask(redactor);
            }
        }
    }
}

impl Mask for LateResult {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            id, name, result, ..
        } = self;
        id.mask(redactor);
        name.mask(redactor);
        result.mask(redactor);
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

impl Mask for OpenInterrupt {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            id,
            reason,
            message,
            tool,
        } = self;
        id.mask(redactor);
        for text in [reason, message, tool] {
            text.mask(redactor);
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

impl Mask for TurnOutcome {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            number: _,
            id,
            input,
            origin: _,
            lines,
            started_unix_ms: _,
            ended_unix_ms: _,
            duration_us: _,
            run_end,
            usage: _,
            awaits,
            end,
            rules,
            warnings,
            timing: _,
            raw,
        } = self;
        raw.mask(redactor);
        if let Some(InputDecision {
            reason: _,
            question,
            hint,
        }) = awaits
        {
            question.mask(redactor);
            hint.mask(redactor);
        }
        rules.mask(redactor);
        run_end.mask(redactor);
        id.mask(redactor);
        input.mask(redactor);
        lines.mask(redactor);
        end.mask(redactor);
        warnings.mask(redactor);
    }
}

impl Mask for RawTurn {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            exchanges,
            events,
            state,
            dropped: _,
        } = self;
        exchanges.mask(redactor);
        for event in events {
            event.raw.mask(redactor);
        }
        if let Some(StateHistory { before, changes }) = state {
            before.mask(redactor);
            for change in changes {
                change.value.mask(redactor);
            }
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
        } = self;
        test.mask(redactor);
        verdict.mask(redactor);
        transcript.mask(redactor);
        earlier_attempts.mask(redactor);
        if let Some(stability) = stability {
            stability.failures.mask(redactor);
            stability.checkpoints.mask(redactor);
        }
        if let Some(walks) = walks {
            walks.mask(redactor);
        }
        other_runs.mask(redactor);
        self.bound();
    }
}

impl Mask for Walks {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            seed: _,
            walks: _,
            passed: _,
            actions,
            failed,
            turns: _,
            tokens: _,
        } = self;
        for ActionCount {
            name,
            taken: _,
            possible: _,
        } in actions
        {
            name.mask(redactor);
        }
        if let Some(FailedWalk {
            number: _,
            actions,
            shrunk,
            tries: _,
            is_shortest: _,
        }) = failed
        {
            actions.mask(redactor);
            shrunk.mask(redactor);
        }
    }
}

impl Mask for CheckpointRuns {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            id,
            is_required: _,
            reached: _,
            turns: _,
        } = self;
        id.mask(redactor);
    }
}

impl Mask for FailedRuns {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            status: _,
            kind,
            message,
            rule,
            count: _,
            runs: _,
        } = self;
        kind.mask(redactor);
        message.mask(redactor);
        rule.mask(redactor);
    }
}

impl Mask for TestIdentity {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            id,
            name,
            row,
            description,
            tags,
            file,
            path,
            is_without_file: _,
            is_default_target: _,
            line: _,
            target,
            agent,
            quarantine,
        } = self;
        for text in [id, name, file, path, target, agent] {
            text.mask(redactor);
        }
        row.mask(redactor);
        description.mask(redactor);
        tags.mask(redactor);
        quarantine.mask(redactor);
    }
}

impl Mask for TestVerdict {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            end,
            rules,
            silenced,
            judges_not_asked: _,
            warnings,
            snapshots,
        } = self;
        rules.mask(redactor);
        silenced.mask(redactor);
        end.mask(redactor);
        warnings.mask(redactor);
        for written in snapshots {
            written.file.mask(redactor);
        }
    }
}

impl Mask for Transcript {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            thread_id,
            history,
            peer: _,
            time: _,
            turns,
            checkpoints,
            turns_not_run: _,
            messages_count: _,
            state,
            started_unix_ms: _,
            ended_unix_ms: _,
            duration_us: _,
            is_unanswered: _,
            recording,
        } = self;
        thread_id.mask(redactor);
        state.mask(redactor);
        for message in history {
            message.text.mask(redactor);
        }
        turns.mask(redactor);
        for CheckpointOutcome {
            id,
            description,
            missed,
            ..
        } in checkpoints
        {
            id.mask(redactor);
            description.mask(redactor);
            missed.mask(redactor);
        }
        recording.mask(redactor);
    }
}

impl Mask for Quarantine {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            test,
            owner,
            expires: _,
            reason,
            place: _,
        } = self;
        test.mask(redactor);
        owner.mask(redactor);
        reason.mask(redactor);
    }
}
