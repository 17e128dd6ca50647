//! The models that one attempt at a test uses: a lane of each.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::context::ConversationStart;
use ananke_base::context::{CaseKey, lock};
use ananke_plan::project::TestModelScript;
use ananke_provider::{HostedModel, LanePermit, ModelLane, ModelProblem};
use ananke_recording::{Recorder, ReplayedModels};
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::trace::{ModelUse, Trace};

/// The most warnings of models that an attempt shows.
const MOST_WARNINGS: usize = 20;

/// The models that one attempt uses.
#[derive(Default)]
pub(crate) struct AttemptModels {
    lanes: Vec<AttemptLane>,
    /// The first problems of each lane. They end the test only when its turn is over, because the agent may still answer.
    problems: Mutex<Vec<ModelProblem>>,
    /// The number of further ones.
    more_problems: AtomicUsize,
    /// The warnings, which end nothing.
    warnings: Mutex<Vec<String>>,
    /// What an earlier attempt asked, if this is a replay of it.
    replayed: Option<ReplayedModels>,
    /// Notes what the models are asked; `None` if the attempt is not recorded.
    recorder: Option<Recorder>,
}

/// The place of the attempt among the tests that ask one model. The lane closes when it is dropped.
struct AttemptLane {
    model: HostedModel,
    lane: Arc<ModelLane>,
    /// The right to be the only open lane of the model, if one alone may be.
    _permit: Option<LanePermit>,
}

impl AttemptModels {
    /// Opens a lane of each of the `models` for the attempt `key`, with the scripts of its test.
    ///
    /// # Errors
    /// If a pattern of a script cannot be compiled, or a recording cannot be read.
    pub(crate) async fn open(
        models: &[HostedModel],
        scripts: &[TestModelScript],
        key: &CaseKey,
    ) -> Result<Self, String> {
        let mut opened = Self::default();
        let name = lane_name(key);
        let time = Arc::default();
        for model in models {
            // A model whose requests do not show their test has one lane at a time, because nothing else would keep tests apart.
            let permit = model.lanes.permit().await;
            let setup = &model.setup;
            let own = scripts.iter().find(|script| match &script.model {
                Some(name) => *name == setup.name,
                // A test names no model if there is one alone.
                None => true,
            });
            let own = own.map(|own| &own.script);
            let source = model
                .recordings
                .source(setup, &model.upstreams, own, key, &time);
            let source = source.map_err(|problem| problem.message)?;
            let lane = model.lanes.open(&name, &setup.name, source);
            let lane = lane.map_err(|error| error.to_string())?;
            opened.lanes.push(AttemptLane {
                model: model.clone(),
                lane,
                _permit: permit,
            });
        }
        Ok(opened)
    }

    /// Gives back what an earlier attempt asked.
    pub(crate) fn replaying(replayed: ReplayedModels) -> Self {
        Self {
            replayed: Some(replayed),
            ..Self::default()
        }
    }

    /// The same, which a recorder follows.
    pub(crate) fn recorded_by(self, recorder: Option<&Recorder>) -> Self {
        if let Some(recorder) = recorder {
            recorder.see_models();
        }
        Self {
            recorder: recorder.cloned(),
            ..self
        }
    }

    /// Whether nothing is known of requests to models.
    pub(crate) fn is_empty(&self) -> bool {
        self.lanes.is_empty() && self.replayed.is_none()
    }

    /// The trace of a conversation that begins like this. It sees requests to models if there are some.
    pub(crate) fn trace(&self, start: &ConversationStart) -> Trace {
        if self.is_empty() {
            start.trace()
        } else {
            start.trace().seeing_models()
        }
    }

    /// Begins a turn in which the user says `text`, once no other test has a turn that could be taken for it.
    pub(super) async fn begin_turn(&self, text: &str) {
        // Every test opens its lanes in the same order: otherwise two could wait for each other.
        for open in &self.lanes {
            open.model.lanes.begin_turn(&open.lane, text).await;
        }
        if let Some(replayed) = &self.replayed {
            replayed.begin_exchange();
        }
        if let Some(recorder) = &self.recorder {
            recorder.begin_model_exchange();
        }
    }

    /// Notes the variables of the test whose values differ from run to run, each with its value.
    pub(crate) fn set_values(&self, variables: &[(String, String)]) {
        for open in &self.lanes {
            open.lane.set_values(variables);
        }
    }

    /// Ends the turn, so that other tests may say the same.
    pub(super) fn end_turn(&self) {
        for open in &self.lanes {
            open.model.lanes.end_turn(&open.lane);
        }
    }

    /// The happenings since the last time, after so many steps of the exchange.
    pub(super) fn take(&self, step: u32) -> ModelUse {
        let mut used = self.take_from_lanes();
        if let Some(replayed) = &self.replayed {
            used.extend(replayed.take(step));
        }
        if let Some(recorder) = &self.recorder {
            recorder.add_model_use(step, &used);
        }
        used
    }

    /// The happenings in all lanes since the last time. Problems are kept for the end.
    fn take_from_lanes(&self) -> ModelUse {
        let mut all = ModelUse::default();
        for open in &self.lanes {
            let happened = open.lane.take();
            all.extend(happened.used);
            lock(&self.problems).extend(happened.problems);
            for warning in &happened.warnings {
                self.add_warning(warning);
            }
            self.more_problems
                .fetch_add(happened.more_problems, Ordering::Relaxed);
        }
        all
    }

    /// Whether the exchange ends with an error, whatever the agent says.
    pub(super) fn has_problem(&self) -> bool {
        let has_problem = match &self.replayed {
            Some(replayed) => replayed.has_failed(),
            None => !lock(&self.problems).is_empty(),
        };
        if has_problem && let Some(recorder) = &self.recorder {
            recorder.add_model_failure();
        }
        has_problem
    }

    /// Writes what was recorded.
    pub(crate) fn write_recordings(&self) {
        for open in &self.lanes {
            open.lane.write_recording();
        }
        let _nothing_happens_any_more = self.take_from_lanes();
    }

    /// Adds the problem of each answer that had to be used and was not.
    pub(crate) fn report_unused(&self) {
        for open in &self.lanes {
            open.lane.finish();
        }
        let _nothing_happens_any_more = self.take_from_lanes();
    }

    /// The problem that ends the test, if there is one.
    pub(crate) fn problem(&self) -> Option<Problem> {
        let problem = match &self.replayed {
            Some(replayed) => replayed.problem(),
            None => self.problem_of_lanes(),
        };
        let problem = problem?;
        if let Some(recorder) = &self.recorder {
            recorder.add_model_problem(&problem);
        }
        Some(problem)
    }

    /// The first problem of the lanes, with the number of the others.
    fn problem_of_lanes(&self) -> Option<Problem> {
        let problems = lock(&self.problems);
        let first = problems.first()?;
        let mut message = first.message.clone();
        for fact in &first.facts {
            message.push_str("\n  ");
            message.push_str(fact);
        }
        let more = problems.len() - 1 + self.more_problems.load(Ordering::Relaxed);
        match more {
            0 => {}
            1 => message.push_str("\n  and 1 more problem with a model"),
            more => {
                // Writing to a text never fails.
                let _ = write!(message, "\n  and {more} more problems with a model");
            }
        }
        Some(Problem {
            kind: ErrorKind::Model,
            message: format!("{}: {message}", first.kind.as_str()),
            help: first.help.clone(),
        })
    }

    /// The warnings of all lanes, one line each.
    pub(crate) fn warnings(&self) -> Vec<String> {
        lock(&self.warnings).clone()
    }

    fn add_warning(&self, warning: &ModelProblem) {
        let mut warnings = lock(&self.warnings);
        match warnings.len() {
            count if count < MOST_WARNINGS => {
                warnings.push(format!("{}: {}", warning.kind.as_str(), warning.line()));
            }
            MOST_WARNINGS => warnings.push("more warnings about models are not shown".to_owned()),
            _ => {}
        }
    }

    /// The variables for a program that is started for this attempt alone: its requests name the lane.
    pub(crate) fn variables(&self, no_proxy: Option<&str>) -> Vec<(String, String)> {
        let mut variables = Vec::new();
        for open in &self.lanes {
            let url = open.model.url_of_lane(open.lane.name());
            for (name, value) in open.model.variables(&url, no_proxy) {
                // What is removed is not in the environment of the run either.
                if let Some(value) = value {
                    variables.push((name, value));
                }
            }
        }
        variables
    }
}

impl Drop for AttemptLane {
    fn drop(&mut self) {
        self.model.lanes.close(&self.lane);
    }
}

/// The name of the lane of an attempt. The first one has the id of its test, so that its ids are the same in every run.
fn lane_name(key: &CaseKey) -> String {
    let CaseKey { test, run, attempt } = key;
    if *run <= 1 && *attempt <= 1 {
        test.clone()
    } else {
        format!("{test} ({run}.{attempt})")
    }
}
