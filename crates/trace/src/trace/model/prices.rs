//! The prices of a config, and the cost of usage by them.
//!
//! Usage is priced when it is reported, since only then is it known which model it is of. So a cost is a sum like tokens, and a part of
//! it that is not known stays visible in every sum.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::{Cost, Usage};
use ananke_base::text::{Usd, truncate};

/// The most bytes of the name of a model that an agent reports.
const LONGEST_NAME: usize = 100;

/// The price of one token of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// The price of a token that it reads.
    pub input: Usd,
    /// The price of one that the server had in a cache.
    pub cached: Usd,
    /// The price of a token that it writes.
    pub output: Usd,
}

/// The prices of the models of a config, by the name under which a model is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices(pub BTreeMap<String, Price>);

/// The reason why the cost of some usage is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CostGap {
    /// The tokens, or some kind of them, were not reported.
    NoTokens,
    /// The model was not reported.
    NoModel,
    /// The prices do not have this model.
    NoPrice(String),
}

impl Prices {
    /// The usage with its cost, which is that of tokens of `model`; and the reason why that is not known, or not all of it.
    pub fn price(&self, usage: Usage, model: Option<&str>) -> (Usage, Option<CostGap>) {
        let unknown = Usage {
            cost: Cost::UNKNOWN,
            ..usage
        };
        if usage == Usage::UNKNOWN {
            return (unknown, Some(CostGap::NoTokens));
        }
        // No tokens cost nothing, whatever model they are of.
        if usage.input.whole() == Some(0) && usage.output.whole() == Some(0) {
            let cost = Cost::default();
            return (Usage { cost, ..usage }, None);
        }
        let Some(model) = model else {
            return (unknown, Some(CostGap::NoModel));
        };
        let Some(price) = self.0.get(model) else {
            let name = truncate::bytes(model, LONGEST_NAME).into_owned();
            return (unknown, Some(CostGap::NoPrice(name)));
        };

        // A server that reports no cached tokens has none, or charges for them what it charges for others. More of them than there
        // is input are not believed.
        let cached = usage.cached.counted.min(usage.input.counted);
        let uncached = usage.input.counted - cached;
        let known = price.input.times(uncached)
            + price.cached.times(cached)
            + price.output.times(usage.output.counted);
        let is_partial = usage.input.is_partial || usage.output.is_partial;
        let cost = Cost { known, is_partial };
        let gap = if is_partial {
            Some(CostGap::NoTokens)
        } else {
            None
        };
        (Usage { cost, ..usage }, gap)
    }
}

impl CostGap {
    /// The reason of a rule about cost in a project whose config has no prices.
    pub const NO_PRICES: &'static str = "the config has no `prices`";

    /// The reason in words.
    pub fn words(&self) -> Cow<'static, str> {
        match self {
            Self::NoTokens => "the agent did not report its tokens".into(),
            Self::NoModel => "the agent did not report which model its tokens are of".into(),
            Self::NoPrice(model) => format!("`prices` does not have the model `{model}`").into(),
        }
    }
}

impl fmt::Display for CostGap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Tokens;

    fn prices() -> Prices {
        let price = Price {
            input: Usd(2_500_000),
            cached: Usd(1_250_000),
            output: Usd(10_000_000),
        };
        Prices([("big".to_owned(), price)].into())
    }

    fn usage(input: Option<u64>, cached: Option<u64>, output: Option<u64>) -> Usage {
        Usage {
            cached: Tokens::from(cached),
            ..Usage::reported(input, output, None)
        }
    }

    #[test]
    fn cached_tokens_are_a_part_of_the_input() {
        let cost = |usage| {
            prices()
                .price(usage, Some("big"))
                .0
                .cost
                .whole()
                .map(|usd| usd.0)
        };
        let price = 1000 * 2_500_000 + 100 * 10_000_000;
        assert_eq!(cost(usage(Some(1000), None, Some(100))), Some(price));
        let saved = 400 * 1_250_000;
        assert_eq!(
            cost(usage(Some(1000), Some(400), Some(100))),
            Some(price - saved)
        );
        // More than the input is not believed.
        assert_eq!(
            cost(usage(Some(1000), Some(2000), Some(100))),
            Some(price - 1000 * 1_250_000)
        );
    }

    #[test]
    fn what_is_not_known_has_a_reason_and_no_amount() {
        for (usage, model, known, gap) in [
            (
                usage(Some(10), None, None),
                Some("big"),
                25_000_000,
                CostGap::NoTokens,
            ),
            (Usage::UNKNOWN, Some("big"), 0, CostGap::NoTokens),
            (usage(Some(10), None, Some(1)), None, 0, CostGap::NoModel),
            (
                usage(Some(10), None, Some(1)),
                Some("small"),
                0,
                CostGap::NoPrice("small".to_owned()),
            ),
        ] {
            let (priced, found) = prices().price(usage, model);
            assert_eq!(priced.cost.whole(), None, "{gap}");
            assert_eq!(priced.cost.known, Usd(known), "{gap}");
            assert_eq!(found, Some(gap));
        }
    }
}
