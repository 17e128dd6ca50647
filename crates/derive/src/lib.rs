//! Code that follows from the fields of a type: how its variables are filled, how its texts are masked, and the settings that it
//! lists.
//!
//! **Invariant:** no field is forgotten: every field is filled, and one that is not masked says so itself.

mod attribute;
mod bounds;
mod fill;
mod mask;
mod prose;
mod settings;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `ananke_model::variables::Fill` for a type that people write: every field is filled, so that every problem is
/// reported, and then goes into the field of the same name.
///
/// Attributes of a struct or an enum:
/// - `#[fill(into = T)]`: the type that comes of it. For a struct, `T` may be a variant with fields. An enum goes variant by
///   variant into that of the same name.
/// - `#[fill(keys)]`: a JSON object comes of it, with the keys that people write. Keys that they omit are omitted.
/// - `#[fill(check = f)]`: `f(&Self, &mut Interpolation) -> Leaf<()>` reports what is wrong with the fields together.
///
/// Attributes of a field or a variant:
/// - `#[fill(default = E)]`, or `default` alone: the value of an `Option` that is not written.
/// - `#[fill(within = A..=B)]`: the smallest and the largest number. The doc comment has to contain the numbers of `default`
///   and `within`, since the schema is made from it.
/// - `#[fill(with = f)]`: `f(&Field, &mut Interpolation) -> Leaf<T>` fills it, or what is in it if it is an `Option`.
/// - `#[fill(name = N)]`: the name that it has in `T`.
/// - `#[fill(flatten)]`: what comes of this variant is a `T` already.
#[proc_macro_derive(Fill, attributes(fill))]
pub fn fill(item: TokenStream) -> TokenStream {
    fill::derive(&parse_macro_input!(item as DeriveInput))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Implements `ananke_trace::redact::Mask`: every field is masked.
///
/// Attribute of a type:
/// - `#[mask(then = f)]`: `f(&mut Self)` is called when all of it is masked, such as to truncate it.
///
/// Attributes of a field:
/// - `#[mask(skip)]`: it contains nothing from outside.
/// - `#[mask(with = f)]`: `f(&mut Field, &Redactor)` masks it.
#[proc_macro_derive(Mask, attributes(mask))]
pub fn mask(item: TokenStream) -> TokenStream {
    mask::derive(&parse_macro_input!(item as DeriveInput))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes constants of the bounds and defaults of numbers that people write, and the function `bounds`, which adds them to the
/// schema of the type: `#[schemars(transform = T::bounds)]`.
///
/// Attribute of a field, whose doc comment has to contain the numbers:
/// - `#[bounds(within = A..=B)]`: the smallest and the largest number, as the constant that is called like the field.
/// - `#[bounds(default = E, within = A..=B)]`: the same, and the value of an `Option` that is not written, as `DEFAULT_…`.
#[proc_macro_derive(Bounds, attributes(bounds))]
pub fn bounds(item: TokenStream) -> TokenStream {
    bounds::derive(&parse_macro_input!(item as DeriveInput))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes a table of settings of a struct of keys: the struct of the values that were given, the struct of those that apply, the
/// functions `given`, `or` and `effective`, which lead from one to the next, and `FLAGS`, the options of the command line.
///
/// Attribute of the struct: `#[settings(given = G, effective = E)]` names the two structs.
///
/// A field is a key of the config, or `NoKey` if only the command line or another part of the config gives the setting. Its
/// attribute is `#[setting(…)]`, which may be repeated:
/// - `value = T`: the type of the value, which implements `KeyValue` and `FlagValue` (default: `bool`).
/// - `default = E`: the value that applies if none is given. Without it, and without one in `#[bounds(…)]`, that is an `Option`; a
///   truth value is `false`.
/// - `name = N`: the name of the value, if it is not that of the key.
/// - `within = R`: the bounds of a number, if `#[bounds(…)]` does not contain them.
/// - `group = G, help = "…"`: there is an option, with this text, in this group of options. It is called like the value.
/// - `long = "…"`, `short = '…'`, `aliases = […]`, `value_name = "…"`, `conflicts = […]`: more of the option.
#[proc_macro_derive(Settings, attributes(settings, setting))]
pub fn settings(item: TokenStream) -> TokenStream {
    settings::derive(&parse_macro_input!(item as DeriveInput))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
