//! The end of what a program prints.

/// The end of a text that may be long.
#[derive(Debug)]
pub struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
    /// How many bytes are kept.
    kept: usize,
}

impl Tail {
    /// Keeps so many bytes.
    pub fn of(kept: usize) -> Self {
        Self { bytes: Vec::new(), is_cut: false, kept }
    }

    /// Takes what comes next.
    pub fn push(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        if self.bytes.len() > 2 * self.kept {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let surplus = self.bytes.len().saturating_sub(self.kept);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }

    /// The last lines, at most so many, without empty ones at their end.
    pub fn last_lines(&mut self, most: usize) -> String {
        self.cut();
        let text = String::from_utf8_lossy(&self.bytes);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let told = &lines[lines.len().saturating_sub(most)..];
        let mark = if self.is_cut && told.len() == lines.len() { "…" } else { "" };
        format!("{mark}{}", told.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: usize = 4 << 10;

    fn tail(parts: &[&str]) -> String {
        let mut tail = Tail::of(KEPT);
        for part in parts {
            tail.push(part.as_bytes());
        }
        tail.last_lines(10)
    }

    #[test]
    fn keeps_the_last_lines() {
        assert_eq!(tail(&[]), "");
        assert_eq!(tail(&["one\ntw", "o\n\n"]), "one\ntwo");
        let many: Vec<String> = (1..=12).map(|line| format!("{line}\n")).collect();
        assert_eq!(tail(&[&many.concat()]), "3\n4\n5\n6\n7\n8\n9\n10\n11\n12");
    }

    #[test]
    fn is_bounded_and_says_where_it_was_cut() {
        let long = "é".repeat(KEPT);
        let told = tail(&["x", &long, &long]);
        assert!(told.starts_with('…') && told.len() <= KEPT + '…'.len_utf8(), "{} bytes", told.len());
        let mut tail = Tail::of(KEPT);
        for _ in 0..10_000 {
            tail.push(&[b'a'; 100]);
            assert!(tail.bytes.len() <= 2 * KEPT + 100);
        }
    }
}
