//! Masking, field by field.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Fields, Path, Result};

use super::attribute::{all, entries, value};

/// The implementation of `Mask`.
///
/// # Errors
/// If an attribute cannot be read, or it is a union.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let arms = match &input.data {
        Data::Struct(data) => vec![arm(&quote!(Self), &data.fields)?],
        Data::Enum(data) => all(data.variants.iter().map(|variant| {
            let name = &variant.ident;
            arm(&quote!(Self::#name), &variant.fields)
        }))?,
        Data::Union(_) => return Err(Error::new_spanned(input, "a union cannot be masked")),
    };
    let name = &input.ident;
    let then = then(&input.attrs)?.map(|function| quote!(#function(self);));
    Ok(quote! {
        #[automatically_derived]
        impl ::ananke_trace::redact::Mask for #name {
            #[allow(unused_variables)]
            fn mask(&mut self, redactor: &::ananke_trace::redact::Redactor) {
                match self { #(#arms)* }
                #then
            }
        }
    })
}

/// The function that is called with the masked value.
fn then(attributes: &[Attribute]) -> Result<Option<Path>> {
    let mut then = None;
    entries(attributes, "mask", |entry| {
        let is_then = entry.path.is_ident("then");
        if is_then {
            then = value(entry)?;
        }
        Ok(is_then)
    })?;
    Ok(then)
}

/// The arm of a struct or a variant. It names every field, so that none is forgotten.
fn arm(name: &TokenStream, fields: &Fields) -> Result<TokenStream> {
    let fields = fields.iter().zip(fields.members()).enumerate();
    let parts = all(fields.map(|(number, (field, member))| {
        let binding = format_ident!("field_{number}");
        Ok(match masked_by(&field.attrs)? {
            None => (quote!(#member: _,), TokenStream::new()),
            Some(function) => (
                quote!(#member: #binding,),
                quote!(#function(#binding, redactor);),
            ),
        })
    }))?;
    let (patterns, calls): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Ok(quote!(#name { #(#patterns)* } => { #(#calls)* }))
}

/// The function that masks a field; `None` if it is not masked.
fn masked_by(attributes: &[Attribute]) -> Result<Option<TokenStream>> {
    let (mut skip, mut with) = (false, None::<Path>);
    entries(attributes, "mask", |entry| {
        if entry.path.is_ident("skip") {
            skip = true;
        } else if entry.path.is_ident("with") {
            with = value(entry)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    })?;
    let usual = || quote!(::ananke_trace::redact::Mask::mask);
    Ok((!skip).then(|| with.map_or_else(usual, ToTokens::into_token_stream)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn expanded(input: &DeriveInput) -> String {
        derive(input).unwrap().to_string().replace(' ', "")
    }

    #[test]
    fn every_field_is_masked_that_does_not_say_otherwise() {
        let code = expanded(&parse_quote! {
            #[mask(then = Self::bound)]
            enum SentOrReceived {
                Request { line: String, #[mask(with = mask_headers)] headers: Headers, #[mask(skip)] lane: Lane },
                Sent(String),
                Closed,
            }
        });
        for part in [
            "Self::Request{line:field_0,headers:field_1,lane:_,}=>{::ananke_trace::redact::Mask::mask(field_0,redactor);\
             mask_headers(field_1,redactor);}",
            "Self::Sent{0:field_0,}=>{::ananke_trace::redact::Mask::mask(field_0,redactor);}",
            "Self::Closed{}=>{}}Self::bound(self);}",
        ] {
            assert!(code.contains(part), "{part}\n{code}");
        }
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let problems = derive(&parse_quote! {
            struct Secrets { #[mask(no)] a: String, b: String, #[mask(with)] c: String }
        });
        let messages: Vec<String> = problems
            .unwrap_err()
            .into_iter()
            .map(|error| error.to_string())
            .collect();
        assert_eq!(messages, ["`mask` has no such entry here", "expected `=`"]);
    }
}
