//! The agent completed no answer to the first tests: where the config says where it is, and what to do.

use anstyle::Style;

use super::listing::bounded;
use crate::report::layout::{Page, Palette, mark};
use ananke_base::diagnostic::Place;
use ananke_base::text::{escape, truncate};
use ananke_trace::outcome::{AgentHost, NoAnswer, Status};

/// The most characters of the line of the config.
const LONGEST_LINE: usize = 200;

/// The block for people.
pub(super) fn no_answer(found: &NoAnswer, palette: &Palette, width: Option<usize>) -> String {
    let NoAnswer {
        tests,
        begins,
        place: Place { file, line, column },
        line: written,
        stops,
        ..
    } = found;
    let mut page = Page::of_width(width);
    page.put(palette.failed, mark(Status::Error));
    page.space(1);
    page.hang();
    let (end, keep_going) = if *stops {
        (
            ", and no further test is sent",
            Some("`--keep-going` sends all tests nevertheless"),
        )
    } else {
        ("", None)
    };
    let answered = if *begins {
        "completed no answer to"
    } else {
        "answered none of"
    };
    page.line(
        palette.failed,
        &format!("the agent {answered} the first {tests} tests{end}"),
    );
    page.space(2);
    page.hang();
    let place = bounded(&format!("{file}:{line}:{column}"));
    page.put(palette.faint, &escape::line(&place));
    page.space(2);
    let written = truncate::chars(written, LONGEST_LINE);
    page.line(Style::new(), &escape::line(&written));
    let start = remedy(found);
    for help in [Some(start.as_str()), keep_going].into_iter().flatten() {
        page.space(2);
        page.hang();
        page.line(Style::new(), &escape::line(help));
    }
    page.into_text()
}

/// The steps after which the agent may answer.
fn remedy(found: &NoAnswer) -> String {
    let NoAnswer {
        begins,
        agent,
        servers,
        ..
    } = found;
    let servers: Vec<String> = servers
        .iter()
        .map(|server| format!("`{}`", bounded(server)))
        .collect();
    if *agent == AgentHost::TestProcess {
        "`ananke run` has no such agent: run its tests with pytest, vitest or node:test, as docs/connect.md shows".to_owned()
    } else if *begins {
        "its first events come, and then nothing: restart it if it hangs, or raise `timeout_ms` if it needs longer"
            .to_owned()
    } else if *agent == AgentHost::Program {
        "the config starts this program for each test: does it read its stdin, and print its responses to its stdout?"
            .to_owned()
    } else if servers.is_empty() {
        "start the agent, or restart it if it hangs; `server: { cmd: […] }` in the config starts it before the tests"
            .to_owned()
    } else {
        format!(
            "the config starts {}: is the agent one of these, and does it listen there?",
            servers.join(", ")
        )
    }
}
