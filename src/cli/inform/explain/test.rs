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
        let mut page = TestPage {
            table: Table::new(self.redactor.clone()),
            colours,
        };
        self.head(&mut page);
        let explanation = &self.explained.explanation;
        page.title("the test as a whole");
        page.scope(&explanation.test, None);
        for (index, turn) in explanation.turns.iter().enumerate() {
            let number = index + 1;
            if only.is_some_and(|only| only != number) {
                continue;
            }
            let title = format!("turn {number} of {}", explanation.turns.len());
            page.line("");
            if let Some(WrittenTurn {
                id,
                input,
                condition,
                timeout,
            }) = self.explained.turns.get(index)
            {
                let title = id
                    .as_ref()
                    .map_or(title.clone(), |id| format!("{title}, {}", escape::line(id)));
                page.named(&title, &shortened(input));
                if let Some(condition) = condition {
                    page.line(format!("  sent only if {}", escape::line(condition)));
                }
                if let Some(timeout) = timeout {
                    page.line(format!("  timeout after {}", escape::line(timeout)));
                }
            }
            page.scope(turn, Some(prohibited(&explanation.test, turn)));
        }
        if only.is_none() {
            // The scopes with rules that are not turns.
            for (title, rules) in &self.explained.further {
                page.title(&escape::line(title));
                page.scope(rules, Some(0));
            }
        }
        page.table.text(colours, terminal)
    }

    fn head(&self, page: &mut TestPage) {
        let TestEntry {
            name,
            file,
            line,
            about: TestAbout {
                description, tags, ..
            },
            skip,
            ..
        } = &*self.case.test;
        page.named(name, &format!("{file}:{line}"));
        if let Some(description) = description {
            page.line(escape::line(description).into_owned());
        }
        if !tags.is_empty() {
            page.line(format!("tags: {}", escape::line(&tags.join(", "))));
        }
        if let Some(why) = skip {
            page.line(format!("skipped: {}", escape::line(why)));
        }
        if self.case.row.is_some() {
            let rows = if self.rows == 1 {
                "its only row".to_owned()
            } else {
                format!("each of its {} rows", self.rows)
            };
            page.line(format!("runs once for {rows}"));
        }
        page.line(format!(
            "{}{}; the target is {}",
            self.turns(),
            self.timeouts(),
            self.target()
        ));
        if let Some(unwritten) = &self.explained.unwritten {
            page.line(escape::line(unwritten).into_owned());
        }
        if let Some(description) = &self.explained.target {
            page.line(format!("target: {}", escape::line(description)));
        }
    }

    /// The number of turns and of the messages before them, in words.
    fn turns(&self) -> String {
        let turns = match self.case.test.turns {
            1 => "1 turn".to_owned(),
            turns => format!("{turns} turns"),
        };
        match self.explained.history {
            0 => turns,
            1 => format!("{turns} after 1 message"),
            history => format!("{turns} after {history} messages"),
        }
    }

    /// The timeouts of each turn and of the test, in words.
    fn timeouts(&self) -> String {
        let of_turns = match self.explained.timeout {
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
        match &self.explained.whole_timeout {
            Some(time) => format!("{of_turns}, all together of {}", escape::line(time)),
            None => of_turns,
        }
    }

    /// The target, in words.
    fn target(&self) -> String {
        let config = escape::line(&self.config.source.name);
        match self.case.test.target.as_str() {
            name if is_default(name) => format!("that of {config}"),
            name => format!("`{}` of {config}", escape::line(name)),
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

/// The page about a test, line by line.
struct TestPage {
    table: Table,
    colours: Colours,
}

impl TestPage {
    fn line(&mut self, text: impl Into<String>) {
        self.table.line(text);
    }

    /// A title after an empty line.
    fn title(&mut self, title: &str) {
        self.line("");
        self.line(styled(self.colours.strong, title));
    }

    /// A title, and what it is about.
    fn named(&mut self, title: &str, what: &str) {
        let Colours { strong, faint, .. } = self.colours;
        self.line(format!(
            "{}  {}",
            styled(strong, title),
            styled(faint, what)
        ));
    }

    /// A heading of rows.
    fn heading(&mut self, word: &str, rest: &str) {
        self.line(format!("  {}{rest}", styled(self.colours.heading, word)));
    }

    fn row(&mut self, indent: usize, words: &str, emphasis: Emphasis, origin: &RuleOrigin) {
        let place = origin.place.to_string();
        self.table
            .row(indent, words, emphasis, origin.level.as_str(), &place);
    }

    /// The rules of one scope; for a turn, with how many prohibitions of the test apply to it.
    fn scope(&mut self, scope: &ScopeRules, prohibited: Option<usize>) {
        self.rules(scope);
        let of = match prohibited {
            None => "each turn",
            Some(_) => "the turn",
        };
        self.limits(scope, of);
        if let Some((without, origin)) = &scope.subagents {
            self.heading("subagents", "");
            let words = if *without {
                "their calls do not count"
            } else {
                "their calls count"
            };
            self.row(4, words, Emphasis::Normal, origin);
        }
        self.replaced(scope);
        let is_silent = scope.rules.is_empty() && scope.limits.is_empty();
        let note = match prohibited.unwrap_or_default() {
            _ if scope.is_replay => {
                "  no rule of the test: replayed messages are history".to_owned()
            }
            0 if is_silent => "  nothing".to_owned(),
            0 => return,
            1 => "  and the prohibition of the whole test".to_owned(),
            count => format!("  and the {count} prohibitions of the whole test"),
        };
        self.line(styled(self.colours.faint, &note));
    }

    fn rules(&mut self, scope: &ScopeRules) {
        for (is_prohibition, word) in [(true, "prohibition"), (false, "requirement")] {
            // One heading for all rules that are evaluated at the same time, in the order of the files.
            let mut headings: IndexMap<String, Vec<&RuleEntry>> = IndexMap::new();
            for rule in scope
                .rules
                .iter()
                .filter(|rule| rule.is_prohibition() == is_prohibition)
            {
                headings
                    .entry(rule.when_decided(scope.scope))
                    .or_default()
                    .push(rule);
            }
            for (when_decided, rules) in headings {
                self.heading(word, &format!(", {when_decided}"));
                for rule in rules {
                    self.row(4, &rule.describe(), Emphasis::Normal, &rule.origin);
                }
            }
        }
    }

    /// The limits, each with those that it replaces; they are evaluated at the end `of` this.
    fn limits(&mut self, scope: &ScopeRules, of: &str) {
        if !scope.limits.is_empty() {
            self.heading("limit", &format!(", evaluated at the end of {of}"));
        }
        let width = scope
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
        } in &scope.limits
        {
            let words = format!("{:<width$}  {words}{turns}", measure.name());
            self.row(4, &words, Emphasis::Normal, origin);
            for (words, origin) in replaced {
                self.row(width + 6, words, Emphasis::Faint, origin);
            }
        }
        for measure in &scope.separate {
            let own = match measure {
                Measure::Duration => "duration".to_owned(),
                tokens => tokens.of_what().to_owned(),
            };
            let note = format!("this turn has its own {own}, which does not count for the test");
            self.line(format!("    {}", styled(self.colours.faint, &note)));
        }
    }

    /// The rules that do not apply, since others do.
    fn replaced(&mut self, scope: &ScopeRules) {
        let mut shown: Option<&RuleOrigin> = None;
        for ReplacedRule { entry, by } in &scope.switched_off {
            if shown.is_none_or(|shown| (shown.level, &shown.place) != (by.level, &by.place)) {
                self.heading("does not apply here", &format!(", by {}", whose(by)));
                shown = Some(by);
            }
            self.row(4, &entry.describe(), Emphasis::Faint, &entry.origin);
        }
        for DroppedRule { entry, kept } in &scope.dropped {
            let rest = format!(", already applies from {}", whose(kept));
            self.heading("dropped", &rest);
            self.row(4, &entry.describe(), Emphasis::Faint, &entry.origin);
        }
    }
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
