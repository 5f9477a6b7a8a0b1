/**
 * @fileoverview Finds Chromium for browser tests, or installs it if allowed.
 * @module tests/support/chromium
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLock } from "@tenon/internal/files/with-lock";
import { type Browser, chromium } from "playwright-core";
import { runBounded } from "../../tools/process.js";

/** Time limit for the installation in milliseconds. Tests that may trigger it require a longer timeout. */
export const CHROMIUM_INSTALL_MS = 240_000;

/** Flags that disable background services and telemetry. */
export const CHROMIUM_FLAGS: readonly string[] = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path to the browser, or the reason it is missing. */
export type Chromium = { readonly path: string } | { readonly path?: undefined; readonly reason: string };

/** Finds Chromium. As root, installs it if it is missing. */
export async function findChromium(): Promise<Chromium> {
  const found = findInstalled();
  if (found !== undefined) return { path: found };
  if (process.getuid?.() !== 0) {
    return { reason: "Chromium is not installed, and only root can install it." };
  }
  const install = async () => {
    // A different process may have installed it in the meantime.
    const meanwhile = findInstalled();
    if (meanwhile !== undefined) return { path: meanwhile };
    const options = { cwd: tmpdir(), timeoutMs: CHROMIUM_INSTALL_MS };
    const { ok, output } = await runBounded("apt-get", ["install", "-y", "chromium"], options);
    const installed = findInstalled();
    if (installed !== undefined) return { path: installed };
    const said = output.split("\n").slice(0, 3).join("\n");
    return {
      reason: ok ? "apt-get did not install Chromium." : `apt-get could not install Chromium: ${said}`,
    };
  };
  return withLock(join(tmpdir(), "tenon-chromium.lock"), install, { waitMs: CHROMIUM_INSTALL_MS });
}

/** Browser of this worker. Files that share a worker may evaluate this module more than once. */
const worker = globalThis as { tenonBrowser?: Promise<Browser> };

/** Starts the browser that all tests of a worker share. It ends with the worker, because its pipe closes then. */
export function launchSharedBrowser(path: string): Promise<Browser> {
  worker.tenonBrowser ??= chromium.launch({ executablePath: path, args: [...CHROMIUM_FLAGS] });
  return worker.tenonBrowser;
}

function findInstalled(): string | undefined {
  return PLACES.find((place) => existsSync(place));
}
