/**
 * @fileoverview Messages between the command and the processes that run the user's code. Both sides run this package,
 * so the messages are plain JSON without a version.
 * @module cli/dev/messages/messages
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Era, ErrorName, JsonRpcMessage, JsonRpcRequest, RequestId, Revision } from "tenon/protocol";
import type { ListName } from "../../client/list-feature.js";
import { kindOf } from "@tenon/internal/kind-of";
import { read } from "@tenon/internal/security/safe-text";

/** Environment variable that makes `tenon dev` run as a server process. */
export const SERVER_PROCESS = "TENON_DEV_SERVER_PROCESS";

/** Message from the command to a server process. */
export type ToServer =
  | { readonly kind: "prepare"; readonly preparation: Preparation }
  | { readonly kind: "load"; readonly module: ModuleToLoad }
  /** Starts work that does not wait for a request, after the process before has ended. */
  | { readonly kind: "start" }
  | { readonly kind: "open"; readonly connection: number; readonly facts: ConnectionFacts }
  /** Notification or response of a client, which gets no reply. */
  | { readonly kind: "tell"; readonly connection: number; readonly message: JsonRpcMessage }
  | { readonly kind: "call"; readonly call: ServerCall }
  /** The client of a call has disconnected. */
  | { readonly kind: "gone"; readonly call: number }
  | { readonly kind: "close"; readonly connection: number }
  /** Asks for facts that only the development page shows. */
  | { readonly kind: "ask"; readonly request: number; readonly about: "views" | "usage" }
  /** Ends open `subscriptions/listen` streams, because the command stops. */
  | { readonly kind: "end-streams" }
  | { readonly kind: "stop" };

/** Message from a server process to the command. */
export type FromServer =
  | { readonly kind: "prepared" }
  | { readonly kind: "loaded"; readonly facts: ServerFacts }
  | { readonly kind: "load-failed"; readonly error: ThrownFacts }
  | { readonly kind: "reply"; readonly call: number; readonly reply: ServerReply }
  | SentMessage
  /** The server no longer waits for the client's response to a request. */
  | { readonly kind: "forget"; readonly connection: number; readonly question: RequestId }
  | { readonly kind: "hang-up"; readonly call: number }
  | { readonly kind: "views"; readonly request: number; readonly views: SentViews }
  | { readonly kind: "usage"; readonly request: number; readonly bytes: number }
  | { readonly kind: "failure"; readonly failure: HandlerFailure }
  /** The process ends because of an uncaught error. */
  | { readonly kind: "crash"; readonly error: ThrownFacts };

/** Work of a process before the code of the user is known. */
export interface Preparation {
  /** Variables from the `.env` file. */
  readonly env: Readonly<Record<string, string>>;
  /** Module that imports the packages of the last bundle, so that they do not have to be loaded later. */
  readonly packages: string | undefined;
}

/** Bundle to load. */
export interface ModuleToLoad {
  /** Absolute path of the bundle. */
  readonly bundle: string;
  /** The user's file, as it is shown in messages. */
  readonly file: string;
  /** Name of the export, if the user selected one. */
  readonly exportName?: string | undefined;
  /** Secret that all processes share, so that the state of a call stays valid after a reload. */
  readonly secret: string;
  /** True to measure handlers, for the development page. */
  readonly measures: boolean;
}

/** Facts about a client's connection, for its copy in a server process. */
export interface ConnectionFacts {
  readonly pushes: boolean;
  readonly era?: Era | undefined;
  readonly revision: Revision;
  readonly maxCalls: number;
  readonly maxSubscriptions: number;
}

/** Request of a client. */
export interface ServerCall {
  readonly id: number;
  /** Connection that was opened before, or the facts of one that exists only for this request. */
  readonly connection: number | ConnectionFacts;
  readonly message: JsonRpcRequest;
  /** Request headers by lowercase name. Absent over stdio. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly length?: number | undefined;
  /** True if the server can send requests to the client during this call. */
  readonly asks: boolean;
}

/** Notification or request from the server to a client: during a call, or at any time on an open connection. */
export interface SentMessage {
  readonly kind: "send";
  readonly connection?: number | undefined;
  readonly call?: number | undefined;
  readonly message: JsonRpcMessage;
}

/** Reply to a request. */
export type ServerReply = (
  | { readonly type: "empty" }
  /** `payload` is the JSON of the result. `problem` is the text of a tool result that is an error. */
  | { readonly type: "result"; readonly payload: string; readonly problem?: string | undefined }
  | {
      readonly type: "error";
      readonly error: ErrorName;
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    }
) & {
  /** Era and revision of the connection, if the request changed them. */
  readonly negotiated?: { readonly era: Era | undefined; readonly revision: Revision } | undefined;
  /** Times of the call in the server process. Absent if the process did not handle it. */
  readonly times?: CallTimes | undefined;
};

/** Times of a handler, in milliseconds since 1970. Absent if the handler was not observed, or did not run. */
export interface HandlerTimes {
  readonly handlerStart?: number | undefined;
  readonly handlerEnd?: number | undefined;
}

/** Times of a call in a server process, in milliseconds since 1970. */
export interface CallTimes extends HandlerTimes {
  /** The process has received the call. */
  readonly received: number;
  /** The reply is complete. */
  readonly replied: number;
}

/** Views of a module's tools. Each definition is contained once. */
export interface SentViews {
  readonly definitions: readonly JsonObject[];
  readonly views: readonly {
    readonly title: string;
    /** Indexes of the definitions. */
    readonly tools: readonly number[];
  }[];
}

/** A loaded server: its name, and its lists. */
export interface ServerFacts {
  readonly name: string;
  readonly version: string;
  /** True if the server supports only one connection at a time. */
  readonly isSingle: boolean;
  /** True if all connections share the server, which only servers of Tenon support. */
  readonly isShared: boolean;
  readonly lists: ServerLists;
}

/** Kind of list. */
/** Definitions by kind. A list is absent if the server does not have it, or did not return it in time. */
export type ServerLists = { readonly [Name in ListName]?: readonly JsonObject[] | undefined };

/** Thrown value as data. The stack refers to the user's source files. */
export interface ThrownFacts {
  readonly message: string;
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  readonly stack?: string | undefined;
  readonly cause?: ThrownFacts | undefined;
}

/** Failure of a handler. */
export interface HandlerFailure {
  /** Method of the request, such as `tools/call`. */
  readonly operation: string;
  /** Name of the tool, resource, or prompt. */
  readonly name: string;
  readonly error: ThrownFacts;
}

/** Request headers by lowercase name. `undefined` over stdio. */
export type RequestHeaders = Readonly<Record<string, string>> | undefined;

/** Request with its ID. */
export type ClientRequest = JsonRpcRequest & { readonly id: RequestId };

/** Converts a thrown value and its causes. Never throws, and bounds all texts. */
export function toThrownFacts(thrown: unknown, depth = 0): ThrownFacts {
  const cause = depth < MAX_CAUSES ? read(thrown, "cause") : undefined;
  return {
    message: textOf(thrown, "message", MAX_MESSAGE) ?? describeOther(thrown),
    name: textOf(thrown, "name", MAX_NAME),
    code: textOf(thrown, "code", MAX_NAME),
    stack: textOf(thrown, "stack", MAX_STACK),
    cause: cause === undefined || cause === null ? undefined : toThrownFacts(cause, depth + 1),
  };
}

const MAX_CAUSES = 4;
const MAX_NAME = 100;
const MAX_MESSAGE = 8_000;
const MAX_STACK = 20_000;

function textOf(thrown: unknown, key: string, limit: number): string | undefined {
  const value = read(thrown, key);
  return typeof value === "string" ? value.slice(0, limit) : undefined;
}

/** Describes a value that is not an error. */
function describeOther(thrown: unknown): string {
  const isPlain = ["string", "number", "boolean", "bigint"].includes(typeof thrown);
  return isPlain ? String(thrown).slice(0, MAX_MESSAGE) : `${kindOf(thrown)} was thrown`;
}
