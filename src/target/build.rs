//! From settings to an agent: the one place that knows every protocol.

use std::sync::Arc;

use super::agui::AguiTarget;
use super::scripted::ScriptedTarget;
use super::{Target, Transport};
use crate::plan::TargetSettings;

/// The agent that `settings` describe; one that is on the network is reached over `transport`.
pub fn build(settings: TargetSettings, transport: &Arc<dyn Transport>) -> Box<dyn Target> {
    match settings {
        TargetSettings::Agui(settings) => Box::new(AguiTarget::new(settings, Arc::clone(transport))),
        TargetSettings::Scripted(settings) => Box::new(ScriptedTarget::new(settings)),
    }
}
