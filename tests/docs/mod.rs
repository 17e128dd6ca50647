//! The documents are true: every YAML block of README.md and docs/ is a complete file that loads, every command
//! they name exists, and the output they show is what is printed.
//!
//! A block that shows only a part is fenced as `yaml fragment` and is left alone here. One that shows a mistake is fenced
//! as `yaml mistake` and must not load.

mod abilities;
mod held_examples;
mod promises;
mod session;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ananke::context::{Context, ManualClock, SequentialIds};
use ananke::diagnostic::{Code, Severity, SourceFile};
use ananke::plan::{Selection, plan};
use ananke::provider::FileScripts;
use ananke::variables::Scope;
use tempfile::TempDir;

/// A fenced block and where it begins.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    line: usize,
    text: String,
}

/// The fenced blocks of `markdown`, each with what its fence says.
fn fences(markdown: &str) -> Vec<(&str, Block)> {
    let mut found = Vec::new();
    let mut lines = markdown.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let ticks = line.trim_start().chars().take_while(|c| *c == '`').count();
        if ticks < 3 {
            continue;
        }
        let fence = "`".repeat(ticks);
        let mut text = String::new();
        for (_, line) in lines.by_ref() {
            if line.trim() == fence {
                break;
            }
            let deeper = line.len() - line.trim_start().len();
            text.push_str(&line[indent.min(deeper)..]);
            text.push('\n');
        }
        found.push((
            line.trim_start()[ticks..].trim(),
            Block {
                line: index + 1,
                text,
            },
        ));
    }
    found
}

/// The blocks of `markdown` whose fence says exactly `language`.
fn blocks(markdown: &str, language: &str) -> Vec<Block> {
    let fences = fences(markdown)
        .into_iter()
        .filter(|(says, _)| *says == language);
    fences.map(|(_, block)| block).collect()
}

/// The documents apart from those in docs/.
const ELSEWHERE: [&str; 5] = [
    "README.md",
    "llms.txt",
    "node/README.md",
    "python/README.md",
    "skills/ananke/SKILL.md",
];

/// The documents: those in docs/ and the folders in it, and some elsewhere.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = ELSEWHERE.iter().map(|path| root.join(path)).collect();
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("docs/ can be read") {
            let path = entry.expect("docs/ can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A config for blocks that are tests, and a test for blocks that are configs.
const CONFIG: &str = "version: \"1.4\"\ntarget: { type: scripted, rules: [] }\ntargets: { strict: { type: scripted, rules: [] }, customer: { extends: strict } }\nscripts: { check-receipt: { cmd: [sh] }, free-days: { cmd: [sh] } }\n";
const TEST: &str = "version: \"1.0\"\nname: x\nturns: [{ user: hi }]\n";
/// A test for configs of servers that no user talks to.
const LISTING: &str = "version: \"1.2\"\nname: x\nturns: [{ type: mcp:list }]\n";

/// Loads a block of YAML as what it is, a test file where it has turns, else a project config, and checks it as
/// `ananke check` does: the schema, and then variables, patterns and rules.
fn load_block(text: &str) -> Result<(), String> {
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    if has("replies:") || has("lanes:") {
        return load_script(text);
    }
    let is_config = has("target:") && !has("turns:");
    // A config may have a server next to the target that is tested, which it names.
    let names_target = |line: &str| {
        let name = line.strip_prefix("target: ");
        name.is_some_and(|name| name.chars().all(char::is_alphanumeric))
    };
    let filled = if text.contains("type: mcp") && !text.lines().any(names_target) {
        LISTING
    } else {
        TEST
    };
    let (config, spec) = if is_config {
        (text, filled)
    } else {
        (CONFIG, text)
    };
    load(config, spec, "block.test.yaml")
}

/// Checks the script of a model.
fn load_script(text: &str) -> Result<(), String> {
    let source = Arc::new(SourceFile::new("block.yaml", "block.yaml", text));
    match FileScripts::read(&source, &Scope::default()) {
        Ok(_) => Ok(()),
        Err(problems) => Err(problems[0].to_string()),
    }
}

/// Checks a project of a config and one file of tests.
fn load(config: &str, spec: &str, name: &str) -> Result<(), String> {
    static LOADED: AtomicUsize = AtomicUsize::new(0);
    let number = LOADED.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("ananke-docs-{}-{number}", std::process::id()));
    let (config_path, test_path) = (folder.join("ananke.config.yaml"), folder.join(name));
    fs::create_dir_all(&folder).expect("the temporary folder can be written");
    fs::write(&config_path, config).expect("the temporary folder can be written");
    fs::write(&test_path, spec).expect("the temporary folder can be written");
    let context = Context {
        environment: Arc::default(),
        working_directory: folder.clone(),
        home: None,
        clock: Arc::new(ManualClock::new(0)),
        ids: Arc::new(SequentialIds::default()),
        stdin_is_terminal: false,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        terminal_size: || None,
        parallelism: NonZeroUsize::MIN,
        files: ananke::context::Files::default(),
    };
    // A named test is run whatever `specs` of the config says.
    let selection = Selection {
        paths: vec![test_path],
        config: Some(config_path),
        ..Selection::default()
    };
    let planned = plan(&context, &selection, &ananke::redact::Redactor::default());
    fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    let errors = planned
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error);
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors.join("\n"))
    }
}

#[test]
fn every_yaml_block_loads() {
    let mut problems = String::new();
    let mut seen = 0;
    for path in documents() {
        let markdown = fs::read_to_string(&path).expect("a document can be read");
        for block in blocks(&markdown, "yaml") {
            seen += 1;
            if let Err(error) = load_block(&block.text) {
                let _ = writeln!(problems, "{}:{}: {error}", path.display(), block.line);
            }
        }
        for block in blocks(&markdown, "yaml mistake") {
            if load_block(&block.text).is_ok() {
                let _ = writeln!(
                    problems,
                    "{}:{}: this is no mistake",
                    path.display(),
                    block.line
                );
            }
        }
    }
    assert!(seen > 0, "no YAML block was found at all");
    let of_cases = documents().into_iter().flat_map(|path| {
        let markdown = fs::read_to_string(&path).expect("a document can be read");
        blocks(&markdown, "jsonl")
            .into_iter()
            .map(move |block| (path.clone(), block))
    });
    for (path, block) in of_cases {
        if let Err(error) = load(CONFIG, &block.text, "block.jsonl") {
            let _ = writeln!(problems, "{}:{}: {error}", path.display(), block.line);
        }
    }
    assert!(
        problems.is_empty(),
        "{problems}help: fix the block, or fence it as `yaml fragment` if it is only a part"
    );
}

#[test]
fn no_fence_hides_a_block() {
    let fences = [
        "yaml",
        "yaml fragment",
        "yaml mistake",
        "console",
        "json",
        "jsonl",
        "rust",
        "sh",
        "text",
        "toml",
        "xml",
        "python",
        "js",
        "ts",
    ];
    for path in documents() {
        let markdown = fs::read_to_string(&path).expect("a document can be read");
        let all: usize = fences
            .iter()
            .map(|fence| blocks(&markdown, fence).len())
            .sum();
        let lines = markdown
            .lines()
            .filter(|line| line.trim_start().starts_with("```"))
            .count();
        assert_eq!(
            all * 2,
            lines,
            "{}: a fence is open or says none of {fences:?}",
            path.display()
        );
    }
}

#[test]
fn extracts_blocks_by_their_language() {
    let markdown = "a\n```yaml\nversion: \"1.0\"\n```\n```yaml fragment\nx: 1\n```\n- b\n  ```yaml\n  k:\n    v: 2\n\n  ```\n";
    let expected = [
        Block {
            line: 2,
            text: "version: \"1.0\"\n".to_owned(),
        },
        Block {
            line: 9,
            text: "k:\n  v: 2\n\n".to_owned(),
        },
    ];
    assert_eq!(blocks(markdown, "yaml"), expected);
    assert_eq!(blocks(markdown, "yaml fragment").len(), 1);
}

#[test]
fn does_not_look_for_blocks_inside_blocks() {
    assert_eq!(blocks("````text\n```yaml\nno: 1\n```\n````\n", "yaml"), []);
}

#[test]
fn refuses_a_block_that_is_no_file() {
    assert_eq!(load_block(TEST), Ok(()));
    assert_eq!(load_block(CONFIG), Ok(()));
    assert!(load_block("name: x\n").is_err());
    assert!(
        load_block(&TEST.replace("\"1.0\"", "1")).is_err(),
        "an unknown version"
    );
    assert!(load_block("version: \"1.0\n").is_err(), "no YAML");
    let with_text =
        |pattern: &str| format!("{TEST}assert: {{ text: {{ must_match: {pattern} }} }}\n");
    assert_eq!(load_block(&with_text("\"a|b\"")), Ok(()));
    assert!(load_block(&with_text("\"(\"")).is_err(), "no pattern");
    assert!(
        load_block(&with_text("\"${NOBODY}\"")).is_err(),
        "no variable"
    );
    assert!(
        load_block(&CONFIG.replace("scripted", "telepathic")).is_err(),
        "no target"
    );
}

/// The commands of `markdown`, in blocks of `sh` and between single backticks: the words after `ananke`.
fn commands(markdown: &str) -> Vec<Vec<String>> {
    let lines: Vec<String> = blocks(markdown, "sh")
        .into_iter()
        .flat_map(|block| lines_of(&block.text))
        .collect();
    let spans = markdown
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|span| !span.contains('\n'));
    let texts = lines.iter().map(String::as_str).chain(spans);
    texts
        .filter_map(|text| {
            let text = text.split(" #").next().unwrap_or_default().trim();
            let ways = [
                "ananke ",
                "target/release/ananke ",
                "cargo run -- ",
                "cargo run --release -- ",
            ];
            let rest = ways.iter().find_map(|way| text.strip_prefix(way))?;
            Some(rest.split_whitespace().map(str::to_owned).collect())
        })
        .collect()
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim().to_owned()).collect()
}

/// Copies the files of a directory to a new one, without its directories.
fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a new directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let name = path.file_name().expect("a name");
            fs::copy(&path, to.join(name)).expect("a copy");
        }
    }
}

fn ananke(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

#[test]
fn every_command_exists() {
    let mut problems = String::new();
    let mut seen = 0;
    // The answers of a language server begin with the title of a schema, which is not a command.
    let pages = documents()
        .into_iter()
        .filter(|path| !path.ends_with("internals/editors.md"));
    for path in pages {
        let markdown = fs::read_to_string(&path).expect("a document can be read");
        for command in commands(&markdown) {
            seen += 1;
            let name = command.first().filter(|word| !word.starts_with('-'));
            let asked: Vec<&str> = name
                .map(String::as_str)
                .into_iter()
                .chain(["--help"])
                .collect();
            let help = ananke(&asked).output().expect("the program can be started");
            let text = String::from_utf8_lossy(&help.stdout);
            let known: BTreeSet<&str> = text.split([' ', ',', '\n', '=', '[', ']']).collect();
            let is_known =
                |word: &str| known.contains(word.split_once('=').map_or(word, |(name, _)| name));
            // The options of another program follow `--`.
            let unknown = command
                .iter()
                .take_while(|word| *word != "--")
                .filter(|word| word.starts_with('-') && !is_known(word));
            for word in unknown.chain(name.filter(|_| !help.status.success())) {
                let _ = writeln!(
                    problems,
                    "{}: no `{word}` in `ananke {}`",
                    path.display(),
                    command.join(" ")
                );
            }
        }
    }
    assert!(seen > 0, "no command was found at all");
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn every_script_of_the_readme_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).expect("the README can be read");
    let spans = readme.split('`').skip(1).step_by(2);
    let paths = spans.filter(|span| {
        ["scripts/", "src/", "specs/"]
            .iter()
            .any(|at| span.starts_with(at))
    });
    let missing: Vec<&str> = paths.filter(|path| !root.join(path).exists()).collect();
    assert!(missing.is_empty(), "the README names {missing:?}");
}

/// The first test that a reader sees is one of those that the first command runs, with a config that is read in a minute.
#[test]
fn the_readme_shows_a_test_of_the_small_shop() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("the file can be read");
    let readme = read("README.md");
    let (_, block) = readme.split_once("```yaml\n").expect("a block of YAML");
    let (shown, _) = block.split_once("```\n").expect("the block ends");
    assert_eq!(shown, read("specs/paying-once.test.yaml"));
    let lines = read("ananke.config.yaml").lines().count();
    assert!(
        lines <= 60,
        "the config of the small shop has {lines} lines"
    );
}

/// The text between the marks in the README, and what the command in the first mark prints now.
#[test]
fn the_readme_shows_what_is_printed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).expect("the README can be read");
    let (before, rest) = readme
        .split_once("<!-- output of `")
        .expect("the README has a marked output");
    let (command, rest) = rest
        .split_once("` -->\n")
        .expect("the mark names its command");
    let (shown, after) = rest
        .split_once("<!-- end of output -->")
        .expect("the marked output ends");
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    // The project itself has a history, by which its failures are known.
    let folder = TempDir::new().expect("a folder");
    let project = "specs/failing";
    copy_files(&path.with_file_name(project), &folder.path().join(project));
    let mut command_line = ananke(&words);
    let output = command_line.current_dir(folder.path()).output();
    let output = output.expect("the program can be started");
    let printed = String::from_utf8_lossy(&output.stdout);
    let block = format!("```console\n{printed}```\n");
    if super::schema::update() {
        let text =
            format!("{before}<!-- output of `{command}` -->\n{block}<!-- end of output -->{after}");
        fs::write(&path, text).expect("the README can be written");
    } else {
        assert_eq!(
            without_wall_clock(shown),
            without_wall_clock(&block),
            "help: ANANKE_UPDATE=1 cargo test rewrites it"
        );
    }
}

/// The output of tests with several attempts in the documents is that of golden cases, without the index that only a
/// log has.
#[test]
fn the_pages_of_several_attempts_show_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (page, case, expected) in [
        ("flaky.md", "pass/retries", "$ ananke run --retries 2"),
        ("stability.md", "fail/runs", "$ ananke run --runs 6"),
    ] {
        let page = fs::read_to_string(root.join("docs").join(page)).expect("the page can be read");
        let golden = root.join("tests/cases").join(case).join("stdout");
        let golden = fs::read_to_string(golden).expect("the case can be read");
        let block = blocks(&page, "console")
            .into_iter()
            .next()
            .expect("the page shows an output");
        let (command, shown) = block
            .text
            .split_once('\n')
            .expect("the command, and what it prints");
        assert_eq!(command, expected);
        let golden = golden
            .replace("[1/2] ", "")
            .replace("[2/2] ", "")
            .replace("  [1/2]\n", "\n");
        assert_eq!(without_wall_clock(shown), without_wall_clock(&golden));
    }
}

/// The `jq` recipes of the documents are those that `tests/real/report-readers/run` runs, and the other way round.
#[test]
fn every_recipe_is_cooked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut shown = BTreeSet::new();
    for path in documents() {
        let markdown = fs::read_to_string(&path).expect("a document can be read");
        let lines = blocks(&markdown, "sh")
            .into_iter()
            .flat_map(|block| lines_of(&block.text));
        shown.extend(lines.filter(|line| line.starts_with("jq ")));
    }
    let recipes = fs::read_to_string(root.join("tests/real/report-readers/recipes.txt"))
        .expect("the recipes");
    let cooked: BTreeSet<String> = recipes
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .map(str::to_owned)
        .collect();
    assert!(shown.len() > 10);
    assert_eq!(
        shown, cooked,
        "help: ANANKE_UPDATE=1 tests/real/report-readers/run writes what a recipe prints"
    );
}

/// A block after `<!-- examples/PATH -->` is that file, and each example of a CI server is on the page about shards.
#[test]
fn the_examples_of_the_pages_are_files() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut shown = 0;
    for path in documents() {
        let page = fs::read_to_string(&path).expect("a document can be read");
        let lines: Vec<&str> = page.lines().collect();
        let mut now = page.clone();
        for (_, block) in fences(&page) {
            let before = block.line.checked_sub(2).and_then(|index| lines.get(index));
            let name =
                before.and_then(|mark| mark.strip_prefix("<!-- examples/")?.strip_suffix(" -->"));
            let Some(name) = name else { continue };
            shown += 1;
            let file = fs::read_to_string(examples.join(name)).expect("the example can be read");
            now = now.replace(&format!("\n{}```", block.text), &format!("\n{file}```"));
        }
        if super::schema::update() && page != now {
            fs::write(&path, now).expect("a document can be written");
        } else {
            assert_eq!(page, now, "help: ANANKE_UPDATE=1 cargo test rewrites it");
        }
    }
    assert!(shown > 4, "{shown} examples are shown");
    let page = fs::read_to_string(examples.join("../docs/shards.md")).expect("the page");
    for entry in fs::read_dir(examples.join("ci")).expect("the examples can be read") {
        let name = entry.expect("the examples can be read").file_name();
        let name = name.to_str().expect("names are UTF-8");
        assert!(
            page.contains(&format!("examples/ci/{name}")),
            "docs/shards.md names no {name}"
        );
    }
}

/// The last line contains the duration of the run, which always differs.
fn without_wall_clock(printed: &str) -> &str {
    printed
        .rsplit_once(" in ")
        .map_or(printed, |(text, _)| text)
}

#[test]
fn the_reference_lists_every_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference.md");
    let reference = fs::read_to_string(path).expect("the reference can be read");
    let (_, section) = reference
        .split_once("## Problems in files")
        .expect("the reference has codes");
    let (section, _) = section.split_once("\n## ").expect("the reference goes on");
    let rows = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<&str> = rows.collect();
    let real: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(listed, real);
}
