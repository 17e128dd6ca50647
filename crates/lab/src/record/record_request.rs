//! The input of a recording, and the place of its result.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::lab_error::LabError;
use crate::test_writer::{WrittenTest, blank_test, file_text};
use ananke_agents::Capability;
use ananke_base::context::{CaseKey, Context};
use ananke_base::source::Node;
use ananke_plan::{Plan, Planned, Selection, plan};
use ananke_recording::recording_path;
use ananke_trace::redact::Redactor;

/// The input of a recording, and the place of its result.
#[derive(Clone, Debug)]
pub struct RecordRequest {
    /// The config, the target and the variables.
    pub selection: Selection,
    /// The file of the tests.
    pub file: PathBuf,
    /// The directory of their recordings.
    pub folder: PathBuf,
    /// The origin of the tests, as their file gives it: "Recorded with `ananke record`".
    pub origin: &'static str,
}

impl RecordRequest {
    /// The plan of a test of this name without turns, and the context in which it is read. `client_tools` are its own, as a
    /// test writes them.
    ///
    /// # Errors
    /// If something is wrong with the config, or there is no such target.
    pub fn blank_test(
        &self,
        context: &Context,
        name: &str,
        client_tools: &[Value],
    ) -> Result<(Plan, Context), LabError> {
        let mut keys = blank_test(name, client_tools);
        keys.set("interactive", Node::of_json(&json!({ "enabled": false })));
        let text = file_text(self.origin, &[WrittenTest::blank(keys)]);
        let selection = Selection {
            sends: true,
            ..self.selection.clone()
        };
        let (plan, context) = self.plan(context, &text, name, &selection)?;
        let target = plan.cases.first().map(|case| &case.test.target);
        if let Some(target) = target.and_then(|target| plan.config.target(target))
            && !target.model.capabilities().has(Capability::UserTurns)
        {
            let message = format!(
                "a target of the type `{}` {}",
                target.model.protocol,
                Capability::UserTurns.lack()
            );
            return Err(LabError::refused(
                message,
                "name another target with `--target`",
            ));
        }
        Ok((plan, context))
    }

    /// The files that the test of `plan` is written to.
    pub fn files(&self, plan: &Plan) -> Vec<PathBuf> {
        let recording = |id| recording_path(&self.folder, &CaseKey::first(id));
        let recordings = plan.cases.iter().map(|case| recording(case.id()));
        std::iter::once(self.file.clone())
            .chain(recordings)
            .collect()
    }

    /// The plan of the test of this name, if `text` is the text of the file.
    ///
    /// # Errors
    /// If something is wrong with the config or the text.
    pub(super) fn plan(
        &self,
        context: &Context,
        text: &str,
        name: &str,
        selection: &Selection,
    ) -> Result<(Plan, Context), LabError> {
        let files = context.files.with_unsaved(self.file.clone(), text);
        let context = Context {
            files,
            ..context.clone()
        };
        let selection = Selection {
            paths: vec![self.file.clone()],
            ..selection.clone()
        };
        let Planned {
            plan,
            problems,
            redactor,
            ..
        } = plan(&context, &selection, &Redactor::default());
        let Some(mut plan) = plan else {
            return Err(LabError::Broken(problems, redactor));
        };
        plan.cases.retain(|case| case.test.name == name);
        if plan.cases.is_empty() {
            let message = format!(
                "`{}` is not a file of tests of this project",
                self.file.display()
            );
            return Err(LabError::refused(
                message,
                "name a file that ends with `.test.yaml`",
            ));
        }
        Ok((plan, context))
    }
}
