/**
 * @fileoverview The server that the page inspects, as the workbench sees it.
 * @module cli/page/workbench/inspected-server
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Client, RemoteClientOptions } from "tenon/client";
import type { SnippetTarget } from "../record/snippets/snippet-call.js";

/** View of a server's tools, beyond the list that clients see. */
export interface ToolView {
  readonly title: string;
  readonly tools: readonly JsonObject[];
}

/** Receives the URL at which the user signs in. */
export type SignInListener = (url: URL) => void;

/** Server to inspect. */
export interface InspectedServer {
  /**
   * Opens a client.
   *
   * @param key name of the client, which is different for each one
   */
  connect(options: RemoteClientOptions, key: string): Promise<Client>;
  /** True if a lost connection starts a program again, so that the number of attempts must be limited. */
  readonly isProgram: boolean;
  /** Message for the user if the server does not respond for some seconds. Absent if that is normal. */
  readonly slowMessage?: string;
  /** The server as snippets refer to it. */
  readonly snippets: () => SnippetTarget;
  /** Reads the views of a module's tools. */
  readonly readViews?: () => Promise<readonly ToolView[]>;
  /** Calls a listener when the user must sign in. Absent if the page does not sign in. */
  readonly onSignIn?: (listener: SignInListener) => void;
  /** Deletes the access token. */
  readonly signOut?: () => Promise<void>;
}
