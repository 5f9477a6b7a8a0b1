/**
 * @fileoverview Sends altered, foreign, and expired `requestState` values. The client stores the state between two
 * rounds of a call, so it can change the state or use it elsewhere.
 * @module tools/attack/scenarios/request-state
 */
import { Buffer } from "node:buffer";
import { type Call, defineServer, form } from "tenon";
import { z } from "zod";
import { type Endpoint, forEachLimited, openFetch } from "../clients/endpoints.js";
import { type HeaderLine, type Json, modernRequest } from "../clients/messages.js";
import { type AttackContext, Findings } from "../context.js";

const KEY = "key of the attacked server, 32 bytes or more";
const NEXT_KEY = "key after the rotation, also 32 bytes or more";
const FOREIGN_KEY = "key of a different server, 32 bytes or more";
const TTL_MS = 60_000;

/** Call with questions. */
interface AskedCall {
  readonly user: string;
  readonly method: "tools/call" | "prompts/get";
  readonly name: string;
  readonly args: Json;
}

/** State that a client received, the call that it belongs to, and the answers to send with it. */
interface HeldState {
  readonly call: AskedCall;
  readonly state: string;
  readonly answers: Json;
  /** Response of the next round. */
  readonly next: string;
}

/** Clock that the attack can move. */
interface Clock {
  now: number;
}

const REJECTION = "`requestState` is invalid or expired";
const CITIES = ["Riga", "Lima", "Oslo"];
const CALLS: readonly AskedCall[] = ["ada", "bob"].flatMap((user) => [
  ...CITIES.map((city): AskedCall => ({
    user,
    method: "tools/call",
    name: "book",
    args: { city, nights: 2 },
  })),
  { user, method: "tools/call", name: "cancel", args: { city: "Riga", nights: 2 } },
  { user, method: "prompts/get", name: "book", args: { city: "Riga" } },
]);
const ANSWERS: readonly Json[] = [
  { guest: { action: "accept", content: { name: "Ada" } } },
  { seat: { action: "accept", content: { name: "window" } } },
];

/** Runs the attack. */
export async function requestState(context: AttackContext): Promise<void> {
  const { figures, print } = context;
  const clock = { now: 1_000_000_000 };
  const endpoint = openServer([KEY], clock);
  try {
    const held = (await Promise.all(CALLS.map((call) => askTwice(endpoint, call)))).flat();
    figures.exactly("honest rounds that were accepted", held.length, 2 * CALLS.length);
    const flips = new Findings(print);
    await flipBits(context, { endpoint, held, accepted: flips });
    figures.exactly("accepted: single-bit flips", flips.count, 0);
    for (const [name, attack] of Object.entries(ATTACKS)) {
      const accepted = new Findings(print);
      const attempts = held.flatMap((one) => attack(one, held));
      await forEachLimited(attempts, 16, async (attempt) => {
        const reply = await retry(endpoint, attempt);
        if (!isRejected(reply)) accepted.add(`${name}: ${JSON.stringify(attempt.call)} got ${reply}`);
      });
      figures.atLeast(`attempts: ${name}`, attempts.length, 1);
      figures.exactly(`accepted: ${name}`, accepted.count, 0);
    }
    await replay(context, endpoint, held);
    await expire(context, { endpoint, held, clock });
    await rotate(context, held, clock);
  } finally {
    await endpoint.close();
  }
}

function openServer(keys: readonly string[], clock: Clock): Endpoint {
  const schema = z.object({ name: z.string() });
  const ask = async (call: Call, done: string) => {
    const order = await call.once("order", () => "order 1");
    const guest = await call.input("guest", form({ message: "Who?", schema }));
    const seat = await call.input("seat", form({ message: "Seat?", schema }));
    const names = [guest, seat].map((one) => (one.action === "accept" ? one.content.name : one.action));
    return `${done} ${order} ${call.auth?.principal} ${names.join(" ")}`;
  };
  const input = z.object({ city: z.string(), nights: z.int(), spa: z.boolean().optional() });
  const server = defineServer({
    name: "state",
    version: "1.0.0",
    state: { keys, ttlMs: TTL_MS },
    ports: { now: () => clock.now },
  })
    .tool("book", { input, handler: (_, call) => ask(call, "booked") })
    .tool("cancel", { input, handler: (_, call) => ask(call, "cancelled") })
    .prompt("book", {
      arguments: z.object({ city: z.string() }),
      handler: (_, call) => ask(call, "prompted"),
    })
    .build();
  return openFetch(server, {
    authenticate: ({ header }) => ({ auth: { principal: header("x-user") ?? "", scopes: [] } }),
  });
}

/** Answers both questions, and returns the state of each round. @throws if the server does not accept them */
async function askTwice(endpoint: Endpoint, call: AskedCall): Promise<readonly HeldState[]> {
  const first = readState(await send(endpoint, call, {}));
  const [guest = {}, seat = {}] = ANSWERS;
  const second = await send(endpoint, call, { requestState: first, inputResponses: guest });
  const state = readState(second);
  const last = await send(endpoint, call, { requestState: state, inputResponses: seat });
  if (!last.includes(`order 1 ${call.user} Ada window`)) throw new Error(`An honest call got ${last}`);
  return [
    { call, state: first, answers: guest, next: second },
    { call, state, answers: seat, next: last },
  ];
}

function readState(reply: string): string {
  const state = /"requestState":"([\w-]+)"/.exec(reply)?.[1];
  if (state === undefined) throw new Error(`An honest call got ${reply}`);
  return state;
}

async function send(
  endpoint: Endpoint,
  { user, method, name, args }: AskedCall,
  more: Json,
): Promise<string> {
  const users: readonly HeaderLine[] = [["x-user", user]];
  return (await endpoint.send(modernRequest(method, { name, arguments: args, ...more }, { more: users })))
    .body;
}

const retry = (endpoint: Endpoint, { call, state, answers }: Omit<HeldState, "next">) =>
  send(endpoint, call, { requestState: state, inputResponses: answers });

function isRejected(reply: string): boolean {
  return reply.includes(REJECTION) && !reply.includes('"result"');
}

/** Flips single bits of the encrypted bytes, and of the text that encodes them. */
async function flipBits(
  { scale, random, print, figures }: AttackContext,
  {
    endpoint,
    held,
    accepted,
  }: { readonly endpoint: Endpoint; readonly held: readonly HeldState[]; readonly accepted: Findings },
): Promise<void> {
  let sent = 0;
  const total = held.reduce((bits, { state }) => bits + Buffer.from(state, "base64url").length * 8, 0);
  await forEachLimited(Array.from({ length: scale.bitFlips }), 16, async () => {
    const one = random.pick(held);
    const state = random.chance(0.7) ? flipByte(one.state, random) : flipText(one.state, random);
    const reply = await retry(endpoint, { ...one, state });
    if (!isRejected(reply)) accepted.add(`${one.state} as ${state} got ${reply}`);
    if (++sent % 20_000 === 0) print(`${sent} bit flips`);
  });
  figures.exactly("single-bit flips", sent, scale.bitFlips);
  figures.note("bits in the original states", total);
}

function flipByte(state: string, random: AttackContext["random"]): string {
  const bytes = Buffer.from(state, "base64url");
  const at = random.between(0, bytes.length - 1);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7));
  return bytes.toString("base64url");
}

function flipText(state: string, random: AttackContext["random"]): string {
  const at = random.between(0, state.length - 1);
  const code = state.charCodeAt(at) ^ (1 << random.between(0, 6));
  return state.slice(0, at) + String.fromCharCode(code) + state.slice(at + 1);
}

/** Numbers of bytes that are taken from the first state. The parts of a state end at 5, 17, and 16 before its end. */
const CUTS = [5, 9, 17, 40, -16];

type Attack = (held: HeldState, all: readonly HeldState[]) => readonly HeldState[];

const withCall = (held: HeldState, change: Partial<AskedCall>): HeldState => ({
  ...held,
  call: { ...held.call, ...change },
});

const ATTACKS: Readonly<Record<string, Attack>> = {
  "other users": (held) =>
    ["eve", "", "Ada", "ada2", "null", held.call.user === "ada" ? "bob" : "ada"].map((user) =>
      withCall(held, { user }),
    ),
  "other tools and methods": (held) => {
    const { method, name } = held.call;
    if (method === "prompts/get")
      return [withCall(held, { method: "tools/call", args: { city: "Riga", nights: 2 } })];
    const prompt = withCall(held, {
      method: "prompts/get",
      name: "book",
      args: { city: String(held.call.args["city"]) },
    });
    return [withCall(held, { name: name === "book" ? "cancel" : "book" }), prompt];
  },
  "other arguments": (held) => {
    const { method, args } = held.call;
    if (method === "prompts/get") return [withCall(held, { args: { city: "Paris" } })];
    return [
      { ...args, city: "Paris" },
      { ...args, nights: 3 },
      { ...args, spa: true },
      { ...args, city: `${String(args["city"])} ` },
    ].map((other) => withCall(held, { args: other }));
  },
  "parts of two states": (held, all) =>
    all.flatMap((other) => {
      const [head, tail] = [held.state, other.state].map((state) => Buffer.from(state, "base64url"));
      if (head === undefined || tail === undefined) return [];
      return CUTS.map((cut) =>
        Buffer.concat([head.subarray(0, cut), tail.subarray(cut)]).toString("base64url"),
      )
        .filter((state) => state !== held.state && state !== other.state)
        .map((state) => ({ ...held, state }));
    }),
  "other spellings and lengths": (held) => {
    const { state } = held;
    const bytes = Buffer.from(state, "base64url");
    const texts = [
      "",
      "A",
      " ",
      `${state}=`,
      `${state}==`,
      ` ${state}`,
      `${state}\n`,
      `${state}AAAA`,
      state.slice(0, -4),
    ];
    const wide = [
      bytes.toString("hex"),
      `${state}.${state}`,
      "A".repeat(70_000),
      JSON.stringify({ answers: {}, once: {} }),
    ];
    return [...texts, ...wide].map((text) => ({ ...held, state: text }));
  },
};

/** Repeats every accepted round. The same caller and call get the same result, because nothing is stored. */
async function replay(
  { figures, print }: AttackContext,
  endpoint: Endpoint,
  held: readonly HeldState[],
): Promise<void> {
  const different = new Findings(print);
  // The state of the next round has new random bytes.
  const comparable = (reply: string) => reply.replace(/"requestState":"[\w-]+"/, "");
  for (const one of held) {
    const reply = await retry(endpoint, one);
    if (comparable(reply) !== comparable(one.next))
      different.add(`A replay got ${reply} instead of ${one.next}`);
  }
  figures.atLeast("replays of the same call", held.length, 1);
  figures.exactly("replays of the same call with a different result", different.count, 0);
}

async function expire(
  { figures, print }: AttackContext,
  {
    endpoint,
    held,
    clock,
  }: { readonly endpoint: Endpoint; readonly held: readonly HeldState[]; readonly clock: Clock },
): Promise<void> {
  const accepted = new Findings(print);
  const start = clock.now;
  clock.now = start + TTL_MS - 1;
  const valid = await Promise.all(held.map((one) => retry(endpoint, one)));
  for (const later of [TTL_MS, TTL_MS + 1, TTL_MS * 1_000]) {
    clock.now = start + later;
    for (const one of held) {
      const reply = await retry(endpoint, one);
      if (!isRejected(reply)) accepted.add(`a state after ${later} ms got ${reply}`);
    }
  }
  clock.now = start;
  figures.exactly("rejected one millisecond before the end", valid.filter(isRejected).length, 0);
  figures.exactly("accepted: expired", accepted.count, 0);
}

/** Sends the states to servers with other keys. */
async function rotate(
  { figures, print }: AttackContext,
  held: readonly HeldState[],
  clock: Clock,
): Promise<void> {
  const accepted = new Findings(print);
  const rejected = new Findings(print);
  const servers = [
    { keys: [NEXT_KEY, KEY], isKnown: true },
    { keys: [NEXT_KEY], isKnown: false },
    { keys: [FOREIGN_KEY, NEXT_KEY], isKnown: false },
  ];
  for (const { keys, isKnown } of servers) {
    const endpoint = openServer(keys, clock);
    for (const one of held) {
      const reply = await retry(endpoint, one);
      if (isKnown && isRejected(reply)) rejected.add(`a state with an older key got ${reply}`);
      if (!isKnown && !isRejected(reply)) accepted.add(`a state with a removed key got ${reply}`);
    }
    await endpoint.close();
  }
  figures.exactly("rejected while the old key is configured", rejected.count, 0);
  figures.exactly("accepted: keys that were removed", accepted.count, 0);
}
