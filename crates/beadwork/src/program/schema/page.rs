//! The tables of the input reference: which table describes which part of an input.

/// The reference of the book. A link in this folder, so that a package of this crate holds it.
const PAGE: &str = include_str!("input.md");

/// What begins the part behind the tables.
const END: &str = "\n## The resolved form";

/// A table of keys.
#[derive(Debug, Default)]
pub struct Keys {
    /// The section, such as `system`.
    pub section: String,
    /// Whether an input may have several of the section, as of `[[stage]]`.
    pub is_list: bool,
    /// The model that the keys belong to, where the page names one.
    pub model: Option<String>,
    /// The keys whose tables it describes; empty if it describes the section itself.
    pub of: Vec<String>,
    /// The line above the table.
    pub intro: String,
    pub rows: Vec<Row>,
}

/// A key.
#[derive(Debug, Default)]
pub struct Row {
    pub key: String,
    /// The kinds of a drive that have it; empty if all have it.
    pub kinds: Vec<String>,
    /// The cell of its default.
    pub default: String,
    pub meaning: String,
    /// The keys of the section in whose tables it stands, if it does not stand in the section itself.
    pub within: Vec<String>,
}

/// All tables of the page, in its order.
pub fn tables() -> Vec<Keys> {
    let page = PAGE.split_once(END).map_or(PAGE, |(reference, _)| reference);
    let mut reader = Reader::default();
    page.lines().for_each(|line| reader.line(line));
    reader.tables
}

/// The text between backticks, if it is the whole cell.
pub fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`').filter(|inner| !inner.contains('`'))
}

/// The texts between backticks.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Where the page has come to.
#[derive(Default)]
struct Reader {
    tables: Vec<Keys>,
    section: String,
    is_list: bool,
    model: Option<String>,
    /// The last heading of a part of a section, in small letters.
    part: String,
    /// The last line of prose.
    intro: String,
    /// The columns of the table that is being read; empty outside of tables.
    columns: Vec<String>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(row) = line.strip_prefix('|').and_then(|row| row.strip_suffix('|')) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            match cells[0] {
                "key" => self.begin(&cells),
                first if first.starts_with("---") => {}
                _ => self.row(&cells),
            }
            return;
        }
        self.columns.clear();
        if let Some(heading) = line.strip_prefix("## ") {
            let name = heading.trim_matches('`');
            self.is_list = name.starts_with("[[");
            self.section = name.trim_matches(['[', ']']).to_string();
            (self.model, self.part, self.intro) = (None, String::new(), String::new());
        } else if let Some(heading) = line.strip_prefix("### ") {
            self.part = heading.to_lowercase();
        } else if !line.trim().is_empty() {
            if let Some(rest) = line.strip_prefix("`model = \"") {
                self.model = rest.split('"').next().map(str::to_string);
            }
            self.intro = line.to_string();
        }
    }

    fn begin(&mut self, cells: &[&str]) {
        self.columns = cells.iter().map(|cell| cell.to_string()).collect();
        let named = codes(&self.intro).chain([self.part.as_str()]);
        let known = |name: &&str| self.main().is_some_and(|main| main.has(name));
        let mut of: Vec<String> = named.filter(known).map(str::to_string).collect();
        of.dedup();
        self.tables.push(Keys {
            section: self.section.clone(),
            is_list: self.is_list,
            model: self.model.clone(),
            of,
            intro: self.intro.clone(),
            rows: Vec::new(),
        });
    }

    /// The table of the section, or of the model in it, that has been read.
    fn main(&self) -> Option<&Keys> {
        let is_main = |table: &&Keys| {
            table.of.is_empty() && table.section == self.section && table.model == self.model
        };
        self.tables.iter().find(is_main)
    }

    fn row(&mut self, cells: &[&str]) {
        let cell = |name: &str| {
            let place = self.columns.iter().position(|column| column == name);
            place.and_then(|place| cells.get(place)).copied().unwrap_or_default()
        };
        let kinds = match cell("kinds") {
            "" | "all" => Vec::new(),
            some => some.split(", ").map(str::to_string).collect(),
        };
        let (default, meaning) = (cell("default").to_string(), cell("meaning"));
        let Some(table) = self.tables.last_mut() else { return };
        let prefix = meaning.strip_prefix("in `").and_then(|_| meaning.split_once(": "));
        let (within, meaning) = match prefix {
            Some((places, meaning)) => (codes(places).map(str::to_string).collect(), meaning),
            None => (Vec::new(), meaning),
        };
        let key = code(cells[0]).unwrap_or_default().to_string();
        table.rows.push(Row { key, kinds, default, meaning: meaning.to_string(), within });
    }
}

impl Keys {
    pub fn has(&self, key: &str) -> bool {
        self.rows.iter().any(|row| row.key == key)
    }
}
