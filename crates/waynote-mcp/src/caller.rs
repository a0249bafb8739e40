//! The caller: the agent, its session and iteration, the directory of its project.

use std::collections::BTreeSet;
use std::sync::Arc;

use waynote::context::{Budget, ReaderTools, Request, Style};
use waynote::named::Typist;
use waynote::{Address, Base, Limits, Lineage, Name, Place, Scope, Store, person};

use jiff::Timestamp;

use crate::reply::Refusal;

/// The caller of a connection: the same for all its calls.
#[derive(Clone)]
pub struct Caller {
    /// The agent that owns the notebook.
    pub agent: Name,
    /// The session it runs in, if any.
    pub session: Option<Name>,
    /// Its iteration; none: whichever iteration is running at the time of a call.
    pub iteration: Option<i64>,
    /// True if a loop runs the agent and waits for its signals.
    pub is_in_loop: bool,
    /// The author of writes.
    pub author: Name,
    /// The limits of notebooks.
    pub limits: Limits,
    /// How a block is written.
    pub style: Style,
    /// The token budget of a block. Style faithful has none.
    pub budget: Budget,
    /// The home directory, absolute. None: places are absolute paths.
    pub home: Option<String>,
    /// Possible project directories, the best guess first: absolute paths, or places of a repository where no checkout
    /// is known. Home and the root are skipped.
    pub directories: Vec<String>,
    /// The lineage of a directory of this machine. None: the directories are on another machine. Then this machine's disk
    /// is not read, neither to resolve links in the home directory nor to find the repository of a directory.
    pub lineages: Option<Lineages>,
}

/// Says which places' notes apply at a directory: whoever knows the file system makes it.
pub type Lineages = Arc<dyn Fn(&Place) -> Lineage + Send + Sync>;

/// The tools of [`Set::Default`](crate::Set::Default) that a block names to its reader: to show a note whole, and to search.
pub fn reader_tools() -> ReaderTools {
    ReaderTools::new("note_show", "note_search")
}

impl Caller {
    /// True if one of its directories can be a project.
    pub fn names_project(&self) -> bool {
        let mut directories = self.directories.iter();
        directories.any(|directory| self.is_project(directory))
    }

    /// True if notes on the directory would be about one project. A relative path names none.
    fn is_project(&self, directory: &str) -> bool {
        self.base(directory)
            .is_ok_and(|base| base.cwd().is_project())
    }

    /// The base that paths are resolved against, with relative ones starting from a directory.
    fn base(&self, directory: &str) -> waynote::Result<Base> {
        let base = Base::of(self.home.as_deref(), directory)?;
        Ok(match self.lineages.is_none() {
            true => base,
            false => base.with_links(waynote_files::real),
        })
    }
}

/// The caller with the project of its connection.
#[derive(Clone)]
pub(crate) struct ConnectedCaller {
    pub(crate) caller: Caller,
    /// The project's directory, as it is offered; none when only home or the root was offered.
    project: Option<String>,
    /// The directories that the client has open.
    roots: Vec<Place>,
    /// True while the client, which can name its project, has not done so.
    lacks_roots: bool,
}

impl ConnectedCaller {
    /// The directories are looked at in their order.
    pub(crate) fn new(caller: Caller) -> Self {
        let mut directories = caller.directories.iter();
        let project = directories.find(|of| caller.is_project(of)).cloned();
        Self {
            caller,
            project,
            roots: Vec::new(),
            lacks_roots: false,
        }
    }

    /// A caller whose client has named the directories that it has open, which come before the others.
    pub(crate) fn with_roots(mut caller: Caller, roots: Vec<String>) -> Self {
        let places = roots.iter().map(|root| Some(caller.base(root).ok()?.cwd()));
        let open = places.flatten().filter(Place::is_project).collect();
        caller.directories.splice(0..0, roots);
        Self {
            roots: open,
            ..Self::new(caller)
        }
    }

    /// A caller whose client has not named its project yet. No other directory counts in its place: a relative path
    /// would name a note of another project.
    pub(crate) fn without_roots(mut caller: Caller) -> Self {
        caller.directories.clear();
        Self {
            lacks_roots: true,
            ..Self::new(caller)
        }
    }

    /// The same with home as the directory of a call that names none. For tools whose own program uses the working
    /// directory, even if that is home.
    pub(crate) fn or_at_home(&self) -> Self {
        let is_home = |directory: &&String| {
            let base = self.caller.base(directory);
            base.is_ok_and(|base| base.cwd() == Place::home())
        };
        let at_home = || self.caller.directories.iter().find(is_home).cloned();
        Self {
            project: self.project.clone().or_else(at_home),
            ..self.clone()
        }
    }

    /// The same with the notebook that its agent has in this store.
    pub(crate) fn in_store(&self, store: &dyn Store) -> waynote::Result<Self> {
        let mut own = self.clone();
        own.caller.agent = person::notebook(store, &self.caller.agent)?;
        Ok(own)
    }

    /// The absolute path of a place.
    pub(crate) fn absolute(&self, place: &Place) -> String {
        match (place.as_str().strip_prefix('~'), &self.caller.home) {
            (Some(below), Some(home)) => format!("{}{below}", home.trim_end_matches('/')),
            _ => place.to_string(),
        }
    }

    /// The place of the project, if one is known.
    pub(crate) fn place(&self) -> Option<Place> {
        let base = self.base().ok()?;
        self.project.is_some().then(|| base.cwd())
    }

    /// The place that an argument names: a path, or the address of one; relative paths start from the project.
    pub(crate) fn place_of(&self, typed: &str) -> Result<Place, Refusal> {
        let (base, typed) = (self.base()?, typed.trim());
        if Address::is_meant(typed) {
            let lineage = self.lineage();
            let typist = self.typist(Some(&base), &lineage);
            return match typist.whole(typed)?.address {
                Address::Place(place) => Ok(place),
                _ => {
                    let what = format!("`{}` is not a directory", waynote::visible::visible(typed));
                    Err(Refusal::new(what, "name a directory, or use `address`"))
                }
            };
        }
        if Place::is_relative(typed) && self.project.is_none() {
            self.check_roots()?;
            return Err(no_project());
        }
        Ok(Place::resolve(typed, &base)?)
    }

    /// The reading of words that name notes. The keys are those that apply at a directory.
    pub(crate) fn typist<'t>(&'t self, base: Option<&'t Base>, lineage: &'t Lineage) -> Typist<'t> {
        Typist {
            agent: &self.caller.agent,
            session: self.caller.session.as_ref(),
            base,
            lineage: Some(lineage),
            is_directory: &|_| false,
        }
    }

    /// Refuses what depends on the project while the client has not named it.
    pub(crate) fn check_roots(&self) -> Result<(), Refusal> {
        if !self.lacks_roots {
            return Ok(());
        }
        Err(Refusal::new(
            "the client has not answered `roots/list` yet, so its project is not known",
            "send the call again later, or give an absolute `place`, or `scope` agent; nothing was done",
        ))
    }

    /// Refuses a note of the project where it is not known which one is meant.
    pub(crate) fn check_project(&self) -> Result<(), Refusal> {
        self.check_roots()?;
        let roots = self.roots.iter().cloned();
        let lineages = roots.map(|root| self.lineage_of(root));
        let project = |of: Lineage| of.project().unwrap_or(of.place()).to_string();
        let projects: BTreeSet<String> = lineages.map(project).collect();
        if projects.len() < 2 {
            return Ok(());
        }
        let projects = Vec::from_iter(projects).join(", ");
        Err(Refusal::new(
            format!("the client has several projects open: {projects}"),
            "name one as `place`, or give `scope` agent; nothing was done",
        ))
    }

    /// The notebook of the caller.
    pub(crate) fn notebook(&self) -> Scope {
        Scope::Agent(self.caller.agent.clone())
    }

    /// The session, for tools that are of no use without one.
    pub(crate) fn session(&self) -> Result<Name, Refusal> {
        self.caller.session.clone().ok_or_else(|| {
            Refusal::new(
                "no session is set",
                "the person who starts the server sets it: `--session NAME` or WAYNOTE_SESSION",
            )
        })
    }

    /// The iteration: the one that was named, else the session's live one.
    pub(crate) fn iteration(&self, store: &dyn Store) -> waynote::Result<Option<i64>> {
        match (&self.caller.session, self.caller.iteration) {
            (Some(session), None) => waynote::session_state::live_iteration(store, session),
            (_, named) => Ok(named),
        }
    }

    /// The request for the caller's block. Without a project it has the notes that apply everywhere.
    pub(crate) fn request(&self, now: Timestamp) -> Request {
        Request::new(self.caller.agent.clone(), self.lineage(), now)
            .author(self.caller.author.clone())
            .session(self.caller.session.clone())
            .iteration(self.caller.iteration)
            .style(self.caller.style)
            .budget(self.caller.budget)
            .tools(reader_tools())
    }

    /// The lineage of the project; without a project, that of home, whose notes apply everywhere.
    pub(crate) fn lineage(&self) -> Lineage {
        let home = || Place::home().into();
        self.place()
            .map_or_else(home, |place| self.lineage_of(place))
    }

    /// The lineage of a directory.
    pub(crate) fn lineage_of(&self, place: Place) -> Lineage {
        match &self.caller.lineages {
            Some(lineages) => lineages(&place),
            None => place.into(),
        }
    }

    /// The base of a word that may be a path. None if it could only start from a project, and none is known.
    pub(crate) fn base_of(&self, word: &str) -> Result<Option<Base>, Refusal> {
        let has_start = self.project.is_some() || !Place::is_relative(word.trim());
        has_start.then(|| self.base()).transpose()
    }

    pub(crate) fn base(&self) -> Result<Base, Refusal> {
        let project = self.project.as_deref().unwrap_or("/");
        Ok(self.caller.base(project)?)
    }
}

fn no_project() -> Refusal {
    Refusal::new(
        "no project directory is known",
        "give an absolute path, `repo:HOST/NAME//inside`, or `~` for everywhere",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(directories: &[&str]) -> ConnectedCaller {
        ConnectedCaller::new(Caller {
            agent: "builder".parse().unwrap(),
            session: None,
            iteration: None,
            is_in_loop: false,
            author: "agent:builder".parse().unwrap(),
            limits: Limits::default(),
            style: Style::Stable,
            budget: Budget::default(),
            home: Some("/home/u".into()),
            directories: directories.iter().map(|of| (*of).to_owned()).collect(),
            lineages: None,
        })
    }

    #[test]
    fn the_first_directory_that_can_be_a_project_counts() {
        let place = |directories: &[&str]| here(directories).place().map(|place| place.to_string());
        assert_eq!(place(&["/home/u/p", "/srv"]), Some("~/p".into()));
        assert_eq!(place(&["/home/u", "/srv"]), Some("/srv".into()));
        assert_eq!(
            place(&["/", "/home/u/", "relative", "/home/u/p/."]),
            Some("~/p".into())
        );
        assert_eq!(place(&["/home/u", "/", "//", "/home/u/x/.."]), None);
    }

    #[test]
    fn home_is_meant_only_where_it_is_named() {
        let nowhere = here(&["/home/u"]);
        assert_eq!(nowhere.place_of(".").unwrap_err(), no_project());
        assert_eq!(nowhere.place_of("~").unwrap(), Place::home());
        assert_eq!(nowhere.place_of("/home/u").unwrap(), Place::home());
        let project = here(&["/home/u/p"]);
        assert_eq!(project.place_of("src").unwrap().as_str(), "~/p/src");
        assert_eq!(project.place_of("place:/home/u/q").unwrap().as_str(), "~/q");
        assert!(project.place_of("agent:a#k").is_err());
    }

    #[test]
    fn home_can_be_the_working_directory() {
        let place = |directories: &[&str]| {
            let here = here(directories).or_at_home();
            here.place_of(".").map(|place| here.absolute(&place)).ok()
        };
        assert_eq!(place(&["/home/u/"]), Some("/home/u".into()));
        assert_eq!(place(&["/home/u", "/srv"]), Some("/srv".into()));
        assert_eq!(place(&["/home/u/p"]), Some("/home/u/p".into()));
        assert_eq!(place(&["/"]), None);
    }

    #[test]
    fn a_directory_can_be_a_place_of_a_repository() {
        let here = here(&["repo:github.com/acme/shop//src"]);
        let place = |typed| here.place_of(typed).map(|place| place.to_string());
        assert_eq!(place("."), Ok("repo:github.com/acme/shop//src".into()));
        assert_eq!(place("../api"), Ok("repo:github.com/acme/shop//api".into()));
        assert_eq!(place("~/x"), Ok("~/x".into()));
        let project = here.lineage().project().map(ToString::to_string);
        assert_eq!(project, Some("repo:github.com/acme/shop".into()));
    }

    #[test]
    fn a_client_with_several_projects_open_has_to_say_which_is_meant() {
        let open = |roots: &[&str]| {
            let roots = roots.iter().map(|root| (*root).to_owned()).collect();
            let here = ConnectedCaller::with_roots(here(&["/srv"]).caller, roots);
            here.check_project().map_err(|refusal| refusal.what)
        };
        assert_eq!(open(&[]), Ok(()));
        assert_eq!(open(&["/home/u/p", "/home/u", "/home/u/p/"]), Ok(()));
        assert_eq!(
            open(&["/home/u/p", "/home/u/q"]),
            Err("the client has several projects open: ~/p, ~/q".into())
        );
    }
}
