/**
 * @fileoverview Generates the WebSocket messages of a block: messages of the agent protocol, JSON-RPC messages, and
 * damaged ones.
 * @module tools/fuzz/frames/agent-frames
 */
import { Buffer } from "node:buffer";
import { createRandom, type Random } from "../../random.js";
import type { Frame } from "../block.js";
import { changeMembers } from "./grammar.js";
import { generateFrames } from "./generate.js";
import { mutateBytes } from "./mutations.js";
import { hostileValue, type Member, toObject } from "./values.js";

const TASKS = ['"task-1"', '""', '"../x"', '"con"', '"-a"', '"a b"', "null"] as const;

/** Generates messages. IDs of undamaged `echo` messages are unique in the block. */
export function generateAgentFrames(seed: number, count: number): readonly Frame[] {
  const random = createRandom(seed);
  const others = generateFrames(seed + 1, Math.ceil(count / 4));
  return Array.from({ length: count }, (_, index): Frame => {
    const other = index % 4 === 0 ? others[index / 4] : undefined;
    if (other !== undefined) return other;
    const bytes = Buffer.from(agentText(random, index));
    if (random.chance(0.02)) return { bytes, isBinary: true };
    // Most mutations result in bytes that are not UTF-8, which ends the connection.
    if (!random.chance(0.1)) return { bytes };
    return { bytes: mutateBytes(bytes, Buffer.from(agentText(random, index)), random) };
  });
}

function agentText(random: Random, index: number): string {
  const [type, data] = messageOf(random, index);
  const members: readonly Member[] = [
    ['"type"', JSON.stringify(type)],
    ['"data"', toObject(random.chance(0.2) ? changeMembers(data, random) : data, random)],
  ];
  return toObject(random.chance(0.2) ? changeMembers(members, random) : members, random);
}

function messageOf(random: Random, index: number): readonly [string, readonly Member[]] {
  const kind = random.between(0, 99);
  if (kind < 60) {
    return [
      "echo",
      [
        ['"id"', random.chance(0.5) ? String(index) : `"f${index}"`],
        ['"text"', random.chance(0.8) ? '"text"' : hostileValue(random)],
      ],
    ];
  }
  if (kind < 66) return ["quiet", [['"x"', hostileValue(random)]]];
  if (kind < 68) return ["broken", []];
  if (kind < 88) {
    const type = random.pick(["userSendMessage", "interrupt", "loadTask", "resume"]);
    return [
      type,
      [
        ['"taskId"', random.pick(TASKS)],
        ['"message"', random.chance(0.8) ? '"hello"' : hostileValue(random)],
      ],
    ];
  }
  return [random.pick(["ack", "__proto__", "constructor", "", "error", "tools/call"]), []];
}
