/**
 * @fileoverview Measures the memory of a server: at rest, after many calls, and per thousand idle sessions.
 * @module bench/suites/memory
 */
import { makeCase } from "../lib/cases.js";
import { withFleet } from "../lib/fleet.js";
import { LoadClient, openIdleSessions } from "../lib/http-client.js";
import { absentRow, type Row } from "../lib/result.js";
import type { ServerProcess } from "../lib/server-process.js";
import { ACCEPTS, type Suite, SERVERS } from "../lib/suite.js";

const CALLS = { quick: 5_000, normal: 30_000, full: 100_000 } as const;
const SESSIONS = 1_000;
const WARM_CALLS = 3_000;
const PATIENCE_MS = 180_000;
const MIB = 1024 * 1024;
const SETUP = { wire: "http", mode: "session", tools: 2 } as const;

/** The memory suite. */
export const memory: Suite = {
  name: "memory",
  title: "Memory",
  async *run(options) {
    const calls = CALLS[options.size];
    const names = SERVERS.http.session.filter(
      (name) => !name.endsWith("-fetch") && name !== "tenon-node" && name !== "mcp-lite-bound",
    );
    yield* withFleet(
      names,
      SETUP,
      options,
      async function* ({ servers, absent }) {
        const rows: Row[] = [...absent];
        for (const server of servers) {
          try {
            rows.push(await measure(server, calls));
          } catch (error) {
            rows.push(absentRow(server.name, error));
          }
        }
        yield {
          id: "session",
          title: `Memory over HTTP with sessions: ${calls.toLocaleString("en")} calls, then 1,000 idle sessions`,
          metric: "sessions",
          columns: {
            sessions: "heap KiB/session",
            growth: "heap KiB grown by calls",
            heap: "heap MiB idle",
            rss: "RSS MiB idle",
            rssAfter: "RSS MiB after",
          },
          rows,
        };
      },
      ["--expose-gc"],
    );
  },
};

async function measure(server: ServerProcess, calls: number): Promise<Row> {
  const idle = await server.ask({ op: "memory" });
  const load = makeCase("call", "session", 2);
  const client = await LoadClient.open({
    port: server.port,
    mode: "session",
    load,
    connections: 32,
    accept: ACCEPTS[server.name],
  });
  // One-time initialization does not count as growth.
  await client.run({ ms: PATIENCE_MS, requests: WARM_CALLS });
  const warm = await server.ask({ op: "memory" });
  const { errors } = await client.run({ ms: PATIENCE_MS, requests: calls });
  const after = await server.ask({ op: "memory" });
  client.close();
  await openIdleSessions(server.port, 100);
  const before = await server.ask({ op: "memory" });
  await openIdleSessions(server.port, SESSIONS);
  const held = await server.ask({ op: "memory" });
  return {
    server: server.name,
    figures: {
      sessions: ((held.heapUsed ?? 0) - (before.heapUsed ?? 0)) / SESSIONS / 1024,
      growth: ((after.heapUsed ?? 0) - (warm.heapUsed ?? 0)) / 1024,
      heap: (idle.heapUsed ?? 0) / MIB,
      rss: (idle.rss ?? 0) / MIB,
      rssAfter: (after.rss ?? 0) / MIB,
    },
    errors,
  };
}
