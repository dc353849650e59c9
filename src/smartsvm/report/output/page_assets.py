"""Styles and script of the report's web page, which loads nothing from elsewhere."""

STYLE = """
.smartsvm{--ink:#1a1a1a;--dim:#555;--paper:#fff;--line:#ccc;--soft:#f1f3f5;--mark:#08519c;
 font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60em;
 padding:1.2em 1.5em;border:1px solid var(--line);border-radius:6px;overflow-wrap:break-word}
:root .smartsvm{--good:#1a7f37;--bad:#b42318;--unsure:#8a5a00}
@media screen and (prefers-color-scheme:dark){.smartsvm{--ink:#e8e8e8;--dim:#b0b0b0;
 --paper:#16191d;--line:#3d444b;--soft:#23282e;--mark:#8ec5ff}
 :root .smartsvm{--good:#56d364;--bad:#ff8f85;--unsure:#e3b341}}
.smartsvm h2{font-size:1.35em;margin:0 0 .1em}
.smartsvm h3{display:inline;font-size:1.05em;margin:0}
.smartsvm details{margin:1.1em 0}
.smartsvm summary{cursor:pointer;border-bottom:1px solid var(--line);margin-bottom:.4em}
.smartsvm p{margin:.3em 0;max-width:46em}
.smartsvm .lead{font-size:1.15em;font-weight:inherit;margin:.7em 0}
.smartsvm .small{color:var(--dim);font-size:.9em;max-width:none}
.smartsvm .wide{overflow-x:auto}
.smartsvm table{border-collapse:collapse;margin:.3em 0}
.smartsvm td,.smartsvm th{padding:.15em .9em .15em 0;text-align:left;border:0;background:none;
 vertical-align:baseline;color:var(--ink)}
.smartsvm th{font-weight:600;color:var(--dim);font-size:.9em}
.smartsvm .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.smartsvm .fixed{white-space:nowrap}
.smartsvm th[class]{white-space:normal}
.smartsvm .name{overflow-wrap:anywhere;min-width:5.5em}
.smartsvm .verdict{--tone:var(--unsure);border:1px solid var(--tone);border-left-width:.5em;
 border-radius:6px;padding:.6em .9em;margin:.9em 0;background:var(--soft)}
.smartsvm .verdict b{color:var(--tone);font-size:1.1em;display:block}
.smartsvm .good{--tone:var(--good)}.smartsvm .bad{--tone:var(--bad)}
.smartsvm ul{margin:.3em 0;padding-left:1.3em;max-width:46em}
.smartsvm li{margin:.25em 0}
.smartsvm .flag{border-left:4px solid var(--mark);padding:.1em .8em;margin:.5em 0;
 background:var(--soft)}
.smartsvm .columns{display:flex;flex-wrap:wrap;gap:0 3.5em}
.smartsvm .columns>*{min-width:0}
.smartsvm a{color:var(--mark)}
.smartsvm pre{background:var(--soft);color:var(--ink);padding:.5em .8em;overflow-x:auto;
 border-radius:4px;font-size:.9em;margin:.4em 0}
@media (max-width:40em){.smartsvm{padding:.6em}.smartsvm .columns{gap:0}
 .smartsvm td,.smartsvm th{padding-right:.4em}
 .smartsvm .stacked tr:not([hidden]){display:flex;flex-wrap:wrap;padding:.2em 0}
 .smartsvm .stacked .name{flex-basis:100%}
 .smartsvm .stacked .number{text-align:left;min-width:4.5em}
 .smartsvm .stacked .fixed{min-width:4.5em}.smartsvm .stacked .number+.fixed{min-width:9.5em}
 .smartsvm .titled th[scope][class],.smartsvm .titled td[data-title][class]{
  flex:0 1 auto;min-width:0;margin-right:.6em}
 .smartsvm .titled td::before{content:attr(data-title) ": ";color:var(--dim)}}
"""

# Only on a page of its own: a notebook has neither the space nor the scripts.
PAGE_STYLE = """
:root{color-scheme:light dark}
body{margin:1em auto;max-width:64em;padding:0 .5em;background:#fff}
.smartsvm th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;
 text-align:inherit}
.smartsvm th button::after{content:"\\a0 ↕";opacity:.45}
.smartsvm th[aria-sort=ascending] button::after{content:"\\a0 ↑";opacity:1}
.smartsvm th[aria-sort=descending] button::after{content:"\\a0 ↓";opacity:1}
.smartsvm .tools{display:flex;gap:.8em;flex-wrap:wrap;align-items:center;margin:.3em 0}
.smartsvm .tools input,.smartsvm .tools button{font:inherit;padding:.15em .5em;color:var(--ink);
 background:var(--soft);border:1px solid var(--line);border-radius:4px;max-width:100%}
.smartsvm .copy{float:right;font:inherit;font-size:.85em;padding:.15em .6em;color:var(--ink);
 background:var(--soft);border:1px solid var(--line);border-radius:4px;cursor:pointer}
.smartsvm figure{margin:1em 0;background:#fff;border-radius:4px;display:flex;flex-wrap:wrap;gap:1em}
.smartsvm figure svg{flex:1 1 22em;min-width:0;max-width:min(100%,29em);height:auto}
@media screen and (prefers-color-scheme:dark){body{background:#0e1013}
 .smartsvm figure{background:none}.smartsvm figure svg{filter:invert(.91) hue-rotate(180deg)}}
@media (max-width:40em){.smartsvm{border:0}}
@media print{body{margin:0;max-width:none}
 .smartsvm{border:0;padding:0;max-width:none;font-size:12px}
 .smartsvm .tools>:not(span),.smartsvm a[download],.smartsvm .copy{display:none}
 .smartsvm figure svg{flex-basis:40%}
 .smartsvm th button::after{content:none}.smartsvm summary{break-after:avoid}
 .smartsvm tr,.smartsvm figure,.smartsvm .verdict,.smartsvm .flag{break-inside:avoid}
 .smartsvm .verdict{print-color-adjust:exact}}
"""

# Sorts by data-value where a cell has one, and by its text in natural order elsewhere. Shows the
# first rows until the reader opens the table or searches it.
SCRIPT = """
(() => {
  const asText = document.getElementById("as-text"), copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.textContent = "Copy as text";
  copy.onclick = () => {
    // Pages opened from a disk may have no clipboard but that of a selection.
    const area = document.createElement("textarea");
    area.value = asText.content.textContent;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    copy.textContent = "Copied";
  };
  document.querySelector(".smartsvm").prepend(copy);
  const compare = new Intl.Collator(undefined, {numeric: true}).compare;
  const value = (row, place) => {
    const cell = row.cells[place];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  for (const table of document.querySelectorAll(".smartsvm table[data-first]")) {
    const body = table.tBodies[0], rows = [...body.rows], first = Number(table.dataset.first);
    const total = Number(table.dataset.total), number = n => n.toLocaleString("en");
    let all = rows.length <= first, query = "";
    const search = document.createElement("input"), more = document.createElement("button");
    const count = document.createElement("span");
    const show = () => {
      let shown = 0;
      for (const row of body.rows) {
        const fits = row.textContent.toLowerCase().includes(query);
        row.hidden = !fits || (!all && !query && shown >= first);
        shown += !row.hidden;
      }
      const range = `1–${number(shown)} of ${number(total)}`;
      count.textContent = query ? `${number(shown)} found` : range;
      more.textContent = all ? `First ${first} only`
        : rows.length < total ? `First ${number(rows.length)}` : `All ${number(total)}`;
    };
    if (!all) {
      const tools = document.createElement("div");
      tools.className = "tools";
      search.type = "search";
      search.placeholder = "Search";
      search.setAttribute("aria-label", "Search this table");
      search.oninput = () => { query = search.value.trim().toLowerCase(); show(); };
      more.type = "button";
      more.onclick = () => { all = !all; show(); };
      tools.append(search, count, more);
      table.parentElement.before(tools);
    }
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      if (!head.textContent) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.onclick = () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        rows.sort((one, two) => {
          const a = value(one, place), b = value(two, place);
          const order = typeof a === "number" && typeof b === "number"
            ? a - b : compare(String(a), String(b));
          return up ? order : -order;
        });
        body.append(...rows);
        show();
      };
    });
    show();
  }
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll(".smartsvm details")) part.open = true;
  });
})();
"""
