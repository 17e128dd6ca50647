//! The lanes of a server, as a program sets and reads them while it runs: `/__ananke/lane/NAME`.
//!
//! Flows in: requests of any path. `POST` gives a lane another script, and `GET` returns the requests of a lane; every other path goes on to
//! the server. **Invariant:** a script is checked like that of a file, and nothing changes if something is wrong with it; a lane
//! that gets another script is judged like one that ends.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::evidence::unescaped;
use crate::file_scripts::FileScripts;
use crate::lane_request::ModelRequestEntry;
use crate::model_lanes::ModelLanes;
use crate::model_server::{ModelListener, ModelServer};
use crate::problem::ModelProblem;
use ananke_agents::http_server::{BodyStream, ReceivedRequest, RequestHandler, SentResponse};
use ananke_base::context::lock;
use ananke_base::diagnostic::render::{RenderStyle, human};
use ananke_base::diagnostic::{Diagnostic, SourceFile};
use ananke_model::variables::Scope;

/// The beginning of the path of a lane.
const PREFIX: &str = "/__ananke/lane/";

/// The most bytes of a script.
const MOST_SCRIPT_BYTES: usize = 8 << 20;

/// The most bytes of the bodies of requests that are kept; the oldest are dropped first.
const MOST_KEPT_BYTES: usize = 64 << 20;

/// The most requests that are kept.
const MOST_KEPT: usize = 10_000;

/// The name of a script in messages.
const BODY: &str = "the body";

/// A server whose lanes are set and read by requests as well.
pub struct ControlledServer {
    /// The server of all other paths.
    pub server: ModelServer,
    /// Its lanes.
    pub lanes: Arc<ModelLanes>,
    /// The requests that it answered.
    pub requests: Arc<KeptRequests>,
}

/// The last requests of all lanes. It is between the server and another listener.
pub struct KeptRequests {
    kept: Mutex<Kept>,
    listener: Arc<dyn ModelListener>,
}

#[derive(Default)]
struct Kept {
    entries: std::collections::VecDeque<(ModelRequestEntry, usize)>,
    bytes: usize,
}

impl KeptRequests {
    /// No requests. All that comes is passed on to `listener`.
    pub fn new(listener: Arc<dyn ModelListener>) -> Self {
        Self {
            kept: Mutex::default(),
            listener,
        }
    }

    /// The requests of a lane, the first one first.
    fn of_lane(&self, name: &str) -> Vec<Value> {
        let mut entries = Vec::new();
        for (entry, _) in &lock(&self.kept).entries {
            if entry.lane.as_deref() == Some(name) {
                // Texts, numbers and JSON that was read before: nothing that cannot be written.
                entries.push(serde_json::to_value(entry).unwrap_or_default());
            }
        }
        entries
    }
}

impl ModelListener for KeptRequests {
    fn request(&self, entry: &ModelRequestEntry) {
        self.listener.request(entry);
        let size = entry.body.to_string().len();
        let mut kept = lock(&self.kept);
        kept.entries.push_back((entry.clone(), size));
        kept.bytes += size;
        while kept.entries.len() > MOST_KEPT || kept.bytes > MOST_KEPT_BYTES {
            let Some((_, size)) = kept.entries.pop_front() else {
                break;
            };
            kept.bytes -= size;
        }
    }

    fn unattributed(&self, problem: &ModelProblem) {
        self.listener.unattributed(problem);
    }
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
fn script_of(body: &Bytes) -> Result<crate::CompiledModelScript, String> {
    let Ok(text) = std::str::from_utf8(body) else {
        return Err("the body is not UTF-8".to_owned());
    };
    let source = Arc::new(SourceFile::new(BODY, BODY, text));
    // A script has no variables of the environment, because whoever sends it could read them in the answers.
    let scripts = FileScripts::read(&source, &Scope::default()).map_err(|found| printed(&found))?;
    match scripts {
        FileScripts::One(script) => Ok(*script),
        FileScripts::Lanes(_) => {
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
