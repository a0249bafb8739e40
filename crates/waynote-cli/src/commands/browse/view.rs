//! What the screen shows. All text of notes is made visible: it never writes an escape to the terminal.

use std::ops::Range;

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect, Spacing};
use ratatui::style::{Color, Style, Stylize};
use ratatui::symbols::merge::MergeStrategy;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Clear, HighlightSpacing, List, ListState, Paragraph, Wrap};
use unicode_width::UnicodeWidthStr;
use waynote::author::shown;
use waynote::context::Section;
use waynote::secrets::masked;
use waynote::text::{grouped, plural};
use waynote::visible::{lines, visible};
use waynote::{Address, EntryType};

use super::app::{App, KEYS, Mode, Pane};
use super::fit::{end_of, padded, wrapped};
use super::store::{Item, Listing};
use crate::table::shortened;
use crate::{session_view, table, when};

/// The smallest screen.
const SMALLEST: (u16, u16) = (60, 16);

/// The most lines of a message at the bottom.
const MESSAGE: usize = 4;

/// Draws the screen.
pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, now: Timestamp, colour: bool) {
    let all = frame.area();
    if all.width < SMALLEST.0 || all.height < SMALLEST.1 {
        let (width, height) = SMALLEST;
        let least = format!("{width} columns and {height} lines at least");
        let text = format!("The terminal is too small: {least}. q quits.");
        let text = Paragraph::new(text).wrap(Wrap { trim: true });
        return frame.render_widget(text, all);
    }
    let mut view = View { frame, now };
    let footer = view.footer(app, all.width);
    let [head, middle, block, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(5),
        Constraint::Length(3),
        Constraint::Length(footer.len().try_into().unwrap_or(1)),
    ])
    .areas(all);
    // The frames of neighbours share a line.
    let middle = Rect {
        height: middle.height + 1,
        ..middle
    };
    view.head(app, head);
    let scopes = (all.width / 4).min(32);
    let columns = [Constraint::Length(scopes), Constraint::Min(30)];
    let [left, right] = Layout::horizontal(columns)
        .spacing(Spacing::Overlap(1))
        .areas(middle);
    let parts = [Constraint::Fill(1), Constraint::Fill(1)];
    let [list, note] = Layout::vertical(parts)
        .spacing(Spacing::Overlap(1))
        .areas(right);
    view.scopes(app, left);
    view.notes(app, list);
    view.note(app, note);
    view.block(app, block);
    view.frame.render_widget(Paragraph::new(footer), foot);
    view.dialog(app, all);
    if !colour {
        for cell in &mut frame.buffer_mut().content {
            cell.fg = Color::Reset;
        }
    }
}

/// A text in one line, as a terminal may show it.
fn line(text: &str) -> String {
    visible(&masked(text))
}

struct View<'f, 'b> {
    frame: &'f mut Frame<'b>,
    now: Timestamp,
}

impl View<'_, '_> {
    /// The pane's frame with its title, and the room inside.
    fn pane(&mut self, title: &str, is_focused: bool, area: Rect) -> Rect {
        let style = match is_focused {
            true => Style::new().cyan().bold(),
            false => Style::new(),
        };
        let mark = if is_focused { "*" } else { "" };
        let title = Line::styled(format!(" {mark}{title} "), style);
        let block = Block::bordered()
            .merge_borders(MergeStrategy::Exact)
            .title(title);
        let inside = block.inner(area);
        self.frame.render_widget(block, area);
        inside
    }

    /// Rows behind a blank.
    fn rows<'t>(&mut self, inside: Rect, rows: impl Into<Text<'t>>) {
        let room = Rect {
            x: inside.x + 1,
            width: inside.width.saturating_sub(1),
            ..inside
        };
        self.frame.render_widget(rows.into(), room);
    }

    /// The items of a list around the chosen one.
    fn list<'i>(&mut self, inside: Rect, items: Vec<Text<'i>>, chosen: usize, is_focused: bool) {
        let style = match is_focused {
            true => Style::new().reversed(),
            false => Style::new().underlined(),
        };
        let list = List::new(items)
            .highlight_symbol("▸")
            .highlight_spacing(HighlightSpacing::Always)
            .highlight_style(style);
        let mut state = ListState::default().with_selected(Some(chosen));
        self.frame.render_stateful_widget(list, inside, &mut state);
    }

    fn head(&mut self, app: &App, area: Rect) {
        let room = usize::from(area.width).saturating_sub(14);
        let mut spans = vec![" waynote  ".bold()];
        match (&app.mode, &app.query) {
            (Mode::Search(words), _) => {
                spans.push("/ ".bold());
                spans.extend(typed(words, room));
            }
            (_, Some(query)) => {
                spans.push("/ ".bold());
                spans.push(end_of(&line(query), room).into());
            }
            _ => spans.push(end_of(&line(&app.store), room).into()),
        }
        self.frame.render_widget(Line::from(spans), area);
    }

    fn scopes(&mut self, app: &App, area: Rect) {
        let is_focused = app.pane == Pane::Scopes;
        let inside = self.pane("scopes", is_focused, area);
        let around = around(app.row, app.rows.len(), inside.height.into());
        let chosen = app.row - around.start;
        let width = usize::from(inside.width).saturating_sub(1);
        let items = app.rows[around].iter().map(|row| {
            let number = match row.notes {
                0 => String::new(),
                notes => grouped(notes) + " ",
            };
            let (mark, style) = match (&row.of, &row.asks) {
                (None, _) => ("", Style::new().bold()),
                (_, Some(_)) => ("! ", Style::new().yellow()),
                (Some(Listing::Scope(_)), None) => ("  ", Style::new()),
                _ => ("", Style::new()),
            };
            let room = width.saturating_sub(number.len() + mark.len() + 1);
            let name = format!("{mark}{}", end_of(&line(&row.name), room));
            Text::styled(padded(&name, &number, width), style)
        });
        self.list(inside, items.collect(), chosen, is_focused);
    }

    fn notes(&mut self, app: &mut App, area: Rect) {
        let is_focused = app.pane == Pane::Notes;
        let total = app.total();
        let title = match (&app.read, total) {
            (None, _) => "notes".into(),
            (_, 0) => "no notes".into(),
            (Some(read), _) => {
                let more = if read.is_more { "+" } else { "" };
                let found = app.query.as_ref().map_or("notes ", |_| "found ");
                let at = grouped(app.chosen as u64 + 1);
                format!("{found}{at} of {}{more}", grouped(total as u64))
            }
        };
        let inside = self.pane(&title, is_focused, area);
        app.height = (usize::from(inside.height) / 2).max(1);
        if total == 0 && app.read.is_some() {
            let text = match (&app.query, &app.list) {
                (Some(_), _) => "No note has these words.",
                (_, Listing::Here) => "No note applies in this directory. e writes its note.",
                (_, Listing::Latest) => "There are no notes yet. e writes that of this directory.",
                _ => "Nothing is noted here.",
            };
            let width = usize::from(inside.width).saturating_sub(2);
            return self.rows(inside, wrapped(text, width).join("\n"));
        }
        let around = around(app.chosen, total, app.height);
        let chosen = app.chosen.saturating_sub(around.start);
        let width = usize::from(inside.width).saturating_sub(1);
        let items = around.map(|index| match app.at(index) {
            Some(item) => self.item(item, width),
            None => Text::raw("…"),
        });
        self.list(inside, items.collect(), chosen, is_focused);
    }

    /// A note in the list, with its text in a line of its own.
    fn item(&self, item: &Item, width: usize) -> Text<'static> {
        let note = &item.note;
        let text = match &item.found {
            Some(found) => format!("{} {found}", table::labels(note).trim_start()),
            None => table::preview(note),
        };
        let pinned = if note.pinned { "pinned" } else { "" };
        let age = note.source.is_dated();
        let age = age.then(|| when::ago(note.updated_at, self.now));
        let age = format!("  {} ", age.unwrap_or_default());
        let room = width.saturating_sub(2 + pinned.len() + age.width());
        let style = note.kind.as_ref().map_or(Style::new(), of_type);
        let name = padded(&shortened(&line(&name(item)), room), "  ", room + 2);
        let first = Line::from(vec![
            Span::styled(name, style.bold()),
            pinned.cyan(),
            age.into(),
        ]);
        let text = shortened(&line(text.trim_start()), width.saturating_sub(2));
        vec![first, format!(" {text}").into()].into()
    }

    fn note(&mut self, app: &mut App, area: Rect) {
        let is_focused = app.pane == Pane::Note;
        let title = match (app.about(), app.item()) {
            (Some(_), _) => "session".into(),
            (_, Some(item)) => {
                let address = line(&item.note.address.masked());
                shortened(&address, usize::from(area.width) - 6)
            }
            _ => "note".into(),
        };
        let inside = self.pane(&title, is_focused, area);
        let width = usize::from(inside.width).saturating_sub(2);
        let (text, last) = match (app.about(), app.item()) {
            (Some(about), _) => (about.to_owned(), String::new()),
            (_, Some(item)) => (text_of(item), self.about_note(item)),
            _ => return,
        };
        let mut rows = wrapped(&text, width);
        let mut foot = wrapped(&last, width);
        foot.retain(|row| !row.is_empty());
        let height = usize::from(inside.height).saturating_sub(foot.len()).max(1);
        app.scroll_end = rows.len().saturating_sub(height);
        app.scroll = app.scroll.min(app.scroll_end);
        if app.pane == Pane::Note {
            app.height = height;
        }
        let more = rows.len().saturating_sub(app.scroll + height);
        rows.drain(..app.scroll);
        rows.resize(height, String::new());
        if more > 0 {
            rows[height - 1] = format!("… {} more", plural(more as u64 + 1, "line"));
        }
        let foot = foot.into_iter().map(|row| Line::from(row.dim()));
        let rows = rows.into_iter().map(Line::from).chain(foot);
        self.rows(inside, rows.collect::<Vec<_>>());
    }

    /// The line below a note: its revision, author, age and tokens.
    fn about_note(&self, item: &Item) -> String {
        let note = &item.note;
        let kept = match note.seen() {
            Some(seen) if seen > 1 => format!("seen {seen} times"),
            Some(_) => "entry".into(),
            None if note.source.is_own() => format!("revision {}", note.revision),
            None => note.mark(line).unwrap_or_default(),
        };
        let tokens = waynote_tokens::count(&note.content.shown());
        let mut parts = vec![kept];
        if note.source.is_dated() {
            parts.push(line(&shown(&note.author, None)));
            parts.push(when::ago(note.updated_at, self.now));
        }
        parts.push(plural(tokens as u64, "token"));
        parts.extend(note.resolved_by.map(|_| "resolved".into()));
        parts.join(" · ")
    }

    fn block(&mut self, app: &App, area: Rect) {
        let Some(receipt) = &app.receipt else {
            self.pane("block of this directory", false, area);
            return;
        };
        let budget = match receipt.budget {
            0 => "no limit".into(),
            budget => {
                let tokens = grouped(receipt.tokens as u64);
                format!("{tokens} of {} tokens", grouped(budget as u64))
            }
        };
        let inside = self.pane(&format!("block of this directory: {budget}"), false, area);
        let mut parts = Vec::new();
        for section in Section::ALL {
            let claims = receipt.claims.iter();
            let claims = claims.filter(|claim| claim.section == section);
            let tokens: usize = claims.map(|claim| claim.tokens).sum();
            if tokens > 0 {
                parts.push(format!("{} {}", section.as_str(), grouped(tokens as u64)));
            }
        }
        for (notes, what) in [(receipt.lines, "shortened"), (receipt.left_out, "left out")] {
            if notes > 0 {
                parts.push(format!("{} {what}", plural(notes, "note")));
            }
        }
        if parts.is_empty() {
            parts.push("nothing".into());
        }
        self.rows(inside, parts.join(" · "));
    }

    /// The lines at the bottom: what happened, or the keys.
    fn footer(&self, app: &App, width: u16) -> Vec<Line<'static>> {
        let width = usize::from(width).saturating_sub(2);
        let text = match &app.mode {
            Mode::Delete(address, _) => {
                let shown = line(&address.masked());
                format!("Delete {shown}? y deletes it (u brings it back), any other key keeps it.")
            }
            Mode::Search(_) => "type words · enter to the notes · Esc ends the search".into(),
            Mode::Answer(..) => "enter answers · Esc leaves it".into(),
            _ if !app.said.is_empty() => lines(&masked(&app.said)),
            _ => {
                let keys = "j k  / search  e edit  u undo  tab pane  ? keys  q quit";
                return vec![Line::raw(format!(" {keys}"))];
            }
        };
        let mut rows = wrapped(text.trim(), width);
        rows.truncate(MESSAGE);
        let rows = rows.into_iter();
        rows.map(|row| format!(" {row}").yellow().into()).collect()
    }

    fn dialog(&mut self, app: &App, all: Rect) {
        let width = all.width.saturating_sub(4).min(76);
        let inner = usize::from(width) - 4;
        let (title, rows): (String, Vec<Line<'_>>) = match &app.mode {
            Mode::Keys => {
                let rows = KEYS.iter().flat_map(|(key, what)| {
                    let keys = std::iter::once(*key).chain(std::iter::repeat(""));
                    let rows = keys.zip(wrapped(what, inner - 18));
                    rows.map(|(key, what)| format!("{key:<18}{what}").into())
                });
                ("keys".into(), rows.collect())
            }
            Mode::Answer(session, question, text) => {
                let asked = wrapped(&lines(&masked(&question.question)), inner);
                let mut rows: Vec<Line<'_>> = asked.into_iter().map(Line::raw).collect();
                rows.truncate(usize::from(all.height).saturating_sub(6));
                let mut words = Line::from("> ");
                words.extend(typed(text, inner - 4));
                rows.extend([Line::default(), words]);
                let session = line(session.as_str());
                (format!("{session} asks (#{})", question.iteration), rows)
            }
            _ => return,
        };
        let height = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX);
        let area = all.centered(Constraint::Length(width), Constraint::Length(height));
        self.frame.render_widget(Clear, area);
        let inside = self.pane(&title, true, area);
        self.rows(inside, rows);
    }
}

/// A line that is being typed, and the cursor.
fn typed(text: &str, room: usize) -> [Span<'static>; 2] {
    [end_of(&line(text), room).into(), " ".reversed()]
}

/// The items of a list that so many rows show, with the chosen one in the middle.
fn around(chosen: usize, total: usize, height: usize) -> Range<usize> {
    let last = total.saturating_sub(height);
    let top = chosen.saturating_sub(height / 2).min(last);
    top..total.min(top + height)
}

fn of_type(kind: &EntryType) -> Style {
    Style::new().fg(match session_view::style(kind).get_fg_color() {
        Some(anstyle::Color::Ansi(anstyle::AnsiColor::Red)) => Color::Red,
        Some(anstyle::Color::Ansi(anstyle::AnsiColor::Green)) => Color::Green,
        Some(anstyle::Color::Ansi(anstyle::AnsiColor::Cyan)) => Color::Cyan,
        _ => Color::Yellow,
    })
}

/// A note's name in a list. An entry is known by its iteration and its type; its id tells nothing.
fn name(item: &Item) -> String {
    let note = &item.note;
    match &note.address {
        Address::Session(session, _) => {
            let kind = note.kind.as_ref().map_or("entry", EntryType::as_str);
            let iteration = table::iteration(note.iteration);
            let resolved = note.resolved_by.map_or("", |_| " (resolved)");
            format!("session:{session} {iteration} {kind}{resolved}")
        }
        address => address.masked(),
    }
}

/// The text of a note, as a terminal may show it.
fn text_of(item: &Item) -> String {
    let note = &item.note;
    let text = lines(&masked(&note.content.shown().replace("\r\n", "\n")));
    match table::labels(note).trim_start() {
        "" => text,
        stale => format!("{}\n{text}", line(stale)),
    }
}
