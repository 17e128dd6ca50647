//! The files of `.ananke/runs`: which are written and how many, and a disk or a directory that takes none.

use std::fs;
use std::process::{Command, Output};

use super::{Agent, ananke, project, runs, stderr, stdout, test, with, write};
use crate::support::project::Project;

fn history(project: &Project) -> String {
    fs::read_to_string(project.folder().join(".ananke/history.jsonl")).unwrap()
}

/// The number of results of tests in the history.
fn results(project: &Project) -> usize {
    let history = history(project);
    let lines = history.lines();
    lines.filter(|line| line.contains("\"id\":")).count()
}

#[test]
fn the_last_run_is_the_one_that_began_last_whatever_the_clock_said() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run", "b"]);
    let first = runs(&project).remove(0);
    // A run of an earlier build, on a machine whose clock was years ahead: it is neither shown nor removed.
    let earlier = first.with_file_name("099999999999999-1.jsonl");
    fs::copy(&first, &earlier).unwrap();
    ananke(&project, &["run", "c"]);
    let shows = |run| ananke(&project, &["show", "--run", run]);
    assert!(stdout(&shows("1")).contains("c.test.yaml"));
    assert!(stdout(&shows("2")).contains("b.test.yaml"));
    let missing = "error: there is no run 3: 2 runs are kept\n";
    assert_eq!(stderr(&shows("3")), missing);
    let one = agent.config("run: { keep: 1 }\n");
    write(&project, "ananke.config.yaml", &one);
    ananke(&project, &["run", "a"]);
    let left = runs(&project);
    assert_eq!(left, [earlier, first.with_file_name("run-000003.jsonl")]);
}

#[test]
fn as_many_runs_are_kept_as_the_config_says() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    for _ in 0..12 {
        ananke(&project, &["run", "a"]);
    }
    assert_eq!(runs(&project).len(), 10);
    write(
        &project,
        "ananke.config.yaml",
        &agent.config("run: { keep: 2 }\n"),
    );
    ananke(&project, &["run", "a"]);
    assert_eq!(runs(&project).len(), 2);
    write(
        &project,
        "ananke.config.yaml",
        &agent.config("run: { keep: 0 }\n"),
    );
    let before = runs(&project);
    let ran = ananke(&project, &["run", "b"]);
    assert!(!stdout(&ran).contains("ananke show"));
    assert_eq!(
        runs(&project),
        before,
        "it is neither kept nor are others removed"
    );

    write(&project, "ananke.config.yaml", &agent.config(""));
    let lines = results(&project);
    with(&project, &["run", "b"], &[("CI", "true")]);
    assert_eq!(runs(&project), before, "nothing is kept under CI");
    assert_eq!(results(&project), lines + 1);
    assert!(history(&project).contains("\"status\":\"failed\""));
    let shown = ananke(&project, &["show"]);
    assert_eq!(
        stderr(&shown),
        "note: the last 2 runs are not kept: this is the one before them\n"
    );
    write(
        &project,
        "ananke.config.yaml",
        &agent.config("run: { keep: 3 }\n"),
    );
    with(&project, &["run", "b"], &[("CI", "true")]);
    assert_eq!(runs(&project).len(), 3, "unless the config says so");
    ananke(&project, &["run", "b", "--record", "kept"]);
    assert_eq!(runs(&project).len(), 3);
    let newest = runs(&project);
    ananke(&project, &["run", "b", "--replay", "kept"]);
    assert_eq!(runs(&project), newest, "a replay is not kept");
    ananke(&project, &["run", "--again", "b"]);
    write(
        &project,
        "ananke.config.yaml",
        &agent.config("run: { keep: 1001 }\n"),
    );
    assert!(stderr(&ananke(&project, &["check"])).contains("1000"));
}

#[test]
fn nothing_is_kept_of_scripted_agents() {
    let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ when: { user: hi }, do: [{ say: hello }] }] }\n";
    let project = Project::new(&[
        ("ananke.config.yaml", config),
        ("a.test.yaml", &test("a", "good-bye")),
    ]);
    let ran = ananke(&project, &["run"]);
    assert!(!stdout(&ran).contains("ananke show"));
    assert!(runs(&project).is_empty());
    assert!(stderr(&ananke(&project, &["show"])).contains("no run is kept yet"));
}

/// Runs with files of at most so many blocks of 512 bytes, as on a disk that is full.
#[cfg(unix)]
fn run_with_room(project: &Project, blocks: u32) -> Output {
    let program = env!("CARGO_BIN_EXE_ananke");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} run");
    Command::new("sh")
        .current_dir(project.folder())
        .env_clear()
        .args(["-c", &script])
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_in_the_middle_ends_what_is_kept_and_not_the_run() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    let before = runs(&project);
    let long = "hello ".repeat(50_000);
    agent.say(&[&long]);
    let why = "`.ananke/runs` cannot be written (there is no room for it)\n\
               help: is `.ananke/runs` a directory of yours, and has its disk room? \
               `run: { keep: 0 }` in the config keeps no run\n";
    for (blocks, what) in [
        (
            60,
            "this run is not kept, so that `ananke show` and `run --again` do not know it",
        ),
        (1000, "only the beginning of this run is kept"),
    ] {
        let lines = results(&project);
        let ran = run_with_room(&project, blocks);
        assert_eq!(ran.status.code(), Some(1), "{blocks}: {}", stderr(&ran));
        assert_eq!(stderr(&ran), format!("warning: {what}: {why}"));
        let text = stdout(&ran);
        assert!(
            text.contains("3 tests: 1 passed, 2 failed") && !text.contains("ananke show"),
            "{blocks}: the first failure may not be kept: {text}"
        );
        assert_eq!(results(&project), lines + 3, "{blocks}");
    }
    // What could not be begun leaves the run before it, and what was begun is shown as far as it goes.
    let now = runs(&project);
    assert_eq!((now.len(), &now[..1]), (2, &before[..]));
    let shown = ananke(&project, &["show"]);
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    assert!(
        stderr(&shown).contains("ends in the middle"),
        "{}",
        stderr(&shown)
    );
    let again = ananke(&project, &["run", "--again", "a"]);
    assert_eq!(
        again.status.code(),
        Some(0),
        "{}{}",
        stdout(&again),
        stderr(&again)
    );
}

#[test]
fn a_project_in_which_nothing_can_be_kept_runs_all_the_same() {
    let agent = Agent::saying(&["hello"]);
    for obstacle in ["file", "link", "runs"] {
        let project = project(&agent);
        let own = project.folder().join(".ananke");
        match obstacle {
            "file" => fs::write(&own, "mine").unwrap(),
            "runs" => {
                fs::create_dir(&own).unwrap();
                fs::write(own.join("runs"), "mine").unwrap();
            }
            #[cfg(unix)]
            _ => std::os::unix::fs::symlink("nowhere/at/all", &own).unwrap(),
            #[cfg(not(unix))]
            _ => continue,
        }
        let ran = ananke(&project, &["run"]);
        assert_eq!(ran.status.code(), Some(1));
        let (text, error) = (stdout(&ran), stderr(&ran));
        assert!(
            text.contains("2 failed") && !text.contains("ananke show"),
            "{text}"
        );
        let (warning, help) = match obstacle {
            "file" => (
                "warning: `.ananke` is not a directory: nothing of this run is kept, and the next",
                "help: remove or rename it",
            ),
            "link" => (
                "warning: `.ananke` is a link to something that is not a directory: nothing of",
                "help: remove the link",
            ),
            _ => (
                "warning: this run is not kept, so that `ananke show` and `run --again` do not know it: \
                 `.ananke/runs` cannot be written (something else has its name)\n",
                "help: is `.ananke/runs` a directory of yours",
            ),
        };
        assert!(
            error.starts_with(warning) && error.contains(help),
            "{obstacle}: {error}"
        );
        assert_eq!(error.lines().count(), 2, "{obstacle}: {error}");
        assert!(stderr(&ananke(&project, &["show"])).contains("no run is kept yet"));
    }
}

#[test]
fn two_runs_at_once_are_both_kept() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    let mut running: Vec<_> = (0..4)
        .map(|_| {
            Command::new(env!("CARGO_BIN_EXE_ananke"))
                .current_dir(project.folder())
                .env_clear()
                .args(["run", "--quiet"])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for run in &mut running {
        assert_eq!(run.wait().unwrap().code(), Some(1));
    }
    assert_eq!(runs(&project).len(), 4);
    for number in ["1", "2", "3", "4"] {
        let shown = ananke(&project, &["show", "--run", number]);
        assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
        assert!(stdout(&shown).contains("2 failed"));
    }
    assert_eq!(results(&project), 12);
}
