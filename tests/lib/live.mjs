// Opens the live page of a run (--serve) in Chromium and uses it: node live.mjs PROGRAM [OPTION...]; prints TAP. See tests/cli/browser.sh.
// The run has two properties, `quick` and `slow`; the second one goes on until Stop ends it, however slow the browser is.
import { Browser } from "./chromium.mjs";
import { done, report } from "./tap.mjs";
import { spawn } from "node:child_process";

const run = spawn(process.argv[2], process.argv.slice(3), {stdio: ["ignore", "pipe", "pipe"]});
const ended = new Promise(resolve => run.on("exit", (code, signal) => resolve({code, signal})));
process.on("exit", () => run.kill("SIGKILL"));
run.stdout.resume();
const url = await new Promise(resolve => {
  let text = "";
  run.stderr.on("data", data => {
    text += data;
    const found = text.match(/http:\/\/\S+(?=\s)/);
    if (found) resolve(found[0]);
  });
  ended.then(() => resolve(null));
});
if (!url) {
  report(["the run ended before it printed an address"], "the run prints an address");
  process.exit(1);
}
const host = new URL(url).origin;
const browser = await Browser.start();
const tab = await browser.open(url);
const tests = () => tab.evaluate("Number(document.querySelector('.tile b').textContent.replace(/[^0-9]/g, ''))");
const word = text => tab.until("document.getElementById('live-state')?.textContent.trim() === '" + text + "'");
const click = name => tab.evaluate("document.getElementById('live-" + name + "').click()");
const off = name => tab.evaluate("document.getElementById('live-" + name + "').disabled");
const grows = async from => tab.until("Number(document.querySelector('.tile b').textContent.replace(/[^0-9]/g, '')) > " + from);
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

let problems = [];
const choose = async name => {
  await tab.evaluate("[...document.querySelectorAll('tr.pick')].find(r => r.textContent.startsWith('" + name + "')).click()");
  await pause(2500); // newer data comes meanwhile, and must not choose another one
  if (await tab.evaluate("document.querySelector('h1').textContent") !== name) problems.push("a click on " + name + " does not choose it for good");
};
if (!await tab.until("document.querySelectorAll('tr.pick').length === 2")) problems.push("two properties are not listed");
else for (const name of ["quick", "slow"]) await choose(name);
report(problems, "two properties are listed, and a click chooses one for good");

problems = [];
if (!await tab.until("document.querySelector('.tile b')")) problems.push("no numbers are shown");
if (!await word("running")) problems.push("it does not say that the run goes on");
if (!problems.length && !await grows(await tests())) problems.push("the numbers stay what they were");
if (await tab.evaluate("location.search") !== "") problems.push("the token stays in the address");
report(problems, "the live page shows newer numbers by itself");

// Cases that were on their way when the button was pressed may still come; then the numbers stand.
problems = [];
await click("pause");
if (!await word("paused")) problems.push("it does not say that the run is paused");
if (!await off("pause") || await off("resume")) problems.push("the buttons are those of a run that goes on");
let last = -1, same = 0;
for (let i = 0; i < 60 && same < 3; i++) {
  const now = await tests();
  same = now === last ? same + 1 : 0;
  last = now;
  await pause(1100);
}
if (same < 3) problems.push("the numbers do not stand: " + last);
report(problems, "Pause: the numbers stand");
problems = [];
await click("resume");
if (!await word("running")) problems.push("it does not say that the run goes on");
if (!await grows(last)) problems.push("the numbers stay at " + last);
report(problems, "Continue: they grow again");

problems = [];
await click("stop");
if (!await word("ended")) problems.push("it does not say that the run has ended");
for (const name of ["pause", "resume", "stop"]) if (!await off(name)) problems.push("the button " + name + " can still be pressed");
const {code, signal} = await ended;
if (code !== 130 && signal !== "SIGINT") problems.push("the run ended with " + code + ", " + signal);
report(problems, "Stop: the run ends as by Ctrl-C, and the page says so");

const outside = tab.requests.filter(u => !u.startsWith(host + "/") && !u.startsWith("blob:") && !u.startsWith("data:"));
report(outside, "no request leaves the host");
report(tab.messages, "nothing is on the console");
await browser.stop();
done();
