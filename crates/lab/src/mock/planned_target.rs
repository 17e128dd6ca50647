//! The target of a project without a test of it.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, json};

use crate::lab_error::LabError;
use ananke_agents::Target;
use ananke_base::context::Context;
use ananke_base::message::ToolDeclaration;
use ananke_model::model::NEWEST_VERSION;
use ananke_model::variables::Mode;
use ananke_plan::compile::CompiledClientTool;
use ananke_plan::{
    CaseEntry, LoadedFile, LoadedTest, Plan, Planned, Preparation, PrepareError, Selection, plan,
};
use ananke_trace::redact::Redactor;

/// The file of the test that has the target.
const TEST_FILE: &str = "served-by-ananke-mock.test.yaml";

/// A thread that no client has yet.
const NO_THREAD: &str = "thread";

/// The file of a config in memory.
const CONFIG_FILE: &str = "served-by-ananke-mock.config.yaml";

/// A target whose variables can be filled.
pub(super) struct PlannedTarget {
    context: Context,
    plan: Arc<Plan>,
    entry: CaseEntry,
    test: Arc<LoadedTest>,
}

/// A target for the conversation on one thread.
pub(super) struct ThreadTarget {
    pub(super) target: Arc<dyn Target>,
    /// The tools of the client, as the config declares them.
    pub(super) client_tools: Vec<ToolDeclaration>,
}

impl PlannedTarget {
    /// The target that `selection` names, in the config that it names.
    pub(super) fn of(context: &Context, selection: &Selection) -> Result<Self, LabError> {
        let served =
            json!({ "version": NEWEST_VERSION, "name": "served", "turns": [{ "user": "-" }] })
                .to_string();
        let path = context.working_directory.join(TEST_FILE);
        let files = context.files.with_unsaved(path.clone(), &served);
        let context = Context {
            files,
            ..context.clone()
        };
        let selection = Selection {
            paths: vec![path],
            ..selection.clone()
        };
        let Planned {
            plan,
            problems,
            redactor,
            ..
        } = plan(&context, &selection, &Redactor::default());
        let Some(plan) = plan else {
            return Err(LabError::Broken(problems, redactor));
        };
        let plan = Arc::new(plan);
        let context = Context {
            environment: Arc::clone(&plan.environment),
            ..context
        };
        let Some(entry) = plan.cases.first().cloned() else {
            return Err(LabError::Broken(problems, redactor));
        };
        let name = entry.test.target.clone();
        let target = plan.config.target(&name);
        if let Some(target) = target.filter(|target| !target.model.is_embedded()) {
            let message = format!(
                "the target `{name}` is {}, which is not served",
                target.model.describe()
            );
            let help = "a mock serves an agent that is written in the config, in the protocols that it can speak, or a recording: \
                        record the agent with `ananke run --record DIR`, and name the file";
            return Err(LabError::refused(message, help));
        }
        let file = LoadedFile::of_case(&context, &entry);
        let test = file
            .and_then(|file| file.test_of(&entry))
            .map_err(|error| broken(&plan, error))?;
        let found = Self {
            context,
            plan,
            entry,
            test,
        };
        found.of_thread(NO_THREAD)?;
        Ok(found)
    }

    /// The name of the target.
    pub(super) fn target_name(&self) -> &str {
        &self.entry.test.target
    }

    /// The target with everything filled in for a conversation on this thread, and the tools of its client that the config has.
    pub(super) fn of_thread(&self, thread: &str) -> Result<ThreadTarget, LabError> {
        let Self {
            context,
            plan,
            entry,
            test,
        } = self;
        let begun = Preparation::begin(
            context,
            plan,
            entry,
            Arc::clone(test),
            Mode::Send,
            Map::new(),
        );
        let prepared = begun.and_then(|mut preparation| {
            preparation.define(Map::from_iter([("THREAD_ID".to_owned(), json!(thread))]));
            preparation.finish()
        });
        let prepared = prepared.map_err(|error| broken(plan, error))?;
        Ok(ThreadTarget {
            target: prepared.target,
            client_tools: CompiledClientTool::declarations(&prepared.client_tools.written),
        })
    }

    /// The target of a config in memory.
    pub(super) fn of_config(context: &Context, config: &str) -> Result<Self, LabError> {
        let path = context.working_directory.join(Path::new(CONFIG_FILE));
        let files = context.files.with_unsaved(path.clone(), config);
        let context = Context {
            files,
            ..context.clone()
        };
        Self::of(
            &context,
            &Selection {
                config: Some(path),
                ..Selection::default()
            },
        )
    }
}

/// The error that a target cannot be prepared.
fn broken(plan: &Plan, error: PrepareError) -> LabError {
    match error {
        PrepareError::Broken(problems, secrets) => {
            let redactor = plan.redactor.clone();
            redactor.add(&secrets);
            LabError::Broken(problems, redactor)
        }
        PrepareError::Changed => {
            LabError::refused("the config changed while it was read", "try again")
        }
    }
}
