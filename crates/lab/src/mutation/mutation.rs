//! One change to a conversation: what is removed and inserted, and what a report says of it.

use serde_json::Value;

use super::change_site::{ChangeSite, ChangeSubject};
use ananke_conversation::TapeItem;
use ananke_model::model::MutationOperator;
use ananke_recording::StreamFault;
use ananke_trace::outcome::mutation::{MutantSeverity, MutationLevel, Suggestion, SurvivingMutant};
use ananke_trace::trace::{Change, EventNumber, SnapshotItem};

/// One change to a conversation.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// Its kind.
    pub operator: MutationOperator,
    /// The severity if it is not noticed.
    pub severity: MutantSeverity,
    /// The turn, counted from 0.
    pub turn: usize,
    /// The number of the event that it changes, counted from 0 as in reports.
    pub event: EventNumber,
    /// The tool whose call it changes.
    pub tool: Option<String>,
    /// The argument that it changes.
    pub argument: Option<String>,
    /// The description of the change, in words.
    pub change: String,
    /// Rules that would notice it: each an `assert` block and the level that it is for, the simplest first.
    pub rules: Vec<(MutationLevel, Value)>,
    pub(super) site: ChangeSite,
    pub(super) edits: Vec<TapeEdit>,
    /// From which item on everything is later, and by how many microseconds.
    pub(super) later: Option<(usize, u64)>,
    /// The edit of the snapshots of the conversation that belongs to the change.
    pub(super) in_snapshots: Option<SnapshotEdit>,
    /// A change to the bytes of a response instead, by the number of the exchange.
    pub(super) stream: Option<(usize, StreamFault)>,
}

/// An edit of a tape.
#[derive(Clone, Debug)]
pub(super) struct TapeEdit {
    /// The index of the item.
    pub(super) at: usize,
    /// Whether that item is removed.
    pub(super) removes: bool,
    /// The items that are inserted before it.
    pub(super) inserts: Vec<TapeItem>,
}

/// The edit of the snapshots of a conversation, by the id of a call or a message.
#[derive(Clone, Debug)]
pub(super) enum SnapshotEdit {
    /// There is no such call.
    NoCall(String),
    /// The call has these arguments.
    Arguments(String, String),
    /// The results of the call are missing: the stream reported them.
    NoResult(String),
    /// The message has this text.
    Text(String, String),
}

impl Mutation {
    /// A change of this kind to the event `event` of the turn `turn`.
    pub(super) fn new(
        operator: MutationOperator,
        turn: usize,
        event: EventNumber,
        subject: ChangeSubject,
        change: String,
    ) -> Self {
        Self {
            operator,
            severity: MutantSeverity::Low,
            turn,
            event,
            tool: None,
            argument: None,
            change,
            rules: Vec::new(),
            site: ChangeSite::new(subject),
            edits: Vec::new(),
            later: None,
            in_snapshots: None,
            stream: None,
        }
    }

    /// The change to the test `id` that was not noticed as it should be, with the finding of a rule that failed for another
    /// reason.
    pub(super) fn surviving(
        &self,
        id: &str,
        other_finding: Option<String>,
        suggestion: Option<Suggestion>,
    ) -> SurvivingMutant {
        SurvivingMutant {
            test: id.to_owned(),
            operator: self.operator,
            severity: self.severity,
            turn: self.turn + 1,
            event: self.event.number,
            tool: self.tool.clone(),
            argument: self.argument.clone(),
            change: self.change.clone(),
            other_finding,
            suggestion,
        }
    }

    /// The same about a call to `tool`.
    pub(super) fn of_tool(mut self, tool: &str) -> Self {
        self.severity = MutantSeverity::of_tool(tool);
        self.tool = Some(tool.to_owned());
        self
    }

    /// The same, which changes the call or message with this id.
    pub(super) fn of_id(mut self, id: &str) -> Self {
        self.site.ids.push(id.to_owned());
        self
    }

    /// The same with this severity.
    pub(super) fn severity(self, severity: MutantSeverity) -> Self {
        Self { severity, ..self }
    }

    /// The same without these items.
    pub(super) fn without(mut self, items: impl IntoIterator<Item = usize>) -> Self {
        self.edits.extend(items.into_iter().map(|at| TapeEdit {
            at,
            removes: true,
            inserts: Vec::new(),
        }));
        self
    }

    /// The same with these items before the item `at`.
    pub(super) fn with(mut self, at: usize, inserts: Vec<TapeItem>) -> Self {
        self.edits.push(TapeEdit {
            at,
            removes: false,
            inserts,
        });
        self
    }

    /// The same with this item instead of the item `at`.
    pub(super) fn instead(mut self, at: usize, item: TapeItem) -> Self {
        self.edits.push(TapeEdit {
            at,
            removes: true,
            inserts: vec![item],
        });
        self
    }

    /// The same with this edit of snapshots.
    pub(super) fn in_snapshots(self, edit: SnapshotEdit) -> Self {
        Self {
            in_snapshots: Some(edit),
            ..self
        }
    }

    /// The same, which this rule would notice.
    pub(super) fn noticed_by(mut self, level: MutationLevel, block: Value) -> Self {
        self.rules.push((level, block));
        self
    }
}

impl SnapshotEdit {
    /// Edits the change `change`, if it is a snapshot.
    pub(super) fn apply(&self, change: &mut Change<'_>) {
        let Change::Snapshot(items) = change else {
            return;
        };
        if let Self::NoCall(id) | Self::NoResult(id) = self {
            items.retain(|item| !matches!(item, SnapshotItem::Answer { call, .. } if call == id));
        }
        for item in items {
            let SnapshotItem::Message {
                id, text, calls, ..
            } = item
            else {
                continue;
            };
            match self {
                Self::NoCall(dropped) => calls.retain(|call| call.id != *dropped),
                Self::Arguments(changed, args) => {
                    for call in calls.iter_mut().filter(|call| call.id == *changed) {
                        call.args.clone_from(args);
                    }
                }
                Self::Text(changed, new) if id == changed => text.clone_from(new),
                Self::NoResult(_) | Self::Text(..) => {}
            }
        }
    }
}
