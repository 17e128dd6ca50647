//! What a project can have many of, and a project with so many of it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::agent;
use super::cost::{self, Cost};

/// Something that a project can have many of.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// The smaller of the two counts that are compared.
    pub(crate) count: usize,
    write: fn(usize) -> Files,
    /// The program's arguments, and the exit code that it must end with.
    arguments: &'static [&'static str],
    code: i32,
}

/// Names and texts of files.
type Files = Vec<(String, String)>;

/// A project in a temporary directory.
pub(crate) struct Project<'a> {
    folder: TempDir,
    subject: &'a Subject,
    count: usize,
}

const RUN: &[&str] = &["run", "--quiet", "-o", "report.json", "-o", "junit.xml"];

/// The arguments of a merge, before the names of the parts.
const MERGE: &[&str] = &["report", "-o", "report.json", "-o", "junit.xml"];

/// A project with one of everything.
pub(crate) fn smallest() -> Subject {
    Subject {
        name: "",
        count: 1,
        write: files,
        arguments: RUN,
        code: 0,
    }
}

/// Everything that is measured.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn all() -> Vec<Subject> {
    let passing = |name, count, write| Subject {
        name,
        count,
        write,
        arguments: RUN,
        code: 0,
    };
    let failing = |name, count, write| Subject {
        name,
        count,
        write,
        arguments: RUN,
        code: 1,
    };
    let parallel: &[&str] = &["run", "--quiet", "--parallel", "8"];
    let list: &[&str] = &["list", "--json"];
    vec![
        passing("files", 500, files),
        Subject {
            arguments: list,
            ..passing("files, listed", 2000, files)
        },
        passing("rows", 1000, rows),
        Subject {
            arguments: parallel,
            ..passing("rows at once", 1000, rows)
        },
        passing("secrets", 200, secrets),
        passing("tests", 500, tests),
        passing("turns", 1500, turns),
        passing("calls", 5000, calls),
        passing("parallel calls", 5000, parallel_calls),
        passing("messages", 20000, messages),
        passing("pieces", 50000, pieces),
        passing("history", 5000, history),
        passing("rules", 800, rules),
        passing("rules of a tool", 800, rules_of_a_tool),
        passing("rules off", 1500, rules_off),
        Subject {
            arguments: &["check"],
            ..passing("name patterns", 100, name_patterns)
        },
        passing("rules x calls", 50, rules_and_calls),
        passing("patterns", 300, patterns),
        passing("variables", 3000, variables),
        passing("client tools", 1500, client_tools),
        passing("quarantine", 300, quarantine),
        failing("findings", 1000, findings),
        failing("failing tests", 500, failing_tests),
        Subject {
            arguments: &["check"],
            ..failing("problems", 1000, problems)
        },
        Subject {
            arguments: &["check"],
            ..failing("broken files", 300, broken_files)
        },
        passing("state steps", 300, state_steps),
        passing("state patches", 20000, state_patches),
        passing("violations", 50000, violations),
        passing("causes", 5000, causes),
        failing("causes of open calls", 5000, causes_of_open_calls),
        passing("origins", 5000, origins),
        passing("declared tools", 1500, declared_tools),
        passing("attachments", 300, attachments),
        passing("interrupts", 300, interrupts),
        passing("checkpoints", 300, checkpoints),
        passing("walk steps", 100, walk_steps),
        passing("targets", 500, targets),
        passing("extends depth", 3, extends_depth),
        Subject {
            arguments: MERGE,
            ..passing("shards", 20, shards)
        },
        Subject {
            arguments: &["run", "--quiet", "--again"],
            ..passing("kept runs", 100, kept_runs)
        },
        passing("unread entries", 20000, unread_entries),
    ]
}

impl Subject {
    /// A project with `count` of it.
    pub(crate) fn project(&self, count: usize) -> Project<'_> {
        Project {
            folder: written(&(self.write)(count)),
            subject: self,
            count,
        }
    }
}

impl Project<'_> {
    /// What the program costs in it.
    pub(crate) fn run(&self) -> Cost {
        let mut command = Command::new(program());
        command
            .args(self.subject.arguments)
            .current_dir(self.folder.path());
        if self.subject.arguments == MERGE {
            command.args((0..self.count).map(part_name));
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        cost::of(&mut command, self.subject.code)
    }
}

/// The program that is measured.
fn program() -> PathBuf {
    let program = std::env::var_os("ANANKE").unwrap_or_else(|| env!("CARGO_BIN_EXE_ananke").into());
    std::path::absolute(program).expect("the program has a path")
}

/// A directory with these files.
fn written(files: &Files) -> TempDir {
    let folder = TempDir::new().expect("the temporary directory can be written");
    for (name, text) in files {
        let path = folder.path().join(name);
        let own = path.parent().expect("a file is in a directory");
        std::fs::create_dir_all(own).expect("the temporary directory can be written");
        std::fs::write(path, text).expect("the temporary directory can be written");
    }
    folder
}

/// One line for each number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut lines, number| {
        let _ = writeln!(lines, "{}", line(number));
        lines
    })
}

/// A config with an embedded agent that does this.
fn scripted(actions: &str) -> (String, String) {
    let text =
        format!("version: \"1.3\"\ntarget:\n  type: scripted\n  rules:\n    - do:\n{actions}");
    ("ananke.config.yaml".to_owned(), text)
}

/// An embedded agent that calls a tool and says something.
fn shop() -> (String, String) {
    scripted(concat!(
        "        - call: { tool: find_order, args: { receipt: R-1001 }, result: { order: O-7 } }\n",
        "        - say: \"Your order O-7 is on its way.\"\n",
    ))
}

/// An agent on this machine that responds with these events.
fn remote(events: &str) -> (String, String) {
    let started = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
    let finished = "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
    let url = agent::start(format!("{started}{events}{finished}").into_bytes());
    let text = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{url}\", agentId: bench, timeout_ms: 120000 }}\n"
    );
    ("ananke.config.yaml".to_owned(), text)
}

fn event(json: &str) -> String {
    format!("data: {json}\n")
}

/// The only test file.
fn test(text: &str) -> (String, String) {
    (
        "one.test.yaml".to_owned(),
        format!("version: \"1.3\"\nname: one\n{text}"),
    )
}

fn files(count: usize) -> Files {
    let file = |number| {
        let text = format!(
            "version: \"1.3\"\nname: order {number}\nturns:\n  - user: \"Where is order {number}?\"\n    assert: {{ tools: {{ require: [{{ name: find_order }}] }}, text: {{ must_match: \"O-[0-9]+\" }} }}\n"
        );
        (format!("number-{number}.test.yaml"), text)
    };
    [shop()].into_iter().chain((0..count).map(file)).collect()
}

const ROWS: &str = "cases: rows.jsonl\nturns:\n  - user: \"Where is ${ORDER}?\"\n    assert: { tools: { require: [{ name: find_order }] }, text: { contains: \"O-7\" } }\n";

fn rows(count: usize) -> Files {
    let rows = lines(count, |number| {
        format!("{{\"id\":\"row-{number}\",\"ORDER\":\"order {number}\"}}")
    });
    vec![shop(), test(ROWS), ("rows.jsonl".to_owned(), rows)]
}

/// Each row has a token of its own, which must be masked.
fn secrets(count: usize) -> Files {
    let (name, config) = shop();
    let config = config.replace(
        "type: scripted",
        "type: scripted\n  headers: { authorization: \"Bearer ${TOKEN}\" }",
    );
    let row = |number| {
        format!(
            "{{\"id\":\"row-{number}\",\"ORDER\":\"o-{number}\",\"TOKEN\":\"tok-{number:08}-{number:x}-secret\"}}"
        )
    };
    vec![
        (name, config),
        test(ROWS),
        ("rows.jsonl".to_owned(), lines(count, row)),
    ]
}

/// Many tests in one file.
fn tests(count: usize) -> Files {
    let tests = lines(count, |number| {
        format!(
            "  - {{ name: order {number}, turns: [{{ user: \"hello {number}\", assert: {{ text: {{ contains: \"O-7\" }} }} }}] }}"
        )
    });
    vec![
        shop(),
        (
            "many.test.yaml".to_owned(),
            format!("version: \"1.3\"\ntests:\n{tests}"),
        ),
    ]
}

fn turns(count: usize) -> Files {
    let turn = |number| {
        format!("  - {{ user: \"turn {number}\", assert: {{ text: {{ contains: \"O-7\" }} }} }}")
    };
    let turns = lines(count, turn);
    vec![
        shop(),
        test(&format!(
            "turns:\n{turns}assert: {{ tools: {{ require: [{{ name: find_order }}] }} }}\n"
        )),
    ]
}

const CALLED: &str = "turns: [{ user: hello }]\nassert:\n  tools: { require: [{ name: find, args_match: { id: \"^7$\" } }], forbid: [drop], forbid_calls: [{ name: find, result_match: nothing }] }\n";

fn call(number: usize) -> [String; 4] {
    [
        format!(
            "{{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c{number}\",\"toolCallName\":\"find\"}}"
        ),
        format!(
            "{{\"type\":\"TOOL_CALL_ARGS\",\"toolCallId\":\"c{number}\",\"delta\":\"{{\\\"id\\\":{number}}}\"}}"
        ),
        format!("{{\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"c{number}\"}}"),
        format!(
            "{{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"m{number}\",\"toolCallId\":\"c{number}\",\"content\":\"ok\"}}"
        ),
    ]
}

/// One call after the other.
fn calls(count: usize) -> Files {
    vec![
        remote(&lines(count * 4, |number| {
            event(&call(number / 4)[number % 4])
        })),
        test(CALLED),
    ]
}

/// All calls are open at the same time.
fn parallel_calls(count: usize) -> Files {
    vec![
        remote(&lines(count * 4, |number| {
            event(&call(number % count)[number / count])
        })),
        test(CALLED),
    ]
}

const SAID: &str = "turns: [{ user: hello }]\nassert: { text: { contains: \"word 7\", must_not_match: \"^error\" } }\n";

fn messages(count: usize) -> Files {
    let message = |number| {
        event(&format!(
            "{{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m{number}\",\"role\":\"assistant\",\"delta\":\"word {number}\"}}"
        ))
    };
    vec![remote(&lines(count, message)), test(SAID)]
}

/// One message in many events.
fn pieces(count: usize) -> Files {
    let piece = |number| {
        event(&format!(
            "{{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\" word {number}\"}}"
        ))
    };
    vec![remote(&lines(count, piece)), test(SAID)]
}

/// Messages before the first turn, and all of them sent with it.
fn history(count: usize) -> Files {
    let message = |number| {
        format!(
            "  - {{ role: {}, content: \"message {number}\" }}",
            ["user", "assistant"][number % 2]
        )
    };
    let messages = lines(count, message);
    let turns = "turns: [{ user: hello, assert: { text: { contains: \"O-7\" } } }]\n";
    vec![shop(), test(&format!("messages:\n{messages}{turns}"))]
}

fn rules(count: usize) -> Files {
    let rule = |number| {
        format!(
            "      - {{ name: tool_{number}, count: {{ exact: 0 }}, args: {{ id: {number} }} }}"
        )
    };
    let forbidden = lines(count, |number| format!("      - never_{number}"));
    let required = lines(count, rule);
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    forbid:\n{forbidden}    require:\n{required}"
        )),
    ]
}

/// Rules that differ in their arguments alone.
fn rules_of_a_tool(count: usize) -> Files {
    let rule = |number| format!("      - {{ name: pay, args: {{ id: {number} }} }}");
    let forbidden = lines(count, rule);
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    forbid_calls:\n{forbidden}"
        )),
    ]
}

/// Rules of a test that one of its turns switches off.
fn rules_off(count: usize) -> Files {
    let forbidden = lines(count, |number| format!("      - never_{number}"));
    let turns = "turns: [{ user: hello }, { user: hello, assert: { tools: false } }]";
    vec![
        shop(),
        test(&format!(
            "{turns}\nassert:\n  tools:\n    forbid:\n{forbidden}"
        )),
    ]
}

/// Forbidden and required tools: each forbidden one is compared with the patterns of the required ones.
fn name_patterns(count: usize) -> Files {
    let forbidden = lines(count, |number| {
        format!("      - {{ name_match: \"^never_{number}$\" }}")
    });
    let required = lines(count, |number| format!("      - {{ name: tool_{number} }}"));
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    forbid_calls:\n{forbidden}    require:\n{required}"
        )),
    ]
}

/// Every rule checks every call: ten times as many of both may cost a hundred times as much, so the number of calls
/// stays the same.
fn rules_and_calls(count: usize) -> Files {
    let events = lines(1000 * 4, |number| event(&call(number / 4)[number % 4]));
    let rule = |number| {
        format!(
            "      - {{ name: find, args_match: {{ id: \"^{number}$\" }}, result_match: \"ok\" }}"
        )
    };
    let required = lines(count, rule);
    vec![
        remote(&events),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    require:\n{required}"
        )),
    ]
}

fn patterns(count: usize) -> Files {
    let patterns = lines(count, |number| {
        format!("      - \"(?i)word {number}[0-9]+ (foo|bar)\"")
    });
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  text:\n    must_not_match:\n{patterns}"
        )),
    ]
}

fn variables(count: usize) -> Files {
    let variables = lines(count, |number| {
        format!("  VALUE_{number}: \"value {number}\"")
    });
    let text = (0..count).fold(String::new(), |text, number| {
        format!("{text}${{VALUE_{number}}} ")
    });
    let turns =
        format!("turns: [{{ user: \"{text}\", assert: {{ text: {{ contains: \"O-7\" }} }} }}]\n");
    vec![shop(), test(&format!("vars:\n{variables}{turns}"))]
}

fn client_tools(count: usize) -> Files {
    let tools = lines(count, |number| {
        format!(
            "  - {{ name: tool_{number}, description: \"Tool {number}\", mock: {{ result: {number} }} }}"
        )
    });
    let actions = lines(count, |number| {
        format!("        - call: {{ tool: tool_{number}, args: {{}} }}")
    });
    vec![
        scripted(&actions),
        test(&format!(
            "client_tools:\n{tools}turns: [{{ user: hello }}]\nassert: {{ tools: {{ require: [{{ name: tool_1 }}] }} }}\n"
        )),
    ]
}

fn findings(count: usize) -> Files {
    let rules = lines(count, |number| {
        format!("      - {{ name: missing_{number} }}")
    });
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    require:\n{rules}"
        )),
    ]
}

/// Every test is in quarantine, by an entry of its own.
fn quarantine(count: usize) -> Files {
    let mut files = files(count);
    let entry = |number| {
        format!(
            "  - {{ test: \"number-{number}.test.yaml::order {number}\", owner: shop, expires: 2999-12-31, reason: known }}"
        )
    };
    let _ = write!(files[0].1, "quarantine:\n{}", lines(count, entry));
    files
}

fn failing_tests(count: usize) -> Files {
    files(count)
        .into_iter()
        .map(|(name, text)| (name, text.replace("name: find_order", "name: refund")))
        .collect()
}

/// Mistakes in one file.
fn problems(count: usize) -> Files {
    let turns = lines(count, |number| {
        format!("  - {{ user: \"${{NOBODY_{number}}}\", usr: {number} }}")
    });
    vec![shop(), test(&format!("turns:\n{turns}"))]
}

fn broken_files(count: usize) -> Files {
    files(count)
        .into_iter()
        .map(|(name, text)| (name, text.replace("  - user:", "  - usr:")))
        .collect()
}

/// Every step adds a key to the state.
fn state_steps(count: usize) -> Files {
    let actions = lines(count, |number| {
        format!("        - state: {{ key_{number}: \"value {number}\" }}")
    });
    vec![scripted(&actions), test(STATE)]
}

const STATE: &str =
    "turns: [{ user: hello }]\nassert: { state: [{ path: key_1, equals: \"value 1\" }] }\n";

fn state_patches(count: usize) -> Files {
    let patch = |number| {
        event(&format!(
            "{{\"type\":\"STATE_DELTA\",\"delta\":[{{\"op\":\"add\",\"path\":\"/key_{number}\",\"value\":\"value {number}\"}}]}}"
        ))
    };
    let events =
        event("{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{}}") + "\n" + &lines(count, patch);
    vec![remote(&events), test(STATE)]
}

/// Every message breaks the order of the protocol.
fn violations(count: usize) -> Files {
    let message = |number| {
        event(&format!(
            "{{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m{number}\"}}"
        ))
    };
    let events = event(
        "{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"word 7\"}",
    );
    vec![
        remote(&(events + "\n" + &lines(count, message))),
        test(SAID),
    ]
}

const CAUSED: &str = "turns: [{ user: hello }]\nassert:\n  whenever:\n    - { call: find, preceded_by: { says: hello, role: user } }\n    - { result: find, not_followed_by: { call: find, same: [id] } }\n    - { call: find, followed_by: { result: find, same: [id] } }\n";

/// Every call is a trigger, and what must or must not come before or after it.
fn causes(count: usize) -> Files {
    let (name, text) = test(CAUSED);
    let text = text.replace("1.3", "1.4");
    vec![
        remote(&lines(count * 4, |number| {
            event(&call(number / 4)[number % 4])
        })),
        (name, text),
    ]
}

/// The arguments of the first call never end, so that every other trigger waits. It has no result, which fails the test.
fn causes_of_open_calls(count: usize) -> Files {
    let mut files = causes(count);
    let open = "{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"open\",\"toolCallName\":\"find\"}";
    let events = lines(count * 4, |number| event(&call(number / 4)[number % 4]));
    files[0] = remote(&(event(open) + "\n" + &events));
    files
}

/// Every argument is looked for in what came before it.
fn origins(count: usize) -> Files {
    let mut files = causes(count);
    let rule = "turns: [{ user: hello }]\nassert: { provenance: [{ of: { call: find }, not_from: [results] }] }\n";
    files[1] = test(rule);
    files[1].1 = files[1].1.replace("1.3", "1.4");
    files
}

/// Tools that the agent is offered with every request, of which it calls one.
fn declared_tools(count: usize) -> Files {
    let mut files = client_tools(count);
    files[0] = scripted("        - call: { tool: tool_1, args: {} }\n");
    files
}

/// Attachments of one message, each a text in the test.
fn attachments(count: usize) -> Files {
    let attached = lines(count, |_| {
        "      - { type: document, source: \"data:text/plain;base64,aGVsbG8=\" }".to_owned()
    });
    vec![
        shop(),
        test(&format!(
            "turns:\n  - user: hello\n    attachments:\n{attached}    assert: {{ text: {{ contains: \"O-7\" }} }}\n"
        )),
    ]
}

/// One interrupt after the other, each answered by a turn.
fn interrupts(count: usize) -> Files {
    let asked = lines(count, |number| {
        format!("        - interrupt: {{ id: \"i{number}\", reason: input_required }}")
    });
    let answers = lines(count, |number| {
        format!(
            "  - {{ type: \"agui:resume\", resume: [{{ id: \"i{number}\", status: resolved, payload: yes }}] }}"
        )
    });
    vec![
        scripted(&(asked + "        - say: done\n")),
        test(&format!(
            "turns:\n  - user: hello\n{answers}assert: {{ outcome: finished }}\n"
        )),
    ]
}

/// Checkpoints that the first turn reaches.
fn checkpoints(count: usize) -> Files {
    let (name, config) = shop();
    let customer = "targets:\n  customer: { type: scripted, rules: [{ do: [{ say: bye }] }] }\n";
    let reached = lines(count, |number| {
        format!("    - {{ id: c{number}, assert: {{ text: {{ contains: \"O-7\" }} }} }}")
    });
    vec![
        (name, config + customer),
        test(&format!(
            "simulate:\n  agent: customer\n  goal: an order\n  max_turns: 1\n  checkpoints:\n{reached}"
        )),
    ]
}

/// The steps of one walk.
fn walk_steps(count: usize) -> Files {
    vec![
        shop(),
        test(&format!(
            "walk:\n  actions:\n    ask: {{ user: \"Where is my order?\" }}\n    wait: {{ user: \"And now?\" }}\n  steps: {count}\n  walks: 1\n  seed: 7\nassert: {{ text: {{ contains: \"O-7\" }} }}\n"
        )),
    ]
}

fn targets(count: usize) -> Files {
    let (name, config) = shop();
    let others = lines(count, |number| {
        format!("  target-{number}: {{ extends: default, agentId: agent-{number} }}")
    });
    let (file, content) = files(1).swap_remove(1);
    vec![
        (name, format!("{config}targets:\n{others}")),
        (file, content),
    ]
}

/// Targets, each of which extends the one before it; 32 may.
fn extends_depth(count: usize) -> Files {
    let (name, config) = shop();
    let others = lines(count, |number| {
        let before = number
            .checked_sub(1)
            .map_or_else(|| "default".to_owned(), |before| format!("target-{before}"));
        format!("  target-{number}: {{ extends: {before}, agentId: agent-{number} }}")
    });
    let (file, content) = files(1).swap_remove(1);
    let last = format!("target: target-{}\n", count - 1);
    vec![
        (name, format!("{config}targets:\n{others}")),
        (file, content.replacen("turns:", &(last + "turns:"), 1)),
    ]
}

/// Runs the program in `folder`, where it must succeed.
fn run_in(folder: &TempDir, arguments: &[&str]) {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(folder.path());
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.expect("the program can be started");
    assert!(status.success(), "{arguments:?} ended with {status}");
}

/// The parts of so many machines, each of ten tests.
fn shards(count: usize) -> Files {
    let tests = tests(10 * count);
    let folder = written(&tests);
    let part = |number: usize| {
        let (shard, name) = (format!("{}/{count}", number + 1), part_name(number));
        run_in(&folder, &["run", "--quiet", "--shard", &shard, "-o", &name]);
        let text = std::fs::read_to_string(folder.path().join(&name));
        (name, text.expect("the program wrote the part"))
    };
    let parts: Files = (0..count).map(part).collect();
    tests.into_iter().chain(parts).collect()
}

fn part_name(number: usize) -> String {
    format!("part-{number}.json")
}

/// Copies of one kept run, and a project whose answers are in it.
fn kept_runs(count: usize) -> Files {
    let said = event(
        "{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"word 7\"}",
    );
    let (name, config) = remote(&(said + "\n"));
    let config = config.replacen("1.3", "1.4", 1) + "run: { keep: 1000 }\n";
    let files = vec![(name, config), test(SAID)];
    let folder = written(&files);
    run_in(&folder, &["run", "--quiet"]);
    let runs = std::fs::read_dir(folder.path().join(RUNS)).expect("a run was kept");
    let kept = runs.flatten().next().expect("a run was kept");
    let text = std::fs::read_to_string(kept.path()).expect("a kept run is a text");
    let copies = (0..count).map(|number| (format!("{RUNS}/{number:015}-1.jsonl"), text.clone()));
    files.into_iter().chain(copies).collect()
}

/// The directory of kept runs in a project.
const RUNS: &str = ".ananke/runs";

/// Events of a type that no version of the protocol has.
fn unread_entries(count: usize) -> Files {
    let said = event(
        "{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"word 7\"}",
    );
    let unknown = lines(count, |number| {
        event(&format!(
            "{{\"type\":\"WEATHER_{}\",\"number\":{number}}}",
            number % 100
        ))
    });
    let (name, text) =
        test("turns: [{ user: hello }]\nassert: { text: { contains: \"word 7\" } }\n");
    vec![remote(&(said + "\n" + &unknown)), (name, text)]
}
