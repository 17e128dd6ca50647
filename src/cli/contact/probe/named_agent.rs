//! The agent that a command asks: that of a URL or a program, or a target of the config.

use ananke::context::Context;
use ananke::run::Stopper;

use super::super::agent_project::AgentProject;
use super::{FoundAgent, PlaceOptions, probe};
use crate::cli::frame::Failed;
use crate::cli::options::RecordedSelection;

/// An agent that is asked, and what was found of it if it is in no config.
pub(crate) struct NamedAgent {
    pub(crate) project: AgentProject,
    pub(crate) found: Option<FoundAgent>,
}

impl NamedAgent {
    /// The agent at the URL `word` or the program of `place`; without one, the target `word` of the config, or its own choice.
    ///
    /// # Errors
    /// If there is none, or its tools cannot be listed.
    pub(crate) async fn of(
        word: Option<&str>,
        place: &PlaceOptions,
        project: &RecordedSelection,
        context: &Context,
        stopper: &Stopper,
    ) -> Result<Self, Failed> {
        let Some(at) = place.place(word)? else {
            let mut project = project.clone();
            project.target = word.map(str::to_owned).or(project.target);
            return Ok(Self {
                project: AgentProject::of_any(&project, context)?,
                found: None,
            });
        };
        let found = probe(&at, place, None, context, stopper).await?;
        let context = place.context(context);
        Ok(Self {
            project: AgentProject::written(&found.config(), found.turns, &context)?,
            found: Some(found),
        })
    }
}
