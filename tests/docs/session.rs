//! The output in the tutorial and in the page about promptfoo is real: their files are written and their commands run, in the order of the page.
//!
//! A block of YAML whose first line is `# NAME` is the file NAME. A block of `console` begins with `$ ananke …`; the
//! rest is its output. A later block with the same name replaces the file.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{ananke, fences, without_wall_clock};

/// What `command` prints in `folder`.
fn output(command: &str, folder: &Path) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let output = ananke(&words)
        .current_dir(folder)
        .env_remove("GITHUB_ACTIONS")
        .output()
        .expect("the program can be started");
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// `page` with what its commands print now, and how many commands it has.
fn played(page: &str) -> (String, usize) {
    let project = TempDir::new().expect("a temporary folder can be made");
    let (mut now, mut commands, mut done) = (page.to_owned(), 0, 0);
    for (says, block) in fences(page) {
        let Some((first, rest)) = block.text.split_once('\n') else {
            continue;
        };
        if let ("yaml" | "yaml mistake", Some(name)) = (says, first.strip_prefix("# ")) {
            fs::write(project.path().join(name), &block.text).expect("the file can be written");
        } else if let ("console", Some(command)) = (says, first.strip_prefix("$ ananke ")) {
            commands += 1;
            let printed = output(command, project.path());
            // The same command can be on the page again, with another output.
            let shown = format!("```console\n{}```", block.text);
            let at = done + now[done..].find(&shown).expect("the block is on the page");
            done = at + shown.len();
            if without_wall_clock(&printed) != without_wall_clock(rest) {
                let new = format!("```console\n{first}\n{printed}```");
                now.replace_range(at..done, &new);
                done = at + new.len();
            }
        }
    }
    (now, commands)
}

#[test]
fn the_pages_show_what_is_printed() {
    for (name, least) in [("tutorial", 4), ("promptfoo", 3)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{name}.md"));
        let page = fs::read_to_string(&path).expect("the page can be read");
        let (now, commands) = played(&page);
        assert!(commands >= least, "{name} has {commands} commands");
        if crate::schema::update() {
            fs::write(&path, now).expect("the page can be written");
        } else {
            assert_eq!(page, now, "help: ANANKE_UPDATE=1 cargo test rewrites it");
        }
    }
}

#[test]
fn finds_an_output_that_is_not_what_is_printed() {
    let page = "```yaml\n# ananke.config.yaml\nversion: \"1.3\"\ntarget: { type: scripted, rules: [] }\n```\n\n```console\n$ ananke check\nall is well\n```\n";
    let (now, commands) = played(page);
    assert_eq!(commands, 1);
    assert!(now.contains("$ ananke check\nerror[no-tests]"), "{now}");
}
