//! A message of the conversation.

use super::{Lane, Origin, Role};
use crate::context::At;

/// A message of the conversation.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its id on the wire; may be empty.
    pub wire_id: String,
    /// Who it is from.
    pub role: Role,
    /// Its text so far.
    pub text: String,
    /// Who of the agent's side said it.
    pub lane: Lane,
    /// How it came to be known.
    pub origin: Origin,
    /// The turn it belongs to, counted from 0.
    pub turn: usize,
    /// Its start's place among the starts of all messages and calls and the results.
    pub began: u32,
    /// The number of the event that opened it.
    pub opened: u32,
    /// When its first text came.
    pub first_text: Option<At>,
    /// The number of the event that brought it.
    pub(super) first_text_event: u32,
    closed: bool,
}

impl Message {
    pub(super) fn new(wire_id: String, role: Role, lane: Lane, turn: usize, opened: u32) -> Self {
        Self {
            wire_id,
            role,
            text: String::new(),
            lane,
            origin: Origin::Streamed,
            turn,
            began: 0,
            opened,
            first_text: None,
            first_text_event: opened,
            closed: false,
        }
    }

    /// What the runner itself sent.
    pub(super) fn of_user(wire_id: String, text: String, turn: usize, opened: u32) -> Self {
        Self { text, closed: true, ..Self::new(wire_id, Role::User, Lane::Agent, turn, opened) }
    }

    /// A message known from a snapshot.
    pub(super) fn of_snapshot(message: Self, origin: Origin, at: At, text: String) -> Self {
        Self { origin, text, first_text: Some(at), closed: true, ..message }
    }

    /// Whether it is complete.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether it is part of the text that rules look at.
    pub fn is_text(&self) -> bool {
        self.role == Role::Assistant && self.origin != Origin::History && !self.text.is_empty()
    }

    /// Whether a helper of the agent's own said it.
    pub fn is_by_subagent(&self) -> bool {
        matches!(self.lane, Lane::Subagent(_))
    }

    /// Adds to its text.
    pub(super) fn add_text(&mut self, at: At, event: u32, delta: &str) {
        if !delta.is_empty() {
            if self.first_text.is_none() {
                (self.first_text, self.first_text_event) = (Some(at), event);
            }
            self.text.push_str(delta);
        }
    }

    /// Closes it; `false` where it was closed already.
    pub(super) fn close(&mut self) -> bool {
        !std::mem::replace(&mut self.closed, true)
    }

    /// Opens it again: some agents go on after the end.
    pub(super) fn reopen(&mut self) {
        self.closed = false;
    }
}
