//! Runs a case and compares what it did with its golden files, or writes them.

use std::fmt::Write as _;
use std::fs;

use snapbox::report::{Palette, write_diff};

use crate::case::{Case, KEPT, REPORTS, SUMMARY};
use crate::messages;
use crate::outline::outline;
use crate::program::{Mode, Seen, run};
use crate::workplace::Workplace;

/// Runs a case, and returns everything that is not as it should be.
pub(crate) fn check(case: &Case) -> String {
    let seen = run(case, Mode::Live);
    let mut problems = String::new();
    if seen.exit != Some(case.class.exit) {
        let _ = writeln!(
            problems,
            "exit code {:?}, expected {}",
            seen.exit, case.class.exit
        );
    }
    if !(case.class.keeps)(&seen.stdout, &seen.stderr) {
        let _ = writeln!(problems, "expected {}", case.class.promise);
    }
    if !problems.is_empty() {
        let _ = writeln!(
            problems,
            "--- stdout\n{}--- stderr\n{}",
            seen.stdout, seen.stderr
        );
    }
    if case.is_recordable() {
        check_recording(case, &seen, &mut problems);
    }
    let reworded = messages::check(&case.title(), &[&seen.stdout, &seen.stderr]);
    if !updating() {
        problems += &reworded;
    }
    compare_printed(case, "stdout", &seen.stdout, &mut problems);
    compare_printed(case, "stderr", &seen.stderr, &mut problems);
    compare(case, KEPT, seen.kept.as_deref(), &mut problems);
    for file in REPORTS.iter().map(|(golden, _)| *golden).chain([SUMMARY]) {
        compare(
            case,
            file,
            seen.reports.get(file).map(String::as_str),
            &mut problems,
        );
    }
    if !problems.is_empty() {
        problems += "help: correct the program, or look at the difference after `ANANKE_UPDATE=1 cargo test`\n";
    }
    problems
}

/// Records a case and replays the recording: both must do the same as `live`.
fn check_recording(case: &Case, live: &Seen, problems: &mut String) {
    let recording = Workplace::new();
    for (mode, how) in [
        (Mode::Recorded(recording.path()), "recorded"),
        (Mode::Replayed(recording.path()), "replayed"),
    ] {
        let seen = run(case, mode);
        if seen != *live {
            let _ = writeln!(problems, "not the same when it is {how}");
            let text = |seen: &Seen| format!("{seen:#?}").replace("\\n", "\n");
            difference(problems, &text(live), &text(&seen), "live", how);
        }
    }
}

/// Compares what was printed: the whole text where the case has it (an empty file asks for it) or where the outline is
/// empty, and else the outline.
fn compare_printed(case: &Case, stream: &str, text: &str, problems: &mut String) {
    let outlined = outline(text);
    let is_whole = case.folder.join(stream).exists() || outlined.trim().is_empty();
    let printed = (!text.is_empty()).then_some(text);
    compare(case, stream, printed.filter(|_| is_whole), problems);
    let outlined = printed.map(|_| &*outlined).filter(|_| !is_whole);
    compare(case, &format!("{stream}.outline"), outlined, problems);
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
            None => fs::remove_file(&path).expect("a golden file can be deleted"),
        }
        return;
    }
    match (golden, seen) {
        (None, _) => {
            let _ = writeln!(problems, "{file}: there is no such golden file");
        }
        (_, None) => {
            let _ = writeln!(problems, "{file}: the program does not write it");
        }
        (Some(golden), Some(seen)) => difference(problems, &golden, seen, file, "the program"),
    }
}

fn difference(
    problems: &mut String,
    before: &str,
    after: &str,
    before_name: &str,
    after_name: &str,
) {
    let _ = write_diff(
        problems,
        &before.into(),
        &after.into(),
        Some(&before_name),
        Some(&after_name),
        Palette::plain(),
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "a switch of the test run, not of the program"
)]
pub(crate) fn updating() -> bool {
    std::env::var_os("ANANKE_UPDATE").is_some_and(|value| value == "1")
}
