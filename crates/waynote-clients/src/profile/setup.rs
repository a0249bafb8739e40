//! The setup of a client: scope, program, and the entries of each file. The client's own module lists the files:
//! [`Profile::files`](super::Profile::files).

use std::path::{Path, PathBuf};

use waynote::{Author, Base};
use waynote_system::program::goes_with_an_upgrade;
use waynote_system::shell::quoted;
use waynote_system::variables::AUTHOR;
use waynote_system::{Environment, text_file};

use super::Profile;
use super::target::Target;
use crate::client::{Client, Event};
use crate::error::{Error, Result};
use crate::formats::edit::Edit;
use crate::formats::entry::{Json, JsonEdit, NAME, NO_SEARCH, Server, object};

/// The machine as this crate sees it: nothing else is asked of the environment.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'e> {
    /// Variables, folders, the working directory, waynote's own program.
    pub environment: &'e Environment,
    /// The variables that waynote reads, for the entries of clients that pass on only the named ones.
    pub handed_on: &'e [&'e str],
}

/// The scope of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallScope {
    /// The user's, for every project.
    User,
    /// The working directory's, which a team shares.
    Project,
}

/// The parts of a setup in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Part {
    /// The entry of the MCP server.
    Server,
    /// Hooks.
    Hooks,
    /// Both.
    #[strum(to_string = "server and hooks")]
    ServerAndHooks,
    /// A program of ours that the client runs, with its hooks.
    Plugin,
}

impl Part {
    /// True if it has the server's entry.
    pub fn has_server(self) -> bool {
        matches!(self, Self::Server | Self::ServerAndHooks)
    }

    /// True if it has hooks.
    pub fn has_hooks(self) -> bool {
        matches!(self, Self::Hooks | Self::ServerAndHooks | Self::Plugin)
    }
}

/// One of a client's files and what it gets.
#[derive(Clone)]
pub struct ClientFile {
    /// The file.
    pub path: PathBuf,
    /// The parts of the setup that it holds.
    pub part: Part,
    pub(crate) edit: Edit,
}

impl ClientFile {
    pub(crate) fn new(path: PathBuf, part: Part, edit: Edit) -> Self {
        Self { path, part, edit }
    }

    /// Its entries in a setup that has hooks, or in one that has none; none where it gets nothing.
    pub(crate) fn wanted(&self, has_hooks: bool) -> Option<Edit> {
        let is_kept = |edit: &&JsonEdit| has_hooks || edit.event().is_none();
        match (&self.edit, self.part) {
            (_, Part::Hooks | Part::Plugin) if !has_hooks => None,
            (Edit::Json(edits), _) => {
                Some(Edit::Json(edits.iter().filter(is_kept).cloned().collect()))
            }
            (edit, _) => Some(edit.clone()),
        }
    }

    pub(crate) fn json(path: PathBuf, part: Part, edits: Vec<JsonEdit>) -> Self {
        Self::new(path, part, Edit::Json(edits))
    }
}

/// How to set up a client.
pub struct Setup<'e> {
    pub(crate) machine: Machine<'e>,
    pub(crate) profile: &'static Profile,
    /// The scope of the files.
    pub reach: InstallScope,
    /// True if every prompt gets the notes that match it, too.
    pub every_prompt: bool,
    /// True if an agent that ends its turn is asked once for what the next run should know.
    pub asks: bool,
    /// True if hooks at tools call the server that is connected, where the client can do that.
    pub by_server: bool,
    /// The program, as the client starts it.
    pub program: String,
    /// The store and settings of the client; at first those of its files.
    pub target: Target,
}

impl<'e> Setup<'e> {
    /// How to set up a client, with none of the options.
    ///
    /// # Errors
    /// [`Error::NoHome`](crate::Error::NoHome) and [`Error::NoProject`](crate::Error::NoProject), where there is nothing to
    /// set it up in; [`Error::Environment`](crate::Error::Environment).
    pub fn new(machine: Machine<'e>, client: Client, reach: InstallScope) -> Result<Self> {
        match reach {
            InstallScope::Project => is_project(machine.environment)?,
            InstallScope::User => is_home(machine.environment)?,
        }
        let mut setup = Self::unchecked(machine, client.profile(), reach)?;
        setup.target = setup.found_target()?;
        Ok(setup)
    }

    /// A setup for looking at files that may be there.
    pub(crate) fn unchecked(
        machine: Machine<'e>,
        profile: &'static Profile,
        reach: InstallScope,
    ) -> Result<Self> {
        Ok(Self {
            machine,
            profile,
            reach,
            every_prompt: false,
            asks: false,
            by_server: false,
            program: program_of(machine.environment, reach)?,
            target: Target::default(),
        })
    }

    /// The copy of the program that clients start; none where they start the program itself.
    pub fn copied_program(&self) -> Option<&Path> {
        let program = Path::new(&self.program);
        let kept = kept_program(self.machine.environment).ok()?;
        let own = self.machine.environment.own_program().ok()?;
        (self.has_hooks() && program == kept && own != kept).then_some(program)
    }

    /// Copies the program to where clients start it, if they do not start it where it is.
    pub(crate) fn copy_program(&self) -> Result {
        let Some(copy) = self.copied_program() else {
            return Ok(());
        };
        let own = self.machine.environment.own_program()?;
        let new = copy.with_extension("new");
        // Those that run the old one go on with it.
        let folder = copy.parent().map_or(Ok(()), std::fs::create_dir_all);
        folder
            .and_then(|()| std::fs::copy(own, &new))
            .and_then(|_| std::fs::rename(&new, copy))
            .map_err(|source| waynote::Error::file(copy, "written", source).into())
    }

    /// The target of the client's files.
    pub(crate) fn found_target(&self) -> Result<Target> {
        for file in self.files()? {
            // An unreadable file is reported elsewhere.
            let text = text_file::read(&file.path).ok().flatten();
            if let Some(entry) = text.and_then(|text| file.edit.server_entry(&text)) {
                return Ok(Target::of(&entry));
            }
        }
        let entry = self.snippet()?.and_then(|snippet| snippet.entry());
        Ok(entry.map_or_else(Target::default, |entry| Target::of(&entry)))
    }

    /// True if the client runs hooks of ours.
    pub(crate) fn has_hooks(&self) -> bool {
        !self.target.is_endpoint()
    }

    /// Its words behind `waynote install`.
    pub fn words(&self) -> String {
        let project = match self.reach {
            InstallScope::User => "",
            InstallScope::Project => " --project",
        };
        format!("{}{project}", self.profile.word)
    }

    /// The base folder of its files.
    pub(crate) fn roots(&self) -> Result<Roots<'e>> {
        Roots::of(self.machine.environment, self.reach)
    }

    /// A JSON file of the client, by its names for the user and for a project; none where there is no such file.
    pub(crate) fn json_file(
        &self,
        [of_user, of_project]: [&str; 2],
        part: Part,
        edits: Vec<JsonEdit>,
    ) -> Result<Option<ClientFile>> {
        let root = self.roots()?;
        let name = match self.reach {
            InstallScope::User => of_user,
            InstallScope::Project => of_project,
        };
        let moved = self.profile.moved_by.map(|[variable, folder]| {
            let inside = Path::new(name).strip_prefix(folder).ok();
            Ok::<_, Error>(root.moved(variable)?.zip(inside))
        });
        let path = match moved.transpose()?.flatten() {
            Some((folder, inside)) => folder.join(inside),
            None => root.file(name)?,
        };
        Ok((!name.is_empty()).then(|| ClientFile::json(path, part, edits)))
    }

    /// The JSON file with the server's entry; `typed` says whether that names its kind.
    pub(crate) fn server_file(&self, typed: bool) -> Result<Option<ClientFile>> {
        let [of_user, of_project, member] = self.profile.server;
        let edits = vec![self.json_server(member, typed)];
        self.json_file([of_user, of_project], Part::Server, edits)
    }

    /// The JSON file with the server's entry and the hooks.
    pub(crate) fn one_file(
        &self,
        typed: bool,
        more: &[(&'static str, Json)],
        grouped: bool,
    ) -> Result<Vec<ClientFile>> {
        let [of_user, of_project, member] = self.profile.server;
        let mut edits = vec![self.json_server(member, typed)];
        edits.extend(self.hooks(more, grouped));
        let file = self.json_file([of_user, of_project], Part::ServerAndHooks, edits)?;
        Ok(file.into_iter().collect())
    }

    /// The client's server entry.
    pub(crate) fn server(&self) -> Server {
        let handed_on = self.machine.handed_on.iter();
        Server {
            command: self.program.clone(),
            args: [self.target.options(), &["mcp".into()]].concat(),
            endpoint: match &self.target {
                Target::Endpoint(url) => Some(url.clone()),
                _ => None,
            },
            author: Author::Agent(self.profile.word).to_string(),
            variables: handed_on.map(|name| (*name).into()).collect(),
        }
    }

    /// The server's entry as most clients write it, in JSON.
    pub(crate) fn json_server(&self, at: &'static str, typed: bool) -> JsonEdit {
        let server = self.server();
        if server.endpoint.is_some() {
            return self.json_endpoint(at, &[]);
        }
        let program = server.command.clone();
        let mut entry = Vec::new();
        if typed {
            entry.push(("type", "stdio".into()));
        }
        entry.extend([
            ("command", server.command.into()),
            ("args", server.args.into()),
            ("env", object(&[(AUTHOR, server.author.into())])),
        ]);
        JsonEdit::Server { at, program, entry }
    }

    /// The entry of a server's endpoint, in JSON.
    pub(crate) fn json_endpoint(
        &self,
        at: &'static str,
        more: &[(&'static str, Json)],
    ) -> JsonEdit {
        let form = &self.profile.endpoint;
        let url = self.server().endpoint.unwrap_or_default();
        let mut entry = Vec::new();
        entry.extend(form.kind.map(|kind| ("type", kind.into())));
        let bearer = format!("Bearer {}", form.reference);
        entry.extend([
            (form.url, url.into()),
            ("headers", object(&[("Authorization", bearer.into())])),
        ]);
        entry.extend(more.iter().cloned());
        JsonEdit::Server {
            at,
            program: self.program.clone(),
            entry,
        }
    }

    /// The command of a hook, for a shell.
    pub(crate) fn hook_command(&self, event: Event) -> Option<String> {
        let options = self.target.options().iter();
        let options = options.map(|word| format!(" {}", quoted(word)));
        self.hook_command_with(event, &options.collect::<String>())
    }

    /// The arguments of a call that answers a hook: the client replaces each `${…}` by what it would send to a command.
    fn hook_call(&self, event: Event, members: &[(&'static str, &str)]) -> Json {
        let word = self.profile.event_word(event).unwrap_or_default();
        let mut call = vec![("client", self.profile.word.into()), ("event", word.into())];
        call.extend(
            members
                .iter()
                .filter(|(_, path)| event != Event::BeforeTool || !OF_RESULT.contains(path))
                .map(|(name, path)| (*name, format!("${{{path}}}").as_str().into())),
        );
        object(&call)
    }

    /// As `hook_command`, with other options: a trial has a store of its own.
    pub(crate) fn hook_command_with(&self, event: Event, options: &str) -> Option<String> {
        let word = self.profile.event_word(event)?;
        let client = self.profile.word;
        let no_search = match event {
            Event::Prompt if !self.every_prompt => NO_SEARCH,
            _ => "",
        };
        let program = quoted(&self.program);
        Some(format!(
            "{program}{options} hook {client} {word}{no_search}"
        ))
    }

    /// The hooks of every event that the client has.
    pub(crate) fn hooks(&self, more: &[(&'static str, Json)], grouped: bool) -> Vec<JsonEdit> {
        let hook = |event: Event| {
            Some(JsonEdit::Hook {
                event: self.profile.event_word(event)?,
                matcher: self.profile.matcher(event),
                only_if_there: event == Event::Stop && !self.asks,
                call: match self.by_server && event.is_at_tool() {
                    true => self
                        .profile
                        .call
                        .map(|members| self.hook_call(event, members)),
                    false => None,
                },
                command: self.hook_command(event)?,
                more: more.to_vec(),
                grouped,
            })
        };
        Event::ALL.into_iter().filter_map(hook).collect()
    }
}

/// The fields of an input that are there only after a tool. Codex refuses a call that names a field which is not there.
const OF_RESULT: [&str; 2] = ["tool_response", "error"];

/// How long a client lets a hook run: it takes milliseconds.
pub(crate) const HOOK_SECONDS: i64 = 10;

/// The same in the members of a hook of Gemini CLI and its kin.
pub(crate) fn milliseconds() -> [(&'static str, Json); 2] {
    [
        ("name", NAME.into()),
        ("timeout", (HOOK_SECONDS * 1000).into()),
    ]
}

/// The base folder of the files of a scope.
pub(crate) struct Roots<'e> {
    pub(crate) environment: &'e Environment,
    pub(crate) reach: InstallScope,
    pub(crate) folder: PathBuf,
}

impl<'e> Roots<'e> {
    pub(crate) fn of(environment: &'e Environment, reach: InstallScope) -> Result<Self> {
        let folder = match reach {
            InstallScope::User => PathBuf::from(environment.home()?),
            InstallScope::Project => environment.working_directory()?.to_owned(),
        };
        Ok(Self {
            environment,
            reach,
            folder,
        })
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// A file by its name. For a user, `.config` and VS Code's `Code` are where this system has them.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf> {
        Ok(match (self.reach, name.split_once('/')) {
            (InstallScope::User, Some(("Code", _))) if cfg!(target_os = "macos") => {
                self.at("Library/Application Support").join(name)
            }
            (InstallScope::User, Some(("Code", _))) => self.environment.dot_config()?.join(name),
            (InstallScope::User, Some((".config", name))) => {
                self.environment.dot_config()?.join(name)
            }
            _ => self.at(name),
        })
    }

    /// A folder that a variable can move, for the user's files.
    pub(crate) fn moved(&self, variable: &str) -> Result<Option<PathBuf>> {
        Ok(match self.reach {
            InstallScope::Project => None,
            InstallScope::User => self.environment.variable(variable)?.map(PathBuf::from),
        })
    }
}

/// The program as clients start it: by its name in a team's files, by its path in the user's, since a client that was
/// not started from a shell has another PATH. The path is one that stays when a package manager replaces the program:
/// on PATH, or as this program was started, else that of a copy.
fn program_of(environment: &Environment, reach: InstallScope) -> Result<String> {
    if reach == InstallScope::Project {
        return Ok("waynote".into());
    }
    let own = environment.own_program()?;
    let resolved = own.canonicalize().ok();
    let on_path = environment
        .on_path("waynote")
        .filter(|path| path.canonicalize().ok() == resolved);
    let mut paths = on_path.into_iter().chain([own.to_owned()]);
    let file = match paths.find(|path| !goes_with_an_upgrade(path)) {
        Some(file) => file,
        None => kept_program(environment)?,
    };
    Ok(file.to_string_lossy().into_owned())
}

/// The file of a copy of the program, for a user whose tools keep each version of the program in a folder of its own.
pub(crate) fn kept_program(environment: &Environment) -> Result<PathBuf> {
    Ok(environment.data()?.join("waynote/bin/waynote"))
}

/// Refuses a home directory that does not exist; it is never created.
fn is_home(environment: &Environment) -> Result {
    let home = environment.home()?;
    match Path::new(&home).is_dir() {
        true => Ok(()),
        false => Err(Error::NoHome { home }),
    }
}

/// Refuses home and the root: files there would count everywhere below, or be the user's own.
fn is_project(environment: &Environment) -> Result {
    let here = environment.working_directory()?;
    let home = environment.home()?;
    // The working directory is named without links.
    let home = Path::new(&home).canonicalize().unwrap_or(home.into());
    let base = Base::new(&home.to_string_lossy(), &here.to_string_lossy())?;
    match base.cwd().is_project() {
        true => Ok(()),
        false => Err(Error::NoProject {
            directory: here.to_owned(),
        }),
    }
}
