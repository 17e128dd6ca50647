//! The bounds and defaults of numbers as constants, and in the schema.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Expr, ExprRange, Field, Result};

use super::attribute::{all, entries, value};
use super::prose;

/// The constants of a type, and the function that adds them to its schema.
///
/// # Errors
/// If an attribute cannot be read, or its numbers are not in the doc comment.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "only a struct has keys"));
    };
    let parts = all(data.fields.iter().map(of_field))?;
    let (constants, calls): (Vec<_>, Vec<_>) = parts.into_iter().flatten().unzip();
    let name = &input.ident;
    Ok(quote! {
        impl #name {
            #(#constants)*

            /// Adds the bounds and defaults of its numbers to its schema, for `#[schemars(transform = …)]`.
            fn bounds(schema: &mut ::schemars::Schema) {
                #(#calls)*
            }
        }
    })
}

/// The constants of a field and the call that adds them to the schema; `None` if it has no attribute.
fn of_field(field: &Field) -> Result<Option<(TokenStream, TokenStream)>> {
    let (mut default, mut within) = (None::<Expr>, None::<ExprRange>);
    entries(&field.attrs, "bounds", |entry| {
        if entry.path.is_ident("default") {
            default = value(entry)?;
        } else if entry.path.is_ident("within") {
            within = value(entry)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    })?;
    prose::check(&field.attrs, default.as_ref(), within.as_ref())?;
    let (Some(own), Some(within)) = (&field.ident, within) else {
        return match default {
            Some(default) => Err(Error::new_spanned(default, "`within` is missing")),
            None => Ok(None),
        };
    };
    let (key, name) = (own.to_string(), own.to_string().to_uppercase());
    let constant = format_ident!("{name}");
    let about = format!("The smallest and the largest `{key}`.");
    let mut constants = quote! {
        #[doc = #about]
        pub const #constant: ::std::ops::RangeInclusive<u64> = #within;
    };
    let given = if let Some(default) = default {
        let (constant, about) = (
            format_ident!("DEFAULT_{name}"),
            format!("The value of `{key}` if it is not written."),
        );
        constants.extend(quote! {
            #[doc = #about]
            pub const #constant: u64 = #default;
        });
        quote!(::std::option::Option::Some(Self::#constant))
    } else {
        quote!(::std::option::Option::None)
    };
    let call = quote!(::ananke_model::model::add_bounds(schema, #key, &Self::#constant, #given););
    Ok(Some((constants, call)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn a_number_has_constants_and_bounds_in_the_schema() {
        let code = derive(&parse_quote! {
            struct NumberKeys {
                /// The number of steps, from 1 to 1000 (default 8).
                #[bounds(default = 8, within = 1..=1000)]
                steps: Option<Number>,
                name: Text,
            }
        });
        let code = code.unwrap().to_string().replace(' ', "");
        for part in [
            "pubconstSTEPS:::std::ops::RangeInclusive<u64>=1..=1000;",
            "pubconstDEFAULT_STEPS:u64=8;",
            "add_bounds(schema,\"steps\",&Self::STEPS,::std::option::Option::Some(Self::DEFAULT_STEPS));",
        ] {
            assert!(code.contains(part), "{part}\n{code}");
        }
        assert!(!code.contains("NAME"), "{code}");
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let problems = derive(&parse_quote! {
            struct UnboundedKeys {
                /// The number of steps.
                #[bounds(within = 1..=1000)]
                steps: Option<Number>,
                /// The number of walks (default 3).
                #[bounds(default = 3)]
                walks: Option<Number>,
            }
        });
        let messages: Vec<String> = problems
            .unwrap_err()
            .into_iter()
            .map(|error| error.to_string())
            .collect();
        let lacks =
            "the doc comment does not contain 1000, though the schema is made from it".to_owned();
        assert_eq!(messages, [lacks, "`within` is missing".to_owned()]);
    }
}
