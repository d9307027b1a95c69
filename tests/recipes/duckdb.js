// SPDX-License-Identifier: GPL-2.0-only
// Runs statements in DuckDB, separated by semicolons, and prints the rows of each as a line of JSON. Arguments: the directory of
// node_modules. Standard input: the statements.
"use strict";
const fs = require("fs");
const path = require("path");
const { DuckDBInstance } = require(path.join(process.argv[2], "@duckdb/node-api"));

async function run(text) {
	const instance = await DuckDBInstance.create(":memory:", { autoinstall_known_extensions: "false" });
	const connection = await instance.connect();
	for (const statement of text.split(/;\s*$/m).filter((one) => one.trim()))
		console.log(JSON.stringify((await connection.runAndReadAll(statement)).getRowObjectsJson()));
}

run(fs.readFileSync(0, "utf8")).catch((problem) => {
	console.error(String(problem));
	process.exit(1);
});
