"""A headless Chromium for tests of pages, and what they look at: the log, the requests, axe, the PDF.

Used by `tests/test_report_browser.py` and `benchmarks/report.py`.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,900",
)


def why_not() -> str | None:
    """Say what is missing for a browser, or None if everything is there."""
    for package in ("selenium", "axe_core_python"):
        if importlib.util.find_spec(package) is None:
            return f"{package} is not installed"
    if not shutil.which("chromium"):
        return "there is no chromium on this machine"
    if not shutil.which("chromedriver"):
        return "there is no chromedriver on this machine"
    return None


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start a browser with a profile of its own, and end it."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        options.add_argument(f"--user-data-dir={folder}/profile")
        options.add_experimental_option("prefs", {"download.default_directory": f"{folder}/files"})
        driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
        driver.set_script_timeout(180)  # a busy machine takes its time over the rules of accessibility
        try:
            yield driver
        finally:
            driver.quit()


def open_page(driver: Any, path: Path, fragment: str = "") -> None:
    """Open a report and wait until its explorer can be used."""
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get("about:blank")
    requests(driver)  # the browser's own first page asks for its parts
    driver.get(f"{path.as_uri()}{fragment}")
    wait = WebDriverWait(driver, 20, poll_frequency=0.05)
    wait.until(lambda d: d.execute_script("return document.documentElement.dataset.explorer") == "ready")


def requests(driver: Any) -> list[str]:
    """Addresses that were asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def emulate(driver: Any, *, scheme: str = "light", media: str = "") -> None:
    """Show the page as on a light or dark screen, or as on paper."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})


def violations(driver: Any) -> list[str]:
    """What axe finds wrong with the page, as far as it is serious or critical."""
    spec = importlib.util.find_spec("axe_core_python")
    assert spec is not None
    assert spec.origin is not None
    driver.execute_script((Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = driver.execute_async_script(
        "const [done] = arguments; axe.run(document).then((found) => done(found.violations))"
    )
    return [
        f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:200]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


def print_pdf(driver: Any) -> bytes:
    """Print the page as it is shown now."""
    options = {"printBackground": False, "preferCSSPageSize": True}
    return base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", options)["data"])


def pdf_pages(pdf: bytes) -> int:
    """Count the pages."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def pdf_text(pdf: bytes) -> str:
    """Read the text of a PDF of Chromium, whose fonts say what each glyph stands for; without blanks."""
    objects = {int(n): body for n, body in re.findall(rb"(?s)(?<!\d)(\d+) 0 obj\b(.*?)endobj", pdf)}
    pages = [body for body in objects.values() if re.search(rb"/Type\s*/Page\b(?!s)", body)]
    texts = [_shown(part, _fonts(objects, page)) for page in pages for part in _contents(objects, page)]
    return "".join(texts)


def _stream(body: bytes) -> bytes:
    data = re.search(rb"(?s)stream\r?\n(.*?)\r?\nendstream", body)
    if data is None:
        return b""
    return zlib.decompressobj().decompress(data[1]) if b"FlateDecode" in body else data[1]


def _contents(objects: dict[int, bytes], page: bytes) -> list[bytes]:
    found = re.search(rb"/Contents\s+(?:\[([^\]]*)\]|(\d+) 0 R)", page)
    assert found is not None
    numbers = re.findall(rb"(\d+) 0 R", found[1]) if found[1] else [found[2]]
    return [_stream(objects[int(n)]) for n in numbers]


def _fonts(objects: dict[int, bytes], page: bytes) -> dict[bytes, dict[int, str]]:
    listed = re.search(rb"(?s)/Font\s*<<(.*?)>>", page)
    fonts = {}
    for name, n in re.findall(rb"/(\w+)\s+(\d+) 0 R", listed[1]) if listed else []:
        unicode = re.search(rb"/ToUnicode\s+(\d+) 0 R", objects[int(n)])
        fonts[name] = _glyphs(_stream(objects[int(unicode[1])])) if unicode else {}
    return fonts


def _glyphs(table: bytes) -> dict[int, str]:
    glyphs = {}
    for block in re.findall(rb"(?s)beginbfchar(.*?)endbfchar", table):
        for code, text in re.findall(rb"<(\w+)>\s*<(\w+)>", block):
            glyphs[int(code, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for block in re.findall(rb"(?s)beginbfrange(.*?)endbfrange", table):
        for low, high, text in re.findall(rb"<(\w+)>\s*<(\w+)>\s*<(\w+)>", block):
            first = int(text, 16)
            for place, code in enumerate(range(int(low, 16), int(high, 16) + 1)):
                glyphs[code] = chr(first + place)
    return glyphs


def _shown(content: bytes, fonts: dict[bytes, dict[int, str]]) -> str:
    said, glyphs = [], {}
    for font, text in re.findall(rb"/(\w+) [\d.]+ Tf|<([0-9A-Fa-f]+)>", content):
        if font:
            glyphs = fonts.get(font, {})
        else:
            codes = [int(text[i : i + 4], 16) for i in range(0, len(text), 4)]
            said += [glyphs.get(code, "") for code in codes]
    return "".join(said).replace(" ", "")
