/**
 * @fileoverview Checks every lock file: which packages run scripts when they are installed, and where packages come from.
 * @module tools/attack/scenarios/lock-file
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type AttackContext, Findings } from "../context.js";
import { readData, ROOT } from "../data/read-data.js";

/** Package that may run a script when it is installed. */
interface AllowedScript {
  readonly lockFile: string;
  readonly package: string;
  readonly reason: string;
}

/** Entry of a lock file. */
interface LockEntry {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly [group: `${string}ependencies`]: Readonly<Record<string, string>> | undefined;
}

const GROUPS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

/** Runs the check. */
export async function lockFile({ figures, print }: AttackContext): Promise<void> {
  const allowed = readData("install-scripts.json") as readonly AllowedScript[]; // Safe: the file belongs to this check
  const used = new Set<AllowedScript>();
  const found = {
    scripts: new Findings(print),
    sources: new Findings(print),
    integrity: new Findings(print),
    registries: new Findings(print),
  };
  let packages = 0;
  const lockFiles = findFiles("package-lock.json");
  for (const file of lockFiles) {
    // Safe: npm wrote the file
    const lock = JSON.parse(readFileSync(`${ROOT}/${file}`, "utf8")) as {
      packages: Record<string, LockEntry>;
    };
    for (const [name, entry] of Object.entries(lock.packages)) {
      packages++;
      if (entry.hasInstallScript === true && !ignoresScripts(file)) {
        const rule = allowed.find((one) => one.lockFile === file && one.package === name);
        if (rule === undefined) found.scripts.add(`${file}: ${name} runs a script when it is installed`);
        else used.add(rule);
      }
      checkSource(`${file}: ${name}`, entry, found);
      // The workspace's own packages are folders, not downloads.
      if (name.includes("node_modules/") && entry.link !== true && !isHash(entry.integrity))
        found.integrity.add(`${file}: ${name} has no integrity`);
    }
  }
  for (const file of findFiles(".npmrc")) {
    const lines = readFileSync(`${ROOT}/${file}`, "utf8").split("\n");
    // Without a setting, npm uses its public registry.
    for (const line of lines.filter(
      (text) => /registry|_auth|proxy/i.test(text) && !text.startsWith("omit-"),
    ))
      found.registries.add(`${file}: ${line}`);
  }
  const stale = allowed.filter((rule) => !used.has(rule));
  for (const rule of stale)
    print(`${rule.lockFile}: ${rule.package} no longer has a script. Remove it from the list.`);
  figures.atLeast("lock files", lockFiles.length, 1);
  figures.atLeast("locked packages", packages, 100);
  figures.note("reviewed install scripts", used.size);
  figures.exactly("install scripts that are not reviewed", found.scripts.count, 0);
  figures.exactly("reviewed install scripts that are gone", stale.length, 0);
  figures.exactly("packages from git or other addresses", found.sources.count, 0);
  figures.exactly("packages without integrity", found.integrity.count, 0);
  figures.exactly("settings with a different registry", found.registries.count, 0);
}

function checkSource(what: string, entry: LockEntry, found: { readonly sources: Findings }): void {
  const { resolved, link } = entry;
  // Lock files have no addresses, because every package comes from npm's public registry.
  const isFolder = link === true && resolved !== undefined && /^packages\/[\w-]+$/.test(resolved);
  if (resolved !== undefined && !isFolder) found.sources.add(`${what} comes from a different place`);
  for (const group of GROUPS) {
    for (const [name, range] of Object.entries(entry[group] ?? {})) {
      // Ranges and aliases of the registry. Everything else is an address or a path.
      if (/[:/]/.test(range) && !/^npm:[@\w./-]+@[^:/]+$/.test(range))
        found.sources.add(`${what}: ${name} is ${range}`);
    }
  }
}

function isHash(integrity: string | undefined): boolean {
  return integrity !== undefined && /^sha(?:512|1)-[\w+/]+=*(?: sha\d+-[\w+/]+=*)*$/.test(integrity);
}

/** Returns true if npm does not run scripts in the lock file's folder. */
function ignoresScripts(file: string): boolean {
  const settings = `${ROOT}/${dirname(file)}/.npmrc`;
  return existsSync(settings) && /^ignore-scripts=true$/m.test(readFileSync(settings, "utf8"));
}

function findFiles(name: string): readonly string[] {
  const tools = readdirSync(`${ROOT}/tools`).map((folder) => `tools/${folder}`);
  return [".", "bench", ...tools]
    .map((folder) => `${folder}/${name}`.replace(/^\.\//, ""))
    .filter((file) => existsSync(`${ROOT}/${file}`));
}
