//! Questions to the operating system, for every crate below the command line.
//!
//! | module | what it answers |
//! |---|---|
//! | [`checkouts`] | what git tracks, and what became of it |
//! | [`environment`] | variables, the home directory, the folders for data, configuration and state |
//! | [`variables`] | the names of the variables that waynote reads |
//! | [`disk`] | on what kind of file system a file lies |
//! | [`git`] | what git says about a working tree; nothing that a repository names runs |
//! | [`limits`] | that a limit of the system is an error, and not the end of the process |
//! | [`process`] | which process this is, what runs above it, whether it still runs (`/proc`) |
//! | [`program`] | which file a program's name stands for on the path |
//! | [`plain`] | a file in a folder that others write to, opened safely |
//! | [`text_file`] | a text file of another program, read and replaced in one step |
//! | [`shell`] | words as a shell reads them |
//!
//! Nothing here reads the environment by itself: an [`Environment`] is handed in by the program. No rule about notes
//! belongs here, and nothing that only one crate needs. Unix only.

pub mod checkouts;
pub mod disk;
pub mod environment;
pub mod git;
pub mod limits;
pub mod plain;
pub mod process;
pub mod program;
pub mod repository;
pub mod shell;
pub mod text_file;
pub mod variables;

pub use environment::{Environment, EnvironmentError};
pub use text_file::FileError;
