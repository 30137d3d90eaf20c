"""A kind of bias is one thing: a new one is its own file, its place in the list, and a public name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.truth.breeder import ROOT, UNCOMPILED
from tests.truth.mutants import PACKAGE, copy_package

OWN_FILE = '''"""The kind `doubt`: rows may have a wrong label, or be fake."""

from everytree.bias.acts import FLIP, REMOVE
from everytree.bias.components.kind import Kind

KIND = Kind(
    name="doubt",
    acts=(FLIP, REMOVE),
    doubt="may be wrong or fake",
    fact="is wrong or fake",
    facts="are wrong or fake",
    whichever="whichever rows are the wrong or the fake ones",
)


def doubt(amount, where=None, to=None):
    """Allow up to `amount` rows among those `where` to have a wrong label or to be fake; see `flip`."""
    return KIND.model(amount, where, to)
'''

CHANGED = {
    "bias/components/__init__.py": [
        ("import fake, flip, miss", "import doubt, fake, flip, miss"),
        (
            "KINDS = (flip.KIND, miss.KIND, fake.KIND)",
            "KINDS = (flip.KIND, miss.KIND, fake.KIND, doubt.KIND)",
        ),
    ],
    "__init__.py": [
        (
            '    "fake": "everytree.bias',
            '    "doubt": "everytree.bias.components.doubt",\n    "fake": "everytree.bias',
        )
    ],
}
"""The two files that are changed; with the kind's own file that makes three."""


def test_three_files_add_a_kind(tmp_path: Path) -> None:
    package = copy_package(PACKAGE, tmp_path)
    (package / "bias/components/doubt.py").write_text(OWN_FILE, encoding="utf-8")
    for name, replacements in CHANGED.items():
        text = (package / name).read_text(encoding="utf-8")
        for old, new in replacements:
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        (package / name).write_text(text, encoding="utf-8")
    places = os.pathsep.join([str(tmp_path), str(ROOT)])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/bias/doubt_cases.py"],
        cwd=ROOT,
        env=os.environ | UNCOMPILED | {"PYTHONPATH": places, "EVERYTREE_COPY": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
