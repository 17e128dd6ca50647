//! Output that cannot be written, that is full, or that nothing reads.

use std::fs;

use super::{ananke, command, ends, project};
use crate::support::project::Project;

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let project = project();
    ananke(&project, "run -o a.json", 0);
    for arguments in [
        "list",
        "list --json",
        "list --rules",
        "schema test",
        "check",
        "explain a.test.yaml",
        "explain bad-pattern",
        "compare a.json a.json",
        "run --dry-run",
        "run",
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("the device");
        let error = ends(
            &command(&project, arguments)
                .stdout(full)
                .output()
                .expect("the program"),
            arguments,
            1,
        );
        assert!(
            error.contains("error: cannot write to standard output: No space left"),
            "{arguments}: {error}"
        );
        let (closed, stdout) = std::io::pipe().expect("a pipe");
        drop(closed);
        let error = ends(
            &command(&project, arguments)
                .stdout(stdout)
                .output()
                .expect("the program"),
            arguments,
            0,
        );
        assert_eq!(
            error, "",
            "a reader that goes away is no error: {arguments}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_error_names_its_file_and_the_other_reports_are_written() {
    let project = project();
    fs::write(project.folder().join("file"), "").expect("a file");
    let error = ananke(&project, "run --junit /dev/full -o b.json", 1);
    assert!(
        error.contains("error: cannot write `/dev/full`: No space left"),
        "{error}"
    );
    assert!(project.folder().join("b.json").is_file());
    let error = ananke(&project, "run -o file/b.json", 1);
    assert!(
        error.contains("error: cannot write `file/b.json`: `file` is a file, not a directory"),
        "{error}"
    );
}

/// Six reports, one of each format.
#[cfg(unix)]
const SIX: &str = "-o r.json -o r.jsonl -o r.md -o r.html -o r.tap -o r.xml";

#[cfg(unix)]
#[test]
fn a_limit_of_the_size_of_files_is_an_error_of_each_report_and_the_tests_run() {
    let project = project();
    let line = format!("ulimit -f 0; exec \"$ANANKE\" run {SIX}");
    let output = std::process::Command::new("sh")
        .args(["-c", &line])
        .current_dir(project.folder())
        .env("ANANKE", env!("CARGO_BIN_EXE_ananke"))
        .env_remove("GITHUB_ACTIONS")
        .output()
        .expect("a shell");
    let error = ends(&output, &line, 1);
    for file in SIX.split("-o ").skip(1) {
        let named = format!("error: cannot write `{}`: File too large", file.trim());
        assert!(error.contains(&named), "{file}: {error}");
    }
    // Its snapshot cannot be written either.
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("1 test: 1 "), "{printed}");
}

#[test]
fn reports_that_cannot_be_created_are_all_named_and_the_tests_run() {
    let project = project();
    fs::write(project.folder().join("file"), "").expect("a file");
    let arguments = "run -o file/a.json -o file/b.xml -o c.json";
    let output = command(&project, arguments).output().expect("the program");
    let error = ends(&output, arguments, 1);
    for file in ["file/a.json", "file/b.xml"] {
        let named = format!("error: cannot write `{file}`: `file` is a file, not a directory");
        assert!(error.contains(&named), "{error}");
    }
    assert!(project.folder().join("c.json").is_file());
    assert!(String::from_utf8_lossy(&output.stdout).contains(" passed"));
}

#[cfg(unix)]
#[test]
fn what_nobody_reads_is_given_up_after_the_last_test() {
    let long = "word ".repeat(60_000);
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: scripted, rules: [{{ do: [{{ say: {long:?} }}] }}] }}\n"
    );
    // A message is bounded in reports, and one is less than a pipe takes.
    let rows: Vec<String> = (0..20).map(|row| format!("{{ id: r{row} }}")).collect();
    let rows = rows.join(", ");
    let test = &format!(
        "version: \"1.4\"\nname: a\ncases: [{rows}]\nturns: [{{ user: hi, assert: {{ text: {{ contains: word }} }} }}]\n"
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
    let made = std::process::Command::new("mkfifo")
        .arg(project.folder().join("pipe.xml"))
        .status()
        .expect("a pipe");
    assert!(made.success());
    // Nothing reads from either for as long as the program runs.
    let (_unread, stdout) = std::io::pipe().expect("a pipe");
    let into_pipe = command(&project, "run --junit pipe.xml -o r.json").output();
    let to_stdout = command(&project, "run --json").stdout(stdout).output();
    for (output, what) in [
        (
            into_pipe,
            "error: cannot write `pipe.xml`: nothing read from it for 10 s",
        ),
        (
            to_stdout,
            "error: cannot write to standard output: nothing read from it for 10 s",
        ),
    ] {
        let output = output.expect("the program");
        let error = ends(&output, what, 1);
        assert!(error.contains(what), "{error}");
    }
    assert!(project.folder().join("r.json").is_file());
}
