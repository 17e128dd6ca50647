//! The chunk forms: what a chunk begins and what it goes on with. The agent itself and every subagent have a lane, with
//! one thing under way in it; any event of the lane that is no chunk of that ends it.

use std::borrow::Cow;
use std::collections::HashMap;

use indexmap::IndexMap;

use super::breaches::Breaches;
use super::event::Event;
use super::rule::SequenceRule;
use super::things::{Thing, Things};
use crate::target::agui::frame::{Frame, Key};
use crate::target::agui::speech::shown;

/// Whose lane it is: a subagent's by its id, else the agent's own.
type Owner = Option<String>;

/// What a lane has under way.
#[derive(Debug)]
struct Lane {
    /// Left out by an agent that breaks the rule.
    id: Option<String>,
    begun: Event,
    /// What the first chunk said that later ones may only repeat.
    said: Vec<(Key, Option<String>)>,
}

/// What a lane had under way last.
#[derive(Debug)]
struct Ended {
    thing: Thing,
    id: String,
    by: Event,
}

/// The lanes of one exchange.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    lanes: [IndexMap<Owner, Lane>; Thing::COUNT],
    /// In whose lane an id is under way.
    holders: [HashMap<String, Owner>; Thing::COUNT],
    ended: HashMap<Owner, Ended>,
}

impl Chunks {
    /// An event that is no chunk ends what the lane of its owner has under way.
    pub(super) fn end(&mut self, subagent: Option<&str>, by: Event, things: &mut Things) {
        if self.lanes.iter().any(|lanes| !lanes.is_empty()) {
            self.end_lane(&subagent.map(str::to_owned), by, things);
        }
    }

    /// An event ends everything that is under way.
    pub(super) fn end_all(&mut self, by: Event, things: &mut Things) {
        for index in 0..Thing::COUNT {
            while let Some((owner, _)) = self.lanes[index].last() {
                self.end_lane(&owner.clone(), by, things);
            }
        }
    }

    fn end_lane(&mut self, owner: &Owner, by: Event, things: &mut Things) {
        for thing in [Thing::Message, Thing::Call, Thing::Thought] {
            if let Some(lane) = self.lanes[thing as usize].swap_remove(owner)
                && let Some(id) = lane.id
            {
                self.holders[thing as usize].remove(&id);
                things.end_chunks(thing, &id, by);
                self.ended.insert(owner.clone(), Ended { thing, id, by });
            }
        }
    }

    /// A chunk of a `thing` comes, and may name an id and a subagent. Answers whether it begins what it names.
    pub(super) fn chunk(
        &mut self,
        thing: Thing,
        id: Option<&str>,
        frame: &Frame<'_>,
        subagent: Option<&str>,
        things: &mut Things,
        breaches: &mut Breaches<'_, '_>,
    ) -> bool {
        let Some(owner) = self.owner(thing, id, subagent, breaches) else { return false };
        if let Some(lane) = self.lanes[thing as usize].get_mut(&owner)
            && (id.is_none() || lane.id.as_deref() == id)
        {
            lane.agree(frame, breaches);
            return false;
        }
        let begun = breaches.event;
        self.end_lane(&owner, begun, things);
        if id.is_none() {
            self.without_id(thing, &owner, breaches);
            // Whatever it is, it goes on with the next chunk.
            self.lanes[thing as usize].insert(owner, Lane { id: None, begun, said: Vec::new() });
        }
        id.is_some()
    }

    /// What a chunk begins is under way from now on.
    pub(super) fn begin(
        &mut self,
        thing: Thing,
        id: &str,
        frame: &Frame<'_>,
        subagent: Option<&str>,
        begun: Event,
    ) {
        let owner = subagent.map(str::to_owned);
        let keys: &[Key] = match thing {
            Thing::Message => &[Key::Role, Key::Name],
            Thing::Call => &[Key::ToolCallName, Key::ParentMessageId],
            Thing::Span | Thing::Thought => &[],
        };
        let said = |key: &Key| {
            let said = frame.quiet_id(*key).map(Cow::into_owned);
            // A message without a role is the agent's.
            (*key, said.or_else(|| (*key == Key::Role).then(|| "assistant".to_owned())))
        };
        let said = keys.iter().map(said).collect();
        self.holders[thing as usize].insert(id.to_owned(), owner.clone());
        self.lanes[thing as usize].insert(owner, Lane { id: Some(id.to_owned()), begun, said });
    }

    /// Whose lane a chunk belongs to; nobody's where that cannot be told.
    fn owner(
        &self,
        thing: Thing,
        id: Option<&str>,
        subagent: Option<&str>,
        breaches: &mut Breaches<'_, '_>,
    ) -> Option<Owner> {
        let lanes = &self.lanes[thing as usize];
        let named = subagent.map(str::to_owned);
        if let Some(id) = id {
            // Wherever it is under way, whoever the chunk says it is of.
            return Some(self.holders[thing as usize].get(id).cloned().unwrap_or(named));
        }
        if named.is_some() || lanes.contains_key(&None) {
            return Some(named);
        }
        let mut owners = lanes.keys();
        match (owners.next(), owners.next()) {
            (Some(_), Some(_)) => {
                let (count, noun, key) = (lanes.len(), thing.noun(), thing.id_key().name());
                let words = format_args!(
                    "names neither a `{key}` nor a `subagentRunId`, and {count} subagents have a {noun} under way"
                );
                breaches.add(SequenceRule::ChunkAmbiguous, None, words);
                None
            }
            (only, _) => Some(only.cloned().flatten()),
        }
    }

    fn without_id(&self, thing: Thing, owner: &Owner, breaches: &mut Breaches<'_, '_>) {
        let (noun, key) = (thing.noun(), thing.id_key().name());
        let last = self.ended.get(owner).filter(|ended| ended.thing == thing);
        let (why, against) = match last {
            None => (format!("no {noun} is under way"), None),
            Some(Ended { id, by, .. }) => (format!("{} ended with {by}", thing.named(id)), Some(*by)),
        };
        breaches.add(SequenceRule::ChunkWithoutId, against, format_args!("names no `{key}`, but {why}"));
    }
}

impl Lane {
    /// A later chunk says nothing else than the first one.
    fn agree(&mut self, frame: &Frame<'_>, breaches: &mut Breaches<'_, '_>) {
        for (key, first) in &mut self.said {
            let Some(now) = frame.quiet_id(*key).filter(|now| Some(&**now) != first.as_deref()) else {
                continue;
            };
            let key = key.name();
            let before = first.as_deref().map_or("none".to_owned(), |first| format!("`{}`", shown(first)));
            let words = format_args!("has the `{key}` `{}`, but {} has {before}", shown(&now), self.begun);
            breaches.add(SequenceRule::ChunkDisagrees, Some(self.begun), words);
            *first = Some(now.into_owned());
        }
    }
}
