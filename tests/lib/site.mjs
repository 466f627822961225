// Opens pages of the documentation's site in Chromium: node site.mjs SITE [PICTURES]; prints TAP. See tests/compile/site.sh.
import { Browser } from "./chromium.mjs";
import { done, report } from "./tap.mjs";
import { join, resolve } from "node:path";

const [site, pictures] = process.argv.slice(2);
const browser = await Browser.start();
if (!browser) {
  console.log("1..0 # SKIP there is no Chromium");
  process.exit(0);
}
for (const page of ["index", "pages", "reference", "output"]) {
  const problems = [], colors = new Set();
  for (const [width, dark] of [[1400, false], [1400, true], [400, false], [400, true]]) {
    const tab = await browser.open("file://" + resolve(site, page + ".html"), {width, height: 900, dark, phone: width < 600}), where = width + (dark ? " dark: " : " light: ");
    await tab.until("document.readyState === 'complete'");
    await tab.evaluate("localStorage.clear(); sessionStorage.clear(); location.reload()"); // the theme remembers the choice of the tab before
    await new Promise(done => setTimeout(done, 300));
    if (!await tab.until(`document.readyState === 'complete' && document.querySelector('h1') && document.body.dataset.mdColorScheme === '${dark ? "slate" : "default"}'`))
      problems.push(where + "it is not " + (dark ? "dark" : "light"));
    const outside = tab.requests.filter(u => !u.startsWith("file:") && !u.startsWith("data:") && !u.startsWith("blob:"));
    if (outside.length) problems.push(where + "it asks the network for " + outside);
    const seen = await tab.evaluate(`(() => ({wide: document.documentElement.scrollWidth - innerWidth, title: document.title, colors: getComputedStyle(document.body).backgroundColor,
      spans: document.querySelectorAll('.highlight span[class]').length, search: !!document.querySelector('[data-md-component=search]'), words: document.querySelector('article').innerText.split(/\\s+/).length}))()`);
    if (seen.wide > 0) problems.push(where + seen.wide + " pixels too wide");
    if (!seen.search) problems.push(where + "no search");
    if (!/sonde|-/.test(seen.title) || seen.words < 100) problems.push(where + "title " + seen.title + ", " + seen.words + " words");
    if (["index", "reference", "tutorial"].includes(page) && !seen.spans) problems.push(where + "code is not highlighted");
    if (page === "reference" && !await tab.evaluate("['sonde_int', 'sonde_i64', 'sonde_power_cut', 'sondecpp-vector', 'sonde_guide_register'].every(x => document.getElementById(x))")) problems.push(where + "a function has no anchor");
    colors.add(seen.colors);
    if (pictures) await tab.shoot(join(pictures, page + "-" + width + (dark ? "-dark" : "-light") + ".png"));
    await tab.close();
  }
  if (page === "pages") {
    const tab = await browser.open("file://" + resolve(site, "pages.html"), {width: 1400, height: 900, dark: false, phone: false});
    await tab.until("document.readyState === 'complete'");
    // The page may not listen yet when it is complete, so the key is pressed until there is an answer.
    const ask = "const q = document.querySelector('[data-md-component=search-query]'); q.focus(); q.value = 'sonde_power_cut'; q.dispatchEvent(new KeyboardEvent('keyup'));";
    if (!await tab.until(`(() => { ${ask} return document.querySelectorAll('.md-search-result__item').length > 0; })()`)) problems.push("the search finds nothing; " + tab.messages.join("; "));
    await tab.close();
  }
  if (colors.size !== 2) problems.push("light and dark look the same: " + [...colors]);
  report(problems, page + " is shown as it should be at 400 and 1400 pixels, light and dark");
}
await browser.stop();
done();
