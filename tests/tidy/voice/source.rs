//! The source of one file as the figures see it: its code without comments and unit tests, with the pairs of its brackets, and
//! its comments with the code that follows them.

use std::ops::Range;

use crate::scan::{Lexeme, LexemeKind, Token, lexemes, test_items};

/// A comment: the lines of `//` or `///` that follow each other, or a block.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) first_line: usize,
    pub(super) last_line: usize,
    /// It documents an item or the file.
    pub(super) is_doc: bool,
    /// It documents the file or the module that it is in.
    pub(super) is_inner_doc: bool,
    pub(super) text: String,
    /// The index of the lexeme of code that it is about: the first one after it, or the first one on its own line.
    pub(super) next: usize,
}

/// A file without its unit tests.
#[derive(Debug)]
pub(super) struct Source<'s> {
    /// The code: no comments.
    pub(super) code: Vec<Lexeme<'s>>,
    pub(super) comments: Vec<Comment>,
    /// For each lexeme that is a bracket the other one of its pair; for the others their own index.
    partners: Vec<usize>,
    /// For each lexeme the bracket in which it is.
    openers: Vec<Option<usize>>,
}

impl<'s> Source<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        let mut code = Vec::new();
        let mut comments = Vec::new();
        for lexeme in lexemes(text) {
            if lexeme.kind == LexemeKind::Comment {
                add_comment(&mut comments, &lexeme, &code);
            } else {
                code.push(lexeme);
            }
        }
        remove_tests(&mut code, &mut comments);
        let mut source = Self {
            partners: (0..code.len()).collect(),
            openers: vec![None; code.len()],
            code,
            comments,
        };
        source.pair_brackets();
        source
    }

    fn pair_brackets(&mut self) {
        let mut open = Vec::new();
        for index in 0..self.code.len() {
            if self.is_closer(index)
                && let Some(opener) = open.pop()
            {
                self.partners[index] = opener;
                self.partners[opener] = index;
            }
            self.openers[index] = open.last().copied();
            if self.is_opener(index) {
                open.push(index);
            }
        }
    }

    /// The text at `index`; empty after the end.
    pub(super) fn text(&self, index: usize) -> &'s str {
        self.code.get(index).map_or("", |lexeme| lexeme.text)
    }

    /// The text before `index`; empty at the start.
    pub(super) fn text_before(&self, index: usize) -> &'s str {
        match index.checked_sub(1) {
            Some(before) => self.text(before),
            None => "",
        }
    }

    pub(super) fn is(&self, index: usize, text: &str) -> bool {
        self.text(index) == text
    }

    pub(super) fn is_word(&self, index: usize) -> bool {
        self.code
            .get(index)
            .is_some_and(|lexeme| lexeme.kind == LexemeKind::Word)
    }

    /// The lexemes at `index` and after it have no space between them and are `texts`.
    pub(super) fn is_joined(&self, index: usize, texts: [&str; 2]) -> bool {
        self.is(index, texts[0])
            && self.is(index + 1, texts[1])
            && self.code[index].start + texts[0].len() == self.code[index + 1].start
    }

    pub(super) fn is_opener(&self, index: usize) -> bool {
        matches!(self.text(index), "(" | "[" | "{")
    }

    pub(super) fn is_closer(&self, index: usize) -> bool {
        matches!(self.text(index), ")" | "]" | "}")
    }

    /// The other bracket of the pair of the one at `index`.
    pub(super) fn partner(&self, index: usize) -> usize {
        self.partners.get(index).copied().unwrap_or(index)
    }

    /// The bracket in which the lexeme at `index` is.
    pub(super) fn opener(&self, index: usize) -> Option<usize> {
        self.openers.get(index).copied().flatten()
    }

    pub(super) fn line(&self, index: usize) -> usize {
        let last = self.code.len().saturating_sub(1);
        self.code.get(index.min(last)).map_or(0, |it| it.line)
    }

    /// The index after the group, the generic arguments (`::<…>`) or the single lexeme at `index`.
    pub(super) fn after(&self, index: usize) -> usize {
        if self.is_opener(index) {
            return self.partner(index).max(index) + 1;
        }
        if self.is(index, "::") && self.is(index + 1, "<") {
            return self.after_angles(index + 1);
        }
        index + 1
    }

    /// The index after the `>` that closes the `<` at `index`.
    pub(super) fn after_angles(&self, index: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = index;
        while at < self.code.len() {
            match self.text(at) {
                "<" => depth += 1,
                ">" if !self.is_joined(at - 1, ["-", ">"]) => {
                    depth -= 1;
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
            if self.is_opener(at) {
                at = self.partner(at).max(at);
            }
            at += 1;
        }
        at
    }

    /// The first index in `range`, outside of the groups in it, of which `stops` is true.
    pub(super) fn find(&self, range: Range<usize>, stops: impl Fn(usize) -> bool) -> Option<usize> {
        let mut index = range.start;
        while index < range.end {
            if stops(index) {
                return Some(index);
            }
            index = self.after(index);
        }
        None
    }

    /// The group that begins at `index` has a comma of its own: a tuple, or a list of several.
    pub(super) fn has_comma(&self, index: usize) -> bool {
        self.find(index + 1..self.partner(index), |at| self.is(at, ","))
            .is_some()
    }

    /// The bracket of the call whose method or function ends at `index`: `(`, or the one after `::<…>`.
    pub(super) fn call_after(&self, index: usize) -> Option<usize> {
        let at = if self.is(index + 1, "::") {
            self.after(index + 1)
        } else {
            index + 1
        };
        self.is(at, "(").then_some(at)
    }

    /// The method name at `index` is called: it follows a dot, and its arguments follow it.
    pub(super) fn is_method_call(&self, index: usize) -> bool {
        self.is_word(index)
            && self.text_before(index) == "."
            // `0..map(x)` is a range.
            && !self.is(index.wrapping_sub(2), ".")
            && self.call_after(index).is_some()
    }

    /// The number of lines with code in `range`.
    pub(super) fn lines_in(&self, range: Range<usize>) -> usize {
        let mut count = 0;
        let mut last = 0;
        for lexeme in &self.code[range] {
            let first = lexeme.line.max(last + 1);
            let end = match lexeme.kind {
                LexemeKind::Literal => lexeme.line + lexeme.text.matches('\n').count(),
                _ => lexeme.line,
            };
            count += (end + 1).saturating_sub(first);
            last = last.max(end);
        }
        count
    }

    /// The word `name` is at `index`, or in the braces of a format string there.
    pub(super) fn names(&self, index: usize, name: &str) -> bool {
        let Some(lexeme) = self.code.get(index) else {
            return false;
        };
        match lexeme.kind {
            LexemeKind::Word => lexeme.text == name,
            LexemeKind::Literal => {
                let mut braces = lexeme.text.split('{').skip(1);
                braces.any(|brace| {
                    brace
                        .strip_prefix(name)
                        .is_some_and(|rest| rest.starts_with(['}', ':', '.']))
                })
            }
            _ => false,
        }
    }
}

/// Adds a comment, or its line to the comment that ends on the line before.
fn add_comment(comments: &mut Vec<Comment>, lexeme: &Lexeme<'_>, code: &[Lexeme<'_>]) {
    let before_it = code
        .iter()
        .rev()
        .take_while(|it| it.line == lexeme.line)
        .count();
    let next = code.len() - before_it;
    let is_inner_doc = lexeme.text.starts_with("//!") || lexeme.text.starts_with("/*!");
    let is_outer_doc = lexeme.text.starts_with("///") && !lexeme.text.starts_with("////")
        || lexeme.text.starts_with("/**") && !lexeme.text.starts_with("/**/");
    let is_doc = is_inner_doc || is_outer_doc;
    let text = lexeme
        .text
        .trim_matches(|c: char| matches!(c, '/' | '*' | '!') || c.is_whitespace());
    let last_line = lexeme.line + lexeme.text.matches('\n').count();
    if let Some(before) = comments.last_mut()
        && before_it == 0
        && before.last_line + 1 == lexeme.line
        && before.next == next
        && before.is_doc == is_doc
        && before.is_inner_doc == is_inner_doc
    {
        before.last_line = last_line;
        before.text.push('\n');
        before.text.push_str(text);
        return;
    }
    comments.push(Comment {
        first_line: lexeme.line,
        last_line,
        is_doc,
        is_inner_doc,
        text: text.to_owned(),
        next,
    });
}

/// Removes the items that are compiled for unit tests only, and the comments in them and before them.
fn remove_tests(code: &mut Vec<Lexeme<'_>>, comments: &mut Vec<Comment>) {
    let tokens: Vec<Token> = code
        .iter()
        .map(|lexeme| match lexeme.kind {
            LexemeKind::Word => Token::Word(lexeme.text.to_owned()),
            LexemeKind::PathSeparator => Token::PathSeparator,
            LexemeKind::Sign => Token::Other(lexeme.text.chars().next().unwrap_or(' ')),
            // A sign that source has nowhere else.
            LexemeKind::Literal | LexemeKind::Lifetime | LexemeKind::Comment => Token::Other('"'),
        })
        .collect();
    // From the last to the first, so that the places of the earlier ones stay as they are.
    for item in test_items(&tokens).into_iter().rev() {
        // The comment before an item has the item's first lexeme as the next one.
        comments.retain(|comment| comment.next < item.start || comment.next >= item.end);
        for comment in &mut *comments {
            if comment.next >= item.end {
                comment.next -= item.len();
            }
        }
        code.drain(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_tests_are_removed_with_their_comments() {
        let text = "//! File.\n\n/// Doc.\nfn a() {}\n\n/// Fake.\n#[cfg(test)]\nfn fake() {\n    // Step.\n}\n\n/// Other.\nfn b() {}\n\n#[cfg(test)]\nmod tests {\n    // None.\n}\n";
        let source = Source::new(text);
        let comments: Vec<_> = source
            .comments
            .iter()
            .map(|comment| (comment.text.as_str(), source.text(comment.next)))
            .collect();
        assert_eq!(
            comments,
            [("File.", "fn"), ("Doc.", "fn"), ("Other.", "fn")]
        );
        assert_eq!(source.lines_in(0..source.code.len()), 2);
    }

    #[test]
    fn lines_of_one_comment_are_together() {
        let source = Source::new("/// One\n/// two.\n\n// Three\nlet a = 1; // four\n// five\n");
        let texts: Vec<&str> = source.comments.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, ["One\ntwo.", "Three", "four", "five"]);
    }

    #[test]
    fn literals_of_several_lines_are_lines_of_code() {
        let source = Source::new("let a = \"x\n\ny\";\n\n// No.\nlet b = 1;\n");
        assert_eq!(source.lines_in(0..source.code.len()), 4);
    }

    #[test]
    fn generic_arguments_and_groups_are_passed_over() {
        let source = Source::new("a.collect::<Map<K, fn() -> V>>(b, c), d");
        let comma = source.find(0..source.code.len(), |at| source.is(at, ","));
        assert_eq!(comma.map(|at| source.text(at + 1)), Some("d"));
        assert!(source.is_method_call(2));
    }

    #[test]
    fn names_in_format_strings_are_seen() {
        let source = Source::new("\"{name}: {other:?}\"");
        assert!(source.names(0, "name") && source.names(0, "other"));
        assert!(!source.names(0, "nam") && !source.names(0, "x"));
    }
}
