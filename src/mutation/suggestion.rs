//! Rules that would notice a change, each verified: with it the change is killed, and the recording still passes.

use std::collections::HashMap;
use std::sync::Arc;

use super::fate::Fate;
use super::mutation::{Mutation, MutationLevel};
use super::recorded_conversation::RecordedConversation;
use super::rule_insertion::inserted;
use crate::context::Context;
use crate::plan::{Planned, Selection, plan};
use crate::recording::KeptRecording;
use crate::redact::Redactor;
use crate::source::{Node, to_yaml};

/// How many different rules are tried for one test.
const MOST_TRIED: usize = 200;

/// A rule that would notice a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The `assert` block, as YAML.
    pub yaml: String,
    /// The level that it is for.
    pub level: MutationLevel,
    /// The file of the test, as shown in messages.
    pub file: String,
    /// The line at which it is inserted, counted from 1.
    pub line: u32,
    /// The block as a value.
    pub(super) block: serde_json::Value,
}

impl Suggestion {
    /// The level in words: `test`, or `turn 2`.
    pub fn level_words(&self) -> String {
        match self.level {
            MutationLevel::Test => "test".to_owned(),
            MutationLevel::Turn(turn) => format!("turn {}", turn + 1),
        }
    }
}

/// Looks for rules for the changes of one test.
pub(super) struct SuggestionSearch<'a> {
    context: &'a Context,
    selection: &'a Selection,
    recording: &'a Arc<KeptRecording>,
    conversation: &'a RecordedConversation,
    /// The rules that were tried, each with the test that has it, if the recording passes.
    tried: HashMap<String, Option<(Suggestion, RecordedConversation)>>,
}

impl<'a> SuggestionSearch<'a> {
    pub(super) fn new(
        context: &'a Context,
        selection: &'a Selection,
        recording: &'a Arc<KeptRecording>,
        conversation: &'a RecordedConversation,
    ) -> Self {
        Self { context, selection, recording, conversation, tried: HashMap::new() }
    }

    /// The first rule that kills the change while the recording still passes.
    pub(super) async fn find(&mut self, mutation: &Mutation) -> Option<Suggestion> {
        for (level, block) in &mutation.rules {
            for level in [*level, MutationLevel::Test] {
                let key = format!("{level:?} {block}");
                if !self.tried.contains_key(&key) {
                    if self.tried.len() >= MOST_TRIED {
                        return None;
                    }
                    let with_rule = self.with_rule(level, block).await;
                    self.tried.insert(key.clone(), with_rule);
                }
                let Some(Some((suggestion, conversation))) = self.tried.get(&key) else { continue };
                if matches!(conversation.evaluate(mutation), Ok(Fate::Killed { .. })) {
                    return Some(suggestion.clone());
                }
            }
        }
        None
    }

    /// The test with one more rule, if the recording still passes.
    async fn with_rule(
        &self,
        level: MutationLevel,
        block: &serde_json::Value,
    ) -> Option<(Suggestion, RecordedConversation)> {
        let entry = &self.conversation.case.test;
        let (text, line) = inserted(self.context, entry, level, block)?;
        let files = self.context.files.with_unsaved(entry.path.clone(), text);
        let context = Context { files, ..self.context.clone() };
        let conversation = replayed(&context, self.selection, self.recording, &entry.path).await?;
        let yaml = to_yaml(&Node::of_json(block), 0);
        let suggestion = Suggestion { yaml, level, file: entry.file.clone(), line, block: block.clone() };
        Some((suggestion, conversation))
    }
}

/// The recorded test of the file at `path`, if it passes with what the file says now.
pub(super) async fn replayed(
    context: &Context,
    selection: &Selection,
    recording: &Arc<KeptRecording>,
    path: &std::path::Path,
) -> Option<RecordedConversation> {
    let selection = Selection { paths: vec![path.to_owned()], ..selection.clone() };
    let Planned { plan, .. } = plan(context, &selection, &Redactor::default());
    RecordedConversation::replay(context, &plan?, Arc::clone(recording), "").await.ok()
}
