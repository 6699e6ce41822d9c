//! How failures are printed.

use miette::{GraphicalReportHandler, SourceCode};
use serde_json::json;

use super::failure::Failure;
use super::output::{remark_as_is, say_json};

/// Whether errors are asked for as JSON. The words say so before they are understood, so errors of options are JSON too.
pub fn asks_for_json() -> bool {
    std::env::args_os().take_while(|word| word != "--").any(|word| word == "--json")
}

impl Failure {
    /// Prints the failure as a JSON object on standard output: code, message, exit code and, if it has a place, file, line and
    /// column.
    pub fn print_json(&self) {
        let mut error = json!({ "code": self.code, "message": self.message, "exit": self.exit });
        if let Some((source, span)) = self.place.as_deref()
            && let Ok(contents) = source.read_span(span, 0, 0)
        {
            error["file"] = json!(source.name());
            error["line"] = json!(contents.line() + 1);
            error["column"] = json!(contents.column() + 1);
        }
        // What cannot be printed has no reader.
        let _ = say_json(&json!({ "error": error }));
    }

    /// Prints the failure on standard error, with a caret under its place if it has one.
    pub fn print(&self) {
        let mut text = String::new();
        if GraphicalReportHandler::new().render_report(&mut text, self).is_err() {
            text.clone_from(&self.message);
        }
        remark_as_is(text.trim_end());
    }
}
