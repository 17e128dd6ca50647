//! The place of a quote or bracket that is opened and never closed: YAML notices it only lines later.
//!
//! A reader of its own, because the parser stops at the first thing that does not fit. It knows quotes, brackets, comments
//! and blocks of text, and nothing else of YAML.

/// A quote or bracket that is not closed, or a quote that is closed on another line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// Its offset, in bytes.
    pub(super) offset: usize,
    /// The quote or bracket.
    pub(super) sign: char,
}

/// The quote or bracket that is open at `problem`, where a parser failed, or that is closed only a line later.
pub(super) fn opening(text: &str, problem: usize) -> Option<Opening> {
    let mut reader = Reader {
        text,
        offset: 0,
        is_start: true,
        brackets: Vec::new(),
    };
    let found = reader
        .read(problem)
        .or_else(|| reader.brackets.last().copied());
    found.filter(|opening| opening.offset < problem)
}

struct Reader<'t> {
    text: &'t str,
    offset: usize,
    /// Whether a value can begin here.
    is_start: bool,
    brackets: Vec<Opening>,
}

impl Reader<'_> {
    /// Reads on to the end of the text, or to what is certainly not closed.
    fn read(&mut self, problem: usize) -> Option<Opening> {
        while let Some(sign) = self.rest().chars().next() {
            let here = Opening {
                offset: self.offset,
                sign,
            };
            self.offset += sign.len_utf8();
            let is_before_blank = self.rest().chars().next().is_none_or(char::is_whitespace);
            match sign {
                '\n' => self.is_start = true,
                '#' if self.text[..here.offset]
                    .chars()
                    .next_back()
                    .is_none_or(char::is_whitespace) =>
                {
                    self.skip_line();
                }
                _ if sign.is_whitespace() => {}
                '"' | '\'' if self.is_start => {
                    let Some(end) = self.closing(sign) else {
                        return Some(here);
                    };
                    let is_one_line = !self.text[here.offset..end].contains('\n');
                    self.offset = end;
                    self.is_start = false;
                    // The text that follows the quote is part of the problem.
                    if !is_one_line && (here.offset..=end + 1).contains(&problem) {
                        return Some(here);
                    }
                }
                '[' | '{' if self.is_start || !self.brackets.is_empty() => {
                    self.brackets.push(here);
                    self.is_start = true;
                }
                ']' | '}' if !self.brackets.is_empty() => {
                    let open = self.brackets.pop()?;
                    if (open.sign == '[') != (sign == ']') {
                        return Some(open);
                    }
                    self.is_start = false;
                }
                '|' | '>' if self.is_start && self.brackets.is_empty() => {
                    self.skip_block(here.offset);
                }
                '-' | '?' if self.is_start && is_before_blank => {}
                ':' if is_before_blank => self.is_start = true,
                ',' if !self.brackets.is_empty() => self.is_start = true,
                '&' | '*' | '!' if self.is_start => {
                    self.offset += self
                        .rest()
                        .find(char::is_whitespace)
                        .unwrap_or(self.rest().len());
                }
                _ => self.is_start = false,
            }
        }
        None
    }

    fn rest(&self) -> &str {
        &self.text[self.offset..]
    }

    fn skip_line(&mut self) {
        self.offset += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// The end of the text in quotes that began before this place.
    fn closing(&self, quote: char) -> Option<usize> {
        let mut signs = self.rest().char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            if sign == '\\' && quote == '"' {
                signs.next();
            } else if sign == quote {
                // Two single quotes are an escaped one.
                if quote == '"' || signs.next_if(|(_, next)| *next == quote).is_none() {
                    return Some(self.offset + at + 1);
                }
            }
        }
        None
    }

    /// Skips a block of text that begins with the `|` or `>` at `sign`, if it is one.
    fn skip_block(&mut self, sign: usize) {
        let header = self.rest().lines().next().unwrap_or_default();
        let is_header = header
            .trim_start_matches(['+', '-'])
            .chars()
            .next()
            .is_none_or(|next| next.is_ascii_digit() || next.is_whitespace());
        self.is_start = false;
        if !is_header {
            return;
        }
        let line = self.text[..sign]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let own = indentation(&self.text[line..]);
        self.skip_line();
        while let Some(next) = self.rest().strip_prefix('\n') {
            let line = next.lines().next().unwrap_or_default();
            if !line.trim().is_empty() && indentation(line) <= own || next.is_empty() {
                return;
            }
            self.offset += 1 + line.len();
            if self.rest().starts_with('\r') {
                self.offset += 1;
            }
        }
    }
}

/// In which column the key of a line begins, after the dashes of lists.
fn indentation(line: &str) -> usize {
    let text = line.trim_start_matches(' ');
    let column = line.len() - text.len();
    text.strip_prefix("- ")
        .map_or(column, |rest| column + 2 + indentation(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the quote or bracket that is open at the `¦` in the text.
    fn check(text: &str, expected: Option<(usize, char)>) {
        let problem = text.find('¦').expect("a place");
        let text = text.replace('¦', "");
        let found = opening(&text, problem)
            .map(|opening| (text[..opening.offset].lines().count().max(1), opening.sign));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn finds_where_it_opens() {
        check("a: \"x\n¦b: y\n", Some((1, '"')));
        check("a: it's\nb: 'x\n¦c: y\n", Some((2, '\'')));
        check("a: [b, c\n¦d: e\n", Some((1, '[')));
        check("a: {b: [c, d\n¦e: f}\n", Some((1, '[')));
        check("a: \"x\nb: \"¦y\"\n", Some((1, '"')));
    }

    #[test]
    fn is_silent_where_all_is_closed() {
        for text in [
            "a: \"x [\" # it's {\n¦b: y\n",
            "a: |\n  it's [\n  \"\n¦b: y\n",
            "- a: >-\n    {\n  ¦b: y\n",
            "a: [b, 'c''d', \"e\\\"\"]\n¦d: e\n",
            "a: b [c\n¦d: e\n",
            "a: *b\n¦d: e\n",
            "¦",
        ] {
            check(text, None);
        }
    }
}
