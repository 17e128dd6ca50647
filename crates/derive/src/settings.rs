//! The table of settings: from a struct of keys the values that were given, the values that apply, and the options of the
//! command line.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprArray, Field, Ident, LitChar, LitStr, Result,
    Type, parse_quote,
};

use super::attribute::{all, entries, value};

/// The two structs of values, what makes them, and the list of options.
///
/// # Errors
/// If an attribute cannot be read or lacks what it needs.
pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "only a struct has settings"));
    };
    let (given, effective) = names(input)?;
    let rows = all(data.fields.iter().map(SettingRow::of))?;
    let structs = structs(&given, &effective, &rows);
    let combining = combining(&given, &effective, &rows);
    let keys = rows.iter().filter_map(SettingRow::reading);
    let flags = all(rows.iter().map(|row| row.flag(&given)))?;
    let flags = flags.into_iter().flatten();
    let table = &input.ident;
    Ok(quote! {
        #structs
        #combining

        #[automatically_derived]
        impl #table {
            /// The options of the command line that give settings, in the order of the table.
            pub const FLAGS: &'static [::ananke_model::settings::SettingFlag] = &[#(#flags),*];

            /// The settings that are written; what is wrong with them is reported.
            pub fn given(
                &self,
                interpolation: &mut ::ananke_model::variables::Interpolation<'_>,
            ) -> #given {
                #given {
                    #(#keys,)*
                    ..#given::default()
                }
            }
        }
    })
}

/// The names of the struct of given values and of that of effective ones.
fn names(input: &DeriveInput) -> Result<(Ident, Ident)> {
    let mut given = None::<Ident>;
    let mut effective = None::<Ident>;
    entries(&input.attrs, "settings", |entry| {
        if entry.path.is_ident("given") {
            given = value(entry)?;
        } else if entry.path.is_ident("effective") {
            effective = value(entry)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    })?;
    if let (Some(given), Some(effective)) = (given, effective) {
        return Ok((given, effective));
    }
    let problem = "write `#[settings(given = G, effective = E)]`, the structs that are made";
    Err(Error::new_spanned(&input.ident, problem))
}

/// A setting.
struct SettingRow {
    /// The field of the table.
    key: Ident,
    /// True if a config has the key.
    has_key: bool,
    /// The field of both structs of values.
    name: Ident,
    docs: Vec<Attribute>,
    value: Type,
    /// The value that applies if none is given; without it, the effective value is an `Option`.
    default: Option<Expr>,
    /// The bounds of a number.
    within: TokenStream,
    option: SettingOption,
}

/// The option of the command line that gives a setting, as far as its row says.
#[derive(Default)]
struct SettingOption {
    group: Option<Ident>,
    help: Option<LitStr>,
    long: Option<LitStr>,
    short: Option<LitChar>,
    value_name: Option<LitStr>,
    aliases: Option<ExprArray>,
    conflicts: Option<ExprArray>,
}

impl SettingRow {
    fn of(field: &Field) -> Result<Self> {
        let Some(key) = field.ident.clone() else {
            return Err(Error::new_spanned(field, "a setting has a name"));
        };
        let mut written = None::<Type>;
        let mut name = None::<Ident>;
        let mut default = None::<Expr>;
        let mut within = None::<Expr>;
        let mut option = SettingOption::default();
        entries(&field.attrs, "setting", |entry| {
            let Some(word) = entry.path.get_ident() else {
                return Ok(false);
            };
            match word.to_string().as_str() {
                "value" => written = value(entry)?,
                "name" => name = value(entry)?,
                "default" => default = value(entry)?,
                "within" => within = value(entry)?,
                "group" => option.group = value(entry)?,
                "help" => option.help = value(entry)?,
                "long" => option.long = value(entry)?,
                "short" => option.short = value(entry)?,
                "value_name" => option.value_name = value(entry)?,
                "aliases" => option.aliases = value(entry)?,
                "conflicts" => option.conflicts = value(entry)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        // A number has the default and the bounds of its key.
        entries(&field.attrs, "bounds", |entry| {
            let number: Option<Expr> = value(entry)?;
            if entry.path.is_ident("default") {
                default = number;
            } else {
                let bounds = format_ident!("{}", key.to_string().to_uppercase());
                within = Some(parse_quote!(Self::#bounds));
            }
            Ok(true)
        })?;
        // Without a type of its values, a setting is true or false.
        if written.is_none() && default.is_none() {
            default = Some(parse_quote!(false));
        }
        Ok(Self {
            has_key: !is_no_key(&field.ty),
            name: name.unwrap_or_else(|| key.clone()),
            key,
            docs: docs(&field.attrs),
            value: written.unwrap_or_else(|| parse_quote!(bool)),
            default,
            within: optional(within.as_ref()),
            option,
        })
    }

    /// The type of the value that applies.
    fn effective(&self) -> TokenStream {
        let value = &self.value;
        if self.default.is_some() {
            quote!(#value)
        } else {
            quote!(::std::option::Option<#value>)
        }
    }

    /// The value that applies, made of the one that was given.
    fn applying(&self) -> TokenStream {
        let name = &self.name;
        if let Some(default) = &self.default {
            quote!(#name: self.#name.unwrap_or(#default))
        } else {
            quote!(#name: self.#name)
        }
    }

    /// The value that the config gives; `None` if it has no key for it.
    fn reading(&self) -> Option<TokenStream> {
        if !self.has_key {
            return None;
        }
        let Self {
            key,
            name,
            value,
            within,
            ..
        } = self;
        Some(quote! {
            #name: self.#key.as_ref().and_then(|written| {
                <#value as ::ananke_model::settings::KeyValue<_>>::of_key(
                    written,
                    #within,
                    interpolation,
                )
                .ok()
            })
        })
    }

    /// The description of the option; `None` if the command line cannot give the setting.
    fn flag(&self, given: &Ident) -> Result<Option<TokenStream>> {
        let SettingOption {
            group,
            help,
            long,
            short,
            value_name,
            aliases,
            conflicts,
        } = &self.option;
        let (group, help) = match (group, help) {
            (Some(group), Some(help)) => (group, help),
            (None, None) => return Ok(None),
            _ => {
                let problem = "an option has a `group` and a `help`";
                return Err(Error::new_spanned(&self.key, problem));
            }
        };
        let Self {
            name,
            value,
            within,
            ..
        } = self;
        let long = match long {
            Some(long) => long.value(),
            None => name.to_string().replace('_', "-"),
        };
        let id = long.replace('-', "_");
        let short = optional(short.as_ref());
        let value_name = match value_name {
            Some(value_name) => value_name.value(),
            None => "BOOL".to_owned(),
        };
        let aliases = list(aliases.as_ref());
        let conflicts = list(conflicts.as_ref());
        let has_key = self.has_key;
        Ok(Some(quote! {
            ::ananke_model::settings::SettingFlag {
                id: #id,
                long: #long,
                short: #short,
                aliases: &#aliases,
                value_name: #value_name,
                help: #help,
                conflicts: &#conflicts,
                group: ::ananke_model::settings::FlagGroup::#group,
                has_key: #has_key,
                form: <#value as ::ananke_model::settings::FlagValue>::FORM,
                parse: |text| {
                    let value = <#value as ::ananke_model::settings::FlagValue>::of_flag(text, #within)?;
                    ::std::result::Result::Ok(#given {
                        #name: ::std::option::Option::Some(value),
                        ..#given::default()
                    })
                },
            }
        }))
    }
}

/// True for the type of a setting without a key.
fn is_no_key(written: &Type) -> bool {
    match written {
        Type::Path(written) => written.path.is_ident("NoKey"),
        _ => false,
    }
}

/// The doc comment of a field, line by line.
fn docs(attributes: &[Attribute]) -> Vec<Attribute> {
    let own = attributes.iter();
    own.filter(|attribute| attribute.path().is_ident("doc"))
        .cloned()
        .collect()
}

fn list(written: Option<&ExprArray>) -> ExprArray {
    written.cloned().unwrap_or_else(|| parse_quote!([]))
}

/// The code of an `Option` of what is written.
fn optional(written: Option<&impl ToTokens>) -> TokenStream {
    if let Some(written) = written {
        quote!(::std::option::Option::Some(#written))
    } else {
        quote!(::std::option::Option::None)
    }
}

fn structs(given: &Ident, effective: &Ident, rows: &[SettingRow]) -> TokenStream {
    let options = rows.iter().map(|row| {
        let SettingRow {
            docs, name, value, ..
        } = row;
        quote!(#(#docs)* pub #name: ::std::option::Option<#value>)
    });
    let values = rows.iter().map(|row| {
        let SettingRow { docs, name, .. } = row;
        let value = row.effective();
        quote!(#(#docs)* pub #name: #value)
    });
    quote! {
        /// The settings that a config or a command line gives; `None` is a setting that it does not give.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct #given { #(#options,)* }

        /// The settings that apply: those that were given, and the default of each other one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(clippy::struct_excessive_bools)]
        pub struct #effective { #(#values,)* }
    }
}

/// The functions that combine given values, and that make effective ones of them.
fn combining(given: &Ident, effective: &Ident, rows: &[SettingRow]) -> TokenStream {
    let names: Vec<&Ident> = rows.iter().map(|row| &row.name).collect();
    let applying = rows.iter().map(SettingRow::applying);
    quote! {
        #[automatically_derived]
        impl #given {
            /// The settings given here, and of `other` the rest.
            #[must_use]
            pub fn or(self, other: Self) -> Self {
                Self { #(#names: self.#names.or(other.#names),)* }
            }

            /// The settings that apply.
            #[must_use]
            pub fn effective(self) -> #effective {
                #effective { #(#applying,)* }
            }
        }

        #[automatically_derived]
        impl ::std::default::Default for #effective {
            fn default() -> Self {
                #given::default().effective()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of a table with these fields, without spaces.
    fn code(fields: &TokenStream) -> Result<String> {
        let table: DeriveInput = parse_quote! {
            #[settings(given = Given, effective = Effective)]
            struct KeyTable { #fields }
        };
        derive(&table).map(|code| code.to_string().replace([' ', '\n'], ""))
    }

    #[test]
    fn a_boolean_is_a_key_an_option_and_a_value() {
        let code = code(&quote! {
            /// Whether it stops.
            #[setting(group = Execution, help = "Stop")]
            stop_early: Option<Flag>,
        });
        let code = code.unwrap();
        for part in [
            "pubstop_early:::std::option::Option<bool>",
            "pubstop_early:bool",
            "stop_early:self.stop_early.unwrap_or(false)",
            "stop_early:self.stop_early.or(other.stop_early)",
            "stop_early:self.stop_early.as_ref()",
            "long:\"stop-early\"",
            "has_key:true",
        ] {
            assert!(code.contains(part), "{part}\n{code}");
        }
    }

    #[test]
    fn a_number_has_the_default_and_the_bounds_of_its_key() {
        let code = code(&quote! {
            #[bounds(default = 1, within = 1..=1024)]
            #[setting(value = usize)]
            parallel: Option<Number>,
            #[setting(value = Duration, name = timeout)]
            timeout_ms: Option<Number>,
            #[setting(group = Repeats, long = "a-a", help = "Run twice")]
            self_comparison: NoKey,
        });
        let code = code.unwrap();
        for part in [
            "parallel:self.parallel.unwrap_or(1)",
            "Some(Self::PARALLEL)",
            "pubtimeout:::std::option::Option<Duration>",
            "timeout:self.timeout_ms.as_ref()",
            "id:\"a_a\"",
            "has_key:false",
        ] {
            assert!(code.contains(part), "{part}\n{code}");
        }
        assert!(!code.contains("self.self_comparison.as_ref()"), "{code}");
    }

    #[test]
    fn an_option_without_help_is_refused() {
        let problem = code(&quote! {
            #[setting(group = Execution)]
            stop_early: Option<Flag>,
        });
        let problem = problem.unwrap_err().to_string();
        assert_eq!(problem, "an option has a `group` and a `help`");
    }
}
