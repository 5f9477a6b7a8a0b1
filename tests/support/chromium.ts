/**
 * @fileoverview Finds Chromium for tests in a real browser, or installs it where that is allowed.
 * @module tests/support/chromium
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFolder } from "../../tools/folder-lock.js";
import { runBounded } from "../../tools/process.js";

/** How long an installation may take, and how long a test that may need one must be ready to wait. */
export const CHROMIUM_INSTALL_MS = 240_000;

/** Nothing but the page that is opened, and nobody that is told of it. */
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

/** The browser's path, or the reason why there is none. */
export type Chromium = { readonly path: string } | { readonly path?: undefined; readonly reason: string };

/** Finds Chromium; as root, installs it first where it is missing. */
export async function findChromium(): Promise<Chromium> {
  const found = findInstalled();
  if (found !== undefined) return { path: found };
  if (process.getuid?.() !== 0) {
    return { reason: "Chromium is not installed, and only root can install it" };
  }
  const release = await lockFolder(join(tmpdir(), "tenon-chromium.installing"), CHROMIUM_INSTALL_MS);
  try {
    // Another process may have done it meanwhile.
    const meanwhile = findInstalled();
    if (meanwhile !== undefined) return { path: meanwhile };
    const options = { cwd: tmpdir(), timeoutMs: CHROMIUM_INSTALL_MS };
    const { ok, output } = await runBounded("apt-get", ["install", "-y", "chromium"], options);
    const installed = findInstalled();
    if (installed !== undefined) return { path: installed };
    const said = output.split("\n").slice(0, 3).join("\n");
    return { reason: ok ? "apt-get installed no Chromium" : `apt-get could not install Chromium: ${said}` };
  } finally {
    release();
  }
}

function findInstalled(): string | undefined {
  return PLACES.find((place) => existsSync(place));
}
