//! What tests share: agents made of bytes, projects, a terminal in memory, and a sink that writes down what it
//! receives.

pub(crate) mod agui;
pub(crate) mod answering_server;
pub(crate) mod any_json;
pub(crate) mod any_request;
pub(crate) mod any_trace;
pub(crate) mod canned;
pub(crate) mod case_file_walk;
pub(crate) mod conformance;
pub(crate) mod http2_agent;
pub(crate) mod moody;
pub(crate) mod normalise;
pub(crate) mod page_outline;
pub(crate) mod project;
pub(crate) mod raw_agent;
pub(crate) mod screen;
pub(crate) mod seeds;
pub(crate) mod summary;
pub(crate) mod tokio_clock;
pub(crate) mod whole_way;
pub(crate) mod wire_rows;

/// Whether SIGHUP is ignored by every program that these tests start, as it is if they run under `nohup`.
#[cfg(unix)]
pub(crate) fn ignores_hangups() -> bool {
    let mut probe = std::process::Command::new("/bin/sh");
    probe
        .args(["-c", "kill -HUP $$; echo ignored"])
        .output()
        .unwrap()
        .stdout
        == b"ignored\n"
}
