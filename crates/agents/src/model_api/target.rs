//! A model behind an API, as a target.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::settings::ModelSettings;
use crate::error::TargetError;
use crate::http::{self, LONGEST_WAIT};
use crate::session::{Session, SessionOptions};
use crate::target::Target;
use ananke_base::message::RequestContext;

/// An API of models, with the settings that it alone has.
pub trait ModelApi: Clone + Debug + Send + Sync + 'static {
    /// A conversation with a model of this API.
    fn session(&self, settings: Arc<ModelSettings>, options: SessionOptions) -> Box<dyn Session>;
}

/// A model behind an API.
#[derive(Debug)]
pub struct ModelTarget<A> {
    settings: Arc<ModelSettings>,
    api: A,
}

impl<A: ModelApi> ModelTarget<A> {
    /// The model that `settings` describe.
    pub fn new(settings: ModelSettings, api: A) -> Self {
        Self {
            settings: Arc::new(settings),
            api,
        }
    }
}

impl<A: ModelApi> Target for ModelTarget<A> {
    fn agent(&self) -> &str {
        &self.settings.model
    }

    fn endpoint(&self) -> Option<&str> {
        Some(self.settings.endpoint.as_str())
    }

    fn address(&self, connector: Option<&str>) -> Option<String> {
        let place = http::place(&self.settings.endpoint);
        let model = connector.unwrap_or(&self.settings.model);
        Some(format!("{place} {model}"))
    }

    fn prompted(&self, instructions: &str, connector: Option<&str>) -> Option<Box<dyn Target>> {
        let mut settings = ModelSettings::clone(&self.settings);
        settings
            .instructions
            .get_or_insert_with(|| instructions.to_owned());
        if let Some(model) = connector {
            model.clone_into(&mut settings.model);
        }
        Some(Box::new(Self::new(settings, self.api.clone())))
    }

    fn not_sent(&self, context: &RequestContext) -> Vec<String> {
        let mut names = Vec::new();
        for name in context.names() {
            if name != RequestContext::CONNECTOR {
                names.push(name.to_owned());
            }
        }
        names
    }

    fn state(&self) -> &Value {
        &Value::Null
    }

    fn longest_wait(&self) -> Duration {
        LONGEST_WAIT * self.settings.retries
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = self.api.session(Arc::clone(&self.settings), options);
        Box::pin(async move { Ok(session) })
    }
}
