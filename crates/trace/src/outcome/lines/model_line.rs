//! A call to a model in a transcript, and the number of such calls in a run.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::trace::{AnsweredBy, EventNumber};
use ananke_derive::Mask;

/// A call of the agent to its model.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct ModelLine {
    /// The number of the event of the agent that comes next, since the call is no event itself.
    pub event: EventNumber,
    /// The number among the calls of its turn, counted from 1.
    pub number: u32,
    /// The key of the model in `models`.
    pub name: String,
    /// The name of the model in the request.
    pub model: String,
    /// The API in words.
    pub api: String,
    /// The number of times that the request was sent.
    pub attempts: u32,
    /// The source of the answer.
    #[mask(skip)]
    pub answered_by: AnsweredBy,
    /// The newest message of the request, in words: `charge_card result`.
    pub asked: String,
    /// The answer, in words: `say "You paid."`.
    pub answered: String,
    /// The request as JSON, without older messages if it is long.
    pub request: String,
    /// The answer as JSON.
    pub answer: String,
    /// The tokens that the model read; `None` if they are not known.
    pub input_tokens: Option<u64>,
    /// The tokens that the model wrote; `None` if they are not known.
    pub output_tokens: Option<u64>,
}

impl ModelLine {
    /// The number of bytes of its texts.
    pub(in crate::outcome) fn size(&self) -> usize {
        let words = self.asked.len() + self.answered.len();
        self.model.len() + words + self.request.len() + self.answer.len()
    }
}

/// The number of calls to models, by the sources of their answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelTotals {
    /// The calls that a script answered.
    pub by_script: usize,
    /// The calls that a recording answered.
    pub replayed: usize,
    /// The calls that the provider answered.
    pub live: usize,
}

impl ModelTotals {
    /// The number of all calls.
    pub fn calls(&self) -> usize {
        self.by_script + self.replayed + self.live
    }

    /// Counts a call.
    pub(in crate::outcome) fn count(&mut self, answered_by: AnsweredBy) {
        match answered_by {
            AnsweredBy::Reply(_) | AnsweredBy::Rule(_) => self.by_script += 1,
            AnsweredBy::Recording(_) => self.replayed += 1,
            AnsweredBy::Live => self.live += 1,
        }
    }
}

impl Add for ModelTotals {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            by_script: self.by_script + more.by_script,
            replayed: self.replayed + more.replayed,
            live: self.live + more.live,
        }
    }
}
