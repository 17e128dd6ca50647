//! Puts messages, calls and reasoning together from events with a beginning, content and an end, from chunks, and from
//! what servers send out of order, as far as it is clear. The validator looks at the same items and reports what is not
//! allowed.

use std::borrow::Cow;

use super::chunk_lanes::{ChunkLanes, ChunkTarget, LaneOwner};
use super::event::{DecodeError, FieldKey, WireEvent};
use super::event_kind::{Effect, EndedChunks, EventRef, ItemKind};
use super::incoming::Incoming;
use super::listeners::Listeners;
use super::open_items::{OpenItem, OpenItems, StartForm};
use super::shared_results::SharedResults;
use super::thread_state::ThreadState;
use super::warnings::{Warnings, shown};
use ananke_base::source::received_json::{SentText, is_json};
use ananke_base::text::ShortText;

/// The items of one exchange.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    pub(super) items: OpenItems,
    pub(super) lanes: ChunkLanes,
    /// Results that wait for the end of the run.
    pub(super) shared: SharedResults,
    /// The id of the open reasoning span, for reasoning messages without one.
    span: Option<String>,
    /// The id of the open reasoning of a version before 1.0, which has none of its own.
    old_reasoning: Option<String>,
}

impl Assembler {
    /// Ends the chunks that an event ends; gives what a chunk begins or continues.
    pub(super) fn end_chunks(
        &mut self,
        incoming: &Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Option<ChunkTarget> {
        let at = incoming.at;
        let named = || incoming.subagent().map(str::to_owned);
        if let Effect::Chunk(kind) = incoming.effect {
            let target = self.lanes.target(kind, incoming.id(), incoming.subagent());
            match &target {
                ChunkTarget::Continues(_) => {}
                ChunkTarget::Begins(author) | ChunkTarget::Nameless(author) => {
                    self.end_lane(author, at, listeners);
                }
                ChunkTarget::Ambiguous(_) => self.end_lane(&None, at, listeners),
            }
            return Some(target);
        }
        match incoming.effect.ended_chunks() {
            EndedChunks::None => {}
            // The end of a subagent has to name it.
            EndedChunks::Author
                if incoming.effect == Effect::EndsSubagent && incoming.subagent.is_none() => {}
            EndedChunks::Author if self.lanes.is_empty() => {}
            EndedChunks::Author => self.end_lane(&named(), at, listeners),
            EndedChunks::All => {
                for author in self.lanes.authors() {
                    self.end_lane(&author, at, listeners);
                }
            }
        }
        None
    }

    /// Takes an event that begins, continues or ends an item, and `target`, if it is a chunk. Gives the item's id.
    pub(super) fn take<'i>(
        &mut self,
        incoming: &'i Incoming<'_>,
        target: Option<ChunkTarget>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<Option<Cow<'i, str>>, DecodeError> {
        let event = incoming.event;
        let id = match (incoming.effect, target) {
            (Effect::Begins(ItemKind::ReasoningSpan), _) => {
                self.begin_span(incoming);
                return Ok(None);
            }
            (Effect::Begins(kind), _) => {
                let (id, form) = match incoming.id() {
                    Some(id) => (Cow::Borrowed(id), StartForm::Start),
                    None if kind == ItemKind::Reasoning => {
                        (self.reasoning_id(listeners), StartForm::Unnamed)
                    }
                    None => return Err(event.missing(kind.id_key())),
                };
                self.begin(kind, &id, form, incoming, listeners)?;
                id
            }
            (Effect::Continues(kind), _) => self.go_on(kind, incoming, listeners)?,
            (Effect::Ends(ItemKind::ReasoningSpan), _) => {
                self.end_span(incoming);
                return Ok(None);
            }
            (Effect::Ends(kind), _) => {
                let id = self.continued_id(kind, incoming, listeners)?;
                if kind == ItemKind::Call {
                    self.begin_if_named(&id, incoming, listeners);
                    if self.is_unstarted(&id) {
                        listeners.unstarted_call(&id);
                    }
                }
                if incoming.id.is_some() {
                    self.items.end(kind, &id, incoming.at);
                }
                self.close(kind, &id, listeners);
                id
            }
            (Effect::Chunk(kind), Some(target)) => {
                let id = self.chunk_id(kind, incoming, target, listeners)?;
                if let Some(delta) = event.piece(FieldKey::Delta, listeners.warnings) {
                    self.add(kind, &id, delta, incoming.subagent(), listeners);
                }
                id
            }
            _ => return Ok(None),
        };
        Ok(Some(id))
    }

    fn begin_span(&mut self, incoming: &Incoming<'_>) {
        let (kind, at) = (ItemKind::ReasoningSpan, incoming.at);
        self.span = incoming.id().map(str::to_owned);
        if let Some(id) = incoming.id() {
            self.items.begin(kind, id, StartForm::Start, at);
            self.items.open(kind, id, "");
        }
    }

    fn end_span(&mut self, incoming: &Incoming<'_>) {
        self.span = None;
        if let Some(id) = incoming.id() {
            self.items.end(ItemKind::ReasoningSpan, id, incoming.at);
            self.items.close(ItemKind::ReasoningSpan, id);
        }
    }

    /// Adds what an event brings to the item that it continues. Gives the item's id.
    fn go_on<'i>(
        &mut self,
        kind: ItemKind,
        incoming: &'i Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<Cow<'i, str>, DecodeError> {
        let event = incoming.event;
        let id = self.continued_id(kind, incoming, listeners)?;
        if kind == ItemKind::Call {
            self.begin_if_named(&id, incoming, listeners);
        }
        let delta = event.piece(FieldKey::Delta, listeners.warnings);
        let delta = delta.unwrap_or_else(|| {
            if kind != ItemKind::Reasoning {
                listeners
                    .warnings
                    .add(format!("a `{}` has no `delta`", event.kind()));
            }
            SentText::whole("")
        });
        self.add(kind, &id, delta, incoming.subagent(), listeners);
        if incoming.id.is_some() {
            self.items.resume(kind, &id, incoming.at);
        }
        Ok(id)
    }

    /// Takes reasoning of a version before 1.0, which the history does not keep.
    pub(super) fn old_reasoning(
        &mut self,
        incoming: &Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) {
        let delta = incoming
            .event
            .text(FieldKey::Delta, listeners.warnings)
            .unwrap_or_default();
        let ids = &listeners.conversation.ids;
        let id = self
            .old_reasoning
            .get_or_insert_with(|| ids.next("reasoning"))
            .clone();
        listeners.reasoning_text(&id, &delta, incoming.subagent());
    }

    /// Ends reasoning of a version before 1.0.
    pub(super) fn end_old_reasoning(&mut self) {
        self.old_reasoning = None;
    }

    /// The next run starts: calls of the one before do not go on.
    pub(super) fn start_run(&mut self, listeners: &mut Listeners<'_, '_>) {
        for (id, open) in self.items.close_all(ItemKind::Call) {
            ends(ItemKind::Call, &id, open, listeners);
        }
        self.items.start_run();
    }

    /// The run is finished: whatever is open is as complete as it will be.
    pub(super) fn close_all(&mut self, listeners: &mut Listeners<'_, '_>) {
        (self.span, self.old_reasoning) = (None, None);
        self.items.close_all(ItemKind::ReasoningSpan);
        for kind in [ItemKind::Reasoning, ItemKind::Message, ItemKind::Call] {
            for (id, open) in self.items.close_all(kind) {
                ends(kind, &id, open, listeners);
            }
        }
    }

    /// The id of the item that a chunk begins or continues; one that it begins has begun then.
    fn chunk_id<'i>(
        &mut self,
        kind: ItemKind,
        incoming: &'i Incoming<'_>,
        target: ChunkTarget,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<Cow<'i, str>, DecodeError> {
        let author = match target {
            ChunkTarget::Continues(author) => {
                let current = || {
                    self.lanes
                        .current(kind, &author)
                        .unwrap_or_default()
                        .to_owned()
                };
                let id = incoming
                    .id()
                    .map_or_else(|| Cow::Owned(current()), Cow::Borrowed);
                if kind == ItemKind::Call && incoming.event.raw(FieldKey::ToolCallName).is_some() {
                    self.begin(kind, &id, StartForm::Chunk, incoming, listeners)?;
                }
                return Ok(id);
            }
            ChunkTarget::Begins(author) | ChunkTarget::Nameless(author) => author,
            ChunkTarget::Ambiguous(_) => None,
        };
        let (id, form) = match incoming.id() {
            Some(id) => (Cow::Borrowed(id), StartForm::Chunk),
            None if kind == ItemKind::Reasoning => {
                (self.reasoning_id(listeners), StartForm::Unnamed)
            }
            None => (self.only_open(kind, incoming)?, StartForm::Unnamed),
        };
        self.begin(kind, &id, form, incoming, listeners)?;
        self.lanes.begin(kind, author, &id, form);
        Ok(id)
    }

    fn begin(
        &mut self,
        kind: ItemKind,
        id: &str,
        form: StartForm,
        incoming: &Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<(), DecodeError> {
        let (event, subagent) = (incoming.event, incoming.subagent());
        let is_other_call =
            kind == ItemKind::Call && self.is_other_call(id, form, event, listeners);
        if is_other_call {
            // A chunk of another call ends one that is in chunks: no two of them are open at once.
            let open = self.items.get(kind, id).map(|item| item.form);
            if form != StartForm::Chunk || open != Some(StartForm::Chunk) {
                self.shared.overlap(id);
            }
            // An id means one call at a time: the arguments of the other one end here.
            self.close(kind, id, listeners);
        }
        let is_open = self.items.is_open(kind, id);
        if form != StartForm::Unnamed || !is_open {
            self.items.begin(kind, id, form, incoming.at);
        }
        if is_open && form != StartForm::Start {
            return Ok(());
        }
        match kind {
            ItemKind::Message => {
                let role = event
                    .id(FieldKey::Role, listeners.warnings)?
                    .unwrap_or(Cow::Borrowed("assistant"));
                if !is_open {
                    self.open_message(id, &role, subagent, listeners);
                }
            }
            ItemKind::Call => {
                let name = event.required(FieldKey::ToolCallName, listeners.warnings)?;
                let parent = event.id(FieldKey::ParentMessageId, listeners.warnings)?;
                if !is_open {
                    self.items.open(kind, id, "");
                    listeners.call_begins(id, &name, parent.as_deref(), subagent);
                }
            }
            ItemKind::Reasoning | ItemKind::ReasoningSpan => self.open_reasoning(id, listeners),
        }
        Ok(())
    }

    /// Whether nothing in this exchange began the call `id`.
    fn is_unstarted(&self, id: &str) -> bool {
        let kind = ItemKind::Call;
        !self.items.is_open(kind, id) && !self.items.is_complete(kind, id)
    }

    /// A piece of a call that nothing began proves the call if it names the tool.
    fn begin_if_named(
        &mut self,
        id: &str,
        incoming: &Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) {
        if !self.is_unstarted(id) {
            return;
        }
        if let Some(name) = incoming.event.quiet_id(FieldKey::ToolCallName) {
            let kind = ItemKind::Call;
            self.items.begin(kind, id, StartForm::Assumed, incoming.at);
            self.items.open(kind, id, "");
            listeners.call_begins(id, &name, None, incoming.subagent());
        }
    }

    /// A result of a call that is nowhere proves the call if it names the tool; its arguments are not known.
    pub(super) fn begin_answered(
        &mut self,
        id: &str,
        incoming: &Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) {
        let ThreadState { calls, history, .. } = &*listeners.conversation;
        if history.call(calls.key(id)).is_some() {
            return;
        }
        self.begin_if_named(id, incoming, listeners);
        if self.items.is_open(ItemKind::Call, id) {
            self.close(ItemKind::Call, id, listeners);
            if let Some(name) = incoming.event.quiet_id(FieldKey::ToolCallName) {
                listeners.arguments_are_missing(&name);
            }
        }
    }

    /// Whether an event that begins the open call `id` means another one: it has another name, or the arguments are
    /// there already. An empty id identifies nothing.
    fn is_other_call(
        &self,
        id: &str,
        form: StartForm,
        event: &WireEvent<'_>,
        listeners: &Listeners<'_, '_>,
    ) -> bool {
        let (Some(open), Some(name)) = (
            self.items.open_text(ItemKind::Call, id),
            event.quiet_id(FieldKey::ToolCallName),
        ) else {
            return false;
        };
        let ThreadState { calls, history, .. } = &*listeners.conversation;
        let is_same_name = history
            .call(calls.key(id))
            .is_some_and(|call| call.function.name.as_str() == &*name);
        let is_complete = || is_json(open);
        let brings_nothing = || {
            let delta = event.text(FieldKey::Delta, &mut Warnings::default());
            form != StartForm::Start && delta.is_none_or(|delta| delta.trim().is_empty())
        };
        !is_same_name
            || form == StartForm::Start && id.is_empty()
            || is_complete() && !brings_nothing()
    }

    fn open_message(
        &mut self,
        id: &str,
        role: &str,
        subagent: Option<&str>,
        listeners: &mut Listeners<'_, '_>,
    ) {
        let known = ["assistant", "user", "system", "developer"]
            .into_iter()
            .find(|known| *known == role);
        let role = known.unwrap_or_else(|| {
            let warning = format!(
                "the message `{}` has the unknown role `{}`",
                shown(id),
                shown(role)
            );
            listeners.warnings.add(warning);
            "assistant"
        });
        self.items.open(ItemKind::Message, id, role);
        listeners.message_begins(id, role, subagent);
    }

    fn open_reasoning(&mut self, id: &str, listeners: &mut Listeners<'_, '_>) {
        if !self.items.is_open(ItemKind::Reasoning, id) {
            self.items.open(ItemKind::Reasoning, id, "");
            listeners.reasoning_begins(id);
        }
    }

    /// Adds to the text or the arguments of an item.
    fn add(
        &mut self,
        kind: ItemKind,
        id: &str,
        delta: SentText<'_>,
        subagent: Option<&str>,
        listeners: &mut Listeners<'_, '_>,
    ) {
        let is_late = !self.items.is_open(kind, id) && self.items.is_complete(kind, id);
        match kind {
            ItemKind::Message if !is_late && !self.items.is_open(kind, id) => {
                self.open_message(id, "assistant", None, listeners);
            }
            ItemKind::Reasoning => self.open_reasoning(id, listeners),
            _ => {}
        }
        let open = self.items.open_mut(kind, id);
        let is_open = open.is_some();
        let delta = if let Some(open) = open {
            let (delta, is_lone) = open.joiner.join(delta);
            if is_lone {
                listeners.warnings.add_lone_surrogate();
            }
            open.text.push_str(&delta);
            delta
        } else {
            delta.alone(|| listeners.warnings.add_lone_surrogate())
        };
        match kind {
            ItemKind::Message if is_late => listeners.late_text(id, &delta),
            ItemKind::Message => listeners.message_text(id, &delta),
            ItemKind::Call if is_open || is_late => listeners.call_args(id, &delta),
            ItemKind::Call => listeners.unstarted_call(id),
            ItemKind::Reasoning => listeners.reasoning_text(id, &delta, subagent),
            ItemKind::ReasoningSpan => {}
        }
    }

    fn close(&mut self, kind: ItemKind, id: &str, listeners: &mut Listeners<'_, '_>) {
        if let Some((id, open)) = self.items.close(kind, id) {
            ends(kind, &id, open, listeners);
        }
    }

    /// Ends the chunks of an author, and the item with them if it began with one.
    fn end_lane(&mut self, author: &LaneOwner, by: EventRef, listeners: &mut Listeners<'_, '_>) {
        if let Some((kind, id)) = self.lanes.end(author, by)
            && self.items.end_chunks(kind, &id, by)
        {
            self.close(kind, &id, listeners);
        }
    }

    /// The id of the item that an event continues or ends. If it names none, the only open one is meant.
    fn continued_id<'i>(
        &self,
        kind: ItemKind,
        incoming: &'i Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<Cow<'i, str>, DecodeError> {
        if let Some(id) = incoming.id() {
            return Ok(Cow::Borrowed(id));
        }
        if kind == ItemKind::Reasoning {
            return Ok(self.reasoning_id(listeners));
        }
        let only = self.only_open(kind, incoming)?;
        let (event, key) = (incoming.event.kind(), kind.id_key().name());
        listeners.warnings.add(format!(
            "a `{event}` has no `{key}`: the only one under way is taken"
        ));
        Ok(only)
    }

    fn only_open<'i>(
        &self,
        kind: ItemKind,
        incoming: &Incoming<'_>,
    ) -> Result<Cow<'i, str>, DecodeError> {
        let only = self
            .items
            .only_open(kind)
            .ok_or_else(|| incoming.event.missing(kind.id_key()))?;
        Ok(Cow::Owned(only.to_owned()))
    }

    /// The id of reasoning whose event names none: the only open one, else that of its span, else a new one.
    fn reasoning_id<'i>(&self, listeners: &mut Listeners<'_, '_>) -> Cow<'i, str> {
        let known = self
            .items
            .only_open(ItemKind::Reasoning)
            .or(self.span.as_deref());
        Cow::Owned(known.map_or_else(
            || listeners.conversation.ids.next("reasoning"),
            str::to_owned,
        ))
    }
}

/// An item ends, also if its last piece ended within a character.
fn ends(kind: ItemKind, id: &ShortText, mut open: OpenItem, listeners: &mut Listeners<'_, '_>) {
    if let Some(lone) = open.joiner.finish() {
        open.text.push(lone);
        let delta = lone.encode_utf8(&mut [0; 4]).to_owned();
        listeners.warnings.add_lone_surrogate();
        match kind {
            ItemKind::Message => listeners.message_text(id, &delta),
            ItemKind::Call => listeners.call_args(id, &delta),
            ItemKind::Reasoning => listeners.reasoning_text(id, &delta, None),
            ItemKind::ReasoningSpan => {}
        }
    }
    listeners.ends(kind, id, open.role, &open.text);
}
