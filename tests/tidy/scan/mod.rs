//! A reader of Rust source that is just good enough to see which paths a file uses.
//!
//! It knows comments, literals, `#[cfg(test)]` items and `use` trees. An inline module that is not a test module is
//! read as if it were the file itself; macros are read as plain code.

mod lexer;

use std::collections::BTreeSet;
use std::ops::Range;

pub(crate) use lexer::{Lexeme, LexemeKind, Token, lexemes, tokens};

/// `tokens` without the items that are compiled for unit tests only.
pub(crate) fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut from = 0;
    for item in test_items(tokens) {
        kept.extend_from_slice(&tokens[from..item.start]);
        from = item.end;
    }
    kept.extend_from_slice(&tokens[from..]);
    kept
}

/// The places in `tokens` of the items that are compiled for unit tests only: `#[cfg(test)]` and `#[cfg(all(test, …))]`.
pub(crate) fn test_items(tokens: &[Token]) -> Vec<Range<usize>> {
    let markers = ["#[cfg(test", "#[cfg(all(test"].map(self::tokens);
    let mut items = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let is_marked = markers
            .iter()
            .any(|marker| tokens[index..].starts_with(marker));
        if !is_marked {
            index += 1;
            continue;
        }
        let start = index;
        while index < tokens.len() && tokens[index] != Token::Other(']') {
            index += 1;
        }
        index = after_item(tokens, tokens.len().min(index + 1));
        items.push(start..index);
    }
    items
}

/// Every path that starts with `crate`, `super`, `self` or the name of one of our crates, written out with the crate first;
/// `module` is the path of the module the tokens come from. `use` trees give one path a leaf.
pub(crate) fn crate_paths(tokens: &[Token], module: &[String]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        let starts_a_path = index == 0 || tokens[index - 1] != Token::PathSeparator;
        if !starts_a_path || tokens.get(index + 1) != Some(&Token::PathSeparator) {
            continue;
        }
        let base = match word.as_str() {
            "crate" => module[..1].to_vec(),
            "self" => module.to_vec(),
            "super" => module[..module.len().saturating_sub(1)].to_vec(),
            "ananke" => vec![word.clone()],
            _ => match word.strip_prefix("ananke_") {
                Some(name) => vec![name.to_owned()],
                None => continue,
            },
        };
        read_tree(tokens, index + 2, &base, &mut paths);
    }
    paths
}

/// Every path that starts with the name of a file or folder of `module` itself (`change::Change` in `trace/mod.rs`),
/// written out from the crate's root; `is_module` knows the modules that are files.
pub(crate) fn relative_paths(
    tokens: &[Token],
    module: &[String],
    is_module: impl Fn(&Vec<String>) -> bool,
) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        let starts_a_path = index == 0 || tokens[index - 1] != Token::PathSeparator;
        let child = [module, std::slice::from_ref(word)].concat();
        if starts_a_path
            && tokens.get(index + 1) == Some(&Token::PathSeparator)
            && is_module(&child)
        {
            read_tree(tokens, index + 2, &child, &mut paths);
        }
    }
    paths
}

/// The words of `source` and its string literals, without comments and unit tests.
pub(crate) fn words_and_texts(source: &str) -> Vec<String> {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let words = tokens(source).into_iter().filter_map(|token| match token {
        Token::Word(word) => Some(word),
        Token::PathSeparator | Token::Other(_) => None,
    });
    let without_comments = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let texts =
        without_comments.flat_map(|line| line.split('"').skip(1).step_by(2).map(str::to_owned));
    words.chain(texts).collect()
}

/// The string literals of `source` that are sentences, line by line, without comments and unit tests.
pub(crate) fn sentences(source: &str) -> Vec<(usize, &str)> {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let (mut is_inside, mut parts) = (false, Vec::new());
    for (number, line) in (1..).zip(source.lines()) {
        if !is_inside && line.trim_start().starts_with("//") {
            continue;
        }
        let (mut start, mut is_escaped) = (0, false);
        for (at, c) in line.char_indices() {
            let is_char = line[..at].ends_with('\'') && line[at + c.len_utf8()..].starts_with('\'');
            if c == '"' && !is_escaped && (is_inside || !is_char) {
                if is_inside {
                    // With its quote, so that two of them are no sentence.
                    parts.push((number, &line[start..=at]));
                }
                (is_inside, start) = (!is_inside, at + 1);
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        if is_inside {
            parts.push((number, line[start..].trim_end_matches('\\')));
        }
    }
    parts.retain(|(_, text)| text.contains(' '));
    parts
}

/// The comments of `source`, those on successive lines together, line by line.
pub(crate) fn comments(source: &str) -> Vec<Vec<(usize, &str)>> {
    let mut comments: Vec<Vec<(usize, &str)>> = Vec::new();
    for (number, line) in (1..).zip(source.lines()) {
        let start = line
            .trim_start()
            .starts_with("//")
            .then(|| line.find("//"))
            .flatten();
        let Some(at) = start.or_else(|| line.find(" // ")) else {
            continue;
        };
        let text = line[at..]
            .trim_start()
            .trim_start_matches('/')
            .trim_start_matches('!');
        match comments.last_mut() {
            Some(comment)
                if start.is_some()
                    && comment.last().is_some_and(|(last, _)| last + 1 == number) =>
            {
                comment.push((number, text));
            }
            _ => comments.push(vec![(number, text)]),
        }
    }
    comments
}

/// What the library's root makes public: its modules, and the names it re-exports; not what is hidden in its
/// documentation.
pub(crate) fn public_items(root: &str) -> BTreeSet<String> {
    let tokens = tokens(root);
    let hidden = self::tokens("#[doc(hidden)]");
    let mut items = BTreeSet::new();
    for (index, token) in tokens.iter().enumerate() {
        if *token != Token::Word("pub".to_owned()) || tokens[..index].ends_with(&hidden) {
            continue;
        }
        match (tokens.get(index + 1), tokens.get(index + 2)) {
            (Some(Token::Word(kind)), Some(Token::Word(name))) if kind != "use" => {
                items.insert(format!("{kind} {name}"));
            }
            (Some(Token::Word(_)), _) => {
                let mut paths = Vec::new();
                read_tree(&tokens, index + 2, &[], &mut paths);
                items.extend(
                    paths
                        .into_iter()
                        .map(|path| format!("use {}", path.join("::"))),
                );
            }
            _ => {}
        }
    }
    items
}

/// The names of the types that `tokens` define: structs, enums and traits, and aliases that are no associated types.
pub(crate) fn type_names(tokens: &[Token]) -> Vec<String> {
    let mut depth = 0_usize;
    let mut names = Vec::new();
    for pair in tokens.windows(2) {
        match (&pair[0], &pair[1]) {
            (Token::Other('{'), _) => depth += 1,
            (Token::Other('}'), _) => depth = depth.saturating_sub(1),
            (Token::Word(keyword), Token::Word(name)) => {
                let defines = match keyword.as_str() {
                    "struct" | "enum" | "trait" => true,
                    "type" => depth == 0,
                    _ => false,
                };
                let is_type = defines && name.starts_with(char::is_uppercase);
                names.extend(is_type.then(|| name.clone()));
            }
            _ => {}
        }
    }
    names
}

/// The functions of `tokens` with a parameter of the type `bool`, each with the parameter. What a trait demands is not
/// one of them: the trait itself is.
pub(crate) fn bool_parameters(tokens: &[Token]) -> Vec<String> {
    let word = |token: Option<&Token>| match token {
        Some(Token::Word(word)) => Some(word.clone()),
        _ => None,
    };
    let mut found = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        if implements_trait(&tokens[index..]) {
            index = after_item(tokens, index);
            continue;
        }
        let name =
            word(tokens.get(index + 1)).filter(|_| tokens[index] == Token::Word("fn".to_owned()));
        index += 1;
        let Some(name) = name else { continue };
        let parameters = &tokens[index..index + parameters_end(&tokens[index..])];
        for window in parameters.windows(4) {
            if let [
                Token::Word(parameter),
                Token::Other(':'),
                Token::Word(of),
                Token::Other(',' | ')'),
            ] = window
                && of == "bool"
            {
                found.push(format!("{name}({parameter}: bool)"));
            }
        }
    }
    found
}

/// Whether `tokens` begin with `impl TRAIT for TYPE`.
fn implements_trait(tokens: &[Token]) -> bool {
    let head = tokens
        .iter()
        .take_while(|token| !matches!(token, Token::Other('{' | ';')));
    let head: Vec<&Token> = head.collect();
    let is = |token: &Token, text: &str| *token == Token::Word(text.to_owned());
    head.first().is_some_and(|first| is(first, "impl"))
        && head
            .windows(2)
            .any(|pair| is(pair[0], "for") && *pair[1] != Token::Other('<'))
}

/// The length of the head of a function up to the end of its parameters, which come after its generic ones.
fn parameters_end(tokens: &[Token]) -> usize {
    let (mut angles, mut parens) = (0_usize, 0_usize);
    for (index, token) in tokens.iter().enumerate() {
        let is_arrow = index > 0 && tokens[index - 1] == Token::Other('-');
        match token {
            Token::Other('<') if parens == 0 => angles += 1,
            Token::Other('>') if parens == 0 && !is_arrow => angles = angles.saturating_sub(1),
            Token::Other('(') if angles == 0 => parens += 1,
            Token::Other(')') if parens == 1 => return index + 1,
            Token::Other(')') => parens = parens.saturating_sub(1),
            _ => {}
        }
    }
    tokens.len()
}

/// Whether a path of `tokens` begins with the third-party crate `name`.
pub(crate) fn names_crate(tokens: &[Token], name: &str) -> bool {
    tokens.iter().enumerate().any(|(index, token)| {
        let before = index.checked_sub(1).map(|before| &tokens[before]);
        *token == Token::Word(name.to_owned())
            && before != Some(&Token::PathSeparator)
            && (tokens.get(index + 1) == Some(&Token::PathSeparator)
                || before == Some(&Token::Word("use".to_owned())))
    })
}

/// The module path of a file, its crate first: `agui/http/mod.rs` and `agui/http.rs` are both `agui::http`.
pub(crate) fn module_of(file: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    stem.split('/')
        .filter(|part| !matches!(*part, "lib" | "main"))
        .map(str::to_owned)
        .collect()
}

/// Reads one `use` tree or path from `index` on; answers the index after it.
fn read_tree(
    tokens: &[Token],
    mut index: usize,
    base: &[String],
    paths: &mut Vec<Vec<String>>,
) -> usize {
    let mut path = base.to_vec();
    loop {
        match tokens.get(index) {
            Some(Token::Word(word)) if word == "super" => {
                path.pop();
                index += 1;
            }
            Some(Token::Word(word)) if word == "self" => index += 1,
            Some(Token::Word(word)) => {
                path.push(word.clone());
                index += 1;
            }
            Some(Token::Other('*')) => {
                index += 1;
                break;
            }
            Some(Token::Other('{')) => {
                index += 1;
                while !matches!(tokens.get(index), None | Some(Token::Other('}'))) {
                    let next = read_tree(tokens, index, &path, paths);
                    // `as name`, a comma, or something this reader does not know: always move on.
                    index = if next > index { next } else { index + 1 };
                    while matches!(tokens.get(index), Some(Token::Word(word)) if word == "as") {
                        index += 2;
                    }
                    if tokens.get(index) == Some(&Token::Other(',')) {
                        index += 1;
                    }
                }
                return index + 1;
            }
            _ => break,
        }
        if tokens.get(index) == Some(&Token::PathSeparator) {
            index += 1;
        } else {
            break;
        }
    }
    paths.push(path);
    index
}

/// The index after the item that starts at `index`: its other attributes, then to its `;` or closing brace.
fn after_item(tokens: &[Token], mut index: usize) -> usize {
    let mut depth = 0_usize;
    let mut in_attribute = false;
    while let Some(token) = tokens.get(index) {
        match token {
            Token::Other('#') if depth == 0 => in_attribute = true,
            Token::Other('{' | '[' | '(') => depth += 1,
            Token::Other(close @ ('}' | ']' | ')')) => {
                depth = depth.saturating_sub(1);
                if depth == 0 && *close == '}' {
                    return index + 1;
                }
                in_attribute = in_attribute && depth > 0;
            }
            Token::Other(';') if depth == 0 && !in_attribute => return index + 1,
            _ => {}
        }
        index += 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(source: &str, module: &str) -> Vec<String> {
        let tokens = without_tests(&tokens(source));
        crate_paths(&tokens, &module_of(module))
            .iter()
            .map(|path| path.join("::"))
            .collect()
    }

    #[test]
    fn reads_use_trees_and_paths_in_code() {
        let source = "use crate::model::{self, Text, leaf::{Given as G, Limit}};\nfn f() -> ananke_trace::trace::Change { crate::run::go::<u8>() }";
        let expected = [
            "engine::model",
            "engine::model::Text",
            "engine::model::leaf::Given",
            "engine::model::leaf::Limit",
            "trace::trace::Change",
            "engine::run::go",
        ];
        assert_eq!(paths(source, "engine/plan/mod.rs"), expected);
    }

    #[test]
    fn reads_several_modules_of_one_use() {
        assert_eq!(
            paths("use crate::{a::B, c, d::*};", "x/y.rs"),
            ["x::a::B", "x::c", "x::d"]
        );
    }

    #[test]
    fn resolves_super_and_self_from_the_file() {
        assert_eq!(
            paths("use super::http;", "agui/command/mod.rs"),
            ["agui::http"]
        );
        assert_eq!(
            paths("use super::super::scripted::X;", "agents/http/decode.rs"),
            ["agents::scripted::X"]
        );
        assert_eq!(
            paths("use self::inner::Y;", "agents/lib.rs"),
            ["agents::inner::Y"]
        );
        assert_eq!(
            paths("pub use code::Code;", "base/diagnostic/mod.rs"),
            [""; 0]
        );
    }

    #[test]
    fn leaves_out_comments_literals_and_tests() {
        let source = r##"
            //! [`x`](crate::doc::Link)
            /* crate::a::B /* crate::c */ crate::d */
            const A: &str = "crate::text::T"; const B: &str = r#"crate::raw "::T"#; const C: char = '"';
            fn f<'a>(x: &'a str) -> char { let _ = b"crate::bytes"; '\'' }
            #[cfg(test)]
            mod tests { use crate::report::Console; fn g() { { } } }
            #[cfg(test)]
            #[allow(unused)]
            use crate::mock::Server;
            #[cfg(all(test, unix))]
            mod more { use crate::unix::U; }
            use crate::kept::K;
        "##;
        assert_eq!(paths(source, "x/a.rs"), ["x::kept::K"]);
    }

    #[test]
    fn sees_third_party_crates_but_not_their_names_elsewhere() {
        let found = |source: &str| names_crate(&tokens(source), "clap");
        assert!(found("use clap::Parser;"));
        assert!(found("use clap;"));
        assert!(found("#[derive(clap::Args)] struct S;"));
        assert!(!found(
            "let clap = 1; self.clap(); crate::clap::x; // clap::Parser"
        ));
        assert!(!found("fn clapping() { \"clap::Parser\"; }"));
    }

    #[test]
    fn knows_the_types_that_a_file_defines() {
        let source = r#"
            // struct Comment;
            pub(super) struct Wide<'a>(&'a str);
            pub enum Side { Left, Right }
            trait Sink { type Error; }
            impl Sink for Side { type Error = String; }
            type Alias = Vec<Side>;
            fn f() { struct Inner; let text = "enum Text"; forward! { struct enum identifier } }
        "#;
        assert_eq!(
            type_names(&tokens(source)),
            ["Wide", "Side", "Sink", "Alias", "Inner"]
        );
    }

    #[test]
    fn knows_the_parameters_that_are_bare_booleans() {
        let source = r"
            pub fn pad<T: Into<(u8, bool)>>(text: T, is_left: bool) -> bool { let closure = |on: bool| on; closure(true) }
            trait Reads { fn read(&mut self, whole: bool); fn is(&self, test: impl Fn(u8, bool) -> bool) -> bool; }
            impl Reads for X { fn read(&mut self, whole: bool) {} }
            impl<'a> Reads for Y<'a> where Self: Sized { fn read(&mut self, whole: bool) {} }
            impl X { fn new(deep: &mut bool, wide: bool, ) -> impl for<'a> Fn(&'a u8) { |_| () } }
            struct Z { on: bool, }
        ";
        assert_eq!(
            bool_parameters(&tokens(source)),
            ["pad(is_left: bool)", "read(whole: bool)", "new(wide: bool)"]
        );
    }

    #[test]
    fn knows_the_module_of_a_file() {
        assert_eq!(module_of("lib.rs"), [""; 0]);
        assert_eq!(module_of("agents/lib.rs"), ["agents"]);
        assert_eq!(module_of("agui/http/decode.rs"), ["agui", "http", "decode"]);
    }
}
