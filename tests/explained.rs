//! Every code is explained: its wrong example has that problem, its right one has none.

use std::process::Command;

use ananke::diagnostic::{Code, Example, ExampleFile};

use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.0\"\ntarget: { type: agui, agentId: shop, endpoint: \"http://127.0.0.1:1\" }\n";
const TEST: &str =
    "version: \"1.0\"\nname: a\nturns: [{ user: a, assert: { tools: { forbid: [a] } } }]\n";

/// Files by name.
type Texts = &'static [(&'static str, &'static str)];

/// Codes that no file of a project shows by itself: the files in addition to `a.test.yaml`, and the arguments of the
/// command.
const COMMANDS: [(Code, Texts, &str); 22] = [
    (Code::BadEncoding, &[], "check latin1.test.yaml"),
    (
        Code::BadReport,
        &[("before.json", "{}"), ("after.json", "{}")],
        "compare before.json after.json",
    ),
    (Code::ConfigMissing, &[], "check"),
    (
        Code::DuplicateId,
        &[
            (
                "b.test.yaml",
                "version: \"1.0\"\nname: c.test.yaml::d\nturns: [{ user: a, assert: { tools: { forbid: [a] } } }]\n",
            ),
            (
                "b.test.yaml::c.test.yaml",
                "version: \"1.0\"\nname: d\nturns: [{ user: a, assert: { tools: { forbid: [a] } } }]\n",
            ),
        ],
        "check b.test.yaml b.test.yaml::c.test.yaml",
    ),
    (
        Code::FixedThread,
        &[],
        "run --retries 2 --var THREAD_ID=t-1",
    ),
    (Code::LeftOut, &[("ananke.config.yml", "")], "check"),
    (Code::LimitExceeded, &[], "check large.test.yaml"),
    (
        Code::ModelRecording,
        &[(
            "recordings/models/main/pay/pays-once.jsonl",
            "{\"model_recording\":{\"version\":\"1.0\",\"lane\":\"pay.test.yaml::pays-once\"}}\n",
        )],
        "check",
    ),
    (
        Code::RecordedSecret,
        &[(
            "recordings/models/main/pay/pays-once.jsonl",
            "{\"model_recording\":{\"version\":\"1.0\",\"lane\":\"sk-proj-abcdefgh12345678\"}}\n{\"end\":{\"calls\":0}}\n",
        )],
        "check",
    ),
    (Code::NoTests, &[], "run --filter refund"),
    (
        Code::OtherConfig,
        &[
            ("other/ananke.config.yaml", CONFIG),
            ("other/b.test.yaml", TEST),
        ],
        "check a.test.yaml other/b.test.yaml",
    ),
    (
        Code::QuarantineExpiry,
        &[
            ("old/ananke.config.yaml", QUARANTINE),
            ("old/a.test.yaml", TEST),
        ],
        "check old",
    ),
    (
        Code::Server,
        &[
            ("shop/ananke.config.yaml", SERVER),
            ("shop/a.test.yaml", TEST),
        ],
        "run shop",
    ),
    (
        Code::Setup,
        &[
            ("shop/ananke.config.yaml", SETUP),
            ("shop/a.test.yaml", TEST),
        ],
        "run shop",
    ),
    (
        Code::NearName,
        &[
            ("shop/ananke.config.yaml", CALLS),
            ("shop/a.test.yaml", NEAR),
        ],
        "run shop",
    ),
    (
        Code::Since14,
        &[("old/ananke.config.yaml", EMPTY), ("old/a.test.yaml", TEST)],
        "check old",
    ),
    (
        Code::NearText,
        &[
            ("shop/ananke.config.yaml", PRICES),
            ("shop/a.test.yaml", NEAR_TEXT),
        ],
        "run shop",
    ),
    (
        Code::NearValue,
        &[
            ("shop/ananke.config.yaml", CHARGES),
            ("shop/a.test.yaml", NEAR_VALUE),
        ],
        "run shop",
    ),
    (
        Code::UncountedCall,
        &[
            ("shop/ananke.config.yaml", CHARGES_TWICE),
            ("shop/a.test.yaml", UNCOUNTED),
        ],
        "run shop",
    ),
    (
        Code::LooksLikeCondition,
        &[
            ("shop/ananke.config.yaml", CHARGES),
            ("shop/a.test.yaml", LOOKS_LIKE),
        ],
        "run shop",
    ),
    (Code::Unreadable, &[], "check missing.test.yaml"),
    (
        Code::UnseenCalls,
        &[
            ("shop/ananke.config.yaml", MODEL),
            ("shop/a.test.yaml", UNSEEN),
        ],
        "check shop",
    ),
];

const EMPTY: &str = concat!(
    "version: \"1.3\"\n",
    "vars: { TOKEN: \"\" }\n",
    "target:\n",
    "  type: agui\n",
    "  endpoint: \"http://127.0.0.1:8000/\"\n",
    "  agentId: shop\n",
    "  headers: { authorization: \"Bearer ${TOKEN}\" }\n",
);

const QUARANTINE: &str = concat!(
    "version: \"1.3\"\n",
    "target: { type: agui, endpoint: \"http://127.0.0.1:8000/\", agentId: shop }\n",
    "quarantine:\n",
    "  - { test: \"a.test.yaml::*\", reason: flaky, owner: Ann, expires: 2001-02-03 }\n",
);
const SERVER: &str = concat!(
    "version: \"1.3\"\n",
    "target: { type: agui, endpoint: \"http://127.0.0.1:8000/\", agentId: shop }\n",
    "server: { cmd: [sh, -c, exit 3], ready: { stdout: listening } }\n",
);
const SETUP: &str = concat!(
    "version: \"1.3\"\n",
    "target: { type: agui, endpoint: \"http://127.0.0.1:8000/\", agentId: shop }\n",
    "setup: [{ cmd: [sh, -c, exit 3] }]\n",
);
const CALLS: &str = concat!(
    "version: \"1.3\"\n",
    "target: { type: scripted, rules: [{ do: [{ call: { tool: delete_order, result: deleted } }] }] }\n",
);
const CHARGES: &str = concat!(
    "version: \"1.4\"\n",
    "target: { type: scripted, rules: [{ do: [{ call: { tool: charge_card, args: { amount: 1000 }, result: charged } }] }] }\n",
);
const CHARGES_TWICE: &str = concat!(
    "version: \"1.4\"\n",
    "target:\n",
    "  type: scripted\n",
    "  rules:\n",
    "    - do:\n",
    "        - { call: { tool: charge_card, args: { amount: 89.5 }, result: charged } }\n",
    "        - { call: { tool: charge_card, args: { amount: 1000 }, result: charged } }\n",
);
const UNCOUNTED: &str = concat!(
    "version: \"1.4\"\n",
    "name: a\n",
    "turns: [{ user: Pay }]\n",
    "assert: { tools: { require: [{ name: charge_card, count: 1, args: { amount: 89.5 } }] } }\n",
);
const PRICES: &str = concat!(
    "version: \"1.4\"\n",
    "target: { type: scripted, rules: [{ do: [{ say: \"It costs 5\\u00a0EUR.\" }] }] }\n",
);
const NEAR_TEXT: &str = concat!(
    "version: \"1.4\"\n",
    "name: a\n",
    "turns: [{ user: Price, assert: { text: { not_contains: 5 EUR } } }]\n",
);
const NEAR_VALUE: &str = concat!(
    "version: \"1.4\"\n",
    "name: a\n",
    "turns: [{ user: Pay }]\n",
    "assert: { tools: { forbid_calls: [{ name: charge_card, args: { amount: \"1000\" } }] } }\n",
);
const MODEL: &str = concat!(
    "version: \"1.4\"\n",
    "target: { type: openai, endpoint: \"http://127.0.0.1:1/v1\", model: m }\n",
);
const UNSEEN: &str = concat!(
    "version: \"1.4\"\n",
    "name: a\n",
    "turns: [{ user: Delete O-7 }]\n",
    "assert: { tools: { forbid: [delete_order] } }\n",
);
const LOOKS_LIKE: &str = concat!(
    "version: \"1.4\"\n",
    "name: a\n",
    "turns: [{ user: Pay }]\n",
    "assert: { tools: { forbid_calls: [{ name: charge_card, args: { amount: { min: 40 } } }] } }\n",
);
const NEAR: &str = concat!(
    "version: \"1.3\"\n",
    "name: a\n",
    "turns: [{ user: Delete it }]\n",
    "assert: { tools: { forbid: [delete_ordr] } }\n",
);

/// The command of `code` and what it prints.
fn printed(files: &[(&str, &str)], arguments: &str, code: Code) -> String {
    let project = Project::new(&[("a.test.yaml", TEST)]);
    let write = |name: &str, bytes: &[u8]| {
        let path = project.folder().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    if code != Code::ConfigMissing {
        write("ananke.config.yaml", CONFIG.as_bytes());
    }
    if code == Code::BadEncoding {
        write(
            "latin1.test.yaml",
            b"version: \"1.0\"\nname: caf\xe9\nturns: [{ user: a }]\n",
        );
    }
    if code == Code::LimitExceeded {
        write("large.test.yaml", &vec![b'#'; (8 << 20) + 1]);
    }
    for (name, text) in files {
        write(name, text.as_bytes());
    }
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(arguments.split(' '))
        .env("AGENT_TOKEN", "long enough")
        .current_dir(project.folder())
        .output()
        .expect("it runs");
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    // What is known only at the end of a run is printed with its result.
    let at_end = stdout
        .split("\n\n")
        .find(|block| block.starts_with("warning["));
    let of_test = stdout
        .lines()
        .find(|line| line.contains(&format!(": {code}: ")));
    if let Some(line) = of_test {
        return format!("$ ananke {arguments}\n{}\n", line.trim());
    }
    let problem = at_end.unwrap_or_else(|| stderr.split("\nFor more:").next().unwrap_or_default());
    format!("$ ananke {arguments}\n{problem}")
}

fn problems(file: ExampleFile, yaml: &str) -> Vec<String> {
    let (config, test) = match file {
        ExampleFile::Config => (yaml, TEST),
        ExampleFile::Test => (CONFIG, yaml),
    };
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", test)])
        .with_environment("AGENT_TOKEN", "long enough");
    project
        .plan()
        .problems
        .iter()
        .map(|problem| problem.code.to_string())
        .collect()
}

#[test]
fn every_example_is_what_it_says() {
    for code in Code::ALL {
        match code.docs().example {
            Example::File { file, wrong, right } => {
                assert_eq!(
                    problems(file, wrong),
                    [code.as_str()],
                    "the wrong example of {code}"
                );
                assert_eq!(
                    problems(file, right),
                    [""; 0],
                    "the right example of {code}"
                );
            }
            Example::Output(output) => {
                let command = COMMANDS.iter().find(|(of, ..)| of == code);
                let (_, files, arguments) =
                    command.unwrap_or_else(|| panic!("{code} has no example"));
                assert_eq!(
                    output,
                    printed(files, arguments, *code),
                    "the example of {code}"
                );
                let is_named = [format!("[{code}]"), format!(": {code}: ")]
                    .iter()
                    .any(|name| output.contains(name));
                assert!(is_named, "{output}");
            }
        }
    }
}

#[test]
fn explanations_are_sentences_and_found_by_name() {
    for code in Code::ALL {
        let about = code.docs().about;
        assert!(
            about.ends_with('.') && about.chars().next().is_some_and(char::is_uppercase),
            "{code}: {about}"
        );
        assert_eq!(Code::named(code.as_str()), Some(*code));
    }
    assert_eq!(Code::named("nothing-of-the-kind"), None);
}

#[test]
fn codes_are_sorted() {
    let names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
}

/// The output of `ananke explain` in the guide is that for the test before it in the guide.
#[test]
fn the_guide_shows_what_is_printed() {
    let guide = include_str!("../docs/guide.md");
    let mut blocks = guide.split("\n```");
    let test = blocks.by_ref().find_map(|block| {
        block
            .strip_prefix("yaml\n")
            .filter(|yaml| yaml.contains("name: checkout flow with validation"))
    });
    let shown = blocks
        .find_map(|block| block.strip_prefix("console\n$ ananke explain checkout.test.yaml "));
    let (arguments, output) = shown
        .and_then(|shown| shown.split_once('\n'))
        .expect("the guide shows an output");
    let config = concat!(
        "version: \"1.0\"\n",
        "target:\n",
        "  type: agui\n",
        "  endpoint: \"http://127.0.0.1:8000/agent\"\n",
        "  agentId: shop\n",
        "  assert:\n",
        "    timing: { max_duration_ms: 60000, max_idle_ms: 10000 }\n",
        "    text: { must_not_match: [\"exception\", \"fatal\"] }\n",
    );
    let test = test.expect("the guide shows the test").to_owned() + "\n";
    let project = Project::new(&[
        ("ananke.config.yaml", config),
        ("checkout.test.yaml", &test),
    ]);
    let printed = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["explain", "checkout.test.yaml"])
        .args(arguments.split(' '))
        .current_dir(project.folder())
        .output()
        .expect("the program can be started");
    assert_eq!(String::from_utf8_lossy(&printed.stdout).trim_end(), output);
    assert!(
        printed.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&printed.stderr)
    );
}
