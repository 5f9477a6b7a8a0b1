/**
 * @fileoverview Server process of the soak test. Its only argument is a JSON text with `ProcessSettings`. It measures
 * itself on demand.
 * @module tools/soak/process
 */
// First, because it replaces the timers that all other modules use.
import { type Probed, readProcess } from "./probe.js";
import { createAdaptorServer } from "@hono/node-server";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Connection } from "tenon/host";
import { toFetch } from "tenon/fetch";
import { serve } from "tenon/node";
import { startAgent } from "./agent-server.js";
import type { Break } from "./breaks.js";
import { loadConnections } from "./load.js";
import type { Command, LoadPlan, ProcessSettings, Report } from "./protocol.js";
import { loadFlooded, startFlood } from "./flood.js";
import { createSoakServer } from "./soak-server.js";
import { memory, stdioStreams } from "./stream-wires.js";
import { Tally } from "./tally.js";

/** Idle time in milliseconds after which a session ends. Short, so that open sessions do not count as a leak. */
const IDLE_MS = 4_000;

/** Started server. */
interface Started {
  /** 0 if the server has no port. */
  readonly port: number;
  readonly probed: Probed;
  readonly load?: (plan: LoadPlan) => Promise<Tally>;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as ProcessSettings; // Safe: the parent process wrote it
const faults = new Set<Break>(settings.breaks);
// A process must not outlive the test, however the test ends.
process.on("disconnect", () => process.exit(0));

const { port, probed, load } = settings.mode === "agent" ? await startAgentServer() : await startMcpServer();
report({ kind: "ready", port });

process.on("message", (command: Command) => {
  if (command.kind === "read")
    void readProcess(probed).then((reading) => report({ kind: "reading", reading }));
  else void load?.(command.plan).then((tally) => report({ kind: "loaded", tally: tally.data }));
});

async function startAgentServer(): Promise<Started> {
  const { port: agentPort, counts } = await startAgent(settings.folder, faults);
  return { port: agentPort, probed: { own: counts } };
}

async function startMcpServer(): Promise<Started> {
  const { server, count: own, shared } = createSoakServer(faults);
  const sessions = { idleMs: faults.has("session") ? 2 ** 30 : IDLE_MS };
  const http = { sessions, writeTimeoutMs: 10_000, retryMs: 10, streamAfterMs: 50 };
  const base: Probed = { emitters: [shared], classes: { "MCP connections": Connection }, own };
  switch (settings.mode) {
    case "http":
    case "sse": {
      const options = { ...http, port: 0, banner: false, legacySse: settings.mode === "sse" };
      const { url = "" } = await serve(server, options);
      return { port: Number(new URL(url).port), probed: base };
    }
    case "fetch": {
      const listener = createAdaptorServer({ fetch: toFetch(server, http) });
      listener.listen(0, "127.0.0.1");
      await once(listener, "listening");
      return { port: (listener.address() as AddressInfo).port, probed: base }; // Safe: it listens on a port
    }
    case "stdio":
      await serve(server, { signals: false });
      return { port: 0, probed: { ...base, emitters: [shared, process.stdin, process.stdout] } };
    default: {
      const isLeaking = faults.has("session");
      const wires = [memory(server, isLeaking), stdioStreams(server, isLeaking)];
      const floodUrl = await startFlood();
      const loadMemory = async (plan: LoadPlan) => {
        const tally = new Tally();
        const eras = ["legacy", "modern"] as const;
        await Promise.all([
          ...wires.map((openWire, index) =>
            loadConnections(plan, { name: index === 0 ? "memory" : "streams", openWire, eras, tally }),
          ),
          loadFlooded(plan, floodUrl, tally),
        ]);
        return tally;
      };
      return { port: 0, probed: base, load: loadMemory };
    }
  }
}

function report(message: Report): void {
  process.send?.(message);
}
