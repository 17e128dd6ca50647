//! Files that no golden directory can contain: too large, unreadable, or two with one id.

use ananke::diagnostic::render::{RenderStyle, human};
use ananke::plan::{Selection, plan};

use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.3\"\ntarget: { type: scripted, assert: { tools: { forbid: [x] } }, rules: [] }\n";

fn test(name: &str) -> String {
    format!("version: \"1.0\"\nname: \"{name}\"\nturns: [{{ user: hi }}]\n")
}

/// The printed problems of a project when `paths` are named.
fn told(project: &Project, paths: &[&str]) -> String {
    let paths = paths
        .iter()
        .map(|path| project.folder().join(path))
        .collect();
    let selection = Selection {
        paths,
        ..Selection::default()
    };
    let planned = plan(&project.context(), &selection, &project.redactor);
    assert!(planned.plan.is_none());
    human(&planned.problems, RenderStyle::default())
}

#[test]
fn a_file_over_the_limit() {
    let large = format!("{}# {}\n", test("large"), "x".repeat(8 << 20));
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("large.test.yaml", &large)]);
    snapbox::assert_data_eq!(
        told(&project, &[]),
        snapbox::str![[r"
error[limit-exceeded]: `large.test.yaml` is larger than 8 MiB
 |
 = help: split it into several files


"]]
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read() {
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("fine.test.yaml", &test("fine")),
    ]);
    // Not even root can follow a link that points to itself.
    std::os::unix::fs::symlink("loop.test.yaml", project.folder().join("loop.test.yaml")).unwrap();
    let text = told(&project, &["fine.test.yaml", "loop.test.yaml"]);
    assert!(text.starts_with("error[unreadable]: "), "{text}");
    assert!(text.contains("loop.test.yaml"), "{text}");
    // Nor is it passed over if nothing is named.
    std::os::unix::fs::symlink("nothing", project.folder().join("gone.test.yaml")).unwrap();
    let socket = project.folder().join("socket.test.yaml");
    let _listening = std::os::unix::net::UnixListener::bind(socket).unwrap();
    let text = told(&project, &[]);
    for expected in [
        "error[unreadable]: `gone.test.yaml` cannot be read: it is a link, and there is no such file",
        "error[unreadable]: `loop.test.yaml` cannot be read: it is a link, and ",
        "error[unreadable]: `socket.test.yaml` cannot be read: it is no file",
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn two_tests_of_one_id() {
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &test("b::c")),
        ("a.test.yaml::b", &test("c")),
    ]);
    let text = told(&project, &["a.test.yaml", "a.test.yaml::b"]);
    assert!(
        text.contains(
            "two tests have the id `a.test.yaml::b::c`: a.test.yaml:2 and a.test.yaml::b:2"
        ),
        "{text}"
    );
}
