//! The numbers of errors, warnings and notes.

use super::super::diagnostic::{Diagnostic, Severity};

/// `2 errors, 1 warning`; `no problems` for none.
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let of = |severity| {
        diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .count()
    };
    let counted = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{count} {word}s")),
    };
    let parts: Vec<String> = [
        counted(of(Severity::Error), "error"),
        counted(of(Severity::Warning), "warning"),
        counted(of(Severity::Note), "note"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        "no problems".to_owned()
    } else {
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Code;
    use super::*;

    #[test]
    fn counts_by_severity() {
        let error = Diagnostic::error(Code::Syntax, "a");
        let warning = Diagnostic::warning(Code::ShortSecret, "b");
        assert_eq!(summary(&[]), "no problems");
        assert_eq!(summary(std::slice::from_ref(&error)), "1 error");
        assert_eq!(
            summary(&[
                error.clone(),
                warning,
                Diagnostic::note(Code::LeftOut, "c"),
                error
            ]),
            "2 errors, 1 warning, 1 note"
        );
    }
}
