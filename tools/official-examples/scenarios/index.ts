/**
 * @fileoverview Scenarios by the name of the official example, version 1.
 * @module tools/official-examples/scenarios
 */
import { elicitationFormExample, elicitationUrlExample } from "./elicitation.js";
import { simpleStreamableHttp, simpleStreamableHttpWithOAuth } from "./full-server.js";
import type { Scenario } from "./scenario.js";
import { mcpServerOutputSchema, progressExample, toolWithSampleServer } from "./stdio.js";
import {
  honoWebStandardStreamableHttp,
  jsonResponseStreamableHttp,
  simpleSseServer,
  simpleStatelessStreamableHttp,
  sseAndStreamableHttpCompatibleServer,
  ssePollingExample,
  standaloneSseWithGetStreamableHttp,
} from "./streams.js";
import { simpleTaskInteractive } from "./tasks.js";

/** Scenarios of each example. An example without scenarios is imported by others. */
export const SCENARIOS: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  demoInMemoryOAuthProvider: {},
  elicitationFormExample: { elicitationFormExample },
  elicitationUrlExample: { elicitationUrlExample },
  honoWebStandardStreamableHttp: { honoWebStandardStreamableHttp },
  jsonResponseStreamableHttp: { jsonResponseStreamableHttp },
  mcpServerOutputSchema: { mcpServerOutputSchema },
  progressExample: { progressExample },
  simpleSseServer: { simpleSseServer },
  simpleStatelessStreamableHttp: { simpleStatelessStreamableHttp },
  simpleStreamableHttp: {
    simpleStreamableHttp,
    "simpleStreamableHttp --oauth": simpleStreamableHttpWithOAuth,
  },
  simpleTaskInteractive: { simpleTaskInteractive },
  sseAndStreamableHttpCompatibleServer: { sseAndStreamableHttpCompatibleServer },
  ssePollingExample: { ssePollingExample },
  standaloneSseWithGetStreamableHttp: { standaloneSseWithGetStreamableHttp },
  toolWithSampleServer: { toolWithSampleServer },
};
