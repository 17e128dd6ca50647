//! The targets of a config by name, each with everything it takes over from others.
//!
//! The tree of the config flows in, targets flow out. Mappings are merged, anything else is replaced by the inner one; the
//! assertions stay apart, outer first, since they are merged as those of levels are (SPEC 4).

use std::collections::HashMap;
use std::sync::Arc;

use super::config_file::ConfigFile;
use ananke_agents::{ChosenTarget, NamedTarget, TargetConfig};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::{self, Node, NodeValue};
use ananke_base::text::suggest;
use ananke_model::model::{AssertBlock, Text};
use ananke_model::variables::Interpolation;
use ananke_rules::{Block, Library, circular};
use ananke_trace::outcome::Level;

/// The name of the target that a config writes at `target` (SPEC 4).
pub(super) const DEFAULT: &str = "default";

/// The number of targets that may extend each other one after the other: far more than people write.
const MOST_EXTENDED: usize = 32;

/// A target as tests use it.
#[derive(Clone, Debug)]
pub struct ResolvedTarget {
    /// Its name.
    pub name: String,
    /// Everything but its assertions.
    pub model: TargetConfig,
    asserts: Vec<AssertBlock>,
}

impl ResolvedTarget {
    /// The block of rules that every test of this target inherits.
    pub(crate) fn block(
        &self,
        library: Library<'_>,
        interpolation: &mut Interpolation<'_>,
    ) -> Block {
        Block::compile(&self.asserts, Level::Target, Some(library), interpolation)
    }
}

/// Whether it is the target written at `target`, which has no name of its own.
pub fn is_default(name: &str) -> bool {
    name == DEFAULT
}

/// A target with its name.
#[derive(Clone)]
struct Link {
    name: String,
    target: NamedTarget,
    extends: Option<Text>,
}

/// The target that is written at `target`, as it is.
pub(super) fn own(model: &ConfigFile) -> Option<ResolvedTarget> {
    let ChosenTarget::Own(node) = &model.target else {
        return None;
    };
    let target = TargetConfig::read(node).ok()?;
    let asserts = target.common.assert.clone().into_iter().collect();
    Some(ResolvedTarget {
        name: DEFAULT.to_owned(),
        model: target,
        asserts,
    })
}

/// All targets of a config, the one written at `target` first; what is wrong with them goes to `problems`.
pub(super) fn resolve(
    source: &Arc<SourceFile>,
    model: &ConfigFile,
    problems: &mut Vec<Diagnostic>,
) -> Vec<ResolvedTarget> {
    let links = links(source, model, problems);
    let by_name: HashMap<&str, &Link> = links
        .iter()
        .map(|link| (link.name.as_str(), link))
        .collect();
    let mut resolved: Vec<ResolvedTarget> = own(model).into_iter().collect();
    for link in &links {
        if link.extends.is_none() && is_default(&link.name) && !resolved.is_empty() {
            continue;
        }
        match chain(link, &links, &by_name, source) {
            Ok(chain) => resolved.extend(merge(&chain, source, problems)),
            Err(problem) => problems.extend(problem),
        }
    }
    resolved
}

/// Lets each problem of an unknown key in a target that extends another offer the keys that the target can have: those
/// of the protocol of the target that it extends in the end. `root` is the config as it is written.
pub(super) fn suggest_own_keys(
    source: &Arc<SourceFile>,
    root: &Node,
    model: &ConfigFile,
    problems: &mut [Diagnostic],
) {
    let links = links(source, model, &mut Vec::new());
    let by_name: HashMap<&str, &Link> = links
        .iter()
        .map(|link| (link.name.as_str(), link))
        .collect();
    for link in &links {
        let Ok(chain) = chain(link, &links, &by_name, source) else {
            continue;
        };
        let base = chain.last().map_or(link, |base| *base);
        let Some(misplaced) = link.target.misplaced_keys(&base.target.node) else {
            continue;
        };
        let known: Vec<&str> = misplaced.known.iter().map(String::as_str).collect();
        let written = root
            .get("targets")
            .and_then(|targets| targets.get(&link.name));
        for entry in written
            .into_iter()
            .flat_map(Node::entries)
            .filter(|entry| entry.key != "type")
        {
            let is_about_it = |problem: &&mut Diagnostic| {
                problem.code == Code::UnknownKey
                    && problem
                        .labels
                        .iter()
                        .any(|label| label.span == entry.key_span)
            };
            for problem in problems.iter_mut().filter(is_about_it) {
                problem.help = vec![suggest(&entry.key, &known, "the keys here are")];
                problem
                    .fixes
                    .retain(|fix| known.contains(&fix.text.trim_matches(['"', '\''])));
            }
        }
    }
}

fn links(
    source: &Arc<SourceFile>,
    model: &ConfigFile,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Link> {
    let link = |name: &str, target: NamedTarget| Link {
        name: name.to_owned(),
        extends: target.extends(),
        target,
    };
    let mut links = Vec::new();
    if let ChosenTarget::Own(node) = &model.target {
        links.push(link(DEFAULT, NamedTarget { node: node.clone() }));
    }
    for (name, target) in model.targets.iter().flatten() {
        if is_default(name) && matches!(model.target, ChosenTarget::Own(_)) {
            let message = "`default` is the name of the target that is written at `target`";
            let help = "give this one another name, or choose it with `target: default`";
            problems.push(
                Diagnostic::error(Code::Contradiction, message)
                    .at(source, name.span, "")
                    .help(help),
            );
            continue;
        }
        links.push(link(name, target.clone()));
    }
    links
}

/// A target and those it extends, itself first; nothing if that is a problem that was reported for another target.
fn chain<'a>(
    first: &'a Link,
    links: &[Link],
    by_name: &HashMap<&str, &'a Link>,
    source: &Arc<SourceFile>,
) -> Result<Vec<&'a Link>, Option<Diagnostic>> {
    let mut chain = vec![first];
    while let Some(extends) = chain.last().and_then(|link: &&Link| link.extends.as_ref()) {
        let Some(next) = by_name.get(extends.value.as_str()) else {
            let known: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
            return Err(Some(unknown_target(extends, source, &known)));
        };
        if let Some(position) = chain.iter().position(|link| link.name == next.name) {
            // A cycle is reported once, at the target that comes first in the file.
            let cycle = links.iter().find(|link| {
                chain[position..]
                    .iter()
                    .any(|other| other.name == link.name)
            });
            return Err(cycle
                .filter(|cycle| cycle.name == first.name && position == 0)
                .map(|_| {
                    let names: Vec<&str> = chain
                        .iter()
                        .chain([next])
                        .map(|link| link.name.as_str())
                        .collect();
                    circular(
                        &names,
                        first
                            .extends
                            .as_ref()
                            .map_or(first.target.node.span, |extends| extends.span),
                        source,
                    )
                }));
        }
        if chain.len() == MOST_EXTENDED {
            let message = format!("more than {MOST_EXTENDED} targets extend each other");
            return Err(Some(Diagnostic::error(Code::LimitExceeded, message).at(
                source,
                extends.span,
                "",
            )));
        }
        chain.push(next);
    }
    Ok(chain)
}

fn merge(
    chain: &[&Link],
    source: &Arc<SourceFile>,
    problems: &mut Vec<Diagnostic>,
) -> Option<ResolvedTarget> {
    let (first, base) = (chain.first()?, chain.last()?);
    let before = problems.len();
    problems.extend(first.misplaced_keys(base, source));
    if problems.len() > before {
        return None;
    }
    let mut node = base.target.merged_keys(&base.target.node);
    for link in chain.iter().rev().skip(1) {
        overlay(&mut node, &link.target.merged_keys(&base.target.node));
    }
    match TargetConfig::read(&node) {
        Ok(model) => Some(ResolvedTarget {
            name: first.name.clone(),
            model,
            asserts: chain
                .iter()
                .rev()
                .filter_map(|link| link.target.assert_block())
                .collect(),
        }),
        // Said of the link that writes them.
        Err(_)
            if chain
                .iter()
                .any(|link| !link.misplaced_keys(base, source).is_empty()) =>
        {
            None
        }
        Err(mismatch) => {
            let problem = Diagnostic::error(Code::WrongType, mismatch.message);
            problems.push(problem.at(source, mismatch.span, ""));
            None
        }
    }
}

impl Link {
    /// The problems of the keys of a target that extends another, in the end `base`: it has the protocol of that.
    fn misplaced_keys(&self, base: &Self, source: &Arc<SourceFile>) -> Vec<Diagnostic> {
        let Some(misplaced) = self.target.misplaced_keys(&base.target.node) else {
            return Vec::new();
        };
        let kind = base
            .target
            .node
            .get("type")
            .and_then(Node::as_str)
            .unwrap_or_default();
        let known: Vec<&str> = misplaced.known.iter().map(String::as_str).collect();
        let doubled = misplaced
            .doubled
            .iter()
            .map(|(entry, key)| source::same_key(source, entry, key));
        let problem = |entry: &source::Entry| {
            let key = source::printable(&entry.key);
            let message = format!("a target of the type `{kind}` has no key `{key}`");
            Diagnostic::error(Code::UnknownKey, message)
                .at(source, entry.key_span, "")
                .help(format!(
                    "`{}` has the type of `{}`, which it extends",
                    self.name, base.name
                ))
                .help(suggest(&entry.key, &known, "its keys are"))
        };
        let unknown = misplaced.unknown.into_iter().map(problem);
        unknown.chain(doubled).collect()
    }
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
pub(crate) fn unknown_target(
    written: &Text,
    source: &Arc<SourceFile>,
    known: &[&str],
) -> Diagnostic {
    unknown_name(&written.value, known).at(source, written.span, "")
}

/// The same without its place.
fn unknown_name(name: &str, known: &[&str]) -> Diagnostic {
    let message = format!("there is no target `{}`", source::printable(name));
    let help = match known {
        [] => "the config has no `targets`".to_owned(),
        known => suggest(name, known, "the targets are"),
    };
    Diagnostic::error(Code::UnknownName, message).help(help)
}
