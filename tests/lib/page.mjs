// Runs the script of pages in a document of a few lines, without a browser: node page.mjs FILE...
//
// Checks that each page draws itself without an exception, for every property and in both scales; that all text of the data which a section
// shows came into the document as text; that series are those of the data; that nothing but the known elements was made.
// tests/cli/browser.sh does the same and more in Chromium.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import vm from "node:vm";

const KNOWN = new Set("header div section button span h1 h2 h3 p b i u s a code pre ul li details summary table thead tbody tr th td input textarea style svg path circle g title rect footer main script".split(" "));

class Element {
  constructor(tag) { Object.assign(this, {tag, childNodes: [], attributes: {}, listeners: {}, dataset: {}, nodeType: 1, clientWidth: 600, parent: null}); this.style = {setProperty() {}}; this.classList = {add() {}, remove() {}}; if (!KNOWN.has(tag)) throw new Error("an element that nobody knows: " + tag); }
  setAttribute(k, v) { if (/^on|^(href|src|srcdoc|action|formaction)$/i.test(k)) throw new Error("attribute " + k); this.attributes[k] = String(v); if (k === "id") this.id = String(v); if (k.startsWith("data-")) this.dataset[k.slice(5)] = String(v); }
  addEventListener(k, f) { this.listeners[k] = f; }
  append(...kids) { for (const k of kids) this.childNodes.push(k.nodeType ? Object.assign(k, {parent: this}) : {nodeType: 3, text: k, parent: this}); }
  insertBefore(k, at) { const old = this.childNodes.indexOf(k); if (old >= 0) this.childNodes.splice(old, 1); const i = at ? this.childNodes.indexOf(at) : -1; this.childNodes.splice(i < 0 ? this.childNodes.length : i, 0, k); k.parent = this; }
  replaceChildren(...kids) { this.childNodes = []; this.append(...kids); }
  remove() { const list = this.parent && this.parent.childNodes; if (list) list.splice(list.indexOf(this), 1); }
  get lastChild() { return this.childNodes[this.childNodes.length - 1]; }
  get textContent() { return this.childNodes.map(k => k.nodeType === 3 ? k.text : k.textContent).join(""); }
  set textContent(t) { this.childNodes = [{nodeType: 3, text: String(t), parent: this}]; }
  set innerHTML(t) { throw new Error("innerHTML"); }
  insertAdjacentHTML() { throw new Error("insertAdjacentHTML"); }
  all() { return this.childNodes.flatMap(k => k.nodeType === 1 ? [k, ...k.all()] : []); }
  scrollIntoView() {}
  querySelector() { return null; }
  querySelectorAll() { return []; }
}

function blocks(html) {
  const found = {};
  for (const m of html.matchAll(/<script type="[^"]*" id="([a-z-]+)">([^]*?)<\/script>/g)) found[m[1]] = m[2];
  return found;
}

function open(html) {
  const text = blocks(html), ids = {app: new Element("main")};
  for (const id in text) { ids[id] = new Element("script"); ids[id].textContent = text[id]; }
  const document = {createElement: t => new Element(t), createElementNS: (ns, t) => new Element(t), getElementById: id => ids[id] || null, querySelector: () => null,
    documentElement: new Element("main"), head: new Element("main"), body: new Element("main"), title: "", addEventListener() {}};
  const plots = [];
  const window = {document, devicePixelRatio: 1, addEventListener() {}, navigator: {language: "en"}, location: {pathname: "/x.html"}, getComputedStyle: () => ({getPropertyValue: () => "#000"}), matchMedia: () => ({matches: false, addEventListener() {}}), JSON, Math, queueMicrotask: f => plots.push(f), setTimeout: () => {}, console, Intl};
  window.window = window;
  const context = vm.createContext(window);
  const drawn = [];
  context.uPlot = function (options, data, box) { drawn.push({options, data, box}); this.over = {addEventListener() {}}; this.data = data; this.setLegend = () => {}; };
  // uPlot stands before the page's own script, and wants a canvas.
  const script = gunzipSync(Buffer.from(text["sonde-page"].trim(), "base64")).toString("utf8");
  vm.runInContext(script.slice(script.indexOf("const sondeStyle")), context);
  return {text, document, app: ids.app, page: context.sondePage, plots, drawn, data: JSON.parse(text["sonde-data"])};
}

function check(file) {
  const html = readFileSync(file, "utf8"), must = (ok, why) => { if (!ok) throw new Error(why); };
  must(!/<script[^>]*src=|<link|<img|<iframe|@import|url\(/i.test(html.replace(/<script type="text\/plain" id="sonde-page">[^]*?<\/script>/, "")), "something is fetched");
  const p = open(html);
  for (const id of ["sonde-data", "sonde-source", "sonde-baseline", "sonde-baseline-source"]) must(!/[<>]/.test(p.text[id]), id + " holds < or >");
  must(p.document.documentElement.dataset.ready === "yes", "it did not get ready");
  const run = () => { for (const f of p.plots.splice(0)) f(); };
  run();
  p.data.properties.forEach((one, i) => {
    p.page.state.sel = i;
    p.page.state.unfold = true;
    for (const log of [true, false]) { p.page.state.log = log; p.drawn.length = 0; p.page.render(p.data); run(); }
    const shown = p.app.textContent, has = t => must(t == null || shown.includes(String(t)), "the page lacks: " + JSON.stringify(t).slice(0, 200));
    has(one.property);
    if (one.verdict === "passed" && one.stopped === "not_concerned") { has("Not searched, because the change does not affect it"); must(p.app.all().find(e => e.dataset.verdict).textContent === "Not searched", "what was not searched counts as passed"); }
    if (one.blockers && !one.edges && one.valid) has("Not known: the code under test is not instrumented. Compile it with sonde cc.");
    else if (one.blockers_unknown) has("Not known: the search kept no valid input to run again.");
    else if (one.blockers_not_examined) has("not examined");
    if (one.fleet) { has("Fleet"); for (const w of one.fleet.workers) has(w.worker); }
    for (const f of one.failures.slice(0, 64)) { if (f.got != null && f.condition) { has(f.condition); has(f.got); has(f.want); } else has(f.message ?? f.condition); if (f.shrink_calls && !f.shrink_complete) has(f.shrink_stopped ? "(cut short: it may shrink further)" : f.shrink_unsteady ? "(smaller inputs failed, but not each time)" : "(some steps gave up: --shrink-calls 100000 "); if (!f.schedule) has(f.notes); has(f.output); }
    for (const s of one.shown) { has(s.replay); for (const l of s.tree || []) has(l.trim().split(" = ")[0]); }
    for (const l of one.label_list.slice(0, 200)) has(l.name);
    if (one.discarded) for (const a of one.assumes) has(a.condition);
    for (const t of one.tried || []) if (t.n && t.label !== "#") has(t.label);
    for (const d of p.drawn) d.options.series.slice(1).forEach((s, k) => {
      const column = d.box.dataset.chart.split(" ")[k], rows = one.series.rows, at = one.series.columns.indexOf(column);
      must(d.data[k + 1][d.data[k + 1].length - 1] === rows[rows.length - 1][at], "the series " + column + " is another one");
    });
    if (one.series && one.tests) must(one.running || one.series.rows[one.series.rows.length - 1][2] === one.tests, "the series does not end with all tests");
    if (one.series && one.series.rows.length > 1) must(p.drawn.length >= 1, "no series is drawn");
  });
  const pill = p.app.all().find(e => e.tag === "button" && /^[0-9,]+ passed$/.test(e.textContent)), passed = p.data.properties.filter(x => x.verdict === "passed" && x.stopped !== "not_concerned" && !x.running).length;
  if (p.data.properties.length > 1) must((pill ? pill.textContent : "0 passed") === passed + " passed", "the overview counts " + (pill && pill.textContent) + ", not " + passed);
  p.page.render({format: 99});
  must(p.app.textContent.includes("cannot be read"), "another format is not refused");
}

let failed = 0;
for (const file of process.argv.slice(2)) {
  try { check(file); console.log("fine: " + file); } catch (e) { failed = 1; console.log(file + ": " + String(e.message).slice(0, 500) + (process.env.DEBUG ? e.stack : "")); }
}
process.exit(failed);
