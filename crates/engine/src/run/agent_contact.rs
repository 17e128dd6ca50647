//! How far an attempt came with its agent, from what is sent and received.
//!
//! Flows in: what a session reports. Flows out: whether nothing came of it, and to all tests that a target answers.

use std::sync::atomic::{AtomicU8, Ordering};

use super::answered_targets::AnsweredTargets;
use crate::engine::Observer;
use ananke_agents::{TargetError, Wire};
use ananke_base::context::At;
use ananke_base::message::Lane;
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::trace::Change;

/// Nothing was sent.
const NOT_ASKED: u8 = 0;
/// Something was sent.
const ASKED: u8 = 1;
/// The head of a response came.
const CONNECTED: u8 = 2;
/// A part of a response came.
const ANSWERED: u8 = 3;

/// How far one attempt came with its agent.
#[derive(Debug, Default)]
pub(super) struct AgentContact(AtomicU8);

impl AgentContact {
    fn reach(&self, step: u8) {
        self.0.fetch_max(step, Ordering::Relaxed);
    }

    /// Notes that no session could be opened.
    pub(super) fn not_opened(&self, error: &TargetError) {
        self.reach(match error.received.status {
            None => ASKED,
            Some(_) => CONNECTED,
        });
    }

    /// Whether the agent responded, if it was asked and that is known; `problem` is the first of the attempt. A head without
    /// anything after it is no response if the attempt timed out.
    pub(super) fn has_answered(&self, problem: Option<&Problem>) -> Option<bool> {
        let kind = problem.map(|problem| problem.kind);
        let is_unreachable =
            problem.is_some_and(|problem| TargetError::says_unreachable(&problem.message));
        match self.0.load(Ordering::Relaxed) {
            ASKED if is_unreachable => Some(false),
            ASKED | CONNECTED if kind == Some(ErrorKind::Timeout) => Some(false),
            NOT_ASKED | ASKED => None,
            _ => Some(true),
        }
    }
}

/// Follows the conversation of an attempt.
pub(super) struct ContactObserver<'a> {
    pub(super) contact: &'a AgentContact,
    pub(super) answers: &'a AnsweredTargets,
    pub(super) target: &'a str,
    /// Whether the agent answered already.
    pub(super) has_answered: bool,
}

impl ContactObserver<'_> {
    fn answered(&mut self) {
        if !self.has_answered {
            self.has_answered = true;
            self.contact.reach(ANSWERED);
            self.answers.note(self.target);
        }
    }
}

impl Observer for ContactObserver<'_> {
    fn wire(&mut self, _: &Lane, _: At, wire: Wire<'_>) {
        match wire {
            Wire::Request { .. } | Wire::Sent { .. } => self.contact.reach(ASKED),
            Wire::Head { .. } => self.contact.reach(CONNECTED),
            Wire::Frame(_) => self.answered(),
            Wire::Headers(_) | Wire::Late { .. } | Wire::Closed => {}
        }
    }

    fn change(&mut self, _: &Lane, _: At, _: &Change<'_>) {
        self.answered();
    }
}
