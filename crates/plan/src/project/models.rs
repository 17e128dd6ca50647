//! The models that the code of an agent asks: those of a config, and the answers that a test scripts for them.

use std::net::IpAddr;
use std::sync::Arc;

use globset::{Glob, GlobSet, GlobSetBuilder};
use regex::Regex;
use serde_json::Value;

use super::config::Config;
use super::model_addresses::{MODEL, unserved_models};
use super::variables::Variables;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Spanned};
use ananke_base::source::printable;
use ananke_base::text::nearest;
use ananke_model::model::{ModelRule, OneOrMany, Test, Text, WrittenModel, WrittenModelEnv};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, Mode, fill_all};
use ananke_provider::{CompiledModelScript, ModelEnvironment, ModelSetup, URL, quoted};

/// The address that a model listens at without a setting.
const LISTEN: &str = "127.0.0.1";

/// The name of the variable that is the address, in `env`.
const URL_NAME: &str = "URL";

/// The answers that a test has for one model of its config.
#[derive(Clone, Debug, PartialEq)]
pub struct TestModelScript {
    /// The key of the model in `models`; `None` for the only one.
    pub model: Option<String>,
    /// The test's own answers, without those of the config.
    pub script: CompiledModelScript,
}

impl Config {
    /// The models that run while the tests run, in their order.
    pub(crate) fn models(
        &self,
        context: &Context,
        variables: &Variables,
        mode: Mode,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<ModelSetup> {
        let mut variables = variables.clone();
        if let Some(models) = &self.model.models
            && variables.vars.get(MODEL) == Some(&unserved_models(models))
        {
            variables.vars.remove(MODEL);
        }
        let mut scope = variables.scope(context);
        let help = "the addresses are known when all models are served; in `env`, `${URL}` is that of the model itself";
        scope.promise(MODEL, help.to_owned());
        // The address is known when the model is served, and stays as it is written until then.
        scope.set(URL_NAME, Value::from(URL));
        let mut interpolation = Interpolation::new(&scope, &self.source, mode, problems);
        let mut models = Vec::new();
        for (name, written) in self.model.models.iter().flatten() {
            if let Ok(model) = fill(name, written, &mut interpolation) {
                models.push(model);
            }
        }
        self.check_environments(&models, &mut interpolation);
        models
    }

    /// Reports the second model that SDKs would find by the same variables.
    fn check_environments(&self, models: &[ModelSetup], interpolation: &mut Interpolation<'_>) {
        let mut defaults = Vec::new();
        for model in models {
            if model.environment == ModelEnvironment::Default {
                defaults.push(model.name.as_str());
            }
        }
        let [first, second, ..] = defaults.as_slice() else {
            return;
        };
        let written = self.model.models.iter().flatten();
        for (name, model) in written {
            if name.value == *second {
                let message = format!("the models `{first}` and `{second}` set the same variables");
                let help = format!(
                    "write `env: none` in one, or names of variables of its own: `env: {{ PLANNER_URL: \"{URL}/v1\" }}`"
                );
                interpolation.report(Code::Contradiction, model.span, message, Some(help));
            }
        }
    }

    /// Reports what a test scripts for models that the config does not have.
    pub(crate) fn check_test_models(
        &self,
        test: &Test,
        source: &Arc<SourceFile>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut names = Vec::new();
        for (name, _) in self.model.models.iter().flatten() {
            names.push(name.value.as_str());
        }
        if let Some(script) = &test.model
            && test.models.is_some()
        {
            let message = "`model` and `models` exclude each other";
            let help = "move the answers of `model` to `models`, under the name of their model";
            let problem = Diagnostic::error(Code::Contradiction, message);
            problems.push(problem.at(source, script.span, "").help(help));
        } else if let Some(script) = &test.model
            && names.len() != 1
        {
            let (message, help) = if names.is_empty() {
                let message = "the config has no model that this could be the script of".to_owned();
                (
                    message,
                    "add `models: { main: {} }` to the config".to_owned(),
                )
            } else {
                let message = format!("the config has several models: {}", quoted(&names));
                let help = format!("write `models: {{ {}: … }}`", names[0]);
                (message, help)
            };
            let problem = Diagnostic::error(Code::Contradiction, message);
            problems.push(problem.at(source, script.span, "").help(help));
        }
        for (name, _) in test.models.iter().flatten() {
            if names.contains(&name.value.as_str()) {
                continue;
            }
            let message = format!("there is no model `{}`", printable(name));
            let help = match nearest(&name.value, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => format!(
                    "the config has no `models`: add `models: {{ {}: {{}} }}` to it",
                    printable(name)
                ),
                None => format!("the models of the config are {}", quoted(&names)),
            };
            let problem = Diagnostic::error(Code::UnknownName, message);
            problems.push(problem.at(source, name.span, "").help(help));
        }
    }
}

/// Fills the scripts of a test, each for its model.
pub(crate) fn fill_test_models(
    test: &Test,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<TestModelScript>> {
    let mut scripts = Vec::new();
    if let Some(script) = &test.model {
        scripts.push(TestModelScript {
            model: None,
            script: script.fill(interpolation)?,
        });
    }
    let several: Leaf<Vec<TestModelScript>> =
        fill_all(test.models.iter().flatten(), |(name, script)| {
            Ok(TestModelScript {
                model: Some(name.value.clone()),
                script: script.fill(interpolation)?,
            })
        });
    scripts.extend(several?);
    Ok(scripts)
}

fn fill(
    name: &Text,
    written: &Spanned<WrittenModel>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ModelSetup> {
    let model = &written.value;
    // All keys are filled before the first error returns, so that the problems of all are reported.
    let port: Leaf<Option<u64>> = model.port.fill(interpolation);
    let listen = listen(model.listen.as_ref(), interpolation);
    let host: Leaf<Option<String>> = model.host.fill(interpolation);
    let environment = environment(model.env.as_ref(), interpolation);
    let names = names(model.names.as_ref(), interpolation);
    let script = rules(model.rules.as_deref(), interpolation);
    let background = rules(model.background.as_deref(), interpolation);
    let upstreams = fill_all(model.upstream.iter().flatten(), |(name, text)| {
        Ok((name.value.clone(), interpolation.text(text)?))
    });
    let ignore = ignored(model.ignore.as_ref(), interpolation);
    let port = match port? {
        None => 0,
        Some(number) => {
            let Ok(port) = u16::try_from(number) else {
                let help = "ports are the numbers from 1 to 65535, and 0 for one that is free";
                let message = "this is not a valid port";
                let span = match &model.port {
                    Some(port) => port.span,
                    None => written.span,
                };
                let help = Some(help.to_owned());
                return Err(interpolation.report(Code::BadValue, span, message, help));
            };
            port
        }
    };
    let listen = listen?;
    let mut script = script?;
    script.embeddings = model.embeddings.unwrap_or_default();
    Ok(ModelSetup {
        name: name.value.clone(),
        port,
        listen,
        host: match host? {
            Some(host) => host,
            // Nothing can be reached at the address of all interfaces.
            None if listen.is_unspecified() => LISTEN.to_owned(),
            None => listen.to_string(),
        },
        environment: environment?,
        names: names?,
        script,
        background: background?,
        isolation: model.isolation.unwrap_or_default(),
        asked_for: None,
        answers: model.answers,
        upstreams: upstreams?,
        ignore: ignore?,
        strict_params: model.strict_params == Some(true),
        is_loose: false,
        pace: model.pace.unwrap_or_default(),
    })
}

fn listen(written: Option<&Text>, interpolation: &mut Interpolation<'_>) -> Leaf<IpAddr> {
    let Some(written) = written else {
        return Ok(LISTEN.parse().expect("an address"));
    };
    let text = interpolation.text(written)?;
    text.parse().map_err(|_| {
        let message = format!("`{}` is not an address of this machine", printable(&text));
        let help = format!("write `{LISTEN}`, or `0.0.0.0` for every address");
        interpolation.report(Code::BadValue, written.span, message, Some(help))
    })
}

fn environment(
    written: Option<&WrittenModelEnv>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ModelEnvironment> {
    match written {
        Some(WrittenModelEnv::Word(word)) if word.value == WrittenModelEnv::NONE => {
            Ok(ModelEnvironment::None)
        }
        // The schema allows no other word than `default`.
        None | Some(WrittenModelEnv::Word(_)) => Ok(ModelEnvironment::Default),
        Some(WrittenModelEnv::Own(own)) => {
            let own = fill_all(own, |(name, text)| {
                Ok((name.value.clone(), interpolation.text(text)?))
            });
            own.map(ModelEnvironment::Own)
        }
    }
}

/// The patterns of texts that are not compared.
fn ignored(
    written: Option<&OneOrMany<Text>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<Regex>> {
    let mut patterns = Vec::new();
    for text in written.into_iter().flatten() {
        let pattern = interpolation.text(text)?;
        let Ok(compiled) = Regex::new(&pattern) else {
            let message = format!(
                "`{}` is not a valid regular expression",
                printable(&pattern)
            );
            return Err(interpolation.report(Code::BadValue, text.span, message, None));
        };
        patterns.push(compiled);
    }
    Ok(patterns)
}

fn names(
    written: Option<&OneOrMany<Text>>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<GlobSet> {
    let mut globs = GlobSetBuilder::new();
    for text in written.into_iter().flatten() {
        let pattern = interpolation.text(text)?;
        match Glob::new(&pattern) {
            Ok(glob) => _ = globs.add(glob),
            Err(error) => {
                let kind = error.kind();
                let message = format!("`{}` is not a valid glob: {kind}", printable(&pattern));
                let help = Some("for example `gpt-5*`".to_owned());
                return Err(interpolation.report(Code::BadValue, text.span, message, help));
            }
        }
    }
    // The library refuses sets that are too large to be compiled.
    Ok(globs.build().unwrap_or_default())
}

/// The rules that every test has. They need not be used.
fn rules(
    written: Option<&[ModelRule]>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CompiledModelScript> {
    let mut script = CompiledModelScript::default();
    if let Some(written) = written {
        script.rules = written.fill(interpolation)?;
    }
    for rule in &mut script.rules {
        rule.reply.is_optional = true;
    }
    Ok(script)
}
