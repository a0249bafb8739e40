//! What the programs of waynote ask of the operating system, for every crate below the command line.
//!
//! | module | what it answers |
//! |---|---|
//! | [`variables`] | the names of the variables that waynote reads |
//! | [`process`] | which process this is, what runs above it, whether it still runs (`/proc`) |
//! | [`program`] | which file a program's name stands for on the path |
//! | [`plain`] | a file that somebody else may have put there, opened without surprises |
//!
//! Nothing here reads the environment by itself: what it holds is handed in. No rule about notes belongs here, and
//! nothing that only one crate needs. Unix only.

pub mod plain;
pub mod process;
pub mod program;
pub mod variables;
