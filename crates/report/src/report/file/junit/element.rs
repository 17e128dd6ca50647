//! One element at its depth. Whatever goes into it loses what XML forbids.

use std::borrow::Cow;
use std::io::{self, Write};

use ananke_base::text::{ci_commands, escape, truncate};
use ananke_trace::process::in_one_line;
use quick_xml::Writer;
use quick_xml::escape::{escape, partial_escape};
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::name::QName;

/// `text` escaped for between two tags.
pub(super) fn content(text: &str) -> String {
    partial_escape(ci_commands::escape(&escape::xml(text))).into_owned()
}

/// A `text` of the report itself between two tags: its commands to CI servers are intended.
pub(super) fn own(text: &str) -> String {
    partial_escape(&*escape::xml(text)).into_owned()
}

/// `text` escaped for the value of an attribute.
pub(super) fn value(text: &str) -> String {
    escape::xml_references(&escape(escape::xml(text))).into_owned()
}

/// The part of a message that fits into an attribute that servers show as a heading.
pub(super) fn short(message: &str) -> String {
    escape::line(&truncate::chars(&in_one_line(message), 1000)).into_owned()
}

/// An element with its attributes, on a line of its own.
pub(in crate::report) struct Element {
    start: BytesStart<'static>,
    name: &'static str,
    depth: usize,
}

impl Element {
    pub(in crate::report) fn new(name: &'static str, depth: usize) -> Self {
        Self {
            start: BytesStart::new(name),
            name,
            depth,
        }
    }

    /// An attribute that a reader gets back unchanged, with line ends and tabs, and without characters that control a
    /// terminal or reverse text.
    pub(in crate::report) fn with(mut self, key: &str, value: &str) -> Self {
        self.start.push_attribute(Attribute {
            key: QName(key),
            value: Cow::Owned(self::value(value)),
        });
        self
    }

    pub(in crate::report) fn empty<W: Write>(self, writer: &mut Writer<W>) -> io::Result<()> {
        self.new_line(writer)?;
        writer.write_event(Event::Empty(self.start))
    }

    pub(in crate::report) fn open<W: Write>(&self, writer: &mut Writer<W>) -> io::Result<()> {
        self.new_line(writer)?;
        writer.write_event(Event::Start(self.start.borrow()))
    }

    pub(in crate::report) fn close<W: Write>(&self, writer: &mut Writer<W>) -> io::Result<()> {
        self.new_line(writer)?;
        writer.write_event(Event::End(BytesEnd::new(self.name)))
    }

    /// The element around `content`, which begins and ends at the margin, so that it reads well in the file as well.
    pub(in crate::report) fn text<W: Write>(
        self,
        writer: &mut Writer<W>,
        content: &str,
    ) -> io::Result<()> {
        self.open(writer)?;
        writer.write_event(Event::Text(BytesText::from_escaped(format!(
            "\n{}",
            self::content(content)
        ))))?;
        writer.write_event(Event::End(BytesEnd::new(self.name)))
    }

    /// As [`text`](Self::text), with a content that comes in pieces, each made by [`content`].
    pub(in crate::report) fn around<W: Write>(
        &self,
        writer: &mut Writer<W>,
        copy: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        self.open(writer)?;
        writer.get_mut().write_all(b"\n")?;
        copy(writer.get_mut())?;
        writer.write_event(Event::End(BytesEnd::new(self.name)))
    }

    fn new_line<W: Write>(&self, writer: &mut Writer<W>) -> io::Result<()> {
        writer
            .get_mut()
            .write_all(format!("\n{:1$}", "", self.depth * 2).as_bytes())
    }
}
