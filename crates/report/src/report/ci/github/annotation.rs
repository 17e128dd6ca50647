//! Annotations: orders to the runner of GitHub Actions, which shows them on lines of files.
//!
//! **Invariant:** an annotation is one line, and nothing in it ends its text or one of its properties before its time.

use ananke_base::text::{escape, truncate};

/// The most bytes of a title; GitHub shows 255 characters.
const TITLE: usize = 250;

/// The most bytes of a message; GitHub takes 64 KiB for all annotations of a step together.
const MESSAGE: usize = 2 << 10;

/// The number of annotations of one kind that GitHub shows of a step.
const SHOWN: usize = 10;

/// The severity of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnnotationKind {
    /// A problem that fails the run.
    Error,
    /// A problem that needs attention.
    Warning,
}

impl AnnotationKind {
    fn order(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// The line of an annotation; `place` is a file from the root of the repository and a line in it.
pub(super) fn line(
    kind: AnnotationKind,
    place: Option<(&str, u32)>,
    title: &str,
    message: &str,
) -> String {
    let title = property(&truncate::bytes(&escape::line(title), TITLE));
    let place =
        place.map(|(file, line)| format!("file={},line={line},", property(&escape::line(file))));
    let message = data(&escape::terminal(&truncate::bytes(message, MESSAGE)));
    format!(
        "::{} {}title={title}::{message}\n",
        kind.order(),
        place.unwrap_or_default()
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The annotations of one kind: as many as GitHub shows.
#[derive(Debug)]
pub(super) struct Annotations {
    kind: AnnotationKind,
    lines: Vec<String>,
    count: usize,
}

impl Annotations {
    pub(super) fn new(kind: AnnotationKind) -> Self {
        Self {
            kind,
            lines: Vec::new(),
            count: 0,
        }
    }

    /// Adds one.
    pub(super) fn add(&mut self, line: String) {
        self.count += 1;
        if self.lines.len() < SHOWN {
            self.lines.push(line);
        }
    }

    /// These, and then others of the same kind.
    #[must_use]
    pub(super) fn and(mut self, others: &Self) -> Self {
        let room = SHOWN - self.lines.len();
        self.lines.extend(others.lines.iter().take(room).cloned());
        self.count += others.count;
        self
    }

    /// The lines; if there are more than are shown, the last says how many.
    pub(super) fn text(&self) -> String {
        if self.count <= SHOWN {
            return self.lines.concat();
        }
        let more = format!(
            "and {} more: see the summary of the job",
            self.count - (SHOWN - 1)
        );
        self.lines[..SHOWN - 1].concat() + &line(self.kind, None, "ananke", &more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_place() {
        let text = "a,b:c%0A\r\n::error::x\n::stop-commands::y";
        let written = line(AnnotationKind::Error, Some(("a,b:c\n.yaml", 3)), text, text);
        assert_eq!(
            written,
            "::error file=a%2Cb%3Ac\\n.yaml,line=3,title=a%2Cb%3Ac%250A\\r\\n%3A%3Aerror%3A%3Ax\\n%3A%3Astop-commands%3A%3Ay\
             ::a,b:c%250A%0A\\u{3a}:error::x%0A\\u{3a}:stop-commands::y\n"
        );
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let mut first = Annotations::new(AnnotationKind::Warning);
        first.add("a\n".to_owned());
        let mut others = Annotations::new(AnnotationKind::Warning);
        others.add("b\n".to_owned());
        let both = first.and(&others);
        assert_eq!(both.text(), "a\nb\n");
        for _ in 0..20 {
            others.add("c\n".to_owned());
        }
        let text = both.and(&others).text();
        assert_eq!(text.lines().count(), SHOWN);
        assert!(
            text.ends_with("::warning title=ananke::and 14 more: see the summary of the job\n"),
            "{text}"
        );
    }
}
