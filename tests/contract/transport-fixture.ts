/**
 * @fileoverview The contract's server in a process of its own, on stdio.
 * @module tests/contract/transport-fixture
 */
import { serve } from "tenon/node";
import { createContractServer } from "./transport-server.js";

await serve(createContractServer());
