#!/usr/bin/env python3
"""Writes report.html: the story that demo/story/ left in the database that PGDATABASE names, with charts.

    demo/report.py FILE

One file, no network: charts are inline SVG whose colours are CSS variables, so that they follow the reader's light or dark scheme.
"""
import csv
import functools
import html
import io
import re
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

# ------------------------------------------------------------------------- figures


def table(query):
    """Header and rows of a query, as text; None for NULL."""
    out = subprocess.run(["psql", "-Xq", "--csv", "-P", "null=\\N", "-v", "ON_ERROR_STOP=1", "-c", query],
                         capture_output=True, text=True, check=True).stdout
    header, *rows = csv.reader(io.StringIO(out))
    return header, [[None if c == "\\N" else c for c in row] for row in rows]


def records(query):
    """Rows as dictionaries; what looks like a number is one."""
    header, rows = table(query)

    def value(cell):
        try:
            return float(cell)
        except (TypeError, ValueError):
            return cell

    return [dict(zip(header, map(value, row))) for row in rows]


@functools.lru_cache
def maps():
    return table("SELECT count(*) FROM lab_maps")[1][0][0]


# ------------------------------------------------------------------------- drawing

# colours that no chart would use, for the CSS variables that take their place
COLOURS = {name: f"#01020{i}" for i, name in enumerate(("ink", "soft", "line", "page", "base", "full", "budgetmix", "process"), 1)}
INK, SOFT, LINE, PAGE = (COLOURS[n] for n in ("ink", "soft", "line", "page"))
POLICIES = ("base", "full", "budgetmix", "process")
BUDGETS = (10, 15, 20, 25, 30, 50, 75, 100)
WIDTH = 5.2  # inches; narrow, so that its letters are read on a phone

matplotlib.rcParams.update({
    "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 10.5, "text.color": INK, "axes.labelcolor": SOFT,
    "axes.edgecolor": LINE, "axes.facecolor": "none", "figure.facecolor": "none", "savefig.facecolor": "none",
    "xtick.color": SOFT, "ytick.color": SOFT, "grid.color": LINE, "grid.linewidth": 0.7, "axes.spines.top": False,
    "axes.spines.right": False, "axes.spines.left": False, "ytick.major.size": 0, "xtick.major.size": 3, "lines.linewidth": 1.8,
})


def canvas(height, budget_axis=True):
    figure, axes = pyplot.subplots(figsize=(WIDTH, height))
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    if budget_axis:
        axes.set_xscale("log")
        axes.set_xticks(BUDGETS, [str(t) for t in BUDGETS])
        axes.minorticks_off()
        axes.set_xlabel("T, turns that a rollout may take")
    return figure, axes


def svg(figure, name, label):
    """The chart as inline SVG."""
    matplotlib.rcParams["svg.hashsalt"] = name
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", pad_inches=0.05, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    box = re.search(r'viewBox="([^"]*)"', text)[1]
    text = re.sub(r"<svg[^>]*>", f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{box}" role="img" '
                  f'aria-label="{html.escape(label)}">', text, count=1)
    for variable, colour in COLOURS.items():
        text = text.replace(colour, f"var(--{variable})")
    return re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", text)


def chart(name, figure, caption):
    caption = caption.replace("{maps}", maps())
    return f"<figure>{svg(figure, name, caption)}<figcaption>{html.escape(caption)}</figcaption></figure>"


def name_ends(axes, ends, gap):
    """Direct labels at the right end of lines, moved apart: (y, text, colour)."""
    last = None
    for y, text, colour in sorted(ends):
        place = y if last is None else max(y, last + gap)
        axes.annotate(text, (1.02, place), xycoords=("axes fraction", "data"), color=colour, va="center", fontweight="bold")
        last = place


def curve(axes, rows, value, low, high, colour, x="t", scale=100, exact="exact", shift=1.0):
    """A line with its intervals; a ring where the exact value is known."""
    xs = [r[x] * shift for r in rows]
    axes.plot(xs, [scale * r[value] for r in rows], color=colour)
    axes.vlines(xs, [scale * r[low] for r in rows], [scale * r[high] for r in rows], color=colour, linewidth=1.2)
    if exact:
        axes.plot(xs, [scale * r[exact] for r in rows], "o", markerfacecolor=PAGE, markeredgecolor=colour, markersize=5)


def zero_line(axes):
    axes.axhline(0, color=INK, linewidth=0.9)


# -------------------------------------------------------------------------- charts


def heat_map(cells, colour_of, strongest, text_of):
    """K by T: the stronger the colour the larger the value."""
    ks = sorted({c["k"] for c in cells})
    figure, axes = pyplot.subplots(figsize=(WIDTH, 2.3))
    for c in cells:
        x, y = BUDGETS.index(c["t"]), ks.index(c["k"])
        strength = min(1.0, abs(c["shown"]) / strongest)
        axes.add_patch(pyplot.Rectangle((x, y), 0.97, 0.95, facecolor=colour_of(c["shown"]), alpha=0.04 + 0.5 * strength, linewidth=0))
        axes.text(x + 0.485, y + 0.475, text_of(c), ha="center", va="center", fontsize=9.5)
    axes.set_xlim(0, len(BUDGETS))
    axes.set_ylim(0, len(ks))
    axes.set_xticks([i + 0.485 for i in range(len(BUDGETS))], [str(t) for t in BUDGETS])
    axes.set_yticks([i + 0.475 for i in range(len(ks))], [f"K = {k:.0f}" for k in ks])
    axes.set_xlabel("T, turns that a rollout may take")
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    return figure


def surface_charts():
    for policy in ("base", "full"):
        cells = [dict(c, shown=100 * c["pass"]) for c in records(f"SELECT * FROM figure_surface WHERE policy = '{policy}'")]
        yield chart(f"heat-{policy}", heat_map(cells, lambda v: COLOURS[policy], 100, lambda c: f"{c['shown']:.1f}"),
                    f"Pass@(K,T) of {policy}: percent of {{maps}} maps solved, 16 attempts per map and T")
    figure, axes = canvas(3.6)
    ends = []
    for i, policy in enumerate(POLICIES):
        rows = records(f"SELECT * FROM figure_surface WHERE policy = '{policy}' AND k = 8 ORDER BY t")
        if policy in ("base", "full"):
            axes.fill_between([r["t"] for r in rows], [100 * r["band_low"] for r in rows], [100 * r["band_high"] for r in rows],
                              color=COLOURS[policy], alpha=0.12, linewidth=0)
        curve(axes, rows, "pass", "ci_low", "ci_high", COLOURS[policy], shift=1 + 0.012 * (i - 1.5))
        ends.append((100 * rows[-1]["pass"], policy, COLOURS[policy]))
    best = records("SELECT t, pass FROM attainable WHERE k = 8 AND t >= 10 ORDER BY t")
    axes.plot([r["t"] for r in best], [100 * r["pass"] for r in best], color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    ends.append((100 * best[-1]["pass"], "best possible", SOFT))
    name_ends(axes, ends, 5.5)
    axes.set_ylim(0, 103)
    axes.set_ylabel("solved at K = 8, %")
    yield chart("curves", figure, "Budget curves at K = 8, percent of {maps} maps: estimate with 95 % intervals, bands over all 40 cells for base and full, "
                "exact values as rings; dashed: what the best possible policy attains")


def difference_charts():
    cells = [dict(c, shown=100 * c["diff"]) for c in records("SELECT * FROM figure_diff WHERE (treatment, reference) = ('full', 'base')")]
    yield chart("heat-difference", heat_map(cells, lambda v: COLOURS["full" if v >= 0 else "base"], 42,
                                            lambda c: f"{c['shown']:+.1f}" + ("*" if c["band_low"] > 0 or c["band_high"] < 0 else "")),
                "full less base in points, {maps} maps; * the band over all 40 cells excludes 0")
    figure = pair_chart("full", "base", "full")
    crossing = records("SELECT * FROM figure_crossover WHERE (treatment, reference, k) = ('full', 'base', 8)")[0]
    if crossing["t"]:
        figure.axes[0].annotate(f"ahead from T = {crossing['t']:.0f}", (crossing["t"], 0), (crossing["t"] * 1.12, -9), color=INK,
                                arrowprops={"arrowstyle": "-", "color": SOFT}, va="center")
    yield chart("difference", figure, "K = 8, paired over {maps} maps: 95 % intervals, band over the surface, exact values as rings")


def truncation_charts():
    figure, axes = canvas(3.2)
    zero_line(axes)
    ends = []
    styles = {"run with T, told": ("full", "run with T"), "100 turns, told, cut at T": ("process", "cut at T,\ntold"),
              "100 turns, not told, cut at T": ("budgetmix", "cut at T,\nnot told")}
    for i, (reading, (colour, label)) in enumerate(styles.items()):
        rows = records(f"SELECT * FROM figure_reading WHERE k = 8 AND reading = '{reading}' AND t <= 30 ORDER BY t")
        curve(axes, rows, "diff", "ci_low", "ci_high", COLOURS[colour], shift=1 + 0.01 * (i - 1))
        ends.append((100 * rows[-1]["diff"], label, COLOURS[colour]))
    axes.set_xticks(BUDGETS[:5], [str(t) for t in BUDGETS[:5]])
    name_ends(axes, ends, 6.5)
    axes.set_ylabel("full less base, points")
    yield chart("readings", figure, "K = 8, T up to 30: the same question to rollouts that had T turns and to longer ones cut at T; "
                "{maps} maps, 95 % intervals, exact values as rings")


def dots(rows, height, xlabel, scale=100):
    """A line per row: label, and for each arm (value, low, high, exact, colour), None where there is none."""
    figure, axes = pyplot.subplots(figsize=(WIDTH, height))
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    for i, (label, arms) in enumerate(reversed(rows)):
        for j, (value, low, high, exact, colour) in enumerate(arms):
            y = i + 0.13 * (len(arms) - 1 - 2 * j)
            if low is not None:
                axes.hlines(y, scale * low, scale * high, color=colour, linewidth=1.6)
            if value is not None:
                axes.plot([scale * value], [y], "|", color=colour, markersize=9, markeredgewidth=2)
            if exact is not None:
                axes.plot([scale * exact], [y], "o", markerfacecolor=PAGE, markeredgecolor=colour, markersize=4.5)
    axes.set_yticks(range(len(rows)), [label for label, _ in reversed(rows)])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel(xlabel)
    return figure, axes


def states_charts():
    shown = records("SELECT * FROM states_shown WHERE kind = 'matched' ORDER BY depth NULLS FIRST, from_both DESC, states")
    figure, axes = dots([(f"{r['states']} ({r['units']:.0f})", [(r["diff"], r["ci_low"], r["ci_high"], r["exact"], COLOURS["full"])])
                         for r in shown], 3, "Q* of the next move, full less base, × 100")
    axes.axvline(0, color=INK, linewidth=0.9)
    yield chart("states", figure, "Matched states (how many): difference with 95 % intervals, exact values as rings")


def recovery_charts():
    rates = records("SELECT * FROM figure_recovery WHERE policy IN ('base', 'full') ORDER BY measure, within NULLS FIRST, policy")
    groups = {}
    for r in rates:
        label = {"success_after_error": "solved after error", "success_without_error": "solved, no error",
                 "recovered_within": "back within", "corrected_next": "corrected next"}[r["measure"]]
        groups.setdefault(label + (f" {r['within']:.0f}" if r["within"] else ""), []).append(
            (r["rate"], r["ci_low"], r["ci_high"], r["exact"], COLOURS[r["policy"]]))
    figure, axes = dots(list(groups.items()), 3.2, "%")
    axes.set_xlim(0, 100)
    for x, policy in ((0.02, "base"), (0.16, "full")):
        axes.text(x, 1.02, policy, transform=axes.transAxes, color=COLOURS[policy], fontweight="bold")
    yield chart("recovery", figure, "After an error, in 16 rollouts per map and policy of 100 turns, {maps} maps: 95 % intervals, exact values as rings")
    played = records("SELECT * FROM states_shown WHERE kind IN ('injected', 'continued') AND depth IS NULL ORDER BY kind DESC, from_both DESC, states")
    figure, axes = dots([(("next move Q*, " if r["kind"] == "injected" else "success, ") + r["states"],
                          [(r["diff"], r["ci_low"], r["ci_high"], r["exact"], COLOURS["full"])]) for r in played], 2.3, "full less base, × 100")
    axes.axvline(0, color=INK, linewidth=0.9)
    yield chart("injected", figure, "From identical states after one wrong move: 2 states per map and policy, {maps} maps, 16 samples of each policy per state; 95 % intervals, exact values as rings")


def likelihood_charts():
    matched = {r["policy"]: r for r in records("SELECT * FROM figure_matched")}
    ratio = {r["policy"]: r for r in records("SELECT * FROM figure_ratio")}
    rows = []
    for policy in POLICIES[1:]:
        rows.append((f"{policy}, all", [(ratio[policy]["ratio"], ratio[policy]["ci_low"], ratio[policy]["ci_high"], ratio[policy]["exact"], COLOURS[policy])]))
        rows.append((f"{policy}, like length", [(matched[policy]["diff"], matched[policy]["ci_low"], matched[policy]["ci_high"], None, COLOURS[policy])]))
    figure, axes = dots(rows, 2.4, "log(policy / base) of a rollout, nats", scale=1)
    axes.set_xlim(left=0)
    yield chart("likelihood", figure, "Log-likelihood ratio: of all rollouts of 100 turns, 16 per map, {maps} maps; and over base at like length; 95 % intervals, exact values as rings")


def dynamics_charts():
    rows = records("SELECT * FROM figure_dynamics WHERE policy = 'full' ORDER BY checkpoint")
    figure, axes = canvas(2.8, budget_axis=False)
    zero_line(axes)
    for name, colour in (("multi", "full"), ("single", "base")):
        axes.fill_between([r["checkpoint"] for r in rows], [100 * (r[f"d_{name}_low"] or 0) for r in rows],
                          [100 * (r[f"d_{name}_high"] or 0) for r in rows], color=COLOURS[colour], alpha=0.2, linewidth=0)
        axes.plot([r["checkpoint"] for r in rows], [100 * r[f"d_{name}"] for r in rows], color=COLOURS[colour])
    name_ends(axes, [(100 * rows[-1]["d_multi"], "R_multi", COLOURS["full"]), (100 * rows[-1]["d_single"], "R_single", COLOURS["base"])], 3)
    axes.set_xlabel("epoch")
    axes.set_ylabel("change since base, points")
    yield chart("dynamics", figure, "Training full: change of success with 100 turns, and of a plan written in one turn; exact on {maps} test maps, 95 % intervals for other maps")
    figure, axes = canvas(2.8, budget_axis=False)
    zero_line(axes)
    ends = []
    for policy in POLICIES[1:]:
        rows = [r for r in records(f"SELECT * FROM figure_dynamics WHERE policy = '{policy}' ORDER BY checkpoint") if r["band_low"] is not None]
        axes.fill_between([r["checkpoint"] for r in rows], [100 * r["band_low"] for r in rows], [100 * r["band_high"] for r in rows],
                          color=COLOURS[policy], alpha=0.16, linewidth=0)
        axes.plot([r["checkpoint"] for r in rows], [100 * r["gap"] for r in rows], color=COLOURS[policy])
        ends.append((100 * rows[-1]["gap"], policy, COLOURS[policy]))
    name_ends(axes, ends, 3)
    axes.set_xlabel("epoch")
    axes.set_ylabel("gap, points")
    yield chart("gap", figure, "Change of R_multi less that of R_single, {maps} test maps, with the simultaneous band")


def pair_chart(treatment, reference, colour, paper=()):
    rows = records(f"SELECT * FROM figure_diff WHERE (treatment, reference, k) = ('{treatment}', '{reference}', 8) ORDER BY t")
    figure, axes = canvas(3)
    zero_line(axes)
    axes.fill_between([r["t"] for r in rows], [100 * r["band_low"] for r in rows], [100 * r["band_high"] for r in rows],
                      color=COLOURS[colour], alpha=0.14, linewidth=0)
    curve(axes, rows, "diff", "ci_low", "ci_high", COLOURS[colour])
    if paper:
        axes.plot(*zip(*paper), "x", color=INK, markersize=7, markeredgewidth=1.8)
        axes.annotate("the paper", paper[-1], (paper[-1][0], paper[-1][1] + 4), color=INK, ha="center")
    axes.set_ylabel(f"{treatment} less {reference}, points")
    return figure


def signals_charts():
    yield chart("signals", pair_chart("process", "full", "process"), "K = 8, paired over {maps} maps: 95 % intervals, band over the surface, exact values as rings")


def budgetmix_charts():
    yield chart("budgetmix", pair_chart("budgetmix", "full", "budgetmix", [(25, 7.5), (50, 5.3), (75, 4.0), (100, 0)]),
                "K = 8, paired over {maps} maps: 95 % intervals, band over the surface, exact values as rings; crosses: the gains that the paper reports")


CHARTS = {name[:-len("_charts")]: draw for name, draw in list(globals().items()) if name.endswith("_charts")}

# ---------------------------------------------------------------------------- page

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5a626b; --line: #dde1e6; --page: #ffffff; --panel: #f5f6f8;
  --base: #b4560a; --full: #1f57c3; --budgetmix: #0b7a57; --process: #8331b8; --miss: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #a2abb5; --line: #343a42; --page: #14171b; --panel: #1d2126;
  --base: #f0a154; --full: #7fa9ff; --budgetmix: #4ccb9f; --process: #cf94f5; --miss: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin: 3rem 0 .5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
p, ul { max-width: 46rem; } ul { padding-left: 1.2rem; } li { margin: .4rem 0; } .paper { color: var(--soft); } .here { border-left: 3px solid var(--full); padding-left: .8rem; }
nav { columns: 2 18rem; } nav a { display: block; color: var(--full); padding: .15rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1.5rem; margin: 1rem 0; }
figure { margin: 0; min-width: 0; } figcaption, .caption { color: var(--soft); font-size: .88rem; text-align: left; }
svg { width: 100%; max-width: 38rem; height: auto; display: block; font-family: system-ui, sans-serif; }
.tables { display: flex; flex-wrap: wrap; gap: 0 3rem; align-items: flex-start; }
.box { min-width: 0; max-width: 100%; margin: 1rem 0; }
.caption { contain: inline-size; margin: 0 0 .4rem; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th { text-align: right; color: var(--soft); font-weight: 600; }
th, td { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; text-align: right; }
td.text, th.text { text-align: left; } td.miss { color: var(--miss); font-weight: 700; }
"""
NUMBER = re.compile(r"[-+]?[0-9.]+( %| nats)?( !| to [-+]?[0-9.]+)?|-|")


def shown_table(name, caption):
    header, rows = table(f'TABLE "{name}"')
    rows = [[(c or "-").strip() for c in row] for row in rows]
    text = [not all(NUMBER.fullmatch(re.sub(" +", " ", row[i])) for row in rows) for i in range(len(header))]
    out = [f'<div class="box"><p class="caption" id="{name}">{html.escape(caption)}</p>'
           f'<div class="table" tabindex="0"><table aria-labelledby="{name}"><thead><tr>']
    out += [f'<th{" class=text" if t else ""}>{html.escape(h.strip())}</th>' for h, t in zip(header, text)]
    out.append("</tr></thead><tbody>")
    for row in rows:
        cells = ("".join(f'<td class="{"text" if t else ""}{" miss" if c.endswith("!") else ""}">{html.escape(c)}</td>' for c, t in zip(row, text)))
        out.append(f"<tr>{cells}</tr>".replace(' class=""', ""))
    out.append("</tbody></table></div></div>")
    return "".join(out)


def section(name, place, title, paper, views, lines):
    out = [f'<section id="{name}"><h2>{place}. {html.escape(title)}</h2>']
    if paper:
        out.append(f'<p class="paper"><b>The paper:</b> {html.escape(paper)}</p>')
    out += [f'<p class="here">{html.escape(line[:1].upper() + line[1:])}</p>' for line in lines]
    charts = list(CHARTS.get(name, lambda: ())())
    if charts:
        out.append(f'<div class="charts">{"".join(charts)}</div>')
    out.append('<div class="tables">')
    out += [shown_table(view, caption) for view, caption in views]
    return "\n".join(out) + "</div></section>"


def page():
    sections = table("SELECT name, place, title, paper FROM section ORDER BY place")[1]
    views = table("SELECT section, name, caption FROM shown ORDER BY place")[1]
    lines = table("SELECT section, line FROM seen ORDER BY place")[1]
    body = [section(name, place, title, paper, [v[1:] for v in views if v[0] == name], [l[1] for l in lines if l[0] == name])
            for name, place, title, paper in sections]
    short = [[l[1] for l in lines if l[0] == name][at] for name, at in (("difference", -1), ("truncation", 0), ("budgetmix", 0), ("claims", -1))]
    contents = "".join(f'<a href="#{name}">{place}. {html.escape(title)}</a>' for name, place, title, _ in sections)
    title = "What multi-turn training bought, by turn budget"
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<link rel="icon" href="data:,"><title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>'
            f'<p>The argument of <i>What Does Multi-Turn Reinforcement Learning Really Improve in LLM Agents?</i> (arXiv 2611.06483), '
            f"retold by the PostgreSQL extension agentrl on a FrozenLake small enough to know the truth. What the paper found stands beside what came out here.</p>"
            f"<ul>{''.join(f'<li>{html.escape(line[:1].upper() + line[1:])}</li>' for line in short)}</ul>"
            f"<nav>{contents}</nav>\n{chr(10).join(body)}\n</body></html>\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: demo/report.py FILE")
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(page())
