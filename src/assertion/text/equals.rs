//! `text.equals`: the text of the home is this one, or one of these.

use crate::assertion::describe::{self, literally, said, short};
use crate::assertion::judge::Told;
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::diagnostic::Difference;
use crate::model::{Text, TextOf};
use crate::variables::Filling;

/// Texts of which the agent must say one, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equals {
    /// The texts.
    pub texts: Vec<String>,
    /// What is compared with them.
    pub of: TextOf,
}

/// How many texts are written out.
const SHOWN: usize = 3;

impl Equals {
    pub(crate) fn compile(texts: &[Text], of: TextOf, filling: &mut Filling<'_>) -> Option<Self> {
        let texts: Vec<Option<String>> = texts.iter().map(|text| filling.text(text).ready()).collect();
        Some(Self { texts: texts.into_iter().collect::<Option<_>>()?, of })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let whose = match self.of {
            TextOf::All => "text",
            TextOf::Final => "a last message",
        };
        format!("{whose} equal to {}", self.listed())
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        format!("settled at the end of {}", home.words())
    }

    pub(crate) fn start(&self) -> Monitor {
        Monitor { equals: self.clone() }
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
        shown.join(" or ")
    }

    /// The text that has most in common with what was said.
    fn nearest(&self, text: &str) -> Option<&String> {
        let common = |wanted: &&String| {
            wanted.bytes().zip(text.bytes()).take_while(|(wanted, said)| wanted == said).count()
        };
        // The first of several that are equally near.
        self.texts.iter().rev().max_by_key(common)
    }
}

/// Judged once, at the end of its home.
#[derive(Debug)]
pub struct Monitor {
    equals: Equals,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(_) | Moment::TurnEnd => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => {}
        }
        let Equals { texts, of } = &self.equals;
        let text = scope.text(*of);
        if texts.contains(&text) {
            return Judgement::Holds;
        }
        let (home, listed) = (scope.home.this(), self.equals.listed());
        let message = match (text.is_empty(), of) {
            (true, _) => format!("the agent said nothing in {home}, expected {listed}"),
            (false, TextOf::All) => format!("what the agent said in {home} is not {listed}"),
            (false, TextOf::Final) => format!("the agent's last message in {home} is not {listed}"),
        };
        let mut seen = vec![Seen::Words(said(&short(&text)))];
        let nearest = self.equals.nearest(&text);
        seen.extend(nearest.and_then(|nearest| nearly(nearest, &text)).map(Seen::Words));
        // One line beside another is compared by eye; more lines are not.
        let is_long = |text: &str| text.contains('\n') || describe::is_long(text);
        let difference = nearest
            .filter(|nearest| !text.is_empty() && (is_long(nearest) || is_long(&text)))
            .map(|nearest| Difference::between(&scope.redactor.text(nearest), &scope.redactor.text(&text)))
            .filter(|difference| !difference.is_empty());
        let finding = Finding { message, expected: self.equals.describe(), seen, events: Vec::new() };
        Judgement::Told(Box::new(Told { finding, difference, help: None }))
    }
}

/// What makes two texts differ though they look alike.
fn nearly(wanted: &str, text: &str) -> Option<String> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    if wanted.trim() == text.trim() {
        Some("only the blanks and line ends around it differ".to_owned())
    } else if words(wanted) == words(text) {
        Some("only blanks and line ends differ".to_owned())
    } else if wanted.to_lowercase() == text.to_lowercase() {
        Some("only upper and lower case differ".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_told_apart() {
        assert_eq!(nearly("a b\n", "a b").unwrap(), "only the blanks and line ends around it differ");
        assert_eq!(nearly("a b", "a\n b").unwrap(), "only blanks and line ends differ");
        assert_eq!(nearly("Ab", "aB").unwrap(), "only upper and lower case differ");
        assert_eq!(nearly("a", "b"), None);
    }

    #[test]
    fn the_nearest_text_is_the_one_that_begins_alike() {
        let texts = ["yes", "no, thank you", "no"].map(str::to_owned).to_vec();
        let equals = Equals { texts, of: TextOf::All };
        assert_eq!(equals.nearest("no, thanks").unwrap(), "no, thank you");
        assert_eq!(equals.nearest("maybe").unwrap(), "yes");
        assert_eq!(equals.listed(), "`yes` or `no, thank you` or `no`");
    }
}
