//! The job of a CI server that the program runs in, from the environment that the server gives it.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize, Serializer};

use crate::report::words::links::push_part;
use ananke_base::context::Context;

/// The variables of a CI server: the one that only it sets, and those of the project's root, the commit, the branch and
/// the page of the job.
struct ServerVariables {
    marker: &'static str,
    root: &'static str,
    commit: &'static str,
    /// The first that has a value: of a pull request, its own branch.
    branch: &'static [&'static str],
    /// The parts of the address, each the name of a variable or, after a `/`, a text.
    url: &'static [&'static str],
    /// The same of the page with the files of the commit; empty if its lines are not `#L12`.
    blobs: &'static [&'static str],
}

const SERVERS: [ServerVariables; 8] = [
    ServerVariables {
        marker: "GITHUB_ACTIONS",
        root: "GITHUB_WORKSPACE",
        commit: "GITHUB_SHA",
        branch: &["GITHUB_HEAD_REF", "GITHUB_REF_NAME"],
        url: &[
            "GITHUB_SERVER_URL",
            "/",
            "GITHUB_REPOSITORY",
            "/actions/runs/",
            "GITHUB_RUN_ID",
        ],
        blobs: &[
            "GITHUB_SERVER_URL",
            "/",
            "GITHUB_REPOSITORY",
            "/blob/",
            "GITHUB_SHA",
        ],
    },
    ServerVariables {
        marker: "JENKINS_URL",
        root: "WORKSPACE",
        commit: "GIT_COMMIT",
        branch: &["CHANGE_BRANCH", "GIT_BRANCH"],
        url: &["BUILD_URL"],
        blobs: &[],
    },
    ServerVariables {
        marker: "GITLAB_CI",
        root: "CI_PROJECT_DIR",
        commit: "CI_COMMIT_SHA",
        branch: &["CI_COMMIT_REF_NAME"],
        url: &["CI_JOB_URL"],
        blobs: &["CI_PROJECT_URL", "/-/blob/", "CI_COMMIT_SHA"],
    },
    ServerVariables {
        marker: "TF_BUILD",
        root: "BUILD_SOURCESDIRECTORY",
        commit: "BUILD_SOURCEVERSION",
        branch: &["BUILD_SOURCEBRANCHNAME"],
        url: &[
            "SYSTEM_COLLECTIONURI",
            "SYSTEM_TEAMPROJECT",
            "/_build/results?buildId=",
            "BUILD_BUILDID",
        ],
        blobs: &[],
    },
    ServerVariables {
        marker: "CIRCLECI",
        root: "CIRCLE_WORKING_DIRECTORY",
        commit: "CIRCLE_SHA1",
        branch: &["CIRCLE_BRANCH"],
        url: &["CIRCLE_BUILD_URL"],
        blobs: &[],
    },
    ServerVariables {
        marker: "BUILDKITE",
        root: "BUILDKITE_BUILD_CHECKOUT_PATH",
        commit: "BUILDKITE_COMMIT",
        branch: &["BUILDKITE_BRANCH"],
        url: &["BUILDKITE_BUILD_URL"],
        blobs: &[],
    },
    ServerVariables {
        marker: "BITBUCKET_BUILD_NUMBER",
        root: "BITBUCKET_CLONE_DIR",
        commit: "BITBUCKET_COMMIT",
        branch: &["BITBUCKET_BRANCH"],
        url: &[
            "BITBUCKET_GIT_HTTP_ORIGIN",
            "/pipelines/results/",
            "BITBUCKET_BUILD_NUMBER",
        ],
        blobs: &[],
    },
    ServerVariables {
        marker: "TRAVIS",
        root: "TRAVIS_BUILD_DIR",
        commit: "TRAVIS_COMMIT",
        branch: &["TRAVIS_BRANCH"],
        url: &["TRAVIS_BUILD_WEB_URL"],
        blobs: &[],
    },
];

/// The job of a CI server that the program runs in; empty outside of one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BuildJob {
    #[serde(serialize_with = "path_as_text")]
    working_directory: PathBuf,
    /// The variable that only its server sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<Cow<'static, str>>,
    /// The root of the project that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    /// The commit that was checked out. It and what follows are facts of the run, which are kept with them.
    #[serde(skip)]
    pub commit: Option<String>,
    /// The branch of the commit.
    #[serde(skip)]
    pub branch: Option<String>,
    /// The page of the job.
    #[serde(skip)]
    pub url: Option<String>,
    /// The page with the files of the commit, in the working directory.
    #[serde(skip)]
    pub blob_url: Option<String>,
}

impl BuildJob {
    /// The job in whose environment `context` is.
    pub fn of(context: &Context) -> Self {
        let filled = |name: &str| context.variable(name).filter(|value| !value.is_empty());
        let outside = Self {
            working_directory: context.working_directory.clone(),
            ..Self::default()
        };
        let Some(server) = SERVERS
            .iter()
            .find(|server| filled(server.marker).is_some())
        else {
            return outside;
        };
        let part = |part: &&'static str| {
            if part.starts_with('/') {
                Some(*part)
            } else {
                filled(part)
            }
        };
        let home = || context.home.as_deref().unwrap_or(Path::new("~"));
        let root = filled(server.root).map(|root| match root.strip_prefix("~/") {
            Some(below) => home().join(below).to_string_lossy().into_owned(),
            None => root.to_owned(),
        });
        let blobs: Option<String> = server.blobs.iter().map(part).collect();
        let directory = root
            .as_deref()
            .and_then(|root| path_from(Path::new(root), &context.working_directory));
        let blob_url = blobs.zip(directory).map(|(mut address, directory)| {
            for part in directory.split('/').filter(|part| !part.is_empty()) {
                address.push('/');
                push_part(&mut address, part);
            }
            address
        });
        Self {
            marker: Some(server.marker.into()),
            root,
            blob_url: blob_url.filter(|_| !server.blobs.is_empty()),
            commit: filled(server.commit).map(str::to_owned),
            branch: server
                .branch
                .iter()
                .find_map(|name| filled(name))
                .map(str::to_owned),
            url: server.url.iter().map(part).collect(),
            ..outside
        }
    }

    /// `file`, as messages show it, from the root of the project; as it is shown if that is unknown, or the file is elsewhere.
    pub fn file(&self, file: &str) -> String {
        let absolute = || absolute(&self.working_directory, file);
        let below = self
            .root
            .as_ref()
            .and_then(|root| path_from(Path::new(root), &absolute()));
        below.unwrap_or_else(|| file.to_owned())
    }

    /// `file`, as messages show it, as the server looks for a file that is attached to a test: absolute for Jenkins, from the
    /// root of the project for GitLab.
    #[cfg(feature = "junit")]
    pub(crate) fn attached(&self, file: &str) -> String {
        match self.marker.as_deref() {
            Some("JENKINS_URL") => with_slashes(&absolute(&self.working_directory, file)),
            Some("GITLAB_CI") => self.file(file),
            _ => file.to_owned(),
        }
    }
}

/// A path that is kept: one that is not UTF-8 is not to make the rest unreadable.
fn path_as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// The place of `shown`, a path as in messages, in a run that was started in `working_directory`: without `.` and `..`,
/// and whether it exists or not.
fn absolute(working_directory: &Path, shown: &str) -> PathBuf {
    let mut absolute = PathBuf::new();
    for part in working_directory.join(shown).components() {
        match part {
            Component::ParentDir => {
                absolute.pop();
            }
            Component::CurDir => {}
            part => absolute.push(part),
        }
    }
    absolute
}

/// `absolute` as it is named from `folder`; `None` where it is elsewhere.
fn path_from(folder: &Path, absolute: &Path) -> Option<String> {
    absolute.strip_prefix(folder).ok().map(with_slashes)
}

/// A path as all platforms read it.
fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
