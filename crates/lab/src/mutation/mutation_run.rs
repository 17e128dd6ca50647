//! Mutates recording after recording, and keeps what a report needs of each. Several recordings of a test do not count the
//! same change again.
//!
//! Flows in: recordings, one at a time. Flows out: a [`MutationReport`], and tests with more rules. **Invariant:** of a test
//! nothing stays in memory but its score, its survivors and, to be fixed, its recording.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::sequence_rule::are_many;
use super::suggestion::{ExtendedTest, RuleSize, SuggestionSearch};
use super::{Mutation, RecordedConversation};
use crate::lab_error::LabError;
use ananke_base::context::{Context, write_file};
use ananke_base::source::reason;
use ananke_plan::project::{HarmlessRule, MutationGate};
use ananke_plan::{CaseEntry, Plan, Planned, Selection, plan};
use ananke_recording::KeptRecording;
use ananke_trace::outcome::mutation::{Fate, MutationReport, Suggestion};
use ananke_trace::redact::Redactor;

/// Whether rules are looked for that would notice the survivors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggestions {
    /// They are: for each of them the smallest.
    ToShow,
    /// They are, and a rule that notices many is preferred.
    ToWrite,
    /// They are not.
    Off,
}

/// Mutates the recordings of one project.
#[derive(Debug)]
pub struct MutationRun {
    /// The gate that the config requires.
    pub gate: MutationGate,
    /// The report so far.
    pub report: MutationReport,
    /// The time for which changes were evaluated, in microseconds.
    pub took_us: u64,
    /// The plan of the project.
    pub plan: Plan,
    selection: Selection,
    used: Vec<bool>,
    /// The mutants of the newest test so far, by all of its recordings.
    seen: SeenMutants,
    /// The tests that rules are suggested for.
    fixable: Vec<(CaseEntry, Arc<KeptRecording>, Vec<Suggestion>)>,
}

impl MutationRun {
    /// Reads the project.
    ///
    /// # Errors
    /// If something is wrong with its files.
    pub fn plan(context: &Context, selection: Selection) -> Result<Self, LabError> {
        let Planned {
            plan,
            problems,
            redactor,
            ..
        } = plan(context, &selection, &Redactor::default());
        let Some(plan) = plan else {
            return Err(LabError::Broken(problems, redactor));
        };
        let gate = MutationGate::of(&plan.config, &mut Vec::new());
        let used = vec![false; gate.harmless.len()];
        let (report, seen, fixable) = (
            MutationReport::default(),
            SeenMutants::default(),
            Vec::new(),
        );
        Ok(Self {
            gate,
            report,
            took_us: 0,
            plan,
            selection,
            used,
            seen,
            fixable,
        })
    }

    /// The file of the config, if there is one.
    pub fn config_file(&self) -> &Path {
        &self.plan.config.source.path
    }

    /// The file of the test that a recording is of.
    pub fn test_file(&self, recording: &KeptRecording) -> Option<PathBuf> {
        let case = self
            .plan
            .cases
            .iter()
            .find(|case| case.id() == recording.key().test.as_str());
        case.map(|case| case.test.path.clone())
    }

    /// Mutates a recording, which messages call `shown`.
    ///
    /// # Errors
    /// If its test does not pass before it is changed.
    pub async fn add(
        &mut self,
        context: &Context,
        recording: Arc<KeptRecording>,
        shown: &str,
        suggestions: Suggestions,
    ) -> Result<(), LabError> {
        let conversation =
            RecordedConversation::replay(context, &self.plan, Arc::clone(&recording), shown)
                .await?;
        let begun = context.clock.now();
        let mut fates = conversation.fates(context, context.parallelism).await?;
        self.took_us += context.clock.now().0.saturating_sub(begun.0);
        let id = conversation.id();
        self.mark_harmless(id, &mut fates);
        fates.retain(|(mutation, fate)| self.seen.is_new(id, mutation, fate));
        let search = SuggestionSearch::new(context, &self.selection, &recording, &conversation);
        let found = suggested(search, &fates, suggestions).await;
        self.report.add_test(id);
        for (number, (mutation, fate)) in fates.iter().enumerate() {
            self.report
                .add_change(id, mutation.operator, fate, |finding| {
                    mutation.surviving(id, finding, found.get(&number).cloned())
                });
        }
        let case = conversation.case.clone();
        let mut different: Vec<Suggestion> = Vec::new();
        for suggestion in found.into_values() {
            if !different.contains(&suggestion) {
                different.push(suggestion);
            }
        }
        if !different.is_empty() {
            self.fixable.push((case, recording, different));
        }
        Ok(())
    }

    /// Marks the survivors that an entry under `harmless` is about.
    fn mark_harmless(&mut self, id: &str, fates: &mut [(Mutation, Fate)]) {
        for (mutation, fate) in fates {
            if matches!(fate, Fate::Killed { .. } | Fate::KilledByProtocol(_)) {
                continue;
            }
            let tool = mutation.tool.as_deref();
            let is_about = |rule: &HarmlessRule| rule.matches(id, mutation.operator, tool);
            if let Some(number) = self.gate.harmless.iter().position(is_about) {
                self.used[number] = true;
                *fate = Fate::Harmless(self.gate.harmless[number].reason.clone());
            }
        }
    }

    /// The reasons of entries under `harmless` that were about no survivor, as notes.
    pub fn unused_harmless(&self) -> Vec<String> {
        let entries = self
            .gate
            .harmless
            .iter()
            .zip(&self.used)
            .filter(|(_, used)| !**used);
        entries
            .map(|(entry, _)| format!("no change was harmless because: {}", entry.reason))
            .collect()
    }

    /// Writes the suggested rules into the tests, each if the recording passes with it; what was written, as notes.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub async fn fix(&self, context: &Context) -> Result<Vec<String>, LabError> {
        let mut context = context.clone();
        let mut written: BTreeMap<PathBuf, (String, String, usize)> = BTreeMap::new();
        for (case, recording, suggestions) in &self.fixable {
            let entry = &case.test;
            for Suggestion { level, block, .. } in suggestions {
                let extended = ExtendedTest::verified(
                    &context,
                    &self.selection,
                    recording,
                    entry,
                    *level,
                    block,
                )
                .await;
                let Some(extended) = extended else { continue };
                let text = extended.text;
                context = extended.context;
                let many = written.get(&entry.path).map_or(0, |(_, _, many)| *many);
                written.insert(entry.path.clone(), (entry.file.clone(), text, many + 1));
            }
        }
        let mut notes = Vec::new();
        for (path, (file, text, many)) in written {
            write_file(&path, text.as_bytes()).map_err(|error| LabError::Refused {
                message: format!("`{file}` cannot be written: {}", reason(&error)),
                help: None,
            })?;
            let rules = if many == 1 { "rule" } else { "rules" };
            notes.push(format!(
                "wrote {many} {rules} into `{file}`; run the test and mutate again"
            ));
        }
        Ok(notes)
    }
}

/// The rules that would notice changes that are not noticed, by the numbers of the changes.
async fn suggested(
    mut search: SuggestionSearch<'_>,
    fates: &[(Mutation, Fate)],
    suggestions: Suggestions,
) -> BTreeMap<usize, Suggestion> {
    let mut found = BTreeMap::new();
    if suggestions == Suggestions::Off {
        return found;
    }
    for (number, (mutation, fate)) in fates.iter().enumerate() {
        if !fate.is_unnoticed() {
            continue;
        }
        let unnoticed = fates.iter().filter(|(_, fate)| fate.is_unnoticed());
        let unnoticed = unnoticed.map(|(mutation, _)| mutation);
        let size = if suggestions == Suggestions::ToWrite && are_many(mutation, unnoticed) {
            RuleSize::Strict
        } else {
            RuleSize::Smallest
        };
        if let Some(suggestion) = search.find(mutation, size).await {
            found.insert(number, suggestion);
        }
    }
    found
}

/// The changes to the newest test that were counted, as hashes. A test that runs several times, or walks, has several recordings,
/// which are the same up to some event. **Invariant:** a change counts again if it meets another fate.
#[derive(Debug, Default)]
pub(super) struct SeenMutants {
    test: String,
    hashes: HashSet<u64>,
}

impl SeenMutants {
    /// Whether this change to the test `id` with this fate is the first such; recordings of a test follow each other.
    pub(super) fn is_new(&mut self, id: &str, mutation: &Mutation, fate: &Fate) -> bool {
        if self.test != id {
            (self.test, self.hashes) = (id.to_owned(), HashSet::new());
        }
        let mut hasher = DefaultHasher::new();
        let Mutation {
            operator,
            turn,
            event,
            change,
            ..
        } = mutation;
        (operator, turn, event, change, fate.as_str()).hash(&mut hasher);
        self.hashes.insert(hasher.finish())
    }
}
