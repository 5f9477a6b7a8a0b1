/**
 * @fileoverview Reads and changes of tasks, sessions, events, and idempotent calls by principals that do not own them.
 * @module tools/chaos/scenarios/foreign-reads
 */
import { forEachLimited, type Json, type Response, waitFor } from "../http.js";
import { LegacyClient, openStream } from "../legacy-client.js";
import type { ScenarioContext } from "../scale.js";
import { createTask, getTask, isTerminal, send, textOf } from "../task-client.js";

const OWNER = "alice";
const STRANGERS = ["mallory", "alice2", "Alice", "alic", "alice%00", "bob"];
const KEY = "order-1";

/** Everything that the owner has. */
interface Property {
  readonly finished: readonly string[];
  readonly asking: readonly string[];
  readonly client: LegacyClient;
  /** ID of an event in a stream of the owner's session. */
  readonly eventId: string;
  /** Error for a task that does not exist. */
  readonly unknown: string;
}

/** Outcome of one attempt. */
type Attempt = (context: ScenarioContext, property: Property, stranger: string) => Promise<boolean>;

/** Runs the scenario. */
export async function foreignReads(context: ScenarioContext): Promise<void> {
  const { scale, random, figures, print, cluster } = context;
  const property = await createProperty(context);
  const names = Object.keys(ATTEMPTS);
  const answered = new Map<string, number>(names.map((name) => [name, 0]));
  let done = 0;
  await forEachLimited(Array.from({ length: scale.foreignReads }), 24, async (_, index) => {
    const name = names[index % names.length] ?? "";
    const isAnswered = await ATTEMPTS[name]?.(context, property, random.pick(STRANGERS));
    if (isAnswered === true) answered.set(name, (answered.get(name) ?? 0) + 1);
    if (++done % 2_500 === 0) print(`${done} attempts`);
  });
  figures.exactly("attempts", done, scale.foreignReads);
  for (const [name, count] of answered) figures.exactly(`answered: ${name}`, count, 0);

  // The owner still has everything, as it was.
  const asking = await Promise.all(property.asking.map((id) => getTask(cluster.node(1), OWNER, id)));
  const untouched = asking.filter((task) => task?.status === "input_required").length;
  figures.exactly("questions of the owner that are still open", untouched, property.asking.length);
  const finished = await Promise.all(property.finished.map((id) => getTask(cluster.node(2), OWNER, id)));
  const readable = finished.filter(
    (task) => task !== undefined && textOf(task).startsWith(`${OWNER} work `),
  ).length;
  figures.exactly("results that the owner can read", readable, property.finished.length);
  const { status } = await property.client.request(cluster.node(0), "ping", {});
  figures.exactly("status of a request in the owner's session", status, 200);
}

async function createProperty(context: ScenarioContext): Promise<Property> {
  const { cluster } = context;
  const create = (name: string, count: number, status: string) =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const taskId = await createTask(() => cluster.node(n), OWNER, { name, args: { n, ms: 1 } });
        await waitFor(`a task is ${status}`, 30_000, async () => {
          const task = await getTask(cluster.node(n + 1), OWNER, taskId);
          return task !== undefined && (task.status === status || isTerminal(task)) ? true : undefined;
        });
        return taskId;
      }),
    );
  const [finished, asking] = await Promise.all([
    create("work", 20, "completed"),
    create("ask", 10, "input_required"),
  ]);
  const client = await LegacyClient.open(cluster.node(0), OWNER);
  const { error } = await request(context, OWNER, {
    method: "tasks/get",
    params: { taskId: "A".repeat(24) },
  });
  await echo(context, OWNER);
  return {
    finished,
    asking,
    client,
    eventId: await readEventId(context, client),
    unknown: JSON.stringify(error),
  };
}

/** Returns the ID of the first event of a call's stream. */
async function readEventId({ cluster }: ScenarioContext, client: LegacyClient): Promise<string> {
  let eventId: string | undefined;
  const params = { name: "count", arguments: { to: 3, ms: 1 }, _meta: { progressToken: "count" } };
  const body = client.createRequest("tools/call", params);
  const onEvent = ({ id }: { readonly id?: string }) => (eventId ??= id);
  await openStream({ node: cluster.node(0), client, body, onEvent }).closed;
  if (eventId === undefined) throw new Error("The stream of a call had no event ID.");
  return eventId;
}

function request(
  { cluster, random }: ScenarioContext,
  principal: string,
  message: {
    readonly method: string;
    readonly params: Json;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  return send(random.pick(cluster.nodes), { principal, ...message });
}

/** Calls a tool with the owner's idempotency key. */
function echo(context: ScenarioContext, principal: string): Promise<Response> {
  const params = { name: "echo", arguments: { text: "paid" } };
  return request(context, principal, { method: "tools/call", params, headers: { "idempotency-key": KEY } });
}

/** Returns true if a response to a stranger differs from the one for a task that does not exist. */
async function differs(response: Promise<Response>, { unknown }: Property): Promise<boolean> {
  const { result, error } = await response;
  return result !== undefined || JSON.stringify(error) !== unknown;
}

/** Session of another caller with the ID of the owner's session. */
function steal({ client }: Property, stranger: string): LegacyClient {
  return Object.create(client, { principal: { value: stranger } }) as LegacyClient; // Safe: only `principal` differs
}

/** Attempts. Each returns true if the stranger got an answer. */
const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  "tasks/get": (context, property, stranger) => {
    const taskId = context.random.pick([...property.finished, ...property.asking]);
    return differs(request(context, stranger, { method: "tasks/get", params: { taskId } }), property);
  },
  "tasks/update": (context, property, stranger) => {
    const inputResponses = { word: { action: "accept", content: { word: "stolen" } } };
    const params = { taskId: context.random.pick(property.asking), inputResponses };
    return differs(request(context, stranger, { method: "tasks/update", params }), property);
  },
  "tasks/cancel": (context, property, stranger) => {
    const params = { taskId: context.random.pick(property.asking) };
    return differs(request(context, stranger, { method: "tasks/cancel", params }), property);
  },
  "request in a session": async ({ cluster, random }, property, stranger) => {
    const client = property.client;
    const params = { name: "echo", arguments: { text: "stolen" } };
    const { status } = await steal(property, stranger).send(
      random.pick(cluster.nodes),
      client.createRequest("tools/call", params),
    );
    return status !== 404;
  },
  "stream of a session": async ({ cluster, random }, property, stranger) => {
    const lastEventId = random.chance(0.5) ? property.eventId : undefined;
    let events = 0;
    const stream = openStream({
      node: random.pick(cluster.nodes),
      client: steal(property, stranger),
      ...(lastEventId === undefined ? {} : { lastEventId }),
      onEvent: () => events++,
    });
    // A stream that is open would stay open.
    const timer = setTimeout(() => stream.close(), 5_000);
    const status = await stream.closed;
    clearTimeout(timer);
    return status !== 404 || events > 0;
  },
  "idempotency key": async (context, _, stranger) => {
    const { result } = await echo(context, stranger);
    const text = (result?.["content"] as readonly { readonly text: string }[] | undefined)?.[0]?.text;
    return text === undefined || !text.startsWith(`${stranger} `);
  },
};
