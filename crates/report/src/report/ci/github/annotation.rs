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

/// The annotations of one kind: as many as GitHub shows, the first of each test before further ones of
/// the same test.
#[derive(Debug)]
pub(super) struct Annotations {
    kind: AnnotationKind,
    first: Vec<String>,
    further: Vec<String>,
    count: usize,
}

impl Annotations {
    pub(super) fn new(kind: AnnotationKind) -> Self {
        Self {
            kind,
            first: Vec::new(),
            further: Vec::new(),
            count: 0,
        }
    }

    /// Takes all that there is to say of one test.
    pub(super) fn add(&mut self, lines: impl Iterator<Item = String>) {
        for (number, line) in lines.enumerate() {
            self.count += 1;
            let kept = if number == 0 {
                &mut self.first
            } else {
                &mut self.further
            };
            if kept.len() < SHOWN {
                kept.push(line);
            }
        }
    }

    /// The lines; if there are more than are shown, the last says how many.
    pub(super) fn text(&self) -> String {
        let all = self.first.iter().chain(&self.further);
        if self.count <= SHOWN {
            return all.map(String::as_str).collect();
        }
        let shown: String = all.take(SHOWN - 1).map(String::as_str).collect();
        let more = format!(
            "and {} more: see the summary of the job",
            self.count - (SHOWN - 1)
        );
        shown + &line(self.kind, None, "ananke", &more)
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
        let mut annotations = Annotations::new(AnnotationKind::Warning);
        annotations.add(["a1\n", "a2\n"].into_iter().map(str::to_owned));
        annotations.add(std::iter::once("b1\n".to_owned()));
        assert_eq!(annotations.text(), "a1\nb1\na2\n");
        for _ in 0..20 {
            annotations.add(std::iter::once("c1\n".to_owned()));
        }
        let text = annotations.text();
        assert_eq!(text.lines().count(), SHOWN);
        assert!(
            text.ends_with("::warning title=ananke::and 14 more: see the summary of the job\n"),
            "{text}"
        );
    }
}
