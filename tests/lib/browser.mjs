// Opens pages in Chromium and looks at them: node browser.mjs FILE...; prints TAP. See tests/cli/browser.sh.
import { Browser } from "./chromium.mjs";
import { done, report } from "./tap.mjs";
import { basename, resolve } from "node:path";
import { readFileSync } from "node:fs";

const browser = await Browser.start();
for (const file of process.argv.slice(2)) {
  const name = basename(file, ".html"), url = "file://" + resolve(file), problems = [];
  const data = JSON.parse(readFileSync(file, "utf8").match(/id="sonde-data">([^]*?)<\/script>/)[1]);
  for (const [width, dark] of [[1400, false], [400, true]]) {
    const tab = await browser.open(url, {width, height: 900, dark, phone: width < 600}), where = name + " at " + width + ": ";
    if (!await tab.until("document.documentElement.dataset.ready === 'yes'")) problems.push(where + "it did not get ready; " + await tab.evaluate("document.documentElement.dataset.failed"));
    // The charts of a short run are folded.
    await tab.evaluate("document.querySelector('[data-unfold]')?.click()");
    await tab.until("[...document.querySelectorAll('[data-chart]')].every(c => c.sondePlot)");
    const outside = tab.requests.filter(u => u !== url && !u.startsWith("blob:") && !u.startsWith("data:"));
    if (outside.length) problems.push(where + "requests: " + outside);
    if (tab.messages.length) problems.push(where + "console: " + tab.messages.join("; "));
    const wide = await tab.evaluate("document.documentElement.scrollWidth - innerWidth");
    if (wide > 0) problems.push(where + wide + " pixels too wide");
    const seen = await tab.evaluate(`(() => ({
      verdict: document.querySelector('[data-verdict]')?.dataset.verdict, property: document.querySelector('h1')?.textContent,
      charts: [...document.querySelectorAll('[data-chart]')].map(c => ({names: c.dataset.chart.split(' '), ends: c.sondePlot.data.map(d => d[d.length - 1])})),
      won: document.querySelectorAll('.ln.won').length, source: document.querySelectorAll('.ln.v').length, turns: document.querySelectorAll('.turns tbody tr').length,
      scripts: document.scripts.length, bad: document.querySelectorAll('img,iframe,object,embed,link,form,base,[onclick],[onerror],[onload]').length, color: getComputedStyle(document.body).backgroundColor}))()`);
    const p = data.properties.find(x => x.property === seen.property);
    if (!p || p.verdict !== seen.verdict) problems.push(where + "shows " + seen.property + " as " + seen.verdict);
    else for (const c of seen.charts) {
      const last = p.series.rows[p.series.rows.length - 1];
      c.names.forEach((x, i) => { if (c.ends[i + 1] !== last[p.series.columns.indexOf(x)]) problems.push(where + "the series " + x + " ends with " + c.ends[i + 1]); });
    }
    if (p && p.series && p.series.rows.length > 1 && !seen.charts.length) problems.push(where + "no chart");
    if (seen.bad || seen.scripts !== 8) problems.push(where + seen.bad + " elements that could fetch or run, " + seen.scripts + " scripts");
    if (name === "baseline" && seen.won < 1) problems.push(where + "no line is marked as won");
    if (name === "before" && !seen.source) problems.push(where + "no line of source is green");
    if (name === "threads" && seen.turns < 3) problems.push(where + "no turns of threads");
    if (seen.color !== (dark ? "rgb(13, 17, 23)" : "rgb(245, 246, 248)")) problems.push(where + "the background is " + seen.color);
    if (name === "many") {
      await tab.evaluate("[...document.querySelectorAll('tr.pick')].find(r => r.textContent.startsWith('many_')).click()");
      if (!await tab.evaluate("document.querySelector('h1').textContent.startsWith('many_')")) problems.push(where + "a click chooses no property");
    }
    if (name === "holds") {
      const before = await tab.evaluate("document.querySelector('[data-chart]').sondePlot.data[0].at(-1)");
      await tab.evaluate("[...document.querySelectorAll('.seg button')].find(b => b.textContent === 'cases').click()");
      await tab.until("document.querySelector('[data-chart]').sondePlot");
      const after = await tab.evaluate("document.querySelector('[data-chart]').sondePlot.data[0].at(-1)");
      if (after !== p.tests || after === before) problems.push(where + "another axis shows " + after);
      const newer = await tab.evaluate(`(() => { const d = JSON.parse(document.getElementById('sonde-data').textContent); const hist = document.querySelector('.hist'); d.properties[0].tests += 1000; sondePage.render(d);
        return {kept: document.querySelector('.hist') === hist, text: document.querySelector('.tile b').textContent}; })()`);
      if (!newer.kept || newer.text.replaceAll(",", "") !== String(p.tests + 1000)) problems.push(where + "newer data: " + JSON.stringify(newer));
    }
    if (name === "before") {
      await tab.evaluate("document.querySelector('.ln.v').click()");
      if (!await tab.evaluate("document.querySelector('.first').textContent.includes('--replay')")) problems.push(where + "a click on a line shows no token");
    }
    await tab.close();
  }
  report(problems, name + " is shown as it should be");
}
// 10^5 entries of a corpus, more than a page ever holds.
const many = await browser.open("file://" + resolve(process.argv.find(f => f.endsWith("holds.html"))));
await many.until("document.documentElement.dataset.ready === 'yes'");
const took = await many.evaluate(`(() => { const d = JSON.parse(document.getElementById('sonde-data').textContent), p = d.properties[0]; p.inputs = [];
  for (let i = 0; i < 1e5; i++) p.inputs.push({token: "s1:x=" + i, why: "coverage", owns: i % 97, choices: 1, test: i, valid: true, cut: false});
  const text = JSON.stringify(d), begin = performance.now(); sondePage.render(JSON.parse(text)); document.body.offsetHeight; return performance.now() - begin; })()`);
report((await many.evaluate("document.body.textContent.includes('100,000 inputs')")) ? [] : ["they are not shown"], "10^5 inputs are shown (" + Math.round(took) + " ms)");
await browser.stop();
done();
