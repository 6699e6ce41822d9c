//! Tables of mmCIF files: loops and items, quotes, text blocks.
//!
//! The syntax is that of CIF 1.1 (Hall, Allen and Brown 1991, doi:10.1107/S010876739101067X).

use crate::error::Error;

/// One value and its line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    pub text: &'a str,
    /// The line of the value, counted from 1.
    pub line: usize,
    quoted: bool,
}

impl<'a> Value<'a> {
    /// The text, unless it is one of the unquoted marks `?` (unknown) and `.` (not applicable).
    pub(crate) fn known(&self) -> Option<&'a str> {
        (self.quoted || !matches!(self.text, "?" | ".")).then_some(self.text)
    }
}

/// One category: named columns and the values of its rows, one row after the other.
pub(crate) struct Table<'a> {
    /// Names of the columns, without the category, in lower case.
    columns: Vec<String>,
    values: Vec<Value<'a>>,
    /// Line at which the category begins, counted from 1.
    pub line: usize,
}

impl<'a> Table<'a> {
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Value<'a>]> {
        self.values.chunks_exact(self.columns.len().max(1))
    }
}

/// Whether the text begins like an mmCIF file, or contains the table of atoms.
pub(crate) fn is_mmcif(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| begins_with(line, "data_"))
        || text.lines().any(|line| begins_with(line.trim_start(), "_atom_site."))
}

fn begins_with(text: &str, keyword: &str) -> bool {
    text.get(..keyword.len()).is_some_and(|start| start.eq_ignore_ascii_case(keyword))
}

/// The named categories (such as `_atom_site`) of the first data block that has the first of them;
/// `None` for an absent category.
pub(crate) fn read<'a, const N: usize>(
    text: &'a str,
    file: &str,
    categories: [&str; N],
) -> Result<[Option<Table<'a>>; N], Error> {
    let mut tables = [const { None }; N];
    let mut tokens = Tokens::new(text, file);
    let mut token = tokens.next_token()?;
    while let Some(current) = token {
        if current.is_keyword("data_") {
            if tables.first().is_some_and(Option::is_some) {
                break;
            }
            tables = [const { None }; N];
            token = tokens.next_token()?;
        } else if current.is_keyword("loop_") && current.text.len() == 5 {
            token = read_loop(&mut tokens, &categories, &mut tables)?;
        } else if current.is_name() {
            token = read_item(current, &mut tokens, &categories, &mut tables)?;
        } else {
            token = tokens.next_token()?;
        }
    }
    Ok(tables)
}

/// Splits `_atom_site.id` into the index of its category among those wanted, and the column.
fn wanted<'b>(name: &'b str, categories: &[&str]) -> Option<(usize, &'b str)> {
    let (category, column) = name.split_once('.')?;
    let index = categories.iter().position(|wanted| wanted.eq_ignore_ascii_case(category))?;
    Some((index, column))
}

fn read_loop<'a>(
    tokens: &mut Tokens<'a, '_>,
    categories: &[&str],
    tables: &mut [Option<Table<'a>>],
) -> Result<Option<Value<'a>>, Error> {
    let line = tokens.line;
    let mut names = Vec::new();
    let mut token = tokens.next_token()?;
    while let Some(name) = token.filter(Value::is_name) {
        names.push(name.text);
        token = tokens.next_token()?;
    }
    let category = names.first().and_then(|name| wanted(name, categories)).map(|(index, _)| index);
    let mut values = Vec::new();
    while let Some(value) = token.filter(Value::is_value) {
        if category.is_some() {
            values.push(value);
        }
        token = tokens.next_token()?;
    }
    if let Some(index) = category {
        if !values.len().is_multiple_of(names.len()) {
            let problem = format!(
                "the last row of the table {} is incomplete: {} values do not fill rows of {}",
                categories[index],
                values.len(),
                names.len()
            );
            let last_line = values.last().map_or(line, |value| value.line);
            return Err(Error::damaged_mmcif(tokens.file, last_line, problem));
        }
        let column = |name: &str| {
            name.split_once('.').map_or(name, |(_, column)| column).to_ascii_lowercase()
        };
        let columns = names.into_iter().map(column).collect();
        tables[index] = Some(Table { columns, values, line });
    }
    Ok(token)
}

fn read_item<'a>(
    name: Value<'a>,
    tokens: &mut Tokens<'a, '_>,
    categories: &[&str],
    tables: &mut [Option<Table<'a>>],
) -> Result<Option<Value<'a>>, Error> {
    let Some(value) = tokens.next_token()?.filter(Value::is_value) else {
        let problem = format!("the item {} has no value", name.text);
        return Err(Error::damaged_mmcif(tokens.file, name.line, problem));
    };
    if let Some((index, column)) = wanted(name.text, categories) {
        let empty = || Table { columns: Vec::new(), values: Vec::new(), line: name.line };
        let table = tables[index].get_or_insert_with(empty);
        table.columns.push(column.to_ascii_lowercase());
        table.values.push(value);
    }
    tokens.next_token()
}

impl Value<'_> {
    fn is_keyword(&self, keyword: &str) -> bool {
        !self.quoted && begins_with(self.text, keyword)
    }

    fn is_name(&self) -> bool {
        !self.quoted && self.text.starts_with('_')
    }

    fn is_value(&self) -> bool {
        let is_whole = |keyword: &&str| self.text.eq_ignore_ascii_case(keyword);
        let reserved = ["data_", "save_"].iter().any(|keyword| begins_with(self.text, keyword))
            || ["loop_", "stop_", "global_"].iter().any(is_whole);
        self.quoted || !(reserved || self.is_name())
    }
}

struct Tokens<'a, 'f> {
    text: &'a str,
    /// Byte offset of the unread text.
    offset: usize,
    /// Line of the unread text, counted from 1.
    line: usize,
    file: &'f str,
}

impl<'a, 'f> Tokens<'a, 'f> {
    fn new(text: &'a str, file: &'f str) -> Self {
        Self { text, offset: 0, line: 1, file }
    }

    fn next_token(&mut self) -> Result<Option<Value<'a>>, Error> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.offset) {
                None => return Ok(None),
                Some(b'\n') => {
                    self.line += 1;
                    self.offset += 1;
                }
                Some(byte) if byte.is_ascii_whitespace() => self.offset += 1,
                Some(b'#') => self.offset = self.end_of_line(self.offset),
                Some(b';') if self.offset == 0 || bytes[self.offset - 1] == b'\n' => {
                    return self.text_block().map(Some);
                }
                Some(&quote @ (b'\'' | b'"')) => return self.quoted(quote).map(Some),
                Some(_) => return Ok(Some(self.bare())),
            }
        }
    }

    fn end_of_line(&self, from: usize) -> usize {
        self.text[from..].find('\n').map_or(self.text.len(), |length| from + length)
    }

    fn bare(&mut self) -> Value<'a> {
        let rest = &self.text[self.offset..];
        let length = rest.find(|letter: char| letter.is_ascii_whitespace()).unwrap_or(rest.len());
        self.offset += length;
        Value { text: &rest[..length], line: self.line, quoted: false }
    }

    /// A quote ends a value only before white space: `'5'-phosphate'` is one value.
    fn quoted(&mut self, quote: u8) -> Result<Value<'a>, Error> {
        let start = self.offset + 1;
        let end_of_line = self.end_of_line(start);
        let bytes = self.text.as_bytes();
        let closes = |at: &usize| {
            bytes[*at] == quote && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace)
        };
        let Some(end) = (start..end_of_line).find(closes) else {
            return Err(self.damaged("a quoted value has no end on its line"));
        };
        self.offset = end + 1;
        Ok(Value { text: &self.text[start..end], line: self.line, quoted: true })
    }

    fn text_block(&mut self) -> Result<Value<'a>, Error> {
        let start = self.offset + 1;
        let Some(length) = self.text[start..].find("\n;") else {
            return Err(self.damaged("a text block has no closing semicolon"));
        };
        let text = &self.text[start..start + length];
        let line = self.line;
        self.line += text.matches('\n').count() + 1;
        self.offset = start + length + 2;
        Ok(Value { text, line, quoted: true })
    }

    fn damaged(&self, problem: &str) -> Error {
        Error::damaged_mmcif(self.file, self.line, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(String, usize, bool)> {
        let mut tokens = Tokens::new(text, "test");
        let mut all = Vec::new();
        while let Some(token) = tokens.next_token().unwrap() {
            all.push((token.text.to_owned(), token.line, token.quoted));
        }
        all
    }

    #[test]
    fn values_of_every_kind() {
        let text = "a 'b c' \"d'e\" # no\n'f'g' ;h\n;one\ntwo\n;\nlast";
        let expected = [
            ("a", 1, false),
            ("b c", 1, true),
            ("d'e", 1, true),
            ("f'g", 2, true),
            (";h", 2, false),
            ("one\ntwo", 3, true),
            ("last", 6, false),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(text, line, quoted)| ((*text).to_owned(), *line, *quoted))
            .collect();
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn items_and_loops_become_tables() {
        let text =
            "data_x\n_cell.a 1\n_pair.one '?'\n_pair.two ?\nloop_\n_Row.A\n_Row.b\n1 2\n3\n. \n#\n";
        let [row, pair] = read(text, "test", ["_row", "_pair"]).unwrap();
        let (row, pair) = (row.unwrap(), pair.unwrap());
        let values: Vec<Vec<_>> =
            row.rows().map(|row| row.iter().map(Value::known).collect()).collect();
        assert_eq!(values, [[Some("1"), Some("2")], [Some("3"), None]]);
        assert_eq!((row.column("a"), row.column("b"), row.column("c")), (Some(0), Some(1), None));
        assert_eq!((row.line, pair.line), (5, 3));
        let values: Vec<_> = pair.rows().flatten().map(Value::known).collect();
        assert_eq!(values, [Some("?"), None]);
    }

    #[test]
    fn damage_is_found() {
        for (text, line) in [
            ("data_x\nloop_\n_r.a\n_r.b\n1 2\n3\n", 6),
            ("data_x\n_r.a 'open\n", 2),
            ("data_x\n_r.a\n;open\n", 3),
            ("data_x\n_r.a\n_r.b 2\n", 2),
        ] {
            let error = read(text, "test", ["_r"]).err().unwrap();
            assert_eq!(error.code(), "structure/damaged-mmcif");
            assert!(error.to_string().starts_with(&format!("test, line {line}: ")), "{error}");
        }
    }

    #[test]
    fn only_the_first_block_with_the_table_counts() {
        let text = "data_x\n_s.b 0\ndata_y\n_r.a 1\ndata_z\n_r.a 2\n_s.b 3\n";
        let [r, s] = read(text, "test", ["_r", "_s"]).unwrap();
        assert_eq!(r.unwrap().rows().flatten().map(|value| value.text).collect::<Vec<_>>(), ["1"]);
        assert!(s.is_none());
    }
}
