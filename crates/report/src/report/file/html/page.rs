//! The beginning of the page: the verdict, the counts and the facts of the run.

use std::io::{self, Write};

use indexmap::IndexSet;

use super::assets::{SCRIPT, STYLE, policy};
use super::page_parts::words;
use super::{markup, view::KindCounts};
use crate::report::document::counted;
use crate::report::words::links::push_part;
use crate::report::words::run_facts::RunFact;
use crate::run_document::{CauseView, SpecimenView, SummaryLine, WarningView};
use ananke_base::context::iso8601;
use ananke_base::text::{duration, grouped};
use ananke_trace::outcome::JudgedTotals;
use ananke_trace::process::in_one_line;

/// The number of warnings of the run that are shown.
const MOST_WARNINGS: usize = 20;

/// The number of causes that are shown.
const MOST_CAUSES: usize = 50;

/// The verdict, the facts and the causes.
pub(super) fn head(
    out: &mut impl Write,
    summary: &SummaryLine,
    (kinds, targets): (&KindCounts, &IndexSet<String>),
    made_with: &[RunFact],
) -> io::Result<()> {
    let verdict = capital(&markup::line(&summary.reason));
    let icon = "<link rel=\"icon\" href=\"data:,\">";
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"ananke\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{verdict} · ananke</title>\n{icon}\n<style>{STYLE}</style>\n</head>\n<body>\n",
        policy(STYLE, SCRIPT)
    )?;
    let mood = match summary.exit_code {
        Some(0) => "passed",
        Some(1) => "failed",
        _ => "stopped",
    };
    write!(
        out,
        "<header class=\"summary {mood}\">\n<p class=\"program\">ananke</p>\n<h1>{verdict}</h1>\n{}<ul class=\"counts\" id=\"counts\">\n",
        share(summary, kinds)
    )?;
    for (count, word) in kinds.present() {
        let (count, shown) = (grouped(count), word.replace('_', " "));
        writeln!(out, "<li class=\"{word}\"><b>{count}</b> {shown}</li>")?;
    }
    out.write_all(b"</ul>\n<dl class=\"facts\">\n")?;
    facts(out, summary, targets)?;
    run_facts(out, made_with)?;
    out.write_all(b"</dl>\n</header>\n")?;
    causes(out, summary.causes.as_deref().unwrap_or_default())
}

/// The beginning of the list of tests.
pub(super) fn open_main(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"<main id=\"main\" aria-label=\"Tests\">\n")
}

/// The part between the list and the turns of the tests, so that the list is shown before those are read.
pub(super) fn script(out: &mut impl Write) -> io::Result<()> {
    write!(out, "</main>\n<script>{SCRIPT}</script>\n")
}

/// The end of the page.
pub(super) const FOOT: &[u8] = b"</body>\n</html>\n";

fn facts(
    out: &mut impl Write,
    summary: &SummaryLine,
    targets: &IndexSet<String>,
) -> io::Result<()> {
    let [total, selected] = [summary.total, summary.selected].map(grouped);
    let tests = if total == selected {
        total
    } else {
        format!("{total} of {selected}")
    };
    fact(out, "Tests", &tests)?;
    fact(out, "Turns", &grouped(summary.total_turns))?;
    if let Some(judged) = judged(summary) {
        fact(out, "Judged by agents", &judged)?;
    }
    if let Some(flips) = &summary.flips {
        let (flipped, compared) = (flips.flipped, flips.compared);
        let flips = format!("{flipped} of {compared} ({}%)", flips.flip_rate);
        fact(out, "Flipped", &flips)?;
    }
    if let Some(took) = summary.duration_ms {
        let took = duration::rounded(took.0);
        let took = format!("<time>{}</time>", markup::line(&took));
        fact(out, "Duration", &took)?;
    }
    warnings(out, summary.warnings.as_deref().unwrap_or_default())?;
    let started = iso8601(summary.started);
    let shown = format!("{} {} UTC", &started[..10], &started[11..16]);
    let started = format!("<time datetime=\"{started}\">{shown}</time>");
    fact(out, "Started", &started)?;
    let names: Vec<String> = targets
        .iter()
        .map(|target| format!("<bdi>{}</bdi>", markup::line(target)))
        .collect();
    match names.len() {
        0 => {}
        1 => fact(out, "Target", &names[0])?,
        _ => fact(out, "Targets", &names.join(", "))?,
    }
    let code = summary.exit_code.map(|code| code.to_string());
    fact(out, "Exit code", code.as_deref().unwrap_or("none"))
}

/// The causes, each with the number of its tests and a link to the first of them.
fn causes(out: &mut impl Write, causes: &[CauseView<'_>]) -> io::Result<()> {
    if causes.is_empty() {
        return Ok(());
    }
    let heading = counted(causes.len(), "cause");
    writeln!(
        out,
        "<section class=\"causes\" aria-label=\"Causes\">\n<h2>{heading}</h2>\n<ol>"
    )?;
    for cause in causes.iter().take(MOST_CAUSES) {
        let SpecimenView { id, file, line } = &cause.specimen;
        let mut address = "#test=".to_owned();
        push_part(&mut address, id);
        writeln!(
            out,
            "<li><a href=\"{address}\">{}</a> <span class=\"facts\">{}, <bdi>{}</bdi></span></li>",
            words(&in_one_line(&cause.sentence)),
            counted(cause.tests, "test"),
            markup::line(&format!("{file}:{line}")),
        )?;
    }
    out.write_all(b"</ol>\n")?;
    if causes.len() > MOST_CAUSES {
        let more = counted(causes.len() - MOST_CAUSES, "more cause");
        writeln!(out, "<p class=\"note\">… and {more}</p>")?;
    }
    out.write_all(b"</section>\n")
}

/// A name and its value, which is markup.
fn fact(out: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>")
}

fn warnings(out: &mut impl Write, warnings: &[WarningView]) -> io::Result<()> {
    for WarningView {
        message,
        help,
        file,
        line,
        ..
    } in warnings.iter().take(MOST_WARNINGS)
    {
        let text = markup::line(&format!("{message}: {help}"));
        let file = markup::line(file);
        fact(out, "Warning", &format!("<bdi>{file}</bdi>:{line}: {text}"))?;
    }
    match warnings.len().saturating_sub(MOST_WARNINGS) {
        0 => Ok(()),
        more => fact(out, "Warning", &format!("and {more} more")),
    }
}

/// Writes the facts of the run, its duration and its tokens. The targets of its tests are listed already.
fn run_facts(out: &mut impl Write, facts: &[RunFact]) -> io::Result<()> {
    for known in facts.iter().filter(|fact| fact.name != "target") {
        // The name of the program has no capital.
        let heading = match known.name {
            "ananke" => known.name.to_owned(),
            name => capital(name),
        };
        let value = markup::line(&known.value);
        let value = match known.link() {
            Some(link) => format!(
                "<a href=\"{}\" rel=\"noreferrer\">{value}</a>",
                markup::line(link)
            ),
            None => format!("<bdi>{value}</bdi>"),
        };
        fact(out, &heading, &value)?;
    }
    Ok(())
}

/// The number of tests that judges decided, and their decisions; `None` if no test asks a judge.
fn judged(summary: &SummaryLine) -> Option<String> {
    let JudgedTotals {
        passed,
        failed,
        error,
        not_asked,
    } = summary.judged.as_ref()?;
    let counts = [
        (passed, "passed"),
        (failed, "failed"),
        (error, "without a verdict"),
        (not_asked, "not asked"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| **count > 0);
    Some(
        counts
            .map(|(count, word)| format!("{count} {word}"))
            .collect::<Vec<_>>()
            .join(", "),
    )
}

/// The counts as parts of a line.
fn share(summary: &SummaryLine, kinds: &KindCounts) -> String {
    if summary.total == 0 {
        return String::new();
    }
    let mut parts = String::new();
    let mut before = 0;
    for (count, word) in kinds.present() {
        let rectangle =
            format!("<rect class=\"{word}\" x=\"{before}\" width=\"{count}\" height=\"1\"/>");
        parts.push_str(&rectangle);
        before += count;
    }
    let total = summary.total;
    format!(
        "<svg class=\"share\" viewBox=\"0 0 {total} 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{parts}</svg>\n"
    )
}

/// `text` as a heading begins.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
