/**
 * @fileoverview Application that runs as a child process. Its command line selects its behavior.
 * @module tests/app/support/config/application-fixture
 */
import { runApplication } from "../../../src/run-application.js";
import { loadAppConfig } from "../../../src/config/load-app-config.js";
import { toServeOptions } from "../../../src/config/serve-options.js";
import { defineServer } from "../../../../tenon/src/core/define-server.js";
import { serve } from "../../../../tenon/src/transport/node/serve.js";

const [mode = ""] = process.argv.slice(2);
const write = (line: unknown) => process.stderr.write(`${JSON.stringify(line)}\n`);
const logger = {
  info: (message: string, context?: unknown) => void write(["info", message, context]),
  error: (message: string, context?: unknown) => void write(["error", message, context]),
  flush: () => void write(["flush"]),
};
/** Keeps the process running, like a listening server. */
const alive = setInterval(() => {}, 1_000);
const idle = (close: () => Promise<void> | void) => ({
  close: async () => {
    write(["close"]);
    await close();
  },
});
const server = () =>
  defineServer({ name: "t", version: "1" }).tool("echo", { description: "Echoes.", handler: () => "hello" });

const starts = {
  idle: () => idle(() => {}),
  "slow start": async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return idle(() => {});
  },
  "fails to start": () => Promise.reject(new Error("no database; password=hunter2")),
  "fails to close": () => idle(() => Promise.reject(new Error("stuck"))),
  "never closes": () => idle(() => new Promise<never>(() => {})),
  throws: () => {
    setTimeout(() => {
      throw new Error("a bug");
    }, 20);
    return idle(() => {});
  },
  rejects: () => {
    setTimeout(() => void Promise.reject(new Error("a lost promise")), 20);
    return idle(() => {});
  },
  "throws twice": () => {
    setTimeout(() => {
      throw new Error("a bug");
    }, 20);
    return idle(() => {
      setTimeout(() => {
        throw new Error("another bug");
      }, 20);
      return new Promise<never>(() => {});
    });
  },
  stdio: () => serve(server(), { ...toServeOptions(loadAppConfig({})), signals: false }),
  http: async () => {
    const config = loadAppConfig({ MCP_TRANSPORT_TYPE: "http", MCP_HTTP_PORT: "0" });
    const running = await serve(server(), { ...toServeOptions(config), signals: false });
    write(["url", running.url]);
    return running;
  },
} satisfies Record<string, Parameters<typeof runApplication>[0]["start"]>;

await runApplication({
  logger,
  deadlineMs: mode === "never closes" ? 300 : 5_000,
  initializeLogger() {
    write(["logger"]);
    if (mode === "no log") throw new Error("the log's folder is missing");
  },
  start() {
    write(["start"]);
    return starts[mode as keyof typeof starts]();
  },
});
if (mode === "stdio") clearInterval(alive);
