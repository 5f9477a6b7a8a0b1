/**
 * @fileoverview JSON-RPC messages of both eras: valid ones, and valid ones with changed members.
 * @module tools/fuzz/frames/grammar
 */
import { META } from "tenon/protocol";
import type { Random } from "../../random.js";
import { escapeSome, hostileKey, hostileValue, type Member, NAMES, toObject, URIS } from "./values.js";

/** Revisions with `initialize`, the stateless one, and versions that do not exist. */
const VERSIONS = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
  "1999-01-01",
  "",
] as const;

const NOTIFICATIONS = [
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/roots/list_changed",
  "notifications/x",
  "ping",
  "tools/call",
] as const;

/** Envelope of a valid stateless request. */
const ENVELOPE: readonly Member[] = [
  [JSON.stringify(META.protocolVersion), '"2026-07-28"'],
  [JSON.stringify(META.clientCapabilities), "{}"],
];

type Params = (random: Random) => readonly Member[];

const text = (value: string): string => JSON.stringify(value);
const nameOf = (random: Random): Member => ['"name"', text(random.pick(NAMES))];
const uriOf = (random: Random): Member => ['"uri"', text(random.pick(URIS))];
const cursorOf: Params = (random) => (random.chance(0.3) ? [['"cursor"', hostileValue(random)]] : []);

const ARGUMENTS = ['{"city":"Riga"}', '{"city":3}', '{"city":"Riga","n":1e400}', '{"x":"1"}', "{}"] as const;

/** Parameters of each method. */
const METHODS: Readonly<Record<string, Params>> = {
  initialize: (random) => [
    ['"protocolVersion"', text(random.pick(VERSIONS))],
    ['"capabilities"', random.pick(["{}", '{"elicitation":{}}', '{"sampling":{},"roots":{}}'])],
    ['"clientInfo"', '{"name":"fuzz","version":"1"}'],
  ],
  ping: () => [],
  "server/discover": () => [],
  "logging/setLevel": (random) => [['"level"', random.pick(['"debug"', '"error"', '"loud"', "3"])]],
  "tools/list": cursorOf,
  "resources/list": cursorOf,
  "resources/templates/list": cursorOf,
  "prompts/list": cursorOf,
  "tools/call": (random) => [nameOf(random), ['"arguments"', random.pick(ARGUMENTS)], ...retryOf(random)],
  "resources/read": (random) => [uriOf(random), ...retryOf(random)],
  "resources/subscribe": (random) => [uriOf(random)],
  "resources/unsubscribe": (random) => [uriOf(random)],
  "prompts/get": (random) => [
    ['"name"', random.pick(['"prompt"', '"missing"'])],
    ['"arguments"', random.pick(ARGUMENTS)],
  ],
  "completion/complete": (random) => [
    [
      '"ref"',
      random.pick([
        '{"type":"ref/prompt","name":"prompt"}',
        '{"type":"ref/resource","uri":"doc://{a}/{+b}{?c}"}',
        '{"type":"ref/other"}',
      ]),
    ],
    ['"argument"', random.pick(['{"name":"x","value":""}', '{"name":"__proto__","value":""}'])],
  ],
  "subscriptions/listen": (random) => [
    [
      '"notifications"',
      random.pick(["{}", "3", '{"toolsListChanged":true}', '{"resourceSubscriptions":["doc://fixed"]}']),
    ],
  ],
  "c/d": () => [['"echo"', "[1]"]],
  "no/such/method": () => [],
  "notifications/initialized": () => [],
  constructor: () => [],
};

const METHOD_NAMES = Object.keys(METHODS);

/** Methods that are sent more often, because they reach most code. */
const FREQUENT = [
  "tools/call",
  "resources/read",
  "prompts/get",
  "completion/complete",
  "tools/list",
] as const;

/** Returns the members of a valid request. */
export function requestMembers(random: Random, id: string): readonly Member[] {
  const method = random.chance(0.5) ? random.pick(FREQUENT) : random.pick(METHOD_NAMES);
  const params = [...(METHODS[method]?.(random) ?? [])];
  if (random.chance(0.6)) params.push(['"_meta"', envelope(random)]);
  const members: Member[] = [
    ['"jsonrpc"', '"2.0"'],
    ['"id"', id],
    ['"method"', text(method)],
  ];
  if (params.length > 0 || random.chance(0.5)) members.push(['"params"', toObject(params, random)]);
  return members;
}

/** Returns the members of a notification. Cancellations name requests that were never sent. */
export function notificationMembers(random: Random): readonly Member[] {
  const method = random.pick(NOTIFICATIONS);
  const params = random.chance(0.6)
    ? toObject([['"requestId"', '"never-sent"'], ...someMembers(random)], random)
    : "{}";
  return [
    ['"jsonrpc"', '"2.0"'],
    ['"method"', text(method)],
    ['"params"', params],
  ];
}

/** Returns the members of a response to a request that the server did not send. */
export function responseMembers(random: Random): readonly Member[] {
  const id = random.pick(['"tenon-1"', "1", '"x"', "null"]);
  return [
    ['"jsonrpc"', '"2.0"'],
    ['"id"', id],
    random.chance(0.5)
      ? ['"result"', hostileValue(random)]
      : ['"error"', '{"code":-1,"message":"hostile","data":[{}]}'],
  ];
}

/** Changes one to three members: their values, names, order, and number, at any level that has members. */
export function changeMembers(members: readonly Member[], random: Random): readonly Member[] {
  let changed = [...members];
  for (let left = random.between(1, 3); left > 0; left--) changed = changeOne(changed, random);
  return changed;
}

function changeOne(members: Member[], random: Random): Member[] {
  const at = random.between(0, Math.max(members.length - 1, 0));
  const [name = '"id"', value = "1"] = members[at] ?? [];
  const replace = (...replacement: readonly Member[]) => members.toSpliced(at, 1, ...replacement);
  switch (random.between(0, 10)) {
    case 0:
      return replace();
    case 1:
      return replace([name, value], [name, hostileValue(random)]);
    case 2:
      return replace([name, hostileValue(random)], [name, value]);
    case 3:
      return replace([escapeSome(name.slice(1, -1), random), value]);
    case 4:
      return replace([name.toUpperCase(), value]);
    case 5:
      return replace([hostileKey(random), value]);
    case 6:
      return [...members, [hostileKey(random), hostileValue(random)]];
    case 7:
      return members.toReversed();
    case 8:
      return replace([name, `[${value}]`]);
    case 9:
      return changeParams(members, random);
    default:
      return replace([name, hostileValue(random)]);
  }
}

/** Replaces one value inside `params` by text: the first value of a known name. */
function changeParams(members: Member[], random: Random): Member[] {
  return members.map(([name, value]) =>
    name === '"params"'
      ? [name, value.replace(random.pick(INNER), (_, start: string) => `${start}${hostileValue(random)}`)]
      : [name, value],
  );
}

/** Members inside `params` whose values are replaced. */
const INNER: readonly RegExp[] = [
  /("name":)"[^"]*"/,
  /("uri":)"[^"]*"/,
  /("arguments":){[^{}]*}/,
  /("city":)[^,}]*/,
  /("io.modelcontextprotocol\/protocolVersion":)"[^"]*"/,
  /("io.modelcontextprotocol\/clientCapabilities":){}/,
  /("_meta":){[^{}]*(?:{}[^{}]*)*}/,
  /("level":)"[^"]*"/,
  /("ref":){[^{}]*}/,
];

function envelope(random: Random): string {
  const members = [...ENVELOPE];
  if (random.chance(0.1)) members.push([text(META.logLevel), random.pick(['"debug"', '"loud"', "3"])]);
  if (random.chance(0.1)) members.push([text(META.clientInfo), hostileValue(random)]);
  if (random.chance(0.1)) members.push(['"progressToken"', hostileValue(random)]);
  if (random.chance(0.1)) members.splice(random.between(0, 1), 1);
  if (random.chance(0.05)) members[0] = [text(META.protocolVersion), text(random.pick(VERSIONS))];
  return toObject(members, random);
}

function retryOf(random: Random): readonly Member[] {
  if (!random.chance(0.1)) return [];
  return [
    [
      random.pick(['"requestState"', '"inputResponses"']),
      random.pick(['"AAAA"', "{}", hostileValue(random)]),
    ],
  ];
}

function someMembers(random: Random): readonly Member[] {
  return Array.from({ length: random.between(0, 2) }, () => [hostileKey(random), hostileValue(random)]);
}
