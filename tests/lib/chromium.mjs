// A headless Chromium, driven over its debugging pipe: no package is needed for that.
//
//   const browser = await Browser.start();          null where there is no Chromium
//   const tab = await browser.open(url, {width, height, dark, phone});
//   await tab.evaluate("1 + 1");  tab.messages; tab.requests; await tab.shoot("page.png");
//   await browser.stop();
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"];
const found = () => NAMES.find(name => spawnSync(name, ["--version"]).status === 0);

export class Browser {
  static async start() {
    const name = found();
    if (!name) return null;
    const b = new Browser();
    b.home = mkdtempSync(join(tmpdir(), "sonde-browser-"));
    b.child = spawn(name, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--user-data-dir=" + b.home, "--remote-debugging-pipe", "about:blank"], {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    b.waiting = new Map();
    b.tabs = new Map();
    b.next = 1;
    let rest = "";
    b.child.stdio[4].on("data", data => {
      const parts = (rest + data).split("\0");
      rest = parts.pop();
      for (const part of parts) b.take(JSON.parse(part));
    });
    return b;
  }
  take(m) {
    if (m.id) {
      const {resolve, reject} = this.waiting.get(m.id);
      this.waiting.delete(m.id);
      m.error ? reject(new Error(m.error.message)) : resolve(m.result);
    } else if (this.tabs.has(m.sessionId)) this.tabs.get(m.sessionId).hear(m.method, m.params);
  }
  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.child.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }
  async open(url, {width = 1400, height = 1000, dark = false, phone = false} = {}) {
    const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
    const tab = new Tab(this, sessionId, targetId);
    this.tabs.set(sessionId, tab);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await tab.send(domain + ".enable");
    await tab.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: phone});
    await tab.send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
    await tab.send("Page.navigate", {url});
    return tab;
  }
  async stop() {
    await this.send("Browser.close").catch(() => {});
    await new Promise(resolve => this.child.exitCode != null ? resolve() : this.child.on("exit", resolve));
    rmSync(this.home, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
  }
}

class Tab {
  constructor(browser, id, target) { Object.assign(this, {browser, id, target, messages: [], requests: []}); }
  send(method, params) { return this.browser.send(method, params, this.id); }
  hear(method, p) {
    if (method === "Runtime.consoleAPICalled") this.messages.push(p.type + ": " + p.args.map(a => a.value ?? a.description).join(" "));
    if (method === "Runtime.exceptionThrown") this.messages.push("exception: " + (p.exceptionDetails.exception?.description || p.exceptionDetails.text));
    if (method === "Log.entryAdded") this.messages.push(p.entry.level + ": " + p.entry.text);
    if (method === "Network.requestWillBeSent") this.requests.push(p.request.url);
  }
  async evaluate(expression) {
    const r = await this.send("Runtime.evaluate", {expression, awaitPromise: true, returnByValue: true});
    if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description || r.exceptionDetails.text);
    return r.result.value;
  }
  async until(expression, seconds = 60) {
    for (let i = 0; i < seconds * 20; i++) {
      if (await this.evaluate(expression).catch(() => false)) return true;
      await new Promise(r => setTimeout(r, 50));
    }
    return false;
  }
  async shoot(file, {full = true} = {}) {
    const size = (await this.send("Page.getLayoutMetrics")).cssContentSize;
    const clip = full ? {x: 0, y: 0, width: size.width, height: Math.min(size.height, 12000), scale: 1} : undefined;
    const {data} = await this.send("Page.captureScreenshot", {format: "png", clip, captureBeyondViewport: full});
    writeFileSync(file, Buffer.from(data, "base64"));
  }
  async close() {
    this.browser.tabs.delete(this.id);
    await this.browser.send("Target.closeTarget", {targetId: this.target});
  }
}
