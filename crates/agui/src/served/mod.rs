//! AG-UI as a server speaks it: requests of runs come in, events go out.
//!
//! **Invariant:** what is encoded is decoded as the same changes.

mod encoder;
mod recorded_ids;
mod run_request;

use self::run_request::RunRequest;
use ananke_agents::{ServedProtocol, ServedRequest};

/// AG-UI as a server speaks it.
#[derive(Debug)]
pub(super) struct ServedAgui;

impl ServedProtocol for ServedAgui {
    fn name(&self) -> &'static str {
        "AG-UI"
    }

    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String> {
        RunRequest::read(body).map(|request| Box::new(request) as Box<dyn ServedRequest>)
    }
}
