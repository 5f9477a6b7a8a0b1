/**
 * @fileoverview Sends forged access tokens to every kind of endpoint, in both eras.
 * @module tools/attack/scenarios/tokens
 */
import { createAuthorization } from "@tenon/auth";
import { defineServer } from "tenon";
import { ATTACKS } from "../../tokens/attack-tokens.js";
import { type Door, openDoors } from "../../tokens/doors.js";
import { createCast, publishedKeys } from "../../tokens/forge.js";
import { goodClaims, RESOURCE, startIssuer } from "../../tokens/issuer.js";
import { signToken } from "../../tokens/tokens.js";
import { type HeaderLine, initializeRequest, modernRequest, type WireRequest } from "../clients/messages.js";
import { type AttackContext, Findings } from "../context.js";

/** Minimum number of different forged tokens. */
const MIN_TOKENS = 250;

/** Runs the attack. */
export async function tokens({ figures, print }: AttackContext): Promise<void> {
  const [issuer, trap] = await Promise.all([startIssuer(), startIssuer()]);
  const cast = createCast(issuer.url, trap.url);
  issuer.publish(publishedKeys(cast));
  let calls = 0;
  const doors = await openDoors(
    () =>
      defineServer({ name: "guarded", version: "1.0.0" })
        .tool("touch", { handler: () => `touched ${++calls}` })
        .build(),
    createAuthorization({ mode: "oauth", issuer: issuer.url, resource: RESOURCE }),
  );
  const accepted = new Findings(print);
  const rejected = new Findings(print);
  let sent = 0;
  const isHonest = async (door: Door) => {
    const valid = signToken({ alg: "ES256", kid: "ec" }, goodClaims(issuer.url), cast.ec);
    for (const request of requestsWith(valid)) {
      const { status, body } = await send(door, request);
      if (status !== 200) rejected.add(`${door.name}: a valid token got ${status} ${body}`);
    }
  };
  try {
    for (const door of doors) {
      await isHonest(door);
      const before = calls;
      for (const [name, , forge] of ATTACKS) {
        for (const request of requestsWith(forge(cast))) {
          sent++;
          const { status, body } = await send(door, request);
          if (status !== 401) accepted.add(`${door.name}: ${name} got ${status} ${body}`);
        }
      }
      if (calls !== before) accepted.add(`${door.name}: ${calls - before} calls ran`);
      await isHonest(door);
      print(`${sent} requests`);
    }
  } finally {
    await Promise.all([...doors, issuer, trap].map((one) => one.close()));
  }
  figures.atLeast("forged tokens", new Set(ATTACKS.map(([name]) => name)).size, MIN_TOKENS);
  figures.atLeast("requests", sent, ATTACKS.length * doors.length * 2);
  figures.exactly("accepted", accepted.count, 0);
  figures.exactly("requests to addresses in tokens", trap.asked.length, 0);
  figures.exactly("valid tokens that were rejected", rejected.count, 0);
}

function requestsWith(token: string): readonly WireRequest[] {
  const line: HeaderLine = ["authorization", `Bearer ${token}`];
  return [
    initializeRequest([line]),
    modernRequest("tools/call", { name: "touch", arguments: {} }, { more: [line] }),
  ];
}

async function send(door: Door, { headers, body }: WireRequest): Promise<{ status: number; body: string }> {
  // `fetch` sends its own Host.
  const lines = headers
    .filter(([name]) => name !== "Host")
    .map(([name, value]): [string, string] => [name, value]);
  const response = await door.fetch({
    method: "POST",
    headers: lines,
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: await response.text() };
}
