import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { platform } from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { rawPost } from "../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../tests/support/requests.js";
import { ROOT } from "../../../../tools/source-files.js";

const MIB = 1_048_576;
const CLIENTS = 150;

/** Server with a large result. The budget for unread responses is the default: 64 MiB. */
const SERVER = `
  import { createAdaptorServer } from "@hono/node-server";
  import { defineServer } from "tenon";
  import { toFetch } from "tenon/fetch";
  import { serve } from "tenon/node";
  let calls = 0;
  const server = defineServer({ name: "large", version: "1.0.0" })
    .tool("large", {
      handler: async (_, call) => {
        if (process.env.STREAMED) await call.log("info", "first");
        if (++calls === ${CLIENTS}) console.log("called");
        return "x".repeat(${4 * MIB});
      },
    });
  if (process.env.BRIDGED) {
    const http = createAdaptorServer({ fetch: toFetch(server) });
    http.listen(0, "127.0.0.1", () => console.log(http.address().port));
  } else console.log(new URL((await serve(server, { port: 0, banner: false })).url).port);`;

/** Returns the resident memory of a process in MiB: now (`VmRSS`), or the most that it has used (`VmHWM`). */
function residentMemory(pid: number, field: "VmRSS" | "VmHWM"): number {
  const [, kib = "0"] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1_024;
}

// A client that never reads the rest leaves less to send than the budget counts, because the system takes megabytes.
test.skipIf(platform !== "linux").each([
  ["node:http", "one piece", {}],
  ["node:http", "streams", { STREAMED: "1" }],
  ["toFetch behind a bridge", "one piece", { BRIDGED: "1" }],
  ["toFetch behind a bridge", "streams", { BRIDGED: "1", STREAMED: "1" }],
])(
  "results that many clients do not read fit into the limit of the process (%s, in %s)",
  { timeout: 180_000 },
  async (_server, _form, env) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", SERVER], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      // The bridge prints an error for each client that is disconnected.
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const port = Number((await lines.next()).value);
    const pid = child.pid ?? 0;
    const idle = residentMemory(pid, "VmRSS");
    const request = rawPost(JSON.stringify(modernRequest("tools/call", { name: "large", arguments: {} })), {
      "MCP-Protocol-Version": MODERN,
      "Mcp-Method": "tools/call",
      "Mcp-Name": "large",
    });
    let closed = 0;
    for (let count = 0; count < CLIENTS; count++) {
      const socket = connect(port, "127.0.0.1", () => socket.write(request));
      socket.pause();
      socket.on("error", () => undefined).on("close", () => closed++);
      onTestFinished(() => void socket.destroy());
      if (count % 20 === 19) await sleep(50);
    }
    expect((await lines.next()).value).toBe("called");
    const growth = residentMemory(pid, "VmHWM") - idle;
    expect(child.exitCode).toBeNull();
    expect(growth, `${closed} were disconnected`).toBeLessThan(300);
  },
);
