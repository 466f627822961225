// The page of --report html. sondePage.render(data) shows the data of format 1 (src/report/page.c) and may be called again with
// newer data: sections whose data did not change stay as they are, with what was opened or scrolled in them.
//
// Everything that comes from the program under test goes into the page by textContent or as an attribute of ours, never as
// markup: h() is the only way in which elements are made.
window.sondePage = (() => {
"use strict";
const state = {sel: null, x: "seconds", log: false, find: "", only: "", file: null, line: null, corpus: 12, sort: "owns"};
let data = {properties: [], run: {}}, source = null, baseline = null, oldSource = null, marks = null;
const cache = new Map();
const SVG = "http://www.w3.org/2000/svg";

// ---- Elements and texts
function fill(e, attrs, kids) {
  for (const k in attrs || {}) {
    const v = attrs[k];
    if (v == null || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k === "style") for (const s in v) e.style.setProperty(s, v[s]);
    else e.setAttribute(k, v === true ? "" : v);
  }
  for (const kid of kids.flat(9)) if (kid != null && kid !== false) e.append(kid.nodeType ? kid : String(kid));
  return e;
}
const h = (tag, attrs, ...kids) => fill(document.createElement(tag), attrs, kids);
const g = (tag, attrs, ...kids) => fill(document.createElementNS(SVG, tag), attrs, kids);
const arr = x => Array.isArray(x) ? x : [];
const val = x => typeof x === "number" ? x : x === "inf" ? Infinity : x === "-inf" ? -Infinity : Number(x) || 0;
const group = n => Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
function short(n) {
  n = val(n);
  const a = Math.abs(n);
  if (!isFinite(n)) return n > 0 ? "∞" : "−∞";
  if (a >= 1e15) return n.toExponential(1).replace("e+", "e");
  for (const [f, s] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (a >= f * .9995 && a >= 10000) return (n / f).toPrecision(3).replace(/\.?0+$/, "") + s;
  return Number.isInteger(n) ? group(n) : n.toPrecision(3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}
const secs = s => s < .001 ? "<1 ms" : s < .0995 ? Math.round(s * 1e3) + " ms" : s < 99.95 ? s.toFixed(1) + " s" : s < 6e3 ? Math.round(s / 60) + " min" : (s / 3600).toFixed(1) + " h";
const percent = x => !isFinite(x) ? "–" : (x > 0 && x < .001 ? "<0.1" : (100 * x).toFixed(x >= .9995 || x === 0 ? 0 : 1)) + " %";
const plural = (n, one, many) => group(n) + " " + (n === 1 ? one : many || one + "s");
const base = p => (p || "").replace(/^.*\//, "");
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

async function copy(text, button) {
  let ok = true;
  try { await navigator.clipboard.writeText(text); } catch (e) {
    const t = h("textarea", {style: {position: "fixed", opacity: "0"}});
    t.value = text;
    document.body.append(t);
    t.select();
    try { ok = document.execCommand("copy"); } catch (e2) { ok = false; }
    t.remove();
  }
  button.textContent = ok ? "Copied" : "Select it";
  setTimeout(() => { button.textContent = "Copy"; }, 1400);
}
const command = text => h("div", {class: "cmd"}, h("code", {}, text),
  h("button", {type: "button", onclick: e => copy(text, e.currentTarget), "aria-label": "Copy the command"}, "Copy"));

// ---- Verdicts
const VERDICTS = {
  passed: ["good", "Passed"], falsified: ["bad", "Falsified"], exhausted: ["good", "Proved"], gave_up: ["warn", "Gave up"],
  flaky: ["odd", "Flaky"], error: ["bad", "Error"], interrupted: ["warn", "Interrupted"], skipped: ["", "Not searched"], not_run: ["", "Not run"], running: ["cool", "Running"]
};
// --since: a property that the change does not affect is not searched, so it does not count as passed.
const verdict = p => p.running ? "running" : p.verdict === "passed" && p.stopped === "not_concerned" ? "skipped" : p.verdict;
const look = p => VERDICTS[verdict(p)] || ["", String(p.verdict)];
const STOPPED = {tests: "All requested cases were run", time: "The time limit ended the search", found: "The search ended some time after the first failure", exhausted: "No input was left to try",
  gave_up: "The search gave up", interrupted: "The run was interrupted", error: "An error ended the search", flat: "Nothing new was found for as long as --until-flat allows", not_concerned: "The change does not affect it", repeats: "The search found only inputs that it had tried before"};
function sentence(p) {
  const n = arr(p.failures).length, valid = plural(p.valid, "valid case");
  switch (verdict(p)) {
    case "running": return "Searching: " + valid + " so far" + (arr(p.found).length ? ", and " + plural(p.found.length, "failure") + " found." : ", no failure found.");
    case "falsified": return "An input breaks this property" + (n > 1 ? "; " + plural(n, "different failure") + " were found." : ". The smallest one found is below.");
    case "flaky": return "An input failed, but not every time it was run.";
    case "passed": return "No counterexample in " + valid + ".";
    case "skipped": return "Not searched, because the change does not affect it; " + plural(p.valid, "valid input") + " ran.";
    case "exhausted": return "Every possible input was tried" + (p.rerun ? ", and " + group(p.rerun) + " of them again" : "") + ": " + valid + ", and none fails.";
    case "not_run": return "The run was interrupted before this property began.";
    case "interrupted": return "The run was interrupted after " + valid + "; none failed.";
    default: return p.message || "";
  }
}

// ---- Sections. A section is made anew only if what it shows has changed.
function section(key, shows, build) {
  const text = JSON.stringify(shows) + (document.documentElement.dataset.theme || "") + key;
  const old = cache.get(key);
  if (old && old.text === text) return old.node;
  const node = build();
  cache.set(key, {text, node});
  return node;
}
const titled = (title, lead, ...kids) => h("section", {}, h("h2", {}, title), lead && h("p", {class: "lead"}, lead), kids);

function bar(parts, label) {
  const sum = parts.reduce((a, p) => a + p[0], 0) || 1;
  return h("div", {class: "bar", role: "img", "aria-label": label}, parts.map(([n, color]) => h("i", {style: {width: 100 * n / sum + "%", background: color}})));
}

// ---- The top and the overview
function top() {
  const root = document.documentElement;
  const flip = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    draw();
  };
  return h("header", {class: "top"},
    h("div", {class: "brand"}, g("svg", {viewBox: "0 0 20 20", fill: "none", stroke: "currentColor", "stroke-width": "1.8", "stroke-linecap": "round", style: {color: "var(--accent)"}},
      g("path", {d: "M10 1v7M10 19v-3"}), g("circle", {cx: 10, cy: 12, r: 4}), g("path", {d: "M3 8c-1.6 3.6-.6 8 2.4 10M17 8c1.6 3.6.6 8-2.4 10"})), "sonde"),
    h("div", {class: "prog"}, data.run.program ? base(data.run.program) : "", data.run.ended === false ? " · running" : ""),
    h("button", {type: "button", onclick: flip, title: "Light or dark", "aria-label": "Switch between light and dark"}, "◐"));
}
const ORDER = ["falsified", "error", "flaky", "gave_up", "running", "interrupted", "passed", "exhausted", "skipped", "not_run"];
function overview() {
  const all = data.properties, counts = {};
  for (const p of all) counts[verdict(p)] = (counts[verdict(p)] || 0) + 1;
  const list = all.map((p, i) => [p, i]).filter(([p]) => (!state.only || verdict(p) === state.only) && String(p.property).toLowerCase().includes(state.find.toLowerCase()))
    .sort((a, b) => ORDER.indexOf(verdict(a[0])) - ORDER.indexOf(verdict(b[0])) || a[1] - b[1]);
  const left = data.run.n - all.length;
  const choose = i => { state.sel = i; state.file = null; history.replaceState(null, "", "#" + encodeURIComponent(all[i].property)); draw(); const d = document.getElementById("detail"); if (d) d.scrollIntoView({behavior: "smooth"}); };
  const find = h("input", {type: "search", placeholder: "Find a property", "aria-label": "Find a property", oninput: e => { state.find = e.target.value; const at = e.target.selectionStart; draw(); const f = document.querySelector("input[type=search]"); f.focus(); f.setSelectionRange(at, at); }});
  find.value = state.find;
  return h("section", {}, h("h2", {}, plural(all.length, "property", "properties"), ORDER.filter(v => counts[v]).map(v =>
      h("button", {type: "button", class: "pill " + VERDICTS[v][0] + (state.only === v ? " on" : ""), onclick: () => { state.only = state.only === v ? "" : v; draw(); }}, group(counts[v]) + " " + VERDICTS[v][1].toLowerCase())),
      left > 0 && h("span", {class: "pill"}, plural(left, "more to come", "more to come"))),
    all.length > 8 && h("div", {class: "tools"}, find),
    h("div", {class: "scroll", style: {"max-height": "430px", "overflow-y": "auto"}}, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Property"), h("th", {}, "Verdict"), h("th", {class: "r"}, "Valid"),
      h("th", {class: "r hide"}, "Different"), h("th", {class: "r hide"}, "Edges"), h("th", {class: "r hide"}, "Time"))),
      h("tbody", {}, list.map(([p, i]) => h("tr", {class: "pick" + (i === state.sel ? " sel" : ""), tabindex: 0, onclick: () => choose(i), onkeydown: e => { if (e.key === "Enter") choose(i); }},
        h("td", {}, h("code", {}, p.property)), h("td", {}, h("span", {class: "pill " + look(p)[0]}, look(p)[1])), h("td", {class: "r"}, short(p.valid)),
        h("td", {class: "r hide"}, short(p.unique_valid)), h("td", {class: "r hide"}, p.edges ? short(p.valid_edges) : "–"), h("td", {class: "r hide"}, secs(p.seconds))))))));
}

// ---- The verdict
function hero(p) {
  const [tone, word] = look(p), old = before(p), tile = (value, text, extra) => h("div", {class: "tile"}, h("b", {title: typeof value === "number" ? group(value) : null}, typeof value === "number" ? value < 1e7 ? group(value) : short(value) : value), h("span", {}, text), extra);
  const change = (now, then) => old && then != null && now !== then ? " (" + (now > then ? "+" : "−") + short(Math.abs(now - then)) + ")" : "";
  const stored = p.stored || {}, fresh = arr(p.failures).filter(f => !f.known).length, known = arr(p.failures).length - fresh;
  const d = p.different || {}, r = p.reached;
  return h("section", {class: "hero " + tone, id: "verdict"},
    h("div", {class: "row"}, h("span", {class: "pill " + tone, "data-verdict": verdict(p)}, word), h("h1", {}, p.property)),
    h("p", {class: "say"}, sentence(p)),
    (fresh || known || stored.fixed || stored.stale || stored.unreplayed || stored.not_judged) ? h("div", {class: "tools"},
      fresh ? h("span", {class: "pill bad"}, group(fresh) + " new") : null, known ? h("span", {class: "pill warn"}, group(known) + " known from an earlier run") : null,
      stored.fixed ? h("span", {class: "pill good"}, group(stored.fixed) + " fixed since the last run") : null,
      stored.stale ? h("span", {class: "pill"}, group(stored.stale) + " stored, no longer give the values they name") : null,
      stored.unreplayed ? h("span", {class: "pill"}, group(stored.unreplayed) + " stored, not replayed: no time was left") : null,
      stored.not_judged ? h("span", {class: "pill", title: stored.not_judged_text}, group(stored.not_judged) + " stored, cannot be judged in this build") : null) : null,
    p.message && verdict(p) !== "gave_up" && verdict(p) !== "error" && !arr(p.failures).length ? h("div", {class: "alert"}, p.message) : null,
    p.regressions && p.regressions.not_judged ? h("div", {class: "alert"}, group(p.regressions.not_judged) + " regressions not judged: " + p.regressions.not_judged_text) : null,
    (p.warnings || []).map(w => h("div", {class: "alert"}, w.text)),
    h("div", {class: "tiles"},
      tile(p.tests, "cases"),
      tile(p.valid, "valid, " + percent(p.tests ? p.valid / p.tests : NaN), bar([[p.valid, "var(--c-valid)"], [Math.max(0, p.tests - p.valid), "transparent"]], "share of valid cases")),
      tile(val(d.payload), "different" + (p.unique_estimated ? ", about" : "") + change(val(d.payload), old && old.different && old.different.payload)),
      tile(val(d.shape), "shapes"),
      p.edges ? tile(p.valid_edges, "edges by valid inputs" + change(p.valid_edges, old && old.valid_edges), r && !r.called ? bar([[r.valid, "var(--c-vedges)"], [r.invalid, "var(--c-edges)"], [r.failing, "var(--odd)"], [r.never, "transparent"]], "share of the code that was reached") : null) : null,
      p.outlook && p.outlook.next_is_new >= 0 ? tile(percent(p.outlook.next_is_new), "chance that the next input is new") : null,
      tile(secs(p.seconds), p.cpu_s ? secs(p.cpu_s) + " of processor time" : "so far")),
    p.running ? null : h("p", {class: "small dim", style: {"margin-top": "10px"}}, (STOPPED[p.stopped] || p.stopped) + ". Guide ", h("code", {}, p.guide || "–"), ", seed ", h("code", {}, p.seed_text), "."));
}

// ---- Failures
function tree(lines, others) {
  const rootList = h("ul", {class: "tree mono"}), stack = [[-1, rootList]];
  lines.forEach((line, i) => {
    const depth = line.length - line.trimStart().length, text = line.trimStart();
    while (stack.length > 1 && stack[stack.length - 1][0] >= depth) stack.pop();
    const next = lines[i + 1], opens = next != null && next.length - next.trimStart().length > depth;
    const cut = text.indexOf(" = "), name = cut > 0 ? text.slice(0, cut) : text, rest = cut > 0 ? text.slice(cut + 3) : "";
    const free = rest.match(/^(.*?)(\s{2,}\(.*\)|\s+# .*)$/);
    const label = cut > 0 ? [h("span", {class: "k"}, name + " = "), h("span", {class: "v"}, free ? free[1] : rest), free ? h("span", {class: "free"}, free[2]) : null] : [h("span", {class: "v"}, text)];
    const gone = others && !others.has(line);
    if (opens) {
      const inner = h("ul", {class: "tree"});
      stack[stack.length - 1][1].append(h("li", {class: gone ? "gone" : null}, h("details", {open: true}, h("summary", {}, label), inner)));
      stack.push([depth, inner]);
    } else stack[stack.length - 1][1].append(h("li", {class: gone ? "gone" : null}, label));
  });
  return rootList;
}
// How threads took turns, from the lines of the report: a column for each thread, and what each did from top to bottom.
function lanes(text) {
  const lines = text.split("\n"), at = lines.findIndex(l => /^(thread \d+(\s{2,}|\s*$))+$/.test(l));
  if (at < 0) return h("pre", {class: "box"}, text);
  const heads = [...lines[at].matchAll(/thread \d+/g)], starts = heads.map(m => m.index), rows = lines.slice(at + 1).filter(l => l.trim());
  const column = l => { const first = l.length - l.trimStart().length; let k = 0; while (k + 1 < starts.length && starts[k + 1] <= first) k++; return k; };
  const before = lines.slice(0, at).join("\n").trim(), tints = ["--c-valid", "--c-different", "--c-shapes", "--c-traces", "--c-skeletons"];
  let last = -1;
  return [before ? h("pre", {class: "box"}, before) : null, h("div", {class: "scroll"}, h("table", {class: "turns mono"}, h("thead", {}, h("tr", {}, h("th", {}), heads.map(m => h("th", {}, m[0])))),
    h("tbody", {}, rows.map((l, n) => {
      const k = column(l), changes = k !== last;
      last = k;
      return h("tr", {class: changes && n ? "turn" : null}, h("td", {class: "r dim"}, n + 1), starts.map((s, j) => h("td", {}, j === k ? h("span", {style: {"border-left": "3px solid var(" + tints[j % tints.length] + ")", "padding-left": "8px", display: "block"}}, l.trim()) : null)));
    }))))];
}
function failure(p, f, i) {
  const s = arr(p.shown)[i] || {}, place = f.file ? f.file + ":" + f.line : "", old = before(p);
  const shrunk = s.original, was = old && arr(old.failures).some(x => x.id === f.id);
  const threads = f.schedule || s.threads > 0;
  return h("div", {class: "fail", id: "failure-" + i},
    h("div", {class: "tools"}, h("span", {class: "pill bad", title: "how the case failed"}, f.kind), f.flaky ? h("span", {class: "pill odd"}, "flaky") : null,
      h("span", {class: "pill " + (f.known ? "warn" : "bad"), title: f.known ? "an earlier run found this failure, too" : "no earlier run found this failure"}, f.known ? "known" : "new"),
      old ? h("span", {class: "pill"}, was ? "was in the baseline" : "not in the baseline") : null,
      place ? h("code", {class: "dim"}, place) : null),
    h("div", {class: "claim mono"}, f.got != null && f.condition ? f.condition + " does not hold" : f.message || f.condition || ""),
    f.condition && f.message !== f.condition && !String(f.message || "").includes(f.condition) ? h("p", {class: "small"}, h("code", {}, f.condition)) : null,
    f.got != null && f.want != null ? h("table", {class: "sides mono"}, h("tbody", {}, [["got", f.got], ["want", f.want]].map(([word, value]) => h("tr", {}, h("th", {}, word), h("td", {}, value))))) : null,
    s.detail ? h("pre", {class: "box"}, s.detail) : null,
    s.tree && s.tree.length ? h("div", {class: shrunk ? "two" : ""},
      h("div", {}, h("h3", {}, shrunk ? f.shrink_complete ? "Minimal counterexample" : "Shrunk counterexample" : "Counterexample"), h("div", {class: "box whole"}, tree(s.tree))),
      shrunk ? h("details", {class: "found", open: s.original.length <= 16 && matchMedia("(min-width: 700px)").matches}, h("summary", {}, "As it was found"), h("div", {class: "box whole"}, tree(s.original, new Set(s.tree)))) : null) : null,
    h("p", {class: "small dim"}, f.tests_to_failure ? "Found by case " + group(f.tests_to_failure) + "; " : "", plural(f.hits, "case") + " failed this way" +
      (f.shrink_calls ? (f.original_size > f.size ? "; shrunk from " + plural(f.original_size, "choice") + " to " + group(f.size) : "; simplified to " + plural(f.size, "choice")) + " in " + plural(f.shrink_calls, "call") + (f.shrink_complete ? ", and nothing smaller that was tried fails" : f.shrink_stopped ? " (cut short: it may shrink further)" : f.shrink_unsteady ? " (smaller inputs failed, but not each time)" : " (some steps gave up: --shrink-calls 100000 may try more)") : "") + "." +
      (f.earlier_cases ? " It fails only after " + plural(f.earlier_cases, "earlier case") + " in the same process." : "")),
    f.differed ? h("div", {class: "alert"}, "Differences between runs of this input: " + f.differed + ".", f.advice ? h("ul", {}, f.advice.trim().split("\n").map(x => h("li", {}, x))) : null) : null,
    f.notes ? [h("h3", {}, threads ? "How the threads took turns" : "Notes"), threads ? lanes(f.notes) : h("pre", {class: "box"}, f.notes)] : null,
    f.output ? [h("h3", {}, "What the code printed"), h("pre", {class: "box"}, f.output + (f.output_left_out ? "\n... " + plural(f.output_left_out, "byte") + " more" : ""))] : null,
    s.replay || f.token ? [h("h3", {}, s.replay ? "Run it again" : "Replay token"), command(s.replay || f.token)] : null,
    s.original_token ? h("details", {class: "small more"}, h("summary", {class: "dim"}, "Token of the input as it was found"), command(s.original_token)) : null);
}
function failures(p) {
  if (p.running) return arr(p.found).length ? titled("Found so far", "They are shrunk when the search ends.", h("table", {}, h("tbody", {}, p.found.map(f => h("tr", {}, h("td", {}, h("span", {class: "pill bad"}, f.kind)), h("td", {}, f.message), h("td", {class: "r"}, "case " + group(f.test))))))) : null;
  const list = arr(p.failures), old = before(p);
  const mended = old ? arr(old.failures).filter(f => !list.some(x => x.id === f.id)) : [];
  if (!list.length && !mended.length) return null;
  return titled(list.length > 1 ? plural(list.length, "failure") : list.length ? "Counterexample" : "Failures", null,
    list.slice(0, 64).map((f, i) => failure(p, f, i)),
    list.length > 64 ? h("p", {class: "dim"}, plural(list.length - 64, "more failure") + " not shown here; --report json has them.") : null,
    mended.length ? [h("h3", {}, "In the baseline, and not found by this run"), mended.map(f => h("p", {class: "small"}, h("span", {class: "pill good"}, "gone"), " ", f.message))] : null);
}

// ---- Over time
const LINES = {tests: ["cases", "--c-tests"], valid: ["valid", "--c-valid"], different: ["different", "--c-different"], shapes: ["shapes", "--c-shapes"],
  skeletons: ["skeletons", "--c-skeletons"], traces: ["paths of the code", "--c-traces"], edges: ["any input", "--c-edges"], valid_edges: ["valid inputs", "--c-vedges"]};
const XS = {seconds: "seconds", cpu_s: "processor seconds", tests: "cases"};
function columns(p, names) {
  const s = p.series, at = n => s.columns.indexOf(n);
  // The axis must not go back: moments of several jobs may share a place on it.
  const rows = s.rows.filter((r, i) => i === s.rows.length - 1 || r[at(state.x)] < s.rows[i + 1][at(state.x)]);
  return [rows.map(r => r[at(state.x)])].concat(names.map(n => rows.map(r => state.log && !r[at(n)] ? null : r[at(n)])));
}
function plot(p, title, names, extra) {
  const box = h("div", {class: "chart", "data-chart": names.join(" ")}, h("h3", {}, title));
  const width = () => Math.max(240, box.clientWidth || 300);
  const ink = css("--dim"), line = css("--line"), axis = {stroke: ink, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1}, font: "11px system-ui,sans-serif"};
  queueMicrotask(() => {
    const u = new uPlot({width: width(), height: 230, cursor: {y: false, drag: {x: true, y: false}}, legend: {live: true},
      scales: {x: {time: false, range: (u, a, b) => [Math.min(0, a), b > a ? b : a + 1]}, y: {distr: state.log ? 3 : 1, range: state.log ? undefined : (u, a, b) => [0, b > 0 ? b * 1.04 : 1]}},
      axes: [Object.assign({values: (u, v) => v.map(x => x == null ? "" : short(x)), size: 34}, axis), Object.assign({values: (u, v) => v.map(x => x == null ? "" : short(x)), size: 54}, axis)],
      series: [{label: XS[state.x], value: (u, v) => v == null ? "–" : short(v)}].concat(names.map(n => ({label: LINES[n][0], stroke: css(LINES[n][1]), width: 2, points: {show: false}, value: (u, v) => v == null ? "–" : short(v)})))},
      columns(p, names), box);
    box.sondePlot = u;
    // Where nobody points, the legend shows how it ended.
    const rest = () => u.setLegend({idxs: u.data.map(() => u.data[0].length - 1)});
    setTimeout(rest);
    u.over.addEventListener("mouseleave", () => setTimeout(rest));
    if (window.ResizeObserver) new ResizeObserver(() => { if (Math.abs(u.width - width()) > 1) u.setSize({width: width(), height: 230}); }).observe(box);
  });
  if (extra) box.append(extra);
  return box;
}
function series(p) {
  if (!p.series || p.series.rows.length < 2) return null;
  const last = p.series.rows[p.series.rows.length - 1], has = n => last[p.series.columns.indexOf(n)] > 0;
  const pick = (value, text) => h("button", {type: "button", class: state.x === value ? "on" : null, onclick: () => { state.x = value; draw(); }}, text);
  const counts = ["tests", "valid", "different", "skeletons", "shapes", "traces"].filter(n => n === "tests" || n === "valid" || n === "different" || has(n));
  const whole = titled("Over time", "Cases, valid cases, and how many different inputs, skeletons (shapes with their constructors) and shapes were among them. Drag to zoom, double-click to zoom out.",
    h("div", {class: "tools"}, h("span", {class: "seg"}, pick("seconds", "time"), pick("cpu_s", "CPU"), pick("tests", "cases")),
      h("button", {type: "button", class: state.log ? "on" : null, onclick: () => { state.log = !state.log; draw(); }}, "log scale")),
    h("div", {class: "charts"}, plot(p, "Cases and inputs", counts), has("edges") ? plot(p, "Edges of the code reached by", ["edges", "valid_edges"]) : null));
  // Of a short run the charts show little: they are there on request.
  if (p.seconds < 2 && !state.unfold) return titled("Over time", null, h("button", {type: "button", "data-unfold": "", onclick: () => { state.unfold = true; draw(); }}, "Show the charts of this run of " + secs(p.seconds)));
  return whole;
}
function guides(p) {
  const list = arr(p.shares).filter(s => s.cost > 0 || s.earned > 0);
  if (!list.length) return null;
  const colors = ["--c-valid", "--c-different", "--c-shapes", "--c-traces", "--c-skeletons", "--c-edges", "--c-vedges", "--c-tests"];
  const at = i => "var(" + colors[i % colors.length] + ")";
  return titled("Guides", "Cost: the share of the time that each part of the guide " + p.guide + " took. Earned: its share of the new inputs and new code. Parts that earn most get most of the time.",
    bar(list.map((s, i) => [s.cost, at(i)]), "cost of each part"),
    h("div", {class: "scroll"}, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Guide"), h("th", {class: "r"}, "Cost"), h("th", {class: "hide"}), h("th", {class: "r"}, "Earned"), h("th", {class: "hide"}))),
      h("tbody", {}, list.map((s, i) => h("tr", {}, h("td", {}, h("span", {class: "key", style: {margin: 0, display: "inline"}}, h("i", {style: {background: at(i)}})), s.name),
        h("td", {class: "r"}, percent(s.cost)), h("td", {class: "hide", style: {width: "32%"}}, h("div", {class: "meter"}, h("i", {style: {width: 100 * s.cost + "%", background: at(i)}}))),
        h("td", {class: "r"}, percent(s.earned)), h("td", {class: "hide", style: {width: "32%"}}, h("div", {class: "meter"}, h("i", {style: {width: 100 * s.earned + "%", background: at(i)}})))))))));
}

// ---- The fleet that the run is one of
function fleet(p) {
  const f = p.fleet;
  if (!f || !arr(f.workers).length) return null;
  const count = (n, word) => group(n) + " " + word + (n === 1 ? "" : "s");
  return titled("Fleet", count(f.n, "worker") + ", " + count(f.cases, "case") + ", " + group(Math.round(f.rate)) + " a second, " + count(f.tapes, "tape") + ", " + count(f.failures, "failure") + (f.ended ? "; " + count(f.ended, "worker") + " ended" : "") + ".",
    h("div", {class: "scroll"}, h("table", {}, h("thead", {}, h("tr", {}, ["Worker", "Last seen", "Cases", "Cases/s", "Edges", "Failures", "Sent", "Fetched"].map((t, i) => h("th", {class: i ? "r" : ""}, t)))), h("tbody", {},
      f.workers.map(w => h("tr", {}, h("td", {}, h("code", {}, w.worker)), h("td", {class: "r"}, secs(w.age) + " ago"), [w.cases, Math.round(w.rate), w.places, w.failures, w.sent, w.fetched].map(n => h("td", {class: "r"}, group(n)))))))),
    f.n > f.workers.length ? h("p", {class: "small dim"}, group(f.n - f.workers.length) + " more.") : null);
}

// ---- Discards, labels
function discards(p) {
  const list = arr(p.assumes).slice().sort((a, b) => b.rejected - a.rejected), lost = p.discarded + p.overruns;
  if (!lost) return null;
  return titled("Discarded cases", group(lost) + " of " + group(p.tests) + " cases (" + percent(lost / p.tests) + ") were discarded or too large. If one assume discards most of them, draw values that meet its condition instead.",
    h("div", {class: "scroll"}, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Assume"), h("th", {class: "hide"}, "Where"), h("th", {class: "r"}, "Discarded"), h("th", {class: "r"}, "Of all cases"), h("th", {class: "hide"}))), h("tbody", {},
      list.map(a => h("tr", {}, h("td", {}, h("code", {}, a.condition || "an assume")), h("td", {class: "hide"}, h("code", {class: "dim"}, (a.file || "") + (a.line ? ":" + a.line : ""))), h("td", {class: "r"}, group(a.rejected)), h("td", {class: "r"}, percent(a.rejected / p.tests)),
        h("td", {class: "hide", style: {width: "22%"}}, h("div", {class: "meter"}, h("i", {style: {width: 100 * a.rejected / p.tests + "%", background: "var(--c-edges)"}}))))),
      p.overruns ? h("tr", {}, h("td", {}, "Too large: more choices than a case may make"), h("td", {class: "hide"}), h("td", {class: "r"}, group(p.overruns)), h("td", {class: "r"}, percent(p.overruns / p.tests)), h("td", {class: "hide"})) : null))));
}
// Wilson's interval for a share, 95 %.
function interval(k, n) {
  if (!n) return [0, 1];
  const z = 1.96, q = k / n, d = 1 + z * z / n, c = (q + z * z / (2 * n)) / d, w = z * Math.sqrt(q * (1 - q) / n + z * z / (4 * n * n)) / d;
  return [Math.max(0, c - w), Math.min(1, c + w)];
}
function labels(p) {
  const list = arr(p.label_list), claims = list.filter(l => l.wanted > 0), valid = p.valid || 1;
  if (!list.length) return null;
  const row = l => {
    const q = l.wanted > 0 ? l.exact ? l.share / 100 : l.sampled ? l.met / l.sampled : 0 : l.count / valid;
    const [a, b] = l.wanted > 0 && !l.exact ? interval(l.met, l.sampled) : [q, q];
    const tone = {met: "good", missed: "bad", open: "warn"}[l.cover];
    return h("tr", {}, h("td", {}, l.name), h("td", {class: "r"}, group(l.count)), h("td", {class: "r"}, percent(l.count / valid)),
      h("td", {style: {width: "34%"}}, h("div", {class: "meter", title: l.wanted > 0 && !l.exact ? "between " + percent(a) + " and " + percent(b) + " (95 %), from " + group(l.sampled) + " independent cases" : percent(q)},
        h("i", {style: {width: 100 * Math.min(1, q) + "%"}}), b > a ? h("u", {style: {left: 100 * a + "%", width: 100 * (b - a) + "%"}}) : null, l.wanted > 0 ? h("s", {style: {left: l.wanted + "%"}}) : null)),
      claims.length ? h("td", {}, l.wanted > 0 ? [h("span", {class: "pill " + tone}, {met: "met", missed: "missed", open: "undecided"}[l.cover] || l.cover), h("span", {class: "small dim num"}, " ≥ " + short(l.wanted) + " %" + (l.exact ? ", exactly " + percent(q) : ", " + percent(a) + " to " + percent(b)))] : null) : null);
  };
  return titled("Labels" + (claims.length ? " and required shares" : ""), "How many of the valid cases have each label." + (claims.length ? " The share that sonde_cover requires (red mark) is judged only by independent cases; the dark line is the 95 % confidence interval of the share found." : ""),
    h("div", {class: "scroll"}, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Label"), h("th", {class: "r"}, "Cases"), h("th", {class: "r"}, "Of valid"), h("th", {}), claims.length ? h("th", {}, "Required") : null)), h("tbody", {}, list.slice(0, 200).map(row)))),
    list.length > 200 ? h("p", {class: "dim"}, plural(list.length - 200, "more label")) : null);
}
function targets(p) {
  const list = Object.entries(p.targets || {});
  if (!list.length) return null;
  return titled("Targets", "The highest value that an input reached.", h("table", {}, h("tbody", {}, list.map(([n, v]) => h("tr", {}, h("td", {}, n), h("td", {class: "r"}, short(v)))))));
}

// ---- Branches that valid cases never take
function blockers(p) {
  const list = arr(p.blockers), title = "Branches that valid cases reach and never take";
  if (p.blockers && !p.edges && p.valid) return titled(title, "Not known: the code under test is not instrumented. Compile it with sonde cc.");
  if (p.blockers_unknown) return titled(title, "Not known: the search kept no valid input to run again.");
  const more = p.blockers_not_examined ? plural(p.blockers_not_examined, list.length ? "more branch" : "branch", list.length ? "more branches" : "branches") + (p.blockers_not_examined === 1 ? " was" : " were") + " not examined." : "";
  if (!list.length) return more ? titled(title, more) : null;
  return titled(title, "sonde ran inputs of the search again with changed values, to determine why." + (more && " " + more),
    h("div", {class: "scroll"}, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Where"), h("th", {}, "Needs a value"), h("th", {}, "Nearest"), h("th", {class: "r"}, "Compared"), h("th", {}, "Why"))), h("tbody", {},
      list.map(b => h("tr", {}, h("td", {}, h("code", {}, base(b.file) + ":" + b.line), h("span", {class: "small dim"}, " " + b.function)), h("td", {}, h("code", {}, b.needs)), h("td", {}, h("code", {}, b.nearest)), h("td", {class: "r"}, group(b.compared)), h("td", {}, b.text)))))));
}

// ---- What was tried
function histogram(t) {
  const bins = arr(t.bins), most = Math.max(1, ...bins.map(b => b[2])), n = bins.length, W = 240, H = 74, w = W / Math.max(n, 1);
  const range = b => short(b[0]) + (val(b[0]) === val(b[1]) ? "" : " to " + short(b[1]));
  return h("div", {class: "hist"}, h("div", {class: "name"}, h("span", {}, t.kind === "choices" ? "choices of a case" : t.label === "#" && t.within ? t.within : (t.within ? t.within + " · " : "") + (t.label || "a draw")), h("span", {class: "dim"}, t.kind === "choices" ? "" : t.kind)),
    g("svg", {viewBox: "0 0 " + W + " " + H, preserveAspectRatio: "none", role: "img"}, bins.map((b, i) => {
      const full = b[2] ? Math.max(1.5, H * b[2] / most) : 0, good = H * b[3] / most, x = i * w, gap = w > 5 ? 1.2 : .3;
      return g("g", {}, g("title", {}, range(b) + ": " + plural(b[2], "time") + ", " + group(b[3]) + " in valid cases"), g("rect", {x, y: 0, width: w, height: H, fill: "transparent"}),
        g("rect", {x: x + gap / 2, y: H - full, width: Math.max(.5, w - gap), height: full, rx: 1, style: {fill: "var(--c-edges)"}}), g("rect", {x: x + gap / 2, y: H - Math.min(full, good), width: Math.max(.5, w - gap), height: Math.min(full, good), rx: 1, style: {fill: "var(--c-valid)"}}));
    })),
    t.kind === "bool" && n === 2 ? h("div", {class: "ax"}, ["false", "true"].map((word, i) => h("span", {}, word + " " + percent(bins[i][2] / t.n)))) :
    h("div", {class: "ax"}, h("span", {}, short(t.least)), h("span", {}, plural(t.n, "value")), h("span", {}, short(t.most))));
}
function tried(p) {
  const list = arr(p.tried).filter(t => t.n);
  if (!list.length) return null;
  return titled("What was tried", "Values of each draw, in a sample of the cases. Domains of up to 4,096 numbers have bars of equal width; other numbers have one bar for each power of four, on both sides of zero. Strings and bytes are shown by their length.",
    h("div", {class: "key"}, h("span", {}, h("i", {style: {background: "var(--c-valid)"}}), "in valid cases"), h("span", {}, h("i", {style: {background: "var(--c-edges)"}}), "in other cases")),
    h("div", {class: "grid"}, list.map(histogram)), p.tried_left_out ? h("p", {class: "dim small"}, "Draws at some locations are not shown.") : null);
}

// ---- The corpus
const WHY = {coverage: "code", target: "a target", state: "a state", depth: "depth", first: "first to reach code"};
function replayOf(p, token) {
  return p.program ? p.program + " --filter " + quote(p.property) + " --replay '" + token + "'" : token;
}
const quote = s => /^[\w\-.\/:@%+=,]+$/.test(s) ? s : "'" + String(s).replace(/'/g, "'\\''") + "'";
function corpus(p) {
  // What is kept and was the first somewhere is shown once, with the more that it owns.
  const by_token = new Map();
  for (const x of arr(p.inputs)) { const y = by_token.get(x.token); if (!y || y.owns < x.owns) by_token.set(x.token, x); }
  const all = [...by_token.values()];
  if (!all.length) return null;
  const list = all.map((x, i) => [x, i]).sort((a, b) => state.sort === "owns" ? b[0].owns - a[0].owns || a[1] - b[1] : state.sort === "size" ? a[0].choices - b[0].choices || a[1] - b[1] : a[1] - b[1]);
  const by = (key, text, cls) => h("th", {class: cls}, h("button", {type: "button", class: state.sort === key ? "on" : null, onclick: () => { state.sort = key; draw(); }}, text));
  return titled("Corpus", plural(all.length, "input") + " that the next run begins with, or that were the first to reach some code. Each is kept for its features: edges that no earlier input reached, the best value of a target, a state." + (p.inputs_left_out ? " " + group(p.inputs_left_out) + " more are not shown." : ""),
    h("div", {class: "scroll"}, h("table", {}, h("thead", {}, h("tr", {}, by("owns", "Features", "r"), h("th", {class: "hide"}, "Kept for"), h("th", {class: "hide"}, ""), by("size", "Choices", "r hide"), h("th", {}, "Input"), h("th", {}))),
      h("tbody", {}, list.slice(0, state.corpus).map(([x]) => h("tr", {}, h("td", {class: "r"}, group(x.owns)), h("td", {class: "hide", style: {"white-space": "nowrap"}}, WHY[x.why] || x.why, x.test ? h("span", {class: "dim small"}, " · case " + group(x.test)) : null), h("td", {class: "hide"}, h("span", {class: "pill " + (x.valid ? "good" : "warn")}, x.valid ? "valid" : "not valid")),
        h("td", {class: "r hide"}, group(x.choices)), h("td", {}, h("code", {class: "clip"}, x.token)), h("td", {}, x.cut ? null : h("button", {type: "button", onclick: e => copy(replayOf(p, x.token), e.currentTarget)}, "Copy"))))))),
    list.length > state.corpus ? h("div", {class: "more"}, h("button", {type: "button", onclick: () => { state.corpus += 100; draw(); }}, "Show more")) : null);
}

// ---- Source
const bestOf = by => by & 1 ? "v" : by & 2 ? "i" : by & 4 ? "f" : "n";
const WORDS = {v: "reached by valid inputs", i: "only by invalid ones", n: "never reached", f: "only by failing ones"};
// Which line of an older file a line was: lines that are the same, in the same order. Greedy, by the next equal line.
function same(oldText, newText) {
  const where = new Map(), to = new Array(newText.length).fill(-1);
  oldText.forEach((t, i) => { const k = t.trim(); (where.get(k) || where.set(k, []).get(k)).push(i); });
  let last = -1;
  newText.forEach((t, i) => {
    const list = where.get(t.trim());
    const j = list && list.find(x => x > last && x - last < 400);
    if (j != null) { to[i] = j; last = j; }
  });
  return to;
}
function compare() {
  const result = new Map();
  if (!source || !oldSource) return result;
  for (const f of arr(source.files)) {
    const o = arr(oldSource.files).find(x => x.path === f.path);
    if (!o || !o.text || !f.text) continue;
    const was = new Map(o.lines.map(l => [l[0] - 1, l[1]])), to = same(o.text, f.text), m = new Map();
    for (const l of f.lines) {
      const j = to[l[0] - 1], then = j >= 0 ? was.get(j) : undefined;
      if (then === undefined) continue;
      if (l[1] & 1 && !(then & 1)) m.set(l[0], "won");
      if (!(l[1] & 1) && then & 1) m.set(l[0], "lost");
    }
    result.set(f.path, m);
  }
  return result;
}
function tally(f) {
  const n = {v: 0, i: 0, f: 0, n: 0};
  for (const l of f.lines) n[bestOf(l[1])]++;
  return n;
}
const tints = n => [[n.v, "var(--s-valid-b)"], [n.i, "var(--s-invalid-b)"], [n.f, "var(--s-failing-b)"], [n.n, "var(--s-never-b)"]];
function firstOf(f, line) {
  const l = f.lines.find(x => x[0] === line), p = l && data.properties[l[2]], x = p && arr(p.inputs)[l[3]];
  if (!l) return h("p", {class: "small dim"}, "Line " + line + " contains no code.");
  const m = marks.get(f.path), mark = m && m.get(line);
  return h("div", {}, h("p", {class: "small"}, h("b", {}, base(f.path) + ":" + line), " – " + WORDS[bestOf(l[1])] + (mark ? mark === "won" ? ", and not in the baseline" : ", but by valid inputs in the baseline" : "") + ".", x ? [" First by ", x.valid ? "a valid input" : "an input that is not valid", " of ", h("code", {}, p.property), x.test ? ", case " + group(x.test) : "", ":"] : l[1] ? " The input was not kept." : ""),
    x ? x.cut ? h("div", {class: "cmd"}, h("code", {}, x.token)) : command(replayOf(p, x.token)) : null);
}
function code(f) {
  const by = new Map(f.lines.map(l => [l[0], bestOf(l[1])])), m = marks.get(f.path) || new Map(), box = h("div", {class: "code", tabindex: 0, role: "region", "aria-label": "Source of " + base(f.path)}), about = h("div", {class: "first"}, h("p", {class: "small dim"}, "Click a line for the first input that reached it."));
  if (!f.text) return h("p", {class: "dim"}, "This file could not be read, so its source is not shown; its lines are counted.");
  for (let i = 0; i < f.text.length; i += 200) {
    const chunk = h("div", {class: f.text.length > 6000 ? "chunk lazy" : "chunk"});
    f.text.slice(i, i + 200).forEach((text, k) => {
      const n = i + k + 1;
      chunk.append(h("div", {class: "ln " + (by.get(n) || "") + (m.has(n) ? " " + m.get(n) : ""), "data-line": n}, h("b", {}, n), h("span", {}, text || " ")));
    });
    box.append(chunk);
  }
  box.addEventListener("click", e => {
    const ln = e.target.closest(".ln");
    if (!ln) return;
    for (const x of box.querySelectorAll(".at")) x.classList.remove("at");
    ln.classList.add("at");
    about.replaceChildren(firstOf(f, Number(ln.dataset.line)));
  });
  const jump = f.lines.find(l => m.get(l[0]) === "lost") || f.lines.find(l => bestOf(l[1]) === "v") || f.lines[0];
  queueMicrotask(() => setTimeout(() => { const at = jump && box.querySelector('[data-line="' + jump[0] + '"]'); if (at) box.scrollTop = at.offsetTop - box.offsetTop - 60; }));
  return h("div", {}, box, about);
}
function sources() {
  const reached = data.properties.some(p => p.reached);
  if (!source || !arr(source.files).length) {
    if (source && source.why) return titled("Source", source.why);
    if (!data.run.ended) return null;
    if (!reached) return titled("Source", null, h("p", {class: "lead"}, "No code was instrumented, so it is unknown which lines were reached. Compile the code under test with ", h("code", {}, "sonde cc"), " instead of cc, and this page shows its source in three colours."));
    return titled("Source", null, h("p", {class: "lead"}, "This page does not show yet which lines were reached: the sonde command was not found when the page was written. Add the lines with this command, on a machine that has the program and its sources:"), command("sonde html " + quote(decodeURIComponent(base(location.pathname)) || "FILE")));
  }
  const files = source.files, sum = {v: 0, i: 0, f: 0, n: 0};
  // Files of properties are shown and not counted, unless there are no others.
  const own = f => arr(f.text).some(t => /^\s*#\s*include\s*[<"]sonde\.hp?p?[>"]/.test(t)), tested = files.filter(f => !own(f)), counted = tested.length ? tested : files;
  for (const f of counted) { const n = tally(f); for (const k in n) sum[k] += n[k]; }
  const f = files.find(x => x.path === state.file) || files.slice().sort((a, b) => tally(b).v - tally(a).v)[0], all = sum.v + sum.i + sum.f + sum.n;
  let won = 0, lost = 0;
  for (const m of marks.values()) for (const x of m.values()) x === "won" ? won++ : lost++;
  return h("section", {id: "source"}, h("h2", {}, "Source", h("span", {class: "pill good"}, percent(sum.v / all) + " by valid inputs"), oldSource ? [h("span", {class: "pill good"}, "+" + group(won) + " lines gained"), h("span", {class: "pill bad"}, "−" + group(lost) + " lost")] : null),
    h("p", {class: "lead"}, "Lines of instrumented code, over all properties of this run" + (counted.length < files.length ? "; the files of the properties are not counted" : "") + ". " + (source.note || "")),
    h("div", {class: "key"}, [["v", "--s-valid-b"], ["i", "--s-invalid-b"], ["n", "--s-never-b"], ["f", "--s-failing-b"]].filter(([k]) => k !== "f" || sum.f).map(([k, c]) => h("span", {}, h("i", {style: {background: "var(" + c + ")"}}), WORDS[k] + ": " + group(sum[k])))),
    h("div", {class: "files"}, h("div", {class: "flist"}, files.map(x => { const n = tally(x), t = n.v + n.i + n.f + n.n; return h("button", {type: "button", class: x === f ? "on" : null, title: x.path, onclick: () => { state.file = x.path; draw(); }}, h("div", {class: "nm"}, h("span", {}, base(x.path)), h("span", {class: "dim num"}, percent((n.v + n.i + n.f) / t))), bar(tints(n), "lines reached")); })), code(f)),
    arr(source.missing).length ? h("p", {class: "small dim"}, "Without lines: " + source.missing.join("; ")) : null);
}

// ---- All of it
const before = p => baseline && arr(baseline.properties).find(x => x.property === p.property);
function footer() {
  return h("footer", {}, "Made by sonde " + data.sonde + (data.run.program ? " from " + data.run.program : "") + ". Everything on this page is in this one file. ", baseline ? "Compared with a page of sonde " + baseline.sonde + "." : "");
}
function draw() {
  const app = document.getElementById("app"), all = data.properties, kids = [top()];
  if (state.sel == null || state.sel >= all.length) { let best = 0; all.forEach((p, i) => { if (ORDER.indexOf(verdict(p)) < ORDER.indexOf(verdict(all[best]))) best = i; }); if (data.run.ended !== false || state.sel >= all.length) state.sel = best; }
  const i = data.run.ended === false && state.sel == null ? all.length - 1 : state.sel, p = all[i];
  if (all.length > 1) kids.push(section("overview", [state.sel, state.find, state.only, all.map(x => [x.property, verdict(x), x.valid, x.unique_valid, x.valid_edges, x.seconds])], overview));
  if (!p) kids.push(h("section", {class: "hero"}, h("h1", {}, data.run.ended === false ? "Waiting for the first property" : "No property was run")));
  else {
    const part = (key, f, shows) => kids.push(section(key + i, shows, () => f(p)));
    kids.push(h("div", {id: "detail"}));
    part("hero", hero, [p.property, verdict(p), p.tests, p.seconds, p.edges, arr(p.found).length, p.outlook]);
    part("fleet", fleet, [p.fleet]);
    part("failures", failures, [p.failures, p.shown, p.found]);
    part("series", series, [p.series, state.x, state.log, state.unfold]);
    part("tried", tried, [p.tried]);
    part("discards", discards, [p.assumes, p.discarded, p.overruns, p.tests]);
    part("labels", labels, [p.label_list, p.valid]);
    part("targets", targets, [p.targets]);
    part("blockers", blockers, [p.blockers]);
    part("guides", guides, [p.shares]);
  }
  kids.push(section("source", [!!source, state.file, all.length, data.run.ended], sources));
  if (p) kids.push(section("corpus" + i, [arr(p.inputs).length, p.running, state.corpus, state.sort], () => corpus(p)));
  kids.push(footer());
  const wanted = kids.filter(Boolean);
  wanted.forEach((k, n) => { if (app.childNodes[n] !== k) app.insertBefore(k, app.childNodes[n] || null); });
  while (app.childNodes.length > wanted.length) app.lastChild.remove();
  const worst = all.reduce((w, x) => ORDER.indexOf(verdict(x)) < ORDER.indexOf(w) ? verdict(x) : w, all.length ? "not_run" : "running");
  document.title = (all.length ? (VERDICTS[worst] || ["", worst])[1] + " · " : "") + (base(data.run.program) || (p && p.property) || "") + " · sonde";
}
function read(id) {
  const e = document.getElementById(id);
  try { return e ? JSON.parse(e.textContent) : null; } catch (x) { return null; }
}
function render(next) {
  if (!next || next.format !== 1 || !Array.isArray(next.properties)) {
    document.getElementById("app").replaceChildren(h("section", {class: "hero warn"}, h("h1", {}, "The data of this page cannot be read"), h("p", {class: "say"}, "They are damaged, or were written by another version of sonde.")));
    return;
  }
  data = next;
  data.run = data.run || {};
  draw();
}
function start() {
  document.head.append(h("style", {}, sondeStyle));
  source = read("sonde-source");
  baseline = read("sonde-baseline");
  oldSource = read("sonde-baseline-source");
  if (baseline && baseline.format !== 1) baseline = null;
  marks = compare();
  const first = read("sonde-data");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { cache.clear(); draw(); });
  document.getElementById("app").replaceChildren();
  // A link to one property: FILE#NAME.
  const follow = () => {
    let name = (location.hash || "").slice(1);
    try { name = decodeURIComponent(name); } catch (x) { return false; }
    const i = first ? arr(first.properties).findIndex(x => x.property === name) : -1;
    if (i >= 0) state.sel = i;
    return i >= 0;
  };
  follow();
  window.addEventListener("hashchange", () => { if (follow()) draw(); });
  render(first);
  document.documentElement.dataset.ready = "yes";
}
return {render, start, state};
})();
sondePage.start();
