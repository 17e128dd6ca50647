//! The target that speaks AG-UI.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::session::AguiSession;
use crate::plan::AguiSettings;
use crate::target::error::TargetError;
use crate::target::transport::Transport;
use crate::target::{Capabilities, Opening, Session, Target};

/// An agent that speaks AG-UI.
pub struct AguiTarget {
    settings: Arc<AguiSettings>,
    transport: Arc<dyn Transport>,
}

impl AguiTarget {
    /// An agent reached through `transport`.
    pub fn new(settings: AguiSettings, transport: Arc<dyn Transport>) -> Self {
        Self { settings: Arc::new(settings), transport }
    }
}

impl Target for AguiTarget {
    fn capabilities(&self) -> Capabilities {
        Capabilities { tool_calls_visible: true }
    }

    fn open(&self, opening: Opening) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = AguiSession::new(Arc::clone(&self.settings), Arc::clone(&self.transport), opening);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
