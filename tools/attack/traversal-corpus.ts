/**
 * @fileoverview Request targets that try to leave the folder that is served at `/exports`, and the folder with bait files.
 * @module tools/attack/traversal-corpus
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** Content of every file that must not be served, and of no other. */
const CANARY = "CANARY-7f1d";

/** Folder to serve. */
export interface BaitedStore {
  readonly store: string;
  readonly close: () => void;
}

/** Creates a store with bait files around and inside it. */
export async function makeBaitedStore(base: string): Promise<BaitedStore> {
  const store = join(base, "store");
  mkdirSync(join(store, "folder"), { recursive: true });
  mkdirSync(join(base, "store-sibling"));
  writeFileSync(join(store, "ok.csv"), "inside");
  for (const bait of ["secret.txt", "store-sibling/secret.txt", "store/.env", "store/folder/secret.txt"]) {
    writeFileSync(join(base, bait), CANARY);
  }
  symlinkSync("../secret.txt", join(store, "link-out.txt"));
  symlinkSync("ok.csv", join(store, "link-in.csv"));
  symlinkSync("..", join(store, "up"));
  symlinkSync("/dev/zero", join(store, "device.bin"));
  symlinkSync("loop.txt", join(store, "loop.txt"));
  execFileSync("mkfifo", [join(store, "pipe.csv")]);
  const socket = createServer().listen(join(store, "socket.csv"));
  await once(socket, "listening");
  return { store, close: () => void socket.close() };
}

/** Splits text at white space. */
export const words = ({ raw: [text = ""] }: TemplateStringsArray) => text.trim().split(/\s+/);

/** Ways to write two dots. */
export const DOTS = words`
  .. %2e%2e %2E. .%2e %252e%252e %25252e%25252e ..%00 %00.. %c0%ae%c0%ae %e0%80%ae%e0%80%ae %uff0e%uff0e
  %ef%bc%8e%ef%bc%8e .... ..; .%20. up store/..`;
/** Ways to write a slash. */
export const SLASHES = words`
  / // /./ \ %2f %2F %5c %5C %252f %255c %c0%af %e0%80%af %ef%bc%8f %2f%2f /%2e/`;

/** Target files, and their depth above the store. */
const GOALS = [
  [1, "secret.txt"],
  [1, "secret"],
  [1, "store-sibling/secret.txt"],
  [8, "etc/passwd"],
] as const;

/** Traversal paths in every spelling. */
const CLIMBS = DOTS.flatMap((dots) =>
  SLASHES.flatMap((slash) =>
    GOALS.map(([depth, goal]) => `/exports/${(dots + slash).repeat(depth)}${goal.replaceAll("/", slash)}`),
  ),
);

/** Single paths: absolute paths, links, dotfiles, special files, odd spellings, odd targets. */
const SHOTS = [
  ...words`//etc/passwd /%2fetc%2fpasswd /%2Fetc/passwd /file:///etc/passwd /C:%5cwindows%5cwin.ini /~root`,
  ...words`/.env /%2eenv /%2Eenv /. /.. /%2e /%2e%2e /.%2fok.csv /folder /folder/ /folder%2f /folder/secret`,
  ...words`/folder/secret.txt /folder%2fsecret.txt /folder%5csecret.txt /link-out /link-out.txt /link-in /link-in.csv`,
  ...words`/up /up/secret.txt /up%2fsecret.txt /device /device.bin /loop /pipe /pipe.csv /socket /socket.csv /CON /nul`,
  ...words`/ok%00 /ok%00.csv /ok%0a /ok.csv::$DATA /ok%20 /ok. /ok/ /ok/x /ok%2f //ok /% /%zz /%ff%fe /;/ok /* /[a-z]*`,
  ...words`sibling/secret.txt %2fsecret.txt`,
  `/${"a".repeat(300)}`,
  `/${"%c3%bc".repeat(200)}`,
].map((rest) => `/exports${rest}`);

const ODD_TARGETS = [
  "http://localhost/exports/../secret.txt",
  "http://localhost/exports/..%2fsecret.txt",
  "/exports/../exports/../secret.txt",
  "/./exports/../secret.txt",
  "/exports\\..\\secret.txt",
  "/exports/x?../../secret.txt",
  "/exports/..?/secret.txt",
  "/exports/#/../../secret.txt",
];

/** All request targets. */
export const CORPUS = [...new Set([...CLIMBS, ...SHOTS, ...ODD_TARGETS])];

/** Returns true if a response contains a file that must not be served. */
export const hasEscaped = (answer: string) => /CANARY-7f1d|root:.*:0:0/.test(answer);
