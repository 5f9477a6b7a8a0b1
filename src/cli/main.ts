/**
 * @fileoverview The program `tenon`. This is the one file that touches the process: all else is handed to it.
 * @module cli/main
 */
import process from "node:process";
import { isatty } from "node:tty";
import { EXIT } from "./command.js";
import { runCli } from "./run-cli.js";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // Who asks twice does not want to wait for good order.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  });
}
// A reader that has left, such as `head`, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  throw error;
});
// Where nobody reads what went wrong, the exit code still tells.
process.stderr.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
// Time-outs do not keep a process, and a tool in memory may have nothing else that does.
const hold = setInterval(() => {}, 2 ** 30);

const code = await runCli(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  isInteractive: isatty(0) && isatty(1),
  signal: stop.signal,
});
clearInterval(hold);
process.exitCode = code;
// What the user's module left open, such as a timer, must not keep the program; what was said must be out first.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
