/**
 * @fileoverview Messages between the development page and its backend. The page reads a stream of events
 * (`GET /_dev/api/events`, one JSON object per line), and sends commands (`POST /_dev/api/<command>`). Types only, because
 * the page imports this file too.
 * @module cli/page/protocol
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Era, LogLevel, Revision } from "tenon/protocol";

/** Event for the page. The first events after connecting describe the whole state, and later ones its changes. */
export type PageEvent =
  | { readonly type: "launch"; readonly launch: Launch }
  | { readonly type: "connection"; readonly connection: ConnectionState }
  | { readonly type: "server"; readonly server: ServerState }
  | { readonly type: "build"; readonly build: BuildState }
  /** A call that has started or changed. Replaces the call with the same ID. */
  | { readonly type: "call"; readonly call: CallSummary }
  | { readonly type: "calls-cleared" }
  | { readonly type: "question"; readonly question: Question }
  | { readonly type: "question-closed"; readonly id: string }
  | { readonly type: "activity"; readonly activity: Activity }
  | { readonly type: "task"; readonly task: TaskSummary }
  | { readonly type: "log"; readonly entry: LogEntry }
  /** A subscribed resource has changed. */
  | { readonly type: "resource-updated"; readonly uri: string; readonly at: number }
  /** Resources that the page is subscribed to. Replaces the list before. */
  | { readonly type: "subscriptions"; readonly uris: readonly string[] }
  | { readonly type: "replay"; readonly replay: ReplayState }
  /** The initial state is complete. */
  | { readonly type: "ready" };

/** Facts that do not change while the command runs. */
export interface Launch {
  /** Differs for every launch, so that the page discards the state of an earlier one. */
  readonly id: string;
  readonly mode: "dev" | "inspect";
  /** Module, URL, or program, without secrets. */
  readonly target: string;
  /** URL of the MCP endpoint that other clients can use. */
  readonly endpoint?: string | undefined;
  /** Version of Tenon. */
  readonly version: string;
  /** False if the command does not count tokens. */
  readonly countsTokens: boolean;
  /** True if the user can sign in to the server on the page. */
  readonly canSignIn: boolean;
}

/** State of the page's connections to the server, one for each era that the server supports. */
export interface ConnectionState {
  readonly status: "connecting" | "ready" | "sign-in" | "failed";
  /** Revision in use, for each era. An era is absent if the server does not support it. */
  readonly revisions: Partial<Record<Era, Revision>>;
  /** Reason for `failed` or for a long `connecting`, or instructions for `sign-in`. */
  readonly message?: string | undefined;
  /** URL at which the user signs in. */
  readonly signInUrl?: string | undefined;
}

/** Definitions of the server, and facts about them. */
export interface ServerState {
  readonly name: string;
  readonly title?: string | undefined;
  readonly version: string;
  readonly instructions?: string | undefined;
  readonly capabilities: JsonObject;
  readonly tools: readonly ToolEntry[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Views of the tools, such as all tools, or one tool per action. The first one is what clients see. */
  readonly views: readonly ViewSummary[];
  /** Findings that do not belong to a tool. */
  readonly findings: readonly Finding[];
  /** Names of entries that the last reload has added, changed, or removed. */
  readonly changes: readonly ListChange[];
}

/** Tool with its costs and findings. */
export interface ToolEntry {
  readonly definition: JsonObject;
  /** Tokens that the definition costs a model. Absent until they are counted. */
  readonly tokens?: number | undefined;
  readonly findings: readonly Finding[];
}

/** View of a server's tools. */
export interface ViewSummary {
  readonly id: string;
  readonly title: string;
  readonly toolCount: number;
  readonly tokens?: number | undefined;
  /** Tokens by tool name. */
  readonly tools: Readonly<Record<string, number>>;
}

/** Finding of `tenon doctor`. */
export interface Finding {
  readonly rule: string;
  readonly severity: "error" | "warning" | "info";
  readonly place: string;
  readonly message: string;
  readonly fix?: string | undefined;
  readonly url?: string | undefined;
}

/** Change of a list. */
export interface ListChange {
  readonly sign: "+" | "~" | "-";
  readonly noun: string;
  readonly name: string;
}

/** State of the code in `tenon dev`. */
export interface BuildState {
  readonly status: "ok" | "failed" | "crashed";
  /** Time of the last reload, in milliseconds since 1970. */
  readonly at: number;
  readonly ms?: number | undefined;
  readonly problems: readonly {
    readonly message: string;
    readonly place?: string | undefined;
    readonly frame?: string | undefined;
  }[];
}

/** Part of a call's duration, in milliseconds relative to its start. */
export interface Phase {
  readonly name: "queue" | "validate" | "handler" | "serialize" | "network" | "user";
  readonly start: number;
  readonly end: number;
}

/** Outcome of a call. */
export type CallOutcome = "running" | "ok" | "tool-error" | "error" | "cancelled";

/** Call of any client, without its messages. */
export interface CallSummary {
  readonly id: string;
  readonly client: {
    /** `page` for calls from this page. */
    readonly kind: "page" | "client";
    readonly name: string;
    /** Session, or the connection's own number. */
    readonly session?: string | undefined;
  };
  readonly era: Era;
  readonly revision?: Revision | undefined;
  readonly method: string;
  /** Tool, URI, or prompt. */
  readonly name?: string | undefined;
  /** Start, in milliseconds since 1970. */
  readonly at: number;
  /** Duration in milliseconds. Absent while the call runs. */
  readonly ms?: number | undefined;
  readonly outcome: CallOutcome;
  /** Message of an error. */
  readonly message?: string | undefined;
  readonly phases: readonly Phase[];
  readonly progress?:
    | {
        readonly progress: number;
        readonly total?: number | undefined;
        readonly message?: string | undefined;
      }
    | undefined;
  /** Task that the call runs as. */
  readonly taskId?: string | undefined;
  readonly requestBytes?: number | undefined;
  readonly responseBytes?: number | undefined;
  /** True if the page can repeat the call. */
  readonly isRepeatable: boolean;
}

/** Call with its messages. `GET /_dev/api/calls/<id>` returns it. */
export interface CallDetail {
  readonly summary: CallSummary;
  readonly params?: JsonObject | undefined;
  readonly result?: JsonObject | undefined;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  readonly wire: readonly WireEntry[];
  readonly checks: readonly Check[];
  readonly snippets: Snippets;
}

/** Message on the wire. */
export interface WireEntry {
  readonly direction: "sent" | "received";
  /** Milliseconds since the start of the call. */
  readonly at: number;
  /** HTTP request or response that carried the message. Absent over stdio. */
  readonly http?:
    | {
        readonly method?: string | undefined;
        readonly status?: number | undefined;
        /** Headers in order. The values of credentials are replaced. */
        readonly headers: readonly (readonly [string, string])[];
      }
    | undefined;
  /** Text of the message, cut to a limit. */
  readonly text: string;
  readonly isCut: boolean;
}

/** Result of a check of a call's messages. */
export interface Check {
  readonly title: string;
  readonly status: "ok" | "failed" | "warning" | "not-checked";
  readonly detail?: string | undefined;
}

/** A call as text for other programs. */
export interface Snippets {
  readonly curl?: string | undefined;
  readonly test?: string | undefined;
  readonly cli?: string | undefined;
}

/** Request of the server that the user answers. */
export interface Question {
  readonly id: string;
  readonly callId?: string | undefined;
  readonly era: Era;
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
  readonly at: number;
}

/** Live figures. Sent at most once per second, and only if they have changed. */
export interface Activity {
  readonly sessions: readonly SessionSummary[];
  readonly gauges: readonly Gauge[];
}

/** Connected client. */
export interface SessionSummary {
  readonly id: string;
  /** A stateless client has no session, but a stream while it listens to changes. */
  readonly kind: "session" | "stream";
  readonly client: string;
  readonly era: Era;
  readonly revision?: Revision | undefined;
  readonly calls: number;
  readonly subscriptions: number;
  /** Open, in milliseconds since 1970. */
  readonly since: number;
}

/** Figure with an optional limit. */
export interface Gauge {
  readonly id: string;
  readonly title: string;
  readonly value: number;
  readonly max?: number | undefined;
  readonly unit?: "bytes" | "calls" | "ms" | undefined;
}

/** Task that the page has started or found. */
export interface TaskSummary {
  readonly id: string;
  readonly callId?: string | undefined;
  readonly tool?: string | undefined;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage?: string | undefined;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly questionIds: readonly string[];
}

/** Line of the log: output of the code, log messages of the server, and notes of the command. */
export interface LogEntry {
  readonly id: number;
  readonly at: number;
  readonly source: "output" | "server" | "command";
  readonly level: LogLevel;
  readonly logger?: string | undefined;
  readonly text: string;
}

/** Progress of a replay. */
export interface ReplayState {
  readonly id: string;
  readonly done: number;
  readonly total: number;
  /** Calls whose outcome or result differs from the recorded one. */
  readonly differences: readonly {
    readonly name: string;
    readonly before: CallOutcome;
    readonly after: CallOutcome;
    readonly callId: string;
    /** True if the outcome is the same and the result differs. */
    readonly isResult: boolean;
  }[];
  readonly status: "running" | "done" | "cancelled";
}

/** File with recorded calls. */
export interface Recording {
  readonly format: "tenon-recording";
  readonly version: 1;
  readonly server: { readonly name: string; readonly version: string };
  readonly calls: readonly RecordedCall[];
}

/** Recorded call. Its messages are in the file, and its credentials are not. */
export interface RecordedCall {
  readonly era: Era;
  readonly method: string;
  readonly params?: JsonObject | undefined;
  readonly outcome: CallOutcome;
  readonly result?: JsonObject | undefined;
  readonly ms?: number | undefined;
  readonly at: number;
}

/** Commands with their parameters and results. A failure has an HTTP status from 400, and the body `CommandFailure`. */
export interface Commands {
  /** Calls a tool. The result arrives as `call` events. */
  readonly call: [
    { readonly tool: string; readonly arguments: JsonObject; readonly era: Era; readonly timeoutMs?: number },
    { readonly id: string },
  ];
  /** Calls a tool in both eras, to compare the messages. */
  readonly compare: [
    { readonly tool: string; readonly arguments: JsonObject },
    Readonly<Record<Era, string | undefined>>,
  ];
  readonly read: [{ readonly uri: string; readonly era: Era }, { readonly id: string }];
  readonly prompt: [
    { readonly name: string; readonly arguments: Readonly<Record<string, string>>; readonly era: Era },
    { readonly id: string },
  ];
  readonly cancel: [{ readonly id: string }, Nothing];
  readonly repeat: [{ readonly id: string }, { readonly id: string }];
  /** Validates arguments against a tool's schema, or an answer against the schema of an open question. */
  readonly validate: [
    (
      | { readonly tool: string; readonly arguments: JsonObject }
      | { readonly question: string; readonly answer: JsonObject }
    ),
    { readonly problems: readonly Problem[] },
  ];
  readonly complete: [
    {
      readonly ref:
        | { readonly type: "prompt"; readonly name: string }
        | { readonly type: "resource"; readonly uri: string };
      readonly argument: string;
      readonly value: string;
      readonly known: Readonly<Record<string, string>>;
      readonly era: Era;
    },
    { readonly values: readonly string[]; readonly hasMore: boolean },
  ];
  readonly subscribe: [{ readonly uri: string; readonly isOn: boolean }, Nothing];
  readonly answer: [{ readonly id: string; readonly answer: JsonObject }, Nothing];
  readonly "cancel-task": [{ readonly id: string }, Nothing];
  readonly "clear-calls": [Nothing, Nothing];
  readonly "log-level": [{ readonly level: LogLevel }, Nothing];
  /** Lists the definitions again. */
  readonly refresh: [Nothing, Nothing];
  /** Returns a file with these calls, or with all of them. */
  readonly export: [{ readonly ids?: readonly string[] }, Recording];
  readonly replay: [{ readonly recording: Recording }, { readonly id: string }];
  readonly "cancel-replay": [{ readonly id: string }, Nothing];
  /** Starts the sign-in, or ends it. Only with `tenon inspect`. */
  readonly "sign-in": [Nothing, Nothing];
  readonly "sign-out": [Nothing, Nothing];
}

/** Empty object. */
export type Nothing = Readonly<Record<string, never>>;

/** Name of a command. */
export type CommandName = keyof Commands;

/** Problem with a value in a form. */
export interface Problem {
  /** Keys and indexes from the arguments to the value. */
  readonly path: readonly (string | number)[];
  /** Sentence for the user. */
  readonly message: string;
}

/** Body of a failed command. */
export interface CommandFailure {
  readonly error: string;
}
