//! The calls of a chat: servers use their ids again, and an outcome may come in a later response than its call.

use std::collections::HashMap;

use ananke_agents::CallKeys;
use ananke_base::source::received_json::HalfJoiner;

/// The calls of a chat so far.
#[derive(Debug, Default)]
pub(super) struct ChatCalls {
    pub(super) keys: CallKeys,
    calls: Vec<UiCall>,
    /// The newest call with each id of the server.
    by_id: HashMap<String, usize>,
    by_key: HashMap<String, usize>,
    by_approval: HashMap<String, usize>,
}

/// A call.
#[derive(Debug)]
pub(super) struct UiCall {
    /// The key of the call in the trace.
    pub(super) key: String,
    pub(super) tool: String,
    /// The place of its part in the message of the running turn; `None` if the part was dropped, or is of an earlier turn.
    pub(super) place: Option<usize>,
    /// The text of its input as far as it has arrived.
    pub(super) input: String,
    pub(super) joiner: HalfJoiner,
    /// Whether its input is a plain text.
    pub(super) has_text_input: bool,
    /// Whether its whole input has been reported.
    pub(super) is_input_reported: bool,
    pub(super) progress: UiCallProgress,
    /// The approval that it waits for.
    pub(super) approval: Option<PendingApproval>,
}

/// The progress of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UiCallProgress {
    /// Nothing of its outcome came.
    Open,
    /// It has its result, or its error.
    Ended,
}

/// A question whether a call may be executed.
#[derive(Clone, Debug)]
pub(super) struct PendingApproval {
    pub(super) id: String,
    pub(super) reason: Option<String>,
}

impl ChatCalls {
    /// Adds a call with the id that the server gave it. Returns its number.
    pub(super) fn add(&mut self, id: Option<&str>, tool: &str, place: usize) -> usize {
        let number = self.calls.len();
        let key = self.keys.add(id);
        if let Some(id) = id {
            self.by_id.insert(id.to_owned(), number);
        }
        self.by_key.insert(key.clone(), number);
        self.calls.push(UiCall {
            key,
            tool: tool.to_owned(),
            place: Some(place),
            input: String::new(),
            joiner: HalfJoiner::default(),
            has_text_input: false,
            is_input_reported: false,
            progress: UiCallProgress::Open,
            approval: None,
        });
        number
    }

    /// The newest call with this id of the server: that of the running step if it has one, since it is newer than all others.
    pub(super) fn newest(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The number of the call with this key.
    pub(super) fn of_key(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// The number of the call that this approval is about.
    pub(super) fn of_approval(&self, id: &str) -> Option<usize> {
        self.by_approval.get(id).copied()
    }

    /// Takes it that a call waits for an approval.
    pub(super) fn ask(&mut self, number: usize, approval: PendingApproval) {
        self.by_approval.insert(approval.id.clone(), number);
        self.calls[number].approval = Some(approval);
    }

    pub(super) fn call(&mut self, number: usize) -> &mut UiCall {
        &mut self.calls[number]
    }

    /// The number of calls.
    pub(super) fn count(&self) -> usize {
        self.calls.len()
    }

    /// The calls that wait for an approval, in their order.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (&UiCall, &PendingApproval)> {
        let calls = self.calls.iter();
        calls.filter_map(|call| Some((call, call.approval.as_ref()?)))
    }

    /// Takes it that a message of the user begins another message of the assistant, to which no part of the calls belongs.
    pub(super) fn leave_message(&mut self) {
        for call in &mut self.calls {
            call.place = None;
        }
    }
}
