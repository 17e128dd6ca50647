//! `text.must_not_match` and `text.not_contains`: what the agent's text must not contain anywhere.

use super::collect::collect;
use super::near_text::{NearFor, NearText};
use crate::collector::Collector;
use crate::describe::{around, said_by, short};
use crate::evaluation::{
    CodedWarning, Evidence, Finding, Judgement, Moment, Monitor, RuleScope, View,
};
use crate::needle::{BesideAnswer, ComparedText, Needle, TextMatcher};
use crate::rule::{Claim, Rule, RuleKind};
use ananke_base::diagnostic::Code;
use ananke_model::model::{AssertBlock, TextOf};
use ananke_model::variables::Patterns;
use ananke_trace::trace::{Aside, AsideSource, Delta, Fact, Facts};

/// The most texts that one rule warns of.
const MOST_NEAR: usize = 5;

/// A regex that must not match, or a text that must not be contained: on every turn of its scope as soon as it comes,
/// and on the whole of the scope at its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MustNotMatch {
    needle: Needle,
    /// The beginning of the message of a failure.
    message: Option<String>,
}

pub(crate) fn compile_patterns(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.text().and_then(|text| text.must_not_match.as_ref());
    collect(written, block, Needle::pattern, MustNotMatch::of, collector);
}

pub(crate) fn compile_literals(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.text().and_then(|text| text.not_contains.as_ref());
    collect(
        written,
        block,
        Needle::prohibited,
        MustNotMatch::of,
        collector,
    );
}

impl MustNotMatch {
    fn of(needle: Needle) -> Self {
        Self::new(needle, None)
    }

    /// The rule that `needle` is in no text; a failure says `message` first.
    pub(crate) fn new(needle: Needle, message: Option<String>) -> Self {
        Self { needle, message }
    }

    /// Whether one message is enough to violate it. If `of` is written, `^` and `$` mean the ends of the whole text.
    fn is_early(&self) -> bool {
        let ComparedText { of, beside, .. } = self.needle.compared;
        of != TextOf::Final && (beside == BesideAnswer::Checked || !self.needle.is_anchored())
    }
}

impl Rule for MustNotMatch {
    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn needs(&self) -> Facts {
        Facts::of(&[Fact::Text])
    }

    fn describe(&self) -> String {
        format!("no {}", self.needle.describe())
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        match (self.is_early(), self.needle.compared.of, scope) {
            (true, _, scope) => {
                format!(
                    "fails as soon as a message, or the whole text of {}, matches",
                    scope.words()
                )
            }
            (false, TextOf::All | TextOf::Everything, RuleScope::Test) => {
                "fails at the end of a turn whose text matches, or of the test".to_owned()
            }
            (false, TextOf::Final, RuleScope::Test) => {
                "fails at the end of a turn whose last message says it".to_owned()
            }
            (false, _, RuleScope::Turn(_)) => "fails at the end of the turn".to_owned(),
        }
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        Ok(Box::new(MustNotMatchMonitor {
            expected: self.describe(),
            is_early: self.is_early(),
            needle: self.needle.started(patterns)?,
            has_failed_in_turn: false,
            in_state: None,
            has_found: false,
            warnings: Vec::new(),
        }))
    }

    fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        vec![Claim::NeverSays(&self.needle)]
    }
}

/// Checks each message when it closes, the joined text at the end of a turn, and that of the scope at its end; or the
/// last message alone, at the end of each turn.
struct MustNotMatchMonitor {
    expected: String,
    is_early: bool,
    needle: Needle,
    /// The same text found in a message and again in the joined text is one failure.
    has_failed_in_turn: bool,
    /// The text that was found in the state alone.
    in_state: Option<String>,
    /// Whether something was found at all.
    has_found: bool,
    /// The warnings so far; those of texts that nearly are what is looked for come when the rule has passed.
    warnings: Vec<CodedWarning>,
}

impl Monitor for MustNotMatchMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        let judgement = self.judge(view, moment);
        if judgement == Judgement::Passed && !self.has_found {
            let near = self.near_texts(view);
            self.warnings.extend(near);
        }
        judgement
    }

    fn take_warning(&mut self) -> Option<String> {
        let warning = self.in_state.take();
        // The failure says more.
        if self.has_failed_in_turn {
            return None;
        }
        warning
    }

    fn take_coded_warnings(&mut self) -> Vec<CodedWarning> {
        std::mem::take(&mut self.warnings)
    }
}

impl MustNotMatchMonitor {
    fn judge(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::MessageClosed(index)) if self.is_early => {
                let message = &view.trace.messages[index];
                if !view.includes_text(message) {
                    return Judgement::Open;
                }
                let finding = self.check(view, &message.text, view.trace.peer.said());
                finding.map_or(Judgement::Open, |finding| {
                    Judgement::failed(Finding {
                        events: vec![message.opened],
                        ..finding
                    })
                })
            }
            Moment::Touched(Delta::Aside(index)) => self.beside(view, &view.trace.asides[index]),
            Moment::Touched(_) => Judgement::Open,
            Moment::TurnEnd => {
                let peer = view.trace.peer;
                let who = match self.needle.compared.of {
                    TextOf::All | TextOf::Everything => format!("{} in this turn", peer.said()),
                    TextOf::Final => format!(
                        "{} in this turn contains the forbidden text",
                        peer.last_message()
                    ),
                };
                let text = view.text_of_running_turn(self.needle.compared.of);
                let finding = text.and_then(|text| self.check(view, &text, &who));
                self.has_failed_in_turn = false;
                finding.map_or(Judgement::Open, Judgement::failed)
            }
            Moment::ScopeEnd | Moment::TestEnd => match (self.needle.compared.of, view.scope) {
                (TextOf::All | TextOf::Everything, RuleScope::Test) => self
                    .check(
                        view,
                        &view.text(TextOf::All),
                        &format!("{} over the test", view.trace.peer.said()),
                    )
                    .into(),
                // The last message of a test is that of one of its turns.
                (_, RuleScope::Turn(_)) | (TextOf::Final, _) => Judgement::Passed,
            },
        }
    }

    /// A warning for each text that nearly is what is looked for.
    fn near_texts(&self, view: &View<'_>) -> Vec<CodedWarning> {
        let mut warnings = Vec::new();
        let mut look = |turn: usize, text: &str| {
            if warnings.len() == MOST_NEAR {
                return;
            }
            let Some(near) = NearText::find(&self.needle, text, NearFor::Prohibition) else {
                return;
            };
            let place = view.redactor.expand_to_secret(text, near.place.clone());
            let words = format!(
                "{} `{}` in turn {}: what this rule looks for, {}",
                view.trace.peer.said(),
                short(&text[place]),
                turn + 1,
                near.words()
            );
            let code = Code::NearText;
            warnings.push(CodedWarning { code, words });
        };
        for (turn, text) in view.texts(self.needle.compared.of) {
            look(turn, &text);
        }
        if self.needle.compared.beside == BesideAnswer::Checked {
            for aside in &view.trace.asides {
                if view.includes_turn(aside.turn) && aside.source != AsideSource::State {
                    look(aside.turn, &aside.text);
                }
            }
        }
        warnings
    }

    /// Checks a text next to the answer. What is in the state alone is a warning, unless everything is looked at.
    fn beside(&mut self, view: &View<'_>, aside: &Aside) -> Judgement {
        if !view.includes_turn(aside.turn) || self.has_failed_in_turn {
            return Judgement::Open;
        }
        match self.needle.compared.beside {
            BesideAnswer::Ignored => return Judgement::Open,
            BesideAnswer::Warned => {
                self.warn_of_newer_meaning(aside);
                return Judgement::Open;
            }
            BesideAnswer::Checked => {}
        }
        if aside.source == AsideSource::State && self.needle.compared.of != TextOf::Everything {
            if self.needle.find(&aside.text).is_some() {
                self.in_state.get_or_insert_with(|| {
                    format!("text-in-state: the state of turn {} has it", aside.turn + 1)
                });
            }
            return Judgement::Open;
        }
        let who = format!("{} in {}", view.trace.peer.said(), aside.source.words());
        let finding = self.check(view, &aside.text, &who);
        finding.map_or(Judgement::Open, |finding| {
            Judgement::failed(Finding {
                events: vec![aside.event],
                ..finding
            })
        })
    }

    /// Warns once of a text that violates the rule in files of a newer version.
    fn warn_of_newer_meaning(&mut self, aside: &Aside) {
        let is_in_state = aside.source == AsideSource::State;
        let is_known = !self.warnings.is_empty();
        if is_known || is_in_state || self.needle.find(&aside.text).is_none() {
            return;
        }
        let words = format!(
            "in a file of version 1.4 `of: all` means the same as no `of`, and this rule would fail: {} has it",
            aside.source.words()
        );
        let code = Code::Since14;
        self.warnings.push(CodedWarning { code, words });
    }

    fn check(&mut self, view: &View<'_>, text: &str, who: &str) -> Option<Finding> {
        if self.has_failed_in_turn {
            return None;
        }
        let found = view
            .redactor
            .expand_to_secret(text, self.needle.find(text)?);
        self.has_failed_in_turn = true;
        self.has_found = true;
        let said = short(&text[found.clone()]);
        let message = match self.needle.matcher {
            TextMatcher::Literal(_) | TextMatcher::Whole(_) => format!("{who} `{said}`"),
            TextMatcher::Pattern(_) | TextMatcher::Json(_) => {
                format!("{who} `{said}`, which {}", self.needle.finds())
            }
        };
        let words = Evidence::Said(said_by(view.trace.peer, &around(text, found)));
        Some(Finding {
            found: Some(said.clone()),
            ..Finding::in_words(message, self.expected.clone(), [words])
        })
    }
}
