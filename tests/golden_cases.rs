//! The program from outside: every folder below `tests/cases/CLASS/` is copied to a fresh place and run there, and what
//! it prints, returns and writes is compared with the files beside its input. `ANANKE_UPDATE=1 cargo test` writes them.
//!
//! A case folder holds a small project, and beside it, if it needs them, `arguments` (one a line; without it `run`)
//! and `environment` (`NAME=value` a line; nothing else is set). Where it holds `answer.sse`, an agent answers every
//! request with that, and `AGENT` is its address. Its golden files are `exit`, `stdout` and `stderr`
//! (where something is printed there), `junit.xml`, `report.json` and the others of [`REPORTS`] (where the arguments ask
//! for one; of an HTML page without its own style and script), `summary.md` (where the environment says that GitHub would
//! show it; `[CASE]` there is the fresh place), and
//! `kept` (where the run wrote or deleted snapshots: which ones, and what they say). A file `_gitignore` is copied as
//! `.gitignore`, which would keep git from storing what it names, and `_last-run.json` as what the project remembers of
//! its last run. A CLASS says what must be true of all its cases. Cases that run tests are run twice more, once recorded
//! and once played, and must print and write the same; a file `live-only` says why one cannot be.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use ananke::report::last_run::LAST_RUN;
use regex::{Captures, Regex};
use snapbox::report::{Palette, write_diff};
use tokio::runtime::Runtime;

use crate::support::raw_agent::{RawAgent, Step};

/// Files that the runner itself reads or compares; everything else is the project under test.
const GOLDEN: [&str; 5] = ["exit", "stdout", "stderr", SUMMARY, "kept"];
/// The golden files of reports, and how the files end that they are read from.
const REPORTS: [(&str, &str); 6] = [
    ("junit.xml", ".xml"),
    ("report.json", ".json"),
    ("report.jsonl", ".jsonl"),
    ("report.md", ".md"),
    ("report.tap", ".tap"),
    ("report.html", ".html"),
];
/// What GitHub would show with a job.
const SUMMARY: &str = "summary.md";
const INPUT: [&str; 4] = ["arguments", "environment", ANSWER, LIVE_ONLY];
const LIVE_ONLY: &str = "live-only";
const ANSWER: &str = "answer.sse";

/// What a folder of cases is about.
#[derive(Clone, Copy, Debug)]
struct Class {
    name: &'static str,
    /// The exit code of every case.
    exit: i32,
    /// What must be true of the output, in words and as code.
    promise: &'static str,
    keeps: fn(stdout: &str, stderr: &str) -> bool,
}

const CLASSES: [Class; 4] = [
    Class {
        name: "pass",
        exit: 0,
        promise: "no error on standard error",
        keeps: |_, stderr| !has_errors(stderr),
    },
    Class {
        name: "fail",
        exit: 1,
        promise: "tests ran, what failed is said, and standard error is silent",
        keeps: |stdout, stderr| {
            let words = ["failed", "error", "timeout", "fails the run"];
            words.iter().any(|word| stdout.contains(word)) && stderr.is_empty()
        },
    },
    Class {
        name: "broken",
        exit: 1,
        promise: "errors on standard error, and nothing ran",
        keeps: |stdout, stderr| stdout.is_empty() && has_errors(stderr),
    },
    Class {
        name: "usage",
        exit: 2,
        promise: "an error on standard error, and nothing ran",
        keeps: |stdout, stderr| stdout.is_empty() && has_errors(stderr),
    },
];

/// Whether a line begins with `error`, coloured or not.
fn has_errors(stderr: &str) -> bool {
    static ERROR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^(?:\x1b\[[0-9;]*m)*error\b").expect("the pattern is sound"));
    ERROR.is_match(stderr)
}

/// One folder of a class.
#[derive(Debug)]
struct Case {
    class: Class,
    name: String,
    folder: PathBuf,
}

/// What the program did, with everything replaced that no two runs have in common.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    exit: Option<i32>,
    stdout: String,
    stderr: String,
    /// The reports by their golden files, where the arguments ask for them and they were written.
    reports: BTreeMap<&'static str, String>,
    /// What became of the snapshots, where anything did.
    kept: Option<String>,
}

/// Whether the program writes a file of this name, or the runner compares with it.
fn is_golden(name: &str) -> bool {
    GOLDEN.contains(&name) || REPORTS.iter().any(|(golden, _)| *golden == name)
}

/// A folder outside of the repository, so that no config above it is found; removed when it goes.
struct Workplace(PathBuf);

impl Workplace {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = std::env::temp_dir().canonicalize().expect("there is a folder for temporary files");
        let folder = temporary.join(format!("ananke-case-{}-{number}", std::process::id()));
        // What a killed run of the same process id left behind.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a temporary folder can be made");
        Self(folder)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

#[expect(clippy::disallowed_methods, reason = "a switch of the test run, not of the program")]
fn updating() -> bool {
    std::env::var_os("ANANKE_UPDATE").is_some_and(|value| value == "1")
}

/// The names in `folder`, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("a folder of cases can be read").file_name().into_string().expect("names are UTF-8")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// Every case, and what is wrong with the folders they stand in.
fn cases(root: &Path) -> (Vec<Case>, Vec<String>) {
    let (mut cases, mut problems) = (Vec::new(), Vec::new());
    for class_name in names(root) {
        let Some(class) = CLASSES.into_iter().find(|class| class.name == class_name) else {
            problems.push(format!("{class_name}: no class of cases, they are {:?}", CLASSES.map(|c| c.name)));
            continue;
        };
        for name in names(&root.join(&class_name)) {
            let folder = root.join(&class_name).join(&name);
            if !folder.is_dir() {
                problems.push(format!("{class_name}/{name}: a file that belongs to no case"));
            } else if names(&folder).iter().all(|file| is_golden(file)) {
                problems.push(format!("{class_name}/{name}: golden files without a case"));
            } else {
                cases.push(Case { class, name, folder });
            }
        }
    }
    (cases, problems)
}

fn copy(from: &Path, to: &Path, is_top: bool) {
    fs::create_dir_all(to).expect("a temporary folder can be made");
    for name in names(from) {
        let source = from.join(&name);
        if is_top && (is_golden(&name) || INPUT.contains(&name.as_str())) {
            continue;
        }
        let target = to.join(match name.as_str() {
            "_gitignore" => ".gitignore",
            "_last-run.json" => LAST_RUN,
            name => name,
        });
        if source.is_dir() {
            copy(&source, &target, false);
        } else {
            let folder = target.parent().expect("a file is in a folder");
            fs::create_dir_all(folder).expect("a temporary folder can be made");
            fs::copy(&source, &target).expect("a file of a case can be copied");
        }
    }
}

/// The snapshots below `folder`, by path from there.
fn snapshots(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for name in names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            found.extend(
                snapshots(&path).into_iter().map(|(below, text)| (Path::new(&name).join(below), text)),
            );
        } else if path.extension().is_some_and(|extension| extension == "snap") {
            found.insert(name.into(), fs::read_to_string(&path).expect("a snapshot can be read"));
        }
    }
    found
}

/// How the snapshots of `after` are others than those of `before`: `+` new, `~` changed, `-` gone.
fn changed(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>) -> Option<String> {
    let mut told = String::new();
    for path in before.keys().chain(after.keys().filter(|path| !before.contains_key(*path))) {
        let shown = path.to_str().expect("names are UTF-8").replace('\\', "/");
        let _ = match (before.get(path), after.get(path)) {
            (Some(_), None) => writeln!(told, "- {shown}"),
            (None, Some(text)) => writeln!(told, "+ {shown}\n{text}"),
            (Some(old), Some(text)) if old != text => writeln!(told, "~ {shown}\n{text}"),
            _ => Ok(()),
        };
    }
    (!told.is_empty()).then_some(told)
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// How many requests of a case are answered.
const ANSWERS: usize = 16;

/// An agent that answers as the case says, and what keeps it running.
fn agent(case: &Case) -> Option<(RawAgent, Runtime)> {
    let body = fs::read(case.folder.join(ANSWER)).ok()?;
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let script = vec![Step::Expect, Step::Send([head, &*body].concat())];
    let runtime = Runtime::new().expect("a runtime can be started");
    Some((runtime.block_on(RawAgent::start(vec![script; ANSWERS])), runtime))
}

/// What is done with recordings: their folder, and whether they are played.
#[derive(Clone, Copy)]
struct Kept<'a> {
    folder: &'a Path,
    is_played: bool,
}

fn arguments(case: &Case) -> Vec<String> {
    let mut arguments = lines(&case.folder.join("arguments"));
    if arguments.is_empty() {
        arguments.push("run".to_owned());
    }
    arguments
}

fn run(case: &Case, kept: Option<Kept<'_>>) -> Seen {
    let workplace = Workplace::new();
    copy(&case.folder, &workplace.0, true);
    let mut arguments = arguments(case);
    if let Some(Kept { folder, is_played }) = kept {
        let flag = if is_played { "--replay" } else { "--record" };
        arguments.extend([flag.to_owned(), folder.display().to_string()]);
    }
    let here = workplace.0.to_str().expect("temporary folders have UTF-8 names");
    let mut environment = lines(&case.folder.join("environment"));
    for line in &mut environment {
        *line = line.replace("[CASE]", here);
    }
    let is_live = kept.is_none_or(|kept| !kept.is_played);
    let agent = agent(case).filter(|_| is_live);
    environment.extend(agent.iter().map(|(agent, _)| format!("AGENT={}", agent.url())));
    let is_timed = case.folder.join(ANSWER).exists();
    if is_timed && !is_live {
        // Nobody answers there.
        environment.push("AGENT=http://127.0.0.1:9/".to_owned());
    }
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(&arguments)
        .current_dir(&workplace.0)
        .env_clear()
        .envs(environment.iter().filter_map(|line| line.split_once('=')))
        .stdin(Stdio::null())
        .output()
        .expect("the program can be started");
    let normalised = |text: &str| {
        let text = normalised(text, &workplace.0);
        let text = if is_timed { without_times(&text) } else { text };
        if kept.is_some() { without_recordings(&text) } else { text }
    };
    let read = |path: PathBuf| fs::read_to_string(path).ok().map(|text| normalised(&text));
    let report = |ending: &str| {
        let asked = |pair: &&[String]| ["--junit", "-o"].contains(&&*pair[0]) && pair[1].ends_with(ending);
        arguments.windows(2).find(asked).and_then(|pair| read(workplace.0.join(&pair[1])))
    };
    let report = |ending: &str| match ending {
        ".html" => report(ending).map(|page| without_assets(&page)),
        _ => report(ending),
    };
    let reports = REPORTS.iter().filter_map(|(golden, ending)| Some((*golden, report(ending)?)));
    let summary = read(workplace.0.join(SUMMARY)).map(|text| (SUMMARY, text));
    let reports = reports.chain(summary).collect();
    let printed = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("the program prints UTF-8");
        normalised(&text)
    };
    Seen {
        exit: output.status.code(),
        stdout: printed(output.stdout),
        stderr: printed(output.stderr),
        reports,
        kept: changed(&snapshots(&case.folder), &snapshots(&workplace.0)),
    }
}

/// `text` without what differs from run to run: the wall-clock time of the summary, time stamps, generated ids and the
/// folder the case ran in. The times of the agent are virtual and stay.
pub(crate) fn normalised(text: &str, workplace: &Path) -> String {
    static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m)(?P<elapsed>(?:passed|failed|errors?|timeouts?|skipped|tests?|flaky\)|quarantined)(?:\x1b\[[0-9;]*m)* in )",
            r"(?:<?[\d.]+ (?:ms|s|min|h) ?)+$?",
            r#"|(?P<total><testsuites [^>]*? time=")[^"]*"#,
            r#"|(?P<stamp>timestamp=")[^"]*"#,
            r#"|(?P<moment>"(?:started|ended|timestamp)":)(?:\d+|"[^"]*")"#,
            r"|(?P<shown><time[^>]*>)[^<]*",
            r#"|"duration_ms":[\d.]+(?P<whole>,"exit_code":)"#,
            // In a pattern a variable is escaped.
            r"|(?P<id>\b[0-9a-f]{8}\\?-[0-9a-f]{4}\\?-4[0-9a-f]{3}\\?-[89ab][0-9a-f]{3}\\?-[0-9a-f]{12}\b)",
        ))
        .expect("the pattern is sound")
    });
    let here = text.replace(workplace.to_str().expect("temporary folders have UTF-8 names"), "[CASE]");
    let replaced = CHANGING.replace_all(&here, |found: &Captures<'_>| {
        let after = |name: &str, mark: &str| Some(format!("{}{mark}", found.name(name)?.as_str()));
        let elapsed = ["elapsed", "total"].iter().find_map(|name| after(name, "[ELAPSED]"));
        let whole = || Some(format!("\"duration_ms\":[ELAPSED]{}", found.name("whole")?.as_str()));
        let now = || ["stamp", "moment"].iter().find_map(|name| after(name, "[NOW]"));
        let shown = || found.name("shown").map(|_| "<time>[NOW]".to_owned());
        elapsed.or_else(now).or_else(shown).or_else(whole).unwrap_or_else(|| "[UUID]".to_owned())
    });
    replaced.into_owned()
}

/// A page without its own style and script, and how a browser knows them: those are files of the repository.
pub(crate) fn without_assets(page: &str) -> String {
    static ASSETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?s)(?P<tag><style>|<script>)[^<].*?</|(?P<sha>sha256-)[A-Za-z0-9+/=]+")
            .expect("the pattern is sound")
    });
    let cut = |found: &Captures<'_>| {
        found.name("tag").map_or_else(|| "sha256-…".to_owned(), |tag| format!("{}…</", tag.as_str()))
    };
    ASSETS.replace_all(page, cut).into_owned()
}

/// `text` without the times of an agent that is a process of its own.
fn without_times(text: &str) -> String {
    static TIMES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?P<before>\b(?:time="|duration_ms":))[\d.]+|(?:<|&lt;)?\b\d[\d.]* (?:ms|s)\b"#)
            .expect("the pattern is sound")
    });
    TIMES.replace_all(text, "${before}[TIME]").into_owned()
}

/// `text` without the names of recordings, which a run that is neither recorded nor played has none of.
fn without_recordings(text: &str) -> String {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r#",?"recording":"[^"]*""#,
            r#"|\n *<property name="recording"[^>]*>"#,
            r"|\n *<system-out>\n(?:\[\[ATTACHMENT[^\n]*\n)+</system-out>",
            r"|\[\[ATTACHMENT[^\n]*\n",
            r"|(?m)^recording: .*\n",
        ))
        .expect("the pattern is sound")
    });
    NAMES.replace_all(text, "").into_owned()
}

/// Compares one golden file with what was seen, or writes it; `None` means that there must be none.
fn compare(case: &Case, file: &str, seen: Option<&str>, problems: &mut String) {
    let path = case.folder.join(file);
    let golden = fs::read_to_string(&path).ok();
    if golden.as_deref() == seen {
        return;
    }
    if updating() {
        match seen {
            Some(text) => fs::write(&path, text).expect("a golden file can be written"),
            None => fs::remove_file(&path).expect("a golden file can be removed"),
        }
        return;
    }
    let name = format!("{}/{}/{file}", case.class.name, case.name);
    match (golden, seen) {
        (None, _) => {
            let _ = writeln!(problems, "{name}: there is no such golden file");
        }
        (_, None) => {
            let _ = writeln!(problems, "{name}: a golden file of what the program does not write");
        }
        (Some(golden), Some(seen)) => {
            let _ = write_diff(
                problems,
                &golden.as_str().into(),
                &seen.into(),
                Some(&name),
                Some(&"the program"),
                Palette::plain(),
            );
        }
    }
}

/// Whether a case runs tests, so that they can be recorded.
fn is_recordable(case: &Case) -> bool {
    let arguments = arguments(case);
    let runs = ["run", "test"].contains(&&*arguments[0]) && ["pass", "fail"].contains(&case.class.name);
    let may_be = runs && !case.folder.join(LIVE_ONLY).exists();
    may_be && !arguments.iter().any(|argument| ["--dry-run", "--record", "--replay"].contains(&&**argument))
}

/// Records a case and plays the recording, and says what is not the same both times as in the run before.
fn check_recording(case: &Case, live: &Seen) -> String {
    let kept = Workplace::new();
    let mut problems = String::new();
    for is_played in [false, true] {
        let seen = run(case, Some(Kept { folder: &kept.0, is_played }));
        if seen != *live {
            let how = if is_played { "replayed" } else { "recorded" };
            let (class, name) = (case.class.name, &case.name);
            let _ = writeln!(problems, "{class}/{name}: not the same when it is {how}");
            let _ = write_diff(
                &mut problems,
                &format!("{live:#?}").replace("\\n", "\n").into(),
                &format!("{seen:#?}").replace("\\n", "\n").into(),
                Some(&"live"),
                Some(&how),
                Palette::plain(),
            );
        }
    }
    problems
}

/// Runs a case and says everything that is not as it should be.
fn check(case: &Case) -> String {
    let seen = run(case, None);
    let mut problems = String::new();
    let Class { name: class, exit, promise, keeps } = case.class;
    let said = |text: &str| if text.is_empty() { None } else { Some(text.to_owned()) };
    if seen.exit != Some(exit) {
        let _ = writeln!(problems, "{class}/{}: exit code {:?}, expected {exit}", case.name, seen.exit);
    }
    if !keeps(&seen.stdout, &seen.stderr) {
        let _ = writeln!(problems, "{class}/{}: expected {promise}", case.name);
    }
    if !problems.is_empty() {
        let _ = writeln!(problems, "--- stdout\n{}--- stderr\n{}", seen.stdout, seen.stderr);
    }
    if is_recordable(case) {
        problems += &check_recording(case, &seen);
    }
    let code = seen.exit.map_or_else(|| "a signal\n".to_owned(), |code| format!("{code}\n"));
    let of_reports = REPORTS.iter().map(|(golden, _)| *golden).chain([SUMMARY]);
    let of_reports = of_reports.map(|golden| (golden, seen.reports.get(golden).cloned()));
    let printed = [
        ("exit", Some(code)),
        ("stdout", said(&seen.stdout)),
        ("stderr", said(&seen.stderr)),
        ("kept", seen.kept.clone()),
    ];
    for (file, text) in printed.into_iter().chain(of_reports) {
        compare(case, file, text.as_deref(), &mut problems);
    }
    problems
}

#[test]
fn every_case_does_what_its_golden_files_say() {
    let (cases, problems) = cases(&root());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problems = check(case);
                    if !problems.is_empty() {
                        found.lock().unwrap_or_else(PoisonError::into_inner).push(problems);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort();
    assert!(
        found.is_empty(),
        "{} of {} cases differ\nhelp: mend the program, or look at the difference after `ANANKE_UPDATE=1 cargo test`\n\n{}",
        found.len(),
        cases.len(),
        found.join("\n")
    );
}

#[test]
fn only_what_must_change_is_replaced() {
    let place = Path::new("/tmp/ananke-case-1-2");
    for (text, expected) in [
        ("2 tests: 1 passed, 1 failed in 17 ms", "2 tests: 1 passed, 1 failed in [ELAPSED]"),
        ("1 test: 1 passed in 1.2 s\n", "1 test: 1 passed in [ELAPSED]\n"),
        (
            "\u{1b}[32m1 passed\u{1b}[0m\u{1b}[2m in <1 ms\u{1b}[0m",
            "\u{1b}[32m1 passed\u{1b}[0m\u{1b}[2m in [ELAPSED]\u{1b}[0m",
        ),
        ("1 test: 1 passed in 2 min 5 s\n", "1 test: 1 passed in [ELAPSED]\n"),
        ("1 test: 1 passed (1 flaky) in 2 ms\n", "1 test: 1 passed (1 flaky) in [ELAPSED]\n"),
        ("1 test: 1 quarantined in 2 ms\n", "1 test: 1 quarantined in [ELAPSED]\n"),
        (
            "\"started\":\"2026-11-22T08:54:19.868Z\" <time datetime=\"2026\">2026</time> <time>3 ms</time>",
            "\"started\":[NOW] <time>[NOW]</time> <time>[NOW]</time>",
        ),
        ("took 500 ms, after 30s", "took 500 ms, after 30s"),
        ("time=\"0.5\" timestamp=\"2026-11-21T22:08:00.123Z\"", "time=\"0.5\" timestamp=\"[NOW]\""),
        (
            "<testsuites tests=\"1\" time=\"0.002\">\n<testsuite time=\"1.5\">",
            "<testsuites tests=\"1\" time=\"[ELAPSED]\">\n<testsuite time=\"1.5\">",
        ),
        (
            r#"{"started":1795298880123,"duration_ms":1.5,"timestamp":1}"#,
            r#"{"started":[NOW],"duration_ms":1.5,"timestamp":[NOW]}"#,
        ),
        (
            r#"{"type":"summary","total":2,"started":17,"duration_ms":1.5,"exit_code":0}"#,
            r#"{"type":"summary","total":2,"started":[NOW],"duration_ms":[ELAPSED],"exit_code":0}"#,
        ),
        ("cart 0f8fad5b-d9cb-469f-a165-70867728950e!", "cart [UUID]!"),
        ("in `/tmp/ananke-case-1-2/a` or", "in `[CASE]/a` or"),
    ] {
        assert_eq!(normalised(text, place), expected);
    }
}

#[test]
fn only_times_are_no_times() {
    for (text, expected) in [
        ("  ✓ pay  <1 ms", "  ✓ pay  [TIME]"),
        ("turn 1 of 1  passed  &lt;1 ms", "turn 1 of 1  passed  [TIME]"),
        ("(at 12 ms, took 1.5 s)", "(at [TIME], took [TIME])"),
        ("1 turn not run, timeout after 30s", "1 turn not run, timeout after 30s"),
        (r#"time="0.012" "duration_ms":1.5,"#, r#"time="[TIME]" "duration_ms":[TIME],"#),
    ] {
        assert_eq!(without_times(text), expected);
    }
}

#[test]
fn stray_files_and_cases_without_a_project_are_noticed() {
    let workplace = Workplace::new();
    let make = |path: &str| {
        let path = workplace.0.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder can be made");
        fs::write(path, "").expect("a file can be written");
    };
    make("pass/good/arguments");
    make("pass/left-behind/stdout");
    make("pass/stray");
    make("unknown/case/arguments");
    let (cases, problems) = cases(&workplace.0);
    assert_eq!(cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["good"]);
    assert_eq!(problems.len(), 3, "{problems:?}");
}
