//! Which file of the code uses which: paths are followed through re-exports to the file that defines the name.
//!
//! Flows in: the files with their texts. Flows out: the arrows between files, and the circles they form.

use std::collections::{BTreeMap, BTreeSet};

use super::repository::File;
use super::scan::{Token, crate_paths, module_of, relative_paths, tokens, without_tests};

type ModulePath = Vec<String>;

/// The files of the code, by what each uses.
pub(crate) struct Graph {
    /// Every file by its module path.
    files: BTreeMap<ModulePath, String>,
    /// Per module: the re-exported names, and the full path that each stands for.
    reexports: BTreeMap<ModulePath, BTreeMap<String, ModulePath>>,
    /// Per file: the full paths it uses outside of unit tests and re-exports.
    uses: BTreeMap<String, BTreeSet<ModulePath>>,
}

impl Graph {
    /// The graph of `files`.
    pub(crate) fn of(files: &[File]) -> Self {
        Self::new(
            files
                .iter()
                .map(|file| (file.path.as_str(), file.text.as_str())),
        )
    }

    /// The graph of `files`: their places, the crate first, and their texts.
    pub(crate) fn new<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut graph = Self {
            files: BTreeMap::new(),
            reexports: BTreeMap::new(),
            uses: BTreeMap::new(),
        };
        let mut read = Vec::new();
        for (path, text) in files {
            let module = module_of(path);
            graph.files.insert(module.clone(), path.to_owned());
            read.push((path, module, without_tests(&tokens(text))));
        }
        for (path, module, tokens) in &read {
            let (public, rest) = split_reexports(tokens);
            let known = |path: &ModulePath| graph.files.contains_key(path);
            let mut exported = BTreeMap::new();
            for path in crate_paths(&public, module)
                .into_iter()
                .chain(relative_paths(&public, module, known))
            {
                if let Some(name) = path.last() {
                    exported.insert(name.clone(), path);
                }
            }
            let used = crate_paths(&rest, module)
                .into_iter()
                .chain(relative_paths(&rest, module, known));
            let used = used.collect();
            graph.reexports.insert(module.clone(), exported);
            graph.uses.insert((*path).to_owned(), used);
        }
        graph
    }

    /// The file that defines what `path` names.
    pub(crate) fn definition(&self, path: &[String]) -> Option<&str> {
        let mut path = path.to_vec();
        // A chain of re-exports is short; a circle of them ends here.
        for _ in 0..8 {
            let depth = (1..=path.len())
                .rev()
                .find(|depth| self.files.contains_key(&path[..*depth]))?;
            let module = path[..depth].to_vec();
            let stands_for = path.get(depth).and_then(|name| {
                self.reexports
                    .get(&module)
                    .and_then(|names| names.get(name))
            });
            let Some(target) = stands_for else {
                return self.files.get(&module).map(String::as_str);
            };
            path = [target.as_slice(), &path[depth + 1..]].concat();
        }
        None
    }

    /// Every arrow: file → the files that define what it uses.
    pub(crate) fn arrows(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut arrows = BTreeMap::new();
        for (file, used) in &self.uses {
            let defined = used
                .iter()
                .filter_map(|path| self.definition(path))
                .filter(|other| other != file);
            arrows.insert(file.as_str(), defined.collect());
        }
        arrows
    }

    /// The files that reach each other, by circle; each circle sorted.
    pub(crate) fn circles(&self) -> Vec<Vec<String>> {
        let arrows = self.arrows();
        let reach: BTreeMap<&str, BTreeSet<&str>> = arrows
            .keys()
            .map(|file| (*file, reachable(file, &arrows)))
            .collect();
        let mut circles = BTreeSet::new();
        for (file, reached) in &reach {
            if reached.contains(file) {
                let together = reached
                    .iter()
                    .filter(|other| reach.get(*other).is_some_and(|back| back.contains(file)));
                circles.insert(
                    together
                        .map(|other| (*other).to_owned())
                        .collect::<Vec<_>>(),
                );
            }
        }
        circles.into_iter().collect()
    }
}

/// Every file that can be reached from `start` by at least one arrow.
fn reachable<'a>(start: &str, arrows: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = arrows.get(start).into_iter().flatten().copied().collect();
    while let Some(file) = open.pop() {
        if let Some((known, next)) = arrows.get_key_value(file)
            && reached.insert(*known)
        {
            open.extend(next.iter().copied());
        }
    }
    reached
}

/// The tokens of `pub use` items (also `pub(…) use`), and all others.
fn split_reexports(tokens: &[Token]) -> (Vec<Token>, Vec<Token>) {
    let word = |index: usize, text: &str| tokens.get(index) == Some(&Token::Word(text.to_owned()));
    let (mut public, mut rest) = (Vec::new(), Vec::new());
    let mut index = 0;
    while index < tokens.len() {
        let mut start = index + 1;
        if word(index, "pub") && tokens.get(start) == Some(&Token::Other('(')) {
            start += tokens[start..]
                .iter()
                .position(|token| *token == Token::Other(')'))
                .map_or(0, |at| at + 1);
        }
        if word(index, "pub") && word(start, "use") {
            let end = tokens[start..]
                .iter()
                .position(|token| *token == Token::Other(';'));
            let end = end.map_or(tokens.len(), |length| start + length + 1);
            public.extend_from_slice(&tokens[start..end]);
            index = end;
        } else {
            rest.push(tokens[index].clone());
            index += 1;
        }
    }
    (public, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(files: &[(&'static str, &'static str)]) -> Graph {
        Graph::new(files.iter().copied())
    }

    #[test]
    fn finds_a_circle_of_three_files() {
        let found = graph(&[
            ("c/a/mod.rs", "mod x; mod y; mod z; pub use x::X;"),
            ("c/a/x.rs", "use super::y::Y; struct X;"),
            ("c/a/y.rs", "fn f() -> super::z::Z {}"),
            ("c/a/z.rs", "use super::X;"),
            ("c/b.rs", "use crate::a::X;"),
        ]);
        assert_eq!(found.circles(), [["c/a/x.rs", "c/a/y.rs", "c/a/z.rs"]]);
    }

    #[test]
    fn a_folder_that_defines_what_its_files_use_and_uses_them_is_a_circle() {
        let found = graph(&[
            ("c/a/mod.rs", "mod x; pub struct A; fn f() { x::go() }"),
            ("c/a/x.rs", "use super::A; pub fn go() {}"),
        ]);
        assert_eq!(found.circles(), [["c/a/mod.rs", "c/a/x.rs"]]);
    }

    #[test]
    fn re_exports_and_unit_tests_are_no_arrows() {
        let found = graph(&[
            (
                "c/a/mod.rs",
                "mod x; mod y; pub use x::X; pub(crate) use y::{Y, Z};",
            ),
            ("c/a/x.rs", "use super::y::Y; pub struct X;"),
            (
                "c/a/y.rs",
                "pub struct Y; pub struct Z; #[cfg(test)] mod tests { use super::super::x::X; }",
            ),
        ]);
        assert!(found.circles().is_empty(), "{:?}", found.circles());
    }

    #[test]
    fn follows_a_re_export_of_another_folder() {
        let found = graph(&[
            ("c/a/mod.rs", "mod x; pub use x::X;"),
            ("c/a/x.rs", "use crate::b::B; pub struct X;"),
            ("c/b/mod.rs", "mod y; pub use y::B;"),
            ("c/b/y.rs", "use crate::a::X; pub struct B;"),
        ]);
        assert_eq!(found.circles(), [["c/a/x.rs", "c/b/y.rs"]]);
    }
}
