//! The layout of the area at a size: a row for each test that runs, as many as there is room for, and one for the run.
//!
//! **Invariant:** no row is wider than the terminal, there are never more rows than it has, and a test's turn is shown
//! before its id is shown whole.

use std::time::Duration;

use anstyle::Style;

use super::area::StyledLine;
use super::state::{AreaState, Repeat, RunningTest};
use crate::report::layout::{Palette, mark};
use ananke_base::context::{At, Colouring, TerminalSize};
use ananke_base::text::{Usd, columns, duration, grouped};
use ananke_trace::outcome::Status;
use ananke_trace::trace::Usage;

/// The assumed size of a terminal that does not know its size.
const USUAL: TerminalSize = TerminalSize {
    columns: 80,
    rows: 24,
};

/// The largest number of rows, with that of the run: more is too much to read.
const MOST: usize = 12;

/// The number of rows that is allowed even if they take more than half of the terminal.
const FEW: usize = 3;

/// The columns that an id gets before its turn is shortened.
const ID: usize = 20;

/// The columns that an id gets at most, so that its turn is not far from it.
const WIDEST_ID: usize = 72;

/// The least room for the reason of a retry.
const WHY: usize = 16;

/// The columns that the name of a call gets at most.
const WIDEST_CALL: usize = 30;

/// After how long an agent that says nothing is silent.
const SILENT: Duration = Duration::from_secs(3);

const SECOND: Duration = Duration::from_secs(1);

/// The number of characters of the bar, on a terminal that is wide.
const BAR: usize = 20;

/// From how many columns on the bar is whole.
const WIDE: usize = 100;

/// Below this, every column counts.
const NARROW: usize = 40;

/// Turns as time goes on.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The time for which each character of it is shown, in microseconds.
const SIGN_US: u64 = 100_000;

/// The options of an area.
#[derive(Clone, Copy, Debug)]
pub struct LiveOptions {
    /// Whether there is colour.
    pub colour: Colouring,
    /// Whether the running tests are shown in addition to the progress of the run.
    pub tests: bool,
    /// The size of the terminal.
    pub size: fn() -> Option<TerminalSize>,
}

/// The rows of the area; none where nothing goes on.
pub(crate) fn rows(
    state: &AreaState,
    now: At,
    size: Option<TerminalSize>,
    options: LiveOptions,
) -> Vec<StyledLine> {
    let TerminalSize { columns, rows } = size.unwrap_or(USUAL);
    let palette = Palette::new(options.colour);
    // The last column stays free: some terminals wrap where it is written to.
    let layout = Layout {
        now,
        palette,
        columns: columns.saturating_sub(1),
        is_narrow: columns < NARROW,
    };
    let mut shown = Vec::new();
    if let Some((what, since)) = &state.waiting {
        shown.push(layout.waiting(what, *since));
    }
    if let Some((since, tests)) = state.begun {
        let most = (rows / 2)
            .max(FEW)
            .min(rows.saturating_sub(1).max(1))
            .min(MOST);
        if options.tests {
            shown.extend(layout.tests(&state.longest_first(now), most - 1));
        }
        shown.push(layout.run(state, since, tests));
    }
    shown
        .into_iter()
        .map(|row| row.cut(layout.columns))
        .collect()
}

struct Layout {
    now: At,
    palette: Palette,
    columns: usize,
    is_narrow: bool,
}

/// The amount of text about the progress of a test.
#[derive(Clone, Copy)]
enum Words {
    /// `turn 2 of 3, retry 1 of 2`, and since when.
    All,
    /// `2/3, retry 1`, and since when.
    Few,
    /// The same without the time.
    Fewest,
}

impl Layout {
    fn waiting(&self, what: &str, since: At) -> StyledLine {
        let elapsed = self.elapsed(since);
        let room = self
            .columns
            .saturating_sub(columns::width(self.margin()) + 4 + elapsed.len());
        let what = columns::beginning_of(what, room);
        self.row([
            self.spinner(),
            plain(&what),
            plain("  "),
            (self.palette.faint, elapsed),
        ])
    }

    /// At most `most` rows of the tests that run; those that are not shown are counted.
    fn tests(&self, running: &[&RunningTest], most: usize) -> Vec<StyledLine> {
        let shown = if running.len() <= most {
            running.len()
        } else {
            most.saturating_sub(1)
        };
        let (shown, further) = running.split_at(shown);
        let mut rows = self.table(shown);
        if !further.is_empty() && most > 0 {
            let count = further.len();
            let words = match (shown.is_empty(), count) {
                (true, 1) => "1 test runs".to_owned(),
                (true, _) => format!("{count} tests run"),
                (false, _) => format!("… and {count} more"),
            };
            rows.push(self.row([(self.palette.faint, words)]));
        }
        rows
    }

    /// Rows with the ids in one column and the turns in another.
    fn table(&self, tests: &[&RunningTest]) -> Vec<StyledLine> {
        let widest = tests
            .iter()
            .map(|test| columns::width(&test.shown))
            .max()
            .unwrap_or_default()
            .min(WIDEST_ID);
        // The spinner and the spaces next to the id.
        let room = self.room().saturating_sub(4);
        let labels = |words| -> Vec<(String, String)> {
            tests
                .iter()
                .map(|test| (self.place(test, words), self.time(test, words)))
                .collect()
        };
        let beside = |labels: &[(String, String)]| {
            let (places, times) = widths(labels);
            places + if times > 0 { times + 2 } else { 0 }
        };
        let has_room =
            |words: &Words| room.saturating_sub(beside(&labels(*words))) >= widest.min(ID);
        let words = [Words::All, Words::Few]
            .into_iter()
            .find(has_room)
            .unwrap_or(Words::Fewest);
        let labels = labels(words);
        let width = widest.min(room.saturating_sub(beside(&labels)).max(1));
        let (places, times) = widths(&labels);
        let rows = tests.iter().zip(labels).map(|(test, (place, time))| {
            let id = columns::end_of(&test.shown, width);
            let gap = " ".repeat(width - columns::width(&id) + 2);
            let place = columns::beginning_of(&place, room.saturating_sub(width));
            let behind = if times > 0 {
                let gap = " ".repeat(places.saturating_sub(columns::width(&place)) + 2);
                format!("{place}{gap}{time:<times$}")
            } else {
                place
            };
            let left = room.saturating_sub(width + columns::width(&behind));
            let why = why(test, left.saturating_sub(2));
            self.row([
                self.spinner(),
                plain(&id),
                plain(&gap),
                (self.palette.faint, behind.trim_end().to_owned()),
                plain(if why.is_empty() { "" } else { "  " }),
                (self.palette.faint, why),
            ])
        });
        rows.collect()
    }

    /// The progress of the run: `▕██████░░░░▏ 21/41  1 ✗  ~20 s left  3,541 tokens`, as much of it as there is room
    /// for.
    fn run(&self, state: &AreaState, since: At, tests: usize) -> StyledLine {
        let faint = self.palette.faint;
        let done = (self.palette.strong, format!("{}/{tests}", state.done));
        let failures = if state.failed > 0 {
            format!("  {} {}", state.failed, mark(Status::Failed))
        } else {
            String::new()
        };
        let failures = (self.palette.failed, failures);
        let left = state.left(self.now).filter(|left| *left >= SECOND);
        let time = left.map_or_else(
            || self.elapsed(since),
            |left| format!("~{} left", seconds(left.saturating_add(SECOND / 2))),
        );
        let time = (faint, format!("  {time}"));
        let tokens = (faint, tokens(state));
        let bar = self.bar(state, tests);
        let rows = [
            vec![&bar, &done, &failures, &time, &tokens],
            vec![&bar, &done, &failures, &time],
            vec![&done, &failures, &time],
            vec![&done, &failures],
        ];
        let rows = rows.map(|parts| {
            let margin = plain(self.margin());
            let parts = [&margin].into_iter().chain(parts).cloned();
            StyledLine(parts.collect())
        });
        let [.., last] = &rows;
        let last = last.clone();
        let fitting = rows.into_iter().find(|row| row.width() <= self.columns);
        fitting.unwrap_or(last)
    }

    /// The share of the tests that are over.
    fn bar(&self, state: &AreaState, tests: usize) -> (Style, String) {
        let cells = if self.columns < WIDE { BAR / 2 } else { BAR };
        let full = (state.done * cells / tests.max(1)).min(cells);
        let style = if state.failed > 0 {
            self.palette.failed
        } else {
            self.palette.passed
        };
        let bar = format!("▕{}{}▏ ", "█".repeat(full), "░".repeat(cells - full));
        (style, bar)
    }

    fn row<const PARTS: usize>(&self, parts: [(Style, String); PARTS]) -> StyledLine {
        StyledLine([plain(self.margin())].into_iter().chain(parts).collect())
    }

    /// The margin of every row.
    fn margin(&self) -> &'static str {
        if self.is_narrow { "" } else { "  " }
    }

    /// The columns after the margin.
    fn room(&self) -> usize {
        self.columns.saturating_sub(self.margin().len())
    }

    fn spinner(&self) -> (Style, String) {
        let sign = usize::try_from(self.now.0 / SIGN_US % 10).unwrap_or_default();
        (self.palette.name, format!("{} ", SPINNER[sign]))
    }

    fn time(&self, test: &RunningTest, words: Words) -> String {
        match words {
            Words::All | Words::Few => self.elapsed(test.since),
            Words::Fewest => String::new(),
        }
    }

    /// The whole seconds since then.
    fn elapsed(&self, since: At) -> String {
        seconds(self.now.since(since))
    }

    /// The state of a test's agent: `→ charge_card 3 s`, or `silent 12 s`; empty if it answers.
    fn doing(&self, test: &RunningTest) -> String {
        let silence = self.now.since(test.heard);
        match &test.call {
            Some((name, since)) => {
                let name = columns::beginning_of(name, WIDEST_CALL);
                format!("→ {name} {}", self.elapsed(*since))
            }
            None if test.turn.is_some() && silence >= SILENT => {
                format!("silent {}", seconds(silence))
            }
            None => String::new(),
        }
    }

    /// The turn that a test is in, and what its agent does.
    fn place(&self, test: &RunningTest, words: Words) -> String {
        let repeat = test
            .repeat
            .as_ref()
            .map(|repeat| (repeat.word, repeat.number, repeat.of));
        let doing = match words {
            Words::All | Words::Few => self.doing(test),
            Words::Fewest => String::new(),
        };
        let (turn, repeat) = match words {
            Words::All => (
                test.turn.map(|(turn, of)| format!("turn {turn} of {of}")),
                repeat.map(|(word, number, of)| format!(", {word} {number} of {of}")),
            ),
            Words::Few | Words::Fewest => (
                test.turn.map(|(turn, of)| format!("{turn}/{of}")),
                repeat.map(|(word, number, _)| format!(", {word} {number}")),
            ),
        };
        let is_only = test.turn.is_some_and(|(_, of)| of == 1) && repeat.is_none();
        if is_only && !doing.is_empty() {
            return doing;
        }
        let place = turn.unwrap_or_else(|| "set-up".to_owned()) + &repeat.unwrap_or_default();
        match (&test.call, doing.is_empty()) {
            (_, true) => place,
            (Some(_), false) => format!("{place} {doing}"),
            (None, false) => format!("{place}, {doing}"),
        }
    }
}

/// Whole seconds.
fn seconds(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => duration::rounded(seconds.saturating_mul(1_000_000)),
    }
}

/// The tokens of the tests that are over, and what is known of their cost: `  3,541 tokens  $0.42`, each with a `+` if a part of it is
/// not known; empty if there are none.
fn tokens(state: &AreaState) -> String {
    let Usage {
        input,
        output,
        total,
        cost,
        cached: _,
    } = state.usage;
    let sum = if total.is_partial && !(input + output).is_partial {
        input + output
    } else {
        total
    };
    if sum.counted == 0 {
        return String::new();
    }
    let more = if sum.is_partial { "+" } else { "" };
    let mut text = format!("  {}{more} tokens", grouped(sum.counted));
    if cost.known > Usd(0) {
        let more = if cost.is_partial { "+" } else { "" };
        text = format!("{text}  {}{more}", cost.known.rounded());
    }
    text
}

fn plain(text: &str) -> (Style, String) {
    (Style::new(), text.to_owned())
}

/// The widest of the places and of the times.
fn widths(labels: &[(String, String)]) -> (usize, usize) {
    let widest = |of: fn(&(String, String)) -> &String| {
        labels
            .iter()
            .map(|row| columns::width(of(row)))
            .max()
            .unwrap_or_default()
    };
    (widest(|(place, _)| place), widest(|(_, time)| time))
}

/// The reason that a test is retried, or the results of its runs, if there is room for it.
fn why(test: &RunningTest, room: usize) -> String {
    match &test.repeat {
        Some(Repeat { why, .. }) if !why.is_empty() && room >= WHY => {
            format!("({})", columns::beginning_of(why, room - 2))
        }
        _ => String::new(),
    }
}
