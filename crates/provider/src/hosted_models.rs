//! The models of a run: a server for each, as long as the run lasts.

use std::fmt::Display;
use std::net::SocketAddr;
use std::sync::Arc;

use globset::GlobSet;
use tokio::task::JoinSet;

use crate::environment::{is_key_for, provider_environment};
use crate::evidence::{LANE_PREFIX, escaped};
use crate::model_lanes::ModelLanes;
use crate::model_server::{ModelListener, ModelServer, ServedModel};
use crate::model_setup::{ModelEnvironment, ModelSetup, URL};
use crate::run_recordings::RunRecordings;
use crate::upstream::Upstreams;
use ananke_agents::http_server::{Access, AnsweredPages, HttpListener, ServerNotice};

/// The models of a run. Their servers end when it is dropped.
#[derive(Default)]
pub struct HostedModels {
    models: Vec<HostedModel>,
    servers: JoinSet<()>,
}

/// A model that is served.
#[derive(Clone)]
pub struct HostedModel {
    /// The model as its config describes it.
    pub setup: Arc<ModelSetup>,
    /// The address, as agents reach it.
    pub url: String,
    /// The lanes of the tests that run.
    pub lanes: Arc<ModelLanes>,
    /// The providers that may be asked.
    pub upstreams: Upstreams,
    /// The files from which lanes replay, and into which they record.
    pub recordings: Arc<RunRecordings>,
    /// The providers that any of the models asks, as in their setups. The keys of these stay in the environment.
    asked: Arc<[(String, String)]>,
}

impl HostedModels {
    /// Listens for every model, in their order.
    ///
    /// # Errors
    /// The reason why one of them cannot be served.
    pub async fn start(
        setups: &[ModelSetup],
        recordings: &Arc<RunRecordings>,
        listener: &Arc<dyn ModelListener>,
        notice: &ServerNotice,
    ) -> Result<Self, String> {
        // All ports are bound before one is served, because every server has to know the lanes of all models.
        let mut hosted = Self::default();
        let mut asked = Vec::new();
        for setup in setups {
            if setup.is_live() {
                asked.extend_from_slice(&setup.upstreams);
            }
        }
        let asked: Arc<[(String, String)]> = asked.into();
        let mut ports = Vec::new();
        for setup in setups {
            let name = &setup.name;
            let lanes = ModelLanes::new(name, setup.background.clone(), setup.isolation);
            let lanes = of_model(name, lanes)?;
            let upstreams = of_model(name, Upstreams::named(&setup.upstreams))?;
            let port = match HttpListener::bind(setup.listen, setup.port).await {
                Ok(port) => port,
                Err(error) => {
                    return Err(format!(
                        "model `{name}` cannot listen on {}, port {}: {error}",
                        setup.listen, setup.port
                    ));
                }
            };
            hosted.models.push(HostedModel {
                setup: Arc::new(setup.clone()),
                url: url_of(setup, port.address()),
                lanes: Arc::new(lanes),
                upstreams,
                recordings: Arc::clone(recordings),
                asked: Arc::clone(&asked),
            });
            ports.push(port);
        }

        // Every server knows all models, because requests for several may come to one address, distinguished by the names of models.
        let mut served = Vec::new();
        for model in &hosted.models {
            served.push(served_model(model));
        }
        let served: Arc<[ServedModel]> = served.into();
        for (model, port) in hosted.models.iter().zip(ports) {
            let handler = ModelServer::new(
                Arc::clone(&model.lanes),
                Arc::clone(&served),
                Arc::clone(listener),
            );
            let access = Access {
                hosts: vec![model.setup.host.clone()],
                origins: Vec::new(),
                pages: AnsweredPages::Nobodys,
            };
            let serving = port.serve(Arc::new(handler), access, Arc::clone(notice));
            hosted.servers.spawn(serving);
        }
        Ok(hosted)
    }

    /// The models, in the order of the config.
    pub fn models(&self) -> &[HostedModel] {
        &self.models
    }

    /// The variables that point programs at the models, each with its value; `None` removes it. `no_proxy` is the variable of this
    /// name that a program would get.
    pub fn variables(&self, no_proxy: Option<&str>) -> Vec<(String, Option<String>)> {
        let mut variables = Vec::new();
        for model in &self.models {
            variables.extend(model.variables(&model.url, no_proxy));
        }
        variables
    }
}

impl HostedModel {
    /// The address of the lane with this name, for a program that is started for one test.
    pub fn url_of_lane(&self, name: &str) -> String {
        format!("{}{LANE_PREFIX}{}", self.url, escaped(name))
    }

    /// The variables that point a program at this `url` of the model.
    pub fn variables(&self, url: &str, no_proxy: Option<&str>) -> Vec<(String, Option<String>)> {
        let mut variables = Vec::new();
        match &self.setup.environment {
            ModelEnvironment::Default => {
                for (name, value) in provider_environment(url, no_proxy) {
                    // A program that asks a provider needs its keys, and those of all others are removed.
                    if is_key_for(&self.asked, name) {
                        continue;
                    }
                    variables.push((name.to_owned(), value));
                }
            }
            ModelEnvironment::None => {}
            ModelEnvironment::Own(own) => {
                for (name, value) in own {
                    variables.push((name.clone(), Some(value.replace(URL, url))));
                }
            }
        }
        variables
    }
}

fn of_model<T>(name: &str, made: Result<T, impl Display>) -> Result<T, String> {
    match made {
        Ok(made) => Ok(made),
        Err(error) => Err(format!("model `{name}`: {error}")),
    }
}

fn served_model(model: &HostedModel) -> ServedModel {
    ServedModel {
        names: GlobSet::clone(&model.setup.names),
        lanes: Arc::clone(&model.lanes),
    }
}

/// The address of a model as agents reach it.
fn url_of(setup: &ModelSetup, address: SocketAddr) -> String {
    let port = address.port();
    if setup.host.contains(':') {
        format!("http://[{}]:{port}", setup.host)
    } else {
        format!("http://{}:{port}", setup.host)
    }
}
