"""The report: one HTML file that a person can read, print, search and hand on.

Above audits and pictures, the last room: nothing is proved here.
"""

from everytree.show.report.page import write_report

__all__ = ["write_report"]
