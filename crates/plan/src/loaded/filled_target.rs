//! The keys of a target that every use of it fills: in the check of its config, in a test, and if it is asked as a helper.

use std::sync::Arc;
use std::time::Duration;

use crate::compile::CompiledClientTools;
use crate::project::{Config, ResolvedTarget};
use ananke_agents::{Target, TargetPace};
use ananke_base::context::Context;
use ananke_model::variables::{Fill as _, Interpolation, Leaf};
use ananke_trace::trace::KnownName;

/// The keys of a target, filled; each that is not known, or was reported, says so itself.
pub(crate) struct FilledTarget {
    /// The agent.
    pub(crate) agent: Option<Arc<dyn Target>>,
    /// The client-side tools that it declares.
    pub(crate) client_tools: CompiledClientTools,
    /// The timeout of a turn that has none of its own.
    pub(crate) timeout: Leaf<Option<Duration>>,
    /// The rate and the concurrency with which it may be sent requests.
    pub(crate) pace: Option<TargetPace>,
    /// The names of what it sends and no rule is about.
    pub(crate) known: Option<Vec<KnownName>>,
}

impl FilledTarget {
    /// Fills the keys of `target`, which is one of `config`.
    pub(crate) fn of(
        config: &Config,
        target: &ResolvedTarget,
        context: &Context,
        interpolation: &mut Interpolation<'_>,
    ) -> Self {
        let common = &target.model.common;
        Self {
            agent: target.model.compile(interpolation),
            client_tools: CompiledClientTools::fill(
                common.client_tools.as_ref(),
                Some(config.scripts(&context.files)),
                interpolation,
            ),
            timeout: common.timeout_ms.fill(interpolation),
            pace: TargetPace::fill(common, interpolation),
            known: common.known_names(interpolation),
        }
    }
}
