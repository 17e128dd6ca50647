//! The progress of an attempt with its agent, from the data that is sent and received.
//!
//! Flows in: what a session reports, of whatever protocol. Flows out: whether nothing came of it, and to all tests that a target
//! answers.

use std::sync::atomic::{AtomicU8, Ordering};

use super::answered_targets::AnsweredTargets;
use ananke_agents::{Received, TargetError, Wire};
use ananke_base::context::At;
use ananke_base::message::Lane;
use ananke_conversation::Observer;
use ananke_rules::TurnRules;
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::trace::{Input, Trace};

/// No turn began.
const NOT_ASKED: u8 = 0;
/// A turn was handed to a session: it opens a connection, looks for the agent, shakes hands, or sends the request.
const ASKED: u8 = 1;
/// The head of a response came, or a response that is not one of the protocol.
const CONNECTED: u8 = 2;
/// A part of a response came.
const ANSWERED: u8 = 3;
/// A part of a response came, and then nothing for most of the time.
const SILENT: u8 = 4;
/// Nothing came for most of a time that is too short to show anything.
const HURRIED: u8 = 5;
/// A whole response came.
const COMPLETED: u8 = 6;

/// The progress of one attempt with its agent.
#[derive(Debug, Default)]
pub(crate) struct AgentContact(AtomicU8);

impl AgentContact {
    fn reach(&self, step: u8) {
        self.0.fetch_max(step, Ordering::Relaxed);
    }

    /// Notes that a session could not be opened, or that an exchange came to nothing.
    pub(crate) fn failed(&self, error: &TargetError) {
        let received = &error.received;
        let is_page = received
            .content_type
            .as_deref()
            .is_some_and(Received::is_page);
        // A page for people is from a server that is no agent.
        if received.status.is_some() && !is_page {
            self.reach(CONNECTED);
        } else {
            self.reach(ASKED);
        }
    }

    /// Whether an agent that never completed a response began one, and was silent then.
    pub(crate) fn has_fallen_silent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == SILENT
    }

    /// Whether the agent responded, if it was asked and that is known; `problem` is the first of the attempt.
    pub(crate) fn has_answered(&self, problem: Option<&Problem>) -> Option<bool> {
        let kind = problem.map(|problem| problem.kind);
        let has_timed_out = kind == Some(ErrorKind::Timeout);
        match self.0.load(Ordering::Relaxed) {
            // No connection, no program, or no sign of either in time.
            ASKED if has_timed_out || kind == Some(ErrorKind::Protocol) => Some(false),
            // Another problem says nothing about the agent.
            NOT_ASKED | ASKED => None,
            // A head without anything after it is no response, and nor is a beginning with silence after it.
            CONNECTED | SILENT if has_timed_out => Some(false),
            // A time that was too short shows nothing.
            HURRIED if has_timed_out => None,
            // The response is complete, or something else than silence ended it: the agent was there.
            _ => Some(true),
        }
    }
}

/// Follows the conversation of an attempt.
pub(crate) struct ContactObserver<'a> {
    pub(crate) contact: &'a AgentContact,
    pub(crate) answers: &'a AnsweredTargets,
    pub(crate) target: &'a str,
}

impl Observer for ContactObserver<'_> {
    fn turn_began(&mut self, _: &Trace, _: &Input, _: Option<&TurnRules>) {
        self.contact.reach(ASKED);
    }

    // A change may be one of the client: a server of MCP is called with its first message.
    fn wire(&mut self, _: &Lane, _: At, wire: Wire<'_>) {
        match wire {
            // A page is from a server that is no agent: another address, or a gateway.
            Wire::Head { content_type, .. } if Received::is_page(content_type) => {}
            Wire::Head { .. } => self.contact.reach(CONNECTED),
            Wire::Frame(_) | Wire::Alive => self.contact.reach(ANSWERED),
            Wire::Request { .. }
            | Wire::Sent { .. }
            | Wire::Headers(_)
            | Wire::Taken(_)
            | Wire::Late { .. }
            | Wire::Closed => {}
        }
    }

    fn completed(&mut self) {
        self.contact.reach(COMPLETED);
        self.answers.note(self.target);
    }

    fn fell_silent(&mut self) {
        self.contact.reach(SILENT);
    }

    fn hurried(&mut self) {
        self.contact.reach(HURRIED);
    }

    fn failed(&mut self, error: &TargetError) {
        self.contact.failed(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The evidence of an attempt that got as far as `reach` gives, and whose first problem is of this kind.
    fn shown(reach: impl Fn(&mut ContactObserver<'_>), kind: Option<ErrorKind>) -> Option<bool> {
        let (contact, answers) = (AgentContact::default(), AnsweredTargets::default());
        let mut observer = ContactObserver {
            contact: &contact,
            answers: &answers,
            target: "a",
        };
        reach(&mut observer);
        let problem = kind.map(|kind| Problem::new(kind, String::new()));
        contact.has_answered(problem.as_ref())
    }

    #[test]
    fn what_came_and_not_the_protocol_says_whether_an_agent_answered() {
        use ErrorKind::{Agent, Hook, Protocol, Timeout};
        let nothing = |_: &mut ContactObserver<'_>| {};
        let began = |observer: &mut ContactObserver<'_>| observer.contact.reach(ASKED);
        let head = |observer: &mut ContactObserver<'_>| {
            let (status, content_type) = (200, "text/event-stream");
            let head = Wire::Head {
                status,
                content_type,
            };
            observer.wire(&Lane::Agent, At::default(), head);
        };
        let frame = |observer: &mut ContactObserver<'_>| {
            observer.wire(&Lane::Agent, At::default(), Wire::Frame(b"{}"));
        };
        let refused = |observer: &mut ContactObserver<'_>| {
            observer.contact.reach(ASKED);
            observer.failed(&TargetError::new("could not connect"));
        };
        let wrong = |observer: &mut ContactObserver<'_>| {
            observer.contact.reach(ASKED);
            let received = Received {
                status: Some(401),
                ..Received::default()
            };
            let message = "the agent card cannot be read".to_owned();
            observer.failed(&TargetError {
                message,
                received,
                help: None,
            });
        };
        assert_eq!(shown(nothing, Some(Hook)), None);
        assert_eq!(shown(nothing, Some(Timeout)), None);
        // The run was interrupted, or a script of the test failed.
        assert_eq!([None, Some(Hook)].map(|kind| shown(began, kind)), [None; 2]);
        assert_eq!(shown(began, Some(Timeout)), Some(false));
        assert_eq!(shown(refused, Some(Protocol)), Some(false));
        assert_eq!(shown(wrong, Some(Protocol)), Some(true));
        assert_eq!(shown(head, Some(Timeout)), Some(false));
        assert_eq!(shown(head, Some(Protocol)), Some(true));
        let silent = |observer: &mut ContactObserver<'_>| {
            frame(observer);
            observer.fell_silent();
        };
        let completed = |observer: &mut ContactObserver<'_>| {
            observer.completed();
            silent(observer);
        };
        for kind in [None, Some(Timeout), Some(Protocol), Some(Agent)] {
            assert_eq!(shown(frame, kind), Some(true), "{kind:?}");
            assert_eq!(shown(completed, kind), Some(true), "{kind:?}");
        }
        assert_eq!(shown(silent, Some(Timeout)), Some(false));
        assert_eq!(shown(silent, Some(Agent)), Some(true));
    }

    #[test]
    fn a_short_time_and_a_comment_show_no_silence() {
        use ErrorKind::Timeout;
        let hurried = |observer: &mut ContactObserver<'_>| {
            observer.contact.reach(CONNECTED);
            observer.hurried();
        };
        assert_eq!(shown(hurried, Some(Timeout)), None);
        let alive = |observer: &mut ContactObserver<'_>| {
            observer.wire(&Lane::Agent, At::default(), Wire::Alive);
        };
        assert_eq!(shown(alive, Some(Timeout)), Some(true));
    }
}
