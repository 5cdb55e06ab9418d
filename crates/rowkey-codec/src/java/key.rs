//! The record of a key: encoding, decoding, explaining, prefixes.

use super::constants::Constants;
use super::fields::{code, components, copies, is_component, local, tags};
use super::ints::set_int;
use super::lead::{Hashed, lead_of};
use super::prefix::capital;
use super::refused::Refused;
use super::shown::shown;
use super::source::{Source, bytes, literal, plain};
use super::types::plain as java_type;
use super::value::Values;
use super::{decl, prefix};
use crate::ir::{Digest, Field, Key, Lead, Salt};

/// The body of a key's file, behind its imports.
pub(super) fn write(key: &Key) -> Source {
    let mut constants = Constants::default();
    let mut body = Source::within();
    let file = File { key };
    file.encode(&mut constants, &mut body);
    file.decode(&mut constants, &mut body);
    file.explain(&mut constants, &mut body);
    file.table(&mut body);
    file.helpers(&mut constants, &mut body);
    for declared in &key.types {
        decl::write(key, declared, &mut constants, &mut body);
    }
    prefix::write(key, &mut constants, &mut body);
    let mut whole = Source::default();
    file.head(&constants, &mut whole);
    whole.append(body);
    whole.close();
    whole
}

struct File<'k> {
    key: &'k Key,
}

impl File<'_> {
    fn head(&self, constants: &Constants, to: &mut Source) {
        let key = self.key;
        let about = key.about.as_deref().map_or_else(|| format!("The key of {}.", key.name), str::to_owned);
        let shape = format!("Layout: {{@code {}}}.", code(&key.shape));
        to.doc(&[plain(&about), shape], &tags(&key.fields));
        to.call(&format!("public record {}", key.ident), &components(key, &key.fields), " {");
        to.indent();
        to.doc(&["The fingerprint of the layout.".to_owned()], &[]);
        to.line(&format!("public static final String FINGERPRINT = \"{}\";", key.fingerprint));
        to.blank();
        if let Some((class, head, arguments)) = lead_of(key) {
            to.assign(&format!("private static final {class} LEAD"), &head, &arguments);
            to.blank();
        }
        to.doc(&["What the bytes of a key depend on.".to_owned()], &[]);
        self.layout(to);
        to.blank();
        if !constants.is_empty() {
            constants.write(to);
            to.blank();
        }
        copies(&key.ident, &key.fields, to);
    }

    fn layout(&self, to: &mut Source) {
        let key = self.key;
        let (name, shape, fields) = (literal(&key.ident), literal(&key.shape), key.fields.len().to_string());
        let declared = "public static final Layout LAYOUT";
        if matches!(key.lead, Lead::None) && key.until().is_none() && !key.is_joined {
            return to.assign(declared, "Layout.plain", &[name, shape, fields]);
        }
        let (by, cut) = match &key.lead {
            Lead::None => (&[][..], 0),
            Lead::Salt(Salt { by, cut, .. }) | Lead::Digest(Digest { by, cut, .. }) => (by.as_slice(), *cut),
        };
        let lead = if matches!(key.lead, Lead::None) { "null" } else { "LEAD" }.to_owned();
        let by: Vec<String> = by.iter().map(usize::to_string).collect();
        let by = if by.is_empty() { "new int[0]".to_owned() } else { format!("new int[] {{{}}}", by.join(", ")) };
        let until = key.until().map_or("null".to_owned(), bytes);
        let arguments = [name, shape, fields, lead, by, cut.to_string(), until, key.is_joined.to_string()];
        to.assign(declared, "new Layout", &arguments);
    }

    /// The number of bytes of each key, if all have the same.
    fn width(&self) -> Option<usize> {
        let fields = self.key.fields.iter().try_fold(0, |sum, field| Some(sum + self.key.width(&field.ty)?));
        fields.filter(|_| !self.key.is_joined).map(|fields| self.key.lead.width() + fields)
    }

    fn encode(&self, constants: &mut Constants, to: &mut Source) {
        let key = self.key;
        to.doc(&["The bytes of the key.".to_owned()], &[]);
        to.open("public byte[] encode()");
        match (key.integers(), self.width()) {
            (Some(integers), Some(width)) => {
                let refused = Refused::begin(&key.fields, None, to);
                to.line(&format!("byte[] key = new byte[{width}];"));
                for (at, field, int) in integers {
                    refused.field(field, to);
                    to.line(&set_int(int, at, field.desc, &format!("this.{}", field.ident)));
                }
                to.line("return key;");
                refused.end(Some(key), to);
            }
            (None, Some(width)) => {
                to.line(&format!("KeyWriter w = new KeyWriter({width});"));
                to.line("write(w);");
                to.line("return w.take();");
            }
            (_, None) => to.line("return encode(new KeyWriter());"),
        }
        to.close();
        to.blank();
        to.doc(&["The bytes of the key, by a writer that can be used again.".to_owned()], &[]);
        to.open("public byte[] encode(KeyWriter w)");
        to.line("w.clear();");
        to.line("write(w);");
        to.line("return w.toByteArray();");
        to.close();
        to.blank();
        to.doc(&["Appends the bytes of the key.".to_owned()], &[]);
        to.open("public void write(KeyWriter w)");
        let refused = Refused::begin(&key.fields, None, to);
        let hashed = Hashed::of(key);
        match &hashed {
            Some(_) => to.line("int lead = w.reserve(LEAD.width());"),
            None if key.is_joined => to.line("int lead = w.length();"),
            None => {}
        }
        if hashed.is_some() {
            to.line("int start = w.length();");
        }
        let mut values = Values { key, constants, is_first: true };
        for (number, field) in key.fields.iter().enumerate() {
            refused.field(field, to);
            let needs_method = values.write(&field.ty, "").is_none();
            if needs_method && !field.desc {
                to.line(&format!("write{}(w, this.{});", capital(&field.ident), field.ident));
            } else if needs_method {
                to.line(&format!("int from{number} = w.length();"));
                to.line(&format!("write{}(w, this.{});", capital(&field.ident), field.ident));
                to.line(&format!("w.invert(from{number});"));
            } else {
                values.write_field(field, number, to);
            }
            values.is_first = false;
            if hashed.as_ref().is_some_and(|hashed| hashed.needs_end(number)) {
                to.line(&format!("int end{number} = w.length();"));
            }
        }
        if let Some(hashed) = &hashed {
            hashed.write(to);
        }
        if key.is_joined {
            to.line("Ordered.writeEnd(w, lead);");
        }
        refused.end(Some(key), to);
        to.close();
    }

    fn decode(&self, constants: &mut Constants, to: &mut Source) {
        let key = self.key;
        to.blank();
        to.doc(
            &["The key of these bytes; refuses bytes that no key has, with a {@code DecodeException}.".to_owned()],
            &[],
        );
        to.open(&format!("public static {} decode(byte[] key)", key.ident));
        to.line("return decode(new KeyReader(key));");
        to.close();
        to.blank();
        to.doc(&["The key of a reader's bytes; the reader can be used again.".to_owned()], &[]);
        to.open(&format!("public static {} decode(KeyReader r)", key.ident));
        to.line(&format!("r.key({});", literal(&key.ident)));
        let hashed = Hashed::of(key);
        if hashed.is_some() {
            to.line("r.skip(LEAD.width());");
            to.line("int start = r.position();");
        }
        let mut values = Values { key, constants, is_first: true };
        for (number, field) in key.fields.iter().enumerate() {
            self.read_field(field, &local(field), number, &mut values, to);
            if hashed.as_ref().is_some_and(|hashed| hashed.needs_end(number)) {
                to.line(&format!("int end{number} = r.position();"));
            }
        }
        to.line("r.end();");
        if let Some(hashed) = &hashed {
            hashed.check(to);
        }
        let arguments: Vec<String> = key.fields.iter().filter(is_component).map(local).collect();
        to.call(&format!("return new {}", key.ident), &arguments, ";");
        to.close();
    }

    fn read_field(&self, field: &Field, name: &str, number: usize, values: &mut Values<'_, '_>, to: &mut Source) {
        if values.read(&field.ty).is_some() {
            values.read_field(field, &field.name, name, number, to);
        } else {
            to.line(&format!("r.field({});", literal(&field.name)));
            let invert = |to: &mut Source| {
                if field.desc {
                    to.line("r.invert();")
                }
            };
            invert(to);
            to.line(&format!("{} {name} = read{}(r);", java_type(self.key, &field.ty), capital(&field.ident)));
            invert(to);
        }
        values.is_first = false;
    }

    fn explain(&self, constants: &mut Constants, to: &mut Source) {
        let key = self.key;
        to.blank();
        to.doc(&["A table of the bytes of a key: which are of what field, and their value.".to_owned()], &[]);
        to.open("public static String explain(byte[] key)");
        to.line(&format!("Explanation told = new Explanation({}, key);", literal(&key.ident)));
        to.line("KeyReader r = new KeyReader(key);");
        to.open("try");
        to.line(&format!("r.key({});", literal(&key.ident)));
        if Hashed::of(key).is_some() {
            to.line("r.skip(LEAD.width());");
            let kind = if matches!(key.lead, Lead::Salt(_)) { "salt" } else { "digest" };
            to.line(&format!("told.part(LEAD.width(), \"\", \"{kind}\", \"\");"));
        }
        let mut values = Values { key, constants, is_first: true };
        for (number, field) in key.fields.iter().enumerate() {
            let name = local(field);
            self.read_field(field, &name, number, &mut values, to);
            let shown = shown(&field.ty, &name, 0);
            let arguments = ["r.position()".to_owned(), literal(&field.name), literal(&field.shape), shown];
            to.call("told.part", &arguments, ";");
        }
        to.line("decode(r.reset(key));");
        to.next("catch (DecodeException error)");
        to.line("told.error(error);");
        to.close();
        to.line("return told.toString();");
        to.close();
    }

    fn table(&self, to: &mut Source) {
        let key = self.key;
        to.blank();
        let about = "Refuses a table of another layout, with a {@code LayoutException}: give what it kept.";
        to.doc(&[about.to_owned()], &[]);
        to.open("public static void checkTable(String kept)");
        to.line("LAYOUT.require(kept);");
        to.close();
        to.blank();
        let first = &key.steps[0];
        to.doc(&["Selects keys by their first fields.".to_owned()], &[]);
        to.open(&format!("public static {first} prefix()"));
        to.call(&format!("return new {first}"), &[prefix::first(key)], ";");
        to.close();
        if let Lead::Salt(_) = key.lead {
            to.blank();
            to.doc(&["Merges the rows of a scan of each bucket into the order of the keys.".to_owned()], &[]);
            let scans = "Collection<? extends Iterator<? extends R>> scans".to_owned();
            let parameters = [scans, "Function<? super R, byte[]> keyOf".to_owned()];
            to.call("public static <R> Merge<R> merge", &parameters, " {");
            to.indent();
            to.line("return Merge.of(scans, keyOf, LEAD.width());");
            to.close();
        }
    }

    /// Methods that write and read the fields that take several statements.
    fn helpers(&self, constants: &mut Constants, to: &mut Source) {
        let mut values = Values { key: self.key, constants, is_first: false };
        for field in &self.key.fields {
            if values.write(&field.ty, "").is_some() {
                continue;
            }
            let (name, ty) = (capital(&field.ident), java_type(self.key, &field.ty));
            to.blank();
            to.method(&format!("private static void write{name}"), &format!("KeyWriter w, {ty} value"));
            values.write_all(&field.ty, "value", 0, to);
            to.close();
            to.blank();
            to.open(&format!("private static {ty} read{name}(KeyReader r)"));
            values.read_all(&field.ty, "value", 0, to);
            to.line("return value;");
            to.close();
        }
    }
}
