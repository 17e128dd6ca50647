//! The rules that apply to one test: to the whole test, then turn by turn.

use std::time::Duration;

use ananke::assertion::{
    DroppedRule, ExplainedLimit, Measure, ReplacedRule, RuleEntry, RuleOrigin, ScopeRules, Timeout,
};
use ananke::plan::{CaseEntry, ExplainedTest, TestEntry, WrittenTurn};
use ananke::project::{Config, is_default};
use ananke::redact::Redactor;
use ananke::text::{columns, duration, escape};
use ananke::variables::TestAbout;
use indexmap::IndexMap;

use super::layout::{Colours, Emphasis, Table, styled};

/// The number of columns of the user's message that are shown with a turn.
const SHOWN: usize = 60;

/// One test and what is known of it.
pub(super) struct ShownTest<'a> {
    pub(super) case: &'a CaseEntry,
    /// The number of rows that it runs with, if it has rows.
    pub(super) rows: usize,
    pub(super) config: &'a Config,
    pub(super) explained: &'a ExplainedTest,
    pub(super) redactor: &'a Redactor,
}

impl ShownTest<'_> {
    /// Everything, or of the turns only the one numbered `only`.
    pub(super) fn text(
        &self,
        only: Option<usize>,
        colours: Colours,
        terminal: Option<usize>,
    ) -> String {
        let mut table = Table::new(self.redactor.clone());
        self.head(&mut table, colours);
        let explanation = &self.explained.explanation;
        table.line("");
        table.line(styled(colours.strong, "the test as a whole"));
        part(&explanation.test, None, &mut table, colours);
        for (index, turn) in explanation.turns.iter().enumerate() {
            let number = index + 1;
            if only.is_some_and(|only| only != number) {
                continue;
            }
            let title = format!("turn {number} of {}", explanation.turns.len());
            table.line("");
            if let Some(WrittenTurn { id, input, timeout }) = self.explained.turns.get(index) {
                let title = id
                    .as_ref()
                    .map_or(title.clone(), |id| format!("{title}, {}", escape::line(id)));
                table.line(format!(
                    "{}  {}",
                    styled(colours.strong, &title),
                    styled(colours.faint, &shortened(input))
                ));
                if let Some(timeout) = timeout {
                    table.line(format!("  timeout after {}", escape::line(timeout)));
                }
            }
            part(
                turn,
                Some(prohibited(&explanation.test, turn)),
                &mut table,
                colours,
            );
        }
        if only.is_none() {
            self.further(&mut table, colours);
        }
        table.text(colours, terminal)
    }

    /// Adds the scopes with rules that are not turns.
    fn further(&self, table: &mut Table, colours: Colours) {
        for (title, rules) in &self.explained.further {
            table.line("");
            table.line(styled(colours.strong, &escape::line(title)));
            part(rules, Some(0), table, colours);
        }
    }

    fn head(&self, table: &mut Table, colours: Colours) {
        let TestEntry {
            name,
            file,
            line,
            turns,
            about: TestAbout {
                description, tags, ..
            },
            skip,
            ..
        } = &*self.case.test;
        table.line(format!(
            "{}  {}",
            styled(colours.strong, name),
            styled(colours.faint, &format!("{file}:{line}"))
        ));
        if let Some(description) = description {
            table.line(escape::line(description).into_owned());
        }
        if !tags.is_empty() {
            table.line(format!("tags: {}", escape::line(&tags.join(", "))));
        }
        if let Some(why) = skip {
            table.line(format!("skipped: {}", escape::line(why)));
        }
        if self.case.row.is_some() {
            let rows = if self.rows == 1 {
                "its only row".to_owned()
            } else {
                format!("each of its {} rows", self.rows)
            };
            table.line(format!("runs once for {rows}"));
        }
        let turns = if *turns == 1 {
            "1 turn".to_owned()
        } else {
            format!("{turns} turns")
        };
        let turns = match self.explained.history {
            0 => turns,
            1 => format!("{turns} after 1 message"),
            history => format!("{turns} after {history} messages"),
        };
        let cut = match self.explained.timeout {
            Some(Timeout { ms, span }) => {
                let why = if span.is_some() {
                    ""
                } else {
                    " (the default, or a longer `max_duration_ms`)"
                };
                let time = duration::chosen(Duration::from_millis(ms));
                format!(", each with a timeout of {time}{why}")
            }
            None => String::new(),
        };
        let whole = self.explained.whole_timeout.as_ref();
        let whole = whole
            .map(|time| format!(", all together of {}", escape::line(time)))
            .unwrap_or_default();
        let config = escape::line(&self.config.source.name);
        let target = match self.case.test.target.as_str() {
            name if is_default(name) => format!("that of {config}"),
            name => format!("`{}` of {config}", escape::line(name)),
        };
        table.line(format!("{turns}{cut}{whole}; the target is {target}"));
        if let Some(unwritten) = &self.explained.unwritten {
            table.line(escape::line(unwritten).into_owned());
        }
        if let Some(description) = &self.explained.target {
            table.line(format!("target: {}", escape::line(description)));
        }
    }
}

/// The number of prohibitions of the test that apply to a turn.
fn prohibited(test: &ScopeRules, turn: &ScopeRules) -> usize {
    let is_off = |rule: &RuleEntry| turn.switched_off.iter().any(|off| off.entry == *rule);
    test.rules
        .iter()
        .filter(|rule| rule.is_prohibition() && !is_off(rule))
        .count()
}

/// The rules of one scope; for a turn, with how many prohibitions of the test apply to it.
fn part(part: &ScopeRules, prohibited: Option<usize>, table: &mut Table, colours: Colours) {
    for (is_prohibition, word) in [(true, "prohibition"), (false, "requirement")] {
        // One heading for all rules that are evaluated at the same time, in the order of the files.
        let mut headings: IndexMap<String, Vec<&RuleEntry>> = IndexMap::new();
        for rule in part
            .rules
            .iter()
            .filter(|rule| rule.is_prohibition() == is_prohibition)
        {
            headings
                .entry(rule.when_decided(part.scope))
                .or_default()
                .push(rule);
        }
        for (when_decided, rules) in headings {
            table.line(format!(
                "  {}, {when_decided}",
                styled(colours.heading, word)
            ));
            for rule in rules {
                row(4, &rule.describe(), Emphasis::Normal, &rule.origin, table);
            }
        }
    }
    if !part.limits.is_empty() {
        table.line(format!(
            "  {}, evaluated at the end of {}",
            styled(colours.heading, "limit"),
            match prohibited {
                None => "each turn",
                Some(_) => "the turn",
            }
        ));
    }
    let width = part
        .limits
        .iter()
        .map(|limit| limit.measure.name().len())
        .fold(8, usize::max);
    for ExplainedLimit {
        measure,
        words,
        turns,
        origin,
        replaced,
    } in &part.limits
    {
        row(
            4,
            &format!("{:<width$}  {words}{turns}", measure.name()),
            Emphasis::Normal,
            origin,
            table,
        );
        for (words, origin) in replaced {
            row(width + 6, words, Emphasis::Faint, origin, table);
        }
    }
    for measure in &part.separate {
        let own = match measure {
            Measure::Duration => "duration".to_owned(),
            tokens => tokens.of_what().to_owned(),
        };
        let note = format!("this turn has its own {own}, which does not count for the test");
        table.line(format!("    {}", styled(colours.faint, &note)));
    }
    if let Some((without, origin)) = &part.subagents {
        table.line(format!("  {}", styled(colours.heading, "subagents")));
        let words = if *without {
            "their calls do not count"
        } else {
            "their calls count"
        };
        row(4, words, Emphasis::Normal, origin, table);
    }
    let mut shown: Option<&RuleOrigin> = None;
    for ReplacedRule { entry, by } in &part.switched_off {
        if shown.is_none_or(|shown| (shown.level, &shown.place) != (by.level, &by.place)) {
            table.line(format!(
                "  {}, by {}",
                styled(colours.heading, "does not apply here"),
                whose(by)
            ));
            shown = Some(by);
        }
        row(4, &entry.describe(), Emphasis::Faint, &entry.origin, table);
    }
    for DroppedRule { entry, kept } in &part.dropped {
        table.line(format!(
            "  {}, already applies from {}",
            styled(colours.heading, "dropped"),
            whose(kept)
        ));
        row(4, &entry.describe(), Emphasis::Faint, &entry.origin, table);
    }
    let is_silent = part.rules.is_empty() && part.limits.is_empty();
    let note = match prohibited.unwrap_or_default() {
        _ if part.is_replay => "  no rule of the test: replayed messages are history".to_owned(),
        0 if is_silent => "  nothing".to_owned(),
        0 => return,
        1 => "  and the prohibition of the whole test".to_owned(),
        count => format!("  and the {count} prohibitions of the whole test"),
    };
    table.line(styled(colours.faint, &note));
}

fn row(indent: usize, words: &str, emphasis: Emphasis, origin: &RuleOrigin, table: &mut Table) {
    table.row(
        indent,
        words,
        emphasis,
        origin.level.as_str(),
        &origin.place.to_string(),
    );
}

fn whose(origin: &RuleOrigin) -> String {
    format!(
        "the {}, {}",
        origin.level.as_str(),
        escape::line(&origin.place.to_string())
    )
}

fn shortened(words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    columns::beginning_of(&words, SHOWN + 1)
}
