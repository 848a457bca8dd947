// Synchronous, asynchronous and streamed file calls of libuv.
const fs = require("fs");
fs.writeFileSync("sync", "x".repeat(100000));
fs.writeFile("async", Buffer.alloc(50000), () => {
  fs.copyFileSync("sync", "copied");
  let bytes = 0;
  const stream = fs.createReadStream("copied");
  stream.on("data", (data) => { bytes += data.length; });
  stream.on("end", () => console.log(bytes, fs.statSync("async").size));
});
