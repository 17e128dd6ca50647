//! The requests that a server has answered lately.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::lane_request::ModelRequestEntry;
use crate::model_server::ModelListener;
use crate::problem::ModelProblem;
use ananke_base::context::lock;

/// The most bytes of bodies that are kept; the oldest are dropped first.
const MOST_BYTES: usize = 64 << 20;

/// The most requests that are kept.
const MOST_REQUESTS: usize = 10_000;

/// The last requests of all lanes, between a server and another listener.
pub struct KeptRequests {
    window: Mutex<RequestWindow>,
    listener: Arc<dyn ModelListener>,
}

/// A number of requests, each with the bytes of its body.
#[derive(Default)]
struct RequestWindow {
    entries: VecDeque<(ModelRequestEntry, usize)>,
    bytes: usize,
}

impl KeptRequests {
    /// An empty window, which passes everything on to `listener`.
    pub fn new(listener: Arc<dyn ModelListener>) -> Self {
        Self {
            window: Mutex::default(),
            listener,
        }
    }

    /// The requests of a lane in their order, as in a log.
    pub(super) fn of_lane(&self, name: &str) -> Vec<Value> {
        let mut found = Vec::new();
        for (entry, _) in &lock(&self.window).entries {
            if entry.lane.as_deref() == Some(name) {
                // Texts, numbers and JSON that was read before: nothing that cannot be written.
                found.push(serde_json::to_value(entry).unwrap_or_default());
            }
        }
        found
    }
}

impl ModelListener for KeptRequests {
    fn request(&self, entry: &ModelRequestEntry) {
        self.listener.request(entry);
        let size = entry.body.to_string().len();
        let mut window = lock(&self.window);
        window.entries.push_back((entry.clone(), size));
        window.bytes += size;
        while window.entries.len() > MOST_REQUESTS || window.bytes > MOST_BYTES {
            let Some((_, size)) = window.entries.pop_front() else {
                break;
            };
            window.bytes -= size;
        }
    }

    fn unattributed(&self, problem: &ModelProblem) {
        self.listener.unattributed(problem);
    }
}
