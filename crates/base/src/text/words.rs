//! Several words as one part of a sentence.

/// `a`, `a or b`, `a, b or c`.
pub fn any_of<T: AsRef<str>>(words: &[T]) -> String {
    joined(words, "or")
}

/// `a`, `a and b`, `a, b and c`.
pub fn all_of<T: AsRef<str>>(words: &[T]) -> String {
    joined(words, "and")
}

fn joined<T: AsRef<str>>(words: &[T], last: &str) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => only.as_ref().to_owned(),
        [rest @ .., word] => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} {last} {}", rest.join(", "), word.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_two_words_have_a_word_between_them() {
        for (words, expected) in [
            (&[][..], "nothing"),
            (&["a"], "a"),
            (&["a", "b"], "a or b"),
            (&["a", "b", "c"], "a, b or c"),
        ] {
            assert_eq!(any_of(words), expected);
            assert_eq!(all_of(words), expected.replace(" or ", " and "));
        }
    }
}
