//! Several registrations that come and go together.

use std::{fmt, sync::Arc};

use crate::{
    approver::Approver,
    guard::Guard,
    observer::ResultObserver,
    post_policy::PostPolicy,
    pre_policy::PrePolicy,
    register_error::{Problem, RegisterError},
    registry::{
        install::{Addition, Target},
        registration::remove_all,
    },
    restriction::Restriction,
    tool::IntoTool,
    view::Placed,
    wrapper::ExecuteWrapper,
};

/// Something that registers several things, which come and go together.
pub trait Plugin {
    /// The name it goes by in errors.
    fn name(&self) -> &str;

    /// Collects what to register. Nothing is visible to anybody before this has succeeded, and then all of it is.
    ///
    /// # Errors
    ///
    /// Any error leaves nothing behind.
    fn install(&self, installer: &mut Installer) -> Result<(), RegisterError>;
}

/// Collects what a plugin registers, in order.
pub struct Installer {
    additions: Vec<Addition>,
}

impl Installer {
    fn put(&mut self, addition: Result<Addition, RegisterError>) -> Result<(), RegisterError> {
        self.additions.push(addition?);
        Ok(())
    }

    /// Registers a tool.
    ///
    /// # Errors
    ///
    /// Lists everything that is wrong with the definition.
    pub fn register(&mut self, tool: impl IntoTool) -> Result<(), RegisterError> {
        self.put(Addition::tool(tool))
    }

    /// Registers a pre-policy.
    ///
    /// # Errors
    ///
    /// If its name is empty or cannot be asked for.
    pub fn pre_policy(&mut self, policy: impl Into<Placed<dyn PrePolicy>>) -> Result<(), RegisterError> {
        self.put(Addition::pre(policy.into()))
    }

    /// Registers a guard.
    ///
    /// # Errors
    ///
    /// If its name is empty or cannot be asked for.
    pub fn guard(&mut self, guard: impl Into<Placed<dyn Guard>>) -> Result<(), RegisterError> {
        self.put(Addition::guard(guard.into()))
    }

    /// Registers an execute wrapper.
    ///
    /// # Errors
    ///
    /// If its name is empty or cannot be asked for.
    pub fn wrapper(&mut self, wrapper: impl Into<Placed<dyn ExecuteWrapper>>) -> Result<(), RegisterError> {
        self.put(Addition::wrapper(wrapper.into()))
    }

    /// Registers a post-policy.
    ///
    /// # Errors
    ///
    /// If its name is empty or cannot be asked for.
    pub fn post_policy(&mut self, policy: impl Into<Placed<dyn PostPolicy>>) -> Result<(), RegisterError> {
        self.put(Addition::post(policy.into()))
    }

    /// Registers an observer.
    ///
    /// # Errors
    ///
    /// If its name is empty or cannot be asked for.
    pub fn observer(&mut self, observer: impl Into<Placed<dyn ResultObserver>>) -> Result<(), RegisterError> {
        self.put(Addition::observer(observer.into()))
    }

    /// Restricts what the scope inherits that the plugin is installed in.
    ///
    /// # Errors
    ///
    /// None here. That it is empty, names unknown tools or is meant for the global layer shows when the plugin is
    /// published.
    pub fn restrict(&mut self, restriction: Restriction) -> Result<(), RegisterError> {
        self.put(Ok(Addition::Restriction(restriction)))
    }

    /// Installs the registry's approver. Only for a plugin that is installed globally.
    ///
    /// # Errors
    ///
    /// If its name is empty or cannot be asked for. That there is one already shows when the plugin is published.
    pub fn approver(&mut self, approver: impl Approver) -> Result<(), RegisterError> {
        self.put(Addition::approver(Arc::new(approver)))
    }
}

impl fmt::Debug for Installer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Installer").field("additions", &self.additions.len()).finish()
    }
}

pub(crate) fn install(target: Target, plugin: &(impl Plugin + ?Sized)) -> Result<PluginHandle, RegisterError> {
    let mut installer = Installer { additions: Vec::new() };
    let name = plugin.name().to_owned();
    let within = |e: RegisterError| e.within(&format!("plugin {name:?}"));
    plugin.install(&mut installer).map_err(within)?;
    let warnings = installer.additions.iter().filter_map(Addition::suspicious).flat_map(|(tool, warnings)| {
        let about = move |w: Problem| Problem::new(w.field_name(), format!("tool {tool:?}: {}", w.message()));
        warnings.into_iter().map(about)
    });
    let warnings = warnings.collect();
    let ids = target.add_all(installer.additions).map_err(within)?;
    Ok(PluginHandle { target, name, ids, warnings })
}

/// A plugin that is installed. Dropping the handle does not unload it.
#[derive(Clone)]
pub struct PluginHandle {
    target: Target,
    name: String,
    ids: Vec<u64>,
    warnings: Arc<[Problem]>,
}

impl PluginHandle {
    /// The plugin's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is suspicious about the schemas of its tools, as [`Registration::warnings`](crate::Registration::warnings)
    /// tells it; messages begin with the tool's name.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// Takes out all that the plugin registered, in one step. False if nothing of it was there any more.
    pub fn unload(&self) -> bool {
        remove_all(&self.target.shared, self.target.place.as_ref(), &self.ids)
    }
}

impl fmt::Debug for PluginHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginHandle")
            .field("name", &self.name)
            .field("registrations", &self.ids.len())
            .finish_non_exhaustive()
    }
}
