//! The beginning of the page: the verdict, the counts and the facts of the run.

use std::io::{self, Write};

use indexmap::IndexSet;

use super::assets::{SCRIPT, STYLE, policy};
use super::{markup, view::KindCounts};
use crate::report::words::run_facts::RunFact;
use crate::run_document::{SummaryLine, WarningView};
use ananke_base::context::iso8601;
use ananke_base::text::{duration, grouped};
use ananke_trace::outcome::JudgedTotals;

/// The number of warnings of the run that are shown.
const MOST_WARNINGS: usize = 20;

/// Everything above the tests.
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
    out.write_all(b"</dl>\n</header>\n<main id=\"main\" aria-label=\"Tests\">\n")
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
    let mut fact =
        |name: &str, value: &str| writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    let run = if summary.total == summary.selected {
        grouped(summary.total)
    } else {
        format!(
            "{} of {}",
            grouped(summary.total),
            grouped(summary.selected)
        )
    };
    fact("Tests", &run)?;
    fact("Turns", &grouped(summary.total_turns))?;
    if let Some(judged) = judged(summary) {
        fact("Judged by agents", &judged)?;
    }
    if let Some(flips) = &summary.flips {
        fact(
            "Flipped",
            &format!(
                "{} of {} ({}%)",
                flips.flipped, flips.compared, flips.flip_rate
            ),
        )?;
    }
    if let Some(took) = summary.duration_ms {
        let took = duration::rounded(took.0);
        fact("Duration", &format!("<time>{}</time>", markup::line(&took)))?;
    }
    let warnings = summary.warnings.as_deref().unwrap_or_default();
    for WarningView {
        message,
        help,
        file,
        line,
        ..
    } in warnings.iter().take(MOST_WARNINGS)
    {
        let text = markup::line(&format!("{message}: {help}"));
        fact(
            "Warning",
            &format!("<bdi>{}</bdi>:{line}: {text}", markup::line(file)),
        )?;
    }
    if let Some(more) = warnings
        .len()
        .checked_sub(MOST_WARNINGS)
        .filter(|more| *more > 0)
    {
        fact("Warning", &format!("and {more} more"))?;
    }
    let started = iso8601(summary.started);
    let shown = format!("{} {} UTC", &started[..10], &started[11..16]);
    fact(
        "Started",
        &format!("<time datetime=\"{started}\">{shown}</time>"),
    )?;
    if !targets.is_empty() {
        let names: Vec<String> = targets
            .iter()
            .map(|target| format!("<bdi>{}</bdi>", markup::line(target)))
            .collect();
        fact(
            if names.len() == 1 {
                "Target"
            } else {
                "Targets"
            },
            &names.join(", "),
        )?;
    }
    fact(
        "Exit code",
        &summary
            .exit_code
            .map_or_else(|| "none".to_owned(), |code| code.to_string()),
    )
}

/// Writes the facts of the run, its duration and its tokens. The targets of its tests are listed already.
fn run_facts(out: &mut impl Write, facts: &[RunFact]) -> io::Result<()> {
    for fact in facts.iter().filter(|fact| fact.name != "target") {
        // The name of the program has no capital.
        let heading = match fact.name {
            "ananke" => fact.name.to_owned(),
            name => capital(name),
        };
        let value = markup::line(&fact.value);
        let value = match fact.link() {
            Some(link) => format!(
                "<a href=\"{}\" rel=\"noreferrer\">{value}</a>",
                markup::line(link)
            ),
            None => format!("<bdi>{value}</bdi>"),
        };
        writeln!(out, "<div><dt>{heading}</dt><dd>{value}</dd></div>")?;
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
