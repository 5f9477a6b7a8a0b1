/**
 * @fileoverview Records the calls of all clients of `tenon dev`. Calls of the page are recorded by the page itself, and
 * get only their phases here.
 * @module cli/page/bridge/dev-recorder
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import { showHeader } from "@tenon/internal/security/secret-headers";
import type { JsonRpcMessage } from "tenon/protocol";
import { preciseNow } from "../../clock.js";
import type { ServerReply } from "../../dev/messages/messages.js";
import {
  type CallObserver,
  type CallRecorder,
  PAGE_HEADER,
  type ReceivedCall,
} from "../../dev/proxy/call-recorder.js";
import { type LogFeed, toLogLine } from "../feed/log-feed.js";
import type { CallEnd, CallRecord, RecordedMessage } from "../record/call-record.js";
import type { CallStore } from "../record/call-store.js";
import { toBoundedJson } from "../record/bounded-json.js";
import { byteLength, MAX_PARAMS_TEXT, MAX_WIRE_TEXT, toLabel } from "../record/limits.js";
import { toPhases } from "../record/phases.js";
import type { LaunchToken } from "../serve/launch-token.js";

/** Parts that the recorder uses. */
export interface RecorderParts {
  readonly store: CallStore;
  readonly log: LogFeed;
  /** Secret that marks the requests of the page. */
  readonly secret: LaunchToken;
  /** Returns the page's call that has sent a request, by the key of its client. */
  readonly findSent: (key: string, id: unknown) => CallRecord | undefined;
}

/** Creates the recorder. */
export function createDevRecorder(parts: RecorderParts): CallRecorder {
  const { secret, findSent } = parts;
  return {
    start(call) {
      const [given, key] = call.headers?.[PAGE_HEADER]?.split(".", 2) ?? [];
      if (key !== undefined && secret.matches(given)) {
        const record = findSent(key, call.message.id);
        // Other requests of a call, such as those that follow its task, have no phases.
        return record?.start.method === call.message.method ? observePageCall(record) : undefined;
      }
      // A stream does not end by itself. It is part of the live figures.
      if (call.message.method === LISTEN) return undefined;
      return observeCall(call, parts);
    },
  };
}

const LISTEN = "subscriptions/listen";
const UNKNOWN = "Unknown client";

/** Returns the mark for the requests of one of the page's clients. */
export function toPageMark({ text }: LaunchToken, key: string): string {
  return `${text}.${key}`;
}

function observePageCall(record: CallRecord): CallObserver {
  const start = preciseNow();
  return {
    onMessage: () => undefined,
    onEnd: ({ times }) => record.addPhases(toPhases({ start, end: preciseNow() }, times)),
  };
}

function observeCall(call: ReceivedCall, { store, log }: RecorderParts): CallObserver {
  const { message, headers, client } = call;
  const { name = UNKNOWN, session, era, revision } = client;
  const start = preciseNow();
  const { method, params } = message;
  const { paramsText, ...sent } = toRequest(call);
  const record = store.start({
    client: { kind: "client", name: toLabel(name, 100), session: session && toLabel(session, 200) },
    era,
    revision,
    method,
    params,
    paramsText,
    at: start,
  });
  const shown = headers && Object.entries(headers).filter(([key]) => key !== PAGE_HEADER);
  const own = shown?.map(([key, value]) => [key, showHeader(key, value)] as const);
  record.addMessage({
    direction: "sent",
    at: start,
    ...(own && { http: { method: "POST", headers: own } }),
    ...sent,
  });
  /** Times at which the server has asked the client, by the ID of the request. */
  const asked = new Map<unknown, number>();
  return {
    onMessage(sent, direction) {
      const at = preciseNow();
      record.addMessage({ direction, at, text: JSON.stringify(sent) });
      if (direction === "received") takeFromServer(sent, { record, log, asked });
      else takeAnswer(sent, { record, asked });
    },
    onEnd(reply) {
      const end = preciseNow();
      if (reply.type !== "empty")
        record.addMessage({ direction: "received", at: end, ...toResponse(reply, message.id) });
      if (reply.type === "result") takeTask(record, method, reply.payload);
      record.addPhases(toPhases({ start, end }, reply.times));
      record.finish(toEnd(reply, end));
    },
  };
}

interface Taken {
  readonly record: CallRecord;
  readonly log: LogFeed;
  readonly asked: Map<unknown, number>;
}

function takeFromServer(message: JsonRpcMessage, { record, log, asked }: Taken): void {
  if (!("method" in message)) return;
  if ("id" in message && message.id !== undefined) asked.set(message.id, preciseNow());
  const { method, params } = message;
  if (method === "notifications/progress" && isJsonObject(params)) record.setProgress(params);
  const line = toLogLine(message);
  if (line !== undefined) log.add(line);
}

/** Adds the time that the user of the client has taken. */
function takeAnswer(message: JsonRpcMessage, { record, asked }: Pick<Taken, "record" | "asked">): void {
  const id = "id" in message ? message.id : undefined;
  const start = asked.get(id);
  if (start === undefined) return;
  asked.delete(id);
  record.addPhases([{ name: "user", start, end: preciseNow() }]);
}

function takeTask(record: CallRecord, method: string, payload: string): void {
  if (method !== "tools/call" || !payload.includes('"resultType":"task"')) return;
  const result = readJson(payload);
  const taskId = isJsonObject(result) && result["resultType"] === "task" ? result["taskId"] : undefined;
  if (typeof taskId === "string") record.setTask(taskId);
}

/** Text of a message, and its size if the text is only its start. */
type Written = Pick<RecordedMessage, "text" | "wholeBytes">;

/** Writes a request. Of a large one, only the start is written, because the command must not become slow. */
function toRequest({
  message,
  size = 0,
}: ReceivedCall): Written & { readonly paramsText: string | null | undefined } {
  const { id, method, params } = message;
  const head = JSON.stringify({ jsonrpc: "2.0", id, method });
  if (params === undefined) return { text: head, paramsText: undefined };
  const isLarge = size > MAX_PARAMS_TEXT;
  const written = isLarge ? toBoundedJson(params, MAX_WIRE_TEXT) : JSON.stringify(params);
  const text = `${head.slice(0, -1)},"params":${written}${isLarge ? "" : "}"}`;
  return { text, wholeBytes: isLarge ? size : undefined, paramsText: isLarge ? null : written };
}

/** Writes a response. The payload of a result is JSON already. */
function toResponse(reply: Exclude<ServerReply, { type: "empty" }>, id: string | number): Written {
  if (reply.type === "result") {
    const { payload } = reply;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    if (payload.length <= MAX_WIRE_TEXT) return { text: `${head}${payload}}` };
    return {
      text: `${head}${payload.slice(0, MAX_WIRE_TEXT)}`,
      wholeBytes: head.length + byteLength(payload) + 1,
    };
  }
  const { code, message, data } = reply;
  return { text: JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }) };
}

function toEnd(reply: ServerReply, at: number): CallEnd {
  if (reply.type === "empty") return { outcome: "cancelled", at };
  if (reply.type === "error") {
    const { code, message, data } = reply;
    return { outcome: "error", message, error: { code, message, data }, at };
  }
  const { payload: result, problem } = reply;
  return problem === undefined
    ? { outcome: "ok", result, at }
    : { outcome: "tool-error", message: problem, result, at };
}
