/**
 * @fileoverview Creates a project that uses the packages of this clone: packed, in the folder `vendor` of the project.
 * @module tools/new-project
 */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { type Command, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { createCommand } from "../packages/create-tenon/src/create-command.js";
import { DEFAULT_TEMPLATE, findTemplate } from "../packages/create-tenon/src/templates.js";
import { assertFolderIsFree } from "../packages/create-tenon/src/write-project.js";
import { type PackedPackage, packPackages } from "./packed-packages.js";
import { publishedPackages } from "./published-packages.js";
import { ROOT } from "./source-files.js";

/** Folder of a new project for the packed packages. */
const VENDOR = "vendor";

const CREATE_TENON = `${ROOT}/packages/create-tenon`;

/** Command line that every project gets, because the READMEs of the templates use it. */
const COMMAND_LINE = "@tenon/cli";

/** Flags of `npm create tenon`, except those that have fixed values here. */
const { install: _install, git: _git, yes: _yes, tenon: _tenon, ...ARGS } = createCommand.args;

/** Creates the command. @param build builds the packages, if something has changed */
export function toNewCommand(build: () => Promise<void>): Command<typeof ARGS> {
  return {
    name: "new",
    usage: "npm run new",
    description: `Create a project that uses the packages of this clone, packed into its folder "${VENDOR}"`,
    args: ARGS,
    examples: ["npm run new -- ../my-server", "npm run new -- ../my-agent --template agent"],
    async run(flags, terminal) {
      assertOwnArguments(terminal.env);
      const folder = await toFolder(flags.folder, terminal.cwd);
      await findTemplate(flags.template ?? DEFAULT_TEMPLATE, { root: CREATE_TENON, cwd: terminal.cwd });
      terminal.stderr.write("Building the packages, unless they are up to date...\n");
      await build();
      const stdout = new PassThrough();
      const code = await createCommand.run(
        { ...flags, folder, install: false, git: false, yes: true, tenon: undefined },
        { ...terminal, isInteractive: false, stdout },
      );
      const packed = await vendorPackages(folder);
      const names = packed.map(({ name }) => name).join(", ");
      terminal.stderr.write(`Packed ${names} into ${join(folder, VENDOR)}\n`);
      terminal.stdout.write(await readText(stdout.end()));
      return code;
    },
  };
}

/** Asserts that npm has passed on all arguments. Without `--`, npm takes options for its own. @throws {CliError} */
function assertOwnArguments(env: Terminal["env"]): void {
  const taken = Object.keys(ARGS).find(
    (name) => env[`npm_config_${name.replaceAll("-", "_")}`] !== undefined,
  );
  if (taken !== undefined) {
    throw usageError(
      `npm did not pass on --${taken}. Add "--" before the arguments: npm run new -- ../my-server --${taken} …`,
    );
  }
}

/** Returns the absolute path of the folder to create. @throws {CliError} if no project can be created there */
async function toFolder(given: string | undefined, cwd: string): Promise<string> {
  if (given === undefined)
    throw usageError("No folder specified. Pass the folder to create: npm run new -- ../my-server");
  const folder = resolve(cwd, given);
  const path = relative(ROOT, folder);
  if (!path.startsWith("..") && !isAbsolute(path)) {
    const outside = join(relative(cwd, resolve(ROOT, "..")), path === "" ? "my-server" : basename(folder));
    throw usageError(
      `The folder must be outside this clone; got ${folder}. For example: npm run new -- ${outside}`,
    );
  }
  await assertFolderIsFree(folder);
  return folder;
}

type Dependencies = Readonly<Record<string, string>>;

interface Manifest {
  readonly dependencies?: Dependencies;
  readonly devDependencies?: Dependencies;
}

/** Packs the packages that a project needs into it, and changes its dependencies to the tarballs. */
async function vendorPackages(folder: string): Promise<readonly PackedPackage[]> {
  const file = join(folder, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as Manifest; // written by create-tenon
  const { dependencies = {}, devDependencies = {} } = manifest;
  const development =
    COMMAND_LINE in dependencies ? devDependencies : { ...devDependencies, [COMMAND_LINE]: "*" };
  const direct = Object.keys({ ...dependencies, ...development });
  const packed = await packPackages(withNeeds(direct));
  const paths = new Map(packed.map((one) => [one.name, `file:${VENDOR}/${basename(one.file)}`]));
  const vendored = (list: Dependencies) =>
    Object.fromEntries(Object.entries(list).map(([name, range]) => [name, paths.get(name) ?? range]));
  // Packages that only other packages of this clone need. npm would look for them in its registry.
  const indirect = [...paths].filter(([name]) => !direct.includes(name));
  await mkdir(join(folder, VENDOR));
  await Promise.all(packed.map((one) => cp(one.file, join(folder, VENDOR, basename(one.file)))));
  const changed = {
    ...manifest,
    dependencies: vendored(dependencies),
    devDependencies: vendored(development),
    ...(indirect.length === 0 ? {} : { overrides: Object.fromEntries(indirect) }),
  };
  await writeFile(file, `${JSON.stringify(changed, null, 2)}\n`);
  return packed;
}

/** Returns the packages of this clone among `names`, and those that they need. */
function withNeeds(names: readonly string[]): readonly string[] {
  const published = publishedPackages();
  const needed = new Set(names);
  // Each package comes after those that it needs.
  for (const { name, needs } of published.toReversed())
    if (needed.has(name)) for (const need of needs) needed.add(need);
  return published.map(({ name }) => name).filter((name) => needed.has(name));
}
