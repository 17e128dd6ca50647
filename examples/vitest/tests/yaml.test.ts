// The YAML tests of this project: each is a test of vitest.

import * as vitest from "vitest";
import { yamlTests } from "ananke-test/testing";

await yamlTests(vitest);
