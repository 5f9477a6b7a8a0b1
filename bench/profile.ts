/**
 * @fileoverview Profiles a server: `tsx bench/profile.ts tenon stateless call` puts load on one server under
 * `--cpu-prof` and prints the functions with the most self time. The fourth argument is the time in seconds. The fifth
 * selects a bridge for fetch functions, or the folder of the servers: `tsx bench/profile.ts tenon-fetch modern order 4
 * hono-2`, `tsx bench/profile.ts tenon modern progress 4 streams`.
 * @module bench/profile
 */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { buildServers } from "./lib/build.js";
import { type CaseName, makeCase } from "./lib/cases.js";
import { LoadClient } from "./lib/http-client.js";
import { ROOT } from "./lib/paths.js";
import { say } from "./lib/print.js";
import { ServerProcess } from "./lib/server-process.js";
import type { Mode } from "./servers/contract.js";
import type { HostOptions } from "./servers/host-protocol.js";
import { WITH_ORDER } from "./servers/tools.js";

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const [server = "tenon", mode = "stateless", name = "call", seconds = "4", place] = process.argv.slice(2);
await buildServers();
const folder = mkdtempSync(`${tmpdir()}/tenon-profile-`);
const tools = name === "list" ? 100 : WITH_ORDER;
const running = await ServerProcess.start({ server, mode: mode as Mode, tools, ...wireOf(place) }, [
  "--cpu-prof",
  `--cpu-prof-dir=${folder}`,
  "--cpu-prof-interval=200",
]);
const load = makeCase(name as CaseName, mode as Mode, tools);
const client = await LoadClient.open({ port: running.port, mode: mode as Mode, load, connections: 32 });
const before = await running.cpuUs();
const { done, errors } = await client.run({ ms: Number(seconds) * 1000 });
const cpu = (await running.cpuUs()) - before;
client.close();
const exit = once(running.child, "exit");
running.child.disconnect();
await exit;

const [file = ""] = readdirSync(folder);
const profile = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as Profile;
const names = new Map(
  profile.nodes.map(({ id, callFrame }) => [
    id,
    `${callFrame.functionName || "(anonymous)"} ${callFrame.url.replace(`file://${ROOT}/`, "")}:${callFrame.lineNumber + 1}`,
  ]),
);
const times = new Map<string, number>();
let busy = 0;
profile.samples.forEach((id, index) => {
  const key = names.get(id) ?? "?";
  const delta = profile.timeDeltas[index] ?? 0;
  if (key.startsWith("(idle)")) return;
  busy += delta;
  times.set(key, (times.get(key) ?? 0) + delta);
});
say(`${server}, ${mode}, ${name}: ${done} requests, ${errors} errors, ${(cpu / done).toFixed(1)} µs each`);
for (const [key, time] of [...times].sort((a, b) => b[1] - a[1]).slice(0, 45)) {
  say(`${((time / busy) * 100).toFixed(1).padStart(5)} %  ${key}`);
}
say(folder);

function wireOf(name: string | undefined): Pick<HostOptions, "wire" | "bridge" | "family"> {
  if (name === undefined) return { wire: "http" };
  if (name === "hono-1" || name === "hono-2") return { wire: "fetch", bridge: name };
  if (name === "streams" || name === "large" || name === "sdk") return { wire: "http", family: name };
  throw new TypeError(`The fifth argument must be hono-1, hono-2, streams, large, or sdk; got ${name}.`);
}
