//! Files that look like tests and are not run: what names them.

use std::path::Path;

use ananke::diagnostic::Severity;
use ananke::plan::{Selection, plan};
use ananke::redact::Redactor;
use ananke::settings::GivenSettings;

use crate::support::project::Project;

/// An assert block that asserts something.
const SOMETHING: &str = "{ tools: { forbid: [x] } }";

fn file(name: &str, test: &str, turns: &[&str]) -> String {
    let turns: Vec<String> = turns
        .iter()
        .map(|turn| format!("  - {{ user: hi, assert: {turn} }}\n"))
        .collect();
    format!(
        "version: \"1.3\"\nname: {name}\nassert: {test}\nturns:\n{}",
        turns.concat()
    )
}

#[cfg(unix)]
#[test]
fn tests_below_linked_directories_are_named_once() {
    use std::os::unix::fs::symlink;
    let config = "version: \"1.3\"\ntarget: { type: scripted, rules: [] }\n";
    let test = file("one", "{}", &[SOMETHING]);
    let other = Project::new(&[("a.test.yaml", ""), ("deep/B.test.YAML", "")]);
    let project = Project::new(&[
        ("ananke.config.yaml", config),
        ("one.test.yaml", &test),
        ("own/two.test.yaml", &test.replace("one", "two")),
        (".gitignore", "ignored\n"),
        ("ignored/c.test.yaml", ""),
    ]);
    let link = |to: &Path, name: &str| symlink(to, project.folder().join(name)).unwrap();
    // What is run anyway, the directory itself, and what leads in a circle.
    link(&project.folder().join("own"), "same");
    link(project.folder(), "own/circle");
    link(Path::new("nowhere"), "dangling");
    assert_eq!(
        messages(&project),
        [
            "`ignored/c.test.yaml` looks like a test and is not run: it is below a directory that `.gitignore` excludes"
        ]
    );
    link(other.folder(), "linked");
    link(other.folder(), "linked-again");
    link(project.folder(), "ignored/circle");
    symlink(other.folder(), other.folder().join("deep/back")).unwrap();
    assert_eq!(
        messages(&project),
        [
            "`ignored/c.test.yaml` and 2 more look like tests and are not run: \
          2 below a linked directory, 1 below a directory that `.gitignore` excludes"
        ]
    );
    let planned = project.plan();
    assert_eq!(planned.problems[0].severity, Severity::Note);
    assert_eq!(
        planned.problems[0].help,
        [
            "name the linked directory on the command line",
            "take the directory out of `.gitignore`, or name it on the command line"
        ]
    );
}

/// The messages of the problems of a project in which warnings are denied.
fn messages(project: &Project) -> Vec<String> {
    let selection = Selection {
        settings: GivenSettings {
            deny_warnings: Some(true),
            ..GivenSettings::default()
        },
        ..Selection::default()
    };
    let planned = plan(&project.context(), &selection, &Redactor::default());
    assert!(planned.plan.is_some(), "a note fails nothing");
    let problems = planned.problems.into_iter();
    problems.map(|problem| problem.message).collect()
}

#[test]
fn what_is_like_a_test_or_a_config_and_is_not_read() {
    let config = "version: \"1.3\"\ntarget: { type: scripted, rules: [] }\n";
    let test = file("one", "{}", &[SOMETHING]);
    let left_out = |files: &[(&str, &str)]| {
        let mut all = vec![
            ("ananke.config.yaml", config),
            ("one.test.yaml", test.as_str()),
        ];
        all.extend(files);
        let problems = Project::new(&all).plan().problems;
        problems
            .iter()
            .map(|problem| problem.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(left_out(&[]), [""; 0]);
    assert_eq!(
        left_out(&[
            (".gitignore", "two*\n"),
            ("two.test.yaml", ""),
            ("two-more.test.yaml", "")
        ]),
        ["`two-more.test.yaml` and 1 more are not run: `.gitignore` excludes it"]
    );
    assert_eq!(
        left_out(&[
            ("shop/ananke.config.yaml", config),
            ("shop/a.test.yaml", "")
        ]),
        [
            "`shop/a.test.yaml` is not run: it belongs to a separate ananke project, whose config is in its directory"
        ]
    );
    assert_eq!(
        left_out(&[("shop/ananke.config.yaml", config), ("shop/notes.yaml", "")]),
        [""; 0]
    );
    assert_eq!(
        left_out(&[
            (".gitignore", "build/\n"),
            ("build/deep/a.test.yaml", ""),
            ("build/b.test.yml", ""),
            ("build/notes.yaml", ""),
            ("build/.hidden/c.test.yaml", ""),
            ("build/node_modules/d.test.yaml", ""),
            ("build/shop/ananke.config.yaml", config),
            ("build/shop/e.test.yaml", ""),
            ("build/python/pyvenv.cfg", ""),
            ("build/python/f.test.yaml", ""),
        ]),
        [
            "`build/b.test.yml` and 1 more look like tests and are not run: 2 below a directory that `.gitignore` excludes"
        ]
    );
    for (name, renamed) in [
        ("two.TEST.YAML", "two.test.yaml"),
        ("Two.Test.yml", "two.test.yml"),
    ] {
        let problems = Project::new(&[
            ("ananke.config.yaml", config),
            ("one.test.yaml", &test),
            (name, ""),
        ])
        .plan()
        .problems;
        let message = format!(
            "`{name}` looks like a test and is not run: it has another letter case than `specs`"
        );
        assert_eq!(problems[0].message, message);
        assert_eq!(
            problems[0].help,
            [format!("rename `{name}` to `{renamed}`")]
        );
    }
    assert_eq!(
        left_out(&[("ananke.config.yml", config)]),
        ["`ananke.config.yml` is not read: the config is `ananke.config.yaml`"]
    );
    let alone = Project::new(&[("ananke.config.yml", config)])
        .plan()
        .problems;
    assert_eq!(
        alone[0].help,
        ["rename `ananke.config.yml` to `ananke.config.yaml`"]
    );
    let below = [
        ("tests/agent/ananke.config.yaml", config),
        ("node_modules/x/ananke.config.yaml", config),
        ("shop/ananke.config.yaml", config),
    ];
    assert_eq!(
        Project::new(&below).plan().problems[0].help,
        [
            "name one that is below it: `--config shop/ananke.config.yaml` or `--config tests/agent/ananke.config.yaml`"
        ]
    );
}
