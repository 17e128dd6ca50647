//! Blocks of assertions that others extend by name.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, SourceFile, Span};
use crate::model::{AssertBlock, Text};
use crate::schema::suggest;
use crate::source::{FreeMap, printable};

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
        blocks.find(|(known, _)| known.value == name).map(|(known, block)| (known.value.as_str(), block))
    }

    /// That no block is called `written`, and what to do about it.
    pub(super) fn unknown(&self, written: &Text) -> (String, String) {
        let known: Vec<&str> =
            self.blocks.into_iter().flatten().map(|(name, _)| name.value.as_str()).collect();
        let message = format!("there are no assertions `{}`", printable(&written.value));
        let help = match known.as_slice() {
            [] => format!("{} has no `assertions`", self.source.name),
            known => suggest(&written.value, known, "the assertions are"),
        };
        (message, help)
    }

    /// What is wrong with how the blocks extend each other; a circle is told once, of the block that comes first in it.
    pub fn check(&self, problems: &mut Vec<Diagnostic>) {
        for (index, (_, block)) in self.blocks.into_iter().flatten().enumerate() {
            for written in block.extends.iter().flatten() {
                if self.find(&written.value).is_none() {
                    let (message, help) = self.unknown(written);
                    let problem = Diagnostic::error(Code::UnknownName, message);
                    problems.push(problem.at(self.source, written.span, "").help(help));
                }
            }
            if let Some((written, names)) = self.circle(index) {
                problems.push(circular(&names, written.span, self.source));
            }
        }
    }

    /// A way from the block at `index` back to itself over blocks behind it, where there is one: its first step, and all
    /// names on it.
    fn circle(&self, index: usize) -> Option<(&'a Text, Vec<&'a str>)> {
        let blocks: Vec<_> = self.blocks.into_iter().flatten().collect();
        let place = |name: &str| blocks.iter().position(|(known, _)| known.value == name);
        let steps = |at: usize| blocks[at].1.extends.iter().flatten();
        // How each block was reached: from which, and by which word. Each is visited once.
        let mut reached: Vec<Option<usize>> = vec![None; blocks.len()];
        let mut open = vec![index];
        while let Some(at) = open.pop() {
            for next in steps(at).filter_map(|written| place(&written.value)).filter(|next| *next >= index) {
                if next == index {
                    let mut way = vec![index, at];
                    while let Some(last) = way.last().filter(|last| **last != index) {
                        way.push(reached[*last]?);
                    }
                    way.reverse();
                    let names: Vec<&str> = way.iter().map(|at| blocks[*at].0.value.as_str()).collect();
                    let first = steps(index).find(|written| Some(&written.value.as_str()) == names.get(1))?;
                    return Some((first, names));
                }
                if reached[next].is_none() {
                    reached[next] = Some(at);
                    open.push(next);
                }
            }
        }
        None
    }
}

/// Names that extend each other in a circle, the first one again at the end.
pub fn circular(names: &[&str], span: Span, source: &Arc<SourceFile>) -> Diagnostic {
    let message = match names {
        [name, _] => format!("`{name}` extends itself"),
        names => format!("`{}` extend each other in a circle", names.join("` → `")),
    };
    Diagnostic::error(Code::CircularExtends, message)
        .at(source, span, "")
        .help("one of them must stand on its own")
}
