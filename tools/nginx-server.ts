/**
 * @fileoverview Starts a real nginx on loopback, in its own folder. As root, installs Debian's package if it is missing.
 * @module tools/nginx-server
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram, type FoundProgram } from "./debian-program.js";
import { stopServer } from "./server-process.js";

const HOST = "127.0.0.1";
const START_MS = 30_000;
const PLACES = [
  "/usr/sbin/nginx",
  "/usr/local/sbin/nginx",
  "/usr/local/bin/nginx",
  "/opt/homebrew/bin/nginx",
];

/** Only root can use the default folders of Debian's nginx. */
const TEMPORARY_FOLDERS = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  .map((kind) => `  ${kind}_temp_path ${kind};\n`)
  .join("");

/** Running nginx. */
export interface NginxServer {
  /** Ends the process and deletes its folder. */
  stop(): Promise<void>;
}

/** Finds nginx. As root, installs it if it is missing. */
function findNginx(): Promise<FoundProgram> {
  return findProgram({ package: "nginx-light", places: PLACES });
}

/**
 * Starts nginx and waits until it accepts connections. It ends with this process at the latest.
 *
 * @param config text of the configuration; relative paths are in a temporary folder
 * @param port port on loopback that the configuration listens on
 * @throws if nginx is missing and cannot be installed, or rejects the configuration
 */
export async function startNginx(config: string, port: number): Promise<NginxServer> {
  const found = await findNginx();
  if (found.path === undefined) throw new Error(found.reason);
  const folder = mkdtempSync(join(tmpdir(), "tenon-nginx-"));
  // As root, nginx runs its workers as a different user.
  chmodSync(folder, 0o755);
  const file = join(folder, "nginx.conf");
  writeFileSync(file, config.replace(/^http \{/m, `http {\n${TEMPORARY_FOLDERS}`));
  const args = ["-p", folder, "-c", file, "-e", "stderr", "-g", "daemon off;"];
  const child = spawn(found.path, args, { stdio: ["ignore", "ignore", "pipe"] });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-2_000)));
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  const stop = async () => {
    process.removeListener("exit", end);
    await stopServer(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_MS;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`nginx did not start on port ${port}: ${printed.trim()}`);
    }
    await sleep(20);
  }
  return { stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => finish(true));
    const finish = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.once("error", () => finish(false));
  });
}
