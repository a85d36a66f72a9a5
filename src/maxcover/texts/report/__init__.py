"""Report: a summary as text, Markdown, JSON and HTML, and the sentences about a summary."""
