#!/usr/bin/env node
import process from "node:process";

// Node calls its SQLite experimental on every start; it says nothing that a user could act on.
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!/SQLite is an experimental feature/.test(String(warning))) {
    emitWarning.call(process, warning, ...rest);
  }
};
const { main } = await import("../cli.js");
await main();
