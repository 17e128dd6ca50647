//! The order of names as people read them: `t2` comes before `t10`.
//!
//! Flows in: two names or paths. Flows out: which comes first. **Invariant:** the order is total, and two names are equal in it only
//! if their bytes are.

use std::cmp::Ordering;
use std::path::Path;

/// The order of two names: digits that follow each other compare as one number of any length, everything else as bytes. Names that
/// differ in leading zeros alone compare as bytes.
pub fn natural_order(one: &str, other: &str) -> Ordering {
    of_bytes(one.as_bytes(), other.as_bytes())
}

/// The order of two paths: directory by directory, each in the [order of names](natural_order).
pub fn natural_path_order(one: &Path, other: &Path) -> Ordering {
    let (mut one, mut other) = (one.components(), other.components());
    loop {
        let (next, of_other) = match (one.next(), other.next()) {
            (Some(next), Some(of_other)) => (next, of_other),
            (next, of_other) => return next.is_some().cmp(&of_other.is_some()),
        };
        let [next, of_other] = [next, of_other].map(|part| part.as_os_str().as_encoded_bytes());
        let order = of_bytes(next, of_other);
        if order.is_ne() {
            return order;
        }
    }
}

fn of_bytes(one: &[u8], other: &[u8]) -> Ordering {
    let (mut left, mut right) = (one, other);
    while let ([first, rest @ ..], [of_other, rest_of_other @ ..]) = (left, right) {
        let order = if first.is_ascii_digit() && of_other.is_ascii_digit() {
            let (number, of_other);
            (number, left) = left.split_at(digits(left));
            (of_other, right) = right.split_at(digits(right));
            by_value(number, of_other)
        } else {
            (left, right) = (rest, rest_of_other);
            first.cmp(of_other)
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

/// The number of digits that a text begins with.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The order of two numbers, written in digits.
fn by_value(one: &[u8], other: &[u8]) -> Ordering {
    let [one, other] = [one, other].map(|number| {
        let zeros = number.iter().take_while(|digit| **digit == b'0').count();
        &number[zeros..]
    });
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_in_names_compare_by_their_value() {
        let long = "9".repeat(300);
        let names = [
            "", "1", "01", "2", "10", "a", "a 1", "a1", "a01b", "a1b", "a2", "a10", "a10b2",
            "a10b10", "a_1", "b", "ä2", "ä10",
        ];
        let mut sorted = names;
        sorted.sort_by(|one, other| natural_order(one, other));
        assert_eq!(
            sorted,
            [
                "", "01", "1", "2", "10", "a", "a 1", "a1", "a01b", "a1b", "a2", "a10", "a10b2",
                "a10b10", "a_1", "b", "ä2", "ä10",
            ]
        );
        assert_eq!(
            natural_order(&format!("t{long}"), &format!("t1{long}")),
            Ordering::Less
        );
        assert_eq!(natural_order(&format!("t{long}"), "t2"), Ordering::Greater);
    }

    #[test]
    fn paths_compare_directory_by_directory() {
        let paths = ["a/b10", "a/b2/c", "a-1/b", "a/b2", "a10/a", "a2/z", "a"].map(Path::new);
        let mut sorted = paths;
        sorted.sort_by(|one, other| natural_path_order(one, other));
        let expected = ["a", "a/b2", "a/b2/c", "a/b10", "a-1/b", "a2/z", "a10/a"].map(Path::new);
        assert_eq!(sorted, expected);
    }

    /// Names in which most properties can go wrong: few letters, zeros, and long numbers.
    fn name() -> impl Strategy<Value = String> {
        "[019a/é-]{0,6}|[a]?0{0,3}[0-9]{0,30}[ab]?|\\PC{0,5}"
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in name(), b in name(), c in name()) {
            let of_paths = |a: &str, b: &str| natural_path_order(Path::new(a), Path::new(b));
            let orders: [fn(&str, &str) -> Ordering; 2] = [natural_order, of_paths];
            for order in orders {
                prop_assert_eq!(order(&a, &a), Ordering::Equal);
                prop_assert_eq!(order(&a, &b), order(&b, &a).reverse());
                if order(&a, &b).is_le() && order(&b, &c).is_le() {
                    prop_assert!(order(&a, &c).is_le());
                }
            }
            prop_assert_eq!(natural_order(&a, &b).is_eq(), a == b);
            let is_same_path = Path::new(&a) == Path::new(&b);
            prop_assert_eq!(natural_path_order(Path::new(&a), Path::new(&b)).is_eq(), is_same_path);
        }

        #[test]
        fn numbers_compare_as_numbers(a: u64, b: u64, zeros in 0_usize..4) {
            let padded = format!("t{}{a}", "0".repeat(zeros));
            prop_assert_eq!(natural_order(&padded, &format!("t{b}")), a.cmp(&b).then(zeros.cmp(&0).reverse()));
        }
    }
}
