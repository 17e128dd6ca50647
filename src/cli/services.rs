//! The services that run in addition to the tests: the servers of the config, and its `setup` and `teardown`.

use ananke::context::Context;
use ananke::plan::Plan;
use ananke::run::ProjectHooks;
use ananke::server::{ServerWatch, Servers};
use tokio_util::sync::CancellationToken;

use super::screen::Screen;
use super::{servers, setup};

/// The servers that were started, and what cleans up after `setup`; nothing if nothing is sent.
#[derive(Default)]
pub(super) struct Services {
    servers: Servers,
    hooks: Option<ProjectHooks>,
}

impl Services {
    /// Starts the servers of `plan` and runs `setup`, whose variables it knows from then on; if one failed, which is
    /// printed, why no test can start. Then nothing is left running.
    pub(super) async fn start(
        plan: &mut Plan,
        context: &Context,
        cancel: &CancellationToken,
        screen: Screen<'_>,
    ) -> Result<Self, String> {
        let servers = servers::start(&std::mem::take(&mut plan.servers), cancel, screen).await?;
        let mut hooks = ProjectHooks::new(plan, context);
        let variables = setup::set_up(&mut hooks, cancel, screen).await;
        let services = Self {
            servers,
            hooks: Some(hooks),
        };
        match variables {
            Ok(variables) => plan.variables = variables,
            Err(why) => {
                services.stop(screen).await;
                return Err(why);
            }
        }
        Ok(services)
    }

    /// Notices when a server ends.
    pub(super) fn watch(&self) -> ServerWatch {
        self.servers.watch()
    }

    /// Runs `teardown` and ends the servers; `false` if a command could not be started.
    pub(super) async fn stop(self, screen: Screen<'_>) -> bool {
        let is_torn_down = match &self.hooks {
            Some(hooks) => setup::tear_down(hooks, screen).await,
            None => true,
        };
        self.servers.stop().await;
        is_torn_down
    }
}
