//! The prices of models, which the config has or names the file of.
//!
//! Flows in: a mapping of models. Flows out: prices of one token. **Invariant:** a price is exact, or it is an error: costs are sums
//! of many of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::config::Config;
use super::variables::Variables;
use ananke_base::context::{Context, absolute_from, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::{self, FreeMap, printable};
use ananke_base::text::Usd;
use ananke_model::model::{Decimal, ModelPrice, Text, WrittenPrices};
use ananke_model::variables::{Interpolation, Leaf, Mode};
use ananke_trace::trace::{Price, Prices};

/// The number of tokens that a price is for.
const TOKENS: u64 = 1_000_000;

impl Config {
    /// The prices of models; `None` if the config has none, or something is wrong with them, which goes to `problems`.
    pub(crate) fn prices(
        &self,
        context: &Context,
        variables: &Variables,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Arc<Prices>> {
        let scope = variables.scope(context);
        let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
        let file = match self.model.prices.as_ref()? {
            WrittenPrices::Mapping(written) => return filled(written, &mut interpolation),
            WrittenPrices::Text(file) => file,
        };

        // The prices are in a file of their own, in which problems have their places.
        let path = interpolation.text(file).ok()?;
        let path = absolute_from(context, &self.folder, Path::new(&path));
        let (source, written) = match self.read_prices(context, &path, file) {
            Ok(read) => read,
            Err(found) => {
                problems.extend(found);
                return None;
            }
        };
        let mut interpolation = Interpolation::new(&scope, &source, Mode::Send, problems);
        filled(&written, &mut interpolation)
    }

    /// Reads the file at `path`, which is written as `file` in the config.
    fn read_prices(
        &self,
        context: &Context,
        path: &Path,
        file: &Text,
    ) -> Result<(Arc<SourceFile>, FreeMap<ModelPrice>), Vec<Diagnostic>> {
        let name = display_name(context, path);
        let source = source::read(&context.files, path, &name)
            .map_err(|problem| vec![problem.at(&self.source, file.span, "")])?;
        // The file has no `version` of its own: it is as new as the key that names it.
        source.set_version((self.version.major, self.version.minor));
        let (node, found) = source::tree(&source);
        let Some(node) = node else {
            return Err(found);
        };
        if !found.is_empty() {
            return Err(found);
        }
        match source::from_node(&node, &[]) {
            Ok(written) => Ok((source, written)),
            Err(mismatch) => {
                let help = "write `MODEL: { input: 2.5, cached: 0.25, output: 10 }` for each model, in US dollars per million tokens";
                let problem = Diagnostic::error(Code::WrongType, mismatch.message);
                Err(vec![problem.at(&source, mismatch.span, "").help(help)])
            }
        }
    }
}

/// The prices of all models; `None` if something is wrong with one of them.
fn filled(
    written: &FreeMap<ModelPrice>,
    interpolation: &mut Interpolation<'_>,
) -> Option<Arc<Prices>> {
    let mut by_model = BTreeMap::new();
    let mut is_whole = true;
    for (model, written) in written {
        // Each price is filled before one that is wrong ends this, so that the problems of all are reported.
        let input = price(&written.input, interpolation);
        let output = price(&written.output, interpolation);
        let cached = match &written.cached {
            Some(cached) => price(cached, interpolation),
            None => input,
        };
        if let Ok(input) = input
            && let Ok(cached) = cached
            && let Ok(output) = output
        {
            let price = Price {
                input,
                cached,
                output,
            };
            by_model.insert(model.value.clone(), price);
        } else {
            is_whole = false;
        }
    }
    if is_whole {
        Some(Arc::new(Prices(by_model)))
    } else {
        None
    }
}

/// The price of one token.
///
/// # Errors
/// If a variable is not known, or the number is no price, which was reported.
fn price(written: &Decimal, interpolation: &mut Interpolation<'_>) -> Leaf<Usd> {
    let number = interpolation.decimal(written)?;
    let wrong = match Usd::of(&number) {
        Ok(of_all) if of_all.0 % TOKENS == 0 => return Ok(Usd(of_all.0 / TOKENS)),
        Ok(_) | Err("must have at most 12 decimals") => "must have at most 6 decimals",
        Err(wrong) => wrong,
    };
    let message = format!(
        "a price {wrong}, and this is {}",
        printable(&number.to_string())
    );
    let help = "prices are in US dollars per million tokens, such as `2.5`".to_owned();
    Err(interpolation.report(Code::BadValue, written.span, message, Some(help)))
}
