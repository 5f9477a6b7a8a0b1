import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { AgentServerBuilder } from "../../../src/builder.js";
import type { AgentServer } from "../../../src/server.js";
import type { ServerAddress, StartOptions } from "../../../src/socket/options.js";

export {
  connectClient,
  connectRaw,
  rawFrame,
  type Received,
  refusalOf,
  TestClient,
  upgradeRaw,
} from "./test-client.js";

/** A running server and its log lines. The server is stopped when the test ends. */
export interface Running extends ServerAddress {
  readonly server: AgentServer;
  readonly lines: readonly string[];
}

/** Creates a folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-agent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server on a free port. */
export async function startServer(
  configure: (builder: AgentServerBuilder) => object = (builder) => builder,
  options: StartOptions = {},
): Promise<Running> {
  const builder = new AgentServerBuilder().storagePath(temporaryFolder());
  configure(builder);
  const server = builder.build();
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  const address = await server.start({ port: 0, stopTimeout: 500, logger, ...options });
  onTestFinished(() => server.stop());
  return { ...address, server, lines };
}
