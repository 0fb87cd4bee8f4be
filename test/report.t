#!/usr/bin/env python3
"""The report of the lab, of another and smaller world than the demo's: what is in the file, and how Chromium shows it in light and
dark, on a desk and on a phone. Runs in the cluster that PGHOST names."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

from lake import ROOT
from tap import done, has, ok, rows, same, skip, use_database

# run in the page: its width, what sticks out, the smallest letters, cut labels, colours
PROBE = """<script>addEventListener('load', () => {
  const root = document.documentElement, wide = [], cut = [], small = [];
  for (const e of document.querySelectorAll('body *'))
    if (!e.closest('svg') && !e.closest('.table') && e.getBoundingClientRect().right > root.clientWidth + 1) wide.push(e.tagName);
  for (const e of document.querySelectorAll('svg text')) {
    const t = e.getBoundingClientRect(), s = e.closest('svg').getBoundingClientRect();
    if (t.left < s.left - 2 || t.right > s.right + 2 || t.top < s.top - 2 || t.bottom > s.bottom + 2) cut.push(e.textContent);
    if (t.height < 8 && t.width < 8 * e.textContent.length) small.push(e.textContent);
  }
  parent.postMessage(JSON.stringify({client: root.clientWidth, scroll: root.scrollWidth, wide, cut, small,
    page: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
    label: getComputedStyle(document.querySelector('svg text')).fill}), '*');
});</script>"""
# a frame, for a window of Chromium is at least 500 pixels wide
FRAME = """<!doctype html><meta name="color-scheme" content="light dark"><body><pre id="probe"></pre>
<script>addEventListener('message', e => document.getElementById('probe').textContent = e.data)</script>
<iframe src="PAGE" width="WIDTH" height="1000" style="border: 0"></iframe>"""

tmp = tempfile.mkdtemp(prefix="agentrl-report-test.")


def path(name):
    return os.path.join(tmp, name)


def write_report(name):
    subprocess.run([python, "demo/report.py", path(name)], check=True, cwd=ROOT, env={**os.environ, "MPLCONFIGDIR": tmp})
    return open(path(name), encoding="utf-8").read()


def has_matplotlib(python):
    return subprocess.run([python, "-c", "import matplotlib"], capture_output=True, env={**os.environ, "MPLCONFIGDIR": tmp}).returncode == 0


def browse(page, scheme, width):
    """The page's DOM after loading, and what the console said."""
    with open(path("frame.html"), "w") as out:
        out.write(FRAME.replace("PAGE", page).replace("WIDTH", str(width)))
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={path('chromium')}", "--enable-logging=stderr", "--v=0",
               f"--blink-settings=preferredColorScheme={int(scheme == 'light')}", "--window-size=1400,1200", "--dump-dom", "file://" + path("frame.html")]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, said = run.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        out, said = run.communicate()
    return out, [line for line in said.splitlines() if "CONSOLE" in line]


def luminance(colour):
    channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_file(page):
    sections = [r[0] for r in rows("SELECT name FROM section ORDER BY place")]
    same(re.findall(r'<section id="(\w+)">', page), sections, "the report has the sections of the story")
    same((page.count("<svg "), page.count("<figcaption>")), (14, 14), "fourteen charts, each with its caption")
    same(page.count("<table "), int(rows("SELECT count(*) FROM shown")[0][0]), "and the tables")
    lines = [r[0] for r in rows("SELECT line FROM seen")]
    flat = page.replace("&lt;", "<").replace("&gt;", ">").replace("&#x27;", "'")
    same([line for line in lines if line[1:] not in flat], [], "and the sentences")
    same(re.findall(r'(?:src|href)\s*=\s*"(?!#|data:)[^"]*"|url\((?!#)[^)]*\)|@import', page), [], "it needs no network")
    same(re.findall(r"#0102[0-9a-f]{2}|\bnan\b|None", page), [], "colours are variables, no figure is missing")
    same(write_report("again.html"), page, "the same figures give the same bytes")
    has(page, "the band over all cells puts full behind base", "what was seen is told")
    has(page, "20 maps", "captions count the maps")


def test_browser(page):
    with open(path("probed.html"), "w", encoding="utf-8") as out:
        out.write(page.replace("</body>", PROBE + "</body>"))
    with open(path("broken.html"), "w") as out:
        out.write("<script>missing()</script>")
    ok(browse("broken.html", "light", 800)[1], "an error of the console would be seen")
    inks = {}
    for scheme in ("light", "dark"):
        for width in (1200, 400):
            dom, said = browse("probed.html", scheme, width)
            same(said, [], f"{scheme}, {width} px: the console is quiet")
            found = re.search(r'<pre id="probe">(\{.*?\})</pre>', dom, re.S)
            ok(found, "it loads", dom[-500:])
            got = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
            ok(got["scroll"] <= got["client"] <= width <= got["client"] + 20 and not got["wide"], "nothing sticks out to the right", got)
            same((got["cut"], got["small"]), ([], []), "no label is cut or too small")
            ok(contrast(got["page"], got["ink"]) > 7 and contrast(got["page"], got["label"]) > 4.5, "text stands out from the page", got)
            inks[scheme] = got["ink"]
    ok(luminance(inks["dark"]) > luminance(inks["light"]), "dark is dark", inks)


try:
    python = next((p for p in ("python3", "/usr/bin/python3") if has_matplotlib(p)), None)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not python:
        skip("THE REPORT WAS NOT TESTED: matplotlib is missing (python3-matplotlib)")
    else:
        use_database("agentrl_report_test")
        ended = subprocess.run(["demo/run"], cwd=ROOT, capture_output=True, text=True,
                               env={**os.environ, "REPORT": path("report.html"), "LAB_OPTIONS": "--maps 20 --world 2 --seed 3"})
        same((ended.returncode, ended.stderr), (0, ""), "the demo tells the story of another world, too")
        has(ended.stdout, "The same with charts: " + path("report.html"), "and says where the report is")
        page = open(path("report.html"), encoding="utf-8").read()
        test_file(page)
        if browser:
            test_browser(page)
        else:
            skip("THE REPORT WAS NOT OPENED: chromium is missing")
finally:
    shutil.rmtree(tmp, ignore_errors=True)
done()
