/**
 * @fileoverview Shows an address in the system's browser. No shell is asked, so nothing in the address can be a command.
 * @module oauth/open-browser
 */
import { spawn } from "node:child_process";
import { platform } from "node:os";
import { type Ports, systemPorts } from "@tenon/internal/ports";

/** A program and its arguments. */
export interface Opener {
  readonly program: string;
  readonly args: readonly string[];
}

/** The system's own program for opening an address. @throws where the address is not http or https */
export function openerFor(url: URL, system: NodeJS.Platform): Opener {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new Error("Only http and https addresses are opened in a browser");
  }
  if (system === "darwin") return { program: "open", args: [url.href] };
  // `start` belongs to the shell, which would take the address apart at its ampersands.
  if (system === "win32") return { program: "rundll32", args: ["url.dll,FileProtocolHandler", url.href] };
  return { program: "xdg-open", args: [url.href] };
}

/** An opener that has not failed by then is taken to have worked: some end only with the browser. */
const PATIENCE_MS = 1_500;

/** Opens an address. @throws where there is no browser, or the address is not http or https */
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
      else reject(new Error("No browser could be opened"));
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
  });
}
