//! A server whose lanes are set and read by requests as well.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::kept_requests::KeptRequests;
use crate::compiled_script::CompiledModelScript;
use crate::evidence::unescaped;
use crate::file_scripts::FileScripts;
use crate::model_lanes::ModelLanes;
use crate::model_server::ModelServer;
use ananke_agents::http_server::{BodyStream, ReceivedRequest, RequestHandler, SentResponse};
use ananke_base::diagnostic::render::{RenderStyle, human};
use ananke_base::diagnostic::{Diagnostic, SourceFile};
use ananke_model::variables::Scope;

/// The beginning of the path of a lane.
const PREFIX: &str = "/__ananke/lane/";

/// A file of tests has the same limit.
const MOST_SCRIPT_BYTES: usize = 8 << 20;

/// The file that messages about a script name.
const BODY: &str = "the body";

/// A server of models, with what programs set and read of it.
pub struct ControlledServer {
    /// The server of all other paths.
    pub server: ModelServer,
    /// The part that `POST` changes.
    pub lanes: Arc<ModelLanes>,
    /// The listener of the server.
    pub requests: Arc<KeptRequests>,
}

impl RequestHandler for ControlledServer {
    fn handle(&self, request: ReceivedRequest) -> BoxFuture<'_, Option<SentResponse>> {
        let Some(name) = request.path().strip_prefix(PREFIX) else {
            return self.server.handle(request);
        };
        let name = unescaped(name);
        Box::pin(async move { Some(self.control(&name, request).await) })
    }
}

impl ControlledServer {
    async fn control(&self, name: &str, request: ReceivedRequest) -> SentResponse {
        if name.is_empty() {
            return refused(404, "the path has no name of a lane");
        }
        match request.method.as_str() {
            "GET" => match self.lanes.get(name) {
                Some(_) => sent(200, &json!({ "requests": self.requests.of_lane(name) })),
                None => refused(404, "there is no lane of this name"),
            },
            "POST" => match request.body.whole(MOST_SCRIPT_BYTES).await {
                Ok(body) => self.set(name, &body),
                Err(error) => refused(413, &error.to_string()),
            },
            _ => refused(405, "a lane is set with POST and read with GET"),
        }
    }

    /// Gives a lane the script in this body.
    fn set(&self, name: &str, body: &Bytes) -> SentResponse {
        let script = match script_of(body) {
            Ok(script) => script,
            Err(problems) => return refused(400, &problems),
        };
        match self.lanes.replace(name, script) {
            Ok(()) => sent(200, &json!({ "lane": name })),
            Err(why) => refused(400, &why),
        }
    }
}

/// The script in a body.
///
/// # Errors
/// The problems, as they are printed for a file.
fn script_of(body: &Bytes) -> Result<CompiledModelScript, String> {
    let Ok(text) = std::str::from_utf8(body) else {
        return Err("the body is not UTF-8".to_owned());
    };
    let source = Arc::new(SourceFile::new(BODY, BODY, text));
    // A script has no variables of the environment, because its sender could read them in the answers.
    match FileScripts::read(&source, &Scope::default()) {
        Err(problems) => Err(printed(&problems)),
        Ok(FileScripts::One(script)) => Ok(*script),
        Ok(FileScripts::Lanes(_)) => {
            Err("a lane has one script, with `replies` and `rules`: set each of the `lanes` at its own path".to_owned())
        }
    }
}

fn printed(problems: &[Diagnostic]) -> String {
    human(problems, RenderStyle::default())
        .trim_end()
        .to_owned()
}

fn refused(status: u16, why: &str) -> SentResponse {
    sent(status, &json!({ "error": { "message": why } }))
}

fn sent(status: u16, body: &Value) -> SentResponse {
    let bytes = Bytes::from(body.to_string());
    let body: BodyStream = Box::pin(futures_util::stream::iter([Ok(bytes)]));
    SentResponse {
        status,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body,
    }
}
