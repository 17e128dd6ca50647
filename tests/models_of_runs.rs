//! Runs whose models are recorded and replayed: `ananke run --models`. Another `ananke model` is the provider, and the agent is a shell.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::recorded_models::{Model, SCRIPT};

/// An agent with one tool, whose own code asks a model.
const AGENT: &str = include_str!("cases/pass/model-script/agents/agent.bash");

/// The part of the agent that ends its loop.
const LAST_ROUND: &str = "[ -n \"$id\" ] || break";

const TEST: &str = "version: \"1.4\"
name: pays once
turns:
  - user: Pay my cart.
    assert: { text: { not_contains: Sorry } }
";

/// A project whose tests are recorded. The provider is gone.
struct Project {
    folder: TempDir,
}

impl Project {
    /// A project with these tests, which the agent of the `target` has.
    fn recorded(tests: &[(&str, &str)], target: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let project = Self { folder };
        project.write("script.yaml", SCRIPT);
        project.write("agent.bash", AGENT);
        for (file, test) in tests {
            project.write(file, test);
        }
        let config = |upstream: &str| {
            format!(
                "version: \"1.4\"\nmodels:\n  main: {{ upstream: {{ openai: \"{upstream}/v1\" }} }}\n\
                 target: {{ type: command, cmd: {target} }}\n"
            )
        };
        for (file, _) in tests {
            let provider = Model::start(project.path(), &["--script", "script.yaml"]);
            project.write("ananke.config.yaml", &config(&provider.url()));
            let output = project.run(&[file, "--models", "record"]);
            assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
            let asks = format!("the model `main` asks {}", provider.url());
            assert!(printed(&output).contains(&asks), "{}", printed(&output));
            let ended = provider.end();
            assert_eq!(ended.code, 0, "{ended:?}");
        }
        project
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.path().join(file), text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }

    /// Changes the agent.
    fn change(&self, from: &str, to: &str) {
        let agent = self.read("agent.bash");
        assert!(agent.contains(from), "{agent}");
        self.write("agent.bash", &agent.replace(from, to));
    }

    fn ananke(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_ananke"))
            .args(arguments)
            .current_dir(self.path())
            .env_remove("CI")
            .env("OPENAI_API_KEY", "sk-of-openai")
            .env("GROQ_API_KEY", "gsk-of-groq")
            .env("ANTHROPIC_API_KEY", "sk-ant-real")
            .output()
            .unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.ananke(&[&["run"], arguments].concat())
    }
}

/// Both outputs.
fn printed(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    format!("{stdout}\n{stderr}")
}

const BASH: &str = "[/bin/bash, agent.bash]";

#[test]
fn programs_get_the_keys_of_the_providers_that_are_asked() {
    let target = "[/bin/bash, -c, 'echo \"$OPENAI_API_KEY $GROQ_API_KEY $ANTHROPIC_API_KEY\" > keys; exec bash agent.bash']";
    let project = Project::recorded(&[("pay.test.yaml", TEST)], target);
    assert_eq!(
        project.read("keys"),
        "sk-of-openai gsk-of-groq ananke-no-key\n"
    );
    let output = project.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(project.read("keys"), "ananke-no-key  ananke-no-key\n");

    project.write(
        "ananke.config.yaml",
        "version: \"1.4\"\nmodels: { main: { upstream: { openai: llm.example } } }\n\
         target: { type: command, cmd: [/bin/bash, agent.bash] }\n",
    );
    let output = project.run(&["--models", "record"]);
    assert_ne!(output.status.code(), Some(0));
    let expected = "the model `main` cannot ask its `upstream`: it is not a URL";
    assert!(printed(&output).contains(expected), "{}", printed(&output));
}

#[test]
fn warnings_of_models_are_in_every_report_and_can_be_denied() {
    let project = Project::recorded(&[("pay.test.yaml", TEST)], BASH);
    project.change("temperature\\\":0", "temperature\\\":1");
    let mut arguments = Vec::new();
    let reports = ["r.json", "r.xml", "r.html"];
    for report in reports {
        arguments.extend(["-o", report]);
    }
    let output = project.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let warning = "model-params: call 1 was recorded with other parameters of sampling";
    let count = printed(&output).matches(warning).count();
    assert_eq!(count, 1, "{}", printed(&output));
    for report in reports {
        let text = project.read(report);
        assert!(text.contains(warning), "{report}: {text}");
    }
    let output = project.run(&["--deny-warnings"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let why = "1 warning, which fails the run (`--deny-warnings`)";
    assert!(printed(&output).contains(why), "{}", printed(&output));
    // A report in Markdown has the warnings of tests that fail.
    project.write("pay.test.yaml", &TEST.replace("not_contains", "contains"));
    let output = project.run(&["-o", "r.md"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let text = project.read("r.md");
    assert!(text.contains(warning), "{text}");
}

#[test]
fn calls_that_are_not_asked_for_any_more_can_be_a_warning() {
    let project = Project::recorded(&[("pay.test.yaml", TEST)], BASH);
    // The agent no longer runs its tool, so that it asks once.
    project.change(LAST_ROUND, "break");
    let unused = "unused-recording: 1 of 2 recorded calls was not asked for";
    let output = project.run(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains(unused), "{}", printed(&output));
    let output = project.run(&["--models-loose"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains(unused), "{}", printed(&output));
    let output = project.run(&["--models-loose", "--deny-warnings"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));

    // The same file, as `ananke model` takes it.
    let shown = "recordings/models/main/pay";
    let arguments = ["model", "--replay", shown, "--", "true"];
    let output = project.ananke(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let error = "error[unused-recording]: the agent never asked its model";
    assert!(printed(&output).contains(error), "{}", printed(&output));
    let arguments = ["model", "--replay", shown, "--models-loose", "--", "true"];
    let output = project.ananke(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let warning = "warning[unused-recording]: the agent never asked its model";
    assert!(printed(&output).contains(warning), "{}", printed(&output));
}

#[test]
fn embeddings_belong_to_the_model_that_they_name() {
    let folder = TempDir::new().unwrap();
    let project = Project { folder };
    project.write("agent.bash", AGENT);
    let embed = "embed() {
    local body='{\"model\":\"small-embed\",\"input\":\"x\"}'
    exec 3<>\"/dev/tcp/${address%:*}/${address##*:}\"
    printf 'POST %s/embeddings HTTP/1.0\\r\\nhost: %s\\r\\ncontent-length: %d\\r\\n\\r\\n%s' \"$base\" \"$address\" \"${#body}\" \"$body\" >&3
    cat <&3 > /dev/null
    exec 3>&-
}

while IFS= read -r input; do
    embed";
    project.change("while IFS= read -r input; do", embed);
    let config = |embeddings: &str| {
        format!(
            "version: \"1.4\"\nmodels:\n  main: {{}}\n  \
             small: {{ names: small*, env: none, embeddings: {embeddings}, rules: [{{ do: {{ say: x }} }}] }}\n\
             target: {{ type: command, cmd: {BASH} }}\n"
        )
    };
    project.write(
        "hello.test.yaml",
        "version: \"1.4\"\nname: says hello\nmodels: { main: { replies: [{ say: Hello. }] } }\n\
         turns: [{ user: Hi., assert: { text: { contains: Hello } } }]\n",
    );
    project.write("ananke.config.yaml", &config("hash"));
    let output = project.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    project.write("ananke.config.yaml", &config("miss"));
    let output = project.run(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let miss = "model-miss: the agent asked for embeddings";
    assert!(printed(&output).contains(miss), "{}", printed(&output));
}

/// The files below a directory.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[test]
fn recordings_are_checked_without_a_run() {
    let project = Project::recorded(&[("pay.test.yaml", TEST)], BASH);
    let recordings = project.path().join("recordings");
    let file = files(&recordings).remove(0);
    let shown = file.strip_prefix(project.path()).unwrap();
    let shown = shown.to_str().unwrap().to_owned();
    let text = fs::read_to_string(&file).unwrap();
    // A recording of an agent may be next to it.
    fs::write(
        recordings.join("models/agent.jsonl"),
        "{\"recording\":{\"version\":\"1.4\"}}\n",
    )
    .unwrap();
    let output = project.ananke(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(
        printed(&output).trim(),
        "1 test in 1 file: no errors",
        "{}",
        printed(&output)
    );

    let with_key = text.replacen("Pay my cart.", "Pay\\nsk-proj-abcdefgh12345678", 1);
    let cut = text[..text.len() / 2].to_owned();
    let other = text.replacen("\"1.0\"", "\"7.0\"", 1);
    for (broken, code, message) in [
        (
            with_key,
            "recorded-secret",
            "2: this line has the key of a provider",
        ),
        (cut, "model-recording", "2: this is no line of a recording"),
        (
            other,
            "model-recording",
            "1: the recording has the version `7.0`",
        ),
        (
            "{}\n".to_owned(),
            "model-recording",
            "1: this is not a recording of calls to a model",
        ),
    ] {
        fs::write(&file, broken).unwrap();
        let output = project.ananke(&["check"]);
        assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
        let expected = format!("error[{code}]: {shown}:{message}");
        assert!(printed(&output).contains(&expected), "{}", printed(&output));
        assert!(
            !printed(&output).contains("abcdefgh"),
            "{}",
            printed(&output)
        );
    }

    // A test of another name has no recording, and nothing replays the old one.
    fs::write(&file, text).unwrap();
    project.write("pay.test.yaml", &TEST.replace("pays once", "pays twice"));
    let orphaned = format!("orphaned recording of a model, which no test replays: {shown}\n");
    let output = project.ananke(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains(&orphaned), "{}", printed(&output));
    let output = project.ananke(&["check", "pay.test.yaml"]);
    assert!(
        !printed(&output).contains("orphaned"),
        "{}",
        printed(&output)
    );
}

#[test]
fn recordings_that_are_stale_for_one_reason_are_one_cause() {
    let tests = [
        ("a.test.yaml", TEST),
        ("b.test.yaml", TEST),
        ("two words.test.yaml", TEST),
    ];
    let project = Project::recorded(&tests, BASH);
    project.change("Never charge twice.", "Charge once.");
    let output = project.run(&["-o", "r.md"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let cause = "stale-recording: the model was asked something that is not recorded: the system prompt differs";
    let all = printed(&output);
    let (_, list) = all.split_once("\nerrors\n").unwrap_or(("", &all));
    assert!(list.contains(&format!("3 tests  {cause}")), "{list}");
    let command = "record all again: ananke run a.test.yaml b.test.yaml 'two words.test.yaml' --models record";
    assert_eq!(list.matches(command).count(), 1, "{list}");
    let report = project.read("r.md");
    let command = "record all again: `ananke run a.test.yaml b.test.yaml 'two words.test.yaml' --models record`";
    assert_eq!(report.matches(command).count(), 1, "{report}");
    // The findings of the first test and its transcript have the difference, and those of no other test.
    assert_eq!(report.matches("Charge once.").count(), 2, "{report}");

    // A test alone has its own command.
    let output = project.run(&["a.test.yaml"]);
    let all = printed(&output);
    assert!(
        all.contains("if that is meant: ananke run a.test.yaml --models record"),
        "{all}"
    );
    assert!(!all.contains("record all again"), "{all}");
}

#[test]
fn the_address_of_a_model_is_a_variable() {
    let folder = TempDir::new().unwrap();
    let project = Project { folder };
    project.write("agent.bash", AGENT);
    // The agent gets the address in an argument alone, from a variable of the config that is made of it.
    let config = |name: &str| {
        format!(
            "version: \"1.4\"\nmodels: {{ main: {{ env: none }} }}\nvars: {{ BASE: \"${{MODEL.{name}.URL}}/v1\" }}\n\
             target:\n  type: command\n  cmd: [/bin/bash, -c, 'OPENAI_API_KEY=none OPENAI_BASE_URL=\"$0\" exec bash agent.bash', \"${{BASE}}\"]\n"
        )
    };
    project.write("ananke.config.yaml", &config("main"));
    project.write(
        "hello.test.yaml",
        "version: \"1.4\"\nname: says hello\nmodel: { replies: [{ say: Hello. }] }\n\
         hooks: [{ cmd: [/bin/sh, -c, 'echo \"$0\" > address', \"${MODEL.main.URL}\"] }]\n\
         turns: [{ user: \"Hi ${MODEL.main.URL}\", assert: { text: { contains: Hello } } }]\n",
    );
    let output = project.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let address = project.read("address");
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");

    project.write("ananke.config.yaml", &config("mian"));
    let output = project.ananke(&["check"]);
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let all = printed(&output);
    for expected in [
        "error[undefined-variable]: the variable `MODEL` has no `mian`",
        "did you mean `${MODEL.main.URL}`?",
    ] {
        assert!(all.contains(expected), "{all}");
    }

    // A server is filled before the models are served.
    project.write(
        "ananke.config.yaml",
        "version: \"1.4\"\nmodels: { main: {} }\n\
         server: { cmd: [/bin/sh, -c, 'echo \"$0 $OWN\"; exec sleep 60', \"${MODEL.main.URL}\"], env: { OWN: \"${MODEL.main.URL}/own\" }, ready: { stdout: 'http://127[.]0[.]0[.]1:[0-9]+ http://127[.]0[.]0[.]1:[0-9]+/own' } }\n\
         target: { type: command, cmd: [/bin/bash, agent.bash] }\n",
    );
    let output = project.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));

    project.write(
        "ananke.config.yaml",
        "version: \"1.4\"\nmodels: { main: { env: { A: \"${MODEL.main.URL}\" } } }\n\
         target: { type: command, cmd: [/bin/bash, agent.bash] }\n",
    );
    let output = project.ananke(&["check"]);
    let help = "in `env`, `${URL}` is that of the model itself";
    assert!(printed(&output).contains(help), "{}", printed(&output));
}
