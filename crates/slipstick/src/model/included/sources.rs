//! The texts of a model: its own file, and the files of the parts that it uses.
//!
//! All texts stand in one, each after the last, so that a place in it is a place in one of the files. The library reads no
//! files: who has them gives their texts.

use super::super::Diagnostic;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::de::DeTable;

const EXAMPLE: &str = "for example `parts.left = { use = \"leg.toml\" }`";

/// The texts that a model is written in.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    text: String,
    /// The first is the model's own file, which has no path.
    files: Vec<SourceFile>,
    pub(super) errors: Vec<Diagnostic>,
}

/// A file in the text of all.
#[derive(Clone, Debug)]
struct SourceFile {
    path: String,
    span: Range<usize>,
    /// The files of the parts that it uses, by what it calls them.
    uses: BTreeMap<String, usize>,
}

/// A place in one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace<'s> {
    /// The path from the folder of the model; none in the model's own file.
    pub path: Option<&'s str>,
    /// The text of the file.
    pub text: &'s str,
    /// The bytes in it.
    pub span: Range<usize>,
}

impl Sources {
    /// A model whose parts use no files.
    pub fn of(text: &str) -> Self {
        Self::gather(text, &mut |_| Err("a model that stands in no folder uses no files".to_owned()))
    }

    /// A model with the files that its parts use, and those that these use. `read` gives the text of a file by its path
    /// from the folder of the model, or says why it cannot.
    pub fn gather(text: &str, read: &mut dyn FnMut(&str) -> Result<String, String>) -> Self {
        let own = SourceFile { path: String::new(), span: 0..text.len(), uses: BTreeMap::new() };
        let mut all = Self { text: text.to_owned(), files: vec![own], errors: Vec::new() };
        let mut next = 0;
        while next < all.files.len() {
            for (used, span) in used_files(&all.padded(next)) {
                match all.find(next, &used, read) {
                    Ok(file) => {
                        all.files[next].uses.insert(used, file);
                    }
                    Err(why) => {
                        let message = format!("part file `{used}`: {why}");
                        let hint = "the files of parts stand below the folder of the model, and `use` is their path from the file that uses them";
                        all.errors.push(Diagnostic::new("part-file", span, message).hint(hint));
                    }
                }
            }
            next += 1;
        }
        all
    }

    /// The number of a file that another uses.
    fn find(
        &mut self,
        from: usize,
        used: &str,
        read: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<usize, String> {
        let path = resolve(&self.files[from].path, used)?;
        if let Some(known) = self.files.iter().skip(1).position(|file| file.path == path) {
            return Ok(known + 1);
        }
        let text = read(&path)?;
        self.text.extend(["\n# ", &path, "\n"]);
        let start = self.text.len();
        self.text += &text;
        self.files.push(SourceFile { path, span: start..self.text.len(), uses: BTreeMap::new() });
        Ok(self.files.len() - 1)
    }

    /// All texts, each after the last.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of the model's own file.
    pub fn own_text(&self) -> &str {
        self.files.first().map_or("", |own| &self.text[own.span.clone()])
    }

    /// In which file a place is.
    pub fn place(&self, span: &Range<usize>) -> FilePlace<'_> {
        let found = self.files.iter().skip(1).rev().find(|file| file.span.start <= span.start);
        let Some(file) = found.or(self.files.first()) else {
            return FilePlace { path: None, text: "", span: 0..0 };
        };
        let within = |at: usize| at.clamp(file.span.start, file.span.end) - file.span.start;
        let path = (!file.path.is_empty()).then_some(file.path.as_str());
        FilePlace { path, text: &self.text[file.span.clone()], span: within(span.start)..within(span.end) }
    }

    /// The texts of all files, as they are read.
    pub(in crate::model) fn padded_texts(&self) -> Vec<String> {
        (0..self.files.len()).map(|file| self.padded(file)).collect()
    }

    /// The text of a file with blanks before it: places in it are places in the text of all.
    fn padded(&self, file: usize) -> String {
        let span = &self.files[file].span;
        " ".repeat(span.start) + &self.text[span.clone()]
    }

    /// The file that another uses by this name.
    pub(super) fn used(&self, file: usize, used: &str) -> Option<usize> {
        self.files[file].uses.get(used).copied()
    }

    pub(super) fn path(&self, file: usize) -> &str {
        &self.files[file].path
    }
}

/// What a file calls the files of its parts, with the places of these words.
fn used_files(text: &str) -> Vec<(String, Range<usize>)> {
    let (table, _) = DeTable::parse_recoverable(text);
    let parts = table.get_ref().get("parts").and_then(|parts| parts.get_ref().as_table());
    let uses = parts.into_iter().flat_map(DeTable::values);
    let uses = uses.filter_map(|part| part.get_ref().as_table()?.get("use"));
    uses.filter_map(|used| Some((used.get_ref().as_str()?.to_owned(), used.span()))).collect()
}

/// A path from the folder of the model, for what a file there calls another.
fn resolve(from: &str, used: &str) -> Result<String, String> {
    if used.is_empty() || used.ends_with('/') {
        return Err(format!("it is no path of a file; {EXAMPLE}"));
    }
    if used.starts_with('/') || used.contains(['\\', ':', '\0']) {
        return Err("it must be a path from the file that uses it, with `/` between folders".to_owned());
    }
    let mut folders: Vec<&str> = from.split('/').collect();
    folders.pop();
    for step in used.split('/') {
        match step {
            "." | "" => {}
            ".." => {
                let outside = || "it is outside of the folder of the model".to_owned();
                folders.pop().ok_or_else(outside)?;
            }
            name => folders.push(name),
        }
    }
    Ok(folders.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder_of_the_model() {
        assert_eq!(resolve("", "leg.toml").as_deref(), Ok("leg.toml"));
        assert_eq!(resolve("legs/left.toml", "foot.toml").as_deref(), Ok("legs/foot.toml"));
        assert_eq!(resolve("legs/left.toml", "../parts/./foot.toml").as_deref(), Ok("parts/foot.toml"));
        for wrong in ["/leg.toml", "../leg.toml", "a/../../leg.toml", "C:leg.toml", "a\\b.toml", "", "a/"] {
            assert!(resolve("", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_are_found_in_their_files() {
        let main = "parts.a = { use = \"a.toml\" }\nparts.b = { use = \"a.toml\" }";
        let mut asked = Vec::new();
        let sources = Sources::gather(main, &mut |path| {
            asked.push(path.to_owned());
            Ok("bodies = {}".to_owned())
        });
        assert_eq!(asked, ["a.toml"]);
        assert_eq!(sources.own_text(), main);
        let start = sources.text().find("bodies").expect("the other file");
        let place = sources.place(&(start..start + 6));
        assert_eq!((place.path, place.text, place.span), (Some("a.toml"), "bodies = {}", 0..6));
        assert_eq!(sources.place(&(0..5)).path, None);
        assert!(sources.padded(1)[start..].starts_with("bodies"));
    }
}
