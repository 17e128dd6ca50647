//! The calls that the messages of a whole conversation contain, as a snapshot or a test lists them.

use std::collections::{HashMap, HashSet, VecDeque};

use super::call_ids::{CallIds, CallStart, Listing};
use super::message::{SentCall, SentMessage};
use ananke_base::text::ShortText;

/// The calls with one id that were found so far.
#[derive(Default)]
struct Found {
    /// The number of the next one.
    next: u32,
    /// Those without a result in the list.
    unanswered: VecDeque<u32>,
    /// The last one.
    last: Option<u32>,
}

/// Gives calls and results the keys of the calls that they are; `is_listed` says whether the known call of a key, if
/// its content is known, is a listed one. Messages from
/// `live` on are of the turn. Returns the ids of calls of the turn that are new and share their id with another call.
pub(crate) fn identify(
    messages: &mut [SentMessage],
    live: usize,
    calls: &mut CallIds,
    is_listed: impl Fn(&str, &SentCall) -> Option<bool>,
) -> Vec<String> {
    let mut found: HashMap<ShortText, Found> = HashMap::new();
    let mut shared = Vec::new();
    // If the user's message is not there, the whole list may be of any turn.
    let of_turn = if live == 0 {
        Listing::Conversation
    } else {
        Listing::Turn
    };
    // The key of a call whose id is empty was sent to the agent.
    let keys: HashSet<String> = calls.keys_of_empty_ids().map(str::to_owned).collect();
    let is_sent_key = |id: &str| keys.contains(id);
    for (place, message) in messages.iter_mut().enumerate() {
        let listing = if place >= live {
            of_turn
        } else {
            Listing::Conversation
        };
        for call in std::mem::take(&mut message.tool_calls) {
            let id = call.id.clone();
            if is_sent_key(&id) && is_listed(&id, &call) == Some(true) {
                message.tool_calls.push(call);
                continue;
            }
            let found = found.entry(id.clone()).or_default();
            let is_it = |key: &str| is_listed(key, &call) != Some(false);
            let (number, begun) = calls.list(&id, &mut found.next, listing, is_it);
            if begun == CallStart::SharesId && place >= live {
                shared.push(id.to_string());
            }
            found.unanswered.push_back(number);
            found.last = Some(number);
            message
                .tool_calls
                .push(call.with_key(calls.key_of(&id, number)));
        }
        if let Some(id) = message.tool_call_id.clone().filter(|id| !is_sent_key(id)) {
            let found = found.get_mut(&id);
            let number = found.and_then(|found| found.unanswered.pop_front().or(found.last));
            if let Some(number) = number {
                calls.answer_listed(&id, number);
            }
            let key = number.map_or_else(|| calls.key(&id), |number| calls.key_of(&id, number));
            if id.is_empty() {
                message.tool_call_id = Some(key.into());
            }
            message.call_key = (message.tool_call_id.as_deref() != Some(key)).then(|| key.into());
        }
    }
    shared
}
