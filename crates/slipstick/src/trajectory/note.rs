//! Things worth knowing that neither end a run nor change it: warnings and notes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

/// How much a note matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The result may not be what was meant, or may depend on rounding: look at it.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A kind of note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteKind {
    /// A stable word that `slipstick explain` knows.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// One line about it.
    pub about: &'static str,
}

const fn warning(code: &'static str, about: &'static str) -> NoteKind {
    NoteKind { code, severity: Severity::Warning, about }
}

const fn note(code: &'static str, about: &'static str) -> NoteKind {
    NoteKind { code, severity: Severity::Note, about }
}

/// Every kind of note. A new one is a row here and a section of `book/src/troubleshooting.md`.
pub const NOTE_KINDS: &[NoteKind] = &[
    warning("passes-through", "a guard has fired, and its reset leaves the motion going on across it"),
    warning("roots-uncertain", "a guard varies too much within a step to be sure of all its roots"),
    warning("not-unique", "at a switching surface the motion can go on in more than one way"),
    warning("mixture-chosen", "more than one combination of fields stays on the surfaces"),
    warning(
        "singular-position",
        "next to a singular configuration, where rounding may decide how the motion goes on",
    ),
    warning("large-adjustment", "a projection moved a state by more than the error of the step"),
    warning(
        "energy-raised",
        "an event has raised the kinetic energy of a mechanism by more than its reset says",
    ),
    warning("reset-adjusted", "the constraints do not allow what an event has set"),
    warning("surface-not-reached", "the run ends before sliding-mode control has met every constraint"),
    warning("impact-gains-energy", "an impact with friction has raised the energy"),
    warning("impact-not-unique", "an impact with friction has more than one outcome"),
    warning(
        "painleve",
        "a contact slid with more friction than its motion can have, and its slip was stopped",
    ),
    warning("painleve-not-unique", "with its friction a contact may as well slide as lift"),
    warning(
        "forces-not-unique",
        "forces of redundant contacts with friction can be shared in more than one way",
    ),
    warning("contact-not-unique", "contacts can go on in more than one way"),
    warning("events-captured", "hits were too dense to be located one by one, and were stepped over"),
    warning(
        "restitution-given-up",
        "a hit gives nothing back: contacts that hit together go on to approach each other, or friction jams",
    ),
    note("contact-projected", "a contact starts below a gap of zero by rounding, and was closed"),
    note("start-adjusted", "the start did not meet the constraints and was changed"),
    note("already-past", "a guard is past its zero when it begins to be watched"),
    note("touches-zero", "a guard touches zero and turns back, which is no event"),
    note("came-to-rest", "events accumulate (Zeno), and what is said for that holds"),
    note("slides", "the motion slides along a switching surface"),
    note("surface-reached", "sliding-mode control has met the surface of a constraint"),
    note("redundant-constraints", "some constraints follow from others"),
    note("stiff", "stability, not accuracy, limits the steps of an explicit method"),
];

/// A remark about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The time it is about.
    pub t: f64,
    /// One of [`NOTE_KINDS`].
    pub code: &'static str,
    /// The remark, in the user's words.
    pub text: String,
}

impl Note {
    /// How much it matters: what its code says. What has no row in the table is a warning, because nobody has
    /// said that it is harmless.
    pub fn severity(&self) -> Severity {
        let kind = NOTE_KINDS.iter().find(|kind| kind.code == self.code);
        kind.map_or(Severity::Warning, |kind| kind.severity)
    }
}

/// The notes of a run, in order of time.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    list: Vec<Note>,
    /// The subjects of each code that were noted once.
    noted: BTreeMap<&'static str, BTreeSet<Box<str>>>,
}

impl Notes {
    /// Adds a note.
    pub fn push(&mut self, note: Note) {
        self.list.push(note);
    }

    /// Adds a note unless there is one of that code about that subject: the name of a guard, for example. The
    /// text is made only if it is needed. Whether it is new.
    pub fn once(&mut self, code: &'static str, subject: &str, t: f64, text: impl FnOnce() -> String) -> bool {
        if self.is_noted(code, subject) {
            return false;
        }
        self.noted.entry(code).or_default().insert(subject.into());
        self.list.push(Note { t, code, text: text() });
        true
    }

    /// Whether [`once`](Self::once) has noted that code about that subject.
    pub fn is_noted(&self, code: &str, subject: &str) -> bool {
        self.noted.get(code).is_some_and(|subjects| subjects.contains(subject))
    }

    /// Those that matter so much.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Note> {
        self.list.iter().filter(move |note| note.severity() == severity)
    }
}

impl Deref for Notes {
    type Target = [Note];

    fn deref(&self) -> &[Note] {
        &self.list
    }
}

impl<'a> IntoIterator for &'a Notes {
    type Item = &'a Note;
    type IntoIter = std::slice::Iter<'a, Note>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_noted_once_for_each_subject() {
        let mut notes = Notes::default();
        assert!(notes.once("slides", "relay", 1.0, || "the first".to_owned()));
        assert!(!notes.once("slides", "relay", 2.0, || unreachable!("the text is not needed")));
        assert!(notes.once("slides", "valve", 3.0, || "the second".to_owned()));
        assert!(notes.once("not-unique", "relay", 4.0, || "the third".to_owned()));
        let seen: Vec<(f64, &str)> = notes.iter().map(|note| (note.t, note.text.as_str())).collect();
        assert_eq!(seen, [(1.0, "the first"), (3.0, "the second"), (4.0, "the third")]);
        assert!(notes.is_noted("slides", "valve") && !notes.is_noted("stiff", "valve"));
    }

    #[test]
    fn the_code_says_what_is_a_warning() {
        let mut notes = Notes::default();
        for (t, code) in [(0.0, "slides"), (1.0, "not-unique"), (2.0, "a-code-without-a-row")] {
            notes.push(Note { t, code, text: String::new() });
        }
        assert_eq!(notes.of(Severity::Warning).map(|note| note.t).collect::<Vec<_>>(), [1.0, 2.0]);
        assert_eq!(notes.of(Severity::Note).map(|note| note.code).collect::<Vec<_>>(), ["slides"]);
        assert_eq!(notes.len(), 3);
    }

    #[test]
    fn a_code_has_one_row() {
        for (i, kind) in NOTE_KINDS.iter().enumerate() {
            assert!(NOTE_KINDS[..i].iter().all(|other| other.code != kind.code), "{}", kind.code);
            assert!(!kind.about.is_empty() && !kind.about.ends_with('.'), "{}", kind.code);
        }
    }
}
