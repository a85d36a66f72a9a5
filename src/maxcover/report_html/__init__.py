"""The report: a summary as one self-contained HTML file, with no script and no network."""

from maxcover.report_html.render import POLICY, to_html

__all__ = ["POLICY", "to_html"]
