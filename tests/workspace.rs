//! Files that are checked while they are written: unsaved text over the files of a project.

use ananke::Workspace;

use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n";
const GOOD: &str = "version: \"1.3\"\nname: greets\nturns: [{ user: Hi, assert: { text: { contains: Hello } } }]\n";
const BAD: &str = "version: \"1.3\"\nname: greets\nturns: [{ user: \"${NOBODY}\", assert: { text: { contains: Hello } } }]\n";

/// What is wrong with the file `name` of a project if it contains `text`.
fn check(files: &[(&str, &str)], name: &str, text: &str) -> Vec<String> {
    let project = Project::new(files);
    let path = project.folder().join(name);
    let before = std::fs::read_to_string(&path).ok();
    let problems = Workspace::new(project.context()).check(&path, text);
    assert_eq!(
        std::fs::read_to_string(&path).ok(),
        before,
        "nothing is written"
    );
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn unsaved_text_counts_and_not_what_is_on_the_disk() {
    let undefined =
        ["specs/a.test.yaml:3:18: error[undefined-variable]: the variable `NOBODY` is not defined"];
    for saved in [GOOD, BAD] {
        let files = [("ananke.config.yaml", CONFIG), ("specs/a.test.yaml", saved)];
        assert_eq!(check(&files, "specs/a.test.yaml", GOOD), [""; 0]);
        assert_eq!(check(&files, "specs/a.test.yaml", BAD), undefined);
    }
    let new = check(&[("ananke.config.yaml", CONFIG)], "specs/a.test.yaml", BAD);
    assert_eq!(new, undefined, "a file that was never saved");
}

#[test]
fn only_the_file_itself_is_reported() {
    let files = [
        ("ananke.config.yaml", CONFIG),
        ("b.test.yaml", "nmae: ["),
        ("a.test.yaml", BAD),
    ];
    assert_eq!(check(&files, "a.test.yaml", GOOD), [""; 0]);
    let broken = [
        ("ananke.config.yaml", "version: \"1.3\"\n"),
        ("a.test.yaml", GOOD),
    ];
    assert_eq!(
        check(&broken, "a.test.yaml", GOOD),
        [""; 0],
        "the config is another file"
    );
    let none = check(&[], "a.test.yaml", GOOD);
    assert_eq!(none.len(), 1, "{none:?}");
    assert!(none[0].starts_with("error[config-missing]"), "{none:?}");
}

#[test]
fn what_the_file_refers_to_is_read_from_the_disk() {
    let rows = "version: \"1.3\"\nname: greets\ncases: rows.csv\nturns: [{ user: \"${who}\", assert: { text: { contains: Hello } } }]\n";
    let files = [("ananke.config.yaml", CONFIG), ("rows.csv", "who\nAda\n")];
    assert_eq!(check(&files, "a.test.yaml", rows), [""; 0]);
    let problems = check(&files, "a.test.yaml", &rows.replace("${who}", "${whom}"));
    assert_eq!(
        problems,
        ["a.test.yaml:4:18: error[undefined-variable]: the variable `whom` is not defined"]
    );
}

#[test]
fn a_config_is_checked_with_the_tests_of_its_project() {
    let config = |state: &str| {
        format!(
            "version: \"1.3\"\ntarget: {{ type: scripted, rules: [{{ do: [{{ say: Hello }}] }}], state: {{ who: \"{state}\" }} }}\n"
        )
    };
    let test = GOOD.replace("name: greets", "name: greets\nvars: { WHO: Ada }");
    let files = [("ananke.config.yaml", CONFIG), ("a.test.yaml", &test)];
    assert_eq!(
        check(&files, "ananke.config.yaml", &config("${WHO}")),
        [""; 0]
    );
    let problems = check(&files, "ananke.config.yaml", &config("${NOBODY}"));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("error[undefined-variable]: the variable `NOBODY`"),
        "{problems:?}"
    );
}
