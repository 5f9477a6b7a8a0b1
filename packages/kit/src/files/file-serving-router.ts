/**
 * @fileoverview Serves files from a store over HTTP, as a `(req, res, next)` function for Express, Connect, and
 * `node:http`.
 * @module kit/files/file-serving-router
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { callback, custom, flag, integer } from "@tenon/internal/options/option-rows";
import type { Logger } from "tenon";
import { type ExpressRouter, toExpressRouter } from "../serving/express-router.js";
import { answerJson, refusalOf, refuse } from "./answers.js";
import { createDirectory, type Directory, mapInBatches } from "./directory.js";
import { openStoredFile } from "./open-file.js";
import { askedBy, parseRoutePrefix } from "./request-path.js";
import { parseStoreUri, STORE_URI } from "./safe-path.js";
import { createSendEngine } from "./send-engine.js";
import { type Presentation, sendFile } from "./send-file.js";

type MaybePromise<T> = T | Promise<T>;

/** Metadata for a file that the client is allowed to read. */
export interface FileMetadata extends Presentation {
  /** File name in the store. @default the name of the file with this ID */
  readonly filename?: string;
}

/** Entry in the file list. */
export interface FileInfo {
  readonly fileId: string;
  readonly filename?: string;
  readonly contentType?: string;
  /** Size in bytes. */
  readonly size?: number;
  /** Modification time in ISO 8601. */
  readonly modified?: string;
}

const FILE_OPTIONS = /* @__PURE__ */ defineOptions("createFileServingRouter", {
  /** Path prefix of the file URLs, such as `/exports`. Use `/` to serve files directly below the mount path. */
  routePrefix: custom<string>({
    required: true,
    expected: 'a path such as "/exports"',
    aliases: ["prefix", "path"],
  }),
  /** Directory as a `file://` URI. Only regular files directly inside it are served, not symbolic links or dotfiles. */
  resourceStoreUri: STORE_URI,
  /**
   * Authorizes a request before the file is opened. If it returns `null` or `undefined`, the client gets status 404. If
   * it throws an error with status 401, 403, 404, 410, 429, or 503, the client gets that status. Without this function,
   * anyone who knows an ID can read the file.
   */
  getMetadata: callback<
    (fileId: string, request: IncomingMessage) => MaybePromise<FileMetadata | null | undefined>
  >({ aliases: ["authorize"] }),
  /** Returns the file list. @default all files in the directory that `getMetadata` allows */
  getAllFiles: callback<(request: IncomingMessage) => MaybePromise<readonly FileInfo[]>>({
    aliases: ["listFiles"],
  }),
  /**
   * Serves the file list. Set it to `false` if unguessable IDs are the only protection.
   * @default true
   */
  list: flag({ default: true }),
  /**
   * Maximum number of files to list.
   * @default 1000
   */
  maxListed: integer({ default: 1_000 }),
  /**
   * Milliseconds without progress after which a download is aborted.
   * @default 60000
   */
  stallMs: integer({ default: 60_000 }),
  /** Receives internal errors, which are not sent to clients. */
  logger: custom<Logger>({ aliases: ["log"] }),
});

/** Options for `createFileServingRouter`. */
export interface FileServingConfig extends OptionsOf<typeof FILE_OPTIONS> {}

/**
 * Router that can be mounted at any path. Requests outside `routePrefix` are passed to `next`. It has an
 * Express router's methods. Handlers added with them run before the files are served.
 */
export type FileServingRouter = ExpressRouter;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Creates a router for a store. `GET /:fileId` streams a file, and `GET /` lists the files.
 *
 * @example app.use("/exports", createFileServingRouter({ routePrefix: "/exports", resourceStoreUri: "file:///srv/exports" }));
 * @throws if an option is unknown or invalid
 */
export function createFileServingRouter(config: FileServingConfig): FileServingRouter {
  const settings = parseOptions(FILE_OPTIONS, config);
  const { stallMs, logger, list, getMetadata } = settings;
  const prefix = parseRoutePrefix(settings.routePrefix);
  const store = parseStoreUri(settings.resourceStoreUri);
  const directory = createDirectory(store);
  const engine = createSendEngine();

  const answer = async (exchange: Exchange, fileId: string | undefined): Promise<void> => {
    if (fileId !== undefined) return answerFile(exchange, fileId);
    if (!list) return refuse(exchange, 404);
    const items = await listFor(exchange.request, settings, directory);
    answerJson(exchange, { status: 200, value: { type: "success", items } });
  };

  const answerFile = async (exchange: Exchange, fileId: string): Promise<void> => {
    const { request, response } = exchange;
    const metadata = getMetadata === undefined ? {} : await getMetadata(fileId, request);
    if (metadata === null || metadata === undefined) return refuse(exchange, 404);
    const name = metadata.filename ?? (await directory.findById(fileId));
    const file = name === undefined ? undefined : await openStoredFile(store, name);
    if (file === undefined) return refuse(exchange, 404);
    if (response.destroyed) return file.handle.close();
    return sendFile(exchange, file, { presentation: metadata, engine, stallMs });
  };

  return toExpressRouter((request, response, next) => {
    // Safe: Express and Connect set it to a string.
    const { originalUrl } = request as { readonly originalUrl?: string };
    const url = request.url ?? "/";
    const asked = askedBy(originalUrl === undefined ? { url } : { url, originalUrl }, prefix);
    const exchange = { request, response };
    if (asked.kind === "elsewhere") return next === undefined ? refuse(exchange, 404) : next();
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse(exchange, 405, { Allow: "GET, HEAD" });
    }
    if (asked.kind === "nothing") return refuse(exchange, 404);
    const fileId = asked.kind === "file" ? asked.fileId : undefined;
    whenItsTurn(response, () => {
      answer(exchange, fileId).catch((error: unknown) => fail(exchange, error, logger));
    });
  });
}

/**
 * Handles pipelined requests one at a time. Otherwise a single packet could open hundreds of files, and a file could
 * stay open for a response that is never sent.
 */
function whenItsTurn(response: ServerResponse, task: () => void): void {
  if (response.socket === null) response.once("socket", task);
  else task();
}

/** Sends the response for an error. Unexpected errors are logged. */
function fail(exchange: Exchange, error: unknown, logger: Logger | undefined): void {
  const status = refusalOf(error);
  if (status === undefined) {
    // Control characters are replaced, so that the log entry stays on one line.
    logger?.error(
      `Could not serve a file: ${String(error)
        .replaceAll(/\p{Cc}+/gu, " ")
        .slice(0, 500)}`,
    );
  }
  if (exchange.response.headersSent) exchange.response.destroy();
  else refuse(exchange, status ?? 500);
}

async function listFor(
  request: IncomingMessage,
  { getAllFiles, getMetadata, maxListed }: ParsedOptions<typeof FILE_OPTIONS>,
  directory: Directory,
): Promise<readonly FileInfo[]> {
  if (getAllFiles !== undefined) return (await getAllFiles(request)).slice(0, maxListed).map(toLine);
  const files = (await directory.list(maxListed)).map((file) => ({
    ...file,
    modified: file.modified.toISOString(),
  }));
  if (getMetadata === undefined) return files.map(toLine);
  const lines = await mapInBatches(files, async (file) => {
    const metadata = await permitted(() => getMetadata(file.fileId, request));
    if (metadata === undefined || (metadata.filename ?? file.filename) !== file.filename) return undefined;
    return toLine(metadata.contentType === undefined ? file : { ...file, contentType: metadata.contentType });
  });
  return lines.filter((line) => line !== undefined);
}

/** Returns the metadata if the client may read the file, or `undefined` if `getMetadata` denies access. */
async function permitted(
  ask: () => MaybePromise<FileMetadata | null | undefined>,
): Promise<FileMetadata | undefined> {
  try {
    return (await ask()) ?? undefined;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Copies only the public fields, because the application's records may contain others. */
function toLine({ fileId, filename, contentType, size, modified }: FileInfo): FileInfo {
  return {
    fileId,
    ...(filename === undefined ? {} : { filename }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(size === undefined ? {} : { size }),
    ...(modified === undefined ? {} : { modified }),
  };
}
