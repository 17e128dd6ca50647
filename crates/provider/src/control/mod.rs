//! The lanes of a server, as a program sets and reads them while it runs: `/__ananke/lane/NAME`.
//!
//! Flows in: requests of any path. A `controlled_server` answers those about lanes, and passes every other one on to the server; `kept_requests`
//! are those that the server has answered. Flows out: lanes with other scripts.
//!
//! **Invariant:** a script is checked like that of a file, and nothing changes if something is wrong with it; a lane that gets
//! another script is checked like one that ends.

mod controlled_server;
mod kept_requests;

pub use controlled_server::ControlledServer;
pub use kept_requests::KeptRequests;
