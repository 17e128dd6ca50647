//! The project's own tests over the wire: an agent that is served gives the verdicts that it gives inside the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ananke::mock::EmbeddedAgent;
use ananke::plan::Selection;

use super::server::Serving;
use crate::support::project::Project;

/// Tests whose agent knows more inside the program than a server can know, or answers in no time at all.
const NOT_THE_SAME: [&str; 4] = [
    // The agent's script contains what a hook of the test gave, or its row.
    "seeded-cart.test.yaml::",
    "souvenirs[",
    // No idle time is allowed, or little time, and a network takes some.
    "limits.test.yaml::the inventory may take its time",
    "parallel-calls.test.yaml::two shops are asked at once",
];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The large shop of this repository, with another config.
fn project(config: &str) -> Project {
    ananke::install();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = Project::new(&[("ananke.config.yaml", config)]);
    copy(&root.join("specs/shop"), project.folder());
    fs::write(project.folder().join("ananke.config.yaml"), config).unwrap();
    // Inside the program an agent answers in no time; over a network it takes as long as the machine lets it.
    let timed = project.folder().join("client-tool.test.yaml");
    let text = fs::read_to_string(&timed).unwrap();
    let patient = text.replace("max_duration_ms: 300 ", "max_duration_ms: 30000 ");
    assert_ne!(patient, text, "the test has a limit");
    fs::write(&timed, patient).unwrap();
    project
}

/// The config in which the target that begins with the line `head` is at `endpoint` instead of having rules, up to the line
/// `next`.
fn with_endpoint(config: &str, head: &str, next: &str, endpoint: u16) -> String {
    let start = config.find(head).expect("the target");
    let rules = start + config[start..].find(" rules:\n").expect("its rules") + 1;
    let end = rules + config[rules..].find(next).expect("what follows it");
    format!(
        "{}endpoint: \"http://127.0.0.1:{endpoint}\"\n{}",
        &config[..rules],
        &config[end..]
    )
    .replacen(
        "  type: scripted\n  agentId: shop",
        "  type: agui\n  agentId: shop",
        1,
    )
}

async fn statuses(project: &Project) -> BTreeMap<String, String> {
    let outcomes = project.run().await;
    let status = |outcome: &ananke::Outcome| {
        (
            outcome.test.id.clone(),
            outcome.status().as_str().to_owned(),
        )
    };
    outcomes.iter().map(status).collect()
}

#[tokio::test]
async fn every_verdict_is_the_same() {
    let config = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/shop/ananke.config.yaml"),
    )
    .unwrap();
    let inside = project(&config);
    let agent = |target: Option<&str>| {
        let selection = Selection {
            target: target.map(str::to_owned).into(),
            ..Selection::default()
        };
        EmbeddedAgent::of_project(&inside.context(), &selection).unwrap()
    };
    let (shop, closed) = (
        Serving::start(agent(None)).await,
        Serving::start(agent(Some("closed-shop"))).await,
    );
    let config = with_endpoint(&config, "target:\n", "\n  threadId:", shop.port);
    let config = with_endpoint(&config, "  closed-shop:", "  refunds:", closed.port);
    let (expected, found) = (statuses(&inside).await, statuses(&project(&config)).await);
    assert!(found.len() > 40, "{} tests", found.len());
    let differences: Vec<String> = expected
        .iter()
        .filter(|(id, status)| found.get(*id) != Some(status))
        .map(|(id, status)| format!("{id}: {status} inside, {:?} over the wire", found.get(id)))
        .filter(|difference| {
            !NOT_THE_SAME
                .iter()
                .any(|known| difference.starts_with(known))
        })
        .collect();
    assert!(differences.is_empty(), "{differences:#?}");
    assert!(shop.log(1).await.len() > 40);
}
