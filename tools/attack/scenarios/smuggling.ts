/**
 * @fileoverview Hides requests in other requests over raw sockets. The server must never handle a hidden request, and
 * must never send a response to a different request than the one that the client expects.
 * @module tools/attack/scenarios/smuggling
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Server as HttpServer } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { defineServer } from "tenon";
import { toFetch } from "tenon/fetch";
import { z } from "zod";
import { forEachLimited, openNode } from "../clients/endpoints.js";
import { modernRequest, toText, type WireReply } from "../clients/messages.js";
import { exchangeRaw } from "../clients/raw-socket.js";
import { type AttackContext, Findings } from "../context.js";
import { type Shape, SHAPES } from "../corpora/smuggling-shapes.js";

/** Listening endpoint. */
interface Target {
  readonly name: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** One shape, sent in pieces. */
interface Run {
  readonly shape: Shape;
  readonly number: number;
  readonly cuts: number;
}

interface Outcomes {
  readonly handled: ReadonlySet<string>;
  readonly hidden: Findings;
  readonly outOfStep: Findings;
  readonly stuck: Findings;
}

/** Time without data after which the client stops waiting, in milliseconds, for shapes after which a server may wait. */
const QUIET_MS = 1_500;

/** The same time for all other shapes. On a busy machine, an answer can take seconds. */
const STUCK_MS = 120_000;

/** Runs the attack. */
export async function smuggling(context: AttackContext): Promise<void> {
  const { figures, print, scale } = context;
  const handled = new Set<string>();
  const outcomes: Outcomes = {
    handled,
    hidden: new Findings(print),
    outOfStep: new Findings(print),
    stuck: new Findings(print),
  };
  const targets = await openTargets(handled);
  let exchanges = 0;
  try {
    for (const target of targets) {
      const runs = SHAPES.flatMap((shape) =>
        Array.from({ length: scale.splits }, (_, cuts): Run => ({ shape, cuts, number: ++exchanges })),
      );
      await forEachLimited(runs, 24, (run) => attack(context, { target, run, outcomes }));
      print(`${exchanges} exchanges, the last ones with ${target.name}`);
    }
  } finally {
    await Promise.all(targets.map((target) => target.close()));
  }
  figures.atLeast("shapes", SHAPES.length, 150);
  figures.atLeast("exchanges", exchanges, SHAPES.length * 2);
  figures.exactly("hidden requests that were handled", outcomes.hidden.count, 0);
  figures.exactly("responses that were out of step", outcomes.outOfStep.count, 0);
  figures.exactly("connections that neither closed nor went on", outcomes.stuck.count, 0);
  figures.atLeast(
    "requests after a shape that were handled",
    [...handled].filter((label) => label.startsWith("after")).length,
    1,
  );
}

async function openTargets(handled: Set<string>): Promise<readonly Target[]> {
  const createServer = () =>
    defineServer({ name: "smuggling", version: "1.0.0" })
      .tool("mark", {
        input: z.object({ label: z.string() }),
        handler: ({ label }) => {
          handled.add(label);
          return label;
        },
      })
      .build();
  const node = await openNode(createServer());
  const handler = toFetch(createServer());
  const http = createAdaptorServer({ fetch: handler }) as HttpServer; // Safe: always this type without TLS
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo; // Safe: listening on a port
  const close = async () => {
    await handler.close(0);
    http.close();
    http.closeAllConnections();
  };
  return [
    { name: "serve", port: node.port, close: () => node.close() },
    { name: "toFetch on node:http", port, close },
  ];
}

async function attack(
  { random }: AttackContext,
  { target, run, outcomes }: { readonly target: Target; readonly run: Run; readonly outcomes: Outcomes },
): Promise<void> {
  const { shape, number, cuts } = run;
  const [outer, hidden, after] = ["outer", "hidden", "after"].map((kind) => `${kind} ${number}`) as [
    string,
    string,
    string,
  ]; // Safe: three labels
  const text = shape.create(partsOf(outer, hidden));
  const pieces = [...split(text, cuts, random), callOf(after)];
  const isDone = (replies: readonly WireReply[]) => replies.some(({ body }) => body.includes(after));
  const quietMs = shape.mayWait === true ? QUIET_MS : STUCK_MS;
  const { replies, text: got, isClosed } = await exchangeRaw(target.port, { pieces, isDone, quietMs });
  const what = `${target.name}, ${shape.name}, ${cuts} cuts: ${JSON.stringify(got)}`;
  if (outcomes.handled.has(hidden) || got.includes(hidden)) outcomes.hidden.add(what);
  // A response to the second request must be the second one, and there are only two requests.
  const at = replies.findIndex(({ body }) => body.includes(after));
  if (replies.length > 2 || at === 0 || replies.slice(1).some(({ body }) => body.includes(outer)))
    outcomes.outOfStep.add(what);
  if (!isClosed && at < 0 && shape.mayWait !== true) outcomes.stuck.add(what);
}

function callOf(label: string): string {
  return toText(modernRequest("tools/call", { name: "mark", arguments: { label } }, { id: label }));
}

function partsOf(outer: string, hidden: string) {
  const { headers, body = "" } = modernRequest(
    "tools/call",
    { name: "mark", arguments: { label: outer } },
    { id: outer },
  );
  return {
    lines: ["POST /mcp HTTP/1.1", ...headers.map(([name, value]) => `${name}: ${value}`)],
    body,
    hidden: callOf(hidden),
  };
}

/** Cuts text into pieces. */
function split(text: string, cuts: number, random: AttackContext["random"]): readonly string[] {
  const places = Array.from({ length: cuts }, () => random.between(1, text.length - 1)).toSorted(
    (a, b) => a - b,
  );
  return [0, ...places].map((start, at) => text.slice(start, places[at])).filter((piece) => piece !== "");
}
