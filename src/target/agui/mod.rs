//! Placeholder.
use super::{Capabilities, Opening, Session, Target, TargetError, Transport};
use futures_util::future::BoxFuture;
use std::sync::Arc;
/// x
pub struct AguiTarget;
impl AguiTarget {
    /// x
    pub fn new(_s: crate::plan::AguiSettings, _t: Arc<dyn Transport>) -> Self {
        Self
    }
}
impl Target for AguiTarget {
    fn capabilities(&self) -> Capabilities {
        Capabilities { tool_calls_visible: true }
    }
    fn open(&self, _o: Opening) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        Box::pin(async {
            Err(TargetError { message: String::new(), received: super::Received::default(), help: None })
        })
    }
}
