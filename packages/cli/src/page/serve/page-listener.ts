/**
 * @fileoverview Request listener of the page: its files, its events, and its commands.
 * @module cli/page/serve/page-listener
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { CommandError } from "../command-error.js";
import type { PageFeed } from "../feed/page-feed.js";
import type { CallDetail, CommandName, Commands } from "../protocol.js";
import { checkAccess, PAGE_PATH, type PageRequest } from "./access.js";
import { EventStreams, type StreamLimits } from "./event-streams.js";
import type { LaunchToken } from "./launch-token.js";
import { isPageFile, type PageFiles } from "./page-files.js";
import { isCommand, PARSERS } from "./parse-command.js";
import { readJsonBody, send, sendFailure, sendJson, sendText } from "./respond.js";

/** Functions that run the commands. @throws {CommandError} with a message for the user */
export type CommandHandlers = {
  readonly [Name in CommandName]: (params: Commands[Name][0]) => MaybePromise<Commands[Name][1]>;
};

/** Parts of the page. */
export interface PageParts {
  readonly token: LaunchToken;
  readonly files: PageFiles;
  readonly feed: PageFeed;
  readonly commands: CommandHandlers;
  /** Returns a recorded call with its messages. */
  readonly readCall: (id: string) => MaybePromise<CallDetail | undefined>;
  readonly streamLimits?: StreamLimits;
}

/** Request listener. */
export interface PageListener {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Ends the event streams. */
  close(): void;
}

/** Maximum size of a body in bytes. A form's file of 4 MiB fits into it in base64. */
const MAX_BODY = 6 * 1024 * 1024;
/** Maximum size of a recording in bytes. */
const MAX_RECORDING = 32 * 1024 * 1024;

/** Creates the request listener for the page's path and everything below it. */
export function createPageListener(parts: PageParts): PageListener {
  const streams = new EventStreams(parts.feed, parts.streamLimits);
  const page = { ...parts, streams };
  const listener = (_request: IncomingMessage, response: ServerResponse) => {
    void respond(response, page).catch(() => response.destroy());
  };
  return Object.assign(listener, { close: () => streams.close() });
}

interface OpenPage extends PageParts {
  readonly streams: EventStreams;
}

const API = `${PAGE_PATH}/api/`;

async function respond(response: ServerResponse, page: OpenPage): Promise<void> {
  const { req: request } = response;
  const access = checkAccess(toPageRequest(request), page.token);
  if (access.kind === "sign-in") {
    send(response, { status: 303, headers: { location: PAGE_PATH, "set-cookie": access.cookie } });
    return;
  }
  if (access.kind === "rejected") {
    const { status, reason } = access;
    const headers = status === 405 ? { allow: "GET, HEAD, POST" } : {};
    const isForProgram = (request.url ?? "").startsWith(API) || status !== 403;
    if (isForProgram) sendFailure(response, status, { error: reason, headers });
    else sendText(response, status, reason);
    return;
  }
  const { path } = access;
  if (path.startsWith(API)) await respondToApi(response, page, path.slice(API.length));
  else if (request.method === "POST") notAllowed(response, "GET, HEAD");
  else await sendFile(response, page, fileOf(path));
}

async function respondToApi(response: ServerResponse, page: OpenPage, name: string): Promise<void> {
  const { method } = response.req;
  const [, call] = /^calls\/([\w-]{1,100})$/.exec(name) ?? [];
  if (name === "events" || call !== undefined) {
    if (method !== "GET") return notAllowed(response, "GET");
    return call === undefined ? openStream(response, page) : sendCall(response, page, call);
  }
  if (!isCommand(name)) return sendFailure(response, 404, { error: "This command does not exist." });
  if (method !== "POST") return notAllowed(response, "POST");
  return runCommand(response, page.commands, name);
}

function openStream(response: ServerResponse, { streams }: OpenPage): void {
  if (!streams.isFull) streams.open(response);
  else
    sendFailure(response, 429, {
      error: `Too many open pages (limit: ${streams.limit}). Close one of them.`,
    });
}

async function sendCall(response: ServerResponse, { readCall }: OpenPage, id: string): Promise<void> {
  const call = await readCall(id);
  if (call !== undefined) sendJson(response, 200, call);
  else sendFailure(response, 404, { error: "This call is not recorded anymore." });
}

async function runCommand(
  response: ServerResponse,
  commands: CommandHandlers,
  name: CommandName,
): Promise<void> {
  try {
    const body = await readJsonBody(response.req, name === "replay" ? MAX_RECORDING : MAX_BODY);
    sendJson(response, 200, await run(commands, name, body));
  } catch (error) {
    if (error instanceof CommandError) sendFailure(response, error.status, { error: error.message });
    else sendFailure(response, 500, { error: "The command failed because of an error in Tenon." });
  }
}

/** Parses the parameters of a command, and runs it. */
function run<Name extends CommandName>(
  commands: CommandHandlers,
  name: Name,
  body: JsonObject,
): MaybePromise<Commands[Name][1]> {
  return commands[name](PARSERS[name](body));
}

/** Returns the name of the file at a path. */
function fileOf(path: string): string {
  return path === PAGE_PATH || path === `${PAGE_PATH}/` ? "index.html" : path.slice(PAGE_PATH.length + 1);
}

async function sendFile(response: ServerResponse, { files }: OpenPage, name: string): Promise<void> {
  if (!isPageFile(name)) return sendText(response, 404, "This file does not exist.");
  const file = await files(name);
  if (file === undefined) return sendText(response, 500, MISSING);
  const { type, etag, bytes } = file;
  const headers = { etag, "cache-control": "no-cache" };
  if (response.req.headers["if-none-match"] === etag) return send(response, { status: 304, headers });
  return send(response, { status: 200, headers: { ...headers, "content-type": type }, body: bytes });
}

const MISSING =
  "The files of the development page are missing in this installation. Install @tenon/cli again: npm install @tenon/cli";

function notAllowed(response: ServerResponse, allow: string): void {
  sendFailure(response, 405, { error: `The method must be ${allow}.`, headers: { allow } });
}

function toPageRequest(request: IncomingMessage): PageRequest {
  const { method = "", url = "", headers, socket } = request;
  return {
    method,
    url,
    remoteAddress: socket.remoteAddress,
    localPort: socket.localPort,
    header(name) {
      const value = headers[name];
      return typeof value === "string" ? value : value?.join(", ");
    },
  };
}
