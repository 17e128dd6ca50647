//! The variables that a config gives to everything.

use super::{Config, Supply};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::printable;
use crate::variables::{Filling, is_name, is_reserved};

/// Why a name may be missing here.
const HINT: &str = "a variable of the config sees the environment and those written before it";

/// `supply` with the `vars` of `config`, each of which sees those before it; what is wrong with them goes to `problems`.
pub(super) fn of(
    config: &Config,
    context: &Context,
    supply: &Supply,
    problems: &mut Vec<Diagnostic>,
) -> Supply {
    let mut supply = supply.clone();
    for (name, written) in config.model.vars.iter().flatten() {
        let scope = supply.scope(context).hint(HINT);
        let mut filling = Filling::new(&scope, &config.source, true, problems);
        if is_reserved(name) {
            let message = format!("`{}` is reserved", printable(name));
            let help = "`ENV` and all names that begin with `TEST_` are ananke's own".to_owned();
            filling.report(Code::BadValue, name.span, message, Some(help));
        } else if !is_name(name) {
            let message = format!("`{}` is no name of a variable", printable(name));
            let help = "names are made of letters, digits and `_`, and begin with no digit".to_owned();
            filling.report(Code::BadValue, name.span, message, Some(help));
        } else if let Some(value) = filling.json(written).ready() {
            supply.vars.insert(name.value.clone(), value);
        }
    }
    supply
}
