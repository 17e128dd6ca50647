//! The call that an id means: agents number their calls in each run, use an id for several calls, or send empty ids.
//!
//! Every call has a key: the id that the agent gave it, unless that is empty or another call has it. History and trace know
//! calls by their keys; requests contain the agent's own ids. The cost of a lookup does not grow with the number of calls.

use std::collections::HashMap;

use ananke_base::text::ShortText;

/// The number of calls of one id that are compared with one that is announced or listed again.
const MAX_COMPARED: u32 = 64;

/// The meaning of a call's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallStart {
    /// A call with an id of its own begins.
    New,
    /// A call that waits for its result is announced again (SPEC 6).
    Again,
    /// A call begins whose id belongs to another call.
    SharesId,
}

/// The calls that a snapshot can list at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// Any.
    Conversation,
    /// Those since the user's last message.
    Turn,
}

/// The calls of one run that share an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunCalls {
    pub(crate) count: u32,
    /// The number of them that have a result, from the first on.
    pub(crate) answered: u32,
}

/// The calls of a conversation by the ids that the agent gave them.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    calls: HashMap<ShortText, SharedId>,
    /// The keys of the calls of each id whose keys are not all the id itself.
    keys: HashMap<String, IdKeys>,
    /// The id of each key that is not an id.
    ids: HashMap<String, String>,
    /// The number of the current run.
    run: u32,
    /// The first run since the user's last message.
    turn: u32,
    /// Whether calls of earlier runs of the turn that wait for a result may be announced again.
    may_repeat: bool,
}

/// The calls with one id, numbered from 0.
#[derive(Clone, Copy, Debug, Default)]
struct SharedId {
    count: u32,
    /// The one that began, or was announced again, last.
    current: u32,
    /// The first one of the newest run that waits for a result.
    waiting: u32,
    /// The first one since the user's last message.
    first_of_turn: u32,
    /// The first one of the newest run.
    first_of_run: u32,
    /// The newest run of them.
    run: u32,
    turn: u32,
}

/// The keys of the calls with one id, by their numbers.
#[derive(Clone, Debug, Default)]
struct IdKeys {
    keys: Vec<String>,
    /// The number in the newest one.
    made: u32,
}

impl CallIds {
    /// The user says something, or the agent replays the thread: calls from before are not announced again.
    pub(crate) fn start_turn(&mut self) {
        self.run += 1;
        (self.turn, self.may_repeat) = (self.run, false);
    }

    /// Another run of the turn starts.
    pub(crate) fn start_run(&mut self) {
        self.run += 1;
        self.may_repeat = false;
    }

    /// Another run of the turn starts, which continues what waited for an answer.
    pub(crate) fn continue_run(&mut self) {
        self.run += 1;
        self.may_repeat = true;
    }

    /// A call begins; `is_it` says whether the call of a key has the same name.
    pub(crate) fn begin(&mut self, id: &str, mut is_it: impl FnMut(&str) -> bool) -> CallStart {
        if let Some(calls) = self.calls.get(id).copied().filter(|_| self.may_repeat)
            && calls.turn == self.turn
        {
            let is_repeating = calls.run == self.run;
            let first = if is_repeating {
                calls.waiting.max(calls.current + 1)
            } else {
                calls.waiting
            };
            let mut waiting = first..calls.count.min(first + MAX_COMPARED);
            if let Some(found) = waiting.find(|number| is_it(self.key_of(id, *number))) {
                let run = self.run;
                if let Some(calls) = self.calls.get_mut(id) {
                    // Those before it are not announced again: the next result is not theirs.
                    let waiting = if found == first { calls.waiting } else { found };
                    let first_of_run = if is_repeating {
                        calls.first_of_run
                    } else {
                        found
                    };
                    *calls = SharedId {
                        current: found,
                        waiting,
                        first_of_run,
                        run,
                        ..*calls
                    };
                }
                return CallStart::Again;
            }
        }
        self.add(id)
    }

    /// The key of the call that an id means now.
    pub(crate) fn key<'i>(&'i self, id: &'i str) -> &'i str {
        match self.calls.get(id) {
            Some(calls) => self.key_of(id, calls.current),
            None => id,
        }
    }

    /// A result arrives: the key of its call. If several wait, it is for the first; if none does, for the last call.
    pub(crate) fn answer<'i>(&'i mut self, id: &'i str) -> &'i str {
        let Some(calls) = self.calls.get_mut(id) else {
            return id;
        };
        let number = calls.waiting.min(calls.count - 1);
        calls.waiting = number + 1;
        self.key_of(id, number)
    }

    /// The calls of the current run with this id, if there are several. Calls that are announced again are known by their
    /// order.
    pub(crate) fn shared_in_run(&self, id: &str) -> Option<RunCalls> {
        let calls = self.calls.get(id).filter(|_| !self.may_repeat)?;
        let count = calls.count - calls.first_of_run;
        let answered = calls.waiting.saturating_sub(calls.first_of_run).min(count);
        (calls.run == self.run && count > 1).then_some(RunCalls { count, answered })
    }

    /// A result arrives for the call of this number among those of the run: its key.
    pub(crate) fn answer_in_run<'i>(&'i mut self, id: &'i str, number: u32) -> &'i str {
        let Some(calls) = self.calls.get_mut(id) else {
            return id;
        };
        let number = (calls.first_of_run + number).min(calls.count - 1);
        calls.waiting = calls.waiting.max(number + 1);
        self.key_of(id, number)
    }

    /// The client has answered the call of a key.
    pub(crate) fn answer_by_client(&mut self, key: &str) {
        let id = self.ids.get(key).map_or(key, String::as_str).to_owned();
        self.answer(&id);
    }

    /// The next of the calls with this id that a snapshot lists, as its number, and what it means: `next` is the first
    /// one that is not listed yet, `is_it` compares the call of a key.
    pub(crate) fn list(
        &mut self,
        id: &str,
        next: &mut u32,
        listing: Listing,
        mut is_it: impl FnMut(&str) -> bool,
    ) -> (u32, CallStart) {
        let calls = self.calls.get(id).copied().unwrap_or_default();
        let first = match listing {
            Listing::Turn if calls.turn == self.turn => calls.first_of_turn.max(*next),
            Listing::Turn => calls.count,
            Listing::Conversation => *next,
        };
        let mut listed = first..calls.count.min(first.saturating_add(MAX_COMPARED));
        let (number, begun) = match listed.find(|number| is_it(self.key_of(id, *number))) {
            Some(number) => (number, CallStart::Again),
            None => (calls.count, self.add(id)),
        };
        *next = number + 1;
        (number, begun)
    }

    /// A snapshot has the result of the call of this number.
    pub(super) fn answer_listed(&mut self, id: &str, number: u32) {
        if let Some(calls) = self.calls.get_mut(id) {
            calls.waiting = calls.waiting.max(number + 1);
        }
    }

    /// The key of the call of this number.
    pub(super) fn key_of<'i>(&'i self, id: &'i str, number: u32) -> &'i str {
        let keys = self.keys.get(id);
        keys.and_then(|keys| keys.keys.get(number as usize))
            .map_or(id, String::as_str)
    }

    /// The keys of calls whose id is empty.
    pub(super) fn keys_of_empty_ids(&self) -> impl Iterator<Item = &str> {
        self.keys
            .get("")
            .into_iter()
            .flat_map(|keys| &keys.keys)
            .map(String::as_str)
    }

    /// Puts the calls away for a replay, which announces them again.
    pub(crate) fn forget(&mut self) -> Self {
        let Self {
            run,
            turn,
            may_repeat,
            ..
        } = *self;
        std::mem::replace(
            self,
            Self {
                run,
                turn,
                may_repeat,
                ..Self::default()
            },
        )
    }

    /// Takes back the calls from before a replay, in addition to those that were replayed.
    pub(crate) fn restore(&mut self, before: Self) {
        for (id, calls) in before.calls {
            let known = self.calls.entry(id.clone()).or_default();
            if known.count <= calls.count {
                *known = SharedId {
                    turn: known.turn.max(calls.turn),
                    ..calls
                };
                if let Some(keys) = before.keys.get(id.as_str()) {
                    self.keys.insert(id.into(), keys.clone());
                }
            }
        }
        self.ids.extend(before.ids);
    }

    /// Adds a call with this id.
    fn add(&mut self, id: &str) -> CallStart {
        let (run, turn) = (self.run, self.turn);
        let calls = self.calls.get(id).copied().unwrap_or_default();
        let number = calls.count;
        // The first call has the id as its key, if no call has it.
        if number > 0 || id.is_empty() || self.ids.contains_key(id) {
            let keys = self.keys.entry(id.to_owned()).or_default();
            let key = loop {
                keys.made = (keys.made + 1).max(number + 1);
                let key = format!("{}-{}", if id.is_empty() { "call" } else { id }, keys.made);
                if !self.calls.contains_key(key.as_str()) && !self.ids.contains_key(&key) {
                    break key;
                }
            };
            self.ids.insert(key.clone(), id.to_owned());
            if keys.keys.is_empty() && number > 0 {
                keys.keys.push(id.to_owned());
            }
            keys.keys.push(key);
        }
        let is_first_of_turn = calls.turn != turn || number == 0;
        let added = SharedId {
            count: number + 1,
            current: number,
            // A result in a run is for a call of that run.
            waiting: if calls.run == run {
                calls.waiting
            } else {
                number
            },
            first_of_turn: if is_first_of_turn {
                number
            } else {
                calls.first_of_turn
            },
            first_of_run: if calls.run == run && number > 0 {
                calls.first_of_run
            } else {
                number
            },
            run,
            turn,
        };
        match self.calls.get_mut(id) {
            Some(calls) => *calls = added,
            None => drop(self.calls.insert(id.into(), added)),
        }
        if number == 0 {
            CallStart::New
        } else {
            CallStart::SharesId
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of one turn, each of a run of its own.
    fn begin(ids: &mut CallIds, id: &str) -> (CallStart, String) {
        let begun = ids.begin(id, |_| false);
        (begun, ids.key(id).to_owned())
    }

    #[test]
    fn the_first_call_keeps_its_id_and_every_other_gets_a_key() {
        let mut ids = CallIds::default();
        ids.start_turn();
        assert_eq!(begin(&mut ids, "c"), (CallStart::New, "c".to_owned()));
        assert_eq!(
            begin(&mut ids, "c"),
            (CallStart::SharesId, "c-2".to_owned())
        );
        assert_eq!(
            begin(&mut ids, "c-2"),
            (CallStart::New, "c-2-1".to_owned()),
            "a key is the id of no other call"
        );
        assert_eq!(begin(&mut ids, "d-2"), (CallStart::New, "d-2".to_owned()));
        assert_eq!(begin(&mut ids, "d").1, "d");
        assert_eq!(
            begin(&mut ids, "d").1,
            "d-3",
            "an id is no other call's key"
        );
        assert_eq!(begin(&mut ids, ""), (CallStart::New, "call-1".to_owned()));
        assert_eq!(
            begin(&mut ids, ""),
            (CallStart::SharesId, "call-2".to_owned())
        );
    }

    #[test]
    fn results_are_for_the_calls_of_the_newest_run_in_their_order() {
        let mut ids = CallIds::default();
        ids.start_turn();
        assert_eq!(ids.answer("c"), "c", "a call that never began");
        begin(&mut ids, "c");
        ids.start_turn();
        begin(&mut ids, "c");
        begin(&mut ids, "c");
        let answered = [(); 3].map(|()| ids.answer("c").to_owned());
        assert_eq!(
            answered,
            ["c-2", "c-3", "c-3"],
            "the first call is of another run"
        );
    }

    #[test]
    fn only_a_call_that_waits_is_announced_again_and_each_once() {
        let mut ids = CallIds::default();
        ids.start_turn();
        begin(&mut ids, "a");
        begin(&mut ids, "b");
        begin(&mut ids, "b");
        ids.answer("a");
        ids.continue_run();
        let again = [(); 3].map(|()| (ids.begin("b", |_| true), ids.key("b").to_owned()));
        let expected = [
            (CallStart::Again, "b"),
            (CallStart::Again, "b-2"),
            (CallStart::SharesId, "b-3"),
        ];
        assert_eq!(again, expected.map(|(begun, key)| (begun, key.to_owned())));
        assert_eq!(
            ids.begin("a", |_| true),
            CallStart::SharesId,
            "it has its result"
        );
        ids.start_turn();
        assert_eq!(
            ids.begin("b", |_| true),
            CallStart::SharesId,
            "nothing waits after a message of the user"
        );
    }

    #[test]
    fn a_snapshot_lists_calls_in_their_order_and_those_of_a_turn_after_its_message() {
        let mut ids = CallIds::default();
        ids.start_turn();
        begin(&mut ids, "c");
        ids.start_turn();
        let (mut next, whole, turn) = (0, Listing::Conversation, Listing::Turn);
        assert_eq!(
            ids.list("c", &mut next, whole, |_| true),
            (0, CallStart::Again)
        );
        assert_eq!(
            ids.list("c", &mut next, turn, |_| true),
            (1, CallStart::SharesId)
        );
        let mut next = 0;
        assert_eq!(
            ids.list("c", &mut next, turn, |_| true),
            (1, CallStart::Again)
        );
        assert_eq!(
            ids.list("c", &mut next, turn, |_| true),
            (2, CallStart::SharesId)
        );
        assert_eq!(ids.key_of("c", 2), "c-3");
    }

    #[test]
    fn calls_from_before_a_replay_stay_known() {
        let mut before = CallIds::default();
        before.start_turn();
        begin(&mut before, "a");
        begin(&mut before, "b");
        begin(&mut before, "b");
        before.start_turn();
        let mut ids = before;
        let before = ids.forget();
        begin(&mut ids, "b");
        begin(&mut ids, "c");
        ids.restore(before);
        for (id, key) in [("a", "a-2"), ("b", "b-3"), ("c", "c-2")] {
            assert_eq!(begin(&mut ids, id), (CallStart::SharesId, key.to_owned()));
        }
    }
}
