//! Several words as one part of a sentence, and counts as people read them.

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

/// `1,290,000`: a count with its digits in groups of three.
pub fn grouped(count: impl TryInto<u64>) -> String {
    let digits = count.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
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

    #[test]
    fn digits_are_in_groups_of_three() {
        for (count, expected) in [
            (0_u64, "0"),
            (999, "999"),
            (1000, "1,000"),
            (12_345, "12,345"),
            (1_234_567, "1,234,567"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(count), expected);
        }
        assert_eq!(grouped(2000_usize), "2,000");
    }
}
