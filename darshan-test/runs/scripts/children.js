// Children of node, by each of its ways: their files are descriptors that node opened.
"use strict";
const { exec, execFileSync, fork, spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");

if (process.argv[2] === "child") {
  process.on("message", (number) => {
    fs.writeFileSync(`child-${number}`, fs.readFileSync("words").subarray(0, 1000 * number));
    process.send(number, () => process.disconnect());
  });
} else {
  const input = fs.openSync("words", "r");
  const output = fs.openSync("sorted", "w");
  spawnSync("sort", [], { stdio: [input, output, "inherit"] });
  fs.closeSync(input);
  fs.closeSync(output);
  fs.writeFileSync("sum", execFileSync("cksum", ["sorted"]));
  exec("gzip -n -c <words >words.gz; cat words.gz | gzip -d | head -n 3", (error, stdout) => {
    fs.writeFileSync("first", stdout);
    const log = fs.openSync("log", "a");
    let left = 4;
    for (let i = 1; i <= left; i++) {
      spawn("sh", ["-c", `echo from ${i}; cat first`], { stdio: ["ignore", log, log] });
      fork(__filename, ["child"]).send(i);
    }
  });
}
