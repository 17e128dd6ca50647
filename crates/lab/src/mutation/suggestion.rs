//! Rules that would notice a change, each verified: with it the change is killed, and the recording still passes.

use std::collections::HashMap;
use std::sync::Arc;

use super::rule_insertion::{inserted, raised};
use super::sequence_rule::strict;
use super::taped_mutants::TapedMutants;
use super::{Mutation, RecordedConversation};
use ananke_base::context::Context;
use ananke_base::source::{Node, to_yaml};
use ananke_model::schema::Version;
use ananke_plan::{Planned, Selection, TestEntry, plan};
use ananke_recording::KeptRecording;
use ananke_trace::outcome::mutation::{Fate, MutationLevel, Suggestion};
use ananke_trace::redact::Redactor;

/// The number of different rules that are tried for one test.
const MOST_TRIED: usize = 200;

/// The size of the rules that are tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleSize {
    /// The smallest that notice the change.
    Smallest,
    /// One for many changes.
    Strict,
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
        Self {
            context,
            selection,
            recording,
            conversation,
            tried: HashMap::new(),
        }
    }

    /// The first rule that kills the change while the recording still passes.
    pub(super) async fn find(
        &mut self,
        mutation: &Mutation,
        preferred: RuleSize,
    ) -> Option<Suggestion> {
        let TapedMutants { taped, index, .. } = &self.conversation.mutants;
        let strict = strict(index, &taped.start.thread_id, mutation);
        let (first, last) = match preferred {
            RuleSize::Smallest => (None, strict.as_ref()),
            RuleSize::Strict => (strict.as_ref(), None),
        };
        for (level, block) in first.into_iter().chain(&mutation.rules).chain(last) {
            for level in [*level, MutationLevel::Test] {
                let key = format!("{level:?} {block}");
                if !self.tried.contains_key(&key) {
                    if self.tried.len() >= MOST_TRIED {
                        return None;
                    }
                    let with_rule = self.with_rule(level, block).await;
                    self.tried.insert(key.clone(), with_rule);
                }
                let Some(Some((suggestion, conversation))) = self.tried.get(&key) else {
                    continue;
                };
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
        let extended = ExtendedTest::verified(
            self.context,
            self.selection,
            self.recording,
            entry,
            level,
            block,
        )
        .await?;
        let ExtendedTest {
            conversation,
            line,
            version,
            ..
        } = extended;
        let (yaml, file) = (to_yaml(&Node::of_json(block), 0), entry.file.clone());
        let suggestion = Suggestion {
            yaml,
            level,
            file,
            line,
            version,
            block: block.clone(),
        };
        Some((suggestion, conversation))
    }
}

/// A test with one more rule, which its recording passes.
pub(super) struct ExtendedTest {
    /// The file with the rule.
    pub(super) text: String,
    pub(super) context: Context,
    conversation: RecordedConversation,
    line: u32,
    version: Option<String>,
}

impl ExtendedTest {
    /// The test with the rule, if the recording passes; at the newest version if the rule needs it.
    pub(super) async fn verified(
        context: &Context,
        selection: &Selection,
        recording: &Arc<KeptRecording>,
        entry: &TestEntry,
        level: MutationLevel,
        block: &serde_json::Value,
    ) -> Option<Self> {
        let (text, line) = inserted(context, entry, level, block)?;
        let newest = Version::newest().to_string();
        let raised = raised(&text, entry, &newest).map(|raised| (raised, Some(newest)));
        for (text, version) in std::iter::once((text, None)).chain(raised) {
            let files = context.files.with_unsaved(entry.path.clone(), text.clone());
            let context = Context {
                files,
                ..context.clone()
            };
            let selection = Selection {
                paths: vec![entry.path.clone()],
                ..selection.clone()
            };
            let Planned { plan, .. } = plan(&context, &selection, &Redactor::default());
            let Some(plan) = plan else { continue };
            let replayed =
                RecordedConversation::replay(&context, &plan, Arc::clone(recording), "").await;
            if let Ok(conversation) = replayed {
                return Some(Self {
                    text,
                    context,
                    conversation,
                    line,
                    version,
                });
            }
        }
        None
    }
}
