/**
 * @fileoverview Sends requests whose headers name a different method, item, version, or session than the body. A proxy
 * that routes or filters by these headers must see the item that the server uses.
 * @module tools/attack/scenarios/headers
 */
import { type Call, defineServer } from "tenon";
import { tasks } from "tenon/tasks";
import { z } from "zod";
import { type Endpoint, forEachLimited, openEndpoints } from "../clients/endpoints.js";
import {
  type HeaderLine,
  initializeRequest,
  type Json,
  LEGACY,
  legacyBody,
  MODERN,
  modernBody,
  modernHeaders,
  modernRequest,
  PLAIN,
} from "../clients/messages.js";
import { type AttackContext, Findings, sample } from "../context.js";
import {
  encoded,
  methodValues,
  nameValues,
  type ValueCase,
  VERSION_VALUES,
} from "../corpora/header-values.js";

const ALPHA = "attack://alpha";
const BETA = "attack://beta";

/** Method with a header for a name, and the text that only the named item results in. */
interface NamedMethod {
  readonly method: string;
  readonly params: Json;
  readonly name: string;
  readonly other: string;
  /** Text of every valid response. */
  readonly proof: string;
}

/** Runs the attack. */
export async function headers(context: AttackContext): Promise<void> {
  const { figures, print } = context;
  const used: string[] = [];
  const endpoints = await openEndpoints(() => createServer(used));
  const accepted = new Findings(print);
  const rejected = new Findings(print);
  let sent = 0;
  try {
    for (const endpoint of endpoints) {
      for (const named of await createMethods(endpoint)) {
        sent += await attackMethod(context, { endpoint, named, used, accepted, rejected });
        print(`${sent} requests`);
      }
      sent += await attackBodies(endpoint, accepted);
      sent += await attackArguments(endpoint, { accepted, rejected });
      sent += await attackVersions(endpoint, accepted);
    }
  } finally {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  }
  figures.atLeast("requests", sent, context.isShort ? 500 : 10_000);
  figures.exactly("wrongly accepted", accepted.count, 0);
  figures.exactly("wrongly rejected", rejected.count, 0);
}

function createServer(used: string[]) {
  const note = (item: string) => {
    used.push(item);
    return item;
  };
  const hold = async (_: unknown, call: Call) => {
    await new Promise<void>((resolve) => {
      call.signal.addEventListener("abort", () => resolve());
    });
    return "held";
  };
  const region = { type: "string", "x-mcp-header": "Region" } as const;
  return defineServer({ name: "headers", version: "1.0.0" })
    .extension(tasks({ closeGraceMs: 0 }))
    .tool("alpha", { handler: () => note("tool alpha") })
    .tool("beta", { handler: () => note("tool beta") })
    .tool("hold", { task: "required", handler: hold })
    .tool("regional", {
      input: z.object({ region: z.string().meta(region).optional() }),
      handler: ({ region: at }) => note(`region ${at}`),
    })
    .prompt("alpha", { handler: () => note("prompt alpha") })
    .prompt("beta", { handler: () => note("prompt beta") })
    .resource("alpha", { uri: ALPHA, handler: () => note("resource alpha") })
    .resource("beta", { uri: BETA, handler: () => note("resource beta") })
    .build();
}

async function createMethods(endpoint: Endpoint): Promise<readonly NamedMethod[]> {
  const pair = { name: "alpha", other: "beta" };
  const [one, two] = await Promise.all([createTask(endpoint), createTask(endpoint)]);
  const params = { taskId: one };
  return [
    { method: "tools/call", params: { name: "alpha", arguments: {} }, ...pair, proof: "tool alpha" },
    { method: "prompts/get", params: { name: "alpha" }, ...pair, proof: "prompt alpha" },
    { method: "resources/read", params: { uri: ALPHA }, name: ALPHA, other: BETA, proof: "resource alpha" },
    { method: "tasks/get", params, name: one, other: two, proof: '"working"' },
    {
      method: "tasks/update",
      params: { ...params, inputResponses: {} },
      name: one,
      other: two,
      proof: '"result"',
    },
  ];
}

async function createTask(endpoint: Endpoint): Promise<string> {
  const { body } = await endpoint.send(modernRequest("tools/call", { name: "hold", arguments: {} }));
  const taskId = /"taskId":"([^"]+)"/.exec(body)?.[1];
  if (taskId === undefined) throw new Error(`Could not create a task: ${body}`);
  return taskId;
}

interface Attacked {
  readonly endpoint: Endpoint;
  readonly named: NamedMethod;
  readonly used: string[];
  readonly accepted: Findings;
  readonly rejected: Findings;
}

async function attackMethod(context: AttackContext, attacked: Attacked): Promise<number> {
  const { endpoint, named, used, accepted, rejected } = attacked;
  const { method, params, name, other, proof } = named;
  const all = nameValues(name, other).flatMap((nameCase) =>
    methodValues(method).flatMap((methodCase) =>
      VERSION_VALUES.map((version) => [nameCase, methodCase, version]),
    ),
  );
  const body = modernBody(method, params);
  const combinations = sample(all, context.scale.headerCombinations, context.random);
  // One at a time, so that every use of an item belongs to a request.
  for (const combination of combinations) {
    const lines = ["Mcp-Name", "Mcp-Method", "MCP-Protocol-Version"].flatMap(
      (header, at) => (combination[at] as ValueCase).values.map((value): HeaderLine => [header, value]), // Safe: there are three cases
    );
    used.length = 0;
    const reply = await endpoint.send({ headers: [...PLAIN, ...lines], body });
    const isServed = reply.status === 200 && reply.body.includes(proof);
    const isRejected = reply.status === 400 && reply.body.includes('"error"') && used.length === 0;
    const what = `${endpoint.name}, ${method}, ${JSON.stringify(lines)} got ${reply.status} ${reply.body}`;
    const isRight = combination.every((one) => one.isRight);
    if (isRight && !isServed) rejected.add(what);
    if (!isRight && !isRejected) accepted.add(what);
  }
  return combinations.length;
}

/** Bodies with more than one name. Only the field that the specification names may select the item. */
async function attackBodies(endpoint: Endpoint, accepted: Findings): Promise<number> {
  const spellings = ["alpha", "beta", ALPHA, BETA];
  const cases = [
    ...spellings.flatMap((name) => [
      { method: "resources/read", params: { uri: ALPHA, name }, header: ALPHA, secret: "resource beta" },
      {
        method: "resources/read",
        params: { name, uri: ALPHA, _meta: { name } },
        header: ALPHA,
        secret: "resource beta",
      },
    ]),
    { method: "resources/read", params: { name: "beta" }, header: ALPHA, secret: "resource beta" },
    { method: "resources/read", params: { name: "beta" }, header: undefined, secret: "resource beta" },
    {
      method: "resources/read",
      params: { uri: [BETA], name: "beta" },
      header: ALPHA,
      secret: "resource beta",
    },
    { method: "resources/read", params: { uri: null, name: "beta" }, header: ALPHA, secret: "resource beta" },
    {
      method: "tools/call",
      params: { name: "alpha", uri: "beta", taskId: "beta" },
      header: "beta",
      secret: "tool alpha",
    },
    { method: "tools/call", params: { name: "beta", uri: "alpha" }, header: "alpha", secret: "tool beta" },
    { method: "tools/call", params: { name: ["alpha"] }, header: "alpha", secret: "tool alpha" },
    { method: "prompts/get", params: { name: "beta", uri: "alpha" }, header: "alpha", secret: "prompt beta" },
  ];
  for (const { method, params, header, secret } of cases) {
    const names: readonly HeaderLine[] = header === undefined ? [] : [["Mcp-Name", header]];
    const lines = [...PLAIN, ...modernHeaders(method), ...names];
    const reply = await endpoint.send({ headers: lines, body: modernBody(method, params) });
    if (reply.body.includes(secret))
      accepted.add(
        `${endpoint.name}, ${method} ${JSON.stringify(params)} with Mcp-Name ${header} got ${reply.body}`,
      );
  }
  return cases.length;
}

/** Tool arguments that a header repeats. */
async function attackArguments(
  endpoint: Endpoint,
  { accepted, rejected }: { readonly accepted: Findings; readonly rejected: Findings },
): Promise<number> {
  const cases: readonly (readonly [
    region: string | undefined,
    values: readonly string[],
    isRight: boolean,
  ])[] = [
    ["eu", ["eu"], true],
    ["eu", [encoded("eu")], true],
    [undefined, [], true],
    ["eu", [], false],
    ["eu", ["us"], false],
    ["eu", ["EU"], false],
    ["eu", [encoded("us")], false],
    ["eu", ["eu", "us"], false],
    ["eu", ["us", "eu"], false],
    [undefined, ["eu"], false],
    ["eu, us", ["eu", "us"], true],
  ];
  for (const [region, values, isRight] of cases) {
    const params = { name: "regional", arguments: region === undefined ? {} : { region } };
    const more = values.map((value): HeaderLine => ["Mcp-Param-Region", value]);
    const reply = await endpoint.send(modernRequest("tools/call", params, { more }));
    const isServed = reply.body.includes(`region ${region}`);
    const what = `${endpoint.name}, region ${region} with ${JSON.stringify(values)} got ${reply.status} ${reply.body}`;
    if (isRight && !isServed) rejected.add(what);
    if (!isRight && (isServed || reply.status !== 400)) accepted.add(what);
  }
  return cases.length;
}

/** Bodies of one era with the headers of the other, and session IDs that do not belong to the request. */
async function attackVersions(endpoint: Endpoint, accepted: Findings): Promise<number> {
  const sessions = await Promise.all(
    [1, 2].map(async () => (await endpoint.send(initializeRequest())).headers["mcp-session-id"] ?? ""),
  );
  const [mine = "", other = ""] = sessions;
  if (mine === "" || other === "") throw new Error("Could not open two sessions.");
  const call = { name: "alpha", arguments: {} };
  const session = (...ids: readonly string[]) => ids.map((id): HeaderLine => ["Mcp-Session-Id", id]);
  const version = (value: string): HeaderLine => ["MCP-Protocol-Version", value];
  const legacy = legacyBody("tools/call", call);
  const cases: readonly (readonly [string, readonly HeaderLine[], string])[] = [
    ["a stateless version for a body of a session", [version(MODERN), ...session(mine)], legacy],
    ["an unknown version for a body of a session", [version("2999-12-31"), ...session(mine)], legacy],
    ["two versions for a body of a session", [version(LEGACY), version(MODERN), ...session(mine)], legacy],
    ["two sessions", [version(LEGACY), ...session(mine, other)], legacy],
    ["the same session twice in one line", [version(LEGACY), ...session(`${mine}, ${mine}`)], legacy],
    ["a part of a session ID", [version(LEGACY), ...session(mine.slice(0, -1))], legacy],
    ["a session ID in different case", [version(LEGACY), ...session(swapCase(mine))], legacy],
    ["no session", [version(LEGACY)], legacy],
    ["an empty session ID", [version(LEGACY), ...session("")], legacy],
    ["initialize in a session", session(mine), initializeRequest().body ?? ""],
    [
      "a version of sessions for a stateless body",
      [version(LEGACY), ...session(mine)],
      modernBody("tools/call", call),
    ],
    [
      "a batch with a stateless request",
      [version(LEGACY), ...session(mine)],
      `[${modernBody("tools/call", call)}]`,
    ],
  ];
  await forEachLimited(cases, 4, async ([what, lines, body]) => {
    const reply = await endpoint.send({ headers: [...PLAIN, ...lines], body });
    const isServed = reply.body.includes("tool alpha") || reply.body.includes("serverInfo");
    if (isServed || reply.status < 400)
      accepted.add(`${endpoint.name}, ${what} got ${reply.status} ${reply.body}`);
  });
  return cases.length;
}

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
