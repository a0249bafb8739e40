//! The environment variables that waynote reads, by name.

/// The store's file.
pub const STORE: &str = "WAYNOTE_STORE";

/// The token of a store on a server. No setting shows it.
pub const TOKEN: &str = "WAYNOTE_TOKEN";

/// The file that holds that token.
pub const TOKEN_FILE: &str = "WAYNOTE_TOKEN_FILE";

/// The file with certificates of authorities that may have signed a server's.
pub const CA_FILE: &str = "WAYNOTE_CA_FILE";

/// The password of a store in PostgreSQL, as PostgreSQL's own programs take it. No setting shows it.
pub const PASSWORD: &str = "PGPASSWORD";

/// The file with passwords, as PostgreSQL's own programs take it.
pub const PASSWORD_FILE: &str = "PGPASSFILE";

/// The agent's name, whose notebook is used.
pub const AGENT: &str = "WAYNOTE_AGENT";

/// The session.
pub const SESSION: &str = "WAYNOTE_SESSION";

/// The iteration of the session.
pub const ITERATION: &str = "WAYNOTE_ITERATION";

/// The author of writes. A client's entry of our server sets it.
pub const AUTHOR: &str = "WAYNOTE_AUTHOR";

/// Zrb's own name for its file of notes.
pub const NOTES_FILE: &str = "ZRB_LLM_NOTE_FILE";

/// The path of the configuration file.
pub const CONFIG: &str = "WAYNOTE_CONFIG";

/// Set for the agents of a loop: the event with which it took its session, `session:NAME#event-NUMBER`.
pub const LOOP: &str = "WAYNOTE_LOOP";

/// Set for the command that `loop --notify` runs: the state of the session.
pub const STATE: &str = "WAYNOTE_STATE";

/// Set for the agents of a loop: by it the loop's guard finds an agent that has killed its loop.
pub const GUARDED: &str = "WAYNOTE_GUARDED";

/// Set to `off`, hooks deliver nothing to the processes that have it.
pub const HOOKS: &str = "WAYNOTE_HOOKS";

/// How long a hook may take, in seconds.
pub const HOOK_WAIT: &str = "WAYNOTE_HOOK_WAIT";

/// The time at which everything happens, for tests.
pub const NOW: &str = "WAYNOTE_NOW";

/// The folder for data: the store.
pub const DATA_FOLDER: &str = "XDG_DATA_HOME";

/// The folder for configuration.
pub const CONFIG_FOLDER: &str = "XDG_CONFIG_HOME";

/// The folder for what programs remember: the ledgers of what was delivered.
pub const STATE_FOLDER: &str = "XDG_STATE_HOME";
