//! Two lists of tool calls, shortened to where they differ.

/// The number of equal calls kept before and after the difference.
const AROUND: usize = 1;

/// The most calls listed of the difference.
const MOST: usize = 12;

/// Both lists; of their common start and end only the calls next to the difference.
pub(super) fn both(before: &[String], after: &[String]) -> (String, String) {
    let same = |(one, other): &(&String, &String)| one == other;
    let head = before.iter().zip(after).take_while(same).count();
    let most = before.len().min(after.len()) - head;
    let tail = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take(most)
        .take_while(same)
        .count();
    (list(before, head, tail), list(after, head, tail))
}

fn list(tools: &[String], head: usize, tail: usize) -> String {
    if tools.is_empty() {
        return "none".to_owned();
    }
    let (from, to) = (
        head.saturating_sub(AROUND),
        tools.len() - tail.saturating_sub(AROUND),
    );
    let mut words = Vec::new();
    if from > 0 {
        words.push(format!("… {from} as before"));
    }
    let runs: Vec<&[String]> = tools[from..to]
        .chunk_by(|one, other| one == other)
        .collect();
    for run in runs.iter().take(MOST) {
        words.push(if run.len() == 1 {
            run[0].clone()
        } else {
            format!("{} ×{}", run[0], run.len())
        });
    }
    let left_out: usize = runs.iter().skip(MOST).map(|run| run.len()).sum();
    if left_out > 0 {
        words.push(format!("… {left_out} more"));
    }
    if to < tools.len() {
        words.push(format!("… {} as before", tools.len() - to));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: (&str, &str)) {
        let list = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (was, is) = both(&list(before), &list(after));
        assert_eq!((was.as_str(), is.as_str()), expected);
    }

    #[test]
    fn what_is_the_same_is_cut_down() {
        check("a b c", "a c", ("a, b, c", "a, c"));
        check("", "a", ("none", "a"));
        check("a", "a a a", ("a", "a ×3"));
        check(
            "a b c x d e f",
            "a b c y d e f",
            (
                "… 2 as before, c, x, d, … 2 as before",
                "… 2 as before, c, y, d, … 2 as before",
            ),
        );
        check(
            "a b c",
            "a b c d",
            ("… 2 as before, c", "… 2 as before, c, d"),
        );
    }

    #[test]
    fn long_lists_are_cut() {
        let long: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
        let (_, is) = both(&[], &long);
        assert!(is.ends_with("t11, … 8 more"), "{is}");
    }
}
