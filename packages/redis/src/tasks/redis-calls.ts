/**
 * @fileoverview Sends the commands of the task engine. They fail soon if Redis is away.
 * @module redis/tasks/redis-calls
 */
import { TaskEngineError } from "tenon/tasks";
import { type Link, type RedisClient, runScript, type Script } from "../connection/index.js";

/** Sends commands and scripts. They may run twice, because a lost reply says nothing about its command. */
export class RedisCalls {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Runs a script. `root` is its only key. @throws {TaskEngineError} `unavailable` if that fails */
  async script(script: Script, root: string, args: readonly (string | number)[]): Promise<unknown> {
    return runScript(this.#link, script, { keys: [root], args, repeatable: true }).catch(rejectUnavailable);
  }

  /** Sends commands. @throws {TaskEngineError} `unavailable` if that fails */
  async run<T>(send: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#link.run(send, { repeatable: true }).catch(rejectUnavailable);
  }
}

function rejectUnavailable(cause: unknown): never {
  throw new TaskEngineError("unavailable", "The task engine cannot use Redis now.", { cause });
}
