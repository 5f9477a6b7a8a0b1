/**
 * @fileoverview Messages from one node's part of a session to the parts on other nodes.
 * @module tenon/session/shared/peers
 */
import type { ConnectionPeers } from "../../core/wire/connection.js";
import type { ClusterNode } from "./cluster-node.js";
import type { SessionLog } from "./session-log.js";

/** Parts of the messages. */
export interface PeerParts {
  readonly node: ClusterNode;
  /** Key of the session in the store. */
  readonly key: string;
  readonly log: SessionLog;
  /** Stores the changes of the connection. */
  readonly save: () => Promise<void>;
  /** Receives messages that were sent and that the response to the client must wait for. */
  readonly send: (work: Promise<void>) => void;
}

/** Creates the link from a session's connection to its parts on other nodes. */
export function createPeers({ node, key, log, save, send }: PeerParts): ConnectionPeers {
  return {
    save,
    nextQuestionId: () => `tenon-${node.nextId()}`,
    cancel: (id) => send(node.send({ kind: "cancel", session: key, id })),
    settle: (response) => {
      const { id } = response;
      const owner = typeof id === "string" ? QUESTION_ID.exec(id)?.[1] : undefined;
      if (typeof id !== "string" || owner === undefined || owner === node.id) return false;
      const deliver = async () => {
        // The log bounds the responses of a client that sends more than it was asked for.
        await log.append(toAnswerId(id), { stream: ANSWERS, data: JSON.stringify(response) });
        await node.send({ kind: "answer", session: key, id }, owner);
      };
      send(deliver());
      return true;
    },
  };
}

/** Returns the ID of the log's entry with the response to a request. */
export function toAnswerId(questionId: string): string {
  return `answer-${questionId}`;
}

/** ID of the log's stream for responses to requests that other nodes sent. */
const ANSWERS = "answers";

const QUESTION_ID = /^tenon-([0-9a-f]{16})-[0-9a-z]{1,12}$/;
