//! Where something is registered: globally or in a scope.

use toolgate::{
    ExecuteWrapper, Guard, Installer, Plugin, PostPolicy, PrePolicy, RegisterError, Registration, Restriction,
    ResultObserver, Scope, ToolDefinition, ToolRegistry,
};

pub(crate) enum Place {
    Global(ToolRegistry),
    Scope(Scope),
}

struct Restricting(Restriction);

impl Plugin for Restricting {
    fn name(&self) -> &str {
        "restricting"
    }

    fn install(&self, installer: &mut Installer) -> Result<(), RegisterError> {
        installer.restrict(self.0.clone())
    }
}

macro_rules! registers {
    ($($method:ident: $part:path;)*) => {$(
        pub(crate) fn $method(&self, part: impl $part) -> Result<Registration, RegisterError> {
            match self {
                Self::Global(registry) => registry.$method(part),
                Self::Scope(scope) => scope.$method(part),
            }
        }
    )*};
}

impl Place {
    pub(crate) fn of(registry: &ToolRegistry, scope: Option<&str>) -> Self {
        match scope {
            None => Self::Global(registry.clone()),
            Some(id) => Self::Scope(registry.scope(id)),
        }
    }

    pub(crate) fn tool(&self, tool: ToolDefinition) -> Result<Registration, RegisterError> {
        match self {
            Self::Global(registry) => registry.register(tool),
            Self::Scope(scope) => scope.register(tool),
        }
    }

    /// The global layer cannot be restricted; only a plugin can try to.
    pub(crate) fn restrict(&self, restriction: Restriction) -> Result<(), RegisterError> {
        match self {
            Self::Global(registry) => registry.install(&Restricting(restriction)).map(|_| ()),
            Self::Scope(scope) => scope.restrict(restriction).map(|_| ()),
        }
    }

    registers! {
        pre_policy: PrePolicy;
        guard: Guard;
        wrapper: ExecuteWrapper;
        post_policy: PostPolicy;
        observer: ResultObserver;
    }
}
