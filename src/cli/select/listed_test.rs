//! A test as programs list it: one entry of `ananke list --json`.

use ananke::context::Context;
use ananke::plan::{CaseEntry, Plan, TestEntry};
use ananke::redact::Redactor;
use schemars::JsonSchema;
use serde::Serialize;

/// A test. What it does not have is omitted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ListedTest {
    /// The id of the test.
    pub(crate) id: String,
    /// The name of the test, without its row.
    pub(crate) name: String,
    /// The path of its file, relative to the config.
    pub(crate) file: String,
    /// The line where it begins, counted from 1.
    pub(crate) line: u32,
    /// The name of its target.
    pub(crate) target: String,
    /// How many turns it has.
    pub(crate) turns: usize,
    /// The description of its target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target_description: Option<String>,
    /// The description of the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// The tags of the test.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    /// The label of its row, of a test that has rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) case: Option<String>,
    /// The reason for which it is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skip: Option<String>,
}

impl ListedTest {
    /// A test of `plan`, masked.
    pub(crate) fn of(
        case: &CaseEntry,
        plan: &Plan,
        context: &Context,
        redactor: &Redactor,
    ) -> Self {
        let TestEntry {
            name,
            target,
            about,
            skip,
            file,
            line,
            turns,
            ..
        } = &*case.test;
        let masked = |text: &str| redactor.text(text).into_owned();
        let of_target = plan.config.target(target);
        let target_description =
            of_target.and_then(|target| plan.config.description(target, context, &plan.variables));
        Self {
            id: masked(&case.id()),
            name: masked(name),
            file: file.clone(),
            line: *line,
            target: target.clone(),
            turns: *turns,
            target_description: target_description.as_deref().map(masked),
            description: about.description.as_deref().map(masked),
            tags: about.tags.iter().map(|tag| masked(tag)).collect(),
            case: case.row.as_ref().map(|row| masked(&row.label)),
            skip: skip.as_deref().map(masked),
        }
    }
}
