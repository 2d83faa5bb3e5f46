//! Putting things into a layer, one or many in one step.

use std::sync::Arc;

use crate::{
    approval::ApprovalMode,
    approver::Approver,
    call::{ScopeId, ScopeKey},
    chain::Named,
    contain::contained,
    guard::Guard,
    observer::ResultObserver,
    order::Order,
    post_policy::PostPolicy,
    pre_policy::PrePolicy,
    register_error::{Problem, RegisterError},
    registry::{Registration, Shared},
    restriction::Restriction,
    tool::IntoTool,
    view::{Layer, Place, Placed, RegisteredTool, Row, Snapshot},
    wrapper::ExecuteWrapper,
};

/// A layer to register in.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) shared: Arc<Shared>,
    pub(crate) place: Option<(ScopeId, ScopeKey)>,
}

/// One thing to register, checked as far as it can be by itself.
pub(crate) enum Addition {
    Tool(Box<RegisteredTool>),
    Pre(Arc<str>, Placed<dyn PrePolicy>),
    Guard(Arc<str>, Placed<dyn Guard>),
    Wrapper(Arc<str>, Placed<dyn ExecuteWrapper>),
    Post(Arc<str>, Placed<dyn PostPolicy>),
    Observer(Arc<str>, Placed<dyn ResultObserver>),
    Approver(Arc<str>, Arc<dyn Approver>),
    Restriction(Restriction),
}

/// Asks a participant for its name: foreign code, asked once.
fn name_of<P: ?Sized>(kind: &'static str, part: &Arc<P>, name: impl Fn(&P) -> &str) -> Result<Arc<str>, RegisterError> {
    let given: Result<Arc<str>, _> = contained(|| Arc::from(name(part)));
    let given = given.map_err(|panic| RegisterError::one(kind, "name", panic.to_string()))?;
    if given.is_empty() {
        return Err(RegisterError::one(kind, "name", "must not be empty: results and logs name it"));
    }
    Ok(given)
}

impl Addition {
    pub(crate) fn tool(tool: impl IntoTool) -> Result<Self, RegisterError> {
        let definition = contained(|| tool.into_tool())
            .map_err(|panic| RegisterError::one("tool", "definition", panic.to_string()))?;
        Ok(Self::Tool(Box::new(RegisteredTool::new(definition)?)))
    }

    pub(crate) fn pre(placed: Placed<dyn PrePolicy>) -> Result<Self, RegisterError> {
        Ok(Self::Pre(name_of("pre-policy", &placed.part, |p| p.name())?, placed))
    }

    pub(crate) fn guard(placed: Placed<dyn Guard>) -> Result<Self, RegisterError> {
        Ok(Self::Guard(name_of("guard", &placed.part, |p| p.name())?, placed))
    }

    pub(crate) fn wrapper(placed: Placed<dyn ExecuteWrapper>) -> Result<Self, RegisterError> {
        Ok(Self::Wrapper(name_of("wrapper", &placed.part, |p| p.name())?, placed))
    }

    pub(crate) fn post(placed: Placed<dyn PostPolicy>) -> Result<Self, RegisterError> {
        Ok(Self::Post(name_of("post-policy", &placed.part, |p| p.name())?, placed))
    }

    pub(crate) fn observer(placed: Placed<dyn ResultObserver>) -> Result<Self, RegisterError> {
        Ok(Self::Observer(name_of("observer", &placed.part, |p| p.name())?, placed))
    }

    pub(crate) fn approver(approver: Arc<dyn Approver>) -> Result<Self, RegisterError> {
        Ok(Self::Approver(name_of("approver", &approver, |p| p.name())?, approver))
    }

    /// What is suspicious about a tool's schemas.
    pub(crate) fn warnings(&self) -> &[Problem] {
        if let Self::Tool(tool) = self { &tool.warnings } else { &[] }
    }

    /// The name of a tool with suspicious schemas, and what is suspicious about them.
    pub(crate) fn suspicious(&self) -> Option<(Arc<str>, Vec<Problem>)> {
        match self {
            Self::Tool(tool) if !tool.warnings.is_empty() => Some((tool.name().clone(), tool.warnings.clone())),
            _ => None,
        }
    }

    /// Whether it can be put there.
    fn check(&self, place: Place<'_>, layer: &Layer, next: &Snapshot) -> Result<(), RegisterError> {
        let taken = match self {
            Self::Tool(tool) if layer.tools.contains_key(tool.name()) => {
                let help = "already registered in this layer; to make a variant for one agent, register it in a scope";
                return Err(RegisterError::one(format!("tool {:?}", tool.name()), "name", help));
            }
            Self::Approver(name, _) => {
                if place.is_some() {
                    let help = "an approver is for the whole registry: install it globally";
                    return Err(RegisterError::one(format!("approver {name:?}"), "scope", help));
                }
                let Some((_, there)) = &next.approver else { return Ok(()) };
                let help = format!("{:?} is installed already; take it out first", there.name);
                return Err(RegisterError::one(format!("approver {name:?}"), "name", help));
            }
            Self::Restriction(restriction) => return check_restriction(restriction, place, next),
            Self::Pre(name, _) if layer.pre.contains(name) => ("pre-policy", name),
            Self::Wrapper(name, _) if layer.wrappers.contains(name) => ("wrapper", name),
            Self::Post(name, _) if layer.post.contains(name) => ("post-policy", name),
            _ => return Ok(()),
        };
        let help = "already taken in this layer; orderings and results need it to be unique";
        Err(RegisterError::one(format!("{} {:?}", taken.0, taken.1), "name", help))
    }

    /// Puts it there. It has been checked.
    fn put(self, id: u64, layer: &mut Layer, next: &mut Snapshot) {
        match self {
            Self::Tool(tool) => _ = layer.tools.insert(tool.name().clone(), (id, Arc::from(tool))),
            Self::Pre(name, placed) => layer.pre.add(id, name, placed),
            Self::Wrapper(name, placed) => layer.wrappers.add(id, name, placed),
            Self::Post(name, placed) => layer.post.add(id, name, placed),
            Self::Guard(name, placed) => layer.guards.add(id, name, placed),
            Self::Observer(name, placed) => layer.observers.add(id, name, placed),
            Self::Approver(name, part) => next.approver = Some((id, Named::new(name, part))),
            Self::Restriction(restriction) => layer.restrictions.push((id, restriction)),
        }
    }
}

fn check_restriction(restriction: &Restriction, place: Place<'_>, next: &Snapshot) -> Result<(), RegisterError> {
    let error = |help: String| {
        let subject = place.map_or("restriction".to_owned(), |(id, _)| format!("restriction of scope {id:?}"));
        Err(RegisterError::one(subject, "restrict", help))
    };
    let Some((id, _)) = place else {
        return error("the global layer inherits nothing: restrict a scope".to_owned());
    };
    if restriction.is_empty() {
        return error("has neither an allow list nor a deny list".to_owned());
    }
    let unknown: Vec<_> = restriction.names().filter(|name| !next.is_inherited(id, name)).collect();
    if !unknown.is_empty() {
        return error(format!("names what is registered neither globally nor in an ancestor: {unknown:?}"));
    }
    Ok(())
}

/// Checks the wishes of `new` entries and works out the running order.
fn arrange<P: ?Sized>(kind: &'static str, row: &mut Row<P>, new: &[u64]) -> Result<(), RegisterError> {
    if let Some(name) = row.unknown_names(|id| new.contains(&id)).first() {
        return Err(RegisterError::one(
            kind,
            "order",
            format!("no {kind} called {name:?} is registered in this layer"),
        ));
    }
    row.arrange(kind)
}

impl Target {
    pub(crate) fn global(shared: &Arc<Shared>) -> Self {
        Self { shared: shared.clone(), place: None }
    }

    pub(crate) fn add(&self, addition: Addition) -> Result<Registration, RegisterError> {
        let warnings = addition.warnings().iter().cloned().collect();
        let ids = self.add_all(vec![addition])?;
        Ok(self.registration(ids.first().copied().unwrap_or_default(), warnings))
    }

    fn place(&self) -> Place<'_> {
        self.place.as_ref().map(|(id, key)| (id, *key))
    }

    fn registration(&self, id: u64, warnings: Arc<[Problem]>) -> Registration {
        Registration { shared: Arc::downgrade(&self.shared), place: self.place.clone(), id, warnings }
    }

    /// Publishes all additions in one step, or none.
    pub(crate) fn add_all(&self, additions: Vec<Addition>) -> Result<Vec<u64>, RegisterError> {
        let ids: Vec<u64> = additions.iter().map(|_| self.shared.next_id()).collect();
        let suspicious: Vec<_> = additions.iter().filter_map(Addition::suspicious).collect();
        // Outside of the change: what is left when one is refused is dropped after the lock.
        let mut additions = additions.into_iter();
        self.change(|layer, next| {
            for id in &ids {
                if let Some(addition) = additions.as_slice().first() {
                    addition.check(self.place(), layer, next)?;
                }
                if let Some(addition) = additions.next() {
                    addition.put(*id, layer, next);
                }
            }
            arrange("pre-policy", &mut layer.pre, &ids)?;
            arrange("guard", &mut layer.guards, &ids)?;
            arrange("wrapper", &mut layer.wrappers, &ids)?;
            arrange("post-policy", &mut layer.post, &ids)?;
            arrange("observer", &mut layer.observers, &ids)
        })?;
        for (tool, warnings) in suspicious {
            for warning in warnings {
                tracing::warn!(%tool, field = warning.field(), "suspicious schema: {}", warning.message());
            }
        }
        Ok(ids)
    }

    fn change(
        &self,
        change: impl FnOnce(&mut Layer, &mut Snapshot) -> Result<(), RegisterError>,
    ) -> Result<(), RegisterError> {
        let place = self.place();
        let mut spoiled = None;
        let changed = self.shared.update(|next| {
            let Some(layer) = next.layer(place) else {
                let id = place.map(|(id, _)| id.to_string()).unwrap_or_default();
                return Err(RegisterError::one(format!("scope {id:?}"), "scope", "is closed; open it again first"));
            };
            let mut layer = (*layer).clone();
            if let Err(error) = change(&mut layer, next) {
                spoiled = Some(layer);
                return Err(error);
            }
            next.set_layer(place, layer);
            Ok(())
        });
        drop(spoiled);
        changed
    }

    pub(crate) fn set_mode(&self, mode: ApprovalMode) -> bool {
        let set = self.change(|layer, _| {
            layer.mode = mode;
            Ok(())
        });
        set.is_ok()
    }

    pub(crate) fn set_order(&self, order: Order) -> Result<(), RegisterError> {
        fn list<P: ?Sized>(
            kind: &'static str,
            row: &mut Row<P>,
            names: Option<Vec<Arc<str>>>,
        ) -> Result<(), RegisterError> {
            let Some(names) = names else { return Ok(()) };
            row.set_list(names);
            if let Some(name) = row.unknown_in_list().first() {
                let help = format!("no {kind} called {name:?} is registered in this layer");
                return Err(RegisterError::one("order", kind, help));
            }
            row.arrange(kind)
        }
        self.change(|layer, _| {
            list("pre-policy", &mut layer.pre, order.pre)?;
            list("wrapper", &mut layer.wrappers, order.wrappers)?;
            list("post-policy", &mut layer.post, order.post)
        })
    }
}
