//! Models of tests that are recorded and replayed with `ananke run`. An `ananke model` with a script is the provider.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::recorded_models::Model;

/// Runs the test of a project whose agent asks the model.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command.arg("run").args(arguments).current_dir(folder);
    command.env("OPENAI_API_KEY", "sk-of-the-environment-123456");
    command.env_remove("CI");
    let output = command.output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    (output.status.code().unwrap(), printed)
}

/// A project with this test, and the config of a model that is recorded from `provider`.
fn project(provider: &Model, test: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let config = format!(
        "version: \"1.4\"\nmodels:\n  main:\n    answers: replay\n    upstream: {{ openai: \"{}/v1\" }}\ntarget: {{ type: command, cmd: [bash, agent.bash] }}\n",
        provider.url()
    );
    let agent = include_str!("cases/pass/model-script/agents/agent.bash");
    for (name, text) in [
        ("ananke.config.yaml", config.as_str()),
        ("agent.bash", agent),
        ("a.test.yaml", test),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn values_of_a_test_are_put_back_and_replayed_with_those_of_its_run() {
    let script = "rules:\n  - when: { user: first }\n    do: { say: \"Order order-1111 is ${NOT_A_VALUE}.\" }\n  - when: { user: again }\n    do: { say: Your code was 4711-0815. }\n";
    let script = script.replace("${", "$${");
    let of_provider = TempDir::new().unwrap();
    fs::write(of_provider.path().join("s.yaml"), script).unwrap();
    let provider = Model::start(of_provider.path(), &["--script", "s.yaml"]);
    let test = r#"
version: "1.4"
name: shows an order
hooks: [{ cmd: [cat, order.json] }]
turns:
  - user: first ${ORDER.id} in ${THREAD_ID}
    capture: { WORD: { text: "Order (\\S+)" } }
    assert: { text: { equals: "Order ${ORDER.id} is $${NOT_A_VALUE}." } }
  - user: again ${WORD}
    assert: { text: { equals: "Your code was 4711-0815." } }
"#;
    let folder = project(&provider, test);
    let order = folder.path().join("order.json");
    fs::write(&order, r#"{ "ORDER": { "id": "order-1111" } }"#).unwrap();
    let (code, printed) = run(folder.path(), &["--models", "record"]);
    assert_eq!(code, 0, "{printed}");
    assert_eq!(provider.end().code, 0);
    let recorded = folder.path().join("recordings/models/main/a");
    let file = fs::read_dir(&recorded).unwrap().next().unwrap().unwrap();
    let kept = fs::read_to_string(file.path()).unwrap();
    assert!(!kept.contains("order-1111"), "{kept}");
    for part in [
        "first ${ORDER.id} in ${THREAD_ID}",
        "Order ${ORDER.id} is $${NOT_A_VALUE}.",
    ] {
        assert!(kept.contains(part), "{part} in {kept}");
    }

    // Another order, and a thread of its own: the recording is of this run as well.
    fs::write(&order, r#"{ "ORDER": { "id": "order-2222" } }"#).unwrap();
    let (code, printed) = run(folder.path(), &[]);
    assert_eq!(code, 0, "{printed}");
}

#[test]
fn embeddings_and_unknown_paths_are_recorded_and_replayed() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("s.yaml"),
        "rules: [{ when: { user: x }, do: { say: y }, optional: true }]\n",
    )
    .unwrap();
    let provider = Model::start(folder.path(), &["--script", "s.yaml"]);
    let url = format!("{}/v1", provider.url());
    let record = ["--record", "rec", "--upstream", &url];
    let model = Model::start(folder.path(), &record);
    let body = json!({ "model": "e", "input": "Pay my cart", "dimensions": 3 });
    let (status, embedded) = model.ask("/v1/embeddings", &body);
    assert_eq!(status, 200);
    // A model that is asked over another API is an error, because rules would not see the call.
    let of_gemini = "/v1beta/models/m:generateContent";
    assert_eq!(model.ask(of_gemini, &json!({ "contents": [] })).0, 404);
    let ended = model.end();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("the API of Gemini is not answered"),
        "{}",
        ended.stderr
    );

    let model = Model::start(folder.path(), &record);
    assert_eq!(model.ask("/v1/embeddings", &body), (200, embedded.clone()));
    // The provider has no such path, and its refusal is an answer like any other.
    let (status, refused) = model.ask("/t/default/v1/moderations?n=1", &json!({ "input": "x" }));
    assert_eq!(status, 404);
    let ended = model.end();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("2 requests are recorded in rec"),
        "{}",
        ended.stderr
    );
    provider.end();
    let recorded = fs::read_to_string(folder.path().join("rec/default.jsonl")).unwrap();
    assert!(!recorded.contains("in-a-header"), "{recorded}");

    // The vectors are those that were recorded, and not made from a hash again.
    let mark = embedded.replace("\"index\":0", "\"index\":7");
    let written = |text: &str| json!(text).to_string();
    let changed = recorded.replace(&written(&embedded), &written(&mark));
    assert_ne!(changed, recorded);
    fs::write(folder.path().join("rec/default.jsonl"), changed).unwrap();
    let model = Model::start(folder.path(), &["--replay", "rec"]);
    let reordered = json!({ "dimensions": 3, "input": "Pay my cart", "model": "e" });
    assert_eq!(model.ask("/v1/embeddings", &reordered), (200, mark));
    let replayed = model.ask("/v1/moderations?n=1", &json!({ "input": "x" }));
    assert_eq!(replayed, (404, refused));
    let ended = model.end();
    assert_eq!(ended.code, 0, "{}", ended.stderr);

    let model = Model::start(folder.path(), &["--replay", "rec"]);
    assert_eq!(model.ask("/v1/embeddings", &json!({ "input": "y" })).0, 400);
    let ended = model.end();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let why = "1 request with this method and path is recorded, and its body differs";
    assert!(ended.stderr.contains(why), "{}", ended.stderr);
}
