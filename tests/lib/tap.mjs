// TAP for the tests that drive a browser: report([], "it holds") for each test, done() at the end.
let n = 0, failed = false;
export function report(problems, text) {
  n++;
  console.log((problems.length ? "not ok " : "ok ") + n + " - " + text);
  for (const p of problems) console.log("# " + String(p).slice(0, 400));
  failed ||= problems.length > 0;
}
export function done() {
  console.log("1.." + n);
  process.exit(failed ? 1 : 0);
}
