/**
 * @fileoverview Types for installing a server: the machine, the server, and the files of a client.
 * @module cli/install/types
 */

/** Facts about the machine. They are passed in, so that the paths and commands of every platform can be tested. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Home folder of the user. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder in which the command runs. */
  readonly cwd: string;
}

/** Files that the command may look at. */
export interface FileProbe {
  readonly exists: (path: string) => Promise<boolean>;
  readonly isFile: (path: string) => Promise<boolean>;
  /** Returns the names in a folder. Empty if it cannot be read. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Returns a small file's text, or `undefined` if it cannot be read. */
  readonly read: (path: string) => Promise<string | undefined>;
}

/** Configuration for all projects of a user, or for one project. */
export type Scope = "user" | "project";

/** Names and their values, such as environment variables. */
export type Pairs = Readonly<Record<string, string>>;

/** Server that a client starts. */
export interface StdioServer {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Pairs;
}

/** Server that a client connects to. */
export interface HttpServer {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Pairs;
}

/** Server to install. */
export type Server = StdioServer | HttpServer;

/** Configuration file of a client. */
export interface ConfigPlace {
  readonly file: string;
  /** Paths of which at least one exists if the client is installed. Empty if this is not checked. */
  readonly signs: readonly string[];
}

/** Content of a configuration file. */
export interface ConfigFile {
  /** Path without symbolic links. */
  readonly path: string;
  /** Text without a byte order mark. Empty if the file does not exist. */
  readonly text: string;
  readonly hasByteOrderMark: boolean;
  /** `undefined` if the file does not exist. */
  readonly status: FileStatus | undefined;
}

/** Permissions and owner of a file. */
export interface FileStatus {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}
