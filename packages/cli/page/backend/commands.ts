/**
 * @fileoverview Sends commands to the backend.
 * @module cli/page-app/backend/commands
 */
import type { CallDetail, CommandName, Commands } from "../../src/page/protocol.js";
import { API_PATH, CommandFailed, type Fetch, readFailure } from "./requests.js";

/** Client of the backend's commands. */
export interface CommandClient {
  /** Runs a command. @throws {CommandFailed} with a message for the user */
  readonly run: <Name extends CommandName>(
    name: Name,
    params: Commands[Name][0],
  ) => Promise<Commands[Name][1]>;
  /** Reads a call with its messages. @throws {CommandFailed} with a message for the user */
  readonly readCall: (id: string) => Promise<CallDetail>;
}

/** Creates a client of the backend's commands. */
export function createCommandClient(fetch: Fetch): CommandClient {
  return {
    // Safe: the backend has the same version as the page, and its results have the types of the protocol.
    run: async (name, params) => (await request(fetch, name, toPost(params))) as Commands[typeof name][1],
    readCall: async (id) => (await request(fetch, `calls/${encodeURIComponent(id)}`)) as CallDetail,
  };
}

function toPost(params: unknown): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(params),
  };
}

async function request(fetch: Fetch, path: string, init?: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`${API_PATH}${path}`, init);
  } catch {
    throw new CommandFailed("The command in the terminal does not respond. Check that it still runs.", 0);
  }
  if (!response.ok) throw new CommandFailed(await readFailure(response), response.status);
  return response.json();
}
