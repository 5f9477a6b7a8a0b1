/**
 * @fileoverview The contract's server in a process of its own, on stdio.
 * @module tests/contract/transport-fixture
 */
import { serve } from "../../src/transport/node/index.js";
import { createContractServer } from "./transport-server.js";

await serve(createContractServer());
