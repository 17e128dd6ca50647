//! Masking of an outcome: every string that can come from the agent, a variable or a file.

use std::borrow::Cow;

use super::{CallOutcome, Failure, Line, Outcome, Problem, TurnOutcome};
use crate::redact::{Mask, Redactor};

impl Mask for Failure {
    fn mask(&mut self, redactor: &Redactor) {
        let Self { rule: _, level: _, place, message, expected, seen, events: _ } = self;
        if let Cow::Owned(file) = redactor.text(&place.file) {
            place.file = file.into();
        }
        message.mask(redactor);
        expected.mask(redactor);
        seen.mask(redactor);
    }
}

impl Mask for Problem {
    fn mask(&mut self, redactor: &Redactor) {
        let Self { kind: _, message, help } = self;
        message.mask(redactor);
        help.mask(redactor);
    }
}

impl Mask for CallOutcome {
    fn mask(&mut self, redactor: &Redactor) {
        let Self { event: _, name, args, result, is_clients: _, started_us: _, duration_us: _ } = self;
        name.mask(redactor);
        args.mask(redactor);
        result.mask(redactor);
    }
}

impl Mask for Line {
    fn mask(&mut self, redactor: &Redactor) {
        match self {
            Self::Says { event: _, text } => text.mask(redactor),
            Self::Calls(call) => call.mask(redactor),
        }
    }
}

impl Mask for TurnOutcome {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            number: _,
            input,
            lines,
            started_unix_ms: _,
            ended_unix_ms: _,
            duration_us: _,
            status: _,
            failures,
            problem,
            warnings,
        } = self;
        input.mask(redactor);
        lines.mask(redactor);
        failures.mask(redactor);
        problem.mask(redactor);
        warnings.mask(redactor);
    }
}

impl Mask for Outcome {
    fn mask(&mut self, redactor: &Redactor) {
        let Self {
            id,
            name,
            file,
            line: _,
            target,
            agent,
            thread_id,
            status: _,
            turns,
            turns_not_run: _,
            failures,
            problem,
            warnings,
            started_unix_ms: _,
            ended_unix_ms: _,
            messages_count: _,
            duration_us: _,
        } = self;
        for text in [id, name, file, target, agent, thread_id] {
            text.mask(redactor);
        }
        turns.mask(redactor);
        failures.mask(redactor);
        problem.mask(redactor);
        warnings.mask(redactor);
    }
}
