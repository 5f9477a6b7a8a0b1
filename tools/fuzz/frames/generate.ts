/**
 * @fileoverview Generates the JSON-RPC frames of a block. The same seed generates the same frames.
 * @module tools/fuzz/frames/generate
 */
import { Buffer } from "node:buffer";
import { createRandom, type Random } from "../../random.js";
import type { Frame } from "../block.js";
import { changeMembers, notificationMembers, requestMembers, responseMembers } from "./grammar.js";
import { mutateBytes } from "./mutations.js";
import { serverMembers } from "./server-messages.js";
import { hostileValue, toObject } from "./values.js";

/** Generates the text of a message. */
type Message = (random: Random, id: string) => string;

/** Generates frames of a client. IDs of undamaged requests are unique in the block. */
export function generateFrames(seed: number, count: number): readonly Frame[] {
  return generateWith(messageText, seed, count);
}

/** Generates frames of a hostile server. */
export function generateServerFrames(seed: number, count: number): readonly Frame[] {
  return generateWith(serverMessageText, seed, count);
}

function generateWith(message: Message, seed: number, count: number): readonly Frame[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const text = generateText(message, random, index);
    const bytes = Buffer.from(text);
    if (!random.chance(0.3)) return { bytes };
    return { bytes: mutateBytes(bytes, Buffer.from(generateText(message, random, index)), random) };
  });
}

function generateText(message: Message, random: Random, index: number): string {
  const kind = random.between(0, 9_999);
  if (kind < 8_400) return message(random, idOf(random, index));
  if (kind < 9_300) return batchText(random, index);
  if (kind < 9_700) return hostileValue(random);
  if (kind < 9_990) return nestedText(random, index);
  return largeText(random, index);
}

function messageText(random: Random, id: string): string {
  const kind = random.between(0, 99);
  const members =
    kind < 86
      ? requestMembers(random, id)
      : kind < 94
        ? notificationMembers(random)
        : responseMembers(random);
  return toObject(random.chance(0.45) ? changeMembers(members, random) : members, random);
}

function serverMessageText(random: Random): string {
  const members = serverMembers(random);
  return toObject(random.chance(0.45) ? changeMembers(members, random) : members, random);
}

function batchText(random: Random, index: number): string {
  const count = random.chance(0.02) ? random.between(95, 105) : random.between(0, 5);
  const items = Array.from({ length: count }, (_, at) =>
    random.chance(0.1) ? hostileValue(random) : messageText(random, `"f${index}-${at}"`),
  );
  return `[${items.join(",")}]`;
}

/** Values that are nested about as deeply as the limit allows, alone and inside a call. */
function nestedText(random: Random, index: number): string {
  const depth = random.pick([2, 10, 58, 59, 60, 61, 62, 63, 64, 65, 66, 100, 300]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  const value = open.repeat(depth) + (open === "[" ? "" : "1") + close.repeat(depth);
  return random.chance(0.5)
    ? value
    : `{"jsonrpc":"2.0","id":"f${index}","method":"tools/call","params":{"name":"json","arguments":{"value":${value}}}}`;
}

/** Messages with about as many values as the limit allows, and long strings. */
function largeText(random: Random, index: number): string {
  const count = random.pick([24_980, 24_995, 25_000, 25_001, 25_100]);
  const list = random.chance(0.5)
    ? `[${"1,".repeat(count - 1)}1]`
    : `"${random.pick(["x", "[", '\\"', "é", "__proto__"]).repeat(30_000)}"`;
  return `{"jsonrpc":"2.0","id":"f${index}","method":"tools/call","params":{"name":"json","arguments":{"value":${list}}}}`;
}

function idOf(random: Random, index: number): string {
  return random.chance(0.5) ? String(index) : `"f${index}"`;
}
