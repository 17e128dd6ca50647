//! Reads the limits of an assert block.
//!
//! Flows in: a block as it is written. Flows out: the setting of each limit. **Invariant:** a limit that is wrong was reported.

use crate::collector::Collector;
use crate::evaluation::{Bound, Measure, Setting};
use crate::limit_registry::{LIMITS, WrittenLimit};
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_base::text::Usd;
use ananke_model::model::{AssertBlock, CostLimit, Limit, Scalar};

/// Collects the limits of a block; `false` instead of `timing` or `usage` switches off all of it.
pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for (measure, read, _) in LIMITS {
        let setting = if let Some(span) = switched_off(block, measure) {
            Some(Setting::Off(collector.origin(span)))
        } else if let Some(limit) = read(block) {
            match limit {
                WrittenLimit::Count(limit) => setting(measure, limit, collector),
                WrittenLimit::Cost(limit) => cost_setting(limit, collector),
            }
        } else {
            None
        };
        collector.block.limits.set(measure, setting);
    }
}

/// The place of a `timing: false` or `usage: false` that switches off all limits of this group; `None` if there is none. The path
/// of `measure` begins with its group.
fn switched_off(block: &AssertBlock, measure: Measure) -> Option<Span> {
    if measure.path().starts_with("timing.") {
        // The value is either `false`, or on with the limits of the group.
        let timing = block.timing.as_ref()?;
        match timing.value.on() {
            Some(_) => None,
            None => Some(timing.span),
        }
    } else {
        let usage = block.usage.as_ref()?;
        match usage.value.on() {
            Some(_) => None,
            None => Some(usage.span),
        }
    }
}

/// The setting of a limit as a block defines it: off, a number, or a number that is known later. `None` if it is an error, which
/// is reported to the collector.
fn setting(
    measure: Measure,
    limit: &Spanned<Limit>,
    collector: &mut Collector<'_, '_>,
) -> Option<Setting> {
    let origin = collector.origin(limit.span);
    // A limit without a number is `false`, which also switches off the limit of an outer level.
    let Limit::Most(given) = &limit.value else {
        return Some(Setting::Off(origin));
    };
    let interpolation = &mut *collector.interpolation;
    // A variable has no number yet if it is known later, and none at all if its value is not a number. `scalar` reports the
    // second, which ends the run before any limit is evaluated, so both may be `Later` here.
    let Ok(most) = interpolation.scalar(given, limit.span) else {
        return match given {
            Scalar::Reference(written) => Some(Setting::Later(written.clone(), origin)),
            // `scalar` never fails for a number that is written.
            Scalar::Literal(_) => None,
        };
    };
    // A limit of 0 is valid for every other measure, since a turn may call no tool and use no tokens.
    if most == 0 && measure == Measure::Duration {
        let message = "`max_duration_ms` must be at least 1: every turn takes time".to_owned();
        let help = "write how many milliseconds are allowed, or `false` for no limit".to_owned();
        interpolation.report(Code::BadValue, limit.span, message, Some(help));
        return None;
    }
    Some(Setting::Bound(Bound { most, origin }))
}

/// The same for a limit in US dollars, in parts of which it is compared.
fn cost_setting(limit: &Spanned<CostLimit>, collector: &mut Collector<'_, '_>) -> Option<Setting> {
    let origin = collector.origin(limit.span);
    let CostLimit::Most(given) = &limit.value else {
        return Some(Setting::Off(origin));
    };
    let number = Spanned {
        value: given.clone(),
        span: limit.span,
    };
    let interpolation = &mut *collector.interpolation;
    let Ok(number) = interpolation.decimal(&number) else {
        return match given {
            Scalar::Reference(written) => Some(Setting::Later(written.clone(), origin)),
            // `decimal` never fails for a number that is written.
            Scalar::Literal(_) => None,
        };
    };
    match Usd::of(&number) {
        Ok(most) => Some(Setting::Bound(Bound {
            most: most.0,
            origin,
        })),
        Err(wrong) => {
            let message = format!("`max_cost_usd` {wrong}");
            let help =
                "write how many US dollars are allowed, such as `0.05`, or `false` for no limit";
            interpolation.report(Code::BadValue, limit.span, message, Some(help.to_owned()));
            None
        }
    }
}
