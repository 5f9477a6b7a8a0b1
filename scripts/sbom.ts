/**
 * @fileoverview `npm run sbom`: writes a software bill of materials for each published package, in the format of
 * CycloneDX, to the folder `sbom/`. It lists the packages that an installation brings, and those in a bundle.
 * @module scripts/sbom
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runBounded } from "../tools/process.js";
import { publishedPackages } from "../tools/published-packages.js";
import { createSbomProject } from "../tools/sbom-project.js";

const FOLDER = fileURLToPath(new URL("../sbom", import.meta.url));
const NPM_MS = 120_000;
const ARGS = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=library", "--package-lock-only"];

/** Part of a CycloneDX document that is checked. */
interface Sbom {
  readonly bomFormat?: string;
  readonly metadata?: { readonly component?: { readonly name?: string; readonly version?: string } };
  readonly components?: readonly unknown[];
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
for (const { name, version } of publishedPackages()) {
  const { manifest, lock } = createSbomProject(name);
  const folder = mkdtempSync(join(tmpdir(), "tenon-sbom-"));
  // npm takes the name from the folder.
  const project = join(folder, name);
  try {
    mkdirSync(project, { recursive: true });
    writeFileSync(`${project}/package.json`, JSON.stringify(manifest));
    writeFileSync(`${project}/package-lock.json`, JSON.stringify(lock));
    const { ok, output } = await runBounded("npm", ARGS, { cwd: project, timeoutMs: NPM_MS });
    if (!ok) throw new Error(`npm sbom failed for ${name}: ${output.slice(0, 2_000)}`);
    const { bomFormat, metadata, components = [] } = JSON.parse(output) as Sbom; // Safe: every member is checked
    const listed = Object.keys(lock.packages).length - 1;
    if (bomFormat !== "CycloneDX" || metadata?.component?.version !== version || components.length !== listed)
      throw new Error(`npm sbom lists ${components.length} of ${listed} packages for ${name} ${version}.`);
    const file = `${name.replace("@", "").replace("/", "-")}-${version}.cdx.json`;
    writeFileSync(`${FOLDER}/${file}`, `${output}\n`);
    console.log(`sbom/${file}: ${components.length} components`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
