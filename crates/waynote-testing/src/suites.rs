//! The suites that every store has to pass. Each case is a function over an empty store; `suites!` makes a test of each.

mod action;
mod apart;
mod blocks;
mod conformance;
mod loops;
mod one_order;
mod others;
mod processes;
mod runs;
mod search;
mod shared;
mod together;
mod undo;
mod verify;

pub use processes::Job;
pub use runs::{DONE, begin, turn};

use crate::stores::{Engines, Shared, Stores};

/// Makes, of the list of all cases, a function of each over a crate's stores, and the macro that makes tests of them.
macro_rules! cases {
    ($d:tt $($suite:ident { $($stores:ident::$each:ident: $($case:ident)*;)* })*) => {
        /// The cases, over the stores of a crate.
        #[doc(hidden)]
        #[allow(missing_docs, reason = "`suites!` alone calls them")]
        pub mod cases {
            use super::*;

            $(pub mod $suite {
                use super::*;

                $($(pub fn $case<S: $stores>() {
                    S::$each(&super::super::$suite::$case);
                })*)*
            })*
        }

        /// Declares a module of tests for each suite that is named, over the stores of a type.
        #[macro_export]
        macro_rules! suites {
            $((@ $suite $d stores:ty) => {
                mod $suite {
                    use super::*;

                    $($(#[test]
                    fn $case() {
                        $crate::suites::cases::$suite::$case::<$d stores>();
                    })*)*
                }
            };)*
            ($d stores:ty; $d($d suite:ident)*) => {
                $d($crate::suites!(@ $d suite $d stores);)*
            };
        }
    };
}

cases! { $
    action {
        Stores::each_store:
            an_action_gets_the_notes_of_its_path_once the_nearest_come_first_and_few_at_a_time what_does_not_fit_is_a_line a_session_that_was_told_much_gets_short_lines
            a_word_of_a_command_is_a_path_if_something_is_there;
    }
    apart {
        Engines::each_engine:
            others_write_while_the_index_is_built nothing_forgotten_comes_back_with_an_index_that_was_built_before
            of_two_that_build_at_once_one_wins a_build_that_fails_takes_no_note_with_it_and_is_made_up_for
            only_one_of_many_processes_builds the_index_is_built_again_while_others_write;
    }
    blocks {
        Stores::each_store:
            pinned_ones_are_whole_and_others_one_line_the_nearest_first no_farther_note_takes_the_room_of_a_nearer_one
            style_faithful_has_the_notes_of_the_repository_under_their_paths;
    }
    conformance {
        Stores::each_store:
            notes_of_places_cascade all_changes_of_one_call_or_none every_change_is_a_revision_and_comes_back
            a_pin_leaves_the_author_of_the_text an_origin_keeps_its_times_and_author a_log_is_ordered_by_id_and_refuses_changes
            contents_are_kept_whatever_they_are selecting_keeps_the_order_of_the_scopes
            a_text_noted_again_is_a_repeat_of_its_entry a_note_keeps_what_it_cites what_is_forgotten_is_gone_and_says_so
            what_was_written_after_what_was_shown_is_not_forgotten
            a_shared_text_goes_with_the_last_that_says_it
            a_credential_is_refused_unless_it_is_allowed_or_comes_from_elsewhere;
    }
    loops {
        Stores::each_store:
            a_session_has_one_loop_and_its_numbers_go_on a_loop_that_lost_its_session_says_nothing_more
            a_loop_that_ends_within_an_iteration_leaves_none_open
            who_comes_second_to_a_dead_loops_session_is_told_who_has_it
            a_signal_is_followed_by_no_other events_are_no_notes
            an_agent_says_that_it_is_done_or_blocked_only_while_it_runs
            a_question_stops_the_session_until_it_is_answered the_block_of_an_iteration_is_made_again_as_it_was
            new_entries_of_an_iteration_are_counted an_entry_from_outside_belongs_to_the_last_iteration
            a_resolved_entry_leaves_the_prompt_and_stays_in_the_log only_being_stuck_is_resolved_and_by_something_else
            an_event_reads_as_it_was_written what_an_iteration_brought_is_told_from_what_it_ran_into_again
            what_is_written_inside_a_loop_is_refused_once_another_has_its_session
            what_is_written_in_a_persons_name_inside_a_loop_is_the_agents a_person_who_is_named_is_refused_inside_a_loop
            only_a_person_answers
            only_a_person_stops_a_loop
            an_archived_session_leaves_the_list;
    }
    one_order {
        Stores::each_store:
            changes_events_and_forgettings_have_one_order side_data_goes_with_the_content_that_it_is_about
            nothing_is_written_twice_and_the_answer_is_the_same the_answer_is_that_of_then_whatever_was_written_since
            another_call_with_the_same_content_is_another_call a_refused_call_can_be_made_again
            an_id_that_another_call_went_by_is_refused a_call_is_the_same_one_only_if_it_does_the_same
            a_forgetting_that_is_made_again_forgets_nothing_that_was_written_since
            a_forgetting_that_found_nothing_is_known_too an_id_belongs_to_a_forgetting_or_to_another_call
            an_undo_that_is_made_again_takes_back_one_change;
    }
    others {
        Stores::each_store:
            a_careful_writer_replaces_only_its_own_persons_agents_texts_unread what_a_careful_writer_may_do_to_anothers_text
            a_text_that_stands_stays_its_writers;
    }
    processes {
        Shared::in_processes:
            eight_processes_add_notes_at_once killed_processes_lose_nothing_acknowledged
            a_repeated_call_is_known_after_the_store_was_opened_again worker;
    }
    runs {
        Stores::each_store:
            a_run_that_was_cut_short_is_gone_on_with a_session_has_one_state an_answer_from_outside_changes_the_state
            sessions_without_notes_are_listed_too an_iteration_that_has_not_ended_has_its_notes
            a_question_cannot_answer_itself an_iteration_whose_last_word_was_a_question_is_blocked
            an_answer_is_a_note_once_an_iteration_has_done_its_turn_with_it
            an_allowed_credential_in_an_answer_stops_no_later_run numbers_go_on_from_a_log_that_no_loop_wrote
            an_entry_has_an_iteration_that_there_can_be;
    }
    search {
        Stores::each_arrangement:
            words_phrases_prefixes_and_exclusions a_word_as_it_was_typed_comes_before_its_other_forms
            identifiers_paths_and_codes other_languages_and_scripts only_notes_as_they_are
            old_revisions_when_they_are_asked_for kinds_scopes_keys_and_limits
            what_stands_beside_a_match_may_hold_the_answer the_words_are_shown;
    }
    shared {
        Engines::each_engine:
            a_store_of_several_people_takes_no_note_on_a_path a_store_with_notes_on_paths_stays_one_persons
            each_holder_has_a_notebook_of_his_own each_holder_takes_back_only_what_is_his
            a_copy_into_a_store_of_several_people_is_refused_with_a_path;
    }
    together {
        Stores::each_store:
            a_note_is_deleted_and_saved_in_one_call a_save_tells_what_was_there_before;
        Engines::each_shared:
            an_entry_is_resolved_beside_repeated_and_refused_calls_in_one_commit;
    }
    undo {
        Stores::each_store:
            undo_goes_back_and_redo_comes_forward_again a_new_change_ends_what_can_be_redone
            only_ones_own_changes_within_reach_are_undone what_somebody_else_has_changed_since_is_left_to_a_person
            a_place_has_a_limit_of_its_own_that_what_is_brought_in_need_not_keep
            what_one_call_wrote_is_taken_back_together;
    }
    verify {
        Engines::each_engine:
            a_note_that_is_not_as_its_journal_gives_it a_note_that_is_deleted_against_its_journal
            a_revision_that_does_not_follow_the_one_before_it a_repeat_that_says_something_else
            a_scope_whose_notes_are_counted_wrongly events_with_a_gap_and_an_entry_that_no_event_resolves;
    }
}
