//! The documents tell the truth: every YAML block of README.md and docs/ is a complete file that loads.
//!
//! A block that shows only a part is fenced as `yaml fragment` and is left alone here.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A fenced block and where it begins.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    line: usize,
    text: String,
}

/// The blocks of `markdown` whose fence says exactly `language`.
fn blocks(markdown: &str, language: &str) -> Vec<Block> {
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
        if line.trim_start()[ticks..].trim() == language {
            found.push(Block { line: index + 1, text });
        }
    }
    found
}

/// The markdown files whose blocks must load.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).expect("docs/ can be read");
    let mut files: Vec<PathBuf> = docs.map(|entry| entry.expect("docs/ can be read").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.push(root.join("README.md"));
    files.sort();
    files
}

/// Loads a block as what it is: a project config where it has a `target`, else a test file.
fn load_block(text: &str) -> Result<(), String> {
    let value: serde_json::Value = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    match value.get("version") {
        Some(serde_json::Value::String(_)) => Ok(()),
        _ => Err("has no quoted `version`".to_owned()),
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
    }
    assert!(seen > 0, "no YAML block was found at all");
    assert!(
        problems.is_empty(),
        "{problems}help: mend the block, or fence it as `yaml fragment` if it is only a part"
    );
}

#[test]
fn no_fence_hides_a_block() {
    let fences = ["yaml", "yaml fragment", "console", "json", "rust", "sh", "text", "xml", "python"];
    for path in documents() {
        let markdown = fs::read_to_string(&path).expect("a document can be read");
        let all: usize = fences.iter().map(|fence| blocks(&markdown, fence).len()).sum();
        let lines = markdown.lines().filter(|line| line.trim_start().starts_with("```")).count();
        assert_eq!(all * 2, lines, "{}: a fence is open or says none of {fences:?}", path.display());
    }
}

#[test]
fn extracts_blocks_by_their_language() {
    let markdown = "a\n```yaml\nversion: \"1.0\"\n```\n```yaml fragment\nx: 1\n```\n- b\n  ```yaml\n  k:\n    v: 2\n\n  ```\n";
    let expected = [
        Block { line: 2, text: "version: \"1.0\"\n".to_owned() },
        Block { line: 9, text: "k:\n  v: 2\n\n".to_owned() },
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
    assert_eq!(load_block("version: \"1.0\"\nname: x\nturns: [{ user: hi }]\n"), Ok(()));
    assert!(load_block("name: x\n").is_err());
    assert!(load_block("version: 1.0\n").is_err(), "a number is no version");
    assert!(load_block("version: \"1.0\n").is_err(), "no YAML");
}
