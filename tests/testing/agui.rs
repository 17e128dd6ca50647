//! The testing API with an agent behind a server of AG-UI.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use ananke::http_server::{Access, HttpListener};
use ananke::mock::{EmbeddedAgent, MockOptions, MockServer, RequestEntry, RequestListener, Speed};
use ananke::testing::{AgentTarget, TestSession};
use ananke::{Context, Selection};
use serde_json::json;

use super::declared;

/// Needs no log.
struct Silent;

impl RequestListener for Silent {
    fn request(&self, _: &RequestEntry) {}
}

const CONFIG: &str = "version: \"1.3\"
target:
  type: scripted
  rules:
    - when: { user: photo }
      do: [{ call: { tool: add, args: { a: 1, b: 2 } } }, { say: Added. }]
    - when: { turn: 2 }
      do: [{ call: { tool: look_up, result: { price: 3 } } }, { say: Again. }]
";

#[tokio::test]
async fn the_tools_of_a_session_are_client_tools_of_its_agent() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ananke.config.yaml"), CONFIG).unwrap();
    let agent = EmbeddedAgent::of_project(&Context::isolated(folder.path()), &Selection::default())
        .unwrap();
    let options = MockOptions {
        speed: Speed::ORIGINAL,
        faults: Vec::new(),
        fault_requests: None,
    };
    let server = MockServer::new(Box::new(agent), options, Arc::new(Silent));
    let listener = HttpListener::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)
        .await
        .unwrap();
    let endpoint = format!("http://{}/", listener.address());
    let serving =
        tokio::spawn(listener.serve(Arc::new(server), Access::default(), Arc::new(|_: &str| {})));

    let target = AgentTarget::new("agui", json!({ "endpoint": endpoint, "agentId": "desk" }));
    let mut session = TestSession::connect(target).unwrap();
    session
        .tool(declared("add"), |arguments| async move {
            Ok(json!([arguments["a"], 2]))
        })
        .unwrap();
    let result = session.run("A photo").await.unwrap();
    result
        .expect()
        .next_function_call()
        .is_function_call("add", json!({ "a": 1 }));
    result
        .expect()
        .next_function_call_output()
        .is_function_call_output(json!([1, 2]), false);
    result
        .assert_yaml("text: { equals: Added. }")
        .await
        .unwrap();
    {
        let mocked = session
            .mock_tools([("add", |_: serde_json::Value| Err("jammed".to_owned()))])
            .await
            .unwrap();
        let result = session.run("A photo").await.unwrap();
        result
            .expect()
            .contains_function_call_output(json!("jammed"), true);
        assert_eq!(mocked.call_count("add"), 1);
    }
    session.close().await.unwrap();
    serving.abort();
}
