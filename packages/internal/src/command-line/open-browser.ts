/**
 * @fileoverview Opens a URL in the system's browser. No shell is involved, so a URL cannot inject commands.
 * @module internal/command-line/open-browser
 */
import { spawn } from "node:child_process";
import { platform } from "node:os";
import { type Ports, systemPorts } from "../ports.js";
import { printable } from "../text.js";

/** Program that opens a URL, and its arguments. */
export interface Opener {
  readonly program: string;
  readonly args: readonly string[];
}

/** Returns the system's program for opening a URL. @throws if the URL is not http or https */
export function openerFor(url: URL, system: NodeJS.Platform): Opener {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new Error(`Only http and https URLs can be opened in a browser; got "${printable(url.protocol)}".`);
  }
  if (system === "darwin") return { program: "open", args: [url.href] };
  // `start` is a shell command, and the shell would split the URL at its ampersands.
  if (system === "win32") return { program: "rundll32", args: ["url.dll,FileProtocolHandler", url.href] };
  return { program: "xdg-open", args: [url.href] };
}

/** Milliseconds after which a running program counts as successful, because some exit only when the browser closes. */
const PATIENCE_MS = 1_500;

/** Opens a URL in the browser. @throws if the browser cannot be started, or the URL is not http or https */
export async function openBrowser(
  url: URL,
  opener = openerFor(url, platform()),
  ports: Ports = systemPorts,
): Promise<void> {
  const child = spawn(opener.program, opener.args, { shell: false, detached: true, stdio: "ignore" });
  child.unref();
  await new Promise<void>((resolve, reject) => {
    const stopWaiting = ports.startTimer(resolve, PATIENCE_MS);
    const end = (worked: boolean) => {
      stopWaiting();
      if (worked) resolve();
      else reject(new Error("Could not open a browser. Open the URL yourself."));
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
  });
}
