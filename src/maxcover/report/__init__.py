"""Report: a summary as text, Markdown, JSON and HTML; and every sentence that is said about one."""
