/**
 * @fileoverview Sends every combination of Host, Origin, Content-Type, and Accept, in both eras, to both handlers.
 * @module tools/attack/scenarios/access
 */
import { defineServer } from "tenon";
import { type Endpoint, forEachLimited, openEndpoints } from "../clients/endpoints.js";
import {
  type HeaderLine,
  initializeRequest,
  LEGACY,
  legacyBody,
  modernBody,
  modernHeaders,
  type WireReply,
} from "../clients/messages.js";
import { type AttackContext, Findings, sample } from "../context.js";
import {
  ACCEPTS,
  CONTENT_TYPES,
  type HeaderCase,
  HOSTS,
  ORIGINS,
  type Verdict,
} from "../corpora/access-headers.js";

/** Statuses of requests that are rejected before their body is read. Node itself sends 400 without a Host. */
const REJECTED: ReadonlySet<number> = new Set([400, 403, 406, 415]);

/** Runs the attack. */
export async function access(context: AttackContext): Promise<void> {
  const { figures, print } = context;
  let calls = 0;
  const endpoints = await openEndpoints(() =>
    defineServer({ name: "access", version: "1.0.0" })
      .tool("touch", { handler: () => `touched ${++calls}` })
      .build(),
  );
  const accepted = new Findings(print);
  const rejected = new Findings(print);
  let sent = 0;
  let expected = 0;
  try {
    for (const endpoint of endpoints) {
      for (const era of ["modern", "legacy"] as const) {
        const combinations = sample(COMBINATIONS, context.scale.accessCombinations, context.random);
        const request = await createRequest(endpoint, era);
        await forEachLimited(combinations, 16, async (parts) => {
          const reply = await endpoint.send({
            headers: [...parts.flatMap(({ lines }) => lines), ...request.headers],
            body: request.body,
          });
          sent++;
          const verdict = combine(parts.map((part) => part.verdict[endpoint.name]));
          if (reply.status === 200) expected++;
          judge(reply, verdict, { accepted, rejected, what: `${endpoint.name}, ${era}, ${describe(parts)}` });
        });
        sent += await attackSessions(endpoint, request.headers, accepted);
        if (!(await isAlive(endpoint, request)))
          rejected.add(`${endpoint.name}: the ${era} client is locked out`);
        print(`${sent} requests`);
      }
    }
  } finally {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  }
  figures.atLeast("requests", sent, context.isShort ? 1_000 : 100_000);
  figures.exactly("wrongly accepted", accepted.count, 0);
  figures.exactly("wrongly rejected", rejected.count, 0);
  // Each endpoint and era has made one more call to find out if it still responds.
  figures.exactly("calls that ran without a response of 200", calls - expected - 2 * endpoints.length, 0);
}

/** All combinations of the four headers. */
const COMBINATIONS: readonly (readonly HeaderCase[])[] = HOSTS.flatMap((host) =>
  ORIGINS.flatMap((origin) =>
    CONTENT_TYPES.flatMap((type) => ACCEPTS.map((accept) => [host, origin, type, accept])),
  ),
);

function combine(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("reject")) return "reject";
  return verdicts.includes("either") ? "either" : "accept";
}

/** Request without the headers of the matrix. */
interface MatrixRequest {
  readonly headers: readonly HeaderLine[];
  readonly body: string;
}

async function createRequest(endpoint: Endpoint, era: "modern" | "legacy"): Promise<MatrixRequest> {
  const params = { name: "touch", arguments: {} };
  if (era === "modern")
    return { headers: modernHeaders("tools/call", params), body: modernBody("tools/call", params) };
  const opened = await endpoint.send(initializeRequest());
  const id = opened.headers["mcp-session-id"];
  if (id === undefined) throw new Error(`Could not open a session: ${opened.status} ${opened.body}`);
  const headers: readonly HeaderLine[] = [
    ["Mcp-Session-Id", id],
    ["MCP-Protocol-Version", LEGACY],
  ];
  return { headers, body: legacyBody("tools/call", params) };
}

function judge(
  reply: WireReply,
  verdict: Verdict,
  {
    accepted,
    rejected,
    what,
  }: { readonly accepted: Findings; readonly rejected: Findings; readonly what: string },
): void {
  const isAccepted = reply.status === 200 && reply.body.includes("touched");
  const isRejected = REJECTED.has(reply.status) && !reply.body.includes("touched");
  if (verdict === "accept" && !isAccepted) rejected.add(`${what} got ${reply.status} ${reply.body}`);
  if (verdict === "reject" && !isRejected) accepted.add(`${what} got ${reply.status} ${reply.body}`);
  if (verdict === "either" && !isAccepted && !isRejected)
    rejected.add(`${what} got ${reply.status} ${reply.body}`);
}

/** Sends the other HTTP methods with each Host and Origin that must be rejected. */
async function attackSessions(
  endpoint: Endpoint,
  headers: readonly HeaderLine[],
  accepted: Findings,
): Promise<number> {
  const pairs = HOSTS.flatMap((host) => ORIGINS.map((origin) => [host, origin] as const)).filter(
    (pair) => combine(pair.map(({ verdict }) => verdict[endpoint.name])) === "reject",
  );
  const requests = ["GET", "DELETE", "OPTIONS"].flatMap((method) => pairs.map((pair) => ({ method, pair })));
  await forEachLimited(requests, 16, async ({ method, pair }) => {
    const lines: readonly HeaderLine[] = [
      ...pair.flatMap(({ lines }) => lines),
      ["Accept", "text/event-stream"],
    ];
    const reply = await endpoint.send({ method, headers: [...lines, ...headers] });
    if (!REJECTED.has(reply.status))
      accepted.add(`${endpoint.name}, ${method}, ${describe(pair)} got ${reply.status}`);
  });
  return requests.length;
}

async function isAlive(endpoint: Endpoint, { headers, body }: MatrixRequest): Promise<boolean> {
  const plain: readonly HeaderLine[] = [
    ["Host", "localhost"],
    ["Content-Type", "application/json"],
    ["Accept", "*/*"],
  ];
  return (await endpoint.send({ headers: [...plain, ...headers], body })).status === 200;
}

function describe(parts: readonly HeaderCase[]): string {
  return JSON.stringify(parts.flatMap(({ lines }) => lines.map((line) => line.join(": "))));
}
