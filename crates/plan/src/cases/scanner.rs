//! The end of a JSON object that extends over several lines: line by line in, the progress of the object out.
//!
//! It follows brackets and quotes alone. What is wrong with the object is for the JSON reader to find; here it matters that
//! a mistake in one object does not take the next ones with it.

/// The progress of an object at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectProgress {
    /// It goes on in the next line.
    Open,
    /// It has ended, or can no longer become one.
    Ended,
}

/// An object that is being read.
#[derive(Debug, Default)]
pub(super) struct ObjectScanner {
    /// The brackets that are open.
    open: Vec<u8>,
    /// The last byte that means something.
    last: u8,
}

impl ObjectScanner {
    /// Whether a line cannot be a part of the object: it begins an object where none can be, so that the one before is not
    /// closed.
    pub(super) fn is_interrupted_by(&self, line: &[u8]) -> bool {
        let may_follow = match self.last {
            b':' | b'[' => true,
            b',' => self.open.last() == Some(&b'['),
            _ => false,
        };
        !self.open.is_empty() && line.trim_ascii_start().first() == Some(&b'{') && !may_follow
    }

    /// Reads a line of the object.
    pub(super) fn read(&mut self, line: &[u8]) -> ObjectProgress {
        let mut bytes = line.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                // A text ends on its line.
                b'"' if !skip_text(&mut bytes) => return ObjectProgress::Ended,
                b'{' | b'[' => self.open.push(*byte),
                b'}' | b']' => {
                    let opening = if *byte == b'}' { b'{' } else { b'[' };
                    if self.open.pop() != Some(opening) || self.open.is_empty() {
                        return ObjectProgress::Ended;
                    }
                }
                byte if byte.is_ascii_whitespace() => continue,
                _ => {}
            }
            self.last = *byte;
        }
        if self.open.is_empty() {
            ObjectProgress::Ended
        } else {
            ObjectProgress::Open
        }
    }
}

/// Skips a text after its opening quote; whether it is closed.
fn skip_text(bytes: &mut std::slice::Iter<'_, u8>) -> bool {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return true,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of lines of the text that are one object.
    fn lines(text: &str) -> usize {
        let mut scanner = ObjectScanner::default();
        let mut count = 0;
        for line in text.lines() {
            if scanner.is_interrupted_by(line.as_bytes()) {
                break;
            }
            count += 1;
            if scanner.read(line.as_bytes()) == ObjectProgress::Ended {
                break;
            }
        }
        count
    }

    #[test]
    fn an_object_may_go_over_several_lines() {
        for (text, expected) in [
            ("{}\n{}", 1),
            ("{\"a\": [\n{\"b\": 1},\n{\"c\": 2}\n]}\n{}", 4),
            ("{\"a\":\n{\n}\n}\n{}", 4),
            ("{\"a\": \"}\\\"{\"}\n{}", 1),
            ("5\n{}", 1),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
    }

    #[test]
    fn a_mistake_ends_with_the_object() {
        for (text, expected) in [
            ("{\"a\": 1\n{\"b\": 1}", 1),
            ("{\"a\": 1,\n{\"b\": 1}", 1),
            ("{\"a\": [{\"x\": 1}\n{\"b\": 1}", 1),
            ("{\"a\": \"x\n{\"b\": 1}", 1),
            ("{\"a\": 1]\n{\"b\": 1}", 1),
            ("}\n{}", 1),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
    }
}
