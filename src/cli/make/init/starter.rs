//! The files of a first project.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ananke::agents::{NamedSecret, ProposedTurn, TargetProposal};
use ananke::audit::{PermittedTools, test_file};
use ananke::model::NEWEST_VERSION;
use ananke::project::CONFIG_NAME;
use ananke::schema::{FileKind, Version, for_editors, pruned, text};
use ananke::source::{Node, to_yaml};
use ananke::text::escape;
use ananke::variables::{literal, literal_value};
use clap::ValueEnum;
use serde_json::json;

use crate::cli::contact::FoundAgent;

/// The schemas of the two kinds of files, for editors.
const CONFIG_SCHEMA: &str = "schemas/ananke.config.schema.json";
const TEST_SCHEMA: &str = "schemas/ananke.test.schema.json";

/// The longest call that a test names, in bytes.
const LONGEST_CALL: usize = 500;

/// The most calls of a turn that a test names.
const MOST_CALLS: usize = 5;

/// A file of a first project.
pub(super) struct StarterFile {
    /// Its path in the project.
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// The purpose.
    pub(super) purpose: &'static str,
}

/// A project with a scripted agent.
pub(super) fn example() -> Vec<StarterFile> {
    let version = serde_json::Value::from(NEWEST_VERSION).to_string();
    let config = include_str!("checkout.config.yaml").replace("\"VERSION\"", &version);
    let test = include_str!("checkout.test.yaml").to_owned();
    project(config, vec![("checkout.test.yaml", test, "a first test")])
}

/// A language in which an adapter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AdapterLanguage {
    /// `agent.py`, run by python3
    Python,
    /// `agent.mjs`, run by node
    Node,
}

/// A project with a program around an agent that has no URL: it speaks JSON lines, and calls a tool.
pub(super) fn adapter(language: AdapterLanguage) -> Vec<StarterFile> {
    let (name, program, code) = match language {
        AdapterLanguage::Python => ("agent.py", "python3", include_str!("agent.py")),
        AdapterLanguage::Node => ("agent.mjs", "node", include_str!("agent.mjs")),
    };
    let version = serde_json::Value::from(NEWEST_VERSION);
    let config = format!(
        "{}version: {version}\n# The agent under test: a program that calls yours.\ntarget:\n  type: command\n  cmd: [{program}, {name}]\n",
        modeline(CONFIG_SCHEMA)
    );
    let test = include_str!("agent.test.yaml").to_owned();
    let tests = vec![
        ("agent.test.yaml", test, "a first test"),
        (
            name,
            code.to_owned(),
            "the way to your agent: replace `answer`",
        ),
    ];
    project(config, tests)
}

/// A project that tests an agent that answered; tools that may change data are called if they are permitted.
pub(super) fn of_agent(found: &FoundAgent, permitted: &PermittedTools) -> Vec<StarterFile> {
    let about = match &found.proposal {
        Some(_) => "an HTTP API of its own. Check what is marked as a guess",
        None => &format!("it speaks {}", found.speaks),
    };
    let config = format!(
        "{}# The agent under test: {about}.\n{}",
        modeline(CONFIG_SCHEMA),
        found.config()
    );
    if let Some(proposal) = &found.proposal {
        let text = conversation(proposal);
        return project(config, vec![("hello.test.yaml", text, "a first test")]);
    }
    let hello = || {
        let text = include_str!("hello.test.yaml").to_owned();
        ("hello.test.yaml", text, "a first test")
    };
    let tests = match found.tools.as_deref() {
        None | Some([]) if found.greets() => vec![hello()],
        Some(tools) if found.greets() => {
            let head = format!(
                "{}{}",
                modeline(TEST_SCHEMA),
                include_str!("skills.head.yaml")
            );
            let text = test_file(&head, tools, found.turns, permitted);
            vec![hello(), ("skills.test.yaml", text, "a test for each skill")]
        }
        tools => {
            let head = format!(
                "{}{}",
                modeline(TEST_SCHEMA),
                include_str!("tools.head.yaml")
            );
            let text = test_file(&head, tools.unwrap_or_default(), found.turns, permitted);
            vec![("tools.test.yaml", text, "a test for each tool")]
        }
    };
    project(config, tests)
}

/// A test that holds the conversation by which a target was proposed. A rule about calls is in it only for a turn that the user
/// wanted for its calls.
fn conversation(proposal: &TargetProposal) -> String {
    let turns = proposal.turns.as_slice();
    let mut text = modeline(TEST_SCHEMA);
    text.push_str("name: the agent answers\nturns:\n");
    for (number, turn) in turns.iter().enumerate() {
        let user = json!({ "user": literal(&turn.user) });
        let user = to_yaml(&Node::of_json(&json!([user])), 2);
        text.push_str(&user);
        text.push_str("    assert:\n      # A regular expression; (?i) ignores case.\n");
        text.push_str("      text: { must_not_match: \"(?i)exception|traceback\" }\n");
        let form = if number > 0 {
            CallRule::Live
        } else {
            CallRule::Comment
        };
        text.push_str(&call_rules(turn, form, &proposal.secrets));
    }
    if let [only] = turns {
        text.push_str(&second_turn(only));
    }
    text.push_str(
        "# Rules for the whole conversation.\nassert:\n  timing: { max_duration_ms: 60000 }\n",
    );
    text
}

/// The proposal of a second turn, which shows whether the agent knows the first one.
fn second_turn(first: &ProposedTurn) -> String {
    let said = escape::json(&json!(literal(&first.user)).to_string()).into_owned();
    let tools = match first.calls.first() {
        Some((name, _)) if name.len() <= LONGEST_CALL => {
            let name = json!({ "name": literal(name) }).to_string();
            format!(", tools: {{ require: [{}] }}", escape::json(&name))
        }
        _ => String::new(),
    };
    format!(
        "  # A second turn shows whether the agent knows the first one. Write one of your users, and what must come of it:\n  # - user: \"What did I say first?\"\n  #   assert: {{ text: {{ contains: {said} }}{tools} }}\n"
    )
}

/// The form of a rule that a turn calls what it called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallRule {
    Live,
    Comment,
}

/// The rule that a turn calls what it called. As a comment it is a proposal.
fn call_rules(turn: &ProposedTurn, form: CallRule, secrets: &[NamedSecret]) -> String {
    let mut rules = String::new();
    for (name, args) in turn.calls.iter().take(MOST_CALLS) {
        let by_name = json!({ "name": literal(name) });
        let with_args = json!({ "name": literal(name), "args": literal_value(args.clone()) });
        let [by_name, with_args] = [by_name, with_args].map(|call| call.to_string());
        // What an agent sent may be of any length, and may repeat what it got.
        let mut secrets = secrets.iter();
        let has_secret = secrets.any(|secret| with_args.contains(&secret.value));
        if with_args.len() > LONGEST_CALL || has_secret {
            continue;
        }
        if form == CallRule::Live && rules.is_empty() {
            let call = escape::json(&by_name);
            let _infallible = writeln!(rules, "      tools: {{ require: [{call}] }}");
        }
        let call = escape::json(&with_args);
        let _infallible = writeln!(
            rules,
            "      # It called this, which can be required:\n      # tools: {{ require: [{call}] }}"
        );
    }
    rules
}

/// The line by which editors find the schema of a file.
fn modeline(schema: &str) -> String {
    format!("# yaml-language-server: $schema={schema}\n")
}

/// The files of a project: its config, its tests, and the schemas for editors.
fn project(config: String, tests: Vec<(&str, String, &'static str)>) -> Vec<StarterFile> {
    let file = |path: &str, text: String, purpose| StarterFile {
        path: Path::new(path).into(),
        text,
        purpose,
    };
    let schema = |kind| text(&for_editors(kind, &pruned(kind, Version::newest())));
    let tests = tests
        .into_iter()
        .map(|(path, text, purpose)| file(path, text, purpose));
    let config = file(CONFIG_NAME, config, "the agent, and what all tests share");
    let schemas = [
        file(
            CONFIG_SCHEMA,
            schema(FileKind::Config),
            "for your editor: the keys of a config",
        ),
        file(
            TEST_SCHEMA,
            schema(FileKind::Test),
            "for your editor: the keys of a test",
        ),
    ];
    [config].into_iter().chain(tests).chain(schemas).collect()
}
