//! What the program writes: nothing is lost, no file is replaced by mistake, and every error names its file.

mod unwritable;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::project::Project;

const CONFIG: &str = r#"version: "1.3"
target: { type: scripted, rules: [{ do: [{ say: "hi" }] }] }
"#;

const TEST: &str = r#"version: "1.3"
name: greets
cases: rows.jsonl
turns:
  - { user: hello, attachments: [{ type: image, source: seen.json, media_type: image/png }], assert: { snapshot: true } }
"#;

fn project() -> Project {
    Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", TEST),
        ("rows.jsonl", "{\"id\":\"one\"}\n"),
        ("seen.json", "1"),
    ])
}

fn command(project: &Project, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .args(arguments.split(' '))
        .current_dir(project.folder())
        .env_clear();
    command
}

/// Runs the program, which must exit with `code`; returns what it prints to standard error.
fn ananke(project: &Project, arguments: &str, code: i32) -> String {
    ends(
        &command(project, arguments)
            .output()
            .expect("the program can be started"),
        arguments,
        code,
    )
}

fn ends(output: &Output, arguments: &str, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{arguments}: {output:?}");
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// The files below `folder`, relative to it.
fn files(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        entries
            .flat_map(|path| {
                if path.is_dir() {
                    walk(&path)
                } else {
                    vec![path]
                }
            })
            .collect()
    }
    let relative = |path: PathBuf| {
        path.strip_prefix(folder)
            .expect("below")
            .to_str()
            .expect("UTF-8")
            .to_owned()
    };
    walk(folder).into_iter().map(relative).collect()
}

/// The one file whose path begins with `start`.
fn only(project: &Project, start: &str) -> String {
    let mut found: Vec<String> = files(project.folder());
    found.retain(|path| path.starts_with(start));
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn a_report_replaces_no_file_that_tests_are_made_of() {
    let project = project();
    fs::write(project.folder().join("b.test.yaml"), "not even a test").expect("a file");
    ananke(&project, "run a.test.yaml --record kept", 0);
    let (snapshot, recording) = (only(&project, "snapshots/"), only(&project, "kept/"));
    let (yaml, read) = (
        "is a YAML file, as tests and configs are",
        "is a file that this command reads",
    );
    for (option, file, what) in [
        ("--junit", "a.test.yaml", read),
        ("--junit", "./b.test.yaml", yaml),
        ("--junit", "ananke.config.yaml", read),
        ("--junit", snapshot.as_str(), "is a snapshot"),
        ("-o", recording.as_str(), "is a recording"),
        ("-o", "rows.jsonl", read),
        ("-o", "seen.json", read),
    ] {
        let before = fs::read(project.folder().join(file)).expect("the file");
        let error = ananke(&project, &format!("run a.test.yaml {option} {file}"), 1);
        let expected = format!("error: `{file}` {what}, and a report would replace it\nhelp: ");
        assert!(error.contains(&expected), "{error}");
        assert_eq!(
            fs::read(project.folder().join(file)).expect("the file"),
            before,
            "{file}"
        );
    }
    let config = format!("{CONFIG}reports: [{{ path: a.test.yaml, format: markdown }}]\n");
    fs::write(project.folder().join("ananke.config.yaml"), config).expect("a file");
    assert!(ananke(&project, "run a.test.yaml", 1).contains("`a.test.yaml` is a file that this"));
}

#[cfg(unix)]
#[test]
fn a_report_replaces_no_file_that_is_read_through_a_link() {
    let project = project();
    let folder = project.folder();
    fs::rename(folder.join("seen.json"), folder.join("behind.json")).expect("a file");
    std::os::unix::fs::symlink("behind.json", folder.join("seen.json")).expect("a link");
    std::os::unix::fs::symlink(".", folder.join("same")).expect("a link");
    for file in ["behind.json", "seen.json", "same/behind.json"] {
        let error = ananke(&project, &format!("run a.test.yaml -o {file}"), 1);
        assert!(
            error.contains(&format!("`{file}` is a file that this command reads")),
            "{error}"
        );
        assert_eq!(
            fs::read_to_string(folder.join("behind.json")).expect("the file"),
            "1"
        );
    }
}

#[test]
fn two_reports_are_not_one_file() {
    let project = project();
    let error = ananke(&project, "run -o new/a.xml --junit new/../new/a.xml", 1);
    assert!(
        error.contains("`new/../new/a.xml` and `new/a.xml` are the same file of two reports"),
        "{error}"
    );
    let error = ananke(&project, "run -o a.md -o a.md", 1);
    assert!(
        error.contains("two reports are written to `a.md`"),
        "{error}"
    );
    ananke(&project, "run -o a.json -o b.json", 0);
    let error = ananke(&project, "compare a.json b.json -o b.json", 1);
    assert!(
        error.contains("`b.json` is a file that this command reads"),
        "{error}"
    );
    let error = ananke(&project, "compare a.json b.json -o c.md -o new/../c.md", 1);
    assert!(
        error.contains("`c.md` and `new/../c.md` are the same file of two reports"),
        "{error}"
    );
    assert!(
        !project.folder().join("c.md").exists(),
        "nothing is written"
    );
}

#[cfg(unix)]
#[test]
fn a_command_asks_for_its_files_before_its_work() {
    let test =
        "version: \"1.3\"\nname: b\nhooks: [{ cmd: [sh, work.sh] }]\nturns: [{ user: hello }]\n";
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("b.test.yaml", test),
        ("work.sh", "echo done > work.txt; echo '{}'\n"),
        ("own.json", "{\"mine\": true}"),
    ]);
    let work = project.folder().join("work.txt");
    let error = ananke(&project, "coverage -o own.json", 1);
    assert!(error.contains("`own.json` exists already"), "{error}");
    assert!(!work.exists(), "no test has run");
    ananke(&project, "coverage -o own.json --force", 0);
    assert!(work.exists(), "the test has run");
}

#[cfg(unix)]
#[test]
fn a_report_follows_links_and_keeps_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let project = project();
    let folder = project.folder();
    fs::create_dir(folder.join("deep")).expect("a directory");
    fs::write(folder.join("deep/old.xml"), "<testsuites/>").expect("a file");
    fs::set_permissions(
        folder.join("deep/old.xml"),
        fs::Permissions::from_mode(0o640),
    )
    .expect("its mode");
    symlink("deep/old.xml", folder.join("link.xml")).expect("a link");
    symlink("deep/new.xml", folder.join("dangling.xml")).expect("a link");
    symlink("link.xml", folder.join("second.xml")).expect("a link");
    ananke(&project, "run -o second.xml -o dangling.xml", 0);
    for (link, file) in [
        ("link.xml", "deep/old.xml"),
        ("second.xml", "deep/old.xml"),
        ("dangling.xml", "deep/new.xml"),
    ] {
        assert!(folder.join(link).is_symlink(), "{link}");
        assert!(
            fs::read_to_string(folder.join(file))
                .expect("the report")
                .contains("<testsuites"),
            "{file}"
        );
    }
    let mode = fs::metadata(folder.join("deep/old.xml"))
        .expect("the report")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    let left: Vec<String> = files(folder)
        .into_iter()
        .filter(|path| path.contains("/."))
        .collect();
    assert_eq!(left, [".ananke/.gitignore"], "nothing half is left");
    let error = ananke(&project, "run -o link.xml -o second.xml", 1);
    assert!(error.contains("the same file of two reports"), "{error}");
    symlink("round.xml", folder.join("round.xml")).expect("a link");
    let error = ananke(&project, "run -o round.xml", 1);
    assert!(
        error.contains("cannot write `round.xml`: too many links"),
        "{error}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_is_written_into_a_device_or_a_pipe() {
    use std::os::unix::fs::FileTypeExt as _;
    let project = project();
    let pipe = project.folder().join("pipe.xml");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("mkfifo")
            .success()
    );
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).expect("the report")
    });
    ananke(&project, "run -o pipe.xml -o other.xml", 0);
    assert!(reader.join().expect("the reader").contains("<testsuites"));
    assert!(
        fs::metadata(&pipe).expect("the pipe").file_type().is_fifo(),
        "it is still a pipe"
    );
    assert!(project.folder().join("other.xml").is_file());
    // Standard output that is a file is not replaced, and nothing that is printed is overwritten.
    let printed = fs::File::create(project.folder().join("printed")).expect("a file");
    let arguments = "run --junit /dev/stdout";
    ends(
        &command(&project, arguments)
            .stdout(printed)
            .output()
            .expect("the program"),
        arguments,
        0,
    );
    let printed = fs::read_to_string(project.folder().join("printed")).expect("the output");
    assert!(
        printed.contains("</testsuites>") && printed.contains(" passed"),
        "{printed}"
    );
    ananke(&project, "run --junit /dev/null", 0);
    assert!(
        fs::metadata("/dev/null")
            .expect("the device")
            .file_type()
            .is_char_device()
    );
}

#[test]
fn recordings_are_checked_before_the_first_test() {
    let project = project();
    let folder = project.folder();
    fs::write(folder.join("file"), "").expect("a file");
    ananke(&project, "run --record kept", 0);
    let recording = only(&project, "kept/");
    fs::remove_dir_all(folder.join("kept")).expect("the recordings");
    fs::create_dir_all(folder.join("kept").join(&recording[5..])).expect("a directory");
    for (directory, expected) in [
        ("file", "cannot record into `file`: ".to_owned()),
        (
            "kept",
            format!("cannot write the recording `{recording}`: it is not a file"),
        ),
    ] {
        let arguments = format!("run --record {directory}");
        let output = command(&project, &arguments).output().expect("the program");
        let error = ends(&output, &arguments, 1);
        assert!(error.contains(&expected), "{error}");
        assert!(output.stdout.is_empty(), "no test has run: {output:?}");
    }
}

#[test]
fn an_earlier_report_that_stays_is_named() {
    let project = project();
    ananke(&project, "run -o out.xml", 0);
    let old = fs::read(project.folder().join("out.xml")).expect("the report");
    fs::write(project.folder().join("a.test.yaml"), "version: \"1.3\"\n").expect("a file");
    let error = ananke(&project, "run -o out.xml -o new.json", 1);
    assert!(
        error.contains("note: `out.xml` is unchanged: this run wrote no report"),
        "{error}"
    );
    assert!(!error.contains("new.json"), "{error}");
    assert_eq!(
        fs::read(project.folder().join("out.xml")).expect("the report"),
        old
    );
}

/// The content of a file.
fn content(project: &Project, file: &str) -> Vec<u8> {
    fs::read(project.folder().join(file)).expect("the file")
}

#[test]
fn no_report_replaces_the_program_of_a_target() {
    for (target, turn) in [
        (
            "type: command, agentId: a, cmd: [sh, scripts/agent.sh]",
            "user: hello",
        ),
        (
            "type: mcp, transport: stdio, command: [sh, agent.sh], cwd: scripts",
            "type: mcp:list",
        ),
    ] {
        let project = Project::new(&[
            (
                "ananke.config.yaml",
                &format!("version: \"1.4\"\ntarget: {{ {target} }}\n"),
            ),
            (
                "a.test.yaml",
                &format!("version: \"1.4\"\nname: a\nturns: [{{ {turn} }}]\n"),
            ),
            ("scripts/agent.sh", "exit 1\n"),
        ]);
        let error = ananke(&project, "run --force --junit scripts/agent.sh", 1);
        let expected = "`scripts/agent.sh` is a file that this command reads";
        assert!(error.contains(expected), "{target}: {error}");
    }
}

#[test]
fn no_command_replaces_a_file_that_it_reads_or_that_it_has_not_written() {
    let cases = "{\"id\": \"a\", \"input\": \"hello\", \"assert\": {\"type\": \"contains\", \"value\": \"hi\"}}\n";
    let list = "{\"messages\": [{\"role\": \"user\", \"content\": \"hello\"}, {\"role\": \"assistant\", \"content\": \"hi\"}]}\n";
    let hook = "version: \"1.3\"\nname: b\nhooks: [{ cmd: [sh, scripts/c.sh] }]\nturns: [{ user: hello }]\n";
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        (
            "project.json",
            r#"{"version": "1.3", "target": {"type": "scripted", "rules": [{"do": [{"say": "hi"}]}]}}"#,
        ),
        ("b.test.yaml", hook),
        ("suite.jsonl", cases),
        ("list.jsonl", list),
        (
            "rules.yaml",
            "version: \"1.4\"\nassert: { text: { contains: hi } }\n",
        ),
        ("notes.txt", "my own notes"),
        ("README.md", "# My own project\n"),
        ("page.html", "<!doctype html>\n<title>my own page</title>\n"),
        ("own.json", "{\"version\": \"1.0\", \"mine\": true}"),
        ("pom.xml", "<project/>"),
        ("scripts/c.sh", "echo '{}'\n"),
    ]);
    std::os::unix::fs::symlink("list.jsonl", project.folder().join("link.jsonl")).expect("a link");
    ananke(
        &project,
        "run b.test.yaml --record kept -o one.json -o two.json",
        0,
    );
    let recording = only(&project, "kept/");
    let read = "is a file that this command reads";
    let exists = "exists already";
    let mutate = format!("mutate {recording} -o own.json");
    for (arguments, file, what, force) in [
        (
            "convert suite.jsonl -o suite.jsonl",
            "suite.jsonl",
            read,
            "stays",
        ),
        (
            "convert suite.jsonl -o ananke.config.yaml",
            "ananke.config.yaml",
            exists,
            "replaced",
        ),
        (
            "convert suite.jsonl -o notes.txt",
            "notes.txt",
            exists,
            "replaced",
        ),
        (
            "verify list.jsonl --from openai --rules rules.yaml -o list.jsonl",
            "list.jsonl",
            read,
            "stays",
        ),
        (
            "verify list.jsonl --from openai --rules rules.yaml --junit link.jsonl",
            "list.jsonl",
            read,
            "stays",
        ),
        (
            "verify link.jsonl --from openai --rules rules.yaml --junit list.jsonl",
            "list.jsonl",
            read,
            "stays",
        ),
        (
            "verify list.jsonl --from openai --rules rules.yaml --junit rules.yaml",
            "rules.yaml",
            read,
            "stays",
        ),
        (
            "run b.test.yaml --junit scripts/c.sh",
            "scripts/c.sh",
            read,
            "stays",
        ),
        (
            "run b.test.yaml --junit pom.xml",
            "pom.xml",
            "and is no JUnit XML",
            "replaced",
        ),
        (
            "run b.test.yaml -o page.html",
            "page.html",
            "and is no HTML page of ananke",
            "replaced",
        ),
        (
            "run b.test.yaml -o README.md",
            "README.md",
            "and is no Markdown report of ananke",
            "replaced",
        ),
        (
            "run b.test.yaml -o own.json",
            "own.json",
            "and is no report of ananke",
            "replaced",
        ),
        (
            "run b.test.yaml -o suite.jsonl",
            "suite.jsonl",
            "and is no report of ananke",
            "replaced",
        ),
        (
            "coverage b.test.yaml --config project.json -o project.json",
            "project.json",
            read,
            "stays",
        ),
        (
            "compare one.json two.json -o one.json",
            "one.json",
            read,
            "stays",
        ),
        (
            "mock --log b.test.yaml",
            "b.test.yaml",
            "is a YAML file",
            "",
        ),
        (
            "mock --log ananke.config.yaml",
            "ananke.config.yaml",
            read,
            "",
        ),
        (
            &mutate,
            "own.json",
            "and is no report of ananke",
            "replaced",
        ),
    ] {
        let before = content(&project, file);
        let error = ananke(&project, arguments, 1);
        assert!(
            error.contains(what) && error.contains("\nhelp: choose another file"),
            "{arguments}: {error}"
        );
        assert!(content(&project, file) == before, "{arguments}");
        if force.is_empty() {
            continue;
        }
        let output = command(&project, &format!("{arguments} --force"))
            .output()
            .expect("the program");
        let is_replaced = content(&project, file) != before;
        assert_eq!(
            is_replaced,
            force == "replaced",
            "{arguments} --force: {output:?}"
        );
        fs::write(project.folder().join(file), before).expect("the file");
    }
}

#[test]
fn a_report_replaces_the_report_of_an_earlier_run() {
    let project = project();
    fs::write(project.folder().join("empty.json"), "").expect("a file");
    let arguments =
        "run -o r.json -o r.jsonl -o r.html -o r.md -o r.tap --junit r.xml -o empty.json";
    ananke(&project, &format!("{arguments} --record kept"), 0);
    ananke(&project, arguments, 0);
    let recording = only(&project, "kept/");
    for arguments in [
        "compare r.json empty.json -o c.json -o c.html -o c.md".to_owned(),
        "coverage -o v.json -o v.html".to_owned(),
        format!("mutate {recording} -o m.json -o m.html -o m.md -o m.xml"),
    ] {
        ananke(&project, &arguments, 0);
        ananke(&project, &arguments, 0);
    }
}
