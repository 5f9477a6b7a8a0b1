/**
 * @fileoverview Principals that know the IDs of another principal's session, events, tasks, calls, and questions, and use
 * them with every method. So does the owner with a token that lacks the scope of a task's tool, and on a server with a
 * different name. Each response must be the one for an ID that does not exist.
 * @module tools/attack/scenarios/foreign
 */
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { defineServer, form, type Server } from "tenon";
import { createMemoryStore } from "tenon/stores";
import { createTaskEngine, tasks, type TasksOptions } from "tenon/tasks";
import { z } from "zod";
import { type Endpoint, openEndpoints, openFetch } from "../clients/endpoints.js";
import {
  type HeaderLine,
  type Json,
  modernRequest,
  type WireReply,
  type WireRequest,
} from "../clients/messages.js";
import { type AttackContext, Findings } from "../context.js";
import { LegacySession, waitFor } from "../clients/sessions.js";
import { taskRequests, sessionRequests } from "../corpora/foreign-requests.js";

const OWNER = "ada";
const STRANGERS = ["eve", "Ada", "ada2", "ad", 'ada","desk', "*"];
const BOARD = "board://news";

/** Everything that the owner has on an endpoint. */
interface Property {
  readonly endpoint: Endpoint;
  readonly server: Server;
  readonly session: LegacySession;
  /** ID of an event in a stream of the session. */
  readonly eventId: string;
  readonly asking: string;
  readonly finished: string;
}

/** What happened on the servers. */
interface Journal {
  readonly gate: EventEmitter;
  readonly cancelled: string[];
  readonly answers: string[];
}

interface Outcomes {
  readonly successes: Findings;
  readonly differences: Findings;
  attempts: number;
}

/** Runs the attack. */
export async function foreign(context: AttackContext): Promise<void> {
  const { figures, print, scale } = context;
  const journal: Journal = { gate: new EventEmitter().setMaxListeners(1_000), cancelled: [], answers: [] };
  const servers: Server[] = [];
  const endpoints = await openEndpoints(
    () => {
      const server = createServer(journal);
      servers.push(server);
      return server;
    },
    { authenticate },
  );
  const outcomes: Outcomes = {
    successes: new Findings(print),
    differences: new Findings(print),
    attempts: 0,
  };
  const damage = new Findings(print);
  try {
    for (const [at, endpoint] of endpoints.entries()) {
      const property = await createProperty(endpoint, servers[at] as Server); // Safe: each endpoint has a server
      try {
        await useTask(property, {
          task: "finished",
          lines: [userLine(OWNER), ["x-scopes", "none"]],
          outcomes,
        });
        for (const stranger of STRANGERS.slice(0, scale.strangers)) {
          await useIds(property, stranger, outcomes);
          await disturb(property, stranger, { journal, outcomes });
          print(`${outcomes.attempts} attempts`);
        }
      } catch (error) {
        // The owner can no longer use its session.
        damage.add(String(error));
      }
      await checkProperty(property, damage);
    }
    await useOtherServer(journal, outcomes, damage);
  } finally {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  }
  figures.atLeast("attempts", outcomes.attempts, context.isShort ? 150 : 500);
  figures.exactly("successes", outcomes.successes.count, 0);
  figures.exactly("responses that differ from those for unknown IDs", outcomes.differences.count, 0);
  figures.exactly("damages to the owner's property", damage.count, 0);
}

function authenticate({ header }: { readonly header: (name: string) => string | null | undefined }) {
  const principal = header("x-user");
  if (typeof principal !== "string") return { status: 401, message: "A principal is required." } as const;
  return { auth: { principal, scopes: header("x-scopes") === "none" ? [] : ["work"] } };
}

function createServer(
  { gate, cancelled, answers }: Journal,
  { name: serverName = "foreign", ...options }: TasksOptions & { readonly name?: string } = {},
): Server {
  const schema = z.object({ name: z.string() });
  return defineServer({ name: serverName, version: "1.0.0", state: { keys: ["k".repeat(32)] } })
    .extension(tasks({ closeGraceMs: 0, pollIntervalMs: 100, ...options }))
    .tool("whoami", { handler: (_, call) => `principal ${call.auth?.principal}` })
    .tool("ask", {
      handler: async (_, call) => {
        const answer = await call.input("name", form({ message: "Who?", schema }));
        const name = answer.action === "accept" ? answer.content.name : answer.action;
        answers.push(name);
        return `hello ${name}`;
      },
    })
    .tool("ask_later", {
      task: "required",
      handler: async (_, call) => (await call.input("name", form({ message: "Who?", schema }))).action,
    })
    .tool("work", {
      task: "required",
      scopes: ["work"],
      handler: (_, call) => `worked for ${call.auth?.principal}`,
    })
    .tool("wait", {
      input: z.object({ label: z.string() }),
      handler: async ({ label }, call) => {
        call.signal.addEventListener("abort", () => void cancelled.push(label));
        await call.progress(0, 1, `begun ${label}`);
        await once(gate, "release");
        return `waited ${label}`;
      },
    })
    .resource("board", { uri: BOARD, handler: () => "news" })
    .prompt("greet", { handler: () => "hello" })
    .build();
}

const userLine = (principal: string): HeaderLine => ["x-user", principal];

async function createProperty(endpoint: Endpoint, server: Server): Promise<Property> {
  const session = await LegacySession.open(endpoint, [userLine(OWNER)]);
  const [asking, finished] = await Promise.all([
    createTask(endpoint, "ask_later", "input_required"),
    createTask(endpoint, "work", "completed"),
  ]);
  const stream = await session.start("tools/call", { name: "ask", arguments: {} }, 900);
  const eventId = await waitFor("the first event ID", () => /^id: ?(.+)$/m.exec(stream.text())?.[1]);
  stream.close();
  return { endpoint, server, session, eventId, asking, finished };
}

async function createTask(endpoint: Endpoint, name: string, status: string): Promise<string> {
  const { body } = await sendAs(endpoint, OWNER, "tools/call", { name, arguments: {} });
  const taskId = /"taskId":"([^"]+)"/.exec(body)?.[1];
  if (taskId === undefined) throw new Error(`Could not create a task: ${body}`);
  await waitFor(`a task is ${status}`, async () => {
    const task = await sendAs(endpoint, OWNER, "tasks/get", { taskId });
    return task.body.includes(`"status":"${status}"`) ? true : undefined;
  });
  return taskId;
}

function sendAs(endpoint: Endpoint, principal: string, method: string, params: Json): Promise<WireReply> {
  return endpoint.send(modernRequest(method, params, { more: [userLine(principal)] }));
}

/** Uses the IDs of the owner's session and tasks. */
async function useIds(property: Property, stranger: string, outcomes: Outcomes): Promise<void> {
  const { endpoint, session, eventId } = property;
  const lines = [userLine(stranger)];
  for (const create of sessionRequests(eventId))
    await compare(endpoint, create, { id: session.id, lines, outcomes });
  for (const task of ["asking", "finished"] as const) await useTask(property, { task, lines, outcomes });
}

/** Uses the owner's IDs, as the owner, on a server with a different name and the same store, task engine, and keys. */
async function useOtherServer(journal: Journal, outcomes: Outcomes, damage: Findings): Promise<void> {
  const engine = createTaskEngine();
  const options = { authenticate, store: createMemoryStore() };
  const [server, other] = [
    createServer(journal, { engine }),
    createServer(journal, { engine, name: "other" }),
  ];
  const [endpoint, foreignEndpoint] = [openFetch(server, options), openFetch(other, options)];
  try {
    const property = await createProperty(endpoint, server);
    await useIds({ ...property, endpoint: foreignEndpoint }, OWNER, outcomes);
    await checkProperty(property, damage);
  } finally {
    await Promise.all([endpoint.close(), foreignEndpoint.close()]);
    await engine.close();
  }
}

/** Caller with an ID that it must not use. */
interface Attempt {
  readonly id: string;
  /** Headers of the caller. */
  readonly lines: readonly HeaderLine[];
  readonly outcomes: Outcomes;
}

/** Sends a request twice: with an ID of the owner, and with an ID that does not exist. */
async function compare(
  endpoint: Endpoint,
  create: (id: string) => WireRequest,
  { id, lines, outcomes }: Attempt,
): Promise<void> {
  const toRequest = (one: string) => ({ ...create(one), headers: [...create(one).headers, ...lines] });
  const real = toRequest(id);
  const got = normal(await endpoint.send(real), id);
  const expected = normal(await endpoint.send(toRequest(fakeOf(id))), fakeOf(id));
  outcomes.attempts++;
  const what = `${endpoint.name}, ${lines.join(", ")}: ${real.method ?? "POST"} ${real.body ?? ""}`;
  if (/principal |hello|worked|input_required|working|serverInfo/.test(got))
    outcomes.successes.add(`${what} got ${got}`);
  if (got !== expected) outcomes.differences.add(`${what} got ${got} instead of ${expected}`);
}

/** Uses the ID of a task with all methods, and follows the task. */
async function useTask(
  property: Property,
  { task, ...attempt }: Omit<Attempt, "id"> & { readonly task: "asking" | "finished" },
): Promise<void> {
  const { endpoint, [task]: id } = property;
  for (const create of taskRequests()) await compare(endpoint, create, { ...attempt, id });
  await followTask(endpoint, { ...attempt, id });
}

/** Follows a task on a stream. The acknowledgement lists the tasks that the caller may follow. */
async function followTask(endpoint: Endpoint, { id: taskId, lines, outcomes }: Attempt): Promise<void> {
  const follow = async (id: string) => {
    const params = { notifications: { taskIds: [id] } };
    const stream = await endpoint.open(modernRequest("subscriptions/listen", params, { more: lines }));
    await waitFor("the acknowledgement", () => (stream.text().includes("acknowledged") ? true : undefined));
    // The first state of a task follows the acknowledgement immediately.
    await sleep(20);
    stream.close();
    return stream.text();
  };
  const [got, expected] = [await follow(taskId), await follow(fakeOf(taskId))];
  outcomes.attempts++;
  const what = `${endpoint.name}, ${lines.join(", ")}`;
  if (got.includes(taskId)) outcomes.successes.add(`${what}: follows a task: ${got}`);
  if (got !== expected) outcomes.differences.add(`${what}: ${got} instead of ${expected}`);
}

/** Returns an ID of the same form that does not exist. */
function fakeOf(id: string): string {
  return id.replaceAll(/[A-Za-z0-9]/g, (letter) => (/\d/.test(letter) ? "7" : letter <= "Z" ? "Q" : "q"));
}

/** Returns a response as text, without its date and without the ID that was sent. */
function normal({ status, headers, body }: WireReply, id: string): string {
  const { date: _date, ...rest } = headers;
  return JSON.stringify([
    status,
    Object.entries(rest).toSorted(([one], [other]) => one.localeCompare(other)),
    body,
  ]).replaceAll(id, "ID");
}

/** Cancels, answers, and unsubscribes from the stranger's own session and without one, with the owner's IDs. */
async function disturb(
  property: Property,
  stranger: string,
  { journal, outcomes }: { readonly journal: Journal; readonly outcomes: Outcomes },
): Promise<void> {
  const { endpoint, session, server, eventId } = property;
  const label = `${endpoint.name}, stranger ${STRANGERS.indexOf(stranger)}`;
  const other = await LegacySession.open(endpoint, [userLine(stranger)]);
  const params = { name: "wait", arguments: { label }, _meta: { progressToken: label } };
  const call = await session.start("tools/call", params, 41);
  const question = await session.start("tools/call", { name: "ask", arguments: {} }, 42);
  const listening = await session.listen();
  const overhearing = await other.listen();
  await session.request("resources/subscribe", { uri: BOARD });
  await waitFor("the call runs", () => (call.text().includes("begun") ? true : undefined));
  const asked = await waitFor(
    "the question",
    () => /"id":("[^"]+"|\d+),"method":"elicitation/.exec(question.text())?.[1],
  );

  const cancel = (requestId: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId },
  });
  const answer = {
    jsonrpc: "2.0",
    id: JSON.parse(asked) as unknown,
    result: { action: "accept", content: { name: stranger } },
  };
  const messages = [cancel(41), cancel(42), cancel("41"), answer, { ...answer, id: String(answer.id) }];
  for (const message of messages) {
    await other.post(message);
    await endpoint.send({
      ...modernRequest("notifications/cancelled", {}, { more: [userLine(stranger)] }),
      body: JSON.stringify(message),
    });
    outcomes.attempts += 2;
  }
  await other.request("resources/unsubscribe", { uri: BOARD });
  const resumed = await other.resume(eventId);
  outcomes.attempts += 2;
  void server.resourceUpdated(BOARD);
  await waitFor("the owner's update", () => (listening.text().includes(BOARD) ? true : undefined));
  await session.post({ ...answer, result: { action: "accept", content: { name: OWNER } } });
  await waitFor("the owner's answer", () => (question.text().includes(`hello ${OWNER}`) ? true : undefined));
  journal.gate.emit("release");
  await waitFor("the end of the call", () => (call.text().includes(`waited ${label}`) ? true : undefined));
  if (journal.cancelled.includes(label)) outcomes.successes.add(`${label}: cancelled the owner's call`);
  if (journal.answers.includes(stranger)) outcomes.successes.add(`${label}: answered the owner's question`);
  // Events for the owner would have arrived together with the owner's own.
  await sleep(20);
  for (const heard of [overhearing, resumed]) {
    if (/begun|waited|hello|board:/.test(heard.text()))
      outcomes.successes.add(`${label}: received ${heard.text()}`);
    heard.close();
  }
  for (const stream of [call, question, listening]) stream.close();
  await other.end();
}

/** Checks that the owner still has everything, as it was. */
async function checkProperty(
  { endpoint, session, asking, finished }: Property,
  damage: Findings,
): Promise<void> {
  const task = await sendAs(endpoint, OWNER, "tasks/get", { taskId: asking });
  if (!task.body.includes('"status":"input_required"')) damage.add(`the open question is now ${task.body}`);
  const result = await sendAs(endpoint, OWNER, "tasks/get", { taskId: finished });
  if (!result.body.includes(`worked for ${OWNER}`)) damage.add(`the finished task is now ${result.body}`);
  const reply = await session.request("tools/call", { name: "whoami", arguments: {} });
  if (!reply.body.includes(`principal ${OWNER}`))
    damage.add(`the session responds with ${reply.status} ${reply.body}`);
}
