//! `CREATE INDEX` of Phoenix: a secondary table.

use super::super::draft::{Secondary, Splits};
use super::super::sql::{Token, Word};
use super::{Column, Parsed, Parser, Table, key_of};

/// An index, as a statement has it.
struct Index {
    name: String,
    /// None if one is an expression.
    columns: Option<Vec<Indexed>>,
    included: Vec<String>,
    buckets: Option<u32>,
    splits: Splits,
    comments: Vec<String>,
}

/// A column of an index.
struct Indexed {
    family: Option<String>,
    name: String,
    desc: bool,
}

impl Parser<'_> {
    pub(super) fn index(&mut self, is_local: bool, tables: &mut [Table]) -> Parsed<()> {
        self.if_not_exists()?;
        let name = self.name()?;
        if !self.keyword("ON") {
            return Err(self.expected("ON"));
        }
        let at = self.at();
        let of = self.qualified()?;
        let mut index = Index {
            name,
            columns: None,
            included: Vec::new(),
            buckets: None,
            splits: Splits::None,
            comments: Vec::new(),
        };
        index.columns = self.indexed()?;
        if self.keyword("INCLUDE") {
            self.expect('(')?;
            loop {
                index.included.push(self.qualified()?);
                if !self.mark(',') {
                    break;
                }
            }
            self.expect(')')?;
        }
        if self.keyword("WHERE") {
            index.columns = None;
            self.rest = &[];
        }
        while let Some(token) = self.rest.first().cloned() {
            if self.keyword("ASYNC") {
                continue;
            }
            if let Some(splits) = self.splits()? {
                index.splits = splits;
                continue;
            }
            let (_, option, value) = self.option()?;
            match option.as_str() {
                "SALT_BUCKETS" => {
                    let buckets = value.parse().map_err(|_| super::number_expected(&token, &value))?;
                    index.buckets = Some(buckets);
                }
                "COLUMN_ENCODED_BYTES" => {}
                _ => index.comments.push(format!("A design has no key for {option}={value}")),
            }
        }
        let Some(table) = tables.iter_mut().find(|table| table.draft.name == of) else {
            let message = format!("the table {of:?} of this index is not in this text");
            return Err((at, message, "write its CREATE TABLE before it"));
        };
        table.add(index, is_local)
    }

    /// The columns in parentheses; none if one is an expression.
    fn indexed(&mut self) -> Parsed<Option<Vec<Indexed>>> {
        self.expect('(')?;
        let mut columns = Some(Vec::new());
        loop {
            let before = self.rest;
            let column = self.name().and_then(|first| match self.mark('.') {
                true => Ok((Some(first), self.name()?)),
                false => Ok((None, first)),
            });
            let desc = self.keyword("DESC");
            _ = !desc && self.keyword("ASC");
            match (column, self.rest.first().map(|token| &token.word)) {
                (Ok((family, name)), Some(Word::Mark(',' | ')'))) => {
                    if let Some(columns) = &mut columns {
                        columns.push(Indexed { family, name, desc });
                    }
                }
                _ => {
                    columns = None;
                    self.rest = before;
                    self.skip_expression()?;
                }
            }
            if !self.mark(',') {
                self.expect(')')?;
                return Ok(columns);
            }
        }
    }

    /// Skips to the comma or the parenthesis that ends an expression.
    fn skip_expression(&mut self) -> Parsed<()> {
        let mut open = 0usize;
        while let Some((Token { word, .. }, rest)) = self.rest.split_first() {
            match word {
                Word::Mark(',' | ')') if open == 0 => return Ok(()),
                Word::Mark('(') => open += 1,
                Word::Mark(')') => open -= 1,
                _ => {}
            }
            self.rest = rest;
        }
        Err(self.expected("`)`"))
    }
}

impl Table {
    fn add(&mut self, index: Index, is_local: bool) -> Parsed<()> {
        let cannot = |why: &str| format!("A design has no secondary for the index {}: {why}", index.name);
        let Some(indexed) = &index.columns else {
            self.draft.comments.push(cannot("it is of an expression"));
            return Ok(());
        };
        if is_local {
            self.draft.comments.push(cannot("it is local, in the regions of the table"));
            return Ok(());
        }
        let mut columns: Vec<(Column, bool)> = Vec::new();
        let mut comments = Vec::new();
        for Indexed { family, name, desc } in indexed {
            let in_key =
                |column: &Column| column.family.is_none() && self.key.iter().any(|(key, _)| *key == column.name);
            let named = |column: &&Column| column.name == *name && (family.is_none() || column.family == *family);
            let mut found = self.columns.iter().filter(named);
            let (Some(column), None) = (found.next(), found.next()) else {
                self.draft.comments.push(cannot(&format!("the table has not exactly one column {name}")));
                return Ok(());
            };
            let mut indexed = column.clone();
            if !in_key(column) && !column.not_null {
                let ty = nullable(&column.ty);
                if ty != column.ty {
                    comments.push(format!("Phoenix's type of {name} is {} here, which has a form for NULL", ty));
                    ty.clone_into(&mut indexed.ty);
                }
            }
            columns.push((indexed, *desc));
        }
        // The rest of the table's key makes the row's key unique, and leads to the table's row.
        for (name, desc) in &self.key {
            let column = self.columns.iter().find(|column| column.family.is_none() && column.name == *name);
            if let Some(column) = column.filter(|_| !columns.iter().any(|(known, _)| known.name == *name)) {
                columns.push((column.clone(), *desc));
            }
        }
        let before_end = columns.len().saturating_sub(1);
        let is_twice = |name: &str| columns.iter().filter(|(column, _)| column.name == name).count() > 1;
        if columns[..before_end].iter().any(|(column, _)| column.ty == "VARBINARY")
            || columns.iter().any(|(column, _)| is_twice(&column.name))
        {
            self.draft
                .comments
                .push(cannot("it has a VARBINARY before the end of its key, or two columns of one name"));
            return Ok(());
        }
        if !index.included.is_empty() {
            comments.push(format!("It has copies of the columns {}", index.included.join(", ")));
        }
        comments.extend(index.comments);
        let of_table = self.draft.settings.iter().find(|(key, _)| *key == "salt").map(|(_, salt)| salt.clone());
        let salt = match index.buckets {
            Some(0) => None,
            Some(buckets) => Some(format!("{{ buckets = {buckets}, hash = \"java\" }}")),
            None => of_table,
        };
        let splits = match (index.splits, &salt) {
            (Splits::None, Some(_)) => Splits::Buckets,
            (splits, _) => splits,
        };
        let key = key_of(&columns.iter().map(|(column, desc)| (column, *desc)).collect::<Vec<_>>())?;
        // An index is in its table's schema.
        let schema = self.draft.name.rsplit_once('.').map(|(schema, _)| format!("{schema}."));
        let name = format!("{}{}", schema.unwrap_or_default(), index.name);
        self.draft.secondaries.push(Secondary { name, comments, key, salt, splits });
        Ok(())
    }
}

/// The type of a column in an index where it may be NULL: one without a fixed width.
fn nullable(ty: &str) -> &str {
    match ty {
        "VARCHAR" | "VARBINARY" | "DECIMAL" => ty,
        "CHAR" => "VARCHAR",
        "BINARY" => "VARBINARY",
        _ => "DECIMAL",
    }
}
