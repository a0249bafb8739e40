//! The real binary on scratch homes: every test here starts it as a user would.

#![allow(
    clippy::disallowed_methods,
    reason = "tests may look at the clock and the environment"
)]

mod suite {
    mod addresses;
    mod attach;
    mod backup;
    mod bad_input;
    mod client_files;
    mod common;
    mod config;
    mod config_set;
    mod context;
    mod copy;
    mod damage;
    mod docs;
    mod docs_commands;
    mod doctor;
    mod doctor_blocks;
    mod event;
    mod fake_xs;
    mod forget;
    mod forget_events;
    mod forget_says;
    mod forget_synced;
    mod history;
    mod hook;
    mod hook_prompt;
    mod hook_session;
    mod import_agents;
    mod import_conflicts;
    mod import_export;
    mod import_hostile;
    mod import_steps;
    mod import_xs;
    mod install;
    mod install_keeps;
    mod install_on_disk;
    mod install_refused;
    mod install_remote;
    mod install_versions;
    mod key;
    mod log;
    mod loop_agents;
    mod loop_night;
    mod loop_planted;
    mod loop_prompt;
    mod loop_resume;
    mod loop_retries;
    mod loop_rights;
    mod loop_stops;
    mod lost_writes;
    mod mcp;
    mod mcp_block;
    mod mcp_client;
    mod mcp_ends;
    mod mcp_goose;
    mod mcp_hostile;
    mod mcp_loop;
    mod mcp_memory;
    mod mcp_replaced;
    mod mcp_replies;
    mod mcp_sets;
    mod mcp_store;
    mod no_home;
    mod odd_places;
    mod other_users;
    mod place;
    mod postgres;
    mod processes;
    mod prompt_copy;
    mod quoted_names;
    mod reference_gonotes;
    mod reference_ralph;
    mod reference_zrb;
    mod remote;
    mod search;
    mod secrets;
    mod serve;
    mod sessions;
    mod slips;
    mod synced;
    mod terminal;
    mod tips;
    mod token;
    mod ui;
    mod undo;
    mod uninstall;
    mod upgrade;
    mod who_may;
    mod worktree;
    mod zrb_file;
}
