"""The version, in its one place: the package, stored results and audit keys read it here."""

VERSION = "0.2.0"
