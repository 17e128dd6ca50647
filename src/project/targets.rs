//! The targets of a config by name, each with everything it takes over from others.
//!
//! The tree of the config flows in, targets flow out. Mappings are merged, anything else is replaced by the inner one; the
//! assertions stay apart, outer first, since they are merged as those of levels are (SPEC 4).

use std::collections::HashMap;
use std::sync::Arc;

use crate::assertion::{Block, Library, circular};
use crate::diagnostic::{Code, Diagnostic, SourceFile};
use crate::model::{AssertBlock, ChosenTarget, ConfigFile, NamedTarget, TAG_DEFAULTS, Target, Text};
use crate::outcome::Level;
use crate::source::{self, Entry, Node, NodeValue};
use crate::text::suggest;
use crate::variables::Filling;

/// The name of the target that a config writes at `target` (SPEC 4).
const DEFAULT: &str = "default";

/// How many targets may extend each other one after the other: far more than people write.
const MOST_EXTENDED: usize = 32;

/// Keys of a named target that are no part of the merged one.
const APART: [&str; 2] = ["extends", "assert"];

/// A target as tests use it.
#[derive(Clone, Debug)]
pub struct ResolvedTarget {
    /// Its name.
    pub name: String,
    /// Everything but its assertions.
    pub(crate) model: Target,
    asserts: Vec<AssertBlock>,
}

impl ResolvedTarget {
    /// What every test of this target inherits.
    pub(crate) fn block(&self, library: Library<'_>, filling: &mut Filling<'_>) -> Block {
        Block::compile(&self.asserts, Level::Target, Some(library), filling)
    }
}

/// Whether it is the target written at `target`, which has no name of its own.
pub fn is_default(name: &str) -> bool {
    name == DEFAULT
}

/// What one target says itself.
#[derive(Clone, Copy)]
struct Link<'a> {
    name: &'a str,
    node: &'a Node,
    assert: Option<&'a AssertBlock>,
    extends: Option<&'a Text>,
}

/// The target that is written at `target`, as it is.
pub(super) fn own(model: &ConfigFile) -> Option<ResolvedTarget> {
    let ChosenTarget::Own(target) = &model.target else { return None };
    let asserts = target.assert_block().cloned().into_iter().collect();
    Some(ResolvedTarget { name: DEFAULT.to_owned(), model: (**target).clone(), asserts })
}

/// All targets of a config, the one written at `target` first; what is wrong with them goes to `problems`.
pub(super) fn resolve(
    source: &Arc<SourceFile>,
    root: &Node,
    model: &ConfigFile,
    problems: &mut Vec<Diagnostic>,
) -> Vec<ResolvedTarget> {
    let links = links(source, root, model, problems);
    let by_name: HashMap<&str, Link<'_>> = links.iter().map(|link| (link.name, *link)).collect();
    let mut resolved: Vec<ResolvedTarget> = own(model).into_iter().collect();
    for link in &links {
        if link.extends.is_none() && is_default(link.name) && !resolved.is_empty() {
            continue;
        }
        match chain(*link, &links, &by_name, source) {
            Ok(chain) => resolved.extend(merge(&chain, source, problems)),
            Err(problem) => problems.extend(problem),
        }
    }
    resolved
}

fn links<'a>(
    source: &Arc<SourceFile>,
    root: &'a Node,
    model: &'a ConfigFile,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Link<'a>> {
    let mut links = Vec::new();
    if let (ChosenTarget::Own(target), Some(node)) = (&model.target, root.get("target")) {
        links.push(Link { name: DEFAULT, node, assert: target.assert_block(), extends: None });
    }
    let nodes = root.get("targets").map_or(&[][..], Node::entries);
    for ((name, target), Entry { value: node, .. }) in model.targets.iter().flatten().zip(nodes) {
        if is_default(name) && matches!(model.target, ChosenTarget::Own(_)) {
            let message = "`default` is the name of the target that is written at `target`";
            let help = "give this one another name, or choose it with `target: default`";
            problems
                .push(Diagnostic::error(Code::Contradiction, message).at(source, name.span, "").help(help));
            continue;
        }
        links.push(Link { name, node, assert: target.assert_block(), extends: NamedTarget::extends(target) });
    }
    links
}

/// A target and those it takes over from, itself first; nothing where that is a problem that was told of another target.
fn chain<'a>(
    first: Link<'a>,
    links: &[Link<'a>],
    by_name: &HashMap<&str, Link<'a>>,
    source: &Arc<SourceFile>,
) -> Result<Vec<Link<'a>>, Option<Diagnostic>> {
    let mut chain = vec![first];
    while let Some(extends) = chain.last().and_then(|link| link.extends) {
        let Some(next) = by_name.get(extends.value.as_str()) else {
            let known: Vec<&str> = links.iter().map(|link| link.name).collect();
            return Err(Some(unknown_target(extends, source, &known)));
        };
        if let Some(position) = chain.iter().position(|link| link.name == next.name) {
            // Told once, of the one that comes first in the file.
            let told =
                links.iter().find(|link| chain[position..].iter().any(|other| other.name == link.name));
            return Err(told.filter(|told| told.name == first.name && position == 0).map(|_| {
                let names: Vec<&str> = chain.iter().chain([next]).map(|link| link.name).collect();
                circular(&names, first.extends.map_or(first.node.span, |extends| extends.span), source)
            }));
        }
        if chain.len() == MOST_EXTENDED {
            let message = format!("more than {MOST_EXTENDED} targets extend each other");
            return Err(Some(Diagnostic::error(Code::LimitExceeded, message).at(source, extends.span, "")));
        }
        chain.push(*next);
    }
    Ok(chain)
}

fn merge(
    chain: &[Link<'_>],
    source: &Arc<SourceFile>,
    problems: &mut Vec<Diagnostic>,
) -> Option<ResolvedTarget> {
    let (first, base) = (chain.first()?, chain.last()?);
    let mut node = without_apart(base.node);
    for link in chain.iter().rev().skip(1) {
        overlay(&mut node, &without_apart(link.node));
    }
    match source::from_node::<Target>(&node, TAG_DEFAULTS) {
        Ok(model) => Some(ResolvedTarget {
            name: first.name.to_owned(),
            model,
            asserts: chain.iter().rev().filter_map(|link| link.assert.cloned()).collect(),
        }),
        Err(mismatch) => {
            let written = |link: &&Link<'_>| {
                let mut keys = link.node.entries().iter();
                keys.any(|entry| entry.key_span == mismatch.span && entry.value.span != mismatch.span)
            };
            let problem = match (chain.iter().find(written), base.node.get("type").and_then(Node::as_str)) {
                (Some(link), Some(kind)) => {
                    let name = link.name;
                    let message = format!("a target of the type `{kind}` has no such key");
                    let help = format!("`{name}` has the type of `{}`, which it extends", base.name);
                    Diagnostic::error(Code::UnknownKey, message).help(help)
                }
                _ => Diagnostic::error(Code::WrongType, mismatch.message),
            };
            problems.push(problem.at(source, mismatch.span, ""));
            None
        }
    }
}

fn without_apart(node: &Node) -> Node {
    let kept = node.entries().iter().filter(|entry| !APART.contains(&entry.key.as_str()));
    Node { value: NodeValue::Map(kept.cloned().collect()), span: node.span }
}

/// Puts `inner` over `outer`: mappings are merged, anything else is replaced.
fn overlay(outer: &mut Node, inner: &Node) {
    let NodeValue::Map(known) = &mut outer.value else {
        *outer = inner.clone();
        return;
    };
    let NodeValue::Map(entries) = &inner.value else {
        *outer = inner.clone();
        return;
    };
    for entry in entries {
        match known.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => {
                overlay(&mut known.value, &entry.value);
                known.key_span = entry.key_span;
            }
            None => known.push(entry.clone()),
        }
    }
    outer.span = inner.span;
}

/// A name that no target has.
pub(crate) fn unknown_target(written: &Text, source: &Arc<SourceFile>, known: &[&str]) -> Diagnostic {
    unknown_name(&written.value, known).at(source, written.span, "")
}

/// The same of a name that stands in no file.
pub(super) fn unknown_name(name: &str, known: &[&str]) -> Diagnostic {
    let message = format!("there is no target `{}`", source::printable(name));
    let help = match known {
        [] => "the config has no `targets`".to_owned(),
        known => suggest(name, known, "the targets are"),
    };
    Diagnostic::error(Code::UnknownName, message).help(help)
}
