//! Labels of beads.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A short text that many beads share, such as a residue's name: four bytes, compared as a number.
///
/// Each distinct text is stored once, until the program ends.
///
/// ```
/// use beadwork_structure::Name;
/// let name = Name::from("GLY");
/// assert_eq!(name, Name::from("GLY"));
/// assert_eq!(&*name, "GLY");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(u32);

struct Names {
    texts: Vec<&'static str>,
    numbers: HashMap<&'static str, u32>,
}

/// The number of the empty text.
const NO_TEXT: u32 = 0;

static NAMES: LazyLock<RwLock<Names>> = LazyLock::new(|| {
    RwLock::new(Names { texts: vec![""], numbers: HashMap::from([("", NO_TEXT)]) })
});

fn known() -> RwLockReadGuard<'static, Names> {
    NAMES.read().unwrap_or_else(PoisonError::into_inner)
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        if let Some(&number) = known().numbers.get(text) {
            return Name(number);
        }
        let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = names.numbers.get(text) {
            return Name(number);
        }
        let (number, text) = (names.texts.len() as u32, &*String::from(text).leak());
        names.texts.push(text);
        names.numbers.insert(text, number);
        Name(number)
    }
}

impl Name {
    /// The text.
    pub fn as_str(self) -> &'static str {
        known().texts[self.0 as usize]
    }
}

impl Default for Name {
    fn default() -> Name {
        // Without a search: labels are made by the million, and most have several empty names.
        Name(NO_TEXT)
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<T: AsRef<str> + ?Sized> PartialEq<T> for Name {
    fn eq(&self, other: &T) -> bool {
        self.as_str() == other.as_ref()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        String::deserialize(deserializer).map(|text| Name::from(&*text))
    }
}

/// The names and numbers by which selections find a bead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    /// Bead type, such as `CA`.
    pub name: Name,
    /// Name of its residue, such as `GLY`.
    pub residue_name: Name,
    /// Number of its residue in the file.
    pub residue_number: i32,
    /// Insertion code of its residue.
    pub insertion: Option<char>,
    /// Chain identifier.
    pub chain: Name,
    /// Segment identifier; often empty.
    pub segment: Name,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_name_in_all_threads() {
        let threads: Vec<_> =
            (0..4).map(|_| std::thread::spawn(|| ["A", "B", "A", ""].map(Name::from))).collect();
        for thread in threads {
            let names = thread.join().unwrap();
            assert_eq!(names.map(Name::as_str), ["A", "B", "A", ""]);
            assert_eq!(names[0], Name::from("A"));
            assert_eq!(names[3], Name::default());
        }
    }
}
