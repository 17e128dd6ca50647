//! The committed table, `voice.txt`: the best figures that each crate ever had, and the crates that were rewritten.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::figures::{Base, Count, Direction, FIGURES, Figure, Voice};

/// The mark of a crate that has the aims.
const REWRITTEN: &str = " rewritten";

/// As many places of a figure are shown.
const PLACES: usize = 20;

/// How many of how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    count: usize,
    base: usize,
}

impl Cell {
    const fn of(count: &Count) -> Self {
        Self {
            count: count.found,
            base: count.base,
        }
    }

    /// The rate is lower than that of `other`.
    fn is_thinner_than(self, other: Self) -> bool {
        self.count * other.base.max(1) < other.count * self.base.max(1)
    }
}

/// The figures of a crate in the table, in the order of [`FIGURES`].
#[derive(Debug, PartialEq, Eq)]
struct Row {
    is_rewritten: bool,
    cells: Vec<Cell>,
}

/// The table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    rows: BTreeMap<String, Row>,
}

/// How a figure differs from the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Worse,
    Better,
    /// Neither: lines without the figure came or went, or there is more of it in as much more code.
    Same,
}

/// The change of a figure.
///
/// It is worse only if there are more of it and it is denser: so lines that are good can be deleted, and code that is no worse
/// than the rest can be added. A function takes its reasons with it when it goes, so that one reason may be missing.
fn change(figure: &Figure, old: Cell, new: Cell) -> Change {
    if figure.base == Base::InAll {
        return match new.count.cmp(&old.count) {
            std::cmp::Ordering::Greater => Change::Worse,
            std::cmp::Ordering::Less => Change::Better,
            std::cmp::Ordering::Equal => Change::Same,
        };
    }
    let one_more = Cell {
        count: new.count + 1,
        ..new
    };
    match figure.direction {
        Direction::Down if new.count > old.count && old.is_thinner_than(new) => Change::Worse,
        Direction::Down if new.count < old.count && !old.is_thinner_than(new) => Change::Better,
        Direction::Guard if new.count > old.count && old.is_thinner_than(new) => {
            if rate(figure, new) > figure.aim {
                Change::Worse
            } else {
                Change::Same
            }
        }
        Direction::Up if one_more.is_thinner_than(old) => Change::Worse,
        Direction::Up if new.count > old.count && !new.is_thinner_than(old) => Change::Better,
        Direction::Down | Direction::Guard | Direction::Up => Change::Same,
    }
}

/// The figure of `cell` as it is shown.
#[expect(clippy::cast_precision_loss, reason = "counts of lines are small")]
fn rate(figure: &Figure, cell: Cell) -> f64 {
    let part = cell.count as f64 / cell.base.max(1) as f64;
    match figure.base {
        Base::Lines => part * 1000.0,
        Base::LongFunctions | Base::Comments => part * 100.0,
        Base::InAll => cell.count as f64,
    }
}

fn shown(figure: &Figure, cell: Cell) -> String {
    let rate = rate(figure, cell);
    let Cell { count, base } = cell;
    match figure.base {
        Base::Lines => format!("{count} of {base} = {rate:.2}"),
        Base::LongFunctions | Base::Comments => format!("{count} of {base} = {rate:.1} %"),
        Base::InAll => format!("{count} of {base}"),
    }
}

/// The aim of a crate with `lines` of `all` lines.
#[expect(clippy::cast_precision_loss, reason = "counts of lines are small")]
fn aim(figure: &Figure, lines: usize, all: usize) -> f64 {
    match figure.base {
        Base::InAll => (figure.aim * lines as f64 / all.max(1) as f64).ceil(),
        Base::Lines | Base::LongFunctions | Base::Comments => figure.aim,
    }
}

impl Table {
    /// # Panics
    ///
    /// If a line is no row of the table: it is written by this test, or it is the mark of a merge.
    pub(super) fn read(text: &str) -> Self {
        let mut rows: BTreeMap<String, Row> = BTreeMap::new();
        let mut name = String::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if line.is_empty() {
                continue;
            }
            if !line.starts_with(' ') {
                line.trim_end_matches(REWRITTEN).clone_into(&mut name);
                let row = Row {
                    is_rewritten: line.ends_with(REWRITTEN),
                    cells: Vec::new(),
                };
                rows.insert(name.clone(), row);
                continue;
            }
            let row = rows
                .get_mut(&name)
                .expect("the name of a crate comes first");
            let figure = FIGURES.get(row.cells.len());
            let cell = figure.and_then(|it| read_cell(line.trim(), it.name));
            row.cells.push(cell.unwrap_or_else(|| {
                panic!("voice.txt: `{line}` is no row: restore the file, then {UPDATE}")
            }));
        }
        Self { rows }
    }

    /// The table as text, with the figures of `voices` where they are no worse.
    pub(super) fn updated(&self, voices: &BTreeMap<String, Voice>) -> String {
        let mut text = String::from(HEAD);
        for (name, voice) in voices {
            let row = self.rows.get(name);
            // What is new begins with the aims.
            let is_rewritten = row.is_none_or(|row| row.is_rewritten);
            let mark = if is_rewritten { REWRITTEN } else { "" };
            let _ = writeln!(text, "\n{name}{mark}");
            for (index, figure) in FIGURES.iter().enumerate() {
                let new = Cell::of(&voice.counts[index]);
                let old = row.and_then(|row| row.cells.get(index)).copied();
                let best = old.map_or(new, |old| best(figure, old, new));
                let _ = writeln!(text, "  {:22}{}", figure.name, shown(figure, best));
            }
        }
        text
    }

    /// What is worse than the table, what misses the aims of a crate that was rewritten, and what the table does not say yet.
    pub(super) fn problems(&self, voices: &BTreeMap<String, Voice>) -> Vec<String> {
        let all = voices.values().map(|voice| voice.lines).sum();
        let mut problems = Vec::new();
        for (name, voice) in voices {
            let Some(row) = self.rows.get(name) else {
                problems.push(format!("{name}: is not in tests/tidy/voice.txt: {UPDATE}"));
                continue;
            };
            for (index, figure) in FIGURES.iter().enumerate() {
                let count = &voice.counts[index];
                let new = Cell::of(count);
                let Some(&old) = row.cells.get(index) else {
                    problems.push(format!("{name}: {}: no row: {UPDATE}", figure.name));
                    continue;
                };
                let (is, was) = (shown(figure, new), shown(figure, old));
                let aim = aim(figure, voice.lines, all);
                let misses_aim = match figure.direction {
                    Direction::Up => rate(figure, new) < aim,
                    Direction::Down | Direction::Guard => rate(figure, new) > aim,
                };
                if row.is_rewritten && misses_aim {
                    problems.push(format!(
                        "{name}: {}: {is}, the aim is {aim}: {}{}",
                        figure.name,
                        figure.remedy,
                        places(count)
                    ));
                    continue;
                }
                match change(figure, old, new) {
                    Change::Worse => problems.push(format!(
                        "{name}: {}: {is}, was {was}: {}{}",
                        figure.name,
                        figure.remedy,
                        places(count)
                    )),
                    Change::Better => problems.push(format!(
                        "{name}: {}: {is}, was {was}: better: {UPDATE}",
                        figure.name
                    )),
                    Change::Same => {}
                }
            }
        }
        for name in self.rows.keys() {
            if !voices.contains_key(name) {
                problems.push(format!("{name}: there is no such crate: {UPDATE}"));
            }
        }
        problems
    }
}

/// What to do if the table only has to be written.
const UPDATE: &str = "`ANANKE_UPDATE=1 cargo test --test tidy voice` writes the table";

const HEAD: &str = "\
# The voice of each crate: its best figures, how many of how much. tests/tidy/voice/ says what they are.
# A figure only gets better. A crate that was rewritten is marked, and has the aims.
# ANANKE_UPDATE=1 cargo test --test tidy voice
";

/// The better one of two cells of a figure: a rate that was reached once stays.
fn best(figure: &Figure, old: Cell, new: Cell) -> Cell {
    let is_kept = match (figure.base, figure.direction) {
        (Base::InAll, _) => new.count > old.count,
        (_, Direction::Down) => old.is_thinner_than(new),
        // A guard is a limit: its cell only says what is today.
        (_, Direction::Guard) => change(figure, old, new) == Change::Worse,
        (_, Direction::Up) => new.is_thinner_than(old),
    };
    if is_kept { old } else { new }
}

fn read_cell(line: &str, name: &str) -> Option<Cell> {
    let mut words = line.strip_prefix(name)?.split_whitespace();
    let count = words.next()?.parse().ok()?;
    let base = words.nth(1)?.parse().ok()?;
    Some(Cell { count, base })
}

/// The first places of a figure.
fn places(count: &Count) -> String {
    let mut text = String::new();
    for place in count.places.iter().take(PLACES) {
        let _ = write!(text, "\n    {place}");
    }
    if count.places.len() > PLACES {
        let _ = write!(text, "\n    and {} more", count.places.len() - PLACES);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(name: &str) -> &'static Figure {
        let mut figures = FIGURES.iter();
        figures.find(|it| it.name == name).expect("a figure")
    }

    fn changed(name: &str, old: [usize; 2], new: [usize; 2]) -> Change {
        let [old, new] = [old, new].map(|[count, base]| Cell { count, base });
        change(figure(name), old, new)
    }

    /// The voices of a tree whose one crate has `text`.
    fn voices(text: &str) -> BTreeMap<String, Voice> {
        let mut voice = Voice::new();
        voice.add("crates/agents/src/lib.rs", text);
        BTreeMap::from([("agents".to_owned(), voice)])
    }

    const FOLDED: &str = "fn f(a: Option<u8>) -> bool {\n    a.is_some_and(|it| it > 1)\n}\n";
    const PLAIN: &str = "fn f(a: u8) -> bool {\n    a > 1\n}\n";

    #[test]
    fn a_figure_is_worse_if_there_are_more_and_they_are_denser() {
        assert_eq!(changed("adapters", [10, 1000], [11, 1000]), Change::Worse);
        assert_eq!(changed("adapters", [10, 1000], [11, 1200]), Change::Same);
        assert_eq!(changed("adapters", [10, 1000], [10, 500]), Change::Same);
        assert_eq!(changed("adapters", [10, 1000], [9, 500]), Change::Same);
        assert_eq!(changed("adapters", [10, 1000], [9, 1000]), Change::Better);
        assert_eq!(changed("adapters", [0, 0], [1, 1]), Change::Worse);
        assert_eq!(changed("pronoun docs", [1, 10], [2, 9999]), Change::Worse);
        assert_eq!(changed("pronoun docs", [2, 10], [1, 10]), Change::Better);
    }

    #[test]
    fn a_reason_may_go_with_its_function() {
        assert_eq!(changed("reasons", [10, 1000], [9, 990]), Change::Same);
        assert_eq!(changed("reasons", [10, 1000], [8, 990]), Change::Worse);
        assert_eq!(changed("reasons", [10, 1000], [10, 1300]), Change::Worse);
        assert_eq!(changed("reasons", [10, 1000], [11, 1000]), Change::Better);
        // A share rises when comments go, but the rate of reasons does not.
        let share = "comments with reasons";
        assert_eq!(changed(share, [10, 100], [8, 60]), Change::Same);
        assert_eq!(changed("reasons", [10, 1000], [8, 1000]), Change::Worse);
    }

    #[test]
    fn a_guard_is_a_limit() {
        assert_eq!(changed("long chains", [0, 10000], [5, 10000]), Change::Same);
        assert_eq!(
            changed("long chains", [0, 10000], [6, 10000]),
            Change::Worse
        );
        assert_eq!(changed("long chains", [9, 10000], [8, 10000]), Change::Same);
    }

    #[test]
    fn a_rate_that_was_reached_stays_in_the_table() {
        let cell = |count, base| Cell { count, base };
        let adapters = figure("adapters");
        assert_eq!(
            best(adapters, cell(10, 1000), cell(10, 500)),
            cell(10, 1000)
        );
        assert_eq!(
            best(adapters, cell(10, 1000), cell(12, 1500)),
            cell(12, 1500)
        );
        let reasons = figure("reasons");
        assert_eq!(
            best(reasons, cell(10, 1000), cell(10, 1050)),
            cell(10, 1000)
        );
        assert_eq!(
            best(reasons, cell(10, 1000), cell(12, 1050)),
            cell(12, 1050)
        );
    }

    #[test]
    fn the_table_is_read_as_it_is_written() {
        let voices = voices(FOLDED);
        let text = Table::default().updated(&voices);
        let table = Table::read(&text);
        assert_eq!(table.updated(&voices), text);
        assert!(text.contains("\nagents rewritten\n  adapters              1 of 3 = 333.33\n"));
        assert!(text.contains("  filters of nothing    0 of 3\n"));
    }

    #[test]
    fn problems_name_the_crate_the_figure_and_the_places() {
        let plain = voices(PLAIN);
        let folded = voices(FOLDED);
        let text = Table::default()
            .updated(&plain)
            .replace("agents rewritten", "agents");
        let table = Table::read(&text);
        assert_eq!(table.problems(&plain), [""; 0]);
        let problems = table.problems(&folded).join("\n");
        assert!(
            problems.contains("agents: deciding folds: 1 of 3 = 333.33, was 0 of 3 = 0.00: a cond"),
            "{problems}"
        );
        assert!(
            problems.contains("\n    crates/agents/src/lib.rs:2"),
            "{problems}"
        );
        // An update does not write what is worse.
        assert_eq!(table.updated(&folded), text);
    }

    #[test]
    fn what_is_better_is_to_be_written() {
        let text = Table::default()
            .updated(&voices(FOLDED))
            .replace("agents rewritten", "agents");
        let problems = Table::read(&text).problems(&voices(PLAIN));
        assert!(
            problems
                .iter()
                .all(|problem| problem.ends_with(&format!("better: {UPDATE}")))
        );
        assert_eq!(problems.len(), 4, "{problems:#?}");
    }

    #[test]
    fn a_crate_that_was_rewritten_has_the_aims() {
        let table = Table::read(&Table::default().updated(&voices(FOLDED)));
        let problems = table.problems(&voices(FOLDED)).join("\n");
        assert!(
            problems.contains("agents: adapters: 1 of 3 = 333.33, the aim is 20: "),
            "{problems}"
        );
        let part = |lines| format!("{}", aim(figure("pronoun docs"), lines, 150_000));
        assert_eq!([part(5000), part(6000)], ["1", "2"]);
    }

    #[test]
    fn crates_come_and_go() {
        let table = Table::read(&Table::default().updated(&voices(PLAIN)));
        let mut others = voices(PLAIN);
        others.remove("agents");
        others.insert("openai".to_owned(), Voice::new());
        let problems = table.problems(&others);
        assert!(
            problems.contains(&format!("agents: there is no such crate: {UPDATE}")),
            "{problems:#?}"
        );
        assert!(
            problems.contains(&format!("openai: is not in tests/tidy/voice.txt: {UPDATE}")),
            "{problems:#?}"
        );
    }

    #[test]
    #[should_panic(expected = "is no row: restore the file")]
    fn the_mark_of_a_merge_is_reported() {
        Table::read("agents\n  adapters 1 of 3 = 333.33\n  ======= 2\n");
    }
}
