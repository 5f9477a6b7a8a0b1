/**
 * @fileoverview JSON-RPC messages of a server: responses of every kind, notifications, and requests to the client.
 * @module tools/fuzz/frames/server-messages
 */
import type { Random } from "../../random.js";
import { hostileKey, hostileValue, type Member } from "./values.js";

/** Placeholder for the ID of the client's request. */
export const REQUEST_ID = '"@id"';

const NOTIFICATIONS = [
  "notifications/progress",
  "notifications/message",
  "notifications/cancelled",
  "notifications/tools/list_changed",
  "notifications/resources/updated",
  "notifications/tasks",
  "notifications/x",
] as const;

const REQUESTS = ["sampling/createMessage", "elicitation/create", "roots/list", "ping", "x"] as const;

/** Members of results, and values that clients understand. */
const RESULTS: Readonly<Record<string, readonly string[]>> = {
  resultType: ['"complete"', '"task"', '"input_required"'],
  content: ['[{"type":"text","text":"a"}]', "[]"],
  tools: [
    '[{"name":"a","inputSchema":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"B"}}}}]',
    "[{}]",
  ],
  contents: ["[]"],
  messages: ["[]"],
  completion: ['{"values":["a"]}'],
  nextCursor: ['"a"', '""', "null"],
  taskId: ['"t"', '""'],
  status: ['"working"', '"completed"', '"failed"', '"cancelled"', '"input_required"'],
  statusMessage: ['"a"'],
  pollIntervalMs: ["0", "1e-9", "1e400", "-1"],
  result: ['{"content":[]}', "{}"],
  error: ['{"code":-1,"message":"a"}', "{}"],
  requestState: ['"a"'],
  inputRequests: [
    '{"a":{"method":"elicitation/create","params":{"requestedSchema":{"properties":{"a":{"default":1}}}}}}',
    '{"a":{"method":"sampling/createMessage","params":{}},"__proto__":{}}',
  ],
  _meta: ["{}"],
};

/** Returns the members of a message of a server. */
export function serverMembers(random: Random): readonly Member[] {
  const kind = random.between(0, 99);
  const head: Member = ['"jsonrpc"', '"2.0"'];
  if (kind < 60) return [head, ['"id"', idOf(random)], responseOf(random)];
  if (kind < 92)
    return [
      head,
      ['"method"', JSON.stringify(random.pick(NOTIFICATIONS))],
      ['"params"', random.chance(0.2) ? hostileValue(random) : progressOf(random)],
    ];
  return [
    head,
    ['"id"', random.chance(0.5) ? hostileValue(random) : String(random.between(0, 9))],
    ['"method"', JSON.stringify(random.pick(REQUESTS))],
    ['"params"', hostileValue(random)],
  ];
}

function idOf(random: Random): string {
  return random.chance(0.8) ? REQUEST_ID : random.pick(["null", "0", "1", "-1", '"1"', "1e400", "{}"]);
}

function responseOf(random: Random): Member {
  if (random.chance(0.15))
    return ['"error"', random.pick(['{"code":-32001,"message":"a"}', hostileValue(random)])];
  if (random.chance(0.15)) return ['"result"', hostileValue(random)];
  const members = Object.entries(RESULTS)
    .filter(() => random.chance(0.3))
    .map(([name, values]) => `"${name}":${random.chance(0.2) ? hostileValue(random) : random.pick(values)}`);
  return ['"result"', `{${members.join(",")}}`];
}

function progressOf(random: Random): string {
  const token = random.chance(0.7) ? REQUEST_ID : hostileValue(random);
  return `{"progressToken":${token},"progress":${random.chance(0.5) ? "1" : hostileValue(random)},${hostileKey(random)}:${hostileValue(random)}}`;
}
