//! The assignment of things to steps. The input is which steps are optional, the number of things, and whether a thing fits
//! a step.
//!
//! A step takes one thing, and a thing goes with one step. The modes that allow nothing else never look further than the
//! steps and [`SHOWN`] things more, since so many cannot all have a step; the others look at every thing once for each
//! step.

use std::collections::{BTreeMap, BTreeSet};

/// The most things more than there are steps that are looked at, if there may be none.
pub(super) const SHOWN: usize = 200;

/// The assignment of things to steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matched {
    /// For each step the thing that it takes.
    pub(super) assigned: Vec<Option<usize>>,
    /// For each step whether it has to take one.
    pub(super) required: Vec<bool>,
    /// The number of things that no step takes though every thing must have one.
    pub(super) left_over: usize,
}

impl Matched {
    pub(super) fn is_complete(&self) -> bool {
        self.missing().next().is_none() && self.left_over == 0
    }

    /// The steps that take nothing though they have to.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.assigned.len())
            .filter(|step| self.required[*step] && self.assigned[*step].is_none())
    }

    fn closed(assigned: Vec<Option<usize>>, optional: &[bool], items: usize) -> Self {
        let left_over = items - assigned.iter().flatten().count();
        Self {
            assigned,
            required: optional.iter().map(|optional| !optional).collect(),
            left_over,
        }
    }
}

/// Every thing goes with a step, in the order of both; as few steps as can be are missing, and things left over.
pub(super) fn exact(
    optional: &[bool],
    items: usize,
    matches: impl Fn(usize, usize) -> bool,
) -> Matched {
    let (steps, seen) = (optional.len(), items.min(optional.len() + SHOWN));
    let width = seen + 1;
    let fit: Vec<bool> = (0..steps)
        .flat_map(|step| (0..seen).map(move |item| (step, item)))
        .map(|(s, t)| matches(s, t))
        .collect();
    // What is missing and left over of the steps and things from each place on.
    let mut cost = vec![0_usize; (steps + 1) * width];
    for step in (0..=steps).rev() {
        for item in (0..=seen).rev() {
            let at = step * width + item;
            let without_step =
                (step < steps).then(|| cost[at + width] + usize::from(!optional[step]));
            let without_thing = (item < seen).then(|| cost[at + 1] + 1);
            let with_both = (step < steps && item < seen && fit[step * seen + item])
                .then(|| cost[at + width + 1]);
            cost[at] = [with_both, without_step, without_thing]
                .into_iter()
                .flatten()
                .min()
                .unwrap_or(0);
        }
    }
    let mut assigned = vec![None; steps];
    let (mut step, mut item) = (0, 0);
    while step < steps && item < seen {
        let at = step * width + item;
        if fit[step * seen + item] && cost[at] == cost[at + width + 1] {
            assigned[step] = Some(item);
            (step, item) = (step + 1, item + 1);
        } else if cost[at] == cost[at + width] + usize::from(!optional[step]) {
            step += 1;
        } else {
            item += 1;
        }
    }
    Matched::closed(assigned, optional, items)
}

/// Every step that has to come goes with a thing after that of the step before it; the first that fits is as good as
/// any. An optional step has to come where something is there that fits it and no other step.
pub(super) fn in_order(
    optional: &[bool],
    items: usize,
    matches: impl Fn(usize, usize) -> bool,
) -> Matched {
    let mut required: Vec<bool> = optional.iter().map(|optional| !optional).collect();
    if optional.contains(&true) {
        for item in 0..items {
            let mut fitting = (0..required.len()).filter(|step| matches(*step, item));
            if let (Some(only), None) = (fitting.next(), fitting.next()) {
                required[only] = true;
            }
        }
    }
    let mut next = 0;
    let mut take = |step: usize| {
        let found = (next..items).find(|item| required[step] && matches(step, *item));
        next = found.map_or(next, |found| found + 1);
        found
    };
    let assigned = (0..optional.len()).map(&mut take).collect();
    Matched {
        assigned,
        required,
        left_over: 0,
    }
}

/// Every thing goes with a step, in any order.
pub(super) fn any_order(
    optional: &[bool],
    items: usize,
    matches: impl Fn(usize, usize) -> bool,
) -> Matched {
    let seen = items.min(optional.len() + SHOWN);
    let fitting =
        |step: usize| -> Vec<usize> { (0..seen).filter(|item| matches(step, *item)).collect() };
    let candidates: Vec<Vec<usize>> = (0..optional.len()).map(fitting).collect();
    Matched::closed(assign(&candidates, optional), optional, items)
}

/// Every step goes with a thing, in any order.
pub(super) fn at_least(
    optional: &[bool],
    items: usize,
    matches: impl Fn(usize, usize) -> bool,
) -> Matched {
    let steps = optional.len();
    // As many candidates as there are steps are enough: the other steps cannot take them all.
    let fitting = |step: usize| -> Vec<usize> {
        (0..items)
            .filter(|item| matches(step, *item))
            .take(steps)
            .collect()
    };
    let candidates: Vec<Vec<usize>> = (0..steps).map(fitting).collect();
    let required = optional.iter().map(|optional| !optional).collect();
    Matched {
        assigned: assign(&candidates, optional),
        required,
        left_over: 0,
    }
}

/// Gives as many steps as can be a thing of their own. What has one keeps one when another step comes in, so that the
/// steps that must come go first: no optional one takes a thing that they need.
fn assign(candidates: &[Vec<usize>], optional: &[bool]) -> Vec<Option<usize>> {
    let mut holders = BTreeMap::new();
    for turn in [false, true] {
        for step in (0..candidates.len()).filter(|step| optional[*step] == turn) {
            give(step, candidates, &mut holders, &mut BTreeSet::new());
        }
    }
    let mut assigned = vec![None; candidates.len()];
    for (item, step) in holders {
        assigned[step] = Some(item);
    }
    assigned
}

/// Finds a thing for a step, if need be by finding another one for the step that has it; never deeper than there are
/// steps.
fn give(
    step: usize,
    candidates: &[Vec<usize>],
    holders: &mut BTreeMap<usize, usize>,
    tried: &mut BTreeSet<usize>,
) -> bool {
    if let Some(free) = candidates[step]
        .iter()
        .find(|item| !holders.contains_key(item))
    {
        holders.insert(*free, step);
        return true;
    }
    for item in &candidates[step] {
        if tried.insert(*item)
            && let Some(holder) = holders.get(item).copied()
            && give(holder, candidates, holders, tried)
        {
            holders.insert(*item, step);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Matching = fn(&[bool], usize, &dyn Fn(usize, usize) -> bool) -> Matched;

    const MODES: [(&str, Matching); 4] = [
        ("exact", |optional, items, matches| {
            exact(optional, items, matches)
        }),
        ("in_order", |optional, items, matches| {
            in_order(optional, items, matches)
        }),
        ("any_order", |optional, items, matches| {
            any_order(optional, items, matches)
        }),
        ("at_least", |optional, items, matches| {
            at_least(optional, items, matches)
        }),
    ];

    /// Whether steps from `step` on can be matched with items from `item` on, tried in every way.
    fn oracle(
        mode: &str,
        optional: &[bool],
        items: usize,
        matches: &dyn Fn(usize, usize) -> bool,
    ) -> bool {
        let mut required: Vec<bool> = optional.iter().map(|optional| !optional).collect();
        if mode == "in_order" {
            for item in 0..items {
                let fitting: Vec<usize> = (0..optional.len())
                    .filter(|step| matches(*step, item))
                    .collect();
                if let [only] = fitting.as_slice() {
                    required[*only] = true;
                }
            }
        }
        let ways =
            (0..optional.len()).fold(vec![Vec::new()], |ways: Vec<Vec<Option<usize>>>, step| {
                let choices = |way: &Vec<Option<usize>>| {
                    let free = |item: &usize| !way.contains(&Some(*item)) && matches(step, *item);
                    let none = (!required[step]).then_some(None);
                    let choices: Vec<_> = (0..items).filter(free).map(Some).chain(none).collect();
                    choices
                        .into_iter()
                        .map(|choice| [way.as_slice(), &[choice]].concat())
                        .collect::<Vec<_>>()
                };
                ways.iter().flat_map(choices).collect()
            });
        ways.iter().any(|way| {
            let assigned: Vec<usize> = way.iter().flatten().copied().collect();
            let in_order = assigned.is_sorted() || !matches!(mode, "exact" | "in_order");
            let all = assigned.len() == items || !matches!(mode, "exact" | "any_order");
            in_order && all
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn every_mode_holds_where_some_way_of_going_together_does(
            steps in prop::collection::vec((prop::bool::weighted(0.3), 0_u8..16), 0..5),
            // Each thing is a bit, each step a set of them: steps overlap.
            items in prop::collection::vec(0_u8..4, 0..5),
        ) {
            let optional: Vec<bool> = steps.iter().map(|(optional, _)| *optional).collect();
            let matches = |step: usize, item: usize| steps[step].1 & (1 << items[item]) != 0;
            for (mode, matching) in MODES {
                let matched = matching(&optional, items.len(), &matches);
                prop_assert_eq!(matched.is_complete(), oracle(mode, &optional, items.len(), &matches), "{}", mode);
                let mut assigned: Vec<usize> = matched.assigned.iter().flatten().copied().collect();
                let pairs = matched.assigned.iter().enumerate();
                prop_assert!(pairs.filter_map(|(step, item)| Some((step, (*item)?))).all(|(s, t)| matches(s, t)));
                prop_assert!(assigned.is_sorted() || !matches!(mode, "exact" | "in_order"));
                assigned.sort_unstable();
                assigned.dedup();
                prop_assert_eq!(assigned.len(), matched.assigned.iter().flatten().count(), "a thing is taken once");
            }
        }
    }

    #[test]
    fn an_optional_step_in_order_comes_where_it_comes_at_all() {
        // a, then perhaps b, then c.
        let held = |walk: &str| {
            let items: Vec<char> = walk.chars().collect();
            in_order(&[false, true, false], items.len(), |step, item| {
                ['a', 'b', 'c'][step] == items[item]
            })
            .is_complete()
        };
        for (walk, expected) in [
            ("ac", true),
            ("abc", true),
            ("xabxc", true),
            ("abcb", true),
            ("bac", false),
            ("acb", false),
        ] {
            assert_eq!(held(walk), expected, "{walk}");
        }
    }

    #[test]
    fn many_things_cost_no_more_than_the_steps_times_them() {
        let (optional, items) = (vec![false; 200], 1_000_000);
        // The last thing alone fits the last step.
        let matches = |step: usize, item: usize| step < 199 || item == items - 1;
        assert!(at_least(&optional, items, matches).is_complete());
        assert!(in_order(&optional, items, matches).is_complete());
        for closed in [
            exact(&optional, items, matches),
            any_order(&optional, items, matches),
        ] {
            assert_eq!(closed.left_over, items - 199);
        }
    }
}
