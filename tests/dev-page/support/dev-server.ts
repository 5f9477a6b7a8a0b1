/**
 * @fileoverview Runs the built `tenon dev` with a server of the tests, and returns the URLs that it prints.
 * @module tests/dev-page/support/dev-server
 */
import { readFileSync } from "node:fs";
import { DevProgram } from "../../../tools/reload/dev-program.js";
import { Project, type ProjectFiles } from "../../../tools/reload/project.js";

/** Server in this folder. */
export type ServerName = "workshop-server" | "hostile-server" | "large-server" | "xss-server";

/** Returns the code of a server. */
export function readServer(name: ServerName): string {
  return readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8");
}

const CORPUS = "../../../tools/attack/corpora/page-payloads";

/** Returns the files of a project with a server. The corpus is copied, because the project is in another folder. */
function readProject(name: ServerName): ProjectFiles {
  return {
    "server.ts": readServer(name).replace(CORPUS, "./page-payloads"),
    ...(name === "xss-server" && {
      "page-payloads.ts": readFileSync(new URL(`${CORPUS}.ts`, import.meta.url), "utf8"),
    }),
  };
}

/** Running `tenon dev`. */
export class DevServer {
  readonly project: Project;
  #program: DevProgram;
  #pageUrl = "";
  #endpoint = "";

  private constructor(name: ServerName) {
    this.project = new Project(readProject(name));
    this.#program = new DevProgram({ project: this.project });
  }

  /** Starts the command, and waits until it serves. */
  static async start(name: ServerName): Promise<DevServer> {
    const server = new DevServer(name);
    await server.#started();
    return server;
  }

  /** URL of the page with its token. */
  get pageUrl(): string {
    return this.#pageUrl;
  }

  /** URL of the page without its token. */
  get origin(): string {
    return new URL(this.#endpoint).origin;
  }

  /** URL of the MCP endpoint. */
  get endpoint(): string {
    return this.#endpoint;
  }

  /** Saves the code of the server, and waits for the event that it causes. */
  async save(text: string, event: "reloaded" | "build-failed" = "reloaded"): Promise<void> {
    await this.#program.save(this.project, ["server.ts", text], event);
  }

  /** Stops the command. The files stay. */
  async stop(): Promise<void> {
    await this.#program.stop("SIGKILL");
  }

  /** Starts the stopped command again, on the same port. */
  async restart(): Promise<void> {
    const { port } = new URL(this.#endpoint);
    this.#program = new DevProgram({ project: this.project, args: ["server.ts", "--port", port] });
    await this.#started();
  }

  /** Stops the command, and removes its files. */
  async close(): Promise<void> {
    await this.stop();
    this.project.remove();
  }

  async #started(): Promise<void> {
    const { url = "", page = "" } = await this.#program.next("started");
    this.#endpoint = url;
    this.#pageUrl = page;
  }
}
