//! Blocks of assertions that others extend by name.

use std::collections::HashMap;
use std::sync::Arc;

use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span, Spanned};
use ananke_base::source::{FreeMap, printable};
use ananke_base::text::suggest;
use ananke_model::model::{AssertBlock, Text};

/// The `assertions` of a config.
#[derive(Clone, Copy, Debug)]
pub struct Library<'a> {
    /// The config.
    pub source: &'a Arc<SourceFile>,
    /// The blocks; `None` where it has none.
    pub blocks: Option<&'a FreeMap<AssertBlock>>,
}

impl<'a> Library<'a> {
    /// The block of this name.
    pub(super) fn find(&self, name: &str) -> Option<(&'a str, &'a AssertBlock)> {
        let mut blocks = self.blocks.into_iter().flatten();
        blocks
            .find(|(known, _)| known.value == name)
            .map(|(known, block)| (known.value.as_str(), block))
    }

    /// That no block is called `written`, and what to do about it.
    pub(super) fn unknown(&self, written: &Text) -> (String, String) {
        let known: Vec<&str> = self
            .blocks
            .into_iter()
            .flatten()
            .map(|(name, _)| name.value.as_str())
            .collect();
        let message = format!("unknown assertions `{}`", printable(&written.value));
        let help = match known.as_slice() {
            [] => format!("{} has no `assertions`", self.source.name),
            known => suggest(&written.value, known, "the assertions are"),
        };
        (message, help)
    }

    /// Reports the mistakes in how the blocks extend each other; a circle is reported once.
    pub fn check(&self, problems: &mut Vec<Diagnostic>) {
        let blocks: Vec<(&str, &[Text])> = self.blocks.into_iter().flatten().map(extends).collect();
        let places: HashMap<&str, usize> = blocks
            .iter()
            .enumerate()
            .map(|(place, (name, _))| (*name, place))
            .collect();
        let mut is_done = vec![false; blocks.len()];
        for start in 0..blocks.len() {
            // The way from `start`, each block with how many of its words were followed.
            let mut way: Vec<(usize, usize)> = if is_done[start] {
                Vec::new()
            } else {
                vec![(start, 0)]
            };
            while let Some((at, followed)) = way.last_mut() {
                let Some(word) = blocks[*at].1.get(*followed) else {
                    is_done[*at] = true;
                    way.pop();
                    continue;
                };
                *followed += 1;
                let Some(next) = places.get(word.value.as_str()).copied() else {
                    let (message, help) = self.unknown(word);
                    let problem = Diagnostic::error(Code::UnknownName, message);
                    problems.push(problem.at(self.source, word.span, "").help(help));
                    continue;
                };
                if let Some(position) = way.iter().position(|(block, _)| *block == next) {
                    let circle = way[position..]
                        .iter()
                        .map(|(block, _)| *block)
                        .chain([next]);
                    let names: Vec<&str> = circle.map(|block| blocks[block].0).collect();
                    let (first, followed) = way[position];
                    problems.push(circular(
                        &names,
                        blocks[first].1[followed - 1].span,
                        self.source,
                    ));
                } else if !is_done[next] {
                    way.push((next, 0));
                }
            }
        }
    }
}

/// A block's name, and what it extends.
fn extends((name, block): &(Spanned<String>, AssertBlock)) -> (&str, &[Text]) {
    (name.as_str(), block.extends.as_deref().unwrap_or_default())
}

/// Names that extend each other in a circle, the first one again at the end.
pub fn circular(names: &[&str], span: Span, source: &Arc<SourceFile>) -> Diagnostic {
    let message = match names {
        [name, _] => format!("`{name}` extends itself"),
        names => format!("`{}` extend each other in a circle", names.join("` → `")),
    };
    Diagnostic::error(Code::CircularExtends, message)
        .at(source, span, "")
        .help("remove `extends` from one of them")
}
