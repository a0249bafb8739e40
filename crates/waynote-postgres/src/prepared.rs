//! Statements that a connection keeps under names, so that the server parses and plans them once.
//!
//! Behind a pooler in transaction mode, a name may be unknown or stand for another client's statement. So a connection
//! uses names only while its answers come from the process that the server named when it let the user in: a pooler names
//! random numbers there, since it passes on requests to cancel by itself.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio_postgres::{Error, Statement};

use crate::error::is_of_name;

/// So often a statement is sent without a name: a process that ends soon would pay for the name and not use it.
const UNNAMED: u32 = 2;

/// The most statements with a name on one connection: each takes memory of the server.
const MOST: usize = 200;

/// The statements of a connection.
pub(crate) struct Prepared {
    /// The process that the server named; 0: none.
    process: i32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// True once that process has answered, until another one does.
    may_name: bool,
    /// The version of the tables that the statements are for.
    version: i64,
    /// By their texts.
    known: HashMap<&'static str, Known>,
}

enum Known {
    /// It was sent so often without a name.
    Sent(u32),
    Named(Statement),
}

/// How a statement is sent.
pub(crate) enum Form {
    Unnamed,
    /// Without a name, and for the next time it gets one.
    ToBeNamed(&'static str),
    Named(Statement),
}

impl Prepared {
    pub(crate) fn of(process: i32) -> Self {
        Self {
            process,
            state: Mutex::default(),
        }
    }

    /// A transaction has begun: the process that answers it, and the version of the tables.
    pub(crate) fn begun(&self, process: i32, version: i64) {
        let mut state = self.state.lock();
        state.may_name = process == self.process;
        if !state.may_name || state.version != version {
            state.known.clear();
        }
        state.version = version;
    }

    /// A statement has failed.
    pub(crate) fn failed(&self, error: &Error) {
        if is_of_name(error) {
            *self.state.lock() = State::default();
        }
    }

    /// The form in which a statement is sent now.
    pub(crate) fn form(&self, sql: &'static str) -> Form {
        let mut state = self.state.lock();
        let State {
            may_name, known, ..
        } = &mut *state;
        let is_full = known.len() >= MOST;
        match known.get_mut(sql) {
            Some(Known::Named(statement)) => Form::Named(statement.clone()),
            Some(Known::Sent(times)) => {
                *times += 1;
                match *may_name && *times > UNNAMED {
                    true => Form::ToBeNamed(sql),
                    false => Form::Unnamed,
                }
            }
            None if is_full => Form::Unnamed,
            None => {
                known.insert(sql, Known::Sent(1));
                Form::Unnamed
            }
        }
    }

    /// A statement has got its name.
    pub(crate) fn named(&self, sql: &'static str, statement: Statement) {
        let mut state = self.state.lock();
        if state.may_name {
            state.known.insert(sql, Known::Named(statement));
        }
    }
}
