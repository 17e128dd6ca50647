//! The naive judge: what a rule comes to, by looking at everything again for every question. It shares no code with the rules.

use super::conversation::{Conversation, Item};
use super::rule::{Mode, Relation, Rule, Step};

/// Something that began; its place is its index.
struct Thing<'c> {
    turn: usize,
    kind: Kind<'c>,
}

enum Kind<'c> {
    User(&'c str),
    Says(&'c str),
    Call(usize, &'c str, &'c str),
    Result(usize, &'c str),
}

/// Whether a rule holds.
pub(super) fn holds(rule: &Rule, conversation: &Conversation) -> bool {
    let all = Judge(things(conversation));
    match rule {
        Rule::Require {
            tool,
            k,
            count,
            after,
            after_result,
        } => {
            let selected: Vec<usize> =
                all.where_(|thing| Judge::is_call(thing, Some(tool), k.as_deref()));
            let (least, most) = count.unwrap_or((1, usize::MAX));
            (least..=most).contains(&selected.len())
                && selected.iter().all(|place| {
                    let before = &all.0[..*place];
                    after.as_ref().is_none_or(|tool| {
                        before
                            .iter()
                            .any(|thing| Judge::is_call(thing, Some(tool), None))
                    }) && after_result.as_ref().is_none_or(|tool| {
                        before
                            .iter()
                            .any(|thing| all.is_result(thing, Some(tool), None))
                    })
                })
        }
        Rule::ForbidCalls { tool, k } => all
            .where_(|thing| Judge::is_call(thing, Some(tool), k.as_deref()))
            .is_empty(),
        Rule::MaxCalls(most) => {
            all.where_(|thing| Judge::is_call(thing, None, None)).len() <= *most
        }
        Rule::Sequence { mode, steps } => all.sequence(*mode, steps),
        Rule::Whenever {
            trigger,
            relation,
            groups,
            within_turn,
        } => all
            .where_(|thing| all.is(trigger, thing))
            .iter()
            .all(|trigger| {
                let comes = |step: &Step| {
                    (0..all.0.len()).any(|place| {
                        let is_there = match relation {
                            Relation::Preceded | Relation::NotPreceded => {
                                all.counts_from(step, place) < *trigger
                            }
                            Relation::Followed | Relation::NotFollowed => place > *trigger,
                        };
                        is_there
                            && all.is(step, &all.0[place])
                            && (!within_turn || all.0[place].turn == all.0[*trigger].turn)
                    })
                };
                match relation {
                    Relation::Preceded | Relation::Followed => {
                        groups.iter().all(|group| group.iter().any(comes))
                    }
                    Relation::NotPreceded | Relation::NotFollowed => {
                        !groups.iter().flatten().any(comes)
                    }
                }
            }),
        Rule::Text { must, pattern } => all.text().contains(pattern.as_str()) == *must,
        Rule::Equals(text) => all.text() == *text,
        Rule::Provenance {
            tool,
            user,
            results,
        } => all
            .where_(|thing| Judge::is_call(thing, Some(tool), None))
            .iter()
            .all(|place| {
                let Kind::Call(_, _, value) = all.0[*place].kind else {
                    return true;
                };
                all.0[..*place].iter().any(|thing| match thing.kind {
                    Kind::User(text) => *user && has_word(text, value),
                    // What a result repeats of its own arguments proves nothing.
                    Kind::Result(id, text) => {
                        *results && has_word(text, value) && all.value_of(id) != Some(value)
                    }
                    Kind::Says(_) | Kind::Call(..) => false,
                })
            }),
    }
}

fn things(conversation: &Conversation) -> Vec<Thing<'_>> {
    let mut all = Vec::new();
    for (turn, told) in conversation.0.iter().enumerate() {
        if !told.user.is_empty() {
            all.push(Thing {
                turn,
                kind: Kind::User(&told.user),
            });
        }
        all.extend(told.items.iter().filter_map(|item| {
            let kind = match item {
                Item::Says(text) => Kind::Says(text),
                Item::Call { id, tool, k } => Kind::Call(*id, tool, k),
                Item::Result { id, text } => Kind::Result(*id, text),
                Item::State(_) => return None,
            };
            Some(Thing { turn, kind })
        }));
    }
    all
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(' ').any(|part| part == word)
}

/// Whether a pattern of the soak matches: a text, with `^` or `$` at its ends.
fn matches(pattern: &str, text: &str) -> bool {
    match (pattern.strip_prefix('^'), pattern.strip_suffix('$')) {
        (Some(start), _) => text.starts_with(start),
        (None, Some(end)) => text.ends_with(end),
        (None, None) => text.contains(pattern),
    }
}

struct Judge<'c>(Vec<Thing<'c>>);

impl<'c> Judge<'c> {
    fn where_(&self, is_it: impl Fn(&Thing<'c>) -> bool) -> Vec<usize> {
        (0..self.0.len())
            .filter(|place| is_it(&self.0[*place]))
            .collect()
    }

    fn is_call(thing: &Thing<'_>, tool: Option<&str>, k: Option<&str>) -> bool {
        matches!(thing.kind, Kind::Call(_, name, value) if tool.is_none_or(|tool| tool == name) && k.is_none_or(|k| k == value))
    }

    fn is_result(&self, thing: &Thing<'_>, tool: Option<&str>, matching: Option<&str>) -> bool {
        matches!(thing.kind, Kind::Result(id, text) if tool.is_none_or(|tool| self.tool_of(id) == Some(tool))
            && matching.is_none_or(|pattern| matches(pattern, text)))
    }

    fn call(&self, id: usize) -> Option<(&'c str, &'c str)> {
        self.0.iter().find_map(|thing| match thing.kind {
            Kind::Call(own, tool, value) if own == id => Some((tool, value)),
            _ => None,
        })
    }

    fn tool_of(&self, id: usize) -> Option<&'c str> {
        Some(self.call(id)?.0)
    }

    fn value_of(&self, id: usize) -> Option<&'c str> {
        Some(self.call(id)?.1)
    }

    fn result_of(&self, id: usize) -> Option<usize> {
        self.0
            .iter()
            .position(|thing| matches!(thing.kind, Kind::Result(own, _) if own == id))
    }

    fn is(&self, step: &Step, thing: &Thing<'_>) -> bool {
        match (step, &thing.kind) {
            (Step::Call { tool, k, executed }, Kind::Call(id, ..)) => {
                Judge::is_call(thing, tool.as_deref(), k.as_deref())
                    && (!executed || self.result_of(*id).is_some())
            }
            (Step::Result { tool, matching }, Kind::Result(..)) => {
                self.is_result(thing, tool.as_deref(), matching.as_deref())
            }
            (
                Step::Says {
                    pattern,
                    user: false,
                },
                Kind::Says(text),
            )
            | (
                Step::Says {
                    pattern,
                    user: true,
                },
                Kind::User(text),
            ) => matches(pattern, text),
            _ => false,
        }
    }

    /// What became of a call counts from its result on.
    fn counts_from(&self, step: &Step, place: usize) -> usize {
        match (step, &self.0[place].kind) {
            (Step::Call { executed: true, .. }, Kind::Call(id, ..)) => {
                self.result_of(*id).unwrap_or(usize::MAX)
            }
            _ => place,
        }
    }

    fn sequence(&self, mode: Mode, steps: &[Step]) -> bool {
        let is_named = |thing: &Thing<'_>| {
            steps.iter().any(|step| match (step, &thing.kind) {
                (Step::Call { .. }, Kind::Call(..)) | (Step::Result { .. }, Kind::Result(..)) => {
                    true
                }
                (Step::Says { user, .. }, kind) => {
                    matches!((user, kind), (true, Kind::User(_)) | (false, Kind::Says(_)))
                }
                _ => false,
            })
        };
        let things: Vec<&Thing<'_>> = self.0.iter().filter(|thing| is_named(thing)).collect();
        match mode {
            Mode::Exact => {
                things.len() == steps.len()
                    && things
                        .iter()
                        .zip(steps)
                        .all(|(thing, step)| self.is(step, thing))
            }
            Mode::InOrder => {
                let mut rest = things.iter();
                steps
                    .iter()
                    .all(|step| rest.any(|thing| self.is(step, thing)))
            }
            Mode::AnyOrder => things.len() == steps.len() && self.assigns(steps, &things),
            Mode::AtLeast => self.assigns(steps, &things),
            Mode::Only => things
                .iter()
                .all(|thing| steps.iter().any(|step| self.is(step, thing))),
        }
    }

    /// Whether each step can have a thing of its own.
    fn assigns(&self, steps: &[Step], things: &[&Thing<'_>]) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            return true;
        };
        (0..things.len()).any(|index| {
            let mut others = things.to_vec();
            self.is(step, others.remove(index)) && self.assigns(rest, &others)
        })
    }

    fn text(&self) -> String {
        let said = self.0.iter().filter_map(|thing| match thing.kind {
            Kind::Says(text) => Some(text),
            _ => None,
        });
        said.collect::<Vec<_>>().join("\n")
    }
}
