/**
 * @fileoverview Runs `tenon dev` in a temporary project until the test has finished.
 * @module tests/cli/support/dev/dev-run
 */
import { existsSync, writeFileSync } from "node:fs";
import { onTestFinished, vi } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import type { Endpoint } from "../../../../../tests/support/http-faces.js";
import { allMessages } from "../../../../../tests/support/http-events.js";
import {
  type DevOptions,
  DevProgram,
  type EventName,
  type EventOf,
} from "../../../../../tools/reload/dev-program.js";
import { Project, type ProjectFiles } from "../../../../../tools/reload/project.js";

/** Running program with its project. */
export interface DevRun {
  readonly program: DevProgram;
  readonly project: Project;
  /** Saves the server, and waits for the next event of a kind, `reloaded` by default. */
  readonly save: <Name extends EventName = "reloaded">(text: string, event?: Name) => Promise<EventOf<Name>>;
  /** Creates an empty file, which handlers wait for. */
  readonly signal: (name: string) => void;
  /** Waits for a file that a handler creates. */
  readonly signalled: (name: string) => Promise<void>;
}

/** Starts the program. */
export function startDev(files: ProjectFiles, options: Omit<DevOptions, "project"> = {}): DevRun {
  const project = new Project(files);
  const program = new DevProgram({ project, ...options });
  onTestFinished(async () => {
    await program.stop("SIGKILL");
    project.remove();
  });
  return {
    program,
    project,
    save: (text, event) => program.save(project, ["server.ts", text], event),
    signal: (name) => writeFileSync(project.path(name), ""),
    signalled: (name) =>
      vi.waitFor(() => {
        if (!existsSync(project.path(name)))
          throw new Error(`The file ${name} does not exist: ${program.describe()}`);
      }),
  };
}

/** Starts the program, and waits until it serves. */
export async function serveDev(
  files: ProjectFiles,
): Promise<DevRun & { readonly endpoint: Endpoint; readonly url: string }> {
  const run = startDev(files);
  const url = await run.program.url();
  return { ...run, url, endpoint: toEndpoint(url) };
}

/** Returns the endpoint at a URL. */
export function toEndpoint(url: string): Endpoint {
  return { port: Number(new URL(url).port), fetch: (init) => fetch(url, init), close: async () => undefined };
}

/** Returns the last message of a response: the result or the error. */
export async function lastMessage(response: Response | Promise<Response>): Promise<JsonObject> {
  return (await allMessages(await response)).at(-1) ?? {};
}

/** Returns the text of a tool's result, or of a JSON-RPC error. */
export async function textOf(response: Response | Promise<Response>): Promise<string> {
  const { result, error } = (await lastMessage(response)) as {
    readonly result?: { readonly content?: readonly { readonly text?: string }[] };
    readonly error?: { readonly message: string };
  };
  return error?.message ?? result?.content?.[0]?.text ?? JSON.stringify(result);
}

/** Code that handlers use to communicate with a test through files. */
export const SIGNALS = `
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const signal = (name) => writeFileSync(name, "");
const signalled = async (name) => { while (!existsSync(name)) await sleep(5); };
`;
