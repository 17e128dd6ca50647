//! `text.equals`: the agent's text is this one, or one of these.

use super::near_text::whole_differences;
use crate::collector::Collector;
use crate::describe::{literally, said_by, short};
use crate::evaluation::{Evidence, Finding, Judgement, Monitor, View, at_scope_end};
use crate::needle::ComparedText;
use crate::rule::{Claim, Rule};
use ananke_base::diagnostic::Difference;
use ananke_base::text::any_of;
use ananke_model::model::{AssertBlock, OneOrMany, Text, TextOf};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::trace::{Fact, Facts};

/// The most texts that are listed.
const SHOWN: usize = 3;

/// Texts of which the agent must say one, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Equals {
    texts: Vec<String>,
    /// The text that is compared with them.
    compared: ComparedText,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.text().and_then(|text| text.equals.as_ref());
    if let Some(OneOrMany(texts)) = collector.switched(written)
        && let [first, ..] = texts.as_slice()
    {
        collector.add(first.span, |interpolation| {
            Equals::compile(texts, ComparedText::of(block), interpolation)
        });
    }
}

impl Rule for Equals {
    fn is_exhaustive(&self) -> bool {
        true
    }

    fn needs(&self) -> Facts {
        Facts::of(&[Fact::Text])
    }

    fn describe(&self) -> String {
        let whose = match self.compared.of {
            TextOf::All | TextOf::Everything => "text",
            TextOf::Final => "a last message",
        };
        format!("{whose} equal to {}{}", self.listed(), self.compared.note())
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let equals = self.clone();
        Ok(at_scope_end(move |view| equals.check(view)))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        vec![Claim::SaysOneOf(&self.texts, self.compared)]
    }
}

impl Equals {
    fn compile(
        texts: &[Text],
        compared: ComparedText,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let texts: Vec<Option<String>> = texts
            .iter()
            .map(|text| {
                interpolation.check_literal(text);
                let text = interpolation.text(text).ok()?;
                Some(compared.form.apply(&text).into_owned())
            })
            .collect();
        Some(Self {
            texts: texts.into_iter().collect::<Option<_>>()?,
            compared,
        })
    }

    fn check(&self, view: &View<'_>) -> Judgement {
        let text = view.text(self.compared.of);
        let in_form = |text: &str| self.compared.form.apply(text).into_owned();
        if self.texts.contains(&in_form(&text)) {
            return Judgement::Passed;
        }
        let (scope, listed) = (view.scope.this(), self.listed());
        let peer = view.trace.peer;
        let message = match (text.is_empty(), self.compared.of) {
            (true, _) => {
                format!("{} nothing in {scope}, expected {listed}", peer.said())
            }
            (false, TextOf::All | TextOf::Everything) => {
                format!("what {} in {scope} is not {listed}", peer.said())
            }
            (false, TextOf::Final) => {
                format!("{} in {scope} is not {listed}", peer.last_message())
            }
        };
        let compared = in_form(&text);
        let nearest = self.nearest(&compared);
        let alike = nearest
            .and_then(|nearest| whole_differences(nearest, &compared))
            .map(|differences| format!("it is the same {differences}"));
        let difference = nearest
            .filter(|_| !text.is_empty())
            .map(|nearest| {
                Difference::between(
                    &view.redactor.text(nearest),
                    &in_form(&view.redactor.text(&text)),
                )
            })
            .filter(|difference| !difference.is_empty());
        // A difference shows what was said.
        let words = difference
            .is_none()
            .then(|| Evidence::Said(said_by(peer, &short(&text))))
            .into_iter()
            .chain(alike.map(Evidence::Words));
        Judgement::failed(Finding {
            difference,
            ..Finding::in_words(message, self.describe(), words)
        })
    }

    fn listed(&self) -> String {
        let word = |text: &String| match text.as_str() {
            "" => "an empty text".to_owned(),
            text => format!("`{}`", literally(text)),
        };
        let mut shown: Vec<String> = self.texts.iter().take(SHOWN).map(word).collect();
        if self.texts.len() > SHOWN {
            shown.push(format!("one of {} more", self.texts.len() - SHOWN));
        }
        any_of(&shown)
    }

    /// The text with the longest common prefix; the first of several that are equally near.
    fn nearest(&self, text: &str) -> Option<&String> {
        let common = |wanted: &&String| {
            wanted
                .bytes()
                .zip(text.bytes())
                .take_while(|(wanted, said)| wanted == said)
                .count()
        };
        self.texts.iter().rev().max_by_key(common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_text_is_the_one_that_begins_alike() {
        let texts = ["yes", "no, thank you", "no"].map(str::to_owned).to_vec();
        let equals = Equals {
            texts,
            compared: ComparedText::default(),
        };
        assert_eq!(equals.nearest("no, thanks").unwrap(), "no, thank you");
        assert_eq!(equals.nearest("maybe").unwrap(), "yes");
        assert_eq!(equals.listed(), "`yes`, `no, thank you` or `no`");
    }
}
