//! `text.must_match` and `text.contains`: what the agent's text must contain somewhere.

use super::collect::collect;
use super::near_text::{NearFor, NearText};
use crate::collector::Collector;
use crate::describe::{said_by, short};
use crate::evaluation::{Evidence, Finding, Judgement, Monitor, at_scope_end};
use crate::needle::Needle;
use crate::rule::{Claim, Rule};
use ananke_model::model::{AssertBlock, TextOf};
use ananke_model::variables::Patterns;
use ananke_trace::trace::{Fact, Facts};

/// A regex that must match, or a text that must be contained, somewhere in the agent's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MustMatch(Needle);

pub(crate) fn compile_patterns(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.text().and_then(|text| text.must_match.as_ref());
    collect(written, block, Needle::pattern, MustMatch, collector);
}

pub(crate) fn compile_literals(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.text().and_then(|text| text.contains.as_ref());
    collect(written, block, Needle::literal, MustMatch, collector);
}

impl Rule for MustMatch {
    fn needs(&self) -> Facts {
        Facts::of(&[Fact::Text])
    }

    fn describe(&self) -> String {
        let article = match self.0.compared.of {
            TextOf::All | TextOf::Everything => "",
            TextOf::Final => "a ",
        };
        format!("{article}{}", self.0.describe())
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let (expected, of, needle) = (
            self.describe(),
            self.0.compared.of,
            self.0.started(patterns)?,
        );
        Ok(at_scope_end(move |view| {
            let text = view.text(of);
            if needle.is_in(&text) {
                return Judgement::Passed;
            }
            let (scope, peer) = (view.scope.this(), view.trace.peer);
            let message = match of {
                TextOf::All | TextOf::Everything => {
                    format!("nothing {} in {scope} {}", peer.said(), needle.finds())
                }
                TextOf::Final if text.is_empty() => {
                    let must = needle.must_find();
                    format!(
                        "{} nothing in {scope}, where its last message must {must}",
                        peer.said()
                    )
                }
                TextOf::Final => {
                    format!(
                        "{} in {scope} does not {}",
                        peer.last_message(),
                        needle.must_find()
                    )
                }
            };
            let mut words = vec![Evidence::Said(said_by(peer, &short(&text)))];
            if let Some(near) = NearText::find(&needle, &text, NearFor::Requirement) {
                let place = view.redactor.expand_to_secret(&text, near.place.clone());
                let differs = format!("`{}` occurs {}", short(&text[place]), near.words());
                words.push(Evidence::Words(differs));
            }
            Judgement::failed(Finding::in_words(message, expected.clone(), words))
        }))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        vec![Claim::Says(&self.0)]
    }
}
