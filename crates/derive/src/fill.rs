//! Filling, field by field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprRange, Field, Fields, Ident, LitStr, Path,
    Result, Type, Variant, parse_quote,
};

use super::attribute::{all, entries, value};
use super::prose;

/// The implementation of `Fill`: first everything is filled, so that every problem is reported, then put together.
///
/// # Errors
/// If an attribute cannot be read, or does not fit its field.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let FilledForm { into, keys, check } = FilledForm::of(&input.attrs)?;
    let (target, FillCode { parts, whole }) = match (&input.data, into) {
        (Data::Struct(data), Some(into)) => (type_of(&into), of_fields(&into, &data.fields)?),
        (Data::Enum(data), Some(into)) => {
            let arms = all(data.variants.iter().map(|variant| arm(&into, variant)))?;
            let parts = quote!(let filled = match self { #(#arms)* };);
            let whole = quote!(filled);
            (quote!(#into), FillCode { parts, whole })
        }
        (Data::Struct(data), None) if keys => {
            let target = quote!(::serde_json::Map<::std::string::String, ::serde_json::Value>);
            (target, of_keys(&data.fields)?)
        }
        _ => {
            let problem =
                "write `#[fill(into = T)]` on a struct or an enum, or `#[fill(keys)]` on a struct";
            return Err(Error::new_spanned(&input.ident, problem));
        }
    };
    let (checking, checked) = check.map_or_else(Default::default, |function| {
        let checking = quote!(let checked = #function(self, interpolation););
        (checking, quote!(checked?;))
    });
    let name = &input.ident;
    let filled = implementation(name, &target, &quote!(#parts #checking #checked #whole));
    if !keys {
        return Ok(filled);
    }
    let value = quote!(::serde_json::Value);
    let object = quote! {
        let keys: ::ananke_model::variables::Leaf<#target> =
            ::ananke_model::variables::Fill::fill(self, interpolation);
        keys.map(::serde_json::Value::Object)
    };
    let as_value = implementation(name, &value, &object);
    Ok(quote!(#filled #as_value))
}

fn implementation(name: &Ident, target: &TokenStream, body: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::ananke_model::variables::Fill<#target> for #name {
            #[allow(unused_variables)]
            fn fill(
                &self,
                interpolation: &mut ::ananke_model::variables::Interpolation<'_>,
            ) -> ::ananke_model::variables::Leaf<#target> {
                #body
            }
        }
    }
}

/// What comes of a type.
#[derive(Default)]
struct FilledForm {
    into: Option<Path>,
    keys: bool,
    check: Option<Path>,
}

impl FilledForm {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut form = Self::default();
        entries(attributes, "fill", |entry| {
            if entry.path.is_ident("into") {
                form.into = value(entry)?;
            } else if entry.path.is_ident("keys") {
                form.keys = true;
            } else if entry.path.is_ident("check") {
                form.check = value(entry)?;
            } else {
                return Ok(false);
            }
            Ok(true)
        })?;
        Ok(form)
    }
}

/// The code that fills every part, and that which puts them together.
struct FillCode {
    parts: TokenStream,
    whole: TokenStream,
}

/// The type that `into` names: a variant is named with its type before it.
fn type_of(into: &Path) -> TokenStream {
    let is_type = |name: &Ident| name.to_string().starts_with(char::is_uppercase);
    let names: Vec<&Ident> = into.segments.iter().map(|segment| &segment.ident).collect();
    match names.as_slice() {
        [before @ .., last, _variant] if is_type(last) => quote!(#(#before::)* #last),
        _ => quote!(#into),
    }
}

/// Each field goes into the field of its name.
fn of_fields(into: &Path, fields: &Fields) -> Result<FillCode> {
    let filled = all(fields.iter().map(|field| {
        let Some(own) = &field.ident else {
            return Err(Error::new_spanned(
                field,
                "only fields with names are filled",
            ));
        };
        let attributes = FieldAttributes::of(&field.attrs, &["default", "within", "with", "name"])?;
        let code = attributes.code(&quote!(&self.#own), field)?;
        let name = attributes.name.as_ref().unwrap_or(own);
        Ok((quote!(let #own = #code;), quote!(#name: #own?,)))
    }))?;
    let (parts, named): (Vec<_>, Vec<_>) = filled.into_iter().unzip();
    Ok(FillCode {
        parts: quote!(#(#parts)*),
        whole: quote!(::std::result::Result::Ok(#into { #(#named)* })),
    })
}

/// Each field goes into a JSON object, under the key that people write.
fn of_keys(fields: &Fields) -> Result<FillCode> {
    let filled = all(fields.iter().map(|field| {
        let Some(own) = &field.ident else {
            return Err(Error::new_spanned(field, "only fields with names are keys"));
        };
        let attributes = FieldAttributes::of(&field.attrs, &["default", "within", "with"])?;
        let code = attributes.code(&quote!(&self.#own), field)?;
        let is_omitted = is_option(&field.ty) && attributes.default.is_none();
        let (value, put) = if is_omitted {
            (
                quote!(::std::option::Option<::serde_json::Value>),
                quote!(#own?),
            )
        } else {
            (quote!(::serde_json::Value), quote!([#own?]))
        };
        let key = written_key(field)?.unwrap_or_else(|| own.to_string());
        let part = quote!(let #own: ::ananke_model::variables::Leaf<#value> = #code;);
        Ok((
            part,
            quote!(keys.extend(#put.into_iter().map(|value| (#key.to_owned(), value)));),
        ))
    }))?;
    let (parts, puts): (Vec<_>, Vec<_>) = filled.into_iter().unzip();
    Ok(FillCode {
        parts: quote!(#(#parts)*),
        whole: quote! {
            let mut keys = ::serde_json::Map::new();
            #(#puts)*
            ::std::result::Result::Ok(keys)
        },
    })
}

/// The key of a field, if serde has another name for it.
fn written_key(field: &Field) -> Result<Option<String>> {
    let mut key = None::<LitStr>;
    entries(&field.attrs, "serde", |entry| {
        if entry.path.is_ident("rename") {
            key = value(entry)?;
        } else if entry.input.peek(syn::Token![=]) {
            value::<Expr>(entry)?;
        }
        Ok(true)
    })?;
    Ok(key.map(|key| key.value()))
}

/// A variant goes into that of its name.
fn arm(into: &Path, variant: &Variant) -> Result<TokenStream> {
    let attributes = FieldAttributes::of(&variant.attrs, &["with", "name", "flatten"])?;
    let own = &variant.ident;
    let name = attributes.name.as_ref().unwrap_or(own);
    match &variant.fields {
        Fields::Unit => Ok(quote!(Self::#own => ::std::result::Result::Ok(#into::#name),)),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let code = attributes.code(&quote!(written), &fields.unnamed[0])?;
            let code = if attributes.flatten {
                code
            } else {
                quote!(#code.map(#into::#name))
            };
            Ok(quote!(Self::#own(written) => #code,))
        }
        _ => Err(Error::new_spanned(
            variant,
            "a variant has one field without a name, or none",
        )),
    }
}

/// The attributes of a field or a variant.
#[derive(Default)]
struct FieldAttributes {
    default: Option<Expr>,
    within: Option<ExprRange>,
    with: Option<Path>,
    name: Option<Ident>,
    flatten: bool,
}

impl FieldAttributes {
    /// Reads them; `known` are those that make sense here.
    fn of(attributes: &[Attribute], known: &[&str]) -> Result<Self> {
        let mut own = Self::default();
        entries(attributes, "fill", |entry| {
            if !known.iter().any(|known| entry.path.is_ident(known)) {
                return Ok(false);
            }
            if entry.path.is_ident("default") {
                own.default = if entry.input.peek(syn::Token![=]) {
                    value(entry)?
                } else {
                    Some(parse_quote!(::std::default::Default::default()))
                };
            } else if entry.path.is_ident("within") {
                own.within = value(entry)?;
            } else if entry.path.is_ident("with") {
                own.with = value(entry)?;
            } else if entry.path.is_ident("name") {
                own.name = value(entry)?;
            } else {
                own.flatten = true;
            }
            Ok(true)
        })?;
        prose::check(attributes, own.default.as_ref(), own.within.as_ref())?;
        Ok(own)
    }

    /// The code that fills `written`, which is the reference to a field.
    fn code(&self, written: &TokenStream, field: &Field) -> Result<TokenStream> {
        let of = |leaf: &TokenStream| match (&self.with, &self.within) {
            (Some(function), _) => quote!(#function(#leaf, interpolation)),
            (None, Some(range)) => quote!(interpolation.number_within(#leaf, #range)),
            (None, None) => quote!(::ananke_model::variables::Fill::fill(#leaf, interpolation)),
        };
        let of_leaf = of(&quote!(leaf));
        match &self.default {
            Some(_) if !is_option(&field.ty) => {
                let problem = "only an `Option` has a default";
                Err(Error::new_spanned(&field.ty, problem))
            }
            Some(default) => Ok(quote! {
                match #written {
                    ::std::option::Option::Some(leaf) => #of_leaf,
                    ::std::option::Option::None => ::std::result::Result::Ok(#default),
                }
            }),
            None if (self.with.is_some() || self.within.is_some()) && is_option(&field.ty) => {
                Ok(quote!((#written).as_ref().map(|leaf| #of_leaf).transpose()))
            }
            None => Ok(of(written)),
        }
    }
}

/// Whether a type is an `Option`, by its name.
fn is_option(written: &Type) -> bool {
    let Type::Path(path) = written else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Option")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(input: &DeriveInput) -> Vec<String> {
        let problems = derive(input).expect_err("this is wrong");
        problems
            .into_iter()
            .map(|error| error.to_string())
            .collect()
    }

    fn code(input: &DeriveInput) -> String {
        derive(input).unwrap().to_string().replace(' ', "")
    }

    #[test]
    fn every_field_is_filled_before_one_is_used() {
        let code = code(&parse_quote! {
            #[fill(into = Step::Call, check = has_result)]
            struct ToolCallKeys { tool: Text, #[fill(name = delay)] delay_ms: Option<Number> }
        });
        let body = "lettool=::ananke_model::variables::Fill::fill(&self.tool,interpolation);\
                    letdelay_ms=::ananke_model::variables::Fill::fill(&self.delay_ms,interpolation);\
                    letchecked=has_result(self,interpolation);checked?;\
                    ::std::result::Result::Ok(Step::Call{tool:tool?,delay:delay_ms?,})";
        assert!(code.contains(body), "{code}");
        assert!(code.contains("Fill<Step>forToolCallKeys"), "{code}");
    }

    #[test]
    fn the_numbers_of_a_key_are_those_of_its_doc_comment() {
        let wrong = problems(&parse_quote! {
            #[fill(into = Options)]
            struct WalkKeys {
                /// The number of retries (default 3, at most 100).
                #[fill(default = 3, within = 0..=100)]
                retries: Option<Number>,
                /// The number of walks, from 1 to 100 (default 10).
                #[fill(default = 20, within = 2..=1_000)]
                walks: Option<Number>,
            }
        });
        let lacks = |digits| {
            format!("the doc comment does not contain {digits}, though the schema is made from it")
        };
        assert_eq!(wrong, [lacks(20), lacks(2), lacks(1000)]);
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let wrong = problems(&parse_quote! {
            #[fill(keys)]
            struct WrongKeys { #[fill(name = b)] a: Text, #[fill(default)] b: Text, c: Text, #[fill(with)] d: Text }
        });
        let expected = [
            "`fill` has no such entry here",
            "only an `Option` has a default",
            "expected `=`",
        ];
        assert_eq!(wrong, expected);
    }

    #[test]
    fn a_key_has_the_name_that_people_write() {
        let code = code(&parse_quote! {
            #[fill(keys)]
            struct MediaKeys {
                #[serde(default, rename = "mediaType")]
                media_type: Option<Text>,
            }
        });
        assert!(code.contains("\"mediaType\".to_owned()"), "{code}");
    }
}
