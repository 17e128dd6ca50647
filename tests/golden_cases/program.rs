//! One run of the program in a copy of a case.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::agent;
use crate::case::{self, ANSWER, Case, REPORTS, SERVER_ANSWERS, SUMMARY};
use crate::normalise::{normalised, without_recordings, without_times};
use crate::page_outline::page_outline;
use crate::workplace::Workplace;

/// The server of every case that has answers for one.
const SERVER: &str = include_str!("server.sh");

/// How a case is run.
#[derive(Clone, Copy)]
pub(crate) enum Mode<'a> {
    Live,
    /// Recorded to this directory.
    Recorded(&'a Path),
    /// Replayed from this directory.
    Replayed(&'a Path),
}

/// What the program did, without what differs from run to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The reports that were asked for and written, by golden file.
    pub(crate) reports: BTreeMap<&'static str, String>,
    /// The snapshots that were written, changed or deleted.
    pub(crate) kept: Option<String>,
}

/// Runs a case.
pub(crate) fn run(case: &Case, mode: Mode<'_>) -> Seen {
    let workplace = Workplace::new();
    copy(&case.folder, workplace.path(), true);
    if case.folder.join(SERVER_ANSWERS).exists() {
        fs::write(workplace.path().join("server.sh"), SERVER)
            .expect("a temporary file can be written");
    }
    let mut arguments = case.arguments();
    let recording = match mode {
        Mode::Live => None,
        Mode::Recorded(folder) => Some(("--record", folder)),
        Mode::Replayed(folder) => Some(("--replay", folder)),
    };
    if let Some((flag, folder)) = recording {
        arguments.extend([flag.to_owned(), folder.display().to_string()]);
    }
    let answer = fs::read(case.folder.join(ANSWER)).ok();
    let is_timed = case.has_real_time();
    let agent = answer.map(|events| match mode {
        // No request is sent: this port would refuse it.
        Mode::Replayed(_) => "http://127.0.0.1:9/agent".to_owned(),
        Mode::Live | Mode::Recorded(_) => agent::start(events),
    });
    let here = workplace
        .path()
        .to_str()
        .expect("temporary directories have UTF-8 names");
    let mut environment = case.lines("environment");
    for line in &mut environment {
        *line = line.replace("[CASE]", here);
    }
    environment.extend(agent.map(|url| format!("AGENT={url}")));
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(&arguments)
        .current_dir(workplace.path())
        .env_clear()
        .envs(environment.iter().filter_map(|line| line.split_once('=')))
        .stdin(Stdio::null())
        .output()
        .expect("the program can be started");
    let normalised = |text: &str| {
        let text = normalised(text, workplace.path());
        let text = if is_timed {
            // What took less than a millisecond has no time.
            without_times(&text)
                .replace("  ([TIME])", "")
                .replace("([TIME], ", "(")
        } else {
            text
        };
        if recording.is_some() {
            without_recordings(&text)
        } else {
            text
        }
    };
    let read = |path: PathBuf| fs::read_to_string(path).ok().map(|text| normalised(&text));
    let report = |extension: &str| {
        let asked = |pair: &&[String]| {
            ["--junit", "-o"].contains(&&*pair[0]) && pair[1].ends_with(extension)
        };
        let text = arguments
            .windows(2)
            .find(asked)
            .and_then(|pair| read(workplace.path().join(&pair[1])));
        if extension == ".html" {
            text.map(|page| page_outline(&page))
        } else {
            text
        }
    };
    let reports = REPORTS
        .iter()
        .filter_map(|(golden, extension)| Some((*golden, report(extension)?)));
    let summary = read(workplace.path().join(SUMMARY)).map(|text| (SUMMARY, text));
    let printed = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("the program prints UTF-8");
        // A replay is not kept.
        normalised(&text).replace(" · in full: ananke show 1", "")
    };
    Seen {
        exit: output.status.code(),
        reports: reports.chain(summary).collect(),
        stdout: printed(output.stdout),
        stderr: printed(output.stderr),
        kept: changed(&snapshots(&case.folder), &snapshots(workplace.path())),
    }
}

fn copy(from: &Path, to: &Path, is_top: bool) {
    fs::create_dir_all(to).expect("a temporary directory can be made");
    for name in case::names(from) {
        let source = from.join(&name);
        // What a run by hand remembered is no part of the case.
        if is_top && (case::is_of_the_test(&name) || name == ".ananke") {
            continue;
        }
        let target = to.join(match name.as_str() {
            "_gitignore" => ".gitignore",
            "_history.jsonl" => ".ananke/history.jsonl",
            name => name,
        });
        if source.is_dir() {
            copy(&source, &target, false);
        } else {
            let folder = target.parent().expect("a file is in a directory");
            fs::create_dir_all(folder).expect("a temporary directory can be made");
            fs::copy(&source, &target).expect("a file of a case can be copied");
        }
    }
}

/// The snapshots under `folder`, by path from there.
fn snapshots(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for name in case::names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            found.extend(
                snapshots(&path)
                    .into_iter()
                    .map(|(below, text)| (Path::new(&name).join(below), text)),
            );
        } else if path
            .extension()
            .is_some_and(|extension| extension == "snap")
        {
            found.insert(
                name.into(),
                fs::read_to_string(&path).expect("a snapshot can be read"),
            );
        }
    }
    found
}

/// How the snapshots of `after` differ from those of `before`: `+` new, `~` changed, `-` deleted.
fn changed(
    before: &BTreeMap<PathBuf, String>,
    after: &BTreeMap<PathBuf, String>,
) -> Option<String> {
    let mut changes = String::new();
    for path in before
        .keys()
        .chain(after.keys().filter(|path| !before.contains_key(*path)))
    {
        let shown = path.to_str().expect("names are UTF-8").replace('\\', "/");
        let _ = match (before.get(path), after.get(path)) {
            (Some(_), None) => writeln!(changes, "- {shown}"),
            (None, Some(text)) => writeln!(changes, "+ {shown}\n{text}"),
            (Some(old), Some(text)) if old != text => writeln!(changes, "~ {shown}\n{text}"),
            _ => Ok(()),
        };
    }
    (!changes.is_empty()).then_some(changes)
}
