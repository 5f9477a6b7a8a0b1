/**
 * @fileoverview Records of tasks, sessions, and events that were altered, moved, or replayed in Redis.
 * @module tools/chaos/scenarios/altered-records
 */
import { Buffer } from "node:buffer";
import { forEachLimited, waitFor } from "../http.js";
import { LegacyClient, openStream } from "../legacy-client.js";
import type { Random } from "../../random.js";
import { RedisClient, type RedisReply } from "../redis-client.js";
import type { ScenarioContext } from "../scale.js";
import { createTask, getTask, isTerminal } from "../task-client.js";

/** Runs the scenario. */
export async function alteredRecords(context: ScenarioContext): Promise<void> {
  const { cluster, scale, figures, print } = context;
  const client = await RedisClient.connect(cluster.redis);
  try {
    const share = Math.floor(scale.alterations / 10);
    const tasks = await alterTasks(context, client, 4 * share);
    print(`${4 * share} altered tasks`);
    const sessions = await alterSessions(context, client, 3 * share);
    print(`${3 * share} altered sessions`);
    const events = await alterEvents(context, client, scale.alterations - 7 * share);
    figures.exactly("altered records", tasks.altered + sessions.altered + events.altered, scale.alterations);
    figures.exactly("altered tasks accepted", tasks.accepted, 0);
    figures.exactly("altered sessions accepted", sessions.accepted, 0);
    figures.exactly("altered events accepted", events.accepted, 0);
    // Otherwise, a server that rejects everything would pass.
    figures.exactly("restored records rejected", tasks.rejected + sessions.rejected + events.rejected, 0);
  } finally {
    client.close();
  }
}

/** Outcome for one kind of record. */
interface Tally {
  altered: number;
  accepted: number;
  /** Records that were rejected although they were restored. */
  rejected: number;
}

/** Returns a text that differs from the sealed one. `others` are texts of other records, or older ones. */
function alter(random: Random, sealed: string, others: readonly string[]): string {
  const bytes = Buffer.from(sealed, "base64url");
  const kind = random.between(0, 4);
  if (kind === 0) return sealed.slice(0, random.between(0, sealed.length - 1));
  if (kind === 1) return `${sealed}${"ABCD".slice(0, random.between(1, 4))}`;
  if (kind >= 3) {
    const foreign = others.filter((other) => other !== sealed);
    if (foreign.length > 0) return random.pick(foreign);
  }
  const index = random.between(0, bytes.length - 1);
  bytes[index] = (bytes[index] ?? 0) ^ (1 << random.between(0, 7));
  return bytes.toString("base64url");
}

async function alterTasks(
  { cluster, random }: ScenarioContext,
  client: RedisClient,
  count: number,
): Promise<Tally> {
  const tally: Tally = { altered: 0, accepted: 0, rejected: 0 };
  const toKey = (id: string) => `${cluster.prefix}:{tasks:chaos}:task:${id}`;
  const read = async (id: string) => {
    const [version = "", sealed = ""] = await client.texts("HMGET", toKey(id), "v", "s");
    return { id, version, sealed };
  };
  const older: { readonly version: string; readonly sealed: string }[] = [];
  const ids = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const tool = { name: n % 4 === 0 ? "ask" : "work", args: { n, ms: 30 } };
      const id = await createTask(() => cluster.node(n), OWNER, tool);
      older.push(await read(id));
      await waitFor("a task waits or has finished", 30_000, async () => {
        const task = await getTask(cluster.node(n), OWNER, id);
        return task !== undefined && (isTerminal(task) || task.status === "input_required")
          ? true
          : undefined;
      });
      return id;
    }),
  );
  const records = await Promise.all(ids.map(read));
  const texts = [...records, ...older].map(({ sealed }) => sealed);
  const versions = [...records, ...older].map(({ version }) => version);
  // Each record has its own lane, so that no two alterations meet.
  await Promise.all(
    records.map(async ({ id, version, sealed }, lane) => {
      for (let number = lane; number < count; number += records.length) {
        // With its own text, a record gets the version of another one.
        const isMoved = random.chance(0.2);
        const text = isMoved ? sealed : alter(random, sealed, texts);
        const other = random.pick(versions.filter((one) => one !== version));
        await client.run("HSET", toKey(id), "s", text, "v", isMoved || random.chance(0.3) ? other : version);
        tally.altered++;
        if ((await getTask(cluster.node(number), OWNER, id)) !== undefined) tally.accepted++;
      }
      await client.run("HSET", toKey(id), "s", sealed, "v", version);
      if ((await getTask(cluster.node(lane), OWNER, id)) === undefined) tally.rejected++;
    }),
  );
  return tally;
}

const OWNER = "victim";

async function alterSessions(
  { cluster, random }: ScenarioContext,
  client: RedisClient,
  count: number,
): Promise<Tally> {
  const tally: Tally = { altered: 0, accepted: 0, rejected: 0 };
  const pattern = `${cluster.prefix}:session:{*}:${"?".repeat(NAME_LENGTH)}`;
  const sessions: SessionRecord[] = [];
  for (let index = 0; index < 20; index++) {
    const known = new Set(await client.keys(pattern));
    const session = await LegacyClient.open(cluster.node(0), OWNER);
    const keys = (await client.keys(pattern)).filter((name) => !known.has(name));
    const [key = ""] = keys;
    if (keys.length !== 1) throw new Error(`A new session must have one record; got ${keys.length}.`);
    sessions.push({ session, key, ...splitRecord(String(await client.run("GET", key))) });
  }
  const texts = sessions.map(({ sealed }) => sealed);
  await Promise.all(
    sessions.map(async ({ session, key, head, sealed }, lane) => {
      for (let number = lane; number < count; number += sessions.length) {
        await client.run("SET", key, head + alter(random, sealed, texts), "KEEPTTL");
        tally.altered++;
        // Nodes that have not served the session before have only the record.
        const { status } = await session.request(cluster.node(1 + (number % 2)), "ping", {});
        if (status !== 404) tally.accepted++;
      }
      await client.run("SET", key, head + sealed, "KEEPTTL");
      const { status } = await session.request(cluster.node(1), "ping", {});
      if (status !== 200) tally.rejected++;
    }),
  );
  return tally;
}

/** Length of the name of a record, at the end of its key. Keys that only count records have other lengths. */
const NAME_LENGTH = 32;

/** Session and its record. */
interface SessionRecord {
  readonly session: LegacyClient;
  readonly key: string;
  /** Version, owner, and label of the record, which the store reads without a key. */
  readonly head: string;
  readonly sealed: string;
}

/** Splits a record. The length of the label is in the four digits before it. */
function splitRecord(text: string): Pick<SessionRecord, "head" | "sealed"> {
  const sealedStart = LABEL_START + Number(text.slice(LABEL_START - 4, LABEL_START));
  return { head: text.slice(0, sealedStart), sealed: text.slice(sealedStart) };
}

/** Start of the label, after the version (16 characters), the owner (32), and the length of the label (4). */
const LABEL_START = 52;

/** Log of one session: its key, and its entries as Redis returns them. */
interface Log {
  readonly session: LegacyClient;
  readonly key: string;
  readonly entries: readonly (readonly [number: string, fields: readonly string[]])[];
}

async function alterEvents(context: ScenarioContext, client: RedisClient, count: number): Promise<Tally> {
  const { random } = context;
  const tally: Tally = { altered: 0, accepted: 0, rejected: 0 };
  const logs: Log[] = [];
  for (let index = 0; index < 10; index++) logs.push(await createLog(context, client));
  const texts = logs.flatMap(({ entries }) => entries.map(([, fields]) => fields[3] ?? ""));
  await forEachLimited(logs, logs.length, async (log) => {
    const restored = await readLog(context, log);
    if (restored.length < EVENTS) tally.rejected++;
    while (tally.altered < count) {
      const altered = new Map<string, string>();
      // The first entry has no data, and without the last one the stream would not end.
      for (const [, [, id = "", , sealed = ""]] of log.entries.slice(1, -1)) {
        if (tally.altered >= count) break;
        altered.set(id, alter(random, sealed, texts));
        tally.altered++;
      }
      await writeLog(client, log, altered);
      tally.accepted += (await readLog(context, log)).filter((id) => altered.has(id)).length;
    }
    await writeLog(client, log, new Map());
    if ((await readLog(context, log)).length < EVENTS) tally.rejected++;
  });
  return tally;
}

/** Number of events of a stream, with the reply. */
const EVENTS = 12;

/** Creates a session with the events of one call. */
async function createLog({ cluster }: ScenarioContext, client: RedisClient): Promise<Log> {
  const pattern = `${cluster.prefix}:events:{*}`;
  const known = new Set(await client.keys(pattern));
  const session = await LegacyClient.open(cluster.node(0), OWNER);
  const params = { name: "count", arguments: { to: EVENTS - 1, ms: 1 }, _meta: { progressToken: "count" } };
  const body = session.createRequest("tools/call", params);
  await openStream({ node: cluster.node(0), client: session, body, onEvent: () => undefined }).closed;
  return waitFor("a log is complete", 30_000, async () => {
    const key = (await client.keys(pattern)).find((name) => !known.has(name) && !name.endsWith(":ids"));
    const entries = key === undefined ? [] : toEntries(await client.run("XRANGE", key, "-", "+"));
    return key !== undefined && entries.length >= EVENTS + 2 ? { session, key, entries } : undefined;
  });
}

/** Writes a log with some of its entries altered, by their IDs. */
async function writeLog(
  client: RedisClient,
  { key, entries }: Log,
  altered: ReadonlyMap<string, string>,
): Promise<void> {
  await Promise.all([
    client.run("MULTI"),
    client.run("DEL", key),
    ...entries.map(([number, [, id = "", , sealed = ""]]) =>
      client.run("XADD", key, number, "i", id, "e", altered.get(id) ?? sealed),
    ),
    client.run("EXEC"),
  ]);
}

/** Converts the reply of XRANGE. */
function toEntries(reply: RedisReply): Log["entries"] {
  return reply as Log["entries"]; // Safe: the form of this reply
}

/** Resumes the stream after its first entry. Returns the IDs of all events that arrive. */
async function readLog(
  { cluster, random }: ScenarioContext,
  { session, entries }: Log,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const stream = openStream({
    node: cluster.node(1 + random.between(0, 1)),
    client: session,
    lastEventId: entries[0]?.[1][1] ?? "",
    onEvent: ({ id, message }) => {
      if (message !== undefined && id !== undefined) ids.push(id);
    },
  });
  const timer = setTimeout(() => stream.close(), 15_000);
  await stream.closed;
  clearTimeout(timer);
  return ids;
}
